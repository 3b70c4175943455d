-- Revenue of old browsers.
--   CREATE OR REPLACE FUNCTION private.measure_devices
--   CREATE OR REPLACE FUNCTION private.measure_payments
--   CREATE OR REPLACE FUNCTION private.revenue_cents
--   COMMENT ON FUNCTION private.revenue_cents
--   REVOKE ALL ON FUNCTION private.revenue_cents

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.measure_devices()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with views as materialized (
    select session_id, user_agent, properties ->> 'viewport' as viewport, properties -> 'push' as push,
      properties -> 'speech' as speech, properties -> 'opfs' as opfs, private.vital(properties, 'lcp', 600000) as lcp,
      private.vital(properties, 'inp', 600000) as inp, private.vital(properties, 'cls', 100) as cls
    from public.analytics_events where event_name = 'web_vitals' and created_at > now() - interval '30 days'
  ), failed as (
    select distinct session_id from public.error_logs where created_at > now() - interval '30 days'
  ), visits as materialized (
    select session_id, private.browser_of(max(user_agent)) as browser,
      private.browser_version_of(max(user_agent)) as version, private.system_of(max(user_agent)) as system,
      coalesce(max(viewport) filter (where viewport in ('compact', 'medium', 'large')), 'unknown') as viewport,
      bool_or(push = 'true') filter (where jsonb_typeof(push) = 'boolean') as push,
      bool_or(speech = 'true') filter (where jsonb_typeof(speech) = 'boolean') as speech,
      bool_or(opfs = 'true') filter (where jsonb_typeof(opfs) = 'boolean') as opfs,
      max(lcp) as lcp, max(inp) as inp, max(cls) as cls, failed.session_id is not null as has_failed
    from views left join failed using (session_id) group by session_id, failed.session_id
  ), whole as (
    select count(*) as visits from visits having count(*) >= 5
  ), devices as (
    select viewport, system, count(*) as visits, round(100.0 * count(*) / max(whole.visits), 1) as visit_share,
      round(100.0 * count(*) filter (where has_failed) / count(*), 1) as error_rate,
      round(percentile_cont(0.75) within group (order by lcp)::numeric) as lcp,
      round(percentile_cont(0.75) within group (order by inp)::numeric) as inp,
      round(percentile_cont(0.75) within group (order by cls)::numeric, 3) as cls
    from visits cross join whole group by viewport, system having count(*) >= 5
    order by count(*) desc, 1, 2 limit 40
  ), browsers as (
    select browser, version::text as browser_version, count(*) as visits,
      round(100.0 * count(*) / max(whole.visits), 1) as visit_share,
      round(100.0 * count(*) filter (where has_failed) / count(*), 1) as error_rate,
      round(100.0 * count(*) filter (where push) / nullif(count(push), 0)) as push,
      round(100.0 * count(*) filter (where speech) / nullif(count(speech), 0)) as speech,
      round(100.0 * count(*) filter (where opfs) / nullif(count(opfs), 0)) as opfs,
      private.is_supported_browser(browser, version) as is_supported
    from visits cross join whole group by browser, version having count(*) >= 5
    order by count(*) desc, 1, 2 limit 40
  ), agents as (
    select distinct user_id, user_agent from public.analytics_events
    where user_id is not null and created_at > now() - interval '30 days'
  ), accounts as (
    select people, cardinality(old) as unsupported, old
    from (
      select count(distinct user_id) as people, coalesce(array_agg(distinct user_id) filter (
        where not private.is_supported_browser(private.browser_of(user_agent), private.browser_version_of(user_agent))
      ), '{}') as old
      from agents
    ) as found
  )
  select jsonb_build_object(
    'figures', jsonb_strip_nulls(jsonb_build_object(
      'device_visits', (select visits from whole),
      'compact_share', (
        select private.share_of_group(count(*) filter (where viewport = 'compact'), nullif(count(*), 0)) from visits
      ),
      'visit_error_rate', (
        select round(100.0 * count(*) filter (where has_failed) / max(whole.visits), 1) from visits cross join whole
      ),
      'unsupported_share', (
        select private.share_of_group(
          count(*) filter (where not private.is_supported_browser(browser, version)), nullif(count(*), 0)
        ) from visits
      ),
      'unsupported_people', (select unsupported from accounts where unsupported >= 5),
      'unsupported_people_share', (select private.share_of_group(unsupported, nullif(people, 0)) from accounts),
      'unsupported_revenue_cents', (select private.revenue_cents(old) from accounts where unsupported >= 5)
    )),
    'tables', jsonb_build_object(
      'devices', (select coalesce(jsonb_agg(to_jsonb(devices) order by visits desc), '[]') from devices),
      'browsers', (select coalesce(jsonb_agg(to_jsonb(browsers) order by visits desc), '[]') from browsers)
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.measure_payments()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'events', (select count(*) from public.payment_events where received_at > now() - interval '1 day'),
      'waiting', (
        select count(*) from public.payment_events
        where handled_at is null and given_up_at is null and outcome is distinct from 'failed'
      ),
      'failed', (select count(*) from public.payment_events where handled_at is null and outcome = 'failed'),
      'oldest_waiting_s', coalesce((
        select extract(epoch from now() - min(received_at))::integer from public.payment_events
        where handled_at is null and given_up_at is null
      ), 0),
      'open_alerts', (select count(*) from public.payment_alerts where resolved_at is null),
      'revenue_cents', private.revenue_cents(),
      'orders', (select count(*) from public.credit_orders where paid_at > now() - interval '30 days')
    ),
    'tables', jsonb_build_object(
      'types', (
        select coalesce(jsonb_agg(to_jsonb(types) order by count desc), '[]')
        from (
          select type as name, coalesce(outcome, 'da gestire') as outcome, count(*) as count
          from public.payment_events where received_at > now() - interval '30 days' group by 1, 2
        ) as types
      )
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.revenue_cents (
  _people uuid[] DEFAULT NULL::uuid[]
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(sum(amount_cents - refunded_cents), 0)::bigint from public.credit_orders
  where paid_at > now() - interval '30 days' and (_people is null or user_id = any(_people))
$function$;

COMMENT ON FUNCTION "private"."revenue_cents"(uuid[]) IS 'What the orders of 30 days brought, less what was refunded of them; with _people those of these people only.';

REVOKE ALL ON FUNCTION "private"."revenue_cents"(uuid[]) FROM PUBLIC;

reset check_function_bodies;
