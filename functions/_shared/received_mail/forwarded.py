"""Recognise a mail that was forwarded, as a file or in the text, and read the original out of it. Pure.

A text says by four or five lines from whom the original came: in each program's own words and order, in the language of
its user, quoted or not. What it says is what the forwarding person's program wrote, or the person: nothing verifies it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

from functions._shared import plain_text
from functions._shared.received_mail import message

# So many originals of one mail are kept.
MAX_ORIGINALS = 20
MAX_LINES = 4_000
ROME = ZoneInfo("Europe/Rome")
LABELS = {
    "from": ("da", "from", "mittente", "von", "de"),
    "sent": ("inviato", "inviato il", "sent", "data", "date", "gesendet", "envoyé"),
    "to": ("a", "to", "destinatario", "destinatari", "an", "à"),
    "cc": ("cc", "ccn", "c.c."),
    "subject": ("oggetto", "subject", "ogg", "betreff", "objet"),
    "reply": ("rispondi a", "reply-to", "rispondere a", "organizzazione", "priorità", "importanza", "importance"),
}
NAMED = {label: name for name, labels in LABELS.items() for label in labels}
LABEL = re.compile(
    rf"[ \t*_]*({'|'.join(sorted(map(re.escape, NAMED), key=len, reverse=True))})[ \t]*:[*_]*[ \t]*(.*)", re.IGNORECASE
)
MARK = re.compile(
    r"(?i)[ \t>*]*(?:-{2,}[ \t]*(?:inizio )?(?:messaggio (?:originale|inoltrato)|original message|forwarded message)"
    r"|(?:inizio messaggio inoltrato|begin forwarded message)[ \t]*:|_{10,}[ \t]*$)"
)
WRITTEN_ADDRESS = re.compile(r"[^\s<>\[\]\"',;:()]{1,64}@[A-Za-z0-9.-]{1,190}")
QUOTE = re.compile(r"^[ \t]?>[ \t]?")
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "gen jan",
            "feb",
            "mar",
            "apr",
            "mag may",
            "giu jun",
            "lug jul",
            "ago aug",
            "set sep",
            "ott oct",
            "nov",
            "dic dec",
        ),
        start=1,
    )
    for name in names.split()
}
DAY_FIRST = re.compile(r"\b(\d{1,2})[ .°]+([a-zà-ù]{3,12})\.?,?[ ]+(\d{4})\b", re.IGNORECASE)
MONTH_FIRST = re.compile(r"\b([a-z]{3,12})\.?[ ]+(\d{1,2}),?[ ]+(\d{4})\b", re.IGNORECASE)
IN_FIGURES = re.compile(r"\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b")
CLOCK = re.compile(r"\b(\d{1,2})[:.](\d{2})(?:[:.]\d{2})?(?:[ \u202f]*([ap])\.?m\b)?", re.IGNORECASE)
OFFSET = re.compile(r"[+-]\d{4}\b|\bGMT\b")


@dataclass(frozen=True)
class Original:
    """What a forward says of the original; `note` is what the forwarding person wrote above it."""

    sender: str
    sender_name: str | None
    recipients: tuple[str, ...]
    subject: str | None
    sent_at: datetime | None
    text: str
    note: str


def attached(mail: message.Mail) -> list[message.File]:
    """Return the originals that are attached to a mail as files."""
    return [each for each in mail.files if _is_mail(each)][:MAX_ORIGINALS]


def _is_mail(file: message.File) -> bool:
    is_named = file.name.lower().endswith(".eml") and file.mime == "application/octet-stream"
    return file.mime == "message/rfc822" or is_named


def inline(text: str) -> Original | None:
    """Read the original in a text; None when there is none with the address of its sender."""
    lines = text.replace("\r\n", "\n").split("\n")[:MAX_LINES]
    for start in range(len(lines)):
        block = _block(lines, start)
        if block is None:
            continue
        said, end = block
        sender = WRITTEN_ADDRESS.search(said["from"])
        if sender is None:
            return None
        is_quoted = QUOTE.match(lines[start]) is not None
        rest = [QUOTE.sub("", line, count=1) if is_quoted else line for line in lines[end:]]
        return Original(
            sender=sender[0].lower().rstrip("."),
            sender_name=_name(said["from"][: sender.start()]),
            recipients=tuple(each.lower().rstrip(".") for each in WRITTEN_ADDRESS.findall(said.get("to", ""))),
            subject=plain_text.line(said.get("subject", ""))[: message.MAX_LINE].strip() or None,
            sent_at=moment(said.get("sent", "")),
            text="\n".join(rest).strip(),
            note=_note(lines[:start]),
        )
    return None


def _block(lines: Sequence[str], start: int) -> tuple[dict[str, str], int] | None:
    """Read the lines about the original that begin here, and where they end; None when there are none."""
    first = _label(lines[start])
    if first is None or first[0] not in ("from", "subject", "sent"):
        return None
    said: dict[str, str] = {}
    last, at = "", start
    while at < len(lines):
        found = _label(lines[at])
        if found is not None and found[0] in said:
            break
        if found is not None:
            last, said[found[0]] = found[0], found[1]
        elif not _bare(lines[at]):
            # A table of HTML leaves a blank line between its rows, never two.
            follows = at + 1 < len(lines) and _label(lines[at + 1])
            if not (follows and follows[0] not in said) and said.get(last):
                break
        elif said.get(last) and not lines[at].startswith((" ", "\t")) and last not in ("to", "cc"):
            break
        else:
            said[last] = f"{said.get(last, '')} {_bare(lines[at])}".strip()
        at += 1
    has_mark = any(MARK.match(line) for line in lines[max(0, start - 3) : start])
    is_one = "from" in said and len(said.keys() - {"reply"}) >= (2 if has_mark else 3)
    return (said, at) if is_one else None


def _label(line: str) -> tuple[str, str] | None:
    found = LABEL.fullmatch(QUOTE.sub("", line, count=1).rstrip())
    return (NAMED[found[1].lower()], found[2].strip()) if found else None


def _bare(line: str) -> str:
    return QUOTE.sub("", line, count=1).strip()


def _name(written: str) -> str | None:
    name = re.sub(r"(?i)mailto:|[<>\[\]\"*()]", "", plain_text.line(written))
    return name.strip(" '\t,;:")[: message.MAX_LINE] or None


def _note(lines: Sequence[str]) -> str:
    """Return what is written above, without the mark of the program."""
    return "\n".join(line for line in lines if not MARK.match(line)).strip().strip("_-").strip()


def moment(written: str) -> datetime | None:
    """Read when the original was sent, in Italian time where nothing else is said; None when it is not understood."""
    if OFFSET.search(written):
        with suppress(*message.MALFORMED):
            return _plausible(parsedate_to_datetime(written).astimezone(UTC))
    day = _day(written)
    if day is None:
        return None
    clock = CLOCK.search(IN_FIGURES.sub(" ", written))
    hour, minute = (int(clock[1]), int(clock[2])) if clock else (12, 0)
    if clock and clock[3]:
        hour = hour % 12 + (12 if clock[3].lower() == "p" else 0)
    with suppress(ValueError):
        return _plausible(datetime(*day, hour, minute, tzinfo=ROME).astimezone(UTC))
    return None


def _day(written: str) -> tuple[int, int, int] | None:
    for found in DAY_FIRST.finditer(written):
        if month := MONTHS.get(found[2][:3].lower()):
            return int(found[3]), month, int(found[1])
    for found in MONTH_FIRST.finditer(written):
        if month := MONTHS.get(found[1][:3].lower()):
            return int(found[3]), month, int(found[2])
    figures = IN_FIGURES.search(written)
    return (int(figures[3]), int(figures[2]), int(figures[1])) if figures else None


def _plausible(at: datetime) -> datetime | None:
    return at if message.EARLIEST < at < message.LATEST else None
