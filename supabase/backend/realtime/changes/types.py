"""What channels want to know of tables, and what they are told."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


class SubscriptionError(Exception):
    """The subscription cannot be; the message says why, for the person who wrote it."""


@dataclass(frozen=True)
class Wanted:
    """One subscription of a channel: `event` is INSERT, UPDATE, DELETE or *, `schema` and `table` may be *."""

    id: int
    event: str
    schema: str
    table: str
    filter: str | None = None
    select: tuple[str, ...] | None = None


@dataclass
class Payload:
    """The `data` of a postgres_changes message, written as JSON once however many receive it."""

    data: Mapping[str, Any]
    _json: str | None = field(default=None, repr=False)

    @property
    def json(self) -> str:
        if self._json is None:
            self._json = json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))
        return self._json


class Subscriber(Protocol):
    """A channel, as the changes see it. None of its methods may wait."""

    @property
    def claims(self) -> Mapping[str, Any]:
        """The verified claims it acts with now."""

    def changed(self, ids: Sequence[int], payload: Payload) -> None:
        """A change that these of its subscriptions asked for."""

    def lost(self) -> None:
        """Changes were missed: whoever listens must fetch anew."""

    def late(self, is_late: bool) -> None:
        """Changes come later than they should from now on, or come in time again."""
