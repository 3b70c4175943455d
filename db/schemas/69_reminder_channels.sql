-- Channels of the reminders of Recupero crediti: which one a reminder takes, and how one leaves by WhatsApp.
--
-- The first two reminders go by mail. Where the mandate says so, the third goes by WhatsApp and the last by certified mail (PEC);
-- WhatsApp also replaces a mail address that is missing or dead. A channel that cannot be used gives way to mail, and the
-- reason is kept with the step: functions/_shared/goals/channels.py puts it into words.

create function private.reminder_template()
  returns text
  language sql immutable
  set search_path = ''
as $$
  select 'promemoria_pagamento'
$$;
comment on function private.reminder_template() is
  'The name of the template of reminders, in Italian; web/src/strings/goals.ts proposes its text to Meta.';
revoke all on function private.reminder_template from public, anon, authenticated, service_role;

create function private.whatsapp_reminder(_user_id uuid, _contact_id uuid, _values jsonb)
  returns table (recipient text, body text, template jsonb, price jsonb, reason text)
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.whatsapp_reminder is
  'The reminder that a contact would get by WhatsApp with what Meta asks for it, or why it may not be sent: no_account, account, no_template, '
  'template_pending, template, or a reason of private.whatsapp_letters.';
revoke all on function private.whatsapp_reminder from public, anon, authenticated, service_role;

create function private.wanted_channel(_level integer, _uses_whatsapp boolean, _uses_pec boolean)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case when _level = 4 and _uses_pec then 'pec' when _level = 3 and _uses_whatsapp then 'whatsapp' else 'email' end
$$;
comment on function private.wanted_channel is 'The channel that a mandate asks for a reminder of a level, before it is known which can be used.';
revoke all on function private.wanted_channel from public, anon, authenticated, service_role;

create function private.reminder_channel(_user_id uuid, _contact_id uuid, _level integer, _values jsonb)
  returns table (channel text, recipient text, body text, template jsonb, price jsonb, reason text)
  language sql stable security definer
  set search_path = ''
as $$
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
    select mandate.*, private.wanted_channel(_level, uses_whatsapp, uses_pec) as channel from mandate
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
$$;
comment on function private.reminder_channel is
  'The channel that a reminder of a level (1 to 4) takes under the mandate in force, its recipient, by WhatsApp its text, '
  'template and price (private.whatsapp_price), and why it is not the channel that the mandate asks for.';
revoke all on function private.reminder_channel from public, anon, authenticated, service_role;
grant execute on function private.reminder_channel to service_role;

create function private.queue_goal_whatsapp(_step public.goal_steps)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _account constant public.whatsapp_accounts := private.whatsapp_sender(_step.user_id);
  _template public.whatsapp_templates;
  _letter private.whatsapp_letter;
  _message public.whatsapp_messages;
begin
  select * into _template from public.whatsapp_templates
  where user_id = _step.user_id and id = (_step.args #>> '{template,id}')::uuid;
  select * into _letter
  from private.whatsapp_letters(_account, array[_step.contact_id], _template, _step.args -> 'values', true);
  if _letter.contact_id is null or (_letter.channel).id is null and (_letter.phone).id is null then
    raise exception 'no such contact or number' using errcode = 'PT404';
  end if;
  _message := public.queue_whatsapp(
    _step.id,
    case when (_letter.channel).id is null
      then (private.whatsapp_channel_at(_account, _letter.phone)).id else (_letter.channel).id end,
    _template_id => _template.id, _values => _step.args -> 'values'
  );
  if _message.body is distinct from _step.preview ->> 'body' then
    raise exception 'it is not what was shown' using errcode = 'SW004', detail = 'CHANGED';
  end if;
  -- An open window ends no rest.
  update public.whatsapp_messages
  set not_before = private.allowed_mail_time(not_before), expires_at = private.allowed_mail_time(not_before) + interval '1 day'
  where id = _message.id;
end
$$;
comment on function private.queue_goal_whatsapp(public.goal_steps) is
  'Queues the template of a step under its id; refuses as queue_whatsapp() does.';
revoke all on function private.queue_goal_whatsapp from public, anon, authenticated, service_role;

create function private.lacks_certified_mailbox(_user_id uuid, _key uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (select from public.goal_steps where user_id = _user_id and id = _key and args ->> 'channel' = 'pec')
    and not exists (select from public.mail_accounts where user_id = _user_id and is_certified)
$$;
comment on function private.lacks_certified_mailbox(uuid, uuid) is
  'Whether the mail of this key is a reminder by PEC while its person has no certified mailbox: it must not leave as common mail.';
revoke all on function private.lacks_certified_mailbox from public, anon, authenticated, service_role;
