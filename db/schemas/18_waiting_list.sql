-- Waiting list for when the early-bird offer has ended.
--
-- It holds addresses of people without an account, so no browser can reach it: the function join_waiting_list does, and
-- a link in a mail proves that the address belongs to the person.

create table public.waiting_list (
  -- Lower case, so that a person has one entry.
  email text primary key,
  consent_at timestamptz not null,
  -- The version of the text that the person agreed to.
  consent_version text not null,
  -- SHA-256 of the token in the newest mail; the token itself is only in the mail.
  token_hash bytea not null unique,
  -- Digests of the tokens in earlier mails. Anybody may ask for a new mail, so the links of all mails must work.
  earlier_token_hashes bytea[] not null default '{}',
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
comment on column public.waiting_list.earlier_token_hashes is
  'SHA-256 of the tokens in the mails before: they confirm nothing any more, but lead out of the list.';

-- A table of its own, so that a request does not reveal which addresses are on the list.
create table private.waiting_list_requests (
  id bigint generated always as identity primary key,
  caller text not null,
  requested_at timestamptz not null,

  -- A keyed digest that changes daily; an address never fits.
  constraint caller_is_a_digest check (caller ~ '^[0-9a-f]{32}$')
);
comment on table private.waiting_list_requests is 'How often somebody asked to join, by the digest of their address; kept for an hour.';

create table private.waiting_list_left (
  token_hash bytea primary key,
  left_at timestamptz not null,

  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
comment on table private.waiting_list_left is
  'Tokens whose address has left, and no address: whoever presses again hears the same; kept for a week.';

create index waiting_list_earlier on public.waiting_list using gin (earlier_token_hashes);

create index waiting_list_requests_of_a_caller on private.waiting_list_requests (caller, requested_at);

alter table public.waiting_list enable row level security;
alter table private.waiting_list_requests enable row level security;
alter table private.waiting_list_left enable row level security;

revoke all on public.waiting_list from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.waiting_list to service_role;

revoke all on private.waiting_list_requests from public, anon, authenticated, service_role;
grant select, insert, delete on private.waiting_list_requests to service_role;

revoke all on private.waiting_list_left from public, anon, authenticated, service_role;
grant select, insert, delete on private.waiting_list_left to service_role;
