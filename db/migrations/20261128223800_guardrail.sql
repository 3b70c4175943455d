-- Guardrail.
--   CREATE OR REPLACE FUNCTION private.append_events
--   CREATE OR REPLACE FUNCTION private.are_goals_stopped
--   CREATE OR REPLACE FUNCTION private.begin_turn
--   CREATE OR REPLACE FUNCTION private.charged_actions
--   CREATE OR REPLACE FUNCTION private.check_guardrail
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.daily_cap
--   CREATE OR REPLACE FUNCTION private.finish_turn
--   CREATE OR REPLACE FUNCTION private.guardrail
--   CREATE OR REPLACE FUNCTION private.hold_credits
--   CREATE OR REPLACE FUNCTION private.is_ai_stopped
--   CREATE OR REPLACE FUNCTION private.publish_prices
--   CREATE OR REPLACE FUNCTION private.quote_of
--   CREATE OR REPLACE FUNCTION private.used_today
--   CREATE OR REPLACE FUNCTION public.admin_guardrail
--   REVOKE ALL ON FUNCTION public.admin_guardrail
--   CREATE OR REPLACE FUNCTION public.admin_set_guardrail
--   REVOKE ALL ON FUNCTION public.admin_set_guardrail
--   CREATE OR REPLACE FUNCTION public.agents_stopped
--   ALTER TABLE public.site_settings ADD CONSTRAINT ai_stop_is_a_switch CHECK (((key <> 'ai.stopped'::text) OR (j…
--   ALTER TABLE public.site_settings ADD CONSTRAINT daily_cap_is_a_number_of_credits CHECK (((key <> 'credits.dai…
--   COMMENT ON FUNCTION private.append_events
--   COMMENT ON FUNCTION private.begin_turn
--   COMMENT ON FUNCTION private.charged_actions
--   COMMENT ON FUNCTION private.check_guardrail
--   COMMENT ON FUNCTION private.claim_mail
--   COMMENT ON FUNCTION private.daily_cap
--   COMMENT ON FUNCTION private.guardrail
--   COMMENT ON FUNCTION private.is_ai_stopped
--   COMMENT ON FUNCTION private.publish_prices
--   COMMENT ON FUNCTION private.used_today
--   COMMENT ON FUNCTION public.admin_guardrail
--   COMMENT ON FUNCTION public.admin_set_guardrail
--   COMMENT ON TABLE private.autonomy_stops IS 'Who switched all agents off; of everybody: private.is_ai_stopped(…
--   COMMENT ON TABLE public.site_settings IS 'Switches and limits by name; what begins with marketing. is for eve…
--   REVOKE ALL ON FUNCTION private.charged_actions
--   REVOKE ALL ON FUNCTION private.check_guardrail
--   REVOKE ALL ON FUNCTION private.daily_cap
--   REVOKE ALL ON FUNCTION private.guardrail
--   REVOKE ALL ON FUNCTION private.is_ai_stopped
--   GRANT EXECUTE ON FUNCTION private.is_ai_stopped
--   REVOKE ALL ON FUNCTION private.publish_prices
--   REVOKE ALL ON FUNCTION private.used_today
--   GRANT EXECUTE ON FUNCTION public.admin_guardrail
--   GRANT EXECUTE ON FUNCTION public.admin_set_guardrail

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.append_events (
  _run_id   uuid,
  _from_seq bigint,
  _events   jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.are_goals_stopped (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from private.autonomy_stops where user_id = _user_id)
    or private.is_ai_stopped()
    or private.is_frozen(_user_id)
$function$;

CREATE OR REPLACE FUNCTION private.begin_turn (
  _user_id uuid,
  _turn    jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.charged_actions()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select array['chat', 'chat_deep', 'advice']
$function$;

CREATE OR REPLACE FUNCTION private.check_guardrail (
  _change jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if jsonb_typeof(_change) is distinct from 'object'
    or exists (select from jsonb_object_keys(_change) as name where name not in ('daily_cap', 'ai_stopped', 'prices'))
    or _change ->> 'daily_cap' !~ '^[1-9][0-9]{0,6}$'
    or coalesce(jsonb_typeof(_change -> 'ai_stopped'), 'boolean') <> 'boolean'
    or coalesce(jsonb_typeof(_change -> 'prices'), 'object') <> 'object'
    or exists (
      select from jsonb_each_text(coalesce(_change -> 'prices', '{}')) as price (action, credits)
      where action <> all (private.charged_actions()) or credits is null or credits !~ '^(0|[1-9][0-9]{0,2})$'
    )
  then
    raise exception 'no such limit' using errcode = '22023';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_mail (
  _user_id uuid
)
  RETURNS SETOF public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _is_stopped constant boolean := private.is_ai_stopped();
begin
  if private.is_frozen(_user_id) or private.is_shared_held(_user_id) or private.is_mail_login_expired(_user_id) or (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and state = 'sent' and sent_at > now() - interval '1 minute'
  ) >= private.mails_a_minute() then
    return;
  end if;
  return query
    update public.outgoing_mails set attempts = attempts + 1, leased_until = now() + interval '10 minutes'
    where id = (
      select id from public.outgoing_mails
      where user_id = _user_id and state = 'queued' and not_before <= now()
        and (leased_until is null or leased_until <= now())
        -- What a goal wrote waits while an admin has stopped the agents.
        and not (_is_stopped and exists (
          select from public.goal_steps where goal_steps.user_id = _user_id and goal_steps.id = key
        ))
      order by not_before, id limit 1 for update skip locked
    )
    returning *;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_whatsapp (
  _user_id uuid
)
  RETURNS SETOF public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _message public.whatsapp_messages;
  _wait_s double precision;
  _is_stopped constant boolean := private.is_ai_stopped();
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true);
  if not found or private.is_frozen(_user_id) then
    return;
  end if;
  loop
    select * into _message from public.whatsapp_messages
    where user_id = _user_id and state = 'queued' and not_before <= clock_timestamp()
      and (leased_until is null or leased_until <= now()) and not private.is_campaign_paused(batch_id)
      -- What a goal wrote waits while an admin has stopped the agents.
      and not (_is_stopped and exists (
        select from public.goal_steps where goal_steps.user_id = _user_id and goal_steps.id = key
      ))
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    elsif private.wait_for_room(_account, _message) then
      continue;
    end if;
    -- Meta takes about one message in six seconds to the same person, and some at once.
    _wait_s := private.take_whatsapp_token(_message.channel_id, 1 / 6.0, 5);
    if _wait_s > 0 then
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      continue;
    end if;
    -- Twenty a second: the least that a number has.
    _wait_s := private.take_whatsapp_token(_account.id, 20, 20);
    if _wait_s > 0 then
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      return;
    end if;
    return query
      update public.whatsapp_messages set attempts = attempts + 1, leased_until = now() + interval '2 minutes'
      where id = _message.id returning *;
    return;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.daily_cap()
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select value::text::bigint from public.site_settings where key = 'credits.daily_cap'
$function$;

CREATE OR REPLACE FUNCTION private.finish_turn (
  _run_id  uuid,
  _outcome jsonb
)
  RETURNS public.messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.guardrail()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'daily_cap', private.daily_cap(),
    'ai_stopped', private.is_ai_stopped(),
    'prices', (select jsonb_object_agg(action, private.quote_of(action)) from unnest(private.charged_actions()) as action)
  )
$function$;

CREATE OR REPLACE FUNCTION private.hold_credits (
  _user_id         uuid,
  _max             bigint,
  _idempotency_key text,
  _ref_type        text                     DEFAULT NULL::text,
  _ref_id          text                     DEFAULT NULL::text,
  _expires_at      timestamp with time zone DEFAULT (now() + '00:15:00'::interval)
)
  RETURNS public.credit_holds
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _cap constant bigint := (select monthly_cap from public.credit_settings where user_id = _user_id);
  _daily_cap constant bigint := private.daily_cap();
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where user_id = _user_id and idempotency_key = _idempotency_key;
  if found then
    if (_hold.amount, _hold.ref_type, _hold.ref_id) is distinct from (_max, _ref_type, _ref_id) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _hold;
  end if;

  if private.expire_wallet(_user_id) > 0 then
    _wallet := private.lock_wallet(_user_id);
  end if;
  if _wallet.balance < _max then
    raise exception '% credits are wanted, % can be spent', _max, _wallet.balance using errcode = 'SC003';
  end if;
  -- Nested, for `and` may evaluate both sides, and the month of somebody without a cap is read for nothing.
  if _cap is not null then
    if private.used_this_month(_user_id) + _wallet.held + _max > _cap then
      raise exception '% credits are wanted, the monthly cap is %', _max, _cap using errcode = 'SC005';
    end if;
  end if;
  if _daily_cap is not null then
    -- What is held counts as used today.
    if private.used_today(_user_id) + _wallet.held + _max > _daily_cap then
      raise exception '% credits are wanted, the daily cap is %', _max, _daily_cap
        using errcode = 'SC009', detail = _daily_cap;
    end if;
  end if;

  insert into public.credit_holds (user_id, amount, idempotency_key, ref_type, ref_id, expires_at)
    values (_user_id, _max, _idempotency_key, _ref_type, _ref_id, _expires_at) returning * into _hold;
  insert into public.hold_lots (hold_id, lot_id, user_id, part, amount)
    select _hold.id, lot_id, _user_id, part, amount from private.draw(_user_id, _max);
  update public.credit_lots set remaining = remaining - hold_lots.amount, held = credit_lots.held + hold_lots.amount
  from public.hold_lots
  where hold_lots.user_id = _user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets set balance = balance - _max, held = held + _max, updated_at = now()
  where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  return _hold;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_ai_stopped()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from public.site_settings where key = 'ai.stopped' and value = 'true')
$function$;

CREATE OR REPLACE FUNCTION private.publish_prices (
  _prices jsonb,
  _note   text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _old integer;
  _new integer;
begin
  select version into _old from public.catalog_versions
  where published_at <= now() order by published_at desc limit 1 for update;
  if exists (select from public.catalog_versions where published_at > now()) then
    raise exception 'a version of the catalogue is to come' using errcode = 'SC010';
  end if;
  insert into public.catalog_versions (version, note)
    select max(version) + 1, _note from public.catalog_versions returning version into _new;
  insert into public.plans
    select (jsonb_populate_record(plans, jsonb_build_object('version', _new))).* from public.plans where version = _old;
  insert into public.packs
    select (jsonb_populate_record(packs, jsonb_build_object('version', _new))).* from public.packs where version = _old;
  insert into public.claims
    select (jsonb_populate_record(claims, jsonb_build_object('version', _new))).* from public.claims where version = _old;
  insert into public.credit_prices
    select (jsonb_populate_record(credit_prices, jsonb_strip_nulls(jsonb_build_object(
      'version', _new, 'min_credits', _prices -> action, 'max_credits', _prices -> action
    )))).*
    from public.credit_prices where version = _old;
  update public.catalog_versions set published_at = now() where version = _new;
end
$function$;

CREATE OR REPLACE FUNCTION private.quote_of (
  _action text
)
  RETURNS bigint
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.used_today (
  _user_id uuid
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
  select coalesce(-sum(amount), 0)::bigint from public.credit_ledger
  where user_id = _user_id and kind = 'settle'
    and created_at >= date_trunc('day', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
$function$;

CREATE OR REPLACE FUNCTION public.admin_guardrail()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return private.guardrail() || jsonb_build_object(
    'stopped_at', (select updated_at from public.site_settings where key = 'ai.stopped' and value = 'true')
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_guardrail"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_set_guardrail (
  _change jsonb,
  _reason text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _before jsonb;
  _after jsonb;
begin
  perform private.require_admin();
  perform private.check_guardrail(_change);
  -- One change at a time; whoever spends still reads.
  lock table public.site_settings in share row exclusive mode;
  _before := private.guardrail();
  _after := _before || _change || jsonb_build_object('prices', _before -> 'prices' || coalesce(_change -> 'prices', '{}'));
  if _after = _before then
    return;
  end if;
  if _after -> 'daily_cap' = 'null' then
    delete from public.site_settings where key = 'credits.daily_cap';
  end if;
  insert into public.site_settings (key, value)
    select key, value from (values
      ('ai.stopped', _after -> 'ai_stopped'), ('credits.daily_cap', nullif(_after -> 'daily_cap', 'null'))
    ) as wanted (key, value) where value is not null
  on conflict (key) do update set value = excluded.value, updated_at = now()
  where site_settings.value <> excluded.value;
  if _after -> 'prices' <> _before -> 'prices' then
    perform private.publish_prices(_after -> 'prices', 'Prices set by an admin');
  end if;
  perform private.log_admin_action('credits.guardrail', 'guardrail', null, _before, _after, _reason);
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_set_guardrail"(jsonb, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.agents_stopped()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'mine', exists (select from private.autonomy_stops where user_id = (select auth.uid())),
    'all', private.is_ai_stopped()
  )
$function$;

ALTER TABLE "public"."site_settings"
  ADD CONSTRAINT "ai_stop_is_a_switch" CHECK (((key <> 'ai.stopped'::text) OR (jsonb_typeof(value) = 'boolean'::text)));

ALTER TABLE "public"."site_settings"
  ADD CONSTRAINT "daily_cap_is_a_number_of_credits" CHECK (((key <> 'credits.daily_cap'::text) OR ((value)::text ~ '^[1-9][0-9]{0,6}$'::text)));

COMMENT ON FUNCTION "private"."append_events"(uuid, bigint, jsonb) IS 'Notes events [{event, data}] of a run, the first under the number _from_seq, and that it lives; answers whether it must stop: its owner said so, it was swept, its conversation is gone, or an admin has stopped the AI.';

COMMENT ON FUNCTION "private"."begin_turn"(uuid, jsonb) IS 'Writes down a question, an empty answer and its run, and holds the credits it may cost; the same client_key again answers the same. Turn: {conversation_id, parent_id, regenerate, content, attachments, picked, agent, mode, is_deep, model, host, client_key, is_temporary, max_credits}. Answers {conversation_id, user_message_id, message_id, run_id, hold_id, quote, uses_memory, auto_approve, repeated}. SA001 to SA008, SC003, SC005, SC009, PT404.';

COMMENT ON FUNCTION "private"."charged_actions"() IS 'The actions for which begin_turn() holds credits; the others of the price list cost nothing today.';

COMMENT ON FUNCTION "private"."check_guardrail"(jsonb) IS 'Raise 22023 unless a change of the guardrail has known names and values.';

COMMENT ON FUNCTION "private"."claim_mail"(uuid) IS 'Leases the next due mail of a person; no row when none is due, many were just sent, the shared sender is paused, the login has expired, or it is of a goal while an admin has stopped the agents.';

COMMENT ON FUNCTION "private"."daily_cap"() IS 'The credits that the work of one account may use in a day; null without a limit.';

COMMENT ON FUNCTION "private"."guardrail"() IS 'The limits in force: {daily_cap, ai_stopped, prices: {action: credits}}.';

COMMENT ON FUNCTION "private"."is_ai_stopped"() IS 'Whether an admin has stopped paid AI and autonomous goals for everybody; read in the transaction that would begin work.';

COMMENT ON FUNCTION "private"."publish_prices"(jsonb, text) IS 'Publish the catalogue in force again with other prices {action: credits}. SC010.';

COMMENT ON FUNCTION "private"."used_today"(uuid) IS 'Credits that work has used since the day began in Italy.';

COMMENT ON FUNCTION "public"."admin_guardrail"() IS 'The credit guardrail, for admins: {daily_cap, ai_stopped, stopped_at, prices: {action: credits}}.';

COMMENT ON FUNCTION "public"."admin_set_guardrail"(jsonb, text) IS 'Change the credit guardrail, for admins: what the change names of {daily_cap, ai_stopped, prices}, the rest stays. 22023, SC010.';

COMMENT ON TABLE "private"."autonomy_stops" IS 'Who switched all agents off; of everybody: private.is_ai_stopped().';

COMMENT ON TABLE "public"."site_settings" IS 'Switches and limits by name; what begins with marketing. is for everybody to read, the others for functions only.';

REVOKE ALL ON FUNCTION "private"."charged_actions"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_guardrail"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."daily_cap"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."guardrail"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_ai_stopped"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_ai_stopped"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."publish_prices"(jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."used_today"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_guardrail"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_set_guardrail"(jsonb, text) TO "authenticated";

reset check_function_bodies;

-- The stop of all agents, which was set by hand, is the stop of the AI now.
update public.site_settings set key = 'ai.stopped' where key = 'goals.stopped' and value = 'true';

delete from public.site_settings where key = 'goals.stopped';
