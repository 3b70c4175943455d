-- A seat of the early bird is a person's: «anna+1@…», «anna+2@…» and dots in a Gmail address are one mailbox. A digest of it
-- stays with the seat, as the seat stays taken when its account is erased.

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
revoke all on function private.mailbox(text) from public, anon, authenticated, service_role;

alter table private.early_bird_seats add column mailbox bytea unique;
update private.early_bird_seats set mailbox = first.mailbox
from (
  select distinct on (private.mailbox(email)) private.mailbox(email) as mailbox, seat
  from private.early_bird_seats join auth.users on users.id = user_id where email <> ''
  order by private.mailbox(email), seat
) as first
where early_bird_seats.seat = first.seat;

drop function private.take_early_bird_seat(uuid);
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
    select seat from private.early_bird_seats where user_id is null order by seat limit 1 for update skip locked
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
revoke all on function private.take_early_bird_seat(uuid, text) from public, anon, authenticated, service_role;

create or replace function private.welcome_account(_user_id uuid, _email text)
  returns void
  language plpgsql
  set search_path = ''
as $$
begin
  -- The lock: two confirmations at once welcome once.
  perform private.lock_wallet(_user_id);
  if exists (select from public.credit_ledger where user_id = _user_id and idempotency_key = 'welcome') then
    return;
  end if;
  perform private.grant_credits(_user_id, private.welcome_credits(), 'benvenuto', 'promo', 'welcome');
  if private.is_reachable(_email) and private.take_early_bird_seat(_user_id, _email) then
    update public.notifications
    set message = format(
      'Ti abbiamo riservato %s crediti per cominciare: %s di benvenuto e altri %s perché sei tra i primi 100. Usali quando vuoi.',
      private.welcome_credits() + private.early_bird_credits(), private.welcome_credits(), private.early_bird_credits()
    )
    where user_id = _user_id and title = 'Ti diamo il benvenuto in Socio';
  end if;
end
$$;
