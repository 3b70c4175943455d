-- Error traces.
--   CREATE OR REPLACE FUNCTION private.error_frames
--   CREATE OR REPLACE FUNCTION public.admin_error_trace
--   REVOKE ALL ON FUNCTION public.admin_error_trace
--   COMMENT ON FUNCTION private.error_frames
--   COMMENT ON FUNCTION public.admin_error_trace
--   REVOKE ALL ON FUNCTION private.error_frames
--   GRANT EXECUTE ON FUNCTION public.admin_error_trace

set check_function_bodies = off;

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
  -- bounded, and a file name has no slash: functions/source_map.py looks it up.
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

CREATE OR REPLACE FUNCTION public.admin_error_trace (
  _id bigint
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object(
      'at', logs.created_at,
      'release', substring(metadata ->> 'release' from '^[\w.-]{1,40}$'),
      'viewport', substring(metadata ->> 'viewport' from '^\d{1,5}x\d{1,5}$'),
      'browser', case logs.source when 'browser' then private.browser_of(user_agent) end,
      'stack', private.error_frames(error_stack, logs.source),
      'components', private.error_frames(component_stack, logs.source)
    )
    from private.grouped_errors join public.error_logs as logs on logs.id = log_id
    where group_id = _id order by log_id desc limit 1
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_error_trace"(bigint) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."error_frames"(text, text) IS 'Return the places in the code that a stack names.';

COMMENT ON FUNCTION "public"."admin_error_trace"(bigint) IS 'The places in the code of the newest error of a group, for admins; null when none is kept.';

REVOKE ALL ON FUNCTION "private"."error_frames"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_error_trace"(bigint) TO "authenticated";

reset check_function_bodies;
