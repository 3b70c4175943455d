"""What the five agents do by rule: Logico recomputes and names what it assumes, Strategico ranks by value × urgency,
Etico checks privacy, consent and tone. Creativo's variants are in plans/drafts.py; Esecutore proposes.
"""

from __future__ import annotations

from functions._shared.assistant.local.steps import MAX_SHOWN, Row, Scene
from functions._shared.assistant.tools import wording
from functions._shared.fatturapa import money

# How much a week of delay, or a week in the same stage, adds to what something is worth.
WEEK_DAYS = 7
ASSUMED = "**Presupposti**"


def score(row: Row) -> int:
    """Value × urgency: cents that are open (weighted, for a deal), and once more for each week of waiting."""
    cents = int(row.get("open_cents") or row.get("amount_cents") or row.get("total_cents") or 0)
    cents = cents * int(row.get("probability") or 100) // 100
    waiting = int(row.get("days_late") or (row.get("days_in_stage") if not row.get("closed_on") else 0) or 0)
    return cents * (WEEK_DAYS + waiting) // WEEK_DAYS


def ranked(scene: Scene, rows: list[Row]) -> list[Row]:
    """As they came; for Strategico what is worth most and waits longest first."""
    return sorted(rows, key=score, reverse=True) if scene.agent == "strategico" else rows


def order_of(scene: Scene) -> str:
    """How they are ordered, when it is not as usual."""
    return "In ordine di valore × urgenza: parti dalla prima." if scene.agent == "strategico" else ""


def checked(
    scene: Scene, rows: list[Row], name: str, total: int, amount: str, *, sure: bool = True, basis: str = ""
) -> tuple[str, ...]:
    """Logico: the sum once more, row by row, and what it rests on."""
    if scene.agent != "logico":
        return ()
    if not sure or len(rows) < total:
        return (assumed(scene, "il totale è quello di tutte le righe, anche di quelle che qui non vedi"),)
    # Nobody pays a self-invoice.
    counted = [
        (int(row.get(name) or 0), str(row.get("currency", "EUR"))) for row in rows if row.get("kind") != "autofattura"
    ]
    again = wording.amounts(counted)
    terms = _terms(counted) if 0 < len(counted) <= MAX_SHOWN else f"{len(counted)} importi"
    verdict = "il conto torna" if again == amount else f"il conto non torna: il totale indicato è {amount}"
    return (
        f"**Verifica**: {terms} = {' '.join(filter(None, (again, basis)))}; {verdict}.",
        assumed(scene, "contano le righe registrate finora, nella loro valuta"),
    )


def _terms(counted: list[tuple[int, str]]) -> str:
    """«1.220,00 - 100,00 + 50,00 USD»."""
    terms = [money.euros(cents, None if currency == "EUR" else currency) for cents, currency in counted]
    return " + ".join(terms).replace("+ -", "- ")


def assumed(scene: Scene, *lines: str) -> str:
    """Logico: what an answer takes for granted."""
    if scene.agent != "logico":
        return ""
    return f"{ASSUMED}\n" + "\n".join(f"- {line[:1].upper()}{line[1:]}." for line in lines)


def concerns(consent: bool | None, recipient: str, text: str) -> list[str]:
    """Etico: what to look at before a message leaves."""
    points = [f"Destinatario: controlla che sia proprio {recipient}."]
    if consent is None:
        points.append("Consenso: per messaggi di servizio non serve; per il marketing non risulta richiesto.")
    else:
        points.append("Consenso al marketing: " + ("dato." if consent else "non dato, quindi niente promozioni."))
    points.append("Dati personali: tieni solo quelli che servono a questo messaggio.")
    harsh = [
        word
        for word in ("subito", "vergogna", "avvocato", "ultimatum", "legale", "immediatamente")
        if word in text.lower()
    ]
    points.append(
        f"Tono: rivedi «{harsh[0]}», può suonare come una minaccia." if harsh else "Tono: cortese, senza pressioni."
    )
    return points
