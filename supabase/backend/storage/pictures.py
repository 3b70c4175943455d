"""Changes one picture, from standard input to standard output: `python -m backend.storage.pictures '<JSON>'`.

Run in the sandbox (core.sandbox). Exit codes: 0 done, 2 no picture, 3 too many pixels.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any

from PIL import Image, ImageOps, UnidentifiedImageError

MAX_PIXELS = 50_000_000
NO_PICTURE, TOO_MANY_PIXELS = 2, 3
DEFAULT_QUALITY = 80
READERS = ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP", "AVIF")
MIME_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "GIF": "image/gif", "WEBP": "image/webp", "AVIF": "image/avif"}


def main() -> int:
    """The whole of it."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    options = json.loads(sys.argv[1])
    try:
        picture = Image.open(io.BytesIO(sys.stdin.buffer.read()), formats=READERS)
        if picture.width * picture.height > MAX_PIXELS:
            return TOO_MANY_PIXELS
        kind = options.get("format") or picture.format or "JPEG"
        changed = resized(ImageOps.exif_transpose(picture), options)
    except Image.DecompressionBombError:
        return TOO_MANY_PIXELS
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, MemoryError):
        return NO_PICTURE
    sys.stdout.buffer.write(encoded(changed, kind if kind in MIME_TYPES else "JPEG", options))
    return 0


def resized(picture: Image.Image, options: dict[str, Any]) -> Image.Image:
    """In the wanted box: `cover` fills it and cuts what stands over, `contain` fits inside, `fill` stretches.

    With one side given the other follows; nothing is made larger than it is.
    """
    width, height = int(options.get("width", 0)), int(options.get("height", 0))
    if not width and not height:
        return picture.copy()
    ratio = picture.width / picture.height
    box = (width or max(1, round(height * ratio)), height or max(1, round(width / ratio)))
    small = _coloured(picture)
    match options.get("resize", "cover"):
        case "fill":
            return small.resize(box, Image.Resampling.LANCZOS)
        case "contain":
            small.thumbnail(box, Image.Resampling.LANCZOS)
            return small
        case _:
            scale = min(1.0, picture.width / box[0], picture.height / box[1])
            fitting = (max(1, round(box[0] * scale)), max(1, round(box[1] * scale)))
            return ImageOps.fit(small, fitting, Image.Resampling.LANCZOS)


def _coloured(picture: Image.Image) -> Image.Image:
    """Each pixel with its own colour, and with its transparency where the picture has any."""
    return picture.convert("RGBA" if picture.has_transparency_data else "RGB")


def encoded(picture: Image.Image, kind: str, options: dict[str, Any]) -> bytes:
    """The picture as a file, with nothing in it but its pixels: no place, no camera, no comment."""
    if "transparency" in picture.info or (kind in ("WEBP", "AVIF") and picture.mode not in ("RGB", "RGBA")):
        picture = _coloured(picture)
    if kind == "JPEG" and picture.mode not in ("RGB", "L"):
        ground = Image.new("RGB", picture.size, "white")
        with_alpha = picture.convert("RGBA")
        ground.paste(with_alpha, mask=with_alpha.getchannel("A"))
        picture = ground
    bare = Image.new(picture.mode, picture.size)
    if picture.mode == "P" and (palette := picture.getpalette()):
        bare.putpalette(palette)
    bare.paste(picture)
    output = io.BytesIO()
    quality = {"quality": options.get("quality", DEFAULT_QUALITY)} if kind in ("JPEG", "WEBP", "AVIF") else {}
    bare.save(output, kind, **quality)
    return output.getvalue()


if __name__ == "__main__":
    sys.exit(main())
