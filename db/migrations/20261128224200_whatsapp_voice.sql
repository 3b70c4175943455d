-- Whatsapp voice.
--   DROP VIEW private.contact_places
--   DROP FUNCTION private.close_hold_of_answer
--   DROP FUNCTION private.settle_whatsapp_media
--   DROP FUNCTION public.ai_usage_by_month
--   CREATE TABLE public.whatsapp_settings ( voice_credits bigint, CONSTRAINT voice_credits_are_a_price CHECK (((v…
--   ALTER TABLE public.whatsapp_settings ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.whatsapp_settings FROM anon
--   ALTER TABLE public.ai_usage ADD COLUMN work text NOT NULL DEFAULT 'answer'::text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN voice_s integer
--   CREATE TYPE public.transcript_error AS ENUM ( 'fornitore', 'occupato', 'rifiutato', 'vuoto', 'crediti', 'cons…
--   CREATE TYPE public.transcript_state AS ENUM ( 'attesa', 'pronto', 'fallito' )
--   ALTER TABLE public.whatsapp_messages ADD COLUMN transcript_state public.transcript_state
--   ALTER TABLE public.whatsapp_messages ADD COLUMN transcript text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN transcript_error public.transcript_error
--   ALTER TABLE public.whatsapp_messages ADD COLUMN transcript_by text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN transcript_attempts integer NOT NULL DEFAULT 0
--   CREATE OR REPLACE FUNCTION private.add_demo_whatsapp
--   CREATE OR REPLACE FUNCTION private.ask_transcript
--   CREATE OR REPLACE FUNCTION private.ask_transcript_alone
--   CREATE OR REPLACE FUNCTION private.begin_transcript
--   CREATE OR REPLACE FUNCTION private.close_hold_of_answer
--   CREATE OR REPLACE FUNCTION private.close_hold_of_key
--   CREATE OR REPLACE FUNCTION private.fail_transcript
--   CREATE OR REPLACE FUNCTION private.follow_whatsapp_words
--   CREATE OR REPLACE FUNCTION private.keep_transcript
--   CREATE OR REPLACE FUNCTION private.settle_whatsapp_media
--   CREATE OR REPLACE FUNCTION private.transcript_key
--   CREATE OR REPLACE FUNCTION private.transcript_price
--   CREATE OR REPLACE FUNCTION private.whatsapp_words
--   CREATE OR REPLACE FUNCTION public.ai_notice
--   CREATE OR REPLACE FUNCTION public.ai_usage_by_month
--   REVOKE ALL ON FUNCTION public.ai_usage_by_month
--   CREATE OR REPLACE FUNCTION public.search_whatsapp
--   ALTER TABLE public.ai_usage ADD CONSTRAINT works_are_two CHECK ((work = ANY (ARRAY['answer'::text, 'transcrip…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT failed_transcripts_say_why CHECK (((NOT (transcript_state…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT only_voice_has_a_transcript CHECK (((transcript_state IS …
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT ready_transcripts_have_words CHECK (((NOT (transcript_sta…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT their_providers_fit CHECK (((char_length(transcript_by) …
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT transcripts_fit CHECK (((char_length(transcript) >= 1) A…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT voice_has_a_length CHECK ((voice_s > 0))
--   CREATE VIEW private.contact_places WITH (security_invoker=on) AS SELECT place, (keys)::text[] AS keys, domain…
--   CREATE TRIGGER follow_whatsapp_transcript AFTER UPDATE OF transcript ON public.whatsapp_messages FOR EACH ROW…
--   COMMENT ON COLUMN public.whatsapp_messages.transcript IS 'The words of a voice note as a provider of AI heard…
--   COMMENT ON COLUMN public.whatsapp_messages.transcript_attempts IS 'How often its words were asked for. Each a…
--   COMMENT ON COLUMN public.whatsapp_messages.transcript_by IS 'The provider that heard it, as people know it.'
--   COMMENT ON COLUMN public.whatsapp_messages.voice_s IS 'How many seconds a voice note lasts; null for any othe…
--   COMMENT ON COLUMN public.whatsapp_settings.voice_credits IS 'The price of a minute for which voice notes beco…
--   COMMENT ON FUNCTION private.add_demo_whatsapp
--   COMMENT ON FUNCTION private.ask_transcript
--   COMMENT ON FUNCTION private.ask_transcript_alone
--   COMMENT ON FUNCTION private.begin_transcript
--   COMMENT ON FUNCTION private.close_hold_of_answer
--   COMMENT ON FUNCTION private.close_hold_of_key
--   COMMENT ON FUNCTION private.fail_transcript
--   COMMENT ON FUNCTION private.keep_transcript
--   COMMENT ON FUNCTION private.settle_whatsapp_media
--   COMMENT ON FUNCTION private.transcript_key
--   COMMENT ON FUNCTION private.transcript_price
--   COMMENT ON FUNCTION private.whatsapp_words
--   COMMENT ON FUNCTION public.ai_notice
--   COMMENT ON FUNCTION public.ai_usage_by_month
--   COMMENT ON TABLE public.ai_usage IS 'Answers of the assistant and transcripts of voice notes: by which provid…
--   COMMENT ON TABLE public.whatsapp_settings IS 'What Socio does by itself on WhatsApp; a person without a row w…
--   COMMENT ON VIEW private.contact_places IS 'What belongs to a contact: tables with their keys, how a row reads…
--   REVOKE ALL ON FUNCTION private.ask_transcript
--   GRANT EXECUTE ON FUNCTION private.ask_transcript
--   REVOKE ALL ON FUNCTION private.ask_transcript_alone
--   GRANT EXECUTE ON FUNCTION private.ask_transcript_alone
--   REVOKE ALL ON FUNCTION private.begin_transcript
--   GRANT EXECUTE ON FUNCTION private.begin_transcript
--   REVOKE ALL ON FUNCTION private.close_hold_of_answer
--   REVOKE ALL ON FUNCTION private.close_hold_of_key
--   REVOKE ALL ON FUNCTION private.fail_transcript
--   GRANT EXECUTE ON FUNCTION private.fail_transcript
--   REVOKE ALL ON FUNCTION private.keep_transcript
--   GRANT EXECUTE ON FUNCTION private.keep_transcript
--   REVOKE ALL ON FUNCTION private.settle_whatsapp_media
--   GRANT EXECUTE ON FUNCTION private.settle_whatsapp_media
--   REVOKE ALL ON FUNCTION private.transcript_key
--   REVOKE ALL ON FUNCTION private.transcript_price
--   REVOKE ALL ON FUNCTION private.whatsapp_words
--   GRANT EXECUTE ON FUNCTION public.ai_usage_by_month
--   REVOKE ALL ON TABLE public.whatsapp_settings FROM authenticated
--   REVOKE ALL (voice_credits) ON TABLE public.whatsapp_settings FROM authenticated
--   GRANT INSERT (voice_credits), UPDATE (voice_credits) ON TABLE public.whatsapp_settings TO authenticated
--   GRANT SELECT ON TABLE public.whatsapp_settings TO authenticated
--   REVOKE ALL ON TABLE public.whatsapp_settings FROM service_role
--   GRANT SELECT ON TABLE public.whatsapp_settings TO service_role
--   ALTER TABLE public.whatsapp_settings ADD CONSTRAINT whatsapp_settings_user_id_fkey FOREIGN KEY (user_id) REFE…
--   CREATE POLICY owners add their whatsapp settings ON public.whatsapp_settings FOR INSERT TO authenticated WITH…
--   CREATE POLICY owners change their whatsapp settings ON public.whatsapp_settings FOR UPDATE TO authenticated U…
--   CREATE POLICY owners read their whatsapp settings ON public.whatsapp_settings FOR SELECT TO authenticated USI…
--   REVOKE ALL (user_id) ON TABLE public.whatsapp_settings FROM authenticated
--   GRANT INSERT (user_id), UPDATE (user_id) ON TABLE public.whatsapp_settings TO authenticated

set check_function_bodies = off;

DROP VIEW "private"."contact_places";

DROP FUNCTION "private"."close_hold_of_answer"(uuid, uuid, bigint);

DROP FUNCTION "private"."settle_whatsapp_media"(uuid, public.whatsapp_media_state, text, uuid);

DROP FUNCTION "public"."ai_usage_by_month"();

CREATE TABLE "public"."whatsapp_settings" (
  "voice_credits" bigint,
  CONSTRAINT "voice_credits_are_a_price" CHECK (((voice_credits >= 0) AND (voice_credits <= 1000))),
  "user_id"       uuid   NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "whatsapp_settings_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "public"."whatsapp_settings"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."whatsapp_settings" FROM "anon";

ALTER TABLE "public"."ai_usage"
  ADD COLUMN "work" text NOT NULL DEFAULT 'answer'::text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "voice_s" integer;

CREATE TYPE "public"."transcript_error" AS ENUM (
  'fornitore',
  'occupato',
  'rifiutato',
  'vuoto',
  'crediti',
  'consenso',
  'file',
  'interrotto',
  'fermo'
);

CREATE TYPE "public"."transcript_state" AS ENUM (
  'attesa',
  'pronto',
  'fallito'
);

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "transcript_state" public.transcript_state;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "transcript" text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "transcript_error" public.transcript_error;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "transcript_by" text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "transcript_attempts" integer NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION private.add_demo_whatsapp (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _channel public.contact_channels;
  _made uuid[];
begin
  insert into public.contact_channels (
    user_id, contact_id, kind, portfolio, external_id, phone_id, last_inbound_at, window_expires_at, is_done, last_at, snippet
  )
  select _user_id, contacts.id, 'whatsapp', 'demo', 'IT.DEMO', phones.id, now() - interval '2 hours', now() + interval '22 hours',
    false, now() - interval '2 hours', 'Perfetto, la aspetto. Una domanda: possiamo averle anche in inglese?'
  from private.demo_contacts(_user_id) as contacts
  left join public.contact_phones as phones on phones.user_id = _user_id and phones.contact_id = contacts.id and is_primary
  where name = 'Luca Ricci'
  returning * into _channel;
  if _channel.id is null then
    return;
  end if;
  perform private.note_demo(_user_id, 'contact_channels', array[_channel.id]);
  with made as (
    insert into public.whatsapp_messages (
      user_id, contact_id, channel_id, direction, message_id, key, kind, body, summary, voice_s, transcript_state, transcript,
      at, created_at, state, not_before, expires_at, sent_at, delivered_at, read_at
    )
    select _user_id, _channel.contact_id, _channel.id, direction::public.interaction_direction, 'demo.' || nth,
      case when is_ours then gen_random_uuid() end, case when voice_s is null then 'text' else 'audio' end,
      case when voice_s is null then body else '' end, case when voice_s is null then body else 'Messaggio vocale' end, voice_s,
      case when voice_s is not null then 'pronto'::public.transcript_state end, case when voice_s is not null then body end,
      moment, moment,
      case when is_ours then 'read'::public.whatsapp_state end, case when is_ours then moment end,
      case when is_ours then moment + interval '1 day' end, case when is_ours then moment end,
      case when is_ours then moment end, case when is_ours then moment end
    from (values
      (1, 'entrata', 'Buongiorno, come procedono le etichette della nuova annata?', 200, null),
      (2, 'uscita', 'Buongiorno Luca! Ti mando la bozza entro domani mattina.', 170, null),
      (3, 'entrata', 'Per il retro ricordati il lotto in basso a destra e la scritta «contiene solfiti». La carta la scelgo io.', 140, 9),
      (4, 'entrata', 'Perfetto, la aspetto. Una domanda: possiamo averle anche in inglese?', 120, null)
    ) as written (nth, direction, body, minutes, voice_s),
      lateral (select now() - make_interval(mins => minutes) as moment, direction = 'uscita' as is_ours) as moments
    returning id
  )
  select array(select id from made) into _made;
  perform private.note_demo(_user_id, 'whatsapp_messages', _made);
end
$function$;

CREATE OR REPLACE FUNCTION private.ask_transcript (
  _user_id     uuid,
  _message_id  uuid,
  _host        text,
  _max_credits bigint
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _price bigint;
begin
  -- Locked, so that a second click waits here and finds the first.
  select * into _message from public.whatsapp_messages
  where user_id = _user_id and id = _message_id and voice_s is not null and storage_path is not null for update;
  if not found then
    raise exception 'no such voice note' using errcode = 'PT404';
  elsif _message.transcript_state = 'pronto' or _message.transcript_state = 'attesa' and exists (
    select from public.credit_holds
    where user_id = _user_id and state = 'open'
      and idempotency_key = private.transcript_key(_message_id, _message.transcript_attempts)
  ) then
    return false;
  elsif _message.voice_s > 1200 then
    raise exception 'the voice note is too long' using errcode = 'SW012';
  elsif private.is_frozen(_user_id) then
    raise exception 'the account is frozen' using errcode = 'SD001';
  elsif private.is_local_only(_user_id) then
    raise exception 'the person wants the local mode only' using errcode = 'SA007';
  elsif private.is_ai_stopped() then
    raise exception 'the AI is stopped' using errcode = 'SA008';
  elsif not exists (select from private.ai_consents where user_id = _user_id and host = _host) then
    raise exception 'the person has not agreed to this provider' using errcode = 'SA006';
  end if;
  _price := private.transcript_price(_message.voice_s);
  if _price > _max_credits then
    raise exception 'the text costs more than was shown' using errcode = 'SA005', detail = _price;
  end if;
  update public.whatsapp_messages
  set transcript_state = 'attesa', transcript_error = null, transcript_attempts = transcript_attempts + 1
  where id = _message_id
  returning * into _message;
  if _price > 0 then
    perform private.hold_credits(
      _user_id, _price, private.transcript_key(_message_id, _message.transcript_attempts), 'voice_minute', _message_id::text,
      now() + interval '30 minutes'
    );
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.ask_transcript_alone (
  _message_id uuid,
  _host       text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _agreed bigint;
begin
  select messages.* into _message from public.whatsapp_messages as messages where id = _message_id and transcript_state is null;
  select voice_credits * ceil(_message.voice_s / 60.0)::bigint into _agreed
  from public.whatsapp_settings where user_id = _message.user_id;
  -- Strangers write too, and must not empty a wallet: five minutes at most, fifty times a day.
  if _agreed is null or _message.voice_s > 300 or 50 <= (
    select count(*) from public.ai_usage
    where user_id = _message.user_id and work = 'transcript' and created_at > now() - interval '1 day'
  ) then
    return false;
  end if;
  return private.ask_transcript(_message.user_id, _message_id, _host, _agreed);
exception
  when sqlstate 'SC003' or sqlstate 'SC005' or sqlstate 'SC009' then
    update public.whatsapp_messages set transcript_state = 'fallito', transcript_error = 'crediti' where id = _message_id;
    return false;
  when sqlstate 'SA005' or sqlstate 'SA006' or sqlstate 'SA007' or sqlstate 'SA008' or sqlstate 'SD001' or sqlstate 'PT404'
  then
    return false;
end
$function$;

CREATE OR REPLACE FUNCTION private.begin_transcript (
  _message_id uuid,
  _host       text,
  _provider   text,
  _model      text
)
  RETURNS TABLE (
    user_id      uuid,
    storage_path text,
    voice_s      integer,
    attempt      integer
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
begin
  select * into _message from public.whatsapp_messages as messages
  where id = _message_id and transcript_state = 'attesa' for update;
  if not found then
    return;
  elsif private.is_frozen(_message.user_id) or private.is_local_only(_message.user_id) or not exists (
    select from private.ai_consents as given where given.user_id = _message.user_id and host = _host
  ) then
    -- Taken back after the text was asked for.
    perform private.fail_transcript(_message_id, _message.transcript_attempts, 'consenso');
    return;
  elsif private.is_ai_stopped() then
    perform private.fail_transcript(_message_id, _message.transcript_attempts, 'fermo');
    return;
  end if;
  -- A row before the file leaves, so that an attempt that fails is counted too.
  insert into public.ai_usage as usage (user_id, message_id, work, mode, host, provider, model, entities)
  values (
    _message.user_id, _message_id, 'transcript', 'ia', _host, _provider, _model,
    jsonb_build_array(jsonb_build_object('kind', 'contact', 'id', _message.contact_id))
  )
  on conflict (message_id) do update set host = _host, provider = _provider, model = _model;
  return query select _message.user_id, _message.storage_path, _message.voice_s, _message.transcript_attempts;
end
$function$;

CREATE OR REPLACE FUNCTION private.close_hold_of_answer (
  _user_id    uuid,
  _message_id uuid,
  _cost       bigint
)
  RETURNS bigint
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.close_hold_of_key(_user_id, 'chat:' || _message_id, _cost)
$function$;

CREATE OR REPLACE FUNCTION private.close_hold_of_key (
  _user_id         uuid,
  _idempotency_key text,
  _cost            bigint
)
  RETURNS bigint
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where user_id = _user_id and idempotency_key = _idempotency_key;
  if not found then
    return 0;
  end if;
  _hold := private.lock_hold(_hold.id);
  if _hold.state <> 'open' then
    -- Swept: what took that long is a gift.
    return coalesce(_hold.captured, 0);
  elsif _cost > 0 then
    return (private.settle_hold(_hold.id, least(_cost, _hold.amount), _idempotency_key)).captured;
  end if;
  perform private.release_hold(_hold.id);
  return 0;
end
$function$;

CREATE OR REPLACE FUNCTION private.fail_transcript (
  _message_id uuid,
  _attempt    integer,
  _error      public.transcript_error
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid;
begin
  update public.whatsapp_messages set transcript_state = 'fallito', transcript_error = _error
  where id = _message_id and transcript_attempts = coalesce(_attempt, transcript_attempts) and transcript_state = 'attesa'
  returning user_id, transcript_attempts into _user_id, _attempt;
  perform private.close_hold_of_key(_user_id, private.transcript_key(_message_id, _attempt), 0);
end
$function$;

CREATE OR REPLACE FUNCTION private.follow_whatsapp_words()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.whatsapp_search (message_id, user_id, document)
  values (new.id, new.user_id, private.text_document(new.user_id, private.whatsapp_words(new)))
  on conflict (message_id) do update set document = excluded.document;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_transcript (
  _user_id    uuid,
  _message_id uuid,
  _attempt    integer,
  _text       text,
  _by         text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _key constant text := private.transcript_key(_message_id, _attempt);
  _message public.whatsapp_messages;
  _cost bigint;
begin
  update public.whatsapp_messages
  set transcript_state = 'pronto', transcript = left(_text, 20000), transcript_by = left(_by, 100)
  where user_id = _user_id and id = _message_id and transcript_attempts = _attempt and transcript_state = 'attesa'
  returning * into _message;
  if not found then
    -- Its contact was erased, or another worker was faster and has closed the hold.
    perform private.close_hold_of_key(_user_id, _key, 0);
    return false;
  end if;
  _cost := private.close_hold_of_key(_user_id, _key, private.transcript_price(_message.voice_s));
  update public.ai_usage set credits = coalesce(credits, 0) + _cost where message_id = _message_id;
  update public.interactions set summary = private.whatsapp_words(_message)
  where user_id = _user_id and contact_id = _message.contact_id and kind = 'whatsapp' and direction = 'entrata'
    and at = _message.at and summary = _message.summary;
  update public.contact_channels set snippet = left(private.whatsapp_words(_message), 200)
  where user_id = _user_id and id = _message.channel_id and last_inbound_at = _message.at and snippet = _message.summary;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_whatsapp_media (
  _message_id   uuid,
  _state        public.whatsapp_media_state,
  _storage_path text                        DEFAULT NULL::text,
  _document_id  uuid                        DEFAULT NULL::uuid,
  _voice_s      integer                     DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.whatsapp_messages
  set media_state = _state, storage_path = _storage_path, document_id = _document_id, voice_s = _voice_s
  where id = _message_id and case _state
    -- A job that was given up knows less than what was recorded before.
    when 'fallito' then media_state = 'attesa' else media_state not in ('pronto', 'illeggibile')
  end
$function$;

CREATE OR REPLACE FUNCTION private.transcript_key (
  _message_id uuid,
  _attempt    integer
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select 'voice:' || _message_id || ':' || _attempt
$function$;

CREATE OR REPLACE FUNCTION private.transcript_price (
  _voice_s integer
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.quote_of('voice_minute') * ceil(_voice_s / 60.0)::bigint
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_words (
  _message public.whatsapp_messages
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select left(concat_ws(': ', (_message).summary, (_message).transcript), 20000)
$function$;

CREATE OR REPLACE FUNCTION public.ai_notice (
  _contact_id uuid DEFAULT NULL::uuid,
  _project_id uuid DEFAULT NULL::uuid
)
  RETURNS TABLE (
    step     text,
    mode     text,
    provider text,
    model    text,
    times    bigint,
    reviewed bigint,
    first_at timestamp with time zone,
    last_at  timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with about as (
    select 'contact' as kind, id::text from public.contacts where id = _contact_id
    union all
    select 'project', id::text from public.projects where id = _project_id or contact_id = _contact_id
    union all
    select 'task', id::text from public.tasks where contact_id = _contact_id or project_id = _project_id
    union all
    select 'deal', id::text from public.deals where contact_id = _contact_id
    union all
    select 'document', id::text from public.documents where contact_id = _contact_id
    union all
    select 'invoice', id::text from public.invoices where contact_id = _contact_id
  )
  select work, mode, provider, model, count(*), 0::bigint, min(created_at), max(created_at)
  from public.ai_usage
  where user_id = (select auth.uid()) and exists (
    select from jsonb_array_elements(entities) as entity
    join about on about.kind = entity ->> 'kind' and about.id = entity ->> 'id'
  )
  group by work, mode, provider, model
  union all
  select 'draft', ai ->> 'mode', ai ->> 'provider', ai ->> 'model', count(*), count(*), min(created_at), max(created_at)
  from public.drafts where contact_id = _contact_id and ai is not null
  group by ai ->> 'mode', ai ->> 'provider', ai ->> 'model'
  union all
  select 'letter', 'locale', null, null, count(*), count(approved_at), min(done_at), max(done_at)
  from public.goal_steps where contact_id = _contact_id and tool = 'mail' and state = 'fatto' having count(*) > 0
  union all
  select 'reading', 'locale', null, null, count(*), 0, min(created_at), max(created_at)
  from public.documents
  where contact_id = _contact_id and state in ('pronto', 'da_verificare') having count(*) > 0
  order by 1, 2, 3
$function$;

CREATE OR REPLACE FUNCTION public.ai_usage_by_month()
  RETURNS TABLE (
    month      date,
    work       text,
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
  select date_trunc('month', created_at at time zone 'Europe/Rome')::date, work, mode, provider, host, model, count(*),
    sum(tokens_in)::bigint, sum(tokens_out)::bigint, coalesce(sum(credits), 0)::bigint, max(created_at)
  from public.ai_usage
  where user_id = (select auth.uid())
    and created_at >= (date_trunc('month', now() at time zone 'Europe/Rome') - interval '11 months') at time zone 'Europe/Rome'
  group by 1, 2, 3, 4, 5, 6
  order by 1 desc, 2, 3, 4
$function$;

REVOKE ALL ON FUNCTION "public"."ai_usage_by_month"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.search_whatsapp (
  _query text,
  _limit integer DEFAULT 30
)
  RETURNS TABLE (
    message_id uuid,
    channel_id uuid,
    contact_id uuid,
    is_sent    boolean,
    party      text,
    snippet    text,
    marks      integer[],
    at         timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with asked as materialized (
    select * from private.asked_words(_query)
  ), shown as (
    select message.* from asked
    join private.whatsapp_search as kept on kept.document @@ asked.query and kept.user_id = (select auth.uid())
    join public.whatsapp_messages as message
      on message.user_id = (select auth.uid()) and message.id = kept.message_id and message.state is distinct from 'cancelled'
    order by message.at desc, message.id limit least(greatest(_limit, 0), 100)
  )
  select shown.id, shown.channel_id, shown.contact_id, shown.direction = 'uscita', contacts.name, cut.snippet, cut.marks, shown.at
  from shown cross join asked
  join public.contacts on contacts.user_id = (select auth.uid()) and contacts.id = shown.contact_id
  cross join lateral private.page_snippet(private.whatsapp_words(shown), asked.patterns) as cut
  order by shown.at desc, shown.id
$function$;

ALTER TABLE "public"."ai_usage"
  ADD CONSTRAINT "works_are_two" CHECK ((work = ANY (ARRAY['answer'::text, 'transcript'::text])));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "failed_transcripts_say_why" CHECK (((NOT (transcript_state IS DISTINCT FROM 'fallito'::public.transcript_state)) = (transcript_error IS NOT NULL)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "only_voice_has_a_transcript" CHECK (((transcript_state IS NULL) OR (voice_s IS NOT NULL)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "ready_transcripts_have_words" CHECK (((NOT (transcript_state IS DISTINCT FROM 'pronto'::public.transcript_state)) = (transcript IS NOT NULL)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "their_providers_fit" CHECK (((char_length(transcript_by) >= 1) AND (char_length(transcript_by) <= 100)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "transcripts_fit" CHECK (((char_length(transcript) >= 1) AND (char_length(transcript) <= 20000)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "voice_has_a_length" CHECK ((voice_s > 0));

CREATE VIEW "private"."contact_places" WITH (security_invoker=on) AS  SELECT place,
    (keys)::text[] AS keys,
    domain,
    label,
    words,
    moment,
    fate,
    kept_if,
    reason
   FROM ( VALUES ('contact_emails'::text,'{contact_id}'::text,'scheda'::text,'Indirizzi email'::text,'one.value'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_phones'::text,'{contact_id}'::text,'scheda'::text,'Numeri di telefono'::text,'one.value'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_tags'::text,'{contact_id}'::text,'scheda'::text,'Etichette'::text,'(select name from public.tags where user_id = one.user_id and id = one.tag_id)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_channels'::text,'{contact_id}'::text,'scheda'::text,'Identità WhatsApp'::text,'coalesce(one.username, one.external_id)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('document_aliases'::text,'{contact_id}'::text,'scheda'::text,'Come lo riconosciamo nei documenti'::text,'one.value'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('notes'::text,'{contact_id}'::text,'storia'::text,'Note'::text,'one.body'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('interactions'::text,'{contact_id}'::text,'storia'::text,'Chiamate, messaggi e incontri'::text,'coalesce(one.summary, one.kind::text)'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('consents'::text,'{contact_id}'::text,'consensi'::text,'Consensi di oggi'::text,'concat_ws('', '', one.channel, one.purpose, one.state)'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('consent_events'::text,'{contact_id}'::text,'consensi'::text,'Storia dei consensi'::text,'concat_ws('', '', one.channel, one.purpose, one.state)'::text,'one.at'::text,'resta'::text,'true'::text,'Provano che cosa è stato consentito o revocato (art. 7 GDPR): restano senza nome'::text), ('deals'::text,'{contact_id}'::text,'lavoro'::text,'Trattative'::text,'one.title'::text,'one.created_at'::text,'senza_nome'::text,'false'::text,'È il tuo lavoro: resta senza il suo nome'::text), ('projects'::text,'{contact_id}'::text,'lavoro'::text,'Progetti'::text,'one.name'::text,'one.created_at'::text,'senza_nome'::text,'false'::text,'È il tuo lavoro: resta senza il suo nome'::text), ('tasks'::text,'{contact_id,waiting_for}'::text,'lavoro'::text,'Attività'::text,'one.title'::text,'one.created_at'::text,'senza_nome'::text,'false'::text,'È il tuo lavoro: resta senza il suo nome'::text), ('insights'::text,'{contact_id}'::text,'lavoro'::text,'Suggerimenti'::text,'one.title'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('goal_steps'::text,'{contact_id}'::text,'lavoro'::text,'Passi degli agenti'::text,'coalesce(one.preview ->> ''subject'', one.tool)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('mail_threads'::text,'{contact_id}'::text,'messaggi'::text,'Conversazioni per email'::text,'one.subject'::text,'one.last_at'::text,'via'::text,'false'::text,NULL::text), ('received_mails'::text,'{contact_id}'::text,'messaggi'::text,'Email ricevute'::text,'one.subject'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('outgoing_mails'::text,'{contact_id}'::text,'messaggi'::text,'Email inviate'::text,'one.subject'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('drafts'::text,'{contact_id}'::text,'messaggi'::text,'Bozze'::text,'coalesce(one.subject, one.body)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('whatsapp_messages'::text,'{contact_id}'::text,'messaggi'::text,'Messaggi WhatsApp'::text,'private.whatsapp_words(one)'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('documents'::text,'{contact_id}'::text,'documenti'::text,'Documenti'::text,'one.filename'::text,'one.created_at'::text,'via'::text,'private.is_kept_document(one)'::text,'Fatture e documenti fiscali: dieci anni (art. 2220 c.c.); contratti: fino alla prescrizione (art. 2946 c.c.)'::text), ('invoices'::text,'{contact_id}'::text,'documenti'::text,'Fatture'::text,'one.number'::text,'one.issued_on::timestamptz'::text,'resta'::text,'true'::text,'Dieci anni, per legge (art. 2220 c.c.)'::text), ('memories'::text,'{contact_id}'::text,'assistente'::text,'Che cosa ricorda Socio'::text,'one.body'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_requests'::text,'{contact_id}'::text,'richieste'::text,'Richieste sui suoi dati'::text,'one.kind::text'::text,'one.received_on::timestamptz'::text,'resta'::text,'true'::text,'Dimostrano che hai risposto (art. 5 GDPR): con il nome, cinque anni dalla chiusura'::text)) places(place, keys, domain, label, words, moment, fate, kept_if, reason);

CREATE TRIGGER follow_whatsapp_transcript
  AFTER UPDATE OF transcript ON public.whatsapp_messages
  FOR EACH ROW
  WHEN ((new.transcript IS DISTINCT FROM old.transcript))
  EXECUTE FUNCTION private.follow_whatsapp_words();

COMMENT ON COLUMN "public"."whatsapp_messages"."transcript" IS 'The words of a voice note as a provider of AI heard them.';

COMMENT ON COLUMN "public"."whatsapp_messages"."transcript_attempts" IS 'How often its words were asked for. Each attempt has its own hold of credits.';

COMMENT ON COLUMN "public"."whatsapp_messages"."transcript_by" IS 'The provider that heard it, as people know it.';

COMMENT ON COLUMN "public"."whatsapp_messages"."voice_s" IS 'How many seconds a voice note lasts; null for any other file, and until it was fetched.';

COMMENT ON COLUMN "public"."whatsapp_settings"."voice_credits" IS 'The price of a minute for which voice notes become text by themselves; null: only when asked.';

COMMENT ON FUNCTION "private"."add_demo_whatsapp"(uuid) IS 'A short conversation by WhatsApp, with a voice note and its transcript, that waits for an answer.';

COMMENT ON FUNCTION "private"."ask_transcript"(uuid, uuid, text, bigint) IS 'Has a voice note wait for its text and holds the price; false when the text is there or under way already.';

COMMENT ON FUNCTION "private"."ask_transcript_alone"(uuid, text) IS 'Has a voice note that was just fetched become text where its person wants that, at most at the price agreed to.';

COMMENT ON FUNCTION "private"."begin_transcript"(uuid, text, text, text) IS 'The file of a voice note that waits for its text, right before it goes to the provider; no row when it does not wait any more.';

COMMENT ON FUNCTION "private"."close_hold_of_answer"(uuid, uuid, bigint) IS 'Takes what an answer costs, at most what is held for it, and gives the rest back; answers what it took.';

COMMENT ON FUNCTION "private"."close_hold_of_key"(uuid, text, bigint) IS 'Takes what work costs from the hold with this key, at most all of it, and gives the rest back; answers what it took.';

COMMENT ON FUNCTION "private"."fail_transcript"(uuid, integer, public.transcript_error) IS 'Says why a voice note has no text, and gives the credits back; without an attempt of the last one.';

COMMENT ON FUNCTION "private"."keep_transcript"(uuid, uuid, integer, text, text) IS 'Keeps the text of a voice note and takes its price, once, at the message, in the history and in the list of conversations.';

COMMENT ON FUNCTION "private"."settle_whatsapp_media"(uuid, public.whatsapp_media_state, text, uuid, integer) IS 'Records where the file of a message is and how long its voice lasts, or why it is missing.';

COMMENT ON FUNCTION "private"."transcript_key"(uuid, integer) IS 'The key of the credits that an attempt holds.';

COMMENT ON FUNCTION "private"."transcript_price"(integer) IS 'What the text of a voice note costs: each minute that it has begun.';

COMMENT ON FUNCTION "private"."whatsapp_words"(public.whatsapp_messages) IS 'What a message says: its summary, and the transcript of a voice note.';

COMMENT ON FUNCTION "public"."ai_notice"(uuid, uuid) IS 'Where AI worked for a contact or a project of the caller: answers about it, transcripts, drafts, letters of agents, papers read; by which provider, or by none, and how many a person reviewed.';

COMMENT ON FUNCTION "public"."ai_usage_by_month"() IS 'The answers and transcripts of the caller in twelve months, by month and by who gave them.';

COMMENT ON TABLE "public"."ai_usage" IS 'Answers of the assistant and transcripts of voice notes: by which provider of AI, or by none, and how much went there.';

COMMENT ON TABLE "public"."whatsapp_settings" IS 'What Socio does by itself on WhatsApp; a person without a row wants nothing of it.';

COMMENT ON VIEW "private"."contact_places" IS 'What belongs to a contact: tables with their keys, how a row reads, and what an erasure does with it and why.';

REVOKE ALL ON FUNCTION "private"."ask_transcript"(uuid, uuid, text, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_transcript"(uuid, uuid, text, bigint) TO "service_role";

REVOKE ALL ON FUNCTION "private"."ask_transcript_alone"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ask_transcript_alone"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_transcript"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_transcript"(uuid, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."close_hold_of_answer"(uuid, uuid, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."close_hold_of_key"(uuid, text, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fail_transcript"(uuid, integer, public.transcript_error) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail_transcript"(uuid, integer, public.transcript_error) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_transcript"(uuid, uuid, integer, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_transcript"(uuid, uuid, integer, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_whatsapp_media"(uuid, public.whatsapp_media_state, text, uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_whatsapp_media"(uuid, public.whatsapp_media_state, text, uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."transcript_key"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."transcript_price"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_words"(public.whatsapp_messages) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."ai_usage_by_month"() TO "authenticated";

REVOKE ALL ON TABLE "public"."whatsapp_settings" FROM "authenticated";

REVOKE ALL ("voice_credits") ON TABLE "public"."whatsapp_settings" FROM "authenticated";

GRANT INSERT ("voice_credits"), UPDATE ("voice_credits") ON TABLE "public"."whatsapp_settings" TO "authenticated";

GRANT SELECT ON TABLE "public"."whatsapp_settings" TO "authenticated";

REVOKE ALL ON TABLE "public"."whatsapp_settings" FROM "service_role";

GRANT SELECT ON TABLE "public"."whatsapp_settings" TO "service_role";

ALTER TABLE "public"."whatsapp_settings"
  ADD CONSTRAINT "whatsapp_settings_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "owners add their whatsapp settings" ON "public"."whatsapp_settings"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners change their whatsapp settings" ON "public"."whatsapp_settings"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their whatsapp settings" ON "public"."whatsapp_settings"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."whatsapp_settings" FROM "authenticated";

GRANT INSERT ("user_id"), UPDATE ("user_id") ON TABLE "public"."whatsapp_settings" TO "authenticated";

reset check_function_bodies;

-- A published version never changes: the next one is a copy with the price of a minute of voice.
insert into public.catalog_versions (version, note) values (2, 'Voice notes that become text');

insert into public.plans (version, id, position, name, price_cents, currency, period, credits, features, highlight, badge, savings)
select 2, id, position, name, price_cents, currency, period, credits, features, highlight, badge, savings
from public.plans where version = 1;

insert into public.packs (
  version, id, position, name, store_name, description, credits, bonus, price_cents, currency, features, popular, badge
)
select 2, id, position, name, store_name, description, credits, bonus, price_cents, currency, features, popular, badge
from public.packs where version = 1;

insert into public.credit_prices (version, action, position, name, min_credits, max_credits, note)
select 2, action, position, name, min_credits, max_credits, note from public.credit_prices where version = 1
union all
select 2, 'voice_minute', 13, 'Trascrizione di un messaggio vocale', 1, 1, 'Per minuto iniziato';

insert into public.claims (version, key, surface, text, value, unit, formula, base, source, status, effective_key)
select 2, key, surface, text, value, unit, formula, base, source, status, effective_key
from public.claims where version = 1;

update public.catalog_versions set published_at = now() where version = 2;
