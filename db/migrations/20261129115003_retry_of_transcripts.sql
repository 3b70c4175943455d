-- Retry of transcripts.
--   DROP FUNCTION private.begin_transcript
--   ALTER TABLE public.whatsapp_messages ADD COLUMN transcript_retries integer NOT NULL DEFAULT 0
--   CREATE OR REPLACE FUNCTION private.ask_transcript
--   CREATE OR REPLACE FUNCTION private.begin_transcript
--   CREATE OR REPLACE FUNCTION private.retry_transcript
--   COMMENT ON COLUMN public.whatsapp_messages.transcript_retries IS 'How often this attempt is made again by its…
--   COMMENT ON FUNCTION private.begin_transcript
--   COMMENT ON FUNCTION private.retry_transcript
--   REVOKE ALL ON FUNCTION private.begin_transcript
--   GRANT EXECUTE ON FUNCTION private.begin_transcript
--   REVOKE ALL ON FUNCTION private.retry_transcript
--   GRANT EXECUTE ON FUNCTION private.retry_transcript

set check_function_bodies = off;

DROP FUNCTION "private"."begin_transcript"(uuid, text, text, text);

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "transcript_retries" integer NOT NULL DEFAULT 0;

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
  set transcript_state = 'attesa', transcript_error = null, transcript_attempts = transcript_attempts + 1,
    transcript_retries = 0
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

CREATE OR REPLACE FUNCTION private.begin_transcript (
  _message_id uuid,
  _host       text,
  _provider   text,
  _model      text,
  _retry      integer DEFAULT 0
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
  -- A job of an earlier try that runs again, because its worker died, finds that the next one waits already.
  where id = _message_id and transcript_state = 'attesa' and transcript_retries = _retry for update;
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

CREATE OR REPLACE FUNCTION private.retry_transcript (
  _message_id uuid,
  _attempt    integer
)
  RETURNS TABLE (
    retry   integer,
    delay_s double precision
  )
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.whatsapp_messages as message set transcript_retries = transcript_retries + 1
  where id = _message_id and transcript_attempts = _attempt and transcript_state = 'attesa' and transcript_retries < 3
  -- Half a minute, two, eight: within the half hour of the hold. Up to half of it more, so that not all come back at once.
  returning transcript_retries, 7.5 * 4 ^ transcript_retries * (1 + random() / 2)
$function$;

COMMENT ON COLUMN "public"."whatsapp_messages"."transcript_retries" IS 'How often this attempt is made again by itself, under the same hold, because the provider was away.';

COMMENT ON FUNCTION "private"."begin_transcript"(uuid, text, text, text, integer) IS 'The file of a voice note that waits for its text, right before it goes to the provider; no row when it does not wait any more.';

COMMENT ON FUNCTION "private"."retry_transcript"(uuid, integer) IS 'Has a voice note wait for another try, three times at most; answers which and in how many seconds, no row when it was the last.';

REVOKE ALL ON FUNCTION "private"."begin_transcript"(uuid, text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_transcript"(uuid, text, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."retry_transcript"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."retry_transcript"(uuid, integer) TO "service_role";

reset check_function_bodies;
