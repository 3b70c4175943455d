-- A mail is claimed with what its headers say, and how it ended is made durable with the beginning of the next.
--   REVOKE ALL ON FUNCTION private.claim_mail
--   DROP FUNCTION private.mail_headers
--   CREATE OR REPLACE FUNCTION private.next_mail
--   CREATE OR REPLACE FUNCTION private.settle_mail
--   COMMENT ON FUNCTION private.next_mail
--   REVOKE ALL ON FUNCTION private.next_mail
--   GRANT EXECUTE ON FUNCTION private.next_mail

set check_function_bodies = off;

REVOKE ALL ON FUNCTION "private"."claim_mail"(uuid, integer) FROM "service_role";

DROP FUNCTION "private"."mail_headers"(uuid);

CREATE OR REPLACE FUNCTION private.next_mail (
  _user_id   uuid,
  _unsettled integer
)
  RETURNS jsonb
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select to_jsonb(mail) || jsonb_build_object(
    'references', private.mail_references(mail.id), 'ai', private.ai_mark_of_mail(mail.id)
  )
  from private.claim_mail(_user_id, _unsettled) as mail
$function$;

CREATE OR REPLACE FUNCTION private.settle_mail (
  _id      uuid,
  _attempt integer,
  _state   public.mail_state,
  _error   public.mail_error DEFAULT NULL::public.mail_error,
  _reply   text              DEFAULT NULL::text,
  _delay_s integer           DEFAULT 0
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
  _again timestamptz := now() + make_interval(secs => _delay_s);
begin
  -- The next mail's private.begin_mail_content makes it durable too. Forgotten by a crash, the mail is `sending` or leased as before.
  perform set_config('synchronous_commit', 'off', true);
  update public.outgoing_mails
  set state = case when _state = 'queued' and now() > expires_at then 'failed' else _state end,
    error = case when _state = 'queued' and now() > expires_at then 'expired' else _error end,
    reply = left(private.one_line(_reply), 300), leased_until = null, sent_at = case when _state = 'sent' then now() end,
    not_before = case when _state = 'queued' then private.mail_time(_again, is_at_once, basis) else not_before end,
    -- The rest of the recipient is no time in which it could not be sent.
    expires_at = case when _state = 'queued' then expires_at + (private.mail_time(_again, is_at_once, basis) - _again)
      else expires_at end
  -- An answer that came after the lease still tells what is true.
  where id = _id and attempts = _attempt and state in ('queued', 'sending', 'uncertain')
  returning * into _mail;
  if not found then
    return;
  end if;
  if _state = 'failed' and _error = 'bad_address' and _reply like '5%'
    and exists (select from public.mail_accounts where user_id = _mail.user_id and is_shared)
  then
    perform private.note_shared_mail(_mail);
    perform private.note_shared_return(_mail.id, false);
  end if;
  if _state = 'sent' then
    perform private.record_sent_mail(_mail);
    -- Not at each of many mails.
    if exists (
      select from public.mail_accounts where user_id = _mail.user_id
        and (last_error is not null or last_success_at is null or last_success_at < now() - interval '10 seconds')
    ) then
      perform private.note_mail_account(_mail.user_id, null, null);
    end if;
  end if;
end
$function$;

COMMENT ON FUNCTION "private"."next_mail"(uuid, integer) IS 'Leases a mail as claim_mail does, and adds what its headers say: the mails that it answers, and who wrote it.';

REVOKE ALL ON FUNCTION "private"."next_mail"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."next_mail"(uuid, integer) TO "service_role";

reset check_function_bodies;
