"""Compute what is true of the made-up business by plain arithmetic on its definition, never with the product's code.

A fact is asked for in a small language, `measure word word …`, where words narrow the rows down:

    gross issued client:bianchi year:0     the total with VAT of this year's invoices to Bianchi
    top net issued                         the client with the highest net turnover
    people city:Forlì                      everybody who is there

`figures` lists every true amount, count and date about the rows that a question is about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from tests.business import agenda, papers, people
from tests.business.books import Books, deal_is, month_start
from tests.business.facts import Amount, Count, Days, Either, Fact, Names, Single, Words
from tests.business.papers import Invoice

_PLACEHOLDER = re.compile(r"\{(month|number|year|date) (\S+)\}")


@dataclass(frozen=True)
class Truth:
    """What is true on a day."""

    today: date

    @property
    def books(self) -> Books:
        """Return the books of this day."""
        return Books(self.today)

    # --- placeholders of questions ---

    def filled(self, text: str) -> str:
        """Replace «{month -2}», «{number i29}», «{year -1}» and «{date -3}» in a question."""
        return _PLACEHOLDER.sub(lambda found: self._placeholder(found[1], found[2]), text)

    def _placeholder(self, kind: str, argument: str) -> str:
        if kind == "month":
            return papers.MONTHS[month_start(self.today, int(argument)).month - 1]
        if kind == "number":
            return papers.numbers(self.today)[argument]
        if kind == "year":
            return str(self.today.year + int(argument))
        day = self.today + timedelta(days=int(argument))
        return f"{day.day} {papers.MONTHS[day.month - 1]}"

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
        rows = self.books.invoices(words)
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
            means = (self.books.days_to_pay(rows), self.books.days_of_parts(rows))
            values = [value for mean in means for value in (math.floor(mean), math.ceil(mean), round(mean, 1))]
            return Count(tuple(values), "giorni")
        if kind == "vatdue":
            issued, received = (self.books.invoices([side, *words]) for side in ("issued", "received"))
            return Amount(self.books.total("vat", issued) - self.books.total("vat", received))
        if kind == "average":
            return Amount(round(self.books.total("net", rows) / len(rows)) if rows else 0)
        return Amount(self.books.total(kind, rows))

    def _ranked(self, kind: str, words: list[str]) -> Single:
        """Rank clients by a measure; «nth 2 net issued» is the second, «topcents net issued» the best one's amount."""
        place = int(words.pop(0)) - 1 if kind == "nth" else 0
        measure = "days" if kind in ("slowest", "fastest") else words.pop(0)
        by_client: dict[str, list[Invoice]] = {}
        for each in self.books.invoices(words):
            by_client.setdefault(each.contact, []).append(each)
        score: Callable[[str], float] = (
            (lambda key: self.books.days_to_pay(by_client[key]))
            if measure == "days"
            else (lambda key: self.books.total(measure, by_client[key]))
        )
        keys = [key for key in by_client if measure != "days" or self.books.days_to_pay(by_client[key]) > 0]
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
        deals = [each for each in agenda.DEALS if all(deal_is(each, word) for word in words)]
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
