-- Data exports.
--   CREATE TABLE public.data_exports ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, with_fi…
--   ALTER TABLE public.data_exports ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.data_exports FROM anon
--   CREATE OR REPLACE FUNCTION private.account_facts
--   CREATE OR REPLACE FUNCTION private.begin_export
--   CREATE OR REPLACE FUNCTION private.finish_export
--   CREATE OR REPLACE FUNCTION private.open_export
--   CREATE OR REPLACE FUNCTION private.personal_rows
--   CREATE OR REPLACE FUNCTION private.personal_tables
--   ALTER TABLE public.data_exports ADD CONSTRAINT data_exports_user_id_fkey FOREIGN KEY (user_id) REFERENCES aut…
--   CREATE INDEX data_exports_latest ON public.data_exports USING btree (user_id, created_at DESC)
--   CREATE POLICY owners read their exports ON public.data_exports FOR SELECT TO authenticated USING ((user_id = …
--   COMMENT ON FUNCTION private.account_facts
--   COMMENT ON FUNCTION private.begin_export
--   COMMENT ON FUNCTION private.finish_export
--   COMMENT ON FUNCTION private.open_export
--   COMMENT ON FUNCTION private.personal_rows
--   COMMENT ON FUNCTION private.personal_tables
--   COMMENT ON TABLE public.data_exports IS 'When a person took their data along, and how much it was.'
--   REVOKE ALL ON FUNCTION private.account_facts
--   GRANT EXECUTE ON FUNCTION private.account_facts
--   REVOKE ALL ON FUNCTION private.begin_export
--   GRANT EXECUTE ON FUNCTION private.begin_export
--   REVOKE ALL ON FUNCTION private.finish_export
--   GRANT EXECUTE ON FUNCTION private.finish_export
--   REVOKE ALL ON FUNCTION private.open_export
--   GRANT EXECUTE ON FUNCTION private.open_export
--   REVOKE ALL ON FUNCTION private.personal_rows
--   GRANT EXECUTE ON FUNCTION private.personal_rows
--   REVOKE ALL ON FUNCTION private.personal_tables
--   GRANT EXECUTE ON FUNCTION private.personal_tables
--   REVOKE ALL ON TABLE public.data_exports FROM authenticated
--   GRANT SELECT ON TABLE public.data_exports TO authenticated
--   REVOKE ALL ON TABLE public.data_exports FROM service_role
--   GRANT SELECT ON TABLE public.data_exports TO service_role

set check_function_bodies = off;

CREATE TABLE "public"."data_exports" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"     uuid                     NOT NULL,
  "with_files"  boolean                  NOT NULL,
  "secret_hash" bytea                    NOT NULL,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "opens"       smallint                 NOT NULL DEFAULT 0,
  "finished_at" timestamp with time zone,
  "bytes"       bigint,
  CONSTRAINT "bytes_are_not_negative" CHECK ((bytes >= 0)),
  CONSTRAINT "data_exports_pkey" PRIMARY KEY (id),
  CONSTRAINT "data_exports_secret_hash_key" UNIQUE (secret_hash),
  CONSTRAINT "what_is_finished_has_a_size" CHECK (((finished_at IS NULL) = (bytes IS NULL)))
);

ALTER TABLE "public"."data_exports"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."data_exports" FROM "anon";

CREATE OR REPLACE FUNCTION private.account_facts (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'account', (
      select jsonb_build_object(
        'id', id, 'email', email, 'phone', phone, 'created_at', created_at, 'email_confirmed_at', email_confirmed_at,
        'last_sign_in_at', last_sign_in_at, 'app_metadata', raw_app_meta_data, 'user_metadata', raw_user_meta_data
      ) from auth.users where id = _user_id
    ),
    'identities', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'provider', provider, 'email', email, 'identity_data', identity_data, 'created_at', created_at,
        'last_sign_in_at', last_sign_in_at
      ) order by created_at), '[]') from auth.identities where user_id = _user_id
    ),
    'factors', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', friendly_name, 'kind', factor_type, 'status', status, 'created_at', created_at
      ) order by created_at), '[]') from auth.mfa_factors where user_id = _user_id
    ),
    'passkeys', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', friendly_name, 'created_at', created_at, 'last_used_at', last_used_at
      ) order by created_at), '[]') from auth.webauthn_credentials where user_id = _user_id
    ),
    'applications', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'client_id', client_id, 'scopes', scopes, 'granted_at', granted_at, 'revoked_at', revoked_at
      ) order by granted_at), '[]') from auth.oauth_consents where user_id = _user_id
    ),
    'sessions', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'created_at', created_at, 'refreshed_at', refreshed_at, 'device', user_agent, 'ip', host(ip)
      ) order by created_at), '[]') from auth.sessions where user_id = _user_id
    ),
    'events', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'action', payload ->> 'action', 'at', created_at, 'ip', ip_address
      ) order by created_at), '[]') from auth.audit_log_entries where payload ->> 'actor_id' = _user_id::text
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.begin_export (
  _user_id    uuid,
  _with_files boolean
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _secret constant text := encode(extensions.gen_random_bytes(32), 'hex');
begin
  perform from auth.users where id = _user_id for no key update;
  if (
    select count(*) from public.data_exports where user_id = _user_id and created_at > now() - interval '1 day'
  ) >= 10 then
    return null;
  end if;
  insert into public.data_exports (user_id, with_files, secret_hash)
  values (_user_id, _with_files, extensions.digest(_secret, 'sha256'));
  return _secret;
end
$function$;

CREATE OR REPLACE FUNCTION private.finish_export (
  _id    uuid,
  _bytes bigint
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.data_exports set finished_at = now(), bytes = _bytes where id = _id and finished_at is null
$function$;

CREATE OR REPLACE FUNCTION private.open_export (
  _secret text
)
  RETURNS public.data_exports
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- A browser that was cut off tries again; more than that is somebody else.
  update public.data_exports set opens = opens + 1
  where secret_hash = extensions.digest(_secret, 'sha256') and created_at > now() - interval '10 minutes'
    and finished_at is null and opens < 3
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.personal_rows (
  _tables  text[],
  _hidden  text[],
  _user_id uuid
)
  RETURNS TABLE (
    name    text,
    content jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _table text;
begin
  if not _tables <@ array(select private.personal_tables()) then
    raise invalid_parameter_value using message = 'a table without rows of a person';
  end if;
  -- Stable: all of them as of the same moment.
  foreach _table in array _tables loop
    return query execute format(
      'select %L, to_jsonb(personal_row) - $2 from %s as personal_row where user_id = $1', _table, _table::regclass
    ) using _user_id, _hidden;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.personal_tables()
  RETURNS SETOF text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select format('%s.%s', relnamespace::regnamespace, relname)
  from pg_catalog.pg_class
  join pg_catalog.pg_attribute on attrelid = pg_class.oid and attname = 'user_id' and not attisdropped
  where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'private'::regnamespace)
  order by 1
$function$;

ALTER TABLE "public"."data_exports"
  ADD CONSTRAINT "data_exports_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX data_exports_latest ON public.data_exports USING btree (user_id, created_at DESC);

CREATE POLICY "owners read their exports" ON "public"."data_exports"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON FUNCTION "private"."account_facts"(uuid) IS 'What the account service knows of a person, without its secrets.';

COMMENT ON FUNCTION "private"."begin_export"(uuid, boolean) IS 'The secret of a download that this person may begin within ten minutes; null after ten in a day.';

COMMENT ON FUNCTION "private"."finish_export"(uuid, bigint) IS 'Notes that a download has ended, and how long it was.';

COMMENT ON FUNCTION "private"."open_export"(text) IS 'The download that a secret opens; null when it opens none any more.';

COMMENT ON FUNCTION "private"."personal_rows"(text[], text[], uuid) IS 'The rows of one person in these tables of theirs, one table after the other, without the hidden columns.';

COMMENT ON FUNCTION "private"."personal_tables"() IS 'Every table of the product that has rows of a person, by the catalogue.';

COMMENT ON TABLE "public"."data_exports" IS 'When a person took their data along, and how much it was.';

REVOKE ALL ON FUNCTION "private"."account_facts"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."account_facts"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."begin_export"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_export"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."finish_export"(uuid, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."finish_export"(uuid, bigint) TO "service_role";

REVOKE ALL ON FUNCTION "private"."open_export"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_export"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."personal_rows"(text[], text[], uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."personal_rows"(text[], text[], uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."personal_tables"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."personal_tables"() TO "service_role";

REVOKE ALL ON TABLE "public"."data_exports" FROM "authenticated";

GRANT SELECT ON TABLE "public"."data_exports" TO "authenticated";

REVOKE ALL ON TABLE "public"."data_exports" FROM "service_role";

GRANT SELECT ON TABLE "public"."data_exports" TO "service_role";

reset check_function_bodies;
