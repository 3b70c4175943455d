"""The statements of reading: each job writes in one transaction, and nothing to a document that was cancelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias
from uuid import UUID

from backend.edge import api
from functions._shared.documents import limits
from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.reading import Inspected
from functions._shared.documents.words import Page

Row: TypeAlias = Mapping[str, Any]

# While it is read; the others are at rest.
READING = ("in_coda", "lettura", "ocr", "analisi")


async def register(
    connection: api.Connection,
    user_id: UUID | str,
    path: str,
    filename: str,
    size_bytes: int,
    mime: str | None,
    parent_id: UUID | None = None,
) -> Row:
    """A document in the queue: the one that is there for this path, or a new one."""
    row = await connection.fetchrow(
        """
        with added as (
          insert into public.documents (user_id, storage_path, filename, bytes, mime, parent_id)
            values ($1, $2, $3, $4, $5, $6)
          on conflict (user_id, storage_path) do nothing
          returning *
        )
        select *, true as is_new from added
        union all
        select *, false from public.documents where user_id = $1 and storage_path = $2
        """,
        user_id,
        path,
        filename,
        size_bytes,
        mime,
        parent_id,
    )
    assert row is not None
    document = dict(row)
    if document["is_new"]:
        await enqueue_open(connection, document)
    return document


async def enqueue_open(connection: api.Connection, document: Row) -> None:
    """The first step of reading."""
    await _enqueue(connection, "document_open", document, {})


async def enqueue_finish(connection: api.Connection, document: Row) -> None:
    """The last step."""
    await _enqueue(connection, "document_finish", document, {})


async def enqueue_next(connection: api.Connection, document: Row) -> None:
    """The first page that nobody has read; when there is none, the last step."""
    no = await connection.fetchval(
        "select min(no) from public.document_pages where document_id = $1 and state = 'attesa'", document["id"]
    )
    if no is None:
        await enqueue_finish(connection, document)
    else:
        await _enqueue(connection, "document_page", document, {"no": no})


async def _enqueue(connection: api.Connection, name: str, document: Row, more: Mapping[str, Any]) -> None:
    payload = {"document_id": str(document["id"]), **more}
    key = ":".join([name, *map(str, payload.values())])
    await api.enqueue(connection, name, payload, dedupe_key=key, user_id=str(document["user_id"]))


async def begin(connection: api.Connection, document_id: str, state: str) -> Row | None:
    """The document, now in this state; None when it is at rest: read, cancelled, in the trash or gone."""
    row = await connection.fetchrow(
        """
        update public.documents set state = $2::public.document_state
        where id = $1 and state = any ($3::public.document_state[]) and deleted_at is null
        returning *
        """,
        document_id,
        state,
        READING,
    )
    return None if row is None else dict(row)


async def depth(connection: api.Connection, document_id: UUID) -> int:
    """In how many other documents it was packed; no more are counted than matter."""
    found: int = await connection.fetchval(
        """
        with recursive up (parent_id, height) as (
          select parent_id, 0 from public.documents where id = $1
          union all
          select documents.parent_id, height + 1 from up
            join public.documents on documents.id = up.parent_id where height <= $2
        )
        select max(height) from up
        """,
        document_id,
        limits.MAX_DEPTH,
    )
    return found


async def reserve(connection: api.Connection, document: Row, unpacked_bytes: int) -> bool:
    """Count what is packed in a document before it is stored; False when its upload unpacks to more than it may.

    The upload's row is locked, so that two archives in one upload cannot both take the last bytes.
    """
    root = await connection.fetchrow(
        """
        with recursive up as (
          select id, parent_id from public.documents where user_id = $1 and id = $2
          union
          select above.id, above.parent_id from up
            join public.documents as above on above.user_id = $1 and above.id = up.parent_id
        )
        select id, bytes from public.documents where user_id = $1 and id = (select id from up where parent_id is null)
        for update
        """,
        document["user_id"],
        document["id"],
    )
    if root is None:  # it is being erased
        return False
    others = await connection.fetchval(
        """
        with recursive down as (
          select id, unpacked_bytes from public.documents where user_id = $1 and id = $2
          union
          select inside.id, inside.unpacked_bytes from down
            join public.documents as inside on inside.user_id = $1 and inside.parent_id = down.id
        )
        select coalesce(sum(unpacked_bytes), 0)::bigint from down where id <> $3
        """,
        document["user_id"],
        root["id"],
        document["id"],
    )
    if others + unpacked_bytes > limits.most_unpacked(root["bytes"] or 0):
        return False
    await connection.execute(
        "update public.documents set unpacked_bytes = $2 where id = $1", document["id"], unpacked_bytes
    )
    return True


async def opened(connection: api.Connection, document: Row, found: Inspected, sha256: str) -> None:
    """What it is, and a row for each page; pages that were read stay."""
    await connection.execute(
        """
        update public.documents set mime = $2, pages = $3, sha256 = $4, error_code = null, error = null,
          pages_done = (
            select count(*) from public.document_pages as page where page.document_id = $1 and page.state = 'letta'
          ),
          duplicate_of = (
            select twin.id from public.documents as twin
            where twin.user_id = $5 and twin.sha256 = $4 and twin.id <> $1 and twin.deleted_at is null
              and (twin.created_at, twin.id) < (documents.created_at, documents.id)
            order by twin.created_at, twin.id limit 1
          )
        where id = $1
        """,
        document["id"],
        found.mime,
        found.pages,
        sha256,
        document["user_id"],
    )
    await connection.execute(
        """
        insert into public.document_pages (user_id, document_id, no)
          select $2, $1, no from generate_series(1, $3::int) as no
        on conflict (document_id, no) do update set state = 'attesa' where document_pages.state = 'errore'
        """,
        document["id"],
        document["user_id"],
        found.pages,
    )


async def keep_pages(connection: api.Connection, document: Row, first: int, pages: Sequence[Page]) -> None:
    """What was read from page `first` on."""
    await connection.executemany(
        """
        update public.document_pages set state = 'letta', source = $3, text = $4, words = $5, width = $6, height = $7,
          rotation = $8, confidence = $9
        where document_id = $1 and no = $2
        """,
        [
            (document["id"], no, page.source, page.text, page.words, page.width, page.height, page.rotation,
             page.confidence)
            for no, page in enumerate(pages, first)
        ],
    )  # fmt: skip
    await _count_pages(connection, document, "ocr" if pages[-1].source == "ocr" else "lettura", None)


async def lose_page(connection: api.Connection, document: Row, no: int, reason: Unreadable) -> None:
    """A page that cannot be read; the others go on."""
    await connection.execute(
        "update public.document_pages set state = 'errore' where document_id = $1 and no = $2", document["id"], no
    )
    await _count_pages(connection, document, document["state"], reason)


async def _count_pages(connection: api.Connection, document: Row, state: str, reason: Unreadable | None) -> None:
    await connection.execute(
        """
        update public.documents set state = $2::public.document_state,
          error_code = coalesce($3, error_code), error = coalesce($4, error),
          pages_done = (
            select count(*) from public.document_pages as page where page.document_id = $1 and page.state <> 'attesa'
          )
        where id = $1
        """,
        document["id"],
        state,
        reason and reason.code,
        reason and reason.sentence,
    )


async def fail(connection: api.Connection, document: Row, reason: Unreadable) -> None:
    """The end of reading; who has waited long is told. The original stays, and it can be tried again."""
    await connection.execute(
        """
        with failed as (
          update public.documents set state = 'errore', error_code = $2, error = $3
          where id = $1 and state = any ($4::public.document_state[])
          returning id, user_id, filename, created_at
        )
        select private.notify(
          user_id, 'documento_illeggibile', 'Non letto: ' || filename, $3, '/documents/' || id, null, 'document', id
        )
        from failed where created_at < now() - interval '1 minute'
        """,
        document["id"],
        reason.code,
        reason.sentence,
        READING,
    )


async def fail_by_id(context: api.Context, document_id: str, code: Code) -> None:
    """The same for a job that was given up."""
    async with context.as_service() as connection:
        await fail(connection, {"id": document_id}, Unreadable(code))
