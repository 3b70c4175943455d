-- Insight rules: which facts hold for one person today. Texts are templates filled here, so an insight costs nothing.
--
-- Money comes from the register only (public.invoice_parts, public.unregistered_documents), so that a card, a list and
-- the assistant say the same. What the register leaves out is a fact of its own. Every rule names a person, because it
-- runs with the rights of the server; those that call functions of the caller need the claims of that person, which
-- private.refresh_home() sets.
--
-- Not here: the threshold of the regime forfettario is in 57_flat_rate.sql, answers that are due are in
-- 58_mail_received.sql, windows of WhatsApp that close in 59_whatsapp.sql.

create type private.open_part as (
  invoice_id uuid, document_id uuid, direction public.invoice_direction, kind public.invoice_kind, number text,
  issued_on date, contact_id uuid, counterparty text, currency text, due_on date, cents bigint, is_late boolean
);

-- At most so many facts of one rule: the most pressing.
create function private.most_facts()
  returns integer
  language sql immutable parallel safe
  set search_path = ''
as $$
  select 25
$$;
comment on function private.most_facts() is 'How many facts of one rule are kept: more than anybody reads.';
revoke all on function private.most_facts from public, anon, authenticated, service_role;

create function private.counted(_times bigint, _one text, _many text)
  returns text
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case when _times = 1 then _one else _times || ' ' || _many end
$$;
comment on function private.counted(bigint, text, text) is '«un giorno», «3 giorni».';
revoke all on function private.counted from public, anon, authenticated, service_role;

create function private.open_parts(_user_id uuid)
  returns setof private.open_part
  language sql stable
  set search_path = ''
as $$
  select invoices.id, invoices.document_id, invoices.direction, invoices.kind, invoices.number, invoices.issued_on,
    invoices.contact_id, coalesce(contacts.name::text, invoices.counterparty_name), invoices.currency, part.due_on,
    part.cents, part.is_late
  from public.invoices
  join public.invoice_parts as part on part.user_id = invoices.user_id and part.invoice_id = invoices.id
  left join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
  where invoices.user_id = _user_id and invoices.paid_on is null and part.paid_on is null and part.counts
$$;
comment on function private.open_parts(uuid) is
  'What of a person''s invoices is not paid, part by part, as the register counts it, credit notes too.';
revoke all on function private.open_parts from public, anon, authenticated, service_role;

create function private.payer_habits(_user_id uuid, _contact_ids uuid[])
  returns table (contact_id uuid, paid integer, days integer)
  language sql stable
  set search_path = ''
as $$
  -- The same invoice in two files was paid once.
  select paid.contact_id, count(*)::integer,
    percentile_disc(0.5) within group (order by greatest(paid.paid_on - paid.issued_on, 0))
  from (
    select distinct on (contact_id, number, issued_on) contact_id, number, issued_on, paid_on from public.invoices
    where user_id = _user_id and contact_id = any (_contact_ids) and direction = 'attiva' and kind = 'fattura'
      and paid_on is not null
    order by contact_id, number, issued_on, paid_on
  ) as paid
  group by paid.contact_id
  having count(*) >= 2
$$;
comment on function private.payer_habits(uuid, uuid[]) is
  'In how many days from their issue these clients usually pay the invoices of a person: the median of at least two.';
revoke all on function private.payer_habits from public, anon, authenticated, service_role;

create function private.late_text(_late_days integer, _elapsed_days integer, _usual_days integer)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select concat(
    'Scaduta da ', private.counted(_late_days, 'un giorno', 'giorni'), '. ',
    case
      when _usual_days is null then 'Non so ancora in quanto tempo paga.'
      else 'Di solito paga in ' || private.counted(_usual_days, 'un giorno', 'giorni') || ' dall’emissione, ne sono passati '
        || _elapsed_days || case when private.is_unusual(_elapsed_days, _usual_days) then ': è insolito.' else '.' end
    end
  )
$$;
comment on function private.late_text(integer, integer, integer) is 'The reason of an insight about a late invoice, with the habit of its payer.';
revoke all on function private.late_text from public, anon, authenticated, service_role;

create function private.is_unusual(_elapsed_days integer, _usual_days integer)
  returns boolean
  language sql immutable parallel safe
  set search_path = ''
as $$
  select coalesce(_elapsed_days > greatest(1.5 * _usual_days, _usual_days + 7), false)
$$;
comment on function private.is_unusual(integer, integer) is 'Whether a payer takes much longer than usual.';
revoke all on function private.is_unusual from public, anon, authenticated, service_role;

create function private.invoice_facts(_user_id uuid, _parts private.open_part[], _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.invoice_facts(uuid, private.open_part[], date) is
  'Invoices that are late or due within five days: those to cash, with the habit of their payer, and those to pay.';
revoke all on function private.invoice_facts from public, anon, authenticated, service_role;

create function private.rejected_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.rejected_facts(uuid, date) is
  'Issued invoices that the exchange system rejected or an office refused, until they are sent again.';
revoke all on function private.rejected_facts from public, anon, authenticated, service_role;

create function private.deal_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  with stuck as (
    select deals.id, deals.title, deals.contact_id, deals.amount_cents, deals.currency, contacts.name as contact,
      coalesce(deals.probability, stages.probability) / 100.0 as probability, stages.name as stage, private.is_quote_stage(stages) as is_quote,
      habits.usual_days, habits.sample, floor(age.days)::integer as days,
      (deals.stage_since at time zone 'Europe/Rome')::date as since
    from public.stage_habits() as habits
    join public.stages on stages.user_id = _user_id and stages.id = habits.stage_id
    join public.deals on deals.user_id = _user_id and deals.stage_id = stages.id and deals.deleted_at is null
    left join public.contacts on contacts.user_id = _user_id and contacts.id = deals.contact_id
    cross join lateral (select extract(epoch from now() - deals.stage_since) / 86400 as days) as age
    -- Whole days, as the board and the assistant count them.
    where floor(age.days) > habits.usual_days
    order by deals.amount_cents desc, deals.id
    limit private.most_facts()
  )
  select case when is_quote then 'preventivo_fermo' else 'trattativa_ferma' end, 'deal', id, since,
    contact_id, concat(title, case when strpos(lower(title), lower(contact)) = 0 then ' (' || contact || ')' end),
    concat('Ferma in «', stage, '» da ', private.counted(days, 'un giorno', 'giorni'), case
      when sample >= 8 then '. Di solito le tue trattative ci restano meno di '
        || private.counted(ceil(usual_days)::bigint, 'un giorno', 'giorni') || '.'
      else ': oltre ' || ceil(usual_days) || ' giorni conviene farsi sentire.' end),
    -- At risk is what it is worth today: a deal that is unlikely to be won loses little.
    nullif(amount_cents, 0), currency, probability * least(0.6, 0.25 + 0.1 * days / usual_days), jsonb_strip_nulls(jsonb_build_object(
      'deal', title, 'counterparty', contact, 'stage', stage, 'days', days, 'usual_days', usual_days
    ))
  from stuck
$$;
comment on function private.deal_facts(uuid, date) is
  'Open deals that are longer in their stage than is usual (public.stage_habits); in a stage of quotes they are quotes.';
revoke all on function private.deal_facts from public, anon, authenticated, service_role;

create function private.people_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  select 'da_risentire', 'contact', id, (next_touch_at at time zone 'Europe/Rome')::date, id, 'Risenti ' || name,
    concat(case when last_interaction_at is null then 'In rubrica da ' else 'Non vi sentite da ' end,
      private.counted(silent_days, 'un giorno', 'giorni'),
      case when last_interaction_at is null then ' e mai un contatto' end, ': volevi ogni ',
      private.counted(touch_days, 'giorno', 'giorni'), '.'),
    null::bigint, 'EUR', least(1, 0.5 + (silent_days - touch_days) / 60.0),
    jsonb_build_object('counterparty', name, 'silent_days', silent_days)
  from (
    select id, name, next_touch_at, last_interaction_at,
      _today - (coalesce(last_interaction_at, created_at) at time zone 'Europe/Rome')::date as silent_days,
      extract(day from next_touch_at - coalesce(last_interaction_at, created_at))::integer as touch_days
    from public.contacts
    where user_id = _user_id and merged_into is null and deleted_at is null
      and next_touch_at <= now() and (snoozed_until is null or snoozed_until <= now())
    order by next_touch_at, id
    limit private.most_facts()
  ) as silent
  union all
  select 'compleanno_cliente_anno', 'contact', first.contact_id, first.issued_on, first.contact_id,
    concat('Un anno con ', contacts.name), 'La prima fattura è del ' || to_char(first.issued_on, 'DD/MM/YYYY')
      || ': un buon momento per un messaggio.',
    null, 'EUR', 0.5, jsonb_build_object('counterparty', contacts.name)
  from (
    select distinct contact_id, issued_on from public.invoices
    where user_id = _user_id and direction = 'attiva' and kind = 'fattura' and contact_id is not null
      and issued_on between (_today - interval '1 year')::date - 6 and (_today - interval '1 year')::date
  ) as first
  join public.contacts on contacts.user_id = _user_id and contacts.id = first.contact_id
    and merged_into is null and deleted_at is null
  where not exists (
    select from public.invoices as earlier
    where earlier.user_id = _user_id and earlier.contact_id = first.contact_id and earlier.direction = 'attiva'
      and earlier.kind = 'fattura' and earlier.issued_on < first.issued_on
  )
$$;
comment on function private.people_facts(uuid, date) is
  'Whom it is time to be in touch with, as the banner of /crm counts them, and clients of exactly one year, for a week.';
revoke all on function private.people_facts from public, anon, authenticated, service_role;

create function private.task_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.task_facts(uuid, date) is 'Tasks that are late, and a day with more than six hours of work.';
revoke all on function private.task_facts from public, anon, authenticated, service_role;

create function private.credit_facts(_today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  select 'crediti_in_esaurimento', 'wallet', null::uuid, date_trunc('week', _today)::date, null::uuid,
    case when balance = 0 then 'Hai finito i crediti'
      else 'Ti ' || case when balance = 1 then 'resta un credito' else 'restano ' || balance || ' crediti' end end,
    case when balance = 0 then 'Socio continua a rispondere in modalità locale, senza crediti.'
      else 'Al ritmo degli ultimi 30 giorni bastano fino al ' || to_char(lasts_until, 'DD/MM/YYYY') || '.' end,
    null::bigint, 'EUR', case when balance = 0 then 1 else 0.7 end, jsonb_build_object('balance', balance)
  from public.credit_forecast()
  where used_30d > 0 and (balance = 0 or lasts_until <= _today + 14)
  union all
  select 'crediti_in_scadenza', 'wallet', null, (next_expiry_at at time zone 'Europe/Rome')::date, null,
    private.counted(next_expiry_credits, 'Un credito sta per scadere', 'crediti stanno per scadere'),
    'Valgono fino al ' || to_char(next_expiry_at at time zone 'Europe/Rome', 'DD/MM/YYYY') || ': poi non si possono più usare.',
    null, 'EUR', 0.6, jsonb_build_object('credits', next_expiry_credits)
  from public.credit_overview()
  -- Bought credits are extended, not lost.
  where not next_expiry_extends and next_expiry_credits > 0 and next_expiry_at <= now() + interval '14 days'
$$;
comment on function private.credit_facts(date) is
  'Credits of the caller that run out within two weeks at the pace of a month, or that are lost within two weeks.';
revoke all on function private.credit_facts from public, anon, authenticated, service_role;

create function private.client_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  with issued as materialized (
    select invoices.contact_id, invoices.kind, count(*) over (partition by invoices.number, invoices.issued_on) > 1 as may_be_twin,
      invoices as invoice, coalesce(invoices.net_cents, invoices.total_cents - coalesce(invoices.vat_cents, 0)) as net_cents
    from public.invoices
    join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
    where invoices.user_id = _user_id and invoices.direction = 'attiva' and invoices.kind <> 'autofattura'
      and invoices.currency = 'EUR' and documents.deleted_at is null and invoices.issued_on > (_today - interval '1 year')::date
  ), clients as (
    select contact_id, count(*) as invoices,
      sum(case kind when 'nota_di_credito' then -abs(net_cents) else net_cents end)::bigint as net_cents
    from issued where not may_be_twin or public.twin(invoice) is null
    group by contact_id
  ), shares as (
    select contact_id, net_cents, net_cents::numeric / nullif(sum(net_cents) over (), 0) as share,
      sum(invoices) over () as invoices, count(*) over () as clients
    from clients
  )
  select 'concentrazione', 'contact', contact_id, date_trunc('month', _today)::date, contact_id,
    name || ' fa il ' || round(share * 100) || ' % del tuo fatturato',
    'Negli ultimi 12 mesi, al netto dell’IVA: se smette, ne risenti. Coltiva anche gli altri clienti.',
    net_cents, 'EUR', 0.02, jsonb_build_object('counterparty', name, 'share', round(share, 4))
  from shares join public.contacts on contacts.user_id = _user_id and contacts.id = contact_id
  -- Who has just begun has one client: that is no news.
  where share > 0.5 and invoices >= 5 and clients >= 2
$$;
comment on function private.client_facts(uuid, date) is
  'A client with more than half of what was invoiced in twelve months, net and as the register counts.';
revoke all on function private.client_facts from public, anon, authenticated, service_role;

create function private.paper_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
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
    case due_on - _today when 0 then 'È l’ultimo giorno per rinnovarlo o disdirlo.'
      when 1 then 'Manca un giorno: è il momento di rinnovarlo o disdirlo.'
      else 'Mancano ' || (due_on - _today) || ' giorni: è il momento di rinnovarlo o disdirlo.' end,
    total_cents, documents.currency, case when due_on <= _today + 7 then 0.6 else 0.3 end,
    jsonb_strip_nulls(jsonb_build_object('counterparty', contacts.name, 'filename', filename, 'due_on', due_on))
  from public.documents
  left join public.contacts on contacts.user_id = documents.user_id and contacts.id = contact_id
  where documents.user_id = _user_id and kind = 'contratto' and documents.deleted_at is null
    and due_on between _today and _today + 30
$$;
comment on function private.paper_facts(uuid, date) is
  'Papers of the caller that no sum counts yet, those with a doubtful value, and contracts that end within a month.';
revoke all on function private.paper_facts from public, anon, authenticated, service_role;

create function private.tidying_facts(_user_id uuid, _pairs integer, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  select 'da_collegare', 'parties', null::uuid, date_trunc('week', _today)::date, null::uuid,
    private.counted(count(*), 'Una controparte da collegare', 'controparti da collegare'),
    private.counted(sum(cardinality(document_ids))::bigint, 'Un documento non ha', 'documenti non hanno')
      || ' ancora un contatto.',
    null::bigint, 'EUR', 0.5, jsonb_build_object('count', count(*))
  from private.waiting_parties(_user_id)
  having count(*) > 0
  union all
  select 'doppioni', 'pairs', null, date_trunc('month', _today)::date, null,
    private.counted(_pairs, 'Due contatti sembrano gli stessi', 'coppie di contatti sembrano gli stessi'),
    'Uniscili: la storia di entrambi resta, e per 30 giorni si può annullare.', null, 'EUR', 0.5,
    jsonb_build_object('count', _pairs)
  where _pairs > 0
$$;
comment on function private.tidying_facts(uuid, integer, date) is
  'Counterparties of papers without a contact, and so many pairs of contacts that may be one.';
revoke all on function private.tidying_facts from public, anon, authenticated, service_role;

create function private.consent_facts(_user_id uuid)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  -- Only for somebody who sends campaigns: else a consent is not missed. The people are those that the link opens.
  select 'consenso_mancante', 'consents', null::uuid, (last.created_at at time zone 'Europe/Rome')::date, null::uuid,
    private.counted(count(*), 'Una persona senza consenso', 'persone senza consenso'),
    'Per scrivere di novità e offerte serve il consenso: chiedilo alla prima occasione e segnalo nella scheda.',
    null::bigint, 'EUR', 0.5::double precision, jsonb_build_object('count', count(*))
  from (
    select created_at from public.mail_batches
    where user_id = _user_id and channel = 'email' and basis <> 'contratto' and excluded > 0 and cancelled_at is null
      and created_at > now() - interval '60 days'
    order by created_at desc limit 1
  ) as last
  join public.contacts on contacts.user_id = _user_id and type = 'persona' and merged_into is null and deleted_at is null
  where not exists (
    select from public.consents
    where consents.user_id = _user_id and consents.contact_id = contacts.id and channel = 'email'
      and purpose = 'marketing' and state <> 'non_richiesto'
  )
  group by last.created_at
$$;
comment on function private.consent_facts(uuid) is
  'Counts the people who were never asked for the consent to marketing by mail, after a campaign left somebody out.';
revoke all on function private.consent_facts from public, anon, authenticated, service_role;

create function private.standing_pairs(_user_id uuid, _pairs jsonb)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select coalesce(jsonb_agg(pair), '[]')
  from jsonb_array_elements(_pairs) as pair
  where 2 = (
    select count(*) from public.contacts
    where user_id = _user_id and id in ((pair ->> 0)::uuid, (pair ->> 1)::uuid) and merged_into is null and deleted_at is null
  ) and not exists (
    select from public.contact_distinct
    where user_id = _user_id and a_id = (pair ->> 0)::uuid and b_id = (pair ->> 1)::uuid
  )
$$;
comment on function private.standing_pairs(uuid, jsonb) is
  'Which of these pairs of contacts are still two and were not marked as different: comparing them all takes too long for each change.';
revoke all on function private.standing_pairs from public, anon, authenticated, service_role;
