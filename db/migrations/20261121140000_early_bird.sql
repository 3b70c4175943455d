-- Early bird: the settings that the public pages read, and the waiting list for when the offer has ended.
--
-- The waiting list holds addresses of people who are no users, so no browser reaches it: the function
-- join_waiting_list does, and a link in a mail proves that the address is its owner's.

create table public.site_settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now(),

  constraint keys_are_dotted_slugs check (key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'),
  constraint simulated_scarcity_is_a_switch check (
    key <> 'marketing.simulated_scarcity' or jsonb_typeof(value) = 'boolean'
  )
);
comment on table public.site_settings is 'Switches of the public pages; what begins with marketing. is for everybody to read.';

insert into public.site_settings (key, value)
-- On: seats of the early bird by the formula of the countdown. Off: those really taken, public.early_bird_seats().
values ('marketing.simulated_scarcity', 'true');

create table public.waiting_list (
  -- Lower case: one entry for one person.
  email text primary key,
  consent_at timestamptz not null,
  -- Which words were agreed to.
  consent_version text not null,
  -- SHA-256 of the token in the newest mail; the token itself is in the mail only.
  token_hash bytea not null unique,
  mailed_at timestamptz not null,
  confirmed_at timestamptz,

  constraint email_is_lower_case_and_plausible check (
    email = lower(email) and char_length(email) <= 254 and email ~ '^[^@[:space:][:cntrl:]]+@[^@[:space:][:cntrl:]]+$'
  ),
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32),
  constraint consent_version_is_named check (consent_version ~ '^[a-z0-9][a-z0-9.-]{0,31}$')
);
comment on table public.waiting_list is
  'Who wants to hear of the next offer: a week unconfirmed, 24 months from the confirmation, or until the person leaves.';

-- Kept apart from the list, so that a request says nothing about who is on it.
create table private.waiting_list_requests (
  id bigint generated always as identity primary key,
  caller text not null,
  requested_at timestamptz not null,

  -- A keyed digest that changes daily; an address itself never fits.
  constraint caller_is_a_digest check (caller ~ '^[0-9a-f]{32}$')
);
comment on table private.waiting_list_requests is 'How often somebody asked to join, by the digest of their address; kept for an hour.';

create index waiting_list_requests_of_a_caller on private.waiting_list_requests (caller, requested_at);

alter table public.site_settings enable row level security;
alter table public.waiting_list enable row level security;
alter table private.waiting_list_requests enable row level security;

create policy "everybody reads the settings of the public pages" on public.site_settings
  for select to anon, authenticated
  using (starts_with(key, 'marketing.'));

revoke all on public.site_settings, public.waiting_list, private.waiting_list_requests
  from public, anon, authenticated, service_role;
grant select on public.site_settings to anon, authenticated;
grant select, insert, update, delete on public.site_settings, public.waiting_list to service_role;
grant select, insert, delete on private.waiting_list_requests to service_role;
