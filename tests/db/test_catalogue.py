"""The catalogue: one document for everybody, published versions that never change, arithmetic that is right."""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import Connection
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

TABLES = ("plans", "packs", "credit_prices", "claims")
OPERATORS: Mapping[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


async def _catalog(connection: Connection) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await connection.fetchval("select public.catalog()"))
    return found


def _values(catalog: dict[str, Any]) -> dict[str, Fraction]:
    """Every number that a formula or an effective key can name; prices in euro."""
    values = {
        key: Fraction(str(claim["value"])) for key, claim in catalog["claims"].items() if claim["value"] is not None
    }
    for kind in ("plans", "packs"):
        for row in catalog[kind]:
            values |= {
                f"{kind}.{row['id']}.{name}": Fraction(row[name]) for name in ("credits", "bonus") if name in row
            }
            values[f"{kind}.{row['id']}.price"] = Fraction(row["price_cents"], 100)
    for row in catalog["credit_prices"]:
        values |= {f"credit_prices.{row['action']}.{end}": Fraction(row[f"{end}_credits"]) for end in ("min", "max")}
    return values


def _reckon(formula: str, values: Mapping[str, Fraction]) -> Fraction:
    def visit(node: ast.AST) -> Fraction:
        match node:
            case ast.BinOp(left, sign, right):
                return OPERATORS[type(sign)](visit(left), visit(right))
            case ast.Constant(value=int(number)):
                return Fraction(number)
            case _:
                return values[ast.unparse(node)]

    return visit(ast.parse(formula, mode="eval").body)


async def test_every_visitor_gets_the_newest_published_version_and_no_draft(world: World) -> None:
    answers = [
        await world.client.get("/rpc/catalog", headers={"Authorization": f"Bearer {token}"} if token else {})
        for token in world.tokens.values()
    ]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    assert {answer.json()["version"] for answer in answers} == {4}
    assert [pack["id"] for pack in answers[0].json()["packs"]] == ["starter", "pro", "enterprise"]
    assert [plan["id"] for plan in answers[0].json()["plans"]] == ["free", "starter", "pro", "business"]


async def test_a_version_counts_from_its_date(connection: Connection) -> None:
    for date, newest in (("now() + interval '1 day'", 4), ("now()", access.DRAFT_VERSION)):
        await connection.execute(
            f"update public.catalog_versions set published_at = {date} where version = {access.DRAFT_VERSION}"
        )
        assert (await _catalog(connection))["version"] == newest


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "change",
    [
        "update public.{0} set version = version where version = 1",
        "update public.{0} set version = 1 where version = 1000",
        "update public.{0} set version = 1000 where version = 1",
        "delete from public.{0} where version = 1",
        "insert into public.{0} select * from public.{0} where version = 1",
    ],
)
async def test_a_published_version_never_changes(table: str, change: str, connection: Connection) -> None:
    with pytest.raises(asyncpg.RestrictViolationError):
        await connection.execute(change.format(table))


async def test_a_published_version_is_never_withdrawn(connection: Connection) -> None:
    for change in ("update public.catalog_versions set published_at = null", "delete from public.catalog_versions"):
        with pytest.raises(asyncpg.RestrictViolationError):
            async with connection.transaction():
                await connection.execute(f"{change} where version = 1")


async def test_a_draft_can_be_changed(connection: Connection) -> None:
    for table in TABLES:
        assert (
            await connection.execute(f"delete from public.{table} where version = {access.DRAFT_VERSION}") != "DELETE 0"
        )


@pytest.mark.parametrize("price", [0, -1])
async def test_a_pack_that_costs_nothing_is_refused(price: int, connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await connection.execute("update public.packs set price_cents = $1 where version = 1000", price)


async def test_every_claim_with_a_formula_is_what_the_formula_gives(connection: Connection) -> None:
    catalog = await _catalog(connection)
    values = _values(catalog)
    reckoned = {
        key: (float(values[key]), float(_reckon(claim["formula"], values)))
        for key, claim in catalog["claims"].items()
        if claim["formula"]
    }
    # A price is exact to the cent; what is rounded in a sentence is off by less than one half.
    wrong = {key: pair for key, pair in reckoned.items() if abs(pair[0] - pair[1]) >= (0.005 if pair[0] % 1 else 0.5)}
    assert wrong == {}
    assert len(reckoned) >= 20


async def test_what_holds_instead_of_a_contested_claim_exists(connection: Connection) -> None:
    catalog = await _catalog(connection)
    known = {*catalog["claims"], *_values(catalog)}
    assert [key for key, claim in catalog["claims"].items() if claim["effective_key"] not in {None, *known}] == []


async def test_a_contested_claim_never_ends_in_another_one(connection: Connection) -> None:
    claims = (await _catalog(connection))["claims"]
    ends = {key: claims.get(claim["effective_key"]) for key, claim in claims.items() if claim["effective_key"]}
    assert [key for key, end in ends.items() if end and end["status"] == "in_conflitto"] == []
