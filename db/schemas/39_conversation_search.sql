-- Conversation search: by title and by messages, as contacts are found (a word, its beginning, its Italian stem),
-- through an index whose lexemes begin with their owner's key.

create table private.message_search (
  message_id uuid primary key references public.messages (id) on delete cascade,
  user_id uuid not null,
  document tsvector not null
);
comment on table private.message_search is 'What each message is found by; written by a trigger only.';

-- fastupdate is off because every search after an answer would otherwise read the whole list of pending entries.
create index message_search_document on private.message_search using gin (document) with (fastupdate = off);

create function private.text_document(_user_id uuid, variadic _texts text[])
  returns tsvector
  language sql stable
  set search_path = ''
as $$
  -- A vector of words has an end: a megabyte.
  select private.search_document(
    private.search_key(_user_id), '', private.words(left(array_to_string(_texts, ' '), 50000)), null, null, null
  )
$$;
comment on function private.text_document(uuid, text[]) is 'What a message or a mail with these texts is found by.';
revoke all on function private.text_document from public, anon, authenticated, service_role;

create function private.follow_said_words()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.message_search (message_id, user_id, document)
  values (new.id, new.user_id, private.text_document(new.user_id, new.content))
  on conflict (message_id) do update set document = excluded.document;
  return null;
end
$$;
comment on function private.follow_said_words() is 'Writes again what a message is found by.';
revoke all on function private.follow_said_words from public, anon, authenticated, service_role;

create function private.word_beginnings(_words text[])
  returns text[]
  language sql stable strict
  set search_path = ''
as $$
  -- Up to where its stem goes: «fattura» marks «fatture» as well.
  select array_agg(
    regexp_replace(private.words_pattern(array[
      case when starts_with(word, stem) then stem else word end
    ]), '\(\?!\[\[:alnum:\]\]\)$', '[[:alnum:]]*') order by char_length(word) desc, word
  )
  from (
    select word, coalesce((ts_lexize('pg_catalog.italian_stem', word))[1], word) as stem from unnest(_words) as word
  ) as typed
$$;
comment on function private.word_beginnings(text[]) is 'Regular expressions (flag i) for words that begin as these, the longest first.';
revoke all on function private.word_beginnings from public, anon, authenticated, service_role;

create function private.asked_words(_query text)
  returns table (query tsquery, patterns text[])
  language sql stable rows 1
  set search_path = ''
as $$
  select private.search_query(private.search_key((select auth.uid())), words, 'wide'), private.word_beginnings(words)
  from (
    select (string_to_array(private.words(left(_query, 200)), ' '))[1:8] as words
  ) as typed
  where words <> '{}' and words <> '{""}'
$$;
comment on function private.asked_words(text) is
  'What the caller typed to search messages or mails: the query for their index, and what marks the words; no row without words.';
revoke all on function private.asked_words from public, anon, authenticated, service_role;

create function public.search_conversations(_query text, _limit integer default 30)
  returns table (
    conversation_id uuid, title text, message_id uuid, snippet text, marks integer[], at timestamptz, rank real
  )
  language sql stable security definer
  set search_path = ''
as $$
  with asked as materialized (
    select * from private.asked_words(_query)
  ), said as (
    select distinct on (messages.conversation_id) messages.conversation_id, messages.id, messages.content, messages.created_at
    from asked
    join private.message_search as found on found.document @@ asked.query and found.user_id = (select auth.uid())
    join public.messages on messages.user_id = (select auth.uid()) and messages.id = found.message_id
    order by messages.conversation_id, messages.created_at desc
  ), named as (
    select conversations.id from public.conversations, asked
    where user_id = (select auth.uid()) and conversations.title is not null and (
      select bool_and(conversations.title ~* pattern) from unnest(patterns) as pattern
    )
  ), hits as (
    select conversations.*, said.id as said_id, said.content, said.created_at as said_at,
      (case when named.id is not null then 1 else 0 end + case when said.id is not null then 0.5 else 0 end)::real as rank
    from public.conversations
    left join said on said.conversation_id = conversations.id
    left join named on named.id = conversations.id
    where user_id = (select auth.uid()) and not is_temporary
      and conversations.id in (select said.conversation_id from said union all select named.id from named)
    order by rank desc, coalesce(said.created_at, last_message_at) desc, conversations.id
    limit least(greatest(_limit, 0), 200)
  )
  select hits.id, hits.title::text, hits.said_id, cut.snippet, cut.marks, coalesce(hits.said_at, hits.last_message_at), hits.rank
  from hits
  cross join asked
  left join lateral private.page_snippet(hits.content, asked.patterns) as cut on hits.said_id is not null
  order by hits.rank desc, 6 desc, hits.id
$$;
comment on function public.search_conversations(text, integer) is
  'The caller''s conversations in whose title or messages all words stand, each with the latest message that fits; message null: '
  'only the title does. Marks are pairs (begin, end) in the snippet. Temporary ones are not found.';
revoke all on function public.search_conversations from public, anon, authenticated, service_role;
grant execute on function public.search_conversations to authenticated;

alter table private.message_search enable row level security;

revoke all on private.message_search from public, anon, authenticated, service_role;

create trigger follow_said_words
  after insert on public.messages
  for each row when (new.content <> '') execute function private.follow_said_words();

create trigger follow_changed_words
  after update of content on public.messages
  for each row when (new.content <> old.content) execute function private.follow_said_words();
