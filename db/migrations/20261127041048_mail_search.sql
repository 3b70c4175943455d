-- Mail search.
--   CREATE TABLE private.mail_search ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, user_id uuid NOT NULL, re…
--   ALTER TABLE private.mail_search ENABLE ROW LEVEL SECURITY
--   ALTER TABLE public.mail_threads ADD COLUMN deal_id uuid
--   CREATE OR REPLACE FUNCTION private.follow_received_words
--   CREATE OR REPLACE FUNCTION private.follow_sent_words
--   CREATE OR REPLACE FUNCTION private.mail_document
--   CREATE OR REPLACE FUNCTION public.related_mails
--   REVOKE ALL ON FUNCTION public.related_mails
--   CREATE OR REPLACE FUNCTION public.search_mails
--   REVOKE ALL ON FUNCTION public.search_mails
--   ALTER TABLE private.mail_search ADD CONSTRAINT mail_search_user_id_outgoing_id_fkey FOREIGN KEY (user_id, out…
--   ALTER TABLE private.mail_search ADD CONSTRAINT mail_search_user_id_received_id_fkey FOREIGN KEY (user_id, rec…
--   ALTER TABLE public.mail_threads ADD CONSTRAINT mail_threads_user_id_deal_id_fkey FOREIGN KEY (user_id, deal_i…
--   CREATE INDEX mail_search_document ON private.mail_search USING gin (document) WITH (fastupdate=off)
--   CREATE UNIQUE INDEX mail_search_outgoing ON private.mail_search USING btree (user_id, outgoing_id)
--   CREATE UNIQUE INDEX mail_search_received ON private.mail_search USING btree (user_id, received_id)
--   CREATE INDEX mail_threads_deal ON public.mail_threads USING btree (user_id, deal_id)
--   CREATE TRIGGER follow_sent_words AFTER INSERT ON public.outgoing_mails FOR EACH ROW EXECUTE FUNCTION private.…
--   CREATE TRIGGER follow_received_words AFTER INSERT ON public.received_mails FOR EACH ROW EXECUTE FUNCTION priv…
--   COMMENT ON COLUMN public.mail_threads.deal_id IS 'The deal that its owner made of it.'
--   COMMENT ON FUNCTION private.follow_received_words
--   COMMENT ON FUNCTION private.follow_sent_words
--   COMMENT ON FUNCTION private.mail_document
--   COMMENT ON FUNCTION public.related_mails
--   COMMENT ON FUNCTION public.search_mails
--   COMMENT ON TABLE private.mail_search IS 'What each mail is found by; written by triggers only.'
--   REVOKE ALL ON FUNCTION private.follow_received_words
--   REVOKE ALL ON FUNCTION private.follow_sent_words
--   REVOKE ALL ON FUNCTION private.mail_document
--   GRANT EXECUTE ON FUNCTION public.related_mails
--   GRANT EXECUTE ON FUNCTION public.search_mails

set check_function_bodies = off;

CREATE TABLE "private"."mail_search" (
  "id"          bigint   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "user_id"     uuid     NOT NULL,
  "received_id" uuid,
  "outgoing_id" uuid,
  "document"    tsvector NOT NULL,
  CONSTRAINT "it_is_one_mail" CHECK ((num_nonnulls(received_id, outgoing_id) = 1)),
  CONSTRAINT "mail_search_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."mail_search"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "public"."mail_threads"
  ADD COLUMN "deal_id" uuid;

CREATE OR REPLACE FUNCTION private.follow_received_words()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.mail_search (user_id, received_id, document)
  values (new.user_id, new.id, private.mail_document(
    new.user_id, new.subject, new.sender_name, new.party,
    (select string_agg(file ->> 'name', ' ') from jsonb_array_elements(new.files) as file), new.body
  ));
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
  values (new.user_id, new.id, private.mail_document(new.user_id, new.subject, new.recipient, new.body));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_document (
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

CREATE OR REPLACE FUNCTION public.related_mails (
  _contact_id uuid    DEFAULT NULL::uuid,
  _invoice_id uuid    DEFAULT NULL::uuid,
  _deal_id    uuid    DEFAULT NULL::uuid,
  _limit      integer DEFAULT 20
)
  RETURNS TABLE (
    thread_id    uuid,
    outgoing_id  uuid,
    contact_id   uuid,
    party        text,
    subject      text,
    snippet      text,
    state        public.mail_state,
    is_done      boolean,
    has_warnings boolean,
    at           timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

REVOKE ALL ON FUNCTION "public"."related_mails"(uuid, uuid, uuid, integer) FROM PUBLIC, "anon", "service_role";

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
    select words, private.search_query(private.search_key((select auth.uid())), words, 'wide') as query,
      private.word_beginnings(words) as patterns
    from (
      select (string_to_array(private.words(left(_query, 200)), ' '))[1:8] as words
    ) as typed
    where words <> '{}' and words <> '{""}'
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

REVOKE ALL ON FUNCTION "public"."search_mails"(text, integer) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."mail_search"
  ADD CONSTRAINT "mail_search_user_id_outgoing_id_fkey" FOREIGN KEY (user_id, outgoing_id) REFERENCES public.outgoing_mails(user_id, id) ON DELETE CASCADE;

ALTER TABLE "private"."mail_search"
  ADD CONSTRAINT "mail_search_user_id_received_id_fkey" FOREIGN KEY (user_id, received_id) REFERENCES public.received_mails(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."mail_threads"
  ADD CONSTRAINT "mail_threads_user_id_deal_id_fkey" FOREIGN KEY (user_id, deal_id) REFERENCES public.deals(user_id, id) ON DELETE SET NULL (deal_id);

CREATE INDEX mail_search_document ON private.mail_search USING gin (document)
  WITH (fastupdate=off);

CREATE UNIQUE INDEX mail_search_outgoing ON private.mail_search USING btree (user_id, outgoing_id);

CREATE UNIQUE INDEX mail_search_received ON private.mail_search USING btree (user_id, received_id);

CREATE INDEX mail_threads_deal ON public.mail_threads USING btree (user_id, deal_id);

CREATE TRIGGER follow_sent_words
  AFTER INSERT ON public.outgoing_mails
  FOR EACH ROW
  EXECUTE FUNCTION private.follow_sent_words();

CREATE TRIGGER follow_received_words
  AFTER INSERT ON public.received_mails
  FOR EACH ROW
  EXECUTE FUNCTION private.follow_received_words();

COMMENT ON COLUMN "public"."mail_threads"."deal_id" IS 'The deal that its owner made of it.';

COMMENT ON FUNCTION "private"."follow_received_words"() IS 'Has a received mail be found.';

COMMENT ON FUNCTION "private"."follow_sent_words"() IS 'Has a mail of the outbox be found.';

COMMENT ON FUNCTION "private"."mail_document"(uuid, text[]) IS 'What a mail with these texts is found by.';

COMMENT ON FUNCTION "public"."related_mails"(uuid, uuid, uuid, integer) IS 'The caller''s conversations and single letters with a contact, about an invoice, or with the contact of a deal since it began; the latest first. A company''s include those of its people.';

COMMENT ON FUNCTION "public"."search_mails"(text, integer) IS 'The caller''s mails in which all words stand, received and sent, the latest first and one of each conversation. Marks are pairs (begin, end) in the snippet.';

COMMENT ON TABLE "private"."mail_search" IS 'What each mail is found by; written by triggers only.';

REVOKE ALL ON FUNCTION "private"."follow_received_words"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."follow_sent_words"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_document"(uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."related_mails"(uuid, uuid, uuid, integer) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."search_mails"(text, integer) TO "authenticated";

reset check_function_bodies;

-- Mails from before.
insert into private.mail_search (user_id, received_id, document)
select user_id, id, private.mail_document(
  user_id, subject, sender_name, party, (select string_agg(file ->> 'name', ' ') from jsonb_array_elements(files) as file), body
)
from public.received_mails
on conflict do nothing;

insert into private.mail_search (user_id, outgoing_id, document)
select user_id, id, private.mail_document(user_id, subject, recipient, body) from public.outgoing_mails
on conflict do nothing;
