-- Turn limits: how many turns a user may start per minute, hour and day, by plan. Counted apart from conversations, so
-- deleting one gives nothing back.
--
-- Error codes raised:
--   SA001  too many requests; the detail is the number of seconds to wait

create table private.assistant_use (
  user_id uuid not null references auth.users (id) on delete cascade,
  span interval not null,
  started_at timestamptz not null default now(),
  turns integer not null default 0,
  primary key (user_id, span)
);
comment on table private.assistant_use is 'Turns of a person in the running minute, hour and day; each begins with its first turn.';

create function private.plan_of(_user_id uuid)
  returns text
  language sql stable
  set search_path = ''
as $$
  -- Plans are not sold yet: the largest pack of the last twelve months stands for one.
  select coalesce((
    select case pack_id when 'enterprise' then 'business' else pack_id end
    from public.credit_orders
    where user_id = _user_id and state = 'fulfilled' and created_at > now() - interval '12 months'
      and pack_id in ('starter', 'pro', 'enterprise')
    order by amount_cents desc limit 1
  ), 'free')
$$;
comment on function private.plan_of(uuid) is 'The plan whose limits a person has: free, starter, pro or business.';
revoke all on function private.plan_of from public, anon, authenticated, service_role;
grant execute on function private.plan_of to service_role;

create function private.turn_limits(_plan text)
  returns table (span interval, most integer)
  language sql immutable
  set search_path = ''
as $$
  values
    (interval '1 minute', 20),
    (interval '1 hour', case _plan when 'free' then 100 when 'starter' then 500 else 2000 end),
    (interval '1 day', case _plan when 'free' then 1000 when 'starter' then 5000 else 20000 end)
$$;
comment on function private.turn_limits(text) is 'How many turns fit into which time.';
revoke all on function private.turn_limits from public, anon, authenticated, service_role;

create function private.count_turn(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _limit record;
  _use private.assistant_use;
begin
  for _limit in select span, most from private.turn_limits(private.plan_of(_user_id)) order by span loop
    insert into private.assistant_use as used (user_id, span, turns) values (_user_id, _limit.span, 1)
    on conflict (user_id, span) do update set
      started_at = case when used.started_at + used.span <= now() then now() else used.started_at end,
      turns = case when used.started_at + used.span <= now() then 1 else used.turns + 1 end
    returning * into _use;
    if _use.turns > _limit.most then
      raise exception 'more than % turns in %', _limit.most, _limit.span using errcode = 'SA001',
        detail = greatest(1, ceil(extract(epoch from _use.started_at + _use.span - now())))::text;
    end if;
  end loop;
end
$$;
comment on function private.count_turn(uuid) is 'Counts a turn; SA001 when it is one too many, which counts nothing.';
revoke all on function private.count_turn from public, anon, authenticated, service_role;

alter table private.assistant_use enable row level security;

revoke all on private.assistant_use from public, anon, authenticated, service_role;
