-- Error files.
--   DROP FUNCTION private.group_errors
--   CREATE OR REPLACE FUNCTION private.error_frames
--   CREATE OR REPLACE FUNCTION private.fresh_error_frames
--   CREATE OR REPLACE FUNCTION private.group_errors
--   COMMENT ON FUNCTION private.fresh_error_frames
--   COMMENT ON FUNCTION private.group_errors
--   REVOKE ALL ON FUNCTION private.fresh_error_frames
--   GRANT EXECUTE ON FUNCTION private.fresh_error_frames
--   REVOKE ALL ON FUNCTION private.group_errors
--   GRANT EXECUTE ON FUNCTION private.group_errors

set check_function_bodies = off;

DROP FUNCTION "private"."group_errors"();

CREATE OR REPLACE FUNCTION private.error_frames (
  _stack  text,
  _source text
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Files and lines only: the rest of a stack may quote what a person typed. A visitor writes the text, so it is
  -- bounded, and a file name has no slash: functions/_shared/source_maps.py looks it up.
  select coalesce(jsonb_agg(jsonb_build_object(
    'file', found[1], 'line', found[2]::integer, 'column', nullif(found[3], '')::integer, 'name', found[4]
  ) order by place), '[]')
  from (
    select found, place
    from regexp_matches(_stack, '/assets/([\w~][\w.~-]{0,100}\.m?js):(\d{1,7}):(\d{1,7})(?!\d)()', 'g')
      with ordinality as browser (found, place)
    where _source = 'browser'
    union all
    select found, place
    from regexp_matches(_stack, '^  ([\w./]{1,200}):(\d{1,7})() (\S{1,100})$', 'gn') with ordinality as server (found, place)
    where _source = 'server'
    order by place limit 30
  ) as frames
$function$;

CREATE OR REPLACE FUNCTION private.fresh_error_frames()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_object_agg(id, private.error_frames(error_stack, source)), '{}')
  from (
    select id, error_stack, source from public.error_logs
    where source = 'browser' and not exists (select from private.grouped_errors where log_id = id)
    order by id limit 2000
  ) as fresh
$function$;

CREATE OR REPLACE FUNCTION private.group_errors (
  _files jsonb DEFAULT NULL::jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Another run would count the same errors again.
  lock table private.grouped_errors in share row exclusive mode;
  -- A group that was found while no map was there.
  update private.error_groups as known set place = moved.file
  from (
    select distinct on (1, 2) private.error_message(error_message) as message, left(file, 120) as file,
      private.error_place(error_stack, url) as script
    from jsonb_each_text(_files) as files (log_id, file) join public.error_logs on id = log_id::bigint
    where file is not null order by 1, 2
  ) as moved
  where known.message = moved.message and known.place = moved.script and not exists (
    select from private.error_groups as other where other.message = moved.message and other.place = moved.file
  );
  with fresh as materialized (
    select logs.id, created_at, private.error_message(error_message) as message,
      case source
        when 'server' then left(split_part(error_stack, E'\n', 1), 120)
        else coalesce(left(_files ->> logs.id::text, 120), private.error_place(error_stack, url))
      end as place,
      left(metadata ->> 'release', 40) as release, source, case source when 'server' then session_id end as request_id
    from public.error_logs as logs
    where not exists (select from private.grouped_errors where log_id = logs.id)
      -- Those that came since their frames were read wait for the next run.
      and (source = 'server' or _files is null or _files ? logs.id::text)
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

COMMENT ON FUNCTION "private"."fresh_error_frames"() IS 'Return the places in the built code of errors of browsers that are in no group yet: {id: frames}.';

COMMENT ON FUNCTION "private"."group_errors"(jsonb) IS 'Count new errors in their groups, with the files that those of browsers came from ({id: file or null}), and open groups again that an admin had decided and that are back.';

REVOKE ALL ON FUNCTION "private"."fresh_error_frames"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fresh_error_frames"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."group_errors"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."group_errors"(jsonb) TO "service_role";

reset check_function_bodies;
