-- Goal plans.
--   DROP FUNCTION public.give_mandate
--   ALTER TABLE public.agent_mandates ADD COLUMN skipped_steps text[] NOT NULL DEFAULT '{}'::text[]
--   CREATE OR REPLACE FUNCTION private.allowed_mail_time
--   CREATE OR REPLACE FUNCTION private.begin_rehearsal
--   CREATE OR REPLACE FUNCTION private.claim_goal
--   CREATE OR REPLACE FUNCTION private.closing_days
--   CREATE OR REPLACE FUNCTION private.mail_hours
--   CREATE OR REPLACE FUNCTION private.month_chores
--   CREATE OR REPLACE FUNCTION private.plan_rules
--   CREATE OR REPLACE FUNCTION private.planning_time
--   CREATE OR REPLACE FUNCTION private.rehearsal_report
--   CREATE OR REPLACE FUNCTION private.reminder_channel
--   CREATE OR REPLACE FUNCTION private.time_to_unmerge
--   CREATE OR REPLACE FUNCTION private.wanted_channel
--   CREATE OR REPLACE FUNCTION public.decide_mail
--   CREATE OR REPLACE FUNCTION public.give_mandate
--   REVOKE ALL ON FUNCTION public.give_mandate
--   CREATE OR REPLACE FUNCTION public.plan_goal
--   REVOKE ALL ON FUNCTION public.plan_goal
--   CREATE OR REPLACE FUNCTION public.queue_mail
--   CREATE OR REPLACE FUNCTION public.start_goal
--   CREATE OR REPLACE FUNCTION public.undo_merge
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT skipped_steps_fit CHECK (((cardinality(skipped_steps) <= 10)…
--   COMMENT ON COLUMN public.agent_mandates.skipped_steps IS 'The steps of the plan that the person left out: lev…
--   COMMENT ON FUNCTION private.closing_days
--   COMMENT ON FUNCTION private.mail_hours
--   COMMENT ON FUNCTION private.plan_rules
--   COMMENT ON FUNCTION private.planning_time
--   COMMENT ON FUNCTION private.time_to_cancel
--   COMMENT ON FUNCTION private.time_to_unmerge
--   COMMENT ON FUNCTION private.wanted_channel
--   COMMENT ON FUNCTION public.give_mandate(text, text, public.goal_autonomy, bigint, integer, integer, text[], b…
--   COMMENT ON FUNCTION public.plan_goal
--   REVOKE ALL ON FUNCTION private.closing_days
--   REVOKE ALL ON FUNCTION private.mail_hours
--   REVOKE ALL ON FUNCTION private.plan_rules
--   GRANT EXECUTE ON FUNCTION private.plan_rules
--   REVOKE ALL ON FUNCTION private.planning_time
--   REVOKE ALL ON FUNCTION private.time_to_unmerge
--   REVOKE ALL ON FUNCTION private.wanted_channel
--   GRANT EXECUTE ON FUNCTION public.give_mandate
--   GRANT EXECUTE ON FUNCTION public.plan_goal

set check_function_bodies = off;

DROP FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean, integer, integer, public.single_line);

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "skipped_steps" text[] NOT NULL DEFAULT '{}'::text[];

CREATE OR REPLACE FUNCTION private.allowed_mail_time (
  _at timestamp with time zone
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when local::time >= hours[1] and local::time < hours[2] and not private.is_holiday(local::date) then _at
    else (
      select (morning at time zone 'Europe/Rome')
      from generate_series(local::date + hours[1], local::date + 7 + hours[1], interval '1 day') as morning
      where morning > local and not private.is_holiday(morning::date)
      order by morning limit 1
    )
  end
  from (select _at at time zone 'Europe/Rome' as local, private.mail_hours() as hours) as clock
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
  -- Its channels and steps are those of the mandate that its person gave.
  _given public.agent_mandates;
begin
  delete from public.goals where user_id = _user_id and agent = _agent;
  select * into _given from public.agent_mandates
  where user_id = _user_id and agent = _agent and revoked_at is null;
  update public.agent_mandates set revoked_at = now() where user_id = _user_id and agent = _agent and revoked_at is null;
  delete from private.autonomy_stops where user_id = _user_id;
  insert into public.mail_accounts (user_id, host, port, security, username, from_address, daily_cap)
  values (_user_id, 'prova.invalid', 465, 'tls', 'prova', 'prova@prova.invalid', 2000)
  on conflict (user_id) do update
    set daily_cap = 2000, is_shared = false, host = excluded.host, port = excluded.port, security = excluded.security,
      username = excluded.username;
  insert into public.agent_mandates (
    user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans, uses_whatsapp, uses_pec,
    skipped_steps
  )
  select _user_id, _agent, action, 'supervisionata', 100000000, 100, 3, coalesce(array_agg(iban) filter (where iban is not null), '{}'),
    coalesce(_given.uses_whatsapp, false), coalesce(_given.uses_pec, false), coalesce(_given.skipped_steps, '{}')
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

CREATE OR REPLACE FUNCTION private.claim_goal (
  _user_id uuid,
  _now     timestamp with time zone
)
  RETURNS SETOF public.goals
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goals set next_run_at = (
    -- The next morning.
    ((_now at time zone 'Europe/Rome')::date + 1 + private.planning_time()) at time zone 'Europe/Rome'
  )
  where id = (
    select id from public.goals
    where user_id = _user_id and state in ('attivo', 'in_attesa') and next_run_at <= _now
      and not private.are_goals_stopped(_user_id)
    order by next_run_at limit 1 for no key update skip locked
  )
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.closing_days()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select 15
$function$;

CREATE OR REPLACE FUNCTION private.mail_hours()
  RETURNS time WITHOUT time zone[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select array['08:00', '21:00']::time[]
$function$;

CREATE OR REPLACE FUNCTION private.month_chores (
  _user_id uuid,
  _day     date
)
  RETURNS TABLE (
    key        text,
    contact_id uuid,
    tool       text,
    args       jsonb,
    title      text,
    body       text
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := private.speak_for(_user_id);
  _month constant date := date_trunc('month', _day) - interval '1 month';
begin
  if extract(day from _day) <= private.closing_days() then
    return query
      select concat(to_char(_month, 'YYYY-MM'), ':', found.kind), null::uuid, 'task', '{}'::jsonb,
        concat(found.title, ' di ', (array[
          'gennaio', 'febbraio', 'marzo', 'aprile', 'maggio', 'giugno', 'luglio', 'agosto', 'settembre', 'ottobre',
          'novembre', 'dicembre'
        ])[extract(month from _month)]), left(found.body, 2000)
      from (
        select findings.kind, findings.title, findings.body from private.month_findings(_month) as findings
        union all
        select 'pacchetto', case when count(*) = 1 then 'Manda al commercialista la fattura'
            else format('Manda al commercialista le %s fatture', count(*)) end,
          private.counted(count(*) filter (where direction = 'attiva'), 'Una emessa', 'emesse') || ', '
          || private.counted(count(*) filter (where direction = 'passiva'), 'una ricevuta', 'ricevute')
          || '. In Documenti → Fatture premi «Per il commercialista» e scarica il pacchetto del mese.'
        from private.month_invoices(_month) where twin is null having count(*) > 0
      ) as found;
  end if;
  perform set_config('request.jwt.claims', _claims, true);
end
$function$;

CREATE OR REPLACE FUNCTION private.plan_rules (
  _uses_whatsapp boolean,
  _uses_pec      boolean
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'channels', (
      select jsonb_object_agg(level, private.wanted_channel(level, _uses_whatsapp, _uses_pec))
      from generate_series(1, 4) as level
    ),
    'mail_undo_s', extract(epoch from private.time_to_cancel(false))::integer,
    'merge_undo_days', extract(day from private.time_to_unmerge())::integer,
    'plans_at', to_char(private.planning_time(), 'FMHH24:MI'),
    'mail_hours', (select jsonb_agg(to_char(hour, 'FMHH24:MI')) from unnest(private.mail_hours()) as hour),
    'closing_days', private.closing_days(),
    'letter_credits', private.quote_of('letter')
  )
$function$;

CREATE OR REPLACE FUNCTION private.planning_time()
  RETURNS time WITHOUT time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Before anybody may be written to.
  select '07:00'::time
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
    'steps', coalesce((
      -- As functions/_shared/goals/plans.py names the steps of a plan.
      select jsonb_object_agg(step, times)
      from (select coalesce(args ->> 'level', tool) as step, count(*) as times from letters group by 1) as counted
    ), '{}'),
    'reasons', coalesce((
      select jsonb_agg(distinct rules -> 0 ->> 'reason') from steps where state = 'bloccato' and rules <> '[]'
    ), '[]')
  )
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
$function$;

CREATE OR REPLACE FUNCTION private.time_to_unmerge()
  RETURNS interval
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select interval '30 days'
$function$;

CREATE OR REPLACE FUNCTION private.wanted_channel (
  _level         integer,
  _uses_whatsapp boolean,
  _uses_pec      boolean
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when _level = 4 and _uses_pec then 'pec' when _level = 3 and _uses_whatsapp then 'whatsapp' else 'email' end
$function$;

CREATE OR REPLACE FUNCTION public.decide_mail (
  _id          uuid,
  _has_arrived boolean
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _mail public.outgoing_mails;
begin
  select * into _mail from public.outgoing_mails where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such mail' using errcode = 'PT404';
  elsif _mail.state <> 'uncertain' and (_has_arrived or _mail.state <> 'failed') then
    raise exception 'nothing is to be decided' using errcode = 'SM008', detail = _mail.state::text;
  end if;
  if _has_arrived then
    update public.outgoing_mails set state = 'sent', sent_at = now(), error = null where id = _id returning * into _mail;
    perform private.record_sent_mail(_mail);
  else
    perform private.require_attachments(_user_id, _mail.invoice_id, _mail.document_ids);
    perform private.require_mail_allowed(
      _user_id, _mail.contact_id, _mail.recipient, _mail.basis, _mail.sale_id
    );
    -- With the same Message-ID: a server that has it already may drop the second.
    update public.outgoing_mails
    set state = 'queued', error = null, reply = null,
      not_before = private.mail_time(now() + private.time_to_cancel(false), is_at_once, basis),
      expires_at = private.mail_time(now(), is_at_once, basis) + interval '1 day'
    where id = _id returning * into _mail;
  end if;
  return _mail;
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
  _uses_pec           boolean              DEFAULT false,
  _letter_credits     integer              DEFAULT NULL::integer,
  _letter_budget      integer              DEFAULT NULL::integer,
  _letter_style       public.single_line   DEFAULT NULL::text,
  _skipped_steps      text[]               DEFAULT '{}'::text[]
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
  if _letter_credits < private.quote_of('letter') then
    raise exception 'letters cost more than was shown'
      using errcode = 'SG007', detail = private.quote_of('letter');
  end if;
  update public.agent_mandates set revoked_at = now()
  where user_id = _user_id and agent = _agent and action = _action and revoked_at is null;
  insert into public.agent_mandates (
    user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans, claims_interest, uses_whatsapp,
    uses_pec, letter_credits, letter_budget, letter_style, skipped_steps
  )
  values (
    _user_id, _agent, _action, _autonomy, _max_cents, _max_recipients_day, _last_tone, _ibans, _claims_interest,
    _uses_whatsapp, _uses_pec, _letter_credits, _letter_budget, _letter_style, _skipped_steps
  )
  returning * into _mandate;
  perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'dato');
  return _mandate;
end
$function$;

REVOKE ALL
  ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean, integer, integer, public.single_line, text[])
  FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.plan_goal (
  _agent text,
  _title text
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
begin
  insert into public.goals (user_id, agent, title) values (_user_id, _agent, _title)
  on conflict (user_id, agent) where state not in ('completato', 'fallito', 'annullato') do nothing
  returning * into _goal;
  if found then
    update public.goals set state = 'pianificato' where id = _goal.id returning * into _goal;
    perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_goal.id), _goal.id, _human_decision => 'pianificato');
  else
    select * into _goal from public.goals
    where user_id = _user_id and agent = _agent and state not in ('completato', 'fallito', 'annullato');
  end if;
  return _goal;
end
$function$;

REVOKE ALL ON FUNCTION "public"."plan_goal"(text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.queue_mail (
  _key              uuid,
  _contact_id       uuid,
  _recipient        text,
  _subject          text,
  _body             text,
  _basis            public.mail_basis        DEFAULT 'contratto'::public.mail_basis,
  _invoice_id       uuid                     DEFAULT NULL::uuid,
  _document_ids     uuid[]                   DEFAULT '{}'::uuid[],
  _not_before       timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _is_at_once       boolean                  DEFAULT false,
  _sale_id          uuid                     DEFAULT NULL::uuid,
  _is_automatic     boolean                  DEFAULT false,
  _attaches_invoice boolean                  DEFAULT true
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts;
  _mail public.outgoing_mails;
  _due timestamptz := private.mail_time(
    greatest(least(coalesce(_not_before, now()), now() + interval '1 year'), now() + private.time_to_cancel(false)),
    _is_at_once, _basis
  );
begin
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  select * into _mail from public.outgoing_mails where user_id = _user_id and key = _key;
  if found then
    return _mail;
  end if;
  if private.has_open_place(_subject || _body) then
    raise exception 'a place of the text was not filled in' using errcode = 'SM006';
  end if;
  perform private.require_attachments(_user_id, _invoice_id, _document_ids);
  _account := private.require_mail_allowed(_user_id, _contact_id, _recipient, _basis, _sale_id);
  if _is_automatic and not private.may_be_automatic(_user_id, _recipient) then
    raise exception 'no automatic mail may go to this address' using errcode = 'SM012';
  end if;
  insert into public.outgoing_mails (
    user_id, contact_id, key, recipient, subject, body, basis, sale_id, invoice_id, document_ids, message_id, is_at_once,
    is_automatic, attaches_invoice, not_before, expires_at
  )
  values (
    _user_id, _contact_id, _key, _recipient, _subject, private.signed_body(_body, _account), _basis,
    case when _basis = 'soft_spam' then _sale_id end, _invoice_id, _document_ids, private.new_message_id(_account),
    _is_at_once, _is_automatic, _attaches_invoice, _due, _due + interval '1 day'
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _mail;
  return _mail;
end
$function$;

CREATE OR REPLACE FUNCTION public.start_goal (
  _agent text,
  _title text
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
begin
  if not exists (
    select from public.agent_mandates where user_id = _user_id and agent = _agent and revoked_at is null
  ) then
    raise exception 'no mandate is in force' using errcode = 'SG004';
  end if;
  select * into _goal from public.goals
  where user_id = _user_id and agent = _agent and state not in ('completato', 'fallito', 'annullato') for update;
  if not found then
    insert into public.goals (user_id, agent, title) values (_user_id, _agent, _title) returning * into _goal;
  end if;
  -- The person has read the plan and the mandate: each move is made, so that each is allowed.
  if _goal.state = 'bozza' then
    update public.goals set state = 'pianificato' where id = _goal.id returning * into _goal;
  end if;
  if _goal.state = 'pianificato' then
    update public.goals set state = 'in_approvazione' where id = _goal.id;
  end if;
  if _goal.state not in ('attivo', 'in_attesa') then
    update public.goals set state = 'attivo' where id = _goal.id;
    perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_goal.id), _goal.id, _human_decision => 'approvato');
  end if;
  -- Planned again under the mandate as it is now, whose credits count from here.
  update public.goals set next_run_at = now(), budget_credits = coalesce(spent_credits + (
    select letter_budget from public.agent_mandates
    where user_id = _user_id and agent = _agent and action = 'mail' and revoked_at is null
  ), budget_credits)
  where id = _goal.id returning * into _goal;
  perform private.wake_for_budget(_goal.id);
  perform private.run_goals(_user_id);
  return _goal;
end
$function$;

CREATE OR REPLACE FUNCTION public.undo_merge (
  _merge_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _merge public.merge_log;
  _snoozes jsonb;
  _change jsonb;
  _refusal record;
begin
  select * into _merge from public.merge_log where user_id = auth.uid() and id = _merge_id for update;
  if not found or _merge.loser_id is null then
    raise exception 'no such merge' using errcode = 'SC021';
  elsif _merge.undone_at is not null or _merge.created_at < now() - private.time_to_unmerge() or exists (
    select from public.contacts where user_id = auth.uid() and id = _merge.winner_id and merged_into is not null
  ) then
    raise exception 'this merge cannot be undone any more' using errcode = 'SC023';
  end if;

  perform from public.contacts where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id) order by id for update;
  select jsonb_object_agg(id, snoozed_until) into _snoozes from public.contacts
  where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _change in select value from jsonb_array_elements(_merge.changes) with ordinality order by ordinality desc loop
    if _change ? 'rows' then
      perform private.move_rows(
        auth.uid(), _change ->> 'table', _change ->> 'column', (_change ->> 'after')::uuid, (_change ->> 'before')::uuid,
        array(select jsonb_array_elements_text(_change -> 'rows')::uuid)
      );
    elsif _change ? 'added' then
      delete from public.contact_distinct
      where user_id = auth.uid() and id in (select jsonb_array_elements_text(_change -> 'added')::uuid);
    else
      perform private.undo_change(_change, _merge.created_at);
    end if;
  end loop;
  -- Interactions that came back are no news: they end no snooze.
  update public.contacts set snoozed_until = (_snoozes ->> id::text)::timestamptz
  where user_id = auth.uid() and id = _merge.loser_id;
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _refusal in
    select distinct on (channel, purpose) * from public.consent_events
    where user_id = auth.uid() and contact_id = _merge.winner_id and created_at > _merge.created_at
    order by channel, purpose, at desc, created_at desc
  loop
    if _refusal.state in ('negato', 'revocato') then
      perform public.record_consent(
        _merge.loser_id, _refusal.channel, _refusal.purpose, _refusal.state, _refusal.legal_basis, _refusal.wording,
        _refusal.source
      );
    end if;
  end loop;
  update public.merge_log set undone_at = now() where id = _merge_id;
end
$function$;

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "skipped_steps_fit"
    CHECK
    (((cardinality(skipped_steps) <= 10) AND (array_position(skipped_steps, NULL::text) IS NULL) AND (array_to_string(skipped_steps, ' '::text) ~
    '^([a-z0-9_]{1,50}( |$))*$'::text)));

COMMENT ON COLUMN "public"."agent_mandates"."skipped_steps" IS 'The steps of the plan that the person left out: levels of letters, or tools (functions/_shared/goals/plans.py).';

COMMENT ON FUNCTION "private"."closing_days"() IS 'In so many days from the first of a month the one before is closed.';

COMMENT ON FUNCTION "private"."mail_hours"() IS 'From when until when recipients may be written to on a working day.';

COMMENT ON FUNCTION "private"."plan_rules"(boolean, boolean) IS 'The rules that steps of agents follow: channels by level, how long what can be undone, hours, and the price of a letter.';

COMMENT ON FUNCTION "private"."planning_time"() IS 'When in the morning the steps of all goals are planned.';

COMMENT ON FUNCTION "private"."time_to_cancel"(boolean) IS 'How long a mail or a campaign waits so that it can be taken back; longer when its number of recipients was typed.';

COMMENT ON FUNCTION "private"."time_to_unmerge"() IS 'How long a merge can be undone.';

COMMENT ON FUNCTION "private"."wanted_channel"(integer, boolean, boolean) IS 'The channel that a mandate asks for a reminder of a level, before it is known which can be used.';

COMMENT ON FUNCTION
  "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean, integer, integer, public.single_line, text[]) IS
  'Gives an agent a mandate of the caller, in the place of the one before; SG007.';

COMMENT ON FUNCTION "public"."plan_goal"(text, text) IS 'Creates the goal of an agent, which does nothing until start_goal(); answers the open one where the agent has one.';

REVOKE ALL ON FUNCTION "private"."closing_days"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_hours"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."plan_rules"(boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_rules"(boolean, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."planning_time"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."time_to_unmerge"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wanted_channel"(integer, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE
  ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean, integer, integer, public.single_line, text[])
  TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."plan_goal"(text, text) TO "authenticated";

reset check_function_bodies;
