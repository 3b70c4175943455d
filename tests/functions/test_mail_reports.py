"""Bounces and complaints as servers write them, and what they change."""

from __future__ import annotations

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from uuid import UUID

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared import mail_reports
from functions._shared.mail_reports import Report
from tests.db import accounts, channels

ID = "<7c0e@studio.example>"
COPY = f"From: io@studio.example\nTo: anna@example.it\nSubject: Promemoria\nMessage-ID: {ID}\n\nCiao 5.1.1\n"


def mail(text: str) -> EmailMessage:
    return message_from_bytes(text.encode(), policy=default)


def report(kind: str, machine: str, *, copy: str = "message/rfc822", copied: str = COPY) -> EmailMessage:
    """Write a multipart/report as RFC 6522 has it."""
    return mail(
        f"From: MAILER-DAEMON@mx.example\nSubject: Undelivered\nMIME-Version: 1.0\n"
        f'Content-Type: multipart/report; report-type={kind}; boundary="b"\n\n'
        f"--b\nContent-Type: text/plain\n\nNon consegnata: 5.9.9\n\n"
        f"--b\nContent-Type: message/{kind}\n\n{machine}\n\n"
        f"--b\nContent-Type: {copy}\n\n{copied}\n--b--\n"
    )


def bounce(*blocks: str, **more: str) -> EmailMessage:
    return report("delivery-status", "\n\n".join(["Reporting-MTA: dns; mx.example", *blocks]), **more)


SHA256 = "0" * 64
ANNA = "Final-Recipient: rfc822; anna@example.it\n"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(
            bounce(f"{ANNA}Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown"),
            [Report("failed", ID, "anna@example.it", "5.1.1", "550 5.1.1 User unknown")],
            id="postfix",
        ),
        pytest.param(
            bounce(
                f"{ANNA}Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp;550-5.1.1 The account\n does not exist"
            ),
            [Report("failed", ID, "anna@example.it", "5.0.0", "550-5.1.1 The account does not exist")],
            id="folded diagnostic",
        ),
        pytest.param(
            bounce(f"{ANNA}Action: delayed\nStatus: 4.4.1\nWill-Retry-Until: Fri, 27 Nov 2026 10:00:00 +0100"),
            [Report("delayed", ID, "anna@example.it", "4.4.1", "")],
            id="delayed",
        ),
        pytest.param(
            bounce(f"{ANNA}Action: relayed\nStatus: 2.0.0"),
            [Report("delivered", ID, "anna@example.it", "2.0.0", "")],
            id="relayed",
        ),
        pytest.param(
            bounce(f"{ANNA}Action: failed\nDiagnostic-Code: smtp; 552 5.2.2 mailbox full"),
            [Report("failed", ID, "anna@example.it", "5.2.2", "552 5.2.2 mailbox full")],
            id="status only in the diagnostic",
        ),
        pytest.param(
            bounce(
                "Original-Recipient: rfc822;anna@example.it\nFinal-Recipient: rfc822;inoltro@altro.example\n"
                "Action: FAILED\nStatus: 5.1.10",
                "Final-Recipient: rfc822; Luca@Example.it\nAction: failed\nStatus: 5.2.1 (disabled)",
            ),
            [
                Report("failed", ID, "anna@example.it", "5.1.10", ""),
                Report("failed", ID, "luca@example.it", "5.2.1", ""),
            ],
            id="two recipients, one forwarded",
        ),
        pytest.param(
            bounce(f"{ANNA}Action: failed\nStatus: 5.1.1", copy="text/rfc822-headers"),
            [Report("failed", ID, "anna@example.it", "5.1.1", "")],
            id="headers only",
        ),
        pytest.param(
            bounce(f"{ANNA}Action: failed\nStatus: 5.1.1", copied="Subject: senza\n\nniente"),
            [Report("failed", None, "anna@example.it", "5.1.1", "")],
            id="of a mail without a Message-ID",
        ),
        pytest.param(bounce(f"{ANNA}Action: exploded\nStatus: 5.1.1"), [], id="an action that is none"),
        pytest.param(bounce(), [], id="no recipient"),
        pytest.param(
            report("feedback-report", "Feedback-Type: abuse\nVersion: 1\nOriginal-Rcpt-To: <anna@example.it>"),
            [Report("complaint", ID, "anna@example.it", None, "abuse")],
            id="complaint",
        ),
        pytest.param(
            report("feedback-report", "Feedback-Type: abuse\nUser-Agent: x", copy="text/rfc822-headers"),
            [Report("complaint", ID, None, None, "abuse")],
            id="complaint without its recipient",
        ),
        pytest.param(report("feedback-report", "Feedback-Type: not-spam"), [], id="a complaint taken back"),
        pytest.param(
            mail(
                "From: MAILER-DAEMON@qmail.example\n\nHi. This is the qmail-send program.\n\n"
                "<anna@example.it>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n"
                f"--- Below this line is a copy of the message.\n\nReturn-Path: <io@studio.example>\n{COPY}"
            ),
            [Report("failed", ID, "anna@example.it", "5.1.1", "Sorry, no mailbox here by that name. (#5.1.1)")],
            id="qmail",
        ),
        pytest.param(
            mail(
                "Return-Path: <>\nFrom: sistema@example.it\nMIME-Version: 1.0\n"
                'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n'
                "Il messaggio non è stato recapitato a anna@example.it.\n550 5.2.1 casella disabilitata\n\n"
                f"--b\nContent-Type: message/rfc822\n\n{COPY}\n--b--\n"
            ),
            [Report("failed", ID, "anna@example.it", "5.2.1", "550 5.2.1 casella disabilitata")],
            id="without a report, with the mail",
        ),
        pytest.param(
            mail("From: postmaster@example.it\n\nanna@example.it: 4.2.2 mailbox full, will retry\n"),
            [Report("delayed", None, "anna@example.it", "4.2.2", "anna@example.it: 4.2.2 mailbox full, will retry")],
            id="a warning of no standard",
        ),
        pytest.param(mail("From: anna@example.it\n\nVersione 5.1.1 pronta\n"), [], id="a mail of a person"),
        pytest.param(mail("From: postmaster@example.it\n\nManutenzione domani\n"), [], id="a notice of a server"),
        pytest.param(
            mail(f"From: mailer-daemon@x.example\n\nReturn-Path: <io@studio.example>\n{COPY}"),
            [],
            id="a code that only the copy has",
        ),
        pytest.param(
            mail("From: mailer-daemon@x.example\nContent-Type: text/plain; charset=nessuno\n\n5.1.1 anna@example.it\n"),
            [Report("failed", None, "anna@example.it", "5.1.1", "5.1.1 anna@example.it")],
            id="a charset that is none",
        ),
        pytest.param(
            mail('Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n--b\n'),
            [],
            id="cut in the middle",
        ),
    ],
)
def test_a_report_is_read_as_its_server_wrote_it(message: EmailMessage, expected: list[Report]) -> None:
    assert mail_reports.read(message) == expected


async def sent(resources: Resources) -> tuple[UUID, str]:
    """Return a person and the Message-ID of what was sent."""
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await channels.connect(connection, user_id)
        contact_id = await channels.reachable(connection, user_id)
        await connection.execute(
            "insert into public.consents (user_id, contact_id, channel, purpose, state)"
            " values ($1, $2, 'email', 'marketing', 'dato')",
            user_id,
            contact_id,
        )
    async with db.as_claims(resources.pool, {"role": "authenticated", "sub": str(user_id)}) as connection:
        mail = await channels.queue(connection, contact_id)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update public.outgoing_mails set state = 'sent', sent_at = now()")
    return user_id, mail["message_id"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("kind", "status", "state", "reason", "consent"),
    [
        ("failed", "5.1.1", "failed", "rimbalzo", "dato"),
        ("failed", "5.2.1", "failed", "rimbalzo", "dato"),
        ("failed", "5.2.2", "failed", None, "dato"),
        # About us, not about the recipient.
        ("failed", "5.7.1", "failed", None, "dato"),
        ("delayed", "4.4.1", "sent", None, "dato"),
        ("delivered", "2.0.0", "sent", None, "dato"),
        ("complaint", None, "sent", "reclamo", "revocato"),
    ],
)
async def test_a_report_changes_the_mail_and_the_suppressions_by_its_code(
    resources: Resources, kind: mail_reports.Kind, status: str | None, state: str, reason: str | None, consent: str
) -> None:
    user_id, message_id = await sent(resources)
    context = Context("mail_inbox", {}, "", resources)
    for known in ("<altro@studio.example>", message_id, message_id):
        report = Report(kind, known, channels.ADDRESS, status, "550 no")
        assert await mail_reports.keep(context, user_id, [report], SHA256) is (known == message_id)
    async with db.connection(resources.pool) as connection:
        mail = await connection.fetchrow("select state::text, error::text from public.outgoing_mails")
        assert mail is not None
        assert (mail["state"], mail["error"]) == (state, "bounced" if state == "failed" else None)
        reasons = await connection.fetch("select reason::text from public.mail_suppressions")
        assert [row["reason"] for row in reasons] == ([reason] if reason else [])
        assert await connection.fetchval("select state::text from public.consents") == consent


@pytest.mark.anyio
async def test_a_report_to_another_person_changes_nothing(resources: Resources) -> None:
    _, message_id = await sent(resources)
    async with db.connection(resources.pool) as connection:
        stranger = await accounts.create(connection)
    context = Context("mail_inbox", {}, "", resources)
    assert not await mail_reports.keep(context, stranger, [Report("complaint", message_id, channels.ADDRESS)], SHA256)
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from public.mail_suppressions") == 0
