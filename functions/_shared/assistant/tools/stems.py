"""Words of a question that rows have to contain, whatever their endings: «trasporto» is in «Trasporti Rossi»."""

from __future__ import annotations

from collections.abc import Sequence

from functions._shared import names

# A shorter word has to be there as it is.
_SHORTEST_STEM = 4
# These join words and say nothing by themselves.
_JOINING = frozenset({
    "il", "lo", "la", "gli", "le", "un", "una", "uno", "di", "del", "dello", "della", "dei", "degli", "delle", "al",
    "allo", "alla", "ai", "alle", "da", "dal", "dallo", "dalla", "con", "per", "su", "sul", "sulla", "in", "nel",
    "nella",
})  # fmt: skip


def stems(text: str) -> list[str]:
    """Return what a text has to contain: its words without their last letter; no articles, no company forms."""
    left_out = names.COMPANY_FORMS | _JOINING
    words = names.words(text).split()
    # «La spa» may be the whole of a name.
    telling = [word for word in words if len(word) > 1 and word not in left_out] or words[-1:]
    return [word[:-1] if len(word) > _SHORTEST_STEM and word[-1] in "aeio" else word for word in telling]


def fits(wanted: Sequence[str], text: str) -> bool:
    """Tell whether every stem begins a word of a text."""
    words = names.words(text).split()
    return all(any(_begins(word, stem) for word in words) for stem in wanted)


def _begins(word: str, stem: str) -> bool:
    return word == stem if len(stem) < _SHORTEST_STEM else word.startswith(stem)
