-- Whatsapp person keeps its token.
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.claim_whatsapp (
  _user_id uuid
)
  RETURNS SETOF public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_sort TO 'off'
  AS $function$
declare
  _account public.whatsapp_accounts;
  _message public.whatsapp_messages;
  _is_waiting boolean;
  _wait_s double precision;
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true)
  -- As private.lock_whatsapp_number.
  for no key update;
  if not found or private.is_frozen(_user_id) then
    return;
  end if;
  loop
    select * into _message from public.whatsapp_messages
    where user_id = _user_id and state = 'queued' and not is_paused and not_before <= clock_timestamp()
      and (leased_until is null or leased_until <= now())
      and not private.waits_for_agents(_user_id, key)
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    end if;
    _is_waiting := private.is_campaign_waiting(_account, _message);
    if _is_waiting is null then
      return;
    elsif _is_waiting then
      continue;
    end if;
    -- Meta takes about one message in six seconds to the same person, and some at once.
    _wait_s := private.take_whatsapp_token(_message.channel_id, 1 / 6.0, 5);
    if _wait_s > 0 then
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      continue;
    end if;
    -- Twenty a second: the least that a number has.
    _wait_s := private.take_whatsapp_token(_account.id, 20, 20);
    if _wait_s > 0 then
      -- The message did not leave: its person keeps the token.
      update private.whatsapp_buckets set tokens = tokens + 1 where id = _message.channel_id;
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      return;
    end if;
    return query
      update public.whatsapp_messages set attempts = attempts + 1, leased_until = now() + interval '2 minutes'
      where id = _message.id returning *;
    return;
  end loop;
end
$function$;

reset check_function_bodies;
