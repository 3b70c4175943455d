-- Credit statement: the ledger as its owner reads it, the overview above it, and the forecast of how long credits last.

create table public.credit_settings (
  user_id uuid primary key references auth.users (id) on delete cascade,
  low_threshold integer not null default 5,
  -- Null: no cap.
  monthly_cap bigint,

  constraint low_threshold_is_reasonable check (low_threshold between 0 and 1000000),
  constraint monthly_cap_is_reasonable check (monthly_cap between 0 and 1000000000)
);
comment on table public.credit_settings is
  'When an owner wants to be warned of few credits, and how many work may use in a calendar month.';

-- A function instead of a view, so that the cost of a page does not depend on the length of the ledger. `_before` is
-- the last id that the client has seen.
create function public.credit_statement(_before bigint default null, _limit integer default 50)
  returns table (
    id bigint,
    created_at timestamptz,
    kind public.credit_entry_kind,
    account public.credit_account,
    amount bigint,
    balance_after bigint,
    ref_type text,
    ref_id text,
    reason text,
    lot_id uuid,
    lot_kind public.credit_lot_kind,
    lot_created_at timestamptz,
    lot_expires_at timestamptz,
    order_id uuid
  )
  language sql stable
  set search_path = ''
as $$
  select ledger.id, ledger.created_at, ledger.kind, ledger.account, ledger.amount, ledger.balance_after,
    ledger.ref_type, ledger.ref_id, ledger.reason, lots.id, lots.kind, lots.created_at, lots.expires_at, lots.order_id
  from (
    -- Limited before the join, so that a long ledger is neither joined nor sorted as a whole.
    select * from public.credit_ledger
    where user_id = (select auth.uid()) and id < coalesce(_before, 9223372036854775807)
    order by id desc
    limit least(_limit, 1000)
  ) as ledger
  cross join lateral (
    select * from public.credit_lots as lots where lots.user_id = ledger.user_id and lots.id = ledger.lot_id
    -- Each by its id: joined at once, all lots of the owner may be read for the fifty of a page.
    offset 0
  ) as lots
  order by ledger.id desc
$$;
comment on function public.credit_statement(bigint, integer) is
  'The caller''s ledger, latest first: when, what, from which lot, how many credits, what was left.';
revoke all on function public.credit_statement from public, anon, authenticated, service_role;
grant execute on function public.credit_statement to authenticated;

create function public.credit_overview()
  returns table (
    balance bigint,
    held bigint,
    -- All credits that end on the earliest day, and whether they are then extended (bought credits) or lost.
    next_expiry_at timestamptz,
    next_expiry_credits bigint,
    next_expiry_extends boolean,
    used_this_month bigint,
    low_threshold integer,
    monthly_cap bigint
  )
  language sql stable
  set search_path = ''
as $$
  select wallets.balance, wallets.held, next.expires_at, next.remaining, next.extends,
    case when used_month = date_trunc('month', now() at time zone 'Europe/Rome')::date then used_in_month else 0 end,
    settings.low_threshold, settings.monthly_cap
  from public.credit_wallets as wallets
  join public.credit_settings as settings using (user_id)
  left join lateral (
    select min(expires_at) as expires_at, sum(remaining)::bigint as remaining,
      order_id is not null or kind = 'acquisto' as extends
    from public.credit_lots as lots
    where lots.user_id = wallets.user_id and remaining > 0 and expires_at is not null
    group by (expires_at at time zone 'Europe/Rome')::date, extends
    -- What is gone then is told before what lives on.
    order by (expires_at at time zone 'Europe/Rome')::date, extends
    limit 1
  ) as next on true
  where wallets.user_id = (select auth.uid())
$$;
comment on function public.credit_overview() is 'The figures of the caller''s wallet, one row; none for a visitor.';
revoke all on function public.credit_overview from public, anon, authenticated, service_role;
grant execute on function public.credit_overview to authenticated;

create function public.credit_forecast()
  returns table (
    balance bigint,
    held bigint,
    used_30d bigint,
    -- Average over the days since the first use, at least seven and at most thirty days.
    per_day numeric,
    -- Null: no credits were used, or the credits last for more than a year.
    lasts_until date,
    next_expiry_at timestamptz,
    next_expiry_credits bigint
  )
  language sql stable
  set search_path = ''
as $$
  select overview.balance, overview.held, used.credits, used.per_day,
    case when used.per_day > 0 and overview.balance / used.per_day <= 366
      then (now() at time zone 'Europe/Rome')::date + floor(overview.balance / used.per_day)::integer
    end,
    overview.next_expiry_at, overview.next_expiry_credits
  from public.credit_overview() as overview
  cross join lateral (
    select coalesce(-sum(amount), 0)::bigint as credits,
      round(coalesce(-sum(amount), 0) / greatest(
        7, ceil(extract(epoch from now() - min(created_at)) / 86400)
      ), 2) as per_day
    from public.credit_ledger
    where user_id = (select auth.uid()) and kind = 'settle' and created_at >= now() - interval '30 days'
  ) as used
$$;
comment on function public.credit_forecast() is
  'The caller''s credits, what was used in thirty days, and until when they last at that pace; none for a visitor.';
revoke all on function public.credit_forecast from public, anon, authenticated, service_role;
grant execute on function public.credit_forecast to authenticated;

alter table public.credit_settings enable row level security;

create policy "owners read their credit settings" on public.credit_settings
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their credit settings" on public.credit_settings
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

revoke all on public.credit_settings from public, anon, authenticated, service_role;
grant select on public.credit_settings to authenticated, service_role;
grant update (low_threshold, monthly_cap) on public.credit_settings to authenticated;

-- A relationship for PostgREST: what a tab looks at is one request, the balance with the newest notifications beside it.
create function public.notifications(_wallet public.credit_wallets)
  returns setof public.notifications
  language sql stable
  set search_path = ''
as $$
  select * from public.notifications where user_id = _wallet.user_id
$$;
comment on function public.notifications(public.credit_wallets) is 'The notifications of the owner of a wallet.';
revoke all on function public.notifications(public.credit_wallets) from public, anon, authenticated, service_role;
grant execute on function public.notifications(public.credit_wallets) to authenticated;
