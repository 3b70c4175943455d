-- Every taken seat brought its credits once, and nobody has them without a seat.
select seat, coalesce(seats.user_id, credit_ledger.user_id) as user_id, credit_ledger.amount
from (select * from private.early_bird_seats where user_id is not null) as seats
full join (select * from public.credit_ledger where idempotency_key = 'early-bird') as credit_ledger
  on credit_ledger.user_id = seats.user_id
where seat is null or credit_ledger.amount is distinct from private.early_bird_credits()
