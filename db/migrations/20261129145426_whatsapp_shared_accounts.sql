-- Whatsapp shared accounts.
--   DROP FUNCTION private.whatsapp_accounts_of_app
--   CREATE OR REPLACE FUNCTION private.named_whatsapp_accounts
--   CREATE INDEX whatsapp_accounts_waba ON public.whatsapp_accounts USING btree (waba_id)
--   COMMENT ON FUNCTION private.named_whatsapp_accounts
--   REVOKE ALL ON FUNCTION private.named_whatsapp_accounts
--   GRANT EXECUTE ON FUNCTION private.named_whatsapp_accounts

set check_function_bodies = off;

DROP FUNCTION "private"."whatsapp_accounts_of_app"(text);

CREATE OR REPLACE FUNCTION private.named_whatsapp_accounts (
  _address uuid,
  _ids     text[]
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(named), '[]')
  from (
    select accounts.id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
    from public.whatsapp_accounts as accounts join private.whatsapp_secrets on account_id = accounts.id
    where accounts.id = _address or phone_number_id = any(_ids) or waba_id = any(_ids)
    order by accounts.id is not distinct from _address desc, phone_number_id = any(_ids) desc, accounts.id
    -- A stranger may name any number of them.
    limit 50
  ) as named
$function$;

CREATE INDEX whatsapp_accounts_waba ON public.whatsapp_accounts USING btree (waba_id);

COMMENT ON FUNCTION "private"."named_whatsapp_accounts"(uuid, text[]) IS 'Numbers that a delivery may be about: that of the address it came to, then those with its ids of numbers and accounts. As private.whatsapp_account has them, in one value, so that it takes one round trip.';

REVOKE ALL ON FUNCTION "private"."named_whatsapp_accounts"(uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."named_whatsapp_accounts"(uuid, text[]) TO "service_role";

reset check_function_bodies;
