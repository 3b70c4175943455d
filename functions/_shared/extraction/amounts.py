"""Which amounts are taxable, tax and total: what the labels say, and what adds up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from functions._shared.extraction.layout import box_of
from functions._shared.extraction.near import Evidence, Reading
from functions._shared.extraction.pages import Box
from functions._shared.extraction.values import Value

KEYS = frozenset({"net", "vat", "total", "due", "withholding", "stamp", "other_money"})
# What else a label may mean: «totale da pagare» is the total when nothing is held back.
ALSO = {"due": (("total", 0.6),), "total": (("due", 0.3),)}
MOST = 24
ADDS_UP = 1.2
# Amounts without a label count only when they add up.
UNNAMED = 0.05
# A sum of several rates, and a tax that a law says is none.
SUMMED, NO_TAX = 0.85, 0.8
ROUNDING_CENTS = 2
# In percent; what is more is no tax.
RATES = (4, 5, 10, 22)
HIGHEST_RATE = 22
SURE, CONTRADICTED, ALONE = 0.98, 0.6, 0.88
# An amount that is there twice was read twice.
REPEATED = 0.9


@dataclass(frozen=True)
class Candidate:
    """An amount that may be asked for: one value, or the sum of several."""

    cents: int
    score: float
    values: tuple[Value, ...]
    label: str | None
    page: int
    box: Box

    @property
    def read_well(self) -> float:
        return min((value.read_well for value in self.values), default=1.0)


def solve(readings: Sequence[Reading]) -> dict[str, tuple[Candidate, float]]:
    """The amounts of an invoice by key, with their confidence."""
    pool = _pool(readings)
    best = _best(pool)
    adds_up = _adds_up(best, pool)
    if len(best) == 3 and not adds_up:
        best = _mended(best)
    found: dict[str, tuple[Candidate, float]] = {}
    for key in ("net", "vat", "total"):
        candidate = best.get(key)
        if candidate is not None:
            found[key] = candidate, _confidence(candidate, len(best) == 3, adds_up)
    return found | _rest(pool, best)


def single(readings: Sequence[Reading], key: str = "total") -> tuple[Candidate, float] | None:
    """The best amount of a paper that has no tax to add."""
    pool = _pool(readings)
    choice = max(pool[key], key=lambda each: each.score, default=None)
    held = next(iter(pool["withholding"]), None)
    for gross in pool["net"] if held else ():
        # «Compenso lordo», less what is held back, is what was paid out.
        if choice is not None and held is not None and gross.cents - abs(held.cents) == choice.cents:
            return gross, SURE
    if choice is None:
        return None
    confidence = min(0.95, ALONE * min(1.0, choice.score) + 0.05)
    # What was paid repeats the total, and so does the sum of a section.
    if choice.score > 0.5 and sum(each.cents == choice.cents for each in pool["any"]) > 1:
        confidence = max(confidence, REPEATED)
    return choice, confidence * _read(choice)


def included_tax(readings: Sequence[Reading], total: Candidate) -> tuple[Candidate, float] | None:
    """The tax that a receipt says its total includes; sure when a rate makes it of this total."""
    pool = _pool(readings)["vat"]
    fitting = [each for each in pool if 0 < each.cents * (100 + HIGHEST_RATE) <= total.cents * HIGHEST_RATE + 500]
    best = max(fitting, key=lambda each: each.score + (ADDS_UP if _is_of(each.cents, total.cents) else 0), default=None)
    if best is None or best.score <= 0.3:
        return None
    # Of several rates the sum is no rate's tax.
    is_sure = _is_of(best.cents, total.cents) or len(best.values) > 1
    return best, (SURE if is_sure else CONTRADICTED) * _read(best)


def _is_of(tax: int, total: int) -> bool:
    return any(abs(tax * (100 + rate) - total * rate) <= ROUNDING_CENTS * (100 + rate) for rate in RATES)


def _pool(readings: Sequence[Reading]) -> dict[str, list[Candidate]]:
    pool: dict[str, list[Candidate]] = {key: [] for key in KEYS}
    groups: dict[tuple[str, object], list[tuple[Value, Evidence]]] = {}
    for reading in readings:
        for value in reading.of("money"):
            for each in reading.near(value, KEYS):
                pool[each.label.key].append(_candidate(value, each.score, each.label.text))
                for key, share in ALSO.get(each.label.key, ()):
                    pool[key].append(_candidate(value, each.score * share, each.label.text))
                column = each.label if each.is_above else reading.sheet.no
                groups.setdefault((each.label.key, column), []).append((value, each))
    for (key, _), members in groups.items():
        if key in ("net", "vat"):
            pool[key] += _sums(members)
    pool["vat"] += _without_tax(readings)
    return {key: sorted(_distinct(each), key=lambda one: -one.score) for key, each in pool.items()} | {
        "any": [_candidate(value, UNNAMED, None) for reading in readings for value in reading.of("money")]
    }


def _candidate(value: Value, score: float, label: str | None) -> Candidate:
    return Candidate(value.cents, score, (value,), label, value.cell.page, value.box)


def _distinct(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Each amount once, with its best label; one that is named twice is a little surer."""
    best: dict[int, Candidate] = {}
    for each in candidates:
        other = best.get(each.cents)
        if other is None or each.score > other.score:
            best[each.cents] = each
    yield from best.values()


def _sums(members: Sequence[tuple[Value, Evidence]]) -> Iterator[Candidate]:
    """Several rates: the sum of what stands under one label, or beside the same label again and again."""
    rows = [member for member in members if member[1].score > 0.4]
    if not 2 <= len(rows) <= 12:
        return
    score = SUMMED * max(evidence.score for _, evidence in rows)
    label = rows[-1][1].label.text
    for start in range(len(rows) - 1):
        # The same words may stand beside the items further up: what counts are the last ones.
        values = tuple(value for value, _ in rows[start:] if value.cell.page == rows[-1][0].cell.page)
        total = sum(value.cents for value in values)
        frame = box_of(token for value in values for token in value.tokens)
        yield Candidate(total, score - 0.01 * start, values, label, values[0].cell.page, frame)
        if total == 2 * values[-1].cents:
            yield _candidate(values[-1], score + 0.2, label)


def _without_tax(readings: Sequence[Reading]) -> Iterator[Candidate]:
    for reading in readings:
        for label in reading.labels:
            if label.key == "no_vat":
                yield Candidate(0, NO_TAX, (), label.text, reading.sheet.no, box_of(label.tokens))


def _best(pool: dict[str, list[Candidate]]) -> dict[str, Candidate]:
    """Taxable, tax and total with the best labels, above all when they add up."""
    nets, taxes, totals = (pool[key][:MOST] for key in ("net", "vat", "total"))
    anything = {each.cents: each for each in reversed(pool["any"])}
    extras = _extras(pool)
    tries: list[tuple[float, tuple[Candidate, Candidate, Candidate]]] = []

    def weigh(net: Candidate | None, tax: Candidate | None, total: Candidate | None, extra: int) -> None:
        if net and tax and total and 0 <= tax.cents * 100 <= net.cents * HIGHEST_RATE + 500:
            # Nothing to add is weak proof: any amount equals itself.
            proof = ADDS_UP if tax.cents else ADDS_UP / 2
            tries.append((net.score + tax.score + total.score + proof - (0.1 if extra else 0), (net, tax, total)))

    def known(found: Sequence[Candidate], cents: int) -> Candidate | None:
        named = next((each for each in found if abs(each.cents - cents) <= ROUNDING_CENTS), None)
        return named or anything.get(cents)

    for extra in extras:
        for net, tax in product(nets, taxes):
            weigh(net, tax, known(totals, net.cents + tax.cents + extra), extra)
        for net, total in product(nets, totals):
            weigh(net, known(taxes, total.cents - net.cents - extra), total, extra)
        for tax, total in product(taxes, totals):
            weigh(known(nets, total.cents - tax.cents - extra), tax, total, extra)
    if tries:
        return dict(zip(("net", "vat", "total"), max(tries, key=lambda one: one[0])[1], strict=True))
    firsts = (("net", nets), ("vat", taxes), ("total", totals))
    return {key: found[0] for key, found in firsts if found and found[0].score > 0.3}


def _extras(pool: dict[str, list[Candidate]]) -> list[int]:
    """What may be added untaxed: nothing, or a stamp."""
    return list(dict.fromkeys([0, *(each.cents for each in pool["stamp"][:2])]))


def _adds_up(best: dict[str, Candidate], pool: dict[str, list[Candidate]]) -> bool:
    if len(best) < 3:
        return False
    rest = best["total"].cents - best["net"].cents - best["vat"].cents
    return any(abs(rest - extra) <= ROUNDING_CENTS for extra in _extras(pool))


def _mended(best: dict[str, Candidate]) -> dict[str, Candidate]:
    """On a scan, the amount that was read worst is what the others make it when only one digit differs. Nothing is
    surer for that: somebody must look."""
    net, tax, total = (best[key].cents for key in ("net", "vat", "total"))
    right = {"net": total - tax, "vat": total - net, "total": net + tax}
    key = min(best, key=lambda each: best[each].read_well)
    one, two = str(best[key].cents), str(right[key])
    is_slip = len(one) == len(two) and sum(a != b for a, b in zip(one, two, strict=True)) == 1
    is_scan = best[key].read_well < 1
    return best | {key: replace(best[key], cents=right[key])} if is_scan and is_slip else best


def _confidence(candidate: Candidate, is_complete: bool, adds_up: bool) -> float:
    if adds_up:
        return SURE if candidate.score > 0.4 else 0.86
    if is_complete:
        return CONTRADICTED
    return min(0.95, ALONE * min(1.0, candidate.score)) * _read(candidate)


def _read(candidate: Candidate) -> float:
    return 1.0 if candidate.read_well > 0.6 else 0.85


def _rest(pool: dict[str, list[Candidate]], best: dict[str, Candidate]) -> dict[str, tuple[Candidate, float]]:
    """What is held back, the stamp, and what is left to pay."""
    found: dict[str, tuple[Candidate, float]] = {}
    total = best.get("total")
    stamp = next((each for each in pool["stamp"] if 0 < each.cents <= 20_000 and each.score > 0.6), None)
    if stamp is not None:
        found["stamp"] = stamp, 0.9
    held = next((each for each in pool["withholding"] if each.score > 0.6), None)
    due = next((each for each in pool["due"] if each.score > 0.4), None)
    if total is None:
        return found
    if held is not None and due is not None and due.cents == total.cents - abs(held.cents):
        return found | {"withholding": (held, SURE), "due": (due, SURE)}
    if held is not None and (left := _amount(pool, total.cents - abs(held.cents))):
        return found | {"withholding": (held, 0.9), "due": (left, 0.9)}
    if due is not None and due.cents == total.cents:
        found["due"] = due, SURE
    elif due is not None and due.score > 0.8:
        found["due"] = due, 0.82
    else:
        found["due"] = total, 0.9
    return found


def _amount(pool: dict[str, list[Candidate]], cents: int) -> Candidate | None:
    return next((each for each in (*pool["due"], *pool["any"]) if each.cents == cents), None)
