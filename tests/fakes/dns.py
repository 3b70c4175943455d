"""A DNS server on loopback with the TXT records of a test, and others by name and type.

`refuses` are names that it does not answer for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import cast

import dns.asyncresolver
import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset


class _Zone(asyncio.DatagramProtocol):
    def __init__(
        self,
        texts: Mapping[str, Sequence[str]],
        refuses: Collection[str],
        others: Mapping[tuple[str, str], Sequence[str]],
    ) -> None:
        self._texts = texts
        self._refuses = refuses
        self._others = others

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        asked = dns.message.from_wire(data)
        [question] = asked.question
        name = question.name.to_text().rstrip(".")
        answer = dns.message.make_response(asked)
        answer.flags |= dns.flags.RA
        if name in self._refuses:
            answer.set_rcode(dns.rcode.SERVFAIL)
        elif (name, kind := dns.rdatatype.to_text(question.rdtype)) in self._others:
            answer.answer.append(dns.rrset.from_text_list(question.name, 60, "IN", kind, self._others[name, kind]))
        elif name in self._texts and kind == "TXT":
            quoted = [
                " ".join(f'"{text[at : at + 255]}"' for at in range(0, len(text), 255)) for text in self._texts[name]
            ]
            answer.answer.append(dns.rrset.from_text_list(question.name, 60, "IN", "TXT", quoted))
        else:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        self._transport.sendto(answer.to_wire(), address)


@asynccontextmanager
async def serving(
    texts: Mapping[str, Sequence[str]],
    refuses: Collection[str] = (),
    others: Mapping[tuple[str, str], Sequence[str]] = MappingProxyType({}),
) -> AsyncIterator[dns.asyncresolver.Resolver]:
    """Serve on a free port; yields a resolver that asks this server."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: _Zone(texts, refuses, others), ("127.0.0.1", 0))
    resolver = dns.asyncresolver.Resolver(configure=False)
    resolver.nameservers = ["127.0.0.1"]
    resolver.port = transport.get_extra_info("sockname")[1]
    try:
        yield resolver
    finally:
        transport.close()
