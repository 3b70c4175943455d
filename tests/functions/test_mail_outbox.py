"""The outbox of a person: sent once through their own server, whatever the server answers and whoever dies."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from cryptography.exceptions import InvalidTag

from backend.core import config, db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared import mail_attachments, unsubscribing
from functions._shared import smtp as mail_server
from functions.jobs import mail_outbox
from tests.backend.test_commands import environment
from tests.databases import connected
from tests.db import accounts, channels, documents
from tests.fakes import smtp

pytestmark = pytest.mark.anyio
PATIENCE_S = 30
INVOICE = config.ROOT / "tests" / "vectors" / "fattura_content.json"
PASSWORD = "una password per le app"


@pytest.fixture
async def server() -> AsyncIterator[smtp.Server]:
    async with smtp.serving(PASSWORD) as running:
        yield running


def context(resources: Resources) -> Context:
    return Context("mail_outbox", {}, "", resources)


async def run(resources: Resources, sql: str, *arguments: Any) -> list[Any]:
    async with db.connection(resources.pool) as connection:
        return await connection.fetch(sql, *arguments)


async def writer(resources: Resources, port: int, password: str = PASSWORD, **mail: Any) -> UUID:
    """Make a person whose account is at this port and who has queued a mail that is due."""
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
        sealed = context(resources).seal(mail_server.PURPOSE, user_id, password)
        await channels.connect(connection, user_id, port=port, sealed=sealed)
        contact_id = await channels.reachable(connection, user_id)
    await queue(resources, user_id, contact_id, **mail)
    return user_id


async def queue(resources: Resources, user_id: UUID, contact_id: UUID, **mail: Any) -> None:
    async with db.as_claims(resources.pool, {"role": "authenticated", "sub": str(user_id)}) as connection:
        await channels.queue(connection, contact_id, **mail)
    await due(resources)


async def due(resources: Resources) -> None:
    await run(resources, "update public.outgoing_mails set not_before = now() where state = 'queued'")


async def send(resources: Resources, user_id: UUID) -> dict[str, Any]:
    """Run the sweep and the person's job; answers the mail."""
    await mail_outbox.handler({}, context(resources))
    await mail_outbox.handler({"user_id": str(user_id)}, context(resources))
    return await mail_of(resources)


async def mail_of(resources: Resources) -> dict[str, Any]:
    [row] = await run(resources, "select *, not_before - now() as wait from public.outgoing_mails")
    return dict(row)


async def account_error(resources: Resources) -> str | None:
    [row] = await run(resources, "select last_error::text from public.mail_accounts")
    error: str | None = row["last_error"]
    return error


async def test_a_mail_leaves_once_as_its_person_wrote_it(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port, subject="Perché è tardi", body="Gentile Anna,\n\nè tardi.")
    for _ in range(3):
        mail = await send(resources, user_id)
    [letter] = server.letters()
    assert (mail["state"], mail["attempts"]) == ("sent", 1)
    assert (letter["From"], letter["To"]) == ("Studio Io <io@studio.example>", channels.ADDRESS)
    assert (letter["Subject"], letter["Message-ID"]) == ("Perché è tardi", mail["message_id"])
    assert smtp.text_of(letter).splitlines() == ["Gentile Anna,", "", "è tardi."]
    html = letter.get_body(("html",))
    assert html is not None
    assert "<p>Gentile Anna,</p>\r\n<p>è tardi.</p>" in html.get_content()
    [history] = await run(resources, "select kind::text, direction::text, summary from public.interactions")
    assert tuple(history) == ("email", "uscita", "Perché è tardi\n\nGentile Anna,\n\nè tardi.")
    assert await account_error(resources) is None


async def test_a_mail_of_the_assistant_carries_the_mark_and_one_rewritten_by_its_person_does_not(
    resources: Resources, server: smtp.Server
) -> None:
    user_id = await writer(resources, server.port, body="Gentile Anna, l’ho scritta io.")
    [mail] = await run(resources, "select contact_id from public.outgoing_mails")
    # The trigger marks only what the assistant proposed.
    await run(
        resources,
        "insert into public.drafts (user_id, contact_id, channel, body)"
        " values ($1, $2, 'email', 'Gentile Anna, a presto.')",
        user_id,
        mail["contact_id"],
    )
    await run(resources, """update public.drafts set ai = '{"mode": "ia", "provider": "Mistral"}'""")
    await queue(resources, user_id, mail["contact_id"], body="Gentile Anna, a presto.")
    await mail_outbox.handler({"user_id": str(user_id)}, context(resources))
    marks = {smtp.text_of(letter).strip()[-8:]: letter["X-Socio-AI"] for letter in server.letters()}
    assert marks == {"itta io.": None, "a presto."[-8:]: "draft; provider=Mistral; reviewed=yes"}


async def test_a_promotion_says_how_to_unsubscribe_to_people_and_to_mail_programs(
    resources: Resources, server: smtp.Server
) -> None:
    user_id = await writer(resources, server.port)
    await send(resources, user_id)
    await run(
        resources,
        "insert into public.consents (user_id, contact_id, channel, purpose, state)"
        " select user_id, contact_id, 'email', 'marketing', 'dato' from public.outgoing_mails",
    )
    [row] = await run(resources, "select contact_id from public.outgoing_mails")
    await queue(resources, user_id, row["contact_id"], basis="consenso", body="Una novità")
    await mail_outbox.handler({"user_id": str(user_id)}, context(resources))
    plain, promotion = server.letters()
    assert plain["List-Unsubscribe"] is None
    assert promotion["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    one_click = urlsplit(str(promotion["List-Unsubscribe"]).removeprefix("<").removesuffix(">"))
    page = urlsplit(smtp.text_of(promotion).split("Disiscriviti qui: ")[1].strip())
    assert (one_click.path, page.path) == ("/functions/v1/mail_unsubscribe", "/disiscrizione")
    asked = {name: values[0] for name, values in parse_qs(page.query).items()}
    assert unsubscribing.asked(context(resources), asked["da"], asked["chiave"]) == (user_id, channels.ADDRESS)
    assert parse_qs(one_click.query)["da"] == [str(user_id)]
    html = promotion.get_body(("html",))
    assert html is not None
    assert f'<a href="{escape(page.geturl())}" style="color:#6B675E">Disiscriviti qui</a>' in html.get_content()
    # Each of its lines is one that mail servers take.
    [content] = [each.content for each in server.received[1:]]
    assert isinstance(content, bytes)
    assert max(len(line) for line in content.split(b"\r\n")) <= 998


async def test_mails_of_one_run_share_a_connection_until_the_server_closes_it(
    resources: Resources, server: smtp.Server
) -> None:
    user_id = await writer(resources, server.port)
    [row] = await run(resources, "select contact_id from public.outgoing_mails")
    for _ in range(4):
        await queue(resources, user_id, row["contact_id"])
    await mail_outbox.handler({"user_id": str(user_id)}, context(resources))
    assert (len(server.received), server.connections) == (5, 1)
    server.most_mails = 2
    for _ in range(4):
        await queue(resources, user_id, row["contact_id"])
    await mail_outbox.handler({"user_id": str(user_id)}, context(resources))
    rows = await run(resources, "select state::text, attempts, count(*) from public.outgoing_mails group by 1, 2")
    assert [tuple(each) for each in rows] == [("sent", 1, 9)]
    assert len(server.received) == 9
    assert server.connections > 2


async def test_the_sweep_enqueues_one_job_for_each_person(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port)
    for _ in range(2):
        await mail_outbox.handler({}, context(resources))
    [job] = await run(resources, "select payload from jobs.pgqueuer where entrypoint = 'mail_outbox'")
    assert str(user_id) in job["payload"].decode()


async def test_a_mail_that_is_not_due_or_cancelled_stays(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port)
    await run(resources, "update public.outgoing_mails set not_before = now() + interval '5 seconds'")
    assert (await send(resources, user_id))["state"] == "queued"
    await run(resources, "update public.outgoing_mails set state = 'cancelled', not_before = now()")
    assert (await send(resources, user_id))["state"] == "cancelled"
    assert server.announced == []


@pytest.mark.parametrize("place", ["recipient_answer", "answer"])
async def test_a_4xx_is_tried_again_later(resources: Resources, server: smtp.Server, place: str) -> None:
    user_id = await writer(resources, server.port)
    setattr(server, place, "451 4.7.1 greylisted, come back")
    mail = await send(resources, user_id)
    assert (mail["state"], mail["error"], mail["reply"]) == ("queued", "busy", "451 4.7.1 greylisted, come back")
    assert 50 < mail["wait"].total_seconds() <= 60
    setattr(server, place, "250 OK")
    await due(resources)
    assert (await send(resources, user_id))["state"] == "sent"


@pytest.mark.parametrize(("place", "error"), [("recipient_answer", "bad_address"), ("answer", "refused")])
async def test_a_5xx_is_final_and_its_owner_may_send_again(
    resources: Resources, server: smtp.Server, place: str, error: str
) -> None:
    user_id = await writer(resources, server.port)
    setattr(server, place, "550 5.1.1 no such person")
    mail = await send(resources, user_id)
    assert (mail["state"], mail["error"], mail["reply"]) == ("failed", error, "550 5.1.1 no such person")
    setattr(server, place, "250 OK")
    async with db.as_claims(resources.pool, {"role": "authenticated", "sub": str(user_id)}) as connection:
        await connection.execute("select public.decide_mail($1, false)", mail["id"])
    await due(resources)
    assert (await send(resources, user_id))["state"] == "sent"


async def test_a_wrong_password_fails_and_the_account_says_so(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port, "sbagliata")
    mail = await send(resources, user_id)
    assert (mail["state"], mail["error"], await account_error(resources)) == ("failed", "auth", "auth")
    assert server.received == []


async def test_a_server_that_is_away_is_asked_again_until_the_mail_expires(resources: Resources) -> None:
    user_id = await writer(resources, 1)
    mail = await send(resources, user_id)
    assert (mail["state"], mail["error"], await account_error(resources)) == ("queued", "unreachable", "unreachable")
    await run(
        resources, "update public.outgoing_mails set expires_at = now() - interval '1 second', not_before = now()"
    )
    await mail_outbox.handler({"user_id": str(user_id)}, context(resources))
    mail = await mail_of(resources)
    assert (mail["state"], mail["error"]) == ("failed", "expired")


async def test_a_line_cut_after_the_content_makes_a_mail_uncertain(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port)
    server.hang_up = True
    for _ in range(2):
        mail = await send(resources, user_id)
        assert (mail["state"], mail["error"]) == ("uncertain", "interrupted")
        server.hang_up = False
        await due(resources)
    assert len(server.received) == 1


async def test_a_server_that_never_answers_to_the_content_makes_it_uncertain(
    resources: Resources, server: smtp.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_server, "CONTENT_TIMEOUT_S", 0.2)
    server.thinks_s = 2
    user_id = await writer(resources, server.port)
    assert (await send(resources, user_id))["state"] == "uncertain"


async def test_what_is_cancelled_in_time_does_not_leave(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port)
    server.at_recipient = asyncio.Event()
    sending = asyncio.create_task(send(resources, user_id))
    async with asyncio.timeout(PATIENCE_S):
        while not server.announced:  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.01)
    async with db.as_claims(resources.pool, {"role": "authenticated", "sub": str(user_id)}) as connection:
        await connection.execute("select public.cancel_mail(id) from public.outgoing_mails")
    server.at_recipient.set()
    assert ((await sending)["state"], server.received) == ("cancelled", [])


async def test_a_job_that_is_stopped_leaves_the_mail_that_it_had_claimed_to_the_next(
    resources: Resources, server: smtp.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail_server, "GOODBYE_TIMEOUT_S", 0.1)
    user_id = await writer(resources, server.port)
    await queue(resources, user_id, (await mail_of(resources))["contact_id"])
    server.thinks_s = PATIENCE_S
    sending = asyncio.create_task(mail_outbox.handler({"user_id": str(user_id)}, context(resources)))
    claimed: list[Any] = []
    async with asyncio.timeout(PATIENCE_S):
        while not claimed or not server.received:
            claimed = await run(
                resources, "select 1 from public.outgoing_mails where state = 'queued' and leased_until is not null"
            )
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    mails = await run(resources, "select state::text, leased_until is not null from public.outgoing_mails")
    assert sorted(map(tuple, mails)) == [("queued", False), ("sending", True)]


async def test_two_workers_send_one_mail(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port)
    payload = {"user_id": str(user_id)}
    await asyncio.gather(*(mail_outbox.handler(payload, context(resources)) for _ in range(5)))
    assert len(server.received) == 1


# One attempt of a worker, until the test kills it.
CHILD = """
import asyncio, sys
from backend.core import config
from backend.core.resources import open_all
from backend.edge.api import Context
from functions.jobs import mail_outbox

async def main():
    async with open_all(config.load()) as resources:
        await mail_outbox.handler({"user_id": sys.argv[1]}, Context("mail_outbox", {}, "", resources))

asyncio.run(main())
"""


@pytest.mark.parametrize(("moment", "ended", "received"), [("recipient", "sent", 1), ("content", "uncertain", 1)])
async def test_a_worker_that_is_killed_sends_nothing_twice(
    resources: Resources, server: smtp.Server, moment: str, ended: str, received: int
) -> None:
    user_id = await writer(resources, server.port)
    if moment == "recipient":
        server.at_recipient = asyncio.Event()
    else:
        server.thinks_s = 2
    child = subprocess.Popen(  # noqa: ASYNC220 - takes no time
        [sys.executable, "-c", CHILD, str(user_id)], env=environment(resources.settings)
    )
    async with asyncio.timeout(PATIENCE_S):
        while not (server.announced if moment == "recipient" else server.received):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    await asyncio.to_thread(child.wait, 30)
    server.thinks_s = 0
    if server.at_recipient is not None:
        server.at_recipient.set()
        server.at_recipient = None
    # While the lease lasts, nobody else touches it.
    assert (await send(resources, user_id))["attempts"] == 1
    await run(resources, "update public.outgoing_mails set leased_until = now() - interval '1 second'")
    for _ in range(2):
        mail = await send(resources, user_id)
    assert (mail["state"], len(server.received)) == (ended, received)


@pytest.mark.parametrize("is_wanted", [True, False], ids=["wanted", "not wanted"])
async def test_the_invoice_is_attached_as_a_pdf_where_it_is_wanted(
    is_wanted: bool, resources: Resources, server: smtp.Server
) -> None:
    user_id = await writer(resources, server.port)
    async with connected(resources.settings.database_url) as connection:
        document_id = await documents.document(connection, user_id)
        [invoice_id] = await documents.store_invoices(connection, document_id, {"direction": "attiva"})
        await connection.execute(
            "update public.invoices set content = $2::text::jsonb where id = $1", invoice_id, INVOICE.read_text("utf-8")
        )
    await run(
        resources, "update public.outgoing_mails set invoice_id = $1, attaches_invoice = $2", invoice_id, is_wanted
    )
    assert (await send(resources, user_id))["state"] == "sent"
    [letter] = server.letters()
    if not is_wanted:
        assert list(letter.iter_attachments()) == []
        return
    [attachment] = letter.iter_attachments()
    assert attachment.get_content_type() == "application/pdf"
    assert (attachment.get_filename() or "").endswith(".pdf")
    assert attachment.get_content().startswith(b"%PDF-")


async def test_a_paper_that_is_also_its_invoice_is_attached_once(
    resources: Resources, server: smtp.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stored(*_: object) -> mail_attachments.Attachment:
        return mail_attachments.Attachment("scansione.pdf", "application/pdf", b"%PDF-")

    monkeypatch.setattr(mail_attachments, "_file", stored)
    user_id = await writer(resources, server.port)
    async with connected(resources.settings.database_url) as connection:
        document_id = await documents.document(connection, user_id)
        [invoice_id] = await documents.store_invoices(connection, document_id, {"direction": "attiva"})
    await run(
        resources,
        "update public.outgoing_mails set invoice_id = $1, attaches_invoice = true, document_ids = array[$2::uuid]",
        invoice_id,
        document_id,
    )
    assert (await send(resources, user_id))["state"] == "sent"
    [letter] = server.letters()
    assert [attachment.get_filename() for attachment in letter.iter_attachments()] == ["scansione.pdf"]


async def test_a_mail_whose_attachment_is_gone_is_not_sent_without_it(
    resources: Resources, server: smtp.Server
) -> None:
    user_id = await writer(resources, server.port)
    await run(resources, "update public.outgoing_mails set invoice_id = gen_random_uuid()")
    mail = await send(resources, user_id)
    assert (mail["state"], mail["error"], server.announced) == ("failed", "attachment", [])


async def test_no_mail_reaches_our_own_network(resources: Resources, server: smtp.Server) -> None:
    settings = resources.settings
    public = replace(
        resources, settings=replace(settings, api=replace(settings.api, external_url="https://socio.example"))
    )
    user_id = await writer(public, server.port)
    for host in ("127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254"):
        await run(resources, "update public.mail_accounts set host = $1, port = 465", host)
        await due(resources)
        mail = await send(public, user_id)
        assert (mail["state"], mail["error"]) == ("queued", "unreachable")
    assert server.announced == []


async def test_the_password_rests_encrypted_for_one_person(resources: Resources, server: smtp.Server) -> None:
    user_id = await writer(resources, server.port)
    [row] = await run(resources, "select sealed from private.mail_secrets")
    assert PASSWORD not in row["sealed"]
    assert context(resources).unseal(mail_server.PURPOSE, user_id, row["sealed"]) == PASSWORD
    with pytest.raises(InvalidTag):
        context(resources).unseal(mail_server.PURPOSE, UUID(int=1), row["sealed"])


async def test_a_password_that_cannot_be_decrypted_is_asked_of_its_person_and_mails_wait(
    resources: Resources, server: smtp.Server
) -> None:
    user_id = await writer(resources, server.port)
    [row] = await run(resources, "select sealed from private.mail_secrets")
    await run(resources, "update private.mail_secrets set sealed = $1", row["sealed"][:-8])
    mail = await send(resources, user_id)
    assert (mail["state"], await account_error(resources)) == ("queued", "auth")
    await run(resources, "update private.mail_secrets set sealed = $1", row["sealed"])
    mail = await send(resources, user_id)
    assert (mail["state"], await account_error(resources)) == ("sent", None)
