"""Writes the catalogue in force as the JSON that the public pages start from, before the server has been asked.

The file is what `public.catalog()` answers in a freshly migrated database. What only concerns the owner of the product
(where a claim comes from, how it was reckoned, what the app does without saying it) stays in the database: the file
travels to every visitor.
"""

from __future__ import annotations

import json
from typing import Any

import asyncpg

from scripts.paths import ROOT

OUTPUT = ROOT / "web" / "src" / "data" / "catalog.gen.json"

# Of a claim, what a page can show; the whole row is what the server answers.
SHOWN = ("text", "value", "base")


async def generate(database_url: str) -> str:
    """Write the text of the JSON file for a migrated database."""
    connection = await asyncpg.connect(database_url)
    try:
        catalog: dict[str, Any] = json.loads(await connection.fetchval("select public.catalog()"))
    finally:
        await connection.close()
    catalog["claims"] = {
        key: {name: claim[name] for name in SHOWN if claim[name] is not None}
        for key, claim in catalog["claims"].items()
        if claim["surface"] != "app"
    }
    return json.dumps(catalog, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
