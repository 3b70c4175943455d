-- The address to which a person forwards or copies (Bcc) mails, `u+<token>@<domain>`: no permission on a mailbox is needed.
--
-- The token is 160 random bits. The database has its digest, by which a mail finds its person, and the token encrypted by
-- Context.seal, so that its owner can copy the address again. A new token replaces the former one, which stops at once.
-- functions/mail_address.py makes it, functions/inbound_mail.py receives.

create type public.mail_refusal as enum ('too_large', 'too_many', 'frozen');

create table public.mail_addresses (
  user_id uuid primary key references auth.users (id) on delete cascade,
  received integer not null default 0,
  refused integer not null default 0,
  last_received_at timestamptz,
  last_refused_at timestamptz,
  last_refusal public.mail_refusal,
  renewed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),

  constraint mails_are_counted check (received >= 0 and refused >= 0),
  constraint a_refusal_has_its_time check ((last_refusal is null) = (last_refused_at is null))
);
comment on table public.mail_addresses is
  'Who has an address for forwarded mails, and what came there; the address itself is in private.mail_address_tokens.';
comment on column public.mail_addresses.refused is 'Mails to the valid address that were refused; those to a former one are nobody''s.';
comment on column public.mail_addresses.renewed_at is 'When the present address was made.';

create table private.mail_address_tokens (
  user_id uuid primary key references public.mail_addresses (user_id) on delete cascade,
  token_hash bytea not null unique,
  sealed text not null,
  hour timestamptz not null default '-infinity',
  in_hour integer not null default 0,

  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
comment on table private.mail_address_tokens is
  'Digest of each address''s token, the token encrypted, and how many mails came in the present hour; no API role reads it.';

create function private.save_mail_address(_user_id uuid, _token_hash bytea, _sealed text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  insert into public.mail_addresses (user_id) values (_user_id)
  on conflict (user_id) do update set renewed_at = now();
  insert into private.mail_address_tokens (user_id, token_hash, sealed) values (_user_id, _token_hash, _sealed)
  on conflict (user_id) do update set token_hash = excluded.token_hash, sealed = excluded.sealed
$$;
comment on function private.save_mail_address is 'Gives a person an address, or another one: the former stops at once.';
revoke all on function private.save_mail_address from public, anon, authenticated, service_role;
grant execute on function private.save_mail_address to service_role;

create function private.sealed_mail_address(_user_id uuid)
  returns text
  language sql stable security definer
  set search_path = ''
as $$
  select sealed from private.mail_address_tokens where user_id = _user_id
$$;
comment on function private.sealed_mail_address(uuid) is 'The encrypted token of a person''s address; null without one.';
revoke all on function private.sealed_mail_address from public, anon, authenticated, service_role;
grant execute on function private.sealed_mail_address to service_role;

-- Security definer because service_role may not read auth.users, the table of the auth service.
create function private.mail_address_owner(_token_hash bytea)
  returns table (user_id uuid, is_open boolean)
  language sql stable security definer
  set search_path = ''
as $$
  select tokens.user_id, (users.banned_until is null or users.banned_until <= now()) and not private.is_frozen(tokens.user_id)
  from private.mail_address_tokens as tokens join auth.users on users.id = tokens.user_id
  where token_hash = _token_hash and users.deleted_at is null
$$;
comment on function private.mail_address_owner(bytea) is
  'Whose address has the token of this digest, and whether it takes mail: not while the account is banned or frozen.';
revoke all on function private.mail_address_owner from public, anon, authenticated, service_role;
grant execute on function private.mail_address_owner to service_role;

create function private.take_mail_turn(_user_id uuid, _most integer)
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  update private.mail_address_tokens
  set hour = date_trunc('hour', now()),
    in_hour = case when hour = date_trunc('hour', now()) then least(in_hour, _most) else 0 end + 1
  where user_id = _user_id
  returning in_hour <= _most
$$;
comment on function private.take_mail_turn is 'Counts one more mail in this hour; false beyond `_most`, null without an address.';
revoke all on function private.take_mail_turn from public, anon, authenticated, service_role;
grant execute on function private.take_mail_turn to service_role;

create function private.note_mail_address(_user_id uuid, _refusal public.mail_refusal)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.mail_addresses
  set received = received + (_refusal is null)::integer, refused = refused + (_refusal is not null)::integer,
    last_received_at = case when _refusal is null then now() else last_received_at end,
    last_refused_at = case when _refusal is null then last_refused_at else now() end,
    last_refusal = coalesce(_refusal, last_refusal)
  where user_id = _user_id
$$;
comment on function private.note_mail_address is 'Records that a mail came to a person''s address, or why it was refused.';
revoke all on function private.note_mail_address from public, anon, authenticated, service_role;
grant execute on function private.note_mail_address to service_role;

-- Security definer because service_role may not read auth.users.
create function private.own_mail_addresses(_user_id uuid)
  returns text[]
  language sql stable security definer
  set search_path = ''
as $$
  select array(
    select lower(email) from auth.users where id = _user_id and email_confirmed_at is not null
    -- The shared sender is everybody's.
    union select lower(from_address) from public.mail_accounts where user_id = _user_id and not is_shared
    union select lower(username) from public.mail_accounts where user_id = _user_id and strpos(username, '@') > 1
    order by 1
  )
$$;
comment on function private.own_mail_addresses(uuid) is 'The addresses a person writes from: of the login and of the connected mailbox.';
revoke all on function private.own_mail_addresses from public, anon, authenticated, service_role;
grant execute on function private.own_mail_addresses to service_role;

alter table public.mail_addresses enable row level security;
alter table private.mail_address_tokens enable row level security;

create policy "owners read their mail address" on public.mail_addresses
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners close their mail address" on public.mail_addresses
  for delete to authenticated using (user_id = (select auth.uid()));

revoke all on private.mail_address_tokens from public, anon, authenticated, service_role;

revoke all on public.mail_addresses from public, anon, authenticated, service_role;
grant select, delete on public.mail_addresses to authenticated;
grant select on public.mail_addresses to service_role;
