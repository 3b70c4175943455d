"""`source_map`: the maps of the client's scripts, for admins who have shown a second factor only."""

from __future__ import annotations

import gzip
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import source_maps
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
URL = "/functions/v1/source_map"
ADMIN = UUID("00000000-0000-4000-8000-0000000000ad")
PERSON = UUID("00000000-0000-4000-8000-0000000000aa")
MAP = b'{"version":3,"sources":["../../src/main.tsx"],"names":[],"mappings":"AAAA"}'


@pytest.fixture(autouse=True)
async def kept(resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = tmp_path / "source-maps" / "1a2b3c4d"
    release.mkdir(parents=True)
    (release / "index-1a2b3c4d.js.map.gz").write_bytes(gzip.compress(MAP))
    (tmp_path / "secret.js.map.gz").write_bytes(gzip.compress(b"secret"))
    monkeypatch.setattr(source_maps, "FOLDER", release.parent)
    async with db.transaction(resources.pool) as connection:
        for user_id in (ADMIN, PERSON):
            await connection.execute(
                "insert into auth.users (id, email) values ($1, $2)", user_id, f"{user_id}@example.com"
            )
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", ADMIN)


async def test_an_admin_reads_the_map_of_a_script(client: httpx.AsyncClient, resources: Resources) -> None:
    headers = signed_in.headers(resources, ADMIN, aal="aal2")
    answer = await client.get(URL, params={"file": "index-1a2b3c4d.js"}, headers=headers)
    assert (answer.status_code, answer.content) == (200, MAP)
    assert "no-store" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "file", ["index-00000000.js", "", "../../secret.js", "*.js", "index-1a2b3c4d.js.map.gz", "index-1a2b3c4d.js\n"]
)
async def test_a_script_without_a_map_is_not_found(client: httpx.AsyncClient, resources: Resources, file: str) -> None:
    headers = signed_in.headers(resources, ADMIN, aal="aal2")
    answer = await client.get(URL, params={"file": file}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(("user_id", "aal"), [(PERSON, "aal2"), (ADMIN, "aal1"), (None, "")])
async def test_a_map_is_for_admins_with_a_second_factor(
    client: httpx.AsyncClient, resources: Resources, user_id: UUID | None, aal: str
) -> None:
    headers = signed_in.headers(resources, user_id, aal=aal) if user_id else {"apikey": resources.keys.publishable_key}
    answer = await client.get(URL, params={"file": "index-1a2b3c4d.js"}, headers=headers)
    assert answer.status_code == 403
    assert b"mappings" not in answer.content
