"""Searching in documents: a hundred thousand pages of one person, among a million."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from scripts.bench import scale
from scripts.bench.goals import Result
from scripts.bench.scale import Scale
from scripts.bench.stage import Stage

FLAT = 1.3
MANY_PAGES, MOST_MS, ROUNDS = 100_000, 80, 10
# On 640, 580, 100, 10 and 5 of a thousand pages; then several of them, a stem, a beginning, a slip, a number.
WORDS = (
    *("fattura", "pagamento", "contratto", "ristrutturazione", "caldaia"),
    *("fattura pagamento", "contratto di ristrutturazione", "la caldaia e il contratto"),
    *("fatture", "ristruttur", "ristrututrazione", "77/2026"),
)
# On one page of fifteen hundred.
RARE = ("idrometro", "pagamento idrometro", "idromtero")
QUERY = "select count(*) from public.search_documents($1, 50)"

TABLES = ("documents", "document_pages", "private.document_search", "private.document_words")
# The words of all: the n-th stands once where the first stands n times, as in any language. Who asks (the first two)
# has pages of a hundred words, written as the product writes them; of the others there is what the index holds.
FILL = """
create function pg_temp.term(_place integer) returns text language sql immutable as $$
  select case _place when 10 then 'fattura' when 12 then 'pagamento' when 100 then 'contratto'
    when 1000 then 'ristrutturazione' when 2000 then 'caldaia' when 15000 then 'idrometro'
    else substr(syllables, 1 + 2 * (_place % 40), 2) || substr(syllables, 1 + 2 * (_place / 40 % 40), 2)
      || substr(syllables, 1 + 2 * (_place / 1600), 2) || 'to'
    end
  from (values ('bacadafagalamanaparasatavazabicidifigilimibocodofogolomonoporosotovozobucudufugu')) as of (syllables)
$$;
-- As a word is kept in private.document_search.
create function pg_temp.lexeme(_user_id uuid, _word text) returns integer language sql immutable
  as $$ select ('x' || left(md5(_user_id::text || _word), 8))::bit(32)::integer $$;
create temporary table asking as
  select owners.* from unnest('{ASKING}'::uuid[]) as asked (user_id) join owners using (user_id);
create temporary table lexicon as
  select user_id, place, pg_temp.lexeme(user_id, pg_temp.term(place)) as lexeme
  from asking, generate_series(0, 19999) as place;
create index on lexicon (user_id, place) include (lexeme);
analyze lexicon;
select setseed(0.5);
create temporary table drawn as
  select user_id, n, (
      select array_agg(power(19999, random())::integer) from generate_series(1, 100 + n * 0)
    ) as places
  from asking join owned using (user_id);
analyze drawn;
insert into public.documents (id, user_id, storage_path, filename, kind, state, pages, pages_done)
  select pg_temp.key(user_id, 'document', n), user_id, concat(user_id, '/', n), concat('Fattura ', n, '.pdf'),
    'fattura', 'pronto', 10, 10
  from owned where n % 10 = 1;
insert into public.document_pages (user_id, document_id, no, state, source, text)
  select user_id, pg_temp.key(user_id, 'document', n - (n - 1) % 10), 1 + (n - 1) % 10, 'letta', 'testo', coalesce((
      select concat(string_agg(concat(pg_temp.term(place), case when i % 12 = 0 then E'\\n' end), ' '), ' ', n, '/2026')
      from unnest(places) with ordinality as listed (place, i)
    ), '')
  from owned left join drawn using (user_id, n);
insert into private.document_search (document_id, page, user_id, lexemes)
  select pg_temp.key(user_id, 'document', n - (n - 1) % 10), 1 + (n - 1) % 10, user_id,
    array(
      select distinct lexeme from unnest(places) as drawing (place)
      join lexicon on lexicon.user_id = drawn.user_id and lexicon.place = drawing.place
    ) || pg_temp.lexeme(user_id, n || '2026')
  from drawn;
insert into private.document_search (document_id, page, user_id, lexemes, text)
  select id, 0, user_id, array[pg_temp.lexeme(user_id, 'fattura')], filename
  from public.documents join asking using (user_id);
insert into private.document_search (document_id, page, user_id, lexemes)
  select pg_temp.key(user_id, 'document', n - (n - 1) % 10), 1 + (n - 1) % 10, user_id,
    array(select hashint4(hash + power(19999, random())::integer) from generate_series(1, 25 + n * 0))
  from owned
  join (select user_id, hashint4(row_number() over ()::integer) / 2 as hash from owners) as others using (user_id)
  where user_id not in (select user_id from asking);
insert into private.document_words (user_id, word, stem, grams, pages)
  select user_id, word, coalesce((ts_lexize('pg_catalog.italian_stem', word))[1], ''),
    private.document_grams(user_id, word), pages
  from (
    select user_id, place, count(*) as pages
    from drawn, lateral (select distinct unnest(places) as place) as listed group by user_id, place
  ) as counted, pg_temp.term(place) as word
  union all
  select user_id, '', '', '{}', rows from asking
  union all
  select user_id, pg_temp.term(place), pg_temp.term(place), array(
      select hashint4(hashint4(place) / 2 + i + hashtext(user_id::text) / 4) from generate_series(1, 7) as i
    ), 10
  from owners, generate_series(1, 500) as place where user_id not in (select user_id from asking);
"""


async def search(stage: Stage) -> list[Result]:
    """search_documents() with a thousand pages, alone and among a million, and with a hundred thousand among them."""
    person, prolific = stage.people[:2]
    async with scale.scale(person, (prolific, MANY_PAGES), _fill) as both:
        paths = [_path(words) for words in WORDS]
        return [await scale.flat(both, "search of documents", paths, FLAT), await _many(both)]


async def _fill(database_url: str, owners: Sequence[tuple[str, int]]) -> None:
    asking = ",".join(user_id for user_id, _ in owners[:2])
    await scale.run_for(database_url, owners, TABLES, FILL.replace("ASKING", asking))


def _path(words: str) -> str:
    return f"/rpc/search_documents?_query={quote(words)}"


async def _many(both: Scale) -> Result:
    """Each search of somebody with so many pages, frequent words and rare ones, and the plans inside of all."""
    every = (*WORDS, *RARE)
    p95, p50, cpu_ms = await scale.searched(both, [_path(words) for _ in range(ROUNDS) for words in every])
    read = await scale.scanned_inside(both, both.prolific, QUERY, every)
    details = f"p95 {p95:.0f} ms, p50 {p50:.0f}; {cpu_ms:.0f} ms CPU each"
    what = f"search among {MANY_PAGES:,} pages, p95, to {MOST_MS} ms"
    return scale.judged(Result("work", what, p95 / MOST_MS, 1, details), read)
