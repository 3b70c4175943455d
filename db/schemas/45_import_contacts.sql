-- Importing contacts: one row of a file is read, checked, matched with the existing contacts and written. The client
-- reads the file (CSV, vCard) and sends rows in chunks; a row is written once, however often it is sent.
--
-- Row: {row, type, first_name, last_name, business_name, company, job_title, vat_number, tax_code, sdi_code, pec,
-- emails: [text], phones: [{value, norm}], tags: [text], address: {street, postal_code, city, province, country}, note,
-- website, met_on: day of the last contact, firm: {a row of the company that the person works for}}.
--
-- A cell that is wrong is left out and kept as a line of the note; only a row without any name is refused.
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
    'note', nullif(btrim(_row ->> 'note'), ''), 'met_on', private.one_line(_row ->> 'met_on')
  )) - array(select key from jsonb_each_text(_row) where key in ('vat_number', 'tax_code') and private.one_line(value) is null)
  from (values (
    private.one_line(_row ->> 'first_name'), private.one_line(_row ->> 'last_name'), private.one_line(_row ->> 'business_name')
  )) as names (first_name, last_name, business_name)
$$;
comment on function private.import_fields(jsonb) is
  'The columns of a contact that a row fills, as they are stored, and `met_on`: the only list of them.';
revoke all on function private.import_fields from public, anon, authenticated, service_role;

create function private.import_problems(_fields jsonb, _emails text[], _phones jsonb)
  returns table (place integer, field text, message text)
  language sql stable
  set search_path = ''
as $$
  select checks.place, checks.field, left(checks.message, 300)
  from (values
    (1, 'vat_number', not private.is_vat_number(_fields ->> 'vat_number'), 'Partita IVA non valida: ' || (_fields ->> 'vat_number')),
    (2, 'tax_code', not (private.is_tax_code(_fields ->> 'tax_code') or private.is_vat_number(_fields ->> 'tax_code')),
      'Codice fiscale non valido: ' || (_fields ->> 'tax_code')),
    (3, 'sdi_code', _fields ->> 'sdi_code' !~ '^[A-Z0-9]{6,7}$', 'Codice destinatario non valido: ' || (_fields ->> 'sdi_code')),
    (4, 'pec', not private.is_email(_fields ->> 'pec'), 'PEC non valida: ' || (_fields ->> 'pec')),
    (7, 'website', _fields ->> 'website' !~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$' or char_length(_fields ->> 'website') > 500,
      'Sito non valido: ' || (_fields ->> 'website')),
    (8, 'address', char_length(_fields ->> 'address') > 1000, 'Indirizzo troppo lungo: ' || (_fields ->> 'address')),
    (9, 'note', char_length(_fields ->> 'note') > 20000, 'Nota troppo lunga: ' || (_fields ->> 'note')),
    (10, 'met_on', _fields ->> 'met_on' !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' or _fields ->> 'met_on' > (now() + interval '1 day')::date::text,
      'Data non valida: ' || (_fields ->> 'met_on'))
  ) as checks (place, field, is_wrong, message)
  where is_wrong
  union all
  select 0, key, left('Testo troppo lungo: ' || value, 300) from jsonb_each_text(_fields)
  where key in ('first_name', 'last_name', 'business_name', 'job_title') and char_length(value) > 200
  union all
  select 5, null, left('Email non valida: ' || value, 300) from unnest(_emails) as value where not private.is_email(value)
  union all
  select 6, null, left('Telefono non valido: ' || coalesce(phone ->> 'value', ''), 300) from jsonb_array_elements(_phones) as phone
  where not private.is_phone(phone)
$$;
comment on function private.import_problems(jsonb, text[], jsonb) is 'The cells of a row that cannot be imported, each with its reason in Italian.';
revoke all on function private.import_problems from public, anon, authenticated, service_role;

create function private.is_phone(_phone jsonb)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select coalesce(_phone ->> 'norm', '') ~ '^\+[1-9][0-9]{6,14}$' and char_length(_phone ->> 'value') <= 200
$$;
comment on function private.is_phone(jsonb) is 'Whether {value, norm} is a number that can be stored.';
revoke all on function private.is_phone from public, anon, authenticated, service_role;

create function private.sound_row(_row jsonb)
  returns jsonb
  language plpgsql stable
  set search_path = ''
as $$
declare
  _fields jsonb := private.import_fields(_row);
  _emails text[] := array(
    select btrim(value) from jsonb_array_elements_text(_row -> 'emails') as value where value ~ '[^[:space:]]'
  );
  _phones jsonb := coalesce((
    select jsonb_agg(phone) from jsonb_array_elements(_row -> 'phones') as phone where phone ->> 'value' ~ '[^[:space:]]'
  ), '[]');
  _wrong text[];
  _messages text[];
  _known text;
  _is_named boolean;
begin
  select array_agg(field), array_agg(message order by place, message) into _wrong, _messages
  from private.import_problems(_fields, _emails, _phones);
  if _messages is not null then
    _fields := _fields - array_remove(_wrong, null);
    _emails := array(select value from unnest(_emails) as value where private.is_email(value));
    _phones := coalesce((select jsonb_agg(phone) from jsonb_array_elements(_phones) as phone where private.is_phone(phone)), '[]');
    -- What is left out of its field is kept where the owner can read it.
    _fields := _fields || jsonb_build_object(
      'note', left(concat_ws(E'\n', _fields ->> 'note', array_to_string(_messages, E'\n')), 20000)
    );
  end if;
  -- Without a name an address or a number is the name.
  _known := coalesce(_emails[1], _phones #>> '{0,value}');
  _is_named := _fields ?| array['first_name', 'last_name', 'business_name'];
  if not _is_named then
    if _known is null then
      raise exception 'Manca il nome' using errcode = 'SC032';
    end if;
    _fields := _fields || jsonb_build_object('first_name', _known);
  end if;
  return jsonb_build_object(
    'fields', _fields, 'emails', _emails, 'phones', _phones, 'is_named', _is_named,
    'message', array_to_string(_messages, '; ')
  );
end
$$;
comment on function private.sound_row(jsonb) is
  'A row without the cells that are wrong, which become lines of its note: {fields, emails, phones, is_named, message}; '
  'SC032 when no name, address or number is left.';
revoke all on function private.sound_row from public, anon, authenticated, service_role;

create function private.edits(_one text, _other text, _most integer)
  returns integer
  language plpgsql immutable strict
  set search_path = ''
as $$
declare
  _row integer[] := array(select generate_series(0, char_length(_other)));
  _above integer[];
begin
  if abs(char_length(_one) - char_length(_other)) > _most then
    return _most + 1;
  end if;
  for _i in 1 .. char_length(_one) loop
    _above := _row;
    _row := array[_i];
    for _j in 1 .. char_length(_other) loop
      _row := _row || least(
        _above[_j + 1] + 1, _row[_j] + 1, _above[_j] + (substr(_one, _i, 1) <> substr(_other, _j, 1))::integer
      );
    end loop;
    if _most < (select min(cost) from unnest(_row) as cost) then
      return _most + 1;
    end if;
  end loop;
  return _row[char_length(_other) + 1];
end
$$;
comment on function private.edits(text, text, integer) is
  'How many letters must be added, removed or changed to make one text the other (Levenshtein); `_most` + 1 for more than `_most`.';
revoke all on function private.edits from public, anon, authenticated, service_role;

create function private.is_better_name(_new text, _old text)
  returns boolean
  language sql immutable strict
  set search_path = ''
as $$
  -- Alike: the same words in any order, or one or two letters apart. Then only proper capitals are an improvement.
  select case
    when array(select unnest(string_to_array(private.words(_new), ' ')) order by 1)
        <> array(select unnest(string_to_array(private.words(_old), ' ')) order by 1)
      and private.edits(private.name_key(_new), private.name_key(_old), most) > most then true
    else _old in (upper(_old), lower(_old)) and _new not in (upper(_new), lower(_new))
  end
  from (values (least(2, char_length(_old) / 4))) as limits (most)
$$;
comment on function private.is_better_name(text, text) is
  'Whether a name of a file replaces the known one: not when it only differs in capitals, spaces or one or two letters, unless '
  'the known one is all capitals or all small.';
revoke all on function private.is_better_name from public, anon, authenticated, service_role;

create function private.match_import(
  _user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[], _batch_id uuid default null
)
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
    and (_batch_id is null or (contact).import_batch_id = _batch_id)
    and (is_sure or _name is null or private.name_similarity((contact).name, _name) >= 0.3)
  order by (contact).deleted_at is not null, place, (contact).created_at, (contact).id
  limit 1
$$;
comment on function private.match_import(uuid, jsonb, text, text[], text[], uuid) is
  'The contact that a row is about, if it is there; else null. With a batch only what that import added.';
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

create function private.import_company(
  _batch public.import_batches, _row jsonb, _match text, out company_id uuid, out company_message text
)
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _name constant text := private.one_line(_row ->> 'company');
begin
  if _row ? 'firm' then
    -- Two rows of a file that name a company mean one company, also where each row is to be a contact of its own.
    select imported.contact_id, imported.message into company_id, company_message
    from private.import_row(
      _batch, (_row -> 'firm') || '{"type": "azienda"}', case _match when 'crea' then 'riusa' else _match end
    ) as imported;
  elsif _name is not null then
    company_id := (
      select id from public.contacts
      where user_id = _batch.user_id and private.name_key(name) = private.name_key(_name) and type = 'azienda'
        and merged_into is null and deleted_at is null
      order by created_at, id limit 1
    );
    if company_id is null then
      company_id := private.add_imported(_batch, jsonb_build_object('type', 'azienda', 'business_name', _name));
      perform private.note_import(_batch, company_id, true, '[]', '[]');
    end if;
  end if;
end
$$;
comment on function private.import_company(public.import_batches, jsonb, text) is
  'The company that a person''s row names: with its data in `firm`, or by its name alone in `company`; made if there is none.';
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

create function private.import_meeting(_batch public.import_batches, _contact_id uuid, _day date)
  returns jsonb
  language sql volatile
  set search_path = ''
as $$
  -- Noon, so that it is that day in every time zone near. A later one says all that this one would.
  with added as (
    insert into public.interactions (user_id, contact_id, kind, at, summary)
    select _batch.user_id, _contact_id, 'altro', least(now(), (_day + time '12:00') at time zone 'Europe/Rome'),
      'Ultimo contatto secondo ' || _batch.file_name
    where _day is not null and not exists (
      select from public.interactions
      where user_id = _batch.user_id and contact_id = _contact_id and at >= _day::timestamp at time zone 'Europe/Rome'
    )
    returning *
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'interactions', 'row', to_jsonb(added))), '[]') from added
$$;
comment on function private.import_meeting(public.import_batches, uuid, date) is
  'Notes the last contact that a file tells of, unless a later one is known; answers the rows that were added.';
revoke all on function private.import_meeting from public, anon, authenticated, service_role;

create function private.add_imported(_batch public.import_batches, _fields jsonb)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _whole constant jsonb := _fields || jsonb_build_object('user_id', _batch.user_id, 'origin', 'import', 'import_batch_id', _batch.id);
  _columns constant text := (select string_agg(format('%I', key), ', ') from jsonb_object_keys(_whole) as key);
  _id uuid;
begin
  execute format(
    'insert into public.contacts (%1$s) select %1$s from jsonb_populate_record(null::public.contacts, $1) returning id', _columns
  ) into _id using _whole;
  return _id;
end
$$;
comment on function private.add_imported(public.import_batches, jsonb) is 'Adds a contact with these columns (private.import_fields) and answers its id.';
revoke all on function private.add_imported from public, anon, authenticated, service_role;

-- What the file says counts, what it does not say stays; a note is added to. A contact in the trash is needed again.
create function private.changed_by_import(_there public.contacts, _fields jsonb, _name text)
  returns jsonb
  language plpgsql stable
  set search_path = ''
as $$
declare
  _note constant text := coalesce(_fields ->> 'note', '');
  _takes_name constant boolean := coalesce(private.is_better_name(_name, _there.name), false);
  _taken jsonb;
begin
  -- Parts of two addresses are none: once street or city is another one, all of it is the file's.
  if _fields ? 'address' and not exists (
    select from jsonb_each_text(_there.address) where key in ('street', 'city') and value <> _fields -> 'address' ->> key
  ) then
    _fields := _fields || jsonb_build_object('address', coalesce(_there.address, '{}') || (_fields -> 'address'));
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into _taken from jsonb_each(_fields)
  where key not in ('type', 'note') and to_jsonb(_there) -> key <> value
    and (_takes_name or key not in ('first_name', 'last_name', 'business_name'));
  if _there.deleted_at is not null then
    _taken := _taken || '{"deleted_at": null}';
  end if;
  if strpos(coalesce(_there.note, ''), _note) = 0 then
    _taken := _taken || jsonb_build_object('note', concat_ws(E'\n', _there.note, _note));
  end if;
  return _taken;
end
$$;
comment on function private.changed_by_import(public.contacts, jsonb, text) is 'The columns of a known contact that a row changes.';
revoke all on function private.changed_by_import from public, anon, authenticated, service_role;

create function private.import_row(
  _batch public.import_batches, _row jsonb, _match text, out outcome text, out contact_id uuid, out message text
)
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _sound constant jsonb := private.sound_row(_row);
  _emails constant text[] := array(select jsonb_array_elements_text(_sound -> 'emails'));
  _norms constant text[] := array(select lower(value) from unnest(_emails) as value);
  _numbers constant text[] := array(select phone ->> 'norm' from jsonb_array_elements(_sound -> 'phones') as phone);
  _tags constant text[] := array(
    select private.one_line(value) from jsonb_array_elements_text(_row -> 'tags') as value where value ~ '[^[:space:]]'
  );
  _day constant date := _sound -> 'fields' ->> 'met_on';
  _fields jsonb := (_sound -> 'fields') - 'met_on';
  _name constant text := case when (_sound -> 'is_named')::boolean
    then concat_ws(' ', _fields ->> 'first_name', _fields ->> 'last_name', _fields ->> 'business_name') end;
  _there public.contacts;
  _note text;
  _changes jsonb := '[]';
begin
  message := nullif(_sound ->> 'message', '');
  if _match <> 'crea' then
    _there := private.match_import(
      _batch.user_id, _fields, _name, _norms, _numbers, case _match when 'riusa' then _batch.id end
    );
  end if;
  contact_id := _there.id;
  if _there.id is not null and _there.deleted_at is null and _match = 'salta' then
    outcome := 'skipped';
    return;
  end if;
  if _fields ->> 'type' = 'persona' then
    select jsonb_strip_nulls(_fields || jsonb_build_object('company_id', company_id)), nullif(concat_ws('; ', company_message, message), '')
    into _fields, message from private.import_company(_batch, _row, _match);
  end if;
  _note := concat_ws(E'\n', _fields ->> 'note', private.import_leftovers(_batch.user_id, _there.id, _norms, _numbers));
  _fields := case when _note = '' then _fields else _fields || jsonb_build_object('note', _note) end;
  if _there.id is null then
    contact_id := private.add_imported(_batch, _fields);
  else
    _fields := private.changed_by_import(_there, _fields, _name);
    if _fields <> '{}' then
      _changes := jsonb_build_array(private.change_row('contacts', jsonb_build_object('id', _there.id), _fields));
    end if;
  end if;
  perform private.note_import(
    _batch, contact_id, _there.id is null, _changes,
    private.import_children(_batch, contact_id, _emails, _sound -> 'phones', _tags)
      || private.import_meeting(_batch, contact_id, _day)
  );
  outcome := case when _there.id is null then 'created' else 'updated' end;
end
$$;
comment on function private.import_row(public.import_batches, jsonb, text) is
  'Imports one row: what became of it, the contact, and the cells that were left out, in Italian; SC032 with the reason when the '
  'row is refused.';
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
    select outcome, message into _outcome, _message from private.import_row(_batch, _row, _match);
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
    ), 'cells', coalesce(
      jsonb_agg(jsonb_build_object('row', row_number, 'message', message) order by row_number)
        filter (where outcome <> 'failed' and message is not null), '[]'
    )
  ) into _answer
  from private.import_rows
  where batch_id = _batch and row_number in (select (value ->> 'row')::integer from jsonb_array_elements(_rows));
  return _answer;
end
$$;
comment on function public.import_contacts(uuid, jsonb, text) is
  'Imports at most 500 rows of a file of the caller: {created, updated, skipped, errors: [{row, message}], cells: [{row, message}]}; '
  'cells: what was left out of rows that came in. A row that was sent before is answered as then.';
revoke all on function public.import_contacts from public, anon, authenticated, service_role;
grant execute on function public.import_contacts to authenticated;
