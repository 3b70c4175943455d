-- Whatsapp lock order.
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_status
--   CREATE OR REPLACE FUNCTION private.lock_whatsapp_number
--   CREATE OR REPLACE FUNCTION private.note_whatsapp_template
--   CREATE OR REPLACE FUNCTION private.save_whatsapp_templates
--   CREATE OR REPLACE FUNCTION private.settle_whatsapp
--   CREATE OR REPLACE FUNCTION public.cancel_campaign
--   COMMENT ON FUNCTION private.lock_whatsapp_number
--   REVOKE ALL ON FUNCTION private.lock_whatsapp_number

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

CREATE OR REPLACE FUNCTION private.keep_whatsapp_status (
  _account_id uuid,
  _told       jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _former public.whatsapp_messages;
  _state constant public.whatsapp_state := _told ->> 'state';
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
begin
  if _state = 'failed' then
    perform private.lock_whatsapp_number(user_id) from public.whatsapp_accounts where id = _account_id;
  end if;
  select messages.* into _former
  from public.whatsapp_messages as messages join public.whatsapp_accounts as accounts using (user_id)
  where accounts.id = _account_id and direction = 'uscita'
    and (messages.id = (_told ->> 'our_id')::uuid or message_id = _told ->> 'message_id')
  order by messages.id = (_told ->> 'our_id')::uuid desc limit 1
  for update of messages;
  if not found then
    return;
  end if;
  update public.whatsapp_messages
  set message_id = coalesce(message_id, _told ->> 'message_id'),
    state = case when private.whatsapp_rank(_state) > private.whatsapp_rank(state) then _state else state end,
    sent_at = case when _state = 'failed' then sent_at else coalesce(sent_at, _at) end,
    delivered_at = case when _state in ('delivered', 'read') then least(delivered_at, _at) else delivered_at end,
    read_at = case when _state = 'read' then least(read_at, _at) else read_at end,
    price_category = coalesce(_told ->> 'price_category', price_category),
    price_kind = coalesce(_told ->> 'price_kind', price_kind),
    is_billable = coalesce((_told ->> 'is_billable')::boolean, is_billable),
    leased_until = null, error = case when _state = 'failed' then error end
  where id = _former.id
  returning * into _message;
  if _former.sent_at is null and _message.sent_at is not null then
    perform private.note_sent_whatsapp(_message);
  end if;
  if _message.state = 'failed' and _former.state <> 'failed' then
    perform private.react_to_whatsapp(_message, coalesce((_told ->> 'code')::integer, -1), _told ->> 'detail');
  elsif _message.state in ('delivered', 'read') then
    update public.contact_channels set failures = 0 where id = _message.channel_id and failures > 0;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.lock_whatsapp_number (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform from public.whatsapp_accounts where user_id = _user_id for no key update;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_whatsapp_template (
  _account_id uuid,
  _told       jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.lock_whatsapp_number(user_id) from public.whatsapp_accounts where id = _account_id;
  update public.whatsapp_templates as template
  set state = coalesce(_told ->> 'state', template.state), quality = coalesce(_told ->> 'quality', template.quality),
    category = coalesce(_told ->> 'category', template.category),
    reason = case when _told ? 'state' then _told ->> 'reason' else template.reason end
  from public.whatsapp_accounts as accounts
  where accounts.id = _account_id and template.user_id = accounts.user_id
    and template.name = _told ->> 'name' and template.language = _told ->> 'language'
$function$;

CREATE OR REPLACE FUNCTION private.save_whatsapp_templates (
  _account_id uuid,
  _told       jsonb,
  _is_all     boolean
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select user_id from public.whatsapp_accounts where id = _account_id);
  _count integer;
begin
  -- A template that changes may pause campaigns.
  perform private.lock_whatsapp_number(_user_id);
  if _is_all then
    delete from public.whatsapp_templates where user_id = _user_id and (name, language) not in (
      select one ->> 'name', one ->> 'language' from jsonb_array_elements(_told) as one
    );
  end if;
  insert into public.whatsapp_templates as template (
    user_id, template_id, name, language, category, state, quality, reason, body, footer, is_named, places, is_usable
  )
  select distinct on (name, language) _user_id, template_id, name, language, category, state, quality, reason, body, footer,
    is_named, places, is_usable
  from jsonb_to_recordset(_told) as one (
    template_id text, name text, language text, category text, state text, quality text, reason text, body text, footer text,
    is_named boolean, places text[], is_usable boolean
  )
  where _user_id is not null
  on conflict (user_id, name, language) do update
    set template_id = excluded.template_id, category = excluded.category, state = excluded.state, quality = excluded.quality,
      reason = excluded.reason, body = excluded.body, footer = excluded.footer, is_named = excluded.is_named, places = excluded.places,
      is_usable = excluded.is_usable;
  get diagnostics _count = row_count;
  return _count;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_whatsapp (
  _id           uuid,
  _attempt      integer,
  _message_id   text    DEFAULT NULL::text,
  _code         integer DEFAULT NULL::integer,
  _detail       text    DEFAULT NULL::text,
  _is_temporary boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
begin
  if _code is not null then
    perform private.lock_whatsapp_number(user_id) from public.whatsapp_messages where id = _id;
  end if;
  select * into _message from public.whatsapp_messages where id = _id and attempts = _attempt for update;
  if not found or _message.state not in ('queued', 'sending', 'uncertain') then
    -- Its status was faster than the answer.
    update public.whatsapp_messages set message_id = coalesce(message_id, _message_id) where id = _id;
  elsif _code is not null then
    perform private.react_to_whatsapp(_message, _code, _detail);
  elsif _message_id is not null then
    update public.whatsapp_messages
    set state = 'sent', message_id = _message_id, sent_at = now(), leased_until = null, error = null, error_code = null,
      error_detail = null
    where id = _id returning * into _message;
    perform private.note_sent_whatsapp(_message);
    update public.whatsapp_accounts set last_success_at = now() where user_id = _message.user_id;
  elsif _is_temporary then
    update public.whatsapp_messages
    set state = 'queued', error = 'unreachable', leased_until = null,
      not_before = now() + make_interval(secs => least(30 * 2 ^ (_attempt - 1), 900))
    where id = _id;
  else
    update public.whatsapp_messages set state = 'uncertain', error = 'interrupted', leased_until = null where id = _id;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.cancel_campaign (
  _id uuid
)
  RETURNS public.mail_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _batch public.mail_batches;
begin
  perform private.lock_whatsapp_number(_user_id);
  update public.mail_batches set cancelled_at = coalesce(cancelled_at, now())
  where user_id = _user_id and id = _id returning * into _batch;
  if not found then
    raise exception 'no such batch' using errcode = 'PT404';
  end if;
  update public.outgoing_mails set state = 'cancelled', leased_until = null
  where user_id = _user_id and batch_id = _id and state = 'queued';
  update public.whatsapp_messages set state = 'cancelled', leased_until = null
  where user_id = _user_id and batch_id = _id and state = 'queued';
  return _batch;
end
$function$;

COMMENT ON FUNCTION "private"."lock_whatsapp_number"(uuid) IS 'Locks the number of a person, before messages and campaigns: whatever may change several of them takes this lock first, so that no two wait for each other.';

REVOKE ALL ON FUNCTION "private"."lock_whatsapp_number"(uuid) FROM PUBLIC;

reset check_function_bodies;
