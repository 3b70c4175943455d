-- Performance report.
--   CREATE OR REPLACE FUNCTION private.light
--   CREATE OR REPLACE FUNCTION private.measure_performance
--   CREATE OR REPLACE FUNCTION private.slow_statements
--   CREATE OR REPLACE FUNCTION private.take_snapshot
--   CREATE OR REPLACE FUNCTION private.vital
--   CREATE OR REPLACE FUNCTION private.without_values
--   CREATE INDEX analytics_events_vitals ON public.analytics_events USING btree (created_at) WHERE (event_name = …
--   COMMENT ON FUNCTION private.measure_performance
--   COMMENT ON FUNCTION private.slow_statements
--   COMMENT ON FUNCTION private.vital
--   COMMENT ON FUNCTION private.without_values
--   REVOKE ALL ON FUNCTION private.measure_performance
--   REVOKE ALL ON FUNCTION private.slow_statements
--   REVOKE ALL ON FUNCTION private.vital
--   REVOKE ALL ON FUNCTION private.without_values

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.light (
  _snapshot private.admin_snapshots
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when _snapshot.taken_at < now() - 3 * _snapshot.every then 'old'
    when case _snapshot.name
      when 'database' then figures.connections > 0.9 * figures.max_connections or figures.xid_age > 1500000000
      when 'queue' then figures.longest_wait_s > 300 or figures.periodic_late_s > 300
      when 'payments' then figures.failed > 0
      when 'credits' then figures.drifted > 0
      when 'errors' then figures.last_day > 500
      when 'security' then figures.lints > 0
      when 'performance' then figures.lcp_168 > 4000 or figures.inp_168 > 500 or figures.cls_168 > 0.25
    end then 'error'
    when case _snapshot.name
      when 'database' then figures.cache_hit < 95 or figures.longest_transaction_s > 300 or figures.blocked > 0
        or figures.xid_age > 500000000 or figures.slot_lag_bytes > 1073741824
      when 'queue' then figures.dead_letters > 0 or figures.mails_failed_today > 0
      when 'payments' then figures.open_alerts > 0 or figures.oldest_waiting_s > 3600
      when 'credits' then figures.old_holds > 0
      when 'errors' then figures.regressions > 0 or figures.last_day > 20 and figures.last_day > 2 * figures.day_before
      when 'security' then figures.admins_without_factor > 0
      when 'performance' then figures.lcp_168 > 2500 or figures.inp_168 > 200 or figures.cls_168 > 0.1
    end then 'warning'
    else 'ok'
  end
  from jsonb_to_record(_snapshot.content -> 'figures') as figures (
    connections numeric, max_connections numeric, xid_age numeric, cache_hit numeric, longest_transaction_s numeric,
    blocked numeric, slot_lag_bytes numeric, longest_wait_s numeric, periodic_late_s numeric, dead_letters numeric,
    mails_failed_today numeric, failed numeric, open_alerts numeric, oldest_waiting_s numeric, drifted numeric,
    old_holds numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric, lcp_168 numeric, inp_168 numeric, cls_168 numeric
  )
$function$;

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
      'statements', private.slow_statements()
    ))
  )
$function$;

CREATE OR REPLACE FUNCTION private.slow_statements()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  _view constant text := (
    select format('%I.pg_stat_statements', nspname) from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_stat_statements'
  );
  _slowest jsonb;
begin
  if _view is null or not pg_has_role('pg_read_all_stats', 'usage') then
    return null;
  end if;
  -- Other statements may hold a password.
  execute format($query$
    select coalesce(jsonb_agg(to_jsonb(slowest) order by total_ms desc), '[]')
    from (
      select private.without_values(query) as statement, calls, round(total_exec_time::numeric) as total_ms,
        round(mean_exec_time::numeric, 1) as mean_ms
      from %s
      where dbid = (select oid from pg_database where datname = current_database())
        and query ~* '^\s*(select|insert|update|delete|merge|with|values)\M'
      order by total_exec_time desc limit 10
    ) as slowest
  $query$, _view) into _slowest;
  return _slowest;
exception
  -- The extension is there and its library was not loaded.
  when object_not_in_prerequisite_state then
    return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  _name  text,
  _every interval
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Before measuring: a second run in the same interval costs nothing.
  if exists (
    select from private.admin_snapshots
    where name = _name and slot = date_bin(_every, now(), 'epoch'::timestamptz)
  ) then
    return;
  end if;
  perform private.keep_snapshot(_name, _every, case _name
    when 'database' then private.measure_database()
    when 'credits' then private.measure_credits()
    when 'payments' then private.measure_payments()
    when 'errors' then private.measure_errors()
    when 'people' then private.measure_people()
    when 'analytics' then private.measure_analytics()
    when 'security' then private.measure_security()
    when 'performance' then private.measure_performance()
  end);
end
$function$;

CREATE OR REPLACE FUNCTION private.vital (
  _properties jsonb,
  _name       text,
  _most       integer
)
  RETURNS double precision
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when jsonb_typeof(_properties -> _name) = 'number' and (_properties ->> _name)::numeric between 0 and _most
    then (_properties ->> _name)::double precision
  end
$function$;

CREATE OR REPLACE FUNCTION private.without_values (
  _statement text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when bare ~ '''|\$[A-Za-z_]*\$' then '?' else left(btrim(regexp_replace(bare, '\s+', ' ', 'g')), 400) end
  from (
    select regexp_replace(
      regexp_replace(
        _statement,
        -- In this order: E'' with its backslashes, quoted texts, dollar quotes, comments.
        '\m[eE]''(?:[^''\\]|\\.|'''')*''|''(?:[^'']|'''')*''|\$[A-Za-z_]*\$[^$]*\$[A-Za-z_]*\$|--[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/',
        '?', 'g'
      ),
      '(?<![$\w])\d+(?:\.\d+)?', '?', 'g'
    ) as bare
  )
$function$;

CREATE INDEX analytics_events_vitals ON public.analytics_events USING btree (created_at)
  WHERE (event_name = 'web_vitals'::text);

COMMENT ON FUNCTION "private"."measure_performance"() IS 'Measure pages as visitors who agreed see them (the 75th percentile), and the statements that take the most time.';

COMMENT ON FUNCTION "private"."slow_statements"() IS 'The ten statements with the most time in all, without their values; null: pg_stat_statements cannot be read.';

COMMENT ON FUNCTION "private"."vital"(jsonb, text, integer) IS 'Read a measure that a browser sent; null: none, or none that can be.';

COMMENT ON FUNCTION "private"."without_values"(text) IS 'Replace texts, numbers and comments of a statement by question marks.';

REVOKE ALL ON FUNCTION "private"."measure_performance"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."slow_statements"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."vital"(jsonb, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."without_values"(text) FROM PUBLIC;

reset check_function_bodies;
