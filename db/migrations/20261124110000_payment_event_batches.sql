-- Payment events that arrive together are handled in one transaction: one commit for all of them.

-- Every event waits for an instant, between its storing and its end: by received_at alone whoever asks what waits for a
-- payment would pass the traces of all of them since the last vacuum.
create index payment_events_waiting on public.payment_events ((payload #>> '{data,object,payment_intent}'))
  where handled_at is null;

create function private.handle_stored_event(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _payment constant text := _event.payload #>> '{data,object,payment_intent}';
  _outcome text;
begin
  if _event.handled_at is not null then
    return 'known';
  end if;
  _outcome := private.handle_payment_event(_event);
  if _outcome = 'fulfilled' then
    -- Disputes that came before the payment did.
    perform private.handle_payment_event(waiting)
    from public.payment_events as waiting
    where waiting.handled_at is null and waiting.id <> _event.id
      and waiting.payload #>> '{data,object,payment_intent}' = _payment;
  end if;
  return _outcome;
end
$$;
comment on function private.handle_stored_event(public.payment_events) is
  'Handles an event whose row is locked, and what waited for it; known: it was handled before and changes nothing.';

create or replace function private.record_payment_event(_id text, _type text, _payload jsonb)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
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

-- An order without a wallet counts as busy: alone it fails, and says so.
create function private.is_order_free(_order_id uuid)
  returns boolean
  language plpgsql volatile
  set search_path = ''
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

-- It never waits for a row that somebody else works on: so nobody's wallet keeps the others from theirs, and no two
-- batches wait for each other. The one exception, the same event in two batches at once, is met in the order of the ids.
create function private.record_payment_events(_ids text[], _types text[], _payloads text[])
  returns text[]
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _event public.payment_events;
  _order_id uuid;
  _outcomes text[] := array_fill(null::text, array[cardinality(_ids)]);
begin
  insert into public.payment_events (id, type, payload)
  select distinct on (id) id, type, payload::jsonb
  from unnest(_ids, _types, _payloads) as told (id, type, payload)
  order by id
  on conflict (id) do nothing;
  for _place in 1 .. cardinality(_ids) loop
    select * into _event from public.payment_events where id = _ids[_place] for update skip locked;
    continue when not found;
    _order_id := private.order_of(_event.payload #> '{data,object}');
    if _event.handled_at is not null or _order_id is null or private.is_order_free(_order_id) then
      _outcomes[_place] := private.handle_stored_event(_event);
    end if;
  end loop;
  return _outcomes;
end
$$;
comment on function private.record_payment_events(text[], text[], text[]) is
  'Stores events and handles them one after the other, as record_payment_event; null for each whose rows are busy: it is '
  'stored only, and is to be recorded alone.';

revoke all on function private.handle_stored_event, private.is_order_free, private.record_payment_events
  from public, anon, authenticated, service_role;
grant execute on function private.record_payment_events to service_role;
