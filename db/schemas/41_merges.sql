-- Merges: making one contact of two, and undoing it.
--
-- The winner takes the chosen fields and every row of the loser, which stays hidden behind it for thirty days. The
-- merge notes each changed value, before and after. Rows written to the loser later reach the winner.
--
-- Undoing gives back exactly what the merge took and keeps what happened since:
--   - a field of the winner that still holds the merged value gets its former value; a field changed since stays;
--   - a moved row that still belongs to the winner goes back with its edits; deleted rows stay deleted, rows given to a
--     third contact stay there, rows added since stay with the winner;
--   - a consent revoked since was revoked by one person: both contacts refuse it.
--
-- Error codes raised:
--   SC021  there is no such contact or merge, or it is not shown any more
--   SC022  a person and a company cannot be merged
--   SC023  the merge is undone already, is older than thirty days, or its winner was merged since

create table public.merge_log (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  winner_id uuid not null,
  loser_id uuid,
  loser_name text not null,
  choices jsonb not null,
  changes jsonb not null,
  created_at timestamptz not null default now(),
  undone_at timestamptz,

  unique (user_id, id),
  foreign key (user_id, winner_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, loser_id) references public.contacts (user_id, id) on delete set null (loser_id)
);
comment on table public.merge_log is 'Merges of contacts; after thirty days only that they were.';
comment on column public.merge_log.changes is
  'What to undo, in the order in which it was done: {table, key, before, after} of columns, {table, column, rows, before, after} '
  'of rows that were moved, {table, added} of rows that were added.';

create index merge_log_winner on public.merge_log (user_id, winner_id, created_at desc);

create index merge_log_loser on public.merge_log (user_id, loser_id);

-- Used by the purge of old merges.
create index merge_log_age on public.merge_log (created_at);

create function private.contact_references()
  returns table (held_by text, held_in text)
  language sql stable
  set search_path = ''
as $$
  select pg_class.relname::text, attname::text
  from pg_catalog.pg_constraint
  join pg_catalog.pg_class on pg_class.oid = conrelid and relnamespace = 'public'::regnamespace
  join pg_catalog.pg_attribute on attrelid = conrelid and attnum = conkey[array_length(conkey, 1)]
  where contype = 'f' and confrelid = 'public.contacts'::regclass
    -- These say how contacts relate to each other, not what belongs to one.
    and relname not in ('contact_distinct', 'merge_log') and attname <> 'merged_into'
  -- Without a reference, because proof outlives the contact.
  union all values ('consent_events', 'contact_id')
  order by 1, 2
$$;
comment on function private.contact_references() is
  'The one list of what hangs on a contact: every column that references contacts, so that a new table joins by itself.';
revoke all on function private.contact_references from public, anon, authenticated, service_role;

create function private.row_filter(_key jsonb)
  returns text
  language sql immutable strict
  set search_path = ''
as $$
  select string_agg(format('%I = %L', key, value), ' and ') from jsonb_each_text(_key)
$$;
comment on function private.row_filter(jsonb) is 'A key {column: value} as a condition.';
revoke all on function private.row_filter from public, anon, authenticated, service_role;

create function private.change_row(_table text, _key jsonb, _after jsonb)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _columns constant text := (select string_agg(format('%I', key), ', ') from jsonb_object_keys(_after) as key);
  _before jsonb;
begin
  execute format('select to_jsonb(t) from public.%I as t where %s for update', _table, private.row_filter(_key)) into _before;
  execute format(
    'update public.%1$I set (%2$s) = (select %2$s from jsonb_populate_record(null::public.%1$I, $1)) where %3$s',
    _table, _columns, private.row_filter(_key)
  ) using _after;
  return jsonb_build_object(
    'table', _table,
    -- A key may be among what changes: it is found again by what it is now.
    'key', _key || (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(_after) where _key ? key),
    'before', (select jsonb_object_agg(key, _before -> key) from jsonb_object_keys(_after) as key),
    'after', _after
  );
end
$$;
comment on function private.change_row(text, jsonb, jsonb) is 'Writes columns of one row and answers how to undo it.';
revoke all on function private.change_row from public, anon, authenticated, service_role;

create function private.move_children(_user_id uuid, _from uuid, _to uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _reference record;
  _rows uuid[];
  _changes jsonb := '[]';
begin
  for _reference in select * from private.contact_references() loop
    execute format(
      'select array_agg(%3$I) from public.%1$I where user_id = $1 and %2$I = $2',
      _reference.held_by, _reference.held_in, private.child_key(_reference.held_by)
    ) into _rows using _user_id, _from;
    _rows := private.move_rows(_user_id, _reference.held_by, _reference.held_in, _from, _to, _rows);
    if cardinality(_rows) > 0 then
      _changes := _changes || jsonb_build_object(
        'table', _reference.held_by, 'column', _reference.held_in, 'rows', _rows, 'before', _from, 'after', _to
      );
    end if;
  end loop;
  return _changes;
end
$$;
comment on function private.move_children(uuid, uuid, uuid) is 'Hangs everything of one contact on another; answers how to undo it.';
revoke all on function private.move_children from public, anon, authenticated, service_role;

create function private.merge_details(_user_id uuid, _from uuid, _to uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _row record;
  _changes jsonb := '[]';
begin
  -- One main address and number each.
  for _row in
    select held_by, held.id from (
      select 'contact_emails' as held_by, id, contact_id from public.contact_emails where user_id = _user_id and is_primary
      union all
      select 'contact_phones', id, contact_id from public.contact_phones where user_id = _user_id and is_primary
    ) as held
    where contact_id = _from and exists (
      select from public.contact_emails where held_by = 'contact_emails' and user_id = _user_id and contact_id = _to and is_primary
      union all
      select from public.contact_phones where held_by = 'contact_phones' and user_id = _user_id and contact_id = _to and is_primary
    )
  loop
    _changes := _changes || private.change_row(_row.held_by, jsonb_build_object('id', _row.id), '{"is_primary": false}');
  end loop;
  for _row in
    select kept.id, to_jsonb(other) as other
    from public.consents as kept
    join public.consents as other using (user_id, channel, purpose)
    where user_id = _user_id and kept.contact_id = _to and other.contact_id = _from and private.overrules(other, kept)
  loop
    _changes := _changes || private.change_row('consents', jsonb_build_object('id', _row.id), (
      select jsonb_object_agg(key, value) from jsonb_each(_row.other)
      where key in ('state', 'legal_basis', 'wording', 'source', 'at')
    ));
  end loop;
  -- Who was not the same person as the one is not the same as the other.
  with told as (
    insert into public.contact_distinct (user_id, a_id, b_id)
    select _user_id, least(third, _to), greatest(third, _to)
    from (
      select case a_id when _from then b_id else a_id end as third from public.contact_distinct
      where user_id = _user_id and _from in (a_id, b_id)
    ) as told_apart
    where third <> _to
    on conflict do nothing
    returning id
  )
  select _changes || jsonb_build_object('table', 'contact_distinct', 'added', coalesce(jsonb_agg(id), '[]')) into _changes from told;
  return _changes;
end
$$;
comment on function private.merge_details(uuid, uuid, uuid) is 'What has to be settled before children are moved; answers how to undo it.';
revoke all on function private.merge_details from public, anon, authenticated, service_role;

-- Security definer because it writes columns that clients may not write. Each row is found by the caller's id.
create function public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb default '{}')
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
comment on function public.merge_contacts(uuid, uuid, jsonb) is
  'Makes two contacts of the caller one: {field: "winner" | "loser"} chooses, else the winner''s value, else the loser''s. Answers the merge, to undo it.';
revoke all on function public.merge_contacts from public, anon, authenticated, service_role;
grant execute on function public.merge_contacts to authenticated;

create function private.time_to_unmerge()
  returns interval
  language sql immutable
  set search_path = ''
as $$
  select interval '30 days'
$$;
comment on function private.time_to_unmerge() is 'How long a merge can be undone.';
revoke all on function private.time_to_unmerge from public, anon, authenticated, service_role;

create function public.undo_merge(_merge_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _merge public.merge_log;
  _snoozes jsonb;
  _change jsonb;
  _refusal record;
begin
  select * into _merge from public.merge_log where user_id = auth.uid() and id = _merge_id for update;
  if not found or _merge.loser_id is null then
    raise exception 'no such merge' using errcode = 'SC021';
  elsif _merge.undone_at is not null or _merge.created_at < now() - private.time_to_unmerge() or exists (
    select from public.contacts where user_id = auth.uid() and id = _merge.winner_id and merged_into is not null
  ) then
    raise exception 'this merge cannot be undone any more' using errcode = 'SC023';
  end if;

  perform from public.contacts where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id) order by id for update;
  select jsonb_object_agg(id, snoozed_until) into _snoozes from public.contacts
  where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _change in select value from jsonb_array_elements(_merge.changes) with ordinality order by ordinality desc loop
    if _change ? 'rows' then
      perform private.move_rows(
        auth.uid(), _change ->> 'table', _change ->> 'column', (_change ->> 'after')::uuid, (_change ->> 'before')::uuid,
        array(select jsonb_array_elements_text(_change -> 'rows')::uuid)
      );
    elsif _change ? 'added' then
      delete from public.contact_distinct
      where user_id = auth.uid() and id in (select jsonb_array_elements_text(_change -> 'added')::uuid);
    else
      perform private.undo_change(_change, _merge.created_at);
    end if;
  end loop;
  -- Interactions that came back are no news: they end no snooze.
  update public.contacts set snoozed_until = (_snoozes ->> id::text)::timestamptz
  where user_id = auth.uid() and id = _merge.loser_id;
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _refusal in
    select distinct on (channel, purpose) * from public.consent_events
    where user_id = auth.uid() and contact_id = _merge.winner_id and created_at > _merge.created_at
    order by channel, purpose, at desc, created_at desc
  loop
    if _refusal.state in ('negato', 'revocato') then
      perform public.record_consent(
        _merge.loser_id, _refusal.channel, _refusal.purpose, _refusal.state, _refusal.legal_basis, _refusal.wording,
        _refusal.source
      );
    end if;
  end loop;
  update public.merge_log set undone_at = now() where id = _merge_id;
end
$$;
comment on function public.undo_merge(uuid) is
  'Makes two contacts of one that was merged within thirty days; what was changed since stays. The rule: top of its migration.';
revoke all on function public.undo_merge from public, anon, authenticated, service_role;
grant execute on function public.undo_merge to authenticated;

create function private.living_contact(_user_id uuid, _contact_id uuid)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _merged_into uuid;
begin
  loop
    -- Locked, so that no merge comes between the answer and what is done with it.
    select merged_into into _merged_into from public.contacts
    where user_id = _user_id and id = _contact_id for key share;
    if not found then
      return null;
    elsif _merged_into is null then
      return _contact_id;
    end if;
    _contact_id := _merged_into;
  end loop;
end
$$;
comment on function private.living_contact(uuid, uuid) is
  'The contact of an owner, or the one that is left if it was merged; null if there is none.';
revoke all on function private.living_contact from public, anon, authenticated, service_role;

create function private.follow_merge()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- One that does not exist is refused by its reference.
  new.contact_id := coalesce(private.living_contact(new.user_id, new.contact_id), new.contact_id);
  return new;
end
$$;
comment on function private.follow_merge() is
  'What is written to a contact that was merged, as from an older page, is written to the one that is left.';
revoke all on function private.follow_merge from public, anon, authenticated, service_role;

create function private.forget_merges(_days integer, _limit integer default 200)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with old as (
    -- That two contacts were merged stays in the timeline; what they were before does not.
    update public.merge_log set changes = '[]'
    where id in (
      select id from public.merge_log
      where created_at < now() - make_interval(days => _days) and changes <> '[]' order by created_at limit _limit
    )
    returning user_id, winner_id, loser_id, undone_at
  ), gone as (
    delete from public.contacts using old
    where contacts.user_id = old.user_id and contacts.id = old.loser_id and contacts.merged_into = old.winner_id
      and old.undone_at is null
  )
  select count(*) from old
$$;
comment on function private.forget_merges(integer, integer) is
  'Forgets the way back of so many merges that are older than so many days, and erases who was merged; answers how many.';
revoke all on function private.forget_merges from public, anon, authenticated, service_role;
grant execute on function private.forget_merges to service_role;

create function private.rebase_changes(_changes jsonb, _like jsonb, _former jsonb)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  select jsonb_agg(
    case when change @> _like then jsonb_set(change, '{before}', change -> 'before' || _former) else change end order by place
  )
  from jsonb_array_elements(_changes) with ordinality as changes (change, place)
$$;
comment on function private.rebase_changes(jsonb, jsonb, jsonb) is 'Changes that will put back something else than what they found.';
revoke all on function private.rebase_changes from public, anon, authenticated, service_role;

create function private.hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamptz)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _user_id constant uuid := _row ->> 'user_id';
  _contact_id constant uuid := coalesce(_row ->> 'contact_id', _row ->> 'id');
  _like constant jsonb := jsonb_build_object('table', _change -> 'table', 'key', _change -> 'key', 'before', _part);
  _former constant jsonb := (select jsonb_object_agg(key, _change -> 'before' -> key) from jsonb_object_keys(_part) as key);
  _is_merge boolean;
begin
  update public.merge_log set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and winner_id = _contact_id and created_at >= _since and undone_at is null
    and changes @> jsonb_build_array(_like);
  _is_merge := found;
  update private.import_changes set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and contact_id = _contact_id and changed_at >= _since and changes @> jsonb_build_array(_like);
  return _is_merge or found;
end
$$;
comment on function private.hand_back(jsonb, jsonb, jsonb, timestamptz) is
  'Hands the former values of a part of a change to the later merge or import that wrote over it; false if there is none.';
revoke all on function private.hand_back from public, anon, authenticated, service_role;

create function private.undo_change(_change jsonb, _since timestamptz)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _now jsonb;
  _back jsonb;
  _over jsonb;
  _is_whole boolean;
begin
  execute format(
    'select to_jsonb(t) from public.%I as t where %s for update', _change ->> 'table', private.row_filter(_change -> 'key')
  ) into _now;
  if _now is null then
    return false;
  end if;
  select jsonb_object_agg(key, _change -> 'before' -> key) filter (where _now -> key = value),
    jsonb_object_agg(key, value) filter (where _now -> key <> value)
  into _back, _over
  from jsonb_each(_change -> 'after');
  -- A contact is put back field by field; anything else is one statement, whole or not at all.
  if _change ->> 'table' <> 'contacts' and _over is not null then
    return private.hand_back(_now, _change, _change -> 'after', _since);
  end if;
  select coalesce(bool_and(private.hand_back(_now, _change, jsonb_build_object(key, value), _since)), true) into _is_whole
  from jsonb_each(_over);
  -- Erasing a company would have left the field empty.
  if _back ->> 'company_id' is not null and not exists (
    select from public.contacts where user_id = (_now ->> 'user_id')::uuid and id = (_back ->> 'company_id')::uuid
  ) then
    _back := _back || '{"company_id": null}';
  end if;
  if _back is not null then
    perform private.change_row(_change ->> 'table', _change -> 'key', _back);
  end if;
  return _is_whole;
exception
  -- Its place was taken since, or what it was fits no more: what is there now stays.
  when integrity_constraint_violation then
    return false;
end
$$;
comment on function private.undo_change(jsonb, timestamptz) is
  'Puts back what still is as a change of that time left it; what a later merge or import wrote over, that one puts back. False '
  'where something was changed by hand since, and stays.';
revoke all on function private.undo_change from public, anon, authenticated, service_role;

create function private.move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[])
  returns uuid[]
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _row uuid;
  _moved uuid[] := '{}';
begin
  execute format(
    'with moved as (update public.%1$I set %2$I = $3 where user_id = $1 and %2$I = $2 and %3$I = any ($4) returning %3$I as id)
     select coalesce(array_agg(id), ''{}'') from moved', _table, _column, private.child_key(_table)
  ) into _moved using _user_id, _from, _to, _rows;
  return _moved;
exception
  -- The other has one of them already (a tag, a consent): one is enough.
  when unique_violation then
    if cardinality(_rows) > 1 then
      foreach _row in array _rows loop
        _moved := _moved || private.move_rows(_user_id, _table, _column, _from, _to, array[_row]);
      end loop;
    end if;
    return _moved;
end
$$;
comment on function private.move_rows(uuid, text, text, uuid, uuid, uuid[]) is
  'Hangs rows of one contact on another, all that still hang there and that it has not yet; answers which.';
revoke all on function private.move_rows from public, anon, authenticated, service_role;

create function private.child_key(_table text)
  returns text
  language sql immutable strict
  set search_path = ''
as $$
  select case _table when 'contact_tags' then 'tag_id' else 'id' end
$$;
comment on function private.child_key(text) is 'The column that tells rows of one contact apart.';
revoke all on function private.child_key from public, anon, authenticated, service_role;

create function private.follow_merge_of_waiting()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  new.waiting_for := coalesce(private.living_contact(new.user_id, new.waiting_for), new.waiting_for);
  return new;
end
$$;
comment on function private.follow_merge_of_waiting() is 'As follow_merge, for whom a task waits for.';
revoke all on function private.follow_merge_of_waiting from public, anon, authenticated, service_role;

alter table public.merge_log enable row level security;

create policy "owners read their merges" on public.merge_log
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.merge_log from public, anon, authenticated, service_role;
grant select on public.merge_log to authenticated, service_role;

create trigger follow_merge
  before insert or update of contact_id on public.notes
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge
  before insert or update of contact_id on public.interactions
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge_of_waiting
  before insert or update of waiting_for on public.tasks
  for each row when (new.waiting_for is not null) execute function private.follow_merge_of_waiting();

create trigger follow_merge
  before insert or update of contact_id on public.deals
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge
  before insert or update of contact_id on public.documents
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge
  before insert or update of contact_id on public.drafts
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge
  before insert or update of contact_id on public.invoices
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge
  before insert or update of contact_id on public.memories
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge
  before insert or update of contact_id on public.projects
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();

create trigger follow_merge
  before insert or update of contact_id on public.tasks
 
  for each row when (new.contact_id is not null)
  execute function private.follow_merge();
