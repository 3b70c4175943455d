"""WhatsApp, files: a received one is fetched and becomes a document, a sent one is given to Meta, and none is lost."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from backend.core import config, db
from backend.core.resources import Resources
from functions._shared.documents import care, concluding, conclusions, filing
from functions.jobs import retention, whatsapp_media
from tests.db import documents
from tests.fakes.meta import graph
from tests.fakes.meta.business import Person
from tests.functions.documents import conftest as paper
from tests.functions.whatsapp_desk import Desk, sit_down
from tests.functions.whatsapp_desk import meta as meta
from tests.functions.whatsapp_desk import settings as settings

pytestmark = pytest.mark.anyio
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
INVOICE = config.ROOT / "tests" / "vectors" / "fattura_content.json"
VOICE = b"OggS" + bytes(200)


@pytest.fixture
async def own(resources: Resources) -> AsyncIterator[paper.Desk]:
    async with paper.opened(resources) as opened:
        yield opened


@pytest.fixture
async def desk(own: paper.Desk, meta: graph.Meta) -> Desk:
    return await sit_down(own.http, own.resources, meta.business)


async def jobs_of(desk: Desk, name: str) -> list[dict[str, Any]]:
    rows = await desk.rows("select payload from jobs.pgqueuer where entrypoint = $1", name)
    return [json.loads(row["payload"]) for row in rows]


async def test_a_pdf_becomes_a_document_that_its_sender_is_suggested_for(desk: Desk) -> None:
    message = await desk.hand(GIULIA, "document", PDF, "application/pdf", filename="contratto.pdf", caption="Firmato")
    assert (message["media_state"], message["summary"]) == ("attesa", "Documento: contratto.pdf · Firmato")
    assert await jobs_of(desk, "whatsapp_media") == [{"message_id": str(message["id"])}]
    for _ in range(2):
        message = await desk.fetch(message["id"])
    assert (message["media_state"], message["storage_path"]) == ("pronto", None)
    [document] = await desk.rows("select * from public.documents")
    assert (document["id"], document["filename"]) == (message["document_id"], "contratto.pdf")
    assert await desk.context().storage_as_service.download("documents", document["storage_path"]) == PDF
    async with db.transaction(desk.resources.pool) as connection:
        await concluding.conclude(connection, document, conclusions.Conclusion(), True, "ita")
    [document] = await desk.rows("select contact_id, contact_suggestion, contact_reason from public.documents")
    assert document == {
        "contact_id": None, "contact_suggestion": message["contact_id"], "contact_reason": "L’ha mandato su WhatsApp",
    }  # fmt: skip


async def test_a_voice_note_is_kept_apart_and_goes_with_its_message(desk: Desk) -> None:
    message = await desk.hand(GIULIA, "audio", VOICE, "audio/ogg; codecs=opus", voice=True)
    message = await desk.fetch(message["id"])
    path = f"{desk.user_id}/whatsapp/{message['id']}.ogg"
    assert (message["media_state"], message["storage_path"], message["document_id"]) == ("pronto", path, None)
    [stored] = await desk.rows("select name, metadata ->> 'mimetype' as mime from storage.objects")
    assert stored == {"name": path, "mime": "audio/ogg"}
    await desk.rows("update storage.objects set created_at = now() - interval '2 days'")
    await retention.handler({"rules": ["documents"]}, desk.context())
    async with db.connection(desk.resources.pool) as connection:
        assert await care.unregistered(connection, 10) == []
    assert len(await desk.rows("select 1 from storage.objects")) == 1
    await desk.rows("delete from public.contacts")
    await retention.handler({"rules": ["documents"]}, desk.context())
    assert await desk.rows("select 1 from storage.objects") == []


async def test_every_table_with_files_is_asked_before_a_file_is_removed(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        tables = await connection.fetch(
            "select distinct table_schema || '.' || table_name as name from information_schema.columns"
            " where column_name = 'storage_path' and table_schema in ('public', 'private')"
        )
    asked = inspect.getsource(care.strays)
    assert {row["name"] for row in tables if row["name"] not in asked} == set()


@pytest.mark.parametrize(
    ("trouble", "state", "raised"),
    [
        ("gone", "scaduto", ""),
        ("large", "grande", ""),
        ("changed", "diverso", "Mismatch"),
        ("busy", "attesa", "Away"),
        ("away", "attesa", "Away"),
    ],
)
async def test_a_file_that_meta_does_not_give_says_why_and_comes_when_it_does(
    desk: Desk, meta: graph.Meta, trouble: str, state: str, raised: str
) -> None:
    message = await desk.hand(GIULIA, "document", PDF, "application/pdf", filename="a.pdf", trouble=trouble)
    message = await desk.fetch(message["id"])
    assert (message["media_state"], desk.raised) == (state, raised)
    assert await desk.rows("select 1 from storage.objects") == []
    await whatsapp_media.given_up({"message_id": str(message["id"])}, desk.context())
    [given_up] = await desk.rows("select media_state::text as state from public.whatsapp_messages")
    assert given_up["state"] == ("fallito" if state == "attesa" else state)
    meta.business.media = {key: replace(one, trouble="") for key, one in meta.business.media.items()}
    assert (await desk.call("POST", "whatsapp_media", {"id": str(message["id"])})).status_code == 200
    assert (await desk.fetch(message["id"]))["media_state"] == "pronto"
    assert (await desk.call("POST", "whatsapp_media", {"id": str(message["id"])})).status_code == 404


async def test_a_token_that_is_gone_asks_for_the_number_again(desk: Desk, meta: graph.Meta) -> None:
    message = await desk.hand(GIULIA, "image", PDF, "image/jpeg")
    meta.mode = "190"
    assert (await desk.fetch(message["id"]))["media_state"] == "scollegato"
    [account] = await desk.rows("select state::text from public.whatsapp_accounts")
    assert account["state"] == "da_ricollegare"


async def test_a_file_that_is_not_what_it_claims_is_kept_and_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for content, is_kept in ((b"Non sono una foto", True), (b"<html><script>alert(1)</script>", False)):
        picture = await desk.hand(GIULIA, "image", content, "image/jpeg")
        picture = await desk.fetch(picture["id"])
        assert (picture["media_state"], picture["document_id"]) == ("illeggibile", None)
        assert (picture["storage_path"] is not None) == is_kept
    sheet = await desk.hand(
        GIULIA, "document", b"\xd0\xcf\x11\xe0" + bytes(9), "application/vnd.ms-excel", filename="a.xls"
    )
    assert (await desk.fetch(sheet["id"]))["media_state"] == "pronto"

    async def full(*_told: Any) -> bool:
        return False

    monkeypatch.setattr(filing, "store", full)
    late = await desk.hand(GIULIA, "document", PDF, "application/pdf", filename="b.pdf")
    assert (await desk.fetch(late["id"]))["media_state"] == "senza_spazio"


async def document(own: paper.Desk, desk: Desk, content: bytes = PDF) -> UUID:
    """Have a document of the person whose file is there."""
    path = f"{desk.user_id}/{uuid4()}.pdf"
    await filing.store(desk.context(), desk.user_id, path, content, "application/pdf")
    async with db.transaction(own.resources.pool) as connection:
        return await documents.document(
            connection,
            desk.user_id,
            storage_path=path,
            filename="Preventivo.pdf",
            mime="application/pdf",
            bytes=len(content),
        )


async def test_a_document_and_the_paper_of_an_invoice_leave_with_their_words(
    own: paper.Desk, desk: Desk, meta: graph.Meta
) -> None:
    await desk.say(GIULIA, "Me lo mandi?")
    document_id = await document(own, desk)
    answer = await desk.write(body="Ecco", document_id=str(document_id))
    assert answer.status_code == 200, answer.text
    [message] = await desk.send()
    assert (message["state"], message["kind"], message["summary"]) == (
        "sent", "document", "Documento: Preventivo.pdf · Ecco",
    )  # fmt: skip
    [sent] = meta.sent
    assert (sent["document"]["filename"], sent["document"]["caption"]) == ("Preventivo.pdf", "Ecco")
    assert meta.business.media[sent["document"]["id"]].content == PDF
    async with db.transaction(desk.resources.pool) as connection:
        [invoice_id] = await documents.store_invoices(connection, document_id, {"direction": "attiva"})
        await connection.execute(
            "update public.invoices set content = $2::text::jsonb where id = $1", invoice_id, INVOICE.read_text("utf-8")
        )
    assert (await desk.write(body=None, invoice_id=str(invoice_id))).status_code == 200
    assert (await desk.send())[-1]["summary"] == "Documento: Fattura 12-2026.pdf"
    part = meta.sent[-1]["document"]
    assert (part["filename"], "caption" in part) == ("Fattura 12-2026.pdf", False)
    assert meta.business.media[part["id"]].content.startswith(b"%PDF-")
    stranger = await desk.write(body=None, document_id=str(uuid4()))
    assert (stranger.status_code, stranger.json()["code"]) == (404, "not_found")
    # Erased while it waited.
    await desk.write(body=None, document_id=str(document_id))
    await desk.rows("delete from public.documents")
    gone = (await desk.send())[-1]
    assert (gone["state"], gone["error"], len(meta.sent)) == ("failed", "attachment", 2)
    await desk.rows("update public.contact_channels set window_expires_at = now()")
    closed = await desk.write(body=None, document_id=str(await document(own, desk)))
    assert (closed.status_code, closed.json()["code"]) == (409, "window_closed")


async def test_an_upload_that_meta_refuses_ends_the_message_and_one_that_breaks_waits(
    own: paper.Desk, desk: Desk, meta: graph.Meta
) -> None:
    await desk.say(GIULIA, "Me lo mandi?")
    await desk.write(body=None, document_id=str(await document(own, desk)))
    for mode, state in (("garbage", "queued"), ("131053", "failed")):
        meta.mode = mode
        [message] = await desk.send()
        assert (message["state"], meta.sent) == (state, [])
    assert message["error_detail"] == "WhatsApp non accetta questo file."
