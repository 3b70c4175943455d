"""Documents and invoices are linked to the contact that has their number: at once, later, and never wrongly."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from tests.db import access, crm, documents
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
VAT, OTHER_VAT, TAX_CODE = "00743110157", "09876540155", "RSSMRA80A01H501U"
BY_VAT, BY_TAX_CODE = "Collegato per P.IVA", "Collegato per codice fiscale"
BY_WORD = "Collegato come un altro documento che hai confermato"


async def _paper(connection: Connection, **supplier: str) -> UUID:
    return await documents.document(connection, OWNER, supplier=json.dumps(supplier))


async def _read(connection: Connection, document_id: UUID) -> None:
    await connection.execute("select private.link_papers(array[$1::uuid])", document_id)


async def _firm(connection: Connection, name: str = "Gialli srl", **columns: Any) -> UUID:
    return await crm.contact(
        connection,
        columns.pop("user_id", OWNER),
        **{"type": "azienda", "first_name": None, "last_name": None, "business_name": name, **columns},
    )


async def _link(connection: Connection, document_id: UUID) -> tuple[UUID | None, str | None]:
    row = await connection.fetchrow(
        "select contact_id, contact_reason from public.documents where id = $1", document_id
    )
    assert row is not None
    return row["contact_id"], row["contact_reason"]


async def _call(connection: Connection, function: str, *arguments: Any) -> Any:
    places = ", ".join(f"${place}" for place in range(1, len(arguments) + 1))
    async with access.acting(connection, "owner"):
        return await connection.fetchval(f"select public.{function}({places})", *arguments)


@pytest.mark.parametrize(
    ("supplier", "columns", "reason"),
    [
        ({"vat_number": f"IT {VAT}"}, {"vat_number": VAT}, BY_VAT),
        ({"tax_code": TAX_CODE.lower()}, {"tax_code": TAX_CODE}, BY_TAX_CODE),
        ({"vat_number": VAT, "tax_code": TAX_CODE}, {"vat_number": VAT}, BY_VAT),
        ({"vat_number": VAT}, {"tax_code": VAT}, BY_VAT),
        ({"vat_number": VAT, "tax_code": VAT}, {"vat_number": VAT, "tax_code": VAT}, BY_VAT),
    ],
)
@pytest.mark.parametrize("is_paper_first", [True, False])
async def test_paper_and_contact_with_the_same_number_find_each_other(
    connection: Connection, supplier: dict[str, str], columns: dict[str, str], reason: str, is_paper_first: bool
) -> None:
    if is_paper_first:
        document_id = await _paper(connection, **supplier)
        (invoice_id,) = await documents.store_invoices(connection, document_id, {"direction": "attiva"})
        contact_id = await _firm(connection, **columns)
    else:
        contact_id = await _firm(connection, **columns)
        document_id = await _paper(connection, **supplier)
        (invoice_id,) = await documents.store_invoices(connection, document_id, {"direction": "attiva"})
        await _read(connection, document_id)
    assert await _link(connection, document_id) == (contact_id, reason)
    assert await connection.fetchval("select contact_id from public.invoices where id = $1", invoice_id) == contact_id


async def test_contact_that_gets_its_number_later_takes_its_papers(connection: Connection) -> None:
    document_id = await _paper(connection, vat_number=VAT)
    contact_id = await _firm(connection)
    assert await _link(connection, document_id) == (None, None)
    async with access.acting(connection, "owner"):
        await connection.execute("update public.contacts set vat_number = $2 where id = $1", contact_id, VAT)
    assert await _link(connection, document_id) == (contact_id, BY_VAT)


@pytest.mark.parametrize(
    "end", ["deleted_at = now()", "vat_number = null", "merged_into = $2", "merged_into = $2, deleted_at = now()"]
)
async def test_number_of_two_contacts_links_nothing_until_one_is_left(connection: Connection, end: str) -> None:
    first, second = [await _firm(connection, name, vat_number=VAT) for name in ("Gialli srl", "Gialli S.r.l.")]
    document_id = await _paper(connection, vat_number=VAT)
    await _read(connection, document_id)
    assert await _link(connection, document_id) == (None, None)
    await connection.execute(
        f"update public.contacts set {end} where id = $1", *([second, first] if "$2" in end else [second])
    )
    assert await _link(connection, document_id) == (first, BY_VAT)


async def test_number_of_a_person_and_their_company_is_the_companys(connection: Connection) -> None:
    document_id = await _paper(connection, vat_number=VAT)
    company = await _firm(connection, vat_number=VAT)
    await crm.contact(connection, OWNER, vat_number=VAT, company_id=company)
    again = await _paper(connection, vat_number=VAT)
    await _read(connection, again)
    assert [await _link(connection, each) for each in (document_id, again)] == [(company, BY_VAT)] * 2


@pytest.mark.parametrize(
    ("supplier", "columns"),
    [
        ({"vat_number": VAT}, {"vat_number": VAT, "user_id": STRANGER}),
        ({"vat_number": VAT}, {"vat_number": OTHER_VAT}),
        ({"vat_number": f"DE{VAT}"}, {"vat_number": VAT}),
        # A VAT group: one VAT number, a tax code for each company.
        ({"vat_number": VAT, "tax_code": OTHER_VAT}, {"vat_number": VAT, "tax_code": "01234560157"}),
        ({"name": "Gialli srl"}, {"vat_number": VAT}),
    ],
    ids=["a stranger's", "another number", "abroad", "a VAT group", "only a name"],
)
async def test_paper_stays_unlinked(connection: Connection, supplier: dict[str, str], columns: dict[str, Any]) -> None:
    early = await _paper(connection, **supplier)
    await _firm(connection, **columns)
    late = await _paper(connection, **supplier)
    await _read(connection, late)
    assert [await _link(connection, each) for each in (early, late)] == [(None, None)] * 2


@pytest.mark.parametrize("hidden", ["deleted_at = now()", "merged_into = $2"])
async def test_contact_in_the_trash_or_merged_is_never_linked(connection: Connection, hidden: str) -> None:
    contact_id, winner = await _firm(connection, vat_number=VAT), await _firm(connection, "Bianchi srl")
    await connection.execute(
        f"update public.contacts set {hidden} where id = $1", contact_id, *([winner] if "$2" in hidden else [])
    )
    document_id = await _paper(connection, vat_number=VAT)
    await _read(connection, document_id)
    assert await _link(connection, document_id) == (None, None)
    await connection.execute(
        "update public.contacts set deleted_at = null, merged_into = null where id = $1", contact_id
    )
    assert await _link(connection, document_id) == (contact_id, BY_VAT)


async def test_merge_gives_the_winner_the_papers_that_waited_for_both(connection: Connection) -> None:
    winner, loser = [await _firm(connection, name, vat_number=VAT) for name in ("Gialli srl", "Gialli S.r.l.")]
    document_id = await _paper(connection, vat_number=VAT)
    await _call(connection, "merge_contacts", winner, loser)
    assert await _link(connection, document_id) == (winner, BY_VAT)


async def test_own_numbers_link_nothing(connection: Connection) -> None:
    await connection.execute("update public.profiles set vat_number = $2 where user_id = $1", OWNER, VAT)
    document_id = await _paper(connection, vat_number=VAT)
    await _firm(connection, vat_number=VAT)
    await _read(connection, document_id)
    assert await _link(connection, document_id) == (None, None)


async def test_doubtful_number_links_once_it_is_confirmed(connection: Connection) -> None:
    document_id = await _paper(connection, vat_number=VAT)
    await documents.field(connection, document_id, "vat_number", VAT, 0.6)
    contact_id = await _firm(connection, vat_number=VAT)
    assert await _link(connection, document_id) == (None, None)
    await _call(connection, "confirm_field", document_id, "vat_number", VAT)
    assert await _link(connection, document_id) == (contact_id, BY_VAT)
    # Another number is another counterparty.
    await _call(connection, "confirm_field", document_id, "vat_number", OTHER_VAT)
    assert await _link(connection, document_id) == (None, None)


async def test_refused_link_is_undone_for_good_on_all_papers_of_that_number(connection: Connection) -> None:
    papers = [await _paper(connection, vat_number=VAT, name="Gialli srl") for _ in range(2)]
    contact_id = await _firm(connection, vat_number=VAT)
    await _call(connection, "refuse_document_contact", papers[0])
    papers.append(await _paper(connection, vat_number=VAT))
    await _read(connection, papers[2])
    await connection.execute("update public.contacts set vat_number = null where id = $1", contact_id)
    await connection.execute("update public.contacts set vat_number = $2 where id = $1", contact_id, VAT)
    assert [await _link(connection, each) for each in papers] == [(None, None)] * 3
    # The same name with another number was not refused.
    await connection.execute("update public.contacts set vat_number = $2 where id = $1", contact_id, OTHER_VAT)
    other = await _paper(connection, vat_number=OTHER_VAT, name="Gialli srl")
    await _read(connection, other)
    assert await _link(connection, other) == (contact_id, BY_VAT)


async def test_linking_one_paper_links_the_earlier_and_later_ones_of_its_counterparty(connection: Connection) -> None:
    early, chosen, nameless = [await _paper(connection, vat_number=VAT, name="Gialli srl") for _ in range(3)]
    named = await _paper(connection, name="Gialli S.R.L.")
    homonym = await _paper(connection, name="Gialli srl", vat_number=OTHER_VAT)
    contact_id = await _firm(connection)
    await _call(connection, "link_document_contact", chosen, contact_id)
    late = await _paper(connection, vat_number=VAT)
    await _read(connection, late)
    assert await _link(connection, chosen) == (contact_id, None)
    assert [await _link(connection, each) for each in (early, nameless, late)] == [(contact_id, BY_WORD)] * 3
    assert await _link(connection, homonym) == (None, None)
    assert await _link(connection, named) == (contact_id, BY_WORD)


async def test_the_word_of_the_owner_moves_what_was_linked_automatically(connection: Connection) -> None:
    papers = [await _paper(connection, vat_number=VAT) for _ in range(2)]
    by_number, by_word = await _firm(connection, vat_number=VAT), await _firm(connection, "Bianchi srl")
    assert await _link(connection, papers[1]) == (by_number, BY_VAT)
    await _call(connection, "link_document_contact", papers[0], by_word)
    assert [await _link(connection, each) for each in papers] == [(by_word, None), (by_word, BY_WORD)]


async def test_reason_ends_with_its_link(connection: Connection) -> None:
    document_id = await _paper(connection, vat_number=VAT)
    await _firm(connection, vat_number=VAT)
    async with access.acting(connection, "owner"):
        await connection.execute("update public.documents set contact_id = null where id = $1", document_id)
    assert await _link(connection, document_id) == (None, None)


async def test_300_contacts_of_which_200_have_papers_are_linked(connection: Connection) -> None:
    numbered = """
        select place, number as vat_number
        from generate_series({}, {}) as place, generate_series(0, 9) as digit,
          lateral (select lpad(place::text, 7, '0') || '015' || digit as number) as numbers
        where private.is_vat_number(number)
    """
    await connection.execute(
        f"""
        insert into public.documents (user_id, storage_path, filename, supplier)
        select $1::uuid, $1::uuid || '/' || place || '.xml', 'x', jsonb_build_object('vat_number', vat_number)
        from ({numbered.format(1, 1000)}) as numbered
        """,
        OWNER,
    )
    await connection.execute("analyze public.documents")
    read = "select sum(seq_tup_read) from pg_stat_xact_user_tables where relid = 'public.documents'::regclass"
    before = await connection.fetchval(read)
    # One statement for each row, as the import writes them.
    await connection.execute(
        f"""
        do $do$ declare _row record; begin
          for _row in {numbered.format(801, 1100)} loop
            insert into public.contacts (user_id, type, business_name, vat_number)
            values ('{OWNER}', 'azienda', 'Ditta ' || _row.place, _row.vat_number);
          end loop;
        end $do$
        """
    )
    # Each contact finds its papers by the index, not by reading them all.
    assert await connection.fetchval(read) == before
    linked = """
        select count(*) from public.documents join public.contacts on contacts.id = contact_id
        where documents.user_id = $1 and vat_number = supplier ->> 'vat_number' and filename = 'x'
    """
    assert await connection.fetchval(linked, OWNER) == 200


async def test_papers_of_several_people_are_linked_in_one_statement_each_to_their_own(connection: Connection) -> None:
    """The migration links the earlier papers this way."""
    contacts = [await _firm(connection, vat_number=VAT, user_id=user_id) for user_id in (OWNER, STRANGER)]
    papers = [
        await documents.document(connection, user_id, supplier=json.dumps({"vat_number": VAT}))
        for user_id in (OWNER, STRANGER)
    ]
    await connection.execute(
        "select private.link_papers(array("
        " select id from public.documents where contact_id is null and supplier is not null))"
    )
    assert [await _link(connection, each) for each in papers] == [(contact, BY_VAT) for contact in contacts]


CUSTOMER = {
    "name": "Ada Neri",
    "first_name": "Ada",
    "last_name": "Neri",
    "address": {
        "street": "Via Roma",
        "number": "1/A",
        "postal_code": "47121",
        "city": "Forlì",
        "province": "FC",
        "country": "IT",
    },
}


@pytest.mark.parametrize(
    ("direction", "code", "party", "expected"),
    [
        pytest.param("attiva", "ABC1234", CUSTOMER, ("ABC1234", "ada@pec.it"), id="issued"),
        pytest.param("attiva", "0000000", CUSTOMER, (None, "ada@pec.it"), id="zeros"),
        pytest.param("attiva", "XXXXXXX", CUSTOMER, (None, "ada@pec.it"), id="abroad"),
        # The code and the mailbox of a received invoice are the receiver's.
        pytest.param("passiva", "ABC1234", CUSTOMER, (None, None), id="received"),
    ],
)
async def test_a_contact_made_of_an_electronic_invoice_has_its_address_and_its_code(
    connection: Connection, direction: str, code: str, party: dict[str, Any], expected: tuple[str | None, str | None]
) -> None:
    supplier = {"name": "Ada Neri", "tax_code": "RSSMRA85T10A562S"}
    document_id = await documents.document(connection, OWNER, kind="fattura", supplier=json.dumps(supplier))
    await documents.store_invoices(
        connection,
        document_id,
        {
            "direction": direction,
            "number": "1",
            "content": {
                "customer" if direction == "attiva" else "supplier": party,
                "transmission": {"recipient_code": code, "recipient_pec": "Ada@pec.it"},
            },
        },
    )
    async with access.acting(connection, "owner"):
        contact_id = await connection.fetchval("select public.contact_from_document($1)", document_id)
    row = await connection.fetchrow("select * from public.contacts where id = $1", contact_id)
    assert row is not None
    assert (row["type"], row["first_name"], row["last_name"], row["name"]) == ("persona", "Ada", "Neri", "Ada Neri")
    assert (row["sdi_code"], row["pec"]) == expected
    assert json.loads(row["address"]) == {
        "street": "Via Roma 1/A", "postal_code": "47121", "city": "Forlì", "province": "FC", "country": "IT"
    }  # fmt: skip
