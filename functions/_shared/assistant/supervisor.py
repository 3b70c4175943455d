"""Judge every write by the rules of the ethical supervisor, E-01 to E-12 (RULE-01 to RULE-12): pure and versioned.

A rule sees what would be done, never what a model thinks of it, and can only make it harder: allow, ask, block. What
cannot happen yet has no rule here: nothing is sent (E-04, E-10), and no plan has a budget (E-06).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from functions._shared import names
from functions._shared.assistant.facts import said
from functions._shared.assistant.tools.writing import Preview, Write

VERSION = "2026-11-21"
# E-02 (RULE-02).
MANY_RECIPIENTS = 100
# E-11: so many messages to one contact in seven days are enough.
MANY_MESSAGES = 3
FROM_DATA = "Questa istruzione viene da un documento, non da te"

Result = Literal["consenti", "conferma", "blocca"]
_SEVERITY: dict[Result, int] = {"consenti": 0, "conferma": 1, "blocca": 2}


@dataclass(frozen=True)
class Facts:
    """What is known beside the write itself."""

    # Passages of the arguments that stand in a stranger's text and not in what the person wrote.
    from_data: tuple[str, ...] = ()
    # Figures of the text that stand nowhere in the person's data.
    unverified: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A rule that spoke, and why, in Italian."""

    id: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """As tool_calls.rules has it."""
        return {"id": self.id, "reason": self.reason, "version": VERSION}


@dataclass(frozen=True)
class Verdict:
    """What the rules say together. `needs_count`: the person types the number of recipients."""

    result: Result
    rules: tuple[Rule, ...] = ()
    needs_count: int | None = None


Finding = tuple[Result, str]
Check = Callable[[Write[Any, Any], Preview, Facts], Finding | None]


def judge(write: Write[Any, Any], preview: Preview, facts: Facts | None = None) -> Verdict:
    """What the rules say of a write as it would be carried out."""
    found = [(id_, finding) for id_, check in RULES if (finding := check(write, preview, facts or Facts()))]
    results: list[Result] = ["consenti", *(finding[0] for _, finding in found)]
    result = max(results, key=lambda each: _SEVERITY[each])
    # Of a blocked write only what blocks it is worth reading.
    told = [(id_, reason) for id_, (own, reason) in found if result != "blocca" or own == "blocca"]
    needs_count = preview.recipients if preview.recipients > MANY_RECIPIENTS else None
    return Verdict(result, tuple(Rule(id_, reason) for id_, reason in told), needs_count)


def _outbound(write: Write[Any, Any], _preview: Preview, _facts: Facts) -> Finding | None:
    if not write.outward:
        return None
    return "conferma", "È un messaggio per un’altra persona: lo leggi e lo approvi sempre tu"


def _bulk(_write: Write[Any, Any], preview: Preview, _facts: Facts) -> Finding | None:
    if preview.recipients <= MANY_RECIPIENTS:
        return None
    return "conferma", f"I destinatari sono {preview.recipients}: scrivi il numero per confermare"


def _consent(write: Write[Any, Any], preview: Preview, _facts: Facts) -> Finding | None:
    if not write.outward:
        return None
    if preview.consent in ("negato", "revocato"):
        return "blocca", f"Il contatto ha {preview.consent} il consenso a ricevere messaggi su questo canale"
    if _PROMOTION.search(" ".join(preview.texts)) and preview.marketing != "dato":
        return "conferma", "Sembra una promozione, e il contatto non ha dato il consenso al marketing su questo canale"
    if preview.consent == "dato" or preview.marketing == "dato":
        return None
    return "conferma", "Non c’è un consenso registrato: va bene per rispondere a un cliente, non per una promozione"


def _deletion(write: Write[Any, Any], _preview: Preview, _facts: Facts) -> Finding | None:
    if not write.deletes:
        return None
    back = "puoi annullare per trenta giorni" if write.reversible else "non si può annullare"
    return "conferma", f"Elimina dei dati: {back}"


def _special_category(write: Write[Any, Any], preview: Preview, _facts: Facts) -> Finding | None:
    found = special_category(" ".join(preview.texts))
    if found is None:
        return None
    kind, words = found
    if write.outward:
        return "blocca", f"Il testo contiene dati {kind} («{words}»): toglili, la legge li protegge in modo speciale"
    return "conferma", f"Il testo contiene dati {kind} («{words}»): conservali solo se servono davvero"


def _claims(write: Write[Any, Any], _preview: Preview, facts: Facts) -> Finding | None:
    if not (write.outward and facts.unverified):
        return None
    return "conferma", f"Controlla, non li trovo nei tuoi dati: {_listed(facts.unverified)}"


def _provenance(_write: Write[Any, Any], _preview: Preview, facts: Facts) -> Finding | None:
    if not facts.from_data:
        return None
    return "conferma", f"{FROM_DATA}: {_listed(facts.from_data)}"


def _frequency(write: Write[Any, Any], preview: Preview, _facts: Facts) -> Finding | None:
    if not write.outward or preview.recent < MANY_MESSAGES:
        return None
    return "conferma", f"In sette giorni ci sono già {preview.recent} messaggi o bozze per questo contatto"


def _money(write: Write[Any, Any], _preview: Preview, _facts: Facts) -> Finding | None:
    if not write.money:
        return None
    return "conferma", "Riguarda i tuoi soldi: controlla fattura, importo e giorno, e confermi sempre tu"


RULES: tuple[tuple[str, Check], ...] = (
    ("E-01", _outbound),
    ("E-02", _bulk),
    ("E-03", _consent),
    ("E-05", _deletion),
    ("E-07", _special_category),
    ("E-08", _claims),
    ("E-09", _provenance),
    ("E-11", _frequency),
    ("E-12", _money),
)

_PROMOTION = re.compile(
    r"\b(promozion|offert[ae] (speciale|riservata|lancio)|scont[oi]\b|saldi\b|black friday|coupon|newsletter)",
    re.IGNORECASE,
)
# As private.unmemorable of the memories migration, whose reasons are the same law (GDPR art. 9), and minors.
_HEALTH = re.compile(
    r"\b(diabet|tumor[ei]\b|cancro\b|oncolog|chemio|depress[oai]\b|depressione|psichiatr|psicoterap|hiv\b|aids\b"
    r"|epiless|sclerosi|gravidanz|incinta|aborto|invalidità civile|disabil|handicap|malat[oa]\b|malattia|infarto"
    r"|ictus\b|alcolis|alcolizzat|tossicodipenden|celiac|bipolare|anoress|bulimi|autis)\w*",
    re.IGNORECASE,
)
_BELIEFS = re.compile(
    r"\b(cattolic|protestant[ei]\b|musulman|islamic|ebre[oai]\b|ebraic|testimon[ei] di geova|buddist|induist|ate[oa]\b"
    r"|sindacalist|sindacat[oi]\b|cgil\b|cisl\b|partito (democratico|politico|comunista)|vota (per|a|il|la|lega|pd)\b"
    r"|omosessual|lesbic|gay\b|bisessual|transgender)\w*",
    re.IGNORECASE,
)
_MINORS = re.compile(
    r"\b(minorenn[ei]\b|minori? di età|(figli[oa]|bambin[oa]|ragazzin[oa]) di (\d|1[0-7]) anni)", re.IGNORECASE
)


def special_category(text: str) -> tuple[str, str] | None:
    """Which protected data a text holds, and the words that say so."""
    for kind, words in (("sulla salute", _HEALTH), ("su opinioni o vita privata", _BELIEFS), ("di minori", _MINORS)):
        found = words.search(text)
        if found:
            return kind, found[0]
    return None


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


def _listed(phrases: tuple[str, ...]) -> str:
    shown = ", ".join(f"«{each[:80]}»" for each in phrases[:3])
    return f"{shown} e altro" if len(phrases) > 3 else shown
