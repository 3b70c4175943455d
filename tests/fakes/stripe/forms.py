"""Stripe's request bodies: forms whose names are paths, `line_items[0][price_data][currency]=eur`."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

_PART = re.compile(r"[^\[\]]+")


def parse(text: str) -> dict[str, Any]:
    """The nested object a form stands for; indices are keys, for nobody here asks for an order."""
    nested: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        *path, last = _PART.findall(name)
        place = nested
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return nested
