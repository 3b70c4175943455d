-- Orders: what somebody buys, what Stripe tells about it, and the papers and refunds that follow.
--
-- What Stripe tells becomes a fact of the order (paid, failed, expired, so much refunded, disputed). Facts are only
-- added, never taken back, and the state is computed from them: it depends on which events came, not on their order.
-- An event is stored and handled in one transaction with everything it causes; who answers 2xx has committed it.
--
-- Prices and credits are copied from the catalogue when the order is opened. What a paid session says must equal them,
-- else nothing is granted and an alert waits for a person.
--
-- Like the ledger, orders reference no account: accounting outlives it.
--
-- Error codes raised:
--   SC011  the order is in no state in which it can be withdrawn from
--   SC012  the thirty days are over
--   SC013  nothing of the order is left unused

create type public.order_state as enum ('pending', 'fulfilled', 'failed', 'expired', 'review', 'refunded', 'disputed');
create type public.order_refund_state as enum ('requested', 'sent', 'failed');
create type public.payment_alert_kind as enum (
  'mismatch', 'unknown_order', 'refund_of_spent_credits', 'refund_failed', 'dispute', 'stuck_event'
);
create type public.fiscal_document_kind as enum ('invoice', 'credit_note');
create type public.fiscal_document_state as enum ('queued', 'sent', 'accepted', 'refused');

create table public.credit_orders (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  -- Where the receipt goes; null: the account has no address.
  email text,
  pack_id text not null,
  catalog_version integer not null,
  amount_cents bigint not null,
  currency text not null,
  credits bigint not null,
  bonus bigint not null,
  -- Whether the buyer acts outside a trade or profession: then the law's withdrawal holds too, not only our guarantee.
  consumer boolean not null default true,
  -- Who the invoice is for, as checked when the order was opened; null: a receipt is enough.
  billing jsonb,

  provider_session text unique,
  payment_intent text unique,
  checkout_url text,
  created_at timestamptz not null default now(),
  -- The checkout page lives until then.
  expires_at timestamptz not null,
  -- When we last asked Stripe ourselves.
  checked_at timestamptz,
  -- When the confirmation went into the outbox.
  receipt_at timestamptz,

  -- The facts.
  paid_at timestamptz,
  fulfilled_at timestamptz,
  failed_at timestamptz,
  expired_at timestamptz,
  withdrawn_at timestamptz,
  refunded_cents bigint not null default 0,
  dispute text,
  disputed_at timestamptz,
  dispute_won_at timestamptz,
  dispute_lost_at timestamptz,
  -- For so much of what was or will be given back the ledger has taken its credits.
  taken_cents bigint not null default 0,
  -- Credits taken because of a dispute, and given back since.
  dispute_credits bigint,
  dispute_returned_at timestamptz,

  state public.order_state not null generated always as (
    case
      when fulfilled_at is not null and disputed_at is not null and dispute_won_at is null then 'disputed'::public.order_state
      when fulfilled_at is not null and (withdrawn_at is not null or refunded_cents >= amount_cents) then 'refunded'
      when fulfilled_at is not null then 'fulfilled'
      when paid_at is not null and refunded_cents > 0 then 'refunded'
      when paid_at is not null then 'review'
      when failed_at is not null then 'failed'
      when expired_at is not null then 'expired'
      else 'pending'
    end
  ) stored,

  foreign key (catalog_version, pack_id) references public.packs (version, id) on delete restrict,
  constraint an_order_costs_something check (amount_cents > 0),
  constraint an_order_brings_credits check (credits > 0 and bonus >= 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$'),
  constraint billing_is_an_object check (jsonb_typeof(billing) = 'object'),
  constraint what_is_fulfilled_was_paid check (fulfilled_at is null or paid_at is not null),
  constraint refunds_are_never_negative check (refunded_cents >= 0 and taken_cents >= 0)
);
comment on table public.credit_orders is 'Purchases of packs; price and credits are those of the catalogue at that moment.';
comment on column public.credit_orders.state is
  'Computed from the facts. review: paid, but not what was ordered, so a person looks (payment_alerts).';

create index credit_orders_of_user on public.credit_orders (user_id, created_at desc);
create index credit_orders_pack on public.credit_orders (catalog_version, pack_id);
create index credit_orders_without_receipt on public.credit_orders (fulfilled_at)
  where fulfilled_at is not null and receipt_at is null;
create index credit_orders_pending on public.credit_orders (created_at) where state = 'pending';

create table public.payment_events (
  -- The provider's id: an event is stored once, however often it is sent.
  id text primary key,
  type text not null,
  payload jsonb not null,
  received_at timestamptz not null default now(),
  -- Null: it waits (for credits that are held, for its order) or failed; the job tries again.
  handled_at timestamptz,
  outcome text,
  attempts integer not null default 0,
  error text,
  order_id uuid references public.credit_orders (id) on delete restrict,

  constraint ids_fit check (char_length(id) between 1 and 255 and char_length(type) between 1 and 100)
);
comment on table public.payment_events is 'What Stripe told us, word by word, and what became of it.';

create index payment_events_order on public.payment_events (order_id);
create index payment_events_received on public.payment_events (received_at);
create index payment_events_unhandled on public.payment_events (received_at) where handled_at is null;

create table public.payment_alerts (
  id bigint generated always as identity primary key,
  kind public.payment_alert_kind not null,
  order_id uuid references public.credit_orders (id) on delete restrict,
  event_id text references public.payment_events (id) on delete restrict,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  resolved_at timestamptz,

  unique nulls not distinct (kind, order_id, event_id)
);
comment on table public.payment_alerts is 'What a person must look at: money that does not fit an order.';

create index payment_alerts_order on public.payment_alerts (order_id);
create index payment_alerts_event on public.payment_alerts (event_id);

create table public.order_refunds (
  -- Also the key under which Stripe is asked, so that it pays back once.
  id uuid primary key default gen_random_uuid(),
  -- One withdrawal ends the contract.
  order_id uuid not null unique references public.credit_orders (id) on delete restrict,
  amount_cents bigint not null,
  credits bigint not null,
  state public.order_refund_state not null default 'requested',
  provider_refund text unique,
  created_at timestamptz not null default now(),
  settled_at timestamptz,

  constraint a_refund_gives_something_back check (amount_cents > 0 and credits > 0),
  constraint a_settled_refund_says_when check ((state = 'requested') = (settled_at is null))
);
comment on table public.order_refunds is 'Money we owe for a withdrawal: its credits are gone already, a job asks Stripe to pay.';

create table public.fiscal_documents (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.credit_orders (id) on delete restrict,
  kind public.fiscal_document_kind not null,
  amount_cents bigint not null,
  -- What the document is about: the order itself, or one refund of it.
  reference text not null,
  state public.fiscal_document_state not null default 'queued',
  xml text,
  created_at timestamptz not null default now(),

  unique (order_id, kind, reference),
  constraint a_document_is_about_money check (amount_cents > 0)
);
comment on table public.fiscal_documents is 'Documents an intermediary will send to the tax office (SdI): queued with the sale or refund.';

alter table public.credit_orders enable row level security;
alter table public.payment_events enable row level security;
alter table public.payment_alerts enable row level security;
alter table public.order_refunds enable row level security;
alter table public.fiscal_documents enable row level security;

create policy "owners read their orders" on public.credit_orders
  for select to authenticated
  using (user_id = (select auth.uid()));

-- Reading only, for the server too: orders move through the functions of the next chapter.
revoke all on
  public.credit_orders, public.payment_events, public.payment_alerts, public.order_refunds, public.fiscal_documents
  from public, anon, authenticated, service_role;
grant select on public.credit_orders to authenticated;
grant select on
  public.credit_orders, public.payment_events, public.payment_alerts, public.order_refunds, public.fiscal_documents
  to service_role;
