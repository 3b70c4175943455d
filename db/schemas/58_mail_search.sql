-- Mail search, and the mails of an invoice or a deal.
--
-- Received mails and those of the outbox are found by the words of their subject, text, attachments and correspondent, as
-- conversations are (39_conversation_search.sql): through an index whose lexemes begin with their owner's key.

create table private.mail_search (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  received_id uuid,
  outgoing_id uuid,
  document tsvector not null,
  -- A row is about one mail.
  constraint it_is_one_mail check (num_nonnulls(received_id, outgoing_id) = 1),
  foreign key (user_id, received_id) references public.received_mails (user_id, id) on delete cascade,
  foreign key (user_id, outgoing_id) references public.outgoing_mails (user_id, id) on delete cascade
);
comment on table private.mail_search is 'What each mail is found by; written by triggers only.';

-- fastupdate is off because every search after a reading would otherwise read the whole list of pending entries.
create index mail_search_document on private.mail_search using gin (document) with (fastupdate = off);

create unique index mail_search_received on private.mail_search (user_id, received_id);

create unique index mail_search_outgoing on private.mail_search (user_id, outgoing_id);

create function private.follow_received_words()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.mail_search (user_id, received_id, document)
  values (new.user_id, new.id, private.text_document(
    new.user_id, new.subject, new.sender_name, new.party,
    (select string_agg(file ->> 'name', ' ') from jsonb_array_elements(new.files) as file), new.body
  ));
  return null;
end
$$;
comment on function private.follow_received_words() is 'Has a received mail be found.';
revoke all on function private.follow_received_words from public, anon, authenticated, service_role;

create function private.follow_sent_words()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.mail_search (user_id, outgoing_id, document)
  values (new.user_id, new.id, private.text_document(new.user_id, new.subject, new.recipient, new.body));
  return null;
end
$$;
comment on function private.follow_sent_words() is 'Has a mail of the outbox be found.';
revoke all on function private.follow_sent_words from public, anon, authenticated, service_role;

-- Security definer because under row level security text operators cannot use the index. The function compares the
-- owner itself.
create function public.search_mails(_query text, _limit integer default 30)
  returns table (
    mail_id uuid, thread_id uuid, contact_id uuid, is_sent boolean, has_warnings boolean, party text, subject text,
    snippet text, marks integer[], at timestamptz
  )
  language sql stable security definer
  set search_path = ''
as $$
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
$$;
comment on function public.search_mails(text, integer) is
  'The caller''s mails that have all words, received and sent, the latest first and one of each conversation. Marks are pairs '
  '(begin, end) in the snippet.';
revoke all on function public.search_mails from public, anon, authenticated, service_role;
grant execute on function public.search_mails to authenticated;

create function public.related_mails(
  _contact_id uuid default null, _invoice_id uuid default null, _deal_id uuid default null, _limit integer default 20
)
  returns table (
    thread_id uuid, outgoing_id uuid, contact_id uuid, party text, subject text, snippet text, state public.mail_state, is_done boolean,
    has_warnings boolean, at timestamptz
  )
  language sql stable
  set search_path = ''
as $$
  with asked as (
    select _contact_id as contact_id, '-infinity'::timestamptz as since where _contact_id is not null
    union all
    select contact_id, created_at from public.deals where user_id = (select auth.uid()) and id = _deal_id
  ), people as (
    -- Of a company, its people too.
    select contacts.id, since from asked join public.contacts on contacts.user_id = (select auth.uid())
      and (contacts.id = asked.contact_id or contacts.company_id = asked.contact_id)
  ), threads as (
    select * from public.mail_threads where user_id = (select auth.uid()) and invoice_id = _invoice_id
    union
    select * from public.mail_threads where user_id = (select auth.uid()) and deal_id = _deal_id
    union
    select thread.* from people join public.mail_threads as thread
      on thread.user_id = (select auth.uid()) and thread.contact_id = people.id and thread.last_at >= people.since
  ), letters as (
    select * from public.outgoing_mails where user_id = (select auth.uid()) and invoice_id = _invoice_id
    union
    select * from public.outgoing_mails
    where user_id = (select auth.uid()) and more_invoice_ids <> '{}' and more_invoice_ids @> array[_invoice_id]
    union
    select sent.* from people join public.outgoing_mails as sent
      on sent.user_id = (select auth.uid()) and sent.contact_id = people.id and sent.created_at >= people.since
  )
  select threads.id, null::uuid, threads.contact_id, coalesce(contacts.name, party_name, party), threads.subject::text, threads.snippet,
    null::public.mail_state, threads.is_done, threads.has_warnings, threads.last_at
  from threads left join public.contacts on contacts.user_id = threads.user_id and contacts.id = threads.contact_id
  union all
  select null, sent.id, sent.contact_id, coalesce(contacts.name, sent.recipient), sent.subject::text, left(sent.body, 200), sent.state, true, false,
    coalesce(sent.sent_at, sent.created_at)
  from letters as sent
  left join public.contacts on contacts.user_id = sent.user_id and contacts.id = sent.contact_id
  where sent.state <> 'cancelled' and not exists (
    select from public.mail_thread_letters as letter join threads on threads.id = letter.thread_id
    where letter.outgoing_id = sent.id
  )
  order by 10 desc, 5 limit least(greatest(_limit, 0), 100)
$$;
comment on function public.related_mails is
  'The caller''s conversations and single letters with a contact, about an invoice, or with the contact of a deal since it began; '
  'the latest first. A company''s include those of its people.';
revoke all on function public.related_mails from public, anon, authenticated, service_role;
grant execute on function public.related_mails to authenticated;

alter table private.mail_search enable row level security;

revoke all on private.mail_search from public, anon, authenticated, service_role;

create trigger follow_received_words after insert on public.received_mails
  for each row execute function private.follow_received_words();

create trigger follow_sent_words after insert on public.outgoing_mails
  for each row execute function private.follow_sent_words();
