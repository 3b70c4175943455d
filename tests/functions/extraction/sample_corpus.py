"""Two hundred documents that the confidence is measured with.

One half is to tune on, the other is held out by seed, layout and vendor. A case is a layout, a seed and what a scanner
did to it; without a scanner it is a PDF with text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from functions._shared.extraction import Page
from tests.functions.extraction import (
    reading,
    sample_deeds_held_out,
    sample_invoices,
    sample_papers,
    sample_papers_held_out,
    sample_receipts,
    sample_receipts_held_out,
    samples,
)
from tests.functions.extraction.sample_others import Drawn
from tests.functions.extraction.samples import Sample, Spoiling

HALF = 100
HELD_OUT: Mapping[str, Callable[[Random], Drawn]] = (
    sample_papers_held_out.LAYOUTS | sample_receipts_held_out.LAYOUTS | sample_deeds_held_out.LAYOUTS
)
TUNED = (*samples.INVOICES, *samples.OTHERS)
# Of these layouts the truth says all that is on the paper; of the others only what it says is judged.
COMPLETE = frozenset({*sample_invoices.LAYOUTS, *sample_papers.LAYOUTS, *sample_receipts.LAYOUTS, *HELD_OUT})
# Two of five documents have their text.
TUNED_SCANNERS: tuple[Spoiling | None, ...] = (
    None,
    samples.SCANS["skewed"],
    samples.SCANS["faint"],
    None,
    Spoiling(dpi=200, skew=0.6, noise=0.05, fax=True),
    samples.SCANS["photographed"],
    None,
    Spoiling(dpi=220, skew=-4, noise=0.05, shadow=0.2, blur=0.5, jpeg=70, desk=110),
)
HELD_OUT_SCANNERS: tuple[Spoiling | None, ...] = (
    Spoiling(dpi=200, skew=0.8, noise=0.06, jpeg=60),
    None,
    Spoiling(dpi=204, skew=-1.1, noise=0.04, fax=True),
    Spoiling(dpi=240, skew=4.5, noise=0.07, shadow=0.25, perspective=0.01, blur=0.6, jpeg=65, desk=70),
    None,
    Spoiling(dpi=250, skew=-0.7, noise=0.05, crumple=0.003, jpeg=75),
    Spoiling(dpi=150, blur=0.4, jpeg=50),
    None,
    Spoiling(dpi=300, skew=-6, noise=0.1),
)


@dataclass(frozen=True)
class Case:
    """A document of the corpus and the scanner that it went through."""

    layout: str
    seed: int
    scanner: Spoiling | None

    @cached_property
    def sample(self) -> Sample:
        """The document with its truth."""
        if self.layout not in HELD_OUT:
            return samples.sample(self.layout, self.seed)
        kind, pdf, truth = HELD_OUT[self.layout](Random(f"{self.layout}-{self.seed}"))
        return Sample(self.layout, self.seed, kind, pdf, truth)

    def pages(self) -> list[Page]:
        """Read it as the product does."""
        if self.scanner is None:
            return reading.text_pages(self.sample.pdf)
        return reading.scanned_pages(samples.pictures(self.sample.pdf, self.scanner, self.seed), self.scanner.dpi)


def tuned() -> Iterator[Case]:
    """Yield the half that rules and confidence may learn from."""
    return _half(TUNED, TUNED_SCANNERS, 100)


def held_out() -> Iterator[Case]:
    """Yield the half that is looked at as counts only."""
    return _half(tuple(HELD_OUT), HELD_OUT_SCANNERS, 900)


def _half(layouts: tuple[str, ...], scanners: tuple[Spoiling | None, ...], seed: int) -> Iterator[Case]:
    for number in range(HALF):
        round_ = number // len(layouts)
        # Each round begins with another scanner, so that a layout goes through several.
        yield Case(layouts[number % len(layouts)], seed + round_, scanners[(number + 2 * round_) % len(scanners)])
