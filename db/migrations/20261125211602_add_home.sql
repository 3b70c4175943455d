-- Add home.
--   CREATE TABLE private.home_pages ( user_id uuid NOT NULL, day date NOT NULL, refreshed_at timestamp with time …
--   ALTER TABLE private.home_pages ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.insight_marks ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, user_id uuid NOT NULL, …
--   ALTER TABLE private.insight_marks ENABLE ROW LEVEL SECURITY
--   CREATE TABLE public.insight_prefs ( user_id uuid NOT NULL, kind text NOT NULL, is_enabled boolean NOT NULL DE…
--   ALTER TABLE public.insight_prefs ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.insight_prefs FROM anon
--   CREATE TABLE public.insights ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, kind text N…
--   ALTER TABLE public.insights ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.insights FROM anon
--   CREATE TYPE private.insight_fact AS ( kind text, entity_type text, entity_id uuid, since date, contact_id uui…
--   CREATE TYPE private.open_part AS ( invoice_id uuid, document_id uuid, direction public.invoice_direction, kin…
--   CREATE TYPE public.insight_state AS ENUM ( 'nuova', 'rimandata', 'fatta', 'scartata', 'risolta' )
--   ALTER TABLE public.insights ADD COLUMN state public.insight_state NOT NULL DEFAULT 'nuova'::public.insight_st…
--   ALTER TABLE public.insights ADD COLUMN snoozed_until timestamp WITH time zone
--   ALTER TABLE public.insights ADD COLUMN reason text
--   ALTER TABLE public.insights ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.briefing
--   CREATE OR REPLACE FUNCTION private.briefing_text
--   CREATE OR REPLACE FUNCTION private.client_facts
--   CREATE OR REPLACE FUNCTION private.count_answer
--   CREATE OR REPLACE FUNCTION private.counted
--   CREATE OR REPLACE FUNCTION private.credit_facts
--   CREATE OR REPLACE FUNCTION private.deal_facts
--   CREATE OR REPLACE FUNCTION private.home_activity
--   CREATE OR REPLACE FUNCTION private.home_content
--   CREATE OR REPLACE FUNCTION private.home_deals
--   CREATE OR REPLACE FUNCTION private.home_forecast
--   CREATE OR REPLACE FUNCTION private.home_months
--   CREATE OR REPLACE FUNCTION private.home_side
--   CREATE OR REPLACE FUNCTION private.home_work
--   CREATE OR REPLACE FUNCTION private.invoice_facts
--   CREATE OR REPLACE FUNCTION private.is_unusual
--   CREATE OR REPLACE FUNCTION private.keep_insights
--   CREATE OR REPLACE FUNCTION private.late_text
--   CREATE OR REPLACE FUNCTION private.mark_changed
--   CREATE OR REPLACE FUNCTION private.mark_person
--   CREATE OR REPLACE FUNCTION private.most_facts
--   CREATE OR REPLACE FUNCTION private.open_parts
--   CREATE OR REPLACE FUNCTION private.paper_facts
--   CREATE OR REPLACE FUNCTION private.payer_habits
--   CREATE OR REPLACE FUNCTION private.people_facts
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   CREATE OR REPLACE FUNCTION private.refusal_rate
--   CREATE OR REPLACE FUNCTION private.shown_insights
--   CREATE OR REPLACE FUNCTION private.standing_pairs
--   CREATE OR REPLACE FUNCTION private.task_facts
--   CREATE OR REPLACE FUNCTION private.tidying_facts
--   CREATE OR REPLACE FUNCTION private.today
--   CREATE OR REPLACE FUNCTION public.answer_insight
--   REVOKE ALL ON FUNCTION public.answer_insight
--   CREATE OR REPLACE FUNCTION public.home_overview
--   REVOKE ALL ON FUNCTION public.home_overview
--   CREATE OR REPLACE FUNCTION public.switch_insights
--   REVOKE ALL ON FUNCTION public.switch_insights
--   ALTER TABLE private.home_pages ADD CONSTRAINT home_pages_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.u…
--   ALTER TABLE public.insight_prefs ADD CONSTRAINT insight_prefs_user_id_fkey FOREIGN KEY (user_id) REFERENCES a…
--   ALTER TABLE public.insights REPLICA IDENTITY USING INDEX insights_identity
--   ALTER TABLE public.insights ADD CONSTRAINT insights_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id)…
--   ALTER TABLE public.insights ADD CONSTRAINT insights_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(…
--   ALTER TABLE public.insights ADD CONSTRAINT only_the_dismissed_have_a_reason CHECK (((reason IS NULL) OR (stat…
--   ALTER TABLE public.insights ADD CONSTRAINT only_what_rests_has_an_end CHECK (((snoozed_until IS NOT NULL) = (…
--   ALTER TABLE public.insights ADD CONSTRAINT reason_fits CHECK (((char_length(reason) >= 1) AND (char_length(re…
--   CREATE VIEW public.insight_kinds WITH (security_invoker=on) AS SELECT kind, label, category, action, worth_ce…
--   REVOKE ALL ON TABLE public.insight_kinds FROM anon
--   CREATE INDEX home_pages_day ON private.home_pages USING btree (day)
--   CREATE INDEX insight_marks_user ON private.insight_marks USING btree (user_id)
--   CREATE INDEX insights_age ON public.insights USING btree (created_at)
--   CREATE INDEX insights_contact ON public.insights USING btree (user_id, contact_id)
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.contact_distinct REFERENCING OLD TABLE AS changed FOR EACH…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.contact_distinct REFERENCING NEW TABLE AS changed FOR EAC…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.contacts REFERENCING OLD TABLE AS changed FOR EACH STATEME…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEM…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEME…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.credit_lots REFERENCING NEW TABLE AS changed FOR EACH STA…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.credit_lots REFERENCING NEW TABLE AS changed FOR EACH STAT…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.credit_wallets REFERENCING NEW TABLE AS changed FOR EACH S…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.deals REFERENCING OLD TABLE AS changed FOR EACH STATEMENT …
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.deals REFERENCING NEW TABLE AS changed FOR EACH STATEMENT…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.deals REFERENCING NEW TABLE AS changed FOR EACH STATEMENT …
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.dismissed_parties REFERENCING OLD TABLE AS changed FOR EAC…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.dismissed_parties REFERENCING NEW TABLE AS changed FOR EA…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.documents REFERENCING OLD TABLE AS changed FOR EACH STATEM…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.documents REFERENCING NEW TABLE AS changed FOR EACH STATE…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.documents REFERENCING NEW TABLE AS changed FOR EACH STATEM…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.interactions REFERENCING OLD TABLE AS changed FOR EACH STA…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.interactions REFERENCING NEW TABLE AS changed FOR EACH ST…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.interactions REFERENCING NEW TABLE AS changed FOR EACH STA…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.invoice_schedules REFERENCING OLD TABLE AS changed FOR EAC…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.invoice_schedules REFERENCING NEW TABLE AS changed FOR EA…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.invoice_schedules REFERENCING NEW TABLE AS changed FOR EAC…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.invoices REFERENCING OLD TABLE AS changed FOR EACH STATEME…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.invoices REFERENCING NEW TABLE AS changed FOR EACH STATEM…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.invoices REFERENCING NEW TABLE AS changed FOR EACH STATEME…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.notes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT …
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.notes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.notes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT …
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.profiles REFERENCING NEW TABLE AS changed FOR EACH STATEME…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.stages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT …
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.tasks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT …
--   CREATE POLICY owners read what they made of insights ON public.insight_prefs FOR SELECT TO authenticated USIN…
--   CREATE POLICY owners read their insights ON public.insights FOR SELECT TO authenticated USING ((user_id = ( S…
--   ALTER PUBLICATION supabase_realtime ADD TABLE public.insights
--   COMMENT ON COLUMN private.home_pages.pairs IS 'Contacts that may be one, [[id, id]]: compared once a day.'
--   COMMENT ON COLUMN public.insights.data IS 'What the button needs, and the figures of the text.'
--   COMMENT ON COLUMN public.insights.since IS 'Since when the fact holds: the day of its due date, of its stage,…
--   COMMENT ON COLUMN public.insights.snoozed_until IS 'Put off, or acted on: it comes back then, if the fact sti…
--   COMMENT ON FUNCTION private.briefing
--   COMMENT ON FUNCTION private.briefing_text
--   COMMENT ON FUNCTION private.client_facts
--   COMMENT ON FUNCTION private.count_answer
--   COMMENT ON FUNCTION private.counted
--   COMMENT ON FUNCTION private.credit_facts
--   COMMENT ON FUNCTION private.deal_facts
--   COMMENT ON FUNCTION private.home_activity
--   COMMENT ON FUNCTION private.home_content
--   COMMENT ON FUNCTION private.home_deals
--   COMMENT ON FUNCTION private.home_forecast
--   COMMENT ON FUNCTION private.home_months
--   COMMENT ON FUNCTION private.home_side
--   COMMENT ON FUNCTION private.home_work
--   COMMENT ON FUNCTION private.invoice_facts
--   COMMENT ON FUNCTION private.is_unusual
--   COMMENT ON FUNCTION private.keep_insights
--   COMMENT ON FUNCTION private.late_text
--   COMMENT ON FUNCTION private.mark_changed
--   COMMENT ON FUNCTION private.mark_person
--   COMMENT ON FUNCTION private.most_facts
--   COMMENT ON FUNCTION private.open_parts
--   COMMENT ON FUNCTION private.paper_facts
--   COMMENT ON FUNCTION private.payer_habits
--   COMMENT ON FUNCTION private.people_facts
--   COMMENT ON FUNCTION private.refresh_home
--   COMMENT ON FUNCTION private.refusal_rate
--   COMMENT ON FUNCTION private.shown_insights
--   COMMENT ON FUNCTION private.standing_pairs
--   COMMENT ON FUNCTION private.task_facts
--   COMMENT ON FUNCTION private.tidying_facts
--   COMMENT ON FUNCTION private.today
--   COMMENT ON FUNCTION public.answer_insight
--   COMMENT ON FUNCTION public.home_overview
--   COMMENT ON FUNCTION public.switch_insights
--   COMMENT ON TABLE private.home_pages IS 'What /home shows to a person on one day, as private.refresh_home() co…
--   COMMENT ON TABLE private.insight_marks IS 'Whose rows changed since their insights were computed.'
--   COMMENT ON TABLE public.insight_prefs IS 'What a person made of a kind of insights: switched off, refused, ac…
--   COMMENT ON TABLE public.insights IS 'What is worth doing, one row for each fact; kept for thirty days.'
--   COMMENT ON VIEW public.insight_kinds IS 'The kinds of insights: how a person calls them, their family, what t…
--   REVOKE ALL ON FUNCTION private.briefing
--   REVOKE ALL ON FUNCTION private.briefing_text
--   REVOKE ALL ON FUNCTION private.client_facts
--   REVOKE ALL ON FUNCTION private.count_answer
--   REVOKE ALL ON FUNCTION private.counted
--   REVOKE ALL ON FUNCTION private.credit_facts
--   REVOKE ALL ON FUNCTION private.deal_facts
--   REVOKE ALL ON FUNCTION private.home_activity
--   REVOKE ALL ON FUNCTION private.home_content
--   REVOKE ALL ON FUNCTION private.home_deals
--   REVOKE ALL ON FUNCTION private.home_forecast
--   REVOKE ALL ON FUNCTION private.home_months
--   REVOKE ALL ON FUNCTION private.home_side
--   REVOKE ALL ON FUNCTION private.home_work
--   REVOKE ALL ON FUNCTION private.invoice_facts
--   REVOKE ALL ON FUNCTION private.is_unusual
--   REVOKE ALL ON FUNCTION private.keep_insights
--   REVOKE ALL ON FUNCTION private.late_text
--   REVOKE ALL ON FUNCTION private.mark_changed
--   REVOKE ALL ON FUNCTION private.mark_person
--   REVOKE ALL ON FUNCTION private.most_facts
--   REVOKE ALL ON FUNCTION private.open_parts
--   REVOKE ALL ON FUNCTION private.paper_facts
--   REVOKE ALL ON FUNCTION private.payer_habits
--   REVOKE ALL ON FUNCTION private.people_facts
--   REVOKE ALL ON FUNCTION private.refresh_home
--   GRANT EXECUTE ON FUNCTION private.refresh_home
--   REVOKE ALL ON FUNCTION private.refusal_rate
--   REVOKE ALL ON FUNCTION private.shown_insights
--   REVOKE ALL ON FUNCTION private.standing_pairs
--   REVOKE ALL ON FUNCTION private.task_facts
--   REVOKE ALL ON FUNCTION private.tidying_facts
--   REVOKE ALL ON FUNCTION private.today
--   GRANT EXECUTE ON FUNCTION public.answer_insight
--   GRANT EXECUTE ON FUNCTION public.home_overview
--   GRANT EXECUTE ON FUNCTION public.switch_insights
--   GRANT SELECT ON TABLE private.home_pages TO service_role
--   GRANT DELETE, INSERT, SELECT ON TABLE private.insight_marks TO service_role
--   REVOKE ALL ON TABLE public.insight_prefs FROM authenticated
--   GRANT SELECT ON TABLE public.insight_prefs TO authenticated
--   REVOKE ALL ON TABLE public.insight_prefs FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.insight_prefs TO service_role
--   REVOKE ALL ON TABLE public.insights FROM authenticated
--   GRANT SELECT ON TABLE public.insights TO authenticated
--   REVOKE ALL ON TABLE public.insights FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.insights TO service_role
--   REVOKE ALL ON TABLE public.insight_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.insight_kinds TO authenticated
--   REVOKE ALL ON TABLE public.insight_kinds FROM service_role
--   GRANT SELECT ON TABLE public.insight_kinds TO service_role

set check_function_bodies = off;

CREATE TABLE "private"."home_pages" (
  "user_id"      uuid                     NOT NULL,
  "day"          date                     NOT NULL,
  "refreshed_at" timestamp with time zone NOT NULL,
  "content"      jsonb                    NOT NULL,
  "pairs"        jsonb                    NOT NULL,
  CONSTRAINT "home_pages_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."home_pages"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."insight_marks" (
  "id"        bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "user_id"   uuid                     NOT NULL,
  "marked_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "insight_marks_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."insight_marks"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."insight_prefs" (
  "user_id"    uuid                     NOT NULL,
  "kind"       text                     NOT NULL,
  "is_enabled" boolean                  NOT NULL DEFAULT true,
  "refused"    integer                  NOT NULL DEFAULT 0,
  "acted"      integer                  NOT NULL DEFAULT 0,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "counts_are_counts" CHECK (((refused >= 0) AND (acted >= 0))),
  CONSTRAINT "insight_prefs_pkey" PRIMARY KEY (user_id, kind)
);

ALTER TABLE "public"."insight_prefs"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."insight_prefs" FROM "anon";

CREATE TABLE "public"."insights" (
  "id"           uuid             NOT NULL DEFAULT gen_random_uuid(),
  "user_id"      uuid             NOT NULL,
  "kind"         text             NOT NULL,
  "entity_type"  text             NOT NULL,
  "entity_id"    uuid,
  "since"        date             NOT NULL,
  "contact_id"   uuid,
  "title"        text             NOT NULL,
  "body"         text             NOT NULL,
  "amount_cents" bigint,
  "currency"     text             NOT NULL DEFAULT 'EUR'::text,
  "score"        double precision NOT NULL,
  "data"         jsonb            NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT "body_fits" CHECK (((char_length(body) >= 1) AND (char_length(body) <= 500))),
  CONSTRAINT "currency_is_iso" CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT "data_is_an_object" CHECK ((jsonb_typeof(data) = 'object'::text)),
  CONSTRAINT "insights_fact" UNIQUE NULLS NOT DISTINCT (user_id, kind, entity_type, entity_id, since),
  CONSTRAINT "insights_identity" UNIQUE (user_id, id),
  CONSTRAINT "insights_pkey" PRIMARY KEY (id),
  CONSTRAINT "title_fits" CHECK (((char_length(title) >= 1) AND (char_length(title) <= 300)))
);

ALTER TABLE "public"."insights"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."insights" FROM "anon";

CREATE TYPE "private"."insight_fact" AS (
  "kind"         text,
  "entity_type"  text,
  "entity_id"    uuid,
  "since"        date,
  "contact_id"   uuid,
  "title"        text,
  "body"         text,
  "amount_cents" bigint,
  "currency"     text,
  "urgency"      double precision,
  "data"         jsonb
);

CREATE TYPE "private"."open_part" AS (
  "invoice_id"   uuid,
  "document_id"  uuid,
  "direction"    public.invoice_direction,
  "kind"         public.invoice_kind,
  "number"       text,
  "issued_on"    date,
  "contact_id"   uuid,
  "counterparty" text,
  "currency"     text,
  "due_on"       date,
  "cents"        bigint,
  "is_late"      boolean
);

CREATE TYPE "public"."insight_state" AS ENUM (
  'nuova',
  'rimandata',
  'fatta',
  'scartata',
  'risolta'
);

ALTER TABLE "public"."insights"
  ADD COLUMN "state" public.insight_state NOT NULL DEFAULT 'nuova'::public.insight_state;

ALTER TABLE "public"."insights"
  ADD COLUMN "snoozed_until" timestamp WITH time zone;

ALTER TABLE "public"."insights"
  ADD COLUMN "reason" text;

ALTER TABLE "public"."insights"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.briefing (
  _content jsonb,
  _facts   private.insight_fact[]
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with told as (
    select _content -> 'work' as work, _content -> 'to_cash' as cash, _content -> 'to_pay' as pay,
      (_content #>> '{work,today}')::integer as today, (_content #>> '{work,late}')::integer as late,
      (_content #>> '{work,people}')::integer as people
  )
  select private.briefing_text('agenda', concat_ws(' ',
      case when today > 0 then 'Oggi ' || private.counted(today, 'un’attività', 'attività') || case
        when work #>> '{tasks,0,is_allday}' = 'false' then ', la prima alle '
          || to_char((work #>> '{tasks,0,due_at}')::timestamptz at time zone 'Europe/Rome', 'HH24:MI') else '' end
        || ': «' || (work #>> '{tasks,0,title}') || '»' || case when today > 1 then ' e altro.' else '.' end end,
      case when late > 0 then private.counted(late, 'Un’attività è scaduta.', 'attività sono scadute.') end))
    || private.briefing_text('soldi', concat_ws(' ',
      case when (cash ->> 'late')::integer > 0 then 'In ritardo ' || private.euros((cash ->> 'late_cents')::bigint, 'EUR')
        || ' da ' || private.counted((cash ->> 'late')::integer, 'una fattura', 'fatture') || '.' end,
      case when (cash ->> 'soon')::integer > 0 then 'Entro 5 giorni dovrebbero entrare '
        || private.euros((cash ->> 'soon_cents')::bigint, 'EUR') || '.' end,
      case when (pay ->> 'late')::integer + (pay ->> 'soon')::integer > 0 then 'Da pagare subito '
        || private.euros((pay ->> 'late_cents')::bigint + (pay ->> 'soon_cents')::bigint, 'EUR') || '.' end,
      (select 'Fuori dai conti: ' || lower(left(title, 1)) || substr(title, 2) || '.' from unnest(_facts) as fact
        where fact.entity_type = 'register')))
    || private.briefing_text('persone', case when people > 0 then 'Da risentire: ' || (
        select string_agg(name, ', ') from jsonb_array_elements_text(work -> 'names') as name
      ) || case when people > 3 then ' e ' || private.counted(people - 3, 'un’altra persona', 'altre') else '' end || '.'
      else '' end)
    || private.briefing_text('rischi', coalesce((
      select string_agg(title, '. ' order by urgency desc) || '.' from unnest(_facts) as fact
      where kind in ('concentrazione', 'contratto_in_scadenza', 'crediti_in_esaurimento', 'crediti_in_scadenza')
    ), ''))
  from told
$function$;

CREATE OR REPLACE FUNCTION private.briefing_text (
  _section text,
  _text    text
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  SET search_path TO ''
  AS $function$
  select case when _text <> '' then jsonb_build_array(jsonb_build_object('section', _section, 'text', _text)) else '[]' end
$function$;

CREATE OR REPLACE FUNCTION private.client_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with issued as materialized (
    select invoices.contact_id, invoices.kind, count(*) over (partition by invoices.number, invoices.issued_on) > 1 as may_be_twin,
      invoices as invoice, coalesce(invoices.net_cents, invoices.total_cents - coalesce(invoices.vat_cents, 0)) as net_cents
    from public.invoices
    join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
    where invoices.user_id = _user_id and invoices.direction = 'attiva' and invoices.kind <> 'autofattura'
      and invoices.currency = 'EUR' and documents.deleted_at is null and invoices.issued_on > (_today - interval '1 year')::date
  ), clients as (
    select contact_id, count(*) as invoices,
      sum(case kind when 'nota_di_credito' then -abs(net_cents) else net_cents end)::bigint as net_cents
    from issued where not may_be_twin or public.twin(invoice) is null
    group by contact_id
  ), shares as (
    select contact_id, net_cents, net_cents::numeric / nullif(sum(net_cents) over (), 0) as share,
      sum(invoices) over () as invoices, count(*) over () as clients
    from clients
  )
  select 'concentrazione', 'contact', contact_id, date_trunc('month', _today)::date, contact_id,
    name || ' fa il ' || round(share * 100) || ' % del tuo fatturato',
    'Negli ultimi 12 mesi, al netto dell’IVA: se smette, ne risenti. Coltiva anche gli altri clienti.',
    net_cents, 'EUR', 0.02, jsonb_build_object('counterparty', name, 'share', round(share, 4))
  from shares join public.contacts on contacts.user_id = _user_id and contacts.id = contact_id
  -- Who has just begun has one client: that is no news.
  where share > 0.5 and invoices >= 5 and clients >= 2
$function$;

CREATE OR REPLACE FUNCTION private.count_answer (
  _user_id uuid,
  _kind    text,
  _state   public.insight_state,
  _times   integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.insight_prefs as kept (user_id, kind, refused, acted)
  select _user_id, _kind, greatest(0, refused), greatest(0, acted)
  from (
    select case when _state = 'scartata' then _times else 0 end as refused,
      case when _state = 'fatta' then _times else 0 end as acted
  ) as told
  where _state in ('scartata', 'fatta')
  on conflict (user_id, kind) do update set
    refused = greatest(0, kept.refused + case when _state = 'scartata' then _times else 0 end),
    acted = greatest(0, kept.acted + case when _state = 'fatta' then _times else 0 end)
$function$;

CREATE OR REPLACE FUNCTION private.counted (
  _times bigint,
  _one   text,
  _many  text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  SET search_path TO ''
  AS $function$
  select case when _times = 1 then _one else _times || ' ' || _many end
$function$;

CREATE OR REPLACE FUNCTION private.credit_facts (
  _today date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'crediti_in_esaurimento', 'wallet', null::uuid, date_trunc('week', _today)::date, null::uuid,
    case when balance = 0 then 'Hai finito i crediti'
      else 'Ti ' || case when balance = 1 then 'resta un credito' else 'restano ' || balance || ' crediti' end end,
    case when balance = 0 then 'Socio continua a rispondere in modalità locale, senza crediti.'
      else 'Al ritmo degli ultimi 30 giorni bastano fino al ' || to_char(lasts_until, 'DD/MM/YYYY') || '.' end,
    null::bigint, 'EUR', case when balance = 0 then 1 else 0.7 end, jsonb_build_object('balance', balance)
  from public.credit_forecast()
  where used_30d > 0 and (balance = 0 or lasts_until <= _today + 14)
  union all
  select 'crediti_in_scadenza', 'wallet', null, (next_expiry_at at time zone 'Europe/Rome')::date, null,
    private.counted(next_expiry_credits, 'Un credito sta per scadere', 'crediti stanno per scadere'),
    'Valgono fino al ' || to_char(next_expiry_at at time zone 'Europe/Rome', 'DD/MM/YYYY') || ': poi non si possono più usare.',
    null, 'EUR', 0.6, jsonb_build_object('credits', next_expiry_credits)
  from public.credit_overview()
  -- Bought credits are extended, not lost.
  where not next_expiry_extends and next_expiry_credits > 0 and next_expiry_at <= now() + interval '14 days'
$function$;

CREATE OR REPLACE FUNCTION private.deal_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with stuck as (
    select deals.id, deals.title, deals.contact_id, deals.amount_cents, deals.currency, contacts.name as contact,
      stages.name as stage, habits.usual_days, habits.sample, floor(age.days)::integer as days,
      (deals.stage_since at time zone 'Europe/Rome')::date as since
    from public.stage_habits() as habits
    join public.stages on stages.user_id = _user_id and stages.id = habits.stage_id
    join public.deals on deals.user_id = _user_id and deals.stage_id = stages.id and deals.deleted_at is null
    left join public.contacts on contacts.user_id = _user_id and contacts.id = deals.contact_id
    cross join lateral (select extract(epoch from now() - deals.stage_since) / 86400 as days) as age
    where age.days > habits.usual_days
    order by deals.amount_cents desc, deals.id
    limit private.most_facts()
  )
  select case when stage ilike '%preventiv%' then 'preventivo_fermo' else 'trattativa_ferma' end, 'deal', id, since,
    contact_id, concat(title, case when strpos(lower(title), lower(contact)) = 0 then ' (' || contact || ')' end),
    concat('Ferma in «', stage, '» da ', private.counted(days, 'un giorno', 'giorni'), case
      when sample >= 8 then '. Di solito le tue trattative ci restano meno di '
        || private.counted(ceil(usual_days)::bigint, 'un giorno', 'giorni') || '.'
      else ': oltre ' || ceil(usual_days) || ' giorni conviene farsi sentire.' end),
    nullif(amount_cents, 0), currency, least(0.6, 0.25 + 0.1 * days / usual_days), jsonb_strip_nulls(jsonb_build_object(
      'deal', title, 'counterparty', contact, 'stage', stage, 'days', days, 'usual_days', usual_days
    ))
  from stuck
$function$;

CREATE OR REPLACE FUNCTION private.home_activity (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', latest.id, 'kind', latest.kind, 'at', latest.at, 'title', latest.title, 'body', left(latest.body, 140),
    'ref_type', ref_type, 'ref_id', ref_id, 'contact_id', contact_id, 'contact', contacts.name
  ) order by latest.at desc, latest.id), '[]')
  from (
    select * from public.timeline
    where user_id = _user_id and at between now() - interval '30 days' and now() order by at desc, id limit 6
  ) as latest
  left join public.contacts on contacts.user_id = _user_id and contacts.id = contact_id
$function$;

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
    'activity', private.home_activity(_user_id),
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

CREATE OR REPLACE FUNCTION private.home_deals (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with open as materialized (
    select deals.currency, deals.amount_cents,
      round(deals.amount_cents * coalesce(deals.probability, stages.probability) / 100.0)::bigint as weighted_cents
    from public.stages join public.deals on deals.user_id = _user_id and deals.stage_id = stages.id
    where stages.user_id = _user_id and stages.kind = 'aperta' and deals.deleted_at is null
  )
  select jsonb_build_object(
    'count', (select count(*) from open),
    'cents', (select coalesce(sum(amount_cents), 0) from open where currency = 'EUR'),
    'weighted_cents', (select coalesce(sum(weighted_cents), 0) from open where currency = 'EUR'),
    'others', (
      select coalesce(jsonb_object_agg(currency, cents), '{}')
      from (select currency, sum(amount_cents) as cents from open where currency <> 'EUR' group by currency) as others
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.home_forecast (
  _user_id uuid,
  _parts   private.open_part[],
  _today   date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with habits as materialized (
    select habits.* from private.payer_habits(_user_id, array(
      select distinct contact_id from unnest(_parts) as part where direction = 'attiva' and contact_id is not null
    )) as habits
  ), expected as materialized (
    -- Whoever pays late is expected when they usually pay. Nobody knows a day for what is later than that.
    select part.direction, part.cents, part.due_on is null as is_undated,
      case when part.direction = 'attiva' then greatest(part.due_on, part.issued_on + habits.days) else part.due_on end as day
    from unnest(_parts) as part left join habits on habits.contact_id = part.contact_id and part.direction = 'attiva'
    where part.currency = 'EUR'
  ), weeks as (
    select n, (date_trunc('week', _today) + n * interval '7 days')::date as week from generate_series(0, 12) as n
  ), by_week as (
    select weeks.week, coalesce(sum(cents) filter (where direction = 'attiva'), 0) as in_cents,
      coalesce(sum(cents) filter (where direction = 'passiva'), 0) as out_cents
    from weeks left join expected on day >= _today and not is_undated and day >= week and day < week + 7
    group by weeks.week
  )
  select jsonb_build_object(
    'weeks', (select jsonb_agg(to_jsonb(by_week) order by week) from by_week),
    'late_cents', coalesce(sum(cents) filter (where direction = 'attiva' and not is_undated and day < _today), 0),
    'undated_cents', coalesce(sum(cents) filter (where direction = 'attiva' and is_undated), 0),
    'later_cents', coalesce(sum(cents) filter (
      where direction = 'attiva' and not is_undated and day >= (select max(week) + 7 from weeks)
    ), 0)
  )
  from expected
$function$;

CREATE OR REPLACE FUNCTION private.home_months (
  _user_id uuid,
  _parts   private.open_part[],
  _today   date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with months as (
    select (date_trunc('month', _today) - make_interval(months => back))::date as month
    from generate_series(0, 5) as back
  ), paid_parts as materialized (
    -- Whether a part counts is asked of these months only: it takes longer than all the rest.
    select paid_on, cents, counts from public.invoice_parts as part
    where part.user_id = _user_id and part.direction = 'attiva' and part.currency = 'EUR'
      and part.paid_on between (select min(month) from months) and _today
  ), paid as (
    select date_trunc('month', paid_on)::date as month, sum(cents) as cents from paid_parts where counts group by 1
  ), open as (
    select date_trunc('month', due_on)::date as month, sum(cents) as cents, sum(cents) filter (where is_late) as late_cents
    from unnest(_parts) as part where direction = 'attiva' and currency = 'EUR' group by 1
  )
  select jsonb_agg(jsonb_build_object(
    'month', months.month, 'paid_cents', coalesce(paid.cents, 0), 'open_cents', coalesce(open.cents, 0),
    'late_cents', coalesce(open.late_cents, 0)
  ) order by months.month)
  from months left join paid on paid.month = months.month left join open on open.month = months.month
$function$;

CREATE OR REPLACE FUNCTION private.home_side (
  _parts     private.open_part[],
  _direction public.invoice_direction,
  _today     date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with side as (
    select * from unnest(_parts) as part where part.direction = _direction
  )
  select jsonb_build_object(
    'open_cents', coalesce(sum(cents) filter (where currency = 'EUR'), 0),
    'late_cents', coalesce(sum(cents) filter (where currency = 'EUR' and is_late), 0),
    'soon_cents', coalesce(sum(cents) filter (where currency = 'EUR' and due_on between _today and _today + 5), 0),
    'undated_cents', coalesce(sum(cents) filter (where currency = 'EUR' and due_on is null), 0),
    'invoices', count(distinct invoice_id),
    'late', count(distinct invoice_id) filter (where is_late),
    'soon', count(distinct invoice_id) filter (where due_on between _today and _today + 5),
    'undated', count(distinct invoice_id) filter (where due_on is null),
    'others', (
      select coalesce(jsonb_object_agg(currency, cents), '{}')
      from (select currency, sum(cents) as cents from side where currency <> 'EUR' group by currency) as others
    )
  )
  from side
$function$;

CREATE OR REPLACE FUNCTION private.home_work (
  _user_id uuid,
  _today   date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with due as materialized (
    -- As /tasks shows them: subtasks stand by themselves when they have a date.
    select id, title, due_at, due_is_allday, priority, position, contact_id, day < _today as is_late
    from public.tasks cross join lateral (select (due_at at time zone 'Europe/Rome')::date as day) as due
    where user_id = _user_id and state <> 'fatto' and deleted_at is null
      and due_at < (_today + 1)::timestamp at time zone 'Europe/Rome'
  ), shown as (
    select due.*, contacts.name as contact
    from due left join public.contacts on contacts.user_id = _user_id and contacts.id = due.contact_id
    where not is_late order by due_is_allday, due_at, priority desc, position, due.id limit 5
  ), silent as materialized (
    select id, name, next_touch_at from public.contacts
    where user_id = _user_id and merged_into is null and deleted_at is null
      and next_touch_at <= now() and (snoozed_until is null or snoozed_until <= now())
  )
  select jsonb_build_object(
    'today', (select count(*) from due where not is_late), 'late', (select count(*) from due where is_late),
    'tasks', (select coalesce(jsonb_agg(jsonb_build_object(
      'id', id, 'title', title, 'due_at', due_at, 'is_allday', due_is_allday, 'contact', contact
    ) order by due_is_allday, due_at, priority desc, position, id), '[]') from shown),
    'people', (select count(*) from silent),
    'names', (select coalesce(jsonb_agg(name order by next_touch_at, id), '[]')
      from (select * from silent order by next_touch_at, id limit 3) as first)
  )
$function$;

CREATE OR REPLACE FUNCTION private.invoice_facts (
  _user_id uuid,
  _parts   private.open_part[],
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with owed as materialized (
    select invoice_id, document_id, direction, number, issued_on, contact_id, counterparty, currency, is_late,
      sum(cents)::bigint as cents, min(due_on) as due_on
    from unnest(_parts) as part
    where kind = 'fattura' and due_on <= _today + 5 and cents > 0
    group by invoice_id, document_id, direction, number, issued_on, contact_id, counterparty, currency, is_late
  ), habits as materialized (
    select habits.* from private.payer_habits(
      _user_id, array(select distinct contact_id from owed where direction = 'attiva' and contact_id is not null)
    ) as habits
  ), told as (
    select owed.*, habits.days as usual_days, _today - due_on as late_days, _today - issued_on as elapsed_days,
      case when direction = 'passiva' then 'da_pagare' when is_late then 'fattura_scaduta' else 'in_scadenza' end as kind,
      row_number() over (partition by direction, is_late order by cents desc, due_on, invoice_id) as place
    from owed left join habits on habits.contact_id = owed.contact_id
  )
  select kind, 'invoice', invoice_id, due_on, contact_id, concat('Fattura ', number, ' ',
      case direction when 'attiva' then 'a ' else 'di ' end || counterparty,
      case when is_late then ' scaduta' when late_days = 0 then ' in scadenza oggi'
        else ' in scadenza il ' || to_char(due_on, 'DD/MM') end),
    case
      when kind = 'fattura_scaduta' then private.late_text(late_days, elapsed_days, usual_days)
      when is_late then 'Da pagare da ' || private.counted(late_days, 'un giorno', 'giorni') || '.'
      when direction = 'passiva' then 'Da pagare entro il ' || to_char(due_on, 'DD/MM/YYYY') || '.'
      when usual_days is null then 'Un promemoria gentile prima della scadenza aiuta.'
      else 'Di solito paga in ' || private.counted(usual_days, 'un giorno', 'giorni') || ' dall’emissione, ne sono passati '
        || elapsed_days || '.'
    end,
    cents, currency,
    case when is_late then least(1, 0.6 + late_days / 150.0)
      * case when private.is_unusual(elapsed_days, usual_days) then 1.25 else 1 end else 0.3 - late_days * -0.02 end,
    jsonb_strip_nulls(jsonb_build_object(
      'document_id', document_id, 'number', number, 'counterparty', counterparty, 'issued_on', issued_on, 'due_on', due_on,
      'late_days', case when is_late then late_days end, 'usual_days', usual_days,
      'is_unusual', nullif(is_late and private.is_unusual(elapsed_days, usual_days), false)
    ))
  from told where place <= private.most_facts()
$function$;

CREATE OR REPLACE FUNCTION private.is_unusual (
  _elapsed_days integer,
  _usual_days   integer
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  SET search_path TO ''
  AS $function$
  select coalesce(_elapsed_days > greatest(1.5 * _usual_days, _usual_days + 7), false)
$function$;

CREATE OR REPLACE FUNCTION private.keep_insights (
  _user_id uuid,
  _facts   private.insight_fact[]
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  with scored as materialized (
    select fact.*,
      round((
        greatest(abs(coalesce(fact.amount_cents, 0)), kinds.worth_cents) * fact.urgency
          * (1 - private.refusal_rate(prefs.refused, prefs.acted))
      )::numeric, 2)::double precision as score
    from unnest(_facts) as fact
    join public.insight_kinds as kinds on kinds.kind = fact.kind
    left join public.insight_prefs as prefs on prefs.user_id = _user_id and prefs.kind = fact.kind
    where coalesce(prefs.is_enabled, true)
  ), kept as (
    insert into public.insights as old (
      user_id, kind, entity_type, entity_id, since, contact_id, title, body, amount_cents, currency, score, data
    )
    select _user_id, kind, entity_type, entity_id, since, contact_id, left(title, 300), left(body, 500), amount_cents,
      coalesce(currency, 'EUR'), score, coalesce(data, '{}') from scored
    on conflict on constraint insights_fact do update set
      contact_id = excluded.contact_id, title = excluded.title, body = excluded.body, score = excluded.score,
      amount_cents = excluded.amount_cents, currency = excluded.currency, data = excluded.data,
      state = case when old.state = 'risolta' or old.snoozed_until <= now() then 'nuova' else old.state end,
      snoozed_until = case when old.snoozed_until > now() then old.snoozed_until end
    -- What is the same is not written: it would be sent to every open tab.
    where (old.contact_id, old.title, old.body, old.score, old.amount_cents, old.currency, old.data)
        is distinct from (excluded.contact_id, excluded.title, excluded.body, excluded.score, excluded.amount_cents,
          excluded.currency, excluded.data)
      or old.state = 'risolta' or old.snoozed_until <= now()
  )
  update public.insights set state = 'risolta', snoozed_until = null
  where user_id = _user_id and state in ('nuova', 'rimandata', 'fatta') and not exists (
    select from scored
    where scored.kind = insights.kind and scored.entity_type = insights.entity_type and scored.since = insights.since
      and scored.entity_id is not distinct from insights.entity_id
  )
$function$;

CREATE OR REPLACE FUNCTION private.late_text (
  _late_days    integer,
  _elapsed_days integer,
  _usual_days   integer
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select concat(
    'Scaduta da ', private.counted(_late_days, 'un giorno', 'giorni'), '. ',
    case
      when _usual_days is null then 'Non so ancora in quanto tempo paga.'
      else 'Di solito paga in ' || private.counted(_usual_days, 'un giorno', 'giorni') || ' dall’emissione, ne sono passati '
        || _elapsed_days || case when private.is_unusual(_elapsed_days, _usual_days) then ': è insolito.' else '.' end
    end
  )
$function$;

CREATE OR REPLACE FUNCTION private.mark_changed()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.insight_marks (user_id) select distinct user_id from changed;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.mark_person (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.insight_marks (user_id) values (_user_id)
$function$;

CREATE OR REPLACE FUNCTION private.most_facts()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  SET search_path TO ''
  AS $function$
  select 25
$function$;

CREATE OR REPLACE FUNCTION private.open_parts (
  _user_id uuid
)
  RETURNS SETOF private.open_part
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select invoices.id, invoices.document_id, invoices.direction, invoices.kind, invoices.number, invoices.issued_on,
    invoices.contact_id, coalesce(contacts.name::text, invoices.counterparty_name), invoices.currency, part.due_on,
    part.cents, part.is_late
  from public.invoices
  join public.invoice_parts as part on part.user_id = invoices.user_id and part.invoice_id = invoices.id
  left join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
  where invoices.user_id = _user_id and invoices.paid_on is null and part.paid_on is null and part.counts
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
      else ' in scadenza il ' || to_char(due_on, 'DD/MM') end),
    'Mancano ' || private.counted(due_on - _today, 'un giorno', 'giorni') || ': è il momento di rinnovarlo o disdirlo.',
    total_cents, documents.currency, case when due_on <= _today + 7 then 0.6 else 0.3 end,
    jsonb_strip_nulls(jsonb_build_object('counterparty', contacts.name, 'filename', filename, 'due_on', due_on))
  from public.documents
  left join public.contacts on contacts.user_id = documents.user_id and contacts.id = contact_id
  where documents.user_id = _user_id and kind = 'contratto' and documents.deleted_at is null
    and due_on between _today and _today + 30
$function$;

CREATE OR REPLACE FUNCTION private.payer_habits (
  _user_id     uuid,
  _contact_ids uuid[]
)
  RETURNS TABLE (
    contact_id uuid,
    paid       integer,
    days       integer
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- The same invoice in two files was paid once.
  select paid.contact_id, count(*)::integer,
    percentile_disc(0.5) within group (order by greatest(paid.paid_on - paid.issued_on, 0))
  from (
    select distinct on (contact_id, number, issued_on) contact_id, number, issued_on, paid_on from public.invoices
    where user_id = _user_id and contact_id = any (_contact_ids) and direction = 'attiva' and kind = 'fattura'
      and paid_on is not null
    order by contact_id, number, issued_on, paid_on
  ) as paid
  group by paid.contact_id
  having count(*) >= 2
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
    concat(case when last_interaction_at is null then 'Mai sentito da quando c’è, ' else 'Non vi sentite da ' end,
      private.counted(silent_days, 'un giorno', 'giorni'),
      case when last_interaction_at is null then ' fa' end, ': volevi ogni ',
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
  _facts := array(
    select fact from private.invoice_facts(_user_id, _parts, _today) as fact
    union all select fact from private.deal_facts(_user_id, _today) as fact
    union all select fact from private.people_facts(_user_id, _today) as fact
    union all select fact from private.task_facts(_user_id, _today) as fact
    union all select fact from private.credit_facts(_today) as fact
    union all select fact from private.client_facts(_user_id, _today) as fact
    union all select fact from private.paper_facts(_user_id, _today) as fact
    union all select fact from private.tidying_facts(_user_id, jsonb_array_length(_pairs), _today) as fact
  );
  perform private.keep_insights(_user_id, _facts);
  insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
  values (_user_id, _today, now(), private.home_content(_user_id, _parts, _facts, _today), _pairs)
  on conflict (user_id) do update set day = excluded.day, refreshed_at = excluded.refreshed_at,
    content = excluded.content, pairs = excluded.pairs;
  perform set_config('request.jwt.claims', coalesce(_claims, ''), true);
end
$function$;

CREATE OR REPLACE FUNCTION private.refusal_rate (
  _refused integer,
  _acted   integer
)
  RETURNS double precision
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  SET search_path TO ''
  AS $function$
  -- As if there had been two answers that were no refusals: one click does not silence a kind.
  select coalesce(_refused, 0) / (coalesce(_refused, 0) + coalesce(_acted, 0) + 2)::double precision
$function$;

CREATE OR REPLACE FUNCTION private.shown_insights (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with shown as (
    select insights.*, kinds.action, kinds.label, row_number() over (
      partition by insights.kind order by score desc, insights.since, insights.id
    ) as nth
    from public.insights join public.insight_kinds as kinds on kinds.kind = insights.kind
    where user_id = _user_id and (state = 'nuova' or snoozed_until <= now())
  ), ranked as (
    select shown.*, row_number() over (order by nth > 2, score desc, since, id) as place from shown
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', id, 'kind', kind, 'label', label, 'action', action, 'entity_type', entity_type, 'entity_id', entity_id,
    'contact_id', contact_id, 'title', title, 'body', body, 'amount_cents', amount_cents, 'currency', currency, 'data', data
  ) order by place), '[]')
  from ranked where place <= 50
$function$;

CREATE OR REPLACE FUNCTION private.standing_pairs (
  _user_id uuid,
  _pairs   jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(pair), '[]')
  from jsonb_array_elements(_pairs) as pair
  where 2 = (
    select count(*) from public.contacts
    where user_id = _user_id and id in ((pair ->> 0)::uuid, (pair ->> 1)::uuid) and merged_into is null and deleted_at is null
  ) and not exists (
    select from public.contact_distinct
    where user_id = _user_id and a_id = (pair ->> 0)::uuid and b_id = (pair ->> 1)::uuid
  )
$function$;

CREATE OR REPLACE FUNCTION private.task_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with due as materialized (
    select id, title, due_is_allday, day < _today as is_late, day
    from public.tasks cross join lateral (select (due_at at time zone 'Europe/Rome')::date as day) as due
    where user_id = _user_id and state <> 'fatto' and deleted_at is null
      and due_at < (_today + 1)::timestamp at time zone 'Europe/Rome'
  ), late as (
    select count(*) as times, min(day) as since, (array_agg(id order by day, id))[1] as first_id,
      (array_agg(title::text order by day, id))[1] as first_title from due where is_late
  ), planned as (
    -- Tasks have no length: an appointment counts an hour, the others half of one. The text says so.
    select count(*) as times, sum(case when due_is_allday then 0.5 else 1 end) as hours from due where not is_late
  )
  select 'attivita_scadute', 'day', null::uuid, _today, null::uuid,
    private.counted(times, 'Un’attività scaduta', 'attività scadute'),
    case when times = 1 then '«' || first_title || '», dal ' || to_char(since, 'DD/MM') || '.'
      else 'La più vecchia: «' || first_title || '», dal ' || to_char(since, 'DD/MM') || '.' end,
    null::bigint, 'EUR', least(1, 0.4 + times * 0.1),
    jsonb_build_object('count', times, 'task_id', first_id)
  from late where times > 0
  union all
  select 'giornata_piena', 'day', null, _today, null, 'Oggi hai ' || times || ' attività',
    'Stimo ' || replace(trim_scale(hours)::text, '.', ',')
      || ' ore: un’ora per appuntamento, mezz’ora per le altre. Sposta ciò che può aspettare.',
    null, 'EUR', 0.6, jsonb_build_object('count', times)
  from planned where hours > 6
$function$;

CREATE OR REPLACE FUNCTION private.tidying_facts (
  _user_id uuid,
  _pairs   integer,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'da_collegare', 'parties', null::uuid, date_trunc('week', _today)::date, null::uuid,
    private.counted(count(*), 'Una controparte da collegare', 'controparti da collegare'),
    private.counted(sum(cardinality(document_ids))::bigint, 'Un documento non ha', 'documenti non hanno')
      || ' ancora un contatto.',
    null::bigint, 'EUR', 0.5, jsonb_build_object('count', count(*))
  from private.waiting_parties(_user_id)
  having count(*) > 0
  union all
  select 'doppioni', 'pairs', null, date_trunc('month', _today)::date, null,
    private.counted(_pairs, 'Due contatti sembrano gli stessi', 'coppie di contatti sembrano gli stessi'),
    'Uniscili: la storia di entrambi resta, e per 30 giorni si può annullare.', null, 'EUR', 0.5,
    jsonb_build_object('count', _pairs)
  where _pairs > 0
$function$;

CREATE OR REPLACE FUNCTION private.today()
  RETURNS date
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select (now() at time zone 'Europe/Rome')::date
$function$;

CREATE OR REPLACE FUNCTION public.answer_insight (
  _insight_id uuid,
  _state      public.insight_state,
  _until      timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _reason     text                     DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _insight public.insights;
  _rest_days integer;
begin
  select * into _insight from public.insights where user_id = auth.uid() and id = _insight_id for update;
  if not found or _state = 'risolta' then
    raise exception 'no such insight' using errcode = 'PT404';
  end if;
  select rest_days into _rest_days from public.insight_kinds where kind = _insight.kind;
  perform private.count_answer(_insight.user_id, _insight.kind, _insight.state, -1);
  perform private.count_answer(_insight.user_id, _insight.kind, _state, 1);
  update public.insights
  set state = _state, reason = case when _state = 'scartata' then left(nullif(btrim(_reason), ''), 200) end,
    snoozed_until = case
      when _state = 'fatta' then now() + make_interval(days => coalesce(_rest_days, 1))
      when _state = 'rimandata' then least(greatest(coalesce(_until, now() + interval '1 day'), now()), now() + interval '1 year')
    end
  where id = _insight_id;
  -- Its other insights count for less, or for more, from now on.
  if 'scartata' in (_state, _insight.state) or 'fatta' in (_state, _insight.state) then
    perform private.mark_person(_insight.user_id);
  end if;
end
$function$;

REVOKE ALL ON FUNCTION "public"."answer_insight"(uuid, public.insight_state, timestamp WITH time zone, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.home_overview()
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := auth.uid();
  _page private.home_pages;
begin
  if not exists (
    select from private.home_pages
    -- What only the clock changes, such as a contact to hear from, is an hour old at most.
    where user_id = _user_id and day = private.today() and refreshed_at > now() - interval '1 hour'
  ) or exists (select from private.insight_marks where user_id = _user_id) then
    perform private.refresh_home(_user_id);
  end if;
  select * into _page from private.home_pages where user_id = _user_id;
  return _page.content || jsonb_build_object(
    'day', _page.day, 'refreshed_at', _page.refreshed_at, 'insights', private.shown_insights(_user_id),
    'balance', (select balance from public.credit_wallets where user_id = _user_id)
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."home_overview"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.switch_insights (
  _kind       text,
  _is_enabled boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not exists (select from public.insight_kinds where kind = _kind) then
    raise exception 'no such kind' using errcode = 'PT404';
  end if;
  insert into public.insight_prefs (user_id, kind, is_enabled) values (auth.uid(), _kind, _is_enabled)
  on conflict (user_id, kind) do update set is_enabled = excluded.is_enabled;
  perform private.mark_person(auth.uid());
end
$function$;

REVOKE ALL ON FUNCTION "public"."switch_insights"(text, boolean) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."home_pages"
  ADD CONSTRAINT "home_pages_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."insight_prefs"
  ADD CONSTRAINT "insight_prefs_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."insights"
  REPLICA IDENTITY USING INDEX "insights_identity";

ALTER TABLE "public"."insights"
  ADD CONSTRAINT "insights_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."insights"
  ADD CONSTRAINT "insights_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."insights"
  ADD CONSTRAINT "only_the_dismissed_have_a_reason" CHECK (((reason IS NULL) OR (state = 'scartata'::public.insight_state)));

ALTER TABLE "public"."insights"
  ADD CONSTRAINT "only_what_rests_has_an_end" CHECK (((snoozed_until IS NOT NULL) = (state = ANY (ARRAY['rimandata'::public.insight_state, 'fatta'::public.insight_state]))));

ALTER TABLE "public"."insights"
  ADD CONSTRAINT "reason_fits" CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 200)));

CREATE VIEW "public"."insight_kinds" WITH (security_invoker=on) AS  SELECT kind,
    label,
    category,
    action,
    worth_cents,
    rest_days
   FROM ( VALUES ('fattura_scaduta'::text,'Fatture scadute'::text,'soldi'::text,'sollecito'::text,0,7), ('in_scadenza'::text,'Fatture in scadenza'::text,'soldi'::text,'promemoria'::text,0,7), ('da_pagare'::text,'Fatture da pagare'::text,'soldi'::text,'fattura'::text,0,2), ('documento_da_verificare'::text,'Documenti da verificare'::text,'documenti'::text,'verifica'::text,15000,2), ('da_collegare'::text,'Documenti da collegare'::text,'documenti'::text,'collega'::text,10000,7), ('preventivo_fermo'::text,'Preventivi fermi'::text,'trattative'::text,'attivita'::text,0,7), ('trattativa_ferma'::text,'Trattative ferme'::text,'trattative'::text,'attivita'::text,0,7), ('da_risentire'::text,'Persone da risentire'::text,'persone'::text,'risenti'::text,20000,3), ('compleanno_cliente_anno'::text,'Anniversari dei clienti'::text,'persone'::text,'risenti'::text,8000,30), ('attivita_scadute'::text,'Attività scadute'::text,'agenda'::text,'ripianifica'::text,40000,1), ('giornata_piena'::text,'Giornate piene'::text,'agenda'::text,'ripianifica'::text,15000,1), ('contratto_in_scadenza'::text,'Contratti in scadenza'::text,'documenti'::text,'attivita'::text,50000,14), ('crediti_in_esaurimento'::text,'Crediti in esaurimento'::text,'crediti'::text,'ricarica'::text,15000,7), ('crediti_in_scadenza'::text,'Crediti in scadenza'::text,'crediti'::text,'crediti'::text,10000,7), ('concentrazione'::text,'Un cliente che pesa molto'::text,'rischi'::text,'contatto'::text,10000,30), ('doppioni'::text,'Contatti doppi'::text,'persone'::text,'unisci'::text,5000,14)) kinds(kind, label, category, action, worth_cents, rest_days);

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "anon";

CREATE INDEX home_pages_day ON private.home_pages USING btree (day);

CREATE INDEX insight_marks_user ON private.insight_marks USING btree (user_id);

CREATE INDEX insights_age ON public.insights USING btree (created_at);

CREATE INDEX insights_contact ON public.insights USING btree (user_id, contact_id);

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.contact_distinct REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.contact_distinct REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.contacts REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.contacts REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.credit_lots REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.credit_lots REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.credit_wallets REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.deals REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.deals REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.deals REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.dismissed_parties REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.dismissed_parties REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.documents REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.documents REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.documents REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.interactions REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.interactions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.interactions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.invoice_schedules REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.invoice_schedules REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.invoice_schedules REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.invoices REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.invoices REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.invoices REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.notes REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.notes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.notes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.profiles REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.stages REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.tasks REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.tasks REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.tasks REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE POLICY "owners read what they made of insights" ON "public"."insight_prefs"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their insights" ON "public"."insights"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

-- On hosted Supabase the publication may belong to another role.
do $$
begin
  alter publication supabase_realtime add table public.insights;
exception
  when insufficient_privilege or undefined_object then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;

COMMENT ON COLUMN "private"."home_pages"."pairs" IS 'Contacts that may be one, [[id, id]]: compared once a day.';

COMMENT ON COLUMN "public"."insights"."data" IS 'What the button needs, and the figures of the text.';

COMMENT ON COLUMN "public"."insights"."since" IS 'Since when the fact holds: the day of its due date, of its stage, of its week.';

COMMENT ON COLUMN "public"."insights"."snoozed_until" IS 'Put off, or acted on: it comes back then, if the fact still holds.';

COMMENT ON FUNCTION "private"."briefing"(jsonb, private.insight_fact[]) IS 'The day in a few sentences, [{section, text}]: agenda, soldi, persone, rischi; empty when there is nothing to say.';

COMMENT ON FUNCTION "private"."briefing_text"(text, text) IS 'One section of a briefing as a list, empty without a text.';

COMMENT ON FUNCTION "private"."client_facts"(uuid, date) IS 'A client with more than half of what was invoiced in twelve months, net and as the register counts.';

COMMENT ON FUNCTION "private"."count_answer"(uuid, text, public.insight_state, integer) IS 'Counts that a person refused or acted on an insight, or with -1 that they took it back.';

COMMENT ON FUNCTION "private"."counted"(bigint, text, text) IS '«un giorno», «3 giorni».';

COMMENT ON FUNCTION "private"."credit_facts"(date) IS 'Credits of the caller that run out within two weeks at the pace of a month, or that are lost within two weeks.';

COMMENT ON FUNCTION "private"."deal_facts"(uuid, date) IS 'Open deals that are longer in their stage than is usual (public.stage_habits); in a stage of quotes they are quotes.';

COMMENT ON FUNCTION "private"."home_activity"(uuid) IS 'What happened last with the contacts of a person, within thirty days.';

COMMENT ON FUNCTION "private"."home_content"(uuid, private.open_part[], private.insight_fact[], date) IS 'Everything on /home but insights and credits.';

COMMENT ON FUNCTION "private"."home_deals"(uuid) IS 'Open deals as the board of /crm adds them up.';

COMMENT ON FUNCTION "private"."home_forecast"(uuid, private.open_part[], date) IS 'Euros expected in each of thirteen weeks, this one first, in and out; with what is late, undated and later they are all that is to be cashed.';

COMMENT ON FUNCTION "private"."home_months"(uuid, private.open_part[], date) IS 'Of six months, this one last: what came in by the day of payment, and what is open, and late, by its due date.';

COMMENT ON FUNCTION "private"."home_side"(private.open_part[], public.invoice_direction, date) IS 'What is open in one direction: euros, how many invoices, and by name what the euros leave out.';

COMMENT ON FUNCTION "private"."home_work"(uuid, date) IS 'Tasks of today and late ones, as /tasks counts them, and whom it is time to be in touch with, as /crm does.';

COMMENT ON FUNCTION "private"."invoice_facts"(uuid, private.open_part[], date) IS 'Invoices that are late or due within five days: those to cash, with the habit of their payer, and those to pay.';

COMMENT ON FUNCTION "private"."is_unusual"(integer, integer) IS 'Whether a payer takes much longer than usual.';

COMMENT ON FUNCTION "private"."keep_insights"(uuid, private.insight_fact[]) IS 'Writes the facts that hold as insights of a person, and resolves those whose fact is gone.';

COMMENT ON FUNCTION "private"."late_text"(integer, integer, integer) IS 'Why a late invoice is told, with the habit of its payer.';

COMMENT ON FUNCTION "private"."mark_changed"() IS 'Marks whoever owns the rows of a statement.';

COMMENT ON FUNCTION "private"."mark_person"(uuid) IS 'Notes that the insights of a person are to be computed again.';

COMMENT ON FUNCTION "private"."most_facts"() IS 'How many facts of one rule are kept: more than anybody reads.';

COMMENT ON FUNCTION "private"."open_parts"(uuid) IS 'What of a person''s invoices is not paid, part by part, as the register counts it, credit notes too.';

COMMENT ON FUNCTION "private"."paper_facts"(uuid, date) IS 'Papers of the caller that no sum counts yet, those with a doubtful value, and contracts that end within a month.';

COMMENT ON FUNCTION "private"."payer_habits"(uuid, uuid[]) IS 'In how many days from their issue these clients usually pay the invoices of a person: the median of at least two.';

COMMENT ON FUNCTION "private"."people_facts"(uuid, date) IS 'Whom it is time to be in touch with, as the banner of /crm counts them, and clients of exactly one year, for a week.';

COMMENT ON FUNCTION "private"."refresh_home"(uuid) IS 'Computes the insights of a person and the page /home, from their rows as they are now. The same again changes nothing.';

COMMENT ON FUNCTION "private"."refusal_rate"(integer, integer) IS 'Which part of the insights of a kind a person refused, 0 to 1.';

COMMENT ON FUNCTION "private"."shown_insights"(uuid) IS 'The insights of a person, best first: none rests, and among the first five at most two are of a kind.';

COMMENT ON FUNCTION "private"."standing_pairs"(uuid, jsonb) IS 'Which of these pairs of contacts are still two that nobody has told apart: comparing them all takes too long for each change.';

COMMENT ON FUNCTION "private"."task_facts"(uuid, date) IS 'Tasks that are late, and a day with more than six hours of work.';

COMMENT ON FUNCTION "private"."tidying_facts"(uuid, integer, date) IS 'Counterparties of papers without a contact, and so many pairs of contacts that may be one.';

COMMENT ON FUNCTION "private"."today"() IS 'The day in Italy.';

COMMENT ON FUNCTION "public"."answer_insight"(uuid, public.insight_state, timestamp with time zone, text) IS 'What the caller makes of an insight: acted on it (it rests), put it off until then, refused it and why, or takes that back (nuova). PT404.';

COMMENT ON FUNCTION "public"."home_overview"() IS 'Everything on /home of the caller: figures, briefing, forecast, latest activity, insights (the first five are those to show) and credits. Computed again first if something has changed; null for a visitor.';

COMMENT ON FUNCTION "public"."switch_insights"(text, boolean) IS 'Says whether the caller wants to see insights of a kind («non mostrarmi più questo tipo»). PT404.';

COMMENT ON TABLE "private"."home_pages" IS 'What /home shows to a person on one day, as private.refresh_home() computed it.';

COMMENT ON TABLE "private"."insight_marks" IS 'Whose rows changed since their insights were computed.';

COMMENT ON TABLE "public"."insight_prefs" IS 'What a person made of a kind of insights: switched off, refused, acted on.';

COMMENT ON TABLE "public"."insights" IS 'What is worth doing, one row for each fact; kept for thirty days.';

COMMENT ON VIEW "public"."insight_kinds" IS 'The kinds of insights: how a person calls them, their family, what their button does, what one counts for where no money is at risk, and for how many days it rests after it was acted on.';

REVOKE ALL ON FUNCTION "private"."briefing"(jsonb, private.insight_fact[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."briefing_text"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."client_facts"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_answer"(uuid, text, public.insight_state, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."counted"(bigint, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."credit_facts"(date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."deal_facts"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."home_activity"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."home_content"(uuid, private.open_part[], private.insight_fact[], date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."home_deals"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."home_forecast"(uuid, private.open_part[], date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."home_months"(uuid, private.open_part[], date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."home_side"(private.open_part[], public.invoice_direction, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."home_work"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."invoice_facts"(uuid, private.open_part[], date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_unusual"(integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_insights"(uuid, private.insight_fact[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."late_text"(integer, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mark_changed"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mark_person"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."most_facts"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_parts"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."paper_facts"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."payer_habits"(uuid, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."people_facts"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refresh_home"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refresh_home"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refusal_rate"(integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."shown_insights"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."standing_pairs"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."task_facts"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tidying_facts"(uuid, integer, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."today"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."answer_insight"(uuid, public.insight_state, timestamp WITH time zone, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."home_overview"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."switch_insights"(text, boolean) TO "authenticated";

GRANT SELECT ON TABLE "private"."home_pages" TO "service_role";

GRANT DELETE, INSERT, SELECT ON TABLE "private"."insight_marks" TO "service_role";

REVOKE ALL ON TABLE "public"."insight_prefs" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insight_prefs" TO "authenticated";

REVOKE ALL ON TABLE "public"."insight_prefs" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."insight_prefs" TO "service_role";

REVOKE ALL ON TABLE "public"."insights" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insights" TO "authenticated";

REVOKE ALL ON TABLE "public"."insights" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."insights" TO "service_role";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "service_role";

reset check_function_bodies;
