-- Pace of a whatsapp number.
--   CREATE OR REPLACE FUNCTION private.next_whatsapp_s
--   COMMENT ON FUNCTION private.next_whatsapp_s
--   REVOKE ALL ON FUNCTION private.next_whatsapp_s
--   GRANT EXECUTE ON FUNCTION private.next_whatsapp_s

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.next_whatsapp_s (
  _user_id uuid
)
  RETURNS double precision
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select extract(epoch from not_before - clock_timestamp())::double precision from public.whatsapp_messages
  -- Its moment may have come since it was asked for. What is due for longer waits for something else.
  where user_id = _user_id and state = 'queued' and not_before > clock_timestamp() - interval '1 second'
  order by not_before, id limit 1
$function$;

COMMENT ON FUNCTION "private"."next_whatsapp_s"(uuid) IS 'In how many seconds the next message of a person is due, negative for the last second; null when nothing will be.';

REVOKE ALL ON FUNCTION "private"."next_whatsapp_s"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_whatsapp_s"(uuid) TO "service_role";

reset check_function_bodies;
