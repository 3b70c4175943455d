-- One module for names.
--   DROP INDEX public.contacts_lower_name
--   DROP FUNCTION private.import_text
--   DROP FUNCTION private.plain_name
--   DROP FUNCTION private.search_text
--   CREATE OR REPLACE FUNCTION private.add_demo_details
--   CREATE OR REPLACE FUNCTION private.alias_value
--   CREATE OR REPLACE FUNCTION private.follow_said_words
--   CREATE OR REPLACE FUNCTION private.import_company
--   CREATE OR REPLACE FUNCTION private.import_fields
--   CREATE OR REPLACE FUNCTION private.import_row
--   CREATE OR REPLACE FUNCTION private.index_contacts_now
--   CREATE OR REPLACE FUNCTION private.match_import
--   CREATE OR REPLACE FUNCTION private.memory_digest
--   CREATE OR REPLACE FUNCTION private.name_key
--   CREATE OR REPLACE FUNCTION private.name_similarity
--   CREATE OR REPLACE FUNCTION private.propose_memory
--   CREATE OR REPLACE FUNCTION private.query_words
--   CREATE OR REPLACE FUNCTION private.similar_memory
--   CREATE OR REPLACE FUNCTION private.text_words
--   CREATE OR REPLACE FUNCTION private.words
--   CREATE OR REPLACE FUNCTION private.words_pattern
--   CREATE OR REPLACE FUNCTION public.ask_documents
--   CREATE OR REPLACE FUNCTION public.companies_named
--   REVOKE ALL ON FUNCTION public.companies_named
--   CREATE OR REPLACE FUNCTION public.find_duplicates
--   CREATE OR REPLACE FUNCTION public.recall_memories
--   CREATE OR REPLACE FUNCTION public.save_contact
--   CREATE OR REPLACE FUNCTION public.search_contacts
--   CREATE OR REPLACE FUNCTION public.search_conversations
--   CREATE OR REPLACE FUNCTION public.similar_contacts
--   COMMENT ON FUNCTION private.content_words
--   COMMENT ON FUNCTION private.name_key
--   COMMENT ON FUNCTION private.name_similarity
--   COMMENT ON FUNCTION private.ranked_contacts
--   COMMENT ON FUNCTION private.search_document
--   COMMENT ON FUNCTION private.search_query
--   COMMENT ON FUNCTION private.words
--   COMMENT ON FUNCTION public.companies_named
--   REVOKE ALL ON FUNCTION private.name_key
--   GRANT EXECUTE ON FUNCTION private.name_key
--   REVOKE ALL ON FUNCTION private.name_similarity
--   REVOKE ALL ON FUNCTION private.words
--   GRANT EXECUTE ON FUNCTION private.words
--   GRANT EXECUTE ON FUNCTION public.companies_named
--   CREATE INDEX contacts_name_key ON public.contacts USING btree (user_id, private.name_key(name))

set check_function_bodies = off;

DROP INDEX "public"."contacts_lower_name";

DROP FUNCTION "private"."import_text"(text);

DROP FUNCTION "private"."plain_name"(text);

DROP FUNCTION "private"."search_text"(text);

CREATE OR REPLACE FUNCTION private.add_demo_details (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _user_id, id,
    case type when 'azienda' then 'info' else replace(private.words(name), ' ', '.') || place end || '@' || domain, true
  from private.demo_contacts(_user_id)
  on conflict do nothing;

  -- No network of Italy has the prefix 300.
  insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
  select _user_id, id, '300 5550' || lpad(place::text, 3, '0'), '+393005550' || lpad(place::text, 3, '0'), true
  from private.demo_contacts(_user_id) where place % 5 <> 0
  on conflict do nothing;

  with made as (
    insert into public.tags (user_id, name, color, touch_days)
    values (_user_id, 'Cliente', 'green', 60), (_user_id, 'Potenziale', 'blue', 30), (_user_id, 'Fornitore', 'amber', null),
      (_user_id, 'Collega', 'violet', null), (_user_id, 'Newsletter', 'gray', null)
    on conflict (user_id, lower(name)) do nothing
    returning id
  )
  select private.note_demo(_user_id, 'tags', array(select id from made));
  insert into public.contact_tags (user_id, contact_id, tag_id)
  select _user_id, contacts.id, tags.id
  from private.demo_contacts(_user_id) as contacts
  join public.tags on user_id = _user_id and lower(tags.name) in (
    (array['cliente', 'cliente', 'potenziale', 'collega', 'fornitore'])[1 + place % 5], case when place % 4 = 0 then 'newsletter' end
  )
  on conflict do nothing;

  with made as (
    insert into public.notes (user_id, contact_id, body, created_at, updated_at)
    select _user_id, id, (array[
        'Preferisce essere chiamato al mattino, prima delle 11.', 'Paga sempre a 30 giorni: emettere la fattura entro fine mese.',
        'Vuole il preventivo diviso per voci, con i tempi di consegna.', 'Conosciuto alla fiera dell''artigianato.',
        'Chiede foto nuove per il sito prima dell''estate.', 'Decide insieme alla socia: mandare tutto a entrambe.',
        'Ci ha segnalato un altro cliente: ringraziare a Natale.'
      ])[1 + place % 7], at, at
    from private.demo_contacts(_user_id), lateral (select created_at + make_interval(days => 2 + place % 20) as at) as moments
    where place % 3 = 0 and at < now()
    returning id
  )
  select private.note_demo(_user_id, 'notes', array(select id from made));

  with made as (
    insert into public.interactions (user_id, contact_id, kind, direction, at, summary, created_at)
    select _user_id, id, kind::public.interaction_kind,
      case when kind = 'incontro' then null when (place + turn) % 2 = 0 then 'uscita' else 'entrata'
        end::public.interaction_direction,
      at, case kind
        when 'chiamata' then (array[
          'Sentito per il rinnovo del sito', 'Chiede tempi e costi della campagna', 'Conferma la riunione'
        ])[1 + place % 3]
        when 'email' then (array['Inviate le bozze del logo', 'Ricevuti i testi da impaginare', 'Richiesta di preventivo'])[1 + place % 3]
        when 'whatsapp' then (array['Foto del negozio per i social', 'Ok alla pubblicazione di domani'])[1 + place % 2]
        else 'Sopralluogo e raccolta delle idee' end, at
    from private.demo_contacts(_user_id), generate_series(0, 3) as turn,
      lateral (select (array['chiamata', 'email', 'whatsapp', 'incontro'])[1 + (place + turn) % 4] as kind) as kinds,
      lateral (select now() - make_interval(days => (place * 7 + turn * 61) % 330 + 1, hours => place % 8) as at) as moments
    where place % 4 <> 3 and at > created_at
    returning id
  )
  select private.note_demo(_user_id, 'interactions', array(select id from made));

  with made as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, source, at)
    select _user_id, id, 'email', 'marketing', (array['dato', 'dato', 'negato'])[1 + place % 3]::public.consent_state,
      'Consenso', 'Modulo del sito', created_at
    from private.demo_contacts(_user_id) where place % 2 = 0
    returning id
  )
  select private.note_demo(_user_id, 'consents', array(select id from made));
$function$;

CREATE OR REPLACE FUNCTION private.alias_value (
  _kind  public.document_alias_kind,
  _value text
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select nullif(left(case _kind
    when 'email' then lower(btrim(_value))
    when 'name' then private.name_key(_value)
    else private.party_vat(jsonb_build_object('vat_number', _value))
  end, 300), '')
$function$;

CREATE OR REPLACE FUNCTION private.follow_said_words()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.message_search (message_id, user_id, document)
  -- A vector of words has an end: a megabyte.
  values (new.id, new.user_id, private.search_document(
    private.search_key(new.user_id), '', private.words(left(new.content, 50000)), null, null, null
  ))
  on conflict (message_id) do update set document = excluded.document;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.import_company (
  _batch public.import_batches,
  _name  text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
    'note', nullif(btrim(_row ->> 'note'), '')
  )) - array(select key from jsonb_each_text(_row) where key in ('vat_number', 'tax_code') and private.one_line(value) is null)
  from (values (
    private.one_line(_row ->> 'first_name'), private.one_line(_row ->> 'last_name'), private.one_line(_row ->> 'business_name')
  )) as names (first_name, last_name, business_name)
$function$;

CREATE OR REPLACE FUNCTION private.import_row (
  _batch public.import_batches,
  _row   jsonb,
  _match text
)
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.index_contacts_now (
  _contacts uuid[]
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  SET plan_cache_mode TO 'force_custom_plan'
  AS $function$
  delete from private.contact_search using public.contacts
  where contact_id = any (_contacts) and contacts.id = contact_id
    and (contacts.merged_into is not null or contacts.deleted_at is not null);

  insert into private.contact_search (contact_id, user_id, words, document)
  select id, user_id, names, private.search_document(private.search_key(user_id), names, others, prose, emails, numbers)
  from (
    select contacts.id, contacts.user_id,
      coalesce(private.words(concat_ws(' ', contacts.name, company.name)), '') as names,
      private.words(concat_ws(' ',
        contacts.job_title, contacts.tax_code, 'it' || contacts.vat_number, contacts.address ->> 'city',
        array_to_string(emails, ' '),
        (
          select string_agg(tags.name, ' ') from public.contact_tags join public.tags on tags.id = tag_id
          where contact_tags.user_id = contacts.user_id and contact_id = contacts.id
        )
      )) as others,
      private.words(contacts.note) as prose,
      array(
        select substr(norm, 2) from public.contact_phones
        where contact_phones.user_id = contacts.user_id and contact_id = contacts.id
      ) || array_remove(array[
        contacts.vat_number, case when contacts.tax_code ~ '^[0-9]' then contacts.tax_code end
      ], null) as numbers,
      emails
    from public.contacts
    cross join lateral (
      select array(
        select norm from public.contact_emails
        where contact_emails.user_id = contacts.user_id and contact_id = contacts.id
        union
        select lower(contacts.pec) where contacts.pec is not null
      ) as emails
    ) as mail
    left join public.contacts as company on company.user_id = contacts.user_id and company.id = contacts.company_id
    where contacts.id = any (_contacts) and contacts.merged_into is null and contacts.deleted_at is null
  ) as found
  on conflict (contact_id) do update set words = excluded.words, document = excluded.document
$function$;

CREATE OR REPLACE FUNCTION private.match_import (
  _user_id uuid,
  _fields  jsonb,
  _name    text,
  _emails  text[],
  _phones  text[]
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
    and (is_sure or _name is null or private.name_similarity((contact).name, _name) >= 0.3)
  order by (contact).deleted_at is not null, place, (contact).created_at, (contact).id
  limit 1
$function$;

CREATE OR REPLACE FUNCTION private.memory_digest (
  _text text
)
  RETURNS bytea
  LANGUAGE sql
  STABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  select sha256(convert_to(private.words(_text), 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION private.name_key (
  _name text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- A name may have neither letter nor digit.
  select coalesce(nullif(replace(private.words(_name), ' ', ''), ''), private.one_line(_name))
$function$;

CREATE OR REPLACE FUNCTION private.name_similarity (
  _one   text,
  _other text
)
  RETURNS real
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  -- «D'Angelo» is one word here and «A.B.C.» another, as they are often written.
  select extensions.similarity(private.words(translate(_one, '.''’', '')), private.words(translate(_other, '.''’', '')))
$function$;

CREATE OR REPLACE FUNCTION private.propose_memory (
  _user_id      uuid,
  _body         text,
  _kind         public.memory_kind,
  _source       public.memory_source,
  _source_id    uuid,
  _source_quote text,
  _contact_id   uuid                 DEFAULT NULL::uuid,
  _topic        text                 DEFAULT NULL::text
)
  RETURNS public.memories
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _text text := btrim(regexp_replace(_body, '\s+', ' ', 'g'));
  _memory public.memories;
begin
  if exists (select from public.memory_settings where user_id = _user_id and not is_active)
    or _kind = 'narrativa' or _source = 'manuale' or char_length(_text) not between 12 and 240
    or private.unmemorable(_text) is not null or private.unmemorable(_source_quote) is not null
    -- Somebody it is about: a contact, the person themselves, or a name.
    or (_kind = 'contatto' and _contact_id is null and _text !~ '\m[[:upper:]][[:lower:]]+')
    or exists (
      select from private.memory_tombstones where user_id = _user_id and digest = private.memory_digest(_text)
    )
    -- Known already, unless it is another word on the topic of what holds: 0.9 is the same with a slip of the pen.
    or exists (
      select from public.memories
      where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta')
        and extensions.similarity(private.words(body), private.words(_text)) >= case
          when state <> 'proposta' and lower(topic) = lower(_topic) and contact_id is not distinct from _contact_id
            and (kind <> 'contatto' or contact_id is not null)
          then 0.9 else 0.6
        end
    )
    -- Three of one conversation are a person's patience.
    or (select count(*) >= 3 from public.memories where user_id = _user_id and source_id = _source_id and origin = 'ia')
  then
    return null;
  end if;
  insert into public.memories (user_id, kind, contact_id, topic, body, origin, source, source_id, source_quote)
  values (_user_id, _kind, _contact_id, _topic, _text, 'ia', _source, _source_id, left(_source_quote, 500))
  returning * into _memory;
  return _memory;
end
$function$;

CREATE OR REPLACE FUNCTION private.query_words (
  _query text
)
  RETURNS SETOF text
  LANGUAGE sql
  STABLE
  STRICT
  SET search_path TO ''
  AS $function$
  with recursive typed as materialized (
    select private.joined_lines(left(_query, 400)) as text
  ), codes as materialized (
    select row_number() over () as place, written, code from typed, private.document_codes(typed.text)
  ), rest (text, place) as (
    select text, 0::bigint from typed
    union all
    -- What was understood as a code is no words as well.
    select replace(rest.text, written, ' '), codes.place from rest join codes on codes.place = rest.place + 1
  )
  select private.content_words(
    array(select code from codes order by place)
    || string_to_array(private.words((select text from rest order by place desc limit 1)), ' ')
  ) limit 12
$function$;

CREATE OR REPLACE FUNCTION private.similar_memory (
  _user_id uuid,
  _body    text,
  _except  uuid DEFAULT NULL::uuid
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- From a similarity of 0.6 on it says the same.
  select id from public.memories
  where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta') and id is distinct from _except
    and extensions.similarity(private.words(body), private.words(_body)) >= 0.6
  order by extensions.similarity(private.words(body), private.words(_body)) desc, id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.text_words (
  _text text
)
  RETURNS SETOF text
  LANGUAGE sql
  STABLE
  STRICT
  SET search_path TO ''
  AS $function$
  with joined as materialized (
    select private.joined_lines(_text) as text
  ), codes as materialized (
    select code from joined, private.document_codes(joined.text)
  ), words as (
    select unnest(string_to_array(private.words(joined.text), ' ')) as word from joined
    union
    select code from codes
    union
    -- The whole part of 1.234,50: who types 1234 means it.
    select regexp_replace(split_part(written, ',', 1), '[.]', '', 'g')
    from joined, private.document_codes(joined.text) where written ~ '^[0-9]{1,3}([.][0-9]{3})+,[0-9]{2}$'
  )
  select private.content_words(array(select word from words))
  union
  -- A VAT number with and without its country.
  select substr(word, 3) from words where word ~ '^it[0-9]{11}$'
$function$;

CREATE OR REPLACE FUNCTION private.words (
  _text text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
declare
  _forms constant text := '\m(s r l|s r l s|s p a|s n c|s a s|s a p a|s c a r l)\M';
  _words text := btrim(regexp_replace(
    lower(extensions.unaccent(
      'extensions.unaccent'::regdictionary, regexp_replace(normalize(_text, NFKD), '[\u0300-\u036f]', '', 'g')
    )), '[^[:alnum:]]+', ' ', 'g'
  ));
begin
  -- Marks each company form with <> and removes the spaces in it.
  if _words ~ _forms then
    _words := regexp_replace(regexp_replace(_words, _forms, '<\1>', 'g'), ' (?=[a-z ]{1,7}>)', '', 'g');
    _words := translate(_words, '<>', '');
  end if;
  return _words;
end
$function$;

CREATE OR REPLACE FUNCTION private.words_pattern (
  _words text[]
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  -- Words of private.words() are letters and digits; a code may be written with something between its parts.
  select '(?<![[:alnum:]])(?:' || string_agg(
    case when word ~ '^[0-9]{11}$' then '(?:it)?' else '' end
    || case when word ~ '[0-9]' and char_length(word) > 3
      then regexp_replace(left(word, -1), '(.)', E'\\1[ .,/''\u2019-]?', 'g') || right(word, 1)
      else replace(replace(replace(replace(replace(replace(replace(
        -- S.r.l., and of company forms also «s r l».
        case
          when word ~ '^(srls?|spa|snc|sas|sapa|scarl)$' then regexp_replace(word, '(.)(?=.)', '\1[. ]{0,2}', 'g')
          when char_length(word) < 7 then regexp_replace(word, '(.)(?=.)', '\1[.]?', 'g')
          else word
        end,
        'a', '[aàáâãäåÀÁÂÃÄÅ]'), 'e', '[eèéêëÈÉÊË]'), 'i', '[iìíîïÌÍÎÏ]'), 'o', '[oòóôõöÒÓÔÕÖ]'),
        'u', '[uùúûüÙÚÛÜ]'), 'c', '[cçÇ]'), 'n', '[nñÑ]')
    end, '|' order by char_length(word) desc, word
  ) || ')(?![[:alnum:]])'
  from unnest(_words) as word
$function$;

CREATE OR REPLACE FUNCTION public.ask_documents (
  _question    text,
  _document_id uuid    DEFAULT NULL::uuid,
  _limit       integer DEFAULT 5
)
  RETURNS TABLE (
    document_id uuid,
    filename    text,
    page        integer,
    quote       text,
    word_from   integer,
    word_to     integer,
    rank        real
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  -- What questions are made of says nothing of what they ask for.
  _asked text := regexp_replace(private.words(left(_question, 400)), concat(
    '\m(quando|cosa|qual|quali|devo|deve|devono|dobbiamo|posso|puo|possiamo|vorrei|voglio|dimmi|mostra|mostrami|trova|',
    'trovami|sai|sapere|esiste|ce|va|vanno|ho|fare|fatto|documento|documenti)\M'
  ), ' ', 'g');
  _terms private.document_term[];
  _filter constant jsonb := jsonb_strip_nulls(jsonb_build_object('document_id', _document_id));
  _whole real;
begin
  if _question ~ '[0-9]' then
    -- Codes are read as they were typed.
    _asked := _question;
  end if;
  _terms := array(select fit from private.document_terms(_user_id, _asked) as fit);
  -- A word that no page holds was asked for as well, and is as rare as can be.
  select sum(weight) + (cardinality(array(select private.query_words(_asked))) - count(*)) * ln(1 + coalesce((
      select pages from private.document_words where user_id = _user_id and word = ''
    ), 0))
  into _whole
  from (select term, max(weight) as weight from unnest(_terms) group by term) as asked;
  if _user_id is null or _whole is null then
    return;
  end if;
  return query
    with ranked as materialized (
      select * from private.ranked_pages(_user_id, _terms, private.few_documents(_user_id, _filter), 300)
    )
    select documents.id, documents.filename::text, best.no, btrim(substr(
        on_page.line, on_page.starts[passage.word_from + 1],
        coalesce(on_page.starts[passage.word_to + 2], char_length(on_page.line) + 1) - on_page.starts[passage.word_from + 1]
      )), passage.word_from, passage.word_to, passage.score
    from (
      select document_pages.*
      from ranked join public.document_pages on document_pages.document_id = ranked.document_id and no = ranked.page
      where ranked.document_id in (
        select private.fitting_documents(_user_id, _filter, array(select distinct ranked.document_id from ranked))
      )
      order by ranked.score desc, document_pages.document_id, no limit 20
    ) as best
    join public.documents on documents.user_id = _user_id and documents.id = best.document_id
    cross join lateral private.page_line(best.words, best.text) as on_page
    cross join lateral private.best_passage(on_page.line, on_page.starts, _terms) as passage
    where passage.score >= _whole / 5
    order by passage.score desc, documents.created_at desc, best.no limit least(greatest(_limit, 0), 20);
end
$function$;

CREATE OR REPLACE FUNCTION public.companies_named (
  _name text
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  STRICT
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select id from public.contacts
  where user_id = (select auth.uid()) and private.name_key(name) = private.name_key(_name) and type = 'azienda'
    and merged_into is null and deleted_at is null
$function$;

REVOKE ALL ON FUNCTION "public"."companies_named"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.find_duplicates (
  _limit integer DEFAULT 50
)
  RETURNS TABLE (
    a_id    uuid,
    b_id    uuid,
    score   numeric,
    reasons text[]
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
  -- Those without a number are left out by name: a hash join would compare them all with each other.
  with mine as materialized (
    select id, type, company_id, vat_number, tax_code, lower(pec) as pec, plain, sorted,
      -- What is heard, not how it is written: no vowels, no doubled letters, no h.
      regexp_replace(regexp_replace(sorted, '[aeiouh]', '', 'g'), '(.)\1+', '\1', 'g') as sound
    from public.contacts,
      lateral (select private.words(translate(name, '.''’', '')) as plain) as names,
      lateral (select array_to_string(array(select unnest(string_to_array(plain, ' ')) order by 1), ' ') as sorted) as words
    where user_id = (select auth.uid()) and merged_into is null and deleted_at is null
  ), words as materialized (
    -- In one company or at one domain a name is alike only if a word of it is the same.
    select id, block, reason, word
    from (
      select id, company_id::text as block, 'azienda' as reason from mine where company_id is not null
      union
      select contact_id, split_part(norm, '@', 2), 'dominio'
      from public.contact_emails
      where user_id = (select auth.uid()) and split_part(norm, '@', 2) <> all (private.shared_mail_domains())
    ) as blocks
    join mine using (id), unnest(string_to_array(sorted, ' ')) as word
    where char_length(word) > 2
  ), neighbours as materialized (
    select distinct a.id as a_id, b.id as b_id, a.reason
    from words as a join words as b on b.block = a.block and b.word = a.word and a.id < b.id
  ), pairs as (
    select a.id as a_id, b.id as b_id, 'codice_fiscale' as reason, 0.97 as weight
    from mine as a join mine as b on b.tax_code = a.tax_code and b.type = a.type and a.id < b.id
    where a.tax_code is not null and b.tax_code is not null
    union all
    select a.id, b.id, 'partita_iva', 0.9
    from mine as a join mine as b on b.vat_number = a.vat_number and b.type = a.type and a.id < b.id
    where a.vat_number is not null and b.vat_number is not null
    union all
    select a.id, b.id, 'pec', 0.8
    from mine as a join mine as b on b.pec = a.pec and b.type = a.type and a.id < b.id
    where a.pec is not null and b.pec is not null
    union all
    select least(a.id, b.id), greatest(a.id, b.id), 'email', 0.8
    from mine as a
    join public.contact_emails as emails on emails.user_id = (select auth.uid()) and emails.norm = a.pec
    join mine as b on b.id = emails.contact_id and b.type = a.type and b.id <> a.id
    union all
    select a.id, b.id, case when a.sorted = b.sorted then 'nome' else 'nome_simile' end,
      case when a.sorted = b.sorted then 0.6 else 0.5 * extensions.similarity(a.plain, b.plain)::numeric end
    from mine as a join mine as b on b.sound = a.sound and b.type = a.type and a.id < b.id
    where a.sorted ~ ' |.{6}' and extensions.similarity(a.plain, b.plain) >= 0.55
    union all
    select near.a_id, near.b_id, unnest(array[near.reason, 'nome_simile']), 0.5 * likeness
    from (
      select neighbours.*, extensions.similarity(a.plain, b.plain)::numeric as likeness
      from neighbours join mine as a on a.id = neighbours.a_id join mine as b on b.id = neighbours.b_id and b.type = a.type
    ) as near
    where likeness >= 0.55
  ), signs as (
    -- Two companies at one domain are told once; the same name is more than a similar one.
    select pairs.a_id, pairs.b_id, case when reason like 'nome%' then 'nome' else reason end as family,
      min(reason) as reason, max(weight) as weight
    from pairs group by 1, 2, 3
  )
  select signs.a_id, signs.b_id, round(1 - exp(sum(ln(1 - weight)))::numeric, 2), array_agg(reason order by weight desc, reason)
  from signs
  where not exists (
    select from public.contact_distinct as distinct_pairs
    where distinct_pairs.user_id = (select auth.uid())
      and distinct_pairs.a_id = signs.a_id and distinct_pairs.b_id = signs.b_id
  )
  group by 1, 2
  order by 3 desc, 1, 2
  limit least(_limit, 500)
$function$;

CREATE OR REPLACE FUNCTION public.recall_memories (
  _question   text,
  _limit      integer DEFAULT 5,
  _contact_id uuid    DEFAULT NULL::uuid
)
  RETURNS TABLE (
    id           uuid,
    kind         public.memory_kind,
    contact_id   uuid,
    body         text,
    source_quote text,
    rank         real
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with mine as materialized (
    select memories.*, private.words(concat_ws(' ', contacts.name, memories.body)) as plain,
      to_tsvector('pg_catalog.simple', coalesce(contacts.name, '')) as names, count(*) over () as total
    from public.memories
    left join public.contacts on contacts.user_id = memories.user_id and contacts.id = memories.contact_id
    where memories.user_id = (select auth.uid()) and memories.state = 'attiva'
      and (expires_at is null or expires_at > now())
      and (_contact_id is null or memories.contact_id = _contact_id)
      and not exists (select from public.memory_settings where user_id = (select auth.uid()) and not is_active)
  ), asked as materialized (
    -- Words that carry meaning: those that the Italian dictionary does not stop.
    select distinct word, to_tsvector('pg_catalog.italian', word) as stems
    from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', left(_question, 1000)))) as word
    where to_tsvector('pg_catalog.italian', word) <> ''
  ), weighed as (
    select 'stem' as way, stem as lexeme, ln((max(total) + 1) / (count(*) + 0.5)) as weight
    from (select distinct unnest(tsvector_to_array(stems)) as stem from asked) as lexemes
    join mine on mine.stems @@ quote_literal(stem)::tsquery
    group by stem
    union all
    select 'word', word, ln((max(total) + 1) / (count(*) + 0.5))
    from asked join mine on (mine.words || names) @@ quote_literal(word)::tsquery
    group by word
  ), scored as (
    select mine.id, way, sum(weight)::real as score
    from mine join weighed
      on (way = 'stem' and mine.stems @@ quote_literal(lexeme)::tsquery)
      or (way = 'word' and (mine.words || names) @@ quote_literal(lexeme)::tsquery)
    group by mine.id, way
    union all
    select mine.id, 'trigram', sum(
        case when likeness >= 0.4 then likeness else 0 end
      )::real
    from mine cross join asked
    cross join lateral (select extensions.word_similarity(private.words(word), plain) as likeness) as compared
    group by mine.id
  ), fused as (
    -- Reciprocal rank fusion with k = 60.
    select scored.id, sum(1.0 / (60 + place))::real as rank
    from (select id, rank() over (partition by way order by score desc) as place from scored where score > 0) as scored
    group by scored.id
  )
  select mine.id, mine.kind, mine.contact_id, mine.body, mine.source_quote, fused.rank
  from fused join mine on mine.id = fused.id
  order by fused.rank desc, mine.importance desc, mine.updated_at desc, mine.id
  limit least(_limit, 50)
$function$;

CREATE OR REPLACE FUNCTION public.save_contact (
  _contact jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _id uuid := coalesce((_contact ->> 'id')::uuid, gen_random_uuid());
  _former public.contacts;
  _row public.contacts;
  -- Write every column that people may write, so that a new one is not lost; the form does not have the other two.
  _columns constant text := (
    select string_agg(quote_ident(attname), ', ') from pg_catalog.pg_attribute
    where attrelid = 'public.contacts'::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('authenticated', attrelid, attnum, 'update')
      and attname not in ('deleted_at', 'snoozed_until') and (_contact ? attname or attname = 'company_id')
  );
  _emails jsonb := coalesce(_contact -> 'emails', '[]');
  _phones jsonb := coalesce(_contact -> 'phones', '[]');
  _names text[] := array(select jsonb_array_elements_text(coalesce(_contact -> 'tags', '[]')));
  _before jsonb := coalesce(_contact -> 'former', '{}');
  _had text[];
begin
  select * into _former from public.contacts where id = _id for update;
  if _former.merged_into is not null or _former.deleted_at is not null then
    raise exception 'the contact is merged or in the trash' using errcode = 'PT404';
  end if;
  _row := jsonb_populate_record(_former, _contact);

  -- The company of that name, of several the one it has; it is made when there is none.
  if _contact ? 'company' then
    select id into _row.company_id from public.contacts
    where id = any (array(select public.companies_named(_contact ->> 'company')))
    order by id is distinct from _former.company_id, created_at limit 1;
    if _row.company_id is null and _contact ->> 'company' is not null then
      insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
      returning id into _row.company_id;
    end if;
  end if;

  -- Whoever becomes a company works for nobody, not even for a company of the trash that the form does not show.
  if _row.type = 'azienda' then
    _row.company_id := null;
  end if;

  _row.id := _id;
  execute format(case
      when _former.id is null then 'insert into public.contacts (id, %1$s) select id, %1$s from (select ($1).*) as said'
      else 'update public.contacts set (%1$s) = (select %1$s from (select ($1).*) as said) where id = ($1).id'
    end, _columns) using _row;

  -- The first of each is the main one. What is kept keeps its label; what is another contact's is refused by its key.
  -- Taken away is only what was in the former list, added only what was not: without one, what the contact has now.
  if _contact ? 'emails' then
    _had := case when _before ? 'emails'
      then array(select lower(value) from jsonb_array_elements_text(_before -> 'emails') as value)
      else array(select norm from public.contact_emails where contact_id = _id) end;
    delete from public.contact_emails
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select lower(value) from jsonb_array_elements_text(_emails) as value));
    update public.contact_emails set is_primary = norm = lower(_emails ->> 0)
    where contact_id = _id and lower(_emails ->> 0) is distinct from lower(_before #>> '{emails,0}') and _emails <> '[]';
    insert into public.contact_emails (contact_id, value, is_primary)
    select distinct on (lower(value)) _id, value, place = 1
    from jsonb_array_elements_text(_emails) with ordinality as typed (value, place)
    where lower(value) <> all (_had)
      and not exists (select from public.contact_emails where contact_id = _id and norm = lower(typed.value))
    order by lower(value), place;
  end if;

  if _contact ? 'phones' then
    _had := case when _before ? 'phones'
      then array(select one ->> 'norm' from jsonb_array_elements(_before -> 'phones') as one)
      else array(select norm from public.contact_phones where contact_id = _id) end;
    delete from public.contact_phones
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select one ->> 'norm' from jsonb_array_elements(_phones) as one));
    update public.contact_phones set is_primary = norm = _phones #>> '{0,norm}'
    where contact_id = _id and _phones #>> '{0,norm}' is distinct from _before #>> '{phones,0,norm}' and _phones <> '[]';
    insert into public.contact_phones (contact_id, value, norm, is_primary)
    select distinct on (one ->> 'norm') _id, one ->> 'value', one ->> 'norm', place = 1
    from jsonb_array_elements(_phones) with ordinality as typed (one, place)
    where one ->> 'norm' <> all (_had)
      and not exists (select from public.contact_phones where contact_id = _id and norm = one ->> 'norm')
    order by one ->> 'norm', place;
  end if;

  if _contact ? 'tags' then
    _had := case when _before ? 'tags'
      then array(select lower(name) from jsonb_array_elements_text(_before -> 'tags') as name)
      else array(
        select lower(name) from public.contact_tags join public.tags on tags.id = tag_id where contact_id = _id
      ) end;
    delete from public.contact_tags using public.tags
    where contact_id = _id and tags.id = tag_id and lower(name) = any (_had)
      and lower(name) <> all (array(select lower(name) from unnest(_names) as name));
    _names := array(select name from unnest(_names) as name where lower(name) <> all (_had));
    insert into public.tags (name) select distinct on (lower(name)) name from unnest(_names) as name
    on conflict (user_id, lower(name)) do nothing;
    insert into public.contact_tags (contact_id, tag_id)
    select _id, id from public.tags
    where user_id = (select auth.uid()) and lower(name) = any (array(select lower(name) from unnest(_names) as name))
    on conflict do nothing;
  end if;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION public.search_contacts (
  _query text,
  _limit integer DEFAULT 50
)
  RETURNS TABLE (
    id           uuid,
    type         public.contact_type,
    name         text,
    company_name text,
    job_title    text,
    email        text,
    phone        text,
    rank         real
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _key text := private.search_key(_user_id);
  _digits text := regexp_replace(_query, '^\s*00|[^0-9]', '', 'g');
  _text text := private.words(left(_query, 200));
  _words text[];
begin
  -- A number however it is written; letters in between make it words.
  if _query ~ '^[-+0-9 ()./]+$' and char_length(_digits) between 3 and 20 then
    _text := _digits;
  elsif btrim(_query) ~ '^[^[:space:]@]*@[^[:space:]@]+$' then
    _text := lower(btrim(left(_query, 200)));
  end if;
  _words := (string_to_array(_text, ' '))[1:8];
  if _user_id is null or coalesce(_text, '') = '' then
    return;
  end if;
  return query select * from private.ranked_contacts(_user_id, _words, 'wide', least(_limit, 50000));
  if not found then
    return query select * from private.ranked_contacts(_user_id, _words, 'near', least(_limit, 50000));
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.search_conversations (
  _query text,
  _limit integer DEFAULT 30
)
  RETURNS TABLE (
    conversation_id uuid,
    title           text,
    message_id      uuid,
    snippet         text,
    marks           integer[],
    at              timestamp with time zone,
    rank            real
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with asked as materialized (
    select words, private.search_query(private.search_key((select auth.uid())), words, 'wide') as query,
      private.word_beginnings(words) as patterns
    from (
      select (string_to_array(private.words(left(_query, 200)), ' '))[1:8] as words
    ) as typed
    where words <> '{}' and words <> '{""}'
  ), said as (
    select distinct on (messages.conversation_id) messages.conversation_id, messages.id, messages.content, messages.created_at
    from asked
    join private.message_search as found on found.document @@ asked.query and found.user_id = (select auth.uid())
    join public.messages on messages.user_id = (select auth.uid()) and messages.id = found.message_id
    order by messages.conversation_id, messages.created_at desc
  ), named as (
    select conversations.id from public.conversations, asked
    where user_id = (select auth.uid()) and conversations.title is not null and (
      select bool_and(conversations.title ~* pattern) from unnest(patterns) as pattern
    )
  ), hits as (
    select conversations.*, said.id as said_id, said.content, said.created_at as said_at,
      (case when named.id is not null then 1 else 0 end + case when said.id is not null then 0.5 else 0 end)::real as rank
    from public.conversations
    left join said on said.conversation_id = conversations.id
    left join named on named.id = conversations.id
    where user_id = (select auth.uid()) and not is_temporary
      and conversations.id in (select said.conversation_id from said union all select named.id from named)
    order by rank desc, coalesce(said.created_at, last_message_at) desc, conversations.id
    limit least(greatest(_limit, 0), 200)
  )
  select hits.id, hits.title::text, hits.said_id, cut.snippet, cut.marks, coalesce(hits.said_at, hits.last_message_at), hits.rank
  from hits
  cross join asked
  left join lateral private.page_snippet(hits.content, asked.patterns) as cut on hits.said_id is not null
  order by hits.rank desc, 6 desc, hits.id
$function$;

CREATE OR REPLACE FUNCTION public.similar_contacts (
  _draft jsonb
)
  RETURNS TABLE (
    id      uuid,
    name    text,
    type    public.contact_type,
    hard    boolean,
    score   numeric,
    reasons text[]
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with typed as (
    select case _draft ->> 'type'
        when 'azienda' then _draft ->> 'business_name'
        else concat_ws(' ', _draft ->> 'first_name', _draft ->> 'last_name')
      end as name,
      array(select lower(value) from jsonb_array_elements_text(_draft -> 'emails') as value) as emails,
      array(select value from jsonb_array_elements_text(_draft -> 'phones') as value) as phones
  ), found as (
    select contact_id, 'email' as reason from public.contact_emails, typed
    where user_id = (select auth.uid()) and norm = any (emails)
    union
    select contact_id, 'telefono' from public.contact_phones, typed
    where user_id = (select auth.uid()) and norm = any (phones)
    union
    select contacts.id, 'partita_iva' from public.contacts
    where user_id = (select auth.uid()) and vat_number = _draft ->> 'vat_number'
    union
    select contacts.id, 'codice_fiscale' from public.contacts
    where user_id = (select auth.uid()) and tax_code = upper(_draft ->> 'tax_code')
    union
    select contacts.id, 'azienda' from public.contacts, typed
    where user_id = (select auth.uid()) and company_id = (_draft ->> 'company_id')::uuid
      and private.name_similarity(contacts.name, typed.name) >= 0.55
    union
    select contacts.id, 'dominio' from public.contact_emails
    join public.contacts on contacts.user_id = contact_emails.user_id and contacts.id = contact_id, typed
    where contact_emails.user_id = (select auth.uid())
      and split_part(norm, '@', 2) = any (array(
        select split_part(value, '@', 2) from unnest(emails) as value
        where split_part(value, '@', 2) <> all (private.shared_mail_domains())
      ))
      and private.name_similarity(contacts.name, typed.name) >= 0.55
  )
  select contacts.id, contacts.name, contacts.type,
    bool_or(reason in ('email', 'telefono', 'partita_iva', 'codice_fiscale')) as hard,
    round(coalesce(max(private.name_similarity(contacts.name, typed.name)), 0)::numeric, 2) as score,
    array_agg(reason order by reason)
  from found
  join public.contacts on contacts.user_id = (select auth.uid()) and contacts.id = contact_id, typed
  where merged_into is null and deleted_at is null and contacts.id is distinct from (_draft ->> 'id')::uuid
  group by contacts.id
  order by hard desc, score desc, contacts.id
  limit 5
$function$;

COMMENT ON FUNCTION "private"."content_words"(text[]) IS 'The words of private.words() that say something, each once: no letter alone, no stop word.';

COMMENT ON FUNCTION "private"."name_key"(text) IS 'Equal for names that differ only in accents, capitals, punctuation and spaces: «D''Angelò S.r.l.» is dangelosrl.';

COMMENT ON FUNCTION "private"."name_similarity"(text, text) IS 'How much two names are alike, 0 to 1: the trigrams that they share.';

COMMENT ON FUNCTION "private"."ranked_contacts"(uuid, text[], text, integer) IS 'Contacts of one owner that fit these words of private.words(), best first; wide or near as in search_query().';

COMMENT ON FUNCTION "private"."search_document"(text, text, text, text, text[], text[]) IS 'The lexemes of one contact, from texts that private.words() made.';

COMMENT ON FUNCTION "private"."search_query"(text, text[], text) IS 'What to ask the index for these words of private.words(), or an address: exact (as typed), wide (begun, stemmed, contained) or near.';

COMMENT ON FUNCTION "private"."words"(text) IS 'The words of a text without accents, capitals and punctuation, one space between them; «S.r.l.» and «s r l» are srl.';

COMMENT ON FUNCTION "public"."companies_named"(text) IS 'The caller''s companies of this name, however it is written: «Rossi S.r.l.» is «rossi srl».';

REVOKE ALL ON FUNCTION "private"."name_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."name_key"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."name_similarity"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."words"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."words"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."companies_named"(text) TO "authenticated";

CREATE INDEX contacts_name_key ON public.contacts USING btree (user_id, private.name_key(name));

reset check_function_bodies;

-- Rows that the old functions wrote. private.memory_tombstones keeps its digests: their texts are gone.

do $$
declare
  _user_id uuid;
begin
  for _user_id in select distinct user_id from public.contacts loop
    perform private.index_contacts_now(array(select id from public.contacts where user_id = _user_id));
  end loop;
end
$$;

update private.message_search as found
set document = private.search_document(
  private.search_key(messages.user_id), '', private.words(left(content, 50000)), null, null, null
)
from public.messages where messages.id = message_id;

-- Of two spellings of a name the last decision counts.
delete from public.document_aliases using (
  select id, row_number() over (
    partition by user_id, contact_id, private.name_key(value) order by created_at desc, id
  ) as place
  from public.document_aliases where kind = 'name'
) as ranked
where document_aliases.id = ranked.id and place > 1;

update public.document_aliases set value = private.name_key(value) where kind = 'name';

-- Pages whose words differ are taken out of the vocabulary with their former words and indexed again. Most differ only in
-- «S.r.l.», which was found as srl before.
create function pg_temp.former_words(_text text)
  returns setof text
  language sql stable strict
as $$
  with words as (
    select unnest(string_to_array(
      btrim(regexp_replace(lower(extensions.unaccent(private.joined_lines(_text))), '[^[:alnum:]]+', ' ', 'g')), ' '
    )) as word
    union
    select code from private.document_codes(private.joined_lines(_text))
    union
    select regexp_replace(split_part(written, ',', 1), '[.]', '', 'g')
    from private.document_codes(private.joined_lines(_text)) where written ~ '^[0-9]{1,3}([.][0-9]{3})+,[0-9]{2}$'
  )
  select private.content_words(array(select word from words))
  union
  select substr(word, 3) from words where word ~ '^it[0-9]{11}$'
$$;

create temporary table changed_pages as
select *, (row_number() over (partition by user_id order by document_id, page) - 1) / 1000 as part
from (
  select searched.user_id, searched.document_id, searched.page, coalesce(searched.text, document_pages.text) as text
  from private.document_search as searched
  left join public.document_pages on document_pages.user_id = searched.user_id
    and document_pages.document_id = searched.document_id and no = searched.page
) as found
where btrim(regexp_replace(lower(extensions.unaccent(private.joined_lines(text))), '[^[:alnum:]]+', ' ', 'g'))
    <> private.words(private.joined_lines(text))
  and array(select pg_temp.former_words(text) order by 1) <> array(select private.text_words(text) order by 1);

do $$
declare
  _batch record;
begin
  for _batch in
    select user_id, part, array_agg(document_id) filter (where page = 0) as documents,
      array_agg((document_id, page, null, text)::private.document_change) filter (where page > 0) as pages
    from pg_temp.changed_pages group by user_id, part
  loop
    perform private.count_words(_batch.user_id, array(
      select unnest(array_append(array(select pg_temp.former_words(text)), ''))
      from pg_temp.changed_pages where user_id = _batch.user_id and part = _batch.part
    ), '{}');
    delete from private.document_search as searched using pg_temp.changed_pages as changed
    where changed.user_id = _batch.user_id and part = _batch.part
      and searched.document_id = changed.document_id and searched.page = changed.page;
    perform private.index_documents(_batch.documents);
    perform private.index_pages(_batch.pages);
  end loop;
end
$$;

drop table pg_temp.changed_pages;

drop function pg_temp.former_words(text);
