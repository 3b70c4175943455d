"""Values in the text of a cell: amounts, days, identifiers. What a scan confuses is mended where only digits can
stand, and checked by the check digit wherever there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from functions._shared import tax_ids
from functions._shared.extraction.layout import Cell, Token, box_of
from functions._shared.extraction.pages import Box
from functions._shared.names import fold

DIGIT = r"[0-9OoQDIl|!SsBZ]"
TO_DIGITS = str.maketrans("OoQDIl|!SsBZ", "000011115582")
TO_LETTERS = str.maketrans("01582", "OISBZ")
# By their first three letters, in Italian and in English.
MONTHS = {
    name: number
    for names in ("gen feb mar apr mag giu lug ago set ott nov dic", "jan feb mar apr may jun jul aug sep oct nov dec")
    for number, name in enumerate(names.split(), 1)
}
# Thousands by dot, blank or apostrophe; the last two digits after a comma or, misread, a dot. The minus may stand
# behind, with a blank only where nothing follows («122,00 - IBAN …» is a dash), and brackets may stand for it.
MONEY = re.compile(
    rf"(?<![\w,./-])(?P<sign>[-–−]\s?|\(\s?)?(?:[€$£]\s?|EUR\s?)?"
    rf"(?P<whole>[0-9OIl|S]{DIGIT}{{0,2}}(?:[.,’' ]\s?{DIGIT}{{3}})+|"
    rf"[0-9Il]{DIGIT}{{0,6}}|[Oo])\s?(?P<mark>[.,])\s?(?P<cents>{DIGIT}{{2}})(?![\w/%]|[.,-]\d|\s?%)"
    rf"(?P<after>\s?\)|[-–−](?![\w-])|\s?€?\s?[-–−]$)?"
)
NUMERIC_DAY = re.compile(
    rf"(?<![\w/.-])({DIGIT}{{1,2}})\s?([/.\-])\s?({DIGIT}{{1,2}})\s?\2\s?((?:[2Z][0O])?{DIGIT}{{2}})(?![\w/])"
)
ISO_DAY = re.compile(r"(?<!\d)(20\d\d)-(\d\d)-(\d\d)(?!\d)")
WORDED_DAY = re.compile(
    rf"(?<!\w)({DIGIT}{{1,2}})(?:[°º]|st|nd|rd|th)?\s+([A-Za-z]{{3,9}})[.,]?\s+((?:[2Z][0O]){DIGIT}{{2}})(?!\w)"
)
# «November 12, 2026»
MONTH_FIRST_DAY = re.compile(
    rf"(?<!\w)([A-Za-z]{{3,9}})\.?\s+({DIGIT}{{1,2}})(?:st|nd|rd|th)?,?\s+((?:[2Z][0O]){DIGIT}{{2}})(?!\w)"
)
VAT_NUMBER = re.compile(rf"(?<![0-9A-Za-z])(?:[Il1]T\s?)?({DIGIT}{{11}})(?![0-9A-Za-z])")
# VAT numbers of other countries: «d» is a digit, «x» a letter or digit, blanks and dots may stand between.
ABROAD = """
    ATUdddddddd BE0ddddddddd BE1ddddddddd BGddddddddd BGdddddddddd CHEddddddddd CYddddddddx CZdddddddd CZddddddddd
    CZdddddddddd DEddddddddd DKdddddddd EEddddddddd ELddddddddd ESxdddddddx FIdddddddd FRxxddddddddd GBddddddddd
    HRddddddddddd HUdddddddd IEdxdddddx IEdxdddddxx LTddddddddd LTdddddddddddd LUdddddddd LVddddddddddd MTdddddddd
    NLdddddddddBdd PLdddddddddd PTddddddddd ROdddddd ROddddddd ROdddddddd ROddddddddd ROdddddddddd SEdddddddddddd
    SIdddddddd SKdddddddddd XIddddddddd
"""
# After these letters a telephone number may stand: they are provinces of ours.
PROVINCES = ("BG", "CZ", "FI", "LT", "LU", "MT", "PT", "RO", "SI")


def _written(shape: str) -> str:
    parts = [{"d": "[0-9]", "x": "[0-9A-Z]"}.get(each, each) for each in shape[2:]]
    return shape[:2] + ("" if shape.startswith(PROVINCES) else "[ .-]?") + "[ .-]?".join(parts)


# Not the beginning of an account number in groups of four.
FOREIGN_VAT = re.compile(rf"(?<![0-9A-Za-z])({'|'.join(map(_written, ABROAD.split()))})(?![0-9A-Za-z]|[ .-][0-9]{{4}})")
TAX_CODE = re.compile(r"(?<![0-9A-Za-z])([A-Z0-9|]{16})(?![0-9A-Za-z])")
IBAN = re.compile(r"(?<![0-9A-Za-z])([Il1|]\s?T(?:\s?[0-9A-Za-z|!]){25})(?![0-9A-Za-z])")
FOREIGN_IBAN = re.compile(r"(?<![0-9A-Za-z])([A-Z]{2}\s?[0-9]{2}(?:\s?[0-9A-Z]){11,30})(?![0-9A-Za-z])")


@dataclass(frozen=True, eq=False)
class Value:
    """A value and where it stands: tokens `first` up to `last`, which is not its own any more."""

    kind: str
    value: str
    cell: Cell
    first: int
    last: int

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.cell.tokens[self.first : self.last]

    @property
    def box(self) -> Box:
        return box_of(self.tokens)

    @property
    def read_well(self) -> float:
        """0..1: how sure the recognition was of its worst word."""
        return min(token.word.confidence for token in self.tokens) / 100

    @property
    def left(self) -> float:
        return min(token.left for token in self.tokens)

    @property
    def right(self) -> float:
        return max(token.right for token in self.tokens)

    @property
    def may_be_month_first(self) -> bool:
        """Whether Americans would read this day as another one."""
        match = NUMERIC_DAY.search(" ".join(token.text for token in self.tokens))
        return match is not None and match[1] != match[3] and _numeric_day(match, month=1, number=3) is not None

    @property
    def cents(self) -> int:
        return int(self.value)


def found(cell: Cell) -> Iterator[Value]:
    """All values of a cell; what is an identifier or a day is no amount."""
    taken: list[tuple[int, int]] = []
    for kind, pattern, reading in READINGS:
        for match in pattern.finditer(cell.text):
            start, end = match.span()
            value = reading(match)
            if value is not None and not any(start < other_end and other < end for other, other_end in taken):
                taken.append((start, end))
                yield Value(kind, value, cell, *cell.between(start, end))


def day(year: str, month: int, number: str) -> str | None:
    """ISO 8601; a short year is of this century."""
    whole = int(year.translate(TO_DIGITS))
    try:
        return date(whole + 2000 if whole < 100 else whole, month, int(number.translate(TO_DIGITS))).isoformat()
    except ValueError:
        return None


def _numeric_day(match: re.Match[str], month: int = 3, number: int = 1) -> str | None:
    return day(match[4], int(match[month].translate(TO_DIGITS)), match[number])


def _worded_day(match: re.Match[str], month: int = 2, number: int = 1) -> str | None:
    name = fold(match[month])[:3]
    return day(match[3], MONTHS[name], match[number]) if name in MONTHS else None


def _month_first_day(match: re.Match[str]) -> str | None:
    return _worded_day(match, month=1, number=2)


def _money(match: re.Match[str]) -> str | None:
    written = match[0]
    if sum(each.isdigit() for each in written) * 2 < sum(each.isalnum() for each in written.replace("EUR", "")):
        return None
    whole = re.sub(r"[^0-9]", "", match["whole"].translate(TO_DIGITS))
    cents = int(whole) * 100 + int(match["cents"].translate(TO_DIGITS))
    return str(-cents if _is_negative(match) else cents)


def _is_negative(match: re.Match[str]) -> bool:
    sign, after = match["sign"] or "", match["after"] or ""
    if not sign.startswith("("):
        return bool(sign) or (bool(after) and not after.endswith(")"))
    # Behind another amount brackets say it once more: «USD 1,220.00 (EUR 1.110,00)».
    return after.endswith(")") and re.search(r"[.,]\d\d(?!\d)", match.string[: match.start()]) is None


def iban(text: str) -> str | None:
    """The account number when its check digits are right; for Italy letters and digits are known by their places."""
    code = re.sub(r"\s", "", text).upper().replace("!", "1")
    if len(code) == 27 and code[1] == "T":
        code = "IT" + code[2:4].translate(TO_DIGITS) + code[4].translate(TO_LETTERS) + _account(code[5:])
    whole = "".join(str(int(each, 36)) for each in code[4:] + code[:4]) if code.isalnum() and code.isascii() else "0"
    return code if int(whole) % 97 == 1 else None


def _account(digits: str) -> str:
    bank, account = digits[:10].translate(TO_DIGITS), digits[10:]
    plain = account.translate(str.maketrans("OQIL|SBZ", "00111582"))
    # An account may hold letters; one that holds few was misread.
    return bank + (plain if sum(each.isalpha() for each in account) <= 3 else account)


def _foreign(match: re.Match[str]) -> str | None:
    return None if match[1].startswith("IT") else iban(match[1])


def _tax_code(match: re.Match[str]) -> str | None:
    code = match[1]
    places = "AAAAAA00A00A000A"
    mended = "".join(
        each.translate(TO_LETTERS if place == "A" else TO_DIGITS) for each, place in zip(code, places, strict=True)
    )
    return tax_ids.tax_code(code) or tax_ids.tax_code(mended)


def _vat_number(match: re.Match[str]) -> str | None:
    """Return the VAT number; eleven digits on paper are one only with a known office."""
    number = tax_ids.vat_number(match[1].translate(TO_DIGITS))
    return number if number and tax_ids.has_known_office(number) else None


READINGS = (
    ("iban", IBAN, lambda match: iban(match[1])),
    ("iban", FOREIGN_IBAN, _foreign),
    ("tax_code", TAX_CODE, _tax_code),
    ("foreign_vat", FOREIGN_VAT, lambda match: re.sub("[ .-]", "", match[1])),
    ("vat_number", VAT_NUMBER, _vat_number),
    ("day", ISO_DAY, lambda match: day(match[1], int(match[2]), match[3])),
    ("day", NUMERIC_DAY, _numeric_day),
    ("day", WORDED_DAY, _worded_day),
    ("day", MONTH_FIRST_DAY, _month_first_day),
    ("money", MONEY, _money),
)
