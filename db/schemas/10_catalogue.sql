-- Catalogue: plans, packs, the price of each action, and every claim on the pages. Pages and checkout read the same
-- rows.
--
-- A version is prepared as a draft and published by a date. A published version never changes, because orders refer to
-- it. To change a price, copy the newest version, change the copy and publish it.
--
-- Money is integer cents. Error codes raised:
--   23001  (restrict_violation) an attempt to change a published version

create type public.plan_period as enum ('forever', 'month', 'year');

create type public.claim_status as enum ('verificato', 'stima', 'storico', 'in_conflitto');

create table public.catalog_versions (
  version integer primary key,
  note public.single_line not null,
  created_at timestamptz not null default now(),
  -- Null: a draft, which clients cannot see.
  published_at timestamptz unique,

  constraint versions_count_from_one check (version > 0)
);
comment on table public.catalog_versions is 'Editions of the catalogue; the newest published one is in force.';

create table public.plans (
  version integer not null references public.catalog_versions (version) on delete restrict,
  id text not null,
  position smallint not null,
  name public.single_line not null,
  price_cents bigint not null,
  currency text not null default 'EUR',
  period public.plan_period not null,
  -- Credits per month, also if the price is for ever or for a year.
  credits bigint not null,
  features text[] not null,
  highlight boolean not null default false,
  badge public.single_line,
  savings public.single_line,

  primary key (version, id),
  constraint ids_are_slugs check (id ~ '^[a-z][a-z0-9_]{0,30}$'),
  constraint prices_are_never_negative check (price_cents >= 0),
  constraint a_plan_brings_credits check (credits > 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$')
);
comment on table public.plans is 'Recurring plans as the landing and the store show them.';

create table public.packs (
  version integer not null references public.catalog_versions (version) on delete restrict,
  id text not null,
  position smallint not null,
  name public.single_line not null,
  store_name public.single_line not null,
  description public.single_line not null,
  credits bigint not null,
  bonus bigint not null default 0,
  price_cents bigint not null,
  currency text not null default 'EUR',
  features text[] not null,
  popular boolean not null default false,
  badge public.single_line,

  primary key (version, id),
  constraint ids_are_slugs check (id ~ '^[a-z][a-z0-9_]{0,30}$'),
  -- A price of zero or less would create credits without a payment.
  constraint a_pack_costs_something check (price_cents > 0),
  constraint a_pack_brings_credits check (credits > 0 and bonus >= 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$')
);
comment on table public.packs is 'Credits sold once: price and credits that checkout takes by pack id, never from the client.';
comment on column public.packs.name is 'On /pricing.';
comment on column public.packs.store_name is 'The purchase button of the store.';

create table public.credit_prices (
  version integer not null references public.catalog_versions (version) on delete restrict,
  action text not null,
  position smallint not null,
  name public.single_line not null,
  min_credits bigint not null,
  max_credits bigint not null,
  note public.single_line,

  primary key (version, action),
  constraint actions_are_slugs check (action ~ '^[a-z][a-z0-9_]{0,30}$'),
  constraint a_price_has_a_range check (min_credits >= 0 and max_credits >= min_credits)
);
comment on table public.credit_prices is 'What an action costs in credits; max is what is held before it, min differs where the work decides.';

create table public.claims (
  version integer not null references public.catalog_versions (version) on delete restrict,
  key text not null,
  surface text not null,
  text public.single_line not null,
  value numeric,
  unit public.single_line,
  formula text,
  base text,
  source public.single_line not null,
  status public.claim_status not null,
  effective_key text,

  primary key (version, key),
  constraint keys_are_dotted_slugs check (key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'),
  constraint a_value_has_a_unit check ((value is null) = (unit is null)),
  constraint a_formula_has_a_value check (formula is null or value is not null),
  constraint a_conflict_says_what_holds check (status <> 'in_conflitto' or effective_key is not null)
);
comment on table public.claims is 'What the pages assert: text and value, how it was reckoned, and what holds when two of them differ.';
comment on column public.claims.surface is 'The pages that say it, separated by a comma.';
comment on column public.claims.formula is
  'Arithmetic over claims and catalogue (plans.<id>.price, packs.<id>.credits, …) whose rounded result is the value.';
comment on column public.claims.base is 'Small print: what the claim compares with, or how it is meant.';
comment on column public.claims.effective_key is 'The claim, or the value of the catalogue, that holds instead.';

create function public.catalog()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'version', edition.version,
    'plans', (
      select jsonb_agg(to_jsonb(plans) - '{version,position}'::text[] order by plans.position)
      from public.plans where plans.version = edition.version
    ),
    'packs', (
      select jsonb_agg(to_jsonb(packs) - '{version,position}'::text[] order by packs.position)
      from public.packs where packs.version = edition.version
    ),
    'credit_prices', (
      select jsonb_agg(to_jsonb(credit_prices) - '{version,position}'::text[] order by credit_prices.position)
      from public.credit_prices where credit_prices.version = edition.version
    ),
    'claims', (
      select jsonb_object_agg(claims.key, to_jsonb(claims) - '{version,key}'::text[])
      from public.claims where claims.version = edition.version
    )
  )
  from public.catalog_versions as edition
  where edition.published_at <= now()
  order by edition.published_at desc
  limit 1
$$;
comment on function public.catalog() is 'The catalogue in force, as one document.';
revoke all on function public.catalog from public, anon, authenticated, service_role;
grant execute on function public.catalog to anon, authenticated, service_role;

create function private.refuse_change_of_published()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _version integer := case when tg_op = 'DELETE' then old.version else new.version end;
begin
  if exists (
    select from public.catalog_versions
    where catalog_versions.version in (_version, case when tg_op = 'UPDATE' then old.version end)
      and catalog_versions.published_at <= now()
  ) then
    raise exception 'version % of the catalogue is published', _version using errcode = 'restrict_violation';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
comment on function private.refuse_change_of_published() is 'Keeps a published version of the catalogue as it is, for the owner too.';
revoke all on function private.refuse_change_of_published from public, anon, authenticated, service_role;

alter table public.catalog_versions enable row level security;
alter table public.plans enable row level security;
alter table public.packs enable row level security;
alter table public.credit_prices enable row level security;
alter table public.claims enable row level security;

create policy "everybody reads published versions" on public.catalog_versions
  for select to anon, authenticated
  using (published_at <= now());

-- The versions that the caller may see, because the policy above applies to the subquery.
create policy "everybody reads published plans" on public.plans
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published packs" on public.packs
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published prices" on public.credit_prices
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published claims" on public.claims
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

revoke all on public.catalog_versions from public, anon, authenticated, service_role;
grant select on public.catalog_versions to anon, authenticated, service_role;

revoke all on public.plans from public, anon, authenticated, service_role;
grant select on public.plans to anon, authenticated, service_role;

revoke all on public.packs from public, anon, authenticated, service_role;
grant select on public.packs to anon, authenticated, service_role;

revoke all on public.credit_prices from public, anon, authenticated, service_role;
grant select on public.credit_prices to anon, authenticated, service_role;

revoke all on public.claims from public, anon, authenticated, service_role;
grant select on public.claims to anon, authenticated, service_role;

create trigger published_stays
  before update or delete on public.catalog_versions
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.plans
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.packs
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.credit_prices
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.claims
  for each row execute function private.refuse_change_of_published();
