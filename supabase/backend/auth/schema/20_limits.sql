-- Ours: how often something was done, kept in the database so that several processes agree. Losing these tables
-- in a crash costs nothing but a fresh start, so they are unlogged.

create unlogged table if not exists auth.rate_limits (
  bucket bytea not null primary key,
  -- A token bucket as one moment: when it will be full again.
  full_at timestamptz not null
);

create index if not exists rate_limits_full_at_idx on auth.rate_limits (full_at);

comment on table auth.rate_limits is 'Auth: Token buckets, by the hash of limit and subject.';

create unlogged table if not exists auth.attempts (
  subject bytea not null primary key,
  tries integer not null,
  open_at timestamptz not null,
  forgotten_at timestamptz not null
);

create index if not exists attempts_forgotten_at_idx on auth.attempts (forgotten_at);

comment on table auth.attempts is 'Auth: Tries since the last right one at a secret, by the hash of whose it is.';

create table if not exists auth.known_places (
  place bytea not null primary key,
  forgotten_at timestamptz not null
);

create index if not exists known_places_forgotten_at_idx on auth.known_places (forgotten_at);

comment on table auth.known_places is
  'Auth: Networks from which an account was signed in to, by the hash of both; a guesser elsewhere does not hold them up.';

do $$
declare
  ours regclass;
begin
  foreach ours in array array['auth.rate_limits', 'auth.attempts', 'auth.known_places']::regclass[]
  loop
    if not (select relrowsecurity from pg_class where oid = ours) then
      execute format('alter table %s enable row level security', ours);
    end if;
    if (select pg_get_userbyid(relowner) from pg_class where oid = ours) <> 'supabase_auth_admin' then
      execute format('alter table %s owner to supabase_auth_admin', ours);
    end if;
    execute format('revoke all on table %s from public, anon, authenticated', ours);
  end loop;
end
$$;
