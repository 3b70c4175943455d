-- Alarms: each finding that turns a light of the admins' first screen, since when, and who looks after it.
--
-- An error is told to every admin at once, a warning when it has lasted for a day, each once; an alarm ends when nothing
-- was found for half an hour, so that what comes and goes is one alarm.

create table private.alarms (
  -- Both as in private.findings().
  report text not null,
  rule text not null,
  light text not null,
  since timestamptz not null default now(),
  calm_since timestamptz,
  told text,
  taken_over_at timestamptz,

  primary key (report, rule),
  constraint light_is_known check (light in ('warning', 'error')),
  constraint told_is_known check (told in ('warning', 'error'))
);
comment on table private.alarms is 'What is wrong with the figures of the reports, and what was within half an hour.';
comment on column private.alarms.told is 'The worst light of it in a notice to admins.';
comment on column private.alarms.taken_over_at is 'When an admin said that they look after it: the log of admins has who.';
alter table private.alarms enable row level security;

create function private.taken_over_by(_alarm private.alarms)
  returns text
  language sql stable
  set search_path = ''
as $$
  select coalesce(nullif(profiles.full_name, ''), 'un amministratore')
  from public.admin_actions as actions left join public.profiles on profiles.user_id = actions.admin_id
  where actions.action = 'alarm.take_over' and actions.target = concat_ws(':', _alarm.report, _alarm.rule) and actions.created_at = _alarm.taken_over_at
$$;
comment on function private.taken_over_by(private.alarms) is 'Name the admin who looks after an alarm; null: still open to all.';
revoke all on function private.taken_over_by from public, anon, authenticated, service_role;

create function private.measure_uptime()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('figures', jsonb_build_object(
    'open_incidents', (select count(*) from private.incidents where ended_at is null),
    'failing', (select count(*) from private.uptime_parts where viewpoint = 'worker' and not is_up)
  ))
$$;
comment on function private.measure_uptime() is 'Count open incidents, and the parts that the last check did not reach.';
revoke all on function private.measure_uptime from public, anon, authenticated, service_role;

create function private.report_name(_name text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case _name
    when 'database' then 'Database'
    when 'queue' then 'Coda dei lavori'
    when 'payments' then 'Pagamenti'
    when 'credits' then 'Crediti'
    when 'errors' then 'Errori dei browser'
    when 'security' then 'Sicurezza'
    when 'backups' then 'Copie di sicurezza'
    when 'isolation' then 'Isolamento degli account'
    when 'uptime' then 'Disponibilità'
    when 'disk' then 'Disco'
    else _name
  end
$$;
comment on function private.report_name(text) is 'Name a report as people read it; web/src/strings/admin.ts has the same names.';
revoke all on function private.report_name from public, anon, authenticated, service_role;

create function private.follow_alarms()
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _due private.alarms;
  _finding text;
begin
  with found as (
    select newest.name, each.rule, each.light
    from private.newest_snapshots() as newest cross join lateral private.findings(newest) as each
  ), kept as (
    insert into private.alarms as known (report, rule, light) select name, rule, light from found
    on conflict (report, rule) do update set
      light = excluded.light, calm_since = null,
      -- In the alphabet too an error comes first. What gets worse begins there, and is for somebody to look after again.
      since = case when known.light <= excluded.light then known.since else now() end,
      taken_over_at = case when known.light <= excluded.light then known.taken_over_at end
  )
  update private.alarms as known set calm_since = now()
  where calm_since is null and not exists (select from found where found.name = known.report and found.rule = known.rule);

  delete from private.alarms where calm_since <= now() - interval '30 minutes';

  for _due in
    update private.alarms set told = light
    where calm_since is null and (
      light = 'error' and told is distinct from 'error'
      or light = 'warning' and told is null and since <= now() - interval '1 day'
    )
    returning *
  loop
    select found.finding into _finding
    from private.newest_snapshots() as newest cross join lateral private.findings(newest) as found
    where newest.name = _due.report and found.rule = _due.rule;
    perform private.notify(
      user_id, 'allarme',
      case _due.light when 'error' then 'Da risolvere: ' else 'Da guardare: ' end || private.report_name(_due.report),
      _finding, '/admin', concat_ws(':', 'allarme', _due.report, _due.rule, _due.light, _due.since)
    )
    from public.user_roles where role = 'admin';
  end loop;
end
$$;
comment on function private.follow_alarms() is
  'Begin and end alarms by the newest snapshots, and tell the admins of what is new.';
revoke all on function private.follow_alarms from public, anon, authenticated, service_role;

create function public.admin_take_over_alarm(_report text, _rule text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  update private.alarms set taken_over_at = now() where report = _report and rule = _rule and taken_over_at is null;
  -- Otherwise somebody was faster, or it is over: the screen shows which.
  if found then
    perform private.log_admin_action(
      'alarm.take_over', concat_ws(':', _report, _rule), null, null, null, 'Me ne occupo'
    );
    -- No other admin needs a mail any more.
    update public.notifications set is_read = true, read_at = now()
    where kind = 'allarme' and not is_read and starts_with(dedupe_key, concat_ws(':', 'allarme', _report, _rule, ''));
  end if;
end
$$;
comment on function public.admin_take_over_alarm(text, text) is
  'Say that the caller looks after an alarm, for admins: mails about it that wait are not sent. Again changes nothing.';
revoke all on function public.admin_take_over_alarm from public, anon, authenticated, service_role;
grant execute on function public.admin_take_over_alarm to authenticated;
