"""POST /admin/generate_link: the link and code a mail would have carried, for an admin to hand over; no mail is sent.

With a `code_challenge` in the body the link ends in a PKCE code, which upstream cannot do.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import (
    access,
    accounts,
    audit,
    bodies,
    emails,
    errors,
    flow_states,
    invite,
    one_time_tokens,
    passwords,
    queries,
    redirects,
    service,
    user_metadata,
)
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.flow_states import Challenge
from backend.auth.mails import Post
from backend.auth.models import User
from backend.auth.one_time_tokens import OneTimeToken
from backend.core import db, http


@dataclass(frozen=True)
class Wanted:
    """What an admin asks for; `encrypted` is the hash of the password a new account shall have."""

    kind: str
    email: str
    new_email: str
    encrypted: str = field(repr=False)
    data: dict[str, Any]
    challenge: Challenge | None
    actor: User

    @property
    def pkce(self) -> bool:
        return self.challenge is not None


@dataclass(frozen=True)
class Made:
    """A link of a kind that GET /verify knows, for this user; `flow` is how a PKCE flow for it is called."""

    user: User
    token: OneTimeToken
    kind: str
    flow: str


async def generate_link(request: Request) -> Response:
    """The user and the link, in one flat object. Raises what access.admin raises, and AuthError validation_failed,
    user_not_found, email_exists, weak_password.
    """
    resources, actor = http.resources(request), await access.admin(request)
    body = await bodies.read(request)
    wanted = await _read(request, body, actor)
    post = replace(service.post(request), silent=True, redirect_to=_target(request, body))
    async with db.transaction(resources.pool) as connection:
        known = await queries.users.find_by_email(connection, wanted.email)
        kind = "signup" if wanted.kind == "magiclink" and known is None else wanted.kind
        made = await _MAKERS[kind](connection, request, post, wanted, known)
        if wanted.challenge:
            await flow_states.begin(connection, resources, made.user.id, made.flow, wanted.challenge)
        user = await accounts.reload(connection, made.user.id)
    link = {
        "action_link": post.confirmation_url(made.token, made.kind),
        "email_otp": made.token.code,
        "hashed_token": made.token.hash,
        "verification_type": kind,
        "redirect_to": post.redirect_to,
    }
    return JSONResponse({**user.public(), **link}, headers={"Cache-Control": "no-store"})


async def _read(request: Request, body: Body, actor: User) -> Wanted:
    kind, password = body.text("type"), body.text("password")
    if kind not in _MAKERS:
        raise errors.invalid(f"Invalid email action link type requested: {kind[:50]}")
    email, data = emails.normalise(body.text("email")), body.optional_object("data") or {}
    user_metadata.refuse_oversized(data)
    new_email, encrypted = "", ""
    if kind in _EMAIL_CHANGES:
        new_email = emails.normalise(body.text("new_email"))
    elif kind == "signup":
        if not password:
            raise errors.invalid("Signup requires a valid password")
        passwords.refuse_bad(password, http.resources(request).settings.auth)
        encrypted = await service.of(request).passwords.hash(password)
    return Wanted(kind, email, new_email, encrypted, data, flow_states.read(body), actor)


def _target(request: Request, body: Body) -> str:
    """`redirect_to` of the body, as far as it is allowed, else as for everybody."""
    settings, wanted = http.resources(request).settings.auth, body.text("redirect_to")
    if wanted and redirects.is_allowed(wanted, settings):
        return wanted
    return redirects.target(request, settings)


async def _sign_up(connection: db.Connection, request: Request, post: Post, wanted: Wanted, known: User | None) -> Made:
    resources = http.resources(request)
    account = NewAccount(email=wanted.email, encrypted_password=wanted.encrypted, data=wanted.data)
    if known is None:
        user = await accounts.create(connection, resources, account)
    elif known.confirmed_at:
        raise AuthError(422, Code.EMAIL_EXISTS, accounts.EMAIL_TAKEN)
    else:
        # What an admin has written about the person stays, as with an invitation.
        kept = replace(account, data=known.user_metadata | wanted.data)
        user = await accounts.start_over(connection, resources, known, kept)
    await _record(connection, request, Action.USER_CONFIRMATION_REQUESTED, wanted.actor, user)
    return Made(user, await post.confirmation(connection, user, pkce=wanted.pkce), "signup", "email/signup")


async def _invite(connection: db.Connection, request: Request, post: Post, wanted: Wanted, _known: User | None) -> Made:
    user = await invite.prepare(connection, http.resources(request), wanted.email, wanted.data)
    await invite.record(connection, request, wanted.actor, user)
    return Made(user, await post.invite(connection, user, pkce=wanted.pkce), "invite", invite.FLOW)


async def _let_in(connection: db.Connection, request: Request, post: Post, wanted: Wanted, known: User | None) -> Made:
    user = _existing(known)
    await _record(connection, request, Action.USER_RECOVERY_REQUESTED, wanted.actor, user)
    return Made(user, await post.recovery(connection, user, pkce=wanted.pkce), wanted.kind, wanted.kind)


async def _change_email(
    connection: db.Connection, request: Request, post: Post, wanted: Wanted, known: User | None
) -> Made:
    """One half of a change of address; the other is asked for by its own link."""
    user, kind = _existing(known), _EMAIL_CHANGES[wanted.kind]
    secure = http.resources(request).settings.auth.email.double_confirm_changes
    if kind == one_time_tokens.EMAIL_CHANGE_CURRENT and not secure:
        raise errors.invalid("Enable secure email change to generate link for current email")
    if await queries.users.is_email_taken(connection, wanted.new_email, by_other_than=user.id):
        raise AuthError(422, Code.EMAIL_EXISTS, accounts.EMAIL_TAKEN)
    await _record(connection, request, Action.USER_MODIFIED, wanted.actor, user)
    token = await post.email_change_half(connection, user, wanted.new_email, kind, pkce=wanted.pkce)
    return Made(user, token, "email_change", "email_change")


def _existing(known: User | None) -> User:
    if known is None:
        raise AuthError(404, Code.USER_NOT_FOUND, "User with this email not found")
    return known


async def _record(connection: db.Connection, request: Request, action: Action, actor: User, user: User) -> None:
    traits = {"user_id": str(user.id), "user_email": user.email, "link_generated": True}
    await audit.record(connection, action, actor, access.device(request), http.resources(request).now(), traits)


_EMAIL_CHANGES = {
    "email_change_current": one_time_tokens.EMAIL_CHANGE_CURRENT,
    "email_change_new": one_time_tokens.EMAIL_CHANGE_NEW,
}
_MAKERS: Mapping[str, Callable[[db.Connection, Request, Post, Wanted, User | None], Awaitable[Made]]] = {
    "signup": _sign_up,
    "invite": _invite,
    "magiclink": _let_in,
    "recovery": _let_in,
    **dict.fromkeys(_EMAIL_CHANGES, _change_email),
}
