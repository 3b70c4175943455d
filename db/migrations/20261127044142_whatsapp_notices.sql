-- Whatsapp notices.
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_message
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
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

CREATE OR REPLACE FUNCTION private.keep_whatsapp_message (
  _account_id uuid,
  _told       jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  -- A clock of ours that is late must not keep the window open for longer.
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
  _id uuid;
  _name text;
begin
  -- Locked, so that two messages of one stranger make one contact.
  select * into _account from public.whatsapp_accounts where id = _account_id for no key update;
  if not found or exists (
    select from public.whatsapp_messages where user_id = _account.user_id and message_id = _told ->> 'message_id'
  ) then
    return null;
  end if;
  _channel := private.whatsapp_channel(
    _account.user_id, _account.portfolio, _told ->> 'bsuid', _told ->> 'phone', _told ->> 'name', _told ->> 'username', _at
  );
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, message_id, kind, body, summary, refers_to, content, at
  )
  values (
    _account.user_id, _channel.contact_id, _channel.id, 'entrata', _told ->> 'message_id', _told ->> 'kind', _told ->> 'body',
    _told ->> 'summary', _told ->> 'refers_to', _told -> 'content', _at
  )
  returning id into _id;
  update public.contact_channels
  set failures = 0, last_inbound_at = greatest(last_inbound_at, _at), window_expires_at = greatest(window_expires_at, _at + interval '24 hours'),
    snippet = case when last_inbound_at > _at then snippet else left(_told ->> 'summary', 200) end,
    -- A message that was delivered late is not news after an answer.
    is_done = case when last_at > _at then is_done else false end, last_at = greatest(last_at, _at)
  where id = _channel.id
  returning * into _channel;
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_account.user_id, _channel.contact_id, 'whatsapp', 'entrata', _at, _told ->> 'summary');
  if private.is_stop_word(_told ->> 'body') then
    perform private.stop_whatsapp(_channel, _at);
    -- Confirmed once.
    if _channel.stopped_at is null and _channel.window_expires_at > now() then
      perform private.add_whatsapp(
        gen_random_uuid(), _channel, 'Va bene, non riceverai altri messaggi da questo numero.', null, null, now(), true
      );
    end if;
  end if;
  select name into _name from public.contacts where id = _channel.contact_id;
  -- No words of the message: what a stranger writes does not become a sentence of ours.
  perform private.notify(
    _account.user_id, 'messaggio_whatsapp', 'Messaggio WhatsApp', _name || ' ti ha scritto su WhatsApp.',
    '/crm?vista=whatsapp&conversazione=' || _channel.id, 'whatsapp ' || _id
  );
  return _id;
end
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
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_ricevuta'::text,'attivita'::text,'E-mail ricevute'::text,'info'::text,'{in_app}'::text,false,30,'e-mail ricevute'::text,'/crm?vista=posta'::text,NULL::text), ('messaggio_whatsapp'::text,'attivita'::text,'Messaggi WhatsApp'::text,'info'::text,'{in_app}'::text,false,60,'messaggi WhatsApp'::text,'/crm?vista=whatsapp'::text,NULL::text), ('whatsapp_fermo'::text,'attivita'::text,'WhatsApp da controllare'::text,'warning'::text,'{in_app}'::text,true,0,NULL::text,'/settings/channels'::text,NULL::text), ('email_respinta'::text,'attivita'::text,'E-mail respinte'::text,'warning'::text,'{in_app}'::text,true,60,'e-mail respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

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

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

reset check_function_bodies;
