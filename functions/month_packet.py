"""`GET /functions/v1/month_packet?month=2026-10`: the caller's month for the accountant, as one ZIP.

200 application/zip                 «Pacchetto-2026-10-Rossi-srl.zip», written while it is sent
400 validation_failed               what is no month
404 not_found                       a month with nothing to hand over
413 request_entity_too_large        more papers than one packet takes

`emesse/`, `ricevute/`, `da-registrare/` and `altri-documenti/` hold the original files under readable names,
`registro.csv` has a row for each invoice and the sums, and `LEGGIMI.txt` says what there is, and what is missing or
doubtful.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from backend.edge import api
from functions._shared import addresses, archives, attachments, italian_dates, requests
from functions._shared.fatturapa import codes, export, money

TIMEOUT_S = 3600
MAX_PAPERS = 5_000
BUCKET = "documents"
ROME = ZoneInfo("Europe/Rome")
MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
FOLDERS = {"attiva": "emesse", "passiva": "ricevute"}
TO_REGISTER, OTHERS = "da-registrare", "altri-documenti"
KINDS = {"ricevuta": "Ricevuta", "f24": "F24", "fattura": "Fattura", "altro": "Estratto conto"}

# The row of public.month_packet(), and one of its invoices, papers or sums.
Packet: TypeAlias = Mapping[str, Any]
Stored: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class File:
    """An original file: its key in the storage, and its name in the packet."""

    storage_path: str
    name: str


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405 and 413."""
    requests.only(request, "GET")
    requests.caller(context, "Devi accedere")
    month = parsed(request.query_params.get("month", ""))
    async with context.as_caller() as connection:
        packet = dict(await connection.fetchrow("select * from public.month_packet($1)", month) or {})
    if not packet["invoices"] and not packet["papers"]:
        named = italian_dates.month_and_year(month)
        raise api.Refused(404, "not_found", f"Di {named} non c’è ancora niente da mandare: carica le fatture")
    if max(len(packet["invoices"]), len(packet["papers"])) > MAX_PAPERS:
        raise api.Refused(413, "request_entity_too_large", f"Sono più di {MAX_PAPERS} documenti: non stanno in un file")
    owner = re.sub(r"\W+", "-", (packet["owner"] or {}).get("name") or "").strip("-")
    name = "-".join(filter(None, ("Pacchetto", f"{month:%Y-%m}", owner)))
    headers = {**attachments.headers(f"{name}.zip"), "Access-Control-Expose-Headers": "Content-Disposition"}
    return api.StreamingResponse(archive(context, packet, month), media_type="application/zip", headers=headers)


def parsed(text: str) -> date:
    """Return the first day of the month. Raises Refused 400."""
    try:
        return date.fromisoformat(f"{text if MONTH.fullmatch(text) else ''}-01")
    except ValueError as error:
        raise api.Refused(400, "validation_failed", "Il mese si scrive così: 2026-10") from error


async def archive(context: api.Context, packet: Packet, month: date) -> AsyncIterator[bytes]:
    """Send the files one after the other, then what is said about them: only then it is known which are lost."""
    zipped, files, lost = archives.Archive(), named(packet), set[str]()
    with tempfile.TemporaryDirectory(prefix="socio-packet-") as folder:
        copy = Path(folder) / "file"
        for document_id, file in files.items():
            with copy.open("wb") as into:
                try:
                    await context.storage.save(BUCKET, file.storage_path, into)
                except api.PlatformError as error:
                    lost_with = {"document": document_id, "status": error.status}
                    context.log.warning("a file is not in the packet", extra=lost_with)
                    lost.add(document_id)
                    continue
            async for piece in zipped.file(file.name, archives.of_disk(copy)):
                yield piece
    there = {document_id: file.name for document_id, file in files.items() if document_id not in lost}
    for piece in zipped.text("registro.csv", register(packet, there)):
        yield piece
    missing = [files[document_id].name for document_id in files if document_id in lost]
    for piece in zipped.text("LEGGIMI.txt", readme(packet, month, context.now(), there, missing)):
        yield piece
    for piece in zipped.end():
        yield piece


def named(packet: Packet) -> dict[str, File]:
    """Return the file of each document, no name twice; a file with several invoices is named by the first."""
    files: dict[str, File] = {}
    taken: set[str] = set()
    for row in packet["invoices"]:
        kind = codes.words("documents", row["type_code"]).partition(" (")[0] or "Documento"
        title = f"{row['issued_on']} {kind} {row['number']} {row['name'] or ''}"
        _add(files, taken, FOLDERS[row["direction"]], title, row)
    for row in packet["papers"]:
        kind, name = KINDS[row["kind"]], row["name"]
        if name == row["filename"]:
            name = name.removesuffix(archives.ending(name))
        title = name if name.lower().startswith(kind.lower()) else f"{kind} {name}"
        _add(files, taken, folder_of(row), f"{row['day']} {title}", row)
    return files


def _add(files: dict[str, File], taken: set[str], folder: str, title: str, row: Stored) -> None:
    if row["document_id"] not in files:
        plain = attachments.tidy(re.sub(r"[/\\]+", "-", title))
        name = archives.free_name(f"{folder}/{plain}{archives.ending(row['filename']).lower()}", taken)
        files[row["document_id"]] = File(row["storage_path"], name)


def folder_of(paper: Stored) -> str:
    """Return where a paper that is no invoice of the register belongs."""
    return TO_REGISTER if paper["is_waiting"] else OTHERS


def register(packet: Packet, there: Mapping[str, str]) -> str:
    """Write the invoices and their sums as CSV."""
    rows = [export.entry_of(row, there.get(row["document_id"])) for row in packet["invoices"]]
    sums = [
        export.Entry(f"Totale {side_of(row)}", name=counted(row), currency=row["currency"], **export.amounts_of(row))
        for row in packet["sums"]
    ]
    return export.csv_head(export.Entry) + export.csv_rows([*rows, *sums])


def side_of(row: Stored) -> str:
    """Return what a sum is of: «emesse», «ricevute» or «autofatture»."""
    return "autofatture" if row["is_self_invoice"] else FOLDERS[row["direction"]]


def counted(row: Stored) -> str:
    """Return how many invoices a sum adds: «1 fattura», «3 fatture»."""
    return f"{row['times']} {'fattura' if row['times'] == 1 else 'fatture'}"


def readme(packet: Packet, month: date, now: datetime, there: Mapping[str, str], missing: list[str]) -> str:
    """Say what there is, what it comes to, and what is missing or doubtful."""
    owner = packet["owner"] or {}
    numbers = {
        "Partita IVA": owner.get("vat_number"),
        "Codice fiscale": owner.get("tax_code"),
        "Regime": (owner.get("regime") or "").capitalize(),
        "Codice ATECO": owner.get("ateco"),
        "Sede": addresses.in_one_line(owner.get("address") or {}),
        "PEC": owner.get("pec"),
        "Codice destinatario": owner.get("sdi_code"),
    }
    # Lost files are named below, those of other papers too.
    doubts = [_line(each["body"]) for each in packet["findings"] if each["kind"] != "file"]
    if missing:
        doubts += ["Non è stato possibile aggiungere questi file:", *(f"  {name}" for name in missing)]
    lines = [
        f"Pacchetto per il commercialista: {italian_dates.month_and_year(month)}",
        "",
        _line(owner.get("name") or ""),
        *(f"{label}: {_line(number)}" for label, number in numbers.items() if number),
        f"Preparato con Socio il {now.astimezone(ROME):%d/%m/%Y alle %H:%M}",
        "",
        "Che cosa c’è",
        *(f"  {line}" for line in _contents(there)),
        "  registro.csv: una riga per ogni fattura e le somme in fondo; si apre con Excel",
        "  impronte.sha256: per controllare che nessun file sia cambiato",
        "",
        "Somme, come nel registro di Socio (le note di credito si sottraggono, le fatture doppie contano una volta)",
        *(f"  {_sum(row)}" for row in packet["sums"]),
        "",
        "Che cosa manca o è in dubbio",
        *(f"  {line}" for line in doubts or ["Niente."]),
        "",
    ]
    return "\n".join(lines)


def _contents(there: Mapping[str, str]) -> Iterator[str]:
    for folder in (*FOLDERS.values(), TO_REGISTER, OTHERS):
        count = sum(name.startswith(f"{folder}/") for name in there.values())
        if count or folder in FOLDERS.values():
            yield f"{folder}: {count} file"


def _sum(row: Stored) -> str:
    """Write a sum; what no invoice states is left out."""
    amounts = {"imponibile": "net", "IVA": "vat", "ritenute": "withheld", "bollo": "stamp", "totale": "total"}
    told = [
        f"{label} {money.euros(row[f'{key}_cents'], row['currency'])}"
        for label, key in amounts.items()
        if row[f"{key}_cents"] is not None
    ]
    unknown = f" (imponibile non noto per {row['times_without_net']})" if row["times_without_net"] else ""
    return f"{side_of(row).capitalize()}: {counted(row)}, {', '.join(told)}{unknown}"


def _line(text: str) -> str:
    """Return a text of a stranger's paper on one line."""
    return " ".join(text.split())
