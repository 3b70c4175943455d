-- Plainer comments.
--   CREATE OR REPLACE FUNCTION private.miss_deliveries
--   COMMENT ON COLUMN private.known_devices.is_mail_due IS 'Marks a device whose mail is not written yet; the fir…
--   COMMENT ON FUNCTION private.consent_facts
--   COMMENT ON TABLE private.known_devices IS 'Keeps the kinds of device that a person signed in from, also when …

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.miss_deliveries()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  for _mail in
    select sent.* from public.outgoing_mails as sent
    -- A mailbox that was not read since may hold a receipt.
    join public.mail_inboxes as inbox on inbox.user_id = sent.user_id and last_success_at > sent_at + interval '24 hours'
    where is_certified and state = 'sent' and sent_at < now() - interval '24 hours'
      and not exists (
        select from public.mail_reports
        where user_id = sent.user_id and outgoing_id = sent.id and (kind = 'avvenuta-consegna' or is_external)
      )
    order by sent_at limit 100 for update of sent skip locked
  loop
    perform private.bounce_mail(_mail, null, 'superamento tempo massimo', null);
  end loop;
end
$function$;

COMMENT ON COLUMN "private"."known_devices"."is_mail_due" IS 'Marks a device whose mail is not written yet; the first device of an account gets no mail.';

COMMENT ON FUNCTION "private"."consent_facts"(uuid) IS 'Counts the people who were never asked for the consent to marketing by mail, after a campaign left somebody out.';

COMMENT ON TABLE "private"."known_devices" IS 'Keeps the kinds of device that a person signed in from, also when their sessions are gone, so that only a new kind counts.';

reset check_function_bodies;
