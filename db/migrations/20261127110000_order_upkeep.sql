-- What follows an order, kept to what was promised: alerts reach a person, a withdrawal is done and told once, a paid order
-- keeps its invoice data, no event is forgotten; and every link of the waiting list leads out of it.

-- Alerts -------------------------------------------------------------------------------------------------------------

alter table public.payment_alerts add column told_at timestamptz;
comment on column public.payment_alerts.told_at is 'When the mail to the admins went into the outbox.';
-- Nobody needs to hear of disputes that have ended well.
update public.payment_alerts as alerts set told_at = now(), resolved_at = coalesce(resolved_at, now())
from public.credit_orders as orders
where alerts.kind = 'dispute' and orders.id = alerts.order_id and orders.state = 'fulfilled';

create function private.claim_alerts(_limit integer default 50)
  returns table (kind public.payment_alert_kind, order_id uuid, event_id text, details jsonb, admins text[])
  language sql volatile security definer
  set search_path = ''
as $$
  with people as (
    select array_agg(users.email::text order by users.email) as admins
    from public.user_roles join auth.users on users.id = user_roles.user_id
    where user_roles.role = 'admin' and users.email is not null
  )
  update public.payment_alerts as alerts set told_at = now()
  from people
  -- With nobody to tell they wait.
  where people.admins is not null and alerts.id in (
    select id from public.payment_alerts
    where told_at is null and resolved_at is null
    order by id limit _limit for update skip locked
  )
  returning alerts.kind, alerts.order_id, alerts.event_id, alerts.details, people.admins
$$;
comment on function private.claim_alerts(integer) is
  'Alerts that nobody was told of yet, for the caller to mail to the admins in this transaction.';

-- Fetching what was never told ---------------------------------------------------------------------------------------

create table private.payment_fetches (
  provider text primary key,
  -- The fetch began then, and all it found was stored.
  fetched_at timestamptz not null
);
comment on table private.payment_fetches is 'When the events of a provider were last fetched to the end.';

alter table private.payment_fetches enable row level security;
revoke all on private.payment_fetches from public, anon, authenticated, service_role;
grant select, insert, update on private.payment_fetches to service_role;

-- Orders -------------------------------------------------------------------------------------------------------------

alter table public.credit_orders add column withdrawal_waiver_at timestamptz;
comment on column public.credit_orders.withdrawal_waiver_at is
  'When the buyer asked for the credits at once, knowing that used ones cannot be given back (art. 59 c. 1 lett. o Codice del '
  'consumo).';

drop function private.open_order(uuid, text, text, boolean, jsonb);
create function private.open_order(
  _user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean default false
)
  returns public.credit_orders
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _pack public.packs;
  _order public.credit_orders;
begin
  select packs.* into _pack
  from public.packs
  join public.catalog_versions using (version)
  where version = (
      select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
    ) and id = _pack_id;
  if not found then
    return null;
  end if;

  -- Two clicks at once: the second waits here and finds the order of the first.
  perform pg_advisory_xact_lock(hashtextextended('open order ' || _user_id, 0));
  select * into _order from public.credit_orders
  where user_id = _user_id and pack_id = _pack_id and catalog_version = _pack.version and state = 'pending'
    -- Its page may be paid already and we not told: who it is billed to is never changed. Another invoice, another order.
    and (_billing is null or billing is not distinct from _billing)
    -- Enough time to pay; younger ones only, so that a forgotten page is not brought back.
    and expires_at > now() + interval '30 minutes'
  order by created_at desc limit 1;
  if not found then
    insert into public.credit_orders
      (user_id, email, pack_id, catalog_version, amount_cents, currency, credits, bonus, consumer, billing, expires_at)
      values (
        _user_id, _email, _pack_id, _pack.version, _pack.price_cents, _pack.currency, _pack.credits, _pack.bonus,
        _consumer, _billing, date_trunc('second', now()) + interval '1 hour'
      )
      returning * into _order;
  end if;
  if _waiver and _order.withdrawal_waiver_at is null then
    update public.credit_orders set withdrawal_waiver_at = now() where id = _order.id returning * into _order;
  end if;
  return _order;
end
$$;
comment on function private.open_order is
  'A new order at the price of the catalogue in force, the same once more while it waits for payment with the same invoice data '
  '(double click), with the moment at which its buyer first waived. Null: no such pack.';

-- Who never waived and used all of it gets the price, and has nothing to give back.
alter table public.order_refunds
  drop constraint a_refund_gives_something_back,
  add constraint a_refund_gives_something_back check (amount_cents > 0 and credits >= 0);

-- It also answers whether it did it: only then is there something to enqueue and to mail.
drop function private.withdraw_order(uuid, uuid);
create function private.withdraw_order(_user_id uuid, _order_id uuid)
  returns table (
    id uuid,
    order_id uuid,
    amount_cents bigint,
    credits bigint,
    state public.order_refund_state,
    created_at timestamptz,
    is_new boolean
  )
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _order public.credit_orders;
  _refund public.order_refunds;
  _is_new boolean;
  _worth_cents bigint;
  _amount_cents bigint;
begin
  select * into _order from public.credit_orders as orders
  where orders.id = _order_id and orders.user_id = _user_id for update;
  if not found then
    return;
  end if;
  select * into _refund from public.order_refunds as refunds where refunds.order_id = _order_id;
  _is_new := not found;
  if _is_new then
    if _order.state <> 'fulfilled' then
      raise exception 'order % is %', _order_id, _order.state using errcode = 'SC011';
    end if;
    -- To the end of the thirtieth day in Italy.
    if (now() at time zone 'Europe/Rome')::date > (_order.paid_at at time zone 'Europe/Rome')::date + 30 then
      raise exception 'order % was paid at %', _order_id, _order.paid_at using errcode = 'SC012';
    end if;
    -- What Stripe has given back is not owed again: its credits go first, if they were held when it was told.
    if _order.refunded_cents > 0 then
      perform private.settle_order(_order);
    end if;
    _worth_cents := private.refundable(_order_id);
    -- A consumer who never asked for the credits at once owes nothing for those used in the legal fourteen days.
    if _order.consumer and _order.withdrawal_waiver_at is null
      and (now() at time zone 'Europe/Rome')::date <= (_order.paid_at at time zone 'Europe/Rome')::date + 14
    then
      _worth_cents := _order.amount_cents;
    end if;
    -- Held credits may come back: nobody can say yet that nothing is left.
    if exists (select from public.credit_lots as lots where lots.order_id = _order_id and lots.held > 0) then
      raise exception 'credits of order % are held', _order_id using errcode = 'SC006';
    end if;
    _amount_cents := least(_worth_cents, _order.amount_cents - _order.taken_cents);
    if _amount_cents <= 0 then
      raise exception 'nothing of order % is unused', _order_id using errcode = 'SC013';
    end if;
    insert into public.order_refunds (order_id, amount_cents, credits)
      values (_order_id, _amount_cents, private.refund_order(_order_id, _amount_cents, 'withdrawal:' || _order_id))
      returning * into _refund;
    update public.credit_orders as orders set withdrawn_at = now(), taken_cents = orders.taken_cents + _amount_cents
    where orders.id = _order_id;
    insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
      values (_order_id, 'credit_note', _amount_cents, 'withdrawal');
  end if;
  return query select
    _refund.id, _refund.order_id, _refund.amount_cents, _refund.credits, _refund.state, _refund.created_at, _is_new;
end
$$;
comment on function private.withdraw_order is
  'Ends the contract: takes what is unused and owes its price back, once, and says whether it was this call; no row for an order of somebody else.';

-- The waiting list ---------------------------------------------------------------------------------------------------

-- Anybody may type an address and so bring it a newer mail: the older ones promise a way out too.
alter table public.waiting_list add column earlier_token_hashes bytea[] not null default '{}';
comment on column public.waiting_list.earlier_token_hashes is
  'SHA-256 of the tokens in the mails before: they confirm nothing any more, but lead out of the list.';
create index waiting_list_earlier on public.waiting_list using gin (earlier_token_hashes);

create table private.waiting_list_left (
  token_hash bytea primary key,
  left_at timestamptz not null,

  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
comment on table private.waiting_list_left is
  'Tokens whose address has left, and no address: whoever presses again hears the same; kept for a week.';

alter table private.waiting_list_left enable row level security;
revoke all on private.waiting_list_left from public, anon, authenticated, service_role;
grant select, insert, delete on private.waiting_list_left to service_role;

-- The figures of the wallet ------------------------------------------------------------------------------------------

create or replace function public.credit_overview()
  returns table (
    balance bigint,
    held bigint,
    -- All that ends on the earliest day, and whether it lives on then (what was bought) or is gone.
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

revoke all on function private.claim_alerts, private.open_order, private.withdraw_order
  from public, anon, authenticated, service_role;
grant execute on function private.claim_alerts, private.open_order, private.withdraw_order to service_role;
