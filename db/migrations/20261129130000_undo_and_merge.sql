-- Merges and imports that end in time, and whose undoing gives back what was there: large ones go set by set and in portions,
-- one undone before another leaves no foreign value, a refusal outlives a file, and what is written to a merged contact
-- reaches the one that is left, whatever it is.

-- What is undone ---------------------------------------------------------------------------------------------------------

create function private.rebase_changes(_changes jsonb, _like jsonb, _former jsonb)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  select jsonb_agg(
    case when change @> _like then jsonb_set(change, '{before}', change -> 'before' || _former) else change end order by place
  )
  from jsonb_array_elements(_changes) with ordinality as changes (change, place)
$$;
comment on function private.rebase_changes(jsonb, jsonb, jsonb) is 'Changes that will put back something else than what they found.';

create function private.hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamptz)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _user_id constant uuid := _row ->> 'user_id';
  _contact_id constant uuid := coalesce(_row ->> 'contact_id', _row ->> 'id');
  _like constant jsonb := jsonb_build_object('table', _change -> 'table', 'key', _change -> 'key', 'before', _part);
  _former constant jsonb := (select jsonb_object_agg(key, _change -> 'before' -> key) from jsonb_object_keys(_part) as key);
  _is_merge boolean;
begin
  update public.merge_log set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and winner_id = _contact_id and created_at >= _since and undone_at is null
    and changes @> jsonb_build_array(_like);
  _is_merge := found;
  update private.import_changes set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and contact_id = _contact_id and changed_at >= _since and changes @> jsonb_build_array(_like);
  return _is_merge or found;
end
$$;
comment on function private.hand_back(jsonb, jsonb, jsonb, timestamptz) is
  'Hands the former values of a part of a change to the later merge or import that wrote over it; false if there is none.';

drop function private.undo_change(jsonb);
create function private.undo_change(_change jsonb, _since timestamptz)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _now jsonb;
  _back jsonb;
  _over jsonb;
  _is_whole boolean;
begin
  execute format(
    'select to_jsonb(t) from public.%I as t where %s for update', _change ->> 'table', private.row_filter(_change -> 'key')
  ) into _now;
  if _now is null then
    return false;
  end if;
  select jsonb_object_agg(key, _change -> 'before' -> key) filter (where _now -> key = value),
    jsonb_object_agg(key, value) filter (where _now -> key <> value)
  into _back, _over
  from jsonb_each(_change -> 'after');
  -- A contact is put back field by field; anything else is one statement, whole or not at all.
  if _change ->> 'table' <> 'contacts' and _over is not null then
    return private.hand_back(_now, _change, _change -> 'after', _since);
  end if;
  select coalesce(bool_and(private.hand_back(_now, _change, jsonb_build_object(key, value), _since)), true) into _is_whole
  from jsonb_each(_over);
  -- Erasing a company would have left the field empty.
  if _back ->> 'company_id' is not null and not exists (
    select from public.contacts where user_id = (_now ->> 'user_id')::uuid and id = (_back ->> 'company_id')::uuid
  ) then
    _back := _back || '{"company_id": null}';
  end if;
  if _back is not null then
    perform private.change_row(_change ->> 'table', _change -> 'key', _back);
  end if;
  return _is_whole;
exception
  -- Its place was taken since, or what it was fits no more: what is there now stays.
  when integrity_constraint_violation then
    return false;
end
$$;
comment on function private.undo_change(jsonb, timestamptz) is
  'Puts back what still is as a change of that time left it; what a later merge or import wrote over, that one puts back. False '
  'where something was changed by hand since, and stays.';

-- Merges -----------------------------------------------------------------------------------------------------------------

create function private.move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[])
  returns uuid[]
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _row uuid;
  _moved uuid[] := '{}';
begin
  execute format(
    'with moved as (update public.%1$I set %2$I = $3 where user_id = $1 and %2$I = $2 and %3$I = any ($4) returning %3$I as id)
     select coalesce(array_agg(id), ''{}'') from moved', _table, _column, private.child_key(_table)
  ) into _moved using _user_id, _from, _to, _rows;
  return _moved;
exception
  -- The other has one of them already (a tag, a consent): one is enough.
  when unique_violation then
    if cardinality(_rows) > 1 then
      foreach _row in array _rows loop
        _moved := _moved || private.move_rows(_user_id, _table, _column, _from, _to, array[_row]);
      end loop;
    end if;
    return _moved;
end
$$;
comment on function private.move_rows(uuid, text, text, uuid, uuid, uuid[]) is
  'Hangs rows of one contact on another, all that still hang there and that it has not yet; answers which.';

create function private.child_key(_table text)
  returns text
  language sql immutable strict
  set search_path = ''
as $$
  select case _table when 'contact_tags' then 'tag_id' else 'id' end
$$;
comment on function private.child_key(text) is 'The column that tells rows of one contact apart.';

create or replace function private.move_children(_user_id uuid, _from uuid, _to uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _reference record;
  _rows uuid[];
  _changes jsonb := '[]';
begin
  for _reference in select * from private.contact_references() loop
    execute format(
      'select array_agg(%3$I) from public.%1$I where user_id = $1 and %2$I = $2',
      _reference.held_by, _reference.held_in, private.child_key(_reference.held_by)
    ) into _rows using _user_id, _from;
    _rows := private.move_rows(_user_id, _reference.held_by, _reference.held_in, _from, _to, _rows);
    if cardinality(_rows) > 0 then
      _changes := _changes || jsonb_build_object(
        'table', _reference.held_by, 'column', _reference.held_in, 'rows', _rows, 'before', _from, 'after', _to
      );
    end if;
  end loop;
  return _changes;
end
$$;

comment on column public.merge_log.changes is
  'What to undo, in the order in which it was done: {table, key, before, after} of columns, {table, column, rows, before, after} '
  'of rows that were moved, {table, added} of rows that were added.';

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

create or replace function private.merge_details(_user_id uuid, _from uuid, _to uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _row record;
  _changes jsonb := '[]';
begin
  -- One main address and number each.
  for _row in
    select held_by, held.id from (
      select 'contact_emails' as held_by, id, contact_id from public.contact_emails where user_id = _user_id and is_primary
      union all
      select 'contact_phones', id, contact_id from public.contact_phones where user_id = _user_id and is_primary
    ) as held
    where contact_id = _from and exists (
      select from public.contact_emails where held_by = 'contact_emails' and user_id = _user_id and contact_id = _to and is_primary
      union all
      select from public.contact_phones where held_by = 'contact_phones' and user_id = _user_id and contact_id = _to and is_primary
    )
  loop
    _changes := _changes || private.change_row(_row.held_by, jsonb_build_object('id', _row.id), '{"is_primary": false}');
  end loop;
  for _row in
    select kept.id, to_jsonb(other) as other
    from public.consents as kept
    join public.consents as other using (user_id, channel, purpose)
    where user_id = _user_id and kept.contact_id = _to and other.contact_id = _from and private.overrules(other, kept)
  loop
    _changes := _changes || private.change_row('consents', jsonb_build_object('id', _row.id), (
      select jsonb_object_agg(key, value) from jsonb_each(_row.other)
      where key in ('state', 'legal_basis', 'wording', 'source', 'at')
    ));
  end loop;
  -- Who was not the same person as the one is not the same as the other.
  with told as (
    insert into public.contact_distinct (user_id, a_id, b_id)
    select _user_id, least(third, _to), greatest(third, _to)
    from (
      select case a_id when _from then b_id else a_id end as third from public.contact_distinct
      where user_id = _user_id and _from in (a_id, b_id)
    ) as told_apart
    where third <> _to
    on conflict do nothing
    returning id
  )
  select _changes || jsonb_build_object('table', 'contact_distinct', 'added', coalesce(jsonb_agg(id), '[]')) into _changes from told;
  return _changes;
end
$$;

create or replace function public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb default '{}')
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _fields constant text[] := array[
    'first_name', 'last_name', 'business_name', 'company_id', 'job_title', 'vat_number', 'tax_code', 'sdi_code', 'pec', 'regime',
    'address', 'website', 'touch_days', 'snoozed_until', 'note'
  ];
  _left jsonb;
  _gone jsonb;
  _taken jsonb;
  _changes jsonb;
  _id uuid;
begin
  -- In one order for everybody, so that two merges of the same pair wait for each other.
  perform from public.contacts where user_id = auth.uid() and id in (_winner, _loser) order by id for update;
  select to_jsonb(contacts) into _left from public.contacts
  where user_id = auth.uid() and id = _winner and merged_into is null and deleted_at is null;
  select to_jsonb(contacts) into _gone from public.contacts
  where user_id = auth.uid() and id = _loser and id <> _winner and merged_into is null and deleted_at is null;
  if _left is null or _gone is null then
    raise exception 'no such pair of contacts' using errcode = 'SC021';
  elsif _left -> 'type' <> _gone -> 'type' then
    raise exception 'a person and a company are not one' using errcode = 'SC022';
  elsif exists (select from jsonb_each_text(_choices) where key <> all (_fields) or value not in ('winner', 'loser')) then
    raise exception 'a choice is «winner» or «loser» for a field' using errcode = '22023';
  end if;

  -- Not chosen: what the winner says, else the loser.
  select jsonb_object_agg(field, _gone -> field) into _taken from unnest(_fields) as field
  where coalesce(_choices ->> field, case when _left ->> field is null then 'loser' end) = 'loser'
    and _gone -> field <> _left -> field;
  -- Companies are not part of themselves.
  if _taken ->> 'company_id' in (_winner::text, _loser::text) then
    _taken := _taken - 'company_id';
  end if;

  _changes := private.merge_details(auth.uid(), _loser, _winner);
  -- Before people come along: who works for a company is found by its name.
  if _taken <> '{}' then
    _changes := _changes || private.change_row('contacts', jsonb_build_object('id', _winner), _taken);
  end if;
  _changes := _changes || private.move_children(auth.uid(), _loser, _winner);
  -- What was said to the other is no news: it ends no snooze.
  update public.contacts set snoozed_until = ((_left || coalesce(_taken, '{}')) ->> 'snoozed_until')::timestamptz
  where user_id = auth.uid() and id = _winner;
  _changes := _changes
    || private.change_row('contacts', jsonb_build_object('id', _loser), jsonb_build_object('merged_into', _winner));
  -- The cadence counts what hangs on the contact now.
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_winner, _loser);
  insert into public.merge_log (user_id, winner_id, loser_id, loser_name, choices, changes)
    values (auth.uid(), _winner, _loser, _gone ->> 'name', _choices, _changes)
    returning id into _id;
  return _id;
end
$$;

create or replace function public.undo_merge(_merge_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _merge public.merge_log;
  _snoozes jsonb;
  _change jsonb;
  _refusal record;
begin
  select * into _merge from public.merge_log where user_id = auth.uid() and id = _merge_id for update;
  if not found or _merge.loser_id is null then
    raise exception 'no such merge' using errcode = 'SC021';
  elsif _merge.undone_at is not null or _merge.created_at < now() - interval '30 days' or exists (
    select from public.contacts where user_id = auth.uid() and id = _merge.winner_id and merged_into is not null
  ) then
    raise exception 'this merge cannot be undone any more' using errcode = 'SC023';
  end if;

  perform from public.contacts where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id) order by id for update;
  select jsonb_object_agg(id, snoozed_until) into _snoozes from public.contacts
  where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _change in select value from jsonb_array_elements(_merge.changes) with ordinality order by ordinality desc loop
    if _change ? 'rows' then
      perform private.move_rows(
        auth.uid(), _change ->> 'table', _change ->> 'column', (_change ->> 'after')::uuid, (_change ->> 'before')::uuid,
        array(select jsonb_array_elements_text(_change -> 'rows')::uuid)
      );
    elsif _change ? 'added' then
      delete from public.contact_distinct
      where user_id = auth.uid() and id in (select jsonb_array_elements_text(_change -> 'added')::uuid);
    else
      perform private.undo_change(_change, _merge.created_at);
    end if;
  end loop;
  -- Interactions that came back are no news: they end no snooze.
  update public.contacts set snoozed_until = (_snoozes ->> id::text)::timestamptz
  where user_id = auth.uid() and id = _merge.loser_id;
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _refusal in
    select distinct on (channel, purpose) * from public.consent_events
    where user_id = auth.uid() and contact_id = _merge.winner_id and created_at > _merge.created_at
    order by channel, purpose, at desc, created_at desc
  loop
    if _refusal.state in ('negato', 'revocato') then
      perform public.record_consent(
        _merge.loser_id, _refusal.channel, _refusal.purpose, _refusal.state, _refusal.legal_basis, _refusal.wording,
        _refusal.source
      );
    end if;
  end loop;
  update public.merge_log set undone_at = now() where id = _merge_id;
end
$$;

create or replace function private.follow_searched_contacts()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.index_contacts(array(select id from changed));
    return null;
  end if;
  -- Never joined: a plan made for one row would compare all people of a company with each other.
  perform private.index_contacts(array(
    select id from (
      select id, name, company_id, job_title, pec, tax_code, vat_number, address, note, merged_into, deleted_at from changed
      except
      select id, name, company_id, job_title, pec, tax_code, vat_number, address, note, merged_into, deleted_at from former
    ) as searched
    union
    -- Who works for a company is found by its name.
    select people.id
    from (select user_id, id, name from changed except select user_id, id, name from former) as renamed
    cross join lateral (
      select contacts.id from public.contacts
      where contacts.user_id = renamed.user_id and contacts.company_id = renamed.id offset 0
    ) as people
  ));
  return null;
end
$$;

-- The plan for one contact is none for the thousands of a company.
alter function private.index_contacts_now(uuid[]) set plan_cache_mode = force_custom_plan;

-- What is written to a merged contact ------------------------------------------------------------------------------------

do $$
declare
  _table text;
begin
  foreach _table in array array[
    'deals', 'documents', 'drafts', 'interactions', 'invoices', 'memories', 'notes', 'projects', 'tasks'
  ] loop
    execute format('drop trigger if exists follow_merge on public.%I', _table);
    execute format(
      'create trigger follow_merge before insert or update of contact_id on public.%I
       for each row when (new.contact_id is not null) execute function private.follow_merge()', _table
    );
    -- As it should have been.
    execute format(
      'update public.%1$I set contact_id = %1$I.contact_id from public.contacts
       where contacts.user_id = %1$I.user_id and contacts.id = %1$I.contact_id and contacts.merged_into is not null', _table
    );
  end loop;
end
$$;

create function private.follow_merge_of_waiting()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  new.waiting_for := coalesce(private.living_contact(new.user_id, new.waiting_for), new.waiting_for);
  return new;
end
$$;
comment on function private.follow_merge_of_waiting() is 'As follow_merge, for whom a task waits for.';

create trigger follow_merge_of_waiting
  before insert or update of waiting_for on public.tasks
  for each row when (new.waiting_for is not null) execute function private.follow_merge_of_waiting();
update public.tasks set waiting_for = tasks.waiting_for from public.contacts
where contacts.user_id = tasks.user_id and contacts.id = tasks.waiting_for and contacts.merged_into is not null;

-- Imports ----------------------------------------------------------------------------------------------------------------

create or replace function private.match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[])
  returns public.contacts
  language sql stable
  set search_path = ''
as $$
  -- A switchboard or info@ belongs to many people, and so does the number of their company: there the name has to fit as well.
  select contact
  from (
    select id as contact_id, 1 as place, true as is_sure from public.contacts
    where user_id = _user_id and tax_code = _fields ->> 'tax_code'
    union all
    select contact_id, 2, false from unnest(_emails) as given (email) join public.contact_emails on user_id = _user_id and norm = email
    union all
    select id, 3, type = 'azienda' from public.contacts where user_id = _user_id and vat_number = _fields ->> 'vat_number'
    union all
    select contact_id, 4, false from unnest(_phones) as given (phone) join public.contact_phones on user_id = _user_id and norm = phone
    union all
    -- Of companies often the name is all that is known; two of one name are told apart by their numbers.
    select id, 5, true from public.contacts
    where _fields ->> 'type' = 'azienda' and user_id = _user_id and lower(name) = lower(_name)
      and (vat_number = _fields ->> 'vat_number') is not false and (tax_code = _fields ->> 'tax_code') is not false
  ) as found
  -- `offset 0` keeps the order: first what was found, then who it is.
  cross join lateral (select contacts from public.contacts where user_id = _user_id and id = contact_id offset 0) as there (contact)
  where (contact).type::text = _fields ->> 'type' and (contact).merged_into is null
    and (is_sure or _name is null or extensions.similarity(private.plain_name((contact).name), private.plain_name(_name)) >= 0.3)
  order by (contact).deleted_at is not null, place, (contact).created_at, (contact).id
  limit 1
$$;

create or replace function private.import_consents(_batch public.import_batches, _contact_id uuid)
  returns jsonb
  language sql volatile
  set search_path = ''
as $$
  -- A word that the person gave is never overruled by a file; that nobody asked is none, as if there were no row.
  with noted as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
    select _batch.user_id, _contact_id, channel::public.consent_channel,
      coalesce(_batch.consent ->> 'purpose', 'marketing')::public.consent_purpose,
      coalesce(_batch.consent ->> 'state', 'dato')::public.consent_state,
      nullif(_batch.consent ->> 'legal_basis', ''), nullif(_batch.consent ->> 'wording', ''),
      coalesce(nullif(_batch.consent ->> 'source', ''), 'Importazione di ' || _batch.file_name),
      coalesce((_batch.consent ->> 'at')::timestamptz, now())
    from (select distinct jsonb_array_elements_text(_batch.consent -> 'channels') as channel) as channels
    on conflict (contact_id, channel, purpose) do update
      set state = excluded.state, legal_basis = excluded.legal_basis, wording = excluded.wording, source = excluded.source,
        at = excluded.at
      where consents.state = 'non_richiesto'
    returning *
  ), proven as (
    insert into public.consent_events (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
    select user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at from noted
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'consents', 'row', to_jsonb(noted))), '[]') from noted
$$;

create or replace function private.import_row(_batch public.import_batches, _row jsonb, _match text)
  returns text
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields jsonb := private.import_fields(_row);
  _emails constant text[] := array(
    select btrim(value) from jsonb_array_elements_text(_row -> 'emails') as value where value ~ '[^[:space:]]'
  );
  _phones constant jsonb := coalesce((
    select jsonb_agg(phone) from jsonb_array_elements(_row -> 'phones') as phone where phone ->> 'value' ~ '[^[:space:]]'
  ), '[]');
  _norms constant text[] := array(select lower(value) from unnest(_emails) as value);
  _numbers constant text[] := array(select phone ->> 'norm' from jsonb_array_elements(_phones) as phone);
  _tags constant text[] := array(
    select private.import_text(value) from jsonb_array_elements_text(_row -> 'tags') as value where value ~ '[^[:space:]]'
  );
  _company constant text := private.import_text(_row ->> 'company');
  _name constant text := nullif(concat_ws(' ', _fields ->> 'first_name', _fields ->> 'last_name', _fields ->> 'business_name'), '');
  _there public.contacts;
  _taken jsonb;
  _note text;
  _id uuid;
begin
  -- Who has no name is known by an address or a number.
  if _name is null and coalesce(_emails[1], _phones #>> '{0,value}') is not null then
    _fields := _fields || jsonb_build_object('first_name', coalesce(_emails[1], _phones #>> '{0,value}'));
  end if;
  perform private.check_import(_fields, _emails, _phones);
  if _match <> 'crea' then
    _there := private.match_import(_batch.user_id, _fields, _name, _norms, _numbers);
  end if;
  if _there.id is not null and _there.deleted_at is null and _match = 'salta' then
    return 'skipped';
  end if;
  if _company is not null and _fields ->> 'type' = 'persona' then
    _fields := _fields || jsonb_build_object('company_id', private.import_company(_batch, _company));
  end if;
  _note := concat_ws(E'\n', _fields ->> 'note', private.import_leftovers(_batch.user_id, _there.id, _norms, _numbers));
  _fields := case when _note = '' then _fields else _fields || jsonb_build_object('note', _note) end;

  if _there.id is null then
    insert into public.contacts (
      user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, website,
      address, note, origin, import_batch_id
    )
    select _batch.user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec,
      website, address, note, 'import', _batch.id
    from jsonb_populate_record(null::public.contacts, _fields)
    returning id into _id;
    perform private.import_children(_batch, _id, _emails, _phones, _tags);
    perform private.note_import(_batch, _id, true, '[]', '[]');
    return 'created';
  end if;

  -- What the file says counts, what it does not say stays; a note is added to. Who is in the trash is needed again.
  -- But parts of two addresses are none: once street or city is another one, all of it is the file's.
  if _fields ? 'address' and not exists (
    select from jsonb_each_text(_there.address) where key in ('street', 'city') and value <> _fields -> 'address' ->> key
  ) then
    _fields := _fields || jsonb_build_object('address', coalesce(_there.address, '{}') || (_fields -> 'address'));
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into _taken from jsonb_each(_fields)
  where key not in ('type', 'note') and to_jsonb(_there) -> key <> value
    and (_name is not null or key not in ('first_name', 'last_name', 'business_name'));
  if _there.deleted_at is not null then
    _taken := _taken || '{"deleted_at": null}';
  end if;
  if strpos(coalesce(_there.note, ''), _note) = 0 then
    _taken := _taken || jsonb_build_object('note', concat_ws(E'\n', _there.note, _note));
  end if;
  perform private.note_import(
    _batch, _there.id, false,
    case when _taken = '{}' then '[]' else
      jsonb_build_array(private.change_row('contacts', jsonb_build_object('id', _there.id), _taken)) end,
    private.import_children(_batch, _there.id, _emails, _phones, _tags)
  );
  return 'updated';
end
$$;

create or replace function public.import_contacts(_batch uuid, _rows jsonb, _match text default 'aggiorna')
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
as $$
declare
  _import public.import_batches;
  _row jsonb;
  _answer jsonb;
begin
  if jsonb_typeof(_rows) <> 'array' or jsonb_array_length(_rows) > 500 or _match not in ('aggiorna', 'salta', 'crea') then
    raise exception 'at most 500 rows, and «aggiorna», «salta» or «crea»' using errcode = '22023';
  end if;
  _import := private.lock_import(_batch, array['in_corso']::public.import_state[]);
  perform set_config('socio.index_later', 'on', true);
  for _row in
    select distinct on ((value ->> 'row')::integer) value from jsonb_array_elements(_rows)
    where not exists (
      select from private.import_rows where batch_id = _batch and row_number = (value ->> 'row')::integer
    )
    order by (value ->> 'row')::integer
  loop
    perform private.try_import_row(_import, _row, _match);
  end loop;
  perform set_config('socio.index_later', 'off', true);
  perform private.index_contacts(array(
    select contact_id from private.import_changes where batch_id = _batch and changed_at = now()
  ));

  update private.import_changes set fingerprint = fresh.fingerprint
  from private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes
    where batch_id = _batch and changed_at = now() and fingerprint is null
      -- Who was new or in the trash: undoing it takes them away again.
      and (is_new or changes @? '$[*].after.deleted_at')
  )) as fresh
  where batch_id = _batch and import_changes.contact_id = fresh.contact_id;
  update public.import_batches set (created, updated, skipped, failed) = (
    select count(*) filter (where outcome = 'created'), count(*) filter (where outcome = 'updated'),
      count(*) filter (where outcome = 'skipped'), count(*) filter (where outcome = 'failed')
    from private.import_rows where batch_id = _batch
  )
  where id = _batch;
  select jsonb_build_object(
    'created', count(*) filter (where outcome = 'created'), 'updated', count(*) filter (where outcome = 'updated'),
    'skipped', count(*) filter (where outcome = 'skipped'), 'errors', coalesce(
      jsonb_agg(jsonb_build_object('row', row_number, 'message', message) order by row_number) filter (where outcome = 'failed'), '[]'
    )
  ) into _answer
  from private.import_rows
  where batch_id = _batch and row_number in (select (value ->> 'row')::integer from jsonb_array_elements(_rows));
  return _answer;
end
$$;

comment on column private.import_changes.fingerprint is
  'Who was added or taken out of the trash and all they have, as the import left it.';

create or replace function private.undo_import_of(_change private.import_changes)
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

create or replace function public.undo_import(_batch uuid)
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

revoke all on function private.rebase_changes(jsonb, jsonb, jsonb), private.hand_back(jsonb, jsonb, jsonb, timestamptz),
  private.undo_change(jsonb, timestamptz), private.move_rows(uuid, text, text, uuid, uuid, uuid[]), private.child_key(text),
  private.is_of_file(public.consents), private.overrules(public.consents, public.consents), private.follow_merge_of_waiting()
  from public, anon, authenticated, service_role;
