-- Run after pgqueuer has made its tables, at every migration: what stands on them.

-- A function enqueues in its own transaction, as service_role; no other API role comes near.
grant usage on schema jobs to service_role;
grant select, insert on jobs.pgqueuer, jobs.pgqueuer_log to service_role;
grant usage on all sequences in schema jobs to service_role;
grant insert on jobs.mails to service_role;
grant select (mail_id) on jobs.mails to service_role;

-- A notification makes its commit wait for those of all other transactions that notify, each with its own write to disk
-- (LockSharedObject in PreCommit_Notify, src/backend/commands/async.c). pgqueuer notifies at each insert; here, of the
-- transactions that are about to commit one at a time does, and the worker looks again for the others (core/queue.py).
-- Deferred, so that the lock is held for the commit alone.
create or replace function jobs.notify_worker()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if pg_try_advisory_xact_lock(hashtextextended('jobs.notify_worker', 0)) then
    perform pg_notify('jobs_changed', json_build_object(
      'channel', 'jobs_changed', 'operation', 'insert', 'sent_at', now(), 'table', tg_table_name, 'type', 'table_changed_event'
    )::text);
  end if;
  return null;
end
$$;
revoke all on function jobs.notify_worker() from public;

do $$
begin
  -- Its trigger by its name, which pgqueuer looks for.
  create or replace trigger tg_pgqueuer_changed after delete or truncate on jobs.pgqueuer
    execute function jobs.fn_pgqueuer_changed();
  if not exists (select from pg_trigger where tgrelid = 'jobs.pgqueuer'::regclass and tgname = 'notify_worker') then
    create constraint trigger notify_worker after insert on jobs.pgqueuer deferrable initially deferred
      for each row execute function jobs.notify_worker();
  end if;
end
$$;

-- Whose turn it is: a lane is a user, or everything that belongs to nobody.
create index if not exists pgqueuer_turns
  on jobs.pgqueuer ((coalesce(headers ->> 'user_id', '')), entrypoint, priority desc, id) where status = 'queued';
create index if not exists pgqueuer_running on jobs.pgqueuer ((coalesce(headers ->> 'user_id', '')), entrypoint)
  where status = 'picked';
create index if not exists pgqueuer_order on jobs.pgqueuer (priority desc, id) where status = 'queued';

-- Takes up to _batch jobs for one worker: the highest priority first, within it the users in turn, each one's oldest
-- first. A user who has jobs running comes after those who have none, and two jobs of one user and name never run at
-- once. What a dead worker left behind (no heartbeat for _lease) is taken over. Jobs below the usual priority, which a worker
-- does one after the other (core/jobs.py), it gets when it has none, so that they leave room for others.
-- One claim at a time: a lock on rows alone would not see what another claim is about to take.
create or replace function jobs.claim(_batch integer, _names text[], _worker uuid, _worker_limit integer, _lease interval)
  returns setof jobs.pgqueuer
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('jobs.claim', 0));
  return query
  -- The lanes and names with something queued, found by jumping from one to the next in pgqueuer_turns. Five hundred jumps
  -- take 5 ms, and a new day queues a job for everybody: beyond them, those of the jobs that have waited longest.
  with recursive jumps as (
    (
      select coalesce(headers ->> 'user_id', '') as lane, entrypoint as name, 1 as place from jobs.pgqueuer
      where status = 'queued' order by coalesce(headers ->> 'user_id', ''), entrypoint limit 1
    )
    union all
    select next.lane, next.name, jumps.place + 1
    from jumps
    cross join lateral (
      select coalesce(headers ->> 'user_id', '') as lane, entrypoint as name from jobs.pgqueuer
      where status = 'queued' and (coalesce(headers ->> 'user_id', ''), entrypoint) > (jumps.lane, jumps.name)
      order by coalesce(headers ->> 'user_id', ''), entrypoint limit 1
    ) as next
    where jumps.place < 500
  ),
  queues as (
    select lane, name from jumps
    union
    select * from (
      select lane, name
      from (
        select coalesce(headers ->> 'user_id', '') as lane, entrypoint as name, priority, id from jobs.pgqueuer
        where status = 'queued' and execute_after <= now() and (select count(*) from jumps) = 500
        -- Somebody's thousands of pages are one lane.
        order by priority desc, id limit 20000
      ) as waiting
      group by lane, name order by max(priority) desc, min(id) limit 500
    ) as oldest
  ),
  running as materialized (
    select coalesce(headers ->> 'user_id', '') as lane, entrypoint as name, count(*) as jobs from jobs.pgqueuer
    where status = 'picked' group by 1, 2
  ),
  busy as materialized (
    select lane, sum(jobs) as jobs from running group by lane
  ),
  first_of_queues as (
    select queues.lane, job.id, job.priority
    from queues
    left join running on running.lane = queues.lane and running.name = queues.name
    cross join lateral (
      select candidate.id, candidate.priority
      from jobs.pgqueuer candidate
      where candidate.status = 'queued' and candidate.entrypoint = queues.name
        and coalesce(candidate.headers ->> 'user_id', '') = queues.lane and candidate.execute_after <= now()
      order by candidate.priority desc, candidate.id
      limit case when queues.lane = '' then _batch else 1 end
    ) as job
    where queues.name = any (_names) and (queues.lane = '' or running.jobs is null)
  ),
  first_of_lanes as (
    select first_of_queues.id, first_of_queues.priority,
      coalesce(busy.jobs, 0)
      + row_number() over (partition by first_of_queues.lane order by first_of_queues.priority desc, first_of_queues.id)
        as turn
    from first_of_queues
    left join busy on busy.lane = first_of_queues.lane
  ),
  left_behind as (
    select id, priority, 0::numeric as turn from jobs.pgqueuer
    where status = 'picked' and entrypoint = any (_names) and heartbeat < now() - _lease
    order by priority desc, id
    limit _batch
  ),
  chosen as (
    select job.id
    from (select * from first_of_lanes union all select * from left_behind) as due
    join jobs.pgqueuer job on job.id = due.id
    where due.priority >= 0 or not exists (
      select from jobs.pgqueuer
      where status = 'picked' and priority < 0 and queue_manager_id = _worker and heartbeat > now() - _lease
    )
    order by due.priority desc, due.turn, due.id
    limit greatest(0, least(
      _batch,
      _worker_limit - (select count(*) from jobs.pgqueuer where status = 'picked' and queue_manager_id = _worker)
    ))
    for update of job skip locked
  ),
  claimed as (
    update jobs.pgqueuer job
    set status = 'picked', updated = now(), heartbeat = now(), queue_manager_id = _worker
    from chosen
    where job.id = chosen.id
    returning job.*
  ),
  logged as (
    insert into jobs.pgqueuer_log (job_id, status, entrypoint, priority)
    select id, status, entrypoint, priority from claimed
  )
  select * from claimed;
end
$$;

-- Enqueues a job of a user for now, in the transaction of a function of the database: what `jobs.enqueue` is in Python.
-- Its place in a trace is that of the request, which PostgREST and core/db.py set; no server passes a visitor's on.
create or replace function jobs.enqueue(_name text, _payload jsonb, _user_id uuid)
  returns void
  language sql
  set search_path = ''
as $$
  insert into jobs.pgqueuer (priority, entrypoint, payload, headers, status)
  values (0, _name, convert_to(_payload::text, 'UTF8'), jsonb_strip_nulls(jsonb_build_object(
    'user_id', _user_id,
    'traceparent', substring(
      nullif(current_setting('request.headers', true), '')::json ->> 'traceparent'
      from '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
    )
  )), 'queued')
$$;

create or replace function jobs.latest_migration()
  returns text
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return (select max(version) from supabase_migrations.schema_migrations);
exception
  when undefined_table or invalid_schema_name then
    return null;
end
$$;

-- What an admin wants to know about the queue and the outbox, without any content.
create or replace function jobs.health()
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_build_object(
    'latest_migration', jobs.latest_migration(),
    'waiting', (select count(*) from jobs.pgqueuer where status = 'queued' and execute_after <= now()),
    'postponed', (select count(*) from jobs.pgqueuer where status = 'queued' and execute_after > now()),
    'running', (select count(*) from jobs.pgqueuer where status = 'picked'),
    'longest_wait_s', coalesce((
      select extract(epoch from now() - min(execute_after))::int from jobs.pgqueuer
      where status = 'queued' and execute_after <= now()
    ), 0),
    'periodic_late_s', coalesce((
      select greatest(0, extract(epoch from now() - min(due_at))::int) from jobs.periodic
    ), 0),
    'dead_letters', (select count(*) from jobs.dead_letters),
    'latest_dead_letters', coalesce((
      select jsonb_agg(jsonb_build_object(
        'job_id', job_id, 'name', name, 'attempts', attempts, 'error', left(error, 300), 'died_at', died_at
      ) order by died_at desc)
      from (select * from jobs.dead_letters order by died_at desc limit 20) as latest
    ), '[]'::jsonb),
    'mails_waiting', (select count(*) from jobs.mails where status = 'queued'),
    'mails_failed_today', (
      select count(*) from jobs.mails where status = 'failed' and updated_at > now() - interval '1 day'
    ),
    'oldest_mail_s', coalesce((
      select extract(epoch from now() - min(created_at))::int from jobs.mails where status = 'queued'
    ), 0)
  )
$$;

revoke all on function jobs.claim(integer, text[], uuid, integer, interval) from public;
revoke all on function jobs.enqueue(text, jsonb, uuid) from public;
grant execute on function jobs.enqueue(text, jsonb, uuid) to service_role;
revoke all on function jobs.latest_migration() from public;
revoke all on function jobs.health() from public;
grant execute on function jobs.health() to service_role;
