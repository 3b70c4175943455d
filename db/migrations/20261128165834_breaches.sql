-- Breaches.
--   CREATE TABLE private.breaches ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, found_at timestamp with time…
--   ALTER TABLE private.breaches ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.is_open_breach
--   CREATE OR REPLACE FUNCTION private.light
--   CREATE OR REPLACE FUNCTION private.measure_security
--   CREATE OR REPLACE FUNCTION public.admin_breaches
--   REVOKE ALL ON FUNCTION public.admin_breaches
--   CREATE OR REPLACE FUNCTION public.admin_write_breach
--   REVOKE ALL ON FUNCTION public.admin_write_breach
--   COMMENT ON FUNCTION private.is_open_breach
--   COMMENT ON FUNCTION public.admin_breaches
--   COMMENT ON FUNCTION public.admin_write_breach
--   COMMENT ON TABLE private.breaches IS 'Breaches of personal data, what was done and who was told; written by a…
--   REVOKE ALL ON FUNCTION private.is_open_breach
--   GRANT EXECUTE ON FUNCTION public.admin_breaches
--   GRANT EXECUTE ON FUNCTION public.admin_write_breach

set check_function_bodies = off;

CREATE TABLE "private"."breaches" (
  "id"                bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "found_at"          timestamp with time zone NOT NULL,
  "title"             public.single_line       NOT NULL,
  "facts"             text                     NOT NULL,
  "people"            integer                  NOT NULL DEFAULT 0,
  "risk"              text                     NOT NULL,
  "measures"          text                     NOT NULL DEFAULT ''::text,
  "authority_told_at" timestamp with time zone,
  "people_told_at"    timestamp with time zone,
  "reason_not"        text                     NOT NULL DEFAULT ''::text,
  "created_at"        timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"        timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "breaches_pkey" PRIMARY KEY (id),
  CONSTRAINT "delay_has_a_reason" CHECK (((authority_told_at <= (found_at + '72:00:00'::interval)) OR (btrim(reason_not) <> ''::text))),
  CONSTRAINT "facts_fit" CHECK (((length(facts) >= 3) AND (length(facts) <= 2000))),
  CONSTRAINT "measures_fit" CHECK ((length(measures) <= 2000)),
  CONSTRAINT "people_fit" CHECK ((people >= 0)),
  CONSTRAINT "reason_fits" CHECK ((length(reason_not) <= 500)),
  CONSTRAINT "risk_is_known" CHECK ((risk = ANY (ARRAY['none'::text, 'risk'::text, 'high'::text]))),
  CONSTRAINT "told_after_found" CHECK (((authority_told_at >= found_at) AND (people_told_at >= found_at)))
);

ALTER TABLE "private"."breaches"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.is_open_breach (
  _breach private.breaches
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case _breach.risk
    when 'none' then btrim(_breach.reason_not) = ''
    when 'risk' then _breach.authority_told_at is null
    else _breach.authority_told_at is null or _breach.people_told_at is null
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
    when case _snapshot.name
      when 'database' then figures.connections > 0.9 * figures.max_connections or figures.xid_age > 1500000000
      when 'queue' then figures.longest_wait_s > 300 or figures.periodic_late_s > 300
      when 'payments' then figures.failed > 0
      when 'credits' then figures.drifted > 0
      when 'errors' then figures.last_day > 500
      when 'security' then figures.lints > 0 or figures.breaches_late > 0
      when 'backups' then figures.backup_failed > 0 or figures.restore_failed > 0 or figures.forged > 0
        or figures.backup_age_h > 72
      when 'isolation' then figures.reached > 0 or figures.forged > 0
      when 'performance' then figures.lcp_168 > 4000 or figures.inp_168 > 500 or figures.cls_168 > 0.25
    end then 'error'
    when case _snapshot.name
      when 'database' then figures.cache_hit < 95 or figures.longest_transaction_s > 300 or figures.blocked > 0
        or figures.xid_age > 500000000 or figures.slot_lag_bytes > 1073741824
      when 'queue' then figures.dead_letters > 0 or figures.mails_failed_today > 0
      when 'payments' then figures.open_alerts > 0 or figures.oldest_waiting_s > 3600
      when 'credits' then figures.old_holds > 0
      when 'errors' then figures.regressions > 0 or figures.last_day > 20 and figures.last_day > 2 * figures.day_before
      when 'security' then figures.admins_without_factor > 0 or figures.breaches_open > 0 or figures.guessed > 20
      when 'backups' then figures.backups = 0 or figures.backup_age_h > 26 or figures.restore_age_h > 240
      when 'isolation' then figures.rules_changed > 0 or figures.proof_age_h > 240
      when 'performance' then figures.lcp_168 > 2500 or figures.inp_168 > 200 or figures.cls_168 > 0.1
    end then 'warning'
    else 'ok'
  end
  from jsonb_to_record(_snapshot.content -> 'figures') as figures (
    connections numeric, max_connections numeric, xid_age numeric, cache_hit numeric, longest_transaction_s numeric,
    blocked numeric, slot_lag_bytes numeric, longest_wait_s numeric, periodic_late_s numeric, dead_letters numeric,
    mails_failed_today numeric, failed numeric, open_alerts numeric, oldest_waiting_s numeric, drifted numeric,
    old_holds numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric, backup_failed numeric, restore_failed numeric, forged numeric, backup_age_h numeric,
    breaches_late numeric, breaches_open numeric, guessed numeric, restore_age_h numeric, backups numeric, reached numeric, rules_changed numeric, proof_age_h numeric, lcp_168 numeric, inp_168 numeric, cls_168 numeric
  )
$function$;

CREATE OR REPLACE FUNCTION private.measure_security()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with ours as (
    select oid, relname, relrowsecurity from pg_class
    where relnamespace in ('public'::regnamespace, 'private'::regnamespace) and relkind in ('r', 'p')
  ), lints as (
    select 'tabella senza RLS' as lint, oid::regclass::text as name from ours where not relrowsecurity
    union all
    select 'funzione per tutti', oid::regprocedure::text from pg_proc
    where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and exists (
      select from aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
      where acl.grantee = 0 and acl.privilege_type = 'EXECUTE'
    )
    union all
    select 'vista con i diritti del proprietario', oid::regclass::text from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'v'
      and not coalesce(reloptions, '{}') && array['security_invoker=on', 'security_invoker=true']
    union all
    select 'regola sempre vera', format('%s: %s', tablename, policyname) from pg_policies
    where schemaname = 'public' and 'service_role' <> all (roles) and (qual = 'true' or with_check = 'true')
  ), admins as (
    select user_id, exists (
      select from auth.mfa_factors where mfa_factors.user_id = user_roles.user_id and status = 'verified'
    ) as has_factor
    from public.user_roles where role = 'admin'
  )
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'lints', (select count(*) from lints),
      'tables', (select count(*) from ours),
      'admins', (select count(*) from admins),
      'admins_without_factor', (select count(*) from admins where not has_factor),
      'with_factor', (select count(distinct user_id) from auth.mfa_factors where status = 'verified'),
      'actions', (select count(*) from public.admin_actions where created_at > now() - interval '30 days'),
      'wrong_tries', (select coalesce(sum(tries), 0) from auth.attempts where forgotten_at > now()),
      'guessed', (select count(*) from auth.attempts where forgotten_at > now() and tries >= 5),
      'deletions', (select count(*) from public.deletion_requests where erased_at is null and cancelled_at is null),
      'breaches_open', (select count(*) from private.breaches where private.is_open_breach(breaches)),
      'breaches_late', (
        select count(*) from private.breaches
        where private.is_open_breach(breaches) and found_at < now() - interval '72 hours'
      )
    ),
    'tables', jsonb_build_object('lints', (select coalesce(jsonb_agg(to_jsonb(lints) order by lint, name), '[]') from lints))
  )
$function$;

CREATE OR REPLACE FUNCTION public.admin_breaches()
  RETURNS TABLE (
    id                bigint,
    found_at          timestamp with time zone,
    title             text,
    facts             text,
    people            integer,
    risk              text,
    measures          text,
    authority_told_at timestamp with time zone,
    people_told_at    timestamp with time zone,
    reason_not        text,
    is_open           boolean,
    due_at            timestamp with time zone
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return query
    select breaches.id, breaches.found_at, breaches.title::text, breaches.facts, breaches.people, breaches.risk,
      breaches.measures, breaches.authority_told_at, breaches.people_told_at, breaches.reason_not,
      private.is_open_breach(breaches) as is_open, breaches.found_at + interval '72 hours'
    from private.breaches order by is_open desc, breaches.found_at desc limit 200;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_breaches"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_write_breach (
  _found_at          timestamp with time zone,
  _title             text,
  _facts             text,
  _people            integer,
  _risk              text,
  _measures          text,
  _reason_not        text,
  _authority_told_at timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _people_told_at    timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _id                bigint                   DEFAULT NULL::bigint
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _before jsonb;
  _after private.breaches;
begin
  perform private.require_admin();
  if greatest(_found_at, _authority_told_at, _people_told_at) > now() + interval '5 minutes' then
    raise check_violation using message = 'A breach is known and told in the past', constraint = 'not_in_the_future';
  end if;
  if _id is null then
    insert into private.breaches (
      found_at, title, facts, people, risk, measures, reason_not, authority_told_at, people_told_at
    ) values (
      _found_at, _title, btrim(_facts), _people, _risk, btrim(_measures), btrim(_reason_not), _authority_told_at,
      _people_told_at
    ) returning * into _after;
  else
    select to_jsonb(breaches) into _before from private.breaches where id = _id for update;
    if not found then
      raise exception 'no such breach' using errcode = 'PT404';
    end if;
    update private.breaches set found_at = _found_at, title = _title, facts = btrim(_facts), people = _people,
      risk = _risk, measures = btrim(_measures), reason_not = btrim(_reason_not),
      authority_told_at = _authority_told_at, people_told_at = _people_told_at, updated_at = now()
    where id = _id returning * into _after;
  end if;
  perform private.log_admin_action('breach.write', _after.id::text, null, _before, to_jsonb(_after), _title);
  return _after.id;
end
$function$;

REVOKE ALL
  ON FUNCTION "public"."admin_write_breach"(timestamp WITH time zone, text, text, integer, text, text, text, timestamp WITH time zone, timestamp WITH time zone, bigint)
  FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."is_open_breach"(private.breaches) IS 'Whether somebody must still be told: the authority at a risk, people too at a high one; without a risk the reason is due.';

COMMENT ON FUNCTION "public"."admin_breaches"() IS 'The register of breaches, the open ones first, for admins; due_at is when the 72 hours end.';

COMMENT ON FUNCTION "public"."admin_write_breach"(timestamp with time zone, text, text, integer, text, text, text, timestamp with time zone, timestamp
  with time zone, bigint) IS 'Write a breach into the register, a new one without an id, for admins; every version is in the log of actions.';

COMMENT ON TABLE "private"."breaches" IS 'Breaches of personal data, what was done and who was told; written by admins, never deleted.';

REVOKE ALL ON FUNCTION "private"."is_open_breach"(private.breaches) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_breaches"() TO "authenticated";

GRANT EXECUTE
  ON FUNCTION "public"."admin_write_breach"(timestamp WITH time zone, text, text, integer, text, text, text, timestamp WITH time zone, timestamp WITH time zone, bigint)
  TO "authenticated";

reset check_function_bodies;
