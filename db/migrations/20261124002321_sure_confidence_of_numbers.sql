-- Sure confidence of numbers.
--   CREATE OR REPLACE FUNCTION private.link_papers

set check_function_bodies = off;

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
          and field.key in ('vat_number', 'tax_code', 'customer_vat_number')
          and confidence < public.sure_confidence() and confirmed_at is null
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

reset check_function_bodies;
