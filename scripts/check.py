"""`make check` and `make test`: every check in order, cheap ones first, stopping at the first that fails."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from scripts import machine
from scripts.paths import ROOT
from scripts.setup import BIN

CONTRACT = "tests/contract"
RUNNING = ["--running"]


@dataclass(frozen=True)
class Check:
    """One command and what it proves."""

    title: str
    command: list[str]


def _npm(script: str) -> list[str]:
    return ["npm", "run", "--silent", script, "-w", "web"]


def fast_checks() -> Iterator[Check]:
    """What needs no database and no browser."""
    yield Check("Python lint", ["ruff", "check"])
    yield Check("Python format", ["ruff", "format", "--check", "--quiet"])
    yield Check("Python types", ["mypy"])
    yield Check("Import contracts", ["lint-imports"])
    yield Check("Web lint", _npm("lint"))
    yield Check("Web format", _npm("format:check"))
    yield Check("Web types", _npm("types"))
    yield Check("Web unused code", _npm("knip"))


def web_tests() -> Iterator[Check]:
    """What needs neither, and takes the processor that mypy leaves idle."""
    yield Check("Web tests", _npm("test"))


def slow_checks() -> Iterator[Check]:
    """What needs a database, then what needs the whole product."""
    # Tests wait for others a quarter of their time: three at a time keep two cores busy. (playwright.config.ts too)
    yield Check("Python tests", ["pytest", "-n", str((os.cpu_count() or 2) * 3 // 2), "-q"])
    yield Check(
        "The running product", ["python", "-m", "scripts.stack", "--", "python", "-m", "scripts.check", *RUNNING]
    )


def client_checks() -> Iterator[Check]:
    """What the official clients see of a stack; SOCIO_RUN_JSON says where it is."""
    yield Check("supabase-py", ["pytest", "-q", CONTRACT])
    yield Check("supabase-js", ["node", "--test", "--test-concurrency=1", f"{CONTRACT}/*.test.js"])


def browser_checks() -> Iterator[Check]:
    """What people see of it."""
    # Who may not install a browser goes on without; a pipeline without one proves too little.
    if machine.BROWSER.present() or os.environ.get("CI"):
        yield Check("End to end in Chromium", _npm("e2e"))
    else:
        print(f"\n==> End to end: LEFT OUT, install {machine.BROWSER.packages[0]} or set CHROMIUM_BIN", flush=True)


def passes(check: Check) -> bool:
    """Runs one check, says how it went and how long it took."""
    print(f"\n==> {check.title}", flush=True)
    return _went_well(check, *_run(check))


def all_pass_together(checks: Iterable[Check]) -> bool:
    """The same for checks that stand in nobody's way: two at a time, told in their order."""
    with ThreadPoolExecutor(2) as pool:
        running = [(check, pool.submit(_run, check, capture_output=True)) for check in checks]
        for check, run in running:
            print(f"\n==> {check.title}", flush=True)
            done, took_s = run.result()
            sys.stdout.write(f"{done.stdout}{done.stderr}")
            if not _went_well(check, done, took_s):
                pool.shutdown(cancel_futures=True)
                return False
    return True


def _run(check: Check, **options: Any) -> tuple[subprocess.CompletedProcess[str], float]:
    began = time.monotonic()
    done = subprocess.run(
        check.command, cwd=ROOT, env=machine.npm_environment(BIN), stdin=subprocess.DEVNULL, text=True, **options
    )
    return done, time.monotonic() - began


def _went_well(check: Check, done: subprocess.CompletedProcess[str], took_s: float) -> bool:
    if done.returncode != 0:
        print(f"\nFAILED: {check.title} ({' '.join(check.command)}), after {took_s:.1f} s", file=sys.stderr)
        return False
    print(f"    ok in {took_s:.1f} s", flush=True)
    return True


def main(arguments: list[str]) -> int:
    """The command; `--fast` stops before the tests, `--running` tests a stack. Exit status 1 at the first failure."""
    # The tools of the environment first, also for what the checks start themselves.
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    began = time.monotonic()
    if arguments == RUNNING:
        together, alone = [*client_checks()], [*browser_checks()]
    elif "--fast" in arguments:
        together, alone = [*fast_checks()], []
    else:
        together, alone = [*fast_checks(), *web_tests()], [*slow_checks()]
    if not (all_pass_together(together) and all(passes(check) for check in alone)):
        return 1
    print(f"\nAll {len(together) + len(alone)} checks passed in {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
