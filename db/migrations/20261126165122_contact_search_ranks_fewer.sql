-- Contact search ranks fewer.
--   DROP FUNCTION private.flat_rate
--   CREATE OR REPLACE FUNCTION private.flat_rate
--   CREATE OR REPLACE FUNCTION private.ranked_contacts
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   COMMENT ON FUNCTION private.flat_rate
--   REVOKE ALL ON FUNCTION private.flat_rate

set check_function_bodies = off;

DROP FUNCTION "private"."flat_rate"(uuid, private.open_part[], date);

CREATE OR REPLACE FUNCTION private.flat_rate (
  _user_id uuid,
  _today   date
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with year as (
    select date_trunc('year', _today)::date as first_day, (date_trunc('year', _today) + interval '1 year')::date - 1 as last_day
  ), paid as materialized (
    select paid_on, cents, currency, counts from year, public.invoice_parts as part
    where part.user_id = _user_id and part.direction = 'attiva' and part.paid_on between first_day and _today
  ), sums as (
    select coalesce(sum(cents) filter (where currency = 'EUR' and counts), 0)::bigint as cash,
      count(*) filter (where currency <> 'EUR' and counts) as others
    from paid
  ), steps as (
    select paid_on, sum(sum(cents)) over (order by paid_on) as so_far from paid
    where currency = 'EUR' and counts group by paid_on
  ), law as (
    select figures, ((figures #>> '{soglia,value}')::numeric * 100)::bigint as threshold,
      ((figures #>> '{soglia_uscita,value}')::numeric * 100)::bigint as exit
    from (select private.tax_figures(_today) as figures) as today
  ), pace as (
    -- A month is needed to see one.
    select case when cash > 0 and _today - first_day >= 30 then cash::numeric / (_today - first_day + 1) end as a_day
    from sums, year
  )
  select jsonb_build_object(
    'year', extract(year from _today)::integer, 'cash_cents', cash, 'other_currencies', others,
    'threshold_cents', threshold, 'exit_cents', exit,
    'over_threshold_on', (select min(paid_on) from steps where so_far > threshold),
    'over_exit_on', (select min(paid_on) from steps where so_far > exit),
    'projected_cents', round(a_day * (last_day - first_day + 1))::bigint,
    'reaches_threshold_on', case when cash <= threshold and a_day * (last_day - first_day + 1) > threshold
      then first_day + ceil(threshold / a_day)::integer - 1 end,
    'figures', figures,
    'choices', case when choices.user_id is not null then to_jsonb(choices) - '{user_id,created_at}'::text[] end,
    'set_aside', case when choices.user_id is not null then private.to_set_aside(cash, choices, figures) end
  )
  from year, sums, law, pace
  join public.profiles on profiles.user_id = _user_id and tax_regime = 'forfettario'
  left join public.flat_rate_choices as choices on choices.user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.ranked_contacts (
  _user_id uuid,
  _words   text[],
  _how     text,
  _limit   integer
)
  RETURNS TABLE (
    id           uuid,
    type         public.contact_type,
    name         text,
    company_name text,
    job_title    text,
    email        text,
    phone        text,
    rank         real
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with queries as materialized (
    select array_to_string(_words, ' ') as typed,
      private.search_query(private.search_key(_user_id), _words, 'exact') as exact,
      private.search_query(private.search_key(_user_id), _words, _how) as wide
  ), candidates as (
    select contact_id, words, max(fits) + case
        when starts_with(words, typed) then 1 when words like '% ' || typed || '%' then 0.5 else 0
      end as sureness
    from ((
      select contact_id, words, 1 as fits from private.contact_search, queries
      where document @@ exact and user_id = _user_id limit greatest(2000, _limit)
    ) union all (
      select contact_id, words, 0 from private.contact_search, queries
      where document @@ wide and user_id = _user_id limit greatest(2000, _limit)
    )) as found, queries
    group by contact_id, words, typed
    -- A letter or two, or a title that all have, fit thousands, and comparing trigrams is what takes the time. Of equally
    -- sure ones the shorter resembles what was typed more; only of near misses nothing is known beforehand.
    order by sureness desc, char_length(words)
    limit greatest(case when _how = 'near' then 2000 else 200 end, _limit)
  ), best as (
    select contact_id, (
        extensions.word_similarity(typed, words) + extensions.similarity(typed, words) + sureness
      )::real as rank
    from candidates, queries
    where _how <> 'near' or extensions.word_similarity(typed, words) >= 0.4
    order by rank desc, contact_id
    limit _limit
  )
  select contacts.id, contacts.type, contacts.name, company.name, contacts.job_title::text, (
      select value from public.contact_emails
      where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
      order by is_primary desc, created_at, contact_emails.id limit 1
    ), (
      select value::text from public.contact_phones
      where contact_phones.user_id = _user_id and contact_phones.contact_id = contacts.id
      order by is_primary desc, created_at, contact_phones.id limit 1
    ), best.rank
  from best
  join public.contacts on contacts.user_id = _user_id and contacts.id = best.contact_id
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  order by best.rank desc, contacts.name, contacts.id
$function$;

CREATE OR REPLACE FUNCTION private.refresh_home (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := current_setting('request.jwt.claims', true);
  _today constant date := private.today();
  _parts private.open_part[];
  _pairs jsonb;
  _facts private.insight_fact[];
  _flat_rate jsonb;
begin
  -- One at a time for each person. A change that is not committed yet keeps its mark, and is computed after it.
  perform pg_advisory_xact_lock(hashtextextended('home ' || _user_id, 0));
  delete from private.insight_marks where user_id = _user_id;
  if not exists (select from public.profiles where user_id = _user_id) then
    return;
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _user_id, 'role', 'authenticated')::text, true);
  _parts := array(select part from private.open_parts(_user_id) as part);
  select private.standing_pairs(_user_id, pairs) into _pairs
  from private.home_pages where user_id = _user_id and day = _today;
  if not found then
    select coalesce(jsonb_agg(jsonb_build_array(a_id, b_id)), '[]') into _pairs from public.find_duplicates(500);
  end if;
  _flat_rate := private.flat_rate(_user_id, _today);
  _facts := array(
    select fact from private.invoice_facts(_user_id, _parts, _today) as fact
    union all select fact from private.deal_facts(_user_id, _today) as fact
    union all select fact from private.people_facts(_user_id, _today) as fact
    union all select fact from private.task_facts(_user_id, _today) as fact
    union all select fact from private.credit_facts(_today) as fact
    union all select fact from private.client_facts(_user_id, _today) as fact
    union all select fact from private.paper_facts(_user_id, _today) as fact
    union all select fact from private.tidying_facts(_user_id, jsonb_array_length(_pairs), _today) as fact
    union all select fact from private.flat_rate_facts(_flat_rate, _today) as fact
  );
  perform private.keep_insights(_user_id, _facts);
  insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
  values (
    _user_id, _today, now(),
    private.home_content(_user_id, _parts, _facts, _today) || jsonb_build_object('flat_rate', _flat_rate), _pairs
  )
  on conflict (user_id) do update set day = excluded.day, refreshed_at = excluded.refreshed_at,
    content = excluded.content, pairs = excluded.pairs;
  perform set_config('request.jwt.claims', coalesce(_claims, ''), true);
end
$function$;

COMMENT ON FUNCTION "private"."flat_rate"(uuid, date) IS 'Of who has the regime forfettario: takings of the year, thresholds, the day on which this pace reaches the first, and what to set aside; null for others.';

REVOKE ALL ON FUNCTION "private"."flat_rate"(uuid, date) FROM PUBLIC;

reset check_function_bodies;
