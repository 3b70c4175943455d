"""core.sandbox: whatever a decoder does, it ends as one of a few results, and nothing of it stays."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from pathlib import Path

import pytest

from backend.core import sandbox
from backend.core.sandbox import Ending, Limits

pytestmark = pytest.mark.anyio

PATIENCE_S = 20
DECODER = """
import json, os, socket, subprocess, sys
options = json.loads(sys.argv[1])
exec(options["code"])
"""


@pytest.fixture(autouse=True)
def decoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hostile.py").write_text(DECODER)
    monkeypatch.syspath_prepend(tmp_path)


async def run(code: str, source: bytes | Path = b"", **more: object) -> sandbox.Result:
    return await sandbox.run("hostile", {"code": code, **more}, source, Limits(cpu_s=1, wall_s=10, output_bytes=10_000))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()


async def test_the_source_comes_in_and_the_answer_out(tmp_path: Path) -> None:
    copy = "sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])"
    (tmp_path / "file").write_bytes(b"abc")
    for source in (b"abc", tmp_path / "file"):
        assert await run(copy, source) == sandbox.Result(Ending.DONE, 0, b"cba")
    # Who does not read is not waited for.
    assert (await run("pass", b"x" * 10_000_000)).ending is Ending.DONE


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("sys.exit(7)", Ending.REFUSED),
        ("x = bytearray(2**31)", Ending.OUT_OF_MEMORY),
        ("while True: pass", Ending.TOOK_TOO_LONG),
        ("while True: print('x' * 1000)", Ending.TOO_MUCH_OUTPUT),
        ("os.abort()", Ending.CRASHED),
        ("open('x', 'wb').truncate(2**40)", Ending.REFUSED),
        ("[open('/dev/null') for _ in range(1000)] and 0 or [os.dup(1) for _ in range(1000)]", Ending.REFUSED),
    ],
    ids=["its own word", "memory", "time", "output", "crash", "disk", "files"],
)
async def test_a_flood_ends_itself(code: str, ending: Ending) -> None:
    assert (await run(code)).ending is ending


async def test_it_has_neither_our_network_nor_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIPE_SECRET_KEY", "sk_test_x")
    code = """
try:
    socket.create_connection(("127.0.0.1", options["port"]), 5)
    print("reached", file=sys.stdout)
except OSError:
    print("alone", file=sys.stdout)
print(json.dumps(sorted(os.environ)))
"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        result = await run(code, port=server.getsockname()[1])
    reached, names = result.output.decode().splitlines()
    # A kernel that forbids namespaces is told in the log.
    assert reached == ("alone" if await sandbox._network_can_be_left() else "reached")
    assert set(json.loads(names)) <= {"PATH", "PYTHONPATH", "TMPDIR", "HOME", "LANG", "LC_CTYPE", "OMP_THREAD_LIMIT"}


@pytest.mark.parametrize("how", ["late", "cancelled"])
async def test_what_it_started_ends_with_it(how: str, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    code = f"""
child = subprocess.Popen(["sleep", "600"])
open({str(told) + "~"!r}, "w").write(str(child.pid))
os.rename({str(told) + "~"!r}, {str(told)!r})
child.wait()
"""
    limits = Limits(wall_s=3 if how == "late" else 600)
    task = asyncio.create_task(sandbox.run("hostile", {"code": code}, limits=limits))
    async with asyncio.timeout(PATIENCE_S):
        while not told.exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # another process tells nobody
        if how == "cancelled":
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            assert (await task).ending is Ending.TOOK_TOO_LONG
        while is_alive(int(told.read_text())):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
