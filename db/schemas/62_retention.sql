-- Retention: how long each kind of data is kept, and when what was too old was last erased.
--
-- functions/jobs/retention.py runs the rules that have an interval; functions/_shared/retention.py says what each erases.

-- The register. A view, so that a new rule is one more line here. `tables` are those with rows of a person that the rule
-- bounds or, with `keep`, leaves when the account goes.
create view public.retention_rules with (security_invoker = on) as
select rule, title, period, reason, outcome, every::interval, is_personal, tables::text[]
from (values
  ('temporary_conversations', 'Conversazioni temporanee', '1 ora dall’ultimo messaggio', 'Le hai volute temporanee',
    'delete', '10 minutes', true, '{public.conversations}'),
  ('trash', 'Cestino: contatti, trattative, bozze, note, progetti e attività', '30 giorni dall’eliminazione',
    'Per poterli ripristinare', 'delete', '1 day', true,
    '{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'),
  ('documents', 'Documenti nel cestino, con i loro file', '30 giorni dall’eliminazione', 'Per poterli ripristinare',
    'delete', '1 day', true, '{public.documents}'),
  ('client_requests', 'Richieste dei tuoi clienti sui loro dati, con i certificati di cancellazione',
    '5 anni dalla chiusura', 'Per dimostrare che hai risposto, finché si può chiedertelo (art. 28 L. 689/1981)', 'delete',
    '1 day', true, '{public.contact_requests,public.contact_erasures}'),
  ('merges', 'Contatti uniti ad altri', '30 giorni dall’unione', 'Per poter annullare l’unione', 'delete', '1 day', true,
    '{public.merge_log}'),
  ('goals', 'Obiettivi conclusi, con i loro passi', '90 giorni dalla fine', 'Per rileggerli', 'delete', '1 day', true,
    '{public.goals,public.goal_steps}'),
  ('ethical_logs', 'Registro etico', '12 mesi', 'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome', 'keep',
    '1 day', true,
    '{public.ethical_logs}'),
  ('insights', 'Suggerimenti proattivi', '30 giorni', 'Servono finché sono attuali', 'delete', '1 day', true,
    '{public.insights}'),
  ('mails', 'Email ricevute da liste e sistemi automatici', '180 giorni', 'Non sono conversazioni con i tuoi clienti',
    'delete', '1 day', true, '{public.received_mails}'),
  ('shared_mails', 'Conteggio delle email inviate tramite Socio', '12 mesi',
    'Per riconoscere le risposte e proteggere il mittente comune', 'delete', '1 day', true, '{private.shared_mails}'),
  ('whatsapp_deliveries', 'Messaggi WhatsApp nella forma in cui Meta li consegna', '7 giorni', 'Per leggerli di nuovo dopo un guasto',
    'delete', '1 day', true, '{private.whatsapp_deliveries}'),
  ('notifications', 'Avvisi letti', '12 mesi da quando li leggi', 'Per ritrovarli', 'delete', '1 day', true,
    '{public.notifications}'),
  ('deleted_notifications', 'Avvisi che elimini', '1 giorno', 'Per poter annullare', 'delete', '1 day', true,
    '{private.deleted_notifications}'),
  ('deliveries', 'Registro degli invii di avvisi', '90 giorni', 'Per non inviarli due volte', 'delete', '1 day', true,
    '{private.notification_deliveries}'),
  ('events', 'Statistiche d’uso', '24 mesi', 'Il tuo consenso alle statistiche', 'delete', '1 hour', true,
    '{public.analytics_events}'),
  ('errors', 'Errori del browser', '90 giorni', 'Interesse legittimo: correggere i guasti', 'delete', '1 hour', true,
    '{public.error_logs}'),
  ('waiting_list', 'Lista d’attesa', '24 mesi, 7 giorni se l’indirizzo non è confermato', 'Il consenso di chi si iscrive',
    'delete', '1 hour', false, '{}'),
  ('payment_events', 'Messaggi di Stripe su pagamenti che non sono ordini di Socio', '30 giorni',
    'Per capire un pagamento che non torna', 'delete', '1 day', false, '{}'),
  ('exports', 'Archivi dei tuoi dati da scaricare', '7 giorni, o finché non ne chiedi un altro', 'Per scaricarli con calma',
    'delete', '1 hour', true, '{}'),
  ('runs', 'Registro delle cancellazioni', '24 mesi', 'Per dimostrare che i termini sono rispettati', 'delete', '1 day',
    false, '{}'),
  ('qa_runs', 'Prove automatiche su telefono e browser', 'Le ultime 30 di ogni tipo', 'Per vedere che cosa è peggiorato',
    'delete', '1 day', false, '{}'),
  ('chat', 'Conversazioni con l’assistente', 'Finché non le elimini, o finché hai l’account', 'Il contratto', 'delete', null, true,
    '{public.messages,public.message_feedback,public.tool_calls,public.runs}'),
  ('memory', 'Memoria di Socio', 'Finché non la elimini, o finché hai l’account', 'Il contratto', 'delete', null, true,
    '{public.memories,public.memory_settings,public.memory_uses}'),
  ('billing', 'Ordini e movimenti di crediti', 'Finché hai l’account, e comunque per 10 anni dall’ultimo movimento',
    'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura',
    'keep', '1 day', true, '{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,'
      'public.credit_holds,public.hold_lots,private.early_bird_seats}'),
  ('account', 'Tutto il resto del tuo account', '30 giorni da quando chiedi di eliminarlo', 'Per poter annullare', 'delete',
    null, true, '{}'),
  ('certificates', 'Certificati di eliminazione', '10 anni dall’eliminazione, e comunque finché restano gli ordini',
    'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi', 'keep', '1 day', true, '{public.deletion_requests}')
) as rules (rule, title, period, reason, outcome, every, is_personal, tables);
comment on view public.retention_rules is
  'How long each kind of data is kept and why; `every` is how often the job erases, null where only its owner or the end of '
  'the account does; `outcome` is keep where rows outlive the account, else delete.';

create table private.retention_runs (
  id bigint primary key generated always as identity,
  rule text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  erased bigint not null,
  is_ok boolean not null,

  constraint erased_is_not_negative check (erased >= 0)
);
comment on table private.retention_runs is 'When a rule was run, how many rows or files it erased, and whether it ended well.';

create index retention_runs_latest on private.retention_runs (rule, started_at desc);

alter table private.retention_runs enable row level security;

create function private.due_retention(_now timestamptz)
  returns setof text
  language sql stable security definer
  set search_path = ''
as $$
  -- A minute early, so that a job that starts at the same second of each period does not skip one.
  select rule from public.retention_rules
  where every is not null and not exists (
    select from private.retention_runs
    where rule = retention_rules.rule and is_ok
      and started_at > _now - retention_rules.every + interval '1 minute' and started_at <= _now
  )
  order by every, rule
$$;
comment on function private.due_retention(timestamptz) is 'The rules whose last good run is longer ago than their interval.';
revoke all on function private.due_retention from public, anon, authenticated, service_role;
grant execute on function private.due_retention to service_role;

create function private.note_retention(_rule text, _started_at timestamptz, _erased bigint, _is_ok boolean)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  insert into private.retention_runs (rule, started_at, erased, is_ok) values (_rule, _started_at, _erased, _is_ok)
$$;
comment on function private.note_retention is 'Record a run of a rule.';
revoke all on function private.note_retention from public, anon, authenticated, service_role;
grant execute on function private.note_retention to service_role;

create function private.forget_retention_runs(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.retention_runs where id in (
      select id from private.retention_runs where started_at < now() - interval '24 months' limit _limit
    )
    returning id
  )
  select count(*) from gone
$$;
comment on function private.forget_retention_runs(integer) is 'Delete records of runs after 24 months; return how many.';
revoke all on function private.forget_retention_runs from public, anon, authenticated, service_role;
grant execute on function private.forget_retention_runs to service_role;

-- What waits to be erased, of one person and by rule. Without a line: nothing that expires, or not counted.
create function private.waiting_rows(_user_id uuid)
  returns table (rule text, waiting bigint)
  language sql stable
  set search_path = ''
as $$
  select 'temporary_conversations', count(*) from public.conversations where user_id = _user_id and is_temporary
  union all
  select 'trash', count(*) from (
    select from public.contacts where user_id = _user_id and deleted_at is not null
    union all select from public.deals where user_id = _user_id and deleted_at is not null
    union all select from public.drafts where user_id = _user_id and deleted_at is not null
    union all select from public.notes where user_id = _user_id and deleted_at is not null
    union all select from public.projects where user_id = _user_id and deleted_at is not null
    union all select from public.tasks where user_id = _user_id and deleted_at is not null
  ) as deleted
  union all
  select 'documents', count(*) from public.documents where user_id = _user_id and deleted_at is not null
  union all
  select 'merges', count(*) from public.merge_log where user_id = _user_id and changes <> '[]'
  union all
  select 'client_requests', (
    select count(*) from public.contact_requests where user_id = _user_id and closed_at is not null
  ) + (select count(*) from public.contact_erasures where user_id = _user_id)
  union all
  select 'goals', count(*) from public.goals where user_id = _user_id and completed_at is not null
  union all
  select 'ethical_logs', count(*) from public.ethical_logs where user_id = _user_id
  union all
  select 'insights', count(*) from public.insights where user_id = _user_id
  union all
  select 'mails', count(*) from public.received_mails where user_id = _user_id and kind <> 'persona'
  union all
  select 'whatsapp_deliveries', count(*) from private.whatsapp_deliveries where user_id = _user_id
  union all
  select 'notifications', count(*) from public.notifications where user_id = _user_id and is_read
  union all
  select 'deleted_notifications', count(*) from private.deleted_notifications where user_id = _user_id
  union all
  select 'deliveries', count(*) from private.notification_deliveries where user_id = _user_id
$$;
comment on function private.waiting_rows(uuid) is 'How many rows of a person each rule will erase when their time is over.';
revoke all on function private.waiting_rows from public, anon, authenticated, service_role;

create function public.retention_register()
  returns table (
    rule text, title text, period text, reason text, outcome text, every_minutes integer, last_run_at timestamptz,
    last_is_ok boolean, last_erased bigint, erased_30_days bigint, waiting bigint
  )
  language sql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
  select rules.rule, rules.title, rules.period, rules.reason, rules.outcome,
    (extract(epoch from rules.every) / 60)::integer, last.started_at, last.is_ok, last.erased,
    case when rules.every is not null then (
      select coalesce(sum(erased), 0)::bigint from private.retention_runs
      where rule = rules.rule and started_at > now() - interval '30 days'
    ) end,
    mine.waiting
  from public.retention_rules as rules
  left join lateral (
    select started_at, is_ok, erased from private.retention_runs
    where rule = rules.rule order by started_at desc, id desc limit 1
  ) as last on true
  left join private.waiting_rows((select auth.uid())) as mine on mine.rule = rules.rule
  where rules.is_personal or (select private.is_admin())
  order by rules.every is null, rules.title
$$;
comment on function public.retention_register() is
  'The rules about the caller''s data, all rules for an admin; with the last run, what it erased, and what waits.';
revoke all on function public.retention_register from public, anon, authenticated, service_role;
grant execute on function public.retention_register to authenticated;

revoke all on public.retention_rules from public, anon, authenticated, service_role;
grant select on public.retention_rules to authenticated, service_role;

revoke all on private.retention_runs from public, anon, authenticated, service_role;
