-- What an answer costs: the price of who answers in the end, never more than the person was shown; what was read is paid, also
-- when its conversation is deleted meanwhile or only the views of the council were told.
--
-- Error codes raised, beside those of runs:
--   SA005  the answer may cost more than the person was shown; the detail is its price

create or replace function private.begin_turn(_user_id uuid, _turn jsonb)
  returns jsonb
  language plpgsql volatile security definer
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
  -- One turn of a person at a time: the second of two equal requests waits here and finds the first.
  insert into private.assistant_use as used (user_id, span) values (_user_id, '1 minute')
  on conflict (user_id, span) do update set turns = used.turns;
  _known := private.turn_of(
    _user_id, (select id from public.messages where user_id = _user_id and client_key = _client_key), true
  );
  if _known is not null then
    return _known;
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
  update public.conversations set last_message_at = now() where user_id = _user_id and id = _conversation.id;
  return private.turn_of(_user_id, _answer, false);
end
$$;
comment on function private.begin_turn(uuid, jsonb) is
  'Writes down a question, an empty answer and its run, and holds the credits it may cost; the same client_key again answers '
  'the same. Turn: {conversation_id, parent_id, regenerate, content, attachments, picked, agent, mode, is_deep, model, '
  'client_key, is_temporary, max_credits}. Answers {conversation_id, user_message_id, message_id, run_id, hold_id, quote, '
  'uses_memory, auto_approve, repeated}. SA001 to SA005, SC003, SC005, PT404.';

create or replace function private.finish_turn(_run_id uuid, _outcome jsonb)
  returns public.messages
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _run constant public.runs := private.lock_run(_run_id);
  _state constant text := _outcome ->> 'state';
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
  elsif _state = 'error' or _content !~ '[^[:space:]]' and not _views @> '[{"status": "done"}]' then
    _cost := 0;
  end if;
  _cost := private.close_hold_of_answer(_run.user_id, _run.message_id, _cost);
  update public.runs set state = _state, finished_at = now(), heartbeat_at = now() where id = _run_id;
  update public.messages set
    status = _state::public.message_status, content = _content, cost = _cost, finished_at = now(),
    agent = coalesce(_outcome ->> 'agent', agent), model = coalesce(_outcome ->> 'model', model),
    mode = coalesce(_outcome ->> 'mode', mode), error_code = _outcome ->> 'error_code',
    refs = coalesce(nullif(_outcome -> 'refs', 'null'), '[]'),
    unverified = coalesce(nullif(_outcome -> 'unverified', 'null'), '[]'),
    suggestions = coalesce(nullif(_outcome -> 'suggestions', 'null'), '[]'),
    views = _views,
    tokens_in = (_outcome ->> 'tokens_in')::integer, tokens_out = (_outcome ->> 'tokens_out')::integer
  where id = _run.message_id
  returning * into _message;
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

create or replace function private.release_run()
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

-- Append-only, and nobody's to read but the server: what was agreed to stays as it was said.
create table private.ai_consents (
  user_id uuid not null references auth.users (id) on delete cascade,
  host text not null,
  provider text not null,
  in_eu boolean,
  agreed_at timestamptz not null default now(),

  primary key (user_id, host)
);
comment on table private.ai_consents is 'Providers of models to which a person has agreed to send questions, and what they were told of them.';
comment on column private.ai_consents.host is 'Where it is asked: the same provider elsewhere is asked for anew.';
comment on column private.ai_consents.in_eu is 'Whether it answers from the European Union; null: it was not known.';

alter table private.ai_consents enable row level security;
revoke all on private.ai_consents from public, anon, authenticated, service_role;
grant select, insert on private.ai_consents to service_role;
