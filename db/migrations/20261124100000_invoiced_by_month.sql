-- What came in of the invoices one issued, month by month: the chart of /home.

-- Invoker: the caller's rows only. An invoice without days of payment is due as a whole. Credit notes take away, however
-- they are signed; self-invoices bring no money; amounts of other currencies do not add up with euros.
create function public.invoiced_by_month(_months integer default 12)
  returns table (month date, collected_cents bigint, open_cents bigint, late_cents bigint)
  language sql stable
  set search_path = ''
as $$
  with today as (select (now() at time zone 'Europe/Rome')::date as today),
  months as (
    select generate_series(
      date_trunc('month', today::timestamp) - make_interval(months => least(greatest(_months, 1), 120) - 1),
      date_trunc('month', today::timestamp), interval '1 month'
    )::date as month
    from today
  ),
  parts as (
    select date_trunc('month', issued_on::timestamp)::date as month,
      case when type_code in ('TD04', 'TD08') then -abs(due) else due end as cents,
      coalesce(parts.paid_on, invoices.paid_on) is not null as is_paid,
      coalesce(due_on < today, false) as is_late
    from public.invoices
    cross join today
    left join public.invoice_schedules as parts
      on parts.user_id = invoices.user_id and parts.invoice_id = invoices.id
    cross join lateral (select coalesce(parts.amount_cents, due_cents, total_cents)) as due (due)
    where invoices.user_id = (select auth.uid()) and direction = 'attiva' and currency = 'EUR'
      and type_code not between 'TD16' and 'TD23' and type_code not in ('TD27', 'TD28', 'TD29')
      and issued_on >= (select min(month) from months)
      and exists (
        select from public.documents
        where documents.user_id = invoices.user_id and documents.id = document_id and deleted_at is null
      )
  )
  select months.month,
    coalesce(sum(cents) filter (where is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid and is_late), 0)::bigint
  from months left join parts using (month)
  group by months.month
  order by months.month
$$;
comment on function public.invoiced_by_month(integer) is
  'Of the caller''s issued invoices in euro, by their month in Italy, this one last: what was paid, what is open, and what of '
  'that is late.';

revoke all on function public.invoiced_by_month from public, anon, authenticated, service_role;
grant execute on function public.invoiced_by_month to authenticated;
