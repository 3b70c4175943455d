-- Certified mail.
--   ALTER TABLE public.received_mails DROP CONSTRAINT texts_fit
--   DROP FUNCTION private.begin_mail_content
--   DROP FUNCTION private.mail_account_of
--   DROP FUNCTION private.mail_inbox_of
--   DROP FUNCTION private.save_mail_account
--   ALTER TABLE public.mail_accounts ADD COLUMN is_certified boolean NOT NULL DEFAULT false
--   ALTER TABLE public.mail_reports ADD COLUMN is_external boolean NOT NULL DEFAULT false
--   ALTER TABLE public.mail_reports ADD COLUMN identifier text
--   ALTER TABLE public.mail_reports ADD COLUMN storage_path text
--   ALTER TABLE public.outgoing_mails ADD COLUMN is_certified boolean NOT NULL DEFAULT false
--   ALTER TABLE public.outgoing_mails ADD COLUMN storage_path text
--   ALTER TABLE public.received_mails ADD COLUMN envelope_id text
--   ALTER TABLE public.received_mails ADD COLUMN certificate jsonb
--   ALTER TYPE public.mail_report_kind ADD VALUE 'accettazione' AFTER 'reclamo'
--   ALTER TYPE public.mail_report_kind ADD VALUE 'non-accettazione' AFTER 'accettazione'
--   ALTER TYPE public.mail_report_kind ADD VALUE 'presa-in-carico' AFTER 'non-accettazione'
--   ALTER TYPE public.mail_report_kind ADD VALUE 'avvenuta-consegna' AFTER 'presa-in-carico'
--   ALTER TYPE public.mail_report_kind ADD VALUE 'errore-consegna' AFTER 'avvenuta-consegna'
--   ALTER TYPE public.mail_report_kind ADD VALUE 'preavviso-errore-consegna' AFTER 'errore-consegna'
--   ALTER TYPE public.mail_report_kind ADD VALUE 'rilevazione-virus' AFTER 'preavviso-errore-consegna'
--   CREATE OR REPLACE FUNCTION private.begin_mail_content
--   CREATE OR REPLACE FUNCTION private.keep_received_mail
--   CREATE OR REPLACE FUNCTION private.mail_account_of
--   CREATE OR REPLACE FUNCTION private.mail_inbox_of
--   CREATE OR REPLACE FUNCTION private.miss_deliveries
--   CREATE OR REPLACE FUNCTION private.note_pec_receipt
--   CREATE OR REPLACE FUNCTION private.real_references
--   CREATE OR REPLACE FUNCTION private.save_mail_account
--   ALTER TABLE public.mail_reports ADD CONSTRAINT identifier_fits CHECK ((char_length(identifier) <= 300))
--   ALTER TABLE public.mail_reports ADD CONSTRAINT it_lies_in_the_folder_of_its_owner CHECK (starts_with(storage_…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT it_lies_in_the_folder_of_its_owner CHECK (starts_with(storag…
--   ALTER TABLE public.received_mails ADD CONSTRAINT certificate_is_an_object CHECK ((jsonb_typeof(certificate) =…
--   ALTER TABLE public.received_mails ADD CONSTRAINT texts_fit CHECK (((char_length(body) <= 100000) AND (char_le…
--   CREATE INDEX mail_reports_identifier ON public.mail_reports USING btree (user_id, identifier) WHERE (identifi…
--   CREATE INDEX mail_reports_path ON public.mail_reports USING btree (user_id, storage_path) WHERE (storage_path…
--   CREATE INDEX outgoing_mails_certified ON public.outgoing_mails USING btree (sent_at) WHERE (is_certified AND …
--   CREATE INDEX outgoing_mails_path ON public.outgoing_mails USING btree (user_id, storage_path) WHERE (storage_…
--   CREATE INDEX received_mails_envelope ON public.received_mails USING btree (user_id, envelope_id) WHERE (envel…
--   COMMENT ON COLUMN public.mail_accounts.is_certified IS 'A mailbox of certified mail (PEC): its receipts and e…
--   COMMENT ON COLUMN public.mail_reports.at IS 'When it was; of a receipt the legal time.'
--   COMMENT ON COLUMN public.mail_reports.identifier IS 'The Message-ID that the provider gave to the envelope of…
--   COMMENT ON COLUMN public.mail_reports.is_external IS 'The recipient has an ordinary mailbox: no receipt of de…
--   COMMENT ON COLUMN public.mail_reports.storage_path IS 'The raw receipt; null for others and when the quota wa…
--   COMMENT ON COLUMN public.outgoing_mails.is_certified IS 'It left from a certified mailbox, whose provider giv…
--   COMMENT ON COLUMN public.outgoing_mails.storage_path IS 'The form in which a certified mail left, for its pro…
--   COMMENT ON COLUMN public.received_mails.certificate IS 'What the provider of certified mail says: {is_certifi…
--   COMMENT ON COLUMN public.received_mails.envelope_id IS 'The Message-ID of its envelope, by which answers may …
--   COMMENT ON COLUMN public.received_mails.storage_path IS 'Its raw form, of certified mail the envelope around …
--   COMMENT ON FUNCTION private.begin_mail_content
--   COMMENT ON FUNCTION private.mail_account_of
--   COMMENT ON FUNCTION private.mail_inbox_of
--   COMMENT ON FUNCTION private.miss_deliveries
--   COMMENT ON FUNCTION private.note_pec_receipt
--   COMMENT ON FUNCTION private.real_references
--   COMMENT ON FUNCTION private.save_mail_account
--   REVOKE ALL ON FUNCTION private.begin_mail_content
--   GRANT EXECUTE ON FUNCTION private.begin_mail_content
--   REVOKE ALL ON FUNCTION private.mail_account_of
--   GRANT EXECUTE ON FUNCTION private.mail_account_of
--   REVOKE ALL ON FUNCTION private.mail_inbox_of
--   GRANT EXECUTE ON FUNCTION private.mail_inbox_of
--   REVOKE ALL ON FUNCTION private.miss_deliveries
--   GRANT EXECUTE ON FUNCTION private.miss_deliveries
--   REVOKE ALL ON FUNCTION private.note_pec_receipt
--   GRANT EXECUTE ON FUNCTION private.note_pec_receipt
--   REVOKE ALL ON FUNCTION private.real_references
--   REVOKE ALL ON FUNCTION private.save_mail_account
--   GRANT EXECUTE ON FUNCTION private.save_mail_account

set check_function_bodies = off;

ALTER TABLE "public"."received_mails"
  DROP CONSTRAINT "texts_fit";

DROP FUNCTION "private"."begin_mail_content"(uuid, integer);

DROP FUNCTION "private"."mail_account_of"(uuid);

DROP FUNCTION "private"."mail_inbox_of"(uuid);

DROP FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text);

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "is_certified" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "is_external" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "identifier" text;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "storage_path" text;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "is_certified" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "storage_path" text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "envelope_id" text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "certificate" jsonb;

ALTER TYPE "public"."mail_report_kind" ADD VALUE 'accettazione' AFTER 'reclamo';

ALTER TYPE "public"."mail_report_kind" ADD VALUE 'non-accettazione' AFTER 'accettazione';

ALTER TYPE "public"."mail_report_kind" ADD VALUE 'presa-in-carico' AFTER 'non-accettazione';

ALTER TYPE "public"."mail_report_kind" ADD VALUE 'avvenuta-consegna' AFTER 'presa-in-carico';

ALTER TYPE "public"."mail_report_kind" ADD VALUE 'errore-consegna' AFTER 'avvenuta-consegna';

ALTER TYPE "public"."mail_report_kind" ADD VALUE 'preavviso-errore-consegna' AFTER 'errore-consegna';

ALTER TYPE "public"."mail_report_kind" ADD VALUE 'rilevazione-virus' AFTER 'preavviso-errore-consegna';

CREATE OR REPLACE FUNCTION private.begin_mail_content (
  _id           uuid,
  _attempt      integer,
  _storage_path text    DEFAULT NULL::text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
  _refusal public.mail_error;
begin
  select * into _mail from public.outgoing_mails
  where id = _id and attempts = _attempt and state = 'queued' for update;
  if not found then
    return false;
  end if;
  -- An objection that came after the mail was queued counts.
  _refusal := private.mail_refusal(_mail.user_id, _mail.contact_id, _mail.recipient, _mail.basis, _mail.sale_id);
  if _mail.is_automatic and not private.may_be_automatic(_mail.user_id, _mail.recipient, _id) then
    _refusal := coalesce(_refusal, 'automatic');
  end if;
  update public.outgoing_mails
  set state = case when _refusal is null then 'sending'::public.mail_state else 'failed' end, error = _refusal,
    storage_path = _storage_path,
    is_certified = coalesce((select is_certified from public.mail_accounts where user_id = _mail.user_id), false),
    leased_until = case when _refusal is null then now() + interval '10 minutes' end
  where id = _id;
  return _refusal is null;
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
begin
  -- One at a time: two mails of one conversation must find each other.
  perform from public.mail_inboxes where user_id = _user_id for no key update;
  if not found then
    return;
  end if;
  _mail.user_id := _user_id;
  _mail.contact_id := private.living_contact(_user_id, (
    select contact_id from public.contact_emails where user_id = _user_id and norm = _mail.party
  ));
  update public.received_mails
  set folder_name = _mail.folder_name, uidvalidity = _mail.uidvalidity, message_uid = _mail.message_uid
  where user_id = _user_id and message_id = _mail.message_id and sha256 = _mail.sha256;
  if found or exists (
    select from public.received_mails
    where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid
  ) then
    return query select id, thread_id, contact_id, false from public.received_mails
      where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid;
    return;
  end if;
  _mail.reference_ids := private.real_references(_user_id, _mail.reference_ids);
  _mail.thread_id := private.open_thread(_mail);
  _mail.created_at := now();
  insert into public.received_mails select _mail.*;
  perform private.record_received_mail(_mail);
  return query select _mail.id, _mail.thread_id, _mail.contact_id, true;
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_account_of (
  _user_id uuid
)
  RETURNS TABLE (
    host         text,
    port         integer,
    security     text,
    username     text,
    from_address text,
    from_name    text,
    sealed       text,
    is_certified boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select host, port, security::text, username, from_address, from_name::text, sealed, is_certified
  from public.mail_accounts join private.mail_secrets on account_id = id
  where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.mail_inbox_of (
  _user_id uuid
)
  RETURNS TABLE (
    host         text,
    port         integer,
    security     text,
    username     text,
    from_address text,
    sealed       text,
    is_complete  boolean,
    is_certified boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select inboxes.host, inboxes.port, inboxes.security::text, username, from_address, sealed, completed_at is not null,
    is_certified
  from public.mail_inboxes as inboxes
  join public.mail_accounts as accounts using (user_id)
  join private.mail_secrets on account_id = accounts.id
  where inboxes.user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.miss_deliveries()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  for _mail in
    select sent.* from public.outgoing_mails as sent
    -- Where the mailbox was not read since, a receipt may lie in it.
    join public.mail_inboxes as inbox on inbox.user_id = sent.user_id and last_success_at > sent_at + interval '24 hours'
    where is_certified and state = 'sent' and sent_at < now() - interval '24 hours'
      and not exists (
        select from public.mail_reports
        where user_id = sent.user_id and outgoing_id = sent.id and (kind = 'avvenuta-consegna' or is_external)
      )
    order by sent_at limit 100 for update of sent skip locked
  loop
    perform private.bounce_mail(_mail, null, 'superamento tempo massimo', null);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_pec_receipt (
  _user_id      uuid,
  _message_id   text,
  _kind         public.mail_report_kind,
  _recipient    text,
  _is_failure   boolean,
  _status       text,
  _told         text,
  _is_external  boolean,
  _identifier   text,
  _sha256       text,
  _storage_path text,
  _at           timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  select * into _mail from public.outgoing_mails where user_id = _user_id and message_id = _message_id for update;
  if not found then
    return false;
  end if;
  insert into public.mail_reports (
    user_id, outgoing_id, kind, status, told, is_external, identifier, sha256, storage_path, at
  )
  values (
    _user_id, _mail.id, _kind, _status, nullif(left(private.one_line(_told), 200), ''), _is_external, _identifier, _sha256,
    _storage_path, _at
  )
  on conflict (user_id, outgoing_id, sha256, kind) do nothing;
  if not found then
    return true;
  end if;
  if _kind in ('accettazione', 'avvenuta-consegna') then
    perform private.confirm_sent_mail(_user_id, _message_id);
  end if;
  if _kind = 'avvenuta-consegna' then
    -- It wins over a failure that was announced.
    update public.outgoing_mails set state = 'sent', sent_at = _at, error = null, reply = null
    where id = _mail.id and state = 'failed' and error = 'bounced';
  elsif _is_failure then
    perform private.bounce_mail(_mail, _status, _told, _recipient);
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.real_references (
  _user_id    uuid,
  _references text[]
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Programs answer the envelope of a certified mail, which has an identifier of its own.
  select _references || array(
    select message_id from public.received_mails where user_id = _user_id and envelope_id = any (_references)
    union
    select message_id from public.mail_reports as report
    join public.outgoing_mails as sent on sent.user_id = _user_id and sent.id = outgoing_id
    where report.user_id = _user_id and identifier = any (_references)
    order by 1
  )
$function$;

CREATE OR REPLACE FUNCTION private.save_mail_account (
  _user_id      uuid,
  _host         text,
  _port         integer,
  _security     public.mail_security,
  _username     text,
  _from_address text,
  _from_name    text,
  _signature    text,
  _sealed       text,
  _is_certified boolean              DEFAULT false
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account_id uuid;
begin
  insert into public.mail_accounts (
    user_id, host, port, security, username, from_address, from_name, signature, is_certified, last_success_at
  )
  values (_user_id, _host, _port, _security, _username, _from_address, _from_name, _signature, _is_certified, now())
  on conflict (user_id) do update
    set host = excluded.host, port = excluded.port, security = excluded.security, username = excluded.username,
      from_address = excluded.from_address, from_name = excluded.from_name, signature = excluded.signature,
      is_certified = excluded.is_certified,
      last_success_at = now(), last_error = null, last_error_reply = null, last_error_at = null
  returning id into _account_id;
  insert into private.mail_secrets (account_id, sealed) values (_account_id, _sealed)
  on conflict (account_id) do update set sealed = excluded.sealed;
  return _account_id;
end
$function$;

ALTER TABLE "public"."mail_reports"
  ADD CONSTRAINT "identifier_fits" CHECK ((char_length(identifier) <= 300));

ALTER TABLE "public"."mail_reports"
  ADD CONSTRAINT "it_lies_in_the_folder_of_its_owner" CHECK (starts_with(storage_path, ((user_id)::text || '/posta/'::text)));

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "it_lies_in_the_folder_of_its_owner" CHECK (starts_with(storage_path, ((user_id)::text || '/posta/'::text)));

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "certificate_is_an_object" CHECK ((jsonb_typeof(certificate) = 'object'::text));

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "texts_fit"
    CHECK
    (((char_length(body) <= 100000) AND (char_length(quoted) <= 100000) AND (char_length(message_id) <= 300) AND (char_length(sender_name) <= 200) AND (char_length(envelope_id) <=
    300)));

CREATE INDEX mail_reports_identifier ON public.mail_reports USING btree (user_id, identifier)
  WHERE (identifier IS NOT NULL);

CREATE INDEX mail_reports_path ON public.mail_reports USING btree (user_id, storage_path)
  WHERE (storage_path IS NOT NULL);

CREATE INDEX outgoing_mails_certified ON public.outgoing_mails USING btree (sent_at)
  WHERE (is_certified AND (state = 'sent'::public.mail_state));

CREATE INDEX outgoing_mails_path ON public.outgoing_mails USING btree (user_id, storage_path)
  WHERE (storage_path IS NOT NULL);

CREATE INDEX received_mails_envelope ON public.received_mails USING btree (user_id, envelope_id)
  WHERE (envelope_id IS NOT NULL);

COMMENT ON COLUMN "public"."mail_accounts"."is_certified" IS 'A mailbox of certified mail (PEC): its receipts and envelopes are believed.';

COMMENT ON COLUMN "public"."mail_reports"."at" IS 'When it was; of a receipt the legal time.';

COMMENT ON COLUMN "public"."mail_reports"."identifier" IS 'The Message-ID that the provider gave to the envelope of the mail.';

COMMENT ON COLUMN "public"."mail_reports"."is_external" IS 'The recipient has an ordinary mailbox: no receipt of delivery will come.';

COMMENT ON COLUMN "public"."mail_reports"."storage_path" IS 'The raw receipt; null for others and when the quota was full.';

COMMENT ON COLUMN "public"."outgoing_mails"."is_certified" IS 'It left from a certified mailbox, whose provider gives receipts.';

COMMENT ON COLUMN "public"."outgoing_mails"."storage_path" IS 'The form in which a certified mail left, for its proof; null for others and when the quota was full.';

COMMENT ON COLUMN "public"."received_mails"."certificate" IS 'What the provider of certified mail says: {is_certified, at, provider, identifier}; null for ordinary mail. An anomaly is not certified: it came from an ordinary mailbox.';

COMMENT ON COLUMN "public"."received_mails"."envelope_id" IS 'The Message-ID of its envelope, by which answers may call it.';

COMMENT ON COLUMN "public"."received_mails"."storage_path" IS 'Its raw form, of certified mail the envelope around it; null when the quota was full.';

COMMENT ON FUNCTION "private"."begin_mail_content"(uuid, integer, text) IS 'Allows one worker to send the content of a mail, which is stored at this path if it is a proof; false when it was cancelled, refused or taken by another.';

COMMENT ON FUNCTION "private"."mail_account_of"(uuid) IS 'The account of a person with its encrypted password; no row without one.';

COMMENT ON FUNCTION "private"."mail_inbox_of"(uuid) IS 'The mailbox of a person with its encrypted password; no row without one.';

COMMENT ON FUNCTION "private"."miss_deliveries"() IS 'Certified mails without a receipt of delivery after 24 hours have failed (RFC 6109, 3.3), where the mailbox was read since.';

COMMENT ON FUNCTION "private"."note_pec_receipt"(uuid, text, public.mail_report_kind, text, boolean, text, text, boolean, text, text, text, timestamp
  with time zone) IS 'Records a receipt of certified mail, once, and what it says about its mail. False for a mail that was not sent from here.';

COMMENT ON FUNCTION "private"."real_references"(uuid, text[]) IS 'References with those of the certified mails whose envelopes they name.';

COMMENT ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text, boolean) IS 'Keeps the account of a person after a sign-in with this password.';

REVOKE ALL ON FUNCTION "private"."begin_mail_content"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_mail_content"(uuid, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_account_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_account_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_inbox_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_inbox_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."miss_deliveries"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."miss_deliveries"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_pec_receipt"(uuid, text, public.mail_report_kind, text, boolean, text, text, boolean, text, text, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE
  ON FUNCTION "private"."note_pec_receipt"(uuid, text, public.mail_report_kind, text, boolean, text, text, boolean, text, text, text, timestamp WITH time zone)
  TO "service_role";

REVOKE ALL ON FUNCTION "private"."real_references"(uuid, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text, boolean) TO "service_role";

reset check_function_bodies;
