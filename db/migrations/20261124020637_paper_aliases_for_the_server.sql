-- Linking by the server reads by what papers can be recognized.
--   REVOKE ALL ON FUNCTION private.paper_aliases
--   GRANT EXECUTE ON FUNCTION private.paper_aliases

set check_function_bodies = off;

REVOKE ALL ON FUNCTION "private"."paper_aliases"(uuid[]) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."paper_aliases"(uuid[]) TO "service_role";

reset check_function_bodies;
