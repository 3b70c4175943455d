-- What every verb of the ledger stands on, and those that bring credits or correct them: grant, adjust.
--
-- A verb locks the wallet row first, so that movements of one wallet happen one after the other; is idempotent by its
-- key, answering again what it answered; and raises when wallet, lots and ledger disagree. Time is the database's.
--
-- Error codes raised, here and in the next chapters:
--   SC001  an idempotency key was used again for another movement
--   SC002  the account has no wallet
--   SC003  not enough credits
--   SC004  the hold is closed: its credits were given back
--   SC005  the monthly cap of the owner is reached
--   SC006  credits of the order are held by work in progress: try again later
--   SC007  wallet, lots and ledger disagree: nothing moves until somebody has looked
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

create function private.drifted_wallets()
  returns setof uuid
  language sql stable security definer
  set search_path = ''
as $$
  select user_id
  from public.credit_wallets
  left join (
    select user_id, sum(remaining) as spendable, sum(held) as reserved from public.credit_lots group by user_id
  ) as lots using (user_id)
  left join (select user_id, sum(amount) as owned from public.credit_ledger group by user_id) as ledger using (user_id)
  where (balance, held, balance + held)
    is distinct from (coalesce(spendable, 0), coalesce(reserved, 0), coalesce(owned, 0))
$$;
comment on function private.drifted_wallets() is
  'The wallets that disagree with their lots or with the whole of their ledger: there should be none.';

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
  language plpgsql volatile
  set search_path = ''
as $$
begin
  insert into public.credit_ledger (
    user_id, kind, account, idempotency_key, part, lot_id, amount, balance_after, ref_type, ref_id, hold_id, reason
  )
  select _user_id, _kind, _account, _idempotency_key, part, lot_id, amount,
    coalesce((select balance_after from public.credit_ledger where user_id = _user_id order by id desc limit 1), 0)
      + sum(amount) over (order by part),
    _ref_type, _ref_id, _hold_id, _reason
  from unnest(_lot_ids, _amounts) with ordinality as parts (lot_id, amount, part)
  order by part;
end
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
  private.lock_wallet, private.assert_wallet, private.drifted_wallets, private.refuse_key, private.draw,
  private.book, private.take, private.grant_credits, private.adjust_credits
  from public, anon, authenticated, service_role;
grant execute on function
  private.drifted_wallets, private.grant_credits, private.adjust_credits
  to service_role;
