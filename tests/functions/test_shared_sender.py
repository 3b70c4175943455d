"""The shared sender «tramite Socio»: what leaves by a real SMTP server, and what comes back to a mail's addresses."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.utils import getaddresses
from typing import Any
from uuid import UUID

import pytest

from backend.core import db
from backend.core.config_inbound import Inbound
from backend.edge import inbound
from backend.edge.api import Context
from functions._shared import mail_domain, shared_sender
from functions.jobs import mail_outbox
from tests.backend.test_commands import environment
from tests.db import channels
from tests.fakes import dns, smtp
from tests.functions import test_mail_forwarding
from tests.functions.documents.conftest import opened
from tests.functions.test_inbound_mail import SECRET, WEBHOOK, Post
from tests.functions.test_mail_outbox import CHILD
from tests.functions.test_mail_reports import bounce, report

pytestmark = pytest.mark.anyio
DOMAIN, SENDER, ANNA = "in.localhost", "invio@socio.example", channels.ADDRESS
PATIENCE_S = 30
ACCOUNT = "/functions/v1/mail_account"


@dataclass
class Business(Post):
    """A person who sends by the shared sender to Anna; `server` is the operator's mail server."""

    server: smtp.Server
    contact_id: UUID

    @property
    def context(self) -> Context:
        return Context("mail_outbox", {}, "", self.desk.resources)

    async def ask(self, method: str, body: dict[str, Any] | None = None) -> Any:
        await self.rows("delete from private.leases")
        return await self.desk.http.request(method, ACCOUNT, headers=self.desk.headers, json=body)

    async def queue(self, **more: Any) -> dict[str, Any]:
        claims = {"role": "authenticated", "sub": str(self.desk.user_id)}
        async with db.as_claims(self.desk.resources.pool, claims) as connection:
            mail = await channels.queue(connection, self.contact_id, **more)
        await self.rows("update public.outgoing_mails set not_before = now() where state = 'queued'")
        return dict(mail)

    async def leave(self, **more: Any) -> tuple[dict[str, Any], EmailMessage]:
        """Queue a mail and send it; answers its row and what the server got."""
        mail = await self.queue(**more)
        await mail_outbox.handler({"user_id": str(self.desk.user_id)}, self.context)
        [row] = await self.rows("select * from public.outgoing_mails where id = $1", mail["id"])
        return row, self.server.letters()[-1]

    def to(self, kind: shared_sender.Kind, mail: dict[str, Any]) -> str:
        return shared_sender.written(self.context, kind, mail["id"], DOMAIN)


@pytest.fixture
async def business(resources: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Business]:
    # Domains that publish nothing.
    async with smtp.serving() as server, dns.serving({}) as resolver:
        monkeypatch.setattr(mail_domain, "resolver", lambda: resolver)
        secrets = {
            **resources.settings.edge_runtime.secrets,
            "SOCIO_INBOUND_DOMAIN": DOMAIN,
            "SOCIO_INBOUND_SECRET": SECRET,
            "SOCIO_SHARED_SENDER": SENDER,
        }
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        settings = replace(
            resources.settings,
            edge_runtime=replace(resources.settings.edge_runtime, secrets=secrets),
            inbound=Inbound(DOMAIN, port),
            local_smtp=replace(resources.settings.local_smtp, smtp_port=server.port),
        )
        async with opened(replace(resources, settings=settings)) as desk, inbound.listening(desk.resources):
            post = Post(desk, port, "")
            contact_id = await post.contact()
            person = Business(desk, port, "", server, contact_id)
            await person.rows("update public.profiles set full_name = 'Giulia Ferri' where user_id = $1", desk.user_id)
            await person.own_address()
            answer = await person.ask("PUT", {"is_shared": True})
            assert answer.status_code == 200, answer.text
            yield person


def answer(sender: str, body: str = "Va bene, grazie.", **headers: str) -> EmailMessage:
    """Write an answer without a header that connects it."""
    return test_mail_forwarding.mail(
        sender, "invio@socio.example", body, **{"Subject": "Tutt’altro", "Message_ID": "<a1@example.it>", **headers}
    )


async def test_a_mail_leaves_in_the_name_of_its_person_and_answers_lead_back(business: Business) -> None:
    own = await business.own_address()
    mail, letter = await business.leave(subject="Perché è tardi")
    assert (mail["state"], letter["From"]) == ("sent", f"Giulia Ferri tramite Socio <{SENDER}>")
    assert letter["Sender"] is None
    assert getaddresses([str(letter["Reply-To"])]) == [
        ("Giulia Ferri", own),
        ("Giulia Ferri tramite Socio", business.to("r", mail)),
    ]
    assert business.server.received[-1].mail_from == business.to("b", mail)
    assert (letter["Subject"], letter["Message-ID"]) == ("Perché è tardi", mail["message_id"])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Caffè “Però” & C.", "Caffè “Però” & C. tramite Socio"),
        ('Rossi" <capo@banca.it>', "Rossi capo banca.it tramite Socio"),
        ("Elettrica, Luce; Gas", "Elettrica Luce Gas tramite Socio"),
        ("a\u202eb\u200bc", "a b c tramite Socio"),
        ("x" * 120, f"{'x' * 60} tramite Socio"),
        ("   ", "Tramite Socio"),
        ("Rossi\r\nBcc: altri@example.it", "Rossi Bcc altri example.it tramite Socio"),
    ],
)
def test_the_name_is_one_name_whatever_the_person_wrote(name: str, shown: str) -> None:
    assert shared_sender.display_name(name) == shown


async def test_the_name_of_the_business_wins_and_is_encoded(business: Business) -> None:
    await business.rows(
        "update public.profiles set business_name = 'Caffè <Ferri>, \"Però\"' where user_id = $1", business.desk.user_id
    )
    _, letter = await business.leave()
    assert getaddresses([str(letter["From"])]) == [("Caffè Ferri Però tramite Socio", SENDER)]
    content = business.server.received[-1].content
    assert isinstance(content, bytes)
    head = content.split(b"\r\n\r\n")[0]
    assert head.isascii()
    assert b"=?utf-8?" in head


async def test_without_an_inbound_domain_answers_go_to_the_login_address_only(business: Business) -> None:
    own = await business.own_address()
    secrets = {**business.desk.resources.settings.edge_runtime.secrets, "SOCIO_INBOUND_DOMAIN": ""}
    settings = business.desk.resources.settings
    without = replace(settings, edge_runtime=replace(settings.edge_runtime, secrets=secrets))
    alone = replace(business, desk=replace(business.desk, resources=replace(business.desk.resources, settings=without)))
    _, letter = await alone.leave()
    assert [each for _, each in getaddresses([str(letter["Reply-To"])])] == [own]
    assert business.server.received[-1].mail_from == SENDER


async def test_an_answer_stands_in_the_thread_of_its_mail(business: Business) -> None:
    mail, letter = await business.leave()
    to = getaddresses([str(letter["Reply-To"])])[1][1]
    assert (await business.send(answer(f"Anna Neri <{ANNA}>"), to.upper()))[0] == 250
    # The second time it is known.
    assert (await business.send(answer(f"Anna Neri <{ANNA}>"), to))[0] == 250
    [kept] = await business.mails()
    assert (kept["folder"], kept["contact_id"], kept["is_by_address"]) == ("ricevuti", business.contact_id, True)
    [thread] = await business.rows(
        "select letters.outgoing_id, is_done, contact_id, suggested_thread_id from public.mail_threads as threads"
        " join public.mail_thread_letters as letters on letters.thread_id = threads.id"
    )
    assert thread == {
        "outgoing_id": mail["id"], "is_done": False, "contact_id": business.contact_id, "suggested_thread_id": None,
    }  # fmt: skip
    history = await business.rows("select direction::text from public.interactions")
    assert sorted(each["direction"] for each in history) == ["entrata", "uscita"]
    # The next answer names another conversation; the address counts.
    other, _ = await business.leave(subject="Un altro")
    more = answer(
        ANNA, "Ancora.", Message_ID="<a2@example.it>", References=f"{mail['message_id']} {other['message_id']}"
    )
    assert (await business.send(more, to))[0] == 250
    threads = await business.rows("select distinct thread_id from public.received_mails")
    assert len(threads) == 1


async def test_an_answer_says_that_an_uncertain_mail_arrived(business: Business) -> None:
    business.server.hang_up = True
    mail, _ = await business.leave()
    assert mail["state"] == "uncertain"
    assert (await business.send(answer(ANNA), business.to("r", mail)))[0] == 250
    [row] = await business.rows("select state::text from public.outgoing_mails")
    history = await business.rows("select direction::text from public.interactions")
    assert (row["state"], sorted(each["direction"] for each in history)) == ("sent", ["entrata", "uscita"])


async def test_an_answer_that_claims_to_be_of_the_person_stays_received(business: Business) -> None:
    own = await business.own_address()
    mail, _ = await business.leave()
    to = business.to("r", mail)
    for number, claimed in enumerate((own, SENDER)):
        forged = answer(claimed, "Paga qui.", Message_ID=f"<f{number}@example.it>")
        assert (await business.send(forged, to, sender=own))[0] == 250
    # Nor is a copy of the mail itself one of the outbox.
    copy = answer(own, "Paga qui.", Message_ID=str(mail["message_id"]))
    assert (await business.send(copy, to))[0] == 250
    assert {each["folder"] for each in await business.mails()} == {"ricevuti"}
    assert len(await business.mails()) == 3
    assert len(await business.rows("select 1 from public.interactions where direction = 'entrata'")) == 0


async def test_an_address_that_is_none_is_refused_like_any_other(business: Business) -> None:
    mail, _ = await business.leave()
    right = business.to("r", mail)
    other = shared_sender.written(business.context, "r", UUID(int=7), DOMAIN)
    swapped = "b" + right[1:]
    changed = right[:-20] + ("a" if right[-20] != "a" else "b") + right[-19:]
    for to in (other, swapped, changed, right.replace(DOMAIN, "altrove.example"), f"r+x@{DOMAIN}"):
        assert await business.send(answer(ANNA), to) == (550, b"5.1.1 No such address"), to
    for until in ("366 days", "0 days"):
        await business.rows("update private.shared_mails set sent_at = now() - $1::text::interval", until)
        code = (await business.send(answer(ANNA), right))[0]
        assert code == (550 if until != "0 days" else 250)
    await business.rows("update auth.users set banned_until = now() + interval '1 day'")
    assert (await business.send(answer(ANNA), right))[0] == 550
    assert len(await business.mails()) == 1


async def test_a_provider_delivers_answers_by_webhook(business: Business) -> None:
    mail, _ = await business.leave()
    token = business.to("r", mail).split("@")[0][2:]
    raw = answer(ANNA).as_string()
    told = ({"OriginalRecipient": business.to("r", mail)}, {"OriginalRecipient": "x@p.example", "MailboxHash": token})
    for each in told:
        got = await business.desk.http.post(f"{WEBHOOK}?secret={SECRET}", json={**each, "RawEmail": raw})
        assert got.status_code == 200, got.text
    [kept] = await business.mails()
    assert kept["reference_ids"] == [mail["message_id"]]


@pytest.mark.parametrize(
    ("told", "sender", "state", "reason"),
    [
        (bounce(f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 5.1.1"), "", "failed", "rimbalzo"),
        # Servers that cut the mail off say nothing of its Message-ID; the address does.
        (
            bounce(f"Final-Recipient: rfc822; {ANNA}\nAction: failed\nStatus: 5.1.1", copied="x"),
            "",
            "failed",
            "rimbalzo",
        ),
        (report("feedback-report", "Feedback-Type: abuse\nVersion: 1"), "fbl@provider.example", "sent", "reclamo"),
    ],
    ids=["bounce", "bounce without the mail", "complaint"],
)
async def test_a_report_about_a_mail_suppresses_its_address(
    told: EmailMessage, sender: str, state: str, reason: str, business: Business
) -> None:
    mail, _ = await business.leave()
    assert (await business.send(told, business.to("b", mail), sender=sender))[0] == 250
    [row] = await business.rows("select state::text from public.outgoing_mails")
    [suppressed] = await business.rows("select address, reason::text from public.mail_suppressions")
    assert (row["state"], suppressed) == (state, {"address": ANNA, "reason": reason})
    assert await business.mails() == []
    shared = (await business.ask("GET")).json()
    assert shared["pause_reason"] == ("reclamo" if reason == "reclamo" else None)


async def test_an_automatic_answer_to_the_address_of_reports_is_dropped(business: Business) -> None:
    mail, _ = await business.leave()
    away = answer(ANNA, "Sono in ferie, versione 5.1.1 del messaggio.", Auto_Submitted="auto-replied")
    assert (await business.send(away, business.to("b", mail), sender=""))[0] == 250
    assert (await business.send(answer(ANNA), business.to("b", mail)))[0] == 250
    [row] = await business.rows("select state::text from public.outgoing_mails")
    assert (row["state"], await business.mails()) == ("sent", [])
    assert await business.rows("select 1 from public.mail_reports") == []


async def test_send_mail_says_what_the_shared_sender_does_not_send(business: Business) -> None:
    async def told(**more: Any) -> tuple[int, str, str]:
        body = {
            "key": str(UUID(int=len(business.server.received))), "contact_id": str(business.contact_id),
            "recipient": ANNA, "subject": "Ciao", "body": "Ciao", **more,
        }  # fmt: skip
        got = await business.desk.http.post("/functions/v1/send_mail", headers=business.desk.headers, json=body)
        return got.status_code, str(got.json().get("code")), str(got.json().get("message"))

    sales = await told(basis="consenso")
    assert sales[:2] == (409, "shared_promotion")
    assert "per le campagne collega la tua casella" in sales[2]
    await business.rows(
        "insert into private.shared_mails (outgoing_id, user_id)"
        " select gen_random_uuid(), $1 from generate_series(1, 50)",
        business.desk.user_id,
    )
    limit = await told()
    assert limit[:2] == (409, "shared_limit")
    assert "Riprende il " in limit[2]
    await business.rows("update private.shared_mails set sent_at = now() - interval '2 days'")
    await business.rows("update private.shared_mails set complained_at = now()")
    paused = await told()
    assert paused[:2] == (409, "shared_paused")
    assert "segnalato" in paused[2]
    await business.rows("update private.shared_mails set complained_at = null")
    await business.rows("update auth.users set email_confirmed_at = null")
    assert (await told())[:2] == (409, "unconfirmed")


async def test_the_choice_is_offered_to_a_confirmed_login_where_the_operator_has_set_it(business: Business) -> None:
    own = await business.own_address()
    shared = (await business.ask("GET")).json()
    assert shared == {
        "is_offered": True, "sender": SENDER, "name": "Giulia Ferri tramite Socio", "reply_to": own,
        "takes_answers": True, "left": 50, "resumes_at": None, "pause_reason": None, "paused_until": None,
    }  # fmt: skip
    got = await business.ask("POST")
    assert (got.status_code, got.json()) == (200, {"recipient": own})
    assert business.server.letters()[-1]["From"] == f"Giulia Ferri tramite Socio <{SENDER}>"
    await business.rows("delete from public.mail_accounts")
    await business.rows("update auth.users set email_confirmed_at = null")
    refused = await business.ask("PUT", {"is_shared": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "unconfirmed")
    await business.own_address()
    await business.rows("update public.profiles set limited_since = now()")
    refused = await business.ask("PUT", {"is_shared": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "frozen")
    await business.rows("update public.profiles set limited_since = null")
    async with db.transaction(business.desk.resources.pool) as connection:
        await channels.connect(connection, business.desk.user_id)
    refused = await business.ask("PUT", {"is_shared": True})
    assert (refused.status_code, refused.json()["code"]) == (409, "own_mailbox")


@pytest.mark.parametrize(
    "value", ["", "niente", "invio@socio.example\r\nBcc: x@example.it", "Socio <invio@socio.example>"]
)
async def test_a_setting_that_is_no_address_offers_nothing(business: Business, value: str) -> None:
    settings = business.desk.resources.settings
    secrets = {**settings.edge_runtime.secrets, "SOCIO_SHARED_SENDER": value}
    without = replace(settings, edge_runtime=replace(settings.edge_runtime, secrets=secrets))
    context = Context("test", {}, "", replace(business.desk.resources, settings=without))
    assert shared_sender.sender(context) is None
    # Waiting mails are not lost, and their person sees why.
    await business.queue()
    await mail_outbox.handler({"user_id": str(business.desk.user_id)}, context)
    [row] = await business.rows(
        "select state::text, (select last_error::text from public.mail_accounts) from public.outgoing_mails"
    )
    assert row == {"state": "queued", "last_error": "disconnected"}
    assert business.server.received == []


async def test_a_wrong_password_of_the_operator_loses_no_mail(business: Business) -> None:
    business.server.recipient_answer = "451 later"
    mail = await business.queue()
    await mail_outbox.handler({"user_id": str(business.desk.user_id)}, business.context)
    [row] = await business.rows("select state::text, error::text from public.outgoing_mails where id = $1", mail["id"])
    assert row == {"state": "queued", "error": "busy"}


@pytest.mark.parametrize(("moment", "ended"), [("recipient", "sent"), ("content", "uncertain")])
async def test_a_worker_that_is_killed_sends_nothing_twice(business: Business, moment: str, ended: str) -> None:
    server = business.server
    await business.queue()
    if moment == "recipient":
        server.at_recipient = asyncio.Event()
    else:
        server.thinks_s = 2
    settings = {
        **environment(business.desk.resources.settings),
        "SOCIO_SHARED_SENDER": SENDER,
        "SOCIO_INBOUND_DOMAIN": DOMAIN,
        "SUPABASE_LOCAL_SMTP_SMTP_PORT": str(server.port),
    }
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(business.desk.user_id)], env=settings)  # noqa: ASYNC220
    async with asyncio.timeout(PATIENCE_S):
        while not (server.announced if moment == "recipient" else server.received):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    await asyncio.to_thread(child.wait, 30)
    server.thinks_s = 0
    if server.at_recipient is not None:
        server.at_recipient.set()
        server.at_recipient = None
    await business.rows("update public.outgoing_mails set leased_until = now() - interval '1 second'")
    for _ in range(2):
        await mail_outbox.handler({}, business.context)
        await mail_outbox.handler({"user_id": str(business.desk.user_id)}, business.context)
    [row] = await business.rows("select state::text from public.outgoing_mails")
    assert (row["state"], len(server.received)) == (ended, 1)
