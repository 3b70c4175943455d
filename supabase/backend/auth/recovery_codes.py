"""Answer /factors/recovery-codes: ten codes for the day the other factor is lost (AUTH-17).

They are shown once and kept as keyed hashes: 80 random bits need no slow hash. Recovery codes are never the only
second factor, and may be used wherever another kind may.
"""

from __future__ import annotations

import secrets
import string
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    access,
    assurance,
    audit,
    bodies,
    errors,
    factors,
    hooks,
    mails,
    queries,
    sealed,
    service,
    sessions,
)
from backend.auth.assurance import Holder
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import RecoveryCodeSet
from backend.auth.sessions import Granted
from backend.core import db, http
from backend.core.config_mfa import Factor, Mfa
from backend.core.resources import Resources

COUNT = 10
LENGTH = 16
ALPHABET = string.ascii_lowercase + "234567"
DEFAULT_NAME = "Recovery codes"
MAX_WRONG_TRIES = 5
LOCKED_FOR = timedelta(minutes=15)
# Codes that are made so soon after a factor was enrolled belong to it: one mail tells of both.
ENROLMENT = timedelta(minutes=10)


async def status(request: Request) -> Response:
    """How many codes there are and how many are left. Raises AuthError mfa_factor_not_found."""
    resources = http.resources(request)
    holder = await assurance.holder(request)
    async with db.connection(resources.pool) as connection:
        codes = await _own(connection, holder)
    return JSONResponse(
        {
            "id": str(codes.factor_id),
            "type": assurance.RECOVERY_CODE,
            "total": codes.total,
            "remaining": codes.remaining,
        }
    )


async def generate(request: Request) -> Response:
    """The first set. Raises AuthError insufficient_aal, mfa_verified_factor_exists, mfa_recovery_codes_sole_factor."""
    resources, device = http.resources(request), access.device(request)
    holder = await assurance.holder(request)
    _refuse_disabled(resources.settings.auth.mfa, enrolling=True)
    name = (await bodies.read_optional(request)).text("friendly_name") or DEFAULT_NAME
    assurance.refuse_long_name(name)
    _require_aal2(holder, "generate")
    factor_id, set_id, now = uuid4(), uuid4(), resources.now()
    async with db.transaction(resources.pool) as connection:
        await _refuse_second_set(connection, holder)
        user = await factors.make_room(connection, resources, holder, name)
        if not assurance.has_other_verified(user, None):
            message = "At least one other verified factor is required to generate recovery codes"
            raise AuthError(422, Code.MFA_RECOVERY_CODES_SOLE_FACTOR, message)
        is_told = await queries.factors.is_enrolled_since(connection, user.id, now - ENROLMENT)
        await queries.factors.insert(
            connection,
            factor_id=factor_id,
            user_id=user.id,
            factor_type=assurance.RECOVERY_CODE,
            status="verified",
            friendly_name=name,
            now=now,
        )
        await queries.recovery_codes.insert_set(
            connection, set_id=set_id, user_id=user.id, factor_id=factor_id, now=now
        )
        codes = await _store_fresh(connection, resources, set_id)
        traits = {"factor_id": str(factor_id), "count": len(codes)}
        await audit.record(connection, Action.RECOVERY_CODES_GENERATED, user, device, now, traits)
        if not is_told:
            await _tell(connection, request, holder, mails.MFA_FACTOR_ENROLLED)
    return _shown(factor_id, name, codes)


async def regenerate(request: Request) -> Response:
    """A new set in place of the old one, which also lifts a lock. Raises AuthError insufficient_aal."""
    resources, device = http.resources(request), access.device(request)
    holder = await assurance.holder(request)
    _refuse_disabled(resources.settings.auth.mfa, enrolling=True)
    _require_aal2(holder, "regenerate")
    async with db.transaction(resources.pool) as connection:
        await access.hold(connection, holder.user.id, holder.session.id)
        own = await _own(connection, holder)
        codes = await _store_fresh(connection, resources, own.id)
        traits = {"factor_id": str(own.factor_id), "count": len(codes)}
        action = Action.RECOVERY_CODES_REGENERATED
        await audit.record(connection, action, holder.user, device, resources.now(), traits)
    return _shown(own.factor_id, own.friendly_name, codes)


async def verify(request: Request) -> Response:
    """The session at aal2, for one code. Raises AuthError mfa_verification_failed, mfa_recovery_codes_locked."""
    resources = http.resources(request)
    holder = await assurance.holder(request)
    _refuse_disabled(resources.settings.auth.mfa, enrolling=False)
    code = canonical((await bodies.read(request)).text("code"))
    if not code:
        raise errors.invalid("Code needs to be non-empty")
    async with db.transaction(resources.pool) as connection:
        outcome = await _attempt(connection, request, holder, code)
    # Raised after the commit: wrong tries count although they fail.
    if isinstance(outcome, AuthError):
        raise outcome
    return sessions.response(outcome)


async def delete(request: Request) -> Response:
    """Removes the codes. Raises AuthError insufficient_aal, mfa_factor_not_found."""
    resources, device = http.resources(request), access.device(request)
    holder = await assurance.holder(request)
    _require_aal2(holder, "delete")
    async with db.transaction(resources.pool) as connection:
        await access.hold(connection, holder.user.id, holder.session.id)
        own = await _own(connection, holder)
        factor = await queries.factors.find(connection, holder.user.id, own.factor_id)
        assert factor is not None  # the set refers to it
        await assurance.remove(connection, resources, factor)
        traits = {"factor_id": str(own.factor_id)}
        action = Action.RECOVERY_CODES_DELETED
        await audit.record(connection, action, holder.user, device, resources.now(), traits)
        await _tell(connection, request, holder, mails.MFA_FACTOR_UNENROLLED)
    return JSONResponse({"id": str(own.factor_id)})


async def _attempt(connection: db.Connection, request: Request, holder: Holder, code: str) -> Granted | AuthError:
    """The user's lock makes simultaneous tries count one after the other."""
    resources, device = http.resources(request), access.device(request)
    now, user = resources.now(), holder.user
    await access.hold(connection, user.id, holder.session.id)
    own = await queries.recovery_codes.find(connection, user.id)
    if own is None:
        return _failed()
    if own.locked_until is not None and now < own.locked_until:
        wait_s = str(max(1, int((own.locked_until - now).total_seconds())))
        message = "Too many failed verification attempts, try again later"
        return AuthError(429, Code.MFA_RECOVERY_CODES_LOCKED, message, headers={"Retry-After": wait_s})
    used = await queries.recovery_codes.use(connection, own.id, sealed.digest(resources.keys, own.id, code), now)
    traits: dict[str, Any] = {"factor_id": str(own.factor_id), "factor_type": assurance.RECOVERY_CODE}
    kind = assurance.RECOVERY_CODE
    rejected = await hooks.mfa_attempt(connection, resources, user.id, own.factor_id, kind, valid=used)
    if not used:
        await _count_wrong_try(connection, resources, own)
    if rejected or not used:
        traits["verified"] = used
        await audit.record(connection, Action.VERIFICATION_ATTEMPTED, user, device, now, traits)
        return rejected or _failed()
    await queries.recovery_codes.set_failures(connection, own.id, 0, None, now)
    traits["remaining"] = own.remaining - 1
    await audit.record(connection, Action.RECOVERY_CODES_VERIFIED, user, device, now, traits)
    return await assurance.rise(connection, resources, holder, own.factor_id, assurance.RECOVERY_CODE, device)


async def _count_wrong_try(connection: db.Connection, resources: Resources, own: RecoveryCodeSet) -> None:
    # A lock that is over has been served: counting begins anew.
    failed = 1 if own.locked_until is not None else own.failed_count + 1
    locked_until = resources.now() + LOCKED_FOR if failed >= MAX_WRONG_TRIES else None
    await queries.recovery_codes.set_failures(connection, own.id, failed, locked_until, resources.now())


def canonical(text: str) -> str:
    """A code as it was made, however it was typed: groups, blanks and capitals do not count."""
    return "".join(text.split()).replace("-", "").lower()


async def _own(connection: db.Connection, holder: Holder) -> RecoveryCodeSet:
    found = await queries.recovery_codes.find(connection, holder.user.id)
    if found is None:
        raise AuthError(404, Code.MFA_FACTOR_NOT_FOUND, "The user has not enrolled recovery codes")
    return found


async def _refuse_second_set(connection: db.Connection, holder: Holder) -> None:
    await access.hold(connection, holder.user.id, holder.session.id)
    if await queries.recovery_codes.find(connection, holder.user.id):
        message = "Recovery codes are already enrolled for this user, use regenerate to rotate them"
        raise AuthError(422, Code.MFA_VERIFIED_FACTOR_EXISTS, message)


async def _store_fresh(connection: db.Connection, resources: Resources, set_id: UUID) -> list[str]:
    codes = ["".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for _ in range(COUNT)]
    hashes = [sealed.digest(resources.keys, set_id, code) for code in codes]
    await queries.recovery_codes.replace_codes(connection, set_id, hashes, resources.now())
    return codes


def _refuse_disabled(settings: Mfa, *, enrolling: bool) -> None:
    """The CLI has no switch of their own: they stand beside the other kinds."""
    kinds: tuple[Factor, ...] = (settings.totp, settings.phone, settings.web_authn)
    if enrolling and not any(kind.enroll_enabled for kind in kinds):
        message = "MFA enroll is disabled for recovery codes"
        raise AuthError(422, Code.MFA_RECOVERY_CODES_ENROLL_NOT_ENABLED, message)
    if not enrolling and not any(kind.verify_enabled for kind in kinds):
        message = "MFA verification is disabled for recovery codes"
        raise AuthError(422, Code.MFA_RECOVERY_CODES_VERIFY_NOT_ENABLED, message)


def _require_aal2(holder: Holder, verb: str) -> None:
    if not holder.is_aal2:
        raise AuthError(403, Code.INSUFFICIENT_AAL, f"AAL2 required to {verb} recovery codes")


def _failed() -> AuthError:
    return AuthError(422, Code.MFA_VERIFICATION_FAILED, "Invalid recovery code entered")


async def _tell(connection: db.Connection, request: Request, holder: Holder, notice: str) -> None:
    if holder.user.email:
        post, kind = service.post(request), assurance.RECOVERY_CODE
        await post.notice(connection, notice, holder.user.email, holder.user, FactorType=kind)


def _shown(factor_id: UUID, name: str, codes: list[str]) -> Response:
    """The one time the codes are seen."""
    content = {
        "id": str(factor_id),
        "type": assurance.RECOVERY_CODE,
        "friendly_name": name,
        "total": len(codes),
        "codes": codes,
    }
    return JSONResponse(content, headers={"Cache-Control": "no-store"})
