-- Early bird: 500 credits more for the first hundred people who confirm an address.
--
-- The hundred seats are rows that exist from the start. A seat is taken by locking a free row that nobody else has
-- locked: no two get the same one, a hundred and first finds none, and nobody waits; what is rolled back is free again.
-- The moment is the first confirmation, when the welcome is granted; a later change of address earns nothing.
--
-- An address under a reserved name (RFC 2606: example, test, invalid, localhost) can reach nobody, so it takes no seat:
-- the demo accounts leave a real installation its hundred.

create table private.early_bird_seats (
  seat smallint primary key,
  -- Without a reference, as all accounting; null while the seat is free.
  user_id uuid unique,
  taken_at timestamptz,

  constraint there_are_a_hundred check (seat between 1 and 100),
  constraint a_taken_seat_says_when check ((user_id is null) = (taken_at is null))
);
comment on table private.early_bird_seats is 'The hundred early-bird seats and who took them.';

insert into private.early_bird_seats (seat) select generate_series(1, 100);

alter table private.early_bird_seats enable row level security;

create function private.early_bird_credits()
  returns bigint
  language sql immutable
  set search_path = ''
as 'select 500::bigint';
comment on function private.early_bird_credits() is 'How many credits an early-bird seat brings.';

create function private.is_reachable(_email text)
  returns boolean
  language sql immutable
  set search_path = ''
as $$ select coalesce(lower(_email) !~ '[@.](example|test|invalid|localhost|example\.(com|net|org))\.?$', false) $$;
comment on function private.is_reachable(text) is 'Whether mail to an address can reach anybody: not under a reserved name.';

create function private.take_early_bird_seat(_user_id uuid)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
begin
  update private.early_bird_seats set user_id = _user_id, taken_at = now()
  where seat = (
    select seat from private.early_bird_seats where user_id is null order by seat limit 1 for update skip locked
  ) and not exists (select from private.early_bird_seats where user_id = _user_id);
  if found then
    perform private.grant_credits(_user_id, private.early_bird_credits(), 'bonus', 'promo', 'early-bird');
  end if;
  return found;
end
$$;
comment on function private.take_early_bird_seat(uuid) is
  'Gives an account a seat and its credits; false when it has one or none is free.';

-- Called once an address is confirmed; again changes nothing.
create function private.welcome_account(_user_id uuid, _email text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  -- The lock: two confirmations at once welcome once.
  perform private.lock_wallet(_user_id);
  if exists (select from public.credit_ledger where user_id = _user_id and idempotency_key = 'welcome') then
    return;
  end if;
  perform private.grant_credits(_user_id, private.welcome_credits(), 'benvenuto', 'promo', 'welcome');
  if private.is_reachable(_email) and private.take_early_bird_seat(_user_id) then
    update public.notifications
    set message = format(
      'Ti abbiamo riservato %s crediti per cominciare: %s di benvenuto e altri %s perché sei tra i primi 100. Usali quando vuoi.',
      private.welcome_credits() + private.early_bird_credits(), private.welcome_credits(), private.early_bird_credits()
    )
    where user_id = _user_id and title = 'Ti diamo il benvenuto in Socio';
  end if;
end
$$;
comment on function private.welcome_account(uuid, text) is
  'Grants the welcome credits of a confirmed account, and the early bird''s while seats are free; once.';

create or replace function private.open_account(_user_id uuid, _metadata jsonb)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  insert into public.credit_wallets (user_id) values (_user_id) on conflict do nothing;
  insert into public.credit_settings (user_id) values (_user_id) on conflict do nothing;
  insert into public.profiles (user_id, full_name) values (_user_id, private.full_name(_metadata)) on conflict do nothing;
  if found then
    insert into public.notifications (user_id, title, message, type, action_url) values (
      _user_id,
      'Ti diamo il benvenuto in Socio',
      format('Ti abbiamo riservato %s crediti per cominciare: usali quando vuoi.', private.welcome_credits()),
      'success',
      '/store'
    );
  end if;
end
$$;
comment on function private.open_account(uuid, jsonb) is
  'Gives an account its profile, wallet, settings and welcome; again changes nothing.';

create or replace function private.welcome_user()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.open_account(new.id, new.raw_user_meta_data);
  if new.email_confirmed_at is not null or new.phone_confirmed_at is not null then
    perform private.welcome_account(new.id, case when new.email_confirmed_at is not null then new.email end);
  end if;
  return null;
end
$$;

-- Definer: anybody may know how many seats are taken, nobody by whom.
create function public.early_bird_seats()
  returns integer
  language sql stable security definer
  set search_path = ''
as 'select count(user_id)::integer from private.early_bird_seats';
comment on function public.early_bird_seats() is 'How many of the hundred early-bird seats are taken.';

revoke all on private.early_bird_seats from public, anon, authenticated, service_role;
grant select on private.early_bird_seats to service_role;

revoke all on function
  private.early_bird_credits, private.is_reachable, private.take_early_bird_seat, private.welcome_account
  from public, anon, authenticated, service_role;
revoke all on function public.early_bird_seats() from public, anon, authenticated, service_role;
grant execute on function public.early_bird_seats() to anon, authenticated, service_role;

-- Who confirmed an address before there were seats was here first.
do $$
declare
  _early record;
begin
  for _early in
    select id from auth.users where email_confirmed_at is not null and private.is_reachable(email)
    order by email_confirmed_at, id limit 100
  loop
    perform private.take_early_bird_seat(_early.id);
  end loop;
end
$$;
