"""Add up the books of the made-up business by plain arithmetic, never with the product's code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from tests.business import agenda, papers
from tests.business.papers import Invoice


def month_start(today: date, offset: int) -> date:
    """Return the first day of the month so many months from today's."""
    place = today.year * 12 + today.month - 1 + offset
    return date(place // 12, place % 12 + 1, 1)


@dataclass(frozen=True)
class Books:
    """The books as they are on a day."""

    today: date

    def invoices(self, words: Iterable[str]) -> list[Invoice]:
        """Return the invoices that all words hold for."""
        found = list(papers.INVOICES.values())
        for word in words:
            found = [each for each in found if self._holds(each, word)]
        return found

    def _holds(self, of: Invoice, word: str) -> bool:
        kind, _, value = word.partition(":")
        issued_on = of.issued_on(self.today)
        if kind == "same-time":
            past = (issued_on.month, issued_on.day) <= (self.today.month, self.today.day)
            return past and issued_on.year == self.today.year + int(value)
        if kind in ("year", "month", "quarter"):
            return self.in_period(issued_on, kind, int(value))
        checks: dict[str, Callable[[], bool]] = {
            "issued": lambda: of.is_issued,
            "received": lambda: not of.is_issued,
            "client": lambda: of.contact == value,
            "invoice": lambda: of.key == value,
            "open": lambda: any(part.paid_after is None for part in of.parts),
            "paid": lambda: all(part.paid_after is not None for part in of.parts),
            "late": lambda: self.late_cents(of) != 0,
            "undated": lambda: any(part.due_after is None for part in of.parts),
            "exempt": lambda: not of.has_vat,
            "withheld": lambda: of.has_withholding,
            "credit": lambda: of.is_credit,
            "plain": lambda: not of.is_credit,
            "with": lambda: any(value in re.findall(r"\w+", line.text.lower()) for line in of.lines),
            "duein": lambda: any(0 <= days <= int(value) for days in self._dues(of)),
            "paidmonth": lambda: any(self.in_period(day, "month", int(value)) for _, day in self.payments(of)),
        }
        return checks[kind]()

    def in_period(self, day: date, kind: str, offset: int) -> bool:
        if kind == "year":
            return day.year == self.today.year + offset
        first = month_start(self.today, offset)
        months = 1
        if kind == "quarter":
            first, months = month_start(self.today, -((self.today.month - 1) % 3) + 3 * offset), 3
        return first <= day < month_start(first, months)

    def _dues(self, of: Invoice) -> list[int]:
        """Return in how many days each open part is due."""
        return [part.due_after - of.age for part in of.parts if part.paid_after is None and part.due_after is not None]

    def payments(self, of: Invoice) -> list[tuple[int, date]]:
        return [
            (sign(of) * part.cents, of.issued_on(self.today) + timedelta(days=part.paid_after))
            for part in of.parts
            if part.paid_after is not None
        ]

    def open_cents(self, of: Invoice) -> int:
        """Return what is still to be paid."""
        return sign(of) * sum(part.cents for part in of.parts if part.paid_after is None)

    def late_cents(self, of: Invoice) -> int:
        """Return what should have been paid before today."""
        late = (
            part.cents
            for part in of.parts
            if part.paid_after is None and part.due_after is not None and part.due_after < of.age
        )
        return sign(of) * sum(late)

    def due_within(self, of: Invoice, days: int) -> int:
        """Return what is due from today on within so many days."""
        due = (
            part.cents
            for part in of.parts
            if part.paid_after is None and part.due_after is not None and 0 <= part.due_after - of.age <= days
        )
        return sign(of) * sum(due)

    def days_to_pay(self, rows: Iterable[Invoice]) -> float:
        """Return the mean of days from issuing to the last payment, of what is paid."""
        days = [
            max(part.paid_after or 0 for part in each.parts)
            for each in rows
            if not each.is_credit and all(part.paid_after is not None for part in each.parts)
        ]
        return sum(days) / len(days) if days else 0.0

    def days_of_parts(self, rows: Iterable[Invoice]) -> float:
        """Return the mean of days from issuing to each payment, where an instalment counts for itself."""
        days = [
            part.paid_after
            for each in rows
            for part in each.parts
            if not each.is_credit and part.paid_after is not None
        ]
        return sum(days) / len(days) if days else 0.0

    def total(self, kind: str, rows: Iterable[Invoice]) -> int:
        """Sum a measure: gross, net, vat, withheld, owed, overdue, paid, due7 …"""
        return sum(self._measure(kind, each) for each in rows)

    def _measure(self, kind: str, of: Invoice) -> int:
        if kind.startswith("due"):
            return self.due_within(of, int(kind.removeprefix("due")))
        if kind.startswith("cashed"):
            months = int(kind.removeprefix("cashed"))
            return sum(cents for cents, day in self.payments(of) if self.in_period(day, "month", months))
        measures: dict[str, Callable[[], int]] = {
            "gross": lambda: sign(of) * of.gross_cents,
            "net": lambda: sign(of) * of.net_cents,
            "vat": lambda: sign(of) * of.vat_cents,
            "withheld": lambda: sign(of) * of.withheld_cents,
            "owed": lambda: self.open_cents(of),
            "overdue": lambda: self.late_cents(of),
            "paid": lambda: sum(cents for cents, _ in self.payments(of)),
            "count": lambda: 1,
        }
        return measures[kind]()

    # --- everything true about a subject ---

    def figures(self, subjects: Iterable[str]) -> tuple[set[int], set[int], set[date]]:
        """Return the true amounts, counts and dates about subjects, each «issued client:bianchi» or so."""
        amounts: set[int] = set()
        counts: set[int] = set()
        days: set[date] = set()
        for subject in subjects:
            words = subject.split()
            if words[0] == "deals":
                deals = [each for each in agenda.DEALS if all(deal_is(each, word) for word in words[1:])]
                amounts |= {each.cents for each in deals} | {sum(each.cents for each in deals)}
                amounts |= {sum(each.cents for each in deals if each.stage == stage) for stage in _stages(deals)}
                amounts.add(sum(each.cents * agenda.PROBABILITIES[each.stage] // 100 for each in deals))
                counts |= {len(deals)} | {sum(each.stage == stage for each in deals) for stage in _stages(deals)}
                days |= {self.today - timedelta(days=each.since) for each in deals}
                days |= {self.today + timedelta(days=each.closes) for each in deals if each.closes is not None}
                continue
            if words[0] == "projects":
                amounts |= {each.budget_cents for each in agenda.PROJECTS}
                counts |= {len(agenda.PROJECTS)}
                days |= {self.today + timedelta(days=each.due_in) for each in agenda.PROJECTS}
                continue
            rows = self.invoices(words)
            for each in rows:
                amounts |= self._row_amounts(each)
                days |= self._row_days(each)
            for subset in self._subsets(rows):
                counts |= {len(subset), len({each.contact for each in subset})}
                amounts |= {
                    self.total(kind, subset) for kind in ("gross", "net", "vat", "withheld", "owed", "overdue", "paid")
                }
                amounts.add(self.total("owed", subset) - self.total("overdue", subset))
                # An average may be told net and with VAT.
                amounts |= {round(self.total(kind, subset) / len(subset)) for kind in ("gross", "net") if subset}
            for key in {each.contact for each in rows}:
                own = [each for each in rows if each.contact == key]
                amounts |= {self.total(kind, own) for kind in ("gross", "net", "owed", "overdue", "paid")}
                counts.add(len(own))
        return {abs(each) for each in amounts}, counts, days

    def _subsets(self, rows: list[Invoice]) -> list[list[Invoice]]:
        return [
            rows,
            [each for each in rows if not each.is_credit],
            [each for each in rows if self.open_cents(each)],
            [each for each in rows if self.late_cents(each)],
            [each for each in rows if self.open_cents(each) and not self.late_cents(each)],
            [each for each in rows if not self.open_cents(each)],
            [each for each in rows if not self.open_cents(each) and not each.is_credit],
            [each for each in rows if any(part.due_after is None for part in each.parts) and self.open_cents(each)],
        ]

    def _row_amounts(self, of: Invoice) -> set[int]:
        found = {part.cents for part in of.parts} | {line.cents for line in of.lines}
        kinds = ("gross", "net", "vat", "withheld", "owed", "overdue", "paid")
        return found | {self._measure(kind, of) for kind in kinds} | {of.gross_cents - of.withheld_cents}

    def _row_days(self, of: Invoice) -> set[date]:
        issued_on = of.issued_on(self.today)
        found = {issued_on}
        for part in of.parts:
            for after in (part.due_after, part.paid_after):
                if after is not None:
                    found.add(issued_on + timedelta(days=after))
        return found


def sign(of: Invoice) -> int:
    """Return -1 for a credit note, which takes away."""
    return -1 if of.is_credit else 1


def _stages(deals: Iterable[agenda.Deal]) -> set[str]:
    return {each.stage for each in deals}


def deal_is(of: agenda.Deal, word: str) -> bool:
    kind, _, value = word.partition(":")
    is_open = of.stage not in ("Vinta", "Persa")
    checks = {
        "open": is_open,
        "stage": of.stage == value,
        "of": of.contact == value,
        "stuck": is_open and of.since > 14,
    }
    return checks[kind]
