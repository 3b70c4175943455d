"""Have Google revoke the tokens of mail accounts that were disconnected, replaced or erased."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import mail_logins

EVERY = timedelta(minutes=5)
TIMEOUT_S = 900


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Revoke what is due; what fails, or cannot be decrypted, is due again in ten minutes, for a week."""
    async with context.as_service() as connection:
        due = await connection.fetch("select * from private.due_mail_revocations()")
    provider = mail_logins.provider(context, "google")
    if provider is None:
        return
    for row in due:
        token = context.unseal_if_possible(mail_logins.PURPOSE, row["user_id"], row["sealed"])
        if token is None:
            continue
        try:
            await mail_logins.revoke(context, provider, token)
        except mail_logins.Unavailable as error:
            context.log.warning("mail login not revoked", extra={"cause": str(error)})
        else:
            await context.call("private.end_mail_revocation", row["id"])
