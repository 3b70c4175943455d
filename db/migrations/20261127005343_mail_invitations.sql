-- Mail invitations.
--   ALTER TABLE public.received_mails ADD COLUMN invitation jsonb
--   CREATE OR REPLACE FUNCTION private.bounce_mail
--   ALTER TABLE public.received_mails ADD CONSTRAINT invitation_is_an_object CHECK ((jsonb_typeof(invitation) = '…
--   COMMENT ON COLUMN public.received_mails.invitation IS 'The event that it invites to: {title, starts_at, is_al…

set check_function_bodies = off;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "invitation" jsonb;

CREATE OR REPLACE FUNCTION private.bounce_mail (
  _mail      public.outgoing_mails,
  _status    text,
  _told      text,
  _recipient text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- No such mailbox, and a mailbox that is closed (RFC 3463, RFC 7505). What is full, too large or about us may pass, and
  -- another address is that of a mailbox to which the recipient forwards.
  _is_dead constant boolean := coalesce(_status in ('5.1.1', '5.1.10', '5.2.1'), false)
    and coalesce(lower(_recipient) = lower(_mail.recipient), true);
begin
  update public.outgoing_mails
  set state = 'failed', sent_at = null, error = 'bounced', leased_until = null,
    -- The code comes first, and once.
    reply = left(private.one_line(case when starts_with(_told, _status) then _told else concat_ws(' ', _status, _told) end), 300)
  where id = _mail.id and state in ('sent', 'sending', 'uncertain');
  if not found then
    return;
  end if;
  if _is_dead then
    perform private.suppress_mail(_mail.user_id, _mail.recipient, 'rimbalzo');
  end if;
  perform private.notify(
    _mail.user_id, 'email_respinta', 'E-mail respinta: ' || _mail.recipient,
    format('«%s» non è arrivata. ', _mail.subject) || case
      when _is_dead then 'La casella non esiste più: Socio non le scriverà. Correggi l’indirizzo del contatto.'
      else 'Il server del destinatario l’ha respinta: trovi la sua risposta accanto all’e-mail.'
    end,
    '/crm/' || _mail.contact_id, format('email_respinta:%s:%s', _mail.id, _mail.attempts)
  );
end
$function$;

ALTER TABLE "public"."received_mails"
  ADD CONSTRAINT "invitation_is_an_object" CHECK ((jsonb_typeof(invitation) = 'object'::text));

COMMENT ON COLUMN "public"."received_mails"."invitation" IS 'The event that it invites to: {title, starts_at, is_allday, place, is_cancelled, repeats}. A person makes a task of it; nothing else does.';

reset check_function_bodies;
