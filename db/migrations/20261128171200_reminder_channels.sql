-- Reminder channels.
--   DROP FUNCTION public.give_mandate
--   ALTER TABLE public.agent_mandates ADD COLUMN uses_whatsapp boolean NOT NULL DEFAULT false
--   ALTER TABLE public.agent_mandates ADD COLUMN uses_pec boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.agent_week
--   CREATE OR REPLACE FUNCTION private.begin_mail_content
--   CREATE OR REPLACE FUNCTION private.begin_rehearsal
--   CREATE OR REPLACE FUNCTION private.carry_out_goal_step
--   CREATE OR REPLACE FUNCTION private.is_address_of
--   CREATE OR REPLACE FUNCTION private.lacks_certified_mailbox
--   CREATE OR REPLACE FUNCTION private.open_goal_step
--   CREATE OR REPLACE FUNCTION private.queue_goal_mail
--   CREATE OR REPLACE FUNCTION private.queue_goal_whatsapp
--   CREATE OR REPLACE FUNCTION private.recall_goal_mails
--   CREATE OR REPLACE FUNCTION private.rehearsal_report
--   CREATE OR REPLACE FUNCTION private.rehearse_sending
--   CREATE OR REPLACE FUNCTION private.reminder_channel
--   CREATE OR REPLACE FUNCTION private.reminder_template
--   CREATE OR REPLACE FUNCTION private.require_mail_allowed
--   CREATE OR REPLACE FUNCTION private.tell_agent_weeks
--   CREATE OR REPLACE FUNCTION private.whatsapp_reminder
--   CREATE OR REPLACE FUNCTION public.edit_goal_step
--   CREATE OR REPLACE FUNCTION public.give_mandate
--   REVOKE ALL ON FUNCTION public.give_mandate
--   COMMENT ON COLUMN public.agent_mandates.uses_pec IS 'Whether the last reminder goes by certified mail where b…
--   COMMENT ON COLUMN public.agent_mandates.uses_whatsapp IS 'Whether reminders may go by WhatsApp: the third, an…
--   COMMENT ON COLUMN public.goal_steps.preview IS 'What the person is shown: {subject, body, lines, cents, tone}…
--   COMMENT ON FUNCTION private.agent_week
--   COMMENT ON FUNCTION private.carry_out_goal_step
--   COMMENT ON FUNCTION private.is_address_of
--   COMMENT ON FUNCTION private.lacks_certified_mailbox
--   COMMENT ON FUNCTION private.queue_goal_whatsapp
--   COMMENT ON FUNCTION private.rehearse_sending
--   COMMENT ON FUNCTION private.reminder_channel
--   COMMENT ON FUNCTION private.reminder_template
--   COMMENT ON FUNCTION private.whatsapp_reminder
--   COMMENT ON FUNCTION public.edit_goal_step
--   COMMENT ON FUNCTION public.give_mandate
--   REVOKE ALL ON FUNCTION private.is_address_of
--   REVOKE ALL ON FUNCTION private.lacks_certified_mailbox
--   REVOKE ALL ON FUNCTION private.queue_goal_whatsapp
--   REVOKE ALL ON FUNCTION private.reminder_channel
--   GRANT EXECUTE ON FUNCTION private.reminder_channel
--   REVOKE ALL ON FUNCTION private.reminder_template
--   REVOKE ALL ON FUNCTION private.whatsapp_reminder
--   GRANT EXECUTE ON FUNCTION public.give_mandate

set check_function_bodies = off;

DROP FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean);

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "uses_whatsapp" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "uses_pec" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.agent_week (
  _user_id uuid,
  _until   timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with steps as (
    select * from public.goal_steps
    where user_id = _user_id and coalesce(done_at, approved_at, created_at) > _until - interval '7 days'
      and coalesce(done_at, approved_at, created_at) <= _until
  ), logged as (
    select * from public.ethical_logs where user_id = _user_id and at > _until - interval '7 days' and at <= _until
  ), asked as (
    -- Each part once, whenever it was asked for first.
    select (item ->> 'invoice_id')::uuid as invoice_id, (item ->> 'no')::integer as no,
      min((done_at at time zone 'Europe/Rome')::date) as asked_on
    from public.goal_steps cross join lateral jsonb_array_elements(args -> 'items') as item
    where goal_steps.user_id = _user_id and state = 'fatto' and done_at <= _until group by 1, 2
  )
  select jsonb_build_object(
    'sent', (select count(*) from steps where state = 'fatto' and tool = 'mail'),
    'sent_cents', (select coalesce(sum((preview ->> 'cents')::bigint), 0) from steps where state = 'fatto' and tool = 'mail'),
    'sent_by_whatsapp', (select count(*) from steps where state = 'fatto' and tool = 'mail' and args ->> 'channel' = 'whatsapp'),
    'sent_by_pec', (select count(*) from steps where state = 'fatto' and tool = 'mail' and args ->> 'channel' = 'pec'),
    'tidied', (select count(*) from steps where state = 'fatto' and tool <> 'mail'),
    'refused', (select count(*) from steps where state = 'rifiutato'),
    'blocked', (select count(*) from steps where state = 'bloccato'),
    'unneeded', (select count(*) from steps where state in ('saltato', 'annullato')),
    'cashed_cents', (
      select coalesce(sum(part.cents), 0) from asked
      join public.invoice_parts as part on part.user_id = _user_id and part.invoice_id = asked.invoice_id
        and part.no = asked.no and part.counts
      where part.paid_on >= asked_on and part.paid_on > ((_until - interval '7 days') at time zone 'Europe/Rome')::date
        and part.paid_on <= (_until at time zone 'Europe/Rome')::date
    ),
    'rules', (
      select coalesce(jsonb_agg(jsonb_build_object('id', rule, 'times', times) order by times desc, rule), '[]')
      from (select unnest(rules) as rule, count(*) as times from logged where action = 'giudizio' group by 1) as spoke
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.begin_mail_content (
  _id           uuid,
  _attempt      integer,
  _storage_path text    DEFAULT NULL::text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
  _refusal public.mail_error;
  _is_shared boolean;
begin
  select * into _mail from public.outgoing_mails
  where id = _id and attempts = _attempt and state = 'queued' for update;
  if not found then
    return false;
  end if;
  -- An objection that came after the mail was queued counts.
  _refusal := private.mail_refusal(_mail.user_id, _mail.contact_id, _mail.recipient, _mail.basis, _mail.sale_id);
  if _mail.is_automatic and not private.may_be_automatic(_mail.user_id, _mail.recipient, _id) then
    _refusal := coalesce(_refusal, 'automatic');
  end if;
  select is_shared into _is_shared from public.mail_accounts where user_id = _mail.user_id;
  if _is_shared and _mail.basis <> 'contratto' or private.lacks_certified_mailbox(_mail.user_id, _mail.key) then
    -- It was queued for a mailbox that is gone.
    _refusal := coalesce(_refusal, 'disconnected');
  end if;
  if _is_shared and _refusal is null then
    perform private.note_shared_mail(_mail);
  end if;
  update public.outgoing_mails
  set state = case when _refusal is null then 'sending'::public.mail_state else 'failed' end, error = _refusal,
    storage_path = _storage_path,
    is_certified = coalesce((select is_certified from public.mail_accounts where user_id = _mail.user_id), false),
    leased_until = case when _refusal is null then now() + interval '10 minutes' end
  where id = _id;
  return _refusal is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.begin_rehearsal (
  _user_id uuid,
  _agent   text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _goal_id uuid;
  -- Its channels are those of the mandate that its person gave.
  _given public.agent_mandates;
begin
  delete from public.goals where user_id = _user_id and agent = _agent;
  select * into _given from public.agent_mandates
  where user_id = _user_id and agent = _agent and action = 'mail' and revoked_at is null;
  update public.agent_mandates set revoked_at = now() where user_id = _user_id and agent = _agent and revoked_at is null;
  delete from private.autonomy_stops where user_id = _user_id;
  insert into public.mail_accounts (user_id, host, port, security, username, from_address, daily_cap)
  values (_user_id, 'prova.invalid', 465, 'tls', 'prova', 'prova@prova.invalid', 2000)
  on conflict (user_id) do update
    set daily_cap = 2000, is_shared = false, host = excluded.host, port = excluded.port, security = excluded.security,
      username = excluded.username;
  insert into public.agent_mandates (
    user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans, uses_whatsapp, uses_pec
  )
  select _user_id, _agent, action, 'supervisionata', 100000000, 100, 3, coalesce(array_agg(iban) filter (where iban is not null), '{}'),
    coalesce(_given.uses_whatsapp, false), coalesce(_given.uses_pec, false)
  from unnest(array['mail', 'archivio']) as action
  left join (
    select private.bare_iban(part.iban) as iban
    from public.invoice_schedules as part
    join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
    where part.user_id = _user_id and invoices.direction = 'attiva'
    group by 1 order by count(*) desc limit 10
  ) as own on iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  group by action;
  insert into public.goals (user_id, agent, title, state) values (_user_id, _agent, 'Prova a vuoto', 'attivo')
  returning id into _goal_id;
  return _goal_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.carry_out_goal_step (
  _step_id      uuid,
  _is_automatic boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _step public.goal_steps;
  _claims text;
begin
  select * into _step from public.goal_steps where id = _step_id;
  _claims := private.speak_for(_step.user_id);
  case _step.tool
    when 'mail' then
      if _step.args ->> 'channel' = 'whatsapp' then
        perform private.queue_goal_whatsapp(_step);
      else
        perform private.queue_goal_mail(_step, _is_automatic);
      end if;
    when 'merge' then
      -- Undone on the page of duplicates, for thirty days.
      perform public.merge_contacts((_step.args ->> 'winner_id')::uuid, (_step.args ->> 'loser_id')::uuid);
    when 'task' then
      insert into public.tasks (id, user_id, contact_id, title, notes, origin)
      values (_step.id, _step.user_id, _step.contact_id, _step.preview ->> 'subject', _step.preview ->> 'body', 'agente');
  end case;
  perform set_config('request.jwt.claims', _claims, true);
end
$function$;

CREATE OR REPLACE FUNCTION private.is_address_of (
  _user_id    uuid,
  _contact_id uuid,
  _address    text
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.contact_emails
    where user_id = _user_id and contact_id = _contact_id and norm = lower(_address)
  ) or exists (
    select from public.contacts where user_id = _user_id and id = _contact_id and lower(pec) = lower(_address)
  )
$function$;

CREATE OR REPLACE FUNCTION private.lacks_certified_mailbox (
  _user_id uuid,
  _key     uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from public.goal_steps where user_id = _user_id and id = _key and args ->> 'channel' = 'pec')
    and not exists (select from public.mail_accounts where user_id = _user_id and is_certified)
$function$;

CREATE OR REPLACE FUNCTION private.open_goal_step (
  _id      uuid,
  _attempt integer,
  _now     timestamp with time zone
)
  RETURNS TABLE (
    step           jsonb,
    agent          text,
    mandate        jsonb,
    is_approved    boolean,
    is_stopped     boolean,
    lawful         integer,
    recent         integer,
    proposed_today integer,
    sent_today     integer,
    mail_time      timestamp with time zone
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _step public.goal_steps;
  _goal public.goals;
begin
  select * into _step from public.goal_steps
  where id = _id and attempts = _attempt and state in ('pianificato', 'approvato') for update;
  if not found then
    return;
  end if;
  -- Locked, so that a pause or a revocation comes before this step or after it.
  select * into _goal from public.goals where user_id = _step.user_id and id = _step.goal_id for share;
  return query
    select to_jsonb(_step), _goal.agent, to_jsonb(mandates),
      coalesce(_step.state = 'approvato' and _step.approved_hash = public.hash(_step) and _step.expires_at > _now, false),
      _goal.state not in ('attivo', 'in_attesa') or private.are_goals_stopped(_step.user_id),
      case when _step.args ->> 'channel' = 'whatsapp' then (
        select count(*)::integer from private.whatsapp_reminder(_step.user_id, _step.contact_id, _step.args -> 'values')
        where recipient = any (_step.recipients) and reason is null
      ) else (
        select count(*)::integer from unnest(_step.recipients) as address
        where private.mail_refusal(_step.user_id, _step.contact_id, address, 'contratto', null) is null
          and private.is_address_of(_step.user_id, _step.contact_id, address)
      ) end,
      (
        select count(*)::integer from public.outgoing_mails
        where user_id = _step.user_id and contact_id = _step.contact_id and state not in ('cancelled', 'failed')
          and created_at > _now - interval '7 days' and created_at <= _now
      ) + (
        -- Templates only: a message inside an open chat is an answer and does not count.
        select count(*)::integer from public.whatsapp_messages
        where user_id = _step.user_id and contact_id = _step.contact_id and template is not null
          and state not in ('cancelled', 'failed') and created_at > _now - interval '7 days' and created_at <= _now
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and (
          state = 'in_approvazione' and expires_at > _now + interval '12 hours' or approved_at > _now - interval '12 hours'
        )
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and state = 'fatto' and approved_at is null
          and (done_at at time zone 'Europe/Rome')::date = (_now at time zone 'Europe/Rome')::date
      ),
      private.allowed_mail_time(_now)
    from (select) as one
    left join public.agent_mandates as mandates on mandates.user_id = _step.user_id and mandates.agent = _goal.agent
      and mandates.action = case _step.tool when 'mail' then 'mail' else 'archivio' end and mandates.revoked_at is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_goal_mail (
  _step         public.goal_steps,
  _is_automatic boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if private.lacks_certified_mailbox(_step.user_id, _step.id) then
    raise exception 'the mailbox is not certified' using errcode = 'SM019';
  end if;
  perform public.queue_mail(
    _step.id, _step.contact_id, _step.recipients[1], _step.preview ->> 'subject', _step.preview ->> 'body',
    _invoice_id => (_step.args -> 'items' -> 0 ->> 'invoice_id')::uuid, _document_ids => array(
      select distinct (item ->> 'document_id')::uuid from jsonb_array_elements(_step.args -> 'items') as item
      where item ->> 'document_id' is not null
    ), _is_automatic => _is_automatic
  );
  update public.outgoing_mails set more_invoice_ids = array(
    select distinct (item ->> 'invoice_id')::uuid from jsonb_array_elements(_step.args -> 'items') as item
    where item ->> 'invoice_id' <> _step.args -> 'items' -> 0 ->> 'invoice_id'
  )
  where user_id = _step.user_id and key = _step.id;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_goal_whatsapp (
  _step public.goal_steps
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.recall_goal_mails (
  _user_id uuid,
  _goal_id uuid  DEFAULT NULL::uuid,
  _item    jsonb DEFAULT NULL::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  with recalled as (
    update public.outgoing_mails set state = 'cancelled', leased_until = null
    where user_id = _user_id and state = 'queued' and key in (
      select id from public.goal_steps
      where user_id = _user_id and (_goal_id is null or goal_id = _goal_id)
        and (_item is null or args -> 'items' @> jsonb_build_array(_item))
    )
    returning key
  ), recalled_chats as (
    update public.whatsapp_messages set state = 'cancelled', leased_until = null
    where user_id = _user_id and state = 'queued' and key in (
      select id from public.goal_steps
      where user_id = _user_id and (_goal_id is null or goal_id = _goal_id)
        and (_item is null or args -> 'items' @> jsonb_build_array(_item))
    )
    returning key
  )
  update public.goal_steps set state = 'annullato', leased_until = null
  where user_id = _user_id and (
    state = 'fatto' and id in (select key from recalled union all select key from recalled_chats)
    or state in ('pianificato', 'in_approvazione', 'approvato') and (_goal_id is null or goal_id = _goal_id)
      and (_item is null or args -> 'items' @> jsonb_build_array(_item))
  );
  select private.follow_goal(id) from public.goals where user_id = _user_id and state = 'in_attesa'
$function$;

CREATE OR REPLACE FUNCTION private.rehearsal_report (
  _goal_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with steps as (
    select goal_steps.*, contacts.name, (coalesce(done_at, goal_steps.created_at) at time zone 'Europe/Rome')::date as day
    from public.goal_steps
    left join public.contacts on contacts.user_id = goal_steps.user_id and contacts.id = contact_id
    where goal_id = _goal_id and state in ('fatto', 'bloccato')
  ), letters as (
    select steps.*, exists (
      select from jsonb_array_elements(args -> 'items') as item
      join public.invoice_parts as part on part.user_id = steps.user_id
        and part.invoice_id = (item ->> 'invoice_id')::uuid and part.no = (item ->> 'no')::integer
      where part.paid_on <= steps.day
    ) as was_paid
    from steps where state = 'fatto'
  )
  select jsonb_build_object(
    'sent', (select count(*) from letters),
    'clients', (select count(distinct contact_id) from letters),
    'already_paid', (select count(*) from letters where was_paid),
    'blocked', (select count(*) from steps where state = 'bloccato'),
    'letters', coalesce((
      select jsonb_agg(jsonb_build_object(
        'day', day, 'client', name, 'title', preview ->> 'title', 'channel', coalesce(preview ->> 'channel', 'email'), 'note', preview ->> 'note',
        'cents', (preview ->> 'cents')::bigint, 'tone', (preview ->> 'tone')::integer,
        'subject', preview ->> 'subject', 'was_paid', was_paid
      ) order by day desc, name)
      from (select * from letters order by day desc, name limit 50) as latest
    ), '[]'),
    'reasons', coalesce((
      select jsonb_agg(distinct rules -> 0 ->> 'reason') from steps where state = 'bloccato' and rules <> '[]'
    ), '[]')
  )
$function$;

CREATE OR REPLACE FUNCTION private.rehearse_sending (
  _step_id uuid,
  _at      timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.outgoing_mails set state = 'sent', sent_at = _at, created_at = _at where key = _step_id;
  update public.whatsapp_messages set state = 'sent', sent_at = _at, created_at = _at where key = _step_id
$function$;

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
      pec.reason as pec_reason, chat.recipient as chat, chat.body, chat.template, chat.reason as chat_reason, case
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
    case when channel <> wanted then
      case wanted when 'pec' then pec_reason when 'whatsapp' then chat_reason else email_reason end
    end
  from chosen
$function$;

CREATE OR REPLACE FUNCTION private.reminder_template()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select 'promemoria_pagamento'
$function$;

CREATE OR REPLACE FUNCTION private.require_mail_allowed (
  _user_id    uuid,
  _contact_id uuid,
  _recipient  text,
  _basis      public.mail_basis,
  _sale_id    uuid
)
  RETURNS public.mail_accounts
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account public.mail_accounts;
  _refusal public.mail_error;
begin
  _account := private.lock_mail_account(_user_id);
  if _account.is_shared then
    perform private.require_shared_allowed(_user_id, _basis);
  end if;
  if not private.is_address_of(_user_id, _contact_id, _recipient) then
    raise exception 'the contact has no such address' using errcode = 'SM002';
  end if;
  if _basis = 'soft_spam' and not private.is_sale_to(_user_id, _contact_id, _sale_id) then
    raise exception 'no invoice was issued to the contact' using errcode = 'SM009';
  end if;
  _refusal := private.mail_refusal(_user_id, _contact_id, _recipient, _basis, _sale_id);
  if _refusal = 'suppressed' then
    raise exception 'the address is on the suppression list' using errcode = 'SM003';
  elsif _refusal = 'consent' then
    raise exception 'the contact has not agreed to marketing by mail' using errcode = 'SM004';
  end if;
  if private.mails_left(_account) = 0 then
    raise exception 'the daily cap of the account is reached' using errcode = 'SM005';
  end if;
  return _account;
end
$function$;

CREATE OR REPLACE FUNCTION private.tell_agent_weeks (
  _now   timestamp with time zone,
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with monday as (
    select date_trunc('week', _now at time zone 'Europe/Rome') as day
  ), due as (
    select distinct user_id, 'settimana_agenti:' || day::date as key, (day at time zone 'Europe/Rome') as until
    from public.goal_steps cross join monday
    where (_now at time zone 'Europe/Rome') >= day + interval '8 hours'
      and created_at > (day at time zone 'Europe/Rome') - interval '7 days' and created_at <= (day at time zone 'Europe/Rome')
      and not exists (
        select from private.notification_deliveries
        where notification_deliveries.user_id = goal_steps.user_id and dedupe_key = 'settimana_agenti:' || day::date
      )
    limit _limit
  ), weeks as (
    select user_id, key, private.agent_week(user_id, until) as week from due
  ), told as (
    select private.notify(
      user_id, 'settimana_agenti', 'La settimana dei tuoi agenti',
      concat_ws(' ',
        case when (week ->> 'sent')::bigint > 0 or (week ->> 'tidied')::bigint = 0
          then private.counted((week ->> 'sent')::bigint, 'Un messaggio inviato.', 'messaggi inviati.') end,
        case when (week ->> 'sent_by_whatsapp')::bigint > 0 then 'Su WhatsApp: ' || (week ->> 'sent_by_whatsapp') || '.' end,
        case when (week ->> 'sent_by_pec')::bigint > 0 then 'Per PEC: ' || (week ->> 'sent_by_pec') || '.' end,
        case when (week ->> 'tidied')::bigint > 0
          then private.counted((week ->> 'tidied')::bigint, 'Una cosa sistemata.', 'cose sistemate.') end,
        case when (week ->> 'cashed_cents')::bigint > 0
          then 'Incassati dopo un sollecito: ' || private.euros((week ->> 'cashed_cents')::bigint, 'EUR') || '.' end,
        case when (week ->> 'refused')::bigint > 0 then 'Rifiutati da te: ' || (week ->> 'refused') || '.' end,
        case when (week ->> 'blocked')::bigint > 0 then 'Bloccati dalle regole: ' || (week ->> 'blocked') || '.' end
      ),
      '/projects?vista=obiettivi', key
    )
    from weeks
  )
  select count(*) from told
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
    reason    text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(letter.recipient, (letter.channel).external_id), letter.body,
    jsonb_build_object('id', template.id, 'name', template.name, 'language', template.language, 'body', template.body),
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

CREATE OR REPLACE FUNCTION public.edit_goal_step (
  _id      uuid,
  _subject public.single_line,
  _body    text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _step public.goal_steps;
begin
  select * into _step from public.goal_steps where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such step' using errcode = 'PT404';
  elsif _step.state <> 'in_approvazione' or _step.expires_at <= now() then
    raise exception 'the proposal is not open' using errcode = 'SG003', detail = _step.state::text;
  elsif _step.args ->> 'channel' = 'whatsapp' then
    raise exception 'the text of a template is not edited' using errcode = 'SG006';
  elsif _subject is null or coalesce(_body, '') !~ '[^[:space:]]' or char_length(_body) > 20000 then
    raise exception 'a message has a subject and a text' using errcode = '22023';
  end if;
  update public.goal_steps set preview = preview || jsonb_build_object('subject', _subject, 'body', _body)
  where id = _id returning * into _step;
  perform private.log_ethics(
    _user_id, 'decisione', private.goal_step_bytes(_step), _step.goal_id, _step.id, _human_decision => 'modificato'
  );
  return public.hash(_step);
end
$function$;

CREATE OR REPLACE FUNCTION public.give_mandate (
  _agent              text,
  _action             text,
  _autonomy           public.goal_autonomy,
  _max_cents          bigint,
  _max_recipients_day integer,
  _last_tone          integer,
  _ibans              text[],
  _claims_interest    boolean              DEFAULT false,
  _uses_whatsapp      boolean              DEFAULT false,
  _uses_pec           boolean              DEFAULT false
)
  RETURNS public.agent_mandates
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _mandate public.agent_mandates;
begin
  update public.agent_mandates set revoked_at = now()
  where user_id = _user_id and agent = _agent and action = _action and revoked_at is null;
  insert into public.agent_mandates (
    user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans, claims_interest, uses_whatsapp,
    uses_pec
  )
  values (
    _user_id, _agent, _action, _autonomy, _max_cents, _max_recipients_day, _last_tone, _ibans, _claims_interest,
    _uses_whatsapp, _uses_pec
  )
  returning * into _mandate;
  perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'dato');
  return _mandate;
end
$function$;

REVOKE ALL ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean) FROM PUBLIC, "anon", "service_role";

COMMENT ON COLUMN "public"."agent_mandates"."uses_pec" IS 'Whether the last reminder goes by certified mail where both have a PEC.';

COMMENT ON COLUMN "public"."agent_mandates"."uses_whatsapp" IS 'Whether reminders may go by WhatsApp: the third, and all to clients without a mail address that works (69_reminder_channels.sql).';

COMMENT ON COLUMN "public"."goal_steps"."preview" IS 'What the person is shown: {subject, body, lines, cents, tone}; of a reminder also {channel, note}.';

COMMENT ON FUNCTION "private"."agent_week"(uuid, timestamp with time zone) IS 'The seven days of a person''s agents until a moment: {sent, sent_cents, sent_by_whatsapp, sent_by_pec, tidied, refused, blocked, unneeded, cashed_cents, rules}.';

COMMENT ON FUNCTION "private"."carry_out_goal_step"(uuid, boolean) IS 'Does what a step says, for its person: a letter into the outbox of its channel, a merge of contacts, or a task; each under the rules of its own function.';

COMMENT ON FUNCTION "private"."is_address_of"(uuid, uuid, text) IS 'Whether an address is one of the contact''s, its PEC included.';

COMMENT ON FUNCTION "private"."lacks_certified_mailbox"(uuid, uuid) IS 'Whether the mail of this key is a reminder by PEC while its person has no certified mailbox: it must not leave as common mail.';

COMMENT ON FUNCTION "private"."queue_goal_whatsapp"(public.goal_steps) IS 'Queues the template of a step under its id; refuses as queue_whatsapp() does.';

COMMENT ON FUNCTION "private"."rehearse_sending"(uuid, timestamp with time zone) IS 'A message of a rehearsal counts as sent at a moment of the past; only in a transaction that is rolled back.';

COMMENT ON FUNCTION "private"."reminder_channel"(uuid, uuid, integer, jsonb) IS 'The channel that a reminder of a level (1 to 4) takes under the mandate in force, its recipient, by WhatsApp its text and template, and why it is not the channel that the mandate asks for.';

COMMENT ON FUNCTION "private"."reminder_template"() IS 'The name of the template of reminders, in Italian; web/src/strings/goals.ts proposes its text to Meta.';

COMMENT ON FUNCTION "private"."whatsapp_reminder"(uuid, uuid, jsonb) IS 'The reminder that a contact would get by WhatsApp, or why none may be sent: no_account, account, no_template, template_pending, template, or a reason of private.whatsapp_letters.';

COMMENT ON FUNCTION "public"."edit_goal_step"(uuid, public.single_line, text) IS 'Writes the message of an open proposal of the caller anew; answers what its approval is bound to from now on. PT404, SG003, SG006.';

COMMENT ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean) IS 'Gives an agent a mandate of the caller, in the place of the one before.';

REVOKE ALL ON FUNCTION "private"."is_address_of"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lacks_certified_mailbox"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_goal_whatsapp"(public.goal_steps) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reminder_channel"(uuid, uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reminder_channel"(uuid, uuid, integer, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."reminder_template"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_reminder"(uuid, uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean) TO "authenticated";

reset check_function_bodies;
