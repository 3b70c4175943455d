-- Goals: what an agent does for a person by itself, step by step, within a mandate that the person gave in writing.
--
-- A step never waits inside itself: it is planned, judged, approved where the rules or the mandate ask for it, and carried
-- out, each in a transaction of its own (functions/_shared/goals). Its effect is an outbox row of that transaction, under
-- the id of the step. Switches (of a goal, a person, everybody) are read in the same transaction.
--
-- An approval is bound to what was shown: arguments, preview, recipients, price. It lasts 24 hours.
--
-- Error codes raised:
--   SG001  a goal or a step cannot move from its state to that one; the detail is both
--   SG002  what is approved is not what was shown; show it again
--   SG003  the proposal is not open any more; the detail is its state
--   SG004  there is no mandate in force
--   SG005  a merge is approved alone
--   SG006  the text of a template is not edited
--   SG007  letters of the assistant cost more than was shown; the detail is the price
--   SM019  a reminder by PEC without a certified mailbox
--   PT404  the caller has no such goal, step or mandate (PostgREST answers 404)

create type public.goal_state as enum (
  'bozza', 'pianificato', 'in_approvazione', 'attivo', 'in_attesa', 'in_pausa', 'completato', 'fallito', 'annullato'
);

create type public.goal_wait as enum ('utente', 'budget', 'orario');

create type public.goal_step_state as enum (
  'pianificato', 'in_approvazione', 'approvato', 'fatto', 'saltato', 'bloccato', 'fallito', 'rifiutato', 'scaduto', 'annullato'
);

create type public.goal_autonomy as enum ('proponi', 'assistita', 'supervisionata');

create type public.goal_letter as enum ('attesa', 'scritta', 'modello');

-- Views, so that a new move is one more line here.
create view private.goal_moves with (security_invoker = on) as
select before::public.goal_state as before, unnest(after::public.goal_state[]) as after
from (values
  ('bozza', '{pianificato,annullato}'),
  ('pianificato', '{in_approvazione,annullato}'),
  ('in_approvazione', '{attivo,pianificato,annullato}'),
  ('attivo', '{in_attesa,in_pausa,completato,fallito,annullato}'),
  ('in_attesa', '{attivo,in_pausa,completato,fallito,annullato}'),
  ('in_pausa', '{attivo,annullato}')
) as moves (before, after);
comment on view private.goal_moves is 'Which state of a goal may follow which.';

create view private.goal_step_moves with (security_invoker = on) as
select before::public.goal_step_state as before, unnest(after::public.goal_step_state[]) as after
from (values
  ('pianificato', '{in_approvazione,fatto,saltato,bloccato,fallito,annullato}'),
  ('in_approvazione', '{approvato,saltato,rifiutato,scaduto,annullato}'),
  ('approvato', '{in_approvazione,fatto,saltato,bloccato,fallito,annullato}'),
  -- Its mail was taken back before it left.
  ('fatto', '{annullato}')
) as moves (before, after);
comment on view private.goal_step_moves is 'Which state of a step may follow which.';

create table public.agent_mandates (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  agent text not null,
  action text not null,
  autonomy public.goal_autonomy not null,
  max_cents bigint not null,
  max_recipients_day integer not null,
  last_tone integer not null,
  ibans text[] not null default '{}',
  claims_interest boolean not null default false,
  uses_whatsapp boolean not null default false,
  uses_pec boolean not null default false,
  letter_credits integer,
  letter_budget integer,
  letter_style public.single_line,
  skipped_steps text[] not null default '{}',
  given_at timestamptz not null default now(),
  revoked_at timestamptz,

  unique (user_id, id),
  constraint agent_and_action_are_names check (agent ~ '^[a-z_]{1,50}$' and action ~ '^[a-z_]{1,50}$'),
  constraint max_cents_fits check (max_cents >= 0 and max_cents <= 100000000),
  constraint max_recipients_day_fits check (max_recipients_day between 0 and 100),
  constraint last_tone_is_one check (last_tone between 1 and 3),
  constraint letters_have_a_price_and_a_cap check ((letter_credits is null) = (letter_budget is null)),
  constraint letter_credits_fit check (letter_credits between 0 and 1000),
  constraint letter_budget_fits check (letter_budget between 1 and 10000),
  constraint letter_style_fits check (char_length(letter_style) <= 200),
  constraint skipped_steps_fit check (
    cardinality(skipped_steps) <= 10 and array_position(skipped_steps, null) is null
    and array_to_string(skipped_steps, ' ') ~ '^([a-z0-9_]{1,50}( |$))*$'
  ),
  constraint ibans_fit check (
    cardinality(ibans) <= 10 and array_position(ibans, null) is null
    and array_to_string(ibans, ' ') ~ '^([A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}( |$))*$'
  )
);
comment on table public.agent_mandates is
  'What a person lets an agent do, dated and revocable; written by give_mandate() and revoke_mandate() only.';
comment on column public.agent_mandates.max_cents is 'The highest sum that one message may be about.';
comment on column public.agent_mandates.last_tone is 'The firmest tone that needs no approval: 1 kind, 2 firm, 3 last.';
comment on column public.agent_mandates.ibans is 'The accounts that the person confirmed as their own; any other blocks.';
comment on column public.agent_mandates.claims_interest is
  'Whether the last reminder to a company claims late interest and the lump sum of D.Lgs. 231/2002.';
comment on column public.agent_mandates.uses_whatsapp is
  'Whether reminders may go by WhatsApp: the third, and all to clients without a mail address that works (69_reminder_channels.sql).';
comment on column public.agent_mandates.uses_pec is 'Whether the last reminder goes by certified mail where both have a PEC.';
comment on column public.agent_mandates.letter_credits is
  'The price for which the assistant writes each letter (65_letters.sql); null: letters come from templates.';
comment on column public.agent_mandates.letter_budget is
  'How many credits letters may use from this mandate on, and again with each «Continua».';
comment on column public.agent_mandates.letter_style is 'How the person writes, in their words, for the assistant.';
comment on column public.agent_mandates.skipped_steps is
  'The steps of the plan that the person left out: levels of letters, or tools (functions/_shared/goals/plans.py).';

create table public.goals (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  agent text not null,
  title public.single_line not null,
  state public.goal_state not null default 'bozza',
  wait public.goal_wait,
  budget_credits integer not null default 0,
  spent_credits integer not null default 0,
  next_run_at timestamptz not null default now(),
  stop_reason text,
  completed_at timestamptz,
  created_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint goals_identity unique (user_id, id),
  constraint agent_is_a_name check (agent ~ '^[a-z_]{1,50}$'),
  constraint credits_fit check (budget_credits >= 0 and spent_credits >= 0),
  constraint what_waits_says_for_what check ((state = 'in_attesa') = (wait is not null)),
  constraint what_ended_has_a_time check ((state in ('completato', 'fallito', 'annullato')) = (completed_at is not null)),
  constraint stop_reason_fits check (char_length(stop_reason) <= 500)
);
comment on table public.goals is 'What agents do for a person; kept 90 days after the end. Written by functions only.';
comment on column public.goals.budget_credits is 'The most that its letters may use in all; raised by the mandate and by continue_goal().';
comment on column public.goals.next_run_at is 'When its steps are planned next.';

create table public.goal_steps (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  goal_id uuid not null,
  contact_id uuid,
  tool text not null,
  args jsonb not null,
  preview jsonb not null,
  recipients text[] not null default '{}',
  max_credits integer not null default 0,
  brief jsonb,
  letter public.goal_letter,
  draft text,
  written_at timestamptz,
  state public.goal_step_state not null default 'pianificato',
  rules jsonb not null default '[]',
  approved_hash text,
  approved_at timestamptz,
  expires_at timestamptz,
  not_before timestamptz not null default now(),
  attempts integer not null default 0,
  leased_until timestamptz,
  error text,
  done_at timestamptz,
  created_at timestamptz not null default now(),

  -- Also the replica identity.
  constraint goal_steps_identity unique (user_id, id),
  foreign key (user_id, goal_id) references public.goals (user_id, id) on delete cascade,
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint tool_is_a_name check (tool ~ '^[a-z_]{1,50}$'),
  constraint args_and_preview_are_objects check (jsonb_typeof(args) = 'object' and jsonb_typeof(preview) = 'object'),
  constraint brief_is_an_object check (jsonb_typeof(brief) = 'object'),
  constraint draft_fits check (char_length(draft) <= 6000),
  constraint what_is_written_has_a_time check ((letter is not distinct from 'scritta') = (written_at is not null)),
  constraint rules_are_a_list check (jsonb_typeof(rules) = 'array'),
  constraint recipients_fit check (cardinality(recipients) <= 100 and array_position(recipients, null) is null),
  constraint an_approval_has_its_hash check ((approved_hash is null) = (approved_at is null)),
  constraint what_is_done_has_a_time check (state <> 'fatto' or done_at is not null),
  constraint error_is_a_name check (error ~ '^[A-Za-z0-9_]{1,50}$')
);
comment on table public.goal_steps is 'Steps of goals: what would be done, what was decided, what came of it.';
comment on column public.goal_steps.args is 'What is carried out.';
comment on column public.goal_steps.preview is
  'What the person is shown: {subject, body, lines, cents, tone}; of a reminder also {channel, note}; {by}: who of AI wrote '
  'it, {unwritten}: why the assistant did not.';
comment on column public.goal_steps.max_credits is 'What its letter may cost; once it is written, what it cost.';
comment on column public.goal_steps.brief is
  'What the assistant may write the letter from, {facts, block}: the block goes below its text. Null: nothing to write.';
comment on column public.goal_steps.letter is
  'The letter of the assistant: being written, written, or replaced by the template; null: none was asked for.';
comment on column public.goal_steps.draft is 'What the assistant has written so far, unchecked; for the screen only.';
comment on column public.goal_steps.rules is 'Why it asks or is blocked: [{id, reason, version}].';
comment on column public.goal_steps.expires_at is 'Until when it can be approved, or an approval holds.';
comment on column public.goal_steps.attempts is 'Also tells a worker that lost its lease from the one that has it.';

create table private.autonomy_stops (
  user_id uuid primary key references auth.users (id) on delete cascade,
  stopped_at timestamptz not null default now()
);
comment on table private.autonomy_stops is 'Who switched all agents off; of everybody: private.is_ai_stopped().';

-- At most one mandate in force.
create unique index agent_mandates_in_force on public.agent_mandates (user_id, agent, action) where revoked_at is null;

create index agent_mandates_latest on public.agent_mandates (user_id, given_at desc);

-- An agent has one goal at a time.
create unique index goals_of_agent on public.goals (user_id, agent)
  where state not in ('completato', 'fallito', 'annullato');

create index goals_latest on public.goals (user_id, created_at desc);

-- Used by the sweep.
create index goals_due on public.goals (next_run_at) where state in ('attivo', 'in_attesa');

-- Used by the retention job.
create index goals_ended on public.goals (completed_at) where completed_at is not null;

create index goal_steps_of_goal on public.goal_steps (user_id, goal_id, created_at desc);

create index goal_steps_contact on public.goal_steps (user_id, contact_id);

-- At most one open step for each contact of a goal.
create unique index goal_steps_open on public.goal_steps (goal_id, contact_id)
  where state in ('pianificato', 'in_approvazione', 'approvato');

-- Used by the sweep.
create index goal_steps_due on public.goal_steps (not_before) where state in ('pianificato', 'approvato');

-- Used by the job of a person.
create index goal_steps_due_of_person on public.goal_steps (user_id, not_before) where state in ('pianificato', 'approvato');

create index goal_steps_expiry on public.goal_steps (expires_at) where state = 'in_approvazione';

create function private.check_goal_move()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if new.state <> old.state and not exists (
    select from private.goal_moves where before = old.state and after = new.state
  ) then
    raise exception 'a goal does not move so' using errcode = 'SG001', detail = old.state || ' → ' || new.state;
  end if;
  return new;
end
$$;
comment on function private.check_goal_move() is 'Refuses moves of a goal that are not listed.';
revoke all on function private.check_goal_move from public, anon, authenticated, service_role;

create function private.check_goal_step_move()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if new.state <> old.state and not exists (
    select from private.goal_step_moves where before = old.state and after = new.state
  ) then
    raise exception 'a step does not move so' using errcode = 'SG001', detail = old.state || ' → ' || new.state;
  end if;
  return new;
end
$$;
comment on function private.check_goal_step_move() is 'Refuses moves of a step that are not listed.';
revoke all on function private.check_goal_step_move from public, anon, authenticated, service_role;

create function private.goal_step_bytes(_step public.goal_steps)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  -- jsonb has one order of keys, so the same content has the same bytes.
  select jsonb_build_array((_step).args, (_step).preview, to_jsonb((_step).recipients), (_step).max_credits)
$$;
comment on function private.goal_step_bytes(public.goal_steps) is 'What an approval is about.';
revoke all on function private.goal_step_bytes from public, anon, authenticated, service_role;

-- PostgREST shows it as a column of the step.
create function public.hash(_step public.goal_steps)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select encode(sha256(convert_to(
    jsonb_build_array((_step).args, (_step).preview, to_jsonb((_step).recipients), (_step).max_credits)::text, 'UTF8'
  )), 'hex')
$$;
comment on function public.hash(public.goal_steps) is 'What an approval of the step is bound to.';
revoke all on function public.hash(public.goal_steps) from public, anon, authenticated, service_role;
grant execute on function public.hash(public.goal_steps) to authenticated;

create function private.are_goals_stopped(_user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (select from private.autonomy_stops where user_id = _user_id)
    or private.is_ai_stopped()
    or private.is_frozen(_user_id)
$$;
comment on function private.are_goals_stopped(uuid) is 'Whether the switch of a person, or of everybody, or a coming deletion stops all agents.';
revoke all on function private.are_goals_stopped from public, anon, authenticated, service_role;

create function private.waits_for_agents(_user_id uuid, _key uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select private.is_ai_stopped() and exists (select from public.goal_steps where user_id = _user_id and id = _key)
$$;
comment on function private.waits_for_agents(uuid, uuid) is
  'Whether the mail or message with this key is of a goal and waits while an admin has stopped all agents.';
revoke all on function private.waits_for_agents from public, anon, authenticated, service_role;

-- Taken first by every function that decides, runs, recalls or moves steps: a payment may change two goals, and a merge of
-- contacts other goals than its own, so that locks taken one by one in different orders would end in deadlocks.
create function private.lock_goals(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  select from public.goals where user_id = _user_id order by id for no key update
$$;
comment on function private.lock_goals(uuid) is 'Locks all goals of a person until the transaction ends, before any of their steps.';
revoke all on function private.lock_goals from public, anon, authenticated, service_role;

create function private.follow_goal(_goal_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.goals
  set state = case when found.wait is null then 'attivo' else 'in_attesa' end::public.goal_state, wait = found.wait
  from (
    select case
      when bool_or(state = 'in_approvazione') then 'utente'
      when bool_or(state = 'pianificato' and rules @> '[{"id": "E-06"}]') then 'budget'
      when bool_or(state in ('pianificato', 'approvato') and rules @> '[{"id": "E-10"}]') then 'orario'
    end::public.goal_wait as wait
    from public.goal_steps where goal_id = _goal_id and state in ('pianificato', 'in_approvazione', 'approvato')
  ) as found
  where id = _goal_id and state in ('attivo', 'in_attesa') and goals.wait is distinct from found.wait
$$;
comment on function private.follow_goal(uuid) is 'A goal says for what its steps wait.';
revoke all on function private.follow_goal from public, anon, authenticated, service_role;

create function private.recall_goal_mails(_user_id uuid, _goal_id uuid default null, _item jsonb default null)
  returns void
  language sql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.recall_goal_mails is
  'Takes back what a person''s goals, or one of them, or those about an item {invoice_id} or {deal_id}, have not sent yet.';
revoke all on function private.recall_goal_mails from public, anon, authenticated, service_role;

create function private.recall_about()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.recall_goal_mails(
    new.user_id, null, jsonb_build_object(tg_argv[0], to_jsonb(new) -> tg_argv[1])
  );
  -- What is still open is asked for again without it.
  update public.goals set next_run_at = now() where user_id = new.user_id and state in ('attivo', 'in_attesa');
  return null;
end
$$;
comment on function private.recall_about() is
  'Takes back letters about a row that was paid or answered: the name of the id in the items, and its column in the row.';
revoke all on function private.recall_about from public, anon, authenticated, service_role;

-- Security definer, like the next functions, because only functions of this chapter write goals and mandates.
create function public.give_mandate(
  _agent text, _action text, _autonomy public.goal_autonomy, _max_cents bigint, _max_recipients_day integer,
  _last_tone integer, _ibans text[], _claims_interest boolean default false, _uses_whatsapp boolean default false,
  _uses_pec boolean default false, _letter_credits integer default null, _letter_budget integer default null,
  _letter_style public.single_line default null, _skipped_steps text[] default '{}'
)
  returns public.agent_mandates
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _mandate public.agent_mandates;
begin
  if _letter_credits < private.quote_of('letter') then
    raise exception 'letters cost more than was shown'
      using errcode = 'SG007', detail = private.quote_of('letter');
  end if;
  update public.agent_mandates set revoked_at = now()
  where user_id = _user_id and agent = _agent and action = _action and revoked_at is null;
  insert into public.agent_mandates (
    user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans, claims_interest, uses_whatsapp,
    uses_pec, letter_credits, letter_budget, letter_style, skipped_steps
  )
  values (
    _user_id, _agent, _action, _autonomy, _max_cents, _max_recipients_day, _last_tone, _ibans, _claims_interest,
    _uses_whatsapp, _uses_pec, _letter_credits, _letter_budget, _letter_style, _skipped_steps
  )
  returning * into _mandate;
  perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'dato');
  return _mandate;
end
$$;
comment on function public.give_mandate is 'Gives an agent a mandate of the caller, in the place of the one before; SG007.';
revoke all on function public.give_mandate from public, anon, authenticated, service_role;
grant execute on function public.give_mandate to authenticated;

create function public.revoke_mandate(_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _mandate public.agent_mandates;
begin
  select * into _mandate from public.agent_mandates where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such mandate' using errcode = 'PT404';
  elsif _mandate.revoked_at is null then
    update public.agent_mandates set revoked_at = now() where id = _id;
    perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'revocato');
    perform private.recall_goal_mails(_user_id, id) from public.goals
    where user_id = _user_id and agent = _mandate.agent and state not in ('completato', 'fallito', 'annullato');
  end if;
end
$$;
comment on function public.revoke_mandate(uuid) is 'Ends a mandate of the caller at once, and takes back what has not left; PT404.';
revoke all on function public.revoke_mandate from public, anon, authenticated, service_role;
grant execute on function public.revoke_mandate to authenticated;

create function private.wake_for_budget(_goal_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.goal_steps set not_before = now()
  where goal_id = _goal_id and state = 'pianificato' and rules @> '[{"id": "E-06"}]' and not_before > now()
$$;
comment on function private.wake_for_budget(uuid) is 'Has the steps of a goal that wait for credits be judged again now.';
revoke all on function private.wake_for_budget from public, anon, authenticated, service_role;

create function private.open_goal(_user_id uuid, _agent text, _title text)
  returns public.goals
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _goal public.goals;
begin
  insert into public.goals (user_id, agent, title) values (_user_id, _agent, _title)
  on conflict (user_id, agent) where state not in ('completato', 'fallito', 'annullato') do nothing;
  select * into _goal from public.goals
  where user_id = _user_id and agent = _agent and state not in ('completato', 'fallito', 'annullato') for update;
  return _goal;
end
$$;
comment on function private.open_goal(uuid, text, text) is
  'Locks and answers the goal of an agent that has not ended, or creates one.';
revoke all on function private.open_goal from public, anon, authenticated, service_role;

create function public.plan_goal(_agent text, _title text)
  returns public.goals
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.plan_goal(text, text) is
  'Creates the goal of an agent, which does nothing until start_goal(); answers the open one where the agent has one.';
revoke all on function public.plan_goal from public, anon, authenticated, service_role;
grant execute on function public.plan_goal to authenticated;

create function public.start_goal(_agent text, _title text)
  returns public.goals
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.start_goal(text, text) is 'Starts the goal of an agent under the mandate in force, or goes on with it; SG004.';
revoke all on function public.start_goal from public, anon, authenticated, service_role;
grant execute on function public.start_goal to authenticated;

create function public.move_goal(_id uuid, _state public.goal_state)
  returns public.goals
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.move_goal(uuid, public.goal_state) is
  'Pauses, resumes, completes or cancels a goal of the caller; what has not left is taken back. PT404, SG001.';
revoke all on function public.move_goal from public, anon, authenticated, service_role;
grant execute on function public.move_goal to authenticated;

create function public.stop_agents(_is_stopped boolean)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.stop_agents(boolean) is 'Stops all agents of the caller at once, or lets them go on.';
revoke all on function public.stop_agents from public, anon, authenticated, service_role;
grant execute on function public.stop_agents to authenticated;

create function public.agents_stopped()
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_build_object(
    'mine', exists (select from private.autonomy_stops where user_id = (select auth.uid())),
    'all', private.is_ai_stopped()
  )
$$;
comment on function public.agents_stopped() is 'Whether the caller, or we, have stopped all agents.';
revoke all on function public.agents_stopped from public, anon, authenticated, service_role;
grant execute on function public.agents_stopped to authenticated;

create function public.decide_goal_steps(_ids uuid[], _hashes text[], _is_approved boolean)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.decide_goal_steps is
  'Approves or refuses proposals of the caller, each as it was shown (its hash), all or none; answers how many. PT404, SG002, SG003, SG005.';
revoke all on function public.decide_goal_steps from public, anon, authenticated, service_role;
grant execute on function public.decide_goal_steps to authenticated;

create function public.edit_goal_step(_id uuid, _subject public.single_line, _body text)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _step public.goal_steps;
begin
  select * into _step from public.goal_steps where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such step' using errcode = 'PT404';
  elsif _step.state <> 'in_approvazione' or _step.expires_at <= now() then
    raise exception 'the proposal is not open' using errcode = 'SG003', detail = _step.state::text;
  elsif _step.args ->> 'channel' = 'whatsapp' then
    raise exception 'the text of a template is not edited' using errcode = 'SG006';
  elsif _subject is null or coalesce(_body, '') !~ '[^[:space:]]' or char_length(_body) > 20000 then
    raise exception 'a message has a subject and a text' using errcode = '22023';
  end if;
  update public.goal_steps set preview = preview || jsonb_build_object('subject', _subject, 'body', _body)
  where id = _id returning * into _step;
  perform private.log_ethics(
    _user_id, 'decisione', private.goal_step_bytes(_step), _step.goal_id, _step.id, _human_decision => 'modificato'
  );
  return public.hash(_step);
end
$$;
comment on function public.edit_goal_step is
  'Writes the message of an open proposal of the caller anew; answers what its approval is bound to from now on. PT404, SG003, SG006.';
revoke all on function public.edit_goal_step from public, anon, authenticated, service_role;
grant execute on function public.edit_goal_step to authenticated;

create function private.goals_due(_until timestamptz)
  returns table (user_id uuid, due_at timestamptz)
  language sql stable security definer
  set search_path = ''
as $$
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
$$;
comment on function private.goals_due(timestamptz) is
  'Whose goals are to be planned or have steps to be run until a moment, and from when.';
revoke all on function private.goals_due from public, anon, authenticated, service_role;
grant execute on function private.goals_due to service_role;

create function private.run_goals(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  select jobs.enqueue('goals', jsonb_build_object('user_id', _user_id), _user_id)
$$;
comment on function private.run_goals(uuid) is 'Has a worker run what of a person''s goals is due, as soon as this is committed.';
revoke all on function private.run_goals from public, anon, authenticated, service_role;

create function private.planning_time()
  returns time
  language sql immutable
  set search_path = ''
as $$
  -- Before anybody may be written to.
  select '07:00'::time
$$;
comment on function private.planning_time() is 'When in the morning the steps of all goals are planned.';
revoke all on function private.planning_time from public, anon, authenticated, service_role;

create function private.claim_goal(_user_id uuid, _now timestamptz)
  returns setof public.goals
  language sql volatile security definer
  set search_path = ''
as $$
  update public.goals set next_run_at = (
    -- The next morning.
    ((_now at time zone 'Europe/Rome')::date + 1 + private.planning_time()) at time zone 'Europe/Rome'
  )
  where id = (
    select id from public.goals
    where user_id = _user_id and state in ('attivo', 'in_attesa') and next_run_at <= _now
      and not private.are_goals_stopped(_user_id)
    order by next_run_at limit 1 for no key update skip locked
  )
  returning *
$$;
comment on function private.claim_goal(uuid, timestamptz) is 'Takes a goal of a person whose steps are to be planned; the caller plans them in the same transaction.';
revoke all on function private.claim_goal from public, anon, authenticated, service_role;
grant execute on function private.claim_goal to service_role;

create function private.plan_goal_step(
  _goal_id uuid, _contact_id uuid, _tool text, _args jsonb, _preview jsonb, _recipients text[], _now timestamptz,
  _brief jsonb default null
)
  returns uuid
  language sql volatile security definer
  set search_path = ''
as $$
  insert into public.goal_steps (
    user_id, goal_id, contact_id, tool, args, preview, recipients, not_before, created_at, brief
  )
  select user_id, id, _contact_id, _tool, _args, _preview, _recipients, _now, _now, case when exists (
    select from public.agent_mandates as mandates
    where mandates.user_id = goals.user_id and mandates.agent = goals.agent and action = 'mail' and revoked_at is null
      and letter_credits is not null
  ) then _brief end
  from public.goals where id = _goal_id
  on conflict (goal_id, contact_id) where state in ('pianificato', 'in_approvazione', 'approvato') do nothing
  returning id
$$;
comment on function private.plan_goal_step is
  'Adds a step to a goal, its brief only where the assistant writes the letters; null where the contact has an open one.';
revoke all on function private.plan_goal_step from public, anon, authenticated, service_role;
grant execute on function private.plan_goal_step to service_role;

create function private.claim_goal_step(_user_id uuid, _now timestamptz)
  returns setof public.goal_steps
  language sql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.claim_goal_step(uuid, timestamptz) is 'Leases a step of a person that is due; no row when none is.';
revoke all on function private.claim_goal_step from public, anon, authenticated, service_role;
grant execute on function private.claim_goal_step to service_role;

create function private.open_goal_step(_id uuid, _attempt integer, _now timestamptz)
  returns table (
    step jsonb, agent text, mandate jsonb, is_approved boolean, is_stopped boolean,
    lawful integer, recent integer, proposed_today integer, sent_today integer, mail_time timestamptz,
    letter_credits integer, budget_left integer, balance bigint
  )
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.open_goal_step is
  'Locks a claimed step and returns the facts that the rules judge; no row when the lease was lost or it was decided '
  'otherwise. letter_credits: the price of a letter that the assistant has not written yet.';
revoke all on function private.open_goal_step from public, anon, authenticated, service_role;
grant execute on function private.open_goal_step to service_role;

create function private.settle_goal_step(
  _id uuid, _state public.goal_step_state, _now timestamptz, _rules jsonb default '[]', _error text default null,
  _not_before timestamptz default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _step public.goal_steps;
begin
  update public.goal_steps
  set state = _state, rules = _rules, error = _error, leased_until = null,
    -- Its worker died, and the letter is not wanted any more.
    letter = nullif(letter, 'attesa'), draft = null,
    not_before = coalesce(_not_before, not_before),
    done_at = case when _state = 'fatto' then _now end,
    expires_at = case when _state = 'in_approvazione' then _now + interval '24 hours' else expires_at end,
    approved_hash = case when _state = 'in_approvazione' then null else approved_hash end,
    approved_at = case when _state = 'in_approvazione' then null else approved_at end
  where id = _id returning * into _step;
  if _state in ('in_approvazione', 'bloccato') then
    perform private.notify(
      _step.user_id, 'approvazione',
      case _state when 'bloccato' then 'Bloccato: ' else 'Da approvare: ' end || (_step.preview ->> 'title'),
      case _state when 'bloccato' then coalesce(_rules -> 0 ->> 'reason', 'Una regola lo vieta') || '.'
        else 'Aspetta la tua decisione per 24 ore.' end,
      '/projects?vista=obiettivi&obiettivo=' || _step.goal_id, concat_ws(':', 'passo', _id, _state, _now::date)
    );
  end if;
  if _state = 'pianificato' and _rules @> '[{"id": "E-06"}]' then
    perform private.notify(
      _step.user_id, 'approvazione', goals.title || ' aspetta altri crediti',
      'Ha usato ' || spent_credits || ' di ' || budget_credits || ' crediti: decidi se continua.',
      '/projects?vista=obiettivi', concat_ws(':', 'crediti', goals.id, budget_credits)
    )
    from public.goals where user_id = _step.user_id and id = _step.goal_id;
  end if;
  perform private.follow_goal(_step.goal_id);
end
$$;
comment on function private.settle_goal_step is 'Records what became of a step; a proposal and a refusal by the rules are told.';
revoke all on function private.settle_goal_step from public, anon, authenticated, service_role;
grant execute on function private.settle_goal_step to service_role;

create function private.expire_goal_steps(_now timestamptz)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.expire_goal_steps(timestamptz) is 'Proposals that nobody decided in 24 hours expire; answers how many.';
revoke all on function private.expire_goal_steps from public, anon, authenticated, service_role;
grant execute on function private.expire_goal_steps to service_role;

create function private.speak_for(_user_id uuid)
  returns text
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _before constant text := coalesce(current_setting('request.jwt.claims', true), '');
begin
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _user_id, 'role', 'authenticated')::text, true);
  return _before;
end
$$;
comment on function private.speak_for(uuid) is
  'What functions of the API do from here on, they do for this person; answers the claims before, to put back.';
revoke all on function private.speak_for from public, anon, authenticated, service_role;

create function private.queue_goal_mail(_step public.goal_steps, _is_automatic boolean)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if private.lacks_certified_mailbox(_step.user_id, _step.id) then
    raise exception 'the mailbox is not certified' using errcode = 'SM019';
  end if;
  perform public.queue_mail(
    _step.id, _step.contact_id, _step.recipients[1], _step.preview ->> 'subject', _step.preview ->> 'body',
    _invoice_id => (_step.args -> 'items' -> 0 ->> 'invoice_id')::uuid, _document_ids => array(
      select distinct (item ->> 'document_id')::uuid from jsonb_array_elements(_step.args -> 'items') as item
      where item ->> 'document_id' is not null
    ), _is_automatic => _is_automatic
  );
  update public.outgoing_mails set more_invoice_ids = array(
    select distinct (item ->> 'invoice_id')::uuid from jsonb_array_elements(_step.args -> 'items') as item
    where item ->> 'invoice_id' <> _step.args -> 'items' -> 0 ->> 'invoice_id'
  )
  where user_id = _step.user_id and key = _step.id;
end
$$;
comment on function private.queue_goal_mail(public.goal_steps, boolean) is
  'Queues the mail of a step under its id, with all its invoices and documents; refuses as queue_mail() does.';
revoke all on function private.queue_goal_mail from public, anon, authenticated, service_role;

create function private.carry_out_goal_step(_step_id uuid, _is_automatic boolean)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _step public.goal_steps;
  _claims text;
begin
  select * into _step from public.goal_steps where id = _step_id;
  _claims := private.speak_for(_step.user_id);
  case _step.tool
    when 'mail' then
      if _step.args ->> 'channel' = 'whatsapp' then
        perform private.queue_goal_whatsapp(_step);
      else
        perform private.queue_goal_mail(_step, _is_automatic);
      end if;
    when 'merge' then
      -- Undone on the page of duplicates, for thirty days.
      perform public.merge_contacts((_step.args ->> 'winner_id')::uuid, (_step.args ->> 'loser_id')::uuid);
    when 'task' then
      insert into public.tasks (id, user_id, contact_id, title, notes, origin)
      values (_step.id, _step.user_id, _step.contact_id, _step.preview ->> 'subject', _step.preview ->> 'body', 'agente');
  end case;
  perform set_config('request.jwt.claims', _claims, true);
end
$$;
comment on function private.carry_out_goal_step(uuid, boolean) is
  'Does what a step says, for its person: a letter into the outbox of its channel, a merge of contacts, or a task; each under the rules of its own function.';
revoke all on function private.carry_out_goal_step from public, anon, authenticated, service_role;
grant execute on function private.carry_out_goal_step to service_role;

create function private.forget_goals(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from public.goals where id in (
      select id from public.goals where completed_at < now() - interval '90 days' limit _limit
    )
    returning id
  )
  select count(*) from gone
$$;
comment on function private.forget_goals(integer) is 'Deletes goals with their steps 90 days after their end; answers how many.';
revoke all on function private.forget_goals from public, anon, authenticated, service_role;
grant execute on function private.forget_goals to service_role;

alter table public.agent_mandates enable row level security;
alter table public.goals enable row level security;
alter table public.goal_steps enable row level security;
alter table private.autonomy_stops enable row level security;

create policy "owners read their mandates" on public.agent_mandates
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners read their goals" on public.goals
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners read their steps" on public.goal_steps
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on private.goal_moves from public, anon, authenticated, service_role;

revoke all on private.goal_step_moves from public, anon, authenticated, service_role;

revoke all on private.autonomy_stops from public, anon, authenticated, service_role;

revoke all on public.agent_mandates from public, anon, authenticated, service_role;
grant select on public.agent_mandates to authenticated, service_role;

revoke all on public.goals from public, anon, authenticated, service_role;
grant select on public.goals to authenticated, service_role;

revoke all on public.goal_steps from public, anon, authenticated, service_role;
grant select on public.goal_steps to authenticated, service_role;

create trigger check_move before update of state on public.goals
  for each row execute function private.check_goal_move();

create trigger check_move before update of state on public.goal_steps
  for each row execute function private.check_goal_step_move();

create trigger recall_about_paid after update of paid_on on public.invoices
  for each row when (new.paid_on is not null and old.paid_on is null)
  execute function private.recall_about('invoice_id', 'id');

create trigger recall_about_paid after update of paid_on on public.invoice_schedules
  for each row when (new.paid_on is not null and old.paid_on is null)
  execute function private.recall_about('invoice_id', 'invoice_id');

alter table public.goals replica identity using index goals_identity;

alter table public.goal_steps replica identity using index goal_steps_identity;
