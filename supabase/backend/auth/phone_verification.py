"""POST /verify for numbers: what the code of an SMS was for."""

from __future__ import annotations

import asyncpg
from starlette.requests import Request

from backend.auth import access, accounts, audit, one_time_tokens, queries
from backend.auth.access import Device
from backend.auth.audit import Action
from backend.auth.models import User
from backend.auth.one_time_tokens import Taken
from backend.core import db, http
from backend.core.resources import Resources

_PROVIDER = {"provider": "phone"}


async def accept(connection: db.Connection, request: Request, user: User, taken: Taken) -> None:
    """The number is proved: it becomes the user's, or lets the user in. Raises AuthError phone_exists."""
    resources, device = http.resources(request), access.device(request)
    if taken.token_type == one_time_tokens.PHONE_CHANGE:
        await change(connection, resources, user, taken.email, device)
        return
    action = Action.USER_SIGNED_UP if user.phone_confirmed_at is None else Action.LOGIN
    await accounts.confirm_phone(connection, resources, user)
    await audit.record(connection, action, user, device, resources.now(), _PROVIDER)


async def change(connection: db.Connection, resources: Resources, user: User, phone: str, device: Device) -> None:
    """Gives the user a number that has been proved. Raises AuthError phone_exists."""
    now = resources.now()
    try:
        await queries.accounts.apply_phone_change(connection, user.id, phone, now)
    except asyncpg.PostgresError as error:
        raise accounts.refusal(error, "Database error updating user") from None
    await queries.identities.put_phone(connection, user_id=user.id, phone=phone, verified=True, now=now)
    await queries.provider_accounts.name_providers(connection, user.id, now)
    await audit.record(connection, Action.USER_MODIFIED, user, device, now, _PROVIDER)
