-- Series of invoices.
--   CREATE OR REPLACE FUNCTION private.month_chores

set check_function_bodies = off;

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
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with closing as (
    select (date_trunc('month', _day) - interval '1 month')::date as first_on, date_trunc('month', _day)::date as ends_on,
      (array[
        'gennaio', 'febbraio', 'marzo', 'aprile', 'maggio', 'giugno', 'luglio', 'agosto', 'settembre', 'ottobre',
        'novembre', 'dicembre'
      ])[extract(month from _day - interval '1 month')] as name
    -- In the first half of a month the one before is closed.
    where extract(day from _day) <= 15
  ), papers as (
    select invoices.*, documents.state
    from public.invoices
    join public.documents on documents.user_id = _user_id and documents.id = document_id and documents.deleted_at is null
    join closing on invoices.issued_on >= first_on and invoices.issued_on < ends_on
    where invoices.user_id = _user_id
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
    select 'controlla', count(*), 'Controlla una fattura', 'Controlla %s fatture',
      'Da verificare: ' || string_agg(number, ', ' order by issued_on, number) || '. Finché non le confermi non sono in nessuna somma.'
    from papers where state = 'da_verificare'
    union all
    select 'collega', count(*), 'Collega una fattura', 'Collega %s fatture',
      'Senza un contatto: ' || string_agg(concat(number, ' (' || counterparty_name || ')'), ', ' order by issued_on, number) || '.'
    from papers where contact_id is null and state = 'pronto'
    union all
    select 'mancanti', count(*), 'Cerca una fattura che manca', 'Cerca %s fatture che mancano',
      'Nella numerazione non trovo: ' || string_agg(concat(no, series), ', ' order by series, no) || '.'
    from gaps
    union all
    select 'pacchetto', count(*), 'Manda al commercialista la fattura', 'Manda al commercialista le %s fatture',
      private.counted(count(*) filter (where direction = 'attiva'), 'Una emessa', 'emesse') || ', '
      || private.counted(count(*) filter (where direction = 'passiva'), 'una ricevuta', 'ricevute')
      || '. In Documenti → Fatture premi «Esporta» e poi manda il file.'
    from papers
  )
  select concat(to_char(first_on, 'YYYY-MM'), ':', kind), null::uuid, 'task', '{}'::jsonb,
    concat(case when times = 1 then one else format(many, times) end, ' di ', name), left(body, 2000)
  from found cross join closing where times > 0
$function$;

reset check_function_bodies;
