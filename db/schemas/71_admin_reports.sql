-- Reports for admins: figures that the job admin_snapshots measures, so that no screen reads a hot table.
--
-- A snapshot is `{"figures": {name: number}, "tables": {name: [row]}}`. Only the newest of a name keeps its tables. Rows
-- about people are counts of at least five people.

create table private.admin_snapshots (
  name text not null,
  -- Start of the interval that the snapshot stands for: what is kept a second time in it takes the place of the first.
  slot timestamptz not null,
  taken_at timestamptz not null default now(),
  every interval not null,
  content jsonb not null,

  primary key (name, slot),
  constraint content_has_figures check (jsonb_typeof(content -> 'figures') = 'object')
);
comment on table private.admin_snapshots is 'What the reports for admins show, measured by a job; kept 200 days.';

create function private.keep_snapshot(_name text, _every interval, _content jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _slot constant timestamptz := date_bin(_every, now(), 'epoch'::timestamptz);
begin
  insert into private.admin_snapshots (name, slot, every, content) values (_name, _slot, _every, _content)
  on conflict (name, slot) do update set taken_at = now(), content = excluded.content;
  update private.admin_snapshots set content = content - 'tables'
  where name = _name and slot = (
    select slot from private.admin_snapshots where name = _name and slot < _slot order by slot desc limit 1
  );
  delete from private.admin_snapshots where name = _name and slot < now() - interval '200 days';
end
$$;
comment on function private.keep_snapshot(text, interval, jsonb) is
  'Keep a snapshot, one for each interval of this length, and delete what is too old.';
revoke all on function private.keep_snapshot from public, anon, authenticated, service_role;
grant execute on function private.keep_snapshot to service_role;

create function private.keep_client_sizes(_release text, _sizes jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _known constant jsonb := coalesce(
    (select content #> '{tables,releases}' from private.admin_snapshots where name = 'client' order by slot desc limit 1),
    '[]'
  );
begin
  perform private.keep_snapshot('client', '1 day', jsonb_build_object(
    'figures', _sizes,
    'tables', jsonb_build_object('releases', case
      when _known #>> '{0,release}' = _release then _known
      -- The newest first, as many as a screen shows.
      else (
        select jsonb_agg(each order by place)
        from jsonb_array_elements(jsonb_build_array(jsonb_build_object('release', _release, 'since', now()) || _sizes) || _known)
          with ordinality as releases (each, place)
        where place <= 12
      )
    end)
  ));
end
$$;
comment on function private.keep_client_sizes(text, jsonb) is
  'Note what the parts of the client that is served weigh, in bytes, and the last twelve versions.';
revoke all on function private.keep_client_sizes from public, anon, authenticated, service_role;
grant execute on function private.keep_client_sizes to service_role;

create function private.measure_database()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'size_bytes', pg_database_size(current_database()),
      'cache_hit', coalesce((
        select round(100.0 * blks_hit / nullif(blks_hit + blks_read, 0), 2) from pg_stat_database
        where datname = current_database()
      ), 100),
      'connections', (select count(*) from pg_stat_activity where backend_type = 'client backend'),
      'max_connections', current_setting('max_connections')::integer,
      'longest_transaction_s', coalesce((
        select extract(epoch from now() - min(xact_start))::integer from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      ), 0),
      'blocked', (
        select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and cardinality(pg_blocking_pids(pid)) > 0
      ),
      'xid_age', (select age(datfrozenxid) from pg_database where datname = current_database()),
      'slot_lag_bytes', coalesce((
        select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots
        where database = current_database()
      ), 0)
    ),
    'tables', jsonb_build_object(
      'largest', (
        select coalesce(jsonb_agg(to_jsonb(largest)), '[]')
        from (
          select format('%s.%s', schemaname, relname) as name, pg_total_relation_size(relid) as size_bytes,
            n_live_tup as rows, n_dead_tup as dead_rows, greatest(last_vacuum, last_autovacuum) as vacuumed_at,
            greatest(last_analyze, last_autoanalyze) as analyzed_at
          from pg_stat_user_tables order by size_bytes desc limit 20
        ) as largest
      ),
      'unused_indexes', (
        select coalesce(jsonb_agg(to_jsonb(unused)), '[]')
        from (
          select format('%s.%s', schemaname, indexrelname) as name, pg_relation_size(indexrelid) as size_bytes
          from pg_stat_user_indexes join pg_index using (indexrelid)
          where idx_scan = 0 and not indisunique and schemaname in ('public', 'private')
          order by size_bytes desc limit 20
        ) as unused
      ),
      'slots', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'name', slot_name, 'active', active, 'lag_bytes', pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)
        ) order by slot_name), '[]') from pg_replication_slots where database = current_database()
      )
    )
  )
$$;
comment on function private.measure_database() is 'Measure the database by its own statistics.';
revoke all on function private.measure_database from public, anon, authenticated, service_role;

-- An answer is charged by its hold. What came in is what was paid for the lots that it drew from, so free credits count
-- for nothing. Answers that failed cost the provider's price too.
create function private.margins_of_actions()
  returns table (
    name text, answers bigint, credits numeric, paid_credits numeric, charged_cents numeric, cost_cents numeric,
    margin_cents numeric, uncounted bigint
  )
  language sql stable
  set search_path = ''
as $$
  with calls as (
    select usage.user_id, holds.id as hold_id,
      case work when 'transcript' then 'voice_minute' else coalesce(holds.ref_type, 'free') end as name,
      coalesce(seconds, tokens_in + tokens_out, 0) > 0 as is_counted,
      private.ai_cost_cents(
        host, model, tokens_in, tokens_out, seconds, (usage.created_at at time zone 'Europe/Rome')::date
      ) as cost_cents
    from public.ai_usage as usage
    left join lateral (
      select id, ref_type, state from public.credit_holds
      where user_id = usage.user_id and work = 'answer' and idempotency_key = 'chat:' || message_id
      union all
      -- One of its attempts at most is charged.
      select id, ref_type, state from public.credit_holds
      where user_id = usage.user_id and work in ('letter', 'transcript') and ref_id = message_id::text
        and ref_type = case work when 'transcript' then 'voice_minute' else work end and state in ('open', 'settled')
    ) as holds on true
    where mode = 'ia' and usage.created_at > now() - interval '30 days'
      and holds.state is distinct from 'open'
  ), charged as (
    select ledger.hold_id, -sum(ledger.amount) as credits, -sum(ledger.amount) filter (where paid_cents > 0) as paid_credits,
      -sum(ledger.amount * paid_cents::numeric / lots.amount) as cents
    from calls
    join public.credit_ledger as ledger on ledger.user_id = calls.user_id and ledger.hold_id = calls.hold_id
    join public.credit_lots as lots on lots.user_id = ledger.user_id and lots.id = lot_id
    where ledger.kind = 'settle'
    group by ledger.hold_id
  ), actions as (
    select name, count(*) as answers, coalesce(sum(credits), 0) as credits, coalesce(sum(paid_credits), 0) as paid_credits,
      coalesce(sum(cents), 0) as charged_cents,
      case when bool_and(cost_cents is not null) filter (where is_counted) then sum(cost_cents) end as cost_cents,
      count(*) filter (where not is_counted) as uncounted
    from calls left join charged using (hold_id)
    group by name having count(distinct user_id) >= 5
  )
  select name, answers, credits, paid_credits, round(charged_cents, 2), round(cost_cents, 2),
    round(charged_cents - cost_cents, 2), uncounted
  from actions
$$;
comment on function private.margins_of_actions() is
  'What answers and transcripts of providers brought and cost in 30 days, by action; a cost is null where a rate is missing.';
revoke all on function private.margins_of_actions from public, anon, authenticated, service_role;

create function private.measure_credits()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with left_over as (
    select to_char(expires_at at time zone 'Europe/Rome', 'YYYY-MM') as month, user_id, remaining + held as credits,
      paid_cents * (remaining + held) / amount as cents
    from public.credit_lots where remaining + held > 0
  ), months as (
    select coalesce(month, 'mai') as name, sum(credits) as credits, sum(cents) as cents from left_over
    group by month having count(distinct user_id) >= 5
  ), used as (
    select coalesce(ref_type, 'altro') as name, -sum(amount) as credits, count(*) as count from public.credit_ledger
    where kind = 'settle' and created_at > now() - interval '30 days'
    group by ref_type having count(distinct user_id) >= 5
  ), margins as materialized (
    select * from private.margins_of_actions()
  ), unpriced as (
    select distinct host, model from public.ai_usage
    where mode = 'ia' and created_at > now() - interval '30 days' and coalesce(seconds, tokens_in + tokens_out) > 0
      and private.ai_cost_cents(
        host, model, tokens_in, tokens_out, seconds, (created_at at time zone 'Europe/Rome')::date
      ) is null
  )
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'drifted', (select count(*) from private.drifted_wallets()),
      'liability_cents', (select coalesce(sum(cents), 0) from left_over),
      'liability_credits', (select coalesce(sum(credits), 0) from left_over),
      'open_holds', (select count(*) from public.credit_holds where state = 'open'),
      'old_holds', (
        select count(*) from public.credit_holds where state = 'open' and created_at < now() - interval '10 minutes'
      ),
      'used_credits', (
        select coalesce(-sum(amount), 0) from public.credit_ledger
        where kind = 'settle' and created_at > now() - interval '30 days'
      ),
      'negative_margins', (select count(*) from margins where margin_cents < 0),
      'unknown_costs', (select count(*) from margins where cost_cents is null)
    ),
    'tables', jsonb_build_object(
      'liability', (select coalesce(jsonb_agg(to_jsonb(months) order by name), '[]') from months),
      'used', (select coalesce(jsonb_agg(to_jsonb(used) order by credits desc), '[]') from used),
      'margins', (select coalesce(jsonb_agg(to_jsonb(margins) order by margin_cents nulls last, name), '[]') from margins),
      'unpriced', (select coalesce(jsonb_agg(to_jsonb(unpriced) order by host, model), '[]') from unpriced)
    )
  )
$$;
comment on function private.measure_credits() is
  'Measure what is owed in credits and what actions bring and cost, and compare all wallets with the ledger.';
revoke all on function private.measure_credits from public, anon, authenticated, service_role;

create function private.revenue_cents(_people uuid[] default null)
  returns bigint
  language sql stable
  set search_path = ''
as $$
  select coalesce(sum(amount_cents - refunded_cents), 0)::bigint from public.credit_orders
  where paid_at > now() - interval '30 days' and (_people is null or user_id = any(_people))
$$;
comment on function private.revenue_cents(uuid[]) is
  'What the orders of 30 days brought, less what was refunded of them; with _people those of these people only.';
revoke all on function private.revenue_cents from public, anon, authenticated, service_role;

create function private.measure_payments()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'events', (select count(*) from public.payment_events where received_at > now() - interval '1 day'),
      'waiting', (
        select count(*) from public.payment_events
        where handled_at is null and given_up_at is null and outcome is distinct from 'failed'
      ),
      'failed', (select count(*) from public.payment_events where handled_at is null and outcome = 'failed'),
      'oldest_waiting_s', coalesce((
        select extract(epoch from now() - min(received_at))::integer from public.payment_events
        where handled_at is null and given_up_at is null
      ), 0),
      'open_alerts', (select count(*) from public.payment_alerts where resolved_at is null),
      'revenue_cents', private.revenue_cents(),
      'orders', (select count(*) from public.credit_orders where paid_at > now() - interval '30 days')
    ),
    'tables', jsonb_build_object(
      'types', (
        select coalesce(jsonb_agg(to_jsonb(types) order by count desc), '[]')
        from (
          select type as name, coalesce(outcome, 'da gestire') as outcome, count(*) as count
          from public.payment_events where received_at > now() - interval '30 days' group by 1, 2
        ) as types
      )
    )
  )
$$;
comment on function private.measure_payments() is 'Count events of the payment provider by what became of them.';
revoke all on function private.measure_payments from public, anon, authenticated, service_role;

create function private.measure_errors()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('figures', jsonb_build_object(
    'last_day', count(*) filter (where created_at > now() - interval '1 day'),
    'day_before', count(*) filter (where created_at <= now() - interval '1 day'),
    'sessions', count(distinct session_id) filter (where source = 'browser' and created_at > now() - interval '1 day'),
    'server_errors', count(*) filter (where source = 'server' and created_at > now() - interval '1 day'),
    'open_groups', (select count(*) from private.error_groups where state = 'open'),
    'regressions', (select count(*) from private.error_groups where state = 'open' and reopened_at is not null)
  ))
  from public.error_logs where created_at > now() - interval '2 days'
$$;
comment on function private.measure_errors() is 'Count the errors of browsers and server, and the groups that are not decided.';
revoke all on function private.measure_errors from public, anon, authenticated, service_role;

create function private.measure_people()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('figures', jsonb_build_object(
    'people', count(*),
    'new', count(*) filter (where users.created_at > now() - interval '7 days'),
    'active', count(*) filter (where last_sign_in_at > now() - interval '7 days'),
    'onboarded', count(*) filter (where onboarding_completed)
  ))
  from auth.users left join public.profiles on user_id = users.id where not private.is_probe(users.id)
$$;
comment on function private.measure_people() is 'Count accounts.';
revoke all on function private.measure_people from public, anon, authenticated, service_role;

-- Events are left by whoever agreed to statistics, accounts are counted all: the rate says how much of the use is seen.
create function private.measure_analytics()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with recent as (
    select event_name, session_id, user_id from public.analytics_events where created_at > now() - interval '30 days'
  ), events as (
    select event_name as name, count(*) as count, count(distinct session_id) as sessions from recent
    group by event_name having count(distinct session_id) >= 5
  ), joined as (
    select id, email_confirmed_at is not null or phone_confirmed_at is not null as is_confirmed,
      coalesce(onboarding_completed, false) as is_onboarded,
      exists (select from public.messages where messages.user_id = users.id)
        or exists (select from public.documents where documents.user_id = users.id)
        or exists (select from public.contacts where contacts.user_id = users.id) as has_begun,
      exists (select from public.credit_orders as orders where orders.user_id = users.id and paid_at is not null) as has_bought
    from auth.users left join public.profiles on user_id = users.id
    where users.created_at > now() - interval '30 days' and not private.is_probe(users.id)
  ), signed_in as (
    select count(*) as people, count(*) filter (where exists (select from recent where user_id = users.id)) as agreed
    from auth.users where last_sign_in_at > now() - interval '30 days' and not private.is_probe(id)
  ), cohorts as (
    select id, date_trunc('week', created_at at time zone 'Europe/Rome') as week from auth.users
    where created_at > now() - interval '9 weeks' and not private.is_probe(id)
  ), weeks as (
    select to_char(week, 'YYYY-MM-DD') as week, count(distinct id) as people,
      private.share_of_group(count(distinct id) filter (where age = 1), count(distinct id)) as week_1,
      private.share_of_group(count(distinct id) filter (where age = 2), count(distinct id)) as week_2,
      private.share_of_group(count(distinct id) filter (where age = 4), count(distinct id)) as week_4,
      private.share_of_group(count(distinct id) filter (where age = 8), count(distinct id)) as week_8
    from cohorts left join lateral (
      select distinct extract(epoch from date_trunc('week', created_at at time zone 'Europe/Rome') - week)::integer / 604800 as age
      from public.analytics_events where user_id = cohorts.id
    ) as uses on true
    group by week having count(distinct id) >= 5
  )
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'visits', (select count(distinct session_id) from recent),
      'registered', (select count(*) from joined),
      'confirmed', (select count(*) from joined where is_confirmed),
      'began', (select count(*) from joined where is_onboarded),
      'first_value', (select count(*) from joined where has_begun),
      'bought', (select count(*) from joined where has_bought),
      'consent_rate', (select coalesce(round(100.0 * agreed / nullif(people, 0), 1), 0) from signed_in)
    ),
    'tables', jsonb_build_object(
      'events', (select coalesce(jsonb_agg(to_jsonb(events) order by count desc), '[]') from events),
      'weeks', (select coalesce(jsonb_agg(to_jsonb(weeks) order by week desc), '[]') from weeks)
    )
  )
$$;
comment on function private.measure_analytics() is 'Count visits, what became of new accounts in 30 days, and who came back.';
revoke all on function private.measure_analytics from public, anon, authenticated, service_role;

create function private.share_of_group(_part bigint, _people bigint)
  returns numeric
  language sql immutable
  set search_path = ''
as $$
  select case when _part >= 5 then round(100.0 * _part / _people, 1) end
$$;
comment on function private.share_of_group(bigint, bigint) is 'Return a share in per cent, null under five people.';
revoke all on function private.share_of_group from public, anon, authenticated, service_role;

create function private.vital(_properties jsonb, _name text, _most integer)
  returns double precision
  language sql immutable
  set search_path = ''
as $$
  select case
    when jsonb_typeof(_properties -> _name) = 'number' and (_properties ->> _name)::numeric between 0 and _most
    then (_properties ->> _name)::double precision
  end
$$;
comment on function private.vital(jsonb, text, integer) is 'Read a measure that a browser sent; null: none, or none that can be.';
revoke all on function private.vital from public, anon, authenticated, service_role;

-- The bounds are those of the buckets in core/request_times.py; a 95th percentile lies in its bucket as if the answers of
-- that bucket were spread evenly, and in the last one at its lower bound.
create function private.slow_endpoints()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with answers as (
    select hours, endpoint, bucket, sum(answers) as answers
    from (values (24), (168), (720), (2160)) as periods (hours)
    join platform.request_times on hour > now() - make_interval(hours => hours)
    cross join unnest(buckets) with ordinality as counted (answers, bucket)
    group by hours, endpoint, bucket
  ), ranked as (
    select *, sum(answers) over (partition by hours, endpoint order by bucket) as upto,
      0.95 * sum(answers) over (partition by hours, endpoint) as wanted
    from answers
  ), percentiles as (
    select distinct on (hours, endpoint) hours, endpoint, case
      when upper_ms is null then lower_ms
      else lower_ms + (upper_ms - lower_ms) * (wanted - (upto - answers)) / answers
    end as p95_ms
    from ranked
    join (
      values (1, 0, 5), (2, 5, 10), (3, 10, 25), (4, 25, 50), (5, 50, 100), (6, 100, 250), (7, 250, 500), (8, 500, 1000),
        (9, 1000, 2500), (10, 2500, 5000), (11, 5000, 10000), (12, 10000, null)
    ) as bounds (bucket, lower_ms, upper_ms) using (bucket)
    where upto >= wanted and answers > 0
    order by hours, endpoint, bucket
  ), totals as (
    select hours, endpoint, sum(requests) as requests, round((1000 * sum(seconds) / sum(requests))::numeric, 1) as mean_ms,
      round(100.0 * sum(failures) / sum(requests), 2) as failed_percent
    from (values (24), (168), (720), (2160)) as periods (hours)
    join platform.request_times on hour > now() - make_interval(hours => hours)
    group by hours, endpoint
    -- A percentile of fewer says nothing.
    having sum(requests) >= 20
  ), slowest as (
    select hours, endpoint, requests, mean_ms, round(p95_ms) as p95_ms, failed_percent,
      row_number() over (partition by hours order by p95_ms desc, endpoint) as place
    from totals join percentiles using (hours, endpoint)
  )
  select coalesce(jsonb_agg(to_jsonb(slowest) - 'place' order by hours, place), '[]') from slowest where place <= 20
$$;
comment on function private.slow_endpoints() is
  'The twenty endpoints with the highest 95th percentile from request to first byte, of at least twenty answers, by period.';
revoke all on function private.slow_endpoints from public, anon, authenticated, service_role;

-- Anybody may write events: pages are patterns of routes by their form, and a measure is of at least five visits.
-- Each figure is of the last hours that end its name, so the snapshot before a period has those of the period before.
create function private.measure_performance()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with views as materialized (
    select created_at, session_id, properties ->> 'page' as page, properties ->> 'device' as device,
      private.vital(properties, 'lcp', 600000) as lcp, private.vital(properties, 'inp', 600000) as inp,
      private.vital(properties, 'cls', 100) as cls, private.vital(properties, 'ttfb', 600000) as ttfb
    from public.analytics_events
    where event_name = 'web_vitals' and created_at > now() - interval '90 days'
      and properties ->> 'page' ~ '^(\*|/[A-Za-z0-9/:?_-]{0,100})$' and properties ->> 'device' in ('phone', 'computer')
  ), measures as (
    select hours, page, device, session_id, name, good, value
    from views join (values (24), (168), (720), (2160)) as periods (hours) on created_at > now() - make_interval(hours => hours)
    cross join lateral (
      values ('lcp', 2500, lcp), ('inp', 200, inp), ('cls', 0.1, cls), ('ttfb', 800, ttfb)
    ) as measured (name, good, value)
    where value is not null
  ), groups as (
    select hours, page, device, name, count(*) as count,
      round(
        percentile_cont(0.75) within group (order by value)::numeric, case name when 'cls' then 3 else 0 end
      ) as p75,
      round(100.0 * count(*) filter (where value <= good) / count(*), 1) as good
    from measures group by grouping sets ((hours, name), (hours, page, device, name))
    having count(distinct session_id) >= 5
  ), routes as (
    select hours, page, device, max(count) as count, max(p75) filter (where name = 'lcp') as lcp,
      max(p75) filter (where name = 'inp') as inp, max(p75) filter (where name = 'cls') as cls,
      max(p75) filter (where name = 'ttfb') as ttfb
    from groups where page is not null
    group by hours, page, device
  ), most_visited as (
    select * from (select *, row_number() over (partition by hours order by count desc, page, device) as place from routes)
    where place <= 60
  )
  select jsonb_build_object(
    'figures', coalesce((
      select jsonb_object_agg(concat_ws('_', name, suffix, hours), value)
      from groups cross join lateral (values (null, p75), ('good', good)) as figures (suffix, value)
      where page is null
    ), '{}'),
    'tables', jsonb_strip_nulls(jsonb_build_object(
      'routes', (
        select coalesce(jsonb_agg(to_jsonb(most_visited) - 'place' order by hours, place), '[]') from most_visited
      ),
      'endpoints', private.slow_endpoints(),
      'statements', private.slow_statements()
    ))
  )
$$;
comment on function private.measure_performance() is
  'Measure pages as visitors who agreed see them (the 75th percentile), the slowest endpoints and statements.';
revoke all on function private.measure_performance from public, anon, authenticated, service_role;

-- Families that the product knows; a version is its first number.
create function private.browser_of(_agent text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case
    when _agent ~ '\mEdg(e|A|iOS)?/' then 'Edge'
    when _agent ~ '\mOPR/' then 'Opera'
    when _agent ~ '\mSamsungBrowser/' then 'Samsung Internet'
    when _agent ~ '\m(Firefox|FxiOS)/' then 'Firefox'
    when _agent ~ '\m(Chrome|HeadlessChrome|CriOS)/' then 'Chrome'
    when _agent ~ '\mVersion/.*\mSafari/' then 'Safari'
    else 'Altro'
  end
$$;
comment on function private.browser_of(text) is 'Return the family of a browser by its user agent.';
revoke all on function private.browser_of from public, anon, authenticated, service_role;

create function private.browser_version_of(_agent text)
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select substring(_agent from case private.browser_of(_agent)
    when 'Edge' then '\mEdg(?:e|A|iOS)?/(\d{1,4})\M'
    when 'Opera' then '\mOPR/(\d{1,4})\M'
    when 'Samsung Internet' then '\mSamsungBrowser/(\d{1,4})\M'
    when 'Firefox' then '\m(?:Firefox|FxiOS)/(\d{1,4})\M'
    when 'Chrome' then '\m(?:Chrome|HeadlessChrome|CriOS)/(\d{1,4})\M'
    when 'Safari' then '\mVersion/(\d{1,4})\M'
  end)::integer
$$;
comment on function private.browser_version_of(text) is 'Return the major version of a browser by its user agent; null: none is named.';
revoke all on function private.browser_version_of from public, anon, authenticated, service_role;

create function private.system_of(_agent text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case
    when _agent ~ 'iPhone|iPad|iPod' then 'iOS'
    when _agent ~ 'Android' then 'Android'
    when _agent ~ 'Windows' then 'Windows'
    when _agent ~ 'CrOS' then 'ChromeOS'
    when _agent ~ 'Macintosh|Mac OS X' then 'macOS'
    when _agent ~ 'Linux|X11' then 'Linux'
    else 'Altro'
  end
$$;
comment on function private.system_of(text) is 'Return the operating system by a user agent.';
revoke all on function private.system_of from public, anon, authenticated, service_role;

-- The browsers that the build is made for (web/vite.config.ts, and the style sheets of Tailwind CSS 4). Of Safari 16 the first minor
-- versions are not enough, which the major version does not tell.
create function private.is_supported_browser(_browser text, _version integer)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select coalesce(_version >= case _browser
    when 'Chrome' then 111 when 'Edge' then 111 when 'Opera' then 97 when 'Samsung Internet' then 22
    when 'Firefox' then 128 when 'Safari' then 16
  end, false)
$$;
comment on function private.is_supported_browser(text, integer) is 'Whether the product is made for a version of a browser.';
revoke all on function private.is_supported_browser from public, anon, authenticated, service_role;

-- Visits are those of whoever agreed to statistics, so an error counts only where its visit is among them. A group has at
-- least five visits, a number of accounts is of at least five.
create function private.measure_devices()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with views as materialized (
    select session_id, user_agent, properties ->> 'viewport' as viewport, properties -> 'push' as push,
      properties -> 'speech' as speech, properties -> 'opfs' as opfs, private.vital(properties, 'lcp', 600000) as lcp,
      private.vital(properties, 'inp', 600000) as inp, private.vital(properties, 'cls', 100) as cls
    from public.analytics_events where event_name = 'web_vitals' and created_at > now() - interval '30 days'
  ), failed as (
    select distinct session_id from public.error_logs where created_at > now() - interval '30 days'
  ), visits as materialized (
    select session_id, private.browser_of(max(user_agent)) as browser,
      private.browser_version_of(max(user_agent)) as version, private.system_of(max(user_agent)) as system,
      coalesce(max(viewport) filter (where viewport in ('compact', 'medium', 'large')), 'unknown') as viewport,
      bool_or(push = 'true') filter (where jsonb_typeof(push) = 'boolean') as push,
      bool_or(speech = 'true') filter (where jsonb_typeof(speech) = 'boolean') as speech,
      bool_or(opfs = 'true') filter (where jsonb_typeof(opfs) = 'boolean') as opfs,
      max(lcp) as lcp, max(inp) as inp, max(cls) as cls, failed.session_id is not null as has_failed
    from views left join failed using (session_id) group by session_id, failed.session_id
  ), whole as (
    select count(*) as visits from visits having count(*) >= 5
  ), devices as (
    select viewport, system, count(*) as visits, round(100.0 * count(*) / max(whole.visits), 1) as visit_share,
      round(100.0 * count(*) filter (where has_failed) / count(*), 1) as error_rate,
      round(percentile_cont(0.75) within group (order by lcp)::numeric) as lcp,
      round(percentile_cont(0.75) within group (order by inp)::numeric) as inp,
      round(percentile_cont(0.75) within group (order by cls)::numeric, 3) as cls
    from visits cross join whole group by viewport, system having count(*) >= 5
    order by count(*) desc, 1, 2 limit 40
  ), browsers as (
    select browser, version::text as browser_version, count(*) as visits,
      round(100.0 * count(*) / max(whole.visits), 1) as visit_share,
      round(100.0 * count(*) filter (where has_failed) / count(*), 1) as error_rate,
      round(100.0 * count(*) filter (where push) / nullif(count(push), 0)) as push,
      round(100.0 * count(*) filter (where speech) / nullif(count(speech), 0)) as speech,
      round(100.0 * count(*) filter (where opfs) / nullif(count(opfs), 0)) as opfs,
      private.is_supported_browser(browser, version) as is_supported
    from visits cross join whole group by browser, version having count(*) >= 5
    order by count(*) desc, 1, 2 limit 40
  ), agents as (
    select distinct user_id, user_agent from public.analytics_events
    where user_id is not null and created_at > now() - interval '30 days'
  ), accounts as (
    select people, cardinality(old) as unsupported, old
    from (
      select count(distinct user_id) as people, coalesce(array_agg(distinct user_id) filter (
        where not private.is_supported_browser(private.browser_of(user_agent), private.browser_version_of(user_agent))
      ), '{}') as old
      from agents
    ) as found
  )
  select jsonb_build_object(
    'figures', jsonb_strip_nulls(jsonb_build_object(
      'device_visits', (select visits from whole),
      'compact_share', (
        select private.share_of_group(count(*) filter (where viewport = 'compact'), nullif(count(*), 0)) from visits
      ),
      'visit_error_rate', (
        select round(100.0 * count(*) filter (where has_failed) / max(whole.visits), 1) from visits cross join whole
      ),
      'unsupported_share', (
        select private.share_of_group(
          count(*) filter (where not private.is_supported_browser(browser, version)), nullif(count(*), 0)
        ) from visits
      ),
      'unsupported_people', (select unsupported from accounts where unsupported >= 5),
      'unsupported_people_share', (select private.share_of_group(unsupported, nullif(people, 0)) from accounts),
      'unsupported_revenue_cents', (select private.revenue_cents(old) from accounts where unsupported >= 5)
    )),
    'tables', jsonb_build_object(
      'devices', (select coalesce(jsonb_agg(to_jsonb(devices) order by visits desc), '[]') from devices),
      'browsers', (select coalesce(jsonb_agg(to_jsonb(browsers) order by visits desc), '[]') from browsers)
    )
  )
$$;
comment on function private.measure_devices() is
  'Measure screens, systems and browsers of 30 days by the visits of whoever agreed, and who uses one that is too old.';
revoke all on function private.measure_devices from public, anon, authenticated, service_role;

-- pg_stat_statements writes a parameter for most values, but not for all: so the rest of them goes here.
create function private.without_values(_statement text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case when bare ~ '''|\$[A-Za-z_]*\$' then '?' else left(btrim(regexp_replace(bare, '\s+', ' ', 'g')), 400) end
  from (
    select regexp_replace(
      regexp_replace(
        _statement,
        -- In this order: E'' with its backslashes, quoted texts, dollar quotes, comments.
        '\m[eE]''(?:[^''\\]|\\.|'''')*''|''(?:[^'']|'''')*''|\$[A-Za-z_]*\$[^$]*\$[A-Za-z_]*\$|--[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/',
        '?', 'g'
      ),
      '(?<![$\w])\d+(?:\.\d+)?', '?', 'g'
    ) as bare
  )
$$;
comment on function private.without_values(text) is 'Replace texts, numbers and comments of a statement by question marks.';
revoke all on function private.without_values from public, anon, authenticated, service_role;

create function private.slow_statements()
  returns jsonb
  language plpgsql stable
  set search_path = ''
as $$
declare
  _view constant text := (
    select format('%I.pg_stat_statements', nspname) from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_stat_statements'
  );
  _slowest jsonb;
begin
  if _view is null or not pg_has_role('pg_read_all_stats', 'usage') then
    return null;
  end if;
  -- Other statements may hold a password.
  execute format($query$
    select coalesce(jsonb_agg(to_jsonb(slowest) order by total_ms desc), '[]')
    from (
      select private.without_values(query) as statement, calls, round(total_exec_time::numeric) as total_ms,
        round(mean_exec_time::numeric, 1) as mean_ms
      from %s
      where dbid = (select oid from pg_database where datname = current_database())
        and query ~* '^\s*(select|insert|update|delete|merge|with|values)\M'
      order by total_exec_time desc limit 10
    ) as slowest
  $query$, _view) into _slowest;
  return _slowest;
exception
  -- The extension is there and its library was not loaded.
  when object_not_in_prerequisite_state then
    return null;
end
$$;
comment on function private.slow_statements() is
  'The ten statements with the most time in all, without their values; null: pg_stat_statements cannot be read.';
revoke all on function private.slow_statements from public, anon, authenticated, service_role;

-- The lints that tests/db/test_lint.py runs on an empty database, on the one that is in use.
create function private.measure_security()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with ours as (
    select oid, relname, relrowsecurity from pg_class
    where relnamespace in ('public'::regnamespace, 'private'::regnamespace) and relkind in ('r', 'p')
  ), lints as (
    select 'tabella senza RLS' as lint, oid::regclass::text as name from ours where not relrowsecurity
    union all
    select 'funzione per tutti', oid::regprocedure::text from pg_proc
    where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and exists (
      select from aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
      where acl.grantee = 0 and acl.privilege_type = 'EXECUTE'
    )
    union all
    select 'vista con i diritti del proprietario', oid::regclass::text from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'v'
      and not coalesce(reloptions, '{}') && array['security_invoker=on', 'security_invoker=true']
    union all
    select 'regola sempre vera', format('%s: %s', tablename, policyname) from pg_policies
    where schemaname = 'public' and 'service_role' <> all (roles) and (qual = 'true' or with_check = 'true')
  ), admins as (
    select user_id, exists (
      select from auth.mfa_factors where mfa_factors.user_id = user_roles.user_id and status = 'verified'
    ) as has_factor
    from public.user_roles where role = 'admin'
  )
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'lints', (select count(*) from lints),
      'tables', (select count(*) from ours),
      'admins', (select count(*) from admins),
      'admins_without_factor', (select count(*) from admins where not has_factor),
      'with_factor', (select count(distinct user_id) from auth.mfa_factors where status = 'verified'),
      'actions', (select count(*) from public.admin_actions where created_at > now() - interval '30 days'),
      'wrong_tries', (select coalesce(sum(tries), 0) from auth.attempts where forgotten_at > now()),
      'guessed', (select count(*) from auth.attempts where forgotten_at > now() and tries >= 5),
      'deletions', (select count(*) from public.deletion_requests where erased_at is null and cancelled_at is null),
      'keys_late', (select count(*) from private.key_ages where private.key_due_at(key_ages) < now()),
      'breaches_open', (select count(*) from private.breaches where private.is_open_breach(breaches)),
      'breaches_late', (
        select count(*) from private.breaches
        where private.is_open_breach(breaches) and found_at < now() - interval '72 hours'
      )
    ),
    'tables', jsonb_build_object('lints', (select coalesce(jsonb_agg(to_jsonb(lints) order by lint, name), '[]') from lints))
  )
$$;
comment on function private.measure_security() is 'Count who may do more than others, and run the lints of the catalog.';
revoke all on function private.measure_security from public, anon, authenticated, service_role;

create function private.take_snapshot(_name text, _every interval)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Before measuring: a second run in the same interval costs nothing.
  if exists (
    select from private.admin_snapshots
    where name = _name and slot = date_bin(_every, now(), 'epoch'::timestamptz)
  ) then
    return;
  end if;
  perform private.keep_snapshot(_name, _every, case _name
    when 'database' then private.measure_database()
    when 'credits' then private.measure_credits()
    when 'payments' then private.measure_payments()
    when 'errors' then private.measure_errors()
    when 'people' then private.measure_people()
    when 'analytics' then private.measure_analytics()
    when 'security' then private.measure_security()
    when 'performance' then private.measure_performance()
    when 'devices' then private.measure_devices()
  end);
end
$$;
comment on function private.take_snapshot(text, interval) is 'Measure and keep one snapshot, unless this interval has one.';
revoke all on function private.take_snapshot from public, anon, authenticated, service_role;
grant execute on function private.take_snapshot to service_role;

-- Each rule about figures, once: what lights turn by, what a card says, and what admins are told of (79_alarms.sql).
create function private.findings(_snapshot private.admin_snapshots)
  returns table (rule text, light text, finding text)
  language sql stable
  set search_path = ''
as $$
  select rules.rule, rules.light, rules.finding
  from jsonb_to_record(_snapshot.content -> 'figures') as figures (
    connections numeric, max_connections numeric, xid_age numeric, cache_hit numeric, longest_transaction_s numeric,
    blocked numeric, slot_lag_bytes numeric, longest_wait_s numeric, periodic_late_s numeric, dead_letters numeric,
    mails_failed_today numeric, failed numeric, open_alerts numeric, oldest_waiting_s numeric, drifted numeric,
    old_holds numeric, negative_margins numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric, breaches_late numeric, breaches_open numeric, guessed numeric, keys_late numeric,
    backup_failed numeric, restore_failed numeric, forged numeric, backup_age_h numeric, restore_age_h numeric,
    backups numeric, reached numeric, rules_changed numeric, proof_age_h numeric, open_incidents numeric,
    failing numeric, free_bytes numeric, total_bytes numeric, exports_without_space numeric,
    lcp_168 numeric, inp_168 numeric, cls_168 numeric
  )
  cross join lateral (values
    ('database', 'connections', 'error', connections > 0.9 * max_connections,
      format('Connessioni quasi finite: %s di %s.', connections, max_connections)),
    ('database', 'xid_age', case when xid_age > 1500000000 then 'error' else 'warning' end, xid_age > 500000000,
      'Il vacuum è in ritardo: le transazioni possono finire.'),
    ('database', 'cache_hit', 'warning', cache_hit < 95, format('Letture dalla memoria: solo il %s %%.', trim_scale(round(cache_hit, 1)))),
    ('database', 'longest_transaction_s', 'warning', longest_transaction_s > 300,
      format('Una transazione è aperta da %s minuti.', floor(longest_transaction_s / 60))),
    ('database', 'blocked', 'warning', blocked > 0, format('Sessioni bloccate: %s.', blocked)),
    ('database', 'slot_lag_bytes', 'warning', slot_lag_bytes > 1073741824,
      format('La replica è indietro di %s.', pg_size_pretty(slot_lag_bytes))),
    ('queue', 'longest_wait_s', 'error', longest_wait_s > 300, format('Un lavoro aspetta da %s minuti.', floor(longest_wait_s / 60))),
    ('queue', 'periodic_late_s', 'error', periodic_late_s > 300,
      format('Un lavoro periodico è in ritardo di %s minuti.', floor(periodic_late_s / 60))),
    ('queue', 'dead_letters', 'warning', dead_letters > 0, format('Lavori falliti: %s.', dead_letters)),
    ('queue', 'mails_failed_today', 'warning', mails_failed_today > 0, format('Email fallite oggi: %s.', mails_failed_today)),
    ('payments', 'failed', 'error', failed > 0, format('Eventi di pagamento falliti: %s.', failed)),
    ('payments', 'open_alerts', 'warning', open_alerts > 0, format('Avvisi aperti sui pagamenti: %s.', open_alerts)),
    ('payments', 'oldest_waiting_s', 'warning', oldest_waiting_s > 3600,
      format('Un evento di pagamento aspetta da %s minuti.', floor(oldest_waiting_s / 60))),
    ('credits', 'drifted', 'error', drifted > 0, format('Portafogli che non tornano con i loro movimenti: %s.', drifted)),
    ('credits', 'old_holds', 'warning', old_holds > 0, format('Riserve aperte da oltre 10 minuti: %s.', old_holds)),
    ('credits', 'negative_margins', 'warning', negative_margins > 0, format('Azioni in perdita: %s.', negative_margins)),
    ('errors', 'last_day', case when last_day > 500 then 'error' else 'warning' end,
      last_day > 500 or last_day > 20 and last_day > 2 * day_before,
      format('Errori nei browser in 24 ore: %s; il giorno prima: %s.', last_day, day_before)),
    ('errors', 'regressions', 'warning', regressions > 0, format('Errori risolti e tornati: %s.', regressions)),
    ('security', 'lints', 'error', lints > 0, format('Regole di sicurezza violate: %s.', lints)),
    ('security', 'breaches_late', 'error', breaches_late > 0, format('Violazioni di dati aperte da oltre 72 ore: %s.', breaches_late)),
    ('security', 'breaches_open', 'warning', breaches_open > 0, format('Violazioni di dati aperte: %s.', breaches_open)),
    ('security', 'admins_without_factor', 'warning', admins_without_factor > 0,
      format('Amministratori senza secondo fattore: %s.', admins_without_factor)),
    ('security', 'guessed', 'warning', guessed > 20, format('Account provati con password sbagliate: %s.', guessed)),
    ('security', 'keys_late', 'warning', keys_late > 0, format('Chiavi da cambiare: %s.', keys_late)),
    ('backups', 'backup_failed', 'error', backup_failed > 0, 'L’ultima copia di sicurezza non è riuscita.'),
    ('backups', 'restore_failed', 'error', restore_failed > 0, 'L’ultima prova di ripristino non è riuscita.'),
    ('backups', 'forged', 'error', forged > 0, format('Prove di ripristino con una firma falsa: %s.', forged)),
    ('backups', 'backup_age_h', case when backup_age_h > 72 then 'error' else 'warning' end, backup_age_h > 26,
      format('L’ultima copia di sicurezza ha %s ore.', round(backup_age_h))),
    ('backups', 'backups', 'warning', backups = 0, 'Non c’è nessuna copia di sicurezza.'),
    ('backups', 'restore_age_h', 'warning', restore_age_h > 240,
      format('L’ultima prova di ripristino ha %s giorni.', floor(restore_age_h / 24))),
    ('isolation', 'reached', 'error', reached > 0, format('Tentativi riusciti di arrivare ai dati altrui: %s.', reached)),
    ('isolation', 'forged', 'error', forged > 0, format('Prove di isolamento con una firma falsa: %s.', forged)),
    ('isolation', 'rules_changed', 'warning', rules_changed > 0, 'Le regole di accesso sono cambiate dopo l’ultima prova.'),
    ('isolation', 'proof_age_h', 'warning', proof_age_h > 240, format('L’ultima prova di isolamento ha %s giorni.', floor(proof_age_h / 24))),
    ('uptime', 'open_incidents', 'error', open_incidents > 0, format('Interruzioni aperte: %s.', open_incidents)),
    ('uptime', 'failing', 'warning', failing > 0, format('Parti che non rispondono: %s.', failing)),
    ('disk', 'free_bytes', case when free_bytes < 0.05 * total_bytes then 'error' else 'warning' end,
      free_bytes < 0.1 * total_bytes,
      format('Spazio libero sul disco: %s su %s.', pg_size_pretty(free_bytes), pg_size_pretty(total_bytes))),
    ('disk', 'exports_without_space', 'error', exports_without_space > 0,
      format('Archivi di dati non preparati per mancanza di spazio in 24 ore: %s.', exports_without_space)),
    ('performance', 'lcp_168', case when lcp_168 > 4000 then 'error' else 'warning' end, lcp_168 > 2500,
      format('Contenuto visibile (LCP): %s ms.', round(lcp_168))),
    ('performance', 'inp_168', case when inp_168 > 500 then 'error' else 'warning' end, inp_168 > 200,
      format('Risposta ai tocchi (INP): %s ms.', round(inp_168))),
    ('performance', 'cls_168', case when cls_168 > 0.25 then 'error' else 'warning' end, cls_168 > 0.1,
      format('Spostamenti (CLS): %s.', replace(round(cls_168, 3)::text, '.', ',')))
  ) as rules (name, rule, light, holds, finding)
  where rules.name = _snapshot.name and holds
$$;
comment on function private.findings(private.admin_snapshots) is
  'Say what is wrong with the figures of a snapshot and how badly: warning or error.';
revoke all on function private.findings from public, anon, authenticated, service_role;

create function private.light(_snapshot private.admin_snapshots)
  returns text
  language sql stable
  set search_path = ''
as $$
  select case
    when _snapshot.taken_at < now() - 3 * _snapshot.every then 'old'
    -- An error comes before a warning in the alphabet too.
    else coalesce((select min(found.light) from private.findings(_snapshot) as found), 'ok')
  end
$$;
comment on function private.light(private.admin_snapshots) is
  'ok, warning, error, or old: the worker has measured nothing for three intervals.';
revoke all on function private.light from public, anon, authenticated, service_role;

create function private.newest_snapshots()
  returns setof private.admin_snapshots
  language sql stable
  set search_path = ''
as $$
  select newest.*
  from unnest(array[
    'database', 'queue', 'payments', 'credits', 'errors', 'security', 'backups', 'isolation', 'uptime', 'disk', 'people'
  ]) as wanted (name)
  cross join lateral (
    select * from private.admin_snapshots where name = wanted.name order by slot desc limit 1
  ) as newest
$$;
comment on function private.newest_snapshots() is 'The newest snapshot of each report that the first screen of the admins shows.';
revoke all on function private.newest_snapshots from public, anon, authenticated, service_role;

create function public.admin_overview()
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return (
    select coalesce(jsonb_object_agg(newest.name, jsonb_build_object(
      'taken_at', newest.taken_at, 'light', private.light(newest), 'figures', newest.content -> 'figures',
      'findings', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'rule', found.rule, 'light', found.light, 'finding', found.finding, 'since', alarms.since,
          'taken_over_at', alarms.taken_over_at, 'taken_over_by', private.taken_over_by(alarms)
        ) order by found.light, alarms.since), '[]')
        from private.findings(newest) as found
        left join private.alarms on alarms.report = newest.name and alarms.rule = found.rule
      )
    )), '{}')
    from private.newest_snapshots() as newest
  );
end
$$;
comment on function public.admin_overview() is
  'The newest figures of every report with their light, what is wrong with them, and since when, for admins.';
revoke all on function public.admin_overview from public, anon, authenticated, service_role;
grant execute on function public.admin_overview to authenticated;

create function public.admin_report(_name text, _hours integer)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _since constant timestamptz := now() - make_interval(hours => least(greatest(_hours, 1), 2400));
begin
  perform private.require_admin();
  return (
    select jsonb_build_object(
      'taken_at', newest.taken_at,
      'light', private.light(newest),
      'figures', newest.content -> 'figures',
      'tables', coalesce(newest.content -> 'tables', '{}'),
      'before', (
        select content -> 'figures' from private.admin_snapshots
        where name = _name and slot <= _since order by slot desc limit 1
      ),
      -- The newest of each of at most sixty parts of the period.
      'points', (
        select coalesce(jsonb_agg(jsonb_build_object('at', taken_at, 'figures', figures) order by taken_at), '[]')
        from (
          select distinct on (part) taken_at, content -> 'figures' as figures,
            width_bucket(extract(epoch from slot), extract(epoch from _since), extract(epoch from now()) + 1, 60) as part
          from private.admin_snapshots where name = _name and slot > _since
          order by part, slot desc
        ) as parts
      )
    )
    from private.admin_snapshots as newest where name = _name order by slot desc limit 1
  );
end
$$;
comment on function public.admin_report(text, integer) is
  'The newest snapshot of a report, its figures before a period and through it, for admins; null: never measured.';
revoke all on function public.admin_report from public, anon, authenticated, service_role;
grant execute on function public.admin_report to authenticated;

create function public.admin_payment_events(_only_open boolean)
  returns table (
    id text, type text, received_at timestamptz, outcome text, attempts integer, error text, order_id uuid, is_open boolean
  )
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return query
    select events.id, events.type, events.received_at, events.outcome, events.attempts, left(events.error, 200),
      events.order_id, events.handled_at is null
    from public.payment_events as events
    where not _only_open or events.handled_at is null
    order by events.received_at desc limit 50;
end
$$;
comment on function public.admin_payment_events(boolean) is
  'The newest events of the payment provider without their payload, for admins.';
revoke all on function public.admin_payment_events from public, anon, authenticated, service_role;
grant execute on function public.admin_payment_events to authenticated;

create function public.admin_replay_event(_id text, _reason text)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _event public.payment_events;
  _outcome text;
begin
  perform private.require_admin();
  select * into _event from public.payment_events where id = _id for update;
  if not found then
    return 'unknown';
  end if;
  _outcome := case when _event.handled_at is null then private.handle_payment_event(_event) else 'known' end;
  perform private.log_admin_action(
    'payment.replay', _id,
    -- An account that was deleted keeps its orders.
    (
      select users.id from public.credit_orders as orders join auth.users on users.id = orders.user_id
      where orders.id = private.order_of(_event.payload #> '{data,object}')
    ),
    jsonb_build_object('outcome', _event.outcome, 'attempts', _event.attempts), jsonb_build_object('outcome', _outcome),
    _reason
  );
  return _outcome;
end
$$;
comment on function public.admin_replay_event(text, text) is
  'Handle an event that waits or failed once more, for admins; known: it was handled before and changes nothing.';
revoke all on function public.admin_replay_event from public, anon, authenticated, service_role;
grant execute on function public.admin_replay_event to authenticated;

create function public.admin_sweep_holds(_reason text)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _swept integer;
begin
  perform private.require_admin();
  select count(*) into _swept from private.sweep_holds();
  perform private.log_admin_action(
    'credits.sweep', 'credit_holds', null, null, jsonb_build_object('released', _swept), _reason
  );
  return _swept;
end
$$;
comment on function public.admin_sweep_holds(text) is 'Give back holds past their time, for admins; returns how many calls did.';
revoke all on function public.admin_sweep_holds from public, anon, authenticated, service_role;
grant execute on function public.admin_sweep_holds to authenticated;

create function public.admin_tax_parameters()
  returns table (name text, valid_from date, value numeric, source text)
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return query
    select figures.name, figures.valid_from, figures.value, figures.source from public.tax_parameters as figures
    order by figures.name, figures.valid_from desc limit 500;
end
$$;
comment on function public.admin_tax_parameters() is 'The figures of the law, the newest of each first, for admins.';
revoke all on function public.admin_tax_parameters from public, anon, authenticated, service_role;
grant execute on function public.admin_tax_parameters to authenticated;

create function public.admin_set_tax_parameter(_name text, _valid_from date, _value numeric, _source text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _before jsonb;
begin
  perform private.require_admin();
  if not exists (select from public.tax_parameters where name = _name) then
    raise exception 'no such figure' using errcode = 'PT404';
  end if;
  select to_jsonb(tax_parameters) into _before from public.tax_parameters where name = _name and valid_from = _valid_from;
  insert into public.tax_parameters (name, valid_from, value, source) values (_name, _valid_from, _value, _source)
  on conflict (name, valid_from) do update set value = excluded.value, source = excluded.source;
  perform private.log_admin_action(
    'tax_parameter', concat(_name, ' ', _valid_from), null, _before,
    jsonb_build_object('value', _value, 'source', _source), _source
  );
end
$$;
comment on function public.admin_set_tax_parameter(text, date, numeric, text) is
  'Writes a figure of the law that holds from a day on, for admins; its source is the reason in the log. PT404.';
revoke all on function public.admin_set_tax_parameter from public, anon, authenticated, service_role;
grant execute on function public.admin_set_tax_parameter to authenticated;

alter table private.admin_snapshots enable row level security;

revoke all on private.admin_snapshots from public, anon, authenticated, service_role;
