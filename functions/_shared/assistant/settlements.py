"""Find statements that everything is paid which no tool result of the turn proves (CHAT-92).

They are marked like figures that nothing supports: a person who believes them asks nobody for the money.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from functions._shared.assistant.turn import Turn

_PAID = r"(?:saldat|pagat|incassat)[oaei]"
_CLAIM = re.compile(
    rf"\btutt[oaei](?:\s+(?:è|sono|risulta|risultano|stat[oaei]|già))*\s+{_PAID}\b"
    rf"|\b(?:ha|hanno|hai)\s+(?:già\s+)?(?:saldato|pagato)\s+tutt[oaei]\b"
    r"|\bnon\s+(?:ti\s+|gli\s+|le\s+)?(?:deve|devono|devi)\s+(?:più\s+|pagare\s+)*(?:nulla|niente)\b"
    r"|\bnessuno\s+ti\s+deve\s+(?:più\s+)?(?:nulla|niente|soldi|denaro)\b",
    re.IGNORECASE,
)
# «Non so se è tutto saldato», «non è tutto pagato», «quando avrà pagato tutto» state nothing.
_OPEN = re.compile(
    r"\b(?:(?:non|né|senza)\b[^,.!?;:\n]{0,40}|(?:se|quando|finché|appena|dopo|prima)\b[^.!?;:\n]{0,40})$",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^.!;\n]*\?")
_DEEPEST = 4


def unproved(content: str, turn: Turn) -> list[tuple[int, int]]:
    """Return the places of such statements: [start, end) in UTF-16 units of the content.

    A result proves them where its `all_paid` is true.
    """
    found = [claim for claim in _CLAIM.finditer(content) if _is_stated(claim, content)]
    if not found or _proves(turn.results, _DEEPEST):
        return []
    return [(_units(content[: claim.start()]), _units(content[: claim.end()])) for claim in found]


def _is_stated(claim: re.Match[str], content: str) -> bool:
    return not _OPEN.search(content[: claim.start()]) and not _QUESTION.match(content, claim.end())


def _proves(result: Any, depth: int) -> bool:
    if isinstance(result, Mapping):
        return result.get("all_paid") is True or (depth > 0 and _proves(list(result.values()), depth - 1))
    is_list = isinstance(result, Sequence) and not isinstance(result, str)
    return is_list and any(_proves(each, depth) for each in result)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
