-- One rule for archives.
--   DROP FUNCTION private.is_unused
--   CREATE OR REPLACE FUNCTION private.begin_import
--   CREATE OR REPLACE FUNCTION private.lock_unused
--   CREATE OR REPLACE FUNCTION private.takes_archive
--   CREATE OR REPLACE FUNCTION public.takes_archive
--   COMMENT ON FUNCTION private.takes_archive
--   REVOKE ALL ON FUNCTION private.takes_archive

set check_function_bodies = off;

DROP FUNCTION "private"."is_unused"(uuid);

CREATE OR REPLACE FUNCTION private.begin_import (
  _user_id uuid,
  _path    text
)
  RETURNS public.data_imports
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _import public.data_imports;
begin
  perform from auth.users where id = _user_id for no key update;
  select * into _import from public.data_imports
  where user_id = _user_id and (storage_path = _path or state in ('in_attesa', 'in_corso'))
  order by state limit 1;
  if not found and private.takes_archive(_user_id) then
    insert into public.data_imports (user_id, storage_path) values (_user_id, _path) returning * into _import;
  end if;
  return _import;
end
$function$;

CREATE OR REPLACE FUNCTION private.lock_unused (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from auth.users where id = _user_id for no key update;
  -- The rows of an archive are no news: what tells of new ones is silent in this transaction.
  perform set_config('socio.restoring', 'on', true);
  return private.takes_archive(_user_id);
end
$function$;

CREATE OR REPLACE FUNCTION private.takes_archive (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select not exists (select from public.contacts where user_id = _user_id)
    and not exists (select from public.deals where user_id = _user_id)
    and not exists (select from public.tasks where user_id = _user_id)
    and not exists (select from public.projects where user_id = _user_id)
    and not exists (select from public.documents where user_id = _user_id)
    and not exists (select from public.mail_accounts where user_id = _user_id)
    and not exists (select from public.whatsapp_accounts where user_id = _user_id)
    and not private.is_frozen(_user_id)
$function$;

CREATE OR REPLACE FUNCTION public.takes_archive()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.takes_archive((select auth.uid()))
$function$;

COMMENT ON FUNCTION "private"."takes_archive"(uuid) IS 'Return whether an account has no work yet, not in the trash either, with which that of an archive could clash, and is not frozen.';

REVOKE ALL ON FUNCTION "private"."takes_archive"(uuid) FROM PUBLIC;

reset check_function_bodies;
