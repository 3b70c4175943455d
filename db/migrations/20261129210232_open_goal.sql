-- Open goal.
--   CREATE OR REPLACE FUNCTION private.open_goal
--   CREATE OR REPLACE FUNCTION public.plan_goal
--   CREATE OR REPLACE FUNCTION public.start_goal
--   COMMENT ON FUNCTION private.open_goal
--   REVOKE ALL ON FUNCTION private.open_goal

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.open_goal (
  _user_id uuid,
  _agent   text,
  _title   text
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _goal public.goals;
begin
  insert into public.goals (user_id, agent, title) values (_user_id, _agent, _title)
  on conflict (user_id, agent) where state not in ('completato', 'fallito', 'annullato') do nothing;
  select * into _goal from public.goals
  where user_id = _user_id and agent = _agent and state not in ('completato', 'fallito', 'annullato') for update;
  return _goal;
end
$function$;

CREATE OR REPLACE FUNCTION public.plan_goal (
  _agent text,
  _title text
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals := private.open_goal(_user_id, _agent, _title);
begin
  if _goal.state = 'bozza' then
    update public.goals set state = 'pianificato' where id = _goal.id returning * into _goal;
    perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_goal.id), _goal.id, _human_decision => 'pianificato');
  end if;
  return _goal;
end
$function$;

CREATE OR REPLACE FUNCTION public.start_goal (
  _agent text,
  _title text
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
begin
  if not exists (
    select from public.agent_mandates where user_id = _user_id and agent = _agent and revoked_at is null
  ) then
    raise exception 'no mandate is in force' using errcode = 'SG004';
  end if;
  _goal := private.open_goal(_user_id, _agent, _title);
  -- The person has read the plan and the mandate: each move is made, so that each is allowed.
  if _goal.state = 'bozza' then
    update public.goals set state = 'pianificato' where id = _goal.id returning * into _goal;
  end if;
  if _goal.state = 'pianificato' then
    update public.goals set state = 'in_approvazione' where id = _goal.id;
  end if;
  if _goal.state not in ('attivo', 'in_attesa') then
    update public.goals set state = 'attivo' where id = _goal.id;
    perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_goal.id), _goal.id, _human_decision => 'approvato');
  end if;
  -- Planned again under the mandate as it is now, whose credits count from here.
  update public.goals set next_run_at = now(), budget_credits = coalesce(spent_credits + (
    select letter_budget from public.agent_mandates
    where user_id = _user_id and agent = _agent and action = 'mail' and revoked_at is null
  ), budget_credits)
  where id = _goal.id returning * into _goal;
  perform private.wake_for_budget(_goal.id);
  perform private.run_goals(_user_id);
  return _goal;
end
$function$;

COMMENT ON FUNCTION "private"."open_goal"(uuid, text, text) IS 'Locks and answers the goal of an agent that has not ended, and creates it where there is none.';

REVOKE ALL ON FUNCTION "private"."open_goal"(uuid, text, text) FROM PUBLIC;

reset check_function_bodies;
