-- What is bought without the wish for the credits at once can be given back whole, so each buyer has one such order; an
-- order that got no page can be ended at once; and one that Stripe does not know calls a person.
--
-- Error codes raised:
--   SC014  a consumer who has an order without waiver wants another

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
  'data (double click), with the moment at which its buyer first waived; a consumer has one without waiver. Null: no such '
  'pack.';

create or replace function private.give_up_order(_order_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set expired_at = coalesce(expired_at, now())
  where id = _order_id and provider_session is null
$$;

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
revoke all on function private.miss_session(uuid) from public, anon, authenticated, service_role;
grant execute on function private.miss_session(uuid) to service_role;

create or replace function private.fulfil_order(_order public.credit_orders, _event_id text)
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
  _bought constant private.lot_grant := ('acquisto', _order.credits, 'stripe', _key, _order.amount_cents);
  _bonus constant private.lot_grant := ('bonus', _order.bonus, 'promo', _key || ':bonus', 0);
begin
  perform private.grant_lots(
    _order.user_id, case when _order.bonus > 0 then array[_bought, _bonus] else array[_bought] end,
    _expires_at, 'order', _order.id::text, _order.id
  );
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    values (_order.id, 'invoice', _order.amount_cents, 'order');
  insert into public.notifications (user_id, title, message, type, action_url)
    select _order.user_id, 'Crediti accreditati',
      format('Accreditati %s crediti: puoi usarli da subito.', _order.credits + _order.bonus), 'success',
      '/settings/credits'
    -- The account may be gone by the time its money comes; the order is not.
    where exists (select from auth.users where id = _order.user_id);
  if _order.refunded_cents > 0 or _order.disputed_at is not null then
    perform private.settle_order(_order, _event_id);
  end if;
  -- Disputes that came before the payment did, whoever told us of it.
  perform private.handle_payment_event(waiting)
  from public.payment_events as waiting
  where waiting.handled_at is null and waiting.id is distinct from _event_id
    and waiting.payload #>> '{data,object,payment_intent}' = _order.payment_intent;
end
$$;
