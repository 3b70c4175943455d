"""Warnings about money and identity: what a mail says and what is known about its sender differ.

A mail with warnings is shown with them, and no automation uses what it says: its attachments stay in the mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from functions._shared.fatturapa.identities import is_iban
from functions._shared.received_mail.origin import Verdict

# As the client reads them: {kind, value, known}.
Finding: TypeAlias = dict[str, str]

WRITTEN_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}[ \u00a0.-]?[0-9]{2}(?:[ \u00a0.-]?[0-9A-Z]){11,30}(?![0-9A-Za-z])")
MAX_IBANS = 20
# Everybody has an address there: a domain that resembles them says nothing about a contact.
PROVIDERS = frozenset(
    [
        "gmail.com",
        "libero.it",
        "hotmail.com",
        "hotmail.it",
        "outlook.com",
        "outlook.it",
        "live.it",
        "live.com",
        "yahoo.it",
        "yahoo.com",
        "icloud.com",
        "me.com",
        "tiscali.it",
        "virgilio.it",
        "alice.it",
        "tim.it",
        "tin.it",
        "aruba.it",
        "pec.it",
        "legalmail.it",
        "fastwebnet.it",
        "inwind.it",
        "iol.it",
        "email.it",
        "msn.com",
        "proton.me",
        "protonmail.com",
    ]
)
# Signs that a reader takes for each other, each written as the second.
SAME_LOOK = (("rn", "m"), ("vv", "w"), ("cl", "d"), ("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"), ("-", ""))


def warnings(
    *,
    text: str,
    sender: str | None,
    dmarc: Verdict | None,
    known_ibans: Iterable[str],
    own_ibans: Iterable[str],
    known_domains: Iterable[str],
) -> list[Finding]:
    """Compare a mail with the accounts known of its contact, the person's own, and the domains of all contacts."""
    found: list[Finding] = []
    known, own = [_plain(each) for each in known_ibans], {_plain(each) for each in own_ibans}
    if known:
        found += [
            {"kind": "iban", "value": each, "known": known[0]}
            for each in dict.fromkeys(ibans(text))
            if each not in known and each not in own
        ]
    if sender is not None:
        domain = sender.rpartition("@")[2]
        if alike := look_alike(domain, known_domains):
            found.append({"kind": "domain", "value": domain, "known": alike})
        if dmarc == "fail":
            found.append({"kind": "dmarc", "value": domain, "known": ""})
    return found


def ibans(text: str) -> Iterator[str]:
    """Find account numbers with right check digits; one may be followed by capitals that are not its own."""
    for match in list(WRITTEN_IBAN.finditer(text))[:MAX_IBANS]:
        code = _plain(match[0])
        longest = next((code[:end] for end in range(len(code), 14, -1) if is_iban(code[:end])), None)
        if longest:
            yield longest


def _plain(code: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "", code).upper()


def look_alike(domain: str, known: Iterable[str]) -> str | None:
    """Return the known domain that this one is taken for, but is not; one changed letter counts from six letters on."""
    domains = {each.lower() for each in known}
    if domain in domains or domain in PROVIDERS:
        return None
    for each in sorted(domains - PROVIDERS):
        if _looks(domain) == _looks(each) or (min(len(domain), len(each)) >= 9 and _differs_by_one(domain, each)):
            return each
    return None


def _looks(domain: str) -> str:
    for written, read in SAME_LOOK:
        domain = domain.replace(written, read)
    return domain


def _differs_by_one(first: str, second: str) -> bool:
    """Return whether one letter was changed, added, left out, or two neighbours were exchanged."""
    if abs(len(first) - len(second)) > 1:
        return False
    at = next((place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    if at is None:
        return len(first) != len(second)
    one, other = first[at:], second[at:]
    is_swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return one[1:] == other[1:] or one[1:] == other or one == other[1:] or is_swapped
