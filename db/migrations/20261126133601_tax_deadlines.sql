-- Tax deadlines.
--   CREATE TABLE public.tax_deadlines ( name text NOT NULL, month smallint NOT NULL, day smallint NOT NULL, title…
--   ALTER TABLE public.tax_deadlines ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.tax_deadlines FROM anon, authenticated
--   CREATE OR REPLACE FUNCTION private.next_deadline
--   CREATE OR REPLACE FUNCTION public.add_tax_deadlines
--   REVOKE ALL ON FUNCTION public.add_tax_deadlines
--   COMMENT ON FUNCTION private.next_deadline
--   COMMENT ON FUNCTION public.add_tax_deadlines
--   COMMENT ON TABLE public.tax_deadlines IS 'Days on which who has the regime forfettario pays, each year.'
--   REVOKE ALL ON FUNCTION private.next_deadline
--   GRANT EXECUTE ON FUNCTION public.add_tax_deadlines
--   REVOKE ALL ON TABLE public.tax_deadlines FROM service_role
--   GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE public.tax_deadlines TO service_role

set check_function_bodies = off;

CREATE TABLE "public"."tax_deadlines" (
  "name"       text                     NOT NULL,
  "month"      smallint                 NOT NULL,
  "day"        smallint                 NOT NULL,
  "title"      public.single_line       NOT NULL,
  "source"     text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "it_is_a_day_of_each_year" CHECK ((make_date(2001, (month)::integer, (day)::integer) IS NOT NULL)),
  CONSTRAINT "source_fits" CHECK (((char_length(source) >= 5) AND (char_length(source) <= 300))),
  CONSTRAINT "tax_deadlines_pkey" PRIMARY KEY (name)
);

ALTER TABLE "public"."tax_deadlines"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."tax_deadlines" FROM "anon", "authenticated";

CREATE OR REPLACE FUNCTION private.next_deadline (
  _month integer,
  _day   integer,
  _today date
)
  RETURNS date
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- What falls on a weekend is due on Monday (D.L. 70/2011, art. 7, c. 1, lett. h).
  select moved from (
    select day + case extract(isodow from day) when 6 then 2 when 7 then 1 else 0 end as moved
    from generate_series(0, 1) as later, lateral (
      select make_date(extract(year from _today)::integer + later, _month, _day) as day
    ) as of_year
  ) as days where moved >= _today order by moved limit 1
$function$;

CREATE OR REPLACE FUNCTION public.add_tax_deadlines()
  RETURNS integer
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with wanted as (
    select title, private.next_deadline(month, day, private.today())::timestamp at time zone 'Europe/Rome' as due_at
    from public.tax_deadlines
    where exists (select from public.profiles where user_id = (select auth.uid()) and tax_regime = 'forfettario')
  ), added as (
    insert into public.tasks (user_id, title, due_at, due_is_allday, origin)
    select (select auth.uid()), title, due_at, true, 'forfettario' from wanted
    where not exists (
      select from public.tasks
      where user_id = (select auth.uid()) and tasks.title = wanted.title and tasks.due_at = wanted.due_at
        and deleted_at is null
    )
    order by due_at
    returning id
  )
  select count(*)::integer from added
$function$;

REVOKE ALL ON FUNCTION "public"."add_tax_deadlines"() FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."next_deadline"(integer, integer, date) IS 'When a day of each year is due next, from today on.';

COMMENT ON FUNCTION "public"."add_tax_deadlines"() IS 'Makes tasks of the caller''s next days to pay, but for those that are there; returns how many were made.';

COMMENT ON TABLE "public"."tax_deadlines" IS 'Days on which who has the regime forfettario pays, each year.';

REVOKE ALL ON FUNCTION "private"."next_deadline"(integer, integer, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."add_tax_deadlines"() TO "authenticated";

REVOKE ALL ON TABLE "public"."tax_deadlines" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."tax_deadlines" TO "service_role";

reset check_function_bodies;
