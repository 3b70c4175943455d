-- No work is charged without a settled hold, and none twice.
select credit_ledger.id, hold_id, credit_holds.state
from public.credit_ledger
left join public.credit_holds on credit_holds.id = hold_id
where credit_ledger.kind = 'settle'
  and (credit_holds.state is distinct from 'settled' or credit_ledger.idempotency_key <> settle_key)
