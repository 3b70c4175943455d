"""The made-up business is filed as it is defined, and its questions can be put to the assistant."""

from __future__ import annotations

import pytest
from starlette.types import ASGIApp

from backend.core.resources import Resources
from tests.business import measure
from tests.business.judge import Question, Verdict

pytestmark = pytest.mark.anyio


async def test_what_is_filed_is_what_the_business_is_defined_as(app: ASGIApp, resources: Resources) -> None:
    async with measure.office(resources, app) as (talk, truth):
        rows = await talk.query(
            """
            select direction::text, count(*), sum(net_cents)::bigint as net, sum(total_cents)::bigint as gross,
              sum(open_cents)::bigint as owed, sum(late_cents)::bigint as overdue, sum(paid_cents)::bigint as paid,
              count(*) filter (where contact_id is null) as unlinked
            from public.invoice_register where user_id = $1 group by direction
            """,
            talk.person,
        )
        for row in rows:
            invoices = truth.books.invoices(["issued" if row["direction"] == "attiva" else "received"])
            for measured in ("count", "net", "gross", "owed", "overdue", "paid"):
                assert row[measured] == truth.books.total(measured, invoices), (row["direction"], measured)
            assert row["unlinked"] == 0
        tables = ("contacts", "tasks", "deals", "projects", "interactions")
        counted = [
            await talk.query(f"select count(*) from public.{each} where user_id = $1", talk.person) for each in tables
        ]
        assert [row["count"] for [row] in counted] == [60, 12, 13, 5, 20]


async def test_a_conversation_is_measured(app: ASGIApp, resources: Resources) -> None:
    asked = [
        Question("right", "crediti", "quanto mi deve Bianchi?", facts=["owed issued client:bianchi"]),
        Question("wrong", "crediti", "quanto mi deve Bianchi?", facts=["euro 1"]),
    ]
    async with measure.office(resources, app) as (talk, truth):
        found = await measure.measured(talk, asked, truth)
    assert [each.verdict for each in found] == [Verdict.RIGHT, Verdict.WRONG]
    assert measure.table(found).splitlines()[-1].split() == ["all", "1", "0", "0", "1"]
    assert "2.171,60 €" in measure.shown(found[1])
