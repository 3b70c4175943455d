"""What can be true of the made-up business: amounts, counts, dates, names and texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


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
