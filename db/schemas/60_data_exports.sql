-- Export: everything that is held of a person, to take along (GDPR, art. 15 and 20).
--
-- functions/_shared/personal_data.py says which tables are in it, and of each other one why not.

create type public.export_state as enum ('in_attesa', 'in_corso', 'pronto', 'fallito', 'annullato', 'scaduto');
comment on type public.export_state is 'How far an export is; «scaduto» had an archive that was taken away again.';

create table public.data_exports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- Folders of functions/_shared/personal_data.py.
  domains text[] not null,
  with_files boolean not null,
  state public.export_state not null default 'in_attesa',
  lacked_space boolean not null default false,
  progress smallint not null default 0,
  created_at timestamptz not null default now(),
  opens integer not null default 0,
  finished_at timestamptz,
  bytes bigint,
  sha256 text,
  expires_at timestamptz,

  constraint an_archive_has_domains check (cardinality(domains) > 0),
  constraint progress_is_per_cent check (progress between 0 and 100),
  constraint bytes_are_not_negative check (bytes >= 0),
  constraint what_lacked_space_failed check (state = 'fallito' or not lacked_space),
  constraint what_is_finished_has_a_size check ((finished_at is null) = (bytes is null)),
  -- Older archives were sent and never kept, so they have no digest.
  constraint what_is_ready_can_be_checked check (
    state <> 'pronto' or (bytes is not null and sha256 is not null and expires_at is not null)
  )
);
comment on table public.data_exports is
  'Archives that a person asked for; the ZIP of one that is ready is `<user_id>/<id>.zip` in the bucket exports.';
comment on column public.data_exports.opens is 'How often an address of the archive was given out.';

comment on column public.data_exports.lacked_space is
  'It failed because too little space was free on the server: the light «Disco» of admins counts it for a day.';

create index data_exports_latest on public.data_exports (user_id, created_at desc);
-- Each person has one archive made at a time.
create unique index data_exports_under_way on public.data_exports (user_id) where state in ('in_attesa', 'in_corso');
create index data_exports_without_space on public.data_exports (created_at) where lacked_space;
create index data_exports_ready on public.data_exports (expires_at) where state = 'pronto';

alter table public.data_exports enable row level security;

create policy "owners read their exports" on public.data_exports
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.data_exports from public, anon, authenticated, service_role;
grant select on public.data_exports to authenticated, service_role;

create function private.request_export(
  _user_id uuid, _domains text[], _with_files boolean, out id uuid, out refusal text
)
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform from auth.users where users.id = _user_id for no key update;
  if exists (select from public.data_exports where user_id = _user_id and state in ('in_attesa', 'in_corso')) then
    refusal := 'under_way';
  elsif (
    select count(*) from public.data_exports where user_id = _user_id and created_at > now() - interval '1 day'
  ) >= 10 then
    refusal := 'too_many';
  else
    insert into public.data_exports as made (user_id, domains, with_files) values (_user_id, _domains, _with_files)
    returning made.id into request_export.id;
  end if;
end
$$;
comment on function private.request_export is
  'Write down that a person wants an archive; refused as «under_way» while one is made, as «too_many» after ten in a day.';
revoke all on function private.request_export from public, anon, authenticated, service_role;
grant execute on function private.request_export to service_role;

create function private.start_export(_id uuid)
  returns public.data_exports
  language sql volatile security definer
  set search_path = ''
as $$
  update public.data_exports set state = 'in_corso', progress = 0
  where id = _id and state in ('in_attesa', 'in_corso')
  returning *
$$;
comment on function private.start_export(uuid) is 'The export to make, from its beginning; null when it is over.';
revoke all on function private.start_export from public, anon, authenticated, service_role;
grant execute on function private.start_export to service_role;

create function private.note_export_progress(_id uuid, _progress integer)
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with noted as (
    update public.data_exports set progress = _progress where id = _id and state = 'in_corso' returning id
  )
  select exists (select from noted)
$$;
comment on function private.note_export_progress(uuid, integer) is
  'Note how much of an archive is made, in per cent; false when it is not wanted any more.';
revoke all on function private.note_export_progress from public, anon, authenticated, service_role;
grant execute on function private.note_export_progress to service_role;

create function private.finish_export(_id uuid, _bytes bigint, _sha256 text, _now timestamptz)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
begin
  update public.data_exports set
    state = 'pronto', progress = 100, finished_at = _now, bytes = _bytes, sha256 = _sha256,
    expires_at = _now + interval '7 days'
  where id = _id and state = 'in_corso' returning user_id into _user_id;
  if not found then
    return false;
  end if;
  -- One archive of each person is kept.
  update public.data_exports set state = 'scaduto', expires_at = _now
  where user_id = _user_id and id <> _id and state = 'pronto';
  return true;
end
$$;
comment on function private.finish_export is
  'Note that an archive lies in its bucket, for seven days and instead of the one before; false when it is not wanted.';
revoke all on function private.finish_export from public, anon, authenticated, service_role;
grant execute on function private.finish_export to service_role;

create function private.fail_export(_id uuid, _lacked_space boolean default false)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.data_exports set state = 'fallito', lacked_space = _lacked_space
  where id = _id and state in ('in_attesa', 'in_corso')
$$;
comment on function private.fail_export(uuid, boolean) is
  'Note that an archive could not be made, and whether that was for lack of space.';
revoke all on function private.fail_export from public, anon, authenticated, service_role;
grant execute on function private.fail_export to service_role;

create function private.exports_without_space()
  returns bigint
  language sql stable security definer
  set search_path = ''
as $$
  select count(*) from public.data_exports where lacked_space and created_at > now() - interval '1 day'
$$;
comment on function private.exports_without_space() is
  'Count the archives of the last day that could not be made for lack of space.';
revoke all on function private.exports_without_space from public, anon, authenticated, service_role;
grant execute on function private.exports_without_space to service_role;

create function private.cancel_export(_user_id uuid)
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with cancelled as (
    update public.data_exports set state = 'annullato'
    where user_id = _user_id and state in ('in_attesa', 'in_corso') returning id
  )
  select exists (select from cancelled)
$$;
comment on function private.cancel_export(uuid) is 'Stop the archive that is made for a person; false when there is none.';
revoke all on function private.cancel_export from public, anon, authenticated, service_role;
grant execute on function private.cancel_export to service_role;

create function private.open_export(_user_id uuid, _id uuid, _now timestamptz)
  returns public.data_exports
  language sql volatile security definer
  set search_path = ''
as $$
  update public.data_exports set opens = opens + 1
  where id = _id and user_id = _user_id and state = 'pronto' and expires_at > _now
  returning *
$$;
comment on function private.open_export is 'The archive of this person that can be downloaded, counted; null when there is none.';
revoke all on function private.open_export from public, anon, authenticated, service_role;
grant execute on function private.open_export to service_role;

create function private.expire_exports(_now timestamptz)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.data_exports set state = 'scaduto' where state = 'pronto' and expires_at <= _now
$$;
comment on function private.expire_exports(timestamptz) is 'Close the archives whose seven days are over.';
revoke all on function private.expire_exports from public, anon, authenticated, service_role;
grant execute on function private.expire_exports to service_role;

create function private.superfluous_exports(_limit integer, _user_id uuid default null)
  returns setof text
  language sql stable security definer
  set search_path = ''
as $$
  select name from storage.objects as stored
  where bucket_id = 'exports' and (_user_id is null or starts_with(name, _user_id::text || '/')) and not exists (
    select from public.data_exports
    where user_id::text || '/' || id::text || '.zip' = stored.name and state in ('in_attesa', 'in_corso', 'pronto')
  )
  order by name limit _limit
$$;
comment on function private.superfluous_exports is
  'Files of archives that are replaced, cancelled or over, of everybody or of one person.';
revoke all on function private.superfluous_exports from public, anon, authenticated, service_role;
grant execute on function private.superfluous_exports to service_role;

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
