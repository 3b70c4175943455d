"""What functions ask of the platform over HTTP, against the whole application on a real port."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from backend import gateway
from backend.core import db, server
from backend.core.resources import Resources
from backend.edge.api import Context, PlatformError
from scripts import postgres
from tests.functions.test_health_report import ADMIN, token

pytestmark = pytest.mark.anyio

PATIENCE_S = 20


@pytest.fixture
async def listening(resources: Resources) -> AsyncIterator[Resources]:
    """The application on a port of its own; answers the resources it runs on."""
    port = postgres.free_port()
    api = replace(resources.settings.api, port=port, external_url=f"http://127.0.0.1:{port}")
    own = replace(resources, settings=replace(resources.settings, api=api))
    async with gateway.application(own) as app:
        task = asyncio.create_task(server.run(app, own.settings, asyncio.Event()))
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not await answers(own):  # noqa: ASYNC110
                    await asyncio.sleep(0)  # the server tells nobody when it listens
            yield own
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            async with asyncio.timeout(PATIENCE_S):
                await task


async def answers(resources: Resources) -> bool:
    try:
        async with httpx.AsyncClient(base_url=resources.settings.api.external_url) as client:
            return (await client.get("/health")).status_code == 200
    except httpx.TransportError:
        return False


async def test_files_go_up_come_down_and_away_with_the_rights_of_who_acts(listening: Resources) -> None:
    service = Context("test", {"role": "service_role"}, "", listening, listening.keys.secret_key)
    stranger = Context("test", {}, "", listening, token(listening, uuid4(), "aal1")["Authorization"].split()[1])
    made = await service.platform.request("POST", "/storage/v1/bucket", json={"id": "papers", "name": "papers"})
    assert made.status == 200, made.body
    place = ("papers", "città/un file.txt")
    await service.storage.upload(*place, b"one", "text/plain")
    with pytest.raises(PlatformError) as twice:
        await service.storage.upload(*place, b"two", "text/plain")
    assert twice.value.status in (400, 409)
    await service.storage.upload(*place, b"two", "text/plain", upsert=True)
    assert await service.storage.download(*place) == b"two"
    assert await stranger.storage_as_service.download(*place) == b"two"
    with pytest.raises(PlatformError):
        await stranger.storage.download(*place)
    with pytest.raises(PlatformError):
        await stranger.storage.upload("papers", "theirs.txt", b"", "text/plain")
    signed = await service.storage.signed_url(*place, 60)
    async with httpx.AsyncClient(base_url=listening.settings.api.external_url) as client:
        assert (await client.get(signed)).content == b"two"
    await service.storage.remove("papers", [place[1]])
    with pytest.raises(PlatformError):
        await service.storage.download(*place)


async def test_a_file_is_sent_in_pieces_whole_or_not_at_all(listening: Resources) -> None:
    service = Context("test", {"role": "service_role"}, "", listening, listening.keys.secret_key)
    await service.platform.request("POST", "/storage/v1/bucket", json={"id": "papers", "name": "papers"})

    async def pieces(count: int) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"x" * 300_000

    async def cut() -> AsyncIterator[bytes]:
        async for piece in pieces(2):
            yield piece
        raise LookupError("no more")

    await service.storage.upload("papers", "long.txt", pieces(5), "text/plain")
    assert await service.storage.download("papers", "long.txt") == b"x" * 1_500_000
    with pytest.raises(PlatformError) as broken:
        await service.storage.upload("papers", "cut.txt", cut(), "text/plain")
    assert broken.value.status == 0
    assert broken.value.__cause__ is not None
    assert isinstance(broken.value.__cause__.__cause__, LookupError)
    with pytest.raises(PlatformError):
        await service.storage.download("papers", "cut.txt")


async def test_the_report_of_a_running_installation_says_what_is_missing(listening: Resources) -> None:
    """PostgREST does not run here, and the report says so; the storage does."""
    async with db.transaction(listening.pool) as connection:
        await connection.execute("insert into auth.users (id, email) values ($1, 'admin@example.com')", ADMIN)
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", ADMIN)
    async with httpx.AsyncClient(base_url=listening.settings.api.external_url) as client:
        answer = await client.post("/functions/v1/health_report", headers=token(listening, ADMIN, "aal2"))
    parts = answer.json()["parts"]
    assert parts["storage"]["status"] == "ok"
    assert (parts["rest"]["status"], parts["rest"]["reasons"]) == ("degraded", ["PostgREST does not answer"])
    assert answer.json()["status"] == "degraded"
