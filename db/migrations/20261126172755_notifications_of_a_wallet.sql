-- Notifications of a wallet.
--   CREATE OR REPLACE FUNCTION public.notifications
--   REVOKE ALL ON FUNCTION public.notifications
--   COMMENT ON FUNCTION public.notifications
--   GRANT EXECUTE ON FUNCTION public.notifications

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.notifications (
  _wallet public.credit_wallets
)
  RETURNS SETOF public.notifications
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from public.notifications where user_id = _wallet.user_id
$function$;

REVOKE ALL ON FUNCTION "public"."notifications"(public.credit_wallets) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "public"."notifications"(public.credit_wallets) IS 'The notifications of the owner of a wallet.';

GRANT EXECUTE ON FUNCTION "public"."notifications"(public.credit_wallets) TO "authenticated";

reset check_function_bodies;
