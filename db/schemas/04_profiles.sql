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
  constraint onboarding_has_four_steps check (onboarding_step between 0 and 4),
  constraint vat_number_is_one check (private.is_vat_number(vat_number)),
  constraint tax_code_is_one check (private.is_tax_code(tax_code) or private.is_vat_number(tax_code)),
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
  vat_number, tax_code
) on public.profiles to authenticated;
