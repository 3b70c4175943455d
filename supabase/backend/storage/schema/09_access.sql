-- Who may touch what: the API roles have the table rights, policies (the product's) decide about rows.

grant usage on schema storage to anon, authenticated, service_role;
grant all on schema storage to supabase_storage_admin;

do $$
declare
  relation record;
  routine record;
begin
  if not pg_has_role(current_user, 'supabase_storage_admin', 'usage') then
    execute format('grant supabase_storage_admin to %I', current_user);
  end if;
  for relation in
    select c.oid::regclass as name, pg_get_userbyid(c.relowner) as owner
      from pg_class c
     where c.relnamespace = 'storage'::regnamespace and c.relkind = 'r'
  loop
    if relation.owner <> 'supabase_storage_admin' then
      execute format('alter table %s owner to supabase_storage_admin', relation.name);
    end if;
    execute format('revoke all on table %s from public, anon, authenticated', relation.name);
    execute format('grant all on table %s to service_role', relation.name);
  end loop;
  for routine in
    select oid::regprocedure as name, pg_get_userbyid(proowner) as owner
      from pg_proc
     where pronamespace = 'storage'::regnamespace
  loop
    if routine.owner <> 'supabase_storage_admin' then
      execute format('alter function %s owner to supabase_storage_admin', routine.name);
    end if;
  end loop;
end
$$;

grant select, insert, update, delete on storage.buckets, storage.objects to anon, authenticated;
