-- Agents at home.
--   DROP FUNCTION private.queue_goal_mail
--   CREATE OR REPLACE FUNCTION private.agent_week
--   CREATE OR REPLACE FUNCTION private.begin_rehearsal
--   CREATE OR REPLACE FUNCTION private.carry_out_goal_step
--   CREATE OR REPLACE FUNCTION private.contact_chores
--   CREATE OR REPLACE FUNCTION private.contact_line
--   CREATE OR REPLACE FUNCTION private.month_chores
--   CREATE OR REPLACE FUNCTION private.open_goal_step
--   CREATE OR REPLACE FUNCTION private.queue_goal_mail
--   CREATE OR REPLACE FUNCTION private.rehearsal_report
--   CREATE OR REPLACE FUNCTION private.rehearse_approval
--   CREATE OR REPLACE FUNCTION private.speak_for
--   CREATE OR REPLACE FUNCTION private.tell_agent_weeks
--   CREATE OR REPLACE FUNCTION public.decide_goal_steps
--   COMMENT ON FUNCTION private.agent_week
--   COMMENT ON FUNCTION private.carry_out_goal_step
--   COMMENT ON FUNCTION private.contact_chores
--   COMMENT ON FUNCTION private.contact_line
--   COMMENT ON FUNCTION private.month_chores
--   COMMENT ON FUNCTION private.queue_goal_mail
--   COMMENT ON FUNCTION private.rehearse_approval
--   COMMENT ON FUNCTION private.speak_for
--   COMMENT ON FUNCTION public.decide_goal_steps
--   REVOKE ALL ON FUNCTION private.carry_out_goal_step
--   GRANT EXECUTE ON FUNCTION private.carry_out_goal_step
--   REVOKE ALL ON FUNCTION private.contact_chores
--   GRANT EXECUTE ON FUNCTION private.contact_chores
--   REVOKE ALL ON FUNCTION private.contact_line
--   REVOKE ALL ON FUNCTION private.month_chores
--   GRANT EXECUTE ON FUNCTION private.month_chores
--   REVOKE ALL ON FUNCTION private.queue_goal_mail
--   REVOKE ALL ON FUNCTION private.rehearse_approval
--   GRANT EXECUTE ON FUNCTION private.rehearse_approval
--   REVOKE ALL ON FUNCTION private.speak_for

set check_function_bodies = off;

DROP FUNCTION "private"."queue_goal_mail"(uuid, boolean);

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
begin
  delete from public.goals where user_id = _user_id and agent = _agent;
  update public.agent_mandates set revoked_at = now() where user_id = _user_id and agent = _agent and revoked_at is null;
  delete from private.autonomy_stops where user_id = _user_id;
  insert into public.mail_accounts (user_id, host, port, security, username, from_address, daily_cap)
  values (_user_id, 'prova.invalid', 465, 'tls', 'prova', 'prova@prova.invalid', 2000)
  on conflict (user_id) do update set daily_cap = 2000;
  insert into public.agent_mandates (user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans)
  select _user_id, _agent, action, 'supervisionata', 100000000, 100, 3, coalesce(array_agg(iban) filter (where iban is not null), '{}')
  from unnest(array['mail', 'archivio']) as action
  left join (
    select upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')) as iban
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
      perform private.queue_goal_mail(_step, _is_automatic);
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

CREATE OR REPLACE FUNCTION private.contact_chores (
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
begin
  return query
    select concat_ws(':', 'unisci', older.id, newer.id), older.id, 'merge',
      jsonb_build_object('winner_id', older.id, 'loser_id', newer.id), format('Unisci «%s» e «%s»', older.name, newer.name),
      concat_ws(E'\n', 'Resta ' || private.contact_line(older) || '.', 'Si unisce ' || private.contact_line(newer) || '.',
        'Perché: ' || (
          select string_agg(coalesce('{
            "codice_fiscale": "stesso codice fiscale", "partita_iva": "stessa partita IVA", "pec": "stessa PEC",
            "email": "stessa e-mail", "telefono": "stesso telefono", "nome": "stesso nome", "nome_simile": "nome simile",
            "azienda": "stessa azienda", "dominio": "e-mail dello stesso dominio"
          }'::jsonb ->> reason, reason), ', ') from unnest(twins.reasons) as reason
        ) || '.')
    from public.find_duplicates(200) as twins
    -- The older stays, as on the page of duplicates.
    join public.contacts as older on older.user_id = _user_id and older.id in (a_id, b_id)
    join public.contacts as newer on newer.user_id = _user_id and newer.id in (a_id, b_id)
      and (newer.created_at, newer.id) > (older.created_at, older.id)
    where twins.score >= 0.8 and older.type = newer.type
      -- Two numbers are two people, however alike the rest is.
      and (older.vat_number = newer.vat_number) is not false and (older.tax_code = newer.tax_code) is not false
    order by twins.score desc, older.id, newer.id;
  return query
    select 'completa:' || contacts.id, contacts.id, 'task', '{}'::jsonb, left('Completa i dati di ' || contacts.name, 200),
      'Manca ' || array_to_string(missing, ', ') || '.'
    from public.contacts
    cross join lateral (
      select exists (
        select from public.invoices
        where user_id = _user_id and invoices.contact_id = contacts.id and direction = 'attiva'
      ) as is_invoiced, exists (
        select from public.deals
        where user_id = _user_id and deals.contact_id = contacts.id and deleted_at is null and won_at is null and lost_at is null
      ) as has_deal, exists (
        select from public.contact_emails where user_id = _user_id and contact_emails.contact_id = contacts.id
      ) as has_email
    ) as known
    cross join lateral (
      select array_remove(array[
        case when (is_invoiced or has_deal) and not has_email then 'l’e-mail' end,
        case when is_invoiced and num_nonnulls(vat_number, tax_code) = 0 then 'la partita IVA o il codice fiscale' end,
        case when is_invoiced and type = 'azienda' and num_nonnulls(sdi_code, pec) = 0 then 'il codice destinatario o la PEC' end
      ], null) as missing
    ) as gaps
    where contacts.user_id = _user_id and contacts.merged_into is null and contacts.deleted_at is null and missing <> '{}'
    order by is_invoiced desc, contacts.name, contacts.id limit 100;
  perform set_config('request.jwt.claims', _claims, true);
end
$function$;

CREATE OR REPLACE FUNCTION private.contact_line (
  _contact public.contacts
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select concat_ws(', ', (_contact).name, 'partita IVA ' || (_contact).vat_number, 'codice fiscale ' || (_contact).tax_code, (
    select string_agg(value, ', ' order by is_primary desc, created_at, id) from public.contact_emails
    where user_id = (_contact).user_id and contact_id = (_contact).id
  ), 'nella rubrica dal ' || to_char((_contact).created_at at time zone 'Europe/Rome', 'DD/MM/YYYY'))
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
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with closing as (
    select (date_trunc('month', _day) - interval '1 month')::date as first_on, date_trunc('month', _day)::date as ends_on,
      (array[
        'gennaio', 'febbraio', 'marzo', 'aprile', 'maggio', 'giugno', 'luglio', 'agosto', 'settembre', 'ottobre',
        'novembre', 'dicembre'
      ])[extract(month from _day - interval '1 month')] as name
    -- In the first half of a month the one before is closed.
    where extract(day from _day) <= 15
  ), papers as (
    select invoices.*, documents.state
    from public.invoices
    join public.documents on documents.user_id = _user_id and documents.id = document_id and documents.deleted_at is null
    join closing on invoices.issued_on >= first_on and invoices.issued_on < ends_on
    where invoices.user_id = _user_id
  ), numbers as (
    select regexp_replace(number, '\D.*', '')::integer as no from papers
    where direction = 'attiva' and kind = 'fattura' and number ~ '^\d{1,6}(\D|$)'
  ), gaps as (
    select no from (select min(no) as low, max(no) as high from numbers) as ends, generate_series(low, least(high, low + 500)) as no
    where no not in (select numbers.no from numbers)
  ), found (kind, times, one, many, body) as (
    select 'controlla', count(*), 'Controlla una fattura', 'Controlla %s fatture',
      'Da verificare: ' || string_agg(number, ', ' order by issued_on, number) || '. Finché non le confermi non sono in nessuna somma.'
    from papers where state = 'da_verificare'
    union all
    select 'collega', count(*), 'Collega una fattura', 'Collega %s fatture',
      'Senza un contatto: ' || string_agg(concat(number, ' (' || counterparty_name || ')'), ', ' order by issued_on, number) || '.'
    from papers where contact_id is null and state = 'pronto'
    union all
    select 'mancanti', count(*), 'Cerca una fattura che manca', 'Cerca %s fatture che mancano',
      'Nella numerazione non trovo: ' || string_agg(no::text, ', ' order by no) || '.'
    from gaps
    union all
    select 'pacchetto', count(*), 'Manda al commercialista la fattura', 'Manda al commercialista le %s fatture',
      private.counted(count(*) filter (where direction = 'attiva'), 'Una emessa', 'emesse') || ', '
      || private.counted(count(*) filter (where direction = 'passiva'), 'una ricevuta', 'ricevute')
      || '. In Documenti → Fatture premi «Esporta» e poi manda il file.'
    from papers
  )
  select concat(to_char(first_on, 'YYYY-MM'), ':', kind), null::uuid, 'task', '{}'::jsonb,
    concat(case when times = 1 then one else format(many, times) end, ' di ', name), left(body, 2000)
  from found cross join closing where times > 0
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
      (
        select count(*)::integer from unnest(_step.recipients) as address
        where private.mail_refusal(_step.user_id, _step.contact_id, address, 'contratto', null) is null and exists (
          select from public.contact_emails
          where user_id = _step.user_id and contact_id = _step.contact_id and norm = lower(address)
        )
      ),
      (
        select count(*)::integer from public.outgoing_mails
        where user_id = _step.user_id and contact_id = _step.contact_id and state not in ('cancelled', 'failed')
          and created_at > _now - interval '7 days' and created_at <= _now
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
        'day', day, 'client', name, 'title', preview ->> 'title', 'cents', (preview ->> 'cents')::bigint, 'tone', (preview ->> 'tone')::integer,
        'subject', preview ->> 'subject', 'was_paid', was_paid
      ) order by day desc, name)
      from (select * from letters order by day desc, name limit 50) as latest
    ), '[]'),
    'reasons', coalesce((
      select jsonb_agg(distinct rules -> 0 ->> 'reason') from steps where state = 'bloccato' and rules <> '[]'
    ), '[]')
  )
$function$;

CREATE OR REPLACE FUNCTION private.rehearse_approval (
  _step_id uuid,
  _at      timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goal_steps
  set state = 'approvato', approved_hash = public.hash(goal_steps), approved_at = _at, expires_at = _at + interval '24 hours'
  where id = _step_id
$function$;

CREATE OR REPLACE FUNCTION private.speak_for (
  _user_id uuid
)
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _before constant text := coalesce(current_setting('request.jwt.claims', true), '');
begin
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _user_id, 'role', 'authenticated')::text, true);
  return _before;
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
        private.counted((week ->> 'sent')::bigint, 'Un messaggio inviato.', 'messaggi inviati.'),
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

CREATE OR REPLACE FUNCTION public.decide_goal_steps (
  _ids         uuid[],
  _hashes      text[],
  _is_approved boolean
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _decided record;
  _step public.goal_steps;
begin
  for _decided in select * from unnest(_ids, _hashes) as pairs (id, hash) order by id
  loop
    select * into _step from public.goal_steps where user_id = _user_id and id = _decided.id for update;
    if not found then
      raise exception 'no such step' using errcode = 'PT404';
    elsif _step.state <> 'in_approvazione' or _step.expires_at <= now() then
      raise exception 'the proposal is not open' using errcode = 'SG003', detail = _step.state::text;
    elsif _is_approved and _step.tool = 'merge' and cardinality(_ids) > 1 then
      raise exception 'a merge is approved alone' using errcode = 'SG005';
    elsif public.hash(_step) is distinct from _decided.hash then
      raise exception 'it is not what was shown' using errcode = 'SG002';
    end if;
    update public.goal_steps
    set state = case when _is_approved then 'approvato' else 'rifiutato' end::public.goal_step_state,
      approved_hash = case when _is_approved then _decided.hash end, approved_at = case when _is_approved then now() end,
      expires_at = now() + interval '24 hours', not_before = now()
    where id = _step.id;
    perform private.log_ethics(
      _user_id, 'decisione', private.goal_step_bytes(_step), _step.goal_id, _step.id,
      _human_decision => case when _is_approved then 'approvato' else 'rifiutato' end
    );
  end loop;
  return cardinality(_ids);
end
$function$;

COMMENT ON FUNCTION "private"."agent_week"(uuid, timestamp with time zone) IS 'The seven days of a person''s agents until a moment: {sent, sent_cents, tidied, refused, blocked, unneeded, cashed_cents, rules}.';

COMMENT ON FUNCTION "private"."carry_out_goal_step"(uuid, boolean) IS 'Does what a step says, for its person: a mail into the outbox, a merge of contacts, or a task; each under the rules of its own function.';

COMMENT ON FUNCTION "private"."contact_chores"(uuid, date) IS 'Contacts of a person that are surely one, to merge, and contacts with work but without what writing or invoicing needs.';

COMMENT ON FUNCTION "private"."contact_line"(public.contacts) IS 'A contact in one line, to tell it from another.';

COMMENT ON FUNCTION "private"."month_chores"(uuid, date) IS 'What the month before still needs, in the first half of a month: invoices to check, to link, missing in the numbering, and what to send to the accountant.';

COMMENT ON FUNCTION "private"."queue_goal_mail"(public.goal_steps, boolean) IS 'Queues the mail of a step under its id, with all its invoices and documents; refuses as queue_mail() does.';

COMMENT ON FUNCTION "private"."rehearse_approval"(uuid, timestamp with time zone) IS 'A proposal of a rehearsal counts as approved; only in a transaction that is rolled back.';

COMMENT ON FUNCTION "private"."speak_for"(uuid) IS 'What functions of the API do from here on, they do for this person; answers the claims before, to put back.';

COMMENT ON FUNCTION "public"."decide_goal_steps"(uuid[], text[], boolean) IS 'Approves or refuses proposals of the caller, each as it was shown (its hash), all or none; answers how many. PT404, SG002, SG003, SG005.';

REVOKE ALL ON FUNCTION "private"."carry_out_goal_step"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."carry_out_goal_step"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."contact_chores"(uuid, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."contact_chores"(uuid, date) TO "service_role";

REVOKE ALL ON FUNCTION "private"."contact_line"(public.contacts) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."month_chores"(uuid, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."month_chores"(uuid, date) TO "service_role";

REVOKE ALL ON FUNCTION "private"."queue_goal_mail"(public.goal_steps, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rehearse_approval"(uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rehearse_approval"(uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."speak_for"(uuid) FROM PUBLIC;

reset check_function_bodies;
