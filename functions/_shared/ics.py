"""iCalendar text (https://www.rfc-editor.org/rfc/rfc5545): properties, escaped and folded, for every calendar to read.

What people wrote can end no line and begin no property: line breaks become `\\n`, other control characters go.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TypeAlias
from zoneinfo import ZoneInfo

# A name with its parameters, and a value that is ready to be written.
Property: TypeAlias = tuple[str, str]

ROME = ZoneInfo("Europe/Rome")
LINE_OCTETS = 75
CONTROLS = (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
ESCAPED: dict[int, str | None] = {
    **dict.fromkeys(CONTROLS),
    **{ord(each): f"\\{each}" for each in "\\;,"},
    ord("\n"): r"\n",
}
# The rules since 1996, which every date of a task lies after.
TIMEZONE: tuple[Property, ...] = (
    ("BEGIN", "VTIMEZONE"),
    ("TZID", "Europe/Rome"),
    ("BEGIN", "DAYLIGHT"),
    ("DTSTART", "19960331T020000"),
    ("RRULE", "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"),
    ("TZOFFSETFROM", "+0100"),
    ("TZOFFSETTO", "+0200"),
    ("TZNAME", "CEST"),
    ("END", "DAYLIGHT"),
    ("BEGIN", "STANDARD"),
    ("DTSTART", "19961027T030000"),
    ("RRULE", "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"),
    ("TZOFFSETFROM", "+0200"),
    ("TZOFFSETTO", "+0100"),
    ("TZNAME", "CET"),
    ("END", "STANDARD"),
    ("END", "VTIMEZONE"),
)


def written(properties: Iterable[Property]) -> bytes:
    """The properties as UTF-8; each line ends with CRLF and has 75 octets at most."""
    return b"".join(part + b"\r\n" for name, value in properties for part in folded(f"{name}:{value}".encode()))


def folded(line: bytes) -> Iterator[bytes]:
    """The parts of a line, those after the first with a space before them; no character is torn apart."""
    start, end, space = 0, LINE_OCTETS, b""
    while end < len(line):
        while line[end] & 0xC0 == 0x80:  # this octet goes on with the character before it
            end -= 1
        yield space + line[start:end]
        start, end, space = end, end + LINE_OCTETS - 1, b" "
    yield space + line[start:]


def text(value: str) -> str:
    """Human text as a value."""
    return value.replace("\r\n", "\n").replace("\r", "\n").translate(ESCAPED)


def utc(moment: datetime) -> str:
    """A moment as a value."""
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def start(moment: datetime, *, all_day: bool) -> Property:
    """When something begins: a day, or a time on the clock in Italy."""
    local = moment.astimezone(ROME)
    if all_day:
        return ("DTSTART;VALUE=DATE", local.strftime("%Y%m%d"))
    return ("DTSTART;TZID=Europe/Rome", local.strftime("%Y%m%dT%H%M%S"))


def rule(rrule: str, *, all_day: bool) -> str:
    """A recurrence of ours as a value: UNTIL has the type of the start, as section 3.3.10 asks."""
    return re.sub(r"(?<=UNTIL=)[0-9TZ]+", lambda end: _until(end[0], all_day), rrule)


def _until(value: str, all_day: bool) -> str:
    day_end = value if "T" in value else f"{value}T235959"
    zone = UTC if day_end.endswith("Z") else ROME
    moment = datetime.strptime(day_end.rstrip("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=zone)
    return moment.astimezone(ROME).strftime("%Y%m%d") if all_day else utc(moment)
