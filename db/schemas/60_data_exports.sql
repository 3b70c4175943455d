-- Export: everything that is held of a person, to take along (GDPR, art. 15 and 20).
--
-- functions/_shared/personal_data.py says which tables are in it, and of each other one why not.

create table public.data_exports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  with_files boolean not null,
  -- The digest of what the download's address carries; only that opens it, and only for some minutes.
  secret_hash bytea not null unique,
  created_at timestamptz not null default now(),
  opens smallint not null default 0,
  finished_at timestamptz,
  bytes bigint,

  constraint bytes_are_not_negative check (bytes >= 0),
  constraint what_is_finished_has_a_size check ((finished_at is null) = (bytes is null))
);
comment on table public.data_exports is 'When a person took their data along, and how much it was.';

create index data_exports_latest on public.data_exports (user_id, created_at desc);

alter table public.data_exports enable row level security;

create policy "owners read their exports" on public.data_exports
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.data_exports from public, anon, authenticated, service_role;
grant select on public.data_exports to authenticated, service_role;

create function private.begin_export(_user_id uuid, _with_files boolean)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _secret constant text := encode(extensions.gen_random_bytes(32), 'hex');
begin
  perform from auth.users where id = _user_id for no key update;
  if (
    select count(*) from public.data_exports where user_id = _user_id and created_at > now() - interval '1 day'
  ) >= 10 then
    return null;
  end if;
  insert into public.data_exports (user_id, with_files, secret_hash)
  values (_user_id, _with_files, extensions.digest(_secret, 'sha256'));
  return _secret;
end
$$;
comment on function private.begin_export(uuid, boolean) is
  'The secret of a download that this person may begin within ten minutes; null after ten in a day.';
revoke all on function private.begin_export from public, anon, authenticated, service_role;
grant execute on function private.begin_export to service_role;

create function private.open_export(_secret text)
  returns public.data_exports
  language sql volatile security definer
  set search_path = ''
as $$
  -- A browser that was cut off tries again; more than that is somebody else.
  update public.data_exports set opens = opens + 1
  where secret_hash = extensions.digest(_secret, 'sha256') and created_at > now() - interval '10 minutes'
    and finished_at is null and opens < 3
  returning *
$$;
comment on function private.open_export(text) is 'The download that a secret opens; null when it opens none any more.';
revoke all on function private.open_export from public, anon, authenticated, service_role;
grant execute on function private.open_export to service_role;

create function private.finish_export(_id uuid, _bytes bigint)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.data_exports set finished_at = now(), bytes = _bytes where id = _id and finished_at is null
$$;
comment on function private.finish_export(uuid, bigint) is 'Notes that a download has ended, and how long it was.';
revoke all on function private.finish_export from public, anon, authenticated, service_role;
grant execute on function private.finish_export to service_role;

create function private.personal_tables()
  returns setof text
  language sql stable security definer
  set search_path = ''
as $$
  select format('%s.%s', relnamespace::regnamespace, relname)
  from pg_catalog.pg_class
  join pg_catalog.pg_attribute on attrelid = pg_class.oid and attname = 'user_id' and not attisdropped
  where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'private'::regnamespace)
  order by 1
$$;
comment on function private.personal_tables() is 'Every table of the product that has rows of a person, by the catalogue.';
revoke all on function private.personal_tables from public, anon, authenticated, service_role;
grant execute on function private.personal_tables to service_role;

create function private.personal_rows(_tables text[], _hidden text[], _user_id uuid)
  returns table (name text, content jsonb)
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _table text;
begin
  if not _tables <@ array(select private.personal_tables()) then
    raise invalid_parameter_value using message = 'a table without rows of a person';
  end if;
  -- Stable: all of them as of the same moment.
  foreach _table in array _tables loop
    return query execute format(
      'select %L, to_jsonb(personal_row) - $2 from %s as personal_row where user_id = $1', _table, _table::regclass
    ) using _user_id, _hidden;
  end loop;
end
$$;
comment on function private.personal_rows(text[], text[], uuid) is
  'The rows of one person in these tables of theirs, one table after the other, without the hidden columns.';
revoke all on function private.personal_rows from public, anon, authenticated, service_role;
grant execute on function private.personal_rows to service_role;

create function private.account_facts(_user_id uuid)
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_build_object(
    'account', (
      select jsonb_build_object(
        'id', id, 'email', email, 'phone', phone, 'created_at', created_at, 'email_confirmed_at', email_confirmed_at,
        'last_sign_in_at', last_sign_in_at, 'app_metadata', raw_app_meta_data, 'user_metadata', raw_user_meta_data
      ) from auth.users where id = _user_id
    ),
    'identities', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'provider', provider, 'email', email, 'identity_data', identity_data, 'created_at', created_at,
        'last_sign_in_at', last_sign_in_at
      ) order by created_at), '[]') from auth.identities where user_id = _user_id
    ),
    'factors', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', friendly_name, 'kind', factor_type, 'status', status, 'created_at', created_at
      ) order by created_at), '[]') from auth.mfa_factors where user_id = _user_id
    ),
    'passkeys', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', friendly_name, 'created_at', created_at, 'last_used_at', last_used_at
      ) order by created_at), '[]') from auth.webauthn_credentials where user_id = _user_id
    ),
    'applications', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'client_id', client_id, 'scopes', scopes, 'granted_at', granted_at, 'revoked_at', revoked_at
      ) order by granted_at), '[]') from auth.oauth_consents where user_id = _user_id
    ),
    'sessions', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'created_at', created_at, 'refreshed_at', refreshed_at, 'device', user_agent, 'ip', host(ip)
      ) order by created_at), '[]') from auth.sessions where user_id = _user_id
    ),
    'events', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'action', payload ->> 'action', 'at', created_at, 'ip', ip_address
      ) order by created_at), '[]') from auth.audit_log_entries where payload ->> 'actor_id' = _user_id::text
    )
  )
$$;
comment on function private.account_facts(uuid) is 'What the account service knows of a person, without its secrets.';
revoke all on function private.account_facts from public, anon, authenticated, service_role;
grant execute on function private.account_facts to service_role;
