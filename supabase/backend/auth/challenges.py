"""Answer POST /factors/{factor_id}/challenge: ask for the proof of a factor, good for five minutes (AUTH-14)."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, assurance, audit, bodies, limits, phones, queries, relying_party, sealed, sms
from backend.auth.assurance import Holder
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import Factor, MfaChallenge
from backend.core import db, http, mail
from backend.core.config import Auth
from backend.core.resources import Resources

LIFE = timedelta(seconds=300)
CREATE = "create"
REQUEST = "request"


@dataclass(frozen=True)
class Asked:
    """What a challenge stores, what its answer shows beside id and expiry, and the code to send."""

    otp_code: str | None = None
    session_data: dict[str, Any] | None = None
    shown: dict[str, Any] = field(default_factory=dict)
    sms_code: str = field(default="", repr=False)


async def challenge(request: Request) -> Response:
    """A challenge of the caller's own factor. Raises AuthError mfa_factor_not_found, mfa_…_verify_not_enabled."""
    resources, device = http.resources(request), access.device(request)
    holder = await assurance.holder(request)
    factor_id, challenge_id, now = assurance.path_id(request, "factor_id"), uuid4(), resources.now()
    channel = phones.channel((await bodies.read_optional(request)).text("channel"), resources.settings.auth)
    async with db.transaction(resources.pool) as connection:
        factor = await own_factor(connection, resources.settings.auth, holder, factor_id)
        asked = await _ask(connection, resources, holder, factor, challenge_id)
        if asked.sms_code:
            await limits.take(connection, resources, limits.TEXTS)
            text = mail.render_subject(resources.settings.auth.mfa.phone.template, {"Code": asked.sms_code})
            await sms.enqueue(
                connection,
                resources,
                factor.phone,
                text,
                "mfa",
                user=holder.user,
                code=asked.sms_code,
                channel=channel,
            )
        await queries.mfa_challenges.delete_older(connection, factor.id, now - LIFE)
        await queries.mfa_challenges.insert(
            connection,
            challenge_id=challenge_id,
            factor_id=factor.id,
            ip=device.ip,
            otp_code=asked.otp_code,
            session_data=asked.session_data,
            now=now,
        )
        await queries.factors.set_challenged(connection, factor.id, now)
        traits = {"factor_id": str(factor.id), "factor_status": factor.status}
        await audit.record(connection, Action.CHALLENGE_CREATED, holder.user, device, now, traits)
    expires_at = int((now + LIFE).timestamp())
    return JSONResponse(
        {"id": str(challenge_id), "type": factor.factor_type, "expires_at": expires_at, **asked.shown},
        headers={"Cache-Control": "no-store"},
    )


async def own_factor(connection: db.Connection, settings: Auth, holder: Holder, factor_id: UUID) -> Factor:
    """The caller's factor, when its kind may be verified; user and session are held until the end of the transaction.

    Raises AuthError session_not_found, mfa_factor_not_found and those of the kind.
    """
    await access.hold(connection, holder.user.id, holder.session.id)
    factor = await queries.factors.find(connection, holder.user.id, factor_id)
    if factor is None:
        raise AuthError(404, Code.MFA_FACTOR_NOT_FOUND, "Factor not found")
    if factor.factor_type == assurance.RECOVERY_CODE:
        message = "Recovery codes need no challenge, use POST /factors/recovery-codes/verify"
        raise AuthError(422, Code.VALIDATION_FAILED, message)
    switch, code, name = {
        assurance.TOTP: (settings.mfa.totp, Code.MFA_TOTP_VERIFY_NOT_ENABLED, "TOTP"),
        assurance.PHONE: (settings.mfa.phone, Code.MFA_PHONE_VERIFY_NOT_ENABLED, "Phone"),
        assurance.WEBAUTHN: (settings.mfa.web_authn, Code.MFA_WEBAUTHN_VERIFY_NOT_ENABLED, "WebAuthn"),
    }[factor.factor_type]
    if not switch.verify_enabled:
        raise AuthError(422, code, f"MFA verification is disabled for {name}")
    return factor


async def _ask(
    connection: db.Connection, resources: Resources, holder: Holder, factor: Factor, challenge_id: UUID
) -> Asked:
    if factor.factor_type == assurance.PHONE:
        return _ask_phone(resources, factor, challenge_id)
    if factor.factor_type == assurance.WEBAUTHN:
        return await _ask_webauthn(connection, resources, holder, factor)
    return Asked()


def _ask_phone(resources: Resources, factor: Factor, challenge_id: UUID) -> Asked:
    """A code by SMS; the database keeps its keyed hash. Raises AuthError over_sms_send_rate_limit."""
    settings, now = resources.settings.auth.mfa.phone, resources.now()
    if factor.last_challenged_at is not None and now < factor.last_challenged_at + settings.max_frequency:
        wait_s = math.ceil((factor.last_challenged_at + settings.max_frequency - now).total_seconds())
        message = f"For security purposes, you can only request this after {wait_s} seconds."
        raise AuthError(429, Code.OVER_SMS_SEND_RATE_LIMIT, message, headers={"Retry-After": str(wait_s)})
    code = "".join(secrets.choice("0123456789") for _ in range(settings.otp_length))
    return Asked(otp_code=sealed.digest(resources.keys, challenge_id, code), sms_code=code)


async def _ask_webauthn(connection: db.Connection, resources: Resources, holder: Holder, factor: Factor) -> Asked:
    party = relying_party.of(resources.settings.auth)
    if factor.is_verified and factor.web_authn_credential:
        own = relying_party.from_json(factor.web_authn_credential)
        kind, options = REQUEST, relying_party.request_options(party, [own.credential_id], passkey=False)
    else:
        stored = [each.web_authn_credential for each in await queries.factors.of_user(connection, holder.user.id)]
        known = [relying_party.from_json(each).credential_id for each in stored if each]
        kind, options = CREATE, relying_party.creation_options(party, holder.user, known, passkey=False)
    session_data = {"type": kind, "challenge": options["challenge"]}
    shown = {"webauthn": {"type": kind, "credential_options": {"publicKey": options}}}
    return Asked(session_data=session_data, shown=shown)


async def open_challenge(
    connection: db.Connection, resources: Resources, factor: Factor, challenge_id: UUID, ip: str
) -> MfaChallenge:
    """A challenge that may still be answered from here.

    Raises AuthError mfa_factor_not_found, mfa_ip_address_mismatch, mfa_challenge_expired.
    """
    found = await queries.mfa_challenges.find(connection, challenge_id, factor.id, ip)
    if found is None:
        raise AuthError(422, Code.MFA_FACTOR_NOT_FOUND, "MFA factor with the provided challenge ID not found")
    if not found.same_address:
        raise AuthError(422, Code.MFA_IP_ADDRESS_MISMATCH, "Challenge and verify IP addresses mismatch.")
    if found.verified_at is not None or resources.now() >= found.created_at + LIFE:
        message = (
            f"MFA challenge {challenge_id} has expired, verify against another challenge or create a new challenge."
        )
        raise AuthError(422, Code.MFA_CHALLENGE_EXPIRED, message)
    return found
