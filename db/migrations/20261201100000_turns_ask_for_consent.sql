-- A turn that names the host of a provider begins only where its person has agreed to it: one call of the database for
-- both, instead of two in a transaction. (spec 7, product 6)

create or replace function private.begin_turn(_user_id uuid, _turn jsonb)
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
