"""What an archive of a person's data is made of: their tables, their files and a LEGGIMI, one after the other.

Of each table there is a JSON with every column and a CSV for spreadsheets, both as of one moment; `file/indice.json`
says where in the storage each original file lay. `impronte.sha256` at the end lists every file, as `sha256sum -c`
reads it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import archives, personal_data
from functions._shared.documents import names as file_names

READ_TIMEOUT_S = 300
ROWS_A_TURN = 500
BUCKETS = ("documents", "avatars")


async def pieces(
    context: api.Context, archive: archives.Archive, user_id: UUID, *, with_files: bool
) -> AsyncIterator[bytes]:
    """Write everything that is held of this person, with the original files or without, into the archive."""
    with tempfile.TemporaryDirectory(prefix="socio-export-") as folder:
        async for piece in _tables(context, user_id, archive, Path(folder)):
            yield piece
        if with_files:
            async for piece in _files(context, user_id, archive, Path(folder)):
                yield piece
    for piece in archive.end():
        yield piece


async def _tables(context: api.Context, user_id: UUID, archive: archives.Archive, folder: Path) -> AsyncIterator[bytes]:
    """Send the tables, read to disk first: a slow reader holds no connection."""
    names = [table for tables in personal_data.EXPORTED.values() for table in tables]
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(archives.TableWriter(folder / f"{name}.json", folder / f"{name}.csv"))
            for name in names
        }
        facts = await _read(context, user_id, writers)
    counts = {name: writer.count for name, writer in writers.items()}
    email = str(facts["account"]["email"] or "")
    for piece in archive.text("LEGGIMI.txt", readme(context.now(), counts, email, await _rules(context))):
        yield piece
    for piece in archive.text("profilo/account.json", archives.json_text(facts)):
        yield piece
    for place, tables in personal_data.EXPORTED.items():
        for table in tables:
            for ending in ("json", "csv"):
                async for piece in archive.file(
                    f"{place}/{table.partition('.')[2]}.{ending}", folder / f"{table}.{ending}"
                ):
                    yield piece


async def _read(context: api.Context, user_id: UUID, writers: Mapping[str, archives.TableWriter]) -> dict[str, Any]:
    """Write all rows; return what the account service knows."""
    async with context.as_service() as connection:
        rows: Any = connection.cursor(
            "select * from private.personal_rows($1, $2, $3)",
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


async def _files(context: api.Context, user_id: UUID, archive: archives.Archive, folder: Path) -> AsyncIterator[bytes]:
    """Send the original files, one after the other; name each that cannot be had."""
    async with context.as_service() as connection:
        stored = await connection.fetch(
            """
            select bucket_id, objects.name, coalesce(filename, substr(objects.name, 38)) as filename,
              coalesce(objects.metadata ->> 'mimetype', 'application/octet-stream') as mime
            from storage.objects
            left join public.documents
              on bucket_id = 'documents' and documents.user_id = $1 and storage_path = objects.name
            where bucket_id = any($2::text[]) and (storage.foldername(objects.name))[1] = $1::uuid::text
            order by bucket_id, objects.name
            """,
            user_id,
            BUCKETS,
        )
    taken: set[str] = {"file/indice.json"}
    missing: list[str] = []
    index: list[dict[str, str]] = []
    for row in stored:
        copy = folder / "file"
        with copy.open("wb") as into:
            try:
                await context.storage_as_service.save(row["bucket_id"], row["name"], into)
            except api.PlatformError:
                missing.append(row["filename"])
                continue
        name = archives.free_name(f"file/{_file_name(row['filename'])}", taken)
        index.append({"file": name, "bucket": row["bucket_id"], "name": row["name"], "mime": row["mime"]})
        async for piece in archive.file(name, copy):
            yield piece
    for piece in archive.text("file/indice.json", archives.json_text(index)):
        yield piece
    if missing:
        for piece in archive.text("file/NON TROVATI.txt", "\n".join(missing) + "\n"):
            yield piece


def _file_name(filename: str) -> str:
    """Return a name that stays in its folder wherever the archive is opened."""
    return re.sub(r"[/\\\\]", "_", file_names.tidy(filename)).lstrip(".") or "file"


def readme(now: datetime, counts: dict[str, int], email: str, rules: list[str]) -> str:
    """Say what is in the archive, what is not and why, and how long it is kept (GDPR, art. 15)."""
    lines = [
        "I tuoi dati in Socio",
        "",
        f"Account: {email}",
        f"Scaricati il {now:%d/%m/%Y alle %H:%M} (UTC)",
        "",
        "Ogni tabella c’è due volte: in JSON, con tutte le colonne, e in CSV, che si apre con Excel.",
        "Gli importi sono in centesimi, le date in UTC. I file originali sono nella cartella «file».",
        "«impronte.sha256» serve a controllare che niente sia cambiato: sha256sum -c impronte.sha256",
        "",
        "Che cosa c’è",
    ]
    for place, tables in personal_data.EXPORTED.items():
        lines += ["", f"{place}/  Base giuridica: {personal_data.BASES[place]}"]
        lines += [f"  {table.partition('.')[2]}: {text} ({counts[table]})" for table, text in tables.items()]
    lines += [
        "  account.json: accesso, dispositivi, secondo fattore, eventi dell’account",
        "",
        "Che cosa non c’è, e perché",
        "",
    ]
    lines += [f"  {table.partition('.')[2]}: {why}" for table, why in personal_data.LEFT_OUT.items()]
    lines += [
        "  Password, codici e chiavi: sono conservati solo come impronte, che non servono a nessuno.",
        "",
        "Per quanto li teniamo",
        "",
        *rules,
        "  Tutto il resto: finché lo elimini tu o hai l’account.",
        "",
        "Perché li trattiamo e con chi: è scritto nell’informativa sulla privacy del sito.",
        "Puoi chiedere di correggerli, limitarli o cancellarli, e fare reclamo al Garante (www.garanteprivacy.it).",
        "",
    ]
    return "\n".join(lines)
