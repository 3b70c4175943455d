-- Tax data moved.
--   CREATE OR REPLACE FUNCTION private.direct_invoices

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.direct_invoices (
  _own public.profiles
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
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
          when coalesce(_own.vat_number, _own.tax_code) is null then 'Nei tuoi dati fiscali manca la partita IVA'
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
$function$;

reset check_function_bodies;
