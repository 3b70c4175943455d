"""Uptime: what is counted, what everybody sees of it, and what an admin writes about an incident."""

from __future__ import annotations

import json
import re
from typing import Any

import asyncpg
import pytest

from scripts.paths import ROOT
from tests.db import access
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

EARLIER = "update auth.users set updated_at = now() - interval '2 minutes' where private.is_probe(id)"


async def _note(connection: Connection, ago: str = "0 s", viewpoint: str = "worker", **parts: bool) -> bool:
    checks = [{"part": part, "is_up": is_up, "took_ms": 12} for part, is_up in parts.items()]
    noted: bool = await connection.fetchval(
        "select private.note_uptime($1, now() - $2::text::interval, $3::text::jsonb)",
        viewpoint, ago, json.dumps(checks),
    )  # fmt: skip
    return noted


async def _admin(connection: Connection) -> Any:
    async with access.acting(connection, "admin"):
        return json.loads(await connection.fetchval("select public.admin_uptime()::text"))


async def _status(connection: Connection) -> Any:
    async with access.acting(connection, "anon"):
        return json.loads(await connection.fetchval("select public.service_status()::text"))


@pytest.fixture(autouse=True)
async def nothing(connection: Connection) -> None:
    await connection.execute(
        "delete from private.uptime_parts; delete from private.journeys; delete from private.incidents"
    )


async def test_everybody_sees_the_share_and_the_failures_of_a_day(connection: Connection) -> None:
    for ago, is_up in (("2 s", True), ("1 s", True), ("0 s", False)):
        await _note(connection, ago, site=is_up, worker=True)
    site, worker = (await _status(connection))["parts"]
    assert (site["state"], site["share_30"], len(site["failed"]), site["failed"][-2:]) == ("down", 66.66, 90, [None, 1])
    assert (worker["state"], worker["share_90"], worker["failed"][-1]) == ("up", 100, 0)


async def test_minutes_without_a_check_are_failures_of_the_worker_only(connection: Connection) -> None:
    await _note(connection, site=True, worker=True)
    await connection.execute("update private.uptime_parts set checked_at = now() - interval '2 days 3 minutes'")
    states = [part["state"] for part in (await _status(connection))["parts"]]
    assert states == ["unknown", "unknown"]
    await _note(connection, site=True, worker=True)
    site, worker = (await _status(connection))["parts"]
    assert sum(filter(None, site["failed"])) == 0
    assert sum(filter(None, worker["failed"])) == 2 * 24 * 60 + 2
    # The clocks may have changed.
    assert worker["failed"][-2] in (23 * 60, 24 * 60, 25 * 60)


async def test_an_incident_is_public_with_its_updates_and_logged(connection: Connection) -> None:
    write = "select public.admin_write_incident($1, $2, 'Posta in ritardo', '{mail}', $3)"
    async with access.acting(connection, "admin"):
        incident_id = await connection.fetchval(write, "investigating", "Cerchiamo la causa", None)
        assert await connection.fetchval(write, "resolved", "La posta parte di nuovo", incident_id) == incident_id
        assert await connection.fetchval(write, "resolved", "Non esiste", incident_id + 1) is None
    [incident] = (await _status(connection))["incidents"]
    assert (incident["title"], incident["state"], incident["parts"]) == ("Posta in ritardo", "resolved", ["mail"])
    assert incident["ended_at"] is not None
    assert [update["text"] for update in incident["updates"]] == ["La posta parte di nuovo", "Cerchiamo la causa"]
    rows = await connection.fetch(
        "select after ->> 'state' as state, reason from public.admin_actions "
        "where action = 'incident.update' order by id"
    )
    assert [tuple(row) for row in rows] == [
        ("investigating", "Cerchiamo la causa"),
        ("resolved", "La posta parte di nuovo"),
    ]


async def test_an_incident_without_words_is_refused(connection: Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        async with access.acting(connection, "admin"):
            await connection.fetchval("select public.admin_write_incident('identified', ' ', 'Posta', '{mail}')")


async def test_minutes_without_a_check_are_missing_and_never_fine(connection: Connection) -> None:
    await _note(connection, "3 days", "watch", site=True)
    await _note(connection, "0 s", "watch", site=True)
    [site] = (await _admin(connection))[1]["parts"]
    assert site["missing"][:86] == [0] * 86
    assert sum(site["missing"]) in range(3 * 24 * 60 - 5, 3 * 24 * 60)
    assert (sum(filter(None, site["failed"])), site["failed"][-2]) == (0, None)


async def test_results_of_a_second_machine_count_once_and_with_their_own_times(connection: Connection) -> None:
    for _again in range(2):
        assert await _note(connection, "2 hours", "watch", site=False)
        assert await _note(connection, "1 hour", "watch", site=True)
    assert not await _note(connection, "-3 minutes", "watch", site=True)
    assert not await _note(connection, "9 days", "watch", site=True)
    rows = await connection.fetch("select sum(answered) as answered, sum(failed) as failed from private.uptime_days")
    assert [tuple(row) for row in rows] == [(1, 1)]
    worker, watch = await _admin(connection)
    assert (worker["parts"], [part["state"] for part in watch["parts"]]) == ([], ["unknown"])
    assert (await _status(connection))["parts"] == []


async def test_a_journey_counts_for_five_minutes_and_is_kept_a_day(connection: Connection) -> None:
    steps = [{"step": "login", "took_ms": 30, "error": ""}, {"step": "read", "took_ms": 5, "error": "Risposta 503"}]
    note = "select private.note_uptime('worker', now() - $1::text::interval, $2::text::jsonb, $3::text::jsonb)"
    check = json.dumps([{"part": "journey", "is_up": False, "took_ms": 35, "minutes": 5}])
    for ago in ("25 hours", "6 minutes"):
        await connection.fetchval(note, ago, check, json.dumps(steps))
    [part] = (await _status(connection))["parts"]
    assert (part["state"], sum(filter(None, part["failed"]))) == ("down", 10)
    [journey] = (await _admin(connection))[0]["journeys"]
    assert journey["steps"] == steps


async def test_the_account_of_the_journey_is_no_person(connection: Connection) -> None:
    people = "select (private.measure_people() #>> '{figures,people}')::int"
    before = await connection.fetchval(people)
    email = await connection.fetchval("select private.prepare_probe('worker', 'x')")
    assert await connection.fetchval("select private.prepare_probe('worker', 'y')") is None
    await connection.execute(EARLIER)
    assert await connection.fetchval("select private.prepare_probe('worker', 'y')") == email
    assert await connection.fetchval(people) == before
    probe = "(select id from auth.users where email = $1)"
    for table in ("profiles", "credit_wallets", "notifications", "credit_settings"):
        owned = f"select count(*) from public.{table} where user_id = {probe}"
        assert await connection.fetchval(owned, email) == 0, table
    async with access.acting(connection, "admin"):
        listed = await connection.fetch("select email from public.admin_accounts()")
    assert email not in {row["email"] for row in listed}


async def test_a_journey_that_was_killed_leaves_nothing_behind(connection: Connection) -> None:
    await connection.fetchval("select private.prepare_probe('worker', 'x')")
    await connection.execute(
        "insert into public.tags (user_id, name) values (private.probe_id('worker'), 'Percorso di prova'); "
        "insert into auth.sessions (id, user_id) values (gen_random_uuid(), private.probe_id('worker'))"
    )
    await connection.execute(EARLIER)
    await connection.fetchval("select private.prepare_probe('worker', 'y')")
    for table in ("public.tags", "auth.sessions"):
        left = f"select count(*) from {table} where user_id = private.probe_id('worker')"
        assert await connection.fetchval(left) == 0


async def _minutes(connection: Connection, answers: str, part: str = "mail", minutes: int = 1) -> None:
    """Check a part again and again: «x» fails, «.» answers. In between all that is known becomes older."""
    for answer in answers:
        await connection.execute(
            """
            with passed as (select make_interval(mins => $1) as span),
              parts as (
                update private.uptime_parts
                set changed_at = changed_at - span, checked_at = checked_at - span from passed
              )
            update private.incidents set started_at = started_at - span, ended_at = ended_at - span from passed
            """,
            minutes,
        )
        check = [{"part": part, "is_up": answer == ".", "took_ms": 5, "minutes": minutes}]
        await connection.fetchval("select private.note_uptime('worker', now(), $1::text::jsonb)", json.dumps(check))


async def _incidents(connection: Connection) -> list[Any]:
    """List incidents, the oldest first, as everybody sees them."""
    found: list[Any] = (await _status(connection))["incidents"]
    return found[::-1]


async def _write(connection: Connection, incident_id: int, state: str, text: str = "Ci stiamo lavorando") -> None:
    async with access.acting(connection, "admin"):
        await connection.fetchval("select public.admin_write_incident($1, $2, _id => $3)", state, text, incident_id)


async def test_three_failures_in_a_row_open_an_incident_and_five_answers_end_it(connection: Connection) -> None:
    await _minutes(connection, ".xx.xx")
    assert await _incidents(connection) == []
    await _minutes(connection, "x")
    [opened] = await _incidents(connection)
    assert (opened["title"], opened["parts"]) == ("Interruzione: Posta in uscita", ["mail"])
    assert (opened["state"], opened["is_automatic"], opened["is_taken_over"]) == ("investigating", True, False)
    texts = ["I controlli automatici non vanno a buon fine per: Posta in uscita. Stiamo verificando."]
    assert [update["text"] for update in opened["updates"]] == texts
    began = await connection.fetchval("select now() - started_at from private.incidents")
    assert began.total_seconds() == 2 * 60
    await _minutes(connection, "xxx....")
    assert [incident["state"] for incident in await _incidents(connection)] == ["investigating"]
    await _minutes(connection, ".")
    [ended] = await _incidents(connection)
    assert (ended["state"], ended["updates"][0]["text"]) == (
        "resolved", "I controlli automatici vanno di nuovo a buon fine.",
    )  # fmt: skip
    assert ended["ended_at"] is not None


async def test_two_failed_journeys_open_an_incident_and_two_good_ones_end_it(connection: Connection) -> None:
    await _minutes(connection, ".x", "journey", 5)
    assert await _incidents(connection) == []
    await _minutes(connection, "x.", "journey", 5)
    [opened] = await _incidents(connection)
    assert (opened["title"], opened["ended_at"]) == ("Interruzione: Percorso di prova", None)
    await _minutes(connection, ".", "journey", 5)
    assert [incident["state"] for incident in await _incidents(connection)] == ["resolved"]


async def test_what_a_second_machine_sees_opens_no_incident(connection: Connection) -> None:
    for ago in ("3 s", "2 s", "1 s", "0 s"):
        await _note(connection, ago, "watch", site=False)
    assert await _incidents(connection) == []


async def test_parts_that_fail_together_are_one_incident(connection: Connection) -> None:
    for ago in ("3 s", "2 s", "1 s"):
        await _note(connection, ago, api=False, auth=False, mail=True)
    [opened] = await _incidents(connection)
    assert opened["title"] == "Interruzione: API e database, Accesso"
    await _minutes(connection, "xxx")
    [joined] = await _incidents(connection)
    assert (joined["title"], joined["parts"]) == (
        "Interruzione: API e database, Accesso, Posta in uscita", ["api", "auth", "mail"],
    )  # fmt: skip
    assert joined["updates"][0]["text"] == "I controlli automatici non vanno a buon fine anche per: Posta in uscita."
    await _minutes(connection, ".....")
    assert [incident["ended_at"] for incident in await _incidents(connection)] == [None]


async def test_an_incident_that_an_admin_writes_about_is_left_to_them(connection: Connection) -> None:
    await _minutes(connection, "xxx")
    [opened] = await _incidents(connection)
    await _write(connection, opened["id"], "identified")
    await _minutes(connection, "..........")
    await _minutes(connection, "xxx")
    [taken] = await _incidents(connection)
    assert (taken["state"], taken["is_automatic"], taken["is_taken_over"]) == ("identified", True, True)
    assert len(taken["updates"]) == 2
    # The admin ends it while it still fails: the same failure opens none, the next one does.
    await _write(connection, opened["id"], "resolved")
    await _minutes(connection, "xxx")
    assert len(await _incidents(connection)) == 1
    await _minutes(connection, ".xxx")
    assert [incident["ended_at"] is None for incident in await _incidents(connection)] == [False, True]


async def test_an_admins_own_incident_about_a_part_is_enough(connection: Connection) -> None:
    async with access.acting(connection, "admin"):
        await connection.fetchval("select public.admin_write_incident('identified', 'Manutenzione', 'Posta', '{mail}')")
    await _minutes(connection, "xxxxx")
    assert [incident["is_automatic"] for incident in await _incidents(connection)] == [False]


async def test_a_part_that_comes_and_goes_has_one_incident_that_ends_later_each_time(connection: Connection) -> None:
    await _minutes(connection, "xxx.....")
    assert [incident["state"] for incident in await _incidents(connection)] == ["resolved"]
    await _minutes(connection, "xxx.........")
    [again] = await _incidents(connection)
    assert (again["state"], len(again["updates"])) == ("investigating", 3)
    assert again["updates"][0]["text"] == "I controlli automatici falliscono di nuovo per: Posta in uscita."
    await _minutes(connection, ".")
    await _minutes(connection, "xxx" + 19 * ".")
    assert [incident["state"] for incident in await _incidents(connection)] == ["investigating"]
    await _minutes(connection, 41 * ".")
    assert [incident["state"] for incident in await _incidents(connection)] == ["resolved"]
    # An hour later it is another one.
    await _minutes(connection, 60 * "." + "xxx")
    assert [incident["state"] for incident in await _incidents(connection)] == ["resolved", "investigating"]


async def test_an_admin_can_reword_an_automatic_incident(connection: Connection) -> None:
    await _minutes(connection, "xxx")
    [opened] = await _incidents(connection)
    async with access.acting(connection, "admin"):
        await connection.fetchval(
            "select public.admin_write_incident('identified', 'Il server è pieno', 'Mail tardi', '{mail,worker}', $1)",
            opened["id"],
        )
    [taken] = await _incidents(connection)
    assert (taken["title"], taken["parts"]) == ("Mail tardi", ["mail", "worker"])


async def test_parts_have_the_same_names_in_incidents_and_on_screen(connection: Connection) -> None:
    text = (ROOT / "web" / "src" / "strings" / "status.ts").read_text()
    names = dict(re.findall(r"^  (\w+): '(.+)',$", text.partition("partNames")[2].partition("}")[0], re.MULTILINE))
    assert names
    for part, name in names.items():
        assert await connection.fetchval("select private.part_names(array[$1])", part) == name
