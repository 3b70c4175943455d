-- Foundation: the private schema, closed defaults, and the value types every chapter shares.
--
-- public   is what PostgREST exposes: tables under row level security, and functions meant to be called.
-- private  is never exposed: money verbs, trigger functions, membership tests.
--
-- Runs on Postgres 15 to 18 and on hosted Supabase, as a role that need not be a superuser.

create schema private;
comment on schema private is 'Server side of the product: not exposed by the API.';

revoke all on schema private from public;
-- Server code that acts as service_role calls the money verbs by name.
grant usage on schema private to service_role;

-- Supabase gives every right on new public objects to the API roles. Here a right exists when a chapter grants it.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;
-- Execute for PUBLIC is a global default of Postgres that cannot be revoked for one schema; every function
-- therefore revokes it by name (a lint test finds the forgotten one).

-- A browser reads '//host', '/\host' and '/<tab>/host' as another site: none of them is a path of ours.
create domain public.relative_path as text
  check (value ~ '^/' and value !~ '//' and value !~ '[[:cntrl:][:space:]\\]' and char_length(value) <= 500);
comment on domain public.relative_path is 'A path inside the client, safe to navigate to.';

-- Absent is null, never blank.
create domain public.single_line as text
  check (value ~ '[^[:space:]]' and value !~ '[[:cntrl:]]' and char_length(value) <= 200);
comment on domain public.single_line is 'One line of human text: not blank, no control character, at most 200 characters.';
