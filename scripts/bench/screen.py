"""/home in a real Chromium: how soon it can be used on a cold start, and how soon a change of an invoice is on it."""

from __future__ import annotations

import json
import statistics
from datetime import UTC, datetime, timedelta

import asyncpg

from scripts.bench import site
from scripts.bench.goals import Result
from scripts.bench.stage import Stage

# Nobody else's rows: the first two are of other measurements.
PERSON = 2
VISITS, CHANGES = 5, 12
COLD_S, CHANGE_S = 1.0, 1.0
WATCH = """
const shown = (is) => new Promise((resolve) => {
  const look = () => is() && (observer.disconnect(), resolve())
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, characterData: true })
  look()
})
const tile = () => document.querySelector('[aria-label="In breve"] a')?.textContent ?? ''
"""
# The figures are there, and so is the thread that answers a click: an idle moment is not taken away again.
USABLE = f"""(async () => {{ {WATCH}
  await shown(() => tile() !== '' && document.querySelector('[aria-label="Nuova attività"]'))
  return new Promise((resolve) => requestIdleCallback(() => resolve(performance.now())))
}})()"""


def _changes(url: str, key: str, invoice: str) -> str:
    """Pay the invoice and take that back, by turns, as another tab would; the answer is how long each took, in ms."""
    paid = datetime.now(UTC).date().isoformat()
    return f"""(async () => {{ {WATCH}
      const [name] = Object.keys(localStorage).filter((each) => each.endsWith('-auth-token'))
      const {{ access_token: token }} = JSON.parse(localStorage.getItem(name))
      await shown(() => tile().includes('77,00'))
      const spent = []
      for (let round = 0; round < {CHANGES}; round += 1) {{
        const isPaid = round % 2 === 0
        const began = performance.now()
        const answer = await fetch({json.dumps(url + "/rest/v1/rpc/mark_invoice_paid")}, {{
          method: 'POST',
          headers: {{
            apikey: {json.dumps(key)}, authorization: `Bearer ${{token}}`, 'content-type': 'application/json',
          }},
          body: JSON.stringify({{ _invoice_id: {json.dumps(invoice)}, _paid_on: isPaid ? {json.dumps(paid)} : null }}),
        }})
        if (!answer.ok) throw new Error(await answer.text())
        await shown(() => tile().includes('77,00') !== isPaid)
        spent.push(performance.now() - began)
        await new Promise((resolve) => setTimeout(resolve, 2000))
      }}
      return spent
    }})()"""


async def screen(stage: Stage, database_url: str) -> list[Result]:
    """Measure both for somebody with the sample data and one more invoice."""
    async with stage.client.post(
        f"{stage.url}/rest/v1/rpc/add_demo_data", json={}, headers=stage.headers(PERSON)
    ) as answer:
        answer.raise_for_status()
    invoice = await _invoice(database_url, stage.people[PERSON].id)
    cold_ms = []
    for _ in range(VISITS):
        # Each with a profile of its own: nothing is in the cache.
        async with site.chromium() as port:
            await site.become_member(stage, port, PERSON)
            cold_ms.append(await site.evaluate(stage, port, site.HOME, USABLE))
            if len(cold_ms) == VISITS:
                changes = _changes(stage.url, stage.publishable_key, invoice)
                # Until the channel stands the first ones wait for the next poll.
                spent_ms = (await site.evaluate(stage, port, site.HOME, changes))[2:]
    return [
        _row("/home usable, cold, to 1 s", cold_ms, COLD_S),
        _row("a paid invoice on the open /home, to 1 s", spent_ms, CHANGE_S),
    ]


def _row(what: str, spent_ms: list[float], most_s: float) -> Result:
    """Return the row of the median, as Lighthouse's rows are; the slowest is among its details."""
    median_ms = statistics.median(spent_ms)
    details = f"{median_ms:.0f} ms, slowest of {len(spent_ms)} {max(spent_ms):.0f}"
    return Result("home", what, median_ms / 1000 / most_s, 1, details)


async def _invoice(database_url: str, user_id: str) -> str:
    """Add an invoice of 77 euros that is due in a month."""
    connection = await asyncpg.connect(database_url)
    today = datetime.now(UTC).date()
    async with connection.transaction():
        document = await connection.fetchval(
            "insert into public.documents (user_id, storage_path, filename, kind, state)"
            " values ($1::uuid, $1::uuid || '/misura', 'misura.xml', 'fattura', 'pronto') returning id",
            user_id,
        )
        found = await connection.fetchval(
            """
            insert into public.invoices (user_id, document_id, direction, number, issued_on, counterparty_name,
              total_cents, net_cents, source)
            values ($1, $2, 'attiva', '77', $3, 'Misura srl', 7700, 7700, 'fatturapa') returning id::text
            """,
            user_id,
            document,
            today,
        )
        await connection.execute(
            "insert into public.invoice_schedules (user_id, invoice_id, due_on, amount_cents)"
            " values ($1, $2, $3, 7700)",
            user_id,
            found,
            today + timedelta(days=30),
        )
    await connection.close()
    return str(found)
