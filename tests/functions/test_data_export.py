"""`data_export`: the archive holds every row of its person and of nobody else, and no table is forgotten."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
import zipfile
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge import api
from functions._shared import archives, personal_data
from tests.db import accounts
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/data_export"


@pytest.fixture
async def owner(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        user_id = await accounts.create(connection)
        other = await accounts.create(connection)
        for each, name in ((user_id, "=Rossi"), (other, "Somebody else's")):
            await connection.execute(
                "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', $2)", each, name
            )
    return user_id


def proof(age_s: float = 0, aal: str = "aal1") -> dict[str, object]:
    return {"aal": aal, "amr": [{"method": "password", "timestamp": int(time.time() - age_s)}]}


async def begin(
    client: httpx.AsyncClient, resources: Resources, user_id: UUID, *, files: object = False, **claims: object
) -> httpx.Response:
    headers = signed_in.headers(resources, user_id, **(claims or proof()))
    return await client.post(PATH, json={"files": files}, headers=headers)


async def test_the_archive_holds_all_rows_of_its_person_alone(
    client: httpx.AsyncClient, resources: Resources, owner: UUID
) -> None:
    begun = await begin(client, resources, owner)
    assert begun.status_code == 200, begun.text
    answer = await client.get(begun.json()["path"])
    assert answer.headers["content-disposition"].startswith("attachment")
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    async with db.connection(resources.pool) as connection:
        for place, tables in personal_data.EXPORTED.items():
            for table in tables:
                rows = json.loads(archive.read(f"{place}/{table.partition('.')[2]}.json"))
                count = f"select count(*) from {table} where user_id = $1"
                # The last notification tells that the archive is finished.
                later = 1 if table in ("public.notifications", "private.notification_deliveries") else 0
                assert len(rows) + later == await connection.fetchval(count, owner), table
        size = await connection.fetchval("select bytes from public.data_exports where user_id = $1", owner)
    assert size == len(answer.content)
    (contact,) = json.loads(archive.read("clienti/contacts.json"))
    assert contact["business_name"] == "=Rossi"
    sheet = csv.DictReader(io.StringIO(archive.read("clienti/contacts.csv").decode("utf-8-sig")), delimiter=";")
    assert [row["business_name"] for row in sheet] == ["'=Rossi"]
    assert "secret_hash" not in archive.read("profilo/data_exports.json").decode()
    readme = archive.read("LEGGIMI.txt").decode()
    assert "contacts: I tuoi contatti (1)" in readme
    assert "Suggerimenti proattivi: 30 giorni. Perché: Servono finché sono attuali" in readme
    assert "Lista d’attesa" not in readme
    for line in archive.read("impronte.sha256").decode().splitlines():
        digest, name = line.split("  ", 1)
        assert hashlib.sha256(archive.read(name)).hexdigest() == digest


async def test_no_table_with_a_persons_rows_is_forgotten(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        tables = {row[0] for row in await connection.fetch("select private.personal_tables()")}
    exported = [table for place in personal_data.EXPORTED.values() for table in place]
    assert len(exported) == len(set(exported))
    assert not set(exported) & set(personal_data.LEFT_OUT)
    assert {*exported, *personal_data.LEFT_OUT} == tables


async def test_files_come_along_under_their_names(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with db.connection(resources.pool) as connection:
        for place, (filename, bytes_) in enumerate((("../Contratto.pdf", 4), ("../Contratto.pdf", 4), ("weg.txt", 0))):
            path = f"{owner}/{place}.bin"
            await connection.execute(
                "insert into storage.objects (id, bucket_id, name, version, metadata)"
                " values (gen_random_uuid(), 'documents', $1, $1, '{}')",
                path,
            )
            await connection.execute(
                "insert into public.documents (user_id, storage_path, filename, bytes) values ($1, $2, $3, $4)",
                owner,
                path,
                filename,
                bytes_,
            )

    async def save(_storage: object, _bucket: str, path: str, into: io.BytesIO) -> None:
        if path.endswith("2.bin"):
            raise api.PlatformError("gone", 404)
        into.write(b"%PDF")

    monkeypatch.setattr(api.Storage, "save", save)
    begun = await begin(client, resources, owner, files=True)
    archive = zipfile.ZipFile(io.BytesIO((await client.get(begun.json()["path"])).content))
    names = [name for name in archive.namelist() if name.startswith("file/")]
    assert names == [
        "file/_Contratto.pdf",
        "file/_Contratto (2).pdf",
        "file/indice.json",
        "file/NON TROVATI.txt",
    ]
    assert [(each["file"], each["name"]) for each in json.loads(archive.read("file/indice.json"))] == [
        ("file/_Contratto.pdf", f"{owner}/0.bin"),
        ("file/_Contratto (2).pdf", f"{owner}/1.bin"),
    ]
    assert archive.read("file/_Contratto (2).pdf") == b"%PDF"


async def test_an_old_sign_in_or_an_unused_second_factor_opens_nothing(
    client: httpx.AsyncClient, resources: Resources, owner: UUID
) -> None:
    old = await begin(client, resources, owner, **proof(age_s=25 * 3600))
    assert (old.status_code, old.json()["code"]) == (403, "reauthentication_needed")
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)"
            " values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())",
            owner,
        )
    weak = await begin(client, resources, owner)
    assert (weak.status_code, weak.json()["code"]) == (403, "insufficient_aal")
    assert (await begin(client, resources, owner, **proof(aal="aal2"))).status_code == 200
    assert (await client.post(PATH, json={"files": True})).status_code == 401


async def test_a_secret_opens_one_download_for_some_minutes(
    client: httpx.AsyncClient, resources: Resources, owner: UUID
) -> None:
    path = (await begin(client, resources, owner)).json()["path"]
    assert (await client.get(path)).status_code == 200
    assert (await client.get(path)).status_code == 404
    late = (await begin(client, resources, owner)).json()["path"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("update public.data_exports set created_at = created_at - interval '11 minutes'")
    assert (await client.get(late)).status_code == 404
    assert (await client.get(f"{PATH}?secret=x")).status_code == 404


async def test_ten_downloads_a_day_are_enough(client: httpx.AsyncClient, resources: Resources, owner: UUID) -> None:
    answers = [await begin(client, resources, owner) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert (await begin(client, resources, owner, files="yes")).status_code == 400


def test_names_do_not_collide() -> None:
    taken: set[str] = set()
    names = [archives.free_name(name, taken) for name in ("file/a.pdf", "file/A.pdf", "file/a.pdf", "b/c", "b/c")]
    assert names == ["file/a.pdf", "file/A (2).pdf", "file/a (3).pdf", "b/c", "b/c (2)"]
    assert archives.free_name("a.xml.p7m", {"a.xml.p7m"}) == "a (2).xml.p7m"
