"""Deals, invoices and credits."""

from __future__ import annotations

from datetime import date
from typing import cast

from functions._shared.assistant.local import periods, vat, voices
from functions._shared.assistant.local.italian import count, day, short_day, shown, since
from functions._shared.assistant.local.plans.picking import contact_if_any, days, named_invoice
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
from functions._shared.assistant.tools import wording
from functions._shared.assistant.tools.invoices import State, counted, totals
from functions._shared.names import fold
from functions._shared.quick_add.days import last_of

# State of deals: adjective for one and many, and what is said of none.
_DEALS = {
    "aperte": ("aperta", "aperte", "Non hai trattative aperte."),
    "vinte": ("vinta", "vinte", "Nessuna trattativa vinta"),
    "perse": ("persa", "perse", "Nessuna trattativa persa"),
    "ferme": ("ferma", "ferme", "Nessuna trattativa ferma: si muovono tutte nei tuoi tempi abituali."),
}
_WHICH_DAYS = (
    "Non ho capito di quali giorni parli, e non voglio darti un totale sbagliato. Dimmelo così: «a novembre», «negli "
    "ultimi tre mesi», «dal 1º al 15 ottobre»."
)
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


def _ask_when(scene: Scene) -> None:
    """A sum of days that were not understood would be that of all days. Raises Ended with the question."""
    if not scene.choice and not periods.is_understood(scene.question, scene.today):
        raise Ended(answer(_WHICH_DAYS, derived=(_WHICH_DAYS,)))


def deals(scene: Scene) -> Plan:
    """A list of deals, with what they add up to."""
    state = scene.slots.get("state", "aperte")
    if state in ("vinte", "perse"):
        _ask_when(scene)
    contact = yield from contact_if_any(scene)
    result = yield from use(scene, "list_deals", state=state, contact=contact, **days(scene.slots))
    rows, number, total = list(result.get("rows", [])), result.get("count", 0), str(result.get("amount", ""))
    one, many, none = _DEALS[state]
    # Without a period the tool looks back a year; what is open is open now.
    when = (period(scene) or " nell’ultimo anno") if state in ("vinte", "perse") else ""
    whose = f" con {shown(scene.slots['contact'])}" if "contact" in scene.slots else ""
    if not rows:
        return answer(
            f"{none.rstrip('.')}{whose}{when}." if whose or when else f"{none.rstrip('.')}.",
            suggestions=suggest("trattative aperte", "quanto ho in trattativa?"),
            derived=(when,),
        )
    rows = voices.ranked(scene, rows)
    weighted = (
        f" Ponderato per la probabilità vale {result['weighted']}."
        if state in ("aperte", "ferme") and result.get("weighted")
        else ""
    )
    return answer(
        f"{_have(state, number)} {count(number, f'trattativa {one}', f'trattative {many}')}{whose}{when}, "
        f"per {total}.{weighted}",
        voices.order_of(scene),
        deal_list(scene, rows, number),
        # Days are those on which deals were closed.
        "Di quelle aperte non guardo i giorni: qui le vedi tutte, come sono adesso."
        if state == "aperte" and {"from", "to"} & scene.slots.keys()
        else "",
        *voices.checked(scene, rows, "amount_cents", number, total),
        suggestions=suggest("quanto ho in trattativa?", "quali trattative sono ferme?")
        if state == "aperte"
        else suggest("trattative aperte"),
        derived=(when,),
    )


def _have(state: str, number: int) -> str:
    return "Hai" if state in ("aperte", "ferme") else "Risulta" if number == 1 else "Risultano"


def period(scene: Scene) -> str:
    """« a novembre 2026», « nel 2026», « dal 01/11/2026 al …», « entro il …»; "" when none was named."""
    told = _told(scene)
    return f" con data{told}" if told and scene.slots.get("by") == "issued" else told


def _told(scene: Scene) -> str:
    first, last = (date.fromisoformat(each) if each else None for each in map(scene.slots.get, ("from", "to")))
    if not first or not last:
        return f" dal {first:%d/%m/%Y}" if first else f" entro il {last:%d/%m/%Y}" if last else ""
    if first == last:
        return f" il {first:%d/%m/%Y}"
    if (first.year, first.day, first.month, last.day, last.month) == (last.year, 1, 1, 31, 12):
        return f" nel {first.year}"
    if first.day == 1 and last == last_of(first.year, first.month):
        month = wording.MONTHS[first.month - 1]
        return f" {'ad' if month[0] == 'a' else 'a'} {month} {first.year}"
    return f" dal {first:%d/%m/%Y} al {last:%d/%m/%Y}"


def deal_list(scene: Scene, rows: list[Row], total: int = 0) -> str:
    """Deals with amount, stage and how long they stay."""
    all_stuck = all(row.get("stuck") for row in rows)
    return listing(
        rows,
        lambda row: str(row["title"]),
        (
            ("Trattativa", lambda _row: ""),
            ("Contatto", lambda row: shown(row.get("contact") or "")),
            ("Importo", lambda row: str(row.get("amount", ""))),
            ("Fase", lambda row: shown(row.get("stage") or "") if not row.get("closed_on") else ""),
            (
                "Nella fase",
                lambda row: (
                    since(row.get("days_in_stage") or 0) + (" (ferma)" if row.get("stuck") and not all_stuck else "")
                    if not row.get("closed_on")
                    else ""
                ),
            ),
            ("Chiusa", lambda row: short_day(row["closed_on"], scene.today) if row.get("closed_on") else ""),
            ("Motivo", lambda row: shown(row.get("lost_reason") or "")),
        ),
        total,
    )


def deals_total(scene: Scene) -> Plan:
    """What all open deals add up to, stage by stage."""
    result = yield from use(scene, "deals_total")
    if not result.get("count"):
        return answer(
            "Non hai trattative aperte, quindi niente in ballo.", suggestions=suggest("trattative vinte quest'anno")
        )
    stages = [
        f"- {shown(each['stage'])}: {count(each['count'], 'trattativa', 'trattative')}, {each['amount']}"
        for each in result.get("stages", [])
    ]
    return answer(
        f"Hai {result['amount']} in {count(result['count'], 'trattativa aperta', 'trattative aperte')}; "
        f"ponderato per la probabilità, {result['weighted']}.",
        "\n".join(stages),
        "Le più grandi:" if result.get("more") else "",
        deal_list(scene, result.get("rows", [])),
        voices.assumed(scene, "il ponderato è importo × probabilità, della trattativa o della sua fase"),
        suggestions=suggest("quali trattative sono ferme?", "trattative vinte questo mese"),
    )


def invoices(scene: Scene) -> Plan:
    """Invoices by state and direction, with what is open, never mixing what comes in with what goes out."""
    slots = scene.slots
    state, direction = slots.get("state", "tutte"), slots.get("direction")
    _ask_when(scene)
    contact = yield from contact_if_any(scene)
    result = yield from _invoices(scene, contact)
    rows = list(result.get("rows", []))
    if not rows:
        return _no_invoices(scene, result, state, direction)
    rows = voices.ranked(scene, rows)
    return answer(
        _totals(scene, result, state, direction),
        voices.order_of(scene),
        invoice_list(scene, rows, result["count"], state, is_net=_asks_net(scene)),
        "Questi importi non sono al netto dell’IVA." if state != "tutte" and _asks_net(scene) else "",
        similar_invoices(result),
        *_checked(scene, result, rows, state),
        suggestions=_next(rows, direction),
        derived=(*result.get("derived", ()), period(scene)),
    )


def _invoices(scene: Scene, contact: str | None) -> Steps:
    """Those that are wanted; of somebody who is no contact, those that bear their name."""
    slots = scene.slots
    wish = {"direction": slots.get("direction"), "state": slots.get("state", "tutte")}
    wish |= days(slots) | ({"by": slots["by"]} if "by" in slots else {})
    try:
        return (yield from use(scene, "list_invoices", contact=contact, **wish))
    except Ended as end:
        if not end.missing or contact is None:
            raise
        every = yield from use(scene, "list_invoices", **wish)
        words = fold(contact).split()
        own = [row for row in every["rows"] if all(word in fold(str(row.get("counterparty", ""))) for word in words)]
        if every.get("more") or not own:
            raise
        result: Result = {"rows": own, "count": len(own), **totals(own, wish["state"])}
        sides = [result[side].get(each, "") for side, _ in _SIDES[wish["state"]] for each in ("amount", "net")]
        return {**result, "derived": tuple(sides)}


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
    kinds, when, similar = _KINDS[direction], period(scene), similar_invoices(result)
    undated = _undated(result) if state == "scadute" and not when else ""
    text = " ".join(filter(None, ("Nessuna fattura", kinds[0], _STATES[state][0]))) + whose + when
    # Of other days nothing was asked.
    if state in _SETTLED and not when:
        settled, unknown = _SETTLED[state]
        on_file = result.get("on_file") or {}
        if not on_file.get("count"):
            text = " ".join(filter(None, ("Non ho registrato fatture", kinds[1]))) + whose
            text += "" if similar else f", quindi non so se {unknown}"
        elif not similar and (result.get("all_paid") or (state == "scadute" and not undated)):
            text += f": {settled}"
    return answer(
        _ended(text),
        undated,
        similar,
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
    number, when = result["count"], period(scene)
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
    what = count(number, "fattura", "fatture")
    apart = any(row.get("kind") == "autofattura" for row in result["rows"])
    total = _sum(scene, result, state) + ("" if state == "tutte" else " in tutto")
    total += ", autofatture escluse" if apart else ""
    return f"{' '.join(filter(None, (what, kind)))}{whose}{when}: {total}."


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


def credits_left(scene: Scene) -> Plan:
    """Balance, use and how long it lasts."""
    result = yield from use(scene, "credits")
    balance = result.get("balance", 0)
    parts = [
        f"Hai **{count(balance, 'credito', 'crediti')}** [[{result['ref']}]]."
        if "ref" in result
        else f"Hai **{count(balance, 'credito', 'crediti')}**."
    ]
    if result.get("held"):
        held = count(result["held"], "credito è impegnato", "crediti sono impegnati")
        parts.append(f"{held} in lavori in corso.")
    used = result.get("used_30d")
    if used:
        parts.append(f"Negli ultimi trenta giorni ne hai usati {used:,}.".replace(",", "."))
    if result.get("lasts_until"):
        parts.append(f"A questo ritmo bastano fino a {day(str(result['lasts_until'])[:10], scene.today)}.")
    elif not used:
        parts.append("Negli ultimi trenta giorni non ne hai usati: non c’è un ritmo da cui prevedere quanto durano.")
    else:
        parts.append("A questo ritmo bastano per più di un anno.")
    if result.get("next_expiry") and result.get("next_expiry_credits"):
        number = result["next_expiry_credits"]
        parts.append(
            f"{count(number, 'credito scade', 'crediti scadono')} {day(str(result['next_expiry'])[:10], scene.today)}."
        )
    return answer(
        " ".join(parts), "In modalità locale le risposte costano 0 crediti.", suggestions=suggest("cosa sai fare?")
    )
