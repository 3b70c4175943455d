"""Documents: the latest, where words stand, what answers a question, and the search over everything."""

from __future__ import annotations

from functions._shared.assistant.local.italian import count, short_day, shown
from functions._shared.assistant.local.steps import (
    MAX_SHOWN,
    Answer,
    Plan,
    Result,
    Row,
    Scene,
    answer,
    listing,
    suggest,
    use,
)

_KINDS = {
    "contact": "Contatti",
    "task": "Attività",
    "deal": "Trattative",
    "project": "Progetti",
    "document": "Documenti",
    "mail": "Email",
    "whatsapp": "WhatsApp",
}
# What is only a document says so by its name.
_PAPERS = {
    "fattura": "fattura",
    "preventivo": "preventivo",
    "contratto": "contratto",
    "ricevuta": "ricevuta",
    "f24": "F24",
    "durc": "DURC",
    "visura": "visura",
    "documento_identita": "documento d’identità",
}
_STATES = {"da_verificare": "da verificare", "errore": "non letto", "annullato": "annullato"}
MAX_QUOTES = 4


def recent(scene: Scene) -> Plan:
    """What was uploaded last."""
    wish = {name: scene.slots[name] for name in ("from", "to") if name in scene.slots}
    result = yield from use(scene, "recent_documents", limit=scene.slots.get("limit", MAX_SHOWN), **wish)
    rows = result.get("rows", [])
    if not rows:
        none = "In quei giorni non hai caricato documenti." if wish else "Non hai ancora caricato documenti."
        return answer(none, suggestions=suggest("ultimi documenti" if wish else "cosa sai fare?"))
    return answer(
        _uploaded(scene, result),
        listing(
            rows,
            lambda row: str(row.get("name") or "Documento"),
            (
                ("Documento", lambda _row: ""),
                ("Tipo", lambda row: _PAPERS.get(row.get("kind", ""), "")),
                ("Caricato", lambda row: short_day(row["uploaded"], scene.today)),
                ("Stato", lambda row: _STATES.get(row["state"], "in lettura") if row.get("state") else ""),
            ),
            result["count"] if wish else 0,
        ),
        suggestions=suggest("cerca nei documenti «contratto»"),
    )


def _uploaded(scene: Scene, result: Result) -> str:
    if "quant" in scene.question.lower():
        return f"Hai caricato {count(result['count'], 'documento', 'documenti')}. I più recenti:"
    return "L’ultimo documento che hai caricato:" if len(result["rows"]) == 1 else "I documenti più recenti:"


def search_documents(scene: Scene) -> Plan:
    """Where words stand, with the sentence."""
    query = scene.slots["query"]
    result = yield from use(scene, "search_documents", query=query)
    rows = result.get("rows", [])
    if not rows:
        return answer(f"In nessun documento trovo «{shown(query)}».", suggestions=suggest(f"cerca ovunque «{query}»"))
    number = result.get("documents") or len({row.get("name") for row in rows})
    return answer(f"Trovato in {count(number, 'documento', 'documenti')}:", _quotes(rows, "text"))


def ask_documents(scene: Scene) -> Plan:
    """The passages that answer, word for word."""
    result = yield from use(scene, "ask_documents", question=scene.slots["question"])
    rows = result.get("rows", [])
    if not rows:
        return answer(
            "Nei tuoi documenti non trovo un passaggio che risponda.",
            suggestions=suggest("cerca nei documenti contratto", "cosa sai fare?"),
        )
    return told(rows)


def told(rows: list[Row]) -> Answer:
    """Quote the passages that may answer a question."""
    return answer(
        "Ecco cosa dicono i tuoi documenti:" if len(rows) > 1 else "Ecco cosa dice il tuo documento:",
        _quotes(rows, "quote"),
        "Sono parole del documento: controlla il passaggio prima di decidere.",
    )


def _quotes(rows: list[Row], name: str) -> str:
    parts = []
    for row in rows[:MAX_QUOTES]:
        page = f", pagina {row['page']}" if row.get("page") else ""
        head = f"**{shown(row.get('name') or 'Documento')}**{page} [[{row['ref']}]]"
        parts.append(f"{head}\n> {shown(row[name], 500)}" if row.get(name) else head)
    return "\n\n".join(parts)


def search_all(scene: Scene) -> Plan:
    """Everything that fits words, kind by kind."""
    query = scene.slots["query"]
    result = yield from use(scene, "search_all", query=query)
    rows = result.get("rows", [])
    if not rows:
        return answer(
            f"Non trovo niente per «{shown(query)}»: "
            "né contatti, né attività, trattative, progetti, documenti, email o messaggi WhatsApp.",
            suggestions=suggest("cosa sai fare?"),
        )
    parts = []
    for kind, title in _KINDS.items():
        own = [row for row in rows if row.get("kind") == kind or (kind == "document" and row.get("kind") not in _KINDS)]
        if own:
            names = [f"- {shown(_named(row))}{_place(row)} [[{row['ref']}]]" for row in own]
            parts.append(f"**{title}**\n" + "\n".join(dict.fromkeys(names)))
    people = [row for row in rows if row.get("kind") == "contact"]
    return answer(
        f"Per «{shown(query)}» trovo:",
        *parts,
        suggestions=suggest(f"riassumi {shown(people[0]['name'])}") if len(people) == 1 else (),
    )


def _named(row: Row) -> str:
    return str(row.get("label") or row.get("name") or row.get("subject") or row.get("text") or "")


def _place(row: Row) -> str:
    return f", pagina {row['page']}" if row.get("page") else ""


def attached(scene: Scene) -> Plan:
    """A question about what was attached."""
    result = yield from use(scene, "ask_documents", question=scene.question)
    rows = result.get("rows", [])
    if not rows:
        return Answer(
            "Nel documento allegato non trovo un passaggio che risponda. Prova con le parole che usa il documento."
        )
    return answer("Nel documento allegato:", _quotes(rows, "quote"))
