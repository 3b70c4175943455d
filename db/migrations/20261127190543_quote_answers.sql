-- Quote answers.
--   CREATE OR REPLACE FUNCTION private.recall_about_answered
--   CREATE OR REPLACE FUNCTION private.tell_agent_weeks
--   CREATE TRIGGER recall_about_answered AFTER INSERT ON public.interactions FOR EACH ROW WHEN ((new.direction = …
--   COMMENT ON FUNCTION private.recall_about_answered
--   REVOKE ALL ON FUNCTION private.recall_about_answered

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.recall_about_answered()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.recall_goal_mails(new.user_id, null, jsonb_build_object('deal_id', deals.id))
  from public.deals
  where deals.user_id = new.user_id and deals.contact_id = new.contact_id
    and exists (select from public.goals where goals.user_id = new.user_id and agent = 'segui_preventivi');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.tell_agent_weeks (
  _now   timestamp with time zone,
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with monday as (
    select date_trunc('week', _now at time zone 'Europe/Rome') as day
  ), due as (
    select distinct user_id, 'settimana_agenti:' || day::date as key, (day at time zone 'Europe/Rome') as until
    from public.goal_steps cross join monday
    where (_now at time zone 'Europe/Rome') >= day + interval '8 hours'
      and created_at > (day at time zone 'Europe/Rome') - interval '7 days' and created_at <= (day at time zone 'Europe/Rome')
      and not exists (
        select from private.notification_deliveries
        where notification_deliveries.user_id = goal_steps.user_id and dedupe_key = 'settimana_agenti:' || day::date
      )
    limit _limit
  ), weeks as (
    select user_id, key, private.agent_week(user_id, until) as week from due
  ), told as (
    select private.notify(
      user_id, 'settimana_agenti', 'La settimana dei tuoi agenti',
      concat_ws(' ',
        case when (week ->> 'sent')::bigint > 0 or (week ->> 'tidied')::bigint = 0
          then private.counted((week ->> 'sent')::bigint, 'Un messaggio inviato.', 'messaggi inviati.') end,
        case when (week ->> 'tidied')::bigint > 0
          then private.counted((week ->> 'tidied')::bigint, 'Una cosa sistemata.', 'cose sistemate.') end,
        case when (week ->> 'cashed_cents')::bigint > 0
          then 'Incassati dopo un sollecito: ' || private.euros((week ->> 'cashed_cents')::bigint, 'EUR') || '.' end,
        case when (week ->> 'refused')::bigint > 0 then 'Rifiutati da te: ' || (week ->> 'refused') || '.' end,
        case when (week ->> 'blocked')::bigint > 0 then 'Bloccati dalle regole: ' || (week ->> 'blocked') || '.' end
      ),
      '/projects?vista=obiettivi', key
    )
    from weeks
  )
  select count(*) from told
$function$;

CREATE TRIGGER recall_about_answered
  AFTER INSERT ON public.interactions
  FOR EACH ROW
  WHEN ((new.direction = 'entrata'::public.interaction_direction))
  EXECUTE FUNCTION private.recall_about_answered();

COMMENT ON FUNCTION "private"."recall_about_answered"() IS 'A client who has answered is not asked for an answer in the morning.';

REVOKE ALL ON FUNCTION "private"."recall_about_answered"() FROM PUBLIC;

reset check_function_bodies;
