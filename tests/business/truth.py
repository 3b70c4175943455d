"""Compute what is true of the made-up business by plain arithmetic on its definition, never with the product's code.

A fact is asked for in a small language, `measure word word …`, where words narrow the rows down:

    gross issued client:bianchi year:0     the total with VAT of this year's invoices to Bianchi
    top net issued                         the client with the highest net turnover
    people city:Forlì                      everybody who is there

`figures` lists every true amount, count and date about the rows that a question is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from tests.business import agenda, papers, people
from tests.business.papers import Invoice

MONTHS = (
    "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
    "novembre", "dicembre",
)  # fmt: skip

_PLACEHOLDER = re.compile(r"\{(month|number|year|date) (\S+)\}")


@dataclass(frozen=True)
class Amount:
    """Money."""

    cents: int


@dataclass(frozen=True)
class Count:
    """A whole number of things, or an average of days, as it may be rounded."""

    values: tuple[int | float, ...]
    unit: str = ""


@dataclass(frozen=True)
class Names:
    """People, companies, tasks …: each by its alternatives; `is_first`: it must come before other names."""

    each: tuple[tuple[str, ...], ...]
    is_first: bool = False


@dataclass(frozen=True)
class Days:
    """A date."""

    day: date


@dataclass(frozen=True)
class Words:
    """A text, as any of several."""

    alternatives: tuple[str, ...]


Single = Amount | Count | Names | Days | Words


@dataclass(frozen=True)
class Either:
    """Facts of which one is enough, where the words of a question leave open which is meant."""

    facts: tuple[Single, ...]


Fact = Single | Either


def month_start(today: date, offset: int) -> date:
    """Return the first day of the month so many months from today's."""
    place = today.year * 12 + today.month - 1 + offset
    return date(place // 12, place % 12 + 1, 1)


@dataclass(frozen=True)
class Truth:
    """What is true on a day."""

    today: date

    # --- placeholders of questions ---

    def filled(self, text: str) -> str:
        """Replace «{month -2}», «{number i29}», «{year -1}» and «{date -3}» in a question."""
        return _PLACEHOLDER.sub(lambda found: self._placeholder(found[1], found[2]), text)

    def _placeholder(self, kind: str, argument: str) -> str:
        if kind == "month":
            return MONTHS[month_start(self.today, int(argument)).month - 1]
        if kind == "number":
            return papers.numbers(self.today)[argument]
        if kind == "year":
            return str(self.today.year + int(argument))
        day = self.today + timedelta(days=int(argument))
        return f"{day.day} {MONTHS[day.month - 1]}"

    # --- invoices ---

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
            return self._in_period(issued_on, kind, int(value))
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
            "with": lambda: any(value in line.text.lower() for line in of.lines),
            "duein": lambda: any(0 <= days <= int(value) for days in self._dues(of)),
            "paidmonth": lambda: any(self._in_period(day, "month", int(value)) for _, day in self._payments(of)),
        }
        return checks[kind]()

    def _in_period(self, day: date, kind: str, offset: int) -> bool:
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

    def _payments(self, of: Invoice) -> list[tuple[int, date]]:
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

    # --- facts ---

    def fact(self, text: str) -> Fact:
        """Compute a fact of the small language; «either a / b» leaves open which."""
        if text.startswith("either "):
            return Either(tuple(self._single(each.strip()) for each in text.removeprefix("either ").split(" / ")))
        return self._single(text)

    def _single(self, text: str) -> Single:
        kind, *words = text.split(" ", 1)
        rest = words[0] if words else ""
        if kind == "text":
            return Words(tuple(self.filled(each.strip()) for each in rest.split("|")))
        if kind == "euro":
            return Amount(int(rest))
        if kind == "for-days":
            return Count((int(rest),), "giorni")
        if kind in ("contact", "contacts", "first-contact", "people", "count-people", "phone", "email", "vatno"):
            return self._of_people(kind, rest)
        if kind in (
            "tasks",
            "count-tasks",
            "deals",
            "first-deal",
            "count-deals",
            "sum-deals",
            "projects",
            "count-projects",
        ):
            return self._of_work(kind, rest)
        if kind in ("day", "heard", "issuedon", "dueon", "paidon"):
            return Days(self._day(kind, rest))
        if kind in ("top", "nth", "slowest", "fastest", "latest", "topcents"):
            return self._ranked(kind, rest.split())
        return self._of_invoices(kind, rest.split())

    def _of_invoices(self, kind: str, words: list[str]) -> Single:
        rows = self.invoices(words)
        if kind == "count":
            return Count((len(rows),))
        if kind == "papers":
            return Count((len(rows), sum(not each.is_credit for each in rows)))
        if kind == "first-number":
            return Names(tuple((papers.numbers(self.today)[each.key],) for each in rows), is_first=True)
        if kind == "numbers":
            numbers = papers.numbers(self.today)
            return Names(tuple((numbers[each.key],) for each in rows))
        if kind == "clients":
            return Names(tuple(people.CONTACTS[key].names for key in dict.fromkeys(each.contact for each in rows)))
        if kind == "count-clients":
            return Count((len({each.contact for each in rows}),))
        if kind == "days":
            mean = self.days_to_pay(rows)
            return Count((round(mean), int(mean), round(mean, 1)), "giorni")
        if kind == "vatdue":
            issued, received = (self.invoices([side, *words]) for side in ("issued", "received"))
            return Amount(self.total("vat", issued) - self.total("vat", received))
        if kind == "average":
            return Amount(round(self.total("net", rows) / len(rows)) if rows else 0)
        return Amount(self.total(kind, rows))

    def total(self, kind: str, rows: Iterable[Invoice]) -> int:
        """Sum a measure: gross, net, vat, withheld, owed, overdue, paid, due7 …"""
        return sum(self._measure(kind, each) for each in rows)

    def _measure(self, kind: str, of: Invoice) -> int:
        if kind.startswith("due"):
            return self.due_within(of, int(kind.removeprefix("due")))
        if kind.startswith("cashed"):
            months = int(kind.removeprefix("cashed"))
            return sum(cents for cents, day in self._payments(of) if self._in_period(day, "month", months))
        measures: dict[str, Callable[[], int]] = {
            "gross": lambda: sign(of) * of.gross_cents,
            "net": lambda: sign(of) * of.net_cents,
            "vat": lambda: sign(of) * of.vat_cents,
            "withheld": lambda: sign(of) * of.withheld_cents,
            "owed": lambda: self.open_cents(of),
            "overdue": lambda: self.late_cents(of),
            "paid": lambda: sum(cents for cents, _ in self._payments(of)),
            "count": lambda: 1,
        }
        return measures[kind]()

    def _ranked(self, kind: str, words: list[str]) -> Single:
        """Rank clients by a measure; «nth 2 net issued» is the second, «topcents net issued» the best one's amount."""
        place = int(words.pop(0)) - 1 if kind == "nth" else 0
        measure = "days" if kind in ("slowest", "fastest") else words.pop(0)
        by_client: dict[str, list[Invoice]] = {}
        for each in self.invoices(words):
            by_client.setdefault(each.contact, []).append(each)
        score: Callable[[str], float] = (
            (lambda key: self.days_to_pay(by_client[key]))
            if measure == "days"
            else (lambda key: self.total(measure, by_client[key]))
        )
        keys = [key for key in by_client if measure != "days" or self.days_to_pay(by_client[key]) > 0]
        ranked = sorted(keys, key=score, reverse=kind != "fastest")
        if kind == "topcents":
            return Amount(int(score(ranked[0])) if ranked else 0)
        if place >= len(ranked):
            return Names(())
        return Names((people.CONTACTS[ranked[place]].names,), is_first=kind != "nth")

    # --- people ---

    def _of_people(self, kind: str, rest: str) -> Single:
        if kind in ("contact", "contacts", "first-contact"):
            return Names(tuple(people.CONTACTS[key].names for key in rest.split()), is_first=kind == "first-contact")
        if kind == "phone":
            phone = people.CONTACTS[rest].phone or ""
            return Words((phone, phone.replace(" ", ""), f"+39{phone.replace(' ', '')}", f"+39 {phone}"))
        if kind == "email":
            return Words((people.CONTACTS[rest].email or "",))
        if kind == "vatno":
            return Words((people.CONTACTS[rest].vat_number or "",))
        found = [each for each in people.CONTACTS.values() if all(self._is(each.key, word) for word in rest.split())]
        if kind == "count-people":
            return Count((len(found),))
        return Names(tuple(each.names for each in found))

    def _is(self, key: str, word: str) -> bool:
        kind, _, value = word.partition(":")
        of = people.CONTACTS[key]
        last = self.last_heard(key)
        checks: dict[str, Callable[[], bool]] = {
            "all": lambda: True,
            "city": lambda: of.city == value,
            "role": lambda: value in of.roles,
            "company": lambda: of.business is not None,
            "person": lambda: of.business is None,
            "at": lambda: of.company == value,
            "never": lambda: last is None,
            "heardfor": lambda: last is not None and last <= int(value),
            "notfor": lambda: last is not None and last > int(value),
        }
        return checks[kind]()

    def last_heard(self, key: str) -> int | None:
        """Return how many days ago this contact was heard from."""
        return min((talk.age for talk in agenda.TALKS if talk.contact == key), default=None)

    # --- work ---

    def _of_work(self, kind: str, rest: str) -> Single:
        words = [word for word in rest.split() if word != "all"]
        if kind.endswith("tasks"):
            tasks = [each for each in agenda.TASKS if all(self._task_is(each, word) for word in words)]
            return Count((len(tasks),)) if kind == "count-tasks" else Names(tuple((each.title,) for each in tasks))
        if kind.endswith("projects"):
            projects = [
                each for each in agenda.PROJECTS if all(word in (each.status, f"of:{each.contact}") for word in words)
            ]
            return Count((len(projects),)) if kind == "count-projects" else Names(tuple((p.name,) for p in projects))
        deals = [each for each in agenda.DEALS if all(_deal_is(each, word) for word in words)]
        if kind == "sum-deals":
            return Amount(sum(each.cents for each in deals))
        if kind == "count-deals":
            return Count((len(deals),))
        return Names(tuple((each.title,) for each in deals), is_first=kind == "first-deal")

    def _task_is(self, of: agenda.Task, word: str) -> bool:
        kind, _, value = word.partition(":")
        days = of.due_in
        to_sunday = 6 - self.today.weekday()
        checks: dict[str, bool] = {
            "todo": of.state != "fatto",
            "done": of.state == "fatto",
            "late": of.state != "fatto" and days is not None and days < 0,
            "today": days == 0,
            "tomorrow": days == 1,
            "week": of.state != "fatto" and days is not None and 0 <= days <= to_sunday,
            "upto": kind == "upto" and of.state != "fatto" and days is not None and days <= int(value),
            "undated": days is None,
            "of": of.contact == value,
            "project": (of.project or "").replace(" ", "_") == value,
        }
        return checks[kind]

    # --- days ---

    def _day(self, kind: str, rest: str) -> date:
        if kind == "day":
            return self.today + timedelta(days=int(rest))
        if kind == "heard":
            return self.today - timedelta(days=self.last_heard(rest) or 0)
        if kind == "dueon" and rest in papers.PAPERS:
            return self.today + timedelta(days=papers.PAPERS[rest].due_in or 0)
        of = papers.INVOICES[rest]
        if kind == "issuedon":
            return of.issued_on(self.today)
        part = of.parts[-1]
        return of.issued_on(self.today) + timedelta(days=(part.due_after if kind == "dueon" else part.paid_after) or 0)

    # --- everything true about a subject ---

    def figures(self, subjects: Iterable[str]) -> tuple[set[int], set[int], set[date]]:
        """Return the true amounts, counts and dates about subjects, each «issued client:bianchi» or so."""
        amounts: set[int] = set()
        counts: set[int] = set()
        days: set[date] = set()
        for subject in subjects:
            words = subject.split()
            if words[0] == "deals":
                deals = [each for each in agenda.DEALS if all(_deal_is(each, word) for word in words[1:])]
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


def _deal_is(of: agenda.Deal, word: str) -> bool:
    kind, _, value = word.partition(":")
    is_open = of.stage not in ("Vinta", "Persa")
    checks = {
        "open": is_open,
        "stage": of.stage == value,
        "of": of.contact == value,
        "stuck": is_open and of.since > 14,
    }
    return checks[kind]
