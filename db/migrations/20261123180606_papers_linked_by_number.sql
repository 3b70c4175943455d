-- Papers linked by number.
--   CREATE OR REPLACE FUNCTION private.follow_contact_numbers
--   CREATE OR REPLACE FUNCTION private.follow_own_numbers
--   CREATE OR REPLACE FUNCTION private.keep_document
--   CREATE OR REPLACE FUNCTION private.link_papers
--   CREATE OR REPLACE FUNCTION private.paper_numbers
--   CREATE OR REPLACE FUNCTION private.relink_papers
--   CREATE OR REPLACE FUNCTION public.confirm_field
--   CREATE OR REPLACE FUNCTION public.link_document_contact
--   CREATE OR REPLACE FUNCTION public.refuse_document_contact
--   CREATE TRIGGER follow_changed_contact_numbers AFTER UPDATE ON public.contacts REFERENCING OLD TABLE AS former…
--   CREATE TRIGGER follow_contact_numbers AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS changed FOR EA…
--   COMMENT ON COLUMN public.documents.contact_reason IS 'Why the contact was suggested or linked automatically; …
--   COMMENT ON FUNCTION private.follow_contact_numbers
--   COMMENT ON FUNCTION private.link_papers
--   COMMENT ON FUNCTION private.paper_numbers
--   COMMENT ON FUNCTION private.relink_papers
--   REVOKE ALL ON FUNCTION private.follow_contact_numbers
--   REVOKE ALL ON FUNCTION private.link_papers
--   GRANT EXECUTE ON FUNCTION private.link_papers
--   REVOKE ALL ON FUNCTION private.paper_numbers
--   GRANT EXECUTE ON FUNCTION private.paper_numbers
--   REVOKE ALL ON FUNCTION private.party_vat
--   GRANT EXECUTE ON FUNCTION private.party_vat
--   REVOKE ALL ON FUNCTION private.relink_papers
--   CREATE INDEX documents_numbers ON public.documents USING gin (private.paper_numbers(supplier))

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.follow_contact_numbers()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _numbers text[];
  _documents uuid[];
begin
  if tg_op = 'INSERT' then
    _numbers := array(
      select number from changed cross join unnest(array[vat_number, tax_code]) as number where number is not null
    );
  else
    -- A contact that loses a number may leave another as the only one that has it.
    _numbers := array(
      select number from changed join former using (id)
      cross join unnest(array[changed.vat_number, changed.tax_code, former.vat_number, former.tax_code]) as number
      where number is not null
        and (changed.vat_number, changed.tax_code, changed.deleted_at, changed.merged_into, changed.company_id)
          is distinct from (former.vat_number, former.tax_code, former.deleted_at, former.merged_into, former.company_id)
    );
  end if;
  if _numbers <> '{}' then
    -- Materialized, so that the index on the numbers is used and the owner is checked after it.
    _documents := array(
      with found as materialized (
        select id, user_id from public.documents where private.paper_numbers(supplier) && _numbers
      )
      select id from found where user_id in (select user_id from changed)
    );
    if _documents <> '{}' then
      perform private.link_papers(_documents);
    end if;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.follow_own_numbers()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  perform private.link_papers(array(
    select id from public.documents where user_id = new.user_id and contact_id is null and supplier is not null
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_document()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.link_papers (
  _documents uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  with shown as (
    select documents.user_id, documents.id as document_id, supplier, told.kind, value, not exists (
        select from public.profiles
        where profiles.user_id = documents.user_id and written.value in (vat_number, tax_code)
      ) and not exists (
        select from public.document_fields as field
        where field.user_id = documents.user_id and field.document_id = documents.id
          and field.key in ('vat_number', 'tax_code', 'customer_vat_number') and confidence < 0.8 and confirmed_at is null
          and private.alias_value('vat_number', field.value) = written.value
      ) as is_usable
    from public.documents
    cross join unnest(enum_range(null::public.document_alias_kind)) as told (kind)
    cross join lateral (select private.alias_value(told.kind, supplier ->> told.kind::text) as value) as written
    where documents.id = any (_documents) and contact_id is null and value is not null
  ), found as (
    select document_id, shown.kind, contact_id, true as is_told
    from shown join public.document_aliases as alias using (user_id, kind, value)
    where is_usable and state = 'confermato' and (
      shown.kind in ('vat_number', 'tax_code') or private.paper_numbers(supplier) = '{}'
      -- A name or an address is no proof where both sides have numbers, and the numbers differ.
      or not exists (
        select from public.document_aliases as other
        where other.user_id = shown.user_id and other.contact_id = alias.contact_id and other.state = 'confermato'
          and other.kind in ('vat_number', 'tax_code')
        union all
        select from public.contacts
        where contacts.user_id = shown.user_id and contacts.id = alias.contact_id
          and num_nonnulls(vat_number, tax_code) > 0
      )
    )
    union
    select document_id, shown.kind, contacts.id, false
    from shown join public.contacts on contacts.user_id = shown.user_id and value in (vat_number, tax_code)
    where is_usable and shown.kind in ('vat_number', 'tax_code')
      -- The companies of a VAT group share a VAT number; their tax codes differ.
      and coalesce(contacts.tax_code in (value, private.alias_value('tax_code', supplier ->> 'tax_code')), true)
  ), ranked as (
    select found.*, contacts.company_id, rank() over (
        partition by document_id order by kind > 'tax_code', is_told desc, kind
      ) as place
    from found join public.contacts on contacts.id = contact_id and merged_into is null and deleted_at is null
  ), best as (
    select * from ranked where place = 1
  ), chosen as (
    select document_id, min(contact_id::text)::uuid as contact_id, min(kind) as kind, bool_or(is_told) as is_told
    from best
    -- A number of a person and of their company is the company's.
    where company_id is null
      or (document_id, company_id) not in (select other.document_id, other.contact_id from best as other)
    group by document_id having count(*) = 1
  )
  update public.documents
  set contact_id = chosen.contact_id, contact_suggestion = null, contact_reason = case
      when is_told then 'Collegato come un altro documento che hai confermato'
      when chosen.kind = 'vat_number' then 'Collegato per P.IVA'
      else 'Collegato per codice fiscale'
    end
  from chosen
  where documents.id = document_id and not exists (
    select from shown join public.document_aliases as alias using (user_id, kind, value)
    where shown.document_id = chosen.document_id and alias.contact_id = chosen.contact_id and state = 'rifiutato'
      -- A refused name is no proof against a number.
      and shown.kind <= greatest(chosen.kind, 'tax_code')
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.paper_numbers (
  _supplier jsonb
)
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  SECURITY DEFINER
  COST 1000
  SET search_path TO ''
  AS $function$
  select array(
    select distinct left(private.party_vat(jsonb_object('{vat_number}', array[_supplier ->> key])), 300) as number
    from unnest('{vat_number,tax_code}'::text[]) as key
    where private.party_vat(jsonb_object('{vat_number}', array[_supplier ->> key])) is not null
    order by number
  )
$function$;

CREATE OR REPLACE FUNCTION private.relink_papers (
  _document public.documents
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update public.documents set contact_id = null, contact_reason = null
  where user_id = _document.user_id and contact_id is not null and contact_reason is not null
    and private.paper_numbers(supplier) && private.paper_numbers(_document.supplier);
  select private.link_papers(array(
    select id from public.documents
    where user_id = _document.user_id and private.paper_numbers(supplier) && private.paper_numbers(_document.supplier)
    union all
    -- Recognized by a name or an address.
    select id from public.documents
    where user_id = _document.user_id and contact_id is null and supplier is not null
      and num_nonnulls(supplier ->> 'vat_number', supplier ->> 'tax_code') = 0
  ))
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
end
$function$;

CREATE OR REPLACE FUNCTION public.link_document_contact (
  _document_id uuid,
  _contact_id  uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _document public.documents := private.own_document(_document_id);
begin
  perform from public.contacts
  where user_id = _document.user_id and id = _contact_id and merged_into is null and deleted_at is null for key share;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  update public.documents set contact_id = _contact_id, contact_suggestion = null, contact_reason = null
  where id = _document_id;
  perform private.remember_aliases(_document, _contact_id, 'confermato');
  perform private.relink_papers(_document);
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_document_contact (
  _document_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _document public.documents := private.own_document(_document_id);
  _refused constant uuid := coalesce(_document.contact_id, _document.contact_suggestion);
begin
  update public.documents set contact_id = null, contact_suggestion = null, contact_reason = null where id = _document_id;
  perform private.remember_aliases(_document, _refused, 'rifiutato') where _refused is not null;
  perform private.relink_papers(_document);
end
$function$;

CREATE TRIGGER follow_changed_contact_numbers
  AFTER UPDATE ON public.contacts REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.follow_contact_numbers();

CREATE TRIGGER follow_contact_numbers
  AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.follow_contact_numbers();

COMMENT ON COLUMN "public"."documents"."contact_reason" IS 'Why the contact was suggested or linked automatically; null for a link that the owner made.';

COMMENT ON FUNCTION "private"."follow_contact_numbers"() IS 'Links the documents that wait for the numbers of these contacts.';

COMMENT ON FUNCTION "private"."link_papers"(uuid[]) IS 'Links the documents that have no contact to the one that their owner named for the same number, else to the only one with that number, else to the one that was named for the same address or name; never by the owner''s own number or a doubtful one, never to a refused contact.';

COMMENT ON FUNCTION "private"."paper_numbers"(jsonb) IS 'The VAT number and the tax code of documents.supplier, as alias_value() writes them.';

COMMENT ON FUNCTION "private"."relink_papers"(public.documents) IS 'Applies what the owner said of a document to the others: automatic links by the same numbers are made again.';

REVOKE ALL ON FUNCTION "private"."follow_contact_numbers"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."link_papers"(uuid[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."link_papers"(uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."paper_numbers"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."paper_numbers"(jsonb) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."party_vat"(jsonb) FROM "authenticated";

GRANT EXECUTE ON FUNCTION "private"."party_vat"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."relink_papers"(public.documents) FROM PUBLIC;

CREATE INDEX documents_numbers ON public.documents USING gin (private.paper_numbers(supplier));

reset check_function_bodies;

-- The documents of before: a reason next to a contact that somebody chose is no automatic link.
update public.documents set contact_suggestion = null, contact_reason = null
where contact_id is not null and contact_suggestion is not null;
select private.link_papers(array(select id from public.documents where contact_id is null and supplier is not null));
