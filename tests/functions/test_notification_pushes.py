"""Notifications by push: one message for all that is due, whatever the push service answers and whoever dies."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from backend.edge.api import Context
from functions._shared import web_push
from functions.jobs import notification_pushes
from tests.backend.test_commands import environment
from tests.db import accounts
from tests.fakes import push

pytestmark = pytest.mark.anyio
PATIENCE_S = 30
NOTIFY = "select private.notify($1, $2, $3, 'Segreto')"
DUE = "update private.notification_deliveries set not_before = now() - interval '1 minute' where state = 'attesa'"
WAITING = "select payload, execute_after - now() as delay from jobs.pgqueuer where entrypoint = 'push_message'"


@pytest.fixture
async def service() -> AsyncIterator[push.Push]:
    async with push.serving() as running:
        yield running


async def person(resources: Resources, *devices: push.Browser, told: tuple[str, ...] = ("approvazione",)) -> UUID:
    """Make a person with these devices who wants pushes of all, and tells these kinds; all of it is due."""
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await connection.execute(
            "insert into public.notification_settings (user_id, quiet_from, quiet_to) values ($1, null, null)", user_id
        )
        await connection.execute(
            "insert into public.notification_prefs select distinct $1::uuid, category,"
            " 'push'::public.notification_channel, true from public.notification_kinds where category <> 'sistema'",
            user_id,
        )
        for device in devices:
            keys = device.subscription()["keys"]
            await connection.execute(
                "select private.keep_push_subscription($1, $2, $3, $4)",
                user_id, device.endpoint, keys["p256dh"], keys["auth"],
            )  # fmt: skip
        for kind in told:
            await connection.execute(NOTIFY, user_id, kind, f"Titolo {kind}")
        await connection.execute(DUE)
    return user_id


async def run(resources: Resources, sql: str, *arguments: Any) -> list[Any]:
    async with db.connection(resources.pool) as connection:
        return await connection.fetch(sql, *arguments)


async def deliver(resources: Resources) -> None:
    """Claim, and let a worker send until no message is due."""
    await notification_pushes.handler({}, Context("notification_pushes", {}, "", resources))
    await work(resources)


async def work(resources: Resources) -> None:
    stopping = asyncio.Event()
    task = {"push_message": tasks.of_product(resources.settings)["push_message"]}
    worker = asyncio.create_task(jobs.work(resources, task, stopping))
    try:
        async with asyncio.timeout(PATIENCE_S):
            while await run(resources, WAITING + " and (execute_after <= now() or status <> 'queued')"):  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # nothing tells when pgqueuer is done
    finally:
        stopping.set()
        await worker


async def states(resources: Resources) -> list[str]:
    rows = await run(resources, "select state::text from private.notification_deliveries where channel = 'push'")
    return [row["state"] for row in rows]


async def test_all_that_is_due_is_one_message_on_each_device(resources: Resources, service: push.Push) -> None:
    phone, desk = service.browser("phone"), service.browser("desk")
    await person(resources, phone, desk, told=("fattura_scaduta", "approvazione", "promemoria"))
    await deliver(resources)
    assert sorted(message.path for message in service.received) == ["/push/desk", "/push/phone"]
    for message in service.received:
        browser = phone if message.path.endswith("phone") else desk
        content = json.loads(browser.read(message.body))
        assert (content["news"], content["url"], set(content)) == (3, "/notifications", {"id", "news", "url"})
        assert (message.headers["TTL"], message.headers["Content-Encoding"]) == ("86400", "aes128gcm")
        assert message.signer == web_push.public_key(Context("push_message", {}, "", resources))
    await deliver(resources)
    assert len(service.received) == 2


async def test_one_notice_leads_to_its_place(resources: Resources, service: push.Push) -> None:
    phone = service.browser()
    await person(resources, phone, told=("fattura_scaduta",))
    await deliver(resources)
    [message] = service.received
    assert json.loads(phone.read(message.body))["url"] == "/documents/fatture?tipo=attive"


@pytest.mark.parametrize("status", [404, 410])
async def test_a_device_that_is_gone_is_deleted(resources: Resources, service: push.Push, status: int) -> None:
    gone = service.browser("gone")
    await person(resources, gone)
    await person(resources, service.browser("other"), told=())
    service.answers = [(status, {})]
    await deliver(resources)
    left = await run(resources, "select endpoint from public.push_subscriptions")
    assert [row["endpoint"] for row in left] == [f"{service.url}/push/other"]
    assert len(service.received) == 1


async def test_a_message_that_is_too_long_becomes_a_bare_signal(resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser())
    service.answers = [(413, {})]
    await deliver(resources)
    assert [bool(message.body) for message in service.received] == [True, False]
    assert await run(resources, WAITING) == []


@pytest.mark.parametrize(("header", "least_s", "most_s"), [("120", 100, 120), ("soon", 40, 60), ("", 40, 60)])
async def test_a_service_that_has_too_much_is_asked_when_it_says(
    resources: Resources, service: push.Push, header: str, least_s: int, most_s: int
) -> None:
    await person(resources, service.browser())
    service.answers = [(429, {"Retry-After": header})]
    await deliver(resources)
    [waiting] = await run(resources, WAITING)
    assert least_s < waiting["delay"].total_seconds() <= most_s
    await run(resources, "update jobs.pgqueuer set execute_after = now()")
    await work(resources)
    assert len(service.received) == 2


async def test_what_is_read_while_a_message_waits_is_not_sent(resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser())
    service.answers = [(429, {})]
    await deliver(resources)
    await run(resources, "update public.notifications set is_read = true")
    await run(resources, "update jobs.pgqueuer set execute_after = now()")
    await work(resources)
    assert len(service.received) == 1


async def test_quiet_hours_hold_for_a_message_that_waits(resources: Resources, service: push.Push) -> None:
    user_id = await person(resources, service.browser())
    service.answers = [(429, {})]
    await deliver(resources)
    # An hour before now until an hour after it, by the local clock.
    await run(
        resources,
        "update public.notification_settings set zone = 'UTC', quiet_from = (now() - interval '1 hour')::time,"
        " quiet_to = (now() + interval '1 hour')::time where user_id = $1",
        user_id,
    )
    await run(resources, "update jobs.pgqueuer set execute_after = now()")
    await work(resources)
    [waiting] = await run(resources, WAITING)
    assert 3000 < waiting["delay"].total_seconds() < 4000
    assert len(service.received) == 1


async def test_a_service_that_is_away_is_asked_again(resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser())
    service.answers = [(503, {})]
    await deliver(resources)
    assert len(service.received) == 1
    [waiting] = await run(resources, WAITING)
    assert waiting["delay"].total_seconds() > 0


async def test_a_message_that_is_refused_for_good_is_a_dead_letter(resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser())
    service.answers = [(400, {})]
    await deliver(resources)
    letters = await run(resources, "select error from jobs.dead_letters")
    assert [row["error"] for row in letters] == ["The push service answered 400"]


async def test_without_a_device_nothing_waits(resources: Resources) -> None:
    await person(resources)
    await deliver(resources)
    assert await states(resources) == ["esclusa"]


async def test_yesterdays_news_wake_nobody(resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser())
    await run(
        resources,
        "update private.notification_deliveries set not_before = now() - interval '25 hours' where channel = 'push'",
    )
    await deliver(resources)
    assert (await states(resources), service.received) == (["esclusa"], [])


async def test_what_is_switched_off_before_it_leaves_is_not_sent(resources: Resources, service: push.Push) -> None:
    user_id = await person(resources, service.browser(), told=("approvazione", "promemoria"))
    await run(
        resources,
        "update public.notification_prefs set is_enabled = false where user_id = $1 and category = 'attivita'",
        user_id,
    )
    await deliver(resources)
    assert sorted(await states(resources)) == ["esclusa", "inviata"]
    assert len(service.received) == 1


async def test_no_message_reaches_our_own_network(resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser())
    settings = resources.settings
    public = replace(settings, api=replace(settings.api, external_url="https://socio.example"))
    await deliver(replace(resources, settings=public))
    assert service.received == []


async def test_two_workers_send_one_message(resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser(), told=("fattura_scaduta", "approvazione"))
    context = Context("notification_pushes", {}, "", resources)
    await asyncio.gather(*(notification_pushes.handler({}, context) for _ in range(4)))
    await asyncio.gather(*(work(resources) for _ in range(2)))
    assert len(service.received) == 1


# The worker's transaction, up to a moment at which the test kills it.
CHILD = """
import asyncio, sys
from backend.core import config, jobs
from backend.core.resources import open_all
from backend.edge.api import Context

async def main():
    async with open_all(config.load()) as resources:
        async with Context("notification_pushes", {}, "", resources).as_service() as connection:
            row = await connection.fetchrow("select * from private.claim_notification_push()")
            if sys.argv[1] == "enqueued":
                payload = {"device": str(row["devices"][0]), "deliveries": [str(each) for each in row["deliveries"]]}
                await jobs.enqueue(connection, "push_message", payload)
            print("here", flush=True)
            await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["claimed", "enqueued"])
async def test_a_worker_that_is_killed_loses_no_message(moment: str, resources: Resources, service: push.Push) -> None:
    await person(resources, service.browser())
    child = subprocess.Popen(  # noqa: ASYNC220 - takes no time
        [sys.executable, "-c", CHILD, moment], env=environment(resources.settings), stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert await asyncio.to_thread(child.stdout.readline) == "here\n"
    os.kill(child.pid, signal.SIGKILL)
    await asyncio.to_thread(child.wait, 30)
    child.stdout.close()
    async with asyncio.timeout(PATIENCE_S):
        while not service.received:  # until Postgres has noticed
            await deliver(resources)
    await deliver(resources)
    assert len(service.received) == 1
