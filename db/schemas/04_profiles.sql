-- Profiles: one row per account, made by the sign-up trigger and filled in by onboarding.

create table public.profiles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  full_name public.single_line,
  avatar_url text,
  onboarding_completed boolean not null default false,
  -- How many of the four onboarding steps the user has completed; the page resumes there.
  onboarding_step smallint not null default 0,
  business_name public.single_line,
  activity public.single_line,
  tax_regime public.tax_regime,
  goal text,
  -- The user's tax identifiers. They show whether the user issued or received an invoice.
  vat_number text,
  tax_code text,
  -- The rest of what the business is on paper. Columns of this table, not a table beside it: each is one value of one
  -- person, read and changed with the others and under the same rights.
  ateco text,
  iban text,
  -- In whose name the account is, where that is neither the business nor the person.
  account_holder public.single_line,
  pec text,
  sdi_code text,
  -- {street, postal_code, city, province}, as contacts.address.
  address jsonb,
  business_phone text,
  -- A picture of the bucket avatars, as avatar_url.
  logo_url text,
  -- When the person works, on the clock in Italy: 1 is Monday.
  work_days smallint[] not null default '{1,2,3,4,5}',
  work_from time not null default '09:00',
  work_to time not null default '18:00',
  created_at timestamptz not null default now(),
  -- Set while the account waits for its deletion (63_account_deletion.sql): the client shows nothing else then, and
  -- this is the first row that it reads.
  deletion_due_at timestamptz,
  -- Set while the processing of the person's data is limited (64_processing_limits.sql).
  limited_since timestamptz,

  constraint full_name_fits check (char_length(full_name) <= 120),
  constraint business_name_fits check (char_length(business_name) <= 120),
  -- Used as an image source, so only a web address or a path of this site is allowed, never script or inline data.
  constraint avatar_url_is_an_address check (
    avatar_url ~ '^(https?://|/[^/])' and avatar_url !~ '[[:cntrl:][:space:]"''<>\\]' and char_length(avatar_url) <= 1000
  ),
  constraint logo_url_is_an_address check (
    logo_url ~ '^/[^/]' and logo_url !~ '[[:cntrl:][:space:]"''<>\\]' and char_length(logo_url) <= 1000
  ),
  constraint onboarding_has_four_steps check (onboarding_step between 0 and 4),
  constraint vat_number_is_one check (private.is_vat_number(vat_number)),
  constraint tax_code_is_one check (private.is_tax_code(tax_code) or private.is_vat_number(tax_code)),
  constraint ateco_is_one check (private.is_ateco(ateco)),
  constraint iban_is_one check (private.is_iban(iban)),
  constraint account_holder_fits check (char_length(account_holder) <= 120),
  constraint pec_is_an_address check (private.is_email(pec) and pec = lower(pec) and char_length(pec) <= 200),
  -- Six characters: the code of an office of the public administration.
  constraint sdi_code_is_one check (private.is_sdi_code(sdi_code) or sdi_code ~ '^[A-Z0-9]{6}$'),
  constraint address_has_known_parts check (
    jsonb_typeof(address) = 'object' and char_length(address::text) <= 1000 and address <> '{}'
    and address - array['street', 'postal_code', 'city', 'province'] = '{}'
    and not jsonb_path_exists(address, '$.* ? (@.type() != "string")')
  ),
  constraint address_is_italian check (
    coalesce(address ->> 'postal_code' ~ '^[0-9]{5}$', true) and coalesce(address ->> 'province' ~ '^[A-Z]{2}$', true)
  ),
  constraint business_phone_is_one check (business_phone ~ '^[+][1-9][0-9]{5,14}$'),
  constraint work_days_are_days check (
    cardinality(work_days) > 0 and cardinality(work_days) < 8 and array_position(work_days, null) is null
    and work_days <@ '{1,2,3,4,5,6,7}'::smallint[]
  ),
  constraint work_ends_after_it_began check (work_from < work_to),
  constraint goal_fits check (char_length(goal) between 1 and 500)
);
comment on table public.profiles is 'What a user says about themselves and their business; one row per account.';

alter table public.profiles enable row level security;

create policy "owners read their profile" on public.profiles
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their profile" on public.profiles
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

revoke all on public.profiles from public, anon, authenticated, service_role;
grant select on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;
grant update (
  full_name, avatar_url, onboarding_completed, onboarding_step, business_name, activity, tax_regime, goal,
  vat_number, tax_code, ateco, iban, account_holder, pec, sdi_code, address, business_phone, logo_url,
  work_days, work_from, work_to
) on public.profiles to authenticated;
