"""The way out for functions: core.egress with the reach that this installation gives them."""

from __future__ import annotations

import socket
from collections.abc import Container, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp

from backend.core import egress, hosts
from backend.core.config import Settings
from backend.core.egress import Answer as Answer
from backend.core.egress import Egress, Reach, refuse_bad_url
from backend.core.egress import EgressError as OutwardError

__all__ = ["Answer", "Outward", "OutwardError"]

TIMEOUT_S = 30.0
MAX_BYTES = 10 * 1024 * 1024

_EGRESS = Egress()


class Outward:
    """Requests by https, and connections, to public addresses; in development, without https, to this machine too."""

    def __init__(self, settings: Settings) -> None:
        self._reach = Reach.PUBLIC if settings.secure else Reach.LOOPBACK

    def refuse_bad(self, url: str) -> None:
        """What can be told from an address alone, for who hands it to a package of its own. Raises OutwardError."""
        refuse_bad_url(url, self._reach)

    def is_own_machine(self, host: str) -> bool:
        """Whether a host, as written, is this machine and may be reached, as in development."""
        return self._reach is Reach.LOOPBACK and hosts.is_loopback(host)

    async def connect(self, host: str, port: int, ports: Container[int]) -> socket.socket:
        """Open a TCP connection to one of these ports, of this machine to any. Raises OutwardError."""
        if port not in ports and not self.is_own_machine(host):
            raise OutwardError(f"Port {port} is not allowed")
        return await egress.connect(host, port, self._reach)

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
        timeout_s: float = TIMEOUT_S,
        max_bytes: int = MAX_BYTES,
    ) -> Answer:
        """The whole answer, whatever its status. Raises OutwardError."""
        return await _EGRESS.request(
            method, url, self._reach, headers=headers, data=data, json=json, timeout_s=timeout_s, max_bytes=max_bytes
        )

    def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
        timeout_s: float = TIMEOUT_S,
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """An answer read piece by piece, all of it within `timeout_s`. Raises OutwardError."""
        return _EGRESS.open(method, url, self._reach, headers=headers, data=data, json=json, timeout_s=timeout_s)
