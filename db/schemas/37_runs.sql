-- Runs: the work on one answer, its events for clients that follow it, and its price.
--
-- A turn begins in one transaction (question, empty answer, run, hold) and ends in one (answer, price, memories). In
-- between, numbered events are appended, so a browser that lost some asks for the rest. A run that stays silent for a
-- minute is swept.
--
-- The price is that of the agent who answers, never more than the price shown before: what is held does not change when
-- the price does. Text that was read is paid, also
-- when its conversation is deleted meanwhile. A turn that names a provider's host begins only if its user has agreed to
-- it.
--
-- Locks are taken in this order: the user's counters, conversations (by id), messages, runs, the wallet.
--
-- Error codes raised:
--   SA001  too many requests (turn_limits)
--   SA002  this conversation is answering already; the detail is its run
--   SA003  the user has three answers under way
--   SA004  the question is empty, or longer than 20,000 characters
--   SA005  the answer may cost more than the price shown before; the detail is its price
--   SA006  the user has not agreed to the provider
--   SA007  the user wants nothing sent to a provider (67_privacy.sql)
--   SA008  an admin has stopped the AI for everybody (78_guardrail.sql)
--   SC003, SC005, SC009  from the wallet
--   PT404  the user has no such conversation, message, document or run (404)

create table public.runs (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  conversation_id uuid not null,
  message_id uuid not null,
  state text not null default 'running',
  seq bigint not null default 0,
  stop_requested_at timestamptz,
  heartbeat_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  unique (user_id, id),
  constraint runs_message unique (user_id, conversation_id, message_id),
  foreign key (user_id, conversation_id, message_id) references public.messages (user_id, conversation_id, id)
    on delete cascade,
  constraint states_are_four check (state in ('running', 'done', 'stopped', 'error')),
  constraint what_ended_has_a_time check ((state = 'running') = (finished_at is null))
)
-- The heartbeat updates the row twice a second. No index contains the changed columns. With free space on the page, the
-- new version of the row stays there.
with (fillfactor = 80);
comment on table public.runs is 'The work on an answer.';
comment on column public.runs.seq is 'The number of its last event.';

-- Unlogged because events are needed for minutes only. What a crash of the database loses is in the answer itself.
create unlogged table private.run_events (
  run_id uuid not null references public.runs (id) on delete cascade,
  seq bigint not null,
  event text not null,
  data jsonb not null,
  primary key (run_id, seq)
);
comment on table private.run_events is 'What was streamed of an answer, for who comes back; gone ten minutes after its end.';

-- Append-only, and readable by the server only: an agreement stays as it was given.
create table private.ai_consents (
  user_id uuid not null references auth.users (id) on delete cascade,
  host text not null,
  provider text not null,
  in_eu boolean,
  agreed_at timestamptz not null default now(),

  primary key (user_id, host)
);
comment on table private.ai_consents is 'Providers of models to which a person has agreed to send questions, and the text that they agreed to.';
comment on column private.ai_consents.host is 'Where it is asked: the same provider elsewhere is asked for again.';
comment on column private.ai_consents.in_eu is 'Whether it answers from the European Union; null: it was not known.';

-- A conversation has one running run at most. The sweep uses this index as well.
create unique index runs_of_conversation on public.runs (user_id, conversation_id) where state = 'running';

create function private.quote_of(_action text)
  returns bigint
  language plpgsql stable
  set search_path = ''
as $$
declare
  _quote constant bigint := (
    select max_credits from public.credit_prices
    join public.catalog_versions using (version)
    where action = _action and published_at <= now() order by published_at desc limit 1
  );
begin
  if _action is not null and _quote is null then
    raise exception 'no price is known for %', _action using errcode = '22023';
  end if;
  return coalesce(_quote, 0);
end
$$;
comment on function private.quote_of(text) is 'The most that an action costs now, in credits; without an action nothing.';
revoke all on function private.quote_of from public, anon, authenticated, service_role;

create function private.charged_actions()
  returns text[]
  language sql immutable
  set search_path = ''
as $$
  select array['chat', 'chat_deep', 'advice', 'voice_minute', 'letter']
$$;
comment on function private.charged_actions() is 'The actions for which begin_turn(), ask_transcript() and begin_letter() hold credits; the others of the price list cost nothing today.';
revoke all on function private.charged_actions from public, anon, authenticated, service_role;

create function private.turn_of(_user_id uuid, _answer uuid, _repeated boolean)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'conversation_id', conversation_id, 'user_message_id', messages.parent_id, 'message_id', messages.id,
    'run_id', runs.id, 'hold_id', messages.hold_id, 'quote', messages.quote,
    'uses_memory', conversations.uses_memory, 'auto_approve', to_jsonb(conversations.auto_approve), 'repeated', _repeated
  )
  from public.messages
  join public.runs using (user_id, conversation_id)
  join public.conversations on conversations.user_id = messages.user_id and conversations.id = conversation_id
  where messages.user_id = _user_id and messages.id = _answer and runs.message_id = _answer
$$;
comment on function private.turn_of(uuid, uuid, boolean) is 'What begin_turn answers of a turn; null if there is none.';
revoke all on function private.turn_of from public, anon, authenticated, service_role;

create function private.conversation_of_turn(_user_id uuid, _turn jsonb)
  returns public.conversations
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _conversation public.conversations;
  _temporary constant boolean := coalesce((_turn ->> 'is_temporary')::boolean, false);
begin
  if _turn ->> 'conversation_id' is not null then
    select * into _conversation from public.conversations
    where user_id = _user_id and id = (_turn ->> 'conversation_id')::uuid for no key update;
  elsif coalesce(_turn ->> 'parent_id', _turn ->> 'regenerate') is null then
    insert into public.conversations (user_id, agent, is_temporary, uses_memory)
    values (
      _user_id, coalesce(_turn ->> 'agent', 'automatico'), _temporary,
      not _temporary and not exists (
        select from public.memory_settings where user_id = _user_id and not (is_active and in_new_chats)
      )
    ) returning * into _conversation;
  end if;
  if _conversation.id is null then
    raise exception 'no such conversation' using errcode = 'PT404';
  end if;
  return _conversation;
end
$$;
comment on function private.conversation_of_turn(uuid, jsonb) is 'The conversation of a turn, locked, or a new one; PT404.';
revoke all on function private.conversation_of_turn from public, anon, authenticated, service_role;

create function private.refuse_busy(_user_id uuid, _conversation_id uuid)
  returns void
  language plpgsql stable
  set search_path = ''
as $$
declare
  _running constant uuid[] := array(select id from public.runs where user_id = _user_id and state = 'running');
  _run constant uuid := (
    select id from public.runs where user_id = _user_id and conversation_id = _conversation_id and state = 'running'
  );
begin
  if _run is not null then
    raise exception 'this conversation is answering already' using errcode = 'SA002', detail = _run::text;
  elsif cardinality(_running) >= 3 then
    raise exception 'three answers are under way' using errcode = 'SA003';
  end if;
end
$$;
comment on function private.refuse_busy(uuid, uuid) is 'SA002 while the conversation answers, SA003 while three answers are under way.';
revoke all on function private.refuse_busy from public, anon, authenticated, service_role;

create function private.question_of_turn(_user_id uuid, _conversation_id uuid, _turn jsonb)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _parent_id constant uuid := (_turn ->> 'parent_id')::uuid;
  _attachments constant uuid[] := array(
    select jsonb_array_elements_text(coalesce(nullif(_turn -> 'attachments', 'null'), '[]'))
  );
  _question uuid;
begin
  if _turn ->> 'regenerate' is not null then
    select case role when 'user' then id else parent_id end into _question from public.messages
    where user_id = _user_id and conversation_id = _conversation_id and id = (_turn ->> 'regenerate')::uuid;
    if _question is null then
      raise exception 'no such message' using errcode = 'PT404';
    end if;
    return _question;
  elsif _turn ->> 'content' !~ '[^[:space:]]' or char_length(_turn ->> 'content') not between 1 and 20000 then
    raise exception 'a question has 1 to 20,000 characters' using errcode = 'SA004';
  elsif _parent_id is not null and not exists (
    select from public.messages
    where user_id = _user_id and conversation_id = _conversation_id and id = _parent_id and role = 'assistant'
  ) then
    raise exception 'no such answer' using errcode = 'PT404';
  elsif exists (
    select from unnest(_attachments) as attached
    where not exists (select from public.documents where user_id = _user_id and id = attached and deleted_at is null)
  ) then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  insert into public.messages
    (user_id, conversation_id, parent_id, role, content, status, attachments, picked, finished_at)
  values (
    _user_id, _conversation_id, _parent_id, 'user', _turn ->> 'content', 'done', _attachments,
    nullif(_turn -> 'picked', 'null'), now()
  ) returning id into _question;
  return _question;
end
$$;
comment on function private.question_of_turn(uuid, uuid, jsonb) is
  'Writes down what was asked, or finds what is to be answered anew; PT404, SA004.';
revoke all on function private.question_of_turn from public, anon, authenticated, service_role;

create function private.begin_turn(_user_id uuid, _turn jsonb)
  returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _client_key constant uuid := (_turn ->> 'client_key')::uuid;
  _answer constant uuid := gen_random_uuid();
  _known jsonb;
  _conversation public.conversations;
  _agent text;
  _question uuid;
  _action text;
  _quote bigint;
  _hold uuid;
begin
  if _turn ->> 'host' is not null
    and not exists (select from private.ai_consents where user_id = _user_id and host = _turn ->> 'host')
  then
    raise exception 'the person has not agreed to this provider' using errcode = 'SA006';
  end if;
  -- One turn of a person at a time: the second of two equal requests waits here and finds the first.
  insert into private.assistant_use as used (user_id, span) values (_user_id, '1 minute')
  on conflict (user_id, span) do update set turns = used.turns;
  _known := private.turn_of(
    _user_id, (select id from public.messages where user_id = _user_id and client_key = _client_key), true
  );
  if _known is not null then
    return _known;
  elsif _turn ->> 'mode' = 'ia' and private.is_local_only(_user_id) then
    raise exception 'the person wants the local mode only' using errcode = 'SA007';
  elsif _turn ->> 'mode' = 'ia' and private.is_ai_stopped() then
    raise exception 'the AI is stopped' using errcode = 'SA008';
  end if;

  -- What died a minute ago keeps nobody from asking again.
  perform private.sweep_runs(10, _user_id);
  perform private.count_turn(_user_id);
  _conversation := private.conversation_of_turn(_user_id, _turn);
  perform private.refuse_busy(_user_id, _conversation.id);
  _question := private.question_of_turn(_user_id, _conversation.id, _turn);
  _agent := coalesce(_turn ->> 'agent', _conversation.agent);
  _action := case
    when _turn ->> 'mode' = 'locale' then null
    when _agent = 'consiglio' then 'advice'
    when (_turn ->> 'is_deep')::boolean then 'chat_deep'
    else 'chat'
  end;
  _quote := private.quote_of(_action);
  if _quote > (_turn ->> 'max_credits')::bigint then
    raise exception 'the answer may cost more than was shown' using errcode = 'SA005', detail = _quote;
  elsif _quote > 0 then
    _hold := (private.hold_credits(
      _user_id, _quote, 'chat:' || _answer, _action, _answer::text, now() + interval '10 minutes'
    )).id;
  end if;
  insert into public.messages
    (id, user_id, conversation_id, parent_id, role, agent, status, mode, model, quote, hold_id, client_key)
  values (
    _answer, _user_id, _conversation.id, _question, 'assistant', _agent, 'queued', _turn ->> 'mode', _turn ->> 'model',
    _quote, _hold, _client_key
  );
  insert into public.runs (user_id, conversation_id, message_id) values (_user_id, _conversation.id, _answer);
  insert into public.ai_usage (user_id, message_id, mode, host, provider, model)
  values (
    _user_id, _answer, coalesce(_turn ->> 'mode', 'locale'), _turn ->> 'host',
    (select provider from private.ai_consents where user_id = _user_id and host = _turn ->> 'host'), _turn ->> 'model'
  );
  update public.conversations set last_message_at = now() where user_id = _user_id and id = _conversation.id;
  return private.turn_of(_user_id, _answer, false);
end
$$;
comment on function private.begin_turn(uuid, jsonb) is
  'Writes down a question, an empty answer and its run, and holds the credits it may cost; the same client_key again answers '
  'the same. Turn: {conversation_id, parent_id, regenerate, content, attachments, picked, agent, mode, is_deep, model, '
  'host, client_key, is_temporary, max_credits}. Answers {conversation_id, user_message_id, message_id, run_id, hold_id, '
  'quote, uses_memory, auto_approve, repeated}. SA001 to SA008, SC003, SC005, SC009, PT404.';
revoke all on function private.begin_turn from public, anon, authenticated, service_role;
grant execute on function private.begin_turn to service_role;

create function private.append_events(_run_id uuid, _from_seq bigint, _events jsonb)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _must_stop boolean;
begin
  -- What a crash of the database takes with the events is worth no wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if _from_seq <= 1 and _events <> '[]' then
    update public.messages set status = 'streaming'
    where id = (select message_id from public.runs where id = _run_id) and status = 'queued';
  end if;
  update public.runs set
    heartbeat_at = now(), seq = greatest(seq, _from_seq + jsonb_array_length(_events) - 1)
  where id = _run_id and state = 'running'
  returning stop_requested_at is not null into _must_stop;
  if not found then
    return true;
  end if;
  -- A provider that is being asked is left alone at once; an answer in local mode goes on.
  if not _must_stop and private.is_ai_stopped() then
    _must_stop := exists (
      select from public.runs join public.messages on messages.user_id = runs.user_id and messages.id = message_id
      where runs.id = _run_id and mode = 'ia'
    );
  end if;
  insert into private.run_events (run_id, seq, event, data)
    select _run_id, _from_seq + place - 1, value ->> 'event', value -> 'data'
    from jsonb_array_elements(_events) with ordinality as events (value, place)
  on conflict do nothing;
  return _must_stop;
end
$$;
comment on function private.append_events(uuid, bigint, jsonb) is
  'Notes events [{event, data}] of a run, the first under the number _from_seq, and that it lives; answers whether it must stop: '
  'its owner said so, it was swept, its conversation is gone, or an admin has stopped the AI.';
revoke all on function private.append_events from public, anon, authenticated, service_role;
grant execute on function private.append_events to service_role;

create function public.stop_run(_run_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.runs set stop_requested_at = coalesce(stop_requested_at, case state when 'running' then now() end)
  where user_id = (select auth.uid()) and id = _run_id;
  if not found then
    raise exception 'no such run' using errcode = 'PT404';
  end if;
end
$$;
comment on function public.stop_run(uuid) is 'Asks an answer of the caller to end; one that ended stays as it is. PT404.';
revoke all on function public.stop_run from public, anon, authenticated, service_role;
grant execute on function public.stop_run to authenticated;

create function private.close_hold_of_answer(_user_id uuid, _message_id uuid, _cost bigint)
  returns bigint
  language sql volatile
  set search_path = ''
as $$
  select private.close_hold_of_key(_user_id, 'chat:' || _message_id, _cost)
$$;
comment on function private.close_hold_of_answer(uuid, uuid, bigint) is
  'Takes what an answer costs, at most what is held for it, and gives the rest back; answers what it took.';
revoke all on function private.close_hold_of_answer from public, anon, authenticated, service_role;

create function private.lock_run(_run_id uuid)
  returns public.runs
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _run public.runs;
begin
  perform from public.conversations
  where (user_id, id) = (select user_id, conversation_id from public.runs where id = _run_id) for no key update;
  select * into _run from public.runs where id = _run_id for update;
  return _run;
end
$$;
comment on function private.lock_run(uuid) is 'A run, with its conversation locked first; null if it is gone.';
revoke all on function private.lock_run from public, anon, authenticated, service_role;

create function private.finish_turn(_run_id uuid, _outcome jsonb)
  returns public.messages
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _run constant public.runs := private.lock_run(_run_id);
  _state text := _outcome ->> 'state';
  _error_code text := _outcome ->> 'error_code';
  _content constant text := left(coalesce(_outcome ->> 'content', ''), 100000);
  _views constant jsonb := coalesce(nullif(_outcome -> 'views', 'null'), '[]');
  _memories constant uuid[] := array(
    select jsonb_array_elements_text(coalesce(nullif(_outcome -> 'memory_ids', 'null'), '[]'))
  );
  _cost bigint := coalesce((_outcome ->> 'cost')::bigint, 0);
  _message public.messages;
begin
  if _run.state is distinct from 'running' then
    select * into _message from public.messages where id = _run.message_id;
    return _message;
  end if;
  if _state not in ('done', 'stopped', 'error') or _state is null then
    raise exception 'an answer ends done, stopped or error' using errcode = '22023';
  end if;
  -- Its person did not ask for it: an admin stopped the AI, so the answer was cut and costs nothing.
  if _state = 'stopped' and _run.stop_requested_at is null and _outcome ->> 'mode' = 'ia' and private.is_ai_stopped() then
    _state := 'error';
    _error_code := 'ai_stopped';
  end if;
  if _state = 'error' or _content !~ '[^[:space:]]' and not _views @> '[{"status": "done"}]' then
    _cost := 0;
  end if;
  _cost := private.close_hold_of_answer(_run.user_id, _run.message_id, _cost);
  update public.runs set state = _state, finished_at = now(), heartbeat_at = now() where id = _run_id;
  update public.messages set
    status = _state::public.message_status, content = _content, cost = _cost, finished_at = now(),
    agent = coalesce(_outcome ->> 'agent', agent), model = coalesce(_outcome ->> 'model', model),
    mode = coalesce(_outcome ->> 'mode', mode), error_code = _error_code,
    refs = coalesce(nullif(_outcome -> 'refs', 'null'), '[]'),
    unverified = coalesce(nullif(_outcome -> 'unverified', 'null'), '[]'),
    suggestions = coalesce(nullif(_outcome -> 'suggestions', 'null'), '[]'),
    views = _views,
    tokens_in = (_outcome ->> 'tokens_in')::integer, tokens_out = (_outcome ->> 'tokens_out')::integer
  where id = _run.message_id
  returning * into _message;
  update public.ai_usage set
    tokens_in = _message.tokens_in, tokens_out = _message.tokens_out, credits = _cost,
    entities = private.entities_of_answer(_message)
  where message_id = _message.id;
  insert into public.memory_uses (user_id, memory_id, message_id)
    select _run.user_id, id, _run.message_id from public.memories where user_id = _run.user_id and id = any (_memories)
  on conflict do nothing;
  perform private.note_memory_uses(_run.user_id, _memories);
  update public.conversations set
    last_message_at = now(), title = coalesce(title, left(private.one_line(_outcome ->> 'title'), 120))
  where user_id = _run.user_id and id = _run.conversation_id;
  return _message;
end
$$;
comment on function private.finish_turn(uuid, jsonb) is
  'Writes an answer down and takes its price, once; called again it answers the row as it is, and null when its conversation '
  'is gone. What an answer costs: one that ended by itself its price; one that its person stopped, or deleted, after text '
  'was shown, be it a view of the council that is done, the price times the share of agents or steps that were finished, '
  'rounded up, and at least 1; one that is empty, failed, was cut, stalled or crashed nothing, and its text so far is kept. '
  'It never costs more than its quote. Outcome: {state, content, refs, unverified, suggestions, views, tokens_in, tokens_out, '
  'cost, agent, model, mode, error_code, memory_ids, title}.';
revoke all on function private.finish_turn from public, anon, authenticated, service_role;
grant execute on function private.finish_turn to service_role;

create function private.sweep_runs(_limit integer default 100, _user_id uuid default null)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _due uuid;
  _swept integer := 0;
begin
  for _due in
    select run.id
    from public.runs as run
    join public.conversations on conversations.user_id = run.user_id and conversations.id = run.conversation_id
    where state = 'running' and heartbeat_at < now() - interval '1 minute'
      and (_user_id is null or run.user_id = _user_id)
    order by conversations.id limit _limit for no key update of conversations
  loop
    begin
      perform private.finish_turn(run.id, (
        select jsonb_build_object(
          'state', 'error', 'error_code', 'interrotta',
          'content', string_agg(data ->> 'text', '' order by seq) filter (where event = 'delta'),
          'refs', coalesce(jsonb_agg(data order by seq) filter (where event = 'ref'), '[]')
        )
        from private.run_events where run_id = run.id
      ))
      from public.runs as run
      -- It may have lived on while we waited.
      where run.id = _due and state = 'running' and heartbeat_at < now() - interval '1 minute';
      _swept := _swept + found::integer;
    exception
      -- A wallet that disagrees with itself is left to whoever looks into it.
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _swept;
end
$$;
comment on function private.sweep_runs(integer, uuid) is
  'Ends answers whose process has not been heard of for a minute, with their text so far and at no cost; answers how many.';
revoke all on function private.sweep_runs from public, anon, authenticated, service_role;
grant execute on function private.sweep_runs to service_role;

create function private.forget_run_events()
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.run_events using public.runs
    where runs.id = run_id and finished_at < now() - interval '10 minutes'
    returning 1
  )
  select count(*) from gone
$$;
comment on function private.forget_run_events() is 'Deletes the events of answers that ended ten minutes ago; answers how many.';
revoke all on function private.forget_run_events from public, anon, authenticated, service_role;
grant execute on function private.forget_run_events to service_role;

create function private.release_run()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  -- Three agents, the one that reviews, and the one answer made of them: the steps of a council.
  _steps constant numeric := 5;
  _views constant integer := (
    select count(distinct data ->> 'agent') from private.run_events
    where run_id = old.id and event = 'view' and data ->> 'status' = 'done'
  );
  -- With its account goes everything.
  _is_read constant boolean := exists (select from auth.users where id = old.user_id) and (
    _views > 0 or exists (
      select from private.run_events where run_id = old.id and event = 'delta' and data ->> 'text' ~ '[^[:space:]]'
    )
  );
  _quote constant bigint := (
    select amount from public.credit_holds where user_id = old.user_id and idempotency_key = 'chat:' || old.message_id
  );
begin
  perform private.close_hold_of_answer(
    old.user_id, old.message_id, case when _is_read then greatest(1, ceil(_quote * _views / _steps))::bigint else 0 end
  );
  return old;
end
$$;
comment on function private.release_run() is
  'Who deletes a conversation that is answering pays what stopping it would cost.';
revoke all on function private.release_run from public, anon, authenticated, service_role;

alter table public.runs enable row level security;
alter table private.run_events enable row level security;
alter table private.ai_consents enable row level security;

create policy "owners read their runs" on public.runs
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.runs from public, anon, authenticated, service_role;
grant select on public.runs to authenticated, service_role;

revoke all on private.run_events from public, anon, authenticated, service_role;
grant select on private.run_events to service_role;

revoke all on private.ai_consents from public, anon, authenticated, service_role;
grant select, insert on private.ai_consents to service_role;

create trigger release_run
  before delete on public.runs
  for each row when (old.state = 'running') execute function private.release_run();
