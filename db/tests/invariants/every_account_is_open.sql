-- An account has a profile, a wallet and its settings, and its welcome credits once an address is confirmed, unless the
-- mailbox received them before. Those of the synthetic journey have none of it.
select users.id, profiles.user_id is null as without_profile, credit_wallets.user_id is null as without_wallet,
  credit_settings.user_id is null as without_settings
from auth.users
left join public.profiles on profiles.user_id = users.id
left join public.credit_wallets on credit_wallets.user_id = users.id
left join public.credit_settings on credit_settings.user_id = users.id
where not private.is_probe(users.id) and (profiles.user_id is null
  or credit_wallets.user_id is null
  or credit_settings.user_id is null
  or (
    (users.email_confirmed_at is not null or users.phone_confirmed_at is not null)
    and not exists (
      select from public.credit_ledger
      where credit_ledger.user_id = users.id and credit_ledger.idempotency_key = 'welcome'
    )
    and not exists (select from private.welcomed_mailboxes where mailbox = private.mailbox(users.email))
  ))
