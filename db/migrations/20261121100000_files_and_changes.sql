-- Files and changes: the buckets of the product and who reaches what in them; the tables whose changes are published.
--
-- A person's files lie in a folder named after their id. Runs on hosted Supabase too, where storage and the publication
-- are there already and belong to others.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  -- What the documents page takes: PDF, images, invoices (XML, signed P7M, ZIP), mails, text documents.
  ('documents', 'documents', false, 50 * 1024 * 1024, array[
    'application/pdf',
    'image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff', 'image/heic', 'image/heif',
    'application/xml', 'text/xml', 'application/pkcs7-mime', 'application/zip',
    'message/rfc822', 'text/plain',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  ]),
  -- Not public: a face is personal data, and a public address can never be taken back. The client cuts and re-encodes
  -- the picture before it leaves the device, so little is needed.
  ('avatars', 'avatars', false, 2 * 1024 * 1024, array['image/webp', 'image/jpeg', 'image/png'])
on conflict (id) do update
  set public = excluded.public,
      file_size_limit = excluded.file_size_limit,
      allowed_mime_types = excluded.allowed_mime_types;

-- Moving a file is an update: both its old and its new folder must be the caller's.
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

-- A deleted row is known by its replica identity only: with the owner in it, the owner alone is told. An index of two
-- columns instead of `full`, which would write each changed message to the log once more.
create unique index notifications_identity on public.notifications (user_id, id);
alter table public.notifications replica identity using index notifications_identity;

-- What the browser is told about instead of asking. A database without logical replication has the publication as well:
-- it names the tables, whatever the way their changes travel.
do $$
declare
  published regclass;
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  foreach published in array array['public.notifications', 'public.credit_wallets', 'public.job_progress']::regclass[]
  loop
    if not exists (
      select from pg_publication_rel
        join pg_publication on pg_publication.oid = prpubid
       where pubname = 'supabase_realtime' and prrelid = published
    ) then
      execute format('alter publication supabase_realtime add table %s', published);
    end if;
  end loop;
exception
  when insufficient_privilege then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;
