-- Mail about invoice.
--   DROP FUNCTION public.queue_mail
--   ALTER TABLE public.outgoing_mails ADD COLUMN attaches_invoice boolean NOT NULL DEFAULT true
--   CREATE OR REPLACE FUNCTION public.queue_mail
--   REVOKE ALL ON FUNCTION public.queue_mail
--   COMMENT ON COLUMN public.outgoing_mails.attaches_invoice IS 'Whether the PDF of its invoice goes with it.'
--   COMMENT ON COLUMN public.outgoing_mails.invoice_id IS 'What it is about; its PDF is attached where its writer…
--   COMMENT ON FUNCTION public.queue_mail
--   GRANT EXECUTE ON FUNCTION public.queue_mail

set check_function_bodies = off;

DROP FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid, boolean);

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "attaches_invoice" boolean NOT NULL DEFAULT true;

CREATE OR REPLACE FUNCTION public.queue_mail (
  _key              uuid,
  _contact_id       uuid,
  _recipient        text,
  _subject          text,
  _body             text,
  _basis            public.mail_basis        DEFAULT 'contratto'::public.mail_basis,
  _invoice_id       uuid                     DEFAULT NULL::uuid,
  _document_ids     uuid[]                   DEFAULT '{}'::uuid[],
  _not_before       timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _is_at_once       boolean                  DEFAULT false,
  _sale_id          uuid                     DEFAULT NULL::uuid,
  _is_automatic     boolean                  DEFAULT false,
  _attaches_invoice boolean                  DEFAULT true
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts;
  _mail public.outgoing_mails;
  _due timestamptz := private.mail_time(
    -- Ten seconds for «Annulla».
    greatest(least(coalesce(_not_before, now()), now() + interval '1 year'), now() + interval '10 seconds'),
    _is_at_once, _basis
  );
begin
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  select * into _mail from public.outgoing_mails where user_id = _user_id and key = _key;
  if found then
    return _mail;
  end if;
  if private.has_open_place(_subject || _body) then
    raise exception 'a place of the text was not filled in' using errcode = 'SM006';
  end if;
  perform private.require_attachments(_user_id, _invoice_id, _document_ids);
  _account := private.require_mail_allowed(_user_id, _contact_id, _recipient, _basis, _sale_id);
  if _is_automatic and not private.may_be_automatic(_user_id, _recipient) then
    raise exception 'no automatic mail may go to this address' using errcode = 'SM012';
  end if;
  insert into public.outgoing_mails (
    user_id, contact_id, key, recipient, subject, body, basis, sale_id, invoice_id, document_ids, message_id, is_at_once,
    is_automatic, attaches_invoice, not_before, expires_at
  )
  values (
    _user_id, _contact_id, _key, _recipient, _subject, private.signed_body(_body, _account), _basis,
    case when _basis = 'soft_spam' then _sale_id end, _invoice_id, _document_ids, private.new_message_id(_account),
    _is_at_once, _is_automatic, _attaches_invoice, _due, _due + interval '1 day'
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _mail;
  return _mail;
end
$function$;

REVOKE ALL
  ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid, boolean, boolean)
  FROM PUBLIC, "anon", "service_role";

COMMENT ON COLUMN "public"."outgoing_mails"."attaches_invoice" IS 'Whether the PDF of its invoice goes with it.';

COMMENT ON COLUMN "public"."outgoing_mails"."invoice_id" IS 'What it is about; its PDF is attached where its writer wants it. No foreign key, as for document_ids: a mail whose attachment is gone fails and is not sent without.';

COMMENT ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp
  with time zone, boolean, uuid, boolean, boolean) IS 'Queues a mail of the caller to an address of a contact, or refuses; the same key again returns the first mail.';

GRANT EXECUTE
  ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid, boolean, boolean)
  TO "authenticated";

reset check_function_bodies;
