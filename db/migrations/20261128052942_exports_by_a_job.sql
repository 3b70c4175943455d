-- Exports by a job.
--   DROP TRIGGER tell_export ON public.data_exports
--   DROP TRIGGER refuse_files_of_nobody ON storage.objects
--   DROP VIEW public.retention_rules
--   ALTER TABLE public.data_exports DROP CONSTRAINT data_exports_secret_hash_key
--   DROP FUNCTION private.begin_export
--   DROP FUNCTION private.finish_export
--   DROP FUNCTION private.open_export
--   ALTER TABLE public.data_exports DROP COLUMN secret_hash
--   ALTER TABLE public.data_exports ADD COLUMN domains text[] NOT NULL
--   ALTER TABLE public.data_exports ALTER COLUMN opens DROP DEFAULT
--   ALTER TABLE public.data_exports ALTER COLUMN opens TYPE integer USING opens::integer
--   ALTER TABLE public.data_exports ALTER COLUMN opens SET DEFAULT 0
--   CREATE TYPE public.export_state AS ENUM ( 'in_attesa', 'in_corso', 'pronto', 'fallito', 'annullato', 'scaduto…
--   ALTER TABLE public.data_exports ADD COLUMN state public.export_state NOT NULL DEFAULT 'in_attesa'::public.exp…
--   ALTER TABLE public.data_exports ADD COLUMN progress smallint NOT NULL DEFAULT 0
--   ALTER TABLE public.data_exports ADD COLUMN sha256 text
--   ALTER TABLE public.data_exports ADD COLUMN expires_at timestamp WITH time zone
--   CREATE OR REPLACE FUNCTION private.cancel_export
--   CREATE OR REPLACE FUNCTION private.expire_exports
--   CREATE OR REPLACE FUNCTION private.fail_export
--   CREATE OR REPLACE FUNCTION private.finish_export
--   CREATE OR REPLACE FUNCTION private.note_export_progress
--   CREATE OR REPLACE FUNCTION private.notify_export
--   CREATE OR REPLACE FUNCTION private.open_export
--   CREATE OR REPLACE FUNCTION private.remove_files
--   CREATE OR REPLACE FUNCTION private.request_export
--   CREATE OR REPLACE FUNCTION private.start_export
--   CREATE OR REPLACE FUNCTION private.stop_outward
--   CREATE OR REPLACE FUNCTION private.superfluous_exports
--   ALTER TABLE public.data_exports ADD CONSTRAINT an_archive_has_domains CHECK ((cardinality(domains) > 0))
--   ALTER TABLE public.data_exports ADD CONSTRAINT progress_is_per_cent CHECK (((progress >= 0) AND (progress <= …
--   ALTER TABLE public.data_exports ADD CONSTRAINT what_is_ready_can_be_checked CHECK (((state <> 'pronto'::publi…
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX data_exports_ready ON public.data_exports USING btree (expires_at) WHERE (state = 'pronto'::publ…
--   CREATE UNIQUE INDEX data_exports_under_way ON public.data_exports USING btree (user_id) WHERE (state = ANY (A…
--   CREATE TRIGGER tell_export AFTER UPDATE OF state ON public.data_exports FOR EACH ROW WHEN (((old.state <> new…
--   CREATE TRIGGER refuse_files_of_nobody BEFORE INSERT OR UPDATE OF bucket_id, name ON storage.objects FOR EACH …
--   COMMENT ON COLUMN public.data_exports.opens IS 'How often an address of the archive was given out.'
--   COMMENT ON FUNCTION private.cancel_export
--   COMMENT ON FUNCTION private.expire_exports
--   COMMENT ON FUNCTION private.fail_export
--   COMMENT ON FUNCTION private.finish_export
--   COMMENT ON FUNCTION private.note_export_progress
--   COMMENT ON FUNCTION private.notify_export
--   COMMENT ON FUNCTION private.open_export
--   COMMENT ON FUNCTION private.request_export
--   COMMENT ON FUNCTION private.start_export
--   COMMENT ON FUNCTION private.superfluous_exports
--   COMMENT ON TABLE public.data_exports IS 'Archives that a person asked for; the ZIP of one that is ready is `<…
--   COMMENT ON TYPE public.export_state IS 'How far an export is; «scaduto» had an archive that was taken away ag…
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.cancel_export
--   GRANT EXECUTE ON FUNCTION private.cancel_export
--   REVOKE ALL ON FUNCTION private.expire_exports
--   GRANT EXECUTE ON FUNCTION private.expire_exports
--   REVOKE ALL ON FUNCTION private.fail_export
--   GRANT EXECUTE ON FUNCTION private.fail_export
--   REVOKE ALL ON FUNCTION private.finish_export
--   GRANT EXECUTE ON FUNCTION private.finish_export
--   REVOKE ALL ON FUNCTION private.note_export_progress
--   GRANT EXECUTE ON FUNCTION private.note_export_progress
--   REVOKE ALL ON FUNCTION private.open_export
--   GRANT EXECUTE ON FUNCTION private.open_export
--   REVOKE ALL ON FUNCTION private.request_export
--   GRANT EXECUTE ON FUNCTION private.request_export
--   REVOKE ALL ON FUNCTION private.start_export
--   GRANT EXECUTE ON FUNCTION private.start_export
--   REVOKE ALL ON FUNCTION private.superfluous_exports
--   GRANT EXECUTE ON FUNCTION private.superfluous_exports
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP TRIGGER "tell_export" ON "public"."data_exports";

DROP TRIGGER "refuse_files_of_nobody" ON "storage"."objects";

DROP VIEW "public"."retention_rules";

ALTER TABLE "public"."data_exports"
  DROP CONSTRAINT "data_exports_secret_hash_key";

DROP FUNCTION "private"."begin_export"(uuid, boolean);

DROP FUNCTION "private"."finish_export"(uuid, bigint);

DROP FUNCTION "private"."open_export"(text);

ALTER TABLE "public"."data_exports"
  DROP COLUMN "secret_hash";

-- Archives of before had everything, and were sent at once: none of them is kept.
ALTER TABLE "public"."data_exports"
  ADD COLUMN "domains" text[] NOT NULL
  DEFAULT '{profilo,clienti,lavoro,documenti,assistente,crediti,registro}';

ALTER TABLE "public"."data_exports"
  ALTER COLUMN "domains" DROP DEFAULT;

ALTER TABLE "public"."data_exports"
  ALTER COLUMN "opens" DROP DEFAULT;

ALTER TABLE "public"."data_exports"
  ALTER COLUMN "opens" TYPE integer USING "opens"::integer;

ALTER TABLE "public"."data_exports"
  ALTER COLUMN "opens" SET DEFAULT 0;

CREATE TYPE "public"."export_state" AS ENUM (
  'in_attesa',
  'in_corso',
  'pronto',
  'fallito',
  'annullato',
  'scaduto'
);

ALTER TABLE "public"."data_exports"
  ADD COLUMN "state" public.export_state NOT NULL DEFAULT 'in_attesa'::public.export_state;

ALTER TABLE "public"."data_exports"
  ADD COLUMN "progress" smallint NOT NULL DEFAULT 0;

ALTER TABLE "public"."data_exports"
  ADD COLUMN "sha256" text;

ALTER TABLE "public"."data_exports"
  ADD COLUMN "expires_at" timestamp WITH time zone;

UPDATE "public"."data_exports"
SET "state" = (CASE WHEN "finished_at" IS NULL THEN 'fallito' ELSE 'scaduto' END)::public.export_state,
  "progress" = CASE WHEN "finished_at" IS NULL THEN 0 ELSE 100 END;

CREATE OR REPLACE FUNCTION private.cancel_export (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with cancelled as (
    update public.data_exports set state = 'annullato'
    where user_id = _user_id and state in ('in_attesa', 'in_corso') returning id
  )
  select exists (select from cancelled)
$function$;

CREATE OR REPLACE FUNCTION private.expire_exports (
  _now timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.data_exports set state = 'scaduto' where state = 'pronto' and expires_at <= _now
$function$;

CREATE OR REPLACE FUNCTION private.fail_export (
  _id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.data_exports set state = 'fallito' where id = _id and state in ('in_attesa', 'in_corso')
$function$;

CREATE OR REPLACE FUNCTION private.finish_export (
  _id     uuid,
  _bytes  bigint,
  _sha256 text,
  _now    timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid;
begin
  update public.data_exports set
    state = 'pronto', progress = 100, finished_at = _now, bytes = _bytes, sha256 = _sha256,
    expires_at = _now + interval '7 days'
  where id = _id and state = 'in_corso' returning user_id into _user_id;
  if not found then
    return false;
  end if;
  -- One archive of each person is kept.
  update public.data_exports set state = 'scaduto', expires_at = _now
  where user_id = _user_id and id <> _id and state = 'pronto';
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_export_progress (
  _id       uuid,
  _progress integer
)
  RETURNS boolean
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with noted as (
    update public.data_exports set progress = _progress where id = _id and state = 'in_corso' returning id
  )
  select exists (select from noted)
$function$;

CREATE OR REPLACE FUNCTION private.notify_export()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.state = 'pronto' then
    perform private.notify(
      new.user_id, 'esportazione_conclusa', 'I tuoi dati sono pronti',
      'L’archivio si scarica per 7 giorni, quante volte vuoi.', '/settings/data', 'esportazione:' || new.id
    );
  else
    perform private.notify(
      new.user_id, 'avviso', 'Archivio dei tuoi dati non riuscito',
      'Non siamo riusciti a prepararlo: chiedilo di nuovo.', '/settings/data', 'esportazione:' || new.id
    );
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.open_export (
  _user_id uuid,
  _id      uuid,
  _now     timestamp with time zone
)
  RETURNS public.data_exports
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.data_exports set opens = opens + 1
  where id = _id and user_id = _user_id and state = 'pronto' and expires_at > _now
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.remove_files()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- What storage says when it deletes rows of its own.
  perform set_config('storage.allow_delete_query', 'true', true);
  -- All that begins with the folder's name: names are sorted by byte, and «0» follows «/».
  delete from storage.objects
  where bucket_id in ('avatars', 'documents', 'exports') and name >= old.user_id || '/' and name < old.user_id || '0';
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.request_export (
  _user_id    uuid,
  _domains    text[],
  _with_files boolean,
  OUT         id uuid,
  OUT         refusal text
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from auth.users where users.id = _user_id for no key update;
  if exists (select from public.data_exports where user_id = _user_id and state in ('in_attesa', 'in_corso')) then
    refusal := 'under_way';
  elsif (
    select count(*) from public.data_exports where user_id = _user_id and created_at > now() - interval '1 day'
  ) >= 10 then
    refusal := 'too_many';
  else
    insert into public.data_exports as made (user_id, domains, with_files) values (_user_id, _domains, _with_files)
    returning made.id into request_export.id;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.start_export (
  _id uuid
)
  RETURNS public.data_exports
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.data_exports set state = 'in_corso', progress = 0
  where id = _id and state in ('in_attesa', 'in_corso')
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.stop_outward (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- What waits is cancelled with the account that would send it; passwords, keys and inbox go too.
  delete from public.mail_accounts where user_id = _user_id;
  delete from public.whatsapp_accounts where user_id = _user_id;
  delete from private.calendar_feeds where user_id = _user_id;
  delete from public.push_subscriptions where user_id = _user_id;
  update private.notification_deliveries set state = 'esclusa', settled_at = now() where user_id = _user_id and state = 'attesa';
  update public.runs set stop_requested_at = now()
  where user_id = _user_id and state = 'running' and stop_requested_at is null;
  update public.tool_calls set state = 'expired' where user_id = _user_id and state = 'proposed';
  update auth.oauth_consents set revoked_at = now() where user_id = _user_id and revoked_at is null;
  delete from auth.sessions where user_id = _user_id and oauth_client_id is not null;
end
$function$;

CREATE OR REPLACE FUNCTION private.superfluous_exports (
  _limit   integer,
  _user_id uuid    DEFAULT NULL::uuid
)
  RETURNS SETOF text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select name from storage.objects as stored
  where bucket_id = 'exports' and (_user_id is null or starts_with(name, _user_id::text || '/')) and not exists (
    select from public.data_exports
    where user_id::text || '/' || id::text || '.zip' = stored.name and state in ('in_attesa', 'in_corso', 'pronto')
  )
  order by name limit _limit
$function$;

ALTER TABLE "public"."data_exports"
  ADD CONSTRAINT "an_archive_has_domains" CHECK ((cardinality(domains) > 0));

ALTER TABLE "public"."data_exports"
  ADD CONSTRAINT "progress_is_per_cent" CHECK (((progress >= 0) AND (progress <= 100)));

ALTER TABLE "public"."data_exports"
  ADD CONSTRAINT "what_is_ready_can_be_checked" CHECK (((state <> 'pronto'::public.export_state) OR ((bytes IS NOT NULL) AND (sha256 IS NOT NULL) AND (expires_at IS NOT NULL))));

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('goals'::text,'Obiettivi conclusi, con i loro passi'::text,'90 giorni dalla fine'::text,'Per rileggerli'::text,'delete'::text,'1 day'::text,true,'{public.goals,public.goal_steps}'::text), ('ethical_logs'::text,'Registro etico'::text,'12 mesi'::text,'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome'::text,'keep'::text,'1 day'::text,true,'{public.ethical_logs}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('exports'::text,'Archivi dei tuoi dati da scaricare'::text,'7 giorni, o finché ne chiedi un altro'::text,'Per scaricarli con calma'::text,'delete'::text,'1 hour'::text,true,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni, anche senza l’account'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,NULL::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX data_exports_ready ON public.data_exports USING btree (expires_at)
  WHERE (state = 'pronto'::public.export_state);

CREATE UNIQUE INDEX data_exports_under_way ON public.data_exports USING btree (user_id)
  WHERE (state = ANY (ARRAY['in_attesa'::public.export_state, 'in_corso'::public.export_state]));

CREATE TRIGGER tell_export
  AFTER UPDATE OF state ON public.data_exports
  FOR EACH ROW
  WHEN (((old.state <> new.state) AND (new.state = ANY (ARRAY['pronto'::public.export_state, 'fallito'::public.export_state]))))
  EXECUTE FUNCTION private.notify_export();

CREATE TRIGGER refuse_files_of_nobody
  BEFORE INSERT OR UPDATE OF bucket_id, name ON storage.objects
  FOR EACH ROW
  WHEN ((new.bucket_id = ANY (ARRAY['avatars'::text, 'documents'::text, 'exports'::text])))
  EXECUTE FUNCTION private.refuse_files_of_nobody();

COMMENT ON COLUMN "public"."data_exports"."opens" IS 'How often an address of the archive was given out.';

COMMENT ON FUNCTION "private"."cancel_export"(uuid) IS 'Stop the archive that is made for a person; false when there is none.';

COMMENT ON FUNCTION "private"."expire_exports"(timestamp with time zone) IS 'Close the archives whose seven days are over.';

COMMENT ON FUNCTION "private"."fail_export"(uuid) IS 'Note that an archive could not be made.';

COMMENT ON FUNCTION "private"."finish_export"(uuid, bigint, text, timestamp with time zone) IS 'Note that an archive lies in its bucket, for seven days and instead of the one before; false when it is not wanted.';

COMMENT ON FUNCTION "private"."note_export_progress"(uuid, integer) IS 'Note how much of an archive is made, in per cent; false when it is not wanted any more.';

COMMENT ON FUNCTION "private"."notify_export"() IS 'Tell a person that the archive of their data is ready, or that it could not be made.';

COMMENT ON FUNCTION "private"."open_export"(uuid, uuid, timestamp with time zone) IS 'The archive of this person that can be downloaded, counted; null when there is none.';

COMMENT ON FUNCTION "private"."request_export"(uuid, text[], boolean) IS 'Write down that a person wants an archive; refused as «under_way» while one is made, as «too_many» after ten in a day.';

COMMENT ON FUNCTION "private"."start_export"(uuid) IS 'The export to make, from its beginning; null when it is over.';

COMMENT ON FUNCTION "private"."superfluous_exports"(integer, uuid) IS 'Files of archives that are replaced, cancelled or over, of everybody or of one person.';

COMMENT ON TABLE "public"."data_exports" IS 'Archives that a person asked for; the ZIP of one that is ready is `<user_id>/<id>.zip` in the bucket exports.';

COMMENT ON TYPE "public"."export_state" IS 'How far an export is; «scaduto» had an archive that was taken away again.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."cancel_export"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."cancel_export"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."expire_exports"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expire_exports"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."fail_export"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail_export"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."finish_export"(uuid, bigint, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finish_export"(uuid, bigint, text, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_export_progress"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_export_progress"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."open_export"(uuid, uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_export"(uuid, uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."request_export"(uuid, text[], boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."request_export"(uuid, text[], boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_export"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_export"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."superfluous_exports"(integer, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."superfluous_exports"(integer, uuid) TO "service_role";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;

-- Nobody reads it by right: an archive is opened by a signed address.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('exports', 'exports', false, 50::bigint * 1024 * 1024 * 1024, array['application/zip'])
on conflict (id) do update
  set public = excluded.public,
      file_size_limit = excluded.file_size_limit,
      allowed_mime_types = excluded.allowed_mime_types;
