"""The settings: `supabase/config.toml` and the environment, read once at start into frozen dataclasses.

The file is in the Supabase CLI's format (https://supabase.com/docs/guides/local-development/cli/config), so the
CLI and this backend share it. A key nobody knows, a wrong type or a missing secret is refused with the line.
Each value can be overridden as the CLI does it: `SUPABASE_<SECTION>_<KEY>`, lists separated by commas.

Beside the file the environment gives what belongs to one machine: `DATABASE_URL`, `SOCIO_HOME` (where keys and
state live), `SOCIO_TRUSTED_PROXIES` (addresses or networks whose X-Forwarded-* headers are believed),
`SOCIO_SINGLE_SESSION_PER_USER` (`true` when signing in shall end the person's other sessions),
`SOCIO_ENFORCE_SECOND_FACTOR` (`false` when data shall open without the second factor that an account has) and
`SOCIO_STORAGE_S3` (`s3://key:secret@host/bucket?region=eu-south-1` when files shall lie in an S3-compatible store).
`SOCIO_PROJECT` is the folder of another Supabase project, which is served instead of the product.
`SOCIO_FUNCTIONS` names the folders with edge functions, separated as in PATH. `SOCIO_POSTGREST_SOCKET` and
`SOCIO_POSTGREST_SOCKET_MODE` (`660`) put PostgREST's socket where a web server in front may connect to it.
`SOCIO_LOCAL_SMTP` (`true`) says that mails of a site on the internet shall go to a mail server on this machine.
`SOCIO_SIGNING_ALGORITHM` (`ES256`) chooses what signs sessions.
`SOCIO_ERASED` is the list of erased accounts, which a restore needs.
`SOCIO_BACKUPS` is the folder in which the worker makes a backup a day and tests it.
`SOCIO_INBOUND_PORT` and others (core/config_inbound.py) have the worker receive mail by SMTP.
`SOCIO_METRICS_TOKEN` opens `/metrics` for a monitor, `SOCIO_WORKER_METRICS_PORT` serves that of a worker
(core/config_metrics.py).
`OTEL_EXPORTER_OTLP_ENDPOINT` and others (core/config_traces.py) have spans sent; with `SOCIO_TRACES_FROM_PROXY`
(`true`) trusted proxies begin the traces.
With less than `SOCIO_DISK_RESERVE` (`256MiB`) free on the disk of `SOCIO_HOME` the server is not ready.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from backend.core import config_file, config_inbound, config_metrics, config_traces, jwt
from backend.core.config_file import ConfigError as ConfigError
from backend.core.config_functions import EdgeRuntime, Function
from backend.core.config_hooks import Hooks
from backend.core.config_inbound import Inbound
from backend.core.config_mfa import Mfa, Passkey, WebAuthn
from backend.core.config_providers import External, OAuthServer
from backend.core.config_sms import Sms
from backend.core.config_storage import ByteSize, Storage, byte_size
from backend.core.hosts import is_loopback

ROOT = Path(__file__).resolve().parents[3]
FILE = "supabase/config.toml"
# Postgres writes its log of changes in pieces of 16 MiB.
DEFAULT_RESERVE = ByteSize(256 * 2**20)
# Of the legacy secret, as the CLI wants it (pkg/config/apikeys.go).
MIN_SECRET_LENGTH = 16

PasswordRequirements = Literal["", "letters_digits", "lower_upper_letters_digits", "lower_upper_letters_digits_symbols"]


@dataclass(frozen=True)
class Api:
    """Where the gateway listens, and what PostgREST exposes."""

    host: str = "127.0.0.1"
    port: int = 54321
    # Public base address; empty means http://localhost:<port>: browsers refuse passkeys on an IP address.
    external_url: str = ""
    schemas: tuple[str, ...] = ("public",)
    extra_search_path: tuple[str, ...] = ("public", "extensions")
    max_rows: int = 1000


@dataclass(frozen=True)
class Db:
    """The embedded Postgres."""

    port: int = 54322


@dataclass(frozen=True)
class Realtime:
    """Whether clients may count on being told of changes."""

    enabled: bool = True


@dataclass(frozen=True)
class LocalSmtp:
    """The development mailbox: its page and REST API on `port`, its SMTP door on `smtp_port`."""

    port: int = 54324
    smtp_port: int = 54325
    admin_email: str = "ciao@socio.example"
    sender_name: str = "Socio"


@dataclass(frozen=True)
class Smtp:
    """One mail server and the sender it is used with. Port 465 means TLS from the start, others STARTTLS."""

    enabled: bool = False
    host: str = ""
    port: int = 587
    user: str = ""
    password: str = field(default="", repr=False, metadata={"key": "pass"})
    admin_email: str = ""
    sender_name: str = ""


@dataclass(frozen=True)
class Template:
    """Subject and HTML of one kind of e-mail; `content_path` is absolute."""

    subject: str = ""
    content_path: Path = Path()
    enabled: bool = True


@dataclass(frozen=True)
class Email:
    """Rules of the e-mail provider; `otp_expiry` in seconds."""

    enabled: bool = True
    double_confirm_changes: bool = True
    enable_confirmations: bool = False
    secure_password_change: bool = False
    require_current_password: bool = False
    max_frequency: timedelta = timedelta(seconds=60)
    otp_length: int = 6
    otp_expiry: int = 3600
    smtp: Smtp = Smtp()
    template: Mapping[str, Template] = field(default_factory=dict)
    notification: Mapping[str, Template] = field(default_factory=dict)


@dataclass(frozen=True)
class RateLimit:
    """Mails and SMS an hour; the others count requests of one address: in five minutes, anonymous users in an hour.

    The last three are not the CLI's and can be set from the environment only: second factors tried in a minute
    (SUPABASE_AUTH_RATE_LIMIT_MFA), OAuth clients registered in five, mails an hour that one network may ask for.
    """

    email_sent: int = 30
    sms_sent: int = 30
    token_refresh: int = 150
    sign_in_sign_ups: int = 30
    token_verifications: int = 30
    anonymous_users: int = 30
    web3: int = 30
    mfa: int = 15
    client_registrations: int = 10
    email_sent_per_network: int = 6


@dataclass(frozen=True)
class Sessions:
    """Forced end of sessions; None means never."""

    timebox: timedelta | None = None
    inactivity_timeout: timedelta | None = None


@dataclass(frozen=True)
class Auth:
    """The auth service; `jwt_expiry` and `refresh_token_reuse_interval` in seconds."""

    site_url: str = "http://localhost:54321"
    additional_redirect_urls: tuple[str, ...] = ()
    jwt_expiry: int = 3600
    # Empty means `external_url`, whose default is the API's address with /auth/v1 appended.
    jwt_issuer: str = ""
    external_url: str = ""
    # Keys brought from elsewhere, which count instead of those in keys.json: a file with private JWKs, the secret of
    # the legacy keys, and the opaque API keys.
    signing_keys_path: str = ""
    jwt_secret: str = field(default="", repr=False)
    publishable_key: str = ""
    secret_key: str = field(default="", repr=False)
    enable_signup: bool = True
    enable_anonymous_sign_ins: bool = False
    enable_manual_linking: bool = False
    enable_refresh_token_rotation: bool = True
    refresh_token_reuse_interval: int = 10
    minimum_password_length: int = 8
    password_requirements: PasswordRequirements = ""
    rate_limit: RateLimit = RateLimit()
    email: Email = Email()
    sms: Sms = field(default_factory=Sms)
    sessions: Sessions = Sessions()
    hook: Hooks = field(default_factory=Hooks)
    external: Mapping[str, External] = field(default_factory=dict)
    oauth_server: OAuthServer = field(default_factory=OAuthServer)
    mfa: Mfa = field(default_factory=Mfa)
    passkey: Passkey = field(default_factory=Passkey)
    webauthn: WebAuthn = field(default_factory=WebAuthn)


@dataclass(frozen=True)
class File:
    """The file as it stands."""

    project_id: str = "socio"
    api: Api = Api()
    db: Db = Db()
    local_smtp: LocalSmtp = LocalSmtp()
    auth: Auth = Auth()
    storage: Storage = field(default_factory=Storage)
    realtime: Realtime = Realtime()
    functions: Mapping[str, Function] = field(default_factory=dict)
    edge_runtime: EdgeRuntime = field(default_factory=EdgeRuntime)


@dataclass(frozen=True)
class Settings(File):
    """File and environment together; what the rest of the backend is handed."""

    root: Path = ROOT
    # Another Supabase project, whose `supabase/` is served instead of the product.
    other_project: Path | None = None
    home: Path = ROOT / ".socio"
    database_url: str = field(default="", repr=False)
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    # Signing in ends the person's other sessions.
    single_session_per_user: bool = False
    # A session that still owes its account's second factor opens no data.
    enforce_second_factor: bool = True
    # An unknown address that must not become an account is answered like a known one; upstream says otp_disabled.
    hide_unknown_addresses: bool = False
    # Where edge functions lie, the first folder that has one counts; empty means the checkout's.
    functions_path: tuple[Path, ...] = ()
    # An S3-compatible store for the objects' bytes; empty keeps them in `storage_folder`.
    storage_s3: str = field(default="", repr=False)
    # Where PostgREST listens; None means a place of our own, which nobody else can enter.
    postgrest_socket_path: Path | None = None
    postgrest_socket_mode: str = "600"
    # Mails of a site on the internet may go to this machine: a mail server runs here, or nobody is to get them.
    local_smtp_suffices: bool = False
    # Where the worker receives mail by SMTP; None means nowhere.
    inbound: Inbound | None = None
    # Opens `/metrics` (core/metrics.py); empty: there is none.
    metrics_token: str = field(default="", repr=False)
    # Where a worker serves `/metrics`; None: nowhere.
    worker_metrics: config_metrics.Address | None = None
    # Where spans are sent (core/otel.py); empty: nowhere.
    traces_url: str = field(default="", repr=False)
    # The trusted proxies write `traceparent` themselves, and pass none of a visitor on.
    traces_from_proxy: bool = False
    # With less free space on the disk of `home` the server is not ready.
    disk_reserve: ByteSize = DEFAULT_RESERVE
    # The list of erased accounts (core/erased.py), where it is not in `home`.
    erased_path: Path | None = None
    # Where the worker keeps backups; None: somebody else makes them.
    backups: Path | None = None
    # Keys that count instead of those in keys.json.
    own_keys: jwt.Own = field(default_factory=jwt.Own)

    @property
    def postgrest_socket(self) -> Path:
        """The unix socket between gateway and PostgREST; its path may be at most 107 bytes (unix(7))."""
        if self.postgrest_socket_path is not None:
            return self.postgrest_socket_path
        inside = self.home / "postgrest.sock"
        if len(os.fsencode(inside)) <= 100:
            return inside
        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"socio-{os.geteuid()}-{digest}" / "postgrest.sock"

    @property
    def storage_folder(self) -> Path:
        """Where objects lie when no S3 store is set, and uploads while they are unfinished."""
        return self.home / "storage"

    @property
    def erased_file(self) -> Path:
        """The list of erased accounts."""
        return self.erased_path or self.home / "erased"

    @property
    def smtp(self) -> Smtp:
        """The mail server in force: the configured one, else the development mailbox."""
        if self.auth.email.smtp.enabled:
            return self.auth.email.smtp
        mailbox = self.local_smtp
        return Smtp(True, "127.0.0.1", mailbox.smtp_port, "", "", mailbox.admin_email, mailbox.sender_name)

    @property
    def is_product(self) -> bool:
        """Whether the product is served, and not another project with nothing but the platform."""
        return self.other_project is None

    @property
    def project(self) -> Path:
        """Whose `supabase/` is served."""
        return self.other_project or self.root

    @property
    def functions_folders(self) -> tuple[Path, ...]:
        """Where edge functions and the product's jobs lie."""
        folder = self.root if self.is_product else self.project / "supabase"
        return self.functions_path or (folder / "functions",)

    @property
    def migrations(self) -> Path:
        """Where the migrations lie, `<version>_<name>.sql`."""
        return self.root / "db" / "migrations" if self.is_product else self.project / "supabase" / "migrations"

    @property
    def secure(self) -> bool:
        """Whether browsers reach us by https."""
        return _is_https(self.api)


def load(environ: Mapping[str, str] | None = None, root: Path = ROOT) -> Settings:
    """Read file and environment; create the keys on the first run, because they hold the embedded password.

    Raises ConfigError.
    """
    environ = os.environ if environ is None else environ
    other_project = Path(other).absolute() if (other := environ.get("SOCIO_PROJECT")) else None
    project = other_project or root
    try:
        text = (project / FILE).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"{error.filename} is missing: SOCIO_PROJECT must be the folder of a project") from error
    source = config_file.Source(FILE, text, environ, project)
    try:
        table = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{FILE}: {error}") from error
    given = config_file.section(File, table, (), source)
    source.refuse_unknown("SUPABASE_API_", "SUPABASE_AUTH_")
    _refuse_bad_addresses(given, source)
    own_keys = _own_keys(given.auth, source)
    source.finish()
    home = Path(environ.get("SOCIO_HOME") or project / ".socio").absolute()
    database_url = environ.get("DATABASE_URL")
    if not database_url:
        password = jwt.load(home, own_keys).postgres_password
        database_url = f"postgresql://postgres:{password}@127.0.0.1:{given.db.port}/postgres"
    return Settings(
        project_id=given.project_id,
        api=(api := _with_public_url(given.api)),
        db=given.db,
        local_smtp=given.local_smtp,
        auth=_with_issuer(given.auth, api),
        storage=given.storage,
        realtime=given.realtime,
        functions=given.functions,
        edge_runtime=given.edge_runtime,
        root=root,
        other_project=other_project,
        home=home,
        database_url=database_url,
        trusted_proxies=_networks(environ.get("SOCIO_TRUSTED_PROXIES", "")),
        single_session_per_user=_switch("SOCIO_SINGLE_SESSION_PER_USER", environ),
        enforce_second_factor=_switch("SOCIO_ENFORCE_SECOND_FACTOR", environ, default="true"),
        hide_unknown_addresses=_switch("SOCIO_HIDE_UNKNOWN_ADDRESSES", environ),
        functions_path=tuple(root / part for part in environ.get("SOCIO_FUNCTIONS", "").split(os.pathsep) if part),
        storage_s3=environ.get("SOCIO_STORAGE_S3", ""),
        postgrest_socket_path=Path(socket).absolute() if (socket := environ.get("SOCIO_POSTGREST_SOCKET")) else None,
        postgrest_socket_mode=_mode("SOCIO_POSTGREST_SOCKET_MODE", environ, default="600"),
        local_smtp_suffices=_switch("SOCIO_LOCAL_SMTP", environ),
        erased_path=Path(erased).absolute() if (erased := environ.get("SOCIO_ERASED")) else None,
        backups=Path(backups).absolute() if (backups := environ.get("SOCIO_BACKUPS")) else None,
        own_keys=own_keys,
        inbound=config_inbound.read(environ),
        metrics_token=config_metrics.token(environ),
        worker_metrics=config_metrics.worker_address(environ),
        traces_url=config_traces.read(environ),
        traces_from_proxy=_switch("SOCIO_TRACES_FROM_PROXY", environ),
        disk_reserve=_size("SOCIO_DISK_RESERVE", environ, DEFAULT_RESERVE),
    )


def version() -> str:
    """Return the product's version, as pyproject.toml declares it."""
    project: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["version"]


def _refuse_bad_addresses(given: File, source: config_file.Source) -> None:
    addresses = {
        ("api", "external_url"): given.api.external_url,
        ("auth", "site_url"): given.auth.site_url,
        ("auth", "external_url"): given.auth.external_url,
    }
    for path, address in addresses.items():
        if address and not _is_whole(address):
            problem = f"must be a whole address, such as https://www.socio.example: not {address!r}"
            source.problems.append(source.error(path, problem))


def _own_keys(auth: Auth, source: config_file.Source) -> jwt.Own:
    """Read the keys that the operator brought; the path of the signing keys starts at supabase/, as for the CLI."""
    if auth.jwt_secret and len(auth.jwt_secret) < MIN_SECRET_LENGTH:
        problem = f"must have at least {MIN_SECRET_LENGTH} characters"
        source.problems.append(source.error(("auth", "jwt_secret"), problem))
    signing_keys: tuple[dict[str, Any], ...] = ()
    if auth.signing_keys_path:
        path = source.root / Path(FILE).parent / auth.signing_keys_path
        try:
            signing_keys = jwt.read_signing_keys(path)
        except jwt.KeysError as error:
            source.problems.append(source.error(("auth", "signing_keys_path"), f"cannot be used: {error}"))
    algorithm = source.variable("SOCIO_SIGNING_ALGORITHM") or ""
    if algorithm not in ("", *jwt.ALGORITHMS):
        source.problems.append(ConfigError(f"SOCIO_SIGNING_ALGORITHM: must be one of {', '.join(jwt.ALGORITHMS)}"))
    return jwt.Own(auth.jwt_secret, auth.publishable_key, auth.secret_key, signing_keys, algorithm)


def _is_whole(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("https", "http") and bool(parts.hostname)


def _is_https(api: Api) -> bool:
    return api.external_url.startswith("https://")


def _with_public_url(api: Api) -> Api:
    return replace(api, external_url=(api.external_url or f"http://localhost:{api.port}").rstrip("/"))


def _with_issuer(auth: Auth, api: Api) -> Auth:
    external_url = (auth.external_url or f"{api.external_url}/auth/v1").rstrip("/")
    redirects = auth.additional_redirect_urls
    if _is_https(api):
        # Those of the file are for development: on somebody's own machine any program may listen there.
        redirects = tuple(url for url in redirects if not _leads_here(url))
    return replace(
        auth,
        site_url=auth.site_url.rstrip("/"),
        additional_redirect_urls=redirects,
        external_url=external_url,
        jwt_issuer=auth.jwt_issuer or external_url,
    )


def _leads_here(pattern: str) -> bool:
    # No address yet: a glob may stand in its port, which urlsplit refuses.
    host = re.match(r"\w+://(?:\[([^\]]*)\]|([^/:]*))", pattern)
    return host is not None and is_loopback(host[1] or host[2])


def _switch(name: str, environ: Mapping[str, str], default: str = "false") -> bool:
    value = environ.get(name, default)
    if value not in ("true", "false"):
        raise ConfigError(f"{name}: must be true or false")
    return value == "true"


def _size(name: str, environ: Mapping[str, str], default: ByteSize) -> ByteSize:
    try:
        return byte_size(value) if (value := environ.get(name)) else default
    except ValueError as error:
        raise ConfigError(f"{name}: must be {error}") from error


def _mode(name: str, environ: Mapping[str, str], default: str) -> str:
    value = environ.get(name, default)
    # PostgREST takes no others.
    if not re.fullmatch("[67][0-7]{2}", value):
        raise ConfigError(f"{name}: must be a mode from 600 to 777")
    return value


def _networks(value: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
    except ValueError as error:
        raise ConfigError(f"SOCIO_TRUSTED_PROXIES: {error}") from error
