-- A skipped date is never told again, steps are added for ever, new tasks have a place of their own, and a series goes on
-- although its next date was thrown away.

-- Keys as the browser makes them (npm fractional-indexing): a letter for the number of digits, then the digits.
create function public.position_at(_place integer)
  returns text
  language sql
  immutable parallel safe
  set search_path = ''
as $$
  select chr(case when _place < 0 then 91 - digits else 96 + digits end) || string_agg(
      substr(
        '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
        (case when _place < 0 then 61 - digit else digit end)::integer + 1, 1
      ), '' order by power desc
    )
  from (
    select digits, case when _place < 0 then -1 - _place::bigint else _place end - (62 ^ digits - 62)::bigint / 61 as rest
    from generate_series(5, 1, -1) as digits
  ) as lengths, generate_series(0, digits - 1) as power, lateral (
    select rest / (62 ^ power)::bigint % 62 as digit
  ) as of_power
  where rest >= 0
  group by digits
  order by digits desc
  limit 1
$$;
comment on function public.position_at(integer) is
  'The fractional key of a whole place: 0 is a0, 62 is b00, -1 is Zz. The keys sort as the places do.';

create function public.place_of(_position text)
  returns integer
  language sql
  immutable parallel safe
  set search_path = ''
as $$
  select case when is_negative then -1 - place else place end
  from (
    select is_negative, digits, (62 ^ digits - 62)::bigint / 61 + sum(
        (62 ^ (digits - nth))::bigint * case when is_negative then 61 - digit else digit end
      ) as place
    from (
      select ascii(_position) < 97 as is_negative,
        case when ascii(_position) < 97 then 91 - ascii(_position) else ascii(_position) - 96 end as digits
    ) as head, generate_series(1, digits) as nth, lateral (
      select strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(_position, nth + 1, 1)) - 1
        as digit
    ) as of_digit
    -- Longer ones are nobody's: there is no place before or after them.
    where digits between 1 and 4 and _position ~ '^[0-9A-Za-z]+$' and char_length(_position) > digits
    group by is_negative, digits
  ) as read
$$;
comment on function public.place_of(text) is
  'The whole place of a fractional key, what follows it left out: a key of the place after sorts after it, of the place '
  'before before it. Null for what is no key.';

revoke all on function public.position_at(integer), public.place_of(text) from public, anon, authenticated, service_role;
grant execute on function public.position_at(integer), public.place_of(text) to authenticated, service_role;

-- The trigger finds the place of a task that is made without one.
alter table public.tasks alter column position set default '!';
comment on column public.tasks.position is
  'Place in lists ordered by hand: a fractional key, compared byte by byte. Without one a task comes first in its column, '
  'a subtask last.';

create function private.place_task()
  returns trigger
  language plpgsql
  -- As the owner of the table: under row level security the state is no condition of the index.
  security definer
  set search_path = ''
as $$
begin
  new.position := coalesce(public.position_at(case
    when new.parent_id is null then public.place_of((
      select min(position) from public.tasks
      where user_id = new.user_id and state = new.state and deleted_at is null
    )) - 1
    else public.place_of((
      select max(position) from public.tasks
      where user_id = new.user_id and parent_id = new.parent_id and deleted_at is null
    )) + 1
  end), 'a0');
  return new;
end
$$;
comment on function private.place_task() is
  'Gives a task that is made without a position the first place of its column, a subtask the last of its parent.';
revoke all on function private.place_task() from public, anon, authenticated, service_role;
create trigger place_task before insert on public.tasks
  for each row when (new.position = '!') execute function private.place_task();

create or replace function private.keep_task()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _unchanging constant text[] := array['position', 'reminded_at', 'next_remind_at', 'updated_at'];
begin
  if new.due_is_allday then
    new.due_at := date_trunc('day', new.due_at at time zone 'Europe/Rome') at time zone 'Europe/Rome';
  end if;
  new.someday := new.someday and new.due_at is null;
  new.completed_at := case when new.state = 'fatto' then coalesce(new.completed_at, now()) end;
  new.remind_at := array(select distinct moment from unnest(new.remind_at) as moment order by moment);
  if new.rrule is not null then
    new.series_id := coalesce(new.series_id, new.id);
  end if;
  if tg_op = 'INSERT' or old.next_remind_at is null then
    -- A moment that is over when it is chosen, or when the task is opened again, reminds of nothing.
    new.reminded_at := now();
  elsif new.remind_at is distinct from old.remind_at then
    -- One that was chosen before and is over, but not told yet, is told still.
    new.reminded_at := coalesce((
      select min(moment) - interval '1 microsecond' from unnest(new.remind_at) as moment
      where moment = any (old.remind_at) and moment >= old.next_remind_at and moment <= now()
    ), now());
  end if;
  new.next_remind_at := case when new.state <> 'fatto' and new.deleted_at is null then (
    select min(moment) from unnest(new.remind_at) as moment where moment > new.reminded_at
  ) end;
  if tg_op = 'UPDATE' and to_jsonb(new) - _unchanging is distinct from to_jsonb(old) - _unchanging then
    new.updated_at := now();
  end if;
  return new;
end
$$;

create or replace function public.add_subtasks(_parent uuid, _titles text[])
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

drop function public.task_sequel(public.tasks);
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
revoke all on function public.task_sequel(public.tasks, boolean) from public, anon, authenticated, service_role;
grant execute on function public.task_sequel(public.tasks, boolean) to authenticated;

create or replace function public.skip_occurrence(_task_id uuid)
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

create or replace function public.complete_task(_task_id uuid)
  returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  _task public.tasks;
  _next public.tasks;
  _sequel record;
  _remind_at timestamptz[];
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
      _remind_at := array(
        select moment from unnest(_task.remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      );
      -- The one that was made by an earlier completion and thrown away comes back, with its subtasks.
      update public.tasks
        set deleted_at = null, due_at = _sequel.due_at, due_is_allday = _task.due_is_allday, remind_at = _remind_at,
          rrule = _sequel.rrule
        where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and deleted_at is not null;
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, remind_at,
          rrule, repeat_from, series_id, previous_id, contact_id, deal_id, waiting_for, position, origin)
        values (_task.user_id, _task.project_id, _task.parent_id, _task.title, _task.notes, _task.priority,
          _sequel.due_at, _task.due_is_allday, _remind_at, _sequel.rrule, _task.repeat_from, _task.series_id, _task_id,
          _task.contact_id, _task.deal_id, _task.waiting_for, _task.position, _task.origin)
        on conflict (user_id, previous_id) do nothing
        returning * into _next;
      -- Of a subtask that repeats only the last one: the ones before it are its past.
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, someday,
          remind_at, rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin)
        select user_id, project_id, _next.id, title, notes, priority,
          coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at), due_is_allday, someday, array(
            select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
            where moment is not null
          ), rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin
        from public.tasks
        where user_id = _task.user_id and parent_id = _task_id and deleted_at is null and _next.id is not null
          and not exists (
            select from public.tasks as follower
            where follower.user_id = tasks.user_id and follower.previous_id = tasks.id and follower.deleted_at is null
          );
    end if;
  end if;
  -- The one made now, or by a click before this one.
  select * into _next from public.tasks
    where user_id = _task.user_id and previous_id = _task_id and deleted_at is null;
  return jsonb_build_object('completed', _task_id, 'next', case when found then to_jsonb(_next) end);
end
$$;
