"""backend.edge.warming: functions load in the background once the server is ready, and a failure costs nothing else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from backend import gateway
from backend.core.config import Settings
from backend.core.config_functions import Function
from backend.core.resources import open_all
from tests.backend.edge.conftest import Write

pytestmark = pytest.mark.anyio

HANDLER = """
import asyncio
from pathlib import Path
from backend.edge import api

async def handler(request, context):
    return api.JSONResponse({"name": context.name})

"""
WARM = (
    HANDLER
    + "runs = Path(__file__).parents[2] / 'runs'\n"
    + "runs.write_text((runs.read_text() if runs.exists() else '') + '1')\n\n"
    + "async def warm_up(context):\n    (context.data_folder / context.name).write_text(str(context.claims))\n"
)
FAILING = HANDLER + "async def warm_up(context):\n    raise RuntimeError('nothing to load')\n"
ENDLESS = HANDLER + "async def warm_up(context):\n    await asyncio.Event().wait()\n"


@pytest.fixture(autouse=True)
def hooks(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "WARM_UP_PAUSE_S", 0.01)
    write("a_failing.py", FAILING)
    write("a_broken.py", "async def warm_up(context): ...\nraise RuntimeError\n")
    write("an_endless.py", ENDLESS)
    write("cold.py", HANDLER.replace("import asyncio", "raise RuntimeError('imported')"))
    write("off.py", WARM)
    write("warm/__init__.py", WARM)


@asynccontextmanager
async def serving(settings: Settings, tmp_path: Path) -> AsyncIterator[ASGIApp]:
    settings = replace(settings, functions_path=(tmp_path / "functions",), functions={"off": Function(enabled=False)})
    async with open_all(settings) as resources, gateway.application(resources, warms_up=True) as app:
        yield app


def to(app: ASGIApp) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost:54321")


async def warmed(settings: Settings) -> None:
    async with asyncio.timeout(20):
        while not (settings.home / "warm").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # the hook tells nobody


async def test_a_function_warms_up_once_the_server_is_ready(
    postgrest: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(postgrest, tmp_path) as app, to(app) as client:
        await warmed(postgrest)
        # One that fails and one that does not end hurt neither the others nor themselves.
        for slug in ("warm", "a_failing", "an_endless"):
            assert (await client.get(f"/functions/v1/{slug}")).json() == {"name": slug}
        assert (await client.get("/ready")).status_code == 200
    # The first request uses the module that was warmed up.
    assert (tmp_path / "runs").read_text() == "1"
    failed = [
        str(record.exc_info and record.exc_info[1]) for record in caplog.records if record.levelno >= logging.ERROR
    ]
    assert "nothing to load" in failed
    assert "imported" not in failed
    assert not (postgrest.home / "off").exists()


async def test_nothing_warms_up_before_the_server_is_ready(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = asyncio.Event()
    reasons = gateway.Readiness.reasons

    async def counted(readiness: gateway.Readiness) -> list[str]:
        found = await reasons(readiness)
        looked.set()
        return found

    monkeypatch.setattr(gateway.Readiness, "reasons", counted)
    # PostgREST does not run.
    async with serving(settings, tmp_path):
        for _ in range(2):
            async with asyncio.timeout(20):
                await looked.wait()
            looked.clear()
        assert not (settings.home / "warm").exists()
