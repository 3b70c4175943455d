-- Telemetry: usage events and errors that the client reports.
--
-- Anybody may insert rows, signed in or not, so every column is bounded, each session has a rate limit and each network
-- a number of rows a day. No browser reads them; admins do, through guarded functions. The retention job
-- (functions/jobs/retention.py) bounds the age and the number of rows.
--
-- Error codes raised:
--   PT429  a session inserted more rows in a minute than its table allows, or a network more in a day (PostgREST
--          answers 429)

create type public.error_severity as enum ('critical');

create table public.analytics_events (
  id bigint generated always as identity primary key,
  event_name text not null,
  user_id uuid references auth.users (id) on delete set null,
  session_id text not null,
  properties jsonb,
  referrer text,
  user_agent text not null,
  ip_hash text not null default 'unknown',
  created_at timestamptz not null default now(),

  constraint event_name_is_an_identifier check (event_name ~ '^[a-z][a-z0-9_]{0,63}$'),
  constraint session_id_is_an_identifier check (session_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint properties_are_a_small_object check (
    jsonb_typeof(properties) = 'object' and octet_length(properties::text) <= 4096
  ),
  constraint texts_fit check (char_length(referrer) <= 2048 and char_length(user_agent) <= 1024),
  -- Sixteen hexadecimal characters of a digest, or 'unknown'; an address never fits.
  constraint ip_hash_is_a_digest check (ip_hash = 'unknown' or ip_hash ~ '^[0-9a-f]{16}$')
);
comment on table public.analytics_events is 'Use of the product, written after consent; kept 24 months.';

create table public.error_logs (
  id bigint generated always as identity primary key,
  user_id uuid references auth.users (id) on delete set null,
  session_id text not null,
  error_message text not null,
  error_stack text,
  component_stack text,
  url text,
  user_agent text,
  severity public.error_severity not null default 'critical',
  metadata jsonb,
  created_at timestamptz not null default now(),
  source text not null default 'browser',

  constraint source_is_known check (source in ('browser', 'server')),
  constraint session_id_is_an_identifier check (session_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint texts_fit check (
    char_length(error_message) <= 4000 and char_length(error_stack) <= 16000 and char_length(component_stack) <= 16000
    and char_length(url) <= 2048 and char_length(user_agent) <= 1024
  ),
  constraint metadata_is_a_small_object check (
    jsonb_typeof(metadata) = 'object' and octet_length(metadata::text) <= 4096
  )
);
comment on table public.error_logs is 'Rendering errors of the client and errors of the server; attacker-writable text, to be shown as text only; kept 90 days.';
comment on column public.error_logs.source is
  'Only the server may write it. Of the server session_id is the id of a request or job, and the stack begins with the place.';

create table private.telemetry_networks (
  day date not null,
  table_name name not null,
  network bigint not null,
  inserted integer not null,

  primary key (day, table_name, network)
);
comment on table private.telemetry_networks is
  'How many rows of telemetry a network inserted on a day; yesterday''s are deleted.';
comment on column private.telemetry_networks.network is 'A hash of an IPv4 address or of the /64 of an IPv6 address.';

create index analytics_events_session on public.analytics_events (session_id, created_at);

create index analytics_events_user on public.analytics_events (user_id);

create index analytics_events_latest on public.analytics_events (created_at desc);

-- Used by the report on performance, which reads 90 days of them.
create index analytics_events_vitals on public.analytics_events (created_at) where event_name = 'web_vitals';

-- Used by the limit of a table. A sender chooses its session_id, so the limit of a session does not stop a malicious
-- sender; a table has its own limit. Rows inserted at the same moment do not see each other, so each of PostgREST's
-- connections may exceed it once.
create index analytics_events_guests on public.analytics_events (created_at) where user_id is null;

create index error_logs_session on public.error_logs (session_id, created_at);

create index error_logs_user on public.error_logs (user_id);

create index error_logs_latest on public.error_logs (created_at desc);

create index error_logs_guests on public.error_logs (created_at) where user_id is null;

-- Security definer because the writer may not read the rows that are counted. Counts at most as many rows as the limit,
-- through an index.
create function private.limit_session_rate()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _limit constant bigint := tg_argv[0];
  _recent bigint;
begin
  execute format(
    'select count(*) from (select from %s where session_id = $1 and created_at > now() - interval ''1 minute'' limit $2) as recent',
    tg_relid::regclass
  ) into _recent using new.session_id, _limit;
  if _recent >= _limit then
    raise exception 'too many rows for one session' using errcode = 'PT429', hint = 'Try again in a minute.';
  end if;
  return new;
end
$$;
comment on function private.limit_session_rate() is 'Refuses a row when its session wrote as many as the argument in the last minute.';
revoke all on function private.limit_session_rate from public, anon, authenticated, service_role;

-- Security definer because the writer may not read the rows that are counted. Counts at most as many rows as the limit,
-- through an index.
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
revoke all on function private.limit_table_rate from public, anon, authenticated, service_role;

-- Security definer because the writer may not use the private schema. This machine has no limit: behind a proxy that is
-- not in the settings, everybody seems to come from it.
create function private.limit_network_day()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _limit constant integer := tg_argv[0];
  _address constant text := nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-forwarded-for';
  _network inet;
  _inserted integer;
begin
  if not pg_input_is_valid(coalesce(_address, ''), 'inet') or _address::inet << any (array['127.0.0.0/8', '::/127']::inet[]) then
    return new;
  end if;
  _network := network(set_masklen(_address::inet, case family(_address::inet) when 4 then 32 else 64 end));
  insert into private.telemetry_networks as seen (day, table_name, network, inserted)
  values (current_date, tg_table_name, hashtextextended(current_date || host(_network), 0), 1)
  on conflict (day, table_name, network) do update set inserted = seen.inserted + 1
  returning inserted into _inserted;
  if _inserted > _limit then
    raise exception 'too many rows for one network' using errcode = 'PT429', hint = 'Try again tomorrow.';
  end if;
  return new;
end
$$;
comment on function private.limit_network_day() is
  'Refuses a row when its network inserted as many as the argument today (UTC), through PostgREST.';
revoke all on function private.limit_network_day from public, anon, authenticated, service_role;

alter table private.telemetry_networks enable row level security;
alter table public.analytics_events enable row level security;
alter table public.error_logs enable row level security;

create policy "guests add events of nobody" on public.analytics_events
  for insert to anon
  with check (user_id is null);

create policy "users add events of their own or of nobody" on public.analytics_events
  for insert to authenticated
  with check (user_id is null or user_id = (select auth.uid()));

create policy "guests report errors of nobody" on public.error_logs
  for insert to anon
  with check (user_id is null);

create policy "users report errors of their own or of nobody" on public.error_logs
  for insert to authenticated
  with check (user_id is null or user_id = (select auth.uid()));

revoke all on public.analytics_events from public, anon, authenticated, service_role;
revoke all on private.telemetry_networks from public, anon, authenticated, service_role;
grant select, delete on private.telemetry_networks to service_role;
grant select, insert, delete on public.analytics_events to service_role;
grant insert (
  event_name, user_id, session_id, properties, referrer, user_agent, ip_hash
) on public.analytics_events to anon;
grant insert (
  event_name, user_id, session_id, properties, referrer, user_agent, ip_hash
) on public.analytics_events to authenticated;

revoke all on public.error_logs from public, anon, authenticated, service_role;
grant select, insert, delete on public.error_logs to service_role;
grant insert (
  user_id, session_id, error_message, error_stack, component_stack, url, user_agent, severity, metadata
) on public.error_logs to anon;
grant insert (
  user_id, session_id, error_message, error_stack, component_stack, url, user_agent, severity, metadata
) on public.error_logs to authenticated;

create trigger session_rate
  before insert on public.analytics_events
  for each row execute function private.limit_session_rate('300');

create trigger session_rate
  before insert on public.error_logs
  for each row execute function private.limit_session_rate('30');

-- Enough for 300 visitors at once and for as many signed-in users. The limit is higher than that of error_logs because
-- an event is smaller than an error and a visit has several events.
create trigger table_rate
  before insert on public.analytics_events
  for each row execute function private.limit_table_rate('1500', '3000');

create trigger table_rate
  before insert on public.error_logs
  for each row execute function private.limit_table_rate('300', '600');

-- An office of fifty people, each a whole day at work; an error is much larger and much rarer.
create trigger network_day
  before insert on public.analytics_events
  for each row execute function private.limit_network_day('20000');

create trigger network_day
  before insert on public.error_logs
  for each row execute function private.limit_network_day('500');
