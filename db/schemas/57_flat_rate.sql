-- The regime forfettario: how near its thresholds a person is this year, and what to set aside for tax and contributions.
--
-- Every figure of the law is a row of public.tax_parameters with its day and its source, which an admin keeps right. What
-- came in is the register's: the invoices that a person marked as paid, by the day of payment. All of it is an estimate,
-- and says so.

create type public.contribution_kind as enum ('gestione_separata', 'importo_fisso');

create table public.tax_parameters (
  name text not null,
  valid_from date not null,
  -- Euros, or per cent.
  value numeric(12,2) not null,
  source text not null,
  created_at timestamptz not null default now(),

  primary key (name, valid_from),
  constraint name_is_a_word check (name ~ '^[a-z][a-z_]{2,40}$'),
  constraint value_is_positive check (value > 0),
  constraint source_fits check (char_length(source) between 5 and 300)
);
comment on table public.tax_parameters is
  'Figures of the law, each from a day on: thresholds in euros, rates in per cent. What «redditivita_» begins is the share '
  'of the takings that counts as income, by kind of activity.';

create table public.flat_rate_choices (
  user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
  activity text not null,
  is_startup boolean not null default false,
  contributions public.contribution_kind not null default 'gestione_separata',
  fixed_cents bigint,
  created_at timestamptz not null default now(),

  constraint activity_is_a_word check (activity ~ '^redditivita_[a-z]{3,30}$'),
  constraint fixed_cents_are_an_amount check (fixed_cents between 0 and 10000000),
  constraint a_fixed_amount_is_named check ((fixed_cents is not null) = (contributions = 'importo_fisso'))
);
comment on table public.flat_rate_choices is
  'What a person in the regime forfettario says for the estimate: kind of activity, whether the first five years, and how '
  'contributions are reckoned, or what they are in a year.';

create table public.tax_deadlines (
  name text primary key,
  month smallint not null,
  day smallint not null,
  title public.single_line not null,
  source text not null,
  created_at timestamptz not null default now(),

  constraint it_is_a_day_of_each_year check (make_date(2001, month, day) is not null),
  constraint source_fits check (char_length(source) between 5 and 300)
);
comment on table public.tax_deadlines is 'Days on which who has the regime forfettario pays, each year.';

create function private.next_deadline(_month integer, _day integer, _today date)
  returns date
  language sql immutable
  set search_path = ''
as $$
  -- What falls on a weekend is due on Monday (D.L. 70/2011, art. 7, c. 1, lett. h).
  select moved from (
    select day + case extract(isodow from day) when 6 then 2 when 7 then 1 else 0 end as moved
    from generate_series(0, 1) as later, lateral (
      select make_date(extract(year from _today)::integer + later, _month, _day) as day
    ) as of_year
  ) as days where moved >= _today order by moved limit 1
$$;
comment on function private.next_deadline(integer, integer, date) is 'When a day of each year is due next, from today on.';
revoke all on function private.next_deadline from public, anon, authenticated, service_role;

create function private.tax_figures(_day date)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select coalesce(jsonb_object_agg(name, jsonb_build_object('value', value, 'since', valid_from, 'source', source)), '{}')
  from (
    select distinct on (name) name, value, valid_from, source from public.tax_parameters
    where valid_from <= _day order by name, valid_from desc
  ) as latest
$$;
comment on function private.tax_figures(date) is 'The figures of the law on a day, {name: {value, since, source}}.';
revoke all on function private.tax_figures from public, anon, authenticated, service_role;

create function private.to_set_aside(_cash_cents bigint, _choices public.flat_rate_choices, _figures jsonb)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  select jsonb_build_object(
    'income_cents', income, 'contribution_cents', contribution, 'tax_cents', tax, 'cents', contribution + tax
  )
  from (select round(greatest(_cash_cents, 0) * (_figures #>> array[_choices.activity, 'value'])::numeric / 100)) as a (income),
    -- What was due last year is taken off when it is paid; the estimate takes off this year's, as who sets aside pays it.
    lateral (
      select case _choices.contributions
        when 'gestione_separata' then round(income * (_figures #>> '{gestione_separata,value}')::numeric / 100)
        else _choices.fixed_cents
      end
    ) as b (contribution),
    lateral (
      select round(greatest(income - contribution, 0)
        * (_figures #>> array[case when _choices.is_startup then 'imposta_avvio' else 'imposta' end, 'value'])::numeric / 100)
    ) as c (tax)
$$;
comment on function private.to_set_aside(bigint, public.flat_rate_choices, jsonb) is
  'Of takings: income, contributions, tax and both together, in cents; null figures where one is not known.';
revoke all on function private.to_set_aside from public, anon, authenticated, service_role;

create function private.flat_rate(_user_id uuid, _today date)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.flat_rate(uuid, date) is
  'Of who has the regime forfettario: takings of the year, thresholds, the day on which this pace reaches the first, and '
  'what to set aside; null for others.';
revoke all on function private.flat_rate from public, anon, authenticated, service_role;

create function private.flat_rate_facts(_flat_rate jsonb, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  with told as (
    select *, private.euros(threshold_cents, 'EUR') as limit_text, private.euros(exit_cents, 'EUR') as exit_text
    from jsonb_to_record(_flat_rate) as told (
      year integer, cash_cents bigint, threshold_cents bigint, exit_cents bigint, over_threshold_on date, over_exit_on date,
      reaches_threshold_on date
    )
    where _flat_rate is not null and threshold_cents is not null and exit_cents is not null
  )
  select 'soglia_forfettario', 'flat_rate', null::uuid,
    coalesce(over_exit_on, over_threshold_on, make_date(year, 1, 1)), null::uuid,
    case
      when over_exit_on is not null then 'Hai superato ' || exit_text || ' di incassi'
      when over_threshold_on is not null then 'Hai superato ' || limit_text || ' di incassi'
      else 'Di questo passo superi ' || limit_text || ' il ' || to_char(reaches_threshold_on, 'DD/MM/YYYY')
    end,
    case
      when over_exit_on is not null
        then 'Oltre questa soglia il forfettario finisce subito: senti il commercialista prima della prossima fattura.'
      when over_threshold_on is not null
        then 'Dal prossimo anno esci dal forfettario. Oltre ' || exit_text || ' ne esci subito.'
      else 'Sopra la soglia dal prossimo anno esci dal forfettario: conta quando incassi, non quando fatturi.'
    end,
    cash_cents, 'EUR',
    case when over_exit_on is not null then 0.9 when over_threshold_on is not null then 0.3 else 0.05 end, '{}'::jsonb
  from told
  where coalesce(over_exit_on, over_threshold_on, reaches_threshold_on) is not null
$$;
comment on function private.flat_rate_facts(jsonb, date) is
  'That the takings of the year pass a threshold of the regime forfettario, or will at this pace.';
revoke all on function private.flat_rate_facts from public, anon, authenticated, service_role;

-- Security definer because browsers read no figures of the law.
create function public.flat_rate_if(_cash_cents bigint)
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select private.to_set_aside(_cash_cents, choices, private.tax_figures(private.today()))
  from public.flat_rate_choices as choices where user_id = (select auth.uid())
$$;
comment on function public.flat_rate_if(bigint) is
  'What the caller would set aside of such takings in the year; null without their choices.';
revoke all on function public.flat_rate_if from public, anon, authenticated, service_role;
grant execute on function public.flat_rate_if to authenticated;

-- Security definer because browsers read no deadlines of the law.
create function public.add_tax_deadlines()
  returns integer
  language sql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.add_tax_deadlines() is
  'Makes tasks of the caller''s next days to pay, but for those that are there; returns how many were made.';
revoke all on function public.add_tax_deadlines from public, anon, authenticated, service_role;
grant execute on function public.add_tax_deadlines to authenticated;

alter table public.tax_parameters enable row level security;
alter table public.flat_rate_choices enable row level security;
alter table public.tax_deadlines enable row level security;

create policy "owners read what they chose" on public.flat_rate_choices
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners choose" on public.flat_rate_choices
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners choose again" on public.flat_rate_choices
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners take their choices back" on public.flat_rate_choices
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.tax_parameters from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.tax_parameters to service_role;

revoke all on public.tax_deadlines from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.tax_deadlines to service_role;

revoke all on public.flat_rate_choices from public, anon, authenticated, service_role;
grant select, delete on public.flat_rate_choices to authenticated;
grant insert (user_id, activity, is_startup, contributions, fixed_cents) on public.flat_rate_choices to authenticated;
grant update (activity, is_startup, contributions, fixed_cents) on public.flat_rate_choices to authenticated;
grant select, insert, update, delete on public.flat_rate_choices to service_role;

create trigger mark_inserted after insert on public.flat_rate_choices
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.flat_rate_choices
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.flat_rate_choices
  referencing old table as changed for each statement execute function private.mark_changed();
