-- Price of a reminder.
--   DROP FUNCTION private.reminder_channel
--   DROP FUNCTION private.whatsapp_reminder
--   CREATE OR REPLACE FUNCTION private.reminder_channel
--   CREATE OR REPLACE FUNCTION private.whatsapp_reminder
--   COMMENT ON FUNCTION private.reminder_channel
--   COMMENT ON FUNCTION private.whatsapp_reminder
--   REVOKE ALL ON FUNCTION private.reminder_channel
--   GRANT EXECUTE ON FUNCTION private.reminder_channel
--   REVOKE ALL ON FUNCTION private.whatsapp_reminder

set check_function_bodies = off;

DROP FUNCTION "private"."reminder_channel"(uuid, uuid, integer, jsonb);

DROP FUNCTION "private"."whatsapp_reminder"(uuid, uuid, jsonb);

CREATE OR REPLACE FUNCTION private.reminder_channel (
  _user_id    uuid,
  _contact_id uuid,
  _level      integer,
  _values     jsonb
)
  RETURNS TABLE (
    channel   text,
    recipient text,
    body      text,
    template  jsonb,
    price     jsonb,
    reason    text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with mandate as (
    select coalesce(bool_or(uses_whatsapp), false) as uses_whatsapp, coalesce(bool_or(uses_pec), false) as uses_pec
    from public.agent_mandates
    where user_id = _user_id and agent = 'recupero_crediti' and action = 'mail' and revoked_at is null
  ), email as (
    select value as address, case
      when value is null then 'no_email'
      when private.mail_refusal(_user_id, _contact_id, value, 'contratto', null) is not null then 'email_refused'
    end as reason
    from (select) as one left join lateral (
      -- The same as in private.recovery_items.
      select value from public.contact_emails where user_id = _user_id and contact_id = _contact_id
      order by is_primary desc, created_at, id limit 1
    ) as first on true
  ), pec as (
    select contacts.pec as address, case
      when not exists (select from public.mail_accounts where user_id = _user_id and is_certified) then 'no_pec_account'
      when contacts.pec is null then 'no_pec'
      when private.mail_refusal(_user_id, _contact_id, contacts.pec, 'contratto', null) is not null then 'pec_refused'
    end as reason
    from (select) as one left join public.contacts on user_id = _user_id and id = _contact_id
  ), wanted as (
    select mandate.*, case
      when _level = 4 and uses_pec then 'pec' when _level = 3 and uses_whatsapp then 'whatsapp' else 'email'
    end as channel
    from mandate
  ), chosen as (
    select wanted.channel as wanted, email.address as email, email.reason as email_reason, pec.address as pec,
      pec.reason as pec_reason, chat.recipient as chat, chat.body, chat.template, chat.price, chat.reason as chat_reason, case
        when wanted.channel = 'pec' and pec.reason is null then 'pec'
        when wanted.channel = 'whatsapp' and chat.recipient is not null and chat.reason is null then 'whatsapp'
        when email.reason is not null and chat.recipient is not null and chat.reason is null then 'whatsapp'
        else 'email'
      end as channel
    from wanted cross join email cross join pec
    left join lateral private.whatsapp_reminder(_user_id, _contact_id, _values) as chat on uses_whatsapp
  )
  select channel, case channel when 'email' then email when 'pec' then pec else chat end,
    case channel when 'whatsapp' then body end, case channel when 'whatsapp' then template end,
    case channel when 'whatsapp' then price end,
    case when channel <> wanted then
      case wanted when 'pec' then pec_reason when 'whatsapp' then chat_reason else email_reason end
    end
  from chosen
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_reminder (
  _user_id    uuid,
  _contact_id uuid,
  _values     jsonb
)
  RETURNS TABLE (
    recipient text,
    body      text,
    template  jsonb,
    price     jsonb,
    reason    text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(letter.recipient, (letter.channel).external_id), letter.body,
    jsonb_build_object('id', template.id, 'name', template.name, 'language', template.language, 'body', template.body),
    -- A person without a known number has no known price.
    private.whatsapp_price(
      array[coalesce(letter.recipient, '')], case when letter.is_outside then array[coalesce(letter.recipient, '')] end,
      template.category
    ),
    case
      when account.id is null then 'no_account'
      when account.state <> 'attivo' then 'account'
      when template.id is null then 'no_template'
      when template.state = 'PENDING' then 'template_pending'
      when template.state <> 'APPROVED' or not template.is_usable or template.category <> 'UTILITY'
        or account.templates_stopped_until > now() then 'template'
      when letter.contact_id is null then 'no_number'
      else letter.refusal
    end
  from (select) as one
  left join public.whatsapp_accounts as account on account.user_id = _user_id
  left join public.whatsapp_templates as template on template.user_id = _user_id
    and template.name = private.reminder_template() and template.language = 'it'
  -- E-11 counts the messages of a week.
  left join lateral private.whatsapp_letters(
    account, case when template.id is not null then array[_contact_id] end, template, _values, true
  ) as letter on true
$function$;

COMMENT ON FUNCTION "private"."reminder_channel"(uuid, uuid, integer, jsonb) IS 'The channel that a reminder of a level (1 to 4) takes under the mandate in force, its recipient, by WhatsApp its text, template and price (private.whatsapp_price), and why it is not the channel that the mandate asks for.';

COMMENT ON FUNCTION "private"."whatsapp_reminder"(uuid, uuid, jsonb) IS 'The reminder that a contact would get by WhatsApp with what Meta asks for it, or why none may be sent: no_account, account, no_template, template_pending, template, or a reason of private.whatsapp_letters.';

REVOKE ALL ON FUNCTION "private"."reminder_channel"(uuid, uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reminder_channel"(uuid, uuid, integer, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."whatsapp_reminder"(uuid, uuid, jsonb) FROM PUBLIC;

reset check_function_bodies;
