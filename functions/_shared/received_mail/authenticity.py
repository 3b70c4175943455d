"""Tell whether a mail that came to an address of ours is of the domain that its From names: DMARC (RFC 7489).

A signature (DKIM) proves it; without one the address of the server that brought the mail may (SPF), when it is known:
by a webhook or behind a mail server it is not. The organizational domain is found by the records themselves, from the
sender's domain upwards, as the successor of the RFC does: there is no list of public suffixes to keep. What the mail
says about its own authenticity (Authentication-Results, Received-SPF) was written by others and is not read
(RFC 8601 5).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from functions._shared import mail_domain
from functions._shared.received_mail import dkim, message, origin, spf

Result: TypeAlias = Literal["pass", "fail", "none", "unknown"]

DEADLINE_S = 10
# As in the successor of RFC 7489: of a longer name the last seven labels and the name itself.
MAX_LABELS = 7
# Sign all that they send, and have servers of others refuse nothing only for the sake of mailing lists.
SIGNERS = frozenset({"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com"})
# Nobody's (RFC 2606); some of them publish that all mail from them is to be refused.
RESERVED = re.compile(r"(?:.*\.)?(?:example(?:\.com|\.net|\.org)?|test|invalid|localhost)")


@dataclass(frozen=True)
class Verdict:
    """The answer of the sender's domain.

    `pass`: it signed or sent the mail; `fail`: it says how to recognise its mails, and this is not one; `none`: it says
    nothing; `unknown`: the DNS did not answer.
    """

    result: Result
    # It publishes how to recognise its mails.
    is_published: bool = False
    # And asks to refuse others, or put them apart.
    is_enforced: bool = False

    @property
    def is_refuted(self) -> bool:
        """Tell whether the domain says how to recognise its mails, and this was not recognised."""
        return self.is_published and self.result != "pass"

    def dmarc(self, *, is_own: bool) -> origin.Verdict | None:
        """Return what is kept: a failure where the domain enforces it, or where the mail claims to be the person's."""
        if self.result == "pass":
            return "pass"
        return "fail" if self.result == "fail" and (self.is_enforced or is_own) else None


UNKNOWN = Verdict("unknown")


@dataclass(frozen=True)
class Envelope:
    """How a mail came: its sender there, and the server that brought it; None where that is not known."""

    sender: str | None = None
    peer: str | None = None


@dataclass(frozen=True)
class Policy:
    """The record that is in force for a domain, and the organizational domain."""

    organization: str
    # The domain that signed, or sent, must be the very domain of the sender.
    needs_same_signer: bool
    needs_same_envelope: bool
    is_enforced: bool


async def verify(content: bytes, envelope: Envelope, now: datetime) -> Verdict:
    """Verify a raw mail; never raises for what is in it, nor for a DNS that is away."""
    mail, sender = await asyncio.to_thread(_read, content)
    domain = sender.rpartition("@")[2].rstrip(".").lower()
    if not domain or RESERVED.fullmatch(domain) or not dkim.NAME.fullmatch(domain):
        return Verdict("none")
    found: Policy | None = None
    try:
        async with asyncio.timeout(DEADLINE_S):
            found = await policy(domain)
            return await _judged(mail, envelope, domain, found, now)
    except (TimeoutError, mail_domain.NoAnswer):
        return Verdict("unknown", is_published=found is not None)


async def policy(domain: str) -> Policy | None:
    """Find the policy of a domain; None when neither it nor a parent publishes one. Raises NoAnswer."""
    labels = domain.split(".")
    # A name of one label is a registry's.
    parents = [".".join(labels[at:]) for at in range(max(0, len(labels) - MAX_LABELS), len(labels) - 1)]
    names = list(dict.fromkeys([domain, *parents]))
    questions = (mail_domain.answered(mail_domain.texts(f"_dmarc.{each}")) for each in names)
    records = await asyncio.gather(*questions)
    found = {name: tags for name, texts in zip(names, records, strict=True) if (tags := _record(texts))}
    if not found:
        return None
    organization = _organization(list(found), names, found)
    own, above = found.get(domain), found.get(organization) or next(iter(found.values()))
    asked = own.get("p", "") if own else above.get("sp") or above.get("p", "")
    is_enforced = asked.lower() in ("quarantine", "reject") and (own or above).get("t") != "y"
    needs_signer, needs_envelope = ((own or above).get(each, "r").lower() == "s" for each in ("adkim", "aspf"))
    return Policy(organization, needs_signer, needs_envelope, is_enforced or domain in SIGNERS)


def _organization(published: Sequence[str], names: Sequence[str], found: Mapping[str, Mapping[str, str]]) -> str:
    """Return the highest domain with a record, unless one says that it is the last, or a registry's."""
    for name in published:
        if found[name].get("psd") == "n":
            return name
        if found[name].get("psd") == "y":
            below = names.index(name) - 1
            return names[max(0, below)]
    return published[-1]


def _record(texts: Sequence[str]) -> dict[str, str] | None:
    """Read the one DMARC record among texts."""
    own = [each for each in texts if re.match(r"v\s*=\s*DMARC1\s*(?:;|$)", each)]
    return mail_domain.tags(own[0]) if len(own) == 1 else None


async def _judged(
    mail: dkim.Message | None, envelope: Envelope, domain: str, found: Policy | None, now: datetime
) -> Verdict:
    """Say what signatures, server and policy mean together. Raises NoAnswer."""
    is_published, is_enforced = found is not None, found is not None and found.is_enforced
    if mail is not None:
        is_signed = await _is_signed(mail, domain, found, now)
        if is_signed or await _is_sent(envelope, domain, found):
            return Verdict("pass", is_published, is_enforced)
        if is_signed is None:
            raise mail_domain.NoAnswer
    return Verdict("fail" if is_published else "none", is_published, is_enforced)


async def _is_signed(mail: dkim.Message, domain: str, found: Policy | None, now: datetime) -> bool | None:
    """Look for a signature of the domain; None when no signature is found and a key could not be read."""
    is_answered = True
    for each in dkim.signatures(mail, now):
        if not _is_aligned(each.domain, domain, found, needs_same=found is None or found.needs_same_signer):
            continue
        keys = await mail_domain.texts(each.key_name)
        is_answered &= keys is not None
        is_right = await asyncio.to_thread(dkim.verifies, mail, each, keys or ())
        if is_right:
            return True
    return False if is_answered else None


async def _is_sent(envelope: Envelope, domain: str, found: Policy | None) -> bool:
    """Ask whether the server that brought the mail may send for the domain. Raises NoAnswer."""
    client, sender = spf.address_of(envelope.peer), (envelope.sender or "").rpartition("@")[2].lower()
    if client is None or not sender:
        return False
    is_aligned = _is_aligned(sender, domain, found, needs_same=found is None or found.needs_same_envelope)
    return is_aligned and await spf.passes(client, sender)


def _is_aligned(other: str, domain: str, found: Policy | None, *, needs_same: bool) -> bool:
    if found is None or needs_same:
        return other == domain
    return other == found.organization or other.endswith(f".{found.organization}")


def _read(content: bytes) -> tuple[dkim.Message | None, str]:
    """Split a mail, and read who it says it is from as everything else here does."""
    head = re.split(rb"\r?\n\r?\n", content[: dkim.MAX_HEAD], maxsplit=1)[0]
    return dkim.split(content), message.read(head + b"\r\n\r\n", is_header_only=True).sender or ""
