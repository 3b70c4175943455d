"""Keep PKCE flows (RFC 7636, AUTH-10): the challenge a flow begins with, the code it ends in.

A code lives five minutes from the click on the link, not from the request of the mail as upstream has it, so a mail
read ten minutes later still works.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from backend.auth import errors, queries
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.core import db
from backend.core.resources import Resources

CODE_LIFETIME = timedelta(minutes=5)


@dataclass(frozen=True)
class Challenge:
    """What the client will prove to know; `method` is s256 or plain."""

    value: str
    method: str


def read(body: Body) -> Challenge | None:
    """The challenge of a body, None without one. Raises AuthError validation_failed."""
    return challenge(body.text("code_challenge"), body.text("code_challenge_method"))


def challenge(value: str, method: str) -> Challenge | None:
    """The challenge of a request, None without one. Raises AuthError validation_failed."""
    method = method.lower()
    if not value and not method:
        return None
    if not value or not method:
        raise errors.invalid("PKCE flow requires code_challenge_method and code_challenge")
    if method not in ("s256", "plain"):
        raise errors.invalid("Invalid code_challenge_method, only s256 and plain are supported")
    if not 43 <= len(value) <= 128:
        raise errors.invalid("code challenge has to be between 43 and 128 characters")
    if not re.fullmatch(r"[a-zA-Z0-9._~-]+", value):
        raise errors.invalid(
            "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes"
        )
    return Challenge(value, method)


async def begin(
    connection: db.Connection, resources: Resources, user_id: UUID, method: str, challenge: Challenge
) -> None:
    """Keeps the challenge until the link of the mail is opened; `method` says what for."""
    await queries.flow_states.insert(
        connection,
        flow_id=uuid4(),
        user_id=user_id,
        code=str(uuid4()),
        challenge=challenge.value,
        challenge_method=challenge.method,
        method=method,
        now=resources.now(),
    )


@dataclass(frozen=True)
class Finished:
    """Who began a flow and by which method; the tokens are a provider's, '' where there was none."""

    user_id: UUID
    method: str
    provider: str
    provider_token: str = field(repr=False)
    provider_refresh_token: str = field(repr=False)


async def finish(connection: db.Connection, resources: Resources, code: str, verifier: str) -> Finished | AuthError:
    """What the flow came to; its user is locked. A refusal is returned, for the code is used up even so."""
    flow = await queries.flow_states.take(connection, code)
    if flow is None or flow.user_id is None or flow.auth_code_issued_at is None:
        return AuthError(404, Code.FLOW_STATE_NOT_FOUND, "invalid flow state, no valid flow state found")
    if resources.now() >= flow.auth_code_issued_at + CODE_LIFETIME:
        return AuthError(422, Code.FLOW_STATE_EXPIRED, "invalid flow state, flow state has expired")
    proved = verifier
    if flow.code_challenge_method == "s256":
        digest = hashlib.sha256(verifier.encode()).digest()
        proved = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    if not hmac.compare_digest(proved.encode(), flow.code_challenge.encode()):
        return AuthError(400, Code.BAD_CODE_VERIFIER, "code challenge does not match previously saved code verifier")
    return Finished(
        flow.user_id,
        flow.authentication_method,
        flow.provider_type,
        flow.provider_access_token,
        flow.provider_refresh_token,
    )
