-- Import of an archive: what an account took along (60_data_exports.sql) comes back in an account that is still unused,
-- of this installation or of another one.
--
-- functions/jobs/data_import.py reads the archive; functions/_shared/personal_data.py says what is not brought back.

create type public.data_import_state as enum ('in_attesa', 'in_corso', 'fatto', 'fallito');

create table public.data_imports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- The archive in the bucket imports; it is removed at the end.
  storage_path text not null,
  state public.data_import_state not null default 'in_attesa',
  -- What the archive has and what has arrived, in rows and files; unknown until it was opened.
  rows integer,
  rows_done integer not null default 0,
  files integer,
  files_done integer not null default 0,
  files_lost integer not null default 0,
  -- The rows are in, all of them at this moment; files follow.
  restored_at timestamptz,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  -- A second click is the same import.
  unique (user_id, storage_path),
  constraint counts_fit check (rows >= 0 and rows_done >= 0 and files >= 0 and files_done >= 0 and files_lost >= 0),
  constraint what_ended_has_an_end check ((state in ('fatto', 'fallito')) = (finished_at is not null)),
  constraint a_failure_has_a_reason check ((state = 'fallito') = (error is not null))
);
comment on table public.data_imports is 'Archives that a person had brought into this account.';

create unique index data_imports_running on public.data_imports (user_id) where state in ('in_attesa', 'in_corso');

alter table public.data_imports enable row level security;

create policy "owners read their imports" on public.data_imports
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.data_imports from public, anon, authenticated, service_role;
grant select on public.data_imports to authenticated;
grant select, update on public.data_imports to service_role;

create policy "owners see their archives" on storage.objects
  for select to authenticated using (bucket_id = 'imports' and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners add archives" on storage.objects
  for insert to authenticated
  with check (bucket_id = 'imports' and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners delete their archives" on storage.objects
  for delete to authenticated using (bucket_id = 'imports' and (storage.foldername(name))[1] = (select auth.uid())::text);

create function private.takes_archive(_user_id uuid)
  returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select not exists (select from public.contacts where user_id = _user_id)
    and not exists (select from public.deals where user_id = _user_id)
    and not exists (select from public.tasks where user_id = _user_id)
    and not exists (select from public.projects where user_id = _user_id)
    and not exists (select from public.documents where user_id = _user_id)
    and not exists (select from public.mail_accounts where user_id = _user_id)
    and not exists (select from public.whatsapp_accounts where user_id = _user_id)
    and not private.is_frozen(_user_id)
$$;
comment on function private.takes_archive(uuid) is
  'Return whether an account has no work yet, not in the trash either, with which that of an archive could clash, and is '
  'not frozen.';
revoke all on function private.takes_archive from public, anon, authenticated, service_role;

create function private.begin_import(_user_id uuid, _path text)
  returns public.data_imports
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _import public.data_imports;
begin
  perform from auth.users where id = _user_id for no key update;
  select * into _import from public.data_imports
  where user_id = _user_id and (storage_path = _path or state in ('in_attesa', 'in_corso'))
  order by state limit 1;
  if not found and private.takes_archive(_user_id) then
    insert into public.data_imports (user_id, storage_path) values (_user_id, _path) returning * into _import;
  end if;
  return _import;
end
$$;
comment on function private.begin_import(uuid, text) is
  'The import of this archive, or the one under way; null when the account is used already, or frozen.';
revoke all on function private.begin_import from public, anon, authenticated, service_role;
grant execute on function private.begin_import to service_role;

create function private.lock_unused(_user_id uuid)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform from auth.users where id = _user_id for no key update;
  -- The rows of an archive are no news: what tells of new ones is silent in this transaction.
  perform set_config('socio.restoring', 'on', true);
  return private.takes_archive(_user_id);
end
$$;
comment on function private.lock_unused(uuid) is
  'Begins to restore, in the caller''s transaction: whether the account may still take an archive.';
revoke all on function private.lock_unused from public, anon, authenticated, service_role;
grant execute on function private.lock_unused to service_role;

create function private.table_shapes(_tables text[])
  returns table (name text, ids text[], own_ids text[], needs text[])
  language sql stable security definer
  set search_path = ''
as $$
  with listed as (
    select listed as name, listed::regclass as oid from unnest(_tables) as listed
    where listed in (select private.personal_tables())
  ), columns as (
    select attrelid, attname::text, attnum, atttypid from pg_catalog.pg_attribute
    where attrelid in (select oid from listed) and attnum > 0 and not attisdropped
  ), keys as (
    -- Owner and row, so each has a column that holds the id of the other row.
    select conrelid, confrelid, held.attname::text as held_in
    from pg_catalog.pg_constraint, unnest(conkey, confkey) as pair (holding, held)
    join lateral (
      select own.attname from pg_catalog.pg_attribute as own
      join pg_catalog.pg_attribute as other on other.attrelid = confrelid and other.attnum = pair.held
      where own.attrelid = conrelid and own.attnum = pair.holding and other.attname = 'id'
    ) as held on true
    where contype = 'f' and conrelid in (select oid from listed)
  )
  select listed.name,
    array(
      select attname from columns
      where attrelid = listed.oid and atttypid in ('uuid'::regtype, 'uuid[]'::regtype) and attname <> 'user_id'
    ),
    array(select held_in from keys where conrelid = listed.oid and confrelid = listed.oid),
    array(
      select distinct other.name from pg_catalog.pg_constraint join listed as other on other.oid = confrelid
      where contype = 'f' and conrelid = listed.oid and other.oid <> listed.oid
    )
  from listed
$$;
comment on function private.table_shapes(text[]) is
  'Of each table: its columns with ids, those that point into the same table, and the tables that must be there first.';
revoke all on function private.table_shapes from public, anon, authenticated, service_role;
grant execute on function private.table_shapes to service_role;

create function private.restore_rows(_user_id uuid, _table text, _rows jsonb)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _columns text;
  _key text[];
  _conflict text := '';
  _restored bigint;
begin
  if _table not in (select private.personal_tables()) then
    raise invalid_parameter_value using message = 'a table without rows of a person';
  end if;
  select string_agg(quote_ident(attname), ', ' order by attnum) into _columns
  from pg_catalog.pg_attribute
  where attrelid = _table::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
    and attname <> 'user_id' and _rows -> 0 ? attname::text;
  select array_agg(attname::text) into _key
  from pg_catalog.pg_index join pg_catalog.pg_attribute on attrelid = indrelid and attnum = any (indkey)
  where indrelid = _table::regclass and indisprimary;
  -- A choice that an account has from its first day is replaced; of all else there is nothing yet.
  if 'user_id' = any (_key) then
    _conflict := format(
      'on conflict (%s) do update set (%s) = row(%s)', (select string_agg(quote_ident(part), ', ') from unnest(_key) as part),
      _columns, (select string_agg('excluded.' || part, ', ') from unnest(string_to_array(_columns, ', ')) as part)
    );
  end if;
  execute format(
    'insert into %1$s (user_id, %2$s) select $1, %2$s from jsonb_populate_recordset(null::%1$s, $2) %3$s',
    _table::regclass, _columns, _conflict
  ) using _user_id, _rows;
  get diagnostics _restored = row_count;
  return _restored;
end
$$;
comment on function private.restore_rows(uuid, text, jsonb) is
  'Writes rows of an archive as rows of this person, whoever they were of; those of one table have the same columns.';
revoke all on function private.restore_rows from public, anon, authenticated, service_role;
grant execute on function private.restore_rows to service_role;

create function private.make_way(_user_id uuid, _table text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  -- The stages of the first day, and what triggers wrote of the rows before.
  delete from public.stages where user_id = _user_id and _table = 'public.stages';
  delete from public.deal_stage_log where user_id = _user_id and _table = 'public.deal_stage_log';
  delete from public.task_events where user_id = _user_id and _table = 'public.task_events';
$$;
comment on function private.make_way(uuid, text) is 'Removes what an unused account has of a table, before an archive''s rows.';
revoke all on function private.make_way from public, anon, authenticated, service_role;
grant execute on function private.make_way to service_role;

create function private.notify_import()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.notify(
    new.user_id, 'importazione_conclusa',
    case when new.state = 'fatto' then 'Archivio importato' else 'Archivio non importato' end,
    case when new.state = 'fatto' then 'I tuoi dati sono tornati al loro posto.' else new.error end,
    '/settings/data', 'archivio:' || new.id
  );
  return null;
end
$$;
comment on function private.notify_import() is 'Tells how the import of an archive ended.';
revoke all on function private.notify_import from public, anon, authenticated, service_role;

create trigger tell_import after update of state on public.data_imports
  for each row when (old.finished_at is null and new.finished_at is not null) execute function private.notify_import();

-- Security definer because the tables that count are more than a person may read through the API.
create function public.takes_archive()
  returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select private.takes_archive((select auth.uid()))
$$;
comment on function public.takes_archive() is 'Whether an archive can be brought into the caller''s account.';
revoke all on function public.takes_archive from public, anon, authenticated, service_role;
grant execute on function public.takes_archive to authenticated;
