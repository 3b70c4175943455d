-- A refund takes from the lots of its order only, and no more than they brought.
select credit_ledger.id, ref_id, credit_lots.order_id
from public.credit_ledger
join public.credit_lots on credit_lots.id = lot_id
where credit_ledger.kind = 'refund'
  and ((ref_type, ref_id) is distinct from ('order', order_id::text) or -credit_ledger.amount > credit_lots.amount)
