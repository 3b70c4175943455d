-- Mail accounts whose owner signs in at Microsoft or Google (OAuth) instead of giving a password.
--
-- A sign-in begins with a row of private.mail_logins, which belongs to one session of one person and is used once.
-- functions/mail_login.py exchanges the code; private.save_mail_account keeps the account. The refresh token is in
-- private.mail_secrets, and functions/_shared/mail_logins.py refreshes it under a lease.
--
-- Error codes raised:
--   SM018  the person has another own mailbox connected

create table private.mail_logins (
  user_id uuid primary key references auth.users (id) on delete cascade,
  provider public.mail_provider not null,
  state_hash text not null,
  session_id text,
  address text,
  expires_at timestamptz not null,

  constraint state_hash_is_hexadecimal check (state_hash ~ '^[0-9a-f]{64}$')
);
comment on table private.mail_logins is 'A sign-in to a mail account that a person has begun, for ten minutes; the last one only.';
comment on column private.mail_logins.session_id is 'The session of the browser that began it: no other may end it.';
comment on column private.mail_logins.address is 'The mailbox that is connected again; null: any.';

-- No foreign keys: the token is revoked after its account, or its person, is gone.
create table private.mail_revocations (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  sealed text not null,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
comment on table private.mail_revocations is
  'Refresh tokens of Google, encrypted for user_id, that jobs/mail_revocations.py has Google revoke. Microsoft has no such address.';

create index mail_logins_expired on private.mail_logins (expires_at);

-- Used before a token of Google is revoked.
create index mail_accounts_google on public.mail_accounts (lower(username)) where provider = 'google';

create index mail_revocations_due on private.mail_revocations (due_at);

create function private.is_mail_login_expired(_user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (select from public.mail_accounts where user_id = _user_id and login_expired_at is not null)
$$;
comment on function private.is_mail_login_expired(uuid) is 'Whether mails of a person wait until the person signs in at the provider again.';
revoke all on function private.is_mail_login_expired from public, anon, authenticated, service_role;

create function private.begin_mail_login(
  _user_id uuid, _provider public.mail_provider, _state_hash text, _session_id text
)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _account public.mail_accounts;
begin
  select * into _account from public.mail_accounts where user_id = _user_id and not is_shared;
  if found and _account.provider is distinct from _provider then
    raise exception 'an own mailbox is connected' using errcode = 'SM018';
  end if;
  delete from private.mail_logins where expires_at <= now();
  insert into private.mail_logins (user_id, provider, state_hash, session_id, address, expires_at)
  values (_user_id, _provider, _state_hash, _session_id, lower(_account.username), now() + interval '10 minutes')
  on conflict (user_id) do update
    set provider = excluded.provider, state_hash = excluded.state_hash, session_id = excluded.session_id,
      address = excluded.address, expires_at = excluded.expires_at;
  return _account.username;
end
$$;
comment on function private.begin_mail_login is
  'Begins a sign-in in place of an earlier one; returns the mailbox that is connected again, null for a first one. SM018.';
revoke all on function private.begin_mail_login from public, anon, authenticated, service_role;
grant execute on function private.begin_mail_login to service_role;

create function private.take_mail_login(_user_id uuid, _state_hash text, _session_id text)
  returns table (provider text, address text, is_expired boolean, is_same_session boolean)
  language sql volatile security definer
  set search_path = ''
as $$
  delete from private.mail_logins where user_id = _user_id and state_hash = _state_hash
  returning provider::text, address, expires_at <= now(), session_id is not distinct from _session_id
$$;
comment on function private.take_mail_login(uuid, text, text) is
  'Uses up the sign-in of a person with this state; no row: it is another person''s, used, or unknown.';
revoke all on function private.take_mail_login from public, anon, authenticated, service_role;
grant execute on function private.take_mail_login to service_role;

create function private.mail_token_of(_user_id uuid)
  returns table (provider text, sealed text, access_sealed text, access_expires_at timestamptz, is_expired boolean)
  language sql stable security definer
  set search_path = ''
as $$
  select provider::text, sealed, access_sealed, access_expires_at, login_expired_at is not null
  from public.mail_accounts join private.mail_secrets on account_id = id
  where user_id = _user_id and provider is not null
$$;
comment on function private.mail_token_of(uuid) is 'The encrypted tokens of a person''s mail account with a provider.';
revoke all on function private.mail_token_of from public, anon, authenticated, service_role;
grant execute on function private.mail_token_of to service_role;

create function private.keep_mail_token(
  _user_id uuid, _former text, _sealed text, _access_sealed text, _access_expires_at timestamptz
)
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with kept as (
    update private.mail_secrets
    set sealed = _sealed, access_sealed = _access_sealed, access_expires_at = _access_expires_at
    from public.mail_accounts
    where id = account_id and user_id = _user_id and sealed = _former
    returning 1
  )
  select exists (select from kept)
$$;
comment on function private.keep_mail_token is
  'Keeps what a refresh gave, the new refresh token too; false when the account was connected again meanwhile.';
revoke all on function private.keep_mail_token from public, anon, authenticated, service_role;
grant execute on function private.keep_mail_token to service_role;

create function private.drop_mail_access(_user_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update private.mail_secrets set access_sealed = null, access_expires_at = null
  from public.mail_accounts where id = account_id and user_id = _user_id and provider is not null
$$;
comment on function private.drop_mail_access(uuid) is 'Forgets an access token that a mail server refused: the next use refreshes it.';
revoke all on function private.drop_mail_access from public, anon, authenticated, service_role;
grant execute on function private.drop_mail_access to service_role;

create function private.expire_mail_login(_user_id uuid, _sealed text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.mail_accounts
  set login_expired_at = coalesce(login_expired_at, now()), last_error = 'auth', last_error_reply = null, last_error_at = now()
  from private.mail_secrets
  where account_id = id and user_id = _user_id and provider is not null and sealed = _sealed
$$;
comment on function private.expire_mail_login(uuid, text) is
  'Records that the provider took this refresh token back; nothing if the account was connected again meanwhile.';
revoke all on function private.expire_mail_login from public, anon, authenticated, service_role;
grant execute on function private.expire_mail_login to service_role;

create function private.revoke_mail_token(_user_id uuid, _address text, _sealed text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  -- Google revokes all tokens of a mailbox at once, also that of another person of ours who uses it.
  insert into private.mail_revocations (user_id, sealed)
  select _user_id, _sealed
  where not exists (
    select from public.mail_accounts where provider = 'google' and lower(username) = lower(_address)
  )
$$;
comment on function private.revoke_mail_token is 'Has a token of Google revoked, unless its mailbox is connected.';
revoke all on function private.revoke_mail_token from public, anon, authenticated, service_role;
grant execute on function private.revoke_mail_token to service_role;

create function private.revoke_mail_login()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if old.provider = 'google' and (
    tg_op = 'DELETE' or new.provider is distinct from old.provider or lower(new.username) is distinct from lower(old.username)
  ) and not exists (
    select from public.mail_accounts
    where provider = 'google' and lower(username) = lower(old.username) and id <> old.id
  ) then
    insert into private.mail_revocations (user_id, sealed)
    select old.user_id, sealed from private.mail_secrets where account_id = old.id;
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
comment on function private.revoke_mail_login() is
  'Has the token of an account of Google revoked when it is disconnected, replaced or erased with its person.';
revoke all on function private.revoke_mail_login from public, anon, authenticated, service_role;

create function private.due_mail_revocations(_limit integer default 100)
  returns table (id uuid, user_id uuid, sealed text)
  language sql volatile security definer
  set search_path = ''
as $$
  -- Tried for a week; a token that nobody uses ends by itself in six months.
  delete from private.mail_revocations where created_at < now() - interval '7 days';
  update private.mail_revocations set due_at = now() + interval '10 minutes'
  where id in (
    select id from private.mail_revocations where due_at <= now() order by due_at limit _limit for update skip locked
  )
  returning id, user_id, sealed
$$;
comment on function private.due_mail_revocations(integer) is 'The tokens to revoke now; they are due again in ten minutes.';
revoke all on function private.due_mail_revocations from public, anon, authenticated, service_role;
grant execute on function private.due_mail_revocations to service_role;

create function private.end_mail_revocation(_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  delete from private.mail_revocations where id = _id
$$;
comment on function private.end_mail_revocation(uuid) is 'Forgets a token that is revoked.';
revoke all on function private.end_mail_revocation from public, anon, authenticated, service_role;
grant execute on function private.end_mail_revocation to service_role;

alter table private.mail_logins enable row level security;
alter table private.mail_revocations enable row level security;

revoke all on private.mail_logins from public, anon, authenticated, service_role;
revoke all on private.mail_revocations from public, anon, authenticated, service_role;

create trigger revoke_login before delete or update of provider, username on public.mail_accounts
  for each row execute function private.revoke_mail_login();
