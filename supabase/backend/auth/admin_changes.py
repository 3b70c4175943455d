"""What an admin may set of an account, and what follows from it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import asyncpg
from starlette.requests import Request

from backend.auth import (
    accounts,
    bodies,
    emails,
    errors,
    imported_hashes,
    passwords,
    phones,
    queries,
    service,
    user_metadata,
)
from backend.auth.models import User
from backend.core import db, http
from backend.core.resources import Resources

# Go's notation of durations (https://pkg.go.dev/time#ParseDuration).
_UNITS_S = {"h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|μs|ns)", re.ASCII)
# Go's longest duration, some 292 years.
_LONGEST_S = (2**63 - 1) / 1e9
_NO_DURATION = "invalid format for ban duration"


@dataclass(frozen=True)
class Change:
    """What is named in the body; None and '' mean: as it is. `encrypted` is the hash of the new password."""

    email: str
    phone: str
    encrypted: str | None = field(repr=False)
    email_confirm: bool
    phone_confirm: bool
    role: str
    user_metadata: dict[str, Any] | None
    app_metadata: dict[str, Any] | None
    # None: as it is; zero: no ban.
    ban: timedelta | None


async def read(request: Request, body: bodies.Body, *, is_new: bool = False) -> Change:
    """Read the body; the rules of passwords do not bind an admin who creates an account, as upstream.

    Raises AuthError validation_failed, weak_password.
    """
    data = body.optional_object("user_metadata")
    user_metadata.refuse_oversized(data or {})
    app_metadata = body.optional_object("app_metadata")
    user_metadata.refuse_oversized(app_metadata or {}, "app_metadata")
    return Change(
        email=emails.normalise(body.text("email")) if body.text("email") else "",
        phone=phones.normalise(body.text("phone")) if body.text("phone") else "",
        encrypted=await _hash(request, body, is_new=is_new),
        email_confirm=body.flag("email_confirm"),
        phone_confirm=body.flag("phone_confirm"),
        role=body.text("role")[:255],
        user_metadata=data,
        app_metadata=app_metadata,
        ban=_duration(body.text("ban_duration")),
    )


async def _hash(request: Request, body: bodies.Body, *, is_new: bool) -> str | None:
    """Of the password, or the one that was brought along from elsewhere."""
    password, brought = body.text("password"), body.text("password_hash")
    if password and brought:
        raise errors.invalid("Only a password or a password hash should be provided, not both")
    if brought:
        return imported_hashes.checked(brought)
    if not password:
        return None
    passwords.refuse_long(password)
    if not is_new:
        passwords.refuse_bad(password, http.resources(request).settings.auth)
    return await service.of(request).passwords.hash(password)


def _duration(text: str) -> timedelta | None:
    """`none` ends a ban. Raises AuthError validation_failed."""
    if not text:
        return None
    if text in ("none", "0"):
        return timedelta()
    parts = _PART.findall(text) if len(text) < 100 else []
    if "".join(number + unit for number, unit in parts) != text:
        raise errors.invalid(f'{_NO_DURATION}: write it as "24h" or "1h30m", or "none"')
    seconds = sum(float(number) * _UNITS_S[unit] for number, unit in parts)
    if seconds > _LONGEST_S:
        raise errors.invalid(f"{_NO_DURATION}: longer than 292 years")
    return timedelta(seconds=seconds)


async def apply(connection: db.Connection, resources: Resources, user: User, change: Change) -> None:
    """Raises AuthError email_exists, phone_exists, unexpected_failure."""
    now = resources.now()
    try:
        if change.role:
            await queries.accounts.set_role(connection, user.id, change.role, now)
        if change.email and change.email != user.email:
            await _set_email(connection, user, change.email, now)
        if change.phone and change.phone != user.phone:
            await _set_phone(connection, user, change.phone, now)
        if change.encrypted is not None:
            # Whoever was in is out, and no older mail opens the account any more.
            await queries.users.set_password(connection, user.id, change.encrypted, now)
            await queries.users.clear_pending_tokens(connection, user.id)
            await queries.sessions.delete_all(connection, user.id)
        if change.app_metadata is not None:
            await queries.accounts.merge_app_metadata(connection, user.id, change.app_metadata, now)
        if change.user_metadata is not None:
            await queries.users.merge_metadata(connection, user.id, change.user_metadata, now)
        await confirm_and_ban(connection, resources, await accounts.reload(connection, user.id), change)
    except asyncpg.PostgresError as error:
        raise accounts.refusal(error, "Error updating user") from None
    changed = await accounts.reload(connection, user.id)
    user_metadata.refuse_oversized(changed.user_metadata)
    user_metadata.refuse_oversized(changed.app_metadata, "app_metadata")


async def confirm_and_ban(connection: db.Connection, resources: Resources, user: User, change: Change) -> None:
    """An admin's word is proof enough."""
    if change.email_confirm and user.email:
        await accounts.confirm_email(connection, resources, user)
    if change.phone_confirm and user.phone:
        await accounts.confirm_phone(connection, resources, user)
    if change.ban is not None:
        until = resources.now() + change.ban if change.ban else None
        await queries.accounts.ban_until(connection, user.id, until, resources.now())
        if until:
            # Upstream leaves them, and their tokens read data until they expire.
            await queries.sessions.delete_all(connection, user.id)


async def _set_email(connection: db.Connection, user: User, email: str, now: datetime) -> None:
    proved = user.email_confirmed_at is not None
    await queries.accounts.set_email(connection, user.id, email, now)
    await queries.identities.put_email(connection, user_id=user.id, email=email, verified=proved, now=now)
    await queries.provider_accounts.name_providers(connection, user.id, now)


async def _set_phone(connection: db.Connection, user: User, phone: str, now: datetime) -> None:
    proved = user.phone_confirmed_at is not None
    await queries.accounts.set_phone(connection, user.id, phone, now)
    await queries.identities.put_phone(connection, user_id=user.id, phone=phone, verified=proved, now=now)
    await queries.provider_accounts.name_providers(connection, user.id, now)


async def delete_softly(connection: db.Connection, resources: Resources, user: User) -> None:
    """Hashes stand where address and number were, so that both are free again and nobody can read them."""
    email, phone = _unreadable(user, user.email), _unreadable(user, user.phone)
    await queries.accounts.delete_softly(connection, user.id, email, phone, resources.now())


def _unreadable(user: User, value: str) -> str:
    return hashlib.sha256(f"{user.id}{value}".encode()).hexdigest() if value else ""
