"""`python -m scripts.watch --url https://…`: ask an installation from another machine, once, and send it what was seen.

Run it each minute (docs: supabase/README.md, «A second machine»). It asks the same parts as the worker and every five
minutes makes the same journey, so that the network between is measured too. While the installation cannot be reached,
results are kept in the file `--state`, for a week at most, and sent later with their own times. SOCIO_WATCH_SECRET is
the secret of the installation. A second run at the same time does nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from functions._shared import uptime_checks

SECRET_SETTING = "SOCIO_WATCH_SECRET"  # noqa: S105 - its name
DEFAULT_STATE = Path("~/.local/state/socio-watch/results.jsonl")
# A week, one result a minute.
MOST_KEPT = 7 * 24 * 60
# As many as the installation takes at once (functions/uptime_report.py).
BATCH = 500


class Unsent(Exception):
    """Results did not arrive and are kept; the message says why."""


class Installation:
    """The installation as this machine reaches it."""

    def __init__(self, client: httpx.AsyncClient, secret: str) -> None:
        self._client = client
        self._secret = secret
        self._apikey = ""

    async def send(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> uptime_checks.Reply:
        """Send a request as a visitor. Raises Unreachable."""
        own = {"apikey": self._apikey} if self._apikey else {}
        try:
            answer = await self._client.request(method, path, headers={**own, **headers}, json=body)
        except httpx.HTTPError as error:
            raise uptime_checks.Unreachable(f"Nessuna risposta: {type(error).__name__}") from error
        return uptime_checks.Reply(answer.status_code, answer.content)

    async def report(self, results: list[dict[str, Any]], *, login: bool = False) -> dict[str, Any]:
        """Send results, or ask for a login. Raises Unsent."""
        headers = {"Authorization": f"Bearer {self._secret}"}
        try:
            reply = await self.send(
                "POST", "/functions/v1/uptime_report", headers, {"results": results, "login": login}
            )
        except uptime_checks.Unreachable as error:
            raise Unsent(str(error)) from error
        try:
            content = json.loads(reply.body)
        except ValueError:
            content = None
        if reply.status != httpx.codes.OK or not isinstance(content, dict):
            raise Unsent(f"Risposta {reply.status}")
        return content

    async def journey(self) -> list[dict[str, Any]]:
        """Make one journey with the account that the installation gives for it; empty: one is under way."""
        try:
            given = (await self.report([], login=True))["login"]
        except Unsent as error:
            return uptime_checks.not_begun(str(error))
        if given is None:
            return []
        self._apikey = given["apikey"]
        return await uptime_checks.make_journey(self.send, uptime_checks.Login(given["email"], given["password"]))


async def watch(client: httpx.AsyncClient, secret: str, state: Path, now: datetime) -> tuple[int, int]:
    """Ask everything once, keep the result, and send what is kept. Returns how many were kept and refused there.

    Raises Unsent, and OSError when the file cannot be written.
    """
    installation = Installation(client, secret)
    result: dict[str, Any] = {"at": now.isoformat(), "checks": await uptime_checks.check_routes(installation.send)}
    if now.minute % uptime_checks.JOURNEY_MINUTES == 0:
        steps = await installation.journey()
        if steps:
            result["steps"] = steps
            result["checks"].append(uptime_checks.journey_check(steps))
    waiting = [*_read(state), result][-MOST_KEPT:]
    _write(state, waiting)
    kept = refused = 0
    while waiting:
        answer = await installation.report(waiting[:BATCH])
        kept, refused = kept + int(answer["kept"]), refused + int(answer["refused"])
        waiting = waiting[BATCH:]
        _write(state, waiting)
    return kept, refused


def _read(state: Path) -> list[dict[str, Any]]:
    """Read what is kept; a line that a crash cut is left out."""
    results = []
    for line in state.read_text(encoding="utf-8").splitlines() if state.exists() else ():
        try:
            results.append(json.loads(line))
        except ValueError:
            continue
    return results


def _write(state: Path, results: list[dict[str, Any]]) -> None:
    fresh = state.with_suffix(".new")
    fresh.write_text("".join(json.dumps(result) + "\n" for result in results), encoding="utf-8")
    fresh.replace(state)


async def _run(url: str, secret: str, state: Path) -> tuple[int, int]:
    async with httpx.AsyncClient(base_url=url, timeout=uptime_checks.TIMEOUT_S) as client:
        return await watch(client, secret, state, datetime.now(UTC))


def main(arguments: list[str]) -> int:
    """Ask once. Exit status 1 when results did not arrive, or were refused for their times."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.watch", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", required=True, help="public address of the API")
    parser.add_argument("--state", type=Path, default=DEFAULT_STATE, help=f"where results wait ({DEFAULT_STATE})")
    options = parser.parse_args(arguments)
    secret = os.environ.get(SECRET_SETTING, "")
    if not secret:
        print(f"error: {SECRET_SETTING} is not set", file=sys.stderr)
        return 1
    state: Path = options.state.expanduser()
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        with state.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return 0
            _kept, refused = asyncio.run(_run(options.url.rstrip("/"), secret, state))
    except Unsent as error:
        print(f"error: the results wait in {state}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if refused:
        print(f"error: {refused} results were refused: is the clock of this machine right?", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
