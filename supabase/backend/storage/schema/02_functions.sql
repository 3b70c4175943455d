-- What policies ask about a name and about the request.

create or replace function storage.foldername(name text) returns text[]
language sql immutable
as $$
  select (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1]
$$;
comment on function storage.foldername(text) is 'The folders of a path: {a,b} of a/b/c.pdf.';

create or replace function storage.filename(name text) returns text
language sql immutable
as $$
  select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]
$$;
comment on function storage.filename(text) is 'The last part of a path: c.pdf of a/b/c.pdf.';

create or replace function storage.extension(name text) returns text
language sql immutable
as $$
  select reverse(split_part(reverse(storage.filename(name)), '.', 1))
$$;
comment on function storage.extension(text) is 'What stands behind the last dot of the file name.';

create or replace function storage.operation() returns text
language sql stable
as $$
  select current_setting('storage.operation', true)
$$;
comment on function storage.operation() is 'What the request does, such as storage.object.upload.';

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable
as $$
  select storage.operation() in (expected_operation, 'storage.' || expected_operation)
$$;

create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable
as $$
  select storage.operation() = any (expected_operations)
    or replace(storage.operation(), 'storage.', '') = any (expected_operations)
$$;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable
as $$
  select sum((metadata ->> 'size')::bigint)::bigint, objects.bucket_id
    from storage.objects
   group by objects.bucket_id
$$;

create or replace function storage.update_updated_at_column() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at = now();
  return new;
end
$$;

create or replace function storage.protect_delete() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- A row deleted by hand would leave its file behind for ever: the API deletes both.
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using errcode = '42501',
            hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;

create or replace function storage.enforce_bucket_name_length() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$$;

create or replace function storage.name_owner() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.owner_id := coalesce(new.owner_id, new.owner::text);
  return new;
end
$$;
comment on function storage.name_owner() is
  'Rows that name their owner in the column of old only, as older clients and dumps do, count for that owner.';

create or replace trigger name_owner before insert or update of owner, owner_id on storage.objects
  for each row execute function storage.name_owner();
create or replace trigger name_owner before insert or update of owner, owner_id on storage.buckets
  for each row execute function storage.name_owner();
-- Naming the owner changes no content: the rows keep their time. The trigger is made again below.
drop trigger if exists update_objects_updated_at on storage.objects;
update storage.objects set owner_id = owner::text where owner_id is null and owner is not null;
update storage.buckets set owner_id = owner::text where owner_id is null and owner is not null;

create or replace trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();
create or replace trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
create or replace trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create or replace trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();
