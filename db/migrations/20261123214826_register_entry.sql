-- Register entry.
--   DROP VIEW public.timeline
--   DROP FUNCTION public.listed_contacts
--   DROP VIEW public.contact_list
--   DROP VIEW public.invoice_register
--   ALTER TABLE public.documents ADD COLUMN left_out_at timestamp WITH time zone
--   ALTER TABLE public.invoices ADD COLUMN is_automatic boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.enter_scan
--   CREATE OR REPLACE FUNCTION private.field_gap
--   CREATE OR REPLACE FUNCTION private.follow_document_contact
--   CREATE OR REPLACE FUNCTION private.is_copy
--   CREATE OR REPLACE FUNCTION private.register_scan
--   CREATE OR REPLACE FUNCTION private.scan_content
--   CREATE OR REPLACE FUNCTION private.scan_direction
--   CREATE OR REPLACE FUNCTION private.scan_gaps
--   CREATE OR REPLACE FUNCTION private.scan_twin
--   CREATE OR REPLACE FUNCTION private.settle_document
--   CREATE OR REPLACE FUNCTION private.sure_fields
--   CREATE OR REPLACE FUNCTION public.confirm_field
--   CREATE OR REPLACE FUNCTION public.confirm_invoice
--   CREATE OR REPLACE FUNCTION public.leave_out_of_register
--   REVOKE ALL ON FUNCTION public.leave_out_of_register
--   CREATE OR REPLACE FUNCTION public.mark_invoice_paid
--   CREATE OR REPLACE FUNCTION public.mark_schedule_paid
--   CREATE OR REPLACE FUNCTION public.remind_of_schedules
--   CREATE OR REPLACE FUNCTION public.set_document_kind
--   CREATE OR REPLACE FUNCTION public.sure_confidence
--   REVOKE ALL ON FUNCTION public.sure_confidence
--   CREATE OR REPLACE FUNCTION public.twin
--   CREATE OR REPLACE FUNCTION public.unregistered_documents
--   REVOKE ALL ON FUNCTION public.unregistered_documents
--   CREATE VIEW public.invoice_register WITH (security_invoker=on) AS SELECT invoices.id, invoices.user_id, invoi…
--   CREATE VIEW public.contact_list WITH (security_invoker=on) AS SELECT contacts.id, contacts.user_id, contacts.…
--   CREATE OR REPLACE FUNCTION public.listed_contacts
--   REVOKE ALL ON FUNCTION public.listed_contacts
--   REVOKE ALL ON TABLE public.contact_list FROM anon
--   REVOKE ALL ON TABLE public.invoice_register FROM anon
--   CREATE VIEW public.timeline WITH (security_invoker=on) AS SELECT ('interaction:'::text || interactions.id) AS…
--   REVOKE ALL ON TABLE public.timeline FROM anon
--   COMMENT ON COLUMN public.documents.left_out_at IS 'Since when it stays out of the register by its owner''s wo…
--   COMMENT ON COLUMN public.invoices.is_automatic IS 'Entered from a paper without its owner''s word; false as s…
--   COMMENT ON FUNCTION private.enter_scan
--   COMMENT ON FUNCTION private.field_gap
--   COMMENT ON FUNCTION private.is_copy
--   COMMENT ON FUNCTION private.scan_content
--   COMMENT ON FUNCTION private.scan_direction
--   COMMENT ON FUNCTION private.scan_gaps
--   COMMENT ON FUNCTION private.scan_twin
--   COMMENT ON FUNCTION public.confirm_field
--   COMMENT ON FUNCTION public.confirm_invoice
--   COMMENT ON FUNCTION public.leave_out_of_register
--   COMMENT ON FUNCTION public.listed_contacts
--   COMMENT ON FUNCTION public.set_document_kind
--   COMMENT ON FUNCTION public.sure_confidence
--   COMMENT ON FUNCTION public.unregistered_documents
--   COMMENT ON VIEW public.contact_list IS 'Contacts as the list shows them; consents are those to marketing, by …
--   COMMENT ON VIEW public.invoice_register IS 'Invoices as they count: amounts signed, nothing payable of self-i…
--   COMMENT ON VIEW public.timeline IS 'What happened with each contact. Filter by contact_id, order by at desc, …
--   REVOKE ALL ON FUNCTION private.enter_scan
--   GRANT EXECUTE ON FUNCTION private.enter_scan
--   REVOKE ALL ON FUNCTION private.field_gap
--   REVOKE ALL ON FUNCTION private.is_copy
--   REVOKE ALL ON FUNCTION private.scan_content
--   REVOKE ALL ON FUNCTION private.scan_direction
--   REVOKE ALL ON FUNCTION private.scan_gaps
--   REVOKE ALL ON FUNCTION private.scan_twin
--   GRANT EXECUTE ON FUNCTION public.leave_out_of_register
--   GRANT EXECUTE ON FUNCTION public.listed_contacts
--   GRANT EXECUTE ON FUNCTION public.sure_confidence
--   GRANT EXECUTE ON FUNCTION public.unregistered_documents
--   REVOKE ALL ON TABLE public.contact_list FROM authenticated
--   GRANT SELECT ON TABLE public.contact_list TO authenticated
--   REVOKE ALL ON TABLE public.contact_list FROM service_role
--   GRANT SELECT ON TABLE public.contact_list TO service_role
--   REVOKE ALL ON TABLE public.invoice_register FROM authenticated
--   GRANT SELECT ON TABLE public.invoice_register TO authenticated
--   REVOKE ALL ON TABLE public.invoice_register FROM service_role
--   GRANT SELECT ON TABLE public.invoice_register TO service_role
--   REVOKE ALL ON TABLE public.timeline FROM authenticated
--   GRANT SELECT ON TABLE public.timeline TO authenticated
--   REVOKE ALL ON TABLE public.timeline FROM service_role
--   GRANT SELECT ON TABLE public.timeline TO service_role
--   ALTER TABLE public.invoices ADD COLUMN counterparty_key text GENERATED ALWAYS AS (private.name_key(counterpar…
--   COMMENT ON COLUMN public.invoices.counterparty_key IS 'The name as it is compared: «NERI SRL» is «Neri S.r.l.…

set check_function_bodies = off;

DROP VIEW "public"."timeline";

DROP FUNCTION "public"."listed_contacts"(text, integer);

DROP VIEW "public"."contact_list";

DROP VIEW "public"."invoice_register";

ALTER TABLE "public"."documents"
  ADD COLUMN "left_out_at" timestamp WITH time zone;

ALTER TABLE "public"."invoices"
  ADD COLUMN "is_automatic" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.enter_scan (
  _document_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.field_gap (
  _sure  jsonb,
  _every jsonb,
  _key   text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when _sure ? _key then null when _every ? _key then _key else 'no_' || _key end
$function$;

CREATE OR REPLACE FUNCTION private.follow_document_contact()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.invoices set contact_id = new.contact_id
  where user_id = new.user_id and document_id = new.id and contact_id is distinct from new.contact_id;
  -- The owner says who it is from or for: that may be all that was missing.
  if old.contact_id is null and new.contact_reason is null then
    perform private.enter_scan(new.id);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_copy (
  _document public.documents
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.documents
    where user_id = _document.user_id and id = _document.duplicate_of and deleted_at is null
  ) or exists (
    select from public.invoices
    where user_id = _document.user_id and document_id = _document.parent_id and source = 'fatturapa'
  )
$function$;

CREATE OR REPLACE FUNCTION private.register_scan (
  _document public.documents
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _fields constant jsonb := private.sure_fields(_document.id);
begin
  if not _fields ?& array['number', 'issued_on'] or private.cents(_fields, 'total') is null or exists (
    -- These turn the total into something else: a debt into a credit, dollars into euros.
    select from public.document_fields
    where user_id = _document.user_id and document_id = _document.id and key in ('type_code', 'currency')
      and confirmed_at is null and confidence < public.sure_confidence()
  ) then
    return null;
  end if;
  perform private.store_invoice(
    _document.id, _document.user_id, jsonb_build_array(private.scan_content(_document, _fields))
  );
  return (select id from public.invoices where user_id = _document.user_id and document_id = _document.id);
end
$function$;

CREATE OR REPLACE FUNCTION private.scan_content (
  _document public.documents,
  _fields   jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'direction', case when is_own then 'attiva' else 'passiva' end, 'type_code', _fields ->> 'type_code',
    'number', left(_fields ->> 'number', 100), 'issued_on', _fields ->> 'issued_on',
    'net_cents', private.cents(_fields, 'net'), 'vat_cents', private.cents(_fields, 'vat'),
    'total_cents', total_cents, 'due_cents', due_cents,
    'currency', coalesce(_fields ->> 'currency', _document.currency),
    'counterparty_name', left(case when is_own then _fields ->> 'customer'
      else coalesce(_fields ->> 'supplier', _document.supplier ->> 'name') end, 500),
    -- As an electronic invoice writes it: «IT 0123…» bare, «de 123…» with its country.
    'counterparty_vat', left(private.alias_value(
      'vat_number', _fields ->> case when is_own then 'customer_vat_number' else 'vat_number' end
    ), 50),
    'source', 'campi',
    'schedules', jsonb_build_array(jsonb_build_object(
      'due_on', _fields ->> 'due_on', 'amount_cents', coalesce(due_cents, total_cents), 'iban', left(_fields ->> 'iban', 50)
    ))
  )
  from (
    select private.is_of_owner(_fields, _document.user_id) as is_own, private.cents(_fields, 'total') as total_cents,
      coalesce(
        private.cents(_fields, 'due'),
        case when private.cents(_fields, 'withholding') is not null then private.payable_cents(_fields) end
      ) as due_cents
  ) as told
$function$;

CREATE OR REPLACE FUNCTION private.scan_direction (
  _fields  jsonb,
  _user_id uuid
)
  RETURNS public.invoice_direction
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.scan_gaps (
  _document public.documents
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.scan_twin (
  _document public.documents
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.settle_document (
  _document_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update public.documents set state = 'pronto'
  where id = _document_id and state = 'da_verificare' and not exists (
    select from public.document_fields
    where document_fields.user_id = documents.user_id and document_id = _document_id
      and confidence < public.sure_confidence() and confirmed_at is null
  )
$function$;

CREATE OR REPLACE FUNCTION private.sure_fields (
  _document_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
  where document_id = _document_id and (confirmed_at is not null or confidence >= public.sure_confidence())
$function$;

CREATE OR REPLACE FUNCTION public.confirm_field (
  _document_id uuid,
  _key         text,
  _value       text,
  _page        integer   DEFAULT NULL::integer,
  _box         integer[] DEFAULT NULL::integer[],
  _label       text      DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.confirm_invoice (
  _document_id uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _document public.documents := private.own_document(_document_id);
  _id uuid;
begin
  -- An electronic invoice says everything itself.
  select id into _id from public.invoices
  where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa' order by body_no limit 1;
  if found then
    return _id;
  end if;
  _id := private.register_scan(_document);
  if _id is null then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  update public.invoices set is_automatic = false where id = _id and is_automatic;
  update public.documents set left_out_at = null where id = _document_id and left_out_at is not null;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION public.leave_out_of_register (
  _document_id uuid,
  _is_left_out boolean DEFAULT true
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

REVOKE ALL ON FUNCTION "public"."leave_out_of_register"(uuid, boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.mark_invoice_paid (
  _invoice_id uuid,
  _paid_on    date
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = case when _paid_on is not null then coalesce(paid_on, _paid_on) end
  where invoice_id = _invoice_id;
  update public.invoices set paid_on = _paid_on, is_automatic = false where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$function$;

CREATE OR REPLACE FUNCTION public.mark_schedule_paid (
  _schedule_id uuid,
  _paid_on     date
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _invoice_id constant uuid := (
    select invoice_id from public.invoice_schedules where user_id = (select auth.uid()) and id = _schedule_id
  );
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = _paid_on where id = _schedule_id;
  update public.invoices
  set is_automatic = false, paid_on = (
    select case when bool_and(invoice_schedules.paid_on is not null) then max(invoice_schedules.paid_on) end
    from public.invoice_schedules where invoice_id = _invoice_id
  )
  where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$function$;

CREATE OR REPLACE FUNCTION public.remind_of_schedules (
  _invoice_id  uuid,
  _days_before integer DEFAULT 3
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _invoice public.invoices := private.own_invoice(_invoice_id);
  _schedule record;
  _task_id uuid;
  _made integer := 0;
begin
  for _schedule in
    select * from public.invoice_schedules
    where invoice_id = _invoice_id and paid_on is null and due_on is not null and not exists (
      select from public.tasks
      where tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.deleted_at is null
    )
    order by no
  loop
    insert into public.tasks (user_id, title, due_at, contact_id, remind_at, origin)
    values (
      _invoice.user_id, private.payment_title(_invoice, _schedule.amount_cents),
      _schedule.due_on::timestamp at time zone 'Europe/Rome', _invoice.contact_id,
      array[private.reminder_moment(_schedule.due_on, _days_before)], 'fattura'
    )
    returning id into _task_id;
    update public.invoice_schedules set task_id = _task_id where id = _schedule.id;
    insert into public.document_links (user_id, document_id, task_id)
    values (_invoice.user_id, _invoice.document_id, _task_id);
    _made := _made + 1;
  end loop;
  update public.invoices set is_automatic = false where id = _invoice_id and is_automatic;
  return _made;
end
$function$;

CREATE OR REPLACE FUNCTION public.set_document_kind (
  _document_id uuid,
  _kind        public.document_kind
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.sure_confidence()
  RETURNS real
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  SET search_path TO ''
  AS $function$
  select 0.8::real
$function$;

REVOKE ALL ON FUNCTION "public"."sure_confidence"() FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.twin (
  _invoice public.invoices
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
  cross join lateral (
    select array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'] as tax_code
  ) as path
  join public.documents as file on file.user_id = other.user_id and file.id = other.document_id and file.deleted_at is null
  where other.user_id = _invoice.user_id and other.number = _invoice.number and other.issued_on = _invoice.issued_on
    and other.direction = _invoice.direction and (
      other.type_code = _invoice.type_code
      -- Of a scan nothing but credit or no credit can be told: a deferred invoice is a TD01 there.
      or 'campi' in (other.source, _invoice.source)
        and (other.kind = 'nota_di_credito') = (_invoice.kind = 'nota_di_credito')
    )
    -- Of one's own a scan may name the customer otherwise; the number is one's own.
    and (_invoice.direction = 'attiva' and 'campi' in (other.source, _invoice.source) or coalesce(
      -- A name says nothing where both show a number.
      coalesce(other.counterparty_vat, other.content #>> tax_code)
        = coalesce(_invoice.counterparty_vat, _invoice.content #>> tax_code),
      other.counterparty_key = _invoice.counterparty_key
    ))
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$function$;

CREATE OR REPLACE FUNCTION public.unregistered_documents (
  _contact_ids uuid[] DEFAULT NULL::uuid[]
)
  RETURNS TABLE (
    document_id      uuid,
    filename         text,
    direction        public.invoice_direction,
    contact_id       uuid,
    counterparty     text,
    counterparty_vat text,
    issued_on        date,
    due_on           date,
    total_cents      bigint,
    currency         text,
    gaps             text[]
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

REVOKE ALL ON FUNCTION "public"."unregistered_documents"(uuid[]) FROM PUBLIC, "anon", "service_role";

CREATE VIEW "public"."invoice_register" WITH (security_invoker=on) AS  SELECT invoices.id,
    invoices.user_id,
    invoices.document_id,
    invoices.body_no,
    invoices.direction,
    invoices.type_code,
    invoices.kind,
    invoices.number,
    invoices.issued_on,
    invoices.contact_id,
    contacts.name AS contact_name,
    invoices.counterparty_name,
    invoices.counterparty_vat,
    invoices.currency,
    invoices.content,
    invoices.findings,
    invoices.paid_on,
    invoices.source,
    invoices.created_at,
    documents.filename,
    documents.deleted_at,
    signed.sign,
    (signed.sign * invoices.net_cents) AS net_cents,
    (signed.sign * invoices.vat_cents) AS vat_cents,
    (signed.sign * invoices.total_cents) AS total_cents,
    (signed.sign *
        CASE
            WHEN (invoices.content IS NULL) THEN ( SELECT abs((document_fields.value)::bigint) AS abs
               FROM public.document_fields
              WHERE ((document_fields.user_id = invoices.user_id) AND (document_fields.document_id = invoices.document_id) AND (document_fields.key = 'withholding'::text) AND ((document_fields.confirmed_at IS NOT NULL) OR (document_fields.confidence >= public.sure_confidence())) AND (document_fields.value ~ '^-?[0-9]{1,13}$'::text)))
            ELSE ( SELECT
                    CASE
                        WHEN bool_and((each.cents IS NOT NULL)) THEN (sum(each.cents))::bigint
                        ELSE NULL::bigint
                    END AS "case"
               FROM jsonb_path_query(invoices.content, '$."withholdings"[*]'::jsonpath) withheld(withheld),
                LATERAL ( SELECT ((withheld.withheld ->> 'amount_cents'::text))::bigint AS cents) each)
        END) AS withheld_cents,
    (signed.sign * ( SELECT (sum(((summary.summary ->> 'tax_cents'::text))::bigint))::bigint AS sum
           FROM jsonb_path_query(invoices.content, '$."summaries"[*]?(@."due" == "S")'::jsonpath) summary(summary))) AS split_vat_cents,
    parts.payable_cents,
    parts.paid_cents,
    parts.open_cents,
    parts.late_cents,
    parts.next_due_on,
        CASE
            WHEN (invoices.kind = 'autofattura'::public.invoice_kind) THEN 'non_si_paga'::text
            WHEN (invoices.paid_on IS NOT NULL) THEN 'pagata'::text
            WHEN parts.is_late THEN 'scaduta'::text
            WHEN parts.is_begun THEN 'in_parte'::text
            ELSE 'aperta'::text
        END AS state,
    public.twin(invoices.*) AS twin,
    invoices.is_automatic
   FROM ((((public.invoices
     JOIN public.documents ON (((documents.user_id = invoices.user_id) AND (documents.id = invoices.document_id))))
     LEFT JOIN public.contacts ON (((contacts.user_id = invoices.user_id) AND (contacts.id = invoices.contact_id))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN ((invoices.kind = 'nota_di_credito'::public.invoice_kind) AND (invoices.total_cents > 0)) THEN '-1'::integer
                    ELSE 1
                END AS sign) signed)
     LEFT JOIN LATERAL ( SELECT (COALESCE(sum(part.cents), (0)::numeric))::bigint AS payable_cents,
            (COALESCE(sum(part.cents) FILTER (WHERE (part.paid_on IS NOT NULL)), (0)::numeric))::bigint AS paid_cents,
            (COALESCE(sum(part.cents) FILTER (WHERE (part.paid_on IS NULL)), (0)::numeric))::bigint AS open_cents,
            (COALESCE(sum(part.cents) FILTER (WHERE part.is_late), (0)::numeric))::bigint AS late_cents,
            min(part.due_on) FILTER (WHERE (part.paid_on IS NULL)) AS next_due_on,
            COALESCE(bool_or(part.is_late), false) AS is_late,
            COALESCE(bool_or((part.paid_on IS NOT NULL)), false) AS is_begun
           FROM public.invoice_parts part
          WHERE ((part.user_id = invoices.user_id) AND (part.invoice_id = invoices.id))) parts ON (true));

CREATE VIEW "public"."contact_list" WITH (security_invoker=on) AS  SELECT contacts.id,
    contacts.user_id,
    contacts.type,
    contacts.name,
    contacts.first_name,
    contacts.last_name,
    contacts.business_name,
    contacts.company_id,
    ( SELECT company.name
           FROM public.contacts company
          WHERE ((company.user_id = contacts.user_id) AND (company.id = contacts.company_id) AND (company.merged_into IS NULL) AND (company.deleted_at IS NULL))) AS company_name,
    contacts.job_title,
    contacts.vat_number,
    contacts.tax_code,
    contacts.sdi_code,
    contacts.pec,
    contacts.regime,
    contacts.address,
    contacts.website,
    ( SELECT contact_emails.value
           FROM public.contact_emails
          WHERE ((contact_emails.user_id = contacts.user_id) AND (contact_emails.contact_id = contacts.id))
          ORDER BY contact_emails.is_primary DESC, contact_emails.created_at, contact_emails.id
         LIMIT 1) AS email,
    (( SELECT contact_phones.value
           FROM public.contact_phones
          WHERE ((contact_phones.user_id = contacts.user_id) AND (contact_phones.contact_id = contacts.id))
          ORDER BY contact_phones.is_primary DESC, contact_phones.created_at, contact_phones.id
         LIMIT 1))::text AS phone,
    ARRAY( SELECT (tags.name)::text AS name
           FROM (public.contact_tags
             JOIN public.tags ON (((tags.user_id = contact_tags.user_id) AND (tags.id = contact_tags.tag_id))))
          WHERE ((contact_tags.user_id = contacts.user_id) AND (contact_tags.contact_id = contacts.id))
          ORDER BY (lower((tags.name)::text))) AS tags,
    ARRAY( SELECT contact_tags.tag_id
           FROM public.contact_tags
          WHERE ((contact_tags.user_id = contacts.user_id) AND (contact_tags.contact_id = contacts.id))) AS tag_ids,
    COALESCE(( SELECT jsonb_object_agg(consents.channel, consents.state) AS jsonb_object_agg
           FROM public.consents
          WHERE ((consents.user_id = contacts.user_id) AND (consents.contact_id = contacts.id) AND (consents.purpose = 'marketing'::public.consent_purpose))), '{}'::jsonb) AS consents,
    contacts.origin,
    contacts.touch_days,
    contacts.last_interaction_at,
    contacts.next_touch_at,
    contacts.snoozed_until,
    contacts.created_at,
    contacts.updated_at,
    money.owed_cents,
    money.late_cents,
    money.owed_currencies,
    ( SELECT min(tasks.due_at) AS min
           FROM public.tasks
          WHERE ((tasks.user_id = contacts.user_id) AND (tasks.contact_id = contacts.id) AND (tasks.state <> 'fatto'::public.task_state) AND (tasks.deleted_at IS NULL))) AS next_task_at
   FROM (public.contacts
     LEFT JOIN LATERAL ( SELECT (sum(register.open_cents) FILTER (WHERE (register.currency = 'EUR'::text)))::bigint AS owed_cents,
            (sum(register.late_cents) FILTER (WHERE (register.currency = 'EUR'::text)))::bigint AS late_cents,
            array_agg(DISTINCT register.currency) FILTER (WHERE ((register.currency <> 'EUR'::text) AND (register.open_cents <> 0))) AS owed_currencies
           FROM public.invoice_register register
          WHERE ((register.user_id = contacts.user_id) AND (register.contact_id = contacts.id) AND (register.direction = 'attiva'::public.invoice_direction) AND (register.paid_on IS NULL) AND (register.kind <> 'autofattura'::public.invoice_kind) AND (register.deleted_at IS NULL) AND (register.twin IS NULL))) money ON (true))
  WHERE ((contacts.merged_into IS NULL) AND (contacts.deleted_at IS NULL));

CREATE OR REPLACE FUNCTION public.listed_contacts (
  _query text,
  _limit integer DEFAULT 50000
)
  RETURNS SETOF public.contact_list
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select contact_list.*
  from public.search_contacts(_query, _limit) as found
  join public.contact_list on contact_list.id = found.id
  order by found.rank desc, contact_list.name, contact_list.id
$function$;

REVOKE ALL ON FUNCTION "public"."listed_contacts"(text, integer) FROM PUBLIC, "anon", "service_role";

REVOKE ALL ON TABLE "public"."contact_list" FROM "anon";

REVOKE ALL ON TABLE "public"."invoice_register" FROM "anon";

CREATE VIEW "public"."timeline" WITH (security_invoker=on) AS  SELECT ('interaction:'::text || interactions.id) AS id,
    interactions.user_id,
    interactions.contact_id,
    (interactions.kind)::text AS kind,
    interactions.at,
        CASE interactions.kind
            WHEN 'chiamata'::public.interaction_kind THEN 'Chiamata'::text
            WHEN 'email'::public.interaction_kind THEN 'E-mail'::text
            WHEN 'whatsapp'::public.interaction_kind THEN 'WhatsApp'::text
            WHEN 'incontro'::public.interaction_kind THEN 'Incontro'::text
            ELSE 'Contatto'::text
        END AS title,
    interactions.summary AS body,
    'interaction'::text AS ref_type,
    interactions.id AS ref_id,
    jsonb_build_object('direction', interactions.direction) AS data
   FROM public.interactions
UNION ALL
 SELECT ('note:'::text || notes.id) AS id,
    notes.user_id,
    notes.contact_id,
    'nota'::text AS kind,
    notes.created_at AS at,
    'Nota'::text AS title,
    notes.body,
    'note'::text AS ref_type,
    notes.id AS ref_id,
    jsonb_build_object('updated_at', notes.updated_at) AS data
   FROM public.notes
  WHERE (notes.deleted_at IS NULL)
UNION ALL
 SELECT ('consent:'::text || consent_events.id) AS id,
    consent_events.user_id,
    consent_events.contact_id,
    'consenso'::text AS kind,
    consent_events.at,
        CASE consent_events.state
            WHEN 'dato'::public.consent_state THEN 'Consenso dato'::text
            WHEN 'negato'::public.consent_state THEN 'Consenso negato'::text
            WHEN 'revocato'::public.consent_state THEN 'Consenso revocato'::text
            ELSE 'Consenso non richiesto'::text
        END AS title,
    consent_events.wording AS body,
    'consent_event'::text AS ref_type,
    consent_events.id AS ref_id,
    jsonb_build_object('channel', consent_events.channel, 'purpose', consent_events.purpose, 'state', consent_events.state, 'legal_basis', consent_events.legal_basis, 'source', consent_events.source) AS data
   FROM public.consent_events
UNION ALL
 SELECT ('deal:'::text || stays.id) AS id,
    stays.user_id,
    deals.contact_id,
    'trattativa'::text AS kind,
    stays.entered_at AS at,
    (deals.title)::text AS title,
    (stages.name)::text AS body,
    'deal'::text AS ref_type,
    deals.id AS ref_id,
    jsonb_build_object('stage_id', stages.id, 'stage_kind', stages.kind, 'amount_cents', deals.amount_cents, 'currency', deals.currency, 'lost_reason',
        CASE
            WHEN (stays.left_at IS NULL) THEN (deals.lost_reason)::text
            ELSE NULL::text
        END) AS data
   FROM ((public.deal_stage_log stays
     JOIN public.deals ON (((deals.user_id = stays.user_id) AND (deals.id = stays.deal_id))))
     JOIN public.stages ON (((stages.user_id = stays.user_id) AND (stages.id = stays.stage_id))))
  WHERE ((deals.contact_id IS NOT NULL) AND (deals.deleted_at IS NULL))
UNION ALL
 SELECT ('merge:'::text || merge_log.id) AS id,
    merge_log.user_id,
    merge_log.winner_id AS contact_id,
    'unione'::text AS kind,
    merge_log.created_at AS at,
    ('Unito con '::text || merge_log.loser_name) AS title,
    NULL::text AS body,
    'merge'::text AS ref_type,
    merge_log.id AS ref_id,
    jsonb_build_object('loser_id', merge_log.loser_id, 'undone_at', merge_log.undone_at) AS data
   FROM public.merge_log
UNION ALL
 SELECT ('task:'::text || tasks.id) AS id,
    tasks.user_id,
    tasks.contact_id,
    'attivita'::text AS kind,
    COALESCE(tasks.completed_at, tasks.created_at) AS at,
        CASE
            WHEN (tasks.completed_at IS NULL) THEN 'Attività'::text
            ELSE 'Attività completata'::text
        END AS title,
    (tasks.title)::text AS body,
    'task'::text AS ref_type,
    tasks.id AS ref_id,
    jsonb_build_object('state', tasks.state, 'due_at', tasks.due_at, 'due_is_allday', tasks.due_is_allday, 'priority', tasks.priority, 'project_id', tasks.project_id) AS data
   FROM public.tasks
  WHERE ((tasks.contact_id IS NOT NULL) AND (tasks.deleted_at IS NULL))
UNION ALL
 SELECT ('document:'::text || documents.id) AS id,
    documents.user_id,
    documents.contact_id,
    'documento'::text AS kind,
    documents.created_at AS at,
        CASE documents.kind
            WHEN 'fattura'::public.document_kind THEN 'Fattura'::text
            WHEN 'preventivo'::public.document_kind THEN 'Preventivo'::text
            WHEN 'contratto'::public.document_kind THEN 'Contratto'::text
            WHEN 'ricevuta'::public.document_kind THEN 'Ricevuta'::text
            WHEN 'f24'::public.document_kind THEN 'F24'::text
            WHEN 'durc'::public.document_kind THEN 'DURC'::text
            WHEN 'visura'::public.document_kind THEN 'Visura'::text
            WHEN 'documento_identita'::public.document_kind THEN 'Documento d’identità'::text
            ELSE 'Documento'::text
        END AS title,
    (documents.filename)::text AS body,
    'document'::text AS ref_type,
    documents.id AS ref_id,
    jsonb_build_object('kind', documents.kind, 'state', documents.state, 'issued_on', documents.issued_on, 'due_on', documents.due_on, 'total_cents', documents.total_cents, 'currency', documents.currency) AS data
   FROM public.documents
  WHERE ((documents.contact_id IS NOT NULL) AND (documents.deleted_at IS NULL))
UNION ALL
 SELECT ('invoice:'::text || invoice_register.id) AS id,
    invoice_register.user_id,
    invoice_register.contact_id,
    'pagamento'::text AS kind,
    ((invoice_register.paid_on)::timestamp without time zone AT TIME ZONE 'Europe/Rome'::text) AS at,
        CASE
            WHEN (invoice_register.kind = 'nota_di_credito'::public.invoice_kind) THEN
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Nota di credito rimborsata'::text
                ELSE 'Nota di credito incassata'::text
            END
            ELSE
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Fattura incassata'::text
                ELSE 'Fattura pagata'::text
            END
        END AS title,
    (
        CASE invoice_register.kind
            WHEN 'nota_di_credito'::public.invoice_kind THEN 'Nota di credito '::text
            ELSE 'Fattura '::text
        END || invoice_register.number) AS body,
    'document'::text AS ref_type,
    invoice_register.document_id AS ref_id,
    jsonb_build_object('invoice_id', invoice_register.id, 'direction', invoice_register.direction, 'total_cents', invoice_register.total_cents, 'currency', invoice_register.currency) AS data
   FROM public.invoice_register
  WHERE ((invoice_register.contact_id IS NOT NULL) AND (invoice_register.paid_on IS NOT NULL) AND (invoice_register.deleted_at IS NULL) AND (invoice_register.twin IS NULL));

REVOKE ALL ON TABLE "public"."timeline" FROM "anon";

COMMENT ON COLUMN "public"."documents"."left_out_at" IS 'Since when it stays out of the register by its owner''s word: no reading enters it.';

COMMENT ON COLUMN "public"."invoices"."is_automatic" IS 'Entered from a paper without its owner''s word; false as soon as the owner confirms, pays or plans it.';

COMMENT ON FUNCTION "private"."enter_scan"(uuid) IS 'Enters a scan into the register when all that an invoice needs is sure; takes one that entered so out again when it is not any more.';

COMMENT ON FUNCTION "private"."field_gap"(jsonb, jsonb, text) IS 'What is wrong with a needed field: its key when it is doubtful, «no_» and its key when it is missing, null when it is sure.';

COMMENT ON FUNCTION "private"."is_copy"(public.documents) IS 'Whether a document has the same bytes as another one, or came inside an electronic invoice.';

COMMENT ON FUNCTION "private"."scan_content"(public.documents, jsonb) IS 'A scan with these fields ({key: value}) as store_invoice() takes it: one body with one day of payment.';

COMMENT ON FUNCTION "private"."scan_direction"(jsonb, uuid) IS 'Whether a scan with these fields was issued or received by its owner; null when its numbers do not prove it. Never another one than is_of_owner() says.';

COMMENT ON FUNCTION "private"."scan_gaps"(public.documents) IS 'What keeps a scan out of the register, in the order in which a person would look: kind, pages, keys of doubtful fields, «no_» and the key of missing ones, direction, own_vat (the owner''s VAT number is missing). Empty: everything is sure.';

COMMENT ON FUNCTION "private"."scan_twin"(public.documents) IS 'The file {document_id, filename} from which the register has the invoice of a scan that is not registered; null for none.';

COMMENT ON FUNCTION "public"."confirm_field"(uuid, text, text, integer, integer[], text) IS 'Says what a field of the caller''s document holds, and where it stands; null: nothing, whatever is read later. Remembers it for the supplier, calls the document ready when nothing is left to be confirmed, and registers it, again or as soon as all that an invoice needs is sure. PT404, SC041, SC043, 22023.';

COMMENT ON FUNCTION "public"."confirm_invoice"(uuid) IS 'Makes an invoice with one day of payment of what is sure in a scan of the caller, or confirms the one that was entered automatically; answers the invoice. PT404, SC041.';

COMMENT ON FUNCTION "public"."leave_out_of_register"(uuid, boolean) IS 'Takes the caller''s scan out of the register for good, or says that it is not to be registered; false: it may enter again. PT404, SC043.';

COMMENT ON FUNCTION "public"."listed_contacts"(text, integer) IS 'Rows of contact_list that fit, best first: a filter and a limit of the request apply to all of them.';

COMMENT ON FUNCTION "public"."set_document_kind"(uuid, public.document_kind) IS 'Says what kind the caller''s document is; no machine changes it any more, a scan that is no invoice leaves the register, and one that is enters it when all that it needs is sure. PT404.';

COMMENT ON FUNCTION "public"."sure_confidence"() IS 'From this confidence on a kind or a field needs nobody to look; the same as SURE in functions/_shared/extraction/fields.py and in web/src/data/document-fields.ts.';

COMMENT ON FUNCTION "public"."unregistered_documents"(uuid[]) IS 'Invoices of the caller that no sum counts, because the register does not have them yet: the oldest first, at most a thousand, with what is missing (see private.scan_gaps), and direction and total as far as they can be read. With contacts: only theirs, linked, with their number, or without a number and with their name.';

COMMENT ON VIEW "public"."contact_list" IS 'Contacts as the list shows them; consents are those to marketing, by channel. Order by name, next_touch_at, last_interaction_at desc nulls last or owed_cents desc nulls last, then id.';

COMMENT ON VIEW "public"."invoice_register" IS 'Invoices as they count: amounts signed, nothing payable of self-invoices. Sums leave out the trash and rows with a twin.';

COMMENT ON VIEW "public"."timeline" IS 'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

REVOKE ALL ON FUNCTION "private"."enter_scan"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."enter_scan"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."field_gap"(jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_copy"(public.documents) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."scan_content"(public.documents, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."scan_direction"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."scan_gaps"(public.documents) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."scan_twin"(public.documents) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."leave_out_of_register"(uuid, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."listed_contacts"(text, integer) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."sure_confidence"() TO "authenticated", "service_role";

GRANT EXECUTE ON FUNCTION "public"."unregistered_documents"(uuid[]) TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_list" FROM "authenticated";

GRANT SELECT ON TABLE "public"."contact_list" TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_list" FROM "service_role";

GRANT SELECT ON TABLE "public"."contact_list" TO "service_role";

REVOKE ALL ON TABLE "public"."invoice_register" FROM "authenticated";

GRANT SELECT ON TABLE "public"."invoice_register" TO "authenticated";

REVOKE ALL ON TABLE "public"."invoice_register" FROM "service_role";

GRANT SELECT ON TABLE "public"."invoice_register" TO "service_role";

REVOKE ALL ON TABLE "public"."timeline" FROM "authenticated";

GRANT SELECT ON TABLE "public"."timeline" TO "authenticated";

REVOKE ALL ON TABLE "public"."timeline" FROM "service_role";

GRANT SELECT ON TABLE "public"."timeline" TO "service_role";

ALTER TABLE "public"."invoices"
  ADD COLUMN "counterparty_key" text GENERATED ALWAYS AS (private.name_key(counterparty_name)) STORED;

COMMENT ON COLUMN "public"."invoices"."counterparty_key" IS 'The name as it is compared: «NERI SRL» is «Neri S.r.l.».';

reset check_function_bodies;
