-- Flat rate.
--   DROP VIEW public.insight_kinds
--   CREATE TABLE public.flat_rate_choices ( activity text NOT NULL, is_startup boolean NOT NULL DEFAULT false, CO…
--   ALTER TABLE public.flat_rate_choices ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.flat_rate_choices FROM anon
--   CREATE TABLE public.tax_parameters ( name text NOT NULL, valid_from date NOT NULL, value numeric(12,2) NOT NU…
--   ALTER TABLE public.tax_parameters ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.tax_parameters FROM anon, authenticated
--   CREATE TYPE public.contribution_kind AS ENUM ( 'gestione_separata', 'importo_fisso' )
--   ALTER TABLE public.flat_rate_choices ADD COLUMN contributions public.contribution_kind NOT NULL DEFAULT 'gest…
--   ALTER TABLE public.flat_rate_choices ADD COLUMN fixed_cents bigint
--   ALTER TABLE public.flat_rate_choices ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.briefing
--   CREATE OR REPLACE FUNCTION private.flat_rate
--   CREATE OR REPLACE FUNCTION private.flat_rate_facts
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   CREATE OR REPLACE FUNCTION private.tax_figures
--   CREATE OR REPLACE FUNCTION private.to_set_aside
--   CREATE OR REPLACE FUNCTION public.flat_rate_if
--   REVOKE ALL ON FUNCTION public.flat_rate_if
--   CREATE OR REPLACE FUNCTION public.set_tax_parameter
--   REVOKE ALL ON FUNCTION public.set_tax_parameter
--   ALTER TABLE public.flat_rate_choices ADD CONSTRAINT a_fixed_amount_is_named CHECK (((fixed_cents IS NOT NULL)…
--   ALTER TABLE public.flat_rate_choices ADD CONSTRAINT fixed_cents_are_an_amount CHECK (((fixed_cents >= 0) AND …
--   CREATE VIEW public.insight_kinds WITH (security_invoker=on) AS SELECT kind, label, category, action, worth_ce…
--   REVOKE ALL ON TABLE public.insight_kinds FROM anon
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.flat_rate_choices REFERENCING OLD TABLE AS changed FOR EAC…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.flat_rate_choices REFERENCING NEW TABLE AS changed FOR EA…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.flat_rate_choices REFERENCING NEW TABLE AS changed FOR EAC…
--   COMMENT ON FUNCTION private.flat_rate
--   COMMENT ON FUNCTION private.flat_rate_facts
--   COMMENT ON FUNCTION private.tax_figures
--   COMMENT ON FUNCTION private.to_set_aside
--   COMMENT ON FUNCTION public.flat_rate_if
--   COMMENT ON FUNCTION public.set_tax_parameter
--   COMMENT ON TABLE public.flat_rate_choices IS 'What a person in the regime forfettario says for the estimate: …
--   COMMENT ON TABLE public.tax_parameters IS 'Figures of the law, each from a day on: thresholds in euros, rates…
--   COMMENT ON VIEW public.insight_kinds IS 'The kinds of insights: how a person calls them, their family, what t…
--   REVOKE ALL ON FUNCTION private.flat_rate
--   REVOKE ALL ON FUNCTION private.flat_rate_facts
--   REVOKE ALL ON FUNCTION private.tax_figures
--   REVOKE ALL ON FUNCTION private.to_set_aside
--   GRANT EXECUTE ON FUNCTION public.flat_rate_if
--   GRANT EXECUTE ON FUNCTION public.set_tax_parameter
--   REVOKE ALL ON TABLE public.flat_rate_choices FROM authenticated
--   REVOKE ALL (activity) ON TABLE public.flat_rate_choices FROM authenticated
--   GRANT INSERT (activity), UPDATE (activity) ON TABLE public.flat_rate_choices TO authenticated
--   REVOKE ALL (contributions) ON TABLE public.flat_rate_choices FROM authenticated
--   GRANT INSERT (contributions), UPDATE (contributions) ON TABLE public.flat_rate_choices TO authenticated
--   REVOKE ALL (fixed_cents) ON TABLE public.flat_rate_choices FROM authenticated
--   GRANT INSERT (fixed_cents), UPDATE (fixed_cents) ON TABLE public.flat_rate_choices TO authenticated
--   REVOKE ALL (is_startup) ON TABLE public.flat_rate_choices FROM authenticated
--   GRANT INSERT (is_startup), UPDATE (is_startup) ON TABLE public.flat_rate_choices TO authenticated
--   GRANT DELETE, SELECT ON TABLE public.flat_rate_choices TO authenticated
--   REVOKE ALL ON TABLE public.flat_rate_choices FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.flat_rate_choices TO service_role
--   REVOKE ALL ON TABLE public.tax_parameters FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.tax_parameters TO service_role
--   REVOKE ALL ON TABLE public.insight_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.insight_kinds TO authenticated
--   REVOKE ALL ON TABLE public.insight_kinds FROM service_role
--   GRANT SELECT ON TABLE public.insight_kinds TO service_role
--   ALTER TABLE public.flat_rate_choices ADD CONSTRAINT flat_rate_choices_user_id_fkey FOREIGN KEY (user_id) REFE…
--   CREATE POLICY owners choose again ON public.flat_rate_choices FOR UPDATE TO authenticated USING ((user_id = (…
--   CREATE POLICY owners choose ON public.flat_rate_choices FOR INSERT TO authenticated WITH CHECK ((user_id = ( …
--   CREATE POLICY owners read what they chose ON public.flat_rate_choices FOR SELECT TO authenticated USING ((use…
--   CREATE POLICY owners take their choices back ON public.flat_rate_choices FOR DELETE TO authenticated USING ((…
--   REVOKE ALL (user_id) ON TABLE public.flat_rate_choices FROM authenticated
--   GRANT INSERT (user_id) ON TABLE public.flat_rate_choices TO authenticated

set check_function_bodies = off;

DROP VIEW "public"."insight_kinds";

CREATE TABLE "public"."flat_rate_choices" (
  "activity"   text    NOT NULL,
  "is_startup" boolean NOT NULL DEFAULT false,
  CONSTRAINT "activity_is_a_word" CHECK ((activity ~ '^redditivita_[a-z]{3,30}$'::text)),
  "user_id"    uuid    NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "flat_rate_choices_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "public"."flat_rate_choices"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."flat_rate_choices" FROM "anon";

CREATE TABLE "public"."tax_parameters" (
  "name"       text                     NOT NULL,
  "valid_from" date                     NOT NULL,
  "value"      numeric(12,2)            NOT NULL,
  "source"     text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "name_is_a_word" CHECK ((name ~ '^[a-z][a-z_]{2,40}$'::text)),
  CONSTRAINT "source_fits" CHECK (((char_length(source) >= 5) AND (char_length(source) <= 300))),
  CONSTRAINT "tax_parameters_pkey" PRIMARY KEY (name, valid_from),
  CONSTRAINT "value_is_positive" CHECK ((value > (0)::numeric))
);

ALTER TABLE "public"."tax_parameters"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."tax_parameters" FROM "anon", "authenticated";

CREATE TYPE "public"."contribution_kind" AS ENUM (
  'gestione_separata',
  'importo_fisso'
);

ALTER TABLE "public"."flat_rate_choices"
  ADD COLUMN "contributions" public.contribution_kind NOT NULL DEFAULT 'gestione_separata'::public.contribution_kind;

ALTER TABLE "public"."flat_rate_choices"
  ADD COLUMN "fixed_cents" bigint;

ALTER TABLE "public"."flat_rate_choices"
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
      where kind in ('concentrazione', 'contratto_in_scadenza', 'crediti_in_esaurimento', 'crediti_in_scadenza',
        'soglia_forfettario')
    ), ''))
  from told
$function$;

CREATE OR REPLACE FUNCTION private.flat_rate (
  _user_id uuid,
  _parts   private.open_part[],
  _today   date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with year as (
    select date_trunc('year', _today)::date as first_day, (date_trunc('year', _today) + interval '1 year')::date - 1 as last_day
  ), paid as materialized (
    select paid_on, cents, currency, counts from year, public.invoice_parts as part
    where part.user_id = _user_id and part.direction = 'attiva' and part.paid_on between first_day and _today
  ), sums as (
    select coalesce(sum(cents) filter (where currency = 'EUR' and counts), 0)::bigint as cash,
      count(*) filter (where currency <> 'EUR' and counts) as others
    from paid
  ), steps as (
    select paid_on, sum(sum(cents)) over (order by paid_on) as so_far from paid
    where currency = 'EUR' and counts group by paid_on
  ), law as (
    select figures, ((figures #>> '{soglia,value}')::numeric * 100)::bigint as threshold,
      ((figures #>> '{soglia_uscita,value}')::numeric * 100)::bigint as exit
    from (select private.tax_figures(_today) as figures) as today
  ), pace as (
    -- A month is needed to see one.
    select case when cash > 0 and _today - first_day >= 30 then cash::numeric / (_today - first_day + 1) end as a_day
    from sums, year
  )
  select jsonb_build_object(
    'year', extract(year from _today)::integer, 'cash_cents', cash, 'other_currencies', others,
    'open_cents', (
      select coalesce(sum(part.cents), 0) from unnest(_parts) as part
      where part.direction = 'attiva' and part.currency = 'EUR' and (part.due_on is null or part.due_on <= last_day)
    ),
    'threshold_cents', threshold, 'exit_cents', exit,
    'over_threshold_on', (select min(paid_on) from steps where so_far > threshold),
    'over_exit_on', (select min(paid_on) from steps where so_far > exit),
    'projected_cents', round(a_day * (last_day - first_day + 1))::bigint,
    'reaches_threshold_on', case when cash <= threshold and a_day * (last_day - first_day + 1) > threshold
      then first_day + ceil(threshold / a_day)::integer - 1 end,
    'figures', figures,
    'choices', case when choices.user_id is not null then to_jsonb(choices) - '{user_id,created_at}'::text[] end,
    'set_aside', case when choices.user_id is not null then private.to_set_aside(cash, choices, figures) end
  )
  from year, sums, law, pace
  join public.profiles on profiles.user_id = _user_id and tax_regime = 'forfettario'
  left join public.flat_rate_choices as choices on choices.user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.flat_rate_facts (
  _flat_rate jsonb,
  _today     date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with told as (
    select *, private.euros(threshold_cents, 'EUR') as limit_text, private.euros(exit_cents, 'EUR') as exit_text
    from jsonb_to_record(_flat_rate) as told (
      year integer, cash_cents bigint, threshold_cents bigint, exit_cents bigint, over_threshold_on date, over_exit_on date,
      reaches_threshold_on date
    )
    where _flat_rate is not null and threshold_cents is not null and exit_cents is not null
  )
  select 'soglia_forfettario', 'flat_rate', null::uuid,
    coalesce(over_exit_on, over_threshold_on, make_date(year, 1, 1)), null::uuid,
    case
      when over_exit_on is not null then 'Hai superato ' || exit_text || ' di incassi'
      when over_threshold_on is not null then 'Hai superato ' || limit_text || ' di incassi'
      else 'Di questo passo superi ' || limit_text || ' il ' || to_char(reaches_threshold_on, 'DD/MM')
    end,
    case
      when over_exit_on is not null
        then 'Oltre questa soglia il forfettario finisce subito: senti il commercialista prima della prossima fattura.'
      when over_threshold_on is not null
        then 'Dal prossimo anno esci dal forfettario. Oltre ' || exit_text || ' ne esci subito.'
      else 'Sopra la soglia dal prossimo anno esci dal forfettario: conta quando incassi, non quando fatturi.'
    end,
    cash_cents, 'EUR',
    case when over_exit_on is not null then 0.9 when over_threshold_on is not null then 0.3 else 0.05 end, '{}'::jsonb
  from told
  where coalesce(over_exit_on, over_threshold_on, reaches_threshold_on) is not null
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
  _flat_rate := private.flat_rate(_user_id, _parts, _today);
  _facts := array(
    select fact from private.invoice_facts(_user_id, _parts, _today) as fact
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

CREATE OR REPLACE FUNCTION private.tax_figures (
  _day date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_object_agg(name, jsonb_build_object('value', value, 'since', valid_from, 'source', source)), '{}')
  from (
    select distinct on (name) name, value, valid_from, source from public.tax_parameters
    where valid_from <= _day order by name, valid_from desc
  ) as latest
$function$;

CREATE OR REPLACE FUNCTION private.to_set_aside (
  _cash_cents bigint,
  _choices    public.flat_rate_choices,
  _figures    jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'income_cents', income, 'contribution_cents', contribution, 'tax_cents', tax, 'cents', contribution + tax
  )
  from (select round(greatest(_cash_cents, 0) * (_figures #>> array[_choices.activity, 'value'])::numeric / 100)) as a (income),
    -- What was due last year is taken off when it is paid; the estimate takes off this year's, as who sets aside pays it.
    lateral (
      select case _choices.contributions
        when 'gestione_separata' then round(income * (_figures #>> '{gestione_separata,value}')::numeric / 100)
        else _choices.fixed_cents
      end
    ) as b (contribution),
    lateral (
      select round(greatest(income - contribution, 0)
        * (_figures #>> array[case when _choices.is_startup then 'imposta_avvio' else 'imposta' end, 'value'])::numeric / 100)
    ) as c (tax)
$function$;

CREATE OR REPLACE FUNCTION public.flat_rate_if (
  _cash_cents bigint
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.to_set_aside(_cash_cents, choices, private.tax_figures(private.today()))
  from public.flat_rate_choices as choices where user_id = (select auth.uid())
$function$;

REVOKE ALL ON FUNCTION "public"."flat_rate_if"(bigint) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.set_tax_parameter (
  _name       text,
  _valid_from date,
  _value      numeric,
  _source     text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not private.is_admin() then
    raise sqlstate 'PT403' using message = 'Only an admin changes the figures of the law';
  end if;
  insert into public.tax_parameters (name, valid_from, value, source) values (_name, _valid_from, _value, _source)
  on conflict (name, valid_from) do update set value = excluded.value, source = excluded.source;
end
$function$;

REVOKE ALL ON FUNCTION "public"."set_tax_parameter"(text, date, numeric, text) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."flat_rate_choices"
  ADD CONSTRAINT "a_fixed_amount_is_named" CHECK (((fixed_cents IS NOT NULL) = (contributions = 'importo_fisso'::public.contribution_kind)));

ALTER TABLE "public"."flat_rate_choices"
  ADD CONSTRAINT "fixed_cents_are_an_amount" CHECK (((fixed_cents >= 0) AND (fixed_cents <= 10000000)));

CREATE VIEW "public"."insight_kinds" WITH (security_invoker=on) AS  SELECT kind,
    label,
    category,
    action,
    worth_cents,
    rest_days
   FROM ( VALUES ('fattura_scaduta'::text,'Fatture scadute'::text,'soldi'::text,'sollecito'::text,0,7), ('in_scadenza'::text,'Fatture in scadenza'::text,'soldi'::text,'promemoria'::text,0,7), ('da_pagare'::text,'Fatture da pagare'::text,'soldi'::text,'fattura'::text,0,2), ('documento_da_verificare'::text,'Documenti da verificare'::text,'documenti'::text,'verifica'::text,15000,2), ('da_collegare'::text,'Documenti da collegare'::text,'documenti'::text,'collega'::text,10000,7), ('preventivo_fermo'::text,'Preventivi fermi'::text,'trattative'::text,'attivita'::text,0,7), ('trattativa_ferma'::text,'Trattative ferme'::text,'trattative'::text,'attivita'::text,0,7), ('da_risentire'::text,'Persone da risentire'::text,'persone'::text,'risenti'::text,20000,3), ('compleanno_cliente_anno'::text,'Anniversari dei clienti'::text,'persone'::text,'risenti'::text,8000,30), ('attivita_scadute'::text,'Attività scadute'::text,'agenda'::text,'ripianifica'::text,40000,1), ('giornata_piena'::text,'Giornate piene'::text,'agenda'::text,'ripianifica'::text,15000,1), ('contratto_in_scadenza'::text,'Contratti in scadenza'::text,'documenti'::text,'attivita'::text,50000,14), ('crediti_in_esaurimento'::text,'Crediti in esaurimento'::text,'crediti'::text,'ricarica'::text,15000,7), ('crediti_in_scadenza'::text,'Crediti in scadenza'::text,'crediti'::text,'crediti'::text,10000,7), ('concentrazione'::text,'Un cliente che pesa molto'::text,'rischi'::text,'contatto'::text,10000,30), ('doppioni'::text,'Contatti doppi'::text,'persone'::text,'unisci'::text,5000,14), ('soglia_forfettario'::text,'Soglia del forfettario'::text,'rischi'::text,'forfettario'::text,20000,30)) kinds(kind, label, category, action, worth_cents, rest_days);

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "anon";

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.flat_rate_choices REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.flat_rate_choices REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.flat_rate_choices REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

COMMENT ON FUNCTION "private"."flat_rate"(uuid, private.open_part[], date) IS 'Of who has the regime forfettario: takings of the year, thresholds, the day on which this pace reaches the first, and what to set aside; null for others.';

COMMENT ON FUNCTION "private"."flat_rate_facts"(jsonb, date) IS 'That the takings of the year pass a threshold of the regime forfettario, or will at this pace.';

COMMENT ON FUNCTION "private"."tax_figures"(date) IS 'The figures of the law on a day, {name: {value, since, source}}.';

COMMENT ON FUNCTION "private"."to_set_aside"(bigint, public.flat_rate_choices, jsonb) IS 'Of takings: income, contributions, tax and both together, in cents; null figures where one is not known.';

COMMENT ON FUNCTION "public"."flat_rate_if"(bigint) IS 'What the caller would set aside of such takings in the year; null without their choices.';

COMMENT ON FUNCTION "public"."set_tax_parameter"(text, date, numeric, text) IS 'Writes a figure of the law that holds from a day on; for admins with a second factor.';

COMMENT ON TABLE "public"."flat_rate_choices" IS 'What a person in the regime forfettario says for the estimate: kind of activity, whether the first five years, and how contributions are reckoned, or what they are in a year.';

COMMENT ON TABLE "public"."tax_parameters" IS 'Figures of the law, each from a day on: thresholds in euros, rates in per cent. What «redditivita_» begins is the share of the takings that counts as income, by kind of activity.';

COMMENT ON VIEW "public"."insight_kinds" IS 'The kinds of insights: how a person calls them, their family, what their button does, what one counts for where no money is at risk, and for how many days it rests after it was acted on.';

REVOKE ALL ON FUNCTION "private"."flat_rate"(uuid, private.open_part[], date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flat_rate_facts"(jsonb, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tax_figures"(date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."to_set_aside"(bigint, public.flat_rate_choices, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."flat_rate_if"(bigint) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."set_tax_parameter"(text, date, numeric, text) TO "authenticated";

REVOKE ALL ON TABLE "public"."flat_rate_choices" FROM "authenticated";

REVOKE ALL ("activity") ON TABLE "public"."flat_rate_choices" FROM "authenticated";

GRANT INSERT ("activity"), UPDATE ("activity") ON TABLE "public"."flat_rate_choices" TO "authenticated";

REVOKE ALL ("contributions") ON TABLE "public"."flat_rate_choices" FROM "authenticated";

GRANT INSERT ("contributions"), UPDATE ("contributions") ON TABLE "public"."flat_rate_choices" TO "authenticated";

REVOKE ALL ("fixed_cents") ON TABLE "public"."flat_rate_choices" FROM "authenticated";

GRANT INSERT ("fixed_cents"), UPDATE ("fixed_cents") ON TABLE "public"."flat_rate_choices" TO "authenticated";

REVOKE ALL ("is_startup") ON TABLE "public"."flat_rate_choices" FROM "authenticated";

GRANT INSERT ("is_startup"), UPDATE ("is_startup") ON TABLE "public"."flat_rate_choices" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."flat_rate_choices" TO "authenticated";

REVOKE ALL ON TABLE "public"."flat_rate_choices" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."flat_rate_choices" TO "service_role";

REVOKE ALL ON TABLE "public"."tax_parameters" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."tax_parameters" TO "service_role";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "service_role";

ALTER TABLE "public"."flat_rate_choices"
  ADD CONSTRAINT "flat_rate_choices_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "owners choose again" ON "public"."flat_rate_choices"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners choose" ON "public"."flat_rate_choices"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read what they chose" ON "public"."flat_rate_choices"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners take their choices back" ON "public"."flat_rate_choices"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."flat_rate_choices" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."flat_rate_choices" TO "authenticated";

reset check_function_bodies;
