-- Late payers.
--   CREATE OR REPLACE FUNCTION private.forget_buyer
--   CREATE OR REPLACE FUNCTION private.forget_late_payers
--   CREATE OR REPLACE FUNCTION private.forget_payer
--   COMMENT ON FUNCTION private.forget_late_payers
--   COMMENT ON FUNCTION private.forget_payer
--   REVOKE ALL ON FUNCTION private.forget_late_payers
--   GRANT EXECUTE ON FUNCTION private.forget_late_payers
--   REVOKE ALL ON FUNCTION private.forget_payer

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.forget_buyer()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.credit_orders as orders set
    email = null, checkout_url = null,
    -- An invoice must name its recipient for ten years; a receipt need not.
    billing = case when exists (select from public.fiscal_documents where order_id = orders.id) then billing end
  where user_id = old.id;
  perform private.forget_payer(old.id);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.forget_late_payers()
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(sum(private.forget_payer(user_id)), 0)::bigint from public.deletion_requests where erased_at is not null
$function$;

CREATE OR REPLACE FUNCTION private.forget_payer (
  _user_id uuid
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _names constant text[] := array[
    'customer_details', 'customer_email', 'receipt_email', 'billing_details', 'shipping_details', 'shipping'
  ];
  _changed bigint;
begin
  update public.payment_events set
    payload = jsonb_set(payload, '{data,object}', (payload #> '{data,object}') - _names)
  where order_id in (select id from public.credit_orders where user_id = _user_id)
    and (payload #> '{data,object}') ?| _names;
  get diagnostics _changed = row_count;
  return _changed;
end
$function$;

COMMENT ON FUNCTION "private"."forget_late_payers"() IS 'Does so for accounts that are erased: a refund or a dispute may be told months later.';

COMMENT ON FUNCTION "private"."forget_payer"(uuid) IS 'Takes out of what Stripe told about the orders of an account who paid; answers of how many events.';

REVOKE ALL ON FUNCTION "private"."forget_late_payers"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_late_payers"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."forget_payer"(uuid) FROM PUBLIC;

reset check_function_bodies;
