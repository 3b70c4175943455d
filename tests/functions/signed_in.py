"""Somebody who calls a function with a token of ours."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from backend.core.resources import Resources


def headers(resources: Resources, user_id: UUID, **claims: Any) -> dict[str, str]:
    """What this person sends for ten minutes; `claims` are added to those of every token."""
    moment = int(resources.now().timestamp())
    token = {"sub": str(user_id), "role": "authenticated", "iat": moment, "exp": moment + 600} | claims
    return {"Authorization": f"Bearer {resources.keys.sign(token)}"}
