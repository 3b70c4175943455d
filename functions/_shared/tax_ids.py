"""Italian tax identifiers as people type them: each function answers the number as invoices carry it, or None.

The client checks the same while typing (web/src/lib/tax-ids.ts); tests/vectors/tax_ids.json holds the examples that
both must agree on. Whether a number was ever given out, only the tax office knows.
"""

import re
from datetime import date

# Seven digits of the person, three of the office that gave the number, one check digit.
_VAT_NUMBER = re.compile("[0-9]{11}", re.ASCII)
_KNOWN_OFFICE = re.compile("[0-9]{7}(?:0(?!00)[0-9]{2}|100|120|121|888|999)[0-9]", re.ASCII)
# Letters that stand for digits when two people would have the same code (omocodia).
_SUBSTITUTES = "LMNPQRSTUV"
_DIGIT = rf"[0-9{_SUBSTITUTES}]"
MONTHS = "ABCDEHLMPRST"
_TAX_CODE = re.compile(rf"[A-Z]{{6}}({_DIGIT}{{2}})([{MONTHS}])({_DIGIT}{{2}})[A-Z]{_DIGIT}{{3}}[A-Z]", re.ASCII)
# What a character in an odd place counts, by its place in the alphabet or its digit (D.M. 23 December 1976).
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_DOMAIN_PART = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_PEC = re.compile(rf"[a-z0-9._%+-]+@(?:{_DOMAIN_PART}\.)+{_DOMAIN_PART}", re.ASCII)
LONGEST_ADDRESS = 200


def vat_number(typed: str) -> str | None:
    """Partita IVA: 11 digits, the last by Luhn."""
    digits = _compact(typed).removeprefix("IT")
    if not _VAT_NUMBER.fullmatch(digits) or digits.startswith("0000000"):
        return None
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(digits)]
    return digits if sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0 else None


def has_known_office(number: str) -> bool:
    """Tell whether digits 8 to 10 of a VAT number are a known office: the list grows, so this only warns."""
    return _KNOWN_OFFICE.fullmatch(number) is not None


def tax_code(typed: str) -> str | None:
    """Codice fiscale of a person: 16 characters, the date of birth exists and the last letter fits."""
    code = _compact(typed)
    found = _TAX_CODE.fullmatch(code)
    if not found or not _is_a_day(_number(found[1]), MONTHS.index(found[2]) + 1, _number(found[3])):
        return None
    values = [int(each) if each.isdigit() else ord(each) - ord("A") for each in code[:15]]
    total = sum(value if place % 2 else _ODD[value] for place, value in enumerate(values))
    return code if chr(ord("A") + total % 26) == code[15] else None


def any_tax_code(typed: str) -> str | None:
    """Codice fiscale of anybody: an organisation's has 11 digits, checked like those of a partita IVA."""
    return tax_code(typed) or vat_number(typed)


def sdi_code(typed: str) -> str | None:
    """Codice destinatario of the exchange system: seven letters or digits."""
    return _matching("[A-Z0-9]{7}", typed.strip().upper())


def pec(typed: str) -> str | None:
    """A certified mailbox: an ordinary address."""
    address = typed.strip().lower()
    return address if len(address) <= LONGEST_ADDRESS and _PEC.fullmatch(address) else None


def postal_code(typed: str) -> str | None:
    """CAP."""
    return _matching("[0-9]{5}", typed.strip())


def province(typed: str) -> str | None:
    """The two letters of a province."""
    return _matching("[A-Z]{2}", typed.strip().upper())


def _compact(typed: str) -> str:
    return re.sub(r"[\s:-]", "", typed).upper()


def _matching(pattern: str, text: str) -> str | None:
    return text if re.fullmatch(pattern, text, re.ASCII) else None


def _number(characters: str) -> int:
    return int("".join(each if each.isdigit() else str(_SUBSTITUTES.index(each)) for each in characters))


def _is_a_day(year: int, month: int, day: int) -> bool:
    # A woman's day counts from 41. The century is unknown; 2000 is a leap year, so it forgives a 29 February.
    try:
        date(2000 + year, month, day - 40 if day > 40 else day)
    except ValueError:
        return False
    return True
