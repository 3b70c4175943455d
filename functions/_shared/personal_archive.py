"""What an archive of a person's data is made of: their tables, their files and a LEGGIMI, one after the other.

Of each table there is a JSON with every column and a CSV for spreadsheets, both as of one moment. `indice.json` says
which domains were wanted, `file/indice.json` where in the storage each original file lay. `impronte.sha256` at the end
lists every file, as `sha256sum -c` reads it.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import archives, personal_data
from functions._shared.documents import names as file_names

# The entries that a program reads back; VERSION is that of the first.
INDEX, ACCOUNT, FILES = "indice.json", "profilo/account.json", "file/indice.json"
VERSION = 1
READ_TIMEOUT_S = 300
ROWS_A_TURN = 500
BUCKETS = ("documents", "avatars")
# Small files are read while one is written, for a store elsewhere takes its time to begin. A large one is not begun
# before its turn: a store ends what it sends to nobody for a minute.
AHEAD = 3
SMALL_BYTES = archives.PIECE_BYTES

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Wish:
    """What shall be in an archive: domains are the keys of `personal_data.EXPORTED`."""

    domains: Collection[str]
    with_files: bool

    @property
    def tables(self) -> dict[str, dict[str, str]]:
        """The tables of these domains, as in `personal_data.EXPORTED`."""
        return {place: tables for place, tables in personal_data.EXPORTED.items() if place in self.domains}


@dataclass(frozen=True)
class Content:
    """What goes into one archive: the tables are in `folder`, as of one moment; the files are still in the storage."""

    wish: Wish
    folder: Path
    made_at: datetime
    counts: Mapping[str, int]
    facts: Mapping[str, Any]
    rules: Sequence[str]
    files: Sequence[Row]

    def total_bytes(self) -> int:
        """Return how much there is to put in."""
        files: list[int] = [row["bytes"] for row in self.files]
        return sum(files) + sum(path.stat().st_size for path in self.folder.iterdir())


@dataclass(frozen=True)
class Begun:
    """A file of which the beginning is read; `sha256` is what the storage noted when it came, None if it did not."""

    first: bytes
    rest: AsyncGenerator[bytes, None]
    sha256: str | None

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield all of it."""
        yield self.first
        async for piece in self.rest:
            yield piece


def entry_of(place: str, table: str, ending: str) -> str:
    """Name the entry of a table: «clienti/contacts.json»."""
    return f"{place}/{table.partition('.')[2]}.{ending}"


def root(context: api.Context) -> Path:
    """Return where the folders are in which archives are made."""
    return context.data_folder / "exports"


async def read(context: api.Context, user_id: UUID, wish: Wish, folder: Path) -> Content:
    """Write the tables of this person into the empty folder; note which files there are."""
    names = [table for tables in wish.tables.values() for table in tables]
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(archives.TableWriter(folder / f"{name}.json", folder / f"{name}.csv"))
            for name in names
        }
        facts = await _rows(context, user_id, writers)
    counts = {name: writer.count for name, writer in writers.items()}
    files = await _stored(context, user_id, wish) if wish.with_files else []
    return Content(wish, folder, context.now(), counts, facts, await _rules(context), files)


async def pieces(
    context: api.Context, store: api.Files, archive: archives.Archive, content: Content
) -> AsyncGenerator[bytes, None]:
    """Write the content into the archive. Raises Away while the storage cannot be reached."""
    for piece in archive.text("LEGGIMI.txt", readme(content)):
        yield piece
    for piece in archive.text(INDEX, archives.json_text(index(content))):
        yield piece
    if "profilo" in content.wish.domains:
        for piece in archive.text(ACCOUNT, archives.json_text(content.facts)):
            yield piece
    for place, tables in content.wish.tables.items():
        for table in tables:
            for ending in ("json", "csv"):
                path = content.folder / f"{table}.{ending}"
                async with aclosing(archive.file(entry_of(place, table, ending), archives.of_disk(path))) as written:
                    async for piece in written:
                        yield piece
    if content.wish.with_files:
        async with aclosing(_files(context, store, archive, content)) as files:
            async for piece in files:
                yield piece
    for piece in archive.end():
        yield piece


async def _rows(context: api.Context, user_id: UUID, writers: Mapping[str, archives.TableWriter]) -> dict[str, Any]:
    """Write all rows; return what the account service knows."""
    async with context.as_service() as connection:
        rows: Any = connection.cursor(
            "select name, content::text from private.personal_rows($1, $2, $3)",
            list(writers),
            list(personal_data.HIDDEN_COLUMNS),
            user_id,
            prefetch=ROWS_A_TURN,
            timeout=READ_TIMEOUT_S,
        )
        async for name, content in rows:
            writers[name].add(content)
        facts: dict[str, Any] = await connection.fetchval("select private.account_facts($1)", user_id)
    return facts


async def _rules(context: api.Context) -> list[str]:
    """Return a line for each retention rule about the data of a person."""
    async with context.as_service() as connection:
        rows = await connection.fetch(
            "select title, period, reason from public.retention_rules where is_personal order by every is null, title"
        )
    return [f"  {row['title']}: {row['period']}. Perché: {row['reason']}" for row in rows]


async def _stored(context: api.Context, user_id: UUID, wish: Wish) -> list[Row]:
    """Return the files of these domains: mails and WhatsApp have folders of their own next to the documents."""
    async with context.as_service() as connection:
        rows = await connection.fetch(
            """
            select bucket_id, objects.name, objects.version, objects.metadata ->> 'sha256' as sha256,
              coalesce(filename, substr(objects.name, 38)) as filename,
              coalesce(objects.metadata ->> 'mimetype', 'application/octet-stream') as mime,
              coalesce((objects.metadata ->> 'size')::bigint, 0) as bytes
            from storage.objects
            left join public.documents
              on bucket_id = 'documents' and documents.user_id = $1 and storage_path = objects.name
            where bucket_id = any($2::text[]) and (storage.foldername(objects.name))[1] = $1::uuid::text
              and case
                when bucket_id = 'avatars' then 'profilo'
                when split_part(objects.name, '/', 2) in ('posta', 'whatsapp') then 'clienti'
                else 'documenti'
              end = any($3::text[])
            order by bucket_id, objects.name
            """,
            user_id,
            BUCKETS,
            list(wish.domains),
        )
    return [dict(row) for row in rows]


async def _files(
    context: api.Context, store: api.Files, archive: archives.Archive, content: Content
) -> AsyncGenerator[bytes, None]:
    """Send the original files, one after the other; name each that cannot be had."""
    taken: set[str] = {FILES}
    missing: list[str] = []
    places: list[dict[str, str]] = []
    async with aclosing(_begun(context, store, content.files)) as all_begun:
        async for row, begun in all_begun:
            if begun is None:
                missing.append(row["filename"])
                continue
            name = archives.free_name(f"file/{_file_name(row['filename'])}", taken)
            places.append({"file": name, "bucket": row["bucket_id"], "name": row["name"], "mime": row["mime"]})
            async with (
                aclosing(begun.rest),
                aclosing(begun.pieces()) as pieces_,
                aclosing(archive.file(name, pieces_, begun.sha256)) as written,
            ):
                async for piece in written:
                    yield piece
    for piece in archive.text(FILES, archives.json_text(places)):
        yield piece
    if missing:
        for piece in archive.text("file/NON TROVATI.txt", "\n".join(missing) + "\n"):
            yield piece


async def _begun(
    context: api.Context, store: api.Files, files: Sequence[Row]
) -> AsyncGenerator[tuple[Row, Begun | None], None]:
    """Yield each file as it is begun, for the caller to close, None for one that is lost; small ones are read ahead."""
    ahead: deque[tuple[Row, asyncio.Task[Begun | None] | None]] = deque()
    waiting = iter(files)
    try:
        while True:
            while len(ahead) <= AHEAD and (row := next(waiting, None)) is not None:
                ahead.append((row, asyncio.create_task(_begin(context, store, row)) if _is_small(row) else None))
            if not ahead:
                return
            row, task = ahead.popleft()
            yield row, await (_begin(context, store, row) if task is None else task)
    finally:
        tasks = [task for _, task in ahead if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is_small(row: Row) -> bool:
    size_bytes: int = row["bytes"]
    return 0 < size_bytes <= SMALL_BYTES


async def _begin(context: api.Context, store: api.Files, row: Row) -> Begun | None:
    """Read a small file, or the first piece of a large one; None when it is lost. Raises Away."""
    try:
        return await _first(store, row, row)
    except api.Lost:
        pass
    # Another may have taken its place since the files were listed.
    async with context.as_service() as connection:
        current = await connection.fetchrow(
            "select version, metadata ->> 'sha256' as sha256 from storage.objects where bucket_id = $1 and name = $2",
            row["bucket_id"],
            row["name"],
        )
    try:
        return await _first(store, row, dict(current)) if current else None
    except api.Lost:
        return None


async def _first(store: api.Files, row: Row, current: Row) -> Begun:
    rest = store.read(current["version"] or "")
    first = b"".join([piece async for piece in rest]) if _is_small(row) else await anext(rest, b"")
    return Begun(first, rest, current["sha256"])


def _file_name(filename: str) -> str:
    """Return a name that stays in its folder wherever the archive is opened."""
    return re.sub(r"[/\\\\]", "_", file_names.tidy(filename)).lstrip(".") or "file"


def index(content: Content) -> dict[str, Any]:
    """Say what kind of archive it is, for whoever reads it back."""
    return {
        "version": VERSION,
        "made_at": content.made_at.isoformat(),
        "domains": list(content.wish.tables),
        "files": content.wish.with_files,
    }


def readme(content: Content) -> str:
    """Say what is in the archive, what is not and why, and how long it is kept (GDPR, art. 15)."""
    wish, made_at = content.wish, content.made_at
    lines = [
        "I tuoi dati in Socio",
        "",
        f"Account: {content.facts['account']['email'] or ''}",
        f"Raccolti il {made_at:%d/%m/%Y alle %H:%M} (UTC)",
        "",
        "Ogni tabella c’è due volte: in JSON, con tutte le colonne, e in CSV, che si apre con Excel.",
        "Gli importi sono in centesimi, le date in UTC.",
        "«impronte.sha256» serve a controllare che niente sia cambiato: sha256sum -c impronte.sha256",
        "«indice.json» dice a un programma che cosa contiene l’archivio.",
        "",
        "Che cosa c’è",
    ]
    for place, tables in wish.tables.items():
        lines += ["", f"{place}/  Base giuridica: {personal_data.BASES[place]}"]
        lines += [f"  {table.partition('.')[2]}: {text} ({content.counts[table]})" for table, text in tables.items()]
        if place == "profilo":
            lines.append("  account.json: accesso, dispositivi, secondo fattore, eventi dell’account")
    if wish.with_files:
        lines += ["", f"file/  I file originali di quello che hai scelto ({len(content.files)})"]
    lines += ["", "Che cosa non c’è, e perché", "", *_not_chosen(wish)]
    lines += [f"  {table.partition('.')[2]}: {why}" for table, why in personal_data.LEFT_OUT.items()]
    lines += [
        "  Password, codici e chiavi: sono conservati solo come impronte, che non servono a nessuno.",
        "",
        "Per quanto li teniamo",
        "",
        *content.rules,
        "  Tutto il resto: finché lo elimini tu o hai l’account.",
        "",
        "Perché li trattiamo e con chi: è scritto nell’informativa sulla privacy del sito.",
        "Puoi chiedere di correggerli, limitarli o cancellarli, e fare reclamo al Garante (www.garanteprivacy.it).",
        "",
    ]
    return "\n".join(lines)


def _not_chosen(wish: Wish) -> list[str]:
    """Return a line for each part that exists and was not wanted."""
    lines = [f"  {place}: non l’hai chiesto" for place in personal_data.EXPORTED if place not in wish.domains]
    return lines if wish.with_files else [*lines, "  I file originali: non li hai chiesti"]
