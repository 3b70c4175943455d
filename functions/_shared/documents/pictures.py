"""Pictures: how many frames, and each upright and grey for reading. In the sandbox only."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO

import pi_heif  # type: ignore[import-untyped]
from PIL import Image, ImageOps, ImageStat, UnidentifiedImageError

from functions._shared.documents import limits, pdf
from functions._shared.documents.errors import Code, Unreadable

pi_heif.register_heif_opener()
Image.MAX_IMAGE_PIXELS = limits.MAX_PIXELS
READERS = ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "HEIF")
# Only these have several pages; the frames of a GIF are no pages.
PAGED = ("TIFF",)
# Letters that recognition likes are 20 to 40 pixels high: the long side of A4 at 300 dpi.
LONG_SIDE, SMALL_SIDE = 3508, 1800
MAX_ENLARGED = 3.0
LEAST_DPI, MOST_DPI = 70, 1200
BROKEN = (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError)


def opened(source: bytes | Path) -> Image.Image:
    """The picture, nothing of it decoded yet. Raises Unreadable: truncated, too_many_pixels, too_many_pages."""
    file: IO[bytes] | Path = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        found = Image.open(file, formats=READERS)
        frames = pages(found)
    except Image.DecompressionBombError as error:
        raise Unreadable(Code.TOO_MANY_PIXELS) from error
    except BROKEN as error:
        raise Unreadable(Code.TRUNCATED) from error
    if frames > limits.MAX_PAGES:
        raise Unreadable(Code.TOO_MANY_PAGES)
    _check_pixels(found)
    return found


def _check_pixels(found: Image.Image) -> None:
    if found.width * found.height > limits.MAX_PIXELS:
        raise Unreadable(Code.TOO_MANY_PIXELS)


def pages(found: Image.Image) -> int:
    """How many pages it has."""
    return int(getattr(found, "n_frames", 1)) if found.format in PAGED else 1


def frame(found: Image.Image, no: int) -> Image.Image:
    """One page, counted from one, upright as its camera meant it. Raises Unreadable."""
    try:
        if no > 1:
            found.seek(no - 1)
        _check_pixels(found)
        return ImageOps.exif_transpose(found)
    except Image.DecompressionBombError as error:
        raise Unreadable(Code.TOO_MANY_PIXELS) from error
    except BROKEN as error:
        raise Unreadable(Code.TRUNCATED) from error


def size_in_points(upright: Image.Image) -> tuple[float, float]:
    """How large it is on paper: by its own resolution when that can be true, else as wide as A4."""
    own = upright.info.get("dpi", (0, 0))
    dpi = float(own[0]) if isinstance(own, tuple) and own else 0.0
    if not LEAST_DPI <= dpi <= MOST_DPI or dpi == 72:  # what cameras write when they do not know
        dpi = min(upright.size) / 8.27
    return upright.width / dpi * pdf.POINTS_PER_INCH, upright.height / dpi * pdf.POINTS_PER_INCH


def on_white(upright: Image.Image) -> Image.Image:
    """Without transparency: what shows through is paper."""
    if "A" not in upright.getbands() and "transparency" not in upright.info:
        return upright
    with_alpha = upright.convert("RGBA")
    ground = Image.new("RGB", upright.size, "white")
    ground.paste(with_alpha, mask=with_alpha.getchannel("A"))
    return ground


def readable(upright: Image.Image) -> Image.Image:
    """Grey, dark on light, of a size that recognition likes."""
    plain = on_white(upright)
    if plain.mode.startswith("I;16") or plain.mode in ("I", "F"):
        plain = plain.convert("F").point(lambda value: value / 256)
    grey = plain.convert("L")
    longest = max(grey.size)
    factor = 1.0
    if longest < SMALL_SIDE:
        factor = min(MAX_ENLARGED, LONG_SIDE * 0.75 / longest)
    elif longest > 1.25 * LONG_SIDE:
        factor = LONG_SIDE / longest
    if factor != 1.0:
        box = (max(1, round(grey.width * factor)), max(1, round(grey.height * factor)))
        grey = grey.resize(box, Image.Resampling.LANCZOS)
    return ImageOps.invert(grey) if ImageStat.Stat(grey).median[0] < 100 else grey
