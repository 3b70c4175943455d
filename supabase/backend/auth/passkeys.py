"""Answer /passkeys: sign in with a passkey, and list, rename and delete one's own (AUTH-28)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, assurance, audit, bodies, errors, passkey_names, queries, relying_party, sessions
from backend.auth.assurance import Holder
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import Passkey, User
from backend.auth.relying_party import Registered, Used, VerificationError
from backend.core import db, http
from backend.core.resources import Resources

MAX_PER_USER = 10
LIFE = timedelta(seconds=relying_party.CHALLENGE_LIFE_S)
REGISTRATION = "registration"
AUTHENTICATION = "authentication"


@dataclass(frozen=True)
class Ceremony:
    """A challenge that has just been used up, and what the authenticator made of it."""

    challenge: str
    credential: dict[str, Any]


async def authentication_options(request: Request) -> Response:
    """A challenge for any passkey of this domain: who is signing in, the passkey says."""
    resources = http.resources(request)
    refuse_disabled(resources)
    options = relying_party.request_options(relying_party.of(resources.settings.auth), [], passkey=True)
    return await _asked(resources, options, AUTHENTICATION, None)


async def authenticate(request: Request) -> Response:
    """A session. Raises AuthError webauthn_challenge_not_found, webauthn_challenge_expired,
    webauthn_verification_failed, user_banned, email_not_confirmed, phone_not_confirmed.
    """
    resources, device = http.resources(request), access.device(request)
    refuse_disabled(resources)
    ceremony = await _used_challenge(request, AUTHENTICATION, None)
    async with db.transaction(resources.pool) as connection:
        passkey, used = await _proved(connection, resources, ceremony)
        user = await queries.users.find(connection, passkey.user_id)
        if user is None:
            raise AuthError(403, Code.USER_NOT_FOUND, "User not found")
        _refuse_unready(user, resources)
        now = resources.now()
        await queries.passkeys.set_used(connection, passkey.id, used.sign_count, used.backed_up, now)
        traits = {"provider": "passkey", "passkey_id": str(passkey.id)}
        await audit.record(connection, Action.LOGIN, user, device, now, traits)
        granted = await sessions.start(connection, resources, user, "passkey", device)
    return sessions.response(granted)


def _refuse_unready(user: User, resources: Resources) -> None:
    if user.is_banned(resources.now()):
        raise AuthError(403, Code.USER_BANNED, "User is banned")
    if user.email and user.email_confirmed_at is None:
        raise AuthError(403, Code.EMAIL_NOT_CONFIRMED, "Email not confirmed")
    if user.phone and user.phone_confirmed_at is None:
        raise AuthError(403, Code.PHONE_NOT_CONFIRMED, "Phone not confirmed")


async def _proved(connection: db.Connection, resources: Resources, ceremony: Ceremony) -> tuple[Passkey, Used]:
    party = relying_party.of(resources.settings.auth)
    try:
        credential_id, handle = relying_party.credential_of(ceremony.credential)
        passkey = await queries.passkeys.lock_by_credential(connection, credential_id)
        if passkey is None or handle != relying_party.user_handle(passkey.user_id):
            raise VerificationError("no passkey of this name and account")
        known = relying_party.Known(passkey.credential_id, passkey.public_key, passkey.sign_count)
        return passkey, relying_party.authenticate(party, ceremony.challenge, ceremony.credential, known, passkey=True)
    except VerificationError as error:
        raise _unproved(error) from error


async def registration_options(request: Request) -> Response:
    """A challenge for a new passkey of the caller's."""
    resources = http.resources(request)
    holder = await _manager(request)
    async with db.connection(resources.pool) as connection:
        known = await queries.passkeys.of_user(connection, holder.user.id)
    _refuse_too_many(known)
    party = relying_party.of(resources.settings.auth)
    ids = [passkey.credential_id for passkey in known]
    options = relying_party.creation_options(party, holder.user, ids, passkey=True)
    return await _asked(resources, options, REGISTRATION, holder.user.id)


async def register(request: Request) -> Response:
    """The passkey. Raises AuthError as authenticate, too_many_passkeys, webauthn_credential_exists."""
    resources, device = http.resources(request), access.device(request)
    holder = await _manager(request)
    user = holder.user
    ceremony = await _used_challenge(request, REGISTRATION, user.id)
    try:
        party = relying_party.of(resources.settings.auth)
        registered = relying_party.register(party, ceremony.challenge, ceremony.credential, passkey=True)
    except VerificationError as error:
        raise _unproved(error) from error
    passkey_id, now = uuid4(), resources.now()
    async with db.transaction(resources.pool) as connection:
        await access.hold(connection, user.id, holder.session.id)
        _refuse_too_many(await queries.passkeys.of_user(connection, user.id))
        if not await _store(connection, resources, user, passkey_id, registered):
            message = "This credential is already registered"
            raise AuthError(422, Code.WEBAUTHN_CREDENTIAL_EXISTS, message)
        traits = {"passkey_id": str(passkey_id)}
        await audit.record(connection, Action.PASSKEY_CREATED, user, device, now, traits)
        stored = await queries.passkeys.find(connection, user.id, passkey_id)
    assert stored is not None  # just written
    return JSONResponse(stored.public())


async def _store(
    connection: db.Connection, resources: Resources, user: User, passkey_id: UUID, registered: Registered
) -> bool:
    return await queries.passkeys.insert(
        connection,
        passkey_id=passkey_id,
        user_id=user.id,
        credential_id=registered.credential_id,
        public_key=registered.public_key,
        attestation_type=registered.attestation_type,
        aaguid=registered.aaguid,
        sign_count=registered.sign_count,
        transports=registered.transports,
        backup_eligible=registered.backup_eligible,
        backed_up=registered.backed_up,
        friendly_name=passkey_names.of(registered.aaguid),
        now=resources.now(),
    )


async def listing(request: Request) -> Response:
    """The caller's passkeys, oldest first."""
    resources = http.resources(request)
    refuse_disabled(resources)
    caller = await access.caller(request)
    async with db.connection(resources.pool) as connection:
        found = await queries.passkeys.of_user(connection, caller.user.id)
    return JSONResponse([passkey.public() for passkey in found])


async def rename(request: Request) -> Response:
    """Gives a passkey another name; which ones sign in does not change, so aal2 is not asked for."""
    resources, device = http.resources(request), access.device(request)
    refuse_disabled(resources)
    holder = await assurance.holder(request)
    name = (await bodies.read(request)).text("friendly_name")
    if not name:
        raise errors.invalid("friendly_name is required")
    assurance.refuse_long_name(name)
    async with db.transaction(resources.pool) as connection:
        passkey = await owned(connection, request, holder.user.id)
        await queries.passkeys.set_name(connection, passkey.id, name, resources.now())
        traits = {"passkey_id": str(passkey.id)}
        await audit.record(connection, Action.PASSKEY_UPDATED, holder.user, device, resources.now(), traits)
        renamed = await queries.passkeys.find(connection, holder.user.id, passkey.id)
    assert renamed is not None  # just written
    return JSONResponse(renamed.public())


async def delete(request: Request) -> Response:
    """Removes a passkey. Raises AuthError insufficient_aal."""
    resources, device = http.resources(request), access.device(request)
    holder = await _manager(request)
    async with db.transaction(resources.pool) as connection:
        await access.hold(connection, holder.user.id, holder.session.id)
        passkey = await owned(connection, request, holder.user.id)
        await queries.passkeys.delete(connection, passkey.id)
        traits = {"passkey_id": str(passkey.id)}
        await audit.record(connection, Action.PASSKEY_DELETED, holder.user, device, resources.now(), traits)
    return Response(status_code=204)


async def owned(connection: db.Connection, request: Request, user_id: UUID) -> Passkey:
    """The passkey the path names, of this user. Raises AuthError 404."""
    passkey = await queries.passkeys.find(connection, user_id, assurance.path_id(request, "passkey_id"))
    if passkey is None:
        raise AuthError(404, Code.WEBAUTHN_CREDENTIAL_NOT_FOUND, "Passkey not found")
    return passkey


def refuse_disabled(resources: Resources) -> None:
    """Raises AuthError passkey_disabled."""
    if not resources.settings.auth.passkey.enabled:
        raise AuthError(404, Code.PASSKEY_DISABLED, "Passkeys are disabled")


async def _manager(request: Request) -> Holder:
    """Whoever may add and remove passkeys: each one is a way in, so it takes a session as strong as the account."""
    refuse_disabled(http.resources(request))
    holder = await assurance.holder(request)
    if holder.user.is_sso_user:
        raise AuthError(422, Code.VALIDATION_FAILED, "SSO users cannot register passkeys")
    if holder.user.has_verified_factor and not holder.is_aal2:
        message = "AAL2 session is required to manage passkeys when MFA is enabled"
        raise AuthError(403, Code.INSUFFICIENT_AAL, message)
    return holder


def _refuse_too_many(known: list[Passkey]) -> None:
    if len(known) >= MAX_PER_USER:
        raise AuthError(422, Code.TOO_MANY_PASSKEYS, "Maximum number of passkeys reached")


async def _asked(resources: Resources, options: dict[str, Any], kind: str, user_id: UUID | None) -> Response:
    challenge_id, now = uuid4(), resources.now()
    async with db.transaction(resources.pool) as connection:
        await queries.passkeys.delete_expired_challenges(connection, now)
        await queries.passkeys.insert_challenge(
            connection,
            challenge_id=challenge_id,
            user_id=user_id,
            challenge_type=kind,
            session_data={"challenge": options["challenge"]},
            now=now,
            expires_at=now + LIFE,
        )
    expires_at = int((now + LIFE).timestamp())
    content = {"challenge_id": str(challenge_id), "options": options, "expires_at": expires_at}
    return JSONResponse(content, headers={"Cache-Control": "no-store"})


async def _used_challenge(request: Request, kind: str, user_id: UUID | None) -> Ceremony:
    """Uses the challenge up in a transaction of its own, so that a false answer costs it too."""
    resources, body = http.resources(request), await bodies.read(request)
    challenge_id, credential = body.text("challenge_id"), body.optional_object("credential")
    if not challenge_id:
        raise errors.invalid("challenge_id is required")
    if credential is None:
        raise errors.invalid("credential is required")
    try:
        parsed = UUID(challenge_id)
    except ValueError as error:
        raise errors.invalid("challenge_id must be a valid UUID") from error
    async with db.transaction(resources.pool) as connection:
        taken = await queries.passkeys.take_challenge(connection, parsed, kind, user_id)
    if taken is None:
        raise AuthError(400, Code.WEBAUTHN_CHALLENGE_NOT_FOUND, "Challenge not found or already used")
    session_data, expires_at = taken
    if resources.now() >= expires_at:
        raise AuthError(400, Code.WEBAUTHN_CHALLENGE_EXPIRED, "Challenge has expired")
    return Ceremony(session_data["challenge"], credential)


def _unproved(cause: VerificationError) -> AuthError:
    return AuthError(400, Code.WEBAUTHN_VERIFICATION_FAILED, "Credential verification failed", cause=cause)
