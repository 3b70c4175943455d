-- Conversations with the assistant: a tree of messages, the user's feedback, and the memories used for each answer.
--
-- The server writes messages (private.begin_turn, private.finish_turn); the owner names, pins, archives and deletes. An
-- edited question and a repeated answer are siblings: they have the same parent.

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

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
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

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
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
  -- The product promises «Mai più del preventivo»: an answer never costs more than its quote.
  constraint nothing_costs_more_than_its_quote check (cost between 0 and quote),
  constraint error_code_is_a_name check (error_code ~ '^[a-z_]{1,50}$')
);
comment on table public.messages is 'What was asked and answered; who has the same parent is another version.';
comment on column public.messages.refs is 'What an answer cites: [{n, kind, id, label, place}]; [^n] in its text.';
comment on column public.messages.unverified is
  'Figures that are in no result of a tool: [[begin, end)] in UTF-16 units of the text.';
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

-- Used by the purge of temporary conversations.
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
