-- Lots at the end of their life: they expire or live on, or their order is refunded.

-- What was bought is never burnt: «valid 12 months» and «never expires» both hold. Calendar months are those of Rome.
create function private.expire_wallet(_user_id uuid)
  returns integer
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _lot public.credit_lots;
  _done integer := 0;
begin
  for _lot in
    select * from public.credit_lots
    where user_id = _user_id and remaining > 0 and expires_at <= now() order by expires_at, id
  loop
    _done := _done + 1;
    if _lot.order_id is null and _lot.kind <> 'acquisto' then
      -- What such a lot owns only ever falls, so the key is a new one each time.
      perform private.take(
        _user_id, 'expire', 'expiry', format('expire:%s:%s', _lot.id, _lot.remaining + _lot.held),
        array[_lot.id], array[_lot.remaining]
      );
    else
      perform private.book(
        _user_id, 'extend', 'expiry', format('extend:%s:%s', _lot.id, extract(epoch from _lot.expires_at)),
        array[_lot.id], array[0::bigint]
      );
      update public.credit_lots
      set expires_at = (
        expires_at at time zone 'Europe/Rome'
        + make_interval(months => 12 * (1 + extract(year from age(now(), expires_at))::integer))
      ) at time zone 'Europe/Rome'
      where id = _lot.id;
    end if;
  end loop;
  return _done;
end
$$;
comment on function private.expire_wallet(uuid) is
  'Expires or extends the due lots of a locked wallet by the database''s clock; answers how many.';

create function private.expire_lots(_limit integer default 200)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
  _expired integer;
  _done integer := 0;
begin
  for _user_id in
    select distinct user_id from (
      select user_id from public.credit_lots where remaining > 0 and expires_at <= now() order by expires_at limit _limit
    ) as due
    order by user_id
  loop
    begin
      perform private.lock_wallet(_user_id);
      _expired := private.expire_wallet(_user_id);
      perform private.assert_wallet(_user_id);
      _done := _done + _expired;
    exception
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _done;
end
$$;
comment on function private.expire_lots(integer) is 'Expires or extends lots past their time; answers how many.';

create function private.refundable(_order_id uuid)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.lock_wallet(user_id) from public.credit_lots where order_id = _order_id limit 1;
  return (
    select coalesce(sum(paid_cents * remaining / amount), 0)::bigint from public.credit_lots where order_id = _order_id
  );
end
$$;
comment on function private.refundable(uuid) is
  'What the unused credits of an order were paid, in whole cents; locks the wallet, so that it stays true.';

create function private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select user_id from public.credit_lots where order_id = _order_id limit 1);
  _all boolean;
  _taken bigint;
  _lot_ids uuid[];
  _amounts bigint[];
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

  -- The money for all that is unused takes all of it, the bonus too; less money its share of each lot.
  _all := _amount_cents >= private.refundable(_order_id);
  select array_agg(id order by paid_cents, id), array_agg(share order by paid_cents, id), coalesce(sum(share), 0)
  into _lot_ids, _amounts, _taken
  from (
    select id, paid_cents,
      case when _all then remaining
        else least(remaining, ceil(amount::numeric * _amount_cents / sum(paid_cents) over ())::bigint)
      end as share
    from public.credit_lots where order_id = _order_id
  ) as lots
  where share > 0;
  if _taken > 0 then
    perform private.take(_user_id, 'refund', 'refund', _idempotency_key, _lot_ids, _amounts, 'order', _order_id::text);
    perform private.assert_wallet(_user_id);
  end if;
  return _taken;
end
$$;
comment on function private.refund_order is
  'Takes back unused credits of an order for money given back, once per key, never more than are left; answers how many.';

revoke all on function
  private.expire_wallet, private.expire_lots, private.refundable, private.refund_order
  from public, anon, authenticated, service_role;
grant execute on function
  private.expire_lots, private.refundable, private.refund_order
  to service_role;
