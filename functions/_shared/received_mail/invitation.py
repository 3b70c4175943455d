"""Read an invitation (iCalendar, RFC 5545, in a mail as of RFC 6047): what, when and where, of its first event. Pure.

A time in a zone that nobody knows is left out: a wrong hour is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

METHODS = frozenset({"REQUEST", "CANCEL", "PUBLISH"})
MOST_LINES = 2_000
LINE = re.compile(r'([A-Za-z-]{1,40})((?:;[^;:"=]{1,60}=(?:"[^"]*"|[^;:"]*))*):(.*)', re.DOTALL)
MOMENT = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?")
ROME = ZoneInfo("Europe/Rome")
# As Outlook calls them.
ZONES = {
    "w. europe standard time": "Europe/Rome",
    "romance standard time": "Europe/Paris",
    "central europe standard time": "Europe/Budapest",
    "central european standard time": "Europe/Warsaw",
    "gmt standard time": "Europe/London",
}
ESCAPES = {"n": "\n", "N": "\n"}


@dataclass(frozen=True)
class Invitation:
    """An event that somebody invites to, or calls off; `starts_at` is a midnight in Italy for a whole day."""

    title: str
    starts_at: datetime | None
    is_allday: bool
    place: str
    is_cancelled: bool
    repeats: bool


def read(text: str) -> Invitation | None:
    """Read the first event; None for what is no invitation."""
    lines = list(_lines(text))
    method = next((value.strip().upper() for name, _, value in lines if name == "METHOD"), "")
    event = _event(lines)
    if method not in METHODS or event is None:
        return None
    parameters, moment = event.get("DTSTART", ({}, ""))
    starts_at, is_allday = _moment(moment, parameters.get("TZID", ""))
    return Invitation(
        title=_plain(event, "SUMMARY"),
        starts_at=starts_at,
        is_allday=is_allday,
        place=_plain(event, "LOCATION"),
        is_cancelled=method == "CANCEL" or _plain(event, "STATUS").upper() == "CANCELLED",
        repeats="RRULE" in event,
    )


def _lines(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Go through the properties: name, parameters, value; long lines are folded."""
    unfolded = re.sub(r"\r?\n[ \t]", "", text)
    for line in unfolded.splitlines()[:MOST_LINES]:
        found = LINE.fullmatch(line)
        if found is not None:
            pairs = re.findall(r';([^=;]+)=("[^"]*"|[^;]*)', found[2])
            yield found[1].upper(), {name.upper(): value.strip('"') for name, value in pairs}, found[3]


def _event(lines: list[tuple[str, dict[str, str], str]]) -> dict[str, tuple[dict[str, str], str]] | None:
    """Return the properties of the first event, without those of its alarms."""
    found: dict[str, tuple[dict[str, str], str]] = {}
    inside: list[str] = []
    for name, parameters, value in lines:
        if name == "BEGIN":
            inside.append(value.strip().upper())
        elif name == "END" and inside:
            if inside.pop() == "VEVENT":
                return found
        elif inside[-1:] == ["VEVENT"]:
            found.setdefault(name, (parameters, value))
    return None


def _moment(value: str, zone: str) -> tuple[datetime | None, bool]:
    """Return when it starts, and whether that is a whole day."""
    found = MOMENT.fullmatch(value.strip())
    if found is None:
        return None, False
    try:
        known = UTC if found[3] else ZoneInfo(ZONES.get(zone.lower(), zone)) if zone and found[2] else ROME
        moment = datetime.strptime(found[1] + (found[2] or "000000"), "%Y%m%d%H%M%S").replace(tzinfo=known)
    except (ValueError, ZoneInfoNotFoundError, OSError):
        return None, False
    return moment, found[2] is None


def _plain(event: dict[str, tuple[dict[str, str], str]], name: str) -> str:
    value = event.get(name, ({}, ""))[1]
    return re.sub(r"\\(.)", lambda escaped: ESCAPES.get(escaped[1], escaped[1]), value)
