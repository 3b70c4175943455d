-- What buyers and our own jobs ask: open an order, look after one that waits, withdraw from one.

create function private.open_order(_user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb)
  returns public.credit_orders
  language plpgsql volatile security definer
  set search_path = ''
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
  update public.credit_orders set billing = _billing, consumer = _consumer
  where id = (
      select id from public.credit_orders
      where user_id = _user_id and pack_id = _pack_id and catalog_version = _pack.version and state = 'pending'
        -- Enough time to pay; younger ones only, so that a forgotten page is not brought back.
        and expires_at > now() + interval '30 minutes'
      order by created_at desc limit 1
    ) and state = 'pending'
  returning * into _order;
  if found then
    return _order;
  end if;

  insert into public.credit_orders
    (user_id, email, pack_id, catalog_version, amount_cents, currency, credits, bonus, consumer, billing, expires_at)
    values (
      _user_id, _email, _pack_id, _pack.version, _pack.price_cents, _pack.currency, _pack.credits, _pack.bonus, _consumer,
      _billing, date_trunc('second', now()) + interval '1 hour'
    )
    returning * into _order;
  return _order;
end
$$;
comment on function private.open_order is
  'A new order at the price of the catalogue in force, the same once more while it waits for payment (double click). Null: no such pack.';

create function private.note_session(_order_id uuid, _session text, _url text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set provider_session = _session, checkout_url = _url
  where id = _order_id and coalesce(provider_session, _session) = _session
$$;
comment on function private.note_session is 'The checkout page that was made for an order.';

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
comment on function private.orders_to_check(integer) is 'Orders whose payment nobody has told us about for a while, to ask Stripe for.';

create function private.give_up_order(_order_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set expired_at = coalesce(expired_at, now())
  where id = _order_id and expires_at < now() and provider_session is null
$$;
comment on function private.give_up_order(uuid) is 'Ends an order for which no checkout page was ever made.';

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

create function private.withdraw_order(_user_id uuid, _order_id uuid)
  returns public.order_refunds
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _order public.credit_orders;
  _refund public.order_refunds;
  _amount_cents bigint;
begin
  select * into _order from public.credit_orders where id = _order_id and user_id = _user_id for update;
  select * into _refund from public.order_refunds where order_id = _order.id;
  if _order.id is null or _refund.id is not null then
    return _refund;
  end if;
  if _order.state <> 'fulfilled' then
    raise exception 'order % is %', _order_id, _order.state using errcode = 'SC011';
  end if;
  -- To the end of the thirtieth day in Italy.
  if (now() at time zone 'Europe/Rome')::date > (_order.paid_at at time zone 'Europe/Rome')::date + 30 then
    raise exception 'order % was paid at %', _order_id, _order.paid_at using errcode = 'SC012';
  end if;
  _amount_cents := least(private.refundable(_order_id), _order.amount_cents - _order.taken_cents);
  if _amount_cents <= 0 then
    raise exception 'nothing of order % is unused', _order_id using errcode = 'SC013';
  end if;
  insert into public.order_refunds (order_id, amount_cents, credits)
    values (_order_id, _amount_cents, private.refund_order(_order_id, _amount_cents, 'withdrawal:' || _order_id))
    returning * into _refund;
  update public.credit_orders set withdrawn_at = now(), taken_cents = taken_cents + _amount_cents where id = _order_id;
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    values (_order_id, 'credit_note', _amount_cents, 'withdrawal');
  return _refund;
end
$$;
comment on function private.withdraw_order is
  'Ends the contract: takes what is unused and owes its price back, once; null for an order of somebody else.';

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

revoke all on function
  private.open_order,
  private.note_session,
  private.orders_to_check,
  private.give_up_order,
  private.claim_check,
  private.claim_receipts,
  private.withdraw_order,
  private.settle_order_refund
  from public, anon, authenticated, service_role;
grant execute on function
  private.open_order,
  private.note_session,
  private.orders_to_check,
  private.give_up_order,
  private.claim_check,
  private.claim_receipts,
  private.withdraw_order,
  private.settle_order_refund
  to service_role;
