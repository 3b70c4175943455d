-- What a lot still owns, spendable and held, is the sum of its entries.
select credit_lots.id, remaining, held, coalesce(sum(credit_ledger.amount), 0) as ledger
from public.credit_lots
left join public.credit_ledger on lot_id = credit_lots.id
group by credit_lots.id
having remaining + held <> coalesce(sum(credit_ledger.amount), 0)
