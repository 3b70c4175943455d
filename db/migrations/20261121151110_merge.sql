-- Merging two contacts, and taking it back.
--
-- The one that is left (winner) takes the fields that were chosen and everything that hangs on the other (loser), which stays
-- hidden behind it for thirty days. What the merge changed is noted value by value, before and after.
--
-- Undoing it gives back exactly what the merge took, and keeps what happened since:
--   - a field of the winner that still holds what the merge wrote gets its former value; one that was changed since stays;
--   - what was moved and still hangs on the winner goes back, with what was edited in it; what was deleted stays deleted, what
--     was given to a third contact stays there, and what was added since stays with the winner;
--   - who took a consent back since, did so as one person: both contacts are noted as refusing.
--
-- Error codes raised:
--   SC021  there is no such contact or merge, or it is not shown any more
--   SC022  a person and a company are not one
--   SC023  the merge was undone already, is older than thirty days, or the one that is left was merged itself since

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
comment on column public.merge_log.changes is 'What to undo: [{table, key, before, after}], in the order in which it was done.';

create index merge_log_winner on public.merge_log (user_id, winner_id, created_at desc);
create index merge_log_loser on public.merge_log (user_id, loser_id);
-- Serves the purge.
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

create function private.row_filter(_key jsonb)
  returns text
  language sql immutable strict
  set search_path = ''
as $$
  select string_agg(format('%I = %L', key, value), ' and ') from jsonb_each_text(_key)
$$;
comment on function private.row_filter(jsonb) is 'A key {column: value} as a condition.';

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

create function private.undo_change(_change jsonb)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _now jsonb;
  _back jsonb;
begin
  execute format(
    'select to_jsonb(t) from public.%I as t where %s for update', _change ->> 'table', private.row_filter(_change -> 'key')
  ) into _now;
  select jsonb_object_agg(key, _change -> 'before' -> key) into _back
  from jsonb_each(_change -> 'after') where _now -> key = value;
  -- A contact is put back field by field; anything else is one statement, whole or not at all.
  if _back is null or (_change ->> 'table' <> 'contacts' and _back <> _change -> 'before') then
    return false;
  end if;
  perform private.change_row(_change ->> 'table', _change -> 'key', _back);
  return _back = _change -> 'before';
exception
  -- Its place was taken since: what is there now stays.
  when unique_violation then
    return false;
end
$$;
comment on function private.undo_change(jsonb) is
  'Puts back what still is as a change left it; false where something was changed since, and stays.';

create function private.move_children(_user_id uuid, _from uuid, _to uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _reference record;
  _key jsonb;
  _changes jsonb := '[]';
begin
  for _reference in select * from private.contact_references() loop
    for _key in execute format(
      'select case when to_jsonb(t) ? ''id'' then jsonb_build_object(''id'', to_jsonb(t) -> ''id'')
         else jsonb_build_object(''contact_id'', to_jsonb(t) -> ''contact_id'', ''tag_id'', to_jsonb(t) -> ''tag_id'') end
       from public.%I as t where user_id = $1 and %I = $2', _reference.held_by, _reference.held_in
    ) using _user_id, _from
    loop
      begin
        _changes := _changes
          || private.change_row(_reference.held_by, _key, jsonb_build_object(_reference.held_in, _to));
      exception
        -- The other has the same already (a tag, a consent): one is enough.
        when unique_violation then null;
      end;
    end loop;
  end loop;
  return _changes;
end
$$;
comment on function private.move_children(uuid, uuid, uuid) is 'Hangs everything of one contact on another; answers how to undo it.';

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
  -- Of two consents the later word counts.
  for _row in
    select kept.id, to_jsonb(latest) as latest
    from public.consents as kept
    join public.consents as latest using (user_id, channel, purpose)
    where kept.user_id = _user_id and kept.contact_id = _to and latest.contact_id = _from
      and latest.state <> 'non_richiesto' and (latest.at > kept.at or kept.state = 'non_richiesto')
  loop
    _changes := _changes || private.change_row('consents', jsonb_build_object('id', _row.id), (
      select jsonb_object_agg(key, value) from jsonb_each(_row.latest)
      where key in ('state', 'legal_basis', 'wording', 'source', 'at')
    ));
  end loop;
  return _changes;
end
$$;
comment on function private.merge_details(uuid, uuid, uuid) is 'What has to be settled before children are moved; answers how to undo it.';

-- Definer: it writes what no browser may, each row found by the caller's id.
create function public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb default '{}')
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _fields constant text[] := array[
    'first_name', 'last_name', 'business_name', 'company_id', 'job_title', 'vat_number', 'tax_code', 'sdi_code', 'pec', 'regime',
    'address', 'website', 'touch_days', 'snoozed_until', 'note'
  ];
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
  _changes := _changes || private.move_children(auth.uid(), _loser, _winner);
  -- What was said to the other is no news: it ends no snooze.
  update public.contacts set snoozed_until = (_left ->> 'snoozed_until')::timestamptz
  where user_id = auth.uid() and id = _winner;
  if _taken <> '{}' then
    _changes := _changes || private.change_row('contacts', jsonb_build_object('id', _winner), _taken);
  end if;
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

create function public.undo_merge(_merge_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _merge public.merge_log;
  _snoozes jsonb;
  _refusal record;
begin
  select * into _merge from public.merge_log where user_id = auth.uid() and id = _merge_id for update;
  if not found or _merge.loser_id is null then
    raise exception 'no such merge' using errcode = 'SC021';
  elsif _merge.undone_at is not null or _merge.created_at < now() - interval '30 days' or exists (
    select from public.contacts where user_id = auth.uid() and id = _merge.winner_id and merged_into is not null
  ) then
    raise exception 'this merge cannot be undone any more' using errcode = 'SC023';
  end if;

  perform from public.contacts where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id) order by id for update;
  select jsonb_object_agg(id, snoozed_until) into _snoozes from public.contacts
  where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  perform private.undo_change(change)
  from (
    select change from jsonb_array_elements(_merge.changes) with ordinality as changes (change, place) order by place desc
  ) as backwards;
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

alter table public.merge_log enable row level security;

create policy "owners read their merges" on public.merge_log
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.merge_log from public, anon, authenticated, service_role;
grant select on public.merge_log to authenticated, service_role;

revoke all on function private.contact_references, private.row_filter, private.change_row, private.undo_change,
  private.move_children, private.merge_details, public.merge_contacts, public.undo_merge
  from public, anon, authenticated, service_role;
grant execute on function public.merge_contacts, public.undo_merge to authenticated;

do $$
begin
  execute format(
    $view$
      create or replace view public.timeline with (security_invoker = on) as
      %s
      union all
      select 'merge:' || id, user_id, winner_id, 'unione', created_at, 'Unito con ' || loser_name, null, 'merge', id,
        jsonb_build_object('loser_id', loser_id, 'undone_at', undone_at)
      from public.merge_log
    $view$, rtrim(pg_get_viewdef('public.timeline'::regclass), ';')
  );
end
$$;
