-- All wallets together and all accounts of the product together cancel out.
select wallets.total as wallets, accounts.total as accounts
from (select coalesce(sum(balance + held), 0) as total from public.credit_wallets) as wallets,
  (select coalesce(sum(-amount), 0) as total from public.credit_ledger) as accounts
where wallets.total + accounts.total <> 0
