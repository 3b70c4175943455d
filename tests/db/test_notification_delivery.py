"""Notices: one door for all, what reaches which channel, and when."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from backend.core import config
from tests.db import access, accounts, home
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

ROOT = Path(config.ROOT)
ONE_DOOR = "db/schemas/47_notification_delivery.sql"
ROWS = "select * from public.notifications where user_id = $1 and kind <> 'benvenuto' order by created_at, id"


async def notify(connection: Connection, user_id: UUID, kind: str = "avviso", **told: Any) -> UUID | None:
    """Tell somebody something."""
    values = {"title": "Titolo", "message": "Testo", **told}
    names = ", ".join(f"_{name} => ${place}" for place, name in enumerate(values, 3))
    answer: UUID | None = await connection.fetchval(
        f"select private.notify($1, $2, {names})", user_id, kind, *values.values()
    )
    return answer


async def deliveries(connection: Connection, user_id: UUID, channel: str = "mail") -> list[asyncpg.Record]:
    """List what goes to a person on a channel, but for the welcome."""
    return await connection.fetch(
        """
        select * from private.notification_deliveries
        where user_id = $1 and channel = $2::text::public.notification_channel and kind <> 'benvenuto'
        order by created_at
        """,
        user_id,
        channel,
    )


async def choose(connection: Connection, user_id: UUID, **settings: Any) -> None:
    """Say when somebody wants mail."""
    values = {"user_id": user_id, **settings}
    places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
    await connection.execute(
        f"insert into public.notification_settings ({', '.join(values)}) values ({places})", *values.values()
    )


async def switch(connection: Connection, user_id: UUID, category: str, channel: str, is_enabled: bool) -> None:
    """Switch a channel of a category on or off."""
    await connection.execute(
        "insert into public.notification_prefs values ($1, $2, $3, $4)"
        " on conflict (user_id, category, channel) do update set is_enabled = excluded.is_enabled",
        user_id,
        category,
        channel,
        is_enabled,
    )


async def claim(connection: Connection, at: datetime | None = None) -> list[dict[str, Any]]:
    """Take what is due by mail for somebody and return it."""
    while row := await connection.fetchrow("select * from private.claim_notification_mail(coalesce($1, now()))", at):
        if row["email"] is not None:
            items: list[dict[str, Any]] = json.loads(row["items"])
            return items
    return []


LATER = datetime(2199, 1, 15, 12, tzinfo=UTC)


def sources() -> list[tuple[str, str]]:
    """Every file of SQL and Python that may tell somebody something, but for the history."""
    files = [*(ROOT / "db" / "schemas").glob("*.sql"), *(ROOT / "functions").rglob("*.py")]
    return [(str(path.relative_to(ROOT)), path.read_text()) for path in files]


def test_only_one_door_writes_notifications() -> None:
    writers = [name for name, text in sources() if re.search(r"insert into public\.notifications\b", text)]
    assert writers == [ONE_DOOR]


async def test_every_kind_that_is_told_is_registered_and_every_registered_kind_is_told(connection: Connection) -> None:
    registered = {row["kind"] for row in await connection.fetch("select kind from public.notification_kinds")}
    told = set()
    for name, text in sources():
        for call in re.finditer(r"private\.notify\((.*?)(?:;|\bfrom\b)", text, re.DOTALL):
            if name != ONE_DOOR:
                told |= {word for word in re.findall(r"'([a-z_]+)'", call[1]) if word in registered} or {name}
    insights = next(text for name, text in sources() if name.endswith("54_notices.sql"))
    listed = re.search(r"fact\.kind in \(([^)]*)\)", insights)
    assert listed is not None
    told |= set(re.findall(r"'([a-z_]+)'", listed[1]))
    # What is inserted without a kind is an «avviso».
    assert told - {"db/schemas/54_notices.sql"} | {"avviso"} == registered


async def test_kinds_of_one_category_share_their_channels(connection: Connection) -> None:
    shared = await connection.fetch(
        "select category, count(distinct channels) as ways from public.notification_kinds group by category"
    )
    assert {row["ways"] for row in shared} == {1}


async def test_an_unknown_kind_is_refused(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    with pytest.raises(asyncpg.InvalidParameterValueError):
        await notify(connection, user_id, "sconosciuto")


async def test_a_deleted_account_is_told_nothing(connection: Connection) -> None:
    assert await notify(connection, UUID(int=7)) is None


async def test_a_key_is_told_once_even_after_its_owner_deleted_it(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    assert await notify(connection, user_id, dedupe_key="a") is not None
    await connection.execute("delete from public.notifications where user_id = $1", user_id)
    assert await notify(connection, user_id, dedupe_key="a") is None
    assert await connection.fetch(ROWS, user_id) == []


async def test_many_of_a_family_are_one_row_and_one_mail(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    for number in (1, 2, 3):
        await notify(
            connection,
            user_id,
            "fattura_scaduta",
            title=f"Fattura {number}",
            entity_type="invoice",
            entity_id=UUID(int=number),
        )
    [row] = await connection.fetch(ROWS, user_id)
    assert (row["title"], row["message"], row["batch_count"], row["entity_id"]) == (
        "3 fatture scadute",
        "Fattura 1 · Fattura 2 · Fattura 3",
        3,
        None,
    )
    assert row["action_url"] == "/documents/fatture?tipo=attive"
    titles = [item["title"] for item in await claim(connection, LATER)]
    assert sorted(titles) == ["Fattura 1", "Fattura 2", "Fattura 3"]
    assert await claim(connection, LATER) == []


async def test_what_was_read_is_not_added_to(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await notify(connection, user_id, "fattura_scaduta", title="Fattura 1")
    await connection.execute("update public.notifications set is_read = true where user_id = $1", user_id)
    await notify(connection, user_id, "fattura_scaduta", title="Fattura 2")
    assert {row["title"] for row in await connection.fetch(ROWS, user_id)} == {"Fattura 1", "Fattura 2"}


async def test_channels_are_those_of_the_kind_until_their_owner_chooses(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await notify(connection, user_id, "fattura_scaduta")
    await notify(connection, user_id, "documento_illeggibile")
    assert [row["kind"] for row in await deliveries(connection, user_id)] == ["fattura_scaduta"]
    await switch(connection, user_id, "documenti", "mail", True)
    await switch(connection, user_id, "incassi", "mail", False)
    await switch(connection, user_id, "incassi", "in_app", False)
    await notify(connection, user_id, "documento_illeggibile")
    await notify(connection, user_id, "fattura_scaduta")
    mailed = [row["kind"] for row in await deliveries(connection, user_id)]
    assert sorted(mailed) == ["documento_illeggibile", "fattura_scaduta"]
    # The second unreadable document joined the first.
    rung = {row["kind"]: row["batch_count"] for row in await connection.fetch(ROWS, user_id)}
    assert rung == {"documento_illeggibile": 2, "fattura_scaduta": 1}


async def test_a_kind_that_is_muted_comes_nowhere(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await choose(connection, user_id, muted=["fattura_scaduta", "avviso"])
    await notify(connection, user_id, "fattura_scaduta")
    await notify(connection, user_id, "in_scadenza")
    # The system's own kinds cannot be silenced.
    await notify(connection, user_id, "avviso")
    assert {row["kind"] for row in await connection.fetch(ROWS, user_id)} == {"in_scadenza", "avviso"}
    assert [row["kind"] for row in await deliveries(connection, user_id)] == ["in_scadenza"]


async def test_channels_of_the_system_cannot_be_switched_off(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await switch(connection, user_id, "sistema", "in_app", False)


@pytest.mark.parametrize(
    "change",
    [
        "update public.notifications set is_read = true where user_id = $1",
        "delete from public.notifications where user_id = $1",
        "insert into public.notification_prefs values ($1, 'incassi', 'mail', false)",
        "insert into public.notification_settings (user_id, muted) values ($1, '{fattura_scaduta}')",
    ],
    ids=["read", "deleted", "switched off", "muted"],
)
async def test_what_is_not_wanted_any_more_is_not_mailed(change: str, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await notify(connection, user_id, "fattura_scaduta")
    await connection.execute(change, user_id)
    assert await claim(connection, LATER) == []
    assert [row["state"] for row in await deliveries(connection, user_id)] == ["esclusa"]


async def test_quiet_hours_chosen_later_hold_what_is_due(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await choose(connection, user_id, digest="subito", quiet_from=None, quiet_to=None)
    await notify(connection, user_id, "fattura_scaduta")
    await connection.execute(
        "update public.notification_settings set quiet_from = '11:00', quiet_to = '15:00', zone = 'UTC'"
        " where user_id = $1",
        user_id,
    )
    assert await claim(connection, LATER) == []
    [row] = await deliveries(connection, user_id)
    assert (row["state"], row["not_before"]) == ("attesa", LATER.replace(hour=15))
    assert len(await claim(connection, LATER.replace(hour=15))) == 1


async def test_an_unconfirmed_address_gets_no_mail(connection: Connection) -> None:
    user_id = await accounts.create(connection, confirmed=False)
    await notify(connection, user_id, "fattura_scaduta")
    assert await claim(connection, LATER) == []


async def test_the_defaults_without_a_row_are_those_of_the_table(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    without = await connection.fetchrow("select * from private.notification_settings_of($1)", user_id)
    await choose(connection, user_id)
    assert without == await connection.fetchrow(
        "select * from public.notification_settings where user_id = $1", user_id
    )


@pytest.mark.parametrize("zone", ["Europe/Rome", "America/Argentina/Buenos_Aires", "UTC", "Asia/Kathmandu"])
async def test_zones_are_iana_names(zone: str, connection: Connection) -> None:
    await choose(connection, await accounts.create(connection), zone=zone)


@pytest.mark.parametrize("zone", ["Roma", "UTC+3", "Europe/Atlantide", "", "<x>5"])
async def test_other_zones_are_refused(zone: str, connection: Connection) -> None:
    user_id = await accounts.create(connection)
    with pytest.raises(asyncpg.CheckViolationError):
        await choose(connection, user_id, zone=zone)


MOMENTS = [
    # A plain day, in winter and in summer.
    ("at once", "subito", None, "2026-02-10T12:00Z", "2026-02-10T12:10Z"),
    ("next hour", "oraria", None, "2026-02-10T12:00Z", "2026-02-10T13:00Z"),
    ("eight o'clock today", "giornaliera", None, "2026-02-10T05:00Z", "2026-02-10T07:00Z"),
    ("eight o'clock tomorrow", "giornaliera", None, "2026-07-10T06:00Z", "2026-07-11T06:00Z"),
    ("night, before midnight", "subito", ("22:00", "07:00"), "2026-02-10T22:30Z", "2026-02-11T06:00Z"),
    ("night, after midnight", "subito", ("22:00", "07:00"), "2026-02-10T01:30Z", "2026-02-10T06:00Z"),
    ("siesta", "subito", ("13:00", "15:00"), "2026-02-10T12:00Z", "2026-02-10T14:00Z"),
    ("the end is not quiet", "subito", ("13:00", "15:00"), "2026-02-10T13:50Z", "2026-02-10T14:00Z"),
    ("before the siesta", "subito", ("13:00", "15:00"), "2026-02-10T11:00Z", "2026-02-10T11:10Z"),
    ("the hour may be quiet", "oraria", ("13:00", "15:00"), "2026-02-10T11:20Z", "2026-02-10T14:00Z"),
    ("eight may be quiet", "giornaliera", ("22:00", "09:30"), "2026-02-10T12:00Z", "2026-02-11T08:30Z"),
    # 29 March: 02:00 is 03:00. 25 October: 03:00 is 02:00 again.
    ("eight, the night of spring", "giornaliera", None, "2026-03-28T12:00Z", "2026-03-29T06:00Z"),
    ("eight, the night of autumn", "giornaliera", None, "2026-10-24T12:00Z", "2026-10-25T07:00Z"),
    ("night of spring", "subito", ("22:00", "07:00"), "2026-03-28T22:00Z", "2026-03-29T05:00Z"),
    ("night of autumn", "subito", ("22:00", "07:00"), "2026-10-24T22:00Z", "2026-10-25T06:00Z"),
    ("the end is skipped", "subito", ("22:00", "02:30"), "2026-03-28T23:00Z", "2026-03-29T01:30Z"),
    ("the end comes twice", "subito", ("22:00", "02:30"), "2026-10-24T22:00Z", "2026-10-25T01:30Z"),
    ("hours of spring", "oraria", None, "2026-03-29T00:20Z", "2026-03-29T01:00Z"),
    ("hours of autumn", "oraria", None, "2026-10-25T00:20Z", "2026-10-25T01:00Z"),
]


@pytest.mark.parametrize(
    ("digest", "quiet", "at", "due"), [row[1:] for row in MOMENTS], ids=[row[0] for row in MOMENTS]
)
async def test_a_notice_leaves_with_its_digest_and_after_the_quiet_hours(
    digest: str, quiet: tuple[str, str] | None, at: str, due: str, connection: Connection
) -> None:
    start, end = (time.fromisoformat(each) for each in quiet) if quiet else (None, None)
    user_id = await accounts.create(connection)
    await choose(connection, user_id, digest=digest, quiet_from=start, quiet_to=end)
    leaves = await connection.fetchval(
        "select private.delivery_time($2, private.notification_settings_of($1), false, interval '10 minutes')",
        user_id,
        datetime.fromisoformat(at),
    )
    assert leaves == datetime.fromisoformat(due)


async def test_at_no_moment_of_a_year_a_notice_leaves_in_quiet_hours(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    for zone, start, end in (("Europe/Rome", "22:15", "02:30"), ("America/New_York", "01:30", "03:10")):
        await connection.execute("delete from public.notification_settings where user_id = $1", user_id)
        await choose(
            connection, user_id, zone=zone, quiet_from=time.fromisoformat(start), quiet_to=time.fromisoformat(end)
        )
        wrong = await connection.fetchval(
            """
            select count(*) from private.notification_settings_of($1) as chosen,
              generate_series('2026-01-01Z'::timestamptz, '2026-12-31Z', interval '17 minutes') as moment,
              lateral (select private.after_quiet(moment, chosen) as leaves) as answer
            where leaves < moment or leaves > moment + interval '6 hours'
              or private.after_quiet(leaves, chosen) > leaves
            """,
            user_id,
        )
        assert wrong == 0


async def test_urgent_kinds_do_not_wait_for_the_digest(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await choose(connection, user_id, quiet_from=None, quiet_to=None)
    await notify(connection, user_id, "approvazione")
    assert len(await claim(connection)) == 1


async def test_what_its_owner_deleted_comes_back_for_a_day(connection: Connection) -> None:
    stranger = access.PEOPLE["stranger"]
    ids = [await notify(connection, user_id, title="Mia") for user_id in (home.ME, stranger)]
    async with access.acting(connection, home.ROLE):
        await connection.execute("delete from public.notifications")
    async with access.acting(connection, "stranger"):
        await connection.execute("select public.restore_notifications($1)", ids)
        assert ids[0] not in {row["id"] for row in await connection.fetch("select id from public.notifications")}
    before = "select count(*) from public.notifications where id = $1"
    assert await connection.fetchval(before, ids[0]) == 0
    await home.call(connection, "restore_notifications", ids)
    assert await connection.fetchval(before, ids[0]) == 1
    await connection.execute("delete from public.notifications where user_id = $1", stranger)
    assert await connection.fetchval("select count(*) from private.deleted_notifications where id = $1", ids[1]) == 0


async def test_choices_are_the_defaults_until_their_owner_chooses(connection: Connection) -> None:
    before = json.loads(await home.call(connection, "notification_choices"))
    assert before["settings"]["digest"] == "giornaliera"
    assert before["channels"]["incassi"] == {"in_app": True, "mail": True, "push": False}
    assert before["channels"]["briefing"] == {"in_app": False, "mail": False, "push": False}
    await switch(connection, home.ME, "incassi", "mail", False)
    await choose(connection, home.ME, digest="oraria")
    after = json.loads(await home.call(connection, "notification_choices"))
    assert after["settings"]["digest"] == "oraria"
    assert after["channels"]["incassi"] == {"in_app": True, "mail": False, "push": False}


async def test_an_account_that_goes_keeps_nothing_for_an_undo(connection: Connection) -> None:
    user_id = await accounts.create(connection)
    await notify(connection, user_id)
    # As a function of their own would do it.
    await connection.execute(
        "select set_config('request.jwt.claims', $1, true)", json.dumps({"sub": str(user_id), "role": "authenticated"})
    )
    await connection.execute("delete from auth.users where id = $1", user_id)
    assert await connection.fetchval("select count(*) from private.deleted_notifications") == 0
