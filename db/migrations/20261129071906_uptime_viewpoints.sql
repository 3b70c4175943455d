-- Uptime viewpoints.
--   ALTER TABLE private.uptime_days DROP CONSTRAINT uptime_days_part_fkey
--   ALTER TABLE private.uptime_days DROP CONSTRAINT uptime_days_pkey
--   ALTER TABLE private.uptime_parts DROP CONSTRAINT uptime_parts_pkey
--   DROP FUNCTION private.failed_by_day
--   DROP FUNCTION private.note_uptime
--   DROP FUNCTION private.uptime_share
--   CREATE TABLE private.journeys ( viewpoint text NOT NULL, made_at timestamp with time zone NOT NULL, steps jso…
--   ALTER TABLE private.journeys ENABLE ROW LEVEL SECURITY
--   ALTER TABLE private.uptime_days ADD COLUMN viewpoint text NOT NULL DEFAULT 'worker'::text
--   ALTER TABLE private.uptime_parts ADD COLUMN viewpoint text NOT NULL DEFAULT 'worker'::text
--   ALTER TABLE private.uptime_parts ADD COLUMN minutes integer NOT NULL DEFAULT 1
--   ALTER TABLE private.uptime_parts ADD COLUMN first_checked_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.account_for_action
--   CREATE OR REPLACE FUNCTION private.is_probe
--   CREATE OR REPLACE FUNCTION private.measure_analytics
--   CREATE OR REPLACE FUNCTION private.measure_people
--   CREATE OR REPLACE FUNCTION private.note_uptime
--   CREATE OR REPLACE FUNCTION private.notify
--   CREATE OR REPLACE FUNCTION private.prepare_probe
--   CREATE OR REPLACE FUNCTION private.probe_id
--   CREATE OR REPLACE FUNCTION private.uptime_bars
--   CREATE OR REPLACE FUNCTION private.uptime_of
--   CREATE OR REPLACE FUNCTION private.uptime_share
--   CREATE OR REPLACE FUNCTION private.welcome_user
--   CREATE OR REPLACE FUNCTION public.admin_accounts
--   CREATE OR REPLACE FUNCTION public.admin_uptime
--   REVOKE ALL ON FUNCTION public.admin_uptime
--   CREATE OR REPLACE FUNCTION public.service_status
--   ALTER TABLE private.uptime_days ADD CONSTRAINT uptime_days_pkey PRIMARY KEY (viewpoint, part, day)
--   ALTER TABLE private.uptime_parts ADD CONSTRAINT numbers_fit CHECK (((took_ms >= 0) AND ((minutes >= 1) AND (m…
--   ALTER TABLE private.uptime_parts ADD CONSTRAINT uptime_parts_pkey PRIMARY KEY (viewpoint, part)
--   ALTER TABLE private.uptime_days ADD CONSTRAINT uptime_days_viewpoint_part_fkey FOREIGN KEY (viewpoint, part) …
--   ALTER TABLE private.uptime_parts ADD CONSTRAINT viewpoint_is_known CHECK ((viewpoint = ANY (ARRAY['worker'::t…
--   COMMENT ON FUNCTION private.is_probe
--   COMMENT ON FUNCTION private.note_uptime
--   COMMENT ON FUNCTION private.prepare_probe
--   COMMENT ON FUNCTION private.probe_id
--   COMMENT ON FUNCTION private.uptime_bars
--   COMMENT ON FUNCTION private.uptime_of
--   COMMENT ON FUNCTION private.uptime_share
--   COMMENT ON FUNCTION public.admin_uptime
--   COMMENT ON TABLE private.journeys IS 'Journeys of the last day: an account of the server logs in, reads, writ…
--   COMMENT ON TABLE private.uptime_days IS 'For how many minutes of a day a part answered, by its checks; a minu…
--   COMMENT ON TABLE private.uptime_parts IS 'The last answer of each part as a viewpoint sees it, and since when…
--   REVOKE ALL ON FUNCTION private.is_probe
--   REVOKE ALL ON FUNCTION private.note_uptime
--   GRANT EXECUTE ON FUNCTION private.note_uptime
--   REVOKE ALL ON FUNCTION private.prepare_probe
--   GRANT EXECUTE ON FUNCTION private.prepare_probe
--   REVOKE ALL ON FUNCTION private.probe_id
--   REVOKE ALL ON FUNCTION private.uptime_bars
--   REVOKE ALL ON FUNCTION private.uptime_of
--   REVOKE ALL ON FUNCTION private.uptime_share
--   GRANT EXECUTE ON FUNCTION public.admin_uptime

set check_function_bodies = off;

ALTER TABLE "private"."uptime_days"
  DROP CONSTRAINT "uptime_days_part_fkey";

ALTER TABLE "private"."uptime_days"
  DROP CONSTRAINT "uptime_days_pkey";

ALTER TABLE "private"."uptime_parts"
  DROP CONSTRAINT "uptime_parts_pkey";

DROP FUNCTION "private"."failed_by_day"(text, integer);

DROP FUNCTION "private"."note_uptime"(jsonb);

DROP FUNCTION "private"."uptime_share"(text, integer);

CREATE TABLE "private"."journeys" (
  "viewpoint" text                     NOT NULL,
  "made_at"   timestamp with time zone NOT NULL,
  "steps"     jsonb                    NOT NULL,
  CONSTRAINT "journeys_pkey" PRIMARY KEY (viewpoint, made_at),
  CONSTRAINT "steps_fit" CHECK (((jsonb_typeof(steps) = 'array'::text) AND ((jsonb_array_length(steps) >= 1) AND (jsonb_array_length(steps) <= 4)))),
  CONSTRAINT "texts_fit" CHECK ((octet_length((steps)::text) <= 4000)),
  CONSTRAINT "viewpoint_is_known" CHECK ((viewpoint = ANY (ARRAY['worker'::text, 'watch'::text])))
);

ALTER TABLE "private"."journeys"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."uptime_days"
  ADD COLUMN "viewpoint" text NOT NULL DEFAULT 'worker'::text;

ALTER TABLE "private"."uptime_parts"
  ADD COLUMN "viewpoint" text NOT NULL DEFAULT 'worker'::text;

ALTER TABLE "private"."uptime_parts"
  ADD COLUMN "minutes" integer NOT NULL DEFAULT 1;

ALTER TABLE "private"."uptime_parts"
  ADD COLUMN "first_checked_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.account_for_action (
  _user_id uuid
)
  RETURNS auth.users
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account auth.users;
begin
  perform private.require_admin();
  select * into _account from auth.users where id = _user_id and deleted_at is null and not private.is_probe(id) for update;
  if not found then
    raise exception 'no such account' using errcode = 'PT404';
  elsif _user_id = (select auth.uid()) then
    raise exception 'not to the own account' using errcode = 'SU001';
  elsif private.is_being_erased(_user_id) then
    raise exception 'the account is being erased' using errcode = 'SU002';
  end if;
  return _account;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_probe (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$ select _user_id in (private.probe_id('worker'), private.probe_id('watch')) $function$;

CREATE OR REPLACE FUNCTION private.measure_analytics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with recent as (
    select event_name, session_id, user_id from public.analytics_events where created_at > now() - interval '30 days'
  ), events as (
    select event_name as name, count(*) as count, count(distinct session_id) as sessions from recent
    group by event_name having count(distinct session_id) >= 5
  ), joined as (
    select id, email_confirmed_at is not null or phone_confirmed_at is not null as is_confirmed,
      coalesce(onboarding_completed, false) as is_onboarded,
      exists (select from public.messages where messages.user_id = users.id)
        or exists (select from public.documents where documents.user_id = users.id)
        or exists (select from public.contacts where contacts.user_id = users.id) as has_begun,
      exists (select from public.credit_orders as orders where orders.user_id = users.id and paid_at is not null) as has_bought
    from auth.users left join public.profiles on user_id = users.id
    where users.created_at > now() - interval '30 days' and not private.is_probe(users.id)
  ), signed_in as (
    select count(*) as people, count(*) filter (where exists (select from recent where user_id = users.id)) as agreed
    from auth.users where last_sign_in_at > now() - interval '30 days' and not private.is_probe(id)
  ), cohorts as (
    select id, date_trunc('week', created_at at time zone 'Europe/Rome') as week from auth.users
    where created_at > now() - interval '9 weeks' and not private.is_probe(id)
  ), weeks as (
    select to_char(week, 'YYYY-MM-DD') as week, count(distinct id) as people,
      private.share_of_group(count(distinct id) filter (where age = 1), count(distinct id)) as week_1,
      private.share_of_group(count(distinct id) filter (where age = 2), count(distinct id)) as week_2,
      private.share_of_group(count(distinct id) filter (where age = 4), count(distinct id)) as week_4,
      private.share_of_group(count(distinct id) filter (where age = 8), count(distinct id)) as week_8
    from cohorts left join lateral (
      select distinct extract(epoch from date_trunc('week', created_at at time zone 'Europe/Rome') - week)::integer / 604800 as age
      from public.analytics_events where user_id = cohorts.id
    ) as uses on true
    group by week having count(distinct id) >= 5
  )
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'visits', (select count(distinct session_id) from recent),
      'registered', (select count(*) from joined),
      'confirmed', (select count(*) from joined where is_confirmed),
      'began', (select count(*) from joined where is_onboarded),
      'first_value', (select count(*) from joined where has_begun),
      'bought', (select count(*) from joined where has_bought),
      'consent_rate', (select coalesce(round(100.0 * agreed / nullif(people, 0), 1), 0) from signed_in)
    ),
    'tables', jsonb_build_object(
      'events', (select coalesce(jsonb_agg(to_jsonb(events) order by count desc), '[]') from events),
      'weeks', (select coalesce(jsonb_agg(to_jsonb(weeks) order by week desc), '[]') from weeks)
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.measure_people()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('figures', jsonb_build_object(
    'people', count(*),
    'new', count(*) filter (where users.created_at > now() - interval '7 days'),
    'active', count(*) filter (where last_sign_in_at > now() - interval '7 days'),
    'onboarded', count(*) filter (where onboarding_completed)
  ))
  from auth.users left join public.profiles on user_id = users.id where not private.is_probe(users.id)
$function$;

CREATE OR REPLACE FUNCTION private.note_uptime (
  _viewpoint text,
  _then      timestamp with time zone,
  _checks    jsonb,
  _journey   jsonb                    DEFAULT NULL::jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- The worker's clock is the database's.
  _at constant timestamptz := coalesce(_then, now());
  _last constant timestamptz := (
    select checked_at from private.uptime_parts where viewpoint = _viewpoint and part = 'worker'
  );
begin
  -- A second machine keeps a week of results while the installation is away; a clock may be a little ahead.
  if _at > now() + interval '2 minutes' or _at < now() - interval '8 days' then
    return false;
  end if;
  with given as (
    select part, is_up, took_ms, coalesce(minutes, 1) as minutes
    from jsonb_to_recordset(_checks) as checks (part text, is_up boolean, took_ms integer, minutes integer)
  ), noted as (
    -- Results come in the order of their times, so one that is not newer is known already.
    insert into private.uptime_parts as known (
      viewpoint, part, is_up, took_ms, minutes, first_checked_at, changed_at, checked_at
    )
    select _viewpoint, part, is_up, took_ms, minutes, _at, _at, _at from given
    on conflict (viewpoint, part) do update set is_up = excluded.is_up, took_ms = excluded.took_ms,
      minutes = excluded.minutes, checked_at = _at,
      changed_at = case when known.is_up = excluded.is_up then known.changed_at else _at end
    where known.checked_at < _at
    returning part, is_up, minutes
  )
  insert into private.uptime_days as known (viewpoint, part, day, answered, failed)
  select _viewpoint, part, (_at at time zone 'Europe/Rome')::date, minutes * is_up::integer, minutes * (not is_up)::integer
  from noted
  on conflict (viewpoint, part, day) do update set
    answered = known.answered + excluded.answered, failed = known.failed + excluded.failed;

  if _journey is not null then
    insert into private.journeys (viewpoint, made_at, steps) values (_viewpoint, _at, _journey) on conflict do nothing;
    delete from private.journeys where viewpoint = _viewpoint and made_at < now() - interval '1 day';
  end if;

  -- Minutes in which no worker asked: it failed, the other parts are not known. A late run is no failure.
  insert into private.uptime_days as known (viewpoint, part, day, failed)
  select _viewpoint, 'worker', (minute at time zone 'Europe/Rome')::date, count(*)
  from generate_series(
    greatest(_last, _at - interval '90 days') + interval '1 minute', _at - interval '1 minute', '1 minute'
  ) as minute
  where _last < _at - interval '5 minutes'
    and exists (select from jsonb_array_elements(_checks) as given where given ->> 'part' = 'worker')
  group by 3
  on conflict (viewpoint, part, day) do update set failed = known.failed + excluded.failed;

  delete from private.uptime_days where day < current_date - 90;
  return true;
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
$function$;

CREATE OR REPLACE FUNCTION private.prepare_probe (
  _viewpoint text,
  _password  text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _id constant uuid := private.probe_id(_viewpoint);
begin
  -- A journey takes less than a minute; two at once would disturb each other.
  if exists (select from auth.users where id = _id and updated_at > now() - interval '1 minute') then
    return null;
  end if;
  -- A journey that was killed on its way leaves these.
  delete from public.tags where user_id = _id;
  delete from auth.sessions where user_id = _id;
  delete from auth.audit_log_entries
  where payload ->> 'actor_id' = _id::text and created_at > now() - interval '1 day';
  -- Nobody can guess the address, so nobody can ask for a mail to it. The password is random and for one journey: a dear
  -- hash would protect nothing.
  insert into auth.users as known (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
    confirmation_token, recovery_token, email_change, email_change_token_new, created_at, updated_at
  ) values (
    '00000000-0000-0000-0000-000000000000', _id, 'authenticated', 'authenticated',
    gen_random_uuid() || '@percorso.invalid', extensions.crypt(_password, extensions.gen_salt('bf', 4)), now(),
    '{"provider": "email", "providers": ["email"]}', '{}', '', '', '', '', now(), now()
  )
  on conflict (id) do update set encrypted_password = excluded.encrypted_password, updated_at = now();
  return (select email from auth.users where id = _id);
end
$function$;

CREATE OR REPLACE FUNCTION private.probe_id (
  _viewpoint text
)
  RETURNS uuid
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case _viewpoint
    when 'worker' then '50c10000-0000-4000-8000-000000000001'::uuid
    when 'watch' then '50c10000-0000-4000-8000-000000000002'::uuid
  end
$function$;

CREATE OR REPLACE FUNCTION private.uptime_bars (
  _viewpoint text,
  _days      integer
)
  RETURNS TABLE (
    part    text,
    failed  jsonb,
    missing jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with bars as (
    select parts.part, day, days.failed,
      extract(epoch from
        least(now(), (day + 1)::timestamp at time zone 'Europe/Rome')
        - greatest(first_checked_at, day::timestamp at time zone 'Europe/Rome')
      ) / 60 - coalesce(days.answered + days.failed, 0) as missing
    from private.uptime_parts as parts
    cross join lateral (
      select (now() at time zone 'Europe/Rome')::date - ago as day from generate_series(0, _days - 1) as ago
    ) as dates
    left join private.uptime_days as days using (viewpoint, part, day)
    where viewpoint = _viewpoint
  )
  select part, jsonb_agg(failed order by day), jsonb_agg(greatest(0, floor(missing)) order by day) from bars group by part
$function$;

CREATE OR REPLACE FUNCTION private.uptime_of (
  _viewpoint text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'part', part,
    -- Nobody asked for five minutes, or missed more than one journey.
    'state', case
      when checked_at < now() - make_interval(mins => 4 + minutes) then 'unknown' when is_up then 'up' else 'down'
    end,
    'took_ms', took_ms, 'changed_at', changed_at, 'share_30', private.uptime_share(_viewpoint, part, 30),
    'share_90', private.uptime_share(_viewpoint, part, 90), 'failed', failed, 'missing', missing
  ) order by part), '[]')
  from private.uptime_parts join private.uptime_bars(_viewpoint, 90) using (part) where viewpoint = _viewpoint
$function$;

CREATE OR REPLACE FUNCTION private.uptime_share (
  _viewpoint text,
  _part      text,
  _days      integer
)
  RETURNS numeric
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Never rounded up to a hundred.
  select trunc(100.0 * sum(answered) / nullif(sum(answered + failed), 0), 2) from private.uptime_days
  where viewpoint = _viewpoint and part = _part and day > (now() at time zone 'Europe/Rome')::date - _days
$function$;

CREATE OR REPLACE FUNCTION private.welcome_user()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.is_probe(new.id) then
    return null;
  end if;
  perform private.open_account(new.id, new.raw_user_meta_data);
  if new.email_confirmed_at is not null or new.phone_confirmed_at is not null then
    perform private.welcome_account(new.id, case when new.email_confirmed_at is not null then new.email end);
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.admin_accounts (
  _search    text                     DEFAULT ''::text,
  _before    timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _before_id uuid                     DEFAULT NULL::uuid
)
  RETURNS TABLE (
    id           uuid,
    email        text,
    name         text,
    created_at   timestamp with time zone,
    last_seen_at timestamp with time zone,
    is_admin     boolean,
    is_verified  boolean,
    has_factor   boolean,
    credits      bigint,
    is_suspended boolean,
    is_deleting  boolean
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _wanted constant text := lower(btrim(coalesce(_search, '')));
begin
  perform private.require_admin();
  return query
    with page as (
      select users.*, profiles.full_name::text as full_name
      from auth.users left join public.profiles on profiles.user_id = users.id
      where users.deleted_at is null and not private.is_probe(users.id)
        and (_before is null or (users.created_at, users.id) < (_before, _before_id))
        and (
          _wanted = '' or position(_wanted in lower(users.email)) > 0 or position(_wanted in lower(profiles.full_name)) > 0
        )
      order by users.created_at desc, users.id desc limit 26
    )
    select page.id, page.email::text, page.full_name, page.created_at,
      greatest(page.last_sign_in_at, (
        select max(coalesce(sessions.refreshed_at at time zone 'UTC', sessions.created_at)) from auth.sessions
        where sessions.user_id = page.id
      )),
      exists (select from public.user_roles where user_roles.user_id = page.id and role = 'admin'),
      page.email_confirmed_at is not null or page.phone_confirmed_at is not null,
      exists (select from auth.mfa_factors where mfa_factors.user_id = page.id and status = 'verified'),
      coalesce((select balance from public.credit_wallets where credit_wallets.user_id = page.id), 0),
      coalesce(page.banned_until > now(), false),
      exists (select from public.deletion_requests as requests where requests.user_id = page.id and cancelled_at is null)
    from page order by page.created_at desc, page.id desc;
end
$function$;

CREATE OR REPLACE FUNCTION public.admin_uptime()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return (
    select jsonb_agg(jsonb_build_object(
      'viewpoint', viewpoint, 'parts', private.uptime_of(viewpoint), 'journeys', (
        select coalesce(jsonb_agg(jsonb_build_object('at', made_at, 'steps', steps) order by made_at), '[]')
        from private.journeys where journeys.viewpoint = viewpoints.viewpoint and made_at > now() - interval '1 day'
      )
    ) order by place)
    from unnest(array['worker', 'watch']) with ordinality as viewpoints (viewpoint, place)
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_uptime"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.service_status()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
  select jsonb_build_object(
    'checked_at', (select max(checked_at) from private.uptime_parts where viewpoint = 'worker'),
    'today', (now() at time zone 'Europe/Rome')::date,
    'parts', private.uptime_of('worker'),
    'incidents', (
      select coalesce(jsonb_agg(to_jsonb(latest) || jsonb_build_object('updates', (
        select coalesce(jsonb_agg(jsonb_build_object('state', state, 'text', text, 'at', created_at) order by id desc), '[]')
        from private.incident_updates where incident_id = latest.id
      )) order by started_at desc), '[]')
      from (
        select * from private.incidents where ended_at is null or ended_at > now() - interval '90 days'
        order by started_at desc limit 20
      ) as latest
    )
  )
$function$;

ALTER TABLE "private"."uptime_days"
  ADD CONSTRAINT "uptime_days_pkey" PRIMARY KEY (viewpoint, part, day);

ALTER TABLE "private"."uptime_parts"
  ADD CONSTRAINT "numbers_fit" CHECK (((took_ms >= 0) AND ((minutes >= 1) AND (minutes <= 60))));

ALTER TABLE "private"."uptime_parts"
  ADD CONSTRAINT "uptime_parts_pkey" PRIMARY KEY (viewpoint, part);

ALTER TABLE "private"."uptime_days"
  ADD CONSTRAINT "uptime_days_viewpoint_part_fkey" FOREIGN KEY (viewpoint, part) REFERENCES private.uptime_parts(viewpoint, part) ON DELETE CASCADE;

ALTER TABLE "private"."uptime_parts"
  ADD CONSTRAINT "viewpoint_is_known" CHECK ((viewpoint = ANY (ARRAY['worker'::text, 'watch'::text])));

COMMENT ON FUNCTION "private"."is_probe"(uuid) IS 'Say if an account belongs to the synthetic journey: it is no person, has no profile and no wallet, and is not counted.';

COMMENT ON FUNCTION "private"."note_uptime"(text, timestamp with time zone, jsonb, jsonb) IS 'Count one check of each part as a viewpoint saw it then, null: now: `[{"part", "is_up", "took_ms", "minutes"}]`, with the steps of a journey. Again changes nothing; false: that time is in the future or too long ago. A worker that did not ask for minutes has failed in them.';

COMMENT ON FUNCTION "private"."prepare_probe"(text, text) IS 'Give the account of a viewpoint a password for its next journey, clear what the last one left, and return its address; null: one is under way.';

COMMENT ON FUNCTION "private"."probe_id"(text) IS 'Return the account with which the worker, or the second machine, makes its journey; null: no such viewpoint.';

COMMENT ON FUNCTION "private"."uptime_bars"(text, integer) IS 'Return the failed minutes of each part on each day, today last, null: no check was made; and since its first check the minutes without one.';

COMMENT ON FUNCTION "private"."uptime_of"(text) IS 'Return the state of each part as a viewpoint sees it, with its days.';

COMMENT ON FUNCTION "private"."uptime_share"(text, text, integer) IS 'Return the answered checks of a part in per cent; null: none in these days.';

COMMENT ON FUNCTION "public"."admin_uptime"() IS 'What the worker and the second machine see of each part, and their journeys of a day, for admins.';

COMMENT ON TABLE "private"."journeys" IS 'Journeys of the last day: an account of the server logs in, reads, writes and deletes.';

COMMENT ON TABLE "private"."uptime_days" IS 'For how many minutes of a day a part answered, by its checks; a minute without a check is in neither; kept 90 days.';

COMMENT ON TABLE "private"."uptime_parts" IS 'The last answer of each part as a viewpoint sees it, and since when it answers so.';

REVOKE ALL ON FUNCTION "private"."is_probe"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_uptime"(text, timestamp WITH time zone, jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_uptime"(text, timestamp WITH time zone, jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."prepare_probe"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."prepare_probe"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."probe_id"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."uptime_bars"(text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."uptime_of"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."uptime_share"(text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_uptime"() TO "authenticated";

reset check_function_bodies;
