"""Duplicates: which pairs are found, what a merge moves, and that undoing it gives back exactly what it took."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.db import access, crm, documents, pipeline, work
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
TAX_CODE, VAT_NUMBER = "RSSMRA85T10A562S", "00743110157"
# What is computed or only says when a row was written.
UNSTABLE = ("updated_at",)


async def _rows(connection: Connection, *contacts: UUID) -> dict[str, list[Any]]:
    """Everything that two contacts are and have, table by table."""
    rows: dict[str, list[Any]] = {}
    references = await connection.fetch(
        "select * from private.contact_references() union all values ('contacts', 'id')"
    )
    for held_by, held_in in references:
        found = await connection.fetch(
            f"select (to_jsonb(t) - $2::text[])::text as row from public.{held_by} as t"
            f" where {held_in} = any ($1) order by 1",
            contacts,
            UNSTABLE,
        )
        rows[f"{held_by}.{held_in}"] = [row["row"] for row in found]
    return rows


async def _merge(connection: Connection, winner: UUID, loser: UUID, choices: Mapping[str, str] | None = None) -> UUID:
    async with access.acting(connection, "owner"):
        merge_id: UUID = await connection.fetchval(
            "select public.merge_contacts($1, $2, $3::text::jsonb)", winner, loser, json.dumps(choices or {})
        )
    return merge_id


async def _undo(connection: Connection, merge_id: UUID, role: str = "owner") -> None:
    async with access.acting(connection, role):
        await connection.execute("select public.undo_merge($1)", merge_id)


async def _pair(connection: Connection) -> tuple[UUID, UUID]:
    """Two contacts with something in every table, some of it in both."""
    winner = await crm.contact(connection, OWNER, first_name="Mario", last_name="Rossi", note="Primo", touch_days=30)
    loser = await crm.contact(
        connection, OWNER, first_name="Mario", last_name="Rosi", note="Secondo", tax_code=TAX_CODE
    )
    tags = [
        await connection.fetchval("insert into public.tags (user_id, name) values ($1, $2) returning id", OWNER, name)
        for name in ("Entrambi", "Solo uno")
    ]
    stage_id = (await pipeline.stages(connection))["Contatto"]
    await pipeline.deal(connection, OWNER, stage_id, contact_id=loser)
    for number, (contact_id, days) in enumerate(((winner, 9), (loser, 2))):
        await connection.execute(
            f"""
            insert into public.contact_emails (user_id, contact_id, value, is_primary)
              values ('{OWNER}', '{contact_id}', 'm{number}@example.it', true);
            insert into public.contact_phones (user_id, contact_id, value, norm)
              values ('{OWNER}', '{contact_id}', '33312345{number}', '+3933312345{number}');
            insert into public.contact_tags values ('{OWNER}', '{contact_id}', '{tags[0]}');
            insert into public.notes (user_id, contact_id, body) values ('{OWNER}', '{contact_id}', 'Nota {number}');
            insert into public.interactions (user_id, contact_id, kind, at)
              values ('{OWNER}', '{contact_id}', 'chiamata', now() - interval '{days} days');
            insert into public.consents (user_id, contact_id, channel, purpose, state, at)
              values ('{OWNER}', '{contact_id}', 'email', 'marketing', 'dato', now() - interval '{days} days');
            insert into public.consent_events (user_id, contact_id, channel, purpose, state, created_at)
              values ('{OWNER}', '{contact_id}', 'email', 'marketing', 'dato', now() - interval '{days} days');
            update public.contacts set snoozed_until = '2030-01-0{number + 1}' where id = '{contact_id}';
            """
        )
    await connection.execute("insert into public.contact_tags values ($1, $2, $3)", OWNER, loser, tags[1])
    return winner, loser


async def test_undoing_a_merge_gives_back_every_row_as_it_was(connection: Connection) -> None:
    pair = await _pair(connection)
    before = await _rows(connection, *pair)
    merge_id = await _merge(connection, *pair, {"last_name": "loser", "snoozed_until": "loser", "note": "winner"})
    merged = await _rows(connection, pair[0])
    assert len(merged["notes.contact_id"]) == len(merged["contact_emails.contact_id"]) == 2
    assert len(merged["deals.contact_id"]) == 1
    assert len(merged["contact_tags.contact_id"]) == 2
    assert sum(json.loads(row)["is_primary"] for row in merged["contact_emails.contact_id"]) == 1
    await _undo(connection, merge_id)
    assert await _rows(connection, *pair) == before


async def test_what_is_written_to_a_merged_contact_reaches_the_one_that_is_left(connection: Connection) -> None:
    winner, loser = await crm.contact(connection, OWNER), await crm.contact(connection, OWNER)
    await _merge(connection, winner, loser)
    async with access.acting(connection, "owner"):
        for write in (
            "insert into public.notes (contact_id, body) values ($1, 'Richiamare') returning contact_id",
            "insert into public.interactions (contact_id, kind) values ($1, 'chiamata') returning contact_id",
        ):
            assert await connection.fetchval(write, loser) == winner
    touched = "select last_interaction_at is not null from public.contacts where id = $1"
    assert [await connection.fetchval(touched, contact_id) for contact_id in (winner, loser)] == [True, False]


@pytest.mark.parametrize(
    ("table", "columns", "values"),
    [
        ("deals", "title, stage_id", "'Sito', $2"),
        ("tasks", "title", "'Chiamare'"),
        ("projects", "name", "'Sito'"),
        ("memories", "kind, body, origin, source", "'contatto', 'Paga a trenta giorni', 'utente', 'manuale'"),
        ("drafts", "channel, body", "'email', 'Buongiorno'"),
    ],
    ids=["deals", "tasks", "projects", "memories", "drafts"],
)
async def test_work_for_a_merged_contact_is_done_for_the_one_that_is_left(
    table: str, columns: str, values: str, connection: Connection
) -> None:
    winner, loser, third = [await crm.contact(connection, OWNER) for _ in range(3)]
    await _merge(connection, winner, loser)
    stage_id = (await pipeline.stages(connection))["Contatto"]
    insert = f"insert into public.{table} (user_id, contact_id, {columns}) select '{OWNER}', $1, {values}"
    written = await connection.fetchrow(
        f"{insert} where $2::uuid is not null returning id, contact_id", loser, stage_id
    )
    assert written is not None
    assert written["contact_id"] == winner
    given = f"update public.{table} set contact_id = $1 where id = $2 returning contact_id"
    assert await connection.fetchval(given, third, written["id"]) == third
    assert await connection.fetchval(given, loser, written["id"]) == winner


async def test_documents_invoices_and_those_waited_for_follow_a_merge(connection: Connection) -> None:
    winner, loser = await crm.contact(connection, OWNER), await crm.contact(connection, OWNER)
    await _merge(connection, winner, loser)
    document_id = await documents.document(connection, OWNER, contact_id=loser)
    unassigned = await documents.document(connection, OWNER)
    (invoice_id,) = await documents.store_invoices(connection, unassigned, {"contact_id": str(loser)})
    for table, row_id in (("documents", document_id), ("invoices", invoice_id)):
        hangs_on = f"select contact_id from public.{table} where id = $1"
        assert await connection.fetchval(hangs_on, row_id) == winner
    assert (await work.task(connection, OWNER, waiting_for=loser))["waiting_for"] == winner


async def test_a_merge_takes_the_chosen_fields_and_fills_the_empty_ones(connection: Connection) -> None:
    winner, loser = await _pair(connection)
    await _merge(connection, winner, loser, {"last_name": "loser"})
    left = await connection.fetchrow("select * from public.contacts where id = $1", winner)
    gone = await connection.fetchrow("select * from public.contacts where id = $1", loser)
    assert left is not None
    assert gone is not None
    assert (left["last_name"], left["note"], left["tax_code"]) == ("Rosi", "Primo", TAX_CODE)
    assert gone["merged_into"] == winner
    latest = await connection.fetchval("select max(at) from public.interactions where contact_id = $1", winner)
    assert left["last_interaction_at"] == latest
    assert (left["next_touch_at"] - latest).days == 30


async def test_what_changed_after_a_merge_outlives_its_undoing(connection: Connection) -> None:
    winner, loser = await _pair(connection)
    merge_id = await _merge(connection, winner, loser, {"last_name": "loser"})
    await connection.execute(
        f"""
        update public.contacts set last_name = 'Rossini' where id = '{winner}';
        update public.notes set body = 'Corretta' where contact_id = '{winner}' and body = 'Nota 1';
        delete from public.contact_phones where contact_id = '{winner}' and norm = '+39333123451';
        insert into public.notes (user_id, contact_id, body) values ('{OWNER}', '{winner}', 'Nuova');
        """
    )
    await _undo(connection, merge_id)
    rows = await connection.fetch(
        "select id, last_name, tax_code,"
        " array(select body from public.notes where contact_id = contacts.id order by 1),"
        " array(select value::text from public.contact_phones where contact_id = contacts.id)"
        " from public.contacts where id = any ($1) order by last_name",
        [winner, loser],
    )
    assert [tuple(row) for row in rows] == [
        (loser, "Rosi", TAX_CODE, ["Corretta"], []),
        (winner, "Rossini", None, ["Nota 0", "Nuova"], ["333123450"]),
    ]


async def test_who_refused_after_a_merge_has_refused_as_both(connection: Connection) -> None:
    winner, loser = await _pair(connection)
    merge_id = await _merge(connection, winner, loser)
    await connection.execute("update public.merge_log set created_at = now() - interval '1 day'")
    async with access.acting(connection, "owner"):
        await connection.execute(
            "select public.record_consent($1, 'email', 'marketing', 'revocato', null, null, 'telefonata')", winner
        )
    await _undo(connection, merge_id)
    states = await connection.fetch("select state from public.consents where contact_id = any ($1)", [winner, loser])
    assert [row["state"] for row in states] == ["revocato", "revocato"]


@pytest.mark.parametrize(
    ("winner", "loser", "code"),
    [
        ("own", "foreign", "SC021"),
        ("foreign", "own", "SC021"),
        ("own", "own", "SC021"),
        ("own", "deleted", "SC021"),
        ("own", "company", "SC022"),
    ],
)
async def test_what_cannot_be_merged_is_refused(winner: str, loser: str, code: str, connection: Connection) -> None:
    ids = {
        "own": await crm.contact(connection, OWNER),
        "foreign": await crm.contact(connection, STRANGER),
        "deleted": await crm.contact(connection, OWNER, deleted_at=await connection.fetchval("select now()")),
        "company": await crm.contact(connection, OWNER, type="azienda", business_name="Acme"),
    }
    with pytest.raises(asyncpg.PostgresError) as refused:
        await _merge(connection, ids[winner], ids[loser])
    assert refused.value.sqlstate == code


async def test_a_field_that_does_not_exist_cannot_be_chosen(connection: Connection) -> None:
    pair = await _pair(connection)
    with pytest.raises(asyncpg.InvalidParameterValueError):
        await _merge(connection, *pair, {"user_id": "loser"})


@pytest.mark.parametrize(
    ("role", "state", "code"),
    [("stranger", "", "SC021"), ("owner", "created_at = now() - interval '31 days'", "SC023"),
     ("owner", "undone_at = now()", "SC023")],
)  # fmt: skip
async def test_a_merge_that_is_not_ones_own_or_over_stays(
    role: str, state: str, code: str, connection: Connection
) -> None:
    merge_id = await _merge(connection, *await _pair(connection))
    if state:
        await connection.execute(f"update public.merge_log set {state} where id = $1", merge_id)
    with pytest.raises(asyncpg.PostgresError) as refused:
        await _undo(connection, merge_id, role)
    assert refused.value.sqlstate == code


async def test_a_company_is_merged_with_all_its_people_at_once(connection: Connection) -> None:
    winner, loser = [
        await crm.contact(connection, OWNER, type="azienda", first_name=None, last_name=None, business_name=name)
        for name in ("Grande Spa", "Grande S.p.A.")
    ]
    people = [await crm.contact(connection, OWNER, company_id=loser) for _ in range(30)]
    merge_id = await _merge(connection, winner, loser)
    # One change for all of them: for each of 3,000 it took longer than a call may.
    changes = "select jsonb_array_length(changes) from public.merge_log where id = $1"
    assert await connection.fetchval(changes, merge_id) < 5
    works = "select count(*) from public.contacts where company_id = $1"
    await connection.execute("update public.contacts set company_id = null where id = $1", people[0])
    assert await connection.fetchval(works, winner) == 29
    await _undo(connection, merge_id)
    assert [await connection.fetchval(works, company) for company in (winner, loser)] == [0, 29]


@pytest.mark.parametrize("is_winner", [True, False], ids=["the winner", "the loser"])
@pytest.mark.parametrize(("by_hand", "state"), [(True, "dato"), (False, "revocato")], ids=["by hand", "by a file"])
async def test_a_refusal_gives_way_only_to_a_later_word_noted_by_hand(
    is_winner: bool, by_hand: bool, state: str, connection: Connection
) -> None:
    refusing, given = await crm.contact(connection, OWNER), await crm.contact(connection, OWNER)
    await connection.execute(
        "insert into public.import_batches (user_id, file_name, kind, total, consent)"
        ' values ($1, \'f.csv\', \'csv\', 1, \'{"channels": ["email"], "source": "Modulo"}\')',
        OWNER,
    )
    note = (
        "insert into public.consents (user_id, contact_id, channel, purpose, state, source, at)"
        " values ($1, $2, 'email', 'marketing', $3, $4, now() - make_interval(days => $5))"
    )
    await connection.execute(note, OWNER, refusing, "revocato", "telefonata", 9)
    await connection.execute(note, OWNER, given, "dato", "colloquio" if by_hand else "Modulo", 2)
    pair = (refusing, given) if is_winner else (given, refusing)
    await _merge(connection, *pair)
    states = "select state from public.consents where contact_id = $1"
    assert await connection.fetchval(states, pair[0]) == state


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_two_merges_are_undone_in_any_order(order: tuple[int, int], connection: Connection) -> None:
    winner, *losers = [await crm.contact(connection, OWNER, job_title=title) for title in ("Socia", "Capa", "Sindaca")]
    merges = [await _merge(connection, winner, loser, {"job_title": "loser"}) for loser in losers]
    for place in order:
        await _undo(connection, merges[place])
    titles = await connection.fetch(
        "select job_title from public.contacts where id = any ($1) order by array_position($1, id)", [winner, *losers]
    )
    assert [row["job_title"] for row in titles] == ["Socia", "Capa", "Sindaca"]


async def test_a_merge_can_be_undone_when_a_former_company_was_erased(connection: Connection) -> None:
    companies = [
        await crm.contact(connection, OWNER, type="azienda", first_name=None, last_name=None, business_name=name)
        for name in ("Vecchia Srl", "Nuova Srl")
    ]
    winner, loser = [await crm.contact(connection, OWNER, company_id=company) for company in companies]
    await connection.execute(
        "insert into public.notes (user_id, contact_id, body) values ($1, $2, 'Mia')", OWNER, loser
    )
    merge_id = await _merge(connection, winner, loser, {"company_id": "loser"})
    async with access.acting(connection, "owner"):
        await crm.erase(connection, companies[0])
    await _undo(connection, merge_id)
    works = "select company_id from public.contacts where id = $1"
    assert [await connection.fetchval(works, each) for each in (winner, loser)] == [None, companies[1]]
    assert await connection.fetchval("select contact_id from public.notes where body = 'Mia'") == loser


async def test_who_was_told_apart_stays_so_after_a_merge(connection: Connection) -> None:
    winner, loser, third = [
        await crm.contact(connection, OWNER, first_name="Mario", last_name="Rossini") for _ in range(3)
    ]
    told = "insert into public.contact_distinct (user_id, a_id, b_id) values ($1, $2, $3)"
    await connection.execute(told, OWNER, *sorted((loser, third)))
    merge_id = await _merge(connection, winner, loser)
    assert await _found(connection, winner) == {}
    await _undo(connection, merge_id)
    assert (
        await connection.fetchval("select count(*) from public.contact_distinct where $1 in (a_id, b_id)", winner) == 0
    )


async def _found(connection: Connection, contact_id: UUID) -> dict[str, set[str]]:
    async with access.acting(connection, "owner"):
        rows = await connection.fetch("select * from public.find_duplicates(500)")
    names = {row["id"]: row["name"] for row in await connection.fetch("select id, name from public.contacts")}
    return {
        names[row["b_id"] if row["a_id"] == contact_id else row["a_id"]]: set(row["reasons"])
        for row in rows
        if contact_id in (row["a_id"], row["b_id"])
    }


async def test_duplicates_are_found_where_something_brings_them_together(connection: Connection) -> None:
    company = await crm.contact(connection, OWNER, type="azienda", business_name="Ferri Impianti")
    person = {"first_name": "Giuseppe", "last_name": "D'Angelo"}
    first = await crm.contact(connection, OWNER, **person, tax_code=TAX_CODE, company_id=company)
    others: list[dict[str, Any]] = [
        {"first_name": "Beppe", "last_name": "Angelini", "tax_code": TAX_CODE},
        {"first_name": "Dangelo", "last_name": "Giusepe"},
        {"first_name": "Giuseppina", "last_name": "D'Angelo", "company_id": company},
        {"first_name": "Carla", "last_name": "Neri", "company_id": company},
    ]
    for other in others:
        await crm.contact(connection, OWNER, **other)
    await crm.contact(connection, STRANGER, **person, tax_code=TAX_CODE)
    found = await _found(connection, first)
    assert found == {
        "Beppe Angelini": {"codice_fiscale"},
        "Dangelo Giusepe": {"nome_simile"},
        "Giuseppina D'Angelo": {"azienda", "nome_simile"},
    }
    second = await connection.fetchval("select id from public.contacts where first_name = 'Beppe'")
    await connection.execute(
        "insert into public.contact_distinct (user_id, a_id, b_id) values ($1, $2, $3)", OWNER, *sorted((first, second))
    )
    assert "Beppe Angelini" not in await _found(connection, first)


async def test_a_twin_is_found_among_many_alike_without_comparing_each_with_each(connection: Connection) -> None:
    company = await crm.contact(connection, OWNER, type="azienda", business_name="Ferri Impianti")
    await connection.execute(
        """
        with people as (
          insert into public.contacts (user_id, first_name, last_name, company_id)
          select $1, 'Cliente', 'Numero ' || no, $2 from generate_series(1, 1000) as no returning id, user_id
        )
        insert into public.contact_emails (user_id, contact_id, value)
        select user_id, id, id || '@ferri.example' from people
        """,
        OWNER,
        company,
    )
    twin = await crm.contact(connection, OWNER, first_name="Numero", last_name="Cliente 500", company_id=company)
    await connection.execute(
        "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, 'numero@ferri.example')",
        OWNER,
        twin,
    )
    assert (await _found(connection, twin))["Cliente Numero 500"] == {"azienda", "dominio", "nome"}
    body = await connection.fetchval("select prosrc from pg_proc where proname = 'find_duplicates'")
    claims = json.dumps(access.claims("owner"))
    await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
    # As the function has it.
    await connection.execute("set local enable_nestloop = off")
    plan = await connection.fetchval(f"explain (analyze, format json) {body.replace('_limit', '500')}")
    most = max(map(float, re.findall(r'"Actual Rows": ([\d.]+)', plan)))
    # Half a million pairs each with each.
    assert most < 100_000


async def test_the_hint_while_typing_tells_hard_from_soft(connection: Connection) -> None:
    known = await crm.contact(connection, OWNER, first_name="Giulia", last_name="Bianchi", vat_number=VAT_NUMBER)
    await connection.execute(
        "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, 'giulia@studiobianchi.it')",
        OWNER,
        known,
    )
    await crm.contact(connection, STRANGER, first_name="Giulia", last_name="Bianchi", vat_number=VAT_NUMBER)
    for draft, answer in (
        ({"vat_number": VAT_NUMBER}, [(known, True, ["partita_iva"])]),
        ({"emails": ["Giulia@StudioBianchi.it"]}, [(known, True, ["dominio", "email"])]),
        ({"emails": ["info@studiobianchi.it"]}, [(known, False, ["dominio"])]),
        ({"emails": ["giulia@gmail.com"]}, []),
        ({"vat_number": VAT_NUMBER, "id": str(known)}, []),
    ):
        typed = {"first_name": "Giulia", "last_name": "Bianchi", **draft}
        async with access.acting(connection, "owner"):
            rows = await connection.fetch("select * from public.similar_contacts($1::text::jsonb)", json.dumps(typed))
        assert [(row["id"], row["hard"], row["reasons"]) for row in rows] == answer


async def test_who_is_erased_after_a_merge_leaves_no_name(connection: Connection) -> None:
    winner = await crm.contact(connection, OWNER)
    loser = await crm.contact(connection, OWNER, first_name="Mario", last_name="Rosini", note="riservata")
    merge_id = await _merge(connection, winner, loser)
    async with access.acting(connection, "owner"):
        await crm.erase(connection, loser)
    left = await connection.fetchval("select merge_log::text from public.merge_log where id = $1", merge_id)
    assert "Rosini" not in left
    assert "riservata" not in left
