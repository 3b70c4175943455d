"""The codes of electronic invoices in Italian words; the client reads the same file, codes.json."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

CodeList: TypeAlias = Literal[
    "versions",
    "documents",
    "regimes",
    "natures",
    "exigibility",
    "conditions",
    "methods",
    "withholdings",
    "funds",
    "lines",
    "discounts",
    "issuers",
    "partners",
    "liquidation",
    "references",
    "stamps",
]


def words(of: CodeList, code: str | None) -> str:
    """What a code means; an unknown one stands for itself, a missing one is empty."""
    return table()[of].get(code or "", code or "")


def known(of: CodeList, code: str) -> bool:
    """Whether a code is on its list."""
    return code in table()[of]


@cache
def table() -> dict[str, dict[str, str]]:
    """All lists."""
    lists: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("codes.json").read_text())
    return lists
