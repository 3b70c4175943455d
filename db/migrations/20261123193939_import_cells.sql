-- Import cells.
--   DROP FUNCTION private.check_import
--   DROP FUNCTION private.import_company
--   DROP FUNCTION private.import_row
--   DROP FUNCTION private.match_import
--   ALTER TYPE public.import_kind ADD VALUE 'xlsx' AFTER 'vcard'
--   CREATE OR REPLACE FUNCTION private.add_imported
--   CREATE OR REPLACE FUNCTION private.changed_by_import
--   CREATE OR REPLACE FUNCTION private.edits
--   CREATE OR REPLACE FUNCTION private.import_company
--   CREATE OR REPLACE FUNCTION private.import_fields
--   CREATE OR REPLACE FUNCTION private.import_meeting
--   CREATE OR REPLACE FUNCTION private.import_problems
--   CREATE OR REPLACE FUNCTION private.import_row
--   CREATE OR REPLACE FUNCTION private.is_better_name
--   CREATE OR REPLACE FUNCTION private.is_phone
--   CREATE OR REPLACE FUNCTION private.is_vat_number
--   CREATE OR REPLACE FUNCTION private.match_import
--   CREATE OR REPLACE FUNCTION private.sound_row
--   CREATE OR REPLACE FUNCTION private.try_import_row
--   CREATE OR REPLACE FUNCTION public.import_contacts
--   COMMENT ON FUNCTION private.add_imported
--   COMMENT ON FUNCTION private.changed_by_import
--   COMMENT ON FUNCTION private.edits
--   COMMENT ON FUNCTION private.import_company
--   COMMENT ON FUNCTION private.import_fields
--   COMMENT ON FUNCTION private.import_meeting
--   COMMENT ON FUNCTION private.import_problems
--   COMMENT ON FUNCTION private.import_row
--   COMMENT ON FUNCTION private.is_better_name
--   COMMENT ON FUNCTION private.is_phone
--   COMMENT ON FUNCTION private.match_import
--   COMMENT ON FUNCTION private.sound_row
--   COMMENT ON FUNCTION public.import_contacts
--   REVOKE ALL ON FUNCTION private.add_imported
--   REVOKE ALL ON FUNCTION private.changed_by_import
--   REVOKE ALL ON FUNCTION private.edits
--   REVOKE ALL ON FUNCTION private.import_company
--   REVOKE ALL ON FUNCTION private.import_meeting
--   REVOKE ALL ON FUNCTION private.import_problems
--   REVOKE ALL ON FUNCTION private.import_row
--   REVOKE ALL ON FUNCTION private.is_better_name
--   REVOKE ALL ON FUNCTION private.is_phone
--   REVOKE ALL ON FUNCTION private.match_import
--   REVOKE ALL ON FUNCTION private.sound_row

set check_function_bodies = off;

DROP FUNCTION "private"."check_import"(jsonb, text[], jsonb);

DROP FUNCTION "private"."import_company"(public.import_batches, text);

DROP FUNCTION "private"."import_row"(public.import_batches, jsonb, text);

DROP FUNCTION "private"."match_import"(uuid, jsonb, text, text[], text[]);

ALTER TYPE "public"."import_kind" ADD VALUE 'xlsx' AFTER 'vcard';

CREATE OR REPLACE FUNCTION private.add_imported (
  _batch  public.import_batches,
  _fields jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.changed_by_import (
  _there  public.contacts,
  _fields jsonb,
  _name   text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.edits (
  _one   text,
  _other text,
  _most  integer
)
  RETURNS integer
  LANGUAGE plpgsql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.import_company (
  _batch public.import_batches,
  _row   jsonb,
  _match text,
  OUT    company_id uuid,
  OUT    company_message text
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.import_fields (
  _row jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.import_meeting (
  _batch      public.import_batches,
  _contact_id uuid,
  _day        date
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.import_problems (
  _fields jsonb,
  _emails text[],
  _phones jsonb
)
  RETURNS TABLE (
    place   integer,
    field   text,
    message text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
  select 5, null, left('E-mail non valida: ' || value, 300) from unnest(_emails) as value where not private.is_email(value)
  union all
  select 6, null, left('Telefono non valido: ' || coalesce(phone ->> 'value', ''), 300) from jsonb_array_elements(_phones) as phone
  where not private.is_phone(phone)
$function$;

CREATE OR REPLACE FUNCTION private.import_row (
  _batch public.import_batches,
  _row   jsonb,
  _match text,
  OUT    outcome text,
  OUT    contact_id uuid,
  OUT    message text
)
  RETURNS record
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.is_better_name (
  _new text,
  _old text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
  -- Alike: the same words in any order, or one or two letters apart. Then only proper capitals are an improvement.
  select case
    when array(select unnest(string_to_array(private.words(_new), ' ')) order by 1)
        <> array(select unnest(string_to_array(private.words(_old), ' ')) order by 1)
      and private.edits(private.name_key(_new), private.name_key(_old), most) > most then true
    else _old in (upper(_old), lower(_old)) and _new not in (upper(_new), lower(_new))
  end
  from (values (least(2, char_length(_old) / 4))) as limits (most)
$function$;

CREATE OR REPLACE FUNCTION private.is_phone (
  _phone jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(_phone ->> 'norm', '') ~ '^\+[1-9][0-9]{6,14}$' and char_length(_phone ->> 'value') <= 200
$function$;

CREATE OR REPLACE FUNCTION private.is_vat_number (
  _number text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  -- Seven digits of the person, three of the office that gave the number, one check digit (Luhn). An
  -- unknown office is no error: the list of offices grows. The import and the checks of invoices warn of it.
  select case when _number !~ '^[0-9]{11}$' or _number ~ '^0{7}' then false
    else (
      select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9 else digit * 2 end) % 10 = 0
      from generate_series(1, 11) as place, lateral (select substr(_number, place, 1)::integer as digit) as digits
    )
  end
$function$;

CREATE OR REPLACE FUNCTION private.match_import (
  _user_id  uuid,
  _fields   jsonb,
  _name     text,
  _emails   text[],
  _phones   text[],
  _batch_id uuid   DEFAULT NULL::uuid
)
  RETURNS public.contacts
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.sound_row (
  _row jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.try_import_row (
  _batch public.import_batches,
  _row   jsonb,
  _match text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.import_contacts (
  _batch uuid,
  _rows  jsonb,
  _match text  DEFAULT 'aggiorna'::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  AS $function$
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
$function$;

COMMENT ON FUNCTION "private"."add_imported"(public.import_batches, jsonb) IS 'Adds a contact with these columns (private.import_fields) and answers its id.';

COMMENT ON FUNCTION "private"."changed_by_import"(public.contacts, jsonb, text) IS 'The columns of a known contact that a row changes.';

COMMENT ON FUNCTION "private"."edits"(text, text, integer) IS 'How many letters must be added, removed or changed to make one text the other (Levenshtein); `_most` + 1 for more than `_most`.';

COMMENT ON FUNCTION "private"."import_company"(public.import_batches, jsonb, text) IS 'The company that a person''s row names: with its data in `firm`, or by its name alone in `company`; made if there is none.';

COMMENT ON FUNCTION "private"."import_fields"(jsonb) IS 'The columns of a contact that a row fills, as they are stored, and `met_on`: the only list of them.';

COMMENT ON FUNCTION "private"."import_meeting"(public.import_batches, uuid, date) IS 'Notes the last contact that a file tells of, unless a later one is known; answers the rows that were added.';

COMMENT ON FUNCTION "private"."import_problems"(jsonb, text[], jsonb) IS 'The cells of a row that cannot be imported, each with its reason in Italian.';

COMMENT ON FUNCTION "private"."import_row"(public.import_batches, jsonb, text) IS 'Imports one row: what became of it, the contact, and the cells that were left out, in Italian; SC032 with the reason when the row is refused.';

COMMENT ON FUNCTION "private"."is_better_name"(text, text) IS 'Whether a name of a file replaces the known one: not when it only differs in capitals, spaces or one or two letters, unless the known one is all capitals or all small.';

COMMENT ON FUNCTION "private"."is_phone"(jsonb) IS 'Whether {value, norm} is a number that can be stored.';

COMMENT ON FUNCTION "private"."match_import"(uuid, jsonb, text, text[], text[], uuid) IS 'The contact that a row is about, if it is there; else null. With a batch only what that import added.';

COMMENT ON FUNCTION "private"."sound_row"(jsonb) IS 'A row without the cells that are wrong, which become lines of its note: {fields, emails, phones, is_named, message}; SC032 when no name, address or number is left.';

COMMENT ON FUNCTION "public"."import_contacts"(uuid, jsonb, text) IS 'Imports at most 500 rows of a file of the caller: {created, updated, skipped, errors: [{row, message}], cells: [{row, message}]}; cells: what was left out of rows that came in. A row that was sent before is answered as then.';

REVOKE ALL ON FUNCTION "private"."add_imported"(public.import_batches, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."changed_by_import"(public.contacts, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."edits"(text, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."import_company"(public.import_batches, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."import_meeting"(public.import_batches, uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."import_problems"(jsonb, text[], jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."import_row"(public.import_batches, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_better_name"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_phone"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."match_import"(uuid, jsonb, text, text[], text[], uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."sound_row"(jsonb) FROM PUBLIC;

reset check_function_bodies;
