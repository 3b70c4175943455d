"""A bucket of the product's kind, and people with tokens who use it.

files    an HTTP client to /storage/v1 with the four callers: `await files.put(ANNA, "documents/…", b"…")`
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import asyncpg
import httpx
import pytest
from starlette.types import ASGIApp

from backend.core.resources import Resources
from scripts import postgres
from tests.databases import Databases, changed

ANNA, BRUNO = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
ANON, SERVICE = "anon", "service"
BUCKET = "papers"

POLICIES = f"""
insert into storage.buckets (id, name, public) values ('{BUCKET}', '{BUCKET}', false), ('open', 'open', true);
create policy "own folder, read" on storage.objects for select to authenticated
  using (bucket_id in ('{BUCKET}', 'open') and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "own folder, add" on storage.objects for insert to authenticated
  with check (bucket_id in ('{BUCKET}', 'open') and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "own folder, change" on storage.objects for update to authenticated
  using (bucket_id in ('{BUCKET}', 'open') and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "own folder, remove" on storage.objects for delete to authenticated
  using (bucket_id in ('{BUCKET}', 'open') and (storage.foldername(name))[1] = (select auth.uid())::text);
"""


class Files:
    """Requests to the storage service as somebody."""

    def __init__(self, resources: Resources, http: httpx.AsyncClient) -> None:
        self.resources = resources
        self.http = http

    def headers(self, who: str) -> dict[str, str]:
        keys = self.resources.keys
        if who == ANON:
            return {"apikey": keys.publishable_key}
        if who == SERVICE:
            return {"apikey": keys.secret_key}
        now = self.resources.now()
        claims = {"sub": who, "role": "authenticated", "iat": int(now.timestamp())}
        token = keys.sign({**claims, "exp": int((now + timedelta(hours=1)).timestamp())})
        return {"apikey": keys.publishable_key, "Authorization": f"Bearer {token}"}

    async def call(self, who: str, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {**self.headers(who), **options.pop("headers", {})}
        return await self.http.request(method, f"/storage/v1/{path}", headers=headers, **options)

    async def put(self, who: str, place: str, content: bytes, **headers: str) -> httpx.Response:
        """Uploads a new object as a raw body."""
        given = {"content-type": "text/plain", **{name.replace("_", "-"): value for name, value in headers.items()}}
        return await self.call(who, "POST", f"object/{place}", content=content, headers=given)

    async def get(self, who: str, place: str, **headers: str) -> httpx.Response:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.call(who, "GET", f"object/{place}", headers=given)

    def blobs(self) -> list[str]:
        """What lies in the store."""
        folder = self.resources.settings.storage_folder
        return sorted(path.name for path in folder.glob("[!o]*/*") if path.is_file())


@pytest.fixture(scope="session")
def databases(cluster: postgres.Cluster, databases: Databases) -> Iterator[Databases]:
    with changed(cluster, databases, POLICIES) as given:
        yield given


@pytest.fixture
async def database_owner(database: str) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()


@pytest.fixture
async def files(app: ASGIApp, resources: Resources) -> AsyncIterator[Files]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=resources.settings.api.external_url) as opened:
        yield Files(resources, opened)
