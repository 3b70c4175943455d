-- Notifications: written by the server; read, marked and deleted by their owner.
--
-- private.notify (47_notification_delivery.sql) writes them all. A test fails for an insert elsewhere.

create type public.notification_type as enum ('success', 'warning', 'error', 'info');

create type public.notification_category as enum (
  'incassi', 'attivita', 'approvazioni', 'documenti', 'crediti', 'briefing', 'sistema',
  -- For admins only.
  'amministrazione'
);

-- The registry. A view, so that a new kind is one more line here. Kinds of one category have the same channels, because a
-- person switches categories. Where `is_urgent`, the digest does not delay a mail. What arrives within so many minutes
-- becomes one row in the bell, called by `many`, which leads to `list`.
create view public.notification_kinds with (security_invoker = on) as
select kind, category::public.notification_category, label, type::public.notification_type, channels::text[], is_urgent,
  window_minutes, many, list, action
from (values
  ('fattura_scaduta', 'incassi', 'Fatture scadute', 'warning', '{in_app,mail}', false, 60, 'fatture scadute',
    '/documents/fatture?tipo=attive', 'segna_pagata'),
  ('in_scadenza', 'incassi', 'Fatture in scadenza', 'info', '{in_app,mail}', false, 60, 'fatture in scadenza',
    '/documents/fatture?tipo=attive', 'segna_pagata'),
  ('da_pagare', 'incassi', 'Fatture da pagare', 'warning', '{in_app,mail}', false, 60, 'fatture da pagare',
    '/documents/fatture?tipo=passive', 'segna_pagata'),
  ('fattura_pagata', 'incassi', 'Fatture pagate', 'success', '{in_app,mail}', false, 60, 'fatture pagate',
    '/documents/fatture?tipo=attive', null),
  ('esito_sdi', 'incassi', 'Esiti delle fatture elettroniche', 'warning', '{in_app,mail}', true, 0, null,
    '/documents/fatture?tipo=attive', null),
  ('promemoria', 'attivita', 'Promemoria', 'info', '{in_app}', true, 0, null, '/tasks', 'rimanda'),
  ('email_ricevuta', 'attivita', 'Email ricevute', 'info', '{in_app}', false, 30, 'email ricevute', '/crm?vista=posta', null),
  ('messaggio_whatsapp', 'attivita', 'Messaggi WhatsApp', 'info', '{in_app}', false, 60, 'messaggi WhatsApp',
    '/crm?vista=whatsapp', null),
  ('whatsapp_fermo', 'attivita', 'WhatsApp da controllare', 'warning', '{in_app}', true, 0, null, '/settings/channels', null),
  ('email_respinta', 'attivita', 'Email respinte', 'warning', '{in_app}', true, 60, 'email respinte',
    '/crm?vista=posta&stato=inviati', null),
  ('settimana_agenti', 'attivita', 'Settimana degli agenti', 'info', '{in_app}', false, 0, null,
    '/projects?vista=obiettivi', null),
  ('approvazione', 'approvazioni', 'Proposte da approvare', 'warning', '{in_app,mail}', true, 0, null, '/chat', 'approva'),
  ('documento_illeggibile', 'documenti', 'Documenti non letti', 'warning', '{in_app}', false, 10, 'documenti non letti',
    '/documents', null),
  ('documento_da_verificare', 'documenti', 'Documenti da verificare', 'warning', '{in_app}', false, 10,
    'documenti da verificare', '/documents', null),
  ('analisi_conclusa', 'documenti', 'Analisi concluse', 'success', '{in_app}', false, 30, 'documenti letti', '/documents', null),
  ('contratto_in_scadenza', 'documenti', 'Contratti in scadenza', 'warning', '{in_app}', false, 60, 'contratti in scadenza',
    '/documents', null),
  ('importazione_conclusa', 'documenti', 'Importazioni concluse', 'success', '{in_app}', false, 0, null, '/crm', null),
  ('esportazione_conclusa', 'documenti', 'Esportazioni concluse', 'success', '{in_app}', false, 0, null, '/settings/data', null),
  ('sicurezza', 'sistema', 'Sicurezza dell’account', 'warning', '{in_app}', false, 0, null, '/settings/security', null),
  ('crediti_accreditati', 'sistema', 'Crediti accreditati', 'success', '{in_app}', false, 0, null,
    '/settings/credits', null),
  ('crediti_bassi', 'crediti', 'Pochi crediti', 'warning', '{in_app,mail}', false, 0, null, '/settings/credits', null),
  ('crediti_in_scadenza', 'crediti', 'Crediti che scadono', 'warning', '{in_app,mail}', false, 0, null,
    '/settings/credits', null),
  ('tetto_mensile', 'crediti', 'Tetto mensile', 'warning', '{in_app,mail}', false, 0, null, '/settings/credits', null),
  ('briefing', 'briefing', 'Briefing del mattino', 'info', '{}', true, 0, null, '/home', null),
  ('idea', 'sistema', 'Risposte alle tue idee', 'info', '{in_app}', false, 0, null, '/settings/ideas', null),
  ('benvenuto', 'sistema', 'Benvenuto', 'success', '{in_app}', false, 0, null, '/store', null),
  ('allarme', 'amministrazione', 'Allarmi dell’installazione', 'error', '{in_app,mail}', true, 10, 'allarmi', '/admin', null),
  ('avviso', 'sistema', 'Avvisi di Socio', 'info', '{in_app}', false, 0, null, '/notifications', null)
) as kinds (kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);
comment on view public.notification_kinds is
  'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be '
  'done about one.';

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
  kind text not null default 'avviso',
  category public.notification_category not null default 'sistema',
  dedupe_key text,
  batch_key text,
  batch_count integer not null default 1,
  entity_type text,
  entity_id uuid,

  constraint batch_counts_from_one check (batch_count >= 1),
  constraint entity_has_a_type check (entity_id is null or entity_type is not null),
  constraint message_fits check (char_length(message) between 1 and 2000),
  constraint unread_was_not_read check (is_read or read_at is null)
);
comment on column public.notifications.action_url is 'Where a click leads: always a path inside the client.';
comment on column public.notifications.kind is 'A kind of public.notification_kinds.';
comment on column public.notifications.batch_key is 'Rows with the same key that come soon after each other become one.';
comment on column public.notifications.batch_count is 'The number of notices that this row counts for.';
comment on column public.notifications.entity_id is 'What it is about, where that is one thing: something can be done about it here.';
comment on table public.notifications is 'Messages to one user, listed by the bell and the notifications page; kept 12 months once read.';

-- Used by the list of the bell. Its query has no user filter, because the policy adds one.
create index notifications_latest on public.notifications (user_id, created_at desc);

-- Used by the badge and by "mark all as read".
create index notifications_unread on public.notifications (user_id) where not is_read;

-- Used by private.settle_notices, when what a notification is about is done.
create index notifications_entity on public.notifications (user_id, entity_id) where not is_read and entity_id is not null;

-- Used by the tabs of the page.
create index notifications_category on public.notifications (user_id, category, created_at desc);

-- Realtime reports a deleted row by its replica identity only. The identity includes the owner, so that only the owner
-- receives the deletion. It is an index of two columns because `full` would write each changed message to the log a
-- second time.
create unique index notifications_identity on public.notifications (user_id, id);

-- Used by the retention job (functions/_shared/retention.py).
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

revoke all on public.notification_kinds from public, anon, authenticated, service_role;
grant select on public.notification_kinds to authenticated, service_role;

revoke all on public.notifications from public, anon, authenticated, service_role;
grant select, delete on public.notifications to authenticated;
grant select, insert, update, delete on public.notifications to service_role;
grant update (is_read, read_at) on public.notifications to authenticated;

alter table public.notifications replica identity using index notifications_identity;
