-- Business logo.
--   ALTER TABLE public.profiles ADD COLUMN logo_url text
--   ALTER TABLE public.profiles ADD CONSTRAINT logo_url_is_an_address CHECK (((logo_url ~ '^/[^/]'::text) AND (lo…
--   REVOKE ALL (logo_url) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (logo_url) ON TABLE public.profiles TO authenticated

ALTER TABLE "public"."profiles"
  ADD COLUMN "logo_url" text;

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "logo_url_is_an_address" CHECK (((logo_url ~ '^/[^/]'::text) AND (logo_url !~ '[[:cntrl:][:space:]"''<>\\]'::text) AND (char_length(logo_url) <= 1000)));

REVOKE ALL ("logo_url") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("logo_url") ON TABLE "public"."profiles" TO "authenticated";
