-- A lot comes from exactly one grant of the same amount.
select credit_lots.id, credit_lots.amount, count(credit_ledger.id) as grants
from public.credit_lots
left join public.credit_ledger
  on lot_id = credit_lots.id and credit_ledger.kind = 'grant' and credit_ledger.amount = credit_lots.amount
group by credit_lots.id
having count(credit_ledger.id) <> 1
