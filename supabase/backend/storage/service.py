"""What every handler starts from: who asks, the store of blobs, and a transaction as the caller."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import asyncpg
from starlette.requests import Request

from backend.core import callers, db, http
from backend.core.config import Settings
from backend.core.db import Connection
from backend.core.errors import ApiError
from backend.core.resources import Resources
from backend.storage import errors, queries
from backend.storage.backends import Backend
from backend.storage.errors import StorageError
from backend.storage.models import Bucket, Object

logger = logging.getLogger("backend.storage")

SERVICE: Mapping[str, Any] = {"role": "service_role"}
# What an operation needs, named in the log when row level security says no (an old riddle of upstream's users).
NEEDS = {
    "storage.object.upload": "insert",
    "storage.object.upload_update": "select, insert and update",
    "storage.object.move": "select and update",
    "storage.object.copy": "select on the source and insert",
    "storage.object.delete": "select and delete",
    "storage.object.delete_many": "select and delete",
}


@dataclass(frozen=True)
class Acting:
    """Whoever reads and writes objects: their verified claims, where blobs lie, and what policies see of the request.

    A job of our own acts without a request (backend/storage/files.py).
    """

    resources: Resources
    claims: Mapping[str, Any]
    blobs: Backend
    method: str
    path: str

    @asynccontextmanager
    async def transaction(self, operation: str) -> AsyncIterator[Connection]:
        """A transaction as the caller; `operation` is upstream's name of what is done, without "storage.".

        Raises StorageError for what the database refuses.
        """
        full = f"storage.{operation}"
        try:
            told = queries.told(full, self.method, self.path)
            async with db.as_claims(self.resources.pool, self.claims, told) as connection:
                yield connection
        except asyncpg.PostgresError as error:
            needed = NEEDS.get(full, "a policy for it")
            hint = f"{full} as {self.claims.get('role')} needs {needed}"
            known = errors.of_database(error, hint)
            if known is None:
                raise
            raise known from error

    async def drop_blobs(self, versions: Sequence[str]) -> None:
        """After the commit: blobs that no row names any more go; what fails here the sweep does later."""
        if not versions:
            return
        try:
            await drop_superfluous(self.resources, self.blobs, versions, len(versions))
        except (ApiError, OSError, asyncpg.PostgresError) as error:
            logger.warning("blobs are left for the sweep", extra={"count": len(versions), "cause": str(error)})


@dataclass(frozen=True)
class Asked(Acting):
    """One request and its caller."""

    request: Request

    @property
    def settings(self) -> Settings:
        return self.resources.settings

    @property
    def owner_id(self) -> str | None:
        """The signed-in caller, when it is a person of ours."""
        try:
            return str(UUID(str(self.claims.get("sub"))))
        except ValueError:
            return None

    def by_service(self) -> Asked:
        """The same request with every right: for what a token or a public bucket allows already."""
        return replace(self, claims=SERVICE)

    async def bucket(self, bucket_id: str) -> Bucket:
        """A bucket as it is, whoever asks: its limits hold for everybody. Raises NoSuchBucket."""
        async with db.connection(self.resources.pool) as connection:
            found = await queries.bucket(connection, bucket_id)
        if found is None:
            raise errors.no_such_bucket()
        return found

    async def object(self, bucket_id: str, name: str, operation: str) -> Object:
        """An object the caller may read. Raises NoSuchKey."""
        async with self.transaction(operation) as connection:
            found = await queries.object_named(connection, bucket_id, name)
        if found is None:
            raise errors.no_such_key()
        return found


async def drop_superfluous(
    resources: Resources, blobs: Backend, versions: Sequence[str] | None, most: int
) -> Sequence[str]:
    """Drops blobs that no row names any more, of these versions or of all; answers which.

    Nothing of the database is held while the store works. Whatever happens in between, what is known as superfluous
    stays so until it is gone.
    """
    async with db.as_claims(resources.pool, SERVICE) as connection:
        gone = await queries.superfluous(connection, versions, most)
    await blobs.delete(gone)
    async with db.as_claims(resources.pool, SERVICE) as connection:
        await queries.forget_superfluous(connection, gone)
    return gone


def has_key(request: Request) -> bool:
    """Whether the request brings a token or an API key, right or wrong."""
    return "authorization" in request.headers or "apikey" in request.headers


def asked(request: Request, without_key: Callable[[], StorageError] = errors.no_key) -> Asked:
    """The request with its caller. Raises StorageError for no key, and for a token that does not verify."""
    if not has_key(request):
        raise without_key()
    return _asked(request, _claims(request, http.resources(request)))


def anonymous(request: Request) -> Asked:
    """The request of whoever needs no token: public buckets and signed addresses."""
    return _asked(request, {"role": "anon"})


def _asked(request: Request, claims: Mapping[str, Any]) -> Asked:
    blobs: Backend = request.app.state.blobs
    return Asked(http.resources(request), claims, blobs, request.method, request.url.path, request)


def _claims(request: Request, resources: Resources) -> Mapping[str, Any]:
    try:
        return callers.of_headers(request.headers, resources)
    except ApiError as error:
        raise errors.denied(error.message) from error
