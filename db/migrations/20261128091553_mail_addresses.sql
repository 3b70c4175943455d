-- Mail addresses.
--   ALTER TABLE public.mail_threads DROP CONSTRAINT mail_threads_user_id_fkey
--   ALTER TABLE public.received_mails DROP CONSTRAINT received_mails_user_id_fkey
--   CREATE TABLE private.mail_address_tokens ( user_id uuid NOT NULL, token_hash bytea NOT NULL, sealed text NOT …
--   ALTER TABLE private.mail_address_tokens ENABLE ROW LEVEL SECURITY
--   CREATE TABLE public.mail_addresses ( user_id uuid NOT NULL, received integer NOT NULL DEFAULT 0, refused inte…
--   ALTER TABLE public.mail_addresses ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_addresses FROM anon
--   ALTER TABLE public.received_mails ADD COLUMN is_by_address boolean NOT NULL DEFAULT false
--   ALTER TABLE public.received_mails ADD COLUMN is_forwarded boolean NOT NULL DEFAULT false
--   CREATE TYPE public.mail_refusal AS ENUM ( 'too_large', 'too_many', 'frozen' )
--   ALTER TABLE public.mail_addresses ADD COLUMN last_refusal public.mail_refusal
--   ALTER TABLE public.mail_addresses ADD COLUMN renewed_at timestamp WITH time zone NOT NULL DEFAULT now()
--   ALTER TABLE public.mail_addresses ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.forget_mailbox
--   CREATE OR REPLACE FUNCTION private.keep_received_mail
--   CREATE OR REPLACE FUNCTION private.lock_mails
--   CREATE OR REPLACE FUNCTION private.mail_address_owner
--   CREATE OR REPLACE FUNCTION private.note_mail_address
--   CREATE OR REPLACE FUNCTION private.notify_received_mail
--   CREATE OR REPLACE FUNCTION private.open_thread
--   CREATE OR REPLACE FUNCTION private.own_mail_addresses
--   CREATE OR REPLACE FUNCTION private.same_mail
--   CREATE OR REPLACE FUNCTION private.save_mail_address
--   CREATE OR REPLACE FUNCTION private.sealed_mail_address
--   CREATE OR REPLACE FUNCTION private.stop_outward
--   CREATE OR REPLACE FUNCTION private.take_mail_turn
--   CREATE OR REPLACE FUNCTION public.decide_thread
--   ALTER TABLE public.mail_addresses ADD CONSTRAINT a_refusal_has_its_time CHECK (((last_refusal IS NULL) = (las…
--   ALTER TABLE private.mail_address_tokens ADD CONSTRAINT mail_address_tokens_user_id_fkey FOREIGN KEY (user_id)…
--   ALTER TABLE public.mail_addresses ADD CONSTRAINT mail_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES…
--   ALTER TABLE public.mail_threads ADD CONSTRAINT mail_threads_user_id_fkey FOREIGN KEY (user_id) REFERENCES aut…
--   ALTER TABLE public.received_mails ADD CONSTRAINT received_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES…
--   CREATE TRIGGER refuse_frozen BEFORE INSERT ON public.mail_addresses FOR EACH ROW EXECUTE FUNCTION private.ref…
--   CREATE TRIGGER forget_mailbox AFTER DELETE ON public.mail_inboxes FOR EACH ROW EXECUTE FUNCTION private.forge…
--   CREATE POLICY owners close their mail address ON public.mail_addresses FOR DELETE TO authenticated USING ((us…
--   CREATE POLICY owners read their mail address ON public.mail_addresses FOR SELECT TO authenticated USING ((use…
--   COMMENT ON COLUMN public.mail_addresses.refused IS 'Mails to the valid address that were refused; those to a …
--   COMMENT ON COLUMN public.mail_addresses.renewed_at IS 'When the present address was made.'
--   COMMENT ON COLUMN public.received_mails.is_by_address IS 'It came to the person''s address; it stays when the…
--   COMMENT ON COLUMN public.received_mails.is_forwarded IS 'Its owner forwarded it: sender, date and text are as…
--   COMMENT ON FUNCTION private.forget_mailbox
--   COMMENT ON FUNCTION private.keep_received_mail
--   COMMENT ON FUNCTION private.lock_mails
--   COMMENT ON FUNCTION private.mail_address_owner
--   COMMENT ON FUNCTION private.note_mail_address
--   COMMENT ON FUNCTION private.own_mail_addresses
--   COMMENT ON FUNCTION private.same_mail
--   COMMENT ON FUNCTION private.save_mail_address
--   COMMENT ON FUNCTION private.sealed_mail_address
--   COMMENT ON FUNCTION private.take_mail_turn
--   COMMENT ON TABLE private.mail_address_tokens IS 'Digest of each address''s token, the token encrypted, and ho…
--   COMMENT ON TABLE public.mail_addresses IS 'Who has an address for forwarded mails, and what came there; the a…
--   COMMENT ON TABLE public.received_mails IS 'Mails of a person, received or sent elsewhere, read from the mailb…
--   REVOKE ALL ON FUNCTION private.forget_mailbox
--   REVOKE ALL ON FUNCTION private.lock_mails
--   REVOKE ALL ON FUNCTION private.mail_address_owner
--   GRANT EXECUTE ON FUNCTION private.mail_address_owner
--   REVOKE ALL ON FUNCTION private.note_mail_address
--   GRANT EXECUTE ON FUNCTION private.note_mail_address
--   REVOKE ALL ON FUNCTION private.own_mail_addresses
--   GRANT EXECUTE ON FUNCTION private.own_mail_addresses
--   REVOKE ALL ON FUNCTION private.same_mail
--   REVOKE ALL ON FUNCTION private.save_mail_address
--   GRANT EXECUTE ON FUNCTION private.save_mail_address
--   REVOKE ALL ON FUNCTION private.sealed_mail_address
--   GRANT EXECUTE ON FUNCTION private.sealed_mail_address
--   REVOKE ALL ON FUNCTION private.take_mail_turn
--   GRANT EXECUTE ON FUNCTION private.take_mail_turn
--   REVOKE ALL ON TABLE public.mail_addresses FROM authenticated
--   GRANT DELETE, SELECT ON TABLE public.mail_addresses TO authenticated
--   REVOKE ALL ON TABLE public.mail_addresses FROM service_role
--   GRANT SELECT ON TABLE public.mail_addresses TO service_role

set check_function_bodies = off;

ALTER TABLE "public"."mail_threads"
  DROP CONSTRAINT "mail_threads_user_id_fkey";

ALTER TABLE "public"."received_mails"
  DROP CONSTRAINT "received_mails_user_id_fkey";

CREATE TABLE "private"."mail_address_tokens" (
  "user_id"    uuid                     NOT NULL,
  "token_hash" bytea                    NOT NULL,
  "sealed"     text                     NOT NULL,
  "hour"       timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp WITH time zone,
  "in_hour"    integer                  NOT NULL DEFAULT 0,
  CONSTRAINT "mail_address_tokens_pkey" PRIMARY KEY (user_id),
  CONSTRAINT "mail_address_tokens_token_hash_key" UNIQUE (token_hash),
  CONSTRAINT "token_hash_is_sha_256" CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE "private"."mail_address_tokens"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."mail_addresses" (
  "user_id"          uuid                     NOT NULL,
  "received"         integer                  NOT NULL DEFAULT 0,
  "refused"          integer                  NOT NULL DEFAULT 0,
  "last_received_at" timestamp with time zone,
  "last_refused_at"  timestamp with time zone,
  CONSTRAINT "mail_addresses_pkey" PRIMARY KEY (user_id),
  CONSTRAINT "mails_are_counted" CHECK (((received >= 0) AND (refused >= 0)))
);

ALTER TABLE "public"."mail_addresses"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_addresses" FROM "anon";

ALTER TABLE "public"."received_mails"
  ADD COLUMN "is_by_address" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "is_forwarded" boolean NOT NULL DEFAULT false;

CREATE TYPE "public"."mail_refusal" AS ENUM (
  'too_large',
  'too_many',
  'frozen'
);

ALTER TABLE "public"."mail_addresses"
  ADD COLUMN "last_refusal" public.mail_refusal;

ALTER TABLE "public"."mail_addresses"
  ADD COLUMN "renewed_at" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "public"."mail_addresses"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.forget_mailbox()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from public.received_mails where user_id = old.user_id and not is_by_address;
  delete from public.mail_threads as thread
  where user_id = old.user_id and not exists (
    select from public.received_mails where user_id = old.user_id and thread_id = thread.id
  );
  -- The list shows nothing of a mail that is gone.
  update public.mail_threads as thread
  set party = latest.party, party_name = latest.sender_name, snippet = left(latest.body, 200), kind = latest.kind,
    has_warnings = latest.warns
  from (
    select distinct on (thread_id) thread_id, party, sender_name, body, kind,
      bool_or(warnings <> '[]') over (partition by thread_id) as warns
    from public.received_mails where user_id = old.user_id order by thread_id, folder, at desc
  ) as latest
  where thread.user_id = old.user_id and thread.id = latest.thread_id
    and (thread.snippet, thread.has_warnings) is distinct from (left(latest.body, 200), latest.warns);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_received_mail (
  _user_id uuid,
  _told    jsonb
)
  RETURNS TABLE (
    mail_id    uuid,
    thread_id  uuid,
    contact_id uuid,
    is_new     boolean
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  _mail public.received_mails := jsonb_populate_record(null::public.received_mails, _told);
  _known_id uuid;
begin
  perform private.lock_mails(_user_id);
  _mail.is_by_address := coalesce(_mail.is_by_address, false);
  _mail.is_forwarded := coalesce(_mail.is_forwarded, false);
  if not exists (select from public.mail_addresses where user_id = _user_id and _mail.is_by_address)
    and not exists (select from public.mail_inboxes where user_id = _user_id and not _mail.is_by_address)
  then
    return;
  end if;
  _mail.user_id := _user_id;
  _mail.contact_id := private.living_contact(_user_id, (
    select contact_id from public.contact_emails where user_id = _user_id and norm = _mail.party
  ));
  select id into _known_id from public.received_mails
  where user_id = _user_id and message_id = _mail.message_id and sha256 = _mail.sha256;
  _known_id := coalesce(_known_id, private.same_mail(_mail), (
    select id from public.received_mails
    where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid
  ));
  if _known_id is not null then
    -- The address is no place: a mailbox finds its mail again by its own.
    return query update public.received_mails as known
      set folder_name = case when _mail.is_by_address then known.folder_name else _mail.folder_name end,
        uidvalidity = case when _mail.is_by_address then known.uidvalidity else _mail.uidvalidity end,
        message_uid = case when _mail.is_by_address then known.message_uid else _mail.message_uid end
      where known.id = _known_id
      returning known.id, known.thread_id, known.contact_id, false;
    return;
  end if;
  _mail.reference_ids := private.real_references(_user_id, _mail.reference_ids);
  _mail.thread_id := private.open_thread(_mail);
  _mail.created_at := now();
  insert into public.received_mails select _mail.*;
  perform private.record_received_mail(_mail);
  perform private.notify_received_mail(_mail);
  return query select _mail.id, _mail.thread_id, _mail.contact_id, true;
end
$function$;

CREATE OR REPLACE FUNCTION private.lock_mails (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select from public.mail_addresses where user_id = _user_id for no key update;
  select from public.mail_inboxes where user_id = _user_id for no key update
$function$;

CREATE OR REPLACE FUNCTION private.mail_address_owner (
  _token_hash bytea
)
  RETURNS TABLE (
    user_id uuid,
    is_open boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select tokens.user_id, (users.banned_until is null or users.banned_until <= now()) and not private.is_frozen(tokens.user_id)
  from private.mail_address_tokens as tokens join auth.users on users.id = tokens.user_id
  where token_hash = _token_hash and users.deleted_at is null
$function$;

CREATE OR REPLACE FUNCTION private.note_mail_address (
  _user_id uuid,
  _refusal public.mail_refusal
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.mail_addresses
  set received = received + (_refusal is null)::integer, refused = refused + (_refusal is not null)::integer,
    last_received_at = case when _refusal is null then now() else last_received_at end,
    last_refused_at = case when _refusal is null then last_refused_at else now() end,
    last_refusal = coalesce(_refusal, last_refusal)
  where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.notify_received_mail (
  _mail public.received_mails
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.notify(
    _mail.user_id, 'email_ricevuta', 'Email da ' || name,
    case when _mail.warnings <> '[]' then 'Controlla chi scrive prima di rispondere: ' else '' end || _mail.subject,
    '/crm?vista=posta&conversazione=' || _mail.thread_id, 'email_ricevuta:' || _mail.id, 'mail_thread', _mail.thread_id
  )
  from public.contacts
  where user_id = _mail.user_id and id = _mail.contact_id and _mail.folder = 'ricevuti' and _mail.kind = 'persona'
    -- The first reading brings a year of mails, and the first after a pause some days of them.
    and _mail.at > now() - interval '1 day'
    -- Whoever forwards a mail has read it.
    and not _mail.is_forwarded
$function$;

CREATE OR REPLACE FUNCTION private.open_thread (
  _mail public.received_mails
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _thread_id uuid := private.thread_of(_mail.user_id, _mail.message_id, _mail.reference_ids);
  _letter public.outgoing_mails;
  -- A mail of a person waits for an answer. The first reading brings old ones too, which do not.
  _waits constant boolean := _mail.folder = 'ricevuti'
    and (_mail.is_forwarded or _mail.at > now() - interval '14 days') and (
    _mail.kind = 'persona'
    -- Gmail asks for this code before it forwards mails to the address.
    or _mail.is_by_address and _mail.sender is not distinct from 'forwarding-noreply@google.com'
  );
  _is_news boolean;
begin
  if _thread_id is null then
    select * into _letter from public.outgoing_mails
    where user_id = _mail.user_id and message_id = any (_mail.reference_ids)
    order by array_position(_mail.reference_ids, message_id) desc limit 1;
    insert into public.mail_threads (
      user_id, subject, contact_id, invoice_id, suggested_thread_id, is_done, last_at, party, party_name, snippet, kind,
      has_warnings
    )
    values (
      _mail.user_id, coalesce(nullif(private.plain_subject(_mail.subject), ''), 'Senza oggetto'),
      coalesce(_letter.contact_id, _mail.contact_id),
      (select id from public.invoices where user_id = _mail.user_id and id = _letter.invoice_id),
      case when _letter.id is null
        then private.similar_thread(_mail.user_id, _mail.party, _mail.subject, _mail.at) end,
      not _waits, _mail.at, _mail.party, _mail.sender_name, left(_mail.body, 200), _mail.kind, _mail.warnings <> '[]'
    )
    returning id into _thread_id;
    insert into public.mail_thread_letters (outgoing_id, user_id, thread_id)
    select _letter.id, _mail.user_id, _thread_id where _letter.id is not null;
  else
    select _mail.folder = 'ricevuti' and _mail.at >= last_at into _is_news from public.mail_threads where id = _thread_id;
    update public.mail_threads
    set is_done = case when _mail.at < last_at then is_done when _waits then false when _mail.folder = 'inviati' then true
        else is_done end,
      party = case when _is_news then _mail.party else party end,
      party_name = case when _is_news then _mail.sender_name else party_name end,
      snippet = case when _is_news then left(_mail.body, 200) else snippet end,
      kind = case when _is_news then _mail.kind else kind end,
      has_warnings = has_warnings or _mail.warnings <> '[]',
      last_at = greatest(last_at, _mail.at), contact_id = coalesce(contact_id, _mail.contact_id)
    where id = _thread_id;
  end if;
  return _thread_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.own_mail_addresses (
  _user_id uuid
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select array(
    select lower(email) from auth.users where id = _user_id and email_confirmed_at is not null
    union select lower(from_address) from public.mail_accounts where user_id = _user_id
    union select lower(username) from public.mail_accounts where user_id = _user_id and strpos(username, '@') > 1
    order by 1
  )
$function$;

CREATE OR REPLACE FUNCTION private.same_mail (
  _mail public.received_mails
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select id from public.received_mails as other
  where user_id = _mail.user_id and message_id = _mail.message_id and folder = _mail.folder
    and sender is not distinct from _mail.sender and subject = _mail.subject and body = _mail.body
    and (is_by_address or _mail.is_by_address)
  limit 1
$function$;

CREATE OR REPLACE FUNCTION private.save_mail_address (
  _user_id    uuid,
  _token_hash bytea,
  _sealed     text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.mail_addresses (user_id) values (_user_id)
  on conflict (user_id) do update set renewed_at = now();
  insert into private.mail_address_tokens (user_id, token_hash, sealed) values (_user_id, _token_hash, _sealed)
  on conflict (user_id) do update set token_hash = excluded.token_hash, sealed = excluded.sealed
$function$;

CREATE OR REPLACE FUNCTION private.sealed_mail_address (
  _user_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select sealed from private.mail_address_tokens where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.stop_outward (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- What waits is cancelled with the account that would send it; passwords, keys and inbox go too.
  delete from public.mail_accounts where user_id = _user_id;
  delete from public.mail_addresses where user_id = _user_id;
  delete from public.whatsapp_accounts where user_id = _user_id;
  delete from private.calendar_feeds where user_id = _user_id;
  delete from public.push_subscriptions where user_id = _user_id;
  update private.notification_deliveries set state = 'esclusa', settled_at = now() where user_id = _user_id and state = 'attesa';
  update public.runs set stop_requested_at = now()
  where user_id = _user_id and state = 'running' and stop_requested_at is null;
  update public.tool_calls set state = 'expired' where user_id = _user_id and state = 'proposed';
  update auth.oauth_consents set revoked_at = now() where user_id = _user_id and revoked_at is null;
  delete from auth.sessions where user_id = _user_id and oauth_client_id is not null;
end
$function$;

CREATE OR REPLACE FUNCTION private.take_mail_turn (
  _user_id uuid,
  _most    integer
)
  RETURNS boolean
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.mail_address_tokens
  set hour = date_trunc('hour', now()),
    in_hour = case when hour = date_trunc('hour', now()) then least(in_hour, _most) else 0 end + 1
  where user_id = _user_id
  returning in_hour <= _most
$function$;

CREATE OR REPLACE FUNCTION public.decide_thread (
  _thread_id uuid,
  _is_same   boolean
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _thread public.mail_threads;
begin
  -- As keep_received_mail does, so that no mail joins a thread that goes.
  perform private.lock_mails(_user_id);
  select * into _thread from public.mail_threads where user_id = _user_id and id = _thread_id;
  if not found then
    raise exception 'no such thread' using errcode = 'PT404';
  elsif _thread.suggested_thread_id is null or not _is_same then
    update public.mail_threads set suggested_thread_id = null where id = _thread_id;
    return _thread_id;
  end if;
  update public.received_mails set thread_id = _thread.suggested_thread_id
  where user_id = _user_id and thread_id = _thread_id;
  update public.mail_thread_letters set thread_id = _thread.suggested_thread_id
  where user_id = _user_id and thread_id = _thread_id;
  update public.mail_threads as kept
  set contact_id = coalesce(kept.contact_id, _thread.contact_id), invoice_id = coalesce(kept.invoice_id, _thread.invoice_id),
    deal_id = coalesce(kept.deal_id, _thread.deal_id), has_warnings = kept.has_warnings or _thread.has_warnings,
    is_done = kept.is_done and _thread.is_done, last_at = greatest(kept.last_at, _thread.last_at),
    party = case when _thread.last_at >= kept.last_at then _thread.party else kept.party end,
    party_name = case when _thread.last_at >= kept.last_at then _thread.party_name else kept.party_name end,
    snippet = case when _thread.last_at >= kept.last_at then _thread.snippet else kept.snippet end,
    kind = case when _thread.last_at >= kept.last_at then _thread.kind else kept.kind end
  where kept.id = _thread.suggested_thread_id;
  -- What was thought to go on in this one goes on in the other.
  update public.mail_threads set suggested_thread_id = _thread.suggested_thread_id
  where user_id = _user_id and suggested_thread_id = _thread_id and id <> _thread.suggested_thread_id;
  delete from public.mail_threads where id = _thread_id;
  return _thread.suggested_thread_id;
end
$function$;

ALTER TABLE "public"."mail_addresses"
  ADD CONSTRAINT "a_refusal_has_its_time" CHECK (((last_refusal IS NULL) = (last_refused_at IS NULL)));

ALTER TABLE "private"."mail_address_tokens"
  ADD CONSTRAINT "mail_address_tokens_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.mail_addresses(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_addresses"
  ADD CONSTRAINT "mail_addresses_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_threads"
  ADD CONSTRAINT "mail_threads_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "received_mails_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE TRIGGER refuse_frozen
  BEFORE INSERT ON public.mail_addresses
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_frozen();

CREATE TRIGGER forget_mailbox
  AFTER DELETE ON public.mail_inboxes
  FOR EACH ROW
  EXECUTE FUNCTION private.forget_mailbox();

CREATE POLICY "owners close their mail address" ON "public"."mail_addresses"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their mail address" ON "public"."mail_addresses"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."mail_addresses"."refused" IS 'Mails to the valid address that were refused; those to a former one are nobody''s.';

COMMENT ON COLUMN "public"."mail_addresses"."renewed_at" IS 'When the present address was made.';

COMMENT ON COLUMN "public"."received_mails"."is_by_address" IS 'It came to the person''s address; it stays when the mailbox is disconnected.';

COMMENT ON COLUMN "public"."received_mails"."is_forwarded" IS 'Its owner forwarded it: sender, date and text are as the forward says, and nothing has verified them.';

COMMENT ON FUNCTION "private"."forget_mailbox"() IS 'Forgets what was read from a mailbox that is disconnected.';

COMMENT ON FUNCTION "private"."keep_received_mail"(uuid, jsonb) IS 'Keeps a mail of a person, a row of received_mails with its id, in its thread and in the history of its contact. A mail that is known gets its new place. No row when the account was disconnected, or the address closed.';

COMMENT ON FUNCTION "private"."lock_mails"(uuid) IS 'Takes one mail of a person at a time: two of one conversation must find each other.';

COMMENT ON FUNCTION "private"."mail_address_owner"(bytea) IS 'Whose address has the token of this digest, and whether it takes mail: not while the account is banned or frozen.';

COMMENT ON FUNCTION "private"."note_mail_address"(uuid, public.mail_refusal) IS 'Records that a mail came to a person''s address, or why it was refused.';

COMMENT ON FUNCTION "private"."own_mail_addresses"(uuid) IS 'The addresses a person writes from: of the login and of the connected mailbox.';

COMMENT ON FUNCTION "private"."same_mail"(public.received_mails) IS 'A mail that came by the other way, mailbox or address: the same identifier and content, whatever servers added to its raw form.';

COMMENT ON FUNCTION "private"."save_mail_address"(uuid, bytea, text) IS 'Gives a person an address, or another one: the former stops at once.';

COMMENT ON FUNCTION "private"."sealed_mail_address"(uuid) IS 'The encrypted token of a person''s address; null without one.';

COMMENT ON FUNCTION "private"."take_mail_turn"(uuid, integer) IS 'Counts one more mail in this hour; false beyond `_most`, null without an address.';

COMMENT ON TABLE "private"."mail_address_tokens" IS 'Digest of each address''s token, the token encrypted, and how many mails came in the present hour; no API role reads it.';

COMMENT ON TABLE "public"."mail_addresses" IS 'Who has an address for forwarded mails, and what came there; the address itself is in private.mail_address_tokens.';

COMMENT ON TABLE "public"."received_mails" IS 'Mails of a person, received or sent elsewhere, read from the mailbox or brought by the person''s address; written by the server.';

REVOKE ALL ON FUNCTION "private"."forget_mailbox"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_mails"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_address_owner"(bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_address_owner"(bytea) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_mail_address"(uuid, public.mail_refusal) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_mail_address"(uuid, public.mail_refusal) TO "service_role";

REVOKE ALL ON FUNCTION "private"."own_mail_addresses"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_mail_addresses"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."same_mail"(public.received_mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."save_mail_address"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_mail_address"(uuid, bytea, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."sealed_mail_address"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sealed_mail_address"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."take_mail_turn"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_mail_turn"(uuid, integer) TO "service_role";

REVOKE ALL ON TABLE "public"."mail_addresses" FROM "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."mail_addresses" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_addresses" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_addresses" TO "service_role";

reset check_function_bodies;
