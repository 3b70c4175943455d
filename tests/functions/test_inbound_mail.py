"""Mail to a person's address, by a real SMTP client and a provider's webhook: it is kept once, or refused."""

from __future__ import annotations

import asyncio
import base64
import logging
import smtplib
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.config_inbound import Inbound
from backend.edge import inbound
from functions import inbound_mail
from functions._shared import mail_domain
from functions._shared.received_mail import address, arriving
from tests.db import accounts, channels
from tests.fakes import dns, tls
from tests.functions import test_mail_forwarding
from tests.functions.documents.conftest import Desk, opened
from tests.functions.test_health_report import token

pytestmark = pytest.mark.anyio
DOMAIN, SECRET = "in.localhost", "un segreto di almeno sedici lettere"
ANNA = channels.ADDRESS
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
WEBHOOK = "/functions/v1/inbound_mail"


@dataclass
class Post:
    """A person with an address, and the port on which mail is received."""

    desk: Desk
    port: int
    address: str

    async def send(self, mail: EmailMessage | bytes, *to: str, sender: str = ANNA) -> tuple[int, bytes]:
        """Send a mail by SMTP; answers the last reply of the server."""
        content = mail if isinstance(mail, bytes) else mail.as_bytes().replace(b"\n", b"\r\n")
        return await self.talk(lambda client: _sent(client, sender, to or (self.address,), content))

    async def talk(self, work: Callable[[smtplib.SMTP], tuple[int, bytes]]) -> tuple[int, bytes]:
        """Open a session in a thread."""

        def run() -> tuple[int, bytes]:
            with smtplib.SMTP("127.0.0.1", self.port, local_hostname="client.example", timeout=30) as client:
                return work(client)

        return await asyncio.to_thread(run)

    async def rows(self, sql: str, *arguments: Any) -> list[dict[str, Any]]:
        async with db.connection(self.desk.resources.pool) as connection:
            return [dict(row) for row in await connection.fetch(sql, *arguments)]

    async def mails(self) -> list[dict[str, Any]]:
        return await self.rows("select * from public.received_mails order by subject")

    async def state(self) -> dict[str, Any]:
        [row] = await self.rows(
            "select *, last_refusal::text as refusal from public.mail_addresses where user_id = $1", self.desk.user_id
        )
        return row

    async def contact(self, contact_address: str = ANNA) -> UUID:
        async with db.transaction(self.desk.resources.pool) as connection:
            return await channels.reachable(connection, self.desk.user_id, contact_address)

    async def own_address(self) -> str:
        """Confirm the login's address, and answer it."""
        [row] = await self.rows(
            "update auth.users set email_confirmed_at = now() where id = $1 returning email", self.desk.user_id
        )
        return str(row["email"])


def _sent(client: smtplib.SMTP, sender: str, to: tuple[str, ...], content: bytes) -> tuple[int, bytes]:
    client.ehlo()
    client.mail(sender, ["SMTPUTF8", "BODY=8BITMIME"] if not content.isascii() else [])
    for each in to:
        answer = client.rcpt(each)
        if answer[0] != 250:
            return answer
    try:
        return client.data(content)
    except smtplib.SMTPDataError as refused:
        return refused.smtp_code, str(refused.smtp_error).encode()


def letter(subject: str = "Ordine", body: str = "Confermo.", **headers: str) -> EmailMessage:
    """Write a mail of Anna."""
    return test_mail_forwarding.mail(
        f"Anna Neri <{ANNA}>",
        "io@studio.example",
        body,
        **{"Subject": subject, "Message_ID": "<1@example.it>", **headers},
    )


@pytest.fixture
async def post(resources: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Post]:
    secrets = {
        **resources.settings.edge_runtime.secrets,
        "SOCIO_INBOUND_DOMAIN": DOMAIN,
        "SOCIO_INBOUND_SECRET": SECRET,
    }
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    runtime = replace(resources.settings.edge_runtime, secrets=secrets)
    settings = replace(resources.settings, edge_runtime=runtime, inbound=Inbound(DOMAIN, port))
    async with (
        opened(replace(resources, settings=settings)) as desk,
        inbound.listening(desk.resources),
        # Domains that publish nothing.
        dns.serving({}) as resolver,
    ):
        monkeypatch.setattr(mail_domain, "resolver", lambda: resolver)
        yield Post(desk, port, await created(desk))


async def created(desk: Desk) -> str:
    """Have an address made, as its owner does."""
    await released(desk)
    answer = await desk.http.post("/functions/v1/mail_address", headers=desk.headers)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["address"])


async def released(desk: Desk) -> None:
    """Let the pause between two addresses be over."""
    async with db.connection(desk.resources.pool) as connection:
        await connection.execute("delete from private.leases where name = 'mail address'")


async def test_a_mail_to_the_address_is_kept_with_its_contact_and_documents(post: Post) -> None:
    contact_id = await post.contact()
    mail = letter()
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="ordine.pdf")
    assert (await post.send(mail))[0] == 250
    [kept] = await post.mails()
    assert (kept["folder"], kept["contact_id"], kept["body"]) == ("ricevuti", contact_id, "Confermo.")
    assert (kept["is_by_address"], kept["is_forwarded"], kept["dmarc"]) == (True, False, None)
    raw = await post.desk.context().storage_as_service.download("documents", kept["storage_path"])
    assert raw.startswith(f"Return-Path: <{ANNA}>\r\n".encode())
    assert [each["filename"] for each in await post.rows("select filename from public.documents")] == ["ordine.pdf"]
    [past] = await post.rows("select direction::text, contact_id from public.interactions")
    assert past == {"direction": "entrata", "contact_id": contact_id}
    [thread] = await post.rows("select is_done from public.mail_threads")
    assert not thread["is_done"]
    state = await post.state()
    assert (state["received"], state["refused"], state["last_received_at"] is not None) == (1, 0, True)


async def test_the_same_mail_twice_is_kept_once(post: Post) -> None:
    await post.contact()
    for _ in range(2):
        assert (await post.send(letter()))[0] == 250
    assert len(await post.mails()) == 1
    assert len(await post.rows("select 1 from public.interactions")) == 1
    assert (await post.state())["received"] == 1


async def test_a_mail_that_the_mailbox_has_too_is_one(post: Post) -> None:
    async with db.transaction(post.desk.resources.pool) as connection:
        await channels.connect(connection, post.desk.user_id)
        await channels.open_inbox(connection, post.desk.user_id)
        at_home = {"message_id": "<1@example.it>", "subject": "Ordine", "body": "Confermo.", "sha256": "a" * 64}
        await channels.receive(connection, post.desk.user_id, **at_home)
    assert (await post.send(letter()))[0] == 250
    assert len(await post.mails()) == 1
    # Another text with the same identifier is another mail.
    assert (await post.send(letter(body="Disdico.")))[0] == 250
    async with db.transaction(post.desk.resources.pool) as connection:
        again = {"message_id": "<1@example.it>", "subject": "Ordine", "body": "Disdico.", "sha256": "b" * 64}
        await channels.receive(connection, post.desk.user_id, **again)
    kept = await post.mails()
    assert sorted(each["body"] for each in kept) == ["Confermo.", "Disdico."]
    # What came to the address stays when the mailbox goes.
    await post.rows("delete from public.mail_accounts")
    assert [each["body"] for each in await post.mails()] == ["Disdico."]
    assert [each["snippet"] for each in await post.rows("select snippet from public.mail_threads")] == ["Disdico."]


async def test_an_unknown_a_former_and_a_closed_address_are_refused_alike(post: Post) -> None:
    former = post.address
    post.address = await created(post.desk)
    unknown = address.written(address.new_token(), DOMAIN)
    answers = {await post.send(letter(), each) for each in (former, unknown, f"u+x@{DOMAIN}", "io@studio.example")}
    assert answers == {(550, b"5.1.1 No such address")}
    assert (await post.send(letter(), post.address.upper()))[0] == 250
    claims = {"role": "authenticated", "sub": str(post.desk.user_id)}
    async with db.as_claims(post.desk.resources.pool, claims) as connection:
        await connection.execute("delete from public.mail_addresses")
    assert await post.send(letter()) == (550, b"5.1.1 No such address")


async def test_a_guesser_is_disconnected(post: Post) -> None:
    def guess(client: smtplib.SMTP) -> tuple[int, bytes]:
        client.ehlo()
        client.mail(ANNA)
        codes = [client.rcpt(address.written(address.new_token(), DOMAIN))[0] for _ in range(4)]
        assert codes == [550, 550, 550, 421]
        return 0, b""

    await post.talk(guess)


async def test_a_frozen_account_takes_no_mail_and_its_owner_sees_it(post: Post) -> None:
    await post.rows("update public.profiles set limited_since = now() where user_id = $1", post.desk.user_id)
    assert await post.send(letter()) == (550, b"5.1.1 No such address")
    state = await post.state()
    assert (state["refused"], state["refusal"], await post.mails()) == (1, "frozen", [])
    answer = await post.desk.http.post("/functions/v1/mail_address", headers=post.desk.headers)
    assert (answer.status_code, answer.json()["code"]) == (409, "frozen")
    await post.rows("update public.profiles set limited_since = null where user_id = $1", post.desk.user_id)
    assert (await post.send(letter()))[0] == 250


async def test_an_address_that_cannot_be_decrypted_is_replaced_by_its_owner(post: Post) -> None:
    await post.rows("update private.mail_address_tokens set sealed = 'aesgcm:damaged'")
    shown = await post.desk.http.get("/functions/v1/mail_address", headers=post.desk.headers)
    assert (shown.status_code, shown.json()) == (200, {"is_offered": True, "address": None})
    assert (await created(post.desk)).endswith(DOMAIN)


async def test_the_address_dies_when_its_account_is_to_be_deleted(post: Post) -> None:
    await post.rows("select is_new from private.request_deletion($1, 'empty')", post.desk.user_id)
    assert await post.send(letter()) == (550, b"5.1.1 No such address")
    assert await post.rows("select 1 from public.mail_addresses") == []
    assert await post.rows("select 1 from private.mail_address_tokens") == []


async def test_a_mail_of_26_megabytes_is_refused_before_and_after_it_comes(post: Post) -> None:
    content = letter().as_bytes().replace(b"\n", b"\r\n") + b"x" * 70 + b"\r\n" + (b"y" * 70 + b"\r\n") * 380_000
    assert len(content) > 26_000_000

    def announced(client: smtplib.SMTP) -> tuple[int, bytes]:
        client.ehlo()
        assert client.esmtp_features["size"] == str(25 * 1024 * 1024)
        assert client.has_extn("8bitmime")
        assert client.has_extn("smtputf8")
        return client.mail(ANNA, [f"SIZE={len(content)}"])

    assert (await post.talk(announced))[0] == 552
    assert (await post.send(content))[0] == 552
    state = await post.state()
    assert (state["refusal"], state["refused"], await post.mails()) == ("too_large", 1, [])


async def test_a_connection_cut_in_the_middle_keeps_nothing(post: Post) -> None:
    def cut(client: smtplib.SMTP) -> tuple[int, bytes]:
        client.ehlo()
        client.mail(ANNA)
        client.rcpt(post.address)
        client.docmd("DATA")
        client.send(b"From: anna@example.it\r\nSubject: Meta\r\n\r\nBuongio")
        assert client.sock is not None
        client.sock.shutdown(socket.SHUT_RDWR)
        client.close()
        return 0, b""

    await post.talk(cut)
    assert (await post.send(letter("Intera")))[0] == 250
    assert [each["subject"] for each in await post.mails()] == ["Intera"]


async def test_a_mail_for_several_people_is_kept_for_each_and_for_nobody_else(post: Post) -> None:
    async with db.connection(post.desk.resources.pool) as connection:
        other = replace(post.desk, user_id=await accounts.create(connection))
        await created(replace(post.desk, user_id=await accounts.create(connection)))
    others = await created(other)
    # Whoever writes for one person's address names a sender; it is not that person's own mail.
    own = await post.own_address()
    mine = test_mail_forwarding.mail(own, f"Anna <{ANNA}>", "Ecco.")
    assert (await post.send(mine, post.address, others, sender=own))[0] == 250
    kept = {each["user_id"]: each["folder"] for each in await post.mails()}
    assert kept == {post.desk.user_id: "inviati", other.user_id: "ricevuti"}


async def test_the_database_away_is_451_and_the_next_try_keeps_it(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    real = arriving.receive

    async def away(*_: Any) -> None:
        raise ConnectionRefusedError("the database is away")

    monkeypatch.setattr(arriving, "receive", away)
    assert (await post.send(letter()))[0] == 451
    monkeypatch.setattr(arriving, "receive", real)
    await post.rows("alter function private.mail_address_owner(bytea) rename to elsewhere")
    assert (await post.send(letter()))[0] == 451
    await post.rows("alter function private.elsewhere(bytea) rename to mail_address_owner")
    assert (await post.send(letter()))[0] == 250
    assert len(await post.mails()) == 1


async def test_an_address_takes_so_many_mails_in_an_hour(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbound_mail, "MOST_IN_AN_HOUR", 0)
    assert (await post.send(letter()))[0] == 452
    assert ((await post.state())["refusal"], await post.mails()) == ("too_many", [])
    turns = "select private.take_mail_turn($1, 2) as is_taken from generate_series(1, 4)"
    # One transaction has one time, so that the hour cannot change in it.
    await post.rows("update private.mail_address_tokens set hour = now() - interval '2 hours'")
    taken = [each["is_taken"] for each in await post.rows(turns, post.desk.user_id)]
    assert taken == [True, True, False, False]


async def test_hostile_headers_and_charsets_stay_text(post: Post) -> None:
    hostile = (
        b"From: =?utf-8?q?Anna=0D=0ABcc=3A_x=40y=2Eit?= <anna@example.it>\r\nTo: io@studio.example\r\n"
        b"Message-ID: <3@example.it>\r\nSubject: =?utf-8?q?Ciao=0D=0AX-Injected=3A_1=00?=\r\n"
        b"Content-Type: text/plain; charset=us-ascii\r\n\r\nCitt\xc3\xa0 \xe8 \x00 qui\r\n.punto\r\n"
    )
    assert (await post.send(hostile.replace(b"\r\n.punto", b"\r\n..punto")))[0] == 250
    assert (await post.send(b"Niente di sensato\r\n" * 3))[0] == 250
    first, second = sorted(await post.mails(), key=lambda each: each["subject"])
    assert "\n" not in first["subject"] + first["sender_name"]
    assert first["subject"].startswith("Ciao")
    assert "punto" in first["body"]
    assert second["subject"] == "Senza oggetto"
    # The sender of the envelope is no header either.
    assert (await post.send(letter("Altra", Message_ID="<4@example.it>"), sender="a b@example.it")) != (0, b"")


async def test_a_bounce_has_no_sender_and_is_recognised(post: Post) -> None:
    assert (await post.send(letter("Fuori ufficio"), sender=""))[0] == 250
    assert [each["kind"] for each in await post.mails()] == ["automatica"]


async def test_what_the_person_copies_to_the_address_is_sent_to_the_contact(post: Post) -> None:
    contact_id, own = await post.contact(), await post.own_address()
    mine = test_mail_forwarding.mail(f"Io <{own}>", f"Anna <{ANNA}>", "Ecco il preventivo.")
    assert (await post.send(mine, sender=own))[0] == 250
    [kept] = await post.mails()
    assert (kept["folder"], kept["party"], kept["contact_id"]) == ("inviati", ANNA, contact_id)
    [past] = await post.rows("select direction::text from public.interactions")
    assert past == {"direction": "uscita"}
    # The answer is in the same thread.
    answer = letter("R: Preventivo", Message_ID="<9@example.it>", In_Reply_To="<1@studio.example>")
    assert (await post.send(answer))[0] == 250
    assert len({each["thread_id"] for each in await post.mails()}) == 1


async def test_a_copy_of_a_mail_of_ours_is_no_second_one_and_proves_nothing(post: Post) -> None:
    contact_id, own = await post.contact(), await post.own_address()
    async with db.transaction(post.desk.resources.pool) as connection:
        await channels.connect(connection, post.desk.user_id)
    claims = {"role": "authenticated", "sub": str(post.desk.user_id)}
    async with db.as_claims(post.desk.resources.pool, claims) as connection:
        message_id = (await channels.queue(connection, contact_id))["message_id"]
    await post.rows("update public.outgoing_mails set state = 'uncertain'")
    copy = test_mail_forwarding.mail(own, ANNA, "Ecco.", Message_ID=message_id)
    assert (await post.send(copy, sender=own))[0] == 250
    assert await post.mails() == []
    assert await post.rows("select state::text from public.outgoing_mails") == [{"state": "uncertain"}]


async def test_a_forward_is_received_from_its_author_and_guarded(post: Post) -> None:
    own = await post.own_address()
    await post.contact()
    text = test_mail_forwarding.SHAPES["outlook on the web, Italian"].replace(ANNA, "anna@exarnple.it")
    mail = test_mail_forwarding.mail(own, post.address, text, Authentication_Results=f"{DOMAIN}; dmarc=pass")
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="ordine.pdf")
    assert (await post.send(mail, sender=own))[0] == 250
    [kept] = await post.mails()
    assert (kept["folder"], kept["sender"], kept["contact_id"]) == ("ricevuti", "anna@exarnple.it", None)
    assert (kept["is_forwarded"], kept["dmarc"]) == (True, None)
    # The person forwarded it, and yet the sender is compared with what is known: nothing of it is filed.
    assert kept["warnings"] == [{"kind": "domain", "value": "exarnple.it", "known": "example.it"}]
    assert await post.rows("select 1 from public.documents") == []


async def test_a_forwarded_mail_of_a_contact_is_in_the_history_and_its_files_are_documents(post: Post) -> None:
    contact_id, own = await post.contact(), await post.own_address()
    mail = test_mail_forwarding.mail(own, post.address, test_mail_forwarding.SHAPES["apple, Italian"])
    mail.add_attachment(PDF, maintype="application", subtype="pdf", filename="ordine.pdf")
    assert (await post.send(mail, sender=own))[0] == 250
    [kept] = await post.mails()
    assert (kept["contact_id"], kept["at"], kept["warnings"]) == (contact_id, test_mail_forwarding.SENT, [])
    [past] = await post.rows("select direction::text, at from public.interactions")
    assert past == {"direction": "entrata", "at": test_mail_forwarding.SENT}
    assert [each["filename"] for each in await post.rows("select filename from public.documents")] == ["ordine.pdf"]
    # Whoever forwards a mail has read it.
    assert await post.rows("select 1 from public.notifications where kind = 'email_ricevuta'") == []


async def test_an_old_forward_waits_all_the_same(post: Post) -> None:
    own = await post.own_address()
    text = test_mail_forwarding.SHAPES["gmail, Italian"].replace("27 nov 2026", "27 nov 2019")
    assert (await post.send(test_mail_forwarding.mail(own, post.address, text), sender=own))[0] == 250
    [thread] = await post.rows("select is_done, last_at from public.mail_threads")
    assert (thread["is_done"], thread["last_at"].year) == (False, 2019)


async def test_the_code_that_gmail_asks_for_is_to_be_read(post: Post) -> None:
    code = letter("(#123456789) Conferma inoltro", "Codice di conferma: 123456789", Precedence="bulk")
    del code["From"]
    code["From"] = "Team di Gmail <forwarding-noreply@google.com>"
    assert (await post.send(code, sender="forwarding-noreply@google.com"))[0] == 250
    [thread] = await post.rows("select is_done, snippet from public.mail_threads")
    assert (thread["is_done"], "123456789" in thread["snippet"]) == (False, True)


async def test_a_certificate_encrypts_the_session(post: Post, tmp_path: Path) -> None:
    tls.Authority(tmp_path).server_context(DOMAIN)
    pem = tmp_path / f"{DOMAIN}.pem"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = replace(post.desk.resources.settings, inbound=Inbound(DOMAIN, port, cert=pem, key=pem))

    def secretly(client: smtplib.SMTP) -> tuple[int, bytes]:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client.ehlo()
        client.starttls(context=context)
        client.ehlo()
        assert not client.has_extn("auth") or client.esmtp_features["auth"].strip() == ""
        return _sent(client, ANNA, (post.address,), letter().as_bytes().replace(b"\n", b"\r\n"))

    async with inbound.listening(replace(post.desk.resources, settings=settings)):
        post.port = port
        assert (await post.talk(secretly))[0] == 250


async def test_connections_are_bounded(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbound, "MAX_CONNECTIONS", 1)

    def first(client: smtplib.SMTP) -> tuple[int, bytes]:
        client.ehlo()
        with pytest.raises(smtplib.SMTPConnectError) as refused:
            smtplib.SMTP("127.0.0.1", post.port, timeout=30)
        assert refused.value.smtp_code == 421
        return 0, b""

    await post.talk(first)
    async with asyncio.timeout(10):
        while (await post.send(letter()))[0] != 250:
            pass


async def test_a_mail_may_take_longer_than_a_pause_between_commands(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbound, "IDLE_TIMEOUT_S", 0.3)
    real = arriving.receive

    async def slow(*given: Any) -> None:
        await asyncio.sleep(0.9)
        await real(*given)

    monkeypatch.setattr(arriving, "receive", slow)
    assert (await post.send(letter()))[0] == 250

    def idle(client: smtplib.SMTP) -> tuple[int, bytes]:
        client.ehlo()
        assert client.sock is not None
        return 0, client.sock.recv(100)

    # Whoever says nothing is disconnected.
    assert await post.talk(idle) == (0, b"")


async def test_a_mail_that_drips_is_given_up_and_leaves_room(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbound, "TRANSFER_TIMEOUT_S", 0.3)

    def drip(client: smtplib.SMTP) -> tuple[int, bytes]:
        client.ehlo()
        client.mail(ANNA)
        client.rcpt(post.address)
        client.docmd("DATA")
        client.send(b"Subject: Goccia\r\n")
        assert client.sock is not None
        return 0, client.sock.recv(100)

    for _ in range(inbound.MAX_TRANSFERS):
        assert await post.talk(drip) == (0, b"")
    monkeypatch.setattr(inbound, "TRANSFER_TIMEOUT_S", 60)
    assert (await post.send(letter()))[0] == 250
    assert [each["subject"] for each in await post.mails()] == ["Ordine"]


async def test_no_token_is_in_the_log_or_the_database(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await post.send(letter())
    found = address.token_of(post.address, DOMAIN)
    assert found is not None
    assert found not in caplog.text
    stored = await post.rows("select tokens::text as row from private.mail_address_tokens as tokens")
    stored += await post.rows("select addresses::text as row from public.mail_addresses as addresses")
    assert not [each for each in stored if found in each["row"]]
    shown = await post.desk.http.get("/functions/v1/mail_address", headers=post.desk.headers)
    assert shown.json() == {"is_offered": True, "address": post.address}


async def test_nothing_is_offered_without_a_domain(resources: Any) -> None:
    async with opened(resources) as desk, inbound.listening(desk.resources):
        shown = await desk.http.get("/functions/v1/mail_address", headers=desk.headers)
        assert shown.json() == {"is_offered": False, "address": None}
        asked = await desk.http.post("/functions/v1/mail_address", headers=desk.headers)
        assert (asked.status_code, asked.json()["code"]) == (404, "not_offered")
        stranger = await desk.http.get("/functions/v1/mail_address")
        assert stranger.status_code == 401


def delivery(post: Post, mail: EmailMessage, **more: Any) -> dict[str, Any]:
    """Write what Postmark delivers."""
    return {
        "FromFull": {"Email": ANNA}, "OriginalRecipient": post.address, "Subject": "Ordine", "MailboxHash": "",
        "TextBody": "Confermo.", "RawEmail": mail.as_string(), **more,
    }  # fmt: skip


async def hand_in(post: Post, told: Any, *, password: str = SECRET, query: str = "") -> httpx.Response:
    basic = base64.b64encode(f"postmark:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {basic}"} if password else {}
    return await post.desk.http.post(WEBHOOK + query, json=told, headers=headers)


async def test_a_provider_delivers_by_webhook_and_again(post: Post) -> None:
    contact_id = await post.contact()
    for _ in range(2):
        answer = await hand_in(post, delivery(post, letter()))
        assert answer.status_code == 200, answer.text
    [kept] = await post.mails()
    assert (kept["contact_id"], kept["is_by_address"]) == (contact_id, True)
    assert (await post.state())["received"] == 1
    # A provider's own address with the token behind a plus, and the secret in the address.
    by_hash = {"OriginalRecipient": "abc@inbound.example", "MailboxHash": address.token_of(post.address, DOMAIN)}
    other = delivery(post, letter("Altro", Message_ID="<2@example.it>"), **by_hash)
    assert (await hand_in(post, other, password="", query=f"?secret={SECRET}")).status_code == 200
    assert len(await post.mails()) == 2


@pytest.mark.parametrize(
    ("told", "password", "status", "code"),
    [
        ({}, "un altro segreto qualunque", 403, "forbidden"),
        ({}, "", 403, "forbidden"),
        ({"OriginalRecipient": f"u+{'a' * 32}@{DOMAIN}"}, SECRET, 403, "no_such_address"),
        ({"OriginalRecipient": None, "MailboxHash": ["x"]}, SECRET, 403, "no_such_address"),
        ({"RawEmail": None}, SECRET, 422, "raw_missing"),
        ({"RawEmail": "x" * (26 * 1024 * 1024)}, SECRET, 413, "request_entity_too_large"),
        ([], SECRET, 400, "validation_failed"),
    ],
)
async def test_a_delivery_that_is_none_is_refused(post: Post, told: Any, password: str, status: int, code: str) -> None:
    body = {**delivery(post, letter()), **told} if isinstance(told, dict) else told
    answer = await hand_in(post, body, password=password)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await post.mails() == []


async def test_the_webhook_is_closed_without_a_secret_of_some_length(resources: Any) -> None:
    runtime = replace(
        resources.settings.edge_runtime, secrets={"SOCIO_INBOUND_DOMAIN": DOMAIN, "SOCIO_INBOUND_SECRET": "x"}
    )
    async with opened(replace(resources, settings=replace(resources.settings, edge_runtime=runtime))) as desk:
        for query in ("?secret=x", "?secret=", ""):
            answer = await desk.http.post(WEBHOOK + query, json={})
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
        assert (await desk.http.get(WEBHOOK, headers=token(desk.resources, desk.user_id, "aal1"))).status_code == 405
