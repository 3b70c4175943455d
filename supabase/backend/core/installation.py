"""Which installation a database belongs to: its id, which its store of files bears too, and its keys."""

from __future__ import annotations

import asyncpg

from backend.core import db, jwt
from backend.core.config import Settings
from backend.core.db import Connection


class OtherKeys(Exception):
    """The database belongs to other keys than those of the home folder."""


async def installation_id(connection: Connection) -> str:
    """Return the id of this database's installation."""
    found: str = await connection.fetchval("select installation_id::text from platform.installation")
    return found


async def require_our_keys(settings: Settings) -> None:
    """Before anything is done. A database that is away belongs to nobody yet: who needs it waits, or says so.

    Makes no keys. Raises OtherKeys.
    """
    try:
        connection = await db.connect(settings)
    except (OSError, asyncpg.PostgresError):
        return
    try:
        known = await connection.fetchval("select keys_fingerprint from platform.installation")
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        return
    finally:
        await connection.close()
    there = (settings.home / jwt.KEYS_FILE).exists()
    if known is not None and not (there and jwt.load(settings.home, settings.own_keys).fingerprint == known):
        raise OtherKeys(
            f"this database belongs to other keys than those in {settings.home}: put keys.json back, "
            "or run 'keys adopt', which ends every session"
        )


async def claim(connection: Connection, keys: jwt.KeyRing) -> None:
    """Bind the database to these keys if it is bound to none."""
    await connection.execute(
        "update platform.installation set keys_fingerprint = $1 where keys_fingerprint is null", keys.fingerprint
    )


async def adopt(connection: Connection, keys: jwt.KeyRing) -> None:
    """Bind the database to these keys, also if it was bound to others."""
    await connection.execute("update platform.installation set keys_fingerprint = $1", keys.fingerprint)
