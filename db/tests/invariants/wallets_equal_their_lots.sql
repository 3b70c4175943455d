-- Spendable and held credits of a wallet are those of its lots.
select credit_wallets.user_id, balance, credit_wallets.held, sum(remaining) as lots, sum(credit_lots.held) as lots_held
from public.credit_wallets
left join public.credit_lots using (user_id)
group by credit_wallets.user_id
having balance <> coalesce(sum(remaining), 0) or credit_wallets.held <> coalesce(sum(credit_lots.held), 0)
