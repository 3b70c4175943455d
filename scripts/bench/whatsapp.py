"""WhatsApp of a person: a storm of deliveries, how soon a message is there, a campaign whose worker is killed twice.

Meta is the fake of the tests, in this process.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from uuid import UUID, uuid4

from backend.core import db
from scripts import postgres
from scripts.bench.goals import Result
from scripts.bench.realtime import p95
from scripts.bench.stage import LOOK_EVERY_S, PATIENCE_S, Person, Stage, at_rest, connected, send_with_deaths
from tests.db import channels
from tests.fakes.meta import graph
from tests.fakes.meta.business import Business
from tests.fakes.meta.business import Person as Writer

# Meta may send two hundred deliveries a second, of some messages each.
DELIVERIES_PER_S, STORM_S, MESSAGES_EACH = 200, 3, 3
WRITERS = 200
ANSWERED_S, ON_SCREEN_S = 0.25, 1.0
# Reading what the storm left.
READING_S = 900
NEWS = 20
RECIPIENTS, KILLED_AFTER = 1_000, (200, 600)
# A worker that dies leaves two messages of which it is not known whether they were sent.
LEFT_BY_THE_DEAD = 2 * len(KILLED_AFTER)

CONTACTS = """
with people as (
  -- Names as different as those of people.
  insert into public.contacts (user_id, first_name) select $1, md5(no::text) from generate_series(1, $2) as no
  returning id, user_id
), phones as (
  insert into public.contact_phones (user_id, contact_id, value, norm)
  select user_id, id, phone, phone
  from (select *, '+39333' || lpad((row_number() over ())::text, 7, '0') as phone from people) as numbered
)
select array_agg(id) from people
"""
AGREE = "select count(public.record_consent(id, 'whatsapp', 'marketing', 'dato')) from unnest($1::uuid[]) as id"
QUEUE = 'select id from public.queue_whatsapp_campaign($1, $2, $3, \'{"nome": "{{nome}}"}\', _typed => $4)'
LIMIT = "update public.whatsapp_accounts set people_a_day = 2000 where user_id = $1"
STATES = "select state::text, count(*) from public.whatsapp_messages where user_id = $1 group by 1 order by 1"
# A number belongs to one person.
FREE = "delete from public.whatsapp_accounts where phone_number_id = $1"
KEPT = "select count(*), count(distinct message_id) from public.whatsapp_messages where user_id = $1"

_port = 0


def environment() -> dict[str, str]:
    """Choose Meta's port and return the setting that the product needs before it starts."""
    global _port
    _port = postgres.free_port()
    return {"WHATSAPP_API_BASE": f"http://127.0.0.1:{_port}"}


async def storm(stage: Stage, database_url: str) -> list[Result]:
    """Deliver as fast as Meta may, wait until all is read, then tell how soon a message is there on a calm day."""
    person = stage.people[-6]
    async with connected(database_url) as connection, graph.serving(Business(), _port) as meta:
        account_id = await _connect(stage, connection, person, meta)
        address = f"{stage.url}/functions/v1/whatsapp_webhook?account={account_id}"
        await at_rest(connection)
        taken: list[float] = []

        async def deliver(number: int) -> None:
            body = _said(meta.business, number)
            status = 0
            # Meta repeats what was refused.
            while status != 200:
                began_s = time.perf_counter()
                async with stage.client.post(address, data=body, headers=meta.business.headers(body)) as answer:
                    status = answer.status
                taken.append(time.perf_counter() - began_s)

        deliveries = DELIVERIES_PER_S * STORM_S
        began_s = time.perf_counter()
        async with asyncio.TaskGroup() as all_of_them:
            for number in range(deliveries):
                # At its time, however long the others take.
                await asyncio.sleep(max(0, began_s + number / DELIVERIES_PER_S - time.perf_counter()))
                all_of_them.create_task(deliver(number))
        slow_s = statistics.quantiles(taken, n=100)[98]
        repeated = f"{len(taken) - deliveries} of {deliveries:,} repeated"
        details = f"p99 {slow_s * 1000:.0f} ms, p95 {p95(taken) * 1000:.0f} ms, {repeated}"
        goal = f"{DELIVERIES_PER_S} deliveries a second, to 250 ms"
        answered = Result("wa", goal, slow_s / ANSWERED_S, 1, details)
        began_s = time.perf_counter()
        expected = deliveries * MESSAGES_EACH
        while (kept := (await connection.fetch(KEPT, person.id))[0])[0] < expected:
            assert time.perf_counter() - began_s < READING_S
            await asyncio.sleep(1)
        details = f"{kept[0]:,} kept, {kept[1]:,} different; read {time.perf_counter() - began_s:.0f} s after the last"
        whole = Result("wa", "lost or doubled of a storm", 2 * expected - kept[0] - kept[1], 0, details)
        await at_rest(connection)
        return [answered, whole, await _soon(stage, person, deliver)]


async def _soon(stage: Stage, person: Person, deliver: Callable[[int], Awaitable[None]]) -> Result:
    """From the delivery to the row, as the person's client reads it."""
    headers = stage.headers_of(person)
    newest = f"{stage.url}/rest/v1/whatsapp_messages?select=body&order=created_at.desc&limit={MESSAGES_EACH}"
    taken: list[float] = []
    for number in range(DELIVERIES_PER_S * STORM_S, DELIVERIES_PER_S * STORM_S + NEWS):
        began_s = time.perf_counter()
        await deliver(number)
        while True:
            async with stage.client.get(newest, headers=headers) as answer:
                if any(row["body"] == _text(number, 0) for row in await answer.json()):
                    break
            assert time.perf_counter() - began_s < PATIENCE_S
            await asyncio.sleep(LOOK_EVERY_S)
        taken.append(time.perf_counter() - began_s)
    slow_s = p95(taken)
    details = f"p95 {slow_s:.2f} s of {NEWS}, to the row"
    return Result("wa", "a message after its delivery, to 1 s", slow_s / ON_SCREEN_S, 1, details)


async def campaign(stage: Stage, database_url: str) -> Result:
    """Send a template to many, and kill the worker on the way."""
    person = stage.people[-7]
    async with connected(database_url) as connection, graph.serving(Business(), _port) as meta:
        await _connect(stage, connection, person, meta)
        meta.add_template("promemoria", "Gentile {{nome}}, ci sentiamo domani.", "MARKETING")
        template_id = await channels.add_template(
            connection, UUID(person.id), category="MARKETING", footer="Rispondi STOP per non ricevere altri messaggi"
        )
        contacts = await connection.fetchval(CONTACTS, person.id, RECIPIENTS)
        await connection.execute("analyze")
        await at_rest(connection)
        await connection.execute(LIMIT, person.id)
        claims = json.dumps({"sub": person.id, "role": "authenticated"})
        async with connection.transaction():
            await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
            await connection.execute(AGREE, contacts)
            await connection.execute(QUEUE, uuid4(), contacts, template_id, RECIPIENTS)
        # The ten minutes in which it can be cancelled are over.
        await connection.execute("update public.whatsapp_messages set not_before = now() where user_id = $1", person.id)
        end = RECIPIENTS - LEFT_BY_THE_DEAD
        taken_s = await send_with_deaths(
            connection, "whatsapp_outbox", person, lambda: len(meta.sent), KILLED_AFTER, end
        )
        states = await connection.fetch(STATES, person.id)
        sent = Counter(message["biz_opaque_callback_data"] for message in meta.sent)
        known = await connection.fetch(
            "select id::text from public.whatsapp_messages where user_id = $1 and state = 'sent'", person.id
        )
    doubled, lost = sent.total() - len(sent), len({row["id"] for row in known} - set(sent))
    told = ", ".join(f"{count:,} {state}" for state, count in states)
    details = f"{doubled} doubled, {lost} lost of {RECIPIENTS:,}: {told}; {taken_s:.0f} s"
    return Result("wa", "doubled or lost, worker killed twice", doubled + lost, 0, details)


async def _connect(stage: Stage, connection: db.Connection, person: Person, meta: graph.Meta) -> UUID:
    """Connect the person's number, as its form does; answer its id."""
    business = meta.business
    number = {
        "phone_number_id": business.phone_number_id, "waba_id": business.waba_id, "token": business.token,
        "app_secret": business.app_secret,
    }  # fmt: skip
    await connection.execute(FREE, business.phone_number_id)
    headers = stage.headers_of(person)
    async with stage.client.put(f"{stage.url}/functions/v1/whatsapp_account", json=number, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
        return UUID((await answer.json())["id"])


def _said(business: Business, number: int) -> bytes:
    """Write a delivery of some messages of one of the writers."""
    writer = Writer(f"IT.{number % WRITERS}", f"Anna {number % WRITERS}", f"39333{number % WRITERS:07}")
    messages = [business.message(writer, part=_text(number, place)) for place in range(MESSAGES_EACH)]
    return business.said(writer, *messages)


def _text(number: int, place: int) -> str:
    return f"Domanda {number}.{place}"
