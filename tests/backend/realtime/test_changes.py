"""postgres_changes over real sockets: what was committed, to whoever may see it, as JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.realtime.changes import follower, sources
from scripts import postgres
from tests.backend.realtime.conftest import ANNA, BRUNO, Client, Connect, token
from tests.databases import Databases, changed

pytestmark = pytest.mark.anyio
if TYPE_CHECKING:
    Owner = asyncpg.Connection[asyncpg.Record]

TABLES = """
create type public.mood as enum ('lieto', 'triste');
create table public.things (
  id int primary key, user_id uuid, title text, amount numeric, flag boolean, tags text[], grid int[], data jsonb,
  at timestamptz, day date, mood public.mood, big bigint, long text, secret text
);
alter table public.things enable row level security;
create policy "own" on public.things for select to authenticated using (user_id = (select auth.uid()));
revoke all on public.things from anon, authenticated;
grant select (id, user_id, title, amount, flag, tags, grid, data, at, day, mood, big, long) on public.things
  to authenticated;
create table public.shared (id int primary key, user_id uuid, note text);
alter table public.shared enable row level security;
create policy "looks like own" on public.shared for select to authenticated
  using (user_id = (select auth.uid()) or note = 'open');
create table public.keyless (note text);
alter table public.keyless enable row level security;
create policy "all" on public.keyless for select to authenticated using (note is not null);
create table public.unpublished (id int primary key);
grant select on public.shared, public.keyless to authenticated;
alter publication supabase_realtime add table public.things, public.shared, public.keyless;
"""


@pytest.fixture(scope="session")
def databases(cluster: postgres.Cluster, databases: Databases) -> Iterator[Databases]:
    with changed(cluster, databases, TABLES) as given:
        yield given


async def listening(
    sockets: Connect, resources: Resources, who: str, *changes: dict[str, Any], version: str = "2.0.0"
) -> Client:
    client = await sockets(version)
    answer = await client.join("db", token(resources, who), postgres_changes=list(changes))
    assert answer["status"] == "ok"
    assert [one["event"] for one in answer["response"]["postgres_changes"]] == [one["event"] for one in changes]
    ready = await client.event("system")
    assert (ready["payload"]["status"], ready["payload"]["message"]) == ("ok", "Subscribed to PostgreSQL")
    return client


WAIT = {"postgres_changes_options": {"wait": True}}


def of(table: str, event: str = "*", **more: Any) -> dict[str, Any]:
    return {"event": event, "schema": "public", "table": table, **more}


async def change(client: Client) -> dict[str, Any]:
    data: dict[str, Any] = (await client.event("postgres_changes"))["payload"]["data"]
    return data


@pytest.fixture
async def anna(sockets: Connect, server: tuple[Resources, str], owner: Owner) -> Client:
    return await listening(sockets, server[0], ANNA, of("things"))


async def test_a_row_comes_as_json_would_show_it(anna: Client, owner: Owner) -> None:
    await owner.execute(
        """
        insert into public.things values (
          1, $1, 'Città "due"', 12.50, true, '{a,"b,c",NULL,"d\\"e"}', '{{1,2},{3,4}}', '{"x": [1, null]}',
          '2026-11-21 03:00:00.5+00', '2026-11-21', 'lieto', 9007199254740993, 'l', 'nascosto')
        """,
        ANNA,
    )
    data = await change(anna)
    await owner.execute("set timezone = 'UTC'")
    expected = json.loads(await owner.fetchval("select to_jsonb(things) - 'secret' from public.things"))
    assert (data["type"], data["schema"], data["table"]) == ("INSERT", "public", "things")
    assert data["record"] == expected
    assert {"name": "amount", "type": "numeric"} in data["columns"]
    assert "secret" not in json.dumps(data)
    assert data["errors"] is None


async def test_a_stranger_never_hears_of_it(
    anna: Client, sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    bruno = await listening(sockets, server[0], BRUNO, of("things"))
    await owner.execute("insert into public.things (id, user_id) values (1, $1), (2, $2)", ANNA, BRUNO)
    assert (await change(anna))["record"]["id"] == 1
    assert (await change(bruno))["record"]["id"] == 2
    await owner.execute("update public.things set title = 'x' where id = 1")
    assert (await change(anna))["type"] == "UPDATE"
    await bruno.quiet()
    assert bruno.heard("postgres_changes") == []


async def test_a_policy_that_only_looks_like_ownership_is_asked(
    anna: Client, sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    both = [await listening(sockets, server[0], who, of("shared")) for who in (ANNA, BRUNO)]
    await owner.execute(
        "insert into public.shared values (1, $1, 'mine'), (2, $1, 'open'), (3, $2, 'his')", ANNA, BRUNO
    )
    assert [(await change(both[0]))["record"]["id"] for _ in range(2)] == [1, 2]
    assert [(await change(both[1]))["record"]["id"] for _ in range(2)] == [2, 3]


async def test_policies_of_two_roles_are_asked_together(
    anna: Client, sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute("create policy open on public.shared for select to anon using (note = 'open' and id > 2)")
    await owner.execute("grant select on public.shared to anon; notify pgrst")
    signed_in = await listening(sockets, server[0], ANNA, of("shared"))
    visitor = await sockets()
    assert (await visitor.join("db", None, postgres_changes=[of("shared")]))["status"] == "ok"
    await visitor.event("system")
    await owner.execute("insert into public.shared values (1, $1, 'mine'), (2, $1, 'open'), (3, null, 'open')", ANNA)
    assert [(await change(signed_in))["record"]["id"] for _ in range(3)] == [1, 2, 3]
    assert (await change(visitor))["record"]["id"] == 3
    await visitor.quiet()
    assert visitor.heard("postgres_changes") == []


async def test_whoever_waits_long_for_a_policy_is_told_and_told_when_it_is_over(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = await listening(sockets, server[0], ANNA, of("shared"))
    routed = await listening(sockets, server[0], ANNA, of("things"))
    monkeypatch.setattr(follower, "LATE_S", 0)
    for number in range(2):
        await owner.execute("insert into public.shared values ($1, $2)", number, ANNA)
        assert (await change(asked))["record"]["id"] == number
    assert [one["payload"]["status"] for one in asked.heard("system")] == ["error"]
    monkeypatch.setattr(follower, "LATE_S", 60)
    await owner.execute("insert into public.shared values (2, $1)", ANNA)
    assert (await change(asked))["record"]["id"] == 2
    await asked.until(lambda message: message["event"] == "system" and message["payload"]["status"] == "ok")
    await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
    assert (await change(routed))["record"]["id"] == 1
    assert routed.heard("system") == []


async def test_a_new_token_moves_the_subscription_to_its_person(
    anna: Client, server: tuple[Resources, str], owner: Owner
) -> None:
    await anna.push("realtime:db", "access_token", {"access_token": token(server[0], BRUNO)}, "1")
    await anna.quiet()
    await owner.execute("insert into public.things (id, user_id) values (1, $1), (2, $2)", ANNA, BRUNO)
    assert (await change(anna))["record"]["id"] == 2


async def test_a_row_published_without_its_owner_is_asked_for(anna: Client, owner: Owner) -> None:
    await owner.execute("alter publication supabase_realtime drop table public.things")
    await owner.execute("alter publication supabase_realtime add table public.things (id, title)")
    await owner.execute("insert into public.things (id, user_id) values (1, $1), (2, $2)", BRUNO, ANNA)
    assert (await change(anna))["record"]["id"] == 2


async def test_updates_and_deletes_name_the_row_before(anna: Client, owner: Owner) -> None:
    await owner.execute("insert into public.things (id, user_id, title) values (1, $1, 'a')", ANNA)
    await change(anna)
    await owner.execute("update public.things set title = 'b'")
    data = await change(anna)
    assert (data["record"]["title"], data["old_record"]) == ("b", {"id": 1})
    await owner.execute("delete from public.things")
    data = await change(anna)
    assert (data["type"], data["old_record"], "record" in data) == ("DELETE", {"id": 1}, False)


async def test_a_delete_whose_owner_is_known_is_the_owners(
    anna: Client, sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute("alter table public.things replica identity full")
    bruno = await listening(sockets, server[0], BRUNO, of("things"))
    await owner.execute("insert into public.things (id, user_id, title) values (1, $1, 'a')", ANNA)
    await owner.execute("delete from public.things")
    assert [(await change(anna))["type"] for _ in range(2)] == ["INSERT", "DELETE"]
    await bruno.quiet()
    assert bruno.heard("postgres_changes") == []


async def test_a_long_value_that_was_not_touched_is_there(anna: Client, owner: Owner) -> None:
    long = "".join(chr(33 + (n * 7919) % 90) for n in range(20_000))
    await owner.execute("alter table public.things alter column long set storage external")
    await owner.execute("insert into public.things (id, user_id, long) values (1, $1, $2)", ANNA, long)
    assert (await change(anna))["record"]["long"] == long
    await owner.execute("update public.things set title = 'b'")
    data = await change(anna)
    assert (data["record"]["title"], data["record"]["long"]) == ("b", long)


FILTERS = {
    "id=eq.2": [2],
    "id=in.(1,3)": [1, 3],
    "id=not.in.(1,3)": [2],
    "amount=gt.9.5": [2, 3],
    "title=like.%sso": [1, 2],
    'title=eq."rosso, e"': [3],
    "title=ilike.ROSSO%,id=lt.3": [1],
    "flag=is.true": [2],
    "mood=is.null": [1, 3],
    "flag=isdistinct.true": [1, 3],
    "at=gte.2026-06-01T00:00:00Z": [2],
    "title=match.^b": [2],
}


async def test_filters(sockets: Connect, server: tuple[Resources, str], owner: Owner) -> None:
    clients = {given: await listening(sockets, server[0], ANNA, of("things", filter=given)) for given in FILTERS}
    await owner.execute(
        """
        insert into public.things (id, user_id, title, amount, flag, mood, at) values
          (1, $1, 'rosso', 9, false, null, '2026-01-01'), (2, $1, 'basso', 10, true, 'lieto', '2026-09-01'),
          (3, $1, 'rosso, e', 100, null, null, null)
        """,
        ANNA,
    )
    expected = await owner.fetch("select id from public.things order by id")
    assert [row["id"] for row in expected] == [1, 2, 3]
    for given, client in clients.items():
        seen = [(await change(client))["record"]["id"] for _ in FILTERS[given]]
        await client.quiet()
        assert (given, seen, client.heard("postgres_changes")) == (given, FILTERS[given], [])


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (of("things", filter="nothing=eq.1"), "there is no column"),
        (of("things", filter="id=eq.x"), "is no int4"),
        (of("things", filter="secret=eq.x"), "may not read the column"),
        (of("things", filter="id=wrong.1"), "there is no operator"),
        (of("things", filter="id"), "column=operator.value"),
        (of("things", select=["id", "none"]), "there is no column"),
        (of("unpublished"), "alter publication supabase_realtime add table public.unpublished"),
        (of("none"), "not in the publication"),
    ],
    ids=["column", "value", "secret column", "operator", "form", "select", "unpublished", "no table"],
)
async def test_what_cannot_be_is_said_and_the_channel_stays(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, wanted: dict[str, Any], reason: str
) -> None:
    client = await sockets()
    assert (await client.join("db", token(server[0], ANNA), postgres_changes=[wanted]))["status"] == "ok"
    said = (await client.event("system"))["payload"]
    assert said["status"] == "error"
    assert reason in said["message"]
    await client.quiet()


async def test_chosen_columns_only(sockets: Connect, server: tuple[Resources, str], owner: Owner) -> None:
    client = await listening(sockets, server[0], ANNA, of("things", "INSERT", select=["title"]))
    await owner.execute("insert into public.things (id, user_id, title, amount) values (1, $1, 'a', 1)", ANNA)
    assert (await change(client))["record"] == {"id": 1, "title": "a"}


async def test_without_a_right_nothing_is_told(
    anna: Client, sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    other = await listening(sockets, server[0], ANNA, of("keyless"))
    await owner.execute("revoke all on public.things from authenticated; notify pgrst")
    await owner.execute("insert into public.keyless values ('the right is gone')")
    await change(other)
    for statement in ("insert into public.things (id, user_id) values (1, $1)", "delete from public.things"):
        await owner.execute(statement, *([ANNA] if "$1" in statement else []))
    await owner.execute("insert into public.keyless values ('x')")
    await change(other)
    await anna.quiet()
    assert anna.heard("postgres_changes") == []
    late = await sockets()
    await late.join("db", token(server[0], ANNA), postgres_changes=[of("things")])
    assert "may not read public.things" in (await late.event("system"))["payload"]["message"]


async def test_a_stranger_who_listens_to_everything_hears_nothing(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute("revoke all on public.things from anon")
    anna = await listening(sockets, server[0], ANNA, of("things"))
    stranger = await sockets()
    assert (await stranger.join("db", None, postgres_changes=[of("*")]))["status"] == "ok"
    await stranger.event("system")
    await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
    await owner.execute("update public.things set title = 'x'")
    await owner.execute("delete from public.things")
    assert [(await change(anna))["type"] for _ in range(3)] == ["INSERT", "UPDATE", "DELETE"]
    await owner.execute("truncate public.things")
    await anna.event("phx_error")
    await stranger.quiet()
    assert [*stranger.heard("postgres_changes"), *stranger.heard("phx_error")] == []


async def test_a_table_without_key_cannot_be_checked(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    client = await listening(sockets, server[0], ANNA, of("keyless"))
    await owner.execute("insert into public.keyless values ('x')")
    assert (await change(client))["errors"] == ["Error 400: Bad Request, no primary key"]


async def test_too_long_a_record_is_cut_to_its_small_values(anna: Client, owner: Owner) -> None:
    await owner.execute("insert into public.things (id, user_id, long) values (1, $1, repeat('x', 1100000))", ANNA)
    data = await change(anna)
    assert data["errors"] == ["Error 413: Payload Too Large"]
    assert data["record"]["id"] == 1
    assert "long" not in data["record"]


async def test_what_was_rolled_back_never_happened(anna: Client, owner: Owner) -> None:
    transaction = owner.transaction()
    await transaction.start()
    await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
    await transaction.rollback()
    await owner.execute("insert into public.things (id, user_id) values (2, $1)", ANNA)
    assert (await change(anna))["record"]["id"] == 2


async def test_a_gap_is_told(anna: Client, owner: Owner, server: tuple[Resources, str]) -> None:
    """The connection behind the slot is cut: the client is told to join again, and hears again."""
    await owner.execute(
        "select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()"
    )
    await anna.event("phx_error")
    answer = await anna.join("db", token(server[0], ANNA), postgres_changes=[of("things")])
    assert answer["status"] == "ok"
    await anna.until(lambda message: message["event"] == "system" and message["payload"]["status"] == "ok")
    await owner.execute("insert into public.things (id, user_id) values (9, $1)", ANNA)
    assert (await change(anna))["record"]["id"] == 9


async def test_who_waits_is_answered_when_changes_are_followed(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    client = await sockets()
    answer = await client.join("db", token(server[0], ANNA), postgres_changes=[of("things")], **WAIT)
    await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
    assert answer["status"] == "ok"
    assert (await change(client))["record"]["id"] == 1


async def test_who_waits_for_what_cannot_be_is_refused(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    client = await sockets()
    answer = await client.join("db", token(server[0], ANNA), postgres_changes=[of("unpublished")], **WAIT)
    assert answer["status"] == "error"
    assert answer["response"]["reason"].startswith("RealtimeDisabledForConfiguration: ")
    assert (await client.join("db", token(server[0], ANNA), postgres_changes=[of("things")], **WAIT))["status"] == "ok"


@pytest.fixture
async def unfollowed(anna: Client, owner: Owner, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    """Nothing is followed as long as a transaction is open, for which a new slot must wait."""
    monkeypatch.setattr(follower, "READY_TIMEOUT_S", 0.1)
    async with owner.transaction():
        await owner.execute("insert into public.things (id, user_id) values (8, $1)", ANNA)
        await owner.execute(
            "select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database()"
        )
        await anna.event("phx_error")
        yield anna


async def test_who_waits_in_vain_is_told_so(unfollowed: Client, server: tuple[Resources, str]) -> None:
    short = {"postgres_changes_options": {"wait": True, "timeout": 100}}
    answer = await unfollowed.join("db", token(server[0], ANNA), postgres_changes=[of("things")], **short)
    assert answer["status"] == "error"
    assert answer["response"]["reason"].startswith("PostgresChangesSubscribeTimeout: ")


async def test_who_does_not_wait_is_told_to_come_again(unfollowed: Client, server: tuple[Resources, str]) -> None:
    answer = await unfollowed.join("db", token(server[0], ANNA), postgres_changes=[of("things")])
    assert answer["status"] == "ok"
    await unfollowed.event("phx_error")


async def test_a_column_added_later_is_shown(anna: Client, owner: Owner) -> None:
    await owner.execute("alter table public.things add column nuovo text default 'x'")
    await owner.execute("grant select (nuovo) on public.things to authenticated")
    await owner.execute("insert into public.things (id, user_id) values (1, $1)", ANNA)
    for _ in range(100):
        data = await change(anna)
        if "nuovo" in data["record"]:
            break
        await asyncio.sleep(0.05)  # definitions are read again when the notification has come
        await owner.execute("update public.things set title = 'again'")
    assert data["record"]["nuovo"] == "x"


async def test_a_truncated_table_is_fetched_anew(anna: Client, owner: Owner) -> None:
    await owner.execute("truncate public.things")
    await anna.event("phx_error")


async def test_a_policy_that_fails_for_one_hides_nothing_from_the_others(
    anna: Client, sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(
        f"""
        drop policy "looks like own" on public.shared;
        create policy "fails for one" on public.shared for select to authenticated
          using (case when (select auth.uid()) = '{BRUNO}' then 1 / (id - id) else 1 end = 1);
        """
    )
    both = [await listening(sockets, server[0], who, of("shared")) for who in (ANNA, BRUNO)]
    await owner.execute("insert into public.shared values (7)")
    assert (await change(both[0]))["record"]["id"] == 7
    await both[1].quiet()
    assert both[1].heard("postgres_changes") == []


async def test_what_nobody_waits_for_is_passed_over_and_what_comes_later_is_told(
    server: tuple[Resources, str], owner: Owner
) -> None:
    is_wanted = False
    connection = await db.connect(server[0].settings)
    passed = "select $2::text::pg_lsn <= confirmed_flush_lsn from pg_replication_slots where active_pid = $1"
    async with aclosing(sources.of_slot(connection, lambda: is_wanted)) as stream:
        assert await anext(stream) == ()
        later = asyncio.create_task(anext(stream))
        await owner.execute("insert into public.shared values (1, $1)", ANNA)
        # Tests commit without waiting for the disk: the log is written later.
        behind = await owner.fetchval("select pg_current_wal_insert_lsn()::text")
        async with asyncio.timeout(10):
            while not await owner.fetchval(passed, connection.get_server_pid(), behind):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        is_wanted = True
        await owner.execute("insert into public.shared values (2, $1)", ANNA)
        assert [(one.relation.table, one.new["id"]) for one in await later if one.new] == [("shared", "2")]
    await connection.close()


async def test_the_slot_goes_with_its_connection_however_that_ends(anna: Client, owner: Owner) -> None:
    """A temporary slot holds no log back when its process was killed."""
    kinds = await owner.fetch("select temporary from pg_replication_slots where database = current_database()")
    assert [row["temporary"] for row in kinds] == [True]
