-- Archives and their owner.
--   DROP TRIGGER refuse_files_of_nobody ON storage.objects
--   CREATE OR REPLACE FUNCTION private.remove_files
--   CREATE TRIGGER refuse_files_of_nobody BEFORE INSERT OR UPDATE OF bucket_id, name ON storage.objects FOR EACH …

set check_function_bodies = off;

DROP TRIGGER "refuse_files_of_nobody" ON "storage"."objects";

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
  where bucket_id in ('avatars', 'documents', 'exports', 'imports') and name >= old.user_id || '/' and name < old.user_id || '0';
  return null;
end
$function$;

CREATE TRIGGER refuse_files_of_nobody
  BEFORE INSERT OR UPDATE OF bucket_id, name ON storage.objects
  FOR EACH ROW
  WHEN ((new.bucket_id = ANY (ARRAY['avatars'::text, 'documents'::text, 'exports'::text, 'imports'::text])))
  EXECUTE FUNCTION private.refuse_files_of_nobody();

reset check_function_bodies;
