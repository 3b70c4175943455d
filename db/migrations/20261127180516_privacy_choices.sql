-- Privacy choices.
--   CREATE TABLE public.ai_usage ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, user_id uuid NOT NULL, messag…
--   ALTER TABLE public.ai_usage ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.ai_usage FROM anon
--   CREATE TABLE public.privacy_choices ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, CONSTRAINT privacy_cho…
--   ALTER TABLE public.privacy_choices ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.privacy_choices FROM anon
--   REVOKE ALL ON SEQUENCE public.ai_usage_id_seq FROM anon
--   REVOKE ALL ON SEQUENCE public.ai_usage_id_seq FROM authenticated
--   REVOKE ALL ON SEQUENCE public.ai_usage_id_seq FROM service_role
--   REVOKE ALL ON SEQUENCE public.privacy_choices_id_seq FROM anon
--   REVOKE ALL ON SEQUENCE public.privacy_choices_id_seq FROM authenticated
--   REVOKE ALL ON SEQUENCE public.privacy_choices_id_seq FROM service_role
--   CREATE TYPE public.privacy_purpose AS ENUM ( 'statistics', 'ai' )
--   ALTER TABLE public.privacy_choices ADD COLUMN purpose public.privacy_purpose NOT NULL
--   ALTER TABLE public.privacy_choices ADD COLUMN is_allowed boolean NOT NULL
--   ALTER TABLE public.privacy_choices ADD COLUMN wording text NOT NULL
--   ALTER TABLE public.privacy_choices ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.begin_turn
--   CREATE OR REPLACE FUNCTION private.entities_of_answer
--   CREATE OR REPLACE FUNCTION private.finish_turn
--   CREATE OR REPLACE FUNCTION private.held_of
--   CREATE OR REPLACE FUNCTION private.is_local_only
--   CREATE OR REPLACE FUNCTION private.stop_provider_answers
--   CREATE OR REPLACE FUNCTION public.ai_usage_by_month
--   REVOKE ALL ON FUNCTION public.ai_usage_by_month
--   CREATE OR REPLACE FUNCTION public.consent_timeline
--   REVOKE ALL ON FUNCTION public.consent_timeline
--   ALTER TABLE public.ai_usage ADD CONSTRAINT ai_usage_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(…
--   ALTER TABLE public.privacy_choices ADD CONSTRAINT wording_fits CHECK (((char_length(wording) >= 1) AND (char_…
--   CREATE INDEX ai_usage_latest ON public.ai_usage USING btree (user_id, created_at DESC)
--   CREATE TRIGGER stop_provider_answers BEFORE INSERT ON public.privacy_choices FOR EACH ROW WHEN (((new.purpose…
--   CREATE POLICY owners read their use of AI ON public.ai_usage FOR SELECT TO authenticated USING ((user_id = ( …
--   COMMENT ON COLUMN public.ai_usage.entities IS 'What the answer cites or was asked about: [{kind, id}]; empty …
--   COMMENT ON COLUMN public.ai_usage.provider IS 'Who was asked; null in local mode, and where it was not noted.'
--   COMMENT ON COLUMN public.ai_usage.tokens_in IS 'What the provider counted; null until the answer ends, and wh…
--   COMMENT ON FUNCTION private.begin_turn
--   COMMENT ON FUNCTION private.entities_of_answer
--   COMMENT ON FUNCTION private.held_of
--   COMMENT ON FUNCTION private.is_local_only
--   COMMENT ON FUNCTION private.stop_provider_answers
--   COMMENT ON FUNCTION public.ai_usage_by_month
--   COMMENT ON FUNCTION public.consent_timeline
--   COMMENT ON TABLE public.ai_usage IS 'Answers of the assistant: by which provider of AI, or by none, and how m…
--   COMMENT ON TABLE public.privacy_choices IS 'What a person allowed or refused, when, and by which words: only …
--   REVOKE ALL ON FUNCTION private.entities_of_answer
--   REVOKE ALL ON FUNCTION private.held_of
--   GRANT EXECUTE ON FUNCTION private.held_of
--   REVOKE ALL ON FUNCTION private.is_local_only
--   GRANT EXECUTE ON FUNCTION private.is_local_only
--   REVOKE ALL ON FUNCTION private.stop_provider_answers
--   GRANT EXECUTE ON FUNCTION public.ai_usage_by_month
--   GRANT EXECUTE ON FUNCTION public.consent_timeline
--   REVOKE ALL ON TABLE public.ai_usage FROM authenticated
--   GRANT SELECT ON TABLE public.ai_usage TO authenticated
--   REVOKE ALL ON TABLE public.ai_usage FROM service_role
--   GRANT SELECT ON TABLE public.ai_usage TO service_role
--   REVOKE ALL ON TABLE public.privacy_choices FROM authenticated
--   REVOKE ALL (is_allowed) ON TABLE public.privacy_choices FROM authenticated
--   GRANT INSERT (is_allowed) ON TABLE public.privacy_choices TO authenticated
--   REVOKE ALL (purpose) ON TABLE public.privacy_choices FROM authenticated
--   GRANT INSERT (purpose) ON TABLE public.privacy_choices TO authenticated
--   REVOKE ALL (wording) ON TABLE public.privacy_choices FROM authenticated
--   GRANT INSERT (wording) ON TABLE public.privacy_choices TO authenticated
--   GRANT SELECT ON TABLE public.privacy_choices TO authenticated
--   REVOKE ALL ON TABLE public.privacy_choices FROM service_role
--   GRANT SELECT ON TABLE public.privacy_choices TO service_role
--   ALTER TABLE public.privacy_choices ADD CONSTRAINT privacy_choices_user_id_fkey FOREIGN KEY (user_id) REFERENC…
--   CREATE INDEX privacy_choices_newest ON public.privacy_choices USING btree (user_id, purpose, id DESC)
--   CREATE POLICY owners choose ON public.privacy_choices FOR INSERT TO authenticated WITH CHECK ((user_id = ( SE…
--   CREATE POLICY owners read their choices ON public.privacy_choices FOR SELECT TO authenticated USING ((user_id…
--   REVOKE ALL (user_id) ON TABLE public.privacy_choices FROM authenticated
--   GRANT INSERT (user_id) ON TABLE public.privacy_choices TO authenticated

set check_function_bodies = off;

CREATE TABLE "public"."ai_usage" (
  "id"         bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "user_id"    uuid                     NOT NULL,
  "message_id" uuid                     NOT NULL,
  "mode"       text                     NOT NULL,
  "host"       text,
  "provider"   text,
  "model"      text,
  "tokens_in"  integer,
  "tokens_out" integer,
  "credits"    bigint,
  "entities"   jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "a_local_answer_has_no_provider" CHECK (((mode = 'ia'::text) OR ((host IS NULL) AND (provider IS NULL)))),
  CONSTRAINT "ai_usage_message_id_key" UNIQUE (message_id),
  CONSTRAINT "ai_usage_pkey" PRIMARY KEY (id),
  CONSTRAINT "entities_are_a_list" CHECK ((jsonb_typeof(entities) = 'array'::text)),
  CONSTRAINT "modes_are_two" CHECK ((mode = ANY (ARRAY['locale'::text, 'ia'::text]))),
  CONSTRAINT "what_is_counted_is_positive" CHECK (((tokens_in >= 0) AND (tokens_out >= 0) AND (credits >= 0)))
);

ALTER TABLE "public"."ai_usage"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."ai_usage" FROM "anon";

CREATE TABLE "public"."privacy_choices" (
  "id"      bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  CONSTRAINT "privacy_choices_pkey" PRIMARY KEY (id),
  "user_id" uuid   NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."privacy_choices"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."privacy_choices" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."ai_usage_id_seq" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."ai_usage_id_seq" FROM "authenticated";

REVOKE ALL ON SEQUENCE "public"."ai_usage_id_seq" FROM "service_role";

REVOKE ALL ON SEQUENCE "public"."privacy_choices_id_seq" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."privacy_choices_id_seq" FROM "authenticated";

REVOKE ALL ON SEQUENCE "public"."privacy_choices_id_seq" FROM "service_role";

CREATE TYPE "public"."privacy_purpose" AS ENUM (
  'statistics',
  'ai'
);

ALTER TABLE "public"."privacy_choices"
  ADD COLUMN "purpose" public.privacy_purpose NOT NULL;

ALTER TABLE "public"."privacy_choices"
  ADD COLUMN "is_allowed" boolean NOT NULL;

ALTER TABLE "public"."privacy_choices"
  ADD COLUMN "wording" text NOT NULL;

ALTER TABLE "public"."privacy_choices"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

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

CREATE OR REPLACE FUNCTION private.entities_of_answer (
  _message public.messages
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(distinct jsonb_build_object('kind', kind, 'id', id)), '[]')
  from (
    select ref ->> 'kind' as kind, ref ->> 'id' as id from jsonb_array_elements(_message.refs) as ref
    union all
    select picked ->> 'kind', picked ->> 'id' from public.messages
    where user_id = _message.user_id and id = _message.parent_id and picked is not null
    union all
    select 'document', attached::text from public.messages cross join unnest(attachments) as attached
    where user_id = _message.user_id and id = _message.parent_id
  ) as named
  where kind is not null and id is not null and not exists (
    select from public.conversations
    where user_id = _message.user_id and id = _message.conversation_id and is_temporary
  )
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

CREATE OR REPLACE FUNCTION private.held_of (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '10s'
  AS $function$
  select jsonb_build_object(
    'rows', private.personal_counts(_user_id),
    'files', (
      select jsonb_build_object('count', count(*), 'bytes', coalesce(sum((metadata ->> 'size')::bigint), 0))
      from storage.objects where (storage.foldername(name))[1] = _user_id::text
    ),
    'rules', (
      select jsonb_agg(jsonb_build_object('title', title, 'period', period, 'tables', to_jsonb(tables)) order by title)
      from public.retention_rules where is_personal and tables <> '{}'
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.is_local_only (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce((
    select not is_allowed from public.privacy_choices where user_id = _user_id and purpose = 'ai' order by id desc limit 1
  ), false)
$function$;

CREATE OR REPLACE FUNCTION private.stop_provider_answers()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- The lock of private.begin_turn: an answer begins before the choice, and is stopped here, or it sees the choice.
  insert into private.assistant_use as used (user_id, span) values (new.user_id, '1 minute')
  on conflict (user_id, span) do update set turns = used.turns;
  update public.runs set stop_requested_at = now() from public.messages
  where runs.user_id = new.user_id and runs.state = 'running' and runs.stop_requested_at is null
    and messages.user_id = new.user_id and messages.id = runs.message_id and messages.mode = 'ia';
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.ai_usage_by_month()
  RETURNS TABLE (
    month      date,
    mode       text,
    provider   text,
    host       text,
    model      text,
    answers    bigint,
    tokens_in  bigint,
    tokens_out bigint,
    credits    bigint,
    last_at    timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select date_trunc('month', created_at at time zone 'Europe/Rome')::date, mode, provider, host, model, count(*),
    sum(tokens_in)::bigint, sum(tokens_out)::bigint, coalesce(sum(credits), 0)::bigint, max(created_at)
  from public.ai_usage
  where user_id = (select auth.uid())
    and created_at >= (date_trunc('month', now() at time zone 'Europe/Rome') - interval '11 months') at time zone 'Europe/Rome'
  group by 1, 2, 3, 4, 5
  order by 1 desc, 2, 3
$function$;

REVOKE ALL ON FUNCTION "public"."ai_usage_by_month"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.consent_timeline()
  RETURNS TABLE (
    at         timestamp with time zone,
    purpose    text,
    is_allowed boolean,
    wording    text,
    provider   text,
    host       text,
    in_eu      boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select created_at, purpose::text, is_allowed, wording, null, null, null::boolean
  from public.privacy_choices where user_id = (select auth.uid())
  union all
  select agreed_at, 'provider', true, null, provider, host, in_eu
  from private.ai_consents where user_id = (select auth.uid())
  union all
  select created_at, 'terms', true, null, null, null, null from auth.users where id = (select auth.uid())
  order by 1 desc limit 100
$function$;

REVOKE ALL ON FUNCTION "public"."consent_timeline"() FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."ai_usage"
  ADD CONSTRAINT "ai_usage_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."privacy_choices"
  ADD CONSTRAINT "wording_fits" CHECK (((char_length(wording) >= 1) AND (char_length(wording) <= 1000)));

CREATE INDEX ai_usage_latest ON public.ai_usage USING btree (user_id, created_at DESC);

CREATE TRIGGER stop_provider_answers
  BEFORE INSERT ON public.privacy_choices
  FOR EACH ROW
  WHEN (((new.purpose = 'ai'::public.privacy_purpose) AND (NOT new.is_allowed)))
  EXECUTE FUNCTION private.stop_provider_answers();

CREATE POLICY "owners read their use of AI" ON "public"."ai_usage"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."ai_usage"."entities" IS 'What the answer cites or was asked about: [{kind, id}]; empty for a temporary conversation.';

COMMENT ON COLUMN "public"."ai_usage"."provider" IS 'Who was asked; null in local mode, and where it was not noted.';

COMMENT ON COLUMN "public"."ai_usage"."tokens_in" IS 'What the provider counted; null until the answer ends, and where it did not say.';

COMMENT ON FUNCTION "private"."begin_turn"(uuid, jsonb) IS 'Writes down a question, an empty answer and its run, and holds the credits it may cost; the same client_key again answers the same. Turn: {conversation_id, parent_id, regenerate, content, attachments, picked, agent, mode, is_deep, model, host, client_key, is_temporary, max_credits}. Answers {conversation_id, user_message_id, message_id, run_id, hold_id, quote, uses_memory, auto_approve, repeated}. SA001 to SA007, SC003, SC005, PT404.';

COMMENT ON FUNCTION "private"."entities_of_answer"(public.messages) IS 'The records that an answer cites or was asked about: [{kind, id}]; none of a temporary conversation.';

COMMENT ON FUNCTION "private"."held_of"(uuid) IS 'How many rows of a person each table has, how many files there are, and the retention rules about them.';

COMMENT ON FUNCTION "private"."is_local_only"(uuid) IS 'Whether a person wants nothing sent to a provider of AI.';

COMMENT ON FUNCTION "private"."stop_provider_answers"() IS 'Stops answers of a provider that are under way, and waits for one that begins.';

COMMENT ON FUNCTION "public"."ai_usage_by_month"() IS 'The answers of the caller''s assistant in twelve months, by month and by who gave them.';

COMMENT ON FUNCTION "public"."consent_timeline"() IS 'The newest hundred things that the caller agreed to or refused: terms at sign-up, providers of AI, and privacy_choices.';

COMMENT ON TABLE "public"."ai_usage" IS 'Answers of the assistant: by which provider of AI, or by none, and how much went there.';

COMMENT ON TABLE "public"."privacy_choices" IS 'What a person allowed or refused, when, and by which words: only added to.';

REVOKE ALL ON FUNCTION "private"."entities_of_answer"(public.messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."held_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."held_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_local_only"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_local_only"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."stop_provider_answers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."ai_usage_by_month"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."consent_timeline"() TO "authenticated";

REVOKE ALL ON TABLE "public"."ai_usage" FROM "authenticated";

GRANT SELECT ON TABLE "public"."ai_usage" TO "authenticated";

REVOKE ALL ON TABLE "public"."ai_usage" FROM "service_role";

GRANT SELECT ON TABLE "public"."ai_usage" TO "service_role";

REVOKE ALL ON TABLE "public"."privacy_choices" FROM "authenticated";

REVOKE ALL ("is_allowed") ON TABLE "public"."privacy_choices" FROM "authenticated";

GRANT INSERT ("is_allowed") ON TABLE "public"."privacy_choices" TO "authenticated";

REVOKE ALL ("purpose") ON TABLE "public"."privacy_choices" FROM "authenticated";

GRANT INSERT ("purpose") ON TABLE "public"."privacy_choices" TO "authenticated";

REVOKE ALL ("wording") ON TABLE "public"."privacy_choices" FROM "authenticated";

GRANT INSERT ("wording") ON TABLE "public"."privacy_choices" TO "authenticated";

GRANT SELECT ON TABLE "public"."privacy_choices" TO "authenticated";

REVOKE ALL ON TABLE "public"."privacy_choices" FROM "service_role";

GRANT SELECT ON TABLE "public"."privacy_choices" TO "service_role";

ALTER TABLE "public"."privacy_choices"
  ADD CONSTRAINT "privacy_choices_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX privacy_choices_newest ON public.privacy_choices USING btree (user_id, purpose, id DESC);

CREATE POLICY "owners choose" ON "public"."privacy_choices"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their choices" ON "public"."privacy_choices"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."privacy_choices" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."privacy_choices" TO "authenticated";

reset check_function_bodies;

-- Answers of before: who gave them was not noted.
insert into public.ai_usage (user_id, message_id, mode, model, tokens_in, tokens_out, credits, entities, created_at)
  select user_id, id, mode, model, tokens_in, tokens_out, cost, private.entities_of_answer(messages), created_at
  from public.messages where role = 'assistant' and mode is not null
on conflict do nothing;
