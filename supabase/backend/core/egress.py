"""Send requests to addresses that somebody else chose, never into our own network (ATTACK-15).

The one check that counts stands where the socket is made, after every resolution of names: whatever a name resolves
to, now or a moment later, is the address that is checked and the address that is connected to. Redirects are not
followed, proxies of the environment not used, answers are bounded in size and time, and no connection is kept.
"""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver

from backend.core import hosts

TIMEOUT_S = 10.0
MAX_BYTES = 512 * 1024
# What `ipaddress` takes for the internet and is none: protocol assignments (RFC 6890), of which it knows a part only,
# the way to relays from IPv4 to IPv6 (RFC 7526), and what a site once had for its own (RFC 3879).
_RESERVED = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"), IPv6Network("fec0::/10"))
# Addresses of IPv4 that are written as IPv6 (RFC 6052, RFC 8215): what counts is the IPv4 address inside.
_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


class Reach(IntEnum):
    """How far a request may go; each step includes the ones before."""

    # The internet, by https only.
    PUBLIC = 0
    # And this very machine, by http too: for development, where everything runs on it.
    LOOPBACK = 1
    # Anywhere: for addresses that the operator wrote into the settings.
    ANYWHERE = 2


class EgressError(Exception):
    """The other side could not be asked, must not be asked, or gave no usable answer; the message is for the log."""


@dataclass(frozen=True)
class Answer:
    """What came back, in full."""

    status: int
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def json(self) -> Any:
        """Parse the body as JSON. Raises EgressError."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise EgressError("The answer is not JSON") from error


class Egress:
    """The way out; holds nothing but the certificates to trust. `resolver` is another one in tests."""

    def __init__(self, resolver: AbstractResolver | None = None) -> None:
        self._resolver = resolver

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        # Reading the system's certificates takes a while: once, and only by who needs them.
        return ssl.create_default_context()

    async def get(self, url: str, reach: Reach, headers: Mapping[str, str] | None = None) -> Answer:
        """Request JSON with GET. Raises EgressError."""
        return await self.request("GET", url, reach, headers={"Accept": "application/json", **(headers or {})})

    async def post(
        self, url: str, reach: Reach, form: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a form. Raises EgressError."""
        headers = {"Accept": "application/json", **(headers or {})}
        return await self.request("POST", url, reach, headers=headers, data=dict(form))

    async def request(
        self,
        method: str,
        url: str,
        reach: Reach,
        *,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
        timeout_s: float = TIMEOUT_S,
        max_bytes: int = MAX_BYTES,
    ) -> Answer:
        """Send one request and read the whole answer, bounded in time and size. Raises EgressError."""
        sent = self.open(method, url, reach, headers=headers, data=data, json=json, timeout_s=timeout_s)
        async with sent as response:
            return Answer(response.status, await _bounded(response, max_bytes), dict(response.headers))

    @asynccontextmanager
    async def open(
        self,
        method: str,
        url: str,
        reach: Reach,
        *,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
        timeout_s: float = TIMEOUT_S,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send one request whose answer is read piece by piece within `timeout_s`. Raises EgressError."""
        refuse_bad_url(url, reach)
        connector = aiohttp.TCPConnector(
            resolver=self._resolver,
            ssl=self._tls,
            force_close=True,
            socket_factory=lambda address: _checked_socket(address, reach),
        )
        try:
            async with (
                asyncio.timeout(timeout_s),
                aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session,
                session.request(
                    method, url, data=data, json=json, headers=dict(headers or {}), allow_redirects=False
                ) as response,
            ):
                yield response
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError) as error:
            raise EgressError(f"{method} {_place(url)}: {str(error) or type(error).__name__}") from error


async def _bounded(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(64 * 1024):
        content += chunk
        if len(content) > max_bytes:
            raise EgressError(f"{_place(str(response.url))}: the answer is longer than {max_bytes} bytes")
    return bytes(content)


async def connect(host: str, port: int, reach: Reach, timeout_s: float = TIMEOUT_S) -> socket.socket:
    """Open a TCP connection; the addresses that are checked are the ones connected to. Raises EgressError."""
    loop = asyncio.get_running_loop()
    failure: Exception | None = None
    try:
        async with asyncio.timeout(timeout_s):
            for info in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                try:
                    return await _connected(info, reach)
                except OSError as error:
                    failure = error
    except (TimeoutError, OSError, UnicodeError) as error:
        failure = error
    raise EgressError(f"{host}:{port}: {str(failure) or type(failure).__name__}") from failure


async def _connected(info: Any, reach: Reach) -> socket.socket:
    made = _checked_socket(info, reach)
    try:
        await asyncio.get_running_loop().sock_connect(made, info[4])
    except BaseException:
        made.close()
        raise
    return made


def refuse_bad_url(url: str, reach: Reach) -> None:
    """Refuse an address whose text alone shows that it is not allowed. Raises EgressError."""
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError as error:
        raise EgressError("The address is malformed") from error
    host = parts.hostname or ""
    if not host or "@" in parts.netloc or parts.fragment:
        raise EgressError("The address needs a host, and must carry no user or fragment")
    if parts.scheme == "https" or (parts.scheme == "http" and reach is Reach.ANYWHERE):
        allowed = True
    else:
        allowed = parts.scheme == "http" and reach is Reach.LOOPBACK and hosts.is_loopback(host)
    if not allowed:
        raise EgressError("The address must begin with https://")
    address = hosts.address_of(host)
    if address is not None and not may_reach(address, reach):
        raise EgressError(f"{address} is not an address on the internet")


def may_reach(address: IPv4Address | IPv6Address, reach: Reach) -> bool:
    """Whether a connection to this address is allowed; an IPv4 address in an IPv6 dress counts as what it is."""
    if isinstance(address, IPv6Address):
        inner = _inner(address)
        if inner is not None:
            return may_reach(inner, reach)
        if address.teredo is not None or address.scope_id is not None:
            return reach is Reach.ANYWHERE
    if reach is Reach.ANYWHERE:
        return True
    if address.is_loopback:
        return reach is Reach.LOOPBACK
    if address.is_multicast or address.is_reserved or any(address in network for network in _RESERVED):
        return False
    return address.is_global


def _inner(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    if any(address in network for network in _TRANSLATED) or int(address) >> 32 == 0 < int(address) >> 16:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _checked_socket(info: Any, reach: Reach) -> socket.socket:
    """Create the socket for an address, as aiohttp asks before connecting. Raises PermissionError if it is refused."""
    family, kind, protocol, _name, target = info
    address = ip_address(target[0].partition("%")[0])
    if not may_reach(address, reach):
        raise PermissionError(errno.EACCES, f"{address} is not an address on the internet")
    made = socket.socket(family, kind, protocol)
    made.setblocking(False)
    return made


def _place(url: str) -> str:
    """Enough for the log; a query may carry tokens."""
    return url.partition("?")[0][:200]
