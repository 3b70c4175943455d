-- Leases: what one person may do once at a time, whichever process does it. A process that dies leaves its lease, which
-- ends by itself.

create table private.leases (
  -- Not a reference: a token outlives its account by minutes, and the row of neither lasts.
  user_id uuid not null,
  name text not null,
  token uuid not null default gen_random_uuid(),
  ends_at timestamptz not null,
  primary key (user_id, name)
);
comment on table private.leases is 'Work of a person that may run once at a time, until it ends or its time is over.';

alter table private.leases enable row level security;
revoke all on private.leases from public, anon, authenticated, service_role;

create function private.take_lease(_user_id uuid, _name text, _seconds integer)
  returns uuid
  language sql volatile security definer
  set search_path = ''
as $$
  insert into private.leases as held (user_id, name, ends_at)
  values (_user_id, _name, now() + make_interval(secs => _seconds))
  on conflict (user_id, name) do update
    set token = excluded.token, ends_at = excluded.ends_at where held.ends_at <= now()
  returning token
$$;
comment on function private.take_lease(uuid, text, integer) is
  'Take the lease of a person for so many seconds: its token, or null while somebody else holds it.';
revoke all on function private.take_lease from public, anon, authenticated, service_role;
grant execute on function private.take_lease to service_role;

create function private.end_lease(_token uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  delete from private.leases where token = _token or ends_at <= now()
$$;
comment on function private.end_lease(uuid) is
  'End a lease, and forget those that are over; one that somebody else has taken meanwhile stays.';
revoke all on function private.end_lease from public, anon, authenticated, service_role;
grant execute on function private.end_lease to service_role;

create function private.renew_leases(_tokens uuid[], _seconds integer)
  returns setof uuid
  language sql volatile security definer
  set search_path = ''
as $$
  update private.leases set ends_at = now() + make_interval(secs => _seconds)
  where token = any (_tokens) and ends_at > now()
  returning token
$$;
comment on function private.renew_leases(uuid[], integer) is
  'Hold leases for so many seconds more; the tokens of those that are still held.';
revoke all on function private.renew_leases from public, anon, authenticated, service_role;
grant execute on function private.renew_leases to service_role;
