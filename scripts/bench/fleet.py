"""Many websockets on channels, in a process of their own, so that the server's processor time is the server's.

Reads one line `{"url", "key", "tokens", "count", "join"}`, opens that many sockets, joins `join` with the tokens in
turn, prints `ready`; then for each line on its input prints, as JSON, the milliseconds that messages took since it was
last asked. A message says in its field `sent` when it was sent. Ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from typing import Any

import uvloop
from websockets.asyncio.client import ClientConnection, connect

AT_ONCE = 50
# The server lets go of a socket that is silent for a minute.
HEARTBEAT_EVERY_S = 20


async def run() -> None:
    """Until the input ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard) if soft < hard else (soft, hard))
    loop = asyncio.get_running_loop()
    asked = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    taken_ms: list[float] = []
    gate = asyncio.Semaphore(AT_ONCE)
    sockets: list[ClientConnection] = []
    beating = asyncio.create_task(_beat(sockets))
    await asyncio.gather(*(_open(asked, number, gate, sockets) for number in range(asked["count"])))
    # None while something is measured.
    beating.cancel()
    await asyncio.gather(*map(_heartbeat, sockets))
    listening = [asyncio.create_task(_listen(socket, taken_ms)) for socket in sockets]
    print("ready", flush=True)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(taken_ms), flush=True)
        taken_ms.clear()
    for task in listening:
        task.cancel()


async def _beat(sockets: list[ClientConnection]) -> None:
    while True:
        await asyncio.sleep(HEARTBEAT_EVERY_S)
        await asyncio.gather(*map(_heartbeat, list(sockets)))


async def _heartbeat(socket: ClientConnection) -> None:
    await socket.send(json.dumps([None, "2", "phoenix", "heartbeat", {}]))


async def _open(asked: dict[str, Any], number: int, gate: asyncio.Semaphore, sockets: list[ClientConnection]) -> None:
    """Open a socket and join its channel, with table changes if they are asked for."""
    async with gate:
        url = f"{asked['url']}?apikey={asked['key']}&vsn=2.0.0"
        socket = await connect(url, max_size=None, compression=None, ping_interval=None)
        payload = {**asked["join"], "access_token": asked["tokens"][number % len(asked["tokens"])]}
        await socket.send(json.dumps(["1", "1", "realtime:bench", "phx_join", payload]))
        wants_changes = bool(asked["join"]["config"].get("postgres_changes"))
        while True:
            _, _, _, event, answer = json.loads(await socket.recv())
            if event == "phx_reply" and answer["status"] != "ok":
                raise RuntimeError(answer)
            if event == ("system" if wants_changes else "phx_reply"):
                sockets.append(socket)
                return


async def _listen(socket: ClientConnection, taken_ms: list[float]) -> None:
    async for data in socket:
        now = time.time()
        if isinstance(data, bytes):  # a broadcast: four lengths, an encoding, the texts, then the payload
            content = json.loads(data[5 + data[1] + data[2] + data[3] :])
        else:
            _, _, _, event, payload = json.loads(data)
            if event != "postgres_changes":
                continue
            content = payload["data"]["record"]
        taken_ms.append((now - content["sent"]) * 1000)


if __name__ == "__main__":
    uvloop.run(run())
