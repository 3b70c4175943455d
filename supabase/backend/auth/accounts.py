"""Making an account, whoever asks for it: a sign-up, a code by SMS, an invitation, an admin."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from backend.auth import errors, hooks, queries
from backend.auth.access import AUDIENCE, Device
from backend.auth.errors import AuthError, Code
from backend.auth.models import User
from backend.core import db
from backend.core.errors import ApiError
from backend.core.resources import Resources

EMAIL_TAKEN = "A user with this email address has already been registered"
PHONE_TAKEN = "A user with this phone number has already been registered"


@dataclass(frozen=True)
class NewAccount:
    """What an account begins with; '' means none. `app_metadata` comes on top of the names of the providers."""

    email: str = ""
    phone: str = ""
    encrypted_password: str = field(default="", repr=False)
    data: dict[str, Any] = field(default_factory=dict)
    app_metadata: dict[str, Any] = field(default_factory=dict)
    role: str = "authenticated"
    audience: str = AUDIENCE
    id: UUID | None = None
    is_anonymous: bool = False

    @property
    def providers(self) -> list[str]:
        return [name for name, address in (("email", self.email), ("phone", self.phone)) if address]


async def create(
    connection: db.Connection, resources: Resources, wanted: NewAccount, caller: Device | None = None
) -> User:
    """The account with an unproved identity for each address; `caller` is who signs up, None when an admin does it.

    Raises AuthError email_exists, phone_exists, user_already_exists, unexpected_failure, and for who signs up what
    the hook refuses with.
    """
    if wanted.email and await queries.users.is_email_taken(connection, wanted.email):
        raise AuthError(422, Code.EMAIL_EXISTS, EMAIL_TAKEN)
    now, user_id, providers = resources.now(), wanted.id or uuid4(), wanted.providers
    named = {"provider": providers[0], "providers": providers} if providers else {}
    if caller is not None:
        await hooks.before_user_created(connection, resources, _draft(wanted, user_id, named, now), caller.ip)
    try:
        await queries.accounts.insert(
            connection,
            user_id=user_id,
            audience=wanted.audience,
            role=wanted.role,
            email=wanted.email,
            phone=wanted.phone,
            encrypted_password=wanted.encrypted_password,
            app_metadata=named | {name: value for name, value in wanted.app_metadata.items() if value is not None},
            user_metadata=wanted.data,
            is_anonymous=wanted.is_anonymous,
            now=now,
        )
        if wanted.email:
            await queries.identities.put_email(connection, user_id=user_id, email=wanted.email, verified=False, now=now)
        if wanted.phone:
            await queries.identities.put_phone(connection, user_id=user_id, phone=wanted.phone, verified=False, now=now)
    except asyncpg.PostgresError as error:
        raise refusal(error, "Database error saving new user") from None
    user = await reload(connection, user_id)
    await hooks.after_user_created(connection, resources, user, caller.ip if caller else "")
    return user


async def start_over(connection: db.Connection, resources: Resources, user: User, wanted: NewAccount) -> User:
    """Makes an account that nobody has proved to be theirs a new one, with an unproved identity for the one address
    or number: whoever made it ahead of its owner keeps no way in. Who comes by a provider: linking.

    Raises AuthError unexpected_failure, and conflict when the owner has come in this very moment.
    """
    now, (provider,) = resources.now(), wanted.providers
    await queries.users.lock(connection, user.id)
    if (await reload(connection, user.id)).confirmed_at:
        raise AuthError(409, Code.CONFLICT, "The account has been confirmed in the meantime")
    try:
        await queries.provider_accounts.forget_unproved(connection, user.id, provider, str(user.id), wanted.data, now)
        await queries.users.set_password(connection, user.id, wanted.encrypted_password, now)
        if wanted.email:
            await queries.identities.put_email(connection, user_id=user.id, email=wanted.email, verified=False, now=now)
        else:
            await queries.identities.put_phone(connection, user_id=user.id, phone=wanted.phone, verified=False, now=now)
        await queries.provider_accounts.name_providers(connection, user.id, now)
    except asyncpg.PostgresError as error:
        raise refusal(error, "Database error saving new user") from None
    return await reload(connection, user.id)


def _draft(wanted: NewAccount, user_id: UUID, app_metadata: dict[str, Any], now: datetime) -> User:
    """The account as it would be, for a hook to look at."""
    return User(
        id=user_id,
        aud=wanted.audience,
        role=wanted.role,
        email=wanted.email,
        phone=wanted.phone,
        app_metadata=app_metadata,
        user_metadata=wanted.data,
        created_at=now,
        updated_at=now,
        is_anonymous=wanted.is_anonymous,
    )


def refusal(error: asyncpg.PostgresError, message: str) -> ApiError:
    """What a write on auth.users failed of: an address somebody else has, or the product's triggers."""
    taken = {
        "users_email_partial_key": (Code.EMAIL_EXISTS, EMAIL_TAKEN),
        "users_phone_key": (Code.PHONE_EXISTS, PHONE_TAKEN),
        "users_pkey": (Code.USER_ALREADY_EXISTS, "A user with this id already exists"),
    }
    constraint = error.as_dict().get("constraint_name")
    if isinstance(error, asyncpg.UniqueViolationError) and constraint in taken:
        return AuthError(422, *taken[constraint])
    return errors.database(message, error)


async def confirm_email(connection: db.Connection, resources: Resources, user: User) -> None:
    """The address is the person's: by a mail that was read, or by somebody's word who may say so."""
    now = resources.now()
    await queries.users.confirm_email(connection, user.id, now)
    await queries.identities.set_email(connection, user.id, user.email, now)


async def confirm_phone(connection: db.Connection, resources: Resources, user: User) -> None:
    """The number is the person's."""
    now = resources.now()
    await queries.accounts.confirm_phone(connection, user.id, now)
    await queries.identities.put_phone(connection, user_id=user.id, phone=user.phone, verified=True, now=now)


async def apply_email_change(connection: db.Connection, resources: Resources, user: User) -> None:
    """The address the user asked for becomes the address; it has just been proved. Raises AuthError email_exists."""
    now = resources.now()
    try:
        await queries.users.apply_email_change(connection, user.id, now)
    except asyncpg.PostgresError as error:
        raise refusal(error, "Database error updating user") from None
    if not await queries.identities.set_email(connection, user.id, user.email_change, now):
        await queries.identities.put_email(connection, user_id=user.id, email=user.email_change, verified=True, now=now)
        await queries.provider_accounts.name_providers(connection, user.id, now)


async def reload(connection: db.Connection, user_id: UUID) -> User:
    """The account as it stands now, soft-deleted or not."""
    user = await queries.accounts.find(connection, user_id)
    if user is None:
        raise AuthError(500, Code.UNEXPECTED_FAILURE, "Database error finding user", cause="the row is gone")
    return user
