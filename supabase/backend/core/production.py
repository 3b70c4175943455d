"""What an installation must have before it starts, and who looks after it.

This is the one module of the backend that names what is the product's: demo accounts, admins, payments.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from urllib.parse import urlsplit

import asyncpg

from backend.core import db
from backend.core.config import ConfigError, Settings
from backend.core.hosts import is_loopback

logger = logging.getLogger("backend.production")

# db/seed/10_demo.sql: everybody knows their passwords.
DEMO_ACCOUNTS = ("admin@socio.example", "demo@socio.example")
LIVE_KEYS = ("sk_live_", "rk_live_")
# Names that belong to nobody (RFC 2606): what stands in the file until it is filled in.
NOBODYS = (".example", ".invalid", ".test", ".localhost", ".example.com", ".example.net", ".example.org")


def may_have_demo_accounts(settings: Settings) -> bool:
    """Whether logins with known passwords may be here: not where strangers come, nor where money does."""
    return not settings.secure and not _stripe_key(settings).startswith(LIVE_KEYS)


def require_no_demo(settings: Settings) -> None:
    """For who is about to make demo accounts. Raises ConfigError."""
    if not may_have_demo_accounts(settings):
        raise ConfigError(
            "demo accounts, whose passwords everybody knows, have no place on a site that is reached by https"
        )


def require_whole(settings: Settings) -> None:
    """For who is about to serve or to send mail. Raises ConfigError that says of each missing setting what to do."""
    faults = [
        *(_payments(settings) if settings.is_product else ()),
        *(_public_site(settings) if settings.secure else ()),
    ]
    if faults:
        raise ConfigError("\n".join(faults))


def _public_site(settings: Settings) -> Iterator[str]:
    site = urlsplit(settings.auth.site_url)
    ours_alone = is_loopback(site.hostname or "") and not is_loopback(
        urlsplit(settings.api.external_url).hostname or ""
    )
    if site.scheme != "https" or ours_alone:
        yield (
            f"auth.site_url is {settings.auth.site_url}, which people cannot open from a mail:"
            " set SUPABASE_AUTH_SITE_URL to the site's https address"
        )
    smtp = settings.auth.email.smtp
    if not smtp.enabled:
        if not settings.local_smtp_suffices:
            yield (
                "auth.email.smtp.enabled is false, so nobody gets a mail: set SUPABASE_AUTH_EMAIL_SMTP_ENABLED=true"
                " and SUPABASE_AUTH_EMAIL_SMTP_HOST, _PORT, _USER, _ADMIN_EMAIL and SMTP_PASSWORD of your mail server,"
                " or SOCIO_LOCAL_SMTP=true where mails shall stay in the development mailbox"
            )
        return
    if _is_nobodys(smtp.host) or (is_loopback(smtp.host) and not settings.local_smtp_suffices):
        yield (
            f"auth.email.smtp.host is {smtp.host!r}: set SUPABASE_AUTH_EMAIL_SMTP_HOST to your mail server,"
            " and SOCIO_LOCAL_SMTP=true if it runs on this machine"
        )
    if _is_nobodys(smtp.admin_email.rpartition("@")[2]):
        yield (
            f"auth.email.smtp.admin_email is {smtp.admin_email!r}, from whom no server takes a mail:"
            " set SUPABASE_AUTH_EMAIL_SMTP_ADMIN_EMAIL to a sender of your domain"
        )


def _is_nobodys(host: str) -> bool:
    return not host or f".{host.lower()}".endswith(NOBODYS)


def _payments(settings: Settings) -> Iterator[str]:
    secrets = settings.edge_runtime.secrets.get("STRIPE_WEBHOOK_SECRETS", "")
    if bool(_stripe_key(settings)) != bool(secrets):
        yield (
            "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS belong together: set both, or neither; the second is the"
            f" signing secret of the webhook {settings.api.external_url}/functions/v1/stripe_webhook"
        )
    elif secrets and not all(secret.startswith("whsec_") for secret in secrets.split(",")):
        yield "STRIPE_WEBHOOK_SECRETS must be signing secrets, which begin with whsec_, between commas without spaces"


def _stripe_key(settings: Settings) -> str:
    return settings.edge_runtime.secrets.get("STRIPE_SECRET_KEY", "")


async def look_around(settings: Settings) -> None:
    """Check the database before serving. Raises ConfigError for demo accounts that are not allowed.

    An installation open to strangers does not serve unchecked: raises OSError, asyncpg.PostgresError.
    """
    if not settings.is_product or (may_have_demo_accounts(settings) and not _stripe_key(settings)):
        return
    try:
        connection = await db.connect(settings)
    except (OSError, asyncpg.PostgresError):
        if may_have_demo_accounts(settings):
            return
        raise
    try:
        if not may_have_demo_accounts(settings):
            await _refuse_demo_accounts(connection)
        if _stripe_key(settings) and not await connection.fetchval(
            "select exists (select from public.user_roles where role = 'admin')"
        ):
            logger.warning("nobody is told of payments that go wrong: python -m backend admin grant <e-mail>")
    except asyncpg.UndefinedTableError:
        logger.warning("the database is not migrated yet: python -m backend migrate")
    finally:
        await connection.close()


async def _refuse_demo_accounts(connection: db.Connection) -> None:
    if await connection.fetchval(
        "select exists (select from auth.users where email = any($1) and deleted_at is null)", DEMO_ACCOUNTS
    ):
        raise ConfigError(
            "this database has the demo accounts, whose passwords everybody knows; remove them with"
            " python -m backend admin remove-demo"
        )


async def remove_demo_accounts(settings: Settings) -> int:
    """Remove the demo accounts with all their data; return how many there were."""
    connection = await db.connect(settings)
    try:
        gone = await connection.fetch("delete from auth.users where email = any($1) returning id", DEMO_ACCOUNTS)
        return len(gone)
    finally:
        await connection.close()


async def grant_admin(settings: Settings, email: str) -> bool:
    """Make the account with this confirmed address an admin; return False when there is none."""
    connection = await db.connect(settings)
    try:
        return bool(
            await connection.fetchval(
                """
                with person as (
                  select id from auth.users
                  where lower(email) = lower($1) and email_confirmed_at is not null and not is_sso_user
                    and deleted_at is null
                ), granted as (
                  insert into public.user_roles (user_id, role) select id, 'admin' from person on conflict do nothing
                )
                select exists (select from person)
                """,
                email,
            )
        )
    finally:
        await connection.close()
