-- An order is disputed while one of its disputes is open, lost or prevented.
select order_id, disputed_at, dispute_won_at, dispute_lost_at, array_agg(status) as disputes
from private.order_disputes
join public.credit_orders on credit_orders.id = order_id
group by order_id, disputed_at, dispute_won_at, dispute_lost_at
having disputed_at is null
  or (dispute_won_at is null) <> bool_or(status not in ('won', 'warning_closed'))
  or (dispute_lost_at is null) = bool_or(status = 'lost')
