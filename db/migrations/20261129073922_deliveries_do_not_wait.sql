-- Deliveries do not wait.
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_delivery

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.keep_whatsapp_delivery (
  _account_id uuid,
  _body       text
)
  RETURNS bigint
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
  )
  insert into private.whatsapp_deliveries (user_id, account_id, body)
  select user_id, id, _body from public.whatsapp_accounts where id = _account_id
  returning id
$function$;

reset check_function_bodies;
