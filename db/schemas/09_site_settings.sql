-- Settings that the public pages read.

create table public.site_settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now(),

  constraint keys_are_dotted_slugs check (key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'),
  constraint simulated_scarcity_is_a_switch check (
    key <> 'marketing.simulated_scarcity' or jsonb_typeof(value) = 'boolean'
  )
);
comment on table public.site_settings is 'Switches of the public pages; what begins with marketing. is for everybody to read.';

alter table public.site_settings enable row level security;

create policy "everybody reads the settings of the public pages" on public.site_settings
  for select to anon, authenticated
  using (starts_with(key, 'marketing.'));

revoke all on public.site_settings from public, anon, authenticated, service_role;
grant select on public.site_settings to anon, authenticated;
grant select, insert, update, delete on public.site_settings to service_role;
