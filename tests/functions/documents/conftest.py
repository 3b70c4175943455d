"""A desk: somebody drops files on it, the gateway keeps them, and the worker reads them."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend import gateway
from backend.core import db, jobs
from backend.core.resources import Resources
from backend.edge import tasks
from backend.edge.api import Context
from tests import door
from tests.backend.core.test_jobs import working
from tests.db import accounts
from tests.functions.test_health_report import token

PATIENCE_S = 60
AT_REST = ("pronto", "da_verificare", "errore", "annullato")


@dataclass
class Desk:
    """One person's documents; `resources` are those of a gateway that listens on a port of its own."""

    resources: Resources
    http: httpx.AsyncClient
    user_id: UUID

    @property
    def headers(self) -> dict[str, str]:
        return {"apikey": self.resources.keys.publishable_key, **token(self.resources, self.user_id, "aal1")}

    async def upload(self, content: bytes, name: str, mime: str = "application/pdf") -> str:
        """Puts a file into the bucket; answers its path."""
        path = f"{self.user_id}/{uuid4()}/{name}"
        headers = {**self.headers, "content-type": mime}
        answer = await self.http.post(f"/storage/v1/object/documents/{path}", content=content, headers=headers)
        assert answer.status_code == 200, answer.text
        return path

    async def ask(self, body: dict[str, Any]) -> httpx.Response:
        return await self.http.post("/functions/v1/read_document", json=body, headers=self.headers)

    async def drop(self, content: bytes, name: str = "a.pdf", mime: str = "application/pdf") -> UUID:
        """Uploads a file and has it queued; answers the document."""
        answer = await self.ask({"path": await self.upload(content, name, mime), "filename": name})
        assert answer.status_code == 200, answer.text
        return UUID(answer.json()["id"])

    async def read(self, *wanted: UUID) -> None:
        """Runs the worker until these documents are at rest, or all of them and everything that came in them."""
        async with self.working():
            await self.until(
                "select not exists (select from public.documents where not state::text = any ($1)"
                " and (cardinality($2::uuid[]) = 0 or id = any ($2)))",
                list(AT_REST),
                list(wanted),
            )

    def context(self) -> Context:
        return Context("test", {"role": "service_role"}, "", self.resources, self.resources.keys.secret_key)

    async def run(self, job: str) -> None:
        """One run of a periodic job."""
        await importlib.import_module(f"functions.jobs.{job}").handler({}, self.context())

    def working(self) -> Any:
        ours = tasks.of_product(self.resources.settings)
        return working(
            self.resources, **{name: replace(task, every=None) for name, task in ours.items() if "document" in name}
        )

    async def until(self, query: str, *arguments: Any) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not await self.value(query, *arguments):  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # the worker tells nobody

    async def value(self, query: str, *arguments: Any) -> Any:
        async with db.connection(self.resources.pool) as connection:
            return await connection.fetchval(query, *arguments)

    async def row(self, document_id: UUID) -> dict[str, Any]:
        async with db.connection(self.resources.pool) as connection:
            row = await connection.fetchrow("select * from public.documents where id = $1", document_id)
        assert row is not None
        return dict(row)

    async def state(self, document_id: UUID) -> tuple[str, str | None]:
        row = await self.row(document_id)
        return row["state"], row["error_code"]

    async def pages(self, document_id: UUID) -> list[tuple[str, str | None]]:
        async with db.connection(self.resources.pool) as connection:
            rows = await connection.fetch(
                "select state, source from public.document_pages where document_id = $1 order by no", document_id
            )
        return [(row["state"], row["source"]) for row in rows]


@asynccontextmanager
async def opened(resources: Resources) -> AsyncIterator[Desk]:
    """Open the desk of a new person, with a gateway that listens on a port of its own."""
    with door.opened() as listening:
        port = listening.getsockname()[1]
        api = replace(resources.settings.api, port=port, external_url=f"http://127.0.0.1:{port}")
        own = replace(resources, settings=replace(resources.settings, api=api))
        async with gateway.application(own) as app, httpx.AsyncClient(base_url=api.external_url, timeout=60) as http:
            async with db.connection(resources.pool) as connection:
                user_id = await accounts.create(connection)
            async with door.serving(app, listening):
                yield Desk(own, http, user_id)


@pytest.fixture
async def desk(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    for wait in ("away_s", "back_off_s"):
        monkeypatch.setattr(jobs, wait, lambda _so_far: 0.0)
    async with opened(resources) as own:
        yield own
