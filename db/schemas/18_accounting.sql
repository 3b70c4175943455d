-- End of accounting: of an account that is gone, all of it ends ten years after its last entry (art. 2220 c.c.).
--
-- An account goes whole, in one transaction: a part of it would be a wallet that disagrees with its ledger. Of an account
-- that exists nothing goes, because its balance is the sum of all its movements.
--
-- No number is given again: entries are numbered by an identity column, orders and documents by chance (the intermediary
-- numbers what it sends to the tax office). Early-bird seats stay taken: there are a hundred in all.

create function private.last_accounting_at(_user_id uuid)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  with orders as (
    select * from public.credit_orders where user_id = _user_id
  ), events as (
    select * from public.payment_events where order_id in (select id from orders)
  )
  select greatest(
    (select updated_at from public.credit_wallets where user_id = _user_id),
    (select max(created_at) from public.credit_lots where user_id = _user_id),
    (select max(greatest(created_at, closed_at)) from public.credit_holds where user_id = _user_id),
    (select max(created_at) from public.credit_ledger where user_id = _user_id),
    -- Not checked_at: a question to Stripe is no entry, and an order without an answer is asked about for ever.
    (
      select max(greatest(
        created_at, submitted_at, withdrawal_waiver_at, paid_at, fulfilled_at, receipt_at, failed_at, expired_at, withdrawn_at,
        disputed_at, dispute_won_at, dispute_lost_at, orphaned_at
      ))
      from orders
    ),
    (
      select max(greatest(created_at, settled_at)) from public.order_refunds where order_id in (select id from orders)
    ),
    (select max(created_at) from public.fiscal_documents where order_id in (select id from orders)),
    (select max(told_at) from private.order_disputes where order_id in (select id from orders)),
    (select max(greatest(received_at, handled_at)) from events),
    (
      select max(greatest(created_at, resolved_at)) from public.payment_alerts
      where order_id in (select id from orders) or event_id in (select id from events)
    )
  )
$$;
comment on function private.last_accounting_at(uuid) is 'When something was last entered in the accounting of an account.';
revoke all on function private.last_accounting_at from public, anon, authenticated, service_role;

create function private.forget_accounting(_limit integer)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
  _order_ids uuid[];
  _rows text;
  _gone bigint;
  _erased bigint := 0;
begin
  for _user_id in
    select user_id from public.credit_wallets
    where updated_at < private.accounting_kept_since() and case
      when exists (select from auth.users where id = user_id) then false
      else private.last_accounting_at(user_id) < private.accounting_kept_since()
    end
    limit _limit for update skip locked
  loop
    _order_ids := array(select id from public.credit_orders where user_id = _user_id);
    -- Each table before those that it references.
    foreach _rows in array array[
      'public.payment_alerts where order_id = any ($2)'
        ' or event_id in (select id from public.payment_events where order_id = any ($2))',
      'public.payment_events where order_id = any ($2)',
      'private.order_disputes where order_id = any ($2)',
      'public.order_refunds where order_id = any ($2)',
      'public.fiscal_documents where order_id = any ($2)',
      'public.credit_orders where user_id = $1',
      'public.credit_ledger where user_id = $1',
      'public.hold_lots where user_id = $1',
      'public.credit_holds where user_id = $1',
      'public.credit_lots where user_id = $1',
      'public.credit_wallets where user_id = $1'
    ] loop
      execute 'delete from ' || _rows using _user_id, _order_ids;
      get diagnostics _gone = row_count;
      _erased := _erased + _gone;
    end loop;
    -- The seat stays taken, but says neither by whom nor from which mailbox.
    update private.early_bird_seats set user_id = null, mailbox = null where user_id = _user_id;
    exit when _erased >= _limit;
  end loop;
  return _erased;
end
$$;
comment on function private.forget_accounting(integer) is
  'Deletes the accounting of accounts that are gone, ten years after its last entry: one account after the other until so many '
  'rows are deleted, each whole; answers how many.';
revoke all on function private.forget_accounting from public, anon, authenticated, service_role;
grant execute on function private.forget_accounting to service_role;
