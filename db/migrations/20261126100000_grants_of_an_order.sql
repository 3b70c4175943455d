-- An order brings its credits and its bonus in one go: the wallet is locked, changed and compared with its ledger once
-- for both. (quality P9: the ledger is the largest part of what a payment costs.)

-- The rows of most movements are one or two: a loop with the balance in hand costs half of what a window over them did.
drop function private.book;
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
  returns public.credit_ledger
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _entry public.credit_ledger;
  _balance bigint := coalesce(
    (select balance_after from public.credit_ledger where user_id = _user_id order by id desc limit 1), 0
  );
begin
  for _part in 1 .. cardinality(_lot_ids) loop
    _balance := _balance + _amounts[_part];
    insert into public.credit_ledger (
      user_id, kind, account, idempotency_key, part, lot_id, amount, balance_after, ref_type, ref_id, hold_id, reason
    ) values (
      _user_id, _kind, _account, _idempotency_key, _part, _lot_ids[_part], _amounts[_part], _balance, _ref_type,
      _ref_id, _hold_id, _reason
    ) returning * into _entry;
  end loop;
  return _entry;
end
$$;
comment on function private.book is
  'Writes a movement of a locked wallet into the ledger, a row for each lot; answers the last.';
revoke all on function private.book from public;

create type private.lot_grant as (
  kind public.credit_lot_kind,
  amount bigint,
  account public.credit_account,
  idempotency_key text,
  paid_cents bigint
);
comment on type private.lot_grant is 'A lot to come into a wallet, once per key.';
revoke all on type private.lot_grant from public;

create function private.grant_lots(
  _user_id uuid,
  _grants private.lot_grant[],
  _expires_at timestamptz,
  _ref_type text,
  _ref_id text,
  _order_id uuid
)
  returns public.credit_ledger
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _grant private.lot_grant;
  _entry public.credit_ledger;
  _lot public.credit_lots;
  _granted bigint := 0;
begin
  perform private.lock_wallet(_user_id);
  foreach _grant in array _grants loop
    select * into _entry from public.credit_ledger
    where user_id = _user_id and idempotency_key = _grant.idempotency_key and part = 1;
    if found then
      select * into _lot from public.credit_lots where id = _entry.lot_id;
      if (_entry.kind, _entry.amount, _entry.account, _lot.kind, _lot.order_id, _lot.paid_cents) is distinct from
        ('grant'::public.credit_entry_kind, _grant.amount, _grant.account, _grant.kind, _order_id, _grant.paid_cents)
      then
        perform private.refuse_key(_grant.idempotency_key);
      end if;
      continue;
    end if;

    insert into public.credit_lots (user_id, kind, amount, remaining, expires_at, order_id, paid_cents)
      values (_user_id, _grant.kind, _grant.amount, _grant.amount, _expires_at, _order_id, _grant.paid_cents)
      returning * into _lot;
    _entry := private.book(
      _user_id, 'grant', _grant.account, _grant.idempotency_key, array[_lot.id], array[_grant.amount], _ref_type, _ref_id
    );
    _granted := _granted + _grant.amount;
  end loop;
  if _granted > 0 then
    update public.credit_wallets set balance = balance + _granted, updated_at = now() where user_id = _user_id;
    perform private.assert_wallet(_user_id);
  end if;
  return _entry;
end
$$;
comment on function private.grant_lots is
  'Adds lots of the same origin and expiry to a wallet, each once per key; answers the ledger entry of the last, also when it existed already.';
revoke all on function private.grant_lots from public;

create or replace function private.grant_credits(
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
  set enable_seqscan = off
as $$
begin
  return private.grant_lots(
    _user_id, array[(_kind, _amount, _account, _idempotency_key, _paid_cents)::private.lot_grant],
    _expires_at, _ref_type, _ref_id, _order_id
  );
end
$$;

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
  perform private.settle_refunds(_order, _event_id);
  perform private.settle_dispute(_order);
end
$$;
