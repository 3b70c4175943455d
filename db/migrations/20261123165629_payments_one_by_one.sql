-- Each payment event has its own transaction and fulfils one order; job_progress had no writer and no reader.
--   DROP FUNCTION private.apply_sessions
--   DROP FUNCTION private.assert_wallet
--   DROP FUNCTION private.fulfil_orders
--   DROP FUNCTION private.grant_lots
--   DROP FUNCTION private.handle_stored_event
--   DROP FUNCTION private.hold_back
--   DROP FUNCTION private.note_outcomes
--   DROP FUNCTION private.record_payment_events
--   DROP FUNCTION public.snooze_contact
--   DROP TYPE private.lot_grant
--   DROP TABLE public.job_progress
--   DROP TYPE public.job_state
--   CREATE OR REPLACE FUNCTION private.apply_session
--   CREATE OR REPLACE FUNCTION private.assert_wallet
--   CREATE OR REPLACE FUNCTION private.fulfil_order
--   CREATE OR REPLACE FUNCTION private.grant_credits
--   CREATE OR REPLACE FUNCTION private.handle_payment_event
--   CREATE OR REPLACE FUNCTION private.record_payment_event
--   CREATE OR REPLACE FUNCTION private.session_differences
--   COMMENT ON FUNCTION private.assert_wallet
--   COMMENT ON FUNCTION private.fulfil_order
--   COMMENT ON FUNCTION private.session_differences
--   REVOKE ALL ON FUNCTION private.assert_wallet
--   REVOKE ALL ON FUNCTION private.fulfil_order
--   REVOKE ALL ON FUNCTION private.session_differences

set check_function_bodies = off;

DROP FUNCTION "private"."apply_sessions"(jsonb[], text[], text[]);

DROP FUNCTION "private"."assert_wallet"(uuid[]);

DROP FUNCTION "private"."fulfil_orders"(uuid[], text[]);

DROP FUNCTION "private"."grant_lots"(private.lot_grant[]);

DROP FUNCTION "private"."handle_stored_event"(public.payment_events);

DROP FUNCTION "private"."hold_back"(jsonb, uuid, text, jsonb);

DROP FUNCTION "private"."note_outcomes"(text[], uuid[], text[], text);

DROP FUNCTION "private"."record_payment_events"(text[], text[], text[]);

DROP FUNCTION "public"."snooze_contact"(uuid, timestamp WITH time zone);

DROP TYPE "private"."lot_grant";

DROP TABLE "public"."job_progress";

DROP TYPE "public"."job_state";

CREATE OR REPLACE FUNCTION private.apply_session (
  _session    jsonb,
  _event_id   text  DEFAULT NULL::text,
  _event_type text  DEFAULT NULL::text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _is_paid constant boolean := _session ->> 'payment_status' is not distinct from 'paid';
  _was_fulfilled boolean;
  _differences jsonb;
  _order public.credit_orders;
begin
  select * into _order from public.credit_orders where id = private.order_id(_session) for update;
  if not found then
    if not _session -> 'metadata' ? 'order_id' then
      return 'ignored';
    end if;
    perform private.raise_alert('unknown_order', null, _event_id, jsonb_build_object('session', _session ->> 'id'));
    return 'held_back';
  end if;
  _was_fulfilled := _order.fulfilled_at is not null;
  _differences := private.session_differences(_order, _session);
  if _differences is not null then
    if _is_paid and not _was_fulfilled then
      update public.credit_orders set paid_at = coalesce(paid_at, now()) where id = _order.id;
    end if;
    perform private.raise_alert(
      case when _differences ? 'account' then 'deleted_account' else 'mismatch' end::public.payment_alert_kind,
      _order.id, _event_id, _differences
    );
    return 'held_back';
  end if;
  update public.credit_orders set
    provider_session = _session ->> 'id',
    payment_intent = coalesce(payment_intent, _session ->> 'payment_intent'),
    paid_at = coalesce(paid_at, case when _is_paid then now() end),
    fulfilled_at = coalesce(fulfilled_at, case when _is_paid then now() end),
    submitted_at = coalesce(
      submitted_at,
      case when _session ->> 'status' = 'complete' and _session ->> 'payment_status' = 'unpaid' then now() end
    ),
    expired_at = coalesce(expired_at, case when _session ->> 'status' = 'expired' then now() end),
    failed_at = coalesce(failed_at, case when _event_type = 'checkout.session.async_payment_failed' then now() end)
  where id = _order.id
  returning * into _order;
  if _was_fulfilled or not _is_paid then
    return 'noted';
  end if;
  perform private.fulfil_order(_order, _event_id);
  return 'fulfilled';
end
$function$;

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
    from public.credit_lots where credit_lots.user_id = _user_id
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

CREATE OR REPLACE FUNCTION private.fulfil_order (
  _order    public.credit_orders,
  _event_id text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
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
  insert into public.notifications (user_id, title, message, type, action_url)
    select _order.user_id, 'Crediti accreditati',
      format('Accreditati %s crediti: puoi usarli da subito.', _order.credits + _order.bonus), 'success',
      '/settings/credits'
    -- The account may be gone by the time its money comes; the order is not.
    where exists (select from auth.users where id = _order.user_id);
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
$function$;

CREATE OR REPLACE FUNCTION private.grant_credits (
  _user_id         uuid,
  _amount          bigint,
  _kind            public.credit_lot_kind,
  _account         public.credit_account,
  _idempotency_key text,
  _expires_at      timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _ref_type        text                     DEFAULT NULL::text,
  _ref_id          text                     DEFAULT NULL::text,
  _order_id        uuid                     DEFAULT NULL::uuid,
  _paid_cents      bigint                   DEFAULT 0
)
  RETURNS public.credit_ledger
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _entry public.credit_ledger;
  _lot public.credit_lots;
begin
  perform private.lock_wallet(_user_id);
  select * into _entry from public.credit_ledger
  where user_id = _user_id and idempotency_key = _idempotency_key and part = 1;
  if found then
    select * into _lot from public.credit_lots where user_id = _user_id and id = _entry.lot_id;
    if (_entry.kind, _entry.amount, _entry.account, _lot.kind, _lot.order_id, _lot.paid_cents)
      is distinct from ('grant'::public.credit_entry_kind, _amount, _account, _kind, _order_id, _paid_cents)
    then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _entry;
  end if;

  insert into public.credit_lots (user_id, kind, amount, remaining, expires_at, order_id, paid_cents)
    values (_user_id, _kind, _amount, _amount, _expires_at, _order_id, _paid_cents) returning * into _lot;
  _entry := private.book(
    _user_id, 'grant', _account, _idempotency_key, array[_lot.id], array[_amount], _ref_type, _ref_id
  );
  update public.credit_wallets set balance = balance + _amount, updated_at = now() where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  return _entry;
end
$function$;

CREATE OR REPLACE FUNCTION private.handle_payment_event (
  _event public.payment_events
)
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _about constant jsonb := _event.payload #> '{data,object}';
  _outcome text;
  _error text;
begin
  begin
    _outcome := case
      when _event.type like 'checkout.session.%' then private.apply_session(_about, _event.id, _event.type)
      when _event.type = 'charge.refunded' then private.apply_refund(_about, _event.id)
      when _event.type like 'charge.dispute.%' then private.apply_dispute(_event)
      when _event.type like 'refund.%' or _event.type = 'charge.refund.updated' then private.note_refund(_about, _event.id)
      else 'ignored'
    end;
  exception
    when others then
      _outcome := 'failed';
      _error := sqlerrm;
  end;
  update public.payment_events set
    order_id = private.order_of(_about),
    outcome = _outcome,
    error = _error,
    attempts = attempts + 1,
    tried_at = now(),
    handled_at = case when _outcome not in ('waiting', 'failed') then now() end
  where id = _event.id;
  return _outcome;
end
$function$;

CREATE OR REPLACE FUNCTION private.record_payment_event (
  _id      text,
  _type    text,
  _payload jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _event public.payment_events;
begin
  -- The same event at the same instant waits for this one's commit.
  insert into public.payment_events (id, type, payload) values (_id, _type, _payload) on conflict (id) do nothing;
  select * into _event from public.payment_events where id = _id for update;
  return case when _event.handled_at is null then private.handle_payment_event(_event) else 'known' end;
end
$function$;

CREATE OR REPLACE FUNCTION private.session_differences (
  _order   public.credit_orders,
  _session jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_object_agg(name, jsonb_build_array(ordered, told))
  from (
    values
      ('session', coalesce(_order.provider_session, _session ->> 'id'), _session ->> 'id'),
      ('amount_total', _order.amount_cents::text, _session ->> 'amount_total'),
      ('currency', lower(_order.currency), lower(_session ->> 'currency')),
      ('pack_id', _order.pack_id, _session #>> '{metadata,pack_id}'),
      ('user_id', _order.user_id::text, _session #>> '{metadata,user_id}'),
      ('client_reference_id', _order.id::text, _session ->> 'client_reference_id'),
      (
        'account', _order.user_id::text,
        case
          when _order.orphaned_at is null or _session ->> 'payment_status' is distinct from 'paid' then _order.user_id::text
        end
      )
  ) as facts (name, ordered, told)
  where ordered is distinct from told
$function$;

COMMENT ON FUNCTION "private"."assert_wallet"(uuid) IS 'Raise SC007 unless the lots of a wallet sum to its balance and its held credits, and its ledger to both.';

COMMENT ON FUNCTION "private"."fulfil_order"(public.credit_orders, text) IS 'Grant what an order sold, once: credits, bonus, fiscal document and notification. _event_id is the event of its payment, or null.';

COMMENT ON FUNCTION "private"."session_differences"(public.credit_orders, jsonb) IS 'Return the facts of a checkout session that differ from its order, as {name: [ordered, told]}; null when all agree.';

REVOKE ALL ON FUNCTION "private"."assert_wallet"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fulfil_order"(public.credit_orders, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."session_differences"(public.credit_orders, jsonb) FROM PUBLIC;

reset check_function_bodies;
