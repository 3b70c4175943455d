-- Plain comments of memories.
--   CREATE OR REPLACE FUNCTION private.refuse_memory
--   CREATE OR REPLACE FUNCTION private.similar_memory
--   CREATE OR REPLACE FUNCTION public.recall_memories
--   COMMENT ON FUNCTION private.propose_memory

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.refuse_memory (
  _user_id uuid,
  _body    text
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if private.unmemorable(_body) is not null then
    raise exception '%', private.unmemorable(_body) using errcode = 'SM001';
  end if;
  -- What fits into every conversation next to the question.
  if char_length(_body) + (
    select coalesce(sum(char_length(body)), 0) from public.memories
    where user_id = _user_id and state = 'attiva' and kind <> 'narrativa'
  ) > 8000 then
    raise exception 'the memory is full' using errcode = 'SM003';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.similar_memory (
  _user_id uuid,
  _body    text,
  _except  uuid DEFAULT NULL::uuid
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- From a similarity of 0.6 on it says the same.
  select id from public.memories
  where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta') and id is distinct from _except
    and extensions.similarity(private.search_text(body), private.search_text(_body)) >= 0.6
  order by extensions.similarity(private.search_text(body), private.search_text(_body)) desc, id limit 1
$function$;

CREATE OR REPLACE FUNCTION public.recall_memories (
  _question   text,
  _limit      integer DEFAULT 5,
  _contact_id uuid    DEFAULT NULL::uuid
)
  RETURNS TABLE (
    id           uuid,
    kind         public.memory_kind,
    contact_id   uuid,
    body         text,
    source_quote text,
    rank         real
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with mine as materialized (
    select memories.*, private.search_text(concat_ws(' ', contacts.name, memories.body)) as plain,
      to_tsvector('pg_catalog.simple', coalesce(contacts.name, '')) as names, count(*) over () as total
    from public.memories
    left join public.contacts on contacts.user_id = memories.user_id and contacts.id = memories.contact_id
    where memories.user_id = (select auth.uid()) and memories.state = 'attiva'
      and (expires_at is null or expires_at > now())
      and (_contact_id is null or memories.contact_id = _contact_id)
      and not exists (select from public.memory_settings where user_id = (select auth.uid()) and not is_active)
  ), asked as materialized (
    -- Words that carry meaning: those that the Italian dictionary does not stop.
    select distinct word, to_tsvector('pg_catalog.italian', word) as stems
    from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', left(_question, 1000)))) as word
    where to_tsvector('pg_catalog.italian', word) <> ''
  ), weighed as (
    select 'stem' as way, stem as lexeme, ln((max(total) + 1) / (count(*) + 0.5)) as weight
    from (select distinct unnest(tsvector_to_array(stems)) as stem from asked) as lexemes
    join mine on mine.stems @@ quote_literal(stem)::tsquery
    group by stem
    union all
    select 'word', word, ln((max(total) + 1) / (count(*) + 0.5))
    from asked join mine on (mine.words || names) @@ quote_literal(word)::tsquery
    group by word
  ), scored as (
    select mine.id, way, sum(weight)::real as score
    from mine join weighed
      on (way = 'stem' and mine.stems @@ quote_literal(lexeme)::tsquery)
      or (way = 'word' and (mine.words || names) @@ quote_literal(lexeme)::tsquery)
    group by mine.id, way
    union all
    select mine.id, 'trigram', sum(
        case when likeness >= 0.4 then likeness else 0 end
      )::real
    from mine cross join asked
    cross join lateral (select extensions.word_similarity(private.search_text(word), plain) as likeness) as compared
    group by mine.id
  ), fused as (
    -- Reciprocal rank fusion with k = 60.
    select scored.id, sum(1.0 / (60 + place))::real as rank
    from (select id, rank() over (partition by way order by score desc) as place from scored where score > 0) as scored
    group by scored.id
  )
  select mine.id, mine.kind, mine.contact_id, mine.body, mine.source_quote, fused.rank
  from fused join mine on mine.id = fused.id
  order by fused.rank desc, mine.importance desc, mine.updated_at desc, mine.id
  limit least(_limit, 50)
$function$;

COMMENT ON FUNCTION "private"."propose_memory"(uuid, text, public.memory_kind, public.memory_source, uuid, text, uuid, text) IS 'Propose a found fact to its user if it passes the checks; null if not.';

reset check_function_bodies;
