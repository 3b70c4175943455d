"""POST /verify for numbers: what the code of an SMS was for."""

from __future__ import annotations

import asyncpg
from starlette.requests import Request

from backend.auth import access, accounts, audit, mails, one_time_tokens, queries, service
from backend.auth.audit import Action
from backend.auth.models import User
from backend.auth.one_time_tokens import Taken
from backend.core import db, http

_PROVIDER = {"provider": "phone"}


async def accept(connection: db.Connection, request: Request, user: User, taken: Taken) -> None:
    """The number is proved: it becomes the user's, or lets the user in. Raises AuthError phone_exists."""
    if taken.token_type == one_time_tokens.PHONE_CHANGE:
        await change(connection, request, user, taken.email)
        return
    resources = http.resources(request)
    action = Action.USER_SIGNED_UP if user.phone_confirmed_at is None else Action.LOGIN
    await accounts.confirm_phone(connection, resources, user)
    await audit.record(connection, action, user, access.device(request), resources.now(), _PROVIDER)


async def change(connection: db.Connection, request: Request, user: User, phone: str) -> None:
    """Gives the user a number that has been proved, and tells them by mail. Raises AuthError phone_exists."""
    now = http.resources(request).now()
    try:
        await queries.accounts.apply_phone_change(connection, user.id, phone, now)
    except asyncpg.PostgresError as error:
        raise accounts.refusal(error, "Database error updating user") from None
    await queries.identities.put_phone(connection, user_id=user.id, phone=phone, verified=True, now=now)
    await queries.provider_accounts.name_providers(connection, user.id, now)
    await audit.record(connection, Action.USER_MODIFIED, user, access.device(request), now, _PROVIDER)
    if user.email_confirmed_at:
        changed = {"OldPhone": user.phone, "Phone": phone}
        await service.post(request).notice(connection, mails.PHONE_CHANGED, user.email, user, **changed)
