-- Document file names.
--   ALTER TABLE public.documents ADD COLUMN filename_by_user boolean NOT NULL DEFAULT false
--   COMMENT ON COLUMN public.documents.filename_by_user IS 'Chosen by its owner: no name is made of its kind and …
--   REVOKE ALL (filename_by_user) ON TABLE public.documents FROM authenticated
--   GRANT UPDATE (filename_by_user) ON TABLE public.documents TO authenticated

ALTER TABLE "public"."documents"
  ADD COLUMN "filename_by_user" boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN "public"."documents"."filename_by_user" IS 'Chosen by its owner: no name is made of its kind and number.';

REVOKE ALL ("filename_by_user") ON TABLE "public"."documents" FROM "authenticated";

GRANT UPDATE ("filename_by_user") ON TABLE "public"."documents" TO "authenticated";
