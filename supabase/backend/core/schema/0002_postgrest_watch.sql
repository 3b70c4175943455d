-- PostgREST reloads its schema cache after each change, whoever makes it (psql, the CLI, our runner):
-- https://docs.postgrest.org/en/v12/references/schema_cache.html#automatic-schema-cache-reloading.
-- Event triggers need a superuser; hosted Supabase brings its own.
do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user)
    or exists (select from pg_event_trigger where evtname = 'pgrst_ddl_watch')
  then
    return;
  end if;

  create function extensions.pgrst_ddl_watch() returns event_trigger
  language plpgsql
  set search_path = ''
  as $watch$
  declare
    command record;
  begin
    for command in select * from pg_event_trigger_ddl_commands()
    loop
      if command.schema_name is distinct from 'pg_temp' then
        notify pgrst, 'reload schema';
        return;
      end if;
    end loop;
  end
  $watch$;

  create function extensions.pgrst_drop_watch() returns event_trigger
  language plpgsql
  set search_path = ''
  as $watch$
  declare
    dropped record;
  begin
    for dropped in select * from pg_event_trigger_dropped_objects()
    loop
      if not dropped.is_temporary then
        notify pgrst, 'reload schema';
        return;
      end if;
    end loop;
  end
  $watch$;

  create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
  create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
end
$$;
