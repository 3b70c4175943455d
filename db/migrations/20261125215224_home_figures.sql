-- Home figures.
--   DROP FUNCTION public.invoiced_by_month
--   CREATE OR REPLACE FUNCTION private.deal_facts
--   CREATE OR REPLACE FUNCTION private.home_deals
--   CREATE OR REPLACE FUNCTION private.invoice_facts

set check_function_bodies = off;

DROP FUNCTION "public"."invoiced_by_month"(integer);

CREATE OR REPLACE FUNCTION private.deal_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with stuck as (
    select deals.id, deals.title, deals.contact_id, deals.amount_cents, deals.currency, contacts.name as contact,
      coalesce(deals.probability, stages.probability) / 100.0 as probability, stages.name as stage, habits.usual_days, habits.sample, floor(age.days)::integer as days,
      (deals.stage_since at time zone 'Europe/Rome')::date as since
    from public.stage_habits() as habits
    join public.stages on stages.user_id = _user_id and stages.id = habits.stage_id
    join public.deals on deals.user_id = _user_id and deals.stage_id = stages.id and deals.deleted_at is null
    left join public.contacts on contacts.user_id = _user_id and contacts.id = deals.contact_id
    cross join lateral (select extract(epoch from now() - deals.stage_since) / 86400 as days) as age
    where age.days > habits.usual_days
    order by deals.amount_cents desc, deals.id
    limit private.most_facts()
  )
  select case when stage ilike '%preventiv%' then 'preventivo_fermo' else 'trattativa_ferma' end, 'deal', id, since,
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
$function$;

CREATE OR REPLACE FUNCTION private.home_deals (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with open as materialized (
    select deals.currency, deals.amount_cents, stages.id as stage_id,
      round(deals.amount_cents * coalesce(deals.probability, stages.probability) / 100.0)::bigint as weighted_cents
    from public.stages join public.deals on deals.user_id = _user_id and deals.stage_id = stages.id
    where stages.user_id = _user_id and stages.kind = 'aperta' and deals.deleted_at is null
  )
  select jsonb_build_object(
    'count', (select count(*) from open),
    'cents', (select coalesce(sum(amount_cents), 0) from open where currency = 'EUR'),
    'weighted_cents', (select coalesce(sum(weighted_cents), 0) from open where currency = 'EUR'),
    'others', (
      select coalesce(jsonb_object_agg(currency, cents), '{}')
      from (select currency, sum(amount_cents) as cents from open where currency <> 'EUR' group by currency) as others
    ),
    'stages', (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'count', times, 'cents', cents) order by position), '[]')
      from public.stages cross join lateral (
        select count(*) as times, coalesce(sum(amount_cents) filter (where currency = 'EUR'), 0) as cents
        from open where stage_id = stages.id
      ) as sums
      where user_id = _user_id and kind = 'aperta'
    )
  )
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
      when direction = 'passiva' then 'Da pagare ' || case late_days when 0 then 'oggi' else 'entro il ' || to_char(due_on, 'DD/MM') end || '.'
      else 'Scade ' || case late_days when 0 then 'oggi' else 'il ' || to_char(due_on, 'DD/MM') end || case
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

reset check_function_bodies;
