"""The way out: which addresses are refused, and that the checked address is the connected one (ATTACK-15)."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from ipaddress import ip_address
from typing import Any

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from backend.core import egress
from backend.core.egress import Egress, EgressError, Reach

PRIVATE = [
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.5", "100.64.0.1"),
    *("169.254.169.254", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1"),
    *("::ffff:a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:c0a8:101::", "::127.0.0.1"),
    *("2001:0:53aa:64c:422:2ece:a29c:9cf6", "2001:db8::1", "fec0::1", "feff::1", "192.88.99.1"),
]


class Names(AbstractResolver):
    """Answers each question with the next address: a rebinding name server."""

    def __init__(self, *addresses: str) -> None:
        self.left = list(addresses)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        address = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0),
        ]

    async def close(self) -> None: ...


@pytest.fixture
async def server() -> AsyncIterator[str]:
    over = asyncio.Event()

    async def elsewhere(_request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "http://169.254.169.254/latest/meta-data"})

    async def huge(_request: web.Request) -> web.Response:
        return web.Response(body=b" " * (egress.MAX_BYTES + 1))

    async def slow(_request: web.Request) -> web.Response:
        await over.wait()
        return web.Response()

    async def echo(request: web.Request) -> web.Response:
        return web.json_response({"host": request.host, "form": dict(await request.post())})

    app = web.Application()
    app.router.add_get("/elsewhere", elsewhere)
    app.router.add_get("/huge", huge)
    app.router.add_get("/slow", slow)
    app.router.add_post("/echo", echo)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    over.set()
    await runner.cleanup()


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_on_the_internet_are_refused(address: str) -> None:
    assert not egress.may_reach(ip_address(address), Reach.PUBLIC)
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(EgressError):
        egress.refuse_bad_url(f"https://{host}/", Reach.PUBLIC)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_addresses_on_the_internet_are_allowed(address: str) -> None:
    assert egress.may_reach(ip_address(address), Reach.PUBLIC)


def test_a_development_machine_reaches_itself_and_nothing_beside() -> None:
    assert egress.may_reach(ip_address("127.0.0.1"), Reach.LOOPBACK)
    assert egress.may_reach(ip_address("::1"), Reach.LOOPBACK)
    assert not egress.may_reach(ip_address("10.0.0.1"), Reach.LOOPBACK)
    assert egress.may_reach(ip_address("10.0.0.1"), Reach.ANYWHERE)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "https:///path",
        "https://user@example.com/",
        "https://example.com:99999/",
        "https://example.com/#fragment",
        "https://[::1",
        "//example.com/",
        "",
    ],
)
def test_malformed_and_unsafe_addresses_are_refused(url: str) -> None:
    with pytest.raises(EgressError):
        egress.refuse_bad_url(url, Reach.PUBLIC)


def test_plain_http_is_for_this_machine_or_the_operator() -> None:
    egress.refuse_bad_url("http://127.0.0.1:8080/", Reach.LOOPBACK)
    egress.refuse_bad_url("http://keycloak:8080/", Reach.ANYWHERE)
    with pytest.raises(EgressError):
        egress.refuse_bad_url("http://keycloak:8080/", Reach.LOOPBACK)


@pytest.mark.anyio
@pytest.mark.parametrize("reach", [Reach.PUBLIC, Reach.LOOPBACK])
async def test_a_name_that_leads_inside_is_refused_when_the_socket_is_made(reach: Reach) -> None:
    with pytest.raises(EgressError, match="not an address on the internet"):
        await Egress(Names("10.0.0.1")).get("https://innocent.example/", reach)


@pytest.mark.anyio
async def test_a_name_that_changes_between_two_calls_is_checked_each_time() -> None:
    out = Egress(Names("192.0.2.1", "127.0.0.1"))
    for _ in range(2):
        with pytest.raises(EgressError, match="not an address on the internet"):
            await out.get("https://rebinding.example/", Reach.PUBLIC)


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "localhost"])
async def test_odd_spellings_of_this_machine_are_refused(host: str) -> None:
    with pytest.raises(EgressError):
        await Egress().get(f"https://{host}/", Reach.PUBLIC)


@pytest.mark.anyio
@pytest.mark.parametrize("host", ["localhost", "127.1", "10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254"])
async def test_a_bare_connection_is_checked_when_its_socket_is_made(host: str) -> None:
    with pytest.raises(EgressError):
        await egress.connect(host, 25, Reach.PUBLIC)


@pytest.mark.anyio
async def test_a_redirect_is_an_answer_and_not_followed(server: str) -> None:
    assert (await Egress().get(f"{server}/elsewhere", Reach.LOOPBACK)).status == 302


@pytest.mark.anyio
async def test_an_endless_answer_is_cut(server: str) -> None:
    with pytest.raises(EgressError, match="longer than"):
        await Egress().get(f"{server}/huge", Reach.LOOPBACK)


@pytest.mark.anyio
async def test_a_slow_answer_is_given_up(server: str) -> None:
    with pytest.raises(EgressError, match="TimeoutError"):
        await Egress().request("GET", f"{server}/slow", Reach.LOOPBACK, timeout_s=0.05)


@pytest.mark.anyio
async def test_a_form_arrives(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    answer = await Egress().post(f"{server}/echo", Reach.LOOPBACK, {"a": "b"})
    parsed: dict[str, Any] = answer.json()
    assert (answer.status, parsed["form"]) == (200, {"a": "b"})
