"""Write the audit log: one row per action, in the transaction of the action (AUTH-29)."""

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
    """What can happen; upstream's names where it has one."""

    LOGIN = "login"
    LOGOUT = "logout"
    USER_SIGNED_UP = "user_signedup"
    USER_REPEATED_SIGN_UP = "user_repeated_signup"
    USER_CONFIRMATION_REQUESTED = "user_confirmation_requested"
    USER_RECOVERY_REQUESTED = "user_recovery_requested"
    USER_REAUTHENTICATE_REQUESTED = "user_reauthenticate_requested"
    USER_INVITED = "user_invited"
    USER_DELETED = "user_deleted"
    USER_MODIFIED = "user_modified"
    USER_UPDATED_PASSWORD = "user_updated_password"
    TOKEN_REFRESHED = "token_refreshed"
    TOKEN_REVOKED = "token_revoked"
    INVITE_ACCEPTED = "invite_accepted"
    PROVIDER_CREATED = "provider_created"
    PROVIDER_UPDATED = "provider_updated"
    PROVIDER_DELETED = "provider_deleted"
    OAUTH_CLIENT_CREATED = "oauth_client_created"
    OAUTH_CLIENT_UPDATED = "oauth_client_updated"
    OAUTH_CLIENT_DELETED = "oauth_client_deleted"
    OAUTH_CONSENT_GRANTED = "oauth_consent_granted"
    OAUTH_CONSENT_DENIED = "oauth_consent_denied"
    OAUTH_CONSENT_REVOKED = "oauth_consent_revoked"
    IDENTITY_LINKED = "identity_linked"
    IDENTITY_UNLINKED = "identity_unlinked"
    FACTOR_IN_PROGRESS = "factor_in_progress"
    FACTOR_UNENROLLED = "factor_unenrolled"
    FACTOR_UPDATED = "factor_updated"
    FACTOR_DELETED = "factor_deleted"
    CHALLENGE_CREATED = "challenge_created"
    VERIFICATION_ATTEMPTED = "verification_attempted"
    RECOVERY_CODES_GENERATED = "recovery_codes_generated"
    RECOVERY_CODES_REGENERATED = "recovery_codes_regenerated"
    RECOVERY_CODES_VERIFIED = "recovery_codes_verified"
    RECOVERY_CODES_DELETED = "recovery_codes_deleted"
    PASSKEY_CREATED = "passkey_created"
    PASSKEY_UPDATED = "passkey_updated"
    PASSKEY_DELETED = "passkey_deleted"


_FACTOR_ACTIONS = (
    Action.FACTOR_IN_PROGRESS,
    Action.FACTOR_UNENROLLED,
    Action.FACTOR_UPDATED,
    Action.FACTOR_DELETED,
    Action.CHALLENGE_CREATED,
    Action.VERIFICATION_ATTEMPTED,
    Action.RECOVERY_CODES_GENERATED,
    Action.RECOVERY_CODES_REGENERATED,
    Action.RECOVERY_CODES_VERIFIED,
    Action.RECOVERY_CODES_DELETED,
    Action.PASSKEY_CREATED,
    Action.PASSKEY_UPDATED,
    Action.PASSKEY_DELETED,
)
_LOG_TYPES = {
    **dict.fromkeys(_FACTOR_ACTIONS, "factor"),
    Action.LOGIN: "account",
    Action.LOGOUT: "account",
    Action.INVITE_ACCEPTED: "account",
    Action.USER_SIGNED_UP: "team",
    Action.USER_INVITED: "team",
    Action.USER_DELETED: "team",
    Action.TOKEN_REFRESHED: "token",
    Action.TOKEN_REVOKED: "token",
}


def entry(action: Action, user: User, traits: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what one entry says."""
    name = user.user_metadata.get("full_name")
    return {
        "action": action,
        "actor_id": str(user.id),
        "actor_username": user.email or user.phone,
        **({"actor_name": name} if isinstance(name, str) and name else {}),
        "actor_via_sso": user.is_sso_user,
        "log_type": _LOG_TYPES.get(action, "user"),
        **({"traits": traits} if traits else {}),
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
    payload = entry(action, user, traits)
    await queries.audit.insert(connection, entry_id=uuid4(), payload=payload, ip=device.ip[:64], now=now)
