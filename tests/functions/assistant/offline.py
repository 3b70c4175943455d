"""An installation without a database, for what only asks a provider."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from backend.core import config
from backend.core.resources import open_all
from backend.edge.api import Context
from functions._shared.assistant.turn import Turn

NOBODY = "postgresql://nobody@127.0.0.1:9/none"


async def context(installation: Path, external_url: str = "http://localhost:1", **secrets: str) -> Context:
    """Of a call on an installation with these secrets."""
    settings = config.load({"SOCIO_HOME": str(installation), "DATABASE_URL": NOBODY})
    settings = replace(
        settings,
        api=replace(settings.api, external_url=external_url),
        edge_runtime=replace(settings.edge_runtime, secrets=secrets),
    )
    async with open_all(settings) as resources:
        return Context("chat", {"sub": "u1", "role": "authenticated"}, "", resources)


async def turn(installation: Path, question: str, **secrets: str) -> Turn:
    """A turn whose tools would find no database."""
    given = await context(installation, **secrets)
    return Turn(given, "u1", "c1", "m1", question, datetime(2026, 11, 21, 9, tzinfo=UTC))
