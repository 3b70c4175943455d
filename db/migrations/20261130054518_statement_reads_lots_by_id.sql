-- Statement reads lots by id.
--   CREATE OR REPLACE FUNCTION public.credit_statement

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.credit_statement (
  _before bigint  DEFAULT NULL::bigint,
  _limit  integer DEFAULT 50
)
  RETURNS TABLE (
    id             bigint,
    created_at     timestamp with time zone,
    kind           public.credit_entry_kind,
    account        public.credit_account,
    amount         bigint,
    balance_after  bigint,
    ref_type       text,
    ref_id         text,
    reason         text,
    lot_id         uuid,
    lot_kind       public.credit_lot_kind,
    lot_created_at timestamp with time zone,
    lot_expires_at timestamp with time zone,
    order_id       uuid
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select ledger.id, ledger.created_at, ledger.kind, ledger.account, ledger.amount, ledger.balance_after,
    ledger.ref_type, ledger.ref_id, ledger.reason, lots.id, lots.kind, lots.created_at, lots.expires_at, lots.order_id
  from (
    -- Limited before the join, so that a long ledger is neither joined nor sorted as a whole.
    select * from public.credit_ledger
    where user_id = (select auth.uid()) and id < coalesce(_before, 9223372036854775807)
    order by id desc
    limit least(_limit, 1000)
  ) as ledger
  cross join lateral (
    select * from public.credit_lots as lots where lots.user_id = ledger.user_id and lots.id = ledger.lot_id
    -- Each by its id: joined at once, all lots of the owner may be read for the fifty of a page.
    offset 0
  ) as lots
  order by ledger.id desc
$function$;

reset check_function_bodies;
