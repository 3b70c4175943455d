"""Answers that count or rank clients and suppliers, or say an average of their invoices."""

from __future__ import annotations

from collections.abc import Generator

from functions._shared.assistant.local import vat, voices
from functions._shared.assistant.local.italian import count, shown
from functions._shared.assistant.local.plans import said_days
from functions._shared.assistant.local.plans.picking import days
from functions._shared.assistant.local.plans.unregistered import unregistered
from functions._shared.assistant.local.steps import (
    Answer,
    Call,
    Ended,
    Plan,
    Result,
    Row,
    Scene,
    Steps,
    answer,
    listing,
    suggest,
    use,
)
from functions._shared.names import COMPANY_FORMS
from functions._shared.names import words as words_of

MOST = 5
_WHO = {"attiva": ("cliente", "clienti"), "passiva": ("fornitore", "fornitori")}
_ISSUED = {"attiva": "emesse", "passiva": "ricevute"}


def unread(scene: Scene) -> None:
    """Ask back where a word was not understood: the figure would leave it out. Raises Ended."""
    if word := scene.slots.get("left_word"):
        text = (
            f"Non ho capito «{shown(word, 60)}», e senza non voglio darti una cifra sbagliata. Prova a togliere queste "
            "parole, oppure dimmi un periodo, un cliente o un fornitore."
        )
        raise Ended(
            answer(text, suggestions=suggest("chi è il mio miglior cliente?", "quanto ho fatturato quest'anno?"))
        )


def _ranked(scene: Scene, by: str) -> Steps:
    unread(scene)
    order = scene.slots.get("order", "most")
    direction = scene.slots.get("direction", "attiva")
    return (yield from use(scene, "rank_counterparties", direction=direction, by=by, order=order, **days(scene.slots)))


def rank(scene: Scene) -> Plan:
    """Say who comes first, and show the first five."""
    by, direction = scene.slots.get("by", "invoiced"), scene.slots.get("direction", "attiva")
    result = yield from _ranked(scene, by)
    rows: list[Row] = list(result.get("rows", []))
    if among := scene.slots.get("among"):
        rows = _only(rows, among)
        result = {**result, "rows": rows, "count": len(rows)}
    if not rows:
        return _nobody(scene, result, by, direction)
    place = int(scene.slots.get("place", 1))
    if place > len(rows):
        there = count(len(rows), "nome", "nomi")
        return answer(f"In questa classifica c’è solo {there}." if len(rows) == 1 else f"La classifica ha {there}.")
    when = said_days.told(scene)
    shown_rows = rows[:MOST] if place == 1 else rows[place - 1 : place]
    rest = result["count"] - len(shown_rows)
    more = ""
    if place == 1 and rest > 0:
        more = f"E altri {rest}." if rest > 1 else "E un altro."
    return answer(
        _head(scene, rows, place, by, direction) + (f"{when}." if when else _all_days(by)),
        _table(scene, shown_rows, by, direction) if len(rows) > 1 and place == 1 else "",
        more,
        _late_now(rows) if by == "delay" else "",
        left_out(result),
        *(() if among else _proof(scene, result, rows, by)),
        suggestions=suggest(f"fatture di {shown(rows[place - 1]['name'], 60)}", "quanti clienti ho?"),
        derived=(when,),
    )


def _only(rows: list[Row], among: list[str]) -> list[Row]:
    """Keep the named ones; a name that fits none of the rows, or several, is asked about. Raises Ended."""
    kept = []
    for name in among:
        words = set(words_of(name).split()) - COMPANY_FORMS
        fitting = [row for row in rows if words <= set(words_of(str(row["name"])).split())]
        if len(fitting) != 1:
            what = "fra questi nomi non c’è" if not fitting else "può essere più di uno"
            raise Ended(answer(f"Non so chi intendi: «{shown(name, 60)}» {what}. Dimmi il nome intero."))
        kept += fitting
    return sorted(kept, key=rows.index)


def _all_days(by: str) -> str:
    return ", in tutte le fatture registrate." if by in ("invoiced", "invoices") else "."


def _head(scene: Scene, rows: list[Row], place: int, by: str, direction: str) -> str:
    row = rows[place - 1]
    name = f"**{shown(row['name'])}** [[{row['ref']}]]"
    least = scene.slots.get("order") == "least"
    rank = "" if place == 1 else f"{place}º: "
    figure = _figure(scene, row, by, direction)
    if place > 1:
        return f"{rank}{name}, {figure}"
    if len(scene.slots.get("among", ())) == len(rows) == 2:
        return f"Fra i due {'ultimo' if least else 'primo'} è {name}: {figure}"
    tied = [each for each in rows[1:] if _value(each, by) == _value(row, by)]
    if tied and by in ("invoiced", "open", "late"):
        names = " e ".join(f"**{shown(each['name'])}**" for each in tied[:3])
        name = f"A pari merito {name} e {names}"
        return f"{name}, {figure}"
    titles = {
        ("invoiced", "attiva"): ("Il tuo miglior cliente è", "Il cliente con il fatturato più basso è"),
        ("invoiced", "passiva"): ("Il fornitore da cui compri di più è", "Il fornitore da cui compri di meno è"),
        ("open", "attiva"): ("Chi ti deve di più è", "Chi ti deve di meno è"),
        ("open", "passiva"): ("Devi di più a", "Devi di meno a"),
        ("late", "attiva"): ("Il ritardo più grosso è di", "Il ritardo più piccolo è di"),
        ("late", "passiva"): ("Sei più in ritardo con", "Sei meno in ritardo con"),
        ("delay", "attiva"): ("Chi paga più in ritardo è", "Chi paga più puntuale è"),
        ("payment_days", "attiva"): ("Chi ci mette di più a pagare è", "Chi paga prima è"),
    }
    other = ("In testa c’è", "In fondo c’è")
    return f"{titles.get((by, direction), other)[least]} {name}: {figure}"


def _value(row: Row, by: str) -> object:
    keys = {"invoiced": "net_cents", "open": "open_cents", "late": "late_cents"}
    return row.get(keys.get(by, by))


def _figure(scene: Scene, row: Row, by: str, direction: str) -> str:
    if by == "invoiced":
        if vat.is_net(scene.question) is False:
            return f"**{row.get('amount', '0,00 €')}** IVA compresa ({row.get('net', '0,00 €')} netto)"
        share = f", il {row['share_percent']} % del totale" if row.get("share_percent") else ""
        return f"**{row.get('net', '0,00 €')}** netto ({row.get('amount', '0,00 €')} IVA compresa){share}"
    if by in ("open", "late"):
        late = f", di cui {row['late']} già in ritardo" if by == "open" and row.get("late") else ""
        todo = "da incassare" if direction == "attiva" else "da pagare"
        return f"**{row[by]}** {'in ritardo' if by == 'late' else todo}{late}"
    if by == "invoices":
        return f"**{count(row['invoices'], 'fattura', 'fatture')}**"
    if by == "delay":
        return _delay(row["delay"])
    return f"**{count(row['payment_days'], 'giorno', 'giorni')}** in media dall’emissione"


def _late_now(rows: list[Row]) -> str:
    """Name those who are late today, whatever their habit."""
    late = [f"{shown(row['name'], 80)} ({row['late']})" for row in rows if row.get("late")]
    return f"In ritardo adesso: {', '.join(late[:12])}." if late else ""


def _delay(days: int) -> str:
    if days == 0:
        return "in media il **giorno della scadenza**"
    number = count(abs(days), "giorno", "giorni")
    return f"in media **{number}** {'dopo' if days > 0 else 'prima del'}{'' if days < 0 else ' la'} scadenza".replace(
        "prima del scadenza", "prima della scadenza"
    )


def _table(scene: Scene, rows: list[Row], by: str, direction: str) -> str:
    is_gross = vat.is_net(scene.question) is False
    named = (_WHO[direction][0].capitalize(), lambda _row: "")
    money = (
        ("IVA compresa", lambda row: str(row.get("amount", ""))),
        ("Al netto", lambda row: str(row.get("net", ""))),
    )
    columns = {
        "invoiced": money if is_gross else money[::-1],
        "open": (
            ("Da incassare" if direction == "attiva" else "Da pagare", lambda row: str(row.get("open", ""))),
            ("In ritardo di importo", lambda row: str(row.get("late", ""))),
        ),
        "late": (("Importo in ritardo", lambda row: str(row.get("late", ""))),),
        "invoices": (("Fatture", lambda row: str(row["invoices"])),),
        "delay": (
            ("Giorni dopo la scadenza", lambda row: str(row.get("delay", ""))),
            ("In ritardo adesso", lambda row: str(row.get("late", ""))),
        ),
        "payment_days": (("Giorni per pagare", lambda row: str(row.get("payment_days", ""))),),
    }[by]
    return listing(rows, lambda row: str(row["name"]), (named, *columns))


def _proof(scene: Scene, result: Result, rows: list[Row], by: str) -> tuple[str, ...]:
    """Logico: the rows once more, of the amount that was asked for."""
    names = {
        "invoiced": ("net_cents", "net", "netto"),
        "open": ("open_cents", "open", ""),
        "late": ("late_cents", "late", ""),
    }
    if by not in names or (by == "invoiced" and vat.is_net(scene.question) is False):
        return ()
    cents, total, basis = names[by]
    return voices.checked(scene, rows, cents, result["count"], str(result[total]), basis=basis)


def left_out(result: Result) -> str:
    """Say which invoices the figures leave out."""
    parts = []
    if number := result.get("without_net"):
        parts.append(count(number, "fattura senza importo netto", "fatture senza importo netto"))
    if number := result.get("foreign_currency"):
        parts.append(count(number, "fattura in un’altra valuta", "fatture in un’altra valuta"))
    lines = [f"Non conto {' e '.join(parts)}."] if parts else []
    if result.get("only_latest"):
        lines.append("Ho guardato solo le ultime 5.000 fatture.")
    return " ".join(filter(None, (*lines, unregistered(result))))


def _nobody(scene: Scene, result: Result, by: str, direction: str) -> Answer:
    when, kind = said_days.told(scene), _ISSUED[direction]
    if not result.get("parties"):
        text = f"Non hai ancora fatture {kind}{when}, quindi non c’è una classifica."
    elif by in ("open", "late"):
        text = "Nessuno ti deve soldi" if direction == "attiva" else "Non devi soldi a nessuno"
        text = (
            "Nessuno è in ritardo" if by == "late" else text
        ) + f": nelle fatture {kind} registrate è tutto a posto."
    else:
        text = f"Nessuna fattura {kind[:-1]}a{when} risulta pagata con una data, quindi non so chi paga prima o dopo."
        text = text.replace("emessa", "emessa").replace("ricevuta", "ricevuta")
    return answer(text, left_out(result), suggestions=suggest("fatture emesse"), derived=(when,))


def count_parties(scene: Scene) -> Plan:
    """Say how many clients or suppliers there are."""
    by, direction = scene.slots.get("by", "invoiced"), scene.slots.get("direction", "attiva")
    result = yield from _ranked(scene, by)
    when, (one, many) = said_days.told(scene), _WHO[direction]
    kind, asks = _ISSUED[direction], scene.slots.get("new")
    rows: list[Row] = list(result.get("rows", []))
    if by in ("open", "late"):
        what = "in ritardo" if by == "late" else "con qualcosa da pagarti" if direction == "attiva" else "da pagare"
        text = f"**{count(result['count'], one, many)}** {what}: {result[by]} in tutto."
        return answer(
            text if result["count"] else f"Nessun {one} {what}, nelle fatture registrate.",
            _table(scene, rows[:MOST], by, direction) if rows else "",
            f"E altri {len(rows) - MOST}." if len(rows) > MOST else "",
            left_out(result),
            derived=(str(len(rows) - MOST),),
        )
    verb = "hai emesso fatture" if direction == "attiva" else "hai ricevuto fatture"
    to = "a cui" if direction == "attiva" else "da cui"
    number = result["new"] if asks else result["parties"]
    if not result["ever"]:
        return answer(f"Non hai ancora fatture {kind}, quindi non so contare i {many}.", derived=(when,))
    text = f"Hai **{count(number, one, many)}** {to} {verb}{when}."
    if asks:
        text = f"Hai **{count(number, f'{one} nuovo', f'{many} nuovi')}**{when}: quelli della prima fattura."
    return answer(
        text,
        "" if asks or when else (yield from _tagged(scene, direction)),
        left_out(result) if not asks else "",
        suggestions=suggest("chi è il mio miglior cliente?", "chi mi deve di più?"),
        derived=(when,),
    )


def _tagged(scene: Scene, direction: str) -> Generator[Call, Result, str]:
    """Say how many contacts bear the tag, which need not be those with invoices."""
    tag = "Cliente" if direction == "attiva" else "Fornitore"
    if "list_contacts" not in scene.tools:
        return ""
    number = (yield from use(scene, "list_contacts", tag=tag))["count"]
    return (
        f"Fra i contatti ce {'n’è' if number == 1 else 'ne sono'} **{number}** con l’etichetta «{tag}»."
        if number
        else ""
    )


def _averages(scene: Scene) -> Steps:
    unread(scene)
    slots = scene.slots
    direction = slots.get("direction", "attiva")
    return (yield from use(scene, "payment_averages", direction=direction, contact=slots.get("contact"), **days(slots)))


def payment_days(scene: Scene) -> Plan:
    """Say in how many days invoices are paid."""
    result = yield from _averages(scene)
    direction, when = scene.slots.get("direction", "attiva"), said_days.told(scene)
    when = f", per le fatture {_ISSUED[direction]}{when}" if when else ""
    name = shown(result["of"]) if result.get("of") else ""
    if "payment_days" not in result:
        whose = f" di {name}" if name else ""
        there = (
            f" ({count(result['count'], 'fattura è ancora aperta', 'fatture sono ancora aperte')})"
            if result["count"]
            else ""
        )
        return answer(
            f"Non risultano fatture {_ISSUED[direction]}{whose} pagate{when}, quindi non so in quanto tempo{there}."
        )
    who = f"{name} ti paga" if name else "I clienti ti pagano"
    if direction == "passiva":
        who = f"Paghi {name}" if name else "Paghi i fornitori"
    late = f" e {_delay(result['delay'])}" if "delay" in result else ""
    return answer(
        f"{who} in media **{count(result['payment_days'], 'giorno', 'giorni')}** dopo l’emissione{late}{when}.",
        f"Conto {count(result['paid'], 'fattura pagata', 'fatture pagate')}; per la scadenza anche quelle in ritardo, "
        "fino a oggi."
        if "delay" in result
        else f"Conto {count(result['paid'], 'fattura pagata', 'fatture pagate')}.",
        suggestions=suggest("chi paga in ritardo?"),
        derived=(when,),
    )


def average_invoice(scene: Scene) -> Plan:
    """Say what an invoice is worth on average."""
    result = yield from _averages(scene)
    return _average(scene, result, "average_net")


def month_average(scene: Scene) -> Plan:
    """Say what a month brings or costs on average."""
    result = yield from _averages(scene)
    return _average(scene, result, "month_net")


def _average(scene: Scene, result: Result, name: str) -> Answer:
    direction, when = scene.slots.get("direction", "attiva"), said_days.told(scene)
    kind, whose = _ISSUED[direction], f" di {shown(result['of'])}" if result.get("of") else ""
    if not result["count"]:
        return answer(f"Non hai ancora fatture {kind}{whose}{when}.", derived=(when,))
    number = count(result["count"], "fattura", "fatture")
    if name not in result:
        return answer(f"Non tutte le fatture {kind}{whose} dicono il netto, quindi la media non la so dire.")
    if name == "month_net":
        text = (
            f"In media **{result['month_net']}** netti al mese{whose}{when}: {result['net']} in "
            f"{count(result['months'], 'mese iniziato', 'mesi iniziati')}, fatture {kind}."
        )
        return answer(text, left_out(result), derived=(when,))
    text = f"La fattura media{whose}{when} è di **{result['average_net']}** netto ({result['average']} IVA compresa)"
    return answer(f"{text}, su {number} {kind}.", "Le note di credito non contano.", left_out(result), derived=(when,))
