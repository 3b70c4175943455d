-- Calendar feed: an address with a secret, which calendar programs read without signing in (functions/calendar.py).
--
-- Only the digest of the secret is kept, so reading the database reveals no feed. The secret is shown once, when it is
-- made.

create table private.calendar_feeds (
  user_id uuid primary key references auth.users (id) on delete cascade,
  -- SHA-256 of the secret, which has 244 random bits.
  secret_hash bytea not null unique,
  created_at timestamptz not null default now(),

  constraint secret_hash_is_sha_256 check (octet_length(secret_hash) = 32)
);
comment on table private.calendar_feeds is 'Who has a calendar feed, and the digest of its secret.';

-- Security definer, like the other functions, because clients may not read the table.
create function public.renew_calendar_secret()
  returns text
  language sql volatile security definer
  set search_path = ''
as $$
  with fresh as (
    select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') as secret
  ), kept as (
    insert into private.calendar_feeds (user_id, secret_hash)
      select (select auth.uid()), sha256(convert_to(secret, 'UTF8')) from fresh
      on conflict (user_id) do update set secret_hash = excluded.secret_hash, created_at = now()
      returning user_id
  )
  select secret from fresh, kept
$$;
comment on function public.renew_calendar_secret() is
  'A new secret for the caller''s calendar feed, to be shown once; the one before it opens nothing any more.';
revoke all on function public.renew_calendar_secret from public, anon, authenticated, service_role;
grant execute on function public.renew_calendar_secret to authenticated;

create function public.calendar_secret()
  returns text
  language sql volatile security definer
  set search_path = ''
as $$
  with fresh as (
    select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') as secret
  ), kept as (
    insert into private.calendar_feeds (user_id, secret_hash)
      select (select auth.uid()), sha256(convert_to(secret, 'UTF8')) from fresh
      on conflict (user_id) do nothing
      returning user_id
  )
  select secret from fresh, kept
$$;
comment on function public.calendar_secret() is
  'Opens the caller''s calendar feed and answers its secret; null when it is open already: the secret was shown then.';
revoke all on function public.calendar_secret from public, anon, authenticated, service_role;
grant execute on function public.calendar_secret to authenticated;

create function public.revoke_calendar_secret()
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with closed as (
    delete from private.calendar_feeds where user_id = (select auth.uid()) returning user_id
  )
  select exists (select from closed)
$$;
comment on function public.revoke_calendar_secret() is 'Closes the caller''s calendar feed; false when there was none.';
revoke all on function public.revoke_calendar_secret from public, anon, authenticated, service_role;
grant execute on function public.revoke_calendar_secret to authenticated;

-- Security definer because the caller may not read auth.users, the table of the auth service.
create function private.calendar_feed_owner(_secret_hash bytea)
  returns uuid
  language sql stable security definer
  set search_path = ''
as $$
  select user_id from private.calendar_feeds join auth.users on users.id = calendar_feeds.user_id
  where secret_hash = _secret_hash and users.deleted_at is null
    and (users.banned_until is null or users.banned_until <= now()) and not private.is_frozen(user_id)
$$;
comment on function private.calendar_feed_owner(bytea) is
  'Whose calendar feed the secret of this digest opens; null when nobody''s, or when the account is banned, frozen or deleted.';
revoke all on function private.calendar_feed_owner from public, anon, authenticated, service_role;
grant execute on function private.calendar_feed_owner to service_role;

alter table private.calendar_feeds enable row level security;

revoke all on private.calendar_feeds from public, anon, authenticated, service_role;
grant select on private.calendar_feeds to service_role;
