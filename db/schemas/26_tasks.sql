-- Tasks and projects: what is to be done, for whom, by when, and what happened to it.
--
-- Each reference includes the owner, so no row can point at a stranger's. A task is on one of two levels. Triggers
-- write what follows from other columns (completed_at, the day of an all-day task, the next reminder); the client may
-- omit it.

create type public.project_status as enum ('attivo', 'in_pausa', 'chiuso');

create type public.task_state as enum ('da_fare', 'in_corso', 'in_attesa', 'fatto');

create type public.task_repeat_from as enum ('scadenza', 'completamento');

create type public.task_event_kind as enum ('creata', 'stato', 'completata', 'riaperta', 'scadenza', 'eliminata', 'ripristinata');

-- Declared before the table tasks, because a constraint of that table calls it.
create function public.is_rrule(_rrule text)
  returns boolean
  language sql immutable parallel safe
  set search_path = ''
as $$
  select _rrule ~ 'FREQ=' and not (_rrule ~ 'UNTIL=' and _rrule ~ 'COUNT=')
    -- Weeks name days («MO,FR»), months either days («15», «-1») or a first Monday («1MO»); the others follow the date.
    and (_rrule !~ 'BYDAY=' or _rrule ~ 'FREQ=WEEKLY' and _rrule !~ 'BYDAY=[^;]*[0-9]'
      or _rrule ~ 'FREQ=MONTHLY' and _rrule !~ 'BYDAY=([^;]*,)?[A-Z]')
    and (_rrule !~ 'BYMONTHDAY=' or _rrule ~ 'FREQ=MONTHLY' and _rrule !~ 'BYDAY=')
    and (
      select bool_and(part ~ concat(
          '^(FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)|(INTERVAL|COUNT)=[1-9][0-9]{0,2}',
          '|BYDAY=(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)(,(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)){0,34}',
          '|BYMONTHDAY=-?([1-9]|[12][0-9]|3[01])(,-?([1-9]|[12][0-9]|3[01])){0,30}',
          '|UNTIL=2[01][0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]Z?)?)$'
        ))
        and count(*) = count(distinct split_part(part, '=', 1))
      from regexp_split_to_table(_rrule, ';') as part
    )
    and coalesce((
      -- The day of UNTIL exists.
      select substr(day, 7)::integer <= extract(day from
        make_date(left(day, 4)::integer, substr(day, 5, 2)::integer, 1) + interval '1 month - 1 day')
      from substring(_rrule from 'UNTIL=(2[01][0-9]{2}(?:0[1-9]|1[0-2])[0-9]{2})') as day
      where day is not null
    ), true)
$$;
comment on function public.is_rrule(text) is
  'Whether a text is a recurrence we keep: the subset of RFC 5545 with FREQ, INTERVAL, BYDAY, BYMONTHDAY, UNTIL or COUNT.';
revoke all on function public.is_rrule from public, anon, authenticated, service_role;
grant execute on function public.is_rrule to authenticated, service_role;

create table public.projects (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  contact_id uuid,
  color text,
  status public.project_status not null default 'attivo',
  starts_on date,
  due_on date,
  budget_cents bigint,
  note text,
  origin text not null default 'manuale',
  deleted_at timestamptz,
  created_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint projects_identity unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint color_is_a_name_or_hex check (color ~ '^(#[0-9a-f]{6}|[a-z][a-z0-9-]{0,19})$'),
  constraint dates_are_in_order check (starts_on <= due_on),
  constraint budget_is_an_amount check (budget_cents between 0 and 100000000000),
  constraint note_fits check (char_length(note) between 1 and 20000),
  constraint origin_is_a_name check (origin ~ '^[a-z_]{1,30}$')
);
comment on table public.projects is 'Work for a client, or of one''s own: what its tasks add up to.';
comment on column public.projects.deleted_at is 'In the trash since; its tasks stay.';

create table public.tasks (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  project_id uuid,
  parent_id uuid,
  title public.single_line not null,
  notes text,
  state public.task_state not null default 'da_fare',
  priority smallint not null default 0,
  due_at timestamptz,
  due_is_allday boolean not null default true,
  someday boolean not null default false,
  remind_at timestamptz[] not null default '{}',
  rrule text,
  repeat_from public.task_repeat_from not null default 'scadenza',
  series_id uuid,
  previous_id uuid,
  contact_id uuid,
  deal_id uuid,
  waiting_for uuid,
  -- The trigger place_task replaces the default with a free position.
  position text collate "C" not null default '!',
  completed_at timestamptz,
  origin text not null default 'manuale',
  deleted_at timestamptz,
  -- Reminders up to reminded_at are sent; the reminder job and triggers write it. next_remind_at is the next reminder;
  -- only triggers write it.
  reminded_at timestamptz,
  next_remind_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint tasks_identity unique (user_id, id),
  foreign key (user_id, project_id) references public.projects (user_id, id) on delete set null (project_id),
  foreign key (user_id, parent_id) references public.tasks (user_id, id) on delete cascade,
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  foreign key (user_id, deal_id) references public.deals (user_id, id) on delete set null (deal_id),
  foreign key (user_id, waiting_for) references public.contacts (user_id, id) on delete set null (waiting_for),
  foreign key (user_id, previous_id) references public.tasks (user_id, id) on delete set null (previous_id),
  -- An occurrence has one successor, even if its button is pressed several times.
  constraint tasks_successor unique (user_id, previous_id),
  constraint notes_fit check (char_length(notes) between 1 and 20000),
  constraint priority_is_a_step check (priority between 0 and 3),
  -- Bounds every loop over calendar days.
  constraint due_at_is_in_our_time check (due_at >= '2000-01-01Z' and due_at < '2200-01-01Z'),
  constraint reminders_are_few check (cardinality(remind_at) <= 10 and array_position(remind_at, null) is null),
  constraint rrule_is_one check (char_length(rrule) <= 500 and public.is_rrule(rrule)),
  constraint position_is_a_key check (position ~ '^[!-~]+$' and char_length(position) <= 500),
  constraint done_has_its_time check ((state = 'fatto') = (completed_at is not null)),
  constraint someday_has_no_date check (not someday or due_at is null),
  constraint origin_is_a_name check (origin ~ '^[a-z_]{1,30}$')
);
comment on table public.tasks is 'What is to be done; subtasks are tasks with a parent.';
comment on column public.tasks.due_at is 'When it is due; of an all-day task midnight in Europe/Rome, whatever was written.';
comment on column public.tasks.rrule is 'How it repeats (public.is_rrule), on the clock of Europe/Rome; COUNT is what is left of it.';
comment on column public.tasks.series_id is 'The first task of the series; the same for all that follow.';
comment on column public.tasks.previous_id is 'The occurrence whose completion made this one.';
comment on column public.tasks.deleted_at is 'In the trash since, with its subtasks.';
comment on column public.tasks.updated_at is 'When its content changed last; a new position alone is no change.';
comment on column public.tasks.position is
  'Place in lists ordered by hand: a fractional key, compared byte by byte. Without one a task comes first in its column, '
  'a subtask last.';

create table public.task_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  task_id uuid not null,
  kind public.task_event_kind not null,
  at timestamptz not null default now(),
  data jsonb not null default '{}',
  created_at timestamptz not null default now(),

  foreign key (user_id, task_id) references public.tasks (user_id, id) on delete cascade
);
comment on table public.task_events is 'What happened to a task, written by trigger: data holds from and to.';

-- Used by the list of projects and by the list of a contact's projects.
create index projects_by_name on public.projects (user_id, status, name) where deleted_at is null;

create index projects_contact on public.projects (user_id, contact_id);

create index projects_trash on public.projects (deleted_at) where deleted_at is not null;

-- Used by the client, which loads all open tasks: `state=neq.fatto&deleted_at=is.null`, by id.
create index tasks_open on public.tasks (user_id, id) where state <> 'fatto' and deleted_at is null;

-- Used for tasks that are due or late: the same filter, by due_at (nulls last) and id.
create index tasks_due on public.tasks (user_id, due_at, id) where state <> 'fatto' and deleted_at is null;

-- Used for a column of the kanban board: `state=eq.…&deleted_at=is.null`, by position and id.
create index tasks_board on public.tasks (user_id, state, position, id) where deleted_at is null;

-- Used by the calendar, for open and completed tasks: `due_at=gte.…&due_at=lt.…&deleted_at=is.null`.
create index tasks_calendar on public.tasks (user_id, due_at) where deleted_at is null;

-- Used for completed tasks, latest first: `completed_at=gte.…&deleted_at=is.null`.
create index tasks_done on public.tasks (user_id, completed_at desc, id)
  where completed_at is not null and deleted_at is null;

create index tasks_project on public.tasks (user_id, project_id, position);

create index tasks_parent on public.tasks (user_id, parent_id, position);

create index tasks_contact on public.tasks (user_id, contact_id);

create index tasks_deal on public.tasks (user_id, deal_id);

create index tasks_waiting_for on public.tasks (user_id, waiting_for);

create index tasks_series on public.tasks (user_id, series_id) where series_id is not null;

-- Used by the reminder job, which handles the tasks of all owners.
create index tasks_next_remind_at on public.tasks (next_remind_at) where next_remind_at is not null;

-- Used, like projects_trash, by the purge of the trash.
create index tasks_trash on public.tasks (deleted_at) where deleted_at is not null;

create index task_events_task on public.task_events (user_id, task_id, at);

-- Used by search_tasks, which first looks at what was changed last.
create index tasks_changed on public.tasks (user_id, updated_at desc) where deleted_at is null;

-- Security definer because an index of tasks uses it: owners insert tasks, but may not use the private schema.
create function private.title_lexemes(_user_id uuid, _title text)
  returns tsvector
  language sql immutable strict parallel safe security definer
  set search_path = ''
as $$
  -- The last two lexemes are shorter: with them each part of a title begins a lexeme.
  select array_to_tsvector(array(
    select private.search_key(_user_id) || '~' || substr(lowered, place, 3)
    from lower(_title) as lowered, generate_series(1, char_length(lowered)) as place
  ))
$$;
comment on function private.title_lexemes(uuid, text) is
  'Every three letters of a title, marked with its owner: the index of all titles costs each owner what their own would.';
revoke all on function private.title_lexemes from public, anon, authenticated, service_role;
grant execute on function private.title_lexemes to authenticated, service_role;

-- fastupdate is off because every search after an import would otherwise read the whole list of pending entries.
create index tasks_title on public.tasks using gin (private.title_lexemes(user_id, title)) with (fastupdate = off)
  where deleted_at is null;

create function private.keep_task()
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
comment on function private.keep_task() is 'Writes the columns of a task that follow from others.';
revoke all on function private.keep_task from public, anon, authenticated, service_role;

-- Locks the parent, so that two moves at the same time cannot create a third level.
create function private.keep_task_levels()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _grandparent_id uuid;
begin
  if new.parent_id = new.id then
    raise exception 'Un’attività non può stare dentro sé stessa' using errcode = '23514';
  end if;
  select parent_id into _grandparent_id from public.tasks
    where user_id = new.user_id and id = new.parent_id for share;
  if _grandparent_id = new.id then
    raise exception 'Due attività non possono stare una dentro l’altra' using errcode = '23514';
  end if;
  if _grandparent_id is not null
    or exists (select from public.tasks where user_id = new.user_id and parent_id = new.id) then
    raise exception 'Le sottoattività non hanno altre sottoattività: i livelli sono due' using errcode = '23514';
  end if;
  return new;
end
$$;
comment on function private.keep_task_levels() is 'Refuses circles and a third level.';
revoke all on function private.keep_task_levels from public, anon, authenticated, service_role;

create function private.follow_trashed_task()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- What went into the trash with its parent comes back with it; what was there before stays there.
  update public.tasks set deleted_at = new.deleted_at
    where user_id = new.user_id and parent_id = new.id and deleted_at is not distinct from old.deleted_at;
  return null;
end
$$;
comment on function private.follow_trashed_task() is 'Subtasks go into the trash and come back with their parent.';
revoke all on function private.follow_trashed_task from public, anon, authenticated, service_role;

-- Security definer because clients may not write history.
create function private.log_task()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.task_events (user_id, task_id, kind) values (new.user_id, new.id, 'creata');
    return null;
  end if;
  insert into public.task_events (user_id, task_id, kind, data)
  select new.user_id, new.id, kind::public.task_event_kind, jsonb_build_object('from', former, 'to', present)
  from (values
    (
      case when new.state = 'fatto' then 'completata' when old.state = 'fatto' then 'riaperta' else 'stato' end,
      to_jsonb(old.state), to_jsonb(new.state)
    ),
    ('scadenza', to_jsonb(old.due_at), to_jsonb(new.due_at)),
    (
      case when new.deleted_at is null then 'ripristinata' else 'eliminata' end,
      to_jsonb(old.deleted_at), to_jsonb(new.deleted_at)
    )
  ) as change (kind, former, present)
  where former is distinct from present;
  return null;
end
$$;
comment on function private.log_task() is 'Writes task_events.';
revoke all on function private.log_task from public, anon, authenticated, service_role;

-- Keys have the format of the browser's keys (npm fractional-indexing): a letter for the number of digits, then the
-- digits.
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
revoke all on function public.position_at from public, anon, authenticated, service_role;
grant execute on function public.position_at to authenticated, service_role;

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
revoke all on function public.place_of from public, anon, authenticated, service_role;
grant execute on function public.place_of to authenticated, service_role;

create function private.place_task()
  returns trigger
  language plpgsql
  -- Runs as the owner of the table: under row level security the condition on state cannot use the index.
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
revoke all on function private.place_task from public, anon, authenticated, service_role;

create function private.title_query(_user_id uuid, _typed text)
  returns tsquery
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select string_agg(format(
      '''%s~%s''%s', private.search_key(_user_id),
      replace(replace(substr(_typed, place, 3), '\', '\\'), '''', ''''''),
      case when char_length(_typed) < 3 then ':*' end
    ), ' & ')::tsquery
  from generate_series(1, greatest(char_length(_typed) - 2, 1)) as place
$$;
comment on function private.title_query(uuid, text) is
  'What the lexemes of a title (title_lexemes) fulfil if this text in small letters is part of it.';
revoke all on function private.title_query from public, anon, authenticated, service_role;

-- Security definer because under row level security text operators cannot use the index. The function compares the
-- owner itself.
create function public.search_tasks(_text text, _limit integer default 5, _is_done boolean default null)
  returns table (id uuid, title text)
  language sql stable security definer
  set search_path = ''
as $$
  with asked as materialized (
    select typed, private.title_query(user_id, typed) as query, least(greatest(_limit, 0), 200) as most
    from (select (select auth.uid()) as user_id, lower(left(_text, 200)) as typed) as given
    where typed <> ''
  ), latest as materialized (
    -- A frequent text is found among these. All tasks that contain it may be thousands.
    select tasks.id, tasks.title, tasks.state, tasks.updated_at from public.tasks
    where user_id = (select auth.uid()) and deleted_at is null
    order by updated_at desc limit 500
  ), near as materialized (
    select latest.id, latest.title, latest.updated_at from latest, asked
    where strpos(lower(latest.title), typed) > 0 and (_is_done is null or (state = 'fatto') = _is_done)
    order by latest.updated_at desc limit (select most from asked)
  ), everywhere as (
    select tasks.id, tasks.title, tasks.updated_at from public.tasks
    where (select count(*) from near) < (select most from asked)
      and user_id = (select auth.uid()) and deleted_at is null
      and private.title_lexemes(user_id, tasks.title) @@ (select query from asked)
      and strpos(lower(tasks.title), (select typed from asked)) > 0
      and (_is_done is null or (state = 'fatto') = _is_done)
    order by updated_at desc limit (select most from asked)
  ), found as (
    select * from near where (select count(*) from near) = (select most from asked)
    union all
    select * from everywhere
  )
  select found.id, found.title::text from found order by found.updated_at desc, found.id
$$;
comment on function public.search_tasks(text, integer, boolean) is
  'The caller''s tasks whose title contains the text, in capitals or not, changed last first; done or open ones alone if wanted.';
revoke all on function public.search_tasks from public, anon, authenticated, service_role;
grant execute on function public.search_tasks to authenticated;

alter table public.projects enable row level security;
alter table public.tasks enable row level security;
alter table public.task_events enable row level security;

create policy "owners read their projects" on public.projects
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add projects" on public.projects
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their projects" on public.projects
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their projects" on public.projects
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their tasks" on public.tasks
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add tasks" on public.tasks
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their tasks" on public.tasks
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their tasks" on public.tasks
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what happened to their tasks" on public.task_events
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.projects from public, anon, authenticated, service_role;
grant select, delete on public.projects to authenticated;
grant select, insert, update, delete on public.projects to service_role;
grant insert (
  id, user_id, name, contact_id, color, status, starts_on, due_on, budget_cents, note, origin
) on public.projects to authenticated;
grant update (
  name, contact_id, color, status, starts_on, due_on, budget_cents, note, deleted_at
) on public.projects to authenticated;

revoke all on public.tasks from public, anon, authenticated, service_role;
grant select, delete on public.tasks to authenticated;
grant select, insert, update, delete on public.tasks to service_role;
grant insert (
  id, user_id, project_id, parent_id, title, notes, state, priority, due_at, due_is_allday, someday, remind_at,
  rrule, repeat_from, series_id, previous_id, contact_id, deal_id, waiting_for, position, completed_at, origin
) on public.tasks to authenticated;
grant update (
  project_id, parent_id, title, notes, state, priority, due_at, due_is_allday, someday, remind_at, rrule,
  repeat_from, contact_id, deal_id, waiting_for, position, completed_at, deleted_at
) on public.tasks to authenticated;

revoke all on public.task_events from public, anon, authenticated, service_role;
grant select on public.task_events to authenticated, service_role;

create trigger keep_task
  before insert or update on public.tasks
  for each row execute function private.keep_task();

create trigger keep_task_levels
  before insert or update of parent_id on public.tasks
  for each row when (new.parent_id is not null) execute function private.keep_task_levels();

create trigger follow_trashed_task
  after update of deleted_at on public.tasks
  for each row when (old.deleted_at is distinct from new.deleted_at and new.parent_id is null)
  execute function private.follow_trashed_task();

create trigger log_task
  after insert or update of state, due_at, deleted_at on public.tasks
  for each row execute function private.log_task();

create trigger place_task before insert on public.tasks
  for each row when (new.position = '!') execute function private.place_task();

alter table public.projects replica identity using index projects_identity;
alter table public.tasks replica identity using index tasks_identity;
