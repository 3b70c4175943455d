-- Late mail campaigns.
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.wait_for_mail_morning
--   COMMENT ON FUNCTION private.wait_for_mail_morning
--   REVOKE ALL ON FUNCTION private.wait_for_mail_morning

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.claim_mail (
  _user_id   uuid,
  _unsettled integer DEFAULT 0
)
  RETURNS SETOF public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_sort TO 'off'
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  if private.is_frozen(_user_id) or private.is_shared_held(_user_id) or private.is_mail_login_expired(_user_id) or (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and state = 'sent' and sent_at > now() - interval '1 minute'
  ) + _unsettled >= private.mails_a_minute() then
    return;
  end if;
  -- A claim that a crash forgets is made again; before the content leaves there is a durable commit.
  perform set_config('synchronous_commit', 'off', true);
  loop
    select * into _mail from public.outgoing_mails
    where user_id = _user_id and state = 'queued' and not_before <= now()
      and (leased_until is null or leased_until <= now())
      and not private.waits_for_agents(_user_id, key)
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    end if;
    exit when not private.wait_for_mail_morning(_mail);
  end loop;
  return query
    update public.outgoing_mails set attempts = attempts + 1, leased_until = now() + interval '10 minutes'
    where id = _mail.id returning *;
end
$function$;

CREATE OR REPLACE FUNCTION private.wait_for_mail_morning (
  _mail public.outgoing_mails
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_sort TO 'on'
  AS $function$
declare
  _morning constant timestamptz := private.mail_time(now(), _mail.is_at_once, _mail.basis);
begin
  -- Due times are in the allowed hours. Some minutes late, by the pace of the server, is in time.
  if _mail.batch_id is null or _morning <= now() or _mail.not_before > now() - interval '5 minutes' then
    return false;
  end if;
  update public.outgoing_mails
  set not_before = _morning + (not_before - _mail.not_before), expires_at = greatest(expires_at, _morning + interval '1 day')
  where id in (
    select id from public.outgoing_mails
    where user_id = _mail.user_id and batch_id = _mail.batch_id and state = 'queued' and not_before < _morning
      and (leased_until is null or leased_until <= now())
    -- Their cancellation may wait for this one.
    for update skip locked
  );
  return true;
end
$function$;

COMMENT ON FUNCTION "private"."wait_for_mail_morning"(public.outgoing_mails) IS 'Lets a campaign by mail that is late, because the worker or the server stopped, keep the rest of its recipients (E-10); answers whether it does.';

REVOKE ALL ON FUNCTION "private"."wait_for_mail_morning"(public.outgoing_mails) FROM PUBLIC;

reset check_function_bodies;
