-- Weeks of whole days.
--   CREATE OR REPLACE FUNCTION private.agent_week

set check_function_bodies = off;

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
$function$;

reset check_function_bodies;
