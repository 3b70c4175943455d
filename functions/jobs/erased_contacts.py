"""Write the erasure of a contact into the list outside the database, so that a restored backup erases it again.

`erase_contact()` enqueues it in its transaction. A database that is lost within these seconds forgets it, as it forgets
whatever else happened after its backup.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from backend.edge import api


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Append one line. Raises api.Away while the file cannot be written."""
    try:
        await context.note_erased(UUID(payload["user_id"]), payload["part"], datetime.fromisoformat(payload["at"]))
    except OSError as error:
        raise api.Away(str(error)) from error
