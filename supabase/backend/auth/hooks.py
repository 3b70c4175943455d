"""Call hooks (AUTH-24): the product decides about sign-ups, sign-ins and tokens, and may send mails itself.

A hook is a function in the database, or an address that is sent signed requests (Standard Webhooks,
https://www.standardwebhooks.com). What it answers decides; when it cannot be asked, the request fails. The hooks
that only carry something out (send_email, send_sms, after_user_created) are called by the worker, with retries, so
that nobody waits for them. The others are asked inside the request, whose database connection waits with it: a hook
should be quick, and a function in the database is the quickest.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from email.message import Message as MimeHeaders
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import aiohttp
import asyncpg

from backend.auth import errors, queries
from backend.auth.errors import AuthError, Code
from backend.auth.models import User, timestamp
from backend.core import db, jobs
from backend.core.config import ConfigError, Settings
from backend.core.config_hooks import Hook
from backend.core.resources import Resources

FUNCTION_TIMEOUT_S = 2.0
HTTP_TIMEOUT_S = 5.0
# All tries together: a request is cut short after ten seconds (errors.REQUEST_TIMEOUT_S).
HTTP_TOTAL_S = 8.0
HTTP_TRIES = 3
PAUSE_S = 0.5
LONGEST_PAUSE_S = 2.0
MAX_ANSWER_BYTES = 200 * 1024

CUSTOM_ACCESS_TOKEN = "custom_access_token"  # noqa: S105 - the name of a hook
SEND_EMAIL = "send_email"
SEND_SMS = "send_sms"
BEFORE_USER_CREATED = "before_user_created"
AFTER_USER_CREATED = "after_user_created"
MFA_VERIFICATION_ATTEMPT = "mfa_verification_attempt"
PASSWORD_VERIFICATION_ATTEMPT = "password_verification_attempt"  # noqa: S105 - the name of a hook

AFTER_USER_CREATED_JOB = "auth.after_user_created"


@dataclass(frozen=True)
class Function:
    """A function in the database: jsonb in, jsonb out."""

    schema: str
    name: str


@dataclass(frozen=True)
class Address:
    """Where signed requests go; the first key is today's."""

    url: str
    keys: tuple[bytes, ...]


def check(settings: Settings) -> None:
    """At start. Raises ConfigError for a hook that could never be called."""
    hooks = settings.auth.hook
    for each in fields(hooks):
        hook: Hook = getattr(hooks, each.name)
        if hook.enabled:
            try:
                _target(hook)
            except ValueError as error:
                raise ConfigError(f"auth.hook.{each.name}: {error}") from error


def enabled(resources: Resources, name: str) -> bool:
    """Whether there is such a hook."""
    return bool(_hook(resources, name).enabled)


async def call(
    resources: Resources,
    name: str,
    payload: dict[str, Any],
    connection: db.Connection | None = None,
    *,
    message_id: str = "",
) -> dict[str, Any] | None:
    """The hook's answer, None when it is switched off; a function runs in the caller's transaction.

    Raises AuthError hook_timeout, hook_timeout_after_retry, hook_payload_over_size_limit,
    hook_payload_invalid_content_type, unexpected_failure, or what the hook itself refuses with.
    """
    hook = _hook(resources, name)
    if not hook.enabled:
        return None
    target = _target(hook)
    if isinstance(target, Address):
        answer = await _over_http(resources, target, payload, message_id or str(uuid4()))
    elif connection is not None:
        answer = await _in_database(connection, name, target, payload)
    else:
        async with db.connection(resources.pool) as own:
            answer = await _in_database(own, name, target, payload)
    _raise_refusal(answer)
    return answer


def metadata(resources: Resources, name: str, ip: str) -> dict[str, Any]:
    """What some payloads say about the request itself."""
    moment = timestamp(resources.now())
    return {"uuid": str(uuid4()), "time": moment, "name": name.replace("_", "-"), "ip_address": ip}


def _hook(resources: Resources, name: str) -> Hook:
    hook: Hook = getattr(resources.settings.auth.hook, name)
    return hook


@lru_cache(maxsize=32)
def _target(hook: Hook) -> Function | Address:
    """Raises ValueError."""
    parts = urlsplit(hook.uri)
    if parts.scheme == "pg-functions":
        names = re.fullmatch(r"/([\w$-]{1,63})/([\w$-]{1,63})", parts.path)
        if names is None or not parts.netloc:
            raise ValueError("the uri must be pg-functions://postgres/<schema>/<function>")
        return Function(names[1], names[2])
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not parts.hostname or parts.scheme not in ("https", "http") or (parts.scheme == "http" and not local):
        raise ValueError("the uri must begin with pg-functions:// or https:// (http:// for this machine only)")
    secrets = [secret.strip() for secret in hook.secrets.split("|") if secret.strip()]
    if not secrets or not all(secret.startswith("v1,whsec_") for secret in secrets):
        raise ValueError("secrets must be v1,whsec_<base64>, several separated by |")
    # binascii.Error is a ValueError
    return Address(hook.uri, tuple(base64.b64decode(secret[len("v1,whsec_") :], validate=True) for secret in secrets))


async def _in_database(
    connection: db.Connection, name: str, target: Function, payload: dict[str, Any]
) -> dict[str, Any]:
    try:
        answer = await queries.hooks.call(connection, target.schema, target.name, payload, FUNCTION_TIMEOUT_S)
    except asyncpg.QueryCanceledError as error:
        message = f"Failed to reach hook within maximum time of {FUNCTION_TIMEOUT_S:f} seconds"
        raise AuthError(422, Code.HOOK_TIMEOUT, message, cause=error) from None
    except asyncpg.PostgresError as error:
        raise errors.database(f"Error running hook {name}", error) from None
    return _object(answer)


async def _over_http(resources: Resources, target: Address, payload: dict[str, Any], message_id: str) -> dict[str, Any]:
    """Tries again where another try may help: no connection, or the other side asks for it."""
    body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    pause_s = PAUSE_S
    try:
        async with asyncio.timeout(HTTP_TOTAL_S):
            for attempt in range(HTTP_TRIES):
                if attempt:
                    await asyncio.sleep(pause_s)
                try:
                    answer = await _post(resources, target, body, message_id)
                except aiohttp.ClientConnectionError:
                    continue
                if isinstance(answer, dict):
                    return answer
                pause_s = answer
    except TimeoutError as error:
        message = f"Failed to reach hook within maximum time of {HTTP_TIMEOUT_S:f} seconds"
        raise AuthError(422, Code.HOOK_TIMEOUT, message, cause=error) from error
    except aiohttp.ClientError as error:
        raise _broken("Error executing Hook", error) from error
    raise AuthError(422, Code.HOOK_TIMEOUT_AFTER_RETRY, "Failed to reach hook after maximum retries")


async def _post(resources: Resources, target: Address, body: bytes, message_id: str) -> dict[str, Any] | float:
    """The answer, or how long to wait before the next try."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    headers |= signature(target.keys, message_id, int(resources.now().timestamp()), body)
    timeout = aiohttp.ClientTimeout(total=HTTP_TIMEOUT_S)
    async with resources.http.post(
        target.url, data=body, headers=headers, timeout=timeout, allow_redirects=False
    ) as response:
        if response.status in (429, 503) and "Retry-After" in response.headers:
            asked = response.headers["Retry-After"]
            return min(float(asked), LONGEST_PAUSE_S) if asked.isdigit() else PAUSE_S
        if response.status == 204:
            return {}
        if response.status not in (200, 202):
            raise _broken(f"Unexpected status code returned from hook: {response.status}")
        content = await _bounded(response)
        if not content:
            return {}
        if _media_type(response.headers.get("Content-Type", "")) != "application/json":
            message = "Invalid Content-Type: the hook must answer application/json"
            raise AuthError(400, Code.HOOK_PAYLOAD_INVALID_CONTENT_TYPE, message)
    try:
        return _object(json.loads(content))
    except (ValueError, RecursionError) as error:
        raise _broken("Error unmarshaling JSON output of hook", error) from error


def signature(keys: tuple[bytes, ...], message_id: str, moment: int, body: bytes) -> dict[str, str]:
    """The headers that prove who asks; one signature for each key."""
    content = f"{message_id}.{moment}.".encode() + body
    signed = [base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(moment),
        "webhook-signature": " ".join(f"v1,{each}" for each in signed),
    }


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(16 * 1024):
        content += chunk
        if len(content) > MAX_ANSWER_BYTES:
            message = f"Payload size exceeds the limit of {MAX_ANSWER_BYTES} bytes"
            raise AuthError(422, Code.HOOK_PAYLOAD_OVER_SIZE_LIMIT, message)
    return bytes(content)


def _media_type(value: str) -> str:
    headers = MimeHeaders()
    headers["Content-Type"] = value
    return headers.get_content_type()


def _object(answer: Any) -> dict[str, Any]:
    """Nothing is an empty answer, as of a function that returns void."""
    if answer is None or answer == "":
        return {}
    if not isinstance(answer, dict):
        raise _broken("The hook must answer a JSON object")
    return answer


def _raise_refusal(answer: Mapping[str, Any]) -> None:
    """A hook refuses by {"error": {"http_code": 403, "message": "…"}}."""
    error = answer.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("message"), str) or not error["message"]:
        return
    status = error.get("http_code")
    if not isinstance(status, int) or not 400 <= status <= 599:
        status = 500
    # Upstream's word for a refusal that is none of its own.
    raise AuthError(status, Code.UNEXPECTED_FAILURE if status == 500 else Code.UNKNOWN, error["message"])


def _broken(message: str, cause: BaseException | None = None) -> AuthError:
    return AuthError(500, Code.UNEXPECTED_FAILURE, message, cause=cause)


# What each hook is asked.

# What a token must carry for our own services and the clients to understand it, with the types they expect.
REQUIRED_CLAIMS: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("sub", "email", "phone", "role", "aal", "session_id"), str),
    **dict.fromkeys(("exp", "iat"), int),
    "aud": (str, list),
    "is_anonymous": bool,
}
# Which of them are not the hook's to change: revoking a session works by them.
KEPT_CLAIMS = ("sub", "session_id")


async def access_token_claims(
    connection: db.Connection, resources: Resources, claims: dict[str, Any], method: str
) -> dict[str, Any]:
    """The claims as the hook wants them. Raises AuthError as `call`, unexpected_failure for claims nobody can use."""
    payload = {"user_id": claims["sub"], "claims": claims, "authentication_method": method}
    answer = await call(resources, CUSTOM_ACCESS_TOKEN, payload, connection)
    if answer is None:
        return claims
    changed = answer.get("claims")
    if not isinstance(changed, dict):
        raise _broken("output claims do not conform to the expected schema: \n- (root): claims is required")
    for name, kind in REQUIRED_CLAIMS.items():
        if name not in changed:
            raise _broken(f"output claims do not conform to the expected schema: \n- (root): {name} is required")
        if not isinstance(changed[name], kind) or (kind is int and isinstance(changed[name], bool)):
            raise _broken(f"output claims do not conform to the expected schema: \n- {name}: Invalid type")
    for name in KEPT_CLAIMS:
        if changed[name] != claims[name]:
            raise _broken(f"output claims do not conform to the expected schema: \n- {name}: must not change")
    return {**changed, "exp": min(changed["exp"], claims["exp"])}


async def before_user_created(connection: db.Connection, resources: Resources, user: User, ip: str) -> None:
    """Raises AuthError as `call`, above all what the hook refuses the sign-up with."""
    if enabled(resources, BEFORE_USER_CREATED):
        payload = {"metadata": metadata(resources, BEFORE_USER_CREATED, ip), "user": user.public()}
        await call(resources, BEFORE_USER_CREATED, payload, connection)


async def after_user_created(connection: db.Connection, resources: Resources, user: User, ip: str) -> None:
    """Tells the hook once the account is there for good: a job of this transaction."""
    if enabled(resources, AFTER_USER_CREATED):
        payload = {"metadata": metadata(resources, AFTER_USER_CREATED, ip), "user": user.public()}
        await jobs.enqueue(connection, AFTER_USER_CREATED_JOB, payload)


async def tell_of_new_user(resources: Resources, payload: dict[str, Any]) -> None:
    """The job. Raises AuthError as `call`, and is tried again."""
    await call(resources, AFTER_USER_CREATED, payload, message_id=payload["metadata"]["uuid"])


async def password_attempt(resources: Resources, user_id: UUID, *, valid: bool) -> None:
    """Raises AuthError as `call`, and invalid_credentials when the hook says so, whatever the password was."""
    payload = {"user_id": str(user_id), "valid": valid}
    answer = await call(resources, PASSWORD_VERIFICATION_ATTEMPT, payload)
    if answer is not None and answer.get("decision") == "reject":
        async with db.connection(resources.pool) as connection:
            await _log_out(connection, user_id, answer)
        message = _message(answer, "Further password verification attempts will be rejected.")
        raise AuthError(400, Code.INVALID_CREDENTIALS, message)


async def mfa_attempt(
    connection: db.Connection, resources: Resources, user_id: UUID, factor_id: UUID, factor_type: str, *, valid: bool
) -> AuthError | None:
    """The refusal the hook wants, whatever the code was; to be raised after the commit. Raises AuthError as `call`."""
    payload = {
        "factor_id": str(factor_id),
        "factor_type": factor_type,
        "user_id": str(user_id),
        "valid": valid,
    }
    answer = await call(resources, MFA_VERIFICATION_ATTEMPT, payload, connection)
    if answer is None or answer.get("decision") != "reject":
        return None
    await _log_out(connection, user_id, answer)
    message = _message(answer, "Further MFA verification attempts will be rejected.")
    return AuthError(403, Code.MFA_VERIFICATION_REJECTED, message)


async def _log_out(connection: db.Connection, user_id: UUID, answer: Mapping[str, Any]) -> None:
    if answer.get("should_logout_user") is True:
        await queries.sessions.delete_all(connection, user_id)


def _message(answer: Mapping[str, Any], default: str) -> str:
    message = answer.get("message")
    return message if isinstance(message, str) and message else default
