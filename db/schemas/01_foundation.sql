-- Foundation: the private schema, closed defaults, and the types and functions that every chapter shares.
--
-- public   is exposed by PostgREST: tables under row level security, and functions that clients may call.
-- private  is never exposed: money verbs, trigger functions, membership tests.
--
-- Runs on Postgres 15 to 18 and on hosted Supabase, as a role that need not be a superuser. Postgres grants execute to
-- PUBLIC globally and cannot revoke it for one schema, so each function revokes it by name (a test finds a missing
-- revoke).

create schema private;
comment on schema private is 'Server side of the product: not exposed by the API.';
revoke all on schema private from public;
-- Server code with the role service_role calls the money functions by name.
grant usage on schema private to service_role;

create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;

-- Supabase grants the API roles every right on new public objects. Revoke these defaults: a right exists only if a
-- chapter grants it.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

-- A browser reads '//host', '/\host' and '/<tab>/host' as another site, so these are not paths of this site.
create domain public.relative_path as text
  check (value ~ '^/' and value !~ '//' and value !~ '[[:cntrl:][:space:]\\]' and char_length(value) <= 500);
comment on domain public.relative_path is 'A path inside the client, safe to navigate to.';

-- A missing value is null, never a blank string.
create domain public.single_line as text
  check (value ~ '[^[:space:]]' and value !~ '[[:cntrl:]]' and char_length(value) <= 200);
comment on domain public.single_line is 'One line of human text: not blank, no control character, at most 200 characters.';

create function private.refuse_change()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  raise exception 'table %.% is append-only', tg_table_schema, tg_table_name using errcode = 'restrict_violation';
end
$$;
comment on function private.refuse_change() is 'Makes a table append-only, for service_role and the owner too.';
revoke all on function private.refuse_change from public, anon, authenticated, service_role;

create function private.is_email(_address text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select char_length(_address) <= 254
    and _address ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+[.][^[:space:][:cntrl:]@]+$'
$$;
comment on function private.is_email(text) is 'Whether a text has the shape of an e-mail address.';
revoke all on function private.is_email from public, anon, authenticated, service_role;
grant execute on function private.is_email to authenticated, service_role;

create function private.one_line(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select nullif(btrim(regexp_replace(_text, '[[:cntrl:][:space:]]+', ' ', 'g')), '')
$$;
comment on function private.one_line(text) is 'A text without line breaks and double spaces; null if nothing is left.';
revoke all on function private.one_line from public, anon, authenticated, service_role;

create function private.set_updated_at()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.set_updated_at() is 'Notes when a row was last changed.';
revoke all on function private.set_updated_at from public, anon, authenticated, service_role;
