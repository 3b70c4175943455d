"""A throw-away stack for tests: `python -m scripts.stack -- <command …>`.

Everything runs on free ports with a home folder of its own, beside a normal `make run`. The command finds the
addresses and keys in the file that SOCIO_RUN_JSON names; its exit status is ours.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from backend.core import config
from scripts import machine, postgres, services
from scripts.run import REFUSALS, supervise
from scripts.supervisor import child
from scripts.supervisor.log import Log
from tests.fakes import mail_provider

# The data is thrown away anyway.
UNSAFE_BUT_FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# Above them is the failed check's own output: more or longer lines would push it out of sight.
WARNINGS = "The last warnings and errors of the stack:"
LOG_LINES_SHOWN = 8
CHARACTERS_SHOWN = 160
ORDINARY_LINE = re.compile(r'"level": "info"| LOG:  |^(fakes|postgrest) ')
RATE_LIMITS = (
    *("EMAIL_SENT", "SMS_SENT", "TOKEN_REFRESH", "SIGN_IN_SIGN_UPS", "TOKEN_VERIFICATIONS", "ANONYMOUS_USERS"),
    *("WEB3", "MFA", "CLIENT_REGISTRATIONS", "EMAIL_SENT_PER_NETWORK"),
)
# The platform can do more than the product uses, and the contract tests ask for all of it.
SWITCHED_ON = (
    *("ENABLE_ANONYMOUS_SIGN_INS", "SMS_ENABLED", "MFA_PHONE_ENROLL_ENABLED", "MFA_PHONE_VERIFY_ENABLED"),
    *("OAUTH_SERVER_ENABLED", "EXTERNAL_KEYCLOAK_ENABLED"),
)


def overrides(home: Path) -> dict[str, str]:
    """Return the environment of the stack: own folder, free ports, and no waiting for humans."""
    ports = postgres.free_ports(11)
    api_port, db_port, page_port, smtp_port, openid_port, stripe_port, meta_port, inbound_port = ports[:8]
    return {
        "SOCIO_HOME": str(home),
        # The worker makes a backup and tests it, for the administration to show.
        "SOCIO_BACKUPS": str(home / "backups"),
        "SUPABASE_API_PORT": str(api_port),
        # The product's functions, and those that only answer what the clients' tests ask.
        "SOCIO_FUNCTIONS": os.pathsep.join(("functions", "tests/contract/functions")),
        "SUPABASE_AUTH_SITE_URL": f"http://localhost:{api_port}",
        "SUPABASE_DB_PORT": str(db_port),
        "SUPABASE_LOCAL_SMTP_PORT": str(page_port),
        "SUPABASE_LOCAL_SMTP_SMTP_PORT": str(smtp_port),
        # Functions as in production: loaded once, not looked after at each call.
        "SUPABASE_EDGE_RUNTIME_POLICY": "per_worker",
        # Never somebody's real account: an empty key means the fake one.
        "STRIPE_SECRET_KEY": "",
        # Nor a model that somebody pays for.
        "AI_MODEL": "",
        services.FAKE_STRIPE_SETTING: str(stripe_port),
        services.FAKE_META_SETTING: str(meta_port),
        services.INBOUND_SETTING: str(inbound_port),
        # A fake Microsoft for mail logins; Google is not set up.
        mail_provider.SETTING: "http://127.0.0.1:{} {} {}".format(*ports[8:]),
        "SOCIO_MAIL_MICROSOFT_CLIENT_ID": mail_provider.CLIENT_ID,
        "SOCIO_MAIL_MICROSOFT_SECRET": mail_provider.SECRET,
        **{f"SUPABASE_AUTH_{name}_MAX_FREQUENCY": "0s" for name in ("EMAIL", "SMS", "MFA_PHONE")},
        # A whole test run comes from one address.
        **{f"SUPABASE_AUTH_RATE_LIMIT_{name}": "100000" for name in RATE_LIMITS},
        **{f"SUPABASE_AUTH_{name}": "true" for name in SWITCHED_ON},
        # The provider that the contract tests start (tests/oidc/server.mjs).
        "SUPABASE_AUTH_EXTERNAL_KEYCLOAK_URL": f"http://127.0.0.1:{openid_port}",
        "SUPABASE_AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID": "socio",
        "SUPABASE_AUTH_EXTERNAL_KEYCLOAK_SECRET": "of the throw-away stack",
    }


def telling_lines(log: str) -> list[str]:
    """Return the last lines of a log that may explain a failure."""
    telling = [line for line in log.splitlines() if not ORDINARY_LINE.search(line)]
    return [line[:CHARACTERS_SHOWN] for line in telling[-LOG_LINES_SHOWN:]]


async def _run(command: list[str], log: Log) -> int:
    async def ready(run_json: Path) -> int:
        environment = {**os.environ, "SOCIO_RUN_JSON": str(run_json)}
        process = await asyncio.create_subprocess_exec(*child.with_parent(command), env=environment)
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()

    return await supervise(config.load(), log, ready, UNSAFE_BUT_FAST)


def main(arguments: list[str]) -> int:
    """Run the command after `--` with a stack of its own. Exit status 2 when the stack does not start."""
    command = arguments[1:] if arguments[:1] == ["--"] else arguments
    if not command:
        print("Usage: python -m scripts.stack -- <command …>", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="socio-", dir=machine.scratch()) as folder:
        # Tests write and delete: never in a database somebody else knows.
        machine.forget_settings()
        os.environ.update(overrides(Path(folder)))
        # A model that says what a test wants.
        os.environ[services.FAKE_MODEL_SETTING] = str(postgres.free_port())
        log_path = Path(folder) / "stack.log"
        with log_path.open("w") as stream:
            try:
                status = asyncio.run(_run(command, Log(stream)))
            except REFUSALS as refusal:
                print(refusal, file=sys.stderr)
                return 2
        if status != 0 and (lines := telling_lines(log_path.read_text())):
            print(f"\n{WARNINGS}", *lines, sep="\n", file=sys.stderr)
        return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
