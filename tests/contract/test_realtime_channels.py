"""supabase-py's realtime, which is asynchronous only, against the running stack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from supabase import AsyncClient, Client, create_async_client
from tests.contract import stack
from tests.contract.conftest import Person
from tests.contract.methods import works

PATIENCE_S = 20


@asynccontextmanager
async def connected(token: str = "") -> AsyncIterator[AsyncClient]:
    client = await create_async_client(stack.run()["url"], stack.run()["publishable_key"])
    if token:
        await client.realtime.set_auth(token)
    try:
        yield client
    finally:
        await client.remove_all_channels()
        await client.realtime.close()


async def joined(channel: Any) -> Any:
    """Joins and waits until the server says so."""
    ready = asyncio.Event()
    await channel.subscribe(lambda state, _error: ready.set() if state == "SUBSCRIBED" else None)
    async with asyncio.timeout(PATIENCE_S):
        await ready.wait()
    return channel


def present_as(key: str) -> Any:
    """The options of a channel on which somebody is present by this key."""
    return {"config": {"presence": {"key": key, "enabled": True}}}


def run(scene: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(3 * PATIENCE_S):
            await scene()

    asyncio.run(bounded())


def _setting(event: asyncio.Event) -> Callable[[Any], None]:
    return lambda _payload: event.set()


async def next_of(queue: asyncio.Queue[Any]) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        return await queue.get()


@works("realtime.channel.subscribe")
@works("realtime.channel.on_broadcast")
@works("realtime.channel.send_broadcast")
@works("realtime.channel.http_send")
def test_a_broadcast_reaches_the_others() -> None:
    async def scene() -> None:
        topic, heard = f"room:{uuid4()}", asyncio.Queue[Any]()
        async with connected() as here, connected() as there:
            channel = there.channel(topic)
            channel.on_broadcast("ciao", heard.put_nowait)
            await joined(channel)
            speaking = await joined(here.channel(topic))
            await speaking.send_broadcast("ciao", {"testo": "è qui"})
            assert (await next_of(heard))["payload"] == {"testo": "è qui"}
            await speaking.http_send("ciao", {"n": 2})
            assert (await next_of(heard))["payload"] == {"n": 2}

    run(scene)


@works("realtime.channel.track")
@works("realtime.channel.untrack")
@works("realtime.channel.send_presence")
@works("realtime.channel.presence_state")
@works("realtime.channel.on_presence_sync")
@works("realtime.channel.on_presence_join")
@works("realtime.channel.on_presence_leave")
def test_who_is_there_is_seen_and_who_has_gone() -> None:
    async def scene() -> None:
        topic, came, left = f"room:{uuid4()}", asyncio.Queue[Any](), asyncio.Queue[Any]()
        async with connected() as here, connected() as there:
            channel = there.channel(topic, present_as("bruno"))
            channel.on_presence_sync(lambda: None)
            channel.on_presence_join(lambda key, _before, new: came.put_nowait((key, new)))
            channel.on_presence_leave(lambda key, _now, gone: left.put_nowait((key, gone)))
            await joined(channel)
            anna = here.channel(topic, present_as("anna"))
            await joined(anna)
            await anna.track({"su": "fattura"})
            key, new = await next_of(came)
            assert (key, new[0]["su"]) == ("anna", "fattura")
            assert list(channel.presence_state()) == ["anna"]
            await anna.untrack()
            assert (await next_of(left))[0] == "anna"

    run(scene)


@works("realtime.set_auth")
@works("realtime.channel.on_postgres_changes")
@works("realtime.channel.on_system")
def test_changes_come_to_their_owner_alone(person: Person, server: Client, new_person: Callable[[], Person]) -> None:
    stranger = new_person()
    row = {"user_id": person.id, "title": "Ciao", "message": "Una prova", "type": "info"}

    async def scene() -> None:
        heard, foreign = asyncio.Queue[Any](), asyncio.Queue[Any]()
        async with (
            connected(person.session.access_token) as own,
            connected(stranger.session.access_token) as other,
        ):
            for client, queue in ((own, heard), (other, foreign)):
                ready, channel = asyncio.Event(), client.channel(f"room:{uuid4()}")
                channel.on_system(_setting(ready))
                channel.on_postgres_changes(
                    "INSERT",  # type: ignore[arg-type]
                    queue.put_nowait,
                    table="notifications",
                    schema="public",
                    filter=f"user_id=eq.{person.id}",
                )
                await joined(channel)
                async with asyncio.timeout(PATIENCE_S):
                    await ready.wait()
            await asyncio.to_thread(lambda: server.table("notifications").insert(row).execute())
            # The welcome may still be on its way.
            while (await next_of(heard))["data"]["record"]["title"] != "Ciao":
                pass
            assert foreign.empty()

    run(scene)


@works("realtime.connect")
@works("realtime.close")
@works("realtime.get_channels")
@works("realtime.remove_channel")
@works("realtime.remove_all_channels")
@works("realtime.channel.unsubscribe")
def test_channels_come_and_go() -> None:
    async def scene() -> None:
        async with connected() as client:
            await client.realtime.connect()
            channel = await joined(client.channel(f"room:{uuid4()}"))
            other = await joined(client.channel(f"room:{uuid4()}"))
            assert len(client.get_channels()) == 2
            await client.remove_channel(channel)
            assert client.get_channels() == [other]
            await other.unsubscribe()
            await client.remove_all_channels()
            assert client.get_channels() == []

    run(scene)
