"""What filters mean, and that none of them costs anybody else anything."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from backend.realtime.changes import filters, follower
from backend.realtime.changes.types import SubscriptionError
from tests.backend.realtime.conftest import ANNA, Client, Connect, token
from tests.backend.realtime.test_changes import TABLES, change, listening, of

pytestmark = pytest.mark.anyio
if TYPE_CHECKING:
    from backend.core.resources import Resources

    Owner = asyncpg.Connection[asyncpg.Record]

COLUMNS = {"t": "text", "n": "numeric", "f": "float8", "i": "int4", "at": "timestamptz", "u": "uuid"}
TEXTS = ["", "a", "A", "ab", "a\nb", "a%b", "a_b", "a\\b", "aab", "abcab", "Straße", "è qui", "a.b", "(a)"]
LIKE = [
    "",
    "%",
    "_",
    "a%",
    "%b",
    "a_b",
    "a\\%b",
    "a\\_b",
    "a\\\\b",
    "%a%b%",
    "%_%_%",
    "a.b",
    "(_)",
    "\\a%",
    "%è%",
    "A%",
]
MATCH = ["a", "^a.b$", "a|b", "^(a|b)+$", "[[:alpha:]]{2}", "^$", "a{2}", "^.*e$"]


def holds(given: str, **row: str | None) -> bool:
    return filters.admits(filters.parse(given, COLUMNS), row, COLUMNS)


async def test_patterns_mean_what_they_mean_in_postgres(owner: Owner) -> None:
    operators = {"like": "~~", "ilike": "~~*", "match": "~", "imatch": "~*"}
    for operator, sign in operators.items():
        asked = list(itertools.product(TEXTS, LIKE if operator.endswith("like") else MATCH))
        query = f"select array_agg(t {sign} p) from unnest($1::text[], $2::text[]) as asked (t, p)"
        expected = await owner.fetchval(query, *zip(*asked, strict=True))
        found = [holds(f"t={operator}.{pattern}", t=text) for text, pattern in asked]
        assert [one for one, *both in zip(asked, found, expected, strict=True) if both[0] != both[1]] == [], operator


@pytest.mark.parametrize(
    "given",
    [
        "like." + "%_" * 40 + "!",
        "ilike." + "%a" * 60 + "!",
        r"match.^(\w+-?)*!$",
        r"match.(x+x+)+y",
        r"imatch.((a|b)*a(a|b){90}){5}c",
        ",t=".join(["like.%a%_%_%a%!"] * 8),
    ],
    ids=["wildcards", "letters", "nested", "sums", "states", "many"],
)
def test_no_pattern_takes_long(given: str) -> None:
    """Going back in the text, as Python's own engine does, each of them would take longer than the test may."""
    for text in ("a" * filters.MAX_MATCHED_BYTES, "ab" * (filters.MAX_MATCHED_BYTES // 2), "x" * 40):
        began_s = time.perf_counter()
        assert not holds("t=" + given, t=text)
        assert time.perf_counter() - began_s < 2


def test_a_text_too_long_to_be_looked_through_satisfies_no_pattern() -> None:
    long = "a" * (filters.MAX_MATCHED_BYTES + 1)
    assert not holds("t=like.a%", t=long)
    assert not holds("t=not.like.b%", t=long)
    assert holds("t=neq.b", t=long)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("t=match.(?=a)", "malformed: invalid perl operator"),
        ("t=match.(?<!a)b", "malformed: invalid perl operator"),
        (r"t=match.(a)\1", "malformed: invalid escape sequence"),
        ("t=imatch.(", "malformed: missing )"),
        ("t=like.a\\", "malformed: it ends with a backslash"),
        ("t=match." + "a" * 201, "too long or too expensive"),
        ("t=match.(.{9}){20}!", "too expensive"),
        ("t=match.a{400},t=match.b{400}", "too expensive"),
        ("t=eq." + "a" * 1020, "at most 1024 bytes"),
        ("t=eq." + "è" * 520, "at most 1024 bytes"),
        (",".join(["i=eq.1"] * 21), "at most 20 conditions"),
        ("n=gt.NaN", "cannot be compared"),
        ("n=eq.sNaN", "cannot be compared"),
        ("f=isdistinct.nan", "cannot be compared"),
        ("n=in.(1,NaN)", "cannot be compared"),
        ("n=gt.1e99999999999999999999", "is no numeric"),
        ("i=eq.x", "is no int4"),
    ],
)
def test_what_is_too_much_or_means_nothing_is_refused(given: str, reason: str) -> None:
    with pytest.raises(SubscriptionError, match=reason.replace(")", r"\)")):
        filters.parse(given, COLUMNS)


@pytest.mark.parametrize(
    ("given", "row"),
    [
        ("n=gt.1", {"n": "NaN"}),
        ("n=in.(1,2)", {"n": "NaN"}),
        ("n=lt.Infinity", {"n": "NaN"}),
        ("at=lt.9999-12-31T23:59:59-14:00", {"at": "infinity"}),
        ("at=lt.0001-01-01T00:00:00+14:00", {"at": "2026-01-01 00:00:00+00"}),
        ("at=gt.9999-12-31T23:59:59", {"at": "2026-01-01 00:00:00+00"}),
        ("u=eq.x", {"u": None}),
    ],
)
def test_no_row_makes_a_filter_fail(given: str, row: dict[str, str | None]) -> None:
    assert not holds(given, **row)


def test_infinity_has_its_place_among_the_numbers() -> None:
    assert holds("n=lt.Infinity,f=gt.-Infinity", n="1e300", f="0")
    assert holds("n=eq.Infinity", n="Infinity")


async def test_a_filter_that_cannot_be_compared_ends_nobodys_changes(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(TABLES)
    anna = await listening(sockets, server[0], ANNA, of("things"))
    other = await sockets()
    await other.join("db", token(server[0], ANNA), postgres_changes=[of("things", filter="amount=gt.NaN")])
    assert "cannot be compared" in (await other.event("system"))["payload"]["message"]
    await owner.execute("insert into public.things (id, user_id, amount) values (1, $1, 1), (2, $1, 'NaN')", ANNA)
    assert [(await change(anna))["record"]["id"] for _ in range(2)] == [1, 2]
    await anna.quiet()
    assert anna.heard("phx_error") == []


async def test_a_filter_that_fails_costs_its_own_subscriber_only(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.execute(TABLES)
    anna = await listening(sockets, server[0], ANNA, of("things"))
    failing = await listening(sockets, server[0], ANNA, of("things", filter="id=gt.0"), of("things", filter="id=gt.1"))
    admits = filters.admits

    def failed(conditions: Any, *rest: Any) -> bool:
        return admits(conditions, *rest) if not conditions else 1 / 0 > 0

    monkeypatch.setattr(filters, "admits", failed)
    await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
    await failing.event("phx_error")
    assert (await change(anna))["record"]["id"] == 1
    await owner.execute("insert into public.things (id, user_id) values (2, $1)", ANNA)
    assert (await change(anna))["record"]["id"] == 2
    for client in (anna, failing):
        await client.quiet()
        assert client.heard("phx_error") == []


async def test_others_have_their_turn_between_two_filters(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner.execute(TABLES)
    client: Client = await listening(sockets, server[0], ANNA, *(of("things", filter=f"id=gt.{n}") for n in (-1, 0)))
    turned, seen = asyncio.Event(), list[bool]()

    def admits(*_: Any) -> bool:
        seen.append(turned.is_set())
        asyncio.get_running_loop().call_soon(turned.set)
        return True

    monkeypatch.setattr(filters, "admits", admits)
    monkeypatch.setattr(follower, "TURN_S", -1)
    await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
    assert len((await client.event("postgres_changes"))["payload"]["ids"]) == 2
    assert seen == [False, True]


async def test_a_number_beyond_a_double_is_told_as_text(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(TABLES)
    anna = await listening(sockets, server[0], ANNA, of("things"))
    await owner.execute(
        """
        insert into public.things (id, user_id, amount)
        values (1, $1, 10::numeric ^ 5000), (2, $1, 10 ^ 400::numeric + .5)
        """,
        ANNA,
    )
    amounts = [(await change(anna))["record"]["amount"] for _ in range(2)]
    assert [type(amount) for amount in amounts] == [str, str]
