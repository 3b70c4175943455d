"""/admin/users/{user_id}/factors and …/passkeys: what an operator sees and removes when somebody is locked out."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, assurance, audit, bodies, passkeys, phones, queries
from backend.auth.audit import Action
from backend.auth.errors import AuthError, Code
from backend.auth.models import Factor, User
from backend.core import db, http


async def listing(request: Request) -> Response:
    """The second factors of a user."""
    await access.admin(request)
    async with db.connection(http.resources(request).pool) as connection:
        user = await _user(connection, request)
    return JSONResponse(user.public_factors())


async def update(request: Request) -> Response:
    """Another name or, for a phone, another number. Raises AuthError mfa_factor_name_conflict."""
    resources, device = http.resources(request), access.device(request)
    admin = await access.admin(request)
    body = await bodies.read(request)
    name, phone = body.text("friendly_name"), body.text("phone")
    assurance.refuse_long_name(name)
    async with db.transaction(resources.pool) as connection:
        user, factor = await _factor(connection, request)
        number = phones.normalise(phone) if phone and factor.factor_type == assurance.PHONE else ""
        others = [each for each in user.factors if each["id"] != str(factor.id)]
        if name.strip() and any(each["friendly_name"] == name for each in others):
            message = f'A factor with the friendly name "{name}" for this user already exists'
            raise AuthError(422, Code.MFA_FACTOR_NAME_CONFLICT, message)
        if number and any(each["phone"] == number for each in others):
            raise AuthError(422, Code.MFA_VERIFIED_FACTOR_EXISTS, "A factor with this phone number already exists")
        await queries.factors.update(connection, factor.id, name, number, resources.now())
        traits = {"user_id": str(user.id), "factor_id": str(factor.id), "factor_type": factor.factor_type}
        await audit.record(connection, Action.FACTOR_UPDATED, admin, device, resources.now(), traits)
        changed = await _user(connection, request)
    return JSONResponse(_public(changed, factor.id))


async def delete(request: Request) -> Response:
    """Removes a factor; the sessions it raised fall back to aal1. Recovery codes go with the last other factor."""
    resources, device = http.resources(request), access.device(request)
    admin = await access.admin(request)
    async with db.transaction(resources.pool) as connection:
        user, factor = await _factor(connection, request)
        await assurance.remove(connection, resources, factor)
        codes = await queries.recovery_codes.find(connection, user.id)
        if codes and not assurance.has_other_verified(user, factor.id):
            alone = await queries.factors.find(connection, user.id, codes.factor_id)
            if alone:
                await assurance.remove(connection, resources, alone)
        traits = {"user_id": str(user.id), "factor_id": str(factor.id)}
        await audit.record(connection, Action.FACTOR_DELETED, admin, device, resources.now(), traits)
    return JSONResponse(_public(user, factor.id))


async def list_passkeys(request: Request) -> Response:
    """The passkeys of a user."""
    await access.admin(request)
    passkeys.refuse_disabled(http.resources(request))
    async with db.connection(http.resources(request).pool) as connection:
        user = await _user(connection, request)
        found = await queries.passkeys.of_user(connection, user.id)
    return JSONResponse([passkey.public() for passkey in found])


async def delete_passkey(request: Request) -> Response:
    """Removes a passkey of a user."""
    resources, device = http.resources(request), access.device(request)
    admin = await access.admin(request)
    passkeys.refuse_disabled(resources)
    async with db.transaction(resources.pool) as connection:
        user = await _user(connection, request)
        passkey = await passkeys.owned(connection, request, user.id)
        await queries.passkeys.delete(connection, passkey.id)
        traits = {"user_id": str(user.id), "passkey_id": str(passkey.id)}
        await audit.record(connection, Action.PASSKEY_DELETED, admin, device, resources.now(), traits)
    return Response(status_code=204)


async def _user(connection: db.Connection, request: Request) -> User:
    user = await queries.users.find(connection, assurance.path_id(request, "user_id"))
    if user is None:
        raise AuthError(404, Code.USER_NOT_FOUND, "User not found")
    return user


async def _factor(connection: db.Connection, request: Request) -> tuple[User, Factor]:
    """The factor the path names and its user, locked."""
    user_id, factor_id = assurance.path_id(request, "user_id"), assurance.path_id(request, "factor_id")
    await queries.users.lock(connection, user_id)
    user = await _user(connection, request)
    factor = await queries.factors.find(connection, user_id, factor_id)
    if factor is None:
        raise AuthError(404, Code.MFA_FACTOR_NOT_FOUND, "Factor not found")
    return user, factor


def _public(user: User, factor_id: UUID) -> dict[str, Any]:
    return next(factor for factor in user.public_factors() if factor["id"] == str(factor_id))
