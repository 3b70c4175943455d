-- Slow endpoints.
--   CREATE OR REPLACE FUNCTION private.measure_performance
--   CREATE OR REPLACE FUNCTION private.slow_endpoints
--   COMMENT ON FUNCTION private.measure_performance
--   COMMENT ON FUNCTION private.slow_endpoints
--   REVOKE ALL ON FUNCTION private.slow_endpoints

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.measure_performance()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with views as materialized (
    select created_at, session_id, properties ->> 'page' as page, properties ->> 'device' as device,
      private.vital(properties, 'lcp', 600000) as lcp, private.vital(properties, 'inp', 600000) as inp,
      private.vital(properties, 'cls', 100) as cls, private.vital(properties, 'ttfb', 600000) as ttfb
    from public.analytics_events
    where event_name = 'web_vitals' and created_at > now() - interval '90 days'
      and properties ->> 'page' ~ '^(\*|/[A-Za-z0-9/:?_-]{0,100})$' and properties ->> 'device' in ('phone', 'computer')
  ), measures as (
    select hours, page, device, session_id, name, good, value
    from views join (values (24), (168), (720), (2160)) as periods (hours) on created_at > now() - make_interval(hours => hours)
    cross join lateral (
      values ('lcp', 2500, lcp), ('inp', 200, inp), ('cls', 0.1, cls), ('ttfb', 800, ttfb)
    ) as measured (name, good, value)
    where value is not null
  ), groups as (
    select hours, page, device, name, count(*) as count,
      round(
        percentile_cont(0.75) within group (order by value)::numeric, case name when 'cls' then 3 else 0 end
      ) as p75,
      round(100.0 * count(*) filter (where value <= good) / count(*), 1) as good
    from measures group by grouping sets ((hours, name), (hours, page, device, name))
    having count(distinct session_id) >= 5
  ), routes as (
    select hours, page, device, max(count) as count, max(p75) filter (where name = 'lcp') as lcp,
      max(p75) filter (where name = 'inp') as inp, max(p75) filter (where name = 'cls') as cls,
      max(p75) filter (where name = 'ttfb') as ttfb
    from groups where page is not null
    group by hours, page, device
  ), most_visited as (
    select * from (select *, row_number() over (partition by hours order by count desc, page, device) as place from routes)
    where place <= 60
  )
  select jsonb_build_object(
    'figures', coalesce((
      select jsonb_object_agg(concat_ws('_', name, suffix, hours), value)
      from groups cross join lateral (values (null, p75), ('good', good)) as figures (suffix, value)
      where page is null
    ), '{}'),
    'tables', jsonb_strip_nulls(jsonb_build_object(
      'routes', (
        select coalesce(jsonb_agg(to_jsonb(most_visited) - 'place' order by hours, place), '[]') from most_visited
      ),
      'endpoints', private.slow_endpoints(),
      'statements', private.slow_statements()
    ))
  )
$function$;

CREATE OR REPLACE FUNCTION private.slow_endpoints()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with answers as (
    select hours, endpoint, bucket, sum(answers) as answers
    from (values (24), (168), (720), (2160)) as periods (hours)
    join platform.request_times on hour > now() - make_interval(hours => hours)
    cross join unnest(buckets) with ordinality as counted (answers, bucket)
    group by hours, endpoint, bucket
  ), ranked as (
    select *, sum(answers) over (partition by hours, endpoint order by bucket) as upto,
      0.95 * sum(answers) over (partition by hours, endpoint) as wanted
    from answers
  ), percentiles as (
    select distinct on (hours, endpoint) hours, endpoint, case
      when upper_ms is null then lower_ms
      else lower_ms + (upper_ms - lower_ms) * (wanted - (upto - answers)) / answers
    end as p95_ms
    from ranked
    join (
      values (1, 0, 5), (2, 5, 10), (3, 10, 25), (4, 25, 50), (5, 50, 100), (6, 100, 250), (7, 250, 500), (8, 500, 1000),
        (9, 1000, 2500), (10, 2500, 5000), (11, 5000, 10000), (12, 10000, null)
    ) as bounds (bucket, lower_ms, upper_ms) using (bucket)
    where upto >= wanted and answers > 0
    order by hours, endpoint, bucket
  ), totals as (
    select hours, endpoint, sum(requests) as requests, round((1000 * sum(seconds) / sum(requests))::numeric, 1) as mean_ms,
      round(100.0 * sum(failures) / sum(requests), 2) as failed_percent
    from (values (24), (168), (720), (2160)) as periods (hours)
    join platform.request_times on hour > now() - make_interval(hours => hours)
    group by hours, endpoint
    -- A percentile of fewer says nothing.
    having sum(requests) >= 20
  ), slowest as (
    select hours, endpoint, requests, mean_ms, round(p95_ms) as p95_ms, failed_percent,
      row_number() over (partition by hours order by p95_ms desc, endpoint) as place
    from totals join percentiles using (hours, endpoint)
  )
  select coalesce(jsonb_agg(to_jsonb(slowest) - 'place' order by hours, place), '[]') from slowest where place <= 20
$function$;

COMMENT ON FUNCTION "private"."measure_performance"() IS 'Measure pages as visitors who agreed see them (the 75th percentile), the slowest endpoints and statements.';

COMMENT ON FUNCTION "private"."slow_endpoints"() IS 'The twenty endpoints with the highest 95th percentile from request to first byte, of at least twenty answers, by period.';

REVOKE ALL ON FUNCTION "private"."slow_endpoints"() FROM PUBLIC;

reset check_function_bodies;
