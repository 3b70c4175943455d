"""A thousand goals that become due within a minute, on two workers: when each starts, and that each runs once.

Half of them propose a reminder, half write a task: an effect that no hour of the day holds back.
"""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import datetime

from backend.core import db
from scripts.bench import cpu
from scripts.bench.goals import Result
from scripts.bench.realtime import p95, rss_bytes
from scripts.bench.stage import WORKER, Stage, at_rest, connected

PEOPLE, GOALS = 500, 1_000
START_S, MEMORY_BYTES = 10.0, 40 * 10**6
# The sweep has seen them when the first is due (functions/jobs/goals.py).
FIRST_AFTER_S, WITHIN_S = 110, 60
PATIENCE_S = 300

# Each with a client who owes and whose data lacks something.
BUSINESSES = """
create temp table owners as select gen_random_uuid() as id from generate_series(1, {people});
insert into auth.users (id, aud, role, email)
  select id, 'authenticated', 'authenticated', id || '@agenti.example' from owners;
create temp table clients as select id as user_id, gen_random_uuid() as id, gen_random_uuid() as invoice_id from owners;
insert into public.contacts (id, user_id, type, business_name) select id, user_id, 'azienda', 'Rossi srl' from clients;
insert into public.contact_emails (user_id, contact_id, value) select user_id, id, 'rossi@example.it' from clients;
insert into public.documents (id, user_id, storage_path, filename, kind, state, contact_id)
  select invoice_id, user_id, user_id || '/1', '1.xml', 'fattura', 'pronto', id from clients;
insert into public.invoices (id, user_id, document_id, direction, number, issued_on, contact_id, counterparty_name,
    total_cents, net_cents, source)
  select invoice_id, user_id, invoice_id, 'attiva', '1', current_date - 40, id, 'Rossi srl', 12200, 10000, 'fatturapa'
  from clients;
insert into public.invoice_schedules (user_id, invoice_id, due_on, amount_cents)
  select user_id, invoice_id, current_date - 5, 12200 from clients;
insert into public.agent_mandates (user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone)
  select id, agent, action, autonomy::public.goal_autonomy, 100000, 20, 1 from owners, (values
    ('recupero_crediti', 'mail', 'proponi'), ('pulizia_contatti', 'archivio', 'supervisionata')
  ) as agents (agent, action, autonomy);
create table private.bench_starts (goal_id uuid not null, late_s double precision not null);
create function private.note_start() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into private.bench_starts values (old.id, extract(epoch from clock_timestamp() - old.next_run_at));
  return null;
end
$$;
analyze
"""
# After the jobs that new accounts bring.
DUE = """
with numbered as (
  select user_id, agent, row_number() over (order by random()) as no from public.agent_mandates
  where user_id in (select id from owners)
), added as (
  insert into public.goals (user_id, agent, title, state, next_run_at)
  select user_id, agent, 'Un obiettivo', 'attivo', now() + make_interval(secs => $1 + $2 * no / $3) from numbered
  returning next_run_at
)
select max(next_run_at) from added
"""
NOTE = """
create trigger note_start after update of next_run_at on public.goals
  for each row when (new.next_run_at > old.next_run_at) execute function private.note_start()
"""
STARTS = "select late_s from private.bench_starts"
HAS_BEGUN = "select exists (select from private.bench_starts)"
LEFT = """
select count(*) from public.goals
where user_id in (select id from owners) and (
  next_run_at <= $1 or id in (select goal_id from public.goal_steps where state in ('pianificato', 'approvato'))
)
"""
# Each goal started once and has one step, which was proposed with a notice, or done with a task.
COUNTED = """
select (select count(*) from private.bench_starts) as starts, count(*) as steps, count(distinct goal_id) as with_steps,
  count(*) filter (where state = 'in_approvazione') as proposed, count(*) filter (where state = 'fatto') as done, (
    select count(*) from public.notifications where user_id in (table owners) and title like 'Da approvare: %'
  ) as notices, (
    select count(*) from public.tasks where user_id in (table owners)
  ) as tasks
from public.goal_steps where user_id in (table owners)
"""
CLEAR = """
drop trigger note_start on public.goals; drop function private.note_start(); drop table private.bench_starts;
delete from auth.users where id in (table owners)
"""


async def agents(_stage: Stage, database_url: str) -> list[Result]:
    """Let a thousand goals become due within a minute, with a second worker beside the product's own."""
    async with connected(database_url) as connection:
        await connection.execute(BUSINESSES.format(people=PEOPLE))
        command = (sys.executable, "-m", "backend", "worker")
        second = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
        try:
            await at_rest(connection)
            workers = cpu.matching(WORKER)
            assert len(workers) == 2
            await connection.execute(NOTE)
            last: datetime = await connection.fetchval(DUE, FIRST_AFTER_S, WITHIN_S, GOALS)
            grown = await _grown_while(connection, workers, last)
        finally:
            second.terminate()
            await second.wait()
        late_s = [row["late_s"] for row in await connection.fetch(STARTS)]
        [counted] = await connection.fetch(COUNTED)
        await connection.execute(CLEAR)
    slow_s = p95(late_s)
    details = f"p95 {slow_s:.1f} s, last {max(late_s):.1f} s; two workers"
    return [
        Result("auto", f"start of {GOALS:,} goals of one minute, to 10 s", slow_s / START_S, 1, details),
        _once(counted),
        Result("auto", "memory of both workers, to 40 MB", grown / MEMORY_BYTES, 1, f"{grown / 10**6:.0f} MB more"),
    ]


async def _grown_while(connection: db.Connection, workers: list[int], last: datetime) -> int:
    """Wait until all have run; answer how much more memory the workers had than before the first."""
    ends_at = time.perf_counter() + FIRST_AFTER_S + WITHIN_S + PATIENCE_S
    before = most = 0
    while await connection.fetchval(LEFT, last):
        used = sum(map(rss_bytes, workers))
        if not await connection.fetchval(HAS_BEGUN):
            # The second worker still loads meanwhile.
            before = used
        most = max(most, used)
        assert time.perf_counter() < ends_at
        await asyncio.sleep(1)
    return most - before


def _once(counted: db.Record) -> Result:
    half = GOALS // 2
    expected = {
        "starts": GOALS, "steps": GOALS, "with_steps": GOALS, "proposed": half, "done": half,
        "notices": half, "tasks": half,
    }  # fmt: skip
    wrong = sum(abs(counted[name] - count) for name, count in expected.items())
    told = ", ".join(
        f"{counted[name]:,} {name}" for name in ("starts", "steps", "proposed", "notices", "done", "tasks")
    )
    return Result("auto", "doubled or lost of them", wrong, 0, told)
