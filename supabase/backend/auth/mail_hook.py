"""The hook send_email: the product's own way to send the mails of accounts, instead of a mail server.

The same outbox: what the hook needs lies there as JSON in the place of the text, until the worker has handed it over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from backend.auth import hooks
from backend.auth.errors import AuthError
from backend.auth.models import User
from backend.auth.one_time_tokens import OneTimeToken
from backend.core import db, mail
from backend.core.resources import Resources

SEND_JOB = "auth.send_email"


async def enqueue(
    connection: db.Connection,
    resources: Resources,
    action: str,
    user: User,
    redirect_to: str,
    token: OneTimeToken | None,
    to_current: OneTimeToken | None,
    more: Mapping[str, str],
) -> None:
    """Puts the payload into the outbox, in the caller's transaction.

    With `to_current` a change of address asks both: upstream's names are crossed there, `token_hash_new` goes with
    `token` to the current address, `token_hash` with `token_new` to the new one.
    """
    codes = {"token": token.code, "token_hash": token.hash} if token else {"token": "", "token_hash": ""}
    if token and to_current:
        codes |= {"token": to_current.code, "token_new": token.code, "token_hash_new": to_current.hash}
    data = {
        "token_new": "",
        "token_hash_new": "",
        "old_email": "",
        "old_phone": "",
        "provider": "",
        "factor_type": "",
        **codes,
        "redirect_to": redirect_to,
        "email_action_type": action,
        "site_url": resources.settings.auth.site_url,
        **{name: more[variable] for variable, name in _NAMES.items() if variable in more},
    }
    payload = json.dumps({"user": user.public(), "email_data": data}, ensure_ascii=False)
    await mail.enqueue(connection, mail.Message(user.email, action, "", payload, action), SEND_JOB)


# The variables of templates, by the names of the hook.
_NAMES = {"OldEmail": "old_email", "OldPhone": "old_phone", "Provider": "provider", "FactorType": "factor_type"}


async def send(resources: Resources, payload: dict[str, Any]) -> None:
    """The job; the id tells the hook that a mail is the same again. Raises TemporaryFailure: worth another attempt."""
    mail_id = UUID(payload["mail_id"])
    message = await mail.waiting(resources, mail_id)
    if message is None:
        return
    try:
        await hooks.call(resources, hooks.SEND_EMAIL, json.loads(message.text), message_id=str(mail_id))
    except AuthError as error:
        await mail.settle(resources, mail_id, "queued", str(error.code))
        raise mail.TemporaryFailure(str(error.code)) from error
    await mail.settle(resources, mail_id, "sent", None)
