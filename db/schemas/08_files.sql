-- Files: who may reach which folder of the storage buckets.
--
-- Of the bucket exports nobody reads anything by right: an archive of a person's data (60_data_exports.sql) is opened by a
-- signed address, which functions/data_export.py gives after a fresh sign-in.
--
-- A user's files are in a folder named after the user's id. Files are deleted with their account, and the folder of a
-- deleted account accepts no new files: neither through a link signed before nor from an upload that was under way.
--
-- Deleting the rows ends every signed link at once; storage then deletes the files without a row.

create function private.remove_files()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- What storage says when it deletes rows of its own.
  perform set_config('storage.allow_delete_query', 'true', true);
  -- All that begins with the folder's name: names are sorted by byte, and «0» follows «/».
  delete from storage.objects
  where bucket_id in ('avatars', 'documents', 'exports', 'imports') and name >= old.user_id || '/' and name < old.user_id || '0';
  return null;
end
$$;
comment on function private.remove_files() is 'The files of an account go with it.';
revoke all on function private.remove_files from public, anon, authenticated, service_role;

create function private.refuse_files_of_nobody()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _folder text := split_part(new.name, '/', 1);
begin
  if _folder ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
    -- Who is being deleted is waited for; and who is there stays until this file is, and takes it along.
    perform from public.profiles where user_id = _folder::uuid for key share;
    if found then
      return new;
    end if;
  end if;
  raise insufficient_privilege using message = 'the folder belongs to nobody';
end
$$;
comment on function private.refuse_files_of_nobody() is
  'Files of the buckets that hold personal data lie in the folder of an account that is there.';
revoke all on function private.refuse_files_of_nobody from public, anon, authenticated, service_role;

-- Moving a file is an update, so both its old and its new folder must be the caller's.
create policy "owners see their files" on storage.objects
  for select to authenticated
  using (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners add files" on storage.objects
  for insert to authenticated
  with check (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners change their files" on storage.objects
  for update to authenticated
  using (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners delete their files" on storage.objects
  for delete to authenticated
  using (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create trigger remove_files after delete on public.profiles for each row execute function private.remove_files();

create trigger refuse_files_of_nobody before insert or update of bucket_id, name on storage.objects
  for each row when (new.bucket_id in ('avatars', 'documents', 'exports', 'imports')) execute function private.refuse_files_of_nobody();
