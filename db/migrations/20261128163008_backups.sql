-- Backups.
--   CREATE TABLE private.restore_tests ( id uuid NOT NULL DEFAULT gen_random_uuid(), tested_at timestamp with tim…
--   ALTER TABLE private.restore_tests ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.keep_restore_test
--   CREATE OR REPLACE FUNCTION private.keep_snapshot
--   CREATE OR REPLACE FUNCTION private.light
--   CREATE OR REPLACE FUNCTION private.newest_restore_tests
--   CREATE OR REPLACE FUNCTION public.admin_ask_for_restore_test
--   REVOKE ALL ON FUNCTION public.admin_ask_for_restore_test
--   CREATE OR REPLACE FUNCTION public.admin_overview
--   CREATE INDEX restore_tests_newest ON private.restore_tests USING btree (tested_at DESC)
--   COMMENT ON COLUMN private.restore_tests.signature IS 'Ed25519, hexadecimal, of the content as sorted JSON.'
--   COMMENT ON FUNCTION private.keep_restore_test
--   COMMENT ON FUNCTION private.newest_restore_tests
--   COMMENT ON FUNCTION public.admin_ask_for_restore_test
--   COMMENT ON TABLE private.restore_tests IS 'Tests of backups: restored into a scratch database, compared, and …
--   REVOKE ALL ON FUNCTION private.keep_restore_test
--   GRANT EXECUTE ON FUNCTION private.keep_restore_test
--   REVOKE ALL ON FUNCTION private.newest_restore_tests
--   GRANT EXECUTE ON FUNCTION private.newest_restore_tests
--   GRANT EXECUTE ON FUNCTION public.admin_ask_for_restore_test

set check_function_bodies = off;

CREATE TABLE "private"."restore_tests" (
  "id"             uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "tested_at"      timestamp with time zone NOT NULL,
  "backup_made_at" timestamp with time zone NOT NULL,
  "content"        jsonb                    NOT NULL,
  "signature"      text                     NOT NULL,
  CONSTRAINT "content_is_object" CHECK ((jsonb_typeof(content) = 'object'::text)),
  CONSTRAINT "restore_tests_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."restore_tests"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.keep_restore_test (
  _content   jsonb,
  _signature text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.restore_tests (tested_at, backup_made_at, content, signature)
  values ((_content ->> 'tested_at')::timestamptz, (_content ->> 'backup_made_at')::timestamptz, _content, _signature)
$function$;

CREATE OR REPLACE FUNCTION private.keep_snapshot (
  _name    text,
  _every   interval,
  _content jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _slot constant timestamptz := date_bin(_every, now(), 'epoch'::timestamptz);
begin
  insert into private.admin_snapshots (name, slot, every, content) values (_name, _slot, _every, _content)
  on conflict (name, slot) do update set taken_at = now(), content = excluded.content;
  update private.admin_snapshots set content = content - 'tables'
  where name = _name and slot = (
    select slot from private.admin_snapshots where name = _name and slot < _slot order by slot desc limit 1
  );
  delete from private.admin_snapshots where name = _name and slot < now() - interval '200 days';
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
      when 'security' then figures.lints > 0
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
      when 'security' then figures.admins_without_factor > 0
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
    restore_age_h numeric, backups numeric, reached numeric, rules_changed numeric, proof_age_h numeric, lcp_168 numeric, inp_168 numeric, cls_168 numeric
  )
$function$;

CREATE OR REPLACE FUNCTION private.newest_restore_tests (
  _most integer
)
  RETURNS SETOF private.restore_tests
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select * from private.restore_tests order by tested_at desc limit _most
$function$;

CREATE OR REPLACE FUNCTION public.admin_ask_for_restore_test (
  _reason text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  perform private.log_admin_action('backup.test', 'restore_tests', null, null, null, _reason);
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_ask_for_restore_test"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_overview()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return (
    select coalesce(jsonb_object_agg(newest.name, jsonb_build_object(
      'taken_at', newest.taken_at, 'light', private.light(newest), 'figures', newest.content -> 'figures'
    )), '{}')
    from unnest(array[
      'database', 'queue', 'payments', 'credits', 'errors', 'security', 'backups', 'isolation', 'people'
    ]) as wanted (name)
    cross join lateral (
      select * from private.admin_snapshots where name = wanted.name order by slot desc limit 1
    ) as newest
  );
end
$function$;

CREATE INDEX restore_tests_newest ON private.restore_tests USING btree (tested_at DESC);

COMMENT ON COLUMN "private"."restore_tests"."signature" IS 'Ed25519, hexadecimal, of the content as sorted JSON.';

COMMENT ON FUNCTION "private"."keep_restore_test"(jsonb, text) IS 'Keep the outcome of a restore test with its signature.';

COMMENT ON FUNCTION "private"."newest_restore_tests"(integer) IS 'The newest restore tests.';

COMMENT ON FUNCTION "public"."admin_ask_for_restore_test"(text) IS 'Note who wants a restore test and why, for admins; the function restore_test then has it made.';

COMMENT ON TABLE "private"."restore_tests" IS 'Tests of backups: restored into a scratch database, compared, and tried by a stranger.';

REVOKE ALL ON FUNCTION "private"."keep_restore_test"(jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_restore_test"(jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."newest_restore_tests"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."newest_restore_tests"(integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."admin_ask_for_restore_test"(text) TO "authenticated";

reset check_function_bodies;
