-- Payment titles in calendar feeds.
--   REVOKE ALL ON FUNCTION private.euros
--   GRANT EXECUTE ON FUNCTION private.euros
--   REVOKE ALL ON FUNCTION private.payment_title
--   GRANT EXECUTE ON FUNCTION private.payment_title

set check_function_bodies = off;

REVOKE ALL ON FUNCTION "private"."euros"(bigint, text) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."euros"(bigint, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."payment_title"(public.invoices, bigint) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."payment_title"(public.invoices, bigint) TO "service_role";

reset check_function_bodies;
