-- Imports: what a file changed, and undoing it. Undo removes what the import made and nobody touched since, gives
-- changed contacts their former values, and keeps what was changed by hand.

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
  -- changes: as private.change_row returns them. added: the rows that were added, as {table, row}.
  changes jsonb not null default '[]',
  added jsonb not null default '[]',
  -- A new contact with all its rows, as the import left it.
  fingerprint text,
  changed_at timestamptz not null default now(),
  primary key (batch_id, contact_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade
);
comment on table private.import_changes is 'What an import did to each contact, to undo it.';
comment on column private.import_changes.fingerprint is
  'Who was added or taken out of the trash and all they have, as the import left it.';

create index import_changes_contact on private.import_changes (user_id, contact_id);

create function private.index_contacts(_contacts uuid[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if cardinality(_contacts) = 0 or current_setting('socio.index_later', true) = 'on' then
    return;
  end if;
  -- An erasure takes addresses before contacts.
  _contacts := array(select id from public.contacts where id = any (_contacts) and not private.is_being_erased(user_id));
  -- Planning alone takes longer than most of what changes a contact.
  if cardinality(_contacts) > 0 then
    perform private.index_contacts_now(_contacts);
  end if;
end
$$;
comment on function private.index_contacts(uuid[]) is
  'Writes again what these contacts are found by, unless an import does so at its end (socio.index_later) or they are '
  'being erased.';
revoke all on function private.index_contacts from public, anon, authenticated, service_role;

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
comment on function private.contact_fingerprints(uuid, uuid[]) is 'A digest of each contact and all it has: equal while it is unchanged.';
revoke all on function private.contact_fingerprints from public, anon, authenticated, service_role;

create function private.undo_import_of(_change private.import_changes)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _entry jsonb;
  _now jsonb;
  _key jsonb;
  -- Out of the trash, and used since: it does not go back.
  _is_needed constant boolean := _change.changes @? '$[*].after.deleted_at' and (
    _change.fingerprint is distinct from (
      select fingerprint from private.contact_fingerprints(_change.user_id, array[_change.contact_id])
    )
    or exists (
      select from public.contacts where user_id = _change.user_id and merged_into = _change.contact_id
      union all
      select from public.contacts
      where user_id = _change.user_id and company_id = _change.contact_id and deleted_at is null
        and import_batch_id is distinct from _change.batch_id
    )
  );
  _whole boolean := not _is_needed;
begin
  for _entry in select value from jsonb_array_elements(_change.changes) with ordinality order by ordinality desc loop
    if _entry -> 'after' ? 'deleted_at' then
      -- Thirty days from now on.
      _entry := case
        when _is_needed then _entry #- '{after,deleted_at}'
        else jsonb_set(_entry, '{before,deleted_at}', to_jsonb(now()))
      end;
    end if;
    _whole := private.undo_change(_entry, _change.changed_at) and _whole;
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
revoke all on function private.undo_import_of from public, anon, authenticated, service_role;

create function public.undo_import(_batch uuid)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _import public.import_batches;
  _portion uuid[];
  _untouched uuid[];
  _removed integer;
  _companies integer;
  _restored uuid[] := '{}';
  _partly uuid[] := '{}';
  _change private.import_changes;
  _kept jsonb;
  _left integer;
begin
  _import := private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  -- So many as fit well into the time of a call. Companies after their people: one that somebody works for was used since.
  _portion := array(
    select contact_id from private.import_changes
    join public.contacts on contacts.user_id = import_changes.user_id and contacts.id = contact_id
    where batch_id = _batch order by is_new, type = 'azienda', contact_id limit 200
  );
  perform set_config('socio.index_later', 'on', true);
  for _change in
    select * from private.import_changes where batch_id = _batch and contact_id = any (_portion) and not is_new
  loop
    if private.undo_import_of(_change) then
      _restored := _restored || _change.contact_id;
    else
      _partly := _partly || _change.contact_id;
    end if;
  end loop;
  perform set_config('socio.index_later', 'off', true);
  perform private.index_contacts(_restored || _partly);

  select coalesce(array_agg(contact_id), '{}') into _untouched
  from private.import_changes
  join private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes where batch_id = _batch and contact_id = any (_portion) and is_new
  )) as now_is using (contact_id)
  where batch_id = _batch and is_new and now_is.fingerprint = import_changes.fingerprint
    -- Who was merged into it would go with it.
    and not exists (
      select from public.contacts as merged
      where merged.user_id = _import.user_id and merged.merged_into = import_changes.contact_id
    );
  delete from public.contacts where user_id = _import.user_id and id = any (_untouched) and type = 'persona';
  get diagnostics _removed = row_count;
  delete from public.contacts
  where user_id = _import.user_id and id = any (_untouched) and not exists (
    select from public.contacts as people where people.user_id = _import.user_id and people.company_id = contacts.id
  );
  get diagnostics _companies = row_count;

  select coalesce(jsonb_agg(jsonb_build_object(
      'contact_id', contacts.id, 'name', contacts.name, 'reason', 'Modificato dopo l''importazione'
    ) order by contacts.name), '[]') into _kept
  from private.import_changes
  join public.contacts on contacts.user_id = _import.user_id and contacts.id = contact_id
  where batch_id = _batch and contact_id = any (_portion) and (is_new or contact_id = any (_partly));
  delete from private.import_changes where batch_id = _batch and contact_id = any (_portion);

  select count(*) into _left from private.import_changes where batch_id = _batch;
  if _left = 0 then
    delete from public.tags
    where user_id = _import.user_id and id = any (_import.new_tags)
      and not exists (select from public.contact_tags where contact_tags.user_id = tags.user_id and tag_id = tags.id);
  end if;
  -- From the first portion on nothing is added to it any more.
  update public.import_batches
  set state = case _left when 0 then 'annullato' else 'fatto' end::public.import_state,
    finished_at = coalesce(finished_at, now())
  where id = _batch;
  return jsonb_build_object(
    'removed', _removed + _companies, 'restored', cardinality(_restored), 'kept', _kept, 'left', _left
  );
end
$$;
comment on function public.undo_import(uuid) is
  'Takes a portion of an import of the caller back; again, until none are left. Removed: what it made and nobody touched. '
  'Restored: what it changed. Kept: what was changed by hand since, by name. Left: how many contacts are still to come.';
revoke all on function public.undo_import from public, anon, authenticated, service_role;
grant execute on function public.undo_import to authenticated;

create function private.is_of_file(_consent public.consents)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.import_batches
    where user_id = _consent.user_id and consent -> 'channels' ? _consent.channel::text
      and coalesce(nullif(consent ->> 'source', ''), 'Importazione di ' || file_name) = _consent.source
  )
$$;
comment on function private.is_of_file(public.consents) is 'Whether a consent is, by its source, what a file said of everybody in it.';
revoke all on function private.is_of_file from public, anon, authenticated, service_role;

create function private.overrules(_other public.consents, _kept public.consents)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  -- Of two consents the later word counts; against a refusal only one that was noted by hand.
  select case
    when _other.state = 'non_richiesto' then false
    when _kept.state = 'non_richiesto' then true
    when _kept.state = 'dato' and _other.state <> 'dato' then _other.at >= _kept.at or private.is_of_file(_kept)
    when _kept.state <> 'dato' and _other.state = 'dato' then _other.at > _kept.at and not private.is_of_file(_other)
    else _other.at > _kept.at
  end
$$;
comment on function private.overrules(public.consents, public.consents) is
  'Whether of the consents of two contacts that become one the first counts, and not the second.';
revoke all on function private.overrules from public, anon, authenticated, service_role;

alter table private.import_rows enable row level security;
alter table private.import_changes enable row level security;

revoke all on private.import_rows from public, anon, authenticated, service_role;

revoke all on private.import_changes from public, anon, authenticated, service_role;
