-- Search of tasks.
--   CREATE OR REPLACE FUNCTION private.title_lexemes
--   CREATE OR REPLACE FUNCTION private.title_query
--   CREATE OR REPLACE FUNCTION public.search_tasks
--   REVOKE ALL ON FUNCTION public.search_tasks
--   CREATE INDEX tasks_changed ON public.tasks USING btree (user_id, updated_at DESC) WHERE (deleted_at IS NULL)
--   COMMENT ON FUNCTION private.title_lexemes
--   COMMENT ON FUNCTION private.title_query
--   COMMENT ON FUNCTION public.search_tasks
--   REVOKE ALL ON FUNCTION private.title_lexemes
--   GRANT EXECUTE ON FUNCTION private.title_lexemes
--   REVOKE ALL ON FUNCTION private.title_query
--   GRANT EXECUTE ON FUNCTION public.search_tasks
--   CREATE INDEX tasks_title ON public.tasks USING gin (private.title_lexemes(user_id, (title)::text)) WITH (fast…

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.title_lexemes (
  _user_id uuid,
  _title   text
)
  RETURNS tsvector
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The last two lexemes are shorter: with them each part of a title begins a lexeme.
  select array_to_tsvector(array(
    select private.search_key(_user_id) || '~' || substr(lowered, place, 3)
    from lower(_title) as lowered, generate_series(1, char_length(lowered)) as place
  ))
$function$;

CREATE OR REPLACE FUNCTION private.title_query (
  _user_id uuid,
  _typed   text
)
  RETURNS tsquery
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  select string_agg(format(
      '''%s~%s''%s', private.search_key(_user_id),
      replace(replace(substr(_typed, place, 3), '\', '\\'), '''', ''''''),
      case when char_length(_typed) < 3 then ':*' end
    ), ' & ')::tsquery
  from generate_series(1, greatest(char_length(_typed) - 2, 1)) as place
$function$;

CREATE OR REPLACE FUNCTION public.search_tasks (
  _text    text,
  _limit   integer DEFAULT 5,
  _is_done boolean DEFAULT NULL::boolean
)
  RETURNS TABLE (
    id    uuid,
    title text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with asked as materialized (
    select typed, private.title_query(user_id, typed) as query, least(greatest(_limit, 0), 200) as most
    from (select (select auth.uid()) as user_id, lower(left(_text, 200)) as typed) as given
    where typed <> ''
  ), latest as materialized (
    -- A frequent text is found among these. All tasks that contain it may be thousands.
    select tasks.id, tasks.title, tasks.state, tasks.updated_at from public.tasks
    where user_id = (select auth.uid()) and deleted_at is null
    order by updated_at desc limit 500
  ), near as materialized (
    select latest.id, latest.title, latest.updated_at from latest, asked
    where strpos(lower(latest.title), typed) > 0 and (_is_done is null or (state = 'fatto') = _is_done)
    order by latest.updated_at desc limit (select most from asked)
  ), everywhere as (
    select tasks.id, tasks.title, tasks.updated_at from public.tasks
    where (select count(*) from near) < (select most from asked)
      and user_id = (select auth.uid()) and deleted_at is null
      and private.title_lexemes(user_id, tasks.title) @@ (select query from asked)
      and strpos(lower(tasks.title), (select typed from asked)) > 0
      and (_is_done is null or (state = 'fatto') = _is_done)
    order by updated_at desc limit (select most from asked)
  ), found as (
    select * from near where (select count(*) from near) = (select most from asked)
    union all
    select * from everywhere
  )
  select found.id, found.title::text from found order by found.updated_at desc, found.id
$function$;

REVOKE ALL ON FUNCTION "public"."search_tasks"(text, integer, boolean) FROM PUBLIC, "anon", "service_role";

CREATE INDEX tasks_changed ON public.tasks USING btree (user_id, updated_at DESC)
  WHERE (deleted_at IS NULL);

COMMENT ON FUNCTION "private"."title_lexemes"(uuid, text) IS 'Every three letters of a title, marked with its owner: the index of all titles costs each owner what their own would.';

COMMENT ON FUNCTION "private"."title_query"(uuid, text) IS 'What the lexemes of a title (title_lexemes) fulfil if this text in small letters is part of it.';

COMMENT ON FUNCTION "public"."search_tasks"(text, integer, boolean) IS 'The caller''s tasks whose title contains the text, in capitals or not, changed last first; done or open ones alone if wanted.';

REVOKE ALL ON FUNCTION "private"."title_lexemes"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."title_lexemes"(uuid, text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."title_query"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."search_tasks"(text, integer, boolean) TO "authenticated";

CREATE INDEX tasks_title ON public.tasks USING gin (private.title_lexemes(user_id, (title)::text))
  WITH (fastupdate=off)
  WHERE (deleted_at IS NULL);

reset check_function_bodies;
