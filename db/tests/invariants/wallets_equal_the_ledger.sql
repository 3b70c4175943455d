-- What a wallet holds, spendable and held, is the sum of its ledger.
select credit_wallets.user_id, balance, held, coalesce(sum(amount), 0) as ledger
from public.credit_wallets
left join public.credit_ledger using (user_id)
group by credit_wallets.user_id
having balance + held <> coalesce(sum(amount), 0)
