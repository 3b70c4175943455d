-- What an owner reads of their credits: the statement line by line, and the figures above it.

-- A function and no view, so that a page costs a page however long the ledger: `_before` is the last id already seen.
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
  from public.credit_ledger as ledger
  join public.credit_lots as lots on lots.user_id = ledger.user_id and lots.id = ledger.lot_id
  where ledger.user_id = (select auth.uid()) and (_before is null or ledger.id < _before)
  order by ledger.id desc
  limit least(_limit, 1000)
$$;
comment on function public.credit_statement(bigint, integer) is
  'The caller''s ledger, latest first: when, what, from which lot, how many credits, what was left.';

create function public.credit_overview()
  returns table (
    balance bigint,
    held bigint,
    -- The earliest lot that ends, and whether it lives on then (what was bought) or is gone.
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
    (
      select coalesce(-sum(amount), 0)::bigint from public.credit_ledger
      where user_id = wallets.user_id and kind = 'settle'
        and created_at >= date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
    ),
    settings.low_threshold, settings.monthly_cap
  from public.credit_wallets as wallets
  join public.credit_settings as settings using (user_id)
  left join lateral (
    select expires_at, remaining, order_id is not null or kind = 'acquisto' as extends
    from public.credit_lots as lots
    where lots.user_id = wallets.user_id and remaining > 0 and expires_at is not null
    order by expires_at, paid_cents > 0, created_at, id
    limit 1
  ) as next on true
  where wallets.user_id = (select auth.uid())
$$;
comment on function public.credit_overview() is 'The figures of the caller''s wallet, one row; none for a visitor.';

revoke all on function public.credit_statement, public.credit_overview from public, anon, authenticated, service_role;
grant execute on function public.credit_statement, public.credit_overview to authenticated;
