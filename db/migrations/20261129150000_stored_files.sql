-- The folder of an account that is gone takes no files any more: neither those of an address that was signed before,
-- nor what was on its way.

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

create trigger refuse_files_of_nobody before insert or update of bucket_id, name on storage.objects
  for each row when (new.bucket_id in ('avatars', 'documents')) execute function private.refuse_files_of_nobody();

revoke all on function private.refuse_files_of_nobody() from public, anon, authenticated, service_role;
