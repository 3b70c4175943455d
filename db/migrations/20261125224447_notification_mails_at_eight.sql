-- Notification mails at eight.
--   CREATE OR REPLACE FUNCTION private.claim_notification_mail
--   CREATE OR REPLACE FUNCTION private.keep_deleted_notification
--   COMMENT ON FUNCTION private.claim_notification_mail

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.claim_notification_mail (
  _now timestamp with time zone DEFAULT now()
)
  RETURNS TABLE (
    user_id uuid,
    email   text,
    items   jsonb
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  _person uuid;
  _email text;
  _items jsonb;
begin
  for _person in
    -- The first of the index only: at eight in the morning everybody is due.
    select distinct first.user_id from (
      select waiting.user_id from private.notification_deliveries as waiting
      where channel = 'mail' and state = 'attesa' and not_before <= _now
      order by not_before limit 200
    ) as first
  loop
    -- Another worker writes to this person just now, or has written since.
    continue when not pg_try_advisory_xact_lock(hashtextextended('notification mail ' || _person, 0));
    continue when not exists (
      select from private.notification_deliveries as due
      where due.user_id = _person and channel = 'mail' and state = 'attesa' and not_before <= _now
    );
    perform private.recheck_deliveries(_person, 'mail', _now);
    select users.email into _email from auth.users
    where users.id = _person and email_confirmed_at is not null;
    with sent as (
      update private.notification_deliveries as due
      set state = case when _email is null then 'esclusa' else 'inviata' end::private.delivery_state, settled_at = now(),
        attempts = attempts + 1
      where due.user_id = _person and channel = 'mail' and state = 'attesa' and not_before <= _now
      returning kind, title, message, action_url, created_at
    )
    select jsonb_agg(jsonb_build_object(
      'kind', sent.kind, 'label', label, 'title', title, 'message', message, 'action_url', action_url
    ) order by sent.kind <> 'briefing', category, sent.kind, created_at) into _items
    from sent join public.notification_kinds as kinds on kinds.kind = sent.kind;
    return query select _person, case when _items is not null then _email end, _items;
    return;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_deleted_notification()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- An account that goes takes everything along.
  if auth.uid() = old.user_id and exists (select from auth.users where id = old.user_id) then
    insert into private.deleted_notifications (user_id, id, content) values (old.user_id, old.id, to_jsonb(old));
  end if;
  return null;
end
$function$;

COMMENT ON FUNCTION "private"."claim_notification_mail"(timestamp with time zone) IS 'Takes all that is due by mail for one person and marks it sent: the mail goes into the outbox in the same transaction. Without an address where nothing of it is wanted any more; no row when nothing is due.';

reset check_function_bodies;
