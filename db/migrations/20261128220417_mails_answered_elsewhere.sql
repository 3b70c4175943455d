-- Mails answered elsewhere.
--   DROP FUNCTION private.mail_place
--   ALTER TABLE private.mail_places ADD COLUMN modseq bigint NOT NULL DEFAULT 0
--   ALTER TABLE public.received_mails ADD COLUMN is_answered boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.keep_received_mail
--   CREATE OR REPLACE FUNCTION private.mail_place
--   CREATE OR REPLACE FUNCTION private.note_answered_mails
--   COMMENT ON COLUMN private.mail_places.modseq IS 'Up to which change (RFC 7162) the marks of its mails are kno…
--   COMMENT ON COLUMN public.received_mails.is_answered IS 'Another program has marked it as answered in its mail…
--   COMMENT ON FUNCTION private.mail_place
--   COMMENT ON FUNCTION private.note_answered_mails
--   REVOKE ALL ON FUNCTION private.mail_place
--   GRANT EXECUTE ON FUNCTION private.mail_place
--   REVOKE ALL ON FUNCTION private.note_answered_mails
--   GRANT EXECUTE ON FUNCTION private.note_answered_mails

set check_function_bodies = off;

DROP FUNCTION "private"."mail_place"(uuid, text, bigint);

ALTER TABLE "private"."mail_places"
  ADD COLUMN "modseq" bigint NOT NULL DEFAULT 0;

ALTER TABLE "public"."received_mails"
  ADD COLUMN "is_answered" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.keep_received_mail (
  _user_id uuid,
  _told    jsonb
)
  RETURNS TABLE (
    mail_id    uuid,
    thread_id  uuid,
    contact_id uuid,
    is_new     boolean
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  _mail public.received_mails := jsonb_populate_record(null::public.received_mails, _told);
  _known_id uuid;
  -- The mail of the outbox to whose address of answers it came.
  _answered_id constant uuid := _told ->> 'answered_id';
  _is_answer boolean := false;
begin
  perform private.lock_mails(_user_id);
  if _answered_id is not null then
    perform from public.outgoing_mails where user_id = _user_id and id = _answered_id for no key update;
    _is_answer := found;
  end if;
  _mail.is_by_address := coalesce(_mail.is_by_address, false);
  _mail.is_forwarded := coalesce(_mail.is_forwarded, false);
  _mail.is_answered := false;
  if not _is_answer and not exists (select from public.mail_addresses where user_id = _user_id and _mail.is_by_address)
    and not exists (select from public.mail_inboxes where user_id = _user_id and not _mail.is_by_address)
  then
    return;
  end if;
  _mail.user_id := _user_id;
  _mail.contact_id := private.living_contact(_user_id, (
    select contact_id from public.contact_emails where user_id = _user_id and norm = _mail.party
  ));
  select id into _known_id from public.received_mails
  where user_id = _user_id and message_id = _mail.message_id and sha256 = _mail.sha256;
  _known_id := coalesce(_known_id, private.same_mail(_mail), (
    select id from public.received_mails
    where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid
  ));
  if _known_id is not null then
    -- The address is no place: a mailbox finds its mail again by its own.
    if not _mail.is_by_address then
      update public.received_mails
      set folder_name = _mail.folder_name, uidvalidity = _mail.uidvalidity, message_uid = _mail.message_uid
      where id = _known_id;
    end if;
    return query select id, thread_id, contact_id, false from public.received_mails where id = _known_id;
    return;
  end if;
  _mail.reference_ids := private.real_references(_user_id, _mail.reference_ids);
  _mail.thread_id := private.open_thread(_mail);
  _mail.created_at := now();
  insert into public.received_mails select _mail.*;
  perform private.record_received_mail(_mail);
  perform private.notify_received_mail(_mail);
  return query select _mail.id, _mail.thread_id, _mail.contact_id, true;
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_place (
  _user_id     uuid,
  _folder      text,
  _uidvalidity bigint
)
  RETURNS SETOF private.mail_places
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.mail_places as place (user_id, folder, uidvalidity)
  select user_id, _folder, _uidvalidity from public.mail_inboxes where user_id = _user_id
  on conflict (user_id, folder) do update
    set last_uid = case when place.uidvalidity = _uidvalidity then place.last_uid else 0 end,
      modseq = case when place.uidvalidity = _uidvalidity then place.modseq else 0 end, uidvalidity = _uidvalidity
  returning place.*
$function$;

CREATE OR REPLACE FUNCTION private.note_answered_mails (
  _user_id     uuid,
  _folder      text,
  _uidvalidity bigint,
  _uids        bigint[],
  _modseq      bigint
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with answered as (
    update public.received_mails set is_answered = true
    where user_id = _user_id and folder_name = _folder and uidvalidity = _uidvalidity and message_uid = any (_uids)
      and not is_answered
    returning thread_id, at
  )
  update public.mail_threads as thread set is_done = true
  from answered where thread.user_id = _user_id and thread.id = answered.thread_id and answered.at >= thread.last_at;
  update private.mail_places set modseq = _modseq
  where user_id = _user_id and folder = _folder and uidvalidity = _uidvalidity;
$function$;

COMMENT ON COLUMN "private"."mail_places"."modseq" IS 'Up to which change (RFC 7162) the marks of its mails are known; 0 where the server does not count changes.';

COMMENT ON COLUMN "public"."received_mails"."is_answered" IS 'Another program has marked it as answered in its mailbox.';

COMMENT ON FUNCTION "private"."mail_place"(uuid, text, bigint) IS 'How far a folder was read, from its beginning when its UIDs are not valid any more; no row without a mailbox.';

COMMENT ON FUNCTION "private"."note_answered_mails"(uuid, text, bigint, bigint[], bigint) IS 'Marks mails as answered elsewhere, once each, and closes the conversations of which they are the last word; the marks are known up to this change.';

REVOKE ALL ON FUNCTION "private"."mail_place"(uuid, text, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_place"(uuid, text, bigint) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_answered_mails"(uuid, text, bigint, bigint[], bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_answered_mails"(uuid, text, bigint, bigint[], bigint) TO "service_role";

reset check_function_bodies;
