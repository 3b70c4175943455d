"""`data_export`: the archive holds what was chosen of its person and of nobody else, and no table is forgotten."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import aiohttp
import httpx
import pytest

from backend.core import db
from backend.core.config_storage import ByteSize, byte_size
from backend.core.resources import Resources
from backend.edge import api
from backend.storage import blobs
from backend.storage.backends.local import LocalBackend
from functions._shared import archives, personal_archive, personal_data, retention
from functions.jobs import admin_snapshots, data_export
from tests.conftest import Clock
from tests.db import accounts
from tests.disks import largest_file
from tests.functions import signed_in
from tests.functions.documents import conftest as paper
from tests.functions.documents.conftest import Desk

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/data_export"
ALL = {"domains": "all", "files": False}
WEEK_S = 7 * 24 * 3600


@pytest.fixture
async def desk(resources: Resources) -> AsyncIterator[Desk]:
    """Somebody with a contact, next to somebody else with another one."""
    async with paper.opened(resources) as desk:
        async with db.connection(resources.pool) as connection:
            other = await accounts.create(connection)
            for each, name in ((desk.user_id, "=Rossi"), (other, "Somebody else's")):
                await connection.execute(
                    "insert into public.contacts (user_id, type, business_name) values ($1, 'azienda', $2)", each, name
                )
        yield desk


def proof(desk: Desk, age_s: float = 0, aal: str = "aal1") -> dict[str, Any]:
    now_s = int(desk.resources.now().timestamp())
    return {"aal": aal, "amr": [{"method": "password", "timestamp": now_s - int(age_s)}]}


async def post(desk: Desk, body: object, user_id: UUID | None = None, **claims: Any) -> httpx.Response:
    headers = signed_in.headers(desk.resources, user_id or desk.user_id, **(claims or proof(desk)))
    return await desk.http.post(PATH, json=body, headers=headers)


async def cancel(desk: Desk) -> httpx.Response:
    return await desk.http.delete(PATH, headers=signed_in.headers(desk.resources, desk.user_id))


async def ask(desk: Desk, body: object = ALL) -> str:
    answer = await post(desk, body)
    assert answer.status_code == 200, answer.text
    export_id: str = answer.json()["id"]
    return export_id


def work(desk: Desk, export_id: str) -> Any:
    return data_export.handler({"export_id": export_id}, desk.context())


async def row(desk: Desk, export_id: str) -> dict[str, Any]:
    async with db.connection(desk.resources.pool) as connection:
        found = await connection.fetchrow("select * from public.data_exports where id = $1", UUID(export_id))
    assert found is not None
    return dict(found)


async def state(desk: Desk, export_id: str) -> str:
    found: str = (await row(desk, export_id))["state"]
    return found


async def address(desk: Desk, export_id: str) -> str:
    answer = await post(desk, {"id": export_id})
    assert answer.status_code == 200, answer.text
    path: str = answer.json()["path"]
    return path


async def download(desk: Desk, export_id: str) -> httpx.Response:
    return await desk.http.get(await address(desk, export_id))


async def archive_of(desk: Desk, body: object = ALL) -> zipfile.ZipFile:
    """Ask for an archive, have it made, and download it."""
    export_id = await ask(desk, body)
    await work(desk, export_id)
    archive = zipfile.ZipFile(io.BytesIO((await download(desk, export_id)).content))
    assert archive.testzip() is None
    return archive


async def kept(desk: Desk) -> list[str]:
    """Return the files in the bucket."""
    async with db.connection(desk.resources.pool) as connection:
        rows = await connection.fetch("select name from storage.objects where bucket_id = 'exports' order by name")
    return [row["name"] for row in rows]


async def sweep_exports(desk: Desk) -> int:
    return sum([done for sweep in retention.SWEEPS["exports"] async for done in sweep(desk.context())])


async def test_the_archive_holds_all_rows_of_its_person_alone(desk: Desk) -> None:
    export_id = await ask(desk)
    await work(desk, export_id)
    answer = await download(desk, export_id)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "Socio%2C%20i%20tuoi%20dati%20del%2020" in answer.headers["content-disposition"]
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    async with db.connection(desk.resources.pool) as connection:
        for place, tables in personal_data.EXPORTED.items():
            for table in tables:
                rows = json.loads(archive.read(f"{place}/{table.partition('.')[2]}.json"))
                count = f"select count(*) from {table} where user_id = $1"
                # The last notification tells that the archive is finished.
                later = 1 if table in ("public.notifications", "private.notification_deliveries") else 0
                assert len(rows) + later == await connection.fetchval(count, desk.user_id), table
    found = await row(desk, export_id)
    assert (found["state"], found["progress"], found["opens"]) == ("pronto", 100, 1)
    assert (found["bytes"], found["sha256"]) == (len(answer.content), hashlib.sha256(answer.content).hexdigest())
    (contact,) = json.loads(archive.read("clienti/contacts.json"))
    assert contact["business_name"] == "=Rossi"
    sheet = csv.DictReader(io.StringIO(archive.read("clienti/contacts.csv").decode("utf-8-sig")), delimiter=";")
    assert [row["business_name"] for row in sheet] == ["'=Rossi"]
    assert "secret_hash" not in archive.read("profilo/calendar_feeds.json").decode()
    readme = archive.read("LEGGIMI.txt").decode()
    assert "contacts: I tuoi contatti (1)" in readme
    assert "Suggerimenti proattivi: 30 giorni. Perché: Servono finché sono attuali" in readme
    assert "Lista d’attesa" not in readme
    digests = archive.read("impronte.sha256").decode().splitlines()
    assert {line.split("  ", 1)[1] for line in digests} == set(archive.namelist()) - {"impronte.sha256"}
    for line in digests:
        digest, name = line.split("  ", 1)
        assert hashlib.sha256(archive.read(name)).hexdigest() == digest


async def forgotten(resources: Resources) -> set[str]:
    """Return the tables with a person's rows that are neither in the archive nor left out with a reason."""
    async with db.connection(resources.pool) as connection:
        tables = {row[0] for row in await connection.fetch("select private.personal_tables()")}
    exported = [table for place in personal_data.EXPORTED.values() for table in place]
    assert len(exported) == len(set(exported))
    assert not set(exported) & set(personal_data.LEFT_OUT)
    assert {*exported, *personal_data.LEFT_OUT} <= tables
    return tables - {*exported, *personal_data.LEFT_OUT}


async def test_no_table_with_a_persons_rows_is_forgotten(resources: Resources) -> None:
    assert await forgotten(resources) == set()


async def test_an_archive_of_some_domains_says_what_is_not_in_it(desk: Desk) -> None:
    archive = await archive_of(desk, {"domains": ["lavoro", "clienti"], "files": False})
    places = {name.partition("/")[0] for name in archive.namelist()}
    assert places == {"LEGGIMI.txt", "indice.json", "clienti", "lavoro", "impronte.sha256"}
    index = json.loads(archive.read("indice.json"))
    assert index.pop("made_at").startswith("20")
    assert index == {"version": 1, "domains": ["clienti", "lavoro"], "files": False}
    readme = archive.read("LEGGIMI.txt").decode()
    assert "contacts: I tuoi contatti (1)" in readme
    assert "account.json" not in readme
    assert "  documenti: non l’hai chiesto" in readme
    assert "clienti: non" not in readme
    assert "I file originali: non li hai chiesti" in readme


@pytest.mark.parametrize("domains", [[], ["altro"], ["clienti", "altro"], ["clienti", "clienti"], "clienti", 3, None])
async def test_domains_that_are_none_are_refused(desk: Desk, domains: object) -> None:
    answer = await post(desk, {"domains": domains, "files": False})
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def put(desk: Desk, path: str, content: bytes, mime: str = "application/pdf", bucket: str = "documents") -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield content

    await desk.context().storage_of(desk.user_id).upload(bucket, f"{desk.user_id}/{path}", pieces(), mime)


async def test_files_come_along_under_their_names(desk: Desk) -> None:
    for place, filename in enumerate(("../Contratto.pdf", "../Contratto.pdf", "weg.txt")):
        await put(desk, f"{place}.pdf", f"%PDF {place}".encode())
        async with db.connection(desk.resources.pool) as connection:
            await connection.execute(
                "insert into public.documents (user_id, storage_path, filename, bytes) values ($1, $2, $3, 6)",
                desk.user_id,
                f"{desk.user_id}/{place}.pdf",
                filename,
            )
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute(
            "update storage.objects set version = $1 where name = $2", str(uuid4()), f"{desk.user_id}/2.pdf"
        )
    archive = await archive_of(desk, {"domains": "all", "files": True})
    names = [name for name in archive.namelist() if name.startswith("file/")]
    assert names == [
        "file/_Contratto.pdf",
        "file/_Contratto (2).pdf",
        "file/indice.json",
        "file/NON TROVATI.txt",
    ]
    assert [(each["file"], each["name"]) for each in json.loads(archive.read("file/indice.json"))] == [
        ("file/_Contratto.pdf", f"{desk.user_id}/0.pdf"),
        ("file/_Contratto (2).pdf", f"{desk.user_id}/1.pdf"),
    ]
    assert archive.read("file/_Contratto (2).pdf") == b"%PDF 1"
    assert archive.read("file/NON TROVATI.txt") == b"weg.txt\n"


@pytest.mark.parametrize("small_bytes", [personal_archive.SMALL_BYTES, 0])
async def test_a_file_that_is_replaced_or_removed_after_it_was_listed_is_the_new_one_or_named(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_bytes: int
) -> None:
    monkeypatch.setattr(personal_archive, "SMALL_BYTES", small_bytes)
    for name in ("a.png", "b.png"):
        await put(desk, name, b"\x89PNG\r\n\x1a\n old", "image/png", "avatars")
    wish = personal_archive.Wish(("profilo",), with_files=True)
    new, context = b"\x89PNG\r\n\x1a\n new", desk.context()
    storage = context.storage_as_service
    async with context.files() as store, personal_archive.reading(context, desk.user_id, wish, tmp_path) as content:
        await storage.upload("avatars", f"{desk.user_id}/a.png", new, "image/png", upsert=True)
        await storage.remove("avatars", [f"{desk.user_id}/b.png"])
        await storage.upload("avatars", f"{desk.user_id}/c.png", new, "image/png")
        written = [each async for each in personal_archive.pieces(context, store, archives.Archive(), content)]
    archive = zipfile.ZipFile(io.BytesIO(b"".join(written)))
    assert archive.testzip() is None
    assert (archive.read("file/a.png"), archive.read("file/c.png")) == (new, new)
    assert [each["file"] for each in json.loads(archive.read("file/indice.json"))] == ["file/a.png", "file/c.png"]
    assert "I file originali di quello che hai scelto (3)" in archive.read("LEGGIMI.txt").decode()
    assert archive.read("file/NON TROVATI.txt") == b"b.png\n"
    assert f"{hashlib.sha256(new).hexdigest()}  file/a.png" in archive.read("impronte.sha256").decode().splitlines()


async def test_small_and_large_files_in_any_order_are_whole(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting, value in (("SMALL_BYTES", 20), ("GROUP_BYTES", 50), ("GROUP_FILES", 3)):
        monkeypatch.setattr(personal_archive, setting, value)
    sizes = [10, 20, 21, 3_000_000, 5, 5, 5, 5, 20, 20, 20, 30, 5]
    files = {f"{number:02}.pdf": b"%PDF" + bytes([number]) * size for number, size in enumerate(sizes)}
    for name, content in files.items():
        await put(desk, name, content)
    archive = await archive_of(desk, {"domains": "all", "files": True})
    assert {name: archive.read(f"file/{name}") for name in files} == files
    digests = archive.read(archives.DIGESTS).decode().splitlines()
    assert {f"{hashlib.sha256(content).hexdigest()}  file/{name}" for name, content in files.items()} <= {*digests}
    assert len(digests) == len({*archive.namelist()}) - 1


async def test_files_are_those_of_the_domains(desk: Desk) -> None:
    await put(desk, "a.pdf", b"%PDF a")
    await put(desk, "posta/b.eml", b"To: b", "message/rfc822")
    await put(desk, "whatsapp/c.pdf", b"%PDF c")
    await put(desk, "d.png", b"\x89PNG\r\n\x1a\n", "image/png", "avatars")
    # An archive of before is none of the files.
    await archive_of(desk)
    for domain, expected in (("documenti", {"a.pdf"}), ("clienti", {"posta_b.eml", "whatsapp_c.pdf"})):
        archive = await archive_of(desk, {"domains": [domain], "files": True})
        files = {name.removeprefix("file/") for name in archive.namelist() if name.startswith("file/")}
        assert files == {*expected, "indice.json"}
        assert (
            f"file/  I file originali di quello che hai scelto ({len(expected)})"
            in archive.read("LEGGIMI.txt").decode()
        )
    archive = await archive_of(desk, {"domains": "all", "files": True})
    assert len([name for name in archive.namelist() if name.startswith("file/")]) == 5


async def test_an_old_sign_in_or_an_unused_second_factor_opens_nothing(desk: Desk) -> None:
    export_id = await ask(desk)
    await work(desk, export_id)
    for body in (ALL, {"id": export_id}):
        old = await post(desk, body, **proof(desk, age_s=25 * 3600))
        assert (old.status_code, old.json()["code"]) == (403, "reauthentication_needed")
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute(
            "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)"
            " values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())",
            desk.user_id,
        )
    for body in (ALL, {"id": export_id}):
        weak = await post(desk, body)
        assert (weak.status_code, weak.json()["code"]) == (403, "insufficient_aal")
        assert (await post(desk, body, **proof(desk, aal="aal2"))).status_code == 200
        assert (await desk.http.post(PATH, json=body)).status_code == 401
    assert (await row(desk, export_id))["opens"] == 1


async def test_a_download_that_is_cut_goes_on_where_it_was(desk: Desk) -> None:
    export_id = await ask(desk)
    await work(desk, export_id)
    path = await address(desk, export_id)
    whole = await desk.http.get(path)
    assert whole.headers["accept-ranges"] == "bytes"
    rest = await desk.http.get(path, headers={"Range": "bytes=100-", "If-Range": whole.headers["etag"]})
    assert (rest.status_code, rest.content) == (206, whole.content[100:])
    # The person's own token opens nothing without the address: it would do so without a fresh sign-in.
    bare = await desk.http.get(f"/storage/v1/object/exports/{desk.user_id}/{export_id}.zip", headers=desk.headers)
    assert bare.status_code in (400, 404)


async def test_an_archive_opens_for_its_owner_and_a_week(desk: Desk, now: Clock) -> None:
    export_id = await ask(desk)
    assert (await post(desk, {"id": export_id})).status_code == 404
    await work(desk, export_id)
    for _ in range(3):
        assert (await download(desk, export_id)).status_code == 200
    assert (await row(desk, export_id))["opens"] == 3
    async with db.connection(desk.resources.pool) as connection:
        stranger = await accounts.create(connection)
    foreign = await post(desk, {"id": export_id}, stranger)
    assert (foreign.status_code, foreign.json()["code"]) == (404, "not_found")
    assert (await row(desk, export_id))["opens"] == 3
    assert (await post(desk, {"id": str(uuid4())})).status_code == 404
    assert (await post(desk, {"id": "x"})).status_code == 400
    now.advance(seconds=WEEK_S - 60)
    path = await address(desk, export_id)
    now.advance(seconds=61)
    assert (await desk.http.get(path)).status_code == 400
    late = await post(desk, {"id": export_id})
    assert (late.status_code, late.json()["message"]) == (
        404,
        "Questo archivio non c’è più: chiedi di nuovo i tuoi dati",
    )
    assert await sweep_exports(desk) == 1
    assert (await state(desk, export_id), await kept(desk)) == ("scaduto", [])
    assert await sweep_exports(desk) == 0


async def test_of_each_person_the_newest_archive_is_kept(desk: Desk) -> None:
    first = await ask(desk)
    await work(desk, first)
    second = await ask(desk)
    # The first is there until the second is.
    assert (await download(desk, first)).status_code == 200
    await work(desk, second)
    assert (await state(desk, first), await state(desk, second)) == ("scaduto", "pronto")
    assert await kept(desk) == [f"{desk.user_id}/{second}.zip"]
    assert (await post(desk, {"id": first})).status_code == 404


async def test_one_archive_is_made_at_a_time_and_ten_in_a_day(desk: Desk) -> None:
    answers = await asyncio.gather(*(post(desk, ALL) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"already_under_way"}
    for _ in range(9):
        assert (await cancel(desk)).status_code == 200
        await ask(desk)
    assert (await cancel(desk)).status_code == 200
    assert (await post(desk, ALL)).status_code == 429
    assert (await post(desk, {"domains": "all", "files": "yes"})).status_code == 400


async def numbered(pieces: AsyncIterator[bytes]) -> AsyncIterator[tuple[int, bytes]]:
    number = 0
    async for piece in pieces:
        yield number, piece
        number += 1


async def test_a_cancelled_archive_is_not_made_and_leaves_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = await ask(desk)
    assert (await cancel(desk)).status_code == 200
    await work(desk, waiting)
    assert (await state(desk, waiting), await kept(desk)) == ("annullato", [])
    refused = await cancel(desk)
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_under_way")

    # In the middle, and behind the last byte.
    under_way = await ask(desk)
    real = personal_archive.pieces

    async def cancelled(*arguments: Any) -> AsyncIterator[bytes]:
        async with aclosing(real(*arguments)) as pieces:
            async for number, piece in numbered(pieces):
                if number == 3:
                    assert (await cancel(desk)).status_code == 200
                yield piece

    monkeypatch.setattr(personal_archive, "pieces", cancelled)
    await work(desk, under_way)
    assert (await state(desk, under_way), await kept(desk)) == ("annullato", [])
    monkeypatch.setattr(data_export, "NOTE_EVERY_S", 1e9)
    late = await ask(desk)
    await work(desk, late)
    assert (await state(desk, late), await kept(desk)) == ("annullato", [])
    assert not list(personal_archive.root(desk.context()).iterdir())


async def test_an_archive_that_was_killed_is_made_again_and_leaves_no_half_file(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(desk, "a.pdf", b"%PDF" + bytes(3_000_000))
    export_id = await ask(desk, {"domains": "all", "files": True})
    real = personal_archive.pieces
    reached = asyncio.Event()

    async def stuck(*arguments: Any) -> AsyncIterator[bytes]:
        async with aclosing(real(*arguments)) as pieces:
            async for piece in pieces:
                yield piece
                if len(piece) > 1_000_000:
                    reached.set()
                    await asyncio.Event().wait()

    monkeypatch.setattr(personal_archive, "pieces", stuck)
    killed = asyncio.create_task(work(desk, export_id))
    async with asyncio.timeout(20):
        await reached.wait()
    # As kill -9 has it: the folder stays, and nothing is said to anybody.
    monkeypatch.setattr(shutil, "rmtree", lambda *_args, **_more: None)
    killed.cancel()
    await asyncio.gather(killed, return_exceptions=True)
    monkeypatch.undo()
    assert await state(desk, export_id) == "in_corso"
    (left,) = personal_archive.root(desk.context()).iterdir()
    assert list(left.iterdir())
    assert await kept(desk) == []
    await work(desk, export_id)
    assert await state(desk, export_id) == "pronto"
    assert await kept(desk) == [f"{desk.user_id}/{export_id}.zip"]
    assert not list(personal_archive.root(desk.context()).iterdir())
    archive = zipfile.ZipFile(io.BytesIO((await download(desk, export_id)).content))
    assert archive.testzip() is None
    # Repeated after the end it changes nothing.
    before = await row(desk, export_id)
    await work(desk, export_id)
    assert await row(desk, export_id) == before
    async with blobs.opened(desk.resources.settings) as store:
        assert len([blob async for blob in store.all()]) == 2


async def test_a_storage_that_is_away_puts_it_off_and_one_given_up_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_id = await ask(desk)

    async def away(*_arguments: Any, **_more: Any) -> None:
        raise aiohttp.ClientConnectionError("away")

    monkeypatch.setattr(LocalBackend, "write", away)
    with pytest.raises(api.Away):
        await work(desk, export_id)
    assert await state(desk, export_id) == "in_corso"
    await data_export.given_up({"export_id": export_id}, desk.context())
    assert await state(desk, export_id) == "fallito"
    # The next may be asked for.
    assert (await post(desk, ALL)).status_code == 200


def on_full_disk(resources: Resources) -> Resources:
    """No disk of any machine has an exbibyte free."""
    return replace(resources, settings=replace(resources.settings, disk_reserve=byte_size("1048576TiB")))


async def assert_lacked_space(desk: Desk, export_id: str) -> None:
    """Check that the archive failed for lack of space, that nothing is left of it and that another may be asked for."""
    found = await row(desk, export_id)
    assert (found["state"], found["lacked_space"]) == ("fallito", True)
    assert (await kept(desk), list(personal_archive.root(desk.context()).iterdir())) == ([], [])
    async with blobs.opened(desk.resources.settings) as store:
        stored = [blob async for blob in store.all()]
    async with db.connection(desk.resources.pool) as connection:
        assert len(stored) == await connection.fetchval(
            "select count(*) from storage.objects where version is not null"
        )
        notice = "select message from public.notifications where user_id = $1 order by created_at desc limit 1"
        told = "Non c’è abbastanza spazio sul server per prepararlo: riprova più tardi."
        assert await connection.fetchval(notice, desk.user_id) == told
    await archive_of(desk)


async def test_an_archive_begins_only_where_its_space_is_free_and_admins_see_it(desk: Desk) -> None:
    await put(desk, "a.pdf", b"%PDF a")
    export_id = await ask(desk, {"domains": "all", "files": True})
    context = api.Context("test", {"role": "service_role"}, "", on_full_disk(desk.resources))
    await data_export.handler({"export_id": export_id}, context)
    await assert_lacked_space(desk, export_id)
    await admin_snapshots.handler({}, desk.context())
    async with db.connection(desk.resources.pool) as connection:
        findings = await connection.fetch(
            "select found.finding, found.light from private.admin_snapshots as snapshot"
            " cross join private.findings(snapshot) as found where snapshot.name = 'disk' and rule <> 'free_bytes'"
        )
    sentence = "Archivi di dati non preparati per mancanza di spazio in 24 ore: 1."
    assert [tuple(found) for found in findings] == [(sentence, "error")]


# What does not fit: the archive in the storage, or the tables on the way to it.
@pytest.mark.parametrize("size_bytes", [2_000_000, 100_000])
async def test_a_disk_that_is_full_before_the_archive_is_whole_leaves_no_part_of_it(
    size_bytes: int, desk: Desk
) -> None:
    await put(desk, "a.pdf", b"%PDF" + bytes(3_000_000))
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute(
            "insert into public.contacts (user_id, type, business_name)"
            " select $1, 'azienda', 'Cliente ' || i from generate_series(1, 200) as i", desk.user_id,
        )  # fmt: skip
    export_id = await ask(desk, {"domains": "all", "files": True})
    with largest_file(size_bytes):
        await work(desk, export_id)
    await assert_lacked_space(desk, export_id)


async def test_a_store_elsewhere_needs_no_space_here(desk: Desk) -> None:
    here, more = desk.context(), 2**70
    elsewhere = replace(desk.resources.settings, storage_s3="https://key:secret@s3.example/bucket?region=eu")
    there = api.Context("test", {"role": "service_role"}, "", replace(desk.resources, settings=elsewhere))
    await there.require_space(more)
    with pytest.raises(OSError, match="are free") as full:
        await here.require_space(more)
    assert api.is_disk_full(full.value)
    # The tables are written here in any case.
    with pytest.raises(OSError, match="are free"):
        await api.Context("test", {}, "", on_full_disk(replace(desk.resources, settings=elsewhere))).require_space(0)


async def test_an_archive_is_made_although_the_quota_is_full(desk: Desk) -> None:
    await put(desk, "a.pdf", b"%PDF a")
    storage = replace(desk.resources.settings.storage, account_quota=ByteSize(5))
    own = replace(desk.resources, settings=replace(desk.resources.settings, storage=storage))
    async with paper.opened(own) as full:
        full.user_id = desk.user_id
        with pytest.raises(api.PlatformError) as refused:
            await put(full, "b.pdf", b"%PDF b")
        assert refused.value.code == "QuotaExceeded"
        await archive_of(full)


async def test_progress_is_in_the_row(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await put(desk, "a.pdf", b"%PDF" + bytes(4_000_000))
    monkeypatch.setattr(data_export, "NOTE_EVERY_S", 0)
    export_id = await ask(desk, {"domains": "all", "files": True})
    seen: list[int] = []
    real = personal_archive.pieces

    async def watched(*arguments: Any) -> AsyncIterator[bytes]:
        async for piece in real(*arguments):
            yield piece
            seen.append((await row(desk, export_id))["progress"])

    monkeypatch.setattr(personal_archive, "pieces", watched)
    await work(desk, export_id)
    assert seen == sorted(seen)
    assert any(20 < each < 80 for each in seen)
    assert max(seen) == 99


async def test_folders_of_killed_archives_are_removed_after_a_day(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = personal_archive.root(desk.context()) / str(uuid4())
    folder.mkdir(parents=True)
    await sweep_exports(desk)
    assert folder.exists()
    monkeypatch.setattr(retention, "EXPORT_FOLDER_KEPT_S", -1)
    await sweep_exports(desk)
    assert not folder.exists()


async def test_the_archive_goes_with_its_account(desk: Desk) -> None:
    await archive_of(desk)
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("delete from auth.users where id = $1", desk.user_id)
    assert await kept(desk) == []


async def pieces_of(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), archives.PIECE_BYTES):
        yield content[start : start + archives.PIECE_BYTES]


async def test_a_file_of_any_length_comes_out_as_it_went_in() -> None:
    piece = archives.PIECE_BYTES
    files = {f"{size}.{ending}": bytes(size) for size in (0, 1, piece, piece + 1) for ending in ("pdf", "txt")}
    archive, sent = archives.Archive(), list[bytes]()
    for name, content in files.items():
        sent += [each async for each in archive.file(name, pieces_of(content))]
    sent += archive.end()
    opened = zipfile.ZipFile(io.BytesIO(b"".join(sent)))
    assert opened.testzip() is None
    assert {name: opened.read(name) for name in files} == files
    digests = [f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in files.items()]
    assert opened.read(archives.DIGESTS).decode().splitlines() == digests
    assert archive.read_bytes == sum(map(len, files.values()))


def test_names_do_not_collide() -> None:
    taken: set[str] = set()
    names = [archives.free_name(name, taken) for name in ("file/a.pdf", "file/A.pdf", "file/a.pdf", "b/c", "b/c")]
    assert names == ["file/a.pdf", "file/A (2).pdf", "file/a (3).pdf", "b/c", "b/c (2)"]
    assert archives.free_name("a.xml.p7m", {"a.xml.p7m"}) == "a (2).xml.p7m"
