"""Rights of a person's clients: what is found about a contact, requests with their month, erasures and certificates."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.db import access, channels, crm, documents, work
from tests.db.access import PEOPLE
from tests.db.accounts import Connection
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
# References to a contact that are not data about it, and why.
LEFT_OUT = {
    "contacts.company_id": "people who work for a company are contacts of their own",
    "contacts.merged_into": "who was merged into it is in its card",
    "contact_search.contact_id": "an index, computed from the card",
    "contact_distinct.a_id": "says only that two contacts are not one",
    "contact_distinct.b_id": "says only that two contacts are not one",
    "merge_log.winner_id": "how to undo a merge, of rows that are in the card; goes with the contact",
    "merge_log.loser_id": "how to undo a merge; an erasure empties it",
    "import_changes.contact_id": "how to undo an import, of rows that are in the card; goes with the contact",
    "documents.contact_suggestion": "a guess: among what may be about the contact",
}


async def _find(connection: Connection, contact_id: UUID) -> dict[tuple[str, str, str], int]:
    async with access.acting(connection, "owner"):
        rows = await connection.fetch("select * from public.find_contact_data($1)", contact_id)
    return {("forse" if row["domain"] == "forse" else "certo", row["place"], row["fate"]): row["found"] for row in rows}


async def _register(connection: Connection, contact_id: UUID, kind: str = "copia", day: date | None = None) -> Any:
    async with access.acting(connection, "owner"):
        return await connection.fetchrow(
            "select * from public.register_contact_request($1, $2, $3, ' una lettera ')", contact_id, kind, day
        )


async def _today(connection: Connection) -> date:
    today: date = await connection.fetchval("select private.today()")
    return today


async def test_each_reference_to_a_contact_is_found_or_left_out_for_a_reason(connection: Connection) -> None:
    rows = await connection.fetch(
        """
        select relname || '.' || attname as name from pg_constraint
        join pg_class on pg_class.oid = conrelid
        join pg_attribute on attrelid = conrelid and attnum = conkey[array_length(conkey, 1)]
        where contype = 'f' and confrelid = 'public.contacts'::regclass
        """
    )
    places = await connection.fetch("select place || '.' || unnest(keys) as name from private.contact_places")
    found = {row["name"] for row in places}
    assert {row["name"] for row in rows} == found - {"consent_events.contact_id"} | set(LEFT_OUT)
    assert found & set(LEFT_OUT) == set()


async def test_everything_about_a_contact_is_found_by_table(world: World, connection: Connection) -> None:
    contact_id = UUID(world.values["owner_contact"])
    found = await _find(connection, contact_id)
    for place in ("contacts", "contact_emails", "contact_phones", "contact_tags", "notes", "interactions", "memories"):
        assert found["certo", place, "via"] >= 1, place
    assert found["certo", "consent_events", "resta"] == 1
    assert found["certo", "contact_requests", "resta"] == 1


async def test_mentions_are_apart_and_in_no_copy(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER, first_name="Zoe", last_name="Quarti", vat_number="00743110157")
    other = await crm.contact(connection, OWNER, first_name="Luca")
    await work.task(connection, OWNER, title="Sentire zoe quarti", contact_id=other)
    await work.task(connection, OWNER, title="Sentire Zoe Quartiere", contact_id=other)
    scan = await documents.document(connection, OWNER, filename="scansione.pdf")
    await documents.page(connection, scan, "Spett. ditta, partita IVA 00743110157")
    await connection.execute(
        "insert into public.notes (user_id, contact_id, body) values ($1, $2, 'Lo conosce Quarti  Zoe')", OWNER, other
    )
    found = await _find(connection, contact_id)
    assert {key: count for key, count in found.items() if key[0] == "forse"} == {
        ("forse", "tasks", "senza_nome"): 1,
        ("forse", "documents", "resta"): 1,
        ("forse", "notes", "senza_nome"): 1,
    }
    async with access.acting(connection, "owner"):
        copy = await connection.fetchval("select public.export_contact($1)", contact_id)
    assert "Luca" not in copy
    assert json.loads(copy)["tasks"] == []


async def test_a_name_with_signs_is_no_expression(connection: Connection) -> None:
    contact_id = await crm.contact(
        connection, OWNER, type="azienda", business_name="A+B (Milano) [x]", first_name=None, last_name=None
    )
    await work.task(connection, OWNER, title="Offerta a a+b (milano) [X]")
    assert (await _find(connection, contact_id))["forse", "tasks", "senza_nome"] == 1


async def test_a_name_of_two_contacts_and_a_single_word_are_no_mention(connection: Connection) -> None:
    company = {"type": "azienda", "first_name": None, "last_name": None}
    for columns, title in (
        ({"first_name": "Zoe", "last_name": "Quarti"}, "Sentire Zoe Quarti"),
        ({**company, "business_name": "Verderame"}, "Ordinare il verderame"),
    ):
        contact_id = await crm.contact(connection, OWNER, **columns)
        task = (await work.task(connection, OWNER, title=title))["id"]
        own = (await work.task(connection, OWNER, title=title, contact_id=contact_id))["id"]
        if columns.get("first_name"):
            await crm.contact(connection, OWNER, **columns)
        async with access.acting(connection, "owner"):
            await crm.erase(connection, contact_id)
        assert await connection.fetchval("select title from public.tasks where id = $1", task) == title
        # What is linked is about this one.
        linked = await connection.fetchval("select title from public.tasks where id = $1", own)
        assert linked.endswith("contatto cancellato")


async def test_a_copy_names_the_controller_and_nobody_else(world: World, connection: Connection) -> None:
    contact_id = await channels.reachable(connection, OWNER, "copia@example.it")
    await channels.receive(
        connection, OWNER, party="copia@example.it", sender="copia@example.it", recipients=["terzo@example.it"],
        body="Ecco i miei dati", quoted="Terzo scrisse",
    )  # fmt: skip
    await connection.execute("update public.profiles set business_name = 'Studio Io' where user_id = $1", OWNER)
    async with access.acting(connection, "owner"):
        answer = await connection.fetchval("select public.export_contact($1)", contact_id)
    copy = json.loads(answer)
    assert copy.pop("controller")["name"] == "Studio Io"
    assert [mail["body"] for mail in copy["received_mails"]] == ["Ecco i miei dati"]
    assert "terzo" not in answer.lower()
    assert str(OWNER) not in json.dumps(copy)


async def test_a_request_is_due_after_a_calendar_month_and_once_extended_after_three(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    due = await connection.fetch(
        """
        insert into public.contact_requests (user_id, contact_name, kind, received_on, extended_at, extension_reason)
        values ($1, 'A', 'copia', '2026-01-31', null, null), ($1, 'A', 'copia', '2026-01-31', now(), 'Molti dati'),
          ($1, 'A', 'copia', '2026-11-28', null, null)
        returning due_on
        """,
        OWNER,
    )
    assert [row["due_on"] for row in due] == [date(2026, 2, 28), date(2026, 4, 30), date(2026, 12, 28)]
    request = await _register(connection, contact_id)
    assert (request["contact_name"], request["received_by"]) == ("Anna Verdi", "una lettera")
    async with access.acting(connection, "owner"):
        await connection.execute("select public.extend_contact_request($1, 'Molti dati da cercare')", request["id"])
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction(), access.acting(connection, "owner"):
            await connection.execute("select public.extend_contact_request($1, 'Ancora')", request["id"])
    assert refusal.value.sqlstate == "SC053"


async def test_the_same_request_twice_is_one_and_a_closed_one_stays_closed(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    first, second = [await _register(connection, contact_id) for _ in range(2)]
    assert first["id"] == second["id"]
    close = "select (public.close_contact_request($1, $2)).outcome"
    async with access.acting(connection, "owner"):
        outcomes = [await connection.fetchval(close, first["id"], way) for way in ("soddisfatta", "rifiutata")]
    assert outcomes == ["soddisfatta", "soddisfatta"]
    assert (await _register(connection, contact_id))["id"] != first["id"]


@pytest.mark.parametrize(("days", "code"), [(1, "SC051"), (-366, "SC051")], ids=["tomorrow", "long ago"])
async def test_the_day_of_a_request_is_sensible(days: int, code: str, connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    day = await _today(connection) + timedelta(days=days)
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await _register(connection, contact_id, "copia", day)
    assert refusal.value.sqlstate == code


async def test_requests_are_bounded_and_late_ones_are_not_extended(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    late = await _register(connection, contact_id, "rettifica", await _today(connection) - timedelta(days=60))
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction(), access.acting(connection, "owner"):
            await connection.execute("select public.extend_contact_request($1, 'Molti dati')", late["id"])
    assert refusal.value.sqlstate == "SC053"
    await connection.execute(
        "insert into public.contact_requests (user_id, contact_name, kind, received_on)"
        " select $1, 'A', 'copia', '2026-01-01' from generate_series(1, 200)",
        OWNER,
    )
    with pytest.raises(asyncpg.PostgresError) as refusal:
        async with connection.transaction():
            await _register(connection, contact_id)
    assert refusal.value.sqlstate == "SC052"


async def test_nobody_reaches_a_strangers_contact_or_request(world: World, connection: Connection) -> None:
    contact_id = UUID(world.values["owner_contact"])
    request = await _register(connection, contact_id)
    for call, key in (
        ("find_contact_data($1)", contact_id),
        ("register_contact_request($1, 'copia')", contact_id),
        ("erase_contact($1, 'Anna Verdi')", contact_id),
        ("extend_contact_request($1, 'Molti dati')", request["id"]),
        ("close_contact_request($1, 'soddisfatta')", request["id"]),
        ("close_contact_request($1, 'soddisfatta')", uuid4()),
    ):
        with pytest.raises(asyncpg.PostgresError) as refusal:
            async with connection.transaction(), access.acting(connection, "stranger"):
                await connection.execute(f"select public.{call}", key)
        assert refusal.value.sqlstate == "PT404", call
    assert await connection.fetchval("select count(*) from public.contacts where id = $1", contact_id) == 1


async def test_a_request_due_within_a_week_is_an_insight_until_it_is_closed(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    today = await _today(connection)
    far = await _register(connection, contact_id, "accesso", today)
    near = await _register(connection, contact_id, "copia", today - timedelta(days=25))
    listed = "select entity_id, title from private.request_facts($1, $2)"
    rows = await connection.fetch(listed, OWNER, today)
    found = {row["entity_id"]: row["title"] for row in rows}
    assert far["id"] not in found
    days = (near["due_on"] - today).days
    assert found[near["id"]] == f"Richiesta di Anna Verdi: mancano {days} giorni"
    rows = await connection.fetch(listed, OWNER, near["due_on"])
    assert "Richiesta di Anna Verdi: scade oggi" in [row["title"] for row in rows]
    await connection.execute("select private.refresh_home($1)", OWNER)
    shown = "select state from public.insights where user_id = $1 and entity_id = $2"
    assert await connection.fetchval(shown, OWNER, near["id"]) == "nuova"
    async with access.acting(connection, "owner"):
        await connection.execute("select public.close_contact_request($1, 'soddisfatta')", near["id"])
    await connection.execute("select private.refresh_home($1)", OWNER)
    assert await connection.fetchval(shown, OWNER, near["id"]) == "risolta"


async def _whole_client(connection: Connection) -> dict[str, UUID]:
    """Make a client with mails, an invoice, a contract, a photo, work and mentions."""
    contact_id = await channels.reachable(connection, OWNER, "zoe@example.it")
    await connection.execute(
        "update public.contacts set first_name = 'Zoe', last_name = 'Quarti' where id = $1", contact_id
    )
    mail = await channels.receive(connection, OWNER, party="zoe@example.it", sender="zoe@example.it")
    invoice = await documents.document(connection, OWNER, filename="fattura.pdf", kind="fattura", contact_id=contact_id)
    await documents.store_invoices(connection, invoice, {"direction": "attiva", "counterparty_name": "Zoe Quarti"})
    await connection.execute("update public.invoices set contact_id = $2 where document_id = $1", invoice, contact_id)
    photo = await documents.document(connection, OWNER, filename="foto.jpg", kind="altro", contact_id=contact_id)
    task = (await work.task(connection, OWNER, title="Bozza per Zoe Quarti", contact_id=contact_id))["id"]
    return {"contact": contact_id, "thread": mail["thread_id"], "invoice": invoice, "photo": photo, "task": task}


async def test_an_erasure_takes_what_may_go_and_keeps_what_must_stay(world: World, connection: Connection) -> None:
    made = await _whole_client(connection)
    contact_id = made["contact"]
    await connection.execute(
        "update public.messages set content = 'Ho scritto a zoe quarti.' where id = $1",
        UUID(world.values["owner_question"]),
    )
    await connection.execute(
        "insert into public.memories (user_id, kind, body, origin, source)"
        " values ($1, 'decisione', 'A Zoe Quarti faccio lo sconto', 'utente', 'manuale')",
        OWNER,
    )
    request = await _register(connection, contact_id, "cancellazione")
    await _register(connection, contact_id, "opposizione")
    async with access.acting(connection, "owner"):
        done = await crm.erase(connection, contact_id)
    assert done["via"]["received_mails"] == done["via"]["mail_threads"] == 1
    assert done["resta"]["invoices"] == done["resta"]["mail_suppressions"] == 1
    assert done["senza_nome"]["tasks"] == done["senza_nome"]["messages"] == 1
    one = connection.fetchval
    assert await one("select count(*) from public.mail_threads where id = $1", made["thread"]) == 0
    assert await one("select title from public.tasks where id = $1", made["task"]) == "Bozza per contatto cancellato"
    invoiced = "select counterparty_name from public.invoices where document_id = $1"
    assert await one(invoiced, made["invoice"]) == "Zoe Quarti"
    is_due = "select coalesce(deleted_at < now() - interval '30 days', false) from public.documents where id = $1"
    assert [await one(is_due, made[name]) for name in ("invoice", "photo")] == [False, True]
    assert await one("select count(*) from public.memories where body ~ 'Quarti'") == 0
    assert await one("select count(*) from public.messages where content ~* 'quarti'") == 0
    assert await one("select count(*) from public.mail_suppressions where address = 'zoe@example.it'") == 1
    closed = await connection.fetchrow("select * from public.contact_requests where id = $1", request["id"])
    assert closed is not None
    assert (closed["outcome"], closed["contact_name"], closed["contact_id"]) == ("soddisfatta", "Zoe Quarti", None)
    certificate = await connection.fetchrow("select * from public.contact_erasures where contact_id = $1", contact_id)
    assert certificate is not None
    assert (certificate["initials"], certificate["request_id"]) == ("Z. Q.", request["id"])
    assert "quarti" not in certificate["lines"].lower()


async def test_nothing_that_goes_stays_behind(world: World, connection: Connection) -> None:
    """By the register, so that a new table is checked too."""
    contact_id = UUID(world.values["owner_contact"])
    async with access.acting(connection, "owner"):
        await crm.erase(connection, contact_id)
    for place in await connection.fetch("select * from private.contact_places where fate <> 'resta'"):
        for key in place["keys"]:
            count = f"select count(*) from public.{place['place']} where {key} = $1"
            assert await connection.fetchval(count, contact_id) == 0, place["place"]
    assert (
        await connection.fetchval("select count(*) from private.import_changes where contact_id = $1", contact_id) == 0
    )


async def test_a_contact_that_a_backup_brought_back_is_erased_as_before(world: World, connection: Connection) -> None:
    owner, contact_id = UUID(world.values["owner"]), UUID(world.values["owner_contact"])
    async with access.acting(connection, "owner"):
        await crm.erase(connection, contact_id)
    [queued] = await connection.fetch(
        "select convert_from(payload, 'UTF8')::jsonb as job from jobs.pgqueuer where entrypoint = 'erased_contacts'"
    )
    job = json.loads(queued["job"])
    assert (job["user_id"], job["part"]) == (str(owner), f"contact/{contact_id}/all")
    certified = "select created_at from public.contact_erasures where contact_id = $1"
    at = await connection.fetchval(certified, contact_id)
    assert datetime.fromisoformat(job["at"]) == at
    again = "select private.erase_again($1, $2, $3)"
    assert await connection.fetchval(again, owner, job["part"], at) is False
    # As the backup has it.
    await connection.execute("delete from public.contact_erasures where contact_id = $1", contact_id)
    back = "insert into public.contacts (id, user_id, first_name, created_at) values ($1, $2, 'Anna', $3)"
    await connection.execute(back, contact_id, owner, at - timedelta(days=1))
    assert await connection.fetchval(again, owner, job["part"], at - timedelta(days=2)) is False
    assert await connection.fetchval(again, owner, job["part"], at) is True
    assert await connection.fetchval("select count(*) from public.contacts where id = $1", contact_id) == 0
    assert await connection.fetchval(certified, contact_id) == at
    with pytest.raises(asyncpg.PostgresError):
        await connection.fetchval(again, owner, f"invoice/{contact_id}", at)


async def test_requests_and_certificates_are_kept_five_years(connection: Connection) -> None:
    await connection.execute(
        """
        insert into public.contact_requests (user_id, contact_name, kind, received_on, closed_at, outcome)
        values ($1, 'Vecchia', 'copia', '2020-01-01', now() - interval '61 months', 'soddisfatta'),
          ($1, 'Giovane', 'copia', '2020-01-01', now() - interval '59 months', 'soddisfatta'),
          ($1, 'Aperta', 'copia', '2015-01-01', null, null)
        """,
        OWNER,
    )
    assert await connection.fetchval("select private.forget_contact_requests(10)") == 1
    left = await connection.fetch("select contact_name from public.contact_requests where contact_name <> 'Anna Verdi'")
    assert {row["contact_name"] for row in left} == {"Giovane", "Aperta"}


async def test_a_wrong_name_erases_nothing_and_a_second_click_is_the_same_erasure(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    for typed in ("Anna", "", None):
        with pytest.raises(asyncpg.PostgresError) as refusal:
            async with connection.transaction(), access.acting(connection, "owner"):
                await connection.execute("select public.erase_contact($1, $2)", contact_id, typed)
        assert refusal.value.sqlstate == "SC054"
    async with access.acting(connection, "owner"):
        twice = [
            await connection.fetchval("select id from public.erase_contact($1, ' anna  VERDI ')", contact_id)
            for _ in range(2)
        ]
    assert twice[0] == twice[1]


async def test_names_in_json_are_replaced_and_a_figure_stays(connection: Connection) -> None:
    without = "select private.without_name($1::text::jsonb, 'zoe quarti|3331234567', 'x')::text"
    assert await connection.fetchval(without, '[{"label": "Zoe Quarti"}]') == '[{"label": "x"}]'
    assert await connection.fetchval(without, '{"cents": 3331234567}') == '{"cents": 3331234567}'


async def test_without_mentions_texts_stay_as_they_are(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER, first_name="Zoe", last_name="Quarti")
    task = (await work.task(connection, OWNER, title="Sentire Zoe Quarti"))["id"]
    async with access.acting(connection, "owner"):
        lines = await connection.fetchval("select lines from public.erase_contact($1, 'Zoe Quarti', false)", contact_id)
    assert await connection.fetchval("select title from public.tasks where id = $1", task) == "Sentire Zoe Quarti"
    assert ("tasks", "resta") in [(line["place"], line["fate"]) for line in json.loads(lines)]


async def test_a_thread_with_somebody_else_keeps_their_mails(connection: Connection) -> None:
    contact_id = await channels.reachable(connection, OWNER, "zoe@example.it")
    await channels.receive(
        connection, OWNER, party="zoe@example.it", sender="zoe@example.it", message_id="<z@example.it>"
    )
    other = await channels.receive(
        connection, OWNER, party="altri@example.it", sender="altri@example.it", reference_ids=["<z@example.it>"]
    )
    async with access.acting(connection, "owner"):
        await crm.erase(connection, contact_id)
    left = await connection.fetch("select party from public.received_mails where thread_id = $1", other["thread_id"])
    assert [row["party"] for row in left] == ["altri@example.it"]
