"""Imports: what becomes of each row, that a row is done once, and that a whole file can be taken back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, crm
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
TAX_CODE, VAT_NUMBER, OTHER_VAT_NUMBER = "RSSMRA85T10A562S", "00743110157", "12345670157"
ANNA = {"first_name": "Anna", "last_name": "Bruni", "emails": ["Anna@Bruni.it"], "tags": ["Fiera", "Nuovi"]}
CONSENT = {"channels": ["email"], "wording": "Sì alla newsletter", "source": "Fiera di Rho", "at": "2026-03-01"}

Row = Mapping[str, Any]


async def _call(connection: Connection, call: str, *values: Any, role: str = "owner") -> Any:
    async with access.acting(connection, role):
        return await connection.fetchval(f"select public.{call}", *values)


async def _begin(connection: Connection, consent: Row | None = None) -> UUID:
    given = None if consent is None else json.dumps(consent)
    batch: UUID = await _call(connection, "begin_import('clienti.csv', 'csv', 2, $1::text::jsonb)", given)
    return batch


async def _send(connection: Connection, batch: UUID, rows: Sequence[Row], match: str = "aggiorna") -> Any:
    rows = [{"row": number, **row} for number, row in enumerate(rows, 1)]
    return json.loads(
        await _call(connection, "import_contacts($1, $2::text::jsonb, $3)", batch, json.dumps(rows), match)
    )


async def _undo(connection: Connection, batch: UUID) -> Any:
    return json.loads(await _call(connection, "undo_import($1)", batch))


async def _everything(connection: Connection) -> list[str]:
    """All contacts of the owner and what hangs on them; proof is only added to, and dates of writing move."""
    parts = []
    for table in (
        *("contacts", "contact_emails", "contact_phones", "contact_tags", "tags", "notes", "consents", "interactions"),
    ):
        rows = await connection.fetch(
            f"select (to_jsonb(t) - 'updated_at')::text as row from public.{table} as t where user_id = $1 order by 1",
            OWNER,
        )
        parts += [f"{table} {row['row']}" for row in rows]
    return parts


async def _contact(connection: Connection, name: str) -> Any:
    return await connection.fetchrow("select * from public.contacts where user_id = $1 and name = $2", OWNER, name)


async def test_a_row_becomes_a_contact_with_all_it_says(connection: Connection) -> None:
    row = {
        **ANNA, "company": "Bruni Srl", "vat_number": f"IT {VAT_NUMBER}", "tax_code": TAX_CODE.lower(),
        "phones": [{"value": "333 999", "norm": "+393339990000"}], "website": "bruni.it", "note": "Due\nrighe",
        "address": {"city": " Milano ", "street": ""},
    }  # fmt: skip
    batch = await _begin(connection, CONSENT)
    answer = await _send(connection, batch, [row])
    assert answer == {"created": 1, "updated": 0, "skipped": 0, "errors": [], "cells": []}
    anna = await _contact(connection, "Anna Bruni")
    assert (anna["vat_number"], anna["tax_code"], anna["website"]) == (VAT_NUMBER, TAX_CODE, "https://bruni.it")
    assert (anna["note"], json.loads(anna["address"]), anna["origin"]) == ("Due\nrighe", {"city": "Milano"}, "import")
    assert anna["company_id"] == (await _contact(connection, "Bruni Srl"))["id"]
    listed = await connection.fetchrow("select * from public.contact_list where id = $1", anna["id"])
    assert listed is not None
    assert (listed["email"], listed["phone"], listed["tags"]) == ("Anna@Bruni.it", "333 999", ["Fiera", "Nuovi"])
    assert await _call(connection, "search_contacts('bruni')") is not None
    for table in ("consents", "consent_events"):
        consent = await connection.fetchrow(f"select * from public.{table} where contact_id = $1", anna["id"])
        assert consent is not None
        assert (consent["state"], consent["source"], consent["at"].year) == ("dato", "Fiera di Rho", 2026)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"vat_number": "12345678901"}, "Partita IVA non valida: 12345678901"),
        ({"tax_code": "RSSMRA85T10A562X"}, "Codice fiscale non valido: RSSMRA85T10A562X"),
        ({"emails": ["anna@", "ugo@ugo.it"]}, "Email non valida: anna@"),
        ({"phones": [{"value": "12", "norm": "12"}]}, "Telefono non valido: 12"),
        ({"pec": "pec"}, "PEC non valida: pec"),
        ({"sdi_code": "AB"}, "Codice destinatario non valido: AB"),
        ({"website": "java script"}, "Sito non valido: https://java script"),
        ({"met_on": "2999-01-01"}, "Data non valida: 2999-01-01"),
        ({"last_name": "x" * 201}, f"Testo troppo lungo: {'x' * 201}"),
        ({"address": {"city": "x" * 1000}}, "Indirizzo troppo lungo"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
async def test_a_wrong_cell_is_left_out_and_kept_in_the_note(row: Row, message: str, connection: Connection) -> None:
    batch = await _begin(connection)
    answer = await _send(connection, batch, [{"first_name": "Ugo", "note": "Sua", **row}, {"first_name": "Carla"}])
    assert (answer["created"], answer["errors"]) == (2, [])
    assert [(cell["row"], cell["message"].startswith(message)) for cell in answer["cells"]] == [(1, True)]
    ugo = await _contact(connection, "Ugo")
    assert ugo["note"].startswith(f"Sua\n{message}")
    assert ugo["vat_number"] is ugo["tax_code"] is ugo["pec"] is ugo["website"] is ugo["last_interaction_at"] is None
    again = await _send(connection, await _begin(connection), [{"first_name": "Ugo", "emails": ["ugo@ugo.it"], **row}])
    assert again["errors"] == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"first_name": " ", "last_name": None}, "Manca il nome"),
        ({"first_name": None, "emails": ["anna@"]}, "Manca il nome"),
        ({"type": "gatto"}, "Un valore è troppo lungo o non si può leggere"),
        ({"address": "Milano"}, "Un valore è troppo lungo o non si può leggere"),
    ],
    ids=["no name", "no usable name", "type", "shape"],
)
async def test_a_wrong_row_says_why_and_stops_no_other(row: Row, message: str, connection: Connection) -> None:
    batch = await _begin(connection)
    before = len(await _everything(connection))
    answer = await _send(connection, batch, [{"first_name": "Ugo", **row}, {"first_name": "Carla"}])
    errors = [{"row": 1, "message": message}]
    assert answer == {"created": 1, "updated": 0, "skipped": 0, "errors": errors, "cells": []}
    assert len(await _everything(connection)) == before + 1


FIRM = {
    "business_name": "Bruni Srl", "vat_number": VAT_NUMBER, "sdi_code": "ABCDEF1", "pec": "bruni@pec.example",
    "emails": ["info@bruni.it"], "phones": [{"value": "02 1", "norm": "+390212345678"}],
    "address": {"street": "Via Po 1", "city": "Torino"},
}  # fmt: skip


@pytest.mark.parametrize("match", ["aggiorna", "salta", "crea"])
async def test_a_company_named_in_two_rows_is_one_with_two_people(match: str, connection: Connection) -> None:
    batch = await _begin(connection)
    rows: list[Row] = [
        {"first_name": "Anna", "last_name": "Bruni", "tax_code": TAX_CODE, "emails": ["anna@bruni.it"], "firm": FIRM},
        {"first_name": "Ugo", "last_name": "Testa", "firm": {**FIRM, "business_name": "BRUNI S.R.L."}},
    ]
    answer = await _send(connection, batch, rows, match)
    assert (answer["created"], answer["errors"], answer["cells"]) == (2, [], [])
    bruni = await _contact(connection, "Bruni Srl")
    anna = await _contact(connection, "Anna Bruni")
    assert (bruni["type"], bruni["vat_number"], bruni["sdi_code"], bruni["pec"]) == (
        "azienda", VAT_NUMBER, "ABCDEF1", "bruni@pec.example",
    )  # fmt: skip
    assert (anna["tax_code"], anna["vat_number"], anna["address"]) == (TAX_CODE, None, None)
    employed = "select name from public.contacts where company_id = $1 order by 1"
    assert [row["name"] for row in await connection.fetch(employed, bruni["id"])] == ["Anna Bruni", "Ugo Testa"]
    companies = "select count(*) from public.contacts where origin = 'import' and type = 'azienda'"
    assert await connection.fetchval(companies) == 1
    assert (await _undo(connection, batch))["removed"] == 3
    assert await connection.fetchval("select count(*) from public.contacts where origin = 'import'") == 0


async def test_a_wrong_cell_of_the_company_costs_neither_company_nor_person(connection: Connection) -> None:
    row = {"first_name": "Anna", "firm": {**FIRM, "vat_number": "1"}}
    answer = await _send(connection, await _begin(connection), [row])
    assert answer["cells"] == [{"row": 1, "message": "Partita IVA non valida: 1"}]
    assert (await _contact(connection, "Bruni Srl"))["note"] == "Partita IVA non valida: 1"
    assert (await _contact(connection, "Anna"))["note"] is None


async def test_the_last_contact_of_a_file_is_an_interaction_that_is_added_once(connection: Connection) -> None:
    batch = await _begin(connection)
    await _send(connection, batch, [{**ANNA, "met_on": "2026-03-01"}])
    anna = await _contact(connection, "Anna Bruni")
    assert anna["last_interaction_at"].isoformat() == "2026-03-01T11:00:00+00:00"
    second = await _begin(connection)
    await _send(connection, second, [{**ANNA, "met_on": "2026-03-01"}])
    await _send(
        connection, second, [{**ANNA, "row": 2, "met_on": "2025-01-01"}, {**ANNA, "row": 3, "met_on": "2026-04-01"}]
    )
    days = "select at::date::text from public.interactions where contact_id = $1 order by 1"
    assert [row[0] for row in await connection.fetch(days, anna["id"])] == ["2026-03-01", "2026-04-01"]
    assert (await _undo(connection, second))["restored"] == 1
    assert [row[0] for row in await connection.fetch(days, anna["id"])] == ["2026-03-01"]
    assert (await _contact(connection, "Anna Bruni"))["last_interaction_at"] == anna["last_interaction_at"]
    assert (await _undo(connection, batch))["removed"] == 1
    assert await connection.fetch(days, anna["id"]) == []


@pytest.mark.parametrize(
    ("known", "given", "kept"),
    [
        (("Mario", "Rossi"), ("MARIO", "ROSSI"), "Mario Rossi"),
        (("Mario", "Rossi"), ("Maro", "Rossi"), "Mario Rossi"),
        (("Mario", "Rossi"), ("Mario", " rossi "), "Mario Rossi"),
        (("Mario", "Rossi"), ("Rossi", "Mario"), "Mario Rossi"),
        (("MARIO", "ROSSI"), ("Mario", "Rossi"), "Mario Rossi"),
        (("mario", "rosi"), ("Mario", "Rossi"), "Mario Rossi"),
        (("Mario", "Rossi"), ("Mariolina", "Rossi"), "Mariolina Rossi"),
        (("Mario", None), ("Mario", "Rossi"), "Mario Rossi"),
        (("Ugo", None), ("Ada", None), "Ada"),
    ],
    ids=["capitals", "typo", "small", "order", "better capitals", "better spelling", "another", "more", "short"],
)
@pytest.mark.parametrize("is_one_file", [True, False])
async def test_a_later_row_makes_no_good_name_worse(
    known: tuple[str, str | None], given: tuple[str, str | None], kept: str, is_one_file: bool, connection: Connection
) -> None:
    rows: list[Row] = [{"first_name": name[0], "last_name": name[1], "tax_code": TAX_CODE} for name in (known, given)]
    if is_one_file:
        await _send(connection, await _begin(connection), rows)
    else:
        for row in rows:
            await _send(connection, await _begin(connection), [row])
    names = await connection.fetch("select name from public.contacts where origin = 'import'")
    assert [row["name"] for row in names] == [kept]


async def test_a_chunk_sent_twice_is_done_once(connection: Connection) -> None:
    batch = await _begin(connection)
    rows = [{"first_name": "Ugo"}, {"first_name": "", "vat_number": "1"}, {"first_name": "Ada", "vat_number": "1"}]
    first = await _send(connection, batch, rows)
    before = await _everything(connection)
    assert await _send(connection, batch, rows) == first
    assert await _everything(connection) == before
    counted = await connection.fetchrow("select created, failed from public.import_batches where id = $1", batch)
    assert tuple(counted or ()) == (2, 1)


async def test_rows_that_the_client_refused_are_told_with_the_import(connection: Connection) -> None:
    batch = await _call(connection, "begin_import('clienti.csv', 'csv', 2, _rejected => 3)")
    await _send(connection, batch, [{"first_name": "Ugo"}, {"first_name": ""}])
    told = await _call(connection, "finish_import($1)", batch)
    assert (told["total"], told["created"], told["failed"], told["rejected"]) == (2, 1, 1, 3)


@pytest.mark.parametrize(
    "known",
    [{"emails": ["anna@bruni.it"]}, {"phones": [{"value": "1", "norm": "+393330000001"}]}, {"tax_code": TAX_CODE},
     {"vat_number": VAT_NUMBER}],
    ids=lambda row: next(iter(row)),
)  # fmt: skip
@pytest.mark.parametrize("match", ["aggiorna", "salta"])
async def test_who_is_there_already_is_found(known: Row, match: str, connection: Connection) -> None:
    await _send(connection, await _begin(connection), [{"first_name": "Anna", "last_name": "Bruni", **known}])
    again = {"first_name": "Anna", "last_name": "Bruni", "job_title": "Sindaca", **known}
    answer = await _send(connection, await _begin(connection), [again], match)
    assert (answer["created"], answer["updated"] + answer["skipped"]) == (0, 1)
    assert (await _contact(connection, "Anna Bruni"))["job_title"] == ("Sindaca" if match == "aggiorna" else None)


async def test_a_shared_number_makes_nobody_another_person(connection: Connection) -> None:
    switchboard = {"phones": [{"value": "02 5555555", "norm": "+39025555555"}]}
    batch = await _begin(connection)
    people = [{"first_name": "Anna", "last_name": "Bruni"}, {"first_name": "Ugo", "last_name": "Testa"}]
    answer = await _send(connection, batch, [{**person, **switchboard} for person in people])
    assert answer["created"] == 2
    assert (await _contact(connection, "Ugo Testa"))["note"] == "02 5555555: già di Anna Bruni"


@pytest.mark.parametrize("name", ["ROSSI SRL", "Rossi S.r.l.", "rossi s r l"])
async def test_a_company_without_numbers_is_found_by_its_name(name: str, connection: Connection) -> None:
    """The own export comes back as it is: with the companies of its people, which often have nothing but a name."""
    company = {"type": "azienda", "business_name": "Rossi Srl"}
    anna = {**ANNA, "company": "Rossi Srl"}
    await _send(connection, await _begin(connection), [anna, {**company, "vat_number": VAT_NUMBER}])
    rows: list[Row] = [{**anna, "company": name}, {**company, "business_name": name}]
    again = await _send(connection, await _begin(connection), rows)
    assert (again["created"], again["updated"]) == (0, 2)
    other = {**company, "vat_number": OTHER_VAT_NUMBER}
    answer = await _send(connection, await _begin(connection), [other])
    assert (answer["created"], answer["errors"]) == (1, [])
    numbers = "select vat_number from public.contacts where user_id = $1 and name ilike 'rossi s%' order by 1"
    assert [row[0] for row in await connection.fetch(numbers, OWNER)] == [VAT_NUMBER, OTHER_VAT_NUMBER]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"street": "Via Roma 5", "city": "Milano"}, {"street": "Via Roma 5", "city": "Milano"}),
        ({"city": "Torino", "country": "IT"},
         {"street": "Via Po 1", "postal_code": "10121", "city": "Torino", "country": "IT"}),
        ({"postal_code": "10122"}, {"street": "Via Po 1", "postal_code": "10122", "city": "Torino"}),
    ],
    ids=["another one", "more of the same", "a correction"],
)  # fmt: skip
async def test_parts_of_two_addresses_are_never_mixed(given: Row, kept: Row, connection: Connection) -> None:
    former = {"street": "Via Po 1", "postal_code": "10121", "city": "Torino"}
    await _send(connection, await _begin(connection), [{**ANNA, "address": former}])
    await _send(connection, await _begin(connection), [{**ANNA, "address": given}])
    assert json.loads((await _contact(connection, "Anna Bruni"))["address"]) == kept


async def test_a_file_answers_for_who_was_never_asked(connection: Connection) -> None:
    await _send(connection, await _begin(connection), [ANNA])
    anna = await _contact(connection, "Anna Bruni")
    await _call(connection, "record_consent($1, 'email', 'marketing', 'non_richiesto')", anna["id"])
    twice = {**CONSENT, "channels": ["email", "email"]}
    answer = await _send(connection, await _begin(connection, twice), [ANNA])
    assert answer["errors"] == []
    consent = await connection.fetchrow("select state, source from public.consents where contact_id = $1", anna["id"])
    assert tuple(consent or ()) == ("dato", "Fiera di Rho")


async def test_a_file_overrules_no_refusal(connection: Connection) -> None:
    batch = await _begin(connection)
    await _send(connection, batch, [ANNA])
    anna = await _contact(connection, "Anna Bruni")
    await _call(connection, "record_consent($1, 'email', 'marketing', 'revocato')", anna["id"])
    await _send(connection, await _begin(connection, CONSENT), [ANNA])
    states = await connection.fetch("select state from public.consents where contact_id = $1", anna["id"])
    assert [row["state"] for row in states] == ["revocato"]


async def test_undoing_an_import_leaves_everything_as_it_was(connection: Connection) -> None:
    await _send(connection, await _begin(connection), [{**ANNA, "tags": ["Fiera"], "note": "Prima"}])
    await connection.execute("update public.contacts set deleted_at = now() where name = 'Anna Bruni'")
    before = await _everything(connection)
    batch = await _begin(connection, CONSENT)
    phone = {"value": "333 1", "norm": "+393331000001"}
    news = {**ANNA, "last_name": "Bruna", "company": "Nuova Srl", "phones": [phone], "note": "Dopo"}
    rows: list[Row] = [
        news,
        {"first_name": "Ugo", "company": "Nuova Srl", "tags": ["Altri"]},
        {**news, "job_title": "Capa"},
    ]
    answer = await _send(connection, batch, rows)
    assert (answer["created"], answer["updated"], answer["errors"]) == (1, 2, [])
    assert await _undo(connection, batch) == {"removed": 2, "restored": 1, "kept": [], "left": 0}
    assert await _everything(connection) == before
    assert await connection.fetchval("select state from public.import_batches where id = $1", batch) == "annullato"


async def test_what_was_touched_since_an_import_is_kept_and_named(connection: Connection) -> None:
    await _send(connection, await _begin(connection), [ANNA])
    batch = await _begin(connection)
    rows: list[Row] = [
        {"first_name": "Ugo", "company": "Nuova Srl"},
        {"first_name": "Carla"},
        {**ANNA, "job_title": "Capa"},
    ]
    await _send(connection, batch, rows)
    ugo, anna = await _contact(connection, "Ugo"), await _contact(connection, "Anna Bruni")
    await connection.execute(
        f"""
        insert into public.notes (user_id, contact_id, body) values ('{OWNER}', '{ugo["id"]}', 'Richiamare');
        update public.contacts set job_title = 'Socia' where id = '{anna["id"]}';
        """
    )
    undone = await _undo(connection, batch)
    assert (undone["removed"], undone["restored"]) == (1, 0)
    assert [kept["name"] for kept in undone["kept"]] == ["Anna Bruni", "Nuova Srl", "Ugo"]
    assert (await _contact(connection, "Anna Bruni"))["job_title"] == "Socia"


async def test_undoing_an_import_keeps_who_was_merged_into_it(connection: Connection) -> None:
    older = await crm.contact(connection, OWNER, first_name="Ugo", last_name="Foscolo")
    batch = await _begin(connection)
    await _send(connection, batch, [{"first_name": "Ugo", "last_name": "Foscolo"}], "crea")
    imported = await connection.fetchval(
        "select id from public.contacts where name = 'Ugo Foscolo' and id <> $1", older
    )
    await _call(connection, "merge_contacts($1, $2)", imported, older)
    undone = await _undo(connection, batch)
    assert (undone["removed"], [kept["name"] for kept in undone["kept"]]) == (0, ["Ugo Foscolo"])
    assert await connection.fetchval("select merged_into from public.contacts where id = $1", older) == imported


async def test_a_large_import_is_undone_in_portions(connection: Connection) -> None:
    """Companies last, whatever portion their people are in; what was done stays done when nobody asks for the next."""
    batch = await _begin(connection)
    rows = [{"first_name": f"N{number}", "company": f"Ditta {number % 20}"} for number in range(210)]
    await _send(connection, batch, rows)
    first = await _undo(connection, batch)
    assert (first["removed"], first["left"]) == (200, 30)
    batches = "select state from public.import_batches where id = $1"
    assert await connection.fetchval(batches, batch) == "fatto"
    assert await _undo(connection, batch) == {"removed": 30, "restored": 0, "kept": [], "left": 0}
    assert await connection.fetchval(batches, batch) == "annullato"
    left = "select count(*) from public.contacts where import_batch_id = $1"
    assert await connection.fetchval(left, batch) == 0


@pytest.mark.parametrize("is_used", [True, False])
async def test_who_came_out_of_the_trash_goes_back_unless_needed_since(is_used: bool, connection: Connection) -> None:
    await _send(connection, await _begin(connection), [ANNA])
    thrown_away = "update public.contacts set deleted_at = now() - interval '29 days' where name = 'Anna Bruni'"
    await connection.execute(thrown_away)
    batch = await _begin(connection)
    await _send(connection, batch, [{**ANNA, "job_title": "Sindaca"}])
    anna = await _contact(connection, "Anna Bruni")
    if is_used:
        await connection.execute(
            "insert into public.notes (user_id, contact_id, body) values ($1, $2, 'Richiamare')", OWNER, anna["id"]
        )
    undone = await _undo(connection, batch)
    assert [kept["name"] for kept in undone["kept"]] == (["Anna Bruni"] if is_used else [])
    anna = await _contact(connection, "Anna Bruni")
    now = await connection.fetchval("select now()")
    assert (anna["deleted_at"], anna["job_title"]) == (None if is_used else now, None)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_two_imports_are_undone_in_any_order(order: tuple[int, int], connection: Connection) -> None:
    await _send(connection, await _begin(connection), [{**ANNA, "job_title": "Socia"}])
    batches = []
    for job_title in ("Capa", "Sindaca"):
        batches.append(await _begin(connection))
        await _send(connection, batches[-1], [{**ANNA, "job_title": job_title}])
    for place in order:
        assert (await _undo(connection, batches[place]))["restored"] == 1
    assert (await _contact(connection, "Anna Bruni"))["job_title"] == "Socia"


async def test_an_import_can_be_undone_when_a_former_company_was_erased(connection: Connection) -> None:
    await _send(connection, await _begin(connection), [{**ANNA, "company": "Vecchia Srl"}])
    batch = await _begin(connection)
    await _send(connection, batch, [{**ANNA, "company": "Nuova Srl", "job_title": "Capa"}])
    await _call(connection, crm.ERASE.removeprefix("public."), (await _contact(connection, "Vecchia Srl"))["id"])
    undone = await _undo(connection, batch)
    assert (undone["removed"], undone["restored"]) == (1, 1)
    anna = await _contact(connection, "Anna Bruni")
    assert (anna["company_id"], anna["job_title"]) == (None, None)


@pytest.mark.parametrize(
    "call", ["import_contacts($1, '[]')", "finish_import($1)", "undo_import($1)"], ids=["import", "finish", "undo"]
)
@pytest.mark.parametrize("who", ["a stranger", "a closed import"])
async def test_an_import_is_its_owners_and_ends(call: str, who: str, connection: Connection) -> None:
    batch = await _begin(connection)
    if who == "a closed import":
        await _undo(connection, batch)
    with pytest.raises(asyncpg.PostgresError) as refused:
        await _call(connection, call, batch, role="stranger" if who == "a stranger" else "owner")
    assert refused.value.sqlstate == "SC031"


async def test_an_import_finds_and_changes_no_contact_of_a_stranger(connection: Connection) -> None:
    theirs = await crm.contact(connection, STRANGER, first_name="Anna", last_name="Bruni", tax_code=TAX_CODE)
    await connection.execute(
        "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, 'anna@bruni.it')",
        STRANGER,
        theirs,
    )
    row = {**ANNA, "tax_code": TAX_CODE, "id": str(theirs), "user_id": str(STRANGER), "company_id": str(theirs)}
    answer = await _send(connection, await _begin(connection), [row])
    assert (answer["created"], answer["updated"]) == (1, 0)
    anna = await connection.fetchrow("select * from public.contacts where id = $1", theirs)
    assert anna is not None
    assert anna["user_id"] == STRANGER
    assert anna["import_batch_id"] is None


@pytest.mark.parametrize(
    "consent", [{"channels": ["piccione"]}, {"channels": [], "state": "forse"}, {"at": "2999-01-01"}]
)
async def test_an_unreadable_consent_opens_no_import(consent: Row, connection: Connection) -> None:
    with pytest.raises(asyncpg.DataError):
        await _begin(connection, consent)


async def test_more_than_five_hundred_rows_are_refused(connection: Connection) -> None:
    batch = await _begin(connection)
    with pytest.raises(asyncpg.InvalidParameterValueError):
        await _send(connection, batch, [{"first_name": "Ugo"}] * 501)


async def test_a_large_import_between_small_accounts_reads_no_row_for_each_pair(connection: Connection) -> None:
    """Statistics of a young installation: everybody has a handful of contacts, who imports is not in them yet."""
    await connection.execute("delete from public.contacts where user_id = $1", OWNER)
    await connection.execute(
        """
        with people as (
          insert into auth.users (id, email, email_confirmed_at)
          select gen_random_uuid(), number || '@esempio.it', now() from generate_series(1, 50) as number returning id
        ), added as (
          insert into public.contacts (user_id, type, first_name)
          select id, 'persona', 'Uno' from people, generate_series(1, 3) returning user_id, id
        ), phones as (
          insert into public.contact_phones (user_id, contact_id, value, norm)
          select user_id, id, '333', '+39333' || row_number() over () + 1000000 from added
        )
        insert into public.contact_emails (user_id, contact_id, value)
        select user_id, id, id || '@esempio.it' from added;
        analyze public.contacts, public.contact_emails, public.contact_phones;
        """
    )
    rows = [
        {
            "row": number, "first_name": f"N{number}", "emails": [f"{number}@ditta.it"],
            "phones": [{"value": "333", "norm": f"+39340{1000000 + number}"}],
        }
        for number in range(300)
    ]  # fmt: skip
    batch = await _begin(connection)
    read = "select sum(idx_tup_fetch + seq_tup_read) from pg_stat_xact_user_tables where relname like 'contact%'"
    async with connection.transaction():
        before = await connection.fetchval(read)
        for start in range(0, 300, 100):
            assert (await _send(connection, batch, rows[start : start + 100]))["created"] == 100
        # Half a million: a few questions read all that are there, once for each row. For each pair it was 21 million.
        assert await connection.fetchval(read) - before < 2_000_000
