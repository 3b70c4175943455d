"""A campaign by WhatsApp through worker and fake Meta: killed in the middle, stopped by a client, in the history."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from backend.core import db
from backend.edge import api
from tests.backend.test_commands import environment
from tests.db import channels, crm
from tests.fakes.meta import graph
from tests.fakes.meta.business import Person
from tests.functions.test_whatsapp_sending import desk as desk
from tests.functions.test_whatsapp_sending import meta as meta
from tests.functions.test_whatsapp_sending import settings as settings
from tests.functions.whatsapp_desk import Desk

pytestmark = pytest.mark.anyio
PATIENCE_S = 60
# One run of the outbox after the other, until the test kills it.
WORKER = """
import asyncio, sys
from backend.core import config
from backend.core.resources import open_all
from backend.edge.api import Context
from functions.jobs import whatsapp_outbox

async def main():
    async with open_all(config.load()) as resources:
        context = Context("whatsapp_outbox", {"role": "service_role"}, "", resources)
        while True:
            await whatsapp_outbox.handler({"user_id": sys.argv[1]}, context)
            await asyncio.sleep(0.1)

asyncio.run(main())
"""


async def campaign(desk: Desk, meta: graph.Meta, size: int) -> UUID:
    """Queue a promotion to so many contacts who agreed; answers its id."""
    meta.add_template("offerta", "Ciao {{nome}}, da lunedì siamo aperti.", "MARKETING")
    async with db.transaction(desk.resources.pool) as connection:
        template_id = await channels.add_template(
            connection, desk.user_id, name="offerta", category="MARKETING",
            body="Ciao {{nome}}, da lunedì siamo aperti.", footer="Rispondi STOP per non ricevere altri messaggi",
        )  # fmt: skip
        ids = [await crm.contact(connection, desk.user_id, first_name=f"Anna {place}") for place in range(size)]
        await connection.executemany(
            "insert into public.contact_phones (user_id, contact_id, value, norm) values ($1, $2, $3::text, $3::text)",
            [(desk.user_id, contact_id, f"+39333{place:07}") for place, contact_id in enumerate(ids)],
        )
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        for contact_id in ids:
            await connection.execute("select public.record_consent($1, 'whatsapp', 'marketing', 'dato')", contact_id)
        batch_id: UUID = await connection.fetchval(
            "select id from public.queue_whatsapp_campaign($1, $2, $3, $4::text::jsonb, _typed => $5)",
            uuid4(), ids, template_id, json.dumps({"nome": "{{nome}}"}), size, timeout=PATIENCE_S,
        )  # fmt: skip
    return batch_id


async def states(desk: Desk) -> Counter[str]:
    return Counter(message["state"] for message in await desk.outgoing())


@pytest.mark.parametrize("size", [30, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(600)])])
async def test_a_worker_that_is_killed_in_the_middle_sends_nothing_twice_and_loses_nobody(
    desk: Desk, meta: graph.Meta, size: int
) -> None:
    await desk.rows("update public.whatsapp_accounts set people_a_day = 2000")
    await campaign(desk, meta, size)
    await desk.rows("update public.whatsapp_messages set not_before = now()")
    for so_far in (size // 6, size // 2):
        child = subprocess.Popen(  # noqa: ASYNC220 - takes no time
            [sys.executable, "-c", WORKER, str(desk.user_id)],
            env=environment(desk.resources.settings, WHATSAPP_API_BASE=meta.url),
        )
        async with asyncio.timeout(PATIENCE_S):
            while len(meta.sent) < so_far:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        # The next is taken, and its answer never comes.
        meta.mode = "silent"
        taken = len(meta.sent)
        async with asyncio.timeout(PATIENCE_S):
            while len(meta.sent) == taken:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        os.kill(child.pid, signal.SIGKILL)
        await asyncio.to_thread(child.wait, PATIENCE_S)
        meta.mode = "good"
        await desk.rows("update public.whatsapp_messages set leased_until = now() where leased_until > now()")
    # A run ends when the number has sent its twenty a second.
    while (await states(desk))["queued"]:
        await desk.send()
    assert await states(desk) == {"sent": size - 2, "uncertain": 2}
    assert len(meta.sent) == size
    assert len({sent["biz_opaque_callback_data"] for sent in meta.sent}) == size
    # What is uncertain waits for its status, and is not sent again.
    uncertain = {str(row["id"]) for row in await desk.outgoing() if row["state"] == "uncertain"}
    await desk.tell(
        *[meta.status(sent, "delivered") for sent in meta.sent if sent["biz_opaque_callback_data"] in uncertain]
    )
    assert await states(desk) == {"sent": size - 2, "delivered": 2}


async def test_a_run_waits_for_the_pace_of_the_number_and_sends_all(desk: Desk, meta: graph.Meta) -> None:
    await campaign(desk, meta, 60)
    await desk.send()
    assert await states(desk) == {"sent": 60}
    # Whoever waits for the number keeps what may be sent to them at once.
    buckets = await desk.rows(
        "select tokens from private.whatsapp_buckets where id in (select channel_id from public.whatsapp_messages)"
    )
    assert Counter(bucket["tokens"] for bucket in buckets) == {4: 60}


async def test_a_run_that_is_held_up_for_a_second_sends_all(
    desk: Desk, meta: graph.Meta, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = api.Context.call
    held_up: list[str] = []

    async def slow(context: api.Context, function: str, *arguments: Any) -> Any:
        if function == "private.next_whatsapp_s" and not held_up:
            held_up.append(function)
            await asyncio.sleep(1.2)
        return await call(context, function, *arguments)

    monkeypatch.setattr(api.Context, "call", slow)
    await campaign(desk, meta, 25)
    await desk.send()
    assert (held_up, await states(desk)) == (["private.next_whatsapp_s"], {"sent": 25})


async def test_what_is_sent_is_in_the_history_and_a_stop_meanwhile_ends_it_for_that_person(
    desk: Desk, meta: graph.Meta
) -> None:
    batch_id = await campaign(desk, meta, 3)
    # The number is known, and the first message brings its identifier.
    await desk.say(Person("IT.1", "Anna", "393330000001"), "STOP")
    await desk.send()
    bodies = sorted(
        sent["template"]["components"][0]["parameters"][0]["text"] for sent in meta.sent if "template" in sent
    )
    assert bodies == ["Anna 0", "Anna 2"]
    entries = await desk.rows("select summary from public.interactions where direction = 'uscita' order by summary")
    assert [entry["summary"] for entry in entries if "lunedì" in entry["summary"]] == [
        "Ciao Anna 0, da lunedì siamo aperti.",
        "Ciao Anna 2, da lunedì siamo aperti.",
    ]
    [row] = await desk.rows("select count(*) from public.contact_channels")
    assert row["count"] == 3
    told: list[dict[str, Any]] = await desk.rows(
        "select state::text, error::text from public.whatsapp_messages where batch_id = $1 order by state::text",
        batch_id,
    )
    assert told == [
        {"state": "cancelled", "error": "stopped"},
        {"state": "sent", "error": None},
        {"state": "sent", "error": None},
    ]


async def reacting(desk: Desk, message_id: UUID) -> None:
    """Read the status of a message that failed because Meta has stopped all templates."""
    told = {
        "our_id": str(message_id), "message_id": f"wamid.{message_id}", "state": "failed",
        "at": datetime.now(UTC).isoformat(), "code": 131064, "detail": None,
    }  # fmt: skip
    await desk.context().call("private.keep_whatsapp_status", desk.account_id, api.Json(json.dumps(told)))


async def cancelling(desk: Desk, batch_id: UUID) -> None:
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        await connection.execute("select id from public.cancel_campaign($1)", batch_id)


@pytest.mark.parametrize("other", ["cancel", "template", "reaction"])
async def test_an_error_that_stops_all_campaigns_waits_for_no_one_who_waits_for_it(
    desk: Desk, meta: graph.Meta, other: str
) -> None:
    batch_id = await campaign(desk, meta, 3)
    first, second, last = [
        row["id"] for row in await desk.rows("select id from public.whatsapp_messages order by ctid")
    ]
    changes: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
        "cancel": lambda: cancelling(desk, batch_id),
        "template": lambda: desk.context().call(
            "private.note_whatsapp_template", desk.account_id,
            api.Json(json.dumps({"name": "offerta", "language": "it", "state": "PAUSED"})),
        ),
        "reaction": lambda: reacting(desk, second),
    }  # fmt: skip
    async with asyncio.TaskGroup() as both, db.transaction(desk.resources.pool) as connection:
        # Whoever changes the whole campaign comes as far as this message.
        await connection.execute("select from public.whatsapp_messages where id = $1 for update", first)
        both.create_task(changes[other]())
        await waiting(desk, 1)
        both.create_task(reacting(desk, last))
        await waiting(desk, 2)
    [batch] = await desk.rows(
        "select paused_at is not null as paused, cancelled_at is not null as cancelled from public.mail_batches"
    )
    assert batch["cancelled" if other == "cancel" else "paused"]
    assert (await states(desk))["failed"] == (2 if other == "reaction" else 1)


async def waiting(desk: Desk, count: int) -> None:
    """Wait until so many statements wait for the transaction of another."""
    async with asyncio.timeout(PATIENCE_S):
        while [{"count": count}] != await desk.rows(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        ):
            pass
