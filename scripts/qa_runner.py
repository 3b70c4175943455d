"""`python -m scripts.qa_runner --url https://…`: carry out one automated run that an admin asked for, if there is one.

Run it each minute (docs: supabase/README.md, «A test machine»). The tests write and delete, so they run against a stack
of their own on loopback, never against the installation. The secret key of the latter is SOCIO_SECRET_KEY; without
`--url` it is the stack of `make run`. A second run on this machine at the same time does nothing. Every half minute
the installation gets a sign of life, and answers if an admin has cancelled the request.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from scripts import machine, qa, stack
from scripts.paths import ROOT
from scripts.setup import BIN
from scripts.supervisor import child

STACK = (sys.executable, "-m", "scripts.stack", "--")
# As `make qa` and `make browsers`. No address is part of them: the stack names its own.
COMMANDS = {
    "mobile": (*STACK, "npm", "run", "--silent", "qa", "-w", "web"),
    "browser": (*STACK, sys.executable, "-m", "scripts.browsers"),
}
DEFAULT_LOCK = Path("~/.local/state/socio-qa/lock")
# The installation waits five minutes for a sign (private.qa_request_state).
SIGN_S = 30.0
MOST_S = 45 * 60.0
END_S = 30.0
SEND_TRIES = 5
SEND_AGAIN_S = 30.0
# With its beginning it fits into what the installation keeps (functions/qa_requests.py).
MOST_CHARACTERS = 200
LINES_SHOWN = 3
COLOURS = re.compile(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f]")


class Failed(Exception):
    """No run came of the request; the message is the Italian sentence for admins."""


class Cancelled(Exception):
    """An admin does not want the run any more."""


@dataclass(frozen=True)
class Taken:
    """A request that is ours until we are silent."""

    installation: qa.Installation
    id: str
    kind: str

    def is_open(self) -> bool:
        """Say that we still work on it; True also while the installation does not answer."""
        try:
            return bool(self.installation.post("qa_requests", {"id": self.id})["is_open"])
        except qa.Unsent:
            return True

    def give_up(self, sentence: str) -> None:
        """Say why no run comes. The installation finds it out by itself when this does not arrive."""
        with suppress(qa.Unsent):
            self.installation.post("qa_requests", {"id": self.id, "failure": sentence})


def take(installation: qa.Installation, name: str) -> Taken | None:
    """Take the oldest request that waits. Raises Unsent."""
    given = installation.post("qa_requests", {"machine": name})["request"]
    return given and Taken(installation, given["id"], given["kind"])


def carry_out(taken: Taken) -> list[dict[str, Any]]:
    """Test and send the report; return the runs that are kept. Raises Failed, Cancelled, also when interrupted."""
    try:
        with tempfile.TemporaryDirectory(prefix="socio-") as folder:
            report = Path(folder) / "report.json"
            with (Path(folder) / "output.log").open("w+", encoding="utf-8", errors="replace") as output:
                _test(taken, report, output)
            return _send(taken, report)
    except Failed as failure:
        taken.give_up(str(failure))
        raise
    except KeyboardInterrupt:
        taken.give_up("La macchina di prova è stata fermata")
        raise


def _test(taken: Taken, report: Path, output: IO[str]) -> None:
    # The key must not reach the tests, nor the address of a stack that is not theirs.
    kept = {
        name: value
        for name, value in machine.npm_environment(BIN).items()
        if name not in (qa.KEY_SETTING, "SOCIO_RUN_JSON")
    }
    process = subprocess.Popen(
        child.with_parent(COMMANDS[taken.kind]),
        cwd=ROOT,
        env={**kept, "SOCIO_QA_REPORT": str(report)},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    end_s = time.monotonic() + MOST_S
    try:
        while _is_running(process):
            if time.monotonic() > end_s:
                raise Failed(f"La prova non è finita in {MOST_S / 60:.0f} minuti")
            if not taken.is_open():
                raise Cancelled
    finally:
        _end(process)
    # A failed check is also a status other than 0: what counts is the report.
    if not report.is_file():
        output.seek(0)
        raise Failed(f"La prova non ha lasciato un report (stato {process.returncode}): {_last_words(output.read())}")


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(SIGN_S)
    except subprocess.TimeoutExpired:
        return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL) if process.poll() is None else ():
        # The group is the command with what it started, as for Ctrl-C.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_S)
            return


def _last_words(output: str) -> str:
    """Return the end of what the tests said, without what their stack adds."""
    said = COLOURS.sub("", output).partition(stack.WARNINGS)[0]
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return "; ".join(lines[-LINES_SHOWN:])[-MOST_CHARACTERS:] or "nessun messaggio"


def _send(taken: Taken, report: Path) -> list[dict[str, Any]]:
    tries = SEND_TRIES
    while True:
        try:
            runs = taken.installation.send(qa.content(report), {"request": taken.id})
            break
        except qa.Unsent as error:
            tries -= 1
            if tries == 0 or isinstance(error, qa.Refused):
                raise Failed(f"Il report non si può consegnare: {str(error)[:MOST_CHARACTERS]}") from error
            time.sleep(SEND_AGAIN_S)
    if all(run["kind"] != taken.kind for run in runs):
        raise Failed("Il report non contiene prove di questo tipo")
    return runs


def _run(url: str | None, name: str) -> int:
    try:
        taken = take(qa.installation(url), name)
        if taken is None:
            return 0
        for run in carry_out(taken):
            print(qa.summary(run), flush=True)
    except (qa.Unsent, Failed) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except Cancelled:
        print("cancelled")
    except KeyboardInterrupt:
        print("stopped")
        return 1
    return 0


def main(arguments: list[str]) -> int:
    """Carry out one request. Exit status 1 when the installation does not answer, or the request has no run."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.qa_runner", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", help=f"address of the API; its secret key is in {qa.KEY_SETTING}")
    parser.add_argument("--name", default=socket.gethostname()[:60], help="what admins read (default: %(default)s)")
    parser.add_argument("--lock", type=Path, default=DEFAULT_LOCK, help=f"one run at a time ({DEFAULT_LOCK})")
    options = parser.parse_args(arguments)
    path: Path = options.lock.expanduser()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 0
        return _run(options.url, options.name)


if __name__ == "__main__":
    # A service manager stops with SIGTERM: end the tests and say so, as for Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
