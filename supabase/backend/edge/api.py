"""All that a function or a job of the product may import from the backend.

A function is a file `functions/<slug>.py` (or a folder with `__init__.py`; hyphens of the slug are underscores in the
name) with one coroutine:

    from backend.edge import api

    async def handler(request: api.Request, context: api.Context) -> api.Response:
        body = await api.json_object(request)
        async with context.as_caller() as connection:
            ...
        return api.JSONResponse({"url": url})

It acts as its caller. `as_service` bypasses row level security and is only for what the caller has no right to do by
design. `raise api.Refused(409, "already_paid", "…")` answers in the platform's error format. `TIMEOUT_S` and
`BODY_LIMIT_BYTES` in the file say how long it may take, its stream included, and how large a request it reads.

`async def warm_up(context)` in the file loads what its first answer would wait for: it runs once in each process, in
the background, after the server is ready.

A job is a file `functions/jobs/<name>.py` with `async def handler(payload, context)`; `EVERY` (a timedelta) makes it
periodic, `async def given_up(payload, context)` is called when it became a dead letter, `TIMEOUT_S` bounds an attempt.
`async def run_in_worker(context)` runs in each worker as long as the worker does, again whenever it ends.
Its name for `api.enqueue` is `<name>`. It may run twice, and must bear that.

Nothing here may block: one event loop serves everybody, and a process that stands still for half a minute is ended
(core.watchdog). Work for the processor belongs into `asyncio.to_thread`, or, when it takes longer or reads what a
stranger sent, into a process of its own: `await api.isolated("functions._shared.….decoder", options, content)`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import UUID

import aiosmtplib
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from backend.core import backup, db, disk, erased, key_ages, restore_test, sealed
from backend.core.backup import Backup, BackupBusy, BackupError, NoSpaceForBackup
from backend.core.db import Connection, Json, become
from backend.core.disk import is_full as is_disk_full
from backend.core.errors import ApiError as Refused
from backend.core.files import Files, Lost
from backend.core.http import is_storable
from backend.core.http import json_object as _json_object
from backend.core.jobs import Away, PermanentError, Run, enqueue
from backend.core.key_ages import UsedKey
from backend.core.mail import Message
from backend.core.mail import client as _mail_client
from backend.core.mail import enqueue as send_mail
from backend.core.places import Full, Places, Shares
from backend.core.resources import Resources
from backend.core.restore_test import Restored
from backend.core.sandbox import Ending, Limits
from backend.core.sandbox import Result as Isolated
from backend.core.sandbox import run as isolated
from backend.core.sealed import Undecryptable
from backend.edge.outward import Answer, Outward, OutwardError
from backend.edge.platform import Platform, PlatformError, Storage

__all__ = [
    "Answer",
    "Away",
    "Backup",
    "BackupBusy",
    "BackupError",
    "Connection",
    "Context",
    "Ending",
    "Files",
    "Full",
    "Isolated",
    "JSONResponse",
    "Json",
    "Limits",
    "Lost",
    "Message",
    "NoSpaceForBackup",
    "OutwardError",
    "PermanentError",
    "Places",
    "PlatformError",
    "Refused",
    "Request",
    "Response",
    "Restored",
    "Run",
    "Shares",
    "Storage",
    "StreamingResponse",
    "Undecryptable",
    "UsedKey",
    "become",
    "enqueue",
    "is_disk_full",
    "isolated",
    "json_object",
    "send_mail",
]


async def json_object(request: Request, *, is_cleaned: bool = False) -> dict[str, Any]:
    """Parse the body as a JSON object that Postgres can keep. Raises Refused 400 bad_json, validation_failed, 413.

    A function that takes such characters out itself says so with `is_cleaned`.
    """
    content = await _json_object(request)
    if not is_cleaned and not is_storable(content):
        raise Refused(400, "validation_failed", "La richiesta contiene un carattere che non si può salvare")
    return content


# Longer than any upload takes.
STORAGE_TOKEN_S = 3600


class MissingSecret(Exception):
    """A function asked for a secret that `[edge_runtime.secrets]` does not name, or whose variable is not set."""


@dataclass(frozen=True)
class Context:
    """What one call of a function, or one run of a job, has at hand.

    `claims` are those of the caller's verified token, or of the API key's role; a job has those of the service.
    `client_ip` is the caller's address, forged headers ignored; empty when it is not known. `job` is set in a job.
    """

    name: str
    claims: Mapping[str, Any]
    client_ip: str
    _resources: Resources = field(repr=False)
    _token: str = field(default="", repr=False)
    job: Run | None = None

    @property
    def user_id(self) -> str | None:
        """The signed-in caller; in a job, whom it was enqueued for."""
        return self.job.user_id if self.job else self.claims.get("sub")

    @property
    def log(self) -> logging.Logger:
        """Each line gets the request's id; nothing secret belongs into it."""
        return logging.getLogger(f"functions.{self.name}")

    def now(self) -> datetime:
        """The time, aware, UTC."""
        return self._resources.now()

    def key(self, purpose: str) -> bytes:
        """A key of 32 bytes for one purpose, the same in every process of this installation."""
        return self._resources.keys.derive(purpose)

    def seal(self, purpose: str, row_id: UUID, secret: str) -> str:
        """Encrypt a secret of a row that must be read again."""
        return sealed.seal(self.key(purpose), row_id, secret)

    def unseal(self, purpose: str, row_id: UUID, stored: str) -> str:
        """Decrypt a secret of this row. Raises Undecryptable."""
        return sealed.unseal(self.key(purpose), row_id, stored)

    def unseal_if_possible(self, purpose: str, row_id: UUID, stored: str) -> str | None:
        """Decrypt a secret of this row; log one that cannot be decrypted and return None, so that other rows go on."""
        try:
            return self.unseal(purpose, row_id, stored)
        except Undecryptable:
            self.log.warning("a secret cannot be decrypted", extra={"purpose": purpose, "row": str(row_id)})
            return None

    def used_keys(self) -> list[UsedKey]:
        """List the keys and secrets that this installation uses, by digests."""
        return key_ages.used_keys(self._resources.settings, self._resources.keys)

    def secret(self, name: str) -> str:
        """A secret of `[edge_runtime.secrets]`. Raises MissingSecret."""
        value = self._resources.settings.edge_runtime.secrets.get(name)
        if not value:
            raise MissingSecret(f"{name} is not set in [edge_runtime.secrets]")
        return value

    def has_secret(self, name: str) -> bool:
        """Whether a secret is set."""
        return bool(self._resources.settings.edge_runtime.secrets.get(name))

    def as_caller(self) -> AbstractAsyncContextManager[Connection]:
        """A transaction with the caller's rights."""
        return db.as_claims(self._resources.pool, self.claims)

    def as_service(self) -> AbstractAsyncContextManager[Connection]:
        """A transaction as service_role; only here may jobs be enqueued and mails be put into the outbox."""
        return db.as_claims(self._resources.pool, {"role": "service_role"})

    async def call(self, function: str, *arguments: Any) -> Any:
        """What a function of the database (`private.give_up_order`) answers to service_role, committed.

        One round trip where a block of `as_service` takes four. A jsonb argument may be `Json`.
        """
        return await db.call_as_service(self._resources.pool, function, *arguments)

    def wait_until(self, work: Coroutine[Any, Any, None]) -> None:
        """Work that goes on after the answer, as hosted Supabase's `EdgeRuntime.waitUntil`.

        It is cancelled when the process ends, with some seconds for its `finally`, and lost when the process dies.
        """
        self._resources.background.start(work)

    async def note_erased(self, user_id: UUID, part: str = "", at: datetime | None = None) -> None:
        """Write down, outside the database, that an account or a part of it is erased, for a backup that is restored.

        Raises OSError: then no account may be erased yet.
        """
        gone = {erased.Gone(user_id, part): at or self.now()}
        await asyncio.to_thread(erased.note, self._resources.settings.erased_file, gone)

    async def keep_backups(self) -> list[Backup] | None:
        """Make today's backup if it is missing, and return what is kept, the newest first; None: no folder is set.

        Raises BackupBusy, BackupError (NoSpaceForBackup where a disk is full), OSError.
        """
        settings = self._resources.settings
        return None if settings.backups is None else await backup.keep(settings, self.now())

    def restored(self, kept: Backup) -> AbstractAsyncContextManager[Restored]:
        """Restore a backup into a scratch database that is dropped at the end. Raises BackupBusy, BackupError."""
        return restore_test.restored(self._resources.settings, kept)

    @property
    def site_url(self) -> str:
        """The public address of the client, without a slash at its end: what links in mails begin with."""
        return self._resources.settings.auth.site_url

    @property
    def api_url(self) -> str:
        """The public address of the API, without a slash at its end."""
        return self._resources.settings.api.external_url

    @property
    def data_folder(self) -> Path:
        """Where this installation keeps its state."""
        return self._resources.settings.home

    async def require_space(self, stored_bytes: int) -> None:
        """Check that an object of this size fits into the storage, and that the reserve of `data_folder` is free.

        A store on other machines has its own space. Raises OSError, of which is_disk_full is true.
        """
        settings = self._resources.settings
        stored = {} if settings.storage_s3 else {settings.storage_folder: stored_bytes}
        await asyncio.to_thread(disk.require, settings, {settings.home: 0, **stored})

    def mail_client(self) -> aiosmtplib.SMTP:
        """Make a client of the operator's mail server, which login mails use too; it is not connected yet."""
        return _mail_client(self._resources.settings)

    @cached_property
    def http(self) -> Outward:
        """For calls to the internet: bounded in time and size, and never into our own network."""
        return Outward(self._resources.settings)

    @cached_property
    def platform(self) -> Platform:
        """The platform's own API, as the caller."""
        return Platform(self._resources, self._token)

    @cached_property
    def public(self) -> Platform:
        """The platform's own API over its public address, as a visitor has it: proxy and certificate included."""
        return Platform(self._resources, "", self.api_url)

    @property
    def publishable_key(self) -> str:
        """The key that every client has."""
        return self._resources.keys.publishable_key

    @property
    def storage(self) -> Storage:
        """Files, with the caller's rights."""
        return self.platform.storage

    @cached_property
    def storage_as_service(self) -> Storage:
        """Files, with every right."""
        return Platform(self._resources, self._resources.keys.secret_key).storage

    def files(self) -> AbstractAsyncContextManager[Files]:
        """Open the storage for a job that moves gigabytes: no byte of it goes over HTTP."""
        if self._resources.files is None:
            raise RuntimeError("Only a worker has the storage at hand")
        return self._resources.files()

    def storage_of(self, user_id: UUID | str) -> Storage:
        """Files, with every right; what is stored belongs to this person and counts for their quota."""
        now_s = int(self.now().timestamp())
        claims = {"role": "service_role", "sub": str(user_id), "iat": now_s, "exp": now_s + STORAGE_TOKEN_S}
        return Platform(self._resources, self._resources.keys.sign(claims)).storage
