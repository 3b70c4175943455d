"""The statements behind what people ask for and what the periodic jobs look after."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from backend.edge import api
from functions._shared.documents.queries import READING, Row, enqueue_next, enqueue_open


async def stored_object(connection: api.Connection, path: str) -> Row | None:
    """What the bucket knows of a file: {size_bytes, mime}."""
    row = await connection.fetchrow(
        """
        select (metadata ->> 'size')::bigint as size_bytes, metadata ->> 'mimetype' as mime
        from storage.objects where bucket_id = 'documents' and name = $1
        """,
        path,
    )
    return None if row is None else dict(row)


async def owned(connection: api.Connection, user_id: str, document_id: UUID) -> Row | None:
    """A person's document, locked; None when it is none of theirs or in the trash."""
    row = await connection.fetchrow(
        "select * from public.documents where user_id = $1 and id = $2 and deleted_at is null for update",
        user_id,
        document_id,
    )
    return None if row is None else dict(row)


async def cancel(connection: api.Connection, document: Row) -> Row:
    """Reading ends; what was read stays. At rest it stays as it is."""
    if document["state"] not in READING:
        return document
    return await _set_state(connection, document, "annullato")


async def retry(connection: api.Connection, document: Row) -> Row:
    """From the start, but pages that were read are not read again. While it is read nothing changes."""
    if document["state"] in READING:
        return document
    again = await _set_state(connection, document, "in_coda")
    await enqueue_open(connection, again)
    return again


async def _set_state(connection: api.Connection, document: Row, state: str) -> Row:
    row = await connection.fetchrow(
        """
        update public.documents set state = $2::public.document_state, error_code = null, error = null
        where id = $1 returning *
        """,
        document["id"],
        state,
    )
    assert row is not None
    return dict(row)


async def unregistered(connection: api.Connection, most: int) -> list[Row]:
    """Uploads of the last days without a document: {user_id, path, size_bytes, mime}; neither mails, files of messages
    nor what came in others.
    """
    rows = await connection.fetch(
        """
        select (storage.foldername(name))[1]::uuid as user_id, name as path,
          (metadata ->> 'size')::bigint as size_bytes, metadata ->> 'mimetype' as mime
        from storage.objects as stored
        where bucket_id = 'documents' and created_at between now() - interval '3 days' and now() - interval '10 minutes'
          and name !~ '/=n[0-9]+[^/]*$' and split_part(name, '/', 2) not in ('posta', 'whatsapp')
          and exists (select from public.profiles where user_id::text = (storage.foldername(name))[1])
          and not exists (
            select from public.documents
            where user_id::text = (storage.foldername(name))[1] and storage_path = stored.name
          )
        order by created_at limit $1
        """,
        most,
    )
    return [dict(row) for row in rows]


async def standing_still(connection: api.Connection) -> list[Row]:
    """Documents that should be read, and nothing has happened to for a while."""
    rows = await connection.fetch(
        """
        select * from public.documents
        where state in ('in_coda', 'lettura', 'ocr', 'analisi') and updated_at < now() - interval '10 minutes'
          and deleted_at is null
        order by updated_at limit 1000
        """
    )
    return [dict(row) for row in rows]


async def go_on(connection: api.Connection, document: Row) -> None:
    """Queues the step it stands at."""
    if document["state"] == "in_coda" or document["pages"] is None:
        await enqueue_open(connection, document)
    else:
        await enqueue_next(connection, document)


async def long_in_the_trash(connection: api.Connection, days: int, most: int) -> list[Row]:
    """{id, storage_path} of documents, those first that came in others."""
    rows = await connection.fetch(
        """
        select id, storage_path from public.documents as gone where deleted_at < now() - make_interval(days => $1)
          and not exists (select from public.documents where user_id = gone.user_id and parent_id = gone.id)
        order by deleted_at limit $2
        """,
        days,
        most,
    )
    return [dict(row) for row in rows]


async def erase(connection: api.Connection, document_ids: Sequence[UUID]) -> None:
    """The rows, with all that was read."""
    await connection.execute("delete from public.documents where id = any ($1::uuid[])", document_ids)


async def strays(connection: api.Connection, bucket: str, most: int) -> list[str]:
    """Files that nobody has any more: of an account that is gone, however they came to outlive it; that came in a
    document which is gone; mails and messages that are gone; pictures that no profile shows; archives that no import
    reads. Young ones may still be wanted.
    """
    rows = await connection.fetch(
        """
        select name from storage.objects as stored
        where bucket_id = $1 and created_at < now() - interval '1 day' and (
          not exists (select from public.profiles where user_id::text = (storage.foldername(name))[1])
          or bucket_id = 'documents' and name ~ '/=n[0-9]+[^/]*$' and not exists (
            select from public.documents
            where user_id::text = (storage.foldername(name))[1] and storage_path = stored.name
          )
          or bucket_id = 'documents' and split_part(name, '/', 2) = 'posta' and not exists (
            select from public.received_mails
            where user_id::text = (storage.foldername(name))[1] and storage_path = stored.name
          ) and not exists (
            select from public.outgoing_mails
            where user_id::text = (storage.foldername(name))[1] and storage_path = stored.name
          ) and not exists (
            select from public.mail_reports
            where user_id::text = (storage.foldername(name))[1] and storage_path = stored.name
          )
          or bucket_id = 'documents' and split_part(name, '/', 2) = 'whatsapp' and not exists (
            select from public.whatsapp_messages
            where user_id::text = (storage.foldername(name))[1] and storage_path = stored.name
          )
          or bucket_id = 'avatars' and not exists (
            select from public.profiles
            where user_id::text = (storage.foldername(name))[1]
              and strpos(concat_ws(' ', avatar_url, logo_url), stored.name) > 0
          )
          or bucket_id = 'imports' and not exists (
            select from public.data_imports
            where user_id::text = (storage.foldername(name))[1] and storage_path = stored.name and finished_at is null
          )
        )
        limit $2
        """,
        bucket,
        most,
    )
    return [row["name"] for row in rows]
