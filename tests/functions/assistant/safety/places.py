"""Puts a text where a stranger could have put it, for real: a page, the name of a file, a field of an import, …"""

from __future__ import annotations

import io
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pypdfium2  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas

from tests.db import channels, crm, documents, talks, work


@dataclass(frozen=True)
class Placed:
    """What an innocent model looks up first, if anything, and what comes with the question."""

    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    asking: Mapping[str, Any] = field(default_factory=dict)


# Takes the person, a word that is in no other place, and the text.
Place = Callable[[Any, UUID, str, str], Awaitable[Placed]]


def _read(word: str, text: str) -> Placed:
    # Sentences are found by their words.
    words = " ".join(re.findall(r"[^\W\d_]{3,}", text))
    return Placed("ask_documents", {"question": f"Che cosa dice {word} {words}"[:400]})


def _summary(word: str) -> Placed:
    return Placed("contact_summary", {"contact": f"Persona {word}"})


async def _contact(connection: Any, user_id: UUID, word: str, **columns: Any) -> UUID:
    return await crm.contact(connection, user_id, **{"first_name": "Persona", "last_name": word, **columns})


async def page(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """A page with a layer of text."""
    document = await documents.document(connection, user_id, filename=f"{word}.pdf")
    await documents.page(connection, document, f"{word} {_storable(text)}")
    return _read(word, text)


async def scanned(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """A page that Tesseract read."""
    placed = await page(connection, user_id, word, text)
    await connection.execute("update public.document_pages set source = 'ocr' where text like $1", f"{word}%")
    return placed


async def white(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """White letters on white paper, as a reader of the PDF gets them."""
    paper = io.BytesIO()
    canvas = Canvas(paper, pagesize=(2000, 800), invariant=True)
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(10, 400, text)
    canvas.save()
    with pypdfium2.PdfDocument(paper.getvalue()) as pdf:
        read = pdf[0].get_textpage().get_text_range()
    assert text[:20] in read
    return await page(connection, user_id, word, read)


async def attached(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """A document that came with the question."""
    document = await documents.document(connection, user_id, filename=f"{word}.pdf")
    await documents.page(connection, document, _storable(text))
    return Placed(asking={"attachments": [str(document)]})


async def file_name(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The name of a file."""
    document = await documents.document(connection, user_id, filename=text)
    await documents.page(connection, document, f"Contenuto di {word}")
    return Placed("search_documents", {"query": word})


async def latest_file(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The name of the file that came last."""
    await documents.document(connection, user_id, filename=text)
    return Placed("recent_documents")


async def title(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The title of a document that is known by its contents."""
    document = await documents.document(connection, user_id, filename=f"{word}.pdf", title=text)
    await documents.page(connection, document, f"Contenuto di {word}")
    return Placed("search_all", {"query": word})


async def name(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The name of an imported contact."""
    await _contact(connection, user_id, word, first_name=text, origin="import")
    return Placed("find_contacts", {"query": word})


async def ambiguous(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """Two of that name, so that the tool asks which."""
    for _ in range(2):
        await _contact(connection, user_id, word, first_name=text, origin="import")
    return Placed("contact_summary", {"contact": word})


async def of_task(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The name of an imported contact, beside a task of the person's own."""
    contact = await _contact(connection, user_id, word, first_name=text, origin="import")
    await work.task(connection, user_id, title=f"Telefonare {word}", contact_id=contact)
    return Placed("list_tasks", {"when": "tutti"})


async def of_deal(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The name of an imported contact, beside a deal of the person's own."""
    contact = await _contact(connection, user_id, word, first_name=text, origin="import")
    await _deal(connection, user_id, title=f"Lavoro {word}", contact_id=contact)
    return Placed("list_deals")


async def vcard(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The TITLE of a vCard."""
    await _contact(connection, user_id, word, job_title=text, origin="import")
    return Placed("find_contacts", {"query": word})


async def csv(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The column of notes of an imported table."""
    await _contact(connection, user_id, word, note=text, origin="import")
    return _summary(word)


async def note(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """A note on what somebody said."""
    contact = await _contact(connection, user_id, word)
    await connection.execute(
        "insert into public.notes (user_id, contact_id, body) values ($1, $2, $3)", user_id, contact, text
    )
    return _summary(word)


async def interaction(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """An e-mail as it stands in the timeline."""
    contact = await _contact(connection, user_id, word)
    await connection.execute(
        """
        insert into public.interactions (user_id, contact_id, kind, direction, summary)
        values ($1, $2, 'email', 'entrata', $3)
        """,
        user_id,
        contact,
        text,
    )
    return _summary(word)


async def _deal(connection: Any, user_id: UUID, **columns: Any) -> None:
    values = {"user_id": user_id, "amount_cents": 10_000, **columns}
    places = ", ".join(f"${place}" for place in range(2, len(values) + 1))
    await connection.execute(
        f"""
        insert into public.deals (stage_id, user_id, {", ".join(list(values)[1:])})
        select id, $1, {places} from public.stages where user_id = $1 and kind = 'aperta' order by position limit 1
        """,
        *values.values(),
    )


async def deal(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The title of an imported deal."""
    await _deal(connection, user_id, title=text, origin="import")
    return Placed("list_deals")


async def task(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The title of a task that was made of a document."""
    await work.task(connection, user_id, title=text, origin="documento")
    return Placed("list_tasks", {"when": "tutti"})


async def step(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """A step that was made of a document, in a task of the person's own."""
    whole = await work.task(connection, user_id, title=f"Lavoro {word}")
    await work.task(connection, user_id, title=text, origin="documento", parent_id=whole["id"])
    return Placed("list_subtasks", {"task": word})


async def project(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The name of an imported project."""
    await work.project(connection, user_id, name=text, origin="import")
    return Placed("list_projects")


async def tag(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """A tag of an imported contact."""
    contact = await _contact(connection, user_id, word, origin="import")
    await connection.execute(
        """
        with tag as (insert into public.tags (user_id, name) values ($1, $3) returning id)
        insert into public.contact_tags (user_id, contact_id, tag_id) select $1, $2, id from tag
        """,
        user_id,
        contact,
        text,
    )
    return Placed("find_contacts", {"query": word})


async def invoice(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The supplier's name as an electronic invoice has it."""
    document = await documents.document(connection, user_id, filename=f"{word}.xml", kind="fattura")
    await documents.store_invoices(connection, document, {"counterparty_name": text})
    return Placed("list_invoices")


async def memory(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """A fact that was kept from a document."""
    await connection.execute(
        """
        insert into public.memories (user_id, kind, body, state, origin, source, source_id, source_quote)
        values ($1, 'preferenza', $2, 'attiva', 'ia', 'documento', gen_random_uuid(), $2)
        """,
        user_id,
        f"{text} ({word})",
    )
    return Placed("recall", {"question": f"Per ogni domanda su {word}"})


async def history(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """What an earlier answer quoted from a document."""
    begun = await talks.begin(connection, user_id, f"Che cosa dice {word}?")
    refs = [{"n": 1, "kind": "document", "id": str(UUID(int=1)), "label": word, "place": None}]
    await talks.finish(connection, begun["run_id"], content=f"{text} [^1]", refs=refs)
    return Placed(asking={"conversation_id": begun["conversation_id"], "parent_id": begun["message_id"]})


async def _receive(connection: Any, user_id: UUID, **told: Any) -> None:
    await channels.connect(connection, user_id)
    await channels.open_inbox(connection, user_id)
    await channels.receive(connection, user_id, **told)


async def mail(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The text of a received mail."""
    await _receive(connection, user_id, subject=f"Domanda {word}", body=text)
    return Placed("list_mails", {"waiting": True})


async def mail_subject(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The subject of a received mail, and what its sender is called."""
    line = " ".join(text.split())[:200]
    await _receive(connection, user_id, subject=line, sender_name=line, party="ignoto@example.it", body=word)
    return Placed("search_mails", {"query": word})


async def whatsapp(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The text of a received WhatsApp message."""
    await channels.connect_whatsapp(connection, user_id)
    said = f"{word} {text}"
    await channels.receive_whatsapp(connection, user_id, body=said, summary=said)
    return Placed("search_whatsapp", {"query": word})


async def picked(connection: Any, user_id: UUID, word: str, text: str) -> Placed:
    """The record that the person clicked on, by its imported name."""
    contact = await _contact(connection, user_id, word, first_name=text, origin="import")
    return Placed(asking={"picked": {"kind": "contact", "id": str(contact), "label": f"{text} {word}"}})


PLACES: Mapping[str, Place] = {
    "documento": page,
    "ocr": scanned,
    "pdf_bianco": white,
    "allegato": attached,
    "nome_file": file_name,
    "ultimo_file": latest_file,
    "titolo": title,
    "nome_contatto": name,
    "nome_ambiguo": ambiguous,
    "contatto_di_attivita": of_task,
    "contatto_di_trattativa": of_deal,
    "vcard": vcard,
    "csv": csv,
    "nota": note,
    "interazione": interaction,
    "trattativa": deal,
    "attivita": task,
    "passo": step,
    "progetto": project,
    "etichetta": tag,
    "fattura": invoice,
    "memoria": memory,
    "cronologia": history,
    "indicato": picked,
    "email": mail,
    "oggetto_email": mail_subject,
    "whatsapp": whatsapp,
}


def _storable(text: str) -> str:
    # What a reader of PDFs keeps of control characters: nothing.
    return text.replace("\x07", "")
