-- The week of the agents: what they did for a person, what came of it, what was refused, and which rules spoke.
--
-- A notice on Monday morning (functions/jobs/agent_weeks.py) says it once; the screen of the goals shows the last seven days.

create function private.agent_week(_user_id uuid, _until timestamptz)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
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
    'letters', (select count(*) from steps where letter = 'scritta'),
    'credits', (
      select coalesce(sum(credits), 0) from public.ai_usage
      where user_id = _user_id and work = 'letter' and created_at > _until - interval '7 days' and created_at <= _until
    ),
    'refused', (select count(*) from steps where state = 'rifiutato'),
    'blocked', (select count(*) from steps where state = 'bloccato'),
    'unneeded', (select count(*) from steps where state in ('saltato', 'annullato')),
    'cashed_cents', (
      select coalesce(sum(part.cents), 0) from asked
      join public.invoice_parts as part on part.user_id = _user_id and part.invoice_id = asked.invoice_id
        and part.no = asked.no and part.counts
      -- The days that began in these seven: of a week from Monday to Monday the first one, and not the last.
      where part.paid_on >= asked_on and part.paid_on >= (_until at time zone 'Europe/Rome') - interval '7 days'
        and part.paid_on < _until at time zone 'Europe/Rome'
    ),
    'rules', (
      select coalesce(jsonb_agg(jsonb_build_object('id', rule, 'times', times) order by times desc, rule), '[]')
      from (select unnest(rules) as rule, count(*) as times from logged where action = 'giudizio' group by 1) as spoke
    )
  )
$$;
comment on function private.agent_week(uuid, timestamptz) is
  'The seven days of a person''s agents until a moment: {sent, sent_cents, sent_by_whatsapp, sent_by_pec, tidied, letters, credits, refused, blocked, unneeded, cashed_cents, rules}.';
revoke all on function private.agent_week from public, anon, authenticated, service_role;

-- Security definer because the week is computed by a private function.
create function public.agent_week()
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select private.agent_week((select auth.uid()), now())
$$;
comment on function public.agent_week() is 'The last seven days of the caller''s agents.';
revoke all on function public.agent_week from public, anon, authenticated, service_role;
grant execute on function public.agent_week to authenticated;

create function private.tell_agent_weeks(_now timestamptz, _limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
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
        case when (week ->> 'credits')::bigint > 0
          then 'Crediti per i testi dell’assistente: ' || (week ->> 'credits') || '.' end,
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
$$;
comment on function private.tell_agent_weeks(timestamptz, integer) is
  'From Monday at eight tells people whose agents worked what they did in the week before, once; answers how many were told.';
revoke all on function private.tell_agent_weeks from public, anon, authenticated, service_role;
grant execute on function private.tell_agent_weeks to service_role;
