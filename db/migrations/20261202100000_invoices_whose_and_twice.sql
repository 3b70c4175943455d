-- Whose a paper is, who stands on it and what counts twice: one's own tax code on a received scan makes it no invoice of
-- one's own, placeholders are nobody's number, and an XML and its scan are one invoice.
--
-- Error codes raised:
--   SC041  a scan that is registered cannot be without its number, its date or its total
--   SC043  an electronic invoice says everything itself: its fields are not changed

-- Whose ------------------------------------------------------------------------------------------------------------------

create or replace function private.is_of_owner(_fields jsonb, _user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    -- A paper that was received may show its reader's tax code anywhere: it counts only where no VAT number stands.
    select from public.profiles
    where user_id = _user_id
      and coalesce(nullif(_fields ->> 'vat_number', ''), _fields ->> 'tax_code') in (vat_number, tax_code)
  )
$$;

create function private.party_vat(_party jsonb)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case
    when vat_number = '' or upper(vat_number) ~ '^([A-Z]{2}){0,2}(0+|9{11}|X+)$' then null
    when vat_country is null or vat_country = 'IT' or starts_with(vat_number, vat_country) then vat_number
    else vat_country || vat_number
  end
  from (select _party ->> 'vat_country' as vat_country, _party ->> 'vat_number' as vat_number) as told
$$;
comment on function private.party_vat(jsonb) is
  'The VAT number of a party of an electronic invoice, a foreign one with its country, null for a placeholder; the same as '
  'vat_of() in functions/_shared/fatturapa/register.py.';

create or replace function private.alias_value(_kind public.document_alias_kind, _value text)
  returns text
  language sql stable
  set search_path = ''
as $$
  select nullif(left(case _kind
    when 'vat_number' then private.party_vat(jsonb_build_object('vat_number', regexp_replace(
      regexp_replace(upper(_value), '[^A-Z0-9]', '', 'g'), '^IT(?=[0-9]{11}$)', ''
    )))
    when 'tax_code' then private.party_vat(jsonb_build_object('vat_number', regexp_replace(
      upper(_value), '[^A-Z0-9]', '', 'g'
    )))
    when 'email' then lower(btrim(_value))
    else private.search_text(_value)
  end, 300), '')
$$;

create or replace function private.direct_invoices(_own public.profiles)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- The same as direction() and _entry() in functions/_shared/fatturapa/register.py, of what was read before.
  with sides as (
    select id, direction as former, content, findings, case
      when sold and bought then case type_code when 'TD27' then 'attiva' else 'passiva' end
      when sold then 'attiva' when bought then 'passiva' end as known
    from public.invoices, lateral (
      select private.is_party(content -> 'supplier', _own) as sold, private.is_party(content -> 'customer', _own) as bought
    ) as parties
    where user_id = _own.user_id and content is not null
  ), told as (
    select id, former, coalesce(known, 'passiva')::public.invoice_direction as direction,
      content -> case known when 'attiva' then 'customer' else 'supplier' end as other,
      jsonb_path_query_array(findings, '$[*] ? (@.code != "non_tua")') || case when known is null then jsonb_build_array(
        jsonb_build_object('code', 'non_tua', 'severity', 'avviso', 'text', case
          when coalesce(_own.vat_number, _own.tax_code) is null then 'Nel profilo manca la tua partita IVA'
          else 'Né chi vende né chi compra ha la tua partita IVA o il tuo codice fiscale'
        end || ': ho messo la fattura tra quelle ricevute.')
      ) else '[]' end as findings
    from sides
  ), turned as (
    update public.invoices set direction = told.direction, findings = told.findings,
      counterparty_name = nullif(left(other ->> 'name', 500), ''),
      counterparty_vat = left(private.party_vat(other), 50)
    from told
    where invoices.id = told.id and (former, invoices.findings) is distinct from (told.direction, told.findings)
    returning invoices.user_id, document_id, body_no, other, former <> told.direction as is_turned
  )
  update public.documents
  -- Who was linked was oneself.
  set contact_id = null, contact_suggestion = null, contact_reason = null,
    supplier = nullif(jsonb_strip_nulls(jsonb_build_object(
      'name', other -> 'name', 'vat_number', private.party_vat(other), 'tax_code', other -> 'tax_code',
      'email', other -> 'email'
    )), '{}')
  from turned
  where turned.user_id = documents.user_id and document_id = documents.id and body_no = 1 and is_turned;
  delete from public.document_aliases
  where user_id = _own.user_id and value in (
    private.alias_value('vat_number', _own.vat_number), private.alias_value('tax_code', _own.tax_code)
  )
$$;
comment on function private.direct_invoices(public.profiles) is
  'Puts the electronic invoices of a person on the side where who they are puts them, and knows nobody by their numbers.';

-- What its owner says ----------------------------------------------------------------------------------------------------

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
  _after constant jsonb := (_before - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _said));
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
    delete from public.document_fields where user_id = _document.user_id and document_id = _document_id and key = _key;
  else
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
  -- What is to be paid was the total less what is withheld: it still is.
  update public.document_fields
  set value = private.cents(_after, 'total') - coalesce(abs(private.cents(_after, 'withholding')), 0)
  where user_id = _document.user_id and document_id = _document_id and key = 'due' and _key in ('total', 'withholding')
    and private.cents(_before, 'due')
      = private.cents(_before, 'total') - coalesce(abs(private.cents(_before, 'withholding')), 0)
    and private.cents(_after, 'total') is not null;
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;
comment on function public.confirm_field(uuid, text, text, integer, integer[], text) is
  'Says what a field of the caller''s document holds, and where it stands; null: nothing. Remembers it for the supplier, '
  'calls the document ready when nothing is left to be confirmed, and registers it again if it was registered. PT404, '
  'SC041, SC043, 22023.';

-- The same invoice twice -------------------------------------------------------------------------------------------------

create or replace function public.twin(_invoice public.invoices)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
  join public.documents as file on file.user_id = other.user_id and file.id = other.document_id and file.deleted_at is null
  where other.user_id = _invoice.user_id and other.number = _invoice.number and other.issued_on = _invoice.issued_on
    and other.direction = _invoice.direction and (
      other.type_code = _invoice.type_code
      -- Of a scan nothing but credit or no credit can be told: a deferred invoice is a TD01 there.
      or 'campi' in (other.source, _invoice.source)
        and (other.type_code in ('TD04', 'TD08')) = (_invoice.type_code in ('TD04', 'TD08'))
    )
    -- Of one's own a scan may name the customer otherwise; the number is one's own.
    and (_invoice.direction = 'attiva' and 'campi' in (other.source, _invoice.source) or coalesce(
      other.counterparty_vat,
      other.content #>> array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(other.counterparty_name)
    ) = coalesce(
      _invoice.counterparty_vat,
      _invoice.content #>> array[case _invoice.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(_invoice.counterparty_name)
    ))
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$$;

-- Rights -----------------------------------------------------------------------------------------------------------------

revoke all on function private.party_vat from public, anon, authenticated, service_role;
-- As private.alias_value, which asks it.
grant execute on function private.party_vat to service_role;

-- What is there already --------------------------------------------------------------------------------------------------

delete from public.document_aliases
where kind in ('vat_number', 'tax_code') and private.alias_value(kind, value) is null
  or exists (
    select from public.profiles
    where profiles.user_id = document_aliases.user_id and value in (
      private.alias_value('vat_number', vat_number), private.alias_value('tax_code', tax_code)
    )
  );
update public.invoices set counterparty_vat = left(private.party_vat(other), 50)
from public.invoices as said, lateral (
  select said.content -> case said.direction when 'attiva' then 'customer' else 'supplier' end as other
) as party
where invoices.id = said.id and said.source = 'fatturapa' and other is not null
  and said.counterparty_vat is distinct from left(private.party_vat(other), 50);
