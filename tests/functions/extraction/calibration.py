"""How often a value of the corpus is right, by field and confidence, and how many values are sure at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from functions._shared import extraction, names
from functions._shared.extraction import SURE, Page
from tests.functions.extraction.sample_corpus import COMPLETE, Case

KIND = "kind"
KEYS = (
    *("number", "issued_on", "due_on", "total", "net", "vat", "due", "currency"),
    *("supplier", "vat_number", "customer", "iban", "tax_code"),
)
NAMES = ("supplier", "customer")
# A paper of another kind is no debt; one that is surely an invoice is booked as one.
DEBT = "fattura"
BINS = (0.95, SURE, 0.6, 0.0)


@dataclass
class Count:
    """Values of one field: (right, all) by the lower end of their bin, and how many papers have one."""

    bins: dict[float, tuple[int, int]] = field(default_factory=dict)
    asked: int = 0

    @property
    def sure(self) -> tuple[int, int]:
        """How many of the sure values are right, and how many are sure."""
        sure = [found for low, found in self.bins.items() if low >= SURE]
        return sum(right for right, _ in sure), sum(every for _, every in sure)


@dataclass(frozen=True)
class Verdict:
    """A value that was read, and whether it is what the paper says; `truth` is None for a field that it has not."""

    key: str
    value: str
    confidence: float
    truth: str | None

    @property
    def is_right(self) -> bool:
        if self.truth is None:
            return False
        return names.same(self.value, self.truth) if self.key in NAMES else self.value == self.truth


@dataclass(frozen=True)
class Judged:
    """A document as it was read."""

    case: Case
    verdicts: tuple[Verdict, ...]
    is_false_debt: bool


def judged(case: Case, pages: list[Page]) -> Judged:
    """Compare what is read on these pages with what the document says."""
    sample = case.sample
    kind = extraction.classify(pages)
    verdicts = [Verdict(KIND, kind.kind, kind.confidence, sample.kind), *_fields(case, pages, kind.kind)]
    is_debt = kind.kind == DEBT and kind.confidence >= SURE
    return Judged(case, tuple(verdicts), is_debt and sample.kind != DEBT)


def _fields(case: Case, pages: list[Page], kind: str) -> Iterator[Verdict]:
    truth = case.sample.truth
    for each in extraction.fields(pages, kind):
        is_known = each.key in truth or (case.layout in COMPLETE and each.key not in ("due", "tax_code"))
        if each.key in KEYS and is_known:
            yield Verdict(each.key, each.value, each.confidence, truth.get(each.key))


def counted(documents: Iterable[Judged]) -> dict[str, Count]:
    """Count the values of many documents by field."""
    counts = {key: Count() for key in (KIND, *KEYS)}
    for document in documents:
        counts[KIND].asked += 1
        for key in document.case.sample.truth:
            if key in counts:
                counts[key].asked += 1
        for verdict in document.verdicts:
            low = next(low for low in BINS if verdict.confidence >= low)
            right, every = counts[verdict.key].bins.get(low, (0, 0))
            counts[verdict.key].bins[low] = right + verdict.is_right, every + 1
    return counts


def all_sure(counts: dict[str, Count]) -> tuple[int, int]:
    """How many of all sure values are right, and how many are sure."""
    pairs = [count.sure for count in counts.values()]
    return sum(right for right, _ in pairs), sum(every for _, every in pairs)


def row(count: Count) -> str:
    """Write the counts of a field by bins: right of all."""
    parts = zip(BINS, ("≥ 0.95", "≥ 0.80", "≥ 0.60", "below"), strict=True)
    texts = [
        f"{name} {right}/{every}" for low, name in parts for right, every in [count.bins.get(low, (0, 0))] if every
    ]
    return ", ".join(texts)
