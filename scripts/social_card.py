"""Draws web/public/social-card.png, what social networks show of a link: `python -m scripts.social_card`.

With the client's own faces and colours (web/src/index.css); run again when the tagline or the brand changes.
"""

from __future__ import annotations

import sys

from PIL import Image, ImageDraw, ImageFont

from scripts.paths import NODE_MODULES, ROOT

CARD = ROOT / "web" / "public" / "social-card.png"
LOGO = ROOT / "web" / "public" / "icon-512.png"
# As Facebook, LinkedIn and X ask for it.
SIZE = (1200, 630)
MARGIN = 88
PAPER, INK, MUTED, GREEN = "#FAF8F3", "#1C1B17", "#6B675E", "#0F5B47"
TITLE = ("Lavori in proprio,", "con un socio.")
TEXT = "Clienti, documenti, attività e posta in un posto solo."


def face(name: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    """One of the client's variable faces."""
    font = ImageFont.truetype(
        NODE_MODULES / "@fontsource-variable" / name / "files" / f"{name}-latin-wght-normal.woff2"
    )
    font = font.font_variant(size=size)
    font.set_variation_by_axes([weight])
    return font


def draw() -> Image.Image:
    """Draw the card."""
    card = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(card)
    pen.rectangle((0, SIZE[1] - 16, SIZE[0], SIZE[1]), GREEN)
    logo = Image.open(LOGO).convert("RGBA").resize((72, 72), Image.Resampling.LANCZOS)
    card.paste(logo, (MARGIN, MARGIN - 16), logo)
    pen.text((MARGIN + 92, MARGIN + 20), "Socio", INK, face("fraunces", 48, 600), anchor="lm")
    title = face("fraunces", 88, 500)
    for line, text in enumerate(TITLE):
        pen.text((MARGIN, 232 + line * 104), text, INK, title)
    pen.text((MARGIN, 486), TEXT, MUTED, face("instrument-sans", 36, 400))
    return card


def main() -> int:
    """Run the command."""
    draw().save(CARD, optimize=True)
    print(f"{CARD.relative_to(ROOT)}: {CARD.stat().st_size / 1024:.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
