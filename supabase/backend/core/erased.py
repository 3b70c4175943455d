"""The list of erased accounts: a file outside the database, so that a restored backup does not bring them back.

On each line a time and an id. It belongs next to the backups, not on the disk of the database (`SOCIO_ERASED`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeAlias
from uuid import UUID

from backend.core.db import Connection

# When each account was erased.
Erased: TypeAlias = Mapping[UUID, datetime]


def note(path: Path, accounts: Erased) -> None:
    """Append accounts that will never come back, and wait for the disk; a second time is harmless. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write("".join(f"{moment.isoformat()} {user_id}\n" for user_id, moment in accounts.items()))
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> Erased:
    """Return the accounts of a list. Raises OSError, and ValueError for a line that is none of ours."""
    lines = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    return {UUID(user_id): datetime.fromisoformat(moment) for moment, user_id in lines}


async def erase_again(connection: Connection, accounts: Erased) -> int:
    """Delete these accounts with their files and return how many were there.

    The product's tables follow by cascade and by its triggers on `auth.users`. An account that an admin made anew with
    the id of an erased one stays.
    """
    found = 0
    for user_id, moment in accounts.items():
        async with connection.transaction():
            gone = "delete from auth.users where id = $1 and coalesce(created_at, '-infinity') < $2 returning id"
            if await connection.fetchval(gone, user_id, moment) is None:
                continue
            found += 1
            await connection.execute("set local storage.allow_delete_query = 'true'")
            # Their own, and those that the product wrote into their folder. The sweep drops the blobs.
            await connection.execute(
                "delete from storage.objects where owner_id = $1 or split_part(name, '/', 1) = $1", str(user_id)
            )
    return found
