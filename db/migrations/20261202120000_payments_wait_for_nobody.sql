-- The success page and the webhook that learn of one payment at the same moment do not wait for each other: the one that
-- fulfils the order passed over nothing that the other held, and both were ended as a deadlock. And a batch of events waits
-- two seconds at most for a row of somebody else: then each of its events is recorded alone.

create or replace function private.fulfil_orders(_ids uuid[], _event_ids text[])
  returns void
  language plpgsql
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  -- Pages promise twelve months at least; the expiry job extends what was bought.
  _expires_at constant timestamptz :=
    (now() at time zone 'Europe/Rome' + interval '12 months') at time zone 'Europe/Rome';
begin
  perform private.grant_lots(array(
    select (
      user_id, lots.kind, lots.amount, lots.account, 'stripe:' || provider_session || lots.suffix, _expires_at, 'order',
      orders.id::text, orders.id, lots.paid_cents
    )::private.lot_grant
    from public.credit_orders as orders
    cross join lateral (
      values
        (1, 'acquisto'::public.credit_lot_kind, orders.credits, 'stripe'::public.credit_account, '', orders.amount_cents),
        (2, 'bonus', orders.bonus, 'promo', ':bonus', 0)
    ) as lots (place, kind, amount, account, suffix, paid_cents)
    where orders.id = any(_ids) and lots.amount > 0
    order by orders.id, lots.place
  ));
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    select id, 'invoice', amount_cents, 'order' from public.credit_orders where id = any(_ids);
  insert into public.notifications (user_id, title, message, type, action_url)
    select user_id, 'Crediti accreditati',
      format('Accreditati %s crediti: puoi usarli da subito.', credits + bonus), 'success', '/settings/credits'
    from public.credit_orders as orders
    -- The account may be gone by the time its money comes; the order is not.
    where id = any(_ids) and exists (select from auth.users where users.id = orders.user_id);
  perform private.settle_order(orders, event_id)
  from unnest(_ids, _event_ids) as told (order_id, event_id)
  join public.credit_orders as orders on orders.id = order_id
  where refunded_cents > 0 or disputed_at is not null;
  -- Disputes that came before the payment did, whoever told us of it. Who holds an event handles it next, and may be waiting
  -- for these very orders.
  perform private.handle_payment_event(waiting)
  from (
    select * from public.payment_events as events
    where events.handled_at is null and not events.id = any(array_remove(_event_ids, null))
      and events.payload #>> '{data,object,payment_intent}' = any(array(
        select payment_intent from public.credit_orders where id = any(_ids)
      ))
    for update skip locked
  ) as waiting;
end
$$;

alter function private.record_payment_events set lock_timeout = '2s';
