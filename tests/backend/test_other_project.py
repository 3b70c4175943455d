"""SOCIO_PROJECT: the platform serves another Supabase project, with its migrations and without the product's tables."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import httpx
import pytest

from backend import __main__ as command_line
from backend import gateway
from backend.core import config
from backend.core.config import Settings
from backend.core.resources import open_all
from scripts import postgres
from tests.conftest import running_postgrest

pytestmark = pytest.mark.anyio

# As tutorials write it: no grant, because the defaults of Supabase make them.
NOTES = """
create table public.notes (id uuid primary key default uuid_generate_v4(), text text not null);
alter table public.notes enable row level security;
create policy "Everybody reads" on public.notes for select using (true);
"""
FUNCTION = """
from backend.edge import api


async def handler(request: api.Request, context: api.Context) -> api.Response:
    return api.JSONResponse({"says": "ciao"})
"""


@pytest.fixture
def own_cluster() -> Iterator[postgres.Cluster]:
    """One of its own: the other project has other keys, and so another password for the role of PostgREST."""
    with postgres.temporary() as cluster:
        yield cluster


@pytest.fixture
async def other(own_cluster: postgres.Cluster, tmp_path: Path) -> Settings:
    """Let the Supabase CLI make a project, add a table, a seed and a function, and migrate a new database."""
    cli = config.ROOT / "node_modules" / ".bin" / "supabase"
    command = [str(cli), "init", "--workdir", str(tmp_path)]
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True, timeout=60)
    folder = tmp_path / "supabase"
    (folder / "migrations").mkdir()
    (folder / "migrations" / "20240101000000_notes.sql").write_text(NOTES)
    (folder / "seed.sql").write_text("insert into public.notes (text) values ('First');")
    (folder / "functions").mkdir()
    (folder / "functions" / "greet.py").write_text(FUNCTION)
    owner = await asyncpg.connect(own_cluster.url)
    await owner.execute("create database other")
    await owner.close()
    environ = {"DATABASE_URL": own_cluster.database_url("other"), "SOCIO_PROJECT": str(tmp_path)}
    settings = config.load(environ)
    assert not settings.is_product
    assert settings.home == tmp_path / ".socio"
    # Again: the seed is for an empty database.
    for _ in range(2):
        await command_line._migrate(settings, "reference")
    return settings


async def test_another_project_is_served_without_the_product(other: Settings) -> None:
    with running_postgrest(other):
        async with open_all(other) as resources, gateway.application(resources) as app:
            transport = httpx.ASGITransport(app)
            headers = {"apikey": resources.keys.publishable_key}
            async with httpx.AsyncClient(transport=transport, base_url="http://other", headers=headers) as client:
                assert (await client.get("/ready")).status_code == 200
                notes = (await client.get("/rest/v1/notes?select=text")).json()
                assert notes == [{"text": "First"}]
                assert (await client.post("/rest/v1/notes", json={"text": "Second"})).status_code == 401
                assert (await client.get("/rest/v1/profiles")).status_code == 404
                person = {"email": "ada@example.com", "password": "hunter2"}
                # The CLI's own settings: six characters are enough, and nobody confirms an address.
                session = (await client.post("/auth/v1/signup", json=person)).json()
                bearer = {"Authorization": f"Bearer {session['access_token']}"}
                assert (await client.get("/auth/v1/user", headers=bearer)).json()["email"] == person["email"]
                assert (await client.post("/functions/v1/greet", headers=bearer)).json() == {"says": "ciao"}
                assert (await client.get("/")).status_code == 404


def test_a_folder_without_a_project_is_named(tmp_path: Path) -> None:
    with pytest.raises(config.ConfigError, match=r"config\.toml is missing: SOCIO_PROJECT must be"):
        config.load({"SOCIO_PROJECT": str(tmp_path)})
