-- Mails of busy senders.
--   CREATE OR REPLACE FUNCTION private.similar_thread
--   CREATE INDEX received_mails_subject ON public.received_mails USING btree (user_id, party, md5(lower(private.p…

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.similar_thread (
  _user_id uuid,
  _party   text,
  _subject text,
  _at      timestamp with time zone
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select thread_id from public.received_mails
  where user_id = _user_id and party = _party and at between _at - interval '14 days' and _at
    and md5(lower(private.plain_subject(subject))) = md5(lower(private.plain_subject(_subject)))
    and private.plain_subject(_subject) not in ('', 'Senza oggetto')
  order by at desc limit 1
$function$;

CREATE INDEX received_mails_subject ON public.received_mails USING btree (user_id, party, md5(lower(private.plain_subject((subject)::text))), at DESC);

reset check_function_bodies;
