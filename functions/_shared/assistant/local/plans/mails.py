"""Mail: the conversations that wait; and where words stand, in WhatsApp too."""

from __future__ import annotations

from functions._shared.assistant.local.italian import count, short_day, shown
from functions._shared.assistant.local.steps import MAX_SHOWN, Plan, Row, Scene, answer, suggest, use


def waiting(scene: Scene) -> Plan:
    """List what is to be answered, or the latest with somebody."""
    contact = scene.slots.get("contact")
    wish = {"contact": contact} if contact else {"waiting": True}
    result = yield from use(scene, "list_mails", limit=MAX_SHOWN, **wish)
    rows = result["rows"]
    if not rows:
        none = f"Con {shown(contact)} non trovo conversazioni per email." if contact else "Nessuna email aspetta te."
        return answer(none, suggestions=suggest("cosa devo fare oggi?"))
    number = result["count"]
    head = (
        f"{count(number, 'conversazione', 'conversazioni')} per email:"
        if contact
        else f"{count(number, 'conversazione da gestire', 'conversazioni da gestire')}:"
    )
    return answer(head, _lines(scene, rows))


def search(scene: Scene) -> Plan:
    """Find mails in which words stand."""
    query = scene.slots["query"]
    result = yield from use(scene, "search_mails", query=query)
    rows = result["rows"]
    if not rows:
        return answer(f"In nessuna email trovo «{shown(query)}».", suggestions=suggest(f"cerca ovunque «{query}»"))
    return answer(f"Trovato in {count(len(rows), 'email', 'email')}:", _lines(scene, rows[:MAX_SHOWN]))


def search_whatsapp(scene: Scene) -> Plan:
    """Find WhatsApp messages in which words stand."""
    query = scene.slots["query"]
    result = yield from use(scene, "search_whatsapp", query=query)
    rows = result["rows"]
    if not rows:
        none = f"In nessun messaggio WhatsApp trovo «{shown(query)}»."
        return answer(none, suggestions=suggest(f"cerca ovunque «{query}»"))
    said = "\n".join(
        f"- **{'a ' if row.get('is_sent') else ''}{shown(row['with'], 120)}**: «{shown(row['text'], 120)}» · "
        f"{short_day(row['at'], scene.today)} [[{row['ref']}]]"
        for row in rows[:MAX_SHOWN]
    )
    return answer(f"Trovato in {count(len(rows), 'messaggio', 'messaggi')} WhatsApp:", said)


def _lines(scene: Scene, rows: list[Row]) -> str:
    return "\n".join(
        f"- **{shown(row.get('with') or 'Mittente sconosciuto', 120)}**: {shown(row['subject'], 120)} · "
        f"{short_day(row['at'], scene.today)}{' · da controllare' if row.get('warning') else ''} [[{row['ref']}]]"
        for row in rows
    )
