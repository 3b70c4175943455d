-- Paused campaigns are not read.
--   DROP TRIGGER keep_cancelled ON public.whatsapp_messages
--   DROP INDEX public.whatsapp_messages_due
--   DROP INDEX public.whatsapp_messages_next
--   DROP FUNCTION private.is_campaign_paused
--   DROP FUNCTION private.keep_cancelled
--   ALTER TABLE public.whatsapp_messages ADD COLUMN is_paused boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.begin_whatsapp
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.due_whatsapp_senders
--   CREATE OR REPLACE FUNCTION private.follow_campaign
--   CREATE OR REPLACE FUNCTION private.next_whatsapp_s
--   CREATE OR REPLACE FUNCTION private.pause_campaigns
--   CREATE OR REPLACE FUNCTION public.resume_campaign
--   CREATE OR REPLACE FUNCTION private.wait_for_room
--   CREATE INDEX whatsapp_messages_due ON public.whatsapp_messages USING btree (not_before) WHERE ((state = 'queu…
--   CREATE INDEX whatsapp_messages_expiring ON public.whatsapp_messages USING btree (expires_at) WHERE (state = '…
--   CREATE INDEX whatsapp_messages_leased ON public.whatsapp_messages USING btree (leased_until) WHERE (state = '…
--   CREATE INDEX whatsapp_messages_next ON public.whatsapp_messages USING btree (user_id, not_before, id) WHERE (…
--   CREATE INDEX whatsapp_messages_written ON public.whatsapp_messages USING btree (user_id, COALESCE(sent_at, no…
--   CREATE TRIGGER follow_campaign BEFORE UPDATE OF state ON public.whatsapp_messages FOR EACH ROW WHEN (((new.st…
--   COMMENT ON COLUMN public.whatsapp_messages.is_paused IS 'Its campaign is paused. A copy of paused_at, so that…
--   COMMENT ON FUNCTION private.follow_campaign
--   REVOKE ALL ON FUNCTION private.follow_campaign

set check_function_bodies = off;

DROP TRIGGER "keep_cancelled" ON "public"."whatsapp_messages";

DROP INDEX "public"."whatsapp_messages_due";

DROP INDEX "public"."whatsapp_messages_next";

DROP FUNCTION "private"."is_campaign_paused"(uuid);

DROP FUNCTION "private"."keep_cancelled"();

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "is_paused" boolean NOT NULL DEFAULT false;

-- Campaigns that are paused now.
UPDATE public.whatsapp_messages SET is_paused = true
FROM public.mail_batches AS batch
WHERE batch.user_id = whatsapp_messages.user_id AND batch.id = batch_id AND batch.paused_at IS NOT NULL
  AND state IN ('queued', 'sending');

CREATE OR REPLACE FUNCTION private.begin_whatsapp (
  _id      uuid,
  _attempt integer
)
  RETURNS TABLE (
    external_id text,
    phone       text
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _refusal public.whatsapp_error;
begin
  select * into _message from public.whatsapp_messages
  where id = _id and attempts = _attempt and state = 'queued' and not is_paused for update;
  if not found then
    return;
  end if;
  if private.is_answer_needless(_message) then
    update public.whatsapp_messages set state = 'cancelled', leased_until = null where id = _id;
    return;
  end if;
  -- A window that closed, or an objection that came, after the message was queued counts.
  _refusal := private.whatsapp_refusal(_message);
  update public.whatsapp_messages
  set state = case when _refusal is null then 'sending'::public.whatsapp_state else 'failed' end, error = _refusal,
    leased_until = case when _refusal is null then now() + interval '2 minutes' end
  where id = _id;
  return query
    select channels.external_id, phones.norm from public.contact_channels as channels
    left join public.contact_phones as phones on phones.user_id = channels.user_id and phones.id = channels.phone_id
    where channels.id = _message.channel_id and _refusal is null;
end
$function$;

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
  _wait_s double precision;
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true);
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

CREATE OR REPLACE FUNCTION private.due_whatsapp_senders (
  _limit integer DEFAULT 500
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Their worker is gone, or its answer came too late.
  update public.whatsapp_messages set state = 'uncertain', leased_until = null, error = 'interrupted'
  where state = 'sending' and leased_until <= now();
  update public.whatsapp_messages set state = 'failed', leased_until = null, error = 'expired'
  where state = 'queued' and expires_at <= now();
  -- A bucket of yesterday is full.
  delete from private.whatsapp_buckets where counted_at < now() - interval '1 day';
  -- A connection that was begun and not ended may hold a token.
  delete from private.whatsapp_signups where expires_at < now() - interval '1 hour';
  return query
    select distinct messages.user_id
    from public.whatsapp_messages as messages
    join public.whatsapp_accounts as accounts on accounts.user_id = messages.user_id
    where messages.state = 'queued' and not is_paused and not_before <= now() and accounts.state = 'attivo'
      and coalesce(paused_until <= now(), true)
    limit _limit;
end
$function$;

CREATE OR REPLACE FUNCTION private.follow_campaign()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _batch public.mail_batches;
begin
  select * into _batch from public.mail_batches where id = new.batch_id;
  new.is_paused := coalesce(_batch.paused_at is not null, false);
  if _batch.cancelled_at is not null then
    new.state := 'cancelled';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.next_whatsapp_s (
  _user_id uuid
)
  RETURNS double precision
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select extract(epoch from not_before - clock_timestamp())::double precision from public.whatsapp_messages
  -- Its moment may have come since it was asked for. What is due for longer waits for something else.
  where user_id = _user_id and state = 'queued' and not is_paused and not_before > clock_timestamp() - interval '1 second'
  order by not_before, id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.pause_campaigns (
  _user_id     uuid,
  _template_id uuid,
  _reason      text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _batch public.mail_batches;
begin
  for _batch in
    update public.mail_batches as batch set paused_at = now(), pause_reason = _reason
    where user_id = _user_id and channel = 'whatsapp' and paused_at is null and cancelled_at is null
      and coalesce(template_id = _template_id, _template_id is null) and exists (
        select from public.whatsapp_messages
        where user_id = _user_id and batch_id = batch.id and state in ('queued', 'sending')
      )
    returning *
  loop
    -- A week to put it right. One that is on its way may come back.
    update public.whatsapp_messages set expires_at = greatest(expires_at, now() + interval '7 days'), is_paused = true
    where user_id = _user_id and batch_id = _batch.id and state in ('queued', 'sending');
    perform private.notify(
      _user_id, 'whatsapp_fermo', 'Un invio WhatsApp è in pausa', _reason, '/crm/invii',
      'campaign ' || _batch.id || ' ' || _batch.paused_at
    );
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION public.resume_campaign (
  _id uuid
)
  RETURNS public.mail_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _account constant public.whatsapp_accounts := private.whatsapp_sender(_user_id);
  _batch public.mail_batches;
  _template public.whatsapp_templates;
begin
  select * into _batch from public.mail_batches where user_id = _user_id and id = _id and channel = 'whatsapp' for update;
  if not found then
    raise exception 'no such campaign' using errcode = 'PT404';
  elsif _batch.paused_at is null or _batch.cancelled_at is not null then
    return _batch;
  end if;
  _template := private.campaign_template(_account, _batch.template_id);
  if _template.body <> _batch.body then
    raise exception 'the text of the template has changed' using errcode = 'SW004', detail = 'CHANGED';
  end if;
  update public.mail_batches set paused_at = null, pause_reason = null where id = _id returning * into _batch;
  update public.whatsapp_messages as waiting
  set is_paused = false, template = jsonb_set(template, '{category}', to_jsonb(_template.category)), not_before = due.due_at,
    expires_at = greatest(due.due_at + interval '1 day', expires_at)
  from (
    select id, private.allowed_mail_time(
      greatest(not_before, now() + private.time_to_cancel(false)) + row_number() over (order by not_before, id) / 20.0 * interval '1 second'
    ) as due_at
    from public.whatsapp_messages where user_id = _user_id and batch_id = _id and state = 'queued'
  ) as due
  where waiting.id = due.id;
  return _batch;
end
$function$;

CREATE OR REPLACE FUNCTION private.wait_for_room (
  _account public.whatsapp_accounts,
  _message public.whatsapp_messages
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_sort TO 'on'
  AS $function$
begin
  if _message.batch_id is null or not _message.is_outside_window or (_account).people_a_day > (
    select count(distinct channel_id) from public.whatsapp_messages
    where user_id = _message.user_id and is_outside_window and state not in ('queued', 'cancelled', 'failed')
      and coalesce(sent_at, not_before) > now() - interval '24 hours' and channel_id <> _message.channel_id
  ) then
    return false;
  end if;
  update public.whatsapp_messages
  set not_before = private.allowed_mail_time(now() + interval '1 hour'),
    expires_at = private.allowed_mail_time(now() + interval '1 hour') + interval '1 day'
  where user_id = _message.user_id and batch_id is not null and is_outside_window and state = 'queued' and not is_paused
    and not_before <= clock_timestamp() and (leased_until is null or leased_until <= now());
  return true;
end
$function$;

CREATE INDEX whatsapp_messages_due ON public.whatsapp_messages USING btree (not_before)
  WHERE ((state = 'queued'::public.whatsapp_state) AND (NOT is_paused));

CREATE INDEX whatsapp_messages_expiring ON public.whatsapp_messages USING btree (expires_at)
  WHERE (state = 'queued'::public.whatsapp_state);

CREATE INDEX whatsapp_messages_leased ON public.whatsapp_messages USING btree (leased_until)
  WHERE (state = 'sending'::public.whatsapp_state);

CREATE INDEX whatsapp_messages_next ON public.whatsapp_messages USING btree (user_id, not_before, id)
  WHERE ((state = 'queued'::public.whatsapp_state) AND (NOT is_paused));

CREATE INDEX whatsapp_messages_written ON public.whatsapp_messages USING btree (user_id, COALESCE(sent_at, not_before))
  WHERE (is_outside_window AND (state <> ALL (ARRAY['queued'::public.whatsapp_state, 'cancelled'::public.whatsapp_state, 'failed'::public.whatsapp_state])));

CREATE TRIGGER follow_campaign
  BEFORE UPDATE OF state ON public.whatsapp_messages
  FOR EACH ROW
  WHEN (((new.state = 'queued'::public.whatsapp_state) AND (old.state <> 'queued'::public.whatsapp_state) AND (new.batch_id IS NOT NULL)))
  EXECUTE FUNCTION private.follow_campaign();

COMMENT ON COLUMN "public"."whatsapp_messages"."is_paused" IS 'Its campaign is paused. A copy of paused_at, so that the index of the next messages leaves these out.';

COMMENT ON FUNCTION "private"."follow_campaign"() IS 'Cancels or pauses a message that goes back to the outbox after an error, as its campaign is meanwhile.';

REVOKE ALL ON FUNCTION "private"."follow_campaign"() FROM PUBLIC;

reset check_function_bodies;
