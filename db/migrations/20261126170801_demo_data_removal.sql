-- Demo data removal.
--   CREATE OR REPLACE FUNCTION private.keep_used_demo

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.keep_used_demo (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _reference record;
  _found boolean;
  _any boolean := false;
begin
  -- Arrays, which are hashed: what was just written has no statistics, and joins would compare each row with each.
  for _reference in
    select holder.relname as held_by, held.attname as held_in, target.relname as used
    from pg_catalog.pg_constraint
    join pg_catalog.pg_class as holder on holder.oid = conrelid and holder.relnamespace = 'public'::regnamespace
    join pg_catalog.pg_class as target on target.oid = confrelid
    join pg_catalog.pg_attribute as held on held.attrelid = conrelid and held.attnum = conkey[array_length(conkey, 1)]
    where contype = 'f' and target.relname in ('contacts', 'deals', 'projects', 'tasks')
      and target.relnamespace = 'public'::regnamespace
      -- Parts of the row itself, which go with it.
      and holder.relname not in (
        'contact_emails', 'contact_phones', 'contact_tags', 'contact_distinct', 'merge_log', 'deal_stage_log', 'task_events'
      )
  loop
    execute format(
      'with used as (
         delete from private.demo_rows where user_id = $1 and held_by = %1$L and row_id = any (array(
           select %2$I from public.%3$I
           where user_id = $1 and %2$I is not null and id <> all (array(
             select row_id from private.demo_rows where user_id = $1 and held_by = %3$L
           ))
         ))
         returning row_id
       ), kept as (update public.%1$I set origin = ''manuale'' where user_id = $1 and id in (select row_id from used))
       select exists (select from used)',
      _reference.used, _reference.held_in, _reference.held_by
    ) into _found using _user_id;
    _any := _any or _found;
  end loop;
  return _any;
end
$function$;

reset check_function_bodies;
