-- Quality: what automated runs find on phones and in browsers, and what admins say about it.
--
-- functions/qa_report.py reads a report of Playwright and keeps one run of each kind and browser. The screens
-- /admin/mobile-qa and /admin/browser-testing show the newest run of each cell: a route at a width, or a route in a
-- version of a browser. None is about a person: tests use accounts of their own.
--
-- An admin asks for a run; a test machine takes the request by functions/qa_requests.py and says every minute that it
-- still works on it (scripts/qa_runner.py). The state of a request follows from its times, so no job has to end it.
--
-- Error codes raised:
--   PT404  no run has such a cell (PostgREST answers 404)
--   PT422  an exception without a failed check, or with a day that is over or more than a year away

create table private.qa_runs (
  -- Of the report, so that sending it again changes nothing.
  id text primary key,
  kind text not null,
  source public.single_line not null,
  release text,
  commit text,
  browser text not null,
  browser_version text not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  kept_at timestamptz not null default now(),
  -- Of an admin, where one asked for this run; no reference, because a later request replaces it.
  request_id uuid,

  constraint id_is_an_identifier check (id ~ '^[A-Za-z0-9._-]{1,100}$'),
  constraint kind_is_known check (kind in ('mobile', 'browser')),
  constraint browser_is_a_name check (browser ~ '^[a-z][a-z0-9 ]{0,29}$' and browser_version ~ '^[0-9.]{1,30}$'),
  constraint texts_fit check (char_length(source) <= 60 and char_length(release) <= 40 and char_length(commit) <= 40),
  constraint the_end_is_not_before_the_start check (finished_at >= started_at)
);
comment on table private.qa_runs is 'Automated runs on phones and in browsers; the last 30 of each kind are kept.';

create table private.qa_items (
  id bigint primary key generated always as identity,
  run_id text not null references private.qa_runs (id) on delete cascade,
  route text not null,
  -- Null in a run of a browser.
  width integer,
  check_name text not null,
  outcome text not null,
  note text not null default '',
  -- Of a failure: PNG, JPEG or WebP. In the row, so that it goes with its run.
  picture bytea,

  constraint route_is_a_path check (route ~ '^/[^\s]{0,199}$'),
  constraint width_is_of_a_screen check (width between 200 and 4000),
  constraint check_is_known check (check_name in ('opens', 'overflow', 'tap_target', 'keyboard', 'bottom_bar')),
  constraint outcome_is_known check (outcome in ('passed', 'failed', 'skipped')),
  constraint texts_fit check (char_length(note) <= 1000 and octet_length(picture) <= 1048576)
);
comment on table private.qa_items is 'What a run found: one row for each route, width and check.';

create table private.qa_verdicts (
  kind text not null,
  route text not null,
  place text not null,
  outcome text not null,
  -- The checks that had failed when an exception was accepted: another failure is none of it.
  checks text[] not null default '{}',
  note text not null,
  -- The last day of an exception, in Italy.
  until date,
  given_at timestamptz not null default now(),

  primary key (kind, route, place),
  constraint outcome_is_known check (outcome in ('passed', 'failed', 'accepted')),
  constraint an_exception_has_a_day check ((outcome = 'accepted') = (until is not null)),
  constraint note_fits check (char_length(btrim(note)) between 3 and 500)
);
comment on table private.qa_verdicts is
  'What admins say about cells: seen by hand until the next run, or an exception until a day.';

create table private.qa_requests (
  -- One request of each kind: the next one replaces it.
  kind text primary key,
  id uuid not null default gen_random_uuid(),
  asked_at timestamptz not null default now(),
  machine public.single_line,
  taken_at timestamptz,
  -- When the machine last said that it works on it.
  seen_at timestamptz,
  ended_at timestamptz,
  -- Why no run came of it.
  failure text,

  constraint kind_is_known check (kind in ('mobile', 'browser')),
  constraint a_machine_takes_it check (num_nulls(machine, taken_at, seen_at) in (0, 3)),
  constraint only_a_taken_request_ends check (ended_at is null or taken_at is not null),
  constraint a_failure_is_an_end check (failure is null or ended_at is not null),
  constraint machine_fits check (char_length(machine) between 1 and 60),
  constraint failure_fits check (char_length(failure) between 1 and 300)
);
comment on table private.qa_requests is 'The newest request of an admin for a run of each kind.';

create index qa_runs_latest on private.qa_runs (kind, started_at desc);

create index qa_items_run on private.qa_items (run_id);

create function private.qa_place(_run private.qa_runs, _width integer)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case _run.kind when 'mobile' then _width::text else concat(_run.browser, ' ', split_part(_run.browser_version, '.', 1)) end
$$;
comment on function private.qa_place(private.qa_runs, integer) is
  'Return the column of a cell: a width, or a browser with its major version.';
revoke all on function private.qa_place from public, anon, authenticated, service_role;

create function private.qa_request_state(_request private.qa_requests)
  returns text
  language sql stable
  set search_path = ''
as $$
  select case
    when _request.failure is not null then 'failed'
    when _request.ended_at is not null then 'done'
    when _request.taken_at is null and _request.asked_at < now() - interval '1 hour' then 'expired'
    when _request.seen_at < now() - interval '5 minutes' then 'expired'
    when _request.taken_at is null then 'waiting'
    else 'running'
  end
$$;
comment on function private.qa_request_state(private.qa_requests) is
  'Return waiting, running, done, failed, or expired: not taken within an hour, or a machine silent for five minutes.';
revoke all on function private.qa_request_state from public, anon, authenticated, service_role;

create function private.take_qa_request(_machine text)
  returns jsonb
  language sql volatile security definer
  set search_path = ''
as $$
  update private.qa_requests as requests set machine = _machine, taken_at = now(), seen_at = now()
  where requests.kind = (
    select oldest.kind from private.qa_requests as oldest where private.qa_request_state(oldest) = 'waiting'
    order by asked_at limit 1 for update skip locked
  )
  returning jsonb_build_object('id', id, 'kind', kind)
$$;
comment on function private.take_qa_request(text) is
  'Give the oldest waiting request to one machine; null while no request waits.';
revoke all on function private.take_qa_request from public, anon, authenticated, service_role;
grant execute on function private.take_qa_request to service_role;

create function private.note_qa_request(_id uuid, _failure text default null)
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with noted as (
    update private.qa_requests
    set seen_at = now(), failure = _failure, ended_at = case when _failure is not null then now() end
    where id = _id and taken_at is not null and ended_at is null
    returning id
  )
  select exists (select from noted)
$$;
comment on function private.note_qa_request(uuid, text) is
  'Note that the machine still works on a request, or why it failed; false: it is cancelled, replaced or over.';
revoke all on function private.note_qa_request from public, anon, authenticated, service_role;
grant execute on function private.note_qa_request to service_role;

create function private.keep_qa_run(_run jsonb, _items jsonb, _request_id uuid default null)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Also for a run that is known: its sender may not have got the answer.
  update private.qa_requests set seen_at = now(), ended_at = now()
  where id = _request_id and kind = _run ->> 'kind' and taken_at is not null and ended_at is null;
  insert into private.qa_runs (
    id, kind, source, release, commit, browser, browser_version, started_at, finished_at, request_id
  )
  select id, kind, source, release, commit, browser, browser_version, started_at, finished_at, _request_id
  from jsonb_to_record(_run) as run (
    id text, kind text, source text, release text, commit text, browser text, browser_version text,
    started_at timestamptz, finished_at timestamptz
  )
  on conflict (id) do nothing;
  if not found then
    return false;
  end if;
  insert into private.qa_items (run_id, route, width, check_name, outcome, note, picture)
  select _run ->> 'id', route, width, check_name, outcome, coalesce(note, ''), decode(picture, 'base64')
  from jsonb_to_recordset(_items) as items (
    route text, width integer, check_name text, outcome text, note text, picture text
  );
  return true;
end
$$;
comment on function private.keep_qa_run(jsonb, jsonb, uuid) is
  'Keep a run with its items, pictures in base64, and end the request of its kind; false: the run is known.';
revoke all on function private.keep_qa_run from public, anon, authenticated, service_role;
grant execute on function private.keep_qa_run to service_role;

create function private.forget_qa_runs(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.qa_runs where id in (
      select id from (
        select id, row_number() over (partition by kind order by started_at desc, id) as place from private.qa_runs
      ) as runs
      where place > 30 limit _limit
    )
    returning id
  )
  select count(*) from gone
$$;
comment on function private.forget_qa_runs(integer) is
  'Delete runs but the last thirty of each kind, with their items and pictures; return how many.';
revoke all on function private.forget_qa_runs from public, anon, authenticated, service_role;
grant execute on function private.forget_qa_runs to service_role;

create function private.qa_cells(_kind text)
  returns table (
    route text, place text, run_id text, tested_at timestamptz, outcome text, state text, failed text[], items jsonb,
    verdict jsonb
  )
  language sql stable
  set search_path = ''
as $$
  with found as (
    select items.id, items.route, private.qa_place(runs, items.width) as place, run_id, started_at, kept_at, check_name,
      outcome, note, picture is not null as has_picture
    from private.qa_items as items join private.qa_runs as runs on runs.id = run_id where kind = _kind
  ), newest as (
    select distinct on (route, place) route, place, run_id from found order by route, place, started_at desc, run_id
  ), cells as (
    select route, place, run_id, max(started_at) as tested_at, max(kept_at) as kept_at,
      case
        when bool_or(outcome = 'failed') then 'failed'
        when bool_or(outcome = 'passed') then 'passed'
        else 'skipped'
      end as outcome,
      coalesce(array_agg(distinct check_name) filter (where outcome = 'failed'), '{}') as failed,
      jsonb_agg(jsonb_build_object(
        'id', id, 'check', check_name, 'outcome', outcome, 'note', note, 'has_picture', has_picture
      ) order by id) as items
    from newest join found using (route, place, run_id) group by route, place, run_id
  )
  select cells.route, cells.place, cells.run_id, cells.tested_at, cells.outcome,
    case
      when verdicts.outcome = 'accepted' and cells.outcome = 'failed' and cells.failed <@ verdicts.checks
        and verdicts.until >= (now() at time zone 'Europe/Rome')::date then 'accepted'
      -- A newer run knows better.
      when verdicts.outcome in ('passed', 'failed') and verdicts.given_at > cells.kept_at then verdicts.outcome
      else cells.outcome
    end,
    cells.failed, cells.items,
    case when verdicts.kind is not null then jsonb_build_object(
      'outcome', verdicts.outcome, 'note', verdicts.note, 'until', verdicts.until, 'given_at', verdicts.given_at
    ) end
  from cells
  left join private.qa_verdicts as verdicts
    on verdicts.kind = _kind and verdicts.route = cells.route and verdicts.place = cells.place
$$;
comment on function private.qa_cells(text) is
  'The newest run of each cell and its state: passed, failed, skipped, or accepted until a day.';
revoke all on function private.qa_cells from public, anon, authenticated, service_role;

create function public.admin_qa(_kind text)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return jsonb_build_object(
    'request', (
      select to_jsonb(requests) || jsonb_build_object('state', private.qa_request_state(requests))
      from private.qa_requests as requests where kind = _kind
    ),
    'runs', (
      select coalesce(jsonb_agg(to_jsonb(latest) order by started_at desc), '[]')
      from (
        select runs.id, source, release, commit, browser, browser_version, started_at, finished_at, request_id,
          count(*) filter (where outcome = 'passed') as passed, count(*) filter (where outcome = 'failed') as failed
        from private.qa_runs as runs left join private.qa_items on run_id = runs.id
        where kind = _kind group by runs.id order by started_at desc limit 10
      ) as latest
    ),
    'cells', (
      select coalesce(jsonb_agg(to_jsonb(cells) order by route, place), '[]') from private.qa_cells(_kind) as cells
    )
  );
end
$$;
comment on function public.admin_qa(text) is 'The last runs of a kind, the state of each cell and the newest request for a run, for admins.';
revoke all on function public.admin_qa from public, anon, authenticated, service_role;
grant execute on function public.admin_qa to authenticated;

create function public.admin_qa_picture(_item_id bigint)
  returns text
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return (select encode(picture, 'base64') from private.qa_items where id = _item_id);
end
$$;
comment on function public.admin_qa_picture(bigint) is 'The picture of a failure in base64, for admins; null: there is none.';
revoke all on function public.admin_qa_picture from public, anon, authenticated, service_role;
grant execute on function public.admin_qa_picture to authenticated;

create function public.admin_keep_qa_run(_run jsonb, _items jsonb)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '10s'
as $$
declare
  _is_new boolean;
begin
  perform private.require_admin();
  _is_new := private.keep_qa_run(_run, _items);
  if _is_new then
    perform private.log_admin_action(
      'qa.import', _run ->> 'id', null, null, jsonb_build_object('items', jsonb_array_length(_items)), 'Esito importato'
    );
  end if;
  return _is_new;
end
$$;
comment on function public.admin_keep_qa_run(jsonb, jsonb) is 'Keep a run that an admin imports, as private.keep_qa_run does.';
revoke all on function public.admin_keep_qa_run from public, anon, authenticated, service_role;
grant execute on function public.admin_keep_qa_run to authenticated;

create function public.admin_judge_qa(
  _kind text, _route text, _place text, _outcome text, _note text, _until date default null
)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _today constant date := (now() at time zone 'Europe/Rome')::date;
  _cell record;
begin
  perform private.require_admin();
  select * into _cell from private.qa_cells(_kind) as cells where cells.route = _route and cells.place = _place;
  if not found then
    raise exception 'no such cell' using errcode = 'PT404';
  end if;
  if _outcome = 'accepted' and (
    _cell.failed = '{}' or _until is null or _until < _today or _until > _today + 366
  ) then
    raise exception 'no exception can be accepted so' using errcode = 'PT422';
  end if;
  insert into private.qa_verdicts (kind, route, place, outcome, checks, note, until)
  values (_kind, _route, _place, _outcome, _cell.failed, _note, case _outcome when 'accepted' then _until end)
  on conflict (kind, route, place) do update set outcome = excluded.outcome, checks = excluded.checks,
    note = excluded.note, until = excluded.until, given_at = excluded.given_at;
  perform private.log_admin_action(
    'qa.verdict', left(concat_ws(' ', _kind, _route, _place), 200), null,
    jsonb_build_object('state', _cell.state, 'verdict', _cell.verdict),
    jsonb_build_object('outcome', _outcome, 'until', _until), _note
  );
  return (
    select state from private.qa_cells(_kind) as cells where cells.route = _route and cells.place = _place
  );
end
$$;
comment on function public.admin_judge_qa(text, text, text, text, text, date) is
  'Say passed or failed of a cell, or accept its failure until a day, for admins; the note is the reason in the log. '
  'Returns its state. PT404, PT422.';
revoke all on function public.admin_judge_qa from public, anon, authenticated, service_role;
grant execute on function public.admin_judge_qa to authenticated;

create function public.admin_ask_qa(_kind text)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _id uuid;
begin
  perform private.require_admin();
  insert into private.qa_requests as requests (kind) values (_kind)
  on conflict (kind) do update set id = excluded.id, asked_at = excluded.asked_at, machine = null, taken_at = null,
    seen_at = null, ended_at = null, failure = null
    where private.qa_request_state(requests) not in ('waiting', 'running')
  returning id into _id;
  if found then
    perform private.log_admin_action(
      'qa.ask', _kind, null, null, jsonb_build_object('request', _id), 'Prova automatica chiesta'
    );
    return _id;
  end if;
  return (select id from private.qa_requests where kind = _kind);
end
$$;
comment on function public.admin_ask_qa(text) is
  'Ask for an automated run of a kind, for admins; where one is asked for already, return that request.';
revoke all on function public.admin_ask_qa from public, anon, authenticated, service_role;
grant execute on function public.admin_ask_qa to authenticated;

create function public.admin_cancel_qa(_id uuid)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _kind text;
begin
  perform private.require_admin();
  delete from private.qa_requests as requests
  where id = _id and private.qa_request_state(requests) in ('waiting', 'running')
  returning kind into _kind;
  if not found then
    return false;
  end if;
  perform private.log_admin_action(
    'qa.cancel', _kind, null, jsonb_build_object('request', _id), null, 'Prova automatica annullata'
  );
  return true;
end
$$;
comment on function public.admin_cancel_qa(uuid) is
  'Cancel a request for a run, for admins; its machine stops within a minute. False: it is over.';
revoke all on function public.admin_cancel_qa from public, anon, authenticated, service_role;
grant execute on function public.admin_cancel_qa to authenticated;

alter table private.qa_runs enable row level security;
alter table private.qa_items enable row level security;
alter table private.qa_verdicts enable row level security;
alter table private.qa_requests enable row level security;

revoke all on private.qa_runs from public, anon, authenticated, service_role;
revoke all on private.qa_items from public, anon, authenticated, service_role;
revoke all on private.qa_verdicts from public, anon, authenticated, service_role;
revoke all on private.qa_requests from public, anon, authenticated, service_role;
