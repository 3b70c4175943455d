"""Read new mail from each person's mailbox, one message at a time, and go on after a crash where it stopped.

Any worker reads a mailbox while it has the person's lease. The place is moved after each message is kept, so that a
message is read again rather than lost; a message that is known is not kept twice.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import mail_logins, smtp
from functions._shared.received_mail import idling, keeping, mailbox

EVERY = timedelta(minutes=5)
TIMEOUT_S = 900
# One mailbox holds no place for long: what is left is another job's.
LONGEST_RUN_S = 240
LEASE_S = 600
# So that not all mailboxes are asked at once.
SPREAD_S = 120
# How far back the first reading goes.
HISTORY = timedelta(days=365)
# An older mail does not wait for an answer (private.open_thread).
WAITING = timedelta(days=14)


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Read the mailbox of one person, or wake a job for everybody who has one."""
    if "user_id" not in payload:
        await wake(context)
        return
    user_id = UUID(payload["user_id"])
    lease = await context.call("private.take_lease", user_id, "mail fetch", LEASE_S)
    if lease is None:
        return
    try:
        await fetch(context, user_id)
    finally:
        await asyncio.shield(context.call("private.end_lease", lease))


async def run_in_worker(context: api.Context) -> None:
    """Listen to mailboxes as long as the worker runs; what they tell of is read by a job."""

    async def tell(user_id: UUID) -> None:
        async with context.as_service() as connection:
            # Without a key: one that waits may be minutes away, and one that runs may have looked already.
            await api.enqueue(connection, "mail_fetch", {"user_id": str(user_id)}, user_id=str(user_id))

    await idling.Keeper(context, tell).run()


async def wake(context: api.Context) -> None:
    """Enqueue a job for each person with a mailbox, spread over some minutes."""
    async with context.as_service() as connection:
        for row in await connection.fetch("select private.mail_readers() as user_id"):
            await enqueue(connection, row["user_id"], random.uniform(0, SPREAD_S))


async def enqueue(connection: api.Connection, user_id: UUID, delay_s: float = 0) -> None:
    """Have a mailbox read."""
    await api.enqueue(
        connection, "mail_fetch", {"user_id": str(user_id)}, user_id=str(user_id), delay_s=delay_s,
        dedupe_key=f"mailbox of {user_id}",
    )  # fmt: skip


async def fetch(context: api.Context, user_id: UUID) -> None:
    """Read what is new in all folders and record how it ended."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.mail_inbox_of($1)", user_id)
        domains = await connection.fetchval("select private.known_mail_domains($1)", user_id)
        ibans = await connection.fetchval("select private.own_ibans($1)", user_id)
    if row is None:
        return
    owner = keeping.Owner(user_id, row["from_address"].lower(), domains, ibans, row["is_certified"])
    try:
        server = mailbox.server(dict(row), await mail_logins.password(context, user_id, dict(row)))
        async with mailbox.session(context, server) as box:
            is_complete = await _read_all(context, owner, box)
    except (mailbox.Failure, smtp.Failure) as failure:
        if failure.code == "auth":
            # The next reading refreshes a token that was refused.
            await context.call("private.drop_mail_access", user_id)
        await context.call("private.note_mail_inbox", user_id, None, False, failure.code, failure.reply)
        context.log.warning("mailbox not read", extra={"cause": failure.code})
        return
    await context.call("private.note_mail_inbox", user_id, None, is_complete, None, None)
    if not is_complete:
        async with context.as_service() as connection:
            # This job still runs, and its key with it.
            await api.enqueue(connection, "mail_fetch", {"user_id": str(user_id)}, user_id=str(user_id))


async def _read_all(context: api.Context, owner: keeping.Owner, box: mailbox.Mailbox) -> bool:
    """Read the folders; false when the time was over before the end. Raises mailbox.Failure."""
    ends_at = time.monotonic() + LONGEST_RUN_S
    since = (context.now() - HISTORY).date()
    for role, name in (await mailbox.step(box.folders)).items():
        folder = await mailbox.step(box.select, name)
        place = await context.call("private.mail_place", owner.user_id, name, folder.uidvalidity)
        if place is None:
            return True
        if not folder.uidnext or folder.uidnext != place["last_uid"] + 1:
            uids = await mailbox.step(box.uids, place["last_uid"], since)
            await context.call("private.note_mail_inbox", owner.user_id, len(uids), False, None, None)
            messages = box.messages(uids)
            while (raw := await mailbox.step(_next, messages)) is not None:
                await keeping.keep(context, owner, keeping.Place(role, folder), raw)
                await context.call("private.move_mail_place", owner.user_id, name, folder.uidvalidity, raw.uid)
                if time.monotonic() > ends_at:
                    return False
        if role == "ricevuti" and (not folder.modseq or folder.modseq != place["modseq"]):
            await _note_answered(context, owner, box, folder, place["modseq"])
    return True


async def _note_answered(
    context: api.Context, owner: keeping.Owner, box: mailbox.Mailbox, folder: mailbox.Folder, modseq: int
) -> None:
    """Close what was answered in another program, also where its answer is in no folder that is read."""
    uids = await mailbox.step(box.answered, (context.now() - WAITING).date(), modseq if folder.modseq else 0)
    await context.call(
        "private.note_answered_mails", owner.user_id, folder.name, folder.uidvalidity, uids, folder.modseq
    )


def _next(messages: Iterator[mailbox.Raw]) -> mailbox.Raw | None:
    return next(messages, None)
