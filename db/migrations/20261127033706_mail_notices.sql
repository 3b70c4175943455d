-- Mail notices.
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE OR REPLACE FUNCTION private.home_content
--   CREATE OR REPLACE FUNCTION private.home_mail
--   CREATE OR REPLACE FUNCTION private.keep_received_mail
--   CREATE OR REPLACE FUNCTION private.notify_received_mail
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE TRIGGER settle_notices AFTER UPDATE OF is_done ON public.mail_threads FOR EACH ROW WHEN ((new.is_done …
--   ALTER PUBLICATION supabase_realtime ADD TABLE public.mail_threads
--   COMMENT ON FUNCTION private.home_mail
--   COMMENT ON FUNCTION private.notify_received_mail
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   REVOKE ALL ON FUNCTION private.home_mail
--   REVOKE ALL ON FUNCTION private.notify_received_mail
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role

set check_function_bodies = off;

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

CREATE OR REPLACE FUNCTION private.home_content (
  _user_id uuid,
  _parts   private.open_part[],
  _facts   private.insight_fact[],
  _today   date
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  _content constant jsonb := jsonb_build_object(
    'to_cash', private.home_side(_parts, 'attiva', _today), 'to_pay', private.home_side(_parts, 'passiva', _today),
    'months', private.home_months(_user_id, _parts, _today),
    'forecast', private.home_forecast(_user_id, _parts, _today),
    'work', private.home_work(_user_id, _today), 'deals', private.home_deals(_user_id),
    'mail', private.home_mail(_user_id), 'activity', private.home_activity(_user_id),
    'waiting', (select data from unnest(_facts) as fact where fact.entity_type = 'register'),
    'has_invoices', exists (select from public.invoices where user_id = _user_id and direction = 'attiva'),
    'has_contacts', exists (
      select from public.contacts where user_id = _user_id and merged_into is null and deleted_at is null
    )
  );
begin
  return _content || jsonb_build_object('briefing', private.briefing(_content, _facts));
end
$function$;

CREATE OR REPLACE FUNCTION private.home_mail (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with waiting as (
    select * from public.mail_threads where user_id = _user_id and not is_done
  ), latest as (
    select waiting.*, contacts.name from waiting
    left join public.contacts on contacts.user_id = _user_id and contacts.id = contact_id
    order by last_at desc, waiting.id limit 3
  )
  select jsonb_build_object(
    'count', (select count(*) from waiting),
    'threads', (select coalesce(jsonb_agg(jsonb_build_object(
      'id', id, 'subject', subject, 'party', coalesce(name, party_name, party), 'last_at', last_at,
      'has_warnings', has_warnings
    ) order by last_at desc, id), '[]') from latest)
  )
$function$;

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
begin
  -- One at a time: two mails of one conversation must find each other.
  perform from public.mail_inboxes where user_id = _user_id for no key update;
  if not found then
    return;
  end if;
  _mail.user_id := _user_id;
  _mail.contact_id := private.living_contact(_user_id, (
    select contact_id from public.contact_emails where user_id = _user_id and norm = _mail.party
  ));
  update public.received_mails
  set folder_name = _mail.folder_name, uidvalidity = _mail.uidvalidity, message_uid = _mail.message_uid
  where user_id = _user_id and message_id = _mail.message_id and sha256 = _mail.sha256;
  if found or exists (
    select from public.received_mails
    where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid
  ) then
    return query select id, thread_id, contact_id, false from public.received_mails
      where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid;
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

CREATE OR REPLACE FUNCTION private.notify_received_mail (
  _mail public.received_mails
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.notify(
    _mail.user_id, 'email_ricevuta', 'E-mail da ' || name,
    case when _mail.warnings <> '[]' then 'Controlla chi scrive prima di rispondere: ' else '' end || _mail.subject,
    '/crm?vista=posta&conversazione=' || _mail.thread_id, 'email_ricevuta:' || _mail.id, 'mail_thread', _mail.thread_id
  )
  from public.contacts
  where user_id = _mail.user_id and id = _mail.contact_id and _mail.folder = 'ricevuti' and _mail.kind = 'persona'
    -- The first reading brings a year of mails, and the first after a pause some days of them.
    and _mail.at > now() - interval '1 day'
$function$;

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
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_ricevuta'::text,'attivita'::text,'E-mail ricevute'::text,'info'::text,'{in_app}'::text,false,30,'e-mail ricevute'::text,'/crm?vista=posta'::text,NULL::text), ('email_respinta'::text,'attivita'::text,'E-mail respinte'::text,'warning'::text,'{in_app}'::text,true,60,'e-mail respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

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

CREATE TRIGGER settle_notices
  AFTER UPDATE OF is_done ON public.mail_threads
  FOR EACH ROW
  WHEN ((new.is_done AND (NOT old.is_done)))
  EXECUTE FUNCTION private.settle_notices('mail_thread');

-- On hosted Supabase the publication may belong to another role.
do $$
begin
  alter publication supabase_realtime add table public.mail_threads;
exception
  when insufficient_privilege or undefined_object then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;

COMMENT ON FUNCTION "private"."home_mail"(uuid) IS 'Conversations by mail that wait, as /crm?vista=posta counts them, with the latest.';

COMMENT ON FUNCTION "private"."notify_received_mail"(public.received_mails) IS 'Tells that a contact has written just now; of strangers and machines nothing.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."home_mail"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify_received_mail"(public.received_mails) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

reset check_function_bodies;
