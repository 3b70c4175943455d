-- Push: the devices that a person wants notified, and what is sent to them.
--
-- A delivery by push (47_notification_delivery.sql) becomes one message for each device of its person. The message has no
-- content: it says that something is new, and where. functions/push_devices.py adds devices, jobs/notification_pushes.py
-- claims, jobs/push_message.py sends.

create table public.push_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  endpoint text not null,
  p256dh text not null,
  auth_secret text not null,
  created_at timestamptz not null default now(),

  constraint push_endpoint_is_one_device unique (endpoint),
  constraint push_endpoint_is_an_address check (endpoint ~ '^https?://' and char_length(endpoint) <= 1000),
  -- An uncompressed point of P-256 and 16 bytes, in base64url (RFC 8291).
  constraint push_keys_have_their_lengths check (p256dh ~ '^[A-Za-z0-9_-]{87}$' and auth_secret ~ '^[A-Za-z0-9_-]{22}$')
);
comment on table public.push_subscriptions is 'Browsers that show notifications, as their push services know them.';
comment on column public.push_subscriptions.endpoint is 'The address at the push service: whoever knows it and the keys may notify.';

create index push_subscriptions_owner on public.push_subscriptions (user_id, created_at desc);

create function private.keep_push_subscription(_user_id uuid, _endpoint text, _p256dh text, _auth_secret text)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.keep_push_subscription is 'Keeps a device of a person, the newest ten of them.';
revoke all on function private.keep_push_subscription from public, anon, authenticated, service_role;
grant execute on function private.keep_push_subscription to service_role;

create function private.claim_notification_push(_now timestamptz default now())
  returns table (user_id uuid, devices uuid[], deliveries uuid[])
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.claim_notification_push(timestamptz) is
  'Takes all that is due by push for one person and marks it sent: a job for each device is enqueued in the same '
  'transaction. Without devices where nothing of it is wanted any more; no row when nothing is due.';
revoke all on function private.claim_notification_push from public, anon, authenticated, service_role;
grant execute on function private.claim_notification_push to service_role;

create function private.push_message(_device uuid, _deliveries uuid[], _now timestamptz default now())
  returns table (endpoint text, p256dh text, auth_secret text, news bigint, url text, quiet_until timestamptz)
  language sql stable security definer
  set search_path = ''
as $$
  select device.endpoint, device.p256dh, device.auth_secret, count(*),
    case when count(*) = 1 then coalesce(min(action_url), '/notifications') else '/notifications' end,
    nullif(private.after_quiet(_now, settings), _now)
  from public.push_subscriptions as device
  cross join private.notification_settings_of(device.user_id) as settings
  -- A device that went to another person meanwhile gets nothing.
  join private.notification_deliveries as delivery on delivery.user_id = device.user_id
  where device.id = _device and delivery.id = any (_deliveries) and private.is_still_wanted(delivery, settings)
  group by device.id, settings
$$;
comment on function private.push_message is
  'What to send to a device now, or until when its owner wants quiet; no row when the device is gone or nothing is wanted.';
revoke all on function private.push_message from public, anon, authenticated, service_role;
grant execute on function private.push_message to service_role;

alter table public.push_subscriptions enable row level security;

create policy "owners read their devices" on public.push_subscriptions
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners remove their devices" on public.push_subscriptions
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.push_subscriptions from public, anon, authenticated, service_role;
grant select, delete on public.push_subscriptions to authenticated;
grant select, insert, update, delete on public.push_subscriptions to service_role;
