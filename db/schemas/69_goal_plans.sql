-- The rules that the plan of a goal tells. functions/_shared/goals/plans.py makes the plan.

create function private.plan_rules(_uses_whatsapp boolean, _uses_pec boolean)
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select jsonb_build_object(
    'channels', (
      select jsonb_object_agg(level, private.wanted_channel(level, _uses_whatsapp, _uses_pec))
      from generate_series(1, 4) as level
    ),
    'mail_undo_s', extract(epoch from private.time_to_cancel(false))::integer,
    'merge_undo_days', extract(day from private.time_to_unmerge())::integer,
    'plans_at', to_char(private.planning_time(), 'FMHH24:MI'),
    'mail_hours', (select jsonb_agg(to_char(hour, 'FMHH24:MI')) from unnest(private.mail_hours()) as hour),
    'closing_days', private.closing_days(),
    'letter_credits', private.quote_of('letter')
  )
$$;
comment on function private.plan_rules(boolean, boolean) is
  'The rules that steps of agents follow: channels by level, how long what can be undone, hours, and the price of a letter.';
revoke all on function private.plan_rules from public, anon, authenticated, service_role;
grant execute on function private.plan_rules to service_role;
