-- Passages end at sentences.
--   DROP FUNCTION private.best_passage
--   CREATE OR REPLACE FUNCTION private.best_passage
--   CREATE OR REPLACE FUNCTION private.passage_ends
--   CREATE OR REPLACE FUNCTION public.ask_documents
--   COMMENT ON FUNCTION private.best_passage
--   COMMENT ON FUNCTION private.passage_ends
--   REVOKE ALL ON FUNCTION private.best_passage
--   REVOKE ALL ON FUNCTION private.passage_ends

set check_function_bodies = off;

DROP FUNCTION "private"."best_passage"(text, integer[], private.document_term[]);

CREATE OR REPLACE FUNCTION private.best_passage (
  _line   text,
  _starts integer[],
  _ends   integer[],
  _terms  private.document_term[]
)
  RETURNS TABLE (
    quote     text,
    word_from integer,
    word_to   integer,
    score     real
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with hits as materialized (
    select term, weight, first, last
    from (
      select term, max(weight * factor) as weight, private.words_pattern(array_agg(word)) as pattern
      from unnest(_terms) group by term
    ) as asked, private.places(_line, pattern)
  ), windows as (
    -- From each hit on, what else stands within two hundred characters: each word counts once.
    select hits.first, max(near.last) as last, sum(near.weight) as score
    from hits, lateral (
      select distinct on (term) term, weight, last from hits as other
      where other.first between hits.first and hits.first + 200 order by term, other.first
    ) as near
    group by hits.first
  ), densest as (
    select first, last, score from windows order by score desc, last - first, first limit 1
  ), sentence as (
    select first, last, score, begins,
      -- Twenty-five characters or fewer may be a label, whose value is on the next line.
      coalesce((
        select min(place) from unnest(_ends) as place where place >= greatest(last, begins + 25)
      ), char_length(rtrim(_line))) as ends
    from densest, lateral (
      select coalesce(max(place) + 2, 1) as begins from unnest(_ends) as place where place < first
    ) as before
  ), cut as (
    -- A sentence that is longer than 460 characters is cut around what was found.
    select *, case when ends - begins < 460 then begins else greatest(begins, first - 120) end as cut_begins from sentence
  ), words as (
    select *, width_bucket(cut_begins, _starts) as place_from,
      width_bucket(case when ends - begins < 460 then ends else least(ends, greatest(last, cut_begins + 459)) end, _starts)
        as place_to
    from cut
  )
  select concat(
      case when _starts[place_from] > begins then '…' end,
      btrim(substr(
        _line, _starts[place_from], coalesce(_starts[place_to + 1], char_length(_line) + 1) - _starts[place_from]
      )),
      case when _starts[place_to + 1] <= ends then '…' end
    ), place_from - 1, place_to - 1, score::real
  from words
$function$;

CREATE OR REPLACE FUNCTION private.passage_ends (
  _words  jsonb,
  _line   text,
  _starts integer[]
)
  RETURNS integer[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with listed as (
    select start, place, (box ->> 1)::integer as x0, (box ->> 2)::integer as y0, (box ->> 3)::integer as x1,
      (box ->> 4)::integer as y1, btrim(substr(
        _line, start, coalesce(lead(start) over (order by place), char_length(_line) + 1) - start
      )) as word
    from unnest(_starts) with ordinality as given (start, place)
    left join jsonb_array_elements(_words) with ordinality as boxes (box, box_place) on box_place = place
  ), pairs as (
    select *, max(x1) over () as edge, lead(word) over by_place as next_word, lead(x0) over by_place as next_x0,
      lead(y0) over by_place as next_y0, lead(x1) over by_place as next_x1, lead(y1) over by_place as next_y1
    from listed window by_place as (order by place)
  )
  select array_agg(start + char_length(word) - 1 order by place)
  from pairs
  where next_word !~ '^[[:lower:]]' and (
    -- An abbreviation, an initial or S.r.l. does not end a sentence.
    word ~ '[.!?;…]["»”’)]*$'
    and word !~* '\m(art|artt|sig|sigg|dott|dr|ing|avv|geom|rag|arch|prof|spett|egr|nr|tel|cod|pag|[[:alpha:]])\.$'
    -- A new column, a blank line, or a line that ends although the next word fits: a form, a list, a paragraph. A line
    -- that ends with an amount is a row of a table.
    or next_y1 <= y0
    or (next_y0 > (y0 + y1) / 2 or next_x0 < x0) and (
      next_y0 - y1 > y1 - y0 or x1 + next_x1 - next_x0 + 100 <= edge or word ~ '([0-9],[0-9]{2}|€)$'
    )
  )
$function$;

CREATE OR REPLACE FUNCTION public.ask_documents (
  _question    text,
  _document_id uuid    DEFAULT NULL::uuid,
  _limit       integer DEFAULT 5
)
  RETURNS TABLE (
    document_id uuid,
    filename    text,
    page        integer,
    quote       text,
    word_from   integer,
    word_to     integer,
    rank        real
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  -- What questions are made of says nothing of what they ask for.
  _asked text := regexp_replace(private.words(left(_question, 400)), concat(
    '\m(quando|cosa|qual|quali|devo|deve|devono|dobbiamo|posso|puo|possiamo|vorrei|voglio|dimmi|mostra|mostrami|trova|',
    'trovami|sai|sapere|esiste|ce|va|vanno|ho|fare|fatto|documento|documenti)\M'
  ), ' ', 'g');
  _terms private.document_term[];
  _filter constant jsonb := jsonb_strip_nulls(jsonb_build_object('document_id', _document_id));
  _whole real;
begin
  if _question ~ '[0-9]' then
    -- Codes are read as they were typed.
    _asked := _question;
  end if;
  _terms := array(select fit from private.document_terms(_user_id, _asked) as fit);
  -- A word that no page holds was asked for as well, and is as rare as can be.
  select sum(weight) + (cardinality(array(select private.query_words(_asked))) - count(*)) * ln(1 + coalesce((
      select pages from private.document_words where user_id = _user_id and word = ''
    ), 0))
  into _whole
  from (select term, max(weight) as weight from unnest(_terms) group by term) as asked;
  if _user_id is null or _whole is null then
    return;
  end if;
  return query
    with ranked as materialized (
      select * from private.ranked_pages(_user_id, _terms, private.few_documents(_user_id, _filter), 300)
    )
    select documents.id, documents.filename::text, best.no, passage.quote, passage.word_from, passage.word_to, passage.score
    from (
      select document_pages.*
      from ranked join public.document_pages on document_pages.document_id = ranked.document_id and no = ranked.page
      where ranked.document_id in (
        select private.fitting_documents(_user_id, _filter, array(select distinct ranked.document_id from ranked))
      )
      order by ranked.score desc, document_pages.document_id, no limit 20
    ) as best
    join public.documents on documents.user_id = _user_id and documents.id = best.document_id
    cross join lateral private.page_line(best.words, best.text) as on_page
    cross join lateral private.best_passage(
      on_page.line, on_page.starts, private.passage_ends(best.words, on_page.line, on_page.starts), _terms
    ) as passage
    where passage.score >= _whole / 5
    order by passage.score desc, documents.created_at desc, best.no limit least(greatest(_limit, 0), 20);
end
$function$;

COMMENT ON FUNCTION "private"."best_passage"(text, integer[], integer[], private.document_term[]) IS 'The one or few sentences of a page in which most of what was asked stands closest together, and their words from 0.';

COMMENT ON FUNCTION "private"."passage_ends"(jsonb, text, integer[]) IS 'The characters of a page''s line (page_line) that end a sentence, a paragraph, a line of a form or a row of a table.';

REVOKE ALL ON FUNCTION "private"."best_passage"(text, integer[], integer[], private.document_term[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."passage_ends"(jsonb, text, integer[]) FROM PUBLIC;

reset check_function_bodies;
