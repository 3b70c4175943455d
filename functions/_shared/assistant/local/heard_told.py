"""A contact that took place, told in a line: «ho sentito Luca ieri al telefono: vuole anticipare la consegna»."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from functions._shared.assistant.local import names, table
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, plain, sentence_of
from functions._shared.names import fold
from functions._shared.quick_add import rules

# «lunedì», «lunedi», «lunedi'»
_WEEKDAY = "|".join(
    f"{word[:-1]}[iì]'?" if word.endswith("di") else word for word in rules.WORDS["wd"] if len(word) > len("lun")
)
_MONTH = "|".join(rules.WORDS["month"])
# When it was; what names no day («la settimana scorsa») is asked about.
_WHEN = (
    rf"(?:oggi|stamattina|stamane|stasera|questa mattina|questo pomeriggio|poco fa|l['’]altro ieri|ieri l['’]altro|"
    rf"avantieri|ieri|(?:lo |la )?(?:{_WEEKDAY})(?: scors[oa])?|"
    rf"il \d{{1,2}}(?:/\d{{1,2}}(?:/\d{{2,4}})?| (?:{_MONTH}))?|"
    r"\w+ (?:giorni?|settiman[ae]) fa|(?:la )?(?:scorsa settimana|settimana scorsa)|qualche giorno fa)"
    r"(?:,? (?:di |nel |in |a |al )?(?:mattin(?:a|o|ata)|pranzo|pomeriggio|sera(?:ta)?))?"
    r"(?:,? (?:verso )?(?:alle|all['’]|ore|le) ?\d{1,2}(?:[:.]\d{2})?)?"
    r"|(?:verso )?(?:alle|all['’]) ?\d{1,2}(?:[:.]\d{2})?"
)
_CHANNELS = (
    ("whatsapp", r"(?:su|via|per|con) (?:whatsapp|wa|wapp)|con un (?:whatsapp|vocale)|un (?:whatsapp|vocale)"),
    ("email", r"(?:via|per|con una?|una|un['’])\s?(?:(?:e-?)?mail|posta elettronica|pec|posta)|via pec"),
    ("chiamata", r"(?:al|per|via) telefono|telefonicamente|per telefonata|in (?:video)?call|in videochiamata|su zoom"),
    ("incontro", r"di persona|dal vivo|a (?:pranzo|cena|colazione)|in (?:ufficio|studio|cantiere|negozio|riunione)"),
    ("incontro", r"per un caff[eè]"),
    ("whatsapp", r"un messagg(?:io|ino)"),
)
_CHANNEL = "|".join(form for _, form in _CHANNELS)
_AUX = r"(?:ho|abbiamo|avevo)(?: (?:appena|gi[aà]|poi|anche|finalmente))?"
_TO_ME = r"(?:mi|ci) (?:ha|hanno)(?: (?:appena|gi[aà]|poi|anche|finalmente))?"


@dataclass(frozen=True)
class _Way:
    """How a contact is told: what kind it was unless the sentence names one, and who began it."""

    form: re.Pattern[str]
    kind: str
    direction: str | None
    comes_after: bool = False


def _way(form: str, kind: str, direction: str | None = None, *, comes_after: bool = False) -> _Way:
    return _Way(re.compile(form, re.IGNORECASE), kind, direction, comes_after)


# What follows these is the name; in the last ones it comes before.
_WAYS = (
    _way(rf"{_AUX} (?:ri)?(?:sentito|ascoltato)(?: di nuovo)?", "chiamata"),
    _way(rf"{_AUX} (?:visto|incontrato|rivisto|incrociato|ricevuto in (?:ufficio|studio))", "incontro"),
    _way(rf"{_AUX} (?:pranzato|cenato|preso un caff[eè]|fatto colazione) con", "incontro"),
    _way(rf"{_AUX} (?:ri)?(?:chiamato|telefonato a|telefonato al|telefonato alla|contattato)", "chiamata", "uscita"),
    _way(rf"{_AUX} (?:parlato|chiacchierato|discusso)(?: (?P<told>{_CHANNEL}))? con", "altro"),
    _way(rf"{_AUX} (?:ri)?(?:scritto|risposto) ad?", "altro", "uscita"),
    _way(rf"{_AUX} (?:mandato|inviato) (?P<told>{_CHANNEL}) ad?", "altro", "uscita"),
    _way(rf"{_AUX} (?:ricevuto) (?P<told>{_CHANNEL}) da", "altro", "entrata"),
    _way(
        rf"{_AUX} (?:fatto|avuto) (?:una |un )?(?:lunga |bella |breve )?(?:telefonata|chiamata|(?:video)?call|"
        r"videochiamata) con", "chiamata",
    ),
    _way(rf"{_AUX} (?:fatto|avuto) (?:una |un )?(?:riunione|incontro|appuntamento|sopralluogo|pranzo) con", "incontro"),
    _way(rf"{_TO_ME} (?:ri)?(?:chiamato|telefonato|cercato|videochiamato)", "chiamata", "entrata"),
    _way(rf"{_TO_ME} (?:mandato|inviato) (?P<told>{_CHANNEL})", "altro", "entrata"),
    _way(rf"{_TO_ME} (?:ri)?(?:scritto|risposto|contattato)(?! (?:un|una) cert)", "altro", "entrata"),
    _way(r"(?:mi sono|ci siamo) (?:ri)?(?:sentit[oaie]) (?:con)?", "chiamata"),
    _way(r"(?:mi sono|ci siamo) (?:ri)?(?:vist[oaie]|incontrat[oaie]|trovat[oaie]) con", "incontro"),
    _way(r"(?:sono stat[oa]|siamo stati|sono passat[oa]|sono andat[oa]) (?:a trovare|da)", "incontro"),
    _way(r"(?:sono stat[oa]|siamo stati|sono andat[oa]|siamo andati) (?P<told>a (?:pranzo|cena)) con", "incontro"),
    _way(r"(?:una )?(?:telefonata|chiamata|call|videochiamata) (?:con|a|da)(?=\W)", "chiamata"),
    _way(r"(?:un |una )?(?:incontro|riunione|sopralluogo|pranzo|cena|caff[eè]) (?:con|da)(?=\W)", "incontro"),
    _way(r"(?:sentit[oa]|sentiti)(?= )", "chiamata"),
    _way(r"(?:vist[oa]|incontrat[oa])(?= )", "incontro"),
    _way(rf"{_TO_ME} (?:ri)?(?:chiamato|telefonato|cercato)", "chiamata", "entrata", comes_after=True),
    _way(rf"{_TO_ME} (?:mandato|inviato) (?P<told>{_CHANNEL})", "altro", "entrata", comes_after=True),
    _way(rf"{_TO_ME} (?:ri)?(?:scritto|risposto|contattato)", "altro", "entrata", comes_after=True),
    _way(r"[eè] (?:venut[oa]|passat[oa]) (?:da me|in (?:ufficio|studio|negozio)|a trovarmi)", "incontro", "entrata",
         comes_after=True),
)  # fmt: skip
_PRONOUN_WAYS = (
    _way(r"(?:l['’]ho|li ho|le ho) (?:appena |gi[aà] )?(?:ri)?sentit[oaie]", "chiamata"),
    _way(r"(?:l['’]ho|li ho|le ho) (?:appena |gi[aà] )?(?:vist[oaie]|incontrat[oaie])", "incontro"),
    _way(r"(?:l['’]ho|li ho|le ho) (?:appena |gi[aà] )?(?:ri)?chiamat[oaie]", "chiamata", "uscita"),
    _way(r"(?:gli|le) ho (?:appena |gi[aà] )?telefonato", "chiamata", "uscita"),
    _way(r"(?:gli|le) ho (?:appena |gi[aà] )?(?:scritto|risposto)", "altro", "uscita"),
    _way(r"ci ho (?:appena |gi[aà] )?parlato", "altro"),
)
# Nouns tell of the past only where a day of the past is said: «pranzo con Rossi venerdì» is to come.
_NOUN = re.compile(r"(?:un |una )?(?:telefonata|chiamata|call|videochiamata|incontro|riunione|sopralluogo|pranzo|cena)")
_PAST = re.compile(r"ieri|stam|scors|\bfa\b|avantieri|questa mattina", re.IGNORECASE)
_LOGS = re.compile(
    r"(?:registra(?:mi)?|segna(?:mi|ti)?|annota(?:mi|ti)?|logga|prendi nota|metti)(?: (?:in )?(?:crm|che)| pure)*\s+"
    r"(?=(?:ho |abbiamo |mi ha |ci ha |mi sono |ci siamo |sono |\w+ mi ha |telefonata|chiamata|incontro|riunione"
    r"|un[ao']? ?(?:telefonata|chiamata|call|incontro|riunione)|la (?:telefonata|chiamata|call|riunione)"
    r"|l['’]incontro))",
    re.IGNORECASE,
)
# What is to be done with it is another order.
_OTHER_ORDER = re.compile(
    r"\b(?:annota\w*|appunta\w*|in nota|una nota|nelle note|scheda|rubrica|segnal[oa]|spuntal[oa]|ricordami|mettil[oa]|"
    r"mettigli|mettile|aggiungil[oa]|aggiungi|memoria|conosciamo|chi (?:e|sono|sarebbe)|scrivil[oa]|scrivi|manda|"
    r"cancella|elimina|togli|crea|fattura|fatture|preventivo pronto|sposta|segna)\b"
)
_LEADING = re.compile(r"^(?:[ ,]|(?:adesso|prima|appena|anche|di nuovo)\b)+", re.IGNORECASE)
_TO = re.compile(
    r"^(?:(?:con|a|ad|da|al|alla|allo|dal|dalla|dallo|col|il|lo|la|i|gli|le) |(?:all|dall|l)['’] ?)+(?=\S)",
    re.IGNORECASE,
)
_INDEFINITE = re.compile(
    r"^(?:con |da |a )?(?:un|una|uno|un['’]|dei|delle|qualche|molt[ei]|tant[ei]|pi[uù])\b", re.IGNORECASE
)
_EDGES = ' ,;:.–-«»"“”'
_LINK = re.compile(
    r"^(?:(?:e|ed) )?"
    r"(?:(?:mi|ci) (?:ha|hanno) detto che|mi dice che|dice che|(?:abbiamo )?parlato di|che|per dire che)\s+",
    re.IGNORECASE,
)
_MOST_NAME = 5
_KNOWN_NAMES = table.words("first_names") | table.words("surnames") | table.words("titles")


def read(sentence: Sentence, before: Said | None) -> Said | None:
    """Return the contact that a sentence tells of; None for a question, another order or what names nobody."""
    said = plain(sentence)
    if sentence.asks or not said.words:
        return None
    text = said.text[said.words[0].start : said.words[-1].end]
    text = sentence.text[said.words[0].start :].strip(_EDGES) if ":" in text else text
    text, logs = _LOGS.subn("", text, count=1)
    if _OTHER_ORDER.search(fold(text)):
        return None
    lead = re.match(rf"({_WHEN})[, ]+", text, re.IGNORECASE)
    rest, when = (text[lead.end() :], [lead[1]]) if lead else (text, [])
    for way in (*_PRONOUN_WAYS, *_WAYS):
        found = _told(way, rest, when, is_pronoun=way in _PRONOUN_WAYS)
        is_past = logs or not _NOUN.match(rest) or (found and _PAST.search(found.get("when", "")))
        if found and is_past and (person := _person(found, before)):
            return Said("log_interaction", person | found)
    return None


def _person(found: dict[str, str], before: Said | None) -> dict[str, Any]:
    """Return whom it is about: who was named, or for «l'ho sentito» whoever was spoken of before."""
    slots: dict[str, Any] = found if "contact" in found else (before.slots if before else {})
    return {name: slots[name] for name in ("contact", "pick") if name in slots}


def _told(way: _Way, text: str, when: list[str], *, is_pronoun: bool) -> dict[str, str] | None:
    found = way.form.search(text) if way.comes_after else way.form.match(text)
    if not found or (way.comes_after and not found.start()):
        return None
    after = text[found.end() :]
    if after[:1].isalnum() or (way.comes_after and not _is_name_alone(text[: found.start()])):
        return None
    told = [found["told"]] if found.groupdict().get("told") else []
    rest, when, channels = _apart(after, when, told)
    name = ""
    if way.comes_after:
        name = _TO.sub("", text[: found.start()].strip(_EDGES))
    elif not is_pronoun:
        name, rest = _name(rest)
        if not name:
            return None
        rest, when, channels = _apart(rest, when, channels)
    return _slots(way, name, when, channels, rest)


def _slots(way: _Way, name: str, when: list[str], channels: list[str], rest: str) -> dict[str, str]:
    slots = {"contact": name} if name else {}
    slots["kind"] = _kind(" ".join(channels)) or way.kind
    if way.direction and slots["kind"] != "incontro":
        slots["direction"] = way.direction
    if when:
        slots["when"] = " ".join(when)
    summary = _LINK.sub("", rest.strip(_EDGES)).strip(_EDGES)
    if any(each.isalnum() for each in summary):
        slots["summary"] = summary[:1].upper() + summary[1:]
    return slots


def _apart(text: str, when: list[str], channels: list[str]) -> tuple[str, list[str], list[str]]:
    """Take the days and channels off the beginning of a text."""
    while True:
        text = _LEADING.sub("", text)
        if found := re.match(rf"(?:{_WHEN})(?!\w)", text, re.IGNORECASE):
            when = [*when, found[0]]
        elif found := re.match(rf"(?:{_CHANNEL})(?!\w)", text, re.IGNORECASE):
            channels = [*channels, found[0]]
        else:
            return text, when, channels
        text = text[found.end() :]
        if text[:1] in (":", ";", "."):
            return text, when, channels


def _kind(channels: str) -> str:
    return next((kind for kind, form in _CHANNELS if re.search(form, channels, re.IGNORECASE)), "")


def _is_name_alone(text: str) -> bool:
    """Tell whether a name is all that comes before: «Luca», «la Bianchi»."""
    said = sentence_of(_TO.sub("", text.strip(_EDGES)))
    return bool(said.words) and len(said.words) <= _MOST_NAME and names.places(said) >= {*range(len(said.words))}


def _name(text: str) -> tuple[str, str]:
    """Return the name that a text begins with, and what follows it; "" for «un film» and words that are no name."""
    if _INDEFINITE.match(text):
        return "", text
    bare = _TO.sub("", text)
    said = sentence_of(bare)
    found = names.leading(said)
    has_article = len(bare) < len(text) and not text.startswith(("con ", "a ", "da ", "ad "))
    if not found or (has_article and bare[0].islower() and said.words[0].norm not in _KNOWN_NAMES):
        # «La bianchi», but not «la musica».
        return "", text
    return said.said(0, found).strip('«»"“”'), bare[said.words[found - 1].end :]
