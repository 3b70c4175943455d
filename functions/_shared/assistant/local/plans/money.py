"""Invoices: which, how much, and what an answer about them has to say besides."""

from __future__ import annotations

from typing import Any, cast

from functions._shared.assistant.local import figures_asked, vat, voices
from functions._shared.assistant.local.italian import count, short_day, shown, since
from functions._shared.assistant.local.plans import said_days
from functions._shared.assistant.local.plans.picking import contact_if_any, days, named_invoice
from functions._shared.assistant.local.plans.unregistered import undated, unregistered
from functions._shared.assistant.local.steps import (
    Answer,
    Ended,
    Plan,
    Result,
    Row,
    Scene,
    Steps,
    Suggestion,
    answer,
    listing,
    suggest,
    use,
)
from functions._shared.assistant.tools.invoices import State, counted, totals
from functions._shared.names import fold

_KINDS = {"attiva": ("emessa", "emesse"), "passiva": ("ricevuta", "ricevute"), None: ("", "")}
# Of each direction, in the order in which they are told: the total of a tool, and how it is told.
_SIDES = {
    "da_pagare": (("to_cash", "Da incassare"), ("to_pay", "Da pagare")),
    "scadute": (("to_cash", "Da incassare"), ("to_pay", "Da pagare")),
    "pagate": (("cashed", "Incassate"), ("spent", "Pagate")),
    "tutte": (("issued", "Emesse"), ("received", "Ricevute")),
}
_DIRECTIONS = ("attiva", "passiva")
# What a row shows of an invoice: what the total adds.
_AMOUNTS = {"da_pagare": "open", "scadute": "late", "pagate": "paid"}
_STATES = {
    "da_pagare": ("ancora da pagare", "ancora da pagare"),
    "scadute": ("scaduta", "scadute"),
    "pagate": ("pagata", "pagate"),
    "tutte": ("", ""),
}
# What is said where nothing is found: when invoices are on file, and when none are.
_SETTLED = {
    "da_pagare": ("è tutto saldato", "è tutto saldato"),
    "scadute": ("nessun ritardo", "ci sono ritardi"),
}


def invoices(scene: Scene) -> Plan:
    """Invoices by state and direction, with what is open, never mixing what comes in with what goes out."""
    slots = scene.slots
    state, direction = slots.get("state", "tutte"), slots.get("direction")
    said_days.ask(scene)
    word = "" if scene.choice else figures_asked.unread(scene.question, slots, scene.today)
    contact = yield from contact_if_any(scene)
    is_sum = state in ("tutte", "pagate")
    if word and contact is None:
        # «In tipografia» may be part of the name of a supplier.
        contact, word = word, ""
    result = yield from _invoices(scene, contact)
    rows = list(result.get("rows", []))
    if not rows and is_sum and direction == "passiva" and contact and contact.islower():
        # «Luce» is what was bought, and no client of that name.
        return answer(_unread(contact), suggestions=suggest("fatture ricevute"))
    if not rows:
        return _no_invoices(scene, result, state, direction)
    rows = voices.ranked(scene, rows)
    return answer(
        f"Non ho tenuto conto di «{shown(word, 60)}»: conto tutte le fatture." if word else "",
        _totals(scene, result, state, direction),
        voices.order_of(scene),
        invoice_list(scene, rows, result["count"], state, is_net=_asks_net(scene)),
        "Questi importi non sono al netto dell’IVA." if state != "tutte" and _asks_net(scene) else "",
        similar_invoices(result),
        undated(result),
        unregistered(result),
        *_checked(scene, result, rows, state),
        suggestions=_next(rows, direction),
        derived=(*result.get("derived", ()), said_days.told(scene)),
    )


def _invoices(scene: Scene, contact: str | None) -> Steps:
    """Those that are wanted; of somebody who is no contact, those that bear their name."""
    slots = scene.slots
    wish = {"direction": slots.get("direction"), "state": slots.get("state", "tutte")}
    wish |= days(slots) | ({"by": slots["by"]} if "by" in slots else {})
    return (yield from _wanted(scene, contact, wish))


def of_somebody(scene: Scene, contact: str, state: str) -> Steps:
    """Return the invoices of a contact in a state, of whatever day; of somebody who is none, those with their name."""
    return (yield from _wanted(scene, contact, {"state": state}))


def _wanted(scene: Scene, contact: str | None, wish: dict[str, Any]) -> Steps:
    try:
        return (yield from use(scene, "list_invoices", contact=contact, **wish))
    except Ended as end:
        if not end.missing or contact is None:
            raise
        every = yield from use(scene, "list_invoices", **wish)
        words = fold(contact).split()
        own = [row for row in every["rows"] if all(word in fold(str(row.get("counterparty", ""))) for word in words)]
        if contact.islower():
            # A word in small letters is a thing rather than a name: no contact is offered for it.
            raise Ended(answer(_unread(contact), suggestions=suggest("fatture emesse"))) from end
        if every.get("more") or not own:
            raise
        result: Result = {"rows": own, "count": len(own), **totals(own, wish["state"])}
        sides = [result[side].get(each, "") for side, _ in _SIDES[wish["state"]] for each in ("amount", "net")]
        return {**result, "derived": tuple(sides)}


def _unread(word: str) -> str:
    return (
        f"Non trovo «{shown(word, 60)}» fra i clienti e i fornitori delle tue fatture, e senza non voglio darti un "
        "totale sbagliato. Dimmi un nome oppure un periodo, o chiedimi le fatture senza questa parola."
    )


def _checked(scene: Scene, result: Result, rows: list[Row], state: str) -> tuple[str, ...]:
    """Logico: each total once more, never what comes in with what goes out, and only if it is the one asked for."""
    if "amount" in result:
        parts = [(rows, result, result["count"])]
    else:
        sides = [
            (result[name], [row for row in rows if row.get("direction") == direction])
            for (name, _), direction in zip(_SIDES[state], _DIRECTIONS, strict=True)
        ]
        # Where not all are shown, no side is sure.
        parts = [(own, side, len(own) + bool(result.get("more"))) for side, own in sides]
    # What is taken for granted is said once, in the end.
    verified: list[str] = []
    for own, side, number in parts:
        cents, amount, basis = counted(cast("State", state)), str(side["amount"]), ""
        if state == "tutte" and side["amount"] != side.get("net"):
            basis = "IVA compresa"
        if _asks_net(scene):
            if "net" not in side:
                verified += [voices.assumed(scene, "il totale non è netto, quindi il netto non è verificato")]
                continue
            cents, amount, basis = "net_cents", str(side["net"]), "netto"
        sure = state != "scadute"
        verified += voices.checked(scene, own, cents, number, amount, sure=sure, basis=basis)
    return tuple(sorted(dict.fromkeys(verified), key=lambda line: line.startswith(voices.ASSUMED)))


def _asks_net(scene: Scene) -> bool:
    """Tell whether a question is about net amounts: «al netto», or turnover, unless it says that VAT counts."""
    is_net = vat.is_net(scene.question)
    if is_net is None:
        is_turnover = scene.slots.get("direction") == "attiva" and "fatturat" in fold(scene.question)
        return is_turnover and scene.slots.get("state", "tutte") == "tutte"
    return is_net


def _sum(scene: Scene, total: Result, state: str) -> str:
    """An amount, net or with VAT as it was asked, and the other one; what is to be paid is neither."""
    amount, net = f"**{total['amount']}**", total.get("net")
    if state != "tutte":
        return amount
    if net is None:
        number = total.get("without_net", 0)
        missing = f" (manca il netto di {count(number, 'fattura', 'fatture')})" if number else ""
        return f"{amount} IVA compresa{missing}"
    if _asks_net(scene):
        return f"**{net}** netto ({total['amount']} IVA compresa)"
    return f"{amount} IVA compresa ({net} netto)"


def _no_invoices(scene: Scene, result: Result, state: str, direction: str | None) -> Answer:
    whose = _whose(scene, result)
    kinds, when, similar = _KINDS[direction], said_days.told(scene), similar_invoices(result)
    without_day = _undated(result) if state == "scadute" and not when else undated(result)
    text = " ".join(filter(None, ("Nessuna fattura", kinds[0], _STATES[state][0]))) + whose + when
    # Of other days nothing was asked.
    if state in _SETTLED and not when:
        settled, unknown = _SETTLED[state]
        on_file = result.get("on_file") or {}
        if not on_file.get("count"):
            text = " ".join(filter(None, ("Non ho registrato fatture", kinds[1]))) + whose
            text += "" if similar else f", quindi non so se {unknown}"
        elif (
            not similar
            and not result.get("unregistered")
            and (result.get("all_paid") or (state == "scadute" and not without_day))
        ):
            text += f": {settled}"
    return answer(
        _ended(text),
        without_day,
        similar,
        unregistered(result),
        suggestions=suggest("fatture da incassare", "fatture da pagare"),
        derived=(when,),
    )


def _whose(scene: Scene, result: Result) -> str:
    name = result.get("of") or scene.slots.get("contact")
    return f" di {shown(name)}" if name else ""


def _ended(text: str) -> str:
    """End a sentence; «S.r.l.» ends it already."""
    return text if text.endswith(".") else f"{text}."


def _undated(result: Result) -> str:
    number = (result.get("on_file") or {}).get("open_without_due_date")
    return f"{count(number, 'fattura aperta non ha', 'fatture aperte non hanno')} una scadenza." if number else ""


def similar_invoices(result: Result) -> str:
    """Name the unlinked invoices that may be the contact's: no total counts them."""
    similar, lines = result.get("similar", ()), []
    is_mixed = len({each["direction"] for each in similar}) > 1
    for each in similar:
        number, credit = each["count"], each.get("credit_notes", 0)
        kind = _KINDS[each["direction"] if is_mixed else None]
        one, many = (" ".join(filter(None, words)) for words in zip(("fattura", "fatture"), kind, strict=True))
        counted = [count(number, one, many)] if number else []
        counted += [count(credit, "nota di credito", "note di credito")] if credit else []
        link = "collegata" if number + credit == 1 else "collegate"
        verb = "C’è" if number + credit == 1 else "Ci sono"
        also = "anche" if result.get("rows") else "però"
        whose = f"di «{shown(each['counterparty'])}»"
        told = f"{verb} {also} {' e '.join(counted)} {whose}, {each['amount']}, non {link} a {shown(result['of'])}"
        lines.append(_ended(told))
    return "\n".join(lines)


def _totals(scene: Scene, result: Result, state: str, direction: str | None) -> str:
    whose = _whose(scene, result)
    number, when = result["count"], said_days.told(scene)
    if state in ("da_pagare", "scadute") or "amount" not in result:
        late = state == "scadute"
        lines = []
        for name, side in _SIDES[state]:
            own = result.get(name) or {}
            one, many = ("fattura scaduta", "fatture scadute") if late else ("fattura", "fatture")
            number, credit = own.get("count", 0), own.get("credit_notes", 0)
            counted = [count(number, one, many)] if number else []
            counted += [count(credit, "nota di credito", "note di credito")] if credit else []
            if counted:
                lines.append(f"{side}{whose}{when}: {_sum(scene, own, state)} in {' e '.join(counted)}.")
        return "\n\n".join(lines)
    one, many = _KINDS[direction]
    kind = " ".join(filter(None, (one if number == 1 else many, _STATES[state][0 if number == 1 else 1])))
    credit = sum((result.get(name) or {}).get("credit_notes", 0) for name, _ in _SIDES[state])
    what = count(number - credit, "fattura", "fatture")
    apart = any(row.get("kind") == "autofattura" for row in result["rows"])
    total = _sum(scene, result, state) + ("" if state == "tutte" else " in tutto")
    total += ", autofatture escluse" if apart else ""
    what = " ".join(filter(None, (what, kind)))
    if credit:
        # A credit note is no invoice.
        what += f" e {count(credit, 'nota di credito', 'note di credito')}"
    return f"{what}{whose}{when}: {total}."


def invoice_list(scene: Scene, rows: list[Row], total: int = 0, state: str = "tutte", *, is_net: bool = False) -> str:
    """Invoices with who, how much and when."""
    both = len({row.get("direction") for row in rows}) > 1
    return listing(
        rows,
        named_invoice,
        (
            ("Fattura", lambda _row: ""),
            ("Di", lambda row: shown(row.get("counterparty") or row.get("contact") or "")),
            (
                "Verso",
                lambda row: (
                    {"attiva": "emessa", "passiva": "ricevuta"}.get(row.get("direction", ""), "") if both else ""
                ),
            ),
            ("Importo", lambda row: _amount(row, state)),
            ("Netto", lambda row: str(row.get("net", "")) if is_net else ""),
            ("Scadenza", lambda row: short_day(row["due"], scene.today) if row.get("due") else ""),
            ("Ritardo", lambda row: since(row["days_late"]) if row.get("days_late") else ""),
            ("Pagata", lambda row: short_day(row["paid_on"], scene.today) if row.get("paid_on") else ""),
            ("Del", lambda row: short_day(row.get("issued_on"), scene.today) if state in ("tutte", "pagate") else ""),
        ),
        total,
    )


def _amount(row: Row, state: str) -> str:
    return str(row.get(_AMOUNTS.get(state, "total")) or row.get("open") or row.get("total") or "")


def _next(rows: list[Row], direction: str | None) -> tuple[Suggestion, ...]:
    late = next((row for row in rows if row.get("direction") == "attiva" and row.get("days_late")), None)
    who = late and late.get("contact")
    if who:
        return suggest(f"scrivi un sollecito a {shown(who, 60)}", f"riassumi {shown(who, 60)}")
    return suggest("fatture da pagare") if direction == "attiva" else suggest("fatture da incassare")
