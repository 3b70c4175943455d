-- What is held of a lot is what open holds reserve of it.
select credit_lots.id, held, coalesce(sum(hold_lots.amount) filter (where state = 'open'), 0) as reserved
from public.credit_lots
left join public.hold_lots on lot_id = credit_lots.id
left join public.credit_holds on credit_holds.id = hold_id
group by credit_lots.id
having held <> coalesce(sum(hold_lots.amount) filter (where state = 'open'), 0)
