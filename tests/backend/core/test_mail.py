"""core.mail: what was promised in a transaction is sent once, or its failure is on record."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from email import message_from_bytes
from email.policy import default as parsed

import asyncpg
import pytest

from backend.core import db, jobs, mail
from backend.core.config import LocalSmtp, Smtp
from backend.core.resources import Resources
from scripts import postgres
from tests.fakes import smtp

pytestmark = pytest.mark.anyio

MESSAGE = mail.Message(
    "giulia@example.com", "Conferma è", "<p>Ciao <b>è</b> 123456</p>", "Ciao è 123456", "confirmation"
)


@pytest.fixture
async def server() -> AsyncIterator[tuple[smtp.Server, int]]:
    async with smtp.serving() as running:
        yield running, running.port


def sending_to(resources: Resources, port: int) -> Resources:
    mailbox = LocalSmtp(smtp_port=port, admin_email="ciao@socio.example", sender_name="Socio")
    return replace(resources, settings=replace(resources.settings, local_smtp=mailbox))


async def put(resources: Resources, message: mail.Message = MESSAGE) -> dict[str, str]:
    async with db.transaction(resources.pool) as connection:
        return {"mail_id": str(await mail.enqueue(connection, message))}


async def row(resources: Resources) -> asyncpg.Record:
    async with db.connection(resources.pool) as connection:
        [only] = await connection.fetch("select * from jobs.mails")
        return only


async def test_a_mail_is_sent_once_with_both_bodies_and_a_stable_id(
    resources: Resources, server: tuple[smtp.Server, int]
) -> None:
    handler, port = server
    payload = await put(resources)
    message_id = (await row(resources))["message_id"]
    for _ in range(3):
        await mail.send(sending_to(resources, port), payload)
    [envelope] = handler.received
    assert isinstance(envelope.content, bytes)
    received = message_from_bytes(envelope.content, policy=parsed)
    assert envelope.rcpt_tos == ["giulia@example.com"]
    assert received["From"] == "Socio <ciao@socio.example>"
    assert (received["Subject"], received["Message-ID"]) == ("Conferma è", message_id)
    assert [part.get_content_type() for part in received.iter_parts()] == ["text/plain", "text/html"]
    body = received.get_body(("html",))
    assert body is not None
    assert "è" in body.get_content()


async def test_what_was_sent_is_wiped_from_the_outbox(resources: Resources, server: tuple[smtp.Server, int]) -> None:
    await mail.send(sending_to(resources, server[1]), await put(resources))
    sent = await row(resources)
    assert (sent["status"], sent["html"], sent["plain"], sent["error"]) == ("sent", None, None, None)


async def test_an_unreachable_server_and_a_4xx_leave_the_mail_for_another_try(
    resources: Resources, server: tuple[smtp.Server, int]
) -> None:
    handler, port = server
    payload = await put(resources)
    with pytest.raises(mail.TemporaryFailure):
        await mail.send(sending_to(resources, postgres.free_port()), payload)
    for place in ("recipient_answer", "answer"):
        setattr(handler, place, "451 4.3.0 try again later")
        with pytest.raises(mail.TemporaryFailure):
            await mail.send(sending_to(resources, port), payload)
        assert (await row(resources))["status"] == "queued"
        assert (await row(resources))["error"] == "refused with 451"
        setattr(handler, place, "250 OK")
    await mail.send(sending_to(resources, port), payload)
    assert (await row(resources))["status"] == "sent"


@pytest.mark.parametrize("place", ["recipient_answer", "answer"])
async def test_a_5xx_is_final(resources: Resources, server: tuple[smtp.Server, int], place: str) -> None:
    handler, port = server
    setattr(handler, place, "550 5.1.1 no such person")
    payload = await put(resources)
    with pytest.raises(jobs.PermanentError):
        await mail.send(sending_to(resources, port), payload)
    failed = await row(resources)
    assert (failed["status"], failed["error"], failed["html"]) == ("failed", "refused with 550", None)
    await mail.send(sending_to(resources, port), payload)


async def test_a_line_cut_after_the_content_is_never_answered_by_a_second_mail(
    resources: Resources, server: tuple[smtp.Server, int]
) -> None:
    handler, port = server
    handler.hang_up = True
    payload = await put(resources)
    with pytest.raises(jobs.PermanentError):
        await mail.send(sending_to(resources, port), payload)
    assert (await row(resources))["status"] == "failed"
    handler.hang_up = False
    await mail.send(sending_to(resources, port), payload)
    assert len(handler.received) == 1


async def test_a_server_that_looks_long_into_a_mail_gets_its_time(
    resources: Resources, server: tuple[smtp.Server, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    handler, port = server
    monkeypatch.setattr(mail, "COMMAND_TIMEOUT_S", 0.3)
    handler.thinks_s = 0.6
    await mail.send(sending_to(resources, port), await put(resources))
    assert (await row(resources))["status"] == "sent"


async def test_a_mail_whose_worker_died_while_sending_is_not_sent_again(
    resources: Resources, server: tuple[smtp.Server, int]
) -> None:
    payload = await put(resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update jobs.mails set status = 'sending'")
    with pytest.raises(jobs.PermanentError):
        await mail.send(sending_to(resources, server[1]), payload)
    assert server[0].received == []


@pytest.mark.parametrize("address", ["a@b.example\r\nBcc: x@y.example", "nobody"])
async def test_an_address_that_is_none_is_final(
    resources: Resources, server: tuple[smtp.Server, int], address: str
) -> None:
    payload = await put(resources, replace(MESSAGE, to=address))
    server[0].recipient_answer = "501 5.1.3 bad address"
    with pytest.raises(jobs.PermanentError):
        await mail.send(sending_to(resources, server[1]), payload)
    assert server[0].received == []


async def test_without_tls_nothing_crosses_a_network(resources: Resources, server: tuple[smtp.Server, int]) -> None:
    handler, port = server
    # This machine, by an address that does not look like it.
    smtp = Smtp(True, "127.1", port, admin_email="ciao@socio.example", sender_name="Socio")
    auth = resources.settings.auth
    elsewhere = replace(
        resources, settings=replace(resources.settings, auth=replace(auth, email=replace(auth.email, smtp=smtp)))
    )
    payload = await put(elsewhere)
    with pytest.raises(mail.TemporaryFailure):
        await mail.send(elsewhere, payload)
    assert handler.received == []
    assert (await row(elsewhere))["status"] == "queued"


async def test_a_rolled_back_transaction_sends_nothing(resources: Resources) -> None:
    async def rolled_back() -> None:
        async with db.transaction(resources.pool) as connection:
            await mail.enqueue(connection, MESSAGE)
            raise ValueError

    with pytest.raises(ValueError):
        await rolled_back()
    async with db.connection(resources.pool) as connection:
        assert await mail.queued(connection) == []
        assert await connection.fetchval("select count(*) from jobs.pgqueuer") == 0


async def test_the_outbox_keeps_its_order(resources: Resources) -> None:
    async with db.transaction(resources.pool) as connection:
        await mail.enqueue(connection, MESSAGE)
    await put(resources, replace(MESSAGE, subject="second"))
    async with db.connection(resources.pool) as connection:
        assert [each.subject for each in await mail.queued(connection)] == ["Conferma è", "second"]


async def test_neither_content_nor_address_reaches_the_log(
    resources: Resources, server: tuple[smtp.Server, int], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await mail.send(sending_to(resources, server[1]), await put(resources))
    logged = " ".join(str(vars(record)) for record in caplog.records if record.name.startswith("backend"))
    assert "mail sent" in logged
    assert "123456" not in logged
    assert "giulia" not in logged


def test_templates_escape_their_values_and_leave_unknown_names_empty() -> None:
    values = {"Name": "<script>alert('x')</script>", "Data": {"full_name": "A & B"}}
    assert mail.render("{{ .Name }}|{{.Data.full_name}}|{{- .Data.none -}}|{{ .None.deep }}", values) == (
        "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;|A &amp; B||"
    )


def test_a_value_is_never_read_as_a_template_itself() -> None:
    assert mail.render("{{ .A }}", {"A": "{{ .B }}", "B": "secret"}) == "{{ .B }}"


def test_a_subject_stays_on_one_line_and_unescaped() -> None:
    assert mail.render_subject("Ciao {{ .Name }}", {"Name": "A & B\r\nBcc: x@y"}) == "Ciao A & B Bcc: x@y"
