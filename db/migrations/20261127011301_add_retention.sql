-- Add retention.
--   CREATE TABLE private.retention_runs ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, rule text NOT NULL, st…
--   ALTER TABLE private.retention_runs ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.due_retention
--   CREATE OR REPLACE FUNCTION private.forget_retention_runs
--   CREATE OR REPLACE FUNCTION private.note_retention
--   CREATE OR REPLACE FUNCTION private.waiting_rows
--   CREATE OR REPLACE FUNCTION public.retention_register
--   REVOKE ALL ON FUNCTION public.retention_register
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX retention_runs_latest ON private.retention_runs USING btree (RULE, started_at DESC)
--   COMMENT ON FUNCTION private.due_retention
--   COMMENT ON FUNCTION private.forget_retention_runs
--   COMMENT ON FUNCTION private.note_retention
--   COMMENT ON FUNCTION private.waiting_rows
--   COMMENT ON FUNCTION public.retention_register
--   COMMENT ON TABLE private.retention_runs IS 'When a rule was run, how many rows or files it erased, and whethe…
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.due_retention
--   GRANT EXECUTE ON FUNCTION private.due_retention
--   REVOKE ALL ON FUNCTION private.forget_retention_runs
--   GRANT EXECUTE ON FUNCTION private.forget_retention_runs
--   REVOKE ALL ON FUNCTION private.note_retention
--   GRANT EXECUTE ON FUNCTION private.note_retention
--   REVOKE ALL ON FUNCTION private.waiting_rows
--   GRANT EXECUTE ON FUNCTION public.retention_register
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

CREATE TABLE "private"."retention_runs" (
  "id"         bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "rule"       text                     NOT NULL,
  "started_at" timestamp with time zone NOT NULL,
  "ended_at"   timestamp with time zone NOT NULL DEFAULT now(),
  "erased"     bigint                   NOT NULL,
  "is_ok"      boolean                  NOT NULL,
  CONSTRAINT "erased_is_not_negative" CHECK ((erased >= 0)),
  CONSTRAINT "retention_runs_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."retention_runs"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.due_retention (
  _now timestamp with time zone
)
  RETURNS SETOF text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- A minute early, so that a job that starts at the same second of each period does not skip one.
  select rule from public.retention_rules
  where every is not null and not exists (
    select from private.retention_runs
    where rule = retention_rules.rule and is_ok
      and started_at > _now - retention_rules.every + interval '1 minute' and started_at <= _now
  )
  order by every, rule
$function$;

CREATE OR REPLACE FUNCTION private.forget_retention_runs (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from private.retention_runs where id in (
      select id from private.retention_runs where started_at < now() - interval '24 months' limit _limit
    )
    returning id
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.note_retention (
  _rule       text,
  _started_at timestamp with time zone,
  _erased     bigint,
  _is_ok      boolean
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.retention_runs (rule, started_at, erased, is_ok) values (_rule, _started_at, _erased, _is_ok)
$function$;

CREATE OR REPLACE FUNCTION private.waiting_rows (
  _user_id uuid
)
  RETURNS TABLE (
    rule    text,
    waiting bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'temporary_conversations', count(*) from public.conversations where user_id = _user_id and is_temporary
  union all
  select 'trash', count(*) from (
    select from public.contacts where user_id = _user_id and deleted_at is not null
    union all select from public.deals where user_id = _user_id and deleted_at is not null
    union all select from public.drafts where user_id = _user_id and deleted_at is not null
    union all select from public.notes where user_id = _user_id and deleted_at is not null
    union all select from public.projects where user_id = _user_id and deleted_at is not null
    union all select from public.tasks where user_id = _user_id and deleted_at is not null
  ) as deleted
  union all
  select 'documents', count(*) from public.documents where user_id = _user_id and deleted_at is not null
  union all
  select 'merges', count(*) from public.merge_log where user_id = _user_id and changes <> '[]'
  union all
  select 'insights', count(*) from public.insights where user_id = _user_id
  union all
  select 'mails', count(*) from public.received_mails where user_id = _user_id and kind <> 'persona'
  union all
  select 'notifications', count(*) from public.notifications where user_id = _user_id and is_read
  union all
  select 'deleted_notifications', count(*) from private.deleted_notifications where user_id = _user_id
  union all
  select 'deliveries', count(*) from private.notification_deliveries where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION public.retention_register()
  RETURNS TABLE (
    rule           text,
    title          text,
    period         text,
    reason         text,
    outcome        text,
    every_minutes  integer,
    last_run_at    timestamp with time zone,
    last_is_ok     boolean,
    last_erased    bigint,
    erased_30_days bigint,
    waiting        bigint
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
  select rules.rule, rules.title, rules.period, rules.reason, rules.outcome,
    (extract(epoch from rules.every) / 60)::integer, last.started_at, last.is_ok, last.erased,
    case when rules.every is not null then (
      select coalesce(sum(erased), 0)::bigint from private.retention_runs
      where rule = rules.rule and started_at > now() - interval '30 days'
    ) end,
    mine.waiting
  from public.retention_rules as rules
  left join lateral (
    select started_at, is_ok, erased from private.retention_runs
    where rule = rules.rule order by started_at desc, id desc limit 1
  ) as last on true
  left join private.waiting_rows((select auth.uid())) as mine on mine.rule = rules.rule
  where rules.is_personal or (select private.is_admin())
  order by rules.every is null, rules.title
$function$;

REVOKE ALL ON FUNCTION "public"."retention_register"() FROM PUBLIC, "anon", "service_role";

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): restano anche l’indirizzo e i dati della fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX retention_runs_latest ON private.retention_runs USING btree (RULE, started_at DESC);

COMMENT ON FUNCTION "private"."due_retention"(timestamp with time zone) IS 'The rules whose last good run is longer ago than their interval.';

COMMENT ON FUNCTION "private"."forget_retention_runs"(integer) IS 'Delete records of runs after 24 months; return how many.';

COMMENT ON FUNCTION "private"."note_retention"(text, timestamp with time zone, bigint, boolean) IS 'Record a run of a rule.';

COMMENT ON FUNCTION "private"."waiting_rows"(uuid) IS 'How many rows of a person each rule will erase when their time is over.';

COMMENT ON FUNCTION "public"."retention_register"() IS 'The rules about the caller''s data, all rules for an admin; with the last run, what it erased, and what waits.';

COMMENT ON TABLE "private"."retention_runs" IS 'When a rule was run, how many rows or files it erased, and whether it ended well.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."due_retention"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."due_retention"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."forget_retention_runs"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_retention_runs"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_retention"(text, timestamp WITH time zone, bigint, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_retention"(text, timestamp WITH time zone, bigint, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."waiting_rows"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."retention_register"() TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;
