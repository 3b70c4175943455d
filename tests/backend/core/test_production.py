"""core.production: what would fail in silence does not start, and says what to do."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from backend.core import config, migrate, production
from backend.core.config import Settings
from backend.core.config_functions import EdgeRuntime

pytestmark = pytest.mark.anyio

WHOLE = {
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    "SUPABASE_API_EXTERNAL_URL": "https://www.socio.it",
    "SUPABASE_AUTH_SITE_URL": "https://www.socio.it",
    "SUPABASE_AUTH_EMAIL_SMTP_ENABLED": "true",
    "SUPABASE_AUTH_EMAIL_SMTP_HOST": "smtp.socio.it",
    "SUPABASE_AUTH_EMAIL_SMTP_ADMIN_EMAIL": "ciao@socio.it",
    "SMTP_PASSWORD": "hush",
    "STRIPE_SECRET_KEY": "sk_live_x",
    "STRIPE_WEBHOOK_SECRETS": "whsec_a,whsec_b",
}


def test_a_whole_production_may_start_and_so_may_a_laptop() -> None:
    production.require_whole(config.load(WHOLE))
    production.require_whole(config.load({"DATABASE_URL": WHOLE["DATABASE_URL"]}))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"SUPABASE_AUTH_SITE_URL": "http://localhost:54321"}, "SUPABASE_AUTH_SITE_URL"),
        ({"SUPABASE_AUTH_SITE_URL": "https://127.0.0.1"}, "SUPABASE_AUTH_SITE_URL"),
        ({"SUPABASE_AUTH_SITE_URL": "http://www.socio.it"}, "SUPABASE_AUTH_SITE_URL"),
        ({"SUPABASE_AUTH_EMAIL_SMTP_ENABLED": "false"}, "SUPABASE_AUTH_EMAIL_SMTP_ENABLED=true"),
        ({"SUPABASE_AUTH_EMAIL_SMTP_HOST": "localhost"}, "SOCIO_LOCAL_SMTP=true"),
        ({"SUPABASE_AUTH_EMAIL_SMTP_HOST": "smtp.example.com"}, "SUPABASE_AUTH_EMAIL_SMTP_HOST"),
        ({"SUPABASE_AUTH_EMAIL_SMTP_ADMIN_EMAIL": "ciao@socio.example"}, "SUPABASE_AUTH_EMAIL_SMTP_ADMIN_EMAIL"),
        ({"STRIPE_WEBHOOK_SECRETS": ""}, "STRIPE_WEBHOOK_SECRETS"),
        ({"STRIPE_SECRET_KEY": ""}, "STRIPE_SECRET_KEY"),
        ({"STRIPE_WEBHOOK_SECRETS": "whsec_a, whsec_b"}, "begin with whsec_"),
        ({"STRIPE_WEBHOOK_SECRETS": "whsec_a,"}, "begin with whsec_"),
    ],
    ids=lambda each: "=".join(*each.items()) if isinstance(each, dict) else "",
)
def test_what_would_fail_in_silence_is_refused_with_the_name_of_the_setting(change: dict[str, str], named: str) -> None:
    with pytest.raises(config.ConfigError, match=named):
        production.require_whole(config.load({**WHOLE, **change}))


def test_every_missing_setting_is_named_at_once() -> None:
    first = {"DATABASE_URL": WHOLE["DATABASE_URL"], "SUPABASE_API_EXTERNAL_URL": "https://www.socio.it"}
    with pytest.raises(config.ConfigError) as refusal:
        production.require_whole(config.load(first))
    assert [line.split()[0] for line in str(refusal.value).splitlines()] == [
        "auth.site_url",
        "auth.email.smtp.enabled",
    ]


@pytest.mark.parametrize(
    "mails",
    [
        {"SUPABASE_AUTH_EMAIL_SMTP_ENABLED": "false"},
        {"SUPABASE_AUTH_EMAIL_SMTP_HOST": "127.0.0.1"},
    ],
    ids=["the mailbox", "a mail server here"],
)
def test_who_runs_it_may_say_that_mails_stay_on_this_machine(mails: dict[str, str]) -> None:
    production.require_whole(config.load({**WHOLE, **mails, "SOCIO_LOCAL_SMTP": "true"}))


def selling(settings: Settings, key: str) -> Settings:
    return replace(settings, edge_runtime=EdgeRuntime(secrets={"STRIPE_SECRET_KEY": key}))


def reached_by_https(settings: Settings) -> Settings:
    return replace(settings, api=replace(settings.api, external_url="https://www.socio.it"))


async def with_demo_accounts(settings: Settings) -> None:
    connection = await asyncpg.connect(settings.database_url)
    await migrate.seed(connection, [settings.root / "db" / "seed" / "10_demo.sql"])
    await connection.close()


async def test_demo_accounts_are_not_served_to_strangers(settings: Settings) -> None:
    await with_demo_accounts(settings)
    await production.look_around(settings)
    for exposed in (reached_by_https(settings), selling(settings, "sk_live_x")):
        with pytest.raises(config.ConfigError, match="admin remove-demo"):
            await production.look_around(exposed)
        with pytest.raises(config.ConfigError):
            production.require_no_demo(exposed)
    assert await production.remove_demo_accounts(settings) == 2
    await production.look_around(reached_by_https(settings))


async def test_nobody_serves_strangers_without_having_looked(settings: Settings) -> None:
    away = replace(settings, database_url="postgresql://nobody@127.0.0.1:1/none")
    await production.look_around(selling(away, "sk_test_x"))
    with pytest.raises(OSError):
        await production.look_around(reached_by_https(away))


async def test_a_shop_without_an_admin_is_warned_of(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    shop = selling(settings, "sk_test_x")
    with caplog.at_level(logging.WARNING, "backend.production"):
        await production.look_around(shop)
        assert "admin grant" in caplog.text
        caplog.clear()
        await with_demo_accounts(settings)
        await production.look_around(shop)
    assert caplog.text == ""


async def test_a_confirmed_account_becomes_an_admin(settings: Settings) -> None:
    await with_demo_accounts(settings)
    connection = await asyncpg.connect(settings.database_url)
    await connection.execute("delete from public.user_roles")
    assert not await production.grant_admin(settings, "nobody@socio.it")
    for _ in range(2):
        assert await production.grant_admin(settings, "Demo@socio.example")
    admins = await connection.fetch("select email from auth.users join public.user_roles on user_id = id")
    assert [row["email"] for row in admins] == ["demo@socio.example"]
    await connection.execute("update auth.users set email_confirmed_at = null where email like 'admin@%'")
    assert not await production.grant_admin(settings, "admin@socio.example")
    await connection.close()


def test_the_demo_accounts_are_those_of_the_seed() -> None:
    seed = (Path(config.ROOT) / "db" / "seed" / "10_demo.sql").read_text()
    assert [seed.count(f", '{email}',") for email in production.DEMO_ACCOUNTS] == [1, 1]
    assert seed.count("if pg_temp.demo_account(") == 2
