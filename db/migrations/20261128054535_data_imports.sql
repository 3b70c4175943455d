-- Data imports.
--   DROP TRIGGER notify_inserted ON public.insights
--   DROP TRIGGER refuse_files_of_nobody ON storage.objects
--   CREATE TABLE public.data_imports ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, storage…
--   ALTER TABLE public.data_imports ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.data_imports FROM anon
--   CREATE TYPE public.data_import_state AS ENUM ( 'in_attesa', 'in_corso', 'fatto', 'fallito' )
--   ALTER TABLE public.data_imports ADD COLUMN state public.data_import_state NOT NULL DEFAULT 'in_attesa'::publi…
--   ALTER TABLE public.data_imports ADD COLUMN rows integer
--   ALTER TABLE public.data_imports ADD COLUMN rows_done integer NOT NULL DEFAULT 0
--   ALTER TABLE public.data_imports ADD COLUMN files integer
--   ALTER TABLE public.data_imports ADD COLUMN files_done integer NOT NULL DEFAULT 0
--   ALTER TABLE public.data_imports ADD COLUMN files_lost integer NOT NULL DEFAULT 0
--   ALTER TABLE public.data_imports ADD COLUMN restored_at timestamp WITH time zone
--   ALTER TABLE public.data_imports ADD COLUMN error text
--   ALTER TABLE public.data_imports ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   ALTER TABLE public.data_imports ADD COLUMN finished_at timestamp WITH time zone
--   CREATE OR REPLACE FUNCTION private.begin_import
--   CREATE OR REPLACE FUNCTION private.is_unused
--   CREATE OR REPLACE FUNCTION private.lock_unused
--   CREATE OR REPLACE FUNCTION private.make_way
--   CREATE OR REPLACE FUNCTION private.notify_import
--   CREATE OR REPLACE FUNCTION private.remove_files
--   CREATE OR REPLACE FUNCTION private.restore_rows
--   CREATE OR REPLACE FUNCTION private.table_shapes
--   CREATE OR REPLACE FUNCTION public.takes_archive
--   REVOKE ALL ON FUNCTION public.takes_archive
--   ALTER TABLE public.data_imports ADD CONSTRAINT a_failure_has_a_reason CHECK (((state = 'fallito'::public.data…
--   ALTER TABLE public.data_imports ADD CONSTRAINT counts_fit CHECK (((rows >= 0) AND (rows_done >= 0) AND (files…
--   ALTER TABLE public.data_imports ADD CONSTRAINT data_imports_user_id_fkey FOREIGN KEY (user_id) REFERENCES aut…
--   ALTER TABLE public.data_imports ADD CONSTRAINT what_ended_has_an_end CHECK (((state = ANY (ARRAY['fatto'::pub…
--   CREATE UNIQUE INDEX data_imports_running ON public.data_imports USING btree (user_id) WHERE (state = ANY (ARR…
--   CREATE TRIGGER tell_import AFTER UPDATE OF state ON public.data_imports FOR EACH ROW WHEN (((old.finished_at …
--   CREATE TRIGGER notify_inserted AFTER INSERT ON public.insights REFERENCING NEW TABLE AS changed FOR EACH STAT…
--   CREATE TRIGGER refuse_files_of_nobody BEFORE INSERT OR UPDATE OF bucket_id, name ON storage.objects FOR EACH …
--   CREATE POLICY owners read their imports ON public.data_imports FOR SELECT TO authenticated USING ((user_id = …
--   CREATE POLICY owners add archives ON storage.objects FOR INSERT TO authenticated WITH CHECK (((bucket_id = 'i…
--   CREATE POLICY owners delete their archives ON storage.objects FOR DELETE TO authenticated USING (((bucket_id …
--   CREATE POLICY owners see their archives ON storage.objects FOR SELECT TO authenticated USING (((bucket_id = '…
--   COMMENT ON FUNCTION private.begin_import
--   COMMENT ON FUNCTION private.is_unused
--   COMMENT ON FUNCTION private.lock_unused
--   COMMENT ON FUNCTION private.make_way
--   COMMENT ON FUNCTION private.notify_import
--   COMMENT ON FUNCTION private.restore_rows
--   COMMENT ON FUNCTION private.table_shapes
--   COMMENT ON FUNCTION public.takes_archive
--   COMMENT ON TABLE public.data_imports IS 'Archives that a person had brought into this account.'
--   REVOKE ALL ON FUNCTION private.begin_import
--   GRANT EXECUTE ON FUNCTION private.begin_import
--   REVOKE ALL ON FUNCTION private.is_unused
--   GRANT EXECUTE ON FUNCTION private.is_unused
--   REVOKE ALL ON FUNCTION private.lock_unused
--   GRANT EXECUTE ON FUNCTION private.lock_unused
--   REVOKE ALL ON FUNCTION private.make_way
--   GRANT EXECUTE ON FUNCTION private.make_way
--   REVOKE ALL ON FUNCTION private.notify_import
--   REVOKE ALL ON FUNCTION private.restore_rows
--   GRANT EXECUTE ON FUNCTION private.restore_rows
--   REVOKE ALL ON FUNCTION private.table_shapes
--   GRANT EXECUTE ON FUNCTION private.table_shapes
--   GRANT EXECUTE ON FUNCTION public.takes_archive
--   REVOKE ALL ON TABLE public.data_imports FROM authenticated
--   GRANT SELECT ON TABLE public.data_imports TO authenticated
--   REVOKE ALL ON TABLE public.data_imports FROM service_role
--   GRANT SELECT, UPDATE ON TABLE public.data_imports TO service_role

set check_function_bodies = off;

DROP TRIGGER "notify_inserted" ON "public"."insights";

DROP TRIGGER "refuse_files_of_nobody" ON "storage"."objects";

CREATE TABLE "public"."data_imports" (
  "id"           uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id"      uuid NOT NULL,
  "storage_path" text NOT NULL,
  CONSTRAINT "data_imports_pkey" PRIMARY KEY (id),
  CONSTRAINT "data_imports_user_id_storage_path_key" UNIQUE (user_id, storage_path)
);

ALTER TABLE "public"."data_imports"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."data_imports" FROM "anon";

CREATE TYPE "public"."data_import_state" AS ENUM (
  'in_attesa',
  'in_corso',
  'fatto',
  'fallito'
);

ALTER TABLE "public"."data_imports"
  ADD COLUMN "state" public.data_import_state NOT NULL DEFAULT 'in_attesa'::public.data_import_state;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "rows" integer;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "rows_done" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "files" integer;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "files_done" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "files_lost" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "restored_at" timestamp WITH time zone;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "error" text;

ALTER TABLE "public"."data_imports"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "public"."data_imports"
  ADD COLUMN "finished_at" timestamp WITH time zone;

CREATE OR REPLACE FUNCTION private.begin_import (
  _user_id uuid,
  _path    text
)
  RETURNS public.data_imports
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _import public.data_imports;
begin
  perform from auth.users where id = _user_id for no key update;
  select * into _import from public.data_imports
  where user_id = _user_id and (storage_path = _path or state in ('in_attesa', 'in_corso'))
  order by state limit 1;
  if not found and private.is_unused(_user_id) and not private.is_frozen(_user_id) then
    insert into public.data_imports (user_id, storage_path) values (_user_id, _path) returning * into _import;
  end if;
  return _import;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_unused (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select not exists (select from public.contacts where user_id = _user_id)
    and not exists (select from public.deals where user_id = _user_id)
    and not exists (select from public.tasks where user_id = _user_id)
    and not exists (select from public.projects where user_id = _user_id)
    and not exists (select from public.documents where user_id = _user_id)
    and not exists (select from public.mail_accounts where user_id = _user_id)
    and not exists (select from public.whatsapp_accounts where user_id = _user_id)
$function$;

CREATE OR REPLACE FUNCTION private.lock_unused (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from auth.users where id = _user_id for no key update;
  -- The rows of an archive are no news: what tells of new ones is silent in this transaction.
  perform set_config('socio.restoring', 'on', true);
  return private.is_unused(_user_id) and not private.is_frozen(_user_id);
end
$function$;

CREATE OR REPLACE FUNCTION private.make_way (
  _user_id uuid,
  _table   text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The stages of the first day, and what triggers wrote of the rows before.
  delete from public.stages where user_id = _user_id and _table = 'public.stages';
  delete from public.deal_stage_log where user_id = _user_id and _table = 'public.deal_stage_log';
  delete from public.task_events where user_id = _user_id and _table = 'public.task_events';
$function$;

CREATE OR REPLACE FUNCTION private.notify_import()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.notify(
    new.user_id, 'importazione_conclusa',
    case when new.state = 'fatto' then 'Archivio importato' else 'Archivio non importato' end,
    case when new.state = 'fatto' then 'I tuoi dati sono tornati al loro posto.' else new.error end,
    '/settings/data', 'archivio:' || new.id
  );
  return null;
end
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
  where bucket_id in ('avatars', 'documents', 'imports') and name >= old.user_id || '/' and name < old.user_id || '0';
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.restore_rows (
  _user_id uuid,
  _table   text,
  _rows    jsonb
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _columns text;
  _key text[];
  _conflict text := '';
  _restored bigint;
begin
  if _table not in (select private.personal_tables()) then
    raise invalid_parameter_value using message = 'a table without rows of a person';
  end if;
  select string_agg(quote_ident(attname), ', ' order by attnum) into _columns
  from pg_catalog.pg_attribute
  where attrelid = _table::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
    and attname <> 'user_id' and _rows -> 0 ? attname::text;
  select array_agg(attname::text) into _key
  from pg_catalog.pg_index join pg_catalog.pg_attribute on attrelid = indrelid and attnum = any (indkey)
  where indrelid = _table::regclass and indisprimary;
  -- A choice that an account has from its first day is replaced; of all else there is nothing yet.
  if 'user_id' = any (_key) then
    _conflict := format(
      'on conflict (%s) do update set (%s) = row(%s)', (select string_agg(quote_ident(part), ', ') from unnest(_key) as part),
      _columns, (select string_agg('excluded.' || part, ', ') from unnest(string_to_array(_columns, ', ')) as part)
    );
  end if;
  execute format(
    'insert into %1$s (user_id, %2$s) select $1, %2$s from jsonb_populate_recordset(null::%1$s, $2) %3$s',
    _table::regclass, _columns, _conflict
  ) using _user_id, _rows;
  get diagnostics _restored = row_count;
  return _restored;
end
$function$;

CREATE OR REPLACE FUNCTION private.table_shapes (
  _tables text[]
)
  RETURNS TABLE (
    name    text,
    ids     text[],
    own_ids text[],
    needs   text[]
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with listed as (
    select listed as name, listed::regclass as oid from unnest(_tables) as listed
    where listed in (select private.personal_tables())
  ), columns as (
    select attrelid, attname::text, attnum, atttypid from pg_catalog.pg_attribute
    where attrelid in (select oid from listed) and attnum > 0 and not attisdropped
  ), keys as (
    -- Owner and row, so each has a column that holds the id of the other row.
    select conrelid, confrelid, held.attname::text as held_in
    from pg_catalog.pg_constraint, unnest(conkey, confkey) as pair (holding, held)
    join lateral (
      select own.attname from pg_catalog.pg_attribute as own
      join pg_catalog.pg_attribute as other on other.attrelid = confrelid and other.attnum = pair.held
      where own.attrelid = conrelid and own.attnum = pair.holding and other.attname = 'id'
    ) as held on true
    where contype = 'f' and conrelid in (select oid from listed)
  )
  select listed.name,
    array(
      select attname from columns
      where attrelid = listed.oid and atttypid in ('uuid'::regtype, 'uuid[]'::regtype) and attname <> 'user_id'
    ),
    array(select held_in from keys where conrelid = listed.oid and confrelid = listed.oid),
    array(
      select distinct other.name from pg_catalog.pg_constraint join listed as other on other.oid = confrelid
      where contype = 'f' and conrelid = listed.oid and other.oid <> listed.oid
    )
  from listed
$function$;

CREATE OR REPLACE FUNCTION public.takes_archive()
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.is_unused((select auth.uid())) and not private.is_frozen((select auth.uid()))
$function$;

REVOKE ALL ON FUNCTION "public"."takes_archive"() FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."data_imports"
  ADD CONSTRAINT "a_failure_has_a_reason" CHECK (((state = 'fallito'::public.data_import_state) = (error IS NOT NULL)));

ALTER TABLE "public"."data_imports"
  ADD CONSTRAINT "counts_fit" CHECK (((rows >= 0) AND (rows_done >= 0) AND (files >= 0) AND (files_done >= 0) AND (files_lost >= 0)));

ALTER TABLE "public"."data_imports"
  ADD CONSTRAINT "data_imports_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."data_imports"
  ADD CONSTRAINT "what_ended_has_an_end" CHECK (((state = ANY (ARRAY['fatto'::public.data_import_state, 'fallito'::public.data_import_state])) = (finished_at IS NOT NULL)));

CREATE UNIQUE INDEX data_imports_running ON public.data_imports USING btree (user_id)
  WHERE (state = ANY (ARRAY['in_attesa'::public.data_import_state, 'in_corso'::public.data_import_state]));

CREATE TRIGGER tell_import
  AFTER UPDATE OF state ON public.data_imports
  FOR EACH ROW
  WHEN (((old.finished_at IS NULL) AND (new.finished_at IS NOT NULL)))
  EXECUTE FUNCTION private.notify_import();

CREATE TRIGGER notify_inserted AFTER INSERT ON public.insights REFERENCING NEW TABLE AS changed FOR EACH STATEMENT WHEN (
  (current_setting('socio.restoring'::text, true) IS DISTINCT FROM 'on'::text)
) EXECUTE FUNCTION private.notify_insights();

CREATE TRIGGER refuse_files_of_nobody
  BEFORE INSERT OR UPDATE OF bucket_id, name ON storage.objects
  FOR EACH ROW
  WHEN ((new.bucket_id = ANY (ARRAY['avatars'::text, 'documents'::text, 'imports'::text])))
  EXECUTE FUNCTION private.refuse_files_of_nobody();

CREATE POLICY "owners read their imports" ON "public"."data_imports"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners add archives" ON "storage"."objects"
  FOR INSERT
  TO "authenticated"
  WITH CHECK (((bucket_id = 'imports'::text) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)));

CREATE POLICY "owners delete their archives" ON "storage"."objects"
  FOR DELETE
  TO "authenticated"
  USING (((bucket_id = 'imports'::text) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)));

CREATE POLICY "owners see their archives" ON "storage"."objects"
  FOR SELECT
  TO "authenticated"
  USING (((bucket_id = 'imports'::text) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)));

COMMENT ON FUNCTION "private"."begin_import"(uuid, text) IS 'The import of this archive, or the one under way; null when the account is used already, or frozen.';

COMMENT ON FUNCTION "private"."is_unused"(uuid) IS 'Whether an account has no work yet, not in the trash either, with which that of an archive could clash.';

COMMENT ON FUNCTION "private"."lock_unused"(uuid) IS 'Begins to restore, in the caller''s transaction: whether the account may still take an archive.';

COMMENT ON FUNCTION "private"."make_way"(uuid, text) IS 'Removes what an unused account has of a table, before an archive''s rows.';

COMMENT ON FUNCTION "private"."notify_import"() IS 'Tells how the import of an archive ended.';

COMMENT ON FUNCTION "private"."restore_rows"(uuid, text, jsonb) IS 'Writes rows of an archive as rows of this person, whoever they were of; those of one table have the same columns.';

COMMENT ON FUNCTION "private"."table_shapes"(text[]) IS 'Of each table: its columns with ids, those that point into the same table, and the tables that must be there first.';

COMMENT ON FUNCTION "public"."takes_archive"() IS 'Whether an archive can be brought into the caller''s account.';

COMMENT ON TABLE "public"."data_imports" IS 'Archives that a person had brought into this account.';

REVOKE ALL ON FUNCTION "private"."begin_import"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_import"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_unused"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_unused"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_unused"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."lock_unused"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."make_way"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."make_way"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."notify_import"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."restore_rows"(uuid, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."restore_rows"(uuid, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."table_shapes"(text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."table_shapes"(text[]) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."takes_archive"() TO "authenticated";

REVOKE ALL ON TABLE "public"."data_imports" FROM "authenticated";

GRANT SELECT ON TABLE "public"."data_imports" TO "authenticated";

REVOKE ALL ON TABLE "public"."data_imports" FROM "service_role";

GRANT SELECT, UPDATE ON TABLE "public"."data_imports" TO "service_role";

reset check_function_bodies;

-- An archive may be as large as the quota of an account lets it grow; only its owner and the service reach it.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('imports', 'imports', false, 5368709120, array['application/zip', 'application/x-zip-compressed'])
on conflict (id) do nothing;
