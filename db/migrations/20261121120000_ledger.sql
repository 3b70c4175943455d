-- The ledger in full: holds, lots that know their order and price, and what must be true of every row.
--
-- A ledger row is a transfer between one lot of a wallet and one account of the product. A movement over several lots
-- is several rows under one key, numbered by `part`. Holds are no rows: they reserve, nothing changes hands; a settled
-- hold leaves one row for each lot it used.
--
-- Double entry holds by construction, and three sums say the same of each wallet: the wallet row, its lots, its ledger.
-- The verbs of the next chapter compare them each time (private.assert_wallet).

create type public.credit_hold_state as enum ('open', 'settled', 'released', 'swept');

alter table public.credit_lots
  -- The order that bought the lot, or whose bonus it is. Orders come in a chapter of their own.
  add column order_id uuid,
  -- What was paid for the whole lot; nothing for what is free.
  add column paid_cents bigint not null default 0,
  add constraint only_orders_are_paid check (paid_cents >= 0 and (paid_cents = 0 or order_id is not null)),
  add constraint what_is_free_costs_nothing check (paid_cents = 0 or kind in ('acquisto', 'piano')),
  -- An order gives its credits once and its bonus once, under whatever key.
  add constraint an_order_gives_each_kind_once unique (order_id, kind);
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
  -- The key of the settlement, known once settled.
  settle_key text,
  -- Past this the sweeper gives the credits back.
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  closed_at timestamptz,

  unique (user_id, id),
  -- A reservation is made once, however often it is asked for.
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
  -- Place in the draw order: what is captured comes from the first lots.
  part integer not null,
  amount bigint not null,
  captured bigint not null default 0,
  primary key (user_id, hold_id, part),

  foreign key (user_id, hold_id) references public.credit_holds (user_id, id) on delete restrict,
  foreign key (user_id, lot_id) references public.credit_lots (user_id, id) on delete restrict,
  constraint a_part_is_held_and_captured_in_full_at_most check (amount > 0 and captured between 0 and amount)
);
comment on table public.hold_lots is 'Which lots a hold reserves, and how much of each was used.';

alter table public.credit_ledger
  alter column lot_id set not null,
  add column part integer not null default 1,
  add column hold_id uuid,
  add column reason public.single_line,
  add foreign key (user_id, hold_id) references public.credit_holds (user_id, id) on delete restrict,
  drop constraint credit_ledger_user_id_idempotency_key_key,
  -- Still once for each movement: a second one would begin with part 1 again.
  add unique (user_id, idempotency_key, part),
  drop constraint a_grant_names_its_lot,
  drop constraint a_grant_adds_and_the_rest_takes,
  add constraint each_kind_has_its_sign check (
    case kind when 'grant' then amount > 0 when 'extend' then amount = 0 when 'adjust' then amount <> 0 else amount < 0 end
  ),
  drop constraint each_kind_has_its_account,
  add constraint each_kind_has_its_account check (
    case kind
      when 'grant' then account in ('stripe', 'promo')
      when 'settle' then account = 'usage'
      when 'expire' then account = 'expiry'
      when 'extend' then account = 'expiry'
      when 'refund' then account = 'refund'
      when 'adjust' then account = 'adjustment'
    end
  ),
  add constraint parts_are_numbered_from_one check (part >= 1),
  add constraint only_a_settlement_names_its_hold check ((kind = 'settle') = (hold_id is not null)),
  add constraint only_an_adjustment_gives_a_reason check ((kind = 'adjust') = (reason is not null));
comment on column public.credit_ledger.part is 'A movement over several lots is several rows under one key.';
comment on column public.credit_ledger.balance_after is
  'Credits owned after this entry, spendable and held together; an extension leaves them as they are.';

create table public.credit_settings (
  user_id uuid primary key references auth.users (id) on delete cascade,
  low_threshold integer not null default 5,
  -- Null: no cap.
  monthly_cap bigint,

  constraint low_threshold_is_reasonable check (low_threshold between 0 and 1000000),
  constraint monthly_cap_is_reasonable check (monthly_cap between 0 and 1000000000)
);
comment on table public.credit_settings is
  'When an owner wants to be warned of few credits, and how many work may use in a calendar month.';

insert into public.credit_settings (user_id) select user_id from public.profiles;

-- Serve the sweeper and the expiry job; the lots of an order are found by its unique constraint.
create index credit_holds_due on public.credit_holds (expires_at) where state = 'open';
create index credit_lots_due on public.credit_lots (expires_at) where remaining > 0;
create index hold_lots_lot on public.hold_lots (user_id, lot_id);
create index credit_ledger_hold on public.credit_ledger (user_id, hold_id);
-- Serves the monthly cap.
create index credit_ledger_usage on public.credit_ledger (user_id, created_at) include (amount) where kind = 'settle';

alter table public.credit_holds enable row level security;
alter table public.hold_lots enable row level security;
alter table public.credit_settings enable row level security;

create policy "owners read their holds" on public.credit_holds
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read the lots of their holds" on public.hold_lots
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their credit settings" on public.credit_settings
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their credit settings" on public.credit_settings
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

revoke all on public.credit_holds, public.hold_lots, public.credit_settings
  from public, anon, authenticated, service_role;
grant select on public.credit_holds, public.hold_lots, public.credit_settings to authenticated, service_role;
grant update (low_threshold, monthly_cap) on public.credit_settings to authenticated;
