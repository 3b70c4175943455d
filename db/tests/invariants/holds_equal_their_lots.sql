-- A hold is the sum of its parts, reserved and used.
select credit_holds.id, credit_holds.amount, credit_holds.captured
from public.credit_holds
left join public.hold_lots on hold_id = credit_holds.id
group by credit_holds.id
having credit_holds.amount <> coalesce(sum(hold_lots.amount), 0)
  or credit_holds.captured <> coalesce(sum(hold_lots.captured), 0)
