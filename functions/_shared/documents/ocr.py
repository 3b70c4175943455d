"""Recognition of one picture by Tesseract: straightened, turned upright when it must be, words where they stand.

Runs in the sandbox only, with one thread. As few starts of Tesseract as possible: one for a page that is as it should
be, a second and a third for one that lies on its side or on its head.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytesseract  # type: ignore[import-untyped]
from PIL import Image, ImageChops, ImageFilter, ImageOps, ImageStat

from functions._shared.documents.errors import Code, Unreadable
from functions._shared.documents.words import SCALE, Word

LANGUAGES = "ita+eng"
# Below it a page may stand on its head; text that is upright has 85 and more.
POOR = 60.0
FEW_WORDS = 4
# Words from so many letters on are wider than high.
LONG_WORD = 5
# Words that are nothing but specks on the paper.
LEAST_CONFIDENCE, LEAST_FOR_SIGNS = 15, 45
# Skew is looked for on a picture so wide, within so many degrees.
SMALL = 500
MOST_SKEW, COARSE, FINE = 12.0, 0.75, 0.125
# Lines that lean less Tesseract follows by itself.
LEAST_SKEW, LEAST_GAIN = 0.75, 1.08
# Paper that is darker in places by so much was photographed.
UNEVEN = 40
# Ink is darker than that.
LIGHTEST_INK = 160
# Pixels that differ by so much from the paper are ink; a page with less of it than a full stop is blank.
INK, LEAST_INK = 40, 0.0001


@dataclass(frozen=True)
class Recognised:
    """What stands on a picture; `rotation` is how far it had to be turned clockwise to be read."""

    text: str
    words: list[Word]
    confidence: float | None
    rotation: int


NOTHING = Recognised("", [], None, 0)


def read(picture: Image.Image, dpi: int) -> Recognised:
    """The words of a grey picture. Raises Unreadable: ocr_unavailable."""
    if is_blank(picture):
        return NOTHING
    even = _evened(picture)
    found = _read_turned(even, 0, dpi)
    if _is_poor(found) and (turned := _rotation(even, dpi)):
        again = _read_turned(even, turned, dpi)
        found = max(found, again, key=_sense)
    return found


def _sense(found: Recognised) -> float:
    """How much of it could be read, and how well."""
    return (found.confidence or 0) * min(sum(len(word[0]) for word in found.words), 500)


def is_blank(picture: Image.Image) -> bool:
    """Whether there is nothing on the paper."""
    small = picture.reduce(max(1, min(picture.size) // SMALL)).filter(ImageFilter.MedianFilter(3))
    paper = ImageStat.Stat(small).median[0]
    ink = small.point(lambda value: 255 if abs(value - paper) > INK else 0)
    return float(ImageStat.Stat(ink).mean[0]) / 255 < LEAST_INK


def _is_poor(found: Recognised) -> bool:
    """Whether the page may not be upright: nothing makes sense, or the lines run down the page."""
    if found.confidence is None or found.confidence < POOR or len(found.words) < FEW_WORDS:
        return True
    long = [word for word in found.words if len(word[0]) >= LONG_WORD]
    return sum(word[4] - word[2] > word[3] - word[1] for word in long) * 2 > len(long)


def _evened(picture: Image.Image) -> Image.Image:
    """Shadows of a photograph taken away: each place against the paper around it."""
    small = picture.reduce(max(1, max(picture.size) // 200))
    paper = small.filter(ImageFilter.MaxFilter(9)).filter(ImageFilter.GaussianBlur(4))
    low, high = paper.getextrema()
    if float(high) - float(low) < UNEVEN:  # type: ignore[arg-type]
        return picture
    ground = paper.resize(picture.size, Image.Resampling.BILINEAR)
    return _stretched(ImageOps.invert(ImageChops.subtract(ground, picture)))


def _stretched(picture: Image.Image) -> Image.Image:
    """Ink made black and paper white; where there is hardly any ink, the grain of the paper is not taken for it."""
    black, white = min(_percentile(picture, 0.01), LIGHTEST_INK), _percentile(picture, 0.95)
    gain = 255 / max(1, white - black)
    return picture.point([round(min(255, max(0, (value - black) * gain))) for value in range(256)])


def _percentile(picture: Image.Image, share: float) -> int:
    """The brightness that this share of the pixels does not exceed."""
    counts = list(itertools.accumulate(picture.histogram()))
    return next(value for value, count in enumerate(counts) if count >= share * counts[-1])


def _read_turned(picture: Image.Image, turned: int, dpi: int) -> Recognised:
    upright = _turned(picture, turned)
    skew = skew_of(upright)
    straight = upright.rotate(skew, Image.Resampling.BILINEAR, fillcolor=255) if skew else upright
    place = _Place(straight.size, skew, turned)
    lines = list(_lines(_tesseract(straight, f"--psm 3 --dpi {dpi} -c tessedit_create_tsv=1", "tsv"), place))
    words = [word for line in lines for word in line]
    weight = sum(len(word[0]) for word in words)
    confidence = sum(word[5] * len(word[0]) for word in words) / weight if weight else None
    text = "\n".join(" ".join(word[0] for word in line) for line in lines)
    return Recognised(text, words, None if confidence is None else round(confidence, 1), turned)


def _tesseract(picture: Image.Image, config: str, extension: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        # Uncompressed: a PNG would take as long to write as a line takes to read.
        path = Path(folder) / "page.pgm"
        picture.save(path, "PPM")
        languages = "osd" if extension == "osd" else LANGUAGES
        try:
            return str(pytesseract.pytesseract.run_and_get_output(str(path), extension, languages, config))
        except pytesseract.TesseractNotFoundError as error:
            raise Unreadable(Code.OCR_UNAVAILABLE) from error
        except pytesseract.TesseractError as error:
            if "traineddata" in error.message or "load any languages" in error.message:
                raise Unreadable(Code.OCR_UNAVAILABLE) from error
            raise


def _lines(tsv: str, place: _Place) -> Iterator[list[Word]]:
    """Tesseract's table (level, page, block, paragraph, line, word, left, top, width, height, conf, text)."""
    line: list[Word] = []
    before: list[str] = []
    for row in tsv.splitlines()[1:]:
        cells = row.split("\t", 11)
        if len(cells) < 12 or cells[0] != "5" or not (text := cells[11].strip()):
            continue
        confidence = float(cells[10])
        if confidence < (LEAST_CONFIDENCE if any(map(str.isalnum, text)) else LEAST_FOR_SIGNS):
            continue
        if cells[2:5] != before and line:
            yield line
            line = []
        before = cells[2:5]
        left, top, width, height = map(int, cells[6:10])
        line.append((text, *place.on_page(left, top, left + width, top + height), round(confidence)))
    if line:
        yield line


# --- straight and upright -------------------------------------------------------------------------------------------


def skew_of(picture: Image.Image) -> float:
    """By how many degrees, counter-clockwise, the picture must be turned for its lines to lie straight; 0 when it may
    stay as it is.

    Ink summed by rows jumps most between lines and gaps when the lines are straight.
    """
    ink = _small_ink(picture)
    upright = _contrast(ink)
    near = 0.0
    # Most pages are as straight as one can see.
    if any(_contrast(ink.rotate(angle)) > upright for angle in (-COARSE, COARSE)):
        coarse = [number * COARSE for number in range(-round(MOST_SKEW / COARSE), round(MOST_SKEW / COARSE) + 1)]
        near = max(coarse, key=lambda angle: _contrast(ink.rotate(angle)))
    fine = [near + number * FINE for number in range(-4, 5)]
    strength, best = max((_contrast(ink.rotate(angle, Image.Resampling.BILINEAR)), angle) for angle in fine)
    if abs(best) < LEAST_SKEW or strength < LEAST_GAIN * upright:
        return 0.0
    return best


def _small_ink(picture: Image.Image) -> Image.Image:
    small = ImageOps.invert(picture.reduce(max(1, min(picture.size) // SMALL)))
    paper = ImageStat.Stat(small).median[0]
    return small.point(lambda value: max(0, value - paper - INK // 2))


def _contrast(ink: Image.Image) -> float:
    """How much neighbouring rows differ."""
    rows = ink.convert("F").resize((1, ink.height), Image.Resampling.BOX).tobytes()
    sums = memoryview(rows).cast("f")
    return sum((sums[at + 1] - sums[at]) ** 2 for at in range(len(sums) - 1))


def _rotation(picture: Image.Image, dpi: int) -> int:
    """How far the picture must be turned clockwise, by Tesseract's detection; 0 when it cannot tell."""
    try:
        told = _tesseract(picture, f"--psm 0 --dpi {dpi} -c min_characters_to_try=15", "osd")
    except pytesseract.TesseractError:
        return 0
    found = pytesseract.pytesseract.osd_to_dict(told)
    return int(found.get("rotate", 0)) if float(found.get("orientation_conf", 0)) > 0.5 else 0


TURNS = {90: Image.Transpose.ROTATE_270, 180: Image.Transpose.ROTATE_180, 270: Image.Transpose.ROTATE_90}


def _turned(picture: Image.Image, clockwise: int) -> Image.Image:
    return picture.transpose(TURNS[clockwise]) if clockwise else picture


@dataclass(frozen=True)
class _Place:
    """Where a box of the straightened picture lies on the page as it is shown."""

    size: tuple[int, int]
    skew: float
    turned: int

    def on_page(self, left: int, top: int, right: int, bottom: int) -> tuple[int, int, int, int]:
        corners = [self._point(x, y) for x in (left, right) for y in (top, bottom)]
        across, down = [x for x, _ in corners], [y for _, y in corners]
        return _scaled(min(across)), _scaled(min(down)), _scaled(max(across)), _scaled(max(down))

    def _point(self, x: float, y: float) -> tuple[float, float]:
        """As shares of the page: the rotation about the middle taken back, then the quarter turns."""
        width, height = self.size
        angle = math.radians(self.skew)
        x, y = x - width / 2, y - height / 2
        across = (math.cos(angle) * x - math.sin(angle) * y) / width + 0.5
        down = (math.sin(angle) * x + math.cos(angle) * y) / height + 0.5
        match self.turned:
            case 90:
                return down, 1 - across
            case 180:
                return 1 - across, 1 - down
            case 270:
                return 1 - down, across
            case _:
                return across, down


def _scaled(share: float) -> int:
    return max(0, min(SCALE, round(share * SCALE)))
