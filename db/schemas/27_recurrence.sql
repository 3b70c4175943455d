-- Recurrence: when a repeating task is due next, and the functions that complete, reopen, skip and stop it.
--
-- Computed on the wall clock of Europe/Rome, per RFC 5545: nine o'clock stays nine o'clock across daylight saving, and
-- a month without a 31st has no occurrence of «every 31st» (BYMONTHDAY=-1 is the last day of each month). A series is
-- one open task at a time; completing it makes the next one. The functions act with the rights of their caller.
--
-- A series at half past two meets the night without that hour: that day it is due at half past three, and the next day
-- at half past two again. The hour that the series means is that of the occurrence before.
--
-- Candidates run period by period from the start to 41 periods past the moment asked for: within that many years comes
-- every 29 February, and a fifth Monday in a month that has one.

create function public.next_occurrence(
  _rrule text, _start timestamp, _after timestamp, _keeps_month boolean default false
)
  returns table (at timestamp, nth integer)
  language sql stable
  set search_path = ''
as $$
  with rule as (
    select substring(_rrule from 'FREQ=([A-Z]+)') as freq,
      coalesce(substring(_rrule from 'INTERVAL=([0-9]+)'), '1')::integer as step,
      string_to_array(substring(_rrule from 'BYDAY=([^;]+)'), ',') as weekdays,
      string_to_array(substring(_rrule from 'BYMONTHDAY=([^;]+)'), ',') as monthdays,
      substring(_rrule from 'COUNT=([0-9]+)')::integer as total,
      substring(_rrule from 'UNTIL=([0-9]{8})')::date
        + coalesce(substring(_rrule from 'UNTIL=[0-9]{8}T([0-9]{6})')::time, time '24:00' - interval '1 microsecond') as until,
      greatest(_after, _start) as after
  ), periods as (
    select rule.*, case freq
        when 'DAILY' then _start::date + k * step
        when 'WEEKLY' then date_trunc('week', _start)::date + k * step * 7
        else (date_trunc('month', _start) + k * step * case freq when 'YEARLY' then 12 else 1 end * interval '1 month')::date
      end as first
    from rule, generate_series(0, 41 + case freq
        when 'DAILY' then after::date - _start::date
        when 'WEEKLY' then (after::date - _start::date) / 7
        when 'MONTHLY' then (extract(year from age(after, _start)) * 12 + extract(month from age(after, _start)))::integer
        else extract(year from age(after, _start))::integer
      end / step) as k
  ), months as (
    select *, (first + interval '1 month')::date - first as length, extract(day from _start)::integer as start_day from periods
  ), days as (
    select first as day from periods where freq = 'DAILY'
    union
    select first + array_position(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], weekday) - 1
    from periods, unnest(coalesce(
      weekdays, array[(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'])[extract(isodow from _start)::integer]]
    )) as weekday
    where freq = 'WEEKLY'
    union
    select first + case when place < 0 then length + place else place - 1 end
    from months, unnest(coalesce(
      monthdays::integer[], array[case when _keeps_month then least(start_day, length) else start_day end]
    )) as place
    where freq in ('MONTHLY', 'YEARLY') and weekdays is null and abs(place) <= length
    union
    select day from months, unnest(weekdays) as weekday, lateral (
      select first + offset_days as day, row_number() over (order by offset_days) as place,
        row_number() over (order by offset_days desc) as place_from_end
      from generate_series(0, length - 1) as offset_days
      where extract(isodow from first + offset_days)
        = array_position(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], right(weekday, 2))
    ) as named
    where freq = 'MONTHLY'
      and nullif(left(weekday, -2), '')::integer = case when weekday ~ '^-' then -place_from_end else place end
    union
    select _start::date
  ), occurrences as (
    select day + _start::time as at, row_number() over (order by day)::integer as nth from days where day >= _start::date
  )
  select at, nth from occurrences, rule
  where at > after and (total is null or nth <= total) and (
      until is null
      or at <= case when _rrule ~ 'UNTIL=[0-9T]+Z' then until at time zone 'UTC' at time zone 'Europe/Rome' else until end
    )
  order by at limit 1
$$;
comment on function public.next_occurrence is
  'The first occurrence after a moment of a series that starts with `_start`, and its number in it (the start is 1); none '
  'when the series is over. `_keeps_month`: a month too short for the day of the start has its last day instead.';
revoke all on function public.next_occurrence from public, anon, authenticated, service_role;
grant execute on function public.next_occurrence to authenticated;

create function public.shift_moment(_moment timestamptz, _by interval)
  returns timestamptz
  language sql immutable parallel safe
  set search_path = ''
as $$
  select (_moment at time zone 'Europe/Rome' + _by) at time zone 'Europe/Rome'
$$;
comment on function public.shift_moment is 'A moment moved on the wall clock of Europe/Rome; null when either is.';
revoke all on function public.shift_moment from public, anon, authenticated, service_role;
grant execute on function public.shift_moment to authenticated;

create function public.complete_task(_task_id uuid)
  returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  _task public.tasks;
  _next public.tasks;
  _sequel record;
  -- Copy every column that people may write, so that a new one is not lost.
  _copy constant text := (
    select format(
      'insert into public.tasks (%1$s) select %1$s from unnest($1) on conflict (user_id, previous_id) do nothing returning *',
      string_agg(quote_ident(attname), ', ')
    )
    from pg_catalog.pg_attribute
    where attrelid = 'public.tasks'::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('authenticated', attrelid, attnum, 'insert')
      and attname not in ('id', 'state', 'completed_at')
  );
begin
  select * into _task from public.tasks where id = _task_id and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if _task.state <> 'fatto' then
    update public.tasks set state = 'fatto'
      where user_id = _task.user_id and (id = _task_id or parent_id = _task_id)
        and state <> 'fatto' and deleted_at is null;
    select * into _sequel from public.task_sequel(_task);
    if found then
      _next := _task;
      _next.previous_id := _task_id;
      _next.due_at := _sequel.due_at;
      _next.rrule := _sequel.rrule;
      _next.remind_at := array(
        select moment from unnest(_task.remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      );
      -- The one that was made by an earlier completion and thrown away comes back, with its subtasks.
      update public.tasks
        set deleted_at = null, due_at = _next.due_at, due_is_allday = _next.due_is_allday, remind_at = _next.remind_at,
          rrule = _next.rrule
        where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and deleted_at is not null;
      execute _copy into _next using array[_next];
      if _next.id is not null then
        -- Of a subtask that repeats only the last one: the ones before it are its past.
        execute _copy using array(
          select jsonb_populate_record(step, jsonb_build_object(
            'parent_id', _next.id, 'series_id', null, 'previous_id', null,
            'due_at', coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at),
            'remind_at', array(
              select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
              where moment is not null
            )
          ))
          from public.tasks as step
          where user_id = _task.user_id and parent_id = _task_id and deleted_at is null
            and not exists (
              select from public.tasks as follower
              where follower.user_id = step.user_id and follower.previous_id = step.id and follower.deleted_at is null
            )
        );
      end if;
    end if;
  end if;
  -- The one made now, or by a click before this one.
  select * into _next from public.tasks
    where user_id = _task.user_id and previous_id = _task_id and deleted_at is null;
  return jsonb_build_object('completed', _task_id, 'next', case when found then to_jsonb(_next) end);
end
$$;
comment on function public.complete_task(uuid) is
  'Finishes a task with its open subtasks and makes its next occurrence, subtasks and reminders included. Again it changes '
  'nothing and answers the same. Raises PT404.';
revoke all on function public.complete_task from public, anon, authenticated, service_role;
grant execute on function public.complete_task to authenticated;

create function public.reopen_task(_task_id uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _task public.tasks;
  _removed uuid;
begin
  select * into _task from public.tasks where id = _task_id and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if _task.state = 'fatto' then
    -- Subtasks that were finished with it open again; each is what it was before.
    update public.tasks set state = coalesce((
        select (data ->> 'from')::public.task_state from public.task_events
        where task_events.user_id = tasks.user_id and task_id = tasks.id and kind = 'completata' order by at desc limit 1
      ), 'da_fare')
      where user_id = _task.user_id and state = 'fatto'
        and (id = _task_id or parent_id = _task_id and completed_at = _task.completed_at);
    delete from public.tasks as next
      where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and updated_at = created_at
        and not exists (
          select from public.tasks as child
          where child.user_id = next.user_id and child.parent_id = next.id
            and (child.updated_at > child.created_at or child.created_at > next.created_at)
        )
      returning id into _removed;
  end if;
  return jsonb_build_object('reopened', _task_id, 'removed', _removed);
end
$$;
comment on function public.reopen_task(uuid) is
  'Takes a completion back: the task, the subtasks that went with it, and the next occurrence unless somebody changed it. '
  'Raises PT404.';
revoke all on function public.reopen_task from public, anon, authenticated, service_role;
grant execute on function public.reopen_task to authenticated;

create function public.skip_occurrence(_task_id uuid)
  returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  _task public.tasks;
  _sequel record;
begin
  select * into _task from public.tasks
    where id = _task_id and deleted_at is null and state <> 'fatto' and rrule is not null for update;
  if not found then
    raise exception 'Questa attività non si ripete più' using errcode = 'PT404';
  end if;
  select * into _sequel from public.task_sequel(_task, _skips => true);
  if found then
    update public.tasks set due_at = case when id = _task_id then _sequel.due_at
        else coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at) end,
      remind_at = array(
        select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      ),
      rrule = case when id = _task_id then _sequel.rrule else rrule end
      where user_id = _task.user_id and deleted_at is null and (id = _task_id or parent_id = _task_id and state <> 'fatto');
  else
    update public.tasks set deleted_at = now() where id = _task_id;
  end if;
  return jsonb_build_object('skipped', _task_id, 'next', (
    select to_jsonb(tasks) from public.tasks where id = _task_id and deleted_at is null
  ));
end
$$;
comment on function public.skip_occurrence(uuid) is
  'Moves a repeating task to its next date; the last of a series goes into the trash and next is null. Raises PT404.';
revoke all on function public.skip_occurrence from public, anon, authenticated, service_role;
grant execute on function public.skip_occurrence to authenticated;

create function public.stop_series(_task_id uuid)
  returns integer
  language sql volatile
  set search_path = ''
as $$
  with stopped as (
    update public.tasks set rrule = null
    where user_id = (select auth.uid()) and rrule is not null and state <> 'fatto' and series_id = (
        select series_id from public.tasks where user_id = (select auth.uid()) and id = _task_id
      )
    returning id
  )
  select count(*)::integer from stopped
$$;
comment on function public.stop_series(uuid) is
  'Lets the open task of a series stay as its last. Answers how many tasks no longer repeat.';
revoke all on function public.stop_series from public, anon, authenticated, service_role;
grant execute on function public.stop_series to authenticated;

-- The titles are the lines of a pasted list. Blank lines are left out; bullets and check boxes are removed.
create function public.add_subtasks(_parent uuid, _titles text[])
  returns setof public.tasks
  language plpgsql
  set search_path = ''
as $$
declare
  _task public.tasks;
  _last text;
begin
  select * into _task from public.tasks where id = _parent and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if cardinality(_titles) > 100 then
    raise exception 'Al massimo 100 sottoattività alla volta' using errcode = '22023';
  end if;
  select max(position) into _last from public.tasks
    where user_id = _task.user_id and parent_id = _parent and deleted_at is null;
  if _last is not null and public.place_of(_last) is null then
    -- No key comes after such a one: all are numbered anew.
    with numbered as (
      update public.tasks set position = public.position_at(place)
      from (
        select id as step_id, row_number() over (order by position, id)::integer - 1 as place
        from public.tasks where user_id = _task.user_id and parent_id = _parent and deleted_at is null
      ) as steps
      where user_id = _task.user_id and id = step_id
      returning position
    )
    select max(position) into _last from numbered;
  end if;
  return query
  insert into public.tasks (user_id, project_id, parent_id, contact_id, deal_id, title, position)
    select _task.user_id, _task.project_id, _parent, _task.contact_id, _task.deal_id, left(title, 200),
      public.position_at(coalesce(public.place_of(_last), -1) + place::integer)
    from unnest(_titles) with ordinality as line (text, place), lateral (
      select btrim(regexp_replace(
        regexp_replace(text, '[[:cntrl:][:space:]]+', ' ', 'g'), '^ ?([-*•–]|[0-9]{1,3}[.)])? ?(\[[ xX]?\])? ', ''
      )) as title
    ) as cleaned
    where title <> ''
    returning *;
end
$$;
comment on function public.add_subtasks(uuid, text[]) is
  'Adds at most 100 subtasks at the end of a task''s, in the order of the titles; answers them. Raises PT404, 22023, 23514.';
revoke all on function public.add_subtasks from public, anon, authenticated, service_role;
grant execute on function public.add_subtasks to authenticated;

create function public.task_wall_clock(_task public.tasks)
  returns timestamp
  language sql stable
  set search_path = ''
as $$
  select coalesce(
    (
      select meant from (
        select (data ->> 'from')::timestamptz as due_at from public.task_events
        where user_id = _task.user_id and task_id = _task.id and kind = 'scadenza'
          and (data ->> 'to')::timestamptz = _task.due_at
        union all
        select due_at from public.tasks where user_id = _task.user_id and id = _task.previous_id
      ) as former, lateral (
        select (_task.due_at at time zone 'Europe/Rome')::date + (former.due_at at time zone 'Europe/Rome')::time as meant
      ) as clock
      -- Another hour that is the same moment: there is one in that night only.
      where meant at time zone 'Europe/Rome' = _task.due_at
      order by meant limit 1
    ),
    _task.due_at at time zone 'Europe/Rome'
  )
$$;
comment on function public.task_wall_clock(public.tasks) is
  'When a task is due on the clock of Europe/Rome; in the night of the spring change the hour that its series means.';
revoke all on function public.task_wall_clock from public, anon, authenticated, service_role;
grant execute on function public.task_wall_clock to authenticated;

create function public.shift_with_task(_task public.tasks, _moment timestamptz, _by interval)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  -- What was put off with the task, as a reminder of its very moment is, comes back with it.
  select public.shift_moment(
    _moment, case when _moment > _task.due_at - late and _moment <= _task.due_at then _by - late else _by end
  )
  from (select (_task.due_at at time zone 'Europe/Rome') - public.task_wall_clock(_task) as late) as spring_night
$$;
comment on function public.shift_with_task(public.tasks, timestamptz, interval) is
  'A moment that goes with a task, moved on the wall clock of Europe/Rome by as much as the task; null when either is.';
revoke all on function public.shift_with_task from public, anon, authenticated, service_role;
grant execute on function public.shift_with_task to authenticated;

create function public.task_sequel(_task public.tasks, _skips boolean default false)
  returns table (due_at timestamptz, shift interval, rrule text)
  language sql
  stable
  set search_path = ''
as $$
  with clock as (
    select now() at time zone 'Europe/Rome' as present, public.task_wall_clock(_task) as due
  ), start as (
    select due, case when _task.due_is_allday then date_trunc('day', present) else present end as present
    from clock
  ), reckoned as (
    select due, present, case
        -- A date that is skipped was not done today: from one that is still to come the next is reckoned.
        when due is not null and (_task.repeat_from = 'scadenza' or _skips and due >= present) then due
        else date_trunc('day', present) + coalesce(due::time, time '00:00')
      end as first
    from start
  )
  select at at time zone 'Europe/Rome', at - due,
    coalesce(
      regexp_replace(
        _task.rrule, 'COUNT=[0-9]+', 'COUNT=' || substring(_task.rrule from 'COUNT=([0-9]+)')::integer - nth + 1
      ),
      _task.rrule
    )
  from reckoned, lateral public.next_occurrence(_task.rrule, first, present, _task.repeat_from = 'completamento')
  where _task.rrule is not null and at < '2200-01-01'
$$;
comment on function public.task_sequel(public.tasks, boolean) is
  'When a repeating task is due next if it is done now (or, with `_skips`, left out), how far that is on the wall clock from '
  'its date, and what is left of its rule. Never past: what was missed is passed over. No row when it does not repeat or '
  'the series is over.';
revoke all on function public.task_sequel from public, anon, authenticated, service_role;
grant execute on function public.task_sequel to authenticated;
