-- Orders: purchases of credit packs, the facts that Stripe reports about them, and their receipts and refunds.
--
-- Each report from Stripe becomes a fact of the order (paid, failed, expired, refunded amount, disputed). Facts are
-- only added, and the state is computed from them, so it does not depend on the order in which events arrive. One
-- transaction stores an event and does everything that follows from it; a 2xx answer means that it is committed.
--
-- Price and credits are copied from the catalogue when the order is opened. If a paid session differs from them,
-- nothing is granted and an alert waits for a person. A buyer may have one order without a withdrawal waiver that did
-- not end unpaid, because such an order can be given back whole.
--
-- Orders reference no account: accounting outlives it.
--
-- Error codes raised:
--   SC011  the order is in no state in which it can be withdrawn from
--   SC012  the thirty days are over
--   SC013  nothing of the order is left unused
--   SC014  a consumer who has an order without waiver wants another one
--   SC015  the payment of the order is disputed
--   SC016  the buyer's account does not exist (any more)
--   SC017  a payment for this pack is under way

create type public.order_state as enum ('pending', 'fulfilled', 'failed', 'expired', 'review', 'refunded', 'disputed');

create type public.order_refund_state as enum ('requested', 'sent', 'failed');

create type public.fiscal_document_kind as enum ('invoice', 'credit_note');

create type public.fiscal_document_state as enum ('queued', 'sent', 'accepted', 'refused');

create table public.credit_orders (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  -- Address for the receipt; null: the account has no address.
  email text,
  pack_id text not null,
  catalog_version integer not null,
  amount_cents bigint not null,
  currency text not null,
  credits bigint not null,
  bonus bigint not null,
  -- Whether the buyer acts outside a trade or profession. If so, the legal right of withdrawal applies in addition to
  -- our guarantee.
  consumer boolean not null default true,
  -- Recipient of the invoice, as checked when the order was opened; null: a receipt is enough.
  billing jsonb,

  provider_session text unique,
  payment_intent text unique,
  checkout_url text,
  created_at timestamptz not null default now(),
  -- The checkout page is valid until then.
  expires_at timestamptz not null,
  -- When we last asked Stripe about the order.
  checked_at timestamptz,
  -- When the confirmation was put into the outbox.
  receipt_at timestamptz,

  -- The facts: state is computed from them.
  paid_at timestamptz,
  fulfilled_at timestamptz,
  failed_at timestamptz,
  expired_at timestamptz,
  withdrawn_at timestamptz,
  refunded_cents bigint not null default 0,
  disputed_at timestamptz,
  dispute_won_at timestamptz,
  dispute_lost_at timestamptz,
  -- The part of the refunded or owed amount for which the ledger has already taken the credits.
  taken_cents bigint not null default 0,
  withdrawal_waiver_at timestamptz,
  submitted_at timestamptz,
  orphaned_at timestamptz,

  state public.order_state not null generated always as (
    case
      when fulfilled_at is not null and disputed_at is not null and dispute_won_at is null then 'disputed'::public.order_state
      when fulfilled_at is not null and (withdrawn_at is not null or refunded_cents >= amount_cents) then 'refunded'
      when fulfilled_at is not null then 'fulfilled'
      when paid_at is not null and refunded_cents > 0 then 'refunded'
      when paid_at is not null then 'review'
      when failed_at is not null then 'failed'
      when expired_at is not null then 'expired'
      else 'pending'
    end
  ) stored,

  foreign key (catalog_version, pack_id) references public.packs (version, id) on delete restrict,
  constraint an_order_costs_something check (amount_cents > 0),
  constraint an_order_brings_credits check (credits > 0 and bonus >= 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$'),
  constraint billing_is_an_object check (jsonb_typeof(billing) = 'object'),
  constraint what_is_fulfilled_was_paid check (fulfilled_at is null or paid_at is not null),
  constraint refunds_are_never_negative check (refunded_cents >= 0 and taken_cents >= 0)
);
comment on table public.credit_orders is 'Purchases of packs; price and credits are those of the catalogue at that moment.';
comment on column public.credit_orders.state is
  'Computed from the facts. review: paid, but not what was ordered, so a person looks (payment_alerts).';
comment on column public.credit_orders.disputed_at is 'Since when the payment is or was disputed (private.order_disputes).';
comment on column public.credit_orders.dispute_won_at is 'When the last of its disputes ended well; null while one is open or lost.';
comment on column public.credit_orders.dispute_lost_at is 'When one of its disputes was lost; null when none is.';
comment on column public.credit_orders.taken_cents is
  'For so much of what was or will be given back the credits are taken, or as soon as no work holds them.';
comment on column public.credit_orders.withdrawal_waiver_at is
  'When the buyer asked for the credits at once, knowing that used ones cannot be given back (art. 59 c. 1 lett. o Codice del '
  'consumo).';
comment on column public.credit_orders.submitted_at is
  'When we learned that the buyer has done everything and the money is on its way: a direct debit takes days.';
comment on column public.credit_orders.orphaned_at is
  'When its account was deleted before it was paid: what comes now is held back.';

create table public.order_refunds (
  -- Also the idempotency key of the request to Stripe, so that Stripe pays back once.
  id uuid primary key default gen_random_uuid(),
  -- Unique because one withdrawal ends the contract.
  order_id uuid not null unique references public.credit_orders (id) on delete restrict,
  amount_cents bigint not null,
  credits bigint not null,
  state public.order_refund_state not null default 'requested',
  provider_refund text unique,
  created_at timestamptz not null default now(),
  settled_at timestamptz,

  -- Credits may be 0: a consumer who never waived withdrawal and used all credits gets the price back and returns no
  -- credits.
  constraint a_refund_gives_something_back check (amount_cents > 0 and credits >= 0),
  constraint a_settled_refund_says_when check ((state = 'requested') = (settled_at is null))
);
comment on table public.order_refunds is 'Money we owe for a withdrawal: its credits are gone already, a job asks Stripe to pay.';

create table public.fiscal_documents (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.credit_orders (id) on delete restrict,
  kind public.fiscal_document_kind not null,
  amount_cents bigint not null,
  -- The subject of the document: the order itself, or one refund of it.
  reference text not null,
  state public.fiscal_document_state not null default 'queued',
  xml text,
  created_at timestamptz not null default now(),

  unique (order_id, kind, reference),
  constraint a_document_is_about_money check (amount_cents > 0)
);
comment on table public.fiscal_documents is 'Documents an intermediary will send to the tax office (SdI): queued with the sale or refund.';

create index credit_orders_of_user on public.credit_orders (user_id, created_at desc);

create index credit_orders_pack on public.credit_orders (catalog_version, pack_id);

create index credit_orders_without_receipt on public.credit_orders (fulfilled_at)
  where fulfilled_at is not null and receipt_at is null;

create index credit_orders_pending on public.credit_orders (created_at) where state = 'pending';

create function private.refundable(_order_id uuid)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  perform private.lock_wallet(user_id) from public.credit_lots where order_id = _order_id limit 1;
  return (
    select coalesce(sum(paid_cents * remaining / amount), 0)::bigint from public.credit_lots where order_id = _order_id
  );
end
$$;
comment on function private.refundable(uuid) is
  'What the unused credits of an order were paid, in whole cents; locks the wallet, so that it stays true.';
revoke all on function private.refundable from public, anon, authenticated, service_role;
grant execute on function private.refundable to service_role;

create function private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _user_id constant uuid := (select user_id from public.credit_lots where order_id = _order_id limit 1);
  _before_cents constant bigint := coalesce((select taken_cents from public.credit_orders where id = _order_id), 0);
  _taken bigint;
begin
  if _amount_cents is null or _amount_cents <= 0 then
    raise exception 'a refund of % cents is none', _amount_cents using errcode = 'invalid_parameter_value';
  end if;
  if _user_id is null then
    return 0;
  end if;
  perform private.lock_wallet(_user_id);
  select -sum(amount) into _taken from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key;
  if _taken is not null then
    if exists (
      select from public.credit_ledger
      where user_id = _user_id and idempotency_key = _idempotency_key
        and (kind, ref_id) is distinct from ('refund'::public.credit_entry_kind, _order_id::text)
    ) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _taken;
  end if;
  if exists (select from public.credit_lots where order_id = _order_id and held > 0) then
    raise exception 'credits of order % are held', _order_id using errcode = 'SC006';
  end if;
  select taken into _taken
  from private.reclaim(
    _order_id, _before_cents + _amount_cents, _amount_cents >= private.refundable(_order_id), _idempotency_key
  );
  return _taken;
end
$$;
comment on function private.refund_order is
  'Takes back unused credits of an order for more money given back, once per key, never more than are left; answers how many.';
revoke all on function private.refund_order from public, anon, authenticated, service_role;
grant execute on function private.refund_order to service_role;

create function private.note_session(_order_id uuid, _session text, _url text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set provider_session = _session, checkout_url = _url
  where id = _order_id and coalesce(provider_session, _session) = _session
$$;
comment on function private.note_session is 'The checkout page that was made for an order.';
revoke all on function private.note_session from public, anon, authenticated, service_role;
grant execute on function private.note_session to service_role;

create function private.orders_to_check(_limit integer default 50)
  returns setof public.credit_orders
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set checked_at = now()
  where id in (
    select id from public.credit_orders
    where state = 'pending' and created_at < now() - interval '5 minutes'
      -- Ever less often: a direct debit may take two weeks.
      and coalesce(checked_at, created_at) < now() - greatest(interval '5 minutes', (now() - created_at) / 10)
    order by coalesce(checked_at, created_at) limit _limit for update skip locked
  )
  returning *
$$;
comment on function private.orders_to_check(integer) is 'Orders without news of their payment for a while, to ask Stripe for.';
revoke all on function private.orders_to_check from public, anon, authenticated, service_role;
grant execute on function private.orders_to_check to service_role;

create function private.give_up_order(_order_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set expired_at = coalesce(expired_at, now())
  where id = _order_id and provider_session is null
$$;
comment on function private.give_up_order(uuid) is 'Ends an order for which no checkout page was ever made.';
revoke all on function private.give_up_order from public, anon, authenticated, service_role;
grant execute on function private.give_up_order to service_role;

create function private.claim_check(_order_id uuid)
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with claimed as (
    update public.credit_orders set checked_at = now()
    where id = _order_id and state = 'pending' and coalesce(checked_at, '-infinity') < now() - interval '2 seconds'
    returning id
  )
  select exists (select from claimed)
$$;
comment on function private.claim_check(uuid) is 'Whether it is worth asking Stripe about a waiting order now; a page asks often.';
revoke all on function private.claim_check from public, anon, authenticated, service_role;
grant execute on function private.claim_check to service_role;

create function private.claim_receipts(_limit integer default 100)
  returns setof public.credit_orders
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set receipt_at = now()
  where id in (
    select id from public.credit_orders
    where fulfilled_at is not null and receipt_at is null
    order by fulfilled_at limit _limit for update skip locked
  )
  returning *
$$;
comment on function private.claim_receipts(integer) is
  'Orders that were fulfilled since the last time, for the caller to confirm in this transaction.';
revoke all on function private.claim_receipts from public, anon, authenticated, service_role;
grant execute on function private.claim_receipts to service_role;

create function private.settle_order_refund(_refund_id uuid, _provider_refund text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.order_refunds set
    state = case when _provider_refund is null then 'failed' else 'sent' end::public.order_refund_state,
    provider_refund = _provider_refund, settled_at = now()
  where id = _refund_id and state <> 'sent';
  if found and _provider_refund is null then
    perform private.raise_alert('refund_failed', order_id, null, jsonb_build_object('refund', _refund_id))
    from public.order_refunds where id = _refund_id;
  end if;
end
$$;
comment on function private.settle_order_refund is 'How asking Stripe for a refund ended; null: it was refused, a person must pay back.';
revoke all on function private.settle_order_refund from public, anon, authenticated, service_role;
grant execute on function private.settle_order_refund to service_role;

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
  -- A token outlives its account; and whoever deletes it now waits until there is an order to be noted in.
  perform from auth.users where id = _user_id and deleted_at is null for share;
  if not found then
    raise exception 'user % has no account', _user_id using errcode = 'SC016';
  end if;
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
  -- Its page at Stripe is closed, and another one would take the money twice.
  if exists (
    select from public.credit_orders
    where user_id = _user_id and pack_id = _pack_id and state = 'pending'
      -- No bank takes longer; one whose end nobody told us must not stand in the way for ever.
      and submitted_at > now() - interval '30 days'
  ) then
    raise exception 'a payment of % by user % is on its way', _pack_id, _user_id using errcode = 'SC017';
  end if;
  select * into _order from public.credit_orders
  where user_id = _user_id and pack_id = _pack_id and catalog_version = _pack.version and state = 'pending'
    -- Its page may be paid already and we not told: who it is billed to is never changed. Another invoice, another order.
    and (_billing is null or billing is not distinct from _billing)
    -- Enough time to pay; younger ones only, so that a forgotten page is not brought back.
    and expires_at > now() + interval '30 minutes'
  order by created_at desc limit 1;
  -- From such an order the whole price comes back in the legal days, whatever was used: not from several. One past its
  -- time counts until Stripe has said that nobody paid it: a direct debit may still be on its way.
  if not _waiver and coalesce(_order.consumer, _consumer) and _order.withdrawal_waiver_at is null and exists (
    select from public.credit_orders
    where user_id = _user_id and id is distinct from _order.id and consumer and withdrawal_waiver_at is null
      and state not in ('failed', 'expired')
  ) then
    raise exception 'user % has an order without waiver', _user_id using errcode = 'SC014';
  end if;
  if _order.id is null then
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
  'A new order at the price of the catalogue in force, the same once more while it waits for payment with the same invoice '
  'data (double click), with the moment at which its buyer first waived; a consumer has one without waiver, and nobody one '
  'of a pack whose payment is on its way. Null: no such pack.';
revoke all on function private.open_order from public, anon, authenticated, service_role;
grant execute on function private.open_order to service_role;

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
    if _order.state = 'disputed' then
      raise exception 'the payment of order % is disputed', _order_id using errcode = 'SC015';
    end if;
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
revoke all on function private.withdraw_order from public, anon, authenticated, service_role;
grant execute on function private.withdraw_order to service_role;

create function private.miss_session(_order_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  select private.raise_alert(
    'mismatch', id, null, jsonb_build_object('session', jsonb_build_array(provider_session, null))
  )
  from public.credit_orders where id = _order_id
$$;
comment on function private.miss_session(uuid) is 'Tells a person, once, that Stripe does not know the session of an order.';
revoke all on function private.miss_session from public, anon, authenticated, service_role;
grant execute on function private.miss_session to service_role;

-- Records the deletion in the account's orders, so that a payment does not have to look up the account.
create function private.orphan_orders()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.credit_orders set orphaned_at = now()
  where user_id = old.id and fulfilled_at is null and orphaned_at is null;
  return null;
end
$$;
comment on function private.orphan_orders is
  'Notes an account that is deleted in its orders that nothing was given for yet: what is paid for them is held back.';
revoke all on function private.orphan_orders from public, anon, authenticated, service_role;

create function private.fulfil_order(_order public.credit_orders, _event_id text)
  returns void
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  -- Pages promise twelve months at least; the expiry job extends what was bought.
  _expires_at constant timestamptz :=
    (now() at time zone 'Europe/Rome' + interval '12 months') at time zone 'Europe/Rome';
  _key constant text := 'stripe:' || _order.provider_session;
begin
  perform private.grant_credits(
    _order.user_id, _order.credits, 'acquisto', 'stripe', _key, _expires_at, 'order', _order.id::text, _order.id,
    _order.amount_cents
  );
  if _order.bonus > 0 then
    perform private.grant_credits(
      _order.user_id, _order.bonus, 'bonus', 'promo', _key || ':bonus', _expires_at, 'order', _order.id::text, _order.id
    );
  end if;
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    values (_order.id, 'invoice', _order.amount_cents, 'order');
  -- The account may be gone by the time its money comes; the order is not.
  perform private.notify(
    _order.user_id, 'crediti_accreditati', 'Crediti accreditati',
    format('Accreditati %s crediti: puoi usarli da subito.', _order.credits + _order.bonus), null, 'order:' || _order.id
  );
  if _order.refunded_cents > 0 or _order.disputed_at is not null then
    perform private.settle_order(_order, _event_id);
  end if;
  -- Disputes that came before the payment. Skip an event that another transaction holds: that one handles it next, and
  -- may be waiting for this order.
  perform private.handle_payment_event(waiting)
  from (
    select * from public.payment_events
    where handled_at is null and id is distinct from _event_id
      and payload #>> '{data,object,payment_intent}' = _order.payment_intent
    for update skip locked
  ) as waiting;
end
$$;
comment on function private.fulfil_order(public.credit_orders, text) is
  'Grant what an order sold, once: credits, bonus, fiscal document and notification. _event_id is the event of its payment, or null.';
revoke all on function private.fulfil_order from public, anon, authenticated, service_role;

alter table public.credit_orders enable row level security;
alter table public.order_refunds enable row level security;
alter table public.fiscal_documents enable row level security;

create policy "owners read their orders" on public.credit_orders
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.credit_orders from public, anon, authenticated, service_role;
grant select on public.credit_orders to authenticated, service_role;

revoke all on public.order_refunds from public, anon, authenticated, service_role;
grant select on public.order_refunds to service_role;

revoke all on public.fiscal_documents from public, anon, authenticated, service_role;
grant select on public.fiscal_documents to service_role;

create trigger orphan_orders_of_deleted after delete on auth.users
  for each row execute function private.orphan_orders();

create trigger orphan_orders_of_hidden after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null) execute function private.orphan_orders();
