-- Whatsapp media.
--   DROP FUNCTION private.add_whatsapp
--   DROP FUNCTION public.queue_whatsapp
--   ALTER TYPE public.whatsapp_error ADD VALUE 'attachment' AFTER 'unreachable'
--   CREATE TYPE public.whatsapp_media_state AS ENUM ( 'attesa', 'pronto', 'illeggibile', 'scaduto', 'grande', 'se…
--   ALTER TABLE public.whatsapp_messages ADD COLUMN media_state public.whatsapp_media_state
--   ALTER TABLE public.whatsapp_messages ADD COLUMN storage_path text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN document_id uuid
--   ALTER TABLE public.whatsapp_messages ADD COLUMN invoice_id uuid
--   CREATE OR REPLACE FUNCTION private.add_whatsapp
--   CREATE OR REPLACE FUNCTION private.fail_whatsapp
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_message
--   CREATE OR REPLACE FUNCTION private.refuse_whatsapp_media
--   CREATE OR REPLACE FUNCTION private.settle_whatsapp_media
--   CREATE OR REPLACE FUNCTION private.whatsapp_file
--   CREATE OR REPLACE FUNCTION private.whatsapp_media
--   CREATE OR REPLACE FUNCTION public.queue_whatsapp
--   REVOKE ALL ON FUNCTION public.queue_whatsapp
--   CREATE OR REPLACE FUNCTION public.retry_whatsapp_media
--   REVOKE ALL ON FUNCTION public.retry_whatsapp_media
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT a_file_has_one_place CHECK ((num_nonnulls(storage_path, d…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT it_lies_in_the_folder_of_its_owner CHECK (starts_with(sto…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT received_files_have_a_state CHECK (((media_state IS NULL)…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT whatsapp_messages_user_id_document_id_fkey FOREIGN KEY (u…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT whatsapp_messages_user_id_invoice_id_fkey FOREIGN KEY (us…
--   CREATE INDEX whatsapp_messages_document ON public.whatsapp_messages USING btree (user_id, document_id)
--   CREATE INDEX whatsapp_messages_invoice ON public.whatsapp_messages USING btree (user_id, invoice_id)
--   CREATE INDEX whatsapp_messages_path ON public.whatsapp_messages USING btree (user_id, storage_path) WHERE (st…
--   COMMENT ON COLUMN public.whatsapp_messages.document_id IS 'The document that its file became, or that is sent…
--   COMMENT ON COLUMN public.whatsapp_messages.invoice_id IS 'The invoice whose PDF is sent with it.'
--   COMMENT ON COLUMN public.whatsapp_messages.media_state IS 'How the file of a received message is: fetched (pr…
--   COMMENT ON COLUMN public.whatsapp_messages.storage_path IS 'Its file, if it did not become a document.'
--   COMMENT ON FUNCTION private.add_whatsapp
--   COMMENT ON FUNCTION private.fail_whatsapp
--   COMMENT ON FUNCTION private.refuse_whatsapp_media
--   COMMENT ON FUNCTION private.settle_whatsapp_media
--   COMMENT ON FUNCTION private.whatsapp_file
--   COMMENT ON FUNCTION private.whatsapp_media
--   COMMENT ON FUNCTION public.queue_whatsapp
--   COMMENT ON FUNCTION public.retry_whatsapp_media
--   REVOKE ALL ON FUNCTION private.add_whatsapp
--   REVOKE ALL ON FUNCTION private.fail_whatsapp
--   GRANT EXECUTE ON FUNCTION private.fail_whatsapp
--   REVOKE ALL ON FUNCTION private.refuse_whatsapp_media
--   GRANT EXECUTE ON FUNCTION private.refuse_whatsapp_media
--   REVOKE ALL ON FUNCTION private.settle_whatsapp_media
--   GRANT EXECUTE ON FUNCTION private.settle_whatsapp_media
--   REVOKE ALL ON FUNCTION private.whatsapp_file
--   REVOKE ALL ON FUNCTION private.whatsapp_media
--   GRANT EXECUTE ON FUNCTION private.whatsapp_media
--   GRANT EXECUTE ON FUNCTION public.queue_whatsapp
--   GRANT EXECUTE ON FUNCTION public.retry_whatsapp_media

set check_function_bodies = off;

DROP FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp WITH time zone, boolean);

DROP FUNCTION "public"."queue_whatsapp"(uuid, uuid, text, uuid, jsonb, text, boolean);

ALTER TYPE "public"."whatsapp_error" ADD VALUE 'attachment' AFTER 'unreachable';

CREATE TYPE "public"."whatsapp_media_state" AS ENUM (
  'attesa',
  'pronto',
  'illeggibile',
  'scaduto',
  'grande',
  'senza_spazio',
  'scollegato',
  'diverso',
  'fallito'
);

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "media_state" public.whatsapp_media_state;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "storage_path" text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "document_id" uuid;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "invoice_id" uuid;

CREATE OR REPLACE FUNCTION private.add_whatsapp (
  _key          uuid,
  _channel      public.contact_channels,
  _body         text,
  _template     jsonb,
  _refers_to    text,
  _not_before   timestamp with time zone,
  _is_automatic boolean                  DEFAULT false,
  _file         jsonb                    DEFAULT NULL::jsonb
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
begin
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, key, kind, body, summary, refers_to, template, document_id, invoice_id,
    content, is_automatic, is_outside_window, state, at, not_before, expires_at
  )
  values (
    _channel.user_id, _channel.contact_id, _channel.id, 'uscita', _key,
    coalesce(_file ->> 'kind', case when _template is null then 'text' else 'template' end), _body,
    case
      when _file is null then _body
      else concat_ws(' · ', case _file ->> 'kind' when 'image' then 'Foto: ' else 'Documento: ' end || (_file ->> 'name'), nullif(_body, ''))
    end,
    _refers_to, _template, (_file ->> 'document_id')::uuid, (_file ->> 'invoice_id')::uuid,
    case
      when _file is null then '{}'
      else jsonb_build_object('media', jsonb_build_object('name', _file ->> 'name', 'mime', _file ->> 'mime'))
    end,
    _is_automatic,
    not private.is_whatsapp_window_open(_channel), 'queued', now(), _not_before,
    case when _template is null then _channel.window_expires_at else _not_before + interval '1 day' end
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _message;
  update public.contact_channels set is_done = true, last_at = greatest(last_at, now()) where id = _channel.id;
  return _message;
end
$function$;

CREATE OR REPLACE FUNCTION private.fail_whatsapp (
  _id      uuid,
  _attempt integer,
  _error   public.whatsapp_error
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.whatsapp_messages set state = 'failed', error = _error, leased_until = null
  where id = _id and attempts = _attempt and state = 'queued'
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
  end if;
  select name into _name from public.contacts where id = _channel.contact_id;
  -- No words of the message: what a stranger writes does not become a sentence of ours.
  perform private.notify(
    _account.user_id, 'messaggio_whatsapp', 'Messaggio WhatsApp', _name || ' ti ha scritto su WhatsApp.',
    '/crm?vista=whatsapp&conversazione=' || _channel.id, 'whatsapp ' || _id
  );
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_whatsapp_media (
  _message_id uuid,
  _code       integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _reaction private.whatsapp_reactions;
begin
  select * into _reaction from private.whatsapp_reactions where _code between first_code and last_code;
  if _reaction.reaction in ('retry', 'slow_down') then
    return true;
  end if;
  if _reaction.reaction = 'reconnect' then
    perform private.change_whatsapp_state(user_id, 'da_ricollegare', _code, _reaction.message)
    from public.whatsapp_messages where id = _message_id;
  end if;
  perform private.settle_whatsapp_media(_message_id, case
    when _reaction.reaction = 'reconnect' then 'scollegato'
    -- Graph API: an object that does not exist any more.
    when _code = 100 then 'scaduto'
    else 'fallito'
  end::public.whatsapp_media_state);
  return false;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_whatsapp_media (
  _message_id   uuid,
  _state        public.whatsapp_media_state,
  _storage_path text                        DEFAULT NULL::text,
  _document_id  uuid                        DEFAULT NULL::uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.whatsapp_messages
  set media_state = _state, storage_path = _storage_path, document_id = _document_id
  where id = _message_id and case _state
    -- A job that was given up knows less than what was recorded before.
    when 'fallito' then media_state = 'attesa' else media_state not in ('pronto', 'illeggibile')
  end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_file (
  _user_id     uuid,
  _document_id uuid,
  _invoice_id  uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  _invoice public.invoices;
  _file jsonb;
begin
  if _invoice_id is not null then
    select invoices.* into _invoice from public.invoices
    join public.documents on documents.user_id = _user_id and documents.id = document_id and deleted_at is null
    where invoices.user_id = _user_id and invoices.id = _invoice_id;
    if _invoice.content is not null then
      return jsonb_build_object(
        'kind', 'document', 'invoice_id', _invoice.id, 'mime', 'application/pdf',
        'name', 'Fattura ' || coalesce(replace(_invoice.number, '/', '-'), '') || '.pdf'
      );
    end if;
    -- Made from a scan: the document is the invoice.
    _document_id := _invoice.document_id;
  end if;
  select jsonb_build_object(
    'kind', case when mime in ('image/jpeg', 'image/png') and bytes <= 5 * 1024 * 1024 then 'image' else 'document' end,
    'document_id', id, 'mime', mime, 'name', filename
  ) into _file
  from public.documents where user_id = _user_id and id = _document_id and deleted_at is null;
  if _file is null then
    raise exception 'no such file' using errcode = 'PT404';
  end if;
  return _file;
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_media (
  _message_id uuid
)
  RETURNS TABLE (
    user_id uuid,
    kind    text,
    media   jsonb,
    at      timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select user_id, kind, content -> 'media', at from public.whatsapp_messages
  where id = _message_id and media_state not in ('pronto', 'illeggibile')
$function$;

CREATE OR REPLACE FUNCTION public.queue_whatsapp (
  _key         uuid,
  _channel_id  uuid,
  _body        text    DEFAULT NULL::text,
  _template_id uuid    DEFAULT NULL::uuid,
  _values      jsonb   DEFAULT '{}'::jsonb,
  _refers_to   text    DEFAULT NULL::text,
  _is_at_once  boolean DEFAULT false,
  _document_id uuid    DEFAULT NULL::uuid,
  _invoice_id  uuid    DEFAULT NULL::uuid
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  _template public.whatsapp_templates;
  _message public.whatsapp_messages;
  _refusal public.whatsapp_error;
  _is_open boolean;
  _file jsonb;
begin
  select * into _message from public.whatsapp_messages where user_id = _user_id and key = _key;
  if found then
    return _message;
  end if;
  select * into _channel from public.contact_channels where user_id = _user_id and id = _channel_id;
  if not found then
    raise exception 'no such conversation' using errcode = 'PT404';
  end if;
  -- Locked, so that people written to at the same time are all counted.
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and portfolio = _channel.portfolio for no key update;
  if not found or _account.state <> 'attivo' then
    raise exception 'no number can send' using errcode = 'SW001', detail = coalesce(_account.state::text, '');
  end if;
  _is_open := private.is_whatsapp_window_open(_channel);
  if num_nonnulls(_template_id, _document_id, _invoice_id) > 1 then
    raise exception 'a message has one template or one file' using errcode = '23514';
  elsif _template_id is not null then
    select * into _template from public.whatsapp_templates where user_id = _user_id and id = _template_id;
    if not found then
      raise exception 'no such template' using errcode = 'PT404';
    elsif _template.state <> 'APPROVED' or not _template.is_usable or _account.templates_stopped_until > now() then
      raise exception 'the template cannot be sent' using errcode = 'SW004', detail = _template.state;
    end if;
    _body := private.filled_template(_template, _values);
  elsif num_nonnulls(_document_id, _invoice_id) > 0 then
    _file := private.whatsapp_file(_user_id, _document_id, _invoice_id);
    _body := coalesce(_body, '');
    if char_length(_body) > 1024 then
      raise exception 'the words of a file are 1024 characters at most' using errcode = '23514';
    end if;
  elsif coalesce(btrim(_body) = '', true) or char_length(_body) > 4096 then
    raise exception 'a message has 1 to 4096 characters' using errcode = '23514';
  end if;
  _message := jsonb_populate_record(null::public.whatsapp_messages, jsonb_build_object(
    'user_id', _user_id, 'contact_id', _channel.contact_id, 'channel_id', _channel.id, 'is_automatic', false,
    'template', case when _template.id is not null then jsonb_build_object(
      'name', _template.name, 'language', _template.language, 'category', _template.category, 'is_named', _template.is_named,
      'values', (
        select coalesce(jsonb_agg(jsonb_build_array(place, private.one_line(_values ->> place)) order by ordinal), '[]')
        from unnest(_template.places) with ordinality as places (place, ordinal)
      )
    ) end
  ));
  _refusal := private.whatsapp_refusal(_message);
  if _refusal = 'stopped' then
    raise exception 'the contact wants no more messages' using errcode = 'SW003';
  elsif _refusal = 'window' then
    raise exception 'the window is closed' using errcode = 'SW002';
  elsif _refusal = 'consent' then
    raise exception 'the contact has not agreed to marketing by WhatsApp' using errcode = 'SW006';
  end if;
  if not _is_open and private.whatsapp_people_left(_account) = 0 and not exists (
    select from public.whatsapp_messages
    where user_id = _user_id and channel_id = _channel.id and is_outside_window and state not in ('cancelled', 'failed')
      and created_at > now() - interval '24 hours'
  ) then
    raise exception 'as many people were written to as Meta allows in a day' using errcode = 'SW005';
  end if;
  return private.add_whatsapp(
    _key, _channel, btrim(_body), _message.template, _refers_to,
    case
      when _is_open or _is_at_once and _template.category = 'UTILITY' then now() else private.allowed_mail_time(now())
    end,
    _file => _file
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."queue_whatsapp"(uuid, uuid, text, uuid, jsonb, text, boolean, uuid, uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.retry_whatsapp_media (
  _id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.whatsapp_messages set media_state = 'attesa'
  where user_id = (select auth.uid()) and id = _id and media_state not in ('pronto', 'illeggibile');
  if not found then
    raise exception 'no such file is missing' using errcode = 'PT404';
  end if;
end
$function$;

REVOKE ALL ON FUNCTION "public"."retry_whatsapp_media"(uuid) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "a_file_has_one_place" CHECK ((num_nonnulls(storage_path, document_id) <= 1));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "it_lies_in_the_folder_of_its_owner" CHECK (starts_with(storage_path, ((user_id)::text || '/whatsapp/'::text)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "received_files_have_a_state" CHECK (((media_state IS NULL) OR (direction = 'entrata'::public.interaction_direction)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "whatsapp_messages_user_id_document_id_fkey" FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE SET NULL (document_id);

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "whatsapp_messages_user_id_invoice_id_fkey" FOREIGN KEY (user_id, invoice_id) REFERENCES public.invoices(user_id, id) ON DELETE SET NULL (invoice_id);

CREATE INDEX whatsapp_messages_document ON public.whatsapp_messages USING btree (user_id, document_id);

CREATE INDEX whatsapp_messages_invoice ON public.whatsapp_messages USING btree (user_id, invoice_id);

CREATE INDEX whatsapp_messages_path ON public.whatsapp_messages USING btree (user_id, storage_path)
  WHERE (storage_path IS NOT NULL);

COMMENT ON COLUMN "public"."whatsapp_messages"."document_id" IS 'The document that its file became, or that is sent with it.';

COMMENT ON COLUMN "public"."whatsapp_messages"."invoice_id" IS 'The invoice whose PDF is sent with it.';

COMMENT ON COLUMN "public"."whatsapp_messages"."media_state" IS 'How the file of a received message is: fetched (pronto), fetched but not what it claims to be (illeggibile), or why it is missing.';

COMMENT ON COLUMN "public"."whatsapp_messages"."storage_path" IS 'Its file, if it did not become a document.';

COMMENT ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp with time zone, boolean, jsonb) IS 'Adds a message to the outbox; its conversation is done.';

COMMENT ON FUNCTION "private"."fail_whatsapp"(uuid, integer, public.whatsapp_error) IS 'Ends a leased message that cannot be sent for a reason of ours.';

COMMENT ON FUNCTION "private"."refuse_whatsapp_media"(uuid, integer) IS 'Does what an error code of Meta about a file asks for; whether to try again.';

COMMENT ON FUNCTION "private"."settle_whatsapp_media"(uuid, public.whatsapp_media_state, text, uuid) IS 'Records where the file of a message is, or why it is missing.';

COMMENT ON FUNCTION "private"."whatsapp_file"(uuid, uuid, uuid) IS 'What a message carries: {kind, name, mime} with document_id or invoice_id. A picture is one as far as Meta takes it. PT404.';

COMMENT ON FUNCTION "private"."whatsapp_media"(uuid) IS 'The file of a received message as Meta describes it; no row once it was fetched.';

COMMENT ON FUNCTION "public"."queue_whatsapp"(uuid, uuid, text, uuid, jsonb, text, boolean, uuid, uuid) IS 'Queues a free text or a file within the window, or a template, to a conversation of the caller, or refuses; the same key again returns the first message. A template outside the window waits for the end of the recipient''s rest, unless it is about a contract and its writer sends it at once.';

COMMENT ON FUNCTION "public"."retry_whatsapp_media"(uuid) IS 'Has a missing file of the caller wait to be fetched again. PT404.';

REVOKE ALL ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp WITH time zone, boolean, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fail_whatsapp"(uuid, integer, public.whatsapp_error) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail_whatsapp"(uuid, integer, public.whatsapp_error) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_whatsapp_media"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_whatsapp_media"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_whatsapp_media"(uuid, public.whatsapp_media_state, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_whatsapp_media"(uuid, public.whatsapp_media_state, text, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."whatsapp_file"(uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_media"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."whatsapp_media"(uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."queue_whatsapp"(uuid, uuid, text, uuid, jsonb, text, boolean, uuid, uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."retry_whatsapp_media"(uuid) TO "authenticated";

reset check_function_bodies;

-- Files that came before: their owner may have them fetched.
update public.whatsapp_messages set media_state = 'fallito' where direction = 'entrata' and content -> 'media' is not null;

-- Voice notes and videos; a file of any other kind is only kept, and never shown.
update storage.buckets
set allowed_mime_types = allowed_mime_types || array[
  'audio/aac', 'audio/amr', 'audio/mp4', 'audio/mpeg', 'audio/ogg', 'video/3gpp', 'video/mp4', 'application/octet-stream'
]
where id = 'documents';
