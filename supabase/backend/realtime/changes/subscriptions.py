"""Index the subscriptions of this process, so that a change costs only the subscribers it may concern.

A subscription is found by role, schema, table and event, and below that by the person its subscriber acts as. The index
reads role and person from the claims when a subscriber is added and when it has a new token.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any

from backend.core import db
from backend.realtime.changes.catalog import Table
from backend.realtime.changes.filters import Condition
from backend.realtime.changes.pgoutput import Operation
from backend.realtime.changes.types import Subscriber, Wanted


@dataclass(frozen=True)
class Subscription:
    """One subscription with its parsed filter. One to the table `*` has no conditions."""

    wanted: Wanted
    conditions: tuple[Condition, ...]

    @property
    def place(self) -> tuple[str, str]:
        return self.wanted.schema, self.wanted.table

    @cached_property
    def asked_columns(self) -> frozenset[str]:
        """The columns its filter compares: a role that may not read them learns nothing of them."""
        return frozenset(condition.column for condition in self.conditions)


@dataclass(frozen=True)
class Bearer:
    """The claims of one token, by which a subscriber acts."""

    claims: Mapping[str, Any]

    @cached_property
    def role(self) -> str:
        return str(self.claims.get("role", "anon"))

    @cached_property
    def person(self) -> str:
        return str(self.claims.get("sub", ""))

    @cached_property
    def json(self) -> db.Json:
        """The claims as the database takes them, written once for each token."""
        return db.Json(json.dumps(self.claims, sort_keys=True))


Listener = tuple[Subscriber, Subscription]
# Role, schema, table and event.
_Place = tuple[str, str, str, str]


class Subscriptions:
    """Who subscribed to what."""

    def __init__(self) -> None:
        self._of: dict[Subscriber, tuple[Bearer, list[Subscription]]] = {}
        # By person, then by the number of the subscription.
        self._at: dict[_Place, dict[str, dict[int, Listener]]] = {}

    def __len__(self) -> int:
        return len(self._of)

    def __iter__(self) -> Iterator[Subscriber]:
        return iter(self._of)

    def __contains__(self, subscriber: object) -> bool:
        return subscriber in self._of

    def add(self, subscriber: Subscriber, subscriptions: Sequence[Subscription]) -> None:
        """Add subscriptions to those that this subscriber has."""
        before = self.remove(subscriber)
        bearer = Bearer(subscriber.claims)
        self._of[subscriber] = bearer, [*before, *subscriptions]
        for one in self._of[subscriber][1]:
            self._at.setdefault(_place(bearer, one), {}).setdefault(bearer.person, {})[one.wanted.id] = subscriber, one

    def renew(self, subscriber: Subscriber) -> None:
        """Move what the subscriber has to the role and person of its new claims."""
        if subscriber in self._of:
            self.add(subscriber, ())

    def remove(self, subscriber: Subscriber) -> list[Subscription]:
        """Remove and return all subscriptions of a subscriber; may be repeated."""
        if subscriber not in self._of:
            return []
        bearer, subscriptions = self._of.pop(subscriber)
        for one in subscriptions:
            place = _place(bearer, one)
            people = self._at[place]
            del people[bearer.person][one.wanted.id]
            if not people[bearer.person]:
                del people[bearer.person]
            if not people:
                del self._at[place]
        return subscriptions

    def bearer(self, subscriber: Subscriber) -> Bearer | None:
        """Return by which claims the subscriber acts now; None if it has left."""
        found = self._of.get(subscriber)
        return found[0] if found else None

    def has(self, role: str, table: Table, operation: Operation) -> bool:
        """Whether anybody of this role subscribed to such a change of the table."""
        return bool(self._people(role, table, operation))

    def everybody(self, role: str, table: Table, operation: Operation) -> list[Listener]:
        """Find the subscriptions of a role that such a change of the table is for."""
        by_person = chain.from_iterable(people.values() for people in self._people(role, table, operation))
        return [listener for own in by_person for listener in own.values()]

    def person(self, role: str, table: Table, operation: Operation, person: str) -> list[Listener]:
        """Find those of `everybody` whose subscriber acts as this person."""
        return [
            listener for people in self._people(role, table, operation) for listener in people.get(person, {}).values()
        ]

    def _people(self, role: str, table: Table, operation: Operation) -> list[dict[str, dict[int, Listener]]]:
        events = ("*", "DELETE" if operation == "TRUNCATE" else operation)
        places = product((role,), ("*", table.schema), ("*", table.name), events)
        return [people for place in places if (people := self._at.get(place))]


def _place(bearer: Bearer, subscription: Subscription) -> _Place:
    return bearer.role, *subscription.place, subscription.wanted.event
