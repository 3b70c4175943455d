"""Who is who in a contract: «Rossi S.r.l., con sede in …, di seguito denominata “Fornitore”»."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from functions._shared.extraction.heads import Found
from functions._shared.extraction.layout import Token, box_of
from functions._shared.extraction.near import Reading
from functions._shared.extraction.structure import is_structure

ROLES = {
    "supplier": "fornitore fornitrice prestatore prestatrice professionista consulente appaltatore appaltatrice agente "
    "locatore locatrice venditore venditrice collaboratore collaboratrice incaricato incaricata concedente agenzia",
    "customer": "committente cliente conduttore conduttrice acquirente mandante preponente utente compratore "
    "compratrice appaltante incaricante concessionario",
}
ROLE_OF = {word: key for key, words in ROLES.items() for word in words.split()}
# A name ends at its first comma or bracket. What follows says where it is, until the role is given.
CLAUSE = re.compile(
    r"(?:^|(?<=\s))(?:(?:[Ll]a|[Ii]l|[Ll]['’])\s+)?(?:[Ss]ig\.?(?:ra)?\s+)?"
    r"(?P<name>[A-Z][^,;:«»“”()]{3,70}?)\s*[,(]"
    r"(?P<about>[^;«»“”]{0,300}?)"
    r"(?:di seguito|in seguito|nel seguito|d'ora in (?:poi|avanti)|dett[oa]|denominat[oa])"
    r"(?:\s+(?:anche|denominat[oa]|indicat[oa]|come|per brevità|semplicemente|il|la|lo|dett[oa])|[\s,:«“\"'’‘])*\s*"
    r"(?P<role>[A-Za-z]+)"
)
# What comes before the name of a party; without it the name begins its line.
BETWEEN = re.compile(r"(?:^|.*\s)(?:[Tt]ra|TRA|[Ff]ra|FRA|[Ee]d?|ED?)\s*:?\s+(?=[A-Z])")
SURE = 0.9


def read(readings: Sequence[Reading]) -> dict[str, Found]:
    """Return the supplier and the customer that the contract names by their roles."""
    found: dict[str, list[Found]] = {}
    for reading in readings:
        for key, name in _clauses(reading):
            found.setdefault(key, []).append(name)
    parties = {key: names[0] for key, names in found.items() if len({each.value for each in names}) == 1}
    values = {each.value for each in parties.values()}
    return parties if len(values) == len(parties) else {}


def _clauses(reading: Reading) -> Iterator[tuple[str, Found]]:
    tokens = [token for cell in reading.sheet.cells for token in cell.tokens]
    firsts = {id(line[0].tokens[0]) for line in reading.sheet.lines if line}
    starts, lines, at = [], set(), 0
    for token in tokens:
        if id(token) in firsts:
            lines.add(at)
        starts.append(at)
        at += len(token.text) + 1
    text = " ".join(token.text for token in tokens)
    for match in CLAUSE.finditer(text):
        key = ROLE_OF.get(match["role"].lower())
        introduced = BETWEEN.match(match["name"])
        begin = match.start("name") + (introduced.end() if introduced else 0)
        # A heading on the lines above belongs to no name.
        inside = [line for line in sorted(lines) if begin < line < match.end("name")]
        begin = next((line for line in reversed(inside) if is_structure(text[begin:line])), begin)
        name = text[begin : match.end("name")].strip()
        if (
            key is None
            or is_structure(name)
            or not (introduced or begin in lines or BETWEEN.match(text[:begin][-9:] + "X"))
        ):
            continue
        named = [token for start, token in zip(starts, tokens, strict=True) if begin <= start < match.end("name")]
        yield key, _found(name, named, reading)


def _found(name: str, tokens: Sequence[Token], reading: Reading) -> Found:
    read_well = min(token.word.confidence for token in tokens) / 100
    return Found(name, SURE, reading.sheet.no, box_of(tokens), None, read_well)
