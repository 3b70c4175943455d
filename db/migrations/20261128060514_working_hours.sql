-- Working hours.
--   ALTER TABLE public.profiles ADD COLUMN work_days smallint[] NOT NULL DEFAULT '{1,2,3,4,5}'::smallint[]
--   ALTER TABLE public.profiles ADD COLUMN work_from time WITHOUT time zone NOT NULL DEFAULT '09:00:00'::time WIT…
--   ALTER TABLE public.profiles ADD COLUMN work_to time WITHOUT time zone NOT NULL DEFAULT '18:00:00'::time WITHO…
--   CREATE OR REPLACE FUNCTION private.answer_facts
--   ALTER TABLE public.profiles ADD CONSTRAINT work_days_are_days CHECK (((cardinality(work_days) > 0) AND (cardi…
--   ALTER TABLE public.profiles ADD CONSTRAINT work_ends_after_it_began CHECK ((work_from < work_to))
--   COMMENT ON FUNCTION private.answer_facts
--   REVOKE ALL (work_days) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (work_days) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (work_from) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (work_from) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (work_to) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (work_to) ON TABLE public.profiles TO authenticated

set check_function_bodies = off;

ALTER TABLE "public"."profiles"
  ADD COLUMN "work_days" smallint[] NOT NULL DEFAULT '{1,2,3,4,5}'::smallint[];

ALTER TABLE "public"."profiles"
  ADD COLUMN "work_from" time WITHOUT time zone NOT NULL DEFAULT '09:00:00'::time WITHOUT time zone;

ALTER TABLE "public"."profiles"
  ADD COLUMN "work_to" time WITHOUT time zone NOT NULL DEFAULT '18:00:00'::time WITHOUT time zone;

CREATE OR REPLACE FUNCTION private.answer_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- No words of the mail: what a stranger writes does not become a sentence of ours.
  select 'risposta_dovuta', 'thread', waiting.id, waiting.since, waiting.contact_id, 'Rispondi a ' || waiting.name,
    'Ti ha scritto ' || private.counted(_today - waiting.since, 'un giorno', 'giorni') || ' fa e aspetta una risposta.',
    null::bigint, 'EUR', least(1, 0.5 + (_today - waiting.since) / 20.0),
    jsonb_build_object('counterparty', waiting.name, 'days', _today - waiting.since)
  from (
    select threads.id, threads.contact_id, contacts.name::text as name,
      (threads.last_at at time zone 'Europe/Rome')::date as since
    from public.mail_threads as threads
    join public.contacts on contacts.user_id = _user_id and contacts.id = threads.contact_id
      and contacts.merged_into is null and contacts.deleted_at is null
    -- A mail with a warning is not to be answered in a hurry.
    where threads.user_id = _user_id and not threads.is_done and threads.kind = 'persona' and not threads.has_warnings
    order by threads.last_at, threads.id
    limit private.most_facts()
  ) as waiting
  -- More than one working day: a whole one lies between.
  where exists (
    select from generate_series(waiting.since + 1, _today - 1, interval '1 day') as day
    -- Who works on Sundays works on them whatever feast it is.
    where extract(isodow from day) = any (
        coalesce((select work_days from public.profiles where user_id = _user_id), '{1,2,3,4,5}')
      ) and (extract(isodow from day) = 7 or not private.is_holiday(day::date))
  )
$function$;

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "work_days_are_days"
    CHECK (((cardinality(work_days) > 0) AND (cardinality(work_days) < 8) AND (array_position(work_days, NULL::smallint) IS NULL) AND (work_days <@ '{1,2,3,4,5,6,7}'::smallint[])));

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "work_ends_after_it_began" CHECK ((work_from < work_to));

COMMENT ON FUNCTION "private"."answer_facts"(uuid, date) IS 'Contacts who wait for an answer by mail for more than a working day of the person: their threads still to be done.';

REVOKE ALL ("work_days") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("work_days") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("work_from") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("work_from") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("work_to") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("work_to") ON TABLE "public"."profiles" TO "authenticated";

reset check_function_bodies;
