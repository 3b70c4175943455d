-- Functions that copy or compare rows read the columns from the catalogue, so that a new column is not lost.

create or replace function public.complete_task(_task_id uuid)
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

create or replace function public.save_contact(_contact jsonb)
  returns uuid
  language plpgsql
  set search_path = ''
as $$
declare
  _id uuid := coalesce((_contact ->> 'id')::uuid, gen_random_uuid());
  _former public.contacts;
  _row public.contacts;
  -- Write every column that people may write, so that a new one is not lost; the form does not have the other two.
  _columns constant text := (
    select string_agg(quote_ident(attname), ', ') from pg_catalog.pg_attribute
    where attrelid = 'public.contacts'::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('authenticated', attrelid, attnum, 'update')
      and attname not in ('deleted_at', 'snoozed_until') and (_contact ? attname or attname = 'company_id')
  );
  _emails jsonb := coalesce(_contact -> 'emails', '[]');
  _phones jsonb := coalesce(_contact -> 'phones', '[]');
  _names text[] := array(select jsonb_array_elements_text(coalesce(_contact -> 'tags', '[]')));
  _before jsonb := coalesce(_contact -> 'former', '{}');
  _had text[];
begin
  select * into _former from public.contacts where id = _id for update;
  if _former.merged_into is not null or _former.deleted_at is not null then
    raise exception 'the contact is merged or in the trash' using errcode = 'PT404';
  end if;
  _row := jsonb_populate_record(_former, _contact);

  -- The company of that name, of several the one it has; it is made when there is none.
  if _contact ? 'company' then
    select id into _row.company_id from public.contacts
    where lower(name) = lower(_contact ->> 'company') and type = 'azienda' and merged_into is null and deleted_at is null
    order by id is distinct from _former.company_id, created_at limit 1;
    if _row.company_id is null and _contact ->> 'company' is not null then
      insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
      returning id into _row.company_id;
    end if;
  end if;

  -- Whoever becomes a company works for nobody, not even for a company of the trash that the form does not show.
  if _row.type = 'azienda' then
    _row.company_id := null;
  end if;

  _row.id := _id;
  execute format(case
      when _former.id is null then 'insert into public.contacts (id, %1$s) select id, %1$s from (select ($1).*) as said'
      else 'update public.contacts set (%1$s) = (select %1$s from (select ($1).*) as said) where id = ($1).id'
    end, _columns) using _row;

  -- The first of each is the main one. What is kept keeps its label; what is another contact's is refused by its key.
  -- Taken away is only what was in the former list, added only what was not: without one, what the contact has now.
  if _contact ? 'emails' then
    _had := case when _before ? 'emails'
      then array(select lower(value) from jsonb_array_elements_text(_before -> 'emails') as value)
      else array(select norm from public.contact_emails where contact_id = _id) end;
    delete from public.contact_emails
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select lower(value) from jsonb_array_elements_text(_emails) as value));
    update public.contact_emails set is_primary = norm = lower(_emails ->> 0)
    where contact_id = _id and lower(_emails ->> 0) is distinct from lower(_before #>> '{emails,0}') and _emails <> '[]';
    insert into public.contact_emails (contact_id, value, is_primary)
    select distinct on (lower(value)) _id, value, place = 1
    from jsonb_array_elements_text(_emails) with ordinality as typed (value, place)
    where lower(value) <> all (_had)
      and not exists (select from public.contact_emails where contact_id = _id and norm = lower(typed.value))
    order by lower(value), place;
  end if;

  if _contact ? 'phones' then
    _had := case when _before ? 'phones'
      then array(select one ->> 'norm' from jsonb_array_elements(_before -> 'phones') as one)
      else array(select norm from public.contact_phones where contact_id = _id) end;
    delete from public.contact_phones
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select one ->> 'norm' from jsonb_array_elements(_phones) as one));
    update public.contact_phones set is_primary = norm = _phones #>> '{0,norm}'
    where contact_id = _id and _phones #>> '{0,norm}' is distinct from _before #>> '{phones,0,norm}' and _phones <> '[]';
    insert into public.contact_phones (contact_id, value, norm, is_primary)
    select distinct on (one ->> 'norm') _id, one ->> 'value', one ->> 'norm', place = 1
    from jsonb_array_elements(_phones) with ordinality as typed (one, place)
    where one ->> 'norm' <> all (_had)
      and not exists (select from public.contact_phones where contact_id = _id and norm = one ->> 'norm')
    order by one ->> 'norm', place;
  end if;

  if _contact ? 'tags' then
    _had := case when _before ? 'tags'
      then array(select lower(name) from jsonb_array_elements_text(_before -> 'tags') as name)
      else array(
        select lower(name) from public.contact_tags join public.tags on tags.id = tag_id where contact_id = _id
      ) end;
    delete from public.contact_tags using public.tags
    where contact_id = _id and tags.id = tag_id and lower(name) = any (_had)
      and lower(name) <> all (array(select lower(name) from unnest(_names) as name));
    _names := array(select name from unnest(_names) as name where lower(name) <> all (_had));
    insert into public.tags (name) select distinct on (lower(name)) name from unnest(_names) as name
    on conflict (user_id, lower(name)) do nothing;
    insert into public.contact_tags (contact_id, tag_id)
    select _id, id from public.tags
    where user_id = (select auth.uid()) and lower(name) = any (array(select lower(name) from unnest(_names) as name))
    on conflict do nothing;
  end if;
  return _id;
end
$$;

create or replace function public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb default '{}')
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  -- Every column that people may write, so that a new one is not lost.
  _fields constant text[] := array(
    select attname from pg_catalog.pg_attribute
    where attrelid = 'public.contacts'::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('authenticated', attrelid, attnum, 'update') and attname not in ('type', 'deleted_at')
  );
  _left jsonb;
  _gone jsonb;
  _taken jsonb;
  _changes jsonb;
  _id uuid;
begin
  -- In one order for everybody, so that two merges of the same pair wait for each other.
  perform from public.contacts where user_id = auth.uid() and id in (_winner, _loser) order by id for update;
  select to_jsonb(contacts) into _left from public.contacts
  where user_id = auth.uid() and id = _winner and merged_into is null and deleted_at is null;
  select to_jsonb(contacts) into _gone from public.contacts
  where user_id = auth.uid() and id = _loser and id <> _winner and merged_into is null and deleted_at is null;
  if _left is null or _gone is null then
    raise exception 'no such pair of contacts' using errcode = 'SC021';
  elsif _left -> 'type' <> _gone -> 'type' then
    raise exception 'a person and a company are not one' using errcode = 'SC022';
  elsif exists (select from jsonb_each_text(_choices) where key <> all (_fields) or value not in ('winner', 'loser')) then
    raise exception 'a choice is «winner» or «loser» for a field' using errcode = '22023';
  end if;

  -- Not chosen: what the winner says, else the loser.
  select jsonb_object_agg(field, _gone -> field) into _taken from unnest(_fields) as field
  where coalesce(_choices ->> field, case when _left ->> field is null then 'loser' end) = 'loser'
    and _gone -> field <> _left -> field;
  -- Companies are not part of themselves.
  if _taken ->> 'company_id' in (_winner::text, _loser::text) then
    _taken := _taken - 'company_id';
  end if;

  _changes := private.merge_details(auth.uid(), _loser, _winner);
  -- Before people come along: who works for a company is found by its name.
  if _taken <> '{}' then
    _changes := _changes || private.change_row('contacts', jsonb_build_object('id', _winner), _taken);
  end if;
  _changes := _changes || private.move_children(auth.uid(), _loser, _winner);
  -- What was said to the other is no news: it ends no snooze.
  update public.contacts set snoozed_until = ((_left || coalesce(_taken, '{}')) ->> 'snoozed_until')::timestamptz
  where user_id = auth.uid() and id = _winner;
  _changes := _changes
    || private.change_row('contacts', jsonb_build_object('id', _loser), jsonb_build_object('merged_into', _winner));
  -- The cadence counts what hangs on the contact now.
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_winner, _loser);
  insert into public.merge_log (user_id, winner_id, loser_id, loser_name, choices, changes)
    values (auth.uid(), _winner, _loser, _gone ->> 'name', _choices, _changes)
    returning id into _id;
  return _id;
end
$$;

create or replace function private.own_changed_demo()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Without arguments this is null: the condition of the trigger decides.
  if to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then
    return new;
  end if;
  delete from private.demo_rows where user_id = new.user_id and held_by = tg_table_name and row_id = new.id;
  if tg_table_name not in ('interactions', 'notes') then
    new.origin := 'manuale';
  end if;
  return new;
end
$$;
comment on function private.own_changed_demo() is
  'Makes a demo row its person''s own when a column changes that the arguments do not name.';

-- Completing a task, moving a deal along the board or postponing a call is trying out. Triggers compute the rest.
create or replace trigger own_changed_demo before update on public.contacts for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo(
    'name', 'last_interaction_at', 'next_touch_at', 'snoozed_until', 'deleted_at', 'updated_at'
  );
create or replace trigger own_changed_demo before update on public.deals for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo(
    'stage_id', 'position', 'stage_since', 'won_at', 'lost_at', 'lost_reason', 'deleted_at'
  );
create or replace trigger own_changed_demo before update on public.projects for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo('status', 'deleted_at');
create or replace trigger own_changed_demo before update on public.tasks for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo(
    'state', 'series_id', 'position', 'completed_at', 'reminded_at', 'next_remind_at', 'deleted_at', 'updated_at'
  );
