-- Mail logins.
--   DROP FUNCTION private.mail_account_of
--   DROP FUNCTION private.mail_inbox_of
--   DROP FUNCTION private.save_mail_account
--   CREATE TABLE private.mail_logins ( user_id uuid NOT NULL, CONSTRAINT mail_logins_pkey PRIMARY KEY (user_id) )
--   ALTER TABLE private.mail_logins ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.mail_revocations ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, se…
--   ALTER TABLE private.mail_revocations ENABLE ROW LEVEL SECURITY
--   ALTER TABLE private.mail_secrets ADD COLUMN access_sealed text
--   ALTER TABLE private.mail_secrets ADD COLUMN access_expires_at timestamp WITH time zone
--   CREATE TYPE public.mail_provider AS ENUM ( 'microsoft', 'google' )
--   ALTER TABLE private.mail_logins ADD COLUMN provider public.mail_provider NOT NULL
--   ALTER TABLE private.mail_logins ADD COLUMN state_hash text NOT NULL
--   ALTER TABLE private.mail_logins ADD COLUMN session_id text
--   ALTER TABLE private.mail_logins ADD COLUMN address text
--   ALTER TABLE private.mail_logins ADD COLUMN expires_at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.mail_accounts ADD COLUMN provider public.mail_provider
--   ALTER TABLE public.mail_accounts ADD COLUMN login_expired_at timestamp WITH time zone
--   CREATE OR REPLACE FUNCTION private.begin_mail_login
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.drop_mail_access
--   CREATE OR REPLACE FUNCTION private.due_mail_revocations
--   CREATE OR REPLACE FUNCTION private.due_mail_senders
--   CREATE OR REPLACE FUNCTION private.end_mail_revocation
--   CREATE OR REPLACE FUNCTION private.expire_mail_login
--   CREATE OR REPLACE FUNCTION private.is_mail_login_expired
--   CREATE OR REPLACE FUNCTION private.keep_mail_token
--   CREATE OR REPLACE FUNCTION private.mail_account_of
--   CREATE OR REPLACE FUNCTION private.mail_inbox_of
--   CREATE OR REPLACE FUNCTION private.mail_readers
--   CREATE OR REPLACE FUNCTION private.mail_token_of
--   CREATE OR REPLACE FUNCTION private.revoke_mail_login
--   CREATE OR REPLACE FUNCTION private.revoke_mail_token
--   CREATE OR REPLACE FUNCTION private.save_mail_account
--   CREATE OR REPLACE FUNCTION private.take_mail_login
--   ALTER TABLE private.mail_logins ADD CONSTRAINT mail_logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth…
--   ALTER TABLE private.mail_logins ADD CONSTRAINT state_hash_is_hexadecimal CHECK ((state_hash ~ '^[0-9a-f]{64}$…
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT only_an_ordinary_mailbox_has_a_provider CHECK (((provider IS …
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT only_the_login_of_a_provider_expires CHECK (((login_expired_a…
--   CREATE INDEX mail_logins_expired ON private.mail_logins USING btree (expires_at)
--   CREATE INDEX mail_revocations_due ON private.mail_revocations USING btree (due_at)
--   CREATE INDEX mail_accounts_google ON public.mail_accounts USING btree (lower(username)) WHERE (PROVIDER = 'go…
--   CREATE TRIGGER revoke_login BEFORE DELETE OR UPDATE OF PROVIDER, username ON public.mail_accounts FOR EACH RO…
--   COMMENT ON COLUMN private.mail_logins.address IS 'The mailbox that is connected again; null: any.'
--   COMMENT ON COLUMN private.mail_logins.session_id IS 'The session of the browser that began it: no other may e…
--   COMMENT ON COLUMN private.mail_secrets.access_sealed IS 'The access token of a provider, encrypted too.'
--   COMMENT ON COLUMN public.mail_accounts.login_expired_at IS 'When the provider took the login back: mails wait…
--   COMMENT ON COLUMN public.mail_accounts.provider IS 'Where its owner signed in (OAuth, 43_mail_logins.sql); nu…
--   COMMENT ON FUNCTION private.begin_mail_login
--   COMMENT ON FUNCTION private.claim_mail
--   COMMENT ON FUNCTION private.drop_mail_access
--   COMMENT ON FUNCTION private.due_mail_revocations
--   COMMENT ON FUNCTION private.due_mail_senders
--   COMMENT ON FUNCTION private.end_mail_revocation
--   COMMENT ON FUNCTION private.expire_mail_login
--   COMMENT ON FUNCTION private.is_mail_login_expired
--   COMMENT ON FUNCTION private.keep_mail_token
--   COMMENT ON FUNCTION private.mail_account_of
--   COMMENT ON FUNCTION private.mail_inbox_of
--   COMMENT ON FUNCTION private.mail_token_of
--   COMMENT ON FUNCTION private.revoke_mail_login
--   COMMENT ON FUNCTION private.revoke_mail_token
--   COMMENT ON FUNCTION private.save_mail_account
--   COMMENT ON FUNCTION private.take_mail_login
--   COMMENT ON TABLE private.mail_logins IS 'A sign-in to a mail account that a person has begun, for ten minutes…
--   COMMENT ON TABLE private.mail_revocations IS 'Refresh tokens of Google, encrypted for user_id, that jobs/mail…
--   COMMENT ON TABLE private.mail_secrets IS 'Passwords of mail accounts, or the refresh tokens of those with a p…
--   REVOKE ALL ON FUNCTION private.begin_mail_login
--   GRANT EXECUTE ON FUNCTION private.begin_mail_login
--   REVOKE ALL ON FUNCTION private.drop_mail_access
--   GRANT EXECUTE ON FUNCTION private.drop_mail_access
--   REVOKE ALL ON FUNCTION private.due_mail_revocations
--   GRANT EXECUTE ON FUNCTION private.due_mail_revocations
--   REVOKE ALL ON FUNCTION private.end_mail_revocation
--   GRANT EXECUTE ON FUNCTION private.end_mail_revocation
--   REVOKE ALL ON FUNCTION private.expire_mail_login
--   GRANT EXECUTE ON FUNCTION private.expire_mail_login
--   REVOKE ALL ON FUNCTION private.is_mail_login_expired
--   REVOKE ALL ON FUNCTION private.keep_mail_token
--   GRANT EXECUTE ON FUNCTION private.keep_mail_token
--   REVOKE ALL ON FUNCTION private.mail_account_of
--   GRANT EXECUTE ON FUNCTION private.mail_account_of
--   REVOKE ALL ON FUNCTION private.mail_inbox_of
--   GRANT EXECUTE ON FUNCTION private.mail_inbox_of
--   REVOKE ALL ON FUNCTION private.mail_token_of
--   GRANT EXECUTE ON FUNCTION private.mail_token_of
--   REVOKE ALL ON FUNCTION private.revoke_mail_login
--   REVOKE ALL ON FUNCTION private.revoke_mail_token
--   GRANT EXECUTE ON FUNCTION private.revoke_mail_token
--   REVOKE ALL ON FUNCTION private.save_mail_account
--   GRANT EXECUTE ON FUNCTION private.save_mail_account
--   REVOKE ALL ON FUNCTION private.take_mail_login
--   GRANT EXECUTE ON FUNCTION private.take_mail_login

set check_function_bodies = off;

DROP FUNCTION "private"."mail_account_of"(uuid);

DROP FUNCTION "private"."mail_inbox_of"(uuid);

DROP FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text, boolean);

CREATE TABLE "private"."mail_logins" (
  "user_id" uuid NOT NULL,
  CONSTRAINT "mail_logins_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."mail_logins"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."mail_revocations" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"    uuid                     NOT NULL,
  "sealed"     text                     NOT NULL,
  "due_at"     timestamp with time zone NOT NULL DEFAULT now(),
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "mail_revocations_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."mail_revocations"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."mail_secrets"
  ADD COLUMN "access_sealed" text;

ALTER TABLE "private"."mail_secrets"
  ADD COLUMN "access_expires_at" timestamp WITH time zone;

CREATE TYPE "public"."mail_provider" AS ENUM (
  'microsoft',
  'google'
);

ALTER TABLE "private"."mail_logins"
  ADD COLUMN "provider" public.mail_provider NOT NULL;

ALTER TABLE "private"."mail_logins"
  ADD COLUMN "state_hash" text NOT NULL;

ALTER TABLE "private"."mail_logins"
  ADD COLUMN "session_id" text;

ALTER TABLE "private"."mail_logins"
  ADD COLUMN "address" text;

ALTER TABLE "private"."mail_logins"
  ADD COLUMN "expires_at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "provider" public.mail_provider;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "login_expired_at" timestamp WITH time zone;

CREATE OR REPLACE FUNCTION private.begin_mail_login (
  _user_id    uuid,
  _provider   public.mail_provider,
  _state_hash text,
  _session_id text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.mail_accounts;
begin
  select * into _account from public.mail_accounts where user_id = _user_id and not is_shared;
  if found and _account.provider is distinct from _provider then
    raise exception 'an own mailbox is connected' using errcode = 'SM018';
  end if;
  delete from private.mail_logins where expires_at <= now();
  insert into private.mail_logins (user_id, provider, state_hash, session_id, address, expires_at)
  values (_user_id, _provider, _state_hash, _session_id, lower(_account.username), now() + interval '10 minutes')
  on conflict (user_id) do update
    set provider = excluded.provider, state_hash = excluded.state_hash, session_id = excluded.session_id,
      address = excluded.address, expires_at = excluded.expires_at;
  return _account.username;
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
  if private.is_frozen(_user_id) or private.is_shared_held(_user_id) or private.is_mail_login_expired(_user_id) or (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and state = 'sent' and sent_at > now() - interval '1 minute'
  ) >= private.mails_a_minute() then
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

CREATE OR REPLACE FUNCTION private.drop_mail_access (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.mail_secrets set access_sealed = null, access_expires_at = null
  from public.mail_accounts where id = account_id and user_id = _user_id and provider is not null
$function$;

CREATE OR REPLACE FUNCTION private.due_mail_revocations (
  _limit integer DEFAULT 100
)
  RETURNS TABLE (
    id      uuid,
    user_id uuid,
    sealed  text
  )
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Tried for a week; a token that nobody uses ends by itself in six months.
  delete from private.mail_revocations where created_at < now() - interval '7 days';
  update private.mail_revocations set due_at = now() + interval '10 minutes'
  where id in (
    select id from private.mail_revocations where due_at <= now() order by due_at limit _limit for update skip locked
  )
  returning id, user_id, sealed
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
  where state = 'queued' and expires_at <= now() and not private.is_mail_login_expired(user_id);
  return query
    select distinct user_id from public.outgoing_mails
    where state = 'queued' and not_before <= now() and not private.is_mail_login_expired(user_id) limit _limit;
end
$function$;

CREATE OR REPLACE FUNCTION private.end_mail_revocation (
  _id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.mail_revocations where id = _id
$function$;

CREATE OR REPLACE FUNCTION private.expire_mail_login (
  _user_id uuid,
  _sealed  text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.mail_accounts
  set login_expired_at = coalesce(login_expired_at, now()), last_error = 'auth', last_error_reply = null, last_error_at = now()
  from private.mail_secrets
  where account_id = id and user_id = _user_id and provider is not null and sealed = _sealed
$function$;

CREATE OR REPLACE FUNCTION private.is_mail_login_expired (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from public.mail_accounts where user_id = _user_id and login_expired_at is not null)
$function$;

CREATE OR REPLACE FUNCTION private.keep_mail_token (
  _user_id           uuid,
  _former            text,
  _sealed            text,
  _access_sealed     text,
  _access_expires_at timestamp with time zone
)
  RETURNS boolean
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with kept as (
    update private.mail_secrets
    set sealed = _sealed, access_sealed = _access_sealed, access_expires_at = _access_expires_at
    from public.mail_accounts
    where id = account_id and user_id = _user_id and sealed = _former
    returning 1
  )
  select exists (select from kept)
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
    is_certified boolean,
    is_shared    boolean,
    provider     text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select host, port, security::text, username, from_address, from_name::text, sealed, is_certified, is_shared,
    provider::text
  from public.mail_accounts left join private.mail_secrets on account_id = id
  where user_id = _user_id and (is_shared or sealed is not null)
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
    is_certified boolean,
    provider     text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select inboxes.host, inboxes.port, inboxes.security::text, username, from_address, sealed, completed_at is not null,
    is_certified, provider::text
  from public.mail_inboxes as inboxes
  join public.mail_accounts as accounts using (user_id)
  join private.mail_secrets on account_id = accounts.id
  where inboxes.user_id = _user_id
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
  select inboxes.user_id from public.mail_inboxes as inboxes join public.mail_accounts as accounts using (user_id)
  -- A password that was refused is not tried every few minutes: providers lock such accounts.
  where (inboxes.last_error is distinct from 'auth' or inboxes.last_error_at < now() - interval '1 day' or provider is not null)
    and login_expired_at is null and not private.is_frozen(inboxes.user_id)
  order by inboxes.last_success_at nulls first limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.mail_token_of (
  _user_id uuid
)
  RETURNS TABLE (
    provider          text,
    sealed            text,
    access_sealed     text,
    access_expires_at timestamp with time zone,
    is_expired        boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select provider::text, sealed, access_sealed, access_expires_at, login_expired_at is not null
  from public.mail_accounts join private.mail_secrets on account_id = id
  where user_id = _user_id and provider is not null
$function$;

CREATE OR REPLACE FUNCTION private.revoke_mail_login()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if old.provider = 'google' and (
    tg_op = 'DELETE' or new.provider is distinct from old.provider or lower(new.username) is distinct from lower(old.username)
  ) and not exists (
    select from public.mail_accounts
    where provider = 'google' and lower(username) = lower(old.username) and id <> old.id
  ) then
    insert into private.mail_revocations (user_id, sealed)
    select old.user_id, sealed from private.mail_secrets where account_id = old.id;
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$function$;

CREATE OR REPLACE FUNCTION private.revoke_mail_token (
  _user_id uuid,
  _address text,
  _sealed  text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Google revokes all tokens of a mailbox at once, also that of another person of ours who uses it.
  insert into private.mail_revocations (user_id, sealed)
  select _user_id, _sealed
  where not exists (
    select from public.mail_accounts where provider = 'google' and lower(username) = lower(_address)
  )
$function$;

CREATE OR REPLACE FUNCTION private.save_mail_account (
  _user_id           uuid,
  _host              text,
  _port              integer,
  _security          public.mail_security,
  _username          text,
  _from_address      text,
  _from_name         text,
  _signature         text,
  _sealed            text,
  _is_certified      boolean                  DEFAULT false,
  _provider          public.mail_provider     DEFAULT NULL::public.mail_provider,
  _access_sealed     text                     DEFAULT NULL::text,
  _access_expires_at timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account_id uuid;
  _expired_at constant timestamptz := (select login_expired_at from public.mail_accounts where user_id = _user_id);
begin
  insert into public.mail_accounts (
    user_id, host, port, security, username, from_address, from_name, signature, is_certified, provider, last_success_at
  )
  values (
    _user_id, _host, _port, _security, _username, _from_address, _from_name, _signature, _is_certified, _provider, now()
  )
  on conflict (user_id) do update
    set is_shared = false, host = excluded.host, port = excluded.port, security = excluded.security,
      username = excluded.username, from_address = excluded.from_address, from_name = excluded.from_name, signature = excluded.signature,
      is_certified = excluded.is_certified, provider = excluded.provider, login_expired_at = null,
      last_success_at = now(), last_error = null, last_error_reply = null, last_error_at = null
  returning id into _account_id;
  insert into private.mail_secrets (account_id, sealed, access_sealed, access_expires_at)
  values (_account_id, _sealed, _access_sealed, _access_expires_at)
  on conflict (account_id) do update
    set sealed = excluded.sealed, access_sealed = excluded.access_sealed, access_expires_at = excluded.access_expires_at;
  -- The time in which the login had expired is no time in which they could not be sent.
  update public.outgoing_mails set expires_at = greatest(expires_at, now() + interval '1 day')
  where user_id = _user_id and state = 'queued' and _expired_at is not null;
  return _account_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.take_mail_login (
  _user_id    uuid,
  _state_hash text,
  _session_id text
)
  RETURNS TABLE (
    provider        text,
    address         text,
    is_expired      boolean,
    is_same_session boolean
  )
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.mail_logins where user_id = _user_id and state_hash = _state_hash
  returning provider::text, address, expires_at <= now(), session_id is not distinct from _session_id
$function$;

ALTER TABLE "private"."mail_logins"
  ADD CONSTRAINT "mail_logins_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."mail_logins"
  ADD CONSTRAINT "state_hash_is_hexadecimal" CHECK ((state_hash ~ '^[0-9a-f]{64}$'::text));

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "only_an_ordinary_mailbox_has_a_provider" CHECK (((provider IS NULL) OR (NOT (is_shared OR is_certified))));

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "only_the_login_of_a_provider_expires" CHECK (((login_expired_at IS NULL) OR (provider IS NOT NULL)));

CREATE INDEX mail_logins_expired ON private.mail_logins USING btree (expires_at);

CREATE INDEX mail_revocations_due ON private.mail_revocations USING btree (due_at);

CREATE INDEX mail_accounts_google ON public.mail_accounts USING btree (lower(username))
  WHERE (PROVIDER = 'google'::public.mail_provider);

CREATE TRIGGER revoke_login
  BEFORE DELETE OR UPDATE OF PROVIDER, username ON public.mail_accounts
  FOR EACH ROW
  EXECUTE FUNCTION private.revoke_mail_login();

COMMENT ON COLUMN "private"."mail_logins"."address" IS 'The mailbox that is connected again; null: any.';

COMMENT ON COLUMN "private"."mail_logins"."session_id" IS 'The session of the browser that began it: no other may end it.';

COMMENT ON COLUMN "private"."mail_secrets"."access_sealed" IS 'The access token of a provider, encrypted too.';

COMMENT ON COLUMN "public"."mail_accounts"."login_expired_at" IS 'When the provider took the login back: mails wait until its owner signs in again.';

COMMENT ON COLUMN "public"."mail_accounts"."provider" IS 'Where its owner signed in (OAuth, 43_mail_logins.sql); null: it has a password.';

COMMENT ON FUNCTION "private"."begin_mail_login"(uuid, public.mail_provider, text, text) IS 'Begins a sign-in in place of an earlier one; returns the mailbox that is connected again, null for a first one. SM018.';

COMMENT ON FUNCTION "private"."claim_mail"(uuid) IS 'Leases the next due mail of a person; no row when none is due, many were just sent, the shared sender is paused, or the login has expired.';

COMMENT ON FUNCTION "private"."drop_mail_access"(uuid) IS 'Forgets an access token that a mail server refused: the next use refreshes it.';

COMMENT ON FUNCTION "private"."due_mail_revocations"(integer) IS 'The tokens to revoke now; they are due again in ten minutes.';

COMMENT ON FUNCTION "private"."due_mail_senders"(integer) IS 'The people who have mails to be sent now; mails whose sending was interrupted become uncertain, and those that were due a day ago have failed. Those of an expired login wait.';

COMMENT ON FUNCTION "private"."end_mail_revocation"(uuid) IS 'Forgets a token that is revoked.';

COMMENT ON FUNCTION "private"."expire_mail_login"(uuid, text) IS 'Records that the provider took this refresh token back; nothing if the account was connected again meanwhile.';

COMMENT ON FUNCTION "private"."is_mail_login_expired"(uuid) IS 'Whether mails of a person wait until the person signs in at the provider again.';

COMMENT ON FUNCTION "private"."keep_mail_token"(uuid, text, text, text, timestamp with time zone) IS 'Keeps what a refresh gave, the new refresh token too; false when the account was connected again meanwhile.';

COMMENT ON FUNCTION "private"."mail_account_of"(uuid) IS 'The account of a person with its encrypted password or refresh token; no row without one.';

COMMENT ON FUNCTION "private"."mail_inbox_of"(uuid) IS 'The mailbox of a person with its encrypted password or refresh token; no row without one.';

COMMENT ON FUNCTION "private"."mail_token_of"(uuid) IS 'The encrypted tokens of a person''s mail account with a provider.';

COMMENT ON FUNCTION "private"."revoke_mail_login"() IS 'Has the token of an account of Google revoked when it is disconnected, replaced or erased with its person.';

COMMENT ON FUNCTION "private"."revoke_mail_token"(uuid, text, text) IS 'Has a token of Google revoked, unless its mailbox is connected.';

COMMENT ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text, boolean, public.mail_provider, text, timestamp
  with time zone) IS 'Keeps the account of a person after a sign-in with this password or login.';

COMMENT ON FUNCTION "private"."take_mail_login"(uuid, text, text) IS 'Uses up the sign-in of a person with this state; no row: it is another person''s, used, or unknown.';

COMMENT ON TABLE "private"."mail_logins" IS 'A sign-in to a mail account that a person has begun, for ten minutes; the last one only.';

COMMENT ON TABLE "private"."mail_revocations" IS 'Refresh tokens of Google, encrypted for user_id, that jobs/mail_revocations.py has Google revoke. Microsoft has no such address.';

COMMENT ON TABLE "private"."mail_secrets" IS 'Passwords of mail accounts, or the refresh tokens of those with a provider, encrypted by Context.seal; no API role reads them.';

REVOKE ALL ON FUNCTION "private"."begin_mail_login"(uuid, public.mail_provider, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_mail_login"(uuid, public.mail_provider, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."drop_mail_access"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."drop_mail_access"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."due_mail_revocations"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."due_mail_revocations"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_mail_revocation"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_mail_revocation"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."expire_mail_login"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expire_mail_login"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_mail_login_expired"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_mail_token"(uuid, text, text, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_mail_token"(uuid, text, text, text, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_account_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_account_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_inbox_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_inbox_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_token_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_token_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."revoke_mail_login"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."revoke_mail_token"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."revoke_mail_token"(uuid, text, text) TO "service_role";

REVOKE ALL
  ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text, boolean, public.mail_provider, text, timestamp WITH time zone)
  FROM PUBLIC;

GRANT EXECUTE
  ON FUNCTION "private"."save_mail_account"(uuid, text, integer, public.mail_security, text, text, text, text, text, boolean, public.mail_provider, text, timestamp WITH time zone)
  TO "service_role";

REVOKE ALL ON FUNCTION "private"."take_mail_login"(uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_mail_login"(uuid, text, text) TO "service_role";

reset check_function_bodies;
