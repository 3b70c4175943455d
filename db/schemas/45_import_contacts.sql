-- Importing contacts: one row of a file is read, checked, matched with the existing contacts and written. The client
-- reads the file (CSV, vCard) and sends rows in chunks; a row is written once, however often it is sent.
--
-- Row: {row, type, first_name, last_name, business_name, company, job_title, vat_number, tax_code, sdi_code, pec,
-- emails: [text], phones: [{value, norm}], tags: [text], address: {street, postal_code, city, province, country}, note,
-- website}.
--
-- A row is looked up from its addresses and numbers to the contact, in a fixed order: with statistics from many small
-- accounts Postgres otherwise reads one account's contacts from end to end for each row (2,000 rows took over a
-- minute).
--
-- Error codes raised:
--   SC032  a row cannot be imported (caught: its message is shown for the row, in Italian)

create function private.import_fields(_row jsonb)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'type', coalesce(_row ->> 'type', case when coalesce(first_name, last_name) is null and business_name is not null
      then 'azienda' else 'persona' end),
    'first_name', first_name, 'last_name', last_name, 'business_name', business_name,
    'job_title', private.one_line(_row ->> 'job_title'),
    'vat_number', private.bare_number(translate(_row ->> 'vat_number', '.-', '')),
    'tax_code', regexp_replace(upper(_row ->> 'tax_code'), '[[:space:].-]', '', 'g'),
    'sdi_code', upper(private.one_line(_row ->> 'sdi_code')),
    'pec', lower(private.one_line(_row ->> 'pec')),
    'website', regexp_replace(private.one_line(_row ->> 'website'), '^(?!https?://)', 'https://', 'i'),
    'address', (
      select jsonb_object_agg(key, private.one_line(value)) from jsonb_each_text(_row -> 'address')
      where private.one_line(value) is not null
    ),
    'note', nullif(btrim(_row ->> 'note'), '')
  )) - array(select key from jsonb_each_text(_row) where key in ('vat_number', 'tax_code') and private.one_line(value) is null)
  from (values (
    private.one_line(_row ->> 'first_name'), private.one_line(_row ->> 'last_name'), private.one_line(_row ->> 'business_name')
  )) as names (first_name, last_name, business_name)
$$;
comment on function private.import_fields(jsonb) is 'The columns of a contact that a row fills, as they are stored.';
revoke all on function private.import_fields from public, anon, authenticated, service_role;

create function private.check_import(_fields jsonb, _emails text[], _phones jsonb)
  returns void
  language plpgsql stable
  set search_path = ''
as $$
declare
  _address constant text := '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+\.[^[:space:][:cntrl:]@]+$';
  _problem text := (
    select message from (values
      (1, not private.is_vat_number(_fields ->> 'vat_number'), 'Partita IVA non valida: ' || (_fields ->> 'vat_number')),
      (2, not (private.is_tax_code(_fields ->> 'tax_code') or private.is_vat_number(_fields ->> 'tax_code')),
        'Codice fiscale non valido: ' || (_fields ->> 'tax_code')),
      (3, _fields ->> 'sdi_code' !~ '^[A-Z0-9]{6,7}$', 'Codice destinatario non valido: ' || (_fields ->> 'sdi_code')),
      (4, _fields ->> 'pec' !~ _address, 'PEC non valida: ' || (_fields ->> 'pec')),
      (5, exists (select from unnest(_emails) as value where value !~ _address or char_length(value) > 254),
        'E-mail non valida: ' || (select value from unnest(_emails) as value where value !~ _address or char_length(value) > 254 limit 1)),
      (6, exists (select from jsonb_array_elements(_phones) as phone where coalesce(phone ->> 'norm', '') !~ '^\+[1-9][0-9]{6,14}$'),
        'Telefono non valido: ' || coalesce((
          select phone ->> 'value' from jsonb_array_elements(_phones) as phone
          where coalesce(phone ->> 'norm', '') !~ '^\+[1-9][0-9]{6,14}$' limit 1
        ), '')),
      (7, _fields ->> 'website' !~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$', 'Sito non valido: ' || (_fields ->> 'website')),
      (8, coalesce(_fields ->> 'first_name', _fields ->> 'last_name', _fields ->> 'business_name') is null, 'Manca il nome')
    ) as checks (place, is_wrong, message)
    where is_wrong order by place limit 1
  );
begin
  if _problem is not null then
    raise exception '%', left(_problem, 300) using errcode = 'SC032';
  end if;
end
$$;
comment on function private.check_import(jsonb, text[], jsonb) is 'Raises SC032 with the first thing that is wrong with a row, in Italian.';
revoke all on function private.check_import from public, anon, authenticated, service_role;

create function private.match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[])
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
    where _fields ->> 'type' = 'azienda' and user_id = _user_id and private.name_key(name) = private.name_key(_name)
      and (vat_number = _fields ->> 'vat_number') is not false and (tax_code = _fields ->> 'tax_code') is not false
  ) as found
  -- `offset 0` keeps the order: first what was found, then who it is.
  cross join lateral (select contacts from public.contacts where user_id = _user_id and id = contact_id offset 0) as there (contact)
  where (contact).type::text = _fields ->> 'type' and (contact).merged_into is null
    and (is_sure or _name is null or private.name_similarity((contact).name, _name) >= 0.3)
  order by (contact).deleted_at is not null, place, (contact).created_at, (contact).id
  limit 1
$$;
comment on function private.match_import(uuid, jsonb, text, text[], text[]) is 'The contact that a row is about, if it is there; else null.';
revoke all on function private.match_import from public, anon, authenticated, service_role;

create function private.note_import(_batch public.import_batches, _contact_id uuid, _is_new boolean, _changes jsonb, _added jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into private.import_changes (user_id, batch_id, contact_id, is_new, changes, added)
    values (_batch.user_id, _batch.id, _contact_id, _is_new, _changes, _added)
  on conflict (batch_id, contact_id) do update
    set changes = import_changes.changes || excluded.changes, added = import_changes.added || excluded.added, fingerprint = null,
      changed_at = now()
$$;
comment on function private.note_import(public.import_batches, uuid, boolean, jsonb, jsonb) is 'Notes what an import did to a contact.';
revoke all on function private.note_import from public, anon, authenticated, service_role;

create function private.import_company(_batch public.import_batches, _name text)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _id uuid := (
    select id from public.contacts
    where user_id = _batch.user_id and private.name_key(name) = private.name_key(_name) and type = 'azienda'
      and merged_into is null and deleted_at is null
    order by created_at, id limit 1
  );
begin
  if _id is null then
    insert into public.contacts (user_id, type, business_name, origin, import_batch_id)
      values (_batch.user_id, 'azienda', _name, 'import', _batch.id)
      returning id into _id;
    perform private.note_import(_batch, _id, true, '[]', '[]');
  end if;
  return _id;
end
$$;
comment on function private.import_company(public.import_batches, text) is 'The company of this name, made if there is none.';
revoke all on function private.import_company from public, anon, authenticated, service_role;

create function private.import_consents(_batch public.import_batches, _contact_id uuid)
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
comment on function private.import_consents(public.import_batches, uuid) is
  'Notes what everybody in the file agreed to, with its proof; answers the rows that were added.';
revoke all on function private.import_consents from public, anon, authenticated, service_role;

create function private.import_children(_batch public.import_batches, _contact_id uuid, _emails text[], _phones jsonb, _tags text[])
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _added jsonb := private.import_consents(_batch, _contact_id);
  _rows jsonb;
  _new_tags uuid[];
begin
  with added as (
    insert into public.contact_emails (user_id, contact_id, value, is_primary)
    select distinct on (lower(value)) _batch.user_id, _contact_id, value, place = 1 and not exists (
        select from public.contact_emails where user_id = _batch.user_id and contact_id = _contact_id and is_primary
      )
    from unnest(_emails) with ordinality as emails (value, place) order by lower(value), place
    on conflict (user_id, norm) do nothing
    returning *
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_emails', 'row', to_jsonb(added))), '[]') into _rows from added;
  _added := _added || _rows;
  with added as (
    insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
    select distinct on (phone ->> 'norm') _batch.user_id, _contact_id, phone ->> 'value', phone ->> 'norm', place = 1 and not exists (
        select from public.contact_phones where user_id = _batch.user_id and contact_id = _contact_id and is_primary
      )
    from jsonb_array_elements(_phones) with ordinality as phones (phone, place) order by phone ->> 'norm', place
    on conflict (user_id, norm) do nothing
    returning *
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_phones', 'row', to_jsonb(added))), '[]') into _rows from added;
  _added := _added || _rows;
  if cardinality(_tags) > 0 then
    with made as (
      insert into public.tags (user_id, name) select distinct on (lower(tag)) _batch.user_id, tag from unnest(_tags) as tag
      on conflict (user_id, lower(name)) do nothing
      returning id
    )
    select array_agg(id) into _new_tags from made;
    update public.import_batches set new_tags = new_tags || _new_tags where id = _batch.id and _new_tags is not null;
    with added as (
      insert into public.contact_tags (user_id, contact_id, tag_id)
      select _batch.user_id, _contact_id, id from public.tags
      where user_id = _batch.user_id and lower(name) = any (array(select lower(tag) from unnest(_tags) as tag))
      on conflict do nothing
      returning *
    )
    select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_tags', 'row', to_jsonb(added))), '[]') into _rows from added;
    _added := _added || _rows;
  end if;
  return _added;
end
$$;
comment on function private.import_children(public.import_batches, uuid, text[], jsonb, text[]) is
  'Consents, addresses, numbers and tags of a row; answers the rows that were added.';
revoke all on function private.import_children from public, anon, authenticated, service_role;

-- An address or a number belongs to one contact only. If another contact already has it, it is kept as a note, so that
-- no data of the file is lost.
create function private.import_leftovers(_user_id uuid, _contact_id uuid, _emails text[], _phones text[])
  returns text
  language sql stable
  set search_path = ''
as $$
  select string_agg(format('%s: già di %s', taken.value, contacts.name), E'\n' order by taken.value)
  from (
    select contact_id, value from unnest(_emails) as given (email) join public.contact_emails on user_id = _user_id and norm = email
    union all
    select contact_id, value::text from unnest(_phones) as given (phone)
    join public.contact_phones on user_id = _user_id and norm = phone
  ) as taken
  cross join lateral (select id, name from public.contacts where user_id = _user_id and id = contact_id offset 0) as contacts
  where contacts.id is distinct from _contact_id
$$;
comment on function private.import_leftovers(uuid, uuid, text[], text[]) is 'Addresses and numbers of a row that another contact has, as lines of a note.';
revoke all on function private.import_leftovers from public, anon, authenticated, service_role;

create function private.import_row(_batch public.import_batches, _row jsonb, _match text)
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
    select private.one_line(value) from jsonb_array_elements_text(_row -> 'tags') as value where value ~ '[^[:space:]]'
  );
  _company constant text := private.one_line(_row ->> 'company');
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
comment on function private.import_row(public.import_batches, jsonb, text) is 'Imports one row and answers what became of it; SC032 with a reason in Italian.';
revoke all on function private.import_row from public, anon, authenticated, service_role;

create function private.try_import_row(_batch public.import_batches, _row jsonb, _match text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _outcome text;
  _message text;
begin
  begin
    _outcome := private.import_row(_batch, _row, _match);
  exception
    when sqlstate 'SC032' then
      _outcome := 'failed';
      _message := sqlerrm;
    when integrity_constraint_violation or data_exception then
      _outcome := 'failed';
      _message := 'Un valore è troppo lungo o non si può leggere';
  end;
  insert into private.import_rows (batch_id, row_number, outcome, message)
    values (_batch.id, (_row ->> 'row')::integer, _outcome, _message);
end
$$;
comment on function private.try_import_row(public.import_batches, jsonb, text) is 'Imports one row in a savepoint of its own, and notes what became of it.';
revoke all on function private.try_import_row from public, anon, authenticated, service_role;

create function public.import_contacts(_batch uuid, _rows jsonb, _match text default 'aggiorna')
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
comment on function public.import_contacts(uuid, jsonb, text) is
  'Imports at most 500 rows of a file of the caller: {created, updated, skipped, errors: [{row, message}]}. A row that was sent before is answered as then.';
revoke all on function public.import_contacts from public, anon, authenticated, service_role;
grant execute on function public.import_contacts to authenticated;
