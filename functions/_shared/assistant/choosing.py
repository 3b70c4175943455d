"""Which agent answers when the person lets us choose («Automatico»): rules on the words of the question.

The same for every model, and without asking one: a choice costs nothing and can be explained. Whoever wants something
written gets the Esecutore, the only one who can: so does all that the local model takes for such a wish.
"""

from __future__ import annotations

import re
from datetime import datetime

from functions._shared import names
from functions._shared.assistant.local import match
from functions._shared.assistant.turn import ROME

# No choice needs more of a question.
CHARACTERS = 2000
ANY_DAY = datetime(2026, 1, 7, 12, tzinfo=ROME)

# What people say before they come to the point.
_START = (
    r"^(?:per favore|per piacere|okay|ok|va bene|bene|perfetto|si|certo|ciao|ehi|socio|allora|poi|adesso|ora|anche|e|"
    r"grazie|[,.!:;]|\s)*"
)
_ASKING = r"(?:chi|cosa|che cosa|quant[oiea]|quando|dove|quale|quali|qual|perche|se|come (?:si|mai|va|devo))\b"
_MESSAGE = r"(?:mail|email|e-mail|pec|messaggi\w*|whatsapp|sollecit\w+|letter\w|rispost\w)"
_RECORD = (
    r"(?:attivita|task|compit\w|promemoria|appuntament\w|riunion\w|chiamat\w|scadenz\w|not[ae]|appunt\w|contatt\w|"
    rf"client\w|trattativ\w|ricord\w|bozz\w|{_MESSAGE})"
)
_MAKE = (
    r"(?:crea|aggiungi|inserisci|registra|metti|salva|apri|prepara|fai|fam|butta giu|genera|scrivi|abbozza|redigi|"
    r"imposta|componi|carica)"
)
_CHANGE = (
    r"(?:segna|annota|appunta|sposta|rimanda|posticipa|anticipa|rinvia|completa|chiudi|spunta|cancella|elimina|rimuovi|"
    r"manda|invia|inoltra|spedisci|sollecita|memorizza|dimentica|scorda|fissa|programma|avvisa|rinomina|togli|leva|"
    r"aggiorna|modifica|archivia|chiama|telefona|richiama|contatta|incontra|rispondi|annulla|ringrazia|proponi|conferma|"
    r"pianifica|prenota|paga|compra|verifica|controlla di|scarta|butta|informa|comunica|invita|sentiti|dai per)"
)
# What hangs on them: «creami», «segnalo», «scrivigli».
_CLITIC = r"(?:mi|ti|ci|lo|la|li|le|gli|ne|melo|mela|gliel[oaei])?"
_INFINITIVE = (
    r"(?:crea|aggiunge|inseri|registra|mette|salva|apri|prepara|fa|scrive|abbozza|segna|annota|sposta|rimanda|"
    r"posticipa|anticipa|rinvia|completa|chiude|cancella|elimina|rimuove|manda|invia|inoltra|spedi|sollecita|memorizza|"
    r"dimentica|fissa|programma|aggiorna|modifica|archivia|risponde|ricorda|chiama|richiama|telefona|senti|paga)"
    r"r[el]?\w{0,4}\b"
)
# What people do, said as a title: «chiamare il notaio», «riunione con Bianchi».
_DOING = (
    r"(?:(?!cercare|trovare|vedere|mostrare|sapere|riassumere|elencare|capire|contare)\w{3,}(?:are|ere|ire)|riunione|"
    r"appuntamento|chiamata|call|telefonata|videocall|pranzo|cena|sopralluogo|consegna|visita|incontro|colloquio|meeting|"
    r"scadenza)"
)
# What was done: it stays done.
_DONE = (
    r"(?:fatt[oaie]|completat[oaie]|chius[oaie]|(?:ho|abbiamo) (?:appena |gia )?(?:fatto|finito|completato|chiuso|"
    r"chiamato|richiamato|sentito|mandato|inviato|spedito|pagato|consegnato|vinto|perso|incassato|concluso|sistemato))"
)
_FACT = (
    r"(?:sappi|tieni presente|tieni conto|non dimenticare|non scordare|considera|da ora in poi|d ora in poi|"
    r"(?:il|la) mi[oa] \w+ (?:e|sono)|preferisco|di solito|lavoro|non lavoro)"
)
_DATE = (
    r"(?:oggi|domani|dopodomani|stasera|stamattina|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|il \d{1,2}|"
    r"alle \d|[tf]ra \w+ (?:giorn|or|settiman|minut|mes)\w+)"
)

# What the others are asked about.
_IDEAS = (
    r"(?:idee|slogan|claim|payoff|variant\w|alternativ\w|brainstorm\w*|titol\w|nomi? per|campagn\w|post|volantin\w|"
    r"newsletter|didascali\w|storytelling)"
)
_WORDS = (
    r"(?:inventa|riscriv\w+|riformul\w+|parafras\w+|accattivant\w|original\w|creativ\w+|testo per|ispirazion\w|"
    r"descrizione per|come (?:posso )?(?:presentar|raccontar|dir)\w*|suggeriscimi un nom\w)"
)
_CARE = (
    r"(?:gdpr|privacy|consens\w+|legal\w*|legge|leggi|normativ\w+|lecit\w+|illegal\w*|etic[oai]|dati personali|"
    r"sensibil\w+|oblio|informativ[ae]|spam|discrimin\w+|offensiv\w|scorrett\w|cookie|garante|disiscri\w+|"
    r"minorenn\w|tono|tropp\w+ (?:aggressiv|brusc|dur|formal|insistent|confidenzial)\w)"
)
_FIRST = (
    r"(?:priorit\w+|strateg\w+|convien\w+|dovrei|concentrar\w+|importan\w+|urgent\w*|opportunit\w+|obiettiv\w+|"
    r"consigli\w*|organizz\w+|pianific\w+|investir\w*|crescer\w*|aumentar\w*|migliorar\w*|prossim[oi] pass\w|"
    r"vale la pena|meglio|classific\w+|scegli\w*|in ordine|ordina\w* per|da richiamare)"
)
_WANTED = (
    r"(?:mi |ci )?(?:puoi|potresti|riesci a|vorrei|voglio|vorresti|devi|dovresti|mi serve|bisogna)"
    r"(?: che tu| anche| mi| per favore)*"
)
# Who says these beside a date asks for what is there.
_THERE = r"(?:che|ho|abbiamo|scad\w+|c e|ci sono|agenda|impegni|attivita|fatture)"

# Asked, however much it sounds like an order.
_ASKED: tuple[tuple[str, str], ...] = (
    ("etico", r"\bposso (?:mandar|scriver|inviar|contattar|usar|conservar|tener|condivider|registrar|pubblicar)\w+"),
    # Asking what one was told is no wish to have it kept.
    ("logico", rf"{_START}(?:mi )?ricord\w* {_ASKING}"),
    ("logico", rf"{_START}(?:ti )?ricordi\b"),
)
# In this order; the first pattern that fits decides.
_RULES: tuple[tuple[str, str], ...] = (
    ("creativo", rf"\b{_IDEAS}\b(?!.*\b(?:attivita|nota|promemoria)\b)"),
    ("esecutore", rf"{_START}{_MAKE}{_CLITIC} (?:\w+ ){{0,3}}{_RECORD}\b"),
    ("esecutore", rf"{_START}scrivi(?:gli|le|{_CLITIC} (?:a|al|alla|ai|allo))\b"),
    ("esecutore", rf"{_START}{_CHANGE}{_CLITIC}\b(?! {_ASKING})"),
    ("esecutore", rf"{_START}(?:mi )?ricord(?:a|ami|ati|alo|iamoci)\b"),
    ("esecutore", rf"{_START}(?:prendi nota|tieni a mente|nota che|fallo|procedi|esegui|confermo|vai|approvo)\b"),
    ("esecutore", rf"{_START}(?:passa|porta|muovi|avanza) .*\b(?:a|in|alla|al|come)\b"),
    ("esecutore", rf"{_START}{_WANTED} {_INFINITIVE}"),
    # A yes to what was offered.
    ("esecutore", r"^(?:si|ok|okay|va bene|certo|esatto|perfetto|d accordo|volentieri|certamente)\W*$"),
    (
        "esecutore",
        rf"{_START}mi (?:crei|aggiungi|segni|prepari|scrivi|fissi|sposti|mandi|ricordi di|cancelli|elimini|annoti)\b",
    ),
    ("esecutore", rf"{_START}(?:nuov[ao]|promemoria|bozza|nota|appunto)\b(?!.*\?)"),
    ("esecutore", rf"{_START}(?:devo|dobbiamo|c e da|ho da) {_INFINITIVE}(?!.*\?)"),
    ("esecutore", rf"{_START}(?:{_DOING}|{_DONE}|{_FACT})\b (?!.*\?)"),
    ("esecutore", rf"{_START}(?:una?|due righe|il|la)? ?{_MESSAGE} (?:\w+ ){{0,3}}(?:a|al|alla|ai|per)\b(?!.*\?)"),
    ("esecutore", r"\b(?:e|sono) (?:stat[oaie] )?(?:fatt|completat|chius|vint|pers|conclus|conferm|sald)\w+(?!.*\?)$"),
    ("esecutore", r"\bha (?:accettato|firmato|rifiutato|confermato|approvato)\b(?!.*\?)"),
    ("etico", rf"\b{_CARE}\b"),
    ("etico", r"\b(?:e|sarebbe) (?:giusto|corretto|opportuno|un rischio|rischioso)\b"),
    ("creativo", rf"\b{_WORDS}\b"),
    ("creativo", rf"{_START}(?:scrivi|componi|proponi)\w{{0,2}}\b"),
    ("strategico", rf"\b{_FIRST}\b"),
    ("strategico", r"\bda (?:dove|chi|cosa|che cosa) (?:comincio|inizio|parto)\b"),
    ("strategico", r"\b(?:cosa|che cosa|che) (?:devo fare|faccio|c e da fare)\b"),
    ("strategico", r"\bchi (?:devo|posso|e da|sarebbe da) (?:ri)?(?:chiamar|sentir|contattar|cercar)\w*"),
    # «Domani alle 15 sopralluogo da Bianchi»: said, not asked.
    ("esecutore", rf"{_START}{_DATE}\b(?!.*(?:\?|\b{_ASKING}|\b{_THERE}\b)).*\s\w+\s\w+"),
)


def choose(question: str) -> str:
    """The id of the agent for a question; the Logico, who looks things up, for all that no rule names."""
    words = _plain(question)
    if asked := _first(_ASKED, words):
        return asked
    # The day changes what a sentence says, not whether it orders.
    if match.understand(question[:CHARACTERS], ANY_DAY).writes:
        return "esecutore"
    return _first(_RULES, words) or "logico"


def _first(rules: tuple[tuple[str, str], ...], words: str) -> str | None:
    """Whom the first rule names that fits; `re` keeps what it has compiled."""
    return next((agent for agent, pattern in rules if re.search(pattern, words)), None)


def _plain(question: str) -> str:
    """Small letters without accents and apostrophes, on one line: «un attivita»."""
    return " ".join(names.fold(question[:CHARACTERS]).replace("'", " ").split())
