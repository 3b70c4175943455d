"""/home: reading the stored page, and computing it again for ten thousand rows of one person among a million."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from uuid import UUID

import asyncpg

from scripts.bench import scale
from scripts.bench.goals import Result
from scripts.bench.scale import Scale
from scripts.bench.stage import Stage

OWN_ROWS = 10_000
READ_MS, REFRESH_MS = 20, 50
ROUNDS = 40
PATH = "/rpc/home_overview"
TABLES = (
    *("public.contacts", "public.stages", "public.deals", "public.deal_stage_log", "public.tasks", "public.documents"),
    *("public.invoices", "public.invoice_schedules", "public.insights", "private.home_pages", "private.insight_marks"),
)
# Every fourth row is a contact, a deal, a task or an invoice. A tenth of the invoices is open, and half of the contacts
# have a cadence.
FILL = """
insert into public.contacts (id, user_id, type, first_name, last_name, business_name, touch_days, next_touch_at,
    last_interaction_at, created_at)
  select pg_temp.key(user_id, 'contact', n), user_id,
    case when n % 7 = 0 then 'azienda' else 'persona' end::public.contact_type,
    case when n % 7 > 0 then pg_temp.word('{Anna,Luca,Marta,Paolo,Giulia,Marco,Elena,Andrea}', hash) end,
    case when n % 7 > 0 then pg_temp.word('{Rossi,Russo,Ferrari,Esposito,Bianchi,Romano}', hash / 1000) || n end,
    case when n % 7 = 0 then concat('Studio ', n, ' srl') end, case when n % 2 = 0 then 30 end,
    case when n % 2 = 0 then now() + (n % 60 - 30) * interval '1 day' end, now() - n % 90 * interval '1 day',
    now() - n % 700 * interval '1 day'
  from owned, hashint4(n) as hash where n % 4 = 0 or n <= 200;
insert into public.stages (id, user_id, name, position, probability, kind)
  select pg_temp.key(user_id, 'stage', n), user_id, 'Fase ' || n, n, case n when 5 then 100 when 6 then 0 else 50 end,
    case n when 5 then 'vinta' when 6 then 'persa' else 'aperta' end::public.stage_kind
  from owners, generate_series(1, 6) as n;
insert into public.deals (id, user_id, title, amount_cents, stage_id, position, stage_since, won_at, lost_at)
  select pg_temp.key(user_id, 'deal', n), user_id, 'Sito ' || n, n * 1000, pg_temp.key(user_id, 'stage', 1 + n / 4 % 6),
    'a' || n, since, case n / 4 % 6 when 4 then since end, case n / 4 % 6 when 5 then since end
  from owned, lateral (select now() - n % 60 * interval '1 day' as since) as past where n % 4 = 1;
insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at, left_at)
  select user_id, pg_temp.key(user_id, 'deal', n), pg_temp.key(user_id, 'stage', 1 + (n / 4 + 1) % 6),
    now() - (n % 60 + 10) * interval '1 day', now() - n % 60 * interval '1 day'
  from owned where n % 4 = 1;
insert into public.tasks (user_id, title, due_at, position, state, completed_at, contact_id)
  select user_id, 'Chiamare ' || n, now() + (n % 120 - 60) * interval '1 day', 'a' || n,
    case when is_done then 'fatto' else 'da_fare' end::public.task_state,
    case when is_done then now() - n * interval '1 hour' end,
    pg_temp.key(user_id, 'contact', n % 200)
  from owned, lateral (select n % 5 > 0 as is_done) as state where n % 4 = 2 and n % 200 > 0;
insert into public.documents (id, user_id, storage_path, filename, kind, state, contact_id, created_at)
  select pg_temp.key(user_id, 'document', n), user_id, concat(user_id, '/', n), concat(n, '.xml'), 'fattura', 'pronto',
    pg_temp.key(user_id, 'contact', n % 199 + 1), now() - n * interval '1 hour'
  from owned where n % 4 = 3;
insert into public.invoices (id, user_id, document_id, direction, number, issued_on, contact_id, counterparty_name,
    total_cents, net_cents, paid_on, source)
  select pg_temp.key(user_id, 'invoice', n), user_id, pg_temp.key(user_id, 'document', n),
    case when n % 3 = 0 then 'passiva' else 'attiva' end::public.invoice_direction, n, current_date - n % 700,
    pg_temp.key(user_id, 'contact', n % 199 + 1), 'Cliente ' || n % 199, n * 122, n * 100,
    case when n % 10 > 0 then current_date - n % 700 + 20 + n % 30 end, 'fatturapa'
  from owned where n % 4 = 3;
insert into public.invoice_schedules (user_id, invoice_id, due_on, amount_cents, paid_on)
  select user_id, pg_temp.key(user_id, 'invoice', n), current_date - n % 700 + 30, n * 122,
    case when n % 10 > 0 then current_date - n % 700 + 20 + n % 30 end
  from owned where n % 4 = 3;
insert into auth.users (id, aud, role, email)
  select user_id, 'authenticated', 'authenticated', user_id || '@bench.example' from owners;
insert into public.profiles (user_id) select user_id from owners on conflict do nothing;
insert into public.credit_wallets (user_id) select user_id from owners on conflict do nothing;
insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
  select user_id, current_date - 1, now(), '{}', '[]' from owners;
insert into private.insight_marks (user_id) select gen_random_uuid() from owners;
insert into public.insights (user_id, kind, entity_type, since, title, body, score)
  select user_id, 'da_risentire', 'contact', current_date - n, 'Risenti', 'Da tempo', n
  from owners, generate_series(1, 20) as n;
"""


async def home(stage: Stage) -> list[Result]:
    """Measure the stored page and its refresh, as /home and the background job do."""
    person, prolific = stage.people[:2]
    async with scale.scale(person, (prolific, OWN_ROWS), _fill) as both:
        refreshed = await _refresh(both)
        return [await _read(both), refreshed]


async def _fill(database_url: str, owners: Sequence[tuple[str, int]]) -> None:
    await scale.run_for(database_url, owners, TABLES, FILL)


async def _read(both: Scale) -> Result:
    p95, p50, cpu_ms = await scale.searched(both, [PATH] * scale.REQUESTS)
    read = await scale.scanned_inside(both, both.prolific, "select public.home_overview() where $1 <> ''", ["x"] * 3)
    details = f"p95 {p95:.1f} ms, p50 {p50:.1f}; {cpu_ms:.1f} ms CPU each"
    return scale.judged(Result("home", f"/home read, p95, to {READ_MS} ms", p95 / READ_MS, 1, details), read)


async def _refresh(both: Scale) -> Result:
    connection = await asyncpg.connect(both.large.database_url)
    spent_ms = []
    for _ in range(ROUNDS):
        began_s = time.perf_counter()
        await connection.execute("select private.refresh_home($1)", UUID(both.prolific.id))
        spent_ms.append((time.perf_counter() - began_s) * 1000)
    await connection.close()
    # The first compares the contacts with each other, which a day needs once.
    p95, p50 = statistics.quantiles(spent_ms[1:], n=20)[-1], statistics.median(spent_ms[1:])
    details = f"p95 {p95:.0f} ms, p50 {p50:.0f}; first of the day {spent_ms[0]:.0f}"
    return Result("home", f"/home computed, {OWN_ROWS:,} rows, p95, to {REFRESH_MS} ms", p95 / REFRESH_MS, 1, details)
