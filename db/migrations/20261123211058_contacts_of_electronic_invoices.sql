-- Contacts of electronic invoices.
--   CREATE OR REPLACE FUNCTION private.invoice_party
--   CREATE OR REPLACE FUNCTION private.make_document_contact
--   COMMENT ON FUNCTION private.invoice_party
--   REVOKE ALL ON FUNCTION private.invoice_party

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.invoice_party (
  _document public.documents
)
  RETURNS TABLE (
    first_name text,
    last_name  text,
    sdi_code   text,
    pec        text,
    address    jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case when party ->> 'last_name' is not null then left(private.one_line(party ->> 'first_name'), 200) end,
    case when party ->> 'first_name' is not null then left(private.one_line(party ->> 'last_name'), 200) end,
    -- A customer without a code has zeros, one abroad has the letter X.
    case when (private.is_sdi_code(code) or code ~ '^[A-Z0-9]{6}$') and code !~ '^(0+|X+)$' then code end,
    case when private.is_email(mailbox) then mailbox end,
    case when char_length(place::text) <= 1000 then nullif(place, '{}') end
  from (select) as always
  left join lateral (
    select content -> case direction when 'attiva' then 'customer' else 'supplier' end as party,
      case direction when 'attiva' then upper(content #>> '{transmission,recipient_code}') end as code,
      case direction when 'attiva' then lower(btrim(content #>> '{transmission,recipient_pec}')) end as mailbox
    from public.invoices
    where user_id = _document.user_id and document_id = _document.id and content is not null order by body_no limit 1
  ) as told on true
  cross join lateral (
    select jsonb_strip_nulls(jsonb_build_object(
      'street', nullif(private.one_line(concat_ws(' ', party #>> '{address,street}', party #>> '{address,number}')), ''),
      'postal_code', party #>> '{address,postal_code}', 'city', party #>> '{address,city}',
      'province', party #>> '{address,province}', 'country', party #>> '{address,country}'
    )) as place
  ) as written
$function$;

CREATE OR REPLACE FUNCTION private.make_document_contact (
  _document public.documents
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _name constant text := left(private.one_line(_document.supplier ->> 'name'), 200);
  _vat_number text := private.alias_value('vat_number', _document.supplier ->> 'vat_number');
  _tax_code text := private.alias_value('tax_code', _document.supplier ->> 'tax_code');
  _email constant text := private.alias_value('email', _document.supplier ->> 'email');
  _id uuid;
begin
  if not private.is_vat_number(_vat_number) then
    _vat_number := null;
  end if;
  if not (private.is_tax_code(_tax_code) or private.is_vat_number(_tax_code)) then
    _tax_code := null;
  end if;
  -- Who is there already is not made twice.
  select id into _id from public.contacts
  where user_id = _document.user_id and merged_into is null and deleted_at is null
    and (vat_number = _vat_number or tax_code = _tax_code)
  order by vat_number = _vat_number desc nulls last, created_at limit 1;
  if found then
    return _id;
  elsif _name is null then
    raise exception 'the document names nobody' using errcode = 'SC042';
  end if;
  insert into public.contacts (
    user_id, type, first_name, last_name, business_name, vat_number, tax_code, sdi_code, pec, address, origin
  )
  select _document.user_id,
    -- A person without a VAT number; who has both may be a firm of one.
    case when _vat_number is null and private.is_tax_code(_tax_code) then 'persona' else 'azienda' end
      ::public.contact_type,
    first_name, last_name, case when first_name is null or _vat_number is not null then _name end,
    _vat_number, _tax_code, sdi_code, pec, address, 'documento'
  from private.invoice_party(_document)
  returning id into _id;
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _document.user_id, _id, _email, true where private.is_email(_email)
  on conflict (user_id, norm) do nothing;
  return _id;
end
$function$;

COMMENT ON FUNCTION "private"."invoice_party"(public.documents) IS 'What the electronic invoice of a document says of the other party for a contact: one row, empty without an invoice.';

REVOKE ALL ON FUNCTION "private"."invoice_party"(public.documents) FROM PUBLIC;

reset check_function_bodies;
