-- Uptime: whether each part of the installation answers, by the day, and incidents: failed checks open them, and admins
-- write about them.
--
-- The job uptime asks each minute, and so does a second machine where there is one (scripts/watch.py): each is a viewpoint.
-- Every five minutes both make the synthetic journey with an account of their own (07_probes.sql). The public page /status
-- shows what the worker sees, /admin/uptime both. None is about a person.

create table private.uptime_parts (
  viewpoint text not null default 'worker',
  part text not null,
  is_up boolean not null,
  took_ms integer not null,
  -- One check stands for so many.
  minutes integer not null default 1,
  first_checked_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  checked_at timestamptz not null default now(),
  streak integer not null default 1,

  primary key (viewpoint, part),
  constraint viewpoint_is_known check (viewpoint in ('worker', 'watch')),
  constraint part_is_an_identifier check (part ~ '^[a-z]{1,20}$'),
  constraint numbers_fit check (took_ms >= 0 and minutes between 1 and 60)
);
comment on column private.uptime_parts.streak is 'How many checks in a row have answered as the last one.';
comment on table private.uptime_parts is 'The last answer of each part as a viewpoint sees it, and since when it answers so.';

create table private.uptime_days (
  viewpoint text not null default 'worker',
  part text not null,
  -- In Italy.
  day date not null,
  answered integer not null default 0,
  failed integer not null default 0,

  primary key (viewpoint, part, day),
  foreign key (viewpoint, part) references private.uptime_parts (viewpoint, part) on delete cascade
);
comment on table private.uptime_days is
  'For how many minutes of a day a part answered, by its checks; a minute without a check is in neither; kept 90 days.';

create table private.journeys (
  viewpoint text not null,
  made_at timestamptz not null,
  -- [{"step", "took_ms", "error"}] in their order; the error of a step that went well is empty.
  steps jsonb not null,

  primary key (viewpoint, made_at),
  constraint viewpoint_is_known check (viewpoint in ('worker', 'watch')),
  constraint steps_fit check (jsonb_typeof(steps) = 'array' and jsonb_array_length(steps) between 1 and 4),
  constraint texts_fit check (octet_length(steps::text) <= 4000)
);
comment on table private.journeys is 'Journeys of the last day: an account of the server logs in, reads, writes and deletes.';

create table private.incidents (
  id bigint primary key generated always as identity,
  title public.single_line not null,
  parts text[] not null,
  state text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  is_automatic boolean not null default false,
  is_taken_over boolean not null default false,
  reopened integer not null default 0,

  constraint only_an_automatic_one_is_taken_over check (is_automatic or not is_taken_over),
  constraint title_fits check (char_length(title) between 3 and 120),
  constraint parts_are_few check (cardinality(parts) <= 10),
  constraint state_is_known check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  constraint a_resolved_incident_has_an_end check ((state = 'resolved') = (ended_at is not null))
);
comment on table private.incidents is 'What everybody is told about a failure; kept.';
comment on column private.incidents.is_automatic is 'Failed checks opened it.';
comment on column private.incidents.is_taken_over is 'An admin has written about it, so checks no longer change it.';
comment on column private.incidents.reopened is 'How often its parts failed again within an hour after its end.';

create table private.incident_updates (
  id bigint primary key generated always as identity,
  incident_id bigint not null references private.incidents (id) on delete cascade,
  state text not null,
  text text not null,
  created_at timestamptz not null default now(),

  constraint text_fits check (char_length(btrim(text)) between 3 and 500)
);
comment on table private.incident_updates is 'What was told about an incident, newest last; public.';

create index incidents_latest on private.incidents (started_at desc);

create index incident_updates_incident on private.incident_updates (incident_id, id);

create function private.part_names(_parts text[])
  returns text
  language sql immutable
  set search_path = ''
as $$
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
$$;
comment on function private.part_names(text[]) is 'Name parts as people read them; web/src/strings/status.ts has the same names.';
revoke all on function private.part_names from public, anon, authenticated, service_role;

create function private.is_calm(_part private.uptime_parts, _reopened integer)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  -- Five minutes, of a journey ten; each time twice as long, up to an hour: a part that comes and goes closes nothing.
  select (_part).is_up and (_part).streak >= least(
    60 / (_part).minutes, (case when (_part).minutes = 1 then 5 else 2 end) * (2 ^ least(_reopened, 6))::integer
  )
$$;
comment on function private.is_calm(private.uptime_parts, integer) is
  'Whether a part has answered for long enough to end an incident that was reopened so often.';
revoke all on function private.is_calm from public, anon, authenticated, service_role;

create function private.follow_incidents()
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.follow_incidents() is
  'Open an incident for parts that fail in the eyes of the worker, and end it when they answer again. While one is open the next '
  'parts join it, and within an hour after its end it is reopened instead of a new one. What an admin has written about is left alone.';
revoke all on function private.follow_incidents from public, anon, authenticated, service_role;

create function private.note_uptime(_viewpoint text, _then timestamptz, _checks jsonb, _journey jsonb default null)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
    perform private.keep_snapshot('uptime', '10 minutes', private.measure_uptime());
    perform private.follow_alarms();
  end if;
  return true;
end
$$;
comment on function private.note_uptime(text, timestamptz, jsonb, jsonb) is
  'Count one check of each part as a viewpoint saw it then, null: now: `[{"part", "is_up", "took_ms", "minutes"}]`, with the steps of '
  'a journey. Again changes nothing; false: that time is in the future or too long ago. A worker that did not ask for '
  'minutes has failed in them.';
revoke all on function private.note_uptime from public, anon, authenticated, service_role;
grant execute on function private.note_uptime to service_role;

-- Security definer because service_role may not write auth.users. The journey has the rights of this account only.
create function private.prepare_probe(_viewpoint text, _password text)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.prepare_probe(text, text) is
  'Give the account of a viewpoint a password for its next journey, clear what the last one left, and return its address; null: one is under way.';
revoke all on function private.prepare_probe from public, anon, authenticated, service_role;
grant execute on function private.prepare_probe to service_role;

create function private.uptime_share(_viewpoint text, _part text, _days integer)
  returns numeric
  language sql stable
  set search_path = ''
as $$
  -- Never rounded up to a hundred.
  select trunc(100.0 * sum(answered) / nullif(sum(answered + failed), 0), 2) from private.uptime_days
  where viewpoint = _viewpoint and part = _part and day > (now() at time zone 'Europe/Rome')::date - _days
$$;
comment on function private.uptime_share(text, text, integer) is
  'Return the answered checks of a part in per cent; null: none in these days.';
revoke all on function private.uptime_share from public, anon, authenticated, service_role;

create function private.uptime_bars(_viewpoint text, _days integer)
  returns table (part text, failed jsonb, missing jsonb)
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.uptime_bars(text, integer) is
  'Return the failed minutes of each part on each day, today last, null: no check was made; and since its first check the '
  'minutes without one.';
revoke all on function private.uptime_bars from public, anon, authenticated, service_role;

create function private.uptime_of(_viewpoint text)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.uptime_of(text) is 'Return the state of each part as a viewpoint sees it, with its days.';
revoke all on function private.uptime_of from public, anon, authenticated, service_role;

create function public.service_status()
  returns jsonb
  language sql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
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
$$;
comment on function public.service_status() is 'The state of each part with its days, and the incidents of ninety days, for everybody.';
revoke all on function public.service_status from public, anon, authenticated, service_role;
grant execute on function public.service_status to anon, authenticated;

create function public.admin_uptime()
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
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
$$;
comment on function public.admin_uptime() is
  'What the worker and the second machine see of each part, and their journeys of a day, for admins.';
revoke all on function public.admin_uptime from public, anon, authenticated, service_role;
grant execute on function public.admin_uptime to authenticated;

create function public.admin_write_incident(
  _state text, _text text, _title text default null, _parts text[] default null, _id bigint default null
)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
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
$$;
comment on function public.admin_write_incident(text, text, text, text[], bigint) is
  'Tell everybody about a new incident, or with its id about one that goes on or ends, for admins; null: there is none. An automatic '
  'one is the admin''s from then on.';
revoke all on function public.admin_write_incident from public, anon, authenticated, service_role;
grant execute on function public.admin_write_incident to authenticated;

alter table private.uptime_parts enable row level security;
alter table private.uptime_days enable row level security;
alter table private.journeys enable row level security;
alter table private.incidents enable row level security;
alter table private.incident_updates enable row level security;

revoke all on private.uptime_parts from public, anon, authenticated, service_role;
revoke all on private.uptime_days from public, anon, authenticated, service_role;
revoke all on private.journeys from public, anon, authenticated, service_role;
revoke all on private.incidents from public, anon, authenticated, service_role;
revoke all on private.incident_updates from public, anon, authenticated, service_role;
