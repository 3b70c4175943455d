-- Disputes and refunds: how credits follow money that goes back.
--
-- The amount that each lot of an order owes is computed from the order's facts (refunded amount, disputed or not) and
-- from what was already taken from the lot. The difference moves, in either direction, on the lots of the order.
-- Credits held by work in progress are taken when they come back. A charge may be disputed more than once, so a dispute
-- is a row.

create table private.order_disputes (
  -- The provider's id.
  id text primary key,
  order_id uuid not null references public.credit_orders (id) on delete restrict,
  -- The status according to the newest event of the dispute, regardless of the order of arrival. The newest event is
  -- found by the provider's time, then by its step in the life of a dispute, because the provider's times have only
  -- whole seconds.
  status text not null,
  told_at timestamptz not null,
  step integer not null
);
comment on table private.order_disputes is 'Disputes of payments, and how far each is.';

create index order_disputes_order on private.order_disputes (order_id);

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
revoke all on function private.dispute_step from public, anon, authenticated, service_role;

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
revoke all on function private.reclaim from public, anon, authenticated, service_role;

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
revoke all on function private.settle_order from public, anon, authenticated, service_role;

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
revoke all on function private.sum_up_disputes from public, anon, authenticated, service_role;

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
revoke all on function private.apply_dispute from public, anon, authenticated, service_role;

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
revoke all on function private.note_refund from public, anon, authenticated, service_role;
grant execute on function private.note_refund to service_role;

alter table private.order_disputes enable row level security;

revoke all on private.order_disputes from public, anon, authenticated, service_role;
grant select on private.order_disputes to service_role;
