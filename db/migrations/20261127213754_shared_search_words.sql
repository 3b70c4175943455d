-- Shared search words.
--   DROP FUNCTION private.mail_document
--   CREATE OR REPLACE FUNCTION private.asked_words
--   CREATE OR REPLACE FUNCTION private.follow_received_words
--   CREATE OR REPLACE FUNCTION private.follow_said_words
--   CREATE OR REPLACE FUNCTION private.follow_sent_words
--   CREATE OR REPLACE FUNCTION private.text_document
--   CREATE OR REPLACE FUNCTION public.search_conversations
--   CREATE OR REPLACE FUNCTION public.search_mails
--   COMMENT ON FUNCTION private.asked_words
--   COMMENT ON FUNCTION private.text_document
--   REVOKE ALL ON FUNCTION private.asked_words
--   REVOKE ALL ON FUNCTION private.text_document

set check_function_bodies = off;

DROP FUNCTION "private"."mail_document"(uuid, text[]);

CREATE OR REPLACE FUNCTION private.asked_words (
  _query text
)
  RETURNS TABLE (
    query    tsquery,
    patterns text[]
  )
  LANGUAGE sql
  STABLE
  ROWS 1
  SET search_path TO ''
  AS $function$
  select private.search_query(private.search_key((select auth.uid())), words, 'wide'), private.word_beginnings(words)
  from (
    select (string_to_array(private.words(left(_query, 200)), ' '))[1:8] as words
  ) as typed
  where words <> '{}' and words <> '{""}'
$function$;

CREATE OR REPLACE FUNCTION private.follow_received_words()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.mail_search (user_id, received_id, document)
  values (new.user_id, new.id, private.text_document(
    new.user_id, new.subject, new.sender_name, new.party,
    (select string_agg(file ->> 'name', ' ') from jsonb_array_elements(new.files) as file), new.body
  ));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.follow_said_words()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.message_search (message_id, user_id, document)
  values (new.id, new.user_id, private.text_document(new.user_id, new.content))
  on conflict (message_id) do update set document = excluded.document;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.follow_sent_words()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.mail_search (user_id, outgoing_id, document)
  values (new.user_id, new.id, private.text_document(new.user_id, new.subject, new.recipient, new.body));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.text_document (
  _user_id uuid,
  VARIADIC _texts text[]
)
  RETURNS tsvector
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- A vector of words has an end: a megabyte.
  select private.search_document(
    private.search_key(_user_id), '', private.words(left(array_to_string(_texts, ' '), 50000)), null, null, null
  )
$function$;

CREATE OR REPLACE FUNCTION public.search_conversations (
  _query text,
  _limit integer DEFAULT 30
)
  RETURNS TABLE (
    conversation_id uuid,
    title           text,
    message_id      uuid,
    snippet         text,
    marks           integer[],
    at              timestamp with time zone,
    rank            real
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.search_mails (
  _query text,
  _limit integer DEFAULT 30
)
  RETURNS TABLE (
    mail_id      uuid,
    thread_id    uuid,
    contact_id   uuid,
    is_sent      boolean,
    has_warnings boolean,
    party        text,
    subject      text,
    snippet      text,
    marks        integer[],
    at           timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with asked as materialized (
    select * from private.asked_words(_query)
  ), found as materialized (
    select kept.received_id, kept.outgoing_id from asked
    join private.mail_search as kept on kept.document @@ asked.query and kept.user_id = (select auth.uid())
  ), hits as (
    select mail.id, mail.thread_id, mail.contact_id, mail.folder = 'inviati' as is_sent, mail.warnings <> '[]' as has_warnings,
      coalesce(case when mail.folder = 'ricevuti' then mail.sender_name end, mail.party) as party, mail.subject::text,
      mail.body, mail.at
    from found join public.received_mails as mail
      on mail.user_id = (select auth.uid()) and mail.id = found.received_id
    union all
    select sent.id, letter.thread_id, sent.contact_id, true, false, sent.recipient, sent.subject::text, sent.body,
      coalesce(sent.sent_at, sent.created_at)
    from found join public.outgoing_mails as sent
      on sent.user_id = (select auth.uid()) and sent.id = found.outgoing_id and sent.state <> 'cancelled'
    left join public.mail_thread_letters as letter on letter.outgoing_id = sent.id
  ), latest as (
    -- Of a conversation the latest that fits.
    select distinct on (coalesce(hits.thread_id, hits.id)) * from hits order by coalesce(hits.thread_id, hits.id), hits.at desc
  ), shown as (
    select * from latest order by latest.at desc, latest.id limit least(greatest(_limit, 0), 100)
  )
  select shown.id, shown.thread_id, shown.contact_id, shown.is_sent, shown.has_warnings, coalesce(contacts.name, shown.party),
    shown.subject, cut.snippet, cut.marks, shown.at
  from shown cross join asked
  left join public.contacts on contacts.user_id = (select auth.uid()) and contacts.id = shown.contact_id
  left join lateral private.page_snippet(shown.body, asked.patterns) as cut on true
  order by shown.at desc, shown.id
$function$;

COMMENT ON FUNCTION "private"."asked_words"(text) IS 'What the caller typed to search messages or mails: the query for their index, and what marks the words; no row without words.';

COMMENT ON FUNCTION "private"."text_document"(uuid, text[]) IS 'What a message or a mail with these texts is found by.';

REVOKE ALL ON FUNCTION "private"."asked_words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."text_document"(uuid, text[]) FROM PUBLIC;

reset check_function_bodies;
