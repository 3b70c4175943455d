"""Reading forwarded mails: from the text that each program writes around the original, in Italian and in English."""

# ruff: noqa: E501 - texts as programs write them
from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage

import pytest

from functions._shared.received_mail import arriving, forwarded

ME, ANNA, DOMAIN = "io@studio.example", "anna@example.it", "in.localhost"
TO_US = f"u+{'a' * 32}@{DOMAIN}"
NOW = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)
# 27 November 2026, 10:15 in Italy.
SENT = datetime(2026, 11, 27, 9, 15, tzinfo=UTC)

SHAPES = {
    "gmail, Italian": (
        "---------- Forwarded message ---------\nDa: Anna Neri <anna@example.it>\nDate: ven 27 nov 2026 alle ore 10:15\n"
        "Subject: Preventivo\nTo: Io <io@studio.example>\n\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "gmail, English": (
        "---------- Forwarded message ---------\nFrom: Anna Neri <anna@example.it>\nDate: Fri, Nov 27, 2026 at 10:15 AM\n"
        "Subject: Preventivo\nTo: <io@studio.example>\nCc: Luca <luca@example.it>\n\n\nBuongiorno,\naccetto il preventivo."
    ),
    "gmail, with a narrow space before the hour's half": (
        "---------- Forwarded message ---------\nFrom: *Anna Neri* <anna@example.it>\nDate: Fri, Nov 27, 2026 at 10:15\u202fAM\n"
        "Subject: Preventivo\nTo: <io@studio.example>\n\nBuongiorno,\naccetto il preventivo."
    ),
    "apple, Italian": (
        "Inizio messaggio inoltrato:\n\n> Da: Anna Neri <anna@example.it>\n> Oggetto: Preventivo\n"
        "> Data: 27 novembre 2026 alle ore 10:15:00 CET\n> A: Io <io@studio.example>\n> \n> Buongiorno,\n> accetto il preventivo.\n"
    ),
    "apple, English": (
        "Begin forwarded message:\n\nFrom: Anna Neri <anna@example.it>\nSubject: Preventivo\n"
        "Date: 27 November 2026 at 10:15:00 CET\nTo: Io <io@studio.example>\n\nBuongiorno,\naccetto il preventivo."
    ),
    "outlook on the web, Italian": (
        "\n________________________________\nDa: Anna Neri <anna@example.it>\nInviato: venerdì 27 novembre 2026 10:15\n"
        "A: Io <io@studio.example>\nOggetto: Preventivo\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "outlook, English": (
        "From: Anna Neri <anna@example.it>\nSent: Friday, November 27, 2026 10:15 AM\nTo: Io <io@studio.example>\n"
        "Subject: Preventivo\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "outlook of old": (
        "-----Messaggio originale-----\nDa: Anna Neri [mailto:anna@example.it]\nInviato: venerdì 27 novembre 2026 10:15\n"
        "A: io@studio.example\nOggetto: Preventivo\nPriorità: Alta\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "outlook with a link in its address": (
        "Da: Anna Neri <anna@example.it<mailto:anna@example.it>>\nData: venerdì, 27 novembre 2026 alle ore 10:15\n"
        "A: Io <io@studio.example<mailto:io@studio.example>>\nOggetto: Preventivo\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "thunderbird, Italian": (
        "\n\n-------- Messaggio inoltrato --------\nOggetto: \tPreventivo\nData: \tFri, 27 Nov 2026 10:15:00 +0100\n"
        "Mittente: \tAnna Neri <anna@example.it>\nA: \tIo <io@studio.example>\n\n\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "thunderbird, English": (
        "-------- Forwarded Message --------\nSubject: \tPreventivo\nDate: \tFri, 27 Nov 2026 10:15:00 +0100\n"
        "From: \tAnna Neri <anna@example.it>\nReply-To: \taltro@example.it\nTo: \tio@studio.example\n\n\nBuongiorno,\n"
        "accetto il preventivo.\n"
    ),
    "libero": (
        "---------- Messaggio originale ----------\nDa: Anna Neri <anna@example.it>\nA: io@studio.example\n"
        "Data: 27 novembre 2026 alle 10:15\nOggetto: Preventivo\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "yahoo": (
        "----- Messaggio inoltrato -----\nDa: Anna Neri <anna@example.it>\nA: Io <io@studio.example>\n"
        "Inviato: venerdì 27 novembre 2026 alle ore 10:15:00 CET\nOggetto: Preventivo\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "roundcube": (
        "-------- Messaggio originale --------\nOggetto: Preventivo\nData: 27/11/2026 10:15\n"
        "Da: Anna Neri <anna@example.it>\nA: io@studio.example\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
    "a table of HTML, one cell a line": (
        "-------- Messaggio inoltrato --------\nOggetto:\nPreventivo\nData:\nFri, 27 Nov 2026 10:15:00 +0100\nMittente:\n"
        "Anna Neri <anna@example.it>\nA:\nio@studio.example\n\nBuongiorno,\naccetto il preventivo.\n"
    ),
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_the_original_is_read_out_of_each_program_s_forward(text: str) -> None:
    found = forwarded.inline(text)
    assert found is not None
    assert (found.sender, found.sender_name, found.subject) == (ANNA, "Anna Neri", "Preventivo")
    assert found.sent_at == SENT
    assert found.text == "Buongiorno,\naccetto il preventivo."
    assert (found.recipients[0], found.note) == (ME, "")


@pytest.mark.parametrize(
    "text",
    [
        "Da: qui si va lontano\nA: destra",
        "Ricordati: Da: Anna <anna@example.it> viene domani",
        "Da: Anna Neri\nInviato: venerdì 27 novembre 2026 10:15\nA: Io\nOggetto: senza indirizzo\n\nCiao",
        "Oggetto: Preventivo\nData: 27 novembre 2026\n\nNessun mittente",
        "",
        "\n" * 10_000,
    ],
)
def test_what_names_no_sender_is_no_forward(text: str) -> None:
    assert forwarded.inline(text) is None


def test_what_the_person_wrote_above_is_apart() -> None:
    found = forwarded.inline("Da rispondere entro lunedì\n\n" + SHAPES["gmail, Italian"])
    assert found is not None
    assert (found.note, found.text) == ("Da rispondere entro lunedì", "Buongiorno,\naccetto il preventivo.")


def mail(sender: str, to: str, text: str = "Buongiorno", **headers: str) -> EmailMessage:
    """Write a mail; names with an underscore are headers."""
    made = EmailMessage()
    for name, value in {
        "From": sender, "To": to, "Subject": "I: Preventivo", "Message-ID": "<1@studio.example>",
        "Date": "Sat, 28 Nov 2026 09:00:00 +0100", **{key.replace("_", "-"): value for key, value in headers.items()},
    }.items():  # fmt: skip
        made[name] = value
    made.set_content(text)
    return made


# What a sender may write to look verified by the server that takes the mail.
VERIFIED = {
    "Received": f"from elsewhere by mx.{DOMAIN}; Fri, 27 Nov 2026 09:15:00 +0000",
    "Authentication_Results": f"mx.{DOMAIN}; dmarc=pass header.from=example.it",
}


def sort(made: EmailMessage) -> list[arriving.Arrival]:
    return arriving.sort(made.as_bytes(), {ME}, DOMAIN, NOW)


def test_a_forward_shows_the_original_and_verifies_nothing() -> None:
    text = (
        "Guarda qui\n\n"
        + SHAPES["gmail, Italian"]
        + "\n\nIl giorno gio 26 nov 2026 Io ha scritto:\n> Ecco il preventivo"
    )
    [found] = sort(mail(ME, TO_US, text, **VERIFIED))
    read = found.opened.mail
    assert (found.role, found.is_forwarded, read.sender, read.subject) == ("ricevuti", True, ANNA, "Preventivo")
    assert (read.text, read.sent_at, read.dmarc) == ("Buongiorno,\naccetto il preventivo.", SENT, None)
    assert "Guarda qui" in read.quoted
    assert "Ecco il preventivo" in read.quoted


def test_originals_forwarded_as_files_are_whole_mails() -> None:
    made = mail(ME, TO_US, "In allegato")
    for number in (7, 8):
        made.add_attachment(mail(ANNA, ME, f"Numero {number}", Message_ID=f"<{number}@example.it>", **VERIFIED))
    found = sort(made)
    kept = [(each.role, each.is_forwarded, each.opened.mail.message_id, each.opened.mail.text) for each in found]
    assert [each.opened.mail.dmarc for each in found] == [None, None]
    assert kept == [("ricevuti", True, f"<{number}@example.it>", f"Numero {number}") for number in (7, 8)]


def test_a_copy_of_what_the_person_wrote_is_sent_to_its_recipient() -> None:
    # It quotes, as answers do: whoever writes to somebody else forwards nothing to us.
    made = mail(ME, f"Io <{ME}>, Anna <{ANNA}>", "Ecco.\n\n" + SHAPES["outlook, English"], Cc=TO_US)
    [found] = sort(made)
    assert (found.role, found.is_forwarded, found.opened.mail.recipients) == ("inviati", False, (ANNA,))


def test_a_note_to_oneself_waits_like_any_mail() -> None:
    [found] = sort(mail(ME, TO_US, "Chiamare Anna"))
    assert (found.role, found.is_forwarded, found.opened.mail.sender) == ("ricevuti", False, ME)


def test_a_stranger_who_writes_like_a_forward_has_forwarded_nothing() -> None:
    [found] = sort(mail("truffa@example.com", TO_US, SHAPES["gmail, Italian"], **VERIFIED))
    assert (found.role, found.is_forwarded, found.opened.mail.sender) == ("ricevuti", False, "truffa@example.com")
    assert found.opened.mail.dmarc is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("27/11/2026 10.15", SENT),
        ("venerdì 27 novembre 2026 alle 10.15", SENT),
        ("Friday, November 27, 2026 10:15 AM", SENT),
        ("27 novembre 2026", datetime(2026, 11, 27, 11, 0, tzinfo=UTC)),
        ("July 3, 2026 at 11:30 PM", datetime(2026, 7, 3, 21, 30, tzinfo=UTC)),
        ("31 febbraio 2026 10:00", None),
        ("un giorno", None),
        ("1 gennaio 9999 10:00", None),
    ],
)
def test_dates_are_read_as_programs_write_them(written: str, expected: datetime | None) -> None:
    assert forwarded.moment(written) == expected
