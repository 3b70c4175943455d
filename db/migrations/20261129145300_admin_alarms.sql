-- Admin alarms.
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE TABLE private.alarms ( report text NOT NULL, rule text NOT NULL, light text NOT NULL, since timestamp …
--   ALTER TABLE private.alarms ENABLE ROW LEVEL SECURITY
--   ALTER TYPE public.notification_category ADD VALUE 'amministrazione' AFTER 'sistema'
--   CREATE OR REPLACE FUNCTION private.findings
--   CREATE OR REPLACE FUNCTION private.follow_alarms
--   CREATE OR REPLACE FUNCTION private.keep_client_sizes
--   CREATE OR REPLACE FUNCTION private.light
--   CREATE OR REPLACE FUNCTION private.measure_uptime
--   CREATE OR REPLACE FUNCTION private.newest_snapshots
--   CREATE OR REPLACE FUNCTION private.note_uptime
--   CREATE OR REPLACE FUNCTION private.report_name
--   CREATE OR REPLACE FUNCTION private.taken_over_by
--   CREATE OR REPLACE FUNCTION public.admin_overview
--   CREATE OR REPLACE FUNCTION public.admin_take_over_alarm
--   REVOKE ALL ON FUNCTION public.admin_take_over_alarm
--   CREATE OR REPLACE FUNCTION public.notification_choices
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   COMMENT ON COLUMN private.alarms.taken_over_at IS 'When an admin said that they look after it: the log of adm…
--   COMMENT ON COLUMN private.alarms.told IS 'The worst that admins were told of it.'
--   COMMENT ON FUNCTION private.findings
--   COMMENT ON FUNCTION private.follow_alarms
--   COMMENT ON FUNCTION private.keep_client_sizes
--   COMMENT ON FUNCTION private.measure_uptime
--   COMMENT ON FUNCTION private.newest_snapshots
--   COMMENT ON FUNCTION private.report_name
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.taken_over_by
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON FUNCTION public.admin_overview
--   COMMENT ON FUNCTION public.admin_take_over_alarm
--   COMMENT ON FUNCTION public.notification_choices
--   COMMENT ON TABLE private.alarms IS 'What is wrong with the figures of the reports, and what was within half a…
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   REVOKE ALL ON FUNCTION private.findings
--   REVOKE ALL ON FUNCTION private.follow_alarms
--   REVOKE ALL ON FUNCTION private.keep_client_sizes
--   GRANT EXECUTE ON FUNCTION private.keep_client_sizes
--   REVOKE ALL ON FUNCTION private.measure_uptime
--   REVOKE ALL ON FUNCTION private.newest_snapshots
--   REVOKE ALL ON FUNCTION private.report_name
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.taken_over_by
--   REVOKE ALL ON FUNCTION private.wants
--   REVOKE ALL ON FUNCTION public.admin_take_over_alarm
--   GRANT EXECUTE ON FUNCTION public.admin_take_over_alarm
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role

set check_function_bodies = off;

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

CREATE TABLE "private"."alarms" (
  "report"        text                     NOT NULL,
  "rule"          text                     NOT NULL,
  "light"         text                     NOT NULL,
  "since"         timestamp with time zone NOT NULL DEFAULT now(),
  "calm_since"    timestamp with time zone,
  "told"          text,
  "taken_over_at" timestamp with time zone,
  CONSTRAINT "alarms_pkey" PRIMARY KEY (report, RULE),
  CONSTRAINT "light_is_known" CHECK ((light = ANY (ARRAY['warning'::text, 'error'::text]))),
  CONSTRAINT "told_is_known" CHECK ((told = ANY (ARRAY['warning'::text, 'error'::text])))
);

ALTER TABLE "private"."alarms"
  ENABLE ROW LEVEL SECURITY;

ALTER TYPE "public"."notification_category" ADD VALUE 'amministrazione' AFTER 'sistema';

CREATE OR REPLACE FUNCTION private.findings (
  _snapshot private.admin_snapshots
)
  RETURNS TABLE (
    rule    text,
    light   text,
    finding text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select rules.rule, rules.light, rules.finding
  from jsonb_to_record(_snapshot.content -> 'figures') as figures (
    connections numeric, max_connections numeric, xid_age numeric, cache_hit numeric, longest_transaction_s numeric,
    blocked numeric, slot_lag_bytes numeric, longest_wait_s numeric, periodic_late_s numeric, dead_letters numeric,
    mails_failed_today numeric, failed numeric, open_alerts numeric, oldest_waiting_s numeric, drifted numeric,
    old_holds numeric, negative_margins numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric, breaches_late numeric, breaches_open numeric, guessed numeric, keys_late numeric,
    backup_failed numeric, restore_failed numeric, forged numeric, backup_age_h numeric, restore_age_h numeric,
    backups numeric, reached numeric, rules_changed numeric, proof_age_h numeric, open_incidents numeric,
    failing numeric, free_bytes numeric, total_bytes numeric, lcp_168 numeric, inp_168 numeric, cls_168 numeric
  )
  cross join lateral (values
    ('database', 'connections', 'error', connections > 0.9 * max_connections,
      format('Connessioni quasi finite: %s di %s.', connections, max_connections)),
    ('database', 'xid_age', case when xid_age > 1500000000 then 'error' else 'warning' end, xid_age > 500000000,
      'Il vacuum è in ritardo: le transazioni possono finire.'),
    ('database', 'cache_hit', 'warning', cache_hit < 95, format('Letture dalla memoria: solo il %s %%.', trim_scale(round(cache_hit, 1)))),
    ('database', 'longest_transaction_s', 'warning', longest_transaction_s > 300,
      format('Una transazione è aperta da %s minuti.', floor(longest_transaction_s / 60))),
    ('database', 'blocked', 'warning', blocked > 0, format('Sessioni bloccate: %s.', blocked)),
    ('database', 'slot_lag_bytes', 'warning', slot_lag_bytes > 1073741824,
      format('La replica è indietro di %s.', pg_size_pretty(slot_lag_bytes))),
    ('queue', 'longest_wait_s', 'error', longest_wait_s > 300, format('Un lavoro aspetta da %s minuti.', floor(longest_wait_s / 60))),
    ('queue', 'periodic_late_s', 'error', periodic_late_s > 300,
      format('Un lavoro periodico è in ritardo di %s minuti.', floor(periodic_late_s / 60))),
    ('queue', 'dead_letters', 'warning', dead_letters > 0, format('Lavori falliti: %s.', dead_letters)),
    ('queue', 'mails_failed_today', 'warning', mails_failed_today > 0, format('Email fallite oggi: %s.', mails_failed_today)),
    ('payments', 'failed', 'error', failed > 0, format('Eventi di pagamento falliti: %s.', failed)),
    ('payments', 'open_alerts', 'warning', open_alerts > 0, format('Avvisi aperti sui pagamenti: %s.', open_alerts)),
    ('payments', 'oldest_waiting_s', 'warning', oldest_waiting_s > 3600,
      format('Un evento di pagamento aspetta da %s minuti.', floor(oldest_waiting_s / 60))),
    ('credits', 'drifted', 'error', drifted > 0, format('Portafogli che non tornano con i loro movimenti: %s.', drifted)),
    ('credits', 'old_holds', 'warning', old_holds > 0, format('Riserve aperte da oltre 10 minuti: %s.', old_holds)),
    ('credits', 'negative_margins', 'warning', negative_margins > 0, format('Azioni in perdita: %s.', negative_margins)),
    ('errors', 'last_day', case when last_day > 500 then 'error' else 'warning' end,
      last_day > 500 or last_day > 20 and last_day > 2 * day_before,
      format('Errori nei browser in 24 ore: %s; il giorno prima: %s.', last_day, day_before)),
    ('errors', 'regressions', 'warning', regressions > 0, format('Errori risolti e tornati: %s.', regressions)),
    ('security', 'lints', 'error', lints > 0, format('Regole di sicurezza violate: %s.', lints)),
    ('security', 'breaches_late', 'error', breaches_late > 0, format('Violazioni di dati aperte da oltre 72 ore: %s.', breaches_late)),
    ('security', 'breaches_open', 'warning', breaches_open > 0, format('Violazioni di dati aperte: %s.', breaches_open)),
    ('security', 'admins_without_factor', 'warning', admins_without_factor > 0,
      format('Amministratori senza secondo fattore: %s.', admins_without_factor)),
    ('security', 'guessed', 'warning', guessed > 20, format('Account provati con password sbagliate: %s.', guessed)),
    ('security', 'keys_late', 'warning', keys_late > 0, format('Chiavi da cambiare: %s.', keys_late)),
    ('backups', 'backup_failed', 'error', backup_failed > 0, 'L’ultima copia di sicurezza non è riuscita.'),
    ('backups', 'restore_failed', 'error', restore_failed > 0, 'L’ultima prova di ripristino non è riuscita.'),
    ('backups', 'forged', 'error', forged > 0, format('Prove di ripristino con una firma falsa: %s.', forged)),
    ('backups', 'backup_age_h', case when backup_age_h > 72 then 'error' else 'warning' end, backup_age_h > 26,
      format('L’ultima copia di sicurezza ha %s ore.', round(backup_age_h))),
    ('backups', 'backups', 'warning', backups = 0, 'Non c’è nessuna copia di sicurezza.'),
    ('backups', 'restore_age_h', 'warning', restore_age_h > 240,
      format('L’ultima prova di ripristino ha %s giorni.', floor(restore_age_h / 24))),
    ('isolation', 'reached', 'error', reached > 0, format('Tentativi riusciti di arrivare ai dati altrui: %s.', reached)),
    ('isolation', 'forged', 'error', forged > 0, format('Prove di isolamento con una firma falsa: %s.', forged)),
    ('isolation', 'rules_changed', 'warning', rules_changed > 0, 'Le regole di accesso sono cambiate dopo l’ultima prova.'),
    ('isolation', 'proof_age_h', 'warning', proof_age_h > 240, format('L’ultima prova di isolamento ha %s giorni.', floor(proof_age_h / 24))),
    ('uptime', 'open_incidents', 'error', open_incidents > 0, format('Interruzioni aperte: %s.', open_incidents)),
    ('uptime', 'failing', 'warning', failing > 0, format('Parti che non rispondono: %s.', failing)),
    ('disk', 'free_bytes', case when free_bytes < 0.05 * total_bytes then 'error' else 'warning' end,
      free_bytes < 0.1 * total_bytes,
      format('Spazio libero sul disco: %s su %s.', pg_size_pretty(free_bytes), pg_size_pretty(total_bytes))),
    ('performance', 'lcp_168', case when lcp_168 > 4000 then 'error' else 'warning' end, lcp_168 > 2500,
      format('Contenuto visibile (LCP): %s ms.', round(lcp_168))),
    ('performance', 'inp_168', case when inp_168 > 500 then 'error' else 'warning' end, inp_168 > 200,
      format('Risposta ai tocchi (INP): %s ms.', round(inp_168))),
    ('performance', 'cls_168', case when cls_168 > 0.25 then 'error' else 'warning' end, cls_168 > 0.1,
      format('Spostamenti (CLS): %s.', replace(round(cls_168, 3)::text, '.', ',')))
  ) as rules (name, rule, light, holds, finding)
  where rules.name = _snapshot.name and holds
$function$;

CREATE OR REPLACE FUNCTION private.follow_alarms()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _due private.alarms;
  _finding text;
begin
  with found as (
    select newest.name, each.rule, each.light
    from private.newest_snapshots() as newest cross join lateral private.findings(newest) as each
  ), kept as (
    insert into private.alarms as known (report, rule, light) select name, rule, light from found
    on conflict (report, rule) do update set
      light = excluded.light, calm_since = null,
      -- In the alphabet too an error comes first. What gets worse begins there, and is for somebody to look after again.
      since = case when known.light <= excluded.light then known.since else now() end,
      taken_over_at = case when known.light <= excluded.light then known.taken_over_at end
  )
  update private.alarms as known set calm_since = now()
  where calm_since is null and not exists (select from found where found.name = known.report and found.rule = known.rule);

  delete from private.alarms where calm_since <= now() - interval '30 minutes';

  for _due in
    update private.alarms set told = light
    where calm_since is null and (
      light = 'error' and told is distinct from 'error'
      or light = 'warning' and told is null and since <= now() - interval '1 day'
    )
    returning *
  loop
    select found.finding into _finding
    from private.newest_snapshots() as newest cross join lateral private.findings(newest) as found
    where newest.name = _due.report and found.rule = _due.rule;
    perform private.notify(
      user_id, 'allarme',
      case _due.light when 'error' then 'Da risolvere: ' else 'Da guardare: ' end || private.report_name(_due.report),
      _finding, '/admin', concat_ws(':', 'allarme', _due.report, _due.rule, _due.light, _due.since)
    )
    from public.user_roles where role = 'admin';
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_client_sizes (
  _release text,
  _sizes   jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _known constant jsonb := coalesce(
    (select content #> '{tables,releases}' from private.admin_snapshots where name = 'client' order by slot desc limit 1),
    '[]'
  );
begin
  perform private.keep_snapshot('client', '1 day', jsonb_build_object(
    'figures', _sizes,
    'tables', jsonb_build_object('releases', case
      when _known #>> '{0,release}' = _release then _known
      -- The newest first, as many as a screen shows.
      else (
        select jsonb_agg(each order by place)
        from jsonb_array_elements(jsonb_build_array(jsonb_build_object('release', _release, 'since', now()) || _sizes) || _known)
          with ordinality as releases (each, place)
        where place <= 12
      )
    end)
  ));
end
$function$;

CREATE OR REPLACE FUNCTION private.light (
  _snapshot private.admin_snapshots
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when _snapshot.taken_at < now() - 3 * _snapshot.every then 'old'
    -- An error comes before a warning in the alphabet too.
    else coalesce((select min(found.light) from private.findings(_snapshot) as found), 'ok')
  end
$function$;

CREATE OR REPLACE FUNCTION private.measure_uptime()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('figures', jsonb_build_object(
    'open_incidents', (select count(*) from private.incidents where ended_at is null),
    'failing', (select count(*) from private.uptime_parts where viewpoint = 'worker' and not is_up)
  ))
$function$;

CREATE OR REPLACE FUNCTION private.newest_snapshots()
  RETURNS SETOF private.admin_snapshots
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select newest.*
  from unnest(array[
    'database', 'queue', 'payments', 'credits', 'errors', 'security', 'backups', 'isolation', 'uptime', 'disk', 'people'
  ]) as wanted (name)
  cross join lateral (
    select * from private.admin_snapshots where name = wanted.name order by slot desc limit 1
  ) as newest
$function$;

CREATE OR REPLACE FUNCTION private.note_uptime (
  _viewpoint text,
  _then      timestamp with time zone,
  _checks    jsonb,
  _journey   jsonb                    DEFAULT NULL::jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- The worker's clock is the database's.
  _at constant timestamptz := coalesce(_then, now());
  _last constant timestamptz := (
    select checked_at from private.uptime_parts where viewpoint = _viewpoint and part = 'worker'
  );
begin
  -- A second machine keeps a week of results while the installation is away; a clock may be a little ahead.
  if _at > now() + interval '2 minutes' or _at < now() - interval '8 days' then
    return false;
  end if;
  with given as (
    select part, is_up, took_ms, coalesce(minutes, 1) as minutes
    from jsonb_to_recordset(_checks) as checks (part text, is_up boolean, took_ms integer, minutes integer)
  ), noted as (
    -- Results come in the order of their times, so one that is not newer is known already.
    insert into private.uptime_parts as known (
      viewpoint, part, is_up, took_ms, minutes, first_checked_at, changed_at, checked_at
    )
    select _viewpoint, part, is_up, took_ms, minutes, _at, _at, _at from given
    on conflict (viewpoint, part) do update set is_up = excluded.is_up, took_ms = excluded.took_ms,
      minutes = excluded.minutes, checked_at = _at,
      changed_at = case when known.is_up = excluded.is_up then known.changed_at else _at end,
      streak = case when known.is_up = excluded.is_up then known.streak + 1 else 1 end
    where known.checked_at < _at
    returning part, is_up, minutes
  )
  insert into private.uptime_days as known (viewpoint, part, day, answered, failed)
  select _viewpoint, part, (_at at time zone 'Europe/Rome')::date, minutes * is_up::integer, minutes * (not is_up)::integer
  from noted
  on conflict (viewpoint, part, day) do update set
    answered = known.answered + excluded.answered, failed = known.failed + excluded.failed;

  if _journey is not null then
    insert into private.journeys (viewpoint, made_at, steps) values (_viewpoint, _at, _journey) on conflict do nothing;
    delete from private.journeys where viewpoint = _viewpoint and made_at < now() - interval '1 day';
  end if;

  -- Minutes in which no worker asked: it failed, the other parts are not known. A late run is no failure.
  insert into private.uptime_days as known (viewpoint, part, day, failed)
  select _viewpoint, 'worker', (minute at time zone 'Europe/Rome')::date, count(*)
  from generate_series(
    greatest(_last, _at - interval '90 days') + interval '1 minute', _at - interval '1 minute', '1 minute'
  ) as minute
  where _last < _at - interval '5 minutes'
    and exists (select from jsonb_array_elements(_checks) as given where given ->> 'part' = 'worker')
  group by 3
  on conflict (viewpoint, part, day) do update set failed = known.failed + excluded.failed;

  delete from private.uptime_days where day < current_date - 90;
  if _viewpoint = 'worker' then
    perform private.follow_incidents();
    perform private.keep_snapshot('uptime', '10 minutes', private.measure_uptime());
    perform private.follow_alarms();
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.report_name (
  _name text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case _name
    when 'database' then 'Database'
    when 'queue' then 'Coda dei lavori'
    when 'payments' then 'Pagamenti'
    when 'credits' then 'Crediti'
    when 'errors' then 'Errori dei browser'
    when 'security' then 'Sicurezza'
    when 'backups' then 'Copie di sicurezza'
    when 'isolation' then 'Isolamento degli account'
    when 'uptime' then 'Disponibilità'
    when 'disk' then 'Disco'
    else _name
  end
$function$;

CREATE OR REPLACE FUNCTION private.taken_over_by (
  _alarm private.alarms
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(nullif(profiles.full_name, ''), 'un amministratore')
  from public.admin_actions as actions left join public.profiles on profiles.user_id = actions.admin_id
  where actions.action = 'alarm.take_over' and actions.target = concat_ws(':', _alarm.report, _alarm.rule) and actions.created_at = _alarm.taken_over_at
$function$;

CREATE OR REPLACE FUNCTION public.admin_overview()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return (
    select coalesce(jsonb_object_agg(newest.name, jsonb_build_object(
      'taken_at', newest.taken_at, 'light', private.light(newest), 'figures', newest.content -> 'figures',
      'findings', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'rule', found.rule, 'light', found.light, 'finding', found.finding, 'since', alarms.since,
          'taken_over_at', alarms.taken_over_at, 'taken_over_by', private.taken_over_by(alarms)
        ) order by found.light, alarms.since), '[]')
        from private.findings(newest) as found
        left join private.alarms on alarms.report = newest.name and alarms.rule = found.rule
      )
    )), '{}')
    from private.newest_snapshots() as newest
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.admin_take_over_alarm (
  _report text,
  _rule   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  update private.alarms set taken_over_at = now() where report = _report and rule = _rule and taken_over_at is null;
  -- Otherwise somebody was faster, or it is over: the screen shows which.
  if found then
    perform private.log_admin_action(
      'alarm.take_over', concat_ws(':', _report, _rule), null, null, null, 'Me ne occupo'
    );
    -- No other admin needs a mail any more.
    update public.notifications set is_read = true, read_at = now()
    where kind = 'allarme' and not is_read and starts_with(dedupe_key, concat_ws(':', 'allarme', _report, _rule, ''));
  end if;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_take_over_alarm"(text, text) FROM "anon", "service_role";

CREATE OR REPLACE FUNCTION public.notification_choices()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'settings', to_jsonb(settings) - array['user_id', 'briefed_on'],
    'channels', (
      select jsonb_object_agg(category, switches) from (
        select kinds.category, jsonb_object_agg(
          each.channel, coalesce(prefs.is_enabled, each.channel::text = any (kinds.channels))
        ) as switches
        -- The kinds of a category have the same channels.
        from (select distinct category, channels from public.notification_kinds) as kinds
        cross join unnest(enum_range(null::public.notification_channel)) as each (channel)
        left join public.notification_prefs as prefs
          on prefs.user_id = auth.uid() and prefs.category = kinds.category and prefs.channel = each.channel
        where kinds.category <> 'amministrazione'
          or exists (select from public.user_roles where user_id = auth.uid() and role = 'admin')
        group by kinds.category
      ) as rows
    )
  )
  from private.notification_settings_of(auth.uid()) as settings
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
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_ricevuta'::text,'attivita'::text,'Email ricevute'::text,'info'::text,'{in_app}'::text,false,30,'email ricevute'::text,'/crm?vista=posta'::text,NULL::text), ('messaggio_whatsapp'::text,'attivita'::text,'Messaggi WhatsApp'::text,'info'::text,'{in_app}'::text,false,60,'messaggi WhatsApp'::text,'/crm?vista=whatsapp'::text,NULL::text), ('whatsapp_fermo'::text,'attivita'::text,'WhatsApp da controllare'::text,'warning'::text,'{in_app}'::text,true,0,NULL::text,'/settings/channels'::text,NULL::text), ('email_respinta'::text,'attivita'::text,'Email respinte'::text,'warning'::text,'{in_app}'::text,true,60,'email respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('settimana_agenti'::text,'attivita'::text,'Settimana degli agenti'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/projects?vista=obiettivi'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('idea'::text,'sistema'::text,'Risposte alle tue idee'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/settings/ideas'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('allarme'::text,'amministrazione'::text,'Allarmi dell’installazione'::text,'error'::text,'{in_app,mail}'::text,true,10,'allarmi'::text,'/admin'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

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

COMMENT ON COLUMN "private"."alarms"."taken_over_at" IS 'When an admin said that they look after it: the log of admins has who.';

COMMENT ON COLUMN "private"."alarms"."told" IS 'The worst that admins were told of it.';

COMMENT ON FUNCTION "private"."findings"(private.admin_snapshots) IS 'Say what is wrong with the figures of a snapshot and how badly: warning or error.';

COMMENT ON FUNCTION "private"."follow_alarms"() IS 'Begin and end alarms by the newest snapshots, and tell the admins of what is new.';

COMMENT ON FUNCTION "private"."keep_client_sizes"(text, jsonb) IS 'Note what the parts of the client that is served weigh, in bytes, and the last twelve versions.';

COMMENT ON FUNCTION "private"."measure_uptime"() IS 'Count open incidents, and the parts that the last check did not reach.';

COMMENT ON FUNCTION "private"."newest_snapshots"() IS 'The newest snapshot of each report that the first screen of the admins shows.';

COMMENT ON FUNCTION "private"."report_name"(text) IS 'Name a report as people read it; web/src/strings/admin.ts has the same names.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."taken_over_by"(private.alarms) IS 'Name the admin who looks after an alarm; null: still open to all.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON FUNCTION "public"."admin_overview"() IS 'The newest figures of every report with their light, what is wrong with them, and since when, for admins.';

COMMENT ON FUNCTION "public"."admin_take_over_alarm"(text, text) IS 'Say that the caller looks after an alarm, for admins: mails about it that wait are not sent. Again changes nothing.';

COMMENT ON FUNCTION "public"."notification_choices"() IS 'What the caller chose, or the defaults: {settings: {digest, quiet_from, …}, channels: {category: {channel: is it on}}}; the alarms of the installation for admins only.';

COMMENT ON TABLE "private"."alarms" IS 'What is wrong with the figures of the reports, and what was within half an hour.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."findings"(private.admin_snapshots) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."follow_alarms"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_client_sizes"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_client_sizes"(text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."measure_uptime"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."newest_snapshots"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."report_name"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."taken_over_by"(private.alarms) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "public"."admin_take_over_alarm"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_take_over_alarm"(text, text) TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

reset check_function_bodies;
