-- Drafts: e-mails and WhatsApp messages that the assistant wrote and that are not sent. They belong to a contact,
-- follow a merge, and are part of the export of a contact.

create table public.drafts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid,
  conversation_id uuid,
  channel text not null,
  recipient text,
  subject public.single_line,
  body text not null,
  ai jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint drafts_identity unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, conversation_id) references public.conversations (user_id, id) on delete set null (conversation_id),
  constraint channels_are_two check (channel in ('email', 'whatsapp')),
  constraint recipient_fits check (recipient ~ '[^[:space:]]' and recipient !~ '[[:cntrl:]]' and char_length(recipient) <= 320),
  constraint a_message_has_no_subject check (channel = 'email' or subject is null),
  constraint body_fits check (char_length(body) between 1 and 20000)
);
comment on table public.drafts is 'Messages to contacts that were written and not sent.';
comment on column public.drafts.ai is
  'Of one that the assistant wrote: {generated, mode, provider, model, reviewed}, the mark that exports carry (AI Act, art. 50).';
comment on column public.drafts.recipient is 'An e-mail address, or a telephone number in E.164.';
comment on column public.drafts.deleted_at is 'In the trash since.';

create index drafts_latest on public.drafts (user_id, created_at desc);

create index drafts_contact on public.drafts (user_id, contact_id, created_at desc);

create index drafts_conversation on public.drafts (user_id, conversation_id);

-- Used by the purge of the trash.
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
