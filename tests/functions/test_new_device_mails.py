"""Mails about sign-ins from new devices: at once, once, also to somebody who wants no notices."""

from __future__ import annotations

import asyncio
import re
from uuid import UUID, uuid4

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions.jobs import new_device_mails
from tests.conftest import Mails
from tests.db import accounts

pytestmark = pytest.mark.anyio

ADDRESS = "anna@example.test"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1"
QUIET = """
insert into public.notification_settings (user_id, quiet_from, quiet_to)
select $1, (local - interval '1 hour')::time(0), (local + interval '1 hour')::time(0)
from (select now() at time zone 'Europe/Rome' as local) as clock
"""
SIGN_IN = "insert into auth.sessions (id, user_id, user_agent, ip) values ($1, $2, $3, $4)"


async def sign_in(resources: Resources, user_id: UUID, user_agent: str, ip: str | None = "192.0.2.7") -> None:
    async with db.transaction(resources.pool) as connection:
        await connection.execute(SIGN_IN, uuid4(), user_id, user_agent, ip)


async def person(resources: Resources) -> UUID:
    """Make somebody with one known device whose quiet hours are now."""
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection, email=ADDRESS)
        await connection.execute(QUIET, user_id)
    await sign_in(resources, user_id, FIREFOX)
    return user_id


def context(resources: Resources) -> Context:
    return Context("new_device_mails", {}, "", resources)


async def test_a_new_device_is_mailed_at_once_in_quiet_hours_too(resources: Resources, mails: Mails) -> None:
    user_id = await person(resources)
    await new_device_mails.handler({}, context(resources))
    assert await mails.to(ADDRESS) == []
    await sign_in(resources, user_id, IPHONE)
    # The one that signed in reads the notice away.
    async with db.transaction(resources.pool) as connection:
        await connection.execute("update public.notifications set is_read = true where user_id = $1", user_id)
    await new_device_mails.handler({}, context(resources))
    [mail] = await mails.to(ADDRESS)
    assert mail.subject == "Nuovo accesso: Safari su iPhone"
    assert "Safari su iPhone, dall’indirizzo 192.0.2.7." in mail.text
    assert re.search(r"Ciao,\n\nil \d{1,2} [a-z]+ \d{4} alle \d\d:\d\d \(ora italiana\) il tuo account", mail.text)
    assert f"{resources.settings.auth.site_url}/settings/security" in mail.text


async def test_two_workers_write_once(resources: Resources, mails: Mails) -> None:
    user_id = await person(resources)
    await sign_in(resources, user_id, IPHONE, None)
    await asyncio.gather(*(new_device_mails.handler({}, context(resources)) for _ in range(2)))
    [mail] = await mails.to(ADDRESS)
    assert "dall’indirizzo" not in mail.text
    await new_device_mails.handler({}, context(resources))
    assert len(await mails.to(ADDRESS)) == 1
