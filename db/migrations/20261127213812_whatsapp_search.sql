-- WhatsApp search.
--   CREATE TABLE private.whatsapp_search ( message_id uuid NOT NULL, user_id uuid NOT NULL, document tsvector NOT…
--   ALTER TABLE private.whatsapp_search ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.follow_whatsapp_words
--   CREATE OR REPLACE FUNCTION public.search_whatsapp
--   REVOKE ALL ON FUNCTION public.search_whatsapp
--   ALTER TABLE private.whatsapp_search ADD CONSTRAINT whatsapp_search_message_id_fkey FOREIGN KEY (message_id) R…
--   CREATE INDEX whatsapp_search_document ON private.whatsapp_search USING gin (document) WITH (fastupdate=off)
--   CREATE TRIGGER follow_whatsapp_words AFTER INSERT ON public.whatsapp_messages FOR EACH ROW WHEN ((new.kind <>…
--   COMMENT ON FUNCTION private.follow_whatsapp_words
--   COMMENT ON FUNCTION public.search_whatsapp
--   COMMENT ON TABLE private.whatsapp_search IS 'What each WhatsApp message is found by; written by a trigger onl…
--   REVOKE ALL ON FUNCTION private.follow_whatsapp_words
--   GRANT EXECUTE ON FUNCTION public.search_whatsapp

set check_function_bodies = off;

CREATE TABLE "private"."whatsapp_search" (
  "message_id" uuid     NOT NULL,
  "user_id"    uuid     NOT NULL,
  "document"   tsvector NOT NULL,
  CONSTRAINT "whatsapp_search_pkey" PRIMARY KEY (message_id)
);

ALTER TABLE "private"."whatsapp_search"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.follow_whatsapp_words()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.whatsapp_search (message_id, user_id, document)
  values (new.id, new.user_id, private.text_document(new.user_id, new.summary));
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.search_whatsapp (
  _query text,
  _limit integer DEFAULT 30
)
  RETURNS TABLE (
    message_id uuid,
    channel_id uuid,
    contact_id uuid,
    is_sent    boolean,
    party      text,
    snippet    text,
    marks      integer[],
    at         timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  cross join lateral private.page_snippet(shown.summary, asked.patterns) as cut
  order by shown.at desc, shown.id
$function$;

REVOKE ALL ON FUNCTION "public"."search_whatsapp"(text, integer) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."whatsapp_search"
  ADD CONSTRAINT "whatsapp_search_message_id_fkey" FOREIGN KEY (message_id) REFERENCES public.whatsapp_messages(id) ON DELETE CASCADE;

CREATE INDEX whatsapp_search_document ON private.whatsapp_search USING gin (document)
  WITH (fastupdate=off);

CREATE TRIGGER follow_whatsapp_words
  AFTER INSERT ON public.whatsapp_messages
  FOR EACH ROW
  WHEN ((new.kind <> 'reaction'::text))
  EXECUTE FUNCTION private.follow_whatsapp_words();

COMMENT ON FUNCTION "private"."follow_whatsapp_words"() IS 'Has a WhatsApp message be found.';

COMMENT ON FUNCTION "public"."search_whatsapp"(text, integer) IS 'The caller''s WhatsApp messages in which all words stand, the latest first: a conversation has no end, so each message is found. Marks are pairs (begin, end) in the snippet.';

COMMENT ON TABLE "private"."whatsapp_search" IS 'What each WhatsApp message is found by; written by a trigger only.';

REVOKE ALL ON FUNCTION "private"."follow_whatsapp_words"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."search_whatsapp"(text, integer) TO "authenticated";

reset check_function_bodies;

-- Messages from before.
insert into private.whatsapp_search (message_id, user_id, document)
select id, user_id, private.text_document(user_id, summary) from public.whatsapp_messages where kind <> 'reaction'
on conflict do nothing;
