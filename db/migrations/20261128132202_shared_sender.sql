-- Shared sender.
--   DROP VIEW public.retention_rules
--   DROP FUNCTION private.mail_account_of
--   CREATE TABLE private.shared_mails ( outgoing_id uuid NOT NULL, user_id uuid NOT NULL, sent_at timestamp with …
--   ALTER TABLE private.shared_mails ENABLE ROW LEVEL SECURITY
--   ALTER TABLE public.mail_accounts ADD COLUMN is_shared boolean NOT NULL DEFAULT false
--   ALTER TABLE public.mail_accounts ALTER COLUMN host DROP NOT NULL
--   ALTER TABLE public.mail_accounts ALTER COLUMN port DROP NOT NULL
--   ALTER TABLE public.mail_accounts ALTER COLUMN security DROP NOT NULL
--   ALTER TABLE public.mail_accounts ALTER COLUMN username DROP NOT NULL
--   CREATE OR REPLACE FUNCTION private.begin_mail_content
--   CREATE OR REPLACE FUNCTION private.begin_rehearsal
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.deletion_preview
--   CREATE OR REPLACE FUNCTION private.forget_shared_mails
--   CREATE OR REPLACE FUNCTION private.is_shared_held
--   CREATE OR REPLACE FUNCTION private.keep_received_mail
--   CREATE OR REPLACE FUNCTION private.known_mail_domains
--   CREATE OR REPLACE FUNCTION private.mail_account_of
--   CREATE OR REPLACE FUNCTION private.note_mail_report
--   CREATE OR REPLACE FUNCTION private.note_shared_mail
--   CREATE OR REPLACE FUNCTION private.note_shared_return
--   CREATE OR REPLACE FUNCTION private.own_mail_addresses
--   CREATE OR REPLACE FUNCTION private.require_mail_allowed
--   CREATE OR REPLACE FUNCTION private.require_shared_allowed
--   CREATE OR REPLACE FUNCTION private.save_mail_account
--   CREATE OR REPLACE FUNCTION private.save_shared_account
--   CREATE OR REPLACE FUNCTION private.settle_mail
--   CREATE OR REPLACE FUNCTION private.shared_mail
--   CREATE OR REPLACE FUNCTION private.shared_mails_a_day
--   CREATE OR REPLACE FUNCTION private.shared_mails_left
--   CREATE OR REPLACE FUNCTION private.shared_mails_resume_at
--   CREATE OR REPLACE FUNCTION private.shared_pause
--   CREATE OR REPLACE FUNCTION private.shared_reply_to
--   CREATE OR REPLACE FUNCTION private.shared_state
--   CREATE OR REPLACE FUNCTION public.queue_campaign
--   ALTER TABLE private.shared_mails ADD CONSTRAINT shared_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES au…
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT only_the_shared_sender_has_no_server CHECK ((num_nulls(host, …
--   ALTER TABLE public.mail_accounts ADD CONSTRAINT the_shared_sender_is_no_pec CHECK ((NOT (is_shared AND is_cer…
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX shared_mails_latest ON private.shared_mails USING btree (user_id, sent_at DESC)
--   CREATE INDEX shared_mails_old ON private.shared_mails USING btree (sent_at)
--   COMMENT ON COLUMN private.shared_mails.outgoing_id IS 'No foreign key: a person who deletes a contact must no…
--   COMMENT ON COLUMN private.shared_mails.sendings IS 'More than one when its writer sent it again; each counts …
--   COMMENT ON COLUMN public.mail_accounts.is_shared IS 'It sends by the operator''s shared sender (43_mail_share…
--   COMMENT ON FUNCTION private.claim_mail
--   COMMENT ON FUNCTION private.forget_shared_mails
--   COMMENT ON FUNCTION private.is_shared_held
--   COMMENT ON FUNCTION private.mail_account_of
--   COMMENT ON FUNCTION private.note_shared_mail
--   COMMENT ON FUNCTION private.note_shared_return
--   COMMENT ON FUNCTION private.require_shared_allowed
--   COMMENT ON FUNCTION private.save_shared_account
--   COMMENT ON FUNCTION private.shared_mail
--   COMMENT ON FUNCTION private.shared_mails_a_day
--   COMMENT ON FUNCTION private.shared_mails_left
--   COMMENT ON FUNCTION private.shared_mails_resume_at
--   COMMENT ON FUNCTION private.shared_pause
--   COMMENT ON FUNCTION private.shared_reply_to
--   COMMENT ON FUNCTION private.shared_state
--   COMMENT ON TABLE private.shared_mails IS 'Mails that left by the shared sender, and how they ended; no API ro…
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.forget_shared_mails
--   GRANT EXECUTE ON FUNCTION private.forget_shared_mails
--   REVOKE ALL ON FUNCTION private.is_shared_held
--   REVOKE ALL ON FUNCTION private.mail_account_of
--   GRANT EXECUTE ON FUNCTION private.mail_account_of
--   REVOKE ALL ON FUNCTION private.note_shared_mail
--   REVOKE ALL ON FUNCTION private.note_shared_return
--   REVOKE ALL ON FUNCTION private.require_shared_allowed
--   REVOKE ALL ON FUNCTION private.save_shared_account
--   GRANT EXECUTE ON FUNCTION private.save_shared_account
--   REVOKE ALL ON FUNCTION private.shared_mail
--   GRANT EXECUTE ON FUNCTION private.shared_mail
--   REVOKE ALL ON FUNCTION private.shared_mails_a_day
--   REVOKE ALL ON FUNCTION private.shared_mails_left
--   REVOKE ALL ON FUNCTION private.shared_mails_resume_at
--   REVOKE ALL ON FUNCTION private.shared_pause
--   REVOKE ALL ON FUNCTION private.shared_reply_to
--   GRANT EXECUTE ON FUNCTION private.shared_reply_to
--   REVOKE ALL ON FUNCTION private.shared_state
--   GRANT EXECUTE ON FUNCTION private.shared_state
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP VIEW "public"."retention_rules";

DROP FUNCTION "private"."mail_account_of"(uuid);

CREATE TABLE "private"."shared_mails" (
  "outgoing_id"   uuid                     NOT NULL,
  "user_id"       uuid                     NOT NULL,
  "sent_at"       timestamp with time zone NOT NULL DEFAULT now(),
  "sendings"      integer                  NOT NULL DEFAULT 1,
  "bounced_at"    timestamp with time zone,
  "complained_at" timestamp with time zone,
  CONSTRAINT "sendings_are_counted" CHECK ((sendings >= 1)),
  CONSTRAINT "shared_mails_pkey" PRIMARY KEY (outgoing_id)
);

ALTER TABLE "private"."shared_mails"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."mail_accounts"
  ADD COLUMN "is_shared" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mail_accounts"
  ALTER COLUMN "host" DROP NOT NULL;

ALTER TABLE "public"."mail_accounts"
  ALTER COLUMN "port" DROP NOT NULL;

ALTER TABLE "public"."mail_accounts"
  ALTER COLUMN "security" DROP NOT NULL;

ALTER TABLE "public"."mail_accounts"
  ALTER COLUMN "username" DROP NOT NULL;

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
  _is_shared boolean;
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
  select is_shared into _is_shared from public.mail_accounts where user_id = _mail.user_id;
  if _is_shared and _mail.basis <> 'contratto' then
    -- It was queued for a mailbox that is gone.
    _refusal := coalesce(_refusal, 'disconnected');
  end if;
  if _is_shared and _refusal is null then
    perform private.note_shared_mail(_mail);
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

CREATE OR REPLACE FUNCTION private.begin_rehearsal (
  _user_id uuid,
  _agent   text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _goal_id uuid;
begin
  delete from public.goals where user_id = _user_id and agent = _agent;
  update public.agent_mandates set revoked_at = now() where user_id = _user_id and agent = _agent and revoked_at is null;
  delete from private.autonomy_stops where user_id = _user_id;
  insert into public.mail_accounts (user_id, host, port, security, username, from_address, daily_cap)
  values (_user_id, 'prova.invalid', 465, 'tls', 'prova', 'prova@prova.invalid', 2000)
  on conflict (user_id) do update
    set daily_cap = 2000, is_shared = false, host = excluded.host, port = excluded.port, security = excluded.security,
      username = excluded.username;
  insert into public.agent_mandates (user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans)
  select _user_id, _agent, action, 'supervisionata', 100000000, 100, 3, coalesce(array_agg(iban) filter (where iban is not null), '{}')
  from unnest(array['mail', 'archivio']) as action
  left join (
    select private.bare_iban(part.iban) as iban
    from public.invoice_schedules as part
    join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
    where part.user_id = _user_id and invoices.direction = 'attiva'
    group by 1 order by count(*) desc limit 10
  ) as own on iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  group by action;
  insert into public.goals (user_id, agent, title, state) values (_user_id, _agent, 'Prova a vuoto', 'attivo')
  returning id into _goal_id;
  return _goal_id;
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
  if private.is_frozen(_user_id) or private.is_shared_held(_user_id) or (
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

CREATE OR REPLACE FUNCTION private.deletion_preview (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '10s'
  AS $function$
  with worth as (
    select order_id, sum(paid_cents * remaining / amount)::bigint as cents, sum(remaining) as credits, sum(held) as held
    from public.credit_lots where user_id = _user_id and order_id is not null group by order_id
  )
  select jsonb_build_object(
    'address', (select coalesce(nullif(email, ''), phone) from auth.users where id = _user_id),
    'rows', private.personal_counts(_user_id),
    'files', (select count(*) from storage.objects where (storage.foldername(name))[1] = _user_id::text),
    'stops', jsonb_build_object(
      'mailbox', (select from_address from public.mail_accounts where user_id = _user_id and not is_shared),
      'whatsapp', (select coalesce(display_number, '') from public.whatsapp_accounts where user_id = _user_id),
      'waiting_mails', (select count(*) from public.outgoing_mails where user_id = _user_id and state = 'queued'),
      'calendar', exists (select from private.calendar_feeds where user_id = _user_id),
      'devices', (select count(*) from public.push_subscriptions where user_id = _user_id),
      'applications', (select count(*) from auth.oauth_consents where user_id = _user_id and revoked_at is null)
    ),
    'kept', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'title', title, 'period', period, 'reason', reason, 'tables', to_jsonb(tables)) order by title), '[]')
      from public.retention_rules where outcome = 'keep'
    ),
    'invoices', (select count(*) from public.invoices where user_id = _user_id),
    'credits', coalesce((select balance + held from public.credit_wallets where user_id = _user_id), 0),
    -- What the withdrawal (14_orders.sql) would give back for unused credits today.
    'refunds', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'order_id', id, 'amount_cents', least(worth.cents, amount_cents - taken_cents),
        'until', (paid_at at time zone 'Europe/Rome')::date + 30) order by paid_at), '[]')
      from public.credit_orders join worth on order_id = id
      where user_id = _user_id and state = 'fulfilled' and worth.held = 0
        and (now() at time zone 'Europe/Rome')::date <= (paid_at at time zone 'Europe/Rome')::date + 30
        and least(worth.cents, amount_cents - taken_cents) > 0
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.forget_shared_mails (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from private.shared_mails where outgoing_id in (
      select outgoing_id from private.shared_mails where sent_at < now() - interval '1 year' limit _limit
    ) returning 1
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.is_shared_held (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from public.mail_accounts where user_id = _user_id and is_shared)
    and (private.shared_reply_to(_user_id) is null or exists (select from private.shared_pause(_user_id)))
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
  -- The mail of the outbox to whose address of answers it came.
  _answered_id constant uuid := _told ->> 'answered_id';
  _is_answer boolean := false;
begin
  perform private.lock_mails(_user_id);
  if _answered_id is not null then
    perform from public.outgoing_mails where user_id = _user_id and id = _answered_id for no key update;
    _is_answer := found;
  end if;
  _mail.is_by_address := coalesce(_mail.is_by_address, false);
  _mail.is_forwarded := coalesce(_mail.is_forwarded, false);
  if not _is_answer and not exists (select from public.mail_addresses where user_id = _user_id and _mail.is_by_address)
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
    if not _mail.is_by_address then
      update public.received_mails
      set folder_name = _mail.folder_name, uidvalidity = _mail.uidvalidity, message_uid = _mail.message_uid
      where id = _known_id;
    end if;
    return query select id, thread_id, contact_id, false from public.received_mails where id = _known_id;
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
    union select lower(split_part(from_address, '@', 2)) from public.mail_accounts where user_id = _user_id and not is_shared
    order by 1 limit 5000
  )
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
    is_shared    boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select host, port, security::text, username, from_address, from_name::text, sealed, is_certified, is_shared
  from public.mail_accounts left join private.mail_secrets on account_id = id
  where user_id = _user_id and (is_shared or sealed is not null)
$function$;

CREATE OR REPLACE FUNCTION private.note_mail_report (
  _user_id    uuid,
  _message_id text,
  _kind       public.mail_report_kind,
  _recipient  text,
  _status     text,
  _told       text,
  _sha256     text,
  _at         timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  -- Our Message-IDs cannot be guessed, so that a made-up report suppresses nobody.
  select * into _mail from public.outgoing_mails where user_id = _user_id and message_id = _message_id for update;
  if not found then
    return false;
  end if;
  insert into public.mail_reports (user_id, outgoing_id, kind, status, told, sha256, at)
  values (
    _user_id, _mail.id, _kind, _status, nullif(left(private.one_line(_told), 200), ''), _sha256, _at
  )
  on conflict (user_id, outgoing_id, sha256, kind) do nothing;
  -- Read again: the mail may have been sent again meanwhile.
  if not found then
    return true;
  end if;
  -- A full mailbox or a large mail says nothing about the list of addresses.
  if _kind = 'reclamo' or _kind = 'rimbalzo' and _status in ('5.1.1', '5.1.2', '5.1.10', '5.2.1') then
    perform private.note_shared_return(_mail.id, _kind = 'reclamo');
  end if;
  if _kind = 'reclamo' then
    perform private.suppress_mail(_user_id, _mail.recipient, 'reclamo');
  elsif _kind = 'rimbalzo' then
    perform private.bounce_mail(_mail, _status, _told, _recipient);
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_shared_mail (
  _mail public.outgoing_mails
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.shared_mails (outgoing_id, user_id) values (_mail.id, _mail.user_id)
  on conflict (outgoing_id) do update set sent_at = now(), sendings = shared_mails.sendings + 1
$function$;

CREATE OR REPLACE FUNCTION private.note_shared_return (
  _outgoing_id  uuid,
  _is_complaint boolean
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update private.shared_mails
  set complained_at = case when _is_complaint then coalesce(complained_at, now()) else complained_at end,
    bounced_at = case when _is_complaint then bounced_at else coalesce(bounced_at, now()) end
  where outgoing_id = _outgoing_id
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
    -- The shared sender is everybody's.
    union select lower(from_address) from public.mail_accounts where user_id = _user_id and not is_shared
    union select lower(username) from public.mail_accounts where user_id = _user_id and strpos(username, '@') > 1
    order by 1
  )
$function$;

CREATE OR REPLACE FUNCTION private.require_mail_allowed (
  _user_id    uuid,
  _contact_id uuid,
  _recipient  text,
  _basis      public.mail_basis,
  _sale_id    uuid
)
  RETURNS public.mail_accounts
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account public.mail_accounts;
  _refusal public.mail_error;
begin
  _account := private.lock_mail_account(_user_id);
  if _account.is_shared then
    perform private.require_shared_allowed(_user_id, _basis);
  end if;
  if not exists (
    select from public.contact_emails
    where user_id = _user_id and contact_id = _contact_id and norm = lower(_recipient)
  ) then
    raise exception 'the contact has no such address' using errcode = 'SM002';
  end if;
  if _basis = 'soft_spam' and not private.is_sale_to(_user_id, _contact_id, _sale_id) then
    raise exception 'no invoice was issued to the contact' using errcode = 'SM009';
  end if;
  _refusal := private.mail_refusal(_user_id, _contact_id, _recipient, _basis, _sale_id);
  if _refusal = 'suppressed' then
    raise exception 'the address is on the suppression list' using errcode = 'SM003';
  elsif _refusal = 'consent' then
    raise exception 'the contact has not agreed to marketing by mail' using errcode = 'SM004';
  end if;
  if private.mails_left(_account) = 0 then
    raise exception 'the daily cap of the account is reached' using errcode = 'SM005';
  end if;
  return _account;
end
$function$;

CREATE OR REPLACE FUNCTION private.require_shared_allowed (
  _user_id uuid,
  _basis   public.mail_basis
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  _pause record;
begin
  if _basis <> 'contratto' then
    raise exception 'the shared sender sends no promotions' using errcode = 'SM015';
  elsif private.shared_reply_to(_user_id) is null then
    raise exception 'the login address is not confirmed' using errcode = 'SM017';
  end if;
  select * into _pause from private.shared_pause(_user_id);
  if found then
    raise exception 'the shared sender is paused' using errcode = 'SM016',
      detail = concat_ws('|', _pause.reason, to_char(_pause.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
  elsif private.shared_mails_left(_user_id) = 0 then
    raise exception 'the daily limit of the shared sender is reached' using errcode = 'SM014', detail = coalesce(
      to_char(private.shared_mails_resume_at(_user_id) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''
    );
  end if;
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
    set is_shared = false, host = excluded.host, port = excluded.port, security = excluded.security,
      username = excluded.username, from_address = excluded.from_address, from_name = excluded.from_name, signature = excluded.signature,
      is_certified = excluded.is_certified,
      last_success_at = now(), last_error = null, last_error_reply = null, last_error_at = null
  returning id into _account_id;
  insert into private.mail_secrets (account_id, sealed) values (_account_id, _sealed)
  on conflict (account_id) do update set sealed = excluded.sealed;
  return _account_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.save_shared_account (
  _user_id      uuid,
  _from_address text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account_id uuid;
begin
  if private.shared_reply_to(_user_id) is null then
    raise exception 'the login address is not confirmed' using errcode = 'SM017';
  end if;
  insert into public.mail_accounts (user_id, is_shared, from_address) values (_user_id, true, _from_address)
  on conflict (user_id) do update set from_address = excluded.from_address where mail_accounts.is_shared
  returning id into _account_id;
  if _account_id is null then
    raise exception 'an own mailbox is connected' using errcode = 'SM018';
  end if;
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
  _again timestamptz := now() + make_interval(secs => _delay_s);
begin
  update public.outgoing_mails
  set state = case when _state = 'queued' and now() > expires_at then 'failed' else _state end,
    error = case when _state = 'queued' and now() > expires_at then 'expired' else _error end,
    reply = left(private.one_line(_reply), 300), leased_until = null, sent_at = case when _state = 'sent' then now() end,
    not_before = case when _state = 'queued' then private.mail_time(_again, is_at_once, basis) else not_before end,
    -- The rest of the recipient is no time in which it could not be sent.
    expires_at = case when _state = 'queued' then expires_at + (private.mail_time(_again, is_at_once, basis) - _again)
      else expires_at end
  -- An answer that came after the lease still tells what is true.
  where id = _id and attempts = _attempt and state in ('queued', 'sending', 'uncertain')
  returning * into _mail;
  if not found then
    return;
  end if;
  if _state = 'failed' and _error = 'bad_address' and _reply like '5%'
    and exists (select from public.mail_accounts where user_id = _mail.user_id and is_shared)
  then
    perform private.note_shared_mail(_mail);
    perform private.note_shared_return(_mail.id, false);
  end if;
  if _state = 'sent' then
    perform private.record_sent_mail(_mail);
    -- Not at each of many mails.
    if exists (
      select from public.mail_accounts where user_id = _mail.user_id
        and (last_error is not null or last_success_at is null or last_success_at < now() - interval '10 seconds')
    ) then
      perform private.note_mail_account(_mail.user_id, null, null);
    end if;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.shared_mail (
  _id uuid
)
  RETURNS TABLE (
    user_id    uuid,
    message_id text,
    is_open    boolean,
    is_full    boolean,
    reports    bigint
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select sent.user_id, sent.message_id,
    (users.banned_until is null or users.banned_until <= now()) and not private.is_frozen(sent.user_id),
    (
      -- A conversation has fewer mails in an hour than somebody who floods an address.
      select count(*) >= 50 from public.received_mails as answer
      where answer.user_id = sent.user_id and reference_ids @> array[sent.message_id]
        and answer.created_at > now() - interval '1 hour'
    ),
    (select count(*) from public.mail_reports as report where report.user_id = sent.user_id and outgoing_id = sent.id)
  from private.shared_mails as shared
  join public.outgoing_mails as sent on sent.user_id = shared.user_id and sent.id = shared.outgoing_id
  join auth.users on users.id = sent.user_id
  where shared.outgoing_id = _id and shared.sent_at > now() - interval '1 year' and users.deleted_at is null
$function$;

CREATE OR REPLACE FUNCTION private.shared_mails_a_day()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Several times what a self-employed person writes in a day, and too few for spam to pay.
  select 50
$function$;

CREATE OR REPLACE FUNCTION private.shared_mails_left (
  _user_id uuid
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Waiting mails count as well: otherwise any number could be scheduled for one moment.
  select greatest(0, private.shared_mails_a_day() - (
    select coalesce(sum(sendings), 0) from private.shared_mails
    where user_id = _user_id and sent_at > now() - interval '1 day'
  ) - (
    select count(*) from public.outgoing_mails where user_id = _user_id and state = 'queued'
  ))::integer
$function$;

CREATE OR REPLACE FUNCTION private.shared_mails_resume_at (
  _user_id uuid
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select min(sent_at) + interval '1 day' from private.shared_mails
  where user_id = _user_id and sent_at > now() - interval '1 day'
$function$;

CREATE OR REPLACE FUNCTION private.shared_pause (
  _user_id uuid
)
  RETURNS TABLE (
    reason text,
    until  timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from (
    -- Providers block a sender at one complaint in a thousand mails.
    select 'reclamo', max(complained_at) + interval '14 days' from private.shared_mails where user_id = _user_id
    union all
    -- One or two wrong addresses happen to everybody; three in a week are an old list.
    select 'rimbalzi', (
      select bounced_at + interval '7 days' from private.shared_mails
      where user_id = _user_id and bounced_at is not null order by bounced_at desc offset 2 limit 1
    )
  ) as pauses (reason, until)
  where until > now()
  order by until desc limit 1
$function$;

CREATE OR REPLACE FUNCTION private.shared_reply_to (
  _user_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select email from auth.users
  where id = _user_id and email_confirmed_at is not null and deleted_at is null and private.is_email(email)
    and (banned_until is null or banned_until <= now())
$function$;

CREATE OR REPLACE FUNCTION private.shared_state (
  _user_id uuid
)
  RETURNS TABLE (
    name         text,
    reply_to     text,
    remaining    integer,
    resumes_at   timestamp with time zone,
    pause_reason text,
    paused_until timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(business_name, full_name)::text, private.shared_reply_to(_user_id),
    private.shared_mails_left(_user_id), private.shared_mails_resume_at(_user_id), pause.reason, pause.until
  from (select) as one
  left join public.profiles on profiles.user_id = _user_id
  left join private.shared_pause(_user_id) as pause on true
$function$;

CREATE OR REPLACE FUNCTION public.queue_campaign (
  _key         uuid,
  _contact_ids uuid[],
  _subject     text,
  _body        text,
  _basis       public.mail_basis,
  _typed       integer                  DEFAULT NULL::integer,
  _not_before  timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS public.mail_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts := private.lock_mail_account(_user_id);
  _batch public.mail_batches;
  _recipients integer;
  _excluded jsonb;
  _start timestamptz;
begin
  select * into _batch from public.mail_batches where user_id = _user_id and key = _key;
  if found then
    return _batch;
  elsif _account.is_shared then
    raise exception 'the shared sender sends no campaigns' using errcode = 'SM015';
  end if;
  select count(*) filter (where refusal is null),
    coalesce(
      jsonb_agg(jsonb_build_object('contact_id', contact_id, 'reason', refusal)) filter (where refusal is not null), '[]'
    )
  into _recipients, _excluded
  from private.campaign_letters(_user_id, _contact_ids, _subject, _body, _basis);
  if _recipients = 0 then
    raise exception 'none of the contacts may be written to' using errcode = 'SM010';
  elsif _recipients > private.mails_left(_account) then
    raise exception 'the daily cap of the account is reached' using errcode = 'SM005';
  elsif _recipients > private.most_unconfirmed_recipients() and _typed is distinct from _recipients then
    raise exception 'the number of recipients was not typed' using errcode = 'SM011', detail = _recipients::text;
  end if;
  _start := greatest(
    least(coalesce(_not_before, now()), now() + interval '1 year'),
    now() + private.time_to_cancel(_recipients > private.most_unconfirmed_recipients())
  );
  insert into public.mail_batches (user_id, key, subject, body, basis, recipients, excluded, exclusions)
  values (_user_id, _key, _subject, _body, _basis, _recipients, jsonb_array_length(_excluded), _excluded)
  returning * into _batch;
  insert into public.outgoing_mails (
    user_id, contact_id, batch_id, key, recipient, subject, body, basis, sale_id, message_id, not_before, expires_at
  )
  select _user_id, contact_id, _batch.id, gen_random_uuid(), recipient, subject, private.signed_body(body, _account),
    _basis, sale_id, private.new_message_id(_account), at, at + interval '1 day'
  from (
    select *, private.allowed_mail_time(
      -- As fast as the account sends, so that the last does not leave in the evening.
      _start + (row_number() over () - 1) / private.mails_a_minute() * interval '1 minute'
    ) as at
    from private.campaign_letters(_user_id, _contact_ids, _subject, _body, _basis) where refusal is null
  ) as letters;
  return _batch;
end
$function$;

ALTER TABLE "private"."shared_mails"
  ADD CONSTRAINT "shared_mails_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "only_the_shared_sender_has_no_server" CHECK ((num_nulls(host, port, security, username) =
CASE
    WHEN is_shared THEN 4
    ELSE 0
END));

ALTER TABLE "public"."mail_accounts"
  ADD CONSTRAINT "the_shared_sender_is_no_pec" CHECK ((NOT (is_shared AND is_certified)));

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('client_requests'::text,'Richieste dei tuoi clienti sui loro dati, con i certificati di cancellazione'::text,'5 anni dalla chiusura'::text,'Per dimostrare che hai risposto, finché si può chiedertelo (art. 28 L. 689/1981)'::text,'delete'::text,'1 day'::text,true,'{public.contact_requests,public.contact_erasures}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('goals'::text,'Obiettivi conclusi, con i loro passi'::text,'90 giorni dalla fine'::text,'Per rileggerli'::text,'delete'::text,'1 day'::text,true,'{public.goals,public.goal_steps}'::text), ('ethical_logs'::text,'Registro etico'::text,'12 mesi'::text,'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome'::text,'keep'::text,'1 day'::text,true,'{public.ethical_logs}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('shared_mails'::text,'Conteggio delle email inviate tramite Socio'::text,'12 mesi'::text,'Per riconoscere le risposte e proteggere il mittente comune'::text,'delete'::text,'1 day'::text,true,'{private.shared_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('exports'::text,'Archivi dei tuoi dati da scaricare'::text,'7 giorni, o finché ne chiedi un altro'::text,'Per scaricarli con calma'::text,'delete'::text,'1 hour'::text,true,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni, anche senza l’account'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,NULL::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX shared_mails_latest ON private.shared_mails USING btree (user_id, sent_at DESC);

CREATE INDEX shared_mails_old ON private.shared_mails USING btree (sent_at);

COMMENT ON COLUMN "private"."shared_mails"."outgoing_id" IS 'No foreign key: a person who deletes a contact must not delete the count of mails and bounces.';

COMMENT ON COLUMN "private"."shared_mails"."sendings" IS 'More than one when its writer sent it again; each counts for the day of the last.';

COMMENT ON COLUMN "public"."mail_accounts"."is_shared" IS 'It sends by the operator''s shared sender (43_mail_shared.sql), whose address from_address is.';

COMMENT ON FUNCTION "private"."claim_mail"(uuid) IS 'Leases the next due mail of a person; no row when none is due, many were just sent, or the shared sender is paused.';

COMMENT ON FUNCTION "private"."forget_shared_mails"(integer) IS 'Deletes the counts of mails that left a year ago.';

COMMENT ON FUNCTION "private"."is_shared_held"(uuid) IS 'Whether mails of a person wait because the shared sender is paused or may not be used; never with an own mailbox.';

COMMENT ON FUNCTION "private"."mail_account_of"(uuid) IS 'The account of a person with its encrypted password; no row without one.';

COMMENT ON FUNCTION "private"."note_shared_mail"(public.outgoing_mails) IS 'Counts a mail that is about to leave by the shared sender.';

COMMENT ON FUNCTION "private"."note_shared_return"(uuid, boolean) IS 'Records that a mail of the shared sender was called spam, or that its address does not exist; nothing for other mails.';

COMMENT ON FUNCTION "private"."require_shared_allowed"(uuid, public.mail_basis) IS 'Refuses what the shared sender does not send for a person now.';

COMMENT ON FUNCTION "private"."save_shared_account"(uuid, text) IS 'Lets a person send by the shared sender; an own mailbox is not replaced.';

COMMENT ON FUNCTION "private"."shared_mail"(uuid) IS 'The mail that an address of answers or bounces belongs to, for a year; whether its person takes mail, and not too much of it.';

COMMENT ON FUNCTION "private"."shared_mails_a_day"() IS 'How many mails a person may send by the shared sender in 24 hours.';

COMMENT ON FUNCTION "private"."shared_mails_left"(uuid) IS 'How many mails a person may still queue for the shared sender.';

COMMENT ON FUNCTION "private"."shared_mails_resume_at"(uuid) IS 'When the oldest mail of the last 24 hours stops counting; null while none has left.';

COMMENT ON FUNCTION "private"."shared_pause"(uuid) IS 'Why the shared sender is paused for a person, and until when; no row when it is not. Derived from what came back, so that disconnecting does not end it.';

COMMENT ON FUNCTION "private"."shared_reply_to"(uuid) IS 'The confirmed login address, to which answers go; null when there is none or the account is suspended.';

COMMENT ON FUNCTION "private"."shared_state"(uuid) IS 'What the shared sender says and allows for a person: the name of the business, else of the person, and the limits.';

COMMENT ON TABLE "private"."shared_mails" IS 'Mails that left by the shared sender, and how they ended; no API role reads it.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."forget_shared_mails"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_shared_mails"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_shared_held"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_account_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_account_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_shared_mail"(public.outgoing_mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_shared_return"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_shared_allowed"(uuid, public.mail_basis) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."save_shared_account"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_shared_account"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."shared_mail"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shared_mail"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."shared_mails_a_day"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."shared_mails_left"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."shared_mails_resume_at"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."shared_pause"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."shared_reply_to"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shared_reply_to"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."shared_state"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shared_state"(uuid) TO "service_role";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;
