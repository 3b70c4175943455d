-- Mail reports.
--   DROP FUNCTION private.note_mail_report
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   DROP FUNCTION public.queue_mail
--   CREATE TABLE public.mail_reports ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, outgoin…
--   ALTER TABLE public.mail_reports ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_reports FROM anon
--   ALTER TABLE public.outgoing_mails ADD COLUMN is_automatic boolean NOT NULL DEFAULT false
--   ALTER TYPE public.mail_error ADD VALUE 'automatic' AFTER 'bounced'
--   CREATE TYPE public.mail_report_kind AS ENUM ( 'rimbalzo', 'ritardo', 'consegna', 'reclamo' )
--   ALTER TABLE public.mail_reports ADD COLUMN kind public.mail_report_kind NOT NULL
--   ALTER TABLE public.mail_reports ADD COLUMN status text
--   ALTER TABLE public.mail_reports ADD COLUMN told public.single_line
--   ALTER TABLE public.mail_reports ADD COLUMN sha256 text NOT NULL
--   ALTER TABLE public.mail_reports ADD COLUMN at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.mail_reports ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.begin_mail_content
--   CREATE OR REPLACE FUNCTION private.bounce_mail
--   CREATE OR REPLACE FUNCTION private.may_be_automatic
--   CREATE OR REPLACE FUNCTION private.note_mail_report
--   CREATE OR REPLACE FUNCTION private.suppress_mail
--   CREATE OR REPLACE FUNCTION public.queue_mail
--   REVOKE ALL ON FUNCTION public.queue_mail
--   ALTER TABLE public.mail_reports ADD CONSTRAINT mail_reports_user_id_outgoing_id_fkey FOREIGN KEY (user_id, ou…
--   ALTER TABLE public.mail_reports ADD CONSTRAINT mail_reports_user_id_outgoing_id_sha256_kind_key UNIQUE (user_…
--   ALTER TABLE public.mail_reports ADD CONSTRAINT sha256_is_hexadecimal CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
--   ALTER TABLE public.mail_reports ADD CONSTRAINT status_is_a_code CHECK ((status ~ '^[245]\.[0-9]{1,3}\.[0-9]{1…
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE POLICY owners read the reports about their mails ON public.mail_reports FOR SELECT TO authenticated US…
--   COMMENT ON COLUMN public.mail_reports.sha256 IS 'Of the mail that brought the report.'
--   COMMENT ON COLUMN public.mail_reports.status IS 'A code of RFC 3463, such as 5.1.1.'
--   COMMENT ON COLUMN public.mail_reports.told IS 'In the words of the server.'
--   COMMENT ON COLUMN public.outgoing_mails.is_automatic IS 'No person wrote it or pressed «Invia»: it keeps the …
--   COMMENT ON FUNCTION private.bounce_mail
--   COMMENT ON FUNCTION private.may_be_automatic
--   COMMENT ON FUNCTION private.note_mail_report
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.suppress_mail
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON FUNCTION public.preview_campaign
--   COMMENT ON FUNCTION public.queue_mail
--   COMMENT ON TABLE public.mail_reports IS 'What servers said about mails of the outbox; written by note_mail_re…
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   REVOKE ALL ON FUNCTION private.bounce_mail
--   REVOKE ALL ON FUNCTION private.may_be_automatic
--   REVOKE ALL ON FUNCTION private.note_mail_report
--   GRANT EXECUTE ON FUNCTION private.note_mail_report
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.wants
--   GRANT EXECUTE ON FUNCTION public.queue_mail
--   REVOKE ALL ON TABLE public.mail_reports FROM authenticated
--   GRANT SELECT ON TABLE public.mail_reports TO authenticated
--   REVOKE ALL ON TABLE public.mail_reports FROM service_role
--   GRANT SELECT ON TABLE public.mail_reports TO service_role
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role

set check_function_bodies = off;

DROP FUNCTION "private"."note_mail_report"(uuid, text, boolean, text, text);

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

DROP FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid);

CREATE TABLE "public"."mail_reports" (
  "id"          uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id"     uuid NOT NULL,
  "outgoing_id" uuid NOT NULL,
  CONSTRAINT "mail_reports_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."mail_reports"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_reports" FROM "anon";

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "is_automatic" boolean NOT NULL DEFAULT false;

ALTER TYPE "public"."mail_error" ADD VALUE 'automatic' AFTER 'bounced';

CREATE TYPE "public"."mail_report_kind" AS ENUM (
  'rimbalzo',
  'ritardo',
  'consegna',
  'reclamo'
);

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "kind" public.mail_report_kind NOT NULL;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "status" text;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "told" public.single_line;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "sha256" text NOT NULL;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."mail_reports"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.begin_mail_content (
  _id      uuid,
  _attempt integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
  _refusal public.mail_error;
begin
  select * into _mail from public.outgoing_mails
  where id = _id and attempts = _attempt and state = 'queued' for update;
  if not found then
    return false;
  end if;
  -- An objection that came after the mail was queued counts.
  _refusal := private.mail_refusal(_mail.user_id, _mail.contact_id, _mail.recipient, _mail.basis, _mail.sale_id);
  if _mail.is_automatic and not private.may_be_automatic(_mail.user_id, _mail.recipient, _id) then
    _refusal := coalesce(_refusal, 'automatic');
  end if;
  update public.outgoing_mails
  set state = case when _refusal is null then 'sending'::public.mail_state else 'failed' end, error = _refusal,
    leased_until = case when _refusal is null then now() + interval '10 minutes' end
  where id = _id;
  return _refusal is null;
end
$function$;

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
    reply = left(private.one_line(concat_ws(' ', _status, _told)), 300)
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

CREATE OR REPLACE FUNCTION private.may_be_automatic (
  _user_id   uuid,
  _recipient text,
  _except    uuid DEFAULT NULL::uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Two programs that answer each other would write for ever.
  select (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and lower(recipient) = lower(_recipient) and is_automatic and id is distinct from _except
      and (state in ('queued', 'sending', 'uncertain') or state = 'sent' and sent_at > now() - interval '1 day')
  ) < 3
  and coalesce((
    select kind = 'persona' from public.received_mails
    where user_id = _user_id and party = lower(_recipient) and folder = 'ricevuti' order by at desc limit 1
  ), true)
$function$;

CREATE OR REPLACE FUNCTION private.note_mail_report (
  _user_id    uuid,
  _message_id text,
  _kind       public.mail_report_kind,
  _recipient  text,
  _status     text,
  _told       text,
  _sha256     text,
  _at         timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  -- Our Message-IDs cannot be guessed, so that a made-up report suppresses nobody.
  select * into _mail from public.outgoing_mails where user_id = _user_id and message_id = _message_id for update;
  if not found then
    return false;
  end if;
  insert into public.mail_reports (user_id, outgoing_id, kind, status, told, sha256, at)
  values (
    _user_id, _mail.id, _kind, _status, nullif(left(private.one_line(_told), 200), ''), _sha256, _at
  )
  on conflict (user_id, outgoing_id, sha256, kind) do nothing;
  -- Read again: the mail may have been sent again meanwhile.
  if not found then
    return true;
  end if;
  if _kind = 'reclamo' then
    perform private.suppress_mail(_user_id, _mail.recipient, 'reclamo');
  elsif _kind = 'rimbalzo' then
    perform private.bounce_mail(_mail, _status, _told, _recipient);
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.suppress_mail (
  _user_id uuid,
  _address text,
  _reason  public.mail_suppression_reason
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _contact_id uuid;
begin
  insert into public.mail_suppressions (user_id, address, reason)
  select id, lower(_address), _reason from auth.users where id = _user_id
  on conflict (user_id, address) do nothing;
  -- An objection takes back the consent as well; an address that does not exist says nothing about its owner.
  if _reason in ('disiscritto', 'reclamo') then
    select private.living_contact(_user_id, contact_id) into _contact_id
    from public.contact_emails where user_id = _user_id and norm = lower(_address);
    if _contact_id is not null then
      perform private.set_consent(
        _user_id, _contact_id, 'email', 'marketing', 'revocato', null, null,
        case _reason when 'reclamo' then 'Segnalazione come spam' else 'Link di disiscrizione' end
      );
    end if;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.queue_mail (
  _key          uuid,
  _contact_id   uuid,
  _recipient    text,
  _subject      text,
  _body         text,
  _basis        public.mail_basis        DEFAULT 'contratto'::public.mail_basis,
  _invoice_id   uuid                     DEFAULT NULL::uuid,
  _document_ids uuid[]                   DEFAULT '{}'::uuid[],
  _not_before   timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _is_at_once   boolean                  DEFAULT false,
  _sale_id      uuid                     DEFAULT NULL::uuid,
  _is_automatic boolean                  DEFAULT false
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
    is_automatic, not_before, expires_at
  )
  values (
    _user_id, _contact_id, _key, _recipient, _subject, private.signed_body(_body, _account), _basis,
    case when _basis = 'soft_spam' then _sale_id end, _invoice_id, _document_ids, private.new_message_id(_account),
    _is_at_once, _is_automatic, _due, _due + interval '1 day'
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _mail;
  return _mail;
end
$function$;

REVOKE ALL
  ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid, boolean)
  FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."mail_reports"
  ADD CONSTRAINT "mail_reports_user_id_outgoing_id_fkey" FOREIGN KEY (user_id, outgoing_id) REFERENCES public.outgoing_mails(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_reports"
  ADD CONSTRAINT "mail_reports_user_id_outgoing_id_sha256_kind_key" UNIQUE (user_id, outgoing_id, sha256, kind);

ALTER TABLE "public"."mail_reports"
  ADD CONSTRAINT "sha256_is_hexadecimal" CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text));

ALTER TABLE "public"."mail_reports"
  ADD CONSTRAINT "status_is_a_code" CHECK ((status ~ '^[245]\.[0-9]{1,3}\.[0-9]{1,3}$'::text));

CREATE VIEW "public"."notification_kinds" WITH (security_invoker=on) AS  SELECT kind,
    (category)::public.notification_category AS category,
    label,
    (type)::public.notification_type AS type,
    (channels)::text[] AS channels,
    is_urgent,
    window_minutes,
    many,
    list,
    action
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_respinta'::text,'attivita'::text,'E-mail respinte'::text,'warning'::text,'{in_app}'::text,true,60,'e-mail respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

CREATE OR REPLACE FUNCTION private.ring (
  _user_id     uuid,
  _kind        public.notification_kinds,
  _title       text,
  _message     text,
  _action_url  text,
  _dedupe_key  text,
  _entity_type text,
  _entity_id   uuid,
  _is_read     boolean
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _id uuid;
begin
  if (_kind).window_minutes > 0 and not _is_read then
    update public.notifications
    set batch_count = batch_count + 1, title = (batch_count + 1) || ' ' || (_kind).many,
      message = left(case when batch_count = 1 then title else message end || ' · ' || _title, 600),
      action_url = (_kind).list, entity_type = null, entity_id = null
    where id = (
      select id from public.notifications
      where user_id = _user_id and batch_key = (_kind).kind and not is_read
        and created_at > now() - make_interval(mins => (_kind).window_minutes)
      order by created_at desc limit 1 for update
    )
    returning id into _id;
  end if;
  if _id is null then
    insert into public.notifications (
      user_id, title, message, type, action_url, kind, category, dedupe_key, batch_key, entity_type, entity_id, is_read, read_at
    ) values (
      _user_id, _title, _message, (_kind).type, _action_url, (_kind).kind, (_kind).category, _dedupe_key, (_kind).kind,
      _entity_type, _entity_id, _is_read, case when _is_read then now() end
    ) returning id into _id;
  end if;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.schedule_delivery (
  _first    uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.notification_deliveries (
    user_id, notification_id, kind, channel, dedupe_key, batch_key, title, message, action_url, is_in_app, not_before, state
  )
  select user_id, notification_id, kind, _channel, dedupe_key, batch_key, title, message, action_url, is_in_app,
    -- With the family that waits already.
    coalesce(
      (
        select min(not_before) from private.notification_deliveries as waiting
        where waiting.user_id = told.user_id and waiting.channel = _channel and waiting.batch_key = told.batch_key
          and state = 'attesa' and (_kind).window_minutes > 0
      ),
      private.delivery_time(now(), _settings, (_kind).is_urgent or _channel = 'push',
        make_interval(mins => (_kind).window_minutes))
    ),
    'attesa'
  from private.notification_deliveries as told where id = _first
$function$;

CREATE OR REPLACE FUNCTION private.wants (
  _user_id  uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when (_kind).category = 'sistema' then _channel::text = any ((_kind).channels)
    else (_kind).kind <> all ((_settings).muted) and coalesce(
      (
        select is_enabled from public.notification_prefs
        where user_id = _user_id and category = (_kind).category and channel = _channel
      ),
      _channel::text = any ((_kind).channels)
    )
  end
$function$;

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "anon";

CREATE POLICY "owners read the reports about their mails" ON "public"."mail_reports"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."mail_reports"."sha256" IS 'Of the mail that brought the report.';

COMMENT ON COLUMN "public"."mail_reports"."status" IS 'A code of RFC 3463, such as 5.1.1.';

COMMENT ON COLUMN "public"."mail_reports"."told" IS 'In the words of the server.';

COMMENT ON COLUMN "public"."outgoing_mails"."is_automatic" IS 'No person wrote it or pressed «Invia»: it keeps the limits of such mails.';

COMMENT ON FUNCTION "private"."bounce_mail"(public.outgoing_mails, text, text, text) IS 'Marks a mail that came back, tells its writer, and suppresses an address that cannot receive.';

COMMENT ON FUNCTION "private"."may_be_automatic"(uuid, text, uuid) IS 'Whether an address may get a mail that nobody wrote by hand: at most three a day, and none to a machine or a list.';

COMMENT ON FUNCTION "private"."note_mail_report"(uuid, text, public.mail_report_kind, text, text, text, text, timestamp with time zone) IS 'Records what a server said about a mail, once; suppresses whoever cannot or does not want to receive. False for a mail that the person did not send.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."suppress_mail"(uuid, text, public.mail_suppression_reason) IS 'Puts an address on the suppression list of a person; a recipient that unsubscribed or complained also takes back the consent.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON FUNCTION "public"."preview_campaign"(uuid[], text, text, public.mail_basis) IS 'Tells which contact would get what, which are left out and why, how many mails are left today, and whether the number is to be typed.';

COMMENT ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp
  with time zone, boolean, uuid, boolean) IS 'Queues a mail of the caller to an address of a contact, or refuses; the same key again returns the first mail.';

COMMENT ON TABLE "public"."mail_reports" IS 'What servers said about mails of the outbox; written by note_mail_report() only.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."bounce_mail"(public.outgoing_mails, text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."may_be_automatic"(uuid, text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_mail_report"(uuid, text, public.mail_report_kind, text, text, text, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_mail_report"(uuid, text, public.mail_report_kind, text, text, text, text, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid, boolean) TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_reports" FROM "authenticated";

GRANT SELECT ON TABLE "public"."mail_reports" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_reports" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_reports" TO "service_role";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

reset check_function_bodies;
