-- Settings that are changed while the product runs: switches of the public pages, and limits that an admin sets
-- (78_guardrail.sql). What spends reads them in its own transaction.

create table public.site_settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now(),

  constraint keys_are_dotted_slugs check (key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'),
  constraint simulated_scarcity_is_a_switch check (
    key <> 'marketing.simulated_scarcity' or jsonb_typeof(value) = 'boolean'
  ),
  constraint ai_stop_is_a_switch check (key <> 'ai.stopped' or jsonb_typeof(value) = 'boolean'),
  -- As text, because a check may evaluate both sides of a condition.
  constraint daily_cap_is_a_number_of_credits check (key <> 'credits.daily_cap' or value::text ~ '^[1-9][0-9]{0,6}$')
);
comment on table public.site_settings is
  'Switches and limits by name; what begins with marketing. is for everybody to read, the others for functions only.';

create function private.is_ai_stopped()
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (select from public.site_settings where key = 'ai.stopped' and value = 'true')
$$;
comment on function private.is_ai_stopped() is
  'Whether an admin has stopped paid AI and autonomous goals for everybody; read in the transaction that would begin work.';
revoke all on function private.is_ai_stopped from public, anon, authenticated, service_role;
grant execute on function private.is_ai_stopped to service_role;

create function private.daily_cap()
  returns bigint
  language sql stable
  set search_path = ''
as $$
  select value::text::bigint from public.site_settings where key = 'credits.daily_cap'
$$;
comment on function private.daily_cap() is 'The credits that the work of one account may use in a day; null without a limit.';
revoke all on function private.daily_cap from public, anon, authenticated, service_role;

alter table public.site_settings enable row level security;

create policy "everybody reads the settings of the public pages" on public.site_settings
  for select to anon, authenticated
  using (starts_with(key, 'marketing.'));

revoke all on public.site_settings from public, anon, authenticated, service_role;
grant select on public.site_settings to anon, authenticated;
grant select, insert, update, delete on public.site_settings to service_role;
