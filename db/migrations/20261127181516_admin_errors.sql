-- Admin errors.
--   CREATE TABLE private.error_groups ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, message text NOT NULL, p…
--   ALTER TABLE private.error_groups ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.error_hours ( group_id bigint NOT NULL, hour timestamp with time zone NOT NULL, count in…
--   ALTER TABLE private.error_hours ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.grouped_errors ( log_id bigint NOT NULL, group_id bigint NOT NULL, CONSTRAINT grouped_er…
--   ALTER TABLE private.grouped_errors ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.error_message
--   CREATE OR REPLACE FUNCTION private.error_place
--   CREATE OR REPLACE FUNCTION private.group_errors
--   CREATE OR REPLACE FUNCTION private.is_back
--   CREATE OR REPLACE FUNCTION private.light
--   CREATE OR REPLACE FUNCTION private.measure_analytics
--   CREATE OR REPLACE FUNCTION private.measure_errors
--   CREATE OR REPLACE FUNCTION private.share_of_group
--   CREATE OR REPLACE FUNCTION private.take_snapshot
--   CREATE OR REPLACE FUNCTION public.admin_decide_error
--   REVOKE ALL ON FUNCTION public.admin_decide_error
--   CREATE OR REPLACE FUNCTION public.admin_error_groups
--   REVOKE ALL ON FUNCTION public.admin_error_groups
--   ALTER TABLE private.error_hours ADD CONSTRAINT error_hours_group_id_fkey FOREIGN KEY (group_id) REFERENCES pr…
--   ALTER TABLE private.grouped_errors ADD CONSTRAINT grouped_errors_group_id_fkey FOREIGN KEY (group_id) REFEREN…
--   ALTER TABLE private.grouped_errors ADD CONSTRAINT grouped_errors_log_id_fkey FOREIGN KEY (log_id) REFERENCES …
--   CREATE INDEX grouped_errors_group ON private.grouped_errors USING btree (group_id)
--   COMMENT ON COLUMN private.error_groups.muted_until IS 'How many errors within an hour open the group again.'
--   COMMENT ON FUNCTION private.error_message
--   COMMENT ON FUNCTION private.error_place
--   COMMENT ON FUNCTION private.group_errors
--   COMMENT ON FUNCTION private.is_back
--   COMMENT ON FUNCTION private.measure_analytics
--   COMMENT ON FUNCTION private.measure_errors
--   COMMENT ON FUNCTION private.share_of_group
--   COMMENT ON FUNCTION public.admin_decide_error
--   COMMENT ON FUNCTION public.admin_error_groups
--   COMMENT ON TABLE private.error_groups IS 'Errors of browsers that mean the same; kept 90 days after the last.'
--   COMMENT ON TABLE private.error_hours IS 'How many errors of a group came in each hour; kept 200 days.'
--   COMMENT ON TABLE private.grouped_errors IS 'The group of each error that is kept.'
--   REVOKE ALL ON FUNCTION private.error_message
--   REVOKE ALL ON FUNCTION private.error_place
--   REVOKE ALL ON FUNCTION private.group_errors
--   GRANT EXECUTE ON FUNCTION private.group_errors
--   REVOKE ALL ON FUNCTION private.is_back
--   REVOKE ALL ON FUNCTION private.measure_analytics
--   REVOKE ALL ON FUNCTION private.share_of_group
--   GRANT EXECUTE ON FUNCTION public.admin_decide_error
--   GRANT EXECUTE ON FUNCTION public.admin_error_groups

set check_function_bodies = off;

CREATE TABLE "private"."error_groups" (
  "id"              bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "message"         text                     NOT NULL,
  "place"           text                     NOT NULL,
  "first_seen_at"   timestamp with time zone NOT NULL,
  "last_seen_at"    timestamp with time zone NOT NULL,
  "first_release"   text,
  "last_release"    text,
  "people"          integer                  NOT NULL DEFAULT 0,
  "state"           text                     NOT NULL DEFAULT 'open'::text,
  "decided_at"      timestamp with time zone,
  "decided_release" text,
  "muted_until"     integer,
  "reopened_at"     timestamp with time zone,
  CONSTRAINT "a_muted_group_has_a_limit" CHECK (((state = 'muted'::text) = (muted_until IS NOT NULL))),
  CONSTRAINT "error_groups_message_place_key" UNIQUE (message, place),
  CONSTRAINT "error_groups_pkey" PRIMARY KEY (id),
  CONSTRAINT "limit_is_positive" CHECK ((muted_until > 0)),
  CONSTRAINT "state_is_known" CHECK ((state = ANY (ARRAY['open'::text, 'resolved'::text, 'next_release'::text, 'muted'::text])))
);

ALTER TABLE "private"."error_groups"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."error_hours" (
  "group_id" bigint                   NOT NULL,
  "hour"     timestamp with time zone NOT NULL,
  "count"    integer                  NOT NULL,
  CONSTRAINT "error_hours_pkey" PRIMARY KEY (group_id, hour)
);

ALTER TABLE "private"."error_hours"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."grouped_errors" (
  "log_id"   bigint NOT NULL,
  "group_id" bigint NOT NULL,
  CONSTRAINT "grouped_errors_pkey" PRIMARY KEY (log_id)
);

ALTER TABLE "private"."grouped_errors"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.error_message (
  _message text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(nullif(left(btrim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    left(_message, 1000),
    -- From the first mark to the last: a quotation may contain marks.
    '".*"|`.*`|«.*»|“.*”|(?<![[:alnum:]])''.*''', '«…»', 'g'),
    '\S+@\S+|[a-z]+://\S+', '…', 'g'),
    '\m[0-9a-f-]*\d[0-9a-f-]*\M', 'n', 'gi'),
    '\s+', ' ', 'g')), 200), ''), '–')
$function$;

CREATE OR REPLACE FUNCTION private.error_place (
  _stack text,
  _url   text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    -- The first file of the product without its hash, which changes with each build.
    substring(_stack from '/assets/((?!base-|libraries-)[\w.~]+(?:-[\w.~]+)*)-[\w-]{8}\.js'),
    -- Later parts of an address may name somebody.
    left(substring(_url from '^[a-z]+://[^/]+(/[\w-]*)'), 60),
    '–'
  )
$function$;

CREATE OR REPLACE FUNCTION private.group_errors()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Another run would count the same errors again.
  lock table private.grouped_errors in share row exclusive mode;
  with fresh as materialized (
    select logs.id, created_at, private.error_message(error_message) as message,
      private.error_place(error_stack, url) as place, left(metadata ->> 'release', 40) as release
    from public.error_logs as logs
    where not exists (select from private.grouped_errors where log_id = logs.id)
  ), groups as (
    insert into private.error_groups as known (message, place, first_seen_at, last_seen_at, first_release, last_release)
    select message, place, min(created_at), max(created_at),
      (array_agg(release order by created_at) filter (where release is not null))[1],
      (array_agg(release order by created_at desc) filter (where release is not null))[1]
    from fresh group by message, place
    on conflict (message, place) do update set
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
      last_release = coalesce(excluded.last_release, known.last_release)
    returning id, message, place
  ), members as (
    insert into private.grouped_errors (log_id, group_id)
    select fresh.id, groups.id from fresh join groups using (message, place)
  )
  insert into private.error_hours as known (group_id, hour, count)
  select groups.id, date_trunc('hour', created_at), count(*) from fresh join groups using (message, place) group by 1, 2
  on conflict (group_id, hour) do update set count = known.count + excluded.count;

  update private.error_groups as groups set people = counted.people
  from (
    select group_id, count(distinct coalesce(user_id::text, session_id)) as people
    from private.grouped_errors join public.error_logs on id = log_id group by group_id
  ) as counted
  where groups.id = counted.group_id and groups.people <> counted.people;

  update private.error_groups as groups set state = 'open', muted_until = null, reopened_at = now()
  where state <> 'open' and last_seen_at > decided_at and private.is_back(groups);

  delete from private.error_groups where last_seen_at < now() - interval '90 days'
    -- A guest who sends nonsense makes a group of each error.
    or id in (select id from private.error_groups order by last_seen_at desc offset 5000);
  delete from private.error_hours where hour < now() - interval '200 days';
end
$function$;

CREATE OR REPLACE FUNCTION private.is_back (
  _group private.error_groups
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with since as (
    select created_at, metadata ->> 'release' as release
    from private.grouped_errors join public.error_logs on id = log_id
    where group_id = _group.id and created_at > _group.decided_at
  )
  select case _group.state
    when 'resolved' then exists (select from since)
    -- Tabs that are still open run what was known then.
    when 'next_release' then exists (
      select from since
      where release <> coalesce(_group.decided_release, '') and not exists (
        select from public.error_logs as known
        where known.created_at <= _group.decided_at and known.metadata ->> 'release' = since.release
      )
    )
    when 'muted' then (select count(*) from since where created_at > now() - interval '1 hour') >= _group.muted_until
  end
$function$;

CREATE OR REPLACE FUNCTION private.light (
  _snapshot private.admin_snapshots
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when _snapshot.taken_at < now() - 3 * _snapshot.every then 'old'
    when case _snapshot.name
      when 'database' then figures.connections > 0.9 * figures.max_connections or figures.xid_age > 1500000000
      when 'queue' then figures.longest_wait_s > 300 or figures.periodic_late_s > 300
      when 'payments' then figures.failed > 0
      when 'credits' then figures.drifted > 0
      when 'errors' then figures.last_day > 500
      when 'security' then figures.lints > 0
    end then 'error'
    when case _snapshot.name
      when 'database' then figures.cache_hit < 95 or figures.longest_transaction_s > 300 or figures.blocked > 0
        or figures.xid_age > 500000000 or figures.slot_lag_bytes > 1073741824
      when 'queue' then figures.dead_letters > 0 or figures.mails_failed_today > 0
      when 'payments' then figures.open_alerts > 0 or figures.oldest_waiting_s > 3600
      when 'credits' then figures.old_holds > 0
      when 'errors' then figures.regressions > 0 or figures.last_day > 20 and figures.last_day > 2 * figures.day_before
      when 'security' then figures.admins_without_factor > 0
    end then 'warning'
    else 'ok'
  end
  from jsonb_to_record(_snapshot.content -> 'figures') as figures (
    connections numeric, max_connections numeric, xid_age numeric, cache_hit numeric, longest_transaction_s numeric,
    blocked numeric, slot_lag_bytes numeric, longest_wait_s numeric, periodic_late_s numeric, dead_letters numeric,
    mails_failed_today numeric, failed numeric, open_alerts numeric, oldest_waiting_s numeric, drifted numeric,
    old_holds numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric
  )
$function$;

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
    where users.created_at > now() - interval '30 days'
  ), signed_in as (
    select count(*) as people, count(*) filter (where exists (select from recent where user_id = users.id)) as agreed
    from auth.users where last_sign_in_at > now() - interval '30 days'
  ), cohorts as (
    select id, date_trunc('week', created_at at time zone 'Europe/Rome') as week from auth.users
    where created_at > now() - interval '9 weeks'
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

CREATE OR REPLACE FUNCTION private.measure_errors()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('figures', jsonb_build_object(
    'last_day', count(*) filter (where created_at > now() - interval '1 day'),
    'day_before', count(*) filter (where created_at <= now() - interval '1 day'),
    'sessions', count(distinct session_id) filter (where created_at > now() - interval '1 day'),
    'open_groups', (select count(*) from private.error_groups where state = 'open'),
    'regressions', (select count(*) from private.error_groups where state = 'open' and reopened_at is not null)
  ))
  from public.error_logs where created_at > now() - interval '2 days'
$function$;

CREATE OR REPLACE FUNCTION private.share_of_group (
  _part   bigint,
  _people bigint
)
  RETURNS numeric
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when _part >= 5 then round(100.0 * _part / _people, 1) end
$function$;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  _name  text,
  _every interval
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Before measuring: a second run in the same interval costs nothing.
  if exists (
    select from private.admin_snapshots
    where name = _name and slot = date_bin(_every, now(), 'epoch'::timestamptz)
  ) then
    return;
  end if;
  perform private.keep_snapshot(_name, _every, case _name
    when 'database' then private.measure_database()
    when 'credits' then private.measure_credits()
    when 'payments' then private.measure_payments()
    when 'errors' then private.measure_errors()
    when 'people' then private.measure_people()
    when 'analytics' then private.measure_analytics()
    when 'security' then private.measure_security()
  end);
end
$function$;

CREATE OR REPLACE FUNCTION public.admin_decide_error (
  _id          bigint,
  _decision    text,
  _release     text,
  _reason      text,
  _muted_until integer DEFAULT NULL::integer
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _group private.error_groups;
begin
  perform private.require_admin();
  select * into _group from private.error_groups where id = _id for update;
  if not found then
    return 'unknown';
  end if;
  update private.error_groups set state = _decision, muted_until = _muted_until, decided_at = now(),
    decided_release = left(_release, 40), reopened_at = null
  where id = _id;
  perform private.log_admin_action(
    'error.' || _decision, left(_group.message, 200), null,
    jsonb_build_object('state', _group.state, 'muted_until', _group.muted_until),
    jsonb_build_object('state', _decision, 'muted_until', _muted_until), _reason
  );
  return _decision;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_decide_error"(bigint, text, text, text, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_error_groups (
  _state text,
  _hours integer
)
  RETURNS TABLE (
    id            bigint,
    message       text,
    place         text,
    state         text,
    is_back       boolean,
    count         bigint,
    before        bigint,
    people        integer,
    first_seen_at timestamp with time zone,
    last_seen_at  timestamp with time zone,
    first_release text,
    last_release  text,
    muted_until   integer
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _period constant interval := make_interval(hours => least(greatest(_hours, 1), 2400));
begin
  perform private.require_admin();
  return query
    select groups.id, groups.message, groups.place, groups.state, groups.reopened_at is not null, seen.now, seen.before,
      case when groups.people >= 5 then groups.people end, groups.first_seen_at, groups.last_seen_at,
      groups.first_release, groups.last_release, groups.muted_until
    from private.error_groups as groups
    cross join lateral (
      select coalesce(sum(hours.count) filter (where hour > now() - _period), 0) as now,
        coalesce(sum(hours.count) filter (where hour <= now() - _period and hour > now() - 2 * _period), 0) as before
      from private.error_hours as hours where hours.group_id = groups.id
    ) as seen
    where groups.state = _state or _state = 'resolved' and groups.state = 'next_release'
    order by groups.reopened_at is null, seen.now desc, groups.last_seen_at desc limit 100;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_error_groups"(text, integer) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."error_hours"
  ADD CONSTRAINT "error_hours_group_id_fkey" FOREIGN KEY (group_id) REFERENCES private.error_groups(id) ON DELETE CASCADE;

ALTER TABLE "private"."grouped_errors"
  ADD CONSTRAINT "grouped_errors_group_id_fkey" FOREIGN KEY (group_id) REFERENCES private.error_groups(id) ON DELETE CASCADE;

ALTER TABLE "private"."grouped_errors"
  ADD CONSTRAINT "grouped_errors_log_id_fkey" FOREIGN KEY (log_id) REFERENCES public.error_logs(id) ON DELETE CASCADE;

CREATE INDEX grouped_errors_group ON private.grouped_errors USING btree (group_id);

COMMENT ON COLUMN "private"."error_groups"."muted_until" IS 'How many errors within an hour open the group again.';

COMMENT ON FUNCTION "private"."error_message"(text) IS 'Return a message without quotations, addresses and numbers.';

COMMENT ON FUNCTION "private"."error_place"(text, text) IS 'Return the file that an error came from, or the start of the page''s path.';

COMMENT ON FUNCTION "private"."group_errors"() IS 'Count new errors in their groups, and open again those that an admin had decided and that are back.';

COMMENT ON FUNCTION "private"."is_back"(private.error_groups) IS 'Whether errors since an admin decided open a group again.';

COMMENT ON FUNCTION "private"."measure_analytics"() IS 'Count visits, what became of new accounts in 30 days, and who came back.';

COMMENT ON FUNCTION "private"."measure_errors"() IS 'Count the errors that browsers reported, and the groups that nobody has decided.';

COMMENT ON FUNCTION "private"."share_of_group"(bigint, bigint) IS 'Return a share in per cent, null under five people.';

COMMENT ON FUNCTION "public"."admin_decide_error"(bigint, text, text, text, integer) IS 'Open, resolve or mute a group of errors, for admins; `_release` is the build they run. Returns the state, or unknown.';

COMMENT ON FUNCTION "public"."admin_error_groups"(text, integer) IS 'The groups of errors in a state with their count in a period and in the one before, for admins; fewer than five people are null.';

COMMENT ON TABLE "private"."error_groups" IS 'Errors of browsers that mean the same; kept 90 days after the last.';

COMMENT ON TABLE "private"."error_hours" IS 'How many errors of a group came in each hour; kept 200 days.';

COMMENT ON TABLE "private"."grouped_errors" IS 'The group of each error that is kept.';

REVOKE ALL ON FUNCTION "private"."error_message"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."error_place"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."group_errors"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."group_errors"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_back"(private.error_groups) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."measure_analytics"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."share_of_group"(bigint, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_decide_error"(bigint, text, text, text, integer) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_error_groups"(text, integer) TO "authenticated";

reset check_function_bodies;
