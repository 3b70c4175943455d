-- Mail channels.
--   DROP VIEW public.timeline
--   CREATE TABLE private.mail_secrets ( account_id uuid NOT NULL, sealed text NOT NULL, CONSTRAINT mail_secrets_p…
--   ALTER TABLE private.mail_secrets ENABLE ROW LEVEL SECURITY
--   CREATE TABLE public.mail_accounts ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, host t…
--   ALTER TABLE public.mail_accounts ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_accounts FROM anon
--   CREATE TABLE public.mail_suppressions ( id uuid NOT NULL DEFAULT gen_random_uuid(), address text NOT NULL, CO…
--   ALTER TABLE public.mail_suppressions ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_suppressions FROM anon
--   CREATE TABLE public.outgoing_mails ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, conta…
--   ALTER TABLE public.outgoing_mails ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.outgoing_mails FROM anon
--   CREATE TYPE public.mail_basis AS ENUM ( 'contratto', 'consenso' )
--   ALTER TABLE public.outgoing_mails ADD COLUMN basis public.mail_basis NOT NULL
--   ALTER TABLE public.outgoing_mails ADD COLUMN invoice_id uuid
--   ALTER TABLE public.outgoing_mails ADD COLUMN document_ids uuid[] NOT NULL DEFAULT '{}'::uuid[]
--   ALTER TABLE public.outgoing_mails ADD COLUMN message_id text NOT NULL
--   CREATE TYPE public.mail_error AS ENUM ( 'unreachable', 'tls', 'auth', 'busy', 'refused', 'bad_address', 'atta…
--   CREATE TYPE public.mail_security AS ENUM ( 'tls', 'starttls' )
--   ALTER TABLE public.mail_accounts ADD COLUMN security public.mail_security NOT NULL
--   ALTER TABLE public.mail_accounts ADD COLUMN username text NOT NULL
--   ALTER TABLE public.mail_accounts ADD COLUMN from_address text NOT NULL
--   ALTER TABLE public.mail_accounts ADD COLUMN from_name public.single_line
--   ALTER TABLE public.mail_accounts ADD COLUMN signature text
--   ALTER TABLE public.mail_accounts ADD COLUMN daily_cap integer NOT NULL DEFAULT 200
--   ALTER TABLE public.mail_accounts ADD COLUMN last_success_at timestamp WITH time zone
--   ALTER TABLE public.mail_accounts ADD COLUMN last_error public.mail_error
--   ALTER TABLE public.mail_accounts ADD COLUMN last_error_reply text
--   ALTER TABLE public.mail_accounts ADD COLUMN last_error_at timestamp WITH time zone
--   ALTER TABLE public.mail_accounts ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE TYPE public.mail_state AS ENUM ( 'queued', 'sending', 'sent', 'failed', 'uncertain', 'cancelled' )
--   ALTER TABLE public.outgoing_mails ADD COLUMN state public.mail_state NOT NULL DEFAULT 'queued'::public.mail_s…
--   ALTER TABLE public.outgoing_mails ADD COLUMN not_before timestamp WITH time zone NOT NULL
--   ALTER TABLE public.outgoing_mails ADD COLUMN expires_at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.outgoing_mails ADD COLUMN attempts integer NOT NULL DEFAULT 0
--   ALTER TABLE public.outgoing_mails ADD COLUMN leased_until timestamp WITH time zone
--   ALTER TABLE public.outgoing_mails ADD COLUMN error public.mail_error
--   ALTER TABLE public.outgoing_mails ADD COLUMN reply text
--   ALTER TABLE public.outgoing_mails ADD COLUMN sent_at timestamp WITH time zone
--   ALTER TABLE public.outgoing_mails ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE TYPE public.mail_suppression_reason AS ENUM ( 'manuale', 'disiscritto', 'rimbalzo', 'reclamo' )
--   ALTER TABLE public.mail_suppressions ADD COLUMN reason public.mail_suppression_reason NOT NULL DEFAULT 'manua…
--   ALTER TABLE public.mail_suppressions ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.begin_mail_content
--   CREATE OR REPLACE FUNCTION private.cancel_mails_of_account
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.due_mail_senders
--   CREATE OR REPLACE FUNCTION private.mail_account_of
--   CREATE OR REPLACE FUNCTION private.mail_refusal
--   CREATE OR REPLACE FUNCTION private.note_mail_account
--   CREATE OR REPLACE FUNCTION private.record_sent_mail
--   CREATE OR REPLACE FUNCTION private.require_attachments
--   CREATE OR REPLACE FUNCTION private.require_mail_allowed
--   CREATE OR REPLACE FUNCTION private.save_mail_account
--   CREATE OR REPLACE FUNCTION private.settle_mail
--   CREATE OR REPLACE FUNCTION public.cancel_mail
--   REVOKE ALL ON FUNCTION public.cancel_mail
--   CREATE OR REPLACE FUNCTION public.decide_mail
--   REVOKE ALL ON FUNCTION public.decide_mail
--   CREATE OR REPLACE FUNCTION public.queue_mail
--   REVOKE ALL ON FUNCTION public.queue_mail
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT daily_cap_fits CHECK (((daily_cap >= 1) AND (daily_cap <= 200…
--   ALTER TABLE private.mail_secrets ADD CONSTRAINT mail_secrets_account_id_fkey FOREIGN KEY (account_id) REFEREN…
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT mail_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES a…
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT signature_fits CHECK (((char_length(signature) >= 1) AND (cha…
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT username_fits CHECK (((username ~ '[^[:space:]]'::text) AND (…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT attachments_fit CHECK (((cardinality(document_ids) <= 10) AN…
--   ALTER TABLE public.outgoing_mails REPLICA IDENTITY USING INDEX outgoing_mails_identity
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT outgoing_mails_user_id_contact_id_fkey FOREIGN KEY (user_id,…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT outgoing_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT sending_has_a_lease CHECK (((state <> 'sending'::public.mail…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT sent_mails_have_a_time CHECK (((state = 'sent'::public.mail_…
--   CREATE VIEW public.timeline WITH (security_invoker=on) AS SELECT ('interaction:'::text || interactions.id) AS…
--   REVOKE ALL ON TABLE public.timeline FROM anon
--   CREATE INDEX outgoing_mails_contact ON public.outgoing_mails USING btree (user_id, contact_id, created_at DES…
--   CREATE INDEX outgoing_mails_due ON public.outgoing_mails USING btree (not_before) WHERE (state = ANY (ARRAY['…
--   CREATE INDEX outgoing_mails_invoice ON public.outgoing_mails USING btree (user_id, invoice_id) WHERE (invoice…
--   CREATE INDEX outgoing_mails_latest ON public.outgoing_mails USING btree (user_id, created_at DESC)
--   CREATE TRIGGER cancel_mails AFTER DELETE ON public.mail_accounts FOR EACH ROW EXECUTE FUNCTION private.cancel…
--   CREATE POLICY owners change their mail account ON public.mail_accounts FOR UPDATE TO authenticated USING ((us…
--   CREATE POLICY owners disconnect their mail account ON public.mail_accounts FOR DELETE TO authenticated USING …
--   CREATE POLICY owners read their mail account ON public.mail_accounts FOR SELECT TO authenticated USING ((user…
--   CREATE POLICY owners read their outgoing mails ON public.outgoing_mails FOR SELECT TO authenticated USING ((u…
--   ALTER PUBLICATION supabase_realtime ADD TABLE public.outgoing_mails
--   COMMENT ON COLUMN public.outgoing_mails.attempts IS 'Also tells a worker that lost its lease from the one tha…
--   COMMENT ON COLUMN public.outgoing_mails.invoice_id IS 'Its PDF is attached. No foreign key, as for document_i…
--   COMMENT ON COLUMN public.outgoing_mails.key IS 'Made by the form that sends it.'
--   COMMENT ON COLUMN public.outgoing_mails.reply IS 'What the mail server said.'
--   COMMENT ON FUNCTION private.begin_mail_content
--   COMMENT ON FUNCTION private.cancel_mails_of_account
--   COMMENT ON FUNCTION private.claim_mail
--   COMMENT ON FUNCTION private.due_mail_senders
--   COMMENT ON FUNCTION private.mail_account_of
--   COMMENT ON FUNCTION private.mail_refusal
--   COMMENT ON FUNCTION private.note_mail_account
--   COMMENT ON FUNCTION private.record_sent_mail
--   COMMENT ON FUNCTION private.require_attachments
--   COMMENT ON FUNCTION private.require_mail_allowed
--   COMMENT ON FUNCTION private.save_mail_account
--   COMMENT ON FUNCTION private.settle_mail
--   COMMENT ON FUNCTION public.cancel_mail
--   COMMENT ON FUNCTION public.decide_mail
--   COMMENT ON FUNCTION public.queue_mail
--   COMMENT ON TABLE private.mail_secrets IS 'Passwords of mail accounts, encrypted by Context.seal; no API role …
--   COMMENT ON TABLE public.mail_accounts IS 'The mail server of a person, and how its last use ended; the passwo…
--   COMMENT ON TABLE public.mail_suppressions IS 'Addresses that a person never writes to, whatever consent says.'
--   COMMENT ON TABLE public.outgoing_mails IS 'Outbox of mails to contacts, one row for each recipient; written b…
--   COMMENT ON VIEW public.timeline IS 'What happened with each contact. Filter by contact_id, order by at desc, …
--   REVOKE ALL ON FUNCTION private.begin_mail_content
--   GRANT EXECUTE ON FUNCTION private.begin_mail_content
--   REVOKE ALL ON FUNCTION private.cancel_mails_of_account
--   REVOKE ALL ON FUNCTION private.claim_mail
--   GRANT EXECUTE ON FUNCTION private.claim_mail
--   REVOKE ALL ON FUNCTION private.due_mail_senders
--   GRANT EXECUTE ON FUNCTION private.due_mail_senders
--   REVOKE ALL ON FUNCTION private.mail_account_of
--   GRANT EXECUTE ON FUNCTION private.mail_account_of
--   REVOKE ALL ON FUNCTION private.mail_refusal
--   REVOKE ALL ON FUNCTION private.note_mail_account
--   GRANT EXECUTE ON FUNCTION private.note_mail_account
--   REVOKE ALL ON FUNCTION private.record_sent_mail
--   REVOKE ALL ON FUNCTION private.require_attachments
--   REVOKE ALL ON FUNCTION private.require_mail_allowed
--   REVOKE ALL ON FUNCTION private.save_mail_account
--   GRANT EXECUTE ON FUNCTION private.save_mail_account
--   REVOKE ALL ON FUNCTION private.settle_mail
--   GRANT EXECUTE ON FUNCTION private.settle_mail
--   GRANT EXECUTE ON FUNCTION public.cancel_mail
--   GRANT EXECUTE ON FUNCTION public.decide_mail
--   GRANT EXECUTE ON FUNCTION public.queue_mail
--   REVOKE ALL ON TABLE public.mail_accounts FROM authenticated
--   REVOKE ALL (from_name) ON TABLE public.mail_accounts FROM authenticated
--   GRANT UPDATE (from_name) ON TABLE public.mail_accounts TO authenticated
--   REVOKE ALL (signature) ON TABLE public.mail_accounts FROM authenticated
--   GRANT UPDATE (signature) ON TABLE public.mail_accounts TO authenticated
--   GRANT DELETE, SELECT ON TABLE public.mail_accounts TO authenticated
--   REVOKE ALL ON TABLE public.mail_accounts FROM service_role
--   GRANT SELECT ON TABLE public.mail_accounts TO service_role
--   REVOKE ALL ON TABLE public.mail_suppressions FROM authenticated
--   REVOKE ALL (address) ON TABLE public.mail_suppressions FROM authenticated
--   GRANT INSERT (address) ON TABLE public.mail_suppressions TO authenticated
--   REVOKE ALL (id) ON TABLE public.mail_suppressions FROM authenticated
--   GRANT INSERT (id) ON TABLE public.mail_suppressions TO authenticated
--   GRANT SELECT ON TABLE public.mail_suppressions TO authenticated
--   REVOKE ALL ON TABLE public.mail_suppressions FROM service_role
--   GRANT SELECT ON TABLE public.mail_suppressions TO service_role
--   REVOKE ALL ON TABLE public.outgoing_mails FROM authenticated
--   GRANT SELECT ON TABLE public.outgoing_mails TO authenticated
--   REVOKE ALL ON TABLE public.outgoing_mails FROM service_role
--   GRANT SELECT ON TABLE public.outgoing_mails TO service_role
--   REVOKE ALL ON TABLE public.timeline FROM authenticated
--   GRANT SELECT ON TABLE public.timeline TO authenticated
--   REVOKE ALL ON TABLE public.timeline FROM service_role
--   GRANT SELECT ON TABLE public.timeline TO service_role
--   ALTER TABLE public.mail_suppressions ADD CONSTRAINT mail_suppressions_user_id_fkey FOREIGN KEY (user_id) REFE…
--   CREATE INDEX mail_suppressions_owner ON public.mail_suppressions USING btree (user_id, created_at DESC)
--   CREATE POLICY owners add suppressions ON public.mail_suppressions FOR INSERT TO authenticated WITH CHECK ((us…
--   CREATE POLICY owners read their suppressions ON public.mail_suppressions FOR SELECT TO authenticated USING ((…
--   REVOKE ALL (user_id) ON TABLE public.mail_suppressions FROM authenticated
--   GRANT INSERT (user_id) ON TABLE public.mail_suppressions TO authenticated
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT from_address_is_an_address CHECK ((private.is_email(from_addr…

set check_function_bodies = off;

DROP VIEW "public"."timeline";

CREATE TABLE "private"."mail_secrets" (
  "account_id" uuid NOT NULL,
  "sealed"     text NOT NULL,
  CONSTRAINT "mail_secrets_pkey" PRIMARY KEY (account_id)
);

ALTER TABLE "private"."mail_secrets"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."mail_accounts" (
  "id"      uuid    NOT NULL DEFAULT gen_random_uuid(),
  "user_id" uuid    NOT NULL,
  "host"    text    NOT NULL,
  "port"    integer NOT NULL,
  CONSTRAINT "host_fits" CHECK (((host ~ '^[A-Za-z0-9.:-]+$'::text) AND (char_length(host) <= 253))),
  CONSTRAINT "mail_accounts_pkey" PRIMARY KEY (id),
  CONSTRAINT "mail_accounts_user_id_key" UNIQUE (user_id),
  CONSTRAINT "port_is_one" CHECK (((port >= 1) AND (port <= 65535)))
);

ALTER TABLE "public"."mail_accounts"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_accounts" FROM "anon";

CREATE TABLE "public"."mail_suppressions" (
  "id"      uuid NOT NULL DEFAULT gen_random_uuid(),
  "address" text NOT NULL,
  CONSTRAINT "mail_suppressions_pkey" PRIMARY KEY (id),
  "user_id" uuid NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "mail_suppressions_user_id_address_key" UNIQUE (user_id, address),
  CONSTRAINT "address_is_lower" CHECK ((private.is_email(address) AND (address = lower(address))))
);

ALTER TABLE "public"."mail_suppressions"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_suppressions" FROM "anon";

CREATE TABLE "public"."outgoing_mails" (
  "id"         uuid               NOT NULL DEFAULT gen_random_uuid(),
  "user_id"    uuid               NOT NULL,
  "contact_id" uuid               NOT NULL,
  "key"        uuid               NOT NULL,
  "recipient"  text               NOT NULL,
  "subject"    public.single_line NOT NULL,
  "body"       text               NOT NULL,
  CONSTRAINT "body_fits" CHECK (((body ~ '[^[:space:]]'::text) AND (char_length(body) <= 25000))),
  CONSTRAINT "outgoing_mails_identity" UNIQUE (user_id, id),
  CONSTRAINT "outgoing_mails_pkey" PRIMARY KEY (id),
  CONSTRAINT "outgoing_mails_user_id_key_key" UNIQUE (user_id, key),
  CONSTRAINT "recipient_is_an_address" CHECK (private.is_email(recipient))
);

ALTER TABLE "public"."outgoing_mails"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."outgoing_mails" FROM "anon";

CREATE TYPE "public"."mail_basis" AS ENUM (
  'contratto',
  'consenso'
);

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "basis" public.mail_basis NOT NULL;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "invoice_id" uuid;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "document_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[];

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "message_id" text NOT NULL;

CREATE TYPE "public"."mail_error" AS ENUM (
  'unreachable',
  'tls',
  'auth',
  'busy',
  'refused',
  'bad_address',
  'attachment',
  'expired',
  'suppressed',
  'consent',
  'interrupted',
  'disconnected'
);

CREATE TYPE "public"."mail_security" AS ENUM (
  'tls',
  'starttls'
);

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "security" public.mail_security NOT NULL;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "username" text NOT NULL;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "from_address" text NOT NULL;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "from_name" public.single_line;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "signature" text;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "daily_cap" integer NOT NULL DEFAULT 200;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "last_success_at" timestamp WITH time zone;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "last_error" public.mail_error;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "last_error_reply" text;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "last_error_at" timestamp WITH time zone;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE TYPE "public"."mail_state" AS ENUM (
  'queued',
  'sending',
  'sent',
  'failed',
  'uncertain',
  'cancelled'
);

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "state" public.mail_state NOT NULL DEFAULT 'queued'::public.mail_state;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "not_before" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "expires_at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "attempts" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "leased_until" timestamp WITH time zone;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "error" public.mail_error;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "reply" text;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "sent_at" timestamp WITH time zone;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE TYPE "public"."mail_suppression_reason" AS ENUM (
  'manuale',
  'disiscritto',
  'rimbalzo',
  'reclamo'
);

ALTER TABLE "public"."mail_suppressions"
  ADD COLUMN "reason" public.mail_suppression_reason NOT NULL DEFAULT 'manuale'::public.mail_suppression_reason;

ALTER TABLE "public"."mail_suppressions"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.begin_mail_content (
  _id      uuid,
  _attempt integer
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
  _refusal := private.mail_refusal(_mail.user_id, _mail.contact_id, _mail.recipient, _mail.basis);
  update public.outgoing_mails
  set state = case when _refusal is null then 'sending'::public.mail_state else 'failed' end, error = _refusal,
    leased_until = case when _refusal is null then now() + interval '10 minutes' end
  where id = _id;
  return _refusal is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.cancel_mails_of_account()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.outgoing_mails set state = 'cancelled', error = 'disconnected', leased_until = null
  where user_id = old.user_id and state = 'queued';
  return old;
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
begin
  -- Providers lock accounts that send faster.
  if (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and sent_at > now() - interval '1 minute'
  ) >= 20 then
    return;
  end if;
  return query
    update public.outgoing_mails set attempts = attempts + 1, leased_until = now() + interval '10 minutes'
    where id = (
      select id from public.outgoing_mails
      where user_id = _user_id and state = 'queued' and not_before <= now()
        and (leased_until is null or leased_until <= now())
      order by not_before, id limit 1 for update skip locked
    )
    returning *;
end
$function$;

CREATE OR REPLACE FUNCTION private.due_mail_senders (
  _limit integer DEFAULT 500
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Their worker is gone, or its answer came too late.
  update public.outgoing_mails set state = 'uncertain', leased_until = null, error = 'interrupted'
  where state = 'sending' and leased_until <= now();
  update public.outgoing_mails set state = 'failed', leased_until = null, error = 'expired'
  where state = 'queued' and expires_at <= now();
  return query
    select distinct user_id from public.outgoing_mails where state = 'queued' and not_before <= now() limit _limit;
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
    sealed       text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select host, port, security::text, username, from_address, from_name::text, sealed
  from public.mail_accounts join private.mail_secrets on account_id = id
  where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.mail_refusal (
  _user_id    uuid,
  _contact_id uuid,
  _recipient  text,
  _basis      public.mail_basis
)
  RETURNS public.mail_error
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when exists (
      select from public.mail_suppressions where user_id = _user_id and address = lower(_recipient)
    ) then 'suppressed'::public.mail_error
    when _basis = 'consenso' and not exists (
      select from public.consents
      where user_id = _user_id and contact_id = _contact_id and channel = 'email' and purpose = 'marketing'
        and state = 'dato'
    ) then 'consent'
  end
$function$;

CREATE OR REPLACE FUNCTION private.note_mail_account (
  _user_id uuid,
  _error   public.mail_error,
  _reply   text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.mail_accounts
  set last_success_at = case when _error is null then now() else last_success_at end,
    last_error = _error, last_error_reply = _reply, last_error_at = case when _error is not null then now() end
  where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.record_sent_mail (
  _mail public.outgoing_mails
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (
    _mail.user_id, _mail.contact_id, 'email', 'uscita', _mail.sent_at, left(_mail.subject || E'\n\n' || _mail.body, 20000)
  )
$function$;

CREATE OR REPLACE FUNCTION private.require_attachments (
  _user_id      uuid,
  _invoice_id   uuid,
  _document_ids uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if _invoice_id is not null and not exists (
    select from public.invoices join public.documents on documents.user_id = _user_id and documents.id = document_id
    where invoices.user_id = _user_id and invoices.id = _invoice_id and deleted_at is null
  ) or cardinality(_document_ids) > (
    select count(*) from public.documents where user_id = _user_id and id = any (_document_ids) and deleted_at is null
  ) then
    raise exception 'no such invoice or document' using errcode = 'SM007';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.require_mail_allowed (
  _user_id    uuid,
  _contact_id uuid,
  _recipient  text,
  _basis      public.mail_basis
)
  RETURNS public.mail_accounts
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account public.mail_accounts;
  _refusal public.mail_error;
begin
  -- Locked, so that mails queued at the same time are all counted.
  select * into _account from public.mail_accounts where user_id = _user_id for no key update;
  if not found then
    raise exception 'no mail account is connected' using errcode = 'SM001';
  end if;
  if not exists (
    select from public.contact_emails
    where user_id = _user_id and contact_id = _contact_id and norm = lower(_recipient)
  ) then
    raise exception 'the contact has no such address' using errcode = 'SM002';
  end if;
  _refusal := private.mail_refusal(_user_id, _contact_id, _recipient, _basis);
  if _refusal = 'suppressed' then
    raise exception 'the address is on the suppression list' using errcode = 'SM003';
  elsif _refusal = 'consent' then
    raise exception 'the contact has not agreed to marketing by mail' using errcode = 'SM004';
  end if;
  if (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and created_at > now() - interval '1 day' and state <> 'cancelled'
  ) >= _account.daily_cap then
    raise exception 'the daily cap of the account is reached' using errcode = 'SM005';
  end if;
  return _account;
end
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
  _sealed       text
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
    user_id, host, port, security, username, from_address, from_name, signature, last_success_at
  )
  values (_user_id, _host, _port, _security, _username, _from_address, _from_name, _signature, now())
  on conflict (user_id) do update
    set host = excluded.host, port = excluded.port, security = excluded.security, username = excluded.username,
      from_address = excluded.from_address, from_name = excluded.from_name, signature = excluded.signature,
      last_success_at = now(), last_error = null, last_error_reply = null, last_error_at = null
  returning id into _account_id;
  insert into private.mail_secrets (account_id, sealed) values (_account_id, _sealed)
  on conflict (account_id) do update set sealed = excluded.sealed;
  return _account_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_mail (
  _id      uuid,
  _attempt integer,
  _state   public.mail_state,
  _error   public.mail_error DEFAULT NULL::public.mail_error,
  _reply   text              DEFAULT NULL::text,
  _delay_s integer           DEFAULT 0
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  update public.outgoing_mails
  set state = case when _state = 'queued' and now() > expires_at then 'failed' else _state end,
    error = case when _state = 'queued' and now() > expires_at then 'expired' else _error end,
    reply = left(private.one_line(_reply), 300), leased_until = null, sent_at = case when _state = 'sent' then now() end,
    not_before = case when _state = 'queued' then now() + make_interval(secs => _delay_s) else not_before end
  -- An answer that came after the lease still tells what is true.
  where id = _id and attempts = _attempt and state in ('queued', 'sending', 'uncertain')
  returning * into _mail;
  if found and _state = 'sent' then
    perform private.record_sent_mail(_mail);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.cancel_mail (
  _id uuid
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _mail public.outgoing_mails;
begin
  update public.outgoing_mails set state = 'cancelled', leased_until = null
  where user_id = _user_id and id = _id and state = 'queued'
  returning * into _mail;
  if not found then
    select * into _mail from public.outgoing_mails where user_id = _user_id and id = _id;
  end if;
  if _mail.id is null then
    raise exception 'no such mail' using errcode = 'PT404';
  elsif _mail.state <> 'cancelled' then
    raise exception 'the mail is on its way' using errcode = 'SM008', detail = _mail.state::text;
  end if;
  return _mail;
end
$function$;

REVOKE ALL ON FUNCTION "public"."cancel_mail"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.decide_mail (
  _id          uuid,
  _has_arrived boolean
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _mail public.outgoing_mails;
begin
  select * into _mail from public.outgoing_mails where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such mail' using errcode = 'PT404';
  elsif _mail.state <> 'uncertain' and (_has_arrived or _mail.state <> 'failed') then
    raise exception 'nothing is to be decided' using errcode = 'SM008', detail = _mail.state::text;
  end if;
  if _has_arrived then
    update public.outgoing_mails set state = 'sent', sent_at = now(), error = null where id = _id returning * into _mail;
    perform private.record_sent_mail(_mail);
  else
    perform private.require_attachments(_user_id, _mail.invoice_id, _mail.document_ids);
    perform private.require_mail_allowed(_user_id, _mail.contact_id, _mail.recipient, _mail.basis);
    -- With the same Message-ID: a server that has it already may drop the second.
    update public.outgoing_mails
    set state = 'queued', not_before = now() + interval '10 seconds', expires_at = now() + interval '1 day',
      error = null, reply = null
    where id = _id returning * into _mail;
  end if;
  return _mail;
end
$function$;

REVOKE ALL ON FUNCTION "public"."decide_mail"(uuid, boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.queue_mail (
  _key          uuid,
  _contact_id   uuid,
  _recipient    text,
  _subject      text,
  _body         text,
  _basis        public.mail_basis        DEFAULT 'contratto'::public.mail_basis,
  _invoice_id   uuid                     DEFAULT NULL::uuid,
  _document_ids uuid[]                   DEFAULT '{}'::uuid[],
  _not_before   timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts;
  _mail public.outgoing_mails;
  -- Time for «Annulla».
  _due timestamptz := greatest(least(coalesce(_not_before, now()), now() + interval '1 year'), now() + interval '10 seconds');
begin
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  select * into _mail from public.outgoing_mails where user_id = _user_id and key = _key;
  if found then
    return _mail;
  end if;
  if _subject || _body ~ '\{\{|\}\}|\[[^\[\]]*…[^\[\]]*\]' then
    raise exception 'a place of the text was not filled in' using errcode = 'SM006';
  end if;
  perform private.require_attachments(_user_id, _invoice_id, _document_ids);
  _account := private.require_mail_allowed(_user_id, _contact_id, _recipient, _basis);
  insert into public.outgoing_mails (
    user_id, contact_id, key, recipient, subject, body, basis, invoice_id, document_ids, message_id, not_before, expires_at
  )
  values (
    _user_id, _contact_id, _key, _recipient, _subject,
    -- RFC 3676 4.3: mail programs know a signature by this line.
    concat(btrim(_body, E' \n\r\t'), E'\n\n-- \n' || _account.signature), _basis, _invoice_id, _document_ids,
    format('<%s@%s>', gen_random_uuid(), lower(split_part(_account.from_address, '@', 2))), _due, _due + interval '1 day'
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _mail;
  return _mail;
end
$function$;

REVOKE ALL ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "daily_cap_fits" CHECK (((daily_cap >= 1) AND (daily_cap <= 2000)));

ALTER TABLE "private"."mail_secrets"
  ADD CONSTRAINT "mail_secrets_account_id_fkey" FOREIGN KEY (account_id) REFERENCES public.mail_accounts(id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "mail_accounts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "signature_fits" CHECK (((char_length(signature) >= 1) AND (char_length(signature) <= 2000)));

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "username_fits" CHECK (((username ~ '[^[:space:]]'::text) AND (username !~ '[[:cntrl:]]'::text) AND (char_length(username) <= 320)));

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "attachments_fit" CHECK (((cardinality(document_ids) <= 10) AND (array_position(document_ids, NULL::uuid) IS NULL)));

ALTER TABLE "public"."outgoing_mails"
  REPLICA IDENTITY USING INDEX "outgoing_mails_identity";

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "outgoing_mails_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "outgoing_mails_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "sending_has_a_lease" CHECK (((state <> 'sending'::public.mail_state) OR (leased_until IS NOT NULL)));

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "sent_mails_have_a_time" CHECK (((state = 'sent'::public.mail_state) = (sent_at IS NOT NULL)));

CREATE VIEW "public"."timeline" WITH (security_invoker=on) AS  SELECT ('interaction:'::text || interactions.id) AS id,
    interactions.user_id,
    interactions.contact_id,
    (interactions.kind)::text AS kind,
    interactions.at,
        CASE interactions.kind
            WHEN 'chiamata'::public.interaction_kind THEN 'Chiamata'::text
            WHEN 'email'::public.interaction_kind THEN 'E-mail'::text
            WHEN 'whatsapp'::public.interaction_kind THEN 'WhatsApp'::text
            WHEN 'incontro'::public.interaction_kind THEN 'Incontro'::text
            ELSE 'Contatto'::text
        END AS title,
    interactions.summary AS body,
    'interaction'::text AS ref_type,
    interactions.id AS ref_id,
    jsonb_build_object('direction', interactions.direction) AS data
   FROM public.interactions
UNION ALL
 SELECT ('mail:'::text || outgoing_mails.id) AS id,
    outgoing_mails.user_id,
    outgoing_mails.contact_id,
    'email'::text AS kind,
    outgoing_mails.created_at AS at,
        CASE outgoing_mails.state
            WHEN 'queued'::public.mail_state THEN 'E-mail in coda'::text
            WHEN 'sending'::public.mail_state THEN 'E-mail in invio'::text
            WHEN 'failed'::public.mail_state THEN 'E-mail non riuscita'::text
            ELSE 'E-mail incerta'::text
        END AS title,
    (((outgoing_mails.subject)::text || '

'::text) || outgoing_mails.body) AS body,
    'mail'::text AS ref_type,
    outgoing_mails.id AS ref_id,
    jsonb_build_object('state', outgoing_mails.state, 'error', outgoing_mails.error, 'reply', outgoing_mails.reply, 'recipient', outgoing_mails.recipient, 'not_before', outgoing_mails.not_before) AS data
   FROM public.outgoing_mails
  WHERE (outgoing_mails.state = ANY (ARRAY['queued'::public.mail_state, 'sending'::public.mail_state, 'failed'::public.mail_state, 'uncertain'::public.mail_state]))
UNION ALL
 SELECT ('note:'::text || notes.id) AS id,
    notes.user_id,
    notes.contact_id,
    'nota'::text AS kind,
    notes.created_at AS at,
    'Nota'::text AS title,
    notes.body,
    'note'::text AS ref_type,
    notes.id AS ref_id,
    jsonb_build_object('updated_at', notes.updated_at) AS data
   FROM public.notes
  WHERE (notes.deleted_at IS NULL)
UNION ALL
 SELECT ('consent:'::text || consent_events.id) AS id,
    consent_events.user_id,
    consent_events.contact_id,
    'consenso'::text AS kind,
    consent_events.at,
        CASE consent_events.state
            WHEN 'dato'::public.consent_state THEN 'Consenso dato'::text
            WHEN 'negato'::public.consent_state THEN 'Consenso negato'::text
            WHEN 'revocato'::public.consent_state THEN 'Consenso revocato'::text
            ELSE 'Consenso non richiesto'::text
        END AS title,
    consent_events.wording AS body,
    'consent_event'::text AS ref_type,
    consent_events.id AS ref_id,
    jsonb_build_object('channel', consent_events.channel, 'purpose', consent_events.purpose, 'state', consent_events.state, 'legal_basis', consent_events.legal_basis, 'source', consent_events.source) AS data
   FROM public.consent_events
UNION ALL
 SELECT ('deal:'::text || stays.id) AS id,
    stays.user_id,
    deals.contact_id,
    'trattativa'::text AS kind,
    stays.entered_at AS at,
    (deals.title)::text AS title,
    (stages.name)::text AS body,
    'deal'::text AS ref_type,
    deals.id AS ref_id,
    jsonb_build_object('stage_id', stages.id, 'stage_kind', stages.kind, 'amount_cents', deals.amount_cents, 'currency', deals.currency, 'lost_reason',
        CASE
            WHEN (stays.left_at IS NULL) THEN (deals.lost_reason)::text
            ELSE NULL::text
        END) AS data
   FROM ((public.deal_stage_log stays
     JOIN public.deals ON (((deals.user_id = stays.user_id) AND (deals.id = stays.deal_id))))
     JOIN public.stages ON (((stages.user_id = stays.user_id) AND (stages.id = stays.stage_id))))
  WHERE ((deals.contact_id IS NOT NULL) AND (deals.deleted_at IS NULL))
UNION ALL
 SELECT ('merge:'::text || merge_log.id) AS id,
    merge_log.user_id,
    merge_log.winner_id AS contact_id,
    'unione'::text AS kind,
    merge_log.created_at AS at,
    ('Unito con '::text || merge_log.loser_name) AS title,
    NULL::text AS body,
    'merge'::text AS ref_type,
    merge_log.id AS ref_id,
    jsonb_build_object('loser_id', merge_log.loser_id, 'undone_at', merge_log.undone_at) AS data
   FROM public.merge_log
UNION ALL
 SELECT ('task:'::text || tasks.id) AS id,
    tasks.user_id,
    tasks.contact_id,
    'attivita'::text AS kind,
    COALESCE(tasks.completed_at, tasks.created_at) AS at,
        CASE
            WHEN (tasks.completed_at IS NULL) THEN 'Attività'::text
            ELSE 'Attività completata'::text
        END AS title,
    (tasks.title)::text AS body,
    'task'::text AS ref_type,
    tasks.id AS ref_id,
    jsonb_build_object('state', tasks.state, 'due_at', tasks.due_at, 'due_is_allday', tasks.due_is_allday, 'priority', tasks.priority, 'project_id', tasks.project_id) AS data
   FROM public.tasks
  WHERE ((tasks.contact_id IS NOT NULL) AND (tasks.deleted_at IS NULL))
UNION ALL
 SELECT ('document:'::text || documents.id) AS id,
    documents.user_id,
    documents.contact_id,
    'documento'::text AS kind,
    documents.created_at AS at,
        CASE documents.kind
            WHEN 'fattura'::public.document_kind THEN 'Fattura'::text
            WHEN 'preventivo'::public.document_kind THEN 'Preventivo'::text
            WHEN 'contratto'::public.document_kind THEN 'Contratto'::text
            WHEN 'ricevuta'::public.document_kind THEN 'Ricevuta'::text
            WHEN 'f24'::public.document_kind THEN 'F24'::text
            WHEN 'durc'::public.document_kind THEN 'DURC'::text
            WHEN 'visura'::public.document_kind THEN 'Visura'::text
            WHEN 'documento_identita'::public.document_kind THEN 'Documento d’identità'::text
            ELSE 'Documento'::text
        END AS title,
    (documents.filename)::text AS body,
    'document'::text AS ref_type,
    documents.id AS ref_id,
    jsonb_build_object('kind', documents.kind, 'state', documents.state, 'issued_on', documents.issued_on, 'due_on', documents.due_on, 'total_cents', documents.total_cents, 'currency', documents.currency) AS data
   FROM public.documents
  WHERE ((documents.contact_id IS NOT NULL) AND (documents.deleted_at IS NULL))
UNION ALL
 SELECT ('invoice:'::text || invoice_register.id) AS id,
    invoice_register.user_id,
    invoice_register.contact_id,
    'pagamento'::text AS kind,
    ((invoice_register.paid_on)::timestamp without time zone AT TIME ZONE 'Europe/Rome'::text) AS at,
        CASE
            WHEN (invoice_register.kind = 'nota_di_credito'::public.invoice_kind) THEN
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Nota di credito rimborsata'::text
                ELSE 'Nota di credito incassata'::text
            END
            ELSE
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Fattura incassata'::text
                ELSE 'Fattura pagata'::text
            END
        END AS title,
    (
        CASE invoice_register.kind
            WHEN 'nota_di_credito'::public.invoice_kind THEN 'Nota di credito '::text
            ELSE 'Fattura '::text
        END || invoice_register.number) AS body,
    'document'::text AS ref_type,
    invoice_register.document_id AS ref_id,
    jsonb_build_object('invoice_id', invoice_register.id, 'direction', invoice_register.direction, 'total_cents', invoice_register.total_cents, 'currency', invoice_register.currency) AS data
   FROM public.invoice_register
  WHERE ((invoice_register.contact_id IS NOT NULL) AND (invoice_register.paid_on IS NOT NULL) AND (invoice_register.deleted_at IS NULL) AND (invoice_register.twin IS NULL));

REVOKE ALL ON TABLE "public"."timeline" FROM "anon";

CREATE INDEX outgoing_mails_contact ON public.outgoing_mails USING btree (user_id, contact_id, created_at DESC);

CREATE INDEX outgoing_mails_due ON public.outgoing_mails USING btree (not_before)
  WHERE (state = ANY (ARRAY['queued'::public.mail_state, 'sending'::public.mail_state]));

CREATE INDEX outgoing_mails_invoice ON public.outgoing_mails USING btree (user_id, invoice_id)
  WHERE (invoice_id IS NOT NULL);

CREATE INDEX outgoing_mails_latest ON public.outgoing_mails USING btree (user_id, created_at DESC);

CREATE TRIGGER cancel_mails
  AFTER DELETE ON public.mail_accounts
  FOR EACH ROW
  EXECUTE FUNCTION private.cancel_mails_of_account();

CREATE POLICY "owners change their mail account" ON "public"."mail_accounts"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners disconnect their mail account" ON "public"."mail_accounts"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their mail account" ON "public"."mail_accounts"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their outgoing mails" ON "public"."outgoing_mails"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

-- On hosted Supabase the publication may belong to another role.
do $$
begin
  alter publication supabase_realtime add table public.outgoing_mails;
exception
  when insufficient_privilege or undefined_object then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;

COMMENT ON COLUMN "public"."outgoing_mails"."attempts" IS 'Also tells a worker that lost its lease from the one that has it.';

COMMENT ON COLUMN "public"."outgoing_mails"."invoice_id" IS 'Its PDF is attached. No foreign key, as for document_ids: a mail whose attachment is gone fails and is not sent without.';

COMMENT ON COLUMN "public"."outgoing_mails"."key" IS 'Made by the form that sends it.';

COMMENT ON COLUMN "public"."outgoing_mails"."reply" IS 'What the mail server said.';

COMMENT ON FUNCTION "private"."begin_mail_content"(uuid, integer) IS 'Allows one worker to send the content of a mail; false when it was cancelled, refused or taken by another.';

COMMENT ON FUNCTION "private"."cancel_mails_of_account"() IS 'Mails that wait go with the account that would send them.';

COMMENT ON FUNCTION "private"."claim_mail"(uuid) IS 'Leases the next due mail of a person; no row when none is due or many were just sent.';

COMMENT ON FUNCTION "private"."due_mail_senders"(integer) IS 'The people who have mails to be sent now; mails whose sending was interrupted become uncertain, and those that were due a day ago have failed.';

COMMENT ON FUNCTION "private"."mail_account_of"(uuid) IS 'The account of a person with its encrypted password; no row without one.';

COMMENT ON FUNCTION "private"."mail_refusal"(uuid, uuid, text, public.mail_basis) IS 'Why the law or the recipient forbids a mail; null when it may be sent. A contract needs no consent.';

COMMENT ON FUNCTION "private"."note_mail_account"(uuid, public.mail_error, text) IS 'Records how the last use of an account ended; no error after a success.';

COMMENT ON FUNCTION "private"."record_sent_mail"(public.outgoing_mails) IS 'Adds a sent mail to the history of its contact.';

COMMENT ON FUNCTION "private"."require_attachments"(uuid, uuid, uuid[]) IS 'Refuses attachments that are not the person''s or are in the trash.';

COMMENT ON FUNCTION "private"."require_mail_allowed"(uuid, uuid, text, public.mail_basis) IS 'Locks and returns the account of a person, unless something forbids a mail to this address now.';

COMMENT ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text) IS 'Keeps the account of a person after a sign-in with this password.';

COMMENT ON FUNCTION "private"."settle_mail"(uuid, integer, public.mail_state, public.mail_error, text, integer) IS 'Records how an attempt ended; queued: again after a delay, until the mail expires.';

COMMENT ON FUNCTION "public"."cancel_mail"(uuid) IS 'Cancels a mail of the caller whose content has not left yet.';

COMMENT ON FUNCTION "public"."decide_mail"(uuid, boolean) IS 'Says of an uncertain mail of the caller that it has arrived, or sends an uncertain or failed one again.';

COMMENT ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp with time zone) IS 'Queues a mail of the caller to an address of a contact, or refuses; the same key again returns the first mail.';

COMMENT ON TABLE "private"."mail_secrets" IS 'Passwords of mail accounts, encrypted by Context.seal; no API role reads them.';

COMMENT ON TABLE "public"."mail_accounts" IS 'The mail server of a person, and how its last use ended; the password is in private.mail_secrets.';

COMMENT ON TABLE "public"."mail_suppressions" IS 'Addresses that a person never writes to, whatever consent says.';

COMMENT ON TABLE "public"."outgoing_mails" IS 'Outbox of mails to contacts, one row for each recipient; written by queue_mail() only.';

COMMENT ON VIEW "public"."timeline" IS 'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

REVOKE ALL ON FUNCTION "private"."begin_mail_content"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_mail_content"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."cancel_mails_of_account"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_mail"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_mail"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."due_mail_senders"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."due_mail_senders"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_account_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_account_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_refusal"(uuid, uuid, text, public.mail_basis) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_mail_account"(uuid, public.mail_error, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_mail_account"(uuid, public.mail_error, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."record_sent_mail"(public.outgoing_mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_attachments"(uuid, uuid, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_mail_allowed"(uuid, uuid, text, public.mail_basis) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_mail"(uuid, integer, public.mail_state, public.mail_error, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_mail"(uuid, integer, public.mail_state, public.mail_error, text, integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."cancel_mail"(uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."decide_mail"(uuid, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone) TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_accounts" FROM "authenticated";

REVOKE ALL ("from_name") ON TABLE "public"."mail_accounts" FROM "authenticated";

GRANT UPDATE ("from_name") ON TABLE "public"."mail_accounts" TO "authenticated";

REVOKE ALL ("signature") ON TABLE "public"."mail_accounts" FROM "authenticated";

GRANT UPDATE ("signature") ON TABLE "public"."mail_accounts" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."mail_accounts" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_accounts" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_accounts" TO "service_role";

REVOKE ALL ON TABLE "public"."mail_suppressions" FROM "authenticated";

REVOKE ALL ("address") ON TABLE "public"."mail_suppressions" FROM "authenticated";

GRANT INSERT ("address") ON TABLE "public"."mail_suppressions" TO "authenticated";

REVOKE ALL ("id") ON TABLE "public"."mail_suppressions" FROM "authenticated";

GRANT INSERT ("id") ON TABLE "public"."mail_suppressions" TO "authenticated";

GRANT SELECT ON TABLE "public"."mail_suppressions" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_suppressions" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_suppressions" TO "service_role";

REVOKE ALL ON TABLE "public"."outgoing_mails" FROM "authenticated";

GRANT SELECT ON TABLE "public"."outgoing_mails" TO "authenticated";

REVOKE ALL ON TABLE "public"."outgoing_mails" FROM "service_role";

GRANT SELECT ON TABLE "public"."outgoing_mails" TO "service_role";

REVOKE ALL ON TABLE "public"."timeline" FROM "authenticated";

GRANT SELECT ON TABLE "public"."timeline" TO "authenticated";

REVOKE ALL ON TABLE "public"."timeline" FROM "service_role";

GRANT SELECT ON TABLE "public"."timeline" TO "service_role";

ALTER TABLE "public"."mail_suppressions"
  ADD CONSTRAINT "mail_suppressions_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX mail_suppressions_owner ON public.mail_suppressions USING btree (user_id, created_at DESC);

CREATE POLICY "owners add suppressions" ON "public"."mail_suppressions"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their suppressions" ON "public"."mail_suppressions"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."mail_suppressions" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."mail_suppressions" TO "authenticated";

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "from_address_is_an_address" CHECK ((private.is_email(from_address) AND (from_address ~ '^[!-~]+$'::text)));

reset check_function_bodies;
