-- Roadmap: ideas that people send, what came of them, votes, and the technical list of admins.
--
-- What was announced before stands in the client (web/src/data/roadmap.ts), where tests compare it with the capabilities.
-- An idea is read by admins without its author; what is published is an item in an admin's words, so an item outlives the
-- accounts that asked for it.
--
-- Error codes raised:
--   PT404  no such idea, or item that is public (PostgREST answers 404)
--   SC061  ten ideas were sent within a day

create table private.roadmap_items (
  id bigint primary key generated always as identity,
  kind text not null default 'product',
  title public.single_line not null,
  text text not null default '',
  state text not null default 'planned',
  -- What was promised; a day that passes is not moved.
  due_on date,
  is_public boolean not null default false,
  -- Forgotten 90 days after its last error.
  error_group_id bigint references private.error_groups (id) on delete set null,
  done_at timestamptz,
  created_at timestamptz not null default now(),

  constraint kind_is_known check (kind in ('product', 'technical')),
  constraint state_is_known check (state in ('planned', 'started', 'done', 'declined')),
  constraint title_fits check (char_length(title) between 3 and 120),
  constraint text_fits check (char_length(text) <= 500),
  constraint what_is_done_has_a_day check ((state = 'done') = (done_at is not null)),
  constraint technical_items_stay_inside check (kind = 'product' or not is_public)
);
comment on table private.roadmap_items is 'What admins plan: for the product, or technical; public where they say so.';

create index roadmap_items_error_group on private.roadmap_items (error_group_id);

create table private.ideas (
  id bigint primary key generated always as identity,
  user_id uuid not null references auth.users (id) on delete cascade,
  title public.single_line not null,
  text text not null default '',
  -- Several ideas with one item are the same wish.
  item_id bigint references private.roadmap_items (id) on delete set null,
  is_declined boolean not null default false,
  reply text,
  answered_at timestamptz,
  created_at timestamptz not null default now(),

  constraint title_fits check (char_length(title) between 3 and 120),
  constraint text_fits check (char_length(text) <= 2000),
  constraint reply_fits check (char_length(btrim(reply)) between 3 and 1000),
  constraint a_declined_idea_has_a_reply check (not is_declined or reply is not null),
  constraint a_declined_idea_has_no_item check (not is_declined or item_id is null)
);
comment on table private.ideas is 'What people wish for, with what was answered; only its author and admins read it.';

create index ideas_user on private.ideas (user_id, id desc);

create index ideas_item on private.ideas (item_id);

create table private.roadmap_votes (
  item_id bigint not null references private.roadmap_items (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),

  primary key (item_id, user_id)
);
comment on table private.roadmap_votes is 'Who wants an item; authors of its ideas count as well.';

create index roadmap_votes_user on private.roadmap_votes (user_id);

create function private.roadmap_item_votes(_item_id bigint)
  returns integer
  language sql stable
  set search_path = ''
as $$
  select count(*)::integer from private.roadmap_votes where item_id = _item_id
$$;
comment on function private.roadmap_item_votes(bigint) is 'Return how many people want an item.';
revoke all on function private.roadmap_item_votes from public, anon, authenticated, service_role;

create function private.roadmap_item_is_late(_item private.roadmap_items)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select _item.state in ('planned', 'started') and coalesce(_item.due_on < private.today(), false)
$$;
comment on function private.roadmap_item_is_late(private.roadmap_items) is 'Whether the day that was promised has passed.';
revoke all on function private.roadmap_item_is_late from public, anon, authenticated, service_role;

create function public.roadmap_board()
  returns table (
    id bigint, title text, text text, state text, due_on date, is_late boolean, done_at timestamptz, votes integer,
    is_mine boolean
  )
  language sql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
  select id, title, text, state, due_on, private.roadmap_item_is_late(items), done_at, votes,
    exists (select from private.roadmap_votes where item_id = items.id and user_id = (select auth.uid()))
  from private.roadmap_items as items cross join lateral private.roadmap_item_votes(id) as votes
  where is_public and state <> 'declined'
  order by state = 'done', votes desc, id desc limit 100
$$;
comment on function public.roadmap_board() is 'The public items with their votes, for everybody; open ones first, the most wanted first.';
revoke all on function public.roadmap_board from public, anon, authenticated, service_role;
grant execute on function public.roadmap_board to anon, authenticated;

-- Security definer, like the three functions below, because nobody may read who else votes or writes.
create function public.vote_roadmap_item(_id bigint, _is_for boolean)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
begin
  if not exists (select from private.roadmap_items where id = _id and is_public and state in ('planned', 'started')) then
    raise exception 'no such item' using errcode = 'PT404';
  end if;
  if _is_for then
    insert into private.roadmap_votes (item_id, user_id) values (_id, _user_id) on conflict do nothing;
  else
    delete from private.roadmap_votes where item_id = _id and user_id = _user_id;
  end if;
  return private.roadmap_item_votes(_id);
end
$$;
comment on function public.vote_roadmap_item(bigint, boolean) is
  'Says whether the caller wants a public item that is not done; returns its votes.';
revoke all on function public.vote_roadmap_item from public, anon, authenticated, service_role;
grant execute on function public.vote_roadmap_item to authenticated;

create function public.send_idea(_title text, _text text default '')
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _id bigint;
begin
  -- A second click waits for the first.
  perform from public.profiles where user_id = _user_id for no key update;
  select id into _id from private.ideas
  where user_id = _user_id and title = _title and text = btrim(_text) and created_at > now() - interval '1 day';
  if found then
    return _id;
  end if;
  if (select count(*) from private.ideas where user_id = _user_id and created_at > now() - interval '1 day') >= 10 then
    raise exception 'too many ideas' using errcode = 'SC061';
  end if;
  insert into private.ideas (user_id, title, text) values (_user_id, _title, btrim(_text)) returning id into _id;
  return _id;
end
$$;
comment on function public.send_idea(text, text) is 'Sends an idea of the caller to the admins, the same one once; returns its id.';
revoke all on function public.send_idea from public, anon, authenticated, service_role;
grant execute on function public.send_idea to authenticated;

create function public.my_ideas()
  returns table (
    id bigint, title text, text text, state text, item_title text, reply text, answered_at timestamptz,
    created_at timestamptz
  )
  language sql stable security definer
  set search_path = ''
as $$
  select ideas.id, ideas.title, ideas.text,
    case when is_declined then 'declined' else coalesce(items.state, 'new') end,
    case when items.is_public then items.title end, reply, answered_at, ideas.created_at
  from private.ideas left join private.roadmap_items as items on items.id = item_id
  where user_id = (select auth.uid()) order by ideas.id desc limit 200
$$;
comment on function public.my_ideas() is 'The ideas of the caller with what came of them: `new` until an admin decides.';
revoke all on function public.my_ideas from public, anon, authenticated, service_role;
grant execute on function public.my_ideas to authenticated;

create function public.delete_idea(_id bigint)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  delete from private.ideas where id = _id and user_id = (select auth.uid())
$$;
comment on function public.delete_idea(bigint) is 'Erases an idea of the caller; what was planned because of it stays.';
revoke all on function public.delete_idea from public, anon, authenticated, service_role;
grant execute on function public.delete_idea to authenticated;

create function private.roadmap_state_words(_state text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case _state when 'planned' then 'è prevista' when 'started' then 'ci stiamo lavorando'
    when 'done' then 'è fatta' else 'non la faremo' end
$$;
comment on function private.roadmap_state_words(text) is 'Return the state of an item as a notice says it.';
revoke all on function private.roadmap_state_words from public, anon, authenticated, service_role;

create function private.notify_ideas(_item private.roadmap_items)
  returns void
  language sql volatile
  set search_path = ''
as $$
  select private.notify(
    user_id, 'idea', 'La tua idea: ' || private.roadmap_state_words(_item.state), title, '/settings/ideas',
    concat_ws(':', 'idea', id, _item.state)
  )
  from private.ideas where item_id = _item.id;
  select private.notify(
    user_id, 'idea', 'Fatto: ' || _item.title, 'L’avevi votata nella roadmap.', '/settings/ideas',
    concat_ws(':', 'voto', _item.id, _item.state)
  )
  from private.roadmap_votes as votes
  where votes.item_id = _item.id and _item.state = 'done' and _item.is_public
    and not exists (select from private.ideas where item_id = _item.id and user_id = votes.user_id)
$$;
comment on function private.notify_ideas(private.roadmap_items) is
  'Tells the authors of an item''s ideas about its state, and those who voted once it is done; each state once.';
revoke all on function private.notify_ideas from public, anon, authenticated, service_role;

create function public.admin_roadmap()
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(to_jsonb(items) || jsonb_build_object(
        'is_late', private.roadmap_item_is_late(items), 'votes', votes,
        'ideas', (select count(*) from private.ideas where item_id = items.id),
        'error', (select message from private.error_groups where id = error_group_id)
      ) order by votes desc, id desc), '[]')
      from (
        -- Open items first: old decisions make room for them.
        select * from private.roadmap_items order by state in ('done', 'declined'), id desc limit 300
      ) as items
      cross join lateral private.roadmap_item_votes(id) as votes
    ),
    'ideas', (
      -- Without their authors.
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', id, 'title', title, 'text', text, 'item_id', item_id, 'is_declined', is_declined, 'reply', reply,
        'created_at', created_at
      ) order by answered_at is not null, id desc), '[]')
      from (select * from private.ideas order by answered_at is not null, id desc limit 200) as ideas
    )
  );
end
$$;
comment on function public.admin_roadmap() is
  'All items, the most wanted first, and ideas without their authors, the unanswered first, for admins.';
revoke all on function public.admin_roadmap from public, anon, authenticated, service_role;
grant execute on function public.admin_roadmap to authenticated;

create function public.admin_write_roadmap_item(
  _title text, _text text, _state text, _is_public boolean default false, _due_on date default null,
  _kind text default 'product', _error_group_id bigint default null, _id bigint default null
)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _before private.roadmap_items;
  _item private.roadmap_items;
begin
  perform private.require_admin();
  if _id is null then
    insert into private.roadmap_items (kind, title, text, state, is_public, due_on, error_group_id, done_at)
    values (_kind, _title, _text, _state, _is_public, _due_on, _error_group_id, case _state when 'done' then now() end)
    returning * into _item;
  else
    select * into _before from private.roadmap_items where id = _id for update;
    if not found then
      raise exception 'no such item' using errcode = 'PT404';
    end if;
    update private.roadmap_items set title = _title, text = _text, state = _state, is_public = _is_public,
      due_on = _due_on, done_at = case _state when 'done' then coalesce(done_at, now()) end
    where id = _id returning * into _item;
  end if;
  if _before.state is distinct from _item.state then
    perform private.notify_ideas(_item);
  end if;
  -- The title is the reason as well: no other one is asked for.
  perform private.log_admin_action(
    'roadmap.write', _item.id::text, null,
    case when _id is not null then jsonb_build_object('state', _before.state, 'is_public', _before.is_public) end,
    jsonb_build_object('state', _item.state, 'is_public', _item.is_public), _item.title
  );
  return _item.id;
end
$$;
comment on function public.admin_write_roadmap_item is
  'Writes a new item, or with its id one that is there, for admins; tells those who asked for it. Returns its id.';
revoke all on function public.admin_write_roadmap_item from public, anon, authenticated, service_role;
grant execute on function public.admin_write_roadmap_item to authenticated;

create function public.admin_answer_idea(_id bigint, _item_id bigint, _reply text default null)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _answer constant text := nullif(btrim(_reply), '');
  _idea private.ideas;
  _item private.roadmap_items;
begin
  perform private.require_admin();
  select * into _item from private.roadmap_items where id = _item_id;
  if _item_id is not null and (not found or _item.kind <> 'product') then
    raise exception 'no such item' using errcode = 'PT404';
  end if;
  update private.ideas set item_id = _item_id, is_declined = _item_id is null, reply = _answer, answered_at = now()
  where id = _id returning * into _idea;
  if not found then
    raise exception 'no such idea' using errcode = 'PT404';
  end if;
  if _item_id is not null then
    insert into private.roadmap_votes (item_id, user_id) values (_item_id, _idea.user_id) on conflict do nothing;
  end if;
  perform private.notify(
    _idea.user_id, 'idea', 'La tua idea: ' || private.roadmap_state_words(coalesce(_item.state, 'declined')),
    coalesce(_answer, _idea.title), '/settings/ideas',
    concat_ws(':', 'idea', _id, coalesce(_item.state, 'declined'), md5(_answer))
  );
  perform private.log_admin_action(
    'idea.answer', _id::text, _idea.user_id, null, jsonb_build_object('item_id', _item_id),
    coalesce(left(_answer, 500), 'Collegata a: ' || _item.title)
  );
end
$$;
comment on function public.admin_answer_idea(bigint, bigint, text) is
  'Answers an idea, for admins: the item that it belongs to, which counts its author''s vote, or a refusal with its reason.';
revoke all on function public.admin_answer_idea from public, anon, authenticated, service_role;
grant execute on function public.admin_answer_idea to authenticated;

alter table private.roadmap_items enable row level security;
alter table private.ideas enable row level security;
alter table private.roadmap_votes enable row level security;

revoke all on private.roadmap_items from public, anon, authenticated, service_role;
revoke all on private.ideas from public, anon, authenticated, service_role;
revoke all on private.roadmap_votes from public, anon, authenticated, service_role;
