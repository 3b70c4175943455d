-- Payment events: each event from Stripe is stored and handled in one transaction, and tried again when it had to wait.
--
-- The functions that change an order expect its row to be locked and lock the wallet after it. What does not fit
-- becomes an alert for the admins.

create type public.payment_alert_kind as enum (
  'mismatch', 'unknown_order', 'refund_of_spent_credits', 'refund_failed', 'dispute', 'stuck_event',
  'deleted_account'
);

create table public.payment_events (
  -- The provider's id, so that an event is stored once, even if it is sent several times.
  id text primary key,
  type text not null,
  payload jsonb not null,
  received_at timestamptz not null default now(),
  -- Null: the event waits (for held credits or for its order) or failed; the job tries it again.
  handled_at timestamptz,
  outcome text,
  attempts integer not null default 0,
  error text,
  tried_at timestamptz,
  given_up_at timestamptz,
  order_id uuid references public.credit_orders (id) on delete restrict,

  constraint ids_fit check (char_length(id) between 1 and 255 and char_length(type) between 1 and 100)
);
comment on table public.payment_events is 'Events of Stripe, word by word, and what became of them.';
comment on column public.payment_events.tried_at is 'When it was last handled, or tried; null: it was stored only.';
comment on column public.payment_events.given_up_at is
  'A person was told, and the job tries it no more; the payment it is about, or the provider, may still bring it back.';

create table public.payment_alerts (
  id bigint generated always as identity primary key,
  kind public.payment_alert_kind not null,
  order_id uuid references public.credit_orders (id) on delete restrict,
  event_id text references public.payment_events (id) on delete restrict,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  told_at timestamptz,
  resolved_at timestamptz,

  unique nulls not distinct (kind, order_id, event_id)
);
comment on table public.payment_alerts is 'What a person must look at: money that does not fit an order.';
comment on column public.payment_alerts.told_at is 'When the mail to the admins went into the outbox.';

create table private.payment_fetches (
  provider text primary key,
  -- Start of the last fetch whose events were all stored.
  fetched_at timestamptz not null
);
comment on table private.payment_fetches is 'When the events of a provider were last fetched to the end.';

create index payment_events_order on public.payment_events (order_id);

create index payment_events_received on public.payment_events (received_at);

-- Used to find the events that wait for one payment. Each event is unhandled for a moment, between storing and
-- handling. An index by received_at alone would therefore read the dead entries of all events since the last vacuum.
create index payment_events_waiting on public.payment_events ((payload #>> '{data,object,payment_intent}'))
  where handled_at is null;

create index payment_events_to_try on public.payment_events (tried_at nulls first, received_at)
  where handled_at is null and given_up_at is null;

create index payment_alerts_order on public.payment_alerts (order_id);

create index payment_alerts_event on public.payment_alerts (event_id);

-- Returns a uuid, so that the order is found by its index. A text that is not a uuid names no order.
create function private.order_id(_about jsonb)
  returns uuid
  language sql immutable
  set search_path = ''
as $$
  select (_about #>> '{metadata,order_id}')::uuid
  where _about #>> '{metadata,order_id}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;
comment on function private.order_id(jsonb) is 'The order that an object of Stripe names in its metadata, or null.';
revoke all on function private.order_id from public, anon, authenticated, service_role;

create function private.order_of(_about jsonb)
  returns uuid
  language sql stable
  set search_path = ''
  set enable_seqscan = off
as $$
  select id from public.credit_orders
  where id = private.order_id(_about) or payment_intent = _about ->> 'payment_intent' limit 1
$$;
comment on function private.order_of(jsonb) is 'The order that an object of Stripe is about: by its metadata, else by its payment.';
revoke all on function private.order_of from public, anon, authenticated, service_role;

create function private.raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.payment_alerts (kind, order_id, event_id, details) values (_kind, _order_id, _event_id, _details)
  on conflict do nothing
$$;
comment on function private.raise_alert is 'Tells a person, once for each event.';
revoke all on function private.raise_alert from public, anon, authenticated, service_role;

create function private.session_differences(_order public.credit_orders, _session jsonb)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.session_differences(public.credit_orders, jsonb) is
  'Return the facts of a checkout session that differ from its order, as {name: [ordered, told]}; null when all agree.';
revoke all on function private.session_differences from public, anon, authenticated, service_role;

-- Used both for a session inside an event and for a session that the server fetched itself (without an event).
create function private.apply_session(
  _session jsonb, _event_id text default null, _event_type text default null
)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
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
$$;
comment on function private.apply_session is
  'Notes what a checkout session says and fulfils its order when it is paid and says what was ordered.';
revoke all on function private.apply_session from public, anon, authenticated, service_role;
grant execute on function private.apply_session to service_role;

create function private.apply_refund(_charge jsonb, _event_id text)
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
comment on function private.apply_refund is 'Notes how much of a charge was given back, all refunds together, and takes its credits.';
revoke all on function private.apply_refund from public, anon, authenticated, service_role;

create function private.handle_payment_event(_event public.payment_events)
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
revoke all on function private.handle_payment_event from public, anon, authenticated, service_role;

create function private.record_payment_event(_id text, _type text, _payload jsonb)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _event public.payment_events;
begin
  -- The same event at the same instant waits for this one's commit.
  insert into public.payment_events (id, type, payload) values (_id, _type, _payload) on conflict (id) do nothing;
  select * into _event from public.payment_events where id = _id for update;
  return case when _event.handled_at is null then private.handle_payment_event(_event) else 'known' end;
end
$$;
comment on function private.record_payment_event is
  'Stores an event and handles it, in the caller''s transaction; known: it was handled before and changes nothing.';
revoke all on function private.record_payment_event from public, anon, authenticated, service_role;
grant execute on function private.record_payment_event to service_role;

create function private.retry_payment_events(_limit integer default 100)
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
revoke all on function private.retry_payment_events from public, anon, authenticated, service_role;
grant execute on function private.retry_payment_events to service_role;

create function private.forget_payment_events(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from public.payment_events where id in (
      select id from public.payment_events as events
      where order_id is null and outcome = 'ignored' and received_at < now() - interval '30 days'
        and not exists (select from public.payment_alerts where event_id = events.id)
      limit _limit
    )
    returning 1
  )
  select count(*) from gone
$$;
comment on function private.forget_payment_events(integer) is
  'Deletes events older than 30 days that are about no order and asked for nothing: other sales of the same Stripe account.';
revoke all on function private.forget_payment_events from public, anon, authenticated, service_role;
grant execute on function private.forget_payment_events to service_role;

-- An order without a wallet counts as busy: it is then handled alone, where it fails and reports the error.
create function private.is_order_free(_order_id uuid)
  returns boolean
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _user_id uuid;
begin
  select user_id into _user_id from public.credit_orders where id = _order_id for update skip locked;
  if found then
    perform from public.credit_wallets where user_id = _user_id for update skip locked;
  end if;
  return found;
end
$$;
comment on function private.is_order_free(uuid) is
  'Locks an order and its wallet for this transaction unless that would mean to wait; whether it did.';
revoke all on function private.is_order_free from public, anon, authenticated, service_role;

create function private.claim_alerts(_limit integer default 50)
  returns table (kind public.payment_alert_kind, order_id uuid, event_id text, details jsonb, admins text[])
  language sql volatile security definer
  set search_path = ''
as $$
  with people as (
    select array_agg(users.email::text order by users.email) as admins
    from public.user_roles join auth.users on users.id = user_roles.user_id
    where user_roles.role = 'admin' and users.email is not null
  )
  update public.payment_alerts as alerts set told_at = now()
  from people
  -- With nobody to tell they wait.
  where people.admins is not null and alerts.id in (
    select id from public.payment_alerts
    where told_at is null and resolved_at is null
    order by id limit _limit for update skip locked
  )
  returning alerts.kind, alerts.order_id, alerts.event_id, alerts.details, people.admins
$$;
comment on function private.claim_alerts(integer) is
  'Alerts that were not sent yet, for the caller to mail to the admins in this transaction.';
revoke all on function private.claim_alerts from public, anon, authenticated, service_role;
grant execute on function private.claim_alerts to service_role;

alter table public.payment_events enable row level security;
alter table public.payment_alerts enable row level security;
alter table private.payment_fetches enable row level security;

revoke all on public.payment_events from public, anon, authenticated, service_role;
grant select on public.payment_events to service_role;

revoke all on public.payment_alerts from public, anon, authenticated, service_role;
grant select on public.payment_alerts to service_role;

revoke all on private.payment_fetches from public, anon, authenticated, service_role;
grant select, insert, update on private.payment_fetches to service_role;
