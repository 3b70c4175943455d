-- What its owner said of a document stays said when it is read again: what was confirmed, what follows from it, and what
-- was taken away. The register begins with what is due first, and knows parties by their numbers as they are written.
--
-- Error codes raised:
--   SC041  a scan that is registered cannot be without its number, its date or its total
--   SC043  an electronic invoice says everything itself: its fields are not changed

alter table public.documents add column removed_keys text[] not null default '{}';
comment on column public.documents.removed_keys is 'Fields that its owner took away: no reading brings them back.';

-- What its owner says ----------------------------------------------------------------------------------------------------

create or replace function private.copy_field(_document_id uuid, _key text, _value text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
  if _fields ->> 'type_code' in ('TD04', 'TD08') then
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
$$;

create function private.payable_cents(_fields jsonb)
  returns bigint
  language sql immutable
  set search_path = ''
as $$
  select total - sign(total)::bigint * coalesce(abs(private.cents(_fields, 'withholding')), 0)
  from (select private.cents(_fields, 'total') as total) as told
$$;
comment on function private.payable_cents(jsonb) is 'The total less what is withheld, whichever way the money goes.';

create function private.follow_total(_document_id uuid, _before jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- What is to be paid was the total less what is withheld: it still is.
  update public.document_fields
  set value = private.payable_cents(said)
  from (
    select jsonb_object_agg(key, value) as said from public.document_fields where document_id = _document_id
  ) as now
  where document_id = _document_id and key = 'due' and value = _before ->> 'due'
    and private.cents(_before, 'due') = private.payable_cents(_before) and private.payable_cents(said) is not null
$$;
comment on function private.follow_total(uuid, jsonb) is
  'What is to be paid follows a total or a withholding that is not any more what it was before: {key: value}.';

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

create or replace function public.confirm_field(
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
  perform private.follow_fields(_document_id);
end
$$;
comment on function public.confirm_field(uuid, text, text, integer, integer[], text) is
  'Says what a field of the caller''s document holds, and where it stands; null: nothing, whatever is read later. '
  'Remembers it for the supplier, calls the document ready when nothing is left to be confirmed, and registers it again '
  'if it was registered. PT404, SC041, SC043, 22023.';

create or replace function private.follow_own_numbers()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.direct_invoices(new);
  -- The same of scans. Who was linked was oneself.
  update public.documents
  set supplier = private.about(said, new.user_id), contact_id = null, contact_suggestion = null, contact_reason = null
  from (
    select document_id, jsonb_object_agg(key, value) as said from public.document_fields
    where user_id = new.user_id and source <> 'fatturapa' group by document_id
  ) as scan
  where documents.user_id = new.user_id and documents.id = document_id
    and coalesce(coalesce(nullif(said ->> 'vat_number', ''), said ->> 'tax_code') in (old.vat_number, old.tax_code), false)
      <> private.is_of_owner(said, new.user_id);
  perform private.follow_fields(document_id) from public.invoices where user_id = new.user_id and source = 'campi';
  return null;
end
$$;

-- Numbers of parties -----------------------------------------------------------------------------------------------------

create or replace function private.party_vat(_party jsonb)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case
    when vat_number = '' or vat_number ~ '^([A-Z]{2}){0,2}(0+|9{11}|X+)$' then null
    when vat_country is null or vat_country = 'IT' or starts_with(vat_number, vat_country) then vat_number
    else vat_country || vat_number
  end
  from (
    -- Greece is GR to the post and EL to the tax office.
    select case _party ->> 'vat_country' when 'GR' then 'EL' else _party ->> 'vat_country' end as vat_country,
      regexp_replace(regexp_replace(upper(_party ->> 'vat_number'), '[^A-Z0-9]', '', 'g'), '^IT(?=[0-9]{11}$)', '')
        as vat_number
  ) as told
$$;

create or replace function private.alias_value(_kind public.document_alias_kind, _value text)
  returns text
  language sql stable
  set search_path = ''
as $$
  select nullif(left(case _kind
    when 'email' then lower(btrim(_value))
    when 'name' then private.search_text(_value)
    else private.party_vat(jsonb_build_object('vat_number', _value))
  end, 300), '')
$$;

-- The register -----------------------------------------------------------------------------------------------------------

create function public.next_due(_invoice public.invoices)
  returns date
  language sql stable
  set search_path = ''
as $$
  select min(due_on) from public.invoice_schedules
  where user_id = _invoice.user_id and invoice_id = _invoice.id and paid_on is null
$$;
comment on function public.next_due(public.invoices) is
  'The day on which the next part of an invoice is due; null when nothing is open or no day is said.';

create or replace function private.register_scan(_document public.documents)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields constant jsonb := private.sure_fields(_document.id);
  _is_own constant boolean := private.is_of_owner(_fields, _document.user_id);
  _total_cents constant bigint := private.cents(_fields, 'total');
  _due_cents constant bigint := coalesce(
    private.cents(_fields, 'due'),
    case when private.cents(_fields, 'withholding') is not null then private.payable_cents(_fields) end
  );
begin
  if not _fields ?& array['number', 'issued_on'] or _total_cents is null or exists (
    -- These turn the total into something else: a debt into a credit, dollars into euros.
    select from public.document_fields
    where user_id = _document.user_id and document_id = _document.id and key in ('type_code', 'currency')
      and confirmed_at is null and confidence < 0.8
  ) then
    return null;
  end if;
  perform private.store_invoice(_document.id, _document.user_id, jsonb_build_array(jsonb_build_object(
    'direction', case when _is_own then 'attiva' else 'passiva' end, 'type_code', _fields ->> 'type_code',
    'number', left(_fields ->> 'number', 100), 'issued_on', _fields ->> 'issued_on',
    'net_cents', private.cents(_fields, 'net'), 'vat_cents', private.cents(_fields, 'vat'),
    'total_cents', _total_cents, 'due_cents', _due_cents,
    'currency', coalesce(_fields ->> 'currency', _document.currency),
    'counterparty_name', left(case when _is_own then _fields ->> 'customer'
      else coalesce(_fields ->> 'supplier', _document.supplier ->> 'name') end, 500),
    -- As an electronic invoice writes it: «IT 0123…» bare, «de 123…» with its country.
    'counterparty_vat', left(private.alias_value(
      'vat_number', _fields ->> case when _is_own then 'customer_vat_number' else 'vat_number' end
    ), 50),
    'source', 'campi',
    'schedules', jsonb_build_array(jsonb_build_object(
      'due_on', _fields ->> 'due_on', 'amount_cents', coalesce(_due_cents, _total_cents),
      'iban', left(_fields ->> 'iban', 50)
    ))
  )));
  return (select id from public.invoices where user_id = _document.user_id and document_id = _document.id);
end
$$;

-- Rights -----------------------------------------------------------------------------------------------------------------

revoke all on function
  private.payable_cents, private.follow_total, private.about, private.turn_document, private.repeat_word,
  public.next_due
from public, anon, authenticated, service_role;
grant execute on function private.repeat_word to service_role;
grant execute on function public.next_due to authenticated;

-- What is there already --------------------------------------------------------------------------------------------------

update public.invoices set counterparty_vat = left(private.party_vat(other), 50)
from public.invoices as said, lateral (
  select case said.source when 'campi' then jsonb_build_object('vat_number', said.counterparty_vat)
    else said.content -> case said.direction when 'attiva' then 'customer' else 'supplier' end end as other
) as party
where invoices.id = said.id and other is not null
  and said.counterparty_vat is distinct from left(private.party_vat(other), 50);
