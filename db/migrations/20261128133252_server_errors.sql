-- Server errors.
--   DROP FUNCTION public.admin_error_groups
--   ALTER TABLE private.error_groups ADD COLUMN source text NOT NULL DEFAULT 'browser'::text
--   ALTER TABLE private.error_groups ADD COLUMN last_request_id text
--   ALTER TABLE public.error_logs ADD COLUMN source text NOT NULL DEFAULT 'browser'::text
--   CREATE OR REPLACE FUNCTION private.group_errors
--   CREATE OR REPLACE FUNCTION private.measure_errors
--   CREATE OR REPLACE FUNCTION public.admin_error_groups
--   REVOKE ALL ON FUNCTION public.admin_error_groups
--   ALTER TABLE public.error_logs ADD CONSTRAINT source_is_known CHECK ((source = ANY (ARRAY['browser'::text, 'se…
--   COMMENT ON COLUMN public.error_logs.source IS 'Nobody but the server may write it. Of the server session_id i…
--   COMMENT ON FUNCTION private.measure_errors
--   COMMENT ON FUNCTION public.admin_error_groups
--   COMMENT ON TABLE private.error_groups IS 'Errors that mean the same; kept 90 days after the last.'
--   COMMENT ON TABLE public.error_logs IS 'Rendering errors of the client and errors of the server; attacker-writ…
--   GRANT EXECUTE ON FUNCTION public.admin_error_groups

set check_function_bodies = off;

DROP FUNCTION "public"."admin_error_groups"(text, integer);

ALTER TABLE "private"."error_groups"
  ADD COLUMN "source" text NOT NULL DEFAULT 'browser'::text;

ALTER TABLE "private"."error_groups"
  ADD COLUMN "last_request_id" text;

ALTER TABLE "public"."error_logs"
  ADD COLUMN "source" text NOT NULL DEFAULT 'browser'::text;

CREATE OR REPLACE FUNCTION private.group_errors()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Another run would count the same errors again.
  lock table private.grouped_errors in share row exclusive mode;
  with fresh as materialized (
    select logs.id, created_at, private.error_message(error_message) as message,
      case source
        when 'server' then left(split_part(error_stack, E'\n', 1), 120) else private.error_place(error_stack, url)
      end as place,
      left(metadata ->> 'release', 40) as release, source, case source when 'server' then session_id end as request_id
    from public.error_logs as logs
    where not exists (select from private.grouped_errors where log_id = logs.id)
  ), groups as (
    insert into private.error_groups as known (
      message, place, first_seen_at, last_seen_at, first_release, last_release, source, last_request_id
    )
    select message, place, min(created_at), max(created_at),
      (array_agg(release order by created_at) filter (where release is not null))[1],
      (array_agg(release order by created_at desc) filter (where release is not null))[1],
      max(source), (array_agg(request_id order by created_at desc) filter (where request_id is not null))[1]
    from fresh group by message, place
    on conflict (message, place) do update set
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
      last_release = coalesce(excluded.last_release, known.last_release),
      last_request_id = coalesce(excluded.last_request_id, known.last_request_id)
    returning id, message, place
  ), members as (
    insert into private.grouped_errors (log_id, group_id)
    select fresh.id, groups.id from fresh join groups using (message, place)
  )
  insert into private.error_hours as known (group_id, hour, count)
  select groups.id, date_trunc('hour', created_at), count(*) from fresh join groups using (message, place) group by 1, 2
  on conflict (group_id, hour) do update set count = known.count + excluded.count;

  update private.error_groups as groups set people = counted.people
  from (
    -- The server does not say whose request it was.
    select group_id, count(distinct coalesce(user_id::text, session_id)) filter (where source = 'browser') as people
    from private.grouped_errors join public.error_logs on id = log_id group by group_id
  ) as counted
  where groups.id = counted.group_id and groups.people <> counted.people;

  update private.error_groups as groups set state = 'open', muted_until = null, reopened_at = now()
  where state <> 'open' and last_seen_at > decided_at and private.is_back(groups);

  delete from private.error_groups where last_seen_at < now() - interval '90 days'
    -- A guest who sends nonsense makes a group of each error.
    or id in (select id from private.error_groups order by last_seen_at desc offset 5000);
  delete from private.error_hours where hour < now() - interval '200 days';
end
$function$;

CREATE OR REPLACE FUNCTION private.measure_errors()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('figures', jsonb_build_object(
    'last_day', count(*) filter (where created_at > now() - interval '1 day'),
    'day_before', count(*) filter (where created_at <= now() - interval '1 day'),
    'sessions', count(distinct session_id) filter (where source = 'browser' and created_at > now() - interval '1 day'),
    'server_errors', count(*) filter (where source = 'server' and created_at > now() - interval '1 day'),
    'open_groups', (select count(*) from private.error_groups where state = 'open'),
    'regressions', (select count(*) from private.error_groups where state = 'open' and reopened_at is not null)
  ))
  from public.error_logs where created_at > now() - interval '2 days'
$function$;

CREATE OR REPLACE FUNCTION public.admin_error_groups (
  _state text,
  _hours integer
)
  RETURNS TABLE (
    id              bigint,
    message         text,
    place           text,
    state           text,
    is_back         boolean,
    count           bigint,
    before          bigint,
    people          integer,
    first_seen_at   timestamp with time zone,
    last_seen_at    timestamp with time zone,
    first_release   text,
    last_release    text,
    muted_until     integer,
    source          text,
    last_request_id text
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _period constant interval := make_interval(hours => least(greatest(_hours, 1), 2400));
begin
  perform private.require_admin();
  return query
    select groups.id, groups.message, groups.place, groups.state, groups.reopened_at is not null, seen.now, seen.before,
      case when groups.people >= 5 then groups.people end, groups.first_seen_at, groups.last_seen_at,
      groups.first_release, groups.last_release, groups.muted_until, groups.source, groups.last_request_id
    from private.error_groups as groups
    cross join lateral (
      select coalesce(sum(hours.count) filter (where hour > now() - _period), 0) as now,
        coalesce(sum(hours.count) filter (where hour <= now() - _period and hour > now() - 2 * _period), 0) as before
      from private.error_hours as hours where hours.group_id = groups.id
    ) as seen
    where groups.state = _state or _state = 'resolved' and groups.state = 'next_release'
    order by groups.reopened_at is null, seen.now desc, groups.last_seen_at desc limit 100;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_error_groups"(text, integer) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."error_logs"
  ADD CONSTRAINT "source_is_known" CHECK ((source = ANY (ARRAY['browser'::text, 'server'::text])));

COMMENT ON COLUMN "public"."error_logs"."source" IS 'Nobody but the server may write it. Of the server session_id is the id of a request or job, and the stack begins with the place.';

COMMENT ON FUNCTION "private"."measure_errors"() IS 'Count the errors of browsers and server, and the groups that nobody has decided.';

COMMENT ON FUNCTION "public"."admin_error_groups"(text, integer) IS 'The groups of errors in a state with their count in a period and in the one before, for admins; fewer than five people are null.';

COMMENT ON TABLE "private"."error_groups" IS 'Errors that mean the same; kept 90 days after the last.';

COMMENT ON TABLE "public"."error_logs" IS 'Rendering errors of the client and errors of the server; attacker-writable text, to be shown as text only; kept 90 days.';

GRANT EXECUTE ON FUNCTION "public"."admin_error_groups"(text, integer) TO "authenticated";

reset check_function_bodies;
