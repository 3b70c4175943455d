-- Recupero crediti: what the agent reads of the register. Its letters are in functions/_shared/goals/recovery.py.

create function private.note_payment_moment()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.payment_noted_at := case when new.paid_on is not null then coalesce(new.payment_noted_at, now()) end;
  return new;
end
$$;
comment on function private.note_payment_moment() is 'Notes when a payment became known.';
revoke all on function private.note_payment_moment from public, anon, authenticated, service_role;

create function private.late_interest(_cents bigint, _due_on date, _day date)
  returns bigint
  language sql stable
  set search_path = ''
as $$
  with halves as (
    select first, (first + interval '6 months')::date as after
    from generate_series(
      date_trunc('year', _due_on + 1)::date::timestamp, _day::timestamp, interval '6 months'
    ) as each, lateral (select each::date) as half (first)
  ), parts as (
    select least(after, _day + 1) - greatest(first, _due_on + 1) as days, (
      select value from public.tax_parameters where name = 'tasso_mora' and valid_from = first
    ) as rate
    from halves where after > _due_on + 1
  )
  select case when count(*) = count(rate) then round(coalesce(sum(_cents * days * rate), 0) / 36500)::bigint end from parts
$$;
comment on function private.late_interest(bigint, date, date) is
  'Simple interest on what a company should have paid by a day, from the day after it and a day included (D.Lgs. 231/2002, '
  'art. 4 and 5); null where the rate of one of the half-years is not known: a rate never holds for the next.';
revoke all on function private.late_interest from public, anon, authenticated, service_role;

create function private.recovery_items(_user_id uuid, _day date)
  returns table (
    contact_id uuid, contact_name text, is_company boolean, email text, invoice_id uuid, no integer, cents bigint,
    due_on date, iban text, number text, issued_on date, paid_on date, claims_interest boolean, interest_cents bigint,
    lump_cents bigint
  )
  language sql stable security definer
  set search_path = ''
as $$
  with mandate as materialized (
    select coalesce(bool_or(claims_interest), false) as claims_interest,
      ((private.tax_figures(_day) #>> '{indennizzo_mora,value}')::numeric * 100)::bigint as lump_cents,
      -- An invoice that names no account is paid to the one of the business, once the mandate approves it.
      max(profiles.iban) filter (where profiles.iban = any (ibans)) as iban
    from public.agent_mandates left join public.profiles using (user_id)
    where user_id = _user_id and agent = 'recupero_crediti' and revoked_at is null
  )
  select invoices.contact_id, contacts.name, contacts.type = 'azienda', address.value, part.invoice_id, part.no,
    part.cents, part.due_on, coalesce(nullif(private.bare_iban(part.iban), ''), mandate.iban),
    invoices.number, invoices.issued_on, part.paid_on, claims.is_wanted,
    case when claims.is_wanted and part.cents > 0 and part.due_on < _day
      then private.late_interest(part.cents, part.due_on, _day) end,
    case when claims.is_wanted then mandate.lump_cents end
  from mandate cross join public.invoice_parts as part
  join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
  join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
    and contacts.deleted_at is null
  cross join lateral (
    -- Between companies only (D.Lgs. 231/2002, art. 1).
    select contacts.type = 'azienda' and mandate.claims_interest
  ) as claims (is_wanted)
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as address on true
  where part.user_id = _user_id and part.direction = 'attiva' and part.counts and part.currency = 'EUR'
    and part.due_on is not null and part.issued_on <= _day and invoices.kind <> 'autofattura'
    and case
      when part.paid_on is null then true
      when _day >= private.today() then false
      -- What the register knew on that day, if it had the invoice then; otherwise what was true.
      when invoices.created_at < (_day + 1)::timestamp at time zone 'Europe/Rome'
        then (coalesce(invoices.payment_noted_at, part.paid_on::timestamptz) at time zone 'Europe/Rome')::date > _day
      else part.paid_on > _day
    end
  order by contacts.name, contacts.id, part.due_on, invoices.number, part.no
$$;
comment on function private.recovery_items(uuid, date) is
  'What clients owe a person, part by part, as the register knew it on a day: issued invoices in euros with a due date, '
  'credit notes as negative amounts. The account is the invoice''s, else the one of the business if the mandate has it.';
revoke all on function private.recovery_items from public, anon, authenticated, service_role;
grant execute on function private.recovery_items to service_role;

-- Security definer because only this chapter reads invoices for the mandate page.
create function public.own_ibans()
  returns table (iban text, invoices bigint)
  language sql stable security definer
  set search_path = ''
as $$
  select code, count(distinct invoice_id) from (
    select iban, null::uuid, true from public.profiles where user_id = (select auth.uid()) and iban is not null
    union all
    select private.bare_iban(part.iban), part.invoice_id, false
    from public.invoice_schedules as part
    join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
    where part.user_id = (select auth.uid()) and invoices.direction = 'attiva'
  ) as named (code, invoice_id, is_own)
  where code ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  group by 1 order by bool_or(is_own) desc, 2 desc, 1 limit 10
$$;
comment on function public.own_ibans() is
  'The account of the caller''s business and those named on their issued invoices, for the caller to confirm.';
revoke all on function public.own_ibans from public, anon, authenticated, service_role;
grant execute on function public.own_ibans to authenticated;

create function private.begin_rehearsal(_user_id uuid, _agent text)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.begin_rehearsal(uuid, text) is
  'Sets a person up as if an agent started with a full mandate; only in a transaction that is rolled back.';
revoke all on function private.begin_rehearsal from public, anon, authenticated, service_role;
grant execute on function private.begin_rehearsal to service_role;

create function private.rehearse_sending(_step_id uuid, _at timestamptz)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.outgoing_mails set state = 'sent', sent_at = _at, created_at = _at where key = _step_id;
  update public.whatsapp_messages set state = 'sent', sent_at = _at, created_at = _at where key = _step_id
$$;
comment on function private.rehearse_sending is 'A message of a rehearsal counts as sent at a moment of the past; only in a transaction that is rolled back.';
revoke all on function private.rehearse_sending from public, anon, authenticated, service_role;
grant execute on function private.rehearse_sending to service_role;

create function private.rehearse_approval(_step_id uuid, _at timestamptz)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.goal_steps
  set state = 'approvato', approved_hash = public.hash(goal_steps), approved_at = _at, expires_at = _at + interval '24 hours'
  where id = _step_id
$$;
comment on function private.rehearse_approval is 'A proposal of a rehearsal counts as approved; only in a transaction that is rolled back.';
revoke all on function private.rehearse_approval from public, anon, authenticated, service_role;
grant execute on function private.rehearse_approval to service_role;

create function private.rehearsal_report(_goal_id uuid)
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
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
$$;
comment on function private.rehearsal_report(uuid) is
  'What a rehearsal would have sent: how many letters, to how many clients, how many about what was paid, the latest fifty.';
revoke all on function private.rehearsal_report from public, anon, authenticated, service_role;
grant execute on function private.rehearsal_report to service_role;

create trigger note_payment_moment before insert or update of paid_on on public.invoices
  for each row execute function private.note_payment_moment();
