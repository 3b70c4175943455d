"""A document from the upload to its end, by the real jobs, in front of the real storage."""

from __future__ import annotations

import asyncio
import base64
import random
import re
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from PIL import Image

from backend.core import db
from backend.core.config_storage import ByteSize
from backend.edge import api
from functions import page_picture
from functions._shared.documents import cache, limits
from functions.jobs import document_page
from tests.databases import connected
from tests.db import accounts
from tests.functions.documents import files
from tests.functions.documents.conftest import Desk
from tests.functions.fatturapa import builder, samples

pytestmark = pytest.mark.anyio


async def test_a_pdf_is_read_page_by_page_and_once(desk: Desk) -> None:
    content = files.pdf([files.LINES] * 30)
    path = await desk.upload(content, "Offerta.pdf")
    first, again = [(await desk.ask({"path": path, "filename": "Offerta.pdf"})).json() for _ in range(2)]
    assert first == again
    await desk.read()
    row = await desk.row(UUID(first["id"]))
    assert (row["state"], row["pages"], row["pages_done"], row["lang"]) == ("pronto", 30, 30, "it")
    assert (row["filename"], row["bytes"], row["mime"]) == ("Offerta.pdf", len(content), "application/pdf")
    assert await desk.pages(row["id"]) == [("letta", "testo")] * 30
    # Nothing of it is left with the worker, and the same bytes are told to be the same.
    assert not list((desk.resources.settings.home / "documents").glob("*"))
    twin = await desk.drop(content, "Copia.pdf")
    await desk.read()
    assert (await desk.row(twin))["duplicate_of"] == row["id"]


async def test_scanned_pages_are_recognised_and_those_with_text_are_not(desk: Desk) -> None:
    document = await desk.drop(files.scan(), "foto.png", "image/png")
    await desk.read()
    assert await desk.state(document) == ("pronto", None)
    assert await desk.pages(document) == [("letta", "ocr")]
    words = await desk.value("select words from public.document_pages where document_id = $1", document)
    assert "Semina del prato" in " ".join(word[0] for word in words)


async def test_what_came_in_a_document_is_a_document_and_not_endlessly(desk: Desk) -> None:
    deepest = files.zipped({"d.zip": files.zipped({"e.pdf": files.pdf()}), "c.pdf": files.pdf()})
    letter = files.mail("Ecco i documenti", {"b.zip": deepest})
    document = await desk.drop(
        files.zipped({"cartella/a.eml": letter, "gioco.exe": b"MZ\x90"}), "a.zip", "application/zip"
    )
    await desk.read()
    async with db.connection(desk.resources.pool) as connection:
        rows = await connection.fetch(
            """
            select c.filename, p.filename as parent, c.state, c.error_code from public.documents as c
            left join public.documents as p on p.id = c.parent_id order by c.filename
            """
        )
    assert [tuple(row) for row in rows] == [
        ("a.eml", "a.zip", "pronto", None),
        ("a.zip", None, "pronto", None),
        ("b.zip", "a.eml", "errore", "bomb"),
    ]
    assert (await desk.row(document))["kind_rule"] == "Contiene 1 documento"


async def _stored(desk: Desk) -> list[tuple[str, str, int]]:
    """Each file of the bucket: what it is called, whose it is, how long."""
    async with db.connection(desk.resources.pool) as connection:
        rows = await connection.fetch(
            """
            select regexp_replace(name, '.*/', ''), owner_id, (metadata ->> 'size')::int
            from storage.objects where bucket_id = 'documents' order by name desc
            """
        )
    return [tuple(row) for row in rows]


async def test_what_is_packed_in_a_file_belongs_to_its_owner_and_goes_with_the_account(desk: Desk) -> None:
    document = await desk.drop(
        files.zipped({"a.txt": b"ciao " * 9, "b.txt": b"buongiorno"}), "a.zip", "application/zip"
    )
    await desk.read()
    assert {owner for _, owner, _ in await _stored(desk)} == {str(desk.user_id)}
    assert (await desk.row(document))["unpacked_bytes"] == 45 + 10
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("delete from auth.users where id = $1", desk.user_id)
    assert await _stored(desk) == []


async def test_archives_in_an_archive_unpack_to_no_more_than_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FREE_OF_RATIO_BYTES", 0)
    noise = [random.Random(seed).randbytes(4000) + b"0" * 40_000 for seed in range(9)]
    inner = [files.zipped({"a.txt": base64.b64encode(each)}) for each in noise]
    document = await desk.drop(
        files.zipped({f"{number}.zip": each for number, each in enumerate(inner)}), "a.zip", "application/zip"
    )
    monkeypatch.setattr(limits, "MAX_RATIO", 3)
    await desk.read()
    row = await desk.row(document)
    most = 3 * row["bytes"]
    assert row["state"] == "pronto"
    opened = [size for name, _, size in await _stored(desk) if name != "a.zip"]
    assert sum(opened) <= most
    assert await desk.value("select sum(unpacked_bytes)::int from public.documents") == sum(opened)
    assert await desk.value("select count(*) from public.documents where error_code = 'bomb'") > 0


async def test_an_account_whose_files_fill_its_quota_unpacks_nothing(desk: Desk) -> None:
    packed = files.zipped({"a.txt": b"x" * 40, "b.txt": b"y" * 40})
    storage = replace(desk.resources.settings.storage, account_quota=ByteSize(len(packed) + 20))
    object.__setattr__(desk.resources, "settings", replace(desk.resources.settings, storage=storage))
    document = await desk.drop(packed, "a.zip", "application/zip")
    await desk.read()
    assert await desk.state(document) == ("errore", "no_space")
    assert [name for name, _, _ in await _stored(desk)] == ["a.zip"]


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Quanto c’è da pagare?", "Da pagare 1.068,80 €"),
        ("Quanto costa il progetto esecutivo?", "1 Progetto esecutivo, «lotto 1» & perizia 1.000,00 22 % 1.000,00"),
        ("Su quale IBAN faccio il bonifico?", "Bonifico a Anna Verdi, IBAN IT60 X054 2811 1010 0000 0123 456"),
    ],
)
async def test_an_electronic_invoice_is_quoted_as_on_paper(desk: Desk, question: str, quote: str) -> None:
    content = builder.written([samples.professional()]).encode()
    document = await desk.drop(content, "IT01234567890_00001.xml", "application/xml")
    await desk.read(document)
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        quotes = [row["quote"] for row in await connection.fetch("select * from public.ask_documents($1)", question)]
    assert quote in quotes[0]
    # Neither tags nor names of elements nor their codes.
    assert not re.search(r"[<>]|[a-z][A-Z]|TD06|MP05|2026-", " ".join(quotes))


@pytest.mark.parametrize(
    ("content", "name", "mime", "code"),
    [
        (files.pdf(password="x"), "a.pdf", "application/pdf", "encrypted"),
        (files.saved(Image.new("L", (600, 800), 255)), "a.png", "image/png", "no_text"),
        (b"<?xml version='1.0'?><RicevutaConsegna/>", "a.xml", "application/xml", "not_an_invoice"),
        (b"", "a.pdf", "application/pdf", "empty"),
    ],
    ids=["encrypted", "blank", "no invoice", "empty"],
)
async def test_a_document_that_cannot_be_read_says_why_and_is_kept(
    desk: Desk, content: bytes, name: str, mime: str, code: str
) -> None:
    path = await desk.upload(content, name, mime)
    document = UUID((await desk.ask({"path": path})).json()["id"])
    await desk.read()
    assert await desk.state(document) == ("errore", code)
    assert (await desk.row(document))["error"].endswith((".", ")."))
    answer = await desk.http.get(f"/storage/v1/object/authenticated/documents/{path}", headers=desk.headers)
    assert answer.content == content


@pytest.mark.long
async def test_without_tesseract_a_scan_waits_for_another_try(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    document = await desk.drop(files.scan(), "foto.png", "image/png")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        await desk.read()
        answer = await desk.http.post("/functions/v1/ocr", content=files.scan(), headers=desk.headers)
        assert (answer.status_code, answer.json()["code"]) == (503, "ocr_unavailable")
    assert await desk.state(document) == ("errore", "ocr_unavailable")
    retried = await desk.ask({"document_id": str(document), "action": "retry"})
    assert retried.json() == {"id": str(document), "state": "in_coda"}
    await desk.read()
    assert await desk.state(document) == ("pronto", None)


@pytest.mark.long
async def test_a_short_document_does_not_wait_for_a_long_one_and_cancelling_ends_it(desk: Desk) -> None:
    blank = Image.new("L", (400, 600), 255)
    long = await desk.drop(
        files.saved(blank, "TIFF", save_all=True, append_images=[blank] * 199), "a.tif", "image/tiff"
    )
    async with desk.working():
        await desk.until("select pages_done > 0 from public.documents where id = $1", long)
        short = await desk.drop(files.pdf(), "b.pdf")
        await desk.until("select state = 'pronto' from public.documents where id = $1", short)
        done = (await desk.row(long))["pages_done"]
        assert done < 100
        answer = await desk.ask({"document_id": str(long), "action": "cancel"})
        assert answer.json()["state"] == "annullato"
        await desk.until("select not exists (select from jobs.pgqueuer where entrypoint = 'document_page')")
    row = await desk.row(long)
    assert row["state"] == "annullato"
    assert row["pages_done"] < 200


@pytest.mark.long
async def test_a_page_that_was_given_up_does_not_stop_the_others(desk: Desk) -> None:
    document = await desk.drop(files.pdf([files.LINES] * 2))
    async with desk.working():
        await desk.until("select state in ('pronto') from public.documents where id = $1", document)
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update public.document_pages set state = 'attesa' where document_id = $1", document)
        await connection.execute(
            "update public.documents set state = 'lettura', pages_done = 0 where id = $1", document
        )
    context = desk.context()
    await document_page.given_up({"document_id": str(document), "no": 1}, context)
    await desk.read()
    assert await desk.pages(document) == [("errore", "testo"), ("letta", "testo")]
    assert await desk.state(document) == ("da_verificare", "gave_up")
    await desk.ask({"document_id": str(document), "action": "retry"})
    await desk.read()
    assert await desk.state(document) == ("pronto", None)


@pytest.mark.long
async def test_a_full_disk_is_waited_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch, refusals = cache._fetch, [OSError(28, "No space left on device")] * 3

    async def full(*arguments: object) -> None:
        if refusals:
            raise refusals.pop()
        await fetch(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(cache, "_fetch", full)
    documents = [await desk.drop(files.pdf([[f"{each} {line}" for line in files.LINES]])) for each in range(2)]
    await desk.read()
    assert [await desk.state(each) for each in documents] == [("pronto", None)] * 2
    assert refusals == []


async def test_nobody_has_anothers_file_read(desk: Desk) -> None:
    path = await desk.upload(files.pdf(), "a.pdf")
    document = str((await desk.ask({"path": path})).json()["id"])
    stranger = Desk(desk.resources, desk.http, uuid4())
    for body in ({"path": path}, {"document_id": document, "action": "cancel"}, {"path": f"{desk.user_id}/nothing"}):
        assert (await stranger.ask(body)).status_code == 404
    assert (await desk.ask({"document_id": document, "action": "read"})).status_code == 400
    assert (await desk.http.post("/functions/v1/read_document", json={"path": path})).status_code == 401
    await desk.read()
    for function in ("page_picture", "ocr"):
        if function == "page_picture":
            answer = await desk.http.get(f"/functions/v1/{function}?document={document}", headers=stranger.headers)
            assert answer.status_code == 404
        else:
            answer = await desk.http.post(f"/functions/v1/{function}", json={"path": path}, headers=stranger.headers)
            assert (answer.status_code, answer.json()["code"]) == (422, "missing_file")


@pytest.mark.long
async def test_a_page_is_drawn_and_a_picture_is_read_at_once(desk: Desk) -> None:
    document = await desk.drop(files.saved(files.picture(files.pdf()), "TIFF"), "a.tif", "image/tiff")
    path = (await desk.row(document))["storage_path"]
    await desk.read()
    drawn = await desk.http.get(f"/functions/v1/page_picture?document={document}&width=300", headers=desk.headers)
    assert (drawn.status_code, drawn.headers["content-type"]) == (200, "image/webp")
    assert drawn.content[8:12] == b"WEBP"
    unchanged = {**desk.headers, "if-none-match": drawn.headers["etag"]}
    again = await desk.http.get(f"/functions/v1/page_picture?document={document}&width=300", headers=unchanged)
    assert again.status_code == 304
    beyond = await desk.http.get(f"/functions/v1/page_picture?document={document}&page=2", headers=desk.headers)
    assert beyond.status_code == 404
    read = (await desk.http.post("/functions/v1/ocr", json={"path": path}, headers=desk.headers)).json()
    assert read["language"] == "it"
    assert read["confidence"] > 85
    assert "Semina del prato" in read["text"]
    assert len(read["words"][0]) == 6
    refused = await desk.http.post("/functions/v1/ocr", content=b"testo", headers=desk.headers)
    assert (refused.status_code, refused.json()["code"]) == (422, "unsupported")


async def test_one_recognition_at_a_time_for_a_person_whichever_process_does_it(desk: Desk) -> None:
    async def post() -> tuple[int, str | None]:
        answer = await desk.http.post("/functions/v1/ocr", content=b"testo", headers=desk.headers)
        return answer.status_code, answer.json().get("code")

    async with connected(desk.resources.settings.database_url) as owner:
        held = await owner.fetchval("select private.take_lease($1, 'ocr', 270)", desk.user_id)
        assert await owner.fetchval("select private.take_lease($1, 'ocr', 270)", desk.user_id) is None
        assert await post() == (429, "busy")
        # A process that died leaves its lease, which ends by itself.
        await owner.execute("update private.leases set ends_at = now()")
        assert await post() == (422, "unsupported")
        assert await owner.fetchval("select count(*) from private.leases") == 0
        # The lease that is over ends nobody else's.
        again = await owner.fetchval("select private.take_lease($1, 'ocr', 270)", desk.user_id)
        await owner.execute("select private.end_lease($1)", held)
        assert await owner.fetchval("select token from private.leases") == again


@pytest.mark.long
async def test_a_page_is_fetched_when_its_turn_has_come_and_too_many_are_sent_away(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await desk.drop(files.saved(files.picture(files.pdf()), "TIFF"), "a.tif", "image/tiff")
    await desk.read()
    address = f"/functions/v1/page_picture?document={document}&width=300"
    fetched, save = [], cache.save

    async def counted(storage: Any, path: str, file: Any) -> None:
        fetched.append(path)
        await save(storage, path, file)

    monkeypatch.setattr(cache, "save", counted)
    monkeypatch.setattr(page_picture, "PLACES", api.Places(at_once=1, waiting=1))
    async with page_picture.PLACES.one("somebody"):
        waiting = asyncio.create_task(desk.http.get(address, headers=desk.headers))
        async with asyncio.timeout(20):
            while page_picture.PLACES.taken < 2:  # noqa: ASYNC110 - a request tells nobody how far it is
                await asyncio.sleep(0.005)
        refused = await desk.http.get(address, headers=desk.headers)
        assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (429, "busy", "1")
        assert fetched == []
    assert (await waiting).status_code == 200
    assert len(fetched) == 1


async def test_what_a_closed_tab_left_is_registered_and_what_stands_still_goes_on(desk: Desk) -> None:
    await desk.upload(files.pdf(), "Perch=C3=A9.pdf")
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("update storage.objects set created_at = now() - interval '1 hour'")
    await desk.run("document_sweep")
    [name] = await desk.value("select array_agg(filename::text) from public.documents")
    assert name == "Perché.pdf"
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("delete from jobs.pgqueuer")
        async with connection.transaction():
            await connection.execute("set local session_replication_role = replica")
            await connection.execute(
                "update public.documents set state = 'in_coda', updated_at = now() - interval '1 hour'"
            )
    await desk.run("document_sweep")
    await desk.read()
    assert await desk.value("select state = 'pronto' from public.documents")


async def test_thirty_days_in_the_trash_take_file_and_row(desk: Desk) -> None:
    document = await desk.drop(files.zipped({"a.pdf": files.pdf()}), "a.zip", "application/zip")
    await desk.read()
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute(
            "update public.documents set deleted_at = now() - interval '31 days' where id = $1", document
        )
    await desk.run("retention")
    assert await desk.value("select count(*) from public.documents") == 0
    assert await desk.value("select count(*) from storage.objects where bucket_id = 'documents'") == 0


async def _files(desk: Desk) -> list[str]:
    return await desk.value("select coalesce(array_agg(name order by name), '{}') from storage.objects") or []


async def test_an_account_takes_its_files_and_their_links_along(desk: Desk) -> None:
    async with db.connection(desk.resources.pool) as connection:
        neighbour = await accounts.create(connection)
    path = await desk.upload(files.pdf(), "Referto.pdf")
    picture = await _picture(desk, desk.user_id)
    theirs = await _picture(desk, neighbour)
    storage = desk.context().storage_as_service
    link = await storage.signed_url("documents", path, 3600)
    assert (await desk.http.get(link)).status_code == 200
    assert await _files(desk) == sorted([path, picture, theirs])
    secret = desk.resources.keys.service_role_key
    headers = {"apikey": secret, "authorization": f"Bearer {secret}"}
    answer = await desk.http.delete(f"/auth/v1/admin/users/{desk.user_id}", headers=headers)
    assert answer.status_code == 200, answer.text
    assert await _files(desk) == [theirs]
    assert (await desk.http.get(link)).status_code == 400
    assert await desk.value("select count(*) from storage.superfluous_blobs") == 2


async def test_files_that_nobody_has_any_more_are_removed_after_a_day(desk: Desk) -> None:
    path = await desk.upload(files.pdf(), "Mio.pdf")
    shown, logo, _, young, *own = [await _picture(desk, desk.user_id) for _ in range(6)]
    addresses = [f"/storage/v1/object/authenticated/avatars/{path}" for path in (shown, logo)]
    async with db.transaction(desk.resources.pool) as connection:
        # What uploads brought whose accounts were gone already, before that was refused.
        await connection.execute("set local session_replication_role = replica")
        await connection.executemany(
            "update storage.objects set name = $2, bucket_id = $3 where name = $1",
            [(own[0], f"{uuid4()}/{uuid4()}.png", "avatars"), (own[1], f"{uuid4()}/{uuid4()}/a.pdf", "documents")],
        )
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute(
            "update public.profiles set avatar_url = $2, logo_url = $3 where user_id = $1", desk.user_id, *addresses
        )
        await connection.execute(
            "update storage.objects set created_at = now() - interval '25 hours' where name <> $1", young
        )
    await desk.run("retention")
    assert await _files(desk) == sorted([path, shown, logo, young])
    assert await desk.value("select count(*) from storage.superfluous_blobs") == 0


async def _picture(desk: Desk, user_id: UUID) -> str:
    """A picture in somebody's folder of `avatars`; answers its path."""
    path = f"{user_id}/{uuid4()}.png"
    await desk.context().storage_as_service.upload("avatars", path, files.scan(), "image/png")
    return path
