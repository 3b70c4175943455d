-- A fulfilled order has brought exactly its credits and its bonus, any other order nothing.
select credit_orders.id, state, credits, bonus, bought.amount as bought, given.amount as given
from public.credit_orders
left join public.credit_lots as bought on bought.order_id = credit_orders.id and bought.kind = 'acquisto'
left join public.credit_lots as given on given.order_id = credit_orders.id and given.kind = 'bonus'
where array[coalesce(bought.amount, 0), coalesce(given.amount, 0), coalesce(bought.paid_cents, 0)]
  <> case when fulfilled_at is null then array[0, 0, 0]::bigint[] else array[credits, bonus, amount_cents] end
