"""Notices of the exchange system (SdI) in a certified mailbox: each is kept at the invoice whose file it names."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import datetime
from uuid import UUID

from backend.edge import api
from functions._shared import sdi_notices
from functions._shared.received_mail import opening


async def keep(context: api.Context, user_id: UUID, opened: opening.Opened, arrived_at: datetime | None) -> None:
    """Keep the notices that a mail of the exchange system brings; other mails bring none."""
    if not opened.is_exchange:
        return
    for file in opened.mail.files:
        if not sdi_notices.is_notice(file.name):
            continue
        notice = await asyncio.to_thread(sdi_notices.read, file.content)
        if notice is None or notice.invoice_file is None:
            continue
        await context.call(
            "private.note_sdi_notice", user_id, notice.invoice_file, notice.kind, notice.is_refused,
            notice.sentence(), notice.correct_by, hashlib.sha256(file.content).hexdigest(),
            arrived_at or context.now(),
        )  # fmt: skip
