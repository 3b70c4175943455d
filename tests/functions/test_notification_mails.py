"""Notifications by mail: one letter for all that is due, whoever works and whoever dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from uuid import UUID

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions.jobs import notification_mails
from tests.backend.test_commands import environment
from tests.conftest import Mails
from tests.db import accounts, work

pytestmark = pytest.mark.anyio

ADDRESS = "anna@example.test"
NOTIFY = "select private.notify($1, $2, $3, $4)"
DUE = "update private.notification_deliveries set not_before = now() - interval '1 minute' where state = 'attesa'"
NO_QUIET = "insert into public.notification_settings (user_id, quiet_from, quiet_to) values ($1, null, null)"


async def person(resources: Resources, *told: tuple[str, str]) -> UUID:
    """Make somebody who was told this, all of it due by mail."""
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection, email=ADDRESS)
        await connection.execute(NO_QUIET, user_id)
        for kind, title in told:
            await connection.execute(NOTIFY, user_id, kind, title, "Testo <b>")
        await connection.execute(DUE)
    return user_id


def context(resources: Resources) -> Context:
    return Context("notification_mails", {}, "", resources)


async def test_all_that_is_due_is_one_letter(resources: Resources, mails: Mails) -> None:
    await person(
        resources, *(("fattura_scaduta", f"Fattura {number}") for number in range(12)), ("approvazione", "Sì?")
    )
    await notification_mails.handler({}, context(resources))
    [mail] = await mails.to(ADDRESS)
    assert mail.subject == "13 novità da Socio"
    assert "Fatture scadute:" in mail.text
    assert mail.text.count("Fattura ") == notification_mails.NAMED
    assert "E altre 2 di questo tipo." in mail.text
    assert "Sì? Testo <b>" in mail.text
    assert "Testo &lt;b&gt;" in mail.html
    assert f"{resources.settings.auth.site_url}/notifications" in mail.text


async def test_one_notice_is_a_letter_of_its_own(resources: Resources, mails: Mails) -> None:
    await person(resources, ("fattura_scaduta", "Fattura 12 a Rossi srl scaduta"))
    await notification_mails.handler({}, context(resources))
    [mail] = await mails.to(ADDRESS)
    assert mail.subject == "Fattura 12 a Rossi srl scaduta"
    # The notice begins in its own way.
    assert "Ciao," not in mail.text + mail.html
    assert f"{resources.settings.auth.site_url}/documents/fatture?tipo=attive" in mail.text


async def test_a_briefing_comes_first_in_the_letter(resources: Resources, mails: Mails) -> None:
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection, email=ADDRESS)
        await connection.execute(NO_QUIET, user_id)
        await connection.execute("insert into public.notification_prefs values ($1, 'briefing', 'mail', true)", user_id)
        await connection.execute(NOTIFY, user_id, "fattura_scaduta", "Fattura 12", "Testo")
        await connection.execute(NOTIFY, user_id, "briefing", "La tua giornata", "Oggi tutto.\n\nIn ritardo 5 €.")
        await connection.execute(DUE)
    await notification_mails.handler({}, context(resources))
    [mail] = await mails.to(ADDRESS)
    assert mail.subject == "La tua giornata e una novità"
    assert mail.text.index("In ritardo 5 €.") < mail.text.index("Fattura 12. Testo")


async def test_somebody_who_read_all_of_it_keeps_nobody_waiting(resources: Resources, mails: Mails) -> None:
    await person(resources, ("approvazione", "Sì?"))
    async with db.transaction(resources.pool) as connection:
        reader = await accounts.create(connection)
        await connection.execute(NO_QUIET, reader)
        # More than a claim looks at, due before the other's.
        for _ in range(201):
            await connection.execute(NOTIFY, reader, "approvazione", "Sì?", "Testo")
        await connection.execute("update public.notifications set is_read = true where user_id = $1", reader)
        await connection.execute(
            "update private.notification_deliveries set not_before = now() - interval '1 hour'"
            " where user_id = $1 and state = 'attesa'",
            reader,
        )
    await notification_mails.handler({}, context(resources))
    assert len(await mails.to(ADDRESS)) == 1


async def test_two_workers_write_one_letter(resources: Resources, mails: Mails) -> None:
    await person(resources, ("fattura_scaduta", "Fattura 1"), ("approvazione", "Sì?"))
    await asyncio.gather(*(notification_mails.handler({}, context(resources)) for _ in range(4)))
    assert len(await mails.to(ADDRESS)) == 1


# The worker's transaction, up to a moment at which the test kills it.
CHILD = """
import asyncio, sys
from backend.core import config, mail
from backend.core.resources import open_all
from backend.edge.api import Context

async def main():
    async with open_all(config.load()) as resources:
        async with Context("notification_mails", {}, "", resources).as_service() as connection:
            row = await connection.fetchrow("select * from private.claim_notification_mail()")
            if sys.argv[1] == "enqueued":
                await mail.enqueue(connection, mail.Message(row["email"], "S", "<p>H</p>", "T", "notifications"))
            print("here", flush=True)
            await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize("moment", ["claimed", "enqueued"])
async def test_a_worker_that_is_killed_loses_no_letter(moment: str, resources: Resources, mails: Mails) -> None:
    await person(resources, ("fattura_scaduta", "Fattura 1"))
    child = subprocess.Popen(  # noqa: ASYNC220 - takes no time
        [sys.executable, "-c", CHILD, moment], env=environment(resources.settings), stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert await asyncio.to_thread(child.stdout.readline) == "here\n"
    os.kill(child.pid, signal.SIGKILL)
    await asyncio.to_thread(child.wait, 30)
    child.stdout.close()
    async with asyncio.timeout(30):
        while not await mails.to(ADDRESS):  # until Postgres has noticed
            await notification_mails.handler({}, context(resources))
            await asyncio.sleep(0.05)
    await notification_mails.handler({}, context(resources))
    assert [mail.subject for mail in await mails.to(ADDRESS)] == ["Fattura 1"]


async def test_a_reminder_is_told_where_its_owner_wants_it_and_settled_with_its_task(
    resources: Resources, mails: Mails
) -> None:
    user_id = await person(resources)
    async with db.transaction(resources.pool) as connection:
        await connection.execute("insert into public.notification_prefs values ($1, 'attivita', 'mail', true)", user_id)
        todo = [await work.task(connection, user_id, title=title) for title in ("Telefona", "Scrivi")]
        for task in todo:
            await connection.execute(
                "select private.notify($1, 'promemoria', $2, 'Testo', null, null, 'task', $3)",
                user_id,
                task["title"],
                task["id"],
            )
        await connection.execute("update public.tasks set state = 'fatto' where id = $1", todo[0]["id"])
    await notification_mails.handler({}, context(resources))
    assert [mail.subject for mail in await mails.to(ADDRESS)] == ["Scrivi"]
