-- Who may read what: policies call the four functions, nobody reads the tables.

create or replace function auth.uid() returns uuid
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;

create or replace function auth.role() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )::text
$$;

create or replace function auth.email() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )::text
$$;

create or replace function auth.jwt() returns jsonb
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

comment on function auth.uid() is 'The caller''s user id from the verified token, null for a caller without one.';
comment on function auth.role() is 'Deprecated. Use the TO clause of a policy instead.';
comment on function auth.email() is 'Deprecated. Use auth.jwt() ->> ''email'' instead.';
comment on function auth.jwt() is 'All claims of the verified token.';

do $$
begin
  -- Whoever migrates, and the service it serves, must act as the owner; a superuser does so anyway.
  if not pg_has_role(current_user, 'supabase_auth_admin', 'usage') then
    execute format('grant supabase_auth_admin to %I', current_user);
  end if;
end
$$;

grant all on schema auth to supabase_auth_admin;
grant usage on schema auth to anon, authenticated, service_role, supabase_auth_admin;
grant execute on function auth.uid(), auth.role(), auth.email(), auth.jwt()
  to anon, authenticated, service_role, supabase_auth_admin;

do $$
declare
  relation record;
  routine regprocedure;
begin
  for relation in
    select c.oid::regclass as name, c.relrowsecurity, pg_get_userbyid(c.relowner) as owner
      from pg_class c
     where c.relnamespace = 'auth'::regnamespace and c.relkind = 'r'
  loop
    -- No policy exists on purpose: the owner bypasses, everybody else sees nothing.
    if not relation.relrowsecurity then
      execute format('alter table %s enable row level security', relation.name);
    end if;
    if relation.owner <> 'supabase_auth_admin' then
      execute format('alter table %s owner to supabase_auth_admin', relation.name);
    end if;
    execute format('revoke all on table %s from public, anon, authenticated', relation.name);
    if to_regrole('postgres') is not null then
      execute format('grant select on table %s to postgres', relation.name);
    end if;
  end loop;
  foreach routine in array array['auth.uid()', 'auth.role()', 'auth.email()', 'auth.jwt()']::regprocedure[]
  loop
    if (select pg_get_userbyid(proowner) from pg_proc where oid = routine) <> 'supabase_auth_admin' then
      execute format('alter function %s owner to supabase_auth_admin', routine);
    end if;
  end loop;
end
$$;
