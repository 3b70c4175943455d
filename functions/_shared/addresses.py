"""Addresses as profiles and contacts hold them."""

from __future__ import annotations

from collections.abc import Mapping


def in_one_line(address: Mapping[str, str]) -> str:
    """Write an Italian address: «Via Po 3, 40121 Bologna (BO)»."""
    province = f"({address['province']})" if address.get("province") else ""
    town = " ".join(filter(None, (address.get("postal_code"), address.get("city"), province)))
    return ", ".join(filter(None, (address.get("street"), town)))
