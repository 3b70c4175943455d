"""The machine we are set up on: its system packages, its home folder, its registry settings."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.paths import ROOT

# tempfile gives the folders in it names that nobody guesses.
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
PLENTY = 4 << 30  # bytes
# The product reads them from the environment; SOCIO_RUN_JSON, SOCIO_LEDGER_… and SOCIO_QA_… belong to the tests.
SETTING = re.compile(r"AI_|DATABASE_URL$|OTEL_|SEND_|SMTP_|SOCIO_(?!RUN_JSON|LEDGER_|QA_)|STRIPE_|SUPABASE_|VIES_")


class SetupError(Exception):
    """The set-up cannot go on; the message says in one sentence what to do."""


@dataclass(frozen=True)
class Need:
    """Something only the system's package manager has, and what is lost without it."""

    packages: tuple[str, ...]
    present: Callable[[], bool]
    purpose: str


def _reads_scans() -> bool:
    """Italian, English beside it, and which way up a page is."""
    if not shutil.which("tesseract"):
        return False
    done = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, timeout=30)
    return {"ita", "eng", "osd"} <= set(done.stdout.split())


OCR = Need(
    ("tesseract-ocr", "tesseract-ocr-ita", "tesseract-ocr-eng", "tesseract-ocr-osd"),
    _reads_scans,
    "Text recognition in scanned documents",
)
BROWSER = Need(
    ("chromium", "fonts-liberation"),
    # web/playwright.config.ts looks in the same places.
    lambda: bool(os.environ.get("CHROMIUM_BIN") or shutil.which("chromium")),
    "The end-to-end tests",
)

IMAP_SERVER = Need(
    ("dovecot-imapd",),
    # A server's program: on many machines its folder is on root's PATH only.
    lambda: bool(shutil.which("dovecot") or Path("/usr/sbin/dovecot").exists()),
    "The tests of received mail",
)

HEADLESS_SHELL = Need(
    ("chromium-headless-shell",),
    lambda: bool(os.environ.get("CHROMIUM_BIN") or shutil.which("chromium-headless-shell")),
    "A third less time for the end-to-end tests",
)


FIREFOX = Need(
    ("firefox-esr",),
    lambda: bool(shutil.which("firefox-esr")),
    "The main pages in Firefox",
)
WEBKIT = Need(
    ("webkit2gtk-driver", "xvfb"),
    lambda: bool(shutil.which("WebKitWebDriver") and shutil.which("Xvfb")),
    "The main pages in WebKitGTK",
)


def forget_settings() -> None:
    """Remove the settings of a product of this machine from the environment: tests must not depend on them."""
    for name in [name for name in os.environ if SETTING.match(name)]:
        del os.environ[name]


def scratch() -> str | None:
    """Where throw-away databases live: memory that looks like a disk where there is plenty, else None (the default).

    A database per test makes hundreds of files, ten times faster than on a disk with a journal.
    """
    return str(SHARED_MEMORY) if SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free >= PLENTY else None


def offer(need: Need) -> None:
    """Installs a need when we may; otherwise says in one sentence what to install, and goes on."""
    if need.present():
        return
    install_packages(list(need.packages), need.purpose)
    if not need.present():
        print(f"    {need.purpose} will be missing: install {' '.join(need.packages)}.", flush=True)


def install_packages(names: list[str], purpose: str) -> None:
    """Installs Debian packages as root or through passwordless sudo; does nothing where neither is possible."""
    prefix = _root_prefix()
    if prefix is None or not shutil.which("apt-get"):
        return
    print(f"==> Installing {' '.join(names)} ({purpose}) …", flush=True)
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet=2", "-o", "Dpkg::Use-Pty=0"]
    with tempfile.TemporaryFile() as output:
        for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *names]):
            done = subprocess.run([*apt, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        if done.returncode != 0:
            output.seek(0)
            print(output.read().decode(errors="replace"), file=sys.stderr, flush=True)


def _root_prefix() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    if not shutil.which("sudo"):
        return None
    allowed = subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True)
    return ["sudo", "-n"] if allowed.returncode == 0 else None


def can_make_venv() -> bool:
    """Whether `python -m venv` works; Debian keeps ensurepip in a package of its own."""
    return importlib.util.find_spec("ensurepip") is not None and importlib.util.find_spec("venv") is not None


def venv_package() -> str:
    """Return the Debian package that has ensurepip for this Python."""
    return f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"


def environment() -> dict[str, str]:
    """Our environment with a home folder the tools can keep their caches in."""
    home = os.environ.get("HOME", "")
    if home and os.access(home, os.W_OK | os.X_OK):
        return dict(os.environ)
    own = ROOT / ".socio" / "cache"
    own.mkdir(parents=True, exist_ok=True)
    return {**os.environ, "HOME": str(own), "XDG_CACHE_HOME": str(own)}


def npm_environment(bin_folder: Path) -> dict[str, str]:
    """For npm: our Node first on PATH, and the machine-wide npmrc that npm from a wheel would not find."""
    given = environment()
    ours = {"PATH": f"{bin_folder}{os.pathsep}{given.get('PATH', os.defpath)}", "NODE_USE_SYSTEM_CA": "1"}
    if Path("/etc/npmrc").is_file():
        ours["NPM_CONFIG_GLOBALCONFIG"] = "/etc/npmrc"
    return {**ours, **{name: value for name, value in given.items() if name != "PATH"}}


SYSTEM_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
# pip's settings and the variables under which uv knows them; uv does not read pip's files.
UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


def uv_settings(python: Path) -> dict[str, str]:
    """Translate pip's settings (environment, /etc, user) into uv's; uv's own settings win."""
    command = [str(python), "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60).stdout
    # Python and Node bring certificates of their own; this machine may trust more.
    settings = {"UV_SYSTEM_CERTS": "1"} if SYSTEM_CERTIFICATES.exists() else {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        variable = UV_NAMES.get(name.rpartition(".")[2])
        if variable and variable not in os.environ:
            settings[variable] = " ".join(str(ast.literal_eval(value)).split())
    return settings
