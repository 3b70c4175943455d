-- WhatsApp search: messages are found by the words of their text, the names of their files and the transcript of a voice
-- note, as mails are (58_mail_search.sql).
--
-- The summary of a message holds the first two: a file that is fetched, a status and a price leave it as it is, and Meta
-- delivers an edit as a message of its own. A transcript comes later, and so does the kind of file of an old message.

create table private.whatsapp_search (
  message_id uuid primary key references public.whatsapp_messages (id) on delete cascade,
  user_id uuid not null,
  document tsvector not null
);
comment on table private.whatsapp_search is 'What each WhatsApp message is found by; written by a trigger only.';

-- fastupdate is off because every search after a delivery would otherwise read the whole list of pending entries.
create index whatsapp_search_document on private.whatsapp_search using gin (document) with (fastupdate = off);

create function private.whatsapp_words(_message public.whatsapp_messages)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select left(concat_ws(': ', (_message).summary, (_message).transcript), 20000)
$$;
comment on function private.whatsapp_words is 'What a message says: its summary, and the transcript of a voice note.';
revoke all on function private.whatsapp_words from public, anon, authenticated, service_role;

create function private.follow_whatsapp_words()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.whatsapp_search (message_id, user_id, document)
  values (new.id, new.user_id, private.text_document(new.user_id, private.whatsapp_words(new)))
  on conflict (message_id) do update set document = excluded.document;
  return null;
end
$$;
comment on function private.follow_whatsapp_words() is 'Has a WhatsApp message be found.';
revoke all on function private.follow_whatsapp_words from public, anon, authenticated, service_role;

-- Security definer for the same reason as search_mails(). The function compares the owner itself.
create function public.search_whatsapp(_query text, _limit integer default 30)
  returns table (
    message_id uuid, channel_id uuid, contact_id uuid, is_sent boolean, party text, snippet text, marks integer[], at timestamptz
  )
  language sql stable security definer
  set search_path = ''
as $$
  with asked as materialized (
    select * from private.asked_words(_query)
  ), shown as (
    select message.* from asked
    join private.whatsapp_search as kept on kept.document @@ asked.query and kept.user_id = (select auth.uid())
    join public.whatsapp_messages as message
      on message.user_id = (select auth.uid()) and message.id = kept.message_id and message.state is distinct from 'cancelled'
    order by message.at desc, message.id limit least(greatest(_limit, 0), 100)
  )
  select shown.id, shown.channel_id, shown.contact_id, shown.direction = 'uscita', contacts.name, cut.snippet, cut.marks, shown.at
  from shown cross join asked
  join public.contacts on contacts.user_id = (select auth.uid()) and contacts.id = shown.contact_id
  cross join lateral private.page_snippet(private.whatsapp_words(shown), asked.patterns) as cut
  order by shown.at desc, shown.id
$$;
comment on function public.search_whatsapp(text, integer) is
  'The caller''s WhatsApp messages that have all words, the latest first: a conversation has no end, so each message is '
  'found. Marks are pairs (begin, end) in the snippet.';
revoke all on function public.search_whatsapp from public, anon, authenticated, service_role;
grant execute on function public.search_whatsapp to authenticated;

alter table private.whatsapp_search enable row level security;

revoke all on private.whatsapp_search from public, anon, authenticated, service_role;

-- A reaction is shown at the message that it is about.
create trigger follow_whatsapp_words after insert on public.whatsapp_messages
  for each row when (new.kind <> 'reaction') execute function private.follow_whatsapp_words();

create trigger follow_whatsapp_transcript after update of transcript, summary on public.whatsapp_messages
  for each row when (new.transcript is distinct from old.transcript or new.summary <> old.summary)
  execute function private.follow_whatsapp_words();
