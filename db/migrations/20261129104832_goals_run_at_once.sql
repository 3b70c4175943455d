-- Goals run at once.
--   DROP FUNCTION private.claim_goal
--   DROP FUNCTION private.claim_goal_step
--   CREATE OR REPLACE FUNCTION private.claim_goal
--   CREATE OR REPLACE FUNCTION private.claim_goal_step
--   CREATE OR REPLACE FUNCTION private.goals_due
--   CREATE OR REPLACE FUNCTION private.run_goals
--   CREATE OR REPLACE FUNCTION public.decide_goal_steps
--   CREATE OR REPLACE FUNCTION public.move_goal
--   CREATE OR REPLACE FUNCTION public.start_goal
--   CREATE OR REPLACE FUNCTION public.stop_agents
--   CREATE INDEX goal_steps_due_of_person ON public.goal_steps USING btree (user_id, not_before) WHERE (state = A…
--   COMMENT ON FUNCTION private.claim_goal
--   COMMENT ON FUNCTION private.claim_goal_step
--   COMMENT ON FUNCTION private.goals_due
--   COMMENT ON FUNCTION private.run_goals
--   REVOKE ALL ON FUNCTION private.claim_goal
--   GRANT EXECUTE ON FUNCTION private.claim_goal
--   REVOKE ALL ON FUNCTION private.claim_goal_step
--   GRANT EXECUTE ON FUNCTION private.claim_goal_step
--   REVOKE ALL ON FUNCTION private.goals_due
--   GRANT EXECUTE ON FUNCTION private.goals_due
--   REVOKE ALL ON FUNCTION private.run_goals

set check_function_bodies = off;

DROP FUNCTION "private"."claim_goal"(timestamp WITH time zone);

DROP FUNCTION "private"."claim_goal_step"(timestamp WITH time zone);

CREATE OR REPLACE FUNCTION private.claim_goal (
  _user_id uuid,
  _now     timestamp with time zone
)
  RETURNS SETOF public.goals
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goals set next_run_at = (
    -- The next morning, before anybody may be written to.
    ((_now at time zone 'Europe/Rome')::date + 1 + time '07:00') at time zone 'Europe/Rome'
  )
  where id = (
    select id from public.goals
    where user_id = _user_id and state in ('attivo', 'in_attesa') and next_run_at <= _now
      and not private.are_goals_stopped(_user_id)
    order by next_run_at limit 1 for no key update skip locked
  )
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.claim_goal_step (
  _user_id uuid,
  _now     timestamp with time zone
)
  RETURNS SETOF public.goal_steps
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goal_steps set attempts = attempts + 1, leased_until = _now + interval '5 minutes'
  where id = (
    select goal_steps.id from public.goal_steps
    join public.goals on goals.user_id = goal_steps.user_id and goals.id = goal_id
    where goal_steps.user_id = _user_id and goal_steps.state in ('pianificato', 'approvato') and not_before <= _now
      and (leased_until is null or leased_until <= _now)
      and goals.state in ('attivo', 'in_attesa') and not private.are_goals_stopped(_user_id)
    order by not_before, goal_steps.id limit 1 for no key update of goal_steps skip locked
  )
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.goals_due (
  _until timestamp with time zone
)
  RETURNS TABLE (
    user_id uuid,
    due_at  timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select distinct due.user_id, due.due_at
  from (
    select goals.user_id, next_run_at as due_at from public.goals
    where state in ('attivo', 'in_attesa') and next_run_at <= _until
    union all
    select steps.user_id, greatest(not_before, leased_until) from public.goal_steps as steps
    join public.goals on goals.user_id = steps.user_id and goals.id = goal_id
    where steps.state in ('pianificato', 'approvato') and greatest(not_before, leased_until) <= _until
      and not_before <= _until and goals.state in ('attivo', 'in_attesa')
  ) as due
  where not private.are_goals_stopped(due.user_id)
$function$;

CREATE OR REPLACE FUNCTION private.run_goals (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select jobs.enqueue('goals', jsonb_build_object('user_id', _user_id), _user_id)
$function$;

CREATE OR REPLACE FUNCTION public.decide_goal_steps (
  _ids         uuid[],
  _hashes      text[],
  _is_approved boolean
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _decided record;
  _step public.goal_steps;
begin
  for _decided in select * from unnest(_ids, _hashes) as pairs (id, hash) order by id
  loop
    select * into _step from public.goal_steps where user_id = _user_id and id = _decided.id for update;
    if not found then
      raise exception 'no such step' using errcode = 'PT404';
    elsif _step.state <> 'in_approvazione' or _step.expires_at <= now() then
      raise exception 'the proposal is not open' using errcode = 'SG003', detail = _step.state::text;
    elsif _is_approved and _step.tool = 'merge' and cardinality(_ids) > 1 then
      raise exception 'a merge is approved alone' using errcode = 'SG005';
    elsif public.hash(_step) is distinct from _decided.hash then
      raise exception 'it is not what was shown' using errcode = 'SG002';
    end if;
    update public.goal_steps
    set state = case when _is_approved then 'approvato' else 'rifiutato' end::public.goal_step_state,
      approved_hash = case when _is_approved then _decided.hash end, approved_at = case when _is_approved then now() end,
      expires_at = now() + interval '24 hours', not_before = now()
    where id = _step.id;
    perform private.log_ethics(
      _user_id, 'decisione', private.goal_step_bytes(_step), _step.goal_id, _step.id,
      _human_decision => case when _is_approved then 'approvato' else 'rifiutato' end
    );
  end loop;
  if _is_approved then
    perform private.run_goals(_user_id);
  end if;
  return cardinality(_ids);
end
$function$;

CREATE OR REPLACE FUNCTION public.move_goal (
  _id    uuid,
  _state public.goal_state
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
  select * into _goal from public.goals where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such goal' using errcode = 'PT404';
  elsif _state not in ('attivo', 'in_pausa', 'completato', 'annullato') then
    raise exception 'a person does not move a goal so'
      using errcode = 'SG001', detail = _goal.state || ' → ' || _state;
  end if;
  update public.goals
  set state = _state, wait = null, next_run_at = case when _state = 'attivo' then now() else next_run_at end,
    completed_at = case when _state in ('completato', 'annullato') then now() end,
    stop_reason = case when _state in ('completato', 'annullato') then 'Lo hai fermato tu' end
  where id = _id returning * into _goal;
  if _state = 'attivo' then
    perform private.run_goals(_user_id);
  else
    perform private.recall_goal_mails(_user_id, _id);
  end if;
  perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_id), _id, _human_decision => _state::text);
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
  select * into _goal from public.goals
  where user_id = _user_id and agent = _agent and state not in ('completato', 'fallito', 'annullato') for update;
  if not found then
    insert into public.goals (user_id, agent, title) values (_user_id, _agent, _title) returning * into _goal;
  end if;
  -- The person has read the plan and the mandate: each move is made, so that each is allowed.
  if _goal.state = 'bozza' then
    update public.goals set state = 'pianificato' where id = _goal.id;
    update public.goals set state = 'in_approvazione' where id = _goal.id;
  end if;
  if _goal.state not in ('attivo', 'in_attesa') then
    update public.goals set state = 'attivo' where id = _goal.id;
    perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_goal.id), _goal.id, _human_decision => 'approvato');
  end if;
  -- Planned again under the mandate as it is now.
  update public.goals set next_run_at = now() where id = _goal.id returning * into _goal;
  perform private.run_goals(_user_id);
  return _goal;
end
$function$;

CREATE OR REPLACE FUNCTION public.stop_agents (
  _is_stopped boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
begin
  if _is_stopped then
    insert into private.autonomy_stops (user_id) values (_user_id) on conflict do nothing;
    perform private.recall_goal_mails(_user_id);
    -- A change of a goal tells the person's other devices.
    update public.goals set next_run_at = next_run_at where user_id = _user_id and state in ('attivo', 'in_attesa');
  else
    delete from private.autonomy_stops where user_id = _user_id;
    update public.goals set next_run_at = now() where user_id = _user_id and state in ('attivo', 'in_attesa');
    perform private.run_goals(_user_id);
  end if;
  perform private.log_ethics(
    _user_id, 'interruttore', to_jsonb(_is_stopped), _human_decision => case when _is_stopped then 'ferma' else 'riprendi' end
  );
end
$function$;

CREATE INDEX goal_steps_due_of_person ON public.goal_steps USING btree (user_id, not_before)
  WHERE (state = ANY (ARRAY['pianificato'::public.goal_step_state, 'approvato'::public.goal_step_state]));

COMMENT ON FUNCTION "private"."claim_goal"(uuid, timestamp with time zone) IS 'Takes a goal of a person whose steps are to be planned; the caller plans them in the same transaction.';

COMMENT ON FUNCTION "private"."claim_goal_step"(uuid, timestamp with time zone) IS 'Leases a step of a person that is due; no row when none is.';

COMMENT ON FUNCTION "private"."goals_due"(timestamp with time zone) IS 'Whose goals are to be planned or have steps to be run until a moment, and from when.';

COMMENT ON FUNCTION "private"."run_goals"(uuid) IS 'Has a worker run what of a person''s goals is due, as soon as this is committed.';

REVOKE ALL ON FUNCTION "private"."claim_goal"(uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_goal"(uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."claim_goal_step"(uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_goal_step"(uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."goals_due"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."goals_due"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."run_goals"(uuid) FROM PUBLIC;

reset check_function_bodies;
