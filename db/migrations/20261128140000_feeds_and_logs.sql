-- Calendar feeds of accounts that may sign in only, telemetry that cannot fill the disk, and indexes of the retention.

-- Definer: the auth service's table is nobody's to read.
create function private.calendar_feed_owner(_secret_hash bytea)
  returns uuid
  language sql stable security definer
  set search_path = ''
as $$
  select user_id from private.calendar_feeds join auth.users on users.id = calendar_feeds.user_id
  where secret_hash = _secret_hash and users.deleted_at is null
    and (users.banned_until is null or users.banned_until <= now())
$$;
comment on function private.calendar_feed_owner(bytea) is
  'Whose calendar feed the secret of this digest opens; null when nobody''s, or when the account is banned or deleted.';

revoke all on function private.calendar_feed_owner(bytea) from public, anon, authenticated, service_role;
grant execute on function private.calendar_feed_owner(bytea) to service_role;

-- A sender chooses its session_id, so the rate of a session bounds no sender who means harm: a table has one as well.
-- Rows that come at the same moment do not see each other: each of PostgREST's connections may pass it once.
create index analytics_events_guests on public.analytics_events (created_at) where user_id is null;
create index error_logs_guests on public.error_logs (created_at) where user_id is null;

-- Definer, because the writer may not read the rows it counts. Counts at most the limit, through an index.
create function private.limit_table_rate()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _guests constant bigint := tg_argv[0];
  _everybody constant bigint := tg_argv[1];
  _is_over boolean;
begin
  execute format(
    'select $1 and exists (
       select from %1$s where user_id is null and created_at > now() - interval ''1 minute''
       order by created_at desc offset $2 - 1
     ) or exists (
       select from %1$s where created_at > now() - interval ''1 minute'' order by created_at desc offset $3 - 1
     )',
    tg_relid::regclass
  ) into _is_over using new.user_id is null, _guests, _everybody;
  if _is_over then
    raise exception 'too many rows for one minute' using errcode = 'PT429', hint = 'Try again in a minute.';
  end if;
  return new;
end
$$;
comment on function private.limit_table_rate() is 'Refuses a row when in the last minute nobody in particular wrote as many as the first argument, which bounds rows of nobody only, or everybody together as many as the second.';

revoke all on function private.limit_table_rate() from public, anon, authenticated, service_role;

-- 300 visitors at once, and as many again who are signed in. An event is smaller than an error, and a visit has several.
create trigger table_rate
  before insert on public.analytics_events
  for each row execute function private.limit_table_rate('1500', '3000');

create trigger table_rate
  before insert on public.error_logs
  for each row execute function private.limit_table_rate('300', '600');

-- Serves the retention (functions/jobs/notice_retention.py).
create index notifications_read on public.notifications (coalesce(read_at, created_at)) where is_read;

comment on table public.error_logs is 'Rendering errors of the client; attacker-writable text, to be shown as text only; kept 90 days.';
comment on table public.notifications is 'Messages to one user, listed by the bell and the notifications page; kept 12 months once read.';
