-- The roles, schemas and grants a hosted Supabase project starts with
-- (https://github.com/supabase/postgres, migrations/db/init-scripts). On hosted Supabase everything is there
-- already and this file changes nothing.

do $$
declare
  missing text;
begin
  foreach missing in array array[
    'anon', 'authenticated', 'service_role', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin'
  ]
  loop
    continue when exists (select from pg_roles where rolname = missing);
    execute format('create role %I noinherit nologin', missing);
    case missing
      when 'anon' then
        alter role anon set statement_timeout = '3s';
      when 'authenticated' then
        alter role authenticated set statement_timeout = '8s';
      when 'service_role' then
        alter role service_role bypassrls;
      when 'authenticator' then
        alter role authenticator login;
        alter role authenticator set statement_timeout = '8s';
        alter role authenticator set lock_timeout = '8s';
        alter role authenticator set idle_in_transaction_session_timeout = '10s';
      else
        null;
    end case;
  end loop;
end
$$;

-- PostgREST logs in as authenticator and becomes one of the three; the backend becomes them in as_claims.
do $$
declare
  api_role text;
  login text;
begin
  foreach api_role in array array['anon', 'authenticated', 'service_role']
  loop
    foreach login in array array['authenticator', current_user]
    loop
      if not exists (
        select
        from pg_auth_members
        where pg_auth_members.roleid = api_role::regrole and pg_auth_members.member = login::regrole
      ) then
        execute format('grant %I to %I', api_role, login);
      end if;
    end loop;
  end loop;
end
$$;

create schema if not exists extensions;
create schema if not exists auth;

create extension if not exists pgcrypto with schema extensions;
create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists "uuid-ossp" with schema extensions;

do $$
begin
  if pg_has_role(current_user, (select nspowner from pg_namespace where nspname = 'extensions'), 'usage') then
    grant usage on schema extensions to anon, authenticated, service_role;
  end if;
  if pg_has_role(current_user, (select nspowner from pg_namespace where nspname = 'auth'), 'usage') then
    grant usage on schema auth to anon, authenticated, service_role;
  end if;
end
$$;

-- What a table made in public is worth to the API roles before a migration says otherwise.
grant usage on schema public to anon, authenticated, service_role;
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
