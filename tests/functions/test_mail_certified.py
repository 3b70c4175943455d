"""Certified mail (PEC) in a person's mailbox: receipts at the mail they are about, envelopes opened, the proof."""

from __future__ import annotations

import asyncio
import hashlib
import io
import zipfile
from email.message import EmailMessage
from typing import Any
from uuid import UUID

import pytest

from backend.core import db
from functions.jobs import mail_outbox, retention
from tests.databases import connected
from tests.db import channels, documents
from tests.fakes import dovecot, imap, smtp
from tests.functions import test_pec, test_sdi_notices
from tests.functions.documents.conftest import Desk
from tests.functions.documents.conftest import desk as desk
from tests.functions.test_mail_fetch import PASSWORD, fetch, mails, reader, rows
from tests.functions.test_mail_fetch import bad as bad
from tests.functions.test_mail_fetch import real as real

pytestmark = pytest.mark.anyio
ENVELOPE = "<opec1.20261126@pec.example>"


def receipt(kind: str, message_id: str, **more: str) -> bytes:
    """Write a receipt of a provider about a mail of ours to Anna."""
    xml = test_pec.certificate(kind, channels.ADDRESS, **more)
    headers = f"From: posta-certificata@pec.example\nX-Ricevuta: {kind}\nX-Riferimento-Message-ID: {message_id}\n"
    headers += f"Subject: {kind.upper()}: Diffida\nMessage-ID: <{kind}{more.get('hour', '')}@pec.example>\n"
    return wire(test_pec.mail(headers, xml))


def envelope(transport: str = "posta-certificata", inside: str = "") -> bytes:
    """Write an envelope around a mail of Anna."""
    xml = test_pec.certificate("posta-certificata").replace("io@pec.example", channels.ADDRESS)
    headers = (
        f'From: "Per conto di: {channels.ADDRESS}" <posta-certificata@pec.example>\nX-Trasporto: {transport}\n'
        f"Subject: POSTA CERTIFICATA: Diffida\nMessage-ID: {ENVELOPE}\n"
    )
    mail = test_pec.mail(headers, xml, has_original=True).as_bytes()
    own = f"From: Anna <{channels.ADDRESS}>\nSubject: Diffida\n{inside}".encode()
    return mail.replace(b"Subject: Diffida\n", own, 1).replace(b"\n", b"\r\n")


def wire(mail: EmailMessage) -> bytes:
    return mail.as_bytes().replace(b"\n", b"\r\n")


async def sent(desk: Desk, contact_id: UUID, server: smtp.Server) -> dict[str, Any]:
    """Send a mail through the person's server; answers its row."""
    await rows(desk, "update public.mail_accounts set port = $1", server.port)
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        await channels.queue(connection, contact_id)
    await rows(desk, "update public.outgoing_mails set not_before = now()")
    await mail_outbox.handler({"user_id": str(desk.user_id)}, desk.context())
    [mail] = await rows(desk, "select *, state::text as state_name from public.outgoing_mails")
    return mail


async def test_a_certified_mail_has_two_ticks_and_a_proof(desk: Desk, real: int) -> None:
    async with smtp.serving(PASSWORD) as server:
        mail = await sent(desk, await reader(desk, real, is_certified=True), server)
        [letter] = server.letters()
    assert (letter["X-TipoRicevuta"], letter.get_content_type()) == ("completa", "text/plain")
    assert mail["is_certified"]
    for content in (
        receipt("accettazione", mail["message_id"], hour="10:15:32"),
        receipt("avvenuta-consegna", mail["message_id"], hour="10:15:40"),
    ):
        await asyncio.to_thread(dovecot.deliver, real, "io", content)
    for _ in range(2):
        await fetch(desk)
    told = await rows(
        desk, "select kind::text, at at time zone 'Europe/Rome' as at from public.mail_reports order by at"
    )
    assert [(each["kind"], f"{each['at']:%d/%m/%Y %H:%M:%S}") for each in told] == [
        ("accettazione", "26/11/2026 10:15:32"), ("avvenuta-consegna", "26/11/2026 10:15:40"),
    ]  # fmt: skip
    assert await mails(desk) == []
    # A day later its files are still there.
    await rows(desk, "update storage.objects set created_at = now() - interval '2 days'")
    await retention.handler({"rules": ["documents"]}, desk.context())
    answer = await desk.http.get(f"/functions/v1/mail_proof?id={mail['id']}", headers=desk.headers)
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as proof:
        names = ["01-messaggio.eml", "02-accettazione.eml", "03-avvenuta-consegna.eml", "SHA256SUMS"]
        assert proof.namelist() == names
        assert mail["message_id"].encode() in proof.read(names[0])
        assert proof.read(names[1]) == receipt("accettazione", mail["message_id"], hour="10:15:32")
        digest = hashlib.sha256(proof.read(names[2])).hexdigest()
        assert f"{digest}  {names[2]}" in proof.read("SHA256SUMS").decode()
    other = await desk.http.get(f"/functions/v1/mail_proof?id={desk.user_id}", headers=desk.headers)
    assert other.status_code == 404


async def test_a_mail_that_was_not_delivered_fails_and_a_later_delivery_wins(desk: Desk, bad: imap.Server) -> None:
    async with smtp.serving(PASSWORD) as server:
        mail = await sent(desk, await reader(desk, bad.port, is_certified=True), server)
    bad.add(receipt("preavviso-errore-consegna", mail["message_id"], text="non ancora consegnato"))
    await fetch(desk)
    state = "select state::text, reply from public.outgoing_mails"
    assert (await rows(desk, state))[0]["state"] == "sent"
    bad.add(receipt("errore-consegna", mail["message_id"], text="5.1.1 - indirizzo inesistente", error="no-dest"))
    await fetch(desk)
    assert await rows(desk, state) == [{"state": "failed", "reply": "5.1.1 - indirizzo inesistente"}]
    assert await desk.value("select address from public.mail_suppressions") == channels.ADDRESS
    bad.add(receipt("avvenuta-consegna", mail["message_id"]))
    await fetch(desk)
    assert await rows(desk, state) == [{"state": "sent", "reply": None}]


async def test_no_delivery_in_a_day_is_a_failure_where_the_mailbox_was_read(desk: Desk, bad: imap.Server) -> None:
    async with smtp.serving(PASSWORD) as server:
        await sent(desk, await reader(desk, bad.port, is_certified=True), server)
    await rows(desk, "update public.outgoing_mails set sent_at = now() - interval '25 hours'")
    state = "select state::text, reply from public.outgoing_mails"
    await mail_outbox.handler({}, desk.context())
    assert (await rows(desk, state))[0]["state"] == "sent"
    await fetch(desk)
    await mail_outbox.handler({}, desk.context())
    assert await rows(desk, state) == [{"state": "failed", "reply": "superamento tempo massimo"}]


async def test_the_mail_in_an_envelope_is_shown_and_its_answer_finds_the_thread(desk: Desk, bad: imap.Server) -> None:
    contact_id = await reader(desk, bad.port, is_certified=True)
    content = envelope()
    bad.add(content)
    await fetch(desk)
    [mail] = await mails(desk)
    assert (mail["subject"], mail["sender"], mail["body"], mail["kind"]) == (
        "Diffida", channels.ADDRESS, "Egregio,", "persona",
    )  # fmt: skip
    assert (mail["contact_id"], mail["message_id"]) == (contact_id, test_pec.ID)
    told = await rows(
        desk,
        "select certificate ->> 'is_certified' as certified, certificate ->> 'at' as at from public.received_mails",
    )
    assert told == [{"certified": "true", "at": "2026-11-26T10:15:32+01:00"}]
    raw = await desk.context().storage_as_service.download("documents", mail["storage_path"])
    assert raw == content
    # The person answered the envelope in another program.
    reply = EmailMessage()
    for name, value in {
        "From": "io@studio.example", "To": channels.ADDRESS, "Subject": "Re: Diffida",
        "Message-ID": "<r@studio.example>", "In-Reply-To": ENVELOPE,
    }.items():  # fmt: skip
        reply[name] = value
    reply.set_content("Rispondo.")
    bad.add(wire(reply), "Sent")
    await fetch(desk)
    assert len({each["thread_id"] for each in await mails(desk)}) == 1


async def test_an_answer_to_the_envelope_of_our_mail_finds_its_thread(desk: Desk, bad: imap.Server) -> None:
    async with smtp.serving(PASSWORD) as server:
        mail = await sent(desk, await reader(desk, bad.port, is_certified=True), server)
    bad.add(receipt("accettazione", mail["message_id"]))
    bad.add(envelope(inside=f"In-Reply-To: {ENVELOPE}\n"))
    await fetch(desk)
    assert await desk.value("select count(*) from public.mail_thread_letters") == 1


async def test_an_anomaly_has_no_legal_value(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port, is_certified=True)
    bad.add(envelope("errore"))
    await fetch(desk)
    assert await desk.value("select (certificate ->> 'is_certified')::boolean from public.received_mails") is False


async def test_an_ordinary_mailbox_believes_no_receipt_and_no_envelope(desk: Desk, bad: imap.Server) -> None:
    async with smtp.serving(PASSWORD) as server:
        mail = await sent(desk, await reader(desk, bad.port), server)
    bad.add(receipt("avvenuta-consegna", mail["message_id"]))
    bad.add(envelope())
    await fetch(desk)
    assert await rows(desk, "select 1 from public.mail_reports") == []
    assert [each["certificate"] for each in await mails(desk)] == [None, None]


async def test_a_receipt_about_a_mail_sent_elsewhere_stays_readable_beside_it(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port, is_certified=True)
    bad.add(receipt("accettazione", "<altrove@studio.example>"))
    await fetch(desk)
    [mail] = await mails(desk)
    assert (mail["kind"], mail["reference_ids"]) == ("automatica", ["<altrove@studio.example>"])


def exchange(*notices: tuple[str, bytes], sender: str = "sdi01@pec.fatturapa.it") -> bytes:
    """Write an envelope around notices of the exchange system."""
    inside = EmailMessage()
    inside["From"], inside["Subject"], inside["Message-ID"] = sender, "Notifica di scarto", f"<{sender}.{len(notices)}>"
    inside.set_content("In allegato la notifica.")
    for name, content in notices:
        inside.add_attachment(content, maintype="application", subtype="xml", filename=name)
    outside = EmailMessage()
    outside["From"], outside["X-Trasporto"] = "posta-certificata@pec.example", "posta-certificata"
    outside["Subject"], outside["Message-ID"] = "POSTA CERTIFICATA: Notifica", f"<{sender}.{len(notices)}@pec.example>"
    outside.set_content("Busta")
    xml = test_pec.certificate("posta-certificata").replace("io@pec.example", sender)
    outside.add_attachment(xml.encode(), maintype="application", subtype="xml", filename="daticert.xml")
    outside.add_attachment(inside, filename="postacert.eml")
    return wire(outside)


NOTICE = ("IT01234567890_00001_NS_001.xml", test_sdi_notices.notice("NotificaScarto", test_sdi_notices.ERRORS))


async def issued(desk: Desk) -> UUID:
    """Keep an issued invoice; answers its document."""
    async with connected(desk.resources.settings.database_url) as connection:
        document_id = await documents.document(connection, desk.user_id, filename="IT01234567890_00001.xml.p7m")
        await documents.store_invoices(connection, document_id, {"direction": "attiva"})
    return document_id


async def test_a_notice_of_the_exchange_system_stands_at_the_invoice_that_it_names(
    desk: Desk, bad: imap.Server
) -> None:
    await reader(desk, bad.port, is_certified=True)
    document_id = await issued(desk)
    bad.add(exchange(NOTICE))
    await fetch(desk)
    told = await rows(
        desk, "select document_id, kind::text, is_refused, sentence, correct_by::text from public.sdi_notices"
    )
    assert told == [
        {
            "document_id": document_id, "kind": "NS", "is_refused": True, "sentence": test_sdi_notices.REJECTED,
            "correct_by": "2026-12-01",
        }
    ]  # fmt: skip
    [mail] = await mails(desk)
    assert mail["kind"] == "automatica"
    assert await desk.value("select is_done from public.mail_threads")


async def test_only_the_exchange_system_gives_notices_and_only_about_ones_own_files(
    desk: Desk, bad: imap.Server
) -> None:
    await reader(desk, bad.port, is_certified=True)
    await issued(desk)
    bad.add(exchange(NOTICE, sender="sdi01@pec.fatturapa.it.example"))
    bad.add(exchange((NOTICE[0], NOTICE[1].replace(b"_00001.xml", b"_00002.xml")), ("altro.xml", b"<x/>")))
    await fetch(desk)
    waiting = await rows(desk, "select file_name, document_id from public.sdi_notices")
    assert waiting == [{"file_name": "it01234567890_00002.xml", "document_id": None}]
    assert len(await mails(desk)) == 2
