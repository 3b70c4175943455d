"""GET /user/identities/authorize and DELETE /user/identities/{identity_id}: one more way in, or one less."""

from __future__ import annotations

from uuid import UUID

import asyncpg
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from backend.auth import access, audit, authorize, mails, queries, service
from backend.auth.access import Caller
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import Identity, User
from backend.core import db, http


async def begin_linking(request: Request) -> Response:
    """The way to the provider, as an address for clients that cannot send their token along in a redirect.

    Raises AuthError manual_linking_disabled, insufficient_aal, and as authorize.begin.
    """
    caller = await linking_caller(request)
    location = await authorize.begin(request, caller)
    if request.query_params.get("skip_http_redirect") == "true":
        return JSONResponse({"url": location}, headers=authorize.NO_STORE)
    return RedirectResponse(location, status_code=302, headers=authorize.NO_STORE)


async def linking_caller(request: Request) -> Caller:
    """Return who may join an identity to their account, or take one away.

    Raises AuthError manual_linking_disabled, insufficient_aal.
    """
    caller = await access.caller(request)
    if not http.resources(request).settings.auth.enable_manual_linking:
        raise AuthError(404, Code.MANUAL_LINKING_DISABLED, "Manual linking is disabled")
    _refuse_weak(caller)
    return caller


async def unlink(request: Request) -> Response:
    """Take a way in away, but never the last one.

    Raises AuthError manual_linking_disabled, insufficient_aal, single_identity_not_deletable, identity_not_found,
    email_conflict_identity_not_deletable.
    """
    resources = http.resources(request)
    caller = await linking_caller(request)
    identity_id = _identity_id(request)
    async with db.transaction(resources.pool) as connection:
        # Locked and read again: of two requests at the same time the second must see what the first left.
        await access.hold(connection, caller.user.id, caller.session_id)
        user = await queries.users.find(connection, caller.user.id)
        if user is None:
            raise AuthError(403, Code.USER_NOT_FOUND, "User from sub claim in JWT does not exist")
        identity = _removable(user, identity_id)
        await _remove(connection, user, identity, request)
    return JSONResponse({})


def _identity_id(request: Request) -> UUID:
    try:
        return UUID(request.path_params["identity_id"])
    except ValueError as error:
        raise AuthError(404, Code.VALIDATION_FAILED, "identity_id must be an UUID") from error


def _refuse_weak(caller: Caller) -> None:
    """The ways in change only from a session as strong as the account."""
    if caller.user.has_verified_factor and (caller.session is None or caller.session.aal != "aal2"):
        message = "AAL2 session is required to link or unlink identities when MFA is enabled."
        raise AuthError(403, Code.INSUFFICIENT_AAL, message)


def _removable(user: User, identity_id: UUID) -> Identity:
    if len(user.identities) <= 1:
        message = "User must have at least 1 identity after unlinking"
        raise AuthError(422, Code.SINGLE_IDENTITY_NOT_DELETABLE, message)
    found = next((identity for identity in user.identities if identity.id == identity_id), None)
    if found is None:
        raise AuthError(422, Code.IDENTITY_NOT_FOUND, "Identity doesn't exist")
    return found


async def _remove(connection: db.Connection, user: User, identity: Identity, request: Request) -> None:
    resources, device = http.resources(request), access.device(request)
    now = resources.now()
    await queries.provider_accounts.delete_identity(connection, identity.id)
    left = [each for each in user.identities if each.id != identity.id]
    if identity.provider == "phone":
        await queries.provider_accounts.clear_phone(connection, user.id)
    else:
        await _keep_an_address(connection, user, left, request)
    if identity.provider == "email":
        # Upstream leaves the password, and with it the way in that was to be closed.
        await queries.provider_accounts.clear_password(connection, user.id)
    await queries.provider_accounts.name_providers(connection, user.id, now)
    traits = {
        "identity_id": str(identity.id),
        "provider": identity.provider,
        "provider_id": identity.provider_id,
    }
    await audit.record(connection, Action.IDENTITY_UNLINKED, user, device, now, traits)
    if user.email:
        notice = mails.IDENTITY_UNLINKED
        await service.post(request).notice(connection, notice, user.email, user, Provider=identity.provider)


async def _keep_an_address(connection: db.Connection, user: User, left: list[Identity], request: Request) -> None:
    """The account's address is one of its identities': the oldest that is proved, none where they have none.

    Upstream also takes one that nobody has proved, and whoever really has it meets an account with somebody in it.
    """
    with_address = [each for each in left if each.email]
    if any(each.email == user.email for each in with_address):
        return
    proved = [each.email or "" for each in with_address if each.identity_data.get("email_verified") is True]
    if user.email and with_address and not proved:
        raise _conflict()
    email = proved[0] if proved else ""
    try:
        await queries.provider_accounts.set_email(connection, user.id, email, http.resources(request).now())
    except asyncpg.UniqueViolationError as error:
        raise _conflict() from error


def _conflict() -> AuthError:
    message = "Unable to unlink identity due to email conflict"
    return AuthError(422, Code.EMAIL_CONFLICT_IDENTITY_NOT_DELETABLE, message)
