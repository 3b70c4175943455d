"""Amounts: the text of the schema as whole cents, and cents as Italians write euros."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

_CENT = Decimal("0.01")


def cents(number: str | None) -> int | None:
    """An amount that `xml.Node.number` let through, rounded half up."""
    return None if number is None else int(Decimal(number).quantize(_CENT, ROUND_HALF_UP) * 100)


def share(amount_cents: int, percent: str | None) -> int:
    """So many per cent of an amount; nothing of it when no rate is stated."""
    return int((amount_cents * Decimal(percent or 0) / 100).quantize(Decimal(1), ROUND_HALF_UP))


def written(amount_cents: int) -> str:
    """«-1.234,56»."""
    sign, whole, rest = "-" if amount_cents < 0 else "", abs(amount_cents) // 100, abs(amount_cents) % 100
    return f"{sign}{whole:,}".replace(",", ".") + f",{rest:02}"


def euros(amount_cents: int, currency: str | None = "EUR") -> str:
    """«1.234,56 €», other currencies by their code; without one, only the figure."""
    unit = "€" if currency == "EUR" else currency
    return f"{written(amount_cents)} {unit}" if unit else written(amount_cents)


def decimal(number: str) -> str:
    """A number as Italians write it, without zeros that say nothing: «2.00» is «2», «1234.50» is «1.234,5»."""
    value = Decimal(number)
    text = f"{value:,f}".replace(",", " ").replace(".", ",").replace(" ", ".")
    return text.rstrip("0").rstrip(",") if "," in text else text
