-- Delivery of notifications: what a person chose, and what is sent when.
--
-- private.notify is the one door: the row of the bell and its deliveries are written in the transaction of their cause. A
-- dedupe key is remembered by the deliveries, so that what the owner deleted is not told again.
--
-- The row of the bell comes at once, for it makes no sound. Mail and push wait for the digest and for the end of the quiet
-- hours. Whether they are still wanted is asked again right before they are sent.

create type public.notification_channel as enum ('in_app', 'mail', 'push');

create type public.notification_digest as enum ('subito', 'oraria', 'giornaliera');

create type private.delivery_state as enum ('attesa', 'inviata', 'esclusa');

create function private.is_zone(_name text)
  returns boolean
  language plpgsql stable strict
  set search_path = ''
as $$
begin
  perform now() at time zone _name;
  return _name ~ '^(UTC|[A-Z][A-Za-z]+/[A-Za-z0-9_+/-]+)$';
exception
  when invalid_parameter_value then
    return false;
end
$$;
comment on function private.is_zone(text) is 'Whether a text is the IANA name of a time zone that this database knows.';
revoke all on function private.is_zone from public, anon, authenticated, service_role;
-- Writing settings checks their zone.
grant execute on function private.is_zone to authenticated, service_role;

create table public.notification_settings (
  user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
  digest public.notification_digest not null default 'giornaliera',
  quiet_from time default '21:00',
  quiet_to time default '08:00',
  zone text not null default 'Europe/Rome',
  briefing_at time not null default '08:00',
  muted text[] not null default '{}',
  briefed_on date,

  -- Both or none. The same moment twice would be all day long.
  constraint quiet_hours_have_two_ends check ((quiet_from is null) = (quiet_to is null) and quiet_from <> quiet_to),
  constraint zone_is_one check (private.is_zone(zone)),
  constraint muted_kinds_fit check (cardinality(muted) <= 50 and array_position(muted, null) is null)
);
comment on table public.notification_settings is 'When a person wants mail and push; whoever has no row has its defaults.';
comment on column public.notification_settings.quiet_from is 'Null: no quiet hours.';
comment on column public.notification_settings.briefed_on is 'The last local day whose briefing was considered.';
comment on column public.notification_settings.muted is 'Kinds that the owner does not want at all («Troppe di questo tipo?»).';

create table public.notification_prefs (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  category public.notification_category not null,
  channel public.notification_channel not null,
  is_enabled boolean not null,

  primary key (user_id, category, channel),
  constraint security_is_always_on check (category <> 'sistema')
);
comment on table public.notification_prefs is 'Channels that a person switched on or off; without a row a kind decides.';

create table private.notification_deliveries (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  notification_id uuid references public.notifications (id) on delete set null,
  kind text not null,
  channel public.notification_channel not null,
  dedupe_key text not null,
  batch_key text not null,
  title text not null,
  message text not null,
  action_url text,
  -- Whether the bell shows it too: what was read or deleted there is not sent any more.
  is_in_app boolean not null,
  not_before timestamptz not null,
  state private.delivery_state not null,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,

  unique (user_id, dedupe_key, channel),
  constraint attempts_are_counted check (attempts >= 0),
  constraint what_is_settled_has_a_time check ((state = 'attesa') = (settled_at is null))
);
comment on table private.notification_deliveries is
  'One row for each notice and channel; it remembers for 90 days what was told.';

create table private.deleted_notifications (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  content jsonb not null,
  deleted_at timestamptz not null default now()
);
comment on table private.deleted_notifications is 'Notifications that their owner deleted, for a day.';

create index deleted_notifications_owner on private.deleted_notifications (user_id);

-- Used by the retention job.
create index deleted_notifications_age on private.deleted_notifications (deleted_at);

create index notification_deliveries_due on private.notification_deliveries (channel, not_before) where state = 'attesa';

create index notification_deliveries_waiting on private.notification_deliveries (user_id, channel, batch_key)
  where state = 'attesa';

create index notification_deliveries_notice on private.notification_deliveries (notification_id);

-- Used by the retention job.
create index notification_deliveries_age on private.notification_deliveries (created_at);

create function private.notification_settings_of(_user_id uuid)
  returns public.notification_settings
  language plpgsql stable
  set search_path = ''
as $$
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
$$;
comment on function private.notification_settings_of(uuid) is 'What a person chose, or the defaults.';
revoke all on function private.notification_settings_of from public, anon, authenticated, service_role;

create function private.after_quiet(_at timestamptz, _settings public.notification_settings)
  returns timestamptz
  language sql immutable
  set search_path = ''
as $$
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
$$;
comment on function private.after_quiet(timestamptz, public.notification_settings) is
  'A moment, or the end of the quiet hours that it is in.';
revoke all on function private.after_quiet from public, anon, authenticated, service_role;

create function private.delivery_time(
  _at timestamptz, _settings public.notification_settings, _is_urgent boolean, _window interval
)
  returns timestamptz
  language sql immutable
  set search_path = ''
as $$
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
$$;
comment on function private.delivery_time(timestamptz, public.notification_settings, boolean, interval) is
  'When a notice of this moment may leave: with the digest, at the next hour or at eight, and never in quiet hours.';
revoke all on function private.delivery_time from public, anon, authenticated, service_role;

create function private.wants(
  _user_id uuid, _settings public.notification_settings, _kind public.notification_kinds, _channel public.notification_channel
)
  returns boolean
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.wants(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) is
  'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';
revoke all on function private.wants from public, anon, authenticated, service_role;

create function private.ring(
  _user_id uuid, _kind public.notification_kinds, _title text, _message text, _action_url text, _dedupe_key text,
  _entity_type text, _entity_id uuid, _is_read boolean
)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.ring is 'Writes the row of the bell, or adds to the unread one of its kind within the window.';
revoke all on function private.ring from public, anon, authenticated, service_role;

-- Security definer because it is called wherever something happens, also by triggers on what the owner writes.
create function private.notify(
  _user_id uuid,
  _kind text,
  _title text,
  _message text,
  _action_url text default null,
  _dedupe_key text default null,
  _entity_type text default null,
  _entity_id uuid default null,
  _is_read boolean default false
)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
  if
    private.is_probe(_user_id) or not exists (select from auth.users where id = _user_id)
    or (_kind <> 'sicurezza' and private.is_frozen(_user_id))
  then
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
$$;
comment on function private.notify is
  'Tells a person something, once for each dedupe key: in the bell, and by mail and push as they chose. The action is the '
  'kind''s list unless named. Answers the row of the bell; null when it was told before or is not wanted there.';
revoke all on function private.notify from public, anon, authenticated, service_role;
grant execute on function private.notify to service_role;

create function private.schedule_delivery(
  _first uuid, _settings public.notification_settings, _kind public.notification_kinds, _channel public.notification_channel
)
  returns void
  language sql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.schedule_delivery is 'Puts a notice of the bell on another channel too.';
revoke all on function private.schedule_delivery from public, anon, authenticated, service_role;

create function private.is_still_wanted(
  _delivery private.notification_deliveries, _settings public.notification_settings
)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.notification_kinds as kinds
    where kind = (_delivery).kind and private.wants((_delivery).user_id, _settings, kinds, (_delivery).channel)
  ) and (not (_delivery).is_in_app or exists (
    select from public.notifications where id = (_delivery).notification_id and not is_read
  ))
$$;
comment on function private.is_still_wanted is 'Whether a delivery was neither read, deleted nor switched off since its notice.';
revoke all on function private.is_still_wanted from public, anon, authenticated, service_role;

create function private.recheck_deliveries(_user_id uuid, _channel public.notification_channel, _now timestamptz)
  returns void
  language sql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.recheck_deliveries is
  'Drops what is due but was read, deleted or switched off meanwhile, and puts off what the quiet hours of now forbid.';
revoke all on function private.recheck_deliveries from public, anon, authenticated, service_role;

create function private.lock_due_person(_channel public.notification_channel, _now timestamptz)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.lock_due_person is
  'Locks one person who has something due on a channel, and checks again what of it is wanted; null when nothing is due.';
revoke all on function private.lock_due_person from public, anon, authenticated, service_role;

create function private.claim_notification_mail(_now timestamptz default now())
  returns table (user_id uuid, email text, items jsonb)
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.claim_notification_mail(timestamptz) is
  'Takes all that is due by mail for one person and marks it sent: the mail goes into the outbox in the same transaction. '
  'Without an address where nothing of it is wanted any more; no row when nothing is due.';
revoke all on function private.claim_notification_mail from public, anon, authenticated, service_role;
grant execute on function private.claim_notification_mail to service_role;

-- Security definer because browsers do not read the private schema.
create function public.notification_choices()
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_build_object(
    'settings', to_jsonb(settings) - array['user_id', 'briefed_on'],
    'channels', (
      select jsonb_object_agg(category, switches) from (
        select kinds.category, jsonb_object_agg(
          each.channel, coalesce(prefs.is_enabled, each.channel::text = any (kinds.channels))
        ) as switches
        -- The kinds of a category have the same channels.
        from (select distinct category, channels from public.notification_kinds) as kinds
        cross join unnest(enum_range(null::public.notification_channel)) as each (channel)
        left join public.notification_prefs as prefs
          on prefs.user_id = auth.uid() and prefs.category = kinds.category and prefs.channel = each.channel
        where kinds.category <> 'amministrazione'
          or exists (select from public.user_roles where user_id = auth.uid() and role = 'admin')
        group by kinds.category
      ) as rows
    )
  )
  from private.notification_settings_of(auth.uid()) as settings
$$;
comment on function public.notification_choices() is
  'What the caller chose, or the defaults: {settings: {digest, quiet_from, …}, channels: {category: {channel: is it on}}}; '
  'the alarms of the installation for admins only.';
revoke all on function public.notification_choices from public, anon, authenticated, service_role;
grant execute on function public.notification_choices to authenticated;

create function private.keep_deleted_notification()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- An account that goes takes everything along.
  if auth.uid() = old.user_id and exists (select from auth.users where id = old.user_id) then
    insert into private.deleted_notifications (user_id, id, content) values (old.user_id, old.id, to_jsonb(old));
  end if;
  return null;
end
$$;
comment on function private.keep_deleted_notification() is 'Keeps what its owner deletes, for «Annulla».';
revoke all on function private.keep_deleted_notification from public, anon, authenticated, service_role;

-- Security definer because owners do not write notifications.
create function public.restore_notifications(_ids uuid[])
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.deleted_notifications where user_id = auth.uid() and id = any (_ids) returning content
  )
  insert into public.notifications
  select restored.* from gone cross join jsonb_populate_record(null::public.notifications, content) as restored
  on conflict do nothing
$$;
comment on function public.restore_notifications(uuid[]) is 'Gives the caller notifications back that they deleted within a day.';
revoke all on function public.restore_notifications from public, anon, authenticated, service_role;
grant execute on function public.restore_notifications to authenticated;

create function private.forget_deleted_notifications(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.deleted_notifications where id in (
      select id from private.deleted_notifications where deleted_at < now() - interval '1 day' limit _limit
    )
    returning 1
  )
  select count(*) from gone
$$;
comment on function private.forget_deleted_notifications(integer) is 'Ends «Annulla» of what was deleted a day ago; answers how many.';
revoke all on function private.forget_deleted_notifications from public, anon, authenticated, service_role;
grant execute on function private.forget_deleted_notifications to service_role;

create function private.forget_deliveries(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.notification_deliveries where id in (
      select id from private.notification_deliveries
      where state <> 'attesa' and created_at < now() - interval '90 days' limit _limit
    )
    returning 1
  )
  select count(*) from gone
$$;
comment on function private.forget_deliveries(integer) is 'Deletes deliveries of 90 days ago; answers how many.';
revoke all on function private.forget_deliveries from public, anon, authenticated, service_role;
grant execute on function private.forget_deliveries to service_role;

alter table public.notification_settings enable row level security;
alter table public.notification_prefs enable row level security;
alter table private.notification_deliveries enable row level security;
alter table private.deleted_notifications enable row level security;

create policy "owners read their settings of notifications" on public.notification_settings
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners choose their settings of notifications" on public.notification_settings
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their settings of notifications" on public.notification_settings
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners read their channels" on public.notification_prefs
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners choose their channels" on public.notification_prefs
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their channels" on public.notification_prefs
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

revoke all on public.notification_settings from public, anon, authenticated, service_role;
grant select on public.notification_settings to authenticated;
grant insert (user_id, digest, quiet_from, quiet_to, zone, briefing_at, muted) on public.notification_settings to authenticated;
-- An upsert names its key too.
grant update (user_id, digest, quiet_from, quiet_to, zone, briefing_at, muted) on public.notification_settings to authenticated;
grant select, insert, update, delete on public.notification_settings to service_role;

revoke all on public.notification_prefs from public, anon, authenticated, service_role;
grant select on public.notification_prefs to authenticated;
grant insert (user_id, category, channel, is_enabled) on public.notification_prefs to authenticated;
grant update (user_id, category, channel, is_enabled) on public.notification_prefs to authenticated;
grant select, insert, update, delete on public.notification_prefs to service_role;

revoke all on private.notification_deliveries from public, anon, authenticated, service_role;
revoke all on private.deleted_notifications from public, anon, authenticated, service_role;

create trigger keep_deleted after delete on public.notifications
  for each row execute function private.keep_deleted_notification();
