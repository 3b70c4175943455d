"""Answer POST /factors/{factor_id}/verify: check the proof of a factor and raise the session to aal2 (AUTH-15)."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from backend.auth import (
    access,
    assurance,
    audit,
    bodies,
    challenges,
    errors,
    hooks,
    limits,
    mails,
    queries,
    relying_party,
    sealed,
    service,
    sessions,
    totp,
)
from backend.auth.assurance import Holder
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import Factor, MfaChallenge
from backend.auth.sessions import Granted
from backend.core import db, http
from backend.core.resources import Resources


@dataclass(frozen=True)
class Answer:
    """What the caller shows for a challenge."""

    challenge_id: UUID
    code: str
    webauthn_type: str
    credential: dict[str, Any] | None


async def verify(request: Request) -> Response:
    """The session at aal2. Raises AuthError mfa_verification_failed, over_request_rate_limit and as open_challenge."""
    resources = http.resources(request)
    holder = await assurance.holder(request)
    factor_id = assurance.path_id(request, "factor_id")
    body = await bodies.read(request)
    if body.text("code"):  # a few digits can be guessed; a signature cannot
        await limits.begin_try(resources, limits.FACTOR, str(factor_id))
    async with db.transaction(resources.pool) as connection:
        factor = await challenges.own_factor(connection, resources.settings.auth, holder, factor_id)
        outcome = await _attempt(connection, request, holder, factor, _read(body, factor))
    # Raised after the commit: the log shall tell of wrong answers too.
    if isinstance(outcome, AuthError):
        raise outcome
    return sessions.response(outcome)


def _read(body: Body, factor: Factor) -> Answer:
    challenge_id = body.text("challenge_id")
    webauthn = body.optional_object("webauthn")
    if factor.factor_type == assurance.WEBAUTHN:
        if webauthn is None:
            raise errors.invalid("WebAuthn config required")
        if webauthn.get("type") not in (challenges.CREATE, challenges.REQUEST):
            raise errors.invalid("WebAuthn type must be create or request")
        if not isinstance(webauthn.get("credential_response"), dict):
            raise errors.invalid("credential_response required")
    elif not body.text("code"):
        raise errors.invalid("Code needs to be non-empty")
    try:
        parsed = UUID(challenge_id)
    except ValueError as error:
        raise errors.invalid("challenge_id must be an UUID") from error
    shown = webauthn or {}
    return Answer(parsed, body.text("code"), shown.get("type", ""), shown.get("credential_response"))


async def _attempt(
    connection: db.Connection, request: Request, holder: Holder, factor: Factor, answer: Answer
) -> Granted | AuthError:
    resources, device = http.resources(request), access.device(request)
    challenge = await challenges.open_challenge(connection, resources, factor, answer.challenge_id, device.ip)
    refusal = await _CHECKS[factor.factor_type](connection, resources, factor, challenge, answer)
    rejected = await hooks.mfa_attempt(
        connection, resources, holder.user.id, factor.id, factor.factor_type, valid=refusal is None
    )
    traits = {
        "factor_id": str(factor.id),
        "challenge_id": str(challenge.id),
        "factor_type": factor.factor_type,
        "verified": refusal is None,
    }
    await audit.record(connection, Action.VERIFICATION_ATTEMPTED, holder.user, device, resources.now(), traits)
    if refused := rejected or refusal:
        return refused
    await limits.forget_tries(connection, limits.FACTOR, str(factor.id))
    await queries.mfa_challenges.set_verified(connection, challenge.id, resources.now())
    if not factor.is_verified:
        await _finish_enrolment(connection, request, holder, factor)
    return await assurance.rise(connection, resources, holder, factor.id, factor.factor_type, device)


async def _finish_enrolment(connection: db.Connection, request: Request, holder: Holder, factor: Factor) -> None:
    """From now on the account asks for it; other enrolments of its kind were attempts at the same.

    Raises AuthError insufficient_aal when another factor has been verified since the enrolment began: else a stolen
    password could add a factor of the thief's beside the owner's.
    """
    user = holder.user
    current = await queries.users.find(connection, user.id)
    if current is not None and current.has_verified_factor and not holder.is_aal2:
        raise AuthError(403, Code.INSUFFICIENT_AAL, "AAL2 required to enroll a new factor")
    await queries.factors.set_verified(connection, factor.id, http.resources(request).now())
    await queries.factors.delete_unverified(connection, user.id, factor.factor_type)
    if user.email:
        post, kind = service.post(request), factor.factor_type
        await post.notice(connection, mails.MFA_FACTOR_ENROLLED, user.email, user, FactorType=kind)


async def _check_totp(
    connection: db.Connection, resources: Resources, factor: Factor, challenge: MfaChallenge, answer: Answer
) -> AuthError | None:
    """A code counts once, and none before it afterwards (RFC 6238, 5.2); the user's lock keeps two tries apart."""
    secret = sealed.unseal(resources.keys, factor.id, factor.secret)
    used = await queries.mfa_challenges.last_used_step(connection, factor.id)
    step = totp.step_of(secret, answer.code, resources.now(), after=used)
    if step is None:
        return _failed("Invalid TOTP code entered")
    await queries.mfa_challenges.set_used_step(connection, challenge.id, step)
    return None


async def _check_phone(
    _connection: db.Connection, resources: Resources, _factor: Factor, challenge: MfaChallenge, answer: Answer
) -> AuthError | None:
    typed = sealed.digest(resources.keys, challenge.id, "".join(answer.code.split()))
    if not hmac.compare_digest(typed, challenge.otp_code):
        return _failed("Invalid MFA Phone code entered")
    return None


async def _check_webauthn(
    connection: db.Connection, resources: Resources, factor: Factor, challenge: MfaChallenge, answer: Answer
) -> AuthError | None:
    asked, party = challenge.session_data or {}, relying_party.of(resources.settings.auth)
    credential, now = answer.credential or {}, resources.now()
    if asked.get("type") != answer.webauthn_type:
        raise errors.invalid(f"WebAuthn type must be {asked.get('type')} for this challenge")
    try:
        if answer.webauthn_type == challenges.CREATE:
            if factor.is_verified:  # a second answer would put another key in place of the owner's
                return _failed("This factor has its credential already")
            registered = relying_party.register(party, asked["challenge"], credential, passkey=False)
            stored = relying_party.to_json(registered)
            await queries.factors.set_credential(connection, factor.id, stored, registered.aaguid, now)
        else:
            known = relying_party.from_json(factor.web_authn_credential or {})
            if relying_party.credential_of(credential)[0] != known.credential_id:
                return _failed("The credential does not belong to this factor")
            used = relying_party.authenticate(party, asked["challenge"], credential, known, passkey=False)
            await queries.factors.set_sign_count(connection, factor.id, used.sign_count, now)
    except relying_party.VerificationError as error:
        return _failed("The WebAuthn response could not be verified", error)
    return None


def _failed(message: str, cause: BaseException | None = None) -> AuthError:
    return AuthError(422, Code.MFA_VERIFICATION_FAILED, message, cause=cause)


_Check = Callable[[db.Connection, Resources, Factor, MfaChallenge, Answer], Awaitable[AuthError | None]]

# What each kind asks for; the answer is why not, None when the proof holds.
_CHECKS: Mapping[str, _Check] = {
    assurance.TOTP: _check_totp,
    assurance.PHONE: _check_phone,
    assurance.WEBAUTHN: _check_webauthn,
}
