-- Credits: wallet, lots and the append-only ledger.
--
-- One ledger row is one transfer between a wallet and one of the product's accounts, so both sides of the double
-- entry exist by construction. Money moves through one function per verb (here: grant), which locks the wallet row
-- and is idempotent by key. Holds, orders and prices join later; a hold moves credits from balance to held.
--
-- Nothing here references auth.users: accounting outlives the account, and the id of an erased user names nobody.
--
-- Error codes raised:
--   SC001  an idempotency key was used again for another movement
--   SC002  the account has no wallet
--   23001  (restrict_violation) somebody tried to change the ledger

create type public.credit_lot_kind as enum ('acquisto', 'bonus', 'benvenuto', 'piano', 'rettifica');
create type public.credit_entry_kind as enum ('grant', 'settle', 'expire', 'refund');
create type public.credit_account as enum ('stripe', 'promo', 'usage', 'expiry', 'refund');

create table public.credit_wallets (
  user_id uuid primary key,
  balance bigint not null default 0,
  held bigint not null default 0,
  updated_at timestamptz not null default now(),

  constraint balance_is_never_negative check (balance >= 0),
  constraint held_is_never_negative check (held >= 0)
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
  -- Null: these credits never expire.
  expires_at timestamptz,
  created_at timestamptz not null default now(),

  constraint a_lot_brings_credits check (amount > 0),
  constraint a_lot_gives_no_more_than_it_brought check (remaining >= 0 and held >= 0 and remaining + held <= amount),
  -- Target of the ledger's foreign key: an entry can only name a lot of its own wallet.
  unique (user_id, id)
);
comment on table public.credit_lots is 'Credits that came together: same origin, same expiry; remaining is not held.';

create table public.credit_ledger (
  id bigint generated always as identity primary key,
  user_id uuid not null references public.credit_wallets (user_id) on delete restrict,
  kind public.credit_entry_kind not null,
  amount bigint not null,
  account public.credit_account not null,
  lot_id uuid,
  ref_type text,
  ref_id text,
  idempotency_key text not null,
  balance_after bigint not null,
  created_at timestamptz not null default now(),

  foreign key (user_id, lot_id) references public.credit_lots (user_id, id) on delete restrict,
  -- A movement happens once, however often it is asked for.
  unique (user_id, idempotency_key),
  constraint a_grant_adds_and_the_rest_takes check (case when kind = 'grant' then amount > 0 else amount < 0 end),
  constraint each_kind_has_its_account check (
    case kind
      when 'grant' then account in ('stripe', 'promo')
      when 'settle' then account = 'usage'
      when 'expire' then account = 'expiry'
      when 'refund' then account = 'refund'
    end
  ),
  constraint a_grant_names_its_lot check (kind <> 'grant' or lot_id is not null),
  constraint balance_after_is_never_negative check (balance_after >= 0),
  constraint references_fit check (
    char_length(idempotency_key) between 1 and 200 and char_length(ref_type) <= 50 and char_length(ref_id) <= 200
  )
);
comment on table public.credit_ledger is 'Every movement of credits, append-only: the truth that wallets and lots cache.';
comment on column public.credit_ledger.account is 'The other side of the transfer.';
comment on column public.credit_ledger.balance_after is 'Credits owned after this entry, spendable and held together.';

create index credit_ledger_statement on public.credit_ledger (user_id, id desc);
create index credit_ledger_lot on public.credit_ledger (user_id, lot_id);

create function private.refuse_change()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  raise exception 'table %.% is append-only', tg_table_schema, tg_table_name using errcode = 'restrict_violation';
end
$$;
comment on function private.refuse_change() is 'Makes a table append-only, for service_role and the owner too.';

create function private.grant_credits(
  _user_id uuid,
  _amount bigint,
  _kind public.credit_lot_kind,
  _account public.credit_account,
  _idempotency_key text,
  _expires_at timestamptz default null,
  _ref_type text default null,
  _ref_id text default null
)
  returns public.credit_ledger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _owned bigint;
  _entry public.credit_ledger;
  _lot_id uuid;
begin
  -- The wallet row is the lock: movements of one wallet happen one after the other.
  select balance + held into _owned from public.credit_wallets where user_id = _user_id for update;
  if not found then
    raise exception 'account % has no wallet', _user_id using errcode = 'SC002';
  end if;

  select * into _entry from public.credit_ledger
    where user_id = _user_id and idempotency_key = _idempotency_key;
  if found then
    if (_entry.kind, _entry.amount, _entry.account) is distinct from ('grant'::public.credit_entry_kind, _amount, _account) then
      raise exception 'idempotency key % belongs to another movement', _idempotency_key using errcode = 'SC001';
    end if;
    return _entry;
  end if;

  insert into public.credit_lots (user_id, kind, amount, remaining, expires_at)
    values (_user_id, _kind, _amount, _amount, _expires_at)
    returning id into _lot_id;
  insert into public.credit_ledger
    (user_id, kind, amount, account, lot_id, ref_type, ref_id, idempotency_key, balance_after)
    values (_user_id, 'grant', _amount, _account, _lot_id, _ref_type, _ref_id, _idempotency_key, _owned + _amount)
    returning * into _entry;
  update public.credit_wallets set balance = balance + _amount, updated_at = now() where user_id = _user_id;
  return _entry;
end
$$;
comment on function private.grant_credits is
  'Adds a lot to a wallet, once per idempotency key; answers the ledger entry, also when it existed already.';

alter table public.credit_wallets enable row level security;
alter table public.credit_lots enable row level security;
alter table public.credit_ledger enable row level security;

create policy "owners read their wallet" on public.credit_wallets
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their lots" on public.credit_lots
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their ledger" on public.credit_ledger
  for select to authenticated
  using (user_id = (select auth.uid()));

-- Reading only, for the server too: credits move through the functions above.
revoke all on public.credit_wallets, public.credit_lots, public.credit_ledger
  from public, anon, authenticated, service_role;
grant select on public.credit_wallets, public.credit_lots, public.credit_ledger to authenticated, service_role;

revoke all on function private.refuse_change() from public, anon, authenticated, service_role;
revoke all on function private.grant_credits from public, anon, authenticated, service_role;
grant execute on function private.grant_credits to service_role;

create trigger append_only
  before update or delete or truncate on public.credit_ledger
  for each statement execute function private.refuse_change();
