"""The list of what was erased for good: a file outside the database, so that a restored backup does not bring it back.

On each line a time and the id of an account, and a third word where only a part of the account was erased, which the
product understands (`private.erase_again`). The file belongs next to the backups, not on the disk of the database
(`SOCIO_ERASED`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias
from uuid import UUID

from backend.core.db import Connection


class Gone(NamedTuple):
    """An account, or a part of one: a word without spaces."""

    user_id: UUID
    part: str = ""


# When each was erased.
Erased: TypeAlias = Mapping[Gone, datetime]


def note(path: Path, erased: Erased) -> None:
    """Append what will never come back, and wait for the disk; a second time is harmless. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(
            "".join(
                f"{moment.isoformat()} {' '.join(filter(None, map(str, gone)))}\n" for gone, moment in erased.items()
            )
        )
        file.flush()
        os.fsync(file.fileno())


def read(path: Path) -> Erased:
    """Return what a list names. Raises OSError, and ValueError for a line that is none of ours."""
    lines = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    return {Gone(UUID(user_id), *part): datetime.fromisoformat(moment) for moment, user_id, *part in lines}


async def erase_again(connection: Connection, erased: Erased) -> int:
    """Delete accounts with their files, and parts of others; return how many were there.

    The product's tables follow by cascade and by its triggers on `auth.users`. What was made after the time of its line
    stays: an admin may make an account with the id of an erased one.
    """
    found = 0
    for gone, moment in erased.items():
        async with connection.transaction():
            found += await (_erase_part if gone.part else _erase_account)(connection, gone, moment)
    return found


async def _erase_account(connection: Connection, gone: Gone, moment: datetime) -> bool:
    delete = "delete from auth.users where id = $1 and coalesce(created_at, '-infinity') < $2 returning id"
    if await connection.fetchval(delete, gone.user_id, moment) is None:
        return False
    await connection.execute("set local storage.allow_delete_query = 'true'")
    # Their own, and those that the product wrote into their folder. The sweep drops the blobs.
    await connection.execute(
        "delete from storage.objects where owner_id = $1 or split_part(name, '/', 1) = $1", str(gone.user_id)
    )
    return True


async def _erase_part(connection: Connection, gone: Gone, moment: datetime) -> bool:
    was_there: bool = await connection.fetchval("select private.erase_again($1, $2, $3)", *gone, moment)
    return was_there
