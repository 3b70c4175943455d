"""What one client may make the server keep or do, and what it may not pass on to others."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest
from websockets.exceptions import InvalidStatus

from backend.core import http
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.realtime import routes, socket
from backend.realtime.channel import Channel
from backend.realtime.frames import Frame
from backend.realtime.hub import PREFIX
from backend.realtime.limits import MAX_JOIN_BYTES, MAX_PRESENCE_BYTES, MAX_TOPIC_BYTES, Allowance, Budgets
from backend.realtime.presence import Presence
from tests.backend.realtime.conftest import ANNA, BRUNO, Client, Connect, served, token
from tests.backend.realtime.test_changes import TABLES, of
from tests.conftest import Clock

pytestmark = pytest.mark.anyio
if TYPE_CHECKING:
    Owner = asyncpg.Connection[asyncpg.Record]


async def track(client: Client, meta: Any) -> dict[str, Any]:
    payload = {"type": "presence", "event": "track", "payload": meta}
    return await client.reply(await client.push("realtime:room", "presence", payload))


async def test_who_shows_too_much_is_refused_and_shows_what_they_did(sockets: Connect) -> None:
    anna, bruno = await sockets(), await sockets()
    await anna.join("room", presence={"enabled": True, "key": "anna"})
    assert (await track(anna, {"su": "x" * (MAX_PRESENCE_BYTES - 20)}))["status"] == "ok"
    refused = await track(anna, {"su": "è" * (MAX_PRESENCE_BYTES // 2)})
    assert (refused["status"], refused["response"]["reason"][:27]) == ("error", "Track message size exceeded")
    await bruno.join("room")
    state = (await bruno.event("presence_state"))["payload"]
    assert [meta["su"][:1] for meta in state["anna"]["metas"]] == ["x"]


def test_what_somebody_shows_is_kept_as_text() -> None:
    """8 KB of empty lists would be 200 KB of Python objects, for each of 100 channels of a socket."""
    presence = Presence()
    presence.join(("room", False), "1", "anna", {"a": [[]] * 2000, "phx_ref": "forged"})
    kept = [meta for _, _, _, meta in presence.of_node(None)]
    assert [type(meta) for meta in kept] == [str]
    assert json.loads(kept[0])["phx_ref"] == "1"


async def test_a_join_says_only_so_much(sockets: Connect) -> None:
    client = await sockets()
    for config in ({"x": "y" * MAX_JOIN_BYTES}, {"x": "è" * (MAX_JOIN_BYTES // 2)}, {"presence": {"key": "k" * 256}}):
        refused = await client.join("room", **config)
        assert refused["status"] == "error"
        assert refused["response"]["reason"].startswith("InvalidJoinPayload: ")
    assert (await client.join("room", x="y" * (MAX_JOIN_BYTES // 2)))["status"] == "ok"


@pytest.mark.parametrize(
    "odd", [{"table": "x" * 64}, {"schema": "x" * 64}, {"select": ["x"] * 101}, {"select": 1}], ids=str
)
async def test_a_subscription_is_no_place_to_keep_things(sockets: Connect, odd: dict[str, Any]) -> None:
    client = await sockets()
    refused = await client.join("db", postgres_changes=[{**of("*"), **odd}])
    assert refused["response"]["reason"] == "InvalidJoinPayload: a postgres_changes subscription is malformed"


async def test_a_socket_subscribes_to_so_many_changes_and_no_more(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined, join = list[Channel](), Channel.join

    async def noted(self: Channel, frame: Frame) -> None:
        joined.append(self)
        await join(self, frame)

    monkeypatch.setattr(Channel, "join", noted)
    await owner.execute(TABLES)
    client, bearer = await sockets(), token(server[0], ANNA)
    for topic in ("one", "two"):
        assert (await client.join(topic, bearer, postgres_changes=[of("things")] * 100))["status"] == "ok"
    refused = await client.join("three", bearer, postgres_changes=[of("things")])
    assert refused["response"]["reason"] == "ChannelRateLimitReached: Too many postgres_changes subscriptions"
    assert (await client.join("two", bearer, postgres_changes=[of("things")]))["status"] == "ok"
    assert (await client.join("three", bearer, postgres_changes=[of("things")]))["status"] == "ok"
    there = [channel for channel in joined if channel.socket.channels.get(channel.topic) is channel]
    assert [channel.config.changes for channel in there] == [()] * 3  # answered and forgotten


async def test_a_reference_is_short(sockets: Connect) -> None:
    client = await sockets()
    await client.push("realtime:room", "phx_join", {}, join_ref="x" * 256)
    await client.quiet()
    assert client.heard("phx_reply") == []


def test_bytes_that_were_not_used_are_saved_up_to_one_message() -> None:
    allowance = Allowance(100, 300)
    assert allowance.pause_s(300, 10.0) == 0
    assert allowance.pause_s(50, 10.0) == 0.5
    assert allowance.pause_s(100, 10.5) == 1.0
    assert allowance.pause_s(300, 1000.0) == 0
    assert allowance.pause_s(100, 1000.5) == 0.5


async def test_who_sends_too_fast_is_slowed_down_and_loses_nothing(
    sockets: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "MAX_MESSAGE_BYTES", 10_000)
    monkeypatch.setattr(socket, "BYTES_PER_S", 20_000)
    client = await sockets()
    await client.join("room", broadcast={"self": True})
    began_s = time.monotonic()
    for _ in range(3):
        await client.push("realtime:room", "broadcast", {"event": "x", "payload": "y" * 9000})
    for _ in range(3):
        await client.event("broadcast")
    assert time.monotonic() - began_s > (2 * 9000 - 10_000) / 20_000


@pytest.mark.parametrize(
    ("ip", "place"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("127.0.0.1", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("", None),
    ],
)
def test_who_counts_as_one_place(ip: str, place: str | None) -> None:
    assert http.place_of(ip) == place


async def test_one_address_opens_so_many_sockets_and_no_more(
    settings: Settings, now: Clock, sockets: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "MAX_SOCKETS_PER_PLACE", 2)
    behind_proxy = replace(settings, trusted_proxies=(ip_network("127.0.0.0/8"),))
    async with served(behind_proxy, now) as (_, address):
        first = await sockets(at=address, ip="2001:db8::1")
        opened = [first, await sockets(at=address, ip="2001:db8::2"), await sockets(at=address, ip="198.51.100.7")]
        with pytest.raises(InvalidStatus) as refused:
            await sockets(at=address, ip="2001:db8::3")
        assert refused.value.response.status_code == 429
        assert "ConnectionRateLimitReached" in json.loads(refused.value.response.body)["error"]
        opened += [await sockets(at=address) for _ in range(3)]  # this machine itself
        await first.socket.close()
        opened.append(await _once_possible(sockets, at=address, ip="2001:db8::3"))
        for client in opened:
            await client.socket.close()


async def _once_possible(sockets: Connect, **how: str) -> Client:
    async with asyncio.timeout(20):
        while True:
            try:
                return await sockets(**how)
            except InvalidStatus:
                await asyncio.sleep(0.01)


UNSPEAKABLE = ['"\\ud800"', '{"\\udfff": 1}', "NaN", "[-Infinity]", "1e999"]


@pytest.mark.parametrize("content", UNSPEAKABLE)
@pytest.mark.parametrize("version", ["1.0.0", "2.0.0"])
async def test_what_could_not_be_sent_on_is_not_taken(sockets: Connect, content: str, version: str) -> None:
    anna, bruno, text = await sockets(), await sockets(version), '["1","1","realtime:room","%s",{"%s":%s}]'
    for client in (anna, bruno):
        await client.join("room")
        await client.event("presence_state")
    await anna.socket.send(text % ("presence", 'event":"track","payload', f'{{"x":{content}}}'))
    await anna.socket.send(text % ("broadcast", 'event":"x","payload', content))
    topic = b"realtime:room"
    for raw in (content.encode(), '"x"'.encode("utf-16"), b'"\xed\xa0\x80"'):
        await anna.socket.send(bytes([3, 0, 1, len(topic), 1, 0, 1]) + b"9" + topic + b"x" + raw)
    await anna.quiet()
    await bruno.quiet()
    assert bruno.heard("presence_diff") + bruno.heard("broadcast") == []
    await bruno.join("room")
    assert (await bruno.event("presence_state"))["payload"] == {}


async def test_a_pair_of_surrogates_is_a_character(sockets: Connect) -> None:
    client = await sockets()
    await client.join("room", broadcast={"self": True})
    await client.push("realtime:room", "broadcast", {"event": "x", "payload": "\U0001f600"})
    assert (await client.event("broadcast"))["payload"]["payload"] == "\U0001f600"


@pytest.mark.parametrize("content", [each.encode() for each in UNSPEAKABLE] + ['"x"'.encode("utf-16")])
async def test_nor_over_http(server: tuple[Resources, str], content: bytes) -> None:
    resources, address = server
    base = address.replace("ws://", "http://").removesuffix("/websocket")
    async with httpx.AsyncClient(headers={"apikey": resources.keys.publishable_key}) as client:
        one = await client.post(f"{base}/api/broadcast/room/events/x", content=content)
        body = b'{"messages":[{"topic":"room","event":"x","payload":' + content + b"}]}"
        many = await client.post(f"{base}/api/broadcast", content=body)
        nul = await client.post(f"{base}/api/broadcast/a%00b/events/x?private=true", content=b"{}")
    assert [one.status_code, many.status_code, nul.status_code] == [422, 422, 422]


async def test_a_topic_is_as_long_as_a_broadcast_can_say(sockets: Connect) -> None:
    """One byte of a binary frame tells the length of the whole topic."""
    client = await sockets()
    longest = "t" * (MAX_TOPIC_BYTES - len(PREFIX))
    assert (await client.join(longest + "t"))["response"]["reason"].startswith("TopicNameRequired")
    await client.join(longest, broadcast={"self": True})
    await client.push(f"{PREFIX}{longest}", "broadcast", {"event": "x", "payload": 1})
    assert (await client.event("broadcast"))["topic"] == f"{PREFIX}{longest}"


async def test_a_right_that_is_withdrawn_ends_before_its_token(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "CHECK_S", 0.01)
    monkeypatch.setattr(routes, "RECHECK_S", 0.0)
    await owner.execute("create policy all_read on realtime.messages for select to authenticated using (true)")
    client, bearer = await sockets(), token(server[0], ANNA)
    await client.join("open", bearer)
    assert (await client.join("room", bearer, private=True))["status"] == "ok"
    await client.quiet()
    assert client.heard("phx_close") == []
    await owner.execute("drop policy all_read on realtime.messages")
    assert (await client.event("system"))["payload"]["message"].startswith("Unauthorized")
    assert (await client.event("phx_close"))["topic"] == "realtime:room"


async def test_what_waits_for_one_client_is_counted_in_bytes(
    sockets: Connect, server: tuple[Resources, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The letters of this message have two bytes each."""
    monkeypatch.setattr(socket, "MAX_WAITING_BYTES", 3_000_000)
    hearing = await sockets("1.0.0")
    await hearing.join("room")
    hearing.socket.transport.pause_reading()
    message = {"topic": "room", "event": "x", "payload": "è" * 1_000_000}
    for _ in range(6):
        assert (await _sent(server, [message])).status_code == 202
    hearing.socket.transport.resume_reading()
    await hearing.socket.wait_closed()
    assert hearing.socket.close_code == 1013


async def test_of_all_who_do_not_read_those_go_for_whom_most_waits(
    sockets: Connect, server: tuple[Resources, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "MAX_HELD_BYTES", 8_000_000)
    monkeypatch.setattr(socket, "MAX_WAITING_BYTES", 10**9)
    monkeypatch.setattr(socket, "MAX_BURST_BYTES", 10**9)
    reading, little, much = await sockets(), await sockets(), await sockets()
    for client, room in ((reading, "a"), (little, "b"), (much, "c")):
        await client.join(room)
        await client.event("presence_state")
    little.socket.transport.pause_reading()
    much.socket.transport.pause_reading()
    for room, count in (("b", 1), ("c", 10)):
        for _ in range(count):
            await _sent(server, [{"topic": room, "event": "x", "payload": "y" * 2_000_000}])
    await _sent(server, [{"topic": "a", "event": "x", "payload": 1}])
    assert (await reading.event("broadcast"))["payload"]["payload"] == 1
    little.socket.transport.resume_reading()
    much.socket.transport.resume_reading()
    await little.event("broadcast")
    await much.socket.wait_closed()
    assert much.socket.close_code == 1006


async def _sent(server: tuple[Resources, str], messages: list[dict[str, Any]], **headers: str) -> httpx.Response:
    """Broadcasts over HTTP."""
    resources, address = server
    url = address.replace("ws://", "http://").replace("/websocket", "/api/broadcast")
    async with httpx.AsyncClient(headers={"apikey": resources.keys.publishable_key, **headers}) as client:
        return await client.post(url, json={"messages": messages}, timeout=20)


async def test_who_broadcasts_too_much_over_http_is_told_so(
    server: tuple[Resources, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    message, resources = {"topic": "room", "event": "x", "payload": "y" * 20_000}, server[0]
    bearer = {"Authorization": f"Bearer {token(resources, ANNA)}"}
    monkeypatch.setattr(routes.Service, "now_s", staticmethod(lambda: 1000.0))
    assert (await _sent(server, [message] * 100, **bearer)).status_code == 202
    for _ in range(9):
        await _sent(server, [{**message, "payload": 1}] * 88, **bearer)
    refused = await _sent(server, [message] * 10, **bearer)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    other = {"Authorization": f"Bearer {token(resources, BRUNO)}"}
    served = {"apikey": resources.keys.secret_key}
    for headers in (other, served, {}):
        assert (await _sent(server, [message] * 10, **headers)).status_code == 202


def test_what_was_not_spent_is_saved_up_to_the_most() -> None:
    budgets = Budgets(per_s=10, most=50)
    assert budgets.admits("anna", 50, 0.0)
    assert not budgets.admits("anna", 11, 1.0)
    assert budgets.admits("bruno", 50, 1.0)
    assert budgets.admits("anna", 10, 1.0)
    assert not budgets.admits("anna", 51, 100.0)
    assert budgets.admits("carla", 1, 100.0)
    assert list(budgets._left) == ["carla"]


async def test_a_topic_that_nothing_can_be_asked_about_is_refused(
    sockets: Connect, server: tuple[Resources, str], owner: Owner
) -> None:
    await owner.execute(
        """
        create policy "a room is a uuid" on realtime.messages for select to authenticated
          using (realtime.topic()::uuid = (select auth.uid()));
        """
    )
    client, bearer = await sockets(), token(server[0], ANNA)
    refused = await client.join("a\0b", bearer, private=True)
    assert refused["response"]["reason"].startswith("TopicNameRequired")
    refused = await client.join("no uuid", bearer, private=True)
    assert refused["response"]["reason"].startswith("Unauthorized")
    assert (await client.join(ANNA, bearer, private=True))["status"] == "ok"


async def test_the_token_of_an_ended_session_is_no_key(
    sockets: Connect, server: tuple[Resources, str], owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "CHECK_S", 0.01)
    session_id = str(uuid4())
    key = token(server[0], ANNA, session_id=session_id)
    client = await sockets(key=key)
    await client.join("room")
    await owner.execute("select auth.revoke_session($1)", UUID(session_id))
    told = (await client.event("system"))["payload"]["message"]
    assert told == "InvalidJWTToken: the session has ended"
    await client.event("phx_close")
    assert "the session has ended" in (await client.join("room"))["response"]["reason"]
    with pytest.raises(InvalidStatus) as refused:
        await sockets(key=key)
    assert refused.value.response.status_code == 401


async def test_a_token_that_owes_its_second_factor_joins_nothing(
    sockets: Connect, server: tuple[Resources, str]
) -> None:
    halfway = token(server[0], ANNA, second_factor="missing")
    client = await sockets()
    refused = await client.join("room", halfway)
    assert refused["response"]["reason"] == "Unauthorized: a second factor is due"
    by_its_key = await sockets(key=halfway)
    assert (await by_its_key.join("room"))["status"] == "error"
