-- Credits follow the money that went back, whatever came first. What each lot of an order owes is computed from the facts
-- of the order (so much given back, disputed or not) and from what was taken of it so far; the difference is moved, in
-- either direction and on the lots the order brought. What work in progress holds is taken when it comes back.
--
-- A dispute is a row of its own: a charge may be disputed more than once, and a dispute may begin again after its end. A
-- refund that fails at the bank is noticed.

-- What a dispute took comes back to its lot as an entry of the same kind.
alter table public.credit_ledger
  drop constraint each_kind_has_its_sign,
  add constraint each_kind_has_its_sign check (
    case kind
      when 'grant' then amount > 0
      when 'extend' then amount = 0
      when 'adjust' then amount <> 0
      when 'refund' then amount <> 0
      else amount < 0
    end
  );

-- Disputes -----------------------------------------------------------------------------------------------------------

create table private.order_disputes (
  -- The provider's id.
  id text primary key,
  order_id uuid not null references public.credit_orders (id) on delete restrict,
  -- As the newest event about it says, whichever came last; newest by the provider's clock, then by its place in a
  -- dispute's life, for the clock knows seconds only.
  status text not null,
  told_at timestamptz not null,
  step integer not null
);
comment on table private.order_disputes is 'Disputes of payments, and how far each is.';

create index order_disputes_order on private.order_disputes (order_id);

alter table private.order_disputes enable row level security;
revoke all on private.order_disputes from public, anon, authenticated, service_role;
grant select on private.order_disputes to service_role;

create function private.dispute_step(_type text, _status text)
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select case
    when _type = 'charge.dispute.created' then 0
    -- A word that is not among them counts as open.
    else coalesce(array_position(array[
      'warning_needs_response', 'warning_under_review', 'warning_closed', 'needs_response', 'under_review', 'won',
      'appeal_needs_response', 'appeal_under_review', 'prevented', 'lost'
    ], _status), 0)
  end
$$;
comment on function private.dispute_step is 'How far in the life of a dispute an event is; one that begins it comes first.';

-- What was told of disputes so far; where no event is kept, what their order knows of the last.
insert into private.order_disputes (id, order_id, status, told_at, step)
select distinct on (id) id, order_id, status, told_at, step
from (
  select payload #>> '{data,object,id}' as id, order_id, payload #>> '{data,object,status}' as status,
    to_timestamp((payload ->> 'created')::bigint) as told_at,
    private.dispute_step(type, payload #>> '{data,object,status}') as step
  from public.payment_events
  where type like 'charge.dispute.%' and order_id is not null
) as told
where id is not null and status is not null and told_at is not null
order by id, told_at desc, step desc;
insert into private.order_disputes (id, order_id, status, told_at, step)
select dispute, id,
  case when dispute_lost_at is not null then 'lost' when dispute_won_at is not null then 'won' else 'needs_response' end,
  greatest(disputed_at, dispute_won_at, dispute_lost_at), 0
from public.credit_orders where dispute is not null
on conflict do nothing;

-- Until now a dispute that was won brought a new lot, for which nobody had paid: what is left of it goes back to the lots
-- the credits were taken from, first to those that were paid. What was used of it was used of those.
do $$
declare
  _order public.credit_orders;
  _gift public.credit_lots;
  _lot record;
  _left bigint;
  _back bigint;
begin
  for _order in select * from public.credit_orders where dispute_returned_at is not null loop
    perform private.lock_wallet(_order.user_id);
    select * into _gift from public.credit_lots where order_id = _order.id and kind = 'rettifica';
    _left := coalesce(_gift.remaining, 0);
    for _lot in
      select lots.id, -sum(entries.amount) as taken
      from public.credit_ledger as entries
      join public.credit_lots as lots on lots.id = entries.lot_id
      where entries.user_id = _order.user_id and entries.kind = 'refund' and entries.ref_id = _order.id::text
        and entries.idempotency_key like 'dispute:%'
      group by lots.id order by lots.paid_cents desc, lots.id
    loop
      _back := least(_left, _lot.taken);
      _left := _left - _back;
      perform private.book(
        _order.user_id, 'refund', 'refund', format('dispute-moved:%s', _lot.id), array[_lot.id], array[_lot.taken::bigint],
        'order', _order.id::text
      );
      if _back < _lot.taken then
        perform private.book(
          _order.user_id, 'adjust', 'adjustment', format('dispute-used:%s', _lot.id), array[_lot.id],
          array[(_back - _lot.taken)::bigint], 'order', _order.id::text, null, 'Contestazione risolta'
        );
      end if;
      update public.credit_lots set remaining = remaining + _back where id = _lot.id;
    end loop;
    if _left < _gift.remaining then
      perform private.book(
        _order.user_id, 'adjust', 'adjustment', format('dispute-moved:%s', _gift.id), array[_gift.id],
        array[_left - _gift.remaining], 'order', _order.id::text, null, 'Contestazione risolta'
      );
      update public.credit_lots set remaining = _left where id = _gift.id;
    end if;
    perform private.assert_wallet(_order.user_id);
  end loop;
end
$$;

alter table public.credit_orders
  drop column dispute,
  drop column dispute_credits,
  drop column dispute_returned_at;
comment on column public.credit_orders.disputed_at is 'Since when the payment is or was disputed (private.order_disputes).';
comment on column public.credit_orders.dispute_won_at is 'When the last of its disputes ended well; null while one is open or lost.';
comment on column public.credit_orders.dispute_lost_at is 'When one of its disputes was lost; null when none is.';
comment on column public.credit_orders.taken_cents is
  'For so much of what was or will be given back the credits are taken, or as soon as no work holds them.';

-- Credits that follow the money --------------------------------------------------------------------------------------

create function private.reclaim(
  _order_id uuid,
  _cents bigint,
  _all boolean,
  _idempotency_key text,
  out taken bigint,
  out missing bigint,
  out is_waiting boolean
)
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _user_id constant uuid := (select user_id from public.credit_lots where order_id = _order_id limit 1);
  _lot_ids uuid[];
  _amounts bigint[];
begin
  perform private.lock_wallet(_user_id);
  select array_agg(id order by paid_cents, id) filter (where step <> 0),
    array_agg(step order by paid_cents, id) filter (where step <> 0),
    sum(step), sum(greatest(share - unused, 0)) filter (where paid_cents > 0), bool_or(owed > step and held > 0)
  into _lot_ids, _amounts, taken, missing, is_waiting
  from (
    select *, least(owed, remaining) as step
    from (
      -- The money for all that is unused takes all of it, the bonus too; less money its share of each lot. Computed from
      -- the sum each time and rounded down, so that many refunds take no more than one.
      select *,
        case
          when _all or _cents > 0 and _cents >= floor(sum(paid_cents * unused::numeric / amount) over ()) then unused
          else least(unused, share)
        end - taken_before as owed
      from (
        select id, paid_cents, amount, remaining, held, taken_before, remaining + held + taken_before as unused,
          floor(amount::numeric * _cents / nullif(sum(paid_cents) over (), 0))::bigint as share
        from public.credit_lots
        cross join lateral (
          select coalesce(-sum(credit_ledger.amount), 0)::bigint as taken_before
          from public.credit_ledger
          where credit_ledger.user_id = _user_id and lot_id = credit_lots.id and credit_ledger.kind = 'refund'
        ) as ledger
        where order_id = _order_id
      ) as lots
    ) as owing
  ) as steps;
  if _lot_ids is not null then
    perform private.take(_user_id, 'refund', 'refund', _idempotency_key, _lot_ids, _amounts, 'order', _order_id::text);
    perform private.assert_wallet(_user_id);
  end if;
end
$$;
comment on function private.reclaim is
  'Moves unused credits of an order so that those for so much money given back, or all, are taken: how many were taken '
  '(less than 0: came back), how many are missing because they were used, and whether work holds some of them.';

create or replace function private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text)
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

drop function private.settle_refunds, private.settle_dispute;
create function private.settle_order(_order public.credit_orders, _event_id text default null)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _due_cents constant bigint := _order.refunded_cents - _order.taken_cents;
  _given_cents constant bigint := greatest(_order.refunded_cents, _order.taken_cents);
  _moved record;
begin
  -- What is told before the payment waits in the order.
  if _order.fulfilled_at is null then
    return 'noted';
  end if;
  if _due_cents > 0 then
    update public.credit_orders set taken_cents = refunded_cents where id = _order.id;
    insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
      values (_order.id, 'credit_note', _due_cents, format('refund:%s', _order.refunded_cents));
  end if;
  perform private.lock_wallet(_order.user_id);
  select * into _moved
  from private.reclaim(
    _order.id, _given_cents, _order.state in ('disputed', 'refunded'),
    -- Behind the last entry there is one movement, so the key is a new one each time.
    format(
      'order:%s:%s', _order.id,
      (select id from public.credit_ledger where user_id = _order.user_id order by id desc limit 1)
    )
  );
  if _moved.is_waiting then
    return 'waiting';
  end if;
  -- A balance never falls below zero: for what was used before, somebody decides. Of a withdrawal we have decided.
  if _moved.missing > 0 and _event_id is not null and (_due_cents > 0 or _order.withdrawn_at is null) then
    perform private.raise_alert(
      'refund_of_spent_credits', _order.id, _event_id,
      jsonb_build_object('refunded_cents', _given_cents, 'credits_missing', _moved.missing)
    );
  end if;
  return 'noted';
end
$$;
comment on function private.settle_order is
  'Brings the credits of a locked order in line with its facts; waiting: work holds some that are owed. With the event of a '
  'refund, a person is told when credits are missing.';

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
      format('Accreditati %s crediti: puoi usarli da subito.', _order.credits + _order.bonus), 'success', '/settings'
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
comment on function private.fulfil_order is
  'Gives the credits of an order that was just found paid, takes what was refunded before, and handles what waited for it.';

-- What Stripe tells --------------------------------------------------------------------------------------------------

create or replace function private.apply_refund(_charge jsonb, _event_id text)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _told_cents constant bigint := (_charge ->> 'amount_refunded')::bigint;
  _order public.credit_orders;
begin
  update public.credit_orders set
    refunded_cents = greatest(refunded_cents, _told_cents),
    payment_intent = coalesce(payment_intent, _charge ->> 'payment_intent')
  where id = private.order_of(_charge)
  returning * into _order;
  if not found then
    return 'ignored';
  end if;
  -- An older refund, told late, says nothing new.
  return private.settle_order(_order, case when _told_cents = _order.refunded_cents then _event_id end);
end
$$;

create function private.sum_up_disputes(_order_id uuid)
  returns public.credit_orders
  language sql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
  update public.credit_orders set
    disputed_at = coalesce(disputed_at, now()),
    dispute_won_at = case when disputes.are_won then coalesce(dispute_won_at, now()) end,
    dispute_lost_at = case when disputes.is_lost then coalesce(dispute_lost_at, now()) end
  from (
    -- One that was prevented is none of the won: the bank may have given the money back without asking.
    select bool_and(status in ('won', 'warning_closed')) as are_won, bool_or(status = 'lost') as is_lost
    from private.order_disputes where order_id = _order_id
  ) as disputes
  where id = _order_id
  returning credit_orders.*
$$;
comment on function private.sum_up_disputes is 'Writes into an order that has disputes how far they are, all in all.';

drop function private.apply_dispute;
create function private.apply_dispute(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _dispute constant jsonb := _event.payload #> '{data,object}';
  _status constant text := _dispute ->> 'status';
  _step constant integer := private.dispute_step(_event.type, _status);
  _is_news boolean;
  _order public.credit_orders;
begin
  select * into _order from public.credit_orders where id = private.order_of(_dispute) for update;
  if not found then
    -- A dispute carries none of our own words: it waits until the payment has told its order.
    return 'waiting';
  end if;
  insert into private.order_disputes as known (id, order_id, status, told_at, step)
    values (_dispute ->> 'id', _order.id, _status, to_timestamp((_event.payload ->> 'created')::bigint), _step)
    on conflict (id) do update set status = excluded.status, told_at = excluded.told_at, step = excluded.step
    where (excluded.told_at, excluded.step) > (known.told_at, known.step);
  _is_news := found;
  _order := private.sum_up_disputes(_order.id);
  -- A person is told when somebody must answer, or when the money is gone: once, however many events say it.
  if _is_news and _status in ('warning_needs_response', 'needs_response', 'prevented', 'lost') and not exists (
    select from public.payment_alerts
    where kind = 'dispute' and order_id = _order.id
      and details @> jsonb_build_object('dispute', _dispute ->> 'id', 'status', _status)
  ) then
    perform private.raise_alert(
      'dispute', _order.id, _event.id, jsonb_build_object('dispute', _dispute ->> 'id', 'status', _status)
    );
  end if;
  return private.settle_order(_order);
end
$$;
comment on function private.apply_dispute is 'Notes how far a dispute is, and moves the credits with it.';

-- Refunds that fail --------------------------------------------------------------------------------------------------

create function private.note_refund(_refund jsonb, _event_id text default null)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _order_id constant uuid := private.order_of(_refund);
  _is_failed constant boolean := _refund ->> 'status' in ('failed', 'canceled');
begin
  -- The several events of one failure one after the other.
  perform from public.credit_orders where id = _order_id for update;
  if not found then
    return 'ignored';
  end if;
  update public.order_refunds set
    state = case when _is_failed then 'failed' else 'sent' end::public.order_refund_state,
    provider_refund = _refund ->> 'id', settled_at = now()
  where order_id = _order_id and (id::text = _refund #>> '{metadata,refund_id}' or provider_refund = _refund ->> 'id')
    -- What has failed stays so; our own answer, or an older event, may come after it.
    and (state <> 'failed' or provider_refund is distinct from _refund ->> 'id');
  if _is_failed and not exists (
    select from public.payment_alerts
    where kind = 'refund_failed' and order_id = _order_id and details ->> 'refund' = _refund ->> 'id'
  ) then
    perform private.raise_alert(
      'refund_failed', _order_id, _event_id,
      jsonb_build_object(
        'refund', _refund ->> 'id', 'amount_cents', _refund -> 'amount', 'reason', _refund -> 'failure_reason'
      )
    );
  end if;
  return 'noted';
end
$$;
comment on function private.note_refund(jsonb, text) is
  'Notes what a refund of Stripe says, an event''s or the one we just asked for; one that failed is told to a person, once.';

-- Events that wait ---------------------------------------------------------------------------------------------------

alter table public.payment_events
  add column tried_at timestamptz,
  add column given_up_at timestamptz;
comment on column public.payment_events.tried_at is 'When it was last handled, or tried; null: it was stored only.';
comment on column public.payment_events.given_up_at is
  'A person was told, and the job tries it no more; the payment it is about, or the provider, may still bring it back.';

drop index public.payment_events_unhandled;
create index payment_events_to_try on public.payment_events (tried_at nulls first, received_at)
  where handled_at is null and given_up_at is null;

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
$$;
comment on function private.handle_payment_event is
  'Does what an event asks for. waiting and failed leave it unhandled: what waits has noted its facts, what failed nothing.';

create or replace function private.handle_stored_event(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  return case when _event.handled_at is null then private.handle_payment_event(_event) else 'known' end;
end
$$;
comment on function private.handle_stored_event(public.payment_events) is
  'Handles an event whose row is locked; known: it was handled before and changes nothing.';

create or replace function private.retry_payment_events(_limit integer default 100)
  returns table (id text, type text, outcome text)
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _event public.payment_events;
  _order_id uuid;
begin
  for _event in
    -- The longest untried first: many that wait for ever keep none from its turn.
    select * from public.payment_events as events
    where events.handled_at is null and events.given_up_at is null
    order by events.tried_at nulls first, events.received_at limit _limit for update skip locked
  loop
    id := _event.id;
    type := _event.type;
    _order_id := private.order_of(_event.payload #> '{data,object}');
    -- Of several orders in one transaction none may wait for another: whose rows are busy has its turn next time.
    outcome := case when _order_id is null or private.is_order_free(_order_id)
      then private.handle_payment_event(_event) else 'waiting' end;
    if outcome in ('waiting', 'failed') and _event.received_at < now() - interval '1 day' then
      perform private.raise_alert('stuck_event', null, id, jsonb_build_object('type', type, 'outcome', outcome));
      -- Held credits come back: what waits for those goes on waiting.
      if _order_id is null or outcome = 'failed' then
        update public.payment_events as events set given_up_at = now() where events.id = _event.id;
      end if;
    end if;
    return next;
  end loop;
end
$$;
comment on function private.retry_payment_events(integer) is
  'Handles events that waited or failed once more; one that has waited for a day is told to a person, and given up unless it '
  'waits for held credits.';

revoke all on function
  private.dispute_step, private.reclaim, private.settle_order, private.sum_up_disputes, private.apply_dispute,
  private.note_refund
  from public, anon, authenticated, service_role;
grant execute on function private.note_refund to service_role;

-- Orders of before know all of their disputes now, and their credits follow.
do $$
declare
  _order_id uuid;
begin
  for _order_id in select distinct order_id from private.order_disputes order by order_id loop
    perform private.settle_order(private.sum_up_disputes(_order_id));
  end loop;
end
$$;
