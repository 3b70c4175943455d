"""`push_devices`: what a browser needs to subscribe, and which subscriptions are kept for whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge import api
from functions import push_devices
from functions._shared import web_push
from tests.db import accounts
from tests.fakes import push
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/push_devices"


@pytest.fixture
async def owner(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        return await accounts.create(connection)


async def devices(resources: Resources, user_id: UUID) -> list[str]:
    query = "select endpoint from public.push_subscriptions where user_id = $1 order by created_at"
    async with db.connection(resources.pool) as connection:
        return [row["endpoint"] for row in await connection.fetch(query, user_id)]


async def subscribe(client: httpx.AsyncClient, resources: Resources, user_id: UUID, body: Any) -> httpx.Response:
    return await client.post(PATH, json=body, headers=signed_in.headers(resources, user_id))


async def test_a_browser_asks_for_the_key_and_is_kept(
    client: httpx.AsyncClient, resources: Resources, owner: UUID
) -> None:
    asked = await client.get(PATH, headers=signed_in.headers(resources, owner))
    assert asked.json() == {"key": web_push.public_key(api.Context("push_devices", {}, "", resources))}
    browser = push.Browser("https://push.example.net/a")
    for _ in range(2):
        answer = await subscribe(client, resources, owner, browser.subscription())
        assert (answer.status_code, list(answer.json())) == (201, ["id"])
    assert await devices(resources, owner) == [browser.endpoint]


async def test_visitors_get_nothing(client: httpx.AsyncClient) -> None:
    for answer in (await client.get(PATH), await client.post(PATH, json={})):
        assert (answer.status_code, answer.json()["code"]) == (401, "no_authorization")


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://10.0.0.1/push",
        "https://[fd00::1]/push",
        "https://169.254.169.254/latest",
        "http://push.example.net/a",
        "ftp://push.example.net/a",
        "https://user@push.example.net/a",
        "https://push.example.net/" + "a" * 1000,
        None,
        7,
    ],
)
async def test_an_endpoint_that_is_not_on_the_internet_is_refused(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, endpoint: object
) -> None:
    body = {**push.Browser("https://push.example.net/a").subscription(), "endpoint": endpoint}
    answer = await subscribe(client, resources, owner, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    assert await devices(resources, owner) == []


@pytest.mark.parametrize("change", [{"p256dh": push.written(b"\x04" + b"\x01" * 64)}, {"auth": "AAAA"}, {"auth": None}])
async def test_keys_that_are_none_are_refused(
    client: httpx.AsyncClient, resources: Resources, owner: UUID, change: dict[str, Any]
) -> None:
    body = push.Browser("https://push.example.net/a").subscription()
    answer = await subscribe(client, resources, owner, {**body, "keys": {**body["keys"], **change}})
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_a_browser_belongs_to_whoever_signed_in_last(
    client: httpx.AsyncClient, resources: Resources, owner: UUID
) -> None:
    async with db.connection(resources.pool) as connection:
        other = await accounts.create(connection)
    body = push.Browser("https://push.example.net/shared").subscription()
    await subscribe(client, resources, owner, body)
    await subscribe(client, resources, other, body)
    assert (await devices(resources, owner), len(await devices(resources, other))) == ([], 1)


async def test_the_newest_ten_devices_stay(client: httpx.AsyncClient, resources: Resources, owner: UUID) -> None:
    browsers = [push.Browser(f"https://push.example.net/{number}") for number in range(12)]
    for browser in browsers:
        assert (await subscribe(client, resources, owner, browser.subscription())).status_code == 201
    assert await devices(resources, owner) == [browser.endpoint for browser in browsers[2:]]


async def test_where_the_product_has_https_this_machine_is_no_push_service(resources: Resources, owner: UUID) -> None:
    settings = replace(resources.settings, api=replace(resources.settings.api, external_url="https://socio.example"))
    assert settings.secure
    context = api.Context("push_devices", {}, "", replace(resources, settings=settings))
    with pytest.raises(api.Refused, match="push"):
        push_devices.asked(push.Browser("http://127.0.0.1:9/a").subscription(), context)
