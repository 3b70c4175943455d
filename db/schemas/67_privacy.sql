-- Privacy: what a person decides about their data beyond the contract, and what is held of them.
--
-- The newest choice about a purpose counts. Without one, statistics are off and providers of AI are asked about one by one
-- (private.ai_consents). A no to `ai` is «solo modalità locale»: private.begin_turn (37_runs.sql) refuses every answer of a
-- provider then, also one that was agreed to.

create type public.privacy_purpose as enum ('statistics', 'ai');

create table public.privacy_choices (
  id bigint primary key generated always as identity,
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  purpose public.privacy_purpose not null,
  is_allowed boolean not null,
  -- The sentence that was read at that moment.
  wording text not null,
  created_at timestamptz not null default now(),

  constraint wording_fits check (char_length(wording) between 1 and 1000)
);
comment on table public.privacy_choices is 'What a person allowed or refused, when, and by which words: only added to.';

create index privacy_choices_newest on public.privacy_choices (user_id, purpose, id desc);

create function private.is_local_only(_user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select coalesce((
    select not is_allowed from public.privacy_choices where user_id = _user_id and purpose = 'ai' order by id desc limit 1
  ), false)
$$;
comment on function private.is_local_only(uuid) is 'Whether a person wants nothing sent to a provider of AI.';
revoke all on function private.is_local_only from public, anon, authenticated, service_role;
grant execute on function private.is_local_only to service_role;

create function private.stop_provider_answers()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- The lock of private.begin_turn: an answer begins before the choice, and is stopped here, or it sees the choice.
  insert into private.assistant_use as used (user_id, span) values (new.user_id, '1 minute')
  on conflict (user_id, span) do update set turns = used.turns;
  update public.runs set stop_requested_at = now() from public.messages
  where runs.user_id = new.user_id and runs.state = 'running' and runs.stop_requested_at is null
    and messages.user_id = new.user_id and messages.id = runs.message_id and messages.mode = 'ia';
  return new;
end
$$;
comment on function private.stop_provider_answers() is 'Stops answers of a provider that are under way, and waits for one that begins.';
revoke all on function private.stop_provider_answers from public, anon, authenticated, service_role;

create function public.consent_timeline()
  returns table (
    at timestamptz, purpose text, is_allowed boolean, wording text, provider text, host text, in_eu boolean
  )
  language sql stable security definer
  set search_path = ''
as $$
  select created_at, purpose::text, is_allowed, wording, null, null, null::boolean
  from public.privacy_choices where user_id = (select auth.uid())
  union all
  select agreed_at, 'provider', true, null, provider, host, in_eu
  from private.ai_consents where user_id = (select auth.uid())
  union all
  select created_at, 'terms', true, null, null, null, null from auth.users where id = (select auth.uid())
  order by 1 desc limit 100
$$;
comment on function public.consent_timeline() is
  'The newest hundred things that the caller agreed to or refused: terms at sign-up, providers of AI, and privacy_choices.';
revoke all on function public.consent_timeline from public, anon, authenticated, service_role;
grant execute on function public.consent_timeline to authenticated;

create function private.held_of(_user_id uuid)
  returns jsonb
  language sql stable security definer
  set search_path = ''
  set statement_timeout = '10s'
as $$
  select jsonb_build_object(
    'rows', private.personal_counts(_user_id),
    'files', (
      select jsonb_build_object('count', count(*), 'bytes', coalesce(sum((metadata ->> 'size')::bigint), 0))
      from storage.objects where (storage.foldername(name))[1] = _user_id::text
    ),
    'rules', (
      select jsonb_agg(jsonb_build_object('title', title, 'period', period, 'tables', to_jsonb(tables)) order by title)
      from public.retention_rules where is_personal and tables <> '{}'
    )
  )
$$;
comment on function private.held_of(uuid) is
  'How many rows of a person each table has, how many files there are, and the retention rules about them.';
revoke all on function private.held_of from public, anon, authenticated, service_role;
grant execute on function private.held_of to service_role;

alter table public.privacy_choices enable row level security;

create policy "owners read their choices" on public.privacy_choices
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners choose" on public.privacy_choices
  for insert to authenticated with check (user_id = (select auth.uid()));

revoke all on public.privacy_choices from public, anon, authenticated, service_role;
grant select on public.privacy_choices to authenticated, service_role;
grant insert (user_id, purpose, is_allowed, wording) on public.privacy_choices to authenticated;

create trigger stop_provider_answers before insert on public.privacy_choices
  for each row when (new.purpose = 'ai' and not new.is_allowed) execute function private.stop_provider_answers();
