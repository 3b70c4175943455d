-- An answer that ended holds no credits, and says what was taken for it.
select runs.id, credit_holds.state, captured, cost
from public.runs
join public.credit_holds on credit_holds.user_id = runs.user_id and idempotency_key = 'chat:' || message_id
left join public.messages on messages.id = message_id
where runs.state <> 'running' and (credit_holds.state = 'open' or cost is distinct from coalesce(captured, 0))
