-- Identities of contacts in messaging services.
--
-- A WhatsApp person has an identifier that is stable for each business portfolio (BSUID) and often no telephone number. It
-- is stored exactly as received. phone_id may name a number of another contact: then the two may be one person, which
-- find_duplicates() proposes and no program decides.

create type public.contact_channel_kind as enum ('whatsapp');

create table public.contact_channels (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  contact_id uuid not null,
  kind public.contact_channel_kind not null,
  portfolio text not null,
  external_id text not null,
  phone_id uuid,
  username text,
  last_inbound_at timestamptz,
  window_expires_at timestamptz,
  stopped_at timestamptz,
  failures integer not null default 0,
  is_done boolean not null default true,
  last_at timestamptz not null,
  snippet text not null default '',
  created_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint contact_channels_identity unique (user_id, id),
  unique (user_id, kind, portfolio, external_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, phone_id) references public.contact_phones (user_id, id) on delete set null (phone_id),
  constraint failures_are_counted check (failures >= 0),
  constraint portfolio_fits check (char_length(portfolio) between 1 and 100),
  constraint external_id_fits check (char_length(external_id) between 1 and 200),
  constraint username_fits check (char_length(username) between 1 and 100),
  constraint snippet_fits check (char_length(snippet) <= 200)
);
comment on table public.contact_channels is
  'Identities of contacts in messaging services, and the state of each conversation; written by the server.';
comment on column public.contact_channels.portfolio is 'The business portfolio in which external_id is unique.';
comment on column public.contact_channels.external_id is 'The BSUID, or the digits of the number while no BSUID is known.';
comment on column public.contact_channels.phone_id is
  'The telephone number that belongs to this identity; if it is a number of another contact, both may be one person.';
comment on column public.contact_channels.window_expires_at is
  'Until when a free text may be sent: 24 hours after the last message, by the time in the message.';
comment on column public.contact_channels.stopped_at is 'When the person asked to receive no more messages (STOP, BASTA, CANCELLAMI).';
comment on column public.contact_channels.failures is
  'How many messages could not be delivered since the last that was; from two on it is doubtful that any will be.';
comment on column public.contact_channels.is_done is 'False while a message waits for an answer.';
comment on column public.contact_channels.snippet is 'The beginning of the last received message.';

create index contact_channels_contact on public.contact_channels (user_id, contact_id);

create index contact_channels_phone on public.contact_channels (user_id, phone_id);

create index contact_channels_inbox on public.contact_channels (user_id, is_done, last_at desc, id);

alter table public.contact_channels enable row level security;

create policy "owners read their channels" on public.contact_channels
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners finish their conversations" on public.contact_channels
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

revoke all on public.contact_channels from public, anon, authenticated, service_role;
grant select on public.contact_channels to authenticated, service_role;
grant update (is_done) on public.contact_channels to authenticated;

alter table public.contact_channels replica identity using index contact_channels_identity;
