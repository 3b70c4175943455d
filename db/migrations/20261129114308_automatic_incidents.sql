-- Automatic incidents.
--   ALTER TABLE private.incidents ADD COLUMN is_automatic boolean NOT NULL DEFAULT false
--   ALTER TABLE private.incidents ADD COLUMN is_taken_over boolean NOT NULL DEFAULT false
--   ALTER TABLE private.incidents ADD COLUMN reopened integer NOT NULL DEFAULT 0
--   ALTER TABLE private.uptime_parts ADD COLUMN streak integer NOT NULL DEFAULT 1
--   CREATE OR REPLACE FUNCTION private.follow_incidents
--   CREATE OR REPLACE FUNCTION private.is_calm
--   CREATE OR REPLACE FUNCTION private.note_uptime
--   CREATE OR REPLACE FUNCTION private.part_names
--   CREATE OR REPLACE FUNCTION public.admin_write_incident
--   CREATE OR REPLACE FUNCTION public.service_status
--   ALTER TABLE private.incidents ADD CONSTRAINT only_an_automatic_one_is_taken_over CHECK ((is_automatic OR (NOT…
--   COMMENT ON COLUMN private.incidents.is_automatic IS 'Failed checks opened it.'
--   COMMENT ON COLUMN private.incidents.is_taken_over IS 'An admin has written about it, so checks no longer chan…
--   COMMENT ON COLUMN private.incidents.reopened IS 'How often its parts failed again within an hour after its en…
--   COMMENT ON COLUMN private.uptime_parts.streak IS 'How many checks in a row have answered as the last one.'
--   COMMENT ON FUNCTION private.follow_incidents
--   COMMENT ON FUNCTION private.is_calm
--   COMMENT ON FUNCTION private.part_names
--   COMMENT ON FUNCTION public.admin_write_incident
--   COMMENT ON TABLE private.incidents IS 'What everybody is told about a failure; kept.'
--   REVOKE ALL ON FUNCTION private.follow_incidents
--   REVOKE ALL ON FUNCTION private.is_calm
--   REVOKE ALL ON FUNCTION private.part_names

set check_function_bodies = off;

ALTER TABLE "private"."incidents"
  ADD COLUMN "is_automatic" boolean NOT NULL DEFAULT false;

ALTER TABLE "private"."incidents"
  ADD COLUMN "is_taken_over" boolean NOT NULL DEFAULT false;

ALTER TABLE "private"."incidents"
  ADD COLUMN "reopened" integer NOT NULL DEFAULT 0;

ALTER TABLE "private"."uptime_parts"
  ADD COLUMN "streak" integer NOT NULL DEFAULT 1;

CREATE OR REPLACE FUNCTION private.follow_incidents()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _failing text[];
  _since timestamptz;
  _found private.incidents;
  _text text;
begin
  -- The checks of each minute and the journey come from different jobs.
  perform pg_advisory_xact_lock(hashtextextended('private.follow_incidents', 0));

  with ended as (
    update private.incidents as open set state = 'resolved', ended_at = now()
    where is_automatic and not is_taken_over and ended_at is null and not exists (
      select from private.uptime_parts as known
      where viewpoint = 'worker' and part = any (open.parts) and not private.is_calm(known, open.reopened)
    )
    returning id
  )
  insert into private.incident_updates (incident_id, state, text)
  select id, 'resolved', 'I controlli automatici vanno di nuovo a buon fine.' from ended;

  -- Three checks in a row, of the journey two; a failure that an incident was about is known until the part answers.
  select array_agg(part order by part), min(changed_at) into _failing, _since from private.uptime_parts as known
  where viewpoint = 'worker' and not is_up and streak >= case when minutes = 1 then 3 else 2 end
    and checked_at > now() - make_interval(mins => 4 + minutes)
    and not exists (
      select from private.incidents
      where parts @> array[known.part] and (ended_at is null or ended_at >= known.changed_at)
    );
  if _failing is null then
    return;
  end if;

  select * into _found from private.incidents
  where is_automatic and not is_taken_over
    and (ended_at is null or (ended_at > now() - interval '1 hour' and parts && _failing))
  order by ended_at desc nulls first, id desc limit 1 for update;
  if not found then
    insert into private.incidents (title, parts, state, started_at, is_automatic)
    values (left('Interruzione: ' || private.part_names(_failing), 120), _failing, 'investigating', _since, true)
    returning * into _found;
    _text := 'I controlli automatici non vanno a buon fine per: %s. Stiamo verificando.';
  else
    _text := case
      when _found.ended_at is null then 'I controlli automatici non vanno a buon fine anche per: %s.'
      else 'I controlli automatici falliscono di nuovo per: %s.'
    end;
    update private.incidents as known
    set parts = merged.parts, title = left('Interruzione: ' || private.part_names(merged.parts), 120),
      state = 'investigating', ended_at = null, reopened = reopened + (_found.ended_at is not null)::integer
    from (select array_agg(distinct part order by part) as parts from unnest(_found.parts || _failing) as part) as merged
    where id = _found.id;
  end if;
  insert into private.incident_updates (incident_id, state, text)
  values (_found.id, 'investigating', format(_text, private.part_names(_failing)));
end
$function$;

CREATE OR REPLACE FUNCTION private.is_calm (
  _part     private.uptime_parts,
  _reopened integer
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Five minutes, of a journey ten; each time twice as long, up to an hour: a part that comes and goes closes nothing.
  select (_part).is_up and (_part).streak >= least(
    60 / (_part).minutes, (case when (_part).minutes = 1 then 5 else 2 end) * (2 ^ least(_reopened, 6))::integer
  )
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
      changed_at = case when known.is_up = excluded.is_up then known.changed_at else _at end,
      streak = case when known.is_up = excluded.is_up then known.streak + 1 else 1 end
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
  if _viewpoint = 'worker' then
    perform private.follow_incidents();
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.part_names (
  _parts text[]
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select string_agg(
    case part
      when 'site' then 'Sito'
      when 'api' then 'API e database'
      when 'auth' then 'Accesso'
      when 'storage' then 'File'
      when 'functions' then 'Funzioni'
      when 'worker' then 'Lavori in background'
      when 'mail' then 'Posta in uscita'
      when 'journey' then 'Percorso di prova'
      else part
    end, ', ' order by place
  )
  from unnest(_parts) with ordinality as given (part, place)
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
    update private.incidents set state = _state, ended_at = case _state when 'resolved' then now() end,
      title = coalesce(_title, title), parts = coalesce(_parts, parts), is_taken_over = is_automatic
    where id = _id;
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
        select id, title, parts, state, started_at, ended_at, is_automatic, is_taken_over
        from private.incidents where ended_at is null or ended_at > now() - interval '90 days'
        order by started_at desc limit 20
      ) as latest
    )
  )
$function$;

ALTER TABLE "private"."incidents"
  ADD CONSTRAINT "only_an_automatic_one_is_taken_over" CHECK ((is_automatic OR (NOT is_taken_over)));

COMMENT ON COLUMN "private"."incidents"."is_automatic" IS 'Failed checks opened it.';

COMMENT ON COLUMN "private"."incidents"."is_taken_over" IS 'An admin has written about it, so checks no longer change it.';

COMMENT ON COLUMN "private"."incidents"."reopened" IS 'How often its parts failed again within an hour after its end.';

COMMENT ON COLUMN "private"."uptime_parts"."streak" IS 'How many checks in a row have answered as the last one.';

COMMENT ON FUNCTION "private"."follow_incidents"() IS 'Open an incident for parts that fail in the eyes of the worker, and end it when they answer again. While one is open the next parts join it, and within an hour after its end it is reopened instead of a new one. What an admin has written about is left alone.';

COMMENT ON FUNCTION "private"."is_calm"(private.uptime_parts, integer) IS 'Whether a part has answered for long enough to end an incident that was reopened so often.';

COMMENT ON FUNCTION "private"."part_names"(text[]) IS 'Name parts as people read them; web/src/strings/status.ts has the same names.';

COMMENT ON FUNCTION "public"."admin_write_incident"(text, text, text, text[], bigint) IS 'Tell everybody about a new incident, or with its id about one that goes on or ends, for admins; null: there is none. An automatic one is the admin''s from then on.';

COMMENT ON TABLE "private"."incidents" IS 'What everybody is told about a failure; kept.';

REVOKE ALL ON FUNCTION "private"."follow_incidents"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_calm"(private.uptime_parts, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."part_names"(text[]) FROM PUBLIC;

reset check_function_bodies;
