"""Note since when each key and secret of the installation is in use."""

import json
from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(hours=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Hand the digests to the database, which compares them with those of the run before."""
    used = [
        {"name": key.name, "digest": key.digest, "made_at": key.made_at and key.made_at.isoformat()}
        for key in context.used_keys()
    ]
    async with context.as_service() as connection:
        await connection.execute("select private.note_keys($1::text::jsonb)", json.dumps(used))
