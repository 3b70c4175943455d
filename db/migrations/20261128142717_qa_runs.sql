-- Qa runs.
--   DROP VIEW public.retention_rules
--   CREATE TABLE private.qa_items ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, run_id text NOT NULL, route …
--   ALTER TABLE private.qa_items ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.qa_runs ( id text NOT NULL, kind text NOT NULL, source public.single_line NOT NULL, rele…
--   ALTER TABLE private.qa_runs ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.qa_verdicts ( kind text NOT NULL, route text NOT NULL, place text NOT NULL, outcome text…
--   ALTER TABLE private.qa_verdicts ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.browser_of
--   CREATE OR REPLACE FUNCTION private.browser_version_of
--   CREATE OR REPLACE FUNCTION private.forget_qa_runs
--   CREATE OR REPLACE FUNCTION private.is_supported_browser
--   CREATE OR REPLACE FUNCTION private.keep_qa_run
--   CREATE OR REPLACE FUNCTION private.measure_devices
--   CREATE OR REPLACE FUNCTION private.qa_cells
--   CREATE OR REPLACE FUNCTION private.qa_place
--   CREATE OR REPLACE FUNCTION private.system_of
--   CREATE OR REPLACE FUNCTION private.take_snapshot
--   CREATE OR REPLACE FUNCTION public.admin_judge_qa
--   REVOKE ALL ON FUNCTION public.admin_judge_qa
--   CREATE OR REPLACE FUNCTION public.admin_keep_qa_run
--   REVOKE ALL ON FUNCTION public.admin_keep_qa_run
--   CREATE OR REPLACE FUNCTION public.admin_qa
--   REVOKE ALL ON FUNCTION public.admin_qa
--   CREATE OR REPLACE FUNCTION public.admin_qa_picture
--   REVOKE ALL ON FUNCTION public.admin_qa_picture
--   ALTER TABLE private.qa_items ADD CONSTRAINT qa_items_run_id_fkey FOREIGN KEY (run_id) REFERENCES private.qa_r…
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX qa_items_run ON private.qa_items USING btree (run_id)
--   CREATE INDEX qa_runs_latest ON private.qa_runs USING btree (kind, started_at DESC)
--   COMMENT ON FUNCTION private.browser_of
--   COMMENT ON FUNCTION private.browser_version_of
--   COMMENT ON FUNCTION private.forget_qa_runs
--   COMMENT ON FUNCTION private.is_supported_browser
--   COMMENT ON FUNCTION private.keep_qa_run
--   COMMENT ON FUNCTION private.measure_devices
--   COMMENT ON FUNCTION private.qa_cells
--   COMMENT ON FUNCTION private.qa_place
--   COMMENT ON FUNCTION private.system_of
--   COMMENT ON FUNCTION public.admin_judge_qa
--   COMMENT ON FUNCTION public.admin_keep_qa_run
--   COMMENT ON FUNCTION public.admin_qa
--   COMMENT ON FUNCTION public.admin_qa_picture
--   COMMENT ON TABLE private.qa_items IS 'What a run found: one row for each route, width and check.'
--   COMMENT ON TABLE private.qa_runs IS 'Automated runs on phones and in browsers; the last 30 of each kind are k…
--   COMMENT ON TABLE private.qa_verdicts IS 'What admins say about cells: seen by hand until the next run, or an …
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.browser_of
--   REVOKE ALL ON FUNCTION private.browser_version_of
--   REVOKE ALL ON FUNCTION private.forget_qa_runs
--   GRANT EXECUTE ON FUNCTION private.forget_qa_runs
--   REVOKE ALL ON FUNCTION private.is_supported_browser
--   REVOKE ALL ON FUNCTION private.keep_qa_run
--   GRANT EXECUTE ON FUNCTION private.keep_qa_run
--   REVOKE ALL ON FUNCTION private.measure_devices
--   REVOKE ALL ON FUNCTION private.qa_cells
--   REVOKE ALL ON FUNCTION private.qa_place
--   REVOKE ALL ON FUNCTION private.system_of
--   GRANT EXECUTE ON FUNCTION public.admin_judge_qa
--   GRANT EXECUTE ON FUNCTION public.admin_keep_qa_run
--   GRANT EXECUTE ON FUNCTION public.admin_qa
--   GRANT EXECUTE ON FUNCTION public.admin_qa_picture
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP VIEW "public"."retention_rules";

CREATE TABLE "private"."qa_items" (
  "id"         bigint  GENERATED ALWAYS AS IDENTITY NOT NULL,
  "run_id"     text    NOT NULL,
  "route"      text    NOT NULL,
  "width"      integer,
  "check_name" text    NOT NULL,
  "outcome"    text    NOT NULL,
  "note"       text    NOT NULL DEFAULT ''::text,
  "picture"    bytea,
  CONSTRAINT "check_is_known" CHECK ((check_name = ANY (ARRAY['opens'::text, 'overflow'::text, 'tap_target'::text, 'keyboard'::text, 'bottom_bar'::text]))),
  CONSTRAINT "outcome_is_known" CHECK ((outcome = ANY (ARRAY['passed'::text, 'failed'::text, 'skipped'::text]))),
  CONSTRAINT "qa_items_pkey" PRIMARY KEY (id),
  CONSTRAINT "route_is_a_path" CHECK ((route ~ '^/[^\s]{0,199}$'::text)),
  CONSTRAINT "texts_fit" CHECK (((char_length(note) <= 1000) AND (octet_length(picture) <= 1048576))),
  CONSTRAINT "width_is_of_a_screen" CHECK (((width >= 200) AND (width <= 4000)))
);

ALTER TABLE "private"."qa_items"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."qa_runs" (
  "id"              text                     NOT NULL,
  "kind"            text                     NOT NULL,
  "source"          public.single_line       NOT NULL,
  "release"         text,
  "commit"          text,
  "browser"         text                     NOT NULL,
  "browser_version" text                     NOT NULL,
  "started_at"      timestamp with time zone NOT NULL,
  "finished_at"     timestamp with time zone NOT NULL,
  "kept_at"         timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "browser_is_a_name" CHECK (((browser ~ '^[a-z][a-z0-9 ]{0,29}$'::text) AND (browser_version ~ '^[0-9.]{1,30}$'::text))),
  CONSTRAINT "id_is_an_identifier" CHECK ((id ~ '^[A-Za-z0-9._-]{1,100}$'::text)),
  CONSTRAINT "kind_is_known" CHECK ((kind = ANY (ARRAY['mobile'::text, 'browser'::text]))),
  CONSTRAINT "qa_runs_pkey" PRIMARY KEY (id),
  CONSTRAINT "texts_fit" CHECK (((char_length((source)::text) <= 60) AND (char_length(release) <= 40) AND (char_length(commit) <= 40))),
  CONSTRAINT "the_end_is_not_before_the_start" CHECK ((finished_at >= started_at))
);

ALTER TABLE "private"."qa_runs"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."qa_verdicts" (
  "kind"     text                     NOT NULL,
  "route"    text                     NOT NULL,
  "place"    text                     NOT NULL,
  "outcome"  text                     NOT NULL,
  "checks"   text[]                   NOT NULL DEFAULT '{}'::text[],
  "note"     text                     NOT NULL,
  "until"    date,
  "given_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "an_exception_has_a_day" CHECK (((outcome = 'accepted'::text) = (until IS NOT NULL))),
  CONSTRAINT "note_fits" CHECK (((char_length(btrim(note)) >= 3) AND (char_length(btrim(note)) <= 500))),
  CONSTRAINT "outcome_is_known" CHECK ((outcome = ANY (ARRAY['passed'::text, 'failed'::text, 'accepted'::text]))),
  CONSTRAINT "qa_verdicts_pkey" PRIMARY KEY (kind, route, place)
);

ALTER TABLE "private"."qa_verdicts"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.browser_of (
  _agent text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when _agent ~ '\mEdg(e|A|iOS)?/' then 'Edge'
    when _agent ~ '\mOPR/' then 'Opera'
    when _agent ~ '\mSamsungBrowser/' then 'Samsung Internet'
    when _agent ~ '\m(Firefox|FxiOS)/' then 'Firefox'
    when _agent ~ '\m(Chrome|HeadlessChrome|CriOS)/' then 'Chrome'
    when _agent ~ '\mVersion/.*\mSafari/' then 'Safari'
    else 'Altro'
  end
$function$;

CREATE OR REPLACE FUNCTION private.browser_version_of (
  _agent text
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select substring(_agent from case private.browser_of(_agent)
    when 'Edge' then '\mEdg(?:e|A|iOS)?/(\d{1,4})\M'
    when 'Opera' then '\mOPR/(\d{1,4})\M'
    when 'Samsung Internet' then '\mSamsungBrowser/(\d{1,4})\M'
    when 'Firefox' then '\m(?:Firefox|FxiOS)/(\d{1,4})\M'
    when 'Chrome' then '\m(?:Chrome|HeadlessChrome|CriOS)/(\d{1,4})\M'
    when 'Safari' then '\mVersion/(\d{1,4})\M'
  end)::integer
$function$;

CREATE OR REPLACE FUNCTION private.forget_qa_runs (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from private.qa_runs where id in (
      select id from (
        select id, row_number() over (partition by kind order by started_at desc, id) as place from private.qa_runs
      ) as runs
      where place > 30 limit _limit
    )
    returning id
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.is_supported_browser (
  _browser text,
  _version integer
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(_version >= case _browser
    when 'Chrome' then 111 when 'Edge' then 111 when 'Opera' then 97 when 'Samsung Internet' then 22
    when 'Firefox' then 128 when 'Safari' then 16
  end, false)
$function$;

CREATE OR REPLACE FUNCTION private.keep_qa_run (
  _run   jsonb,
  _items jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.qa_runs (id, kind, source, release, commit, browser, browser_version, started_at, finished_at)
  select id, kind, source, release, commit, browser, browser_version, started_at, finished_at
  from jsonb_to_record(_run) as run (
    id text, kind text, source text, release text, commit text, browser text, browser_version text,
    started_at timestamptz, finished_at timestamptz
  )
  on conflict (id) do nothing;
  if not found then
    return false;
  end if;
  insert into private.qa_items (run_id, route, width, check_name, outcome, note, picture)
  select _run ->> 'id', route, width, check_name, outcome, coalesce(note, ''), decode(picture, 'base64')
  from jsonb_to_recordset(_items) as items (
    route text, width integer, check_name text, outcome text, note text, picture text
  );
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.measure_devices()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with views as materialized (
    select session_id, user_agent, properties ->> 'viewport' as viewport, properties -> 'push' as push,
      properties -> 'speech' as speech, properties -> 'opfs' as opfs, private.vital(properties, 'lcp', 600000) as lcp,
      private.vital(properties, 'inp', 600000) as inp, private.vital(properties, 'cls', 100) as cls
    from public.analytics_events where event_name = 'web_vitals' and created_at > now() - interval '30 days'
  ), failed as (
    select distinct session_id from public.error_logs where created_at > now() - interval '30 days'
  ), visits as materialized (
    select session_id, private.browser_of(max(user_agent)) as browser,
      private.browser_version_of(max(user_agent)) as version, private.system_of(max(user_agent)) as system,
      coalesce(max(viewport) filter (where viewport in ('compact', 'medium', 'large')), 'unknown') as viewport,
      bool_or(push = 'true') filter (where jsonb_typeof(push) = 'boolean') as push,
      bool_or(speech = 'true') filter (where jsonb_typeof(speech) = 'boolean') as speech,
      bool_or(opfs = 'true') filter (where jsonb_typeof(opfs) = 'boolean') as opfs,
      max(lcp) as lcp, max(inp) as inp, max(cls) as cls, failed.session_id is not null as has_failed
    from views left join failed using (session_id) group by session_id, failed.session_id
  ), whole as (
    select count(*) as visits from visits having count(*) >= 5
  ), devices as (
    select viewport, system, count(*) as visits, round(100.0 * count(*) / max(whole.visits), 1) as visit_share,
      round(100.0 * count(*) filter (where has_failed) / count(*), 1) as error_rate,
      round(percentile_cont(0.75) within group (order by lcp)::numeric) as lcp,
      round(percentile_cont(0.75) within group (order by inp)::numeric) as inp,
      round(percentile_cont(0.75) within group (order by cls)::numeric, 3) as cls
    from visits cross join whole group by viewport, system having count(*) >= 5
    order by count(*) desc, 1, 2 limit 40
  ), browsers as (
    select browser, version::text as browser_version, count(*) as visits,
      round(100.0 * count(*) / max(whole.visits), 1) as visit_share,
      round(100.0 * count(*) filter (where has_failed) / count(*), 1) as error_rate,
      round(100.0 * count(*) filter (where push) / nullif(count(push), 0)) as push,
      round(100.0 * count(*) filter (where speech) / nullif(count(speech), 0)) as speech,
      round(100.0 * count(*) filter (where opfs) / nullif(count(opfs), 0)) as opfs,
      private.is_supported_browser(browser, version) as is_supported
    from visits cross join whole group by browser, version having count(*) >= 5
    order by count(*) desc, 1, 2 limit 40
  ), agents as (
    select distinct user_id, user_agent from public.analytics_events
    where user_id is not null and created_at > now() - interval '30 days'
  ), accounts as (
    select count(distinct user_id) as people, count(distinct user_id) filter (
      where not private.is_supported_browser(private.browser_of(user_agent), private.browser_version_of(user_agent))
    ) as unsupported
    from agents
  )
  select jsonb_build_object(
    'figures', jsonb_strip_nulls(jsonb_build_object(
      'device_visits', (select visits from whole),
      'compact_share', (
        select private.share_of_group(count(*) filter (where viewport = 'compact'), nullif(count(*), 0)) from visits
      ),
      'visit_error_rate', (
        select round(100.0 * count(*) filter (where has_failed) / max(whole.visits), 1) from visits cross join whole
      ),
      'unsupported_share', (
        select private.share_of_group(
          count(*) filter (where not private.is_supported_browser(browser, version)), nullif(count(*), 0)
        ) from visits
      ),
      'unsupported_people', (select unsupported from accounts where unsupported >= 5),
      'unsupported_people_share', (select private.share_of_group(unsupported, nullif(people, 0)) from accounts)
    )),
    'tables', jsonb_build_object(
      'devices', (select coalesce(jsonb_agg(to_jsonb(devices) order by visits desc), '[]') from devices),
      'browsers', (select coalesce(jsonb_agg(to_jsonb(browsers) order by visits desc), '[]') from browsers)
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.qa_cells (
  _kind text
)
  RETURNS TABLE (
    route     text,
    place     text,
    run_id    text,
    tested_at timestamp with time zone,
    outcome   text,
    state     text,
    failed    text[],
    items     jsonb,
    verdict   jsonb
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with found as (
    select items.id, items.route, private.qa_place(runs, items.width) as place, run_id, started_at, kept_at, check_name,
      outcome, note, picture is not null as has_picture
    from private.qa_items as items join private.qa_runs as runs on runs.id = run_id where kind = _kind
  ), newest as (
    select distinct on (route, place) route, place, run_id from found order by route, place, started_at desc, run_id
  ), cells as (
    select route, place, run_id, max(started_at) as tested_at, max(kept_at) as kept_at,
      case
        when bool_or(outcome = 'failed') then 'failed'
        when bool_or(outcome = 'passed') then 'passed'
        else 'skipped'
      end as outcome,
      coalesce(array_agg(distinct check_name) filter (where outcome = 'failed'), '{}') as failed,
      jsonb_agg(jsonb_build_object(
        'id', id, 'check', check_name, 'outcome', outcome, 'note', note, 'has_picture', has_picture
      ) order by id) as items
    from newest join found using (route, place, run_id) group by route, place, run_id
  )
  select cells.route, cells.place, cells.run_id, cells.tested_at, cells.outcome,
    case
      when verdicts.outcome = 'accepted' and cells.outcome = 'failed' and cells.failed <@ verdicts.checks
        and verdicts.until >= (now() at time zone 'Europe/Rome')::date then 'accepted'
      -- A newer run knows better.
      when verdicts.outcome in ('passed', 'failed') and verdicts.given_at > cells.kept_at then verdicts.outcome
      else cells.outcome
    end,
    cells.failed, cells.items,
    case when verdicts.kind is not null then jsonb_build_object(
      'outcome', verdicts.outcome, 'note', verdicts.note, 'until', verdicts.until, 'given_at', verdicts.given_at
    ) end
  from cells
  left join private.qa_verdicts as verdicts
    on verdicts.kind = _kind and verdicts.route = cells.route and verdicts.place = cells.place
$function$;

CREATE OR REPLACE FUNCTION private.qa_place (
  _run   private.qa_runs,
  _width integer
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case _run.kind when 'mobile' then _width::text else concat(_run.browser, ' ', split_part(_run.browser_version, '.', 1)) end
$function$;

CREATE OR REPLACE FUNCTION private.system_of (
  _agent text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when _agent ~ 'iPhone|iPad|iPod' then 'iOS'
    when _agent ~ 'Android' then 'Android'
    when _agent ~ 'Windows' then 'Windows'
    when _agent ~ 'CrOS' then 'ChromeOS'
    when _agent ~ 'Macintosh|Mac OS X' then 'macOS'
    when _agent ~ 'Linux|X11' then 'Linux'
    else 'Altro'
  end
$function$;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  _name  text,
  _every interval
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Before measuring: a second run in the same interval costs nothing.
  if exists (
    select from private.admin_snapshots
    where name = _name and slot = date_bin(_every, now(), 'epoch'::timestamptz)
  ) then
    return;
  end if;
  perform private.keep_snapshot(_name, _every, case _name
    when 'database' then private.measure_database()
    when 'credits' then private.measure_credits()
    when 'payments' then private.measure_payments()
    when 'errors' then private.measure_errors()
    when 'people' then private.measure_people()
    when 'analytics' then private.measure_analytics()
    when 'security' then private.measure_security()
    when 'performance' then private.measure_performance()
    when 'devices' then private.measure_devices()
  end);
end
$function$;

CREATE OR REPLACE FUNCTION public.admin_judge_qa (
  _kind    text,
  _route   text,
  _place   text,
  _outcome text,
  _note    text,
  _until   date DEFAULT NULL::date
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _today constant date := (now() at time zone 'Europe/Rome')::date;
  _cell record;
begin
  perform private.require_admin();
  select * into _cell from private.qa_cells(_kind) as cells where cells.route = _route and cells.place = _place;
  if not found then
    raise exception 'no such cell' using errcode = 'PT404';
  end if;
  if _outcome = 'accepted' and (
    _cell.failed = '{}' or _until is null or _until < _today or _until > _today + 366
  ) then
    raise exception 'no exception can be accepted so' using errcode = 'PT422';
  end if;
  insert into private.qa_verdicts (kind, route, place, outcome, checks, note, until)
  values (_kind, _route, _place, _outcome, _cell.failed, _note, case _outcome when 'accepted' then _until end)
  on conflict (kind, route, place) do update set outcome = excluded.outcome, checks = excluded.checks,
    note = excluded.note, until = excluded.until, given_at = excluded.given_at;
  perform private.log_admin_action(
    'qa.verdict', left(concat_ws(' ', _kind, _route, _place), 200), null,
    jsonb_build_object('state', _cell.state, 'verdict', _cell.verdict),
    jsonb_build_object('outcome', _outcome, 'until', _until), _note
  );
  return (
    select state from private.qa_cells(_kind) as cells where cells.route = _route and cells.place = _place
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_judge_qa"(text, text, text, text, text, date) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_keep_qa_run (
  _run   jsonb,
  _items jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '10s'
  AS $function$
declare
  _is_new boolean;
begin
  perform private.require_admin();
  _is_new := private.keep_qa_run(_run, _items);
  if _is_new then
    perform private.log_admin_action(
      'qa.import', _run ->> 'id', null, null, jsonb_build_object('items', jsonb_array_length(_items)), 'Esito importato'
    );
  end if;
  return _is_new;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_keep_qa_run"(jsonb, jsonb) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_qa (
  _kind text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return jsonb_build_object(
    'runs', (
      select coalesce(jsonb_agg(to_jsonb(latest) order by started_at desc), '[]')
      from (
        select runs.id, source, release, commit, browser, browser_version, started_at, finished_at,
          count(*) filter (where outcome = 'passed') as passed, count(*) filter (where outcome = 'failed') as failed
        from private.qa_runs as runs left join private.qa_items on run_id = runs.id
        where kind = _kind group by runs.id order by started_at desc limit 10
      ) as latest
    ),
    'cells', (
      select coalesce(jsonb_agg(to_jsonb(cells) order by route, place), '[]') from private.qa_cells(_kind) as cells
    )
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_qa"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_qa_picture (
  _item_id bigint
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return (select encode(picture, 'base64') from private.qa_items where id = _item_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_qa_picture"(bigint) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."qa_items"
  ADD CONSTRAINT "qa_items_run_id_fkey" FOREIGN KEY (run_id) REFERENCES private.qa_runs(id) ON DELETE CASCADE;

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('client_requests'::text,'Richieste dei tuoi clienti sui loro dati, con i certificati di cancellazione'::text,'5 anni dalla chiusura'::text,'Per dimostrare che hai risposto, finché si può chiedertelo (art. 28 L. 689/1981)'::text,'delete'::text,'1 day'::text,true,'{public.contact_requests,public.contact_erasures}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('goals'::text,'Obiettivi conclusi, con i loro passi'::text,'90 giorni dalla fine'::text,'Per rileggerli'::text,'delete'::text,'1 day'::text,true,'{public.goals,public.goal_steps}'::text), ('ethical_logs'::text,'Registro etico'::text,'12 mesi'::text,'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome'::text,'keep'::text,'1 day'::text,true,'{public.ethical_logs}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('shared_mails'::text,'Conteggio delle email inviate tramite Socio'::text,'12 mesi'::text,'Per riconoscere le risposte e proteggere il mittente comune'::text,'delete'::text,'1 day'::text,true,'{private.shared_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('exports'::text,'Archivi dei tuoi dati da scaricare'::text,'7 giorni, o finché ne chiedi un altro'::text,'Per scaricarli con calma'::text,'delete'::text,'1 hour'::text,true,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('qa_runs'::text,'Prove automatiche su telefono e browser'::text,'Le ultime 30 di ogni tipo'::text,'Per vedere che cosa è peggiorato'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni, anche senza l’account'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,NULL::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX qa_items_run ON private.qa_items USING btree (run_id);

CREATE INDEX qa_runs_latest ON private.qa_runs USING btree (kind, started_at DESC);

COMMENT ON FUNCTION "private"."browser_of"(text) IS 'Return the family of a browser by its user agent.';

COMMENT ON FUNCTION "private"."browser_version_of"(text) IS 'Return the major version of a browser by its user agent; null: none is named.';

COMMENT ON FUNCTION "private"."forget_qa_runs"(integer) IS 'Delete runs but the last thirty of each kind, with their items and pictures; return how many.';

COMMENT ON FUNCTION "private"."is_supported_browser"(text, integer) IS 'Whether the product is made for a version of a browser.';

COMMENT ON FUNCTION "private"."keep_qa_run"(jsonb, jsonb) IS 'Keep a run with its items, pictures in base64; false: it is known and nothing changes.';

COMMENT ON FUNCTION "private"."measure_devices"() IS 'Measure screens, systems and browsers of 30 days by the visits of whoever agreed, and who uses one that is too old.';

COMMENT ON FUNCTION "private"."qa_cells"(text) IS 'The newest run of each cell and its state: passed, failed, skipped, or accepted until a day.';

COMMENT ON FUNCTION "private"."qa_place"(private.qa_runs, integer) IS 'Return the column of a cell: a width, or a browser with its major version.';

COMMENT ON FUNCTION "private"."system_of"(text) IS 'Return the operating system by a user agent.';

COMMENT ON FUNCTION "public"."admin_judge_qa"(text, text, text, text, text, date) IS 'Say passed or failed of a cell, or accept its failure until a day, for admins; the note is the reason in the log. Returns its state. PT404, PT422.';

COMMENT ON FUNCTION "public"."admin_keep_qa_run"(jsonb, jsonb) IS 'Keep a run that an admin imports, as private.keep_qa_run does.';

COMMENT ON FUNCTION "public"."admin_qa"(text) IS 'The last runs of a kind and the state of each cell, for admins.';

COMMENT ON FUNCTION "public"."admin_qa_picture"(bigint) IS 'The picture of a failure in base64, for admins; null: there is none.';

COMMENT ON TABLE "private"."qa_items" IS 'What a run found: one row for each route, width and check.';

COMMENT ON TABLE "private"."qa_runs" IS 'Automated runs on phones and in browsers; the last 30 of each kind are kept.';

COMMENT ON TABLE "private"."qa_verdicts" IS 'What admins say about cells: seen by hand until the next run, or an exception until a day.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."browser_of"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."browser_version_of"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_qa_runs"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_qa_runs"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_supported_browser"(text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_qa_run"(jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_qa_run"(jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."measure_devices"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."qa_cells"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."qa_place"(private.qa_runs, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."system_of"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_judge_qa"(text, text, text, text, text, date) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_keep_qa_run"(jsonb, jsonb) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_qa"(text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_qa_picture"(bigint) TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;
