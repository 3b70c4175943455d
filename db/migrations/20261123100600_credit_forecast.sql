-- How long the credits last, for who asks the assistant.

create function public.credit_forecast()
  returns table (
    balance bigint,
    held bigint,
    used_30d bigint,
    -- Of the days since the first use, seven at least and thirty at most.
    per_day numeric,
    -- Null: nothing was used, or there is more than a year's worth.
    lasts_until date,
    next_expiry_at timestamptz,
    next_expiry_credits bigint
  )
  language sql stable
  set search_path = ''
as $$
  select overview.balance, overview.held, used.credits, used.per_day,
    case when used.per_day > 0 and overview.balance / used.per_day <= 366
      then (now() at time zone 'Europe/Rome')::date + floor(overview.balance / used.per_day)::integer
    end,
    overview.next_expiry_at, overview.next_expiry_credits
  from public.credit_overview() as overview
  cross join lateral (
    select coalesce(-sum(amount), 0)::bigint as credits,
      round(coalesce(-sum(amount), 0) / greatest(
        7, ceil(extract(epoch from now() - min(created_at)) / 86400)
      ), 2) as per_day
    from public.credit_ledger
    where user_id = (select auth.uid()) and kind = 'settle' and created_at >= now() - interval '30 days'
  ) as used
$$;
comment on function public.credit_forecast() is
  'The caller''s credits, what was used in thirty days, and until when they last at that pace; none for a visitor.';

revoke all on function public.credit_forecast from public, anon, authenticated, service_role;
grant execute on function public.credit_forecast to authenticated;
