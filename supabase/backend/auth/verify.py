"""GET and POST /verify: the proof that somebody read our mail, exchanged for a session.

POST is what the client's page sends when its button is pressed. GET is upstream's link: it redirects, with the
session in the fragment, a PKCE code in the query, or the reason why not. HEAD and prefetches use nothing up.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from backend.auth import (
    access,
    accounts,
    audit,
    bodies,
    emails,
    errors,
    invite,
    limits,
    magiclink,
    mails,
    one_time_tokens,
    phone_verification,
    phones,
    queries,
    recover,
    redirects,
    service,
    sessions,
    signup,
)
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.auth.one_time_tokens import PKCE_PREFIX, Taken
from backend.core import db, http
from backend.core.errors import ApiError, record

HALF_DONE = "Confirmation link accepted. Please proceed to confirm link sent to the other email"
# The flows a link may have begun with. Only the newest link of a kind is valid, and with it the newest flow.
_FLOWS = {
    one_time_tokens.CONFIRMATION: [signup.FLOW, invite.FLOW],
    one_time_tokens.RECOVERY: [recover.FLOW, magiclink.FLOW],
}


@dataclass(frozen=True)
class Proof:
    """What a caller shows: the hash of a link, or a code with the address or number it was sent to."""

    kind: str
    token_hash: str = ""
    code: str = ""
    email: str = ""
    phone: str = ""

    @property
    def address(self) -> str:
        return self.email or self.phone


async def post(request: Request) -> Response:
    """A session; after the first half of a secure change of address a message."""
    resources = http.resources(request)
    proof = _read(await bodies.read(request))
    tries = b""
    if proof.code:
        network = http.place_of(access.device(request).ip)
        tries = await limits.begin_try(resources, limits.CODE, proof.address, network)
    async with db.transaction(resources.pool) as connection:
        taken = await _take(connection, request, proof)
        if tries:
            await limits.forget_tries(connection, limits.CODE, tries)
        user = await _accept(connection, request, taken, proof)
        if user is None:
            return JSONResponse({"msg": HALF_DONE, "code": "200"})
        granted = await sessions.start(connection, resources, user, "otp", access.device(request))
    return sessions.response(granted)


async def get(request: Request) -> Response:
    """Always a redirect to the checked target; errors travel in it as well."""
    if request.method == "HEAD" or _is_prefetch(request):
        return Response(headers={"Cache-Control": "no-store"})
    target = redirects.target(request, http.resources(request).settings.auth)
    token_hash = request.query_params.get("token_hash") or request.query_params.get("token", "")
    try:
        location = await _follow(request, Proof(request.query_params.get("type", ""), token_hash), target)
    except ApiError as error:
        record(error)
        location = redirects.with_error(target, _in_words(error), in_query=token_hash.startswith(PKCE_PREFIX))
    return RedirectResponse(location, status_code=303, headers={"Cache-Control": "no-store"})


def _is_prefetch(request: Request) -> bool:
    announced = (request.headers.get(name, "") for name in ("sec-purpose", "purpose", "x-moz"))
    return any("prefetch" in value for value in announced)


async def _follow(request: Request, proof: Proof, target: str) -> str:
    resources = http.resources(request)
    _check_kind(proof.kind)
    if not proof.token_hash or "\x00" in proof.token_hash:
        raise errors.invalid("Verify requires a token or a token hash")
    pkce = proof.token_hash.startswith(PKCE_PREFIX)
    async with db.transaction(resources.pool) as connection:
        taken = await _take(connection, request, proof)
        user = await _accept(connection, request, taken, proof)
        if user is None:
            message = {"message": HALF_DONE}
            return redirects.with_fragment(redirects.with_query(target, message) if pkce else target, message)
        if pkce:
            code = await queries.flow_states.issue_code(connection, user.id, _flows(taken), resources.now())
            if code is None:
                raise AuthError(404, Code.FLOW_STATE_NOT_FOUND, "No associated flow state found")
            return redirects.with_query(target, {"code": code})
        granted = await sessions.start(connection, resources, user, "otp", access.device(request))
    values = {name: str(value) for name, value in granted.tokens().items()}
    return redirects.with_fragment(target, {**values, "type": proof.kind})


def _flows(taken: Taken) -> list[str]:
    return _FLOWS.get(taken.token_type, ["email_change"])


def _in_words(error: ApiError) -> ApiError:
    """What the reader of a mail can make something of."""
    if error.code != Code.OTP_EXPIRED:
        return error
    return AuthError(error.status, Code.OTP_EXPIRED, "Email link is invalid or has expired")


def _read(body: Body) -> Proof:
    kind, code, token_hash = body.text("type"), body.text("token"), body.text("token_hash")
    email, phone = body.text("email"), body.text("phone")
    if not code and not token_hash:
        raise errors.invalid("Verify requires a token or a token hash")
    _check_kind(kind)
    if token_hash:
        if email or phone:
            raise errors.invalid("Only the token_hash and type should be provided")
        return Proof(kind, token_hash=token_hash)
    if bool(email) == bool(phone):
        raise errors.invalid("Only an email address or phone number should be provided on verify")
    # People type a code as their mail shows it, with spaces or hyphens.
    typed = code.replace("-", "").replace(" ", "")
    if not phone:
        return Proof(kind, code=typed, email=emails.normalise(email))
    if kind not in one_time_tokens.SMS_TYPES:
        raise errors.invalid("Invalid sms verification type")
    return Proof(kind, code=typed, phone=phones.normalise(phone))


def _check_kind(kind: str) -> None:
    if not kind:
        raise errors.invalid("Verify requires a verification type")
    if kind not in one_time_tokens.TYPES and kind not in one_time_tokens.SMS_TYPES:
        raise errors.invalid("Unsupported verification type")


async def _take(connection: db.Connection, request: Request, proof: Proof) -> Taken:
    """Raises AuthError otp_expired."""
    resources = http.resources(request)
    if proof.token_hash:
        taken = await one_time_tokens.take_by_hash(connection, resources, proof.token_hash, proof.kind)
    elif proof.phone:
        taken = await one_time_tokens.take_by_sms(connection, resources, proof.phone, proof.code, proof.kind)
    else:
        taken = await one_time_tokens.take_by_code(connection, resources, proof.email, proof.code, proof.kind)
    if taken is None:
        raise errors.expired_token()
    return taken


async def _accept(connection: db.Connection, request: Request, taken: Taken, proof: Proof) -> User | None:
    """Does what the token was for; None when the other address must agree first."""
    user = await _reload(connection, taken.user_id)
    if user.is_banned(http.resources(request).now()):
        raise AuthError(403, Code.USER_BANNED, "User is banned")
    if taken.token_type in (one_time_tokens.EMAIL_CHANGE_NEW, one_time_tokens.EMAIL_CHANGE_CURRENT):
        if not await _change_email(connection, request, user, taken):
            return None
    elif proof.phone:
        await phone_verification.accept(connection, request, user, taken)
    else:
        await _prove_address(connection, request, user, taken)
    return await _reload(connection, taken.user_id)


async def _prove_address(connection: db.Connection, request: Request, user: User, taken: Taken) -> None:
    now, device = http.resources(request).now(), access.device(request)
    if taken.token_type == one_time_tokens.RECOVERY:
        await queries.users.clear_recovery(connection, user.id)
        if user.confirmed_at is None:
            # The mail of a sign-up proves that sign-up too; this one only whose address it is.
            account = NewAccount(email=user.email, data=user.user_metadata)
            await accounts.start_over(connection, http.resources(request), user, account)
    if user.email_confirmed_at is None:
        await accounts.confirm_email(connection, http.resources(request), user)
        await audit.record(connection, Action.USER_SIGNED_UP, user, device, now, {"provider": "email"})
    else:
        await audit.record(connection, Action.LOGIN, user, device, now)


async def _change_email(connection: db.Connection, request: Request, user: User, taken: Taken) -> bool:
    """True once every address that had to agree has."""
    resources = http.resources(request)
    now = resources.now()
    agreed = await queries.users.accept_half_email_change(connection, user.id, taken.token_type, now)
    needed = 2 if resources.settings.auth.email.double_confirm_changes and user.email else 1
    if agreed < needed:
        traits = {"agreed": taken.token_type}
        await audit.record(connection, Action.USER_MODIFIED, user, access.device(request), now, traits)
        return False
    await accounts.apply_email_change(connection, resources, user)
    await audit.record(connection, Action.USER_MODIFIED, user, access.device(request), now)
    if user.email:
        changed = {"OldEmail": user.email, "NewEmail": user.email_change}
        await service.post(request).notice(connection, mails.EMAIL_CHANGED, user.email, user, **changed)
    return True


async def _reload(connection: db.Connection, user_id: UUID) -> User:
    user = await queries.users.find(connection, user_id)
    if user is None:
        raise errors.expired_token()
    return user
