-- Whatsapp signup.
--   DROP TRIGGER follow_whatsapp_transcript ON public.whatsapp_messages
--   DROP FUNCTION private.save_whatsapp_account
--   DROP FUNCTION private.whatsapp_channel
--   DROP FUNCTION private.whatsapp_contact
--   CREATE TABLE private.whatsapp_signups ( user_id uuid NOT NULL, state_hash text NOT NULL, session_id text, is_…
--   ALTER TABLE private.whatsapp_signups ENABLE ROW LEVEL SECURITY
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN is_on_phone boolean NOT NULL DEFAULT false
--   ALTER TABLE private.whatsapp_secrets ALTER COLUMN sealed_app_secret DROP NOT NULL
--   CREATE TYPE public.whatsapp_history_state AS ENUM ( 'da_chiedere', 'attesa', 'in_corso', 'finita', 'rifiutata…
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN history_state public.whatsapp_history_state
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN history_progress integer NOT NULL DEFAULT 0
--   CREATE TYPE public.whatsapp_source AS ENUM ( 'api', 'telefono', 'cronologia' )
--   ALTER TABLE public.whatsapp_messages ADD COLUMN source public.whatsapp_source NOT NULL DEFAULT 'api'::public.…
--   CREATE OR REPLACE FUNCTION private.ask_transcript_alone
--   CREATE OR REPLACE FUNCTION private.begin_whatsapp_signup
--   CREATE OR REPLACE FUNCTION private.due_whatsapp_senders
--   CREATE OR REPLACE FUNCTION private.is_whatsapp_history_unasked
--   CREATE OR REPLACE FUNCTION private.keep_phone_contacts
--   CREATE OR REPLACE FUNCTION private.keep_phone_message
--   CREATE OR REPLACE FUNCTION private.keep_phone_messages
--   CREATE OR REPLACE FUNCTION private.note_whatsapp_history
--   CREATE OR REPLACE FUNCTION private.resume_whatsapp_signup
--   CREATE OR REPLACE FUNCTION private.save_whatsapp_account
--   CREATE OR REPLACE FUNCTION private.take_whatsapp_signup
--   CREATE OR REPLACE FUNCTION private.unasked_whatsapp_histories
--   CREATE OR REPLACE FUNCTION private.whatsapp_channel
--   CREATE OR REPLACE FUNCTION private.whatsapp_contact
--   ALTER TABLE private.whatsapp_signups ADD CONSTRAINT whatsapp_signups_user_id_fkey FOREIGN KEY (user_id) REFER…
--   ALTER TABLE public.whatsapp_accounts ADD CONSTRAINT only_phones_have_a_history CHECK (((history_state IS NULL…
--   ALTER TABLE public.whatsapp_accounts ADD CONSTRAINT progress_is_a_percentage CHECK (((history_progress >= 0) …
--   CREATE TRIGGER follow_whatsapp_transcript AFTER UPDATE OF transcript, summary ON public.whatsapp_messages FOR…
--   COMMENT ON COLUMN private.whatsapp_secrets.sealed_app_secret IS 'The secret of the person''s own Meta app; nu…
--   COMMENT ON COLUMN private.whatsapp_signups.is_on_phone IS 'The number is to stay in the WhatsApp Business app…
--   COMMENT ON COLUMN private.whatsapp_signups.sealed_token IS 'What the code was exchanged for, when a choice or…
--   COMMENT ON COLUMN private.whatsapp_signups.session_id IS 'The session of the browser that began it: no other …
--   COMMENT ON COLUMN public.whatsapp_accounts.history_progress IS 'The percentage that Meta has delivered of the…
--   COMMENT ON COLUMN public.whatsapp_accounts.history_state IS 'How far the messages of the phone have come in: …
--   COMMENT ON COLUMN public.whatsapp_accounts.is_on_phone IS 'The number is used in the WhatsApp Business app to…
--   COMMENT ON COLUMN public.whatsapp_messages.source IS 'telefono: written in the app on the phone after the num…
--   COMMENT ON FUNCTION private.begin_whatsapp_signup
--   COMMENT ON FUNCTION private.is_whatsapp_history_unasked
--   COMMENT ON FUNCTION private.keep_phone_contacts
--   COMMENT ON FUNCTION private.keep_phone_message
--   COMMENT ON FUNCTION private.keep_phone_messages
--   COMMENT ON FUNCTION private.note_whatsapp_history
--   COMMENT ON FUNCTION private.resume_whatsapp_signup
--   COMMENT ON FUNCTION private.save_whatsapp_account
--   COMMENT ON FUNCTION private.take_whatsapp_signup
--   COMMENT ON FUNCTION private.unasked_whatsapp_histories
--   COMMENT ON FUNCTION private.whatsapp_channel
--   COMMENT ON FUNCTION private.whatsapp_contact
--   COMMENT ON TABLE private.whatsapp_signups IS 'A connection at Meta that a person has begun, for ten minutes; …
--   REVOKE ALL ON FUNCTION private.begin_whatsapp_signup
--   GRANT EXECUTE ON FUNCTION private.begin_whatsapp_signup
--   REVOKE ALL ON FUNCTION private.is_whatsapp_history_unasked
--   GRANT EXECUTE ON FUNCTION private.is_whatsapp_history_unasked
--   REVOKE ALL ON FUNCTION private.keep_phone_contacts
--   GRANT EXECUTE ON FUNCTION private.keep_phone_contacts
--   REVOKE ALL ON FUNCTION private.keep_phone_message
--   REVOKE ALL ON FUNCTION private.keep_phone_messages
--   GRANT EXECUTE ON FUNCTION private.keep_phone_messages
--   REVOKE ALL ON FUNCTION private.note_whatsapp_history
--   GRANT EXECUTE ON FUNCTION private.note_whatsapp_history
--   REVOKE ALL ON FUNCTION private.resume_whatsapp_signup
--   GRANT EXECUTE ON FUNCTION private.resume_whatsapp_signup
--   REVOKE ALL ON FUNCTION private.save_whatsapp_account
--   GRANT EXECUTE ON FUNCTION private.save_whatsapp_account
--   REVOKE ALL ON FUNCTION private.take_whatsapp_signup
--   GRANT EXECUTE ON FUNCTION private.take_whatsapp_signup
--   REVOKE ALL ON FUNCTION private.unasked_whatsapp_histories
--   GRANT EXECUTE ON FUNCTION private.unasked_whatsapp_histories
--   REVOKE ALL ON FUNCTION private.whatsapp_channel
--   REVOKE ALL ON FUNCTION private.whatsapp_contact

set check_function_bodies = off;

DROP TRIGGER "follow_whatsapp_transcript" ON "public"."whatsapp_messages";

DROP FUNCTION "private"."save_whatsapp_account"(uuid, uuid, text, text, text, text, text, text);

DROP FUNCTION "private"."whatsapp_channel"(uuid, text, text, text, text, text, timestamp WITH time zone);

DROP FUNCTION "private"."whatsapp_contact"(uuid, text, text);

CREATE TABLE "private"."whatsapp_signups" (
  "user_id"      uuid                     NOT NULL,
  "state_hash"   text                     NOT NULL,
  "session_id"   text,
  "is_on_phone"  boolean                  NOT NULL,
  "sealed_token" text,
  "expires_at"   timestamp with time zone NOT NULL,
  CONSTRAINT "state_hash_is_hexadecimal" CHECK ((state_hash ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT "whatsapp_signups_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."whatsapp_signups"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "is_on_phone" boolean NOT NULL DEFAULT false;

ALTER TABLE "private"."whatsapp_secrets"
  ALTER COLUMN "sealed_app_secret" DROP NOT NULL;

CREATE TYPE "public"."whatsapp_history_state" AS ENUM (
  'da_chiedere',
  'attesa',
  'in_corso',
  'finita',
  'rifiutata',
  'fallita'
);

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "history_state" public.whatsapp_history_state;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "history_progress" integer NOT NULL DEFAULT 0;

CREATE TYPE "public"."whatsapp_source" AS ENUM (
  'api',
  'telefono',
  'cronologia'
);

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "source" public.whatsapp_source NOT NULL DEFAULT 'api'::public.whatsapp_source;

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
  -- Old voice notes that come with the history of the phone are not paid for unasked.
  select messages.* into _message from public.whatsapp_messages as messages
  where id = _message_id and transcript_state is null and source = 'api';
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

CREATE OR REPLACE FUNCTION private.begin_whatsapp_signup (
  _user_id     uuid,
  _state_hash  text,
  _session_id  text,
  _is_on_phone boolean
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.whatsapp_signups (user_id, state_hash, session_id, is_on_phone, expires_at)
  values (_user_id, _state_hash, _session_id, _is_on_phone, now() + interval '10 minutes')
  on conflict (user_id) do update
    set state_hash = excluded.state_hash, session_id = excluded.session_id, is_on_phone = excluded.is_on_phone,
      sealed_token = null, expires_at = excluded.expires_at
$function$;

CREATE OR REPLACE FUNCTION private.due_whatsapp_senders (
  _limit integer DEFAULT 500
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Their worker is gone, or its answer came too late.
  update public.whatsapp_messages set state = 'uncertain', leased_until = null, error = 'interrupted'
  where state = 'sending' and leased_until <= now();
  update public.whatsapp_messages set state = 'failed', leased_until = null, error = 'expired'
  where state = 'queued' and expires_at <= now();
  -- A bucket of yesterday is full.
  delete from private.whatsapp_buckets where counted_at < now() - interval '1 day';
  -- A connection that was begun and not ended may hold a token.
  delete from private.whatsapp_signups where expires_at < now() - interval '1 hour';
  return query
    select distinct messages.user_id
    from public.whatsapp_messages as messages
    join public.whatsapp_accounts as accounts on accounts.user_id = messages.user_id
    where messages.state = 'queued' and not_before <= now() and accounts.state = 'attivo'
      and coalesce(paused_until <= now(), true) and not private.is_campaign_paused(batch_id)
    limit _limit;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_whatsapp_history_unasked (
  _account_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (select from public.whatsapp_accounts where id = _account_id and history_state = 'da_chiedere')
$function$;

CREATE OR REPLACE FUNCTION private.keep_phone_contacts (
  _account_id uuid,
  _told       jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid;
  _contact_id uuid;
  _phone text;
  _name text;
begin
  -- Locked, as where messages are kept.
  select user_id into _user_id from public.whatsapp_accounts where id = _account_id for no key update;
  if not found then
    return;
  end if;
  for _phone, _name in
    select one ->> 'phone', left(private.one_line(one ->> 'name'), 200) from jsonb_array_elements(_told) as one
  loop
    select contact_id into _contact_id from public.contact_phones where user_id = _user_id and norm = _phone;
    if not found then
      _contact_id := private.whatsapp_contact(_user_id, _name, _phone, 'Rubrica di WhatsApp Business');
      perform private.whatsapp_phone(_user_id, _contact_id, _phone);
    elsif _name is not null then
      -- Old messages carry no names: a contact that they made is called by its number until the name comes.
      update public.contacts
      set first_name = split_part(_name, ' ', 1), last_name = nullif(btrim(substr(_name, strpos(_name || ' ', ' '))), '')
      where user_id = _user_id and id = _contact_id and origin = 'whatsapp' and first_name = _phone and last_name is null;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_phone_message (
  _account public.whatsapp_accounts,
  _told    jsonb,
  _source  public.whatsapp_source
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
  _direction constant public.interaction_direction := _told ->> 'direction';
  _file constant jsonb := case when _direction = 'entrata' then _told #> '{content,media}' end;
  _media_state constant public.whatsapp_media_state := case
    when _file is null then null when coalesce(_file ->> 'id', '') = '' then 'fallito' else 'attesa'
  end;
  _known public.whatsapp_messages;
  _channel public.contact_channels;
  _id uuid;
begin
  select * into _known from public.whatsapp_messages
  where user_id = _account.user_id and message_id = _told ->> 'message_id';
  if found then
    -- The kind of a file comes apart from its message, before or after it.
    if _known.kind = 'media_placeholder' and _told ->> 'kind' <> 'media_placeholder' then
      update public.whatsapp_messages
      set kind = _told ->> 'kind', body = _told ->> 'body', summary = _told ->> 'summary', media_state = _media_state,
        content = case when _file is null then '{}' else _told -> 'content' end
      where id = _known.id;
      update public.interactions set summary = _told ->> 'summary'
      where user_id = _account.user_id and contact_id = _known.contact_id and kind = 'whatsapp' and at = _known.at
        and direction = _known.direction and summary = _known.summary;
      update public.contact_channels set snippet = left(_told ->> 'summary', 200)
      where id = _known.channel_id and last_inbound_at = _known.at and snippet = left(_known.summary, 200);
      return case when _media_state = 'attesa' then _known.id end;
    end if;
    return null;
  elsif coalesce(_told ->> 'bsuid', _told ->> 'phone') is null then
    return null;
  end if;
  _channel := private.whatsapp_channel(
    _account.user_id, _account.portfolio, _told ->> 'bsuid', _told ->> 'phone', _told ->> 'name', _told ->> 'username', _at,
    _source = 'cronologia'
  );
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, message_id, source, kind, body, summary, refers_to, content, media_state, at,
    state, key, not_before, expires_at, sent_at, created_at
  )
  values (
    _account.user_id, _channel.contact_id, _channel.id, _direction, _told ->> 'message_id', _source, _told ->> 'kind',
    _told ->> 'body', _told ->> 'summary', _told ->> 'refers_to',
    case when _direction = 'uscita' and _told #> '{content,media}' is not null then '{}' else _told -> 'content' end,
    _media_state, _at,
    case when _direction = 'uscita' then (_told ->> 'state')::public.whatsapp_state end,
    case when _direction = 'uscita' then gen_random_uuid() end,
    case when _direction = 'uscita' then _at end, case when _direction = 'uscita' then _at end,
    -- When it was written counts, so that an old message is no answer to a new one.
    case when _direction = 'uscita' then _at end, _at
  )
  returning id into _id;
  update public.contact_channels
  set last_at = greatest(last_at, _at),
    -- The owner has answered on the phone.
    is_done = is_done or _direction = 'uscita' and coalesce(_at >= last_inbound_at, true),
    snippet = case
      when _direction = 'entrata' and coalesce(_at >= last_inbound_at, true) then left(_told ->> 'summary', 200) else snippet
    end,
    last_inbound_at = case when _direction = 'entrata' then greatest(last_inbound_at, _at) else last_inbound_at end,
    window_expires_at = case
      when _direction = 'entrata' then greatest(window_expires_at, _at + interval '24 hours') else window_expires_at
    end,
    stopped_at = case
      when _direction = 'entrata' and private.is_stop_word(_told ->> 'body') then greatest(stopped_at, _at) else stopped_at
    end
  where id = _channel.id;
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_account.user_id, _channel.contact_id, 'whatsapp', _direction, _at, _told ->> 'summary');
  return case when _media_state = 'attesa' then _id end;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_phone_messages (
  _account_id uuid,
  _told       jsonb,
  _source     public.whatsapp_source
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _one jsonb;
  _files uuid[] := '{}';
begin
  -- Locked, so that two messages of one person make one contact.
  select * into _account from public.whatsapp_accounts where id = _account_id for no key update;
  if not found then
    return _files;
  end if;
  for _one in select value from jsonb_array_elements(_told)
  loop
    _files := _files || private.keep_phone_message(_account, _one, _source);
  end loop;
  return array_remove(_files, null);
end
$function$;

CREATE OR REPLACE FUNCTION private.note_whatsapp_history (
  _account_id uuid,
  _state      public.whatsapp_history_state,
  _progress   integer                       DEFAULT 0
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.whatsapp_accounts
  set is_on_phone = true,
    history_progress = greatest(history_progress, least(greatest(_progress, 0), 100)),
    history_state = case
      when history_state = 'finita' or greatest(history_progress, _progress) >= 100 then 'finita'::public.whatsapp_history_state
      -- A piece that has come counts for more than the answer to the request, which may be late or lost.
      when history_state = 'in_corso' then 'in_corso'
      else _state
    end
  where id = _account_id
$function$;

CREATE OR REPLACE FUNCTION private.resume_whatsapp_signup (
  _user_id      uuid,
  _state_hash   text,
  _session_id   text,
  _is_on_phone  boolean,
  _sealed_token text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.whatsapp_signups (user_id, state_hash, session_id, is_on_phone, sealed_token, expires_at)
  values (_user_id, _state_hash, _session_id, _is_on_phone, _sealed_token, now() + interval '10 minutes')
  -- One that was begun meanwhile counts.
  on conflict (user_id) do nothing
$function$;

CREATE OR REPLACE FUNCTION private.save_whatsapp_account (
  _id                uuid,
  _user_id           uuid,
  _portfolio         text,
  _waba_id           text,
  _phone_number_id   text,
  _display_number    text,
  _sealed_token      text,
  _sealed_app_secret text,
  _is_on_phone       boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A person has one number: the former goes with its secrets, its messages stay.
  delete from public.whatsapp_accounts where user_id = _user_id and id <> _id;
  insert into public.whatsapp_accounts (
    id, user_id, portfolio, waba_id, phone_number_id, display_number, is_on_phone, history_state
  )
  values (
    _id, _user_id, _portfolio, _waba_id, _phone_number_id, private.one_line(_display_number), _is_on_phone,
    case when _is_on_phone then 'da_chiedere'::public.whatsapp_history_state end
  );
  insert into private.whatsapp_secrets (account_id, sealed_token, sealed_app_secret)
  values (_id, _sealed_token, _sealed_app_secret);
end
$function$;

CREATE OR REPLACE FUNCTION private.take_whatsapp_signup (
  _user_id    uuid,
  _state_hash text,
  _session_id text
)
  RETURNS TABLE (
    is_on_phone     boolean,
    sealed_token    text,
    is_expired      boolean,
    is_same_session boolean
  )
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.whatsapp_signups where user_id = _user_id and state_hash = _state_hash
  returning is_on_phone, sealed_token, expires_at <= now(), session_id is not distinct from _session_id
$function$;

CREATE OR REPLACE FUNCTION private.unasked_whatsapp_histories (
  _limit integer DEFAULT 500
)
  RETURNS TABLE (
    account_id uuid,
    user_id    uuid
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select id, user_id from public.whatsapp_accounts
  -- The request that connects it asks right after; Meta gives the history within a day of the connection only.
  where history_state = 'da_chiedere' and created_at < now() - interval '3 minutes' and created_at > now() - interval '1 day'
  limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_channel (
  _user_id   uuid,
  _portfolio text,
  _bsuid     text,
  _phone     text,
  _name      text,
  _username  text,
  _at        timestamp with time zone,
  _is_old    boolean                  DEFAULT false
)
  RETURNS public.contact_channels
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _channel public.contact_channels;
  _digits constant text := ltrim(_phone, '+');
  _contact_id uuid;
begin
  -- The BSUID, then the number by which the person was known before it had one.
  select * into _channel from public.contact_channels
  where user_id = _user_id and kind = 'whatsapp' and portfolio = _portfolio and (
    external_id in (_bsuid, _digits)
    -- The phone names people by their number only.
    or _bsuid is null and phone_id in (select id from public.contact_phones where user_id = _user_id and norm = _phone)
  )
  order by coalesce(external_id = _bsuid, false) desc, last_at desc limit 1;
  if _channel.id is null then
    select contact_id into _contact_id from public.contact_phones where user_id = _user_id and norm = _phone;
    _contact_id := coalesce(
      private.living_contact(_user_id, _contact_id),
      private.whatsapp_contact(_user_id, _name, coalesce('@' || _username, _phone))
    );
    insert into public.contact_channels (user_id, contact_id, kind, portfolio, external_id, username, last_at)
    values (_user_id, _contact_id, 'whatsapp', _portfolio, coalesce(_bsuid, _digits), _username, _at)
    returning * into _channel;
  end if;
  -- A contact who writes leaves the trash; an old message takes no contact out of it.
  update public.contacts set deleted_at = null
  where user_id = _user_id and id = _channel.contact_id and deleted_at is not null and not _is_old;
  update public.contact_channels
  set external_id = coalesce(_bsuid, external_id), username = coalesce(_username, username),
    phone_id = case when _phone is null then phone_id else private.whatsapp_phone(_user_id, contact_id, _phone) end
  where id = _channel.id
  returning * into _channel;
  return _channel;
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_contact (
  _user_id  uuid,
  _name     text,
  _fallback text,
  _source   text DEFAULT 'Messaggio WhatsApp ricevuto'::text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _line constant text := left(coalesce(private.one_line(_name), private.one_line(_fallback), 'Contatto WhatsApp'), 200);
  _contact_id uuid;
begin
  insert into public.contacts (user_id, type, first_name, last_name, origin)
  values (
    _user_id, 'persona', split_part(_line, ' ', 1), nullif(btrim(substr(_line, strpos(_line || ' ', ' '))), ''), 'whatsapp'
  )
  returning id into _contact_id;
  perform private.set_consent(
    _user_id, _contact_id, 'whatsapp', 'marketing', 'non_richiesto', null, null, _source
  );
  return _contact_id;
end
$function$;

ALTER TABLE "private"."whatsapp_signups"
  ADD CONSTRAINT "whatsapp_signups_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."whatsapp_accounts"
  ADD CONSTRAINT "only_phones_have_a_history" CHECK (((history_state IS NULL) OR is_on_phone));

ALTER TABLE "public"."whatsapp_accounts"
  ADD CONSTRAINT "progress_is_a_percentage" CHECK (((history_progress >= 0) AND (history_progress <= 100)));

CREATE TRIGGER follow_whatsapp_transcript
  AFTER UPDATE OF transcript, summary ON public.whatsapp_messages
  FOR EACH ROW
  WHEN (((new.transcript IS DISTINCT FROM old.transcript) OR (new.summary <> old.summary)))
  EXECUTE FUNCTION private.follow_whatsapp_words();

COMMENT ON COLUMN "private"."whatsapp_secrets"."sealed_app_secret" IS 'The secret of the person''s own Meta app; null: the number was connected by the operator''s app, whose secret is a setting.';

COMMENT ON COLUMN "private"."whatsapp_signups"."is_on_phone" IS 'The number is to stay in the WhatsApp Business app too.';

COMMENT ON COLUMN "private"."whatsapp_signups"."sealed_token" IS 'What the code was exchanged for, when a choice or a second try is needed; null before the exchange.';

COMMENT ON COLUMN "private"."whatsapp_signups"."session_id" IS 'The session of the browser that began it: no other may end it.';

COMMENT ON COLUMN "public"."whatsapp_accounts"."history_progress" IS 'The percentage that Meta has delivered of them.';

COMMENT ON COLUMN "public"."whatsapp_accounts"."history_state" IS 'How far the messages of the phone have come in: to be asked for, awaited, coming, all there, not shared, or not to be had.';

COMMENT ON COLUMN "public"."whatsapp_accounts"."is_on_phone" IS 'The number is used in the WhatsApp Business app too (coexistence).';

COMMENT ON COLUMN "public"."whatsapp_messages"."source" IS 'telefono: written in the app on the phone after the number was connected. cronologia: older than that, in either direction.';

COMMENT ON FUNCTION "private"."begin_whatsapp_signup"(uuid, text, text, boolean) IS 'Begins a connection at Meta in place of an earlier one.';

COMMENT ON FUNCTION "private"."is_whatsapp_history_unasked"(uuid) IS 'Whether the history of a number is still to be asked for.';

COMMENT ON FUNCTION "private"."keep_phone_contacts"(uuid, jsonb) IS 'Makes contacts of the address book of the phone where their number is unknown, and names those known by a number only.';

COMMENT ON FUNCTION "private"."keep_phone_message"(public.whatsapp_accounts, jsonb, public.whatsapp_source) IS 'Keeps a message that the phone knows once, without a notice; answers its id if its file is to be fetched.';

COMMENT ON FUNCTION "private"."keep_phone_messages"(uuid, jsonb, public.whatsapp_source) IS 'Keeps messages of the phone, old ones or echoes; answers those whose files are to be fetched.';

COMMENT ON FUNCTION "private"."note_whatsapp_history"(uuid, public.whatsapp_history_state, integer) IS 'Records how far the history of a number has come in; pieces in any order never take it back.';

COMMENT ON FUNCTION "private"."resume_whatsapp_signup"(uuid, text, text, boolean, text) IS 'Lets a connection whose code was exchanged already be ended by the same state, without another visit to Meta.';

COMMENT ON FUNCTION "private"."save_whatsapp_account"(uuid, uuid, text, text, text, text, text, text, boolean) IS 'Keeps the number of a person after its token has read it from Meta; unique_violation when it is connected elsewhere.';

COMMENT ON FUNCTION "private"."take_whatsapp_signup"(uuid, text, text) IS 'Uses up the connection of a person with this state; no row: it is another person''s, used, or unknown.';

COMMENT ON FUNCTION "private"."unasked_whatsapp_histories"(integer) IS 'Numbers whose history was not asked for, because the process that connected them died.';

COMMENT ON FUNCTION "private"."whatsapp_channel"(uuid, text, text, text, text, text, timestamp with time zone, boolean) IS 'The identity that wrote: by BSUID, then by telephone number, then a new contact. A number that appears later is linked.';

COMMENT ON FUNCTION "private"."whatsapp_contact"(uuid, text, text, text) IS 'Makes a contact of a person known by WhatsApp, whose consent nobody has asked for; the source is noted with the consent.';

COMMENT ON TABLE "private"."whatsapp_signups" IS 'A connection at Meta that a person has begun, for ten minutes; the last one only.';

REVOKE ALL ON FUNCTION "private"."begin_whatsapp_signup"(uuid, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_whatsapp_signup"(uuid, text, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_whatsapp_history_unasked"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_whatsapp_history_unasked"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_phone_contacts"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_phone_contacts"(uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_phone_message"(public.whatsapp_accounts, jsonb, public.whatsapp_source) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_phone_messages"(uuid, jsonb, public.whatsapp_source) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_phone_messages"(uuid, jsonb, public.whatsapp_source) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_whatsapp_history"(uuid, public.whatsapp_history_state, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_whatsapp_history"(uuid, public.whatsapp_history_state, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."resume_whatsapp_signup"(uuid, text, text, boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."resume_whatsapp_signup"(uuid, text, text, boolean, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."save_whatsapp_account"(uuid, uuid, text, text, text, text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_whatsapp_account"(uuid, uuid, text, text, text, text, text, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."take_whatsapp_signup"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_whatsapp_signup"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."unasked_whatsapp_histories"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unasked_whatsapp_histories"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."whatsapp_channel"(uuid, text, text, text, text, text, timestamp WITH time zone, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_contact"(uuid, text, text, text) FROM PUBLIC;

reset check_function_bodies;
