-- Sign-up: profile, empty wallet and welcome notification are made with the account.
--
-- The welcome credits come with the first confirmed address. An unconfirmed account cannot sign in, so its owner sees
-- no difference, and invented addresses earn nothing. They are granted once, whatever is confirmed later, and once for
-- each mailbox, as the early bird's seats are: «anna+1@…» is «anna@…». A digest of the mailbox outlives the account, so
-- that erasing it and signing up again earns nothing either.

create function private.welcome_credits()
  returns bigint
  language sql immutable
  set search_path = ''
as 'select 100::bigint';
comment on function private.welcome_credits() is 'How many credits a new account receives.';
revoke all on function private.welcome_credits from public, anon, authenticated, service_role;

create function private.welcome_message()
  returns text
  language sql immutable
  set search_path = ''
as $$ select format('Ti abbiamo riservato %s crediti per cominciare: usali quando vuoi.', private.welcome_credits()) $$;
comment on function private.welcome_message() is 'The text of the welcome notification, before anything is known of the account.';
revoke all on function private.welcome_message from public, anon, authenticated, service_role;

create table private.welcomed_mailboxes (
  mailbox bytea primary key,
  welcomed_at timestamptz not null default now()
);
comment on table private.welcomed_mailboxes is 'Digests of the mailboxes whose owners received the welcome credits.';

alter table private.welcomed_mailboxes enable row level security;
revoke all on private.welcomed_mailboxes from public, anon, authenticated, service_role;

-- The client of the sign-up chooses the metadata, so any value is possible. A name that is not a string counts as
-- missing, and a long name is cut.
create function private.full_name(_metadata jsonb)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select nullif(btrim(left(btrim(regexp_replace(_metadata ->> 'full_name', '[[:cntrl:][:space:]]+', ' ', 'g')), 120)), '')
  where jsonb_typeof(_metadata -> 'full_name') = 'string'
$$;
comment on function private.full_name(jsonb) is 'The name in sign-up metadata, fit for profiles.full_name, or null.';
revoke all on function private.full_name from public, anon, authenticated, service_role;

create function private.open_account(_user_id uuid, _metadata jsonb)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  insert into public.credit_wallets (user_id) values (_user_id) on conflict do nothing;
  insert into public.credit_settings (user_id) values (_user_id) on conflict do nothing;
  insert into public.profiles (user_id, full_name) values (_user_id, private.full_name(_metadata)) on conflict do nothing;
  if found then
    perform private.notify(
      _user_id, 'benvenuto', 'Ti diamo il benvenuto in Socio', private.welcome_message(), null, 'benvenuto'
    );
  end if;
end
$$;
comment on function private.open_account(uuid, jsonb) is
  'Gives an account its profile, wallet, settings and welcome; again changes nothing.';
revoke all on function private.open_account from public, anon, authenticated, service_role;

-- Security definer because the auth service, which writes auth.users, has no right on the product's tables.
create function private.welcome_user()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if private.is_probe(new.id) then
    return null;
  end if;
  perform private.open_account(new.id, new.raw_user_meta_data);
  if new.email_confirmed_at is not null or new.phone_confirmed_at is not null then
    perform private.welcome_account(new.id, case when new.email_confirmed_at is not null then new.email end);
  end if;
  return null;
end
$$;
comment on function private.welcome_user() is 'Opens the account on sign-up and grants the welcome credits on confirmation.';
revoke all on function private.welcome_user from public, anon, authenticated, service_role;

-- Called when an address is confirmed. A second call changes nothing.
create function private.welcome_account(_user_id uuid, _email text)
  returns void
  language plpgsql
  set search_path = ''
as $$
declare
  _message text := 'I crediti di benvenuto spettano una volta a ogni casella email: questa li ha già avuti con un altro account.';
begin
  -- The lock: two confirmations at once welcome once.
  perform private.lock_wallet(_user_id);
  if exists (select from public.credit_ledger where user_id = _user_id and idempotency_key = 'welcome') then
    return;
  end if;
  -- Of two confirmations of one mailbox at once the second waits here, and finds it.
  insert into private.welcomed_mailboxes (mailbox) select private.mailbox(_email) where private.is_reachable(_email)
  on conflict do nothing;
  if found or not private.is_reachable(_email) then
    perform private.grant_credits(_user_id, private.welcome_credits(), 'benvenuto', 'promo', 'welcome');
    _message := private.welcome_message();
    if private.is_reachable(_email) and private.take_early_bird_seat(_user_id, _email) then
      _message := format(
        'Ti abbiamo riservato %s crediti per cominciare: %s di benvenuto e altri %s perché sei tra i primi 100. Usali quando vuoi.',
        private.welcome_credits() + private.early_bird_credits(), private.welcome_credits(), private.early_bird_credits()
      );
    end if;
  end if;
  update public.notifications set message = _message
  where user_id = _user_id and kind = 'benvenuto' and message <> _message;
end
$$;
comment on function private.welcome_account(uuid, text) is
  'Grants the welcome credits of a confirmed account, and the early bird''s while seats are free; once, and once for each mailbox.';
revoke all on function private.welcome_account from public, anon, authenticated, service_role;

create trigger welcome_user
  after insert or update of email_confirmed_at, phone_confirmed_at on auth.users
  for each row execute function private.welcome_user();

-- Whose mailbox had been welcomed before may move to one that has not.
create trigger welcome_other_mailbox
  after update of email on auth.users
  for each row execute function private.welcome_user();
