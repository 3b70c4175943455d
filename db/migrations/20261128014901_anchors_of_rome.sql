-- Anchors of rome.
--   CREATE OR REPLACE FUNCTION private.ethics_kept_since
--   CREATE OR REPLACE FUNCTION private.forget_ethics
--   CREATE OR REPLACE FUNCTION private.month_findings
--   CREATE OR REPLACE FUNCTION private.refuse_change_of_ethics
--   CREATE OR REPLACE FUNCTION public.verify_ethical_log
--   COMMENT ON FUNCTION private.ethics_kept_since
--   REVOKE ALL ON FUNCTION private.ethics_kept_since

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.ethics_kept_since()
  RETURNS date
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select (private.today() - interval '12 months')::date
$function$;

CREATE OR REPLACE FUNCTION private.forget_ethics (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from public.ethical_logs where id in (
      select logs.id from public.ethical_logs as logs
      where exists (
        select from private.ethical_anchors as anchors
        where anchors.chain = logs.chain and anchors.seq >= logs.seq and anchors.signature is not null
          and day < private.ethics_kept_since()
      )
      order by logs.chain, logs.seq limit _limit
    )
    returning id
  )
  select count(*) from gone
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
    -- The end of a number, such as «/2026» or «/A», tells one series from another. Credit notes may share it.
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

CREATE OR REPLACE FUNCTION private.refuse_change_of_ethics()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    -- The account is gone: the row stays under its pseudonym.
    if new.user_id is null and not exists (select from auth.users where id = old.user_id) then
      old.user_id := null;
      if new is not distinct from old then
        return new;
      end if;
    end if;
  elsif tg_op = 'DELETE' and exists (
    select from private.ethical_anchors
    where chain = old.chain and seq >= old.seq and day < private.ethics_kept_since() and signature is not null
  ) then
    return old;
  end if;
  raise exception 'the ethical log is only added to' using errcode = '23001';
end
$function$;

CREATE OR REPLACE FUNCTION public.verify_ethical_log()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with mine as (
    select * from private.ethical_chains where user_id = (select auth.uid())
  ), rows as (
    select logs.seq, logs.hash, logs.prev_hash, logs.hash = private.ethical_hash(logs) as is_whole,
      lag(logs.hash) over (order by logs.seq) as before, lag(logs.seq) over (order by logs.seq) as seq_before
    from public.ethical_logs as logs join mine on mine.chain = logs.chain
  ), checked as (
    select seq, is_whole and case
      when seq_before is not null then seq = seq_before + 1 and prev_hash = before
      when seq = 1 then prev_hash = ''
      -- What came before was erased after twelve months: an anchor says how it ended, or is about to.
      else exists (
        select from private.ethical_anchors
        where chain = (select chain from mine) and (
          ethical_anchors.seq = rows.seq - 1 and hash = rows.prev_hash
          or ethical_anchors.seq >= rows.seq and day < private.ethics_kept_since()
        )
      )
    end as is_good
    from rows
  )
  select jsonb_build_object(
    'entries', (select count(*) from rows),
    'broken_at', (select min(seq) from checked where not is_good),
    -- The newest rows cannot be cut off unseen.
    'is_complete', coalesce((select coalesce((select max(seq) from rows), 0) = mine.seq from mine), true),
    'anchors', coalesce((
      select jsonb_agg(jsonb_build_object(
        'chain', chain, 'seq', anchors.seq, 'day', day, 'hash', anchors.hash, 'signature', signature,
        'is_met', coalesce((select rows.hash = anchors.hash from rows where rows.seq = anchors.seq), true)
      ) order by anchors.seq)
      from private.ethical_anchors as anchors where chain = (select chain from mine)
    ), '[]')
  )
$function$;

COMMENT ON FUNCTION "private"."ethics_kept_since"() IS 'The first day of the ethical log that is kept: twelve months ago in Italy, whose days the anchors have.';

REVOKE ALL ON FUNCTION "private"."ethics_kept_since"() FROM PUBLIC;

reset check_function_bodies;
