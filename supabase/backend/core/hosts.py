"""What a host is, as written: an address or a name, this machine or another.

Apart from `core.egress`, because the settings need it in every process, and few of these send requests.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address


def is_loopback(host: str) -> bool:
    """Whether a host, as written, is this machine."""
    address = address_of(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def address_of(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host is written as; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None
