-- Whatsapp reading waits.
--   DROP FUNCTION private.whatsapp_delivery
--   CREATE OR REPLACE FUNCTION private.whatsapp_delivery
--   COMMENT ON FUNCTION private.whatsapp_delivery
--   REVOKE ALL ON FUNCTION private.whatsapp_delivery
--   GRANT EXECUTE ON FUNCTION private.whatsapp_delivery

set check_function_bodies = off;

DROP FUNCTION "private"."whatsapp_delivery"(bigint);

CREATE OR REPLACE FUNCTION private.whatsapp_delivery (
  _id bigint
)
  RETURNS TABLE (
    user_id         uuid,
    account_id      uuid,
    body            text,
    phone_number_id text,
    is_to_wait      boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select deliveries.user_id, accounts.id, body, phone_number_id,
    -- Fifty a second: no conversations, but the statuses of a campaign or what Meta repeats after an outage.
    received_at > now() - interval '5 seconds' and (
      select count(*) from (
        select from private.whatsapp_deliveries as others
        where others.received_at > now() - interval '1 second' and others.account_id = deliveries.account_id
        limit 50
      ) as recent
    ) = 50
  from private.whatsapp_deliveries as deliveries
  left join public.whatsapp_accounts as accounts on accounts.id = account_id
  where deliveries.id = _id and handled_at is null
$function$;

COMMENT ON FUNCTION "private"."whatsapp_delivery"(bigint) IS 'A delivery that was not read yet, with the number that it is about; no account when that was disconnected. While many come for this number it is to wait, five seconds at most: Meta waits for the answers to those.';

REVOKE ALL ON FUNCTION "private"."whatsapp_delivery"(bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."whatsapp_delivery"(bigint) TO "service_role";

reset check_function_bodies;
