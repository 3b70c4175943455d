"""The person's own templates of mails, found by their names. Places such as {{nome}} are filled in by the client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backend.edge import api
from functions._shared import names
from functions._shared.assistant.tools.answers import Answer, Unanswered

# So many names are said of templates that fit, or that there are.
MAX_NAMED = 8


@dataclass(frozen=True)
class Template:
    """A template as its person wrote it."""

    name: str
    subject: str | None
    body: str


async def find(connection: api.Connection, said: str) -> Template:
    """Return the template that is meant. Raises Unanswered when there is no such one, or more than one may be."""
    rows = await connection.fetch(
        "select name::text, subject::text, body from public.mail_templates order by lower(name)"
    )
    templates = [Template(**row) for row in rows]
    wanted = " ".join(said.strip(" «»\"'“”").split())
    for fits in _FITS:
        found = [each for each in templates if fits(wanted, each.name)]
        if len(found) > 1:
            raise Unanswered(_answer(f"Più modelli possono essere «{wanted}»: {_list(found)}. Quale uso?", found))
        if found:
            return found[0]
    raise Unanswered(_answer(_missing(wanted, templates), templates))


def _holds_words(wanted: str, name: str) -> bool:
    words = names.words(wanted).split()
    return bool(words) and set(words) <= set(names.words(name).split())


# From sure to unsure; names are unique but for capitals.
_FITS: tuple[Callable[[str, str], bool], ...] = (
    lambda wanted, name: wanted.lower() == name.lower(),
    names.same,
    _holds_words,
)


def _answer(reason: str, templates: Sequence[Template]) -> Answer:
    return {"proposed": False, "reason": reason, "templates": [each.name for each in templates[:MAX_NAMED]]}


def _missing(wanted: str, templates: Sequence[Template]) -> str:
    if not templates:
        return (
            "Non hai ancora modelli di email: li scrivi in Impostazioni › Canali, "
            "oppure mentre scrivi un’email con «Salva come modello…»."
        )
    return f"Non hai un modello «{wanted}». I tuoi modelli: {_list(templates)}."


def _list(templates: Sequence[Template]) -> str:
    more = len(templates) - MAX_NAMED
    named = ", ".join(f"«{each.name}»" for each in templates[:MAX_NAMED])
    return f"{named} e {'un altro' if more == 1 else f'altri {more}'}" if more > 0 else named
