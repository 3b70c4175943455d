-- Reference data, applied everywhere and safe to apply again.
--
-- Accounts older than the sign-up trigger (an imported auth schema, a hosted project that already had users) get the
-- profile, wallet and welcome that every account has, and their credits when their address is confirmed.

select private.open_account(users.id, users.raw_user_meta_data)
from auth.users
where not exists (select from public.profiles where profiles.user_id = users.id);

select private.welcome_account(users.id, case when users.email_confirmed_at is not null then users.email end)
from auth.users
where (users.email_confirmed_at is not null or users.phone_confirmed_at is not null)
  and not exists (
    select from public.credit_ledger
    where credit_ledger.user_id = users.id and credit_ledger.idempotency_key = 'welcome'
  )
order by users.email_confirmed_at;
