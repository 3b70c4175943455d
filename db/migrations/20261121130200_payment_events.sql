-- What Stripe tells: each event is stored, handled, and tried again when it had to wait.

create function private.apply_refund(_charge jsonb, _event_id text)
  returns text
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _order public.credit_orders;
begin
  update public.credit_orders set
    refunded_cents = greatest(refunded_cents, (_charge ->> 'amount_refunded')::bigint),
    payment_intent = coalesce(payment_intent, _charge ->> 'payment_intent')
  where id = private.order_of(_charge)
  returning * into _order;
  if not found then
    return 'ignored';
  end if;
  perform private.settle_refunds(_order, _event_id);
  return 'noted';
end
$$;
comment on function private.apply_refund is 'Notes how much of a charge was given back, all refunds together, and takes its credits.';

create function private.apply_dispute(_dispute jsonb, _event_id text)
  returns text
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _order public.credit_orders;
begin
  update public.credit_orders set
    dispute = _dispute ->> 'id',
    disputed_at = coalesce(disputed_at, now()),
    dispute_won_at = coalesce(
      dispute_won_at, case when _dispute ->> 'status' in ('won', 'warning_closed', 'prevented') then now() end
    ),
    dispute_lost_at = coalesce(dispute_lost_at, case when _dispute ->> 'status' = 'lost' then now() end)
  where id = private.order_of(_dispute)
  returning * into _order;
  if not found then
    -- A dispute carries none of our own words: it waits until the payment has told its order.
    return 'waiting';
  end if;
  perform private.settle_dispute(_order);
  perform private.raise_alert('dispute', _order.id, _event_id, jsonb_build_object('status', _dispute ->> 'status'));
  return 'noted';
end
$$;
comment on function private.apply_dispute is 'Notes a dispute and how it ended, and moves the credits with it.';

create function private.handle_payment_event(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
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
      when _event.type like 'charge.dispute.%' then private.apply_dispute(_about, _event.id)
      else 'ignored'
    end;
  exception
    when sqlstate 'SC006' then  -- credits of the order are held by work in progress
      _outcome := 'waiting';
    when others then
      _outcome := 'failed';
      _error := sqlerrm;
  end;
  update public.payment_events set
    order_id = private.order_of(_about),
    outcome = _outcome,
    error = _error,
    attempts = attempts + 1,
    handled_at = case when _outcome not in ('waiting', 'failed') then now() end
  where id = _event.id;
  return _outcome;
end
$$;
comment on function private.handle_payment_event is
  'Does what an event asks for. waiting and failed leave it unhandled, and nothing of it done.';

create function private.record_payment_event(_id text, _type text, _payload jsonb)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _event public.payment_events;
  _outcome text;
begin
  -- The same event at the same instant waits for this one's commit.
  insert into public.payment_events (id, type, payload) values (_id, _type, _payload) on conflict (id) do nothing;
  select * into _event from public.payment_events where id = _id for update;
  if _event.handled_at is not null then
    return 'known';
  end if;
  _outcome := private.handle_payment_event(_event);
  if _outcome = 'fulfilled' then
    -- Disputes that came before the payment did.
    perform private.handle_payment_event(waiting)
    from public.payment_events as waiting
    where waiting.handled_at is null and waiting.id <> _id
      and waiting.payload #>> '{data,object,payment_intent}' = _payload #>> '{data,object,payment_intent}';
  end if;
  return _outcome;
end
$$;
comment on function private.record_payment_event is
  'Stores an event and handles it, in the caller''s transaction; known: it was handled before and changes nothing.';

create function private.retry_payment_events(_limit integer default 100)
  returns table (id text, type text, outcome text)
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _event public.payment_events;
begin
  for _event in
    select * from public.payment_events as events
    where events.handled_at is null order by events.received_at limit _limit for update skip locked
  loop
    id := _event.id;
    type := _event.type;
    outcome := private.handle_payment_event(_event);
    if outcome in ('waiting', 'failed') and _event.received_at < now() - interval '1 day' then
      perform private.raise_alert('stuck_event', null, id, jsonb_build_object('type', type, 'outcome', outcome));
    end if;
    return next;
  end loop;
end
$$;
comment on function private.retry_payment_events(integer) is
  'Handles events that waited or failed once more; one that has waited for a day is told to a person.';

revoke all on function
  private.apply_refund,
  private.apply_dispute,
  private.handle_payment_event,
  private.record_payment_event,
  private.retry_payment_events
  from public, anon, authenticated, service_role;
grant execute on function
  private.record_payment_event,
  private.retry_payment_events
  to service_role;
