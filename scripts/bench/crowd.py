"""Rows of many people in the tables of the CRM and of work, written directly: what triggers maintain is written too."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from scripts.bench import scale

PEOPLE_TABLES = ("tags", "contacts", "contact_emails", "contact_phones", "contact_tags", "consents")
PEOPLE = """
insert into public.tags (id, user_id, name)
  select pg_temp.key(user_id, 'tag', n), user_id, 'Etichetta ' || n from owners, generate_series(0, 9) as n;
insert into public.contacts (id, user_id, type, first_name, last_name, business_name, company_id, job_title, touch_days,
    next_touch_at, last_interaction_at, created_at)
  select pg_temp.key(user_id, 'contact', n), user_id,
    case when n % 7 = 0 then 'azienda' else 'persona' end::public.contact_type,
    case when n % 7 > 0 then pg_temp.word('{Anna,Luca,Marta,Paolo,Giulia,Marco,Elena,Andrea,Sara,Davide,Chiara,Matteo,
      Laura,Simone,Francesca,Alessandro,Valentina,Stefano,Silvia,Roberto}', hash) end,
    case when n % 7 > 0 then pg_temp.word('{Rossi,Russo,Ferrari,Esposito,Bianchi,Romano,Colombo,Ricci,Marino,Greco,
      Bruno,Gallo,Conti,De Luca,Mancini,Costa,Giordano,Rizzo,Lombardi,Moretti,Barbieri,Fontana,Santoro,Mariani,Rinaldi,
      Caruso,Ferrara,Galli,Martini,Leone,Longo}', hash / 1000)
      || pg_temp.word('{"","","",ni,lli,tti}', hash / 100000) end,
    case when n % 7 = 0 then concat_ws(' ',
      pg_temp.word('{Studio,Officina,Cantina,Panificio,Farmacia,Impresa edile,Agenzia,Trattoria}', hash),
      pg_temp.word('{Poggio Alto,Sorriso,La Quercia,Brera,Bellavista,Navigli,Vietri,San Marco,del Corso}', hash / 1000),
      n, pg_temp.word('{srl,snc,spa}', n)) end,
    case when n % 7 = 1 and n > 1 then pg_temp.key(user_id, 'contact', n - 1) end,
    case when n % 5 = 0 then 'Titolare' end, case when n % 2 = 0 then 30 end,
    case when n % 2 = 0 then now() + (n % 60 - 30) * interval '1 day' end, now() - n % 90 * interval '1 day',
    now() - n % 700 * interval '1 day'
  from owned, hashint4(n) as hash;
insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select user_id, pg_temp.key(user_id, 'contact', n),
    concat('posta', n, '@', pg_temp.word('{poggioalto,sorriso,laquercia,brera,navigli}', n), '.it'), true
  from owned;
insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
  select user_id, pg_temp.key(user_id, 'contact', n), concat('3', n::bigint * 7919 + 10000000),
    concat('+393', n::bigint * 7919 + 10000000), true
  from owned;
insert into public.contact_tags (user_id, contact_id, tag_id)
  select user_id, pg_temp.key(user_id, 'contact', n), pg_temp.key(user_id, 'tag', n % 10)
  from owned;
insert into public.consents (user_id, contact_id, channel, purpose, state)
  select user_id, pg_temp.key(user_id, 'contact', n), 'email', 'marketing', 'dato'
  from owned;
"""
# Who is the first with their number of rows is indexed as in life; the others have the same contacts under other keys.
FIRST_SEARCH = """
select private.index_contacts_now(array(
  select pg_temp.key(user_id, 'contact', n)
  from (select distinct on (rows) * from owners order by rows, user_id) as first, generate_series(1, rows) as n
));
"""
OTHER_SEARCH = """
with first as (select distinct on (rows) * from owners order by rows, user_id)
insert into private.contact_search (contact_id, user_id, words, document)
  select pg_temp.key(owners.user_id, 'contact', n), owners.user_id, words, array_to_tsvector(array(
      select left(owners.user_id::text, 8) || substr(lexeme, 9) from unnest(tsvector_to_array(document)) as lexeme
    ))
  from first
  join owners on owners.rows = first.rows and owners.user_id <> first.user_id
  cross join generate_series(1, first.rows) as n
  join private.contact_search on contact_id = pg_temp.key(first.user_id, 'contact', n)
  order by n;
"""
WORK_TABLES = (
    *("stages", "deals", "deal_stage_log", "tasks", "interactions", "notes", "consent_events", "merge_log"),
    *("outgoing_mails", "documents", "invoices"),
)
WORK = """
insert into public.stages (id, user_id, name, position, probability, kind)
  select pg_temp.key(user_id, 'stage', n), user_id, 'Fase ' || n, n, case n when 5 then 100 when 6 then 0 else 50 end,
    case n when 5 then 'vinta' when 6 then 'persa' else 'aperta' end::public.stage_kind
  from owners, generate_series(1, 6) as n;
insert into public.deals (id, user_id, contact_id, title, amount_cents, stage_id, position, won_at, lost_at, created_at)
  select pg_temp.key(user_id, 'deal', n), user_id, pg_temp.key(user_id, 'contact', n), 'Sito ' || n, n * 1000,
    pg_temp.key(user_id, 'stage', 1 + n % 6), 'a' || n, case n % 6 when 4 then made end,
    case n % 6 when 5 then made end, made
  from owned, lateral (select now() - n * interval '1 day' as made) as past;
insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
  select user_id, pg_temp.key(user_id, 'deal', n), pg_temp.key(user_id, 'stage', 1 + n % 6),
    now() - n * interval '1 day'
  from owned;
insert into public.tasks (id, user_id, title, due_at, position, state, completed_at, contact_id, created_at, updated_at)
  select pg_temp.key(user_id, 'task', n), user_id, concat_ws(' ',
      pg_temp.word('{Chiamare,Scrivere a,Preventivo per,Fattura a,Incontrare}', n),
      pg_temp.word('{Rossi,Russo,Ferrari,Esposito,Bianchi,Romano}', hashint4(n)), n),
    now() + (n % 120 - 60) * interval '1 day', 'a' || n,
    case when is_done then 'fatto' else 'da_fare' end::public.task_state,
    case when is_done then now() - n * interval '1 hour' end, pg_temp.key(user_id, 'contact', n),
    now() - n * interval '1 day', now() - n * interval '1 hour'
  from owned, lateral (select n % 5 < 4 as is_done) as state;
insert into public.interactions (user_id, contact_id, kind, at, summary)
  select user_id, pg_temp.key(user_id, 'contact', n), 'chiamata', now() - n * interval '1 hour',
    'Sentito per il preventivo'
  from owned;
insert into public.notes (user_id, contact_id, body, created_at)
  select user_id, pg_temp.key(user_id, 'contact', n), 'Preferisce il mattino', now() - n * interval '1 hour'
  from owned;
insert into public.consent_events (user_id, contact_id, channel, purpose, state)
  select user_id, pg_temp.key(user_id, 'contact', n), 'email', 'marketing', 'dato'
  from owned;
insert into public.merge_log (user_id, winner_id, loser_name, choices, changes)
  select user_id, pg_temp.key(user_id, 'contact', n), 'Anna', '{}', '[]'
  from owned;
-- The timeline shows those that were not sent.
insert into public.outgoing_mails (user_id, contact_id, key, recipient, subject, body, basis, message_id, state,
    not_before, expires_at, sent_at, created_at)
  select user_id, pg_temp.key(user_id, 'contact', n), gen_random_uuid(), concat('posta', n, '@brera.it'), 'Preventivo',
    'Ti mando il preventivo.', 'contratto', concat(n, '@brera.it'),
    case when n % 5 = 0 then 'failed' else 'sent' end::public.mail_state, made, made + interval '1 day',
    case when n % 5 > 0 then made end, made
  from owned, lateral (select now() - n * interval '1 hour' as made) as past;
-- A paper for every third.
insert into public.documents (id, user_id, storage_path, filename, kind, state, contact_id, created_at)
  select pg_temp.key(user_id, 'document', n), user_id, concat(user_id, '/', n), concat(n, '.pdf'), 'fattura', 'pronto',
    pg_temp.key(user_id, 'contact', n), now() - n * interval '1 hour'
  from owned where n % 3 = 0;
insert into public.invoices (user_id, document_id, direction, number, issued_on, contact_id, total_cents, paid_on,
    source)
  select user_id, pg_temp.key(user_id, 'document', n), 'passiva', n, current_date - n % 700,
    pg_temp.key(user_id, 'contact', n), n * 100, current_date - n % 600, 'campi'
  from owned where n % 3 = 0;
"""


async def fill(database_url: str, owners: Sequence[tuple[str, int]]) -> None:
    """So many contacts, tasks, deals, … of each of `owners`, (user id, rows); both halves side by side."""

    async def people() -> None:
        await scale.run_for(database_url, owners, PEOPLE_TABLES, PEOPLE)
        await scale.run_for(database_url, owners, (), FIRST_SEARCH)
        await scale.run_for(database_url, owners, ("private.contact_search",), OTHER_SEARCH)

    await asyncio.gather(people(), scale.run_for(database_url, owners, WORK_TABLES, WORK))
