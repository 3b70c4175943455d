"""The pseudonym of an address: stable for a day, useless afterwards."""

import re
from dataclasses import replace
from ipaddress import ip_network

import httpx
import pytest

from backend import gateway
from backend.core.resources import Resources
from tests.conftest import Clock

pytestmark = pytest.mark.anyio


async def ip_hash(client: httpx.AsyncClient, address: str = "") -> str:
    headers = {"X-Forwarded-For": address} if address else {}
    response = await client.post("/functions/v1/ip_hash", headers=headers)
    assert response.status_code == 200, response.text
    value: str = response.json()["ip_hash"]
    return value


async def test_an_address_has_one_pseudonym_a_day(client: httpx.AsyncClient, now: Clock) -> None:
    today = await ip_hash(client)
    assert re.fullmatch("[0-9a-f]{16}", today)
    assert await ip_hash(client) == today
    now.advance(days=1)
    assert await ip_hash(client) != today


async def test_a_forged_forwarding_header_changes_nothing(client: httpx.AsyncClient) -> None:
    assert await ip_hash(client, "203.0.113.9") == await ip_hash(client)


async def test_behind_a_trusted_proxy_each_visitor_has_an_own_one(resources: Resources) -> None:
    trusting = replace(resources, settings=replace(resources.settings, trusted_proxies=(ip_network("127.0.0.0/8"),)))
    async with (
        gateway.application(trusting) as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client,
    ):
        assert await ip_hash(client, "203.0.113.9") != await ip_hash(client, "203.0.113.10")
