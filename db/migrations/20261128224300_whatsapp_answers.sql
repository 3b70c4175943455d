-- Whatsapp answers.
--   DROP FUNCTION private.add_whatsapp
--   ALTER TABLE public.whatsapp_messages ADD COLUMN answers_id uuid
--   CREATE TYPE public.whatsapp_answer_when AS ENUM ( 'mai', 'fuori_orario', 'sempre', 'ferie' )
--   ALTER TABLE public.whatsapp_settings ADD COLUMN answer_when public.whatsapp_answer_when NOT NULL DEFAULT 'mai…
--   ALTER TABLE public.whatsapp_settings ADD COLUMN answer_text text
--   ALTER TABLE public.whatsapp_settings ADD COLUMN answer_until date
--   CREATE OR REPLACE FUNCTION private.add_whatsapp
--   CREATE OR REPLACE FUNCTION private.answer_automatically
--   CREATE OR REPLACE FUNCTION private.automatic_answer
--   CREATE OR REPLACE FUNCTION private.begin_whatsapp
--   CREATE OR REPLACE FUNCTION private.is_answer_needless
--   CREATE OR REPLACE FUNCTION private.is_at_work
--   CREATE OR REPLACE FUNCTION private.is_away
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_message
--   CREATE OR REPLACE FUNCTION private.whatsapp_refusal
--   CREATE OR REPLACE FUNCTION private.working_hours
--   CREATE OR REPLACE FUNCTION public.preview_whatsapp_answer
--   REVOKE ALL ON FUNCTION public.preview_whatsapp_answer
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT whatsapp_messages_user_id_answers_id_fkey FOREIGN KEY (us…
--   ALTER TABLE public.whatsapp_settings ADD CONSTRAINT answer_fits CHECK (((char_length(answer_text) >= 1) AND (…
--   ALTER TABLE public.whatsapp_settings ADD CONSTRAINT holidays_end CHECK (((answer_when <> 'ferie'::public.what…
--   CREATE INDEX whatsapp_messages_answers ON public.whatsapp_messages USING btree (user_id, answers_id)
--   COMMENT ON COLUMN public.whatsapp_messages.answers_id IS 'The received message to which it is the automatic a…
--   COMMENT ON COLUMN public.whatsapp_messages.is_automatic IS 'No person wrote it: the answer to STOP, or the au…
--   COMMENT ON COLUMN public.whatsapp_settings.answer_text IS 'In the words of the person; null: the default text…
--   COMMENT ON COLUMN public.whatsapp_settings.answer_until IS 'The last day of the holidays.'
--   COMMENT ON COLUMN public.whatsapp_settings.answer_when IS 'When somebody who writes is answered automatically…
--   COMMENT ON FUNCTION private.add_whatsapp
--   COMMENT ON FUNCTION private.answer_automatically
--   COMMENT ON FUNCTION private.automatic_answer
--   COMMENT ON FUNCTION private.is_answer_needless
--   COMMENT ON FUNCTION private.is_at_work
--   COMMENT ON FUNCTION private.is_away
--   COMMENT ON FUNCTION private.working_hours
--   COMMENT ON FUNCTION public.preview_whatsapp_answer
--   REVOKE ALL ON FUNCTION private.add_whatsapp
--   REVOKE ALL ON FUNCTION private.answer_automatically
--   REVOKE ALL ON FUNCTION private.automatic_answer
--   REVOKE ALL ON FUNCTION private.is_answer_needless
--   REVOKE ALL ON FUNCTION private.is_at_work
--   REVOKE ALL ON FUNCTION private.is_away
--   REVOKE ALL ON FUNCTION private.working_hours
--   GRANT EXECUTE ON FUNCTION public.preview_whatsapp_answer
--   REVOKE ALL (answer_text) ON TABLE public.whatsapp_settings FROM authenticated
--   GRANT INSERT (answer_text), UPDATE (answer_text) ON TABLE public.whatsapp_settings TO authenticated
--   REVOKE ALL (answer_until) ON TABLE public.whatsapp_settings FROM authenticated
--   GRANT INSERT (answer_until), UPDATE (answer_until) ON TABLE public.whatsapp_settings TO authenticated
--   REVOKE ALL (answer_when) ON TABLE public.whatsapp_settings FROM authenticated
--   GRANT INSERT (answer_when), UPDATE (answer_when) ON TABLE public.whatsapp_settings TO authenticated

set check_function_bodies = off;

DROP FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp WITH time zone, boolean, jsonb, uuid);

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "answers_id" uuid;

CREATE TYPE "public"."whatsapp_answer_when" AS ENUM (
  'mai',
  'fuori_orario',
  'sempre',
  'ferie'
);

ALTER TABLE "public"."whatsapp_settings"
  ADD COLUMN "answer_when" public.whatsapp_answer_when NOT NULL DEFAULT 'mai'::public.whatsapp_answer_when;

ALTER TABLE "public"."whatsapp_settings"
  ADD COLUMN "answer_text" text;

ALTER TABLE "public"."whatsapp_settings"
  ADD COLUMN "answer_until" date;

CREATE OR REPLACE FUNCTION private.add_whatsapp (
  _key          uuid,
  _channel      public.contact_channels,
  _body         text,
  _template     jsonb,
  _refers_to    text,
  _not_before   timestamp with time zone,
  _is_automatic boolean                  DEFAULT false,
  _file         jsonb                    DEFAULT NULL::jsonb,
  _batch_id     uuid                     DEFAULT NULL::uuid,
  _answers_id   uuid                     DEFAULT NULL::uuid
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
begin
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, key, kind, body, summary, refers_to, template, document_id, invoice_id, batch_id,
    content, is_automatic, answers_id, is_outside_window, state, at, not_before, expires_at
  )
  values (
    _channel.user_id, _channel.contact_id, _channel.id, 'uscita', _key,
    coalesce(_file ->> 'kind', case when _template is null then 'text' else 'template' end), _body,
    case
      when _file is null then _body
      else concat_ws(' · ', case _file ->> 'kind' when 'image' then 'Foto: ' else 'Documento: ' end || (_file ->> 'name'), nullif(_body, ''))
    end,
    _refers_to, _template, (_file ->> 'document_id')::uuid, (_file ->> 'invoice_id')::uuid, _batch_id,
    case
      when _file is null then '{}'
      else jsonb_build_object('media', jsonb_build_object('name', _file ->> 'name', 'mime', _file ->> 'mime'))
    end,
    _is_automatic, _answers_id,
    not private.is_whatsapp_window_open(_channel), 'queued', now(), _not_before,
    case
      -- What tells of the night is of no use in the morning.
      when _answers_id is not null then least(_channel.window_expires_at, _not_before + interval '1 hour')
      when _template is null then _channel.window_expires_at
      else _not_before + interval '1 day'
    end
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _message;
  -- An automatic answer is none: its conversation waits on.
  update public.contact_channels set is_done = true, last_at = greatest(last_at, now())
  where id = _channel.id and _answers_id is null;
  return _message;
end
$function$;

CREATE OR REPLACE FUNCTION private.answer_automatically (
  _channel    public.contact_channels,
  _message_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _settings public.whatsapp_settings;
  _message public.whatsapp_messages;
begin
  select * into _settings from public.whatsapp_settings where user_id = _channel.user_id;
  if not private.is_away(_channel.user_id, _settings) or private.is_frozen(_channel.user_id) then
    return;
  end if;
  select * into _message from public.whatsapp_messages where id = _message_id;
  -- Words and files of a person only: no reaction, no tap on the button of a template, no notice of WhatsApp itself.
  if _message.kind not in ('text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts')
    or _message.body ~* '^\W*(risposta automatica|messaggio automatico|automatic reply|auto-?reply)'
    -- It was delivered late, or its person has dealt with it.
    or _message.at < now() - interval '1 hour' or _channel.is_done or not private.is_whatsapp_window_open(_channel)
    or private.is_whatsapp_stopped(_channel, true)
    or exists (
      select from public.whatsapp_messages
      where user_id = _channel.user_id and contact_id = _channel.contact_id and answers_id is not null
        and created_at > now() - interval '24 hours' and state <> 'cancelled'
    )
  then
    return;
  end if;
  perform private.add_whatsapp(
    gen_random_uuid(), _channel, private.automatic_answer(_channel.user_id, _settings), null, null,
    now() + interval '1 minute', true, _answers_id => _message_id
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.automatic_answer (
  _user_id  uuid,
  _settings public.whatsapp_settings
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'Risposta automatica: ' || coalesce(nullif(btrim((_settings).answer_text), ''), case (_settings).answer_when
    when 'ferie' then 'grazie del messaggio! Sono in ferie fino al ' || to_char((_settings).answer_until, 'FMDD/MM/YYYY')
      || ' compreso: ti rispondo al mio ritorno.'
    when 'sempre' then 'grazie del messaggio! L’ho ricevuto e ti rispondo appena posso.'
    else 'grazie del messaggio! In questo momento non sono al lavoro: ci sono '
      || coalesce(private.working_hours(_user_id), 'in orario di ufficio') || '. Ti rispondo appena torno.'
  end)
$function$;

CREATE OR REPLACE FUNCTION private.begin_whatsapp (
  _id      uuid,
  _attempt integer
)
  RETURNS TABLE (
    external_id text,
    phone       text
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _refusal public.whatsapp_error;
begin
  select * into _message from public.whatsapp_messages
  where id = _id and attempts = _attempt and state = 'queued' for update;
  if not found then
    return;
  end if;
  if private.is_answer_needless(_message) then
    update public.whatsapp_messages set state = 'cancelled', leased_until = null where id = _id;
    return;
  end if;
  -- A window that closed, or an objection that came, after the message was queued counts.
  _refusal := private.whatsapp_refusal(_message);
  update public.whatsapp_messages
  set state = case when _refusal is null then 'sending'::public.whatsapp_state else 'failed' end, error = _refusal,
    leased_until = case when _refusal is null then now() + interval '2 minutes' end
  where id = _id;
  return query
    select channels.external_id, phones.norm from public.contact_channels as channels
    left join public.contact_phones as phones on phones.user_id = channels.user_id and phones.id = channels.phone_id
    where channels.id = _message.channel_id and _refusal is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_answer_needless (
  _message public.whatsapp_messages
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _channel public.contact_channels;
  _settings public.whatsapp_settings;
begin
  if _message.answers_id is null then
    return false;
  end if;
  -- Locked: an answer of the person that is being queued is waited for, and seen below.
  select * into _channel from public.contact_channels
  where user_id = _message.user_id and id = _message.channel_id for no key update;
  select * into _settings from public.whatsapp_settings where user_id = _message.user_id;
  return _channel.is_done or not private.is_away(_message.user_id, _settings) or exists (
    select from public.whatsapp_messages
    where user_id = _message.user_id and channel_id = _message.channel_id and direction = 'uscita' and not is_automatic
      and batch_id is null and state not in ('cancelled', 'failed')
      and created_at > _message.created_at - interval '1 minute'
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.is_at_work (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce((
    select extract(isodow from local)::smallint = any (work_days) and local::time >= work_from and local::time < work_to
      and not private.is_holiday(local::date)
    from public.profiles left join public.notification_settings as settings using (user_id)
    cross join lateral (select now() at time zone coalesce(settings.zone, 'Europe/Rome') as local) as clock
    where user_id = _user_id
  ), true)
$function$;

CREATE OR REPLACE FUNCTION private.is_away (
  _user_id  uuid,
  _settings public.whatsapp_settings
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(case (_settings).answer_when
    when 'sempre' then true
    when 'fuori_orario' then not private.is_at_work(_user_id)
    when 'ferie' then private.today() <= (_settings).answer_until
  end, false)
$function$;

CREATE OR REPLACE FUNCTION private.keep_whatsapp_message (
  _account_id uuid,
  _told       jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  -- A clock of ours that is late must not keep the window open for longer.
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
  _id uuid;
  _name text;
begin
  -- Locked, so that two messages of one stranger make one contact.
  select * into _account from public.whatsapp_accounts where id = _account_id for no key update;
  if not found or exists (
    select from public.whatsapp_messages where user_id = _account.user_id and message_id = _told ->> 'message_id'
  ) then
    return null;
  end if;
  _channel := private.whatsapp_channel(
    _account.user_id, _account.portfolio, _told ->> 'bsuid', _told ->> 'phone', _told ->> 'name', _told ->> 'username', _at
  );
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, message_id, kind, body, summary, refers_to, content, media_state, at
  )
  values (
    _account.user_id, _channel.contact_id, _channel.id, 'entrata', _told ->> 'message_id', _told ->> 'kind', _told ->> 'body',
    _told ->> 'summary', _told ->> 'refers_to', _told -> 'content',
    case
      when _told #> '{content,media}' is null then null
      when coalesce(_told #>> '{content,media,id}', '') = '' then 'fallito'
      else 'attesa'
    end::public.whatsapp_media_state, _at
  )
  returning id into _id;
  update public.contact_channels
  set failures = 0, last_inbound_at = greatest(last_inbound_at, _at), window_expires_at = greatest(window_expires_at, _at + interval '24 hours'),
    snippet = case when last_inbound_at > _at then snippet else left(_told ->> 'summary', 200) end,
    -- A message that was delivered late is not news after an answer.
    is_done = case when last_at > _at then is_done else false end, last_at = greatest(last_at, _at)
  where id = _channel.id
  returning * into _channel;
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_account.user_id, _channel.contact_id, 'whatsapp', 'entrata', _at, _told ->> 'summary');
  if private.is_stop_word(_told ->> 'body') then
    perform private.stop_whatsapp(_channel, _at);
    -- Confirmed once.
    if _channel.stopped_at is null and _channel.window_expires_at > now() then
      perform private.add_whatsapp(
        gen_random_uuid(), _channel, 'Va bene, non riceverai altri messaggi da questo numero.', null, null, now(), true
      );
    end if;
  else
    perform private.answer_automatically(_channel, _id);
  end if;
  select name into _name from public.contacts where id = _channel.contact_id;
  -- No words of the message: what a stranger writes does not become a sentence of ours.
  perform private.notify(
    _account.user_id, 'messaggio_whatsapp', 'Messaggio WhatsApp', _name || ' ti ha scritto su WhatsApp.',
    '/crm?vista=whatsapp&conversazione=' || _channel.id, 'whatsapp ' || _id, 'whatsapp', _channel.id
  );
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_refusal (
  _message public.whatsapp_messages
)
  RETURNS public.whatsapp_error
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    -- The answer to STOP is allowed. An automatic answer needs a new consent after it, as a template does.
    when (not _message.is_automatic or _message.answers_id is not null)
      and private.is_whatsapp_stopped(channel, _message.template is not null or _message.answers_id is not null)
      then 'stopped'::public.whatsapp_error
    when _message.template is null and not private.is_whatsapp_window_open(channel) then 'window'
    when _message.template ->> 'category' = 'MARKETING'
      and not private.has_agreed_on_whatsapp(_message.user_id, _message.contact_id, '{marketing}') then 'consent'
  end
  from public.contact_channels as channel
  where channel.user_id = _message.user_id and channel.id = _message.channel_id
$function$;

CREATE OR REPLACE FUNCTION private.working_hours (
  _user_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
      when work_days = '{1,2,3,4,5,6,7}' then 'tutti i giorni'
      -- Days in a row, from three on, are told by the first and the last.
      when count > 2 and last - first = count - 1 then 'dal ' || names[first] || ' al ' || names[last]
      else regexp_replace((select string_agg(names[day], ', ' order by day) from unnest(work_days) as day), ', (\w+)$', ' e \1')
    end || ' dalle ' || to_char(work_from, 'FMHH24:MI') || ' alle ' || to_char(work_to, 'FMHH24:MI')
  from public.profiles
  cross join lateral (select min(day), max(day), count(*) from unnest(work_days) as day) as days (first, last, count)
  cross join (
    select array['lunedì', 'martedì', 'mercoledì', 'giovedì', 'venerdì', 'sabato', 'domenica'] as names
  ) as week
  where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION public.preview_whatsapp_answer (
  _when  public.whatsapp_answer_when,
  _text  text                        DEFAULT NULL::text,
  _until date                        DEFAULT NULL::date
)
  RETURNS TABLE (
    body       text,
    leaves_now boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.automatic_answer(settings.user_id, settings), private.is_away(settings.user_id, settings)
  from jsonb_populate_record(null::public.whatsapp_settings, jsonb_build_object(
    'user_id', (select auth.uid()), 'answer_when', _when, 'answer_text', left(_text, 1000), 'answer_until', _until
  )) as settings
$function$;

REVOKE ALL ON FUNCTION "public"."preview_whatsapp_answer"(public.whatsapp_answer_when, text, date) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "whatsapp_messages_user_id_answers_id_fkey" FOREIGN KEY (user_id, answers_id) REFERENCES public.whatsapp_messages(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."whatsapp_settings"
  ADD CONSTRAINT "answer_fits" CHECK (((char_length(answer_text) >= 1) AND (char_length(answer_text) <= 1000)));

ALTER TABLE "public"."whatsapp_settings"
  ADD CONSTRAINT "holidays_end" CHECK (((answer_when <> 'ferie'::public.whatsapp_answer_when) OR (answer_until IS NOT NULL)));

CREATE INDEX whatsapp_messages_answers ON public.whatsapp_messages USING btree (user_id, answers_id);

COMMENT ON COLUMN "public"."whatsapp_messages"."answers_id" IS 'The received message to which it is the automatic answer.';

COMMENT ON COLUMN "public"."whatsapp_messages"."is_automatic" IS 'No person wrote it: the answer to STOP, or the automatic answer.';

COMMENT ON COLUMN "public"."whatsapp_settings"."answer_text" IS 'In the words of the person; null: the default text with the working hours.';

COMMENT ON COLUMN "public"."whatsapp_settings"."answer_until" IS 'The last day of the holidays.';

COMMENT ON COLUMN "public"."whatsapp_settings"."answer_when" IS 'When somebody who writes is answered automatically (60_whatsapp_answers.sql).';

COMMENT ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp with time zone, boolean, jsonb, uuid, uuid) IS 'Adds a message to the outbox; its conversation is done, unless the answer is automatic.';

COMMENT ON FUNCTION "private"."answer_automatically"(public.contact_channels, uuid) IS 'Queues the automatic answer to a message that was just kept, if its person wants one now and the contact had none in 24 hours.';

COMMENT ON FUNCTION "private"."automatic_answer"(uuid, public.whatsapp_settings) IS 'What the automatic answer says with these settings; it always says that it is one.';

COMMENT ON FUNCTION "private"."is_answer_needless"(public.whatsapp_messages) IS 'Whether an automatic answer has become needless: its person answered, finished the conversation, or does not want it any more.';

COMMENT ON FUNCTION "private"."is_at_work"(uuid) IS 'Whether these are the working hours of a person, by the clock of their zone; never on a holiday.';

COMMENT ON FUNCTION "private"."is_away"(uuid, public.whatsapp_settings) IS 'Whether somebody who writes now is answered automatically with these settings.';

COMMENT ON FUNCTION "private"."working_hours"(uuid) IS 'The working hours of a person in words: «dal lunedì al venerdì dalle 9:00 alle 18:00».';

COMMENT ON FUNCTION "public"."preview_whatsapp_answer"(public.whatsapp_answer_when, text, date) IS 'What the caller''s automatic answer would say with these choices, and whether it would leave now. Sends nothing.';

REVOKE ALL ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp WITH time zone, boolean, jsonb, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."answer_automatically"(public.contact_channels, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."automatic_answer"(uuid, public.whatsapp_settings) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_answer_needless"(public.whatsapp_messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_at_work"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_away"(uuid, public.whatsapp_settings) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."working_hours"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."preview_whatsapp_answer"(public.whatsapp_answer_when, text, date) TO "authenticated";

REVOKE ALL ("answer_text") ON TABLE "public"."whatsapp_settings" FROM "authenticated";

GRANT INSERT ("answer_text"), UPDATE ("answer_text") ON TABLE "public"."whatsapp_settings" TO "authenticated";

REVOKE ALL ("answer_until") ON TABLE "public"."whatsapp_settings" FROM "authenticated";

GRANT INSERT ("answer_until"), UPDATE ("answer_until") ON TABLE "public"."whatsapp_settings" TO "authenticated";

REVOKE ALL ("answer_when") ON TABLE "public"."whatsapp_settings" FROM "authenticated";

GRANT INSERT ("answer_when"), UPDATE ("answer_when") ON TABLE "public"."whatsapp_settings" TO "authenticated";

reset check_function_bodies;
