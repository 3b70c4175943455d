-- Whatsapp app deliveries.
--   CREATE OR REPLACE FUNCTION private.lose_whatsapp_number
--   CREATE OR REPLACE FUNCTION private.whatsapp_accounts_of_app
--   COMMENT ON FUNCTION private.lose_whatsapp_number
--   COMMENT ON FUNCTION private.whatsapp_accounts_of_app
--   REVOKE ALL ON FUNCTION private.lose_whatsapp_number
--   GRANT EXECUTE ON FUNCTION private.lose_whatsapp_number
--   REVOKE ALL ON FUNCTION private.whatsapp_accounts_of_app
--   GRANT EXECUTE ON FUNCTION private.whatsapp_accounts_of_app

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.lose_whatsapp_number (
  _account_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.change_whatsapp_state(
    user_id, 'da_ricollegare', 0, 'Il collegamento è stato tolto dal telefono o da Meta: scollega il numero e collegalo di nuovo.'
  )
  from public.whatsapp_accounts where id = _account_id
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_accounts_of_app (
  _waba_id text
)
  RETURNS TABLE (
    account_id uuid,
    user_id    uuid
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select accounts.id, accounts.user_id
  from public.whatsapp_accounts as accounts join private.whatsapp_secrets as secrets on secrets.account_id = accounts.id
  where waba_id = _waba_id and sealed_app_secret is null
$function$;

COMMENT ON FUNCTION "private"."lose_whatsapp_number"(uuid) IS 'Says that the owner, or Meta, has ended the connection of a number.';

COMMENT ON FUNCTION "private"."whatsapp_accounts_of_app"(text) IS 'Numbers of a WhatsApp Business Account that the operator''s app has connected.';

REVOKE ALL ON FUNCTION "private"."lose_whatsapp_number"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lose_whatsapp_number"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."whatsapp_accounts_of_app"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."whatsapp_accounts_of_app"(text) TO "service_role";

reset check_function_bodies;
