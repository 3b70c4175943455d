"""The wallet as arithmetic: what the ledger must agree with, written down a second time, without SQL."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, inf

YEAR_H = 365 * 24


class Refused(Exception):
    """The verb must fail with this SQLSTATE."""


@dataclass(eq=False)
class Lot:
    """Credits that came together; `expires_h` counts from the start of the test, and what is past it is due."""

    left: int
    expires_h: float = inf
    cents: int = 0
    order: str | None = None
    held: int = 0
    # Of what was given back.
    taken: int = 0
    brought: int = field(init=False)

    def __post_init__(self) -> None:
        self.brought = self.left


@dataclass
class Hold:
    """What some work reserved of which lots."""

    parts: list[tuple[Lot, int]]
    state: str = "open"
    captured: int = 0

    @property
    def amount(self) -> int:
        return sum(amount for _, amount in self.parts)


@dataclass
class Model:
    """One wallet; a refused verb may leave it half changed, so callers try on a copy."""

    lots: list[Lot] = field(default_factory=list)
    holds: dict[str, Hold] = field(default_factory=dict)
    entries: list[tuple[str, int]] = field(default_factory=list)

    @property
    def balance(self) -> int:
        return sum(lot.left for lot in self.lots)

    def draw(self, amount: int) -> list[tuple[Lot, int]]:
        if amount > self.balance:
            raise Refused("SC003")
        parts = []
        for lot in sorted((lot for lot in self.lots if lot.left), key=lambda lot: (lot.expires_h, lot.cents > 0)):
            part = min(lot.left, amount)
            amount -= part
            lot.left -= part
            parts += [(lot, part)] * (part > 0)
        return parts

    def book(self, kind: str, *amounts: int) -> None:
        self.entries += [(kind, amount) for amount in amounts]

    def bring(self, kind: str, lot: Lot) -> None:
        self.lots.append(lot)
        self.book(kind, lot.left)

    def expire(self) -> int:
        due = sorted((lot for lot in self.lots if lot.left and lot.expires_h <= 0), key=lambda lot: lot.expires_h)
        for lot in due:
            if lot.order:
                lot.expires_h += YEAR_H
                self.book("extend", 0)
            else:
                self.book("expire", -lot.left)
                lot.left = 0
        return len(due)

    def hold(self, key: str, amount: int) -> None:
        self.expire()
        self.holds[key] = Hold(self.draw(amount))
        for lot, part in self.holds[key].parts:
            lot.held += part

    def close(self, key: str, state: str, used: int = 0) -> None:
        hold = self.holds[key]
        if state == "settled" and hold.state != "open":
            raise Refused("SC001" if hold.state == "settled" else "SC004")
        if used > hold.amount:
            raise Refused("22023")
        if hold.state != "open":
            return
        hold.state, hold.captured = state, used
        for lot, part in hold.parts:
            taken = min(part, used)
            used -= taken
            lot.held -= part
            lot.left += part - taken
            self.book("settle", *[-taken] * (taken > 0))
        self.expire()

    def refund(self, order: str, cents: int) -> int:
        """So much of the order was given back, all in all: fewer cents than before give credits back to their lots."""
        lots = sorted((lot for lot in self.lots if lot.order == order), key=lambda lot: lot.cents)
        if any(lot.held for lot in lots):
            raise Refused("SC006")
        paid = sum(lot.cents for lot in lots)
        worth = sum(floor(Fraction(lot.cents * lot.left, lot.brought)) for lot in lots)
        steps = [
            lot.left if cents >= worth else min(lot.left, floor(Fraction(lot.brought * cents, paid)) - lot.taken)
            for lot in lots
        ]
        for lot, step in zip(lots, steps, strict=True):
            lot.left -= step
            lot.taken += step
        self.book("refund", *[-step for step in steps if step])
        return sum(steps)

    def adjust(self, amount: int) -> None:
        if amount > 0:
            self.bring("adjust", Lot(amount))
        else:
            self.book("adjust", *[-part for _, part in self.draw(-amount)])
