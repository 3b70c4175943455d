-- Notifications delivered.
--   CREATE TABLE private.notification_deliveries ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT N…
--   ALTER TABLE private.notification_deliveries ENABLE ROW LEVEL SECURITY
--   CREATE TABLE public.notification_prefs ( user_id uuid NOT NULL DEFAULT auth.uid() )
--   ALTER TABLE public.notification_prefs ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.notification_prefs FROM anon
--   CREATE TABLE public.notification_settings ( user_id uuid NOT NULL DEFAULT auth.uid(), CONSTRAINT notification…
--   ALTER TABLE public.notification_settings ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.notification_settings FROM anon
--   ALTER TABLE public.notifications ADD COLUMN kind text NOT NULL DEFAULT 'avviso'::text
--   CREATE TYPE private.delivery_state AS ENUM ( 'attesa', 'inviata', 'esclusa' )
--   CREATE TYPE public.notification_category AS ENUM ( 'incassi', 'attivita', 'approvazioni', 'documenti', 'credi…
--   ALTER TABLE public.notification_prefs ADD COLUMN category public.notification_category NOT NULL
--   ALTER TABLE public.notifications ADD COLUMN category public.notification_category NOT NULL DEFAULT 'sistema':…
--   ALTER TABLE public.notifications ADD COLUMN dedupe_key text
--   ALTER TABLE public.notifications ADD COLUMN batch_key text
--   ALTER TABLE public.notifications ADD COLUMN batch_count integer NOT NULL DEFAULT 1
--   ALTER TABLE public.notifications ADD COLUMN entity_type text
--   ALTER TABLE public.notifications ADD COLUMN entity_id uuid
--   CREATE TYPE public.notification_channel AS ENUM ( 'in_app', 'mail', 'push' )
--   ALTER TABLE private.notification_deliveries ADD COLUMN channel public.notification_channel NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN dedupe_key text NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN batch_key text NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN title text NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN message text NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN action_url text
--   ALTER TABLE private.notification_deliveries ADD COLUMN is_in_app boolean NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN not_before timestamp WITH time zone NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN state private.delivery_state NOT NULL
--   ALTER TABLE private.notification_deliveries ADD COLUMN attempts integer NOT NULL DEFAULT 0
--   ALTER TABLE private.notification_deliveries ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT n…
--   ALTER TABLE private.notification_deliveries ADD COLUMN settled_at timestamp WITH time zone
--   ALTER TABLE public.notification_prefs ADD COLUMN channel public.notification_channel NOT NULL
--   ALTER TABLE public.notification_prefs ADD COLUMN is_enabled boolean NOT NULL
--   CREATE TYPE public.notification_digest AS ENUM ( 'subito', 'oraria', 'giornaliera' )
--   ALTER TABLE public.notification_settings ADD COLUMN digest public.notification_digest NOT NULL DEFAULT 'giorn…
--   ALTER TABLE public.notification_settings ADD COLUMN quiet_from time WITHOUT time zone DEFAULT '21:00:00'::tim…
--   ALTER TABLE public.notification_settings ADD COLUMN quiet_to time WITHOUT time zone DEFAULT '08:00:00'::time …
--   ALTER TABLE public.notification_settings ADD COLUMN zone text NOT NULL DEFAULT 'Europe/Rome'::text
--   ALTER TABLE public.notification_settings ADD COLUMN briefing_at time WITHOUT time zone NOT NULL DEFAULT '08:0…
--   ALTER TABLE public.notification_settings ADD COLUMN muted text[] NOT NULL DEFAULT '{}'::text[]
--   ALTER TABLE public.notification_settings ADD COLUMN briefed_on date
--   CREATE OR REPLACE FUNCTION private.after_quiet
--   CREATE OR REPLACE FUNCTION private.brief_person
--   CREATE OR REPLACE FUNCTION private.claim_notification_mail
--   CREATE OR REPLACE FUNCTION private.delivery_time
--   CREATE OR REPLACE FUNCTION private.forget_deliveries
--   CREATE OR REPLACE FUNCTION private.fulfil_order
--   CREATE OR REPLACE FUNCTION private.is_zone
--   CREATE OR REPLACE FUNCTION private.notification_settings_of
--   CREATE OR REPLACE FUNCTION private.notify
--   CREATE OR REPLACE FUNCTION private.notify_credits
--   CREATE OR REPLACE FUNCTION private.notify_document
--   CREATE OR REPLACE FUNCTION private.notify_insights
--   CREATE OR REPLACE FUNCTION private.notify_payment
--   CREATE OR REPLACE FUNCTION private.notify_proposals
--   CREATE OR REPLACE FUNCTION private.open_account
--   CREATE OR REPLACE FUNCTION private.recheck_deliveries
--   CREATE OR REPLACE FUNCTION private.settle_notices
--   CREATE OR REPLACE FUNCTION private.welcome_account
--   CREATE OR REPLACE FUNCTION public.finish_import
--   ALTER TABLE private.notification_deliveries ADD CONSTRAINT attempts_are_counted CHECK ((attempts >= 0))
--   ALTER TABLE private.notification_deliveries ADD CONSTRAINT notification_deliveries_notification_id_fkey FOREI…
--   ALTER TABLE private.notification_deliveries ADD CONSTRAINT notification_deliveries_user_id_dedupe_key_channel…
--   ALTER TABLE private.notification_deliveries ADD CONSTRAINT notification_deliveries_user_id_fkey FOREIGN KEY (…
--   ALTER TABLE private.notification_deliveries ADD CONSTRAINT what_is_settled_has_a_time CHECK (((state = 'attes…
--   ALTER TABLE public.notification_prefs ADD CONSTRAINT security_is_always_on CHECK ((category <> 'sistema'::pub…
--   ALTER TABLE public.notification_settings ADD CONSTRAINT muted_kinds_fit CHECK (((cardinality(muted) <= 50) AN…
--   ALTER TABLE public.notification_settings ADD CONSTRAINT quiet_hours_have_two_ends CHECK ((((quiet_from IS NUL…
--   ALTER TABLE public.notifications ADD CONSTRAINT batch_counts_from_one CHECK ((batch_count >= 1))
--   ALTER TABLE public.notifications ADD CONSTRAINT entity_has_a_type CHECK (((entity_id IS NULL) OR (entity_type…
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE INDEX notification_deliveries_age ON private.notification_deliveries USING btree (created_at)
--   CREATE INDEX notification_deliveries_due ON private.notification_deliveries USING btree (channel, not_before)…
--   CREATE INDEX notification_deliveries_notice ON private.notification_deliveries USING btree (notification_id)
--   CREATE INDEX notification_deliveries_waiting ON private.notification_deliveries USING btree (user_id, channel…
--   CREATE INDEX notifications_category ON public.notifications USING btree (user_id, category, created_at DESC)
--   CREATE INDEX notifications_entity ON public.notifications USING btree (user_id, entity_id) WHERE ((NOT is_rea…
--   CREATE TRIGGER notify_credits AFTER INSERT ON public.credit_ledger FOR EACH ROW WHEN ((new.kind = 'settle'::p…
--   CREATE TRIGGER settle_notices AFTER UPDATE OF deleted_at ON public.documents FOR EACH ROW WHEN (((new.deleted…
--   CREATE TRIGGER notify_inserted AFTER INSERT ON public.insights REFERENCING NEW TABLE AS changed FOR EACH STAT…
--   CREATE TRIGGER notify_payment AFTER UPDATE OF paid_on ON public.invoices FOR EACH ROW WHEN (((old.paid_on IS …
--   CREATE TRIGGER settle_notices AFTER UPDATE OF paid_on ON public.invoices FOR EACH ROW WHEN (((old.paid_on IS …
--   CREATE TRIGGER settle_notices AFTER UPDATE OF state, deleted_at ON public.tasks FOR EACH ROW WHEN ((((new.sta…
--   CREATE TRIGGER settle_notices AFTER UPDATE OF state ON public.tool_calls FOR EACH ROW WHEN (((old.state = 'pr…
--   COMMENT ON COLUMN public.notification_settings.briefed_on IS 'The last local day whose briefing was considere…
--   COMMENT ON COLUMN public.notification_settings.muted IS 'Kinds that the owner does not want at all («Troppe d…
--   COMMENT ON COLUMN public.notification_settings.quiet_from IS 'Null: no quiet hours.'
--   COMMENT ON COLUMN public.notifications.batch_count IS 'How many notices this row stands for.'
--   COMMENT ON COLUMN public.notifications.batch_key IS 'Rows with the same key that come soon after each other b…
--   COMMENT ON COLUMN public.notifications.entity_id IS 'What it is about, where that is one thing: something can…
--   COMMENT ON COLUMN public.notifications.kind IS 'A kind of public.notification_kinds.'
--   COMMENT ON FUNCTION private.after_quiet
--   COMMENT ON FUNCTION private.brief_person
--   COMMENT ON FUNCTION private.claim_notification_mail
--   COMMENT ON FUNCTION private.delivery_time
--   COMMENT ON FUNCTION private.forget_deliveries
--   COMMENT ON FUNCTION private.is_zone
--   COMMENT ON FUNCTION private.notification_settings_of
--   COMMENT ON FUNCTION private.notify
--   COMMENT ON FUNCTION private.notify_credits
--   COMMENT ON FUNCTION private.notify_document
--   COMMENT ON FUNCTION private.notify_insights
--   COMMENT ON FUNCTION private.notify_payment
--   COMMENT ON FUNCTION private.notify_proposals
--   COMMENT ON FUNCTION private.recheck_deliveries
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.settle_notices
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON TABLE private.notification_deliveries IS 'One row for each notice and channel; it remembers for 90…
--   COMMENT ON TABLE public.notification_prefs IS 'Channels that a person switched on or off; without a row a kin…
--   COMMENT ON TABLE public.notification_settings IS 'When a person wants mail and push; whoever has no row has i…
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   REVOKE ALL ON FUNCTION private.after_quiet
--   REVOKE ALL ON FUNCTION private.brief_person
--   GRANT EXECUTE ON FUNCTION private.brief_person
--   REVOKE ALL ON FUNCTION private.claim_notification_mail
--   GRANT EXECUTE ON FUNCTION private.claim_notification_mail
--   REVOKE ALL ON FUNCTION private.delivery_time
--   REVOKE ALL ON FUNCTION private.forget_deliveries
--   GRANT EXECUTE ON FUNCTION private.forget_deliveries
--   REVOKE ALL ON FUNCTION private.is_zone
--   GRANT EXECUTE ON FUNCTION private.is_zone
--   REVOKE ALL ON FUNCTION private.notification_settings_of
--   REVOKE ALL ON FUNCTION private.notify
--   GRANT EXECUTE ON FUNCTION private.notify
--   REVOKE ALL ON FUNCTION private.notify_credits
--   REVOKE ALL ON FUNCTION private.notify_document
--   GRANT EXECUTE ON FUNCTION private.notify_document
--   REVOKE ALL ON FUNCTION private.notify_insights
--   REVOKE ALL ON FUNCTION private.notify_payment
--   REVOKE ALL ON FUNCTION private.notify_proposals
--   GRANT EXECUTE ON FUNCTION private.notify_proposals
--   REVOKE ALL ON FUNCTION private.recheck_deliveries
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.settle_notices
--   REVOKE ALL ON FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_prefs FROM authenticated
--   REVOKE ALL (category) ON TABLE public.notification_prefs FROM authenticated
--   GRANT INSERT (category), UPDATE (category) ON TABLE public.notification_prefs TO authenticated
--   REVOKE ALL (channel) ON TABLE public.notification_prefs FROM authenticated
--   GRANT INSERT (channel), UPDATE (channel) ON TABLE public.notification_prefs TO authenticated
--   REVOKE ALL (is_enabled) ON TABLE public.notification_prefs FROM authenticated
--   GRANT INSERT (is_enabled), UPDATE (is_enabled) ON TABLE public.notification_prefs TO authenticated
--   GRANT SELECT ON TABLE public.notification_prefs TO authenticated
--   REVOKE ALL ON TABLE public.notification_prefs FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.notification_prefs TO service_role
--   REVOKE ALL ON TABLE public.notification_settings FROM authenticated
--   REVOKE ALL (briefing_at) ON TABLE public.notification_settings FROM authenticated
--   GRANT INSERT (briefing_at), UPDATE (briefing_at) ON TABLE public.notification_settings TO authenticated
--   REVOKE ALL (digest) ON TABLE public.notification_settings FROM authenticated
--   GRANT INSERT (digest), UPDATE (digest) ON TABLE public.notification_settings TO authenticated
--   REVOKE ALL (muted) ON TABLE public.notification_settings FROM authenticated
--   GRANT INSERT (muted), UPDATE (muted) ON TABLE public.notification_settings TO authenticated
--   REVOKE ALL (quiet_from) ON TABLE public.notification_settings FROM authenticated
--   GRANT INSERT (quiet_from), UPDATE (quiet_from) ON TABLE public.notification_settings TO authenticated
--   REVOKE ALL (quiet_to) ON TABLE public.notification_settings FROM authenticated
--   GRANT INSERT (quiet_to), UPDATE (quiet_to) ON TABLE public.notification_settings TO authenticated
--   REVOKE ALL (zone) ON TABLE public.notification_settings FROM authenticated
--   GRANT INSERT (zone), UPDATE (zone) ON TABLE public.notification_settings TO authenticated
--   GRANT SELECT ON TABLE public.notification_settings TO authenticated
--   REVOKE ALL ON TABLE public.notification_settings FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.notification_settings TO service_role
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role
--   ALTER TABLE public.notification_prefs ADD CONSTRAINT notification_prefs_pkey PRIMARY KEY (user_id, category, …
--   ALTER TABLE public.notification_prefs ADD CONSTRAINT notification_prefs_user_id_fkey FOREIGN KEY (user_id) RE…
--   CREATE POLICY owners change their channels ON public.notification_prefs FOR UPDATE TO authenticated USING ((u…
--   CREATE POLICY owners choose their channels ON public.notification_prefs FOR INSERT TO authenticated WITH CHEC…
--   CREATE POLICY owners read their channels ON public.notification_prefs FOR SELECT TO authenticated USING ((use…
--   REVOKE ALL (user_id) ON TABLE public.notification_prefs FROM authenticated
--   GRANT INSERT (user_id), UPDATE (user_id) ON TABLE public.notification_prefs TO authenticated
--   ALTER TABLE public.notification_settings ADD CONSTRAINT notification_settings_user_id_fkey FOREIGN KEY (user_…
--   CREATE POLICY owners change their settings of notifications ON public.notification_settings FOR UPDATE TO aut…
--   CREATE POLICY owners choose their settings of notifications ON public.notification_settings FOR INSERT TO aut…
--   CREATE POLICY owners read their settings of notifications ON public.notification_settings FOR SELECT TO authe…
--   REVOKE ALL (user_id) ON TABLE public.notification_settings FROM authenticated
--   GRANT INSERT (user_id), UPDATE (user_id) ON TABLE public.notification_settings TO authenticated
--   ALTER TABLE public.notification_settings ADD CONSTRAINT zone_is_one CHECK (private.is_zone(zone))

set check_function_bodies = off;

CREATE TABLE "private"."notification_deliveries" (
  "id"              uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id"         uuid NOT NULL,
  "notification_id" uuid,
  "kind"            text NOT NULL,
  CONSTRAINT "notification_deliveries_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."notification_deliveries"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."notification_prefs" (
  "user_id" uuid NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."notification_prefs"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."notification_prefs" FROM "anon";

CREATE TABLE "public"."notification_settings" (
  "user_id" uuid NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "notification_settings_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "public"."notification_settings"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."notification_settings" FROM "anon";

ALTER TABLE "public"."notifications"
  ADD COLUMN "kind" text NOT NULL DEFAULT 'avviso'::text;

CREATE TYPE "private"."delivery_state" AS ENUM (
  'attesa',
  'inviata',
  'esclusa'
);

CREATE TYPE "public"."notification_category" AS ENUM (
  'incassi',
  'attivita',
  'approvazioni',
  'documenti',
  'crediti',
  'briefing',
  'sistema'
);

ALTER TABLE "public"."notification_prefs"
  ADD COLUMN "category" public.notification_category NOT NULL;

ALTER TABLE "public"."notifications"
  ADD COLUMN "category" public.notification_category NOT NULL DEFAULT 'sistema'::public.notification_category;

ALTER TABLE "public"."notifications"
  ADD COLUMN "dedupe_key" text;

ALTER TABLE "public"."notifications"
  ADD COLUMN "batch_key" text;

ALTER TABLE "public"."notifications"
  ADD COLUMN "batch_count" integer NOT NULL DEFAULT 1;

ALTER TABLE "public"."notifications"
  ADD COLUMN "entity_type" text;

ALTER TABLE "public"."notifications"
  ADD COLUMN "entity_id" uuid;

CREATE TYPE "public"."notification_channel" AS ENUM (
  'in_app',
  'mail',
  'push'
);

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "channel" public.notification_channel NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "dedupe_key" text NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "batch_key" text NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "title" text NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "message" text NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "action_url" text;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "is_in_app" boolean NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "not_before" timestamp WITH time zone NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "state" private.delivery_state NOT NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "attempts" integer NOT NULL DEFAULT 0;

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "private"."notification_deliveries"
  ADD COLUMN "settled_at" timestamp WITH time zone;

ALTER TABLE "public"."notification_prefs"
  ADD COLUMN "channel" public.notification_channel NOT NULL;

ALTER TABLE "public"."notification_prefs"
  ADD COLUMN "is_enabled" boolean NOT NULL;

CREATE TYPE "public"."notification_digest" AS ENUM (
  'subito',
  'oraria',
  'giornaliera'
);

ALTER TABLE "public"."notification_settings"
  ADD COLUMN "digest" public.notification_digest NOT NULL DEFAULT 'giornaliera'::public.notification_digest;

ALTER TABLE "public"."notification_settings"
  ADD COLUMN "quiet_from" time WITHOUT time zone DEFAULT '21:00:00'::time WITHOUT time zone;

ALTER TABLE "public"."notification_settings"
  ADD COLUMN "quiet_to" time WITHOUT time zone DEFAULT '08:00:00'::time WITHOUT time zone;

ALTER TABLE "public"."notification_settings"
  ADD COLUMN "zone" text NOT NULL DEFAULT 'Europe/Rome'::text;

ALTER TABLE "public"."notification_settings"
  ADD COLUMN "briefing_at" time WITHOUT time zone NOT NULL DEFAULT '08:00:00'::time WITHOUT time zone;

ALTER TABLE "public"."notification_settings"
  ADD COLUMN "muted" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."notification_settings"
  ADD COLUMN "briefed_on" date;

CREATE OR REPLACE FUNCTION private.after_quiet (
  _at       timestamp with time zone,
  _settings public.notification_settings
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when (_settings).quiet_from is null then _at
    when (_settings).quiet_from < (_settings).quiet_to
      and not (local::time >= (_settings).quiet_from and local::time < (_settings).quiet_to) then _at
    when (_settings).quiet_from > (_settings).quiet_to
      and local::time < (_settings).quiet_from and local::time >= (_settings).quiet_to then _at
    -- Their end, today or, before midnight, tomorrow. An hour that a change of clocks skips ends with it.
    else (local::date + (local::time >= (_settings).quiet_to)::integer + (_settings).quiet_to)
      at time zone (_settings).zone
  end
  from (select _at at time zone (_settings).zone as local) as clock
$function$;

CREATE OR REPLACE FUNCTION private.brief_person (
  _now timestamp with time zone DEFAULT now()
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _person uuid;
  _day date;
begin
  insert into public.notification_settings (user_id)
  select distinct user_id from public.notification_prefs where category = 'briefing' and is_enabled
  on conflict do nothing;
  select settings.user_id, local::date into _person, _day
  from public.notification_settings as settings
  cross join lateral (select _now at time zone settings.zone as local) as clock
  where exists (
    select from public.notification_prefs as prefs
    where prefs.user_id = settings.user_id and category = 'briefing' and is_enabled
  ) and briefed_on is distinct from local::date
    -- A briefing of the morning is of no use in the evening.
    and local between local::date + briefing_at and local::date + briefing_at + interval '6 hours'
  limit 1 for update of settings skip locked;
  if not found then
    return false;
  end if;
  update public.notification_settings set briefed_on = _day where user_id = _person;
  perform private.refresh_home(_person);
  -- Nothing to say, nothing sent.
  perform private.notify(_person, 'briefing', 'La tua giornata', words, null, 'briefing:' || _day)
  from (
    select string_agg(part ->> 'text', E'\n\n' order by place) as words
    from private.home_pages
    cross join jsonb_array_elements(content -> 'briefing') with ordinality as parts (part, place)
    where user_id = _person
  ) as briefing
  where words is not null;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_notification_mail (
  _now timestamp with time zone DEFAULT now()
)
  RETURNS TABLE (
    user_id uuid,
    email   text,
    items   jsonb
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  _person uuid;
  _email text;
  _items jsonb;
begin
  for _person in
    select waiting.user_id from private.notification_deliveries as waiting
    where channel = 'mail' and state = 'attesa' and not_before <= _now
    group by waiting.user_id order by min(not_before) limit 200
  loop
    -- Another worker writes to this person just now, or has written since: then nothing is due below.
    continue when not pg_try_advisory_xact_lock(hashtextextended('notification mail ' || _person, 0));
    perform private.recheck_deliveries(_person, 'mail', _now);
    select users.email into _email from auth.users
    where users.id = _person and email_confirmed_at is not null;
    with sent as (
      update private.notification_deliveries as due
      set state = case when _email is null then 'esclusa' else 'inviata' end::private.delivery_state, settled_at = now(),
        attempts = attempts + 1
      where due.user_id = _person and channel = 'mail' and state = 'attesa' and not_before <= _now
      returning kind, title, message, action_url, created_at
    )
    select jsonb_agg(jsonb_build_object(
      'kind', sent.kind, 'label', label, 'title', title, 'message', message, 'action_url', action_url
    ) order by sent.kind <> 'briefing', category, sent.kind, created_at) into _items
    from sent join public.notification_kinds as kinds on kinds.kind = sent.kind;
    if _email is not null and _items is not null then
      return query select _person, _email, _items;
      return;
    end if;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.delivery_time (
  _at        timestamp with time zone,
  _settings  public.notification_settings,
  _is_urgent boolean,
  _window    interval
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select private.after_quiet(
    case
      when _is_urgent then _at
      when (_settings).digest = 'subito' then _at + _window
      when (_settings).digest = 'oraria' then date_trunc('hour', _at, 'UTC') + interval '1 hour'
      else (local::date + (local::time >= '08:00')::integer + time '08:00') at time zone (_settings).zone
    end,
    _settings
  )
  from (select _at at time zone (_settings).zone as local) as clock
$function$;

CREATE OR REPLACE FUNCTION private.forget_deliveries (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from private.notification_deliveries where id in (
      select id from private.notification_deliveries
      where state <> 'attesa' and created_at < now() - interval '90 days' limit _limit
    )
    returning 1
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.fulfil_order (
  _order    public.credit_orders,
  _event_id text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  -- Pages promise twelve months at least; the expiry job extends what was bought.
  _expires_at constant timestamptz :=
    (now() at time zone 'Europe/Rome' + interval '12 months') at time zone 'Europe/Rome';
  _key constant text := 'stripe:' || _order.provider_session;
begin
  perform private.grant_credits(
    _order.user_id, _order.credits, 'acquisto', 'stripe', _key, _expires_at, 'order', _order.id::text, _order.id,
    _order.amount_cents
  );
  if _order.bonus > 0 then
    perform private.grant_credits(
      _order.user_id, _order.bonus, 'bonus', 'promo', _key || ':bonus', _expires_at, 'order', _order.id::text, _order.id
    );
  end if;
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    values (_order.id, 'invoice', _order.amount_cents, 'order');
  -- The account may be gone by the time its money comes; the order is not.
  perform private.notify(
    _order.user_id, 'crediti_accreditati', 'Crediti accreditati',
    format('Accreditati %s crediti: puoi usarli da subito.', _order.credits + _order.bonus), null, 'order:' || _order.id
  );
  if _order.refunded_cents > 0 or _order.disputed_at is not null then
    perform private.settle_order(_order, _event_id);
  end if;
  -- Disputes that came before the payment. Skip an event that another transaction holds: that one handles it next, and
  -- may be waiting for this order.
  perform private.handle_payment_event(waiting)
  from (
    select * from public.payment_events
    where handled_at is null and id is distinct from _event_id
      and payload #>> '{data,object,payment_intent}' = _order.payment_intent
    for update skip locked
  ) as waiting;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_zone (
  _name text
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  STRICT
  SET search_path TO ''
  AS $function$
begin
  perform now() at time zone _name;
  return _name ~ '^(UTC|[A-Z][A-Za-z]+/[A-Za-z0-9_+/-]+)$';
exception
  when invalid_parameter_value then
    return false;
end
$function$;

CREATE OR REPLACE FUNCTION private.notification_settings_of (
  _user_id uuid
)
  RETURNS public.notification_settings
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  _settings public.notification_settings;
begin
  select * into _settings from public.notification_settings where user_id = _user_id;
  if not found then
    -- As the table's defaults; a test holds both equal.
    _settings := row (_user_id, 'giornaliera', '21:00', '08:00', 'Europe/Rome', '08:00', '{}', null)::public.notification_settings;
  end if;
  return _settings;
end
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
  if not exists (select from auth.users where id = _user_id) then
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

CREATE OR REPLACE FUNCTION private.notify_credits()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _settings public.credit_settings;
  _used bigint;
begin
  select * into _settings from public.credit_settings where user_id = new.user_id;
  -- On the way down, once: what came before this entry was not below.
  if new.balance_after < _settings.low_threshold and new.balance_after - new.amount >= _settings.low_threshold then
    perform private.notify(
      new.user_id, 'crediti_bassi',
      case new.balance_after when 0 then 'Hai finito i crediti' when 1 then 'Ti resta un credito'
        else 'Ti restano ' || new.balance_after || ' crediti' end,
      'Senza crediti Socio continua a rispondere in modalità locale.', null, 'crediti_bassi:' || new.id
    );
  end if;
  if _settings.monthly_cap > 0 then
    _used := private.used_this_month(new.user_id);
    perform private.notify(
      new.user_id, 'tetto_mensile',
      format('Hai usato %s dei %s crediti del mese', _used, _settings.monthly_cap),
      case when percent = 100 then 'Il tetto che hai scelto è raggiunto: puoi alzarlo quando vuoi.'
        else 'Raggiunto il tetto che hai scelto, Socio passa alla modalità locale.' end,
      null, concat_ws(':', 'tetto', to_char(private.today(), 'YYYY-MM'), _settings.monthly_cap, percent)
    )
    from (select case when _used >= _settings.monthly_cap then 100 when _used * 5 >= _settings.monthly_cap * 4 then 80 end)
      as reached (percent)
    where percent is not null;
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.notify_document (
  _document_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.notify(
    user_id,
    case when state = 'da_verificare' then 'documento_da_verificare' else 'analisi_conclusa' end,
    case when state = 'da_verificare' then 'Da verificare: ' else 'Letto: ' end || filename,
    case when state = 'da_verificare' then 'Qualche dato letto è incerto: confermalo o correggilo.'
      else 'L’analisi è conclusa: puoi cercarlo e usare i suoi dati.' end,
    '/documents/' || id, state || ':' || id, 'document', id
  )
  from public.documents
  where id = _document_id and deleted_at is null and parent_id is null and (
    state = 'da_verificare'
    -- Whoever waited for it saw it.
    or state = 'pronto' and created_at < now() - interval '1 minute'
  )
$function$;

CREATE OR REPLACE FUNCTION private.notify_insights()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.notify(
    fact.user_id, fact.kind, fact.title, fact.body,
    case
      when fact.entity_type = 'invoice' then '/documents/' || (fact.data ->> 'document_id')
      when fact.entity_type = 'document' then '/documents/' || fact.entity_id
    end,
    concat_ws(':', fact.kind, fact.entity_id, fact.since),
    case when fact.entity_id is not null then fact.entity_type end, fact.entity_id
  )
  from changed as fact
  where fact.kind in ('fattura_scaduta', 'in_scadenza', 'da_pagare', 'contratto_in_scadenza', 'crediti_in_scadenza')
    and fact.state = 'nuova' and fact.since >= private.today() - 7
  order by fact.score desc;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.notify_payment()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.kind = 'fattura' and new.paid_on >= private.today() - 30 then
    perform private.notify(
      new.user_id, 'fattura_pagata',
      concat('Fattura ', new.number, case new.direction when 'attiva' then ' incassata' else ' pagata' end),
      concat_ws(': ', nullif(btrim(new.counterparty_name), ''),
        private.euros(coalesce(new.due_cents, new.total_cents), new.currency)) || '.',
      '/documents/' || new.document_id, concat_ws(':', 'pagata', new.id, new.paid_on), 'invoice', new.id,
      -- Whoever said so themselves need not be called.
      coalesce(auth.uid() = new.user_id, false)
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.notify_proposals()
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with told as (
    select private.notify(
      user_id, 'approvazione', 'Da approvare: ' || coalesce(preview ->> 'title', 'una proposta di Socio'),
      'Aspetta la tua decisione fino al ' || to_char(expires_at at time zone 'Europe/Rome', 'DD/MM/YYYY') || '.',
      '/chat/' || conversation_id, 'approvazione:' || id, 'tool_call', id
    )
    from public.tool_calls as call
    where state = 'proposed' and expires_at > now() and created_at < now() - interval '10 minutes' and not exists (
      select from private.notification_deliveries
      where user_id = call.user_id and dedupe_key = 'approvazione:' || call.id and channel = 'in_app'
    )
    limit 100
  )
  select count(*) from told
$function$;

CREATE OR REPLACE FUNCTION private.open_account (
  _user_id  uuid,
  _metadata jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  insert into public.credit_wallets (user_id) values (_user_id) on conflict do nothing;
  insert into public.credit_settings (user_id) values (_user_id) on conflict do nothing;
  insert into public.profiles (user_id, full_name) values (_user_id, private.full_name(_metadata)) on conflict do nothing;
  if found then
    perform private.notify(
      _user_id, 'benvenuto', 'Ti diamo il benvenuto in Socio', private.welcome_message(), null, 'benvenuto'
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.recheck_deliveries (
  _user_id uuid,
  _channel public.notification_channel,
  _now     timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update private.notification_deliveries as delivery
  set state = case when is_wanted then delivery.state else 'esclusa' end,
    settled_at = case when not is_wanted then now() end,
    not_before = greatest(delivery.not_before, case when is_wanted then private.after_quiet(_now, settings) end)
  from (
    select waiting.id, settings, kinds.kind is not null and private.wants(_user_id, settings, kinds, _channel) and (
      not is_in_app or exists (select from public.notifications where id = waiting.notification_id and not is_read)
    ) as is_wanted
    from private.notification_deliveries as waiting
    cross join private.notification_settings_of(_user_id) as settings
    left join public.notification_kinds as kinds on kinds.kind = waiting.kind
    where waiting.user_id = _user_id and waiting.channel = _channel and waiting.state = 'attesa'
      and waiting.not_before <= _now
  ) as checked
  where delivery.id = checked.id and (not is_wanted or private.after_quiet(_now, settings) > _now)
$function$;

CREATE OR REPLACE FUNCTION private.settle_notices()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.notifications set is_read = true, read_at = now()
  where user_id = new.user_id and entity_id = new.id and entity_type = tg_argv[0] and not is_read
    and kind <> 'fattura_pagata';
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.welcome_account (
  _user_id uuid,
  _email   text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _message text := 'I crediti di benvenuto spettano una volta a ogni casella email: questa li ha già avuti con un altro account.';
begin
  -- The lock: two confirmations at once welcome once.
  perform private.lock_wallet(_user_id);
  if exists (select from public.credit_ledger where user_id = _user_id and idempotency_key = 'welcome') then
    return;
  end if;
  -- Of two confirmations of one mailbox at once the second waits here, and finds it.
  insert into private.welcomed_mailboxes (mailbox) select private.mailbox(_email) where private.is_reachable(_email)
  on conflict do nothing;
  if found or not private.is_reachable(_email) then
    perform private.grant_credits(_user_id, private.welcome_credits(), 'benvenuto', 'promo', 'welcome');
    _message := private.welcome_message();
    if private.is_reachable(_email) and private.take_early_bird_seat(_user_id, _email) then
      _message := format(
        'Ti abbiamo riservato %s crediti per cominciare: %s di benvenuto e altri %s perché sei tra i primi 100. Usali quando vuoi.',
        private.welcome_credits() + private.early_bird_credits(), private.welcome_credits(), private.early_bird_credits()
      );
    end if;
  end if;
  update public.notifications set message = _message
  where user_id = _user_id and kind = 'benvenuto' and message <> _message;
end
$function$;

CREATE OR REPLACE FUNCTION public.finish_import (
  _batch uuid
)
  RETURNS public.import_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _finished public.import_batches;
begin
  perform private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  update public.import_batches set state = 'fatto', finished_at = coalesce(finished_at, now())
  where id = _batch returning * into _finished;
  -- Whoever waited for it sees its end; after a minute they may have looked elsewhere.
  if _finished.finished_at - _finished.created_at > interval '1 minute' then
    perform private.notify(
      _finished.user_id, 'importazione_conclusa', 'Importazione conclusa: ' || _finished.file_name,
      format('Contatti nuovi: %s, aggiornati: %s, saltati: %s, non riusciti: %s.', _finished.created, _finished.updated,
        _finished.skipped, _finished.failed + _finished.rejected),
      null, 'import:' || _batch
    );
  end if;
  return _finished;
end
$function$;

ALTER TABLE "private"."notification_deliveries"
  ADD CONSTRAINT "attempts_are_counted" CHECK ((attempts >= 0));

ALTER TABLE "private"."notification_deliveries"
  ADD CONSTRAINT "notification_deliveries_notification_id_fkey" FOREIGN KEY (notification_id) REFERENCES public.notifications(id) ON DELETE SET NULL;

ALTER TABLE "private"."notification_deliveries"
  ADD CONSTRAINT "notification_deliveries_user_id_dedupe_key_channel_key" UNIQUE (user_id, dedupe_key, channel);

ALTER TABLE "private"."notification_deliveries"
  ADD CONSTRAINT "notification_deliveries_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."notification_deliveries"
  ADD CONSTRAINT "what_is_settled_has_a_time" CHECK (((state = 'attesa'::private.delivery_state) = (settled_at IS NULL)));

ALTER TABLE "public"."notification_prefs"
  ADD CONSTRAINT "security_is_always_on" CHECK ((category <> 'sistema'::public.notification_category));

ALTER TABLE "public"."notification_settings"
  ADD CONSTRAINT "muted_kinds_fit" CHECK (((cardinality(muted) <= 50) AND (array_position(muted, NULL::text) IS NULL)));

ALTER TABLE "public"."notification_settings"
  ADD CONSTRAINT "quiet_hours_have_two_ends" CHECK ((((quiet_from IS NULL) = (quiet_to IS NULL)) AND (quiet_from <> quiet_to)));

ALTER TABLE "public"."notifications"
  ADD CONSTRAINT "batch_counts_from_one" CHECK ((batch_count >= 1));

ALTER TABLE "public"."notifications"
  ADD CONSTRAINT "entity_has_a_type" CHECK (((entity_id IS NULL) OR (entity_type IS NOT NULL)));

CREATE VIEW "public"."notification_kinds" WITH (security_invoker=on) AS  SELECT kind,
    (category)::public.notification_category AS category,
    label,
    (type)::public.notification_type AS type,
    (channels)::text[] AS channels,
    is_urgent,
    window_minutes,
    many,
    list,
    action
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

CREATE OR REPLACE FUNCTION private.ring (
  _user_id     uuid,
  _kind        public.notification_kinds,
  _title       text,
  _message     text,
  _action_url  text,
  _dedupe_key  text,
  _entity_type text,
  _entity_id   uuid,
  _is_read     boolean
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _id uuid;
begin
  if (_kind).window_minutes > 0 and not _is_read then
    update public.notifications
    set batch_count = batch_count + 1, title = (batch_count + 1) || ' ' || (_kind).many,
      message = left(case when batch_count = 1 then title else message end || ' · ' || _title, 600),
      action_url = (_kind).list, entity_type = null, entity_id = null
    where id = (
      select id from public.notifications
      where user_id = _user_id and batch_key = (_kind).kind and not is_read
        and created_at > now() - make_interval(mins => (_kind).window_minutes)
      order by created_at desc limit 1 for update
    )
    returning id into _id;
  end if;
  if _id is null then
    insert into public.notifications (
      user_id, title, message, type, action_url, kind, category, dedupe_key, batch_key, entity_type, entity_id, is_read, read_at
    ) values (
      _user_id, _title, _message, (_kind).type, _action_url, (_kind).kind, (_kind).category, _dedupe_key, (_kind).kind,
      _entity_type, _entity_id, _is_read, case when _is_read then now() end
    ) returning id into _id;
  end if;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.schedule_delivery (
  _first    uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.notification_deliveries (
    user_id, notification_id, kind, channel, dedupe_key, batch_key, title, message, action_url, is_in_app, not_before, state
  )
  select user_id, notification_id, kind, _channel, dedupe_key, batch_key, title, message, action_url, is_in_app,
    -- With the family that waits already.
    coalesce(
      (
        select min(not_before) from private.notification_deliveries as waiting
        where waiting.user_id = told.user_id and waiting.channel = _channel and waiting.batch_key = told.batch_key
          and state = 'attesa' and (_kind).window_minutes > 0
      ),
      private.delivery_time(now(), _settings, (_kind).is_urgent or _channel = 'push',
        make_interval(mins => (_kind).window_minutes))
    ),
    'attesa'
  from private.notification_deliveries as told where id = _first
$function$;

CREATE OR REPLACE FUNCTION private.wants (
  _user_id  uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when (_kind).category = 'sistema' then _channel::text = any ((_kind).channels)
    else (_kind).kind <> all ((_settings).muted) and coalesce(
      (
        select is_enabled from public.notification_prefs
        where user_id = _user_id and category = (_kind).category and channel = _channel
      ),
      _channel::text = any ((_kind).channels)
    )
  end
$function$;

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "anon";

CREATE INDEX notification_deliveries_age ON private.notification_deliveries USING btree (created_at);

CREATE INDEX notification_deliveries_due ON private.notification_deliveries USING btree (channel, not_before)
  WHERE (state = 'attesa'::private.delivery_state);

CREATE INDEX notification_deliveries_notice ON private.notification_deliveries USING btree (notification_id);

CREATE INDEX notification_deliveries_waiting ON private.notification_deliveries USING btree (user_id, channel, batch_key)
  WHERE (state = 'attesa'::private.delivery_state);

CREATE INDEX notifications_category ON public.notifications USING btree (user_id, category, created_at DESC);

CREATE INDEX notifications_entity ON public.notifications USING btree (user_id, entity_id)
  WHERE ((NOT is_read) AND (entity_id IS NOT NULL));

CREATE TRIGGER notify_credits
  AFTER INSERT ON public.credit_ledger
  FOR EACH ROW
  WHEN ((new.kind = 'settle'::public.credit_entry_kind))
  EXECUTE FUNCTION private.notify_credits();

CREATE TRIGGER settle_notices
  AFTER UPDATE OF deleted_at ON public.documents
  FOR EACH ROW
  WHEN (((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL)))
  EXECUTE FUNCTION private.settle_notices('document');

CREATE TRIGGER notify_inserted
  AFTER INSERT ON public.insights REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.notify_insights();

CREATE TRIGGER notify_payment
  AFTER UPDATE OF paid_on ON public.invoices
  FOR EACH ROW
  WHEN (((old.paid_on IS NULL) AND (new.paid_on IS NOT NULL)))
  EXECUTE FUNCTION private.notify_payment();

CREATE TRIGGER settle_notices
  AFTER UPDATE OF paid_on ON public.invoices
  FOR EACH ROW
  WHEN (((old.paid_on IS NULL) AND (new.paid_on IS NOT NULL)))
  EXECUTE FUNCTION private.settle_notices('invoice');

CREATE TRIGGER settle_notices
  AFTER UPDATE OF state, deleted_at ON public.tasks
  FOR EACH ROW
  WHEN ((((new.state = 'fatto'::public.task_state) AND (old.state <> 'fatto'::public.task_state)) OR ((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))))
  EXECUTE FUNCTION private.settle_notices('task');

CREATE TRIGGER settle_notices
  AFTER UPDATE OF state ON public.tool_calls
  FOR EACH ROW
  WHEN (((old.state = 'proposed'::public.tool_call_state) AND (new.state <> 'proposed'::public.tool_call_state)))
  EXECUTE FUNCTION private.settle_notices('tool_call');

COMMENT ON COLUMN "public"."notification_settings"."briefed_on" IS 'The last local day whose briefing was considered.';

COMMENT ON COLUMN "public"."notification_settings"."muted" IS 'Kinds that the owner does not want at all («Troppe di questo tipo?»).';

COMMENT ON COLUMN "public"."notification_settings"."quiet_from" IS 'Null: no quiet hours.';

COMMENT ON COLUMN "public"."notifications"."batch_count" IS 'How many notices this row stands for.';

COMMENT ON COLUMN "public"."notifications"."batch_key" IS 'Rows with the same key that come soon after each other become one.';

COMMENT ON COLUMN "public"."notifications"."entity_id" IS 'What it is about, where that is one thing: something can be done about it here.';

COMMENT ON COLUMN "public"."notifications"."kind" IS 'A kind of public.notification_kinds.';

COMMENT ON FUNCTION "private"."after_quiet"(timestamp with time zone, public.notification_settings) IS 'A moment, or the end of the quiet hours that it is in.';

COMMENT ON FUNCTION "private"."brief_person"(timestamp with time zone) IS 'Puts the briefing of one person whose hour has come on its way, once for each local day; false when nobody is left.';

COMMENT ON FUNCTION "private"."claim_notification_mail"(timestamp with time zone) IS 'Takes all that is due by mail for one person and marks it sent: the mail goes into the outbox in the same transaction. No row when nothing is due.';

COMMENT ON FUNCTION "private"."delivery_time"(timestamp with time zone, public.notification_settings, boolean, interval) IS 'When a notice of this moment may leave: with the digest, at the next hour or at eight, and never in quiet hours.';

COMMENT ON FUNCTION "private"."forget_deliveries"(integer) IS 'Deletes deliveries of 90 days ago; answers how many.';

COMMENT ON FUNCTION "private"."is_zone"(text) IS 'Whether a text is the IANA name of a time zone that this database knows.';

COMMENT ON FUNCTION "private"."notification_settings_of"(uuid) IS 'What a person chose, or the defaults.';

COMMENT ON FUNCTION "private"."notify"(uuid, text, text, text, text, text, text, uuid, boolean) IS 'Tells a person something, once for each dedupe key: in the bell, and by mail and push as they chose. The action is the kind''s list unless named. Answers the row of the bell; null when it was told before or is not wanted there.';

COMMENT ON FUNCTION "private"."notify_credits"() IS 'Tells when credits fall below the threshold and the month nears its cap.';

COMMENT ON FUNCTION "private"."notify_document"(uuid) IS 'Tells of a document that was read: to check, or, if it took long, ready.';

COMMENT ON FUNCTION "private"."notify_insights"() IS 'Tells of new insights that are notices; the same fact once.';

COMMENT ON FUNCTION "private"."notify_payment"() IS 'Tells that an invoice was paid; in the list only, when its owner said so.';

COMMENT ON FUNCTION "private"."notify_proposals"() IS 'Tells of proposals that nobody has decided for ten minutes: until then their person is there; answers how many.';

COMMENT ON FUNCTION "private"."recheck_deliveries"(uuid, public.notification_channel, timestamp with time zone) IS 'Drops what is due but was read, deleted or switched off meanwhile, and puts off what the quiet hours of now forbid.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."settle_notices"() IS 'What was done needs no notice any more.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON TABLE "private"."notification_deliveries" IS 'One row for each notice and channel; it remembers for 90 days what was told.';

COMMENT ON TABLE "public"."notification_prefs" IS 'Channels that a person switched on or off; without a row a kind decides.';

COMMENT ON TABLE "public"."notification_settings" IS 'When a person wants mail and push; whoever has no row has its defaults.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."after_quiet"(timestamp WITH time zone, public.notification_settings) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."brief_person"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."brief_person"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."claim_notification_mail"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_notification_mail"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."delivery_time"(timestamp WITH time zone, public.notification_settings, boolean, interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_deliveries"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_deliveries"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_zone"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_zone"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."notification_settings_of"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify"(uuid, text, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify"(uuid, text, text, text, text, text, text, uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."notify_credits"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify_document"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify_document"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."notify_insights"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify_payment"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify_proposals"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."notify_proposals"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."recheck_deliveries"(uuid, public.notification_channel, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_notices"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."notification_prefs" FROM "authenticated";

REVOKE ALL ("category") ON TABLE "public"."notification_prefs" FROM "authenticated";

GRANT INSERT ("category"), UPDATE ("category") ON TABLE "public"."notification_prefs" TO "authenticated";

REVOKE ALL ("channel") ON TABLE "public"."notification_prefs" FROM "authenticated";

GRANT INSERT ("channel"), UPDATE ("channel") ON TABLE "public"."notification_prefs" TO "authenticated";

REVOKE ALL ("is_enabled") ON TABLE "public"."notification_prefs" FROM "authenticated";

GRANT INSERT ("is_enabled"), UPDATE ("is_enabled") ON TABLE "public"."notification_prefs" TO "authenticated";

GRANT SELECT ON TABLE "public"."notification_prefs" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_prefs" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."notification_prefs" TO "service_role";

REVOKE ALL ON TABLE "public"."notification_settings" FROM "authenticated";

REVOKE ALL ("briefing_at") ON TABLE "public"."notification_settings" FROM "authenticated";

GRANT INSERT ("briefing_at"), UPDATE ("briefing_at") ON TABLE "public"."notification_settings" TO "authenticated";

REVOKE ALL ("digest") ON TABLE "public"."notification_settings" FROM "authenticated";

GRANT INSERT ("digest"), UPDATE ("digest") ON TABLE "public"."notification_settings" TO "authenticated";

REVOKE ALL ("muted") ON TABLE "public"."notification_settings" FROM "authenticated";

GRANT INSERT ("muted"), UPDATE ("muted") ON TABLE "public"."notification_settings" TO "authenticated";

REVOKE ALL ("quiet_from") ON TABLE "public"."notification_settings" FROM "authenticated";

GRANT INSERT ("quiet_from"), UPDATE ("quiet_from") ON TABLE "public"."notification_settings" TO "authenticated";

REVOKE ALL ("quiet_to") ON TABLE "public"."notification_settings" FROM "authenticated";

GRANT INSERT ("quiet_to"), UPDATE ("quiet_to") ON TABLE "public"."notification_settings" TO "authenticated";

REVOKE ALL ("zone") ON TABLE "public"."notification_settings" FROM "authenticated";

GRANT INSERT ("zone"), UPDATE ("zone") ON TABLE "public"."notification_settings" TO "authenticated";

GRANT SELECT ON TABLE "public"."notification_settings" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_settings" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."notification_settings" TO "service_role";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

ALTER TABLE "public"."notification_prefs"
  ADD CONSTRAINT "notification_prefs_pkey" PRIMARY KEY (user_id, category, channel);

ALTER TABLE "public"."notification_prefs"
  ADD CONSTRAINT "notification_prefs_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "owners change their channels" ON "public"."notification_prefs"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners choose their channels" ON "public"."notification_prefs"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their channels" ON "public"."notification_prefs"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."notification_prefs" FROM "authenticated";

GRANT INSERT ("user_id"), UPDATE ("user_id") ON TABLE "public"."notification_prefs" TO "authenticated";

ALTER TABLE "public"."notification_settings"
  ADD CONSTRAINT "notification_settings_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "owners change their settings of notifications" ON "public"."notification_settings"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners choose their settings of notifications" ON "public"."notification_settings"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their settings of notifications" ON "public"."notification_settings"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."notification_settings" FROM "authenticated";

GRANT INSERT ("user_id"), UPDATE ("user_id") ON TABLE "public"."notification_settings" TO "authenticated";

ALTER TABLE "public"."notification_settings"
  ADD CONSTRAINT "zone_is_one" CHECK (private.is_zone(zone));

reset check_function_bodies;

-- What was told before has a kind too.
update public.notifications set kind = 'benvenuto' where title = 'Ti diamo il benvenuto in Socio';
update public.notifications set kind = 'crediti_accreditati' where title = 'Crediti accreditati';
update public.notifications set kind = 'promemoria', category = 'attivita' where title like 'Promemoria: %';
update public.notifications set kind = 'documento_illeggibile', category = 'documenti' where title like 'Non letto: %';
