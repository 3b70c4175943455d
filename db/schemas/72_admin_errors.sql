-- Errors of browsers and of the server for admins: rows of error_logs with the same message at the same place are one group.
-- The place is a file of the client, found by its source maps (functions/jobs/error_groups.py), else the name of the script.
--
-- The job error_groups calls private.group_errors(), so that no screen reads error_logs. An error may quote what a
-- person typed, so a group keeps its message without quotations, addresses and numbers.

create table private.error_groups (
  id bigint primary key generated always as identity,
  -- Both together are the fingerprint.
  message text not null,
  place text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  first_release text,
  last_release text,
  source text not null default 'browser',
  -- Of the server: where to look in its log.
  last_request_id text,
  -- Different accounts, or visits of guests, in the errors that are kept.
  people integer not null default 0,
  state text not null default 'open',
  decided_at timestamptz,
  -- The build of the admin who decided: an error in a newer one is a regression.
  decided_release text,
  muted_until integer,
  reopened_at timestamptz,

  unique (message, place),
  constraint state_is_known check (state in ('open', 'resolved', 'next_release', 'muted')),
  constraint a_muted_group_has_a_limit check ((state = 'muted') = (muted_until is not null)),
  constraint limit_is_positive check (muted_until > 0)
);
comment on table private.error_groups is 'Errors that mean the same; kept 90 days after the last.';
comment on column private.error_groups.muted_until is 'How many errors within an hour open the group again.';

create table private.grouped_errors (
  log_id bigint primary key references public.error_logs (id) on delete cascade,
  group_id bigint not null references private.error_groups (id) on delete cascade
);
comment on table private.grouped_errors is 'The group of each error that is kept.';

create table private.error_hours (
  group_id bigint not null references private.error_groups (id) on delete cascade,
  hour timestamptz not null,
  count integer not null,

  primary key (group_id, hour)
);
comment on table private.error_hours is 'How many errors of a group came in each hour; kept 200 days.';

create index grouped_errors_group on private.grouped_errors (group_id);

create function private.error_message(_message text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select coalesce(nullif(left(btrim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    left(_message, 1000),
    -- From the first mark to the last: a quotation may contain marks.
    '".*"|`.*`|«.*»|“.*”|(?<![[:alnum:]])''.*''', '«…»', 'g'),
    '\S+@\S+|[a-z]+://\S+', '…', 'g'),
    '\m[0-9a-f-]*\d[0-9a-f-]*\M', 'n', 'gi'),
    '\s+', ' ', 'g')), 200), ''), '–')
$$;
comment on function private.error_message(text) is 'Return a message without quotations, addresses and numbers.';
revoke all on function private.error_message from public, anon, authenticated, service_role;

create function private.error_place(_stack text, _url text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select coalesce(
    -- The first file of the product without its hash, which changes with each build.
    substring(_stack from '/assets/((?!base-|libraries-)[\w.~]+(?:-[\w.~]+)*)-[\w-]{8}\.js'),
    -- Later parts of an address may name somebody.
    left(substring(_url from '^[a-z]+://[^/]+(/[\w-]*)'), 60),
    '–'
  )
$$;
comment on function private.error_place(text, text) is 'Return the file that an error came from, or the start of the page''s path.';
revoke all on function private.error_place from public, anon, authenticated, service_role;

create function private.fresh_error_frames()
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(jsonb_object_agg(id, private.error_frames(error_stack, source)), '{}')
  from (
    select id, error_stack, source from public.error_logs
    where source = 'browser' and not exists (select from private.grouped_errors where log_id = id)
    order by id limit 2000
  ) as fresh
$$;
comment on function private.fresh_error_frames() is
  'Return the places in the built code of errors of browsers that are in no group yet: {id: frames}.';
revoke all on function private.fresh_error_frames from public, anon, authenticated, service_role;
grant execute on function private.fresh_error_frames to service_role;

create function private.group_errors(_files jsonb default null)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Another run would count the same errors again.
  lock table private.grouped_errors in share row exclusive mode;
  -- A group that was found while no map was there.
  update private.error_groups as known set place = moved.file
  from (
    select distinct on (1, 2) private.error_message(error_message) as message, left(file, 120) as file,
      private.error_place(error_stack, url) as script
    from jsonb_each_text(_files) as files (log_id, file) join public.error_logs on id = log_id::bigint
    where file is not null order by 1, 2
  ) as moved
  where known.message = moved.message and known.place = moved.script and not exists (
    select from private.error_groups as other where other.message = moved.message and other.place = moved.file
  );
  with fresh as materialized (
    select logs.id, created_at, private.error_message(error_message) as message,
      case source
        when 'server' then left(split_part(error_stack, E'\n', 1), 120)
        else coalesce(left(_files ->> logs.id::text, 120), private.error_place(error_stack, url))
      end as place,
      left(metadata ->> 'release', 40) as release, source, case source when 'server' then session_id end as request_id
    from public.error_logs as logs
    where not exists (select from private.grouped_errors where log_id = logs.id)
      -- Those that came since their frames were read wait for the next run.
      and (source = 'server' or _files is null or _files ? logs.id::text)
  ), groups as (
    insert into private.error_groups as known (
      message, place, first_seen_at, last_seen_at, first_release, last_release, source, last_request_id
    )
    select message, place, min(created_at), max(created_at),
      (array_agg(release order by created_at) filter (where release is not null))[1],
      (array_agg(release order by created_at desc) filter (where release is not null))[1],
      max(source), (array_agg(request_id order by created_at desc) filter (where request_id is not null))[1]
    from fresh group by message, place
    on conflict (message, place) do update set
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
      last_release = coalesce(excluded.last_release, known.last_release),
      last_request_id = coalesce(excluded.last_request_id, known.last_request_id)
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
    -- The server does not say whose request it was.
    select group_id, count(distinct coalesce(user_id::text, session_id)) filter (where source = 'browser') as people
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
$$;
comment on function private.group_errors(jsonb) is
  'Count new errors in their groups, with the files that those of browsers came from ({id: file or null}), and open groups '
  'again that an admin had decided and that are back.';
revoke all on function private.group_errors from public, anon, authenticated, service_role;
grant execute on function private.group_errors to service_role;

create function private.is_back(_group private.error_groups)
  returns boolean
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.is_back(private.error_groups) is 'Whether errors since an admin decided open a group again.';
revoke all on function private.is_back from public, anon, authenticated, service_role;

create function public.admin_error_groups(_state text, _hours integer)
  returns table (
    id bigint, message text, place text, state text, is_back boolean, count bigint, before bigint, people integer,
    first_seen_at timestamptz, last_seen_at timestamptz, first_release text, last_release text, muted_until integer,
    source text, last_request_id text
  )
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _period constant interval := make_interval(hours => least(greatest(_hours, 1), 2400));
begin
  perform private.require_admin();
  return query
    select groups.id, groups.message, groups.place, groups.state, groups.reopened_at is not null, seen.now, seen.before,
      case when groups.people >= 5 then groups.people end, groups.first_seen_at, groups.last_seen_at,
      groups.first_release, groups.last_release, groups.muted_until, groups.source, groups.last_request_id
    from private.error_groups as groups
    cross join lateral (
      select coalesce(sum(hours.count) filter (where hour > now() - _period), 0) as now,
        coalesce(sum(hours.count) filter (where hour <= now() - _period and hour > now() - 2 * _period), 0) as before
      from private.error_hours as hours where hours.group_id = groups.id
    ) as seen
    where groups.state = _state or _state = 'resolved' and groups.state = 'next_release'
    order by groups.reopened_at is null, seen.now desc, groups.last_seen_at desc limit 100;
end
$$;
comment on function public.admin_error_groups(text, integer) is
  'The groups of errors in a state with their count in a period and in the one before, for admins; fewer than five people are null.';
revoke all on function public.admin_error_groups from public, anon, authenticated, service_role;
grant execute on function public.admin_error_groups to authenticated;

create function private.error_frames(_stack text, _source text)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  -- Files and lines only: the rest of a stack may quote what a person typed. A visitor writes the text, so it is
  -- bounded, and a file name has no slash: functions/_shared/source_maps.py looks it up.
  select coalesce(jsonb_agg(jsonb_build_object(
    'file', found[1], 'line', found[2]::integer, 'column', nullif(found[3], '')::integer, 'name', found[4]
  ) order by place), '[]')
  from (
    select found, place
    from regexp_matches(_stack, '/assets/([\w~][\w.~-]{0,100}\.m?js):(\d{1,7}):(\d{1,7})(?!\d)()', 'g')
      with ordinality as browser (found, place)
    where _source = 'browser'
    union all
    select found, place
    from regexp_matches(_stack, '^  ([\w./]{1,200}):(\d{1,7})() (\S{1,100})$', 'gn') with ordinality as server (found, place)
    where _source = 'server'
    order by place limit 30
  ) as frames
$$;
comment on function private.error_frames(text, text) is 'Return the places in the code that a stack names.';
revoke all on function private.error_frames from public, anon, authenticated, service_role;

create function public.admin_error_trace(_id bigint)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return (
    select jsonb_build_object(
      'at', logs.created_at,
      'release', substring(metadata ->> 'release' from '^[\w.-]{1,40}$'),
      'viewport', substring(metadata ->> 'viewport' from '^\d{1,5}x\d{1,5}$'),
      'browser', case logs.source when 'browser' then private.browser_of(user_agent) end,
      'stack', private.error_frames(error_stack, logs.source),
      'components', private.error_frames(component_stack, logs.source)
    )
    from private.grouped_errors join public.error_logs as logs on logs.id = log_id
    where group_id = _id order by log_id desc limit 1
  );
end
$$;
comment on function public.admin_error_trace(bigint) is
  'The places in the code of the newest error of a group, for admins; null when none is kept.';
revoke all on function public.admin_error_trace from public, anon, authenticated, service_role;
grant execute on function public.admin_error_trace to authenticated;

create function public.admin_decide_error(
  _id bigint, _decision text, _release text, _reason text, _muted_until integer default null
)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
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
$$;
comment on function public.admin_decide_error(bigint, text, text, text, integer) is
  'Open, resolve or mute a group of errors, for admins; `_release` is the build they run. Returns the state, or unknown.';
revoke all on function public.admin_decide_error from public, anon, authenticated, service_role;
grant execute on function public.admin_decide_error to authenticated;

alter table private.error_groups enable row level security;
alter table private.grouped_errors enable row level security;
alter table private.error_hours enable row level security;

revoke all on private.error_groups from public, anon, authenticated, service_role;
revoke all on private.grouped_errors from public, anon, authenticated, service_role;
revoke all on private.error_hours from public, anon, authenticated, service_role;
