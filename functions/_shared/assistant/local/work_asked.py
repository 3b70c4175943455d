"""Questions about one deal or one project, and about projects of a state: «a che punto è la trattativa con Rossi?»."""

from __future__ import annotations

import re
from datetime import date

from functions._shared.assistant.local import names
from functions._shared.assistant.local.match import Said
from functions._shared.assistant.local.words import Sentence, asked_in, plain
from functions._shared.quick_add import rules

_DEAL = r"(?:la |della |con la |l'|dell')?(?:trattativa|opportunita|offerta) "
_ABOUT_DEAL = (
    r"quanto (?:vale|e|chied\w+)|quant'e|che (?:valore|importo|probabilita) ha|di quanto e|a quanto ammonta|"
    r"(?:qual|quale) e (?:l'importo|il valore|la fase|lo stato|la probabilita)|(?:l')?importo|(?:il )?valore|"
    r"a che punto (?:e|sta|siamo)|in (?:che|quale) fase (?:e|sta)|come (?:va|sta andando|procede)|"
    r"quanto e probabile (?:che (?:si )?(?:chiuda|vinca|vada in porto))?|"
    r"quando (?:si chiude|chiudo|dovrebbe chiudersi)|da quanto (?:e ferma|sta ferma|tempo e ferma)"
)
_ONE_DEAL = (
    re.compile(rf"^(?:{_ABOUT_DEAL}) {_DEAL}(?P<query>.+)$"),
    re.compile(rf"^{_DEAL}(?P<query>.+?) (?:{_ABOUT_DEAL})$"),
    re.compile(
        r"^(?:quanto|quando|come|a che|in che|in quale|da quanto|che probabilita)\b.*\b(?:la|della|alla|nella|con la) "
        r"trattativa (?:con|di|del|dello|della|dell'|per|su|sul|sulla) ?(?P<query>.+)$"
    ),
)
_ENDS = r"(?:consegn\w+|finir\w+|finisc\w+|finit\w+|scad\w+|chiud\w+|chius\w+|termin\w+|pront\w+)"
_OF_PROJECT = r"(?:il |del |dello |per il |con il |al )?progetto "
_ONE_PROJECT = (
    re.compile(
        rf"^(?:per|entro|a)? ?(?:quando|che giorno|che data|quale data)\b.*\b{_ENDS}\b.*\bprogetto (?P<query>.+)$"
    ),
    re.compile(
        r"^(?:quando|qual|quale) e (?:prevista )?(?:la |il )?(?:data di )?(?:consegna|scadenza|fine|budget|stato) "
        rf"{_OF_PROJECT}(?P<query>.+)$"
    ),
    re.compile(
        rf"^(?:che budget ha|quanto vale|quanto e il budget|(?:la )?(?:consegna|scadenza)|(?:il )?budget) {_OF_PROJECT}"
        r"(?P<query>.+)$"
    ),
)
_STATUS = (
    (
        "attivo",
        (
            "in corso|(?:che )?(?:sto|stiamo) (?:seguendo|facendo|portando avanti)|su cui (?:sto|stiamo) "
            "lavorando|da seguire|da consegnare|attiv[io]|apert[io]|in lavorazione|in piedi|correnti"
        ),
    ),
    ("in_pausa", r"in pausa|ferm[io]|sospes[io]|in stand ?by"),
    ("chiuso", r"chius[io]|finit[io]|conclus[io]|terminat[io]|completat[io]|consegnat[io]"),
)
_PROJECTS = re.compile(
    r"^(?:quali|quanti|che|elenc\w+|mostra\w*|dammi|fammi vedere|vedi)? ?(?:sono )?(?:ho )?(?:i |dei )?(?:miei )?"
    r"(?:progetti|lavori|commesse|incarichi) (?:ho |sono |che ho |ci sono )?(?P<status>[a-z ]+?)(?: ho| ci sono)?"
    r"(?: adesso| ora| al momento| in questo momento| attualmente| oggi)?$"
)
_WORKS_ON = re.compile(r"^(?:su|a) (?:quali|che) progetti (?:sto|stiamo) lavorando(?: adesso| ora| oggi| al momento)?$")
_ARTICLES = re.compile(
    r"^(?:(?:il|lo|la|i|gli|le|del|dello|della|dei|delle|di|con|per|a|al|alla|da|dal|dalla|su|sul|sulla|che ho)\s+|"
    r"(?:l|dell|all|dall|sull)'\s*)+"
)
_TIME = re.compile(
    r"^(?:oggi|domani|dopodomani|stasera|ieri|quest\w+|prossim\w+|fine|inizio|ora|adesso|primo|lavoro|piacere|"
    r"favore|ora|\d+|"
    + "|".join(
        sorted(
            (word for name in ("month", "wd", "unit", "length") for word in rules.WORDS[name]), key=len, reverse=True
        )
    )
    + r")\b"
)

# The bank account of a contact is no field of theirs.
_BANK = re.compile(
    "^(?:(?:qual|quale|quanto|dammi|mi dai|mi serve|che) (?:e )?)?(?:il |l')?(?:mio |suo )?(?:saldo del "
    r"(?:mio )?conto\b|saldo in banca|"
    r"(?:codice )?iban (?:di|del|della|dello|dell')|numero (?:di|del) conto|coordinate bancarie)"
    r"|^quant[oi] (?:soldi |euro )?(?:ho|abbiamo|c'e|ci sono) (?:in banca|sul conto|in cassa)"
)
_NEXT = re.compile(
    r"^(?:(?:qual|quale|quali|cosa|che|dammi|elenca) (?:e |sono |ho |c'e )?)?(?:la |le |il |i |gli |l')?(?:mi[aeo]i? )?"
    "prossim[aoie] (?:attivita|scadenz[ae]|impegn[oi]|cos[ae] da fare|compit[oi]|promemoria|"
    "appuntament[oi])(?: (?:ho|c'e|da fare))?$"
)
_TASKS_OF = re.compile(
    "^(?:(?:quali|che|quante|elenca|mostra|dammi) )?(?:le |gli |i |mie |miei )*(?:attivita|impegni|cose da "
    "fare|compiti|promemoria|task) "
    "(?:ho |ci sono |aperte |in sospeso )*(?:per|con|su|sul|sulla|del|della|dello|di|sullo) (?:(?:il|la|lo|i|"
    r"gli|le) |l')?(?P<query>(?!(?:lui|lei|loro|dom|lun|mar|mer|gio|ven|sab)\b)[a-z][a-z' ]{2,40})$"
)
# «Per quando devo consegnare i pannelli?»
_WHEN_DUE = re.compile(
    "^(?:entro |per )?(?:quando|che giorno|che data) (?:devo|dobbiamo|dovrei|bisogna|va|vanno|c'e da|ho da|"
    "avevo da|scade|scadono|e|sono)"
    r"(?: (?:a|da|previst\w+|l'attivita|in programma))? (?P<query>(?!(?:pag|incass|vers|sald|sent|richiam|"
    r"chiam)\w*\b)[a-z].{3,60})$"
)
_URGENT_THINGS = re.compile(
    r"^(?:(?:ho|abbiamo|c'e|ci sono|cosa|che cosa|che) )?(?:(?:ho|abbiamo|c'e|ci sono|e|sono) )?"
    r"(?:qualcosa|qualche cosa|qualche attivita|cose|cosa|altro|niente|nulla)?(?: che e)? ?(?:di )?(?:piu )?"
    r"(?:urgent[ei]|prioritari[oa])(?: (?:ho|abbiamo|da fare|in lista))*$"
)
_IN_STAGE = re.compile(
    r"\b(?:in|nella|alla|di|a) fase (?:di |del )?(?P<stage>[a-z]+)\b|\b(?:allo|nello) (?:stadio|stato) (?:di "
    r")?(?P<state>[a-z]+)\b"
    r"|\b(?:sono|ferm[ae]) in (?P<usual>contatto|qualificat\w+|preventivo|negoziazione|trattativa)$"
)
_STAGES = {
    "negoziazione": "trattativa",
    "qualificata": "qualificato",
    "qualificate": "qualificato",
    "qualificazione": "qualificato",
}
_BY_AMOUNT = re.compile(
    r"\b(?:sopra|oltre|piu di|superior[ei] a|maggior[ei] (?:di|a)|almeno|sotto|meno di|inferior[ei] a|"
    "minor[ei] (?:di|a)|sopra|tra|fra)"
    r"(?: i| ai| gli)? \d[\d.,]* ?(?:k\b|mila|euro|€)"
)
_NO_FILTER = re.compile(
    r"\bsenza (?:data|scadenza|una data|importo|contatto)|\b(?:ho|abbiamo) (?:aperto|creato|iniziato|avviato)\b"
    r"|\b(?:nuov[ae]|arrivat[ae]|creat[ae]|entrat[ae]) (?:quest|nel|ieri|oggi|la settimana|il mese)|\bcol budget\b"
)
_DEALS_WITH = re.compile(
    r"\b(?:trattativ[ae]|opportunita|affar[ei])\b.*?\b(?:con (?:il|la|lo|i|gli|le)|con l'|col|del|della|dello|"
    r"dell') ?(?P<who>(?!stato\b|probab|fase\b|import)[a-z][a-z' ]{2,40})$"
)
_LOST = re.compile(
    "^(?:perche|come mai|per (?:quale|che) motivo|(?:quando|a che prezzo)) (?:e che )?(?:abbiamo|ho|e "
    "stat[oa]|e andat[oa]|si e|"
    r"e|era) (?:pers[oae]|vint[oae]|sfumat[oa]|saltat[oa]|andat[oa] male)(?: con)? (?P<query>.+)$"
    "|^(?:perche|come mai) (?P<what>.+?) (?:e stat[oa] |e andat[oa] |e |si e )(?:pers[oa]|sfumat[oa]|"
    "saltat[oa]|andat[oa] male)$"
)
_PROGRESS = re.compile(
    r"^(?:a che punto (?:e|sono|siamo|sta|stiamo|si e)(?: arrivat\w)?(?: con)?|"
    "come (?:va|vanno|procede|procedono|sta andando|stanno andando|sta procedendo)(?: con)?|che (?:novita|"
    "fine) (?:ci sono |ha fatto )?"
    r"(?:su|sul|sulla|con|per)?) (?P<query>.+)$"
)
_NO_PROGRESS = re.compile(
    r"\b(?:fattur\w+|incass\w+|vendit\w+|entrat\w+|spes\w+|mese|anno|trimestre|settimana|lavor\w+|affari|oggi|"
    "conti|tutto|cose|soldi|"
    r"credit\w+|pagament\w+)\b"
)
_WORK_FOR = re.compile(
    "^(?:che cosa|cosa|che|quali (?:attivita|cose)|quanto) (?:mi |ci )?(?:devo|dobbiamo|c'e da|ho da|abbiamo "
    "da|resta da|rimane da|"
    "manca da|manca|resta)(?: ancora)? ?(?:fare|preparare|sistemare|finire)?(?: ancora)? (?:per|con|su|sul|"
    "sulla|a) (?P<query>.+)$"
)
_NOT_WORK = re.compile(
    r"^quant[aei] (?:\w+ )?(?:e-?mail|mail|messagg\w+|chiamat[ae]|telefonate|whatsapp|visite|follower|like|"
    "iscritti|ore|km|chilometri)"
    r" (?:ho|ha|abbiamo|hanno|mi|fa)\b"
    "|^quanto (?:guadagna|prende|percepisce) (?!ch)|^(?:attivita|cose da fare|compiti|impegni) senza (?!data|"
    "scadenza|giorno)"
    r"|^(?:che|quale) (?:tempo (?:fa|fara|c'e)|ore (?:sono|e))\b|^(?:piove|nevica|fa (?:freddo|caldo))\b"
)
_DONE = re.compile(
    r"^(?:che |che cosa |cosa |quali (?:attivita|cose) )(?:cosa )?(?:ho|abbiamo) (?:gia )?"
    r"(?:fatto|completato|finito|concluso)"
    r"(?: (?:ieri|oggi|lunedi|la|l'|il|questa|questo|quest'|nell|nel|in|finora|di recente|ultimamente).*)?$"
)
_URGENT = re.compile(
    r"^(?:quali sono |che |quali |elenc\w+ |mostra\w* |dammi )?(?:le |delle |gli |i )?(?:mie |miei )?"
    r"(?:attivita|cose(?: da fare)?|impegni|compiti|task)(?: ho| sono)? (?:ad? |con |in )?"
    r"(?:alta priorita|priorita alta|massima priorita|priorita massima|(?:piu )?urgenti|prioritari[ae]|"
    r"(?:piu )?importanti)(?: ho)?$"
)
_OF_ONE_PROJECT = re.compile(
    r"^(?:che cosa|cosa|che|quali (?:attivita|cose|lavori)|quanto|quante (?:attivita|cose)) "
    r"(?:devo|dobbiamo|ho|c'e|ci sono|mi|ci|manca|mancano|resta|restano|rimane|sono)\b.*"
    r"\b(?:per|del|nel|sul|al) (?:il )?progetto (?P<project>.+)$"
)


def read(sentence: Sentence, _before: Said | None) -> Said | None:
    """Return what is asked of a deal or of projects; None for any other sentence."""
    text = asked_in(sentence).removeprefix("e ")
    if _NOT_WORK.match(text):
        return Said("unknown", {"question": sentence.text})
    if _BANK.search(text):
        return Said("cannot", {"what": "iban"})
    if _DONE.match(text):
        return Said("cannot", {"what": "fatto"})
    if _URGENT.match(text):
        return Said("tasks", {"when": "tutti", "priority": 3})
    if found := _OF_ONE_PROJECT.match(text):
        return Said("projects", {"project": _ARTICLES.sub("", found["project"])})
    if _WORKS_ON.match(text):
        return Said("projects", {"status": "attivo"})
    if found := _PROJECTS.match(text):
        status = next((status for status, words in _STATUS if re.fullmatch(words, found["status"])), None)
        return Said("projects", {"status": status}) if status else None
    for intent, forms in (("one_deal", _ONE_DEAL), ("one_project", _ONE_PROJECT)):
        if query := next((_ARTICLES.sub("", found["query"]) for form in forms if (found := form.match(text))), ""):
            return Said(intent, {"query": query})
    return _lost(text)


def closer(sentence: Sentence, today: date) -> Said | None:
    """Return which tasks or piece of work are asked about, where no rule knows the sentence for sure."""
    text = asked_in(sentence).removeprefix("e ")
    if _NEXT.match(text):
        return Said("tasks", {"when": "tutti", "from": today.isoformat()})
    of_thing = _TASKS_OF.match(text) or _WHEN_DUE.match(text)
    if of_thing and not _TIME.search(of_thing["query"]) and not names.find(plain(sentence)):
        return Said("work_for", {"query": of_thing["query"]})
    if _URGENT_THINGS.match(text):
        return Said("tasks", {"when": "tutti", "priority": 3})
    return _of_work(text, sentence)


def narrowed(sentence: Sentence, said: Said) -> Said | None:
    """Return deals of a stage or of somebody in small letters; or that a list cannot be narrowed as it is asked."""
    if said.intent not in ("invoices", "deals", "deals_total"):
        return None
    text = asked_in(sentence)
    if _BY_AMOUNT.search(text):
        return Said("cannot", {"what": "importo"})
    if said.intent == "invoices":
        return None
    if _NO_FILTER.search(text):
        return Said("cannot", {"what": "trattative"})
    found = _IN_STAGE.search(text)
    stage = next(filter(None, found.groups()), "") if found else ""
    if stage and said.slots.get("state", "aperte") == "aperte":
        return Said("deals", {"state": "aperte", **said.slots, "stage": _STAGES.get(stage, stage)})
    found = _DEALS_WITH.search(text)
    if found is None or "contact" in said.slots or _TIME.search(found["who"]) or _NO_PROGRESS.search(found["who"]):
        return None
    return Said("one_deal", {"query": found["who"]})


def _lost(text: str) -> Said | None:
    """Read why a deal was lost."""
    if found := _LOST.match(text):
        query = re.sub(r"^(?:l'affare|(?:la )?trattativa|(?:il )?cliente)(?: (?:di|del|della|con|per))? ", "",
                       found["query"] or found["what"])  # fmt: skip
        return Said("one_deal", {"query": _ARTICLES.sub("", query)})
    return None


def _of_work(text: str, sentence: Sentence) -> Said | None:
    """Read how far a thing is, or what is to be done for it; of contacts the table of intents knows more."""
    found = _PROGRESS.match(text)
    if found and re.search(r"^a che punto (?:sono|siamo|stiamo)(?: \w+)? con ", text):
        return Said("contact_summary", {"contact": _ARTICLES.sub("", found["query"])})
    if found and not _NO_PROGRESS.search(found["query"]):
        query = _ARTICLES.sub("", re.sub(r"^(?:il |la |lo |l')?(?:lavor[oi]|progetto|trattativa) ", "", found["query"]))
        return Said("progress", {"query": query})
    found = _WORK_FOR.match(text)
    query = _ARTICLES.sub("", found["query"]) if found else ""
    # «Per domani», «per Rossi»
    is_thing = query and not _TIME.search(query) and not names.capital(plain(sentence)).casefold().startswith(query)
    return Said("work_for", {"query": query}) if is_thing else None
