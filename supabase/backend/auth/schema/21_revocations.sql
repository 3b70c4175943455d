-- Ours: sessions that ended while access tokens of theirs may still live. The gateway refuses those tokens for data
-- too (backend.auth.revocations); a verified token alone says nothing about its session.

create table if not exists auth.revoked_sessions (
  session_id uuid not null primary key,
  revoked_at timestamptz not null default now()
);

create index if not exists revoked_sessions_revoked_at_idx on auth.revoked_sessions (revoked_at);

comment on table auth.revoked_sessions is 'Auth: Ended sessions, until the last access token of theirs has expired.';

create or replace function auth.revoke_session(_session_id uuid) returns void
language sql
set search_path = ''
as $$
  insert into auth.revoked_sessions (session_id) values (_session_id) on conflict do nothing;
  select pg_notify('auth_revoked', _session_id::text);
$$;

comment on function auth.revoke_session(uuid) is 'Makes every gateway refuse the access tokens of a session.';

-- Whoever deletes a session, for whatever reason: logging out, a new password, the end of the account.
create or replace function auth.revoke_deleted_sessions() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform auth.revoke_session(ended.id)
     from ended
    -- A week is the longest an access token may live; clearing away old sessions concerns nobody.
    where coalesce(ended.refreshed_at at time zone 'UTC', ended.created_at) > now() - interval '8 days';
  return null;
end
$$;

create or replace trigger revoke_deleted_sessions
  after delete on auth.sessions referencing old table as ended
  for each statement execute function auth.revoke_deleted_sessions();

revoke all on function auth.revoke_session(uuid) from public;
revoke all on function auth.revoke_deleted_sessions() from public;

do $$
declare
  routine regprocedure;
begin
  if not (select relrowsecurity from pg_class where oid = 'auth.revoked_sessions'::regclass) then
    alter table auth.revoked_sessions enable row level security;
  end if;
  if (select pg_get_userbyid(relowner) from pg_class where oid = 'auth.revoked_sessions'::regclass)
    <> 'supabase_auth_admin'
  then
    alter table auth.revoked_sessions owner to supabase_auth_admin;
  end if;
  revoke all on table auth.revoked_sessions from public, anon, authenticated;
  foreach routine in array array[
    'auth.revoke_session(uuid)', 'auth.revoke_deleted_sessions()'
  ]::regprocedure[]
  loop
    if (select pg_get_userbyid(proowner) from pg_proc where oid = routine) <> 'supabase_auth_admin' then
      execute format('alter function %s owner to supabase_auth_admin', routine);
    end if;
  end loop;
end
$$;
