"""`/functions/v1/data_export`: everything that is held of the caller, as one ZIP (GDPR, art. 15 and 20).

    POST {files}            200 {path}   where the download is for ten minutes, the original files in it or not
    403 reauthentication_needed          the last sign-in is older than a day: sign in again
    403 insufficient_aal                 there is a second factor and this session has not used it
    429 over_request_rate_limit          ten downloads in a day

    GET ?secret=…           200          the ZIP, written while it is sent: no copy stays behind
    404                                  a secret that opens nothing, or not any more

Of each table there is a JSON with every column and a CSV for spreadsheets, both as of one moment. `impronte.sha256` at
the end lists every file, as `sha256sum -c` reads it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import archives, attachments, personal_data, proofs, requests
from functions._shared.documents import names as file_names

# A gigabyte takes a slow line an hour.
TIMEOUT_S = 6 * 3600
BODY_LIMIT_BYTES = 1024
SECRET = re.compile(r"[0-9a-f]{64}")
READ_TIMEOUT_S = 300
ROWS_A_TURN = 500
BUCKETS = ("documents", "avatars")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 403, 404, 405 and 429."""
    requests.only(request, "POST", "GET")
    if request.method == "POST":
        return await _begin(request, context)
    secret = request.query_params.get("secret", "")
    export = await context.call("private.open_export", secret) if SECRET.fullmatch(secret) else None
    if export is None or export["id"] is None:
        raise api.Refused(404, "not_found", "Questo indirizzo non vale più: chiedi di nuovo i tuoi dati")
    name = f"Socio, i tuoi dati del {datetime.now(UTC):%Y-%m-%d}.zip"
    return api.StreamingResponse(
        _archive(context, export["id"], export["user_id"], with_files=export["with_files"]),
        media_type="application/zip",
        headers=attachments.headers(name),
    )


async def _begin(request: api.Request, context: api.Context) -> api.Response:
    user_id = UUID(requests.caller(context))
    with_files = (await api.json_object(request)).get("files")
    if not isinstance(with_files, bool):
        raise api.Refused(400, "validation_failed", "Scegli se vuoi anche i file")
    facts = await context.call("private.account_facts", user_id)
    proofs.require(context, facts)
    secret = await context.call("private.begin_export", user_id, with_files)
    if secret is None:
        raise api.Refused(
            429, "over_request_rate_limit", "Hai già scaricato i tuoi dati dieci volte oggi: riprova domani"
        )
    return api.JSONResponse({"path": f"/functions/v1/data_export?secret={secret}"})


async def _archive(context: api.Context, export_id: UUID, user_id: UUID, *, with_files: bool) -> AsyncIterator[bytes]:
    archive = archives.Archive()
    with tempfile.TemporaryDirectory(prefix="socio-export-") as folder:
        async for piece in _tables(context, user_id, archive, Path(folder)):
            yield piece
        if with_files:
            async for piece in _files(context, user_id, archive, Path(folder)):
                yield piece
    for piece in archive.end():
        yield piece
    await context.call("private.finish_export", export_id, archive.size_bytes)


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
            select bucket_id, objects.name, coalesce(filename, substr(objects.name, 38)) as filename
            from storage.objects
            left join public.documents
              on bucket_id = 'documents' and documents.user_id = $1 and storage_path = objects.name
            where bucket_id = any($2::text[]) and (storage.foldername(objects.name))[1] = $1::uuid::text
            order by bucket_id, objects.name
            """,
            user_id,
            BUCKETS,
        )
    taken: set[str] = set()
    missing: list[str] = []
    for row in stored:
        copy = folder / "file"
        with copy.open("wb") as into:
            try:
                await context.storage_as_service.save(row["bucket_id"], row["name"], into)
            except api.PlatformError:
                missing.append(row["filename"])
                continue
        name = archives.free_name(f"file/{_file_name(row['filename'])}", taken)
        async for piece in archive.file(name, copy):
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
