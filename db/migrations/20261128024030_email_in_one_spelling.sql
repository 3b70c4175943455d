-- Email in one spelling.
--   DROP VIEW public.timeline
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE OR REPLACE FUNCTION private.add_demo_details
--   CREATE OR REPLACE FUNCTION private.bounce_mail
--   CREATE OR REPLACE FUNCTION private.contact_chores
--   CREATE OR REPLACE FUNCTION private.import_problems
--   CREATE OR REPLACE FUNCTION private.notify_received_mail
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE VIEW public.timeline WITH (security_invoker=on) AS SELECT ('interaction:'::text || interactions.id) AS…
--   REVOKE ALL ON TABLE public.timeline FROM anon
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   COMMENT ON VIEW public.timeline IS 'What happened with each contact. Filter by contact_id, order by at desc, …
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role
--   REVOKE ALL ON TABLE public.timeline FROM authenticated
--   GRANT SELECT ON TABLE public.timeline TO authenticated
--   REVOKE ALL ON TABLE public.timeline FROM service_role
--   GRANT SELECT ON TABLE public.timeline TO service_role

set check_function_bodies = off;

DROP VIEW "public"."timeline";

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

CREATE OR REPLACE FUNCTION private.add_demo_details (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _user_id, id,
    case type when 'azienda' then 'info' else replace(private.words(name), ' ', '.') end || '@' || domain, true
  from private.demo_contacts(_user_id)
  on conflict do nothing;

  -- No network of Italy has the prefix 300.
  insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
  select _user_id, id, '300 5550' || lpad(place::text, 3, '0'), '+393005550' || lpad(place::text, 3, '0'), true
  from private.demo_contacts(_user_id) where place % 5 <> 0
  on conflict do nothing;

  with made as (
    insert into public.tags (user_id, name, color, touch_days)
    values (_user_id, 'Cliente', 'green', 120), (_user_id, 'Potenziale', 'blue', 45), (_user_id, 'Fornitore', 'amber', null),
      (_user_id, 'Collega', 'violet', null), (_user_id, 'Newsletter', 'gray', null)
    on conflict (user_id, lower(name)) do nothing
    returning id
  )
  select private.note_demo(_user_id, 'tags', array(select id from made));
  insert into public.contact_tags (user_id, contact_id, tag_id)
  select _user_id, contacts.id, tags.id
  from private.demo_contacts(_user_id) as contacts
  join public.tags on user_id = _user_id and lower(tags.name) in (
    case when firm > 20 then 'fornitore' when firm in (17, 18, 19) then 'potenziale' else 'cliente' end,
    case when place % 4 = 0 then 'newsletter' end, case when firm = 22 and type = 'persona' then 'collega' end
  )
  on conflict do nothing;

  with made as (
    insert into public.notes (user_id, contact_id, body, created_at, updated_at)
    select _user_id, id, body, at, at
    from (values
      ('Edilizia Solida', 'Paga sempre in ritardo, di solito a 70 giorni: chiedere un acconto.', 60),
      ('Edilizia Solida', 'Per i solleciti scrivere a Rosa Villa, che segue i pagamenti.', 20),
      ('Cantina Poggio Alto', 'Il colore dell''etichetta è il bordeaux, con la carta vergata.', 40),
      ('Cantina Poggio Alto', 'Decide insieme al figlio: mandare tutto a entrambi.', 200),
      ('Hotel Bellavista', 'Vuole le fatture divise: camere, ristorante e spa.', 90),
      ('Hotel Bellavista', 'Il sito nuovo deve essere pronto prima di Pasqua.', 12),
      ('Studio Dentistico Sorriso', 'Preferisce essere chiamato al mattino, prima delle 11.', 150),
      ('Agriturismo La Quercia', 'Aprono ad aprile: foto e listino entro marzo.', 75),
      ('Officina Meccanica Reno', 'Paga entro 30 giorni: emettere la fattura entro fine mese.', 110),
      ('Libreria Il Segnalibro', 'Ci ha segnalato altri due clienti: ringraziare a Natale.', 55),
      ('Panificio Antico Forno', 'Chiede foto nuove per il sacchetto prima dell''estate.', 130),
      ('Studio Legale Portici', 'Vuole il preventivo diviso per voci, con i tempi di consegna.', 16),
      ('Ceramiche Terra Blu', 'Catalogo consegnato: proporre la versione in inglese.', 30),
      ('Palestra Movimento', 'Hanno scelto un''agenzia per i social, restano per la stampa.', 65),
      ('Farmacia del Corso', 'La campagna parte con la stagione influenzale.', 25),
      ('Immobiliare Casa Mia', 'Budget fermo fino al prossimo anno.', 80),
      ('Scuola di Lingue Babele', 'Iscrizioni a settembre e a gennaio: proporre due campagne.', 35),
      ('Trattoria da Nino', 'Il menù cambia ogni stagione: quattro ristampe l''anno.', 100),
      ('Gelateria Neve', 'Conosciuta alla fiera del gelato di Rimini.', 10),
      ('Asilo Nido Girotondo', 'Serve un logo che i bambini riconoscano.', 14),
      ('Tipografia Inchiostro Vivo', 'Consegna in 4 giorni; per la carta speciale 10.', 140),
      ('Coworking Portico Nove', 'Sala riunioni compresa per 4 ore al mese.', 300),
      ('Studio Contabile Emilia', 'Mandare le fatture del trimestre entro il 10 del mese.', 45),
      ('Silvia Lombardi', 'Approva lei i testi, Simone Rizzo i prezzi.', 22),
      ('Luca Ricci', 'Meglio WhatsApp che email: è sempre in vigna.', 48)
    ) as written (name, body, days)
    join private.demo_contacts(_user_id) as contacts using (name),
      lateral (select greatest(now() - make_interval(days => days, hours => 5), contacts.created_at) as at) as moments
    returning id
  )
  select private.note_demo(_user_id, 'notes', array(select id from made));

  with made as (
    insert into public.interactions (user_id, contact_id, kind, direction, at, summary, created_at)
    select _user_id, id, kind::public.interaction_kind,
      case when kind = 'incontro' then null when (place + turn) % 2 = 0 then 'uscita' else 'entrata'
        end::public.interaction_direction,
      at, case
        when firm > 20 then (array['Confermati i tempi di consegna', 'Chiesto un preventivo', 'Ricevuta la fattura'])[1 + (place + turn) % 3]
        when kind = 'chiamata' then (array[
          'Sentito per il rinnovo del sito', 'Chiede tempi e costi della campagna', 'Conferma la riunione'
        ])[1 + place % 3]
        when kind = 'email' then (array['Inviate le bozze del logo', 'Ricevuti i testi da impaginare', 'Richiesta di preventivo'])[1 + place % 3]
        when kind = 'whatsapp' then (array['Foto del negozio per i social', 'Ok alla pubblicazione di domani'])[1 + place % 2]
        else 'Sopralluogo e raccolta delle idee' end, at
    from private.demo_contacts(_user_id), generate_series(0, 4) as turn,
      lateral (select (array['chiamata', 'email', 'whatsapp', 'incontro'])[1 + (place + turn) % 4] as kind) as kinds,
      lateral (select now() - make_interval(days => (place * 7 + turn * 67) % 340 + 1, hours => place % 8) as at) as moments
    -- The courier was never spoken to.
    where at > created_at and firm < 25
    returning id
  )
  select private.note_demo(_user_id, 'interactions', array(select id from made));

  with made as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, source, at)
    select _user_id, id, 'email', 'marketing', (array['dato', 'dato', 'negato'])[1 + place % 3]::public.consent_state,
      'Consenso', 'Modulo del sito', created_at
    from private.demo_contacts(_user_id) where place % 2 = 0 and firm <= 20
    returning id
  )
  select private.note_demo(_user_id, 'consents', array(select id from made));
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
    _mail.user_id, 'email_respinta', 'Email respinta: ' || _mail.recipient,
    format('«%s» non è arrivata. ', _mail.subject) || case
      when _is_dead then 'La casella non esiste più: Socio non le scriverà. Correggi l’indirizzo del contatto.'
      else 'Il server del destinatario l’ha respinta: trovi la sua risposta accanto all’email.'
    end,
    '/crm/' || _mail.contact_id, format('email_respinta:%s:%s', _mail.id, _mail.attempts)
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.contact_chores (
  _user_id uuid,
  _day     date
)
  RETURNS TABLE (
    key        text,
    contact_id uuid,
    tool       text,
    args       jsonb,
    title      text,
    body       text
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := private.speak_for(_user_id);
begin
  return query
    select concat_ws(':', 'unisci', older.id, newer.id), older.id, 'merge',
      jsonb_build_object('winner_id', older.id, 'loser_id', newer.id), format('Unisci «%s» e «%s»', older.name, newer.name),
      concat_ws(E'\n', 'Resta ' || private.contact_line(older) || '.', 'Si unisce ' || private.contact_line(newer) || '.',
        'Perché: ' || (
          select string_agg(coalesce('{
            "codice_fiscale": "stesso codice fiscale", "partita_iva": "stessa partita IVA", "pec": "stessa PEC",
            "email": "stessa email", "telefono": "stesso telefono", "nome": "stesso nome", "nome_simile": "nome simile",
            "azienda": "stessa azienda", "dominio": "email dello stesso dominio"
          }'::jsonb ->> reason, reason), ', ') from unnest(twins.reasons) as reason
        ) || '.')
    from public.find_duplicates(200) as twins
    -- The older stays, as on the page of duplicates.
    join public.contacts as older on older.user_id = _user_id and older.id in (a_id, b_id)
    join public.contacts as newer on newer.user_id = _user_id and newer.id in (a_id, b_id)
      and (newer.created_at, newer.id) > (older.created_at, older.id)
    where twins.score >= 0.8 and older.type = newer.type
      -- Two numbers are two people, however alike the rest is.
      and (older.vat_number = newer.vat_number) is not false and (older.tax_code = newer.tax_code) is not false
    order by twins.score desc, older.id, newer.id;
  return query
    select 'completa:' || contacts.id, contacts.id, 'task', '{}'::jsonb, left('Completa i dati di ' || contacts.name, 200),
      'Manca ' || array_to_string(missing, ', ') || '.'
    from public.contacts
    cross join lateral (
      select exists (
        select from public.invoices
        where user_id = _user_id and invoices.contact_id = contacts.id and direction = 'attiva'
      ) as is_invoiced, exists (
        select from public.deals
        where user_id = _user_id and deals.contact_id = contacts.id and deleted_at is null and won_at is null and lost_at is null
      ) as has_deal, exists (
        select from public.contact_emails where user_id = _user_id and contact_emails.contact_id = contacts.id
      ) as has_email
    ) as known
    cross join lateral (
      select array_remove(array[
        case when (is_invoiced or has_deal) and not has_email then 'l’email' end,
        case when is_invoiced and num_nonnulls(vat_number, tax_code) = 0 then 'la partita IVA o il codice fiscale' end,
        case when is_invoiced and type = 'azienda' and num_nonnulls(sdi_code, pec) = 0 then 'il codice destinatario o la PEC' end
      ], null) as missing
    ) as gaps
    where contacts.user_id = _user_id and contacts.merged_into is null and contacts.deleted_at is null and missing <> '{}'
    order by is_invoiced desc, contacts.name, contacts.id limit 100;
  perform set_config('request.jwt.claims', _claims, true);
end
$function$;

CREATE OR REPLACE FUNCTION private.import_problems (
  _fields jsonb,
  _emails text[],
  _phones jsonb
)
  RETURNS TABLE (
    place   integer,
    field   text,
    message text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select checks.place, checks.field, left(checks.message, 300)
  from (values
    (1, 'vat_number', not private.is_vat_number(_fields ->> 'vat_number'), 'Partita IVA non valida: ' || (_fields ->> 'vat_number')),
    (2, 'tax_code', not (private.is_tax_code(_fields ->> 'tax_code') or private.is_vat_number(_fields ->> 'tax_code')),
      'Codice fiscale non valido: ' || (_fields ->> 'tax_code')),
    (3, 'sdi_code', _fields ->> 'sdi_code' !~ '^[A-Z0-9]{6,7}$', 'Codice destinatario non valido: ' || (_fields ->> 'sdi_code')),
    (4, 'pec', not private.is_email(_fields ->> 'pec'), 'PEC non valida: ' || (_fields ->> 'pec')),
    (7, 'website', _fields ->> 'website' !~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$' or char_length(_fields ->> 'website') > 500,
      'Sito non valido: ' || (_fields ->> 'website')),
    (8, 'address', char_length(_fields ->> 'address') > 1000, 'Indirizzo troppo lungo: ' || (_fields ->> 'address')),
    (9, 'note', char_length(_fields ->> 'note') > 20000, 'Nota troppo lunga: ' || (_fields ->> 'note')),
    (10, 'met_on', _fields ->> 'met_on' !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' or _fields ->> 'met_on' > (now() + interval '1 day')::date::text,
      'Data non valida: ' || (_fields ->> 'met_on'))
  ) as checks (place, field, is_wrong, message)
  where is_wrong
  union all
  select 0, key, left('Testo troppo lungo: ' || value, 300) from jsonb_each_text(_fields)
  where key in ('first_name', 'last_name', 'business_name', 'job_title') and char_length(value) > 200
  union all
  select 5, null, left('Email non valida: ' || value, 300) from unnest(_emails) as value where not private.is_email(value)
  union all
  select 6, null, left('Telefono non valido: ' || coalesce(phone ->> 'value', ''), 300) from jsonb_array_elements(_phones) as phone
  where not private.is_phone(phone)
$function$;

CREATE OR REPLACE FUNCTION private.notify_received_mail (
  _mail public.received_mails
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.notify(
    _mail.user_id, 'email_ricevuta', 'Email da ' || name,
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
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_ricevuta'::text,'attivita'::text,'Email ricevute'::text,'info'::text,'{in_app}'::text,false,30,'email ricevute'::text,'/crm?vista=posta'::text,NULL::text), ('messaggio_whatsapp'::text,'attivita'::text,'Messaggi WhatsApp'::text,'info'::text,'{in_app}'::text,false,60,'messaggi WhatsApp'::text,'/crm?vista=whatsapp'::text,NULL::text), ('whatsapp_fermo'::text,'attivita'::text,'WhatsApp da controllare'::text,'warning'::text,'{in_app}'::text,true,0,NULL::text,'/settings/channels'::text,NULL::text), ('email_respinta'::text,'attivita'::text,'Email respinte'::text,'warning'::text,'{in_app}'::text,true,60,'email respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('settimana_agenti'::text,'attivita'::text,'Settimana degli agenti'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/projects?vista=obiettivi'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

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

CREATE VIEW "public"."timeline" WITH (security_invoker=on) AS  SELECT ('interaction:'::text || interactions.id) AS id,
    interactions.user_id,
    interactions.contact_id,
    (interactions.kind)::text AS kind,
    interactions.at,
        CASE interactions.kind
            WHEN 'chiamata'::public.interaction_kind THEN 'Chiamata'::text
            WHEN 'email'::public.interaction_kind THEN 'Email'::text
            WHEN 'whatsapp'::public.interaction_kind THEN 'WhatsApp'::text
            WHEN 'incontro'::public.interaction_kind THEN 'Incontro'::text
            ELSE 'Contatto'::text
        END AS title,
    interactions.summary AS body,
    'interaction'::text AS ref_type,
    interactions.id AS ref_id,
    jsonb_build_object('direction', interactions.direction) AS data
   FROM public.interactions
UNION ALL
 SELECT ('mail:'::text || outgoing_mails.id) AS id,
    outgoing_mails.user_id,
    outgoing_mails.contact_id,
    'email'::text AS kind,
    outgoing_mails.created_at AS at,
        CASE outgoing_mails.state
            WHEN 'queued'::public.mail_state THEN 'Email in coda'::text
            WHEN 'sending'::public.mail_state THEN 'Email in invio'::text
            WHEN 'failed'::public.mail_state THEN 'Email non riuscita'::text
            ELSE 'Email incerta'::text
        END AS title,
    (((outgoing_mails.subject)::text || '

'::text) || outgoing_mails.body) AS body,
    'mail'::text AS ref_type,
    outgoing_mails.id AS ref_id,
    jsonb_build_object('state', outgoing_mails.state, 'error', outgoing_mails.error, 'reply', outgoing_mails.reply, 'recipient', outgoing_mails.recipient, 'not_before', outgoing_mails.not_before) AS data
   FROM public.outgoing_mails
  WHERE (outgoing_mails.state = ANY (ARRAY['queued'::public.mail_state, 'sending'::public.mail_state, 'failed'::public.mail_state, 'uncertain'::public.mail_state]))
UNION ALL
 SELECT ('note:'::text || notes.id) AS id,
    notes.user_id,
    notes.contact_id,
    'nota'::text AS kind,
    notes.created_at AS at,
    'Nota'::text AS title,
    notes.body,
    'note'::text AS ref_type,
    notes.id AS ref_id,
    jsonb_build_object('updated_at', notes.updated_at) AS data
   FROM public.notes
  WHERE (notes.deleted_at IS NULL)
UNION ALL
 SELECT ('consent:'::text || consent_events.id) AS id,
    consent_events.user_id,
    consent_events.contact_id,
    'consenso'::text AS kind,
    consent_events.at,
        CASE consent_events.state
            WHEN 'dato'::public.consent_state THEN 'Consenso dato'::text
            WHEN 'negato'::public.consent_state THEN 'Consenso negato'::text
            WHEN 'revocato'::public.consent_state THEN 'Consenso revocato'::text
            ELSE 'Consenso non richiesto'::text
        END AS title,
    consent_events.wording AS body,
    'consent_event'::text AS ref_type,
    consent_events.id AS ref_id,
    jsonb_build_object('channel', consent_events.channel, 'purpose', consent_events.purpose, 'state', consent_events.state, 'legal_basis', consent_events.legal_basis, 'source', consent_events.source) AS data
   FROM public.consent_events
UNION ALL
 SELECT ('deal:'::text || stays.id) AS id,
    stays.user_id,
    deals.contact_id,
    'trattativa'::text AS kind,
    stays.entered_at AS at,
    (deals.title)::text AS title,
    (stages.name)::text AS body,
    'deal'::text AS ref_type,
    deals.id AS ref_id,
    jsonb_build_object('stage_id', stages.id, 'stage_kind', stages.kind, 'amount_cents', deals.amount_cents, 'currency', deals.currency, 'lost_reason',
        CASE
            WHEN (stays.left_at IS NULL) THEN (deals.lost_reason)::text
            ELSE NULL::text
        END) AS data
   FROM ((public.deal_stage_log stays
     JOIN public.deals ON (((deals.user_id = stays.user_id) AND (deals.id = stays.deal_id))))
     JOIN public.stages ON (((stages.user_id = stays.user_id) AND (stages.id = stays.stage_id))))
  WHERE ((deals.contact_id IS NOT NULL) AND (deals.deleted_at IS NULL))
UNION ALL
 SELECT ('merge:'::text || merge_log.id) AS id,
    merge_log.user_id,
    merge_log.winner_id AS contact_id,
    'unione'::text AS kind,
    merge_log.created_at AS at,
    ('Unito con '::text || merge_log.loser_name) AS title,
    NULL::text AS body,
    'merge'::text AS ref_type,
    merge_log.id AS ref_id,
    jsonb_build_object('loser_id', merge_log.loser_id, 'undone_at', merge_log.undone_at) AS data
   FROM public.merge_log
UNION ALL
 SELECT ('task:'::text || tasks.id) AS id,
    tasks.user_id,
    tasks.contact_id,
    'attivita'::text AS kind,
    COALESCE(tasks.completed_at, tasks.created_at) AS at,
        CASE
            WHEN (tasks.completed_at IS NULL) THEN 'Attività'::text
            ELSE 'Attività completata'::text
        END AS title,
    (tasks.title)::text AS body,
    'task'::text AS ref_type,
    tasks.id AS ref_id,
    jsonb_build_object('state', tasks.state, 'due_at', tasks.due_at, 'due_is_allday', tasks.due_is_allday, 'priority', tasks.priority, 'project_id', tasks.project_id) AS data
   FROM public.tasks
  WHERE ((tasks.contact_id IS NOT NULL) AND (tasks.deleted_at IS NULL))
UNION ALL
 SELECT ('document:'::text || documents.id) AS id,
    documents.user_id,
    documents.contact_id,
    'documento'::text AS kind,
    documents.created_at AS at,
        CASE documents.kind
            WHEN 'fattura'::public.document_kind THEN 'Fattura'::text
            WHEN 'preventivo'::public.document_kind THEN 'Preventivo'::text
            WHEN 'contratto'::public.document_kind THEN 'Contratto'::text
            WHEN 'ricevuta'::public.document_kind THEN 'Ricevuta'::text
            WHEN 'f24'::public.document_kind THEN 'F24'::text
            WHEN 'durc'::public.document_kind THEN 'DURC'::text
            WHEN 'visura'::public.document_kind THEN 'Visura'::text
            WHEN 'documento_identita'::public.document_kind THEN 'Documento d’identità'::text
            ELSE 'Documento'::text
        END AS title,
    (documents.filename)::text AS body,
    'document'::text AS ref_type,
    documents.id AS ref_id,
    jsonb_build_object('kind', documents.kind, 'state', documents.state, 'issued_on', documents.issued_on, 'due_on', documents.due_on, 'total_cents', documents.total_cents, 'currency', documents.currency) AS data
   FROM public.documents
  WHERE ((documents.contact_id IS NOT NULL) AND (documents.deleted_at IS NULL))
UNION ALL
 SELECT ('invoice:'::text || invoice_register.id) AS id,
    invoice_register.user_id,
    invoice_register.contact_id,
    'pagamento'::text AS kind,
    ((invoice_register.paid_on)::timestamp without time zone AT TIME ZONE 'Europe/Rome'::text) AS at,
        CASE
            WHEN (invoice_register.kind = 'nota_di_credito'::public.invoice_kind) THEN
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Nota di credito rimborsata'::text
                ELSE 'Nota di credito incassata'::text
            END
            ELSE
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Fattura incassata'::text
                ELSE 'Fattura pagata'::text
            END
        END AS title,
    (
        CASE invoice_register.kind
            WHEN 'nota_di_credito'::public.invoice_kind THEN 'Nota di credito '::text
            ELSE 'Fattura '::text
        END || invoice_register.number) AS body,
    'document'::text AS ref_type,
    invoice_register.document_id AS ref_id,
    jsonb_build_object('invoice_id', invoice_register.id, 'direction', invoice_register.direction, 'total_cents', invoice_register.total_cents, 'currency', invoice_register.currency) AS data
   FROM public.invoice_register
  WHERE ((invoice_register.contact_id IS NOT NULL) AND (invoice_register.paid_on IS NOT NULL) AND (invoice_register.deleted_at IS NULL) AND (invoice_register.twin IS NULL));

REVOKE ALL ON TABLE "public"."timeline" FROM "anon";

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

COMMENT ON VIEW "public"."timeline" IS 'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

REVOKE ALL ON TABLE "public"."timeline" FROM "authenticated";

GRANT SELECT ON TABLE "public"."timeline" TO "authenticated";

REVOKE ALL ON TABLE "public"."timeline" FROM "service_role";

GRANT SELECT ON TABLE "public"."timeline" TO "service_role";

reset check_function_bodies;
