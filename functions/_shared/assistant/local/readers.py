"""Classes of sentences with rules of their own, read before likeness is asked; the first that reads a sentence counts.

Each takes the sentence and what was wanted before it, and returns None for what is not of its class.
"""

from __future__ import annotations

from functions._shared.assistant.local import heard_told
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence


def read(sentence: Sentence, before: Said | None) -> Said | None:
    """Return what a sentence of one of these classes wants; None for any other."""
    return heard_told.read(sentence, before)
