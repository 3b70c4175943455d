-- Mail received.
--   CREATE TABLE private.mail_places ( user_id uuid NOT NULL, folder text NOT NULL, uidvalidity bigint NOT NULL, …
--   ALTER TABLE private.mail_places ENABLE ROW LEVEL SECURITY
--   CREATE TABLE public.mail_inboxes ( user_id uuid NOT NULL, host text NOT NULL, port integer NOT NULL, security…
--   ALTER TABLE public.mail_inboxes ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_inboxes FROM anon
--   CREATE TABLE public.mail_thread_letters ( outgoing_id uuid NOT NULL, user_id uuid NOT NULL, thread_id uuid NO…
--   ALTER TABLE public.mail_thread_letters ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_thread_letters FROM anon
--   CREATE TABLE public.mail_threads ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, subject…
--   ALTER TABLE public.mail_threads ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_threads FROM anon
--   CREATE TABLE public.received_mails ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, threa…
--   ALTER TABLE public.received_mails ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.received_mails FROM anon
--   CREATE TYPE public.mail_folder AS ENUM ( 'ricevuti', 'inviati' )
--   ALTER TABLE public.received_mails ADD COLUMN folder public.mail_folder NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN folder_name text NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN uidvalidity bigint NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN message_uid bigint NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN message_id text NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN sha256 text NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN reference_ids text[] NOT NULL DEFAULT '{}'::text[]
--   CREATE TYPE public.mail_kind AS ENUM ( 'persona', 'automatica', 'lista', 'rimbalzo' )
--   ALTER TABLE public.mail_threads ADD COLUMN kind public.mail_kind NOT NULL DEFAULT 'persona'::public.mail_kind
--   ALTER TABLE public.mail_threads ADD COLUMN has_warnings boolean NOT NULL DEFAULT false
--   ALTER TABLE public.mail_threads ADD COLUMN is_done boolean NOT NULL DEFAULT false
--   ALTER TABLE public.mail_threads ADD COLUMN last_at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.mail_threads ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   ALTER TABLE public.received_mails ADD COLUMN kind public.mail_kind NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN sender text
--   ALTER TABLE public.received_mails ADD COLUMN sender_name text
--   ALTER TABLE public.received_mails ADD COLUMN reply_to text
--   ALTER TABLE public.received_mails ADD COLUMN recipients text[] NOT NULL DEFAULT '{}'::text[]
--   ALTER TABLE public.received_mails ADD COLUMN party text
--   ALTER TABLE public.received_mails ADD COLUMN contact_id uuid
--   ALTER TABLE public.received_mails ADD COLUMN subject public.single_line NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN body text NOT NULL DEFAULT ''::text
--   ALTER TABLE public.received_mails ADD COLUMN quoted text NOT NULL DEFAULT ''::text
--   CREATE TYPE public.mail_verdict AS ENUM ( 'pass', 'fail' )
--   ALTER TABLE public.received_mails ADD COLUMN dmarc public.mail_verdict
--   ALTER TABLE public.received_mails ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]'::jsonb
--   ALTER TABLE public.received_mails ADD COLUMN files jsonb NOT NULL DEFAULT '[]'::jsonb
--   ALTER TABLE public.received_mails ADD COLUMN is_whole boolean NOT NULL DEFAULT true
--   ALTER TABLE public.received_mails ADD COLUMN bytes bigint NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN storage_path text
--   ALTER TABLE public.received_mails ADD COLUMN at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.received_mails ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.confirm_sent_mail
--   CREATE OR REPLACE FUNCTION private.follow_new_address
--   CREATE OR REPLACE FUNCTION private.forget_mails
--   CREATE OR REPLACE FUNCTION private.keep_received_mail
--   CREATE OR REPLACE FUNCTION private.known_mail_domains
--   CREATE OR REPLACE FUNCTION private.mail_facts
--   CREATE OR REPLACE FUNCTION private.mail_inbox_of
--   CREATE OR REPLACE FUNCTION private.mail_place
--   CREATE OR REPLACE FUNCTION private.mail_readers
--   CREATE OR REPLACE FUNCTION private.mail_references
--   CREATE OR REPLACE FUNCTION private.move_mail_place
--   CREATE OR REPLACE FUNCTION private.note_mail_document
--   CREATE OR REPLACE FUNCTION private.note_mail_inbox
--   CREATE OR REPLACE FUNCTION private.open_thread
--   CREATE OR REPLACE FUNCTION private.plain_subject
--   CREATE OR REPLACE FUNCTION private.record_received_mail
--   CREATE OR REPLACE FUNCTION private.save_mail_inbox
--   CREATE OR REPLACE FUNCTION private.similar_thread
--   CREATE OR REPLACE FUNCTION private.thread_of
--   CREATE OR REPLACE FUNCTION public.answer_mail
--   REVOKE ALL ON FUNCTION public.answer_mail
--   ALTER TABLE private.mail_places ADD CONSTRAINT mail_places_user_id_fkey FOREIGN KEY (user_id) REFERENCES publ…
--   ALTER TABLE public.mail_inboxes ADD CONSTRAINT mail_inboxes_user_id_fkey FOREIGN KEY (user_id) REFERENCES pub…
--   ALTER TABLE public.mail_thread_letters ADD CONSTRAINT mail_thread_letters_user_id_outgoing_id_fkey FOREIGN KE…
--   ALTER TABLE public.mail_threads REPLICA IDENTITY USING INDEX mail_threads_identity
--   ALTER TABLE public.mail_thread_letters ADD CONSTRAINT mail_thread_letters_user_id_thread_id_fkey FOREIGN KEY …
--   ALTER TABLE public.mail_threads ADD CONSTRAINT mail_threads_user_id_contact_id_fkey FOREIGN KEY (user_id, con…
--   ALTER TABLE public.mail_threads ADD CONSTRAINT mail_threads_user_id_fkey FOREIGN KEY (user_id) REFERENCES pub…
--   ALTER TABLE public.mail_threads ADD CONSTRAINT mail_threads_user_id_invoice_id_fkey FOREIGN KEY (user_id, inv…
--   ALTER TABLE public.mail_threads ADD CONSTRAINT mail_threads_user_id_suggested_thread_id_fkey FOREIGN KEY (use…
--   ALTER TABLE public.received_mails ADD CONSTRAINT it_lies_in_the_folder_of_its_owner CHECK (starts_with(storag…
--   ALTER TABLE public.received_mails ADD CONSTRAINT lists_are_lists CHECK (((jsonb_typeof(warnings) = 'array'::t…
--   ALTER TABLE public.received_mails ADD CONSTRAINT received_mails_user_id_contact_id_fkey FOREIGN KEY (user_id,…
--   ALTER TABLE public.received_mails ADD CONSTRAINT received_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES…
--   ALTER TABLE public.received_mails ADD CONSTRAINT received_mails_user_id_folder_name_uidvalidity_message_uid_k…
--   ALTER TABLE public.received_mails ADD CONSTRAINT received_mails_user_id_message_id_sha256_key UNIQUE (user_id…
--   ALTER TABLE public.received_mails ADD CONSTRAINT received_mails_user_id_thread_id_fkey FOREIGN KEY (user_id, …
--   ALTER TABLE public.received_mails ADD CONSTRAINT sha256_is_hexadecimal CHECK ((sha256 ~ '^[0-9a-f]{64}$'::tex…
--   ALTER TABLE public.received_mails ADD CONSTRAINT texts_fit CHECK (((char_length(body) <= 100000) AND (char_le…
--   CREATE INDEX mail_thread_letters_thread ON public.mail_thread_letters USING btree (user_id, thread_id)
--   CREATE INDEX mail_threads_contact ON public.mail_threads USING btree (user_id, contact_id, last_at DESC)
--   CREATE INDEX mail_threads_inbox ON public.mail_threads USING btree (user_id, is_done, last_at DESC, id)
--   CREATE INDEX mail_threads_invoice ON public.mail_threads USING btree (user_id, invoice_id)
--   CREATE INDEX mail_threads_suggested ON public.mail_threads USING btree (user_id, suggested_thread_id)
--   CREATE INDEX received_mails_contact ON public.received_mails USING btree (user_id, contact_id, at DESC)
--   CREATE INDEX received_mails_party ON public.received_mails USING btree (user_id, party, at DESC)
--   CREATE INDEX received_mails_path ON public.received_mails USING btree (user_id, storage_path)
--   CREATE INDEX received_mails_references ON public.received_mails USING gin (reference_ids)
--   CREATE INDEX received_mails_thread ON public.received_mails USING btree (user_id, thread_id, at)
--   CREATE TRIGGER follow_new_address AFTER INSERT ON public.contact_emails FOR EACH ROW EXECUTE FUNCTION private…
--   CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.mail_threads FOR EACH ROW WHEN ((…
--   CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.received_mails FOR EACH ROW WHEN …
--   CREATE POLICY owners read their mailbox ON public.mail_inboxes FOR SELECT TO authenticated USING ((user_id = …
--   CREATE POLICY owners read the letters of their threads ON public.mail_thread_letters FOR SELECT TO authentica…
--   CREATE POLICY owners finish their mail threads ON public.mail_threads FOR UPDATE TO authenticated USING ((use…
--   CREATE POLICY owners read their mail threads ON public.mail_threads FOR SELECT TO authenticated USING ((user_…
--   CREATE POLICY owners read their received mails ON public.received_mails FOR SELECT TO authenticated USING ((u…
--   COMMENT ON COLUMN public.mail_inboxes.completed_at IS 'When the first reading was done.'
--   COMMENT ON COLUMN public.mail_inboxes.found IS 'How many mails the first reading has to fetch; fetched counts…
--   COMMENT ON COLUMN public.mail_thread_letters.reference_ids IS 'Message-IDs that an answer refers to; the last…
--   COMMENT ON COLUMN public.mail_threads.invoice_id IS 'The invoice that a mail of ours in it was about.'
--   COMMENT ON COLUMN public.mail_threads.party IS 'The other side of the last received mail, as snippet is the b…
--   COMMENT ON COLUMN public.mail_threads.suggested_thread_id IS 'A recent thread with the same subject and corre…
--   COMMENT ON COLUMN public.received_mails.files IS 'Its attachments: [{name, mime, bytes, document_id}].'
--   COMMENT ON COLUMN public.received_mails.is_whole IS 'False when it was too large or malformed: its headers on…
--   COMMENT ON COLUMN public.received_mails.party IS 'The address of the other side, in lower case.'
--   COMMENT ON COLUMN public.received_mails.quoted IS 'Older mails that it quotes below its text.'
--   COMMENT ON COLUMN public.received_mails.storage_path IS 'Its raw form; null when the quota was full.'
--   COMMENT ON COLUMN public.received_mails.warnings IS 'What differs from what is known of the sender: [{kind: i…
--   COMMENT ON FUNCTION private.confirm_sent_mail
--   COMMENT ON FUNCTION private.follow_new_address
--   COMMENT ON FUNCTION private.forget_mails
--   COMMENT ON FUNCTION private.keep_received_mail
--   COMMENT ON FUNCTION private.known_mail_domains
--   COMMENT ON FUNCTION private.mail_facts
--   COMMENT ON FUNCTION private.mail_inbox_of
--   COMMENT ON FUNCTION private.mail_place
--   COMMENT ON FUNCTION private.mail_readers
--   COMMENT ON FUNCTION private.mail_references
--   COMMENT ON FUNCTION private.move_mail_place
--   COMMENT ON FUNCTION private.note_mail_document
--   COMMENT ON FUNCTION private.note_mail_inbox
--   COMMENT ON FUNCTION private.open_thread
--   COMMENT ON FUNCTION private.plain_subject
--   COMMENT ON FUNCTION private.record_received_mail
--   COMMENT ON FUNCTION private.save_mail_inbox
--   COMMENT ON FUNCTION private.similar_thread
--   COMMENT ON FUNCTION private.thread_of
--   COMMENT ON FUNCTION public.answer_mail
--   COMMENT ON TABLE private.mail_places IS 'How far each folder of a mailbox was read; another UIDVALIDITY begin…
--   COMMENT ON TABLE public.mail_inboxes IS 'The IMAP server of a person''s mail account, and how its last readin…
--   COMMENT ON TABLE public.mail_thread_letters IS 'To which thread a mail of the outbox belongs.'
--   COMMENT ON TABLE public.mail_threads IS 'Conversations by mail; those that are not done are the inbox «Da ges…
--   COMMENT ON TABLE public.received_mails IS 'Mails read from a person''s mailbox, received or sent elsewhere; w…
--   REVOKE ALL ON FUNCTION private.confirm_sent_mail
--   GRANT EXECUTE ON FUNCTION private.confirm_sent_mail
--   REVOKE ALL ON FUNCTION private.follow_new_address
--   REVOKE ALL ON FUNCTION private.forget_mails
--   GRANT EXECUTE ON FUNCTION private.forget_mails
--   REVOKE ALL ON FUNCTION private.keep_received_mail
--   GRANT EXECUTE ON FUNCTION private.keep_received_mail
--   REVOKE ALL ON FUNCTION private.known_mail_domains
--   GRANT EXECUTE ON FUNCTION private.known_mail_domains
--   REVOKE ALL ON FUNCTION private.mail_facts
--   GRANT EXECUTE ON FUNCTION private.mail_facts
--   REVOKE ALL ON FUNCTION private.mail_inbox_of
--   GRANT EXECUTE ON FUNCTION private.mail_inbox_of
--   REVOKE ALL ON FUNCTION private.mail_place
--   GRANT EXECUTE ON FUNCTION private.mail_place
--   REVOKE ALL ON FUNCTION private.mail_readers
--   GRANT EXECUTE ON FUNCTION private.mail_readers
--   REVOKE ALL ON FUNCTION private.mail_references
--   GRANT EXECUTE ON FUNCTION private.mail_references
--   REVOKE ALL ON FUNCTION private.move_mail_place
--   GRANT EXECUTE ON FUNCTION private.move_mail_place
--   REVOKE ALL ON FUNCTION private.note_mail_document
--   GRANT EXECUTE ON FUNCTION private.note_mail_document
--   REVOKE ALL ON FUNCTION private.note_mail_inbox
--   GRANT EXECUTE ON FUNCTION private.note_mail_inbox
--   REVOKE ALL ON FUNCTION private.open_thread
--   REVOKE ALL ON FUNCTION private.plain_subject
--   REVOKE ALL ON FUNCTION private.record_received_mail
--   REVOKE ALL ON FUNCTION private.save_mail_inbox
--   GRANT EXECUTE ON FUNCTION private.save_mail_inbox
--   REVOKE ALL ON FUNCTION private.similar_thread
--   REVOKE ALL ON FUNCTION private.thread_of
--   GRANT EXECUTE ON FUNCTION public.answer_mail
--   REVOKE ALL ON TABLE public.mail_inboxes FROM authenticated
--   GRANT SELECT ON TABLE public.mail_inboxes TO authenticated
--   REVOKE ALL ON TABLE public.mail_inboxes FROM service_role
--   GRANT SELECT ON TABLE public.mail_inboxes TO service_role
--   REVOKE ALL ON TABLE public.mail_thread_letters FROM authenticated
--   GRANT SELECT ON TABLE public.mail_thread_letters TO authenticated
--   REVOKE ALL ON TABLE public.mail_thread_letters FROM service_role
--   GRANT SELECT ON TABLE public.mail_thread_letters TO service_role
--   REVOKE ALL ON TABLE public.mail_threads FROM authenticated
--   REVOKE ALL (is_done) ON TABLE public.mail_threads FROM authenticated
--   GRANT UPDATE (is_done) ON TABLE public.mail_threads TO authenticated
--   GRANT SELECT ON TABLE public.mail_threads TO authenticated
--   REVOKE ALL ON TABLE public.mail_threads FROM service_role
--   GRANT SELECT ON TABLE public.mail_threads TO service_role
--   REVOKE ALL ON TABLE public.received_mails FROM authenticated
--   GRANT SELECT ON TABLE public.received_mails TO authenticated
--   REVOKE ALL ON TABLE public.received_mails FROM service_role
--   GRANT SELECT ON TABLE public.received_mails TO service_role

set check_function_bodies = off;

CREATE TABLE "private"."mail_places" (
  "user_id"     uuid   NOT NULL,
  "folder"      text   NOT NULL,
  "uidvalidity" bigint NOT NULL,
  "last_uid"    bigint NOT NULL DEFAULT 0,
  CONSTRAINT "mail_places_pkey" PRIMARY KEY (user_id, folder)
);

ALTER TABLE "private"."mail_places"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."mail_inboxes" (
  "user_id"          uuid                     NOT NULL,
  "host"             text                     NOT NULL,
  "port"             integer                  NOT NULL,
  "security"         public.mail_security     NOT NULL,
  "found"            integer                  NOT NULL DEFAULT 0,
  "fetched"          integer                  NOT NULL DEFAULT 0,
  "completed_at"     timestamp with time zone,
  "last_success_at"  timestamp with time zone,
  "last_error"       public.mail_error,
  "last_error_reply" text,
  "last_error_at"    timestamp with time zone,
  "created_at"       timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "host_fits" CHECK (((host ~ '^[A-Za-z0-9.:-]+$'::text) AND (char_length(host) <= 253))),
  CONSTRAINT "mail_inboxes_pkey" PRIMARY KEY (user_id),
  CONSTRAINT "mails_are_counted" CHECK (((found >= 0) AND (fetched >= 0))),
  CONSTRAINT "port_is_one" CHECK (((port >= 1) AND (port <= 65535)))
);

ALTER TABLE "public"."mail_inboxes"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_inboxes" FROM "anon";

CREATE TABLE "public"."mail_thread_letters" (
  "outgoing_id"   uuid   NOT NULL,
  "user_id"       uuid   NOT NULL,
  "thread_id"     uuid   NOT NULL,
  "reference_ids" text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT "mail_thread_letters_identity" UNIQUE (user_id, outgoing_id),
  CONSTRAINT "mail_thread_letters_pkey" PRIMARY KEY (outgoing_id)
);

ALTER TABLE "public"."mail_thread_letters"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_thread_letters" FROM "anon";

CREATE TABLE "public"."mail_threads" (
  "id"                  uuid               NOT NULL DEFAULT gen_random_uuid(),
  "user_id"             uuid               NOT NULL,
  "subject"             public.single_line NOT NULL,
  "contact_id"          uuid,
  "invoice_id"          uuid,
  "suggested_thread_id" uuid,
  "party"               text,
  "party_name"          text,
  "snippet"             text               NOT NULL DEFAULT ''::text,
  CONSTRAINT "mail_threads_identity" UNIQUE (user_id, id),
  CONSTRAINT "mail_threads_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."mail_threads"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_threads" FROM "anon";

CREATE TABLE "public"."received_mails" (
  "id"        uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id"   uuid NOT NULL,
  "thread_id" uuid NOT NULL,
  CONSTRAINT "received_mails_identity" UNIQUE (user_id, id),
  CONSTRAINT "received_mails_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."received_mails"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."received_mails" FROM "anon";

CREATE TYPE "public"."mail_folder" AS ENUM (
  'ricevuti',
  'inviati'
);

ALTER TABLE "public"."received_mails"
  ADD COLUMN "folder" public.mail_folder NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "folder_name" text NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "uidvalidity" bigint NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "message_uid" bigint NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "message_id" text NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "sha256" text NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "reference_ids" text[] NOT NULL DEFAULT '{}'::text[];

CREATE TYPE "public"."mail_kind" AS ENUM (
  'persona',
  'automatica',
  'lista',
  'rimbalzo'
);

ALTER TABLE "public"."mail_threads"
  ADD COLUMN "kind" public.mail_kind NOT NULL DEFAULT 'persona'::public.mail_kind;

ALTER TABLE "public"."mail_threads"
  ADD COLUMN "has_warnings" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mail_threads"
  ADD COLUMN "is_done" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mail_threads"
  ADD COLUMN "last_at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."mail_threads"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "public"."received_mails"
  ADD COLUMN "kind" public.mail_kind NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "sender" text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "sender_name" text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "reply_to" text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "recipients" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."received_mails"
  ADD COLUMN "party" text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "contact_id" uuid;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "subject" public.single_line NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "body" text NOT NULL DEFAULT ''::text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "quoted" text NOT NULL DEFAULT ''::text;

CREATE TYPE "public"."mail_verdict" AS ENUM (
  'pass',
  'fail'
);

ALTER TABLE "public"."received_mails"
  ADD COLUMN "dmarc" public.mail_verdict;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "warnings" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "files" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "is_whole" boolean NOT NULL DEFAULT true;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "bytes" bigint NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "storage_path" text;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.confirm_sent_mail (
  _user_id    uuid,
  _message_id text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  update public.outgoing_mails set state = 'sent', sent_at = now(), error = null
  where user_id = _user_id and message_id = _message_id and state = 'uncertain'
  returning * into _mail;
  if found then
    perform private.record_sent_mail(_mail);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.follow_new_address()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.received_mails;
begin
  for _mail in
    update public.received_mails set contact_id = new.contact_id
    where user_id = new.user_id and party = new.norm and contact_id is null
    returning *
  loop
    perform private.record_received_mail(_mail);
    update public.mail_threads set contact_id = new.contact_id
    where id = _mail.thread_id and contact_id is null;
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.forget_mails (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with old as (
    select thread_id from public.received_mails
    where kind <> 'persona' and created_at < now() - interval '180 days' limit _limit
  ), gone as (
    delete from public.received_mails
    where kind <> 'persona' and created_at < now() - interval '180 days' and thread_id in (select thread_id from old)
    returning user_id, thread_id
  ), emptied as (
    delete from public.mail_threads as thread
    where id in (select thread_id from gone) and not exists (
      select from public.received_mails
      where user_id = thread.user_id and thread_id = thread.id
        and not (kind <> 'persona' and created_at < now() - interval '180 days')
    )
  )
  select count(*) from gone
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
  _mail.thread_id := private.open_thread(_mail);
  _mail.created_at := now();
  insert into public.received_mails select _mail.*;
  perform private.record_received_mail(_mail);
  return query select _mail.id, _mail.thread_id, _mail.contact_id, true;
end
$function$;

CREATE OR REPLACE FUNCTION private.known_mail_domains (
  _user_id uuid
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select array(
    select distinct split_part(norm, '@', 2) from public.contact_emails where user_id = _user_id
    union select lower(split_part(from_address, '@', 2)) from public.mail_accounts where user_id = _user_id
    order by 1 limit 5000
  )
$function$;

CREATE OR REPLACE FUNCTION private.mail_facts (
  _user_id    uuid,
  _message_id text,
  _sha256     text,
  _party      text
)
  RETURNS TABLE (
    is_known   boolean,
    is_ours    boolean,
    contact_id uuid,
    ibans      text[]
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (
      select from public.received_mails where user_id = _user_id and message_id = _message_id and sha256 = _sha256
    ),
    exists (select from public.outgoing_mails where user_id = _user_id and message_id = _message_id),
    contact.id,
    array(
      select distinct iban from public.invoice_schedules
      join public.invoices on invoices.user_id = _user_id and invoices.id = invoice_id
      where invoice_schedules.user_id = _user_id and invoices.contact_id = contact.id and direction = 'passiva'
        and iban is not null
    )
  from (select) as one
  left join lateral (
    select contact_emails.contact_id as id from public.contact_emails where user_id = _user_id and norm = _party
  ) as contact on true
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
    is_complete  boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select inboxes.host, inboxes.port, inboxes.security::text, username, from_address, sealed, completed_at is not null
  from public.mail_inboxes as inboxes
  join public.mail_accounts as accounts using (user_id)
  join private.mail_secrets on account_id = accounts.id
  where inboxes.user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.mail_place (
  _user_id     uuid,
  _folder      text,
  _uidvalidity bigint
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.mail_places as place (user_id, folder, uidvalidity)
  select user_id, _folder, _uidvalidity from public.mail_inboxes where user_id = _user_id
  on conflict (user_id, folder) do update
    set last_uid = case when place.uidvalidity = _uidvalidity then place.last_uid else 0 end, uidvalidity = _uidvalidity
  returning last_uid
$function$;

CREATE OR REPLACE FUNCTION private.mail_readers (
  _limit integer DEFAULT 5000
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select user_id from public.mail_inboxes
  -- A password that was refused is not tried every few minutes: providers lock such accounts.
  where last_error is distinct from 'auth' or last_error_at < now() - interval '1 day'
  order by last_success_at nulls first limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.mail_references (
  _outgoing_id uuid
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce((select reference_ids from public.mail_thread_letters where outgoing_id = _outgoing_id), '{}')
$function$;

CREATE OR REPLACE FUNCTION private.move_mail_place (
  _user_id     uuid,
  _folder      text,
  _uidvalidity bigint,
  _uid         bigint
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.mail_places set last_uid = greatest(last_uid, _uid)
  where user_id = _user_id and folder = _folder and uidvalidity = _uidvalidity;
  update public.mail_inboxes set fetched = fetched + 1 where user_id = _user_id and completed_at is null
$function$;

CREATE OR REPLACE FUNCTION private.note_mail_document (
  _user_id     uuid,
  _mail_id     uuid,
  _place       integer,
  _document_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.received_mails
  set files = jsonb_set(files, array[_place::text, 'document_id'], to_jsonb(_document_id))
  where user_id = _user_id and id = _mail_id
$function$;

CREATE OR REPLACE FUNCTION private.note_mail_inbox (
  _user_id     uuid,
  _found       integer,
  _is_complete boolean,
  _error       public.mail_error,
  _reply       text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.mail_inboxes
  set found = case when completed_at is null then coalesce(fetched + _found, found) else found end,
    completed_at = case when _is_complete then coalesce(completed_at, now()) else completed_at end,
    last_success_at = case when _is_complete then now() else last_success_at end,
    last_error = _error, last_error_reply = left(private.one_line(_reply), 300),
    last_error_at = case when _error is not null then now() end
  where user_id = _user_id
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
  _waits constant boolean := _mail.folder = 'ricevuti' and _mail.kind = 'persona' and _mail.at > now() - interval '14 days';
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

CREATE OR REPLACE FUNCTION private.plain_subject (
  _subject text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select btrim(regexp_replace(
    btrim(_subject), '^((re|r|rif|i|fw|fwd|aw|wg|sv|tr|inoltra|inoltro|risposta)\s*(\[\d+\])?\s*:\s*)+', '', 'i'
  ))
$function$;

CREATE OR REPLACE FUNCTION private.record_received_mail (
  _mail public.received_mails
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  select _mail.user_id, _mail.contact_id, 'email',
    case _mail.folder when 'ricevuti' then 'entrata'::public.interaction_direction else 'uscita' end, _mail.at,
    left(btrim(_mail.subject || E'\n\n' || _mail.body), 20000)
  where _mail.contact_id is not null and _mail.kind = 'persona'
$function$;

CREATE OR REPLACE FUNCTION private.save_mail_inbox (
  _user_id          uuid,
  _host             text,
  _port             integer,
  _security         public.mail_security,
  _is_other_account boolean
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from public.mail_inboxes
  where user_id = _user_id and (_host is null or _is_other_account or host <> _host);
  insert into public.mail_inboxes (user_id, host, port, security)
  select _user_id, _host, _port, _security where _host is not null
  on conflict (user_id) do update
    set port = excluded.port, security = excluded.security, last_error = null, last_error_reply = null, last_error_at = null
$function$;

CREATE OR REPLACE FUNCTION private.similar_thread (
  _user_id uuid,
  _party   text,
  _subject text,
  _at      timestamp with time zone
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select thread_id from public.received_mails
  where user_id = _user_id and party = _party and at between _at - interval '14 days' and _at
    and lower(private.plain_subject(subject)) = lower(private.plain_subject(_subject))
    and private.plain_subject(_subject) not in ('', 'Senza oggetto')
  order by at desc limit 1
$function$;

CREATE OR REPLACE FUNCTION private.thread_of (
  _user_id    uuid,
  _message_id text,
  _references text[]
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select thread_id from (
    -- The last reference is the nearest ancestor.
    select thread_id, 0 as step, place from unnest(_references) with ordinality as named (id, place)
    join public.received_mails on user_id = _user_id and message_id = named.id
    union all
    select letters.thread_id, 0, place from unnest(_references) with ordinality as named (id, place)
    join public.outgoing_mails as sent on sent.user_id = _user_id and message_id = named.id
    join public.mail_thread_letters as letters on letters.user_id = _user_id and outgoing_id = sent.id
    union all
    -- Answers that came before the mail they answer, and others of the same ancestors.
    select thread_id, 1, 0 from public.received_mails
    where user_id = _user_id and reference_ids && (_references || _message_id)
  ) as candidates
  order by step, place desc, thread_id limit 1
$function$;

CREATE OR REPLACE FUNCTION public.answer_mail (
  _key        uuid,
  _thread_id  uuid,
  _contact_id uuid,
  _recipient  text,
  _subject    text,
  _body       text
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _last public.received_mails;
  _mail public.outgoing_mails;
begin
  perform from public.mail_threads where user_id = _user_id and id = _thread_id for no key update;
  if not found then
    raise exception 'no such thread' using errcode = 'PT404';
  end if;
  select * into _last from public.received_mails
  where user_id = _user_id and thread_id = _thread_id order by folder, at desc limit 1;
  _mail := public.queue_mail(
    _key => _key, _contact_id => _contact_id, _recipient => _recipient, _subject => _subject, _body => _body,
    -- Whoever wrote waits for an answer, whatever the hour.
    _is_at_once => true
  );
  insert into public.mail_thread_letters (outgoing_id, user_id, thread_id, reference_ids)
  values (
    _mail.id, _user_id, _thread_id,
    -- RFC 5322 3.6.4: its references and itself, from the oldest on; the middle of a long thread is left out.
    _last.reference_ids[1:1] || _last.reference_ids[greatest(2, cardinality(_last.reference_ids) - 17):] || _last.message_id
  )
  on conflict (outgoing_id) do nothing;
  update public.mail_threads set is_done = true, last_at = greatest(last_at, now()) where id = _thread_id;
  return _mail;
end
$function$;

REVOKE ALL ON FUNCTION "public"."answer_mail"(uuid, uuid, uuid, text, text, text) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."mail_places"
  ADD CONSTRAINT "mail_places_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.mail_inboxes(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_inboxes"
  ADD CONSTRAINT "mail_inboxes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.mail_accounts(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_thread_letters"
  ADD CONSTRAINT "mail_thread_letters_user_id_outgoing_id_fkey" FOREIGN KEY (user_id, outgoing_id) REFERENCES public.outgoing_mails(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_threads"
  REPLICA IDENTITY USING INDEX "mail_threads_identity";

ALTER TABLE "public"."mail_thread_letters"
  ADD CONSTRAINT "mail_thread_letters_user_id_thread_id_fkey" FOREIGN KEY (user_id, thread_id) REFERENCES public.mail_threads(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_threads"
  ADD CONSTRAINT "mail_threads_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

ALTER TABLE "public"."mail_threads"
  ADD CONSTRAINT "mail_threads_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.mail_inboxes(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_threads"
  ADD CONSTRAINT "mail_threads_user_id_invoice_id_fkey" FOREIGN KEY (user_id, invoice_id) REFERENCES public.invoices(user_id, id) ON DELETE SET NULL (invoice_id);

ALTER TABLE "public"."mail_threads"
  ADD CONSTRAINT "mail_threads_user_id_suggested_thread_id_fkey" FOREIGN KEY (user_id, suggested_thread_id) REFERENCES public.mail_threads(user_id, id) ON DELETE
    SET NULL (suggested_thread_id);

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "it_lies_in_the_folder_of_its_owner" CHECK (starts_with(storage_path, ((user_id)::text || '/posta/'::text)));

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "lists_are_lists" CHECK (((jsonb_typeof(warnings) = 'array'::text) AND (jsonb_typeof(files) = 'array'::text)));

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "received_mails_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "received_mails_user_id_fkey" FOREIGN KEY (user_id) REFERENCES public.mail_inboxes(user_id) ON DELETE CASCADE;

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "received_mails_user_id_folder_name_uidvalidity_message_uid_key" UNIQUE (user_id, folder_name, uidvalidity, message_uid);

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "received_mails_user_id_message_id_sha256_key" UNIQUE (user_id, message_id, sha256);

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "received_mails_user_id_thread_id_fkey" FOREIGN KEY (user_id, thread_id) REFERENCES public.mail_threads(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "sha256_is_hexadecimal" CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text));

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "texts_fit" CHECK (((char_length(body) <= 100000) AND (char_length(quoted) <= 100000) AND (char_length(message_id) <= 300) AND (char_length(sender_name) <= 200)));

CREATE INDEX mail_thread_letters_thread ON public.mail_thread_letters USING btree (user_id, thread_id);

CREATE INDEX mail_threads_contact ON public.mail_threads USING btree (user_id, contact_id, last_at DESC);

CREATE INDEX mail_threads_inbox ON public.mail_threads USING btree (user_id, is_done, last_at DESC, id);

CREATE INDEX mail_threads_invoice ON public.mail_threads USING btree (user_id, invoice_id);

CREATE INDEX mail_threads_suggested ON public.mail_threads USING btree (user_id, suggested_thread_id);

CREATE INDEX received_mails_contact ON public.received_mails USING btree (user_id, contact_id, at DESC);

CREATE INDEX received_mails_party ON public.received_mails USING btree (user_id, party, at DESC);

CREATE INDEX received_mails_path ON public.received_mails USING btree (user_id, storage_path);

CREATE INDEX received_mails_references ON public.received_mails USING gin (reference_ids);

CREATE INDEX received_mails_thread ON public.received_mails USING btree (user_id, thread_id, at);

CREATE TRIGGER follow_new_address
  AFTER INSERT ON public.contact_emails
  FOR EACH ROW
  EXECUTE FUNCTION private.follow_new_address();

CREATE TRIGGER follow_merge
  BEFORE INSERT OR UPDATE OF contact_id ON public.mail_threads
  FOR EACH ROW
  WHEN ((new.contact_id IS NOT NULL))
  EXECUTE FUNCTION private.follow_merge();

CREATE TRIGGER follow_merge
  BEFORE INSERT OR UPDATE OF contact_id ON public.received_mails
  FOR EACH ROW
  WHEN ((new.contact_id IS NOT NULL))
  EXECUTE FUNCTION private.follow_merge();

CREATE POLICY "owners read their mailbox" ON "public"."mail_inboxes"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read the letters of their threads" ON "public"."mail_thread_letters"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners finish their mail threads" ON "public"."mail_threads"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their mail threads" ON "public"."mail_threads"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their received mails" ON "public"."received_mails"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."mail_inboxes"."completed_at" IS 'When the first reading was done.';

COMMENT ON COLUMN "public"."mail_inboxes"."found" IS 'How many mails the first reading has to fetch; fetched counts up to it.';

COMMENT ON COLUMN "public"."mail_thread_letters"."reference_ids" IS 'Message-IDs that an answer refers to; the last is the one it answers.';

COMMENT ON COLUMN "public"."mail_threads"."invoice_id" IS 'The invoice that a mail of ours in it was about.';

COMMENT ON COLUMN "public"."mail_threads"."party" IS 'The other side of the last received mail, as snippet is the beginning of its text.';

COMMENT ON COLUMN "public"."mail_threads"."suggested_thread_id" IS 'A recent thread with the same subject and correspondent, which nothing but these connects with it.';

COMMENT ON COLUMN "public"."received_mails"."files" IS 'Its attachments: [{name, mime, bytes, document_id}].';

COMMENT ON COLUMN "public"."received_mails"."is_whole" IS 'False when it was too large or malformed: its headers only.';

COMMENT ON COLUMN "public"."received_mails"."party" IS 'The address of the other side, in lower case.';

COMMENT ON COLUMN "public"."received_mails"."quoted" IS 'Older mails that it quotes below its text.';

COMMENT ON COLUMN "public"."received_mails"."storage_path" IS 'Its raw form; null when the quota was full.';

COMMENT ON COLUMN "public"."received_mails"."warnings" IS 'What differs from what is known of the sender: [{kind: iban | domain | dmarc, value, known}]. No automation uses such a mail.';

COMMENT ON FUNCTION "private"."confirm_sent_mail"(uuid, text) IS 'A mail of the outbox that was uncertain was found in Sent.';

COMMENT ON FUNCTION "private"."follow_new_address"() IS 'Mails of an address that nobody had become those of its contact, in the history too.';

COMMENT ON FUNCTION "private"."forget_mails"(integer) IS 'Deletes what lists and machines wrote half a year ago.';

COMMENT ON FUNCTION "private"."keep_received_mail"(uuid, jsonb) IS 'Keeps a mail of a person, a row of received_mails with its id, in its thread and in the history of its contact. A mail that is known gets its new place. No row when the account was disconnected.';

COMMENT ON FUNCTION "private"."known_mail_domains"(uuid) IS 'The domains of a person''s contacts and the person''s own.';

COMMENT ON FUNCTION "private"."mail_facts"(uuid, text, text, text) IS 'What is known about a mail before it is kept: whether it is kept already or is a mail of the outbox, its contact, and the accounts to which that contact''s invoices are paid.';

COMMENT ON FUNCTION "private"."mail_inbox_of"(uuid) IS 'The mailbox of a person with its encrypted password; no row without one.';

COMMENT ON FUNCTION "private"."mail_place"(uuid, text, bigint) IS 'Up to which UID a folder was read; 0 when its UIDs are not valid any more.';

COMMENT ON FUNCTION "private"."mail_readers"(integer) IS 'The people whose mailbox is to be read.';

COMMENT ON FUNCTION "private"."mail_references"(uuid) IS 'What a mail of the outbox refers to, the mail it answers last.';

COMMENT ON FUNCTION "private"."move_mail_place"(uuid, text, bigint, bigint) IS 'A message was read: the next reading begins after it.';

COMMENT ON FUNCTION "private"."note_mail_document"(uuid, uuid, integer, uuid) IS 'Says which document an attachment has become.';

COMMENT ON FUNCTION "private"."note_mail_inbox"(uuid, integer, boolean, public.mail_error, text) IS 'Records how the reading of a mailbox goes: how many mails are still to be fetched, that it is complete, or its error.';

COMMENT ON FUNCTION "private"."open_thread"(public.received_mails) IS 'Finds or makes the thread of a new mail, and opens or closes it again.';

COMMENT ON FUNCTION "private"."plain_subject"(text) IS 'A subject without «R:», «Re:», «I:» and the like.';

COMMENT ON FUNCTION "private"."record_received_mail"(public.received_mails) IS 'Adds a mail to the history of its contact; what machines write is no contact with anybody.';

COMMENT ON FUNCTION "private"."save_mail_inbox"(uuid, text, integer, public.mail_security, boolean) IS 'Keeps where an account''s mail is read, after a sign-in; no host: nowhere. Mails of another account go.';

COMMENT ON FUNCTION "private"."similar_thread"(uuid, text, text, timestamp with time zone) IS 'A thread of the last fourteen days with the same subject and correspondent.';

COMMENT ON FUNCTION "private"."thread_of"(uuid, text, text[]) IS 'The thread of a mail by what it refers to, the nearest ancestor last; null when nothing connects it.';

COMMENT ON FUNCTION "public"."answer_mail"(uuid, uuid, uuid, text, text, text) IS 'Queues an answer of the caller in a thread, as queue_mail does; the thread is done.';

COMMENT ON TABLE "private"."mail_places" IS 'How far each folder of a mailbox was read; another UIDVALIDITY begins it again.';

COMMENT ON TABLE "public"."mail_inboxes" IS 'The IMAP server of a person''s mail account, and how its last reading ended.';

COMMENT ON TABLE "public"."mail_thread_letters" IS 'To which thread a mail of the outbox belongs.';

COMMENT ON TABLE "public"."mail_threads" IS 'Conversations by mail; those that are not done are the inbox «Da gestire».';

COMMENT ON TABLE "public"."received_mails" IS 'Mails read from a person''s mailbox, received or sent elsewhere; written by the server.';

REVOKE ALL ON FUNCTION "private"."confirm_sent_mail"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."confirm_sent_mail"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."follow_new_address"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_mails"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_mails"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_received_mail"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_received_mail"(uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."known_mail_domains"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."known_mail_domains"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_facts"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_facts"(uuid, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_inbox_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_inbox_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_place"(uuid, text, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_place"(uuid, text, bigint) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_readers"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_readers"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_references"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_references"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."move_mail_place"(uuid, text, bigint, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."move_mail_place"(uuid, text, bigint, bigint) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_mail_document"(uuid, uuid, integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_mail_document"(uuid, uuid, integer, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_mail_inbox"(uuid, integer, boolean, public.mail_error, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_mail_inbox"(uuid, integer, boolean, public.mail_error, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."open_thread"(public.received_mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."plain_subject"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_received_mail"(public.received_mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."save_mail_inbox"(uuid, text, integer, public.mail_security, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_mail_inbox"(uuid, text, integer, public.mail_security, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."similar_thread"(uuid, text, text, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."thread_of"(uuid, text, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."answer_mail"(uuid, uuid, uuid, text, text, text) TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_inboxes" FROM "authenticated";

GRANT SELECT ON TABLE "public"."mail_inboxes" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_inboxes" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_inboxes" TO "service_role";

REVOKE ALL ON TABLE "public"."mail_thread_letters" FROM "authenticated";

GRANT SELECT ON TABLE "public"."mail_thread_letters" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_thread_letters" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_thread_letters" TO "service_role";

REVOKE ALL ON TABLE "public"."mail_threads" FROM "authenticated";

REVOKE ALL ("is_done") ON TABLE "public"."mail_threads" FROM "authenticated";

GRANT UPDATE ("is_done") ON TABLE "public"."mail_threads" TO "authenticated";

GRANT SELECT ON TABLE "public"."mail_threads" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_threads" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_threads" TO "service_role";

REVOKE ALL ON TABLE "public"."received_mails" FROM "authenticated";

GRANT SELECT ON TABLE "public"."received_mails" TO "authenticated";

REVOKE ALL ON TABLE "public"."received_mails" FROM "service_role";

GRANT SELECT ON TABLE "public"."received_mails" TO "service_role";

reset check_function_bodies;
