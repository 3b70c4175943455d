-- Payments that arrive together are fulfilled together: each statement does its part for all of them. What a statement
-- costs before its first row, its constraints above all, is paid once for a batch and not once for a lot. (quality P9)
--
-- What these functions ask for they find by a key, and one row after the other: a join that reads a table from end to end
-- is cheaper only while the table is empty, and a connection keeps its plans. (20261125100000)

drop function private.assert_wallet;
create function private.assert_wallet(variadic _user_ids uuid[])
  returns void
  language plpgsql stable
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _wallet record;
begin
  select user_id, balance, held, lots.spendable, lots.reserved, coalesce(last.balance_after, 0) as ledger into _wallet
  from public.credit_wallets
  cross join lateral (
    select coalesce(sum(credit_lots.remaining), 0) as spendable, coalesce(sum(credit_lots.held), 0) as reserved
    from public.credit_lots where credit_lots.user_id = credit_wallets.user_id
  ) as lots
  left join lateral (
    select balance_after from public.credit_ledger where credit_ledger.user_id = credit_wallets.user_id
    order by id desc limit 1
  ) as last on true
  where credit_wallets.user_id = any(_user_ids)
    and (balance, held, balance + held) is distinct from (spendable, reserved, coalesce(last.balance_after, 0))
  limit 1;
  if found then
    raise exception 'wallet % disagrees with its lots or its ledger: %', _wallet.user_id, _wallet using errcode = 'SC007';
  end if;
end
$$;
comment on function private.assert_wallet is
  'Raises SC007 unless the lots of each of these wallets sum to its balance and its held credits, and its ledger to both.';
revoke all on function private.assert_wallet from public;

drop function private.grant_lots;
drop type private.lot_grant;
create type private.lot_grant as (
  user_id uuid,
  kind public.credit_lot_kind,
  amount bigint,
  account public.credit_account,
  idempotency_key text,
  expires_at timestamptz,
  ref_type text,
  ref_id text,
  order_id uuid,
  paid_cents bigint
);
comment on type private.lot_grant is 'A lot to come into a wallet, once per key of that wallet.';
revoke all on type private.lot_grant from public;

create function private.grant_lots(_grants private.lot_grant[])
  returns void
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  _user_ids constant uuid[] := array(select distinct user_id from unnest(_grants) order by user_id);
  _reused text;
begin
  perform private.lock_wallet(user_id) from unnest(_user_ids) as user_id;
  select wanted.idempotency_key into _reused
  from unnest(_grants) as wanted
  cross join lateral (
    select entry.kind, entry.amount, entry.account, lots.kind as lot_kind, lots.order_id, lots.paid_cents
    from public.credit_ledger as entry
    join public.credit_lots as lots on (lots.user_id, lots.id) = (entry.user_id, entry.lot_id)
    where entry.user_id = wanted.user_id and entry.idempotency_key = wanted.idempotency_key and part = 1
    limit 1
  ) as known
  where (known.kind, known.amount, known.account, lot_kind, known.order_id, known.paid_cents) is distinct from (
      'grant'::public.credit_entry_kind, wanted.amount, wanted.account, wanted.kind, wanted.order_id, wanted.paid_cents
    )
  limit 1;
  if found then
    perform private.refuse_key(_reused);
  end if;

  with news as materialized (
    select gen_random_uuid() as lot_id, *
    from unnest(_grants) with ordinality as wanted (
      user_id, kind, amount, account, idempotency_key, expires_at, ref_type, ref_id, order_id, paid_cents, place
    )
    -- Not as a join: that would be planned for the ledger of the first day.
    where (
      select id from public.credit_ledger as entry
      where entry.user_id = wanted.user_id and entry.idempotency_key = wanted.idempotency_key and part = 1
    ) is null
  ),
  lots as (
    insert into public.credit_lots (id, user_id, kind, amount, remaining, expires_at, order_id, paid_cents)
    select lot_id, user_id, kind, amount, amount, expires_at, order_id, paid_cents from news order by place
  ),
  entries as (
    insert into public.credit_ledger (
      user_id, kind, account, idempotency_key, lot_id, amount, balance_after, ref_type, ref_id
    )
    select user_id, 'grant', account, idempotency_key, lot_id, amount,
      before + sum(amount) over (partition by user_id order by place), ref_type, ref_id
    from news
    cross join lateral (
      select coalesce((
        select balance_after from public.credit_ledger where credit_ledger.user_id = news.user_id order by id desc limit 1
      ), 0) as before
    ) as last
    order by place
  )
  update public.credit_wallets set balance = balance + granted, updated_at = now()
  from (select user_id, sum(amount)::bigint as granted from news group by user_id) as sums
  where credit_wallets.user_id = sums.user_id;
  perform private.assert_wallet(variadic _user_ids);
end
$$;
comment on function private.grant_lots is 'Adds lots to wallets, each once per key; one that came before changes nothing.';
revoke all on function private.grant_lots from public;

create or replace function private.grant_credits(
  _user_id uuid,
  _amount bigint,
  _kind public.credit_lot_kind,
  _account public.credit_account,
  _idempotency_key text,
  _expires_at timestamptz default null,
  _ref_type text default null,
  _ref_id text default null,
  _order_id uuid default null,
  _paid_cents bigint default 0
)
  returns public.credit_ledger
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _entry public.credit_ledger;
begin
  perform private.grant_lots(array[(
    _user_id, _kind, _amount, _account, _idempotency_key, _expires_at, _ref_type, _ref_id, _order_id, _paid_cents
  )::private.lot_grant]);
  select * into _entry from public.credit_ledger
  where user_id = _user_id and idempotency_key = _idempotency_key and part = 1;
  return _entry;
end
$$;

drop function private.fulfil_order;
create function private.fulfil_orders(_ids uuid[], _event_ids text[])
  returns void
  language plpgsql volatile
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
  -- Disputes that came before the payment did, whoever told us of it.
  perform private.handle_payment_event(waiting)
  from public.payment_events as waiting
  where waiting.handled_at is null and not waiting.id = any(array_remove(_event_ids, null))
    and waiting.payload #>> '{data,object,payment_intent}' = any(array(
      select payment_intent from public.credit_orders where id = any(_ids)
    ));
end
$$;
comment on function private.fulfil_orders is
  'Gives what was paid for, once per order: credits, bonus, fiscal document and a word to the buyer. Beside each order the event that told of its payment, or null.';
revoke all on function private.fulfil_orders from public;

create function private.apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[])
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
        ('client_reference_id', orders.id::text, session ->> 'client_reference_id')
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
comment on function private.apply_sessions is
  'What checkout sessions of as many orders say is written into these, and what is paid fulfilled: fulfilled, noted, ignored or held_back.';
revoke all on function private.apply_sessions from public;

create function private.hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb)
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
  perform private.raise_alert('mismatch', _order_id, _event_id, _differences);
end
$$;
comment on function private.hold_back is 'A person is told of a payment that is not of what was ordered, or of no order.';
revoke all on function private.hold_back from public;

create or replace function private.apply_session(
  _session jsonb, _event_id text default null, _event_type text default null
)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  return (private.apply_sessions(array[_session], array[_event_id], array[_event_type]))[1];
end
$$;

create function private.note_outcomes(_ids text[], _order_ids uuid[], _outcomes text[], _error text default null)
  returns void
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
begin
  update public.payment_events set
    order_id = told.order_id,
    outcome = told.outcome,
    error = _error,
    attempts = attempts + 1,
    tried_at = now(),
    handled_at = case when told.outcome not in ('waiting', 'failed') then now() end
  from unnest(_ids, _order_ids, _outcomes) as told (id, order_id, outcome)
  where payment_events.id = told.id;
end
$$;
comment on function private.note_outcomes is 'Writes beside events what became of them.';
revoke all on function private.note_outcomes from public;

create or replace function private.handle_payment_event(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
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
  perform private.note_outcomes(array[_event.id], array[private.order_of(_about)], array[_outcome], _error);
  return _outcome;
end
$$;

-- It never waits for a row that somebody else works on: so nobody's wallet keeps the others from theirs, and no two
-- batches wait for each other. The one exception, the same event in two batches at once, is met in the order of the ids.
create or replace function private.record_payment_events(_ids text[], _types text[], _payloads text[])
  returns text[]
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  _event public.payment_events;
  _order_id uuid;
  -- The events that nobody else works on, and those of them that are new.
  _ours text[];
  _news text[];
  -- The first session of each order that nobody else works on: they are handled together.
  _free uuid[];
  _told text[];
  _told_types text[];
  _sessions jsonb[];
  _ends text[];
  _outcomes text[] := array_fill(null::text, array[cardinality(_ids)]);
begin
  insert into public.payment_events (id, type, payload)
  select distinct on (id) id, type, payload::jsonb
  from unnest(_ids, _types, _payloads) as told (id, type, payload)
  order by id
  on conflict (id) do nothing;
  select array_agg(id), array_agg(id) filter (where handled_at is null) into _ours, _news
  from (select id, handled_at from public.payment_events where id = any(_ids) order by id for update skip locked) as locked;
  -- An order without a wallet counts as busy: alone it fails, and says so.
  _free := array(
    select orders.id from public.credit_orders as orders join public.credit_wallets using (user_id)
    where orders.id = any(array(
      select private.order_id(payload #> '{data,object}')
      from public.payment_events where id = any(_news) and type like 'checkout.session.%'
    ))
    order by orders.id for update skip locked
  );
  select array_agg(named.order_id), array_agg(id), array_agg(type), array_agg(about)
  into _free, _told, _told_types, _sessions
  from (
    select distinct on (named.order_id) named.order_id, id, type, about
    from public.payment_events
    cross join lateral (select payload #> '{data,object}' as about) as payloads
    cross join lateral (select private.order_id(about) as order_id) as named
    where id = any(_news) and type like 'checkout.session.%' and named.order_id = any(_free)
    order by named.order_id, array_position(_ids, id)
  ) as named;
  if _told is not null then
    begin
      _ends := private.apply_sessions(_sessions, _told, _told_types);
      perform private.note_outcomes(_told, _free, _ends);
    exception
      when others then
        -- Whose fault it is shows when each is handled alone.
        _ends := null;
    end;
  end if;
  for _place in 1 .. cardinality(_ids) loop
    if _ends is not null and _ids[_place] = any(_told) then
      _outcomes[_place] :=
        case when array_position(_ids, _ids[_place]) = _place then _ends[array_position(_told, _ids[_place])] else 'known' end;
      continue;
    end if;
    select * into _event from public.payment_events where id = _ids[_place] and id = any(_ours);
    continue when not found;
    if _event.handled_at is null then
      _order_id := private.order_of(_event.payload #> '{data,object}');
      continue when _order_id is not null and not private.is_order_free(_order_id);
    end if;
    _outcomes[_place] := private.handle_stored_event(_event);
  end loop;
  return _outcomes;
end
$$;
