"""Measure storage (GOAL-P13): 64 MiB through the gateway, against what the machine and a bare server can do."""

from __future__ import annotations

import asyncio
import hashlib
import os
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

from scripts.bench import cpu
from scripts.bench.goals import BACKEND, Result
from scripts.bench.realtime import rss_bytes
from scripts.bench.stage import Stage

SIZE_BYTES = 64 * 2**20
PIECE_BYTES = 2**20
ROUNDS = 5
SHORT_BYTES, SHORT_FILES = 4 * 1024, 100
BUCKET = "bench"


async def upload(stage: Stage, secret_key: str) -> list[Result]:
    """Measure GOAL-P13: bytes a second, and how much the server grows meanwhile."""
    content = os.urandom(SIZE_BYTES)
    headers = {"apikey": secret_key}
    body = {"name": BUCKET, "public": False}
    async with stage.client.post(f"{stage.url}/storage/v1/bucket", json=body, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
    ours, limits, bares, grown = [], [], [], 0
    async with _bare_server() as bare_url:
        for round_ in range(ROUNDS + 1):
            limit = await asyncio.to_thread(_limit_s, content)
            taken_s, growth = await _upload(stage, content, headers)
            bare_s = await _sent_s(stage, bare_url, content)
            if round_:  # the first one warms up
                ours.append(taken_s)
                limits.append(limit)
                bares.append(bare_s)
                grown = max(grown, growth)
    best, least, bare = min(ours), min(limits), min(bares)
    return [
        Result(
            "P13", "64 MiB upload, to the slower of sha256, disk", least / best, 0.7, _rates(best, least), at_least=True
        ),
        Result(
            "P13", "64 MiB upload, to a bare server doing both", bare / best, 0.7, _rates(best, bare), at_least=True
        ),
        Result("P13", "memory it takes, to 16 MiB", grown / 2**24, 1, f"{grown / 2**20:.1f} MiB"),
        await _short(stage, headers),
    ]


def _rates(ours_s: float, other_s: float) -> str:
    return f"{SIZE_BYTES / ours_s / 1e6:.0f} MB/s to {SIZE_BYTES / other_s / 1e6:.0f} MB/s"


async def _short(stage: Stage, headers: dict[str, str]) -> Result:
    """Measure what one file of 4 KiB takes after the other: nearly all of it is asking and noting down."""
    content, spent_ms = os.urandom(SHORT_BYTES), []
    for _ in range(SHORT_FILES):
        address = f"{stage.url}/storage/v1/object/{BUCKET}/{uuid4().hex}"
        kind = {"content-type": "application/octet-stream"}
        began_s = time.perf_counter()
        async with stage.client.post(address, data=content, headers={**headers, **kind}) as answer:
            assert answer.status == 200, await answer.text()
        spent_ms.append((time.perf_counter() - began_s) * 1000)
    median_ms = statistics.median(spent_ms)
    return Result("P13", "4 KiB upload, to 2 ms", median_ms / 2, 1, f"{median_ms:.1f} ms")


def _limit_s(content: bytes) -> float:
    """Measure hashing and durable writing of the same bytes; return the longer time."""
    began_s = time.perf_counter()
    hashlib.sha256(content).digest()
    hashed_s = time.perf_counter() - began_s
    with tempfile.TemporaryDirectory() as folder:
        began_s = time.perf_counter()
        with (Path(folder) / "x").open("wb", buffering=0) as file:
            for start in range(0, len(content), PIECE_BYTES):
                file.write(content[start : start + PIECE_BYTES])
            os.fsync(file.fileno())
        return max(hashed_s, time.perf_counter() - began_s)


async def _upload(stage: Stage, content: bytes, headers: dict[str, str]) -> tuple[float, int]:
    """Seconds, and the most bytes by which the server grew."""
    backend = cpu.matching(BACKEND)
    before = sum(map(rss_bytes, backend))
    most, over = before, threading.Event()

    def watch() -> None:
        nonlocal most
        while not over.wait(0.005):
            most = max(most, sum(map(rss_bytes, backend)))

    watching = threading.Thread(target=watch)
    watching.start()
    kind = {"content-type": "application/octet-stream"}
    taken_s = await _sent_s(
        stage, f"{stage.url}/storage/v1/object/{BUCKET}/{uuid4().hex}", content, {**headers, **kind}
    )
    over.set()
    watching.join()
    return taken_s, most - before


async def _sent_s(stage: Stage, url: str, content: bytes, headers: Mapping[str, str] | None = None) -> float:
    """Send the content in pieces; return how long it took until the answer."""

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(content), PIECE_BYTES):
            yield content[start : start + PIECE_BYTES]

    began_s = time.perf_counter()
    async with stage.client.post(url, data=pieces(), headers=headers) as answer:
        assert answer.status == 200, await answer.text()
    return time.perf_counter() - began_s


@asynccontextmanager
async def _bare_server() -> AsyncIterator[str]:
    """Run `scripts.bench.intake` in a process of its own."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "scripts.bench.intake", str(listening.fileno())), pass_fds=[listening.fileno()]
        )
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            process.terminate()
            await process.wait()
