"""Parties to link: documents of one counterparty are one, with the contacts it may be, linked and undone at once."""

from __future__ import annotations

import json
from datetime import date
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from functions._shared import names
from tests.db import access, crm, documents
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
VAT, OTHER_VAT, OWN_VAT = "00743110157", "09876540155", "01234567897"


@pytest.fixture(autouse=True)
async def nothing_else_waits(connection: Connection) -> None:
    """Remove what every owner of the tests has."""
    await connection.execute("delete from public.documents where user_id = $1", OWNER)
    await connection.execute("delete from public.document_aliases where user_id = $1", OWNER)


async def _paper(connection: Connection, user_id: UUID = OWNER, **supplier: str) -> UUID:
    return await documents.document(connection, user_id, supplier=json.dumps(supplier), state="pronto")


async def _firm(connection: Connection, name: str, **columns: Any) -> UUID:
    return await crm.contact(
        connection,
        OWNER,
        **{"type": "azienda", "first_name": None, "last_name": None, "business_name": name, **columns},
    )


async def _person(connection: Connection, first_name: str, last_name: str, **columns: Any) -> UUID:
    return await crm.contact(connection, OWNER, first_name=first_name, last_name=last_name, **columns)


async def _parties(connection: Connection, role: str = "owner") -> list[asyncpg.Record]:
    async with access.acting(connection, role):
        return await connection.fetch("select * from public.parties_to_link()")


async def _link(connection: Connection, *choices: dict[str, Any], role: str = "owner") -> list[dict[str, Any]]:
    async with access.acting(connection, role):
        told = await connection.fetchval("select public.link_parties($1)", json.dumps(choices))
    return list(json.loads(told))


async def _unlink(connection: Connection, done: list[dict[str, Any]], role: str = "owner") -> None:
    async with access.acting(connection, role):
        await connection.execute("select public.unlink_parties($1)", json.dumps(done))


async def _linked(connection: Connection, *ids: UUID) -> list[UUID | None]:
    rows = await connection.fetch("select id, contact_id from public.documents where id = any ($1)", ids)
    found = {row["id"]: row["contact_id"] for row in rows}
    return [found[each] for each in ids]


async def test_papers_of_one_counterparty_are_one_party(connection: Connection) -> None:
    papers = [
        await _paper(connection, name="Gialli S.r.l.", vat_number=f"IT{VAT}"),
        await _paper(connection, name="GIALLI SRL", vat_number=VAT),
        await _paper(connection, name="gialli s.r.l."),
        await _paper(connection, name="Verdi"),
    ]
    await documents.store_invoices(
        connection, papers[0], {"direction": "passiva", "number": "1", "total_cents": 12_200}
    )
    await _paper(connection, STRANGER, name="Neri")
    await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", OWNER, OWN_VAT)
    await _paper(connection, name="", vat_number=OWN_VAT)
    first, second = await _parties(connection)
    assert (first["party_key"], first["vat_number"], set(first["document_ids"])) == (f"vat:{VAT}", VAT, set(papers[:3]))
    assert (first["invoices"], first["received_cents"], first["issued_cents"]) == (1, 12_200, None)
    assert (second["party_key"], second["document_ids"], second["invoices"]) == ("name:verdi", [papers[3]], 0)
    assert json.loads(first["draft"])["vat_number"] == VAT


@pytest.mark.parametrize(
    ("written", "contact", "reason", "is_sure"),
    [
        ("ROSSI Mario", ("Mario", "Rossi"), "same_name", True),
        ("Mario Rossi & C. S.n.c.", ("Mario", "Rossi"), "same_name", True),
        ("D'Angelò Nicolò", ("Nicolò", "D’Angelo"), "same_name", True),
        ("Mario Rossini", ("Mario", "Rossi"), "similar_name", False),
        ("Rossi", ("Mario", "Rossi"), "similar_name", False),
        ("Carlo Bianchi", ("Mario", "Rossi"), None, False),
    ],
)
async def test_names_match_over_forms_accents_case_and_order(
    written: str, contact: tuple[str, str], reason: str | None, is_sure: bool, connection: Connection
) -> None:
    contact_id = await _person(connection, *contact)
    await _paper(connection, name=written)
    (party,) = await _parties(connection)
    found = json.loads(party["candidates"])
    assert [(each["contact_id"], each["reason"]) for each in found] == ([(str(contact_id), reason)] if reason else [])
    assert party["is_sure"] is is_sure


async def test_the_form_of_a_company_and_its_number_tell_it_from_others(connection: Connection) -> None:
    await _firm(connection, "Gialli Spa")
    other = await _firm(connection, "Gialli srl", vat_number=OTHER_VAT)
    await _paper(connection, name="Gialli S.r.l.", vat_number=VAT)
    (party,) = await _parties(connection)
    assert [each["reason"] for each in json.loads(party["candidates"])] == ["similar_name"]
    assert str(other) not in party["candidates"]


async def test_a_party_with_two_contacts_of_its_name_is_not_sure(connection: Connection) -> None:
    for _ in range(2):
        await _firm(connection, "Gialli srl")
    await _paper(connection, name="Gialli S.r.l.")
    (party,) = await _parties(connection)
    assert (len(json.loads(party["candidates"])), party["is_sure"]) == (2, False)


async def test_choices_are_made_at_once_and_taken_back(connection: Connection) -> None:
    contact_id = await _firm(connection, "Verdi")
    papers = [
        await _paper(connection, name="Gialli S.r.l.", vat_number=VAT),
        await _paper(connection, name="Gialli srl"),
        await _paper(connection, name="VERDI"),
    ]
    done = await _link(
        connection,
        {"party_key": f"vat:{VAT}", "create": True},
        {"party_key": "name:verdi", "contact_id": str(contact_id)},
    )
    made = UUID(done[0]["contact_id"])
    assert await _linked(connection, *papers) == [made, made, contact_id]
    assert [(each["is_new"], len(each["document_ids"])) for each in done] == [(True, 2), (False, 1)]
    assert await _parties(connection) == []
    later = await _paper(connection, name="verdi")
    await connection.execute("select private.link_papers(array[$1::uuid])", later)
    assert await _linked(connection, later) == [contact_id]
    await connection.execute("delete from public.documents where id = $1", later)
    await _unlink(connection, done, role="stranger")
    assert await _linked(connection, *papers) == [made, made, contact_id]
    await _unlink(connection, done)
    assert await _linked(connection, *papers) == [None, None, None]
    assert len(await _parties(connection)) == 2
    assert await connection.fetchval("select deleted_at is not null from public.contacts where id = $1", made)
    assert await connection.fetchval("select deleted_at is null from public.contacts where id = $1", contact_id)
    assert await connection.fetchval("select count(*) from public.document_aliases where user_id = $1", OWNER) == 0


@pytest.mark.parametrize(
    "choice",
    [
        {"party_key": "name:nobody", "create": True},
        {"party_key": "name:verdi"},
        {"party_key": "name:verdi", "contact_id": str(OWNER)},
    ],
    ids=["no-party", "no-choice", "no-contact"],
)
async def test_a_wrong_choice_makes_none(choice: dict[str, Any], connection: Connection) -> None:
    papers = [await _paper(connection, name="Gialli"), await _paper(connection, name="Verdi")]
    with pytest.raises(asyncpg.PostgresError) as refused:
        async with connection.transaction():
            await _link(connection, {"party_key": "name:gialli", "create": True}, choice)
    assert refused.value.sqlstate == "PT404"
    assert await _linked(connection, *papers) == [None, None]


async def test_the_contacts_and_papers_of_others_are_out_of_reach(connection: Connection) -> None:
    paper = await _paper(connection, name="Gialli")
    theirs = await crm.contact(connection, STRANGER)
    for choice, role in (({"contact_id": str(theirs)}, "owner"), ({"create": True}, "stranger")):
        with pytest.raises(asyncpg.PostgresError) as refused:
            async with connection.transaction():
                await _link(connection, {"party_key": "name:gialli", **choice}, role=role)
        assert refused.value.sqlstate == "PT404"
    assert await _linked(connection, paper) == [None]


async def test_who_is_no_contact_leaves_until_it_is_taken_back(connection: Connection) -> None:
    await _paper(connection, name="Comune di Bologna")
    async with access.acting(connection, "owner"):
        await connection.execute("insert into public.dismissed_parties (party_key) values ('name:comunedibologna')")
    assert await _parties(connection) == []
    async with access.acting(connection, "stranger"):
        assert await connection.fetchval("select count(*) from public.dismissed_parties") == 0
        await connection.execute("delete from public.dismissed_parties")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction():
                await connection.execute(
                    "insert into public.dismissed_parties (user_id, party_key) values ($1, 'name:x')", OWNER
                )
    assert await _parties(connection) == []
    async with access.acting(connection, "owner"):
        await connection.execute("delete from public.dismissed_parties")
    assert len(await _parties(connection)) == 1


async def test_a_contact_that_was_refused_is_not_offered_again(connection: Connection) -> None:
    contact_id = await _firm(connection, "Gialli srl")
    paper = await _paper(connection, name="Gialli S.r.l.")
    done = await _link(connection, {"party_key": "name:giallisrl", "contact_id": str(contact_id)})
    assert done[0]["document_ids"] == [str(paper)]
    async with access.acting(connection, "owner"):
        await connection.execute("select public.refuse_document_contact($1)", paper)
    (party,) = await _parties(connection)
    assert json.loads(party["candidates"]) == []


async def test_the_database_knows_the_forms_of_companies(connection: Connection) -> None:
    for form in names.COMPANY_FORMS:
        assert await connection.fetchval("select private.core_words($1)", f"Gialli {form}") == ["gialli"]


async def test_the_latest_paper_says_the_name(connection: Connection) -> None:
    for day, name in ((1, "Gialli vecchio"), (9, "Gialli nuovo")):
        paper = await _paper(connection, name=name, vat_number=VAT)
        await connection.execute("update public.documents set issued_on = $2 where id = $1", paper, date(2026, 1, day))
    (party,) = await _parties(connection)
    assert (party["name"], party["latest_on"]) == ("Gialli nuovo", date(2026, 1, 9))
