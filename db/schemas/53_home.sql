-- Home: the day of one person, computed once after a change and read as one row.
--
-- private.refresh_home() computes the insights and everything else that /home shows. It runs when the page is opened
-- and a change was marked, or the stored day is over, and in the background (functions/jobs/insight_marks.py,
-- insight_days.py). All money is the register's: each figure is the sum of the list that it opens. What no sum has
-- (other currencies, no due date, papers that wait) is counted by name.

create table private.home_pages (
  user_id uuid primary key references auth.users (id) on delete cascade,
  day date not null,
  refreshed_at timestamptz not null,
  content jsonb not null,
  pairs jsonb not null
);
comment on table private.home_pages is 'What /home shows to a person on one day, as private.refresh_home() computed it.';

comment on column private.home_pages.pairs is 'Contacts that may be one, [[id, id]]: compared once a day.';

-- Used to find whose page is of yesterday.
create index home_pages_day on private.home_pages (day);

create function private.today()
  returns date
  language sql stable
  set search_path = ''
as $$
  select (now() at time zone 'Europe/Rome')::date
$$;
comment on function private.today() is 'The day in Italy.';
revoke all on function private.today from public, anon, authenticated, service_role;

create function private.home_side(_parts private.open_part[], _direction public.invoice_direction, _today date)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with side as (
    select * from unnest(_parts) as part where part.direction = _direction
  )
  select jsonb_build_object(
    'open_cents', coalesce(sum(cents) filter (where currency = 'EUR'), 0),
    'late_cents', coalesce(sum(cents) filter (where currency = 'EUR' and is_late), 0),
    'soon_cents', coalesce(sum(cents) filter (where currency = 'EUR' and due_on between _today and _today + 5), 0),
    'undated_cents', coalesce(sum(cents) filter (where currency = 'EUR' and due_on is null), 0),
    'invoices', count(distinct invoice_id),
    'late', count(distinct invoice_id) filter (where is_late),
    'soon', count(distinct invoice_id) filter (where due_on between _today and _today + 5),
    'undated', count(distinct invoice_id) filter (where due_on is null),
    'others', (
      select coalesce(jsonb_object_agg(currency, cents), '{}')
      from (select currency, sum(cents) as cents from side where currency <> 'EUR' group by currency) as others
    )
  )
  from side
$$;
comment on function private.home_side(private.open_part[], public.invoice_direction, date) is
  'What is open in one direction: euros, how many invoices, and by name what the euros leave out.';
revoke all on function private.home_side from public, anon, authenticated, service_role;

create function private.home_months(_user_id uuid, _parts private.open_part[], _today date)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with months as (
    select (date_trunc('month', _today) - make_interval(months => back))::date as month
    from generate_series(0, 5) as back
  ), paid_parts as materialized (
    -- Whether a part counts is asked of these months only: it takes longer than all the rest.
    select paid_on, cents, counts from public.invoice_parts as part
    where part.user_id = _user_id and part.direction = 'attiva' and part.currency = 'EUR'
      and part.paid_on between (select min(month) from months) and _today
  ), paid as (
    select date_trunc('month', paid_on)::date as month, sum(cents) as cents from paid_parts where counts group by 1
  ), open as (
    select date_trunc('month', due_on)::date as month, sum(cents) as cents, sum(cents) filter (where is_late) as late_cents
    from unnest(_parts) as part where direction = 'attiva' and currency = 'EUR' group by 1
  )
  select jsonb_agg(jsonb_build_object(
    'month', months.month, 'paid_cents', coalesce(paid.cents, 0), 'open_cents', coalesce(open.cents, 0),
    'late_cents', coalesce(open.late_cents, 0)
  ) order by months.month)
  from months left join paid on paid.month = months.month left join open on open.month = months.month
$$;
comment on function private.home_months(uuid, private.open_part[], date) is
  'Of six months, this one last: what came in by the day of payment, and what is open, and late, by its due date.';
revoke all on function private.home_months from public, anon, authenticated, service_role;

create function private.home_forecast(_user_id uuid, _parts private.open_part[], _today date)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with habits as materialized (
    select habits.* from private.payer_habits(_user_id, array(
      select distinct contact_id from unnest(_parts) as part where direction = 'attiva' and contact_id is not null
    )) as habits
  ), expected as materialized (
    -- Whoever pays late is expected when they usually pay. Nobody knows a day for what is later than that.
    select part.direction, part.cents, part.due_on is null as is_undated,
      case when part.direction = 'attiva' then greatest(part.due_on, part.issued_on + habits.days) else part.due_on end as day
    from unnest(_parts) as part left join habits on habits.contact_id = part.contact_id and part.direction = 'attiva'
    where part.currency = 'EUR'
  ), weeks as (
    select n, (date_trunc('week', _today) + n * interval '7 days')::date as week from generate_series(0, 12) as n
  ), by_week as (
    select weeks.week, coalesce(sum(cents) filter (where direction = 'attiva'), 0) as in_cents,
      coalesce(sum(cents) filter (where direction = 'passiva'), 0) as out_cents
    from weeks left join expected on day >= _today and not is_undated and day >= week and day < week + 7
    group by weeks.week
  )
  select jsonb_build_object(
    'weeks', (select jsonb_agg(to_jsonb(by_week) order by week) from by_week),
    'late_cents', coalesce(sum(cents) filter (where direction = 'attiva' and not is_undated and day < _today), 0),
    'undated_cents', coalesce(sum(cents) filter (where direction = 'attiva' and is_undated), 0),
    'later_cents', coalesce(sum(cents) filter (
      where direction = 'attiva' and not is_undated and day >= (select max(week) + 7 from weeks)
    ), 0)
  )
  from expected
$$;
comment on function private.home_forecast(uuid, private.open_part[], date) is
  'Euros expected in each of thirteen weeks, this one first, in and out; with what is late, undated and later they are all '
  'that is to be cashed.';
revoke all on function private.home_forecast from public, anon, authenticated, service_role;

create function private.home_work(_user_id uuid, _today date)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with due as materialized (
    -- As /tasks shows them: subtasks stand by themselves when they have a date.
    select id, title, due_at, due_is_allday, priority, position, contact_id, day < _today as is_late
    from public.tasks cross join lateral (select (due_at at time zone 'Europe/Rome')::date as day) as due
    where user_id = _user_id and state <> 'fatto' and deleted_at is null
      and due_at < (_today + 1)::timestamp at time zone 'Europe/Rome'
  ), shown as (
    select due.*, contacts.name as contact
    from due left join public.contacts on contacts.user_id = _user_id and contacts.id = due.contact_id
    where not is_late order by due_is_allday, due_at, priority desc, position, due.id limit 5
  ), silent as materialized (
    select id, name, next_touch_at from public.contacts
    where user_id = _user_id and merged_into is null and deleted_at is null
      and next_touch_at <= now() and (snoozed_until is null or snoozed_until <= now())
  )
  select jsonb_build_object(
    'today', (select count(*) from due where not is_late), 'late', (select count(*) from due where is_late),
    'tasks', (select coalesce(jsonb_agg(jsonb_build_object(
      'id', id, 'title', title, 'due_at', due_at, 'is_allday', due_is_allday, 'contact', contact
    ) order by due_is_allday, due_at, priority desc, position, id), '[]') from shown),
    'people', (select count(*) from silent),
    'names', (select coalesce(jsonb_agg(name order by next_touch_at, id), '[]')
      from (select * from silent order by next_touch_at, id limit 3) as first)
  )
$$;
comment on function private.home_work(uuid, date) is
  'Tasks of today and late ones, as /tasks counts them, and whom it is time to be in touch with, as /crm does.';
revoke all on function private.home_work from public, anon, authenticated, service_role;

create function private.home_deals(_user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with open as materialized (
    select deals.currency, deals.amount_cents, stages.id as stage_id,
      round(deals.amount_cents * coalesce(deals.probability, stages.probability) / 100.0)::bigint as weighted_cents
    from public.stages join public.deals on deals.user_id = _user_id and deals.stage_id = stages.id
    where stages.user_id = _user_id and stages.kind = 'aperta' and deals.deleted_at is null
  )
  select jsonb_build_object(
    'count', (select count(*) from open),
    'cents', (select coalesce(sum(amount_cents), 0) from open where currency = 'EUR'),
    'weighted_cents', (select coalesce(sum(weighted_cents), 0) from open where currency = 'EUR'),
    'others', (
      select coalesce(jsonb_object_agg(currency, cents), '{}')
      from (select currency, sum(amount_cents) as cents from open where currency <> 'EUR' group by currency) as others
    ),
    'stages', (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'name', name, 'count', times, 'cents', cents) order by position), '[]')
      from public.stages cross join lateral (
        select count(*) as times, coalesce(sum(amount_cents) filter (where currency = 'EUR'), 0) as cents
        from open where stage_id = stages.id
      ) as sums
      where user_id = _user_id and kind = 'aperta'
    )
  )
$$;
comment on function private.home_deals(uuid) is 'Open deals as the board of /crm adds them up.';
revoke all on function private.home_deals from public, anon, authenticated, service_role;

create function private.home_activity(_user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', latest.id, 'kind', latest.kind, 'at', latest.at, 'title', latest.title, 'body', left(latest.body, 140),
    'ref_type', ref_type, 'ref_id', ref_id, 'contact_id', contact_id, 'contact', contacts.name
  ) order by latest.at desc, latest.id), '[]')
  from (
    select * from public.timeline
    where user_id = _user_id and at between now() - interval '30 days' and now() order by at desc, id limit 6
  ) as latest
  left join public.contacts on contacts.user_id = _user_id and contacts.id = contact_id
$$;
comment on function private.home_activity(uuid) is 'What happened last with the contacts of a person, within thirty days.';
revoke all on function private.home_activity from public, anon, authenticated, service_role;

create function private.briefing_text(_section text, _text text)
  returns jsonb
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case when _text <> '' then jsonb_build_array(jsonb_build_object('section', _section, 'text', _text)) else '[]' end
$$;
comment on function private.briefing_text(text, text) is 'One section of a briefing as a list, empty without a text.';
revoke all on function private.briefing_text from public, anon, authenticated, service_role;

create function private.briefing(_content jsonb, _facts private.insight_fact[])
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with told as (
    select _content -> 'work' as work, _content -> 'to_cash' as cash, _content -> 'to_pay' as pay,
      (_content #>> '{work,today}')::integer as today, (_content #>> '{work,late}')::integer as late,
      (_content #>> '{work,people}')::integer as people
  )
  select private.briefing_text('agenda', concat_ws(' ',
      case when today > 0 then 'Oggi ' || private.counted(today, 'un’attività', 'attività') || case
        when work #>> '{tasks,0,is_allday}' = 'false' then ', la prima alle '
          || to_char((work #>> '{tasks,0,due_at}')::timestamptz at time zone 'Europe/Rome', 'HH24:MI') else '' end
        || ': «' || (work #>> '{tasks,0,title}') || '»' || case when today > 1 then ' e altro.' else '.' end end,
      case when late > 0 then private.counted(late, 'Un’attività è scaduta.', 'attività sono scadute.') end))
    || private.briefing_text('soldi', concat_ws(' ',
      case when (cash ->> 'late')::integer > 0 then 'In ritardo ' || private.euros((cash ->> 'late_cents')::bigint, 'EUR')
        || ' da ' || private.counted((cash ->> 'late')::integer, 'una fattura', 'fatture') || '.' end,
      case when (cash ->> 'soon')::integer > 0 then 'Entro 5 giorni dovrebbero entrare '
        || private.euros((cash ->> 'soon_cents')::bigint, 'EUR') || '.' end,
      case when (pay ->> 'late')::integer + (pay ->> 'soon')::integer > 0 then 'Da pagare subito '
        || private.euros((pay ->> 'late_cents')::bigint + (pay ->> 'soon_cents')::bigint, 'EUR') || '.' end,
      (select 'Fuori dai conti: ' || lower(left(title, 1)) || substr(title, 2) || '.' from unnest(_facts) as fact
        where fact.entity_type = 'register')))
    || private.briefing_text('persone', case when people > 0 then 'Da risentire: ' || (
        select string_agg(name, ', ') from jsonb_array_elements_text(work -> 'names') as name
      ) || case when people > 3 then ' e ' || private.counted(people - 3, 'un’altra persona', 'altre') else '' end || '.'
      else '' end)
    || private.briefing_text('rischi', coalesce((
      select string_agg(title, '. ' order by urgency desc) || '.' from unnest(_facts) as fact
      where kind in ('concentrazione', 'contratto_in_scadenza', 'crediti_in_esaurimento', 'crediti_in_scadenza',
        'soglia_forfettario')
    ), ''))
  from told
$$;
comment on function private.briefing(jsonb, private.insight_fact[]) is
  'The day in a few sentences, [{section, text}]: agenda, soldi, persone, rischi; empty when there is nothing to say.';
revoke all on function private.briefing from public, anon, authenticated, service_role;

create function private.home_content(
  _user_id uuid, _parts private.open_part[], _facts private.insight_fact[], _today date
)
  returns jsonb
  language plpgsql stable
  set search_path = ''
as $$
declare
  _content constant jsonb := jsonb_build_object(
    'to_cash', private.home_side(_parts, 'attiva', _today), 'to_pay', private.home_side(_parts, 'passiva', _today),
    'months', private.home_months(_user_id, _parts, _today),
    'forecast', private.home_forecast(_user_id, _parts, _today),
    'work', private.home_work(_user_id, _today), 'deals', private.home_deals(_user_id),
    'mail', private.home_mail(_user_id), 'activity', private.home_activity(_user_id),
    'waiting', (select data from unnest(_facts) as fact where fact.entity_type = 'register'),
    'has_invoices', exists (select from public.invoices where user_id = _user_id and direction = 'attiva'),
    'has_contacts', exists (
      select from public.contacts where user_id = _user_id and merged_into is null and deleted_at is null
    )
  );
begin
  return _content || jsonb_build_object('briefing', private.briefing(_content, _facts));
end
$$;
comment on function private.home_content(uuid, private.open_part[], private.insight_fact[], date) is 'Everything on /home but insights and credits.';
revoke all on function private.home_content from public, anon, authenticated, service_role;

create function private.refresh_home(_user_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
  if not exists (select from public.profiles where user_id = _user_id) or private.is_frozen(_user_id) then
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
    union all select fact from private.rejected_facts(_user_id, _today) as fact
    union all select fact from private.deal_facts(_user_id, _today) as fact
    union all select fact from private.people_facts(_user_id, _today) as fact
    union all select fact from private.answer_facts(_user_id, _today) as fact
    union all select fact from private.window_facts(_user_id) as fact
    union all select fact from private.task_facts(_user_id, _today) as fact
    union all select fact from private.credit_facts(_today) as fact
    union all select fact from private.client_facts(_user_id, _today) as fact
    union all select fact from private.paper_facts(_user_id, _today) as fact
    union all select fact from private.tidying_facts(_user_id, jsonb_array_length(_pairs), _today) as fact
    union all select fact from private.consent_facts(_user_id) as fact
    union all select fact from private.flat_rate_facts(_flat_rate, _today) as fact
    union all select fact from private.request_facts(_user_id, _today) as fact
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
$$;
comment on function private.refresh_home(uuid) is
  'Computes the insights of a person and the page /home, from their rows as they are now. The same again changes nothing.';
revoke all on function private.refresh_home from public, anon, authenticated, service_role;
grant execute on function private.refresh_home to service_role;

create function private.shown_insights(_user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with shown as (
    select insights.*, kinds.action, kinds.label, row_number() over (
      partition by insights.kind order by score desc, insights.since, insights.id
    ) as nth
    from public.insights join public.insight_kinds as kinds on kinds.kind = insights.kind
    where user_id = _user_id and (state = 'nuova' or snoozed_until <= now())
  ), ranked as (
    select shown.*, row_number() over (order by nth > 2, score desc, since, id) as place from shown
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', id, 'kind', kind, 'label', label, 'action', action, 'entity_type', entity_type, 'entity_id', entity_id,
    'contact_id', contact_id, 'title', title, 'body', body, 'amount_cents', amount_cents, 'currency', currency, 'data', data
  ) order by place), '[]')
  from ranked where place <= 50
$$;
comment on function private.shown_insights(uuid) is
  'The insights of a person, best first: no resting one, and among the first five at most two are of a kind.';
revoke all on function private.shown_insights from public, anon, authenticated, service_role;

-- Security definer because browsers read neither the stored page nor the private schema.
create function public.home_overview()
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := auth.uid();
  _page private.home_pages;
begin
  if not exists (
    select from private.home_pages
    -- What only the clock changes, such as a contact to hear from, is an hour old at most.
    where user_id = _user_id and day = private.today() and refreshed_at > now() - interval '1 hour'
  ) or exists (select from private.insight_marks where user_id = _user_id) then
    perform private.refresh_home(_user_id);
  end if;
  select * into _page from private.home_pages where user_id = _user_id;
  return _page.content || jsonb_build_object(
    'day', _page.day, 'refreshed_at', _page.refreshed_at, 'insights', private.shown_insights(_user_id),
    'balance', (select balance from public.credit_wallets where user_id = _user_id)
  );
end
$$;
comment on function public.home_overview() is
  'Everything on /home of the caller: figures, briefing, forecast, latest activity, insights (the first five are those to '
  'show) and credits. Computed again first if something has changed; null for a visitor.';
revoke all on function public.home_overview from public, anon, authenticated, service_role;
grant execute on function public.home_overview to authenticated;

alter table private.home_pages enable row level security;

revoke all on private.home_pages from public, anon, authenticated, service_role;
grant select on private.home_pages to service_role;

-- Whatever a fact or a figure depends on. Statement triggers with transition tables name no columns.
create trigger mark_inserted after insert on public.contact_distinct
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.contact_distinct
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.contacts
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.contacts
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.contacts
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.credit_lots
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.credit_lots
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.credit_wallets
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.deals
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.deals
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.deals
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.dismissed_parties
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.dismissed_parties
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.documents
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.documents
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.documents
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.interactions
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.interactions
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.interactions
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.consents
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.consents
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.mail_batches
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.invoice_schedules
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.invoice_schedules
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.invoice_schedules
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.invoices
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.invoices
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.invoices
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.notes
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.notes
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.notes
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.profiles
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.sdi_notices
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.stages
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_inserted after insert on public.tasks
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.tasks
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.tasks
  referencing old table as changed for each statement execute function private.mark_changed();
