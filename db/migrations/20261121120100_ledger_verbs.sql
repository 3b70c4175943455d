-- The verbs of the ledger: grant, hold, settle, release, expire, refund, adjust.
--
-- Each locks the wallet row first, so that movements of one wallet happen one after the other; is idempotent by its
-- key, answering again what it answered; and raises when wallet, lots and ledger disagree. Time is the database's.
--
-- Error codes raised:
--   SC001  an idempotency key was used again for another movement
--   SC002  the account has no wallet
--   SC003  not enough credits
--   SC004  the hold is closed: its credits were given back
--   SC005  the monthly cap of the owner is reached
--   SC006  credits of the order are held by work in progress: try again later
--   SC007  wallet, lots and ledger disagree
--   SC008  there is no such hold

create function private.lock_wallet(_user_id uuid)
  returns public.credit_wallets
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _wallet public.credit_wallets;
begin
  select * into _wallet from public.credit_wallets where user_id = _user_id for update;
  if not found then
    raise exception 'account % has no wallet', _user_id using errcode = 'SC002';
  end if;
  return _wallet;
end
$$;
comment on function private.lock_wallet(uuid) is 'The wallet, locked until the transaction ends; SC002 without one.';

create function private.assert_wallet(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.assert_wallet(uuid) is 'Raises SC007 unless wallet, lots and ledger of an account agree.';

create function private.refuse_key(_idempotency_key text)
  returns void
  language plpgsql immutable
  set search_path = ''
as $$
begin
  raise exception 'idempotency key % belongs to another movement', _idempotency_key using errcode = 'SC001';
end
$$;
comment on function private.refuse_key(text) is 'Raises SC001.';

-- The draw order is here and nowhere else: earliest expiry, then free before paid, then oldest.
create function private.draw(_user_id uuid, _amount bigint)
  returns table (lot_id uuid, amount bigint, part integer)
  language sql stable
  set search_path = ''
as $$
  select id, least(remaining, _amount - before), nth::integer
  from (
    select id, remaining, row_number() over draw_order as nth, (sum(remaining) over draw_order - remaining)::bigint as before
    from public.credit_lots
    where user_id = _user_id and remaining > 0
    window draw_order as (order by expires_at nulls last, paid_cents > 0, created_at, id)
  ) as lots
  where before < _amount
$$;
comment on function private.draw(uuid, bigint) is 'From which lots so many spendable credits come, in order.';

-- Each entry goes on from the one before, not from the wallet: so the ledger is a sum of its own to compare with.
create function private.book(
  _user_id uuid,
  _kind public.credit_entry_kind,
  _account public.credit_account,
  _idempotency_key text,
  _lot_ids uuid[],
  _amounts bigint[],
  _ref_type text default null,
  _ref_id text default null,
  _hold_id uuid default null,
  _reason text default null
)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.credit_ledger (
    user_id, kind, account, idempotency_key, part, lot_id, amount, balance_after, ref_type, ref_id, hold_id, reason
  )
  select _user_id, _kind, _account, _idempotency_key, part, lot_id, amount,
    coalesce((select balance_after from public.credit_ledger where user_id = _user_id order by id desc limit 1), 0)
      + sum(amount) over (order by part),
    _ref_type, _ref_id, _hold_id, _reason
  from unnest(_lot_ids, _amounts) with ordinality as parts (lot_id, amount, part)
  order by part
$$;
comment on function private.book is 'Writes a movement of a locked wallet into the ledger, a row for each lot.';

create function private.take(
  _user_id uuid,
  _kind public.credit_entry_kind,
  _account public.credit_account,
  _idempotency_key text,
  _lot_ids uuid[],
  _amounts bigint[],
  _ref_type text default null,
  _ref_id text default null,
  _reason text default null
)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  perform private.book(
    _user_id, _kind, _account, _idempotency_key, _lot_ids,
    (select array_agg(-amount order by part) from unnest(_amounts) with ordinality as parts (amount, part)),
    _ref_type, _ref_id, null, _reason
  );
  update public.credit_lots set remaining = remaining - parts.amount
  from unnest(_lot_ids, _amounts) as parts (lot_id, amount)
  where id = parts.lot_id;
  update public.credit_wallets
  set balance = balance - (select sum(amount) from unnest(_amounts) as amount), updated_at = now()
  where user_id = _user_id;
end
$$;
comment on function private.take is 'Takes spendable credits out of lots of a locked wallet, for good.';

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

drop function private.grant_credits(
  uuid, bigint, public.credit_lot_kind, public.credit_account, text, timestamptz, text, text
);
create function private.grant_credits(
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
as $$
declare
  _entry public.credit_ledger;
  _lot public.credit_lots;
begin
  perform private.lock_wallet(_user_id);
  select * into _entry from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key and part = 1;
  if found then
    select * into _lot from public.credit_lots where id = _entry.lot_id;
    if (_entry.kind, _entry.amount, _entry.account, _lot.kind, _lot.order_id, _lot.paid_cents)
      is distinct from ('grant'::public.credit_entry_kind, _amount, _account, _kind, _order_id, _paid_cents)
    then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _entry;
  end if;

  insert into public.credit_lots (user_id, kind, amount, remaining, expires_at, order_id, paid_cents)
    values (_user_id, _kind, _amount, _amount, _expires_at, _order_id, _paid_cents) returning * into _lot;
  perform private.book(
    _user_id, 'grant', _account, _idempotency_key, array[_lot.id], array[_amount], _ref_type, _ref_id
  );
  update public.credit_wallets set balance = balance + _amount, updated_at = now() where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  select * into _entry from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key;
  return _entry;
end
$$;
comment on function private.grant_credits is
  'Adds a lot to a wallet, once per key; answers the ledger entry, also when it existed already.';

-- A calendar month of the owner, who lives in Italy.
create function private.used_this_month(_user_id uuid)
  returns bigint
  language sql stable
  set search_path = ''
as $$
  select coalesce(-sum(amount), 0)::bigint
  from public.credit_ledger
  where user_id = _user_id and kind = 'settle'
    and created_at >= date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
$$;
comment on function private.used_this_month(uuid) is 'Credits that work has used since the month began in Italy.';

create function private.hold_credits(
  _user_id uuid,
  _max bigint,
  _idempotency_key text,
  _ref_type text default null,
  _ref_id text default null,
  _expires_at timestamptz default now() + interval '15 minutes'
)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _cap constant bigint := (select monthly_cap from public.credit_settings where user_id = _user_id);
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where user_id = _user_id and idempotency_key = _idempotency_key;
  if found then
    if (_hold.amount, _hold.ref_type, _hold.ref_id) is distinct from (_max, _ref_type, _ref_id) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _hold;
  end if;

  if private.expire_wallet(_user_id) > 0 then
    _wallet := private.lock_wallet(_user_id);
  end if;
  if _wallet.balance < _max then
    raise exception '% credits are wanted, % can be spent', _max, _wallet.balance using errcode = 'SC003';
  end if;
  if private.used_this_month(_user_id) + _wallet.held + _max > _cap then
    raise exception '% credits are wanted, the monthly cap is %', _max, _cap using errcode = 'SC005';
  end if;

  insert into public.credit_holds (user_id, amount, idempotency_key, ref_type, ref_id, expires_at)
    values (_user_id, _max, _idempotency_key, _ref_type, _ref_id, _expires_at) returning * into _hold;
  insert into public.hold_lots (hold_id, lot_id, user_id, part, amount)
    select _hold.id, lot_id, _user_id, part, amount from private.draw(_user_id, _max);
  update public.credit_lots set remaining = remaining - hold_lots.amount, held = credit_lots.held + hold_lots.amount
  from public.hold_lots
  where hold_lots.user_id = _user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets set balance = balance - _max, held = held + _max, updated_at = now()
  where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  return _hold;
end
$$;
comment on function private.hold_credits is
  'Reserves the most that some work may use, once per key; answers the hold, in whatever state it is by now.';

create function private.lock_hold(_hold_id uuid)
  returns public.credit_holds
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where id = _hold_id;
  if not found then
    raise exception 'there is no hold %', _hold_id using errcode = 'SC008';
  end if;
  perform private.lock_wallet(_hold.user_id);
  -- Read again: somebody may have closed it while we waited for the wallet.
  select * into _hold from public.credit_holds where id = _hold_id;
  return _hold;
end
$$;
comment on function private.lock_hold(uuid) is 'The hold, with its wallet locked; SC008 when there is none.';

create function private.close_hold(
  _hold public.credit_holds,
  _state public.credit_hold_state,
  _used bigint default 0,
  _settle_key text default null
)
  returns public.credit_holds
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if _used > 0 then
    update public.hold_lots set captured = greatest(0, least(amount, _used - before))
    from (
      select part as place, sum(amount) over (order by part) - amount as before
      from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id
    ) as places
    where user_id = _hold.user_id and hold_id = _hold.id and part = place;
    perform private.book(
        _hold.user_id, 'settle', 'usage', _settle_key,
        array_agg(lot_id order by part), array_agg(-captured order by part), _hold.ref_type, _hold.ref_id, _hold.id
      )
    from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id and captured > 0;
  end if;
  update public.credit_lots
  set held = held - hold_lots.amount, remaining = remaining + hold_lots.amount - hold_lots.captured
  from public.hold_lots
  where hold_lots.user_id = _hold.user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets
  set held = held - _hold.amount, balance = balance + _hold.amount - _used, updated_at = now()
  where user_id = _hold.user_id;
  update public.credit_holds set state = _state, captured = _used, settle_key = _settle_key, closed_at = now()
  where id = _hold.id
  returning * into _hold;
  -- What came back may have outlived its lot.
  perform private.expire_wallet(_hold.user_id);
  perform private.assert_wallet(_hold.user_id);
  return _hold;
end
$$;
comment on function private.close_hold is 'Ends an open hold of a locked wallet: books what was used, gives the rest back.';

create function private.settle_hold(_hold_id uuid, _used bigint, _idempotency_key text)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _hold constant public.credit_holds := private.lock_hold(_hold_id);
begin
  if _hold.state = 'settled' and (_hold.captured, _hold.settle_key) is not distinct from (_used, _idempotency_key) then
    return _hold;
  end if;
  if _hold.state in ('released', 'swept') then
    raise exception 'hold % is closed: %', _hold_id, _hold.state using errcode = 'SC004';
  end if;
  if _hold.state = 'settled' or exists (
    select from public.credit_ledger where user_id = _hold.user_id and idempotency_key = _idempotency_key
  ) then
    perform private.refuse_key(_idempotency_key);
  end if;
  if _used is null or _used not between 0 and _hold.amount then
    raise exception 'hold % is of % credits, not %', _hold_id, _hold.amount, _used using errcode = 'invalid_parameter_value';
  end if;
  return private.close_hold(_hold, 'settled', _used, _idempotency_key);
end
$$;
comment on function private.settle_hold is
  'Takes what was used of a hold and gives the rest back, once; SC004 when it was released or swept before.';

create function private.release_hold(_hold_id uuid)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _hold constant public.credit_holds := private.lock_hold(_hold_id);
begin
  if _hold.state <> 'open' then
    return _hold;
  end if;
  return private.close_hold(_hold, 'released');
end
$$;
comment on function private.release_hold is 'Gives a hold back; one that is closed stays as it is. Answers the hold.';

-- Wallets in the order of their ids, so that two runs at once wait for each other instead of for both.
create function private.sweep_holds(_limit integer default 200)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _due uuid;
  _hold public.credit_holds;
  _swept integer := 0;
begin
  for _due in
    select id from (
      select id, user_id from public.credit_holds where state = 'open' and expires_at <= now() order by expires_at limit _limit
    ) as due
    order by user_id
  loop
    _hold := private.lock_hold(_due);
    if _hold.state = 'open' then
      perform private.close_hold(_hold, 'swept');
      _swept := _swept + 1;
    end if;
  end loop;
  return _swept;
end
$$;
comment on function private.sweep_holds(integer) is 'Gives back holds past their time; answers how many.';

create function private.expire_lots(_limit integer default 200)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
  _done integer := 0;
begin
  for _user_id in
    select distinct user_id from (
      select user_id from public.credit_lots where remaining > 0 and expires_at <= now() order by expires_at limit _limit
    ) as due
    order by user_id
  loop
    perform private.lock_wallet(_user_id);
    _done := _done + private.expire_wallet(_user_id);
    perform private.assert_wallet(_user_id);
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

create function private.adjust_credits(
  _user_id uuid,
  _amount bigint,
  _reason text,
  _admin_id uuid,
  _idempotency_key text
)
  returns public.credit_wallets
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _known record;
  _lot_id uuid;
begin
  select sum(amount) as amount, min(reason::text) as reason, bool_and(kind = 'adjust') as same into _known
  from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key;
  if _known.amount is not null then
    if (_known.amount, _known.reason, _known.same) is distinct from (_amount::numeric, _reason, true) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _wallet;
  end if;
  if -_amount > _wallet.balance then
    raise exception '% credits are to go, % can be spent', -_amount, _wallet.balance using errcode = 'SC003';
  end if;

  if _amount < 0 then
    perform private.take(
        _user_id, 'adjust', 'adjustment', _idempotency_key, array_agg(lot_id order by part), array_agg(amount order by part),
        'admin', _admin_id::text, _reason
      )
    from private.draw(_user_id, -_amount);
  else
    insert into public.credit_lots (user_id, kind, amount, remaining) values (_user_id, 'rettifica', _amount, _amount)
      returning id into _lot_id;
    perform private.book(
      _user_id, 'adjust', 'adjustment', _idempotency_key, array[_lot_id], array[_amount], 'admin', _admin_id::text,
      null, _reason
    );
    update public.credit_wallets set balance = balance + _amount, updated_at = now() where user_id = _user_id;
  end if;
  perform private.assert_wallet(_user_id);
  return private.lock_wallet(_user_id);
end
$$;
comment on function private.adjust_credits is
  'Corrects a wallet in either direction, with a reason and the admin who gives it, once per key; answers the wallet.';

revoke all on function
  private.lock_wallet, private.assert_wallet, private.refuse_key, private.draw, private.book, private.take,
  private.expire_wallet, private.used_this_month, private.lock_hold, private.close_hold,
  private.grant_credits, private.hold_credits, private.settle_hold, private.release_hold, private.sweep_holds,
  private.expire_lots, private.refundable, private.refund_order, private.adjust_credits
  from public, anon, authenticated, service_role;
grant execute on function
  private.grant_credits, private.hold_credits, private.settle_hold, private.release_hold, private.sweep_holds,
  private.expire_lots, private.refundable, private.refund_order, private.adjust_credits
  to service_role;
