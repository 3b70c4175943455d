-- Contact named in a text.
--   CREATE OR REPLACE FUNCTION public.contact_named_in
--   REVOKE ALL ON FUNCTION public.contact_named_in
--   COMMENT ON FUNCTION public.contact_named_in
--   GRANT EXECUTE ON FUNCTION public.contact_named_in

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.contact_named_in (
  _text text
)
  RETURNS TABLE (
    id   uuid,
    name text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with typed as materialized (
    select (select auth.uid()) as user_id, format(' %s ', private.words(left(_text, 200))) as line, (
        select string_agg(format('''%s=%s''', private.search_key((select auth.uid())), word), ' | ')::tsquery
        from unnest(string_to_array(private.words(left(_text, 200)), ' ')) as word where word <> ''
      ) as query
  ), candidates as materialized (
    select contacts.id, contacts.name, format(' %s ', called) as called, case
        when called ~ '^\S+ \S+$' then format(' %s %s ', split_part(called, ' ', 2), split_part(called, ' ', 1))
      end as inverted
    from typed
    cross join lateral (
      select contact_id from private.contact_search
      where document @@ query and contact_search.user_id = typed.user_id limit 2000
    ) as found
    join public.contacts on contacts.user_id = typed.user_id and contacts.id = contact_id
    cross join lateral (
      select regexp_replace(private.words(contacts.name), ' (srl|srls|spa|snc|sas|sapa|scarl)$', '') as called
    ) as bare
  ), named as (
    select candidates.* from candidates, typed
    where (strpos(line, called) > 0 or strpos(line, inverted) > 0) and (
      called ~ '\S \S'
      -- One word is a name where it is written as one, and where no other contact has it.
      or exists (
        select from regexp_split_to_table(_text, '\s+') with ordinality as written (word, place)
        where place > 1 and word ~ '^[[:upper:]]' and format(' %s ', private.words(word)) = called
      ) and not exists (
        select from candidates as other where other.id <> candidates.id and strpos(other.called, candidates.called) > 0
      )
    )
  )
  select min(named.id::text)::uuid, min(named.name) from named
  where not exists (
    select from named as longer where strpos(longer.called, named.called) > 0 and longer.called <> named.called
  )
  having count(*) = 1
$function$;

REVOKE ALL ON FUNCTION "public"."contact_named_in"(text) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "public"."contact_named_in"(text) IS 'The one contact of the caller whose name is in a text, without company form, in either order; no row for none or several.';

GRANT EXECUTE ON FUNCTION "public"."contact_named_in"(text) TO "authenticated";

reset check_function_bodies;
