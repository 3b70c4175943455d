-- Agent weeks.
--   DROP TRIGGER recall_about_paid ON public.invoices
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE OR REPLACE FUNCTION private.agent_week
--   CREATE OR REPLACE FUNCTION private.recall_about_paid
--   CREATE OR REPLACE FUNCTION private.tell_agent_weeks
--   CREATE OR REPLACE FUNCTION public.agent_week
--   REVOKE ALL ON FUNCTION public.agent_week
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE TRIGGER recall_about_paid AFTER UPDATE OF paid_on ON public.invoice_schedules FOR EACH ROW WHEN (((new…
--   CREATE TRIGGER recall_about_paid AFTER UPDATE OF paid_on ON public.invoices FOR EACH ROW WHEN (((new.paid_on …
--   COMMENT ON FUNCTION private.agent_week
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.tell_agent_weeks
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON FUNCTION public.agent_week
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   REVOKE ALL ON FUNCTION private.agent_week
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.tell_agent_weeks
--   GRANT EXECUTE ON FUNCTION private.tell_agent_weeks
--   REVOKE ALL ON FUNCTION private.wants
--   GRANT EXECUTE ON FUNCTION public.agent_week
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role

set check_function_bodies = off;

DROP TRIGGER "recall_about_paid" ON "public"."invoices";

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

CREATE OR REPLACE FUNCTION private.agent_week (
  _user_id uuid,
  _until   timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with steps as (
    select * from public.goal_steps
    where user_id = _user_id and coalesce(done_at, approved_at, created_at) > _until - interval '7 days'
      and coalesce(done_at, approved_at, created_at) <= _until
  ), logged as (
    select * from public.ethical_logs where user_id = _user_id and at > _until - interval '7 days' and at <= _until
  ), asked as (
    -- Each part once, whenever it was asked for first.
    select (item ->> 'invoice_id')::uuid as invoice_id, (item ->> 'no')::integer as no,
      min((done_at at time zone 'Europe/Rome')::date) as asked_on
    from public.goal_steps cross join lateral jsonb_array_elements(args -> 'items') as item
    where goal_steps.user_id = _user_id and state = 'fatto' and done_at <= _until group by 1, 2
  )
  select jsonb_build_object(
    'sent', (select count(*) from steps where state = 'fatto'),
    'sent_cents', (select coalesce(sum((preview ->> 'cents')::bigint), 0) from steps where state = 'fatto'),
    'refused', (select count(*) from steps where state = 'rifiutato'),
    'blocked', (select count(*) from steps where state = 'bloccato'),
    'unneeded', (select count(*) from steps where state in ('saltato', 'annullato')),
    'cashed_cents', (
      select coalesce(sum(part.cents), 0) from asked
      join public.invoice_parts as part on part.user_id = _user_id and part.invoice_id = asked.invoice_id
        and part.no = asked.no and part.counts
      where part.paid_on >= asked_on and part.paid_on > ((_until - interval '7 days') at time zone 'Europe/Rome')::date
        and part.paid_on <= (_until at time zone 'Europe/Rome')::date
    ),
    'rules', (
      select coalesce(jsonb_agg(jsonb_build_object('id', rule, 'times', times) order by times desc, rule), '[]')
      from (select unnest(rules) as rule, count(*) as times from logged where action = 'giudizio' group by 1) as spoke
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.recall_about_paid()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Of an invoice its own id, of a part that of its invoice.
  perform private.recall_goal_mails(new.user_id, null, (to_jsonb(new) ->> tg_argv[0])::uuid);
  -- What else the client owes is asked for again without it.
  update public.goals set next_run_at = now() where user_id = new.user_id and state in ('attivo', 'in_attesa');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.tell_agent_weeks (
  _now   timestamp with time zone,
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with monday as (
    select date_trunc('week', _now at time zone 'Europe/Rome') as day
  ), due as (
    select distinct user_id, 'settimana_agenti:' || day::date as key, (day at time zone 'Europe/Rome') as until
    from public.goal_steps cross join monday
    where (_now at time zone 'Europe/Rome') >= day + interval '8 hours'
      and created_at > (day at time zone 'Europe/Rome') - interval '7 days' and created_at <= (day at time zone 'Europe/Rome')
      and not exists (
        select from private.notification_deliveries
        where notification_deliveries.user_id = goal_steps.user_id and dedupe_key = 'settimana_agenti:' || day::date
      )
    limit _limit
  ), weeks as (
    select user_id, key, private.agent_week(user_id, until) as week from due
  ), told as (
    select private.notify(
      user_id, 'settimana_agenti', 'La settimana dei tuoi agenti',
      concat_ws(' ',
        private.counted((week ->> 'sent')::bigint, 'Un messaggio inviato.', 'messaggi inviati.'),
        case when (week ->> 'cashed_cents')::bigint > 0
          then 'Incassati dopo un sollecito: ' || private.euros((week ->> 'cashed_cents')::bigint, 'EUR') || '.' end,
        case when (week ->> 'refused')::bigint > 0 then 'Rifiutati da te: ' || (week ->> 'refused') || '.' end,
        case when (week ->> 'blocked')::bigint > 0 then 'Bloccati dalle regole: ' || (week ->> 'blocked') || '.' end
      ),
      '/projects?vista=obiettivi', key
    )
    from weeks
  )
  select count(*) from told
$function$;

CREATE OR REPLACE FUNCTION public.agent_week()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.agent_week((select auth.uid()), now())
$function$;

REVOKE ALL ON FUNCTION "public"."agent_week"() FROM PUBLIC, "anon", "service_role";

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
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_ricevuta'::text,'attivita'::text,'E-mail ricevute'::text,'info'::text,'{in_app}'::text,false,30,'e-mail ricevute'::text,'/crm?vista=posta'::text,NULL::text), ('messaggio_whatsapp'::text,'attivita'::text,'Messaggi WhatsApp'::text,'info'::text,'{in_app}'::text,false,60,'messaggi WhatsApp'::text,'/crm?vista=whatsapp'::text,NULL::text), ('whatsapp_fermo'::text,'attivita'::text,'WhatsApp da controllare'::text,'warning'::text,'{in_app}'::text,true,0,NULL::text,'/settings/channels'::text,NULL::text), ('email_respinta'::text,'attivita'::text,'E-mail respinte'::text,'warning'::text,'{in_app}'::text,true,60,'e-mail respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('settimana_agenti'::text,'attivita'::text,'Settimana degli agenti'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/projects?vista=obiettivi'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

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

CREATE TRIGGER recall_about_paid
  AFTER UPDATE OF paid_on ON public.invoice_schedules
  FOR EACH ROW
  WHEN (((new.paid_on IS NOT NULL) AND (old.paid_on IS NULL)))
  EXECUTE FUNCTION private.recall_about_paid('invoice_id');

CREATE TRIGGER recall_about_paid
  AFTER UPDATE OF paid_on ON public.invoices
  FOR EACH ROW
  WHEN (((new.paid_on IS NOT NULL) AND (old.paid_on IS NULL)))
  EXECUTE FUNCTION private.recall_about_paid('id');

COMMENT ON FUNCTION "private"."agent_week"(uuid, timestamp with time zone) IS 'The seven days of a person''s agents until a moment: {sent, sent_cents, refused, blocked, unneeded, cashed_cents, rules}.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."tell_agent_weeks"(timestamp with time zone, integer) IS 'From Monday at eight tells people whose agents worked what they did in the week before, once; answers how many were told.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON FUNCTION "public"."agent_week"() IS 'The last seven days of the caller''s agents.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."agent_week"(uuid, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tell_agent_weeks"(timestamp WITH time zone, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tell_agent_weeks"(timestamp WITH time zone, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."agent_week"() TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

reset check_function_bodies;
