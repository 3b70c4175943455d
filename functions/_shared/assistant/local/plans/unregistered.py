"""What an answer about money says of the papers that no sum counts."""

from __future__ import annotations

from functions._shared.assistant.local.italian import count
from functions._shared.assistant.local.steps import Result


def unregistered(result: Result) -> str:
    """«2 documenti non ancora registrati, 1.022,80 €: qui non li conto.», or nothing where nothing is left out."""
    waiting = result.get("unregistered")
    if not waiting:
        return ""
    text = count(waiting["count"], "documento non ancora registrato", "documenti non ancora registrati")
    without, amount = waiting.get("without_amount", 0), waiting.get("amount")
    if amount:
        text += f", {amount}" + (f" e {without} senza importo" if without else "")
    else:
        text += ", senza importo"
    rest = "lo conto. Verificalo" if waiting["count"] == 1 else "li conto. Verificali"
    return f"{text}: qui non {rest} in «Fatture»."


def undated(result: Result) -> str:
    """Of due days: how many open invoices have none, and so are not counted."""
    number = result.get("undated")
    if not number:
        return ""
    without = count(number, "fattura aperta non ha", "fatture aperte non hanno")
    return f"{without} una scadenza: qui non {'conta' if number == 1 else 'contano'}."
