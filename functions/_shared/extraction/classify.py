"""What kind of document a text is, by rules as data (kinds.json): words in a title weigh most, words in the text some.

Papers that only look like a kind (a delivery note, a bank statement, a pro forma invoice, a letter about a quote) have
rules of their own and end as «altro», which says what they seem to be. A utility's bill and a credit note are
invoices, a till receipt is a receipt. A pro forma invoice is «altro»: it is no fiscal document and no offer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from functions._shared.extraction import labels, layout
from functions._shared.extraction.currencies import DOUBTED
from functions._shared.extraction.labels import Label, Phrase
from functions._shared.extraction.pages import Field, Kind, Page

PAGES = 3
# A title is short and stands at the start of its cell, in the upper part of the first page or in large letters.
TITLE_TOKENS, TITLE_SHARE, LARGE = 10, 0.45, 1.3
# Less than that is chance.
LEAST = 2.5
# Each further word of a rule counts half, up to three.
FURTHER, MOST_FURTHER = 0.5, 3
# As strong as this and unrivalled is certain.
STRONG = 5.5
LONGEST_QUOTE = 60
# The kind that the register books by itself.
DEBT = "fattura"
# Titles that say what an invoice is (TipoDocumento).
TYPES = labels.by_letter(
    [
        *(Phrase.of("TD04", 1.0, each) for each in ("nota di credito", "nota credito", "nota di accredito")),
        *(Phrase.of("TD04", 0.6, each) for each in ("storno fattura", "storno della fattura", "storno totale")),
        *(Phrase.of("TD01", 1.0, each) for each in ("fattura", "parcella", "invoice", "bolletta")),
    ]
)


@dataclass(frozen=True)
class Rule:
    """Words that speak for a kind; `name` says in Italian what an «altro» seems to be, `no_debt` that a paper with them
    owes nothing, whatever its title.
    """

    kind: str
    name: str
    in_title: bool
    weight: float
    no_debt: bool


@dataclass
class Hit:
    """A rule that fired."""

    rule: Rule
    words: dict[str, Label]

    @property
    def score(self) -> float:
        return self.rule.weight * (1 + FURTHER * min(MOST_FURTHER, len(self.words) - 1))

    @property
    def why(self) -> str:
        first = next(iter(self.words.values()))
        if self.rule.in_title:
            return f"è intitolato «{first.cell.text[:LONGEST_QUOTE].strip()}»"
        return "contiene " + " e ".join(f"«{label.text}»" for label in list(self.words.values())[:2])


def _read_rules() -> tuple[list[Rule], labels.Table]:
    rules, phrases = [], []
    path = Path(__file__).with_name("kinds.json")
    for number, row in enumerate(json.loads(path.read_text("utf-8"))):
        rules.append(Rule(row["kind"], row.get("name", ""), row["where"] == "title", row["weight"], "no_debt" in row))
        phrases += [Phrase.of(str(number), row["weight"], words) for words in row["words"].split("|")]
    return rules, labels.by_letter(phrases)


RULES, PHRASES = _read_rules()


def classify(pages: Sequence[Page]) -> Kind:
    """The kind of a document, how sure that is, and the words that say so."""
    hits = _hits([layout.read(page) for page in pages[:PAGES]])
    sums: dict[tuple[str, str], float] = {}
    for hit in hits:
        what = hit.rule.kind, hit.rule.name
        sums[what] = sums.get(what, 0) + hit.score
    ranking = sorted(sums.items(), key=lambda item: -item[1])
    if not ranking or ranking[0][1] < LEAST:
        return Kind("altro", 0.5, "Nessuna regola riconosce questo documento")
    (kind, name), best = ranking[0]
    second = next((score for (other, _), score in ranking if other != kind), 0.0)
    confidence = 0.45 + 0.3 * min(1.0, best / STRONG) + 0.24 * min(1.0, 2 * (best - second) / best)
    if kind == DEBT and not _is_surely_a_debt(hits):
        confidence = min(confidence, DOUBTED)
    told = sorted((hit for hit in hits if (hit.rule.kind, hit.rule.name) == (kind, name)), key=lambda hit: -hit.score)
    why = " e ".join(hit.why for hit in told[:2])
    return Kind(kind, round(confidence, 2), f"Sembra {name}: {why}" if name else why[0].upper() + why[1:])


def _is_surely_a_debt(hits: Sequence[Hit]) -> bool:
    """Tell whether an invoice is called one in its title, and no word speaks of an order, a reminder or an offer.

    What is surely an invoice is booked as a debt, so a doubt costs less than a mistake.
    """
    titles = {hit.rule.kind for hit in hits if hit.rule.in_title}
    return titles == {DEBT} and not any(hit.rule.no_debt for hit in hits)


def _hits(sheets: Sequence[layout.Sheet]) -> list[Hit]:
    hits: dict[str, Hit] = {}
    for place, sheet in enumerate(sheets):
        typical = _typical_height(sheet)
        for label in labels.found(sheet, PHRASES):
            rule = RULES[int(label.key)]
            if not rule.in_title or (place == 0 and _is_title(label, sheet.height, typical)):
                hits.setdefault(label.key, Hit(rule, {})).words.setdefault(label.phrase.letters, label)
    return list(hits.values())


def type_code(sheet: layout.Sheet) -> Field | None:
    """TD04 for a first page entitled as a credit note; doubtful when an invoice is announced before, or «storno» may be
    a line of it.
    """
    typical = _typical_height(sheet)
    titles = [label for label in labels.found(sheet, TYPES) if _is_title(label, sheet.height, typical)]
    credit = next((title for title in titles if title.key == "TD04"), None)
    if credit is None:
        return None
    confidence = 0.95 if credit is titles[0] and credit.weight == 1 else 0.6
    return Field("type_code", credit.key, confidence, sheet.no, layout.box_of(credit.tokens))


def _typical_height(sheet: layout.Sheet) -> float:
    heights = sorted(cell.height for cell in sheet.cells)
    return heights[len(heights) // 2] if heights else 1.0


def _is_title(label: Label, height: float, typical: float) -> bool:
    cell = label.cell
    if label.first > 2 or len(cell.tokens) > TITLE_TOKENS:
        return False
    return cell.top < height * TITLE_SHARE or cell.height > LARGE * typical
