-- Of an order that is refunded or disputed nothing can be spent, unless an event still waits for what work held.
select credit_orders.id, credit_orders.state, kind, remaining
from public.credit_orders
join public.credit_lots on credit_lots.order_id = credit_orders.id
where credit_orders.state in ('refunded', 'disputed') and remaining > 0
  and not exists (
    select from public.payment_events where payment_events.order_id = credit_orders.id and handled_at is null
  )
