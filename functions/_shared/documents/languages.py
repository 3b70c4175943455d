"""In which language a text is written, by its smallest words."""

from __future__ import annotations

import re

# Words that are frequent in one of them and rare in the others.
SMALL_WORDS = {
    "it": "il lo gli della delle del di che per con una sono non nel alla dal questo più è",
    "en": "the of and to is that for with this are be by from not have has was you",
    "de": "der die das und ist nicht mit von den dem ein eine für auf zu sich auch werden",
    "fr": "le les des du et est une dans pour que qui pas sur au vous nous avec",
    "es": "el los las del y es una que para con por no se su al más como",
}
_SETS = {language: frozenset(words.split()) for language, words in SMALL_WORDS.items()}
LEAST = 3


def of(text: str) -> str | None:
    """ISO 639-1, or None when there are too few words to tell."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    found = {language: sum(word in known for word in words) for language, known in _SETS.items()}
    best = max(found, key=lambda language: found[language])
    return best if found[best] >= LEAST else None
