-- Mail idle.
--   CREATE OR REPLACE FUNCTION private.mail_idlers
--   CREATE OR REPLACE FUNCTION private.mail_readers
--   CREATE OR REPLACE FUNCTION private.renew_leases
--   COMMENT ON FUNCTION private.mail_idlers
--   COMMENT ON FUNCTION private.mail_readers
--   COMMENT ON FUNCTION private.renew_leases
--   REVOKE ALL ON FUNCTION private.mail_idlers
--   GRANT EXECUTE ON FUNCTION private.mail_idlers
--   REVOKE ALL ON FUNCTION private.renew_leases
--   GRANT EXECUTE ON FUNCTION private.renew_leases

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.mail_idlers (
  _held  uuid[],
  _limit integer
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select inboxes.user_id
  from public.mail_inboxes as inboxes join public.mail_accounts as accounts using (user_id)
  cross join lateral (
    select max(coalesce(refreshed_at at time zone 'UTC', created_at)) as at from auth.sessions where user_id = inboxes.user_id
  ) as latest
  -- An open page renews its session each hour.
  where latest.at > now() - interval '65 minutes' and completed_at is not null
    and (inboxes.last_error is distinct from 'auth' or provider is not null)
    and login_expired_at is null and not private.is_frozen(inboxes.user_id)
    and (inboxes.user_id = any (_held) or not exists (
      select from private.leases where user_id = inboxes.user_id and name = 'mail idle' and ends_at > now()
    ))
  order by latest.at desc limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.mail_readers (
  _limit integer DEFAULT 5000
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select inboxes.user_id from public.mail_inboxes as inboxes join public.mail_accounts as accounts using (user_id)
  -- A password that was refused is not tried every few minutes: providers lock such accounts.
  where (inboxes.last_error is distinct from 'auth' or inboxes.last_error_at < now() - interval '1 day' or provider is not null)
    and login_expired_at is null and not private.is_frozen(inboxes.user_id)
    -- The server tells of new mail by itself: this is only in case it does not, and for mails that were sent elsewhere.
    and (inboxes.last_success_at is null or inboxes.last_success_at < now() - interval '15 minutes' or not exists (
      select from private.leases where user_id = inboxes.user_id and name = 'mail idle' and ends_at > now()
    ))
  order by inboxes.last_success_at nulls first limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.renew_leases (
  _tokens  uuid[],
  _seconds integer
)
  RETURNS SETOF uuid
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.leases set ends_at = now() + make_interval(secs => _seconds)
  where token = any (_tokens) and ends_at > now()
  returning token
$function$;

COMMENT ON FUNCTION "private"."mail_idlers"(uuid[], integer) IS 'The people with an open session for whom a worker listens to the mailbox: those it holds, and those that no other holds.';

COMMENT ON FUNCTION "private"."mail_readers"(integer) IS 'The people whose mailbox is to be read; one whose server tells of new mail (IDLE) every 15 minutes.';

COMMENT ON FUNCTION "private"."renew_leases"(uuid[], integer) IS 'Hold leases for so many seconds more; the tokens of those that are still held.';

REVOKE ALL ON FUNCTION "private"."mail_idlers"(uuid[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_idlers"(uuid[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."renew_leases"(uuid[], integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."renew_leases"(uuid[], integer) TO "service_role";

reset check_function_bodies;
