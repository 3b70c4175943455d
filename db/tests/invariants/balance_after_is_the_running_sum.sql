-- Each ledger entry knows what was owned after it.
select id, balance_after, running
from (
  select id, balance_after, sum(amount) over (partition by user_id order by id) as running from public.credit_ledger
) as statement
where balance_after <> running
