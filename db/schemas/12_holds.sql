-- Holds: credits reserved for work. Hold the most that it may use, settle what it used, release the rest; a job sweeps
-- holds whose work died.
--
-- A month is a calendar month in Italy, where the owner lives, and a day is one too.

create function private.used_this_month(_user_id uuid)
  returns bigint
  language sql stable
  set search_path = ''
  set enable_seqscan = off
as $$
  select coalesce((
    select used_in_month from public.credit_wallets
    where user_id = _user_id and used_month = date_trunc('month', now() at time zone 'Europe/Rome')::date
  ), 0)
$$;
comment on function private.used_this_month(uuid) is 'Credits that work has used since the month began in Italy.';
revoke all on function private.used_this_month from public, anon, authenticated, service_role;

-- From the ledger, because the cap is rare and its index is there; the wallet counts months only.
create function private.used_today(_user_id uuid)
  returns bigint
  language sql stable
  set search_path = ''
  set enable_seqscan = off
as $$
  select coalesce(-sum(amount), 0)::bigint from public.credit_ledger
  where user_id = _user_id and kind = 'settle'
    and created_at >= date_trunc('day', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
$$;
comment on function private.used_today(uuid) is 'Credits that work has used since the day began in Italy.';
revoke all on function private.used_today from public, anon, authenticated, service_role;

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
  set enable_seqscan = off
as $$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _cap constant bigint := (select monthly_cap from public.credit_settings where user_id = _user_id);
  _daily_cap constant bigint := private.daily_cap();
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
  -- Nested, for `and` may evaluate both sides, and the month of somebody without a cap is read for nothing.
  if _cap is not null then
    if private.used_this_month(_user_id) + _wallet.held + _max > _cap then
      raise exception '% credits are wanted, the monthly cap is %', _max, _cap using errcode = 'SC005';
    end if;
  end if;
  if _daily_cap is not null then
    -- Held credits count as used today.
    if private.used_today(_user_id) + _wallet.held + _max > _daily_cap then
      raise exception '% credits are wanted, the daily cap is %', _max, _daily_cap
        using errcode = 'SC009', detail = _daily_cap;
    end if;
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
revoke all on function private.hold_credits from public, anon, authenticated, service_role;
grant execute on function private.hold_credits to service_role;

create function private.lock_hold(_hold_id uuid)
  returns public.credit_holds
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
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
revoke all on function private.lock_hold from public, anon, authenticated, service_role;

create function private.close_hold(
  _hold public.credit_holds,
  _state public.credit_hold_state,
  _used bigint default 0,
  _settle_key text default null
)
  returns public.credit_holds
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _month constant date := date_trunc('month', now() at time zone 'Europe/Rome');
begin
  -- Before the ledger, whose trigger reads what the month has used. A transaction that began in the month before and
  -- waited for the wallet does not count in the new month.
  update public.credit_wallets
  set held = held - _hold.amount, balance = balance + _hold.amount - _used, updated_at = now(),
    used_in_month = case when _month < used_month then 0 else _used end
      + case when _month > used_month then 0 else used_in_month end,
    used_month = greatest(used_month, _month)
  where user_id = _hold.user_id;
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
revoke all on function private.close_hold from public, anon, authenticated, service_role;

create function private.settle_hold(_hold_id uuid, _used bigint, _idempotency_key text)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
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
revoke all on function private.settle_hold from public, anon, authenticated, service_role;
grant execute on function private.settle_hold to service_role;

create function private.release_hold(_hold_id uuid)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
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
revoke all on function private.release_hold from public, anon, authenticated, service_role;
grant execute on function private.release_hold to service_role;

create function private.close_hold_of_key(_user_id uuid, _idempotency_key text, _cost bigint)
  returns bigint
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where user_id = _user_id and idempotency_key = _idempotency_key;
  if not found then
    return 0;
  end if;
  _hold := private.lock_hold(_hold.id);
  if _hold.state <> 'open' then
    -- Swept: what took that long is a gift.
    return coalesce(_hold.captured, 0);
  elsif _cost > 0 then
    return (private.settle_hold(_hold.id, least(_cost, _hold.amount), _idempotency_key)).captured;
  end if;
  perform private.release_hold(_hold.id);
  return 0;
end
$$;
comment on function private.close_hold_of_key is
  'Takes what work costs from the hold with this key, at most all of it, and gives the rest back; answers what it took.';
revoke all on function private.close_hold_of_key from public, anon, authenticated, service_role;

-- Processes wallets in the order of their ids, so that two runs at the same time take turns. A wallet with sums that
-- disagree is left for a person to check and does not block the other wallets.
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
    begin
      _hold := private.lock_hold(_due);
      if _hold.state = 'open' then
        perform private.close_hold(_hold, 'swept');
        _swept := _swept + 1;
      end if;
    exception
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _swept;
end
$$;
comment on function private.sweep_holds(integer) is 'Gives back holds past their time; answers how many.';
revoke all on function private.sweep_holds from public, anon, authenticated, service_role;
grant execute on function private.sweep_holds to service_role;
