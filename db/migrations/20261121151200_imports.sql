-- Imports: a file of contacts in chunks, each row by itself, and taking a whole file back.
--
-- The client reads the file (CSV, vCard) and sends rows; here they are checked, matched and written. A row is done once however
-- often it is sent. What the import changed is noted, so that undoing it removes what it made and nobody touched since, gives
-- changed contacts their former values, and keeps what was changed by hand.
--
-- Error codes raised:
--   SC031  there is no such import, or it is closed
--   SC032  a row cannot be imported (caught: its message is the row's, in Italian)

create type public.import_kind as enum ('csv', 'vcard');
create type public.import_state as enum ('in_corso', 'fatto', 'annullato');

create table public.import_batches (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  file_name public.single_line not null,
  kind public.import_kind not null,
  total integer not null,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  state public.import_state not null default 'in_corso',
  consent jsonb,
  -- Tags that were not there before.
  new_tags uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  unique (user_id, id),
  constraint total_fits check (total between 0 and 100000),
  constraint consent_is_an_object check (jsonb_typeof(consent) = 'object' and char_length(consent::text) <= 10000)
);
comment on table public.import_batches is 'Files of contacts that were imported, and how far.';
comment on column public.import_batches.consent is
  'What everybody in the file agreed to: {channels, purpose, state, legal_basis, wording, source, at}; null: nothing is known.';

create table private.import_rows (
  batch_id uuid not null references public.import_batches (id) on delete cascade,
  row_number integer not null,
  outcome text not null,
  message text,
  primary key (batch_id, row_number),
  constraint outcome_is_known check (outcome in ('created', 'updated', 'skipped', 'failed'))
);
comment on table private.import_rows is 'What became of each row of a file: a row that is sent again is not done again.';

create table private.import_changes (
  user_id uuid not null,
  batch_id uuid not null references public.import_batches (id) on delete cascade,
  contact_id uuid not null,
  is_new boolean not null,
  -- As private.change_row answers them; and rows that were added, {table, row}.
  changes jsonb not null default '[]',
  added jsonb not null default '[]',
  -- A new contact and all it has, as the import left it.
  fingerprint text,
  changed_at timestamptz not null default now(),
  primary key (batch_id, contact_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade
);
comment on table private.import_changes is 'What an import did to each contact, to undo it.';

create index import_batches_latest on public.import_batches (user_id, created_at desc);
create index import_changes_contact on private.import_changes (user_id, contact_id);
create index contacts_import on public.contacts (user_id, import_batch_id);
create index deals_import on public.deals (user_id, import_batch_id);
alter table public.contacts add constraint contacts_import_fkey foreign key (user_id, import_batch_id)
  references public.import_batches (user_id, id) on delete set null (import_batch_id);
alter table public.deals add constraint deals_import_fkey foreign key (user_id, import_batch_id)
  references public.import_batches (user_id, id) on delete set null (import_batch_id);

-- A row of a file touches a contact five times; it is written into the search once, when its chunk is done.
alter function private.index_contacts(uuid[]) rename to index_contacts_now;

create function private.index_contacts(_contacts uuid[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if current_setting('socio.index_later', true) is distinct from 'on' then
    perform private.index_contacts_now(_contacts);
  end if;
end
$$;
comment on function private.index_contacts(uuid[]) is
  'Writes anew what these contacts are found by, unless an import does so at its end (socio.index_later).';

create function private.contact_fingerprints(_user_id uuid, _contacts uuid[])
  returns table (contact_id uuid, fingerprint text)
  language plpgsql stable
  set search_path = ''
as $$
declare
  _parts text;
begin
  -- Not the people of a company: they are contacts of their own. Nor what is computed, nor the trash.
  select string_agg(format(
      'union all select %2$I, md5(to_jsonb(t)::text) from public.%1$I as t where user_id = $1 and %2$I = any ($2)', held_by, held_in
    ), ' ') into _parts
  from private.contact_references() where held_by <> 'contacts';
  return query execute format(
    'select parts.id, md5(string_agg(digest, '''' order by digest)) from (
       select id, md5((to_jsonb(t) - array[''updated_at'', ''next_touch_at'', ''deleted_at''])::text) as digest
       from public.contacts as t where user_id = $1 and id = any ($2) %s
     ) as parts group by parts.id', _parts
  ) using _user_id, _contacts;
end
$$;
comment on function private.contact_fingerprints(uuid, uuid[]) is 'A digest of each contact and all it has: equal, nobody touched it.';

-- Definer, as all of the import: it writes what no browser may, each row with the caller's id.
create function public.begin_import(_file_name text, _kind public.import_kind, _total integer, _consent jsonb default null)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _id uuid;
begin
  -- What cannot be read is refused now, not at the first row.
  perform value::public.consent_channel from jsonb_array_elements_text(_consent -> 'channels') as value;
  perform (_consent ->> 'purpose')::public.consent_purpose, (_consent ->> 'state')::public.consent_state,
    (_consent ->> 'legal_basis')::public.single_line, (_consent ->> 'source')::public.single_line;
  if (_consent ->> 'at')::timestamptz > now() then
    raise exception 'a consent cannot be of tomorrow' using errcode = '22023';
  end if;
  insert into public.import_batches (user_id, file_name, kind, total, consent)
    values (auth.uid(), _file_name, _kind, _total, nullif(_consent, 'null'))
    returning id into _id;
  return _id;
end
$$;
comment on function public.begin_import(text, public.import_kind, integer, jsonb) is
  'Opens an import of the caller and answers its id. Consent of the whole file: {channels: ["email"], purpose: "marketing", '
  'state: "dato", legal_basis, wording, source, at}; without a purpose «marketing», without a state «dato».';

create function private.lock_import(_batch uuid, _states public.import_state[])
  returns public.import_batches
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _found public.import_batches;
begin
  select * into _found from public.import_batches
  where user_id = auth.uid() and id = _batch and state = any (_states) for update;
  if not found then
    raise exception 'no such open import' using errcode = 'SC031';
  end if;
  return _found;
end
$$;
comment on function private.lock_import(uuid, public.import_state[]) is 'An import of the caller, locked; SC031 if there is none in such a state.';

create function public.finish_import(_batch uuid)
  returns public.import_batches
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _finished public.import_batches;
begin
  perform private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  update public.import_batches set state = 'fatto', finished_at = coalesce(finished_at, now())
  where id = _batch returning * into _finished;
  return _finished;
end
$$;
comment on function public.finish_import(uuid) is 'Closes an import of the caller: no row can be added to it any more.';

create function private.undo_import_of(_change private.import_changes)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _entry jsonb;
  _now jsonb;
  _key jsonb;
  _whole boolean := true;
begin
  for _entry in select value from jsonb_array_elements(_change.changes) with ordinality order by ordinality desc loop
    _whole := private.undo_change(_entry) and _whole;
  end loop;
  for _entry in select value from jsonb_array_elements(_change.added) loop
    _key := case
      when _entry -> 'row' ? 'id' then jsonb_build_object('id', _entry -> 'row' -> 'id')
      else jsonb_build_object('contact_id', _entry -> 'row' -> 'contact_id', 'tag_id', _entry -> 'row' -> 'tag_id')
    end;
    execute format('select to_jsonb(t) from public.%I as t where %s', _entry ->> 'table', private.row_filter(_key)) into _now;
    if _now = _entry -> 'row' then
      execute format('delete from public.%I where %s', _entry ->> 'table', private.row_filter(_key));
      if _entry ->> 'table' = 'consents' then
        -- The proof that it was noted stays; this one says why it does not count.
        insert into public.consent_events (user_id, contact_id, channel, purpose, state, source)
        select user_id, contact_id, channel, purpose, 'non_richiesto', 'Importazione annullata'
        from jsonb_populate_record(null::public.consents, _now);
      end if;
    elsif _now is not null then
      _whole := false;
    end if;
  end loop;
  return _whole;
end
$$;
comment on function private.undo_import_of(private.import_changes) is
  'Gives a contact that an import changed its former values; false where something was changed since, and stays.';

create function public.undo_import(_batch uuid)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _import public.import_batches;
  _untouched uuid[];
  _removed integer;
  _companies integer;
  _restored uuid[] := '{}';
  _partly uuid[] := '{}';
  _change private.import_changes;
  _kept jsonb;
begin
  _import := private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  for _change in select * from private.import_changes where batch_id = _batch and not is_new loop
    if private.undo_import_of(_change) then
      _restored := _restored || _change.contact_id;
    else
      _partly := _partly || _change.contact_id;
    end if;
  end loop;

  select coalesce(array_agg(contact_id), '{}') into _untouched
  from private.import_changes
  join private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes where batch_id = _batch and is_new
  )) as now_is using (contact_id)
  where batch_id = _batch and is_new and now_is.fingerprint = import_changes.fingerprint;
  delete from public.contacts where user_id = _import.user_id and id = any (_untouched) and type = 'persona';
  get diagnostics _removed = row_count;
  -- After their people: a company that somebody works for has been used since.
  delete from public.contacts
  where user_id = _import.user_id and id = any (_untouched) and not exists (
    select from public.contacts as people where people.user_id = _import.user_id and people.company_id = contacts.id
  );
  get diagnostics _companies = row_count;
  delete from public.tags
  where user_id = _import.user_id and id = any (_import.new_tags)
    and not exists (select from public.contact_tags where contact_tags.user_id = tags.user_id and tag_id = tags.id);

  select coalesce(jsonb_agg(jsonb_build_object(
      'contact_id', contacts.id, 'name', contacts.name, 'reason', 'Modificato dopo l''importazione'
    ) order by contacts.name), '[]') into _kept
  from private.import_changes
  join public.contacts on contacts.user_id = _import.user_id and contacts.id = contact_id
  where batch_id = _batch and (is_new or contact_id = any (_partly));
  delete from private.import_changes where batch_id = _batch;
  update public.import_batches set state = 'annullato', finished_at = coalesce(finished_at, now()) where id = _batch;
  return jsonb_build_object('removed', _removed + _companies, 'restored', cardinality(_restored), 'kept', _kept);
end
$$;
comment on function public.undo_import(uuid) is
  'Takes an import of the caller back. Removed: what it made and nobody touched. Restored: what it changed. Kept: what was changed by hand since, by name.';

alter table public.import_batches enable row level security;
alter table private.import_rows enable row level security;
alter table private.import_changes enable row level security;

create policy "owners read their imports" on public.import_batches
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.import_batches from public, anon, authenticated, service_role;
grant select on public.import_batches to authenticated, service_role;

revoke all on function private.index_contacts, private.contact_fingerprints, private.lock_import, private.undo_import_of, public.begin_import,
  public.finish_import, public.undo_import from public, anon, authenticated, service_role;
grant execute on function public.begin_import, public.finish_import, public.undo_import to authenticated;
