-- Count usage of month.
--   ALTER TABLE public.credit_wallets ADD COLUMN used_month date
--   ALTER TABLE public.credit_wallets ADD COLUMN used_in_month bigint NOT NULL DEFAULT 0
--   CREATE OR REPLACE FUNCTION private.assert_wallet
--   CREATE OR REPLACE FUNCTION private.close_hold
--   CREATE OR REPLACE FUNCTION private.used_this_month
--   CREATE OR REPLACE FUNCTION public.credit_overview
--   CREATE OR REPLACE FUNCTION public.credit_statement
--   ALTER TABLE public.credit_wallets ADD CONSTRAINT only_a_month_has_usage CHECK (((used_in_month >= 0) AND ((us…
--   CREATE INDEX credit_lots_live ON public.credit_lots USING btree (user_id) WHERE ((remaining > 0) OR (held > 0…

set check_function_bodies = off;

ALTER TABLE "public"."credit_wallets"
  ADD COLUMN "used_month" date;

ALTER TABLE "public"."credit_wallets"
  ADD COLUMN "used_in_month" bigint NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION private.assert_wallet (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _wallet record;
begin
  select balance, held, lots.spendable, lots.reserved, coalesce(last.balance_after, 0) as ledger into _wallet
  from public.credit_wallets
  cross join lateral (
    select coalesce(sum(credit_lots.remaining), 0) as spendable, coalesce(sum(credit_lots.held), 0) as reserved
    from public.credit_lots
    where credit_lots.user_id = _user_id and (credit_lots.remaining > 0 or credit_lots.held > 0)
  ) as lots
  left join lateral (
    select balance_after from public.credit_ledger where credit_ledger.user_id = _user_id order by id desc limit 1
  ) as last on true
  where credit_wallets.user_id = _user_id;
  if (_wallet.balance, _wallet.held, _wallet.balance + _wallet.held)
    is distinct from (_wallet.spendable, _wallet.reserved, _wallet.ledger)
  then
    raise exception 'wallet % disagrees with its lots or its ledger: %', _user_id, _wallet using errcode = 'SC007';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.close_hold (
  _hold       public.credit_holds,
  _state      public.credit_hold_state,
  _used       bigint                   DEFAULT 0,
  _settle_key text                     DEFAULT NULL::text
)
  RETURNS public.credit_holds
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _month constant date := date_trunc('month', now() at time zone 'Europe/Rome');
begin
  -- Before the ledger, whose trigger reads what the month has used. A transaction that began in the month before and
  -- waited for the wallet does not count in the new month.
  update public.credit_wallets
  set held = held - _hold.amount, balance = balance + _hold.amount - _used, updated_at = now(),
    used_in_month = case when _month < used_month then 0 else _used end
      + case when _month > used_month then 0 else used_in_month end,
    used_month = greatest(used_month, _month)
  where user_id = _hold.user_id;
  if _used > 0 then
    update public.hold_lots set captured = greatest(0, least(amount, _used - before))
    from (
      select part as place, sum(amount) over (order by part) - amount as before
      from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id
    ) as places
    where user_id = _hold.user_id and hold_id = _hold.id and part = place;
    perform private.book(
        _hold.user_id, 'settle', 'usage', _settle_key,
        array_agg(lot_id order by part), array_agg(-captured order by part), _hold.ref_type, _hold.ref_id, _hold.id
      )
    from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id and captured > 0;
  end if;
  update public.credit_lots
  set held = held - hold_lots.amount, remaining = remaining + hold_lots.amount - hold_lots.captured
  from public.hold_lots
  where hold_lots.user_id = _hold.user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_holds set state = _state, captured = _used, settle_key = _settle_key, closed_at = now()
  where id = _hold.id
  returning * into _hold;
  -- What came back may have outlived its lot.
  perform private.expire_wallet(_hold.user_id);
  perform private.assert_wallet(_hold.user_id);
  return _hold;
end
$function$;

CREATE OR REPLACE FUNCTION private.used_this_month (
  _user_id uuid
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
  select coalesce((
    select used_in_month from public.credit_wallets
    where user_id = _user_id and used_month = date_trunc('month', now() at time zone 'Europe/Rome')::date
  ), 0)
$function$;

CREATE OR REPLACE FUNCTION public.credit_overview()
  RETURNS TABLE (
    balance             bigint,
    held                bigint,
    next_expiry_at      timestamp with time zone,
    next_expiry_credits bigint,
    next_expiry_extends boolean,
    used_this_month     bigint,
    low_threshold       integer,
    monthly_cap         bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.credit_statement (
  _before bigint  DEFAULT NULL::bigint,
  _limit  integer DEFAULT 50
)
  RETURNS TABLE (
    id             bigint,
    created_at     timestamp with time zone,
    kind           public.credit_entry_kind,
    account        public.credit_account,
    amount         bigint,
    balance_after  bigint,
    ref_type       text,
    ref_id         text,
    reason         text,
    lot_id         uuid,
    lot_kind       public.credit_lot_kind,
    lot_created_at timestamp with time zone,
    lot_expires_at timestamp with time zone,
    order_id       uuid
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select ledger.id, ledger.created_at, ledger.kind, ledger.account, ledger.amount, ledger.balance_after,
    ledger.ref_type, ledger.ref_id, ledger.reason, lots.id, lots.kind, lots.created_at, lots.expires_at, lots.order_id
  from (
    -- Limited before the join, so that a long ledger is neither joined nor sorted as a whole.
    select * from public.credit_ledger
    where user_id = (select auth.uid()) and id < coalesce(_before, 9223372036854775807)
    order by id desc
    limit least(_limit, 1000)
  ) as ledger
  join public.credit_lots as lots on lots.user_id = ledger.user_id and lots.id = ledger.lot_id
  order by ledger.id desc
$function$;

ALTER TABLE "public"."credit_wallets"
  ADD CONSTRAINT "only_a_month_has_usage" CHECK (((used_in_month >= 0) AND ((used_in_month = 0) OR (used_month IS NOT NULL))));

CREATE INDEX credit_lots_live ON public.credit_lots USING btree (user_id)
  WHERE ((remaining > 0) OR (held > 0));

reset check_function_bodies;

update public.credit_wallets set used_month = month, used_in_month = used
from (
  select user_id, date_trunc('month', now() at time zone 'Europe/Rome')::date as month, -sum(amount) as used
  from public.credit_ledger
  where kind = 'settle'
    and created_at >= date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
  group by user_id
) as usage
where usage.user_id = credit_wallets.user_id;
