-- Tool calls: what the assistant proposes to do, and the result. Nothing is written without a row here, and a row is
-- executed once: take_tool_call locks it until the writing transaction ends.
--
-- Error codes raised:
--   ST001  the proposal has expired
--   ST002  it was decided already; the message is its state
--   ST003  it cannot be undone, or not any more
--   PT404  the user has no such proposal or message (404)

create type public.tool_call_state as enum (
  'proposed', 'approved', 'edited', 'rejected', 'executed', 'failed', 'expired', 'undone'
);

create type public.tool_call_risk as enum ('basso', 'medio', 'alto');

create table public.tool_calls (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  conversation_id uuid not null,
  message_id uuid not null,
  seq integer not null,
  tool text not null,
  args jsonb not null,
  preview jsonb not null,
  risk public.tool_call_risk not null,
  rules jsonb not null default '[]',
  from_data boolean not null default false,
  state public.tool_call_state not null default 'proposed',
  needs_count integer,
  undo_until timestamptz,
  expires_at timestamptz not null default now() + interval '7 days',
  decided_at timestamptz,
  result jsonb,
  undo jsonb,
  error_code text,
  created_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint tool_calls_identity unique (user_id, id),
  constraint tool_calls_of_message unique (user_id, conversation_id, message_id, seq),
  foreign key (user_id, conversation_id, message_id) references public.messages (user_id, conversation_id, id)
    on delete cascade,
  constraint seq_counts_from_one check (seq >= 1),
  constraint tool_is_a_name check (tool ~ '^[a-z_]{1,50}$'),
  constraint args_and_preview_are_objects check (jsonb_typeof(args) = 'object' and jsonb_typeof(preview) = 'object'),
  constraint rules_are_a_list check (jsonb_typeof(rules) = 'array'),
  constraint needs_count_counts check (needs_count >= 1),
  constraint what_is_decided_has_a_time check ((state in ('proposed', 'expired')) = (decided_at is null)),
  constraint error_code_is_a_name check (error_code ~ '^[a-z_]{1,50}$')
);
comment on table public.tool_calls is 'Writes that the assistant proposed, and what became of each.';
comment on column public.tool_calls.args is 'What would be, and in the end what was, carried out.';
comment on column public.tool_calls.preview is 'What the person is shown: {title, lines: [{label, value}], body, before}.';
comment on column public.tool_calls.rules is 'Why it asks: [{id, reason}].';
comment on column public.tool_calls.from_data is 'The turn had read what strangers may have written.';
comment on column public.tool_calls.needs_count is 'How many it concerns: the person types the number.';
comment on column public.tool_calls.undo is 'What is needed to take it back; null: it cannot be.';
comment on column public.tool_calls.undo_until is 'Null: for as long as it is there.';

-- Used by the sweep of expired proposals.
create index tool_calls_open on public.tool_calls (expires_at) where state = 'proposed';

create function private.propose_tool_call(
  _user_id uuid,
  _message_id uuid,
  _tool text,
  _args jsonb,
  _preview jsonb,
  _risk text,
  _rules jsonb default '[]',
  _from_data boolean default false,
  _needs_count integer default null
)
  returns public.tool_calls
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _call public.tool_calls;
begin
  -- Locked, so that two proposals of one answer have two numbers.
  perform from public.messages where user_id = _user_id and id = _message_id and role = 'assistant' for no key update;
  insert into public.tool_calls
    (user_id, conversation_id, message_id, seq, tool, args, preview, risk, rules, from_data, needs_count)
  select user_id, conversation_id, id, (
      select count(*) + 1 from public.tool_calls as others
      where others.user_id = _user_id and others.conversation_id = messages.conversation_id and message_id = _message_id
    ), _tool, _args, _preview, _risk::public.tool_call_risk, _rules, _from_data, _needs_count
  from public.messages where user_id = _user_id and id = _message_id and role = 'assistant'
  returning * into _call;
  if not found then
    raise exception 'no such answer' using errcode = 'PT404';
  end if;
  return _call;
end
$$;
comment on function private.propose_tool_call is 'Lays a write before its person, as the next card of an answer; PT404.';
revoke all on function private.propose_tool_call from public, anon, authenticated, service_role;
grant execute on function private.propose_tool_call to service_role;

-- Security definer, like the next function, because only functions of this chapter write the state of a proposal.
create function public.take_tool_call(_id uuid, _decision text, _args jsonb default null)
  returns public.tool_calls
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _call public.tool_calls;
begin
  select * into _call from public.tool_calls where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such proposal' using errcode = 'PT404';
  elsif _decision not in ('approve', 'refuse', 'undo') or _decision is null then
    raise exception 'a decision is approve, refuse or undo' using errcode = '22023';
  elsif _decision = 'undo' and _call.state = 'executed' then
    if _call.undo is null or _call.undo_until <= now() then
      raise exception 'this cannot be undone any more' using errcode = 'ST003';
    end if;
  elsif _call.state = 'expired' or _call.state = 'proposed' and _call.expires_at <= now() then
    raise exception 'the proposal has expired' using errcode = 'ST001';
  elsif _decision = 'undo' and _call.state <> 'undone' then
    raise exception 'this cannot be undone' using errcode = 'ST003';
  elsif _call.state <> 'proposed' then
    raise exception '%', _call.state using errcode = 'ST002';
  elsif _decision = 'refuse' then
    update public.tool_calls set state = 'rejected', decided_at = now() where id = _id returning * into _call;
  elsif _args is not null then
    update public.tool_calls set args = _args where id = _id returning * into _call;
  end if;
  return _call;
end
$$;
comment on function public.take_tool_call(uuid, text, jsonb) is
  'Takes a proposal of the caller to carry it out or back: its row stays locked until the transaction ends, in which '
  'settle_tool_call says what came of it. A refusal is final at once. PT404, ST001, ST002, ST003.';
revoke all on function public.take_tool_call from public, anon, authenticated, service_role;
grant execute on function public.take_tool_call to authenticated;

create function public.settle_tool_call(
  _id uuid,
  _state text,
  _args jsonb default null,
  _result jsonb default null,
  _undo jsonb default null,
  _undo_until timestamptz default null,
  _error_code text default null
)
  returns public.tool_calls
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _call public.tool_calls;
begin
  select * into _call from public.tool_calls where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such proposal' using errcode = 'PT404';
  elsif (_call.state::text, _state) not in (('proposed', 'executed'), ('proposed', 'failed'), ('executed', 'undone')) then
    raise exception '%', _call.state using errcode = 'ST002';
  end if;
  update public.tool_calls set
    state = _state::public.tool_call_state, decided_at = coalesce(decided_at, now()),
    args = coalesce(_args, args), result = coalesce(_result, result), error_code = _error_code,
    undo = case _state when 'executed' then _undo end, undo_until = case _state when 'executed' then _undo_until end
  where id = _id
  returning * into _call;
  return _call;
end
$$;
comment on function public.settle_tool_call(uuid, text, jsonb, jsonb, jsonb, timestamptz, text) is
  'Says what came of a proposal of the caller that was taken: executed, failed or undone; PT404, ST002.';
revoke all on function public.settle_tool_call from public, anon, authenticated, service_role;
grant execute on function public.settle_tool_call to authenticated;

create function private.expire_tool_calls()
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with old as (
    update public.tool_calls set state = 'expired' where state = 'proposed' and expires_at <= now() returning id
  )
  select count(*) from old
$$;
comment on function private.expire_tool_calls() is 'Closes proposals that nobody decided in time; answers how many.';
revoke all on function private.expire_tool_calls from public, anon, authenticated, service_role;
grant execute on function private.expire_tool_calls to service_role;

alter table public.tool_calls enable row level security;

create policy "owners read what was proposed" on public.tool_calls
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.tool_calls from public, anon, authenticated, service_role;
grant select on public.tool_calls to authenticated, service_role;

alter table public.tool_calls replica identity using index tool_calls_identity;
