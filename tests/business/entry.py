"""Fill an account with the made-up business as its owner would: contacts from an export, papers as files.

The client's own code reads the file of contacts, because the parsing of CSV is nowhere else; its rows go to the
functions that the client calls. Each paper is uploaded, and the worker reads it. Only the diary and the payments, which
people write by hand, are inserted as the rows that the forms write.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

from backend.core import config, db
from tests.business import files, load, papers, people
from tests.databases import connected
from tests.functions.documents.conftest import Desk

SCRIPT = Path(__file__).with_name("read_contacts.mjs")
MIMES = {".pdf": "application/pdf", ".jpg": "image/jpeg", ".png": "image/png", ".xml": "application/xml"}
# So many papers are uploaded before the worker reads them: few enough for Desk.read to wait for on a busy machine.
PILE = 8


async def enter(desk: Desk, today: date) -> dict[str, UUID]:
    """Bring the whole business in and return the ids of its contacts by key."""
    url = desk.resources.settings.database_url
    async with connected(url) as connection:
        await load.profile(connection, desk.user_id)
    await import_contacts(desk, "contatti.csv", files.contact_csv())
    ids = await _contacts(desk)
    await _papers(desk, [*files.invoices(today), *files.drawn(today)])
    async with connected(url) as connection:
        await load.diary(connection, desk.user_id, ids, today)
        rows = await connection.fetch(
            "select invoices.id, filename from public.invoices"
            " join public.documents on documents.user_id = invoices.user_id and documents.id = document_id"
            " where invoices.user_id = $1 and filename like '%.xml'",
            desk.user_id,
        )
        for row in rows:
            of = papers.INVOICES[key_of(row["filename"])]
            await load.pay(connection, desk.user_id, row["id"], of, of.issued_on(today))
    return ids


def key_of(filename: str) -> str:
    """Return the key of the invoice that `files.invoices` gave this name."""
    return filename.rpartition("_")[2].removesuffix(".xml")


async def import_contacts(desk: Desk, name: str, content: bytes) -> dict[str, Any]:
    """Import a file of contacts with the columns that the wizard guesses, and return the counts of the server."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(content)
        node = await asyncio.create_subprocess_exec(
            "node", SCRIPT, config.ROOT / "web", file, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await node.communicate()
    assert node.returncode == 0
    read = json.loads(output)
    claims = {"sub": str(desk.user_id), "role": "authenticated"}
    async with db.as_claims(desk.resources.pool, claims) as connection:
        batch = await connection.fetchval(
            "select public.begin_import($1, 'csv', $2, null, $3)", name, len(read["rows"]), read["rejected"]
        )
        counts = await connection.fetchval("select public.import_contacts($1, $2, 'aggiorna')", batch, read["rows"])
        await connection.execute("select state from public.finish_import($1)", batch)
    return dict(counts)


async def _contacts(desk: Desk) -> dict[str, UUID]:
    """Find each contact by its number, which is unique in the business."""
    async with db.connection(desk.resources.pool) as connection:
        rows = await connection.fetch(
            "select id, coalesce(vat_number, tax_code) as number from public.contacts"
            " where user_id = $1 and deleted_at is null",
            desk.user_id,
        )
    by_number = {row["number"]: row["id"] for row in rows}
    assert len(rows) == len(by_number) == len(people.CONTACTS)
    return {each.key: by_number[each.vat_number or each.tax_code] for each in people.CONTACTS.values()}


async def _papers(desk: Desk, found: list[tuple[str, bytes]]) -> None:
    for start in range(0, len(found), PILE):
        pile = found[start : start + PILE]
        await desk.read(*[await desk.drop(content, name, MIMES[Path(name).suffix]) for name, content in pile])
