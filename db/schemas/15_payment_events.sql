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
comment on table public.payment_events is 'What Stripe told us, word by word, and what became of it.';
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

-- Used both for a session inside an event and for a session that the server fetched itself (without an event).
create function private.apply_session(
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
  perform private.note_outcomes(array[_event.id], array[private.order_of(_about)], array[_outcome], _error);
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
  return private.handle_stored_event(_event);
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

create function private.handle_stored_event(_event public.payment_events)
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
revoke all on function private.handle_stored_event from public, anon, authenticated, service_role;

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

-- Never waits for a row that another transaction has locked, so a busy wallet does not delay the other wallets and two
-- batches do not wait for each other. The one exception is the same event in two batches at the same time. Events are
-- therefore inserted in the order of their ids.
create function private.record_payment_events(_ids text[], _types text[], _payloads text[])
  returns text[]
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
  set lock_timeout = '2s'
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
comment on function private.record_payment_events(text[], text[], text[]) is
  'Stores events and handles them one after the other, as record_payment_event; null for each whose rows are busy: it is '
  'stored only, and is to be recorded alone.';
revoke all on function private.record_payment_events from public, anon, authenticated, service_role;
grant execute on function private.record_payment_events to service_role;

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
  'Alerts that nobody was told of yet, for the caller to mail to the admins in this transaction.';
revoke all on function private.claim_alerts from public, anon, authenticated, service_role;
grant execute on function private.claim_alerts to service_role;

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
comment on function private.apply_sessions is
  'What checkout sessions of as many orders say is written into these, and what is paid fulfilled: fulfilled, noted, ignored or held_back.';
revoke all on function private.apply_sessions from public, anon, authenticated, service_role;

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
  perform private.raise_alert(
    case when _differences ? 'account' then 'deleted_account' else 'mismatch' end::public.payment_alert_kind,
    _order_id, _event_id, _differences
  );
end
$$;
comment on function private.hold_back is
  'A person is told of a payment that is not of what was ordered, of no order, or for an account that is gone.';
revoke all on function private.hold_back from public, anon, authenticated, service_role;

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
revoke all on function private.note_outcomes from public, anon, authenticated, service_role;

alter table public.payment_events enable row level security;
alter table public.payment_alerts enable row level security;
alter table private.payment_fetches enable row level security;

revoke all on public.payment_events from public, anon, authenticated, service_role;
grant select on public.payment_events to service_role;

revoke all on public.payment_alerts from public, anon, authenticated, service_role;
grant select on public.payment_alerts to service_role;

revoke all on private.payment_fetches from public, anon, authenticated, service_role;
grant select, insert, update on private.payment_fetches to service_role;
