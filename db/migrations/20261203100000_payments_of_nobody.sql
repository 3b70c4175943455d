-- What is paid for an account that is gone is held back, and a person sends it back; a direct debit that is on its way is
-- not asked for again; and who disputes a payment is told so when they want to withdraw as well.
--
-- Error codes raised:
--   SC015  the payment of the order is disputed
--   SC016  who wants to buy has no account (any more)
--   SC017  a payment of this pack is on its way

-- Written in plpgsql alone: nothing may use it in the transaction that adds it.
alter type public.payment_alert_kind add value 'deleted_account';

alter table public.credit_orders add column submitted_at timestamptz, add column orphaned_at timestamptz;
comment on column public.credit_orders.submitted_at is
  'When we learned that the buyer has done everything and the money is on its way: a direct debit takes days.';
comment on column public.credit_orders.orphaned_at is
  'When its account was deleted before it was paid: what comes now is held back.';

-- Accounts that are gone ------------------------------------------------------------------------------------------------

-- Noted in the order, so that no payment has to look for its account.
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
revoke all on function private.orphan_orders from public;

create trigger orphan_orders_of_deleted after delete on auth.users
  for each row execute function private.orphan_orders();
create trigger orphan_orders_of_hidden after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null) execute function private.orphan_orders();

update public.credit_orders set orphaned_at = now()
where fulfilled_at is null
  and not exists (select from auth.users where users.id = credit_orders.user_id and deleted_at is null);

update public.credit_orders set submitted_at = created_at
where state = 'pending' and provider_session in (
  select payload #>> '{data,object,id}' from public.payment_events
  where type = 'checkout.session.completed' and payload #>> '{data,object,payment_status}' = 'unpaid'
);

create or replace function private.apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[])
  returns text[]
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  _order_ids constant uuid[] :=
    array(select private.order_id(session) from unnest(_sessions) with ordinality as told (session, place) order by place);
  _differences jsonb[];
  _outcomes text[];
begin
  perform from public.credit_orders where id = any(_order_ids) order by id for update;
  select array_agg(differences order by place),
    array_agg(
      case
        when orders.id is null and not session -> 'metadata' ? 'order_id' then 'ignored'
        when orders.id is null or differences is not null then 'held_back'
        when orders.fulfilled_at is null and session ->> 'payment_status' = 'paid' then 'fulfilled'
        else 'noted'
      end
      order by place
    )
  into _differences, _outcomes
  from unnest(_sessions, _order_ids) with ordinality as told (session, order_id, place)
  left join public.credit_orders as orders on orders.id = order_id
  left join lateral (
    select jsonb_object_agg(name, jsonb_build_array(ordered, told)) as differences
    from (
      values
        ('session', coalesce(orders.provider_session, session ->> 'id'), session ->> 'id'),
        ('amount_total', orders.amount_cents::text, session ->> 'amount_total'),
        ('currency', lower(orders.currency), lower(session ->> 'currency')),
        ('pack_id', orders.pack_id, session #>> '{metadata,pack_id}'),
        ('user_id', orders.user_id::text, session #>> '{metadata,user_id}'),
        ('client_reference_id', orders.id::text, session ->> 'client_reference_id'),
        (
          'account', orders.user_id::text,
          case
            when orders.orphaned_at is null or session ->> 'payment_status' is distinct from 'paid' then orders.user_id::text
          end
        )
    ) as facts (name, ordered, told)
    where ordered is distinct from told
  ) as compared on orders.id is not null;
  perform private.hold_back(session, order_id, event_id, differences)
  from unnest(_sessions, _order_ids, _event_ids, _differences, _outcomes)
    as told (session, order_id, event_id, differences, outcome)
  where outcome = 'held_back';

  update public.credit_orders set
    provider_session = session ->> 'id',
    payment_intent = coalesce(payment_intent, session ->> 'payment_intent'),
    paid_at = coalesce(paid_at, case when session ->> 'payment_status' = 'paid' then now() end),
    fulfilled_at = coalesce(fulfilled_at, case when session ->> 'payment_status' = 'paid' then now() end),
    submitted_at = coalesce(
      submitted_at,
      case when session ->> 'status' = 'complete' and session ->> 'payment_status' = 'unpaid' then now() end
    ),
    expired_at = coalesce(expired_at, case when session ->> 'status' = 'expired' then now() end),
    failed_at = coalesce(failed_at, case when event_type = 'checkout.session.async_payment_failed' then now() end)
  from unnest(_sessions, _order_ids, _event_types, _outcomes) as told (session, order_id, event_type, outcome)
  where id = order_id and outcome in ('fulfilled', 'noted');
  if 'fulfilled' = any(_outcomes) then
    perform private.fulfil_orders(array_agg(order_id), array_agg(event_id))
    from unnest(_order_ids, _event_ids, _outcomes) as told (order_id, event_id, outcome)
    where outcome = 'fulfilled';
  end if;
  return _outcomes;
end
$$;

create or replace function private.hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if _differences is null then
    perform private.raise_alert('unknown_order', null, _event_id, jsonb_build_object('session', _session ->> 'id'));
    return;
  end if;
  update public.credit_orders set paid_at = coalesce(paid_at, now())
  where id = _order_id and fulfilled_at is null and _session ->> 'payment_status' = 'paid';
  perform private.raise_alert(
    case when _differences ? 'account' then 'deleted_account' else 'mismatch' end::public.payment_alert_kind,
    _order_id, _event_id, _differences
  );
end
$$;
comment on function private.hold_back is
  'A person is told of a payment that is not of what was ordered, of no order, or for an account that is gone.';

-- Buying and withdrawing --------------------------------------------------------------------------------------------------

create or replace function private.open_order(
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

create or replace function private.withdraw_order(_user_id uuid, _order_id uuid)
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
