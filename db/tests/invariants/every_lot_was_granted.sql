-- A lot comes from exactly one entry of the same amount: a grant, or an admin's adjustment.
select credit_lots.id, credit_lots.amount, count(credit_ledger.id) as grants
from public.credit_lots
left join public.credit_ledger
  on lot_id = credit_lots.id and credit_ledger.amount = credit_lots.amount and credit_ledger.kind in ('grant', 'adjust')
group by credit_lots.id
having count(credit_ledger.id) <> 1
