-- Use of AI: which answers, transcripts and letters a provider's model gave, and which none did, in counts. Never what was asked or
-- answered.
--
-- private.begin_turn (37_runs.sql) adds a row when an answer begins, so that also one that fails is counted;
-- private.finish_turn adds its counts. A row outlives the conversation, for its owner must be able to say where AI worked.

create table public.ai_usage (
  id bigint primary key generated always as identity,
  user_id uuid not null references auth.users (id) on delete cascade,
  -- No foreign key: the row outlives the answer, the voice note, or the step of a goal.
  message_id uuid not null unique,
  work text not null default 'answer',
  mode text not null,
  host text,
  provider text,
  model text,
  tokens_in integer,
  tokens_out integer,
  seconds integer,
  credits bigint,
  entities jsonb not null default '[]',
  created_at timestamptz not null default now(),

  constraint works_are_known check (work in ('answer', 'transcript', 'letter')),
  constraint modes_are_two check (mode in ('locale', 'ia')),
  constraint a_local_answer_has_no_provider check (mode = 'ia' or (host is null and provider is null)),
  constraint what_is_counted_is_positive check (tokens_in >= 0 and tokens_out >= 0 and seconds >= 0 and credits >= 0),
  constraint entities_are_a_list check (jsonb_typeof(entities) = 'array')
);
comment on table public.ai_usage is
  'Answers of the assistant, transcripts of voice notes and letters of agents: by which provider of AI, or by none, and how '
  'much went there.';
comment on column public.ai_usage.provider is 'Who was asked; null in local mode, and where it was not noted.';
comment on column public.ai_usage.tokens_in is 'What the provider counted; null until the answer ends, and where it did not say.';
comment on column public.ai_usage.seconds is 'How long the voice note is, once the provider has heard it.';
comment on column public.ai_usage.entities is
  'What the answer cites, was asked about or proposes for: [{kind, id}]; empty for a temporary conversation.';

create index ai_usage_latest on public.ai_usage (user_id, created_at desc);

create function private.entities_of_answer(_message public.messages)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select coalesce(jsonb_agg(distinct jsonb_build_object('kind', kind, 'id', id)), '[]')
  from (
    select ref ->> 'kind' as kind, ref ->> 'id' as id from jsonb_array_elements(_message.refs) as ref
    union all
    select picked ->> 'kind', picked ->> 'id' from public.messages
    where user_id = _message.user_id and id = _message.parent_id and picked is not null
    union all
    select 'document', attached::text from public.messages cross join unnest(attachments) as attached
    where user_id = _message.user_id and id = _message.parent_id
    union all
    -- Whom it proposes to write to, or to do something for.
    select 'contact', args ->> 'contact_id' from public.tool_calls
    where user_id = _message.user_id and conversation_id = _message.conversation_id and message_id = _message.id
  ) as named
  where kind is not null and id is not null and not exists (
    select from public.conversations
    where user_id = _message.user_id and id = _message.conversation_id and is_temporary
  )
$$;
comment on function private.entities_of_answer(public.messages) is
  'The records that an answer cites, was asked about or proposes for: [{kind, id}]; none of a temporary conversation.';
revoke all on function private.entities_of_answer from public, anon, authenticated, service_role;

create function public.ai_usage_by_month()
  returns table (
    month date, work text, mode text, provider text, host text, model text, answers bigint, tokens_in bigint, tokens_out bigint,
    credits bigint, last_at timestamptz
  )
  language sql stable
  set search_path = ''
as $$
  select date_trunc('month', created_at at time zone 'Europe/Rome')::date, work, mode, provider, host, model, count(*),
    sum(tokens_in)::bigint, sum(tokens_out)::bigint, coalesce(sum(credits), 0)::bigint, max(created_at)
  from public.ai_usage
  where user_id = (select auth.uid())
    and created_at >= (date_trunc('month', now() at time zone 'Europe/Rome') - interval '11 months') at time zone 'Europe/Rome'
  group by 1, 2, 3, 4, 5, 6
  order by 1 desc, 2, 3, 4
$$;
comment on function public.ai_usage_by_month() is
  'The answers, transcripts and letters of the caller in twelve months, by month and by who gave them.';
revoke all on function public.ai_usage_by_month from public, anon, authenticated, service_role;
grant execute on function public.ai_usage_by_month to authenticated;

alter table public.ai_usage enable row level security;

create policy "owners read their use of AI" on public.ai_usage
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.ai_usage from public, anon, authenticated, service_role;
grant select on public.ai_usage to authenticated, service_role;
