-- Documents: a user's files, their pages and words, and the fields that were read from them.
--
-- The server writes what a machine found, as service_role only. The owner changes name, note, dates and contact, and
-- confirms fields through confirm_field(), which remembers what it learned. A kind that the owner chose is remembered
-- for the issuer of the paper, never for the owner: the owner's own papers are of any kind, and their counterparty is
-- the customer.
--
-- Error codes raised:
--   PT404  the caller has no such document (PostgREST answers 404)
--   22023  a confirmed value is no date, or no amount

create type public.document_kind as enum (
  'fattura', 'preventivo', 'contratto', 'ricevuta', 'f24', 'durc', 'visura', 'documento_identita', 'altro'
);

create type public.document_state as enum (
  'in_coda', 'lettura', 'ocr', 'analisi', 'pronto', 'da_verificare', 'errore', 'annullato'
);

create type public.document_page_state as enum ('attesa', 'letta', 'errore');

create type public.document_page_source as enum ('testo', 'ocr');

create type public.document_field_source as enum ('testo', 'ocr', 'fatturapa', 'persona');

create table public.documents (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  storage_path text not null,
  filename public.single_line not null,
  filename_by_user boolean not null default false,
  mime text,
  bytes bigint,
  unpacked_bytes bigint not null default 0,
  sha256 text,
  kind public.document_kind not null default 'altro',
  kind_confidence real,
  kind_rule text,
  kind_by_user boolean not null default false,
  state public.document_state not null default 'in_coda',
  error_code text,
  error text,
  pages integer,
  pages_done integer not null default 0,
  lang text,
  title text,
  contact_id uuid,
  contact_suggestion uuid,
  contact_reason text,
  supplier jsonb,
  issued_on date,
  due_on date,
  total_cents bigint,
  currency text not null default 'EUR',
  note text,
  removed_keys text[] not null default '{}',
  left_out_at timestamptz,
  parent_id uuid,
  duplicate_of uuid,
  retention_until date,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  unique (user_id, id),
  unique (user_id, storage_path),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  foreign key (user_id, contact_suggestion) references public.contacts (user_id, id) on delete set null (contact_suggestion),
  foreign key (user_id, parent_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, duplicate_of) references public.documents (user_id, id) on delete set null (duplicate_of),
  constraint it_lies_in_the_folder_of_its_owner check (starts_with(storage_path, user_id::text || '/')),
  constraint nothing_holds_or_repeats_itself check (parent_id <> id and duplicate_of <> id),
  constraint bytes_are_counted check (bytes >= 0),
  constraint sha256_is_hexadecimal check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint kind_confidence_is_a_part check (kind_confidence between 0 and 1),
  constraint error_code_is_a_name check (error_code ~ '^[a-z_]{1,50}$'),
  constraint pages_are_counted check (pages >= 0 and pages_done >= 0 and pages_done <= pages),
  constraint lang_is_a_name check (lang ~ '^[a-z]{2,3}(\+[a-z]{2,3})*$'),
  constraint supplier_is_an_object check (jsonb_typeof(supplier) = 'object'),
  constraint currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  constraint texts_fit check (
    char_length(mime) <= 200 and char_length(title) <= 500 and char_length(kind_rule) <= 500
    and char_length(error) <= 500 and char_length(contact_reason) <= 500
  ),
  constraint note_fits check (char_length(note) between 1 and 20000)
);
comment on table public.documents is 'Files of one owner in the bucket documents, and what was read out of them.';
comment on column public.documents.unpacked_bytes is
  'Length of the files packed in it, counted before they are stored; those inside of them count in their own row.';
comment on column public.documents.filename_by_user is 'Chosen by its owner: no name is made of its kind and number.';
comment on column public.documents.kind_rule is 'Why it is taken for this kind, in words for its owner.';
comment on column public.documents.kind_by_user is 'Chosen by its owner (set_document_kind): no machine changes it.';
comment on column public.documents.error is 'What went wrong, in words for its owner.';
comment on column public.documents.pages is 'Null while their number is not known.';
comment on column public.documents.contact_suggestion is 'Its probable sender, until the owner names one.';
comment on column public.documents.contact_reason is
  'Why the contact was suggested or linked automatically; null for a link that the owner made.';
comment on column public.documents.supplier is 'What a contact could be made from: {name, vat_number, tax_code, email}.';
comment on column public.documents.parent_id is 'What it came in: a ZIP, a mail, a signed file or an invoice.';
comment on column public.documents.duplicate_of is 'An older document with the same bytes.';
comment on column public.documents.retention_until is
  'Until when it should be kept: follows retention_of() until its owner says another day; null: until it is deleted.';
comment on column public.documents.deleted_at is 'In the trash since, with what came in it.';
comment on column public.documents.left_out_at is
  'Since when it stays out of the register by its owner''s word: no reading enters it.';
comment on column public.documents.removed_keys is 'Fields that its owner took away: no reading brings them back.';

create table public.document_tags (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  document_id uuid not null,
  tag_id uuid not null,
  created_at timestamptz not null default now(),

  primary key (document_id, tag_id),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, tag_id) references public.tags (user_id, id) on delete cascade
);
comment on table public.document_tags is 'Which document wears which tag.';

create table public.document_pages (
  user_id uuid not null references auth.users (id) on delete cascade,
  document_id uuid not null,
  no integer not null,
  state public.document_page_state not null default 'attesa',
  source public.document_page_source,
  text text not null default '',
  words jsonb not null default '[]',
  width real,
  height real,
  rotation smallint not null default 0,
  confidence real,
  created_at timestamptz not null default now(),

  primary key (document_id, no),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  constraint no_counts_from_one check (no >= 1),
  constraint words_are_a_list check (jsonb_typeof(words) = 'array'),
  constraint rotation_is_a_quarter check (rotation in (0, 90, 180, 270)),
  constraint confidence_is_a_percentage check (confidence between 0 and 100)
);
comment on table public.document_pages is 'The pages of a document, one row each, as far as they were read.';
comment on column public.document_pages.words is
  'The words of the page with their places, in reading order: [text, x0, y0, x1, y1, confidence 0..100] in 1/10000 of the page as it is shown.';
comment on column public.document_pages.width is 'In points, as height.';

create table public.document_fields (
  user_id uuid not null references auth.users (id) on delete cascade,
  document_id uuid not null,
  key text not null,
  value text not null,
  confidence real not null,
  page integer,
  box integer[],
  label text,
  source public.document_field_source not null,
  confirmed_at timestamptz,
  created_at timestamptz not null default now(),

  primary key (document_id, key),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  constraint key_is_a_name check (key ~ '^[a-z][a-z0-9_]{0,49}$'),
  constraint value_fits check (value ~ '[^[:space:]]' and char_length(value) <= 1000),
  constraint confidence_is_a_part check (confidence between 0 and 1),
  constraint box_has_four_sides check (cardinality(box) = 4 and array_position(box, null) is null),
  constraint label_fits check (char_length(label) <= 200)
);
comment on table public.document_fields is 'What was read out of a document, with its place there.';
comment on column public.document_fields.value is 'A date is ISO 8601, an amount of money its cents.';
comment on column public.document_fields.label is 'The words next to the value.';

create table public.document_corrections (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  vat_number text not null,
  key text not null,
  label text,
  kind public.document_kind,
  created_at timestamptz not null default now(),

  unique (user_id, vat_number, key),
  constraint it_teaches_something check (label is not null or kind is not null),
  constraint texts_fit check (
    char_length(vat_number) <= 30 and key ~ '^[a-z][a-z0-9_]{0,49}$' and char_length(label) <= 200
  )
);
comment on table public.document_corrections is
  'What a correction by the owner taught about a supplier: the label next to a value, or (key kind) what its documents are.';

-- Used by the list, newest first and with any filter. documents_by_due is used for documents that are due.
create index documents_by_age on public.documents (user_id, created_at desc, id desc) where deleted_at is null;

create index documents_by_kind on public.documents (user_id, kind, created_at desc, id desc) where deleted_at is null;

create index documents_by_due on public.documents (user_id, due_on) where deleted_at is null and due_on is not null;

-- Used by the queue and for counting, without reading the table.
create index documents_by_state on public.documents (user_id, state, kind) where deleted_at is null;

create index documents_contact on public.documents (user_id, contact_id, created_at desc);

create index documents_contact_suggestion on public.documents (user_id, contact_suggestion);

create index documents_parent on public.documents (user_id, parent_id);

create index documents_duplicate_of on public.documents (user_id, duplicate_of);

create index documents_sha256 on public.documents (user_id, sha256) where sha256 is not null;

-- Used by the trash; documents_purge is used by the purge of the trash.
create index documents_trash on public.documents (user_id, deleted_at desc, id desc) where deleted_at is not null;

create index documents_purge on public.documents (deleted_at);

-- Used by the sweep, which resumes documents whose processing has stopped.
create index documents_at_work on public.documents (updated_at) where state in ('in_coda', 'lettura', 'ocr', 'analisi');

create unique index document_tags_identity on public.document_tags (user_id, document_id, tag_id);

create index document_tags_tag on public.document_tags (user_id, tag_id);

create unique index document_pages_identity on public.document_pages (user_id, document_id, no);

create unique index document_fields_identity on public.document_fields (user_id, document_id, key);

create function public.retention_of(_kind public.document_kind)
  returns integer
  language sql immutable parallel safe
  set search_path = ''
as $$
  -- Fiscal papers: art. 22 DPR 600/1973 and art. 2220 of the Civil Code; contracts: the ordinary limitation (art. 2946).
  select case when _kind in ('fattura', 'ricevuta', 'f24', 'contratto') then 10 end
$$;
comment on function public.retention_of(public.document_kind) is
  'For how many years a kind of document is kept, from its date on (else its arrival); null: until it is deleted.';
revoke all on function public.retention_of from public, anon, authenticated, service_role;
grant execute on function public.retention_of to authenticated, service_role;

create function private.retention_end(_document public.documents)
  returns date
  language sql stable
  set search_path = ''
as $$
  select (coalesce(_document.issued_on, (_document.created_at at time zone 'Europe/Rome')::date)
    + make_interval(years => public.retention_of(_document.kind)))::date
$$;
comment on function private.retention_end(public.documents) is 'Until when a document is kept if its owner says nothing.';
revoke all on function private.retention_end from public, anon, authenticated, service_role;

-- Security definer because the roles that write documents may not call functions of the private schema.
create function private.keep_document()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.retention_until := coalesce(new.retention_until, private.retention_end(new));
    return new;
  end if;
  -- Follows kind and date as long as it is what they say.
  if (new.kind, new.issued_on) is distinct from (old.kind, old.issued_on)
    and new.retention_until is not distinct from old.retention_until
    and old.retention_until is not distinct from private.retention_end(old)
  then
    new.retention_until := private.retention_end(new);
  end if;
  -- An automatic link ends when the document shows other numbers.
  if old.contact_reason is not null and new.contact_id = old.contact_id and new.supplier is distinct from old.supplier
    and private.paper_numbers(new.supplier) <> private.paper_numbers(old.supplier)
  then
    new.contact_id := null;
  end if;
  -- A reason belongs to one contact, linked or suggested.
  if new.contact_reason is not distinct from old.contact_reason and (
    new.contact_id is distinct from old.contact_id
    or old.contact_suggestion is not null and new.contact_suggestion is null
  ) then
    new.contact_reason := null;
  end if;
  new.updated_at := now();
  return new;
end
$$;
comment on function private.keep_document() is 'Writes the columns of a document that follow from others.';
revoke all on function private.keep_document from public, anon, authenticated, service_role;

create function private.follow_trashed_document()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- What went into the trash with its parent comes back with it; what was there before stays there.
  update public.documents set deleted_at = new.deleted_at
    where user_id = new.user_id and parent_id = new.id and deleted_at is not distinct from old.deleted_at;
  -- So do the reminders of its invoices; what is done is nobody's reminder any more.
  update public.tasks set deleted_at = new.deleted_at
  from public.invoices join public.invoice_schedules as part
    on part.user_id = invoices.user_id and part.invoice_id = invoices.id
  where invoices.user_id = new.user_id and invoices.document_id = new.id
    and tasks.user_id = part.user_id and tasks.id = part.task_id and tasks.state <> 'fatto'
    and tasks.deleted_at is not distinct from old.deleted_at;
  return null;
end
$$;
comment on function private.follow_trashed_document() is
  'What came in a document, and what reminds of its invoices, goes into the trash and comes back with it.';
revoke all on function private.follow_trashed_document from public, anon, authenticated, service_role;

create function private.own_document(_document_id uuid)
  returns public.documents
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _document public.documents;
begin
  select * into _document from public.documents
    where user_id = (select auth.uid()) and id = _document_id and deleted_at is null for update;
  if not found then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  return _document;
end
$$;
comment on function private.own_document(uuid) is 'The caller''s document, locked; PT404 if it is none or in the trash.';
revoke all on function private.own_document from public, anon, authenticated, service_role;

create function public.sure_confidence()
  returns real
  language sql immutable parallel safe
  set search_path = ''
as $$
  select 0.8::real
$$;
comment on function public.sure_confidence() is
  'From this confidence on a kind or a field needs nobody to look; the same as SURE in functions/_shared/extraction/fields.py '
  'and in web/src/data/document-fields.ts.';
revoke all on function public.sure_confidence from public, anon, authenticated, service_role;
grant execute on function public.sure_confidence to authenticated, service_role;

create function private.settle_document(_document_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.documents set state = 'pronto'
  where id = _document_id and state = 'da_verificare' and not exists (
    select from public.document_fields
    where document_fields.user_id = documents.user_id and document_id = _document_id
      and confidence < public.sure_confidence() and confirmed_at is null
  )
$$;
comment on function private.settle_document(uuid) is 'Calls a document ready when nothing in it is left to be confirmed.';
revoke all on function private.settle_document from public, anon, authenticated, service_role;
grant execute on function private.settle_document to service_role;

create function private.copy_field(_document_id uuid, _key text, _value text)
  returns void
  language plpgsql
  set search_path = ''
as $_$
declare
  _fields jsonb;
  _total_cents bigint;
  -- Whom a paper is about: of one's own it is the customer.
  _places jsonb := '{"supplier": "name", "vat_number": "vat_number", "tax_code": "tax_code", "email": "email"}';
begin
  if _key in ('issued_on', 'due_on') and _value !~ '^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$'
    or _key in ('net', 'vat', 'total', 'due', 'withholding', 'stamp') and _value !~ '^-?[0-9]{1,13}$'
    or _key = 'currency' and _value !~ '^[A-Z]{3}$'
    or _key = 'type_code' and _value !~ '^TD[0-9]{2}$'
  then
    raise exception 'a date is written 2026-01-31, an amount in cents, a currency EUR, a type TD01'
      using errcode = '22023', hint = 'dates are of 1900 to 2199';
  end if;
  select (coalesce(jsonb_object_agg(key, value), '{}') - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _value))
    into _fields
  from public.document_fields where document_id = _document_id;
  _total_cents := private.cents(_fields, 'total');
  if private.invoice_kind(_fields ->> 'type_code') = 'nota_di_credito' then
    _total_cents := -abs(_total_cents);
  end if;
  if private.is_of_owner(_fields, (select user_id from public.documents where id = _document_id)) then
    _places := '{"customer": "name", "customer_vat_number": "vat_number", "email": "email"}';
  end if;
  update public.documents
  set issued_on = case when _key = 'issued_on' then _value::date else issued_on end,
    due_on = case when _key = 'due_on' then _value::date else due_on end,
    total_cents = case when _key in ('total', 'type_code') then _total_cents else total_cents end,
    currency = case when _key = 'currency' then coalesce(_value, 'EUR') else currency end,
    supplier = case when not _places ? _key then supplier else nullif(
      jsonb_strip_nulls(coalesce(supplier, '{}') || jsonb_build_object(_places ->> _key, _value)), '{}'
    ) end
  where id = _document_id
    and (_places ? _key or _key in ('issued_on', 'due_on', 'total', 'type_code', 'currency'));
exception
  when datetime_field_overflow then
    raise exception 'there is no such day' using errcode = '22023';
end
$_$;
comment on function private.copy_field(uuid, text, text) is 'Writes to a document what a field of it says; null: it says nothing.';
revoke all on function private.copy_field from public, anon, authenticated, service_role;

create function private.learn_field(_document public.documents, _key text, _label text)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.document_corrections (user_id, vat_number, key, label)
  select _document.user_id, vat_number, _key, left(_label, 200)
  from (select private.issuer_number(_document) as vat_number) as issuer
  where char_length(vat_number) <= 30 and _label ~ '[^[:space:]]'
  on conflict (user_id, vat_number, key) do update set label = excluded.label, created_at = now()
$$;
comment on function private.learn_field(public.documents, text, text) is
  'Remembers beside which words the documents of a supplier have a value.';
revoke all on function private.learn_field from public, anon, authenticated, service_role;

-- Security definer, like the next function, because only the server may write fields. The owner changes them through
-- these functions.
create function public.confirm_field(
  _document_id uuid, _key text, _value text, _page integer default null, _box integer[] default null,
  _label text default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _said constant text := nullif(btrim(_value), '');
  _before constant jsonb := (
    select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
    where user_id = _document.user_id and document_id = _document_id
  );
  _field public.document_fields;
begin
  if exists (
    select from public.invoices
    where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa'
  ) then
    raise exception 'an electronic invoice says everything itself' using errcode = 'SC043';
  elsif _said is null and _key in ('number', 'issued_on', 'total') and exists (
    select from public.invoices where user_id = _document.user_id and document_id = _document_id
  ) then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  perform private.copy_field(_document_id, _key, _said);
  if _said is null then
    with gone as (
      delete from public.document_fields
      where user_id = _document.user_id and document_id = _document_id and key = _key
      returning key
    )
    update public.documents set removed_keys = removed_keys || key from gone where id = _document_id;
  else
    update public.documents set removed_keys = array_remove(removed_keys, _key)
    where id = _document_id and _key = any (removed_keys);
    insert into public.document_fields as field
      (user_id, document_id, key, value, confidence, page, box, label, source, confirmed_at)
    values (_document.user_id, _document_id, _key, _said, 1, _page, _box, left(_label, 200), 'persona', now())
    -- Confirmed as it was read it keeps its place; another value stands elsewhere.
    on conflict (document_id, key) do update set
      value = _said, confirmed_at = now(),
      source = case when field.value = _said then field.source else 'persona' end,
      confidence = case when field.value = _said then field.confidence else 1 end,
      page = coalesce(_page, case when field.value = _said then field.page end),
      box = coalesce(_box, case when field.value = _said then field.box end),
      label = coalesce(left(_label, 200), case when field.value = _said then field.label end)
    returning * into _field;
    perform private.learn_field(_document, _key, _field.label);
  end if;
  perform private.turn_document(_document_id, _before);
  perform private.follow_total(_document_id, _before);
  perform private.settle_document(_document_id);
  perform private.link_papers(array[_document_id]);
  perform private.follow_fields(_document_id);
  perform private.enter_scan(_document_id);
end
$$;
comment on function public.confirm_field(uuid, text, text, integer, integer[], text) is
  'Says what a field of the caller''s document holds, and where it stands; null: nothing, whatever is read later. '
  'Remembers it for the supplier, calls the document ready when nothing is left to be confirmed, and registers it, again '
  'or as soon as all that an invoice needs is sure. PT404, SC041, SC043, 22023.';
revoke all on function public.confirm_field from public, anon, authenticated, service_role;
grant execute on function public.confirm_field to authenticated;

create function public.set_document_kind(_document_id uuid, _kind public.document_kind)
  returns void
  language plpgsql volatile
  security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  update public.documents
  set kind = _kind, kind_confidence = 1, kind_rule = 'Scelto da te', kind_by_user = true
  where id = _document_id;
  insert into public.document_corrections (user_id, vat_number, key, kind)
  select _document.user_id, vat_number, 'kind', _kind
  from (
    select private.issuer_number(_document) as vat_number,
      (
        select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
        where user_id = _document.user_id and document_id = _document_id
      ) as fields
  ) as issuer
  where char_length(vat_number) <= 30 and not private.is_of_owner(fields, _document.user_id)
  on conflict (user_id, vat_number, key) do update set kind = excluded.kind, created_at = now();
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
  perform private.enter_scan(_document_id);
end
$$;
comment on function public.set_document_kind(uuid, public.document_kind) is
  'Says what kind the caller''s document is; no machine changes it any more, a scan that is no invoice leaves the register, '
  'and one that is enters it when all that it needs is sure. PT404.';
revoke all on function public.set_document_kind from public, anon, authenticated, service_role;
grant execute on function public.set_document_kind to authenticated;

create function private.euros(_cents bigint, _currency text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select translate(to_char(_cents / 100.0, 'FM999,999,999,999,990.00'), ',.', '.,') || ' '
    || case _currency when 'EUR' then '€' else _currency end
$$;
comment on function private.euros(bigint, text) is 'An amount as Italians write it: 1.220,00 €.';
revoke all on function private.euros from public, anon, authenticated, service_role;
-- Payment titles in the calendar feed contain amounts.
grant execute on function private.euros to service_role;

create function public.document_counts()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with counted as (
    select kind, state, count(*) as times from public.documents
    where user_id = (select auth.uid()) and deleted_at is null group by kind, state
  )
  select jsonb_build_object(
    'kinds', (
      select coalesce(jsonb_object_agg(kind, times), '{}')
      from (select kind, sum(times) as times from counted group by kind) as kinds
    ),
    'states', (
      select coalesce(jsonb_object_agg(state, times), '{}')
      from (select state, sum(times) as times from counted group by state) as states
    ),
    'trash', (select count(*) from public.documents where user_id = (select auth.uid()) and deleted_at is not null)
  )
$$;
comment on function public.document_counts() is
  'How many documents the caller has: {kinds: {kind: n}, states: {state: n}, trash: n}; the first two without the trash.';
revoke all on function public.document_counts from public, anon, authenticated, service_role;
grant execute on function public.document_counts to authenticated;

create function private.issuer_number(_document public.documents)
  returns text
  language sql stable
  set search_path = ''
as $$
  select coalesce(
    (
      select value from public.document_fields
      where user_id = _document.user_id and document_id = _document.id and key = 'vat_number'
    ),
    _document.supplier ->> 'vat_number'
  )
$$;
comment on function private.issuer_number(public.documents) is
  'The VAT number of the issuer of a document, by which the lessons of its owner are found.';
revoke all on function private.issuer_number from public, anon, authenticated, service_role;

create function private.about(_fields jsonb, _user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select nullif(jsonb_strip_nulls(jsonb_build_object('email', _fields -> 'email') || case
    when private.is_of_owner(_fields, _user_id)
      then jsonb_build_object('name', _fields -> 'customer', 'vat_number', _fields -> 'customer_vat_number')
    else jsonb_build_object(
      'name', _fields -> 'supplier', 'vat_number', _fields -> 'vat_number', 'tax_code', _fields -> 'tax_code'
    )
  end), '{}')
$$;
comment on function private.about(jsonb, uuid) is
  'Whom a paper with these fields is about, as documents.supplier keeps it; the same as of_words() in '
  'functions/_shared/documents/conclusions.py.';
revoke all on function private.about from public, anon, authenticated, service_role;

create function private.turn_document(_document_id uuid, _before jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.documents
  set supplier = private.about(said, user_id), contact_suggestion = null, contact_reason = null
  from (
    select coalesce(jsonb_object_agg(key, value), '{}') as said from public.document_fields
    where document_id = _document_id
  ) as now
  where id = _document_id and private.is_of_owner(said, user_id) <> private.is_of_owner(_before, user_id)
$$;
comment on function private.turn_document(uuid, jsonb) is
  'A paper that is not any more of whom it was by its fields of before ({key: value}) is about the other side.';
revoke all on function private.turn_document from public, anon, authenticated, service_role;

create function private.repeat_word(_document_id uuid, _read jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.follow_total(_document_id, _read - array(
    select key from public.document_fields where document_id = _document_id and confirmed_at is not null and key = 'due'
  ));
  perform private.turn_document(_document_id, _read);
  perform private.copy_field(_document_id, key, value)
  from (
    select key, value from public.document_fields where document_id = _document_id and confirmed_at is not null
    union all
    select unnest(removed_keys), null from public.documents where id = _document_id
  ) as said;
end
$$;
comment on function private.repeat_word(uuid, jsonb) is
  'Puts over what was read of a document ({key: value}) what its owner said of it before.';
revoke all on function private.repeat_word from public, anon, authenticated, service_role;
grant execute on function private.repeat_word to service_role;

alter table public.documents enable row level security;
alter table public.document_tags enable row level security;
alter table public.document_pages enable row level security;
alter table public.document_fields enable row level security;
alter table public.document_corrections enable row level security;

create policy "owners read their documents" on public.documents
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their documents" on public.documents
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners empty their trash of documents" on public.documents
  for delete to authenticated
  using (user_id = (select auth.uid()) and deleted_at is not null);

create policy "owners read the tags of their documents" on public.document_tags
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners tag their documents" on public.document_tags
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners take tags off their documents" on public.document_tags
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their pages" on public.document_pages
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their fields" on public.document_fields
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what they taught" on public.document_corrections
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.documents from public, anon, authenticated, service_role;
grant select, delete on public.documents to authenticated;
grant select, insert, update, delete on public.documents to service_role;
grant update (
  filename, filename_by_user, contact_id, issued_on, due_on, note, retention_until, deleted_at
) on public.documents to authenticated;

revoke all on public.document_tags from public, anon, authenticated, service_role;
grant select, delete on public.document_tags to authenticated;
grant select, insert, update, delete on public.document_tags to service_role;
grant insert (user_id, document_id, tag_id) on public.document_tags to authenticated;

revoke all on public.document_pages from public, anon, authenticated, service_role;
grant select on public.document_pages to authenticated;
grant select, insert, update, delete on public.document_pages to service_role;

revoke all on public.document_fields from public, anon, authenticated, service_role;
grant select on public.document_fields to authenticated;
grant select, insert, update, delete on public.document_fields to service_role;

revoke all on public.document_corrections from public, anon, authenticated, service_role;
grant select on public.document_corrections to authenticated;
grant select, insert, update, delete on public.document_corrections to service_role;

create trigger keep_document before insert or update on public.documents
  for each row execute function private.keep_document();

create trigger follow_trashed_document after update of deleted_at on public.documents
  for each row when (old.deleted_at is distinct from new.deleted_at)
  execute function private.follow_trashed_document();

alter table public.documents replica identity using index documents_user_id_id_key;
alter table public.document_tags replica identity using index document_tags_identity;
alter table public.document_fields replica identity using index document_fields_identity;
