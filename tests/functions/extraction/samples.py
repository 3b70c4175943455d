"""Believable Italian documents with what is true about them, the same for the same seed: as PDF with a text layer, and
as pictures of paper that was scanned badly or photographed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pypdfium2  # type: ignore[import-untyped]
from PIL import Image, ImageChops, ImageFilter

from tests.functions.extraction import (
    sample_facts,
    sample_invoices,
    sample_invoices_held_out,
    sample_invoices_later,
    sample_others,
    sample_others_held_out,
    sample_papers,
    sample_receipts,
)
from tests.functions.extraction.sample_paper import Paper

INVOICES = sample_invoices.LAYOUTS | sample_invoices_held_out.LAYOUTS | sample_invoices_later.LAYOUTS
OTHERS = sample_others.LAYOUTS | sample_others_held_out.LAYOUTS | sample_papers.LAYOUTS | sample_receipts.LAYOUTS
TUNED = frozenset(sample_invoices.LAYOUTS | sample_others.LAYOUTS | sample_papers.LAYOUTS | sample_receipts.LAYOUTS)
# Invoices whose fields a scan is measured by.
KEY_FIELDS = ("vat_number", "number", "issued_on", "net", "vat", "total", "iban", "due_on")
PAPER = 252
# A fax knows black and white only.
BLACK = 150
FOLDS = 7


@dataclass(frozen=True)
class Sample:
    """A document: `truth` has the values of its fields as document_fields keeps them."""

    layout: str
    seed: int
    kind: str
    pdf: bytes
    truth: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.layout}-{self.seed}"


@dataclass(frozen=True)
class Spoiling:
    """What happens to a page on its way to the picture; angles in degrees, the rest as a share of the page or of
    black."""

    dpi: int = 300
    skew: float = 0
    noise: float = 0
    shadow: float = 0
    perspective: float = 0
    blur: float = 0
    jpeg: int = 0
    desk: int | None = None
    crumple: float = 0
    fax: bool = False


CLEAN = Spoiling()
SCANS = {
    "clean": CLEAN,
    "skewed": Spoiling(skew=3.6, noise=0.1),
    "faint": Spoiling(dpi=200, skew=-1.2, noise=0.12, jpeg=55),
    "photographed": Spoiling(skew=-1.5, noise=0.08, shadow=0.35, perspective=0.02, blur=0.8, jpeg=70),
}


def sample(layout: str, seed: int = 1) -> Sample:
    """One document of a layout of INVOICES or OTHERS."""
    rng = Random(f"{layout}-{seed}")
    if layout in INVOICES:
        pdf, truth = INVOICES[layout](rng)
        return Sample(layout, seed, "fattura", pdf, truth)
    kind, pdf, truth = OTHERS[layout](rng)
    return Sample(layout, seed, kind, pdf, truth)


def all_samples(seeds: range = range(1, 2)) -> Iterator[Sample]:
    """Every layout, once for each seed."""
    for layout in (*INVOICES, *OTHERS):
        for seed in seeds:
            yield sample(layout, seed)


def long_document(pages: int, seed: int = 1) -> bytes:
    """A contract of so many pages with a text layer; the word «ortensia» and its number stand on each page."""
    rng = Random(seed)
    words = " ".join(sample_facts.WORKS).lower().split()
    paper = Paper("serif", 11)
    for number in range(1, pages + 1):
        y = 60.0
        paper.text(60, 40, "CONTRATTO DI APPALTO" if number == 1 else f"Allegato, pagina {number}: ortensia{number}")
        while y < 760:
            y = paper.paragraph(60, y, " ".join(rng.choices(words, k=60)).capitalize() + ".", 470) + 6
        if number < pages:
            paper.next_page()
    return paper.pdf()


def pictures(pdf: bytes, spoiling: Spoiling = CLEAN, seed: int = 1) -> list[Image.Image]:
    """The pages as grey pictures."""
    with pypdfium2.PdfDocument(pdf) as document:
        drawn = [page.render(scale=spoiling.dpi / 72).to_pil().convert("L") for page in document]
    return [spoiled(each, spoiling, Random(f"{seed}-{place}")) for place, each in enumerate(drawn)]


def spoiled(picture: Image.Image, spoiling: Spoiling, rng: Random) -> Image.Image:
    """The picture after a bad scanner or a telephone."""
    width, height = picture.size
    # The sheet lies on something: no white but that of the paper.
    picture = picture.point(lambda value: value * PAPER // 255)
    if spoiling.crumple:
        picture = _crumpled(picture, spoiling.crumple, rng)
    if spoiling.perspective:
        picture = _from_below(picture, spoiling.perspective)
    if spoiling.desk is not None:
        picture = _on_a_desk(picture, spoiling.desk, spoiling.skew)
        width, height = picture.size
    elif spoiling.skew:
        picture = picture.rotate(spoiling.skew, Image.Resampling.BICUBIC, fillcolor=PAPER)
    if spoiling.shadow:
        picture = ImageChops.multiply(picture, _shadow(width, height, spoiling.shadow))
    if spoiling.blur:
        picture = picture.filter(ImageFilter.GaussianBlur(spoiling.blur))
    if spoiling.noise:
        picture = _noisy(picture, spoiling.noise, rng)
    if spoiling.fax:
        picture = picture.point(lambda value: 255 if value > BLACK else 0)
    if spoiling.jpeg:
        buffer = io.BytesIO()
        picture.save(buffer, "JPEG", quality=spoiling.jpeg)
        picture = Image.open(io.BytesIO(buffer.getvalue()))
        picture.load()
    return picture


def as_bytes(picture: Image.Image, encoding: str = "JPEG", dpi: int = 300) -> bytes:
    """The picture as a file."""
    buffer = io.BytesIO()
    picture.save(buffer, encoding, dpi=(dpi, dpi))
    return buffer.getvalue()


def _from_below(picture: Image.Image, share: float) -> Image.Image:
    """Seen from the lower edge: the upper one is shorter by so much on each side."""
    width, height = picture.size
    far = 1 + 2 * share
    shrink = (far - 1) / height
    # Where each point comes from: x = (a·X + b·Y + c) / (g·X + h·Y + 1), y alike.
    numbers = (far, width * shrink / 2, width * (1 - far) / 2, 0.0, far, 0.0, 0.0, shrink)
    way = Image.Transform.PERSPECTIVE
    return picture.transform(picture.size, way, numbers, Image.Resampling.BICUBIC, fillcolor=PAPER)


def _crumpled(picture: Image.Image, share: float, rng: Random) -> Image.Image:
    """Bent by so much at the corners of a grid, with the shadows of its folds."""
    width, height = picture.size
    most = share * width

    def moved(column: int, row: int) -> tuple[float, float]:
        bend = Random(f"{column}-{row}-{tag}")
        return (
            column * width / FOLDS + bend.uniform(-most, most),
            row * height / FOLDS + bend.uniform(-most, most),
        )

    tag, mesh = rng.random(), []
    for column in range(FOLDS):
        for row in range(FOLDS):
            box = tuple(
                round(each)
                for each in (
                    column * width / FOLDS,
                    row * height / FOLDS,
                    (column + 1) * width / FOLDS,
                    (row + 1) * height / FOLDS,
                )
            )
            corners = (moved(column, row), moved(column, row + 1), moved(column + 1, row + 1), moved(column + 1, row))
            mesh.append((box, tuple(each for corner in corners for each in corner)))
    bent = picture.transform(picture.size, Image.Transform.MESH, mesh, Image.Resampling.BICUBIC, fillcolor=PAPER)
    folds = Image.frombytes("L", (FOLDS, FOLDS), bytes(rng.randrange(205, 256) for _ in range(FOLDS * FOLDS)))
    return ImageChops.multiply(bent, folds.resize(picture.size, Image.Resampling.BILINEAR))


def _on_a_desk(picture: Image.Image, desk: int, angle: float) -> Image.Image:
    """Photographed as it lies, with some of the desk around it."""
    margin = picture.width // 8
    whole = Image.new("L", (picture.width + 2 * margin, picture.height + 2 * margin), desk)
    whole.paste(picture, (margin, margin))
    return whole.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=desk)


def _shadow(width: int, height: int, depth: float) -> Image.Image:
    """Darker towards the lower right."""
    slope = Image.linear_gradient("L").rotate(30, Image.Resampling.BICUBIC, expand=True).resize((width * 2, height * 2))
    slope = slope.crop((width // 2, height // 2, width // 2 + width, height // 2 + height))
    return slope.point(lambda value: 255 - int(value * depth))


def _noisy(picture: Image.Image, share: float, rng: Random) -> Image.Image:
    """Grain; a tile of it, shifted at random, is enough. Pillow's own noise has no seed."""
    tile = Image.frombytes("L", (256, 256), rng.randbytes(65_536))
    grain = Image.new("L", picture.size)
    for left in range(0, picture.width, 256):
        for top in range(0, picture.height, 256):
            grain.paste(ImageChops.offset(tile, rng.randrange(256), rng.randrange(256)), (left, top))
    return Image.blend(picture, grain, share)
