-- The schema as it was declared in db/schemas when the history was folded, and the rows that every installation starts
-- with. A database that the older migrations made is compared with it and goes on (supabase/backend/core/baseline.py).

set check_function_bodies = off;

-- Execute for PUBLIC is a global default of Postgres that cannot be revoked for one schema; every function
-- therefore revokes it by name (a lint test finds the forgotten one).

create schema private;
comment on schema private is 'Server side of the product: not exposed by the API.';
revoke all on schema private from public;
-- Server code that acts as service_role calls the money verbs by name.
grant usage on schema private to service_role;

create extension if not exists pg_trgm with schema extensions;
create extension if not exists unaccent with schema extensions;

-- Supabase gives the API roles every right on new public objects. Here a right exists when a chapter grants it.
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

-- A browser reads '//host', '/\host' and '/<tab>/host' as another site: none of them is a path of ours.
create domain public.relative_path as text
  check (value ~ '^/' and value !~ '//' and value !~ '[[:cntrl:][:space:]\\]' and char_length(value) <= 500);
comment on domain public.relative_path is 'A path inside the client, safe to navigate to.';

-- Absent is null, never blank.
create domain public.single_line as text
  check (value ~ '[^[:space:]]' and value !~ '[[:cntrl:]]' and char_length(value) <= 200);
comment on domain public.single_line is 'One line of human text: not blank, no control character, at most 200 characters.';

create function private.refuse_change()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  raise exception 'table %.% is append-only', tg_table_schema, tg_table_name using errcode = 'restrict_violation';
end
$$;
comment on function private.refuse_change() is 'Makes a table append-only, for service_role and the owner too.';
revoke all on function private.refuse_change from public, anon, authenticated, service_role;

create function private.is_email(_address text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select char_length(_address) <= 254
    and _address ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+[.][^[:space:][:cntrl:]@]+$'
$$;
comment on function private.is_email(text) is 'Whether a text has the shape of an e-mail address.';
revoke all on function private.is_email from public, anon, authenticated, service_role;
grant execute on function private.is_email to authenticated, service_role;

create function private.set_updated_at()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.set_updated_at() is 'Notes when a row was last changed.';
revoke all on function private.set_updated_at from public, anon, authenticated, service_role;

-- Membership: who holds which role.
--
-- Roles are given by the server only. No policy lets an admin in: "own rows or admin" turns an index scan into a full
-- scan (0.021 ms against 41 ms on 1e6 rows), and even an admin-only policy is evaluated row by row, so that anybody
-- could make the server read a whole table to be shown nothing. What an admin sees comes from guarded functions.

-- Functions the client calls by name.

create type public.app_role as enum ('admin');

create table public.user_roles (
  user_id uuid not null references auth.users (id) on delete cascade,
  role public.app_role not null,
  granted_at timestamptz not null default now(),
  primary key (user_id, role)
);
comment on table public.user_roles is 'Roles beyond an ordinary account; written by the server only.';

-- The guard of those functions; answers only about the caller. A stolen password alone opens nothing: the session must
-- have shown a second factor (claim aal, https://supabase.com/docs/guides/auth/auth-mfa).
create function private.is_admin()
  returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce((select auth.jwt()) ->> 'aal' = 'aal2', false)
    and exists (select from public.user_roles where user_id = (select auth.uid()) and role = 'admin')
$$;
comment on function private.is_admin() is 'Whether the caller is an admin who has shown a second factor; false without a signed-in user.';
revoke all on function private.is_admin from public, anon, authenticated, service_role;

-- The role comes as text: a name that is no role answers false instead of an error.
-- Definer, because an admin may ask about anybody while the policy of user_roles shows own rows only.
create function public.has_role(_user_id uuid, _role text)
  returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(
      _user_id = (select auth.uid()) or (select auth.role()) = 'service_role' or (select private.is_admin()),
      false
    )
    and exists (select from public.user_roles where user_id = _user_id and role::text = _role)
$$;
comment on function public.has_role(uuid, text) is
  'Whether a user holds a role; false for a missing user and for anybody who asks about somebody else, unless an admin asks.';
revoke all on function public.has_role from public, anon, authenticated, service_role;
grant execute on function public.has_role to authenticated, service_role;

alter table public.user_roles enable row level security;

create policy "users read their own roles" on public.user_roles
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.user_roles from public, anon, authenticated, service_role;
grant select on public.user_roles to authenticated;
grant select, insert, delete on public.user_roles to service_role;

-- Profiles: one row per account, made by the sign-up trigger and filled in by onboarding.

create type public.tax_regime as enum ('forfettario', 'ordinario', 'semplificato', 'altro');

create function private.is_vat_number(_number text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Seven digits of the person, three of the office that gave the number, one check digit (Luhn).
  select case when _number !~ '^[0-9]{7}(0(?!00)[0-9]{2}|100|120|121|888|999)[0-9]$' or _number ~ '^0{7}' then false
    else (
      select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9 else digit * 2 end) % 10 = 0
      from generate_series(1, 11) as place, lateral (select substr(_number, place, 1)::integer as digit) as digits
    )
  end
$$;
comment on function private.is_vat_number(text) is 'Whether a text is a partita IVA: 11 digits, the last by Luhn.';
revoke all on function private.is_vat_number from public, anon, authenticated, service_role;
grant execute on function private.is_vat_number to authenticated, service_role;

create function private.is_tax_code(_code text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Letters stand for digits where two people would have the same code (omocodia). A woman's day counts from 41. The
  -- century is unknown; 2000 is a leap year, so it forgives a 29 February.
  select case
    when _code !~ '^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$' then false
    else (
      select day - case when day > 40 then 40 else 0 end between 1
        and extract(day from make_date(2000 + year, month, 1) + interval '1 month - 1 day')
      from (
        select translate(substr(_code, 7, 2), 'LMNPQRSTUV', '0123456789')::integer as year,
          strpos('ABCDEHLMPRST', substr(_code, 9, 1)) as month,
          translate(substr(_code, 10, 2), 'LMNPQRSTUV', '0123456789')::integer as day
      ) as birth
    ) and (
      -- What a character in an odd place counts, by its place in the alphabet or its digit (D.M. 23 December 1976).
      select chr(65 + sum(
          case when place % 2 = 0 then value
            else ('{1,0,5,7,9,13,15,17,19,21,2,4,18,20,11,3,6,8,12,14,16,10,22,25,24,23}'::integer[])[value + 1] end
        )::integer % 26) = substr(_code, 16, 1)
      from generate_series(1, 15) as place, lateral (
        select ascii(substr(_code, place, 1)) - case when substr(_code, place, 1) ~ '[0-9]' then 48 else 65 end as value
      ) as characters
    )
  end
$$;
comment on function private.is_tax_code(text) is
  'Whether a text is the codice fiscale of a person: 16 characters, the birthday exists and the last letter fits.';
revoke all on function private.is_tax_code from public, anon, authenticated, service_role;
grant execute on function private.is_tax_code to authenticated, service_role;

create function private.is_sdi_code(_code text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select _code ~ '^[A-Z0-9]{7}$'
$$;
comment on function private.is_sdi_code(text) is 'Whether a text is a codice destinatario of the exchange system.';
revoke all on function private.is_sdi_code from public, anon, authenticated, service_role;
grant execute on function private.is_sdi_code to authenticated, service_role;

create function private.bare_number(_number text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select regexp_replace(upper(regexp_replace(_number, '\s', '', 'g')), '^IT', '')
$$;
comment on function private.bare_number(text) is 'A tax number without blanks and without its country, if that is Italy.';
revoke all on function private.bare_number from public, anon, authenticated, service_role;

create table public.profiles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  full_name public.single_line,
  avatar_url text,
  onboarding_completed boolean not null default false,
  -- How many of the four onboarding steps are behind the user; the page resumes there.
  onboarding_step smallint not null default 0,
  business_name public.single_line,
  activity public.single_line,
  tax_regime public.tax_regime,
  goal text,
  -- Who one is: by these an invoice is known to be issued or received.
  vat_number text,
  tax_code text,
  created_at timestamptz not null default now(),

  constraint full_name_fits check (char_length(full_name) <= 120),
  constraint business_name_fits check (char_length(business_name) <= 120),
  -- Shown as an image source: a web address or a path of ours, never script or inline data.
  constraint avatar_url_is_an_address check (
    avatar_url ~ '^(https?://|/[^/])' and avatar_url !~ '[[:cntrl:][:space:]"''<>\\]' and char_length(avatar_url) <= 1000
  ),
  constraint onboarding_has_four_steps check (onboarding_step between 0 and 4),
  constraint vat_number_is_one check (private.is_vat_number(vat_number)),
  constraint tax_code_is_one check (private.is_tax_code(tax_code) or private.is_vat_number(tax_code)),
  constraint goal_fits check (char_length(goal) between 1 and 500)
);
comment on table public.profiles is 'What a user says about themselves and their business; one row per account.';

alter table public.profiles enable row level security;

create policy "owners read their profile" on public.profiles
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their profile" on public.profiles
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

revoke all on public.profiles from public, anon, authenticated, service_role;
grant select on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;
grant update (
  full_name, avatar_url, onboarding_completed, onboarding_step, business_name, activity, tax_regime, goal,
  vat_number, tax_code
) on public.profiles to authenticated;

-- Notifications: written by the server, read, marked and deleted by their owner.

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
comment on table public.notifications is 'Messages to one user, listed by the bell and the notifications page.';
comment on column public.notifications.action_url is 'Where a click leads: always a path inside the client.';
comment on table public.notifications is 'Messages to one user, listed by the bell and the notifications page; kept 12 months once read.';

-- Serves the list of the bell, which carries no user filter of its own: the policy brings it.
create index notifications_latest on public.notifications (user_id, created_at desc);

-- Serves the badge and "mark all as read".
create index notifications_unread on public.notifications (user_id) where not is_read;

-- A deleted row is known by its replica identity only: with the owner in it, the owner alone is told. An index of two
-- columns instead of `full`, which would write each changed message to the log once more.
create unique index notifications_identity on public.notifications (user_id, id);

-- Serves the retention (functions/jobs/notice_retention.py).
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

-- Telemetry: what the client reports about its use and its failures.
--
-- Anybody may add rows, signed in or not, so every column is bounded and a session has a rate. No browser reads them:
-- admins do through guarded functions. Rates per address belong to the gateway: the database does not know addresses.
--
-- Error codes raised:
--   PT429  a session wrote more rows in a minute than its table allows (PostgREST answers 429)

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
  -- Sixteen hexadecimal characters of a digest, or 'unknown'; an address itself never fits.
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

  constraint session_id_is_an_identifier check (session_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint texts_fit check (
    char_length(error_message) <= 4000 and char_length(error_stack) <= 16000 and char_length(component_stack) <= 16000
    and char_length(url) <= 2048 and char_length(user_agent) <= 1024
  ),
  constraint metadata_is_a_small_object check (
    jsonb_typeof(metadata) = 'object' and octet_length(metadata::text) <= 4096
  )
);
comment on table public.error_logs is 'Rendering errors of the client; attacker-writable text, to be shown as text only.';
comment on table public.error_logs is 'Rendering errors of the client; attacker-writable text, to be shown as text only; kept 90 days.';

create index analytics_events_session on public.analytics_events (session_id, created_at);

create index analytics_events_user on public.analytics_events (user_id);

create index analytics_events_latest on public.analytics_events (created_at desc);

-- A sender chooses its session_id, so the rate of a session bounds no sender who means harm: a table has one as well.
-- Rows that come at the same moment do not see each other: each of PostgREST's connections may pass it once.
create index analytics_events_guests on public.analytics_events (created_at) where user_id is null;

create index error_logs_session on public.error_logs (session_id, created_at);

create index error_logs_user on public.error_logs (user_id);

create index error_logs_latest on public.error_logs (created_at desc);

create index error_logs_guests on public.error_logs (created_at) where user_id is null;

-- Definer, because the writer may not read the rows it counts. Counts at most the limit, through an index.
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
revoke all on function private.limit_table_rate from public, anon, authenticated, service_role;

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

-- 300 visitors at once, and as many again who are signed in. An event is smaller than an error, and a visit has several.
create trigger table_rate
  before insert on public.analytics_events
  for each row execute function private.limit_table_rate('1500', '3000');

create trigger table_rate
  before insert on public.error_logs
  for each row execute function private.limit_table_rate('300', '600');

-- Progress of background jobs: one row for each thing a user waits for, written by the server, watched by its owner.

create type public.job_state as enum ('waiting', 'running', 'done', 'failed');

create table public.job_progress (
  user_id uuid not null references auth.users (id) on delete cascade,
  job_key text not null,
  state public.job_state not null default 'waiting',
  done integer not null default 0,
  total integer,
  message public.single_line,
  updated_at timestamptz not null default now(),
  primary key (user_id, job_key),

  -- What is worked on, such as ocr:<document id>.
  constraint job_key_is_an_identifier check (job_key ~ '^[a-z][a-z0-9_]*(:[A-Za-z0-9_-]+)*$' and char_length(job_key) <= 128),
  constraint done_is_a_part_of_total check (done >= 0 and (total is null or done <= total))
);
comment on table public.job_progress is 'How far the work is that a user waits for; a finished row is kept for a week.';
comment on column public.job_progress.total is 'Null while nobody knows how much there is to do.';

-- Serves the retention job.
create index job_progress_updated on public.job_progress (updated_at);

alter table public.job_progress enable row level security;

create policy "owners watch their jobs" on public.job_progress
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.job_progress from public, anon, authenticated, service_role;
grant select on public.job_progress to authenticated;
grant select, insert, update, delete on public.job_progress to service_role;

-- What is gone is gone, and nothing else: files go with their account, a merged contact that is erased leaves no name, the
-- trash counts by our clock, and what its person wrote into demo data is no demo data any more.

-- The folder of an account that is gone takes no files any more: neither those of an address that was signed before,
-- nor what was on its way.

-- The rows go at once, and with them every signed link; storage drops the files of rows that are gone.
create function private.remove_files()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- What storage says when it deletes rows of its own.
  perform set_config('storage.allow_delete_query', 'true', true);
  -- All that begins with the folder's name: names are sorted by byte, and «0» follows «/».
  delete from storage.objects
  where bucket_id in ('avatars', 'documents') and name >= old.user_id || '/' and name < old.user_id || '0';
  return null;
end
$$;
comment on function private.remove_files() is 'The files of an account go with it.';
revoke all on function private.remove_files from public, anon, authenticated, service_role;

create function private.refuse_files_of_nobody()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _folder text := split_part(new.name, '/', 1);
begin
  if _folder ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
    -- Who is being deleted is waited for; and who is there stays until this file is, and takes it along.
    perform from public.profiles where user_id = _folder::uuid for key share;
    if found then
      return new;
    end if;
  end if;
  raise insufficient_privilege using message = 'the folder belongs to nobody';
end
$$;
comment on function private.refuse_files_of_nobody() is
  'Files of the buckets that hold personal data lie in the folder of an account that is there.';
revoke all on function private.refuse_files_of_nobody from public, anon, authenticated, service_role;

-- Moving a file is an update: both its old and its new folder must be the caller's.
create policy "owners see their files" on storage.objects
  for select to authenticated
  using (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners add files" on storage.objects
  for insert to authenticated
  with check (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners change their files" on storage.objects
  for update to authenticated
  using (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create policy "owners delete their files" on storage.objects
  for delete to authenticated
  using (bucket_id in ('documents', 'avatars') and (storage.foldername(name))[1] = (select auth.uid())::text);

create trigger remove_files after delete on public.profiles for each row execute function private.remove_files();

create trigger refuse_files_of_nobody before insert or update of bucket_id, name on storage.objects
  for each row when (new.bucket_id in ('avatars', 'documents')) execute function private.refuse_files_of_nobody();

-- Early bird: the settings that the public pages read, and the waiting list for when the offer has ended.
--
-- The waiting list holds addresses of people who are no users, so no browser reaches it: the function
-- join_waiting_list does, and a link in a mail proves that the address is its owner's.

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

-- Catalogue: plans, packs, what an action costs, and every claim the pages make. One source for pages and checkout.
--
-- A version is prepared as a draft and published by a date; from then on it never changes, because orders name it.
-- A new price is a new version: copy the newest one, change the copy, publish it.
--
-- Money is integer cents. Error codes raised:
--   23001  (restrict_violation) somebody tried to change a published version

create type public.plan_period as enum ('forever', 'month', 'year');

create type public.claim_status as enum ('verificato', 'stima', 'storico', 'in_conflitto');

create table public.catalog_versions (
  version integer primary key,
  note public.single_line not null,
  created_at timestamptz not null default now(),
  -- Null: a draft that nobody but the owner sees.
  published_at timestamptz unique,

  constraint versions_count_from_one check (version > 0)
);
comment on table public.catalog_versions is 'Editions of the catalogue; the newest published one is in force.';

create table public.plans (
  version integer not null references public.catalog_versions (version) on delete restrict,
  id text not null,
  position smallint not null,
  name public.single_line not null,
  price_cents bigint not null,
  currency text not null default 'EUR',
  period public.plan_period not null,
  -- Each month, also where the price holds for ever or for a year.
  credits bigint not null,
  features text[] not null,
  highlight boolean not null default false,
  badge public.single_line,
  savings public.single_line,

  primary key (version, id),
  constraint ids_are_slugs check (id ~ '^[a-z][a-z0-9_]{0,30}$'),
  constraint prices_are_never_negative check (price_cents >= 0),
  constraint a_plan_brings_credits check (credits > 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$')
);
comment on table public.plans is 'Recurring plans as the landing and the store show them.';

create table public.packs (
  version integer not null references public.catalog_versions (version) on delete restrict,
  id text not null,
  position smallint not null,
  name public.single_line not null,
  store_name public.single_line not null,
  description public.single_line not null,
  credits bigint not null,
  bonus bigint not null default 0,
  price_cents bigint not null,
  currency text not null default 'EUR',
  features text[] not null,
  popular boolean not null default false,
  badge public.single_line,

  primary key (version, id),
  constraint ids_are_slugs check (id ~ '^[a-z][a-z0-9_]{0,30}$'),
  -- A price of zero or less would make credits out of nothing.
  constraint a_pack_costs_something check (price_cents > 0),
  constraint a_pack_brings_credits check (credits > 0 and bonus >= 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$')
);
comment on table public.packs is 'Credits sold once: price and credits that checkout takes by pack id, never from the client.';
comment on column public.packs.name is 'On /pricing.';
comment on column public.packs.store_name is 'The purchase button of the store.';

create table public.credit_prices (
  version integer not null references public.catalog_versions (version) on delete restrict,
  action text not null,
  position smallint not null,
  name public.single_line not null,
  min_credits bigint not null,
  max_credits bigint not null,
  note public.single_line,

  primary key (version, action),
  constraint actions_are_slugs check (action ~ '^[a-z][a-z0-9_]{0,30}$'),
  constraint a_price_has_a_range check (min_credits >= 0 and max_credits >= min_credits)
);
comment on table public.credit_prices is 'What an action costs in credits; max is what is held before it, min differs where the work decides.';

create table public.claims (
  version integer not null references public.catalog_versions (version) on delete restrict,
  key text not null,
  surface text not null,
  text public.single_line not null,
  value numeric,
  unit public.single_line,
  formula text,
  base text,
  source public.single_line not null,
  status public.claim_status not null,
  effective_key text,

  primary key (version, key),
  constraint keys_are_dotted_slugs check (key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'),
  constraint a_value_has_a_unit check ((value is null) = (unit is null)),
  constraint a_formula_has_a_value check (formula is null or value is not null),
  constraint a_conflict_says_what_holds check (status <> 'in_conflitto' or effective_key is not null)
);
comment on table public.claims is 'What the pages assert: text and value, how it was reckoned, and what holds when two of them differ.';
comment on column public.claims.surface is 'The pages that say it, separated by a comma.';
comment on column public.claims.formula is
  'Arithmetic over claims and catalogue (plans.<id>.price, packs.<id>.credits, …) whose rounded result is the value.';
comment on column public.claims.base is 'Small print: what the claim compares with, or how it is meant.';
comment on column public.claims.effective_key is 'The claim, or the value of the catalogue, that holds instead.';

create function public.catalog()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'version', edition.version,
    'plans', (
      select jsonb_agg(to_jsonb(plans) - '{version,position}'::text[] order by plans.position)
      from public.plans where plans.version = edition.version
    ),
    'packs', (
      select jsonb_agg(to_jsonb(packs) - '{version,position}'::text[] order by packs.position)
      from public.packs where packs.version = edition.version
    ),
    'credit_prices', (
      select jsonb_agg(to_jsonb(credit_prices) - '{version,position}'::text[] order by credit_prices.position)
      from public.credit_prices where credit_prices.version = edition.version
    ),
    'claims', (
      select jsonb_object_agg(claims.key, to_jsonb(claims) - '{version,key}'::text[])
      from public.claims where claims.version = edition.version
    )
  )
  from public.catalog_versions as edition
  where edition.published_at <= now()
  order by edition.published_at desc
  limit 1
$$;
comment on function public.catalog() is 'The catalogue in force, as one document.';
revoke all on function public.catalog from public, anon, authenticated, service_role;
grant execute on function public.catalog to anon, authenticated, service_role;

create function private.refuse_change_of_published()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _version integer := case when tg_op = 'DELETE' then old.version else new.version end;
begin
  if exists (
    select from public.catalog_versions
    where catalog_versions.version in (_version, case when tg_op = 'UPDATE' then old.version end)
      and catalog_versions.published_at <= now()
  ) then
    raise exception 'version % of the catalogue is published', _version using errcode = 'restrict_violation';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
comment on function private.refuse_change_of_published() is 'Keeps a published version of the catalogue as it is, for the owner too.';
revoke all on function private.refuse_change_of_published from public, anon, authenticated, service_role;

alter table public.catalog_versions enable row level security;
alter table public.plans enable row level security;
alter table public.packs enable row level security;
alter table public.credit_prices enable row level security;
alter table public.claims enable row level security;

create policy "everybody reads published versions" on public.catalog_versions
  for select to anon, authenticated
  using (published_at <= now());

-- The versions one may see, by the policy above.
create policy "everybody reads published plans" on public.plans
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published packs" on public.packs
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published prices" on public.credit_prices
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published claims" on public.claims
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

revoke all on public.catalog_versions from public, anon, authenticated, service_role;
grant select on public.catalog_versions to anon, authenticated, service_role;

revoke all on public.plans from public, anon, authenticated, service_role;
grant select on public.plans to anon, authenticated, service_role;

revoke all on public.packs from public, anon, authenticated, service_role;
grant select on public.packs to anon, authenticated, service_role;

revoke all on public.credit_prices from public, anon, authenticated, service_role;
grant select on public.credit_prices to anon, authenticated, service_role;

revoke all on public.claims from public, anon, authenticated, service_role;
grant select on public.claims to anon, authenticated, service_role;

create trigger published_stays
  before update or delete on public.catalog_versions
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.plans
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.packs
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.credit_prices
  for each row execute function private.refuse_change_of_published();

create trigger published_stays
  before insert or update or delete on public.claims
  for each row execute function private.refuse_change_of_published();

-- Credits: wallet, lots and the append-only ledger.
--
-- One ledger row is one transfer between a wallet and one of the product's accounts, so both sides of the double
-- entry exist by construction. Money moves through one function per verb (here: grant), which locks the wallet row
-- and is idempotent by key. Holds, orders and prices join later; a hold moves credits from balance to held.
--
-- Nothing here references auth.users: accounting outlives the account, and the id of an erased user names nobody.
--
-- Error codes raised:
--   SC001  an idempotency key was used again for another movement
--   SC002  the account has no wallet
--   23001  (restrict_violation) somebody tried to change the ledger

-- The ledger in full: holds, lots that know their order and price, and what must be true of every row.
--
-- A ledger row is a transfer between one lot of a wallet and one account of the product. A movement over several lots
-- is several rows under one key, numbered by `part`. Holds are no rows: they reserve, nothing changes hands; a settled
-- hold leaves one row for each lot it used.
--
-- Double entry holds by construction, and three sums say the same of each wallet: the wallet row, its lots, its ledger.
-- The verbs of the next chapter compare them each time (private.assert_wallet).

-- What every verb of the ledger stands on, and those that bring credits or correct them: grant, adjust.
--
-- A verb locks the wallet row first, so that movements of one wallet happen one after the other; is idempotent by its
-- key, answering again what it answered; and raises when wallet, lots and ledger disagree. Time is the database's.
--
-- Error codes raised, here and in the next chapters:
--   SC001  an idempotency key was used again for another movement
--   SC002  the account has no wallet
--   SC003  not enough credits
--   SC004  the hold is closed: its credits were given back
--   SC005  the monthly cap of the owner is reached
--   SC006  credits of the order are held by work in progress: try again later
--   SC007  wallet, lots and ledger disagree: nothing moves until somebody has looked
--   SC008  there is no such hold

-- Lots at the end of their life: they expire or live on, or their order is refunded.

create type public.credit_lot_kind as enum ('acquisto', 'bonus', 'benvenuto', 'piano', 'rettifica');

-- extend: a lot lives on, nothing moves. adjust: an admin corrects, with a reason.
create type public.credit_entry_kind as enum ('grant', 'settle', 'expire', 'refund', 'extend', 'adjust');

create type public.credit_account as enum ('stripe', 'promo', 'usage', 'expiry', 'refund', 'adjustment');

create type public.credit_hold_state as enum ('open', 'settled', 'released', 'swept');

create type private.lot_grant as (
  user_id uuid,
  kind public.credit_lot_kind,
  amount bigint,
  account public.credit_account,
  idempotency_key text,
  expires_at timestamptz,
  ref_type text,
  ref_id text,
  order_id uuid,
  paid_cents bigint
);
comment on type private.lot_grant is 'A lot to come into a wallet, once per key of that wallet.';
revoke all on type private.lot_grant from public;

create table public.credit_wallets (
  user_id uuid primary key,
  balance bigint not null default 0,
  held bigint not null default 0,
  updated_at timestamptz not null default now(),

  constraint balance_is_never_negative check (balance >= 0),
  constraint held_is_never_negative check (held >= 0)
);
comment on table public.credit_wallets is
  'Cache of the ledger: balance is what can be spent now, held is reserved by work in progress.';

create table public.credit_lots (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.credit_wallets (user_id) on delete restrict,
  kind public.credit_lot_kind not null,
  amount bigint not null,
  remaining bigint not null,
  held bigint not null default 0,
  -- The order that bought the lot, or whose bonus it is.
  order_id uuid,
  -- Price paid for the whole lot; 0 for free credits.
  paid_cents bigint not null default 0,
  -- Null: these credits never expire.
  expires_at timestamptz,
  created_at timestamptz not null default now(),

  constraint a_lot_brings_credits check (amount > 0),
  constraint a_lot_gives_no_more_than_it_brought check (remaining >= 0 and held >= 0 and remaining + held <= amount),
  constraint only_orders_are_paid check (paid_cents >= 0 and (paid_cents = 0 or order_id is not null)),
  constraint what_is_free_costs_nothing check (paid_cents = 0 or kind in ('acquisto', 'piano')),
  -- An order grants its credits once and its bonus once, under whatever key.
  constraint an_order_gives_each_kind_once unique (order_id, kind),
  -- Target of the ledger's foreign key: an entry can only name a lot of its own wallet.
  unique (user_id, id)
);
comment on table public.credit_lots is 'Credits that came together: same origin, same expiry; remaining is not held.';
comment on column public.credit_lots.paid_cents is 'What was paid for all credits of the lot, in cents; 0: free.';

create table public.credit_holds (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references public.credit_wallets (user_id) on delete restrict,
  amount bigint not null,
  captured bigint not null default 0,
  state public.credit_hold_state not null default 'open',
  ref_type text,
  ref_id text,
  idempotency_key text not null,
  -- The key of the settlement, known once settled.
  settle_key text,
  -- Past this the sweeper gives the credits back.
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  closed_at timestamptz,

  unique (user_id, id),
  -- A reservation is made once, however often it is asked for.
  unique (user_id, idempotency_key),
  constraint a_hold_reserves_something check (amount > 0),
  constraint no_more_is_captured_than_held check (captured between 0 and amount),
  constraint only_a_settled_hold_captures check (
    (state = 'settled') = (settle_key is not null) and (captured = 0 or state = 'settled')
  ),
  constraint a_closed_hold_says_when check ((state = 'open') = (closed_at is null)),
  constraint a_hold_lasts_a_day_at_most check (expires_at <= created_at + interval '1 day'),
  constraint hold_references_fit check (
    char_length(idempotency_key) between 1 and 200 and char_length(settle_key) between 1 and 200
    and char_length(ref_type) <= 50 and char_length(ref_id) <= 200
  )
);
comment on table public.credit_holds is 'Credits reserved for work in progress: settled for what was used, or given back.';

create table public.hold_lots (
  hold_id uuid not null,
  lot_id uuid not null,
  user_id uuid not null,
  -- Place in the draw order: what is captured comes from the first lots.
  part integer not null,
  amount bigint not null,
  captured bigint not null default 0,
  primary key (user_id, hold_id, part),

  foreign key (user_id, hold_id) references public.credit_holds (user_id, id) on delete restrict,
  foreign key (user_id, lot_id) references public.credit_lots (user_id, id) on delete restrict,
  constraint a_part_is_held_and_captured_in_full_at_most check (amount > 0 and captured between 0 and amount)
);
comment on table public.hold_lots is 'Which lots a hold reserves, and how much of each was used.';

create table public.credit_ledger (
  id bigint generated always as identity primary key,
  user_id uuid not null references public.credit_wallets (user_id) on delete restrict,
  kind public.credit_entry_kind not null,
  amount bigint not null,
  account public.credit_account not null,
  lot_id uuid not null,
  ref_type text,
  ref_id text,
  idempotency_key text not null,
  part integer not null default 1,
  hold_id uuid,
  reason public.single_line,
  balance_after bigint not null,
  created_at timestamptz not null default now(),

  foreign key (user_id, lot_id) references public.credit_lots (user_id, id) on delete restrict,
  foreign key (user_id, hold_id) references public.credit_holds (user_id, id) on delete restrict,
  -- A movement happens once, however often it is asked for: a second one would begin with part 1 again.
  unique (user_id, idempotency_key, part),
  -- A dispute that is won gives back as an entry of the same kind.
  constraint each_kind_has_its_sign check (
    case kind
      when 'grant' then amount > 0
      when 'extend' then amount = 0
      when 'adjust' then amount <> 0
      when 'refund' then amount <> 0
      else amount < 0
    end
  ),
  constraint each_kind_has_its_account check (
    case kind
      when 'grant' then account in ('stripe', 'promo')
      when 'settle' then account = 'usage'
      when 'expire' then account = 'expiry'
      when 'extend' then account = 'expiry'
      when 'refund' then account = 'refund'
      when 'adjust' then account = 'adjustment'
    end
  ),
  constraint parts_are_numbered_from_one check (part >= 1),
  constraint only_a_settlement_names_its_hold check ((kind = 'settle') = (hold_id is not null)),
  constraint only_an_adjustment_gives_a_reason check ((kind = 'adjust') = (reason is not null)),
  constraint balance_after_is_never_negative check (balance_after >= 0),
  constraint references_fit check (
    char_length(idempotency_key) between 1 and 200 and char_length(ref_type) <= 50 and char_length(ref_id) <= 200
  )
);
comment on table public.credit_ledger is 'Every movement of credits, append-only: the truth that wallets and lots cache.';
comment on column public.credit_ledger.account is 'The other side of the transfer.';
comment on column public.credit_ledger.part is 'A movement over several lots is several rows under one key.';
comment on column public.credit_ledger.balance_after is
  'Credits owned after this entry, spendable and held together; an extension leaves them as they are.';

create index credit_lots_due on public.credit_lots (expires_at) where remaining > 0;

-- Serve the sweeper and the expiry job; the lots of an order are found by its unique constraint.
create index credit_holds_due on public.credit_holds (expires_at) where state = 'open';

create index hold_lots_lot on public.hold_lots (user_id, lot_id);

create index credit_ledger_statement on public.credit_ledger (user_id, id desc);

create index credit_ledger_lot on public.credit_ledger (user_id, lot_id);

create index credit_ledger_hold on public.credit_ledger (user_id, hold_id);

-- Serves the monthly cap.
create index credit_ledger_usage on public.credit_ledger (user_id, created_at) include (amount) where kind = 'settle';

create function private.lock_wallet(_user_id uuid)
  returns public.credit_wallets
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _wallet public.credit_wallets;
begin
  select * into _wallet from public.credit_wallets where user_id = _user_id for update;
  if not found then
    raise exception 'account % has no wallet', _user_id using errcode = 'SC002';
  end if;
  return _wallet;
end
$$;
comment on function private.lock_wallet(uuid) is 'The wallet, locked until the transaction ends; SC002 without one.';
revoke all on function private.lock_wallet from public, anon, authenticated, service_role;

create function private.drifted_wallets()
  returns setof uuid
  language sql stable security definer
  set search_path = ''
as $$
  select user_id
  from public.credit_wallets
  left join (
    select user_id, sum(remaining) as spendable, sum(held) as reserved from public.credit_lots group by user_id
  ) as lots using (user_id)
  left join (select user_id, sum(amount) as owned from public.credit_ledger group by user_id) as ledger using (user_id)
  where (balance, held, balance + held)
    is distinct from (coalesce(spendable, 0), coalesce(reserved, 0), coalesce(owned, 0))
$$;
comment on function private.drifted_wallets() is
  'The wallets that disagree with their lots or with the whole of their ledger: there should be none.';
revoke all on function private.drifted_wallets from public, anon, authenticated, service_role;
grant execute on function private.drifted_wallets to service_role;

create function private.refuse_key(_idempotency_key text)
  returns void
  language plpgsql immutable
  set search_path = ''
as $$
begin
  raise exception 'idempotency key % belongs to another movement', _idempotency_key using errcode = 'SC001';
end
$$;
comment on function private.refuse_key(text) is 'Raises SC001.';
revoke all on function private.refuse_key from public, anon, authenticated, service_role;

-- The draw order is here and nowhere else: earliest expiry, then free before paid, then oldest.
create function private.draw(_user_id uuid, _amount bigint)
  returns table (lot_id uuid, amount bigint, part integer)
  language sql stable
  set search_path = ''
  set enable_seqscan = off
as $$
  select id, least(remaining, _amount - before), nth::integer
  from (
    select id, remaining, row_number() over draw_order as nth, (sum(remaining) over draw_order - remaining)::bigint as before
    from public.credit_lots
    where user_id = _user_id and remaining > 0
    window draw_order as (order by expires_at nulls last, paid_cents > 0, created_at, id)
  ) as lots
  where before < _amount
$$;
comment on function private.draw(uuid, bigint) is 'From which lots so many spendable credits come, in order.';
revoke all on function private.draw from public, anon, authenticated, service_role;

create function private.take(
  _user_id uuid,
  _kind public.credit_entry_kind,
  _account public.credit_account,
  _idempotency_key text,
  _lot_ids uuid[],
  _amounts bigint[],
  _ref_type text default null,
  _ref_id text default null,
  _reason text default null
)
  returns void
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  perform private.book(
    _user_id, _kind, _account, _idempotency_key, _lot_ids,
    (select array_agg(-amount order by part) from unnest(_amounts) with ordinality as parts (amount, part)),
    _ref_type, _ref_id, null, _reason
  );
  update public.credit_lots set remaining = remaining - parts.amount
  from unnest(_lot_ids, _amounts) as parts (lot_id, amount)
  where id = parts.lot_id;
  update public.credit_wallets
  set balance = balance - (select sum(amount) from unnest(_amounts) as amount), updated_at = now()
  where user_id = _user_id;
end
$$;
comment on function private.take is 'Takes spendable credits out of lots of a locked wallet, for good.';
revoke all on function private.take from public, anon, authenticated, service_role;

create function private.grant_credits(
  _user_id uuid,
  _amount bigint,
  _kind public.credit_lot_kind,
  _account public.credit_account,
  _idempotency_key text,
  _expires_at timestamptz default null,
  _ref_type text default null,
  _ref_id text default null,
  _order_id uuid default null,
  _paid_cents bigint default 0
)
  returns public.credit_ledger
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _entry public.credit_ledger;
begin
  perform private.grant_lots(array[(
    _user_id, _kind, _amount, _account, _idempotency_key, _expires_at, _ref_type, _ref_id, _order_id, _paid_cents
  )::private.lot_grant]);
  select * into _entry from public.credit_ledger
  where user_id = _user_id and idempotency_key = _idempotency_key and part = 1;
  return _entry;
end
$$;
comment on function private.grant_credits is
  'Adds a lot to a wallet, once per key; answers the ledger entry, also when it existed already.';
revoke all on function private.grant_credits from public, anon, authenticated, service_role;
grant execute on function private.grant_credits to service_role;

create function private.adjust_credits(
  _user_id uuid,
  _amount bigint,
  _reason text,
  _admin_id uuid,
  _idempotency_key text
)
  returns public.credit_wallets
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _known record;
  _lot_id uuid;
begin
  select sum(amount) as amount, min(reason::text) as reason, bool_and(kind = 'adjust') as same into _known
  from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key;
  if _known.amount is not null then
    if (_known.amount, _known.reason, _known.same) is distinct from (_amount::numeric, _reason, true) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _wallet;
  end if;
  if -_amount > _wallet.balance then
    raise exception '% credits are to go, % can be spent', -_amount, _wallet.balance using errcode = 'SC003';
  end if;

  if _amount < 0 then
    perform private.take(
        _user_id, 'adjust', 'adjustment', _idempotency_key, array_agg(lot_id order by part), array_agg(amount order by part),
        'admin', _admin_id::text, _reason
      )
    from private.draw(_user_id, -_amount);
  else
    insert into public.credit_lots (user_id, kind, amount, remaining) values (_user_id, 'rettifica', _amount, _amount)
      returning id into _lot_id;
    perform private.book(
      _user_id, 'adjust', 'adjustment', _idempotency_key, array[_lot_id], array[_amount], 'admin', _admin_id::text,
      null, _reason
    );
    update public.credit_wallets set balance = balance + _amount, updated_at = now() where user_id = _user_id;
  end if;
  perform private.assert_wallet(_user_id);
  return private.lock_wallet(_user_id);
end
$$;
comment on function private.adjust_credits is
  'Corrects a wallet in either direction, with a reason and the admin who gives it, once per key; answers the wallet.';
revoke all on function private.adjust_credits from public, anon, authenticated, service_role;
grant execute on function private.adjust_credits to service_role;

-- What was bought is never burnt: «valid 12 months» and «never expires» both hold. Calendar months are those of Rome.
create function private.expire_wallet(_user_id uuid)
  returns integer
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _lot public.credit_lots;
  _done integer := 0;
begin
  for _lot in
    select * from public.credit_lots
    where user_id = _user_id and remaining > 0 and expires_at <= now() order by expires_at, id
  loop
    _done := _done + 1;
    if _lot.order_id is null and _lot.kind <> 'acquisto' then
      -- What such a lot owns only ever falls, so the key is a new one each time.
      perform private.take(
        _user_id, 'expire', 'expiry', format('expire:%s:%s', _lot.id, _lot.remaining + _lot.held),
        array[_lot.id], array[_lot.remaining]
      );
    else
      perform private.book(
        _user_id, 'extend', 'expiry', format('extend:%s:%s', _lot.id, extract(epoch from _lot.expires_at)),
        array[_lot.id], array[0::bigint]
      );
      update public.credit_lots
      set expires_at = (
        expires_at at time zone 'Europe/Rome'
        + make_interval(months => 12 * (1 + extract(year from age(now(), expires_at))::integer))
      ) at time zone 'Europe/Rome'
      where id = _lot.id;
    end if;
  end loop;
  return _done;
end
$$;
comment on function private.expire_wallet(uuid) is
  'Expires or extends the due lots of a locked wallet by the database''s clock; answers how many.';
revoke all on function private.expire_wallet from public, anon, authenticated, service_role;

create function private.expire_lots(_limit integer default 200)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
  _expired integer;
  _done integer := 0;
begin
  for _user_id in
    select distinct user_id from (
      select user_id from public.credit_lots where remaining > 0 and expires_at <= now() order by expires_at limit _limit
    ) as due
    order by user_id
  loop
    begin
      perform private.lock_wallet(_user_id);
      _expired := private.expire_wallet(_user_id);
      perform private.assert_wallet(_user_id);
      _done := _done + _expired;
    exception
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _done;
end
$$;
comment on function private.expire_lots(integer) is 'Expires or extends lots past their time; answers how many.';
revoke all on function private.expire_lots from public, anon, authenticated, service_role;
grant execute on function private.expire_lots to service_role;

create function private.book(
  _user_id uuid,
  _kind public.credit_entry_kind,
  _account public.credit_account,
  _idempotency_key text,
  _lot_ids uuid[],
  _amounts bigint[],
  _ref_type text default null,
  _ref_id text default null,
  _hold_id uuid default null,
  _reason text default null
)
  returns public.credit_ledger
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _entry public.credit_ledger;
  _balance bigint := coalesce(
    (select balance_after from public.credit_ledger where user_id = _user_id order by id desc limit 1), 0
  );
begin
  for _part in 1 .. cardinality(_lot_ids) loop
    _balance := _balance + _amounts[_part];
    insert into public.credit_ledger (
      user_id, kind, account, idempotency_key, part, lot_id, amount, balance_after, ref_type, ref_id, hold_id, reason
    ) values (
      _user_id, _kind, _account, _idempotency_key, _part, _lot_ids[_part], _amounts[_part], _balance, _ref_type,
      _ref_id, _hold_id, _reason
    ) returning * into _entry;
  end loop;
  return _entry;
end
$$;
comment on function private.book is
  'Writes a movement of a locked wallet into the ledger, a row for each lot; answers the last.';
revoke all on function private.book from public, anon, authenticated, service_role;

create function private.assert_wallet(variadic _user_ids uuid[])
  returns void
  language plpgsql stable
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _wallet record;
begin
  select user_id, balance, held, lots.spendable, lots.reserved, coalesce(last.balance_after, 0) as ledger into _wallet
  from public.credit_wallets
  cross join lateral (
    select coalesce(sum(credit_lots.remaining), 0) as spendable, coalesce(sum(credit_lots.held), 0) as reserved
    from public.credit_lots where credit_lots.user_id = credit_wallets.user_id
  ) as lots
  left join lateral (
    select balance_after from public.credit_ledger where credit_ledger.user_id = credit_wallets.user_id
    order by id desc limit 1
  ) as last on true
  where credit_wallets.user_id = any(_user_ids)
    and (balance, held, balance + held) is distinct from (spendable, reserved, coalesce(last.balance_after, 0))
  limit 1;
  if found then
    raise exception 'wallet % disagrees with its lots or its ledger: %', _wallet.user_id, _wallet using errcode = 'SC007';
  end if;
end
$$;
comment on function private.assert_wallet is
  'Raises SC007 unless the lots of each of these wallets sum to its balance and its held credits, and its ledger to both.';
revoke all on function private.assert_wallet from public, anon, authenticated, service_role;

create function private.grant_lots(_grants private.lot_grant[])
  returns void
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  _user_ids constant uuid[] := array(select distinct user_id from unnest(_grants) order by user_id);
  _reused text;
begin
  perform private.lock_wallet(user_id) from unnest(_user_ids) as user_id;
  select wanted.idempotency_key into _reused
  from unnest(_grants) as wanted
  cross join lateral (
    select entry.kind, entry.amount, entry.account, lots.kind as lot_kind, lots.order_id, lots.paid_cents
    from public.credit_ledger as entry
    join public.credit_lots as lots on (lots.user_id, lots.id) = (entry.user_id, entry.lot_id)
    where entry.user_id = wanted.user_id and entry.idempotency_key = wanted.idempotency_key and part = 1
    limit 1
  ) as known
  where (known.kind, known.amount, known.account, lot_kind, known.order_id, known.paid_cents) is distinct from (
      'grant'::public.credit_entry_kind, wanted.amount, wanted.account, wanted.kind, wanted.order_id, wanted.paid_cents
    )
  limit 1;
  if found then
    perform private.refuse_key(_reused);
  end if;

  with news as materialized (
    select gen_random_uuid() as lot_id, *
    from unnest(_grants) with ordinality as wanted (
      user_id, kind, amount, account, idempotency_key, expires_at, ref_type, ref_id, order_id, paid_cents, place
    )
    -- Not as a join: that would be planned for the ledger of the first day.
    where (
      select id from public.credit_ledger as entry
      where entry.user_id = wanted.user_id and entry.idempotency_key = wanted.idempotency_key and part = 1
    ) is null
  ),
  lots as (
    insert into public.credit_lots (id, user_id, kind, amount, remaining, expires_at, order_id, paid_cents)
    select lot_id, user_id, kind, amount, amount, expires_at, order_id, paid_cents from news order by place
  ),
  entries as (
    insert into public.credit_ledger (
      user_id, kind, account, idempotency_key, lot_id, amount, balance_after, ref_type, ref_id
    )
    select user_id, 'grant', account, idempotency_key, lot_id, amount,
      before + sum(amount) over (partition by user_id order by place), ref_type, ref_id
    from news
    cross join lateral (
      select coalesce((
        select balance_after from public.credit_ledger where credit_ledger.user_id = news.user_id order by id desc limit 1
      ), 0) as before
    ) as last
    order by place
  )
  update public.credit_wallets set balance = balance + granted, updated_at = now()
  from (select user_id, sum(amount)::bigint as granted from news group by user_id) as sums
  where credit_wallets.user_id = sums.user_id;
  perform private.assert_wallet(variadic _user_ids);
end
$$;
comment on function private.grant_lots is 'Adds lots to wallets, each once per key; one that came before changes nothing.';
revoke all on function private.grant_lots from public, anon, authenticated, service_role;

alter table public.credit_wallets enable row level security;
alter table public.credit_lots enable row level security;
alter table public.credit_holds enable row level security;
alter table public.hold_lots enable row level security;
alter table public.credit_ledger enable row level security;

create policy "owners read their wallet" on public.credit_wallets
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their lots" on public.credit_lots
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their holds" on public.credit_holds
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read the lots of their holds" on public.hold_lots
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their ledger" on public.credit_ledger
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.credit_wallets from public, anon, authenticated, service_role;
grant select on public.credit_wallets to authenticated, service_role;

revoke all on public.credit_lots from public, anon, authenticated, service_role;
grant select on public.credit_lots to authenticated, service_role;

revoke all on public.credit_holds from public, anon, authenticated, service_role;
grant select on public.credit_holds to authenticated, service_role;

revoke all on public.hold_lots from public, anon, authenticated, service_role;
grant select on public.hold_lots to authenticated, service_role;

revoke all on public.credit_ledger from public, anon, authenticated, service_role;
grant select on public.credit_ledger to authenticated, service_role;

create trigger append_only
  before update or delete or truncate on public.credit_ledger
  for each statement execute function private.refuse_change();

-- Credits for work: held for the most it may use, settled for what it used, released or swept when it came to nothing.

-- A calendar month of the owner, who lives in Italy.
create function private.used_this_month(_user_id uuid)
  returns bigint
  language sql stable
  set search_path = ''
  set enable_seqscan = off
as $$
  select coalesce(-sum(amount), 0)::bigint
  from public.credit_ledger
  where user_id = _user_id and kind = 'settle'
    and created_at >= date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
$$;
comment on function private.used_this_month(uuid) is 'Credits that work has used since the month began in Italy.';
revoke all on function private.used_this_month from public, anon, authenticated, service_role;

create function private.hold_credits(
  _user_id uuid,
  _max bigint,
  _idempotency_key text,
  _ref_type text default null,
  _ref_id text default null,
  _expires_at timestamptz default now() + interval '15 minutes'
)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _cap constant bigint := (select monthly_cap from public.credit_settings where user_id = _user_id);
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where user_id = _user_id and idempotency_key = _idempotency_key;
  if found then
    if (_hold.amount, _hold.ref_type, _hold.ref_id) is distinct from (_max, _ref_type, _ref_id) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _hold;
  end if;

  if private.expire_wallet(_user_id) > 0 then
    _wallet := private.lock_wallet(_user_id);
  end if;
  if _wallet.balance < _max then
    raise exception '% credits are wanted, % can be spent', _max, _wallet.balance using errcode = 'SC003';
  end if;
  -- Nested, for `and` may evaluate both sides, and the month of somebody without a cap is read for nothing.
  if _cap is not null then
    if private.used_this_month(_user_id) + _wallet.held + _max > _cap then
      raise exception '% credits are wanted, the monthly cap is %', _max, _cap using errcode = 'SC005';
    end if;
  end if;

  insert into public.credit_holds (user_id, amount, idempotency_key, ref_type, ref_id, expires_at)
    values (_user_id, _max, _idempotency_key, _ref_type, _ref_id, _expires_at) returning * into _hold;
  insert into public.hold_lots (hold_id, lot_id, user_id, part, amount)
    select _hold.id, lot_id, _user_id, part, amount from private.draw(_user_id, _max);
  update public.credit_lots set remaining = remaining - hold_lots.amount, held = credit_lots.held + hold_lots.amount
  from public.hold_lots
  where hold_lots.user_id = _user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets set balance = balance - _max, held = held + _max, updated_at = now()
  where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  return _hold;
end
$$;
comment on function private.hold_credits is
  'Reserves the most that some work may use, once per key; answers the hold, in whatever state it is by now.';
revoke all on function private.hold_credits from public, anon, authenticated, service_role;
grant execute on function private.hold_credits to service_role;

create function private.lock_hold(_hold_id uuid)
  returns public.credit_holds
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where id = _hold_id;
  if not found then
    raise exception 'there is no hold %', _hold_id using errcode = 'SC008';
  end if;
  perform private.lock_wallet(_hold.user_id);
  -- Read again: somebody may have closed it while we waited for the wallet.
  select * into _hold from public.credit_holds where id = _hold_id;
  return _hold;
end
$$;
comment on function private.lock_hold(uuid) is 'The hold, with its wallet locked; SC008 when there is none.';
revoke all on function private.lock_hold from public, anon, authenticated, service_role;

create function private.close_hold(
  _hold public.credit_holds,
  _state public.credit_hold_state,
  _used bigint default 0,
  _settle_key text default null
)
  returns public.credit_holds
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  if _used > 0 then
    update public.hold_lots set captured = greatest(0, least(amount, _used - before))
    from (
      select part as place, sum(amount) over (order by part) - amount as before
      from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id
    ) as places
    where user_id = _hold.user_id and hold_id = _hold.id and part = place;
    perform private.book(
        _hold.user_id, 'settle', 'usage', _settle_key,
        array_agg(lot_id order by part), array_agg(-captured order by part), _hold.ref_type, _hold.ref_id, _hold.id
      )
    from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id and captured > 0;
  end if;
  update public.credit_lots
  set held = held - hold_lots.amount, remaining = remaining + hold_lots.amount - hold_lots.captured
  from public.hold_lots
  where hold_lots.user_id = _hold.user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets
  set held = held - _hold.amount, balance = balance + _hold.amount - _used, updated_at = now()
  where user_id = _hold.user_id;
  update public.credit_holds set state = _state, captured = _used, settle_key = _settle_key, closed_at = now()
  where id = _hold.id
  returning * into _hold;
  -- What came back may have outlived its lot.
  perform private.expire_wallet(_hold.user_id);
  perform private.assert_wallet(_hold.user_id);
  return _hold;
end
$$;
comment on function private.close_hold is 'Ends an open hold of a locked wallet: books what was used, gives the rest back.';
revoke all on function private.close_hold from public, anon, authenticated, service_role;

create function private.settle_hold(_hold_id uuid, _used bigint, _idempotency_key text)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _hold constant public.credit_holds := private.lock_hold(_hold_id);
begin
  if _hold.state = 'settled' and (_hold.captured, _hold.settle_key) is not distinct from (_used, _idempotency_key) then
    return _hold;
  end if;
  if _hold.state in ('released', 'swept') then
    raise exception 'hold % is closed: %', _hold_id, _hold.state using errcode = 'SC004';
  end if;
  if _hold.state = 'settled' or exists (
    select from public.credit_ledger where user_id = _hold.user_id and idempotency_key = _idempotency_key
  ) then
    perform private.refuse_key(_idempotency_key);
  end if;
  if _used is null or _used not between 0 and _hold.amount then
    raise exception 'hold % is of % credits, not %', _hold_id, _hold.amount, _used using errcode = 'invalid_parameter_value';
  end if;
  return private.close_hold(_hold, 'settled', _used, _idempotency_key);
end
$$;
comment on function private.settle_hold is
  'Takes what was used of a hold and gives the rest back, once; SC004 when it was released or swept before.';
revoke all on function private.settle_hold from public, anon, authenticated, service_role;
grant execute on function private.settle_hold to service_role;

create function private.release_hold(_hold_id uuid)
  returns public.credit_holds
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _hold constant public.credit_holds := private.lock_hold(_hold_id);
begin
  if _hold.state <> 'open' then
    return _hold;
  end if;
  return private.close_hold(_hold, 'released');
end
$$;
comment on function private.release_hold is 'Gives a hold back; one that is closed stays as it is. Answers the hold.';
revoke all on function private.release_hold from public, anon, authenticated, service_role;
grant execute on function private.release_hold to service_role;

-- Wallets in the order of their ids, so that two runs at once take turns. A wallet that disagrees with itself is left to
-- whoever looks into it and does not keep the others from theirs.
create function private.sweep_holds(_limit integer default 200)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _due uuid;
  _hold public.credit_holds;
  _swept integer := 0;
begin
  for _due in
    select id from (
      select id, user_id from public.credit_holds where state = 'open' and expires_at <= now() order by expires_at limit _limit
    ) as due
    order by user_id
  loop
    begin
      _hold := private.lock_hold(_due);
      if _hold.state = 'open' then
        perform private.close_hold(_hold, 'swept');
        _swept := _swept + 1;
      end if;
    exception
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _swept;
end
$$;
comment on function private.sweep_holds(integer) is 'Gives back holds past their time; answers how many.';
revoke all on function private.sweep_holds from public, anon, authenticated, service_role;
grant execute on function private.sweep_holds to service_role;

-- What an owner reads of their credits: the statement line by line, and the figures above it.

-- How long the credits last, for who asks the assistant.

create table public.credit_settings (
  user_id uuid primary key references auth.users (id) on delete cascade,
  low_threshold integer not null default 5,
  -- Null: no cap.
  monthly_cap bigint,

  constraint low_threshold_is_reasonable check (low_threshold between 0 and 1000000),
  constraint monthly_cap_is_reasonable check (monthly_cap between 0 and 1000000000)
);
comment on table public.credit_settings is
  'When an owner wants to be warned of few credits, and how many work may use in a calendar month.';

-- A function and no view, so that a page costs a page however long the ledger: `_before` is the last id already seen.
create function public.credit_statement(_before bigint default null, _limit integer default 50)
  returns table (
    id bigint,
    created_at timestamptz,
    kind public.credit_entry_kind,
    account public.credit_account,
    amount bigint,
    balance_after bigint,
    ref_type text,
    ref_id text,
    reason text,
    lot_id uuid,
    lot_kind public.credit_lot_kind,
    lot_created_at timestamptz,
    lot_expires_at timestamptz,
    order_id uuid
  )
  language sql stable
  set search_path = ''
as $$
  select ledger.id, ledger.created_at, ledger.kind, ledger.account, ledger.amount, ledger.balance_after,
    ledger.ref_type, ledger.ref_id, ledger.reason, lots.id, lots.kind, lots.created_at, lots.expires_at, lots.order_id
  from public.credit_ledger as ledger
  join public.credit_lots as lots on lots.user_id = ledger.user_id and lots.id = ledger.lot_id
  where ledger.user_id = (select auth.uid()) and (_before is null or ledger.id < _before)
  order by ledger.id desc
  limit least(_limit, 1000)
$$;
comment on function public.credit_statement(bigint, integer) is
  'The caller''s ledger, latest first: when, what, from which lot, how many credits, what was left.';
revoke all on function public.credit_statement from public, anon, authenticated, service_role;
grant execute on function public.credit_statement to authenticated;

create function public.credit_overview()
  returns table (
    balance bigint,
    held bigint,
    -- All that ends on the earliest day, and whether it lives on then (what was bought) or is gone.
    next_expiry_at timestamptz,
    next_expiry_credits bigint,
    next_expiry_extends boolean,
    used_this_month bigint,
    low_threshold integer,
    monthly_cap bigint
  )
  language sql stable
  set search_path = ''
as $$
  select wallets.balance, wallets.held, next.expires_at, next.remaining, next.extends,
    (
      select coalesce(-sum(amount), 0)::bigint from public.credit_ledger
      where user_id = wallets.user_id and kind = 'settle'
        and created_at >= date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
    ),
    settings.low_threshold, settings.monthly_cap
  from public.credit_wallets as wallets
  join public.credit_settings as settings using (user_id)
  left join lateral (
    select min(expires_at) as expires_at, sum(remaining)::bigint as remaining,
      order_id is not null or kind = 'acquisto' as extends
    from public.credit_lots as lots
    where lots.user_id = wallets.user_id and remaining > 0 and expires_at is not null
    group by (expires_at at time zone 'Europe/Rome')::date, extends
    -- What is gone then is told before what lives on.
    order by (expires_at at time zone 'Europe/Rome')::date, extends
    limit 1
  ) as next on true
  where wallets.user_id = (select auth.uid())
$$;
comment on function public.credit_overview() is 'The figures of the caller''s wallet, one row; none for a visitor.';
revoke all on function public.credit_overview from public, anon, authenticated, service_role;
grant execute on function public.credit_overview to authenticated;

create function public.credit_forecast()
  returns table (
    balance bigint,
    held bigint,
    used_30d bigint,
    -- Of the days since the first use, seven at least and thirty at most.
    per_day numeric,
    -- Null: nothing was used, or there is more than a year's worth.
    lasts_until date,
    next_expiry_at timestamptz,
    next_expiry_credits bigint
  )
  language sql stable
  set search_path = ''
as $$
  select overview.balance, overview.held, used.credits, used.per_day,
    case when used.per_day > 0 and overview.balance / used.per_day <= 366
      then (now() at time zone 'Europe/Rome')::date + floor(overview.balance / used.per_day)::integer
    end,
    overview.next_expiry_at, overview.next_expiry_credits
  from public.credit_overview() as overview
  cross join lateral (
    select coalesce(-sum(amount), 0)::bigint as credits,
      round(coalesce(-sum(amount), 0) / greatest(
        7, ceil(extract(epoch from now() - min(created_at)) / 86400)
      ), 2) as per_day
    from public.credit_ledger
    where user_id = (select auth.uid()) and kind = 'settle' and created_at >= now() - interval '30 days'
  ) as used
$$;
comment on function public.credit_forecast() is
  'The caller''s credits, what was used in thirty days, and until when they last at that pace; none for a visitor.';
revoke all on function public.credit_forecast from public, anon, authenticated, service_role;
grant execute on function public.credit_forecast to authenticated;

alter table public.credit_settings enable row level security;

create policy "owners read their credit settings" on public.credit_settings
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their credit settings" on public.credit_settings
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

revoke all on public.credit_settings from public, anon, authenticated, service_role;
grant select on public.credit_settings to authenticated, service_role;
grant update (low_threshold, monthly_cap) on public.credit_settings to authenticated;

-- Orders: what somebody buys, what Stripe tells about it, and the papers and refunds that follow.
--
-- What Stripe tells becomes a fact of the order (paid, failed, expired, so much refunded, disputed). Facts are only
-- added, never taken back, and the state is computed from them: it depends on which events came, not on their order.
-- An event is stored and handled in one transaction with everything it causes; who answers 2xx has committed it.
--
-- Prices and credits are copied from the catalogue when the order is opened. What a paid session says must equal them,
-- else nothing is granted and an alert waits for a person.
--
-- Like the ledger, orders reference no account: accounting outlives it.
--
-- Error codes raised:
--   SC011  the order is in no state in which it can be withdrawn from
--   SC012  the thirty days are over
--   SC013  nothing of the order is left unused

-- What is bought without the wish for the credits at once can be given back whole, so each buyer has one such order; an
-- order that got no page can be ended at once; and one that Stripe does not know calls a person.
--
-- Error codes raised:
--   SC014  a consumer who has an order without waiver wants another

-- The success page and the webhook that learn of one payment at the same moment do not wait for each other: the one that
-- fulfils the order passed over nothing that the other held, and both were ended as a deadlock. And a batch of events waits
-- two seconds at most for a row of somebody else: then each of its events is recorded alone.

create type public.order_state as enum ('pending', 'fulfilled', 'failed', 'expired', 'review', 'refunded', 'disputed');

create type public.order_refund_state as enum ('requested', 'sent', 'failed');

create type public.fiscal_document_kind as enum ('invoice', 'credit_note');

create type public.fiscal_document_state as enum ('queued', 'sent', 'accepted', 'refused');

create table public.credit_orders (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  -- Where the receipt goes; null: the account has no address.
  email text,
  pack_id text not null,
  catalog_version integer not null,
  amount_cents bigint not null,
  currency text not null,
  credits bigint not null,
  bonus bigint not null,
  -- Whether the buyer acts outside a trade or profession: then the law's withdrawal holds too, not only our guarantee.
  consumer boolean not null default true,
  -- Who the invoice is for, as checked when the order was opened; null: a receipt is enough.
  billing jsonb,

  provider_session text unique,
  payment_intent text unique,
  checkout_url text,
  created_at timestamptz not null default now(),
  -- The checkout page lives until then.
  expires_at timestamptz not null,
  -- When we last asked Stripe ourselves.
  checked_at timestamptz,
  -- When the confirmation went into the outbox.
  receipt_at timestamptz,

  -- The facts.
  paid_at timestamptz,
  fulfilled_at timestamptz,
  failed_at timestamptz,
  expired_at timestamptz,
  withdrawn_at timestamptz,
  refunded_cents bigint not null default 0,
  disputed_at timestamptz,
  dispute_won_at timestamptz,
  dispute_lost_at timestamptz,
  -- For so much of what was or will be given back the ledger has taken its credits.
  taken_cents bigint not null default 0,
  withdrawal_waiver_at timestamptz,
  submitted_at timestamptz,
  orphaned_at timestamptz,

  state public.order_state not null generated always as (
    case
      when fulfilled_at is not null and disputed_at is not null and dispute_won_at is null then 'disputed'::public.order_state
      when fulfilled_at is not null and (withdrawn_at is not null or refunded_cents >= amount_cents) then 'refunded'
      when fulfilled_at is not null then 'fulfilled'
      when paid_at is not null and refunded_cents > 0 then 'refunded'
      when paid_at is not null then 'review'
      when failed_at is not null then 'failed'
      when expired_at is not null then 'expired'
      else 'pending'
    end
  ) stored,

  foreign key (catalog_version, pack_id) references public.packs (version, id) on delete restrict,
  constraint an_order_costs_something check (amount_cents > 0),
  constraint an_order_brings_credits check (credits > 0 and bonus >= 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$'),
  constraint billing_is_an_object check (jsonb_typeof(billing) = 'object'),
  constraint what_is_fulfilled_was_paid check (fulfilled_at is null or paid_at is not null),
  constraint refunds_are_never_negative check (refunded_cents >= 0 and taken_cents >= 0)
);
comment on table public.credit_orders is 'Purchases of packs; price and credits are those of the catalogue at that moment.';
comment on column public.credit_orders.state is
  'Computed from the facts. review: paid, but not what was ordered, so a person looks (payment_alerts).';
comment on column public.credit_orders.disputed_at is 'Since when the payment is or was disputed (private.order_disputes).';
comment on column public.credit_orders.dispute_won_at is 'When the last of its disputes ended well; null while one is open or lost.';
comment on column public.credit_orders.dispute_lost_at is 'When one of its disputes was lost; null when none is.';
comment on column public.credit_orders.taken_cents is
  'For so much of what was or will be given back the credits are taken, or as soon as no work holds them.';
comment on column public.credit_orders.withdrawal_waiver_at is
  'When the buyer asked for the credits at once, knowing that used ones cannot be given back (art. 59 c. 1 lett. o Codice del '
  'consumo).';
comment on column public.credit_orders.submitted_at is
  'When we learned that the buyer has done everything and the money is on its way: a direct debit takes days.';
comment on column public.credit_orders.orphaned_at is
  'When its account was deleted before it was paid: what comes now is held back.';

create table public.order_refunds (
  -- Also the key under which Stripe is asked, so that it pays back once.
  id uuid primary key default gen_random_uuid(),
  -- One withdrawal ends the contract.
  order_id uuid not null unique references public.credit_orders (id) on delete restrict,
  amount_cents bigint not null,
  credits bigint not null,
  state public.order_refund_state not null default 'requested',
  provider_refund text unique,
  created_at timestamptz not null default now(),
  settled_at timestamptz,

  -- A consumer who never waived and used all credits gets the price and gives nothing back.
  constraint a_refund_gives_something_back check (amount_cents > 0 and credits >= 0),
  constraint a_settled_refund_says_when check ((state = 'requested') = (settled_at is null))
);
comment on table public.order_refunds is 'Money we owe for a withdrawal: its credits are gone already, a job asks Stripe to pay.';

create table public.fiscal_documents (
  id uuid primary key default gen_random_uuid(),
  order_id uuid not null references public.credit_orders (id) on delete restrict,
  kind public.fiscal_document_kind not null,
  amount_cents bigint not null,
  -- What the document is about: the order itself, or one refund of it.
  reference text not null,
  state public.fiscal_document_state not null default 'queued',
  xml text,
  created_at timestamptz not null default now(),

  unique (order_id, kind, reference),
  constraint a_document_is_about_money check (amount_cents > 0)
);
comment on table public.fiscal_documents is 'Documents an intermediary will send to the tax office (SdI): queued with the sale or refund.';

create index credit_orders_of_user on public.credit_orders (user_id, created_at desc);

create index credit_orders_pack on public.credit_orders (catalog_version, pack_id);

create index credit_orders_without_receipt on public.credit_orders (fulfilled_at)
  where fulfilled_at is not null and receipt_at is null;

create index credit_orders_pending on public.credit_orders (created_at) where state = 'pending';

create function private.refundable(_order_id uuid)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  perform private.lock_wallet(user_id) from public.credit_lots where order_id = _order_id limit 1;
  return (
    select coalesce(sum(paid_cents * remaining / amount), 0)::bigint from public.credit_lots where order_id = _order_id
  );
end
$$;
comment on function private.refundable(uuid) is
  'What the unused credits of an order were paid, in whole cents; locks the wallet, so that it stays true.';
revoke all on function private.refundable from public, anon, authenticated, service_role;
grant execute on function private.refundable to service_role;

create function private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _user_id constant uuid := (select user_id from public.credit_lots where order_id = _order_id limit 1);
  _before_cents constant bigint := coalesce((select taken_cents from public.credit_orders where id = _order_id), 0);
  _taken bigint;
begin
  if _amount_cents is null or _amount_cents <= 0 then
    raise exception 'a refund of % cents is none', _amount_cents using errcode = 'invalid_parameter_value';
  end if;
  if _user_id is null then
    return 0;
  end if;
  perform private.lock_wallet(_user_id);
  select -sum(amount) into _taken from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key;
  if _taken is not null then
    if exists (
      select from public.credit_ledger
      where user_id = _user_id and idempotency_key = _idempotency_key
        and (kind, ref_id) is distinct from ('refund'::public.credit_entry_kind, _order_id::text)
    ) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _taken;
  end if;
  if exists (select from public.credit_lots where order_id = _order_id and held > 0) then
    raise exception 'credits of order % are held', _order_id using errcode = 'SC006';
  end if;
  select taken into _taken
  from private.reclaim(
    _order_id, _before_cents + _amount_cents, _amount_cents >= private.refundable(_order_id), _idempotency_key
  );
  return _taken;
end
$$;
comment on function private.refund_order is
  'Takes back unused credits of an order for more money given back, once per key, never more than are left; answers how many.';
revoke all on function private.refund_order from public, anon, authenticated, service_role;
grant execute on function private.refund_order to service_role;

create function private.note_session(_order_id uuid, _session text, _url text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set provider_session = _session, checkout_url = _url
  where id = _order_id and coalesce(provider_session, _session) = _session
$$;
comment on function private.note_session is 'The checkout page that was made for an order.';
revoke all on function private.note_session from public, anon, authenticated, service_role;
grant execute on function private.note_session to service_role;

create function private.orders_to_check(_limit integer default 50)
  returns setof public.credit_orders
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set checked_at = now()
  where id in (
    select id from public.credit_orders
    where state = 'pending' and created_at < now() - interval '5 minutes'
      -- Ever less often: a direct debit may take two weeks.
      and coalesce(checked_at, created_at) < now() - greatest(interval '5 minutes', (now() - created_at) / 10)
    order by coalesce(checked_at, created_at) limit _limit for update skip locked
  )
  returning *
$$;
comment on function private.orders_to_check(integer) is 'Orders whose payment nobody has told us about for a while, to ask Stripe for.';
revoke all on function private.orders_to_check from public, anon, authenticated, service_role;
grant execute on function private.orders_to_check to service_role;

create function private.give_up_order(_order_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set expired_at = coalesce(expired_at, now())
  where id = _order_id and provider_session is null
$$;
comment on function private.give_up_order(uuid) is 'Ends an order for which no checkout page was ever made.';
revoke all on function private.give_up_order from public, anon, authenticated, service_role;
grant execute on function private.give_up_order to service_role;

create function private.claim_check(_order_id uuid)
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with claimed as (
    update public.credit_orders set checked_at = now()
    where id = _order_id and state = 'pending' and coalesce(checked_at, '-infinity') < now() - interval '2 seconds'
    returning id
  )
  select exists (select from claimed)
$$;
comment on function private.claim_check(uuid) is 'Whether it is worth asking Stripe about a waiting order now; a page asks often.';
revoke all on function private.claim_check from public, anon, authenticated, service_role;
grant execute on function private.claim_check to service_role;

create function private.claim_receipts(_limit integer default 100)
  returns setof public.credit_orders
  language sql volatile security definer
  set search_path = ''
as $$
  update public.credit_orders set receipt_at = now()
  where id in (
    select id from public.credit_orders
    where fulfilled_at is not null and receipt_at is null
    order by fulfilled_at limit _limit for update skip locked
  )
  returning *
$$;
comment on function private.claim_receipts(integer) is
  'Orders that were fulfilled since the last time, for the caller to confirm in this transaction.';
revoke all on function private.claim_receipts from public, anon, authenticated, service_role;
grant execute on function private.claim_receipts to service_role;

create function private.settle_order_refund(_refund_id uuid, _provider_refund text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.order_refunds set
    state = case when _provider_refund is null then 'failed' else 'sent' end::public.order_refund_state,
    provider_refund = _provider_refund, settled_at = now()
  where id = _refund_id and state <> 'sent';
  if found and _provider_refund is null then
    perform private.raise_alert('refund_failed', order_id, null, jsonb_build_object('refund', _refund_id))
    from public.order_refunds where id = _refund_id;
  end if;
end
$$;
comment on function private.settle_order_refund is 'How asking Stripe for a refund ended; null: it was refused, a person must pay back.';
revoke all on function private.settle_order_refund from public, anon, authenticated, service_role;
grant execute on function private.settle_order_refund to service_role;

create function private.open_order(
  _user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean default false
)
  returns public.credit_orders
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _pack public.packs;
  _order public.credit_orders;
begin
  -- A token outlives its account; and whoever deletes it now waits until there is an order to be noted in.
  perform from auth.users where id = _user_id and deleted_at is null for share;
  if not found then
    raise exception 'user % has no account', _user_id using errcode = 'SC016';
  end if;
  select packs.* into _pack
  from public.packs
  join public.catalog_versions using (version)
  where version = (
      select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
    ) and id = _pack_id;
  if not found then
    return null;
  end if;

  -- Two clicks at once: the second waits here and finds the order of the first.
  perform pg_advisory_xact_lock(hashtextextended('open order ' || _user_id, 0));
  -- Its page at Stripe is closed, and another one would take the money twice.
  if exists (
    select from public.credit_orders
    where user_id = _user_id and pack_id = _pack_id and state = 'pending'
      -- No bank takes longer; one whose end nobody told us must not stand in the way for ever.
      and submitted_at > now() - interval '30 days'
  ) then
    raise exception 'a payment of % by user % is on its way', _pack_id, _user_id using errcode = 'SC017';
  end if;
  select * into _order from public.credit_orders
  where user_id = _user_id and pack_id = _pack_id and catalog_version = _pack.version and state = 'pending'
    -- Its page may be paid already and we not told: who it is billed to is never changed. Another invoice, another order.
    and (_billing is null or billing is not distinct from _billing)
    -- Enough time to pay; younger ones only, so that a forgotten page is not brought back.
    and expires_at > now() + interval '30 minutes'
  order by created_at desc limit 1;
  -- From such an order the whole price comes back in the legal days, whatever was used: not from several. One past its
  -- time counts until Stripe has said that nobody paid it: a direct debit may still be on its way.
  if not _waiver and coalesce(_order.consumer, _consumer) and _order.withdrawal_waiver_at is null and exists (
    select from public.credit_orders
    where user_id = _user_id and id is distinct from _order.id and consumer and withdrawal_waiver_at is null
      and state not in ('failed', 'expired')
  ) then
    raise exception 'user % has an order without waiver', _user_id using errcode = 'SC014';
  end if;
  if _order.id is null then
    insert into public.credit_orders
      (user_id, email, pack_id, catalog_version, amount_cents, currency, credits, bonus, consumer, billing, expires_at)
      values (
        _user_id, _email, _pack_id, _pack.version, _pack.price_cents, _pack.currency, _pack.credits, _pack.bonus,
        _consumer, _billing, date_trunc('second', now()) + interval '1 hour'
      )
      returning * into _order;
  end if;
  if _waiver and _order.withdrawal_waiver_at is null then
    update public.credit_orders set withdrawal_waiver_at = now() where id = _order.id returning * into _order;
  end if;
  return _order;
end
$$;
comment on function private.open_order is
  'A new order at the price of the catalogue in force, the same once more while it waits for payment with the same invoice '
  'data (double click), with the moment at which its buyer first waived; a consumer has one without waiver, and nobody one '
  'of a pack whose payment is on its way. Null: no such pack.';
revoke all on function private.open_order from public, anon, authenticated, service_role;
grant execute on function private.open_order to service_role;

create function private.withdraw_order(_user_id uuid, _order_id uuid)
  returns table (
    id uuid,
    order_id uuid,
    amount_cents bigint,
    credits bigint,
    state public.order_refund_state,
    created_at timestamptz,
    is_new boolean
  )
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _order public.credit_orders;
  _refund public.order_refunds;
  _is_new boolean;
  _worth_cents bigint;
  _amount_cents bigint;
begin
  select * into _order from public.credit_orders as orders
  where orders.id = _order_id and orders.user_id = _user_id for update;
  if not found then
    return;
  end if;
  select * into _refund from public.order_refunds as refunds where refunds.order_id = _order_id;
  _is_new := not found;
  if _is_new then
    if _order.state = 'disputed' then
      raise exception 'the payment of order % is disputed', _order_id using errcode = 'SC015';
    end if;
    if _order.state <> 'fulfilled' then
      raise exception 'order % is %', _order_id, _order.state using errcode = 'SC011';
    end if;
    -- To the end of the thirtieth day in Italy.
    if (now() at time zone 'Europe/Rome')::date > (_order.paid_at at time zone 'Europe/Rome')::date + 30 then
      raise exception 'order % was paid at %', _order_id, _order.paid_at using errcode = 'SC012';
    end if;
    -- What Stripe has given back is not owed again: its credits go first, if they were held when it was told.
    if _order.refunded_cents > 0 then
      perform private.settle_order(_order);
    end if;
    _worth_cents := private.refundable(_order_id);
    -- A consumer who never asked for the credits at once owes nothing for those used in the legal fourteen days.
    if _order.consumer and _order.withdrawal_waiver_at is null
      and (now() at time zone 'Europe/Rome')::date <= (_order.paid_at at time zone 'Europe/Rome')::date + 14
    then
      _worth_cents := _order.amount_cents;
    end if;
    -- Held credits may come back: nobody can say yet that nothing is left.
    if exists (select from public.credit_lots as lots where lots.order_id = _order_id and lots.held > 0) then
      raise exception 'credits of order % are held', _order_id using errcode = 'SC006';
    end if;
    _amount_cents := least(_worth_cents, _order.amount_cents - _order.taken_cents);
    if _amount_cents <= 0 then
      raise exception 'nothing of order % is unused', _order_id using errcode = 'SC013';
    end if;
    insert into public.order_refunds (order_id, amount_cents, credits)
      values (_order_id, _amount_cents, private.refund_order(_order_id, _amount_cents, 'withdrawal:' || _order_id))
      returning * into _refund;
    update public.credit_orders as orders set withdrawn_at = now(), taken_cents = orders.taken_cents + _amount_cents
    where orders.id = _order_id;
    insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
      values (_order_id, 'credit_note', _amount_cents, 'withdrawal');
  end if;
  return query select
    _refund.id, _refund.order_id, _refund.amount_cents, _refund.credits, _refund.state, _refund.created_at, _is_new;
end
$$;
comment on function private.withdraw_order is
  'Ends the contract: takes what is unused and owes its price back, once, and says whether it was this call; no row for an order of somebody else.';
revoke all on function private.withdraw_order from public, anon, authenticated, service_role;
grant execute on function private.withdraw_order to service_role;

create function private.miss_session(_order_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  select private.raise_alert(
    'mismatch', id, null, jsonb_build_object('session', jsonb_build_array(provider_session, null))
  )
  from public.credit_orders where id = _order_id
$$;
comment on function private.miss_session(uuid) is 'Tells a person, once, that Stripe does not know the session of an order.';
revoke all on function private.miss_session from public, anon, authenticated, service_role;
grant execute on function private.miss_session to service_role;

create function private.fulfil_orders(_ids uuid[], _event_ids text[])
  returns void
  language plpgsql
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  -- Pages promise twelve months at least; the expiry job extends what was bought.
  _expires_at constant timestamptz :=
    (now() at time zone 'Europe/Rome' + interval '12 months') at time zone 'Europe/Rome';
begin
  perform private.grant_lots(array(
    select (
      user_id, lots.kind, lots.amount, lots.account, 'stripe:' || provider_session || lots.suffix, _expires_at, 'order',
      orders.id::text, orders.id, lots.paid_cents
    )::private.lot_grant
    from public.credit_orders as orders
    cross join lateral (
      values
        (1, 'acquisto'::public.credit_lot_kind, orders.credits, 'stripe'::public.credit_account, '', orders.amount_cents),
        (2, 'bonus', orders.bonus, 'promo', ':bonus', 0)
    ) as lots (place, kind, amount, account, suffix, paid_cents)
    where orders.id = any(_ids) and lots.amount > 0
    order by orders.id, lots.place
  ));
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    select id, 'invoice', amount_cents, 'order' from public.credit_orders where id = any(_ids);
  insert into public.notifications (user_id, title, message, type, action_url)
    select user_id, 'Crediti accreditati',
      format('Accreditati %s crediti: puoi usarli da subito.', credits + bonus), 'success', '/settings/credits'
    from public.credit_orders as orders
    -- The account may be gone by the time its money comes; the order is not.
    where id = any(_ids) and exists (select from auth.users where users.id = orders.user_id);
  perform private.settle_order(orders, event_id)
  from unnest(_ids, _event_ids) as told (order_id, event_id)
  join public.credit_orders as orders on orders.id = order_id
  where refunded_cents > 0 or disputed_at is not null;
  -- Disputes that came before the payment did, whoever told us of it. Who holds an event handles it next, and may be waiting
  -- for these very orders.
  perform private.handle_payment_event(waiting)
  from (
    select * from public.payment_events as events
    where events.handled_at is null and not events.id = any(array_remove(_event_ids, null))
      and events.payload #>> '{data,object,payment_intent}' = any(array(
        select payment_intent from public.credit_orders where id = any(_ids)
      ))
    for update skip locked
  ) as waiting;
end
$$;
comment on function private.fulfil_orders is
  'Gives what was paid for, once per order: credits, bonus, fiscal document and a word to the buyer. Beside each order the event that told of its payment, or null.';
revoke all on function private.fulfil_orders from public, anon, authenticated, service_role;

-- Noted in the order, so that no payment has to look for its account.
create function private.orphan_orders()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.credit_orders set orphaned_at = now()
  where user_id = old.id and fulfilled_at is null and orphaned_at is null;
  return null;
end
$$;
comment on function private.orphan_orders is
  'Notes an account that is deleted in its orders that nothing was given for yet: what is paid for them is held back.';
revoke all on function private.orphan_orders from public, anon, authenticated, service_role;

alter table public.credit_orders enable row level security;
alter table public.order_refunds enable row level security;
alter table public.fiscal_documents enable row level security;

create policy "owners read their orders" on public.credit_orders
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.credit_orders from public, anon, authenticated, service_role;
grant select on public.credit_orders to authenticated, service_role;

revoke all on public.order_refunds from public, anon, authenticated, service_role;
grant select on public.order_refunds to service_role;

revoke all on public.fiscal_documents from public, anon, authenticated, service_role;
grant select on public.fiscal_documents to service_role;

create trigger orphan_orders_of_deleted after delete on auth.users
  for each row execute function private.orphan_orders();

create trigger orphan_orders_of_hidden after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null) execute function private.orphan_orders();

-- Payment events that arrive together are handled in one transaction: one commit for all of them.

-- How an order is fulfilled, and how credits follow money that goes back: one function per transition.
--
-- Each is called with the order's row locked and locks the wallet after it.

-- What Stripe tells: each event is stored, handled, and tried again when it had to wait.

-- Written in plpgsql alone: nothing may use it in the transaction that adds it.
create type public.payment_alert_kind as enum (
  'mismatch', 'unknown_order', 'refund_of_spent_credits', 'refund_failed', 'dispute', 'stuck_event',
  'deleted_account'
);

create table public.payment_events (
  -- The provider's id: an event is stored once, however often it is sent.
  id text primary key,
  type text not null,
  payload jsonb not null,
  received_at timestamptz not null default now(),
  -- Null: it waits (for credits that are held, for its order) or failed; the job tries again.
  handled_at timestamptz,
  outcome text,
  attempts integer not null default 0,
  error text,
  tried_at timestamptz,
  given_up_at timestamptz,
  order_id uuid references public.credit_orders (id) on delete restrict,

  constraint ids_fit check (char_length(id) between 1 and 255 and char_length(type) between 1 and 100)
);
comment on table public.payment_events is 'What Stripe told us, word by word, and what became of it.';
comment on column public.payment_events.tried_at is 'When it was last handled, or tried; null: it was stored only.';
comment on column public.payment_events.given_up_at is
  'A person was told, and the job tries it no more; the payment it is about, or the provider, may still bring it back.';

create table public.payment_alerts (
  id bigint generated always as identity primary key,
  kind public.payment_alert_kind not null,
  order_id uuid references public.credit_orders (id) on delete restrict,
  event_id text references public.payment_events (id) on delete restrict,
  details jsonb not null default '{}',
  created_at timestamptz not null default now(),
  told_at timestamptz,
  resolved_at timestamptz,

  unique nulls not distinct (kind, order_id, event_id)
);
comment on table public.payment_alerts is 'What a person must look at: money that does not fit an order.';
comment on column public.payment_alerts.told_at is 'When the mail to the admins went into the outbox.';

create table private.payment_fetches (
  provider text primary key,
  -- The fetch began then, and all it found was stored.
  fetched_at timestamptz not null
);
comment on table private.payment_fetches is 'When the events of a provider were last fetched to the end.';

create index payment_events_order on public.payment_events (order_id);

create index payment_events_received on public.payment_events (received_at);

-- Every event waits for an instant, between its storing and its end: by received_at alone whoever asks what waits for a
-- payment would pass the traces of all of them since the last vacuum.
create index payment_events_waiting on public.payment_events ((payload #>> '{data,object,payment_intent}'))
  where handled_at is null;

create index payment_events_to_try on public.payment_events (tried_at nulls first, received_at)
  where handled_at is null and given_up_at is null;

create index payment_alerts_order on public.payment_alerts (order_id);

create index payment_alerts_event on public.payment_alerts (event_id);

-- As a uuid, so that the order is found by its index; a text that is none names no order.
create function private.order_id(_about jsonb)
  returns uuid
  language sql immutable
  set search_path = ''
as $$
  select (_about #>> '{metadata,order_id}')::uuid
  where _about #>> '{metadata,order_id}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;
comment on function private.order_id(jsonb) is 'The order that an object of Stripe names in its metadata, or null.';
revoke all on function private.order_id from public, anon, authenticated, service_role;

create function private.order_of(_about jsonb)
  returns uuid
  language sql stable
  set search_path = ''
  set enable_seqscan = off
as $$
  select id from public.credit_orders
  where id = private.order_id(_about) or payment_intent = _about ->> 'payment_intent' limit 1
$$;
comment on function private.order_of(jsonb) is 'The order that an object of Stripe is about: by its metadata, else by its payment.';
revoke all on function private.order_of from public, anon, authenticated, service_role;

create function private.raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.payment_alerts (kind, order_id, event_id, details) values (_kind, _order_id, _event_id, _details)
  on conflict do nothing
$$;
comment on function private.raise_alert is 'Tells a person, once for each event.';
revoke all on function private.raise_alert from public, anon, authenticated, service_role;

-- The same for a session inside an event and for one that we fetched ourselves (without an event).
create function private.apply_session(
  _session jsonb, _event_id text default null, _event_type text default null
)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  return (private.apply_sessions(array[_session], array[_event_id], array[_event_type]))[1];
end
$$;
comment on function private.apply_session is
  'Notes what a checkout session says and fulfils its order when it is paid and says what was ordered.';
revoke all on function private.apply_session from public, anon, authenticated, service_role;
grant execute on function private.apply_session to service_role;

create function private.apply_refund(_charge jsonb, _event_id text)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _told_cents constant bigint := (_charge ->> 'amount_refunded')::bigint;
  _order public.credit_orders;
begin
  update public.credit_orders set
    refunded_cents = greatest(refunded_cents, _told_cents),
    payment_intent = coalesce(payment_intent, _charge ->> 'payment_intent')
  where id = private.order_of(_charge)
  returning * into _order;
  if not found then
    return 'ignored';
  end if;
  -- An older refund, told late, says nothing new.
  return private.settle_order(_order, case when _told_cents = _order.refunded_cents then _event_id end);
end
$$;
comment on function private.apply_refund is 'Notes how much of a charge was given back, all refunds together, and takes its credits.';
revoke all on function private.apply_refund from public, anon, authenticated, service_role;

create function private.handle_payment_event(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _about constant jsonb := _event.payload #> '{data,object}';
  _outcome text;
  _error text;
begin
  begin
    _outcome := case
      when _event.type like 'checkout.session.%' then private.apply_session(_about, _event.id, _event.type)
      when _event.type = 'charge.refunded' then private.apply_refund(_about, _event.id)
      when _event.type like 'charge.dispute.%' then private.apply_dispute(_event)
      when _event.type like 'refund.%' or _event.type = 'charge.refund.updated' then private.note_refund(_about, _event.id)
      else 'ignored'
    end;
  exception
    when others then
      _outcome := 'failed';
      _error := sqlerrm;
  end;
  perform private.note_outcomes(array[_event.id], array[private.order_of(_about)], array[_outcome], _error);
  return _outcome;
end
$$;
comment on function private.handle_payment_event is
  'Does what an event asks for. waiting and failed leave it unhandled: what waits has noted its facts, what failed nothing.';
revoke all on function private.handle_payment_event from public, anon, authenticated, service_role;

create function private.record_payment_event(_id text, _type text, _payload jsonb)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _event public.payment_events;
begin
  -- The same event at the same instant waits for this one's commit.
  insert into public.payment_events (id, type, payload) values (_id, _type, _payload) on conflict (id) do nothing;
  select * into _event from public.payment_events where id = _id for update;
  return private.handle_stored_event(_event);
end
$$;
comment on function private.record_payment_event is
  'Stores an event and handles it, in the caller''s transaction; known: it was handled before and changes nothing.';
revoke all on function private.record_payment_event from public, anon, authenticated, service_role;
grant execute on function private.record_payment_event to service_role;

create function private.retry_payment_events(_limit integer default 100)
  returns table (id text, type text, outcome text)
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _event public.payment_events;
  _order_id uuid;
begin
  for _event in
    -- The longest untried first: many that wait for ever keep none from its turn.
    select * from public.payment_events as events
    where events.handled_at is null and events.given_up_at is null
    order by events.tried_at nulls first, events.received_at limit _limit for update skip locked
  loop
    id := _event.id;
    type := _event.type;
    _order_id := private.order_of(_event.payload #> '{data,object}');
    -- Of several orders in one transaction none may wait for another: whose rows are busy has its turn next time.
    outcome := case when _order_id is null or private.is_order_free(_order_id)
      then private.handle_payment_event(_event) else 'waiting' end;
    if outcome in ('waiting', 'failed') and _event.received_at < now() - interval '1 day' then
      perform private.raise_alert('stuck_event', null, id, jsonb_build_object('type', type, 'outcome', outcome));
      -- Held credits come back: what waits for those goes on waiting.
      if _order_id is null or outcome = 'failed' then
        update public.payment_events as events set given_up_at = now() where events.id = _event.id;
      end if;
    end if;
    return next;
  end loop;
end
$$;
comment on function private.retry_payment_events(integer) is
  'Handles events that waited or failed once more; one that has waited for a day is told to a person, and given up unless it '
  'waits for held credits.';
revoke all on function private.retry_payment_events from public, anon, authenticated, service_role;
grant execute on function private.retry_payment_events to service_role;

create function private.handle_stored_event(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
begin
  return case when _event.handled_at is null then private.handle_payment_event(_event) else 'known' end;
end
$$;
comment on function private.handle_stored_event(public.payment_events) is
  'Handles an event whose row is locked; known: it was handled before and changes nothing.';
revoke all on function private.handle_stored_event from public, anon, authenticated, service_role;

-- An order without a wallet counts as busy: alone it fails, and says so.
create function private.is_order_free(_order_id uuid)
  returns boolean
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _user_id uuid;
begin
  select user_id into _user_id from public.credit_orders where id = _order_id for update skip locked;
  if found then
    perform from public.credit_wallets where user_id = _user_id for update skip locked;
  end if;
  return found;
end
$$;
comment on function private.is_order_free(uuid) is
  'Locks an order and its wallet for this transaction unless that would mean to wait; whether it did.';
revoke all on function private.is_order_free from public, anon, authenticated, service_role;

-- It never waits for a row that somebody else works on: so nobody's wallet keeps the others from theirs, and no two
-- batches wait for each other. The one exception, the same event in two batches at once, is met in the order of the ids.
create function private.record_payment_events(_ids text[], _types text[], _payloads text[])
  returns text[]
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
  set lock_timeout = '2s'
as $$
declare
  _event public.payment_events;
  _order_id uuid;
  -- The events that nobody else works on, and those of them that are new.
  _ours text[];
  _news text[];
  -- The first session of each order that nobody else works on: they are handled together.
  _free uuid[];
  _told text[];
  _told_types text[];
  _sessions jsonb[];
  _ends text[];
  _outcomes text[] := array_fill(null::text, array[cardinality(_ids)]);
begin
  insert into public.payment_events (id, type, payload)
  select distinct on (id) id, type, payload::jsonb
  from unnest(_ids, _types, _payloads) as told (id, type, payload)
  order by id
  on conflict (id) do nothing;
  select array_agg(id), array_agg(id) filter (where handled_at is null) into _ours, _news
  from (select id, handled_at from public.payment_events where id = any(_ids) order by id for update skip locked) as locked;
  -- An order without a wallet counts as busy: alone it fails, and says so.
  _free := array(
    select orders.id from public.credit_orders as orders join public.credit_wallets using (user_id)
    where orders.id = any(array(
      select private.order_id(payload #> '{data,object}')
      from public.payment_events where id = any(_news) and type like 'checkout.session.%'
    ))
    order by orders.id for update skip locked
  );
  select array_agg(named.order_id), array_agg(id), array_agg(type), array_agg(about)
  into _free, _told, _told_types, _sessions
  from (
    select distinct on (named.order_id) named.order_id, id, type, about
    from public.payment_events
    cross join lateral (select payload #> '{data,object}' as about) as payloads
    cross join lateral (select private.order_id(about) as order_id) as named
    where id = any(_news) and type like 'checkout.session.%' and named.order_id = any(_free)
    order by named.order_id, array_position(_ids, id)
  ) as named;
  if _told is not null then
    begin
      _ends := private.apply_sessions(_sessions, _told, _told_types);
      perform private.note_outcomes(_told, _free, _ends);
    exception
      when others then
        -- Whose fault it is shows when each is handled alone.
        _ends := null;
    end;
  end if;
  for _place in 1 .. cardinality(_ids) loop
    if _ends is not null and _ids[_place] = any(_told) then
      _outcomes[_place] :=
        case when array_position(_ids, _ids[_place]) = _place then _ends[array_position(_told, _ids[_place])] else 'known' end;
      continue;
    end if;
    select * into _event from public.payment_events where id = _ids[_place] and id = any(_ours);
    continue when not found;
    if _event.handled_at is null then
      _order_id := private.order_of(_event.payload #> '{data,object}');
      continue when _order_id is not null and not private.is_order_free(_order_id);
    end if;
    _outcomes[_place] := private.handle_stored_event(_event);
  end loop;
  return _outcomes;
end
$$;
comment on function private.record_payment_events(text[], text[], text[]) is
  'Stores events and handles them one after the other, as record_payment_event; null for each whose rows are busy: it is '
  'stored only, and is to be recorded alone.';
revoke all on function private.record_payment_events from public, anon, authenticated, service_role;
grant execute on function private.record_payment_events to service_role;

create function private.claim_alerts(_limit integer default 50)
  returns table (kind public.payment_alert_kind, order_id uuid, event_id text, details jsonb, admins text[])
  language sql volatile security definer
  set search_path = ''
as $$
  with people as (
    select array_agg(users.email::text order by users.email) as admins
    from public.user_roles join auth.users on users.id = user_roles.user_id
    where user_roles.role = 'admin' and users.email is not null
  )
  update public.payment_alerts as alerts set told_at = now()
  from people
  -- With nobody to tell they wait.
  where people.admins is not null and alerts.id in (
    select id from public.payment_alerts
    where told_at is null and resolved_at is null
    order by id limit _limit for update skip locked
  )
  returning alerts.kind, alerts.order_id, alerts.event_id, alerts.details, people.admins
$$;
comment on function private.claim_alerts(integer) is
  'Alerts that nobody was told of yet, for the caller to mail to the admins in this transaction.';
revoke all on function private.claim_alerts from public, anon, authenticated, service_role;
grant execute on function private.claim_alerts to service_role;

create function private.apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[])
  returns text[]
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
declare
  _order_ids constant uuid[] :=
    array(select private.order_id(session) from unnest(_sessions) with ordinality as told (session, place) order by place);
  _differences jsonb[];
  _outcomes text[];
begin
  perform from public.credit_orders where id = any(_order_ids) order by id for update;
  select array_agg(differences order by place),
    array_agg(
      case
        when orders.id is null and not session -> 'metadata' ? 'order_id' then 'ignored'
        when orders.id is null or differences is not null then 'held_back'
        when orders.fulfilled_at is null and session ->> 'payment_status' = 'paid' then 'fulfilled'
        else 'noted'
      end
      order by place
    )
  into _differences, _outcomes
  from unnest(_sessions, _order_ids) with ordinality as told (session, order_id, place)
  left join public.credit_orders as orders on orders.id = order_id
  left join lateral (
    select jsonb_object_agg(name, jsonb_build_array(ordered, told)) as differences
    from (
      values
        ('session', coalesce(orders.provider_session, session ->> 'id'), session ->> 'id'),
        ('amount_total', orders.amount_cents::text, session ->> 'amount_total'),
        ('currency', lower(orders.currency), lower(session ->> 'currency')),
        ('pack_id', orders.pack_id, session #>> '{metadata,pack_id}'),
        ('user_id', orders.user_id::text, session #>> '{metadata,user_id}'),
        ('client_reference_id', orders.id::text, session ->> 'client_reference_id'),
        (
          'account', orders.user_id::text,
          case
            when orders.orphaned_at is null or session ->> 'payment_status' is distinct from 'paid' then orders.user_id::text
          end
        )
    ) as facts (name, ordered, told)
    where ordered is distinct from told
  ) as compared on orders.id is not null;
  perform private.hold_back(session, order_id, event_id, differences)
  from unnest(_sessions, _order_ids, _event_ids, _differences, _outcomes)
    as told (session, order_id, event_id, differences, outcome)
  where outcome = 'held_back';

  update public.credit_orders set
    provider_session = session ->> 'id',
    payment_intent = coalesce(payment_intent, session ->> 'payment_intent'),
    paid_at = coalesce(paid_at, case when session ->> 'payment_status' = 'paid' then now() end),
    fulfilled_at = coalesce(fulfilled_at, case when session ->> 'payment_status' = 'paid' then now() end),
    submitted_at = coalesce(
      submitted_at,
      case when session ->> 'status' = 'complete' and session ->> 'payment_status' = 'unpaid' then now() end
    ),
    expired_at = coalesce(expired_at, case when session ->> 'status' = 'expired' then now() end),
    failed_at = coalesce(failed_at, case when event_type = 'checkout.session.async_payment_failed' then now() end)
  from unnest(_sessions, _order_ids, _event_types, _outcomes) as told (session, order_id, event_type, outcome)
  where id = order_id and outcome in ('fulfilled', 'noted');
  if 'fulfilled' = any(_outcomes) then
    perform private.fulfil_orders(array_agg(order_id), array_agg(event_id))
    from unnest(_order_ids, _event_ids, _outcomes) as told (order_id, event_id, outcome)
    where outcome = 'fulfilled';
  end if;
  return _outcomes;
end
$$;
comment on function private.apply_sessions is
  'What checkout sessions of as many orders say is written into these, and what is paid fulfilled: fulfilled, noted, ignored or held_back.';
revoke all on function private.apply_sessions from public, anon, authenticated, service_role;

create function private.hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if _differences is null then
    perform private.raise_alert('unknown_order', null, _event_id, jsonb_build_object('session', _session ->> 'id'));
    return;
  end if;
  update public.credit_orders set paid_at = coalesce(paid_at, now())
  where id = _order_id and fulfilled_at is null and _session ->> 'payment_status' = 'paid';
  perform private.raise_alert(
    case when _differences ? 'account' then 'deleted_account' else 'mismatch' end::public.payment_alert_kind,
    _order_id, _event_id, _differences
  );
end
$$;
comment on function private.hold_back is
  'A person is told of a payment that is not of what was ordered, of no order, or for an account that is gone.';
revoke all on function private.hold_back from public, anon, authenticated, service_role;

create function private.note_outcomes(_ids text[], _order_ids uuid[], _outcomes text[], _error text default null)
  returns void
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set plan_cache_mode = force_generic_plan
as $$
begin
  update public.payment_events set
    order_id = told.order_id,
    outcome = told.outcome,
    error = _error,
    attempts = attempts + 1,
    tried_at = now(),
    handled_at = case when told.outcome not in ('waiting', 'failed') then now() end
  from unnest(_ids, _order_ids, _outcomes) as told (id, order_id, outcome)
  where payment_events.id = told.id;
end
$$;
comment on function private.note_outcomes is 'Writes beside events what became of them.';
revoke all on function private.note_outcomes from public, anon, authenticated, service_role;

alter table public.payment_events enable row level security;
alter table public.payment_alerts enable row level security;
alter table private.payment_fetches enable row level security;

revoke all on public.payment_events from public, anon, authenticated, service_role;
grant select on public.payment_events to service_role;

revoke all on public.payment_alerts from public, anon, authenticated, service_role;
grant select on public.payment_alerts to service_role;

revoke all on private.payment_fetches from public, anon, authenticated, service_role;
grant select, insert, update on private.payment_fetches to service_role;

create table private.order_disputes (
  -- The provider's id.
  id text primary key,
  order_id uuid not null references public.credit_orders (id) on delete restrict,
  -- As the newest event about it says, whichever came last; newest by the provider's clock, then by its place in a
  -- dispute's life, for the clock knows seconds only.
  status text not null,
  told_at timestamptz not null,
  step integer not null
);
comment on table private.order_disputes is 'Disputes of payments, and how far each is.';

create index order_disputes_order on private.order_disputes (order_id);

create function private.dispute_step(_type text, _status text)
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select case
    when _type = 'charge.dispute.created' then 0
    -- A word that is not among them counts as open.
    else coalesce(array_position(array[
      'warning_needs_response', 'warning_under_review', 'warning_closed', 'needs_response', 'under_review', 'won',
      'appeal_needs_response', 'appeal_under_review', 'prevented', 'lost'
    ], _status), 0)
  end
$$;
comment on function private.dispute_step is 'How far in the life of a dispute an event is; one that begins it comes first.';
revoke all on function private.dispute_step from public, anon, authenticated, service_role;

create function private.reclaim(
  _order_id uuid,
  _cents bigint,
  _all boolean,
  _idempotency_key text,
  out taken bigint,
  out missing bigint,
  out is_waiting boolean
)
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _user_id constant uuid := (select user_id from public.credit_lots where order_id = _order_id limit 1);
  _lot_ids uuid[];
  _amounts bigint[];
begin
  perform private.lock_wallet(_user_id);
  select array_agg(id order by paid_cents, id) filter (where step <> 0),
    array_agg(step order by paid_cents, id) filter (where step <> 0),
    sum(step), sum(greatest(share - unused, 0)) filter (where paid_cents > 0), bool_or(owed > step and held > 0)
  into _lot_ids, _amounts, taken, missing, is_waiting
  from (
    select *, least(owed, remaining) as step
    from (
      -- The money for all that is unused takes all of it, the bonus too; less money its share of each lot. Computed from
      -- the sum each time and rounded down, so that many refunds take no more than one.
      select *,
        case
          when _all or _cents > 0 and _cents >= floor(sum(paid_cents * unused::numeric / amount) over ()) then unused
          else least(unused, share)
        end - taken_before as owed
      from (
        select id, paid_cents, amount, remaining, held, taken_before, remaining + held + taken_before as unused,
          floor(amount::numeric * _cents / nullif(sum(paid_cents) over (), 0))::bigint as share
        from public.credit_lots
        cross join lateral (
          select coalesce(-sum(credit_ledger.amount), 0)::bigint as taken_before
          from public.credit_ledger
          where credit_ledger.user_id = _user_id and lot_id = credit_lots.id and credit_ledger.kind = 'refund'
        ) as ledger
        where order_id = _order_id
      ) as lots
    ) as owing
  ) as steps;
  if _lot_ids is not null then
    perform private.take(_user_id, 'refund', 'refund', _idempotency_key, _lot_ids, _amounts, 'order', _order_id::text);
    perform private.assert_wallet(_user_id);
  end if;
end
$$;
comment on function private.reclaim is
  'Moves unused credits of an order so that those for so much money given back, or all, are taken: how many were taken '
  '(less than 0: came back), how many are missing because they were used, and whether work holds some of them.';
revoke all on function private.reclaim from public, anon, authenticated, service_role;

create function private.settle_order(_order public.credit_orders, _event_id text default null)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _due_cents constant bigint := _order.refunded_cents - _order.taken_cents;
  _given_cents constant bigint := greatest(_order.refunded_cents, _order.taken_cents);
  _moved record;
begin
  -- What is told before the payment waits in the order.
  if _order.fulfilled_at is null then
    return 'noted';
  end if;
  if _due_cents > 0 then
    update public.credit_orders set taken_cents = refunded_cents where id = _order.id;
    insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
      values (_order.id, 'credit_note', _due_cents, format('refund:%s', _order.refunded_cents));
  end if;
  perform private.lock_wallet(_order.user_id);
  select * into _moved
  from private.reclaim(
    _order.id, _given_cents, _order.state in ('disputed', 'refunded'),
    -- Behind the last entry there is one movement, so the key is a new one each time.
    format(
      'order:%s:%s', _order.id,
      (select id from public.credit_ledger where user_id = _order.user_id order by id desc limit 1)
    )
  );
  if _moved.is_waiting then
    return 'waiting';
  end if;
  -- A balance never falls below zero: for what was used before, somebody decides. Of a withdrawal we have decided.
  if _moved.missing > 0 and _event_id is not null and (_due_cents > 0 or _order.withdrawn_at is null) then
    perform private.raise_alert(
      'refund_of_spent_credits', _order.id, _event_id,
      jsonb_build_object('refunded_cents', _given_cents, 'credits_missing', _moved.missing)
    );
  end if;
  return 'noted';
end
$$;
comment on function private.settle_order is
  'Brings the credits of a locked order in line with its facts; waiting: work holds some that are owed. With the event of a '
  'refund, a person is told when credits are missing.';
revoke all on function private.settle_order from public, anon, authenticated, service_role;

create function private.sum_up_disputes(_order_id uuid)
  returns public.credit_orders
  language sql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
  update public.credit_orders set
    disputed_at = coalesce(disputed_at, now()),
    dispute_won_at = case when disputes.are_won then coalesce(dispute_won_at, now()) end,
    dispute_lost_at = case when disputes.is_lost then coalesce(dispute_lost_at, now()) end
  from (
    -- One that was prevented is none of the won: the bank may have given the money back without asking.
    select bool_and(status in ('won', 'warning_closed')) as are_won, bool_or(status = 'lost') as is_lost
    from private.order_disputes where order_id = _order_id
  ) as disputes
  where id = _order_id
  returning credit_orders.*
$$;
comment on function private.sum_up_disputes is 'Writes into an order that has disputes how far they are, all in all.';
revoke all on function private.sum_up_disputes from public, anon, authenticated, service_role;

create function private.apply_dispute(_event public.payment_events)
  returns text
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _dispute constant jsonb := _event.payload #> '{data,object}';
  _status constant text := _dispute ->> 'status';
  _step constant integer := private.dispute_step(_event.type, _status);
  _is_news boolean;
  _order public.credit_orders;
begin
  select * into _order from public.credit_orders where id = private.order_of(_dispute) for update;
  if not found then
    -- A dispute carries none of our own words: it waits until the payment has told its order.
    return 'waiting';
  end if;
  insert into private.order_disputes as known (id, order_id, status, told_at, step)
    values (_dispute ->> 'id', _order.id, _status, to_timestamp((_event.payload ->> 'created')::bigint), _step)
    on conflict (id) do update set status = excluded.status, told_at = excluded.told_at, step = excluded.step
    where (excluded.told_at, excluded.step) > (known.told_at, known.step);
  _is_news := found;
  _order := private.sum_up_disputes(_order.id);
  -- A person is told when somebody must answer, or when the money is gone: once, however many events say it.
  if _is_news and _status in ('warning_needs_response', 'needs_response', 'prevented', 'lost') and not exists (
    select from public.payment_alerts
    where kind = 'dispute' and order_id = _order.id
      and details @> jsonb_build_object('dispute', _dispute ->> 'id', 'status', _status)
  ) then
    perform private.raise_alert(
      'dispute', _order.id, _event.id, jsonb_build_object('dispute', _dispute ->> 'id', 'status', _status)
    );
  end if;
  return private.settle_order(_order);
end
$$;
comment on function private.apply_dispute is 'Notes how far a dispute is, and moves the credits with it.';
revoke all on function private.apply_dispute from public, anon, authenticated, service_role;

create function private.note_refund(_refund jsonb, _event_id text default null)
  returns text
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _order_id constant uuid := private.order_of(_refund);
  _is_failed constant boolean := _refund ->> 'status' in ('failed', 'canceled');
begin
  -- The several events of one failure one after the other.
  perform from public.credit_orders where id = _order_id for update;
  if not found then
    return 'ignored';
  end if;
  update public.order_refunds set
    state = case when _is_failed then 'failed' else 'sent' end::public.order_refund_state,
    provider_refund = _refund ->> 'id', settled_at = now()
  where order_id = _order_id and (id::text = _refund #>> '{metadata,refund_id}' or provider_refund = _refund ->> 'id')
    -- What has failed stays so; our own answer, or an older event, may come after it.
    and (state <> 'failed' or provider_refund is distinct from _refund ->> 'id');
  if _is_failed and not exists (
    select from public.payment_alerts
    where kind = 'refund_failed' and order_id = _order_id and details ->> 'refund' = _refund ->> 'id'
  ) then
    perform private.raise_alert(
      'refund_failed', _order_id, _event_id,
      jsonb_build_object(
        'refund', _refund ->> 'id', 'amount_cents', _refund -> 'amount', 'reason', _refund -> 'failure_reason'
      )
    );
  end if;
  return 'noted';
end
$$;
comment on function private.note_refund(jsonb, text) is
  'Notes what a refund of Stripe says, an event''s or the one we just asked for; one that failed is told to a person, once.';
revoke all on function private.note_refund from public, anon, authenticated, service_role;
grant execute on function private.note_refund to service_role;

alter table private.order_disputes enable row level security;

revoke all on private.order_disputes from public, anon, authenticated, service_role;
grant select on private.order_disputes to service_role;

-- Early bird: 500 credits more for the first hundred people who confirm an address.
--
-- The hundred seats are rows that exist from the start. A seat is taken by locking a free row that nobody else has
-- locked: no two get the same one, a hundred and first finds none, and nobody waits; what is rolled back is free again.
-- The moment is the first confirmation, when the welcome is granted; a later change of address earns nothing.
--
-- An address under a reserved name (RFC 2606: example, test, invalid, localhost) can reach nobody, so it takes no seat:
-- the demo accounts leave a real installation its hundred.

-- A seat of the early bird is a person's: «anna+1@…», «anna+2@…» and dots in a Gmail address are one mailbox. A digest of it
-- stays with the seat, as the seat stays taken when its account is erased.

create table private.early_bird_seats (
  seat smallint primary key,
  -- Without a reference, as all accounting; null while the seat is free.
  user_id uuid unique,
  taken_at timestamptz,
  mailbox bytea unique,

  constraint there_are_a_hundred check (seat between 1 and 100),
  constraint a_taken_seat_says_when check ((user_id is null) = (taken_at is null))
);
comment on table private.early_bird_seats is 'The hundred early-bird seats and who took them.';

create function private.early_bird_credits()
  returns bigint
  language sql immutable
  set search_path = ''
as 'select 500::bigint';
comment on function private.early_bird_credits() is 'How many credits an early-bird seat brings.';
revoke all on function private.early_bird_credits from public, anon, authenticated, service_role;

create function private.is_reachable(_email text)
  returns boolean
  language sql immutable
  set search_path = ''
as $$ select coalesce(lower(_email) !~ '[@.](example|test|invalid|localhost|example\.(com|net|org))\.?$', false) $$;
comment on function private.is_reachable(text) is 'Whether mail to an address can reach anybody: not under a reserved name.';
revoke all on function private.is_reachable from public, anon, authenticated, service_role;

-- Definer: anybody may know how many seats are taken, nobody by whom.
create function public.early_bird_seats()
  returns integer
  language sql stable security definer
  set search_path = ''
as 'select count(user_id)::integer from private.early_bird_seats';
comment on function public.early_bird_seats() is 'How many of the hundred early-bird seats are taken.';
revoke all on function public.early_bird_seats from public, anon, authenticated, service_role;
grant execute on function public.early_bird_seats to anon, authenticated, service_role;

create function private.mailbox(_email text)
  returns bytea
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select sha256(convert_to(
    case when host in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com' else name || '@' || host end, 'UTF8'
  ))
  from (select split_part(split_part(lower(_email), '@', 1), '+', 1) as name, split_part(lower(_email), '@', 2) as host) as parts
$$;
comment on function private.mailbox(text) is
  'A digest of where mail to an address arrives: without what follows a plus sign, for Gmail without dots.';
revoke all on function private.mailbox from public, anon, authenticated, service_role;

create function private.take_early_bird_seat(_user_id uuid, _email text)
  returns boolean
  language plpgsql
  set search_path = ''
as $$
begin
  -- Two confirmations of one mailbox at once: the second waits, and sees the first.
  perform pg_advisory_xact_lock(hashtextextended('early bird ' || encode(private.mailbox(_email), 'hex'), 0));
  update private.early_bird_seats set user_id = _user_id, taken_at = now(), mailbox = private.mailbox(_email)
  where seat = (
    select seat from private.early_bird_seats where user_id is null order by seat limit 1 for update skip locked
  ) and not exists (
    select from private.early_bird_seats where user_id = _user_id or mailbox = private.mailbox(_email)
  );
  if found then
    perform private.grant_credits(_user_id, private.early_bird_credits(), 'bonus', 'promo', 'early-bird');
  end if;
  return found;
end
$$;
comment on function private.take_early_bird_seat(uuid, text) is
  'Gives the account a free early-bird seat and its credits; false when none is left, or its person has one already.';
revoke all on function private.take_early_bird_seat from public, anon, authenticated, service_role;

alter table private.early_bird_seats enable row level security;

revoke all on private.early_bird_seats from public, anon, authenticated, service_role;
grant select on private.early_bird_seats to service_role;

create table public.waiting_list (
  -- Lower case: one entry for one person.
  email text primary key,
  consent_at timestamptz not null,
  -- Which words were agreed to.
  consent_version text not null,
  -- SHA-256 of the token in the newest mail; the token itself is in the mail only.
  token_hash bytea not null unique,
  -- Digests of the tokens in earlier mails: anybody may ask for a new mail, and the links of all of them must work.
  earlier_token_hashes bytea[] not null default '{}',
  mailed_at timestamptz not null,
  confirmed_at timestamptz,

  constraint email_is_lower_case_and_plausible check (
    email = lower(email) and char_length(email) <= 254 and email ~ '^[^@[:space:][:cntrl:]]+@[^@[:space:][:cntrl:]]+$'
  ),
  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32),
  constraint consent_version_is_named check (consent_version ~ '^[a-z0-9][a-z0-9.-]{0,31}$')
);
comment on table public.waiting_list is
  'Who wants to hear of the next offer: a week unconfirmed, 24 months from the confirmation, or until the person leaves.';
comment on column public.waiting_list.earlier_token_hashes is
  'SHA-256 of the tokens in the mails before: they confirm nothing any more, but lead out of the list.';

-- Kept apart from the list, so that a request says nothing about who is on it.
create table private.waiting_list_requests (
  id bigint generated always as identity primary key,
  caller text not null,
  requested_at timestamptz not null,

  -- A keyed digest that changes daily; an address itself never fits.
  constraint caller_is_a_digest check (caller ~ '^[0-9a-f]{32}$')
);
comment on table private.waiting_list_requests is 'How often somebody asked to join, by the digest of their address; kept for an hour.';

create table private.waiting_list_left (
  token_hash bytea primary key,
  left_at timestamptz not null,

  constraint token_hash_is_sha_256 check (octet_length(token_hash) = 32)
);
comment on table private.waiting_list_left is
  'Tokens whose address has left, and no address: whoever presses again hears the same; kept for a week.';

create index waiting_list_earlier on public.waiting_list using gin (earlier_token_hashes);

create index waiting_list_requests_of_a_caller on private.waiting_list_requests (caller, requested_at);

alter table public.waiting_list enable row level security;
alter table private.waiting_list_requests enable row level security;
alter table private.waiting_list_left enable row level security;

revoke all on public.waiting_list from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.waiting_list to service_role;

revoke all on private.waiting_list_requests from public, anon, authenticated, service_role;
grant select, insert, delete on private.waiting_list_requests to service_role;

revoke all on private.waiting_list_left from public, anon, authenticated, service_role;
grant select, insert, delete on private.waiting_list_left to service_role;

-- Sign-up: what a new account finds when it first signs in.
--
-- The profile, an empty wallet and a welcome notification come with the account. The welcome credits come with the
-- first confirmed address: an unconfirmed account cannot sign in, so its owner sees no difference, and a thousand
-- made-up addresses earn nothing. They are granted once, whatever is confirmed again later.

create function private.welcome_credits()
  returns bigint
  language sql immutable
  set search_path = ''
as 'select 100::bigint';
comment on function private.welcome_credits() is 'How many credits a new account receives.';
revoke all on function private.welcome_credits from public, anon, authenticated, service_role;

-- The metadata is whatever the client of the sign-up sent: a name that is no text is no name, a long one is cut.
create function private.full_name(_metadata jsonb)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select nullif(btrim(left(btrim(regexp_replace(_metadata ->> 'full_name', '[[:cntrl:][:space:]]+', ' ', 'g')), 120)), '')
  where jsonb_typeof(_metadata -> 'full_name') = 'string'
$$;
comment on function private.full_name(jsonb) is 'The name in sign-up metadata, fit for profiles.full_name, or null.';
revoke all on function private.full_name from public, anon, authenticated, service_role;

create function private.open_account(_user_id uuid, _metadata jsonb)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  insert into public.credit_wallets (user_id) values (_user_id) on conflict do nothing;
  insert into public.credit_settings (user_id) values (_user_id) on conflict do nothing;
  insert into public.profiles (user_id, full_name) values (_user_id, private.full_name(_metadata)) on conflict do nothing;
  if found then
    insert into public.notifications (user_id, title, message, type, action_url) values (
      _user_id,
      'Ti diamo il benvenuto in Socio',
      format('Ti abbiamo riservato %s crediti per cominciare: usali quando vuoi.', private.welcome_credits()),
      'success',
      '/store'
    );
  end if;
end
$$;
comment on function private.open_account(uuid, jsonb) is
  'Gives an account its profile, wallet, settings and welcome; again changes nothing.';
revoke all on function private.open_account from public, anon, authenticated, service_role;

-- Definer: the auth service, which writes auth.users, has no right on the product's tables.
create function private.welcome_user()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.open_account(new.id, new.raw_user_meta_data);
  if new.email_confirmed_at is not null or new.phone_confirmed_at is not null then
    perform private.welcome_account(new.id, case when new.email_confirmed_at is not null then new.email end);
  end if;
  return null;
end
$$;
comment on function private.welcome_user() is 'Opens the account on sign-up and grants the welcome credits on confirmation.';
revoke all on function private.welcome_user from public, anon, authenticated, service_role;

-- Called once an address is confirmed; again changes nothing.
create function private.welcome_account(_user_id uuid, _email text)
  returns void
  language plpgsql
  set search_path = ''
as $$
begin
  -- The lock: two confirmations at once welcome once.
  perform private.lock_wallet(_user_id);
  if exists (select from public.credit_ledger where user_id = _user_id and idempotency_key = 'welcome') then
    return;
  end if;
  perform private.grant_credits(_user_id, private.welcome_credits(), 'benvenuto', 'promo', 'welcome');
  if private.is_reachable(_email) and private.take_early_bird_seat(_user_id, _email) then
    update public.notifications
    set message = format(
      'Ti abbiamo riservato %s crediti per cominciare: %s di benvenuto e altri %s perché sei tra i primi 100. Usali quando vuoi.',
      private.welcome_credits() + private.early_bird_credits(), private.welcome_credits(), private.early_bird_credits()
    )
    where user_id = _user_id and title = 'Ti diamo il benvenuto in Socio';
  end if;
end
$$;
comment on function private.welcome_account(uuid, text) is
  'Grants the welcome credits of a confirmed account, and the early bird''s while seats are free; once.';
revoke all on function private.welcome_account from public, anon, authenticated, service_role;

create trigger welcome_user
  after insert or update of email_confirmed_at, phone_confirmed_at on auth.users
  for each row execute function private.welcome_user();

-- Imports: a file of contacts in chunks, each row by itself, and taking a whole file back.
--
-- The client reads the file (CSV, vCard) and sends rows; here they are checked, matched and written. A row is done once however
-- often it is sent. What the import changed is noted, so that undoing it removes what it made and nobody touched since, gives
-- changed contacts their former values, and keeps what was changed by hand.
--
-- Error codes raised:
--   SC031  there is no such import, or it is closed
--   SC032  a row cannot be imported (caught: its message is the row's, in Italian)

create type public.import_kind as enum ('csv', 'vcard');

create type public.import_state as enum ('in_corso', 'fatto', 'annullato');

create table public.import_batches (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  file_name public.single_line not null,
  kind public.import_kind not null,
  total integer not null,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  -- Rows that the client could not read and never sent.
  rejected integer not null default 0,
  state public.import_state not null default 'in_corso',
  consent jsonb,
  -- Tags that were not there before.
  new_tags uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  unique (user_id, id),
  constraint total_fits check (total between 0 and 100000),
  constraint rejected_fits check (rejected between 0 and 100000),
  constraint consent_is_an_object check (jsonb_typeof(consent) = 'object' and char_length(consent::text) <= 10000)
);
comment on table public.import_batches is 'Files of contacts that were imported, and how far.';
comment on column public.import_batches.consent is
  'What everybody in the file agreed to: {channels, purpose, state, legal_basis, wording, source, at}; null: nothing is known.';
comment on column public.import_batches.rejected is
  'Rows of the file that the client refused and never sent; `total` counts those it sends, `failed` those refused here.';

create index import_batches_latest on public.import_batches (user_id, created_at desc);

create function private.lock_import(_batch uuid, _states public.import_state[])
  returns public.import_batches
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _found public.import_batches;
begin
  select * into _found from public.import_batches
  where user_id = auth.uid() and id = _batch and state = any (_states) for update;
  if not found then
    raise exception 'no such open import' using errcode = 'SC031';
  end if;
  return _found;
end
$$;
comment on function private.lock_import(uuid, public.import_state[]) is 'An import of the caller, locked; SC031 if there is none in such a state.';
revoke all on function private.lock_import from public, anon, authenticated, service_role;

create function public.finish_import(_batch uuid)
  returns public.import_batches
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _finished public.import_batches;
begin
  perform private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  update public.import_batches set state = 'fatto', finished_at = coalesce(finished_at, now())
  where id = _batch returning * into _finished;
  return _finished;
end
$$;
comment on function public.finish_import(uuid) is 'Closes an import of the caller: no row can be added to it any more.';
revoke all on function public.finish_import from public, anon, authenticated, service_role;
grant execute on function public.finish_import to authenticated;

create function public.begin_import(
  _file_name text, _kind public.import_kind, _total integer, _consent jsonb default null, _rejected integer default 0
)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _id uuid;
begin
  -- What cannot be read is refused now, not at the first row.
  perform value::public.consent_channel from jsonb_array_elements_text(_consent -> 'channels') as value;
  perform (_consent ->> 'purpose')::public.consent_purpose, (_consent ->> 'state')::public.consent_state,
    (_consent ->> 'legal_basis')::public.single_line, (_consent ->> 'source')::public.single_line;
  if (_consent ->> 'at')::timestamptz > now() then
    raise exception 'a consent cannot be of tomorrow' using errcode = '22023';
  end if;
  insert into public.import_batches (user_id, file_name, kind, total, consent, rejected)
    values (auth.uid(), _file_name, _kind, _total, nullif(_consent, 'null'), _rejected)
    returning id into _id;
  return _id;
end
$$;
comment on function public.begin_import(text, public.import_kind, integer, jsonb, integer) is
  'Opens an import of the caller and answers its id; _rejected rows of the file are not sent. Consent of the whole file: '
  '{channels: ["email"], purpose: "marketing", state: "dato", legal_basis, wording, source, at}; without a purpose '
  '«marketing», without a state «dato».';
revoke all on function public.begin_import from public, anon, authenticated, service_role;
grant execute on function public.begin_import to authenticated;

alter table public.import_batches enable row level security;

create policy "owners read their imports" on public.import_batches
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.import_batches from public, anon, authenticated, service_role;
grant select on public.import_batches to authenticated, service_role;

alter table public.import_batches replica identity using index import_batches_user_id_id_key;

-- Contacts: people and companies in one table, what hangs on them, and the cadence «da risentire».
--
-- Every reference to another row of ours names the owner as well: a key of a stranger's row fits nobody else. What is
-- merged or in the trash stays readable by its owner, so that both can be undone; `contact_list` shows the others.
--
-- The cadence: `touch_days` of a contact, else the smallest among its tags. `next_touch_at` is so many days after the
-- last interaction (or after the contact was made); an interaction sets both anew and ends a snooze.

create type public.contact_type as enum ('persona', 'azienda');

create type public.contact_origin as enum ('manuale', 'import', 'whatsapp', 'email', 'documento', 'modulo', 'demo');

create type public.interaction_kind as enum ('chiamata', 'email', 'whatsapp', 'incontro', 'altro');

create type public.interaction_direction as enum ('uscita', 'entrata');

create table public.contacts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  type public.contact_type not null default 'persona',
  first_name public.single_line,
  last_name public.single_line,
  business_name public.single_line,
  -- Sorted as people sort: «de Rossi» before «Zanni», accents beside their letter.
  name text collate "und-x-icu" not null generated always as (
    case type
      when 'azienda' then coalesce(business_name::text, btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')))
      else coalesce(
        nullif(btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''), business_name::text, ''
      )
    end
  ) stored,
  company_id uuid,
  job_title public.single_line,
  vat_number text,
  tax_code text,
  sdi_code text,
  pec text,
  regime public.single_line,
  address jsonb,
  website text,
  origin public.contact_origin not null default 'manuale',
  touch_days integer,
  last_interaction_at timestamptz,
  next_touch_at timestamptz,
  snoozed_until timestamptz,
  note text,
  merged_into uuid,
  deleted_at timestamptz,
  import_batch_id uuid,
  -- What VIES answered about the VAT number, and when; written by functions only.
  vies_vat_number text,
  vies_registered boolean,
  vies_name text,
  vies_checked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- Also the replica identity: of a deleted row its owner alone is told.
  unique (user_id, id),
  foreign key (user_id, company_id) references public.contacts (user_id, id) on delete set null (company_id),
  -- Who erases the one that is left erases what became part of it.
  foreign key (user_id, merged_into) references public.contacts (user_id, id) on delete cascade,
  constraint contacts_import_fkey foreign key (user_id, import_batch_id)
    references public.import_batches (user_id, id) on delete set null (import_batch_id),
  constraint a_contact_has_a_name check (name ~ '[^[:space:]]'),
  constraint nobody_works_for_themselves check (company_id <> id),
  constraint a_person_works_for_a_company check (company_id is null or type = 'persona'),
  constraint nobody_is_merged_into_themselves check (merged_into <> id),
  constraint vat_number_is_one check (private.is_vat_number(vat_number)),
  -- Sixteen characters; companies have eleven digits.
  constraint tax_code_is_one check (private.is_tax_code(tax_code) or private.is_vat_number(tax_code)),
  -- Six characters: an office of the public administration.
  constraint sdi_code_is_one check (private.is_sdi_code(sdi_code) or sdi_code ~ '^[A-Z0-9]{6}$'),
  constraint pec_is_an_address check (private.is_email(pec)),
  constraint address_has_known_parts check (
    jsonb_typeof(address) = 'object' and char_length(address::text) <= 1000
    and address - array['street', 'postal_code', 'city', 'province', 'country'] = '{}'
  ),
  -- Shown as a link: never script.
  constraint website_is_an_address check (
    website ~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$' and char_length(website) <= 500
  ),
  constraint a_vies_answer_is_whole check (
    num_nonnulls(vies_vat_number, vies_registered, vies_checked_at) in (0, 3)
    and (vies_name is null or vies_registered and char_length(vies_name) between 1 and 500)
  ),
  constraint touch_days_fit check (touch_days between 1 and 3650),
  constraint note_fits check (char_length(note) between 1 and 20000)
);
comment on table public.contacts is
  'People and companies of one owner; merged and deleted ones stay until they are purged.';
comment on column public.contacts.next_touch_at is
  'When it is time to be in touch again; null: nobody asked to be reminded.';
comment on column public.contacts.vies_vat_number is
  'The number that was asked about; another vat_number since then means that the answer says nothing about it.';
comment on column public.contacts.vies_registered is 'Whether VIES knew it; not so does not mean that the number is not in use.';
comment on column public.contacts.vies_name is 'Under which name VIES has it, where the country tells.';

create table public.contact_emails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  value text not null,
  norm text not null generated always as (lower(value)) stored,
  label public.single_line,
  is_primary boolean not null default false,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  -- An address belongs to one contact: it is how mail finds its person.
  unique (user_id, norm),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint value_is_an_address check (private.is_email(value))
);
comment on table public.contact_emails is 'E-mail addresses of contacts, each once per owner.';

create table public.contact_phones (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  value public.single_line not null,
  norm text not null,
  label public.single_line,
  is_primary boolean not null default false,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, norm),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint norm_is_e164 check (norm ~ '^\+[1-9][0-9]{6,14}$')
);
comment on table public.contact_phones is 'Telephone numbers of contacts, as typed and as E.164, each once per owner.';

create table public.tags (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  color public.single_line,
  touch_days integer,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  constraint touch_days_fit check (touch_days between 1 and 3650)
);
comment on table public.tags is 'Labels of one owner; touch_days gives every contact that wears it a cadence.';

create table public.contact_tags (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  tag_id uuid not null,
  created_at timestamptz not null default now(),

  primary key (contact_id, tag_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, tag_id) references public.tags (user_id, id) on delete cascade
);
comment on table public.contact_tags is 'Which contact wears which tag.';

create table public.segments (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  -- The filter as the client writes it (web/src/data/contacts.ts); the database never runs it.
  filter jsonb not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  constraint filter_is_an_object check (jsonb_typeof(filter) = 'object' and char_length(filter::text) <= 10000)
);
comment on table public.segments is 'Saved filters of the contact list.';

create table public.notes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  body text not null,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint body_fits check (body ~ '[^[:space:]]' and char_length(body) <= 20000)
);
comment on table public.notes is 'What the owner wrote about a contact (markdown).';
comment on column public.notes.deleted_at is 'In the trash since.';

create table public.interactions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  kind public.interaction_kind not null,
  -- Null: nobody began it, as a meeting.
  direction public.interaction_direction,
  at timestamptz not null default now(),
  summary text,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint summary_fits check (char_length(summary) between 1 and 20000)
);
comment on table public.interactions is 'Calls, mails, messages and meetings with a contact: what the cadence counts.';

create index contacts_by_name on public.contacts (user_id, name, id) where merged_into is null and deleted_at is null;

create index contacts_by_next_touch on public.contacts (user_id, next_touch_at, id)
  where merged_into is null and deleted_at is null;

create index contacts_by_last_interaction on public.contacts (user_id, last_interaction_at desc nulls last, id)
  where merged_into is null and deleted_at is null;

create index contacts_company on public.contacts (user_id, company_id);

create index contacts_merged_into on public.contacts (user_id, merged_into);

create index contacts_vat_number on public.contacts (user_id, vat_number) where vat_number is not null;

create index contacts_tax_code on public.contacts (user_id, tax_code) where tax_code is not null;

create index contacts_trash on public.contacts (deleted_at) where deleted_at is not null;

-- Serves the hint while typing and the import: who bears this name, or has mail under this domain.
create index contacts_lower_name on public.contacts (user_id, lower(name));

create index contacts_import on public.contacts (user_id, import_batch_id);

-- The trash of one owner, what went there last first.
create index contacts_own_trash on public.contacts (user_id, deleted_at desc, id)
  where deleted_at is not null and merged_into is null;

create index contact_emails_contact on public.contact_emails (user_id, contact_id);

create index contact_emails_domain on public.contact_emails (user_id, split_part(norm, '@', 2));

create index contact_phones_contact on public.contact_phones (user_id, contact_id);

create unique index tags_name on public.tags (user_id, lower(name));

create unique index contact_tags_identity on public.contact_tags (user_id, contact_id, tag_id);

create index contact_tags_tag on public.contact_tags (user_id, tag_id);

create index notes_contact on public.notes (user_id, contact_id, created_at desc);

-- Serves the purge of the trash.
create index notes_trash on public.notes (deleted_at) where deleted_at is not null;

create index interactions_contact on public.interactions (user_id, contact_id, at desc);

create function private.set_next_touch()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.last_interaction_at > coalesce(old.last_interaction_at, '-infinity') then
    new.snoozed_until := null;
  end if;
  new.next_touch_at := coalesce(new.last_interaction_at, new.created_at) + make_interval(days => coalesce(
    new.touch_days,
    (
      select min(tags.touch_days) from public.contact_tags
      join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
      where contact_tags.user_id = new.user_id and contact_tags.contact_id = new.id
    )
  ));
  return new;
end
$$;
comment on function private.set_next_touch() is
  'Computes next_touch_at, whatever was written there; an interaction ends a snooze.';
revoke all on function private.set_next_touch from public, anon, authenticated, service_role;

-- Definer, like the others below: the owner may not write what is computed.
create function private.follow_interactions()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _contacts uuid[];
begin
  if tg_op = 'UPDATE' then
    _contacts := array(select contact_id from changed union select contact_id from former);
  else
    _contacts := array(select contact_id from changed);
  end if;
  update public.contacts
  set last_interaction_at = latest.at
  from (
    select contacts.id, (
      select max(at) from public.interactions
      where interactions.user_id = contacts.user_id and interactions.contact_id = contacts.id
    ) as at
    from public.contacts where id = any (_contacts)
  ) as latest
  where contacts.id = latest.id and contacts.last_interaction_at is distinct from latest.at;
  return null;
end
$$;
comment on function private.follow_interactions() is 'Keeps contacts.last_interaction_at, and by it the cadence.';
revoke all on function private.follow_interactions from public, anon, authenticated, service_role;

create function private.follow_contact_tags()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _contacts uuid[];
begin
  if tg_op = 'UPDATE' then
    _contacts := array(select contact_id from changed union select contact_id from former);
  else
    _contacts := array(select contact_id from changed);
  end if;
  -- Who had no cadence by tags and got none has nothing to compute.
  update public.contacts set next_touch_at = null
  where id = any (_contacts) and touch_days is null and (next_touch_at is not null or exists (
    select from public.contact_tags
    join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
    where contact_tags.user_id = contacts.user_id and contact_id = contacts.id and tags.touch_days is not null
  ));
  return null;
end
$$;
comment on function private.follow_contact_tags() is 'Computes the cadence anew where a tag was put on or taken off.';
revoke all on function private.follow_contact_tags from public, anon, authenticated, service_role;

create function private.follow_tags()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.contacts set next_touch_at = null
  where touch_days is null and id in (
    select contact_id from public.contact_tags where user_id = new.user_id and tag_id = new.id
  );
  return null;
end
$$;
comment on function private.follow_tags() is 'Computes the cadence anew where a tag says another number of days.';
revoke all on function private.follow_tags from public, anon, authenticated, service_role;

create function public.snooze_contact(_contact_id uuid, _until timestamptz)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  update public.contacts set snoozed_until = _until where user_id = (select auth.uid()) and id = _contact_id;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
end
$$;
comment on function public.snooze_contact(uuid, timestamptz) is
  'Asks for no reminder of a contact of the caller until then; null ends that. PT404 if it is none.';
revoke all on function public.snooze_contact from public, anon, authenticated, service_role;
grant execute on function public.snooze_contact to authenticated;

alter table public.contacts enable row level security;
alter table public.contact_emails enable row level security;
alter table public.contact_phones enable row level security;
alter table public.tags enable row level security;
alter table public.contact_tags enable row level security;
alter table public.segments enable row level security;
alter table public.notes enable row level security;
alter table public.interactions enable row level security;

create policy "owners read their contacts" on public.contacts
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contacts" on public.contacts
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their contacts" on public.contacts
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their contacts" on public.contacts
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their contact_emails" on public.contact_emails
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contact_emails" on public.contact_emails
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their contact_emails" on public.contact_emails
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their contact_emails" on public.contact_emails
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their contact_phones" on public.contact_phones
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contact_phones" on public.contact_phones
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their contact_phones" on public.contact_phones
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their contact_phones" on public.contact_phones
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their tags" on public.tags
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their tags" on public.tags
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their tags" on public.tags
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their tags" on public.tags
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their contact_tags" on public.contact_tags
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contact_tags" on public.contact_tags
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners delete their contact_tags" on public.contact_tags
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their segments" on public.segments
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their segments" on public.segments
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their segments" on public.segments
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their segments" on public.segments
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their notes" on public.notes
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their notes" on public.notes
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their notes" on public.notes
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their notes" on public.notes
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their interactions" on public.interactions
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their interactions" on public.interactions
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their interactions" on public.interactions
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their interactions" on public.interactions
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.contacts from public, anon, authenticated, service_role;
grant select, delete on public.contacts to authenticated;
grant select, insert, update, delete on public.contacts to service_role;
grant insert (
  id, user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code,
  pec, regime, address, website, origin, touch_days, snoozed_until, note, import_batch_id
) on public.contacts to authenticated;
grant update (
  type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, regime,
  address, website, touch_days, snoozed_until, note, deleted_at
) on public.contacts to authenticated;

revoke all on public.contact_emails from public, anon, authenticated, service_role;
grant select, delete on public.contact_emails to authenticated;
grant select, insert, update, delete on public.contact_emails to service_role;
grant insert (id, user_id, contact_id, value, label, is_primary) on public.contact_emails to authenticated;
grant update (value, label, is_primary) on public.contact_emails to authenticated;

revoke all on public.contact_phones from public, anon, authenticated, service_role;
grant select, delete on public.contact_phones to authenticated;
grant select, insert, update, delete on public.contact_phones to service_role;
grant insert (id, user_id, contact_id, value, norm, label, is_primary) on public.contact_phones to authenticated;
grant update (value, norm, label, is_primary) on public.contact_phones to authenticated;

revoke all on public.tags from public, anon, authenticated, service_role;
grant select, delete on public.tags to authenticated;
grant select, insert, update, delete on public.tags to service_role;
grant insert (id, user_id, name, color, touch_days) on public.tags to authenticated;
grant update (name, color, touch_days) on public.tags to authenticated;

revoke all on public.contact_tags from public, anon, authenticated, service_role;
grant select, delete on public.contact_tags to authenticated;
grant select, insert, update, delete on public.contact_tags to service_role;
grant insert (user_id, contact_id, tag_id) on public.contact_tags to authenticated;

revoke all on public.segments from public, anon, authenticated, service_role;
grant select, delete on public.segments to authenticated;
grant select, insert, update, delete on public.segments to service_role;
grant insert (id, user_id, name, filter) on public.segments to authenticated;
grant update (name, filter) on public.segments to authenticated;

revoke all on public.notes from public, anon, authenticated, service_role;
grant select, delete on public.notes to authenticated;
grant select, insert, update, delete on public.notes to service_role;
grant insert (id, user_id, contact_id, body) on public.notes to authenticated;
grant update (body, deleted_at) on public.notes to authenticated;

revoke all on public.interactions from public, anon, authenticated, service_role;
grant select, delete on public.interactions to authenticated;
grant select, insert, update, delete on public.interactions to service_role;
grant insert (id, user_id, contact_id, kind, direction, at, summary) on public.interactions to authenticated;
grant update (kind, direction, at, summary) on public.interactions to authenticated;

-- What the person changed, not what the cadence computes.
create trigger set_updated_at
  before update of type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code,
    pec, regime, address, website, touch_days, note, merged_into, deleted_at on public.contacts
  for each row execute function private.set_updated_at();

create trigger set_updated_at before update of body on public.notes
  for each row execute function private.set_updated_at();

create trigger set_next_touch
  before insert or update of touch_days, last_interaction_at, next_touch_at on public.contacts
  for each row execute function private.set_next_touch();

create trigger follow_new_interactions after insert on public.interactions
  referencing new table as changed
  for each statement execute function private.follow_interactions();

create trigger follow_changed_interactions after update on public.interactions
  referencing new table as changed old table as former
  for each statement execute function private.follow_interactions();

create trigger follow_gone_interactions after delete on public.interactions
  referencing old table as changed
  for each statement execute function private.follow_interactions();

create trigger follow_new_contact_tags after insert on public.contact_tags
  referencing new table as changed
  for each statement execute function private.follow_contact_tags();

create trigger follow_changed_contact_tags after update on public.contact_tags
  referencing new table as changed old table as former
  for each statement execute function private.follow_contact_tags();

create trigger follow_gone_contact_tags after delete on public.contact_tags
  referencing old table as changed
  for each statement execute function private.follow_contact_tags();

create trigger follow_tags after update of touch_days on public.tags
  for each row when (old.touch_days is distinct from new.touch_days) execute function private.follow_tags();

alter table public.contacts replica identity using index contacts_user_id_id_key;
alter table public.contact_emails replica identity using index contact_emails_user_id_id_key;
alter table public.contact_phones replica identity using index contact_phones_user_id_id_key;
alter table public.tags replica identity using index tags_user_id_id_key;
alter table public.contact_tags replica identity using index contact_tags_identity;
alter table public.segments replica identity using index segments_user_id_id_key;
alter table public.notes replica identity using index notes_user_id_id_key;
alter table public.interactions replica identity using index interactions_user_id_id_key;

create table private.contact_search (
  contact_id uuid primary key references public.contacts (id) on delete cascade,
  user_id uuid not null,
  -- Name and company as compared with what was typed.
  words text not null,
  document tsvector not null
);
comment on table private.contact_search is 'What each contact that is shown is found by; written by triggers only.';

-- Without the list of pending entries, which every search after an import would read from end to end.
create index contact_search_document on private.contact_search using gin (document) with (fastupdate = off);

create function private.search_text(_text text)
  returns text
  language sql stable strict parallel safe
  set search_path = ''
as $$
  select btrim(regexp_replace(lower(extensions.unaccent(_text)), '[^[:alnum:]]+', ' ', 'g'))
$$;
comment on function private.search_text(text) is 'Words without accents, capitals and punctuation, one space between them.';
revoke all on function private.search_text from public, anon, authenticated, service_role;
grant execute on function private.search_text to service_role;

create function private.search_key(_user_id uuid)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select left(_user_id::text, 8)
$$;
comment on function private.search_key(uuid) is
  'How the lexemes of an owner begin. Two owners may share it: the search compares the whole id as well.';
revoke all on function private.search_key from public, anon, authenticated, service_role;

create function private.search_document(_key text, _names text, _others text, _prose text, _emails text[], _numbers text[])
  returns tsvector
  language sql stable
  set search_path = ''
as $$
  select array_to_tsvector(array(
    select _key || '=' || left(word, 100) from unnest(string_to_array(concat_ws(' ', _names, _others), ' ')) as word
    where word <> ''
    union
    select _key || '/' || left(stem, 100) from unnest(tsvector_to_array(
      to_tsvector('pg_catalog.italian', concat_ws(' ', _names, _others, _prose))
    )) as stem
    union
    select _key || '~' || trigram from unnest(extensions.show_trgm(_names)) as trigram where trigram !~ '^  '
    union
    select _key || '@' || email from unnest(_emails) as email
    union
    select _key || '@@' || split_part(email, '@', 2) from unnest(_emails) as email
    union
    select _key || '#' || substr(number, place)
    from unnest(_numbers) as number, generate_series(1, char_length(number) - 2) as place
  ))
$$;
comment on function private.search_document(text, text, text, text, text[], text[]) is
  'The lexemes of one contact, from texts that search_text() made.';
revoke all on function private.search_document from public, anon, authenticated, service_role;

create function private.search_query(_key text, _words text[], _how text)
  returns tsquery
  language sql stable
  set search_path = ''
as $$
  -- What is quoted holds letters, digits and spaces only, but for addresses. Exact: whole words. Near: two neighbouring
  -- trigrams suffice.
  select string_agg(
    case when strpos(word, '@') > 0 then format(
      '''%s@%s''%s', _key, replace(replace(word, '\', '\\'), '''', ''''''), case when _how <> 'exact' then ':*' end
    )
    else '(' || concat_ws(' | ',
      format('''%s=%s''%s', _key, word, case when _how <> 'exact' then ':*' end),
      (
        select string_agg(format('''%s/%s''', _key, stem), ' | ')
        from unnest(tsvector_to_array(to_tsvector('pg_catalog.italian', word))) as stem where _how <> 'exact'
      ),
      case when word ~ '^[0-9]{3,}$' then format('''%s#%s'':*', _key, word) end,
      (
        select '(' || string_agg(format('''%s~%s''', _key, substr(word, place, 3)), ' & ') || ')'
        from generate_series(1, char_length(word) - 2) as place where _how <> 'exact'
      ),
      (
        select string_agg(format(
          '''%1$s~%2$s'' & ''%1$s~%3$s''', _key, substr(edged, place, 3), substr(edged, place + 1, 3)
        ), ' | ')
        from (select ' ' || word || ' ' as edged) as padded, generate_series(1, char_length(word) - 1) as place
        where _how = 'near' and char_length(word) > 3
      )
    ) || ')' end,
    ' & '
  )::tsquery
  from unnest(_words) as word
$$;
comment on function private.search_query(text, text[], text) is
  'What to ask the index for these words of search_text(), or an address: exact (as typed), wide (begun, stemmed, '
  'contained) or near.';
revoke all on function private.search_query from public, anon, authenticated, service_role;

-- Definer: under row level security no text operator may use the index. The owner is compared here instead.
create function public.search_contacts(_query text, _limit integer default 50)
  returns table (
    id uuid, type public.contact_type, name text, company_name text, job_title text, email text, phone text, rank real
  )
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _key text := private.search_key(_user_id);
  _digits text := regexp_replace(_query, '^\s*00|[^0-9]', '', 'g');
  _text text := private.search_text(left(_query, 200));
  _words text[];
begin
  -- A number however it is written; letters in between make it words.
  if _query ~ '^[-+0-9 ()./]+$' and char_length(_digits) between 3 and 20 then
    _text := _digits;
  elsif btrim(_query) ~ '^[^[:space:]@]*@[^[:space:]@]+$' then
    _text := lower(btrim(left(_query, 200)));
  end if;
  _words := (string_to_array(_text, ' '))[1:8];
  if _user_id is null or coalesce(_text, '') = '' then
    return;
  end if;
  return query select * from private.ranked_contacts(_user_id, _words, 'wide', least(_limit, 50000));
  if not found then
    return query select * from private.ranked_contacts(_user_id, _words, 'near', least(_limit, 50000));
  end if;
end
$$;
comment on function public.search_contacts(text, integer) is
  'The caller''s contacts that fit, best first: by words, parts of words, near misses, or digits of a number.';
revoke all on function public.search_contacts from public, anon, authenticated, service_role;
grant execute on function public.search_contacts to authenticated;

create function private.ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer)
  returns table (
    id uuid, type public.contact_type, name text, company_name text, job_title text, email text, phone text, rank real
  )
  language sql stable
  set search_path = ''
as $$
  with queries as materialized (
    select array_to_string(_words, ' ') as typed,
      private.search_query(private.search_key(_user_id), _words, 'exact') as exact,
      private.search_query(private.search_key(_user_id), _words, _how) as wide
  ), candidates as (
    -- A letter or two, or a title that all have, fit thousands: so many are compared, unless more are asked for.
    (
      select contact_id, words, true as is_exact from private.contact_search, queries
      where document @@ exact and user_id = _user_id limit greatest(2000, _limit)
    )
    union all
    (
      select contact_id, words, false from private.contact_search, queries
      where document @@ wide and user_id = _user_id limit greatest(2000, _limit)
    )
  ), best as (
    select contact_id, max(
        extensions.word_similarity(typed, words) + extensions.similarity(typed, words)
        + case when is_exact then 1 else 0 end
        + case when starts_with(words, typed) then 1 when words like '% ' || typed || '%' then 0.5 else 0 end
      )::real as rank
    from candidates, queries
    where _how <> 'near' or extensions.word_similarity(typed, words) >= 0.4
    group by contact_id
    order by rank desc, contact_id
    limit _limit
  )
  select contacts.id, contacts.type, contacts.name, company.name, contacts.job_title::text, (
      select value from public.contact_emails
      where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
      order by is_primary desc, created_at, contact_emails.id limit 1
    ), (
      select value::text from public.contact_phones
      where contact_phones.user_id = _user_id and contact_phones.contact_id = contacts.id
      order by is_primary desc, created_at, contact_phones.id limit 1
    ), best.rank
  from best
  join public.contacts on contacts.user_id = _user_id and contacts.id = best.contact_id
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  order by best.rank desc, contacts.name, contacts.id
$$;
comment on function private.ranked_contacts(uuid, text[], text, integer) is
  'Contacts of one owner that fit these words of search_text(), best first; wide or near as in search_query().';
revoke all on function private.ranked_contacts from public, anon, authenticated, service_role;

create function private.follow_searched_contacts()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.index_contacts(array(select id from changed));
    return null;
  end if;
  -- Never joined: a plan made for one row would compare all people of a company with each other.
  perform private.index_contacts(array(
    select id from (
      select id, name, company_id, job_title, pec, tax_code, vat_number, address, note, merged_into, deleted_at from changed
      except
      select id, name, company_id, job_title, pec, tax_code, vat_number, address, note, merged_into, deleted_at from former
    ) as searched
    union
    -- Who works for a company is found by its name.
    select people.id
    from (select user_id, id, name from changed except select user_id, id, name from former) as renamed
    cross join lateral (
      select contacts.id from public.contacts
      where contacts.user_id = renamed.user_id and contacts.company_id = renamed.id offset 0
    ) as people
  ));
  return null;
end
$$;
comment on function private.follow_searched_contacts() is 'Keeps private.contact_search when contacts change.';
revoke all on function private.follow_searched_contacts from public, anon, authenticated, service_role;

create function private.follow_searched_parts()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.index_contacts(array(select contact_id from changed union select contact_id from former));
  else
    perform private.index_contacts(array(select distinct contact_id from changed));
  end if;
  return null;
end
$$;
comment on function private.follow_searched_parts() is
  'Keeps private.contact_search when addresses, numbers or tags change.';
revoke all on function private.follow_searched_parts from public, anon, authenticated, service_role;

create function private.follow_searched_tags()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.index_contacts(array(
    select contact_id from public.contact_tags where user_id = new.user_id and tag_id = new.id
  ));
  return null;
end
$$;
comment on function private.follow_searched_tags() is 'Keeps private.contact_search when a tag gets another name.';
revoke all on function private.follow_searched_tags from public, anon, authenticated, service_role;

create function private.index_contacts_now(_contacts uuid[])
  returns void
  language sql volatile
  set search_path = ''
  set plan_cache_mode = force_custom_plan
as $$
  delete from private.contact_search using public.contacts
  where contact_id = any (_contacts) and contacts.id = contact_id
    and (contacts.merged_into is not null or contacts.deleted_at is not null);

  insert into private.contact_search (contact_id, user_id, words, document)
  select id, user_id, names, private.search_document(private.search_key(user_id), names, others, prose, emails, numbers)
  from (
    select contacts.id, contacts.user_id,
      coalesce(private.search_text(concat_ws(' ', contacts.name, company.name)), '') as names,
      private.search_text(concat_ws(' ',
        contacts.job_title, contacts.tax_code, 'it' || contacts.vat_number, contacts.address ->> 'city',
        array_to_string(emails, ' '),
        (
          select string_agg(tags.name, ' ') from public.contact_tags join public.tags on tags.id = tag_id
          where contact_tags.user_id = contacts.user_id and contact_id = contacts.id
        )
      )) as others,
      private.search_text(contacts.note) as prose,
      array(
        select substr(norm, 2) from public.contact_phones
        where contact_phones.user_id = contacts.user_id and contact_id = contacts.id
      ) || array_remove(array[
        contacts.vat_number, case when contacts.tax_code ~ '^[0-9]' then contacts.tax_code end
      ], null) as numbers,
      emails
    from public.contacts
    cross join lateral (
      select array(
        select norm from public.contact_emails
        where contact_emails.user_id = contacts.user_id and contact_id = contacts.id
        union
        select lower(contacts.pec) where contacts.pec is not null
      ) as emails
    ) as mail
    left join public.contacts as company on company.user_id = contacts.user_id and company.id = contacts.company_id
    where contacts.id = any (_contacts) and contacts.merged_into is null and contacts.deleted_at is null
  ) as found
  on conflict (contact_id) do update set words = excluded.words, document = excluded.document
$$;
comment on function private.index_contacts_now(uuid[]) is 'Writes anew what these contacts are found by.';
revoke all on function private.index_contacts_now from public, anon, authenticated, service_role;

alter table private.contact_search enable row level security;

revoke all on private.contact_search from public, anon, authenticated, service_role;

create trigger follow_new_search after insert on public.contacts
  referencing new table as changed
  for each statement execute function private.follow_searched_contacts();

create trigger follow_changed_search after update on public.contacts
  referencing new table as changed old table as former
  for each statement execute function private.follow_searched_contacts();

create trigger follow_search after update of name on public.tags
  for each row when (old.name is distinct from new.name) execute function private.follow_searched_tags();

create trigger follow_changed_search
  after UPDATE ON public.contact_emails REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_gone_search
  after DELETE ON public.contact_emails REFERENCING OLD TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_new_search
  after INSERT ON public.contact_emails REFERENCING NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_changed_search
  after UPDATE ON public.contact_phones REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_gone_search
  after DELETE ON public.contact_phones REFERENCING OLD TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_new_search
  after INSERT ON public.contact_phones REFERENCING NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_changed_search
  after UPDATE ON public.contact_tags REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_gone_search
  after DELETE ON public.contact_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

create trigger follow_new_search
  after INSERT ON public.contact_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_parts();

-- What a contact agreed to, and the two rights of everybody whose data is kept: a copy of it, and its erasure.
--
-- Error codes raised:
--   PT404  there is no such contact of the caller (PostgREST answers 404)

create type public.consent_channel as enum ('email', 'telefono', 'whatsapp', 'posta');

create type public.consent_purpose as enum ('servizio', 'marketing', 'profilazione');

create type public.consent_state as enum ('dato', 'negato', 'revocato', 'non_richiesto');

create table public.consents (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  channel public.consent_channel not null,
  purpose public.consent_purpose not null,
  state public.consent_state not null,
  legal_basis public.single_line,
  -- The words the person agreed to.
  wording text,
  -- Where it was given: a form, a call, a paper.
  source public.single_line,
  at timestamptz not null default now(),
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (contact_id, channel, purpose),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint wording_fits check (char_length(wording) between 1 and 5000)
);
comment on table public.consents is 'What a contact allows now, per channel and purpose; written by record_consent() only.';

create table public.consent_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- No reference: the proof outlives the contact, whose id then names nobody.
  contact_id uuid not null,
  channel public.consent_channel not null,
  purpose public.consent_purpose not null,
  state public.consent_state not null,
  legal_basis public.single_line,
  wording text,
  source public.single_line,
  at timestamptz not null default now(),
  created_at timestamptz not null default now(),

  unique (user_id, id)
);
comment on table public.consent_events is
  'Proof of every consent that was given, refused or taken back: only added to. A merge may change whom it is about.';

create index consents_contact on public.consents (user_id, contact_id);

create index consent_events_contact on public.consent_events (user_id, contact_id, at desc);

create function private.refuse_change_of_consent()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- Goes with the account; otherwise only a merge may say that two contacts were one.
  if tg_op = 'DELETE' and not exists (select from auth.users where id = old.user_id) then
    return old;
  end if;
  if tg_op = 'UPDATE' then
    old.contact_id := new.contact_id;
    if new is not distinct from old then
      return new;
    end if;
  end if;
  raise exception 'what was agreed to is never changed' using errcode = '23001';
end
$$;
comment on function private.refuse_change_of_consent() is 'Makes consent_events append-only.';
revoke all on function private.refuse_change_of_consent from public, anon, authenticated, service_role;

-- Definer: what was agreed to changes together with its proof, and nowhere else.
create function public.record_consent(
  _contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state,
  _legal_basis text default null, _wording text default null, _source text default null
)
  returns public.consents
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _consent public.consents;
begin
  -- What was answered to a contact that was merged counts for the one that is left: no refusal is lost.
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  perform from public.contacts where user_id = _user_id and id = _contact_id for no key update;
  select * into _consent from public.consents
  where contact_id = _contact_id and channel = _channel and purpose = _purpose;
  -- The same again, as by a second click, proves nothing new.
  if (_consent.state, _consent.legal_basis::text, _consent.wording, _consent.source::text)
    is not distinct from (_state, _legal_basis, _wording, _source)
  then
    return _consent;
  end if;
  insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, wording, source)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source)
  on conflict (contact_id, channel, purpose) do update
    set state = excluded.state, legal_basis = excluded.legal_basis, wording = excluded.wording,
      source = excluded.source, at = excluded.at
  returning * into _consent;
  insert into public.consent_events (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source, _consent.at);
  return _consent;
end
$$;
comment on function public.record_consent is
  'Writes down what a contact of the caller, or the one it was merged into, allows for a channel and a purpose, with its '
  'proof; PT404 if it is none.';
revoke all on function public.record_consent from public, anon, authenticated, service_role;
grant execute on function public.record_consent to authenticated;

-- Every table that says whose it is takes part by its column contact_id, those of later chapters as well.
create function private.tables_about_contacts()
  returns table (name text, is_erased boolean)
  language sql stable
  set search_path = ''
as $$
  select pg_class.relname::text, exists (
    select from pg_catalog.pg_constraint
    where conrelid = pg_class.oid and contype = 'f' and confdeltype = 'c' and attnum = any (conkey)
  )
  from pg_catalog.pg_class
  join pg_catalog.pg_attribute on attrelid = pg_class.oid and attname = 'contact_id' and not attisdropped
  where relnamespace = 'public'::regnamespace and relkind = 'r'
    and has_table_privilege('authenticated', pg_class.oid, 'select')
  order by relname
$$;
comment on function private.tables_about_contacts() is
  'The tables that browsers read whose rows are about a contact, and whether they go with it.';
revoke all on function private.tables_about_contacts from public, anon, authenticated, service_role;

create function public.export_contact(_contact_id uuid)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _table text;
  _rows jsonb;
  _export jsonb;
begin
  select jsonb_build_object('exported_at', now(), 'contact', to_jsonb(contacts) - array['user_id', 'import_batch_id'],
      'company', (
        select company.name from public.contacts as company
        where company.user_id = _user_id and company.id = contacts.company_id
      ),
      'tags', array(
        select tags.name from public.contact_tags join public.tags on tags.id = tag_id
        where contact_tags.user_id = _user_id and contact_id = _contact_id order by lower(tags.name)
      ),
      -- Who turned out to be the same person.
      'merged', (
        select coalesce(jsonb_agg(to_jsonb(merged) - array['user_id', 'import_batch_id'] order by merged.created_at), '[]')
        from public.contacts as merged where merged.user_id = _user_id and merged.merged_into = _contact_id
      ))
  into _export
  from public.contacts where user_id = _user_id and id = _contact_id;
  if _export is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  for _table in select name from private.tables_about_contacts() where name <> 'contact_tags'
  loop
    execute format(
      'select coalesce(jsonb_agg(to_jsonb(one) - array[''user_id'', ''contact_id''] order by created_at), ''[]'')
       from public.%I as one where user_id = $1 and (contact_id = $2 %s)', _table,
      -- Who is waited for is as much part of a task as whom it is for; what was thrown away is not kept to be read.
      case _table when 'tasks' then 'or waiting_for = $2' when 'notes' then 'and deleted_at is null'
        when 'drafts' then 'and deleted_at is null' end
    ) into _rows using _user_id, _contact_id;
    _export := _export || jsonb_build_object(_table, _rows);
  end loop;
  return _export;
end
$$;
comment on function public.export_contact(uuid) is
  'All that is kept about one contact of the caller, table by table; PT404 if it is none.';
revoke all on function public.export_contact from public, anon, authenticated, service_role;
grant execute on function public.export_contact to authenticated;

create function public.erase_contact(_contact_id uuid)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _table record;
  _rows bigint;
  _erased jsonb := '{}';
  _kept jsonb := '{}';
begin
  perform from public.contacts where user_id = _user_id and id = _contact_id for update;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  for _table in select name, is_erased from private.tables_about_contacts()
  loop
    execute format('select count(*) from public.%I where user_id = $1 and contact_id = $2', _table.name)
      into _rows using _user_id, _contact_id;
    if _rows > 0 and _table.is_erased then
      _erased := _erased || jsonb_build_object(_table.name, _rows);
    elsif _rows > 0 then
      _kept := _kept || jsonb_build_object(_table.name, _rows);
    end if;
  end loop;
  -- That there was a merge stays in the timeline of the other.
  update public.merge_log set loser_name = 'un contatto cancellato', changes = '[]'
  where user_id = _user_id and loser_id = _contact_id;
  delete from public.contacts where user_id = _user_id and id = _contact_id;
  return jsonb_build_object('contact_id', _contact_id, 'erased', _erased, 'kept', _kept);
end
$$;
comment on function public.erase_contact(uuid) is
  'Erases one contact of the caller for good, and what was merged into it; PT404 if it is none. Answers how many rows of '
  'which table went with it, and how many stay without it: the proof of consents, and work such as deals and tasks.';
revoke all on function public.erase_contact from public, anon, authenticated, service_role;
grant execute on function public.erase_contact to authenticated;

alter table public.consents enable row level security;
alter table public.consent_events enable row level security;

create policy "owners read their consents" on public.consents
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their consent events" on public.consent_events
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.consents from public, anon, authenticated, service_role;
grant select on public.consents to authenticated, service_role;

revoke all on public.consent_events from public, anon, authenticated, service_role;
grant select on public.consent_events to authenticated, service_role;

create trigger refuse_change before update or delete on public.consent_events
  for each row execute function private.refuse_change_of_consent();

create trigger refuse_truncation before truncate on public.consent_events
  for each statement execute function private.refuse_change_of_consent();

alter table public.consents replica identity using index consents_user_id_id_key;

-- One contact as a form saves it: with its addresses, numbers, tags and company, all of it or nothing.

-- The form of a contact has its tax regime too.

-- A form that was open in another tab takes nothing back: of a known contact only what `save_contact` is told is written.

-- What the screens of the contacts need: a form that takes nothing back, a search that is filtered with everything it finds.

create view public.contact_list with (security_invoker = on) as
select contacts.id, contacts.user_id, contacts.type, contacts.name, contacts.first_name, contacts.last_name,
  contacts.business_name, contacts.company_id,
  (
    select company.name from public.contacts as company
    where company.user_id = contacts.user_id and company.id = contacts.company_id
      and company.merged_into is null and company.deleted_at is null
  ) as company_name,
  contacts.job_title, contacts.vat_number, contacts.tax_code, contacts.sdi_code, contacts.pec, contacts.regime,
  contacts.address, contacts.website,
  (
    select value from public.contact_emails
    where contact_emails.user_id = contacts.user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, contact_emails.id limit 1
  ) as email,
  (
    select value from public.contact_phones
    where contact_phones.user_id = contacts.user_id and contact_phones.contact_id = contacts.id
    order by is_primary desc, created_at, contact_phones.id limit 1
  )::text as phone,
  array(
    select tags.name::text from public.contact_tags
    join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
    where contact_tags.user_id = contacts.user_id and contact_tags.contact_id = contacts.id
    order by lower(tags.name)
  ) as tags,
  array(
    select tag_id from public.contact_tags
    where contact_tags.user_id = contacts.user_id and contact_tags.contact_id = contacts.id
  ) as tag_ids,
  coalesce((
    select jsonb_object_agg(channel, state) from public.consents
    where consents.user_id = contacts.user_id and consents.contact_id = contacts.id and purpose = 'marketing'
  ), '{}') as consents,
  contacts.origin, contacts.touch_days, contacts.last_interaction_at, contacts.next_touch_at, contacts.snoozed_until,
  contacts.created_at, contacts.updated_at
from public.contacts
where contacts.merged_into is null and contacts.deleted_at is null;
comment on view public.contact_list is
  'Contacts as the list shows them; consents are those to marketing, by channel. Order by name, next_touch_at or '
  'last_interaction_at desc nulls last, then id.';

-- With the rights of the caller, who may not use the schema private: hence one function.
create function public.save_contact(_contact jsonb)
  returns uuid
  language plpgsql
  set search_path = ''
as $$
declare
  _id uuid := coalesce((_contact ->> 'id')::uuid, gen_random_uuid());
  _former public.contacts;
  _row public.contacts;
  _emails jsonb := coalesce(_contact -> 'emails', '[]');
  _phones jsonb := coalesce(_contact -> 'phones', '[]');
  _names text[] := array(select jsonb_array_elements_text(coalesce(_contact -> 'tags', '[]')));
  _before jsonb := coalesce(_contact -> 'former', '{}');
  _had text[];
begin
  select * into _former from public.contacts where id = _id for update;
  if _former.merged_into is not null or _former.deleted_at is not null then
    raise exception 'the contact is merged or in the trash' using errcode = 'PT404';
  end if;
  _row := jsonb_populate_record(_former, _contact);

  -- The company of that name, of several the one it has; it is made when there is none.
  if _contact ? 'company' then
    select id into _row.company_id from public.contacts
    where lower(name) = lower(_contact ->> 'company') and type = 'azienda' and merged_into is null and deleted_at is null
    order by id is distinct from _former.company_id, created_at limit 1;
    if _row.company_id is null and _contact ->> 'company' is not null then
      insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
      returning id into _row.company_id;
    end if;
  end if;

  -- Whoever becomes a company works for nobody, not even for a company of the trash that the form does not show.
  if _row.type = 'azienda' then
    _row.company_id := null;
  end if;

  if _former.id is not null then
    update public.contacts
    set (type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec,
        regime, address, website, touch_days, note)
      = (_row.type, _row.first_name, _row.last_name, _row.business_name, _row.company_id, _row.job_title,
        _row.vat_number, _row.tax_code, _row.sdi_code, _row.pec, _row.regime, _row.address, _row.website,
        _row.touch_days, _row.note)
    where id = _id;
  else
    insert into public.contacts (id, type, first_name, last_name, business_name, company_id, job_title, vat_number,
      tax_code, sdi_code, pec, regime, address, website, touch_days, note)
    values (_id, _row.type, _row.first_name, _row.last_name, _row.business_name, _row.company_id, _row.job_title,
      _row.vat_number, _row.tax_code, _row.sdi_code, _row.pec, _row.regime, _row.address, _row.website,
      _row.touch_days, _row.note);
  end if;

  -- The first of each is the main one. What is kept keeps its label; what is another contact's is refused by its key.
  -- Taken away is only what was in the former list, added only what was not: without one, what the contact has now.
  if _contact ? 'emails' then
    _had := case when _before ? 'emails'
      then array(select lower(value) from jsonb_array_elements_text(_before -> 'emails') as value)
      else array(select norm from public.contact_emails where contact_id = _id) end;
    delete from public.contact_emails
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select lower(value) from jsonb_array_elements_text(_emails) as value));
    update public.contact_emails set is_primary = norm = lower(_emails ->> 0)
    where contact_id = _id and lower(_emails ->> 0) is distinct from lower(_before #>> '{emails,0}') and _emails <> '[]';
    insert into public.contact_emails (contact_id, value, is_primary)
    select distinct on (lower(value)) _id, value, place = 1
    from jsonb_array_elements_text(_emails) with ordinality as typed (value, place)
    where lower(value) <> all (_had)
      and not exists (select from public.contact_emails where contact_id = _id and norm = lower(typed.value))
    order by lower(value), place;
  end if;

  if _contact ? 'phones' then
    _had := case when _before ? 'phones'
      then array(select one ->> 'norm' from jsonb_array_elements(_before -> 'phones') as one)
      else array(select norm from public.contact_phones where contact_id = _id) end;
    delete from public.contact_phones
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select one ->> 'norm' from jsonb_array_elements(_phones) as one));
    update public.contact_phones set is_primary = norm = _phones #>> '{0,norm}'
    where contact_id = _id and _phones #>> '{0,norm}' is distinct from _before #>> '{phones,0,norm}' and _phones <> '[]';
    insert into public.contact_phones (contact_id, value, norm, is_primary)
    select distinct on (one ->> 'norm') _id, one ->> 'value', one ->> 'norm', place = 1
    from jsonb_array_elements(_phones) with ordinality as typed (one, place)
    where one ->> 'norm' <> all (_had)
      and not exists (select from public.contact_phones where contact_id = _id and norm = one ->> 'norm')
    order by one ->> 'norm', place;
  end if;

  if _contact ? 'tags' then
    _had := case when _before ? 'tags'
      then array(select lower(name) from jsonb_array_elements_text(_before -> 'tags') as name)
      else array(
        select lower(name) from public.contact_tags join public.tags on tags.id = tag_id where contact_id = _id
      ) end;
    delete from public.contact_tags using public.tags
    where contact_id = _id and tags.id = tag_id and lower(name) = any (_had)
      and lower(name) <> all (array(select lower(name) from unnest(_names) as name));
    _names := array(select name from unnest(_names) as name where lower(name) <> all (_had));
    insert into public.tags (name) select distinct on (lower(name)) name from unnest(_names) as name
    on conflict (user_id, lower(name)) do nothing;
    insert into public.contact_tags (contact_id, tag_id)
    select _id, id from public.tags
    where user_id = (select auth.uid()) and lower(name) = any (array(select lower(name) from unnest(_names) as name))
    on conflict do nothing;
  end if;
  return _id;
end
$$;
comment on function public.save_contact(jsonb) is 'Adds a contact of the caller, or writes what is said of a known one: its columns, `company` (a name), `emails`, `phones` ({value, norm}) and `tags` (names). What is not said stays as it is; with `former`, an object of these lists as the caller has seen them, so does what came into a list since. Raises 23505 for an address or number of another contact, PT404 for a contact that is merged or in the trash.';
revoke all on function public.save_contact from public, anon, authenticated, service_role;
grant execute on function public.save_contact to authenticated;

create function public.listed_contacts(_query text, _limit integer default 50000)
  returns setof public.contact_list
  language sql stable
  set search_path = ''
as $$
  select contact_list.*
  from public.search_contacts(_query, _limit) as found
  join public.contact_list on contact_list.id = found.id
  order by found.rank desc, contact_list.name, contact_list.id
$$;
comment on function public.listed_contacts(text, integer) is
  'Rows of contact_list that fit, best first: a filter and a limit of the request apply to all of them.';
revoke all on function public.listed_contacts from public, anon, authenticated, service_role;
grant execute on function public.listed_contacts to authenticated;

revoke all on public.contact_list from public, anon, authenticated, service_role;
grant select on public.contact_list to authenticated, service_role;

-- Deals: what may become work, the stages it passes, and how long it stays in each.
--
-- One pipeline per owner, made at first use. A stay in a stage is a row of the log, written by a trigger: from it comes what
-- is usual for this owner («trattativa ferma»: longer in a stage than half as much again as three quarters of the stays).

-- A deal that the assistant moved, and that is taken back, was won or lost when it was, and not when it came back.

create type public.stage_kind as enum ('aperta', 'vinta', 'persa');

create table public.stages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  position integer not null,
  probability smallint not null,
  kind public.stage_kind not null default 'aperta',
  created_at timestamptz not null default now(),

  constraint stages_identity unique (user_id, id),
  -- What is won is certain, what is lost is nothing.
  constraint probability_fits_the_stage check (
    case kind when 'vinta' then probability = 100 when 'persa' then probability = 0 else probability between 0 and 100 end
  )
);
comment on table public.stages is 'The stages of an owner''s one pipeline, in the order of their position.';
comment on column public.stages.probability is 'Per cent of the amount that a deal of this stage counts for.';

create table public.deals (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid,
  title public.single_line not null,
  amount_cents bigint not null default 0,
  currency text not null default 'EUR',
  stage_id uuid not null,
  position text collate "C" not null default 'a0',
  probability smallint,
  expected_close date,
  stage_since timestamptz not null default now(),
  won_at timestamptz,
  lost_at timestamptz,
  lost_reason public.single_line,
  origin public.contact_origin not null default 'manuale',
  import_batch_id uuid,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),

  constraint deals_identity unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint deals_import_fkey foreign key (user_id, import_batch_id)
    references public.import_batches (user_id, id) on delete set null (import_batch_id),
  -- Stages go with their account only: nobody has the right to delete one.
  foreign key (user_id, stage_id) references public.stages (user_id, id) on delete cascade,
  -- A thousand million euro: as a number of a browser it is still exact.
  constraint amount_is_sensible check (amount_cents between 0 and 100000000000),
  constraint currency_is_a_code check (currency ~ '^[A-Z]{3}$'),
  constraint position_is_a_key check (position ~ '^[0-9A-Za-z]{1,100}$'),
  constraint probability_is_a_percentage check (probability between 0 and 100),
  constraint ends_one_way check (won_at is null or lost_at is null),
  constraint only_the_lost_have_a_reason check (lost_reason is null or lost_at is not null)
);
comment on table public.deals is 'What may become work for a client: an amount in a stage of the pipeline.';
comment on column public.deals.position is 'Place among the cards of its stage: a fractional key, compared byte by byte.';
comment on column public.deals.probability is 'The owner''s own guess; null: that of the stage.';
comment on column public.deals.stage_since is 'When it came into its stage; won_at and lost_at follow it, all three by trigger.';
comment on column public.deals.deleted_at is 'In the trash since.';

create table public.deal_stage_log (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  deal_id uuid not null,
  stage_id uuid not null,
  entered_at timestamptz not null,
  left_at timestamptz,
  created_at timestamptz not null default now(),

  foreign key (user_id, deal_id) references public.deals (user_id, id) on delete cascade,
  foreign key (user_id, stage_id) references public.stages (user_id, id) on delete cascade,
  constraint leaves_after_it_entered check (left_at >= entered_at)
);
comment on table public.deal_stage_log is 'Each stay of a deal in a stage, written by trigger; the present one has not been left.';

-- One way to win and one to lose, so that a board knows where its buttons lead.
create unique index stages_ends on public.stages (user_id, kind) where kind <> 'aperta';

-- Serves the board: a column in the order of its cards.
create index deals_board on public.deals (user_id, stage_id, position);

create index deals_contact on public.deals (user_id, contact_id);

create index deals_import on public.deals (user_id, import_batch_id);

create index deal_stage_log_deal on public.deal_stage_log (user_id, deal_id, entered_at);

-- Serves what is usual for a stage.
create index deal_stage_log_stage on public.deal_stage_log (user_id, stage_id);

create unique index deal_stage_log_present on public.deal_stage_log (deal_id) where left_at is null;

create function public.ensure_stages()
  returns setof public.stages
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := auth.uid();
begin
  if not exists (select from public.stages where user_id = _user_id) then
    -- Two tabs at once: the second waits here and finds the stages of the first.
    perform pg_advisory_xact_lock(hashtextextended('stages ' || _user_id, 0));
    insert into public.stages (user_id, name, position, probability, kind)
    select _user_id, name, position, probability, kind::public.stage_kind
    from (values
      ('Contatto', 1, 10, 'aperta'), ('Qualificato', 2, 25, 'aperta'), ('Preventivo', 3, 50, 'aperta'),
      ('Trattativa', 4, 75, 'aperta'), ('Vinta', 5, 100, 'vinta'), ('Persa', 6, 0, 'persa')
    ) as first (name, position, probability, kind)
    where not exists (select from public.stages where user_id = _user_id);
  end if;
  return query select * from public.stages where user_id = _user_id order by position;
end
$$;
comment on function public.ensure_stages() is 'The caller''s stages in their order; the six usual ones are made at the first call.';
revoke all on function public.ensure_stages from public, anon, authenticated, service_role;
grant execute on function public.ensure_stages to authenticated;

create function public.stage_habits()
  returns table (stage_id uuid, usual_days numeric, sample integer)
  language sql stable
  set search_path = ''
as $$
  select stages.id,
    case
      -- Never less than a day: a stage that is passed within an hour would be late at once.
      when count(stays.days) >= 8
        then greatest(1, round((1.5 * percentile_cont(0.75) within group (order by stays.days))::numeric, 1))
      else 14
    end,
    count(stays.days)::integer
  from public.stages
  left join lateral (
    select extract(epoch from left_at - entered_at)::double precision / 86400 as days
    from public.deal_stage_log
    where user_id = stages.user_id and deal_stage_log.stage_id = stages.id and left_at is not null
  ) as stays on true
  where stages.user_id = (select auth.uid()) and stages.kind = 'aperta'
  group by stages.id
$$;
comment on function public.stage_habits() is
  'After how many days in a stage a deal of the caller is late: 1.5 times the third quartile of at least 8 stays, else 14.';
revoke all on function public.stage_habits from public, anon, authenticated, service_role;
grant execute on function public.stage_habits to authenticated;

-- Definer: nobody writes the log by hand. A stay of less than five minutes was a slip of the hand: it leaves no trace, and who
-- takes the card back («Annulla») finds it as old as it was.
create function private.enter_stage()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _kind public.stage_kind;
  _since timestamptz;
begin
  if tg_op = 'UPDATE' then
    if new.stage_id = old.stage_id then
      return new;
    end if;
    if new.stage_since = old.stage_since then
      new.stage_since := now();
    end if;
    if new.stage_since - old.stage_since < interval '5 minutes' then
      delete from public.deal_stage_log where deal_id = new.id and left_at is null;
    else
      update public.deal_stage_log set left_at = new.stage_since where deal_id = new.id and left_at is null;
    end if;
    update public.deal_stage_log set left_at = null
    where id = (
        select id from public.deal_stage_log
        where user_id = new.user_id and deal_id = new.id order by entered_at desc limit 1
      ) and stage_id = new.stage_id
    returning entered_at into _since;
    if found then
      new.stage_since := _since;
    else
      insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
        values (new.user_id, new.id, new.stage_id, new.stage_since);
    end if;
  end if;
  select kind into _kind from public.stages where user_id = new.user_id and id = new.stage_id;
  new.won_at := case when _kind = 'vinta' then new.stage_since end;
  new.lost_at := case when _kind = 'persa' then new.stage_since end;
  new.lost_reason := case when _kind = 'persa' then new.lost_reason end;
  return new;
end
$$;
comment on function private.enter_stage() is 'Keeps stage_since, won_at, lost_at and the log in step with the stage.';
revoke all on function private.enter_stage from public, anon, authenticated, service_role;

create function private.log_first_stage()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
    values (new.user_id, new.id, new.stage_id, new.stage_since);
  return null;
end
$$;
comment on function private.log_first_stage() is 'The stay of a new deal: its row has to be there first.';
revoke all on function private.log_first_stage from public, anon, authenticated, service_role;

-- Definer: since when a deal is in its stage is kept by private.enter_stage, and written by nobody else.
create function public.take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamptz, _lost_reason text)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.deals
  set stage_id = _to, stage_since = coalesce(least(_since, now()), now()), lost_reason = _lost_reason
  where user_id = (select auth.uid()) and id = _deal_id and stage_id = _from and deleted_at is null;
  return found;
end
$$;
comment on function public.take_back_deal(uuid, uuid, uuid, timestamptz, text) is
  'Moves a deal of the caller back into the stage it was in, as long there as it was before; false if it is elsewhere by now.';
revoke all on function public.take_back_deal from public, anon, authenticated, service_role;
grant execute on function public.take_back_deal to authenticated;

alter table public.stages enable row level security;
alter table public.deals enable row level security;
alter table public.deal_stage_log enable row level security;

create policy "owners read their stages" on public.stages
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their stages" on public.stages
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners read their deals" on public.deals
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add deals" on public.deals
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their deals" on public.deals
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their deals" on public.deals
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read the stays of their deals" on public.deal_stage_log
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.stages from public, anon, authenticated, service_role;
grant select on public.stages to authenticated;
grant select, insert, update on public.stages to service_role;
grant update (name, position, probability) on public.stages to authenticated;

revoke all on public.deals from public, anon, authenticated, service_role;
grant select, delete on public.deals to authenticated;
grant select, insert, update, delete on public.deals to service_role;
grant insert (
  id, user_id, contact_id, title, amount_cents, currency, stage_id, position, probability, expected_close,
  lost_reason
) on public.deals to authenticated;
grant update (
  contact_id, title, amount_cents, currency, stage_id, position, probability, expected_close, lost_reason, deleted_at
) on public.deals to authenticated;

revoke all on public.deal_stage_log from public, anon, authenticated, service_role;
grant select on public.deal_stage_log to authenticated, service_role;

create trigger deals_enter_stage
  before insert or update of stage_id on public.deals
  for each row execute function private.enter_stage();

create trigger deals_first_stage
  after insert on public.deals
  for each row execute function private.log_first_stage();

alter table public.deals replica identity using index deals_identity;

-- Tasks and projects: what is to be done, for whom, by when, and what happened to it.
--
-- Every reference names the owner as well, so that no row can point at a stranger's. A task lives on one of two levels.
-- What follows from other columns (completed_at, the day of an all-day task, the next reminder) is written by triggers,
-- whoever writes: the client may leave it out.

-- A skipped date is never told again, steps are added for ever, new tasks have a place of their own, and a series goes on
-- although its next date was thrown away.

create type public.project_status as enum ('attivo', 'in_pausa', 'chiuso');

create type public.task_state as enum ('da_fare', 'in_corso', 'in_attesa', 'fatto');

create type public.task_repeat_from as enum ('scadenza', 'completamento');

create type public.task_event_kind as enum ('creata', 'stato', 'completata', 'riaperta', 'scadenza', 'eliminata', 'ripristinata');

-- In the chapter before the table: its constraint calls it.
create function public.is_rrule(_rrule text)
  returns boolean
  language sql immutable parallel safe
  set search_path = ''
as $$
  select _rrule ~ 'FREQ=' and not (_rrule ~ 'UNTIL=' and _rrule ~ 'COUNT=')
    -- Weeks name days («MO,FR»), months either days («15», «-1») or a first Monday («1MO»); the others follow the date.
    and (_rrule !~ 'BYDAY=' or _rrule ~ 'FREQ=WEEKLY' and _rrule !~ 'BYDAY=[^;]*[0-9]'
      or _rrule ~ 'FREQ=MONTHLY' and _rrule !~ 'BYDAY=([^;]*,)?[A-Z]')
    and (_rrule !~ 'BYMONTHDAY=' or _rrule ~ 'FREQ=MONTHLY' and _rrule !~ 'BYDAY=')
    and (
      select bool_and(part ~ concat(
          '^(FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)|(INTERVAL|COUNT)=[1-9][0-9]{0,2}',
          '|BYDAY=(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)(,(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)){0,34}',
          '|BYMONTHDAY=-?([1-9]|[12][0-9]|3[01])(,-?([1-9]|[12][0-9]|3[01])){0,30}',
          '|UNTIL=2[01][0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]Z?)?)$'
        ))
        and count(*) = count(distinct split_part(part, '=', 1))
      from regexp_split_to_table(_rrule, ';') as part
    )
    and coalesce((
      -- The day of UNTIL exists.
      select substr(day, 7)::integer <= extract(day from
        make_date(left(day, 4)::integer, substr(day, 5, 2)::integer, 1) + interval '1 month - 1 day')
      from substring(_rrule from 'UNTIL=(2[01][0-9]{2}(?:0[1-9]|1[0-2])[0-9]{2})') as day
      where day is not null
    ), true)
$$;
comment on function public.is_rrule(text) is
  'Whether a text is a recurrence we keep: the subset of RFC 5545 with FREQ, INTERVAL, BYDAY, BYMONTHDAY, UNTIL or COUNT.';
revoke all on function public.is_rrule from public, anon, authenticated, service_role;
grant execute on function public.is_rrule to authenticated, service_role;

create table public.projects (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  contact_id uuid,
  color text,
  status public.project_status not null default 'attivo',
  starts_on date,
  due_on date,
  budget_cents bigint,
  note text,
  origin text not null default 'manuale',
  deleted_at timestamptz,
  created_at timestamptz not null default now(),

  -- Also the replica identity: of a deleted row its owner alone is told.
  constraint projects_identity unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint color_is_a_name_or_hex check (color ~ '^(#[0-9a-f]{6}|[a-z][a-z0-9-]{0,19})$'),
  constraint dates_are_in_order check (starts_on <= due_on),
  constraint budget_is_an_amount check (budget_cents between 0 and 100000000000),
  constraint note_fits check (char_length(note) between 1 and 20000),
  constraint origin_is_a_name check (origin ~ '^[a-z_]{1,30}$')
);
comment on table public.projects is 'Work for a client, or of one''s own: what its tasks add up to.';
comment on column public.projects.deleted_at is 'In the trash since; its tasks stay.';

create table public.tasks (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  project_id uuid,
  parent_id uuid,
  title public.single_line not null,
  notes text,
  state public.task_state not null default 'da_fare',
  priority smallint not null default 0,
  due_at timestamptz,
  due_is_allday boolean not null default true,
  someday boolean not null default false,
  remind_at timestamptz[] not null default '{}',
  rrule text,
  repeat_from public.task_repeat_from not null default 'scadenza',
  series_id uuid,
  previous_id uuid,
  contact_id uuid,
  deal_id uuid,
  waiting_for uuid,
  -- The trigger place_task replaces the default by a free position.
  position text collate "C" not null default '!',
  completed_at timestamptz,
  origin text not null default 'manuale',
  deleted_at timestamptz,
  -- What the job has told already, and what it is to tell next; written by triggers only.
  reminded_at timestamptz,
  next_remind_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint tasks_identity unique (user_id, id),
  foreign key (user_id, project_id) references public.projects (user_id, id) on delete set null (project_id),
  foreign key (user_id, parent_id) references public.tasks (user_id, id) on delete cascade,
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  foreign key (user_id, deal_id) references public.deals (user_id, id) on delete set null (deal_id),
  foreign key (user_id, waiting_for) references public.contacts (user_id, id) on delete set null (waiting_for),
  foreign key (user_id, previous_id) references public.tasks (user_id, id) on delete set null (previous_id),
  -- An occurrence has one successor, however often its button is pressed.
  constraint tasks_successor unique (user_id, previous_id),
  constraint notes_fit check (char_length(notes) between 1 and 20000),
  constraint priority_is_a_step check (priority between 0 and 3),
  -- What a walk over the calendar is bounded by.
  constraint due_at_is_in_our_time check (due_at >= '2000-01-01Z' and due_at < '2200-01-01Z'),
  constraint reminders_are_few check (cardinality(remind_at) <= 10 and array_position(remind_at, null) is null),
  constraint rrule_is_one check (char_length(rrule) <= 500 and public.is_rrule(rrule)),
  constraint position_is_a_key check (position ~ '^[!-~]+$' and char_length(position) <= 500),
  constraint done_has_its_time check ((state = 'fatto') = (completed_at is not null)),
  constraint someday_has_no_date check (not someday or due_at is null),
  constraint origin_is_a_name check (origin ~ '^[a-z_]{1,30}$')
);
comment on table public.tasks is 'What is to be done; subtasks are tasks with a parent.';
comment on column public.tasks.due_at is 'When it is due; of an all-day task midnight in Europe/Rome, whatever was written.';
comment on column public.tasks.rrule is 'How it repeats (public.is_rrule), on the clock of Europe/Rome; COUNT is what is left of it.';
comment on column public.tasks.series_id is 'The first task of the series; the same for all that follow.';
comment on column public.tasks.previous_id is 'The occurrence whose completion made this one.';
comment on column public.tasks.deleted_at is 'In the trash since, with its subtasks.';
comment on column public.tasks.updated_at is 'When its content changed last; a new position alone is no change.';
comment on column public.tasks.position is
  'Place in lists ordered by hand: a fractional key, compared byte by byte. Without one a task comes first in its column, '
  'a subtask last.';

create table public.task_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  task_id uuid not null,
  kind public.task_event_kind not null,
  at timestamptz not null default now(),
  data jsonb not null default '{}',
  created_at timestamptz not null default now(),

  foreign key (user_id, task_id) references public.tasks (user_id, id) on delete cascade
);
comment on table public.task_events is 'What happened to a task, written by trigger: data holds from and to.';

-- Serves the list of projects, and that a contact's.
create index projects_by_name on public.projects (user_id, status, name) where deleted_at is null;

create index projects_contact on public.projects (user_id, contact_id);

create index projects_trash on public.projects (deleted_at) where deleted_at is not null;

-- Serves the client, which holds all that is open: `state=neq.fatto&deleted_at=is.null`, by id.
create index tasks_open on public.tasks (user_id, id) where state <> 'fatto' and deleted_at is null;

-- Serves what is due and late, the same by due_at (nulls last) and id.
create index tasks_due on public.tasks (user_id, due_at, id) where state <> 'fatto' and deleted_at is null;

-- Serves a column of the kanban: `state=eq.…&deleted_at=is.null`, by position and id.
create index tasks_board on public.tasks (user_id, state, position, id) where deleted_at is null;

-- Serves the calendar, done or not: `due_at=gte.…&due_at=lt.…&deleted_at=is.null`.
create index tasks_calendar on public.tasks (user_id, due_at) where deleted_at is null;

-- Serves what was done, latest first: `completed_at=gte.…&deleted_at=is.null`.
create index tasks_done on public.tasks (user_id, completed_at desc, id)
  where completed_at is not null and deleted_at is null;

create index tasks_project on public.tasks (user_id, project_id, position);

create index tasks_parent on public.tasks (user_id, parent_id, position);

create index tasks_contact on public.tasks (user_id, contact_id);

create index tasks_deal on public.tasks (user_id, deal_id);

create index tasks_waiting_for on public.tasks (user_id, waiting_for);

create index tasks_series on public.tasks (user_id, series_id) where series_id is not null;

-- Serves the job that reminds, whoever it reminds.
create index tasks_next_remind_at on public.tasks (next_remind_at) where next_remind_at is not null;

-- Serve the purge of the trash.
create index tasks_trash on public.tasks (deleted_at) where deleted_at is not null;

create index task_events_task on public.task_events (user_id, task_id, at);

create function private.keep_task()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _unchanging constant text[] := array['position', 'reminded_at', 'next_remind_at', 'updated_at'];
begin
  if new.due_is_allday then
    new.due_at := date_trunc('day', new.due_at at time zone 'Europe/Rome') at time zone 'Europe/Rome';
  end if;
  new.someday := new.someday and new.due_at is null;
  new.completed_at := case when new.state = 'fatto' then coalesce(new.completed_at, now()) end;
  new.remind_at := array(select distinct moment from unnest(new.remind_at) as moment order by moment);
  if new.rrule is not null then
    new.series_id := coalesce(new.series_id, new.id);
  end if;
  if tg_op = 'INSERT' or old.next_remind_at is null then
    -- A moment that is over when it is chosen, or when the task is opened again, reminds of nothing.
    new.reminded_at := now();
  elsif new.remind_at is distinct from old.remind_at then
    -- One that was chosen before and is over, but not told yet, is told still.
    new.reminded_at := coalesce((
      select min(moment) - interval '1 microsecond' from unnest(new.remind_at) as moment
      where moment = any (old.remind_at) and moment >= old.next_remind_at and moment <= now()
    ), now());
  end if;
  new.next_remind_at := case when new.state <> 'fatto' and new.deleted_at is null then (
    select min(moment) from unnest(new.remind_at) as moment where moment > new.reminded_at
  ) end;
  if tg_op = 'UPDATE' and to_jsonb(new) - _unchanging is distinct from to_jsonb(old) - _unchanging then
    new.updated_at := now();
  end if;
  return new;
end
$$;
comment on function private.keep_task() is 'Writes the columns of a task that follow from others.';
revoke all on function private.keep_task from public, anon, authenticated, service_role;

-- The parent is locked, so that two moves at once cannot make a third level together.
create function private.keep_task_levels()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _grandparent_id uuid;
begin
  if new.parent_id = new.id then
    raise exception 'Un’attività non può stare dentro sé stessa' using errcode = '23514';
  end if;
  select parent_id into _grandparent_id from public.tasks
    where user_id = new.user_id and id = new.parent_id for share;
  if _grandparent_id = new.id then
    raise exception 'Due attività non possono stare una dentro l’altra' using errcode = '23514';
  end if;
  if _grandparent_id is not null
    or exists (select from public.tasks where user_id = new.user_id and parent_id = new.id) then
    raise exception 'Le sottoattività non hanno altre sottoattività: i livelli sono due' using errcode = '23514';
  end if;
  return new;
end
$$;
comment on function private.keep_task_levels() is 'Refuses circles and a third level.';
revoke all on function private.keep_task_levels from public, anon, authenticated, service_role;

create function private.follow_trashed_task()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- What went into the trash with its parent comes back with it; what was there before stays there.
  update public.tasks set deleted_at = new.deleted_at
    where user_id = new.user_id and parent_id = new.id and deleted_at is not distinct from old.deleted_at;
  return null;
end
$$;
comment on function private.follow_trashed_task() is 'Subtasks go into the trash and come back with their parent.';
revoke all on function private.follow_trashed_task from public, anon, authenticated, service_role;

-- Definer: nobody writes history by hand.
create function private.log_task()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.task_events (user_id, task_id, kind) values (new.user_id, new.id, 'creata');
    return null;
  end if;
  insert into public.task_events (user_id, task_id, kind, data)
  select new.user_id, new.id, kind::public.task_event_kind, jsonb_build_object('from', former, 'to', present)
  from (values
    (
      case when new.state = 'fatto' then 'completata' when old.state = 'fatto' then 'riaperta' else 'stato' end,
      to_jsonb(old.state), to_jsonb(new.state)
    ),
    ('scadenza', to_jsonb(old.due_at), to_jsonb(new.due_at)),
    (
      case when new.deleted_at is null then 'ripristinata' else 'eliminata' end,
      to_jsonb(old.deleted_at), to_jsonb(new.deleted_at)
    )
  ) as change (kind, former, present)
  where former is distinct from present;
  return null;
end
$$;
comment on function private.log_task() is 'Writes task_events.';
revoke all on function private.log_task from public, anon, authenticated, service_role;

-- Keys as the browser makes them (npm fractional-indexing): a letter for the number of digits, then the digits.
create function public.position_at(_place integer)
  returns text
  language sql
  immutable parallel safe
  set search_path = ''
as $$
  select chr(case when _place < 0 then 91 - digits else 96 + digits end) || string_agg(
      substr(
        '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
        (case when _place < 0 then 61 - digit else digit end)::integer + 1, 1
      ), '' order by power desc
    )
  from (
    select digits, case when _place < 0 then -1 - _place::bigint else _place end - (62 ^ digits - 62)::bigint / 61 as rest
    from generate_series(5, 1, -1) as digits
  ) as lengths, generate_series(0, digits - 1) as power, lateral (
    select rest / (62 ^ power)::bigint % 62 as digit
  ) as of_power
  where rest >= 0
  group by digits
  order by digits desc
  limit 1
$$;
comment on function public.position_at(integer) is
  'The fractional key of a whole place: 0 is a0, 62 is b00, -1 is Zz. The keys sort as the places do.';
revoke all on function public.position_at from public, anon, authenticated, service_role;
grant execute on function public.position_at to authenticated, service_role;

create function public.place_of(_position text)
  returns integer
  language sql
  immutable parallel safe
  set search_path = ''
as $$
  select case when is_negative then -1 - place else place end
  from (
    select is_negative, digits, (62 ^ digits - 62)::bigint / 61 + sum(
        (62 ^ (digits - nth))::bigint * case when is_negative then 61 - digit else digit end
      ) as place
    from (
      select ascii(_position) < 97 as is_negative,
        case when ascii(_position) < 97 then 91 - ascii(_position) else ascii(_position) - 96 end as digits
    ) as head, generate_series(1, digits) as nth, lateral (
      select strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(_position, nth + 1, 1)) - 1
        as digit
    ) as of_digit
    -- Longer ones are nobody's: there is no place before or after them.
    where digits between 1 and 4 and _position ~ '^[0-9A-Za-z]+$' and char_length(_position) > digits
    group by is_negative, digits
  ) as read
$$;
comment on function public.place_of(text) is
  'The whole place of a fractional key, what follows it left out: a key of the place after sorts after it, of the place '
  'before before it. Null for what is no key.';
revoke all on function public.place_of from public, anon, authenticated, service_role;
grant execute on function public.place_of to authenticated, service_role;

create function private.place_task()
  returns trigger
  language plpgsql
  -- As the owner of the table: under row level security the state is no condition of the index.
  security definer
  set search_path = ''
as $$
begin
  new.position := coalesce(public.position_at(case
    when new.parent_id is null then public.place_of((
      select min(position) from public.tasks
      where user_id = new.user_id and state = new.state and deleted_at is null
    )) - 1
    else public.place_of((
      select max(position) from public.tasks
      where user_id = new.user_id and parent_id = new.parent_id and deleted_at is null
    )) + 1
  end), 'a0');
  return new;
end
$$;
comment on function private.place_task() is
  'Gives a task that is made without a position the first place of its column, a subtask the last of its parent.';
revoke all on function private.place_task from public, anon, authenticated, service_role;

alter table public.projects enable row level security;
alter table public.tasks enable row level security;
alter table public.task_events enable row level security;

create policy "owners read their projects" on public.projects
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add projects" on public.projects
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their projects" on public.projects
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their projects" on public.projects
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their tasks" on public.tasks
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add tasks" on public.tasks
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their tasks" on public.tasks
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their tasks" on public.tasks
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what happened to their tasks" on public.task_events
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.projects from public, anon, authenticated, service_role;
grant select, delete on public.projects to authenticated;
grant select, insert, update, delete on public.projects to service_role;
grant insert (
  id, user_id, name, contact_id, color, status, starts_on, due_on, budget_cents, note, origin
) on public.projects to authenticated;
grant update (
  name, contact_id, color, status, starts_on, due_on, budget_cents, note, deleted_at
) on public.projects to authenticated;

revoke all on public.tasks from public, anon, authenticated, service_role;
grant select, delete on public.tasks to authenticated;
grant select, insert, update, delete on public.tasks to service_role;
grant insert (
  id, user_id, project_id, parent_id, title, notes, state, priority, due_at, due_is_allday, someday, remind_at,
  rrule, repeat_from, series_id, previous_id, contact_id, deal_id, waiting_for, position, completed_at, origin
) on public.tasks to authenticated;
grant update (
  project_id, parent_id, title, notes, state, priority, due_at, due_is_allday, someday, remind_at, rrule,
  repeat_from, contact_id, deal_id, waiting_for, position, completed_at, deleted_at
) on public.tasks to authenticated;

revoke all on public.task_events from public, anon, authenticated, service_role;
grant select on public.task_events to authenticated, service_role;

create trigger keep_task
  before insert or update on public.tasks
  for each row execute function private.keep_task();

create trigger keep_task_levels
  before insert or update of parent_id on public.tasks
  for each row when (new.parent_id is not null) execute function private.keep_task_levels();

create trigger follow_trashed_task
  after update of deleted_at on public.tasks
  for each row when (old.deleted_at is distinct from new.deleted_at and new.parent_id is null)
  execute function private.follow_trashed_task();

create trigger log_task
  after insert or update of state, due_at, deleted_at on public.tasks
  for each row execute function private.log_task();

create trigger place_task before insert on public.tasks
  for each row when (new.position = '!') execute function private.place_task();

alter table public.projects replica identity using index projects_identity;
alter table public.tasks replica identity using index tasks_identity;

-- Recurrence: when a repeating task is due next, and the verbs that finish, reopen, skip and end.
--
-- Reckoned on the wall clock of Europe/Rome, as RFC 5545 does it: nine o'clock stays nine o'clock across daylight saving,
-- and a month without a 31st has no occurrence of «every 31st» (BYMONTHDAY=-1 is the last day of each month). A series
-- is one open task at a time; completing it makes the next one. The verbs act with the rights of their caller.

-- A series of half past two meets the night in which two o'clock is followed by three: that once it is due at half past
-- three (RFC 5545), and on the next day at half past two again. So what follows is reckoned from the hour that the series
-- means, which the occurrence before knows: the task that made this one, or this one before it was skipped.

-- Candidates are made period by period from the start to 41 periods past the moment asked for: within that many years
-- comes every 29 February, and a fifth Monday in a month that has one.
create function public.next_occurrence(
  _rrule text, _start timestamp, _after timestamp, _keeps_month boolean default false
)
  returns table (at timestamp, nth integer)
  language sql stable
  set search_path = ''
as $$
  with rule as (
    select substring(_rrule from 'FREQ=([A-Z]+)') as freq,
      coalesce(substring(_rrule from 'INTERVAL=([0-9]+)'), '1')::integer as step,
      string_to_array(substring(_rrule from 'BYDAY=([^;]+)'), ',') as weekdays,
      string_to_array(substring(_rrule from 'BYMONTHDAY=([^;]+)'), ',') as monthdays,
      substring(_rrule from 'COUNT=([0-9]+)')::integer as total,
      substring(_rrule from 'UNTIL=([0-9]{8})')::date
        + coalesce(substring(_rrule from 'UNTIL=[0-9]{8}T([0-9]{6})')::time, time '24:00' - interval '1 microsecond') as until,
      greatest(_after, _start) as after
  ), periods as (
    select rule.*, case freq
        when 'DAILY' then _start::date + k * step
        when 'WEEKLY' then date_trunc('week', _start)::date + k * step * 7
        else (date_trunc('month', _start) + k * step * case freq when 'YEARLY' then 12 else 1 end * interval '1 month')::date
      end as first
    from rule, generate_series(0, 41 + case freq
        when 'DAILY' then after::date - _start::date
        when 'WEEKLY' then (after::date - _start::date) / 7
        when 'MONTHLY' then (extract(year from age(after, _start)) * 12 + extract(month from age(after, _start)))::integer
        else extract(year from age(after, _start))::integer
      end / step) as k
  ), months as (
    select *, (first + interval '1 month')::date - first as length, extract(day from _start)::integer as start_day from periods
  ), days as (
    select first as day from periods where freq = 'DAILY'
    union
    select first + array_position(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], weekday) - 1
    from periods, unnest(coalesce(
      weekdays, array[(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'])[extract(isodow from _start)::integer]]
    )) as weekday
    where freq = 'WEEKLY'
    union
    select first + case when place < 0 then length + place else place - 1 end
    from months, unnest(coalesce(
      monthdays::integer[], array[case when _keeps_month then least(start_day, length) else start_day end]
    )) as place
    where freq in ('MONTHLY', 'YEARLY') and weekdays is null and abs(place) <= length
    union
    select day from months, unnest(weekdays) as weekday, lateral (
      select first + offset_days as day, row_number() over (order by offset_days) as place,
        row_number() over (order by offset_days desc) as place_from_end
      from generate_series(0, length - 1) as offset_days
      where extract(isodow from first + offset_days)
        = array_position(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], right(weekday, 2))
    ) as named
    where freq = 'MONTHLY'
      and nullif(left(weekday, -2), '')::integer = case when weekday ~ '^-' then -place_from_end else place end
    union
    select _start::date
  ), occurrences as (
    select day + _start::time as at, row_number() over (order by day)::integer as nth from days where day >= _start::date
  )
  select at, nth from occurrences, rule
  where at > after and (total is null or nth <= total) and (
      until is null
      or at <= case when _rrule ~ 'UNTIL=[0-9T]+Z' then until at time zone 'UTC' at time zone 'Europe/Rome' else until end
    )
  order by at limit 1
$$;
comment on function public.next_occurrence is
  'The first occurrence after a moment of a series that starts with `_start`, and its number in it (the start is 1); none '
  'when the series is over. `_keeps_month`: a month too short for the day of the start has its last day instead.';
revoke all on function public.next_occurrence from public, anon, authenticated, service_role;
grant execute on function public.next_occurrence to authenticated;

create function public.shift_moment(_moment timestamptz, _by interval)
  returns timestamptz
  language sql immutable parallel safe
  set search_path = ''
as $$
  select (_moment at time zone 'Europe/Rome' + _by) at time zone 'Europe/Rome'
$$;
comment on function public.shift_moment is 'A moment moved on the wall clock of Europe/Rome; null when either is.';
revoke all on function public.shift_moment from public, anon, authenticated, service_role;
grant execute on function public.shift_moment to authenticated;

create function public.complete_task(_task_id uuid)
  returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  _task public.tasks;
  _next public.tasks;
  _sequel record;
  _remind_at timestamptz[];
begin
  select * into _task from public.tasks where id = _task_id and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if _task.state <> 'fatto' then
    update public.tasks set state = 'fatto'
      where user_id = _task.user_id and (id = _task_id or parent_id = _task_id)
        and state <> 'fatto' and deleted_at is null;
    select * into _sequel from public.task_sequel(_task);
    if found then
      _remind_at := array(
        select moment from unnest(_task.remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      );
      -- The one that was made by an earlier completion and thrown away comes back, with its subtasks.
      update public.tasks
        set deleted_at = null, due_at = _sequel.due_at, due_is_allday = _task.due_is_allday, remind_at = _remind_at,
          rrule = _sequel.rrule
        where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and deleted_at is not null;
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, remind_at,
          rrule, repeat_from, series_id, previous_id, contact_id, deal_id, waiting_for, position, origin)
        values (_task.user_id, _task.project_id, _task.parent_id, _task.title, _task.notes, _task.priority,
          _sequel.due_at, _task.due_is_allday, _remind_at, _sequel.rrule, _task.repeat_from, _task.series_id, _task_id,
          _task.contact_id, _task.deal_id, _task.waiting_for, _task.position, _task.origin)
        on conflict (user_id, previous_id) do nothing
        returning * into _next;
      -- Of a subtask that repeats only the last one: the ones before it are its past.
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, someday,
          remind_at, rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin)
        select user_id, project_id, _next.id, title, notes, priority,
          coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at), due_is_allday, someday, array(
            select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
            where moment is not null
          ), rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin
        from public.tasks
        where user_id = _task.user_id and parent_id = _task_id and deleted_at is null and _next.id is not null
          and not exists (
            select from public.tasks as follower
            where follower.user_id = tasks.user_id and follower.previous_id = tasks.id and follower.deleted_at is null
          );
    end if;
  end if;
  -- The one made now, or by a click before this one.
  select * into _next from public.tasks
    where user_id = _task.user_id and previous_id = _task_id and deleted_at is null;
  return jsonb_build_object('completed', _task_id, 'next', case when found then to_jsonb(_next) end);
end
$$;
comment on function public.complete_task(uuid) is
  'Finishes a task with its open subtasks and makes its next occurrence, subtasks and reminders included. Again it changes '
  'nothing and answers the same. Raises PT404.';
revoke all on function public.complete_task from public, anon, authenticated, service_role;
grant execute on function public.complete_task to authenticated;

create function public.reopen_task(_task_id uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _task public.tasks;
  _removed uuid;
begin
  select * into _task from public.tasks where id = _task_id and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if _task.state = 'fatto' then
    -- Subtasks that were finished with it open again; each is what it was before.
    update public.tasks set state = coalesce((
        select (data ->> 'from')::public.task_state from public.task_events
        where task_events.user_id = tasks.user_id and task_id = tasks.id and kind = 'completata' order by at desc limit 1
      ), 'da_fare')
      where user_id = _task.user_id and state = 'fatto'
        and (id = _task_id or parent_id = _task_id and completed_at = _task.completed_at);
    delete from public.tasks as next
      where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and updated_at = created_at
        and not exists (
          select from public.tasks as child
          where child.user_id = next.user_id and child.parent_id = next.id
            and (child.updated_at > child.created_at or child.created_at > next.created_at)
        )
      returning id into _removed;
  end if;
  return jsonb_build_object('reopened', _task_id, 'removed', _removed);
end
$$;
comment on function public.reopen_task(uuid) is
  'Takes a completion back: the task, the subtasks that went with it, and the next occurrence unless somebody changed it. '
  'Raises PT404.';
revoke all on function public.reopen_task from public, anon, authenticated, service_role;
grant execute on function public.reopen_task to authenticated;

create function public.skip_occurrence(_task_id uuid)
  returns jsonb
  language plpgsql
  set search_path = ''
as $$
declare
  _task public.tasks;
  _sequel record;
begin
  select * into _task from public.tasks
    where id = _task_id and deleted_at is null and state <> 'fatto' and rrule is not null for update;
  if not found then
    raise exception 'Questa attività non si ripete più' using errcode = 'PT404';
  end if;
  select * into _sequel from public.task_sequel(_task, _skips => true);
  if found then
    update public.tasks set due_at = case when id = _task_id then _sequel.due_at
        else coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at) end,
      remind_at = array(
        select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      ),
      rrule = case when id = _task_id then _sequel.rrule else rrule end
      where user_id = _task.user_id and deleted_at is null and (id = _task_id or parent_id = _task_id and state <> 'fatto');
  else
    update public.tasks set deleted_at = now() where id = _task_id;
  end if;
  return jsonb_build_object('skipped', _task_id, 'next', (
    select to_jsonb(tasks) from public.tasks where id = _task_id and deleted_at is null
  ));
end
$$;
comment on function public.skip_occurrence(uuid) is
  'Moves a repeating task to its next date; the last of a series goes into the trash and next is null. Raises PT404.';
revoke all on function public.skip_occurrence from public, anon, authenticated, service_role;
grant execute on function public.skip_occurrence to authenticated;

create function public.stop_series(_task_id uuid)
  returns integer
  language sql volatile
  set search_path = ''
as $$
  with stopped as (
    update public.tasks set rrule = null
    where user_id = (select auth.uid()) and rrule is not null and state <> 'fatto' and series_id = (
        select series_id from public.tasks where user_id = (select auth.uid()) and id = _task_id
      )
    returning id
  )
  select count(*)::integer from stopped
$$;
comment on function public.stop_series(uuid) is
  'Lets the open task of a series stay as its last. Answers how many tasks no longer repeat.';
revoke all on function public.stop_series from public, anon, authenticated, service_role;
grant execute on function public.stop_series to authenticated;

-- Lines of a list that somebody pastes: blank ones, bullets and check boxes are left out.
create function public.add_subtasks(_parent uuid, _titles text[])
  returns setof public.tasks
  language plpgsql
  set search_path = ''
as $$
declare
  _task public.tasks;
  _last text;
begin
  select * into _task from public.tasks where id = _parent and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if cardinality(_titles) > 100 then
    raise exception 'Al massimo 100 sottoattività alla volta' using errcode = '22023';
  end if;
  select max(position) into _last from public.tasks
    where user_id = _task.user_id and parent_id = _parent and deleted_at is null;
  if _last is not null and public.place_of(_last) is null then
    -- No key comes after such a one: all are numbered anew.
    with numbered as (
      update public.tasks set position = public.position_at(place)
      from (
        select id as step_id, row_number() over (order by position, id)::integer - 1 as place
        from public.tasks where user_id = _task.user_id and parent_id = _parent and deleted_at is null
      ) as steps
      where user_id = _task.user_id and id = step_id
      returning position
    )
    select max(position) into _last from numbered;
  end if;
  return query
  insert into public.tasks (user_id, project_id, parent_id, contact_id, deal_id, title, position)
    select _task.user_id, _task.project_id, _parent, _task.contact_id, _task.deal_id, left(title, 200),
      public.position_at(coalesce(public.place_of(_last), -1) + place::integer)
    from unnest(_titles) with ordinality as line (text, place), lateral (
      select btrim(regexp_replace(
        regexp_replace(text, '[[:cntrl:][:space:]]+', ' ', 'g'), '^ ?([-*•–]|[0-9]{1,3}[.)])? ?(\[[ xX]?\])? ', ''
      )) as title
    ) as cleaned
    where title <> ''
    returning *;
end
$$;
comment on function public.add_subtasks(uuid, text[]) is
  'Adds at most 100 subtasks at the end of a task''s, in the order of the titles; answers them. Raises PT404, 22023, 23514.';
revoke all on function public.add_subtasks from public, anon, authenticated, service_role;
grant execute on function public.add_subtasks to authenticated;

create function public.task_wall_clock(_task public.tasks)
  returns timestamp
  language sql stable
  set search_path = ''
as $$
  select coalesce(
    (
      select meant from (
        select (data ->> 'from')::timestamptz as due_at from public.task_events
        where user_id = _task.user_id and task_id = _task.id and kind = 'scadenza'
          and (data ->> 'to')::timestamptz = _task.due_at
        union all
        select due_at from public.tasks where user_id = _task.user_id and id = _task.previous_id
      ) as former, lateral (
        select (_task.due_at at time zone 'Europe/Rome')::date + (former.due_at at time zone 'Europe/Rome')::time as meant
      ) as clock
      -- Another hour that is the same moment: there is one in that night only.
      where meant at time zone 'Europe/Rome' = _task.due_at
      order by meant limit 1
    ),
    _task.due_at at time zone 'Europe/Rome'
  )
$$;
comment on function public.task_wall_clock(public.tasks) is
  'When a task is due on the clock of Europe/Rome; in the night of the spring change the hour that its series means.';
revoke all on function public.task_wall_clock from public, anon, authenticated, service_role;
grant execute on function public.task_wall_clock to authenticated;

create function public.shift_with_task(_task public.tasks, _moment timestamptz, _by interval)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  -- What was put off with the task, as a reminder of its very moment is, comes back with it.
  select public.shift_moment(
    _moment, case when _moment > _task.due_at - late and _moment <= _task.due_at then _by - late else _by end
  )
  from (select (_task.due_at at time zone 'Europe/Rome') - public.task_wall_clock(_task) as late) as spring_night
$$;
comment on function public.shift_with_task(public.tasks, timestamptz, interval) is
  'A moment that goes with a task, moved on the wall clock of Europe/Rome by as much as the task; null when either is.';
revoke all on function public.shift_with_task from public, anon, authenticated, service_role;
grant execute on function public.shift_with_task to authenticated;

create function public.task_sequel(_task public.tasks, _skips boolean default false)
  returns table (due_at timestamptz, shift interval, rrule text)
  language sql
  stable
  set search_path = ''
as $$
  with clock as (
    select now() at time zone 'Europe/Rome' as present, public.task_wall_clock(_task) as due
  ), start as (
    select due, case when _task.due_is_allday then date_trunc('day', present) else present end as present
    from clock
  ), reckoned as (
    select due, present, case
        -- A date that is skipped was not done today: from one that is still to come the next is reckoned.
        when due is not null and (_task.repeat_from = 'scadenza' or _skips and due >= present) then due
        else date_trunc('day', present) + coalesce(due::time, time '00:00')
      end as first
    from start
  )
  select at at time zone 'Europe/Rome', at - due,
    coalesce(
      regexp_replace(
        _task.rrule, 'COUNT=[0-9]+', 'COUNT=' || substring(_task.rrule from 'COUNT=([0-9]+)')::integer - nth + 1
      ),
      _task.rrule
    )
  from reckoned, lateral public.next_occurrence(_task.rrule, first, present, _task.repeat_from = 'completamento')
  where _task.rrule is not null and at < '2200-01-01'
$$;
comment on function public.task_sequel(public.tasks, boolean) is
  'When a repeating task is due next if it is done now (or, with `_skips`, left out), how far that is on the wall clock from '
  'its date, and what is left of its rule. Never past: what was missed is passed over. No row when it does not repeat or '
  'the series is over.';
revoke all on function public.task_sequel from public, anon, authenticated, service_role;
grant execute on function public.task_sequel to authenticated;

-- The calendar feed: an address with a secret, which calendar programs read without signing in (functions/calendar.py).
--
-- Only the secret's digest is kept: who reads the database reads no feed. So a secret is shown once, when it is made.

-- Calendar feeds of accounts that may sign in only, telemetry that cannot fill the disk, and indexes of the retention.

create table private.calendar_feeds (
  user_id uuid primary key references auth.users (id) on delete cascade,
  -- SHA-256; the secret has 244 random bits.
  secret_hash bytea not null unique,
  created_at timestamptz not null default now(),

  constraint secret_hash_is_sha_256 check (octet_length(secret_hash) = 32)
);
comment on table private.calendar_feeds is 'Who has a calendar feed, and the digest of its secret.';

-- Definer, like the others: the table is nobody's to read.
create function public.renew_calendar_secret()
  returns text
  language sql volatile security definer
  set search_path = ''
as $$
  with fresh as (
    select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') as secret
  ), kept as (
    insert into private.calendar_feeds (user_id, secret_hash)
      select (select auth.uid()), sha256(convert_to(secret, 'UTF8')) from fresh
      on conflict (user_id) do update set secret_hash = excluded.secret_hash, created_at = now()
      returning user_id
  )
  select secret from fresh, kept
$$;
comment on function public.renew_calendar_secret() is
  'A new secret for the caller''s calendar feed, to be shown once; the one before it opens nothing any more.';
revoke all on function public.renew_calendar_secret from public, anon, authenticated, service_role;
grant execute on function public.renew_calendar_secret to authenticated;

create function public.calendar_secret()
  returns text
  language sql volatile security definer
  set search_path = ''
as $$
  with fresh as (
    select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') as secret
  ), kept as (
    insert into private.calendar_feeds (user_id, secret_hash)
      select (select auth.uid()), sha256(convert_to(secret, 'UTF8')) from fresh
      on conflict (user_id) do nothing
      returning user_id
  )
  select secret from fresh, kept
$$;
comment on function public.calendar_secret() is
  'Opens the caller''s calendar feed and answers its secret; null when it is open already: the secret was shown then.';
revoke all on function public.calendar_secret from public, anon, authenticated, service_role;
grant execute on function public.calendar_secret to authenticated;

create function public.revoke_calendar_secret()
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with closed as (
    delete from private.calendar_feeds where user_id = (select auth.uid()) returning user_id
  )
  select exists (select from closed)
$$;
comment on function public.revoke_calendar_secret() is 'Closes the caller''s calendar feed; false when there was none.';
revoke all on function public.revoke_calendar_secret from public, anon, authenticated, service_role;
grant execute on function public.revoke_calendar_secret to authenticated;

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
revoke all on function private.calendar_feed_owner from public, anon, authenticated, service_role;
grant execute on function private.calendar_feed_owner to service_role;

alter table private.calendar_feeds enable row level security;

revoke all on private.calendar_feeds from public, anon, authenticated, service_role;
grant select on private.calendar_feeds to service_role;

-- Documents: the files of a person, their pages and words, and the fields that were read out of them.
--
-- The server reads, the owner decides: what a machine found is written by service_role only; the owner changes a name, a
-- note, dates and the contact, and confirms fields through confirm_field(), which remembers what it taught.
--
-- Error codes raised:
--   PT404  there is no such document of the caller (PostgREST answers 404)
--   22023  what was confirmed is no date, or no amount

-- A kind that was chosen is remembered of who issued the paper, as labels are, and never of its owner: what one issues
-- oneself is of any kind, and its counterparty is the customer.

create type public.document_kind as enum (
  'fattura', 'preventivo', 'contratto', 'ricevuta', 'f24', 'durc', 'visura', 'documento_identita', 'altro'
);

create type public.document_state as enum (
  'in_coda', 'lettura', 'ocr', 'analisi', 'pronto', 'da_verificare', 'errore', 'annullato'
);

create type public.document_page_state as enum ('attesa', 'letta', 'errore');

create type public.document_page_source as enum ('testo', 'ocr');

create type public.document_field_source as enum ('testo', 'ocr', 'fatturapa', 'persona');

create table public.documents (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  storage_path text not null,
  filename public.single_line not null,
  mime text,
  bytes bigint,
  sha256 text,
  kind public.document_kind not null default 'altro',
  kind_confidence real,
  kind_rule text,
  kind_by_user boolean not null default false,
  state public.document_state not null default 'in_coda',
  error_code text,
  error text,
  pages integer,
  pages_done integer not null default 0,
  lang text,
  title text,
  contact_id uuid,
  contact_suggestion uuid,
  contact_reason text,
  supplier jsonb,
  issued_on date,
  due_on date,
  total_cents bigint,
  currency text not null default 'EUR',
  note text,
  removed_keys text[] not null default '{}',
  parent_id uuid,
  duplicate_of uuid,
  retention_until date,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- Also the replica identity: of a deleted row its owner alone is told.
  unique (user_id, id),
  unique (user_id, storage_path),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  foreign key (user_id, contact_suggestion) references public.contacts (user_id, id) on delete set null (contact_suggestion),
  foreign key (user_id, parent_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, duplicate_of) references public.documents (user_id, id) on delete set null (duplicate_of),
  constraint it_lies_in_the_folder_of_its_owner check (starts_with(storage_path, user_id::text || '/')),
  constraint nothing_holds_or_repeats_itself check (parent_id <> id and duplicate_of <> id),
  constraint bytes_are_counted check (bytes >= 0),
  constraint sha256_is_hexadecimal check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint kind_confidence_is_a_part check (kind_confidence between 0 and 1),
  constraint error_code_is_a_name check (error_code ~ '^[a-z_]{1,50}$'),
  constraint pages_are_counted check (pages >= 0 and pages_done >= 0 and pages_done <= pages),
  constraint lang_is_a_name check (lang ~ '^[a-z]{2,3}(\+[a-z]{2,3})*$'),
  constraint supplier_is_an_object check (jsonb_typeof(supplier) = 'object'),
  constraint currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  constraint texts_fit check (
    char_length(mime) <= 200 and char_length(title) <= 500 and char_length(kind_rule) <= 500
    and char_length(error) <= 500 and char_length(contact_reason) <= 500
  ),
  constraint note_fits check (char_length(note) between 1 and 20000)
);
comment on table public.documents is 'Files of one owner in the bucket documents, and what was read out of them.';
comment on column public.documents.kind_rule is 'Why it is taken for this kind, in words for its owner.';
comment on column public.documents.kind_by_user is 'Chosen by its owner (set_document_kind): no machine changes it.';
comment on column public.documents.error is 'What went wrong, in words for its owner.';
comment on column public.documents.pages is 'Null while nobody knows how many there are.';
comment on column public.documents.contact_suggestion is 'Who it may be from, while nobody has said so.';
comment on column public.documents.supplier is 'What a contact could be made from: {name, vat_number, tax_code, email}.';
comment on column public.documents.parent_id is 'What it came in: a ZIP, a mail, a signed file or an invoice.';
comment on column public.documents.duplicate_of is 'An older document with the same bytes.';
comment on column public.documents.retention_until is
  'Until when it should be kept: follows retention_of() until its owner says another day; null: until it is deleted.';
comment on column public.documents.deleted_at is 'In the trash since, with what came in it.';
comment on column public.documents.removed_keys is 'Fields that its owner took away: no reading brings them back.';

create table public.document_tags (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  document_id uuid not null,
  tag_id uuid not null,
  created_at timestamptz not null default now(),

  primary key (document_id, tag_id),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, tag_id) references public.tags (user_id, id) on delete cascade
);
comment on table public.document_tags is 'Which document wears which tag.';

create table public.document_pages (
  user_id uuid not null references auth.users (id) on delete cascade,
  document_id uuid not null,
  no integer not null,
  state public.document_page_state not null default 'attesa',
  source public.document_page_source,
  text text not null default '',
  words jsonb not null default '[]',
  width real,
  height real,
  rotation smallint not null default 0,
  confidence real,
  created_at timestamptz not null default now(),

  primary key (document_id, no),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  constraint no_counts_from_one check (no >= 1),
  constraint words_are_a_list check (jsonb_typeof(words) = 'array'),
  constraint rotation_is_a_quarter check (rotation in (0, 90, 180, 270)),
  constraint confidence_is_a_percentage check (confidence between 0 and 100)
);
comment on table public.document_pages is 'The pages of a document, one row each, as far as they were read.';
comment on column public.document_pages.words is
  'What stands where, in reading order: [text, x0, y0, x1, y1, confidence 0..100] in 1/10000 of the page as it is shown.';
comment on column public.document_pages.width is 'In points, as height.';

create table public.document_fields (
  user_id uuid not null references auth.users (id) on delete cascade,
  document_id uuid not null,
  key text not null,
  value text not null,
  confidence real not null,
  page integer,
  box integer[],
  label text,
  source public.document_field_source not null,
  confirmed_at timestamptz,
  created_at timestamptz not null default now(),

  primary key (document_id, key),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  constraint key_is_a_name check (key ~ '^[a-z][a-z0-9_]{0,49}$'),
  constraint value_fits check (value ~ '[^[:space:]]' and char_length(value) <= 1000),
  constraint confidence_is_a_part check (confidence between 0 and 1),
  constraint box_has_four_sides check (cardinality(box) = 4 and array_position(box, null) is null),
  constraint label_fits check (char_length(label) <= 200)
);
comment on table public.document_fields is 'What was read out of a document, with the place where it stands.';
comment on column public.document_fields.value is 'A date is ISO 8601, an amount of money its cents.';
comment on column public.document_fields.label is 'The words beside which the value stands.';

create table public.document_corrections (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  vat_number text not null,
  key text not null,
  label text,
  kind public.document_kind,
  created_at timestamptz not null default now(),

  unique (user_id, vat_number, key),
  constraint it_teaches_something check (label is not null or kind is not null),
  constraint texts_fit check (
    char_length(vat_number) <= 30 and key ~ '^[a-z][a-z0-9_]{0,49}$' and char_length(label) <= 200
  )
);
comment on table public.document_corrections is
  'What an owner''s word taught about a supplier: beside which label a value stands, or (key kind) what its documents are.';

-- Serves the list, newest first, with any filter; and what is due.
create index documents_by_age on public.documents (user_id, created_at desc, id desc) where deleted_at is null;

create index documents_by_kind on public.documents (user_id, kind, created_at desc, id desc) where deleted_at is null;

create index documents_by_due on public.documents (user_id, due_on) where deleted_at is null and due_on is not null;

-- Serves the queue, and counting: without visiting the table.
create index documents_by_state on public.documents (user_id, state, kind) where deleted_at is null;

create index documents_contact on public.documents (user_id, contact_id, created_at desc);

create index documents_contact_suggestion on public.documents (user_id, contact_suggestion);

create index documents_parent on public.documents (user_id, parent_id);

create index documents_duplicate_of on public.documents (user_id, duplicate_of);

create index documents_sha256 on public.documents (user_id, sha256) where sha256 is not null;

-- Serve the trash, and its purge.
create index documents_trash on public.documents (user_id, deleted_at desc, id desc) where deleted_at is not null;

create index documents_purge on public.documents (deleted_at);

-- Serves the sweep, which goes on with what stands still.
create index documents_at_work on public.documents (updated_at) where state in ('in_coda', 'lettura', 'ocr', 'analisi');

create unique index document_tags_identity on public.document_tags (user_id, document_id, tag_id);

create index document_tags_tag on public.document_tags (user_id, tag_id);

create unique index document_pages_identity on public.document_pages (user_id, document_id, no);

create unique index document_fields_identity on public.document_fields (user_id, document_id, key);

create function public.retention_of(_kind public.document_kind)
  returns integer
  language sql immutable parallel safe
  set search_path = ''
as $$
  -- Fiscal papers: art. 22 DPR 600/1973 and art. 2220 of the Civil Code; contracts: the ordinary limitation (art. 2946).
  select case when _kind in ('fattura', 'ricevuta', 'f24', 'contratto') then 10 end
$$;
comment on function public.retention_of(public.document_kind) is
  'For how many years a kind of document is kept, from its date on (else its arrival); null: until it is deleted.';
revoke all on function public.retention_of from public, anon, authenticated, service_role;
grant execute on function public.retention_of to authenticated, service_role;

create function private.retention_end(_document public.documents)
  returns date
  language sql stable
  set search_path = ''
as $$
  select (coalesce(_document.issued_on, (_document.created_at at time zone 'Europe/Rome')::date)
    + make_interval(years => public.retention_of(_document.kind)))::date
$$;
comment on function private.retention_end(public.documents) is 'Until when a document is kept if its owner says nothing.';
revoke all on function private.retention_end from public, anon, authenticated, service_role;

-- Definer: whoever writes a document has no way into this schema.
create function private.keep_document()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    new.retention_until := coalesce(new.retention_until, private.retention_end(new));
    return new;
  end if;
  -- Follows kind and date as long as it is what they say.
  if (new.kind, new.issued_on) is distinct from (old.kind, old.issued_on)
    and new.retention_until is not distinct from old.retention_until
    and old.retention_until is not distinct from private.retention_end(old)
  then
    new.retention_until := private.retention_end(new);
  end if;
  -- The reason may name who was suggested.
  if old.contact_suggestion is not null and new.contact_suggestion is null then
    new.contact_reason := null;
  end if;
  new.updated_at := now();
  return new;
end
$$;
comment on function private.keep_document() is 'Writes the columns of a document that follow from others.';
revoke all on function private.keep_document from public, anon, authenticated, service_role;

create function private.follow_trashed_document()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- What went into the trash with its parent comes back with it; what was there before stays there.
  update public.documents set deleted_at = new.deleted_at
    where user_id = new.user_id and parent_id = new.id and deleted_at is not distinct from old.deleted_at;
  -- So do the reminders of its invoices; what is done is nobody's reminder any more.
  update public.tasks set deleted_at = new.deleted_at
  from public.invoices join public.invoice_schedules as part
    on part.user_id = invoices.user_id and part.invoice_id = invoices.id
  where invoices.user_id = new.user_id and invoices.document_id = new.id
    and tasks.user_id = part.user_id and tasks.id = part.task_id and tasks.state <> 'fatto'
    and tasks.deleted_at is not distinct from old.deleted_at;
  return null;
end
$$;
comment on function private.follow_trashed_document() is
  'What came in a document, and what reminds of its invoices, goes into the trash and comes back with it.';
revoke all on function private.follow_trashed_document from public, anon, authenticated, service_role;

create function private.own_document(_document_id uuid)
  returns public.documents
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _document public.documents;
begin
  select * into _document from public.documents
    where user_id = (select auth.uid()) and id = _document_id and deleted_at is null for update;
  if not found then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  return _document;
end
$$;
comment on function private.own_document(uuid) is 'The caller''s document, locked; PT404 if it is none or in the trash.';
revoke all on function private.own_document from public, anon, authenticated, service_role;

create function private.settle_document(_document_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.documents set state = 'pronto'
  where id = _document_id and state = 'da_verificare' and not exists (
    select from public.document_fields
    where document_fields.user_id = documents.user_id and document_id = _document_id
      and confidence < 0.8 and confirmed_at is null
  )
$$;
comment on function private.settle_document(uuid) is 'Calls a document ready when nothing in it is left to be confirmed.';
revoke all on function private.settle_document from public, anon, authenticated, service_role;
grant execute on function private.settle_document to service_role;

create function private.copy_field(_document_id uuid, _key text, _value text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields jsonb;
  _total_cents bigint;
  -- Whom a paper is about: of one's own it is the customer.
  _places jsonb := '{"supplier": "name", "vat_number": "vat_number", "tax_code": "tax_code", "email": "email"}';
begin
  if _key in ('issued_on', 'due_on') and _value !~ '^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$'
    or _key in ('net', 'vat', 'total', 'due', 'withholding', 'stamp') and _value !~ '^-?[0-9]{1,13}$'
    or _key = 'currency' and _value !~ '^[A-Z]{3}$'
    or _key = 'type_code' and _value !~ '^TD[0-9]{2}$'
  then
    raise exception 'a date is written 2026-01-31, an amount in cents, a currency EUR, a type TD01'
      using errcode = '22023', hint = 'dates are of 1900 to 2199';
  end if;
  select (coalesce(jsonb_object_agg(key, value), '{}') - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _value))
    into _fields
  from public.document_fields where document_id = _document_id;
  _total_cents := private.cents(_fields, 'total');
  if _fields ->> 'type_code' in ('TD04', 'TD08') then
    _total_cents := -abs(_total_cents);
  end if;
  if private.is_of_owner(_fields, (select user_id from public.documents where id = _document_id)) then
    _places := '{"customer": "name", "customer_vat_number": "vat_number", "email": "email"}';
  end if;
  update public.documents
  set issued_on = case when _key = 'issued_on' then _value::date else issued_on end,
    due_on = case when _key = 'due_on' then _value::date else due_on end,
    total_cents = case when _key in ('total', 'type_code') then _total_cents else total_cents end,
    currency = case when _key = 'currency' then coalesce(_value, 'EUR') else currency end,
    supplier = case when not _places ? _key then supplier else nullif(
      jsonb_strip_nulls(coalesce(supplier, '{}') || jsonb_build_object(_places ->> _key, _value)), '{}'
    ) end
  where id = _document_id
    and (_places ? _key or _key in ('issued_on', 'due_on', 'total', 'type_code', 'currency'));
exception
  when datetime_field_overflow then
    raise exception 'there is no such day' using errcode = '22023';
end
$$;
comment on function private.copy_field(uuid, text, text) is 'Writes to a document what a field of it says; null: it says nothing.';
revoke all on function private.copy_field from public, anon, authenticated, service_role;

create function private.learn_field(_document public.documents, _key text, _label text)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.document_corrections (user_id, vat_number, key, label)
  select _document.user_id, vat_number, _key, left(_label, 200)
  from (select private.issuer_number(_document) as vat_number) as issuer
  where char_length(vat_number) <= 30 and _label ~ '[^[:space:]]'
  on conflict (user_id, vat_number, key) do update set label = excluded.label, created_at = now()
$$;
comment on function private.learn_field(public.documents, text, text) is
  'Remembers beside which words the documents of a supplier have a value.';
revoke all on function private.learn_field from public, anon, authenticated, service_role;

-- Definer, like the next one: fields are the server's, but for what their owner says.
create function public.confirm_field(
  _document_id uuid, _key text, _value text, _page integer default null, _box integer[] default null,
  _label text default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _said constant text := nullif(btrim(_value), '');
  _before constant jsonb := (
    select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
    where user_id = _document.user_id and document_id = _document_id
  );
  _field public.document_fields;
begin
  if exists (
    select from public.invoices
    where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa'
  ) then
    raise exception 'an electronic invoice says everything itself' using errcode = 'SC043';
  elsif _said is null and _key in ('number', 'issued_on', 'total') and exists (
    select from public.invoices where user_id = _document.user_id and document_id = _document_id
  ) then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  perform private.copy_field(_document_id, _key, _said);
  if _said is null then
    with gone as (
      delete from public.document_fields
      where user_id = _document.user_id and document_id = _document_id and key = _key
      returning key
    )
    update public.documents set removed_keys = removed_keys || key from gone where id = _document_id;
  else
    update public.documents set removed_keys = array_remove(removed_keys, _key)
    where id = _document_id and _key = any (removed_keys);
    insert into public.document_fields as field
      (user_id, document_id, key, value, confidence, page, box, label, source, confirmed_at)
    values (_document.user_id, _document_id, _key, _said, 1, _page, _box, left(_label, 200), 'persona', now())
    -- Confirmed as it was read it keeps its place; another value stands elsewhere.
    on conflict (document_id, key) do update set
      value = _said, confirmed_at = now(),
      source = case when field.value = _said then field.source else 'persona' end,
      confidence = case when field.value = _said then field.confidence else 1 end,
      page = coalesce(_page, case when field.value = _said then field.page end),
      box = coalesce(_box, case when field.value = _said then field.box end),
      label = coalesce(left(_label, 200), case when field.value = _said then field.label end)
    returning * into _field;
    perform private.learn_field(_document, _key, _field.label);
  end if;
  perform private.turn_document(_document_id, _before);
  perform private.follow_total(_document_id, _before);
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;
comment on function public.confirm_field(uuid, text, text, integer, integer[], text) is
  'Says what a field of the caller''s document holds, and where it stands; null: nothing, whatever is read later. '
  'Remembers it for the supplier, calls the document ready when nothing is left to be confirmed, and registers it again '
  'if it was registered. PT404, SC041, SC043, 22023.';
revoke all on function public.confirm_field from public, anon, authenticated, service_role;
grant execute on function public.confirm_field to authenticated;

create function public.set_document_kind(_document_id uuid, _kind public.document_kind)
  returns void
  language plpgsql volatile
  security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  update public.documents
  set kind = _kind, kind_confidence = 1, kind_rule = 'Scelto da te', kind_by_user = true
  where id = _document_id;
  insert into public.document_corrections (user_id, vat_number, key, kind)
  select _document.user_id, vat_number, 'kind', _kind
  from (
    select private.issuer_number(_document) as vat_number,
      (
        select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
        where user_id = _document.user_id and document_id = _document_id
      ) as fields
  ) as issuer
  where char_length(vat_number) <= 30 and not private.is_of_owner(fields, _document.user_id)
  on conflict (user_id, vat_number, key) do update set kind = excluded.kind, created_at = now();
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;
comment on function public.set_document_kind(uuid, public.document_kind) is
  'Says what kind the caller''s document is; no machine changes it any more, and a scan that is no invoice leaves the '
  'register. PT404.';
revoke all on function public.set_document_kind from public, anon, authenticated, service_role;
grant execute on function public.set_document_kind to authenticated;

create function private.euros(_cents bigint, _currency text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select translate(to_char(_cents / 100.0, 'FM999,999,999,999,990.00'), ',.', '.,') || ' '
    || case _currency when 'EUR' then '€' else _currency end
$$;
comment on function private.euros(bigint, text) is 'An amount as Italians write it: 1.220,00 €.';
revoke all on function private.euros from public, anon, authenticated, service_role;

create function public.document_counts()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with counted as (
    select kind, state, count(*) as times from public.documents
    where user_id = (select auth.uid()) and deleted_at is null group by kind, state
  )
  select jsonb_build_object(
    'kinds', (
      select coalesce(jsonb_object_agg(kind, times), '{}')
      from (select kind, sum(times) as times from counted group by kind) as kinds
    ),
    'states', (
      select coalesce(jsonb_object_agg(state, times), '{}')
      from (select state, sum(times) as times from counted group by state) as states
    ),
    'trash', (select count(*) from public.documents where user_id = (select auth.uid()) and deleted_at is not null)
  )
$$;
comment on function public.document_counts() is
  'How many documents the caller has: {kinds: {kind: n}, states: {state: n}, trash: n}; the first two without the trash.';
revoke all on function public.document_counts from public, anon, authenticated, service_role;
grant execute on function public.document_counts to authenticated;

create function private.issuer_number(_document public.documents)
  returns text
  language sql stable
  set search_path = ''
as $$
  select coalesce(
    (
      select value from public.document_fields
      where user_id = _document.user_id and document_id = _document.id and key = 'vat_number'
    ),
    _document.supplier ->> 'vat_number'
  )
$$;
comment on function private.issuer_number(public.documents) is
  'The VAT number of who issued a document, by which it is told what its owner taught.';
revoke all on function private.issuer_number from public, anon, authenticated, service_role;

create function private.about(_fields jsonb, _user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select nullif(jsonb_strip_nulls(jsonb_build_object('email', _fields -> 'email') || case
    when private.is_of_owner(_fields, _user_id)
      then jsonb_build_object('name', _fields -> 'customer', 'vat_number', _fields -> 'customer_vat_number')
    else jsonb_build_object(
      'name', _fields -> 'supplier', 'vat_number', _fields -> 'vat_number', 'tax_code', _fields -> 'tax_code'
    )
  end), '{}')
$$;
comment on function private.about(jsonb, uuid) is
  'Whom a paper with these fields is about, as documents.supplier keeps it; the same as of_words() in '
  'functions/_shared/documents/conclusions.py.';
revoke all on function private.about from public, anon, authenticated, service_role;

create function private.turn_document(_document_id uuid, _before jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.documents
  set supplier = private.about(said, user_id), contact_suggestion = null, contact_reason = null
  from (
    select coalesce(jsonb_object_agg(key, value), '{}') as said from public.document_fields
    where document_id = _document_id
  ) as now
  where id = _document_id and private.is_of_owner(said, user_id) <> private.is_of_owner(_before, user_id)
$$;
comment on function private.turn_document(uuid, jsonb) is
  'A paper that is not any more of whom it was by its fields of before ({key: value}) is about the other side.';
revoke all on function private.turn_document from public, anon, authenticated, service_role;

create function private.repeat_word(_document_id uuid, _read jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.follow_total(_document_id, _read - array(
    select key from public.document_fields where document_id = _document_id and confirmed_at is not null and key = 'due'
  ));
  perform private.turn_document(_document_id, _read);
  perform private.copy_field(_document_id, key, value)
  from (
    select key, value from public.document_fields where document_id = _document_id and confirmed_at is not null
    union all
    select unnest(removed_keys), null from public.documents where id = _document_id
  ) as said;
end
$$;
comment on function private.repeat_word(uuid, jsonb) is
  'Puts over what was read of a document ({key: value}) what its owner said of it before.';
revoke all on function private.repeat_word from public, anon, authenticated, service_role;
grant execute on function private.repeat_word to service_role;

alter table public.documents enable row level security;
alter table public.document_tags enable row level security;
alter table public.document_pages enable row level security;
alter table public.document_fields enable row level security;
alter table public.document_corrections enable row level security;

create policy "owners read their documents" on public.documents
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their documents" on public.documents
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners empty their trash of documents" on public.documents
  for delete to authenticated
  using (user_id = (select auth.uid()) and deleted_at is not null);

create policy "owners read the tags of their documents" on public.document_tags
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners tag their documents" on public.document_tags
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners take tags off their documents" on public.document_tags
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their pages" on public.document_pages
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their fields" on public.document_fields
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what they taught" on public.document_corrections
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.documents from public, anon, authenticated, service_role;
grant select, delete on public.documents to authenticated;
grant select, insert, update, delete on public.documents to service_role;
grant update (
  filename, contact_id, issued_on, due_on, note, retention_until, deleted_at
) on public.documents to authenticated;

revoke all on public.document_tags from public, anon, authenticated, service_role;
grant select, delete on public.document_tags to authenticated;
grant select, insert, update, delete on public.document_tags to service_role;
grant insert (user_id, document_id, tag_id) on public.document_tags to authenticated;

revoke all on public.document_pages from public, anon, authenticated, service_role;
grant select on public.document_pages to authenticated;
grant select, insert, update, delete on public.document_pages to service_role;

revoke all on public.document_fields from public, anon, authenticated, service_role;
grant select on public.document_fields to authenticated;
grant select, insert, update, delete on public.document_fields to service_role;

revoke all on public.document_corrections from public, anon, authenticated, service_role;
grant select on public.document_corrections to authenticated;
grant select, insert, update, delete on public.document_corrections to service_role;

create trigger keep_document before insert or update on public.documents
  for each row execute function private.keep_document();

create trigger follow_trashed_document after update of deleted_at on public.documents
  for each row when (old.deleted_at is distinct from new.deleted_at)
  execute function private.follow_trashed_document();

alter table public.documents replica identity using index documents_user_id_id_key;
alter table public.document_tags replica identity using index document_tags_identity;
alter table public.document_fields replica identity using index document_fields_identity;

-- One box that finds what stands in documents: by words, their Italian stems, their beginnings, and near misses of a
-- keyboard or of a scanner; and passages that answer a question.
--
-- Each owner has a vocabulary: every word of their pages, with the number of pages that hold it. What was typed becomes words
-- of it (the same, of the same stem, beginning so, or, when there is none, written nearly so), so that a search, its
-- marks and the hits in the viewer cannot disagree. A page is the set of its words, each as a number in which its owner is
-- mixed: the index is as good as one per owner, and costs the same however many others there are.
--
-- Numbers and codes (1.234,50 · 12/2026 · an IBAN) are words without what stands between their digits; they are no part of
-- the vocabulary, for nearly each is new. Words that stand everywhere (Italian stop words) are not kept.
--
-- Page 0 of a document holds what is known about it: its name, kind, contact, tags, fields and note.

create type private.document_term as (
  -- Which of the words that were typed, in turn.
  term integer,
  word text,
  lexeme integer,
  -- How well it fits what was typed, and how much that counts: more the fewer pages hold it.
  factor real,
  weight real,
  pages integer
);

-- What a page is found by now, and was found by before; null: nothing.
create type private.document_change as (document_id uuid, page integer, former text, text text);

create table private.document_words (
  user_id uuid not null references auth.users (id) on delete cascade,
  -- Of no letters: how many pages there are.
  word text collate "C" not null,
  stem text collate "C" not null,
  grams integer[] not null,
  pages integer not null,
  primary key (user_id, word)
)
-- Counting does not touch an index, so that a row may stay where it is.
with (fillfactor = 80);
comment on table private.document_words is 'The words of each owner''s documents, and how many pages hold them; by triggers only.';
comment on column private.document_words.grams is 'Four letters each, mixed with the owner: what near misses share.';

create table private.document_search (
  document_id uuid not null,
  page integer not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  lexemes integer[] not null,
  -- Of page 0, which stands nowhere else.
  text text,
  primary key (document_id, page)
);
comment on table private.document_search is
  'What each page outside of the trash is found by; written by triggers only, which also count its words.';

create index document_words_stem on private.document_words (user_id, stem);

-- Without the list of pending entries, which every search after an upload would read from end to end.
create index document_words_grams on private.document_words using gin (grams) with (fastupdate = off);

create index document_search_lexemes on private.document_search using gin (lexemes) with (fastupdate = off);

create index document_search_user on private.document_search (user_id);

-- Of many at once: a call with a search path of its own costs more than what it computes.
create function private.document_lexemes(_user_id uuid, _words text[])
  returns integer[]
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select array(
    select ('x' || left(md5(_user_id::text || word), 8))::bit(32)::integer
    from unnest(_words) with ordinality as words (word, place) order by place
  )
$$;
comment on function private.document_lexemes(uuid, text[]) is 'The numbers under which words of an owner are kept, in their order.';
revoke all on function private.document_lexemes from public, anon, authenticated, service_role;

create function private.document_grams(_user_id uuid, _word text)
  returns integer[]
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select private.document_lexemes(_user_id, array(
    select '~' || substr(' ' || _word || ' ', place, 4) from generate_series(1, char_length(_word) - 1) as place
  ))
$$;
comment on function private.document_grams(uuid, text) is 'Every four letters of a word and its edges.';
revoke all on function private.document_grams from public, anon, authenticated, service_role;

create function private.joined_lines(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select regexp_replace(_text, E'([[:alpha:]])[-\u00ad\u2010][ \t\r]*\n\\s*(?=[[:lower:]])', '\1', 'g')
$$;
comment on function private.joined_lines(text) is 'A text whose words are not broken at the ends of lines.';
revoke all on function private.joined_lines from public, anon, authenticated, service_role;

create function private.document_codes(_text text)
  returns table (written text, code text)
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select found[1], lower(regexp_replace(found[1], '[^[:alnum:]]', '', 'g'))
  from (
    -- Amounts, dates, numbers of invoices.
    select regexp_matches(_text, '(?<![[:alnum:]])[0-9]+(?:[.,/''’-][0-9]+)+(?![[:alnum:]])', 'g') as found
    union all
    -- An IBAN as it is printed, in fours or by its parts.
    select regexp_matches(_text, '(?<![[:alnum:]])[A-Za-z]{2}[0-9]{2} [A-Za-z0-9]{4}(?: [A-Za-z]?[0-9][A-Za-z0-9]{2,3}){2,6}(?: [A-Za-z0-9]{1,3})?(?![[:alnum:]])', 'g')
    union all
    select regexp_matches(_text, '(?<![[:alnum:]])[A-Za-z]{2} ?[0-9]{2} [A-Za-z] ?[0-9]{5} ?[0-9]{5} ?[A-Za-z0-9]{12}(?![[:alnum:]])', 'g')
    union all
    -- S.r.l.
    select regexp_matches(_text, '(?<![[:alnum:]])[[:alpha:]](?:[.][[:alpha:]]){1,5}(?![[:alnum:]])', 'g')
  ) as codes
$$;
comment on function private.document_codes(text) is 'Numbers and codes with something between their parts, as written and as kept.';
revoke all on function private.document_codes from public, anon, authenticated, service_role;

create function private.content_words(_words text[])
  returns setof text
  language sql stable strict parallel safe
  set search_path = ''
as $$
  select word from unnest(_words) with ordinality as words (word, place)
  where char_length(word) between 2 and 40 and ts_lexize('pg_catalog.italian_stem', word) <> '{}'
  group by word order by min(place)
$$;
comment on function private.content_words(text[]) is 'The words of search_text() that say something, each once: no letter alone, no stop word.';
revoke all on function private.content_words from public, anon, authenticated, service_role;

create function private.text_words(_text text)
  returns setof text
  language sql stable strict
  set search_path = ''
as $$
  with joined as materialized (
    select private.joined_lines(_text) as text
  ), codes as materialized (
    select code from joined, private.document_codes(joined.text)
  ), words as (
    select unnest(string_to_array(private.search_text(joined.text), ' ')) as word from joined
    union
    select code from codes
    union
    -- The whole part of 1.234,50: who types 1234 means it.
    select regexp_replace(split_part(written, ',', 1), '[.]', '', 'g')
    from joined, private.document_codes(joined.text) where written ~ '^[0-9]{1,3}([.][0-9]{3})+,[0-9]{2}$'
  )
  select private.content_words(array(select word from words))
  union
  -- A VAT number with and without its country.
  select substr(word, 3) from words where word ~ '^it[0-9]{11}$'
$$;
comment on function private.text_words(text) is 'The words by which a text is found, each once.';
revoke all on function private.text_words from public, anon, authenticated, service_role;

create function private.query_words(_query text)
  returns setof text
  language sql stable strict
  set search_path = ''
as $$
  with recursive typed as materialized (
    select private.joined_lines(left(_query, 400)) as text
  ), codes as materialized (
    select row_number() over () as place, written, code from typed, private.document_codes(typed.text)
  ), rest (text, place) as (
    select text, 0::bigint from typed
    union all
    -- What was understood as a code is no words as well.
    select replace(rest.text, written, ' '), codes.place from rest join codes on codes.place = rest.place + 1
  )
  select private.content_words(
    array(select code from codes order by place)
    || string_to_array(private.search_text((select text from rest order by place desc limit 1)), ' ')
  ) limit 12
$$;
comment on function private.query_words(text) is 'What is looked for, of a text that was typed: at most twelve words.';
revoke all on function private.query_words from public, anon, authenticated, service_role;

create function private.document_terms(_user_id uuid, _query text)
  returns setof private.document_term
  language sql stable
  set search_path = ''
as $$
  with typed as materialized (
    select row_number() over ()::integer as term, word, word ~ '[0-9]' as is_code,
      (ts_lexize('pg_catalog.italian_stem', word))[1] as stem
    from private.query_words(_query) as word
  ), total as materialized (
    select greatest(coalesce((select pages from private.document_words where user_id = _user_id and word = ''), 0), 1) as pages
  ), known as (
    -- Nobody counts codes: a short one stands on many pages, a long one on few.
    select term, word, 1.0 as factor, case when char_length(word) > 4 then 1 else total.pages / 4 + 1 end as pages
    from typed, total where is_code
    union all
    (
      select typed.term, kept.word, case when kept.word = typed.word then 1.0 else 0.9 end, kept.pages
      from typed, lateral (
        select word, pages from private.document_words
        where user_id = _user_id and document_words.stem = typed.stem and document_words.word <> '' and pages > 0
        order by document_words.word = typed.word desc, pages desc, document_words.word limit 12
      ) as kept
      where not is_code
    )
    union all
    (
      select typed.term, kept.word, 0.8, kept.pages
      from typed, lateral (
        select word, pages from private.document_words
        where user_id = _user_id and document_words.word > typed.word and document_words.word < typed.word || U&'\+10FFFF'
          and pages > 0
        order by pages desc, document_words.word limit 12
      ) as kept
      where not is_code and char_length(typed.word) > 2
    )
  ), found as (
    select * from known
    union all
    (
      select typed.term, kept.word, 0.6 * kept.likeness, kept.pages
      from typed, lateral (
        select word, pages, extensions.similarity(word, typed.word) as likeness from private.document_words
        where user_id = _user_id and grams && private.document_grams(_user_id, typed.word)
          and pages > 0 and abs(char_length(word) - char_length(typed.word)) <= 2 and extensions.similarity(word, typed.word) >= 0.4
        order by likeness desc, pages desc, word limit 6
      ) as kept
      where not is_code and char_length(typed.word) > 3 and not exists (select from known where known.term = typed.term)
    )
  ), best as (
    select term, word, max(factor) as factor, max(pages) as pages from found group by term, word
  )
  select term, word, (private.document_lexemes(_user_id, array[word]))[1], factor::real,
    ln(1 + total.pages / (1.0 + least(total.pages, sum(best.pages) over (partition by term))))::real,
    least(total.pages, sum(best.pages) over (partition by term))::integer
  from best, total
$$;
comment on function private.document_terms(uuid, text) is 'The words of an owner''s pages that fit what was typed, each with its weight.';
revoke all on function private.document_terms from public, anon, authenticated, service_role;

create function private.count_words(_user_id uuid, _gone text[], _come text[])
  returns void
  language plpgsql volatile
  set search_path = ''
  -- Word by word through the key, whatever the statistics say of a vocabulary that is new.
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  -- Letters only: of numbers nearly each is new. One at a time for each owner, whose words they share.
  perform pg_advisory_xact_lock(hashtext('private.document_words'), hashtext(_user_id::text));
  update private.document_words as kept set pages = kept.pages + change.times
  from (
    select word, sum(times)::integer as times
    from (
      select word, -1 as times from unnest(_gone) as word
      union all
      select word, 1 from unnest(_come) as word
    ) as changes
    where word !~ '[0-9]' group by word having sum(times) <> 0
  ) as change
  where kept.user_id = _user_id and kept.word = change.word;
  insert into private.document_words (user_id, word, stem, grams, pages)
  select _user_id, coming.word, coalesce((ts_lexize('pg_catalog.italian_stem', coming.word))[1], ''),
    private.document_grams(_user_id, coming.word), count(*)
  from unnest(_come) as coming (word)
  where coming.word !~ '[0-9]' and not exists (
    select from private.document_words as kept where kept.user_id = _user_id and kept.word = coming.word
  )
  group by coming.word;
end
$$;
comment on function private.count_words(uuid, text[], text[]) is
  'Keeps the vocabulary of an owner: words of pages that are not searched any more, and of new ones, each once a page.';
revoke all on function private.count_words from public, anon, authenticated, service_role;

create function private.forget_words(_users uuid[])
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- While a document is in the trash its words stay: they are costly to write again.
  delete from private.document_words where user_id = any (_users) and pages <= 0
$$;
comment on function private.forget_words(uuid[]) is 'Takes words that no page holds out of vocabularies.';
revoke all on function private.forget_words from public, anon, authenticated, service_role;

create function private.index_texts(_user_id uuid, _changes private.document_change[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _gone text[];
  _come text[];
begin
  select array_agg(word) into _gone
  from unnest(_changes) as change
  join private.document_search as kept on kept.document_id = change.document_id and kept.page = change.page
  cross join lateral (
    select '' as word union all select private.text_words(coalesce(kept.text, change.former))
  ) as words;
  delete from private.document_search as kept using unnest(_changes) as change
  where kept.document_id = change.document_id and kept.page = change.page and change.text is null;
  with coming as materialized (
    select document_id, page, text, array(select private.text_words(change.text)) as words
    from unnest(_changes) as change where text is not null
  ), stored as (
    insert into private.document_search (document_id, page, user_id, lexemes, text)
    select document_id, page, _user_id, private.document_lexemes(_user_id, words || array(
      -- Numbers of a document are found by their beginning.
      select left(word, length) from unnest(words) as word, generate_series(4, char_length(word) - 1) as length
      where page = 0 and word ~ '[0-9]'
    )), case when page = 0 then text end
    from coming
    on conflict (document_id, page) do update set lexemes = excluded.lexemes, text = excluded.text
  )
  select array_agg(word) into _come from coming, unnest(array_append(words, '')) as word;
  -- Once for all: a row that one transaction counts again and again gets slower each time.
  perform private.count_words(_user_id, coalesce(_gone, '{}'), coalesce(_come, '{}'));
end
$$;
comment on function private.index_texts(uuid, private.document_change[]) is
  'Has pages of an owner be found by their texts, and keeps the vocabulary.';
revoke all on function private.index_texts from public, anon, authenticated, service_role;

create function private.document_summary(_document public.documents)
  returns text
  language sql stable
  set search_path = ''
as $$
  select regexp_replace(concat_ws(' · ',
    translate(_document.filename, '_', ' '), _document.title, replace(nullif(_document.kind, 'altro')::text, '_', ' '),
    (select name from public.contacts where user_id = _document.user_id and id = _document.contact_id),
    _document.supplier ->> 'name', _document.supplier ->> 'vat_number', _document.supplier ->> 'tax_code',
    _document.supplier ->> 'email', to_char(_document.issued_on, 'DD/MM/YYYY'),
    private.euros(_document.total_cents, _document.currency),
    (
      select string_agg(tags.name, ' · ' order by tags.name) from public.document_tags
      join public.tags on tags.user_id = document_tags.user_id and tags.id = tag_id
      where document_tags.user_id = _document.user_id and document_id = _document.id
    ),
    (
      select string_agg(value, ' · ' order by key) from public.document_fields
      where user_id = _document.user_id and document_id = _document.id
        and key not in ('issued_on', 'due_on', 'net', 'vat', 'total')
    ),
    _document.note
  ), '\s+', ' ', 'g')
$$;
comment on function private.document_summary(public.documents) is 'What is known about a document, in a line that people can read.';
revoke all on function private.document_summary from public, anon, authenticated, service_role;

create function private.index_documents(_documents uuid[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  -- First the documents, then the words: in this order for everybody.
  perform from public.documents where id = any (_documents) order by id for no key update;
  perform private.index_texts(user_id, array_agg((
    id, 0, null, case when deleted_at is null then private.document_summary(documents) end
  )::private.document_change))
  from public.documents where id = any (_documents) group by user_id;
end
$$;
comment on function private.index_documents(uuid[]) is 'Writes anew what is known about documents; nothing of those in the trash.';
revoke all on function private.index_documents from public, anon, authenticated, service_role;

create function private.index_pages(_changes private.document_change[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  perform from public.documents
  where id in (select document_id from unnest(_changes)) order by id for no key update;
  perform private.index_texts(user_id, array_agg((
    document_id, page, former, case when deleted_at is null then nullif(text, '') end
  )::private.document_change))
  from unnest(_changes) as change join public.documents on documents.id = document_id group by user_id;
end
$$;
comment on function private.index_pages(private.document_change[]) is 'Writes anew what pages are found by; nothing of documents in the trash.';
revoke all on function private.index_pages from public, anon, authenticated, service_role;

create function private.follow_searched_pages()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.index_pages(array(
      select (document_id, no, null, text)::private.document_change from changed where text <> ''
    ));
  elsif tg_op = 'UPDATE' then
    perform private.index_pages(array(
      select (changed.document_id, changed.no, former.text, changed.text)::private.document_change
      from changed join former using (document_id, no) where changed.text <> former.text
    ));
  else
    -- With an account goes its vocabulary.
    perform private.index_texts(user_id, array_agg((document_id, no, text, null)::private.document_change))
    from changed where exists (select from auth.users where users.id = changed.user_id) group by user_id;
    perform private.forget_words(array(select distinct user_id from changed));
  end if;
  return null;
end
$$;
comment on function private.follow_searched_pages() is 'Keeps what pages are found by when they are read, read anew, or deleted.';
revoke all on function private.follow_searched_pages from public, anon, authenticated, service_role;

create function private.follow_searched_documents()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.index_texts(user_id, array_agg((id, 0, null, null)::private.document_change))
    from changed where exists (select from auth.users where users.id = changed.user_id) group by user_id;
    perform private.forget_words(array(select distinct user_id from changed));
    return null;
  elsif tg_op = 'INSERT' then
    perform private.index_documents(array(select id from changed));
    return null;
  end if;
  perform private.index_documents(array(
    select changed.id from changed join former using (id)
    where (changed.filename, changed.title, changed.kind, changed.contact_id, changed.supplier, changed.issued_on,
        changed.total_cents, changed.currency, changed.note, changed.deleted_at)
      is distinct from (former.filename, former.title, former.kind, former.contact_id, former.supplier,
        former.issued_on, former.total_cents, former.currency, former.note, former.deleted_at)
  ));
  -- The trash is not searched.
  perform private.index_pages(array(
    select (document_id, no, text, text)::private.document_change
    from changed join former using (id)
    join public.document_pages on document_pages.user_id = changed.user_id and document_id = changed.id
    where (changed.deleted_at is null) <> (former.deleted_at is null)
  ));
  return null;
end
$$;
comment on function private.follow_searched_documents() is 'Keeps what documents are found by when they change, and takes them out of the trash or into it.';
revoke all on function private.follow_searched_documents from public, anon, authenticated, service_role;

create function private.follow_searched_facts()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.index_documents(array(select distinct document_id from changed));
  return null;
end
$$;
comment on function private.follow_searched_facts() is 'Keeps what documents are found by when their fields or tags change.';
revoke all on function private.follow_searched_facts from public, anon, authenticated, service_role;

create function private.follow_named_documents()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_table_name = 'contacts' then
    perform private.index_documents(array(
      select id from public.documents where user_id = new.user_id and contact_id = new.id
    ));
  else
    perform private.index_documents(array(
      select document_id from public.document_tags where user_id = new.user_id and tag_id = new.id
    ));
  end if;
  return null;
end
$$;
comment on function private.follow_named_documents() is 'Keeps what documents are found by when a contact or a tag gets another name.';
revoke all on function private.follow_named_documents from public, anon, authenticated, service_role;

create function private.words_pattern(_words text[])
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Words of search_text() are letters and digits; a code may be written with something between its parts.
  select '(?<![[:alnum:]])(?:' || string_agg(
    case when word ~ '^[0-9]{11}$' then '(?:it)?' else '' end
    || case when word ~ '[0-9]' and char_length(word) > 3
      then regexp_replace(left(word, -1), '(.)', E'\\1[ .,/''\u2019-]?', 'g') || right(word, 1)
      else replace(replace(replace(replace(replace(replace(replace(
        -- S.r.l.
        case when char_length(word) < 7 then regexp_replace(word, '(.)(?=.)', '\1[.]?', 'g') else word end,
        'a', '[aàáâãäåÀÁÂÃÄÅ]'), 'e', '[eèéêëÈÉÊË]'), 'i', '[iìíîïÌÍÎÏ]'), 'o', '[oòóôõöÒÓÔÕÖ]'),
        'u', '[uùúûüÙÚÛÜ]'), 'c', '[cçÇ]'), 'n', '[nñÑ]')
    end, '|' order by char_length(word) desc, word
  ) || ')(?![[:alnum:]])'
  from unnest(_words) as word
$$;
comment on function private.words_pattern(text[]) is 'A regular expression (flag i) that finds these words as they may be written.';
revoke all on function private.words_pattern from public, anon, authenticated, service_role;

create function private.places(_line text, _pattern text)
  returns table (first integer, last integer)
  language sql immutable
  set search_path = ''
as $$
  -- Each match between two signs that no text of ours holds.
  select first, first + strpos(part, E'\x02') - 2
  from (
    select part, place, (sum(char_length(part)) over (order by place) - char_length(part) - greatest(place - 2, 0) + 1)::integer as first
    from unnest(string_to_array(regexp_replace(_line, '(' || _pattern || ')', E'\x01\\1\x02', 'gi'), E'\x01'))
      with ordinality as parts (part, place)
  ) as parts
  where place > 1
$$;
comment on function private.places(text, text) is 'From which character to which the matches of a pattern stand in a line without control characters.';
revoke all on function private.places from public, anon, authenticated, service_role;

create function private.plain_line(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- A character beyond the first plane counts twice in a browser; a sign of one takes its place.
  select regexp_replace(
    regexp_replace(private.joined_lines(_text), '[[:space:][:cntrl:]]+', ' ', 'g'),
    E'[\\U00010000-\\U0010FFFF]', E'\u25a1', 'g'
  )
$$;
comment on function private.plain_line(text) is 'A text as one line, words that were broken at an end of a line in one piece.';
revoke all on function private.plain_line from public, anon, authenticated, service_role;

create function private.page_snippet(_text text, _patterns text[])
  returns table (snippet text, marks integer[])
  language plpgsql immutable
  set search_path = ''
as $$
declare
  _pattern text;
  _at integer := 0;
begin
  foreach _pattern in array _patterns loop
    _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
    exit when _at > 0;
  end loop;
  if _at = 0 then
    -- Perhaps it is broken at the end of a line.
    _text := private.plain_line(_text);
    foreach _pattern in array _patterns loop
      _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
      exit when _at > 0;
    end loop;
  end if;
  snippet := private.plain_line(substr(_text, greatest(_at - 80, 1), 280));
  if _at > 81 then
    snippet := '…' || regexp_replace(snippet, '^\S*\s', '');
  end if;
  if char_length(_text) > greatest(_at - 80, 1) + 279 then
    snippet := regexp_replace(snippet, '\s\S*$', '') || '…';
  end if;
  snippet := btrim(snippet);
  marks := array(
    select unnest(array[first - 1, last])
    from private.places(snippet, array_to_string(_patterns, '|')) order by first
  );
  return next;
end
$$;
comment on function private.page_snippet(text, text[]) is
  'A sentence or two around the first match, of the first pattern that has one, and where all matches begin and end in it.';
revoke all on function private.page_snippet from public, anon, authenticated, service_role;

create function private.page_line(_words jsonb, _text text)
  returns table (line text, starts integer[])
  language sql immutable
  set search_path = ''
as $$
  with listed as (
    select place, coalesce(one ->> 0, '') as word from jsonb_array_elements(_words) with ordinality as given (one, place)
    union all
    -- Without boxes the words are those of the text.
    select place, word
    from string_to_table(regexp_replace(btrim(_text), '\s+', ' ', 'g'), ' ') with ordinality as given (word, place)
    where _words = '[]'
  ), pieces as (
    select place, case
        when word ~ E'[[:alpha:]][-\u00ad\u2010]$' and lead(word) over (order by place) ~ '^[[:lower:]]' then left(word, -1)
        else word || ' '
      end as piece
    from (
      select place, case when word ~ '[[:space:][:cntrl:]]' then regexp_replace(word, '[[:space:][:cntrl:]]', ' ', 'g') else word end
        as word from listed
    ) as clean
  )
  select string_agg(piece, '' order by place), array_agg(start order by place)
  from (
    select *, (sum(char_length(piece)) over (order by place rows unbounded preceding) - char_length(piece) + 1)::integer as start
    from pieces
  ) as placed
$$;
comment on function private.page_line(jsonb, text) is
  'The words of a page as one line, what was broken in one piece, and with which character each word begins.';
revoke all on function private.page_line from public, anon, authenticated, service_role;

create function private.ranked_pages(_user_id uuid, _terms private.document_term[], _documents uuid[], _most integer)
  returns table (document_id uuid, page integer, terms integer[], score real)
  language plpgsql stable
  set search_path = ''
  -- There is one way to find words, whatever the statistics say.
  set enable_seqscan = off
as $$
declare
  _term record;
  _conditions text[];
  _found tid[];
  _more tid[];
  _ask constant text := 'select array(select ctid from private.document_search where %s and user_id = $1
    and ($2 is null or document_id = any ($2)) limit %s)';
begin
  select array_agg(format('lexemes && %L::integer[]', lexemes)) into _conditions
  from (select array_agg(lexeme) as lexemes from unnest(_terms) group by term) as asked;
  -- Pages that hold everything; then by the rarest words, until there are enough to compare.
  execute format(_ask, array_to_string(_conditions, ' and '), _most) into _found using _user_id, _documents;
  for _term in
    select array_agg(lexeme) as lexemes, min(pages) as pages from unnest(_terms) group by term order by min(pages), term
  loop
    exit when cardinality(_conditions) = 1 or cardinality(_found) >= 2 * _most
      or _term.pages > 5000 and cardinality(_found) >= _most / 4;
    execute format(_ask, format('lexemes && %L::integer[]', _term.lexemes), _most) into _more using _user_id, _documents;
    _found := _found || _more;
  end loop;
  return query
    select searched.document_id, searched.page, fit.terms, fit.score
    from private.document_search as searched
    cross join lateral (
      select array_agg(term) as terms, sum(best)::real as score
      from (
        select term, max(factor * weight) as best from unnest(_terms) where lexeme = any (searched.lexemes) group by term
      ) as one
    ) as fit
    where searched.ctid = any (_found);
end
$$;
comment on function private.ranked_pages(uuid, private.document_term[], uuid[], integer) is
  'Pages of an owner that hold most of what counts most, among so many that were found; of these documents only, if told.';
revoke all on function private.ranked_pages from public, anon, authenticated, service_role;

create function private.fitting_documents(_user_id uuid, _filter jsonb, _among uuid[])
  returns setof uuid
  language plpgsql stable
  set search_path = ''
  -- What is not asked for costs nothing.
  set plan_cache_mode = force_custom_plan
as $$
declare
  _kind constant public.document_kind := _filter ->> 'kind';
  _state constant public.document_state := _filter ->> 'state';
  _contact_id constant uuid := _filter ->> 'contact_id';
  _tag_id constant uuid := _filter ->> 'tag_id';
  _document_id constant uuid := _filter ->> 'document_id';
  _from constant date := _filter ->> 'from';
  _to constant date := _filter ->> 'to';
begin
  return query
    select id from public.documents
    where user_id = _user_id and deleted_at is null
      and (_among is null or id = any (_among))
      and (_kind is null or kind = _kind)
      and (_state is null or state = _state)
      and (_contact_id is null or contact_id = _contact_id)
      and (_document_id is null or id = _document_id)
      and (_tag_id is null or id in (
        select document_id from public.document_tags where document_tags.user_id = _user_id and tag_id = _tag_id
      ))
      and (_from is null or coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) >= _from)
      and (_to is null or coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) <= _to);
end
$$;
comment on function private.fitting_documents(uuid, jsonb, uuid[]) is
  'Documents of an owner outside of the trash (among these, if told) of a kind, state, contact, tag, period, or this one: '
  '{kind, state, contact_id, tag_id, from, to, document_id}.';
revoke all on function private.fitting_documents from public, anon, authenticated, service_role;

create function private.few_documents(_user_id uuid, _filter jsonb)
  returns uuid[]
  language plpgsql stable
  set search_path = ''
as $$
declare
  _ids uuid[];
begin
  if jsonb_strip_nulls(_filter) <> '{}' then
    _ids := array(select private.fitting_documents(_user_id, _filter, null));
  end if;
  -- Where nearly everything fits, what does not is left out afterwards.
  return case when cardinality(_ids) <= 5000 then _ids end;
end
$$;
comment on function private.few_documents(uuid, jsonb) is 'The documents that fit a filter, if they are few; null: look at all.';
revoke all on function private.few_documents from public, anon, authenticated, service_role;

create function private.term_patterns(_terms private.document_term[])
  returns text[]
  language sql stable
  set search_path = ''
as $$
  select array_agg(pattern order by weight desc, term)
  from (
    select term, max(weight) as weight, private.words_pattern(array_agg(word)) as pattern from unnest(_terms) group by term
  ) as patterns
$$;
comment on function private.term_patterns(private.document_term[]) is 'How to find each of what was typed in a text, the rarest first.';
revoke all on function private.term_patterns from public, anon, authenticated, service_role;

-- Definer: under row level security the index is not used. The owner is compared here instead.
create function public.search_documents(_query text, _limit integer default 50, _filter jsonb default '{}')
  returns table (
    document_id uuid, filename text, kind public.document_kind, page integer, snippet text, marks integer[], rank real
  )
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _terms constant private.document_term[] := array(select fit from private.document_terms(_user_id, _query) as fit);
  _patterns constant text[] := private.term_patterns(_terms);
begin
  if _user_id is null or _patterns is null then
    return;
  end if;
  return query
    with ranked as materialized (
      select * from private.ranked_pages(_user_id, _terms, private.few_documents(_user_id, _filter), 300)
    ), scored as (
      select documents.id, documents.filename, documents.kind, documents.created_at, ranked.page,
        -- What is known about the document counts for each of its pages.
        (ranked.score + coalesce(0.6 * (
          select sum(weight) from (select distinct term, weight from unnest(_terms)) as asked
          where term = any (known.terms) and term <> all (ranked.terms)
        ), 0))::real as score
      from ranked
      join public.documents on documents.user_id = _user_id and documents.id = ranked.document_id
      left join ranked as known on known.document_id = ranked.document_id and known.page = 0
      where documents.id in (
        select private.fitting_documents(_user_id, _filter, array(select distinct ranked.document_id from ranked))
      )
    ), best as (
      select *, row_number() over (partition by id order by score desc, scored.page = 0, scored.page) as place from scored
    ), shown as (
      select * from best where place <= 3
      order by place, score desc, created_at desc, id, best.page limit least(greatest(_limit, 0), 200)
    )
    select shown.id, shown.filename::text, shown.kind, nullif(shown.page, 0), cut.snippet, cut.marks, shown.score
    from shown
    cross join lateral private.page_snippet(coalesce(
      (select text from private.document_search where document_search.document_id = shown.id and shown.page = 0
        and document_search.page = 0),
      (select text from public.document_pages where document_pages.document_id = shown.id and no = shown.page), ''
    ), _patterns) as cut
    order by shown.place, shown.score desc, shown.created_at desc, shown.id, shown.page;
end
$$;
comment on function public.search_documents(text, integer, jsonb) is
  'Pages of the caller''s documents that fit, the best of each document first, three of one at most; page null: what is known '
  'about the document. Marks are pairs (begin, end) in the snippet. Filter: {kind, contact_id, tag_id, state, from, to, document_id}.';
revoke all on function public.search_documents from public, anon, authenticated, service_role;
grant execute on function public.search_documents to authenticated;

create function public.document_hits(_document_id uuid, _query text)
  returns table (page integer, word_from integer, word_to integer, box integer[])
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _terms constant private.document_term[] := array(select fit from private.document_terms(_user_id, _query) as fit);
  _pattern constant text := array_to_string(private.term_patterns(_terms), '|');
  _page record;
  _left integer := 500;
  _hits bigint;
begin
  for _page in
    select no, words, text
    from public.document_pages
    where document_pages.user_id = _user_id and document_pages.document_id = _document_id and exists (
      select from private.document_search
      where document_search.document_id = _document_id and document_search.page = no
        and lexemes && array(select lexeme from unnest(_terms))
    )
    order by no
  loop
    return query
      select _page.no, hit.word_from, hit.word_to, (
        select array[min((one ->> 1)::integer), min((one ->> 2)::integer), max((one ->> 3)::integer), max((one ->> 4)::integer)]
        from generate_series(hit.word_from, hit.word_to) as place, lateral (select _page.words -> place as one) as word
        having min((one ->> 1)::integer) is not null
      )
      from (
        select width_bucket(first, starts) - 1 as word_from, width_bucket(last, starts) - 1 as word_to
        from private.page_line(_page.words, _page.text) as on_page, private.places(line, _pattern) order by 1
      ) as hit
      limit _left;
    get diagnostics _hits = row_count;
    _left := _left - _hits;
    exit when _left = 0;
  end loop;
end
$$;
comment on function public.document_hits(uuid, text) is
  'Where what search_documents() finds stands in one document of the caller, in reading order, five hundred places at most: '
  'words by their place in document_pages.words, from 0.';
revoke all on function public.document_hits from public, anon, authenticated, service_role;
grant execute on function public.document_hits to authenticated;

create function private.best_passage(_line text, _starts integer[], _terms private.document_term[])
  returns table (word_from integer, word_to integer, score real)
  language sql stable
  set search_path = ''
as $$
  with hits as materialized (
    select term, weight, first, last
    from (
      select term, max(weight * factor) as weight, private.words_pattern(array_agg(word)) as pattern
      from unnest(_terms) group by term
    ) as asked, private.places(_line, pattern)
  ), windows as (
    -- From each hit on, what else stands within two hundred characters: each word counts once.
    select hits.first, max(near.last) as last, sum(near.weight) as score
    from hits, lateral (
      select distinct on (term) term, weight, last from hits as other
      where other.first between hits.first and hits.first + 200 order by term, other.first
    ) as near
    group by hits.first
  ), densest as (
    select first, last, score from windows order by score desc, last - first, first limit 1
  ), sentence as (
    -- From the end of the sentence before to the end of its own, as far as they are near.
    select greatest(first - 120, 1, coalesce((
        select max(ends.last) + 1 from private.places(left(_line, densest.first - 1), '[.!?;](?=\s)') as ends
      ), 1)) as first,
      least(last + 140, char_length(_line), coalesce((
        select min(ends.first) + densest.last from private.places(substr(_line, densest.last + 1), '[.!?;](?=\s|$)') as ends
      ), char_length(_line))) as last, score
    from densest
  )
  select width_bucket(first + case when substr(_line, first, 1) = ' ' then 1 else 0 end, _starts) - 1,
    width_bucket(last, _starts) - 1, score::real
  from sentence
$$;
comment on function private.best_passage(text, integer[], private.document_term[]) is
  'The one or few sentences of a page in which most of what was asked stands closest together.';
revoke all on function private.best_passage from public, anon, authenticated, service_role;

create function public.ask_documents(_question text, _document_id uuid default null, _limit integer default 5)
  returns table (
    document_id uuid, filename text, page integer, quote text, word_from integer, word_to integer, rank real
  )
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  -- What questions are made of says nothing of what they ask for.
  _asked text := regexp_replace(private.search_text(left(_question, 400)), concat(
    '\m(quando|cosa|qual|quali|devo|deve|devono|dobbiamo|posso|puo|possiamo|vorrei|voglio|dimmi|mostra|mostrami|trova|',
    'trovami|sai|sapere|esiste|ce|va|vanno|ho|fare|fatto|documento|documenti)\M'
  ), ' ', 'g');
  _terms private.document_term[];
  _filter constant jsonb := jsonb_strip_nulls(jsonb_build_object('document_id', _document_id));
  _whole real;
begin
  if _question ~ '[0-9]' then
    -- Codes are read as they were typed.
    _asked := _question;
  end if;
  _terms := array(select fit from private.document_terms(_user_id, _asked) as fit);
  -- A word that no page holds was asked for as well, and is as rare as can be.
  select sum(weight) + (cardinality(array(select private.query_words(_asked))) - count(*)) * ln(1 + coalesce((
      select pages from private.document_words where user_id = _user_id and word = ''
    ), 0))
  into _whole
  from (select term, max(weight) as weight from unnest(_terms) group by term) as asked;
  if _user_id is null or _whole is null then
    return;
  end if;
  return query
    with ranked as materialized (
      select * from private.ranked_pages(_user_id, _terms, private.few_documents(_user_id, _filter), 300)
    )
    select documents.id, documents.filename::text, best.no, btrim(substr(
        on_page.line, on_page.starts[passage.word_from + 1],
        coalesce(on_page.starts[passage.word_to + 2], char_length(on_page.line) + 1) - on_page.starts[passage.word_from + 1]
      )), passage.word_from, passage.word_to, passage.score
    from (
      select document_pages.*
      from ranked join public.document_pages on document_pages.document_id = ranked.document_id and no = ranked.page
      where ranked.document_id in (
        select private.fitting_documents(_user_id, _filter, array(select distinct ranked.document_id from ranked))
      )
      order by ranked.score desc, document_pages.document_id, no limit 20
    ) as best
    join public.documents on documents.user_id = _user_id and documents.id = best.document_id
    cross join lateral private.page_line(best.words, best.text) as on_page
    cross join lateral private.best_passage(on_page.line, on_page.starts, _terms) as passage
    where passage.score >= _whole / 5
    order by passage.score desc, documents.created_at desc, best.no limit least(greatest(_limit, 0), 20);
end
$$;
comment on function public.ask_documents(text, uuid, integer) is
  'The passages of the caller''s documents (or of one) that answer a question best, a few sentences each; none when too '
  'little of what was asked stands there.';
revoke all on function public.ask_documents from public, anon, authenticated, service_role;
grant execute on function public.ask_documents to authenticated;

alter table private.document_words enable row level security;
alter table private.document_search enable row level security;

revoke all on private.document_words from public, anon, authenticated, service_role;

revoke all on private.document_search from public, anon, authenticated, service_role;

create trigger follow_new_search after insert on public.document_pages
  referencing new table as changed
  for each statement execute function private.follow_searched_pages();

create trigger follow_changed_search after update on public.document_pages
  referencing new table as changed old table as former
  for each statement execute function private.follow_searched_pages();

create trigger follow_gone_search after delete on public.document_pages
  referencing old table as changed
  for each statement execute function private.follow_searched_pages();

create trigger follow_new_search after insert on public.documents
  referencing new table as changed
  for each statement execute function private.follow_searched_documents();

create trigger follow_changed_search after update on public.documents
  referencing new table as changed old table as former
  for each statement execute function private.follow_searched_documents();

create trigger follow_gone_search after delete on public.documents
  referencing old table as changed
  for each statement execute function private.follow_searched_documents();

create trigger follow_searched_documents after update of first_name, last_name, business_name, type on public.contacts
  for each row when (old.name is distinct from new.name) execute function private.follow_named_documents();

create trigger follow_searched_documents after update of name on public.tags
  for each row when (old.name is distinct from new.name) execute function private.follow_named_documents();

create trigger follow_changed_search
  after UPDATE ON public.document_fields REFERENCING NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_facts();

create trigger follow_gone_search
  after DELETE ON public.document_fields REFERENCING OLD TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_facts();

create trigger follow_new_search
  after INSERT ON public.document_fields REFERENCING NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_facts();

create trigger follow_changed_search
  after UPDATE ON public.document_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_facts();

create trigger follow_gone_search
  after DELETE ON public.document_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_facts();

create trigger follow_new_search
  after INSERT ON public.document_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT execute function private.follow_searched_facts();

-- Invoices: what is owed and by when, from electronic invoices (every body of a file) and from scans that were confirmed.
--
-- The server writes them; the owner says what was paid, and asks to be reminded: one task for each day of payment.
--
-- Error codes raised:
--   PT404  there is no such document, invoice or day of payment of the caller (PostgREST answers 404)
--   SC041  a scan lacks what an invoice needs: a number, a date and a total that are sure

-- What came in of the invoices one issued, month by month: the chart of /home.

-- The register of invoices says what the papers say: what is withheld is not owed, a scan is registered again when its
-- owner corrects it, the same invoice counts once, and reminders follow their invoice, into the trash too.
--
-- Error codes raised:
--   SC041  a scan lacks what an invoice needs: a number, a date and a total that are sure, and no doubt about what kind of
--          paper it is or about its currency

-- Whose a paper is, who stands on it and what counts twice: one's own tax code on a received scan makes it no invoice of
-- one's own, placeholders are nobody's number, and an XML and its scan are one invoice.
--
-- Error codes raised:
--   SC041  a scan that is registered cannot be without its number, its date or its total
--   SC043  an electronic invoice says everything itself: its fields are not changed

create type public.invoice_direction as enum ('attiva', 'passiva');

create type public.invoice_source as enum ('fatturapa', 'campi');

create table public.invoices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  document_id uuid not null,
  body_no integer not null default 1,
  direction public.invoice_direction not null,
  type_code text not null default 'TD01',
  number text not null,
  issued_on date not null,
  contact_id uuid,
  counterparty_name text,
  counterparty_vat text,
  net_cents bigint,
  vat_cents bigint,
  total_cents bigint not null,
  due_cents bigint,
  currency text not null default 'EUR',
  content jsonb,
  findings jsonb not null default '[]',
  paid_on date,
  source public.invoice_source not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (document_id, body_no),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint body_no_counts_from_one check (body_no >= 1),
  constraint type_code_is_one check (type_code ~ '^TD[0-9]{2}$'),
  constraint currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  constraint content_is_an_object check (jsonb_typeof(content) = 'object'),
  constraint findings_are_a_list check (jsonb_typeof(findings) = 'array'),
  constraint texts_fit check (
    number ~ '[^[:space:]]' and char_length(number) <= 100 and char_length(counterparty_name) <= 500
    and char_length(counterparty_vat) <= 50
  )
);
comment on table public.invoices is 'Issued and received invoices, one for each body of a document.';
comment on column public.invoices.due_cents is 'What is to be paid, after withholding; null: the total.';
comment on column public.invoices.content is 'The whole invoice as functions/_shared/fatturapa writes it; null for a scan.';
comment on column public.invoices.findings is 'What does not add up: [{code, severity, text}], in words for the owner.';
comment on column public.invoices.paid_on is 'When the last of it was paid.';

create table public.invoice_schedules (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  invoice_id uuid not null,
  no integer not null default 1,
  due_on date,
  amount_cents bigint not null,
  method text,
  iban text,
  paid_on date,
  task_id uuid,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (invoice_id, no),
  foreign key (user_id, invoice_id) references public.invoices (user_id, id) on delete cascade,
  foreign key (user_id, task_id) references public.tasks (user_id, id) on delete set null (task_id),
  constraint no_counts_from_one check (no >= 1),
  constraint method_is_one check (method ~ '^MP[0-9]{2}$'),
  constraint iban_fits check (char_length(iban) <= 50)
);
comment on table public.invoice_schedules is 'When how much of an invoice is to be paid.';
comment on column public.invoice_schedules.due_on is 'Null: at once, or whenever was agreed.';
comment on column public.invoice_schedules.task_id is 'The task that reminds of it.';

-- Serves the register, by direction and period, and its export.
create index invoices_by_date on public.invoices (user_id, issued_on desc, id desc);

create index invoices_unpaid on public.invoices (user_id, direction, issued_on desc) where paid_on is null;

create index invoices_document on public.invoices (user_id, document_id);

create index invoices_contact on public.invoices (user_id, contact_id);

create index invoices_twins on public.invoices (user_id, number, issued_on);

create index invoice_schedules_invoice on public.invoice_schedules (user_id, invoice_id, no);

create index invoice_schedules_due on public.invoice_schedules (user_id, due_on) where paid_on is null;

create index invoice_schedules_task on public.invoice_schedules (user_id, task_id);

create function private.store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  with told as (
    select coalesce((one ->> 'no')::integer, place::integer) as no, (one ->> 'due_on')::date as due_on,
      (one ->> 'amount_cents')::bigint as amount_cents, one ->> 'method' as method, one ->> 'iban' as iban,
      -- Of what is paid as a whole no part is open.
      coalesce(
        (one ->> 'paid_on')::date, (select paid_on from public.invoices where user_id = _user_id and id = _invoice_id)
      ) as paid_on
    from jsonb_array_elements(coalesce(_schedules, '[]')) with ordinality as listed (one, place)
  ), gone as (
    delete from public.invoice_schedules
    where user_id = _user_id and invoice_id = _invoice_id and no not in (select no from told)
    returning task_id
  ), unneeded as (
    update public.tasks set deleted_at = now()
    from gone where user_id = _user_id and id = task_id and state <> 'fatto' and deleted_at is null
  )
  insert into public.invoice_schedules as kept (user_id, invoice_id, no, due_on, amount_cents, method, iban, paid_on)
  select _user_id, _invoice_id, no, due_on, amount_cents, method, iban, paid_on from told
  on conflict (invoice_id, no) do update set
    due_on = excluded.due_on, amount_cents = excluded.amount_cents, method = excluded.method, iban = excluded.iban,
    paid_on = coalesce(kept.paid_on, excluded.paid_on)
$$;
comment on function private.store_schedules(uuid, uuid, jsonb) is
  'Writes the days of payment of an invoice; what was paid and its task stay, the reminders of those that go go too.';
revoke all on function private.store_schedules from public, anon, authenticated, service_role;

create function private.store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _told record;
  _row public.invoices;
  _contact_id uuid;
  _id uuid;
begin
  select contact_id into _contact_id from public.documents where user_id = _user_id and id = _document_id for update;
  if not found then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  perform private.remove_invoices(_document_id, _user_id, array(
    select coalesce((one ->> 'body_no')::integer, place::integer)
    from jsonb_array_elements(_invoices) with ordinality as listed (one, place)
  ));
  for _told in select one, place::integer from jsonb_array_elements(_invoices) with ordinality as listed (one, place)
  loop
    _row := jsonb_populate_record(null::public.invoices, _told.one);
    insert into public.invoices as kept (
      user_id, document_id, body_no, direction, type_code, number, issued_on, contact_id, counterparty_name,
      counterparty_vat, net_cents, vat_cents, total_cents, due_cents, currency, content, findings, paid_on, source
    ) values (
      _user_id, _document_id, coalesce(_row.body_no, _told.place), _row.direction, coalesce(_row.type_code, 'TD01'),
      _row.number, _row.issued_on, coalesce(_contact_id, _row.contact_id), _row.counterparty_name, _row.counterparty_vat,
      _row.net_cents, _row.vat_cents, _row.total_cents, _row.due_cents, coalesce(_row.currency, 'EUR'), _row.content,
      coalesce(_row.findings, '[]'), _row.paid_on, coalesce(_row.source, 'fatturapa')
    )
    on conflict (document_id, body_no) do update set
      direction = excluded.direction, type_code = excluded.type_code, number = excluded.number,
      issued_on = excluded.issued_on, contact_id = coalesce(kept.contact_id, excluded.contact_id),
      counterparty_name = excluded.counterparty_name, counterparty_vat = excluded.counterparty_vat,
      net_cents = excluded.net_cents, vat_cents = excluded.vat_cents, total_cents = excluded.total_cents,
      due_cents = excluded.due_cents, currency = excluded.currency, content = excluded.content,
      findings = excluded.findings, paid_on = coalesce(kept.paid_on, excluded.paid_on), source = excluded.source
    returning id into _id;
    perform private.store_schedules(_id, _user_id, _told.one -> 'schedules');
  end loop;
end
$$;
comment on function private.store_invoice(uuid, uuid, jsonb) is
  'Writes the invoices of a document, one object for each body: the columns of invoices, and schedules [{no, due_on, '
  'amount_cents, method, iban}]. The same again changes nothing; what was paid, and the tasks, stay. PT404.';
revoke all on function private.store_invoice from public, anon, authenticated, service_role;
grant execute on function private.store_invoice to service_role;

create function private.own_invoice(_invoice_id uuid)
  returns public.invoices
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _invoice public.invoices;
begin
  select * into _invoice from public.invoices where user_id = (select auth.uid()) and id = _invoice_id for update;
  if not found then
    raise exception 'no such invoice' using errcode = 'PT404';
  end if;
  return _invoice;
end
$$;
comment on function private.own_invoice(uuid) is 'The caller''s invoice, locked; PT404 if it is none.';
revoke all on function private.own_invoice from public, anon, authenticated, service_role;

create function private.finish_paid_tasks(_invoice_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.tasks set state = 'fatto'
  from public.invoice_schedules
  where invoice_schedules.invoice_id = _invoice_id and invoice_schedules.paid_on is not null
    and tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.state <> 'fatto'
$$;
comment on function private.finish_paid_tasks(uuid) is 'What was paid needs no reminder.';
revoke all on function private.finish_paid_tasks from public, anon, authenticated, service_role;

-- Definer, like the next ones: invoices are the server's, but for what their owner says.
create function public.mark_invoice_paid(_invoice_id uuid, _paid_on date)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = case when _paid_on is not null then coalesce(paid_on, _paid_on) end
  where invoice_id = _invoice_id;
  update public.invoices set paid_on = _paid_on where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;
comment on function public.mark_invoice_paid(uuid, date) is
  'Says when the rest of an invoice of the caller was paid, and does its tasks; null: it was not paid at all. PT404.';
revoke all on function public.mark_invoice_paid from public, anon, authenticated, service_role;
grant execute on function public.mark_invoice_paid to authenticated;

create function public.mark_schedule_paid(_schedule_id uuid, _paid_on date)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _invoice_id constant uuid := (
    select invoice_id from public.invoice_schedules where user_id = (select auth.uid()) and id = _schedule_id
  );
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = _paid_on where id = _schedule_id;
  update public.invoices
  set paid_on = (
    select case when bool_and(invoice_schedules.paid_on is not null) then max(invoice_schedules.paid_on) end
    from public.invoice_schedules where invoice_id = _invoice_id
  )
  where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;
comment on function public.mark_schedule_paid(uuid, date) is
  'Says when a part of an invoice of the caller was paid; null: it was not. With its last part the invoice is paid. PT404.';
revoke all on function public.mark_schedule_paid from public, anon, authenticated, service_role;
grant execute on function public.mark_schedule_paid to authenticated;

create function private.payment_title(_invoice public.invoices, _cents bigint)
  returns text
  language sql stable
  set search_path = ''
as $$
  -- Of a credit note the money goes the other way.
  select left(translate(concat(
    case when is_paid_by_owner then 'Paga ' else 'Incassa ' end,
    case when is_credit then 'nota di credito ' else 'fattura ' end, _invoice.number,
    -- A received paper is of somebody; money goes to them or comes from them.
    case when is_paid_by_owner and not is_credit then ' di ' when is_paid_by_owner then ' a ' else ' da ' end
      || nullif(btrim(coalesce(
        (select name from public.contacts where user_id = _invoice.user_id and id = _invoice.contact_id),
        _invoice.counterparty_name
      )), ''),
    ': ', private.euros(abs(_cents), _invoice.currency)
  ), E'\t\r\n', '   '), 200)
  from (
    select _invoice.type_code in ('TD04', 'TD08') as is_credit,
      (_invoice.direction = 'passiva') <> (_invoice.type_code in ('TD04', 'TD08')) as is_paid_by_owner
  ) as flow
$$;
comment on function private.payment_title(public.invoices, bigint) is
  'What is to be done about an amount of an invoice: «Paga fattura 12 di Rossi srl: 1.220,00 €».';
revoke all on function private.payment_title from public, anon, authenticated, service_role;

create function public.remind_of_schedules(_invoice_id uuid, _days_before integer default 3)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _invoice public.invoices := private.own_invoice(_invoice_id);
  _schedule record;
  _task_id uuid;
  _made integer := 0;
begin
  for _schedule in
    select * from public.invoice_schedules
    where invoice_id = _invoice_id and paid_on is null and due_on is not null and not exists (
      select from public.tasks
      where tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.deleted_at is null
    )
    order by no
  loop
    insert into public.tasks (user_id, title, due_at, contact_id, remind_at, origin)
    values (
      _invoice.user_id, private.payment_title(_invoice, _schedule.amount_cents),
      _schedule.due_on::timestamp at time zone 'Europe/Rome', _invoice.contact_id,
      array[private.reminder_moment(_schedule.due_on, _days_before)], 'fattura'
    )
    returning id into _task_id;
    update public.invoice_schedules set task_id = _task_id where id = _schedule.id;
    insert into public.document_links (user_id, document_id, task_id)
    values (_invoice.user_id, _invoice.document_id, _task_id);
    _made := _made + 1;
  end loop;
  return _made;
end
$$;
comment on function public.remind_of_schedules(uuid, integer) is
  'Makes a task for each day of payment of the caller''s invoice that is not paid and has none; reminds at nine so many days '
  'before, or on the day, or at once, whichever is still to come. Answers how many were made. PT404.';
revoke all on function public.remind_of_schedules from public, anon, authenticated, service_role;
grant execute on function public.remind_of_schedules to authenticated;

create function private.sure_fields(_document_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
  where document_id = _document_id and (confirmed_at is not null or confidence >= 0.8)
$$;
comment on function private.sure_fields(uuid) is 'What is known of a document for sure: {key: value}.';
revoke all on function private.sure_fields from public, anon, authenticated, service_role;

create function public.confirm_invoice(_document_id uuid)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _id uuid;
begin
  -- An electronic invoice says everything itself.
  select id into _id from public.invoices
  where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa' order by body_no limit 1;
  if found then
    return _id;
  end if;
  _id := private.register_scan(_document);
  if _id is null then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  return _id;
end
$$;
comment on function public.confirm_invoice(uuid) is
  'Makes an invoice with one day of payment of what is sure in a scan of the caller; answers the invoice. PT404, SC041.';
revoke all on function public.confirm_invoice from public, anon, authenticated, service_role;
grant execute on function public.confirm_invoice to authenticated;

create function private.follow_document_contact()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.invoices set contact_id = new.contact_id
  where user_id = new.user_id and document_id = new.id and contact_id is distinct from new.contact_id;
  return null;
end
$$;
comment on function private.follow_document_contact() is 'An invoice is about whom its document is about.';
revoke all on function private.follow_document_contact from public, anon, authenticated, service_role;

-- Invoker: the caller's rows only. An invoice without days of payment is due as a whole. Credit notes take away, however
-- they are signed; self-invoices bring no money; amounts of other currencies do not add up with euros.
create function public.invoiced_by_month(_months integer default 12)
  returns table (month date, collected_cents bigint, open_cents bigint, late_cents bigint)
  language sql stable
  set search_path = ''
as $$
  with today as (select (now() at time zone 'Europe/Rome')::date as today),
  months as (
    select generate_series(
      date_trunc('month', today::timestamp) - make_interval(months => least(greatest(_months, 1), 120) - 1),
      date_trunc('month', today::timestamp), interval '1 month'
    )::date as month
    from today
  ),
  parts as (
    select date_trunc('month', issued_on::timestamp)::date as month,
      case when type_code in ('TD04', 'TD08') then -abs(due) else due end as cents,
      coalesce(parts.paid_on, invoices.paid_on) is not null as is_paid,
      coalesce(due_on < today, false) as is_late
    from public.invoices
    cross join today
    left join public.invoice_schedules as parts
      on parts.user_id = invoices.user_id and parts.invoice_id = invoices.id
    cross join lateral (select coalesce(parts.amount_cents, due_cents, total_cents)) as due (due)
    where invoices.user_id = (select auth.uid()) and direction = 'attiva' and currency = 'EUR'
      and type_code not between 'TD16' and 'TD23' and type_code not in ('TD27', 'TD28', 'TD29')
      and issued_on >= (select min(month) from months) and public.twin(invoices) is null
      and exists (
        select from public.documents
        where documents.user_id = invoices.user_id and documents.id = document_id and deleted_at is null
      )
  )
  select months.month,
    coalesce(sum(cents) filter (where is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid and is_late), 0)::bigint
  from months left join parts using (month)
  group by months.month
  order by months.month
$$;
comment on function public.invoiced_by_month(integer) is
  'Of the caller''s issued invoices in euro, by their month in Italy, this one last: what was paid, what is open, and what of '
  'that is late. The same invoice counts once.';
revoke all on function public.invoiced_by_month from public, anon, authenticated, service_role;
grant execute on function public.invoiced_by_month to authenticated;

create function private.cents(_fields jsonb, _key text)
  returns bigint
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case when _fields ->> _key ~ '^-?[0-9]{1,13}$' then (_fields ->> _key)::bigint end
$$;
comment on function private.cents(jsonb, text) is 'The amount of a field of {key: value}; null when it is none.';
revoke all on function private.cents from public, anon, authenticated, service_role;

create function private.is_of_owner(_fields jsonb, _user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    -- A paper that was received may show its reader's tax code anywhere: it counts only where no VAT number stands.
    select from public.profiles
    where user_id = _user_id
      and coalesce(nullif(_fields ->> 'vat_number', ''), _fields ->> 'tax_code') in (vat_number, tax_code)
  )
$$;
comment on function private.is_of_owner(jsonb, uuid) is
  'Whether who issued a paper with these fields is its owner; the same as functions/_shared/documents/conclusions.py.';
revoke all on function private.is_of_owner from public, anon, authenticated, service_role;

create function private.reminder_moment(_due_on date, _days_before integer)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  -- The first of both that is still to come; when both are over, at once: a moment that is over reminds of nothing.
  select coalesce(min(moment), now() + interval '1 minute')
  from unnest(array[_due_on - least(greatest(_days_before, 0), 365), _due_on]) as day
  cross join lateral (select (day + time '09:00') at time zone 'Europe/Rome' as moment) as at_nine
  where moment > now()
$$;
comment on function private.reminder_moment(date, integer) is
  'When to remind of a day of payment: at nine so many days before, or on the day, or at once.';
revoke all on function private.reminder_moment from public, anon, authenticated, service_role;

create function private.retitle_reminders(_invoice public.invoices)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- What its owner called otherwise keeps its name.
  update public.tasks set title = private.payment_title(_invoice, part.amount_cents)
  from public.invoice_schedules as part
  where part.user_id = _invoice.user_id and part.invoice_id = _invoice.id
    and tasks.user_id = part.user_id and tasks.id = part.task_id and tasks.state <> 'fatto'
    and tasks.title ~ '^(Paga|Incassa) (fattura|nota di credito) '
    and tasks.title <> private.payment_title(_invoice, part.amount_cents)
$$;
comment on function private.retitle_reminders(public.invoices) is 'The open tasks of an invoice say what it says.';
revoke all on function private.retitle_reminders from public, anon, authenticated, service_role;

-- Definer, like the next one: whoever changes an invoice has no way into this schema.
create function private.follow_invoice()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.retitle_reminders(new);
  return null;
end
$$;
comment on function private.follow_invoice() is 'What reminds of an invoice says which way the money goes, and to whom.';
revoke all on function private.follow_invoice from public, anon, authenticated, service_role;

create function private.follow_schedule()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _invoice public.invoices;
begin
  select * into _invoice from public.invoices where user_id = new.user_id and id = new.invoice_id;
  perform private.retitle_reminders(_invoice);
  -- A day that its owner chose stays.
  update public.tasks
  set due_at = new.due_on::timestamp at time zone 'Europe/Rome',
    remind_at = case when new.due_on is null or remind_at = '{}' then '{}'
      else array[private.reminder_moment(new.due_on, 3)] end
  where user_id = new.user_id and id = new.task_id and state <> 'fatto' and new.due_on is distinct from old.due_on
    and due_at is not distinct from old.due_on::timestamp at time zone 'Europe/Rome';
  return null;
end
$$;
comment on function private.follow_schedule() is 'The task that reminds of a day of payment follows its day and its amount.';
revoke all on function private.follow_schedule from public, anon, authenticated, service_role;

create function private.remove_invoices(_document_id uuid, _user_id uuid, _kept integer[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _invoice_id uuid;
begin
  for _invoice_id in
    select id from public.invoices
    where user_id = _user_id and document_id = _document_id and body_no <> all (_kept)
  loop
    perform private.store_schedules(_invoice_id, _user_id, '[]');
    delete from public.invoices where user_id = _user_id and id = _invoice_id;
  end loop;
end
$$;
comment on function private.remove_invoices(uuid, uuid, integer[]) is
  'Takes the invoices of a document out of the register, with their reminders, but for these numbers of bodies.';
revoke all on function private.remove_invoices from public, anon, authenticated, service_role;

create function private.register_scan(_document public.documents)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields constant jsonb := private.sure_fields(_document.id);
  _is_own constant boolean := private.is_of_owner(_fields, _document.user_id);
  _total_cents constant bigint := private.cents(_fields, 'total');
  _due_cents constant bigint := coalesce(
    private.cents(_fields, 'due'),
    case when private.cents(_fields, 'withholding') is not null then private.payable_cents(_fields) end
  );
begin
  if not _fields ?& array['number', 'issued_on'] or _total_cents is null or exists (
    -- These turn the total into something else: a debt into a credit, dollars into euros.
    select from public.document_fields
    where user_id = _document.user_id and document_id = _document.id and key in ('type_code', 'currency')
      and confirmed_at is null and confidence < 0.8
  ) then
    return null;
  end if;
  perform private.store_invoice(_document.id, _document.user_id, jsonb_build_array(jsonb_build_object(
    'direction', case when _is_own then 'attiva' else 'passiva' end, 'type_code', _fields ->> 'type_code',
    'number', left(_fields ->> 'number', 100), 'issued_on', _fields ->> 'issued_on',
    'net_cents', private.cents(_fields, 'net'), 'vat_cents', private.cents(_fields, 'vat'),
    'total_cents', _total_cents, 'due_cents', _due_cents,
    'currency', coalesce(_fields ->> 'currency', _document.currency),
    'counterparty_name', left(case when _is_own then _fields ->> 'customer'
      else coalesce(_fields ->> 'supplier', _document.supplier ->> 'name') end, 500),
    -- As an electronic invoice writes it: «IT 0123…» bare, «de 123…» with its country.
    'counterparty_vat', left(private.alias_value(
      'vat_number', _fields ->> case when _is_own then 'customer_vat_number' else 'vat_number' end
    ), 50),
    'source', 'campi',
    'schedules', jsonb_build_array(jsonb_build_object(
      'due_on', _fields ->> 'due_on', 'amount_cents', coalesce(_due_cents, _total_cents),
      'iban', left(_fields ->> 'iban', 50)
    ))
  )));
  return (select id from public.invoices where user_id = _document.user_id and document_id = _document.id);
end
$$;
comment on function private.register_scan(public.documents) is
  'Makes an invoice with one day of payment of what is sure in a scan; null, and nothing is written, when that is too little.';
revoke all on function private.register_scan from public, anon, authenticated, service_role;

create function private.follow_fields(_document_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _document public.documents;
begin
  select documents.* into _document from public.documents
  where id = _document_id and exists (
    select from public.invoices
    where invoices.user_id = documents.user_id and document_id = documents.id and source = 'campi'
  );
  if not found then
    return;
  elsif _document.kind = 'fattura' or not _document.kind_by_user then
    perform private.register_scan(_document);
  else
    perform private.remove_invoices(_document_id, _document.user_id, '{}');
  end if;
end
$$;
comment on function private.follow_fields(uuid) is
  'A scan that was registered is registered as its fields are now, and not at all when its owner says it is no invoice.';
revoke all on function private.follow_fields from public, anon, authenticated, service_role;

create function private.is_party(_party jsonb, _own public.profiles)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select coalesce(coalesce(_party ->> 'vat_country', 'IT') = 'IT' and vat_number = _own.vat_number, false)
    or coalesce(tax_code = upper(_own.tax_code), false) or coalesce(tax_code = _own.vat_number, false)
  from (
    select private.bare_number(_party ->> 'vat_number') as vat_number, private.bare_number(_party ->> 'tax_code') as tax_code
  ) as bare
$$;
comment on function private.is_party(jsonb, public.profiles) is
  'Whether a party of an electronic invoice is its owner; the same as _is() in functions/_shared/fatturapa/register.py.';
revoke all on function private.is_party from public, anon, authenticated, service_role;

create function private.direct_invoices(_own public.profiles)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- The same as direction() and _entry() in functions/_shared/fatturapa/register.py, of what was read before.
  with sides as (
    select id, direction as former, content, findings, case
      when sold and bought then case type_code when 'TD27' then 'attiva' else 'passiva' end
      when sold then 'attiva' when bought then 'passiva' end as known
    from public.invoices, lateral (
      select private.is_party(content -> 'supplier', _own) as sold, private.is_party(content -> 'customer', _own) as bought
    ) as parties
    where user_id = _own.user_id and content is not null
  ), told as (
    select id, former, coalesce(known, 'passiva')::public.invoice_direction as direction,
      content -> case known when 'attiva' then 'customer' else 'supplier' end as other,
      jsonb_path_query_array(findings, '$[*] ? (@.code != "non_tua")') || case when known is null then jsonb_build_array(
        jsonb_build_object('code', 'non_tua', 'severity', 'avviso', 'text', case
          when coalesce(_own.vat_number, _own.tax_code) is null then 'Nel profilo manca la tua partita IVA'
          else 'Né chi vende né chi compra ha la tua partita IVA o il tuo codice fiscale'
        end || ': ho messo la fattura tra quelle ricevute.')
      ) else '[]' end as findings
    from sides
  ), turned as (
    update public.invoices set direction = told.direction, findings = told.findings,
      counterparty_name = nullif(left(other ->> 'name', 500), ''),
      counterparty_vat = left(private.party_vat(other), 50)
    from told
    where invoices.id = told.id and (former, invoices.findings) is distinct from (told.direction, told.findings)
    returning invoices.user_id, document_id, body_no, other, former <> told.direction as is_turned
  )
  update public.documents
  -- Who was linked was oneself.
  set contact_id = null, contact_suggestion = null, contact_reason = null,
    supplier = nullif(jsonb_strip_nulls(jsonb_build_object(
      'name', other -> 'name', 'vat_number', private.party_vat(other), 'tax_code', other -> 'tax_code',
      'email', other -> 'email'
    )), '{}')
  from turned
  where turned.user_id = documents.user_id and document_id = documents.id and body_no = 1 and is_turned;
  delete from public.document_aliases
  where user_id = _own.user_id and value in (
    private.alias_value('vat_number', _own.vat_number), private.alias_value('tax_code', _own.tax_code)
  )
$$;
comment on function private.direct_invoices(public.profiles) is
  'Puts the electronic invoices of a person on the side where who they are puts them, and knows nobody by their numbers.';
revoke all on function private.direct_invoices from public, anon, authenticated, service_role;

create function private.follow_own_numbers()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.direct_invoices(new);
  -- The same of scans. Who was linked was oneself.
  update public.documents
  set supplier = private.about(said, new.user_id), contact_id = null, contact_suggestion = null, contact_reason = null
  from (
    select document_id, jsonb_object_agg(key, value) as said from public.document_fields
    where user_id = new.user_id and source <> 'fatturapa' group by document_id
  ) as scan
  where documents.user_id = new.user_id and documents.id = document_id
    and coalesce(coalesce(nullif(said ->> 'vat_number', ''), said ->> 'tax_code') in (old.vat_number, old.tax_code), false)
      <> private.is_of_owner(said, new.user_id);
  perform private.follow_fields(document_id) from public.invoices where user_id = new.user_id and source = 'campi';
  return null;
end
$$;
comment on function private.follow_own_numbers() is
  'Invoices that were read before their owner said who they are get onto the right side.';
revoke all on function private.follow_own_numbers from public, anon, authenticated, service_role;

create function public.twin(_invoice public.invoices)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
  join public.documents as file on file.user_id = other.user_id and file.id = other.document_id and file.deleted_at is null
  where other.user_id = _invoice.user_id and other.number = _invoice.number and other.issued_on = _invoice.issued_on
    and other.direction = _invoice.direction and (
      other.type_code = _invoice.type_code
      -- Of a scan nothing but credit or no credit can be told: a deferred invoice is a TD01 there.
      or 'campi' in (other.source, _invoice.source)
        and (other.type_code in ('TD04', 'TD08')) = (_invoice.type_code in ('TD04', 'TD08'))
    )
    -- Of one's own a scan may name the customer otherwise; the number is one's own.
    and (_invoice.direction = 'attiva' and 'campi' in (other.source, _invoice.source) or coalesce(
      other.counterparty_vat,
      other.content #>> array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(other.counterparty_name)
    ) = coalesce(
      _invoice.counterparty_vat,
      _invoice.content #>> array[case _invoice.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(_invoice.counterparty_name)
    ))
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$$;
comment on function public.twin(public.invoices) is
  'The file {document_id, filename} in which the same invoice counts: signed and unsigned, sent twice, a scan of it; null '
  'when it is this one. What has a twin is in no sum.';
revoke all on function public.twin from public, anon, authenticated, service_role;
grant execute on function public.twin to authenticated;

create function private.party_vat(_party jsonb)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case
    when vat_number = '' or vat_number ~ '^([A-Z]{2}){0,2}(0+|9{11}|X+)$' then null
    when vat_country is null or vat_country = 'IT' or starts_with(vat_number, vat_country) then vat_number
    else vat_country || vat_number
  end
  from (
    -- Greece is GR to the post and EL to the tax office.
    select case _party ->> 'vat_country' when 'GR' then 'EL' else _party ->> 'vat_country' end as vat_country,
      regexp_replace(regexp_replace(upper(_party ->> 'vat_number'), '[^A-Z0-9]', '', 'g'), '^IT(?=[0-9]{11}$)', '')
        as vat_number
  ) as told
$$;
comment on function private.party_vat(jsonb) is
  'The VAT number of a party of an electronic invoice, a foreign one with its country, null for a placeholder; the same as '
  'vat_of() in functions/_shared/fatturapa/register.py.';
revoke all on function private.party_vat from public, anon, authenticated, service_role;
grant execute on function private.party_vat to service_role;

create function private.payable_cents(_fields jsonb)
  returns bigint
  language sql immutable
  set search_path = ''
as $$
  select total - sign(total)::bigint * coalesce(abs(private.cents(_fields, 'withholding')), 0)
  from (select private.cents(_fields, 'total') as total) as told
$$;
comment on function private.payable_cents(jsonb) is 'The total less what is withheld, whichever way the money goes.';
revoke all on function private.payable_cents from public, anon, authenticated, service_role;

create function private.follow_total(_document_id uuid, _before jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- What is to be paid was the total less what is withheld: it still is.
  update public.document_fields
  set value = private.payable_cents(said)
  from (
    select jsonb_object_agg(key, value) as said from public.document_fields where document_id = _document_id
  ) as now
  where document_id = _document_id and key = 'due' and value = _before ->> 'due'
    and private.cents(_before, 'due') = private.payable_cents(_before) and private.payable_cents(said) is not null
$$;
comment on function private.follow_total(uuid, jsonb) is
  'What is to be paid follows a total or a withholding that is not any more what it was before: {key: value}.';
revoke all on function private.follow_total from public, anon, authenticated, service_role;

create function public.next_due(_invoice public.invoices)
  returns date
  language sql stable
  set search_path = ''
as $$
  select min(due_on) from public.invoice_schedules
  where user_id = _invoice.user_id and invoice_id = _invoice.id and paid_on is null
$$;
comment on function public.next_due(public.invoices) is
  'The day on which the next part of an invoice is due; null when nothing is open or no day is said.';
revoke all on function public.next_due from public, anon, authenticated, service_role;
grant execute on function public.next_due to authenticated;

alter table public.invoices enable row level security;
alter table public.invoice_schedules enable row level security;

create policy "owners read their invoices" on public.invoices
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what is due" on public.invoice_schedules
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.invoices from public, anon, authenticated, service_role;
grant select on public.invoices to authenticated;
grant select, insert, update, delete on public.invoices to service_role;

revoke all on public.invoice_schedules from public, anon, authenticated, service_role;
grant select on public.invoice_schedules to authenticated;
grant select, insert, update, delete on public.invoice_schedules to service_role;

create trigger follow_document_contact after update of contact_id on public.documents
  for each row when (old.contact_id is distinct from new.contact_id)
  execute function private.follow_document_contact();

create trigger follow_invoice
  after update of direction, type_code, number, contact_id, counterparty_name, currency on public.invoices
  for each row when (
    (old.direction, old.type_code, old.number, old.contact_id, old.counterparty_name, old.currency)
    is distinct from (new.direction, new.type_code, new.number, new.contact_id, new.counterparty_name, new.currency)
  )
  execute function private.follow_invoice();

create trigger follow_schedule after update of due_on, amount_cents on public.invoice_schedules
  for each row when (
    new.task_id is not null and (old.due_on, old.amount_cents) is distinct from (new.due_on, new.amount_cents)
  )
  execute function private.follow_schedule();

create trigger follow_own_numbers after update of vat_number, tax_code on public.profiles
  for each row when ((old.vat_number, old.tax_code) is distinct from (new.vat_number, new.tax_code))
  execute function private.follow_own_numbers();

alter table public.invoices replica identity using index invoices_user_id_id_key;
alter table public.invoice_schedules replica identity using index invoice_schedules_user_id_id_key;

-- What documents hang on: contacts (with what was said about whom a document is from), deals and tasks.
--
-- Who links a document to a contact, or says that it is not theirs, says it of every number, address and name that the
-- document shows: the next one is known by them.
--
-- Error codes raised:
--   PT404  there is no such document or contact of the caller (PostgREST answers 404)
--   SC042  the document says of nobody who it is from

create type public.document_alias_kind as enum ('vat_number', 'tax_code', 'email', 'name');

create type public.document_alias_state as enum ('confermato', 'rifiutato');

create table public.document_aliases (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  contact_id uuid not null,
  kind public.document_alias_kind not null,
  value text not null,
  state public.document_alias_state not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, kind, value, contact_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint value_fits check (value ~ '[^[:space:]]' and char_length(value) <= 300)
);
comment on table public.document_aliases is
  'By what documents show a contact was recognised, or was not; values as private.alias_value() writes them.';

create table public.document_links (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  document_id uuid not null,
  deal_id uuid,
  task_id uuid,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, document_id, deal_id),
  unique (user_id, document_id, task_id),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, deal_id) references public.deals (user_id, id) on delete cascade,
  foreign key (user_id, task_id) references public.tasks (user_id, id) on delete cascade,
  constraint a_link_leads_to_one_thing check (num_nonnulls(deal_id, task_id) = 1)
);
comment on table public.document_links is 'Which document belongs to which deal or task.';

create index document_aliases_contact on public.document_aliases (user_id, contact_id);

create index document_links_deal on public.document_links (user_id, deal_id);

create index document_links_task on public.document_links (user_id, task_id);

create function private.alias_value(_kind public.document_alias_kind, _value text)
  returns text
  language sql stable
  set search_path = ''
as $$
  select nullif(left(case _kind
    when 'email' then lower(btrim(_value))
    when 'name' then private.search_text(_value)
    else private.party_vat(jsonb_build_object('vat_number', _value))
  end, 300), '')
$$;
comment on function private.alias_value(public.document_alias_kind, text) is 'A value as it is compared; null if it is none.';
revoke all on function private.alias_value from public, anon, authenticated, service_role;
grant execute on function private.alias_value to service_role;

create function private.remember_aliases(
  _document public.documents, _contact_id uuid, _state public.document_alias_state
)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.document_aliases (user_id, contact_id, kind, value, state)
  select _document.user_id, _contact_id, kind, value, _state
  from (
    select kind, private.alias_value(kind, _document.supplier ->> kind::text) as value
    from unnest(enum_range(null::public.document_alias_kind)) as kind
  ) as shown
  where value is not null
  on conflict (user_id, kind, value, contact_id) do update set state = excluded.state, created_at = now()
$$;
comment on function private.remember_aliases(public.documents, uuid, public.document_alias_state) is
  'Remembers by what a document shows that it is of a contact, or is not.';
revoke all on function private.remember_aliases from public, anon, authenticated, service_role;

-- Definer, like the next ones: what was suggested, and aliases, are written by the server only.
create function public.link_document_contact(_document_id uuid, _contact_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  perform from public.contacts
  where user_id = _document.user_id and id = _contact_id and merged_into is null and deleted_at is null for key share;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  update public.documents set contact_id = _contact_id, contact_suggestion = null, contact_reason = null
  where id = _document_id;
  perform private.remember_aliases(_document, _contact_id, 'confermato');
end
$$;
comment on function public.link_document_contact(uuid, uuid) is
  'Says whom the caller''s document is about, and remembers by what that one is known. PT404.';
revoke all on function public.link_document_contact from public, anon, authenticated, service_role;
grant execute on function public.link_document_contact to authenticated;

create function public.refuse_document_contact(_document_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _refused constant uuid := coalesce(_document.contact_id, _document.contact_suggestion);
begin
  update public.documents set contact_id = null, contact_suggestion = null, contact_reason = null where id = _document_id;
  perform private.remember_aliases(_document, _refused, 'rifiutato') where _refused is not null;
end
$$;
comment on function public.refuse_document_contact(uuid) is
  'Says that the caller''s document is not about its contact, or the one that was suggested, and remembers that. PT404.';
revoke all on function public.refuse_document_contact from public, anon, authenticated, service_role;
grant execute on function public.refuse_document_contact to authenticated;

create function private.make_document_contact(_document public.documents)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _name constant text := left(private.one_line(_document.supplier ->> 'name'), 200);
  _vat_number text := private.alias_value('vat_number', _document.supplier ->> 'vat_number');
  _tax_code text := private.alias_value('tax_code', _document.supplier ->> 'tax_code');
  _email constant text := private.alias_value('email', _document.supplier ->> 'email');
  _id uuid;
begin
  if not private.is_vat_number(_vat_number) then
    _vat_number := null;
  end if;
  if not (private.is_tax_code(_tax_code) or private.is_vat_number(_tax_code)) then
    _tax_code := null;
  end if;
  -- Who is there already is not made twice.
  select id into _id from public.contacts
  where user_id = _document.user_id and merged_into is null and deleted_at is null
    and (vat_number = _vat_number or tax_code = _tax_code)
  order by vat_number = _vat_number desc nulls last, created_at limit 1;
  if found then
    return _id;
  elsif _name is null then
    raise exception 'the document names nobody' using errcode = 'SC042';
  end if;
  insert into public.contacts (user_id, type, business_name, vat_number, tax_code, origin)
  values (
    -- A person without a VAT number; who has both may be a firm of one.
    _document.user_id, case when _vat_number is null and private.is_tax_code(_tax_code) then 'persona' else 'azienda' end
      ::public.contact_type,
    _name, _vat_number, _tax_code, 'documento'
  ) returning id into _id;
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _document.user_id, _id, _email, true where private.is_email(_email)
  on conflict (user_id, norm) do nothing;
  return _id;
end
$$;
comment on function private.make_document_contact(public.documents) is
  'The contact that a document is from by its numbers, else a new one. SC042.';
revoke all on function private.make_document_contact from public, anon, authenticated, service_role;

create function private.one_line(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select nullif(btrim(regexp_replace(_text, '[[:cntrl:][:space:]]+', ' ', 'g')), '')
$$;
comment on function private.one_line(text) is 'A text without line breaks and double spaces; null if nothing is left.';
revoke all on function private.one_line from public, anon, authenticated, service_role;

create function public.contact_from_document(_document_id uuid)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _id uuid := _document.contact_id;
begin
  if _id is null then
    _id := private.make_document_contact(_document);
    perform public.link_document_contact(_document_id, _id);
  end if;
  return _id;
end
$$;
comment on function public.contact_from_document(uuid) is
  'Makes a contact of whom the caller''s document is from and links it; answers the contact, the same when asked again. '
  'PT404, SC042.';
revoke all on function public.contact_from_document from public, anon, authenticated, service_role;
grant execute on function public.contact_from_document to authenticated;

alter table public.document_aliases enable row level security;
alter table public.document_links enable row level security;

create policy "owners read their aliases" on public.document_aliases
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read the links of their documents" on public.document_links
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners link their documents" on public.document_links
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners unlink their documents" on public.document_links
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.document_aliases from public, anon, authenticated, service_role;
grant select on public.document_aliases to authenticated;
grant select, insert, update, delete on public.document_aliases to service_role;

revoke all on public.document_links from public, anon, authenticated, service_role;
grant select, delete on public.document_links to authenticated;
grant select, insert, update, delete on public.document_links to service_role;
grant insert (id, user_id, document_id, deal_id, task_id) on public.document_links to authenticated;

alter table public.document_links replica identity using index document_links_user_id_id_key;

-- Memory: what the assistant knows of its person, each fact with the sentence it came from.
--
-- Nothing enters by itself: a fact that software found waits as 'proposta' until the person keeps it, and what the person
-- threw away leaves a digest, so that it is never proposed again. The same gate stands before both ways in.
--
-- Error codes raised (PostgREST answers 400; the message is the reason where one is named):
--   SM001  must not be remembered: segreti, conto, salute, convinzioni
--   SM002  there is one nearly like it; the detail is its id
--   SM003  the memory is full
--   PT404  there is no such memory or contact of the caller (404)

-- A fact that was found and says something else on the topic of a known one («Rossi paga a 90 giorni» after «… a 60») is
-- laid before its person too: they see both, and what they keep takes the place of the other (public.keep_memory).

create type public.memory_kind as enum ('profilo', 'preferenza', 'contatto', 'decisione', 'obiettivo', 'narrativa');

create type public.memory_state as enum ('proposta', 'attiva', 'sospesa', 'superata');

create type public.memory_origin as enum ('utente', 'ia', 'import');

create type public.memory_source as enum ('manuale', 'chat', 'nota', 'documento', 'sistema');

create table public.memories (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  kind public.memory_kind not null,
  contact_id uuid,
  topic public.single_line,
  body text not null,
  state public.memory_state not null default 'proposta',
  importance smallint not null default 3,
  origin public.memory_origin not null,
  source public.memory_source not null,
  source_id uuid,
  source_quote text,
  superseded_by uuid,
  uses integer not null default 0,
  last_used_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  stems tsvector generated always as (to_tsvector('pg_catalog.italian', body)) stored,
  words tsvector generated always as (to_tsvector('pg_catalog.simple', body)) stored,

  -- Also the replica identity: of a deleted row its owner alone is told.
  constraint memories_identity unique (user_id, id),
  -- What is known about somebody goes with them.
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, superseded_by) references public.memories (user_id, id) on delete set null (superseded_by),
  constraint body_is_a_sentence check (
    body !~ '[[:cntrl:]]' and char_length(body) between 12 and case kind when 'narrativa' then 4000 else 240 end
  ),
  constraint importance_is_a_step check (importance between 1 and 5),
  -- The receipt: what nobody typed in by hand says where it stood.
  constraint found_facts_name_their_source check (
    source = 'manuale' or source_id is not null and char_length(source_quote) between 1 and 500
  ),
  constraint only_people_write_by_hand check (source <> 'manuale' or origin = 'utente'),
  constraint uses_are_counted check (uses >= 0)
);
comment on table public.memories is 'What the assistant knows of its person; what it may use is ''attiva''.';
comment on column public.memories.topic is 'What it is about, in a word: a new fact on the same topic takes the place of the old one.';
comment on column public.memories.source_quote is 'The sentence it came from, as it stood there.';
comment on column public.memories.superseded_by is 'The fact that took its place; it stays to be read.';

create table private.memory_tombstones (
  user_id uuid not null references auth.users (id) on delete cascade,
  digest bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, digest)
);
comment on table private.memory_tombstones is 'Digests of what a person had forgotten: it is not learned again.';

create table public.memory_settings (
  user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
  is_active boolean not null default true,
  in_new_chats boolean not null default true
);
comment on table public.memory_settings is 'Whether the assistant remembers at all, and in new conversations; no row means both.';

create index memories_of_contact on public.memories (user_id, contact_id);

create index memories_superseded on public.memories (user_id, superseded_by);

create function private.unmemorable(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select case
    when _text ~* '\m(passwords?|passwd|passphrase|pin|cvv|cvc|otp|api key|chiave privata|codice segreto|credenziali)\M'
      then 'segreti'
    when _text ~* '\m[a-z]{2}[0-9]{2}( ?[a-z0-9]){11,30}\M' and _text ~ '([0-9] ?){8}'
      or _text ~ '\m[0-9]{4}([ -]?[0-9]{4}){2}[ -]?[0-9]{3,4}\M'
      then 'conto'
    when _text ~* ('\m(diabet|tumor[ei]\M|cancro\M|oncolog|chemio|depress[oai]\M|depressione|psichiatr|psicoterap|hiv\M|aids\M'
      || '|epiless|sclerosi|gravidanz|incinta|aborto|invalidità civile|disabil|handicap|malat[oa]\M|malattia|infarto|ictus\M'
      || '|alcolis|alcolizzat|tossicodipenden|celiac|bipolare|anoress|bulimi|autis)')
      then 'salute'
    when _text ~* ('\m(cattolic|protestant[ei]\M|musulman|islamic|ebre[oai]\M|ebraic|testimon[ei] di geova|buddist|induist|ate[oa]\M'
      || '|sindacalist|sindacat[oi]\M|cgil\M|cisl\M|partito (democratico|politico|comunista)|vota (per|a|il|la|lega|pd)\M'
      || '|omosessual|lesbic|gay\M|bisessual|transgender)')
      then 'convinzioni'
  end
$$;
comment on function private.unmemorable(text) is
  'Why a text must not be remembered: secrets, accounts, health, or beliefs (GDPR art. 9); null when it may.';
revoke all on function private.unmemorable from public, anon, authenticated, service_role;

create function private.memory_digest(_text text)
  returns bytea
  language sql stable strict parallel safe
  set search_path = ''
as $$
  select sha256(convert_to(private.search_text(_text), 'UTF8'))
$$;
comment on function private.memory_digest(text) is 'The same for a sentence and itself with other accents, capitals and points.';
revoke all on function private.memory_digest from public, anon, authenticated, service_role;

create function private.similar_memory(_user_id uuid, _body text, _except uuid default null)
  returns uuid
  language sql stable
  set search_path = ''
as $$
  -- product.md 2: from 0.6 on it says the same.
  select id from public.memories
  where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta') and id is distinct from _except
    and extensions.similarity(private.search_text(body), private.search_text(_body)) >= 0.6
  order by extensions.similarity(private.search_text(body), private.search_text(_body)) desc, id limit 1
$$;
comment on function private.similar_memory(uuid, text, uuid) is 'The memory of an owner that says nearly the same, if any.';
revoke all on function private.similar_memory from public, anon, authenticated, service_role;

create function private.refuse_memory(_user_id uuid, _body text)
  returns void
  language plpgsql stable
  set search_path = ''
as $$
begin
  if private.unmemorable(_body) is not null then
    raise exception '%', private.unmemorable(_body) using errcode = 'SM001';
  end if;
  -- What fits into every conversation beside the question (product.md 2).
  if char_length(_body) + (
    select coalesce(sum(char_length(body)), 0) from public.memories
    where user_id = _user_id and state = 'attiva' and kind <> 'narrativa'
  ) > 8000 then
    raise exception 'the memory is full' using errcode = 'SM003';
  end if;
end
$$;
comment on function private.refuse_memory(uuid, text) is 'SM001 for what must not be remembered, SM003 when there is no room.';
revoke all on function private.refuse_memory from public, anon, authenticated, service_role;

create function private.supersede_memories(_memory public.memories)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.memories set state = 'superata', superseded_by = _memory.id, updated_at = now()
  where user_id = _memory.user_id and id <> _memory.id and state in ('attiva', 'sospesa')
    and contact_id is not distinct from _memory.contact_id and lower(topic) = lower(_memory.topic)
$$;
comment on function private.supersede_memories(public.memories) is 'A fact takes the place of those on the same topic of the same person.';
revoke all on function private.supersede_memories from public, anon, authenticated, service_role;

-- Definer, like all that follow: what may be remembered is checked here, and nowhere else is written.
create function public.remember(
  _body text,
  _kind public.memory_kind,
  _contact_id uuid default null,
  _topic text default null,
  _replaces uuid default null,
  _anyway boolean default false
)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _text text := btrim(regexp_replace(_body, '\s+', ' ', 'g'));
  _similar uuid;
  _memory public.memories;
begin
  if _contact_id is not null and not exists (
    select from public.contacts where user_id = _user_id and id = _contact_id
  ) then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  _similar := private.similar_memory(_user_id, _text, _replaces);
  if _similar is not null and not _anyway then
    raise exception 'there is one nearly like it' using errcode = 'SM002', detail = _similar::text;
  end if;
  if _replaces is not null then
    update public.memories set state = 'superata', updated_at = now()
    where user_id = _user_id and id = _replaces;
    if not found then
      raise exception 'no such memory' using errcode = 'PT404';
    end if;
  end if;
  perform private.refuse_memory(_user_id, _text);
  -- Whoever says it again wants it again.
  delete from private.memory_tombstones where user_id = _user_id and digest = private.memory_digest(_text);
  insert into public.memories (user_id, kind, contact_id, topic, body, state, origin, source)
  values (_user_id, _kind, _contact_id, _topic, _text, 'attiva', 'utente', 'manuale')
  returning * into _memory;
  update public.memories set superseded_by = _memory.id where user_id = _user_id and id = _replaces;
  perform private.supersede_memories(_memory);
  return _memory;
end
$$;
comment on function public.remember(text, public.memory_kind, uuid, text, uuid, boolean) is
  'Writes down what the caller said to remember, in place of another fact if one is named; SM001, SM002, SM003, PT404.';
revoke all on function public.remember from public, anon, authenticated, service_role;
grant execute on function public.remember to authenticated;

create function public.keep_memory(_id uuid, _body text default null)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _memory public.memories;
  _text text;
begin
  select * into _memory from public.memories where user_id = _user_id and id = _id for update;
  if not found or _memory.state = 'superata' then
    raise exception 'no such memory' using errcode = 'PT404';
  end if;
  _text := coalesce(btrim(regexp_replace(_body, '\s+', ' ', 'g')), _memory.body);
  if _text <> _memory.body or _memory.state <> 'attiva' then
    -- Its own length counts once.
    update public.memories set state = 'sospesa' where id = _id and state = 'attiva';
    perform private.refuse_memory(_user_id, _text);
    update public.memories set body = _text, state = 'attiva', updated_at = now() where id = _id returning * into _memory;
    perform private.supersede_memories(_memory);
  end if;
  return _memory;
end
$$;
comment on function public.keep_memory(uuid, text) is
  'Makes a proposal, a paused or a corrected memory of the caller count; SM001, SM003, PT404.';
revoke all on function public.keep_memory from public, anon, authenticated, service_role;
grant execute on function public.keep_memory to authenticated;

create function public.pause_memory(_id uuid)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _memory public.memories;
begin
  update public.memories set state = 'sospesa', updated_at = now()
  where user_id = (select auth.uid()) and id = _id and state in ('attiva', 'sospesa')
  returning * into _memory;
  if not found then
    raise exception 'no such memory' using errcode = 'PT404';
  end if;
  return _memory;
end
$$;
comment on function public.pause_memory(uuid) is 'Keeps a memory of the caller without using it, until keep_memory; PT404.';
revoke all on function public.pause_memory from public, anon, authenticated, service_role;
grant execute on function public.pause_memory to authenticated;

create function public.forget(_ids uuid[] default null, _contact_id uuid default null, _everything boolean default false)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _forgotten integer;
begin
  with gone as (
    delete from public.memories
    where user_id = _user_id and (_everything or id = any (_ids) or contact_id = _contact_id)
    returning body
  ), buried as (
    insert into private.memory_tombstones (user_id, digest)
      select distinct _user_id, private.memory_digest(body) from gone
    on conflict do nothing
  )
  select count(*) into _forgotten from gone;
  return _forgotten;
end
$$;
comment on function public.forget(uuid[], uuid, boolean) is
  'Erases memories of the caller: those named, all about a contact, or all. They are never proposed again. Answers how many.';
revoke all on function public.forget from public, anon, authenticated, service_role;
grant execute on function public.forget to authenticated;

create function private.propose_memory(
  _user_id uuid,
  _body text,
  _kind public.memory_kind,
  _source public.memory_source,
  _source_id uuid,
  _source_quote text,
  _contact_id uuid default null,
  _topic text default null
)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _text text := btrim(regexp_replace(_body, '\s+', ' ', 'g'));
  _memory public.memories;
begin
  if exists (select from public.memory_settings where user_id = _user_id and not is_active)
    or _kind = 'narrativa' or _source = 'manuale' or char_length(_text) not between 12 and 240
    or private.unmemorable(_text) is not null or private.unmemorable(_source_quote) is not null
    -- Somebody it is about: a contact, the person themselves, or a name.
    or (_kind = 'contatto' and _contact_id is null and _text !~ '\m[[:upper:]][[:lower:]]+')
    or exists (
      select from private.memory_tombstones where user_id = _user_id and digest = private.memory_digest(_text)
    )
    -- Known already, unless it is another word on the topic of what holds: 0.9 is the same with a slip of the pen.
    or exists (
      select from public.memories
      where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta')
        and extensions.similarity(private.search_text(body), private.search_text(_text)) >= case
          when state <> 'proposta' and lower(topic) = lower(_topic) and contact_id is not distinct from _contact_id
            and (kind <> 'contatto' or contact_id is not null)
          then 0.9 else 0.6
        end
    )
    -- Three of one conversation are a person's patience.
    or (select count(*) >= 3 from public.memories where user_id = _user_id and source_id = _source_id and origin = 'ia')
  then
    return null;
  end if;
  insert into public.memories (user_id, kind, contact_id, topic, body, origin, source, source_id, source_quote)
  values (_user_id, _kind, _contact_id, _topic, _text, 'ia', _source, _source_id, left(_source_quote, 500))
  returning * into _memory;
  return _memory;
end
$$;
comment on function private.propose_memory is
  'Lays a found fact before its person, if it passes the gate (product.md 2); null if not.';
revoke all on function private.propose_memory from public, anon, authenticated, service_role;
grant execute on function private.propose_memory to service_role;

create function private.note_memory_uses(_user_id uuid, _ids uuid[])
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.memories set uses = uses + 1, last_used_at = now() where user_id = _user_id and id = any (_ids)
$$;
comment on function private.note_memory_uses(uuid, uuid[]) is 'These memories stood beside a question.';
revoke all on function private.note_memory_uses from public, anon, authenticated, service_role;
grant execute on function private.note_memory_uses to service_role;

create function public.recall_memories(_question text, _limit integer default 5, _contact_id uuid default null)
  returns table (id uuid, kind public.memory_kind, contact_id uuid, body text, source_quote text, rank real)
  language sql stable security definer
  set search_path = ''
as $$
  with mine as materialized (
    select memories.*, private.search_text(concat_ws(' ', contacts.name, memories.body)) as plain,
      to_tsvector('pg_catalog.simple', coalesce(contacts.name, '')) as names, count(*) over () as total
    from public.memories
    left join public.contacts on contacts.user_id = memories.user_id and contacts.id = memories.contact_id
    where memories.user_id = (select auth.uid()) and memories.state = 'attiva'
      and (expires_at is null or expires_at > now())
      and (_contact_id is null or memories.contact_id = _contact_id)
      and not exists (select from public.memory_settings where user_id = (select auth.uid()) and not is_active)
  ), asked as materialized (
    -- Words that carry meaning: those that the Italian dictionary does not stop.
    select distinct word, to_tsvector('pg_catalog.italian', word) as stems
    from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', left(_question, 1000)))) as word
    where to_tsvector('pg_catalog.italian', word) <> ''
  ), weighed as (
    select 'stem' as way, stem as lexeme, ln((max(total) + 1) / (count(*) + 0.5)) as weight
    from (select distinct unnest(tsvector_to_array(stems)) as stem from asked) as lexemes
    join mine on mine.stems @@ quote_literal(stem)::tsquery
    group by stem
    union all
    select 'word', word, ln((max(total) + 1) / (count(*) + 0.5))
    from asked join mine on (mine.words || names) @@ quote_literal(word)::tsquery
    group by word
  ), scored as (
    select mine.id, way, sum(weight)::real as score
    from mine join weighed
      on (way = 'stem' and mine.stems @@ quote_literal(lexeme)::tsquery)
      or (way = 'word' and (mine.words || names) @@ quote_literal(lexeme)::tsquery)
    group by mine.id, way
    union all
    select mine.id, 'trigram', sum(
        case when likeness >= 0.4 then likeness else 0 end
      )::real
    from mine cross join asked
    cross join lateral (select extensions.word_similarity(private.search_text(word), plain) as likeness) as compared
    group by mine.id
  ), fused as (
    -- Reciprocal rank fusion with k = 60 (product.md 2).
    select scored.id, sum(1.0 / (60 + place))::real as rank
    from (select id, rank() over (partition by way order by score desc) as place from scored where score > 0) as scored
    group by scored.id
  )
  select mine.id, mine.kind, mine.contact_id, mine.body, mine.source_quote, fused.rank
  from fused join mine on mine.id = fused.id
  order by fused.rank desc, mine.importance desc, mine.updated_at desc, mine.id
  limit least(_limit, 50)
$$;
comment on function public.recall_memories(text, integer, uuid) is
  'What the caller''s memory holds for a question, best first: Italian stems, words as they are and trigrams, fused.';
revoke all on function public.recall_memories from public, anon, authenticated, service_role;
grant execute on function public.recall_memories to authenticated;

alter table public.memories enable row level security;
alter table private.memory_tombstones enable row level security;
alter table public.memory_settings enable row level security;

create policy "owners read their memories" on public.memories
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners change their memories" on public.memories
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners read their memory settings" on public.memory_settings
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners make their memory settings" on public.memory_settings
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners change their memory settings" on public.memory_settings
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

revoke all on public.memories from public, anon, authenticated, service_role;
grant select on public.memories to authenticated, service_role;
grant update (kind, contact_id, importance, expires_at) on public.memories to authenticated;

revoke all on private.memory_tombstones from public, anon, authenticated, service_role;

revoke all on public.memory_settings from public, anon, authenticated, service_role;
grant select on public.memory_settings to authenticated, service_role;
grant insert (user_id, is_active, in_new_chats) on public.memory_settings to authenticated;
grant update (user_id, is_active, in_new_chats) on public.memory_settings to authenticated;

alter table public.memories replica identity using index memories_identity;

-- Conversations with the assistant: a tree of messages each, what the person thought of an answer, and which memories stood
-- beside it.
--
-- The server writes what was said (private.begin_turn, private.finish_turn); the owner names, pins, archives and deletes. A
-- question that was edited and an answer that was made anew are siblings: they have the same parent.

create type public.message_status as enum ('queued', 'streaming', 'done', 'stopped', 'error');

create domain public.assistant_agent as text
  check (value in ('automatico', 'logico', 'creativo', 'strategico', 'etico', 'esecutore', 'consiglio'));
comment on domain public.assistant_agent is 'Who of the assistant answers.';

create table public.conversations (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  title public.single_line,
  agent public.assistant_agent not null default 'automatico',
  is_temporary boolean not null default false,
  uses_memory boolean not null default true,
  auto_approve text[] not null default '{}',
  pinned_at timestamptz,
  archived_at timestamptz,
  last_message_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- Also the replica identity: of a deleted row its owner alone is told.
  constraint conversations_identity unique (user_id, id),
  constraint title_fits check (char_length(title) <= 120),
  constraint only_what_can_be_taken_back_needs_no_question check (
    auto_approve <@ array['create_task', 'add_note', 'complete_task', 'move_task']
  )
);
comment on table public.conversations is 'Conversations of one person with the assistant.';
comment on column public.conversations.is_temporary is 'Neither listed nor remembered; erased an hour after its last message.';
comment on column public.conversations.auto_approve is 'Tools that may act here without being asked each time.';

create table public.messages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  conversation_id uuid not null,
  parent_id uuid,
  role text not null,
  agent public.assistant_agent,
  content text not null default '',
  status public.message_status not null,
  mode text,
  model text,
  refs jsonb not null default '[]',
  unverified jsonb not null default '[]',
  suggestions jsonb not null default '[]',
  views jsonb not null default '[]',
  attachments uuid[] not null default '{}',
  picked jsonb,
  tokens_in integer,
  tokens_out integer,
  quote bigint,
  cost bigint,
  hold_id uuid,
  client_key uuid,
  error_code text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  -- Also the replica identity.
  constraint messages_identity unique (user_id, id),
  constraint messages_of_conversation unique (user_id, conversation_id, id),
  constraint messages_client_key unique (user_id, client_key),
  foreign key (user_id, conversation_id) references public.conversations (user_id, id) on delete cascade,
  foreign key (user_id, conversation_id, parent_id) references public.messages (user_id, conversation_id, id)
    on delete cascade,
  constraint roles_are_two check (role in ('user', 'assistant')),
  constraint modes_are_two check (mode in ('locale', 'ia')),
  constraint an_answer_answers check (role = 'user' or parent_id is not null),
  constraint content_fits check (char_length(content) <= case role when 'user' then 20000 else 100000 end),
  constraint lists_are_lists check (
    jsonb_typeof(refs) = 'array' and jsonb_typeof(unverified) = 'array' and jsonb_typeof(suggestions) = 'array'
    and jsonb_typeof(views) = 'array'
  ),
  constraint attachments_are_few check (cardinality(attachments) <= 20),
  constraint picked_is_a_record check (jsonb_typeof(picked) = 'object' and octet_length(picked::text) <= 2000),
  constraint what_is_counted_is_positive check (tokens_in >= 0 and tokens_out >= 0 and quote >= 0),
  -- «Mai più del preventivo».
  constraint nothing_costs_more_than_its_quote check (cost between 0 and quote),
  constraint error_code_is_a_name check (error_code ~ '^[a-z_]{1,50}$')
);
comment on table public.messages is 'What was asked and answered; who has the same parent is another version.';
comment on column public.messages.refs is 'What an answer cites: [{n, kind, id, label, place}]; [^n] in its text.';
comment on column public.messages.unverified is
  'Figures that stand in no result of a tool: [[begin, end)] in UTF-16 units of the text.';
comment on column public.messages.suggestions is 'What may be asked next: [{label, text, ref}].';
comment on column public.messages.views is 'What each agent of a council said: [{agent, content, status}].';
comment on column public.messages.attachments is 'Documents that came with a question.';
comment on column public.messages.picked is 'The record that the person pointed at: {kind, id, label}.';
comment on column public.messages.quote is 'The most that the answer may cost, in credits; of a question null.';
comment on column public.messages.client_key is 'Of an answer: the key under which its turn was sent, so that a repeated request is one.';

create table public.message_feedback (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  message_id uuid not null,
  score smallint not null,
  reason text,
  created_at timestamptz not null default now(),

  primary key (user_id, message_id),
  foreign key (user_id, message_id) references public.messages (user_id, id) on delete cascade,
  constraint score_is_a_thumb check (score in (-1, 1)),
  constraint reason_fits check (char_length(reason) between 1 and 500)
);
comment on table public.message_feedback is 'What people thought of an answer.';

create table public.memory_uses (
  user_id uuid not null references auth.users (id) on delete cascade,
  memory_id uuid not null,
  message_id uuid not null,
  created_at timestamptz not null default now(),

  primary key (memory_id, message_id),
  foreign key (user_id, memory_id) references public.memories (user_id, id) on delete cascade,
  foreign key (user_id, message_id) references public.messages (user_id, id) on delete cascade
);
comment on table public.memory_uses is 'Which memories stood beside which answer («Perché lo sai?»).';

create index conversations_latest on public.conversations (user_id, last_message_at desc);

-- Serves the purge.
create index conversations_temporary on public.conversations (last_message_at) where is_temporary;

create index messages_children on public.messages (user_id, conversation_id, parent_id);

create index memory_uses_message on public.memory_uses (user_id, message_id);

create index memory_uses_memory on public.memory_uses (user_id, memory_id);

alter table public.conversations enable row level security;
alter table public.messages enable row level security;
alter table public.message_feedback enable row level security;
alter table public.memory_uses enable row level security;

create policy "owners read their conversations" on public.conversations
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners change their conversations" on public.conversations
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners delete their conversations" on public.conversations
  for delete to authenticated using (user_id = (select auth.uid()));

create policy "owners read their messages" on public.messages
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners read their feedback" on public.message_feedback
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners give feedback" on public.message_feedback
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners change their feedback" on public.message_feedback
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners take their feedback back" on public.message_feedback
  for delete to authenticated using (user_id = (select auth.uid()));

create policy "owners read which memories were used" on public.memory_uses
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.conversations from public, anon, authenticated, service_role;
grant select, delete on public.conversations to authenticated, service_role;
grant update (title, agent, uses_memory, auto_approve, pinned_at, archived_at) on public.conversations to authenticated;

revoke all on public.messages from public, anon, authenticated, service_role;
grant select on public.messages to authenticated, service_role;

revoke all on public.message_feedback from public, anon, authenticated, service_role;
grant select, delete on public.message_feedback to authenticated;
grant select on public.message_feedback to service_role;
grant insert (user_id, message_id, score, reason) on public.message_feedback to authenticated;
grant update (user_id, message_id, score, reason) on public.message_feedback to authenticated;

revoke all on public.memory_uses from public, anon, authenticated, service_role;
grant select on public.memory_uses to authenticated, service_role;

create trigger set_updated_at
  before update of title, agent, uses_memory, auto_approve, pinned_at, archived_at on public.conversations
  for each row execute function private.set_updated_at();

alter table public.conversations replica identity using index conversations_identity;
alter table public.messages replica identity using index messages_identity;

-- What the assistant proposes to do, and what became of it. Nothing is written without its row here, and a row is carried out
-- once: who takes it holds its lock until the transaction that writes is over.
--
-- Error codes raised:
--   ST001  the proposal has expired
--   ST002  it was decided already; the message is its state
--   ST003  it cannot be undone, or not any more
--   PT404  there is no such proposal or message of the caller (404)

create type public.tool_call_state as enum (
  'proposed', 'approved', 'edited', 'rejected', 'executed', 'failed', 'expired', 'undone'
);

create type public.tool_call_risk as enum ('basso', 'medio', 'alto');

create table public.tool_calls (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  conversation_id uuid not null,
  message_id uuid not null,
  seq integer not null,
  tool text not null,
  args jsonb not null,
  preview jsonb not null,
  risk public.tool_call_risk not null,
  rules jsonb not null default '[]',
  from_data boolean not null default false,
  state public.tool_call_state not null default 'proposed',
  needs_count integer,
  undo_until timestamptz,
  expires_at timestamptz not null default now() + interval '7 days',
  decided_at timestamptz,
  result jsonb,
  undo jsonb,
  error_code text,
  created_at timestamptz not null default now(),

  -- Also the replica identity: of a deleted row its owner alone is told.
  constraint tool_calls_identity unique (user_id, id),
  constraint tool_calls_of_message unique (user_id, conversation_id, message_id, seq),
  foreign key (user_id, conversation_id, message_id) references public.messages (user_id, conversation_id, id)
    on delete cascade,
  constraint seq_counts_from_one check (seq >= 1),
  constraint tool_is_a_name check (tool ~ '^[a-z_]{1,50}$'),
  constraint args_and_preview_are_objects check (jsonb_typeof(args) = 'object' and jsonb_typeof(preview) = 'object'),
  constraint rules_are_a_list check (jsonb_typeof(rules) = 'array'),
  constraint needs_count_counts check (needs_count >= 1),
  constraint what_is_decided_has_a_time check ((state in ('proposed', 'expired')) = (decided_at is null)),
  constraint error_code_is_a_name check (error_code ~ '^[a-z_]{1,50}$')
);
comment on table public.tool_calls is 'Writes that the assistant proposed, and what became of each.';
comment on column public.tool_calls.args is 'What would be, and in the end what was, carried out.';
comment on column public.tool_calls.preview is 'What the person is shown: {title, lines: [{label, value}], body, before}.';
comment on column public.tool_calls.rules is 'Why it asks: [{id, reason}].';
comment on column public.tool_calls.from_data is 'The turn had read what strangers may have written.';
comment on column public.tool_calls.needs_count is 'How many it concerns: the person types the number.';
comment on column public.tool_calls.undo is 'What is needed to take it back; null: it cannot be.';
comment on column public.tool_calls.undo_until is 'Null: for as long as it is there.';

-- Serves the sweep.
create index tool_calls_open on public.tool_calls (expires_at) where state = 'proposed';

create function private.propose_tool_call(
  _user_id uuid,
  _message_id uuid,
  _tool text,
  _args jsonb,
  _preview jsonb,
  _risk text,
  _rules jsonb default '[]',
  _from_data boolean default false,
  _needs_count integer default null
)
  returns public.tool_calls
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _call public.tool_calls;
begin
  -- Locked, so that two proposals of one answer have two numbers.
  perform from public.messages where user_id = _user_id and id = _message_id and role = 'assistant' for no key update;
  insert into public.tool_calls
    (user_id, conversation_id, message_id, seq, tool, args, preview, risk, rules, from_data, needs_count)
  select user_id, conversation_id, id, (
      select count(*) + 1 from public.tool_calls as others
      where others.user_id = _user_id and others.conversation_id = messages.conversation_id and message_id = _message_id
    ), _tool, _args, _preview, _risk::public.tool_call_risk, _rules, _from_data, _needs_count
  from public.messages where user_id = _user_id and id = _message_id and role = 'assistant'
  returning * into _call;
  if not found then
    raise exception 'no such answer' using errcode = 'PT404';
  end if;
  return _call;
end
$$;
comment on function private.propose_tool_call is 'Lays a write before its person, as the next card of an answer; PT404.';
revoke all on function private.propose_tool_call from public, anon, authenticated, service_role;
grant execute on function private.propose_tool_call to service_role;

-- Definer, like the next: the state of a proposal is written by these only.
create function public.take_tool_call(_id uuid, _decision text, _args jsonb default null)
  returns public.tool_calls
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _call public.tool_calls;
begin
  select * into _call from public.tool_calls where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such proposal' using errcode = 'PT404';
  elsif _decision not in ('approve', 'refuse', 'undo') or _decision is null then
    raise exception 'a decision is approve, refuse or undo' using errcode = '22023';
  elsif _decision = 'undo' and _call.state = 'executed' then
    if _call.undo is null or _call.undo_until <= now() then
      raise exception 'this cannot be undone any more' using errcode = 'ST003';
    end if;
  elsif _call.state = 'expired' or _call.state = 'proposed' and _call.expires_at <= now() then
    raise exception 'the proposal has expired' using errcode = 'ST001';
  elsif _decision = 'undo' and _call.state <> 'undone' then
    raise exception 'this cannot be undone' using errcode = 'ST003';
  elsif _call.state <> 'proposed' then
    raise exception '%', _call.state using errcode = 'ST002';
  elsif _decision = 'refuse' then
    update public.tool_calls set state = 'rejected', decided_at = now() where id = _id returning * into _call;
  elsif _args is not null then
    update public.tool_calls set args = _args where id = _id returning * into _call;
  end if;
  return _call;
end
$$;
comment on function public.take_tool_call(uuid, text, jsonb) is
  'Takes a proposal of the caller to carry it out or back: its row stays locked until the transaction ends, in which '
  'settle_tool_call says what came of it. A refusal is final at once. PT404, ST001, ST002, ST003.';
revoke all on function public.take_tool_call from public, anon, authenticated, service_role;
grant execute on function public.take_tool_call to authenticated;

create function public.settle_tool_call(
  _id uuid,
  _state text,
  _args jsonb default null,
  _result jsonb default null,
  _undo jsonb default null,
  _undo_until timestamptz default null,
  _error_code text default null
)
  returns public.tool_calls
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _call public.tool_calls;
begin
  select * into _call from public.tool_calls where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such proposal' using errcode = 'PT404';
  elsif (_call.state::text, _state) not in (('proposed', 'executed'), ('proposed', 'failed'), ('executed', 'undone')) then
    raise exception '%', _call.state using errcode = 'ST002';
  end if;
  update public.tool_calls set
    state = _state::public.tool_call_state, decided_at = coalesce(decided_at, now()),
    args = coalesce(_args, args), result = coalesce(_result, result), error_code = _error_code,
    undo = case _state when 'executed' then _undo end, undo_until = case _state when 'executed' then _undo_until end
  where id = _id
  returning * into _call;
  return _call;
end
$$;
comment on function public.settle_tool_call(uuid, text, jsonb, jsonb, jsonb, timestamptz, text) is
  'Says what came of a proposal of the caller that was taken: executed, failed or undone; PT404, ST002.';
revoke all on function public.settle_tool_call from public, anon, authenticated, service_role;
grant execute on function public.settle_tool_call to authenticated;

create function private.expire_tool_calls()
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with old as (
    update public.tool_calls set state = 'expired' where state = 'proposed' and expires_at <= now() returning id
  )
  select count(*) from old
$$;
comment on function private.expire_tool_calls() is 'Closes proposals that nobody decided in time; answers how many.';
revoke all on function private.expire_tool_calls from public, anon, authenticated, service_role;
grant execute on function private.expire_tool_calls to service_role;

alter table public.tool_calls enable row level security;

create policy "owners read what was proposed" on public.tool_calls
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.tool_calls from public, anon, authenticated, service_role;
grant select on public.tool_calls to authenticated, service_role;

alter table public.tool_calls replica identity using index tool_calls_identity;

-- How much a person may ask: so many turns a minute, an hour and a day, by their plan. Counted apart from conversations, so
-- that deleting one gives nothing back.
--
-- Error codes raised:
--   SA001  too many requests; the detail is in how many seconds there is room again

create table private.assistant_use (
  user_id uuid not null references auth.users (id) on delete cascade,
  span interval not null,
  started_at timestamptz not null default now(),
  turns integer not null default 0,
  primary key (user_id, span)
);
comment on table private.assistant_use is 'Turns of a person in the running minute, hour and day; each begins with its first turn.';

create function private.plan_of(_user_id uuid)
  returns text
  language sql stable
  set search_path = ''
as $$
  -- Plans are not sold yet: the largest pack of the last twelve months stands for one.
  select coalesce((
    select case pack_id when 'enterprise' then 'business' else pack_id end
    from public.credit_orders
    where user_id = _user_id and state = 'fulfilled' and created_at > now() - interval '12 months'
      and pack_id in ('starter', 'pro', 'enterprise')
    order by amount_cents desc limit 1
  ), 'free')
$$;
comment on function private.plan_of(uuid) is 'The plan whose limits a person has: free, starter, pro or business.';
revoke all on function private.plan_of from public, anon, authenticated, service_role;
grant execute on function private.plan_of to service_role;

create function private.turn_limits(_plan text)
  returns table (span interval, most integer)
  language sql immutable
  set search_path = ''
as $$
  values
    (interval '1 minute', 20),
    (interval '1 hour', case _plan when 'free' then 100 when 'starter' then 500 else 2000 end),
    (interval '1 day', case _plan when 'free' then 1000 when 'starter' then 5000 else 20000 end)
$$;
comment on function private.turn_limits(text) is 'How many turns fit into which time.';
revoke all on function private.turn_limits from public, anon, authenticated, service_role;

create function private.count_turn(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _limit record;
  _use private.assistant_use;
begin
  for _limit in select span, most from private.turn_limits(private.plan_of(_user_id)) order by span loop
    insert into private.assistant_use as used (user_id, span, turns) values (_user_id, _limit.span, 1)
    on conflict (user_id, span) do update set
      started_at = case when used.started_at + used.span <= now() then now() else used.started_at end,
      turns = case when used.started_at + used.span <= now() then 1 else used.turns + 1 end
    returning * into _use;
    if _use.turns > _limit.most then
      raise exception 'more than % turns in %', _limit.most, _limit.span using errcode = 'SA001',
        detail = greatest(1, ceil(extract(epoch from _use.started_at + _use.span - now())))::text;
    end if;
  end loop;
end
$$;
comment on function private.count_turn(uuid) is 'Counts a turn; SA001 when it is one too many, which counts nothing.';
revoke all on function private.count_turn from public, anon, authenticated, service_role;

alter table private.assistant_use enable row level security;

revoke all on private.assistant_use from public, anon, authenticated, service_role;

-- Runs: the work on one answer, its events for whoever follows it, and its price.
--
-- A turn begins in one transaction (question, empty answer, run, hold) and ends in one (answer, price, memories). In between
-- events are appended, each with its number, so that a browser that lost them asks for the rest. Whoever dies in between
-- is swept after a minute.
--
-- Locks are taken in this order: the person's counters, conversations (by id), messages, runs, the wallet.
--
-- Error codes raised:
--   SA001  too many requests (turn_limits)
--   SA002  this conversation is answering already; the detail is its run
--   SA003  the person has three answers under way
--   SA004  nothing was written, or more than 20,000 characters
--   SC003, SC005  the wallet's
--   PT404  there is no such conversation, message, document or run of the person (404)

-- What an answer costs: the price of who answers in the end, never more than the person was shown; what was read is paid, also
-- when its conversation is deleted meanwhile or only the views of the council were told.
--
-- Error codes raised, beside those of runs:
--   SA005  the answer may cost more than the person was shown; the detail is its price

-- A turn that names the host of a provider begins only where its person has agreed to it: one call of the database for
-- both, instead of two in a transaction. (spec 7, product 6)

create table public.runs (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  conversation_id uuid not null,
  message_id uuid not null,
  state text not null default 'running',
  seq bigint not null default 0,
  stop_requested_at timestamptz,
  heartbeat_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  unique (user_id, id),
  constraint runs_message unique (user_id, conversation_id, message_id),
  foreign key (user_id, conversation_id, message_id) references public.messages (user_id, conversation_id, id)
    on delete cascade,
  constraint states_are_four check (state in ('running', 'done', 'stopped', 'error')),
  constraint what_ended_has_a_time check ((state = 'running') = (finished_at is null))
)
-- It beats twice a second, on its page: no index holds what changes then.
with (fillfactor = 80);
comment on table public.runs is 'The work on an answer.';
comment on column public.runs.seq is 'The number of its last event.';

-- Unlogged: worth something for minutes only, and what a crash of the database loses the answer tells.
create unlogged table private.run_events (
  run_id uuid not null references public.runs (id) on delete cascade,
  seq bigint not null,
  event text not null,
  data jsonb not null,
  primary key (run_id, seq)
);
comment on table private.run_events is 'What was streamed of an answer, for who comes back; gone ten minutes after its end.';

-- Append-only, and nobody's to read but the server: what was agreed to stays as it was said.
create table private.ai_consents (
  user_id uuid not null references auth.users (id) on delete cascade,
  host text not null,
  provider text not null,
  in_eu boolean,
  agreed_at timestamptz not null default now(),

  primary key (user_id, host)
);
comment on table private.ai_consents is 'Providers of models to which a person has agreed to send questions, and what they were told of them.';
comment on column private.ai_consents.host is 'Where it is asked: the same provider elsewhere is asked for anew.';
comment on column private.ai_consents.in_eu is 'Whether it answers from the European Union; null: it was not known.';

-- Two at once in one conversation do not exist. Serves the sweep as well.
create unique index runs_of_conversation on public.runs (user_id, conversation_id) where state = 'running';

create function private.quote_of(_action text)
  returns bigint
  language plpgsql stable
  set search_path = ''
as $$
declare
  _quote constant bigint := (
    select max_credits from public.credit_prices
    join public.catalog_versions using (version)
    where action = _action and published_at <= now() order by version desc limit 1
  );
begin
  if _action is not null and _quote is null then
    raise exception 'no price is known for %', _action using errcode = '22023';
  end if;
  return coalesce(_quote, 0);
end
$$;
comment on function private.quote_of(text) is 'The most that an action costs now, in credits; without an action nothing.';
revoke all on function private.quote_of from public, anon, authenticated, service_role;

create function private.turn_of(_user_id uuid, _answer uuid, _repeated boolean)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'conversation_id', conversation_id, 'user_message_id', messages.parent_id, 'message_id', messages.id,
    'run_id', runs.id, 'hold_id', messages.hold_id, 'quote', messages.quote,
    'uses_memory', conversations.uses_memory, 'auto_approve', to_jsonb(conversations.auto_approve), 'repeated', _repeated
  )
  from public.messages
  join public.runs using (user_id, conversation_id)
  join public.conversations on conversations.user_id = messages.user_id and conversations.id = conversation_id
  where messages.user_id = _user_id and messages.id = _answer and runs.message_id = _answer
$$;
comment on function private.turn_of(uuid, uuid, boolean) is 'What begin_turn answers of a turn; null if there is none.';
revoke all on function private.turn_of from public, anon, authenticated, service_role;

create function private.conversation_of_turn(_user_id uuid, _turn jsonb)
  returns public.conversations
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _conversation public.conversations;
  _temporary constant boolean := coalesce((_turn ->> 'is_temporary')::boolean, false);
begin
  if _turn ->> 'conversation_id' is not null then
    select * into _conversation from public.conversations
    where user_id = _user_id and id = (_turn ->> 'conversation_id')::uuid for no key update;
  elsif coalesce(_turn ->> 'parent_id', _turn ->> 'regenerate') is null then
    insert into public.conversations (user_id, agent, is_temporary, uses_memory)
    values (
      _user_id, coalesce(_turn ->> 'agent', 'automatico'), _temporary,
      not _temporary and not exists (
        select from public.memory_settings where user_id = _user_id and not (is_active and in_new_chats)
      )
    ) returning * into _conversation;
  end if;
  if _conversation.id is null then
    raise exception 'no such conversation' using errcode = 'PT404';
  end if;
  return _conversation;
end
$$;
comment on function private.conversation_of_turn(uuid, jsonb) is 'The conversation of a turn, locked, or a new one; PT404.';
revoke all on function private.conversation_of_turn from public, anon, authenticated, service_role;

create function private.refuse_busy(_user_id uuid, _conversation_id uuid)
  returns void
  language plpgsql stable
  set search_path = ''
as $$
declare
  _running constant uuid[] := array(select id from public.runs where user_id = _user_id and state = 'running');
  _run constant uuid := (
    select id from public.runs where user_id = _user_id and conversation_id = _conversation_id and state = 'running'
  );
begin
  if _run is not null then
    raise exception 'this conversation is answering already' using errcode = 'SA002', detail = _run::text;
  elsif cardinality(_running) >= 3 then
    raise exception 'three answers are under way' using errcode = 'SA003';
  end if;
end
$$;
comment on function private.refuse_busy(uuid, uuid) is 'SA002 while the conversation answers, SA003 while three answers are under way.';
revoke all on function private.refuse_busy from public, anon, authenticated, service_role;

create function private.question_of_turn(_user_id uuid, _conversation_id uuid, _turn jsonb)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _parent_id constant uuid := (_turn ->> 'parent_id')::uuid;
  _attachments constant uuid[] := array(
    select jsonb_array_elements_text(coalesce(nullif(_turn -> 'attachments', 'null'), '[]'))
  );
  _question uuid;
begin
  if _turn ->> 'regenerate' is not null then
    select case role when 'user' then id else parent_id end into _question from public.messages
    where user_id = _user_id and conversation_id = _conversation_id and id = (_turn ->> 'regenerate')::uuid;
    if _question is null then
      raise exception 'no such message' using errcode = 'PT404';
    end if;
    return _question;
  elsif _turn ->> 'content' !~ '[^[:space:]]' or char_length(_turn ->> 'content') not between 1 and 20000 then
    raise exception 'a question has 1 to 20,000 characters' using errcode = 'SA004';
  elsif _parent_id is not null and not exists (
    select from public.messages
    where user_id = _user_id and conversation_id = _conversation_id and id = _parent_id and role = 'assistant'
  ) then
    raise exception 'no such answer' using errcode = 'PT404';
  elsif exists (
    select from unnest(_attachments) as attached
    where not exists (select from public.documents where user_id = _user_id and id = attached and deleted_at is null)
  ) then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  insert into public.messages
    (user_id, conversation_id, parent_id, role, content, status, attachments, picked, finished_at)
  values (
    _user_id, _conversation_id, _parent_id, 'user', _turn ->> 'content', 'done', _attachments,
    nullif(_turn -> 'picked', 'null'), now()
  ) returning id into _question;
  return _question;
end
$$;
comment on function private.question_of_turn(uuid, uuid, jsonb) is
  'Writes down what was asked, or finds what is to be answered anew; PT404, SA004.';
revoke all on function private.question_of_turn from public, anon, authenticated, service_role;

create function private.begin_turn(_user_id uuid, _turn jsonb)
  returns jsonb
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _client_key constant uuid := (_turn ->> 'client_key')::uuid;
  _answer constant uuid := gen_random_uuid();
  _known jsonb;
  _conversation public.conversations;
  _agent text;
  _question uuid;
  _action text;
  _quote bigint;
  _hold uuid;
begin
  if _turn ->> 'host' is not null
    and not exists (select from private.ai_consents where user_id = _user_id and host = _turn ->> 'host')
  then
    raise exception 'the person has not agreed to this provider' using errcode = 'SA006';
  end if;
  -- One turn of a person at a time: the second of two equal requests waits here and finds the first.
  insert into private.assistant_use as used (user_id, span) values (_user_id, '1 minute')
  on conflict (user_id, span) do update set turns = used.turns;
  _known := private.turn_of(
    _user_id, (select id from public.messages where user_id = _user_id and client_key = _client_key), true
  );
  if _known is not null then
    return _known;
  end if;

  -- What died a minute ago keeps nobody from asking again.
  perform private.sweep_runs(10, _user_id);
  perform private.count_turn(_user_id);
  _conversation := private.conversation_of_turn(_user_id, _turn);
  perform private.refuse_busy(_user_id, _conversation.id);
  _question := private.question_of_turn(_user_id, _conversation.id, _turn);
  _agent := coalesce(_turn ->> 'agent', _conversation.agent);
  _action := case
    when _turn ->> 'mode' = 'locale' then null
    when _agent = 'consiglio' then 'advice'
    when (_turn ->> 'is_deep')::boolean then 'chat_deep'
    else 'chat'
  end;
  _quote := private.quote_of(_action);
  if _quote > (_turn ->> 'max_credits')::bigint then
    raise exception 'the answer may cost more than was shown' using errcode = 'SA005', detail = _quote;
  elsif _quote > 0 then
    _hold := (private.hold_credits(
      _user_id, _quote, 'chat:' || _answer, _action, _answer::text, now() + interval '10 minutes'
    )).id;
  end if;
  insert into public.messages
    (id, user_id, conversation_id, parent_id, role, agent, status, mode, model, quote, hold_id, client_key)
  values (
    _answer, _user_id, _conversation.id, _question, 'assistant', _agent, 'queued', _turn ->> 'mode', _turn ->> 'model',
    _quote, _hold, _client_key
  );
  insert into public.runs (user_id, conversation_id, message_id) values (_user_id, _conversation.id, _answer);
  update public.conversations set last_message_at = now() where user_id = _user_id and id = _conversation.id;
  return private.turn_of(_user_id, _answer, false);
end
$$;
comment on function private.begin_turn(uuid, jsonb) is
  'Writes down a question, an empty answer and its run, and holds the credits it may cost; the same client_key again answers '
  'the same. Turn: {conversation_id, parent_id, regenerate, content, attachments, picked, agent, mode, is_deep, model, '
  'client_key, is_temporary, max_credits}. Answers {conversation_id, user_message_id, message_id, run_id, hold_id, quote, '
  'uses_memory, auto_approve, repeated}. SA001 to SA005, SC003, SC005, PT404.';
revoke all on function private.begin_turn from public, anon, authenticated, service_role;
grant execute on function private.begin_turn to service_role;

create function private.append_events(_run_id uuid, _from_seq bigint, _events jsonb)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _must_stop boolean;
begin
  -- What a crash of the database takes with the events is worth no wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if _from_seq <= 1 and _events <> '[]' then
    update public.messages set status = 'streaming'
    where id = (select message_id from public.runs where id = _run_id) and status = 'queued';
  end if;
  update public.runs set
    heartbeat_at = now(), seq = greatest(seq, _from_seq + jsonb_array_length(_events) - 1)
  where id = _run_id and state = 'running'
  returning stop_requested_at is not null into _must_stop;
  if not found then
    return true;
  end if;
  insert into private.run_events (run_id, seq, event, data)
    select _run_id, _from_seq + place - 1, value ->> 'event', value -> 'data'
    from jsonb_array_elements(_events) with ordinality as events (value, place)
  on conflict do nothing;
  return _must_stop;
end
$$;
comment on function private.append_events(uuid, bigint, jsonb) is
  'Notes events [{event, data}] of a run, the first under the number _from_seq, and that it lives; answers whether it must stop: '
  'its owner said so, it was swept, or its conversation is gone.';
revoke all on function private.append_events from public, anon, authenticated, service_role;
grant execute on function private.append_events to service_role;

create function public.stop_run(_run_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.runs set stop_requested_at = coalesce(stop_requested_at, case state when 'running' then now() end)
  where user_id = (select auth.uid()) and id = _run_id;
  if not found then
    raise exception 'no such run' using errcode = 'PT404';
  end if;
end
$$;
comment on function public.stop_run(uuid) is 'Asks an answer of the caller to end; one that ended stays as it is. PT404.';
revoke all on function public.stop_run from public, anon, authenticated, service_role;
grant execute on function public.stop_run to authenticated;

create function private.close_hold_of_answer(_user_id uuid, _message_id uuid, _cost bigint)
  returns bigint
  language plpgsql volatile
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds
  where user_id = _user_id and idempotency_key = 'chat:' || _message_id;
  if not found then
    return 0;
  end if;
  _hold := private.lock_hold(_hold.id);
  if _hold.state <> 'open' then
    -- Swept: what took that long is a gift.
    return coalesce(_hold.captured, 0);
  elsif _cost > 0 then
    return (private.settle_hold(_hold.id, least(_cost, _hold.amount), 'chat:' || _message_id)).captured;
  end if;
  perform private.release_hold(_hold.id);
  return 0;
end
$$;
comment on function private.close_hold_of_answer(uuid, uuid, bigint) is
  'Takes what an answer costs, at most what is held for it, and gives the rest back; answers what it took.';
revoke all on function private.close_hold_of_answer from public, anon, authenticated, service_role;

create function private.lock_run(_run_id uuid)
  returns public.runs
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _run public.runs;
begin
  perform from public.conversations
  where (user_id, id) = (select user_id, conversation_id from public.runs where id = _run_id) for no key update;
  select * into _run from public.runs where id = _run_id for update;
  return _run;
end
$$;
comment on function private.lock_run(uuid) is 'A run, with its conversation locked first; null if it is gone.';
revoke all on function private.lock_run from public, anon, authenticated, service_role;

create function private.finish_turn(_run_id uuid, _outcome jsonb)
  returns public.messages
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _run constant public.runs := private.lock_run(_run_id);
  _state constant text := _outcome ->> 'state';
  _content constant text := left(coalesce(_outcome ->> 'content', ''), 100000);
  _views constant jsonb := coalesce(nullif(_outcome -> 'views', 'null'), '[]');
  _memories constant uuid[] := array(
    select jsonb_array_elements_text(coalesce(nullif(_outcome -> 'memory_ids', 'null'), '[]'))
  );
  _cost bigint := coalesce((_outcome ->> 'cost')::bigint, 0);
  _message public.messages;
begin
  if _run.state is distinct from 'running' then
    select * into _message from public.messages where id = _run.message_id;
    return _message;
  end if;
  if _state not in ('done', 'stopped', 'error') or _state is null then
    raise exception 'an answer ends done, stopped or error' using errcode = '22023';
  elsif _state = 'error' or _content !~ '[^[:space:]]' and not _views @> '[{"status": "done"}]' then
    _cost := 0;
  end if;
  _cost := private.close_hold_of_answer(_run.user_id, _run.message_id, _cost);
  update public.runs set state = _state, finished_at = now(), heartbeat_at = now() where id = _run_id;
  update public.messages set
    status = _state::public.message_status, content = _content, cost = _cost, finished_at = now(),
    agent = coalesce(_outcome ->> 'agent', agent), model = coalesce(_outcome ->> 'model', model),
    mode = coalesce(_outcome ->> 'mode', mode), error_code = _outcome ->> 'error_code',
    refs = coalesce(nullif(_outcome -> 'refs', 'null'), '[]'),
    unverified = coalesce(nullif(_outcome -> 'unverified', 'null'), '[]'),
    suggestions = coalesce(nullif(_outcome -> 'suggestions', 'null'), '[]'),
    views = _views,
    tokens_in = (_outcome ->> 'tokens_in')::integer, tokens_out = (_outcome ->> 'tokens_out')::integer
  where id = _run.message_id
  returning * into _message;
  insert into public.memory_uses (user_id, memory_id, message_id)
    select _run.user_id, id, _run.message_id from public.memories where user_id = _run.user_id and id = any (_memories)
  on conflict do nothing;
  perform private.note_memory_uses(_run.user_id, _memories);
  update public.conversations set
    last_message_at = now(), title = coalesce(title, left(private.one_line(_outcome ->> 'title'), 120))
  where user_id = _run.user_id and id = _run.conversation_id;
  return _message;
end
$$;
comment on function private.finish_turn(uuid, jsonb) is
  'Writes an answer down and takes its price, once; called again it answers the row as it is, and null when its conversation '
  'is gone. What an answer costs: one that ended by itself its price; one that its person stopped, or deleted, after text '
  'was shown, be it a view of the council that is done, the price times the share of agents or steps that were finished, '
  'rounded up, and at least 1; one that is empty, failed, was cut, stalled or crashed nothing, and its text so far is kept. '
  'It never costs more than its quote. Outcome: {state, content, refs, unverified, suggestions, views, tokens_in, tokens_out, '
  'cost, agent, model, mode, error_code, memory_ids, title}.';
revoke all on function private.finish_turn from public, anon, authenticated, service_role;
grant execute on function private.finish_turn to service_role;

create function private.sweep_runs(_limit integer default 100, _user_id uuid default null)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _due uuid;
  _swept integer := 0;
begin
  for _due in
    select run.id
    from public.runs as run
    join public.conversations on conversations.user_id = run.user_id and conversations.id = run.conversation_id
    where state = 'running' and heartbeat_at < now() - interval '1 minute'
      and (_user_id is null or run.user_id = _user_id)
    order by conversations.id limit _limit for no key update of conversations
  loop
    begin
      perform private.finish_turn(run.id, (
        select jsonb_build_object(
          'state', 'error', 'error_code', 'interrotta',
          'content', string_agg(data ->> 'text', '' order by seq) filter (where event = 'delta'),
          'refs', coalesce(jsonb_agg(data order by seq) filter (where event = 'ref'), '[]')
        )
        from private.run_events where run_id = run.id
      ))
      from public.runs as run
      -- It may have lived on while we waited.
      where run.id = _due and state = 'running' and heartbeat_at < now() - interval '1 minute';
      _swept := _swept + found::integer;
    exception
      -- A wallet that disagrees with itself is left to whoever looks into it.
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _swept;
end
$$;
comment on function private.sweep_runs(integer, uuid) is
  'Ends answers whose process has not been heard of for a minute, with their text so far and at no cost; answers how many.';
revoke all on function private.sweep_runs from public, anon, authenticated, service_role;
grant execute on function private.sweep_runs to service_role;

create function private.forget_run_events()
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.run_events using public.runs
    where runs.id = run_id and finished_at < now() - interval '10 minutes'
    returning 1
  )
  select count(*) from gone
$$;
comment on function private.forget_run_events() is 'Deletes the events of answers that ended ten minutes ago; answers how many.';
revoke all on function private.forget_run_events from public, anon, authenticated, service_role;
grant execute on function private.forget_run_events to service_role;

create function private.release_run()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  -- Three agents, the one that reviews, and the one answer made of them: the steps of a council.
  _steps constant numeric := 5;
  _views constant integer := (
    select count(distinct data ->> 'agent') from private.run_events
    where run_id = old.id and event = 'view' and data ->> 'status' = 'done'
  );
  -- With its account goes everything.
  _is_read constant boolean := exists (select from auth.users where id = old.user_id) and (
    _views > 0 or exists (
      select from private.run_events where run_id = old.id and event = 'delta' and data ->> 'text' ~ '[^[:space:]]'
    )
  );
  _quote constant bigint := (
    select amount from public.credit_holds where user_id = old.user_id and idempotency_key = 'chat:' || old.message_id
  );
begin
  perform private.close_hold_of_answer(
    old.user_id, old.message_id, case when _is_read then greatest(1, ceil(_quote * _views / _steps))::bigint else 0 end
  );
  return old;
end
$$;
comment on function private.release_run() is
  'Who deletes a conversation that is answering pays what stopping it would cost.';
revoke all on function private.release_run from public, anon, authenticated, service_role;

alter table public.runs enable row level security;
alter table private.run_events enable row level security;
alter table private.ai_consents enable row level security;

create policy "owners read their runs" on public.runs
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.runs from public, anon, authenticated, service_role;
grant select on public.runs to authenticated, service_role;

revoke all on private.run_events from public, anon, authenticated, service_role;
grant select on private.run_events to service_role;

revoke all on private.ai_consents from public, anon, authenticated, service_role;
grant select, insert on private.ai_consents to service_role;

create trigger release_run
  before delete on public.runs
  for each row when (old.state = 'running') execute function private.release_run();

-- Drafts: e-mails and WhatsApp messages that the assistant wrote and nobody sent. They belong to a contact, are moved by a
-- merge, and are part of the copy of what is kept about somebody.

create table public.drafts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid,
  conversation_id uuid,
  channel text not null,
  recipient text,
  subject public.single_line,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,

  -- Also the replica identity: of a deleted row its owner alone is told.
  constraint drafts_identity unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, conversation_id) references public.conversations (user_id, id) on delete set null (conversation_id),
  constraint channels_are_two check (channel in ('email', 'whatsapp')),
  constraint recipient_fits check (recipient ~ '[^[:space:]]' and recipient !~ '[[:cntrl:]]' and char_length(recipient) <= 320),
  constraint a_message_has_no_subject check (channel = 'email' or subject is null),
  constraint body_fits check (char_length(body) between 1 and 20000)
);
comment on table public.drafts is 'Messages to contacts that were written and not sent.';
comment on column public.drafts.recipient is 'An e-mail address, or a telephone number in E.164.';
comment on column public.drafts.deleted_at is 'In the trash since.';

create index drafts_latest on public.drafts (user_id, created_at desc);

create index drafts_contact on public.drafts (user_id, contact_id, created_at desc);

create index drafts_conversation on public.drafts (user_id, conversation_id);

-- Serves the purge of the trash.
create index drafts_trash on public.drafts (deleted_at) where deleted_at is not null;

alter table public.drafts enable row level security;

create policy "owners read their drafts" on public.drafts
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners write drafts" on public.drafts
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners change their drafts" on public.drafts
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners delete their drafts" on public.drafts
  for delete to authenticated using (user_id = (select auth.uid()));

revoke all on public.drafts from public, anon, authenticated, service_role;
grant select, delete on public.drafts to authenticated, service_role;
grant insert (
  id, user_id, contact_id, conversation_id, channel, recipient, subject, body
) on public.drafts to authenticated;
grant update (contact_id, channel, recipient, subject, body, deleted_at) on public.drafts to authenticated;

create trigger set_updated_at
  before update of channel, recipient, subject, body on public.drafts
  for each row execute function private.set_updated_at();

alter table public.drafts replica identity using index drafts_identity;

-- One box that finds conversations: by their title and by what was said in them, as contacts are found (a word, its beginning,
-- its Italian stem), through an index whose lexemes begin with their owner's key.

create table private.message_search (
  message_id uuid primary key references public.messages (id) on delete cascade,
  user_id uuid not null,
  document tsvector not null
);
comment on table private.message_search is 'What each message is found by; written by a trigger only.';

-- Without the list of pending entries, which every search after an answer would read from end to end.
create index message_search_document on private.message_search using gin (document) with (fastupdate = off);

create function private.follow_said_words()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.message_search (message_id, user_id, document)
  -- A vector of words has an end: a megabyte.
  values (new.id, new.user_id, private.search_document(
    private.search_key(new.user_id), '', private.search_text(left(new.content, 50000)), null, null, null
  ))
  on conflict (message_id) do update set document = excluded.document;
  return null;
end
$$;
comment on function private.follow_said_words() is 'Writes anew what a message is found by.';
revoke all on function private.follow_said_words from public, anon, authenticated, service_role;

create function private.word_beginnings(_words text[])
  returns text[]
  language sql stable strict
  set search_path = ''
as $$
  -- Up to where its stem goes: «fattura» marks «fatture» as well.
  select array_agg(
    regexp_replace(private.words_pattern(array[
      case when starts_with(word, stem) then stem else word end
    ]), '\(\?!\[\[:alnum:\]\]\)$', '[[:alnum:]]*') order by char_length(word) desc, word
  )
  from (
    select word, coalesce((ts_lexize('pg_catalog.italian_stem', word))[1], word) as stem from unnest(_words) as word
  ) as typed
$$;
comment on function private.word_beginnings(text[]) is 'Regular expressions (flag i) for words that begin as these, the longest first.';
revoke all on function private.word_beginnings from public, anon, authenticated, service_role;

create function public.search_conversations(_query text, _limit integer default 30)
  returns table (
    conversation_id uuid, title text, message_id uuid, snippet text, marks integer[], at timestamptz, rank real
  )
  language sql stable security definer
  set search_path = ''
as $$
  with asked as materialized (
    select words, private.search_query(private.search_key((select auth.uid())), words, 'wide') as query,
      private.word_beginnings(words) as patterns
    from (
      select (string_to_array(private.search_text(left(_query, 200)), ' '))[1:8] as words
    ) as typed
    where words <> '{}' and words <> '{""}'
  ), said as (
    select distinct on (messages.conversation_id) messages.conversation_id, messages.id, messages.content, messages.created_at
    from asked
    join private.message_search as found on found.document @@ asked.query and found.user_id = (select auth.uid())
    join public.messages on messages.user_id = (select auth.uid()) and messages.id = found.message_id
    order by messages.conversation_id, messages.created_at desc
  ), named as (
    select conversations.id from public.conversations, asked
    where user_id = (select auth.uid()) and conversations.title is not null and (
      select bool_and(conversations.title ~* pattern) from unnest(patterns) as pattern
    )
  ), hits as (
    select conversations.*, said.id as said_id, said.content, said.created_at as said_at,
      (case when named.id is not null then 1 else 0 end + case when said.id is not null then 0.5 else 0 end)::real as rank
    from public.conversations
    left join said on said.conversation_id = conversations.id
    left join named on named.id = conversations.id
    where user_id = (select auth.uid()) and not is_temporary
      and conversations.id in (select said.conversation_id from said union all select named.id from named)
    order by rank desc, coalesce(said.created_at, last_message_at) desc, conversations.id
    limit least(greatest(_limit, 0), 200)
  )
  select hits.id, hits.title::text, hits.said_id, cut.snippet, cut.marks, coalesce(hits.said_at, hits.last_message_at), hits.rank
  from hits
  cross join asked
  left join lateral private.page_snippet(hits.content, asked.patterns) as cut on hits.said_id is not null
  order by hits.rank desc, 6 desc, hits.id
$$;
comment on function public.search_conversations(text, integer) is
  'The caller''s conversations in whose title or messages all words stand, each with the latest message that fits; message null: '
  'only the title does. Marks are pairs (begin, end) in the snippet. Temporary ones are not found.';
revoke all on function public.search_conversations from public, anon, authenticated, service_role;
grant execute on function public.search_conversations to authenticated;

alter table private.message_search enable row level security;

revoke all on private.message_search from public, anon, authenticated, service_role;

create trigger follow_said_words
  after insert on public.messages
  for each row when (new.content <> '') execute function private.follow_said_words();

create trigger follow_changed_words
  after update of content on public.messages
  for each row when (new.content <> old.content) execute function private.follow_said_words();

-- Duplicates: who may be one person twice, told while a contact is typed and on a page of pairs.
--
-- Two contacts are compared only where something brings them together (a fiscal number, a company, a domain of mail, a name
-- that sounds alike), never each with each: 50,000 contacts are 1.25 thousand million pairs.
--
-- Reasons: codice_fiscale, partita_iva, pec, email, telefono, nome, nome_simile, azienda, dominio.

create table public.contact_distinct (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  a_id uuid not null,
  b_id uuid not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, a_id, b_id),
  foreign key (user_id, a_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, b_id) references public.contacts (user_id, id) on delete cascade,
  -- A pair has one spelling.
  constraint the_smaller_id_comes_first check (a_id < b_id)
);
comment on table public.contact_distinct is 'Pairs of which the owner said «non sono la stessa persona».';

create index contact_distinct_b on public.contact_distinct (user_id, b_id);

create function private.shared_mail_domains()
  returns text[]
  language sql immutable parallel safe
  set search_path = ''
as $$
  select array[
    'gmail.com', 'googlemail.com', 'libero.it', 'hotmail.it', 'hotmail.com', 'outlook.it', 'outlook.com', 'live.it', 'live.com',
    'msn.com', 'yahoo.it', 'yahoo.com', 'ymail.com', 'icloud.com', 'me.com', 'mac.com', 'virgilio.it', 'alice.it', 'tim.it',
    'tin.it', 'tiscali.it', 'fastwebnet.it', 'email.it', 'inwind.it', 'iol.it', 'vodafone.it', 'aruba.it', 'proton.me',
    'protonmail.com', 'pec.it', 'legalmail.it', 'arubapec.it', 'postecert.it', 'poste.it'
  ]
$$;
comment on function private.shared_mail_domains() is 'Mail domains that strangers share: they say nothing about who works together.';
revoke all on function private.shared_mail_domains from public, anon, authenticated, service_role;

create function private.plain_name(_name text)
  returns text
  language sql stable strict parallel safe
  set search_path = ''
as $$
  select btrim(regexp_replace(regexp_replace(lower(extensions.unaccent(_name)), '[.''’]', '', 'g'), '[^a-z0-9]+', ' ', 'g'))
$$;
comment on function private.plain_name(text) is 'A name without capitals, accents and punctuation: «D''Angelò S.r.l.» is dangelo srl.';
revoke all on function private.plain_name from public, anon, authenticated, service_role;

-- Definer, and every table with the caller's id: private functions and the trigram operators are out of a browser's reach.
create function public.find_duplicates(_limit integer default 50)
  returns table (a_id uuid, b_id uuid, score numeric, reasons text[])
  language sql stable security definer
  set search_path = ''
  -- One pass over what is the caller's: nested loops would be chosen from statistics of all owners.
  set enable_nestloop = off
as $$
  -- Those without a number are left out by name: a hash join would compare them all with each other.
  with mine as materialized (
    select id, type, company_id, vat_number, tax_code, lower(pec) as pec, plain, sorted,
      -- What is heard, not how it is written: no vowels, no doubled letters, no h.
      regexp_replace(regexp_replace(sorted, '[aeiouh]', '', 'g'), '(.)\1+', '\1', 'g') as sound
    from public.contacts,
      lateral (select private.plain_name(name) as plain) as names,
      lateral (select array_to_string(array(select unnest(string_to_array(plain, ' ')) order by 1), ' ') as sorted) as words
    where user_id = (select auth.uid()) and merged_into is null and deleted_at is null
  ), words as materialized (
    -- In one company or at one domain a name is alike only if a word of it is the same.
    select id, block, reason, word
    from (
      select id, company_id::text as block, 'azienda' as reason from mine where company_id is not null
      union
      select contact_id, split_part(norm, '@', 2), 'dominio'
      from public.contact_emails
      where user_id = (select auth.uid()) and split_part(norm, '@', 2) <> all (private.shared_mail_domains())
    ) as blocks
    join mine using (id), unnest(string_to_array(sorted, ' ')) as word
    where char_length(word) > 2
  ), neighbours as materialized (
    select distinct a.id as a_id, b.id as b_id, a.reason
    from words as a join words as b on b.block = a.block and b.word = a.word and a.id < b.id
  ), pairs as (
    select a.id as a_id, b.id as b_id, 'codice_fiscale' as reason, 0.97 as weight
    from mine as a join mine as b on b.tax_code = a.tax_code and b.type = a.type and a.id < b.id
    where a.tax_code is not null and b.tax_code is not null
    union all
    select a.id, b.id, 'partita_iva', 0.9
    from mine as a join mine as b on b.vat_number = a.vat_number and b.type = a.type and a.id < b.id
    where a.vat_number is not null and b.vat_number is not null
    union all
    select a.id, b.id, 'pec', 0.8
    from mine as a join mine as b on b.pec = a.pec and b.type = a.type and a.id < b.id
    where a.pec is not null and b.pec is not null
    union all
    select least(a.id, b.id), greatest(a.id, b.id), 'email', 0.8
    from mine as a
    join public.contact_emails as emails on emails.user_id = (select auth.uid()) and emails.norm = a.pec
    join mine as b on b.id = emails.contact_id and b.type = a.type and b.id <> a.id
    union all
    select a.id, b.id, case when a.sorted = b.sorted then 'nome' else 'nome_simile' end,
      case when a.sorted = b.sorted then 0.6 else 0.5 * extensions.similarity(a.plain, b.plain)::numeric end
    from mine as a join mine as b on b.sound = a.sound and b.type = a.type and a.id < b.id
    where a.sorted ~ ' |.{6}' and extensions.similarity(a.plain, b.plain) >= 0.55
    union all
    select near.a_id, near.b_id, unnest(array[near.reason, 'nome_simile']), 0.5 * likeness
    from (
      select neighbours.*, extensions.similarity(a.plain, b.plain)::numeric as likeness
      from neighbours join mine as a on a.id = neighbours.a_id join mine as b on b.id = neighbours.b_id and b.type = a.type
    ) as near
    where likeness >= 0.55
  ), signs as (
    -- Two companies at one domain are told once; the same name is more than a similar one.
    select pairs.a_id, pairs.b_id, case when reason like 'nome%' then 'nome' else reason end as family,
      min(reason) as reason, max(weight) as weight
    from pairs group by 1, 2, 3
  )
  select signs.a_id, signs.b_id, round(1 - exp(sum(ln(1 - weight)))::numeric, 2), array_agg(reason order by weight desc, reason)
  from signs
  where not exists (
    select from public.contact_distinct as distinct_pairs
    where distinct_pairs.user_id = (select auth.uid())
      and distinct_pairs.a_id = signs.a_id and distinct_pairs.b_id = signs.b_id
  )
  group by 1, 2
  order by 3 desc, 1, 2
  limit least(_limit, 500)
$$;
comment on function public.find_duplicates(integer) is
  'Pairs of the caller''s contacts that may be one, the surest first: score 0 to 1, and why.';
revoke all on function public.find_duplicates from public, anon, authenticated, service_role;
grant execute on function public.find_duplicates to authenticated;

create function public.similar_contacts(_draft jsonb)
  returns table (id uuid, name text, type public.contact_type, hard boolean, score numeric, reasons text[])
  language sql stable security definer
  set search_path = ''
as $$
  with typed as (
    select private.plain_name(case _draft ->> 'type'
        when 'azienda' then _draft ->> 'business_name'
        else concat_ws(' ', _draft ->> 'first_name', _draft ->> 'last_name')
      end) as plain,
      array(select lower(value) from jsonb_array_elements_text(_draft -> 'emails') as value) as emails,
      array(select value from jsonb_array_elements_text(_draft -> 'phones') as value) as phones
  ), found as (
    select contact_id, 'email' as reason from public.contact_emails, typed
    where user_id = (select auth.uid()) and norm = any (emails)
    union
    select contact_id, 'telefono' from public.contact_phones, typed
    where user_id = (select auth.uid()) and norm = any (phones)
    union
    select contacts.id, 'partita_iva' from public.contacts
    where user_id = (select auth.uid()) and vat_number = _draft ->> 'vat_number'
    union
    select contacts.id, 'codice_fiscale' from public.contacts
    where user_id = (select auth.uid()) and tax_code = upper(_draft ->> 'tax_code')
    union
    select contacts.id, 'azienda' from public.contacts, typed
    where user_id = (select auth.uid()) and company_id = (_draft ->> 'company_id')::uuid
      and extensions.similarity(private.plain_name(contacts.name), plain) >= 0.55
    union
    select contacts.id, 'dominio' from public.contact_emails
    join public.contacts on contacts.user_id = contact_emails.user_id and contacts.id = contact_id, typed
    where contact_emails.user_id = (select auth.uid())
      and split_part(norm, '@', 2) = any (array(
        select split_part(value, '@', 2) from unnest(emails) as value
        where split_part(value, '@', 2) <> all (private.shared_mail_domains())
      ))
      and extensions.similarity(private.plain_name(contacts.name), plain) >= 0.55
  )
  select contacts.id, contacts.name, contacts.type,
    bool_or(reason in ('email', 'telefono', 'partita_iva', 'codice_fiscale')) as hard,
    round(coalesce(max(extensions.similarity(private.plain_name(contacts.name), plain)), 0)::numeric, 2) as score,
    array_agg(reason order by reason)
  from found
  join public.contacts on contacts.user_id = (select auth.uid()) and contacts.id = contact_id, typed
  where merged_into is null and deleted_at is null and contacts.id is distinct from (_draft ->> 'id')::uuid
  group by contacts.id
  order by hard desc, score desc, contacts.id
  limit 5
$$;
comment on function public.similar_contacts(jsonb) is
  'Contacts of the caller that the one being typed may be: {id, type, first_name, last_name, business_name, company_id, emails, '
  'phones (E.164), vat_number, tax_code}. Hard: the same address or number; else a name alike in the same company or domain.';
revoke all on function public.similar_contacts from public, anon, authenticated, service_role;
grant execute on function public.similar_contacts to authenticated;

alter table public.contact_distinct enable row level security;

create policy "owners read their distinct contacts" on public.contact_distinct
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add distinct contacts" on public.contact_distinct
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners delete their distinct contacts" on public.contact_distinct
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.contact_distinct from public, anon, authenticated, service_role;
grant select, delete on public.contact_distinct to authenticated;
grant select, insert, delete on public.contact_distinct to service_role;
grant insert (id, user_id, a_id, b_id) on public.contact_distinct to authenticated;

-- Merging two contacts, and taking it back.
--
-- The one that is left (winner) takes the fields that were chosen and everything that hangs on the other (loser), which stays
-- hidden behind it for thirty days. What the merge changed is noted value by value, before and after.
--
-- Undoing it gives back exactly what the merge took, and keeps what happened since:
--   - a field of the winner that still holds what the merge wrote gets its former value; one that was changed since stays;
--   - what was moved and still hangs on the winner goes back, with what was edited in it; what was deleted stays deleted, what
--     was given to a third contact stays there, and what was added since stays with the winner;
--   - who took a consent back since, did so as one person: both contacts are noted as refusing.
--
-- Error codes raised:
--   SC021  there is no such contact or merge, or it is not shown any more
--   SC022  a person and a company are not one
--   SC023  the merge was undone already, is older than thirty days, or the one that is left was merged itself since

-- Merges and imports that end in time, and whose undoing gives back what was there: large ones go set by set and in portions,
-- one undone before another leaves no foreign value, a refusal outlives a file, and what is written to a merged contact
-- reaches the one that is left, whatever it is.

create table public.merge_log (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  winner_id uuid not null,
  loser_id uuid,
  loser_name text not null,
  choices jsonb not null,
  changes jsonb not null,
  created_at timestamptz not null default now(),
  undone_at timestamptz,

  unique (user_id, id),
  foreign key (user_id, winner_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, loser_id) references public.contacts (user_id, id) on delete set null (loser_id)
);
comment on table public.merge_log is 'Merges of contacts; after thirty days only that they were.';
comment on column public.merge_log.changes is
  'What to undo, in the order in which it was done: {table, key, before, after} of columns, {table, column, rows, before, after} '
  'of rows that were moved, {table, added} of rows that were added.';

create index merge_log_winner on public.merge_log (user_id, winner_id, created_at desc);

create index merge_log_loser on public.merge_log (user_id, loser_id);

-- Serves the purge.
create index merge_log_age on public.merge_log (created_at);

create function private.contact_references()
  returns table (held_by text, held_in text)
  language sql stable
  set search_path = ''
as $$
  select pg_class.relname::text, attname::text
  from pg_catalog.pg_constraint
  join pg_catalog.pg_class on pg_class.oid = conrelid and relnamespace = 'public'::regnamespace
  join pg_catalog.pg_attribute on attrelid = conrelid and attnum = conkey[array_length(conkey, 1)]
  where contype = 'f' and confrelid = 'public.contacts'::regclass
    -- These say how contacts relate to each other, not what belongs to one.
    and relname not in ('contact_distinct', 'merge_log') and attname <> 'merged_into'
  -- Without a reference, because proof outlives the contact.
  union all values ('consent_events', 'contact_id')
  order by 1, 2
$$;
comment on function private.contact_references() is
  'The one list of what hangs on a contact: every column that references contacts, so that a new table joins by itself.';
revoke all on function private.contact_references from public, anon, authenticated, service_role;

create function private.row_filter(_key jsonb)
  returns text
  language sql immutable strict
  set search_path = ''
as $$
  select string_agg(format('%I = %L', key, value), ' and ') from jsonb_each_text(_key)
$$;
comment on function private.row_filter(jsonb) is 'A key {column: value} as a condition.';
revoke all on function private.row_filter from public, anon, authenticated, service_role;

create function private.change_row(_table text, _key jsonb, _after jsonb)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _columns constant text := (select string_agg(format('%I', key), ', ') from jsonb_object_keys(_after) as key);
  _before jsonb;
begin
  execute format('select to_jsonb(t) from public.%I as t where %s for update', _table, private.row_filter(_key)) into _before;
  execute format(
    'update public.%1$I set (%2$s) = (select %2$s from jsonb_populate_record(null::public.%1$I, $1)) where %3$s',
    _table, _columns, private.row_filter(_key)
  ) using _after;
  return jsonb_build_object(
    'table', _table,
    -- A key may be among what changes: it is found again by what it is now.
    'key', _key || (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(_after) where _key ? key),
    'before', (select jsonb_object_agg(key, _before -> key) from jsonb_object_keys(_after) as key),
    'after', _after
  );
end
$$;
comment on function private.change_row(text, jsonb, jsonb) is 'Writes columns of one row and answers how to undo it.';
revoke all on function private.change_row from public, anon, authenticated, service_role;

create function private.move_children(_user_id uuid, _from uuid, _to uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _reference record;
  _rows uuid[];
  _changes jsonb := '[]';
begin
  for _reference in select * from private.contact_references() loop
    execute format(
      'select array_agg(%3$I) from public.%1$I where user_id = $1 and %2$I = $2',
      _reference.held_by, _reference.held_in, private.child_key(_reference.held_by)
    ) into _rows using _user_id, _from;
    _rows := private.move_rows(_user_id, _reference.held_by, _reference.held_in, _from, _to, _rows);
    if cardinality(_rows) > 0 then
      _changes := _changes || jsonb_build_object(
        'table', _reference.held_by, 'column', _reference.held_in, 'rows', _rows, 'before', _from, 'after', _to
      );
    end if;
  end loop;
  return _changes;
end
$$;
comment on function private.move_children(uuid, uuid, uuid) is 'Hangs everything of one contact on another; answers how to undo it.';
revoke all on function private.move_children from public, anon, authenticated, service_role;

create function private.merge_details(_user_id uuid, _from uuid, _to uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _row record;
  _changes jsonb := '[]';
begin
  -- One main address and number each.
  for _row in
    select held_by, held.id from (
      select 'contact_emails' as held_by, id, contact_id from public.contact_emails where user_id = _user_id and is_primary
      union all
      select 'contact_phones', id, contact_id from public.contact_phones where user_id = _user_id and is_primary
    ) as held
    where contact_id = _from and exists (
      select from public.contact_emails where held_by = 'contact_emails' and user_id = _user_id and contact_id = _to and is_primary
      union all
      select from public.contact_phones where held_by = 'contact_phones' and user_id = _user_id and contact_id = _to and is_primary
    )
  loop
    _changes := _changes || private.change_row(_row.held_by, jsonb_build_object('id', _row.id), '{"is_primary": false}');
  end loop;
  for _row in
    select kept.id, to_jsonb(other) as other
    from public.consents as kept
    join public.consents as other using (user_id, channel, purpose)
    where user_id = _user_id and kept.contact_id = _to and other.contact_id = _from and private.overrules(other, kept)
  loop
    _changes := _changes || private.change_row('consents', jsonb_build_object('id', _row.id), (
      select jsonb_object_agg(key, value) from jsonb_each(_row.other)
      where key in ('state', 'legal_basis', 'wording', 'source', 'at')
    ));
  end loop;
  -- Who was not the same person as the one is not the same as the other.
  with told as (
    insert into public.contact_distinct (user_id, a_id, b_id)
    select _user_id, least(third, _to), greatest(third, _to)
    from (
      select case a_id when _from then b_id else a_id end as third from public.contact_distinct
      where user_id = _user_id and _from in (a_id, b_id)
    ) as told_apart
    where third <> _to
    on conflict do nothing
    returning id
  )
  select _changes || jsonb_build_object('table', 'contact_distinct', 'added', coalesce(jsonb_agg(id), '[]')) into _changes from told;
  return _changes;
end
$$;
comment on function private.merge_details(uuid, uuid, uuid) is 'What has to be settled before children are moved; answers how to undo it.';
revoke all on function private.merge_details from public, anon, authenticated, service_role;

-- Definer: it writes what no browser may, each row found by the caller's id.
create function public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb default '{}')
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _fields constant text[] := array[
    'first_name', 'last_name', 'business_name', 'company_id', 'job_title', 'vat_number', 'tax_code', 'sdi_code', 'pec', 'regime',
    'address', 'website', 'touch_days', 'snoozed_until', 'note'
  ];
  _left jsonb;
  _gone jsonb;
  _taken jsonb;
  _changes jsonb;
  _id uuid;
begin
  -- In one order for everybody, so that two merges of the same pair wait for each other.
  perform from public.contacts where user_id = auth.uid() and id in (_winner, _loser) order by id for update;
  select to_jsonb(contacts) into _left from public.contacts
  where user_id = auth.uid() and id = _winner and merged_into is null and deleted_at is null;
  select to_jsonb(contacts) into _gone from public.contacts
  where user_id = auth.uid() and id = _loser and id <> _winner and merged_into is null and deleted_at is null;
  if _left is null or _gone is null then
    raise exception 'no such pair of contacts' using errcode = 'SC021';
  elsif _left -> 'type' <> _gone -> 'type' then
    raise exception 'a person and a company are not one' using errcode = 'SC022';
  elsif exists (select from jsonb_each_text(_choices) where key <> all (_fields) or value not in ('winner', 'loser')) then
    raise exception 'a choice is «winner» or «loser» for a field' using errcode = '22023';
  end if;

  -- Not chosen: what the winner says, else the loser.
  select jsonb_object_agg(field, _gone -> field) into _taken from unnest(_fields) as field
  where coalesce(_choices ->> field, case when _left ->> field is null then 'loser' end) = 'loser'
    and _gone -> field <> _left -> field;
  -- Companies are not part of themselves.
  if _taken ->> 'company_id' in (_winner::text, _loser::text) then
    _taken := _taken - 'company_id';
  end if;

  _changes := private.merge_details(auth.uid(), _loser, _winner);
  -- Before people come along: who works for a company is found by its name.
  if _taken <> '{}' then
    _changes := _changes || private.change_row('contacts', jsonb_build_object('id', _winner), _taken);
  end if;
  _changes := _changes || private.move_children(auth.uid(), _loser, _winner);
  -- What was said to the other is no news: it ends no snooze.
  update public.contacts set snoozed_until = ((_left || coalesce(_taken, '{}')) ->> 'snoozed_until')::timestamptz
  where user_id = auth.uid() and id = _winner;
  _changes := _changes
    || private.change_row('contacts', jsonb_build_object('id', _loser), jsonb_build_object('merged_into', _winner));
  -- The cadence counts what hangs on the contact now.
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_winner, _loser);
  insert into public.merge_log (user_id, winner_id, loser_id, loser_name, choices, changes)
    values (auth.uid(), _winner, _loser, _gone ->> 'name', _choices, _changes)
    returning id into _id;
  return _id;
end
$$;
comment on function public.merge_contacts(uuid, uuid, jsonb) is
  'Makes two contacts of the caller one: {field: "winner" | "loser"} chooses, else the winner''s value, else the loser''s. Answers the merge, to undo it.';
revoke all on function public.merge_contacts from public, anon, authenticated, service_role;
grant execute on function public.merge_contacts to authenticated;

create function public.undo_merge(_merge_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _merge public.merge_log;
  _snoozes jsonb;
  _change jsonb;
  _refusal record;
begin
  select * into _merge from public.merge_log where user_id = auth.uid() and id = _merge_id for update;
  if not found or _merge.loser_id is null then
    raise exception 'no such merge' using errcode = 'SC021';
  elsif _merge.undone_at is not null or _merge.created_at < now() - interval '30 days' or exists (
    select from public.contacts where user_id = auth.uid() and id = _merge.winner_id and merged_into is not null
  ) then
    raise exception 'this merge cannot be undone any more' using errcode = 'SC023';
  end if;

  perform from public.contacts where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id) order by id for update;
  select jsonb_object_agg(id, snoozed_until) into _snoozes from public.contacts
  where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _change in select value from jsonb_array_elements(_merge.changes) with ordinality order by ordinality desc loop
    if _change ? 'rows' then
      perform private.move_rows(
        auth.uid(), _change ->> 'table', _change ->> 'column', (_change ->> 'after')::uuid, (_change ->> 'before')::uuid,
        array(select jsonb_array_elements_text(_change -> 'rows')::uuid)
      );
    elsif _change ? 'added' then
      delete from public.contact_distinct
      where user_id = auth.uid() and id in (select jsonb_array_elements_text(_change -> 'added')::uuid);
    else
      perform private.undo_change(_change, _merge.created_at);
    end if;
  end loop;
  -- Interactions that came back are no news: they end no snooze.
  update public.contacts set snoozed_until = (_snoozes ->> id::text)::timestamptz
  where user_id = auth.uid() and id = _merge.loser_id;
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _refusal in
    select distinct on (channel, purpose) * from public.consent_events
    where user_id = auth.uid() and contact_id = _merge.winner_id and created_at > _merge.created_at
    order by channel, purpose, at desc, created_at desc
  loop
    if _refusal.state in ('negato', 'revocato') then
      perform public.record_consent(
        _merge.loser_id, _refusal.channel, _refusal.purpose, _refusal.state, _refusal.legal_basis, _refusal.wording,
        _refusal.source
      );
    end if;
  end loop;
  update public.merge_log set undone_at = now() where id = _merge_id;
end
$$;
comment on function public.undo_merge(uuid) is
  'Makes two contacts of one that was merged within thirty days; what was changed since stays. The rule: top of its migration.';
revoke all on function public.undo_merge from public, anon, authenticated, service_role;
grant execute on function public.undo_merge to authenticated;

create function private.living_contact(_user_id uuid, _contact_id uuid)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _merged_into uuid;
begin
  loop
    -- Locked, so that no merge comes between the answer and what is done with it.
    select merged_into into _merged_into from public.contacts
    where user_id = _user_id and id = _contact_id for key share;
    if not found then
      return null;
    elsif _merged_into is null then
      return _contact_id;
    end if;
    _contact_id := _merged_into;
  end loop;
end
$$;
comment on function private.living_contact(uuid, uuid) is
  'The contact of an owner, or the one that is left if it was merged; null if there is none.';
revoke all on function private.living_contact from public, anon, authenticated, service_role;

create function private.follow_merge()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- One that does not exist is refused by its reference.
  new.contact_id := coalesce(private.living_contact(new.user_id, new.contact_id), new.contact_id);
  return new;
end
$$;
comment on function private.follow_merge() is
  'What is written to a contact that was merged, as from an older page, is written to the one that is left.';
revoke all on function private.follow_merge from public, anon, authenticated, service_role;

create function private.forget_merges(_days integer, _limit integer default 200)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with old as (
    -- That two contacts were merged stays in the timeline; what they were before does not.
    update public.merge_log set changes = '[]'
    where id in (
      select id from public.merge_log
      where created_at < now() - make_interval(days => _days) and changes <> '[]' order by created_at limit _limit
    )
    returning user_id, winner_id, loser_id, undone_at
  ), gone as (
    delete from public.contacts using old
    where contacts.user_id = old.user_id and contacts.id = old.loser_id and contacts.merged_into = old.winner_id
      and old.undone_at is null
  )
  select count(*) from old
$$;
comment on function private.forget_merges(integer, integer) is
  'Forgets the way back of so many merges that are older than so many days, and erases who was merged; answers how many.';
revoke all on function private.forget_merges from public, anon, authenticated, service_role;
grant execute on function private.forget_merges to service_role;

create function private.rebase_changes(_changes jsonb, _like jsonb, _former jsonb)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  select jsonb_agg(
    case when change @> _like then jsonb_set(change, '{before}', change -> 'before' || _former) else change end order by place
  )
  from jsonb_array_elements(_changes) with ordinality as changes (change, place)
$$;
comment on function private.rebase_changes(jsonb, jsonb, jsonb) is 'Changes that will put back something else than what they found.';
revoke all on function private.rebase_changes from public, anon, authenticated, service_role;

create function private.hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamptz)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _user_id constant uuid := _row ->> 'user_id';
  _contact_id constant uuid := coalesce(_row ->> 'contact_id', _row ->> 'id');
  _like constant jsonb := jsonb_build_object('table', _change -> 'table', 'key', _change -> 'key', 'before', _part);
  _former constant jsonb := (select jsonb_object_agg(key, _change -> 'before' -> key) from jsonb_object_keys(_part) as key);
  _is_merge boolean;
begin
  update public.merge_log set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and winner_id = _contact_id and created_at >= _since and undone_at is null
    and changes @> jsonb_build_array(_like);
  _is_merge := found;
  update private.import_changes set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and contact_id = _contact_id and changed_at >= _since and changes @> jsonb_build_array(_like);
  return _is_merge or found;
end
$$;
comment on function private.hand_back(jsonb, jsonb, jsonb, timestamptz) is
  'Hands the former values of a part of a change to the later merge or import that wrote over it; false if there is none.';
revoke all on function private.hand_back from public, anon, authenticated, service_role;

create function private.undo_change(_change jsonb, _since timestamptz)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _now jsonb;
  _back jsonb;
  _over jsonb;
  _is_whole boolean;
begin
  execute format(
    'select to_jsonb(t) from public.%I as t where %s for update', _change ->> 'table', private.row_filter(_change -> 'key')
  ) into _now;
  if _now is null then
    return false;
  end if;
  select jsonb_object_agg(key, _change -> 'before' -> key) filter (where _now -> key = value),
    jsonb_object_agg(key, value) filter (where _now -> key <> value)
  into _back, _over
  from jsonb_each(_change -> 'after');
  -- A contact is put back field by field; anything else is one statement, whole or not at all.
  if _change ->> 'table' <> 'contacts' and _over is not null then
    return private.hand_back(_now, _change, _change -> 'after', _since);
  end if;
  select coalesce(bool_and(private.hand_back(_now, _change, jsonb_build_object(key, value), _since)), true) into _is_whole
  from jsonb_each(_over);
  -- Erasing a company would have left the field empty.
  if _back ->> 'company_id' is not null and not exists (
    select from public.contacts where user_id = (_now ->> 'user_id')::uuid and id = (_back ->> 'company_id')::uuid
  ) then
    _back := _back || '{"company_id": null}';
  end if;
  if _back is not null then
    perform private.change_row(_change ->> 'table', _change -> 'key', _back);
  end if;
  return _is_whole;
exception
  -- Its place was taken since, or what it was fits no more: what is there now stays.
  when integrity_constraint_violation then
    return false;
end
$$;
comment on function private.undo_change(jsonb, timestamptz) is
  'Puts back what still is as a change of that time left it; what a later merge or import wrote over, that one puts back. False '
  'where something was changed by hand since, and stays.';
revoke all on function private.undo_change from public, anon, authenticated, service_role;

create function private.move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[])
  returns uuid[]
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _row uuid;
  _moved uuid[] := '{}';
begin
  execute format(
    'with moved as (update public.%1$I set %2$I = $3 where user_id = $1 and %2$I = $2 and %3$I = any ($4) returning %3$I as id)
     select coalesce(array_agg(id), ''{}'') from moved', _table, _column, private.child_key(_table)
  ) into _moved using _user_id, _from, _to, _rows;
  return _moved;
exception
  -- The other has one of them already (a tag, a consent): one is enough.
  when unique_violation then
    if cardinality(_rows) > 1 then
      foreach _row in array _rows loop
        _moved := _moved || private.move_rows(_user_id, _table, _column, _from, _to, array[_row]);
      end loop;
    end if;
    return _moved;
end
$$;
comment on function private.move_rows(uuid, text, text, uuid, uuid, uuid[]) is
  'Hangs rows of one contact on another, all that still hang there and that it has not yet; answers which.';
revoke all on function private.move_rows from public, anon, authenticated, service_role;

create function private.child_key(_table text)
  returns text
  language sql immutable strict
  set search_path = ''
as $$
  select case _table when 'contact_tags' then 'tag_id' else 'id' end
$$;
comment on function private.child_key(text) is 'The column that tells rows of one contact apart.';
revoke all on function private.child_key from public, anon, authenticated, service_role;

create function private.follow_merge_of_waiting()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  new.waiting_for := coalesce(private.living_contact(new.user_id, new.waiting_for), new.waiting_for);
  return new;
end
$$;
comment on function private.follow_merge_of_waiting() is 'As follow_merge, for whom a task waits for.';
revoke all on function private.follow_merge_of_waiting from public, anon, authenticated, service_role;

alter table public.merge_log enable row level security;

create policy "owners read their merges" on public.merge_log
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.merge_log from public, anon, authenticated, service_role;
grant select on public.merge_log to authenticated, service_role;

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.notes
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.interactions
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge_of_waiting
  before insert or update of waiting_for on public.tasks
  for each row when (new.waiting_for is not null) execute function private.follow_merge_of_waiting();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.deals
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.documents
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.drafts
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.invoices
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.memories
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.projects
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

create trigger follow_merge
  before INSERT OR UPDATE OF contact_id ON public.tasks
  for each row WHEN ((new.contact_id IS NOT NULL)) execute function private.follow_merge();

-- Nothing that is alive goes with what is not: what is restored leaves a parent that is in the trash, an import is not taken
-- back with those who were merged into it, what is written to a merged contact reaches the one that is left, and a reminder
-- that is asked for late still comes.

create function private.leave_trashed_parent()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _gone_at timestamptz;
begin
  -- Locked: whoever throws the parent away at this moment sees this row, or is seen from here.
  execute format('select deleted_at from public.%I where user_id = $1 and id = $2 for share', tg_table_name)
    into _gone_at using new.user_id, new.parent_id;
  if _gone_at is null then
    return null;
  end if;
  -- What is new lies where its parent lies, as the files of a ZIP that was thrown away while it was opened.
  execute format(
    'update public.%I set %s where user_id = $1 and id = $2',
    tg_table_name, case tg_op when 'INSERT' then 'deleted_at = $3' else 'parent_id = null' end
  ) using new.user_id, new.id, _gone_at;
  return null;
end
$$;
comment on function private.leave_trashed_parent() is
  'What is alive never hangs on something in the trash, which takes everything with it when it is erased.';
revoke all on function private.leave_trashed_parent from public, anon, authenticated, service_role;

create function private.keep_trash_time()
  returns trigger
  language plpgsql volatile
  set search_path = ''
as $$
begin
  -- The same for all of a statement: what goes into the trash together comes back together.
  new.deleted_at := coalesce(old.deleted_at, now());
  return new;
end
$$;
comment on function private.keep_trash_time() is
  'Since when something is in the trash is no browser''s to say: its clock would decide when it is erased.';
revoke all on function private.keep_trash_time from public, anon, authenticated, service_role;

-- After the statement: who is restored together with its parent stays with it.
create trigger leave_trashed_parent
  after insert or update of parent_id, deleted_at on public.documents
  for each row when (new.parent_id is not null and new.deleted_at is null)
  execute function private.leave_trashed_parent();

create trigger leave_trashed_parent
  after insert or update of parent_id, deleted_at on public.tasks
  for each row when (new.parent_id is not null and new.deleted_at is null)
  execute function private.leave_trashed_parent();

create trigger keep_trash_time
  before UPDATE OF deleted_at ON public.contacts
  for each row WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) execute function private.keep_trash_time();

create trigger keep_trash_time
  before UPDATE OF deleted_at ON public.deals
  for each row WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) execute function private.keep_trash_time();

create trigger keep_trash_time
  before UPDATE OF deleted_at ON public.documents
  for each row WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) execute function private.keep_trash_time();

create trigger keep_trash_time
  before UPDATE OF deleted_at ON public.drafts
  for each row WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) execute function private.keep_trash_time();

create trigger keep_trash_time
  before UPDATE OF deleted_at ON public.notes
  for each row WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) execute function private.keep_trash_time();

create trigger keep_trash_time
  before UPDATE OF deleted_at ON public.projects
  for each row WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) execute function private.keep_trash_time();

create trigger keep_trash_time
  before UPDATE OF deleted_at ON public.tasks
  for each row WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) execute function private.keep_trash_time();

-- The timeline of a contact: everything that happened with it, in one list. Later chapters add branches of their own.

create view public.timeline with (security_invoker = on) as
select 'interaction:' || id as id, user_id, contact_id, kind::text as kind, at,
  case kind
    when 'chiamata' then 'Chiamata' when 'email' then 'E-mail' when 'whatsapp' then 'WhatsApp'
    when 'incontro' then 'Incontro' else 'Contatto'
  end as title,
  summary as body, 'interaction' as ref_type, id as ref_id, jsonb_build_object('direction', direction) as data
from public.interactions
union all
select 'note:' || id, user_id, contact_id, 'nota', created_at, 'Nota', body, 'note', id,
  jsonb_build_object('updated_at', updated_at)
from public.notes
where deleted_at is null
union all
select 'consent:' || id, user_id, contact_id, 'consenso', at,
  case state
    when 'dato' then 'Consenso dato' when 'negato' then 'Consenso negato' when 'revocato' then 'Consenso revocato'
    else 'Consenso non richiesto'
  end,
  wording, 'consent_event', id, jsonb_build_object(
    'channel', channel, 'purpose', purpose, 'state', state, 'legal_basis', legal_basis, 'source', source
  )
from public.consent_events
union all
select 'deal:' || stays.id, stays.user_id, deals.contact_id, 'trattativa', stays.entered_at, deals.title::text,
  stages.name::text, 'deal', deals.id, jsonb_build_object(
    'stage_id', stages.id, 'stage_kind', stages.kind, 'amount_cents', deals.amount_cents, 'currency', deals.currency,
    'lost_reason', case when stays.left_at is null then deals.lost_reason::text end
  )
from public.deal_stage_log as stays
join public.deals on deals.user_id = stays.user_id and deals.id = stays.deal_id
join public.stages on stages.user_id = stays.user_id and stages.id = stays.stage_id
where deals.contact_id is not null and deals.deleted_at is null
union all
select 'merge:' || id, user_id, winner_id, 'unione', created_at, 'Unito con ' || loser_name, null, 'merge', id,
  jsonb_build_object('loser_id', loser_id, 'undone_at', undone_at)
from public.merge_log
union all
select 'task:' || id, user_id, contact_id, 'attivita', coalesce(completed_at, created_at),
  case when completed_at is null then 'Attività' else 'Attività completata' end,
  title::text, 'task', id, jsonb_build_object(
    'state', state, 'due_at', due_at, 'due_is_allday', due_is_allday, 'priority', priority, 'project_id', project_id
  )
from public.tasks
where contact_id is not null and deleted_at is null
union all
select 'document:' || id, user_id, contact_id, 'documento', created_at,
  case kind
    when 'fattura' then 'Fattura' when 'preventivo' then 'Preventivo' when 'contratto' then 'Contratto'
    when 'ricevuta' then 'Ricevuta' when 'f24' then 'F24' when 'durc' then 'DURC' when 'visura' then 'Visura'
    when 'documento_identita' then 'Documento d’identità' else 'Documento'
  end,
  filename::text, 'document', id, jsonb_build_object(
    'kind', kind, 'state', state, 'issued_on', issued_on, 'due_on', due_on, 'total_cents', total_cents,
    'currency', currency
  )
from public.documents
where contact_id is not null and deleted_at is null
union all
-- That it was issued the document tells.
select 'invoice:' || invoices.id, invoices.user_id, invoices.contact_id, 'pagamento',
  invoices.paid_on::timestamp at time zone 'Europe/Rome',
  case invoices.direction when 'attiva' then 'Fattura incassata' else 'Fattura pagata' end,
  'Fattura ' || invoices.number, 'document', invoices.document_id, jsonb_build_object(
    'invoice_id', invoices.id, 'direction', invoices.direction, 'total_cents', invoices.total_cents,
    'currency', invoices.currency
  )
from public.invoices
join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
where invoices.contact_id is not null and invoices.paid_on is not null and documents.deleted_at is null;
comment on view public.timeline is
  'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

revoke all on public.timeline from public, anon, authenticated, service_role;
grant select on public.timeline to authenticated, service_role;

create table private.import_rows (
  batch_id uuid not null references public.import_batches (id) on delete cascade,
  row_number integer not null,
  outcome text not null,
  message text,
  primary key (batch_id, row_number),
  constraint outcome_is_known check (outcome in ('created', 'updated', 'skipped', 'failed'))
);
comment on table private.import_rows is 'What became of each row of a file: a row that is sent again is not done again.';

create table private.import_changes (
  user_id uuid not null,
  batch_id uuid not null references public.import_batches (id) on delete cascade,
  contact_id uuid not null,
  is_new boolean not null,
  -- As private.change_row answers them; and rows that were added, {table, row}.
  changes jsonb not null default '[]',
  added jsonb not null default '[]',
  -- A new contact and all it has, as the import left it.
  fingerprint text,
  changed_at timestamptz not null default now(),
  primary key (batch_id, contact_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade
);
comment on table private.import_changes is 'What an import did to each contact, to undo it.';
comment on column private.import_changes.fingerprint is
  'Who was added or taken out of the trash and all they have, as the import left it.';

create index import_changes_contact on private.import_changes (user_id, contact_id);

create function private.index_contacts(_contacts uuid[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  if current_setting('socio.index_later', true) is distinct from 'on' then
    perform private.index_contacts_now(_contacts);
  end if;
end
$$;
comment on function private.index_contacts(uuid[]) is
  'Writes anew what these contacts are found by, unless an import does so at its end (socio.index_later).';
revoke all on function private.index_contacts from public, anon, authenticated, service_role;

create function private.contact_fingerprints(_user_id uuid, _contacts uuid[])
  returns table (contact_id uuid, fingerprint text)
  language plpgsql stable
  set search_path = ''
as $$
declare
  _parts text;
begin
  -- Not the people of a company: they are contacts of their own. Nor what is computed, nor the trash.
  select string_agg(format(
      'union all select %2$I, md5(to_jsonb(t)::text) from public.%1$I as t where user_id = $1 and %2$I = any ($2)', held_by, held_in
    ), ' ') into _parts
  from private.contact_references() where held_by <> 'contacts';
  return query execute format(
    'select parts.id, md5(string_agg(digest, '''' order by digest)) from (
       select id, md5((to_jsonb(t) - array[''updated_at'', ''next_touch_at'', ''deleted_at''])::text) as digest
       from public.contacts as t where user_id = $1 and id = any ($2) %s
     ) as parts group by parts.id', _parts
  ) using _user_id, _contacts;
end
$$;
comment on function private.contact_fingerprints(uuid, uuid[]) is 'A digest of each contact and all it has: equal, nobody touched it.';
revoke all on function private.contact_fingerprints from public, anon, authenticated, service_role;

create function private.undo_import_of(_change private.import_changes)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _entry jsonb;
  _now jsonb;
  _key jsonb;
  -- Out of the trash, and used since: it does not go back.
  _is_needed constant boolean := _change.changes @? '$[*].after.deleted_at' and (
    _change.fingerprint is distinct from (
      select fingerprint from private.contact_fingerprints(_change.user_id, array[_change.contact_id])
    )
    or exists (
      select from public.contacts where user_id = _change.user_id and merged_into = _change.contact_id
      union all
      select from public.contacts
      where user_id = _change.user_id and company_id = _change.contact_id and deleted_at is null
        and import_batch_id is distinct from _change.batch_id
    )
  );
  _whole boolean := not _is_needed;
begin
  for _entry in select value from jsonb_array_elements(_change.changes) with ordinality order by ordinality desc loop
    if _entry -> 'after' ? 'deleted_at' then
      -- Thirty days from now on.
      _entry := case
        when _is_needed then _entry #- '{after,deleted_at}'
        else jsonb_set(_entry, '{before,deleted_at}', to_jsonb(now()))
      end;
    end if;
    _whole := private.undo_change(_entry, _change.changed_at) and _whole;
  end loop;
  for _entry in select value from jsonb_array_elements(_change.added) loop
    _key := case
      when _entry -> 'row' ? 'id' then jsonb_build_object('id', _entry -> 'row' -> 'id')
      else jsonb_build_object('contact_id', _entry -> 'row' -> 'contact_id', 'tag_id', _entry -> 'row' -> 'tag_id')
    end;
    execute format('select to_jsonb(t) from public.%I as t where %s', _entry ->> 'table', private.row_filter(_key)) into _now;
    if _now = _entry -> 'row' then
      execute format('delete from public.%I where %s', _entry ->> 'table', private.row_filter(_key));
      if _entry ->> 'table' = 'consents' then
        -- The proof that it was noted stays; this one says why it does not count.
        insert into public.consent_events (user_id, contact_id, channel, purpose, state, source)
        select user_id, contact_id, channel, purpose, 'non_richiesto', 'Importazione annullata'
        from jsonb_populate_record(null::public.consents, _now);
      end if;
    elsif _now is not null then
      _whole := false;
    end if;
  end loop;
  return _whole;
end
$$;
comment on function private.undo_import_of(private.import_changes) is
  'Gives a contact that an import changed its former values; false where something was changed since, and stays.';
revoke all on function private.undo_import_of from public, anon, authenticated, service_role;

create function public.undo_import(_batch uuid)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
  set enable_seqscan = off
as $$
declare
  _import public.import_batches;
  _portion uuid[];
  _untouched uuid[];
  _removed integer;
  _companies integer;
  _restored uuid[] := '{}';
  _partly uuid[] := '{}';
  _change private.import_changes;
  _kept jsonb;
  _left integer;
begin
  _import := private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  -- So many as fit well into the time of a call. Companies after their people: one that somebody works for was used since.
  _portion := array(
    select contact_id from private.import_changes
    join public.contacts on contacts.user_id = import_changes.user_id and contacts.id = contact_id
    where batch_id = _batch order by is_new, type = 'azienda', contact_id limit 200
  );
  perform set_config('socio.index_later', 'on', true);
  for _change in
    select * from private.import_changes where batch_id = _batch and contact_id = any (_portion) and not is_new
  loop
    if private.undo_import_of(_change) then
      _restored := _restored || _change.contact_id;
    else
      _partly := _partly || _change.contact_id;
    end if;
  end loop;
  perform set_config('socio.index_later', 'off', true);
  perform private.index_contacts(_restored || _partly);

  select coalesce(array_agg(contact_id), '{}') into _untouched
  from private.import_changes
  join private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes where batch_id = _batch and contact_id = any (_portion) and is_new
  )) as now_is using (contact_id)
  where batch_id = _batch and is_new and now_is.fingerprint = import_changes.fingerprint
    -- Who was merged into it would go with it.
    and not exists (
      select from public.contacts as merged
      where merged.user_id = _import.user_id and merged.merged_into = import_changes.contact_id
    );
  delete from public.contacts where user_id = _import.user_id and id = any (_untouched) and type = 'persona';
  get diagnostics _removed = row_count;
  delete from public.contacts
  where user_id = _import.user_id and id = any (_untouched) and not exists (
    select from public.contacts as people where people.user_id = _import.user_id and people.company_id = contacts.id
  );
  get diagnostics _companies = row_count;

  select coalesce(jsonb_agg(jsonb_build_object(
      'contact_id', contacts.id, 'name', contacts.name, 'reason', 'Modificato dopo l''importazione'
    ) order by contacts.name), '[]') into _kept
  from private.import_changes
  join public.contacts on contacts.user_id = _import.user_id and contacts.id = contact_id
  where batch_id = _batch and contact_id = any (_portion) and (is_new or contact_id = any (_partly));
  delete from private.import_changes where batch_id = _batch and contact_id = any (_portion);

  select count(*) into _left from private.import_changes where batch_id = _batch;
  if _left = 0 then
    delete from public.tags
    where user_id = _import.user_id and id = any (_import.new_tags)
      and not exists (select from public.contact_tags where contact_tags.user_id = tags.user_id and tag_id = tags.id);
  end if;
  -- From the first portion on nothing is added to it any more.
  update public.import_batches
  set state = case _left when 0 then 'annullato' else 'fatto' end::public.import_state,
    finished_at = coalesce(finished_at, now())
  where id = _batch;
  return jsonb_build_object(
    'removed', _removed + _companies, 'restored', cardinality(_restored), 'kept', _kept, 'left', _left
  );
end
$$;
comment on function public.undo_import(uuid) is
  'Takes a portion of an import of the caller back; again, until none are left. Removed: what it made and nobody touched. '
  'Restored: what it changed. Kept: what was changed by hand since, by name. Left: how many contacts are still to come.';
revoke all on function public.undo_import from public, anon, authenticated, service_role;
grant execute on function public.undo_import to authenticated;

create function private.is_of_file(_consent public.consents)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.import_batches
    where user_id = _consent.user_id and consent -> 'channels' ? _consent.channel::text
      and coalesce(nullif(consent ->> 'source', ''), 'Importazione di ' || file_name) = _consent.source
  )
$$;
comment on function private.is_of_file(public.consents) is 'Whether a consent is, by its source, what a file said of everybody in it.';
revoke all on function private.is_of_file from public, anon, authenticated, service_role;

create function private.overrules(_other public.consents, _kept public.consents)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  -- Of two consents the later word counts; against a refusal only one that was noted by hand.
  select case
    when _other.state = 'non_richiesto' then false
    when _kept.state = 'non_richiesto' then true
    when _kept.state = 'dato' and _other.state <> 'dato' then _other.at >= _kept.at or private.is_of_file(_kept)
    when _kept.state <> 'dato' and _other.state = 'dato' then _other.at > _kept.at and not private.is_of_file(_other)
    else _other.at > _kept.at
  end
$$;
comment on function private.overrules(public.consents, public.consents) is
  'Whether of the consents of two contacts that become one the first counts, and not the second.';
revoke all on function private.overrules from public, anon, authenticated, service_role;

alter table private.import_rows enable row level security;
alter table private.import_changes enable row level security;

revoke all on private.import_rows from public, anon, authenticated, service_role;

revoke all on private.import_changes from public, anon, authenticated, service_role;

-- One row of an import: read, checked, matched with who is there already, written.
--
-- Row: {row, type, first_name, last_name, business_name, company, job_title, vat_number, tax_code, sdi_code, pec, emails: [text],
-- phones: [{value, norm}], tags: [text], address: {street, postal_code, city, province, country}, note, website}.

-- An import of 2,000 rows took a minute and more while the statistics of its tables were those of many small accounts: who is
-- said to have one contact is read from end to end for every row, once for each of their contacts. What a row asks for is now
-- found in one order whatever the statistics say: from its addresses and numbers to the contact. The order being fixed, the
-- plans are kept as well: making them took half of the time of a row.

create function private.import_text(_text text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select nullif(btrim(regexp_replace(_text, '[[:cntrl:][:space:]]+', ' ', 'g')), '')
$$;
comment on function private.import_text(text) is 'A cell of a file as one line; null when it is empty.';
revoke all on function private.import_text from public, anon, authenticated, service_role;

create function private.import_fields(_row jsonb)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'type', coalesce(_row ->> 'type', case when coalesce(first_name, last_name) is null and business_name is not null
      then 'azienda' else 'persona' end),
    'first_name', first_name, 'last_name', last_name, 'business_name', business_name,
    'job_title', private.import_text(_row ->> 'job_title'),
    'vat_number', regexp_replace(regexp_replace(upper(_row ->> 'vat_number'), '[[:space:].-]', '', 'g'), '^IT', ''),
    'tax_code', regexp_replace(upper(_row ->> 'tax_code'), '[[:space:].-]', '', 'g'),
    'sdi_code', upper(private.import_text(_row ->> 'sdi_code')),
    'pec', lower(private.import_text(_row ->> 'pec')),
    'website', regexp_replace(private.import_text(_row ->> 'website'), '^(?!https?://)', 'https://', 'i'),
    'address', (
      select jsonb_object_agg(key, private.import_text(value)) from jsonb_each_text(_row -> 'address')
      where private.import_text(value) is not null
    ),
    'note', nullif(btrim(_row ->> 'note'), '')
  )) - array(select key from jsonb_each_text(_row) where key in ('vat_number', 'tax_code') and private.import_text(value) is null)
  from (values (
    private.import_text(_row ->> 'first_name'), private.import_text(_row ->> 'last_name'), private.import_text(_row ->> 'business_name')
  )) as names (first_name, last_name, business_name)
$$;
comment on function private.import_fields(jsonb) is 'The columns of a contact that a row fills, as they are stored.';
revoke all on function private.import_fields from public, anon, authenticated, service_role;

create function private.check_import(_fields jsonb, _emails text[], _phones jsonb)
  returns void
  language plpgsql stable
  set search_path = ''
as $$
declare
  _address constant text := '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+\.[^[:space:][:cntrl:]@]+$';
  _problem text := (
    select message from (values
      (1, not private.is_vat_number(_fields ->> 'vat_number'), 'Partita IVA non valida: ' || (_fields ->> 'vat_number')),
      (2, not (private.is_tax_code(_fields ->> 'tax_code') or private.is_vat_number(_fields ->> 'tax_code')),
        'Codice fiscale non valido: ' || (_fields ->> 'tax_code')),
      (3, _fields ->> 'sdi_code' !~ '^[A-Z0-9]{6,7}$', 'Codice destinatario non valido: ' || (_fields ->> 'sdi_code')),
      (4, _fields ->> 'pec' !~ _address, 'PEC non valida: ' || (_fields ->> 'pec')),
      (5, exists (select from unnest(_emails) as value where value !~ _address or char_length(value) > 254),
        'E-mail non valida: ' || (select value from unnest(_emails) as value where value !~ _address or char_length(value) > 254 limit 1)),
      (6, exists (select from jsonb_array_elements(_phones) as phone where coalesce(phone ->> 'norm', '') !~ '^\+[1-9][0-9]{6,14}$'),
        'Telefono non valido: ' || coalesce((
          select phone ->> 'value' from jsonb_array_elements(_phones) as phone
          where coalesce(phone ->> 'norm', '') !~ '^\+[1-9][0-9]{6,14}$' limit 1
        ), '')),
      (7, _fields ->> 'website' !~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$', 'Sito non valido: ' || (_fields ->> 'website')),
      (8, coalesce(_fields ->> 'first_name', _fields ->> 'last_name', _fields ->> 'business_name') is null, 'Manca il nome')
    ) as checks (place, is_wrong, message)
    where is_wrong order by place limit 1
  );
begin
  if _problem is not null then
    raise exception '%', left(_problem, 300) using errcode = 'SC032';
  end if;
end
$$;
comment on function private.check_import(jsonb, text[], jsonb) is 'Raises SC032 with the first thing that is wrong with a row, in Italian.';
revoke all on function private.check_import from public, anon, authenticated, service_role;

create function private.match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[])
  returns public.contacts
  language sql stable
  set search_path = ''
as $$
  -- A switchboard or info@ belongs to many people, and so does the number of their company: there the name has to fit as well.
  select contact
  from (
    select id as contact_id, 1 as place, true as is_sure from public.contacts
    where user_id = _user_id and tax_code = _fields ->> 'tax_code'
    union all
    select contact_id, 2, false from unnest(_emails) as given (email) join public.contact_emails on user_id = _user_id and norm = email
    union all
    select id, 3, type = 'azienda' from public.contacts where user_id = _user_id and vat_number = _fields ->> 'vat_number'
    union all
    select contact_id, 4, false from unnest(_phones) as given (phone) join public.contact_phones on user_id = _user_id and norm = phone
    union all
    -- Of companies often the name is all that is known; two of one name are told apart by their numbers.
    select id, 5, true from public.contacts
    where _fields ->> 'type' = 'azienda' and user_id = _user_id and lower(name) = lower(_name)
      and (vat_number = _fields ->> 'vat_number') is not false and (tax_code = _fields ->> 'tax_code') is not false
  ) as found
  -- `offset 0` keeps the order: first what was found, then who it is.
  cross join lateral (select contacts from public.contacts where user_id = _user_id and id = contact_id offset 0) as there (contact)
  where (contact).type::text = _fields ->> 'type' and (contact).merged_into is null
    and (is_sure or _name is null or extensions.similarity(private.plain_name((contact).name), private.plain_name(_name)) >= 0.3)
  order by (contact).deleted_at is not null, place, (contact).created_at, (contact).id
  limit 1
$$;
comment on function private.match_import(uuid, jsonb, text, text[], text[]) is 'The contact that a row is about, if it is there; else null.';
revoke all on function private.match_import from public, anon, authenticated, service_role;

create function private.note_import(_batch public.import_batches, _contact_id uuid, _is_new boolean, _changes jsonb, _added jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into private.import_changes (user_id, batch_id, contact_id, is_new, changes, added)
    values (_batch.user_id, _batch.id, _contact_id, _is_new, _changes, _added)
  on conflict (batch_id, contact_id) do update
    set changes = import_changes.changes || excluded.changes, added = import_changes.added || excluded.added, fingerprint = null,
      changed_at = now()
$$;
comment on function private.note_import(public.import_batches, uuid, boolean, jsonb, jsonb) is 'Notes what an import did to a contact.';
revoke all on function private.note_import from public, anon, authenticated, service_role;

create function private.import_company(_batch public.import_batches, _name text)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _id uuid := (
    select id from public.contacts
    where user_id = _batch.user_id and lower(name) = lower(_name) and type = 'azienda'
      and merged_into is null and deleted_at is null
    order by created_at, id limit 1
  );
begin
  if _id is null then
    insert into public.contacts (user_id, type, business_name, origin, import_batch_id)
      values (_batch.user_id, 'azienda', _name, 'import', _batch.id)
      returning id into _id;
    perform private.note_import(_batch, _id, true, '[]', '[]');
  end if;
  return _id;
end
$$;
comment on function private.import_company(public.import_batches, text) is 'The company of this name, made if there is none.';
revoke all on function private.import_company from public, anon, authenticated, service_role;

create function private.import_consents(_batch public.import_batches, _contact_id uuid)
  returns jsonb
  language sql volatile
  set search_path = ''
as $$
  -- A word that the person gave is never overruled by a file; that nobody asked is none, as if there were no row.
  with noted as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
    select _batch.user_id, _contact_id, channel::public.consent_channel,
      coalesce(_batch.consent ->> 'purpose', 'marketing')::public.consent_purpose,
      coalesce(_batch.consent ->> 'state', 'dato')::public.consent_state,
      nullif(_batch.consent ->> 'legal_basis', ''), nullif(_batch.consent ->> 'wording', ''),
      coalesce(nullif(_batch.consent ->> 'source', ''), 'Importazione di ' || _batch.file_name),
      coalesce((_batch.consent ->> 'at')::timestamptz, now())
    from (select distinct jsonb_array_elements_text(_batch.consent -> 'channels') as channel) as channels
    on conflict (contact_id, channel, purpose) do update
      set state = excluded.state, legal_basis = excluded.legal_basis, wording = excluded.wording, source = excluded.source,
        at = excluded.at
      where consents.state = 'non_richiesto'
    returning *
  ), proven as (
    insert into public.consent_events (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
    select user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at from noted
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'consents', 'row', to_jsonb(noted))), '[]') from noted
$$;
comment on function private.import_consents(public.import_batches, uuid) is
  'Notes what everybody in the file agreed to, with its proof; answers the rows that were added.';
revoke all on function private.import_consents from public, anon, authenticated, service_role;

create function private.import_children(_batch public.import_batches, _contact_id uuid, _emails text[], _phones jsonb, _tags text[])
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _added jsonb := private.import_consents(_batch, _contact_id);
  _rows jsonb;
  _new_tags uuid[];
begin
  with added as (
    insert into public.contact_emails (user_id, contact_id, value, is_primary)
    select distinct on (lower(value)) _batch.user_id, _contact_id, value, place = 1 and not exists (
        select from public.contact_emails where user_id = _batch.user_id and contact_id = _contact_id and is_primary
      )
    from unnest(_emails) with ordinality as emails (value, place) order by lower(value), place
    on conflict (user_id, norm) do nothing
    returning *
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_emails', 'row', to_jsonb(added))), '[]') into _rows from added;
  _added := _added || _rows;
  with added as (
    insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
    select distinct on (phone ->> 'norm') _batch.user_id, _contact_id, phone ->> 'value', phone ->> 'norm', place = 1 and not exists (
        select from public.contact_phones where user_id = _batch.user_id and contact_id = _contact_id and is_primary
      )
    from jsonb_array_elements(_phones) with ordinality as phones (phone, place) order by phone ->> 'norm', place
    on conflict (user_id, norm) do nothing
    returning *
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_phones', 'row', to_jsonb(added))), '[]') into _rows from added;
  _added := _added || _rows;
  if cardinality(_tags) > 0 then
    with made as (
      insert into public.tags (user_id, name) select distinct on (lower(tag)) _batch.user_id, tag from unnest(_tags) as tag
      on conflict (user_id, lower(name)) do nothing
      returning id
    )
    select array_agg(id) into _new_tags from made;
    update public.import_batches set new_tags = new_tags || _new_tags where id = _batch.id and _new_tags is not null;
    with added as (
      insert into public.contact_tags (user_id, contact_id, tag_id)
      select _batch.user_id, _contact_id, id from public.tags
      where user_id = _batch.user_id and lower(name) = any (array(select lower(tag) from unnest(_tags) as tag))
      on conflict do nothing
      returning *
    )
    select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_tags', 'row', to_jsonb(added))), '[]') into _rows from added;
    _added := _added || _rows;
  end if;
  return _added;
end
$$;
comment on function private.import_children(public.import_batches, uuid, text[], jsonb, text[]) is
  'Consents, addresses, numbers and tags of a row; answers the rows that were added.';
revoke all on function private.import_children from public, anon, authenticated, service_role;

-- An address or a number is one contact's only: what is taken already is kept in words, so that nothing of the file is lost.
create function private.import_leftovers(_user_id uuid, _contact_id uuid, _emails text[], _phones text[])
  returns text
  language sql stable
  set search_path = ''
as $$
  select string_agg(format('%s: già di %s', taken.value, contacts.name), E'\n' order by taken.value)
  from (
    select contact_id, value from unnest(_emails) as given (email) join public.contact_emails on user_id = _user_id and norm = email
    union all
    select contact_id, value::text from unnest(_phones) as given (phone)
    join public.contact_phones on user_id = _user_id and norm = phone
  ) as taken
  cross join lateral (select id, name from public.contacts where user_id = _user_id and id = contact_id offset 0) as contacts
  where contacts.id is distinct from _contact_id
$$;
comment on function private.import_leftovers(uuid, uuid, text[], text[]) is 'Addresses and numbers of a row that another contact has, as lines of a note.';
revoke all on function private.import_leftovers from public, anon, authenticated, service_role;

create function private.import_row(_batch public.import_batches, _row jsonb, _match text)
  returns text
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields jsonb := private.import_fields(_row);
  _emails constant text[] := array(
    select btrim(value) from jsonb_array_elements_text(_row -> 'emails') as value where value ~ '[^[:space:]]'
  );
  _phones constant jsonb := coalesce((
    select jsonb_agg(phone) from jsonb_array_elements(_row -> 'phones') as phone where phone ->> 'value' ~ '[^[:space:]]'
  ), '[]');
  _norms constant text[] := array(select lower(value) from unnest(_emails) as value);
  _numbers constant text[] := array(select phone ->> 'norm' from jsonb_array_elements(_phones) as phone);
  _tags constant text[] := array(
    select private.import_text(value) from jsonb_array_elements_text(_row -> 'tags') as value where value ~ '[^[:space:]]'
  );
  _company constant text := private.import_text(_row ->> 'company');
  _name constant text := nullif(concat_ws(' ', _fields ->> 'first_name', _fields ->> 'last_name', _fields ->> 'business_name'), '');
  _there public.contacts;
  _taken jsonb;
  _note text;
  _id uuid;
begin
  -- Who has no name is known by an address or a number.
  if _name is null and coalesce(_emails[1], _phones #>> '{0,value}') is not null then
    _fields := _fields || jsonb_build_object('first_name', coalesce(_emails[1], _phones #>> '{0,value}'));
  end if;
  perform private.check_import(_fields, _emails, _phones);
  if _match <> 'crea' then
    _there := private.match_import(_batch.user_id, _fields, _name, _norms, _numbers);
  end if;
  if _there.id is not null and _there.deleted_at is null and _match = 'salta' then
    return 'skipped';
  end if;
  if _company is not null and _fields ->> 'type' = 'persona' then
    _fields := _fields || jsonb_build_object('company_id', private.import_company(_batch, _company));
  end if;
  _note := concat_ws(E'\n', _fields ->> 'note', private.import_leftovers(_batch.user_id, _there.id, _norms, _numbers));
  _fields := case when _note = '' then _fields else _fields || jsonb_build_object('note', _note) end;

  if _there.id is null then
    insert into public.contacts (
      user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, website,
      address, note, origin, import_batch_id
    )
    select _batch.user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec,
      website, address, note, 'import', _batch.id
    from jsonb_populate_record(null::public.contacts, _fields)
    returning id into _id;
    perform private.import_children(_batch, _id, _emails, _phones, _tags);
    perform private.note_import(_batch, _id, true, '[]', '[]');
    return 'created';
  end if;

  -- What the file says counts, what it does not say stays; a note is added to. Who is in the trash is needed again.
  -- But parts of two addresses are none: once street or city is another one, all of it is the file's.
  if _fields ? 'address' and not exists (
    select from jsonb_each_text(_there.address) where key in ('street', 'city') and value <> _fields -> 'address' ->> key
  ) then
    _fields := _fields || jsonb_build_object('address', coalesce(_there.address, '{}') || (_fields -> 'address'));
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into _taken from jsonb_each(_fields)
  where key not in ('type', 'note') and to_jsonb(_there) -> key <> value
    and (_name is not null or key not in ('first_name', 'last_name', 'business_name'));
  if _there.deleted_at is not null then
    _taken := _taken || '{"deleted_at": null}';
  end if;
  if strpos(coalesce(_there.note, ''), _note) = 0 then
    _taken := _taken || jsonb_build_object('note', concat_ws(E'\n', _there.note, _note));
  end if;
  perform private.note_import(
    _batch, _there.id, false,
    case when _taken = '{}' then '[]' else
      jsonb_build_array(private.change_row('contacts', jsonb_build_object('id', _there.id), _taken)) end,
    private.import_children(_batch, _there.id, _emails, _phones, _tags)
  );
  return 'updated';
end
$$;
comment on function private.import_row(public.import_batches, jsonb, text) is 'Imports one row and answers what became of it; SC032 with a reason in Italian.';
revoke all on function private.import_row from public, anon, authenticated, service_role;

create function private.try_import_row(_batch public.import_batches, _row jsonb, _match text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _outcome text;
  _message text;
begin
  begin
    _outcome := private.import_row(_batch, _row, _match);
  exception
    when sqlstate 'SC032' then
      _outcome := 'failed';
      _message := sqlerrm;
    when integrity_constraint_violation or data_exception then
      _outcome := 'failed';
      _message := 'Un valore è troppo lungo o non si può leggere';
  end;
  insert into private.import_rows (batch_id, row_number, outcome, message)
    values (_batch.id, (_row ->> 'row')::integer, _outcome, _message);
end
$$;
comment on function private.try_import_row(public.import_batches, jsonb, text) is 'Imports one row in a savepoint of its own, and notes what became of it.';
revoke all on function private.try_import_row from public, anon, authenticated, service_role;

create function public.import_contacts(_batch uuid, _rows jsonb, _match text default 'aggiorna')
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
as $$
declare
  _import public.import_batches;
  _row jsonb;
  _answer jsonb;
begin
  if jsonb_typeof(_rows) <> 'array' or jsonb_array_length(_rows) > 500 or _match not in ('aggiorna', 'salta', 'crea') then
    raise exception 'at most 500 rows, and «aggiorna», «salta» or «crea»' using errcode = '22023';
  end if;
  _import := private.lock_import(_batch, array['in_corso']::public.import_state[]);
  perform set_config('socio.index_later', 'on', true);
  for _row in
    select distinct on ((value ->> 'row')::integer) value from jsonb_array_elements(_rows)
    where not exists (
      select from private.import_rows where batch_id = _batch and row_number = (value ->> 'row')::integer
    )
    order by (value ->> 'row')::integer
  loop
    perform private.try_import_row(_import, _row, _match);
  end loop;
  perform set_config('socio.index_later', 'off', true);
  perform private.index_contacts(array(
    select contact_id from private.import_changes where batch_id = _batch and changed_at = now()
  ));

  update private.import_changes set fingerprint = fresh.fingerprint
  from private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes
    where batch_id = _batch and changed_at = now() and fingerprint is null
      -- Who was new or in the trash: undoing it takes them away again.
      and (is_new or changes @? '$[*].after.deleted_at')
  )) as fresh
  where batch_id = _batch and import_changes.contact_id = fresh.contact_id;
  update public.import_batches set (created, updated, skipped, failed) = (
    select count(*) filter (where outcome = 'created'), count(*) filter (where outcome = 'updated'),
      count(*) filter (where outcome = 'skipped'), count(*) filter (where outcome = 'failed')
    from private.import_rows where batch_id = _batch
  )
  where id = _batch;
  select jsonb_build_object(
    'created', count(*) filter (where outcome = 'created'), 'updated', count(*) filter (where outcome = 'updated'),
    'skipped', count(*) filter (where outcome = 'skipped'), 'errors', coalesce(
      jsonb_agg(jsonb_build_object('row', row_number, 'message', message) order by row_number) filter (where outcome = 'failed'), '[]'
    )
  ) into _answer
  from private.import_rows
  where batch_id = _batch and row_number in (select (value ->> 'row')::integer from jsonb_array_elements(_rows));
  return _answer;
end
$$;
comment on function public.import_contacts(uuid, jsonb, text) is
  'Imports at most 500 rows of a file of the caller: {created, updated, skipped, errors: [{row, message}]}. A row that was sent before is answered as then.';
revoke all on function public.import_contacts from public, anon, authenticated, service_role;
grant execute on function public.import_contacts to authenticated;

-- Demo data: the year of a freelancer who does communication for small businesses, to look around in before the first import.
--
-- Always the same people, with dates as seen from today; addresses under .example, which reaches nobody. Every row is noted,
-- so that all of it goes with one click. What the person built on (a task for a demo client) keeps what it stands on: that
-- becomes their own.

-- Demo data, continued: deals and the work for them, the click that brings all of it, and the one that takes it away.

create table private.demo_rows (
  user_id uuid not null references auth.users (id) on delete cascade,
  held_by text not null,
  row_id uuid not null,
  primary key (user_id, held_by, row_id)
);
comment on table private.demo_rows is 'Which rows of an owner are demo data.';

create function private.note_demo(_user_id uuid, _held_by text, _rows uuid[])
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into private.demo_rows (user_id, held_by, row_id) select _user_id, _held_by, unnest(_rows) on conflict do nothing
$$;
comment on function private.note_demo(uuid, text, uuid[]) is 'Notes that rows are demo data.';
revoke all on function private.note_demo from public, anon, authenticated, service_role;

create function private.add_demo_contacts(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _firsts constant text[] := array[
    'Giulia', 'Marco', 'Francesca', 'Luca', 'Chiara', 'Andrea', 'Elena', 'Matteo', 'Sara', 'Davide', 'Martina', 'Paolo',
    'Valentina', 'Simone', 'Silvia', 'Alessandro', 'Laura', 'Stefano', 'Federica', 'Roberto', 'Ilaria', 'Giorgio', 'Beatrice'
  ];
  _lasts constant text[] := array[
    'Bianchi', 'Romano', 'Colombo', 'Ricci', 'Marino', 'Greco', 'Bruno', 'Gallo', 'Conti', 'De Luca', 'Mancini', 'Costa',
    'Giordano', 'Rizzo', 'Lombardi', 'Moretti', 'Barbieri', 'Fontana', 'Santoro', 'Mariani', 'Rinaldi', 'Caruso', 'Ferrara',
    'Galli', 'Martini', 'Leone', 'Longo', 'Gentile', 'Martinelli', 'Vitale', 'Lombardo'
  ];
  _jobs constant text[] := array['Titolare', 'Responsabile marketing', 'Amministrazione', 'Direttrice commerciale', 'Segreteria'];
  _made uuid[];
begin
  with listed as (
    select * from unnest(
      array['Cantina Poggio Alto', 'Studio Dentistico Sorriso', 'Agriturismo La Quercia', 'Officina Meccanica Brera',
        'Libreria Il Segnalibro', 'Panificio Antico Forno', 'Hotel Bellavista', 'Studio Legale Navigli', 'Ceramiche Vietri Blu',
        'Palestra Movimento', 'Farmacia del Corso', 'Immobiliare Casa Mia', 'Erboristeria Verde Vivo', 'Scuola di Lingue Babele',
        'Trattoria da Nino', 'Falegnameria Noce', 'Ottica Vista Chiara', 'Gelateria Neve', 'Asilo Nido Girotondo',
        'Cooperativa Terra Nostra', 'Autoscuola Centrale', 'Profumeria Iris', 'Studio Tecnico Pilastro', 'Vivaio Primavera',
        'Edilizia Solida', 'Veterinaria Amici', 'Tipografia Bodoni', 'Teatro della Luna']::text[],
      array['poggioalto', 'sorriso', 'laquercia', 'brera', 'segnalibro', 'anticoforno', 'bellavista', 'navigli', 'vietriblu',
        'movimento', 'delcorso', 'casamia', 'verdevivo', 'babele', 'danino', 'noce', 'vistachiara', 'neve', 'girotondo',
        'terranostra', 'autocentrale', 'iris', 'pilastro', 'primavera', 'solida', 'amici', 'bodoni', 'luna']::text[]
    ) with ordinality as companies (name, domain, place)
  ), companies as (
    insert into public.contacts (
      user_id, type, business_name, vat_number, sdi_code, pec, website, address, origin, touch_days, created_at
    )
    select _user_id, 'azienda', name, (
        select number
        from generate_series(0, 9) as digit,
          lateral (select lpad((4000 + place * 37)::text, 7, '0') || '888' || digit as number) as numbers
        where private.is_vat_number(number)
      ), 'DEMO' || lpad(place::text, 3, '0'), 'pec@' || domain || '.example', 'https://www.' || domain || '.example',
      jsonb_build_object(
        'city', cities[1], 'province', cities[2], 'street', 'Via Garibaldi ' || place, 'postal_code', cities[3], 'country', 'IT'
      ),
      'demo', case when place % 4 = 0 then 60 end, now() - make_interval(days => 365 - place::integer * 9)
    from listed, lateral (
      select (array[['Milano', 'MI', '20121'], ['Bergamo', 'BG', '24121'], ['Torino', 'TO', '10121'], ['Verona', 'VR', '37121']])
        [1 + place % 4:1 + place % 4][1:3]
    ) as slices (slice), lateral (select array(select unnest(slice))) as picked (cities)
    returning id, business_name
  ), people as (
    insert into public.contacts (user_id, first_name, last_name, company_id, job_title, address, origin, touch_days, created_at)
    select _user_id, _firsts[1 + number % 23], _lasts[1 + number % 31], companies.id,
      case when companies.id is not null then _jobs[1 + number % 5] end,
      case when companies.id is null then '{"city": "Milano", "province": "MI", "country": "IT"}'::jsonb end, 'demo',
      case when number % 6 = 0 then 30 when number % 7 = 0 then 90 end, now() - make_interval(days => 360 - number * 3)
    from generate_series(1, 92) as number
    left join listed on number <= 64 and listed.place = 1 + number % 28
    left join companies on companies.business_name = listed.name
    returning id
  )
  select array(select id from companies union all select id from people) into _made;
  perform private.note_demo(_user_id, 'contacts', _made);
end
$$;
comment on function private.add_demo_contacts(uuid) is 'Twenty-eight companies and ninety-two people, the same for everybody.';
revoke all on function private.add_demo_contacts from public, anon, authenticated, service_role;

create function private.demo_contacts(_user_id uuid)
  returns table (id uuid, place integer, type public.contact_type, name text, domain text, created_at timestamptz)
  language sql stable
  set search_path = ''
as $$
  select contacts.id, (row_number() over (order by contacts.type desc, contacts.created_at, contacts.id))::integer, contacts.type,
    contacts.name, regexp_replace(coalesce(company.pec, contacts.pec, 'pec@posta.example'), '^pec@', ''), contacts.created_at
  from private.demo_rows
  join public.contacts on contacts.user_id = _user_id and contacts.id = row_id
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  where demo_rows.user_id = _user_id and held_by = 'contacts'
$$;
comment on function private.demo_contacts(uuid) is 'The demo contacts with a number each: companies first, the oldest first.';
revoke all on function private.demo_contacts from public, anon, authenticated, service_role;

create function private.add_demo_details(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _user_id, id,
    case type when 'azienda' then 'info' else replace(private.plain_name(name), ' ', '.') || place end || '@' || domain, true
  from private.demo_contacts(_user_id)
  on conflict do nothing;

  -- No network of Italy has the prefix 300.
  insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
  select _user_id, id, '300 5550' || lpad(place::text, 3, '0'), '+393005550' || lpad(place::text, 3, '0'), true
  from private.demo_contacts(_user_id) where place % 5 <> 0
  on conflict do nothing;

  with made as (
    insert into public.tags (user_id, name, color, touch_days)
    values (_user_id, 'Cliente', 'green', 60), (_user_id, 'Potenziale', 'blue', 30), (_user_id, 'Fornitore', 'amber', null),
      (_user_id, 'Collega', 'violet', null), (_user_id, 'Newsletter', 'gray', null)
    on conflict (user_id, lower(name)) do nothing
    returning id
  )
  select private.note_demo(_user_id, 'tags', array(select id from made));
  insert into public.contact_tags (user_id, contact_id, tag_id)
  select _user_id, contacts.id, tags.id
  from private.demo_contacts(_user_id) as contacts
  join public.tags on user_id = _user_id and lower(tags.name) in (
    (array['cliente', 'cliente', 'potenziale', 'collega', 'fornitore'])[1 + place % 5], case when place % 4 = 0 then 'newsletter' end
  )
  on conflict do nothing;

  with made as (
    insert into public.notes (user_id, contact_id, body, created_at, updated_at)
    select _user_id, id, (array[
        'Preferisce essere chiamato al mattino, prima delle 11.', 'Paga sempre a 30 giorni: emettere la fattura entro fine mese.',
        'Vuole il preventivo diviso per voci, con i tempi di consegna.', 'Conosciuto alla fiera dell''artigianato.',
        'Chiede foto nuove per il sito prima dell''estate.', 'Decide insieme alla socia: mandare tutto a entrambe.',
        'Ci ha segnalato un altro cliente: ringraziare a Natale.'
      ])[1 + place % 7], at, at
    from private.demo_contacts(_user_id), lateral (select created_at + make_interval(days => 2 + place % 20) as at) as moments
    where place % 3 = 0 and at < now()
    returning id
  )
  select private.note_demo(_user_id, 'notes', array(select id from made));

  with made as (
    insert into public.interactions (user_id, contact_id, kind, direction, at, summary, created_at)
    select _user_id, id, kind::public.interaction_kind,
      case when kind = 'incontro' then null when (place + turn) % 2 = 0 then 'uscita' else 'entrata'
        end::public.interaction_direction,
      at, case kind
        when 'chiamata' then (array[
          'Sentito per il rinnovo del sito', 'Chiede tempi e costi della campagna', 'Conferma la riunione'
        ])[1 + place % 3]
        when 'email' then (array['Inviate le bozze del logo', 'Ricevuti i testi da impaginare', 'Richiesta di preventivo'])[1 + place % 3]
        when 'whatsapp' then (array['Foto del negozio per i social', 'Ok alla pubblicazione di domani'])[1 + place % 2]
        else 'Sopralluogo e raccolta delle idee' end, at
    from private.demo_contacts(_user_id), generate_series(0, 3) as turn,
      lateral (select (array['chiamata', 'email', 'whatsapp', 'incontro'])[1 + (place + turn) % 4] as kind) as kinds,
      lateral (select now() - make_interval(days => (place * 7 + turn * 61) % 330 + 1, hours => place % 8) as at) as moments
    where place % 4 <> 3 and at > created_at
    returning id
  )
  select private.note_demo(_user_id, 'interactions', array(select id from made));

  with made as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, source, at)
    select _user_id, id, 'email', 'marketing', (array['dato', 'dato', 'negato'])[1 + place % 3]::public.consent_state,
      'Consenso', 'Modulo del sito', created_at
    from private.demo_contacts(_user_id) where place % 2 = 0
    returning id
  )
  select private.note_demo(_user_id, 'consents', array(select id from made));
$$;
comment on function private.add_demo_details(uuid) is 'What hangs on the demo contacts: addresses, numbers, tags, notes, interactions, consents.';
revoke all on function private.add_demo_details from public, anon, authenticated, service_role;

create function private.add_demo_deals(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _titles constant text[] := array[
    'Sito nuovo', 'Restyling del logo', 'Campagna social di primavera', 'Servizio fotografico', 'Catalogo prodotti',
    'Newsletter mensile', 'Video di presentazione', 'Menù e insegne', 'E-commerce', 'Brochure istituzionale', 'Gestione social',
    'Sito e prenotazioni online', 'Packaging'
  ];
  _stages constant uuid[] := array(select id from public.ensure_stages());
  -- How far each deal came: stages 1 to 4 are open, 5 is won, 6 is lost.
  _ends constant integer[] := array[5, 6, 5, 5, 6, 5, 4, 5, 6, 5, 5, 3, 6, 5, 4, 3, 5, 2, 3, 6, 1, 4, 2, 3, 1];
  _id uuid;
  _at timestamptz;
begin
  for _number in 1..25 loop
    -- What is open began in these weeks, what is closed over the year.
    _at := now() - make_interval(days => case when _ends[_number] > 4 then 340 - _number * 13 else 12 + _number * 7 % 29 end);
    insert into public.deals (
      user_id, contact_id, title, amount_cents, stage_id, position, expected_close, stage_since, origin, created_at
    )
    select _user_id, contacts.id, _titles[1 + _number % 13], (600 + _number * 7919 % 83 * 50) * 100, _stages[1],
      'a' || chr(65 + _number), (_at + interval '60 days')::date, _at, 'demo', _at
    from private.demo_contacts(_user_id) as contacts where place = 1 + _number * 5 % 28
    returning id into _id;
    for _stage in 2..least(_ends[_number], 4) loop
      _at := _at + make_interval(days => 2 + (_number * _stage) % 7);
      exit when _at >= now();
      update public.deals set stage_id = _stages[_stage], stage_since = _at where id = _id;
    end loop;
    if _ends[_number] > 4 then
      _at := least(_at + interval '6 days', now() - interval '1 hour');
      update public.deals
      set stage_id = _stages[_ends[_number]], stage_since = _at,
        lost_reason = case when _ends[_number] = 6 then (array['Prezzo', 'Ha scelto un altro', 'Rimandato'])[1 + _number % 3] end
      where id = _id;
    end if;
    perform private.note_demo(_user_id, 'deals', array[_id]);
  end loop;
end
$$;
comment on function private.add_demo_deals(uuid) is 'Twenty-five deals with the stages they went through; acts for the caller.';
revoke all on function private.add_demo_deals from public, anon, authenticated, service_role;

create function private.add_demo_tasks(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  with made as (
    insert into public.projects (user_id, name, contact_id, color, status, starts_on, due_on, budget_cents, origin)
    select _user_id, projects.name, contacts.id, projects.color, projects.status::public.project_status,
      current_date - since, current_date + until, budget * 100, 'demo'
    from (values
      (1, 'Sito della cantina', '#7c3aed', 'attivo', 40, 35, 3200), (3, 'Stagione dell''agriturismo', '#16a34a', 'attivo', 20, 70, 1800),
      (7, 'Identità dell''hotel', '#0284c7', 'attivo', 60, 20, 4500), (5, 'Vetrina della libreria', '#d97706', 'in_pausa', 120, 30, 900),
      (9, 'Catalogo delle ceramiche', '#dc2626', 'chiuso', 250, -60, 2600)
    ) as projects (place, name, color, status, since, until, budget)
    join private.demo_contacts(_user_id) as contacts using (place)
    returning id
  )
  select private.note_demo(_user_id, 'projects', array(select id from made));

  with listed as (
    -- Fifty that are done, then what is late, due and for some day.
    select number, case
        when number <= 50 then -330 + number * 6 when number <= 55 then number - 57 when number <= 74 then number - 56
      end as days, (array[
        'Chiamare %s', 'Preventivo per %s', 'Preparare le bozze per %s', 'Rivedere i testi per %s', 'Fattura per %s',
        'Sollecitare %s per le foto', 'Riunione con %s', 'Aggiornare il sito: %s', 'Programmare i post: %s'
      ])[1 + number % 9] as title
    from generate_series(1, 76) as number
  ), made as (
    insert into public.tasks (
      user_id, project_id, title, state, priority, due_at, someday, contact_id, position, completed_at, rrule, origin, created_at
    )
    select _user_id, projects.id, format(title, contacts.name),
      case when number <= 50 then 'fatto' when number % 5 = 0 then 'in_corso' when number % 11 = 0 then 'in_attesa'
        else 'da_fare' end::public.task_state,
      case when number % 8 = 0 then 3 when number % 5 = 0 then 2 else 0 end,
      (((now() at time zone 'Europe/Rome')::date + days)::timestamp) at time zone 'Europe/Rome', days is null, contacts.id,
      'a' || chr(65 + number / 26) || chr(65 + number % 26),
      case when number <= 50 then now() + make_interval(days => days) end, null, 'demo', least(now(), now() + make_interval(days => coalesce(days, 0) - 9))
    from listed
    join private.demo_contacts(_user_id) as contacts on contacts.place = 1 + number * 3 % 110
    left join public.projects on projects.user_id = _user_id and projects.contact_id = contacts.id and projects.origin = 'demo'
    union all
    select _user_id, null, title, 'da_fare', priority,
      (((now() at time zone 'Europe/Rome')::date + days)::timestamp) at time zone 'Europe/Rome', false, null, 'b' || days, null, rrule, 'demo',
      now() - interval '30 days'
    from (values
      ('Versare i contributi', 3, 12, null), ('Mandare le fatture alla commercialista', 2, 4, 'FREQ=MONTHLY'),
      ('Salvare una copia dei lavori', 0, 1, 'FREQ=WEEKLY'), ('Rinnovare il dominio del portfolio', 1, 20, 'FREQ=YEARLY')
    ) as own (title, priority, days, rrule)
    returning id
  )
  select private.note_demo(_user_id, 'tasks', array(select id from made));
$$;
comment on function private.add_demo_tasks(uuid) is 'Five projects and eighty tasks: done, late, due and for some day.';
revoke all on function private.add_demo_tasks from public, anon, authenticated, service_role;

create function private.count_demo(_user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_object_agg(tables.name, (
    select count(*) from private.demo_rows where user_id = _user_id and held_by = tables.name
  ))
  from unnest(array['contacts', 'deals', 'projects', 'tasks', 'notes', 'interactions']) as tables (name)
$$;
comment on function private.count_demo(uuid) is 'How many demo rows an owner has, by table.';
revoke all on function private.count_demo from public, anon, authenticated, service_role;

-- Definer: dates of the past, and the origin, are nothing that a browser may write.
create function public.add_demo_data()
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := auth.uid();
begin
  -- Two clicks at once: the second waits here and finds the data of the first.
  perform pg_advisory_xact_lock(hashtextextended('demo data ' || _user_id, 0));
  if not exists (select from private.demo_rows where user_id = _user_id) then
    perform private.add_demo_contacts(_user_id);
    perform private.add_demo_details(_user_id);
    perform private.add_demo_deals(_user_id);
    perform private.add_demo_tasks(_user_id);
  end if;
  return private.count_demo(_user_id);
end
$$;
comment on function public.add_demo_data() is 'Gives the caller the demo data, once; answers how many rows of which table there are.';
revoke all on function public.add_demo_data from public, anon, authenticated, service_role;
grant execute on function public.add_demo_data to authenticated;

create function private.keep_used_demo(_user_id uuid)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _reference record;
  _found boolean;
  _any boolean := false;
begin
  for _reference in
    select holder.relname as held_by, held.attname as held_in, target.relname as used
    from pg_catalog.pg_constraint
    join pg_catalog.pg_class as holder on holder.oid = conrelid and holder.relnamespace = 'public'::regnamespace
    join pg_catalog.pg_class as target on target.oid = confrelid
    join pg_catalog.pg_attribute as held on held.attrelid = conrelid and held.attnum = conkey[array_length(conkey, 1)]
    where contype = 'f' and target.relname in ('contacts', 'deals', 'projects', 'tasks')
      and target.relnamespace = 'public'::regnamespace
      -- Parts of the row itself, which go with it.
      and holder.relname not in (
        'contact_emails', 'contact_phones', 'contact_tags', 'contact_distinct', 'merge_log', 'deal_stage_log', 'task_events'
      )
  loop
    execute format(
      'with used as (
         delete from private.demo_rows where user_id = $1 and held_by = %L and exists (
           select from public.%I as holder where holder.user_id = $1 and holder.%I = row_id and not exists (
             select from private.demo_rows as theirs where theirs.user_id = $1 and theirs.held_by = %L and theirs.row_id = holder.id
           )
         )
         returning row_id
       ), kept as (update public.%I set origin = ''manuale'' where user_id = $1 and id in (select row_id from used))
       select exists (select from used)',
      _reference.used, _reference.held_by, _reference.held_in, _reference.held_by, _reference.used
    ) into _found using _user_id;
    _any := _any or _found;
  end loop;
  return _any;
end
$$;
comment on function private.keep_used_demo(uuid) is 'Makes demo rows that rows of the person''s own stand on theirs; false when there were none.';
revoke all on function private.keep_used_demo from public, anon, authenticated, service_role;

create function public.remove_demo_data()
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := auth.uid();
  _table text;
  _removed jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('demo data ' || _user_id, 0));
  -- The next occurrence of a demo task is demo as well.
  foreach _table in array array['contacts', 'deals', 'projects', 'tasks'] loop
    execute format(
      'insert into private.demo_rows (user_id, held_by, row_id)
       select $1, %L, id from public.%I where user_id = $1 and origin = ''demo'' on conflict do nothing', _table, _table
    ) using _user_id;
  end loop;
  -- What is kept stands on other rows in its turn.
  while private.keep_used_demo(_user_id) loop null;
  end loop;
  _removed := private.count_demo(_user_id);
  foreach _table in array array['tasks', 'projects', 'deals', 'consents', 'interactions', 'notes', 'contacts'] loop
    execute format(
      'delete from public.%I where user_id = $1 and id in (
         select row_id from private.demo_rows where user_id = $1 and held_by = %L
       )', _table, _table
    ) using _user_id;
  end loop;
  delete from public.tags
  where user_id = _user_id and id in (select row_id from private.demo_rows where user_id = _user_id and held_by = 'tags')
    and not exists (select from public.contact_tags where contact_tags.user_id = _user_id and tag_id = tags.id);
  delete from private.demo_rows where user_id = _user_id;
  return _removed;
end
$$;
comment on function public.remove_demo_data() is
  'Takes the demo data of the caller away and answers how many rows of which table; what own rows stand on stays and is theirs.';
revoke all on function public.remove_demo_data from public, anon, authenticated, service_role;
grant execute on function public.remove_demo_data to authenticated;

create function private.own_changed_demo()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  delete from private.demo_rows where user_id = new.user_id and held_by = tg_table_name and row_id = new.id;
  if tg_table_name not in ('interactions', 'notes') then
    new.origin := 'manuale';
  end if;
  return new;
end
$$;
comment on function private.own_changed_demo() is 'Demo data that its person wrote something into is theirs.';
revoke all on function private.own_changed_demo from public, anon, authenticated, service_role;

create function private.own_changed_demo_contact()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  delete from private.demo_rows where user_id = new.user_id and held_by = 'contacts' and row_id = new.contact_id;
  update public.contacts set origin = 'manuale' where user_id = new.user_id and id = new.contact_id and origin = 'demo';
  return null;
end
$$;
comment on function private.own_changed_demo_contact() is 'A demo contact that its person gave an address, a number or a tag is theirs.';
revoke all on function private.own_changed_demo_contact from public, anon, authenticated, service_role;

alter table private.demo_rows enable row level security;

revoke all on private.demo_rows from public, anon, authenticated, service_role;

-- By the person's own statement: what the demo data itself, a merge, or a row that goes away writes is nobody's work. To
-- tick off, to move along a board, to put off a call is trying out.
create trigger own_changed_demo before update on public.contacts for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.type, old.first_name, old.last_name, old.business_name, old.company_id, old.job_title, old.vat_number, old.tax_code,
    old.sdi_code, old.pec, old.regime, old.address, old.website, old.touch_days, old.note
  ) is distinct from (
    new.type, new.first_name, new.last_name, new.business_name, new.company_id, new.job_title, new.vat_number, new.tax_code,
    new.sdi_code, new.pec, new.regime, new.address, new.website, new.touch_days, new.note
  ))
  execute function private.own_changed_demo();

create trigger own_changed_demo before update on public.deals for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.contact_id, old.title, old.amount_cents, old.currency, old.probability, old.expected_close
  ) is distinct from (
    new.contact_id, new.title, new.amount_cents, new.currency, new.probability, new.expected_close
  ))
  execute function private.own_changed_demo();

create trigger own_changed_demo before update on public.projects for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.name, old.contact_id, old.color, old.starts_on, old.due_on, old.budget_cents, old.note
  ) is distinct from (
    new.name, new.contact_id, new.color, new.starts_on, new.due_on, new.budget_cents, new.note
  ))
  execute function private.own_changed_demo();

create trigger own_changed_demo before update on public.tasks for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.project_id, old.parent_id, old.title, old.notes, old.priority, old.due_at, old.due_is_allday, old.someday,
    old.remind_at, old.rrule, old.repeat_from, old.contact_id, old.deal_id, old.waiting_for
  ) is distinct from (
    new.project_id, new.parent_id, new.title, new.notes, new.priority, new.due_at, new.due_is_allday, new.someday,
    new.remind_at, new.rrule, new.repeat_from, new.contact_id, new.deal_id, new.waiting_for
  ))
  execute function private.own_changed_demo();

create trigger own_changed_demo before update of body on public.notes for each row
  when (current_user = 'authenticated' and old.body <> new.body) execute function private.own_changed_demo();

create trigger own_changed_demo before update of kind, direction, at, summary on public.interactions for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo();

create trigger own_changed_demo_contact after insert or update of value, label on public.contact_emails for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();

create trigger own_changed_demo_contact after insert or update of value, label on public.contact_phones for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();

create trigger own_changed_demo_contact after insert on public.contact_tags for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();

-- Tables whose changes reach the browser. The publication names them also where a database has no logical replication.
-- On hosted Supabase the publication exists and may belong to another role.

do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  alter publication supabase_realtime add table
    public.consents, public.contact_emails, public.contact_phones, public.contact_tags, public.contacts,
    public.conversations, public.credit_wallets, public.deals, public.document_fields, public.document_links,
    public.document_tags, public.documents, public.drafts, public.import_batches, public.interactions,
    public.invoice_schedules, public.invoices, public.job_progress, public.memories, public.messages, public.notes,
    public.notifications, public.projects, public.segments, public.tags, public.tasks, public.tool_calls;
exception
  when insufficient_privilege then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;

reset check_function_bodies;

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  -- What the documents page takes: PDF, images, invoices (XML, signed P7M, ZIP), mails, text documents.
  ('documents', 'documents', false, 50 * 1024 * 1024, array[
    'application/pdf',
    'image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff', 'image/heic', 'image/heif',
    'application/xml', 'text/xml', 'application/pkcs7-mime', 'application/zip',
    'message/rfc822', 'text/plain',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  ]),
  -- Not public: a face is personal data, and a public address can never be taken back. The client cuts and re-encodes
  -- the picture before it leaves the device, so little is needed.
  ('avatars', 'avatars', false, 2 * 1024 * 1024, array['image/webp', 'image/jpeg', 'image/png'])
on conflict (id) do update
  set public = excluded.public,
      file_size_limit = excluded.file_size_limit,
      allowed_mime_types = excluded.allowed_mime_types;

insert into public.catalog_versions (version, note) values (1, 'Prima edizione');

insert into public.plans (version, id, position, name, price_cents, period, credits, features, highlight, badge) values
  (1, 'free', 1, 'Free', 0, 'forever', 100,
    '{100 richieste/ora,"CRM, attività e documenti","OCR e FatturaPA senza crediti"}', false, null),
  (1, 'starter', 2, 'Starter', 999, 'month', 500,
    '{500 richieste/ora,"Tutto quello del piano Free","Email e WhatsApp collegati"}', true, 'Più Popolare'),
  (1, 'pro', 3, 'Pro', 2999, 'month', 2000,
    '{Richieste illimitate,"Tutto quello del piano Starter","Obiettivi autonomi con supervisore etico"}', false, null),
  (1, 'business', 4, 'Business', 9999, 'month', 10000,
    '{"SLA 99,9%","Tutto quello del piano Pro","Funzioni per il team"}', false, 'Enterprise');

insert into public.packs
  (version, id, position, name, store_name, description, credits, bonus, price_cents, features, popular, badge)
values
  (1, 'starter', 1, 'Starter', 'Recupera il Tuo Primo Cliente', 'Per provare Socio su un lavoro vero', 100, 0, 999,
    '{100 crediti,Validi 12 mesi,"Nessun rinnovo automatico"}', false, null),
  (1, 'pro', 2, 'Pro', 'Automatizza la Tua Settimana', 'Per chi lo usa ogni giorno', 500, 50, 3999,
    '{500 crediti,50 crediti in omaggio,Validi 12 mesi,"Nessun rinnovo automatico"}', true, null),
  (1, 'enterprise', 3, 'Enterprise', 'Blocca il Tuo Mese', 'Per un mese intero di lavoro delegato', 1000, 150, 6999,
    '{1000 crediti,150 crediti in omaggio,Validi 12 mesi,"Nessun rinnovo automatico"}', false, 'BEST VALUE');

insert into public.credit_prices (version, action, position, name, min_credits, max_credits, note) values
  (1, 'chat', 1, 'Messaggio in chat', 1, 1, null),
  (1, 'chat_local', 2, 'Risposta in modalità locale', 0, 0, 'Senza modello esterno'),
  (1, 'chat_deep', 3, 'Risposta approfondita', 2, 2, null),
  (1, 'advice', 4, 'Consiglio dei cinque agenti', 3, 3, null),
  (1, 'message_draft', 5, 'Bozza di email o WhatsApp', 1, 1, null),
  (1, 'contact_summary', 6, 'Riassunto di un contatto', 1, 1, null),
  (1, 'document_reading', 7, 'Classificazione ed estrazione IA', 1, 1, 'Per documento'),
  (1, 'document_question', 8, 'Domanda a un documento', 1, 1, null),
  (1, 'ocr', 9, 'Lettura OCR di una pagina', 0, 0, 'Uso corretto, pagine secondo il piano'),
  (1, 'fattura_pa', 10, 'Lettura di una FatturaPA', 0, 0, null),
  (1, 'briefing', 11, 'Briefing del mattino scritto dall’IA', 1, 1, null),
  (1, 'autonomous_step', 12, 'Azione autonoma', 5, 10, 'Il massimo è mostrato prima');

insert into public.claims (version, key, surface, text, value, unit, formula, base, source, status, effective_key) values
  -- Store and pricing.
  (1, 'discount.pro', 'store,pricing', '20% di sconto', 20, 'percento',
    '100 * (1 - packs.pro.price / packs.pro.credits * packs.starter.credits / packs.starter.price)',
    'Prezzo per credito contro il pacchetto Starter: 19,9%; 27,2% contando i crediti in omaggio', 'calcolo', 'verificato', null),
  (1, 'discount.enterprise', 'store,pricing', '30% di sconto', 30, 'percento',
    '100 * (1 - packs.enterprise.price / packs.enterprise.credits * packs.starter.credits / packs.starter.price)',
    'Prezzo per credito contro il pacchetto Starter: 29,9%; 39,1% contando i crediti in omaggio', 'calcolo', 'verificato', null),
  (1, 'total.pro', 'store,pricing', '550 crediti in tutto', 550, 'crediti', 'packs.pro.credits + packs.pro.bonus',
    null, 'calcolo', 'verificato', null),
  (1, 'total.enterprise', 'store,pricing', '1150 crediti in tutto', 1150, 'crediti', 'packs.enterprise.credits + packs.enterprise.bonus',
    null, 'calcolo', 'verificato', null),
  (1, 'time.minutes_per_credit', 'store', 'Ogni credito ti fa risparmiare 15 minuti', 15, 'minuti', null,
    'Stima: una risposta, una bozza o una scheda scritta a mano chiede circa un quarto d’ora', 'stima interna', 'stima', null),
  (1, 'time.hours_saved', 'store', '40 ore risparmiate', 40, 'ore', null,
    'Stima prudente per 1000 crediti: 2,4 minuti a credito, perché non ogni credito sostituisce un lavoro a mano', 'stima interna', 'stima', null),
  (1, 'time.hours_by_credit', 'store', '250 ore a 15 minuti per credito', 250, 'ore',
    'packs.enterprise.credits * time.minutes_per_credit / 60', 'Le due stime restano distinte: la più prudente è 40 ore', 'calcolo', 'in_conflitto', 'time.hours_saved'),
  (1, 'savings.plans', 'store', 'Risparmia fino al 40%', 40, 'percento', null,
    'Il 39,1% è lo sconto del pacchetto più grande; per credito i piani costano tra l’80% e il 90% in meno del pacchetto Starter', 'testo di vendita', 'in_conflitto', 'savings.plans_max'),
  (1, 'savings.plans_min', 'store', '80% in meno per credito', 80, 'percento',
    '100 * (1 - plans.starter.price / plans.starter.credits * packs.starter.credits / packs.starter.price)',
    'Piano Starter contro pacchetto Starter', 'calcolo', 'verificato', null),
  (1, 'savings.plans_max', 'store', '90% in meno per credito', 90, 'percento',
    '100 * (1 - plans.business.price / plans.business.credits * packs.starter.credits / packs.starter.price)',
    'Piano Business contro pacchetto Starter', 'calcolo', 'verificato', null),
  (1, 'savings.pack_max', 'store', '39% in meno per credito', 39, 'percento',
    '100 * (1 - packs.enterprise.price / (packs.enterprise.credits + packs.enterprise.bonus) * packs.starter.credits / packs.starter.price)',
    'Pacchetto Enterprise, omaggio compreso, contro pacchetto Starter', 'calcolo', 'verificato', null),
  (1, 'validity.packs', 'store,pricing', 'Crediti validi 12 mesi', 12, 'mesi', null,
    'Almeno 12 mesi, poi la scadenza si prolunga da sola: i crediti comprati non vanno mai persi', 'condizioni', 'verificato', null),

  -- Early bird.
  (1, 'early_bird.seats', 'landing,store', 'Solo per i primi 100 utenti', 100, 'posti', null, null, 'offerta', 'verificato', null),
  (1, 'early_bird.countdown', 'landing', 'L’offerta vale 47 ore dalla prima visita', 47, 'ore', null, null, 'offerta', 'stima', null),
  (1, 'early_bird.seats_at_start', 'landing', '37 posti all’inizio', 37, 'posti', null,
    'Formula: 37 + 63 × parte del tempo trascorsa, al massimo 100', 'offerta', 'stima', null),
  (1, 'early_bird.seats_added', 'landing', '63 posti nel corso dell’offerta', 63, 'posti', 'early_bird.seats - early_bird.seats_at_start',
    'Formula: 37 + 63 × parte del tempo trascorsa, al massimo 100', 'offerta', 'stima', null),
  (1, 'early_bird.price', 'landing,store', '9,99 €/mese', 9.99, 'EUR/mese', 'plans.starter.price', 'Il piano Starter', 'catalogo', 'verificato', null),
  (1, 'early_bird.price_year', 'landing', '119,88 € all’anno', 119.88, 'EUR/anno', '12 * early_bird.price', '9,99 € × 12', 'calcolo', 'verificato', null),
  (1, 'early_bird.extra_credits', 'landing', 'Chi arriva per primo mantiene il prezzo e riceve 500 crediti extra', 500, 'crediti', null, null, 'offerta', 'verificato', null),
  (1, 'standard.price', 'landing', '19,99 €/mese dopo i primi 100 utenti', 19.99, 'EUR/mese', null, null, 'offerta', 'verificato', null),
  (1, 'standard.price_year', 'landing', '239,88 € all’anno', 239.88, 'EUR/anno', '12 * standard.price', '19,99 € × 12', 'calcolo', 'verificato', null),
  (1, 'standard.price_after_offer', 'landing', '29,99 €/mese dopo l’offerta', 29.99, 'EUR/mese', 'plans.pro.price',
    'È il prezzo del piano Pro; il confronto con l’offerta usa 19,99 €', 'testo di vendita', 'in_conflitto', 'standard.price'),

  -- Comparison with the tools that Socio replaces.
  (1, 'competitors.chat', 'landing', '20 €/mese', 20, 'EUR/mese', null, 'Abbonamento a una chat IA generica', 'listini pubblici', 'stima', null),
  (1, 'competitors.notes', 'landing', '10 €/mese', 10, 'EUR/mese', null, 'App di appunti con IA', 'listini pubblici', 'stima', null),
  (1, 'competitors.crm', 'landing', '45 €/mese', 45, 'EUR/mese', null, 'CRM', 'listini pubblici', 'stima', null),
  (1, 'competitors.chat_year', 'landing', '240 €/anno', 240, 'EUR/anno', '12 * competitors.chat', '20 € × 12', 'calcolo', 'verificato', null),
  (1, 'competitors.notes_year', 'landing', '120 €/anno', 120, 'EUR/anno', '12 * competitors.notes', '10 € × 12', 'calcolo', 'verificato', null),
  (1, 'competitors.crm_year', 'landing', '540 €/anno', 540, 'EUR/anno', '12 * competitors.crm', '45 € × 12', 'calcolo', 'verificato', null),
  (1, 'competitors.total_year', 'landing', '900 €/anno', 900, 'EUR/anno',
    'competitors.chat_year + competitors.notes_year + competitors.crm_year', '240 € + 120 € + 540 €', 'calcolo', 'verificato', null),
  (1, 'savings.tools', 'landing', 'Risparmi 660 € l’anno', 660, 'EUR/anno', 'competitors.total_year - standard.price_year',
    '900 € degli strumenti sostituiti meno 239,88 € di Socio a 19,99 € al mese', 'calcolo', 'verificato', null),
  (1, 'savings.table', 'landing', 'Risparmi 780 € l’anno', 780, 'EUR/anno', 'competitors.total_year - early_bird.price_year',
    '900 € degli strumenti sostituiti meno 119,88 € di Socio a 9,99 € al mese', 'calcolo', 'verificato', null),
  (1, 'savings.early_bird', 'landing', '120 € in più ogni anno', 120, 'EUR/anno', 'standard.price_year - early_bird.price_year',
    '9,99 € invece di 19,99 € al mese, per dodici mesi', 'calcolo', 'verificato', null),

  -- What comes with an account.
  (1, 'welcome.credits', 'landing', '100 crediti gratis alla registrazione', 100, 'crediti', null, 'Per ogni nuovo account, una volta', 'catalogo', 'verificato', null),
  (1, 'bonus.credits', 'landing', '500 crediti gratis subito dopo la registrazione', 500, 'crediti', null,
    'Per i primi 100 account con indirizzo confermato, oltre ai 100 di benvenuto', 'offerta', 'verificato', null),
  (1, 'bonus.value', 'landing', 'Valore 15 €', 15, 'EUR', null, 'Tre centesimi a credito; nei pacchetti un credito costa tra 6,1 e 10 centesimi', 'testo di vendita', 'stima', null),
  (1, 'bonus.stack_value', 'landing', 'Valore totale 89 €', 89, 'EUR', null, null, 'testo di vendita', 'stima', null),
  (1, 'guarantee.days', 'landing,store', 'Rimborso entro 30 giorni', 30, 'giorni', null, 'La parte non usata del pacchetto; vale più dei 14 giorni di legge', 'condizioni', 'verificato', null),
  (1, 'support.reply_hours', 'landing', 'Risposta entro 2 ore', 2, 'ore', null, 'Supporto prioritario', 'testo di vendita', 'stima', null),
  (1, 'setup.seconds', 'landing', 'Pronto in 30 secondi', 30, 'secondi', null, null, 'testo di vendita', 'stima', null),
  (1, 'setup.no_card', 'landing', 'Nessuna carta richiesta', null, null, null, null, 'registrazione', 'verificato', null),
  (1, 'beta.users', 'landing', 'Beta con i primi 100 utenti', 100, 'utenti', null, null, 'offerta', 'verificato', null),
  (1, 'mobile.date', 'landing,roadmap', 'App mobile Q1 2026', null, null, null, 'Data passata: la roadmap la segna «in ritardo»', 'roadmap', 'storico', null),
  (1, 'faq.on_landing', 'landing', 'Le prime 4 domande', 4, 'domande', null, null, 'pagina', 'verificato', null),
  (1, 'faq.all', 'faq', '8 domande', 8, 'domande', null, null, 'pagina', 'verificato', null),
  (1, 'faq.extra_pack', 'faq', '1000 crediti a 10 €', 10, 'EUR', null, 'Non più in vendita', 'testo delle FAQ', 'storico', 'packs.enterprise.price'),

  -- Terms of service, where they differ from the catalogue too.
  (1, 'terms.free_credits', 'terms', '50 crediti al mese', 50, 'crediti', null, 'Vale la condizione più favorevole: 100', 'termini', 'in_conflitto', 'plans.free.credits'),
  (1, 'terms.starter_price', 'terms', '9,99 €', 9.99, 'EUR/mese', 'plans.starter.price', null, 'termini', 'verificato', null),
  (1, 'terms.starter_credits', 'terms', '500 crediti', 500, 'crediti', 'plans.starter.credits', null, 'termini', 'verificato', null),
  (1, 'terms.pro_price', 'terms', '24,99 €', 24.99, 'EUR/mese', null, 'Abbonamento non ancora in vendita', 'termini', 'in_conflitto', 'plans.pro.price'),
  (1, 'terms.pro_credits', 'terms', '2000 crediti', 2000, 'crediti', 'plans.pro.credits', null, 'termini', 'verificato', null),
  (1, 'terms.business_price', 'terms', '49,99 €', 49.99, 'EUR/mese', null, 'Abbonamento non ancora in vendita', 'termini', 'in_conflitto', 'plans.business.price'),
  (1, 'terms.business_credits', 'terms', '5000 crediti', 5000, 'crediti', null, 'Vale la condizione più favorevole: 10000', 'termini', 'in_conflitto', 'plans.business.credits'),
  (1, 'terms.enterprise', 'terms', 'crediti illimitati', null, null, null, 'Piano Enterprise su misura', 'termini', 'storico', null),
  (1, 'terms.action_min', 'terms', '5', 5, 'crediti', 'credit_prices.autonomous_step.min', 'Azione autonoma', 'termini', 'verificato', null),
  (1, 'terms.action_max', 'terms', '10', 10, 'crediti', 'credit_prices.autonomous_step.max', 'Azione autonoma', 'termini', 'verificato', null),
  (1, 'terms.subscription_expiry', 'terms', 'scadono alla fine del periodo', null, null, null, 'Crediti degli abbonamenti', 'termini', 'verificato', null),
  (1, 'terms.pack_expiry', 'terms', 'non scadono', null, null, null,
    'Le due affermazioni valgono insieme: almeno 12 mesi, poi la scadenza si prolunga da sola', 'termini', 'verificato', 'validity.packs'),
  (1, 'terms.refund_days', 'terms', '14 giorni', 14, 'giorni', null, 'È il minimo di legge; vale la garanzia di 30 giorni', 'termini', 'in_conflitto', 'guarantee.days'),
  (1, 'terms.notice_days', 'terms', '30 giorni di preavviso', 30, 'giorni', null, 'Modifiche a prezzi o servizi', 'termini', 'verificato', null),
  (1, 'terms.inactivity', 'terms', '12 mesi', 12, 'mesi', null, 'Inattività che consente la chiusura', 'termini', 'verificato', null),
  (1, 'terms.deletion_days', 'terms', '30 giorni', 30, 'giorni', null, 'Cancellazione dei dati dopo la chiusura', 'termini', 'verificato', null),
  (1, 'terms.minimum_age', 'terms', '16 anni', 16, 'anni', null, 'Età minima', 'termini', 'verificato', null),
  (1, 'terms.bulk_recipients', 'terms', '100 destinatari', 100, 'destinatari', null, 'Oltre: si consiglia l’approvazione manuale', 'termini', 'verificato', null),
  (1, 'terms.precedence', 'terms', 'In caso di differenze vale la condizione più favorevole al cliente', null, null, null, null, 'termini', 'verificato', null),

  -- How long what is kept.
  (1, 'retention.account', 'privacy', '30 giorni', 30, 'giorni', null, 'Dati dell’account: fino alla cancellazione, più 30 giorni', 'informativa', 'verificato', null),
  (1, 'retention.chat', 'privacy', 'fino alla richiesta di cancellazione', null, null, null, 'Cronologia della chat: o fino alla cancellazione dell’account', 'informativa', 'verificato', null),
  (1, 'retention.memory', 'privacy', '30 giorni', 30, 'giorni', null, 'Memoria narrativa: fino alla cancellazione dell’account, più 30 giorni', 'informativa', 'verificato', null),
  (1, 'retention.goals', 'privacy', '90 giorni', 90, 'giorni', null, 'Obiettivi autonomi completati', 'informativa', 'verificato', null),
  (1, 'retention.ethics', 'privacy', '12 mesi', 12, 'mesi', null, 'Registri etici', 'informativa', 'verificato', null),
  (1, 'retention.insights', 'privacy', '30 giorni', 30, 'giorni', null, 'Suggerimenti proattivi', 'informativa', 'verificato', null),
  (1, 'retention.billing', 'privacy', '10 anni', 10, 'anni', null, 'Dati di fatturazione', 'informativa', 'verificato', null),
  (1, 'retention.analytics', 'privacy', '24 mesi', 24, 'mesi', null, 'Statistiche', 'informativa', 'verificato', null),
  (1, 'retention.backups', 'privacy', '90 giorni', 90, 'giorni', null, 'Copie di sicurezza', 'informativa', 'verificato', null),

  -- Cookies and local keys.
  (1, 'cookies.access', 'cookie', '1 ora', 1, 'ore', null, 'Token di accesso della sessione', 'informativa', 'verificato', null),
  (1, 'cookies.refresh', 'cookie', '30 giorni', 30, 'giorni', null, 'Token di rinnovo', 'informativa', 'verificato', null),
  (1, 'cookies.product_session', 'cookie', '365 giorni', 365, 'giorni', null, 'Identificativo di sessione del prodotto', 'informativa', 'verificato', null),
  (1, 'cookies.consent', 'cookie', '365 giorni', 365, 'giorni', null, 'Consenso ai cookie', 'informativa', 'verificato', null),
  (1, 'cookies.analytics', 'cookie', '2 anni', 2, 'anni', null, 'Cookie statistici', 'informativa', 'verificato', null),

  -- Constants of the product that people can see.
  (1, 'display.poll_seconds', 'app', 'Ogni 30 secondi', 30, 'secondi', null, 'Saldo e notifiche', 'prodotto', 'verificato', null),
  (1, 'display.notifications_limit', 'app', '50 notifiche', 50, 'notifiche', null, null, 'prodotto', 'verificato', null),
  (1, 'display.popover', 'app', '10 notifiche', 10, 'notifiche', null, null, 'prodotto', 'verificato', null),
  (1, 'display.badge_cap', 'app', '9+', 9, 'notifiche', null, null, 'prodotto', 'verificato', null),
  (1, 'display.tour_delay', 'app', '1,5 secondi', 1.5, 'secondi', null, null, 'prodotto', 'verificato', null),
  (1, 'display.cookie_banner_delay', 'app', '1000 millisecondi', 1000, 'millisecondi', null, null, 'prodotto', 'verificato', null),
  (1, 'display.tour_layer', 'app', '10000', 10000, 'livello', null, null, 'prodotto', 'verificato', null),
  (1, 'display.low_credits', 'app', 'Meno di 5 crediti', 5, 'crediti', null, null, 'prodotto', 'verificato', null);

update public.catalog_versions set published_at = '2025-11-03T00:00:00Z' where version = 1;

insert into private.early_bird_seats (seat) select generate_series(1, 100);

insert into public.site_settings (key, value)
-- On: seats of the early bird by the formula of the countdown. Off: those really taken, public.early_bird_seats().
values ('marketing.simulated_scarcity', 'true');
