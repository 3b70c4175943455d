"""`make check`, `make test` and `make test-long`: run the checks of a plan, cheap ones first, until one fails.

fast      lint, types and import contracts
test      the same, the client's tests, the Python tests and one browser journey for each screen
long      the Python tests marked `long`, then `product` on a stack of its own; installs Firefox and WebKitGTK if it may
product   the official clients, the main pages in Firefox and WebKitGTK, then the browser tests that are no journey;
          SOCIO_RUN_JSON names the stack
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from scripts import machine
from scripts.paths import ROOT
from scripts.setup import BIN

CONTRACT = "tests/contract"


@dataclass(frozen=True)
class Check:
    """One command and what it proves."""

    title: str
    command: list[str]
    needs_browser: bool = False


@dataclass(frozen=True)
class Plan:
    """Checks that run two at a time, then checks that use every core by themselves."""

    # Besides what the set-up offers.
    needs: tuple[machine.Need, ...] = ()
    together: tuple[Check, ...] = ()
    alone: tuple[Check, ...] = ()


def _npm(script: str) -> list[str]:
    return ["npm", "run", "--silent", script, "-w", "web"]


def _pytest(marked: str, *paths: str) -> list[str]:
    # Tests wait for others a quarter of their time: three at a time keep two cores busy. (playwright.config.ts too)
    workers = (os.cpu_count() or 2) * 3 // 2
    return ["pytest", "-q", "-m", marked, "-n", str(workers), "--dist", "worksteal", *paths]


def _files_with(mark: str) -> list[str]:
    """Return the test files that name a mark: to import all others takes each worker a quarter of a minute."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file.relative_to(ROOT)) for file in files if f"mark.{mark}" in file.read_text()]


def _on_a_stack(command: list[str]) -> list[str]:
    return ["python", "-m", "scripts.stack", "--", *command]


STATIC = (
    Check("Python lint", ["ruff", "check"]),
    Check("Python format", ["ruff", "format", "--check", "--quiet"]),
    Check("Python types", ["mypy"]),
    Check("Import contracts", ["lint-imports"]),
    Check("Web lint", _npm("lint")),
    Check("Web format", _npm("format:check")),
    Check("Web types", _npm("types")),
    Check("Web unused code", _npm("knip")),
)
# They use the processor that mypy leaves idle.
WEB_TESTS = Check("Web tests", _npm("test"))
CLIENTS = (
    Check("supabase-py", ["pytest", "-q", CONTRACT]),
    Check("supabase-js", ["node", "--test", "--test-concurrency=1", f"{CONTRACT}/*.test.js"]),
)
OTHER_BROWSERS = Check("The main pages in Firefox and WebKitGTK", ["python", "-m", "scripts.browsers"])
PLANS = {
    "fast": Plan(together=STATIC),
    "test": Plan(
        together=(*STATIC, WEB_TESTS),
        alone=(
            Check("Python tests", _pytest("not long")),
            Check("A browser journey for each screen", _on_a_stack(_npm("e2e")), needs_browser=True),
        ),
    ),
    "long": Plan(
        needs=(machine.FIREFOX, machine.WEBKIT),
        # The Debian mostly waits for its registries and one process, and the tests wait for those that they kill.
        together=(
            Check("Long Python tests", _pytest("long", *_files_with("long"))),
            Check("Set-up and start on a bare Debian", ["python", "-m", "scripts.bare_debian"]),
        ),
        alone=(Check("The running product", _on_a_stack(["python", "-m", "scripts.check", "product"])),),
    ),
    "product": Plan(
        together=(*CLIENTS, OTHER_BROWSERS),
        alone=(Check("All other browser tests", _npm("e2e:long"), needs_browser=True),),
    ),
}


def passes(check: Check) -> bool:
    """Run one check; print its outcome and its duration."""
    print(f"\n==> {check.title}", flush=True)
    # A developer without a browser goes on; a pipeline without one proves too little.
    if check.needs_browser and not machine.BROWSER.present() and not os.environ.get("CI"):
        print(f"    LEFT OUT: install {machine.BROWSER.packages[0]} or set CHROMIUM_BIN", flush=True)
        return True
    return _went_well(check, *_run(check))


def all_pass_together(checks: Iterable[Check]) -> bool:
    """Run checks two at a time; print their output in their order."""
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
    """Run the plan that the argument names. Return 1 at the first failure."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", choices=PLANS)
    plan = PLANS[parser.parse_args(arguments).plan]
    # The tools of the environment first, also for what the checks start themselves.
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    began = time.monotonic()
    for need in plan.needs:
        machine.offer(need)
    if not (all_pass_together(plan.together) and all(passes(check) for check in plan.alone)):
        return 1
    print(f"\nAll {len(plan.together) + len(plan.alone)} checks passed in {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
