"""`contact_pdf`: all that is kept about a contact stands on its sheet, and only its owner gets one."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote
from uuid import UUID, uuid4

import httpx
import pypdfium2  # type: ignore[import-untyped]
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import contact_sheet
from functions._shared.fatturapa.paper import layout
from tests.db import accounts, channels, crm, work
from tests.functions import signed_in

pytestmark = pytest.mark.anyio


async def ask(client: httpx.AsyncClient, resources: Resources, user_id: UUID, **query: Any) -> httpx.Response:
    """Asks for a sheet as this person."""
    headers = signed_in.headers(resources, user_id)
    return await client.get("/functions/v1/contact_pdf", params=query, headers=headers)


def text_of(content: bytes) -> str:
    """The words on all pages, in one line."""
    with pypdfium2.PdfDocument(content) as document:
        return " ".join(" ".join(page.get_textpage().get_text_bounded().split()) for page in document)


async def test_all_that_is_kept_stands_on_the_sheet(client: httpx.AsyncClient, resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        owner, stranger = [await accounts.create(connection) for _ in range(2)]
        names = await crm.populate(connection, owner, stranger)
        contact = UUID(names["owner_contact"])
        regime = "update public.contacts set regime = 'Forfettario', vat_number = '00743110157' where id = $1"
        await connection.execute(regime, contact)
        await work.task(connection, owner, title="Mandare il <preventivo>", contact_id=contact)
        await connection.execute("update public.profiles set business_name = 'Studio Rossi' where user_id = $1", owner)
        await channels.connect(connection, owner)
        await channels.open_inbox(connection, owner)
        await channels.receive(connection, owner, body="Ecco il materiale", recipients=["terzo@example.it"])
    answer = await ask(client, resources, owner, id=contact)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    assert "Scheda di Anna Verdi.pdf" in unquote(answer.headers["content-disposition"])
    words = text_of(answer.content)
    assert "terzo@example.it" not in words
    for expected in (
        "Anna Verdi", "anna@example.it", "333 1234567", "00743110157", "Forfettario", "Cliente", "Chiamare il mattino",
        "Chiamata", "email, marketing", "Anna paga a trenta giorni", "Mandare il <preventivo>", "pagina 1 di",
        "Studio Rossi", "garanteprivacy.it", "art. 2220", "Ecco il materiale", "quali dati ci sono",
    ):  # fmt: skip
        assert expected in words


async def test_a_sheet_is_its_owners_only(client: httpx.AsyncClient, resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        owner, stranger = [await accounts.create(connection) for _ in range(2)]
        contact = await crm.contact(connection, owner)
    assert (await ask(client, resources, stranger, id=contact)).status_code == 404
    assert (await ask(client, resources, owner, id=uuid4())).status_code == 404
    assert (await ask(client, resources, owner, id="1")).status_code == 400
    assert (await client.get("/functions/v1/contact_pdf", params={"id": str(contact)})).status_code == 401


async def test_what_has_no_section_is_named_and_long_tables_are_cut(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    async with db.connection(resources.pool) as connection:
        owner = await accounts.create(connection)
        contact = await crm.contact(connection, owner)
        await connection.execute(
            """
            insert into public.notes (user_id, contact_id, body)
            select $1, $2, repeat('parola ', 20) from generate_series(1, $3)
            """,
            owner,
            contact,
            contact_sheet.MAX_ROWS + 1,
        )
    answer = await ask(client, resources, owner, id=contact)
    assert "e un’altra riga, nella copia in JSON" in text_of(answer.content)
    assert contact_sheet.others({"merged": [{}], "novelty": [{}, {}], "notes": [{}], "empty": []}) == ["novelty (2)"]


async def test_a_long_note_is_laid_out_in_short_rows(client: httpx.AsyncClient, resources: Resources) -> None:
    """A row of thousands of lines took ten seconds and more: it was wrapped anew for each of its pages."""
    note = "\n".join(f"riga {no}" for no in range(2000))
    rows = layout.portions(("Quando", note), (82, 400), 7.5)
    assert max(text.count("\n") for _, text in rows) < 10
    assert "\n".join(text for _, text in rows) == note
    assert [when for when, _ in rows[:2]] == ["Quando", ""]
    for words in (" ".join(["parola"] * 2500), "x" * 20000):
        pieces = [text for _, text in layout.portions(("", words), (82, 400), 7.5)]
        assert len(pieces) > 10
        assert " ".join(pieces).replace(" ", "") == words.replace(" ", "")
    async with db.connection(resources.pool) as connection:
        owner = await accounts.create(connection)
        contact = await crm.contact(connection, owner, note=note)
        await connection.execute(
            "insert into public.notes (user_id, contact_id, body) values ($1, $2, $3)", owner, contact, note
        )
    shown = text_of((await ask(client, resources, owner, id=contact)).content)
    assert [shown.count(f"riga {no}") for no in (1500, 1999)] == [2, 2]


async def test_a_certificate_says_what_went_and_what_stays_and_is_its_owners_only(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    async with db.connection(resources.pool) as connection:
        owner, stranger = [await accounts.create(connection) for _ in range(2)]
        lines = [
            {"label": "Note", "fate": "via", "found": 3, "reason": None},
            {"label": "Fatture", "fate": "resta", "found": 2, "reason": "Dieci anni, per legge"},
        ]
        erasure = await connection.fetchval(
            """
            with asked as (
              insert into public.contact_requests (user_id, contact_name, kind, received_on, closed_at, outcome)
              values ($1, 'Zoe Quarti', 'cancellazione', '2026-03-01', now(), 'soddisfatta') returning id
            )
            insert into public.contact_erasures (user_id, contact_id, initials, request_id, lines)
            select $1, gen_random_uuid(), 'Z. Q.', id, $2::text::jsonb from asked returning id
            """,
            owner,
            json.dumps(lines),
        )
    answer = await ask(client, resources, owner, erasure=erasure)
    assert answer.status_code == 200, answer.text
    words = text_of(answer.content)
    for expected in ("Certificato di cancellazione", "Zoe Quarti", "01/03/2026", "Note", "3", "Dieci anni, per legge"):
        assert expected in words
    assert (await ask(client, resources, stranger, erasure=erasure)).status_code == 404
    assert (await ask(client, resources, owner, erasure="1")).status_code == 400
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from public.contact_requests where user_id = $1", owner)
    words = text_of((await ask(client, resources, owner, erasure=erasure)).content)
    assert "Z. Q." in words
    assert "Quarti" not in words


async def test_every_table_of_the_register_has_a_section_or_a_name(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select place, label from private.contact_places")
    shown = contact_sheet.ELSEWHERE | {section.name for section in contact_sheet.SECTIONS}
    named = {row["place"] for row in rows if row["label"]}
    assert shown - named == {"never_written_to"}
