-- Dates with years.
--   CREATE OR REPLACE FUNCTION private.flat_rate_facts
--   CREATE OR REPLACE FUNCTION private.invoice_facts
--   CREATE OR REPLACE FUNCTION private.paper_facts
--   CREATE OR REPLACE FUNCTION private.rejected_facts
--   CREATE OR REPLACE FUNCTION private.task_facts

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.flat_rate_facts (
  _flat_rate jsonb,
  _today     date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with told as (
    select *, private.euros(threshold_cents, 'EUR') as limit_text, private.euros(exit_cents, 'EUR') as exit_text
    from jsonb_to_record(_flat_rate) as told (
      year integer, cash_cents bigint, threshold_cents bigint, exit_cents bigint, over_threshold_on date, over_exit_on date,
      reaches_threshold_on date
    )
    where _flat_rate is not null and threshold_cents is not null and exit_cents is not null
  )
  select 'soglia_forfettario', 'flat_rate', null::uuid,
    coalesce(over_exit_on, over_threshold_on, make_date(year, 1, 1)), null::uuid,
    case
      when over_exit_on is not null then 'Hai superato ' || exit_text || ' di incassi'
      when over_threshold_on is not null then 'Hai superato ' || limit_text || ' di incassi'
      else 'Di questo passo superi ' || limit_text || ' il ' || to_char(reaches_threshold_on, 'DD/MM/YYYY')
    end,
    case
      when over_exit_on is not null
        then 'Oltre questa soglia il forfettario finisce subito: senti il commercialista prima della prossima fattura.'
      when over_threshold_on is not null
        then 'Dal prossimo anno esci dal forfettario. Oltre ' || exit_text || ' ne esci subito.'
      else 'Sopra la soglia dal prossimo anno esci dal forfettario: conta quando incassi, non quando fatturi.'
    end,
    cash_cents, 'EUR',
    case when over_exit_on is not null then 0.9 when over_threshold_on is not null then 0.3 else 0.05 end, '{}'::jsonb
  from told
  where coalesce(over_exit_on, over_threshold_on, reaches_threshold_on) is not null
$function$;

CREATE OR REPLACE FUNCTION private.invoice_facts (
  _user_id uuid,
  _parts   private.open_part[],
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with owed as materialized (
    select invoice_id, document_id, direction, number, issued_on, contact_id, counterparty, currency, is_late,
      sum(cents)::bigint as cents, min(due_on) as due_on
    from unnest(_parts) as part
    where kind = 'fattura' and due_on <= _today + 5 and cents > 0
    group by invoice_id, document_id, direction, number, issued_on, contact_id, counterparty, currency, is_late
  ), habits as materialized (
    select habits.* from private.payer_habits(
      _user_id, array(select distinct contact_id from owed where direction = 'attiva' and contact_id is not null)
    ) as habits
  ), told as (
    select owed.*, habits.days as usual_days, _today - due_on as late_days, _today - issued_on as elapsed_days,
      case when direction = 'passiva' then 'da_pagare' when is_late then 'fattura_scaduta' else 'in_scadenza' end as kind,
      row_number() over (partition by direction, is_late order by cents desc, due_on, invoice_id) as place
    from owed left join habits on habits.contact_id = owed.contact_id
  )
  select kind, 'invoice', invoice_id, due_on, contact_id, concat_ws(', ', 'Fattura ' || number, counterparty),
    case
      when kind = 'fattura_scaduta' then private.late_text(late_days, elapsed_days, usual_days)
      when is_late then 'Da pagare da ' || private.counted(late_days, 'un giorno', 'giorni') || '.'
      when direction = 'passiva' then 'Da pagare ' || case late_days when 0 then 'oggi' else 'entro il ' || to_char(due_on, 'DD/MM/YYYY') end || '.'
      else 'Scade ' || case late_days when 0 then 'oggi' else 'il ' || to_char(due_on, 'DD/MM/YYYY') end || case
        when usual_days is null then ': un promemoria gentile aiuta.'
        else '. Di solito paga in ' || private.counted(usual_days, 'un giorno', 'giorni') || ' dall’emissione, ne sono passati '
          || elapsed_days || '.' end
    end,
    cents, currency,
    case when is_late then least(1, 0.6 + late_days / 150.0)
      * case when private.is_unusual(elapsed_days, usual_days) then 1.25 else 1 end else 0.3 - late_days * -0.02 end,
    jsonb_strip_nulls(jsonb_build_object(
      'document_id', document_id, 'number', number, 'counterparty', counterparty, 'issued_on', issued_on, 'due_on', due_on,
      'late_days', case when is_late then late_days end, 'usual_days', usual_days,
      'is_unusual', nullif(is_late and private.is_unusual(elapsed_days, usual_days), false)
    ))
  from told where place <= private.most_facts()
$function$;

CREATE OR REPLACE FUNCTION private.paper_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with waiting as materialized (
    select * from public.unregistered_documents()
  ), sums as (
    select count(*) as times, count(*) filter (where total_cents is null) as unread,
      coalesce(sum(total_cents) filter (where currency = 'EUR'), 0)::bigint as cents,
      count(*) filter (where direction = 'attiva') as issued, count(*) filter (where direction = 'passiva') as received,
      coalesce(sum(total_cents) filter (where currency = 'EUR' and direction = 'attiva'), 0)::bigint as issued_cents,
      coalesce(sum(total_cents) filter (where currency = 'EUR' and direction = 'passiva'), 0)::bigint as received_cents
    from waiting
  ), doubtful as (
    select count(*) as times from public.documents
    where user_id = _user_id and state = 'da_verificare' and deleted_at is null
      and id <> all (array(select document_id from waiting))
  )
  select 'documento_da_verificare', 'register', null::uuid, date_trunc('week', _today)::date, null::uuid,
    private.counted(times, 'Una fattura da verificare', 'fatture da verificare'),
    concat(case when times = 1 then 'Finché non la confermi non è' else 'Finché non le confermi non sono' end,
      ' in nessuna somma', case when unread > 0 then '; di ' || case unread when 1 then 'una' else unread::text end
      || ' non si legge l’importo' end, '.'),
    nullif(cents, 0), 'EUR', 0.3, jsonb_build_object(
      'count', times, 'unread', unread, 'issued', issued, 'issued_cents', issued_cents, 'received', received,
      'received_cents', received_cents
    )
  from sums where times > 0
  union all
  select 'documento_da_verificare', 'documents', null, date_trunc('week', _today)::date, null,
    private.counted(times, 'Un documento da verificare', 'documenti da verificare'),
    'Qualche dato letto è incerto: confermalo o correggilo.', null, 'EUR', 0.4, jsonb_build_object('count', times)
  from doubtful where times > 0
  union all
  select 'contratto_in_scadenza', 'document', documents.id, due_on - case when due_on <= _today + 7 then 7 else 30 end,
    contact_id, concat('Contratto', ' con ' || contacts.name, case when due_on = _today then ' in scadenza oggi'
      else ' in scadenza il ' || to_char(due_on, 'DD/MM/YYYY') end),
    'Mancano ' || private.counted(due_on - _today, 'un giorno', 'giorni') || ': è il momento di rinnovarlo o disdirlo.',
    total_cents, documents.currency, case when due_on <= _today + 7 then 0.6 else 0.3 end,
    jsonb_strip_nulls(jsonb_build_object('counterparty', contacts.name, 'filename', filename, 'due_on', due_on))
  from public.documents
  left join public.contacts on contacts.user_id = documents.user_id and contacts.id = contact_id
  where documents.user_id = _user_id and kind = 'contratto' and documents.deleted_at is null
    and due_on between _today and _today + 30
$function$;

CREATE OR REPLACE FUNCTION private.rejected_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with last as (
    select distinct on (document_id) * from public.sdi_notices
    where user_id = _user_id and document_id is not null order by document_id, at desc, created_at desc
  )
  select 'fattura_scartata', 'document', last.document_id, (last.at at time zone 'Europe/Rome')::date, invoices.contact_id,
    concat_ws(', ', 'Fattura ' || invoices.number, coalesce(contacts.name::text, invoices.counterparty_name)),
    case
      when last.kind <> 'NS' then 'Rifiutata dall’ente: leggi perché e mandane una nuova.'
      when last.correct_by < _today then 'Scartata, e i cinque giorni per correggerla sono passati: non risulta emessa.'
      when last.correct_by is not null then 'Scartata: correggi entro il ' || to_char(last.correct_by, 'DD/MM/YYYY') || '.'
      else 'Scartata: correggi entro cinque giorni dalla notifica.'
    end,
    invoices.total_cents, invoices.currency, 1.25::double precision,
    jsonb_strip_nulls(jsonb_build_object('number', invoices.number, 'correct_by', last.correct_by))
  from last
  join public.documents on documents.user_id = _user_id and documents.id = last.document_id and documents.deleted_at is null
  join lateral (
    select * from public.invoices
    where invoices.user_id = _user_id and invoices.document_id = last.document_id and direction = 'attiva'
    order by body_no limit 1
  ) as invoices on true
  left join public.contacts on contacts.user_id = _user_id and contacts.id = invoices.contact_id
  where last.is_refused
    -- Corrected and sent again with its number and date.
    and not exists (
      select from public.invoices as again
      join public.documents as paper on paper.user_id = _user_id and paper.id = again.document_id and paper.deleted_at is null
      where again.user_id = _user_id and again.direction = 'attiva' and again.number = invoices.number
        and again.issued_on = invoices.issued_on and again.document_id <> last.document_id and again.created_at > last.at
    )
  order by last.at desc limit private.most_facts()
$function$;

CREATE OR REPLACE FUNCTION private.task_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with due as materialized (
    select id, title, due_is_allday, day < _today as is_late, day
    from public.tasks cross join lateral (select (due_at at time zone 'Europe/Rome')::date as day) as due
    where user_id = _user_id and state <> 'fatto' and deleted_at is null
      and due_at < (_today + 1)::timestamp at time zone 'Europe/Rome'
  ), late as (
    select count(*) as times, min(day) as since, (array_agg(id order by day, id))[1] as first_id,
      (array_agg(title::text order by day, id))[1] as first_title from due where is_late
  ), planned as (
    -- Tasks have no length: an appointment counts an hour, the others half of one. The text says so.
    select count(*) as times, sum(case when due_is_allday then 0.5 else 1 end) as hours from due where not is_late
  )
  select 'attivita_scadute', 'day', null::uuid, _today, null::uuid,
    private.counted(times, 'Un’attività scaduta', 'attività scadute'),
    case when times = 1 then '«' || first_title || '», dal ' || to_char(since, 'DD/MM/YYYY') || '.'
      else 'La più vecchia: «' || first_title || '», dal ' || to_char(since, 'DD/MM/YYYY') || '.' end,
    null::bigint, 'EUR', least(1, 0.4 + times * 0.1),
    jsonb_build_object('count', times, 'task_id', first_id)
  from late where times > 0
  union all
  select 'giornata_piena', 'day', null, _today, null, 'Oggi hai ' || times || ' attività',
    'Stimo ' || replace(trim_scale(hours)::text, '.', ',')
      || ' ore: un’ora per appuntamento, mezz’ora per le altre. Sposta ciò che può aspettare.',
    null, 'EUR', 0.6, jsonb_build_object('count', times)
  from planned where hours > 6
$function$;

reset check_function_bodies;
