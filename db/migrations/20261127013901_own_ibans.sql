-- Own ibans.
--   CREATE OR REPLACE FUNCTION private.own_ibans
--   COMMENT ON FUNCTION private.own_ibans
--   REVOKE ALL ON FUNCTION private.own_ibans
--   GRANT EXECUTE ON FUNCTION private.own_ibans

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.own_ibans (
  _user_id uuid
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select array(
    select distinct iban from public.invoice_schedules
    join public.invoices on invoices.user_id = _user_id and invoices.id = invoice_id and direction = 'attiva'
    where invoice_schedules.user_id = _user_id and iban is not null
    order by 1 limit 100
  )
$function$;

COMMENT ON FUNCTION "private"."own_ibans"(uuid) IS 'The accounts to which a person''s own invoices are paid: a client who names one of them names no new account.';

REVOKE ALL ON FUNCTION "private"."own_ibans"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_ibans"(uuid) TO "service_role";

reset check_function_bodies;
