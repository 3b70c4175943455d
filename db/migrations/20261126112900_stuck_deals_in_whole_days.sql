-- Stuck deals in whole days.
--   CREATE OR REPLACE FUNCTION private.deal_facts

set check_function_bodies = off;

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
    -- Whole days, as the board and the assistant count them.
    where floor(age.days) > habits.usual_days
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

reset check_function_bodies;
