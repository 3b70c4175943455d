-- Unpacked bytes.
--   ALTER TABLE public.documents ADD COLUMN unpacked_bytes bigint NOT NULL DEFAULT 0
--   COMMENT ON COLUMN public.documents.unpacked_bytes IS 'Length of the files packed in it, counted before they a…

ALTER TABLE "public"."documents"
  ADD COLUMN "unpacked_bytes" bigint NOT NULL DEFAULT 0;

COMMENT ON COLUMN "public"."documents"."unpacked_bytes" IS 'Length of the files packed in it, counted before they are stored; those inside of them count in their own row.';

-- Files unpacked before counted for nobody.
update storage.objects set owner_id = split_part(name, '/', 1)
where bucket_id = 'documents' and owner_id is null and name ~ '^[0-9a-f-]{36}/.*/=n[0-9]+[^/]*$';
