-- Uptime.
--   CREATE TABLE private.incident_updates ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, incident_id bigint N…
--   ALTER TABLE private.incident_updates ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.incidents ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, title public.single_line NO…
--   ALTER TABLE private.incidents ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.uptime_days ( part text NOT NULL, day date NOT NULL, answered integer NOT NULL DEFAULT 0…
--   ALTER TABLE private.uptime_days ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.uptime_parts ( part text NOT NULL, is_up boolean NOT NULL, took_ms integer NOT NULL, cha…
--   ALTER TABLE private.uptime_parts ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.failed_by_day
--   CREATE OR REPLACE FUNCTION private.note_uptime
--   CREATE OR REPLACE FUNCTION private.uptime_share
--   CREATE OR REPLACE FUNCTION public.admin_write_incident
--   REVOKE ALL ON FUNCTION public.admin_write_incident
--   CREATE OR REPLACE FUNCTION public.service_status
--   REVOKE ALL ON FUNCTION public.service_status
--   ALTER TABLE private.incident_updates ADD CONSTRAINT incident_updates_incident_id_fkey FOREIGN KEY (incident_i…
--   ALTER TABLE private.uptime_days ADD CONSTRAINT uptime_days_part_fkey FOREIGN KEY (part) REFERENCES private.up…
--   CREATE INDEX incident_updates_incident ON private.incident_updates USING btree (incident_id, id)
--   CREATE INDEX incidents_latest ON private.incidents USING btree (started_at DESC)
--   COMMENT ON FUNCTION private.failed_by_day
--   COMMENT ON FUNCTION private.note_uptime
--   COMMENT ON FUNCTION private.uptime_share
--   COMMENT ON FUNCTION public.admin_write_incident
--   COMMENT ON FUNCTION public.service_status
--   COMMENT ON TABLE private.incident_updates IS 'What was told about an incident, newest last; public.'
--   COMMENT ON TABLE private.incidents IS 'What admins tell everybody about a failure; kept.'
--   COMMENT ON TABLE private.uptime_days IS 'How many checks of a part were answered on a day, one a minute; kept…
--   COMMENT ON TABLE private.uptime_parts IS 'The last answer of each part, and since when it answers so.'
--   REVOKE ALL ON FUNCTION private.failed_by_day
--   REVOKE ALL ON FUNCTION private.note_uptime
--   GRANT EXECUTE ON FUNCTION private.note_uptime
--   REVOKE ALL ON FUNCTION private.uptime_share
--   GRANT EXECUTE ON FUNCTION public.admin_write_incident
--   GRANT EXECUTE ON FUNCTION public.service_status

set check_function_bodies = off;

CREATE TABLE "private"."incident_updates" (
  "id"          bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "incident_id" bigint                   NOT NULL,
  "state"       text                     NOT NULL,
  "text"        text                     NOT NULL,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "incident_updates_pkey" PRIMARY KEY (id),
  CONSTRAINT "text_fits" CHECK (((char_length(btrim(text)) >= 3) AND (char_length(btrim(text)) <= 500)))
);

ALTER TABLE "private"."incident_updates"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."incidents" (
  "id"         bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "title"      public.single_line       NOT NULL,
  "parts"      text[]                   NOT NULL,
  "state"      text                     NOT NULL,
  "started_at" timestamp with time zone NOT NULL DEFAULT now(),
  "ended_at"   timestamp with time zone,
  CONSTRAINT "a_resolved_incident_has_an_end" CHECK (((state = 'resolved'::text) = (ended_at IS NOT NULL))),
  CONSTRAINT "incidents_pkey" PRIMARY KEY (id),
  CONSTRAINT "parts_are_few" CHECK ((cardinality(parts) <= 10)),
  CONSTRAINT "state_is_known" CHECK ((state = ANY (ARRAY['investigating'::text, 'identified'::text, 'monitoring'::text, 'resolved'::text]))),
  CONSTRAINT "title_fits" CHECK (((char_length((title)::text) >= 3) AND (char_length((title)::text) <= 120)))
);

ALTER TABLE "private"."incidents"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."uptime_days" (
  "part"     text    NOT NULL,
  "day"      date    NOT NULL,
  "answered" integer NOT NULL DEFAULT 0,
  "failed"   integer NOT NULL DEFAULT 0,
  CONSTRAINT "uptime_days_pkey" PRIMARY KEY (part, day)
);

ALTER TABLE "private"."uptime_days"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."uptime_parts" (
  "part"       text                     NOT NULL,
  "is_up"      boolean                  NOT NULL,
  "took_ms"    integer                  NOT NULL,
  "changed_at" timestamp with time zone NOT NULL DEFAULT now(),
  "checked_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "part_is_an_identifier" CHECK ((part ~ '^[a-z]{1,20}$'::text)),
  CONSTRAINT "uptime_parts_pkey" PRIMARY KEY (part)
);

ALTER TABLE "private"."uptime_parts"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.failed_by_day (
  _part text,
  _days integer
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_agg(failed order by date)
  from generate_series(0, _days - 1) as ago
  cross join lateral (select (now() at time zone 'Europe/Rome')::date - ago as date) as dates
  left join private.uptime_days on day = date and part = _part
$function$;

CREATE OR REPLACE FUNCTION private.note_uptime (
  _checks jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _last constant timestamptz := (select checked_at from private.uptime_parts where part = 'worker');
begin
  insert into private.uptime_parts as known (part, is_up, took_ms)
  select part, is_up, took_ms from jsonb_to_recordset(_checks) as checks (part text, is_up boolean, took_ms integer)
  on conflict (part) do update set is_up = excluded.is_up, took_ms = excluded.took_ms, checked_at = now(),
    changed_at = case when known.is_up = excluded.is_up then known.changed_at else now() end;

  insert into private.uptime_days as known (part, day, answered, failed)
  select part, (now() at time zone 'Europe/Rome')::date, is_up::integer, (not is_up)::integer
  from jsonb_to_recordset(_checks) as checks (part text, is_up boolean)
  on conflict (part, day) do update set
    answered = known.answered + excluded.answered, failed = known.failed + excluded.failed;

  -- Minutes in which no worker asked: it failed, the other parts are not known. A late run is no failure.
  insert into private.uptime_days as known (part, day, failed)
  select 'worker', (minute at time zone 'Europe/Rome')::date, count(*)
  from generate_series(
    greatest(_last, now() - interval '90 days') + interval '1 minute', now() - interval '1 minute', '1 minute'
  ) as minute
  where _last < now() - interval '5 minutes' group by 2
  on conflict (part, day) do update set failed = known.failed + excluded.failed;

  delete from private.uptime_days where day < current_date - 90;
end
$function$;

CREATE OR REPLACE FUNCTION private.uptime_share (
  _part text,
  _days integer
)
  RETURNS numeric
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Never rounded up to a hundred.
  select trunc(100.0 * sum(answered) / nullif(sum(answered + failed), 0), 2) from private.uptime_days
  where part = _part and day > (now() at time zone 'Europe/Rome')::date - _days
$function$;

CREATE OR REPLACE FUNCTION public.admin_write_incident (
  _state text,
  _text  text,
  _title text   DEFAULT NULL::text,
  _parts text[] DEFAULT NULL::text[],
  _id    bigint DEFAULT NULL::bigint
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _before text;
  _incident_id bigint;
begin
  perform private.require_admin();
  if _id is null then
    insert into private.incidents (title, parts, state, ended_at)
    values (_title, coalesce(_parts, '{}'), _state, case _state when 'resolved' then now() end)
    returning id into _incident_id;
  else
    select id, state into _incident_id, _before from private.incidents where id = _id for update;
    if not found then
      return null;
    end if;
    update private.incidents set state = _state, ended_at = case _state when 'resolved' then now() end where id = _id;
  end if;
  insert into private.incident_updates (incident_id, state, text) values (_incident_id, _state, _text);
  -- What everybody is told is the reason as well.
  perform private.log_admin_action(
    'incident.update', _incident_id::text, null, jsonb_build_object('state', _before), jsonb_build_object('state', _state),
    _text
  );
  return _incident_id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_write_incident"(text, text, text, text[], bigint) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.service_status()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
  select jsonb_build_object(
    'checked_at', (select max(checked_at) from private.uptime_parts),
    'today', (now() at time zone 'Europe/Rome')::date,
    'parts', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'part', part,
        -- Nobody asked for five minutes.
        'state', case when checked_at < now() - interval '5 minutes' then 'unknown' when is_up then 'up' else 'down' end,
        'took_ms', took_ms, 'changed_at', changed_at, 'share_30', private.uptime_share(part, 30),
        'share_90', private.uptime_share(part, 90), 'failed', private.failed_by_day(part, 90)
      ) order by part), '[]') from private.uptime_parts
    ),
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

REVOKE ALL ON FUNCTION "public"."service_status"() FROM PUBLIC, "service_role";

ALTER TABLE "private"."incident_updates"
  ADD CONSTRAINT "incident_updates_incident_id_fkey" FOREIGN KEY (incident_id) REFERENCES private.incidents(id) ON DELETE CASCADE;

ALTER TABLE "private"."uptime_days"
  ADD CONSTRAINT "uptime_days_part_fkey" FOREIGN KEY (part) REFERENCES private.uptime_parts(part) ON DELETE CASCADE;

CREATE INDEX incident_updates_incident ON private.incident_updates USING btree (incident_id, id);

CREATE INDEX incidents_latest ON private.incidents USING btree (started_at DESC);

COMMENT ON FUNCTION "private"."failed_by_day"(text, integer) IS 'Return how many checks of a part failed on each day, today last; null: none was made.';

COMMENT ON FUNCTION "private"."note_uptime"(jsonb) IS 'Count one check of each part: `[{"part", "is_up", "took_ms"}]`; a worker that did not ask for minutes has failed in them.';

COMMENT ON FUNCTION "private"."uptime_share"(text, integer) IS 'Return the answered checks of a part in per cent; null: none in these days.';

COMMENT ON FUNCTION "public"."admin_write_incident"(text, text, text, text[], bigint) IS 'Tell everybody about a new incident, or with its id about one that goes on or ends, for admins; null: there is none.';

COMMENT ON FUNCTION "public"."service_status"() IS 'The state of each part with its days, and the incidents of ninety days, for everybody.';

COMMENT ON TABLE "private"."incident_updates" IS 'What was told about an incident, newest last; public.';

COMMENT ON TABLE "private"."incidents" IS 'What admins tell everybody about a failure; kept.';

COMMENT ON TABLE "private"."uptime_days" IS 'How many checks of a part were answered on a day, one a minute; kept 90 days.';

COMMENT ON TABLE "private"."uptime_parts" IS 'The last answer of each part, and since when it answers so.';

REVOKE ALL ON FUNCTION "private"."failed_by_day"(text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_uptime"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_uptime"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."uptime_share"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_write_incident"(text, text, text, text[], bigint) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."service_status"() TO "anon", "authenticated";

reset check_function_bodies;
