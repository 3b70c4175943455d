"""Judge every write of a chat by the rules of the ethical supervisor (functions/_shared/ethics.py).

Here are the facts of a write: what it would do, and which of its passages strangers may have written. Nothing is sent
from a chat (E-04, E-10, E-13), and no write has a budget (E-06).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from functions._shared import ethics, names
from functions._shared.assistant.facts import said
from functions._shared.assistant.tools.writing import Preview, Write


@dataclass(frozen=True)
class Facts:
    """What is known beside the write itself."""

    # Passages of the arguments that stand in a stranger's text and not in what the person wrote.
    from_data: tuple[str, ...] = ()
    # Figures of the text that stand nowhere in the person's data.
    unverified: tuple[str, ...] = ()


def judge(write: Write[Any, Any], preview: Preview, facts: Facts | None = None) -> ethics.Verdict:
    """Return what the rules say of a write as it would be carried out."""
    known = facts or Facts()
    return ethics.judge(
        ethics.Facts(
            outward=write.outward,
            recipients=preview.recipients,
            consent=preview.consent,
            marketing=preview.marketing,
            texts=preview.texts,
            deletes=write.deletes,
            reversible=write.reversible,
            unverified=known.unverified,
            from_data=known.from_data,
            recent=preview.recent,
            money=write.money,
        )
    )


# What strangers may have written, and came back in the arguments -----------------------------------------------------

_RUN = 4
# Addresses, links, accounts and long numbers count by themselves. An address is looked for where a word begins only:
# from each of its letters it would take the square of its length.
_TOKEN = re.compile(
    r"(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+"
    r"|https?://\S+|www\.\S+|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b|\+?\d(?:[ ./-]?\d){6,}",
    re.IGNORECASE,
)


def passages(texts: Iterable[str], about: Iterable[str], untrusted: Iterable[str], question: str) -> tuple[str, ...]:
    """What of a proposal stands in strangers' texts and not in what the person wrote: four words in a row, a whole
    short text, an address, or the name of a record that the person did not name."""
    strangers = [names.words(text) for text in untrusted]
    runs = {run for text in strangers for run in _runs(text.split())}
    asked, joined = names.words(question), " ".join(strangers)
    found = []
    for text in texts:
        words = names.words(text).split()
        foreign = [run for run in _runs(words) if run in runs and run not in asked]
        if len(words) in range(2, _RUN) and " ".join(words) in joined and not said(text, question):
            foreign.append(" ".join(words))
        tokens = [names.words(token[0]) for token in _TOKEN.finditer(text)]
        found += foreign[:1] + [token for token in tokens if token in joined and token not in asked]
    for name in about:
        words = [word for word in names.words(name).split() if len(word) > 3]
        if words and not any(word in asked for word in words) and names.words(name) in joined:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _runs(words: list[str]) -> list[str]:
    return [" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
