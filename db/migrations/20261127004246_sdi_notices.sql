-- Sdi notices.
--   DROP VIEW public.insight_kinds
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE TABLE public.sdi_notices ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, document…
--   ALTER TABLE public.sdi_notices ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.sdi_notices FROM anon
--   CREATE TYPE public.sdi_notice_kind AS ENUM ( 'RC', 'MC', 'NS', 'NE', 'DT', 'AT' )
--   ALTER TABLE public.sdi_notices ADD COLUMN kind public.sdi_notice_kind NOT NULL
--   ALTER TABLE public.sdi_notices ADD COLUMN is_refused boolean NOT NULL
--   ALTER TABLE public.sdi_notices ADD COLUMN sentence text NOT NULL
--   ALTER TABLE public.sdi_notices ADD COLUMN correct_by date
--   ALTER TABLE public.sdi_notices ADD COLUMN sha256 text NOT NULL
--   ALTER TABLE public.sdi_notices ADD COLUMN at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.sdi_notices ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.note_sdi_notice
--   CREATE OR REPLACE FUNCTION private.plain_file_name
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   CREATE OR REPLACE FUNCTION private.rejected_facts
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT sdi_notices_user_id_document_id_fkey FOREIGN KEY (user_id, docu…
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT sdi_notices_user_id_document_id_sha256_key UNIQUE (user_id, doc…
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT sentence_fits CHECK (((char_length(sentence) >= 1) AND (char_le…
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT sha256_is_hexadecimal CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
--   CREATE VIEW public.insight_kinds WITH (security_invoker=on) AS SELECT kind, label, category, action, worth_ce…
--   REVOKE ALL ON TABLE public.insight_kinds FROM anon
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.sdi_notices REFERENCING NEW TABLE AS changed FOR EACH STA…
--   CREATE POLICY owners read the notices about their invoices ON public.sdi_notices FOR SELECT TO authenticated …
--   COMMENT ON COLUMN public.sdi_notices.correct_by IS 'The last day to send a rejected invoice again.'
--   COMMENT ON COLUMN public.sdi_notices.is_refused IS 'Rejected by the exchange system, or refused by an office.'
--   COMMENT ON COLUMN public.sdi_notices.kind IS 'RC delivered, MC not delivered, NS rejected, NE outcome of an o…
--   COMMENT ON COLUMN public.sdi_notices.sentence IS 'In words for the owner, with the codes of the errors.'
--   COMMENT ON FUNCTION private.note_sdi_notice
--   COMMENT ON FUNCTION private.plain_file_name
--   COMMENT ON FUNCTION private.rejected_facts
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON TABLE public.sdi_notices IS 'What the exchange system said about files of invoices; written by not…
--   COMMENT ON VIEW public.insight_kinds IS 'The kinds of insights: how a person calls them, their family, what t…
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   REVOKE ALL ON FUNCTION private.note_sdi_notice
--   GRANT EXECUTE ON FUNCTION private.note_sdi_notice
--   REVOKE ALL ON FUNCTION private.plain_file_name
--   REVOKE ALL ON FUNCTION private.rejected_facts
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.wants
--   REVOKE ALL ON TABLE public.sdi_notices FROM authenticated
--   GRANT SELECT ON TABLE public.sdi_notices TO authenticated
--   REVOKE ALL ON TABLE public.sdi_notices FROM service_role
--   GRANT SELECT ON TABLE public.sdi_notices TO service_role
--   REVOKE ALL ON TABLE public.insight_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.insight_kinds TO authenticated
--   REVOKE ALL ON TABLE public.insight_kinds FROM service_role
--   GRANT SELECT ON TABLE public.insight_kinds TO service_role
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role

set check_function_bodies = off;

DROP VIEW "public"."insight_kinds";

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

CREATE TABLE "public"."sdi_notices" (
  "id"          uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id"     uuid NOT NULL,
  "document_id" uuid NOT NULL,
  CONSTRAINT "sdi_notices_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."sdi_notices"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."sdi_notices" FROM "anon";

CREATE TYPE "public"."sdi_notice_kind" AS ENUM (
  'RC',
  'MC',
  'NS',
  'NE',
  'DT',
  'AT'
);

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "kind" public.sdi_notice_kind NOT NULL;

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "is_refused" boolean NOT NULL;

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "sentence" text NOT NULL;

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "correct_by" date;

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "sha256" text NOT NULL;

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.note_sdi_notice (
  _user_id    uuid,
  _file       text,
  _kind       public.sdi_notice_kind,
  _is_refused boolean,
  _sentence   text,
  _correct_by date,
  _sha256     text,
  _at         timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _document public.documents;
  _number text;
begin
  select documents.* into _document from public.documents
  where user_id = _user_id and private.plain_file_name(filename) = private.plain_file_name(_file) and deleted_at is null
    and exists (
      select from public.invoices
      where invoices.user_id = _user_id and document_id = documents.id and direction = 'attiva'
    )
  order by created_at desc limit 1;
  if not found then
    return false;
  end if;
  insert into public.sdi_notices (user_id, document_id, kind, is_refused, sentence, correct_by, sha256, at)
  values (_user_id, _document.id, _kind, _is_refused, left(_sentence, 2000), _correct_by, _sha256, _at)
  on conflict (user_id, document_id, sha256) do nothing;
  -- A first reading brings old ones too.
  if found and (_is_refused or _kind in ('MC', 'AT')) and _at > now() - interval '14 days' then
    select number into _number from public.invoices
    where user_id = _user_id and document_id = _document.id order by body_no limit 1;
    perform private.notify(
      _user_id, 'esito_sdi',
      format('Fattura %s: %s', _number, case
        when _kind = 'NS' then 'scartata' when _is_refused then 'rifiutata dall’ente' when _kind = 'MC' then 'non consegnata'
        else 'da inviare all’ente'
      end),
      _sentence, '/documents/' || _document.id, format('esito_sdi:%s:%s', _document.id, _sha256)
    );
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.plain_file_name (
  _name text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select lower(regexp_replace(_name, '\.p7m$', '', 'i'))
$function$;

CREATE OR REPLACE FUNCTION private.refresh_home (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := current_setting('request.jwt.claims', true);
  _today constant date := private.today();
  _parts private.open_part[];
  _pairs jsonb;
  _facts private.insight_fact[];
  _flat_rate jsonb;
begin
  -- One at a time for each person. A change that is not committed yet keeps its mark, and is computed after it.
  perform pg_advisory_xact_lock(hashtextextended('home ' || _user_id, 0));
  delete from private.insight_marks where user_id = _user_id;
  if not exists (select from public.profiles where user_id = _user_id) then
    return;
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _user_id, 'role', 'authenticated')::text, true);
  _parts := array(select part from private.open_parts(_user_id) as part);
  select private.standing_pairs(_user_id, pairs) into _pairs
  from private.home_pages where user_id = _user_id and day = _today;
  if not found then
    select coalesce(jsonb_agg(jsonb_build_array(a_id, b_id)), '[]') into _pairs from public.find_duplicates(500);
  end if;
  _flat_rate := private.flat_rate(_user_id, _today);
  _facts := array(
    select fact from private.invoice_facts(_user_id, _parts, _today) as fact
    union all select fact from private.rejected_facts(_user_id, _today) as fact
    union all select fact from private.deal_facts(_user_id, _today) as fact
    union all select fact from private.people_facts(_user_id, _today) as fact
    union all select fact from private.task_facts(_user_id, _today) as fact
    union all select fact from private.credit_facts(_today) as fact
    union all select fact from private.client_facts(_user_id, _today) as fact
    union all select fact from private.paper_facts(_user_id, _today) as fact
    union all select fact from private.tidying_facts(_user_id, jsonb_array_length(_pairs), _today) as fact
    union all select fact from private.flat_rate_facts(_flat_rate, _today) as fact
  );
  perform private.keep_insights(_user_id, _facts);
  insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
  values (
    _user_id, _today, now(),
    private.home_content(_user_id, _parts, _facts, _today) || jsonb_build_object('flat_rate', _flat_rate), _pairs
  )
  on conflict (user_id) do update set day = excluded.day, refreshed_at = excluded.refreshed_at,
    content = excluded.content, pairs = excluded.pairs;
  perform set_config('request.jwt.claims', coalesce(_claims, ''), true);
end
$function$;

CREATE OR REPLACE FUNCTION private.rejected_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with last as (
    select distinct on (document_id) * from public.sdi_notices
    where user_id = _user_id order by document_id, at desc, created_at desc
  )
  select 'fattura_scartata', 'document', last.document_id, (last.at at time zone 'Europe/Rome')::date, invoices.contact_id,
    concat_ws(', ', 'Fattura ' || invoices.number, coalesce(contacts.name::text, invoices.counterparty_name)),
    case
      when last.kind <> 'NS' then 'Rifiutata dall’ente: leggi perché e mandane una nuova.'
      when last.correct_by < _today then 'Scartata, e i cinque giorni per correggerla sono passati: non risulta emessa.'
      when last.correct_by is not null then 'Scartata: correggi entro il ' || to_char(last.correct_by, 'DD/MM') || '.'
      else 'Scartata: correggi entro cinque giorni dalla notifica.'
    end,
    invoices.total_cents, invoices.currency, 1.25::double precision,
    jsonb_strip_nulls(jsonb_build_object('number', invoices.number, 'correct_by', last.correct_by))
  from last
  join public.documents on documents.user_id = _user_id and documents.id = last.document_id and documents.deleted_at is null
  join lateral (
    select * from public.invoices
    where invoices.user_id = _user_id and invoices.document_id = last.document_id and direction = 'attiva'
    order by body_no limit 1
  ) as invoices on true
  left join public.contacts on contacts.user_id = _user_id and contacts.id = invoices.contact_id
  where last.is_refused
    -- Corrected and sent again with its number and date.
    and not exists (
      select from public.invoices as again
      join public.documents as paper on paper.user_id = _user_id and paper.id = again.document_id and paper.deleted_at is null
      where again.user_id = _user_id and again.direction = 'attiva' and again.number = invoices.number
        and again.issued_on = invoices.issued_on and again.document_id <> last.document_id and again.created_at > last.at
    )
  order by last.at desc limit private.most_facts()
$function$;

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "sdi_notices_user_id_document_id_fkey" FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "sdi_notices_user_id_document_id_sha256_key" UNIQUE (user_id, document_id, sha256);

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "sentence_fits" CHECK (((char_length(sentence) >= 1) AND (char_length(sentence) <= 2000)));

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "sha256_is_hexadecimal" CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text));

CREATE VIEW "public"."insight_kinds" WITH (security_invoker=on) AS  SELECT kind,
    label,
    category,
    action,
    worth_cents,
    rest_days
   FROM ( VALUES ('fattura_scaduta'::text,'Fatture scadute'::text,'soldi'::text,'sollecito'::text,0,7), ('in_scadenza'::text,'Fatture in scadenza'::text,'soldi'::text,'promemoria'::text,0,7), ('da_pagare'::text,'Fatture da pagare'::text,'soldi'::text,'fattura'::text,0,2), ('fattura_scartata'::text,'Fatture scartate'::text,'soldi'::text,'fattura'::text,0,1), ('documento_da_verificare'::text,'Documenti da verificare'::text,'documenti'::text,'verifica'::text,15000,2), ('da_collegare'::text,'Documenti da collegare'::text,'documenti'::text,'collega'::text,10000,7), ('preventivo_fermo'::text,'Preventivi fermi'::text,'trattative'::text,'attivita'::text,0,7), ('trattativa_ferma'::text,'Trattative ferme'::text,'trattative'::text,'attivita'::text,0,7), ('da_risentire'::text,'Persone da risentire'::text,'persone'::text,'risenti'::text,20000,3), ('compleanno_cliente_anno'::text,'Anniversari dei clienti'::text,'persone'::text,'risenti'::text,8000,30), ('attivita_scadute'::text,'Attività scadute'::text,'agenda'::text,'ripianifica'::text,40000,1), ('giornata_piena'::text,'Giornate piene'::text,'agenda'::text,'ripianifica'::text,15000,1), ('contratto_in_scadenza'::text,'Contratti in scadenza'::text,'documenti'::text,'attivita'::text,50000,14), ('crediti_in_esaurimento'::text,'Crediti in esaurimento'::text,'crediti'::text,'ricarica'::text,15000,7), ('crediti_in_scadenza'::text,'Crediti in scadenza'::text,'crediti'::text,'crediti'::text,10000,7), ('concentrazione'::text,'Un cliente che pesa molto'::text,'rischi'::text,'contatto'::text,10000,30), ('doppioni'::text,'Contatti doppi'::text,'persone'::text,'unisci'::text,5000,14), ('soglia_forfettario'::text,'Soglia del forfettario'::text,'rischi'::text,'forfettario'::text,20000,30)) kinds(kind, label, category, action, worth_cents, rest_days);

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "anon";

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
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_respinta'::text,'attivita'::text,'E-mail respinte'::text,'warning'::text,'{in_app}'::text,true,60,'e-mail respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

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

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.sdi_notices REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE POLICY "owners read the notices about their invoices" ON "public"."sdi_notices"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."sdi_notices"."correct_by" IS 'The last day to send a rejected invoice again.';

COMMENT ON COLUMN "public"."sdi_notices"."is_refused" IS 'Rejected by the exchange system, or refused by an office.';

COMMENT ON COLUMN "public"."sdi_notices"."kind" IS 'RC delivered, MC not delivered, NS rejected, NE outcome of an office, DT no outcome in time, AT cannot be delivered.';

COMMENT ON COLUMN "public"."sdi_notices"."sentence" IS 'In words for the owner, with the codes of the errors.';

COMMENT ON FUNCTION "private"."note_sdi_notice"(uuid, text, public.sdi_notice_kind, boolean, text, date, text, timestamp with time zone) IS 'Records what the exchange system says about a file of a person''s invoices, once, and tells what is to be done. False for a file that is not here.';

COMMENT ON FUNCTION "private"."plain_file_name"(text) IS 'The name of an invoice''s file, signed or not.';

COMMENT ON FUNCTION "private"."rejected_facts"(uuid, date) IS 'Issued invoices that the exchange system rejected or an office refused, until they are sent again.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON TABLE "public"."sdi_notices" IS 'What the exchange system said about files of invoices; written by note_sdi_notice() only.';

COMMENT ON VIEW "public"."insight_kinds" IS 'The kinds of insights: how a person calls them, their family, what their button does, what one counts for where no money is at risk, and for how many days it rests after it was acted on.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."note_sdi_notice"(uuid, text, public.sdi_notice_kind, boolean, text, date, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_sdi_notice"(uuid, text, public.sdi_notice_kind, boolean, text, date, text, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."plain_file_name"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rejected_facts"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."sdi_notices" FROM "authenticated";

GRANT SELECT ON TABLE "public"."sdi_notices" TO "authenticated";

REVOKE ALL ON TABLE "public"."sdi_notices" FROM "service_role";

GRANT SELECT ON TABLE "public"."sdi_notices" TO "service_role";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "service_role";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

reset check_function_bodies;
