"""The audit log: one row per action, in the transaction of the action (api-reference 2.16)."""

# ruff: noqa: S105 - names of actions, no passwords
from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import uuid4

from backend.auth import queries
from backend.auth.access import Device
from backend.auth.models import User
from backend.core import db


class Action(StrEnum):
    """What can happen; upstream's names."""

    LOGIN = "login"
    LOGOUT = "logout"
    USER_SIGNED_UP = "user_signedup"
    USER_REPEATED_SIGN_UP = "user_repeated_signup"
    USER_CONFIRMATION_REQUESTED = "user_confirmation_requested"
    USER_RECOVERY_REQUESTED = "user_recovery_requested"
    USER_REAUTHENTICATE_REQUESTED = "user_reauthenticate_requested"
    USER_MODIFIED = "user_modified"
    USER_UPDATED_PASSWORD = "user_updated_password"
    TOKEN_REFRESHED = "token_refreshed"
    TOKEN_REVOKED = "token_revoked"


_LOG_TYPES = {
    Action.LOGIN: "account",
    Action.LOGOUT: "account",
    Action.USER_SIGNED_UP: "team",
    Action.TOKEN_REFRESHED: "token",
    Action.TOKEN_REVOKED: "token",
}


async def record(
    connection: db.Connection,
    action: Action,
    user: User,
    device: Device,
    now: datetime,
    traits: dict[str, Any] | None = None,
) -> None:
    """Writes one entry."""
    name = user.user_metadata.get("full_name")
    payload = {
        "action": action,
        "actor_id": str(user.id),
        "actor_username": user.email or user.phone,
        **({"actor_name": name} if isinstance(name, str) and name else {}),
        "actor_via_sso": user.is_sso_user,
        "log_type": _LOG_TYPES.get(action, "user"),
        **({"traits": traits} if traits else {}),
    }
    await queries.audit.insert(connection, entry_id=uuid4(), payload=payload, ip=device.ip[:64], now=now)
