"""A process whose event loop stands still ends, and says where it stood."""

from __future__ import annotations

import subprocess
import sys

import pytest

from backend.core.config import Settings
from tests.backend.test_commands import environment

pytestmark = pytest.mark.anyio

BLOCKED = """
import asyncio, time
from backend.core import watchdog
watchdog.BLOCKED_LIMIT_S = 0.2
async def innocent():
    await asyncio.Event().wait()
async def culprit():
    asyncio.get_running_loop().create_task(innocent())
    await asyncio.sleep(0)
    time.sleep(3600)
asyncio.run(watchdog.watched(culprit()))
"""
ENDS = """
import asyncio
from backend.core import watchdog
async def work():
    await asyncio.sleep(0)
    print("done")
asyncio.run(watchdog.watched(work()))
"""


def run(settings: Settings, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env=environment(settings), capture_output=True, text=True, timeout=60
    )


async def test_a_loop_that_is_blocked_ends_its_process_and_names_who_blocks(settings: Settings) -> None:
    done = run(settings, BLOCKED)
    assert done.returncode == 1
    assert "in culprit" in done.stderr
    assert "in innocent" not in done.stderr


async def test_work_that_is_done_leaves_no_watch_behind(settings: Settings) -> None:
    done = run(settings, ENDS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
