"""Contacts: Italian fiscal data, the cadence «da risentire», and rows that belong to others."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from stdnum import luhn
from stdnum.it import codicefiscale

from backend.core import config
from tests.db import access, crm
from tests.db.access import PEOPLE
from tests.db.accounts import Connection, rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]
VECTORS = json.loads((config.ROOT / "tests" / "vectors" / "tax_ids.json").read_text())


@pytest.mark.parametrize("field", ["vat_number", "tax_code", "sdi_code"])
async def test_the_examples_of_client_and_server_hold_in_the_database(field: str, connection: Connection) -> None:
    """The database takes what the others make of what was typed, and nothing else."""
    examples = VECTORS[field]
    typed = [*examples["valid"], *examples["invalid"]]
    good = set(examples["valid"].values())
    assert await _judge(connection, f"is_{field}", [*good]) == dict.fromkeys(good, True)
    assert await _judge(connection, f"is_{field}", typed) == {text: text in good for text in typed}


async def test_vat_numbers_are_judged_as_the_oracle_judges_them(connection: Connection) -> None:
    chance = random.Random(1)
    typed = [f"{chance.randrange(10**7):07}{chance.choice([1, 15, 58, 100, 120])}".ljust(11, "0") for _ in range(40)]
    typed += [f"{number[:10]}{digit}" for number in typed for digit in range(10)]
    # Without the office, which is only worth a warning.
    assert await _judge(connection, "is_vat_number", typed) == {text: luhn.is_valid(text) for text in typed}


async def test_tax_codes_are_judged_as_the_oracle_judges_them(connection: Connection) -> None:
    chance = random.Random(2)
    starts = [
        f"RSSMRA{chance.randrange(100):02}{chance.choice('ABCDEHLMPRSTF')}{chance.randrange(75):02}F205"
        for _ in range(200)
    ]
    typed = [start + codicefiscale.calc_check_digit(start) for start in starts] + [start + "A" for start in starts]
    assert await _judge(connection, "is_tax_code", typed) == {text: codicefiscale.is_valid(text) for text in typed}


async def _judge(connection: Connection, function: str, typed: list[str]) -> dict[str, bool]:
    rows = await connection.fetch(
        f"select typed, private.{function}(typed) as good from unnest($1::text[]) as typed", typed
    )
    return {row["typed"]: row["good"] for row in rows}


@pytest.mark.parametrize(
    "columns",
    [
        {"vat_number": "00743110158"},
        {"tax_code": "RCCMNL83S18D969A"},
        {"sdi_code": "M5UX"},
        {"pec": "studio"},
        {"website": "javascript:alert(1)"},
        {"address": '{"street": "Via Roma", "script": "x"}'},
        {"address": '["Via Roma"]'},
        {"first_name": None, "last_name": None},
        {"touch_days": 0},
    ],
    ids=lambda columns: "-".join(columns),
)
async def test_a_contact_with_impossible_data_is_refused(columns: dict[str, Any], connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await crm.contact(connection, OWNER, **columns)


async def test_companies_and_offices_have_numbers_of_their_own_kind(connection: Connection) -> None:
    await crm.contact(
        connection, OWNER, type="azienda", tax_code="00743110157", sdi_code="UFY9MH", business_name="Comune"
    )
    await crm.contact(connection, OWNER, vat_number="00743110157", tax_code="RCCMNL83S18D969H", sdi_code="0000000")


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ({"first_name": "Anna", "last_name": None}, "Anna"),
        ({"first_name": "Anna", "business_name": "Studio"}, "Anna Verdi"),
        ({"first_name": None, "last_name": None, "business_name": "Studio"}, "Studio"),
        ({"type": "azienda", "business_name": "Studio Srl"}, "Studio Srl"),
    ],
    ids=["half a name", "a person with a firm", "a firm typed as a person", "a company"],
)
async def test_a_contact_is_called_by_what_is_known(columns: dict[str, Any], name: str, connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER, **columns)
    assert await connection.fetchval("select name from public.contacts where id = $1", contact_id) == name


async def test_names_are_sorted_as_people_sort_them(connection: Connection) -> None:
    for last_name in ("Zanni", "de Rossi", "Èrcole", "Bianchi"):
        await crm.contact(connection, OWNER, first_name=None, last_name=last_name)
    rows = await connection.fetch("select name from public.contact_list where first_name is null order by name")
    assert [row["name"] for row in rows] == ["Bianchi", "de Rossi", "Èrcole", "Zanni"]


async def test_the_list_shows_each_contact_with_what_hangs_on_it(world: World) -> None:
    async with rolled_back(world.connection):
        company_id = await crm.contact(world.connection, OWNER, type="azienda", business_name="Acme")
        await world.connection.execute(
            "update public.contacts set company_id = $1 where id = $2", company_id, UUID(world.values["owner_contact"])
        )
        async with access.acting(world.connection, "owner"):
            await world.connection.execute(
                "insert into public.contact_emails (contact_id, value, is_primary) values ($1, 'S@example.it', true)",
                UUID(world.values["owner_contact"]),
            )
            row = await world.connection.fetchrow(
                "select company_name, email, phone, tags, consents from public.contact_list where id = $1",
                UUID(world.values["owner_contact"]),
            )
    assert row is not None
    assert tuple(row) == ("Acme", "S@example.it", "333 1234567", ["Cliente"], '{"email": "dato"}')


@pytest.mark.parametrize("hidden", ["deleted_at = now()", "merged_into = $2"])
async def test_what_is_merged_or_in_the_trash_is_not_listed_but_still_there(
    hidden: str, connection: Connection
) -> None:
    contact_id, other = await crm.contact(connection, OWNER), await crm.contact(connection, OWNER)
    await connection.execute(
        f"update public.contacts set {hidden} where id = $1 and $2::uuid is not null", contact_id, other
    )
    async with access.acting(connection, "owner"):
        found = "select count(*) from public.{} where id = any ($1)"
        assert await connection.fetchval(found.format("contact_list"), [contact_id, other]) == 1
        assert await connection.fetchval(found.format("contacts"), [contact_id, other]) == 2


# --- The cadence ---


async def _days_until_touch(connection: Connection, contact_id: UUID) -> float | None:
    """From now, which is when the contact of the test was made."""
    days: float | None = await connection.fetchval(
        "select round(extract(epoch from next_touch_at - now()) / 86400)::float from public.contacts where id = $1",
        contact_id,
    )
    return days


async def _tag(connection: Connection, contact_id: UUID, name: str, touch_days: int | None) -> UUID:
    tag_id: UUID = await connection.fetchval(
        "insert into public.tags (user_id, name, touch_days) values ($1, $2, $3) returning id", OWNER, name, touch_days
    )
    await connection.execute(
        "insert into public.contact_tags (user_id, contact_id, tag_id) values ($1, $2, $3)", OWNER, contact_id, tag_id
    )
    return tag_id


async def test_the_shortest_cadence_of_its_tags_counts_unless_a_contact_has_its_own(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    assert await _days_until_touch(connection, contact_id) is None
    await _tag(connection, contact_id, "Amici", None)
    assert await _days_until_touch(connection, contact_id) is None
    await _tag(connection, contact_id, "Lenti", 90)
    quick = await _tag(connection, contact_id, "Svelti", 30)
    assert await _days_until_touch(connection, contact_id) == 30
    await connection.execute("update public.tags set touch_days = 14 where id = $1", quick)
    assert await _days_until_touch(connection, contact_id) == 14
    await connection.execute("update public.contacts set touch_days = 7 where id = $1", contact_id)
    assert await _days_until_touch(connection, contact_id) == 7
    await connection.execute("update public.contacts set touch_days = null where id = $1", contact_id)
    await connection.execute("delete from public.tags where id = $1", quick)
    assert await _days_until_touch(connection, contact_id) == 90


async def test_an_interaction_starts_the_cadence_anew_and_taking_it_back_undoes_that(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER, touch_days=30, created_at=_now() - timedelta(days=100))
    assert await _days_until_touch(connection, contact_id) == -70
    call = (
        "insert into public.interactions (user_id, contact_id, kind, at) values ($1, $2, 'chiamata', $3) returning id"
    )
    await connection.execute(call, OWNER, contact_id, _now() - timedelta(days=50))
    assert await _days_until_touch(connection, contact_id) == -20
    latest = await connection.fetchval(call, OWNER, contact_id, _now())
    assert await _days_until_touch(connection, contact_id) == 30
    await connection.execute(call, OWNER, contact_id, _now() - timedelta(days=80))
    assert await _days_until_touch(connection, contact_id) == 30
    await connection.execute(
        "update public.interactions set at = $2 where id = $1", latest, _now() - timedelta(days=10)
    )
    assert await _days_until_touch(connection, contact_id) == 20
    await connection.execute("delete from public.interactions where contact_id = $1", contact_id)
    assert await _days_until_touch(connection, contact_id) == -70


async def test_the_cadence_follows_what_a_merge_moves(connection: Connection) -> None:
    winner, loser = await crm.contact(connection, OWNER), await crm.contact(connection, OWNER)
    await _tag(connection, loser, "Svelti", 30)
    await connection.execute(
        "insert into public.interactions (user_id, contact_id, kind, at) values ($1, $2, 'altro', $3)",
        OWNER,
        loser,
        _now() - timedelta(days=10),
    )
    assert (await _days_until_touch(connection, loser), await _days_until_touch(connection, winner)) == (20, None)
    for table in ("interactions", "contact_tags"):
        await connection.execute(f"update public.{table} set contact_id = $1 where contact_id = $2", winner, loser)
    assert (await _days_until_touch(connection, loser), await _days_until_touch(connection, winner)) == (None, 20)


async def test_a_snooze_ends_with_the_next_interaction(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER, touch_days=30)
    snoozed = "select snoozed_until from public.contacts where id = $1"
    async with access.acting(connection, "owner"):
        until = _now() + timedelta(days=3)
        await connection.execute("update public.contacts set snoozed_until = $2 where id = $1", contact_id, until)
        assert await connection.fetchval(snoozed, contact_id) == until
        await connection.execute(
            "insert into public.interactions (contact_id, kind) values ($1, 'incontro')", contact_id
        )
        assert await connection.fetchval(snoozed, contact_id) is None


async def test_what_is_computed_is_not_written_by_hand(connection: Connection) -> None:
    contact_id = await crm.contact(connection, OWNER)
    for column in ("next_touch_at", "last_interaction_at"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with connection.transaction(), access.acting(connection, "owner"):
                await connection.execute(f"update public.contacts set {column} = now() where id = $1", contact_id)


def _now() -> datetime:
    return datetime.now().astimezone()


# --- Rows of others ---

ATTACKS = {
    "company": "update public.contacts set company_id = '{stranger_contact}' where id = '{owner_contact}'",
    "new company": "insert into public.contacts (first_name, company_id) values ('x', '{stranger_contact}')",
    "email": "insert into public.contact_emails (contact_id, value) values ('{stranger_contact}', 'x@example.it')",
    "phone": (
        "insert into public.contact_phones (contact_id, value, norm) values ('{stranger_contact}', '1', '+391234567')"
    ),
    "note": "insert into public.notes (contact_id, body) values ('{stranger_contact}', 'x')",
    "interaction": "insert into public.interactions (contact_id, kind) values ('{stranger_contact}', 'altro')",
    "tag on a stranger": (
        "insert into public.contact_tags (contact_id, tag_id) values ('{stranger_contact}', '{owner_free_tag}')"
    ),
    "tag of a stranger": (
        "insert into public.contact_tags (contact_id, tag_id) values ('{owner_contact}', '{stranger_tag}')"
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
async def test_no_row_points_at_a_stranger(attack: str, world: World) -> None:
    async with rolled_back(world.connection):
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with world.connection.transaction(), access.acting(world.connection, "owner"):
                await world.connection.execute(access.fill(ATTACKS[attack], world.values))


async def test_of_a_row_that_goes_its_owner_alone_is_told(connection: Connection) -> None:
    """A browser that follows a table is told of a deletion by the replica identity, which must name the owner."""
    rows = await connection.fetch(
        """
        select prrelid::regclass::text as name from pg_publication_rel
        join pg_publication on pg_publication.oid = prpubid and pubname = 'supabase_realtime'
        where not exists (
          select from pg_index join pg_class on pg_class.oid = indrelid
          join pg_attribute on attrelid = indrelid and attnum = any (indkey) and attname = 'user_id'
          where indrelid = prrelid and case when relreplident = 'd' then indisprimary else indisreplident end
        )
        """
    )
    assert [row["name"] for row in rows] == []
