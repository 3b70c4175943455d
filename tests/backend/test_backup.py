"""python -m backend backup | restore: what was there is there again, on another server, and never over something."""

from __future__ import annotations

import asyncio
import json
import stat
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from backend import gateway
from backend.core import backup, db, erased, jwt
from backend.core.config import Settings
from backend.core.resources import open_all
from backend.edge import api
from functions.jobs import account_deletions, erased_contacts
from scripts import postgres
from scripts.run import DEMO_USER
from tests.backend.test_commands import run
from tests.databases import connected

pytestmark = [pytest.mark.anyio, pytest.mark.long]

POLICIES = "select count(*) from pg_policies"
PEOPLE = "select count(*) from auth.users"
ERASE_NOW = """
insert into public.deletion_requests (user_id, fiscal_archive, requested_at, due_at, reminded_at)
values ($1, 'elsewhere', now() - interval '31 days', now() - interval '1 day', now() - interval '8 days')
"""
CONTACT = """
with contact as (
  insert into public.contacts (user_id, first_name, last_name) select id, 'Anna', 'Verdi' from auth.users where id <> $1
  order by id limit 1 returning user_id, id
), task as (
  insert into public.tasks (user_id, title) select user_id, 'Chiedere a Anna Verdi' from contact
)
select * from contact
"""
CLAIMS = (
    "select set_config('request.jwt.claims', jsonb_build_object('sub', $1::text, 'role', 'authenticated')::text, true)"
)
ERASE_CONTACT = "select * from public.erase_contact($1, 'Anna Verdi', false)"
GRANTS = "select count(*) from information_schema.role_table_grants where grantee in ('anon', 'authenticated')"


@pytest.fixture
def another_server() -> Iterator[postgres.Cluster]:
    with postgres.temporary() as cluster:
        yield cluster


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """Signed in as the demo user."""
    async with open_all(settings) as resources, gateway.application(resources) as app:
        headers = {"apikey": resources.keys.publishable_key}
        base_url, transport = settings.api.external_url, httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=base_url, headers=headers) as client:
            answer = await client.post("/auth/v1/token?grant_type=password", json=DEMO_USER)
            assert answer.status_code == 200, answer.text
            client.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
            client.headers["x-user"] = answer.json()["user"]["id"]
            yield client


async def test_everything_is_there_again_on_another_server(
    settings: Settings, another_server: postgres.Cluster, tmp_path: Path
) -> None:
    await run(settings, "seed", "demo")
    async with served(settings) as client:
        path = f"/storage/v1/object/documents/{client.headers['x-user']}/fattura.txt"
        uploaded = await client.post(path, content=b"importante", headers={"content-type": "text/plain"})
        assert uploaded.status_code == 200, uploaded.text
    await run(settings, "migrate")
    made = await run(settings, "backup", str(tmp_path / "backup"))
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["files"] == 1
    assert stat.S_IMODE((tmp_path / "backup" / jwt.KEYS_FILE).stat().st_mode) == 0o600

    there = await empty_installation(settings, another_server, tmp_path / "there")
    restored = await run(there, "restore", str(tmp_path / "backup"), "--nobody-erased")
    assert restored.returncode == 0, restored.stderr
    assert (await counted(there, POLICIES), await counted(there, GRANTS)) == (
        await counted(settings, POLICIES),
        await counted(settings, GRANTS),
    )
    assert stat.S_IMODE((there.home / jwt.KEYS_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(there.home.stat().st_mode) == 0o700
    async with served(there) as client:
        assert (await client.get(path)).content == b"importante"
    assert (await run(there, "storage", "sweep")).returncode == 0, "the files know whose they are"

    again = await run(there, "restore", str(tmp_path / "backup"), "--nobody-erased")
    assert (again.returncode, "is not empty" in again.stderr) == (1, True)


async def test_who_was_erased_after_the_backup_stays_erased(
    settings: Settings, another_server: postgres.Cluster, tmp_path: Path
) -> None:
    await run(settings, "seed", "demo")
    async with served(settings) as client:
        gone = UUID(client.headers["x-user"])
        path = f"/storage/v1/object/documents/{gone}/fattura.txt"
        uploaded = await client.post(path, content=b"importante", headers={"content-type": "text/plain"})
        assert uploaded.status_code == 200, uploaded.text
        async with connected(settings.database_url) as connection:
            await connection.execute("select private.open_order($1, 'demo@socio.example', 'pro', true, null)", gone)
            [(someone, contact_id)] = await connection.fetch(CONTACT, gone)
        assert (await run(settings, "backup", str(tmp_path / "backup"))).returncode == 0
        assert (await client.delete(path)).status_code == 200
    async with open_all(settings) as resources, db.transaction(resources.pool) as connection:
        await connection.execute(ERASE_NOW, gone)
    async with open_all(settings) as resources:
        context = api.Context("test", {"role": "service_role"}, "", resources)
        await account_deletions.handler({}, context)
        async with db.transaction(resources.pool) as connection:
            await connection.execute(CLAIMS, str(someone))
            [certificate] = await connection.fetch(ERASE_CONTACT, contact_id)
            [queued] = await connection.fetch("select payload from jobs.pgqueuer where entrypoint = 'erased_contacts'")
        await erased_contacts.handler(json.loads(queued["payload"]), context)
    kept = await counted(settings, PEOPLE)

    there = await empty_installation(settings, another_server, tmp_path / "there")
    assert "--nobody-erased" in (await run(there, "restore", str(tmp_path / "backup"))).stderr
    restored = await run(there, "restore", str(tmp_path / "backup"), "--erased", str(settings.erased_file))
    assert restored.returncode == 0, restored.stderr
    assert json.loads(restored.stdout)["erased_again"] == 2
    assert await counted(there, PEOPLE) == kept
    async with connected(there.database_url) as connection:
        assert await connection.fetchval("select count(*) from public.contacts where user_id = $1", gone) == 0
        files = "select count(*) from storage.objects where name like $1 || '%'"
        assert await connection.fetchval(files, str(gone)) == 0
        # The contact of somebody else too, who keeps what names it elsewhere and has the certificate of that day.
        assert await connection.fetchval("select count(*) from public.contacts where id = $1", contact_id) == 0
        tasks = await connection.fetch("select title from public.tasks where user_id = $1", someone)
        assert "Chiedere a Anna Verdi" in {row["title"] for row in tasks}
        [again] = await connection.fetch("select * from public.contact_erasures where contact_id = $1", contact_id)
        assert (again["created_at"], again["initials"]) == (certificate["created_at"], "A. V.")
        # Its orders are there, without an address.
        emails = await connection.fetch("select distinct email from public.credit_orders where user_id = $1", gone)
    assert [row["email"] for row in emails] == [None]
    assert erased.Gone(gone) in erased.read(there.erased_file)
    assert (await run(there, "storage", "sweep")).returncode == 0
    assert not list(there.storage_folder.glob(backup.BLOBS))


async def empty_installation(settings: Settings, cluster: postgres.Cluster, home: Path) -> Settings:
    async with connected(cluster.url) as owner:
        await owner.execute("create database restored")
    return replace(settings, home=home, database_url=cluster.database_url("restored"))


async def counted(settings: Settings, query: str) -> int:
    async with connected(settings.database_url) as connection:
        found: int = await connection.fetchval(query)
        return found


async def test_a_dump_restored_without_our_roles_is_refused_and_the_roles_are_made(
    settings: Settings, another_server: postgres.Cluster, tmp_path: Path
) -> None:
    await run(settings, "backup", str(tmp_path / "backup"))
    there = await empty_installation(settings, another_server, settings.home)
    by_hand = [str(postgres.client_tools() / "pg_restore"), f"--dbname={there.database_url}"]
    by_hand.append(str(tmp_path / "backup" / backup.DUMP))
    assert (await asyncio.to_thread(subprocess.run, by_hand, capture_output=True)).returncode == 1
    for _ in range(2):
        refused = await run(there, "migrate")
        assert refused.returncode == 1
        assert "restored on a server without our roles" in refused.stderr
    assert await counted(there, "select count(*) from pg_roles where rolname in ('anon', 'supabase_auth_admin')") == 2
    async with connected(another_server.url) as owner:
        await owner.execute("drop database restored")
        await owner.execute("create database restored")
    assert (await asyncio.to_thread(subprocess.run, by_hand, capture_output=True)).returncode == 0
    assert (await run(there, "migrate")).returncode == 0
    assert await counted(there, POLICIES) == await counted(settings, POLICIES)


async def test_half_a_backup_other_keys_and_another_stores_files_are_refused(
    settings: Settings, another_server: postgres.Cluster, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    assert (await run(settings, "backup", str(folder))).returncode == 0
    assert "is not empty" in (await run(settings, "backup", str(folder))).stderr
    there = await empty_installation(settings, another_server, tmp_path / "there")
    jwt.load(there.home)
    assert "has other keys" in (await run(there, "restore", str(folder), "--nobody-erased")).stderr
    (there.home / jwt.KEYS_FILE).unlink()
    (there.storage_folder / "ab").mkdir(parents=True)
    (there.storage_folder / "ab" / "abcd").write_bytes(b"somebody's")
    assert "storage is not empty" in (await run(there, "restore", str(folder), "--nobody-erased")).stderr
    (folder / backup.MANIFEST).unlink()
    assert "holds no whole backup" in (await run(there, "restore", str(folder), "--nobody-erased")).stderr
    assert await counted(there, "select count(*) from pg_roles where rolname = 'anon'") == 0
