"""What the product is made of while it runs: Postgres, PostgREST, backend, worker, fakes."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from backend.core import jwt, production
from backend.core.config import Settings
from backend.rest import process as postgrest
from scripts import postgres
from scripts.supervisor import health
from scripts.supervisor.child import Service

# Ports of a stack that is just going away become free within this time.
PORT_PATIENCE_S = 2.0
# A migration may rewrite a large table.
MIGRATION_TIMEOUT_S = 600.0
FAKE_STRIPE_PORT, FAKE_STRIPE_SETTING = 54326, "SOCIO_FAKE_STRIPE_PORT"
FAKE_META_PORT, FAKE_META_SETTING = 54327, "SOCIO_FAKE_META_PORT"
# Where mails to people's own addresses arrive on this machine.
INBOUND_PORT, INBOUND_SETTING = 54328, "SOCIO_INBOUND_PORT"
INBOUND_DOMAIN = "in.localhost"
SHARED_SENDER = "invio@socio.example"
# Without a port there is none: nobody but a test is answered by a fake model.
FAKE_MODEL_SETTING = "SOCIO_FAKE_MODEL_PORT"


class PortTaken(Exception):
    """Somebody else listens where we must; the message names the port and the setting."""


def embedded() -> bool:
    """Whether the database is ours to run."""
    return not os.environ.get("DATABASE_URL")


def has_demo_data(settings: Settings) -> bool:
    """Check whether this database may hold the demo logins, whose passwords are public.

    They are refused on other machines unless SOCIO_DEMO=1 is set, and wherever strangers or payments are allowed.
    """
    if not (settings.is_product and production.may_have_demo_accounts(settings)):
        return False
    host = urlsplit(settings.database_url).hostname
    return host in (None, "localhost", "127.0.0.1", "::1") or os.environ.get("SOCIO_DEMO") == "1"


def cluster(settings: Settings) -> postgres.Cluster:
    """Return the embedded database of this home folder."""
    password = jwt.load(settings.home, settings.own_keys).postgres_password
    return postgres.Cluster(settings.home / "postgres", settings.db.port, password)


def database(settings: Settings, overrides: Mapping[str, str]) -> Service:
    """Describe the embedded Postgres; create its data directory when there is none."""
    ours = cluster(settings)
    postgres.initialise(ours.data, ours.password)
    return Service(
        "postgres",
        postgres.serve_command(ours, overrides),
        healthy=health.database(settings.database_url),
        stop_signal=signal.SIGINT,
        # Orphaned, it still closes its files in order.
        orphan_signal=signal.SIGINT,
        foundation=True,
        prepare=lambda: postgres.clear_remains(ours.data),
    )


def rest(settings: Settings) -> Service:
    """PostgREST. Its own back-off after an outage can reach 32 s; a new process is there in a fraction of one."""
    keys = jwt.load(settings.home, settings.own_keys)
    return Service(
        "postgrest",
        [str(postgrest.binary(settings.root))],
        postgrest.environment(settings, keys),
        healthy=health.unix_http(settings.postgrest_socket, "/"),
        stands_on=("postgres",),
        prepare=lambda: postgrest.clear_socket(settings.postgrest_socket),
    )


def backend(settings: Settings, *, has_worker: bool) -> Service:
    """Gateway, services and functions, and with a worker the background jobs; it migrates the database first."""
    seed = "demo" if has_demo_data(settings) else "reference"
    return Service(
        "backend",
        [sys.executable, "-m", "backend", "serve", f"--migrate={seed}", *(["--worker"] if has_worker else [])],
        # The product tells nobody who has an account; the platform by itself does as upstream.
        {
            "SOCIO_HIDE_UNKNOWN_ADDRESSES": "true",
            **fake_payments(settings),
            **fake_meta(settings),
            **fake_model(),
            **inbound(settings),
            **shared_sender(settings),
        },
        healthy=health.http(settings.api.port, "/health"),
        start_timeout_s=MIGRATION_TIMEOUT_S,
    )


def worker(settings: Settings) -> Service:
    """Background jobs in a process of their own."""
    return Service(
        "worker",
        [sys.executable, "-m", "backend", "worker"],
        {
            **fake_payments(settings),
            **fake_meta(settings),
            **fake_model(),
            **inbound(settings),
            **shared_sender(settings),
        },
    )


def sells_for_real() -> bool:
    """Whether a Stripe account was given; without one a fake takes its place, on this machine only."""
    return bool(os.environ.get("STRIPE_SECRET_KEY"))


def fake_payments_port() -> int:
    """Where the fake Stripe listens."""
    return int(os.environ.get(FAKE_STRIPE_SETTING) or FAKE_STRIPE_PORT)


def fake_payments(settings: Settings) -> dict[str, str]:
    """Return the settings that the product and the fake Stripe share; none when payments are real."""
    if sells_for_real() or not settings.is_product:
        return {}
    keys = jwt.load(settings.home, settings.own_keys)
    return {
        "STRIPE_API_BASE": f"http://localhost:{fake_payments_port()}",
        "STRIPE_SECRET_KEY": f"sk_test_{keys.derive('fake stripe key').hex()}",
        "STRIPE_WEBHOOK_SECRETS": f"whsec_{keys.derive('fake stripe webhooks').hex()}",
    }


def fake_meta_port() -> int:
    """Where the fake Meta listens."""
    return int(os.environ.get(FAKE_META_SETTING) or FAKE_META_PORT)


def fake_meta(settings: Settings) -> dict[str, str]:
    """Return where the product finds the fake Meta; nothing where it could not be reached."""
    if settings.secure or not settings.is_product:
        return {}
    return {"WHATSAPP_SANDBOX": f"http://localhost:{fake_meta_port()}"}


def inbound_port() -> int:
    """Where mails to people's addresses are received by SMTP."""
    return int(os.environ.get(INBOUND_SETTING) or INBOUND_PORT)


def inbound(settings: Settings) -> dict[str, str]:
    """Return the settings with which mail is received on this machine; none where the operator decides."""
    if settings.secure or not settings.is_product or os.environ.get("SOCIO_INBOUND_DOMAIN"):
        return {}
    return {"SOCIO_INBOUND_DOMAIN": INBOUND_DOMAIN, INBOUND_SETTING: str(inbound_port())}


def shared_sender(settings: Settings) -> dict[str, str]:
    """Return the shared sender of a machine whose mails go to its own mailbox; none where the operator decides."""
    if settings.secure or not settings.is_product or settings.auth.email.smtp.enabled:
        return {}
    return {} if os.environ.get("SOCIO_SHARED_SENDER") else {"SOCIO_SHARED_SENDER": SHARED_SENDER}


def fakes(settings: Settings) -> Service:
    """Describe the mailbox, the fake Meta and, unless payments are real, the fake Stripe; both call webhooks."""
    environment = fake_payments(settings)
    checks = [health.http(settings.local_smtp.port, "/livez")]
    if environment:
        environment |= {
            "FAKE_STRIPE_WEBHOOK_URL": f"http://127.0.0.1:{settings.api.port}/functions/v1/stripe_webhook",
            "FAKE_STRIPE_STATE": str(settings.home / "fake-stripe.json"),
        }
        checks.append(health.http(fake_payments_port(), "/livez"))
    if sandbox := fake_meta(settings):
        environment |= sandbox
        checks.append(health.http(fake_meta_port(), "/livez"))
    return Service("fakes", [sys.executable, "-m", "scripts.fakes"], environment, healthy=health.every(*checks))


def fake_model_port() -> int | None:
    """Where the fake of a model's provider listens, on a stack that has one."""
    port = os.environ.get(FAKE_MODEL_SETTING)
    return int(port) if port else None


def fake_model() -> dict[str, str]:
    """Return the settings of the fake model; none where there is none."""
    if not (port := fake_model_port()):
        return {}
    return {
        "AI_MODEL": "compatible:fake", "AI_BASE_URL": f"http://127.0.0.1:{port}/v1", "AI_API_KEY": "sk-fake",
        "AI_VOICE_MODEL": "fake-voice",
    }  # fmt: skip


def fake_provider(port: int) -> Service:
    """Answers as a model would, by the script that a test gives it."""
    command = [sys.executable, "-m", "tests.fakes.llm", str(port)]
    return Service("model", command, healthy=health.http(port, "/livez"))


def require_free_ports(settings: Settings) -> None:
    """Check that all ports are free. Raises PortTaken for the first that is not."""
    wanted = [
        (settings.api.host, settings.api.port, "[api] port"),
        ("127.0.0.1", settings.local_smtp.port, "[local_smtp] port"),
        ("127.0.0.1", settings.local_smtp.smtp_port, "[local_smtp] smtp_port"),
    ]
    if embedded():
        wanted.append(("127.0.0.1", settings.db.port, "[db] port"))
    if not sells_for_real():
        wanted.append(("127.0.0.1", fake_payments_port(), FAKE_STRIPE_SETTING))
    if fake_meta(settings):
        wanted.append(("127.0.0.1", fake_meta_port(), FAKE_META_SETTING))
    if inbound(settings):
        wanted.append(("127.0.0.1", inbound_port(), INBOUND_SETTING))
    deadline = time.monotonic() + PORT_PATIENCE_S
    for host, port, setting in wanted:
        while not _free(host, port):
            if time.monotonic() > deadline:
                variable = "SUPABASE_" + setting.strip("[").replace("] ", "_").upper()
                place = f"{setting} in supabase/config.toml, or {variable}" if setting.startswith("[") else setting
                raise PortTaken(
                    f"Port {port} is taken. Stop the program that uses it, or choose another port: {place}."
                )
            time.sleep(0.1)


def _free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind((host, port))
            return True
    return False
