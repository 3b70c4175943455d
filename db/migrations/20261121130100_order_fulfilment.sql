-- How an order is fulfilled, and how credits follow money that goes back: one function per transition.
--
-- Each is called with the order's row locked and locks the wallet after it.

-- As a uuid, so that the order is found by its index; a text that is none names no order.
create function private.order_id(_about jsonb)
  returns uuid
  language sql immutable
  set search_path = ''
as $$
  select (_about #>> '{metadata,order_id}')::uuid
  where _about #>> '{metadata,order_id}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;
comment on function private.order_id(jsonb) is 'The order that an object of Stripe names in its metadata, or null.';

create function private.order_of(_about jsonb)
  returns uuid
  language sql stable
  set search_path = ''
as $$
  select id from public.credit_orders
  where id = private.order_id(_about) or payment_intent = _about ->> 'payment_intent' limit 1
$$;
comment on function private.order_of(jsonb) is 'The order that an object of Stripe is about: by its metadata, else by its payment.';

create function private.raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.payment_alerts (kind, order_id, event_id, details) values (_kind, _order_id, _event_id, _details)
  on conflict do nothing
$$;
comment on function private.raise_alert is 'Tells a person, once for each event.';

-- A refund that is told before the payment waits in refunded_cents.
create function private.settle_refunds(_order public.credit_orders, _event_id text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _due_cents constant bigint := _order.refunded_cents - _order.taken_cents;
  _worth_cents bigint;
  _taken bigint;
begin
  if _order.fulfilled_at is null or _due_cents <= 0 then
    return;
  end if;
  _worth_cents := private.refundable(_order.id);
  _taken := private.refund_order(_order.id, _due_cents, format('refund:%s:%s', _order.id, _order.refunded_cents));
  update public.credit_orders set taken_cents = refunded_cents where id = _order.id;
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    values (_order.id, 'credit_note', _due_cents, format('refund:%s', _order.refunded_cents));
  -- A balance never falls below zero: for what was spent before, somebody decides.
  if _worth_cents < _due_cents then
    perform private.raise_alert(
      'refund_of_spent_credits', _order.id, _event_id,
      jsonb_build_object('refunded_cents', _due_cents, 'unused_worth_cents', _worth_cents, 'credits_taken', _taken)
    );
  end if;
end
$$;
comment on function private.settle_refunds is 'Takes the unused credits that belong to money Stripe gave back; SC006 while they are held.';

-- While a payment is disputed its unused credits are gone; when we win they come back.
create function private.settle_dispute(_order public.credit_orders)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _taken bigint;
begin
  if _order.fulfilled_at is null or _order.disputed_at is null then
    return;
  end if;
  if _order.dispute_won_at is null and _order.dispute_credits is null then
    _taken := private.refund_order(_order.id, _order.amount_cents, 'dispute:' || _order.dispute);
    update public.credit_orders set dispute_credits = _taken where id = _order.id;
  elsif _order.dispute_won_at is not null and _order.dispute_credits > 0 and _order.dispute_returned_at is null then
    perform private.grant_credits(
      _order.user_id, _order.dispute_credits, 'rettifica', 'stripe', 'dispute-won:' || _order.dispute,
      null, 'order', _order.id::text, _order.id
    );
    update public.credit_orders set dispute_returned_at = now() where id = _order.id;
  end if;
end
$$;
comment on function private.settle_dispute is 'Takes the credits of a disputed payment, gives them back when it was won; SC006 while they are held.';

create function private.fulfil_order(_order public.credit_orders, _event_id text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  -- Pages promise twelve months at least; the expiry job extends what was bought.
  _expires_at constant timestamptz :=
    (now() at time zone 'Europe/Rome' + interval '12 months') at time zone 'Europe/Rome';
begin
  perform private.grant_credits(
    _order.user_id, _order.credits, 'acquisto', 'stripe', 'stripe:' || _order.provider_session, _expires_at,
    'order', _order.id::text, _order.id, _order.amount_cents
  );
  if _order.bonus > 0 then
    perform private.grant_credits(
      _order.user_id, _order.bonus, 'bonus', 'promo', format('stripe:%s:bonus', _order.provider_session), _expires_at,
      'order', _order.id::text, _order.id
    );
  end if;
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    values (_order.id, 'invoice', _order.amount_cents, 'order');
  insert into public.notifications (user_id, title, message, type, action_url)
    select _order.user_id, 'Crediti accreditati',
      format('Accreditati %s crediti: puoi usarli da subito.', _order.credits + _order.bonus), 'success', '/settings'
    -- The account may be gone by the time its money comes; the order is not.
    where exists (select from auth.users where id = _order.user_id);
  perform private.settle_refunds(_order, _event_id);
  perform private.settle_dispute(_order);
end
$$;
comment on function private.fulfil_order is 'Gives the credits of an order that was just found paid, and takes what was refunded or disputed before.';

-- The same for a session inside an event and for one that we fetched ourselves (without an event).
create function private.apply_session(_session jsonb, _event_id text default null, _event_type text default null)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _order public.credit_orders;
  _is_fulfilled boolean;
  _is_paid constant boolean := _session ->> 'payment_status' is not distinct from 'paid';
  _differs jsonb;
begin
  select * into _order from public.credit_orders where id = private.order_id(_session) for update;
  if not found then
    if not _session -> 'metadata' ? 'order_id' then
      return 'ignored';
    end if;
    perform private.raise_alert('unknown_order', null, _event_id, jsonb_build_object('session', _session ->> 'id'));
    return 'held_back';
  end if;
  select jsonb_object_agg(name, jsonb_build_array(ordered, told)) into _differs
  from (
    values
      ('session', coalesce(_order.provider_session, _session ->> 'id'), _session ->> 'id'),
      ('amount_total', _order.amount_cents::text, _session ->> 'amount_total'),
      ('currency', lower(_order.currency), lower(_session ->> 'currency')),
      ('pack_id', _order.pack_id, _session #>> '{metadata,pack_id}'),
      ('user_id', _order.user_id::text, _session #>> '{metadata,user_id}'),
      ('client_reference_id', _order.id::text, _session ->> 'client_reference_id')
  ) as facts (name, ordered, told)
  where ordered is distinct from told;
  if _differs is not null then
    if _is_paid and _order.fulfilled_at is null then
      update public.credit_orders set paid_at = coalesce(paid_at, now()) where id = _order.id;
    end if;
    perform private.raise_alert('mismatch', _order.id, _event_id, _differs);
    return 'held_back';
  end if;

  _is_fulfilled := _order.fulfilled_at is not null;
  update public.credit_orders set
    provider_session = _session ->> 'id',
    payment_intent = coalesce(payment_intent, _session ->> 'payment_intent'),
    paid_at = coalesce(paid_at, case when _is_paid then now() end),
    fulfilled_at = coalesce(fulfilled_at, case when _is_paid then now() end),
    expired_at = coalesce(expired_at, case when _session ->> 'status' = 'expired' then now() end),
    failed_at = coalesce(failed_at, case when _event_type = 'checkout.session.async_payment_failed' then now() end)
  where id = _order.id
  returning * into _order;
  if _is_fulfilled or not _is_paid then
    return 'noted';
  end if;
  perform private.fulfil_order(_order, _event_id);
  return 'fulfilled';
end
$$;
comment on function private.apply_session is
  'Notes what a checkout session says and fulfils its order when it is paid and says what was ordered.';

revoke all on function
  private.order_id,
  private.order_of,
  private.raise_alert,
  private.settle_refunds,
  private.settle_dispute,
  private.fulfil_order,
  private.apply_session
  from public, anon, authenticated, service_role;
grant execute on function
  private.apply_session
  to service_role;
