"""Writes the catalogue in force as the JSON that the public pages start from, before the server has been asked.

What only the legal pages say has a file of its own, which only they load. Together they are what `public.catalog()`
answers in a freshly migrated database. What only concerns the owner of the product (where a claim comes from, how it
was reckoned, what the app does without saying it) stays in the database: the files travel to every visitor.
"""

from __future__ import annotations

import json
from typing import Any

import asyncpg

from scripts.paths import ROOT

OUTPUT = ROOT / "web" / "src" / "data" / "catalog.gen.json"
LEGAL_OUTPUT = ROOT / "web" / "src" / "data" / "legal-claims.gen.json"
LEGAL = ("cookies.", "retention.", "terms.")

# Of a claim, what a page can show; the whole row is what the server answers.
SHOWN = ("text", "value", "base")


async def generate(database_url: str) -> tuple[str, str]:
    """Write the text of both JSON files for a migrated database: the catalogue, the claims of the legal pages."""
    connection = await asyncpg.connect(database_url)
    try:
        catalog: dict[str, Any] = json.loads(await connection.fetchval("select public.catalog()"))
    finally:
        await connection.close()
    claims = {
        key: {name: claim[name] for name in SHOWN if claim[name] is not None}
        for key, claim in catalog["claims"].items()
        if claim["surface"] != "app"
    }
    legal = {key: claim for key, claim in claims.items() if key.startswith(LEGAL)}
    catalog["claims"] = {key: claim for key, claim in claims.items() if key not in legal}
    return _text(catalog), _text(legal)


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
