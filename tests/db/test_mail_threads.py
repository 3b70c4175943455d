"""Threads of received mails: by what a mail refers to, in the shapes of mail programs; never by subject alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from backend.core import config
from functions._shared.received_mail import message
from tests.db import accounts, channels
from tests.db.accounts import Connection, rolled_back

pytestmark = pytest.mark.anyio
SHAPES: list[dict[str, Any]] = json.loads((config.ROOT / "tests" / "vectors" / "mail_threads.json").read_text("utf-8"))
REMINDER, ANOTHER = "<o1@studio.example>", "<secret-out@altri.it>"


async def person(connection: Connection, message_id: str) -> UUID:
    """Make a person with an account who has sent a reminder with this Message-ID."""
    user_id = await accounts.create(connection)
    await channels.connect(connection, user_id)
    contact_id = await channels.reachable(connection, user_id)
    await channels.open_inbox(connection, user_id)
    await connection.execute(
        """
        insert into public.outgoing_mails (
          user_id, contact_id, key, recipient, subject, body, basis, message_id, not_before, expires_at, state, sent_at
        )
        values ($1, $2, gen_random_uuid(), $3, 'Sollecito fattura 12', 'x', 'contratto', $4, now(), now(), 'sent',
          now())
        """,
        user_id,
        contact_id,
        channels.ADDRESS,
        message_id,
    )
    return user_id


async def receive(connection: Connection, user_id: UUID, headers: str, **more: Any) -> UUID:
    """Keep a mail with these headers; answers its thread."""
    mail = message.read(f"{headers}\n\nCiao".encode())
    ids = list(dict.fromkeys([*mail.references, *mail.in_reply_to]))
    told = {"party": mail.sender, "sender": mail.sender, "kind": mail.kind, "subject": mail.subject or "Senza oggetto",
            "reference_ids": ids, **({"message_id": mail.message_id} if mail.message_id else {}), **more}  # fmt: skip
    thread_id: UUID = (await channels.receive(connection, user_id, **told))["thread_id"]
    return thread_id


async def scene(connection: Connection) -> tuple[UUID, dict[str, UUID]]:
    """Make a mailbox with the threads that the shapes name."""
    user_id, other = await person(connection, REMINDER), await person(connection, ANOTHER)
    anna, ugo = "From: anna@example.it\n", "From: ugo@rossi.it\n"
    await receive(connection, other, anna + "Message-ID: <secret@altri.it>\nSubject: Segreto")
    long_ago = (datetime.now(UTC) - timedelta(days=30)).isoformat()
    threads = {
        "old": await receive(
            connection, user_id, anna + "Message-ID: <v1@example.it>\nSubject: Vecchia storia", at=long_ago
        ),
        "quote": await receive(connection, user_id, anna + "Message-ID: <r1@example.it>\nSubject: Preventivo sito"),
        "ugo": await receive(connection, user_id, ugo + "Message-ID: <u1@rossi.it>\nSubject: Preventivo sito"),
        "meeting": await receive(
            connection, user_id, anna + "Subject: Re: Riunione\nIn-Reply-To: <seen-by-nobody@example.it>"
        ),
        "signs": await receive(
            connection, user_id, anna + "Message-ID: <AANLkTi=+_x.y/z$1@mail.example.it>\nSubject: a"
        ),
        "literal": await receive(connection, user_id, anna + "Message-ID: <1@[10.0.0.1]>\nSubject: b"),
        "bare": await receive(connection, user_id, anna + "Message-ID: <20261120-abc>\nSubject: c"),
    }
    sent = await receive(
        connection, user_id, "From: io@studio.example\nMessage-ID: <s1@studio.example>\nIn-Reply-To: <r1@example.it>",
        folder="inviati", folder_name="Sent", party=channels.ADDRESS,
    )  # fmt: skip
    assert sent == threads["quote"]
    return user_id, threads


async def test_a_mail_finds_its_thread(connection: Connection) -> None:
    user_id, threads = await scene(connection)
    names = {thread_id: name for name, thread_id in threads.items()}
    for shape in SHAPES:
        async with rolled_back(connection):
            found = await receive(connection, user_id, shape["headers"])
            thread = await connection.fetchrow("select * from public.mail_threads where id = $1", found)
            is_reminder = await connection.fetchval(
                "select count(*) from public.mail_thread_letters where user_id = $1 and thread_id = $2", user_id, found
            )
        assert thread is not None
        told = names.get(found, "reminder" if is_reminder else "new")
        suggests = names.get(thread["suggested_thread_id"]) if told == "new" else None
        assert (shape["name"], told, suggests) == (shape["name"], shape["thread"], shape["suggests"])


def test_there_are_at_least_sixty_shapes_with_names_of_their_own() -> None:
    assert len({shape["name"] for shape in SHAPES}) == len(SHAPES) >= 60


async def test_suggesting_a_thread_reads_no_other_subject_of_a_busy_correspondent(connection: Connection) -> None:
    async with rolled_back(connection):
        user_id = await person(connection, REMINDER)
        headers = "From: robot@example.it\nSubject: Backup riuscito"
        thread_id = await receive(connection, user_id, headers)
        await connection.execute(
            """
            insert into public.received_mails (
              user_id, thread_id, folder, folder_name, uidvalidity, message_uid, message_id, sha256, kind, sender,
              party, subject, bytes, at
            )
            select user_id, thread_id, folder, folder_name, uidvalidity, message_uid + no, no || '@example.it', sha256,
              kind, sender, party, 'Avviso ' || no, bytes, at + no * interval '1 second'
            from public.received_mails, generate_series(1, 3000) as no where user_id = $1
            """,
            user_id,
        )
        await connection.execute("analyze public.received_mails")
        mail = f"'{user_id}', 'robot@example.it', 'R: backup riuscito', now() + interval '1 hour'"
        suggest = f"select private.similar_thread({mail})"
        assert await connection.fetchval(suggest) == thread_id
        plan = json.loads(await connection.fetchval(f"explain (analyze, buffers, format json) {suggest}"))[0]["Plan"]
        assert plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] < 50
