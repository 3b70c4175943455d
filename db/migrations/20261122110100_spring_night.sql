-- A series of half past two meets the night in which two o'clock is followed by three: that once it is due at half past
-- three (RFC 5545), and on the next day at half past two again. So what follows is reckoned from the hour that the series
-- means, which the occurrence before knows: the task that made this one, or this one before it was skipped.

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

create or replace function public.task_sequel(_task public.tasks)
  returns table (due_at timestamptz, shift interval, rrule text)
  language sql stable
  set search_path = ''
as $$
  with clock as (
    select now() at time zone 'Europe/Rome' as present, public.task_wall_clock(_task) as due
  ), start as (
    select due, case when _task.due_is_allday then date_trunc('day', present) else present end as present,
      case
        when _task.repeat_from = 'scadenza' and due is not null then due
        else date_trunc('day', present) + coalesce(due::time, time '00:00')
      end as first
    from clock
  )
  select at at time zone 'Europe/Rome', at - due,
    coalesce(
      regexp_replace(
        _task.rrule, 'COUNT=[0-9]+', 'COUNT=' || substring(_task.rrule from 'COUNT=([0-9]+)')::integer - nth + 1
      ),
      _task.rrule
    )
  from start, lateral public.next_occurrence(_task.rrule, first, present, _task.repeat_from = 'completamento')
  where _task.rrule is not null and at < '2200-01-01'
$$;

create or replace function public.complete_task(_task_id uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _task public.tasks;
  _next public.tasks;
  _sequel record;
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
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, remind_at,
          rrule, repeat_from, series_id, previous_id, contact_id, deal_id, waiting_for, position, origin)
        values (_task.user_id, _task.project_id, _task.parent_id, _task.title, _task.notes, _task.priority,
          _sequel.due_at, _task.due_is_allday, array(
            select moment
            from unnest(_task.remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
            where moment is not null
          ), _sequel.rrule, _task.repeat_from, _task.series_id, _task_id, _task.contact_id, _task.deal_id,
          _task.waiting_for, _task.position, _task.origin)
        on conflict (user_id, previous_id) do nothing
        returning * into _next;
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, someday,
          remind_at, rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin)
        select user_id, project_id, _next.id, title, notes, priority,
          coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at), due_is_allday, someday, array(
            select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
            where moment is not null
          ), rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin
        from public.tasks
        where user_id = _task.user_id and parent_id = _task_id and deleted_at is null and _next.id is not null;
    end if;
  end if;
  -- The one made now, or by a click before this one.
  select * into _next from public.tasks
    where user_id = _task.user_id and previous_id = _task_id and deleted_at is null;
  return jsonb_build_object('completed', _task_id, 'next', case when found then to_jsonb(_next) end);
end
$$;

create or replace function public.skip_occurrence(_task_id uuid)
  returns jsonb
  language plpgsql volatile
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
  select * into _sequel from public.task_sequel(_task);
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

revoke all on function public.task_wall_clock(public.tasks), public.shift_with_task(public.tasks, timestamptz, interval)
  from public, anon, authenticated, service_role;
grant execute on function public.task_wall_clock(public.tasks), public.shift_with_task(public.tasks, timestamptz, interval)
  to authenticated;
