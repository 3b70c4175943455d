"""POST /token: signing in and staying signed in, one grant per `grant_type`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from backend.auth import (
    audit,
    bodies,
    door,
    errors,
    flow_states,
    hooks,
    id_token,
    limits,
    passwords,
    phones,
    queries,
    refresh_tokens,
    service,
    sessions,
    timing,
)
from backend.auth.access import Device, device
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.auth.sessions import Granted
from backend.core import db, http
from backend.core.resources import Resources


async def token(request: Request) -> Response:
    """Hands the request to its grant. Raises AuthError invalid_credentials for a grant nobody knows."""
    grant = GRANTS.get(request.query_params.get("grant_type", ""))
    if grant is None:
        raise AuthError(400, Code.INVALID_CREDENTIALS, "unsupported_grant_type")
    return await grant(request, await bodies.read(request))


async def _password(request: Request, body: Body) -> Response:
    """An unknown address costs the same hash as a known one, and gets the same answer, after the same time, and the
    same limit.
    """
    resources, hashing = http.resources(request), service.of(request).passwords
    login, password = _login(body, resources), body.text("password")
    async with hashing.turn:
        network = http.place_of(device(request).ip)
        tries = await limits.begin_try(resources, limits.PASSWORD, login.address, network)
        started_s = timing.now_s()
        async with db.connection(resources.pool) as connection:
            user = await login.find(connection)
        checked = await hashing.check(user.encrypted_password if user else "", password)
    # Only who exists has attempts that a hook is asked about: its time must not tell who that is.
    asked = hooks.enabled(resources, hooks.PASSWORD_VERIFICATION_ATTEMPT)
    async with timing.evened_out() if asked else nullcontext():
        if user is not None:
            await hooks.password_attempt(resources, user.id, valid=checked.matches)
    if user is None or not checked.matches:
        await door.leave(request)
        await service.of(request).hash_costs.hold_back(resources, started_s)
        raise _wrong_credentials()
    _refuse_banned(user, resources)
    login.refuse_unproved(user)
    rehashed = await hashing.hash(password) if checked.outdated else None
    granted = await _sign_in(request, user, login, password, rehashed, tries)
    return sessions.response(granted, _weakness(password, resources))


@dataclass(frozen=True)
class Login:
    """Who somebody claims to be, by address or by number; `provider` is email or phone."""

    provider: str
    address: str

    async def find(self, connection: db.Connection) -> User | None:
        if self.provider == "phone":
            return await queries.accounts.find_by_phone(connection, self.address)
        return await queries.users.find_by_email(connection, self.address)

    def refuse_unproved(self, user: User) -> None:
        """Raises AuthError email_not_confirmed, phone_not_confirmed."""
        if self.provider == "phone" and user.phone_confirmed_at is None:
            raise AuthError(400, Code.PHONE_NOT_CONFIRMED, "Phone not confirmed")
        if self.provider == "email" and user.email_confirmed_at is None:
            raise AuthError(400, Code.EMAIL_NOT_CONFIRMED, "Email not confirmed")


def _login(body: Body, resources: Resources) -> Login:
    settings = resources.settings.auth
    email, phone = body.text("email"), body.text("phone")
    if email and phone:
        raise errors.invalid("Only an email address or phone number should be provided on login.")
    if not email and not phone:
        raise errors.invalid("missing email or phone")
    if phone and not settings.sms.enabled:
        raise AuthError(422, Code.PHONE_PROVIDER_DISABLED, "Phone logins are disabled")
    if email and not settings.email.enabled:
        raise AuthError(422, Code.EMAIL_PROVIDER_DISABLED, "Email logins are disabled")
    return Login("phone", phones.normalise(phone)) if phone else Login("email", email.lower())


async def _sign_in(
    request: Request, user: User, login: Login, password: str, rehashed: str | None, tries: bytes
) -> Granted:
    resources, caller, hashing = http.resources(request), device(request), service.of(request).passwords
    async with db.transaction(resources.pool) as connection:
        await limits.forget_tries(connection, limits.PASSWORD, tries)
        await audit.record(connection, Action.LOGIN, user, caller, resources.now(), {"provider": login.provider})
        granted = await sessions.start(connection, resources, user, "password", caller, provider=login.provider)
        # `start` has locked the user and read it anew: since the check there may be another password, another hash
        # of this one, or a ban.
        stored = granted.user.encrypted_password
        if stored != user.encrypted_password and not (await hashing.check(stored, password)).matches:
            raise _wrong_credentials()
        _refuse_banned(granted.user, resources)
        if rehashed:
            await queries.users.set_password(connection, user.id, rehashed, resources.now())
        return granted


def _wrong_credentials() -> AuthError:
    return AuthError(400, Code.INVALID_CREDENTIALS, "Invalid login credentials")


def _refuse_banned(user: User, resources: Resources) -> None:
    if user.is_banned(resources.now()):
        raise AuthError(400, Code.USER_BANNED, "User is banned")


def _weakness(password: str, resources: Resources) -> dict[str, Any] | None:
    """Tells the client when today's rules would not accept this password any more."""
    found = passwords.find_weakness(password, resources.settings.auth)
    return {"weak_password": {"message": found.message, "reasons": found.reasons}} if found else None


async def _refresh_token(request: Request, body: Body) -> Response:
    given = body.text("refresh_token")
    if not given:
        raise errors.invalid("refresh_token required")
    return sessions.response(await refresh_tokens.exchange(http.resources(request), given, device(request)))


async def _pkce(request: Request, body: Body) -> Response:
    resources = http.resources(request)
    code, verifier = body.text("auth_code"), body.text("code_verifier")
    if not code or not verifier:
        raise errors.invalid("invalid request: both auth code and code verifier should be non-empty")
    # One transaction: a change of the password in the meantime ends the code, or else the session.
    async with db.transaction(resources.pool) as connection:
        outcome = await _finish_flow(connection, resources, code, verifier, device(request))
    # Raised after the commit: the code is used up even so.
    if isinstance(outcome, AuthError):
        raise outcome
    return outcome


async def _finish_flow(
    connection: db.Connection, resources: Resources, code: str, verifier: str, caller: Device
) -> Response | AuthError:
    finished = await flow_states.finish(connection, resources, code, verifier)
    if isinstance(finished, AuthError):
        return finished
    user = await queries.users.find(connection, finished.user_id)
    assert user is not None  # locked just now
    if user.is_banned(resources.now()):
        return AuthError(403, Code.USER_BANNED, "User is banned")
    await audit.record(connection, Action.LOGIN, user, caller, resources.now(), {"provider": finished.provider})
    granted = await sessions.start(connection, resources, user, finished.method, caller, provider=finished.provider)
    tokens = {"provider_token": finished.provider_token, "provider_refresh_token": finished.provider_refresh_token}
    return sessions.response(granted, {name: token for name, token in tokens.items() if token})


async def _web3(_request: Request, _body: Body) -> Response:
    raise AuthError(422, Code.WEB3_PROVIDER_DISABLED, "Web3 provider is disabled")


GRANTS: Mapping[str, Callable[[Request, Body], Awaitable[Response]]] = {
    "password": _password,
    "refresh_token": _refresh_token,
    "pkce": _pkce,
    "id_token": id_token.grant,
    "web3": _web3,
}
