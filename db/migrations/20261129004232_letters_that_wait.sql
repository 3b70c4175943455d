-- Letters that wait.
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.hold_credits
--   CREATE OR REPLACE FUNCTION private.waits_for_agents
--   CREATE OR REPLACE FUNCTION public.admin_suspend_account
--   COMMENT ON FUNCTION private.waits_for_agents
--   REVOKE ALL ON FUNCTION private.waits_for_agents

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.claim_mail (
  _user_id uuid
)
  RETURNS SETOF public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.is_frozen(_user_id) or private.is_shared_held(_user_id) or private.is_mail_login_expired(_user_id) or (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and state = 'sent' and sent_at > now() - interval '1 minute'
  ) >= private.mails_a_minute() then
    return;
  end if;
  return query
    update public.outgoing_mails set attempts = attempts + 1, leased_until = now() + interval '10 minutes'
    where id = (
      select id from public.outgoing_mails
      where user_id = _user_id and state = 'queued' and not_before <= now()
        and (leased_until is null or leased_until <= now())
        and not private.waits_for_agents(_user_id, key)
      order by not_before, id limit 1 for update skip locked
    )
    returning *;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_whatsapp (
  _user_id uuid
)
  RETURNS SETOF public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _message public.whatsapp_messages;
  _wait_s double precision;
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true);
  if not found or private.is_frozen(_user_id) then
    return;
  end if;
  loop
    select * into _message from public.whatsapp_messages
    where user_id = _user_id and state = 'queued' and not_before <= clock_timestamp()
      and (leased_until is null or leased_until <= now()) and not private.is_campaign_paused(batch_id)
      and not private.waits_for_agents(_user_id, key)
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    elsif private.wait_for_room(_account, _message) then
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

CREATE OR REPLACE FUNCTION private.hold_credits (
  _user_id         uuid,
  _max             bigint,
  _idempotency_key text,
  _ref_type        text                     DEFAULT NULL::text,
  _ref_id          text                     DEFAULT NULL::text,
  _expires_at      timestamp with time zone DEFAULT (now() + '00:15:00'::interval)
)
  RETURNS public.credit_holds
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _cap constant bigint := (select monthly_cap from public.credit_settings where user_id = _user_id);
  _daily_cap constant bigint := private.daily_cap();
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where user_id = _user_id and idempotency_key = _idempotency_key;
  if found then
    if (_hold.amount, _hold.ref_type, _hold.ref_id) is distinct from (_max, _ref_type, _ref_id) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _hold;
  end if;

  if private.expire_wallet(_user_id) > 0 then
    _wallet := private.lock_wallet(_user_id);
  end if;
  if _wallet.balance < _max then
    raise exception '% credits are wanted, % can be spent', _max, _wallet.balance using errcode = 'SC003';
  end if;
  -- Nested, for `and` may evaluate both sides, and the month of somebody without a cap is read for nothing.
  if _cap is not null then
    if private.used_this_month(_user_id) + _wallet.held + _max > _cap then
      raise exception '% credits are wanted, the monthly cap is %', _max, _cap using errcode = 'SC005';
    end if;
  end if;
  if _daily_cap is not null then
    -- Held credits count as used today.
    if private.used_today(_user_id) + _wallet.held + _max > _daily_cap then
      raise exception '% credits are wanted, the daily cap is %', _max, _daily_cap
        using errcode = 'SC009', detail = _daily_cap;
    end if;
  end if;

  insert into public.credit_holds (user_id, amount, idempotency_key, ref_type, ref_id, expires_at)
    values (_user_id, _max, _idempotency_key, _ref_type, _ref_id, _expires_at) returning * into _hold;
  insert into public.hold_lots (hold_id, lot_id, user_id, part, amount)
    select _hold.id, lot_id, _user_id, part, amount from private.draw(_user_id, _max);
  update public.credit_lots set remaining = remaining - hold_lots.amount, held = credit_lots.held + hold_lots.amount
  from public.hold_lots
  where hold_lots.user_id = _user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets set balance = balance - _max, held = held + _max, updated_at = now()
  where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  return _hold;
end
$function$;

CREATE OR REPLACE FUNCTION private.waits_for_agents (
  _user_id uuid,
  _key     uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.is_ai_stopped() and exists (select from public.goal_steps where user_id = _user_id and id = _key)
$function$;

CREATE OR REPLACE FUNCTION public.admin_suspend_account (
  _user_id      uuid,
  _is_suspended boolean,
  _reason       text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _was_suspended constant boolean := coalesce((private.account_for_action(_user_id)).banned_until > now(), false);
begin
  if _was_suspended = _is_suspended then
    return;
  end if;
  update auth.users set banned_until = case when _is_suspended then now() + interval '100 years' end where id = _user_id;
  if _is_suspended then
    delete from auth.sessions where user_id = _user_id;
    -- With an access token that is left nothing begins: private.is_frozen().
    update public.runs set stop_requested_at = now()
    where user_id = _user_id and state = 'running' and stop_requested_at is null;
  end if;
  perform private.log_admin_action(
    case when _is_suspended then 'account.suspend' else 'account.reactivate' end, _user_id::text, _user_id,
    jsonb_build_object('is_suspended', _was_suspended), jsonb_build_object('is_suspended', _is_suspended), _reason
  );
end
$function$;

COMMENT ON FUNCTION "private"."waits_for_agents"(uuid, uuid) IS 'Whether the mail or message with this key is of a goal and waits while an admin has stopped all agents.';

REVOKE ALL ON FUNCTION "private"."waits_for_agents"(uuid, uuid) FROM PUBLIC;

reset check_function_bodies;
