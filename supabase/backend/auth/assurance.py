"""Decide who may manage second factors, and raise the session that proves one (AUTH-15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from starlette.requests import Request

from backend.auth import access, errors, queries, sessions
from backend.auth.access import Device
from backend.auth.errors import AuthError, Code
from backend.auth.models import Factor, Session, User
from backend.auth.sessions import Granted
from backend.core import db
from backend.core.resources import Resources

TOTP = "totp"
PHONE = "phone"
WEBAUTHN = "webauthn"
RECOVERY_CODE = "recovery_code"

# What each kind of factor is called among the methods of a session.
AMR = {TOTP: "totp", PHONE: "mfa/phone", WEBAUTHN: "mfa/webauthn", RECOVERY_CODE: "mfa/recovery_code"}
NAME_LENGTH = 120


@dataclass(frozen=True)
class Holder:
    """A person with an account of their own, on a session that can rise."""

    user: User
    session: Session

    @property
    def is_aal2(self) -> bool:
        return self.session.aal == "aal2"


async def holder(request: Request) -> Holder:
    """The caller. Raises AuthError as access.caller, no_authorization for guests, session_not_found without one."""
    caller = await access.caller(request, owing=True)
    if caller.user.is_anonymous:
        raise AuthError(403, Code.NO_AUTHORIZATION, "Anonymous user not allowed to perform these actions")
    if caller.session is None:
        raise AuthError(403, Code.SESSION_NOT_FOUND, "A session is required to use second factors")
    return Holder(caller.user, caller.session)


def path_id(request: Request, name: str) -> UUID:
    """An id in the path. Raises AuthError 404 validation_failed, as upstream."""
    try:
        return UUID(request.path_params[name])
    except ValueError as error:
        raise AuthError(404, Code.VALIDATION_FAILED, f"{name} must be an UUID") from error


def refuse_long_name(name: str) -> None:
    """Raises AuthError validation_failed."""
    if len(name) > NAME_LENGTH:
        raise errors.invalid(f"friendly_name must be {NAME_LENGTH} characters or less")


def has_other_verified(user: User, factor_id: UUID | None) -> bool:
    """Whether a factor beside this one could be used to get in; recovery codes alone do not count."""
    return any(_is_usable(factor) and factor["id"] != str(factor_id) for factor in user.factors)


def _is_usable(factor: dict[str, Any]) -> bool:
    return bool(factor["status"] == "verified") and factor["factor_type"] != RECOVERY_CODE


async def rise(
    connection: db.Connection,
    resources: Resources,
    holder: Holder,
    factor_id: UUID,
    factor_type: str,
    device: Device,
) -> Granted:
    """Lifts the session, which the caller holds, to aal2 and ends the user's others below it.

    The session's earlier refresh tokens are forgotten altogether: one that was stolen before the second factor must
    not lead to a session with it, neither as the parent of the new one nor within the reuse interval.
    """
    now, session_id = resources.now(), holder.session.id
    await queries.sessions.raise_to_aal2(connection, session_id, factor_id, now)
    await queries.sessions.insert_amr_claim(
        connection, claim_id=uuid4(), session_id=session_id, method=AMR[factor_type], now=now
    )
    token = sessions.new_refresh_token()
    await queries.refresh_tokens.delete_all(connection, session_id)
    await queries.refresh_tokens.insert(
        connection, token=token, user_id=holder.user.id, session_id=session_id, parent=None, now=now
    )
    await queries.sessions.set_refreshed(connection, session_id, device.user_agent, device.ip, now)
    await queries.sessions.delete_below_aal2(connection, holder.user.id, session_id)
    user = await queries.users.find(connection, holder.user.id)
    session = await queries.sessions.find(connection, session_id)
    assert user is not None
    assert session is not None
    return await sessions.grant(connection, resources, user, session, token, AMR[factor_type])


async def remove(connection: db.Connection, resources: Resources, factor: Factor) -> None:
    """Deletes a factor; the sessions it raised fall back to aal1."""
    method = AMR[factor.factor_type]
    await queries.sessions.lower_to_aal1(connection, factor.id, method, resources.now())
    await queries.factors.delete(connection, factor.id)
