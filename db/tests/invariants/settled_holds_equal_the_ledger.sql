-- What a hold used is what the ledger took for it, under the key of its settlement.
select credit_holds.id, captured, coalesce(-sum(credit_ledger.amount), 0) as ledger
from public.credit_holds
left join public.credit_ledger on hold_id = credit_holds.id and credit_ledger.idempotency_key = settle_key
group by credit_holds.id
having captured <> coalesce(-sum(credit_ledger.amount), 0)
