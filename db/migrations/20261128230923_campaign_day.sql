-- Campaign day.
--   CREATE OR REPLACE FUNCTION private.whatsapp_people_left

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.whatsapp_people_left (
  _account public.whatsapp_accounts
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select greatest((_account).people_a_day - count(distinct channel_id), 0)::integer
  from public.whatsapp_messages
  where user_id = (_account).user_id and is_outside_window and state <> 'cancelled' and state <> 'failed'
    and coalesce(sent_at, not_before) > now() - interval '24 hours'
    -- Messages of a campaign that are due on later days do not count on the day that may begin now: at night and on
    -- holidays it begins later.
    and (batch_id is null or coalesce(sent_at, not_before) < private.allowed_mail_time(now()) + interval '24 hours')
$function$;

reset check_function_bodies;
