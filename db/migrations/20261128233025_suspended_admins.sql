-- Suspended admins.
--   CREATE OR REPLACE FUNCTION private.is_admin
--   COMMENT ON FUNCTION private.is_admin

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.is_admin()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce((select auth.jwt()) ->> 'aal' = 'aal2', false)
    and exists (
      select from public.user_roles join auth.users on users.id = user_id
      -- The access token of a suspended account is valid until it ends.
      where user_id = (select auth.uid()) and user_roles.role = 'admin' and coalesce(banned_until <= now(), true)
    )
$function$;

COMMENT ON FUNCTION "private"."is_admin"() IS 'Whether the caller is an admin who has shown a second factor and is not suspended; false without a signed-in user.';

reset check_function_bodies;
