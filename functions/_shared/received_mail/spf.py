"""Tell whether a server may send mail for a domain: SPF (RFC 7208), as far as DMARC needs it.

Only a pass counts, so what is not evaluated here (macros, `ptr`) is no match, and an error is no pass.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TypeAlias

from functions._shared import mail_domain
from functions._shared.received_mail import dkim

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

# RFC 7208 4.6.4.
MAX_LOOKUPS = mail_domain.MOST_LOOKUPS
MAX_EMPTY = 2
MAX_EXCHANGERS = 10
TERM = re.compile(
    r"(?P<sign>[+?~-]?)(?P<name>all|include|a|mx|ptr|exists|ip4|ip6)(?::(?P<value>[^/\s]+))?"
    r"(?:/(?P<bits>\d{1,3}))?(?://(?P<bits6>\d{1,3}))?",
    re.IGNORECASE,
)
MODIFIER = re.compile(r"[a-z][a-z0-9_.-]*=", re.IGNORECASE)


class Broken(Exception):
    """The records of a domain cannot be evaluated."""


def address_of(peer: str | None) -> Address | None:
    """Return the address of a server out in the internet; None for one of our own network, which says nothing."""
    try:
        found = ipaddress.ip_address(peer or "")
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found) if (mapped or found).is_global else None


async def passes(client: Address, domain: str) -> bool:
    """Evaluate the records of a domain. Raises mail_domain.NoAnswer."""
    try:
        return await _Evaluation(client).result(domain) == "+"
    except Broken:
        return False


class _Evaluation:
    """One evaluation, with its limits."""

    def __init__(self, client: Address) -> None:
        self._client = client
        self._lookups = 0
        self._empty = 0

    async def result(self, domain: str) -> str | None:
        """Return the sign of the term that matches; None when no term matches. Raises Broken and NoAnswer."""
        if not dkim.NAME.fullmatch(domain):
            raise Broken(domain)
        own = mail_domain.spf_records(await mail_domain.answered(mail_domain.texts(domain)))
        if len(own) != 1:
            raise Broken(domain)
        redirect = None
        for term in own[0].split()[1:]:
            if MODIFIER.match(term):
                redirect = term[9:].lower() if term.lower().startswith("redirect=") else redirect
                continue
            found = TERM.fullmatch(term)
            if found is None:
                raise Broken(term)
            if await self._matches(found, domain):
                return found["sign"] or "+"
        if redirect is None:
            return None
        self._count()
        return await self.result(redirect)

    async def _matches(self, term: re.Match[str], domain: str) -> bool:
        name, value = term["name"].lower(), (term["value"] or "").lower()
        if name == "all":
            return True
        if name in ("ip4", "ip6"):
            return self._is_within(value, term["bits"])
        self._count()
        if name == "ptr" or "%" in value:
            return False
        target = value.rstrip(".") or domain
        if name == "include":
            return await self.result(target) == "+"
        if not dkim.NAME.fullmatch(target):
            raise Broken(target)
        if name == "exists":
            return bool(self._noted(await mail_domain.answered(mail_domain.addresses(target, "A"))))
        bits = term["bits"] if self._client.version == 4 else term["bits6"]
        if name == "a":
            found = self._noted(await self._addresses(target))
        else:
            hosts = self._noted(await mail_domain.answered(mail_domain.exchangers(target)))
            if len(hosts) > MAX_EXCHANGERS:
                raise Broken(target)
            found = [each for host in hosts for each in await self._addresses(host)]
        return any(self._is_within(each, bits) for each in found)

    async def _addresses(self, host: str) -> list[str]:
        if not dkim.NAME.fullmatch(host.lower()):
            return []
        if self._client.version == 4:
            return await mail_domain.answered(mail_domain.addresses(host, "A"))
        return await mail_domain.answered(mail_domain.addresses(host, "AAAA"))

    def _is_within(self, network: str, bits: str | None) -> bool:
        try:
            return self._client in ipaddress.ip_network(f"{network}/{bits}" if bits else network, strict=False)
        except ValueError as error:
            raise Broken(network) from error

    def _count(self) -> None:
        self._lookups += 1
        if self._lookups > MAX_LOOKUPS:
            raise Broken("too many look-ups")

    def _noted(self, found: list[str]) -> list[str]:
        """Count an empty answer."""
        self._empty += not found
        if self._empty > MAX_EMPTY:
            raise Broken("too many empty answers")
        return found
