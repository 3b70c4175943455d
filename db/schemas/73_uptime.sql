-- Uptime: whether each part of the installation answers, by the day, and incidents that an admin writes about.
--
-- The job uptime asks each minute. The public page /status and /admin/uptime read the same rows: none is about a person.

create table private.uptime_parts (
  part text primary key,
  is_up boolean not null,
  took_ms integer not null,
  changed_at timestamptz not null default now(),
  checked_at timestamptz not null default now(),

  constraint part_is_an_identifier check (part ~ '^[a-z]{1,20}$')
);
comment on table private.uptime_parts is 'The last answer of each part, and since when it answers so.';

create table private.uptime_days (
  part text not null references private.uptime_parts (part) on delete cascade,
  -- In Italy.
  day date not null,
  answered integer not null default 0,
  failed integer not null default 0,

  primary key (part, day)
);
comment on table private.uptime_days is 'How many checks of a part were answered on a day, one a minute; kept 90 days.';

create table private.incidents (
  id bigint primary key generated always as identity,
  title public.single_line not null,
  parts text[] not null,
  state text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,

  constraint title_fits check (char_length(title) between 3 and 120),
  constraint parts_are_few check (cardinality(parts) <= 10),
  constraint state_is_known check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  constraint a_resolved_incident_has_an_end check ((state = 'resolved') = (ended_at is not null))
);
comment on table private.incidents is 'What admins tell everybody about a failure; kept.';

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

create function private.note_uptime(_checks jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.note_uptime(jsonb) is
  'Count one check of each part: `[{"part", "is_up", "took_ms"}]`; a worker that did not ask for minutes has failed in them.';
revoke all on function private.note_uptime from public, anon, authenticated, service_role;
grant execute on function private.note_uptime to service_role;

create function private.uptime_share(_part text, _days integer)
  returns numeric
  language sql stable
  set search_path = ''
as $$
  -- Never rounded up to a hundred.
  select trunc(100.0 * sum(answered) / nullif(sum(answered + failed), 0), 2) from private.uptime_days
  where part = _part and day > (now() at time zone 'Europe/Rome')::date - _days
$$;
comment on function private.uptime_share(text, integer) is 'Return the answered checks of a part in per cent; null: none in these days.';
revoke all on function private.uptime_share from public, anon, authenticated, service_role;

create function private.failed_by_day(_part text, _days integer)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_agg(failed order by date)
  from generate_series(0, _days - 1) as ago
  cross join lateral (select (now() at time zone 'Europe/Rome')::date - ago as date) as dates
  left join private.uptime_days on day = date and part = _part
$$;
comment on function private.failed_by_day(text, integer) is
  'Return how many checks of a part failed on each day, today last; null: none was made.';
revoke all on function private.failed_by_day from public, anon, authenticated, service_role;

create function public.service_status()
  returns jsonb
  language sql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
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
$$;
comment on function public.service_status() is 'The state of each part with its days, and the incidents of ninety days, for everybody.';
revoke all on function public.service_status from public, anon, authenticated, service_role;
grant execute on function public.service_status to anon, authenticated;

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
$$;
comment on function public.admin_write_incident(text, text, text, text[], bigint) is
  'Tell everybody about a new incident, or with its id about one that goes on or ends, for admins; null: there is none.';
revoke all on function public.admin_write_incident from public, anon, authenticated, service_role;
grant execute on function public.admin_write_incident to authenticated;

alter table private.uptime_parts enable row level security;
alter table private.uptime_days enable row level security;
alter table private.incidents enable row level security;
alter table private.incident_updates enable row level security;

revoke all on private.uptime_parts from public, anon, authenticated, service_role;
revoke all on private.uptime_days from public, anon, authenticated, service_role;
revoke all on private.incidents from public, anon, authenticated, service_role;
revoke all on private.incident_updates from public, anon, authenticated, service_role;
