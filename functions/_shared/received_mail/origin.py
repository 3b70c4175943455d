"""Who or what sent a mail: a person, a machine, a list or a server that could not deliver; and what DMARC says."""

from __future__ import annotations

import re
from email.message import EmailMessage
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["persona", "automatica", "lista", "rimbalzo"]
Verdict: TypeAlias = Literal["pass", "fail"]
MACHINES = re.compile(
    r"(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|non-?rispondere|noreply[\w.+-]*|bounces?[\w.+-]*|notifications?)@"
)
SERVERS = re.compile(r"(?:mailer-daemon|postmaster)@")
REPORTS = re.compile(r"report-type\s*=\s*\"?(?:delivery-status|feedback-report)", re.IGNORECASE)
DMARC = re.compile(r"\bdmarc\s*=\s*(\w+)", re.IGNORECASE)
BY = re.compile(r"\bby\s+([\w.-]+)", re.IGNORECASE)


def kind_of(parsed: EmailMessage, sender: str | None) -> Kind:
    """Recognise what must never be answered automatically (RFC 3834, RFC 2919, RFC 3464, RFC 5965)."""
    value = {name: _value(parsed, name) for name in ("auto-submitted", "precedence", "return-path", "content-type")}
    if REPORTS.search(value["content-type"]) or (sender and SERVERS.match(sender)):
        return "rimbalzo"
    if _has(parsed, "list-id") or _has(parsed, "list-unsubscribe") or value["precedence"] in ("bulk", "list", "junk"):
        return "lista"
    is_machine = (
        (value["auto-submitted"] or "no").split(";")[0].strip() != "no"
        or value["precedence"] == "auto_reply"
        or _has(parsed, "x-auto-response-suppress")
        or _has(parsed, "x-autoreply")
        or _has(parsed, "x-autorespond")
        or value["return-path"].replace(" ", "") == "<>"
        or sender is None
        or MACHINES.match(sender) is not None
    )
    return "automatica" if is_machine else "persona"


def dmarc_of(parsed: EmailMessage) -> Verdict | None:
    """Return what the person's own server says of the sender's domain (RFC 8601); None when it says nothing.

    A sender may write such a header too. The own server is the one that the topmost Received headers name, down to the
    first that says from where it came.
    """
    own = _own_servers(parsed)
    for value in _all(parsed, "authentication-results"):
        server = re.split(r"[;\s]", value.strip(), maxsplit=1)[0].lower()
        if _domain(server) not in own:
            continue
        found = DMARC.search(value)
        if found is not None:
            verdict = found[1].lower()
            return "pass" if verdict in ("pass", "bestguesspass") else "fail" if verdict == "fail" else None
    return None


def _own_servers(parsed: EmailMessage) -> set[str]:
    own = set()
    for value in _all(parsed, "received"):
        by = BY.search(value)
        if by is not None and "." in by[1]:
            own.add(_domain(by[1].lower()))
        if value.lstrip().lower().startswith("from"):
            break
    return own


def _domain(host: str) -> str:
    """Return the last two labels of a host, which its owner has registered but for rare endings."""
    return ".".join(host.rstrip(".").split(".")[-2:])


def _value(parsed: EmailMessage, name: str) -> str:
    return next(iter(_all(parsed, name)), "").strip().lower()


def _has(parsed: EmailMessage, name: str) -> bool:
    return bool(_all(parsed, name))


def _all(parsed: EmailMessage, name: str) -> list[str]:
    """Return the values of a header as they were sent, unfolded."""
    return [" ".join(str(value).split()) for key, value in parsed.raw_items() if key.lower() == name]
