-- Early bird: 500 extra credits for the first hundred people who confirm an address.
--
-- The hundred seats are rows that exist from the start. Taking a seat locks a free row with `skip locked`: two people
-- never get the same seat, the hundred and first gets none, nobody waits, and a rollback frees the seat. The moment is
-- the first confirmation; a later change of address earns nothing.
--
-- One mailbox takes one seat: «anna+1@…», «anna+2@…» and dots in a Gmail address count as the same mailbox. The seat
-- keeps a digest of it and stays taken when the account is erased. When the accounting of that account ends
-- (18_accounting.sql), the seat only says that it is taken. Addresses under a reserved name (RFC 2606: example,
-- test, invalid, localhost) take no seat, so demo accounts leave all hundred seats free.

create table private.early_bird_seats (
  seat smallint primary key,
  -- No foreign key, as in all accounting; null while the seat is free, and again when the accounting of its account ended.
  user_id uuid unique,
  -- Null while the seat is free.
  taken_at timestamptz,
  mailbox bytea unique,

  constraint there_are_a_hundred check (seat between 1 and 100),
  constraint a_taken_seat_says_when check (taken_at is not null or (user_id is null and mailbox is null))
);
comment on table private.early_bird_seats is 'The hundred early-bird seats and who took them.';

create function private.early_bird_credits()
  returns bigint
  language sql immutable
  set search_path = ''
as 'select 500::bigint';
comment on function private.early_bird_credits() is 'How many credits an early-bird seat brings.';
revoke all on function private.early_bird_credits from public, anon, authenticated, service_role;

create function private.is_reachable(_email text)
  returns boolean
  language sql immutable
  set search_path = ''
as $$ select coalesce(lower(_email) !~ '[@.](example|test|invalid|localhost|example\.(com|net|org))\.?$', false) $$;
comment on function private.is_reachable(text) is 'Whether mail to an address can reach anybody: not under a reserved name.';
revoke all on function private.is_reachable from public, anon, authenticated, service_role;

-- Security definer: everybody may know how many seats are taken, but not by which users.
create function public.early_bird_seats()
  returns integer
  language sql stable security definer
  set search_path = ''
as 'select count(taken_at)::integer from private.early_bird_seats';
comment on function public.early_bird_seats() is 'How many of the hundred early-bird seats are taken.';
revoke all on function public.early_bird_seats from public, anon, authenticated, service_role;
grant execute on function public.early_bird_seats to anon, authenticated, service_role;

create function private.mailbox(_email text)
  returns bytea
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select sha256(convert_to(
    case when host in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com' else name || '@' || host end, 'UTF8'
  ))
  from (select split_part(split_part(lower(_email), '@', 1), '+', 1) as name, split_part(lower(_email), '@', 2) as host) as parts
$$;
comment on function private.mailbox(text) is
  'A digest of where mail to an address arrives: without what follows a plus sign, for Gmail without dots.';
revoke all on function private.mailbox from public, anon, authenticated, service_role;

create function private.take_early_bird_seat(_user_id uuid, _email text)
  returns boolean
  language plpgsql
  set search_path = ''
as $$
begin
  -- Two confirmations of one mailbox at once: the second waits, and sees the first.
  perform pg_advisory_xact_lock(hashtextextended('early bird ' || encode(private.mailbox(_email), 'hex'), 0));
  update private.early_bird_seats set user_id = _user_id, taken_at = now(), mailbox = private.mailbox(_email)
  where seat = (
    select seat from private.early_bird_seats where taken_at is null order by seat limit 1 for update skip locked
  ) and not exists (
    select from private.early_bird_seats where user_id = _user_id or mailbox = private.mailbox(_email)
  );
  if found then
    perform private.grant_credits(_user_id, private.early_bird_credits(), 'bonus', 'promo', 'early-bird');
  end if;
  return found;
end
$$;
comment on function private.take_early_bird_seat(uuid, text) is
  'Gives the account a free early-bird seat and its credits; false when none is left, or its person has one already.';
revoke all on function private.take_early_bird_seat from public, anon, authenticated, service_role;

alter table private.early_bird_seats enable row level security;

revoke all on private.early_bird_seats from public, anon, authenticated, service_role;
grant select on private.early_bird_seats to service_role;
