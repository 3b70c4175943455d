-- Month packet.
--   DROP FUNCTION private.month_chores
--   CREATE OR REPLACE FUNCTION private.has_file
--   CREATE OR REPLACE FUNCTION private.month_chores
--   CREATE OR REPLACE FUNCTION private.month_findings
--   CREATE OR REPLACE FUNCTION private.month_invoices
--   CREATE OR REPLACE FUNCTION private.month_papers
--   CREATE OR REPLACE FUNCTION public.month_packet
--   REVOKE ALL ON FUNCTION public.month_packet
--   COMMENT ON FUNCTION private.has_file
--   COMMENT ON FUNCTION private.month_chores
--   COMMENT ON FUNCTION private.month_findings
--   COMMENT ON FUNCTION private.month_invoices
--   COMMENT ON FUNCTION private.month_papers
--   COMMENT ON FUNCTION public.month_packet
--   REVOKE ALL ON FUNCTION private.has_file
--   REVOKE ALL ON FUNCTION private.month_chores
--   GRANT EXECUTE ON FUNCTION private.month_chores
--   REVOKE ALL ON FUNCTION private.month_findings
--   REVOKE ALL ON FUNCTION private.month_invoices
--   REVOKE ALL ON FUNCTION private.month_papers
--   GRANT EXECUTE ON FUNCTION public.month_packet

set check_function_bodies = off;

DROP FUNCTION "private"."month_chores"(uuid, date);

CREATE OR REPLACE FUNCTION private.has_file (
  _document public.documents
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from storage.objects where bucket_id = 'documents' and name = _document.storage_path)
$function$;

CREATE OR REPLACE FUNCTION private.month_chores (
  _user_id uuid,
  _day     date
)
  RETURNS TABLE (
    key        text,
    contact_id uuid,
    tool       text,
    args       jsonb,
    title      text,
    body       text
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := private.speak_for(_user_id);
  _month constant date := date_trunc('month', _day) - interval '1 month';
begin
  -- In the first half of a month the one before is closed.
  if extract(day from _day) <= 15 then
    return query
      select concat(to_char(_month, 'YYYY-MM'), ':', found.kind), null::uuid, 'task', '{}'::jsonb,
        concat(found.title, ' di ', (array[
          'gennaio', 'febbraio', 'marzo', 'aprile', 'maggio', 'giugno', 'luglio', 'agosto', 'settembre', 'ottobre',
          'novembre', 'dicembre'
        ])[extract(month from _month)]), left(found.body, 2000)
      from (
        select findings.kind, findings.title, findings.body from private.month_findings(_month) as findings
        union all
        select 'pacchetto', case when count(*) = 1 then 'Manda al commercialista la fattura'
            else format('Manda al commercialista le %s fatture', count(*)) end,
          private.counted(count(*) filter (where direction = 'attiva'), 'Una emessa', 'emesse') || ', '
          || private.counted(count(*) filter (where direction = 'passiva'), 'una ricevuta', 'ricevute')
          || '. In Documenti → Fatture premi «Per il commercialista» e scarica il pacchetto del mese.'
        from private.month_invoices(_month) where twin is null having count(*) > 0
      ) as found;
  end if;
  perform set_config('request.jwt.claims', _claims, true);
end
$function$;

CREATE OR REPLACE FUNCTION private.month_findings (
  _month date
)
  RETURNS TABLE (
    kind  text,
    times bigint,
    title text,
    body  text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with papers as (
    select number, invoice.issued_on, direction, invoice.kind, invoice.contact_id, documents.state,
      concat(number, ' (' || counterparty_name || ')') as name, private.has_file(documents) as has_file
    from private.month_invoices(_month) as invoice
    join public.documents on documents.user_id = invoice.user_id and documents.id = document_id
  ), numbers as (
    -- What stands behind the number, such as «/2026» or «/A», tells one series from another. Credit notes may share it.
    select regexp_replace(number, '^\d+', '') as series, regexp_replace(number, '\D.*', '')::integer as no, kind from papers
    where direction = 'attiva' and number ~ '^\d{1,6}(\D|$)'
  ), gaps as (
    select series, no from (
      select series, min(no) as low, max(no) as high from numbers where kind = 'fattura' group by series
    ) as ends, generate_series(low, least(high, low + 500)) as no
    where (series, no) not in (select numbers.series, numbers.no from numbers)
  ), found (kind, times, one, many, body) as (
    select 'registra', count(*), 'Registra una fattura', 'Registra %s fatture',
      'Non ancora nel registro, e in nessuna somma: ' || string_agg(name, ', ' order by day, name) || '.'
    from private.month_papers(_month) where is_waiting
    union all
    select 'controlla', count(*), 'Controlla una fattura', 'Controlla %s fatture',
      'Con un dato in dubbio: ' || string_agg(name, ', ' order by issued_on, number) || '.'
    from papers where state = 'da_verificare'
    union all
    select 'collega', count(*), 'Collega una fattura', 'Collega %s fatture',
      'Senza un contatto: ' || string_agg(name, ', ' order by issued_on, number) || '.'
    from papers where contact_id is null and state = 'pronto'
    union all
    select 'mancanti', count(*), 'Cerca una fattura che manca', 'Cerca %s fatture che mancano',
      'Numeri che mancano nella serie: ' || string_agg(concat(no, series), ', ' order by series, no) || '.'
    from gaps
    union all
    select 'file', count(*), 'Ricarica il file di una fattura', 'Ricarica i file di %s fatture',
      'Senza il file originale: ' || string_agg(name, ', ' order by issued_on, number) || '.'
    -- A file that was brought again is another document of the same invoice.
    from papers where not has_file and not exists (
      select from papers as other
      where other.has_file
        and (other.direction, other.number, other.issued_on) = (papers.direction, papers.number, papers.issued_on)
    )
  )
  select kind, times, case when times = 1 then one else format(many, times) end, body from found where times > 0
$function$;

CREATE OR REPLACE FUNCTION private.month_invoices (
  _month date
)
  RETURNS SETOF public.invoice_register
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from public.invoice_register
  where user_id = (select auth.uid()) and deleted_at is null
    and issued_on >= date_trunc('month', _month)::date
    and issued_on < (date_trunc('month', _month) + interval '1 month')::date
$function$;

CREATE OR REPLACE FUNCTION private.month_papers (
  _month date
)
  RETURNS TABLE (
    document_id uuid,
    kind        public.document_kind,
    name        text,
    day         date,
    is_waiting  boolean
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select documents.id, documents.kind, coalesce(supplier ->> 'name', documents.filename), dated.day,
    waiting.document_id is not null
  from public.documents
  left join public.unregistered_documents() as waiting on waiting.document_id = documents.id
  cross join lateral (
    select coalesce(documents.issued_on, (documents.created_at at time zone 'Europe/Rome')::date) as day
  ) as dated
  where user_id = (select auth.uid()) and deleted_at is null
    and date_trunc('month', dated.day) = date_trunc('month', _month)
    and (
      waiting.document_id is not null or documents.kind in ('ricevuta', 'f24')
      -- A bank statement has no kind of its own: the reader says what it seems to be.
      or documents.kind = 'altro' and concat_ws(' ', kind_rule, documents.filename) ~* 'estratto[ _-]*conto'
    )
    and not exists (
      select from public.invoices where invoices.user_id = documents.user_id and invoices.document_id = documents.id
    )
    and not private.is_copy(documents)
$function$;

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
    (select jsonb_build_object('name', coalesce(business_name, full_name), 'vat_number', vat_number, 'tax_code', tax_code)
      from public.profiles where user_id = (select auth.uid())),
    (select coalesce(jsonb_agg(sums order by direction, currency <> 'EUR', currency, is_self_invoice), '[]') from sums),
    (select coalesce(jsonb_agg(found), '[]') from private.month_findings(_month) as found),
    (select coalesce(jsonb_agg(papers), '[]') from papers),
    (select coalesce(jsonb_agg(listed), '[]') from listed)
$function$;

REVOKE ALL ON FUNCTION "public"."month_packet"(date) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."has_file"(public.documents) IS 'Whether the original file of a document is in the storage.';

COMMENT ON FUNCTION "private"."month_chores"(uuid, date) IS 'What the month before still needs, in the first half of a month: what month_findings() finds, and what to send to the accountant.';

COMMENT ON FUNCTION "private"."month_findings"(date) IS 'What is missing or doubtful in the caller''s month of a day: invoices to register, to check, to link, missing in the numbering, without their file. For each kind how many, what to do, and which.';

COMMENT ON FUNCTION "private"."month_invoices"(date) IS 'The caller''s invoices of the month of a day, as the register has them; those with a twin are in no sum.';

COMMENT ON FUNCTION "private"."month_papers"(date) IS 'What an accountant needs of the caller beside the register: receipts, F24 and bank statements of the month of a day (of their date, else of their arrival), and the invoices that wait to be registered (is_waiting).';

COMMENT ON FUNCTION "public"."month_packet"(date) IS 'The caller''s month of a day for the accountant: who they are, sums by direction and currency as the register counts, what is missing or doubtful (see private.month_findings), papers and invoices with their files, at most 5,001 of each.';

REVOKE ALL ON FUNCTION "private"."has_file"(public.documents) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."month_chores"(uuid, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."month_chores"(uuid, date) TO "service_role";

REVOKE ALL ON FUNCTION "private"."month_findings"(date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."month_invoices"(date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."month_papers"(date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."month_packet"(date) TO "authenticated";

reset check_function_bodies;
