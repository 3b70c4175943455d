"""Words and names as they are compared: without accents, capitals and punctuation.

tests/vectors/names.json holds the cases. private.words() and private.name_key() of the database pass them too; the
browser's `fold` (web/src/lib/fold.ts) passes those of `fold`.
"""

import re
import unicodedata

# The words that end the name of a company.
COMPANY_FORMS = frozenset({"srl", "srls", "spa", "snc", "sas", "sapa", "scarl", "onlus", "aps", "coop"})
# «S.r.l.» and «s r l»; the longer form first.
SPELLED_FORM = r"\b(?:s-r-l-s|s-r-l|s-p-a|s-n-c|s-a-s|s-a-p-a|s-c-a-r-l)\b\.?".replace("-", "[. ]{1,2}")
_SPELLED_FORM = re.compile(SPELLED_FORM)
_MARK = re.compile("[\u0300-\u036f]")
# Letters that have no accent to take off.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
_WORD = re.compile(r"[^\W_]+")


def fold(text: str) -> str:
    """Return a text in lower case, without accents, with straight apostrophes."""
    return _MARK.sub("", unicodedata.normalize("NFD", text.lower())).replace("’", "'")


def words(text: str) -> str:
    """Return the words of a text with one space between them; «S.r.l.» and «s r l» are «srl»."""
    plain = fold(unicodedata.normalize("NFKD", text)).casefold().translate(_PLAIN)
    return join_forms(" ".join(_WORD.findall(plain)))


def join_forms(folded: str) -> str:
    """Write company forms as one word: «s.r.l.» and «s r l» as «srl»."""
    return _SPELLED_FORM.sub(lambda form: re.sub("[. ]", "", form[0]), folded)


def is_company(name: str) -> bool:
    """Tell whether a name ends with a company form."""
    return not COMPANY_FORMS.isdisjoint(words(name).split()[-1:])


def same(one: str, other: str) -> bool:
    """Tell whether two names differ only in accents, capitals, punctuation and spaces."""
    return words(one).replace(" ", "") == words(other).replace(" ", "")
