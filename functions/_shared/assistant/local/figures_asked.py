"""Questions about money that ask for a count, a ranking, an average or a comparison of two periods.

They are read before likeness is asked. A word that nothing here accounts for is kept as `left`: the answer then asks
back, because a figure that leaves a word out would be one of something else.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from functions._shared.assistant.local import figure_words, names, periods, table, vat
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, plain, sentence_of
from functions._shared.names import fold
from functions._shared.quick_add import periods as spans
from functions._shared.quick_add.days import last_of

INTENTS = frozenset({"rank_parties", "count_parties", "payment_days", "average_invoice", "month_average", "compare"})
Slots = dict[str, Any]
# Words that say nothing that a figure would have to leave out.
_PLAIN = (
    table.words("stop")
    | frozenset(table.CLASSES["ART"])
    | frozenset(table.CLASSES["PREP"])
    | table.words("figures")
    | {"e", "o"}
)


def read(sentence: Sentence, today: date) -> Said | None:
    """Return what a question about figures wants; None for any other sentence."""
    said = plain(sentence)
    line = said.line.strip()
    if not line:
        return None
    for reader in (_one_of_two, _compared, _averaged, _counted, _ranked):
        if found := reader(line, said, today):
            return found if "among" in found.slots else _with_left(found, said, today)
    return None


def follow(before: Said, rest: Sentence, today: date) -> Said | None:
    """Return the question before with another period, name, direction or place in the ranking."""
    line, slots = rest.line.strip(), dict[str, Any]()
    if before.intent not in INTENTS:
        is_against = before.intent == "invoices" and figure_words.COMPARES.search(line)
        if before.intent in ("invoices", "deals") and (shifted := _before_that(before, line)):
            return shifted
        return _against(before, rest, today) if is_against else None
    if before.intent == "count_parties" and re.match(r"(?:chi|quali|come si chiamano)\b", line):
        return Said("rank_parties", {**before.slots, "by": before.slots.get("by", "invoiced"), "order": "most"})
    if vat.is_net(rest.text) is not None and len(rest.words) <= _SHORT:
        return Said(before.intent, before.slots)
    if before.intent == "rank_parties" and (place := _place(line)):
        return Said(before.intent, {**before.slots, "place": place})
    if re.search(rf"\b{figure_words.PARTY}\b|\b(?:spese|acquisti|ricevute|emesse)\b", line):
        is_spent = re.search(rf"\b{figure_words.SUPPLIER}\b|\b(?:spese|acquisti|ricevute)\b", line)
        slots["direction"] = "passiva" if is_spent else "attiva"
    found = periods.find(rest, today)
    if found and before.intent == "compare":
        slots |= _pair(found, None, today)
    elif found:
        slots |= periods.slots(found)
    is_about_one = before.intent in ("payment_days", "average_invoice", "month_average", "compare")
    if is_about_one and not slots and (name := names.find(rest, loose=True)):
        slots["contact"] = name
    if not slots:
        return None
    gone = {"place"} | ({"from", "to", "other_from", "other_to"} if "from" in slots or "to" in slots else set())
    kept = {key: value for key, value in before.slots.items() if key not in gone}
    return _with_left(Said(before.intent, {**kept, **slots}), rest, today)


def _before_that(before: Said, line: str) -> Said | None:
    """Read «e il mese prima?»: the period of the same kind before the one that was asked for."""
    first, last = (before.slots.get(name) for name in ("from", "to"))
    if not (first and last and re.search(r"\b(?:mese|trimestre|anno|settimana) (?:prima|precedente)\b", line)):
        return None
    starts, ends = date.fromisoformat(first), date.fromisoformat(last)
    days = (_year_before(starts), _year_before(ends)) if "anno" in line else _previous(starts, ends)
    return Said(before.intent, {**before.slots, "from": days[0].isoformat(), "to": days[1].isoformat()})


def is_strange(sentence: Sentence, said: Said, today: date) -> bool:
    """Tell whether a short «quanto …?» that no rule reads has a word that no rule knows and no slot holds.

    Its figure would be that of everything: «quanto ho guadagnato in borsa?».
    """
    asked = plain(sentence)
    is_whole = said.intent != "invoices" or {"contact", "from", "to"} & said.slots.keys()
    if is_whole or len(asked.words) > _SHORT_SUM or not asked.words[0].norm.startswith("quant"):
        return False
    known = table.VOCABULARY | _PLAIN
    return any(
        len(asked.words[place].norm) >= _SHORTEST_NAME and asked.words[place].norm not in known
        for place in _left_places(asked, today)
    )


def unread(question: str, slots: Slots, today: date) -> str:
    """Return the thing that a question about invoices names and that no slot holds: «in tipografia»; "" if none."""
    said = plain(sentence_of(question))
    held = set(re.findall(r"\w+", fold(" ".join(str(value) for value in slots.values()))))
    for place in _left_places(said, today):
        word = said.words[place]
        is_known = word.norm in table.KNOWN or word.norm in _PLAIN or len(word.norm) < _SHORTEST_NAME
        before = [each.norm for each in said.words[max(0, place - 2) : place]]
        is_filter = any(each in _BEFORE_THINGS for each in before) or any(each in _OWES for each in before)
        is_verb = re.search(r"(?:are|ere|ire|arsi|armi|arci|arlo|ando|endo|ato|ate|ati|mente)$", word.norm)
        is_held = set(re.findall(r"\w+", fold(word.raw))) & held
        if is_filter and not (is_known or is_verb or is_held):
            return word.raw
    return ""


def _against(before: Said, rest: Sentence, today: date) -> Said:
    """Compare the invoices that were asked for with another period: «e rispetto all'anno scorso?»."""
    kept: Slots = {name: before.slots[name] for name in ("direction", "contact") if name in before.slots}
    kept |= {"state": "pagate"} if before.slots.get("state") == "pagate" else {}
    first, other = (before.slots.get(name) for name in ("from", "to"))
    named = periods.find(rest, today)
    if not (first and other):
        return Said("compare", kept | _pair(named, None, today))
    days = date.fromisoformat(first), date.fromisoformat(other)
    if figure_words.SAME_BEFORE.search(rest.line) or named is None:
        return Said("compare", kept | _told(days, (_year_before(days[0]), _year_before(days[1]))))
    pair = sorted((days, (named[0] or days[0], named[1] or days[1])), reverse=True)
    return Said("compare", kept | _told(pair[0], pair[1]))


_SHORT = 5
# What follows one of these narrows what is asked for.
_BEFORE_THINGS = frozenset(
    {*table.CLASSES["DI"], *table.CLASSES["IN"], *table.CLASSES["SU"], *table.CLASSES["DA"], "per", "a", "al", "alla"}
)
# «Quanto mi deve il teatro?»
_OWES = frozenset({"deve", "devono"})
# A shorter word in small letters is no name.
_SHORTEST_NAME = 4
# A longer question tells of more than what it asks.
_SHORT_SUM = 7
_PLACES = {"secondo": 2, "seconda": 2, "terzo": 3, "terza": 3, "quarto": 4, "quarta": 4, "quinto": 5, "quinta": 5}


def _place(line: str) -> int | None:
    return next((place for word, place in _PLACES.items() if re.search(rf"\b{word}\b", line)), None)


def _direction(line: str) -> str:
    if figure_words.THEY_BUY.search(line):
        return "attiva"
    return "passiva" if figure_words.BUYS.search(line) else "attiva"


def _period(said: Sentence, today: date) -> Slots:
    return periods.slots(periods.find(said, today))


def _counted(line: str, said: Sentence, today: date) -> Said | None:
    if not figure_words.COUNTS.search(line):
        return None
    slots = {"direction": "passiva" if re.search(figure_words.SUPPLIER, line) else "attiva", **_period(said, today)}
    if re.search(r"\b(?:sent\w+|chiam\w+|richiam\w+|contatt\w+)\b", line):
        return None
    if figure_words.OF_WHOM.search(line):
        slots["by"] = "late" if figure_words.LATE.search(line) else "open"
    if figure_words.NEW.search(line):
        slots["new"] = "1"
    return Said("count_parties", slots)


def _one_of_two(line: str, said: Sentence, today: date) -> Said | None:
    """Read which of two is first: «ho fatturato più a Bianchi o all'Hotel Miramonti?»."""
    found = figure_words.ONE_OF_TWO.search(said.text) or figure_words.X_OR_Y.search(said.text)
    both = [_party(each, today) for each in found.groups() if each] if found else []
    is_asked = figure_words.MONEY.search(line) or re.search(r"\b(?:vale|important\w|rende|lavoro|meglio)\b", line)
    if len(both) != 2 or not all(both) or not is_asked:
        return None
    by = "open" if figure_words.OWES.search(line) else "invoiced"
    is_spent = figure_words.BUYS.search(line) or re.search(r"\b(?:dato|pagato|spes[oa])\b", line)
    slots: Slots = {"direction": "passiva" if is_spent else "attiva", "by": by, "order": "most", "among": both}
    return Said("rank_parties", slots | _period(said, today))


def _party(text: str, today: date) -> str:
    """Return whom one of two means: a name, or words that are no period; "" if neither."""
    if name := names.find(sentence_of(f"con {text}")):
        return name
    is_time = any(each.isdigit() for each in text) or spans.read(fold(text).split(), today)
    return "" if is_time else re.sub(r"^(?:il|lo|la|i|gli|le) |^l['’]", "", text.strip())


def _ranked(line: str, said: Sentence, today: date) -> Said | None:
    is_late = figure_words.PAYS_LATE.search(line)
    if "scadut" in line and "fattur" in line:
        return None
    waits = figure_words.WAITS.search(line)
    if not is_late and not waits and not (figure_words.BEST.search(line) and figure_words.MONEY.search(line)):
        return None
    slots: Slots = {"direction": "attiva" if is_late else _direction(line), "by": "invoiced", "order": "most"}
    is_of_payment = (
        is_late or waits or "pagator" in line or re.search(r"\b(?:puntual|ritardatari|lent|veloc)\w*\b", line)
    )
    if is_of_payment or (
        re.search(r"\bpaga\w*\b", line) and (figure_words.DELAY.search(line) or figure_words.SPEED.search(line))
    ):
        slots["by"] = "delay" if figure_words.DELAY.search(line) or "pagator" in line else "payment_days"
        if figure_words.IS_LATE.search(line):
            slots["by"] = "late"
    elif figure_words.LATE.search(line):
        slots["by"] = "late"
    elif figure_words.OWES.search(line):
        slots["by"] = "open"
    elif "piu fatture" in line:
        slots["by"] = "invoices"
    is_denied = re.search(r"\bnon\b.*\b(?:in tempo|puntual\w*|subito)\b", line)
    if figure_words.LEAST.search(line) and not is_denied:
        slots["order"] = "least"
    if place := _place(line):
        slots["place"] = place
    return Said("rank_parties", slots | _period(said, today))


def _averaged(line: str, said: Sentence, today: date) -> Said | None:
    slots: Slots = {"direction": _direction(line), **_period(said, today)}
    is_average = figure_words.AVERAGE.search(line)
    if figure_words.AVERAGE_INVOICE.search(line) and not figure_words.HOW_SOON.search(line):
        return Said("average_invoice", slots)
    if is_average and figure_words.BY_MONTH.search(line) and figure_words.TURNOVER.search(line):
        slots["direction"] = "passiva" if figure_words.SPENT.search(line) else "attiva"
        return Said("month_average", slots)
    if figure_words.HOW_SOON.search(line) or (
        is_average and figure_words.AVERAGE_DAYS.search(line) and figure_words.DAYS.search(line)
    ):
        slots["direction"] = (
            "passiva" if re.search(rf"\b(?:pago|paghiamo|devo)\b|\b{figure_words.SUPPLIER}\b", line) else "attiva"
        )
        # «in quanti giorni» is no period.
        return Said("payment_days", slots)
    return None


def _compared(line: str, said: Sentence, today: date) -> Said | None:
    if not (
        figure_words.COMPARES.search(line) and (figure_words.TURNOVER.search(line) or _ranked_by_time(said, today))
    ):
        return None
    if re.search(rf"\b{figure_words.PARTY}\b|\bchi\b", line):
        return None
    slots: Slots = {"direction": "passiva" if figure_words.SPENT.search(line) else "attiva"}
    if figure_words.CASHED.search(line):
        slots["state"] = "pagate"
    if "pagato" in line:
        slots["state"] = "pagate"
    has_before = figure_words.SAME_BEFORE.search(said.line)
    first, other = _two_periods(said, today)
    if has_before and first and not other and first[0] and first[0].year == today.year:
        return Said("compare", slots | _pair(first, None, today))
    return Said("compare", slots | _pair(first, other, today))


def _ranked_by_time(said: Sentence, today: date) -> bool:
    return all(_two_periods(said, today))


def _two_periods(said: Sentence, today: date) -> tuple[spans.Period | None, spans.Period | None]:
    """Return the periods that are named, the later first; «dell'anno scorso» next to a month is a year before it."""
    line = figure_words.SAME_BEFORE.sub(" ", said.line)
    words = tuple(line.split())
    one = spans.read(words, today)
    if one is None:
        whole = spans.read(said.line.split(), today)
        return (whole.period if whole else None), None
    two = spans.read(one.rest, today)
    if two is None:
        return one.period, None
    pair = sorted((one.period, two.period), key=lambda each: each[0] or date.min, reverse=True)
    return pair[0], pair[1]


def _pair(first: spans.Period | None, other: spans.Period | None, today: date) -> Slots:
    """Return both periods; where one is named, it is compared with the one before or with the current one."""
    if first is None or first[0] is None:
        first = (date(today.year, 1, 1), date(today.year, 12, 31))
    starts, ends = first[0] or today, first[1] or today
    if other is None:
        is_year = (starts.month, starts.day, ends.month, ends.day) == (1, 1, 12, 31)
        if ends < today and is_year and starts.year < today.year:
            return _told((date(today.year, 1, 1), date(today.year, 12, 31)), (starts, ends))
        if starts <= today <= ends and not is_year:
            return _told((starts, ends), _previous(starts, ends))
        if ends < today and _is_last_month(starts, ends, today):
            return _told((today.replace(day=1), last_of(today.year, today.month)), (starts, ends))
        return _told((starts, ends), (_year_before(starts), _year_before(ends)))
    return _told((starts, ends), (other[0] or starts, other[1] or ends))


def _is_last_month(starts: date, ends: date, today: date) -> bool:
    return starts.day == 1 and ends == today.replace(day=1) - timedelta(days=1) and starts.month == ends.month


def _previous(starts: date, ends: date) -> tuple[date, date]:
    """Return the period of the same kind just before: months of a month or quarter, days of anything else."""
    if starts.day != 1 or ends != last_of(ends.year, ends.month):
        return starts - (ends - starts) - timedelta(days=1), starts - timedelta(days=1)
    months = (ends.year - starts.year) * 12 + ends.month - starts.month + 1
    year, month = divmod(starts.year * 12 + starts.month - 1 - months, 12)
    return date(year, month + 1, 1), starts - timedelta(days=1)


def _year_before(day: date) -> date:
    return last_of(day.year - 1, 2) if (day.month, day.day) == (2, 29) else day.replace(year=day.year - 1)


def _told(first: tuple[date, date], other: tuple[date, date]) -> Slots:
    days = zip(("from", "to", "other_from", "other_to"), (*first, *other), strict=True)
    return {name: day.isoformat() for name, day in days}


def _with_left(found: Said, said: Sentence, today: date) -> Said:
    """Take the words that nothing accounts for as the name of whom it is about, where a name fits; else keep them."""
    words = said.words
    left = [place for place in _left_places(said, today) if words[place].norm not in _PLAIN]
    if not left:
        return found
    is_name = any(words[place].capital or len(words[place].norm) >= _SHORTEST_NAME for place in left)
    is_one_run = is_name and left[-1] - left[0] < len(left) + 2
    if found.intent not in ("rank_parties", "count_parties") and is_one_run and "contact" not in found.slots:
        return Said(found.intent, {**found.slots, "contact": said.said(left[0], left[-1] + 1).strip('«»"“”')})
    if "contact" in found.slots:
        return found
    if found.intent == "rank_parties" and (both := figure_words.AMONG.search(said.text)):
        return Said(
            found.intent,
            {**found.slots, "among": [_party(each.strip(" ?,."), today) or each for each in both.groups()]},
        )
    return Said(found.intent, {**found.slots, "left_word": said.said(left[0], left[-1] + 1)})


def _left_places(said: Sentence, today: date) -> list[int]:
    """Return the words that belong to no period and are words at all."""
    line = [word.norm for word in said.words]
    found = spans.read(line, today)
    of_time = set[int]()
    while found:
        rest = list(found.rest)
        gone = list[int]()
        at = 0
        remaining = [place for place in range(len(line)) if place not in of_time]
        for place in remaining:
            if at < len(rest) and line[place] == rest[at]:
                at += 1
            else:
                gone.append(place)
        if not gone:
            break
        of_time |= set(gone)
        found = spans.read([line[place] for place in range(len(line)) if place not in of_time], today)
    named = names.places(said)
    return [
        place
        for place, word in enumerate(said.words)
        if place not in of_time and (word.raw[0].isalpha() or word.quoted or place in named)
    ]
