-- What a wallet counts as used in its month is what its ledger settled in that month in Italy.
select credit_wallets.user_id, used_month, used_in_month, coalesce(-sum(amount), 0) as ledger
from public.credit_wallets
left join public.credit_ledger on credit_ledger.user_id = credit_wallets.user_id and kind = 'settle'
  and date_trunc('month', created_at at time zone 'Europe/Rome') >= used_month
group by credit_wallets.user_id
having used_in_month <> coalesce(-sum(amount), 0)
