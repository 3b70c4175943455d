"""Invitations as calendars write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from functions._shared.received_mail import invitation, message
from tests.fakes import imap
from tests.functions.documents.conftest import Desk
from tests.functions.documents.conftest import desk as desk
from tests.functions.test_mail_fetch import bad as bad
from tests.functions.test_mail_fetch import fetch, letter, reader, rows

NINE = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)


def event(start: str = "DTSTART:20261201T090000Z", method: str = "REQUEST", more: str = "") -> str:
    return (
        f"BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VTIMEZONE\r\nTZID:X\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n{start}\r\n"
        f"SUMMARY;LANGUAGE=it:Riunione\\, progetto\r\n  nuovo\r\nLOCATION:Via Roma 1\r\n{more}"
        "BEGIN:VALARM\r\nSUMMARY:Sveglia\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )


@pytest.mark.parametrize(
    ("start", "starts_at", "is_allday"),
    [
        ("DTSTART:20261201T090000Z", NINE, False),
        ("DTSTART;TZID=Europe/Rome:20261201T100000", NINE, False),
        ('DTSTART;TZID="W. Europe Standard Time":20261201T100000', NINE, False),
        ("DTSTART:20261201T100000", NINE, False),
        ("DTSTART;VALUE=DATE:20261201", datetime(2026, 11, 30, 23, 0, tzinfo=UTC), True),
        ("DTSTART;TZID=Ufficio:20261201T100000", None, False),
        ("DTSTART;TZID=../../etc/passwd:20261201T100000", None, False),
        ("DTSTART:20261399T100000", None, False),
        ("DTSTART:domani", None, False),
    ],
)
def test_an_invitation_says_when_it_is_or_nothing(start: str, starts_at: datetime | None, is_allday: bool) -> None:
    found = invitation.read(event(start))
    assert found is not None
    assert (found.starts_at, found.is_allday) == (starts_at, is_allday)
    assert (found.title, found.place, found.repeats) == ("Riunione, progetto nuovo", "Via Roma 1", False)


def test_what_is_called_off_or_repeats_is_told() -> None:
    cancelled, repeated = invitation.read(event(method="CANCEL")), invitation.read(event(more="RRULE:FREQ=DAILY\r\n"))
    assert cancelled is not None
    assert repeated is not None
    assert (cancelled.is_cancelled, repeated.is_cancelled, repeated.repeats) == (True, False, True)


@pytest.mark.parametrize("text", ["", "Ciao", event(method="REPLY"), "BEGIN:VEVENT\nSUMMARY:x", "END:VEVENT\n" * 10])
def test_other_texts_are_no_invitations(text: str) -> None:
    assert invitation.read(text) is None


def test_a_long_line_costs_little() -> None:
    assert invitation.read("A" + ";B=C" * 200_000 + "\n" + event()) is not None


@pytest.mark.anyio
async def test_a_mail_with_an_invitation_proposes_and_makes_no_task(desk: Desk, bad: imap.Server) -> None:
    await reader(desk, bad.port)
    mail = letter("Invito", Message_ID="<1@example.it>")
    mail.add_alternative(event(), subtype="calendar", params={"method": "REQUEST"})
    assert message.read(mail.as_bytes()).text == "Buongiorno."
    bad.add(mail.as_bytes().replace(b"\n", b"\r\n"))
    await fetch(desk)
    [kept] = await rows(
        desk, "select invitation ->> 'title' as title, invitation ->> 'starts_at' as at from public.received_mails"
    )
    assert (kept["title"], datetime.fromisoformat(kept["at"])) == ("Riunione, progetto nuovo", NINE)
    assert await rows(desk, "select 1 from public.tasks") == []
