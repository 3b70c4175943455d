-- Document search: one box that finds words in documents by their Italian stem, their beginning, typing errors and
-- scanning errors; and passages that answer a question.
--
-- Each owner has a vocabulary: every word of their pages with the number of pages that contain it. A typed word becomes
-- words of the vocabulary (the same, the same stem, the same beginning or, if there is none, a similar spelling), so
-- results, marks and hits in the viewer always agree. A page is the set of its words, each as a number that includes
-- its owner, so one index works as well as one per owner.
--
-- Numbers and codes (1.234,50 · 12/2026 · an IBAN) are words without the separators between their digits. They are not
-- in the vocabulary, because nearly every one is new. Italian stop words are not kept.
--
-- Page 0 of a document holds what is known about it: name, kind, contact, tags, fields and note.

create type private.document_term as (
  -- Position of the typed word in the query.
  term integer,
  word text,
  lexeme integer,
  -- factor: how well the word fits the typed word. weight: how much the typed word counts, more if fewer pages contain
  -- it.
  factor real,
  weight real,
  pages integer
);

-- The text by which a page is found now (text) and was found before (former); null: no text.
create type private.document_change as (document_id uuid, page integer, former text, text text);

create table private.document_words (
  user_id uuid not null references auth.users (id) on delete cascade,
  -- The empty word stands for the pages themselves: it counts how many pages the owner has.
  word text collate "C" not null,
  stem text collate "C" not null,
  grams integer[] not null,
  pages integer not null,
  primary key (user_id, word)
)
-- An update of the counter changes no index. With free space on the page, the new version of the row stays there.
with (fillfactor = 80);
comment on table private.document_words is 'The words of each owner''s documents, and how many pages hold them; by triggers only.';
comment on column private.document_words.grams is 'Four letters each, mixed with the owner: what near misses share.';

create table private.document_search (
  document_id uuid not null,
  page integer not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  lexemes integer[] not null,
  -- Only for page 0, whose text is stored in no other table.
  text text,
  primary key (document_id, page)
);
comment on table private.document_search is
  'What each page outside of the trash is found by; written by triggers only, which also count its words.';

create index document_words_stem on private.document_words (user_id, stem);

-- fastupdate is off because every search after an upload would otherwise read the whole list of pending entries.
create index document_words_grams on private.document_words using gin (grams) with (fastupdate = off);

create index document_search_lexemes on private.document_search using gin (lexemes) with (fastupdate = off);

create index document_search_user on private.document_search (user_id);

-- Takes many words at once, because calling a function with its own search path costs more than its computation.
create function private.document_lexemes(_user_id uuid, _words text[])
  returns integer[]
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select array(
    select ('x' || left(md5(_user_id::text || word), 8))::bit(32)::integer
    from unnest(_words) with ordinality as words (word, place) order by place
  )
$$;
comment on function private.document_lexemes(uuid, text[]) is 'The numbers under which words of an owner are kept, in their order.';
revoke all on function private.document_lexemes from public, anon, authenticated, service_role;

create function private.document_grams(_user_id uuid, _word text)
  returns integer[]
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select private.document_lexemes(_user_id, array(
    select '~' || substr(' ' || _word || ' ', place, 4) from generate_series(1, char_length(_word) - 1) as place
  ))
$$;
comment on function private.document_grams(uuid, text) is 'Every four letters of a word and its edges.';
revoke all on function private.document_grams from public, anon, authenticated, service_role;

create function private.joined_lines(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select regexp_replace(_text, E'([[:alpha:]])[-\u00ad\u2010][ \t\r]*\n\\s*(?=[[:lower:]])', '\1', 'g')
$$;
comment on function private.joined_lines(text) is 'A text whose words are not broken at the ends of lines.';
revoke all on function private.joined_lines from public, anon, authenticated, service_role;

create function private.document_codes(_text text)
  returns table (written text, code text)
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select found[1], lower(regexp_replace(found[1], '[^[:alnum:]]', '', 'g'))
  from (
    -- Amounts, dates, numbers of invoices.
    select regexp_matches(_text, '(?<![[:alnum:]])[0-9]+(?:[.,/''’-][0-9]+)+(?![[:alnum:]])', 'g') as found
    union all
    -- An IBAN as it is printed, in fours or by its parts.
    select regexp_matches(_text, '(?<![[:alnum:]])[A-Za-z]{2}[0-9]{2} [A-Za-z0-9]{4}(?: [A-Za-z]?[0-9][A-Za-z0-9]{2,3}){2,6}(?: [A-Za-z0-9]{1,3})?(?![[:alnum:]])', 'g')
    union all
    select regexp_matches(_text, '(?<![[:alnum:]])[A-Za-z]{2} ?[0-9]{2} [A-Za-z] ?[0-9]{5} ?[0-9]{5} ?[A-Za-z0-9]{12}(?![[:alnum:]])', 'g')
    union all
    -- S.r.l.
    select regexp_matches(_text, '(?<![[:alnum:]])[[:alpha:]](?:[.][[:alpha:]]){1,5}(?![[:alnum:]])', 'g')
  ) as codes
$$;
comment on function private.document_codes(text) is 'Numbers and codes with something between their parts, as written and as kept.';
revoke all on function private.document_codes from public, anon, authenticated, service_role;

create function private.content_words(_words text[])
  returns setof text
  language sql stable strict parallel safe
  set search_path = ''
as $$
  select word from unnest(_words) with ordinality as words (word, place)
  where char_length(word) between 2 and 40 and ts_lexize('pg_catalog.italian_stem', word) <> '{}'
  group by word order by min(place)
$$;
comment on function private.content_words(text[]) is 'The words of private.words() that say something, each once: no letter alone, no stop word.';
revoke all on function private.content_words from public, anon, authenticated, service_role;

create function private.text_words(_text text)
  returns setof text
  language sql stable strict
  set search_path = ''
as $$
  with joined as materialized (
    select private.joined_lines(_text) as text
  ), codes as materialized (
    select code from joined, private.document_codes(joined.text)
  ), words as (
    select unnest(string_to_array(private.words(joined.text), ' ')) as word from joined
    union
    select code from codes
    union
    -- The whole part of 1.234,50: who types 1234 means it.
    select regexp_replace(split_part(written, ',', 1), '[.]', '', 'g')
    from joined, private.document_codes(joined.text) where written ~ '^[0-9]{1,3}([.][0-9]{3})+,[0-9]{2}$'
  )
  select private.content_words(array(select word from words))
  union
  -- A VAT number with and without its country.
  select substr(word, 3) from words where word ~ '^it[0-9]{11}$'
$$;
comment on function private.text_words(text) is 'The words by which a text is found, each once.';
revoke all on function private.text_words from public, anon, authenticated, service_role;

create function private.query_words(_query text)
  returns setof text
  language sql stable strict
  set search_path = ''
as $$
  with recursive typed as materialized (
    select private.joined_lines(left(_query, 400)) as text
  ), codes as materialized (
    select row_number() over () as place, written, code from typed, private.document_codes(typed.text)
  ), rest (text, place) as (
    select text, 0::bigint from typed
    union all
    -- What was understood as a code is no words as well.
    select replace(rest.text, written, ' '), codes.place from rest join codes on codes.place = rest.place + 1
  )
  select private.content_words(
    array(select code from codes order by place)
    || string_to_array(private.words((select text from rest order by place desc limit 1)), ' ')
  ) limit 12
$$;
comment on function private.query_words(text) is 'What is looked for, of a text that was typed: at most twelve words.';
revoke all on function private.query_words from public, anon, authenticated, service_role;

create function private.document_terms(_user_id uuid, _query text)
  returns setof private.document_term
  language sql stable
  set search_path = ''
as $$
  with typed as materialized (
    select row_number() over ()::integer as term, word, word ~ '[0-9]' as is_code,
      (ts_lexize('pg_catalog.italian_stem', word))[1] as stem
    from private.query_words(_query) as word
  ), total as materialized (
    select greatest(coalesce((select pages from private.document_words where user_id = _user_id and word = ''), 0), 1) as pages
  ), known as (
    -- Nobody counts codes: a short one stands on many pages, a long one on few.
    select term, word, 1.0 as factor, case when char_length(word) > 4 then 1 else total.pages / 4 + 1 end as pages
    from typed, total where is_code
    union all
    (
      select typed.term, kept.word, case when kept.word = typed.word then 1.0 else 0.9 end, kept.pages
      from typed, lateral (
        select word, pages from private.document_words
        where user_id = _user_id and document_words.stem = typed.stem and document_words.word <> '' and pages > 0
        order by document_words.word = typed.word desc, pages desc, document_words.word limit 12
      ) as kept
      where not is_code
    )
    union all
    (
      select typed.term, kept.word, 0.8, kept.pages
      from typed, lateral (
        select word, pages from private.document_words
        where user_id = _user_id and document_words.word > typed.word and document_words.word < typed.word || U&'\+10FFFF'
          and pages > 0
        order by pages desc, document_words.word limit 12
      ) as kept
      where not is_code and char_length(typed.word) > 2
    )
  ), found as (
    select * from known
    union all
    (
      select typed.term, kept.word, 0.6 * kept.likeness, kept.pages
      from typed, lateral (
        select word, pages, extensions.similarity(word, typed.word) as likeness from private.document_words
        where user_id = _user_id and grams && private.document_grams(_user_id, typed.word)
          and pages > 0 and abs(char_length(word) - char_length(typed.word)) <= 2 and extensions.similarity(word, typed.word) >= 0.4
        order by likeness desc, pages desc, word limit 6
      ) as kept
      where not is_code and char_length(typed.word) > 3 and not exists (select from known where known.term = typed.term)
    )
  ), best as (
    select term, word, max(factor) as factor, max(pages) as pages from found group by term, word
  )
  select term, word, (private.document_lexemes(_user_id, array[word]))[1], factor::real,
    ln(1 + total.pages / (1.0 + least(total.pages, sum(best.pages) over (partition by term))))::real,
    least(total.pages, sum(best.pages) over (partition by term))::integer
  from best, total
$$;
comment on function private.document_terms(uuid, text) is 'The words of an owner''s pages that fit what was typed, each with its weight.';
revoke all on function private.document_terms from public, anon, authenticated, service_role;

create function private.count_words(_user_id uuid, _gone text[], _come text[])
  returns void
  language plpgsql volatile
  set search_path = ''
  -- Look up each word through the primary key, because the statistics of a new vocabulary mislead the planner.
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  -- Letters only: of numbers nearly each is new. One at a time for each owner, whose words they share.
  perform pg_advisory_xact_lock(hashtext('private.document_words'), hashtext(_user_id::text));
  update private.document_words as kept set pages = kept.pages + change.times
  from (
    select word, sum(times)::integer as times
    from (
      select word, -1 as times from unnest(_gone) as word
      union all
      select word, 1 from unnest(_come) as word
    ) as changes
    where word !~ '[0-9]' group by word having sum(times) <> 0
  ) as change
  where kept.user_id = _user_id and kept.word = change.word;
  insert into private.document_words (user_id, word, stem, grams, pages)
  select _user_id, coming.word, coalesce((ts_lexize('pg_catalog.italian_stem', coming.word))[1], ''),
    private.document_grams(_user_id, coming.word), count(*)
  from unnest(_come) as coming (word)
  where coming.word !~ '[0-9]' and not exists (
    select from private.document_words as kept where kept.user_id = _user_id and kept.word = coming.word
  )
  group by coming.word;
end
$$;
comment on function private.count_words(uuid, text[], text[]) is
  'Keeps the vocabulary of an owner: words of pages that are not searched any more, and of new ones, each once a page.';
revoke all on function private.count_words from public, anon, authenticated, service_role;

create function private.forget_words(_users uuid[])
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- While a document is in the trash its words stay: they are costly to write again.
  delete from private.document_words where user_id = any (_users) and pages <= 0
$$;
comment on function private.forget_words(uuid[]) is 'Takes words that no page holds out of vocabularies.';
revoke all on function private.forget_words from public, anon, authenticated, service_role;

create function private.index_texts(_user_id uuid, _changes private.document_change[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _gone text[];
  _come text[];
begin
  select array_agg(word) into _gone
  from unnest(_changes) as change
  join private.document_search as kept on kept.document_id = change.document_id and kept.page = change.page
  cross join lateral (
    select '' as word union all select private.text_words(coalesce(kept.text, change.former))
  ) as words;
  delete from private.document_search as kept using unnest(_changes) as change
  where kept.document_id = change.document_id and kept.page = change.page and change.text is null;
  with coming as materialized (
    select document_id, page, text, array(select private.text_words(change.text)) as words
    from unnest(_changes) as change where text is not null
  ), stored as (
    insert into private.document_search (document_id, page, user_id, lexemes, text)
    select document_id, page, _user_id, private.document_lexemes(_user_id, words || array(
      -- Numbers of a document are found by their beginning.
      select left(word, length) from unnest(words) as word, generate_series(4, char_length(word) - 1) as length
      where page = 0 and word ~ '[0-9]'
    )), case when page = 0 then text end
    from coming
    on conflict (document_id, page) do update set lexemes = excluded.lexemes, text = excluded.text
  )
  select array_agg(word) into _come from coming, unnest(array_append(words, '')) as word;
  -- Once for all: a row that one transaction counts again and again gets slower each time.
  perform private.count_words(_user_id, coalesce(_gone, '{}'), coalesce(_come, '{}'));
end
$$;
comment on function private.index_texts(uuid, private.document_change[]) is
  'Has pages of an owner be found by their texts, and keeps the vocabulary.';
revoke all on function private.index_texts from public, anon, authenticated, service_role;

create function private.document_summary(_document public.documents)
  returns text
  language sql stable
  set search_path = ''
as $$
  select regexp_replace(concat_ws(' · ',
    translate(_document.filename, '_', ' '), _document.title, replace(nullif(_document.kind, 'altro')::text, '_', ' '),
    (select name from public.contacts where user_id = _document.user_id and id = _document.contact_id),
    _document.supplier ->> 'name', _document.supplier ->> 'vat_number', _document.supplier ->> 'tax_code',
    _document.supplier ->> 'email', to_char(_document.issued_on, 'DD/MM/YYYY'),
    private.euros(_document.total_cents, _document.currency),
    (
      select string_agg(tags.name, ' · ' order by tags.name) from public.document_tags
      join public.tags on tags.user_id = document_tags.user_id and tags.id = tag_id
      where document_tags.user_id = _document.user_id and document_id = _document.id
    ),
    (
      select string_agg(value, ' · ' order by key) from public.document_fields
      where user_id = _document.user_id and document_id = _document.id
        and key not in ('issued_on', 'due_on', 'net', 'vat', 'total')
    ),
    _document.note
  ), '\s+', ' ', 'g')
$$;
comment on function private.document_summary(public.documents) is 'What is known about a document, in a line that people can read.';
revoke all on function private.document_summary from public, anon, authenticated, service_role;

create function private.index_documents(_documents uuid[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  -- First the documents, then the words: in this order for everybody. An erasure takes fields before documents.
  _documents := array(
    select id from public.documents
    where id = any (_documents) and not private.is_being_erased(user_id) order by id for no key update
  );
  perform private.index_texts(user_id, array_agg((
    id, 0, null, case when deleted_at is null then private.document_summary(documents) end
  )::private.document_change))
  from public.documents where id = any (_documents) group by user_id;
end
$$;
comment on function private.index_documents(uuid[]) is 'Writes again what is known about documents; nothing of those in the trash or of an account that is being erased.';
revoke all on function private.index_documents from public, anon, authenticated, service_role;

create function private.index_pages(_changes private.document_change[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  perform from public.documents
  where id in (select document_id from unnest(_changes)) order by id for no key update;
  perform private.index_texts(user_id, array_agg((
    document_id, page, former, case when deleted_at is null then nullif(text, '') end
  )::private.document_change))
  from unnest(_changes) as change join public.documents on documents.id = document_id group by user_id;
end
$$;
comment on function private.index_pages(private.document_change[]) is 'Writes anew what pages are found by; nothing of documents in the trash.';
revoke all on function private.index_pages from public, anon, authenticated, service_role;

create function private.follow_searched_pages()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.index_pages(array(
      select (document_id, no, null, text)::private.document_change from changed where text <> ''
    ));
  elsif tg_op = 'UPDATE' then
    perform private.index_pages(array(
      select (changed.document_id, changed.no, former.text, changed.text)::private.document_change
      from changed join former using (document_id, no) where changed.text <> former.text
    ));
  else
    -- With an account goes its vocabulary.
    perform private.index_texts(user_id, array_agg((document_id, no, text, null)::private.document_change))
    from changed where exists (select from auth.users where users.id = changed.user_id) group by user_id;
    perform private.forget_words(array(select distinct user_id from changed));
  end if;
  return null;
end
$$;
comment on function private.follow_searched_pages() is 'Keeps what pages are found by when they are read, read again, or deleted.';
revoke all on function private.follow_searched_pages from public, anon, authenticated, service_role;

create function private.follow_searched_documents()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.index_texts(user_id, array_agg((id, 0, null, null)::private.document_change))
    from changed where exists (select from auth.users where users.id = changed.user_id) group by user_id;
    perform private.forget_words(array(select distinct user_id from changed));
    return null;
  elsif tg_op = 'INSERT' then
    perform private.index_documents(array(select id from changed));
    return null;
  end if;
  perform private.index_documents(array(
    select changed.id from changed join former using (id)
    where (changed.filename, changed.title, changed.kind, changed.contact_id, changed.supplier, changed.issued_on,
        changed.total_cents, changed.currency, changed.note, changed.deleted_at)
      is distinct from (former.filename, former.title, former.kind, former.contact_id, former.supplier,
        former.issued_on, former.total_cents, former.currency, former.note, former.deleted_at)
  ));
  -- The trash is not searched.
  perform private.index_pages(array(
    select (document_id, no, text, text)::private.document_change
    from changed join former using (id)
    join public.document_pages on document_pages.user_id = changed.user_id and document_id = changed.id
    where (changed.deleted_at is null) <> (former.deleted_at is null)
  ));
  return null;
end
$$;
comment on function private.follow_searched_documents() is 'Keeps what documents are found by when they change, and takes them out of the trash or into it.';
revoke all on function private.follow_searched_documents from public, anon, authenticated, service_role;

create function private.follow_searched_facts()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.index_documents(array(select distinct document_id from changed));
  return null;
end
$$;
comment on function private.follow_searched_facts() is 'Keeps what documents are found by when their fields or tags change.';
revoke all on function private.follow_searched_facts from public, anon, authenticated, service_role;

create function private.follow_named_documents()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_table_name = 'contacts' then
    perform private.index_documents(array(
      select id from public.documents where user_id = new.user_id and contact_id = new.id
    ));
  else
    perform private.index_documents(array(
      select document_id from public.document_tags where user_id = new.user_id and tag_id = new.id
    ));
  end if;
  return null;
end
$$;
comment on function private.follow_named_documents() is 'Keeps what documents are found by when a contact or a tag gets another name.';
revoke all on function private.follow_named_documents from public, anon, authenticated, service_role;

create function private.words_pattern(_words text[])
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Words of private.words() are letters and digits; a code may be written with something between its parts.
  select '(?<![[:alnum:]])(?:' || string_agg(
    case when word ~ '^[0-9]{11}$' then '(?:it)?' else '' end
    || case when word ~ '[0-9]' and char_length(word) > 3
      then regexp_replace(left(word, -1), '(.)', E'\\1[ .,/''\u2019-]?', 'g') || right(word, 1)
      else replace(replace(replace(replace(replace(replace(replace(
        -- S.r.l., and of company forms also «s r l».
        case
          when word ~ '^(srls?|spa|snc|sas|sapa|scarl)$' then regexp_replace(word, '(.)(?=.)', '\1[. ]{0,2}', 'g')
          when char_length(word) < 7 then regexp_replace(word, '(.)(?=.)', '\1[.]?', 'g')
          else word
        end,
        'a', '[aàáâãäåÀÁÂÃÄÅ]'), 'e', '[eèéêëÈÉÊË]'), 'i', '[iìíîïÌÍÎÏ]'), 'o', '[oòóôõöÒÓÔÕÖ]'),
        'u', '[uùúûüÙÚÛÜ]'), 'c', '[cçÇ]'), 'n', '[nñÑ]')
    end, '|' order by char_length(word) desc, word
  ) || ')(?![[:alnum:]])'
  from unnest(_words) as word
$$;
comment on function private.words_pattern(text[]) is 'A regular expression (flag i) that finds these words as they may be written.';
revoke all on function private.words_pattern from public, anon, authenticated, service_role;

create function private.places(_line text, _pattern text)
  returns table (first integer, last integer)
  language sql immutable
  set search_path = ''
as $$
  -- Each match between two signs that no text of ours holds.
  select first, first + strpos(part, E'\x02') - 2
  from (
    select part, place, (sum(char_length(part)) over (order by place) - char_length(part) - greatest(place - 2, 0) + 1)::integer as first
    from unnest(string_to_array(regexp_replace(_line, '(' || _pattern || ')', E'\x01\\1\x02', 'gi'), E'\x01'))
      with ordinality as parts (part, place)
  ) as parts
  where place > 1
$$;
comment on function private.places(text, text) is 'The first and the last character of each match of a pattern in a line without control characters.';
revoke all on function private.places from public, anon, authenticated, service_role;

create function private.plain_line(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select regexp_replace(private.joined_lines(_text), '[[:space:][:cntrl:]]+', ' ', 'g')
$$;
comment on function private.plain_line(text) is 'A text as one line, words that were broken at an end of a line in one piece.';
revoke all on function private.plain_line from public, anon, authenticated, service_role;

create function private.page_snippet(_text text, _patterns text[])
  returns table (snippet text, marks integer[])
  language plpgsql immutable
  set search_path = ''
as $$
declare
  _pattern text;
  _at integer := 0;
begin
  foreach _pattern in array _patterns loop
    _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
    exit when _at > 0;
  end loop;
  if _at = 0 then
    -- Perhaps it is broken at the end of a line.
    _text := private.plain_line(_text);
    foreach _pattern in array _patterns loop
      _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
      exit when _at > 0;
    end loop;
  end if;
  snippet := private.plain_line(substr(_text, greatest(_at - 80, 1), 280));
  if _at > 81 then
    snippet := '…' || regexp_replace(snippet, '^\S*\s', '');
  end if;
  if char_length(_text) > greatest(_at - 80, 1) + 279 then
    snippet := regexp_replace(snippet, '\s\S*$', '') || '…';
  end if;
  snippet := btrim(snippet);
  marks := array(
    select unnest(array[first - 1, last])
    -- A character beyond the first plane, such as an emoji, counts twice in a browser.
    from private.places(
      regexp_replace(snippet, E'[\\U00010000-\\U0010FFFF]', E'\u25a1\u25a1', 'g'), array_to_string(_patterns, '|')
    )
    order by first
  );
  return next;
end
$$;
comment on function private.page_snippet(text, text[]) is
  'A sentence or two around the first match, of the first pattern that has one, and where all matches begin and end in it, '
  'in UTF-16 units.';
revoke all on function private.page_snippet from public, anon, authenticated, service_role;

create function private.page_line(_words jsonb, _text text)
  returns table (line text, starts integer[])
  language sql immutable
  set search_path = ''
as $$
  with listed as (
    select place, coalesce(one ->> 0, '') as word from jsonb_array_elements(_words) with ordinality as given (one, place)
    union all
    -- Without boxes the words are those of the text.
    select place, word
    from string_to_table(regexp_replace(btrim(_text), '\s+', ' ', 'g'), ' ') with ordinality as given (word, place)
    where _words = '[]'
  ), pieces as (
    select place, case
        when word ~ E'[[:alpha:]][-\u00ad\u2010]$' and lead(word) over (order by place) ~ '^[[:lower:]]' then left(word, -1)
        else word || ' '
      end as piece
    from (
      select place, case when word ~ '[[:space:][:cntrl:]]' then regexp_replace(word, '[[:space:][:cntrl:]]', ' ', 'g') else word end
        as word from listed
    ) as clean
  )
  select string_agg(piece, '' order by place), array_agg(start order by place)
  from (
    select *, (sum(char_length(piece)) over (order by place rows unbounded preceding) - char_length(piece) + 1)::integer as start
    from pieces
  ) as placed
$$;
comment on function private.page_line(jsonb, text) is
  'The words of a page as one line, what was broken in one piece, and with which character each word begins.';
revoke all on function private.page_line from public, anon, authenticated, service_role;

create function private.ranked_pages(_user_id uuid, _terms private.document_term[], _documents uuid[], _most integer)
  returns table (document_id uuid, page integer, terms integer[], score real)
  language plpgsql stable
  set search_path = ''
  -- Always find words through the index, even if the statistics suggest another plan.
  set enable_seqscan = off
as $$
declare
  _term record;
  _conditions text[];
  _found tid[];
  _more tid[];
  _ask constant text := 'select array(select ctid from private.document_search where %s and user_id = $1
    and ($2 is null or document_id = any ($2)) limit %s)';
begin
  select array_agg(format('lexemes && %L::integer[]', lexemes)) into _conditions
  from (select array_agg(lexeme) as lexemes from unnest(_terms) group by term) as asked;
  -- Pages that hold everything; then by the rarest words, until there are enough to compare.
  execute format(_ask, array_to_string(_conditions, ' and '), _most) into _found using _user_id, _documents;
  for _term in
    select array_agg(lexeme) as lexemes, min(pages) as pages from unnest(_terms) group by term order by min(pages), term
  loop
    exit when cardinality(_conditions) = 1 or cardinality(_found) >= 2 * _most
      or _term.pages > 5000 and cardinality(_found) >= _most / 4;
    execute format(_ask, format('lexemes && %L::integer[]', _term.lexemes), _most) into _more using _user_id, _documents;
    _found := _found || _more;
  end loop;
  return query
    select searched.document_id, searched.page, fit.terms, fit.score
    from private.document_search as searched
    cross join lateral (
      select array_agg(term) as terms, sum(best)::real as score
      from (
        select term, max(factor * weight) as best from unnest(_terms) where lexeme = any (searched.lexemes) group by term
      ) as one
    ) as fit
    where searched.ctid = any (_found);
end
$$;
comment on function private.ranked_pages(uuid, private.document_term[], uuid[], integer) is
  'Pages of an owner that hold most of what counts most, among so many that were found; of these documents only, if told.';
revoke all on function private.ranked_pages from public, anon, authenticated, service_role;

create function private.fitting_documents(_user_id uuid, _filter jsonb, _among uuid[])
  returns setof uuid
  language plpgsql stable
  set search_path = ''
  -- Plan each call with its values, so that an absent condition costs nothing.
  set plan_cache_mode = force_custom_plan
as $$
declare
  _kind constant public.document_kind := _filter ->> 'kind';
  _state constant public.document_state := _filter ->> 'state';
  _contact_id constant uuid := _filter ->> 'contact_id';
  _tag_id constant uuid := _filter ->> 'tag_id';
  _document_id constant uuid := _filter ->> 'document_id';
  _from constant date := _filter ->> 'from';
  _to constant date := _filter ->> 'to';
begin
  return query
    select id from public.documents
    where user_id = _user_id and deleted_at is null
      and (_among is null or id = any (_among))
      and (_kind is null or kind = _kind)
      and (_state is null or state = _state)
      and (_contact_id is null or contact_id = _contact_id)
      and (_document_id is null or id = _document_id)
      and (_tag_id is null or id in (
        select document_id from public.document_tags where document_tags.user_id = _user_id and tag_id = _tag_id
      ))
      and (_from is null or coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) >= _from)
      and (_to is null or coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) <= _to);
end
$$;
comment on function private.fitting_documents(uuid, jsonb, uuid[]) is
  'Documents of an owner outside of the trash (among these, if given) of a kind, state, contact, tag, period, or this one: '
  '{kind, state, contact_id, tag_id, from, to, document_id}.';
revoke all on function private.fitting_documents from public, anon, authenticated, service_role;

create function private.few_documents(_user_id uuid, _filter jsonb)
  returns uuid[]
  language plpgsql stable
  set search_path = ''
as $$
declare
  _ids uuid[];
begin
  if jsonb_strip_nulls(_filter) <> '{}' then
    _ids := array(select private.fitting_documents(_user_id, _filter, null));
  end if;
  -- Where nearly everything fits, what does not is left out afterwards.
  return case when cardinality(_ids) <= 5000 then _ids end;
end
$$;
comment on function private.few_documents(uuid, jsonb) is 'The documents that fit a filter, if they are few; null: look at all.';
revoke all on function private.few_documents from public, anon, authenticated, service_role;

create function private.term_patterns(_terms private.document_term[])
  returns text[]
  language sql stable
  set search_path = ''
as $$
  select array_agg(pattern order by weight desc, term)
  from (
    select term, max(weight) as weight, private.words_pattern(array_agg(word)) as pattern from unnest(_terms) group by term
  ) as patterns
$$;
comment on function private.term_patterns(private.document_term[]) is 'How to find each of what was typed in a text, the rarest first.';
revoke all on function private.term_patterns from public, anon, authenticated, service_role;

-- Security definer because under row level security the index is not used. The function compares the owner itself.
create function public.search_documents(_query text, _limit integer default 50, _filter jsonb default '{}')
  returns table (
    document_id uuid, filename text, kind public.document_kind, page integer, snippet text, marks integer[], rank real
  )
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _terms constant private.document_term[] := array(select fit from private.document_terms(_user_id, _query) as fit);
  _patterns constant text[] := private.term_patterns(_terms);
begin
  if _user_id is null or _patterns is null then
    return;
  end if;
  return query
    with ranked as materialized (
      select * from private.ranked_pages(_user_id, _terms, private.few_documents(_user_id, _filter), 300)
    ), scored as (
      select documents.id, documents.filename, documents.kind, documents.created_at, ranked.page,
        -- What is known about the document counts for each of its pages.
        (ranked.score + coalesce(0.6 * (
          select sum(weight) from (select distinct term, weight from unnest(_terms)) as asked
          where term = any (known.terms) and term <> all (ranked.terms)
        ), 0))::real as score
      from ranked
      join public.documents on documents.user_id = _user_id and documents.id = ranked.document_id
      left join ranked as known on known.document_id = ranked.document_id and known.page = 0
      where documents.id in (
        select private.fitting_documents(_user_id, _filter, array(select distinct ranked.document_id from ranked))
      )
    ), best as (
      select *, row_number() over (partition by id order by score desc, scored.page = 0, scored.page) as place from scored
    ), shown as (
      select * from best where place <= 3
      order by place, score desc, created_at desc, id, best.page limit least(greatest(_limit, 0), 200)
    )
    select shown.id, shown.filename::text, shown.kind, nullif(shown.page, 0), cut.snippet, cut.marks, shown.score
    from shown
    cross join lateral private.page_snippet(coalesce(
      (select text from private.document_search where document_search.document_id = shown.id and shown.page = 0
        and document_search.page = 0),
      (select text from public.document_pages where document_pages.document_id = shown.id and no = shown.page), ''
    ), _patterns) as cut
    order by shown.place, shown.score desc, shown.created_at desc, shown.id, shown.page;
end
$$;
comment on function public.search_documents(text, integer, jsonb) is
  'Pages of the caller''s documents that fit, the best of each document first, three of one at most; page null: what is known '
  'about the document. Marks are pairs (begin, end) in the snippet. Filter: {kind, contact_id, tag_id, state, from, to, document_id}.';
revoke all on function public.search_documents from public, anon, authenticated, service_role;
grant execute on function public.search_documents to authenticated;

create function public.document_hits(_document_id uuid, _query text)
  returns table (page integer, word_from integer, word_to integer, box integer[])
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _terms constant private.document_term[] := array(select fit from private.document_terms(_user_id, _query) as fit);
  _pattern constant text := array_to_string(private.term_patterns(_terms), '|');
  _page record;
  _left integer := 500;
  _hits bigint;
begin
  for _page in
    select no, words, text
    from public.document_pages
    where document_pages.user_id = _user_id and document_pages.document_id = _document_id and exists (
      select from private.document_search
      where document_search.document_id = _document_id and document_search.page = no
        and lexemes && array(select lexeme from unnest(_terms))
    )
    order by no
  loop
    return query
      select _page.no, hit.word_from, hit.word_to, (
        select array[min((one ->> 1)::integer), min((one ->> 2)::integer), max((one ->> 3)::integer), max((one ->> 4)::integer)]
        from generate_series(hit.word_from, hit.word_to) as place, lateral (select _page.words -> place as one) as word
        having min((one ->> 1)::integer) is not null
      )
      from (
        select width_bucket(first, starts) - 1 as word_from, width_bucket(last, starts) - 1 as word_to
        from private.page_line(_page.words, _page.text) as on_page, private.places(line, _pattern) order by 1
      ) as hit
      limit _left;
    get diagnostics _hits = row_count;
    _left := _left - _hits;
    exit when _left = 0;
  end loop;
end
$$;
comment on function public.document_hits(uuid, text) is
  'The places in one document of the caller of what search_documents() finds, in reading order, five hundred places at most: '
  'words by their place in document_pages.words, from 0.';
revoke all on function public.document_hits from public, anon, authenticated, service_role;
grant execute on function public.document_hits to authenticated;

create function private.passage_ends(_words jsonb, _line text, _starts integer[])
  returns integer[]
  language sql immutable
  set search_path = ''
as $$
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
$$;
comment on function private.passage_ends(jsonb, text, integer[]) is
  'The characters of a page''s line (page_line) that end a sentence, a paragraph, a line of a form or a row of a table.';
revoke all on function private.passage_ends from public, anon, authenticated, service_role;

create function private.best_passage(_line text, _starts integer[], _ends integer[], _terms private.document_term[])
  returns table (quote text, word_from integer, word_to integer, score real)
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.best_passage(text, integer[], integer[], private.document_term[]) is
  'The one or few sentences of a page in which most of what was asked is closest together, and their words from 0.';
revoke all on function private.best_passage from public, anon, authenticated, service_role;

create function public.ask_documents(_question text, _document_id uuid default null, _limit integer default 5)
  returns table (
    document_id uuid, filename text, page integer, quote text, word_from integer, word_to integer, rank real
  )
  language plpgsql stable security definer
  set search_path = ''
as $$
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
$$;
comment on function public.ask_documents(text, uuid, integer) is
  'The passages of the caller''s documents (or of one) that answer a question best, a few sentences each; none when too '
  'little of what was asked stands there.';
revoke all on function public.ask_documents from public, anon, authenticated, service_role;
grant execute on function public.ask_documents to authenticated;

alter table private.document_words enable row level security;
alter table private.document_search enable row level security;

revoke all on private.document_words from public, anon, authenticated, service_role;

revoke all on private.document_search from public, anon, authenticated, service_role;

create trigger follow_new_search after insert on public.document_pages
  referencing new table as changed
  for each statement execute function private.follow_searched_pages();

create trigger follow_changed_search after update on public.document_pages
  referencing new table as changed old table as former
  for each statement execute function private.follow_searched_pages();

create trigger follow_gone_search after delete on public.document_pages
  referencing old table as changed
  for each statement execute function private.follow_searched_pages();

create trigger follow_new_search after insert on public.documents
  referencing new table as changed
  for each statement execute function private.follow_searched_documents();

create trigger follow_changed_search after update on public.documents
  referencing new table as changed old table as former
  for each statement execute function private.follow_searched_documents();

create trigger follow_gone_search after delete on public.documents
  referencing old table as changed
  for each statement execute function private.follow_searched_documents();

create trigger follow_searched_documents after update of first_name, last_name, business_name, type on public.contacts
  for each row when (old.name is distinct from new.name) execute function private.follow_named_documents();

create trigger follow_searched_documents after update of name on public.tags
  for each row when (old.name is distinct from new.name) execute function private.follow_named_documents();

create trigger follow_changed_search
  after update on public.document_fields referencing new table as changed
  for each statement execute function private.follow_searched_facts();

create trigger follow_gone_search
  after delete on public.document_fields referencing old table as changed
  for each statement execute function private.follow_searched_facts();

create trigger follow_new_search
  after insert on public.document_fields referencing new table as changed
  for each statement execute function private.follow_searched_facts();

create trigger follow_changed_search
  after update on public.document_tags referencing new table as changed
  for each statement execute function private.follow_searched_facts();

create trigger follow_gone_search
  after delete on public.document_tags referencing old table as changed
  for each statement execute function private.follow_searched_facts();

create trigger follow_new_search
  after insert on public.document_tags referencing new table as changed
  for each statement execute function private.follow_searched_facts();
