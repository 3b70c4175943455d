"""Reading a mailbox: a real Dovecot, and a server that behaves badly; nothing is lost, doubled, or marked as read."""

from __future__ import annotations

import asyncio
import imaplib
import json
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any
from uuid import UUID

import pytest

from backend.core import config, db
from backend.edge.api import Context
from functions._shared import smtp
from functions._shared.received_mail import mailbox
from functions.jobs import mail_fetch, mail_outbox, retention
from tests.databases import connected
from tests.db import channels, crm, documents
from tests.fakes import dovecot, imap
from tests.fakes import smtp as smtp_fake
from tests.functions.documents.conftest import Desk
from tests.functions.documents.conftest import desk as desk

pytestmark = pytest.mark.anyio
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
PASSWORD = dovecot.PASSWORD


def letter(subject: str = "Un saluto", body: str = "Buongiorno.", **headers: str) -> EmailMessage:
    """Write a mail of Anna."""
    mail = EmailMessage()
    wanted = {"From": f"Anna Neri <{channels.ADDRESS}>", "To": "io@studio.example", "Subject": subject}
    for name, value in {**wanted, **{key.replace("_", "-"): value for key, value in headers.items()}}.items():
        mail[name] = value
    mail.set_content(body)
    return mail


async def reader(desk: Desk, port: int, password: str = PASSWORD, **more: Any) -> UUID:
    """Connect the person of the desk to a mailbox at this port; answers a contact."""
    async with db.transaction(desk.resources.pool) as connection:
        sealed = desk.context().seal(smtp.PURPOSE, desk.user_id, password)
        await channels.connect(connection, desk.user_id, sealed=sealed, **more)
        contact_id = await channels.reachable(connection, desk.user_id)
        await channels.open_inbox(connection, desk.user_id, port)
    return contact_id


async def fetch(desk: Desk) -> None:
    """Run the job of the person."""
    context = Context("mail_fetch", {"role": "service_role"}, "", desk.resources, desk.resources.keys.secret_key)
    await mail_fetch.handler({"user_id": str(desk.user_id)}, context)


async def rows(desk: Desk, sql: str, *arguments: Any) -> list[dict[str, Any]]:
    async with db.connection(desk.resources.pool) as connection:
        return [dict(row) for row in await connection.fetch(sql, *arguments)]


async def mails(desk: Desk) -> list[dict[str, Any]]:
    return await rows(desk, "select * from public.received_mails order by message_uid")


async def threads(desk: Desk) -> list[dict[str, Any]]:
    return await rows(desk, "select is_done from public.mail_threads")


async def inbox(desk: Desk) -> dict[str, Any]:
    [row] = await rows(desk, "select *, last_error::text as error from public.mail_inboxes")
    return row


@pytest.fixture
async def bad() -> AsyncIterator[imap.Server]:
    async with imap.serving(PASSWORD) as running:
        yield running


@pytest.fixture
async def real() -> AsyncIterator[int]:
    """Run Dovecot; answers its port."""
    if dovecot.program() is None:
        pytest.skip("dovecot-imapd is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    serving = dovecot.serving(port)
    await asyncio.to_thread(serving.__enter__)
    yield port
    await asyncio.to_thread(serving.__exit__, None, None, None)


async def test_a_real_mailbox_is_read_once_and_stays_unread(desk: Desk, real: int) -> None:
    contact_id = await reader(desk, real)
    mail = letter("Ordine", "Confermo.", Message_ID="<1@example.it>")
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="ordine.pdf")
    for content in (mail, letter("Altro", Message_ID="<2@example.it>")):
        await asyncio.to_thread(dovecot.deliver, real, "io", content.as_bytes())
    sent = letter("R: Ordine", "Grazie!", From="io@studio.example", To=channels.ADDRESS, In_Reply_To="<1@example.it>")
    await asyncio.to_thread(dovecot.deliver, real, "io", sent.as_bytes(), "Posta inviata")
    for _ in range(2):
        await fetch(desk)
    found = {each["subject"]: each for each in await mails(desk)}
    assert sorted(found) == ["Altro", "Ordine", "R: Ordine"]
    assert {each["contact_id"] for each in found.values()} == {contact_id}
    assert (found["Ordine"]["body"], found["R: Ordine"]["folder"]) == ("Confermo.", "inviati")
    assert found["Ordine"]["thread_id"] == found["R: Ordine"]["thread_id"] != found["Altro"]["thread_id"]
    threads = {each["id"]: each["is_done"] for each in await rows(desk, "select id, is_done from public.mail_threads")}
    assert threads == {found["Ordine"]["thread_id"]: True, found["Altro"]["thread_id"]: False}
    history = await rows(desk, "select direction::text, summary from public.interactions order by at, summary")
    assert sorted(each["direction"] for each in history) == ["entrata", "entrata", "uscita"]
    state = await inbox(desk)
    assert (state["error"], state["completed_at"] is not None, state["fetched"]) == (None, True, 3)
    # The attachment is a document, the raw mail a file of its person.
    [document] = await rows(desk, "select filename, mime from public.documents")
    assert document == {"filename": "ordine.pdf", "mime": "application/pdf"}
    raw = await desk.context().storage_as_service.download("documents", found["Ordine"]["storage_path"])
    assert b"Confermo." in raw

    def unread() -> bytes:
        with imaplib.IMAP4("127.0.0.1", real) as client:
            client.login("io", PASSWORD)
            client.select(readonly=True)
            listed: bytes = client.search(None, "UNSEEN")[1][0]
            return listed

    assert await asyncio.to_thread(unread) == b"1 2"


async def test_a_mail_answered_in_another_program_waits_no_more(desk: Desk, real: int) -> None:
    """With a real server: the phone answers from a mailbox that keeps no copy."""
    await reader(desk, real)
    for number in (1, 2):
        await asyncio.to_thread(dovecot.deliver, real, "io", letter(Message_ID=f"<{number}@example.it>").as_bytes())
    await fetch(desk)
    assert [each["is_done"] for each in await threads(desk)] == [False, False]

    def answer() -> None:
        with imaplib.IMAP4("127.0.0.1", real) as client:
            client.login("io", PASSWORD)
            client.select()
            client.store("2", "+FLAGS", "\\Answered")

    await asyncio.to_thread(answer)
    await fetch(desk)
    assert [(each["message_id"], each["is_answered"]) for each in await mails(desk)] == [
        ("<1@example.it>", False), ("<2@example.it>", True),
    ]  # fmt: skip
    assert sorted(each["is_done"] for each in await threads(desk)) == [False, True]


def imap_date(hours_ago: int) -> str:
    return f"{datetime.now(UTC) - timedelta(hours=hours_ago):%d-%b-%Y %H:%M:%S +0000}"


@pytest.mark.parametrize("counts_changes", [True, False])
async def test_marks_are_asked_for_once_each(desk: Desk, bad: imap.Server, counts_changes: bool) -> None:
    bad.counts_changes = counts_changes
    bad.internal_date = imap_date(hours_ago=2)
    await reader(desk, bad.port)
    uid = bad.add(letter(Message_ID="<1@example.it>").as_bytes().replace(b"\n", b"\r\n"))
    await fetch(desk)
    assert [each["is_done"] for each in await threads(desk)] == [False]
    bad.answered[uid] = 7
    await fetch(desk)
    assert [each["is_done"] for each in await threads(desk)] == [True]
    # Its person wants to write once more.
    await rows(desk, "update public.mail_threads set is_done = false")
    bad.commands.clear()
    await fetch(desk)
    asked = [each for each in bad.commands if "ANSWERED" in each]
    assert len(asked) == (0 if counts_changes else 1)
    assert [each["is_done"] for each in await threads(desk)] == [False]
    # What came after the marked one waits.
    bad.internal_date = imap_date(hours_ago=1)
    follow_up = letter("R: Un saluto", Message_ID="<2@example.it>", In_Reply_To="<1@example.it>")
    bad.add(follow_up.as_bytes().replace(b"\n", b"\r\n"))
    bad.answered[uid] = 8
    await rows(desk, "update public.received_mails set is_answered = false")
    bad.commands.clear()
    await fetch(desk)
    assert ["MODSEQ 8" in each for each in bad.commands if "ANSWERED" in each] == [counts_changes]
    assert [each["is_done"] for each in await threads(desk)] == [False]
    # Other UIDs: the marks are read anew.
    bad.uidvalidity = 2
    bad.commands.clear()
    await fetch(desk)
    assert [each for each in bad.commands if "ANSWERED" in each and "MODSEQ" in each] == []


async def test_the_raw_mail_is_no_document_and_goes_with_its_row(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    bad.add(letter(Message_ID="<1@example.it>").as_bytes().replace(b"\n", b"\r\n"))
    await fetch(desk)
    await rows(desk, "update storage.objects set created_at = now() - interval '2 days'")
    await desk.run("document_sweep")
    await retention.handler({"rules": ["documents"]}, desk.context())
    assert await rows(desk, "select 1 from public.documents") == []
    assert len(await rows(desk, "select 1 from storage.objects")) == 1
    await rows(desk, "delete from public.mail_accounts")
    await retention.handler({"rules": ["documents"]}, desk.context())
    assert await rows(desk, "select 1 from storage.objects") == []
    # What happened with the contact stays.
    assert len(await rows(desk, "select 1 from public.interactions")) == 1


async def test_other_uids_are_the_same_mails(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    for number in (1, 2):
        bad.add(letter(Message_ID=f"<{number}@example.it>").as_bytes().replace(b"\n", b"\r\n"))
    await fetch(desk)
    bad.uidvalidity = 7
    bad.folders["INBOX"] = {uid + 10: content for uid, content in bad.folders["INBOX"].items()}
    await fetch(desk)
    assert [(each["uidvalidity"], each["message_uid"]) for each in await mails(desk)] == [(7, 11), (7, 12)]
    assert len(await rows(desk, "select 1 from public.interactions")) == 2
    bad.add(letter(Message_ID="<3@example.it>").as_bytes())
    await fetch(desk)
    assert [each["message_uid"] for each in await mails(desk)] == [11, 12, 13]


async def test_the_last_message_is_not_read_again(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    bad.add(letter().as_bytes())
    for _ in range(2):
        await fetch(desk)
    assert sum("BODY.PEEK[]" in command for command in bad.commands) == 1


@pytest.mark.parametrize("command", ["LOGIN", "LIST", "EXAMINE", "UID SEARCH", "UID FETCH"])
async def test_a_server_that_says_bye_is_read_later(desk: Desk, bad: imap.Server, command: str) -> None:
    await reader(desk, bad.port)
    bad.add(letter().as_bytes())
    bad.bye_at = command
    await fetch(desk)
    assert (await inbox(desk))["error"] == "unreachable"
    assert await mails(desk) == []
    bad.bye_at = None
    await fetch(desk)
    assert ((await inbox(desk))["error"], len(await mails(desk))) == (None, 1)


async def test_a_server_that_says_nothing_is_given_up(
    desk: Desk, bad: imap.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "ANSWER_TIMEOUT_S", 0.2)
    await reader(desk, bad.port)
    bad.add(letter().as_bytes())
    bad.silent_at = "UID FETCH"
    await fetch(desk)
    assert (await inbox(desk))["error"] == "unreachable"


async def test_a_message_cut_in_the_middle_is_read_again(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    bad.add(letter().as_bytes())
    bad.cut_after = 40
    await fetch(desk)
    assert ((await inbox(desk))["error"], await mails(desk)) == ("unreachable", [])
    bad.cut_after = None
    await fetch(desk)
    assert len(await mails(desk)) == 1


async def test_of_a_huge_message_only_the_headers_come(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    uid = bad.add(letter("Video", Message_ID="<1@example.it>").as_bytes().replace(b"\n", b"\r\n"))
    bad.told_size[uid] = 300_000_000
    await fetch(desk)
    [mail] = await mails(desk)
    assert (mail["subject"], mail["body"], mail["is_whole"], mail["bytes"]) == ("Video", "", False, 300_000_000)
    assert not any("BODY.PEEK[]" in command for command in bad.commands)


async def test_a_wrong_password_is_told_and_not_tried_every_five_minutes(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port, "sbagliata")
    assert await desk.value("select count(*) from private.mail_readers()") == 1
    await fetch(desk)
    assert (await inbox(desk))["error"] == "auth"
    assert await desk.value("select count(*) from private.mail_readers()") == 0


async def test_a_mailbox_is_read_by_one_worker_at_a_time(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    bad.add(letter().as_bytes())
    await asyncio.gather(*(fetch(desk) for _ in range(5)))
    assert (len(await mails(desk)), sum(each.startswith("LOGIN") for each in bad.commands)) == (1, 1)
    assert await rows(desk, "select 1 from private.leases") == []


async def test_the_sweep_wakes_one_job_for_each_mailbox(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    for _ in range(2):
        await mail_fetch.handler({}, desk.context())
    assert await desk.value("select count(*) from jobs.pgqueuer where entrypoint = 'mail_fetch'") == 1


async def test_an_uncertain_mail_that_lies_in_sent_is_sent(desk: Desk, bad: imap.Server) -> None:
    contact_id = await reader(desk, bad.port)
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        mail = await channels.queue(connection, contact_id)
    await rows(desk, "update public.outgoing_mails set state = 'uncertain', error = 'interrupted'")
    copy = letter(
        "Promemoria di pagamento", From="io@studio.example", To=channels.ADDRESS, Message_ID=mail["message_id"]
    )
    bad.add(copy.as_bytes(), "Sent")
    for _ in range(2):
        await fetch(desk)
    [state] = await rows(desk, "select state::text, error from public.outgoing_mails")
    assert state == {"state": "sent", "error": None}
    assert (len(await rows(desk, "select 1 from public.interactions")), await mails(desk)) == (1, [])


async def test_whoever_copies_our_message_id_hides_nothing(desk: Desk, bad: imap.Server) -> None:
    contact_id = await reader(desk, bad.port)
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        mail = await channels.queue(connection, contact_id)
    bad.add(letter("Ladro", Message_ID=mail["message_id"]).as_bytes())
    bad.add(letter("Ladro due", Message_ID=mail["message_id"]).as_bytes())
    await fetch(desk)
    assert [each["subject"] for each in await mails(desk)] == ["Ladro", "Ladro due"]


def bounce(message_id: str, action: str = "failed", status: str = "5.1.1", *, kind: str = "delivery-status") -> bytes:
    """Write what a server says of a mail (RFC 3464), or a complaint about it (RFC 5965)."""
    told = (
        "Feedback-Type: abuse\nVersion: 1"
        if kind == "feedback-report"
        else f"Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; {channels.ADDRESS}\nAction: {action}\n"
        f"Status: {status}\nDiagnostic-Code: smtp; 550 {status} no such user"
    )
    text = (
        "Return-Path: <>\nFrom: Mail Delivery System <MAILER-DAEMON@mx.example>\nTo: io@studio.example\n"
        f"Subject: Undelivered\nMessage-ID: <{action}{status}@mx.example>\nMIME-Version: 1.0\n"
        f'Content-Type: multipart/report; report-type={kind}; boundary="b"\n\n--b\nContent-Type: text/plain\n\nNo.\n\n'
        f"--b\nContent-Type: message/{kind}\n\n{told}\n\n--b\nContent-Type: text/rfc822-headers\n\n"
        f"Message-ID: {message_id}\n\n--b--\n"
    )
    return text.replace("\n", "\r\n").encode()


async def sent(desk: Desk, contact_id: UUID) -> str:
    """Send a mail to the contact; answers its Message-ID."""
    async with db.as_claims(desk.resources.pool, {"role": "authenticated", "sub": str(desk.user_id)}) as connection:
        mail = await channels.queue(connection, contact_id)
    await rows(desk, "update public.outgoing_mails set state = 'sent', sent_at = now() where id = $1", mail["id"])
    return str(mail["message_id"])


async def test_a_mail_that_comes_back_is_told_at_the_mail_and_is_no_conversation(desk: Desk, real: int) -> None:
    contact_id = await reader(desk, real)
    message_id = await sent(desk, contact_id)
    await asyncio.to_thread(dovecot.deliver, real, "io", bounce(message_id, "delayed", "4.4.1"))
    await fetch(desk)
    state = "select state::text, error::text, reply from public.outgoing_mails"
    assert await rows(desk, state) == [{"state": "sent", "error": None, "reply": None}]
    await asyncio.to_thread(dovecot.deliver, real, "io", bounce(message_id))
    await fetch(desk)
    assert await rows(desk, state) == [{"state": "failed", "error": "bounced", "reply": "5.1.1 550 5.1.1 no such user"}]
    kinds = await rows(desk, "select kind::text from public.mail_reports order by created_at")
    assert [each["kind"] for each in kinds] == ["ritardo", "rimbalzo"]
    suppressed = await rows(desk, "select address, reason::text from public.mail_suppressions")
    assert suppressed == [{"address": channels.ADDRESS, "reason": "rimbalzo"}]
    [notice] = await rows(desk, "select kind, action_url from public.notifications where kind = 'email_respinta'")
    assert notice["action_url"] == f"/crm/{contact_id}"
    assert await mails(desk) == await rows(desk, "select * from public.mail_threads") == []
    assert await desk.value("select count(*) from public.contacts") == 1


async def test_a_report_that_is_read_again_does_not_undo_a_second_try(desk: Desk, bad: imap.Server) -> None:
    message_id = await sent(desk, await reader(desk, bad.port))
    bad.add(bounce(message_id, status="5.2.2"))
    await fetch(desk)
    assert await desk.value("select state::text from public.outgoing_mails") == "failed"
    await rows(desk, "update public.outgoing_mails set state = 'sent', sent_at = now(), error = null")
    bad.uidvalidity = 7
    await fetch(desk)
    assert await desk.value("select state::text from public.outgoing_mails") == "sent"
    # Full, not gone.
    assert await rows(desk, "select 1 from public.mail_suppressions") == []


async def test_a_complaint_ends_the_mails_to_its_address(desk: Desk, bad: imap.Server) -> None:
    message_id = await sent(desk, await reader(desk, bad.port))
    bad.add(bounce(message_id, kind="feedback-report"))
    await fetch(desk)
    assert await desk.value("select reason::text from public.mail_suppressions") == "reclamo"
    assert await mails(desk) == []


async def test_the_report_about_a_mail_that_socio_did_not_send_stays_readable(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    bad.add(bounce("<altrove@studio.example>"))
    await fetch(desk)
    [mail] = await mails(desk)
    assert (mail["kind"], mail["contact_id"]) == ("rimbalzo", None)
    assert await desk.value("select is_done from public.mail_threads")


async def test_the_answer_to_a_reminder_stands_at_its_invoice_and_is_answered(desk: Desk, bad: imap.Server) -> None:
    async with smtp_fake.serving(PASSWORD) as server:
        contact_id = await reader(desk, bad.port)
        await rows(desk, "update public.mail_accounts set port = $1", server.port)
        async with connected(desk.resources.settings.database_url) as connection:
            document_id = await documents.document(connection, desk.user_id)
            [invoice_id] = await documents.store_invoices(connection, document_id, {"direction": "attiva"})
        owner = {"role": "authenticated", "sub": str(desk.user_id)}
        async with db.as_claims(desk.resources.pool, owner) as connection:
            reminder = await channels.queue(connection, contact_id, invoice_id=invoice_id)
        answer = letter(
            "R: Promemoria", "Pago domani.", Message_ID="<r@example.it>", In_Reply_To=reminder["message_id"]
        )
        bad.add(answer.as_bytes())
        await fetch(desk)
        [thread] = await rows(desk, "select * from public.mail_threads")
        assert (thread["contact_id"], thread["invoice_id"], thread["is_done"]) == (contact_id, invoice_id, False)
        async with db.as_claims(desk.resources.pool, owner) as connection:
            await connection.execute(
                "select public.answer_mail(gen_random_uuid(), $1, $2, $3, 'Re: Promemoria', 'Grazie!')",
                thread["id"], contact_id, channels.ADDRESS,
            )  # fmt: skip
        assert await desk.value("select is_done from public.mail_threads")
        await rows(desk, "update public.outgoing_mails set state = 'cancelled' where id = $1", reminder["id"])
        await rows(desk, "update public.outgoing_mails set not_before = now() where state = 'queued'")
        await mail_outbox.handler({"user_id": str(desk.user_id)}, desk.context())
        [sent] = server.letters()
        assert sent["In-Reply-To"] == "<r@example.it>"
        assert sent["References"].split() == [reminder["message_id"], "<r@example.it>"]


async def test_a_stranger_becomes_a_contact_with_a_history(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    mail = letter("Preventivo?", From="Ugo Rossi <Ugo@rossi.it>")
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="a.pdf")
    bad.add(mail.as_bytes())
    bad.add(letter("Novità", From="Ugo Rossi <Ugo@rossi.it>", List_Id="<n.rossi.it>").as_bytes())
    await fetch(desk)
    assert [(each["contact_id"], each["kind"]) for each in await mails(desk)] == [(None, "persona"), (None, "lista")]
    # Nobody knows whose attachment it is.
    assert await rows(desk, "select 1 from public.documents") == []
    async with db.connection(desk.resources.pool) as connection:
        contact_id = await crm.contact(connection, desk.user_id)
        await connection.execute(
            "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, 'ugo@Rossi.it')",
            desk.user_id, contact_id,
        )  # fmt: skip
    assert {each["contact_id"] for each in await mails(desk)} == {contact_id}
    [history] = await rows(desk, "select contact_id, summary from public.interactions")
    assert (history["contact_id"], history["summary"].splitlines()[0]) == (contact_id, "Preventivo?")


IBAN, OTHER_IBAN = "IT60X0542811101000000123456", "IT40S0542811101000000123456"
OWN_IBAN, BUSINESS_IBAN = "IT07X0542811101000000654321", "DE89370400440532013000"


async def test_another_account_number_warns_and_its_attachment_stays_in_the_mail(desk: Desk, bad: imap.Server) -> None:
    contact_id = await reader(desk, bad.port)
    async with connected(desk.resources.settings.database_url) as connection:
        document_id = await documents.document(connection, desk.user_id, contact_id=contact_id)
        schedule = {"due_on": "2026-03-31", "amount_cents": 122_000, "iban": IBAN}
        await documents.store_invoices(connection, document_id, {"schedules": [schedule]})
        issued = await documents.document(connection, desk.user_id)
        mine = {"direction": "attiva", "schedules": [schedule | {"iban": OWN_IBAN}]}
        await documents.store_invoices(connection, issued, mine)
        await connection.execute("update public.profiles set iban = $1", BUSINESS_IBAN)
    mail = letter("Cambio banca", f"Il nuovo IBAN è {OTHER_IBAN}")
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="a.pdf")
    bad.add(mail.as_bytes())
    bad.add(letter("Ciao", From="anna@examp1e.it").as_bytes())
    bad.add(letter("Pagata", f"Come sempre sul vostro conto {OWN_IBAN}").as_bytes())
    bad.add(letter("Pagata", f"Ho pagato sul vostro conto {BUSINESS_IBAN}").as_bytes())
    await fetch(desk)
    told = [each["warnings"] for each in await mails(desk)]
    assert told == [
        [{"kind": "iban", "value": OTHER_IBAN, "known": IBAN}],
        [{"kind": "domain", "value": "examp1e.it", "known": "example.it"}],
        [],
        [],
    ]
    assert len(await rows(desk, "select 1 from public.documents")) == 2
    kept = await rows(desk, "select iban from public.invoice_schedules order by iban")
    assert [each["iban"] for each in kept] == [OWN_IBAN, IBAN]


CORPUS = json.loads((config.ROOT / "tests/functions/assistant/safety/injections.json").read_text("utf-8"))
# All that something could have been done to.
UNTOUCHED = [
    "contacts",
    "contact_emails",
    "tasks",
    "deals",
    "drafts",
    "outgoing_mails",
    "invoices",
    "memories",
    "tool_calls",
    "projects",
    "notes",
    "consents",
    "mail_suppressions",
    "mail_accounts",
]


async def state(desk: Desk) -> list[str]:
    """Return all rows that a mail must not change; that a contact was heard of is no harm."""
    row = "to_jsonb(t) - array['last_interaction_at', 'next_touch_at', 'updated_at']"
    return [
        await desk.value(f"select coalesce(jsonb_agg({row} order by {row}), '[]')::text from public.{table} as t")
        for table in UNTOUCHED
    ]


async def test_what_mails_say_does_nothing(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    for number, injection in enumerate(CORPUS):
        text = injection["text"]
        line = " ".join(text.split())[:900]
        mail = letter("Un saluto", text, Message_ID=f"<{number}@example.it>")
        mail.replace_header("Subject", line.encode("utf-8", "replace").decode())
        mail["X-Note"] = mail["Subject"]
        mail.add_attachment(PDF, maintype="application", subtype="pdf", filename=f"{line[:150]}.pdf")
        bad.add(mail.as_bytes())
    before = await state(desk)
    await fetch(desk)
    assert len(await mails(desk)) == len(CORPUS)
    assert await state(desk) == before
    assert await desk.value("select count(*) from jobs.pgqueuer where entrypoint not in ('document_open')") == 0


async def test_a_person_has_the_mailbox_read_now_and_not_again_at_once(desk: Desk, bad: imap.Server) -> None:
    async def ask() -> int:
        answer = await desk.http.post("/functions/v1/fetch_mail", json={}, headers=desk.headers)
        return answer.status_code

    assert await ask() == 404
    await reader(desk, bad.port)
    assert [await ask() for _ in range(2)] == [200, 429]
    assert await desk.value("select count(*) from jobs.pgqueuer where entrypoint = 'mail_fetch'") == 1


async def test_a_mail_is_shown_to_its_owner_without_what_is_elsewhere(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    mail = letter("Formattata")
    mail.set_content('<p>Ciao</p><img src="https://traccia.example/1"><script>rubami()</script>', subtype="html")
    bad.add(mail.as_bytes())
    await fetch(desk)
    [kept] = await mails(desk)
    for mail_id, status in ((kept["id"], 200), ("00000000-0000-4000-8000-000000000001", 404), ("x", 404)):
        asked = {"id": str(mail_id)}
        answer = await desk.http.post("/functions/v1/received_mail", json=asked, headers=desk.headers)
        assert answer.status_code == status
        if status == 200:
            assert answer.json()["has_hidden_pictures"]
            assert "<p>Ciao</p>" in answer.json()["html"]
            assert "rubami" not in answer.json()["html"]
