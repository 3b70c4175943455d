-- Views of the admin screens that a person saved: a screen with its period, filter and chosen figure, as in its address.
--
-- Error codes raised:
--   SM020  the person has 50 views, which is the limit

create table public.admin_views (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  -- The path of the screen, and its choices as the client writes them. The database never reads them.
  screen text not null,
  query text not null,
  created_at timestamptz not null default now(),

  constraint name_fits check (char_length(name) <= 60 and name = btrim(name)),
  constraint screen_is_for_admins check (screen ~ '^/admin(/[a-z-]{1,40})?$'),
  constraint query_fits check (char_length(query) between 1 and 500)
);
comment on table public.admin_views is 'Views of the admin screens that a person saved under a name.';

-- A person chooses by name. Also used by the list.
create unique index admin_views_name on public.admin_views (user_id, lower(name));

-- Two inserts at the same time may pass the limit by one: it keeps a list short.
create function private.limit_admin_views()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if (select count(*) from public.admin_views where user_id = new.user_id) >= 50 then
    raise exception 'no more views fit' using errcode = 'SM020';
  end if;
  return new;
end
$$;
comment on function private.limit_admin_views() is 'Refuses a view when its owner has 50 of them.';
revoke all on function private.limit_admin_views from public, anon, authenticated, service_role;

alter table public.admin_views enable row level security;

create policy "owners read their admin views" on public.admin_views
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners add admin views" on public.admin_views
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners change their admin views" on public.admin_views
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners delete their admin views" on public.admin_views
  for delete to authenticated using (user_id = (select auth.uid()));

revoke all on public.admin_views from public, anon, authenticated, service_role;
grant select, delete on public.admin_views to authenticated;
grant insert (id, user_id, name, screen, query) on public.admin_views to authenticated;
grant update (name, screen, query) on public.admin_views to authenticated;
grant select on public.admin_views to service_role;

create trigger limit_admin_views before insert on public.admin_views
  for each row execute function private.limit_admin_views();
