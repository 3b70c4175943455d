-- Goals locked first.
--   CREATE OR REPLACE FUNCTION private.expire_goal_steps
--   CREATE OR REPLACE FUNCTION private.keep_letter
--   CREATE OR REPLACE FUNCTION private.lock_goals
--   CREATE OR REPLACE FUNCTION private.open_goal_step
--   CREATE OR REPLACE FUNCTION private.recall_about_answered
--   CREATE OR REPLACE FUNCTION private.recall_goal_mails
--   CREATE OR REPLACE FUNCTION public.decide_goal_steps
--   CREATE OR REPLACE FUNCTION public.move_goal
--   COMMENT ON FUNCTION private.lock_goals
--   REVOKE ALL ON FUNCTION private.lock_goals

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.expire_goal_steps (
  _now timestamp with time zone
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- In the order of private.lock_goals().
  select from public.goals where id in (
    select goal_id from public.goal_steps where state = 'in_approvazione' and expires_at <= _now
  )
  order by id for no key update;
  with gone as (
    update public.goal_steps set state = 'scaduto' where state = 'in_approvazione' and expires_at <= _now returning goal_id
  ), followed as (
    select private.follow_goal(goal_id) from (select distinct goal_id from gone) as goals
  )
  select count(*) from gone, (select count(*) from followed) as done
$function$;

CREATE OR REPLACE FUNCTION private.keep_letter (
  _user_id    uuid,
  _step_id    uuid,
  _attempt    integer,
  _letter     jsonb,
  _tokens_in  integer,
  _tokens_out integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _key constant text := private.letter_key(_step_id, _attempt);
  _step public.goal_steps;
  _goal public.goals;
  _cost bigint;
begin
  -- Before the wallet, as in open_goal_step().
  perform private.lock_goals(_user_id);
  select * into _step from public.goal_steps
  where user_id = _user_id and id = _step_id and attempts = _attempt and state = 'pianificato' and letter = 'attesa' for update;
  if not found then
    -- Taken back, paid or erased meanwhile, or another worker has it and has closed the hold.
    perform private.close_hold_of_key(_user_id, _key, 0);
    perform private.count_letter(_step_id, 0, _tokens_in, _tokens_out);
    return false;
  end if;
  select * into _goal from public.goals where user_id = _user_id and id = _step.goal_id;
  -- Two workers that began at the same moment never use more than the cap.
  _cost := private.close_hold_of_key(
    _user_id, _key, least(_step.max_credits, greatest(0, _goal.budget_credits - _goal.spent_credits))
  );
  update public.goal_steps
  set letter = 'scritta', written_at = now(), draft = null, max_credits = _cost, preview = preview || _letter
  where id = _step_id;
  perform private.count_letter(_step_id, _cost, _tokens_in, _tokens_out);
  update public.goals set spent_credits = spent_credits + _cost
  where user_id = _user_id and id = _step.goal_id returning * into _goal;
  if _cost > 0 and _goal.spent_credits * 5 >= _goal.budget_credits * 4 then
    perform private.notify(
      _user_id, 'approvazione', _goal.title || ' ha usato quasi tutti i suoi crediti',
      'Sono ' || _goal.spent_credits || ' di ' || _goal.budget_credits || '. Quando finiscono si ferma e ti chiede.',
      '/projects?vista=obiettivi', concat_ws(':', 'crediti80', _goal.id, _goal.budget_credits)
    );
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.lock_goals (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select from public.goals where user_id = _user_id order by id for no key update
$function$;

CREATE OR REPLACE FUNCTION private.open_goal_step (
  _id      uuid,
  _attempt integer,
  _now     timestamp with time zone
)
  RETURNS TABLE (
    step           jsonb,
    agent          text,
    mandate        jsonb,
    is_approved    boolean,
    is_stopped     boolean,
    lawful         integer,
    recent         integer,
    proposed_today integer,
    sent_today     integer,
    mail_time      timestamp with time zone,
    letter_credits integer,
    budget_left    integer,
    balance        bigint
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _step public.goal_steps;
  _goal public.goals;
begin
  -- So that a pause or a revocation comes before this step or after it.
  perform private.lock_goals(user_id) from public.goal_steps where id = _id;
  select * into _step from public.goal_steps
  where id = _id and attempts = _attempt and state in ('pianificato', 'approvato') for update;
  if not found then
    return;
  end if;
  select * into _goal from public.goals where user_id = _step.user_id and id = _step.goal_id;
  return query
    select to_jsonb(_step), _goal.agent, to_jsonb(mandates),
      coalesce(_step.state = 'approvato' and _step.approved_hash = public.hash(_step) and _step.expires_at > _now, false),
      _goal.state not in ('attivo', 'in_attesa') or private.are_goals_stopped(_step.user_id),
      case when _step.args ->> 'channel' = 'whatsapp' then (
        select count(*)::integer from private.whatsapp_reminder(_step.user_id, _step.contact_id, _step.args -> 'values')
        where recipient = any (_step.recipients) and reason is null
      ) else (
        select count(*)::integer from unnest(_step.recipients) as address
        where private.mail_refusal(_step.user_id, _step.contact_id, address, 'contratto', null) is null
          and private.is_address_of(_step.user_id, _step.contact_id, address)
      ) end,
      (
        select count(*)::integer from public.outgoing_mails
        where user_id = _step.user_id and contact_id = _step.contact_id and state not in ('cancelled', 'failed')
          and created_at > _now - interval '7 days' and created_at <= _now
      ) + (
        -- Templates only: a message inside an open chat is an answer and does not count.
        select count(*)::integer from public.whatsapp_messages
        where user_id = _step.user_id and contact_id = _step.contact_id and template is not null
          and state not in ('cancelled', 'failed') and created_at > _now - interval '7 days' and created_at <= _now
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and (
          state = 'in_approvazione' and expires_at > _now + interval '12 hours' or approved_at > _now - interval '12 hours'
        )
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and state = 'fatto' and approved_at is null
          and (done_at at time zone 'Europe/Rome')::date = (_now at time zone 'Europe/Rome')::date
      ),
      private.allowed_mail_time(_now),
      case when _step.state = 'pianificato' and _step.brief is not null and mandates.letter_credits is not null
          and (_step.letter is null or _step.letter = 'attesa')
        then private.quote_of('letter')::integer end,
      _goal.budget_credits - _goal.spent_credits - coalesce((
        -- Letters that other workers are having written now.
        select sum(max_credits)::integer from public.goal_steps
        where user_id = _step.user_id and goal_id = _goal.id and letter = 'attesa' and leased_until > _now and id <> _id
      ), 0),
      coalesce((select credit_wallets.balance from public.credit_wallets where user_id = _step.user_id), 0)
    from (select) as one
    left join public.agent_mandates as mandates on mandates.user_id = _step.user_id and mandates.agent = _goal.agent
      and mandates.action = case _step.tool when 'mail' then 'mail' else 'archivio' end and mandates.revoked_at is null;
end
$function$;

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
    -- A message of before the quote that comes in late is no answer to it.
    and exists (
      select from public.deal_stage_log as stay
      where stay.user_id = new.user_id and deal_id = deals.id and left_at is null and new.at > stay.entered_at
    )
    and exists (
      select from public.goal_steps
      where goal_steps.user_id = new.user_id
        and args -> 'items' @> jsonb_build_array(jsonb_build_object('deal_id', deals.id))
    );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.recall_goal_mails (
  _user_id uuid,
  _goal_id uuid  DEFAULT NULL::uuid,
  _item    jsonb DEFAULT NULL::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.lock_goals(_user_id);
  with recalled as (
    update public.outgoing_mails set state = 'cancelled', leased_until = null
    where user_id = _user_id and state = 'queued' and key in (
      select id from public.goal_steps
      where user_id = _user_id and (_goal_id is null or goal_id = _goal_id)
        and (_item is null or args -> 'items' @> jsonb_build_array(_item))
    )
    returning key
  ), recalled_chats as (
    update public.whatsapp_messages set state = 'cancelled', leased_until = null
    where user_id = _user_id and state = 'queued' and key in (
      select id from public.goal_steps
      where user_id = _user_id and (_goal_id is null or goal_id = _goal_id)
        and (_item is null or args -> 'items' @> jsonb_build_array(_item))
    )
    returning key
  )
  update public.goal_steps set state = 'annullato', leased_until = null
  where user_id = _user_id and (
    state = 'fatto' and id in (select key from recalled union all select key from recalled_chats)
    or state in ('pianificato', 'in_approvazione', 'approvato') and (_goal_id is null or goal_id = _goal_id)
      and (_item is null or args -> 'items' @> jsonb_build_array(_item))
  );
  select private.follow_goal(id) from public.goals where user_id = _user_id and state = 'in_attesa'
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
  perform private.lock_goals(_user_id);
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
  perform private.lock_goals(_user_id);
  select * into _goal from public.goals where user_id = _user_id and id = _id;
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

COMMENT ON FUNCTION "private"."lock_goals"(uuid) IS 'Locks all goals of a person until the transaction ends, before any of their steps.';

REVOKE ALL ON FUNCTION "private"."lock_goals"(uuid) FROM PUBLIC;

reset check_function_bodies;
