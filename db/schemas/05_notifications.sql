-- Notifications: written by the server; read, marked and deleted by their owner.

create type public.notification_type as enum ('success', 'warning', 'error', 'info');

create table public.notifications (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  title public.single_line not null,
  message text not null,
  type public.notification_type not null default 'info',
  is_read boolean not null default false,
  read_at timestamptz,
  created_at timestamptz not null default now(),
  action_url public.relative_path,

  constraint message_fits check (char_length(message) between 1 and 2000),
  constraint unread_was_not_read check (is_read or read_at is null)
);
comment on column public.notifications.action_url is 'Where a click leads: always a path inside the client.';
comment on table public.notifications is 'Messages to one user, listed by the bell and the notifications page; kept 12 months once read.';

-- Used by the list of the bell. Its query has no user filter, because the policy adds one.
create index notifications_latest on public.notifications (user_id, created_at desc);

-- Used by the badge and by "mark all as read".
create index notifications_unread on public.notifications (user_id) where not is_read;

-- Realtime reports a deleted row by its replica identity only. The identity includes the owner, so that only the owner
-- receives the deletion. It is an index of two columns because `full` would write each changed message to the log a
-- second time.
create unique index notifications_identity on public.notifications (user_id, id);

-- Used by the retention job (functions/jobs/notice_retention.py).
create index notifications_read on public.notifications (coalesce(read_at, created_at)) where is_read;

alter table public.notifications enable row level security;

create policy "owners read their notifications" on public.notifications
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners mark their notifications" on public.notifications
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their notifications" on public.notifications
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.notifications from public, anon, authenticated, service_role;
grant select, delete on public.notifications to authenticated;
grant select, insert, update, delete on public.notifications to service_role;
grant update (is_read, read_at) on public.notifications to authenticated;

alter table public.notifications replica identity using index notifications_identity;
