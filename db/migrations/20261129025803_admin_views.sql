-- Admin views.
--   CREATE TABLE public.admin_views ( id uuid NOT NULL DEFAULT gen_random_uuid(), name public.single_line NOT NUL…
--   ALTER TABLE public.admin_views ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.admin_views FROM anon
--   CREATE OR REPLACE FUNCTION private.limit_admin_views
--   CREATE TRIGGER limit_admin_views BEFORE INSERT ON public.admin_views FOR EACH ROW EXECUTE FUNCTION private.li…
--   COMMENT ON FUNCTION private.limit_admin_views
--   COMMENT ON TABLE public.admin_views IS 'Views of the admin screens that a person saved under a name.'
--   REVOKE ALL ON FUNCTION private.limit_admin_views
--   REVOKE ALL ON TABLE public.admin_views FROM authenticated
--   REVOKE ALL (id) ON TABLE public.admin_views FROM authenticated
--   GRANT INSERT (id) ON TABLE public.admin_views TO authenticated
--   REVOKE ALL (name) ON TABLE public.admin_views FROM authenticated
--   GRANT INSERT (name), UPDATE (name) ON TABLE public.admin_views TO authenticated
--   REVOKE ALL (query) ON TABLE public.admin_views FROM authenticated
--   GRANT INSERT (query), UPDATE (query) ON TABLE public.admin_views TO authenticated
--   REVOKE ALL (screen) ON TABLE public.admin_views FROM authenticated
--   GRANT INSERT (screen), UPDATE (screen) ON TABLE public.admin_views TO authenticated
--   GRANT DELETE, SELECT ON TABLE public.admin_views TO authenticated
--   REVOKE ALL ON TABLE public.admin_views FROM service_role
--   GRANT SELECT ON TABLE public.admin_views TO service_role
--   ALTER TABLE public.admin_views ADD CONSTRAINT admin_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.…
--   CREATE UNIQUE INDEX admin_views_name ON public.admin_views USING btree (user_id, lower((name)::text))
--   CREATE POLICY owners add admin views ON public.admin_views FOR INSERT TO authenticated WITH CHECK ((user_id =…
--   CREATE POLICY owners change their admin views ON public.admin_views FOR UPDATE TO authenticated USING ((user_…
--   CREATE POLICY owners delete their admin views ON public.admin_views FOR DELETE TO authenticated USING ((user_…
--   CREATE POLICY owners read their admin views ON public.admin_views FOR SELECT TO authenticated USING ((user_id…
--   REVOKE ALL (user_id) ON TABLE public.admin_views FROM authenticated
--   GRANT INSERT (user_id) ON TABLE public.admin_views TO authenticated

set check_function_bodies = off;

CREATE TABLE "public"."admin_views" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "name"       public.single_line       NOT NULL,
  "screen"     text                     NOT NULL,
  "query"      text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "admin_views_pkey" PRIMARY KEY (id),
  CONSTRAINT "name_fits" CHECK (((char_length((name)::text) <= 60) AND ((name)::text = btrim((name)::text)))),
  CONSTRAINT "query_fits" CHECK (((char_length(query) >= 1) AND (char_length(query) <= 500))),
  CONSTRAINT "screen_is_for_admins" CHECK ((screen ~ '^/admin(/[a-z-]{1,40})?$'::text)),
  "user_id"    uuid                     NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."admin_views"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."admin_views" FROM "anon";

CREATE OR REPLACE FUNCTION private.limit_admin_views()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (select count(*) from public.admin_views where user_id = new.user_id) >= 50 then
    raise exception 'no more views fit' using errcode = 'SM020';
  end if;
  return new;
end
$function$;

CREATE TRIGGER limit_admin_views
  BEFORE INSERT ON public.admin_views
  FOR EACH ROW
  EXECUTE FUNCTION private.limit_admin_views();

COMMENT ON FUNCTION "private"."limit_admin_views"() IS 'Refuses a view when its owner has 50 of them.';

COMMENT ON TABLE "public"."admin_views" IS 'Views of the admin screens that a person saved under a name.';

REVOKE ALL ON FUNCTION "private"."limit_admin_views"() FROM PUBLIC;

REVOKE ALL ON TABLE "public"."admin_views" FROM "authenticated";

REVOKE ALL ("id") ON TABLE "public"."admin_views" FROM "authenticated";

GRANT INSERT ("id") ON TABLE "public"."admin_views" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."admin_views" FROM "authenticated";

GRANT INSERT ("name"), UPDATE ("name") ON TABLE "public"."admin_views" TO "authenticated";

REVOKE ALL ("query") ON TABLE "public"."admin_views" FROM "authenticated";

GRANT INSERT ("query"), UPDATE ("query") ON TABLE "public"."admin_views" TO "authenticated";

REVOKE ALL ("screen") ON TABLE "public"."admin_views" FROM "authenticated";

GRANT INSERT ("screen"), UPDATE ("screen") ON TABLE "public"."admin_views" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."admin_views" TO "authenticated";

REVOKE ALL ON TABLE "public"."admin_views" FROM "service_role";

GRANT SELECT ON TABLE "public"."admin_views" TO "service_role";

ALTER TABLE "public"."admin_views"
  ADD CONSTRAINT "admin_views_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE UNIQUE INDEX admin_views_name ON public.admin_views USING btree (user_id, lower((name)::text));

CREATE POLICY "owners add admin views" ON "public"."admin_views"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners change their admin views" ON "public"."admin_views"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners delete their admin views" ON "public"."admin_views"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their admin views" ON "public"."admin_views"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."admin_views" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."admin_views" TO "authenticated";

reset check_function_bodies;
