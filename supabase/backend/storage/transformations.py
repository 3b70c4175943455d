"""How a picture shall be changed on its way out: size, fit, format and quality, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from backend.storage import errors
from backend.storage.errors import Code

LARGEST_SIDE = 2000
RESIZES = ("cover", "contain", "fill")
_RESIZING = dict(zip(RESIZES, ("fill", "fit", "force"), strict=True))
FORMATS = ("origin", "avif", "webp")
QUALITY = (20, 100)


def of_body(given: Any) -> dict[str, Any] | None:
    """The `transform` of a signing request. Raises InvalidParameter."""
    if given is None or given == {}:
        return None
    if not isinstance(given, Mapping):
        raise errors.bad_request("body/transform must be object", Code.INVALID_PARAMETER)
    return checked({name: str(value) for name, value in given.items() if value is not None}) or None


def checked(given: Mapping[str, str]) -> dict[str, Any]:
    """The known ones of these parameters. Raises InvalidParameter."""
    found: dict[str, Any] = {}
    for name, (least, most) in {"width": (1, LARGEST_SIDE), "height": (1, LARGEST_SIDE), "quality": QUALITY}.items():
        if name in given:
            if not re.fullmatch(r"\d{1,5}", given[name]) or not least <= int(given[name]) <= most:
                raise errors.bad_request(f"{name} must be between {least} and {most}", Code.INVALID_PARAMETER)
            found[name] = int(given[name])
    for name, choices in {"resize": RESIZES, "format": FORMATS}.items():
        if name in given:
            if given[name] not in choices:
                raise errors.bad_request(f"{name} must be one of {', '.join(choices)}", Code.INVALID_PARAMETER)
            found[name] = given[name]
    return found


def written(transform: Mapping[str, Any]) -> str:
    """As a token carries it: `width:100,resize:cover`."""
    return ",".join(f"{name}:{value}" for name, value in transform.items())


def applied(transform: Mapping[str, Any]) -> str:
    """As the header X-Transformations names them, in imgproxy's words.

    Source: supabase/storage, src/storage/renderer/image.ts.
    """
    found = [f"{side}:{transform[side]}" for side in ("height", "width") if side in transform]
    if found:
        found.append(f"resizing_type:{_RESIZING[transform.get('resize', 'cover')]}")
    if "quality" in transform:
        found.append(f"quality:{transform['quality']}")
    if transform.get("format", "origin") != "origin":
        found.append(f"format:{transform['format']}")
    return ",".join(found)


def read(text: str) -> dict[str, Any]:
    """What `written` wrote. Raises InvalidParameter."""
    return checked(dict(part.split(":", 1) for part in text.split(",") if ":" in part))
