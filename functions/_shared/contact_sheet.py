"""All that is kept about one contact as a sheet of paper: what `public.export_contact` answers, in words, A4.

It is what a person hands over who was asked «che cosa sai di me?», so nothing is left out silently: a table that has no
section of its own is named with its number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from io import BytesIO
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from reportlab.platypus import Flowable, Table

from functions._shared.fatturapa import money
from functions._shared.fatturapa.paper import layout

# A row of a table, or the whole answer, as JSON.
Row: TypeAlias = Mapping[str, Any]

ROME = ZoneInfo("Europe/Rome")
# A sheet with more is not read; the copy as JSON has them all.
MAX_ROWS = 500
TYPES = {"persona": "Persona", "azienda": "Azienda"}
ORIGINS = {
    "manuale": "aggiunto a mano", "import": "importazione", "whatsapp": "WhatsApp", "email": "email",
    "documento": "documento", "modulo": "modulo web", "demo": "esempio",
}  # fmt: skip
TOUCHES = {"chiamata": "Chiamata", "email": "Email", "whatsapp": "WhatsApp", "incontro": "Incontro"}
ANSWERS = {"dato": "sì", "negato": "no", "revocato": "revocato", "non_richiesto": "non chiesto"}
STATES = {"da_fare": "da fare", "in_corso": "in corso", "in_attesa": "in attesa", "fatto": "fatta"}
# Shown in the head, or a summary of another table.
ELSEWHERE = {"contact_emails", "contact_phones", "contact_tags", "consents", "mail_threads", "never_written_to"}
REQUESTS = {
    "accesso": "quali dati ci sono", "copia": "una copia dei dati", "rettifica": "correggere i dati",
    "cancellazione": "cancellare i dati", "opposizione": "non usare più i dati",
}  # fmt: skip
# Art. 15.1 GDPR; the person may add to it, and it says nothing that another page says otherwise.
NOTICE = (
    (
        "Perché",
        "Per il rapporto di lavoro e gli obblighi fiscali (art. 6.1.b e c GDPR); promozioni: solo con il consenso.",
    ),
    ("Chi li tratta", "Il titolare, con il programma Socio, che li custodisce per suo conto (art. 28 GDPR)."),
    (
        "Fino a quando",
        "Fatture e documenti fiscali: dieci anni (art. 2220 c.c.). Il resto: finché non ne chiedi la cancellazione.",
    ),
    (
        "I tuoi diritti",
        "Puoi far correggere, cancellare o limitare i dati, opporti, e reclamare al Garante (garanteprivacy.it).",
    ),
)


@dataclass(frozen=True)
class Section:
    """A table of the answer: its title, its columns, and what stands in them."""

    name: str
    title: str
    columns: Sequence[layout.Column]
    cells: Callable[[Row], Sequence[str | None]]


class Canvas(layout.NumberedCanvas):
    """Another foot than an invoice's."""

    note = "Preparata con Socio. La copia in JSON ha gli stessi dati in una forma che un programma legge."


def moment(text: str | None) -> str:
    """«21/11/2026 14:05», in Italy."""
    return f"{datetime.fromisoformat(text).astimezone(ROME):%d/%m/%Y %H:%M}" if text else ""


def day(text: str | None) -> str:
    """«21/11/2026», of a moment in Italy or of a date."""
    if not text:
        return ""
    return f"{date.fromisoformat(text):%d/%m/%Y}" if len(text) == len("2026-01-31") else moment(text)[:10]


def consent(row: Row) -> list[str | None]:
    """When, for what, the answer, and how it was given."""
    purpose = f"{row['channel']}, {row['purpose']}"
    how = [row["source"], row["wording"], row["legal_basis"]]
    return [moment(row["at"]), purpose, ANSWERS.get(row["state"]), "\n".join(filter(None, how))]


def deal(row: Row) -> list[str | None]:
    """What, since when, how it ended, for how much."""
    ended = row["won_at"] or row["lost_at"]
    state = f"{'vinta' if row['won_at'] else 'persa'} il {day(ended)}" if ended else "aperta"
    return [row["title"], day(row["created_at"]), state, money.euros(row["amount_cents"], row["currency"])]


def touch(row: Row) -> list[str | None]:
    """When, what, and what was said."""
    return [moment(row["at"]), TOUCHES.get(row["kind"], "Contatto"), row["summary"]]


def invoice(row: Row) -> list[str | None]:
    """Which, when, whose, for how much."""
    direction = "emessa" if row["direction"] == "attiva" else "ricevuta"
    return [row["number"], day(row["issued_on"]), direction, money.euros(row["total_cents"], row["currency"])]


def request(row: Row) -> list[str | None]:
    """Return what was asked and when, until when to answer, and when it was closed."""
    return [REQUESTS.get(row["kind"]), day(row["received_on"]), day(row["due_on"]), day(row["closed_at"])]


WHEN: layout.Column = ("Quando", 82, False)
SUM: layout.Column = ("Importo", 80, True)
SECTIONS = (
    Section(
        "consent_events",
        "CONSENSI",
        [WHEN, ("Per", 110, False), ("Risposta", 70, False), ("Come", None, False)],
        consent,
    ),
    Section("deals", "TRATTATIVE", [("Titolo", None, False), ("Dal", 62, False), ("Esito", 96, False), SUM], deal),
    Section(
        "tasks",
        "ATTIVITÀ",
        [("Titolo", None, False), ("Scadenza", 62, False), ("Stato", 62, False), ("Note", 180, False)],
        lambda row: [row["title"], day(row["due_at"]), STATES.get(row["state"]), row["notes"]],
    ),
    Section(
        "projects", "PROGETTI", [("Nome", None, False), ("Note", 240, False)], lambda row: [row["name"], row["note"]]
    ),
    Section("invoices", "FATTURE", [("Numero", None, False), ("Del", 62, False), ("", 62, False), SUM], invoice),
    Section(
        "documents",
        "DOCUMENTI",
        [("Nome", None, False), ("Tipo", 90, False), ("Aggiunto il", 70, False)],
        lambda row: [row["filename"], str(row["kind"]).replace("_", " "), day(row["created_at"])],
    ),
    Section("interactions", "CONTATTI AVUTI", [WHEN, ("Come", 62, False), ("Che cosa", None, False)], touch),
    Section(
        "received_mails",
        "EMAIL RICEVUTE",
        [WHEN, ("Oggetto", 150, False), ("Testo", None, False)],
        lambda row: [moment(row["at"]), row["subject"], row["body"]],
    ),
    Section(
        "outgoing_mails",
        "EMAIL INVIATE",
        [WHEN, ("Oggetto", 150, False), ("Testo", None, False)],
        lambda row: [moment(row["sent_at"] or row["created_at"]), row["subject"], row["body"]],
    ),
    Section(
        "whatsapp_messages",
        "MESSAGGI WHATSAPP",
        [WHEN, ("", 62, False), ("Testo", None, False)],
        lambda row: [
            moment(row["at"]),
            "inviato" if row["direction"] == "uscita" else "ricevuto",
            row["body"] or row["summary"],
        ],
    ),
    Section(
        "contact_requests",
        "RICHIESTE SUI DATI",
        [("Che cosa", None, False), ("Ricevuta", 62, False), ("Entro", 62, False), ("Chiusa", 62, False)],
        request,
    ),
    Section("notes", "NOTE", [WHEN, ("Testo", None, False)], lambda row: [moment(row["created_at"]), row["body"]]),
    Section(
        "memories",
        "CHE COSA RICORDA SOCIO",
        [WHEN, ("Testo", None, False)],
        lambda row: [moment(row["created_at"]), row["body"]],
    ),
)


def pdf(export: Row) -> bytes:
    """The whole sheet; takes tens of milliseconds, for hundreds of rows a second."""
    output = BytesIO()
    name = export["contact"]["name"]
    document = layout.document(output, title=f"Scheda di {name}", author="")
    document.build(story(export), canvasmaker=Canvas)
    return output.getvalue()


def story(export: Row) -> list[Flowable]:
    """Everything on the sheet, in order; an empty section is left out."""
    contact = export["contact"]
    made: list[Flowable] = [
        layout.text(contact["name"], 15, bold=True),
        layout.gap(3),
        layout.text(f"Dati presenti in Socio il {moment(export['exported_at'])}", 8, grey=True),
        layout.heading("TITOLARE DEL TRATTAMENTO"),
        table_of(controller(export["controller"])),
        layout.heading("DATI"),
        table_of(facts(export)),
        layout.heading("COME SONO USATI"),
        table_of(NOTICE),
    ]
    for section in SECTIONS:
        made += _section(section, export.get(section.name) or [])
    if left := others(export):
        made += [layout.gap(6), layout.heading("ALTRO"), layout.text(f"Nella copia in JSON: {', '.join(left)}", 7.5)]
    return made


def facts(export: Row) -> list[tuple[str, str]]:
    """What is known of the contact itself; what is empty is left out."""
    contact = export["contact"]
    address = contact["address"] or {}
    place = " ".join(filter(None, (address.get("postal_code"), address.get("city"), address.get("province"))))
    known: list[tuple[str, str | None]] = [
        ("Tipo", TYPES.get(contact["type"])),
        ("Azienda", export["company"]),
        ("Ruolo", contact["job_title"]),
        ("Email", _listed(export["contact_emails"])),
        ("Telefono", _listed(export["contact_phones"])),
        ("Partita IVA", contact["vat_number"]),
        ("Codice fiscale", contact["tax_code"]),
        ("Codice destinatario", contact["sdi_code"]),
        ("PEC", contact["pec"]),
        ("Regime fiscale", contact["regime"]),
        ("Indirizzo", ", ".join(filter(None, (address.get("street"), place, address.get("country"))))),
        ("Sito", contact["website"]),
        ("Tag", ", ".join(export["tags"])),
        ("In breve", contact["note"]),
        ("Unito con", ", ".join(each["name"] for each in export["merged"])),
        ("Origine", f"{ORIGINS.get(contact['origin'], contact['origin'])}, {day(contact['created_at'])}"),
        ("Ultimo contatto", moment(contact["last_interaction_at"])),
        ("Non gli si scrive a", ", ".join(export["never_written_to"])),
    ]
    return [(label, value) for label, value in known if value]


def controller(told: Row) -> list[tuple[str, str]]:
    """List who is responsible for the data and how to reach them; what is empty is left out."""
    address = told.get("address") or {}
    place = " ".join(filter(None, (address.get("postal_code"), address.get("city"), address.get("province"))))
    person = told.get("person")
    known: list[tuple[str, str | None]] = [
        ("Nome", told.get("name")),
        ("Referente", person if person != told.get("name") else None),
        ("Partita IVA", told.get("vat_number")),
        ("Codice fiscale", told.get("tax_code")),
        ("Indirizzo", ", ".join(filter(None, (address.get("street"), place)))),
        ("PEC", told.get("pec")),
        ("Email", told.get("email")),
        ("Telefono", told.get("phone")),
    ]
    return [(label, value) for label, value in known if value]


def _listed(rows: Sequence[Row]) -> str:
    return ", ".join(" ".join(filter(None, (row["value"], row["label"] and f"({row['label']})"))) for row in rows)


def table_of(known: Sequence[tuple[str, str]]) -> Table:
    """Lay labels and values out in two columns."""
    widths = [110, layout.WIDTH - 110]
    rows = [part for fact in known for part in layout.portions(fact, widths, 8)]
    return Table(
        [[layout.text(label, 8, grey=True), layout.text(value, 8)] for label, value in rows],
        colWidths=widths,
        style=[
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (0, -1), 0),
            ("TOPPADDING", (0, 0), (-1, -1), 1),
        ],
    )


def _section(section: Section, rows: Sequence[Row]) -> list[Flowable]:
    if not rows:
        return []
    cells = [[text or "" for text in section.cells(row)] for row in rows[:MAX_ROWS]]
    made: list[Flowable] = [layout.gap(6), layout.heading(section.title), layout.grid(section.columns, cells)]
    if len(rows) > MAX_ROWS:
        more = len(rows) - MAX_ROWS
        told = "e un’altra riga" if more == 1 else f"e altre {more} righe"
        made.append(layout.text(f"{told}, nella copia in JSON", 7.5, grey=True))
    return made


def others(export: Row) -> list[str]:
    """Tables without a section, as a person calls them, with their number of rows."""
    labels = export.get("labels", {})
    shown = ELSEWHERE | {section.name for section in SECTIONS} | {"merged", "tags"}
    tables = {name: rows for name, rows in export.items() if isinstance(rows, list) and name not in shown}
    return [f"{labels.get(name, name)} ({len(rows)})" for name, rows in tables.items() if rows]
