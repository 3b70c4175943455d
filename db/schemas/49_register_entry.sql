-- Register entry: papers that enter the register by themselves, and those that wait for their owner.
--
-- Only the kind «fattura» is a debt or a claim: invoices, fees, utility bills and credit notes. A receipt is paid
-- already; a quote, a contract, a reminder, a delivery note or a pro forma invoice is owed by nobody; an F24 is a tax.
-- A paper enters when nothing in scan_gaps() is left, and never twice: a copy, the printed form that comes inside an
-- electronic invoice, and what the register has from another file stay out. A wrong debt costs more than a missing one.
--
-- Error codes raised:
--   PT404  the caller has no such document (PostgREST answers 404)
--   SC043  an electronic invoice cannot leave the register

create function private.scan_direction(_fields jsonb, _user_id uuid)
  returns public.invoice_direction
  language sql stable
  set search_path = ''
as $$
  select case
    when issuer in (vat_number, tax_code) then case when customer in (vat_number, tax_code) then null else 'attiva' end
    -- One's own tax code may be on a paper of either side.
    when vat_number is null or private.is_of_owner(_fields, _user_id) then null
    when customer = vat_number or issuer is not null and customer is null then 'passiva'
  end::public.invoice_direction
  from public.profiles
  cross join lateral (
    select nullif(_fields ->> 'vat_number', '') as issuer, nullif(_fields ->> 'customer_vat_number', '') as customer
  ) as shown
  where user_id = _user_id
$$;
comment on function private.scan_direction(jsonb, uuid) is
  'Whether a scan with these fields was issued or received by its owner; null when its numbers do not prove it. Never '
  'another one than is_of_owner() says.';
revoke all on function private.scan_direction from public, anon, authenticated, service_role;

create function private.field_gap(_sure jsonb, _every jsonb, _key text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case when _sure ? _key then null when _every ? _key then _key else 'no_' || _key end
$$;
comment on function private.field_gap(jsonb, jsonb, text) is
  'What is wrong with a needed field: its key when it is doubtful, «no_» and its key when it is missing, null when it is sure.';
revoke all on function private.field_gap from public, anon, authenticated, service_role;

create function private.scan_gaps(_document public.documents)
  returns text[]
  language sql stable
  set search_path = ''
as $$
  with read as (
    select private.sure_fields(_document.id) as sure, coalesce(jsonb_object_agg(key, value), '{}') as every
    from public.document_fields where user_id = _document.user_id and document_id = _document.id
  ), known as (
    select read.*, private.scan_direction(sure, _document.user_id) as direction, private.cents(sure, 'total') as cents,
      private.scan_direction(every, _document.user_id) as shown_direction,
      exists (select from public.profiles where user_id = _document.user_id and vat_number is not null) as has_number
    from read
  )
  select array_remove(array[
    case when not _document.kind_by_user
      and coalesce(_document.kind_confidence, 0) < public.sure_confidence() then 'kind' end,
    case when exists (
      select from public.document_pages
      where user_id = _document.user_id and document_id = _document.id and state = 'errore'
    ) then 'pages' end,
    private.field_gap(sure, every, 'number'),
    coalesce(private.field_gap(sure, every, 'issued_on'), case
      when (sure ->> 'issued_on')::date > (now() at time zone 'Europe/Rome')::date then 'issued_on' end),
    coalesce(private.field_gap(sure, every, 'total'), case
      when cents is null or cents <= 0 and private.invoice_kind(sure ->> 'type_code') <> 'nota_di_credito' then 'total' end),
    case when direction is distinct from shown_direction or direction is null
      then case when has_number then 'direction' else 'own_vat' end end,
    case when _document.contact_id is null then
      private.field_gap(sure, every, case shown_direction when 'attiva' then 'customer' else 'supplier' end) end
  ] || array(
    -- Needed by none, but wrong in the register when they are doubtful.
    select key from unnest(array['type_code', 'currency', 'withholding', 'due', 'due_on']) as key
    where every ? key and not sure ? key
  ), null)
  from known
$$;
comment on function private.scan_gaps(public.documents) is
  'What keeps a scan out of the register, in the order in which a person would look: kind, pages, keys of doubtful fields, '
  '«no_» and the key of missing ones, direction, own_vat (the owner''s VAT number is missing). Empty: everything is sure.';
revoke all on function private.scan_gaps from public, anon, authenticated, service_role;

create function private.scan_twin(_document public.documents)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select public.twin(jsonb_populate_record(null::public.invoices, content || jsonb_build_object(
    -- Younger than all that is there: it has a twin, and is none.
    'id', _document.id, 'user_id', _document.user_id, 'document_id', _document.id, 'created_at', 'infinity',
    'type_code', coalesce(content ->> 'type_code', 'TD01'), 'kind', private.invoice_kind(content ->> 'type_code'),
    'counterparty_key', private.name_key(content ->> 'counterparty_name')
  )))
  from (
    select private.scan_content(_document, coalesce(jsonb_object_agg(key, value), '{}')) as content
    from public.document_fields where user_id = _document.user_id and document_id = _document.id
  ) as read
$$;
comment on function private.scan_twin(public.documents) is
  'The file {document_id, filename} from which the register has the invoice of a scan that is not registered; null for none.';
revoke all on function private.scan_twin from public, anon, authenticated, service_role;

create function private.is_copy(_document public.documents)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.documents
    where user_id = _document.user_id and id = _document.duplicate_of and deleted_at is null
  ) or exists (
    select from public.invoices
    where user_id = _document.user_id and document_id = _document.parent_id and source = 'fatturapa'
  )
$$;
comment on function private.is_copy(public.documents) is
  'Whether a document has the same bytes as another one, or came inside an electronic invoice.';
revoke all on function private.is_copy from public, anon, authenticated, service_role;

-- Security definer because the job that ends a reading may not call functions of the private schema.
create function private.enter_scan(_document_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents;
  _is_automatic boolean;
  _id uuid;
begin
  select * into _document from public.documents where id = _document_id for update;
  select bool_and(is_automatic) into _is_automatic from public.invoices
  where user_id = _document.user_id and document_id = _document_id;
  -- An electronic invoice, and what the owner registered or left out, stays as it is.
  if not _is_automatic or _document.left_out_at is not null or _document.deleted_at is not null then
    return;
  elsif _document.kind = 'fattura' and private.scan_gaps(_document) = '{}' and not private.is_copy(_document)
    and (_is_automatic or private.scan_twin(_document) is null)
  then
    _id := private.register_scan(_document);
    update public.invoices set is_automatic = true where id = _id and not is_automatic;
  elsif _is_automatic then
    perform private.remove_invoices(_document_id, _document.user_id, '{}');
  end if;
end
$$;
comment on function private.enter_scan(uuid) is
  'Enters a scan into the register when all that an invoice needs is sure; takes one that entered so out again when it is '
  'not any more.';
revoke all on function private.enter_scan from public, anon, authenticated, service_role;
grant execute on function private.enter_scan to service_role;

-- Security definer, like the next function, because only the server writes invoices and reads all that they need.
create function public.leave_out_of_register(_document_id uuid, _is_left_out boolean default true)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  if exists (
    select from public.invoices
    where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa'
  ) then
    raise exception 'an electronic invoice stays in the register' using errcode = 'SC043';
  end if;
  update public.documents set left_out_at = case when _is_left_out then now() end where id = _document_id;
  if _is_left_out then
    perform private.remove_invoices(_document_id, _document.user_id, '{}');
  else
    perform private.enter_scan(_document_id);
  end if;
end
$$;
comment on function public.leave_out_of_register(uuid, boolean) is
  'Takes the caller''s scan out of the register for good, or says that it is not to be registered; false: it may enter '
  'again. PT404, SC043.';
revoke all on function public.leave_out_of_register from public, anon, authenticated, service_role;
grant execute on function public.leave_out_of_register to authenticated;

create function public.unregistered_documents(_contact_ids uuid[] default null)
  returns table (
    document_id uuid, filename text, direction public.invoice_direction, contact_id uuid, counterparty text,
    counterparty_vat text, issued_on date, due_on date, total_cents bigint, currency text, gaps text[]
  )
  language sql stable security definer
  set search_path = ''
as $$
  with waiting as (
    select documents as document, private.scan_content(documents, fields) as content,
      private.scan_direction(fields, documents.user_id) as direction
    from public.documents
    cross join lateral (
      select coalesce(jsonb_object_agg(key, value), '{}') as fields from public.document_fields as field
      where field.user_id = documents.user_id and field.document_id = documents.id
    ) as read
    where documents.user_id = (select auth.uid()) and kind = 'fattura' and deleted_at is null and left_out_at is null
      and not exists (
        select from public.invoices
        where invoices.user_id = documents.user_id and invoices.document_id = documents.id
      )
    limit 1000
  )
  select (document).id, (document).filename, direction, (document).contact_id, content ->> 'counterparty_name',
    content ->> 'counterparty_vat', (document).issued_on, (document).due_on, (document).total_cents,
    (document).currency, private.scan_gaps(document)
  from waiting
  where not private.is_copy(document) and private.scan_twin(document) is null and (
    _contact_ids is null or (document).contact_id = any (_contact_ids)
    or (document).contact_id is null and exists (
      select from public.contacts
      where contacts.user_id = (document).user_id and contacts.id = any (_contact_ids) and coalesce(
        contacts.vat_number = content ->> 'counterparty_vat',
        private.name_key(contacts.name) = private.name_key(content ->> 'counterparty_name'), false
      )
    )
  )
  order by (document).created_at, (document).id
$$;
comment on function public.unregistered_documents(uuid[]) is
  'Invoices of the caller that no sum counts, because the register does not have them yet: the oldest first, at most a '
  'thousand, with what is missing (see private.scan_gaps), and direction and total as far as they can be read. With '
  'contacts: only theirs, linked, with their number, or without a number and with their name.';
revoke all on function public.unregistered_documents from public, anon, authenticated, service_role;
grant execute on function public.unregistered_documents to authenticated;
