-- Month packet business.
--   CREATE OR REPLACE FUNCTION public.month_packet

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.month_packet (
  _month date
)
  RETURNS TABLE (
    owner    jsonb,
    sums     jsonb,
    findings jsonb,
    papers   jsonb,
    invoices jsonb
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with month as (
    select invoice.*, documents.storage_path,
      sign * (content #>> '{stamp,amount_cents}')::bigint as stamp_cents
    from private.month_invoices(_month) as invoice
    join public.documents on documents.user_id = invoice.user_id and documents.id = document_id
  ), sums as (
    select direction, currency, kind = 'autofattura' as is_self_invoice, count(*) as times,
      count(*) filter (where net_cents is null) as times_without_net, sum(net_cents) as net_cents,
      sum(vat_cents) as vat_cents, sum(withheld_cents) as withheld_cents, sum(stamp_cents) as stamp_cents,
      sum(total_cents) as total_cents
    from month where twin is null group by 1, 2, 3
  ), listed as (
    select document_id, direction, type_code, number, issued_on, coalesce(counterparty_name, contact_name) as name,
      counterparty_vat as vat_number, content #>> array[
        case direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'
      ] as tax_code, net_cents, vat_cents, withheld_cents, stamp_cents, total_cents, currency, paid_on, state,
      twin ->> 'filename' as twin, filename, storage_path
    from month order by issued_on, number, id limit 5001
  ), papers as (
    select paper.*, filename, storage_path
    from private.month_papers(_month) as paper join public.documents on documents.id = document_id
    order by day, document_id limit 5001
  )
  select
    (select jsonb_build_object(
        'name', coalesce(business_name, full_name), 'vat_number', vat_number, 'tax_code', tax_code, 'regime', tax_regime,
        'ateco', ateco, 'address', address, 'pec', pec, 'sdi_code', sdi_code
      )
      from public.profiles where user_id = (select auth.uid())),
    (select coalesce(jsonb_agg(sums order by direction, currency <> 'EUR', currency, is_self_invoice), '[]') from sums),
    (select coalesce(jsonb_agg(found), '[]') from private.month_findings(_month) as found),
    (select coalesce(jsonb_agg(papers), '[]') from papers),
    (select coalesce(jsonb_agg(listed), '[]') from listed)
$function$;

reset check_function_bodies;
