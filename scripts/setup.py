"""`make setup`: everything the two commands need, from nothing but Python, make and the package registries.

Runs under the system's Python, so it imports the standard library only and must still parse on an old one. Each
step leaves a stamp with the hash of what it was made from: a second run finds nothing to do, a changed lock file
redoes what depends on it, and a step that was interrupted has no stamp. Registries, mirrors, proxies and
certificates are the machine's own affair: nothing here names one.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts import machine, postgres
from scripts.paths import CONFIG, NODE_MODULES, ROOT

VENV = ROOT / ".venv"
BIN = VENV / "bin"
STAMPS = VENV / "stamps"
# There while packages are being installed: an interrupted uv leaves folders that look complete.
HALF_DONE = VENV / "half-done"
# Not sys.executable: somebody may have activated the environment that we are about to make anew.
BASE_PYTHON = getattr(sys, "_base_executable", sys.executable)
LOCK = ROOT / "requirements.lock"
WEB_BUILD = ROOT / "web" / "dist"
# Of web/ everything but these goes into the bundle.
NOT_IN_THE_BUNDLE = {"node_modules", "dist", "source-maps", "e2e", "test-results", "playwright-report"}


def digest(paths: Iterable[Path]) -> str:
    """One hash over the names and contents of files."""
    total = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        total.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode() + content)
    return total.hexdigest()


def web_sources() -> Iterator[Path]:
    """List the sources of the bundle, always in the same order."""
    for folder, folders, names in os.walk(ROOT / "web"):
        folders[:] = sorted(name for name in folders if name not in NOT_IN_THE_BUNDLE)
        yield from (Path(folder) / name for name in sorted(names))


def step(name: str, made_from: str, sound: bool, title: str, action: Callable[[], None]) -> None:
    """Run a step unless its stamp shows the same input and its result still exists."""
    stamp = STAMPS / name
    if sound and stamp.exists() and stamp.read_text() == made_from:
        return
    stamp.unlink(missing_ok=True)
    print(f"==> {title} …", flush=True)
    began = time.monotonic()
    action()
    STAMPS.mkdir(parents=True, exist_ok=True)
    stamp.write_text(made_from)
    print(f"    done in {time.monotonic() - began:.0f} s", flush=True)


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    """Run a tool with its output on the terminal. Raises machine.SetupError when it fails."""
    done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise machine.SetupError(f"'{' '.join(map(str, command))}' failed; its output above says why.")


def make_venv() -> None:
    """Create a virtual environment in place of any incomplete one."""
    if not machine.can_make_venv():
        machine.install_packages(["python3-venv"], "Python's venv module")
    if not machine.can_make_venv():
        raise machine.SetupError(f"Python's venv module is missing: install {machine.venv_package()}, then try again.")
    shutil.rmtree(VENV, ignore_errors=True)
    run([BASE_PYTHON, "-m", "venv", str(VENV)])


def install_python_packages() -> None:
    """Install the locked packages: uv by pip, the others by uv, each checked against its hash."""
    environment = machine.environment()
    uv_lock = STAMPS / "uv.lock"
    STAMPS.mkdir(parents=True, exist_ok=True)
    HALF_DONE.touch()
    uv_lock.write_text(locked_block("uv"))
    pip = [str(BIN / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--require-hashes", "--no-deps", "--requirement", str(uv_lock)], environment)
    # A terminal gets progress bars, a log file none of the eighty names.
    quiet = [] if sys.stderr.isatty() else ["--quiet"]
    uv = [str(BIN / "uv"), "pip", "sync", *quiet, "--require-hashes", "--python", str(BIN / "python")]
    run([*uv, str(LOCK)], {**environment, **machine.uv_settings(BIN / "python")})
    # What lies in the checkout is importable from anywhere, in this environment only.
    site = BIN.parent / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    (site / "socio.pth").write_text(f"{ROOT / 'supabase'}\n{ROOT}\n")
    HALF_DONE.unlink()


def locked_block(package: str) -> str:
    """One package's lines of the lock file: the version and its hashes."""
    lines = LOCK.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"{package}=="))
    length = next(number for number, line in enumerate(lines[start:]) if not line.endswith("\\")) + 1
    return "\n".join(lines[start : start + length]) + "\n"


def install_node_packages() -> None:
    """Install the locked npm packages; `npm ci` removes the old folder first."""
    run([str(BIN / "npm"), "ci", "--loglevel=error"], machine.npm_environment(BIN))


def build_web() -> None:
    """Build the bundle of the web client."""
    run([str(BIN / "npm"), "run", "--silent", "build", "-w", "web"], machine.npm_environment(BIN))


def main(arguments: list[str]) -> int:
    """Run the command; `--tests` adds what only the tests need. Exit status 1 with one sentence when it fails."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the system's Python may be any
        found = ".".join(map(str, sys.version_info[:3]))
        print(f"Socio needs Python 3.11 or newer, this is {found}: make PYTHON=python3.11 …", file=sys.stderr)
        return 1
    try:
        with alone():
            set_up(for_tests="--tests" in arguments)
    except (machine.SetupError, postgres.PostgresError) as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted; the next start goes on from here.", file=sys.stderr)
        return 130
    return 0


@contextmanager
def alone() -> Iterator[None]:
    """One set-up at a time in this checkout; the kernel lets go of the lock however this process ends."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another set-up in this checkout …", flush=True)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def set_up(*, for_tests: bool) -> None:
    """All steps in order. Raises machine.SetupError, postgres.PostgresError."""
    # A virtual environment knows its own place and its Python: neither may change under it.
    place = f"{ROOT} {sys.base_prefix} {sys.version}"
    whole = (BIN / "python").exists() and not HALF_DONE.exists()
    step("venv", place, whole, "Making the Python environment", make_venv)
    step("python", digest([LOCK]), (BIN / "uv").exists(), "Installing the Python packages", install_python_packages)
    locks = [ROOT / "package-lock.json", ROOT / ".npmrc"]
    # npm writes this file when everything else is in place.
    installed = (NODE_MODULES / ".package-lock.json").exists()
    step("node", digest(locks), installed, "Installing the npm packages", install_node_packages)
    postgres.package()
    machine.offer(machine.OCR)
    if for_tests:
        machine.offer(machine.BROWSER)
        machine.offer(machine.HEADLESS_SHELL)
        machine.offer(machine.IMAP_SERVER)
    built = (WEB_BUILD / "app.html").exists()
    # The prerendered pages name the public address of the site.
    site = os.environ.get("SUPABASE_AUTH_SITE_URL", "")
    step("web", digest([*web_sources(), *locks, CONFIG]) + site, built, "Building the web client", build_web)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
