-- Plain words.
--   DROP VIEW public.retention_rules
--   DROP FUNCTION private.claim_new_device
--   CREATE OR REPLACE FUNCTION private.claim_new_device
--   CREATE OR REPLACE FUNCTION private.consent_facts
--   CREATE OR REPLACE FUNCTION private.notify_new_device
--   CREATE OR REPLACE FUNCTION private.paper_facts
--   CREATE OR REPLACE FUNCTION private.people_facts
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE OR REPLACE TRIGGER tell_lost_factor AFTER DELETE ON auth.mfa_factors FOR EACH ROW WHEN ((old.status = 'verified':…
--   CREATE OR REPLACE TRIGGER tell_new_factor AFTER UPDATE OF status ON auth.mfa_factors FOR EACH ROW WHEN (((old.status <> …
--   CREATE OR REPLACE TRIGGER tell_new_address AFTER UPDATE OF email ON auth.users FOR EACH ROW WHEN ((((old.email)::text <>…
--   CREATE OR REPLACE TRIGGER tell_new_password AFTER UPDATE OF encrypted_password ON auth.users FOR EACH ROW WHEN ((((old.e…
--   COMMENT ON FUNCTION private.claim_new_device
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.claim_new_device
--   GRANT EXECUTE ON FUNCTION private.claim_new_device
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP VIEW "public"."retention_rules";

DROP FUNCTION "private"."claim_new_device"();

CREATE OR REPLACE FUNCTION private.claim_new_device (
  OUT email text,
  OUT device text,
  OUT ip text,
  OUT seen timestamp with time zone
)
  RETURNS SETOF record
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with due as (
    select user_id, device from private.known_devices where is_mail_due
    order by first_seen_at limit 1 for update skip locked
  ), told as (
    update private.known_devices as known set is_mail_due = false from due
    where known.user_id = due.user_id and known.device = due.device
    returning known.*
  )
  select users.email::text, told.device, host(told.ip), told.first_seen_at
  from told join auth.users as users on users.id = told.user_id
$function$;

CREATE OR REPLACE FUNCTION private.consent_facts (
  _user_id uuid
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Only for somebody who sends campaigns: else a consent is not missed. The people are those that the link opens.
  select 'consenso_mancante', 'consents', null::uuid, (last.created_at at time zone 'Europe/Rome')::date, null::uuid,
    private.counted(count(*), 'Una persona senza consenso', 'persone senza consenso'),
    'Per scrivere di novità e offerte serve il consenso: chiedilo alla prima occasione e segnalo nella scheda.',
    null::bigint, 'EUR', 0.5::double precision, jsonb_build_object('count', count(*))
  from (
    select created_at from public.mail_batches
    where user_id = _user_id and channel = 'email' and basis <> 'contratto' and excluded > 0 and cancelled_at is null
      and created_at > now() - interval '60 days'
    order by created_at desc limit 1
  ) as last
  join public.contacts on contacts.user_id = _user_id and type = 'persona' and merged_into is null and deleted_at is null
  where not exists (
    select from public.consents
    where consents.user_id = _user_id and consents.contact_id = contacts.id and channel = 'email'
      and purpose = 'marketing' and state <> 'non_richiesto'
  )
  group by last.created_at
$function$;

CREATE OR REPLACE FUNCTION private.notify_new_device()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _device constant text := private.device_name(new.user_agent);
  _is_first constant boolean := not exists (select from private.known_devices where user_id = new.user_id);
begin
  insert into private.known_devices (user_id, device, ip, is_mail_due) values (new.user_id, _device, new.ip, not _is_first)
  on conflict do nothing;
  if found and not _is_first then
    perform private.notify(
      new.user_id, 'sicurezza', 'Nuovo accesso: ' || _device,
      'Se non eri tu, cambia subito la password e chiudi gli altri accessi.', '/settings/security'
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.paper_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with waiting as materialized (
    select * from public.unregistered_documents()
  ), sums as (
    select count(*) as times, count(*) filter (where total_cents is null) as unread,
      coalesce(sum(total_cents) filter (where currency = 'EUR'), 0)::bigint as cents,
      count(*) filter (where direction = 'attiva') as issued, count(*) filter (where direction = 'passiva') as received,
      coalesce(sum(total_cents) filter (where currency = 'EUR' and direction = 'attiva'), 0)::bigint as issued_cents,
      coalesce(sum(total_cents) filter (where currency = 'EUR' and direction = 'passiva'), 0)::bigint as received_cents
    from waiting
  ), doubtful as (
    select count(*) as times from public.documents
    where user_id = _user_id and state = 'da_verificare' and deleted_at is null
      and id <> all (array(select document_id from waiting))
  )
  select 'documento_da_verificare', 'register', null::uuid, date_trunc('week', _today)::date, null::uuid,
    private.counted(times, 'Una fattura da verificare', 'fatture da verificare'),
    concat(case when times = 1 then 'Finché non la confermi non è' else 'Finché non le confermi non sono' end,
      ' in nessuna somma', case when unread > 0 then '; di ' || case unread when 1 then 'una' else unread::text end
      || ' non si legge l’importo' end, '.'),
    nullif(cents, 0), 'EUR', 0.3, jsonb_build_object(
      'count', times, 'unread', unread, 'issued', issued, 'issued_cents', issued_cents, 'received', received,
      'received_cents', received_cents
    )
  from sums where times > 0
  union all
  select 'documento_da_verificare', 'documents', null, date_trunc('week', _today)::date, null,
    private.counted(times, 'Un documento da verificare', 'documenti da verificare'),
    'Qualche dato letto è incerto: confermalo o correggilo.', null, 'EUR', 0.4, jsonb_build_object('count', times)
  from doubtful where times > 0
  union all
  select 'contratto_in_scadenza', 'document', documents.id, due_on - case when due_on <= _today + 7 then 7 else 30 end,
    contact_id, concat('Contratto', ' con ' || contacts.name, case when due_on = _today then ' in scadenza oggi'
      else ' in scadenza il ' || to_char(due_on, 'DD/MM/YYYY') end),
    case due_on - _today when 0 then 'È l’ultimo giorno per rinnovarlo o disdirlo.'
      when 1 then 'Manca un giorno: è il momento di rinnovarlo o disdirlo.'
      else 'Mancano ' || (due_on - _today) || ' giorni: è il momento di rinnovarlo o disdirlo.' end,
    total_cents, documents.currency, case when due_on <= _today + 7 then 0.6 else 0.3 end,
    jsonb_strip_nulls(jsonb_build_object('counterparty', contacts.name, 'filename', filename, 'due_on', due_on))
  from public.documents
  left join public.contacts on contacts.user_id = documents.user_id and contacts.id = contact_id
  where documents.user_id = _user_id and kind = 'contratto' and documents.deleted_at is null
    and due_on between _today and _today + 30
$function$;

CREATE OR REPLACE FUNCTION private.people_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'da_risentire', 'contact', id, (next_touch_at at time zone 'Europe/Rome')::date, id, 'Risenti ' || name,
    concat(case when last_interaction_at is null then 'In rubrica da ' else 'Non vi sentite da ' end,
      private.counted(silent_days, 'un giorno', 'giorni'),
      case when last_interaction_at is null then ' e mai un contatto' end, ': volevi ogni ',
      private.counted(touch_days, 'giorno', 'giorni'), '.'),
    null::bigint, 'EUR', least(1, 0.5 + (silent_days - touch_days) / 60.0),
    jsonb_build_object('counterparty', name, 'silent_days', silent_days)
  from (
    select id, name, next_touch_at, last_interaction_at,
      _today - (coalesce(last_interaction_at, created_at) at time zone 'Europe/Rome')::date as silent_days,
      extract(day from next_touch_at - coalesce(last_interaction_at, created_at))::integer as touch_days
    from public.contacts
    where user_id = _user_id and merged_into is null and deleted_at is null
      and next_touch_at <= now() and (snoozed_until is null or snoozed_until <= now())
    order by next_touch_at, id
    limit private.most_facts()
  ) as silent
  union all
  select 'compleanno_cliente_anno', 'contact', first.contact_id, first.issued_on, first.contact_id,
    concat('Un anno con ', contacts.name), 'La prima fattura è del ' || to_char(first.issued_on, 'DD/MM/YYYY')
      || ': un buon momento per un messaggio.',
    null, 'EUR', 0.5, jsonb_build_object('counterparty', contacts.name)
  from (
    select distinct contact_id, issued_on from public.invoices
    where user_id = _user_id and direction = 'attiva' and kind = 'fattura' and contact_id is not null
      and issued_on between (_today - interval '1 year')::date - 6 and (_today - interval '1 year')::date
  ) as first
  join public.contacts on contacts.user_id = _user_id and contacts.id = first.contact_id
    and merged_into is null and deleted_at is null
  where not exists (
    select from public.invoices as earlier
    where earlier.user_id = _user_id and earlier.contact_id = first.contact_id and earlier.direction = 'attiva'
      and earlier.kind = 'fattura' and earlier.issued_on < first.issued_on
  )
$function$;

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('client_requests'::text,'Richieste dei tuoi clienti sui loro dati, con i certificati di cancellazione'::text,'5 anni dalla chiusura'::text,'Per dimostrare che hai risposto, finché si può chiedertelo (art. 28 L. 689/1981)'::text,'delete'::text,'1 day'::text,true,'{public.contact_requests,public.contact_erasures}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('goals'::text,'Obiettivi conclusi, con i loro passi'::text,'90 giorni dalla fine'::text,'Per rileggerli'::text,'delete'::text,'1 day'::text,true,'{public.goals,public.goal_steps}'::text), ('ethical_logs'::text,'Registro etico'::text,'12 mesi'::text,'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome'::text,'keep'::text,'1 day'::text,true,'{public.ethical_logs}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('shared_mails'::text,'Conteggio delle email inviate tramite Socio'::text,'12 mesi'::text,'Per riconoscere le risposte e proteggere il mittente comune'::text,'delete'::text,'1 day'::text,true,'{private.shared_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('exports'::text,'Archivi dei tuoi dati da scaricare'::text,'7 giorni, o finché non ne chiedi un altro'::text,'Per scaricarli con calma'::text,'delete'::text,'1 hour'::text,true,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('qa_runs'::text,'Prove automatiche su telefono e browser'::text,'Le ultime 30 di ogni tipo'::text,'Per vedere che cosa è peggiorato'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché non le elimini, o finché hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché non la elimini, o finché hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni, anche senza l’account'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,NULL::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

-- Replaced, not dropped: dropping a trigger of auth takes the owner of its table.
CREATE OR REPLACE TRIGGER tell_lost_factor
  AFTER DELETE ON auth.mfa_factors
  FOR EACH ROW
  WHEN ((old.status = 'verified'::auth.factor_status))
  EXECUTE FUNCTION private.notify_security('Secondo fattore rimosso', 'Per accedere non serve più. Se non l’hai fatto tu, cambia subito la password.');

CREATE OR REPLACE TRIGGER tell_new_factor
  AFTER UPDATE OF status ON auth.mfa_factors
  FOR EACH ROW
  WHEN (((old.status <> 'verified'::auth.factor_status) AND (new.status = 'verified'::auth.factor_status)))
  EXECUTE FUNCTION private.notify_security('Secondo fattore attivato', 'Dal prossimo accesso serve anche quello. Se non l’hai fatto tu, cambia subito la password.');

CREATE OR REPLACE TRIGGER tell_new_address
  AFTER UPDATE OF email ON auth.users
  FOR EACH ROW
  WHEN ((((old.email)::text <> (new.email)::text) AND (new.deleted_at IS NULL)))
  EXECUTE FUNCTION private.notify_security('Indirizzo email cambiato', 'D’ora in poi accedi con il nuovo indirizzo. Se non l’hai fatto tu, scrivici subito.');

CREATE OR REPLACE TRIGGER tell_new_password
  AFTER UPDATE OF encrypted_password ON auth.users
  FOR EACH ROW
  WHEN
    ((((old.encrypted_password)::text <> ''::text) AND ((new.encrypted_password)::text <> (old.encrypted_password)::text) AND (new.deleted_at IS NULL) AND
    (regexp_replace((new.encrypted_password)::text, '(\$[^$]*){2}$'::text, ''::text) = regexp_replace((old.encrypted_password)::text, '(\$[^$]*){2}$'::text, ''::text))))
  EXECUTE FUNCTION private.notify_security('Password cambiata', 'Se non l’hai fatto tu, cambiala subito e chiudi le altre sessioni.');

COMMENT ON FUNCTION "private"."claim_new_device"() IS 'Takes one device that its owner was not written about, in the transaction that puts the mail into the outbox.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."claim_new_device"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_new_device"() TO "service_role";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;

-- The catalogue in force again, in plainer words: no plan limits the pages that are read.
insert into public.catalog_versions (version, note)
select max(version) + 1, 'Plainer words' from public.catalog_versions;

insert into public.plans
select (jsonb_populate_record(plans, jsonb_build_object('version', (select max(version) from public.catalog_versions)))).*
from public.plans where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

insert into public.packs
select (jsonb_populate_record(packs, jsonb_build_object('version', (select max(version) from public.catalog_versions)))).*
from public.packs where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

insert into public.claims
select (jsonb_populate_record(claims, jsonb_build_object('version', (select max(version) from public.catalog_versions)))).*
from public.claims where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

insert into public.credit_prices
select (jsonb_populate_record(
  credit_prices, jsonb_build_object('version', (select max(version) from public.catalog_versions))
)).*
from public.credit_prices where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

update public.credit_prices set note = 'Fino a 1.000 pagine per documento'
where action = 'ocr' and version = (select max(version) from public.catalog_versions);

update public.claims set base = 'Poi la scadenza si prolunga da sola: i crediti comprati non vanno mai persi'
where key = 'validity.packs' and version = (select max(version) from public.catalog_versions);

update public.catalog_versions set published_at = now()
where version = (select max(version) from public.catalog_versions);
