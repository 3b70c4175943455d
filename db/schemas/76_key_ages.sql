-- How old the keys and secrets of the installation are (functions/jobs/key_ages.py): digests, never a secret.

create table private.key_ages (
  name text primary key,
  -- Keyed by the installation: it changes with the secret and does not reveal it.
  digest text not null,
  used_since timestamptz not null,

  constraint name_fits check (name ~ '^\w{1,100}$'),
  constraint digest_is_one check (digest ~ '^[0-9a-f]{32}$')
);
comment on table private.key_ages is 'Since when each key and secret of the installation is in use.';
comment on column private.key_ages.used_since is 'When it was made, or else when it was first seen: it may be older.';
alter table private.key_ages enable row level security;

create function private.note_keys(_used jsonb)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  delete from private.key_ages where name <> all (select used ->> 'name' from jsonb_array_elements(_used) as used);
  insert into private.key_ages as known (name, digest, used_since)
  select used ->> 'name', used ->> 'digest', coalesce((used ->> 'made_at')::timestamptz, now())
  from jsonb_array_elements(_used) as used
  -- A secret that changed has been in use since about now, whenever the file of keys was made.
  on conflict (name) do update set digest = excluded.digest, used_since = now() where known.digest <> excluded.digest
$$;
comment on function private.note_keys(jsonb) is 'Keep the keys that are in use, and since when; forget all others.';
revoke all on function private.note_keys from public, anon, authenticated, service_role;
grant execute on function private.note_keys to service_role;

create function private.key_due_at(_key private.key_ages)
  returns timestamptz
  language sql immutable
  set search_path = ''
as $$
  -- A year is the shortest period that NIST SP 800-57 part 1 (table 1) gives for keys that authenticate. The legacy
  -- secret has no day: sealed mailboxes and second factors depend on it, so it is changed only when it is known to others.
  select case when _key.name <> 'jwt_secret' then _key.used_since + interval '12 months' end
$$;
comment on function private.key_due_at(private.key_ages) is 'Return when a key should be replaced; null: only when others know it.';
revoke all on function private.key_due_at from public, anon, authenticated, service_role;

create function public.admin_keys()
  returns table (name text, used_since timestamptz, due_at timestamptz, light text)
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return query
    select keys.name, keys.used_since, due.at,
      case when due.at < now() then 'error' when due.at < now() + interval '30 days' then 'warning' else 'ok' end
    from private.key_ages as keys cross join lateral (select private.key_due_at(keys) as at) as due
    order by due.at nulls last, keys.name;
end
$$;
comment on function public.admin_keys() is 'The keys and secrets in use and when each is due, the first due first, for admins; never a secret.';
revoke all on function public.admin_keys from public, anon, authenticated, service_role;
grant execute on function public.admin_keys to authenticated;
