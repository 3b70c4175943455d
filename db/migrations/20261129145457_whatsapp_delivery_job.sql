-- Whatsapp delivery job.
--   DROP FUNCTION private.keep_whatsapp_delivery
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_delivery
--   COMMENT ON FUNCTION private.keep_whatsapp_delivery
--   REVOKE ALL ON FUNCTION private.keep_whatsapp_delivery
--   GRANT EXECUTE ON FUNCTION private.keep_whatsapp_delivery

set check_function_bodies = off;

DROP FUNCTION "private"."keep_whatsapp_delivery"(uuid, text);

CREATE OR REPLACE FUNCTION private.keep_whatsapp_delivery (
  _account_id uuid,
  _body       text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with seen as (
    update public.whatsapp_accounts set last_delivery_at = now()
    where id = (
      select id from public.whatsapp_accounts
      -- Not at each of many deliveries, nor behind the jobs that hold the row while they read: Meta waits for the answer.
      where id = _account_id and coalesce(last_delivery_at < now() - interval '10 seconds', true)
      for no key update skip locked
    )
  ), kept as (
    insert into private.whatsapp_deliveries (user_id, account_id, body)
    select user_id, id, _body from public.whatsapp_accounts where id = _account_id
    returning id, user_id
  )
  select jobs.enqueue('whatsapp_deliveries', jsonb_build_object('delivery_id', id), user_id) from kept
$function$;

COMMENT ON FUNCTION "private"."keep_whatsapp_delivery"(uuid, text) IS 'Keeps a delivery about a number as it came and has a worker read it; nothing when the number is gone.';

REVOKE ALL ON FUNCTION "private"."keep_whatsapp_delivery"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_whatsapp_delivery"(uuid, text) TO "service_role";

reset check_function_bodies;
