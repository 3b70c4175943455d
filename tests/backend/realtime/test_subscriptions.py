"""The index of subscriptions: a change finds those it may concern, whatever else is subscribed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from backend.realtime.changes.catalog import Table
from backend.realtime.changes.pgoutput import Operation
from backend.realtime.changes.subscriptions import Subscription, Subscriptions
from backend.realtime.changes.types import Payload, Wanted

TASKS = Table(1, "public", "tasks", {}, {}, has_rls=True)
# The number of each subscription, its event, schema and table.
WANTED = {
    1: ("*", "public", "tasks"),
    2: ("INSERT", "public", "tasks"),
    3: ("DELETE", "public", "tasks"),
    4: ("*", "public", "*"),
    5: ("UPDATE", "*", "*"),
    6: ("*", "private", "*"),
    7: ("*", "public", "deals"),
}


class Listening:
    def __init__(self, **claims: str) -> None:
        self.claims: Mapping[str, Any] = claims

    def changed(self, ids: Sequence[int], payload: Payload) -> None: ...
    def lost(self) -> None: ...
    def late(self, is_late: bool) -> None: ...


def anna() -> Listening:
    return Listening(role="authenticated", sub="anna")


def one(number: int, event: str = "*", schema: str = "public", table: str = "tasks") -> Subscription:
    return Subscription(Wanted(number, event, schema, table), ())


def numbers(index: Subscriptions, role: str, operation: Operation = "INSERT", person: str | None = None) -> list[int]:
    asked = (role, TASKS, operation)
    found = index.everybody(*asked) if person is None else index.person(*asked, person)
    assert index.has(*asked) or not found
    return sorted(subscription.wanted.id for _, subscription in found)


@pytest.mark.parametrize(
    ("operation", "found"),
    [("INSERT", [1, 2, 4]), ("UPDATE", [1, 4, 5]), ("DELETE", [1, 3, 4]), ("TRUNCATE", [1, 3, 4])],
)
def test_a_change_finds_its_event_table_and_schema(operation: Operation, found: list[int]) -> None:
    index = Subscriptions()
    index.add(anna(), [one(number, *wanted) for number, wanted in WANTED.items()])
    assert numbers(index, "authenticated", operation) == found
    assert numbers(index, "authenticated", operation, "anna") == found
    assert numbers(index, "authenticated", operation, "bruno") == []
    assert numbers(index, "anon", operation) == []


def test_claims_are_read_when_they_are_renewed() -> None:
    index, subscriber = Subscriptions(), anna()
    index.add(subscriber, [one(1)])
    index.add(subscriber, [one(2)])
    subscriber.claims = {"role": "anon"}
    assert numbers(index, "authenticated", person="anna") == [1, 2]
    index.renew(subscriber)
    assert numbers(index, "authenticated") == []
    assert numbers(index, "anon", person="") == [1, 2]


def test_nothing_is_kept_of_a_subscriber_that_left() -> None:
    index, leaving, staying = Subscriptions(), anna(), anna()
    index.add(leaving, [one(number, *wanted) for number, wanted in WANTED.items()])
    index.add(staying, [one(8)])
    for _ in range(2):
        index.remove(leaving)
        index.renew(leaving)
    assert (list(index), numbers(index, "authenticated")) == ([staying], [8])
    index.remove(staying)
    assert vars(index) == vars(Subscriptions())


def test_a_change_for_one_person_looks_at_nobody_else() -> None:
    """However many are subscribed: this is what keeps a change as cheap with ten thousand sockets."""
    index = Subscriptions()
    for number in range(1000):
        index.add(Listening(role="authenticated", sub=str(number)), [one(number)])
    assert numbers(index, "authenticated", person="7") == [7]
