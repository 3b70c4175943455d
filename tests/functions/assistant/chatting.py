"""A person who talks with the assistant over HTTP: the real gateway listens on loopback, for streams are the point."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

import httpx
from starlette.types import ASGIApp

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources
from tests import door
from tests.db import ledger
from tests.functions import signed_in

PATIENCE_S = 30
CREDITS = 100


@dataclass(frozen=True)
class Told:
    """One event as a browser reads it."""

    seq: int
    name: str
    data: dict[str, Any]


def with_model(settings: Settings, url: str, model: str = "fake") -> Settings:
    """The settings of an installation whose AI is the fake provider."""
    secrets = {"AI_MODEL": f"compatible:{model}", "AI_BASE_URL": f"{url}/v1", "AI_API_KEY": "sk-x"}
    return replace(settings, edge_runtime=replace(settings.edge_runtime, secrets=secrets))


async def events_of(response: httpx.Response) -> AsyncIterator[Told]:
    """The events of a stream, as they come."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if not line and "data" in fields:
            yield Told(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value


@dataclass(frozen=True)
class Talk:
    """Somebody with a hundred credits and whatever the database has."""

    http: httpx.AsyncClient
    resources: Resources
    person: UUID

    def headers(self, person: UUID | None = None) -> dict[str, str]:
        return signed_in.headers(self.resources, person or self.person)

    async def post(self, content: Any = "Aiuto", **more: Any) -> httpx.Response:
        """The whole answer to a question."""
        return await self.http.post("/functions/v1/chat", json=body(content, **more), headers=self.headers())

    @asynccontextmanager
    async def asking(self, content: str = "Ciao", **more: Any) -> AsyncIterator[AsyncIterator[Told]]:
        """The events of an answer; who leaves the block, leaves the stream."""
        async with (
            asyncio.timeout(PATIENCE_S),
            self.http.stream(
                "POST", "/functions/v1/chat", content=json.dumps(body(content, **more)), headers=self.headers()
            ) as response,
        ):
            if response.status_code != 200:
                raise AssertionError((await response.aread()).decode())
            yield events_of(response)

    async def ask(self, content: str = "Ciao", **more: Any) -> list[Told]:
        """All events of an answer."""
        async with self.asking(content, **more) as events:
            return [event async for event in events]

    @asynccontextmanager
    async def following(self, run_id: str, after: int = 0) -> AsyncIterator[AsyncIterator[Told]]:
        """The events of a run after a number."""
        headers = {**self.headers(), "Last-Event-ID": str(after)}
        async with (
            asyncio.timeout(PATIENCE_S),
            self.http.stream("GET", "/functions/v1/chat", params={"run": run_id}, headers=headers) as response,
        ):
            assert response.status_code == 200, await response.aread()
            yield events_of(response)

    async def rest(self, run_id: str, after: int = 0) -> list[Told]:
        """All events of a run after a number."""
        async with self.following(run_id, after) as events:
            return [event async for event in events]

    async def agree(self) -> None:
        """As the dialog before the first question does."""
        settings = (await self.http.get("/functions/v1/chat_settings", headers=self.headers())).json()
        host = {"host": settings["host"]}
        answer = await self.http.post("/functions/v1/chat_settings", json=host, headers=self.headers())
        assert answer.json()["is_agreed"], answer.text

    async def stop(self, run_id: str) -> None:
        """As the button does."""
        claims = {"sub": str(self.person), "role": "authenticated"}
        async with db.as_claims(self.resources.pool, claims) as connection:
            await connection.execute("select public.stop_run($1)", UUID(run_id))

    async def row(self, message_id: str) -> dict[str, Any]:
        """A message as it is stored."""
        [row] = await self.query("select *, status::text from public.messages where id = $1", UUID(message_id))
        return dict(row)

    async def over(self, message_id: str) -> dict[str, Any]:
        """A message once its answer has ended."""
        async with asyncio.timeout(PATIENCE_S):
            while (row := await self.row(message_id))["finished_at"] is None:  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # nobody tells a process that does not read
        return row

    async def query(self, query: str, *arguments: Any) -> list[Any]:
        """What the owner of the database reads."""
        async with db.connection(self.resources.pool) as connection:
            return list(await connection.fetch(query, *arguments))

    async def wallet(self) -> tuple[int, int]:
        """What can be spent, and what is held."""
        async with db.connection(self.resources.pool) as connection:
            return await ledger.wallet(connection, self.person)


def body(content: Any, **more: Any) -> dict[str, Any]:
    """A question as a browser sends it, of local mode unless told otherwise."""
    return {"content": content, "mode": "locale", "client_key": str(uuid4()), **more}


@asynccontextmanager
async def talking(app: ASGIApp, resources: Resources, person: UUID | None = None) -> AsyncIterator[Talk]:
    """Lets a new person talk, who agrees to the provider if there is one."""
    if person is None:
        async with db.connection(resources.pool) as connection:
            person = await ledger.empty(connection)
            await ledger.grant(connection, person, CREDITS)
    async with (
        door.serving(app, log_level="critical", timeout_graceful_shutdown=1) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE_S, verify=False) as client,
    ):
        talk = Talk(client, resources, person)
        if resources.settings.edge_runtime.secrets.get("AI_MODEL"):
            await talk.agree()
        yield talk
