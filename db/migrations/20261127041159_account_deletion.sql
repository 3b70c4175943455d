-- Account deletion.
--   DROP VIEW public.retention_rules
--   CREATE TABLE public.deletion_requests ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, CO…
--   ALTER TABLE public.deletion_requests ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.deletion_requests FROM anon
--   ALTER TABLE public.profiles ADD COLUMN deletion_due_at timestamp WITH time zone
--   CREATE TYPE public.deletion_state AS ENUM ( 'requested', 'cancelled', 'erasing', 'erased' )
--   CREATE TYPE public.fiscal_archive_answer AS ENUM ( 'downloaded', 'elsewhere', 'empty' )
--   ALTER TABLE public.deletion_requests ADD COLUMN fiscal_archive public.fiscal_archive_answer NOT NULL
--   ALTER TABLE public.deletion_requests ADD COLUMN requested_at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.deletion_requests ADD COLUMN due_at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.deletion_requests ADD COLUMN reminded_at timestamp WITH time zone
--   ALTER TABLE public.deletion_requests ADD COLUMN cancelled_at timestamp WITH time zone
--   ALTER TABLE public.deletion_requests ADD COLUMN erasing_at timestamp WITH time zone
--   ALTER TABLE public.deletion_requests ADD COLUMN erased_at timestamp WITH time zone
--   ALTER TABLE public.deletion_requests ADD COLUMN found_rows jsonb
--   ALTER TABLE public.deletion_requests ADD COLUMN found_files integer
--   ALTER TABLE public.deletion_requests ADD COLUMN state public.deletion_state GENERATED ALWAYS AS ( CASE WHEN (…
--   CREATE OR REPLACE FUNCTION private.begin_erasure
--   CREATE OR REPLACE FUNCTION private.cancel_deletion
--   CREATE OR REPLACE FUNCTION private.claim_deletion_reminder
--   CREATE OR REPLACE FUNCTION private.deletion_preview
--   CREATE OR REPLACE FUNCTION private.erase_rows
--   CREATE OR REPLACE FUNCTION private.files_to_erase
--   CREATE OR REPLACE FUNCTION private.finish_erasure
--   CREATE OR REPLACE FUNCTION private.forget_buyer
--   CREATE OR REPLACE FUNCTION private.is_being_erased
--   CREATE OR REPLACE FUNCTION private.is_frozen
--   CREATE OR REPLACE FUNCTION private.kept_tables
--   CREATE OR REPLACE FUNCTION private.notify
--   CREATE OR REPLACE FUNCTION private.personal_counts
--   CREATE OR REPLACE FUNCTION private.refuse_change_of_consent
--   CREATE OR REPLACE FUNCTION private.refuse_frozen
--   CREATE OR REPLACE FUNCTION private.request_deletion
--   CREATE OR REPLACE FUNCTION private.stop_outward
--   ALTER TABLE public.deletion_requests ADD CONSTRAINT erasing_comes_first CHECK (((erased_at IS NULL) OR (erasi…
--   ALTER TABLE public.deletion_requests ADD CONSTRAINT erasing_counts_what_it_finds CHECK ((((erasing_at IS NULL…
--   ALTER TABLE public.deletion_requests ADD CONSTRAINT what_is_erased_was_not_cancelled CHECK (((cancelled_at IS…
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX deletion_requests_due ON public.deletion_requests USING btree (due_at) WHERE ((cancelled_at IS N…
--   CREATE UNIQUE INDEX deletion_requests_open ON public.deletion_requests USING btree (user_id) WHERE (cancelled…
--   CREATE INDEX deletion_requests_user ON public.deletion_requests USING btree (user_id, requested_at DESC)
--   CREATE TRIGGER forget_buyer AFTER DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.forget_buyer
--   CREATE TRIGGER forget_hidden_buyer AFTER UPDATE OF deleted_at ON auth.users FOR EACH ROW WHEN ((new.deleted_a…
--   CREATE TRIGGER refuse_frozen BEFORE INSERT ON private.calendar_feeds FOR EACH ROW EXECUTE FUNCTION private.re…
--   CREATE TRIGGER refuse_frozen BEFORE INSERT ON public.mail_accounts FOR EACH ROW EXECUTE FUNCTION private.refu…
--   CREATE TRIGGER refuse_frozen BEFORE INSERT ON public.push_subscriptions FOR EACH ROW EXECUTE FUNCTION private…
--   CREATE TRIGGER refuse_frozen BEFORE INSERT ON public.runs FOR EACH ROW EXECUTE FUNCTION private.refuse_frozen
--   CREATE TRIGGER refuse_frozen BEFORE INSERT ON public.whatsapp_accounts FOR EACH ROW EXECUTE FUNCTION private.…
--   CREATE POLICY owners read their deletion requests ON public.deletion_requests FOR SELECT TO authenticated USI…
--   COMMENT ON COLUMN public.deletion_requests.fiscal_archive IS 'Where its owner says the documents are that the…
--   COMMENT ON COLUMN public.deletion_requests.found_rows IS 'How many rows each table to erase had when that beg…
--   COMMENT ON FUNCTION private.begin_erasure
--   COMMENT ON FUNCTION private.cancel_deletion
--   COMMENT ON FUNCTION private.claim_deletion_reminder
--   COMMENT ON FUNCTION private.deletion_preview
--   COMMENT ON FUNCTION private.erase_rows
--   COMMENT ON FUNCTION private.files_to_erase
--   COMMENT ON FUNCTION private.finish_erasure
--   COMMENT ON FUNCTION private.forget_buyer
--   COMMENT ON FUNCTION private.is_being_erased
--   COMMENT ON FUNCTION private.is_frozen
--   COMMENT ON FUNCTION private.kept_tables
--   COMMENT ON FUNCTION private.personal_counts
--   COMMENT ON FUNCTION private.refuse_frozen
--   COMMENT ON FUNCTION private.request_deletion
--   COMMENT ON FUNCTION private.stop_outward
--   COMMENT ON TABLE public.deletion_requests IS 'Requests to delete an account and how they ended; once erased, …
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.begin_erasure
--   GRANT EXECUTE ON FUNCTION private.begin_erasure
--   REVOKE ALL ON FUNCTION private.cancel_deletion
--   GRANT EXECUTE ON FUNCTION private.cancel_deletion
--   REVOKE ALL ON FUNCTION private.claim_deletion_reminder
--   GRANT EXECUTE ON FUNCTION private.claim_deletion_reminder
--   REVOKE ALL ON FUNCTION private.deletion_preview
--   GRANT EXECUTE ON FUNCTION private.deletion_preview
--   REVOKE ALL ON FUNCTION private.erase_rows
--   GRANT EXECUTE ON FUNCTION private.erase_rows
--   REVOKE ALL ON FUNCTION private.files_to_erase
--   GRANT EXECUTE ON FUNCTION private.files_to_erase
--   REVOKE ALL ON FUNCTION private.finish_erasure
--   GRANT EXECUTE ON FUNCTION private.finish_erasure
--   REVOKE ALL ON FUNCTION private.forget_buyer
--   REVOKE ALL ON FUNCTION private.is_being_erased
--   REVOKE ALL ON FUNCTION private.is_frozen
--   GRANT EXECUTE ON FUNCTION private.is_frozen
--   REVOKE ALL ON FUNCTION private.kept_tables
--   REVOKE ALL ON FUNCTION private.personal_counts
--   GRANT EXECUTE ON FUNCTION private.personal_counts
--   REVOKE ALL ON FUNCTION private.refuse_frozen
--   REVOKE ALL ON FUNCTION private.request_deletion
--   GRANT EXECUTE ON FUNCTION private.request_deletion
--   REVOKE ALL ON FUNCTION private.stop_outward
--   REVOKE ALL ON TABLE public.deletion_requests FROM authenticated
--   GRANT SELECT ON TABLE public.deletion_requests TO authenticated
--   REVOKE ALL ON TABLE public.deletion_requests FROM service_role
--   GRANT SELECT ON TABLE public.deletion_requests TO service_role
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP VIEW "public"."retention_rules";

CREATE TABLE "public"."deletion_requests" (
  "id"      uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id" uuid NOT NULL,
  CONSTRAINT "deletion_requests_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."deletion_requests"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."deletion_requests" FROM "anon";

ALTER TABLE "public"."profiles"
  ADD COLUMN "deletion_due_at" timestamp WITH time zone;

CREATE TYPE "public"."deletion_state" AS ENUM (
  'requested',
  'cancelled',
  'erasing',
  'erased'
);

CREATE TYPE "public"."fiscal_archive_answer" AS ENUM (
  'downloaded',
  'elsewhere',
  'empty'
);

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "fiscal_archive" public.fiscal_archive_answer NOT NULL;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "requested_at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "due_at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "reminded_at" timestamp WITH time zone;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "cancelled_at" timestamp WITH time zone;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "erasing_at" timestamp WITH time zone;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "erased_at" timestamp WITH time zone;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "found_rows" jsonb;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "found_files" integer;

ALTER TABLE "public"."deletion_requests"
  ADD COLUMN "state" public.deletion_state GENERATED ALWAYS AS (
CASE
    WHEN (cancelled_at IS NOT NULL) THEN 'cancelled'::public.deletion_state
    WHEN (erased_at IS NOT NULL) THEN 'erased'::public.deletion_state
    WHEN (erasing_at IS NOT NULL) THEN 'erasing'::public.deletion_state
    ELSE 'requested'::public.deletion_state
END) STORED NOT NULL;

CREATE OR REPLACE FUNCTION private.begin_erasure (
  _now timestamp with time zone DEFAULT now()
)
  RETURNS public.deletion_requests
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _request public.deletion_requests;
begin
  select * into _request from public.deletion_requests
  -- Where the jobs stood still, the reminder comes late: there are six days after it all the same.
  where cancelled_at is null and erased_at is null and due_at <= _now and reminded_at <= _now - interval '6 days'
  order by due_at limit 1 for update skip locked;
  if _request.id is not null and _request.erasing_at is null then
    update public.deletion_requests set
      erasing_at = _now, found_rows = private.personal_counts(user_id) - private.kept_tables(),
      found_files = (select count(*) from storage.objects where (storage.foldername(name))[1] = user_id::text)
    where id = _request.id returning * into _request;
    perform private.stop_outward(_request.user_id);
    -- Given up with the request. No work holds any: none begins in thirty days, and a hold lasts a day at most.
    if (private.lock_wallet(_request.user_id)).balance > 0 then
      perform private.take(
        _request.user_id, 'expire', 'expiry', 'erased', array_agg(lot_id order by part), array_agg(amount order by part)
      )
      from private.draw(_request.user_id, (select balance from public.credit_wallets where user_id = _request.user_id));
    end if;
    -- Nobody signs in to half an account.
    update auth.users set banned_until = _now + interval '100 years' where id = _request.user_id;
    delete from auth.sessions where user_id = _request.user_id;
  end if;
  return _request;
end
$function$;

CREATE OR REPLACE FUNCTION private.cancel_deletion (
  _user_id uuid,
  _now     timestamp with time zone DEFAULT now()
)
  RETURNS boolean
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with cancelled as (
    update public.deletion_requests set cancelled_at = _now
    where user_id = _user_id and cancelled_at is null and erasing_at is null
    returning user_id
  ), shown as (
    update public.profiles set deletion_due_at = null from cancelled where profiles.user_id = cancelled.user_id
  )
  select exists (select from cancelled)
$function$;

CREATE OR REPLACE FUNCTION private.claim_deletion_reminder (
  _now timestamp with time zone        DEFAULT now(),
  OUT  email text,
  OUT  due_at timestamp with time zone
)
  RETURNS SETOF record
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with due as (
    select id from public.deletion_requests as waiting
    where cancelled_at is null and erased_at is null and reminded_at is null and waiting.due_at <= _now + interval '7 days'
    order by waiting.due_at limit 1 for update skip locked
  ), told as (
    update public.deletion_requests as request set reminded_at = _now from due where request.id = due.id returning request.*
  )
  select users.email::text, told.due_at from told left join auth.users as users on users.id = told.user_id
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
      'mailbox', (select from_address from public.mail_accounts where user_id = _user_id),
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

CREATE OR REPLACE FUNCTION private.erase_rows (
  _request_id uuid,
  _limit      integer
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid;
  _table text;
  _erased bigint;
begin
  -- The lock: two workers erase one batch after the other.
  select user_id into _user_id from public.deletion_requests where id = _request_id and erasing_at is not null for update;
  for _table in
    select erased from private.personal_tables() as erased where erased <> all (private.kept_tables())
  loop
    execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where user_id = $1 limit $2))', _table::regclass)
    using _user_id, _limit;
    get diagnostics _erased = row_count;
    if _erased > 0 then
      return _erased;
    end if;
  end loop;
  return 0;
end
$function$;

CREATE OR REPLACE FUNCTION private.files_to_erase (
  _user_id uuid,
  _limit   integer
)
  RETURNS TABLE (
    bucket_id text,
    name      text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select bucket_id, name from storage.objects
  where (storage.foldername(name))[1] = _user_id::text and private.is_being_erased(_user_id)
  order by bucket_id, name limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.finish_erasure (
  _request_id uuid,
  _now        timestamp with time zone DEFAULT now()
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid;
  _email text;
begin
  update public.deletion_requests set erased_at = _now
  where id = _request_id and erasing_at is not null and erased_at is null returning user_id into _user_id;
  if not found then
    return null;
  end if;
  select email into _email from auth.users where id = _user_id;
  delete from auth.audit_log_entries where payload ->> 'actor_id' = _user_id::text;
  delete from auth.users where id = _user_id;
  return _email;
end
$function$;

CREATE OR REPLACE FUNCTION private.forget_buyer()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.credit_orders as orders set
    email = null, checkout_url = null,
    -- An invoice must name its recipient for ten years; a receipt need not.
    billing = case when exists (select from public.fiscal_documents where order_id = orders.id) then billing end
  where user_id = old.id;
  update public.payment_events set
    payload = payload #- '{data,object,customer_details}' #- '{data,object,customer_email}' #- '{data,object,receipt_email}'
      #- '{data,object,billing_details}' #- '{data,object,shipping_details}' #- '{data,object,shipping}'
  where order_id in (select id from public.credit_orders where user_id = old.id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_being_erased (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (select from public.deletion_requests where user_id = _user_id and erasing_at is not null)
$function$;

CREATE OR REPLACE FUNCTION private.is_frozen (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select exists (select from public.deletion_requests where user_id = _user_id and cancelled_at is null)
$function$;

CREATE OR REPLACE FUNCTION private.kept_tables()
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select array_agg(distinct kept) from public.retention_rules cross join unnest(tables) as kept where outcome = 'keep'
$function$;

CREATE OR REPLACE FUNCTION private.notify (
  _user_id     uuid,
  _kind        text,
  _title       text,
  _message     text,
  _action_url  text    DEFAULT NULL::text,
  _dedupe_key  text    DEFAULT NULL::text,
  _entity_type text    DEFAULT NULL::text,
  _entity_id   uuid    DEFAULT NULL::uuid,
  _is_read     boolean DEFAULT false
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _registered public.notification_kinds;
  _settings constant public.notification_settings := private.notification_settings_of(_user_id);
  _line constant text := left(private.one_line(_title), 200);
  _text constant text := left(_message, 2000);
  _key constant text := coalesce(_dedupe_key, gen_random_uuid()::text);
  _rings boolean;
  _first uuid;
  _id uuid;
begin
  select * into _registered from public.notification_kinds where kind = _kind;
  if not found then
    raise exception 'unknown kind of notification: %', _kind using errcode = '22023';
  end if;
  if not exists (select from auth.users where id = _user_id) or (_kind <> 'sicurezza' and private.is_frozen(_user_id)) then
    return null;
  end if;
  _rings := private.wants(_user_id, _settings, _registered, 'in_app');
  -- Of two transactions with the same key the second waits here, and finds it.
  insert into private.notification_deliveries (
    user_id, kind, channel, dedupe_key, batch_key, title, message, action_url, is_in_app, not_before, state, settled_at
  ) values (
    _user_id, _kind, 'in_app', _key, _kind, _line, _text, coalesce(_action_url, _registered.list), _rings, now(),
    case when _rings then 'inviata' else 'esclusa' end::private.delivery_state, now()
  ) on conflict (user_id, dedupe_key, channel) do nothing returning id into _first;
  if _first is null then
    return null;
  end if;
  if _rings then
    _id := private.ring(_user_id, _registered, _line, _text, coalesce(_action_url, _registered.list), _dedupe_key,
      _entity_type, _entity_id, _is_read);
    update private.notification_deliveries set notification_id = _id where id = _first;
  end if;
  if not _is_read then
    perform private.schedule_delivery(_first, _settings, _registered, channel)
    from unnest(array['mail', 'push']::public.notification_channel[]) as channel
    where private.wants(_user_id, _settings, _registered, channel);
  end if;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.personal_counts (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _table text;
  _found bigint;
  _counts jsonb := '{}';
begin
  for _table in select private.personal_tables() loop
    execute format('select count(*) from %s where user_id = $1', _table::regclass) into _found using _user_id;
    _counts := _counts || jsonb_build_object(_table, _found);
  end loop;
  return _counts;
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_change_of_consent()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Goes with the account; otherwise only a merge may say that two contacts were one.
  if tg_op = 'DELETE' and (
    not exists (select from auth.users where id = old.user_id) or private.is_being_erased(old.user_id)
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE' then
    old.contact_id := new.contact_id;
    if new is not distinct from old then
      return new;
    end if;
  end if;
  raise exception 'what was agreed to is never changed' using errcode = '23001';
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_frozen()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.is_frozen(new.user_id) then
    raise exception 'the account waits for its deletion' using errcode = 'SD001';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.request_deletion (
  _user_id        uuid,
  _fiscal_archive public.fiscal_archive_answer,
  _now            timestamp with time zone     DEFAULT now(),
  OUT             request jsonb,
  OUT             is_new boolean
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Of two requests at once the second waits here, and finds the first.
  insert into public.deletion_requests (user_id, fiscal_archive, requested_at, due_at)
  values (_user_id, _fiscal_archive, _now, _now + interval '30 days')
  on conflict (user_id) where cancelled_at is null do nothing;
  is_new := found;
  perform private.stop_outward(_user_id);
  update public.profiles set deletion_due_at = requested.due_at from public.deletion_requests as requested
  where requested.user_id = _user_id and requested.cancelled_at is null and profiles.user_id = _user_id;
  select to_jsonb(deletion_requests) into request from public.deletion_requests
  where user_id = _user_id and cancelled_at is null;
end
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
  delete from public.whatsapp_accounts where user_id = _user_id;
  delete from private.calendar_feeds where user_id = _user_id;
  delete from public.push_subscriptions where user_id = _user_id;
  update private.notification_deliveries set state = 'esclusa', settled_at = now() where user_id = _user_id and state = 'attesa';
  update public.runs set stop_requested_at = now()
  where user_id = _user_id and state = 'running' and stop_requested_at is null;
  update public.tool_calls set state = 'expired' where user_id = _user_id and state = 'proposed';
  -- A download that was not opened yet.
  delete from public.data_exports where user_id = _user_id and opens = 0;
  update auth.oauth_consents set revoked_at = now() where user_id = _user_id and revoked_at is null;
  delete from auth.sessions where user_id = _user_id and oauth_client_id is not null;
end
$function$;

ALTER TABLE "public"."deletion_requests"
  ADD CONSTRAINT "erasing_comes_first" CHECK (((erased_at IS NULL) OR (erasing_at IS NOT NULL)));

ALTER TABLE "public"."deletion_requests"
  ADD CONSTRAINT "erasing_counts_what_it_finds" CHECK ((((erasing_at IS NULL) = (found_rows IS NULL)) AND ((erasing_at IS NULL) = (found_files IS NULL))));

ALTER TABLE "public"."deletion_requests"
  ADD CONSTRAINT "what_is_erased_was_not_cancelled" CHECK (((cancelled_at IS NULL) OR (erasing_at IS NULL)));

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni, anche senza l’account'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,NULL::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX deletion_requests_due ON public.deletion_requests USING btree (due_at)
  WHERE ((cancelled_at IS NULL) AND (erased_at IS NULL));

CREATE UNIQUE INDEX deletion_requests_open ON public.deletion_requests USING btree (user_id)
  WHERE (cancelled_at IS NULL);

CREATE INDEX deletion_requests_user ON public.deletion_requests USING btree (user_id, requested_at DESC);

CREATE TRIGGER forget_buyer
  AFTER DELETE ON auth.users
  FOR EACH ROW
  EXECUTE FUNCTION private.forget_buyer();

CREATE TRIGGER forget_hidden_buyer
  AFTER UPDATE OF deleted_at ON auth.users
  FOR EACH ROW
  WHEN ((new.deleted_at IS NOT NULL))
  EXECUTE FUNCTION private.forget_buyer();

CREATE TRIGGER refuse_frozen
  BEFORE INSERT ON private.calendar_feeds
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_frozen();

CREATE TRIGGER refuse_frozen
  BEFORE INSERT ON public.mail_accounts
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_frozen();

CREATE TRIGGER refuse_frozen
  BEFORE INSERT ON public.push_subscriptions
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_frozen();

CREATE TRIGGER refuse_frozen
  BEFORE INSERT ON public.runs
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_frozen();

CREATE TRIGGER refuse_frozen
  BEFORE INSERT ON public.whatsapp_accounts
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_frozen();

CREATE POLICY "owners read their deletion requests" ON "public"."deletion_requests"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."deletion_requests"."fiscal_archive" IS 'Where its owner says the documents are that the law makes them keep for ten years; empty: there were none.';

COMMENT ON COLUMN "public"."deletion_requests"."found_rows" IS 'How many rows each table to erase had when that began: {table: number}.';

COMMENT ON FUNCTION "private"."begin_erasure"(timestamp with time zone) IS 'The account to erase next, closed to its owner and counted the first time; null when none is due.';

COMMENT ON FUNCTION "private"."cancel_deletion"(uuid, timestamp with time zone) IS 'Takes a request back; false when there is none, or erasing has begun.';

COMMENT ON FUNCTION "private"."claim_deletion_reminder"(timestamp with time zone) IS 'Takes one request whose last week begins, in the transaction that puts its mail into the outbox.';

COMMENT ON FUNCTION "private"."deletion_preview"(uuid) IS 'What the deletion of an account would stop, erase and keep, and which unused credits can still be given back.';

COMMENT ON FUNCTION "private"."erase_rows"(uuid, integer) IS 'Erases so many rows of one table of an account that is being erased, with what hangs on them; 0 when none is left.';

COMMENT ON FUNCTION "private"."files_to_erase"(uuid, integer) IS 'Files of an account that is being erased, of every bucket.';

COMMENT ON FUNCTION "private"."finish_erasure"(uuid, timestamp with time zone) IS 'Deletes the sign-in of an account whose rows are erased; answers where the certificate goes, null when it was done before.';

COMMENT ON FUNCTION "private"."forget_buyer"() IS 'Takes out of the accounting of a deleted account what says whose it was, but for the recipient of an invoice.';

COMMENT ON FUNCTION "private"."is_being_erased"(uuid) IS 'Whether the rows of an account are being erased.';

COMMENT ON FUNCTION "private"."is_frozen"(uuid) IS 'Whether an account waits for its deletion: nothing leaves it.';

COMMENT ON FUNCTION "private"."kept_tables"() IS 'Tables with rows of a person that outlive the account, by the retention register.';

COMMENT ON FUNCTION "private"."personal_counts"(uuid) IS 'How many rows of a person each table of the catalogue has.';

COMMENT ON FUNCTION "private"."refuse_frozen"() IS 'Refuses a row through which something would leave a frozen account. SD001.';

COMMENT ON FUNCTION "private"."request_deletion"(uuid, public.fiscal_archive_answer, timestamp with time zone) IS 'Asks for the deletion of an account in thirty days and closes every way out of it; says whether it was this call.';

COMMENT ON FUNCTION "private"."stop_outward"(uuid) IS 'Closes every way out of an account: mail and WhatsApp with what waits, calendar feed, push devices, applications, answers.';

COMMENT ON TABLE "public"."deletion_requests" IS 'Requests to delete an account and how they ended; once erased, the certificate, which names nobody.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."begin_erasure"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_erasure"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."cancel_deletion"(uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."cancel_deletion"(uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."claim_deletion_reminder"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_deletion_reminder"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."deletion_preview"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deletion_preview"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."erase_rows"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."erase_rows"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."files_to_erase"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."files_to_erase"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."finish_erasure"(uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finish_erasure"(uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."forget_buyer"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_being_erased"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_frozen"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_frozen"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."kept_tables"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."personal_counts"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."personal_counts"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_frozen"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."request_deletion"(uuid, public.fiscal_archive_answer, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."request_deletion"(uuid, public.fiscal_archive_answer, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."stop_outward"(uuid) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."deletion_requests" FROM "authenticated";

GRANT SELECT ON TABLE "public"."deletion_requests" TO "authenticated";

REVOKE ALL ON TABLE "public"."deletion_requests" FROM "service_role";

GRANT SELECT ON TABLE "public"."deletion_requests" TO "service_role";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;
