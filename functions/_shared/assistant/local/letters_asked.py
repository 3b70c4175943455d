"""What is to be changed in a letter that was just drafted: «più gentile», «falla più breve», «dalle del tu»."""

from __future__ import annotations

import re

from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in

LETTERS = frozenset({"draft_email", "draft_whatsapp"})
_CHANGE = re.compile(
    r"^(?:no,? |si,? |ma |e |ok,? |va bene,? |puoi |potresti |me lo |me la |mi )*"
    r"(?:(?:dalle|dagli|da'gli|fa\w*|fa' |rend\w+|scriv\w+|riscriv\w+|la vorrei|lo vorrei|la voglio|meglio|"
    r"deve essere|cambia\w*|usa|"
    r"con un tono|un tono|il tono|in modo|la|lo|mail|messaggio|un po'|un po|ancora|appena) )*"
    r"(?P<how>(?:piu|meno) \w+|al? tu|del tu|del lei|dandogli del (?:tu|lei)|accorcia\w*|ammorbid\w+)"
    r"(?: (?:per favore|grazie|possibile|dai))?$"
)
_TONES = (
    ("breve", r"piu (?:brev|cort|sintetic|concis|stringat)\w*|meno (?:lung|prolix)\w*|accorcia\w*"),
    ("gentile", r"piu (?:gentil|cordial|cortes|morbid|dolc|amichevol|cald)\w*|meno (?:dur|fredd|secc)\w*|ammorbid\w+"),
    ("diretta", r"piu (?:dirett|decis|ferm|dur|sever|fort|convint)\w*|meno (?:gentil|morbid)\w*"),
    ("lei", r"piu (?:formal|ufficial|professional)\w*|meno (?:informal|amichevol)\w*|(?:dandogli )?del lei"),
    ("tu", r"piu (?:informal|colloquial)\w*|meno (?:formal|ufficial)\w*|al? tu|(?:dandogli )?del tu"),
)  # fmt: skip


def read(sentence: Sentence, before: Said | None) -> Said | None:
    """Return the letter before with another tone; None for any other sentence."""
    if before is None or before.intent not in LETTERS:
        return None
    found = _CHANGE.match(asked_in(sentence))
    tone = next((tone for tone, form in _TONES if found and re.fullmatch(form, found["how"])), None)
    return Said(before.intent, {**before.slots, "tone": tone}) if tone else None
