-- Credit ledger: wallets, lots, holds and the append-only ledger, and the functions that grant, correct and expire
-- credits.
--
-- A ledger row is a transfer between one lot of a wallet and one account of the product, so double entry holds by
-- construction. A movement over several lots is several rows under one key, numbered by `part`. A hold reserves credits
-- without a ledger row; settling it writes one row for each lot it used.
--
-- Each function locks the wallet row first, so movements of one wallet are serialized. It is idempotent by its key and
-- repeats its earlier answer. Three sums must agree for each wallet: the wallet row, its lots and its ledger; every
-- function compares them (private.assert_wallet) and raises if they differ. All times come from the database.
--
-- No table references auth.users: accounting outlives the account, and the id of an erased user identifies nobody. It ends
-- ten years after its last entry (18_accounting.sql).
--
-- Error codes raised, here and in holds and orders:
--   SC001  an idempotency key was used again for another movement
--   SC002  the account has no wallet
--   SC003  not enough credits
--   SC004  the hold is closed: its credits were given back
--   SC005  the owner's monthly cap is reached
--   SC006  work in progress holds credits of the order: try again later
--   SC007  wallet, lots and ledger disagree: nothing moves until a person has checked
--   SC008  there is no such hold
--   SC009  the daily cap of every account is reached; the detail is the cap
--   23001  (restrict_violation) an attempt to change the ledger, or to delete what must still be kept

create type public.credit_lot_kind as enum ('acquisto', 'bonus', 'benvenuto', 'piano', 'rettifica');

-- extend: a lot is valid longer and no credits move. adjust: an admin corrects the wallet and gives a reason.
create type public.credit_entry_kind as enum ('grant', 'settle', 'expire', 'refund', 'extend', 'adjust');

create type public.credit_account as enum ('stripe', 'promo', 'usage', 'expiry', 'refund', 'adjustment');

create type public.credit_hold_state as enum ('open', 'settled', 'released', 'swept');

create table public.credit_wallets (
  user_id uuid primary key,
  balance bigint not null default 0,
  held bigint not null default 0,
  updated_at timestamptz not null default now(),
  -- First day of the calendar month in Italy in which work last used credits, and how many it used in that month.
  used_month date,
  used_in_month bigint not null default 0,

  constraint balance_is_never_negative check (balance >= 0),
  constraint held_is_never_negative check (held >= 0),
  constraint only_a_month_has_usage check (used_in_month >= 0 and (used_in_month = 0 or used_month is not null))
);
comment on table public.credit_wallets is
  'Cache of the ledger: balance is what can be spent now, held is reserved by work in progress.';

create table public.credit_lots (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.credit_wallets (user_id) on delete restrict,
  kind public.credit_lot_kind not null,
  amount bigint not null,
  remaining bigint not null,
  held bigint not null default 0,
  -- The order that bought the lot, or the order whose bonus it is.
  order_id uuid,
  -- Price paid for the whole lot; 0 for free credits.
  paid_cents bigint not null default 0,
  -- Null: these credits never expire.
  expires_at timestamptz,
  created_at timestamptz not null default now(),

  constraint a_lot_brings_credits check (amount > 0),
  constraint a_lot_gives_no_more_than_it_brought check (remaining >= 0 and held >= 0 and remaining + held <= amount),
  constraint only_orders_are_paid check (paid_cents >= 0 and (paid_cents = 0 or order_id is not null)),
  constraint what_is_free_costs_nothing check (paid_cents = 0 or kind in ('acquisto', 'piano')),
  -- An order grants its credits once and its bonus once, even under different keys.
  constraint an_order_gives_each_kind_once unique (order_id, kind),
  -- Target of the ledger's foreign key, so that an entry can only name a lot of its own wallet.
  unique (user_id, id)
);
comment on table public.credit_lots is 'Credits that came together: same origin, same expiry; remaining is not held.';
comment on column public.credit_lots.paid_cents is 'What was paid for all credits of the lot, in cents; 0: free.';

create table public.credit_holds (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.credit_wallets (user_id) on delete restrict,
  amount bigint not null,
  captured bigint not null default 0,
  state public.credit_hold_state not null default 'open',
  ref_type text,
  ref_id text,
  idempotency_key text not null,
  -- Key of the settlement; null until the hold is settled.
  settle_key text,
  -- After this time the sweeper gives the credits back.
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  closed_at timestamptz,

  unique (user_id, id),
  -- A reservation is made once, even if it is requested several times.
  unique (user_id, idempotency_key),
  constraint a_hold_reserves_something check (amount > 0),
  constraint no_more_is_captured_than_held check (captured between 0 and amount),
  constraint only_a_settled_hold_captures check (
    (state = 'settled') = (settle_key is not null) and (captured = 0 or state = 'settled')
  ),
  constraint a_closed_hold_says_when check ((state = 'open') = (closed_at is null)),
  constraint a_hold_lasts_a_day_at_most check (expires_at <= created_at + interval '1 day'),
  constraint hold_references_fit check (
    char_length(idempotency_key) between 1 and 200 and char_length(settle_key) between 1 and 200
    and char_length(ref_type) <= 50 and char_length(ref_id) <= 200
  )
);
comment on table public.credit_holds is 'Credits reserved for work in progress: settled for what was used, or given back.';

create table public.hold_lots (
  hold_id uuid not null,
  lot_id uuid not null,
  user_id uuid not null,
  -- Place in the draw order: captured credits come from the first lots.
  part integer not null,
  amount bigint not null,
  captured bigint not null default 0,
  primary key (user_id, hold_id, part),

  foreign key (user_id, hold_id) references public.credit_holds (user_id, id) on delete restrict,
  foreign key (user_id, lot_id) references public.credit_lots (user_id, id) on delete restrict,
  constraint a_part_is_held_and_captured_in_full_at_most check (amount > 0 and captured between 0 and amount)
);
comment on table public.hold_lots is 'Which lots a hold reserves, and how much of each was used.';

create table public.credit_ledger (
  id bigint generated always as identity,
  user_id uuid not null references public.credit_wallets (user_id) on delete restrict,
  kind public.credit_entry_kind not null,
  amount bigint not null,
  account public.credit_account not null,
  lot_id uuid not null,
  ref_type text,
  ref_id text,
  idempotency_key text not null,
  part integer not null default 1,
  hold_id uuid,
  reason public.single_line,
  balance_after bigint not null,
  created_at timestamptz not null default now(),

  -- By the wallet first: on an index of ids alone a plan made on the first day would look for the last entry of a new
  -- wallet among all entries of everybody.
  primary key (user_id, id),
  foreign key (user_id, lot_id) references public.credit_lots (user_id, id) on delete restrict,
  foreign key (user_id, hold_id) references public.credit_holds (user_id, id) on delete restrict,
  -- A movement happens once, even if it is requested several times: a second one would start with part 1 again.
  unique (user_id, idempotency_key, part),
  -- A refund has either sign, because a won dispute gives credits back as an entry of the same kind.
  constraint each_kind_has_its_sign check (
    case kind
      when 'grant' then amount > 0
      when 'extend' then amount = 0
      when 'adjust' then amount <> 0
      when 'refund' then amount <> 0
      else amount < 0
    end
  ),
  constraint each_kind_has_its_account check (
    case kind
      when 'grant' then account in ('stripe', 'promo')
      when 'settle' then account = 'usage'
      when 'expire' then account = 'expiry'
      when 'extend' then account = 'expiry'
      when 'refund' then account = 'refund'
      when 'adjust' then account = 'adjustment'
    end
  ),
  constraint parts_are_numbered_from_one check (part >= 1),
  constraint only_a_settlement_names_its_hold check ((kind = 'settle') = (hold_id is not null)),
  constraint only_an_adjustment_gives_a_reason check ((kind = 'adjust') = (reason is not null)),
  constraint balance_after_is_never_negative check (balance_after >= 0),
  constraint references_fit check (
    char_length(idempotency_key) between 1 and 200 and char_length(ref_type) <= 50 and char_length(ref_id) <= 200
  )
);
comment on table public.credit_ledger is
  'Every movement of credits, append-only: the truth that wallets and lots cache. Entries of accounts that are gone end after '
  'ten years.';
comment on column public.credit_ledger.account is 'The other side of the transfer.';
comment on column public.credit_ledger.part is 'A movement over several lots is several rows under one key.';
comment on column public.credit_ledger.balance_after is
  'Credits owned after this entry, spendable and held together; an extension leaves them as they are.';

-- Used by private.assert_wallet: empty lots stay for the statement, but add nothing to a wallet.
create index credit_lots_live on public.credit_lots (user_id) where remaining > 0 or held > 0;

create index credit_lots_due on public.credit_lots (expires_at) where remaining > 0;

-- Used by the sweeper; credit_lots_due is used by the expiry job. The lots of an order are found through its unique
-- constraint.
create index credit_holds_due on public.credit_holds (expires_at) where state = 'open';

create index hold_lots_lot on public.hold_lots (user_id, lot_id);

create index credit_ledger_lot on public.credit_ledger (user_id, lot_id);

create index credit_ledger_hold on public.credit_ledger (user_id, hold_id);

-- Used by the forecast.
create index credit_ledger_usage on public.credit_ledger (user_id, created_at) include (amount) where kind = 'settle';

create function private.lock_wallet(_user_id uuid)
  returns public.credit_wallets
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
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
revoke all on function private.lock_wallet from public, anon, authenticated, service_role;

create function private.assert_wallet(_user_id uuid)
  returns void
  language plpgsql stable
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _wallet record;
begin
  select balance, held, lots.spendable, lots.reserved, coalesce(last.balance_after, 0) as ledger into _wallet
  from public.credit_wallets
  cross join lateral (
    select coalesce(sum(credit_lots.remaining), 0) as spendable, coalesce(sum(credit_lots.held), 0) as reserved
    from public.credit_lots
    where credit_lots.user_id = _user_id and (credit_lots.remaining > 0 or credit_lots.held > 0)
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
comment on function private.assert_wallet(uuid) is
  'Raise SC007 unless the lots of a wallet sum to its balance and its held credits, and its ledger to both.';
revoke all on function private.assert_wallet from public, anon, authenticated, service_role;

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
  'The wallets that disagree with their lots or with the whole of their ledger: normally no row.';
revoke all on function private.drifted_wallets from public, anon, authenticated, service_role;
grant execute on function private.drifted_wallets to service_role;

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
revoke all on function private.refuse_key from public, anon, authenticated, service_role;

-- The only definition of the draw order: earliest expiry first, then free before paid, then oldest.
create function private.draw(_user_id uuid, _amount bigint)
  returns table (lot_id uuid, amount bigint, part integer)
  language sql stable
  set search_path = ''
  set enable_seqscan = off
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
revoke all on function private.draw from public, anon, authenticated, service_role;

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
  set enable_seqscan = off
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
revoke all on function private.take from public, anon, authenticated, service_role;

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
  set enable_seqscan = off
as $$
declare
  _entry public.credit_ledger;
  _lot public.credit_lots;
begin
  perform private.lock_wallet(_user_id);
  select * into _entry from public.credit_ledger
  where user_id = _user_id and idempotency_key = _idempotency_key and part = 1;
  if found then
    select * into _lot from public.credit_lots where user_id = _user_id and id = _entry.lot_id;
    if (_entry.kind, _entry.amount, _entry.account, _lot.kind, _lot.order_id, _lot.paid_cents)
      is distinct from ('grant'::public.credit_entry_kind, _amount, _account, _kind, _order_id, _paid_cents)
    then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _entry;
  end if;

  insert into public.credit_lots (user_id, kind, amount, remaining, expires_at, order_id, paid_cents)
    values (_user_id, _kind, _amount, _amount, _expires_at, _order_id, _paid_cents) returning * into _lot;
  _entry := private.book(
    _user_id, 'grant', _account, _idempotency_key, array[_lot.id], array[_amount], _ref_type, _ref_id
  );
  update public.credit_wallets set balance = balance + _amount, updated_at = now() where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  return _entry;
end
$$;
comment on function private.grant_credits is
  'Adds a lot to a wallet, once per key; answers the ledger entry, also when it existed already.';
revoke all on function private.grant_credits from public, anon, authenticated, service_role;
grant execute on function private.grant_credits to service_role;

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
  set enable_seqscan = off
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
revoke all on function private.adjust_credits from public, anon, authenticated, service_role;
grant execute on function private.adjust_credits to service_role;

-- Bought credits never expire; their lot is extended instead. This keeps both promises, «valid 12 months» and «never
-- expires». Calendar months are counted in the time zone of Rome. Credits of an account that is gone expire all the same:
-- an extension each year would never let its accounting end.
create function private.expire_wallet(_user_id uuid)
  returns integer
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
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
    if _lot.order_id is null and _lot.kind <> 'acquisto' or not exists (select from auth.users where id = _user_id) then
      -- With the wallet's last entry the key is a new one: what a won dispute gives back to a lot may expire once more.
      perform private.take(
        _user_id, 'expire', 'expiry',
        format('expire:%s:%s', _lot.id, (select max(id) from public.credit_ledger where user_id = _user_id)),
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
revoke all on function private.expire_wallet from public, anon, authenticated, service_role;

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
revoke all on function private.expire_lots from public, anon, authenticated, service_role;
grant execute on function private.expire_lots to service_role;

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
revoke all on function private.book from public, anon, authenticated, service_role;

revoke all on function private.assert_wallet from public, anon, authenticated, service_role;

create function private.accounting_kept_since()
  returns timestamptz
  language sql stable
  set search_path = ''
as $$ select now() - interval '10 years' $$;
comment on function private.accounting_kept_since() is
  'Since when accounting is kept whatever happens to its account: ten years (art. 2220 c.c.).';
revoke all on function private.accounting_kept_since from public, anon, authenticated, service_role;

create function private.refuse_deletion_of_entry()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if old.created_at < private.accounting_kept_since() and not exists (select from auth.users where id = old.user_id) then
    return old;
  end if;
  raise exception 'table %.% is append-only', tg_table_schema, tg_table_name using errcode = 'restrict_violation';
end
$$;
comment on function private.refuse_deletion_of_entry() is
  'Makes the ledger keep its entries, for its owner too: only those older than ten years, of an account that is gone, may go.';
revoke all on function private.refuse_deletion_of_entry from public, anon, authenticated, service_role;

alter table public.credit_wallets enable row level security;
alter table public.credit_lots enable row level security;
alter table public.credit_holds enable row level security;
alter table public.hold_lots enable row level security;
alter table public.credit_ledger enable row level security;

create policy "owners read their wallet" on public.credit_wallets
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their lots" on public.credit_lots
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their holds" on public.credit_holds
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read the lots of their holds" on public.hold_lots
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their ledger" on public.credit_ledger
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.credit_wallets from public, anon, authenticated, service_role;
grant select on public.credit_wallets to authenticated, service_role;

revoke all on public.credit_lots from public, anon, authenticated, service_role;
grant select on public.credit_lots to authenticated, service_role;

revoke all on public.credit_holds from public, anon, authenticated, service_role;
grant select on public.credit_holds to authenticated, service_role;

revoke all on public.hold_lots from public, anon, authenticated, service_role;
grant select on public.hold_lots to authenticated, service_role;

revoke all on public.credit_ledger from public, anon, authenticated, service_role;
grant select on public.credit_ledger to authenticated, service_role;

create trigger append_only
  before update or truncate on public.credit_ledger
  for each statement execute function private.refuse_change();

create trigger refuse_deletion before delete on public.credit_ledger
  for each row execute function private.refuse_deletion_of_entry();
