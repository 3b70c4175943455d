"""Pictures from elsewhere are fetched on request only; mails and attachments become documents on request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from functions._shared.received_mail import pictures
from tests.fakes import imap
from tests.functions.documents.conftest import Desk
from tests.functions.documents.conftest import desk as desk
from tests.functions.test_mail_fetch import PDF, fetch, letter, mails, reader, rows
from tests.functions.test_mail_fetch import bad as bad

pytestmark = pytest.mark.anyio
PIXEL = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)


@asynccontextmanager
async def elsewhere() -> AsyncIterator[tuple[str, list[str]]]:
    """Serve pictures on this machine; answers the address and what was asked for."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        if request.path == "/moved":
            raise web.HTTPFound("/a.gif")
        contents = {"/a.gif": PIXEL, "/big.gif": PIXEL + bytes(pictures.MAX_BYTES), "/page.gif": b"<html>"}
        return web.Response(body=contents[request.path], content_type="image/gif")

    app = web.Application()
    app.router.add_get("/{name}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}", asked
    finally:
        await runner.cleanup()


async def ask(desk: Desk, function: str, **body: Any) -> Any:
    return await desk.http.post(f"/functions/v1/{function}", json=body, headers=desk.headers)


async def test_pictures_from_elsewhere_come_when_they_are_asked_for(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    async with elsewhere() as (address, asked):
        images = "".join(f'<img src="{address}/{name}">' for name in ("a.gif", "moved", "big.gif", "page.gif"))
        mail = letter("Formattata")
        mail.set_content(f"<p>Ciao</p>{images}", subtype="html")
        bad.add(mail.as_bytes())
        await fetch(desk)
        [kept] = await mails(desk)
        shown = (await ask(desk, "received_mail", id=str(kept["id"]))).json()
        assert (shown["has_hidden_pictures"], asked) == (True, [])
        shown = (await ask(desk, "received_mail", id=str(kept["id"]), with_pictures=True)).json()
        # What is too large, or no picture, stays away.
        assert shown["html"].count("data:image/gif;base64,") == 2
        assert shown["has_hidden_pictures"]
        assert address not in shown["html"]
        assert sorted(set(asked)) == ["/a.gif", "/big.gif", "/moved", "/page.gif"]


async def test_a_mail_and_its_attachment_become_documents_once(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    mail = letter("Preventivo 1/2", From="Ugo <ugo@rossi.it>")
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="a.pdf")
    mail.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="b.bin")
    bad.add(mail.as_bytes())
    await fetch(desk)
    [kept] = await mails(desk)
    # Nobody knows the sender: nothing was filed by itself.
    assert await rows(desk, "select 1 from public.documents") == []
    answers = [await ask(desk, "mail_document", id=str(kept["id"]), file=file) for file in (0, 0, None, 1, 7)]
    assert [each.status_code for each in answers] == [200, 200, 200, 422, 404]
    assert answers[0].json() == answers[1].json()
    names = await rows(desk, "select filename::text, mime from public.documents order by filename")
    assert names == [
        {"filename": "Preventivo 1-2.eml", "mime": "message/rfc822"}, {"filename": "a.pdf", "mime": "application/pdf"}
    ]  # fmt: skip
    [kept] = await mails(desk)
    assert kept["files"][0]["document_id"] == answers[0].json()["document_id"]
    other = await ask(desk, "mail_document", id="00000000-0000-4000-8000-000000000001")
    assert other.status_code == 404
