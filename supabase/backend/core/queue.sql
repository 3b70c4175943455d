-- Run after pgqueuer has made its tables, at every migration: what stands on them.

-- A function enqueues in its own transaction, as service_role; no other API role comes near.
grant usage on schema jobs to service_role;
grant select, insert on jobs.pgqueuer, jobs.pgqueuer_log to service_role;
grant usage on all sequences in schema jobs to service_role;
grant insert on jobs.mails to service_role;
grant select (mail_id) on jobs.mails to service_role;

-- Whose turn it is: a lane is a user, or everything that belongs to nobody.
create index if not exists pgqueuer_lanes on jobs.pgqueuer ((coalesce(headers ->> 'user_id', '')), priority desc, id)
  where status = 'queued';
create index if not exists pgqueuer_running on jobs.pgqueuer ((coalesce(headers ->> 'user_id', '')), entrypoint)
  where status = 'picked';

-- Takes up to _batch jobs for one worker: the highest priority first, within it the users in turn, each one's oldest
-- first. A user who has jobs running comes after those who have none, and two jobs of one user and name never run at
-- once. What a dead worker left behind (no heartbeat for _lease) is taken over.
-- One claim at a time: a lock on rows alone would not see what another claim is about to take.
create or replace function jobs.claim(_batch integer, _names text[], _worker uuid, _worker_limit integer, _lease interval)
  returns setof jobs.pgqueuer
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('jobs.claim', 0));
  return query
  with recursive lanes as (
    (
      select coalesce(headers ->> 'user_id', '') as lane from jobs.pgqueuer
      where status = 'queued' order by coalesce(headers ->> 'user_id', '') limit 1
    )
    union all
    select (
      select coalesce(headers ->> 'user_id', '') from jobs.pgqueuer
      where status = 'queued' and coalesce(headers ->> 'user_id', '') > lanes.lane
      order by coalesce(headers ->> 'user_id', '') limit 1
    )
    from lanes where lanes.lane is not null
  ),
  first_of_lanes as (
    select job.id, job.priority,
      (select count(*) from jobs.pgqueuer running
        where running.status = 'picked' and coalesce(running.headers ->> 'user_id', '') = lanes.lane)
      + row_number() over (partition by lanes.lane order by job.priority desc, job.id) as turn
    from lanes
    cross join lateral (
      select candidate.id, candidate.priority
      from jobs.pgqueuer candidate
      where candidate.status = 'queued'
        and coalesce(candidate.headers ->> 'user_id', '') = lanes.lane
        and candidate.execute_after <= now()
        and candidate.entrypoint = any (_names)
        and (
          lanes.lane = ''
          or not exists (
            select from jobs.pgqueuer other
            where coalesce(other.headers ->> 'user_id', '') = lanes.lane and other.entrypoint = candidate.entrypoint
              and (
                other.status = 'picked'
                or (
                  other.status = 'queued' and other.execute_after <= now()
                  and (other.priority > candidate.priority
                    or (other.priority = candidate.priority and other.id < candidate.id))
                )
              )
          )
        )
      order by candidate.priority desc, candidate.id
      limit _batch
    ) job
  ),
  left_behind as (
    select id, priority, 0::bigint as turn from jobs.pgqueuer
    where status = 'picked' and entrypoint = any (_names) and heartbeat < now() - _lease
    order by priority desc, id
    limit _batch
  ),
  chosen as (
    select job.id
    from (select * from first_of_lanes union all select * from left_behind) as due
    join jobs.pgqueuer job on job.id = due.id
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
revoke all on function jobs.latest_migration() from public;
revoke all on function jobs.health() from public;
grant execute on function jobs.health() to service_role;
