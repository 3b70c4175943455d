"""A business that comes in as files adds up everywhere: in its contacts, the register, the home page and the chat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.business import entry, load, measure, papers, people
from tests.business.judge import Question, Verdict
from tests.business.truth import Truth
from tests.databases import connected
from tests.db.accounts import Executor
from tests.functions.assistant.chatting import Talk
from tests.functions.documents.conftest import opened

pytestmark = [pytest.mark.anyio, pytest.mark.long, pytest.mark.timeout(400)]


@dataclass(frozen=True)
class Business:
    """The business as it came in; `ids` are its contacts by key."""

    talk: Talk
    truth: Truth
    ids: dict[str, UUID]


# One test: with several, each worker would read all papers for its share, which takes minutes.
async def test_a_business_that_comes_in_as_files_adds_up_everywhere(resources: Resources) -> None:
    async with opened(resources) as desk:
        today = datetime.now(load.ROME).date()
        ids = await entry.enter(desk, today)
        business = Business(Talk(desk.http, desk.resources, desk.user_id), Truth(today), ids)
        await _every_exact_match_is_linked_and_none_is_wrong(business)
        await _a_debt_is_the_same_sum_everywhere(business)
        await _what_no_contact_has_is_the_difference_of_the_sums(business)
        await _the_assistant_says_every_debt_to_the_cent(business)


async def _every_exact_match_is_linked_and_none_is_wrong(business: Business) -> None:
    rows = await business.talk.query(
        "select filename, documents.contact_id, invoices.contact_id as invoiced_id, invoices.id as invoice_id"
        " from public.documents left join public.invoices"
        " on invoices.user_id = documents.user_id and document_id = documents.id"
    )
    expected = {paper.filename: paper.contact for paper in papers.PAPERS.values()}
    assert len(rows) == len(papers.INVOICES) + len(expected)
    keys = {contact_id: key for key, contact_id in business.ids.items()}
    invoices = {entry.key_of(row["filename"]): row for row in rows if row["filename"].endswith(".xml")}
    assert {key: keys.get(row["contact_id"]) for key, row in invoices.items()} == {
        key: of.contact for key, of in papers.INVOICES.items()
    }
    assert all(row["invoiced_id"] == row["contact_id"] for row in invoices.values())
    # No number is on the other papers, so they may stay without a contact.
    others = [row for row in rows if row["filename"] in expected]
    assert [row["filename"] for row in others if row["invoice_id"]] == []
    linked = {row["filename"]: keys[row["contact_id"]] for row in others if row["contact_id"]}
    assert linked == {filename: expected[filename] for filename in linked}


@dataclass(frozen=True)
class Owed:
    """What all owe, in cents, as each place computes it."""

    contacts: int
    listed: int
    unlinked: int
    register: int
    parts: int
    home: int


async def owed(connection: Executor) -> Owed:
    """Add up what the screens show, as the person whose claims the transaction has."""
    row = await connection.fetchrow(
        """
        select
          (select sum(money.open_cents) from public.contacts, public.contact_money(contacts.id) as money
           where relation = 'stesso' and direction = 'attiva' and currency = 'EUR') as contacts,
          (select sum(owed_cents) from public.contact_list) as listed,
          coalesce(sum(open_cents) filter (where contact_id is null), 0) as unlinked, sum(open_cents) as register,
          (select sum(cents) from public.invoice_parts
           where direction = 'attiva' and counts and paid_on is null) as parts,
          (public.home_overview() #>> '{to_cash,open_cents}')::bigint as home
        from public.invoice_register
        where direction = 'attiva' and kind <> 'autofattura' and deleted_at is null and twin is null
        """
    )
    assert row is not None
    return Owed(**{key: int(value) for key, value in row.items()})


async def _a_debt_is_the_same_sum_everywhere(business: Business) -> None:
    truth = business.truth.books.total("owed", business.truth.books.invoices(["issued"]))
    claims = {"sub": str(business.talk.person), "role": "authenticated"}
    async with db.as_claims(business.talk.resources.pool, claims) as connection:
        assert await owed(connection) == Owed(truth, truth, 0, truth, truth, truth)
        listed = await connection.fetch("select id, owed_cents from public.contact_list where owed_cents is not null")
    debts = debts_of(business.truth)
    assert {row["id"]: row["owed_cents"] for row in listed} == {business.ids[key]: debts[key] for key in debts}


async def _what_no_contact_has_is_the_difference_of_the_sums(business: Business) -> None:
    books = business.truth.books
    total = books.total("owed", books.invoices(["issued"]))
    unlinked = books.open_cents(papers.INVOICES["i34"])
    async with connected(business.talk.resources.settings.database_url) as connection:
        rolled_back = connection.transaction()
        await rolled_back.start()
        await connection.execute("update public.documents set contact_id = null where filename like '%\\_i34.xml'")
        await connection.execute("set local role authenticated")
        await connection.execute(
            "select set_config('request.jwt.claims', json_build_object('sub', $1::text)::text, true)",
            str(business.talk.person),
        )
        found = await owed(connection)
        await rolled_back.rollback()
    assert found == Owed(total - unlinked, total - unlinked, unlinked, total, total, total)


async def _the_assistant_says_every_debt_to_the_cent(business: Business) -> None:
    asked = [Question("all", "crediti", "quanto mi devono in tutto?", facts=["owed issued"], about=["issued open"])]
    asked += [
        Question(key, "crediti", f"quanto mi deve {people.CONTACTS[key].name}?", facts=[f"owed issued client:{key}"])
        for key in debts_of(business.truth)
    ]
    found = await measure.measured(business.talk, asked, business.truth)
    assert [measure.shown(each) for each in found if each.verdict is not Verdict.RIGHT] == []
    assert len(found) > 8


def debts_of(truth: Truth) -> dict[str, int]:
    """Return what each client owes, by key, without those who owe nothing."""
    rows = truth.books.invoices(["issued", "open"])
    return {
        key: truth.books.total("owed", truth.books.invoices(["issued", f"client:{key}"]))
        for key in dict.fromkeys(each.contact for each in rows)
    }
