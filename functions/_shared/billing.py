"""Who an invoice is for: checked as the exchange system (SdI) wants it, and kept with the order as it was then."""

from collections.abc import Callable, Mapping
from typing import Any

from backend.edge import api
from functions._shared import tax_ids

LONGEST_LINE = 200


def _line(typed: str) -> str | None:
    """A line of text without control characters."""
    text = " ".join(typed.split())
    return text if text and len(text) <= LONGEST_LINE and text.isprintable() else None


# Each field: what makes it good, and what a person is told when it is not.
FIELDS: Mapping[str, tuple[Callable[[str], str | None], str]] = {
    "name": (_line, "Scrivi nome e cognome, o la ragione sociale"),
    "vat_number": (tax_ids.vat_number, "La partita IVA non è valida"),
    "tax_code": (tax_ids.any_tax_code, "Il codice fiscale non è valido"),
    "sdi_code": (tax_ids.sdi_code, "Il codice destinatario ha sette caratteri"),
    "pec": (tax_ids.pec, "La PEC non è un indirizzo valido"),
    "address": (_line, "Scrivi l’indirizzo"),
    "postal_code": (tax_ids.postal_code, "Il CAP ha cinque cifre"),
    "city": (_line, "Scrivi il comune"),
    "province": (tax_ids.province, "La provincia è una sigla di due lettere"),
}
PLACE = ("name", "address", "postal_code", "city", "province")
REQUIRED = {"persona": (*PLACE, "tax_code"), "azienda": (*PLACE, "vat_number")}
# A person who buys as such has no VAT number and gets the invoice in their tax drawer.
FORBIDDEN = {"persona": ("vat_number", "sdi_code", "pec"), "azienda": ()}


def checked(given: object) -> dict[str, str] | None:
    """The data as an order keeps them, None when none were given. Raises Refused 400, `invalid_<field>`."""
    if given is None:
        return None
    if not isinstance(given, dict):
        raise api.Refused(400, "invalid_billing", "I dati di fatturazione non sono completi")
    kind = given.get("kind")
    if kind not in REQUIRED:
        raise _refused("kind", "Scegli se compri come persona o come azienda")
    data = {"kind": kind, **_fields(given)}
    for name in REQUIRED[kind]:
        if name not in data:
            raise _refused(name, FIELDS[name][1])
    # Eleven digits are the code of an organisation, which may have no partita IVA of the same digits.
    if kind == "persona" and tax_ids.tax_code(data["tax_code"]) is None:
        raise _refused("tax_code", FIELDS["tax_code"][1])
    if kind == "azienda" and not {"sdi_code", "pec"} & data.keys():
        raise _refused("sdi_code", "Serve il codice destinatario o la PEC")
    return {name: value for name, value in data.items() if name not in FORBIDDEN[kind]}


def is_consumer(data: Mapping[str, str] | None) -> bool:
    """Whether the buyer acts outside a trade or profession, as far as the data tell."""
    return data is None or data["kind"] == "persona"


def _fields(given: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for name, (check, complaint) in FIELDS.items():
        typed = given.get(name)
        if typed is None or typed == "":
            continue
        value = check(typed) if isinstance(typed, str) and len(typed) <= 2 * LONGEST_LINE else None
        if value is None:
            raise _refused(name, complaint)
        found[name] = value
    return found


def _refused(field: str, complaint: str) -> api.Refused:
    return api.Refused(400, f"invalid_{field}", complaint)
