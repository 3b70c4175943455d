-- Letters of agents in the assistant's words, where the mandate agreed to their price.
--
-- A step that is due first holds its credits; then the provider writes, outside of any transaction (functions/jobs/goals.py,
-- functions/_shared/goals/writing.py); the credits are taken in the transaction that keeps the letter as a proposal. A failure
-- gives them back, and the letter of the template is proposed. A worker that dies in between costs nothing: the next one has the
-- step when its lease ends, gives back what was held, and holds again.

create function private.letter_key(_step_id uuid, _attempt integer)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select 'letter:' || _step_id || ':' || _attempt
$$;
comment on function private.letter_key is 'The key of the credits that an attempt at a letter holds.';
revoke all on function private.letter_key from public, anon, authenticated, service_role;

create function private.begin_letter(_step_id uuid, _attempt integer, _host text, _provider text, _model text)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _price constant bigint := private.quote_of('letter');
  _step public.goal_steps;
begin
  select * into _step from public.goal_steps
  where id = _step_id and attempts = _attempt and state = 'pianificato' for update;
  if not found then
    return 'fermo';
  end if;
  -- Of a worker that died.
  perform private.release_hold(id) from public.credit_holds
  where user_id = _step.user_id and ref_type = 'letter' and ref_id = _step_id::text and state = 'open';
  if private.are_goals_stopped(_step.user_id) then
    return 'fermo';
  elsif private.is_local_only(_step.user_id) then
    return 'locale';
  elsif not exists (select from private.ai_consents where user_id = _step.user_id and host = _host) then
    return 'consenso';
  elsif not exists (
    select from public.agent_mandates as mandates
    join public.goals on goals.user_id = mandates.user_id and goals.agent = mandates.agent
    where goals.user_id = _step.user_id and goals.id = _step.goal_id and action = 'mail' and revoked_at is null
      and letter_credits >= _price
  ) then
    return 'prezzo';
  end if;
  begin
    if _price > 0 then
      perform private.hold_credits(
        _step.user_id, _price, private.letter_key(_step_id, _attempt), 'letter', _step_id::text
      );
    end if;
  exception
    when sqlstate 'SC002' or sqlstate 'SC003' then return 'crediti';
    when sqlstate 'SC005' or sqlstate 'SC009' then return 'tetto';
  end;
  -- A row before the facts leave, so that an attempt that fails is counted too.
  insert into public.ai_usage as usage (user_id, message_id, work, mode, host, provider, model, entities)
  values (
    _step.user_id, _step_id, 'letter', 'ia', _host, _provider, _model,
    jsonb_build_array(jsonb_build_object('kind', 'contact', 'id', _step.contact_id)) || coalesce((
      select jsonb_agg(distinct case
        when item ? 'deal_id' then jsonb_build_object('kind', 'deal', 'id', item -> 'deal_id')
        else jsonb_build_object('kind', 'invoice', 'id', item -> 'invoice_id')
      end)
      from jsonb_array_elements(_step.args -> 'items') as item
    ), '[]')
  )
  on conflict (message_id) do update set host = _host, provider = _provider, model = _model;
  update public.goal_steps set letter = 'attesa', draft = null, max_credits = _price where id = _step_id;
  return null;
end
$$;
comment on function private.begin_letter is
  'Holds the price of a letter right before its facts go to the provider, and answers null; or why none is written: fermo, '
  'locale, consenso, prezzo, crediti, tetto.';
revoke all on function private.begin_letter from public, anon, authenticated, service_role;
grant execute on function private.begin_letter to service_role;

create function private.show_letter(_step_id uuid, _attempt integer, _draft text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.goal_steps set draft = left(_draft, 6000)
  where id = _step_id and attempts = _attempt and state = 'pianificato' and letter = 'attesa'
$$;
comment on function private.show_letter is 'Shows what of a letter is written so far on the screens of its person.';
revoke all on function private.show_letter from public, anon, authenticated, service_role;
grant execute on function private.show_letter to service_role;

create function private.count_letter(_step_id uuid, _credits bigint, _tokens_in integer, _tokens_out integer)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.ai_usage
  set credits = coalesce(credits, 0) + _credits,
    tokens_in = coalesce(tokens_in + _tokens_in, _tokens_in, tokens_in),
    tokens_out = coalesce(tokens_out + _tokens_out, _tokens_out, tokens_out)
  where message_id = _step_id and work = 'letter'
$$;
comment on function private.count_letter is 'Adds what an attempt at a letter used.';
revoke all on function private.count_letter from public, anon, authenticated, service_role;

create function private.keep_letter(
  _user_id uuid, _step_id uuid, _attempt integer, _letter jsonb, _tokens_in integer, _tokens_out integer
)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.keep_letter is
  'Puts the letter of the assistant {subject, body, by} into its step and takes the price, once; notifies at 80 % of the cap.';
revoke all on function private.keep_letter from public, anon, authenticated, service_role;
grant execute on function private.keep_letter to service_role;

create function private.expired_letter(_step_id uuid)
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select before.preview from public.goal_steps as step
  join public.goal_steps as before on before.user_id = step.user_id and before.goal_id = step.goal_id
    and before.contact_id = step.contact_id and before.id <> step.id
  where step.id = _step_id and before.state = 'scaduto' and before.letter = 'scritta' and before.brief = step.brief
  order by before.created_at desc limit 1
$$;
comment on function private.expired_letter(uuid) is
  'What was proposed for a step before, and expired undecided: a letter that was paid for and is about the same.';
revoke all on function private.expired_letter from public, anon, authenticated, service_role;
grant execute on function private.expired_letter to service_role;

create function private.reuse_letter(_step_id uuid, _attempt integer, _letter jsonb)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.goal_steps
  set letter = 'scritta', written_at = now(), draft = null, max_credits = 0, preview = preview || _letter
  where id = _step_id and attempts = _attempt and state = 'pianificato' and letter is distinct from 'scritta'
$$;
comment on function private.reuse_letter is 'Puts a letter {subject, body, by} that was paid for into a step, without a price.';
revoke all on function private.reuse_letter from public, anon, authenticated, service_role;
grant execute on function private.reuse_letter to service_role;

create function private.drop_letter(
  _user_id uuid, _step_id uuid, _attempt integer, _why text, _tokens_in integer default null, _tokens_out integer default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- A template in its place asks too, whatever the autonomy.
  update public.goal_steps
  set letter = 'modello', draft = null, max_credits = 0, args = args || '{"asks": true}',
    preview = preview || jsonb_build_object('unwritten', _why)
  where user_id = _user_id and id = _step_id and attempts = _attempt and state = 'pianificato'
    and letter is distinct from 'scritta';
  perform private.close_hold_of_key(_user_id, private.letter_key(_step_id, _attempt), 0);
  perform private.count_letter(_step_id, 0, _tokens_in, _tokens_out);
end
$$;
comment on function private.drop_letter is
  'Leaves a step with the letter of its template, says why, and gives the credits back.';
revoke all on function private.drop_letter from public, anon, authenticated, service_role;
grant execute on function private.drop_letter to service_role;

-- Security definer because only functions write goals.
create function public.continue_goal(_id uuid, _budget integer)
  returns public.goals
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
  _more integer;
begin
  select * into _goal from public.goals where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such goal' using errcode = 'PT404';
  end if;
  select letter_budget into _more from public.agent_mandates
  where user_id = _user_id and agent = _goal.agent and action = 'mail' and revoked_at is null;
  if _more is null then
    raise exception 'no mandate lets the assistant write' using errcode = 'SG004';
  elsif _goal.budget_credits = _budget and _goal.completed_at is null then
    update public.goals set budget_credits = budget_credits + _more where id = _id returning * into _goal;
    perform private.wake_for_budget(_id);
    perform private.log_ethics(
      _user_id, 'obiettivo', jsonb_build_array(_id, _goal.budget_credits), _id, _human_decision => 'altri_crediti'
    );
    perform private.run_goals(_user_id);
  end if;
  return _goal;
end
$$;
comment on function public.continue_goal(uuid, integer) is
  'Gives a goal of the caller as many credits more as its mandate says, while its cap is the one shown: a second tap changes '
  'nothing. PT404, SG004.';
revoke all on function public.continue_goal from public, anon, authenticated, service_role;
grant execute on function public.continue_goal to authenticated;
