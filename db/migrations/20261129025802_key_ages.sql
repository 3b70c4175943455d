-- Key ages.
--   CREATE TABLE private.key_ages ( name text NOT NULL, digest text NOT NULL, used_since timestamp with time zone…
--   ALTER TABLE private.key_ages ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.key_due_at
--   CREATE OR REPLACE FUNCTION private.light
--   CREATE OR REPLACE FUNCTION private.measure_security
--   CREATE OR REPLACE FUNCTION private.note_keys
--   CREATE OR REPLACE FUNCTION public.admin_keys
--   REVOKE ALL ON FUNCTION public.admin_keys
--   COMMENT ON COLUMN private.key_ages.used_since IS 'When it was made, or else when it was first seen: it may be…
--   COMMENT ON FUNCTION private.key_due_at
--   COMMENT ON FUNCTION private.note_keys
--   COMMENT ON FUNCTION public.admin_keys
--   COMMENT ON TABLE private.key_ages IS 'Since when each key and secret of the installation is in use.'
--   REVOKE ALL ON FUNCTION private.key_due_at
--   REVOKE ALL ON FUNCTION private.note_keys
--   GRANT EXECUTE ON FUNCTION private.note_keys
--   GRANT EXECUTE ON FUNCTION public.admin_keys

set check_function_bodies = off;

CREATE TABLE "private"."key_ages" (
  "name"       text                     NOT NULL,
  "digest"     text                     NOT NULL,
  "used_since" timestamp with time zone NOT NULL,
  CONSTRAINT "digest_is_one" CHECK ((digest ~ '^[0-9a-f]{32}$'::text)),
  CONSTRAINT "key_ages_pkey" PRIMARY KEY (name),
  CONSTRAINT "name_fits" CHECK ((name ~ '^\w{1,100}$'::text))
);

ALTER TABLE "private"."key_ages"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.key_due_at (
  _key private.key_ages
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- A year is the shortest period that NIST SP 800-57 part 1 (table 1) gives for keys that authenticate. The legacy
  -- secret has no day: sealed mailboxes and second factors depend on it, so it is changed only when it is known to others.
  select case when _key.name <> 'jwt_secret' then _key.used_since + interval '12 months' end
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
      when 'credits' then figures.old_holds > 0 or figures.negative_margins > 0
      when 'errors' then figures.regressions > 0 or figures.last_day > 20 and figures.last_day > 2 * figures.day_before
      when 'security' then figures.admins_without_factor > 0 or figures.breaches_open > 0 or figures.guessed > 20
        or figures.keys_late > 0
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
    old_holds numeric, negative_margins numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric, backup_failed numeric, restore_failed numeric, forged numeric, backup_age_h numeric,
    breaches_late numeric, breaches_open numeric, guessed numeric, keys_late numeric, restore_age_h numeric, backups numeric, reached numeric, rules_changed numeric, proof_age_h numeric, lcp_168 numeric, inp_168 numeric, cls_168 numeric
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
      'keys_late', (select count(*) from private.key_ages where private.key_due_at(key_ages) < now()),
      'breaches_open', (select count(*) from private.breaches where private.is_open_breach(breaches)),
      'breaches_late', (
        select count(*) from private.breaches
        where private.is_open_breach(breaches) and found_at < now() - interval '72 hours'
      )
    ),
    'tables', jsonb_build_object('lints', (select coalesce(jsonb_agg(to_jsonb(lints) order by lint, name), '[]') from lints))
  )
$function$;

CREATE OR REPLACE FUNCTION private.note_keys (
  _used jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.key_ages where name <> all (select used ->> 'name' from jsonb_array_elements(_used) as used);
  insert into private.key_ages as known (name, digest, used_since)
  select used ->> 'name', used ->> 'digest', coalesce((used ->> 'made_at')::timestamptz, now())
  from jsonb_array_elements(_used) as used
  -- A secret that changed has been in use since about now, whenever the file of keys was made.
  on conflict (name) do update set digest = excluded.digest, used_since = now() where known.digest <> excluded.digest
$function$;

CREATE OR REPLACE FUNCTION public.admin_keys()
  RETURNS TABLE (
    name       text,
    used_since timestamp with time zone,
    due_at     timestamp with time zone,
    light      text
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
    select keys.name, keys.used_since, due.at,
      case when due.at < now() then 'error' when due.at < now() + interval '30 days' then 'warning' else 'ok' end
    from private.key_ages as keys cross join lateral (select private.key_due_at(keys) as at) as due
    order by due.at nulls last, keys.name;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_keys"() FROM PUBLIC, "anon", "service_role";

COMMENT ON COLUMN "private"."key_ages"."used_since" IS 'When it was made, or else when it was first seen: it may be older.';

COMMENT ON FUNCTION "private"."key_due_at"(private.key_ages) IS 'Return when a key should be replaced; null: only when others know it.';

COMMENT ON FUNCTION "private"."note_keys"(jsonb) IS 'Keep the keys that are in use, and since when; forget all others.';

COMMENT ON FUNCTION "public"."admin_keys"() IS 'The keys and secrets in use and when each is due, the first due first, for admins; never a secret.';

COMMENT ON TABLE "private"."key_ages" IS 'Since when each key and secret of the installation is in use.';

REVOKE ALL ON FUNCTION "private"."key_due_at"(private.key_ages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_keys"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_keys"(jsonb) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."admin_keys"() TO "authenticated";

reset check_function_bodies;
