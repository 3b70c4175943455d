"""Mails of a person: a large sending whose worker is killed, a first reading, and how soon a new mail is there.

The servers are those of the tests: aiosmtpd in this process, and Dovecot.
"""

from __future__ import annotations

import asyncio
import imaplib
import logging
import os
import time
from email.message import EmailMessage
from uuid import UUID

import aiosmtplib

from backend.core import db, jobs
from scripts import postgres
from scripts.bench import cpu
from scripts.bench.goals import Result, alternately
from scripts.bench.realtime import p95, rss_bytes
from scripts.bench.stage import (
    LOOK_EVERY_S,
    PATIENCE_S,
    WORKER,
    Person,
    Stage,
    at_rest,
    connected,
    send_with_deaths,
    until,
)
from tests.fakes import dovecot, smtp

ADDRESS = "io@studio.example"
# A round of the comparison with a bare client.
ROUND = 300
RECIPIENTS, KILLED_AFTER = 10_000, (2_000, 6_000)
# A worker that dies leaves three mails of a job leased or uncertain, and the sweep may have begun a second job.
LEFT_BY_THE_DEAD = 2 * 3 * len(KILLED_AFTER)
HISTORY, HISTORY_BYTES, HISTORY_S = 20_000, 150 * 10**6, 1_800
NEWS, ON_SCREEN_S = 20, 2.0

CLAIM = "select pg_get_functiondef('private.claim_mail(uuid, integer)'::regprocedure)"
CONTACTS = """
with people as (
  -- Names as different as those of people.
  insert into public.contacts (user_id, first_name) select $1, md5(no::text) from generate_series(1, $2) as no
  returning id, user_id
)
insert into public.contact_emails (user_id, contact_id, value)
select user_id, id, 'c' || id || '@example.com' from people
"""
MAILS = """
insert into public.outgoing_mails (
  user_id, contact_id, key, recipient, subject, body, basis, message_id, not_before, expires_at, is_at_once
)
select user_id, contact_id, gen_random_uuid(), value, 'Chiusura estiva', E'Ciao,\\n\\nad agosto siamo chiusi.',
  'contratto', '<' || gen_random_uuid() || '@studio.example>', now(), now() + interval '1 day', true
from public.contact_emails where user_id = $1 order by id limit $2
"""


async def sending(stage: Stage, database_url: str) -> list[Result]:
    """Measure the pace of the outbox against a bare client, then a large sending whose worker dies twice."""
    # aiosmtpd says at each sign-in which of its own names it will drop.
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    person = stage.people[-3]
    async with connected(database_url) as connection, smtp.serving(dovecot.PASSWORD) as server:
        # Providers lock who sends faster than twenty a minute; here the pace itself is measured.
        claim = await connection.fetchval(CLAIM)
        assert "interval '1 minute'" in claim
        await connection.execute(claim.replace("interval '1 minute'", "interval '0'"))
        await _connect(stage, person, server.port)
        await connection.execute(CONTACTS, person.id, RECIPIENTS)
        await connection.execute("analyze")
        await at_rest(connection)

        async def ours() -> float:
            began = len(server.received)
            await connection.execute(MAILS, person.id, ROUND)
            await jobs.enqueue(connection, "mail_outbox", {"user_id": person.id})
            return await _pace(server, began, began + ROUND)

        async def bare() -> float:
            began = len(server.received)
            _, per_s = await asyncio.gather(_send_bare(server.port, ROUND), _pace(server, began, began + ROUND))
            return per_s

        mine, least = await alternately(ours, bare)
        details = f"{mine:.0f} to {least:.0f} mails a second, one connection each"
        pace = Result("mail", "pace of sending, to bare aiosmtplib", mine / least, 0.5, details, at_least=True)
        return [pace, await _killed(connection, person, server)]


async def _killed(connection: db.Connection, person: Person, server: smtp.Server) -> Result:
    """Send to all, and kill the worker on the way."""
    await connection.execute("delete from public.outgoing_mails where user_id = $1", person.id)
    server.received.clear()
    await connection.execute(MAILS, person.id, RECIPIENTS)
    end = RECIPIENTS - LEFT_BY_THE_DEAD
    taken_s = await send_with_deaths(connection, "mail_outbox", person, lambda: len(server.received), KILLED_AFTER, end)
    states = await connection.fetch(
        "select state::text, count(*) as mails from public.outgoing_mails where user_id = $1 group by state", person.id
    )
    counted = {row["state"]: row["mails"] for row in states}
    sent = [str(letter["Message-ID"]) for letter in server.letters()]
    known = await connection.fetch(
        "select message_id from public.outgoing_mails where user_id = $1 and state in ('sent', 'failed')", person.id
    )
    doubled, lost = len(sent) - len(set(sent)), len({row["message_id"] for row in known} - set(sent))
    told = ", ".join(f"{mails:,} {state}" for state, mails in sorted(counted.items()))
    details = f"{doubled} doubled, {lost} lost of {RECIPIENTS:,}: {told}; {taken_s:.0f} s"
    return Result("mail", "doubled or lost, worker killed twice", doubled + lost, 0, details)


async def reading(stage: Stage, database_url: str) -> list[Result]:
    """Measure the first reading of a large mailbox, then how soon a new mail is there after it was delivered."""
    person, listener = stage.people[-4], stage.people[-5]
    port = postgres.free_port()
    serving = dovecot.serving(port)
    await asyncio.to_thread(serving.__enter__)
    try:
        async with connected(database_url) as connection, smtp.serving(dovecot.PASSWORD) as server:
            return [
                await _first_reading(stage, connection, person, server.port, port),
                await _soon(stage, connection, listener, server.port, port),
            ]
    finally:
        await asyncio.to_thread(serving.__exit__, None, None, None)


async def _first_reading(stage: Stage, connection: db.Connection, person: Person, smtp_port: int, port: int) -> Result:
    await asyncio.to_thread(_deliver, port, person.id, HISTORY)
    worker = cpu.matching(WORKER)
    before = most = sum(map(rss_bytes, worker))
    began_s = time.perf_counter()
    await _connect(stage, person, smtp_port, port)
    while not await connection.fetchval("select completed_at from public.mail_inboxes where user_id = $1", person.id):
        most = max(most, sum(map(rss_bytes, worker)))
        assert time.perf_counter() - began_s < HISTORY_S
        await asyncio.sleep(0.5)
    taken_s = time.perf_counter() - began_s
    kept = await connection.fetchval("select count(*) from public.received_mails where user_id = $1", person.id)
    assert kept == HISTORY
    grown = most - before
    details = f"{grown / 10**6:.0f} MB more than before; {HISTORY:,} mails in {taken_s:.0f} s"
    return Result("mail", "memory of a first reading, to 150 MB", grown / HISTORY_BYTES, 1, details)


async def _soon(stage: Stage, connection: db.Connection, person: Person, smtp_port: int, port: int) -> Result:
    """From the delivery to the row, as the person's client reads it."""
    await _connect(stage, person, smtp_port, port)
    held = "select count(*) from private.leases where user_id = $1 and name = 'mail idle'"
    began_s = time.perf_counter()
    while not await connection.fetchval(held, person.id):
        assert time.perf_counter() - began_s < PATIENCE_S
        await asyncio.sleep(LOOK_EVERY_S)
    headers = stage.headers_of(person)
    taken: list[float] = []
    for number in range(1, NEWS + 1):
        await asyncio.to_thread(_deliver, port, person.id, 1)
        began_s = time.perf_counter()
        while True:
            async with stage.client.get(f"{stage.url}/rest/v1/received_mails?select=id", headers=headers) as answer:
                if len(await answer.json()) == number:
                    break
            assert time.perf_counter() - began_s < PATIENCE_S
            await asyncio.sleep(LOOK_EVERY_S)
        taken.append(time.perf_counter() - began_s)
    slow_s = p95(taken)
    details = f"p95 {slow_s:.2f} s of {NEWS}, to the row"
    return Result("mail", "a new mail after the server tells, to 2 s", slow_s / ON_SCREEN_S, 1, details)


async def _connect(stage: Stage, person: Person, port: int, imap_port: int | None = None) -> None:
    """Connect the person's account, as its form does."""
    account = {
        "host": "127.0.0.1", "port": port, "security": "starttls", "username": person.id, "password": dovecot.PASSWORD,
        "from_address": ADDRESS, "from_name": "Studio Io", "signature": "Io", "is_certified": False,
        "imap": {"host": "127.0.0.1", "port": imap_port, "security": "starttls"} if imap_port else None,
    }  # fmt: skip
    headers = stage.headers_of(person)
    async with stage.client.put(f"{stage.url}/functions/v1/mail_account", json=account, headers=headers) as answer:
        assert answer.status == 200, await answer.text()


async def _pace(server: smtp.Server, began: int, end: int) -> float:
    """Return the mails a second from the first to the last that the server received."""
    await until(lambda: len(server.received) > began, PATIENCE_S)
    began_s, first = time.perf_counter(), len(server.received)
    await until(lambda: len(server.received) >= end, PATIENCE_S)
    return (end - first) / (time.perf_counter() - began_s)


async def _send_bare(port: int, count: int) -> None:
    """Send as many mails as the outbox would, and nothing else."""
    client = aiosmtplib.SMTP(hostname="127.0.0.1", port=port, username="io", password=dovecot.PASSWORD)
    async with client:
        for _ in range(count):
            mail = _mail("Chiusura estiva")
            await client.sendmail(ADDRESS, ["cliente@example.com"], mail.as_bytes())


def _mail(subject: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Anna Neri <anna@example.it>", ADDRESS, subject
    mail["Message-ID"] = f"<{UUID(bytes=os.urandom(16))}@example.it>"
    mail.set_content("Buongiorno,\n\nle scrivo per il preventivo.\n")
    mail.add_alternative("<p>Buongiorno,</p><p>le scrivo per il preventivo.</p>", subtype="html")
    return mail


def _deliver(port: int, account: str, count: int) -> None:
    """Put mails into a mailbox of Dovecot."""
    with imaplib.IMAP4("127.0.0.1", port, timeout=30) as client:
        client.login(account, dovecot.PASSWORD)
        for number in range(count):
            content = _mail(f"Preventivo {number}").as_bytes().replace(b"\n", b"\r\n")
            assert client.append("INBOX", "", "", content)[0] == "OK"
