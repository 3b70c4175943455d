"""Greetings, help, who is speaking, and what was not understood."""

from __future__ import annotations

from functions._shared.assistant.local import names, table, understanding
from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.plans import papers, people
from functions._shared.assistant.local.steps import Answer, Call, Plan, Result, Row, Scene, answer, suggest
from functions._shared.assistant.local.words import Sentence, sentence_of
from functions._shared.names import fold

# What can be done instead, by the words that were used; the first three that fit, then the first of all.
_INSTEAD = (
    ("FATTURA", "quali fatture sono scadute?"), ("MONEY", "quanto devo incassare?"), ("DEALS", "trattative aperte"),
    ("TASKS", "cosa devo fare oggi?"), ("CONTACTS", "chi devo richiamare?"), ("DOC", "cerca nei documenti «contratto»"),
    ("PROJECTS", "quali progetti ho?"), ("AI_CREDITS_SURE", "quanti crediti ho?"),
    ("MEMORY", "cosa ricordi di me?"), ("TO_DO", "cosa devo fare questa settimana?"),
    ("SUMMARY", "chi devo richiamare?"),
)  # fmt: skip
# How a reading is asked for in words that the rules understand.
_READINGS = {
    "today": "cosa devo fare oggi?", "tasks when:domani": "impegni di domani",
    "tasks when:scaduti": "attività in ritardo", "tasks when:settimana": "impegni della settimana",
    "tasks when:tutti": "tutte le attività",
    "tasks when:senza_data": "attività senza data", "to_call": "chi devo richiamare?", "projects": "quali progetti ho?",
    "deals state:aperte": "trattative aperte", "deals state:ferme": "trattative ferme",
    "deals state:vinte": "trattative vinte", "deals state:perse": "trattative perse",
    "deals_total": "quanto ho in trattativa?", "credits": "quanti crediti ho?", "list_memories": "cosa ricordi di me?",
    "invoices state:da_pagare direction:attiva": "quanto devo incassare?",
    "invoices state:da_pagare direction:passiva": "fatture da pagare",
    "invoices state:scadute": "quali fatture sono scadute?",
    "invoices state:scadute direction:attiva": "quali fatture sono scadute?",
    "invoices state:tutte direction:attiva": "quanto ho fatturato quest’anno?",
    "invoices state:pagate direction:attiva": "quanto ho incassato quest’anno?", "help": "cosa sai fare?",
    "recent_documents": "ultimi documenti",
    "search_documents": "cerca nei documenti «contratto»", "ask_documents": "cosa dice il contratto?",
    "who": "chi sei?",
}  # fmt: skip
_ALWAYS = ("cosa devo fare oggi?", "quali fatture sono scadute?", "chi devo richiamare?")

_HELP = """Ecco che cosa posso fare, con i tuoi dati e senza costi:

- **Giornata**: «cosa devo fare oggi?», «impegni di domani», «attività in ritardo»
- **Persone**: «riassumi Rossi», «telefono di Bianchi», «chi devo richiamare?»
- **Soldi**: «quali fatture sono scadute?», «quanto devo incassare?», «quanto ho in trattativa?»
- **Documenti**: «ultimi documenti», «cerca nei documenti penale», «cosa dice il contratto sul recesso?»
- **Azioni**, sempre da approvare: «domani alle 15 chiama Rossi», «sposta la riunione a venerdì», «nota su Rossi: …»,
  «nuova trattativa con Rossi da 3.000 euro», «segna pagata la fattura 12»
- **Bozze**: «scrivi un sollecito a Rossi», «manda un whatsapp a Bianchi: …»
- **Messaggi**: «ho posta da gestire?», «cerca su WhatsApp il preventivo»
- **Agenti**: «cosa devo approvare?», «attiva il recupero crediti», «prepara il pacchetto per il commercialista»
- **Memoria**: «ricorda che Rossi paga a 60 giorni», «cosa ricordi di me?»
- **Crediti**: «quanti crediti ho?»"""


def help_(_scene: Scene) -> Plan:
    """What can be asked."""
    yield from ()
    return Answer(_HELP, suggest(*_ALWAYS), (_HELP,))


def thanks(_scene: Scene) -> Plan:
    """A thank-you."""
    yield from ()
    return Answer("Di niente. Quando vuoi, sono qui.")


def greeting(scene: Scene) -> Plan:
    """A hello."""
    yield from ()
    hour = scene.now.hour
    hello = "Buongiorno" if hour < 13 else "Buon pomeriggio" if hour < 18 else "Buonasera"
    return Answer(f"{hello}! Da dove cominciamo?", suggest(*_ALWAYS))


def goodbye(_scene: Scene) -> Plan:
    """A farewell."""
    yield from ()
    return Answer("A presto, buon lavoro!")


def who(_scene: Scene) -> Plan:
    """That an AI speaks (AI Act, art. 50), and which."""
    yield from ()
    return Answer(
        "Sono Socio, un sistema di intelligenza artificiale: non una persona. In modalità locale leggo le frasi con "
        "regole scritte e per somiglianza con frasi di esempio, uso solo i tuoi dati, "
        "e ogni riga che cito si apre con un clic. "
        "Posso sbagliare: verifica i dati importanti.",
        suggest("cosa sai fare?"),
    )


_MISSING = {
    "attivita": "Quale attività? Scrivimela con il giorno, per esempio «domani alle 15 chiamare Rossi».",
    "nota": "Su chi, e che cosa? Per esempio «nota su Rossi: preferisce la mattina».",
    "trattativa": "Con chi, e di quanto? Per esempio «nuova trattativa con Rossi da 3.000 euro per il sito».",
    "contatto": "Come si chiama? Per esempio «nuovo contatto Anna Galli, anna@galli.it, 333 1234567».",
}
_CANNOT = {
    "pagata": "Un pagamento in parte lo segni tu, nel [registro delle fatture](/documents/fatture): apri la fattura e "
    "trovi le sue rate. Io segno le fatture pagate per intero.",
    "fattura": (
        "Le fatture non le emetto e non le invio: le leggo quando le carichi nei documenti. "
        "Posso però ricordarti di farla, o scrivere al cliente."
    ),
    "iva": "Quanto devi di IVA, imposte o contributi non lo so calcolare: le fatture da sole non lo dicono. Chiedilo "
    "al tuo commercialista; io posso elencarti le fatture emesse e ricevute di un periodo e, se hai il forfettario, "
    "stimare quanto mettere da parte.",
    "accantonare": "Quanto mettere da parte lo stimo sugli incassi di quest’anno, nel regime forfettario: chiedimi "
    "«quanto devo mettere da parte?». Quanto cambia con un altro incasso lo vedi su [Home](/home#forfettario).",
    "fatto": "Qui elenco solo ciò che è ancora aperto: quello che hai già fatto è in [Attività](/tasks), fra le fatte. "
    "Posso dirti chi hai sentito: «chi ho sentito nell'ultima settimana?».",
    "iban": "I conti bancari non li conosco: nelle schede dei contatti non c’è l’IBAN, e la tua banca non è "
    "collegata. L’IBAN di "
    "un fornitore è sulla sua fattura.",
    "canali": "Da dove partono le email lo scegli in [Canali](/settings/channels): dalla tua casella o, se lo trovi "
    "lì, tramite Socio, senza password. Tramite Socio chi riceve vede il tuo nome e le risposte arrivano a te; per le "
    "campagne serve la tua casella.",
    "importo": "Per importo non so filtrare: posso elencarle tutte, o dirti la più alta e la più bassa.",
    "trattative": "Così le trattative non le so filtrare. Posso dirti quelle aperte, ferme, vinte o perse, di "
    "una fase, di un "
    "contatto, o quelle che si chiudono in un periodo.",
    "ritenute": "Quanto ti hanno trattenuto di ritenuta d’acconto non lo so sommare: fa fede la "
    "certificazione unica di ogni "
    "cliente. Di una fattura vedi la ritenuta aprendola.",
    "preventivo": "Il preventivo non lo compongo: posso però ricordarti di farlo, o scrivere al cliente.",
}


def incomplete(scene: Scene) -> Plan:
    """An order without what it is about."""
    yield from ()
    text = _MISSING[scene.slots["what"]]
    return Answer(text, derived=(text,))


def cannot(scene: Scene) -> Plan:
    """What is done elsewhere, or by the person."""
    yield from ()
    return Answer(_CANNOT[scene.slots["what"]], suggest("fatture da incassare", "fatture da pagare"))


def decide(_scene: Scene) -> Plan:
    """Proposals are decided on their card, where one sees what they do."""
    yield from ()
    return Answer(
        "Decidi dalla scheda della proposta: «Approva», «Rifiuta» o «Annulla». Così vedi prima che cosa succede."
    )


def unknown(scene: Scene) -> Plan:
    """Perhaps memory or an attached document knows; otherwise it is said, with three things that can be done."""
    if scene.attachments:
        return (yield from papers.attached(scene))
    sentence = sentence_of(scene.question)
    if sentence.asks and "recall" in scene.tools:
        result = yield Call("recall", {"question": scene.question[:400]})
        if known := _sure(sentence, result):
            return Answer(f"Mi hai detto: {shown(known['fact'])} [[{known['ref']}]]")
    name = names.capital(sentence)
    if name and "contact_summary" in scene.tools:
        found = yield Call("contact_summary", {"contact": name[:200]})
        if "name" in found:
            return people.told(scene, found, "Non sono sicuro di aver capito la domanda. Ecco che cosa so:")
    near = [text for name, text in _INSTEAD if table.OCCURS[name].search(sentence.line) and "…" not in text]
    likeliest = [_READINGS[each] for each in understanding.nearest(scene.question, scene.now) if each in _READINGS][:2]
    three = list(dict.fromkeys((*likeliest, *near, *_ALWAYS)))[:3]
    lines = "\n".join(f"- «{each}»" for each in three)
    return answer(
        "Non sono sicuro di aver capito. Intendevi una di queste?"
        if likeliest
        else "Questo non l’ho capito: qui rispondo solo sul tuo lavoro, con i tuoi dati. Puoi chiedermi:",
        lines,
        suggestions=suggest(*three),
    )


def _sure(sentence: Sentence, result: Result) -> Row | None:
    """The best of what is remembered, if it shares a word of some length with the question."""
    words = {word.norm[:5] for word in sentence.words if len(word.norm) > 4}
    rows = [row for row in result.get("rows", [])[:1] if words & {each[:5] for each in fold(str(row["fact"])).split()}]
    return rows[0] if rows else None
