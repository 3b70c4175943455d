-- Refunds take from the lots of their order only, no more than they brought, and give back no more than they took.
select lot_id, credit_lots.order_id, array_agg(ref_id) as references, -sum(credit_ledger.amount) as taken
from public.credit_ledger
join public.credit_lots on credit_lots.id = lot_id
where credit_ledger.kind = 'refund'
group by lot_id, credit_lots.id
having bool_or((ref_type, ref_id) is distinct from ('order', order_id::text))
  or -sum(credit_ledger.amount) not between 0 and credit_lots.amount
