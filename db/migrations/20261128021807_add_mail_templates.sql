-- Add mail templates.
--   CREATE TABLE public.mail_templates ( id uuid NOT NULL DEFAULT gen_random_uuid(), name public.single_line NOT …
--   ALTER TABLE public.mail_templates ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_templates FROM anon
--   CREATE OR REPLACE FUNCTION private.limit_mail_templates
--   CREATE TRIGGER limit_mail_templates BEFORE INSERT ON public.mail_templates FOR EACH ROW EXECUTE FUNCTION priv…
--   CREATE TRIGGER set_updated_at BEFORE UPDATE ON public.mail_templates FOR EACH ROW EXECUTE FUNCTION private.se…
--   COMMENT ON COLUMN public.mail_templates.subject IS 'Null where a mail keeps the subject that it has.'
--   COMMENT ON FUNCTION private.limit_mail_templates
--   COMMENT ON TABLE public.mail_templates IS 'Texts that a person begins mails with.'
--   REVOKE ALL ON FUNCTION private.limit_mail_templates
--   REVOKE ALL ON TABLE public.mail_templates FROM authenticated
--   REVOKE ALL (body) ON TABLE public.mail_templates FROM authenticated
--   GRANT INSERT (body), UPDATE (body) ON TABLE public.mail_templates TO authenticated
--   REVOKE ALL (id) ON TABLE public.mail_templates FROM authenticated
--   GRANT INSERT (id) ON TABLE public.mail_templates TO authenticated
--   REVOKE ALL (name) ON TABLE public.mail_templates FROM authenticated
--   GRANT INSERT (name), UPDATE (name) ON TABLE public.mail_templates TO authenticated
--   REVOKE ALL (subject) ON TABLE public.mail_templates FROM authenticated
--   GRANT INSERT (subject), UPDATE (subject) ON TABLE public.mail_templates TO authenticated
--   GRANT DELETE, SELECT ON TABLE public.mail_templates TO authenticated
--   REVOKE ALL ON TABLE public.mail_templates FROM service_role
--   GRANT SELECT ON TABLE public.mail_templates TO service_role
--   ALTER TABLE public.mail_templates ADD CONSTRAINT mail_templates_user_id_fkey FOREIGN KEY (user_id) REFERENCES…
--   CREATE UNIQUE INDEX mail_templates_name ON public.mail_templates USING btree (user_id, lower((name)::text))
--   CREATE POLICY owners add mail templates ON public.mail_templates FOR INSERT TO authenticated WITH CHECK ((use…
--   CREATE POLICY owners change their mail templates ON public.mail_templates FOR UPDATE TO authenticated USING (…
--   CREATE POLICY owners delete their mail templates ON public.mail_templates FOR DELETE TO authenticated USING (…
--   CREATE POLICY owners read their mail templates ON public.mail_templates FOR SELECT TO authenticated USING ((u…
--   REVOKE ALL (user_id) ON TABLE public.mail_templates FROM authenticated
--   GRANT INSERT (user_id) ON TABLE public.mail_templates TO authenticated

set check_function_bodies = off;

CREATE TABLE "public"."mail_templates" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "name"       public.single_line       NOT NULL,
  "subject"    public.single_line,
  "body"       text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "body_fits" CHECK (((body ~ '[^[:space:]]'::text) AND (char_length(body) <= 20000))),
  CONSTRAINT "mail_templates_pkey" PRIMARY KEY (id),
  CONSTRAINT "name_fits" CHECK (((char_length((name)::text) <= 80) AND ((name)::text = btrim((name)::text)))),
  "user_id"    uuid                     NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."mail_templates"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_templates" FROM "anon";

CREATE OR REPLACE FUNCTION private.limit_mail_templates()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (select count(*) from public.mail_templates where user_id = new.user_id) >= 100 then
    raise exception 'no more templates fit' using errcode = 'SM013';
  end if;
  return new;
end
$function$;

CREATE TRIGGER limit_mail_templates
  BEFORE INSERT ON public.mail_templates
  FOR EACH ROW
  EXECUTE FUNCTION private.limit_mail_templates();

CREATE TRIGGER set_updated_at
  BEFORE UPDATE ON public.mail_templates
  FOR EACH ROW
  EXECUTE FUNCTION private.set_updated_at();

COMMENT ON COLUMN "public"."mail_templates"."subject" IS 'Null where a mail keeps the subject that it has.';

COMMENT ON FUNCTION "private"."limit_mail_templates"() IS 'Refuses a template when its owner has 100 of them.';

COMMENT ON TABLE "public"."mail_templates" IS 'Texts that a person begins mails with.';

REVOKE ALL ON FUNCTION "private"."limit_mail_templates"() FROM PUBLIC;

REVOKE ALL ON TABLE "public"."mail_templates" FROM "authenticated";

REVOKE ALL ("body") ON TABLE "public"."mail_templates" FROM "authenticated";

GRANT INSERT ("body"), UPDATE ("body") ON TABLE "public"."mail_templates" TO "authenticated";

REVOKE ALL ("id") ON TABLE "public"."mail_templates" FROM "authenticated";

GRANT INSERT ("id") ON TABLE "public"."mail_templates" TO "authenticated";

REVOKE ALL ("name") ON TABLE "public"."mail_templates" FROM "authenticated";

GRANT INSERT ("name"), UPDATE ("name") ON TABLE "public"."mail_templates" TO "authenticated";

REVOKE ALL ("subject") ON TABLE "public"."mail_templates" FROM "authenticated";

GRANT INSERT ("subject"), UPDATE ("subject") ON TABLE "public"."mail_templates" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."mail_templates" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_templates" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_templates" TO "service_role";

ALTER TABLE "public"."mail_templates"
  ADD CONSTRAINT "mail_templates_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE UNIQUE INDEX mail_templates_name ON public.mail_templates USING btree (user_id, lower((name)::text));

CREATE POLICY "owners add mail templates" ON "public"."mail_templates"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners change their mail templates" ON "public"."mail_templates"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners delete their mail templates" ON "public"."mail_templates"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their mail templates" ON "public"."mail_templates"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."mail_templates" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."mail_templates" TO "authenticated";

reset check_function_bodies;
