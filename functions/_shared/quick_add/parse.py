"""The reader: what a line of quick-add says, part by part, and what stays its title.

Nothing is guessed: what may mean something else («mar rosso», «fattura 12/2026») stays text, and so does what the
person turned back into text. Of more days or hours than one task has («ogni giorno tranne domenica») none is read.
All times are the clock on the wall in Rome.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Literal, TypedDict
from zoneinfo import ZoneInfo

from functions._shared.quick_add import days, rules
from functions._shared.quick_add.match import Line, Match
from functions._shared.quick_add.rules import Values
from functions._shared.quick_add.tokens import Token, closes, opens, tokens_of

ROME = ZoneInfo("Europe/Rome")
# Beyond these many characters a line is title only.
READ_LENGTH = 500


class Part(TypedDict):
    """A piece of the line that was understood; offsets in UTF-16 code units, as the browser counts."""

    kind: str
    start: int
    end: int
    text: str


class Parsed(TypedDict):
    """The task that a line describes; `due` is YYYY-MM-DD or YYYY-MM-DDTHH:MM in Rome."""

    title: str
    parts: list[Part]
    due: str | None
    all_day: bool
    rrule: str | None
    repeat_from: Literal["scadenza", "completamento"]
    priority: int
    contact: str | None
    project: str | None
    someday: bool


# What an operation says, each at most once: «tra due ore» is both day and hour.
_SLOTS = {"clock": ("hour",), "moment": ("hour",), "wait": ("day", "hour"), "part": ("part",)}
# Parts that say nothing of day and hour.
_TIMELESS = frozenset({"priority", "contact", "project"})


@dataclass
class _Reading:
    """What has been understood so far."""

    instant: datetime
    now: datetime
    spans: list[tuple[str, int, int]] = field(default_factory=list)
    slots: dict[str, Match] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    # More days or hours are said than one task has.
    is_unclear: bool = False

    @property
    def today(self) -> date:
        return self.now.date()

    def fill(self, found: Match, last: tuple[int, str]) -> bool:
        """Takes what a part says, unless an earlier one said it already."""
        group = found.rule.group
        wanted = _SLOTS.get(found.rule.op, ("day" if group == "date" else group,))
        if any(slot in self.slots for slot in wanted):
            self.is_unclear = self.is_unclear or self._contradicts(found, last)
            return False
        self.slots |= dict.fromkeys(wanted, found)
        return True

    def _contradicts(self, found: Match, last: tuple[int, str]) -> bool:
        """«ogni lunedì alle 9 e giovedì alle 15», «mercoledì fra due settimane»; «3 dicembre giovedì» is one day."""
        if "recurrence" in self.slots:
            return found.rule.group in rules.LEADS or found.rule.group == "recurrence"
        if last != (found.first, "date") or found.rule.group != "date" or "day" not in self.slots:
            return False
        former, other = (self.day(each) for each in (self.slots["day"], found))
        return former is not None and former != other and former.weekday() != found.values.get("wd")

    def day(self, found: Match) -> date | None:
        """The day that a match of a date means."""
        day = days.day_of(found.rule.op, found.values, self.today)
        return day and day[0]

    def forget(self) -> None:
        """All that was said of day and hour."""
        self.spans = [span for span in self.spans if span[0] in _TIMELESS]
        self.slots = {slot: found for slot, found in self.slots.items() if slot in _TIMELESS}

    def values(self, slot: str) -> Values:
        return self.slots[slot].values if slot in self.slots else {}


def parse(text: str, now: datetime, kept: Collection[int] = ()) -> Parsed:
    """Reads a line said at `now` (without a time zone: Rome); parts that begin at an offset in `kept` stay text."""
    instant = (now if now.tzinfo else now.replace(tzinfo=ROME)).astimezone(UTC)
    places = _Places(text)
    tokens = [each for each in tokens_of(text[:READ_LENGTH]) if places.units[each.end] <= READ_LENGTH]
    line, reading = Line(text, tokens), _Reading(instant, instant.astimezone(ROME).replace(tzinfo=None))
    place, last = 0, (-1, "")
    while place < len(tokens):
        stays = places.units[tokens[place].start] in kept
        if tokens[place].raw[0] in _TAGS and len(tokens[place].raw) > 1:
            if not stays:
                _tag(reading, line, tokens[place])
            place += 1
            continue
        found = _best(reading, line, place, last)
        if found is None:
            place += 1
            continue
        if found.rule.op == "void":
            reading.is_unclear = True
        elif found.rule.op != "leave" and (stays or reading.fill(found, last)):
            last = (found.end, found.rule.group)
            if not stays:
                reading.spans.append((found.kind, tokens[place].start, tokens[found.end - 1].end))
        place = found.end
    if reading.is_unclear:
        reading.forget()
    return _answer(text, reading, places)


_EITHER = frozenset(rules.TABLE["either"].split())
# No space before these; nothing needs none either.
_CLOSING = {"", *",;:.)!?"}
_TAGS: dict[str, Literal["contact", "project"]] = {"@": "contact", "#": "project"}


class _Places:
    """UTF-16 offsets of the characters of a text."""

    def __init__(self, text: str) -> None:
        self.units = [0]
        for each in text:
            self.units.append(self.units[-1] + (2 if ord(each) > 0xFFFF else 1))


def _tag(reading: _Reading, line: Line, token: Token) -> None:
    kind, name = _TAGS[token.raw[0]], token.raw[1:].strip('«»"“” ')
    whole = opens(line.text, token.start) and closes(line.text, token.end)
    if whole and name and not name.isdigit() and kind not in reading.names:
        reading.names[kind] = name
        reading.spans.append((kind, token.start, token.end))


def _best(reading: _Reading, line: Line, place: int, last: tuple[int, str]) -> Match | None:
    """The longest rule that cuts through no saying to be left; what does not exist keeps its words as text."""
    for found in sorted(line.matches(place, last), key=lambda each: -each.end):
        match = _with_tails(line, found, reading.today) if found.rule.op == "every" else found
        if line.cuts(match):
            continue
        exists = _exists(match, reading.today)
        return _unless_either(line, match) if exists else Match(rules.RULES[0], "leave", match.first, match.end, {})
    return None


def _unless_either(line: Line, found: Match) -> Match:
    """«lunedì o martedì» and «alle 8 e alle 20» are two answers to one question: both stay text."""
    place, group = found.end + 1, found.rule.group
    if group in rules.LEADS and place < len(line.tokens) and line.tokens[found.end].norm in _EITHER:
        ends = [each.end for each in line.matches(place, (place, group)) if each.rule.group == group]
        if ends:
            return Match(rules.RULES[0], "leave", found.first, max(ends), {})
    return found


def _exists(found: Match, today: date) -> bool:
    if found.rule.group == "date":
        return days.day_of(found.rule.op, found.values, today) is not None
    if found.rule.op in ("clock", "moment"):
        return days.clock(found.values, None) is not None
    return True


def _with_tails(line: Line, found: Match, today: date) -> Match:
    """«… dal completamento», «… per 5 volte», «… fino al 31 dicembre» belong to the repetition."""
    for tail in rules.TAILS:
        reached = line.reach(tail.items, found.end)
        if reached is None or not closes(line.text, line.tokens[reached[0] - 1].end):
            continue
        end, values = reached
        more = tail.settings | values
        if "until" in more:
            if end >= len(line.tokens):
                continue
            days_there = [each for each in line.matches(end, (end, "recurrence")) if each.kind == "date"]
            last = max(days_there, key=lambda each: each.end, default=None)
            day = days.day_of(last.rule.op, last.values, today) if last else None
            if not last or not day:
                continue
            end, more = last.end, {"until": f"{day[1] or day[0]:%Y%m%d}"}
        return Match(found.rule, found.kind, found.first, end, found.values | more)
    return found


def _answer(text: str, reading: _Reading, places: _Places) -> Parsed:
    due, all_day = _due(reading)
    someday = "someday" in reading.slots and due is None
    spans = [span for span in reading.spans if someday or span[0] != "someday"]
    every = reading.values("recurrence")
    return {
        "title": _title(text, spans),
        "parts": [
            {"kind": kind, "start": places.units[start], "end": places.units[end], "text": text[start:end]}
            for kind, start, end in spans
        ],
        "due": due,
        "all_day": all_day,
        "rrule": days.rrule(every) if every else None,
        "repeat_from": "completamento" if "repeat_from" in every else "scadenza",
        "priority": days.number(reading.values("priority"), "level"),
        "contact": reading.names.get("contact"),
        "project": reading.names.get("project"),
        "someday": someday,
    }


def _due(reading: _Reading) -> tuple[str | None, bool]:
    """The day and time that all parts together mean, and whether it is the whole day."""
    now, today, hour = reading.now, reading.today, reading.slots.get("hour")
    if hour and hour.rule.op == "wait":
        minutes = days.number(hour.values, "n") * days.number(hour.values, "minutes") + days.number(hour.values, "plus")
        return f"{(reading.instant + timedelta(minutes=minutes)).astimezone(ROME):%Y-%m-%dT%H:%M}", False
    part = next((str(each.values["part"]) for each in reading.slots.values() if "part" in each.values), None)
    begins, ends = rules.TABLE["parts"][part] if part else (0, 24)
    time = days.clock(hour.values, part) if hour else (begins, 0) if part else None
    if not time and not {"day", "recurrence"} & reading.slots.keys():
        return None, True
    gone = time is not None and time <= (now.hour, now.minute)
    # An afternoon that has begun is still today, at no hour.
    vague = gone and hour is None
    day = today + timedelta(days=1) if gone and not (vague and now.hour < ends) else today
    named = reading.slots.get("day")
    if named:
        day, instead = days.day_of(named.rule.op, named.values, today) or (day, None)
        day = instead if instead and (gone or not (time or "this" in named.values)) else day
        if gone and hour and part == "night" and day == today:
            day += timedelta(days=1)
    if "recurrence" in reading.slots:
        day = days.first(reading.values("recurrence"), day)
    if not time or (vague and day == today):
        return day.isoformat(), True
    return f"{day.isoformat()}T{time[0]:02}:{time[1]:02}", False


def _title(text: str, spans: list[tuple[str, int, int]]) -> str:
    """What is left; a comma between two parts goes with them."""
    title, at = "", 0
    for _, start, end in [*spans, ("", len(text), len(text))]:
        piece = " ".join(text[at:start].split())
        if at and not piece.strip(".…"):
            piece = ""
        if at and title[-1:] == "(" and piece[:1] == ")":
            title, piece = title[:-1].rstrip(), piece[1:]
        if at and title[-1:] in {"", *",;:(–-"}:
            piece = piece.lstrip(",;:.–- ")
        title, at = f"{title}{'' if piece[:1] in _CLOSING else ' '}{piece}".strip(), end
    return title.rstrip(" ,;:–-") if spans else title
