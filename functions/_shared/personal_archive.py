"""Make an archive of a person's data: their files, their tables and a LEGGIMI, one after the other.

Of each table there is a JSON with every column and a CSV for spreadsheets, both as of one moment; they are read while
the files are written. `indice.json` says which domains were wanted, `file/indice.json` where in the storage each
original file lay. `impronte.sha256` at the end lists every file, as `sha256sum -c` reads it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, asynccontextmanager
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
# Few, for the files wait meanwhile.
ROWS_A_TURN = 100
BUCKETS = ("documents", "avatars")
# Small files are read and written in groups of as much together, the next group while one is written: a thread that is
# asked for each takes as long as its work. A large one is not begun before its turn: a store ends what it sends to
# nobody for a minute.
SMALL_BYTES = archives.PIECE_BYTES
GROUP_BYTES = 8 * archives.PIECE_BYTES
GROUP_FILES = 64

Row = Mapping[str, Any]
# Of files in their order, None for each that is lost.
Contents = Sequence[bytes | None]


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
class Tables:
    """How many rows were written of each table, and what the account service knows."""

    counts: Mapping[str, int]
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Content:
    """The content of one archive: the files are in the storage, the tables on their way into `folder`."""

    user_id: UUID
    wish: Wish
    folder: Path
    made_at: datetime
    rules: Sequence[str]
    files: Sequence[Row]
    tables: asyncio.Task[Tables]

    def total_bytes(self) -> int:
        """Return how much there is to put in, as far as it is known."""
        files: list[int] = [row["bytes"] for row in self.files]
        return sum(files) + sum(path.stat().st_size for path in self.folder.iterdir())


def entry_of(place: str, table: str, ending: str) -> str:
    """Name the entry of a table: «clienti/contacts.json»."""
    return f"{place}/{table.partition('.')[2]}.{ending}"


def root(context: api.Context) -> Path:
    """Return where the folders are in which archives are made."""
    return context.data_folder / "exports"


@asynccontextmanager
async def reading(context: api.Context, user_id: UUID, wish: Wish, folder: Path) -> AsyncIterator[Content]:
    """Note which files there are, and begin to write the tables of this person into the empty folder."""
    files = await _stored(context, user_id, wish)
    rules = await _rules(context)
    tables = asyncio.create_task(_read(context, user_id, wish, folder))
    try:
        yield Content(user_id, wish, folder, context.now(), rules, files, tables)
    finally:
        tables.cancel()
        await asyncio.gather(tables, return_exceptions=True)


async def pieces(
    context: api.Context, store: api.Files, archive: archives.Archive, content: Content
) -> AsyncGenerator[bytes, None]:
    """Write the content into the archive. Raises Away while the storage cannot be reached, OSError for a full disk."""
    files = _Files(context, store, archive, content)
    async with aclosing(files.pieces(content.files)) as written:
        async for piece in written:
            yield piece
    tables = await content.tables
    await context.require_space(max(0, content.total_bytes() - archive.read_bytes))
    # A row that was read may name a file that came after the first look.
    seen = {(row["bucket_id"], row["name"]) for row in content.files}
    late = [
        row
        for row in await _stored(context, content.user_id, content.wish)
        if (row["bucket_id"], row["name"]) not in seen
    ]
    async with aclosing(files.pieces(late)) as written:
        async for piece in written:
            yield piece
    for name, text in (
        *(files.index() if content.wish.with_files else ()),
        ("LEGGIMI.txt", readme(content, tables, len(content.files) + len(late))),
        (INDEX, archives.json_text(index(content))),
        *([(ACCOUNT, archives.json_text(tables.facts))] if "profilo" in content.wish.domains else ()),
    ):
        for piece in archive.text(name, text):
            yield piece
    async with aclosing(_tables(archive, content)) as written:
        async for piece in written:
            yield piece
    for piece in archive.end():
        yield piece


async def _tables(archive: archives.Archive, content: Content) -> AsyncGenerator[bytes, None]:
    """Write the tables into the archive, of which most are small."""
    rows = [
        {"name": entry_of(place, table, ending), "path": path, "bytes": path.stat().st_size}
        for place, names in content.wish.tables.items()
        for table in names
        for ending in ("json", "csv")
        for path in [content.folder / f"{table}.{ending}"]
    ]
    for group in _grouped(rows):
        if _is_small(group[0]):
            for piece in await archive.small_files([archives.Small(row["name"], row["path"]) for row in group]):
                yield piece
            continue
        async with aclosing(archive.file(group[0]["name"], archives.of_disk(group[0]["path"]))) as written:
            async for piece in written:
                yield piece


async def _read(context: api.Context, user_id: UUID, wish: Wish, folder: Path) -> Tables:
    """Write the tables of this person into the folder."""
    names = [table for tables in wish.tables.values() for table in tables]
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(archives.TableWriter(folder / f"{name}.json", folder / f"{name}.csv"))
            for name in names
        }
        facts = await _rows(context, user_id, writers)
    return Tables({name: writer.count for name, writer in writers.items()}, facts)


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
    """Return the files that are wanted: mails and WhatsApp have folders of their own next to the documents."""
    if not wish.with_files:
        return []
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


@dataclass
class _Files:
    """The original files of an archive, and where each of them lay."""

    context: api.Context
    store: api.Files
    archive: archives.Archive
    content: Content

    def __post_init__(self) -> None:
        self._taken = {FILES}
        self._missing = list[str]()
        self._places = list[dict[str, str]]()

    async def pieces(self, rows: Sequence[Row]) -> AsyncGenerator[bytes, None]:
        """Write these files, one after the other; note each that cannot be had."""
        async with aclosing(archives.read_ahead(self._groups(rows))) as groups:
            async for group, contents in groups:
                written = self._large(group[0]) if contents is None else self._small(group, contents)
                async with aclosing(written) as pieces_:
                    async for piece in pieces_:
                        yield piece
                if self.content.tables.done():
                    self.content.tables.result()  # raises what it ended in

    def index(self) -> Iterator[tuple[str, str]]:
        """Yield name and text of what tells about the files."""
        yield FILES, archives.json_text(self._places)
        if self._missing:
            yield "file/NON TROVATI.txt", "\n".join(self._missing) + "\n"

    async def _groups(self, rows: Sequence[Row]) -> AsyncGenerator[tuple[Sequence[Row], Contents | None], None]:
        """Yield small files together, with what is in them, and each large one alone."""
        for group in _grouped(rows):
            is_small = _is_small(group[0])
            yield group, await self.store.read_small([row["version"] or "" for row in group]) if is_small else None

    async def _small(self, rows: Sequence[Row], contents: Contents) -> AsyncGenerator[bytes, None]:
        found = [(row, content) for row, content in zip(rows, contents, strict=True) if content is not None]
        whole = [archives.Small(self._name(row), content, row["sha256"]) for row, content in found]
        for piece in await self.archive.small_files(whole):
            yield piece
        for row, content in zip(rows, contents, strict=True):
            if content is None:
                # The file that has taken its place may be large.
                async with aclosing(self._large(row)) as written:
                    async for piece in written:
                        yield piece

    async def _large(self, row: Row) -> AsyncGenerator[bytes, None]:
        begun, sha256 = await self._begun(row), row["sha256"]
        if begun is None and (current := await self._current(row)) is not None:
            begun, sha256 = await self._begun(current), current["sha256"]
        if begun is None:
            self._missing.append(row["filename"])
            return
        async with aclosing(begun), aclosing(self.archive.file(self._name(row), begun, sha256)) as written:
            async for piece in written:
                yield piece

    async def _begun(self, row: Row) -> AsyncGenerator[bytes, None] | None:
        """Read the first piece; None when the file is lost. Raises Away."""
        rest = self.store.read(row["version"] or "")
        try:
            first = await anext(rest, b"")
        except api.Lost:
            return None

        async def whole() -> AsyncGenerator[bytes, None]:
            async with aclosing(rest):
                yield first
                async for piece in rest:
                    yield piece

        return whole()

    async def _current(self, row: Row) -> Row | None:
        """Return what has taken the place of a file since the files were listed."""
        async with self.context.as_service() as connection:
            found = await connection.fetchrow(
                "select version, metadata ->> 'sha256' as sha256 from storage.objects"
                " where bucket_id = $1 and name = $2 and version is not null",
                row["bucket_id"],
                row["name"],
            )
        return None if found is None else dict(found)

    def _name(self, row: Row) -> str:
        """Choose the name of a file in the archive, and note where the file lay."""
        name = archives.free_name(f"file/{_file_name(row['filename'])}", self._taken)
        self._places.append({"file": name, "bucket": row["bucket_id"], "name": row["name"], "mime": row["mime"]})
        return name


def _grouped(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    group, size = list[Row](), 0
    for row in rows:
        if group and (not _is_small(row) or size + row["bytes"] > GROUP_BYTES or len(group) == GROUP_FILES):
            yield group
            group, size = [], 0
        if not _is_small(row):
            yield [row]
            continue
        group.append(row)
        size += row["bytes"]
    if group:
        yield group


def _is_small(row: Row) -> bool:
    size_bytes: int = row["bytes"]
    return 0 < size_bytes <= SMALL_BYTES


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


def readme(content: Content, tables: Tables, files: int) -> str:
    """Say what is in the archive, what is not and why, and how long it is kept (GDPR, art. 15)."""
    wish, made_at = content.wish, content.made_at
    lines = [
        "I tuoi dati in Socio",
        "",
        f"Account: {tables.facts['account']['email'] or ''}",
        f"Raccolti il {made_at:%d/%m/%Y alle %H:%M} (UTC)",
        "",
        "Ogni tabella c’è due volte: in JSON, con tutte le colonne, e in CSV, che si apre con Excel.",
        "Gli importi sono in centesimi, le date in UTC.",
        "«impronte.sha256» serve a controllare che niente sia cambiato: sha256sum -c impronte.sha256",
        "«indice.json» dice a un programma che cosa contiene l’archivio.",
        "",
        "Che cosa c’è",
    ]
    for place, names in wish.tables.items():
        lines += ["", f"{place}/  Base giuridica: {personal_data.BASES[place]}"]
        lines += [f"  {table.partition('.')[2]}: {text} ({tables.counts[table]})" for table, text in names.items()]
        if place == "profilo":
            lines.append("  account.json: accesso, dispositivi, secondo fattore, eventi dell’account")
    if wish.with_files:
        lines += ["", f"file/  I file originali di quello che hai scelto ({files})"]
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
