"""What sample documents speak of, drawn from a seed: people and companies with identifiers that check, and invoices
whose sums add up. None of them exists."""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from functions._shared import tax_ids

MONTHS = (
    *("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno"),
    *("luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"),
)
FIRST = ("Marta", "Luca", "Giulia", "Paolo", "Elena", "Davide", "Chiara", "Stefano", "Anna", "Matteo", "Irene")
LAST = ("Conti", "Bianchi", "Verdi", "Gallo", "Ferri", "Marchetti", "Fontana", "Serra", "Colombo", "Bruni", "Testa")
TRADES = ("Officine", "Tipografia", "Falegnameria", "Impianti", "Edilizia", "Grafica", "Forniture", "Trasporti")
FORMS = ("S.r.l.", "SRL", "S.p.A.", "S.n.c.", "S.a.s.", "s.r.l.s.")
TOWNS = (
    ("20121", "Milano", "MI"),
    ("00184", "Roma", "RM"),
    ("10123", "Torino", "TO"),
    ("40126", "Bologna", "BO"),
    ("35121", "Padova", "PD"),
    ("80134", "Napoli", "NA"),
)
STREETS = ("Via Garibaldi", "Corso Italia", "Via dei Mille", "Piazza Dante", "Viale Europa", "Via Monte Grappa")
WORKS = (
    "Progettazione grafica del catalogo",
    "Consulenza organizzativa",
    "Fornitura di materiale elettrico",
    "Manutenzione impianto",
    "Stampa di 500 brochure",
    "Sviluppo del sito internet",
    "Trasporto e montaggio",
    "Noleggio attrezzatura",
    "Assistenza tecnica in sede",
)


@dataclass(frozen=True)
class Party:
    """A company, or a person with a tax code of its own."""

    name: str
    street: str
    town: str
    vat_number: str
    tax_code: str
    email: str
    phone: str


@dataclass(frozen=True)
class Item:
    text: str
    quantity: int
    price_cents: int
    rate: int

    @property
    def cents(self) -> int:
        return self.quantity * self.price_cents


@dataclass(frozen=True)
class Invoice:
    """An invoice; percentages are whole numbers, `stamp_cents` is the bollo on it."""

    supplier: Party
    customer: Party
    number: str
    issued_on: date
    due_on: date
    iban: str
    items: tuple[Item, ...]
    fund_percent: int = 0
    withholding_percent: int = 0
    stamp_cents: int = 0

    @property
    def goods_cents(self) -> int:
        return sum(item.cents for item in self.items)

    @property
    def fund_cents(self) -> int:
        return percent(self.goods_cents, self.fund_percent)

    @property
    def net_cents(self) -> int:
        return self.goods_cents + self.fund_cents

    @property
    def rates(self) -> dict[int, tuple[int, int]]:
        """Taxable amount and tax by rate; the fund is taxed like the first item."""
        sums: dict[int, int] = {}
        for item in self.items:
            sums[item.rate] = sums.get(item.rate, 0) + item.cents
        sums[self.items[0].rate] += self.fund_cents
        return {rate: (cents, percent(cents, rate)) for rate, cents in sums.items()}

    @property
    def vat_cents(self) -> int:
        return sum(tax for _, tax in self.rates.values())

    @property
    def total_cents(self) -> int:
        return self.net_cents + self.vat_cents + self.stamp_cents

    @property
    def withholding_cents(self) -> int:
        return percent(self.goods_cents, self.withholding_percent)

    @property
    def due_cents(self) -> int:
        return self.total_cents - self.withholding_cents

    def truth(self, *left_out: str) -> dict[str, str]:
        """The fields that must be found, but for those the paper does not show."""
        fields = {
            "supplier": self.supplier.name,
            "customer": self.customer.name,
            "vat_number": self.supplier.vat_number,
            "number": self.number,
            "issued_on": self.issued_on.isoformat(),
            "net": str(self.net_cents),
            "vat": str(self.vat_cents),
            "total": str(self.total_cents),
            "due": str(self.due_cents),
            "iban": self.iban,
            "due_on": self.due_on.isoformat(),
        }
        return {key: value for key, value in fields.items() if key not in left_out}


def percent(cents: int, rate: int) -> int:
    """Half a cent goes up."""
    return (cents * rate + 50) // 100


def vat_number(rng: Random) -> str:
    head = f"{rng.randrange(1, 9_999_999):07d}{rng.randrange(1, 100):03d}"
    return next(found for digit in string.digits if (found := tax_ids.vat_number(head + digit)))


def tax_code(rng: Random) -> str:
    letters = "".join(rng.choices("BCDFGLMNPRST", k=6))
    day = f"{rng.randrange(50, 99)}{rng.choice(tax_ids.MONTHS)}{rng.randrange(1, 28):02d}"
    head = f"{letters}{day}{rng.choice('FHL')}{rng.randrange(100, 999)}"
    return next(found for letter in string.ascii_uppercase if (found := tax_ids.tax_code(head + letter)))


def iban(rng: Random) -> str:
    account = rng.choice("ABCDEFGHKMNPQRTUVWXYZ") + "".join(rng.choices(string.digits, k=22))
    number = int("".join(str(int(each, 36)) for each in account + "IT00"))
    return f"IT{98 - number % 97:02d}{account}"


def company(rng: Random) -> Party:
    name = f"{rng.choice(TRADES)} {rng.choice(LAST)} {rng.choice(FORMS)}"
    number = vat_number(rng)
    return Party(name, _street(rng), _town(rng), number, number, _email(name), _phone(rng))


def person(rng: Random, title: str = "") -> Party:
    """Someone who works alone."""
    name = f"{title}{rng.choice(FIRST)} {rng.choice(LAST)}"
    return Party(name, _street(rng), _town(rng), vat_number(rng), tax_code(rng), _email(name), _phone(rng))


def invoice(rng: Random, supplier: Party | None = None, rates: tuple[int, ...] = (22,), most: int = 4) -> Invoice:
    """Items of these rates, at least one of each."""
    day = date(2025, 1, 1) + timedelta(days=rng.randrange(690))
    texts = rng.sample(WORKS, k=max(len(rates), rng.randrange(2, most + 1)))
    items = tuple(
        Item(text, rng.choice((1, 1, 2, 3, 10)), rng.randrange(2_000, 160_000), rates[place % len(rates)])
        for place, text in enumerate(texts)
    )
    number = rng.choice(("{n}/{y}", "{n}", "{y}/{n:04d}", "FT-{y}-{n:03d}", "{n}/A", "FPR {n}/{s}", "{n}-{s}"))
    number = number.format(n=rng.randrange(1, 980), y=day.year, s=day.year % 100)
    due = day + timedelta(days=rng.choice((30, 60, 90)))
    return Invoice(supplier or company(rng), company(rng), number, day, due, iban(rng), items)


def money(cents: int, style: str = "1.234,56") -> str:
    """«1.234,56», «1 234,56», «1234,56»."""
    whole, rest = divmod(abs(cents), 100)
    grouped = f"{whole:,}".replace(",", {"1.234,56": ".", "1 234,56": " "}.get(style, ""))
    return f"{'-' if cents < 0 else ''}{grouped},{rest:02d}"


def in_words(day: date) -> str:
    """«12 novembre 2026»."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def spaced(number: str) -> str:
    """An IBAN in groups of four."""
    return " ".join(number[place : place + 4] for place in range(0, len(number), 4))


def _street(rng: Random) -> str:
    return f"{rng.choice(STREETS)}, {rng.randrange(1, 180)}"


def _town(rng: Random) -> str:
    return "{} {} ({})".format(*rng.choice(TOWNS))


def _email(name: str) -> str:
    return "info@" + "".join(each for each in name.lower() if each.isalpha())[:18] + ".it"


def _phone(rng: Random) -> str:
    return f"0{rng.randrange(2, 9)} {rng.randrange(1_000_000, 9_999_999)}"
