"""What the DNS says about mail from a domain (SPF, DKIM, DMARC), and what its owner should set.

`checks` is pure. A server signs with a selector that only it knows, so the common ones are looked at.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import dns.asyncresolver
import dns.exception
import dns.resolver

State = Literal["ok", "weak", "missing", "wrong", "unknown"]

TIMEOUT_S = 5
SELECTORS = (
    "default", "dkim", "mail", "google", "selector1", "selector2", "s1", "s2", "k1", "k2", "aruba", "smtp", "key1",
)  # fmt: skip
# Their owners set what is needed; a person cannot.
PROVIDERS = frozenset({
    "gmail.com", "googlemail.com", "outlook.com", "outlook.it", "hotmail.com", "hotmail.it", "live.it", "live.com",
    "libero.it", "virgilio.it", "tim.it", "alice.it", "tin.it", "yahoo.it", "yahoo.com", "icloud.com", "tiscali.it",
    "fastwebnet.it", "aruba.it", "poste.it",
})  # fmt: skip
# By the end of the server's name: what its mail needs in the SPF record.
SENDERS = {
    "aruba.it": "include:_spf.aruba.it",
    "gmail.com": "include:_spf.google.com",
    "office365.com": "include:spf.protection.outlook.com",
    "outlook.com": "include:spf.protection.outlook.com",
}
LOOKUPS = re.compile(r"[+?~-]?(?:include:|a(?:[:/]|$)|mx(?:[:/]|$)|ptr(?::|$)|exists:|redirect=)", re.IGNORECASE)
# RFC 7208 4.6.4: more are an error.
MOST_LOOKUPS = 10

Records = Mapping[str, Sequence[str] | None]


class NoAnswer(Exception):
    """The DNS did not answer a question."""


@dataclass(frozen=True)
class Check:
    """One of the three, in words for its owner; `name` and `value` are a TXT record to set."""

    kind: Literal["spf", "dkim", "dmarc"]
    state: State
    found: str | None
    advice: str
    name: str | None = None
    value: str | None = None


def is_provider(domain: str) -> bool:
    """Whether the domain belongs to a provider of mailboxes."""
    return domain.lower() in PROVIDERS


async def records(domain: str, selectors: Sequence[str] = SELECTORS) -> dict[str, Sequence[str] | None]:
    """Ask for the TXT records of a domain; None where the DNS did not answer."""
    names = [domain, f"_dmarc.{domain}", *(f"{each}._domainkey.{domain}" for each in selectors)]
    return dict(zip(names, await asyncio.gather(*map(texts, names)), strict=True))


def resolver() -> dns.asyncresolver.Resolver:
    """Make the resolver of this machine."""
    return dns.asyncresolver.Resolver()


async def texts(name: str) -> list[str] | None:
    """Ask for the TXT records of a name; None where the DNS did not answer."""
    rows = await _rows(name, "TXT")
    return None if rows is None else [b"".join(row.strings).decode("utf-8", "replace") for row in rows]


async def addresses(name: str, kind: Literal["A", "AAAA"]) -> list[str] | None:
    """Ask for the addresses of a host; None where the DNS did not answer."""
    rows = await _rows(name, kind)
    return None if rows is None else [row.address for row in rows]


async def exchangers(name: str) -> list[str] | None:
    """Ask for the mail servers of a domain; None where the DNS did not answer."""
    rows = await _rows(name, "MX")
    return None if rows is None else [row.exchange.to_text(omit_final_dot=True) for row in rows]


async def answered(question: Awaitable[list[str] | None]) -> list[str]:
    """Wait for an answer. Raises NoAnswer."""
    found = await question
    if found is None:
        raise NoAnswer
    return found


async def _rows(name: str, kind: str) -> list[Any] | None:
    try:
        return list(await resolver().resolve(name, kind, lifetime=TIMEOUT_S))
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError, ValueError):
        return None


def checks(domain: str, host: str, address: str, found: Records) -> list[Check]:
    """Judge the records of a domain whose mail leaves through this server."""
    return [_spf(domain, host, found.get(domain)), _dkim(domain, found), _dmarc(domain, address, found)]


def _spf(domain: str, host: str, texts: Sequence[str] | None) -> Check:
    if texts is None:
        return _unknown("spf")
    needed = next((value for end, value in SENDERS.items() if host == end or host.endswith(f".{end}")), None)
    own = spf_records(texts)
    value = f"v=spf1 {needed} ~all" if needed else None
    if not own:
        how = "Aggiungi questo record." if value else "Chiedi al tuo fornitore di posta quale valore usare."
        return Check(
            "spf", "missing", None, f"Nessun record dice chi può spedire per il tuo dominio. {how}", domain, value
        )
    if len(own) > 1:
        return Check(
            "spf", "wrong", " | ".join(own), "I record SPF sono più d’uno, e così non ne vale nessuno: uniscili."
        )
    terms = own[0].split()[1:]
    if needed and needed not in [each.lstrip("+") for each in terms]:
        fixed = " ".join(["v=spf1", needed, *terms])
        return Check("spf", "wrong", own[0], f"Manca il tuo server: aggiungi {needed} al record.", domain, fixed)
    if len([each for each in terms if LOOKUPS.match(each)]) > MOST_LOOKUPS:
        return Check(
            "spf", "wrong", own[0], "Il record rimanda a più di dieci altri: chi riceve lo ignora. Accorcialo."
        )
    if any(each in ("+all", "all", "?all") for each in terms):
        return Check("spf", "weak", own[0], "Il record permette a chiunque di spedire a tuo nome: finiscilo con ~all.")
    return Check("spf", "ok", own[0], "Dice chi può spedire per il tuo dominio.")


def _dkim(domain: str, found: Records) -> Check:
    asked = {name: texts for name, texts in found.items() if name.endswith(f"._domainkey.{domain}")}
    for name, texts in asked.items():
        for text in texts or ():
            if tags(text).get("p"):
                return Check("dkim", "ok", name, "La chiave della firma è pubblicata.")
    if asked and all(texts is None for texts in asked.values()):
        return _unknown("dkim")
    return Check(
        "dkim",
        "missing",
        None,
        "Non trovo una chiave con i nomi più usati. Attiva la firma DKIM nel pannello del tuo fornitore: è lui a "
        "firmare le email. Se l’hai già fatto, il nome della chiave è un altro e va bene così.",
    )


def _dmarc(domain: str, address: str, found: Records) -> Check:
    texts = found.get(f"_dmarc.{domain}")
    if texts is None:
        return _unknown("dmarc")
    own = [each for each in texts if each.lower().replace(" ", "").startswith("v=dmarc1")]
    value = f"v=DMARC1; p=none; rua=mailto:{address}"
    if not own:
        told = "Nessun record dice che cosa fare di chi si spaccia per te. Aggiungi questo."
        return Check("dmarc", "missing", None, told, f"_dmarc.{domain}", value)
    policy = tags(own[0]).get("p", "").lower()
    if len(own) > 1 or policy not in ("none", "quarantine", "reject"):
        told = "Il record è doppio o non dice che cosa fare: lasciane uno solo."
        return Check("dmarc", "wrong", " | ".join(own), told, f"_dmarc.{domain}", value)
    if policy == "none":
        told = "C’è, ma osserva soltanto. Quando SPF e DKIM sono a posto da qualche settimana, passa a p=quarantine."
        return Check("dmarc", "weak", own[0], told)
    return Check("dmarc", "ok", own[0], "Chi si spaccia per te viene fermato.")


def spf_records(texts: Sequence[str]) -> list[str]:
    """Return those of the TXT records of a domain that are SPF (RFC 7208 4.5)."""
    return [each for each in texts if each.lower().split(" ")[0] == "v=spf1"]


def tags(text: str) -> dict[str, str]:
    """Read the tags of a record, names in lower case."""
    pairs = [each.partition("=") for each in text.split(";")]
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _unknown(kind: Literal["spf", "dkim", "dmarc"]) -> Check:
    return Check(kind, "unknown", None, "Il DNS non ha risposto: riprova tra poco.")
