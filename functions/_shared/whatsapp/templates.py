"""Message templates: reading them from Meta, and the places of their text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from backend.edge import api
from functions._shared.whatsapp import graph, numbers

PLACE = re.compile(r"\{\{\s*([a-z0-9_]{1,60})\s*\}\}")
# What Meta tells of a template, and how many are read.
FIELDS = "id,name,language,category,status,rejected_reason,quality_score,components,parameter_format"
MOST = 200


async def refresh(context: api.Context, number: numbers.Number) -> int:
    """Read all templates of a number; return how many there are. Raises what graph.Graph.request raises."""
    answer = await graph.Graph(context, number.token).request(
        "GET", f"{number.waba_id}/message_templates?fields={FIELDS}&limit={MOST}"
    )
    listed = answer.get("data")
    rows = [row for row in map(row_of, listed if isinstance(listed, list) else []) if row]
    kept: int = await context.call("private.save_whatsapp_templates", number.id, api.Json(json.dumps(rows)), True)
    return kept


def row_of(told: Any) -> dict[str, Any] | None:
    """Read a template of Meta; None for what is none."""
    if not isinstance(told, dict) or not all(isinstance(told.get(name), str) for name in ("id", "name", "language")):
        return None
    parts = [part for part in told.get("components") or [] if isinstance(part, dict)]
    body = next((str(part.get("text", "")) for part in parts if part.get("type") == "BODY"), "")
    footer = next((str(part.get("text", "")) for part in parts if part.get("type") == "FOOTER"), "")
    others = json.dumps([part for part in parts if part.get("type") != "BODY"])
    reason, quality = told.get("rejected_reason"), told.get("quality_score")
    return {
        "template_id": told["id"][:100],
        "name": told["name"][:512],
        "language": told["language"][:20],
        "category": str(told.get("category", ""))[:50],
        "state": str(told.get("status", ""))[:50],
        "quality": str(quality.get("score", ""))[:50] if isinstance(quality, Mapping) else None,
        "reason": None if reason in (None, "NONE") else str(reason)[:500],
        "body": PLACE.sub(r"{{\1}}", body)[:2000],
        "footer": footer[:500] or None,
        "is_named": told.get("parameter_format") == "NAMED",
        "places": places_of(body),
        # Headers with a file, and places in headers and buttons, are not filled in by us.
        "is_usable": bool(body) and "{{" not in others and not re.search('"format": "(?!TEXT)', others),
    }


def places_of(body: str) -> list[str]:
    """Return the places of a text, each once, as they first come."""
    return list(dict.fromkeys(PLACE.findall(body)))
