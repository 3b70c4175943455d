"""Who a sentence speaks of, as the person wrote it; whether there is such a contact is the tools' business."""

from __future__ import annotations

from collections.abc import Iterator

from functions._shared.assistant.local import table
from functions._shared.assistant.local.words import Sentence, Word, sentence_of
from functions._shared.names import COMPANY_FORMS, fold

_STOP = table.words("stop")
_TITLES = table.words("titles")
_PARTICLES = table.words("particles")
SUFFIXES = COMPANY_FORMS | {"&"}
_PREPS = frozenset(table.CLASSES["PREP"])
_ARTICLES = frozenset(table.CLASSES["ART"])
_NAMELIKE = frozenset(table.CLASSES["DATE"]) | frozenset(table.CLASSES["MONTH"])
# Words of the rules are no names, unless written with a capital in the middle of a sentence.
_PLAIN = table.OF_CLASSES | _STOP | _TITLES | table.words("figures")
_FIELD_WORDS = frozenset(word for saying in table.CLASSES["FIELD"] for word in saying.split())
_LEADING = _ARTICLES | _TITLES | {".", ":"}
# What is a name in small letters, too.
_USUAL = table.words("first_names") | (table.words("surnames") - table.words("common"))
# A name in small letters has at most so many words.
_MOST_SMALL = 3


def find(sentence: Sentence, loose: bool = False) -> str:
    """The first name: with capitals, or after a preposition; `loose`: any words that no rule knows. "" if none."""
    for first, end in (*_capitals(sentence), *_after_prepositions(sentence), *(_unknown(sentence) if loose else ())):
        return sentence.said(first, end).strip('«»"“”')
    return ""


def capital(sentence: Sentence) -> str:
    """The first name that is written as one."""
    return next((sentence.said(first, end) for first, end in _capitals(sentence)), "")


def places(sentence: Sentence) -> frozenset[int]:
    """Which words belong to names that are written as such."""
    return frozenset(place for first, end in _capitals(sentence) for place in range(first, end))


def bare(sentence: Sentence) -> str:
    """The name, if the whole sentence is one."""
    for first, end in _capitals(sentence):
        if first == 0 and end == len(sentence.words):
            return sentence.said(first, end)
    return ""


def leading(sentence: Sentence) -> int:
    """Return how many words at the beginning are a name, with the titles before it; 0 if none are."""
    words, first = sentence.words, 0
    while first < len(words) and words[first].norm in _LEADING:
        first += 1
    if first == len(words):
        return 0
    if not words[first].capital:
        end = _run(words, first)
        return min(end, first + _MOST_SMALL) if end > first else 0
    end = first + 1
    while end < len(words):
        if _joins(words, end):
            end += 1
        elif words[end].norm in _PARTICLES and (after := _after_particles(words, end)):
            end = after
        else:
            break
    return end


def is_like_one(text: str) -> bool:
    """Tell whether words look like a name that a contact could be given: a capital, or a usual first name or surname.

    «luce», «totale» and words of the rules do not.
    """
    return any(
        (word.capital or word.norm in _USUAL) and word.norm not in _PLAIN - _USUAL for word in sentence_of(text).words
    )


def without_article(sentence: Sentence) -> str:
    """What was taken for a name or a thing, without «il signor», «l'», quotation marks."""
    first = 0
    while first < len(sentence.words) - 1 and sentence.words[first].norm in _LEADING:
        # «Il Segnalibro» is what it is called.
        if sentence.words[first].capital and sentence.words[first].norm in _ARTICLES and first > 0:
            break
        first += 1
    return sentence.said(first, len(sentence.words)).strip('«»"“” ,:')


def _capitals(sentence: Sentence) -> Iterator[tuple[int, int]]:
    words, place = sentence.words, 0
    while place < len(words):
        if not _is_name(words, place) or words[place].norm in _TITLES:
            place += 1
            continue
        end = place + 1
        while end < len(words):
            if _joins(words, end) or (words[end].raw[0].isdigit() and words[end].capital):
                end += 1
            elif words[end].norm in _PARTICLES and (after := _after_particles(words, end)):
                end = after
            else:
                break
        yield place, end
        place = end


def _is_name(words: tuple[Word, ...], place: int) -> bool:
    word = words[place]
    if word.quoted or not word.capital or word.norm in _FIELD_WORDS or len(word.raw.strip("'’")) < 2:
        return False
    if place == 0 or words[place - 1].raw in ".!?":
        follows = place + 1 < len(words) and words[place + 1].capital
        is_slip = word.norm != fold(word.raw) and word.raw.isalpha()
        return word.norm not in _PLAIN or (follows and (is_slip or word.norm in _NAMELIKE | _PARTICLES))
    return word.norm not in {"ia", "ai", "lei", "socio", "whatsapp"}


def _joins(words: tuple[Word, ...], place: int) -> bool:
    word = words[place]
    return (word.capital and not word.quoted) or word.norm in SUFFIXES


def _after_particles(words: tuple[Word, ...], place: int) -> int:
    """Where the name goes on behind «de», «della», «e»: its next capital; 0 if it does not."""
    for ahead in range(1, 3):
        if place + ahead < len(words) and words[place + ahead].capital and not words[place + ahead].quoted:
            known_place = words[place].norm in ("di", "a", "in") and words[place + ahead].norm in table.CLASSES["CITY"]
            return 0 if known_place else place + ahead + 1
        if place + ahead >= len(words) or words[place + ahead].norm not in _PARTICLES:
            break
    return 0


def _after_prepositions(sentence: Sentence) -> Iterator[tuple[int, int]]:
    words = sentence.words
    for place, word in enumerate(words):
        if word.norm in _PREPS:
            first = place + 1
            while first < len(words) and words[first].norm in _LEADING:
                first += 1
            end = _run(words, first)
            if end > first:
                yield first, end


def _unknown(sentence: Sentence) -> Iterator[tuple[int, int]]:
    for first in range(len(sentence.words)):
        end = _run(sentence.words, first)
        if end > first:
            yield first, end


def _run(words: tuple[Word, ...], first: int) -> int:
    """How far words go that no rule knows."""
    end = first
    while end < len(words) and words[end].norm not in _PLAIN and (words[end].raw[0].isalpha() or words[end].quoted):
        end += 1
    while end > first and end < len(words) and words[end].norm in SUFFIXES:
        end += 1
    return end
