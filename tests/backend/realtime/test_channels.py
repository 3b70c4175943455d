"""Joining, broadcast, presence and private channels over real sockets."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import asyncpg
import httpx
import jwt as pyjwt
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from backend.core import jwt
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.realtime import socket
from tests.backend.realtime.conftest import ANNA, BRUNO, Client, Connect, served, token
from tests.conftest import Clock

pytestmark = pytest.mark.anyio
PATIENCE_S = 20
if TYPE_CHECKING:
    Owner = asyncpg.Connection[asyncpg.Record]

POLICIES = """
create policy "own channel, read" on realtime.messages for select to authenticated
  using (realtime.topic() = 'room:' || (select auth.uid())::text);
create policy "own channel, write" on realtime.messages for insert to authenticated
  with check (realtime.topic() = 'room:' || (select auth.uid())::text and extension = 'broadcast');
"""


async def shout(client: Client, topic: str, event: str, payload: Any, join_ref: str | None = None) -> str:
    return await client.push(
        f"realtime:{topic}", "broadcast", {"type": "broadcast", "event": event, "payload": payload}, join_ref
    )


@pytest.mark.parametrize("version", ["1.0.0", "2.0.0"])
async def test_a_heartbeat_is_answered(sockets: Connect, version: str) -> None:
    client = await sockets(version)
    ref = await client.push("phoenix", "heartbeat", {})
    assert await client.reply(ref) == {"status": "ok", "response": {}}


@pytest.mark.parametrize("hearing", ["1.0.0", "2.0.0"])
@pytest.mark.parametrize("speaking", ["1.0.0", "2.0.0"])
async def test_a_broadcast_reaches_everybody_else(sockets: Connect, speaking: str, hearing: str) -> None:
    anna, bruno = await sockets(speaking), await sockets(hearing)
    for client in (anna, bruno):
        assert (await client.join("room"))["status"] == "ok"
    await shout(anna, "room", "ciao", {"testo": "è qui"})
    heard = await bruno.event("broadcast")
    assert heard["topic"] == "realtime:room"
    assert (heard["payload"]["event"], heard["payload"]["payload"]) == ("ciao", {"testo": "è qui"})
    await anna.quiet()
    assert anna.heard("broadcast") == []


async def test_self_and_ack(sockets: Connect) -> None:
    client = await sockets()
    await client.join("room", broadcast={"self": True, "ack": True})
    ref = await shout(client, "room", "x", 1)
    assert (await client.reply(ref))["status"] == "ok"
    assert (await client.event("broadcast"))["payload"]["payload"] == 1


async def test_a_binary_push_is_passed_on_as_it_is(sockets: Connect) -> None:
    anna, bruno = await sockets(), await sockets()
    for client in (anna, bruno):
        await client.join("room")
    content, topic = b"\x00\xff\x01", b"realtime:room"
    head = bytes([3, 0, 1, len(topic), 3, 0, 0])
    await anna.socket.send(head + b"9" + topic + b"bin" + content)
    heard = (await bruno.event("broadcast"))["payload"]
    assert (heard["event"], heard["payload"]) == ("bin", content)


async def test_presence_shows_who_is_there(sockets: Connect) -> None:
    anna, bruno = await sockets(), await sockets()
    await anna.join("room", presence={"enabled": True, "key": "anna"})
    assert (await anna.event("presence_state"))["payload"] == {}
    ref = await anna.push("realtime:room", "presence", {"type": "presence", "event": "track", "payload": {"su": 1}})
    assert (await anna.reply(ref))["status"] == "ok"
    joins = (await anna.event("presence_diff"))["payload"]["joins"]
    assert joins["anna"]["metas"][0]["su"] == 1
    await bruno.join("room", presence={"enabled": True, "key": "bruno"})
    state = (await bruno.event("presence_state"))["payload"]
    assert state["anna"]["metas"][0]["su"] == 1
    await anna.socket.close()
    leaves = (await bruno.event("presence_diff"))["payload"]["leaves"]
    assert list(leaves) == ["anna"]


async def test_a_stranger_does_not_enter_a_private_channel(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(POLICIES)
    resources, _ = server
    room = f"room:{ANNA}"
    anna, bruno = await sockets(), await sockets()
    assert (await anna.join(room, token(resources, ANNA), private=True))["status"] == "ok"
    refused = await bruno.join(room, token(resources, BRUNO), private=True)
    assert refused["status"] == "error"
    assert refused["response"]["reason"] == (
        f"Unauthorized: You do not have permissions to read from this Channel topic: {room}"
    )
    # The public channel of the same name is another channel.
    assert (await bruno.join(room, token(resources, BRUNO)))["status"] == "ok"
    other = await sockets()
    await other.join(room, token(resources, ANNA), private=True)
    await shout(anna, room, "segreto", {})
    await other.event("broadcast")
    await bruno.quiet()
    assert bruno.heard("broadcast") == []


async def test_who_may_not_write_is_not_heard(sockets: Connect, server: tuple[Resources, str], owner: Owner) -> None:
    await owner.execute(POLICIES.replace("insert", "delete").replace("with check", "using"))
    resources, _ = server
    room = f"room:{ANNA}"
    speaking, hearing = await sockets(), await sockets()
    for client in (speaking, hearing):
        assert (await client.join(room, token(resources, ANNA), private=True))["status"] == "ok"
    await shout(speaking, room, "x", {})
    await speaking.quiet()
    await hearing.quiet()
    assert hearing.heard("broadcast") == []


async def test_the_database_broadcasts_and_replays(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(POLICIES)
    resources, _ = server
    room = f"room:{ANNA}"
    first = await sockets()
    await first.join(room, token(resources, ANNA), private=True, broadcast={"replication_ready": True})
    await first.event("system")
    await owner.execute("select realtime.send('{\"n\": 1}', 'nuovo', $1)", room)
    heard = (await first.event("broadcast"))["payload"]
    assert (heard["event"], heard["payload"]["n"], set(heard["payload"])) == ("nuovo", 1, {"n", "id"})
    async with owner.transaction():
        await owner.execute("select realtime.send('{\"n\": 2}', 'nuovo', $1)", room)
    await first.event("broadcast")
    later = await sockets("1.0.0")
    await later.join(room, token(resources, ANNA), private=True, broadcast={"replay": {"since": 1, "limit": 1}})
    replayed = (await later.event("broadcast"))["payload"]
    assert (replayed["payload"]["n"], replayed["meta"]["replayed"]) == (2, True)


async def test_a_trigger_sends_as_far_as_the_policies_let_its_user_and_never_breaks_the_write(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(
        POLICIES
        + """
        create table public.notes_told (id int primary key, room text not null);
        alter table public.notes_told enable row level security;
        create policy everybody on public.notes_told for insert to authenticated with check (true);
        grant insert on public.notes_told to authenticated;
        create function public.tell_of_note() returns trigger language plpgsql as $$
        begin
          perform realtime.send(jsonb_build_object('note', new.id), 'nota', new.room);
          return new;
        end $$;
        create trigger tell after insert on public.notes_told for each row execute function public.tell_of_note();
        """
    )
    room = f"room:{ANNA}"
    anna = await sockets()
    await anna.join(room, token(server[0], ANNA), private=True, broadcast={"replication_ready": True})
    await anna.event("system")
    warnings: list[str] = []
    owner.add_log_listener(lambda _connection, message: warnings.append(message.message))

    async def insert(who: Any, note: int) -> None:
        async with owner.transaction():
            await owner.execute("select set_config('request.jwt.claims', $1, true)", json.dumps({"sub": str(who)}))
            await owner.execute("set local role authenticated")
            await owner.execute("insert into public.notes_told values ($1, $2)", note, room)

    await insert(BRUNO, 1)
    assert any("row-level security" in each for each in warnings), "a stranger's message is refused with a warning"
    await insert(ANNA, 2)
    heard = (await anna.event("broadcast"))["payload"]
    assert (heard["event"], heard["payload"]["note"]) == ("nota", 2)
    assert await owner.fetchval("select count(*) from public.notes_told") == 2, "no write is broken"


async def test_an_expired_token_closes_the_channel(sockets: Connect, server: tuple[Resources, str], now: Clock) -> None:
    resources, _ = server
    client = await sockets()
    await client.join("room", token(resources, ANNA, life=timedelta(minutes=1)))
    now.advance(minutes=5)
    message = await client.until(lambda m: m["event"] == "system" and m["payload"]["status"] == "error")
    assert "Token has expired" in message["payload"]["message"]
    await client.event("phx_close")


@pytest.mark.parametrize("bad", ["abc", "a.b.c", "sub"])
async def test_a_forged_token_does_not_join(sockets: Connect, server: tuple[Resources, str], bad: str) -> None:
    client = await sockets()
    given = token(server[0], ANNA)[:-4] + "AAAA" if bad == "sub" else bad
    refused = await client.join("room", given)
    assert refused["status"] == "error"
    assert "InvalidJWTToken" in refused["response"]["reason"]


async def test_a_key_of_the_legacy_secret_joins_without_end_and_a_user_does_not(
    sockets: Connect, server: tuple[Resources, str]
) -> None:
    secret = json.loads((server[0].settings.home / jwt.KEYS_FILE).read_text())["jwt_secret"]
    client = await sockets()
    for role, status in (("service_role", "ok"), ("anon", "ok"), ("authenticated", "error")):
        given = pyjwt.encode({"role": role, "sub": ANNA}, secret, algorithm="HS256")
        assert (await client.join(f"as-{role}", given))["status"] == status
    endless = server[0].keys.sign({"role": "authenticated", "sub": ANNA})
    assert (await client.join("as-user", endless))["status"] == "error"


async def test_a_token_that_stops_granting_closes_the_channel(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(POLICIES)
    resources, _ = server
    client = await sockets()
    await client.join(f"room:{ANNA}", token(resources, ANNA), private=True)
    await client.push(f"realtime:room:{ANNA}", "access_token", {"access_token": token(resources, BRUNO)})
    await client.event("phx_close")


async def test_no_key_no_socket(sockets: Connect, server: tuple[Resources, str]) -> None:
    for query, status in (("", 401), ("?apikey=nonsense", 401), (f"?apikey={server[0].keys.anon_key}&vsn=9", 400)):
        with pytest.raises(InvalidStatus) as refused:
            await connect(server[1] + query)
        assert refused.value.response.status_code == status
        assert "error" in json.loads(refused.value.response.body)


@pytest.mark.parametrize(
    "garbage",
    [
        *("", "{", "[]", "[1,2,3]", '{"topic":1}', "null", '["1","1","realtime:room","broadcast",null]', "[" * 100_000),
        *(b"", b"\x03", b"\x03\xff\xff\xff\xff\xff\x01abc", b"\x09" * 50, bytes([3, 0, 0, 1, 1, 0, 1]) + b"ab{"),
    ],
    ids=range(13),
)
async def test_garbage_does_not_end_the_server(sockets: Connect, garbage: str | bytes) -> None:
    client = await sockets()
    await client.join("room")
    await client.socket.send(garbage)
    await client.quiet()


async def test_the_newer_join_of_a_topic_wins(sockets: Connect) -> None:
    client = await sockets()
    await client.join("room")
    await client.join("room")
    await client.event("phx_close")
    await client.quiet()


async def test_leaving_ends_it(sockets: Connect) -> None:
    anna, bruno = await sockets(), await sockets()
    for client in (anna, bruno):
        await client.join("room")
    ref = await bruno.push("realtime:room", "phx_leave", {})
    assert (await bruno.reply(ref))["status"] == "ok"
    await shout(anna, "room", "x", 1)
    await anna.quiet()
    await bruno.quiet()
    assert bruno.heard("broadcast") == []


async def test_a_hundred_channels_and_no_more(sockets: Connect) -> None:
    client = await sockets()
    for number in range(99):
        await client.join(f"room{number}")
    assert (await client.join("last"))["status"] == "ok"
    refused = await client.join("too many")
    assert "Too many" in refused["response"]["reason"]


async def test_two_processes_hear_each_other(
    sockets: Connect, server: tuple[Resources, str], settings: Settings, now: Clock
) -> None:
    async with served(settings, now) as (_, second):
        here, there = await sockets(), await sockets(at=second)
        for client in (here, there):
            await client.join("room", broadcast={"replication_ready": True}, presence={"enabled": True, "key": "k"})
            await client.event("system")
        await here.push("realtime:room", "presence", {"type": "presence", "event": "track", "payload": {"n": 1}})
        assert (await there.event("presence_diff"))["payload"]["joins"]["k"]["metas"][0]["n"] == 1
        await shout(here, "room", "small", {"n": 1})
        assert (await there.event("broadcast"))["payload"]["payload"] == {"n": 1}
        await shout(here, "room", "big", "x" * 50_000)
        assert (await there.event("broadcast"))["payload"]["payload"] == "x" * 50_000
        third = await sockets(at=second)
        await third.join("room", presence={"enabled": True, "key": "t"})
        assert "k" in (await third.event("presence_state"))["payload"]
        await third.socket.close()
        await there.socket.close()
    await shout(here, "room", "alone", {})
    await here.quiet()


async def test_broadcasts_over_http(sockets: Connect, server: tuple[Resources, str], owner: Owner) -> None:
    await owner.execute(POLICIES)
    resources, address = server
    base = address.replace("ws://", "http://").removesuffix("/websocket")
    client = await sockets()
    await client.join("room")
    async with httpx.AsyncClient(headers={"apikey": resources.keys.publishable_key}) as http:
        body = {"messages": [{"topic": "room", "event": "x", "payload": {"n": 1}}]}
        assert (await http.post(f"{base}/api/broadcast", json=body)).status_code == 202
        assert (await client.event("broadcast"))["payload"]["payload"] == {"n": 1}
        assert (await http.post(f"{base}/api/broadcast/room/events/raw", content=b'{"n":2}')).status_code == 202
        assert (await client.event("broadcast"))["payload"]["payload"] == {"n": 2}
        binary = await http.post(
            f"{base}/api/broadcast/room/events/raw",
            content=b"\x00\x01",
            headers={"content-type": "application/octet-stream"},
        )
        assert binary.status_code == 202
        assert (await client.event("broadcast"))["payload"]["payload"] == b"\x00\x01"
        private = await http.post(f"{base}/api/broadcast/room:{ANNA}/events/x?private=true", content=b"{}")
        assert private.status_code == 403
        bodies: list[Any] = [
            {},
            {"messages": []},
            {"messages": [{"topic": 1}]},
            {"messages": [{"topic": "", "event": ""}]},
        ]
        for bad in bodies:
            assert (await http.post(f"{base}/api/broadcast", json=bad)).status_code == 422
        assert (await http.post(f"{base}/api/broadcast/room/events/raw", content=b"{")).status_code == 422
    async with httpx.AsyncClient() as stranger:
        assert (await stranger.post(f"{base}/api/broadcast", json=body)).status_code == 401


@pytest.mark.long
async def test_a_slow_client_is_let_go(sockets: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "MAX_WAITING_MESSAGES", 50)
    monkeypatch.setattr(socket, "MAX_EVENTS_PER_S", 10**9)
    monkeypatch.setattr(socket, "MAX_WAITING_BYTES", 100_000)
    monkeypatch.setattr(socket, "BYTES_PER_S", 10**9)
    speaking, hearing = await sockets(), await sockets()
    for client in (speaking, hearing):
        await client.join("room")
    hearing.socket.transport.pause_reading()
    for _ in range(80):
        await shout(speaking, "room", "x", "y" * 200_000)
    await speaking.quiet()
    hearing.socket.transport.resume_reading()
    # What had arrived is in the way of the end.
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionClosed):
            async for _ in hearing.socket:
                pass
    assert hearing.socket.close_code in (1013, 1006)
