-- Web push.
--   CREATE TABLE public.push_subscriptions ( id uuid NOT NULL DEFAULT gen_random_uuid(), endpoint text NOT NULL, …
--   ALTER TABLE public.push_subscriptions ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.push_subscriptions FROM anon
--   CREATE OR REPLACE FUNCTION private.claim_notification_mail
--   CREATE OR REPLACE FUNCTION private.claim_notification_push
--   CREATE OR REPLACE FUNCTION private.is_still_wanted
--   CREATE OR REPLACE FUNCTION private.keep_push_subscription
--   CREATE OR REPLACE FUNCTION private.lock_due_person
--   CREATE OR REPLACE FUNCTION private.push_message
--   CREATE OR REPLACE FUNCTION private.recheck_deliveries
--   COMMENT ON COLUMN public.push_subscriptions.endpoint IS 'The address at the push service: whoever knows it an…
--   COMMENT ON FUNCTION private.claim_notification_push
--   COMMENT ON FUNCTION private.is_still_wanted
--   COMMENT ON FUNCTION private.keep_push_subscription
--   COMMENT ON FUNCTION private.lock_due_person
--   COMMENT ON FUNCTION private.push_message
--   COMMENT ON TABLE public.push_subscriptions IS 'Browsers that show notifications, as their push services know …
--   REVOKE ALL ON FUNCTION private.claim_notification_push
--   GRANT EXECUTE ON FUNCTION private.claim_notification_push
--   REVOKE ALL ON FUNCTION private.is_still_wanted
--   REVOKE ALL ON FUNCTION private.keep_push_subscription
--   GRANT EXECUTE ON FUNCTION private.keep_push_subscription
--   REVOKE ALL ON FUNCTION private.lock_due_person
--   REVOKE ALL ON FUNCTION private.push_message
--   GRANT EXECUTE ON FUNCTION private.push_message
--   REVOKE ALL ON TABLE public.push_subscriptions FROM authenticated
--   GRANT DELETE, SELECT ON TABLE public.push_subscriptions TO authenticated
--   REVOKE ALL ON TABLE public.push_subscriptions FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.push_subscriptions TO service_role
--   ALTER TABLE public.push_subscriptions ADD CONSTRAINT push_subscriptions_user_id_fkey FOREIGN KEY (user_id) RE…
--   CREATE INDEX push_subscriptions_owner ON public.push_subscriptions USING btree (user_id, created_at DESC)
--   CREATE POLICY owners read their devices ON public.push_subscriptions FOR SELECT TO authenticated USING ((user…
--   CREATE POLICY owners remove their devices ON public.push_subscriptions FOR DELETE TO authenticated USING ((us…

set check_function_bodies = off;

CREATE TABLE "public"."push_subscriptions" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "endpoint"    text                     NOT NULL,
  "p256dh"      text                     NOT NULL,
  "auth_secret" text                     NOT NULL,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "push_endpoint_is_an_address" CHECK (((endpoint ~ '^https?://'::text) AND (char_length(endpoint) <= 1000))),
  CONSTRAINT "push_endpoint_is_one_device" UNIQUE (endpoint),
  CONSTRAINT "push_keys_have_their_lengths" CHECK (((p256dh ~ '^[A-Za-z0-9_-]{87}$'::text) AND (auth_secret ~ '^[A-Za-z0-9_-]{22}$'::text))),
  CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY (id),
  "user_id"     uuid                     NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."push_subscriptions"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."push_subscriptions" FROM "anon";

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
  _person constant uuid := private.lock_due_person('mail', _now);
  _email text;
  _items jsonb;
begin
  if _person is null then
    return;
  end if;
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
  return query select _person, case when _items is not null then _email end, _items;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_notification_push (
  _now timestamp with time zone DEFAULT now()
)
  RETURNS TABLE (
    user_id    uuid,
    devices    uuid[],
    deliveries uuid[]
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  _person constant uuid := private.lock_due_person('push', _now);
  _devices constant uuid[] := array(select id from public.push_subscriptions where user_id = _person);
  _deliveries uuid[];
begin
  if _person is null then
    return;
  end if;
  with sent as (
    update private.notification_deliveries as due
    set state = case
        -- Nobody wants to be woken for yesterday's news.
        when _devices = '{}' or not_before < _now - interval '1 day' then 'esclusa' else 'inviata'
      end::private.delivery_state,
      settled_at = now(), attempts = attempts + 1
    where due.user_id = _person and channel = 'push' and state = 'attesa' and not_before <= _now
    returning id, state
  )
  select coalesce(array_agg(id) filter (where state = 'inviata'), '{}') into _deliveries from sent;
  return query select _person, case when _deliveries <> '{}' then _devices else '{}' end, _deliveries;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_still_wanted (
  _delivery private.notification_deliveries,
  _settings public.notification_settings
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.notification_kinds as kinds
    where kind = (_delivery).kind and private.wants((_delivery).user_id, _settings, kinds, (_delivery).channel)
  ) and (not (_delivery).is_in_app or exists (
    select from public.notifications where id = (_delivery).notification_id and not is_read
  ))
$function$;

CREATE OR REPLACE FUNCTION private.keep_push_subscription (
  _user_id     uuid,
  _endpoint    text,
  _p256dh      text,
  _auth_secret text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _id uuid;
begin
  -- Of two requests of one person the second waits, so that both count the devices.
  perform pg_advisory_xact_lock(hashtextextended('push devices ' || _user_id, 0));
  insert into public.push_subscriptions (user_id, endpoint, p256dh, auth_secret)
  values (_user_id, _endpoint, _p256dh, _auth_secret)
  -- A browser that somebody else used before belongs to whoever is signed in now.
  on conflict (endpoint) do update
  set user_id = excluded.user_id, p256dh = excluded.p256dh, auth_secret = excluded.auth_secret, created_at = now()
  returning id into _id;
  delete from public.push_subscriptions where id in (
    select id from public.push_subscriptions where user_id = _user_id order by created_at desc, id = _id desc offset 10
  );
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.lock_due_person (
  _channel public.notification_channel,
  _now     timestamp with time zone
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _person uuid;
begin
  for _person in
    -- The first of the index only: at eight in the morning everybody is due.
    select distinct first.user_id from (
      select waiting.user_id from private.notification_deliveries as waiting
      where channel = _channel and state = 'attesa' and not_before <= _now
      order by not_before limit 200
    ) as first
  loop
    -- Another worker writes to this person just now, or has written since.
    continue when not pg_try_advisory_xact_lock(hashtextextended(format('notification %s %s', _channel, _person), 0));
    continue when not exists (
      select from private.notification_deliveries as due
      where due.user_id = _person and channel = _channel and state = 'attesa' and not_before <= _now
    );
    perform private.recheck_deliveries(_person, _channel, _now);
    return _person;
  end loop;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.push_message (
  _device     uuid,
  _deliveries uuid[],
  _now        timestamp with time zone DEFAULT now()
)
  RETURNS TABLE (
    endpoint    text,
    p256dh      text,
    auth_secret text,
    news        bigint,
    url         text,
    quiet_until timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select device.endpoint, device.p256dh, device.auth_secret, count(*),
    case when count(*) = 1 then coalesce(min(action_url), '/notifications') else '/notifications' end,
    nullif(private.after_quiet(_now, settings), _now)
  from public.push_subscriptions as device
  cross join private.notification_settings_of(device.user_id) as settings
  -- A device that went to another person meanwhile gets nothing.
  join private.notification_deliveries as delivery on delivery.user_id = device.user_id
  where device.id = _device and delivery.id = any (_deliveries) and private.is_still_wanted(delivery, settings)
  group by device.id, settings
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
    select waiting.id, settings, private.is_still_wanted(waiting, settings) as is_wanted
    from private.notification_deliveries as waiting
    cross join private.notification_settings_of(_user_id) as settings
    where waiting.user_id = _user_id and waiting.channel = _channel and waiting.state = 'attesa'
      and waiting.not_before <= _now
  ) as checked
  where delivery.id = checked.id and (not is_wanted or private.after_quiet(_now, settings) > _now)
$function$;

COMMENT ON COLUMN "public"."push_subscriptions"."endpoint" IS 'The address at the push service: whoever knows it and the keys may notify.';

COMMENT ON FUNCTION "private"."claim_notification_push"(timestamp with time zone) IS 'Takes all that is due by push for one person and marks it sent: a job for each device is enqueued in the same transaction. Without devices where nothing of it is wanted any more; no row when nothing is due.';

COMMENT ON FUNCTION "private"."is_still_wanted"(private.notification_deliveries, public.notification_settings) IS 'Whether a delivery was neither read, deleted nor switched off since it was told.';

COMMENT ON FUNCTION "private"."keep_push_subscription"(uuid, text, text, text) IS 'Keeps a device of a person, the newest ten of them.';

COMMENT ON FUNCTION "private"."lock_due_person"(public.notification_channel, timestamp with time zone) IS 'Locks one person who has something due on a channel, and checks again what of it is wanted; null when nothing is due.';

COMMENT ON FUNCTION "private"."push_message"(uuid, uuid[], timestamp with time zone) IS 'What to send to a device now, or until when its owner wants quiet; no row when the device is gone or nothing is wanted.';

COMMENT ON TABLE "public"."push_subscriptions" IS 'Browsers that show notifications, as their push services know them.';

REVOKE ALL ON FUNCTION "private"."claim_notification_push"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_notification_push"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_still_wanted"(private.notification_deliveries, public.notification_settings) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_push_subscription"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_push_subscription"(uuid, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_due_person"(public.notification_channel, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."push_message"(uuid, uuid[], timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."push_message"(uuid, uuid[], timestamp WITH time zone) TO "service_role";

REVOKE ALL ON TABLE "public"."push_subscriptions" FROM "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."push_subscriptions" TO "authenticated";

REVOKE ALL ON TABLE "public"."push_subscriptions" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."push_subscriptions" TO "service_role";

ALTER TABLE "public"."push_subscriptions"
  ADD CONSTRAINT "push_subscriptions_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX push_subscriptions_owner ON public.push_subscriptions USING btree (user_id, created_at DESC);

CREATE POLICY "owners read their devices" ON "public"."push_subscriptions"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners remove their devices" ON "public"."push_subscriptions"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

reset check_function_bodies;
