-- Blobs that no row names any more: noted in the transaction that replaced or removed their object, whoever did it and
-- however; the service drops the blob and then the note, right after the commit or with the next sweep.

create or replace function storage.note_superfluous_blob() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if old.version is not null and (tg_op = 'DELETE' or new.version is distinct from old.version) then
    insert into storage.superfluous_blobs (version) values (old.version) on conflict do nothing;
  end if;
  return null;
end
$$;
revoke execute on function storage.note_superfluous_blob() from public;

create or replace trigger note_superfluous_blob after delete or update of version on storage.objects
  for each row execute function storage.note_superfluous_blob();
