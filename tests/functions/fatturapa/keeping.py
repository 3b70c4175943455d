"""A document of somebody, to hang invoices on."""

from __future__ import annotations

from uuid import UUID, uuid4

from backend.core import db


async def kept_document(connection: db.Connection, owner: UUID) -> UUID:
    """An electronic invoice's file that was read."""
    document: UUID = await connection.fetchval(
        """
        insert into public.documents (user_id, storage_path, filename, kind, state)
        values ($1, $2, 'IT_001.xml', 'fattura', 'pronto') returning id
        """,
        owner,
        f"{owner}/{uuid4()}.xml",
    )
    return document
