"""Workers that share a mailbox on a real Dovecot: one is killed in the middle, the others go on where it stopped."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from uuid import UUID

import pytest

from tests.backend.test_commands import environment
from tests.conftest import Clock, RunningClock
from tests.fakes import dovecot
from tests.functions.documents.conftest import Desk
from tests.functions.documents.conftest import desk as desk
from tests.functions.test_mail_fetch import letter, mails, reader, rows
from tests.functions.test_mail_fetch import real as real

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(240)]
MAILS = 60
PATIENCE_S = 90
WORKER = """
import asyncio, sys
from backend.core import config
from backend.core.resources import open_all
from backend.edge.api import Context
from functions.jobs import mail_fetch

async def main():
    async with open_all(config.load()) as resources:
        context = Context("mail_fetch", {"role": "service_role"}, "", resources)
        await mail_fetch.handler({"user_id": sys.argv[1]}, context)

asyncio.run(main())
"""


@pytest.fixture
def now() -> Clock:
    return RunningClock()


def worker(desk: Desk, user_id: UUID) -> subprocess.Popen[bytes]:
    """Start a worker of its own process on this mailbox."""
    port = str(desk.resources.settings.api.port)
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(user_id)], env=environment(desk.resources.settings, SUPABASE_API_PORT=port)
    )


async def test_killed_workers_leave_a_mailbox_that_others_finish_once(desk: Desk, real: int) -> None:
    await reader(desk, real)
    for number in range(MAILS):
        content = letter(f"Numero {number}", Message_ID=f"<{number}@example.it>").as_bytes()
        await asyncio.to_thread(dovecot.deliver, real, "io", content)
    for so_far in (5, 25):
        first = worker(desk, desk.user_id)
        async with asyncio.timeout(PATIENCE_S):
            while len(await mails(desk)) < so_far:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        os.kill(first.pid, signal.SIGKILL)
        await asyncio.to_thread(first.wait, PATIENCE_S)
        # Another one leaves the mailbox to the lease of the dead.
        second = worker(desk, desk.user_id)
        assert await asyncio.to_thread(second.wait, PATIENCE_S) == 0
        assert len(await mails(desk)) < MAILS
        await rows(desk, "update private.leases set ends_at = now()")
    last = [worker(desk, desk.user_id) for _ in range(2)]
    assert [await asyncio.to_thread(each.wait, PATIENCE_S) for each in last] == [0, 0]
    kept = await mails(desk)
    assert sorted(each["message_id"] for each in kept) == sorted(f"<{number}@example.it>" for number in range(MAILS))
    history = await rows(desk, "select count(*) as times from public.interactions group by summary")
    assert [each["times"] for each in history] == [1] * MAILS
    assert await rows(desk, "select 1 from private.leases") == []
