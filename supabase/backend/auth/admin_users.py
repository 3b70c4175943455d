"""GET and POST /admin/users, GET, PUT and DELETE /admin/users/{id}: accounts as an admin sees and changes them."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from backend.auth import access, accounts, admin_changes, audit, bodies, errors, paging, patterns, queries
from backend.auth.access import AUDIENCE
from backend.auth.accounts import NewAccount
from backend.auth.audit import Action
from backend.auth.bodies import Body
from backend.auth.errors import AuthError, Code
from backend.auth.models import User, timestamp
from backend.auth.paging import Page
from backend.core import db, erased, http
from backend.core.resources import Resources

logger = logging.getLogger("backend.auth")


@dataclass(frozen=True)
class Search:
    """Which users a list is about; '' means all. `email` is the whole address, an extra of ours."""

    audience: str
    pattern: str
    email: str


async def users(request: Request) -> Response:
    """A page by number, or after a cursor when `cursor` or `limit` is given. Raises what access.admin raises, and
    AuthError validation_failed.
    """
    await access.admin(request)
    query = request.query_params
    search = Search(
        audience=request.headers.get("x-jwt-aud") or AUDIENCE,
        pattern=patterns.containing("filter", query.get("filter", "")),
        email=patterns.exact("email", query.get("email", "")).lower(),
    )
    if "cursor" in query or "limit" in query:
        return await _after_cursor(request, search)
    return await _numbered(request, search, paging.read(request), ascending=_is_ascending(query.get("sort", "")))


async def _numbered(request: Request, search: Search, page: Page, *, ascending: bool) -> Response:
    conditions = (search.audience, search.pattern, search.email)
    async with db.connection(http.resources(request).pool) as connection:
        total = await queries.accounts.count(connection, *conditions)
        found = await queries.accounts.page(
            connection, *conditions, ascending=ascending, limit=page.size, offset=page.offset
        )
    content = {"users": [user.public() for user in found], "aud": search.audience}
    return JSONResponse(content, headers=paging.headers(request, page, total))


def _is_ascending(sort: str) -> bool:
    """Upstream's notation, which knows one field: `created_at asc` or `created_at desc`."""
    field, _space, direction = sort.strip().partition(" ")
    if field not in ("", "created_at"):
        raise errors.invalid(f"Bad Sort Parameters: bad field for sort '{field[:50]}'")
    if direction.lower() not in ("", "asc", "desc"):
        raise errors.invalid(
            f"Bad Sort Parameters: bad direction for sort '{direction[:50]}', only 'asc' and 'desc' allowed"
        )
    return direction.lower() == "asc"


async def _after_cursor(request: Request, search: Search) -> Response:
    """No count and no offset: each page costs the same, however many users there are."""
    limit = paging.whole_number(request, "limit", paging.PER_PAGE, paging.MOST_PER_PAGE)
    created_at, user_id = _read_cursor(request.query_params.get("cursor", ""))
    async with db.connection(http.resources(request).pool) as connection:
        found = await queries.accounts.page_after(
            connection,
            search.audience,
            search.pattern,
            search.email,
            created_at=created_at,
            user_id=user_id,
            limit=limit + 1,
        )
    pagination: dict[str, Any] = {"has_more": len(found) > limit}
    headers = {}
    if len(found) > limit:
        pagination["next_cursor"] = cursor = _write_cursor(found[limit - 1])
        headers["Link"] = f'<{request.url.include_query_params(cursor=cursor, limit=limit)}>; rel="next"'
    content = {"users": [user.public() for user in found[:limit]], "aud": search.audience, "pagination": pagination}
    return JSONResponse(content, headers=headers)


def _write_cursor(last: User) -> str:
    content = json.dumps([timestamp(last.created_at), str(last.id)]).encode()
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _read_cursor(cursor: str) -> tuple[datetime | None, UUID | None]:
    if not cursor:
        return None, None
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        moment, user_id = json.loads(base64.b64decode(padded, b"-_", validate=True))
        parsed = datetime.fromisoformat(moment)
        if parsed.tzinfo is None:
            raise ValueError("no time zone")
        return parsed, UUID(user_id)
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, binascii.Error) as error:
        raise errors.invalid("Bad Pagination Parameters: invalid cursor") from error


async def create(request: Request) -> Response:
    """The new user. Raises what access.admin raises, and AuthError validation_failed, email_exists, phone_exists,
    user_already_exists, weak_password.
    """
    resources, actor = http.resources(request), await access.admin(request)
    body = await bodies.read(request)
    change = await admin_changes.read(request, body, is_new=True)
    if not change.email and not change.phone:
        raise errors.invalid("Cannot create a user without either an email or phone")
    account = NewAccount(
        email=change.email,
        phone=change.phone,
        encrypted_password=change.encrypted or "",
        data=change.user_metadata or {},
        app_metadata=change.app_metadata or {},
        role=change.role or "authenticated",
        audience=body.text("aud") or AUDIENCE,
        id=_optional_id(body),
    )
    async with db.transaction(resources.pool) as connection:
        user = await accounts.create(connection, resources, account)
        # Exactly what the admin gave: the facts of the identity are in the identity.
        await queries.users.set_metadata(connection, user.id, account.data)
        await admin_changes.confirm_and_ban(connection, resources, user, change)
        await _record(connection, request, Action.USER_SIGNED_UP, actor, user)
        user = await accounts.reload(connection, user.id)
    return JSONResponse(user.public())


def _optional_id(body: Body) -> UUID | None:
    given = body.text("id")
    if not given:
        return None
    try:
        wanted = UUID(given)
    except ValueError as error:
        raise errors.invalid("ID must conform to the uuid v4 format") from error
    if wanted.int == 0:
        raise errors.invalid("ID cannot be a nil uuid")
    return wanted


async def get(request: Request) -> Response:
    """Raises what access.admin raises, and AuthError user_not_found."""
    await access.admin(request)
    async with db.connection(http.resources(request).pool) as connection:
        user = await find(connection, request)
    return JSONResponse(user.public())


async def put(request: Request) -> Response:
    """The user as changed. Raises what access.admin raises, and AuthError user_not_found, validation_failed,
    email_exists, phone_exists, weak_password.
    """
    resources, actor = http.resources(request), await access.admin(request)
    change = await admin_changes.read(request, await bodies.read(request))
    async with db.transaction(resources.pool) as connection:
        user = await find(connection, request)
        await admin_changes.apply(connection, resources, user, change)
        await _record(connection, request, Action.USER_MODIFIED, actor, user)
        user = await accounts.reload(connection, user.id)
    return JSONResponse(user.public())


async def delete(request: Request) -> Response:
    """`{}`. With `should_soft_delete` the row stays without anything personal in it. Raises what access.admin
    raises, and AuthError user_not_found, conflict.
    """
    resources, actor = http.resources(request), await access.admin(request)
    softly = (await bodies.read_if_any(request)).flag("should_soft_delete")
    async with db.transaction(resources.pool) as connection:
        user = await find(connection, request)
        await _record(connection, request, Action.USER_DELETED, actor, user)
        if not softly:
            await _erase(connection, user)
        elif user.deleted_at is None:
            await admin_changes.delete_softly(connection, resources, user)
    if not softly:
        await _note_erased(resources, user.id)
    return JSONResponse({})


async def _note_erased(resources: Resources, user_id: UUID) -> None:
    """Note it for a restored backup. The account is gone already, so a list that cannot be written is only logged."""
    try:
        await asyncio.to_thread(erased.note, resources.settings.erased_file, {erased.Gone(user_id): resources.now()})
    except OSError as error:
        logger.error("the list of erased accounts lacks one", extra={"user": str(user_id), "cause": str(error)})


async def _erase(connection: db.Connection, user: User) -> None:
    """What belongs to the user goes along; what the product wants to keep, it must not tie to the account."""
    try:
        await queries.accounts.delete(connection, user.id)
    except (asyncpg.ForeignKeyViolationError, asyncpg.RestrictViolationError) as error:
        known = error.as_dict()
        table = ".".join(str(known[part]) for part in ("schema_name", "table_name") if known.get(part))
        message = f"User cannot be deleted: rows of {table or 'another table'} depend on this account"
        raise AuthError(409, Code.CONFLICT, message, cause=f"Postgres {error.sqlstate}") from None
    except asyncpg.PostgresError as error:
        raise errors.database("Database error deleting user", error) from None


async def find(connection: db.Connection, request: Request) -> User:
    """The user of the path. Raises AuthError validation_failed, user_not_found, both 404 as upstream has it."""
    try:
        user_id = UUID(request.path_params["user_id"])
    except ValueError as error:
        raise AuthError(404, Code.VALIDATION_FAILED, "user_id must be an UUID") from error
    user = await queries.accounts.find(connection, user_id)
    if user is None:
        raise AuthError(404, Code.USER_NOT_FOUND, "User not found")
    return user


async def _record(connection: db.Connection, request: Request, action: Action, actor: User, user: User) -> None:
    traits = {"user_id": str(user.id), "user_email": user.email, "user_phone": user.phone}
    await audit.record(connection, action, actor, access.device(request), http.resources(request).now(), traits)
