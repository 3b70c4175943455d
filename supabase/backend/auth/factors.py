"""Answer POST /factors and DELETE /factors/{factor_id}: add and remove a second factor (AUTH-14, AUTH-16)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, assurance, audit, bodies, errors, mails, phones, queries, sealed, service, totp
from backend.auth.assurance import Holder
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.core import db, http
from backend.core.config import Auth
from backend.core.resources import Resources

# An enrolment nobody finished in this time makes room for the next one.
ENROLMENT_LIFE = timedelta(seconds=300)


async def enroll(request: Request) -> Response:
    """An unverified factor with what the person needs to verify it."""
    resources = http.resources(request)
    holder = await assurance.holder(request)
    body = await bodies.read(request)
    kind = body.text("factor_type")
    if kind not in _KINDS:
        raise errors.invalid("factor_type needs to be totp, phone, or webauthn")
    _refuse_disabled(kind, resources.settings.auth)
    factor_id, name = uuid4(), body.text("friendly_name")
    assurance.refuse_long_name(name)
    async with db.transaction(resources.pool) as connection:
        await make_room(connection, resources, holder, name)
        shown = await _KINDS[kind](connection, resources, holder.user, factor_id, body)
        traits = {"factor_id": str(factor_id), "factor_type": kind}
        device = access.device(request)
        await audit.record(connection, Action.FACTOR_IN_PROGRESS, holder.user, device, resources.now(), traits)
    return JSONResponse(
        {"id": str(factor_id), "type": kind, "friendly_name": name, **shown}, headers={"Cache-Control": "no-store"}
    )


def _refuse_disabled(kind: str, settings: Auth) -> None:
    switch, code, name = {
        assurance.TOTP: (settings.mfa.totp, Code.MFA_TOTP_ENROLL_NOT_ENABLED, "TOTP"),
        assurance.PHONE: (settings.mfa.phone, Code.MFA_PHONE_ENROLL_NOT_ENABLED, "Phone"),
        assurance.WEBAUTHN: (settings.mfa.web_authn, Code.MFA_WEBAUTHN_ENROLL_NOT_ENABLED, "WebAuthn"),
    }[kind]
    if not switch.enroll_enabled:
        raise AuthError(422, code, f"MFA enroll is disabled for {name}")


async def make_room(connection: db.Connection, resources: Resources, holder: Holder, name: str) -> User:
    """Checks that one more factor may be enrolled and answers the user as they are now, locked.

    Raises AuthError session_not_found, mfa_factor_name_conflict, too_many_enrolled_mfa_factors, insufficient_aal.
    """
    await access.hold(connection, holder.user.id, holder.session.id)
    await queries.factors.delete_stale(connection, holder.user.id, resources.now() - ENROLMENT_LIFE)
    user = await queries.users.find(connection, holder.user.id)
    if user is None:
        raise AuthError(403, Code.USER_NOT_FOUND, "User from sub claim in JWT does not exist")
    # Nameless factors do not collide: upstream refuses the second one, and its users wonder why.
    if name.strip() and any(factor["friendly_name"] == name for factor in user.factors):
        message = f'A factor with the friendly name "{name}" for this user already exists'
        raise AuthError(422, Code.MFA_FACTOR_NAME_CONFLICT, message)
    if len(user.factors) >= resources.settings.auth.mfa.max_enrolled_factors:
        message = "Maximum number of verified factors reached, unenroll to continue"
        raise AuthError(422, Code.TOO_MANY_ENROLLED_MFA_FACTORS, message)
    if user.has_verified_factor and not holder.is_aal2:
        raise AuthError(403, Code.INSUFFICIENT_AAL, "AAL2 required to enroll a new factor")
    return user


async def _totp(
    connection: db.Connection, resources: Resources, user: User, factor_id: UUID, body: Body
) -> dict[str, Any]:
    secret = totp.new_secret()
    issuer = body.text("issuer") or urlsplit(resources.settings.auth.site_url).netloc
    address = totp.uri(secret, issuer, user.email or user.phone or str(user.id))
    try:
        drawn = totp.qr_code(address)
    except ValueError as error:
        raise errors.invalid("issuer is too long for a QR code") from error
    await queries.factors.insert(
        connection,
        factor_id=factor_id,
        user_id=user.id,
        factor_type=assurance.TOTP,
        status="unverified",
        friendly_name=body.text("friendly_name"),
        secret=sealed.seal(resources.keys, factor_id, secret),
        now=resources.now(),
    )
    return {"totp": {"qr_code": drawn, "secret": secret, "uri": address}}


async def _webauthn(
    connection: db.Connection, resources: Resources, user: User, factor_id: UUID, body: Body
) -> dict[str, Any]:
    await queries.factors.insert(
        connection,
        factor_id=factor_id,
        user_id=user.id,
        factor_type=assurance.WEBAUTHN,
        status="unverified",
        friendly_name=body.text("friendly_name"),
        now=resources.now(),
    )
    return {}


async def _phone(
    connection: db.Connection, resources: Resources, user: User, factor_id: UUID, body: Body
) -> dict[str, Any]:
    """An enrolment of the same number that was never finished makes way."""
    if not body.text("phone"):
        raise errors.invalid("Phone number required to enroll Phone factor")
    phone = phones.normalise(body.text("phone"))
    for factor in await queries.factors.of_user(connection, user.id):
        if factor.factor_type == assurance.PHONE and factor.phone == phone:
            if factor.is_verified:
                message = "A verified phone factor already exists, unenroll the existing factor to continue"
                raise AuthError(422, Code.MFA_VERIFIED_FACTOR_EXISTS, message)
            await queries.factors.delete(connection, factor.id)
    await queries.factors.insert(
        connection,
        factor_id=factor_id,
        user_id=user.id,
        factor_type=assurance.PHONE,
        status="unverified",
        friendly_name=body.text("friendly_name"),
        phone=phone,
        now=resources.now(),
    )
    return {"phone": body.text("phone")}


_KINDS: Mapping[str, Callable[[db.Connection, Resources, User, UUID, Body], Awaitable[dict[str, Any]]]] = {
    assurance.TOTP: _totp,
    assurance.PHONE: _phone,
    assurance.WEBAUTHN: _webauthn,
}


async def unenroll(request: Request) -> Response:
    """Removes a factor. Raises AuthError insufficient_aal, mfa_recovery_codes_sole_factor, mfa_factor_not_found."""
    resources = http.resources(request)
    holder = await assurance.holder(request)
    factor_id, device = assurance.path_id(request, "factor_id"), access.device(request)
    async with db.transaction(resources.pool) as connection:
        await access.hold(connection, holder.user.id, holder.session.id)
        factor = await queries.factors.find(connection, holder.user.id, factor_id)
        if factor is None:
            raise AuthError(404, Code.MFA_FACTOR_NOT_FOUND, "Factor not found")
        if factor.factor_type == assurance.RECOVERY_CODE:
            message = "Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes"
            raise AuthError(422, Code.VALIDATION_FAILED, message)
        if factor.is_verified:
            await _refuse_unsafe_removal(connection, holder, factor_id)
        await assurance.remove(connection, resources, factor)
        traits = {"factor_id": str(factor_id), "factor_status": factor.status, "session_id": str(holder.session.id)}
        await audit.record(connection, Action.FACTOR_UNENROLLED, holder.user, device, resources.now(), traits)
        if factor.is_verified and holder.user.email:
            post, kind = service.post(request), factor.factor_type
            await post.notice(connection, mails.MFA_FACTOR_UNENROLLED, holder.user.email, holder.user, FactorType=kind)
    return JSONResponse({"id": str(factor_id)})


async def _refuse_unsafe_removal(connection: db.Connection, holder: Holder, factor_id: UUID) -> None:
    if not holder.is_aal2:
        raise AuthError(422, Code.INSUFFICIENT_AAL, "AAL2 required to unenroll verified factor")
    user = await queries.users.find(connection, holder.user.id)
    codes = await queries.recovery_codes.find(connection, holder.user.id)
    if codes and user and not assurance.has_other_verified(user, factor_id):
        message = (
            "Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling "
            "this one or delete your recovery codes."
        )
        raise AuthError(422, Code.MFA_RECOVERY_CODES_SOLE_FACTOR, message)
