"""Classes of questions with a grammar of their own, each in several words, and what only looks like one of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from functions._shared.assistant.local import conversation
from functions._shared.assistant.local.match import Said

NOW = datetime.fromisoformat("2026-11-23T10:00")

READ: list[tuple[str, str, dict[str, Any]]] = [
    ("fino a quando vale il contratto del coworking?", "paper_ends", {"query": "coworking", "kind": "contratto"}),
    ("quando scade il DURC?", "paper_ends", {"kind": "durc"}),
    ("la licenza Pixelsoft è ancora valida?", "paper_ends", {"query": "licenza pixelsoft"}),
    ("entro quando va rinnovata la polizza del furgone?", "paper_ends", {"query": "va rinnovata polizza furgone"}),
    ("quanto dura il contratto con Verdi", "paper_ends", {"query": "verdi", "kind": "contratto"}),
    ("di quanto era l'F24 dell'Iva?", "paper_total", {"query": "iva", "kind": "f24"}),
    ("quanto chiede il preventivo per la segnaletica?", "paper_total", {"query": "segnaletica", "kind": "preventivo"}),
    ("quanto era lo scontrino del toner", "paper_total", {"query": "toner", "kind": "ricevuta"}),
    ("che importo ha il preventivo di Salvia", "paper_total", {"query": "salvia", "kind": "preventivo"}),
    ("quant'è la ricevuta del notaio?", "paper_total", {"query": "notaio", "kind": "ricevuta"}),
    ("che contratti ho con la Cantina?", "find_papers", {"query": "cantina", "kind": "contratto"}),
    ("quali visure ho?", "find_papers", {"query": "", "kind": "visura"}),
    ("elencami i contratti di affitto", "find_papers", {"query": "affitto", "kind": "contratto"}),
    ("quante ricevute ho di Rossi", "find_papers", {"query": "rossi", "kind": "ricevuta"}),
    ("trova il preventivo per Salvia", "find_papers", {"query": "salvia", "kind": "preventivo"}),
    ("in quale fattura c'è il trasporto?", "invoice_lines", {"query": "trasporto"}),
    ("quali fatture ricevute contengono la carta?", "invoice_lines", {"query": "carta", "direction": "passiva"}),
    ("fattura con il calendario di famiglia: qual è?", "invoice_lines", {"query": "calendario di famiglia"}),
    ("cosa c'era nella fattura 12/2026?", "invoice_lines", {"number": "12/2026"}),
    ("in che fatture ho messo il montaggio?", "invoice_lines", {"query": "montaggio"}),
    ("a chi ho fatturato il trasporto?", "sold_to", {"query": "trasporto", "direction": "attiva"}),
    ("a quali clienti ho venduto il logo?", "sold_to", {"query": "logo", "direction": "attiva"}),
    ("chi mi ha fatturato il trasporto?", "sold_to", {"query": "trasporto", "direction": "passiva"}),
    ("da chi ho comprato la carta?", "sold_to", {"query": "carta", "direction": "passiva"}),
    ("a chi abbiamo già fatturato i volantini", "sold_to", {"query": "volantini", "direction": "attiva"}),
    ("quanto devo mettere da parte?", "set_aside", {}),
    ("quanto metto da parte per le tasse", "set_aside", {}),
    ("Quanto devo accantonare per INPS e imposte?", "set_aside", {}),
    ("quanti soldi devo tenere da parte quest'anno", "set_aside", {}),
    ("quanto manca alla soglia del forfettario?", "set_aside", {}),
    ("da dove partono le mie email?", "cannot", {"what": "canali"}),
    ("Posso scrivere ai clienti senza collegare la casella?", "cannot", {"what": "canali"}),
    ("come collego la mia casella di posta?", "cannot", {"what": "canali"}),
    ("come posso inviare una mail tramite Socio?", "cannot", {"what": "canali"}),
    ("qual è il mio IBAN?", "own_business", {"field": "iban"}),
    ("Qual'è la mia partita iva", "own_business", {"field": "vat_number"}),
    ("dimmi la mia p.iva", "own_business", {"field": "vat_number"}),
    ("mi puoi dire il mio IBAN?", "own_business", {"field": "iban"}),
    ("la mia PEC", "own_business", {"field": "pec"}),
    ("mi ricordi il nostro codice destinatario?", "own_business", {"field": "sdi_code"}),
    ("qual è il mio codice univoco", "own_business", {"field": "sdi_code"}),
    ("mi serve il mio codice fiscale, per favore", "own_business", {"field": "tax_code"}),
    ("qual è il mio codice ATECO?", "own_business", {"field": "ateco"}),
    ("qual è la mia sede legale", "own_business", {"field": "address"}),
    ("quanto metto da parte di una fattura da 1.000 euro?", "cannot", {"what": "accantonare"}),
    ("quanto devo accantonare per gli incassi di ottobre", "cannot", {"what": "accantonare"}),
    ("chi abita a Forlì?", "contacts_of", {"place": "forli"}),
    ("ho qualcuno a Modena?", "contacts_of", {"place": "modena"}),
    ("quali clienti ho a Bologna", "contacts_of", {"place": "bologna", "tag": "Cliente"}),
    ("che fornitori ci sono in provincia di Ravenna?", "contacts_of", {"place": "ravenna", "tag": "Fornitore"}),
    ("quante aziende ci sono tra i miei contatti?", "contacts_of", {"counts": True, "type": "azienda"}),
    ("con chi non parlo da più di tre mesi?", "contacts_of", {"not_for": 90}),
    ("chi non sento da 2 settimane?", "contacts_of", {"not_for": 14}),
    ("chi ho sentito nell'ultima settimana?", "contacts_of", {"heard_for": 7}),
    ("chi ho visto questo mese?", "contacts_of", {"heard_in": "mese"}),
    ("quali clienti non sento da un anno?", "contacts_of", {"not_for": 365}),
    ("in che città è l'Asilo La Coccinella?", "contact_place", {"contact": "asilo la coccinella"}),
    ("in quale comune ha sede Verdi?", "contact_place", {"contact": "verdi"}),
    ("di dove è Marco Neri?", "contact_place", {"contact": "marco neri"}),
    ("quando ho sentito Anna Bassi l'ultima volta?", "last_heard", {"contact": "anna bassi"}),
    ("quando ho parlato con Luca?", "last_heard", {"contact": "luca"}),
    ("quando ho sentito l'ultima volta Studio Verdi", "last_heard", {"contact": "studio verdi"}),
    ("quanto vale la trattativa con la Cantina?", "one_deal", {"query": "cantina"}),
    ("a che punto è la trattativa del sito?", "one_deal", {"query": "sito"}),
    ("in che fase è la trattativa per la segnaletica?", "one_deal", {"query": "segnaletica"}),
    ("che probabilità ha la trattativa con Rossi?", "one_deal", {"query": "rossi"}),
    ("la trattativa con Rossi quanto vale?", "one_deal", {"query": "rossi"}),
    ("quando va consegnato il progetto della spa?", "one_project", {"query": "spa"}),
    ("qual è la consegna del progetto Sito?", "one_project", {"query": "sito"}),
    ("che budget ha il progetto Mostra?", "one_project", {"query": "mostra"}),
    ("entro quando devo finire il progetto del catalogo?", "one_project", {"query": "catalogo"}),
    ("quanto vale il progetto fiera?", "one_project", {"query": "fiera"}),
    ("progetti in corso", "projects", {"status": "attivo"}),
    ("quali progetti sono in pausa?", "projects", {"status": "in_pausa"}),
    ("quanti progetti chiusi ho?", "projects", {"status": "chiuso"}),
    ("su quali progetti sto lavorando?", "projects", {"status": "attivo"}),
    ("elencami i progetti finiti", "projects", {"status": "chiuso"}),
    ("quale fattura non ha una scadenza?", "undated_invoices", {}),
    ("quali fatture emesse sono senza scadenza", "undated_invoices", {"direction": "attiva"}),
    ("fatture ricevute senza data di scadenza", "undated_invoices", {"direction": "passiva"}),
    ("ci sono fatture che non hanno scadenza?", "undated_invoices", {}),
    ("le fatture prive di scadenza", "undated_invoices", {}),
    ("da quanti giorni è scaduta la fattura di Dall'Olio?", "days_late", {"contact": "dall'olio"}),
    ("da quanto è in ritardo la fattura di Rossi?", "days_late", {"contact": "rossi"}),
    ("quanti giorni di ritardo ha Bianchi?", "days_late", {"contact": "bianchi"}),
    ("quanti giorni di ritardo ha la fattura di Verdi?", "days_late", {"contact": "verdi"}),
    ("la fattura di Neri da quanti giorni è scaduta?", "days_late", {"contact": "neri"}),
    ("Verdi quando ha pagato il packaging?", "when_paid", {"contact": "verdi", "thing": "packaging"}),
    ("quando mi ha pagato Verdi il packaging?", "when_paid", {"contact": "Verdi", "thing": "packaging"}),
    ("la sezione spa è stata pagata?", "thing_paid", {"thing": "sezione spa"}),
    ("che lavoro fa Roberto Golinelli?", "contact_field", {"contact": "roberto golinelli", "field": "ruolo"}),
    ("chi ho sentito per ultimo?", "contacts_of", {"latest": True}),
    ("perché abbiamo perso l'app della farmacia?", "one_deal", {"query": "app della farmacia"}),
    ("scadenza polizza", "paper_ends", {"query": "polizza"}),
    ("quanto spendo di telefono?", "spent_on", {"thing": "telefono"}),
    ("quando ha pagato il Teatro?", "when_paid", {"contact": "Teatro"}),
    ("quando mi ha pagato Bianchi l'ultima fattura?", "when_paid", {"contact": "Bianchi", "last": True}),
    ("il Teatro quando ha pagato?", "when_paid", {"contact": "teatro"}),
    ("quando è stata pagata la fattura di Luce?", "when_paid", {"contact": "Luce"}),
    ("quanta iva ho pagato ai fornitori quest'anno?", "vat", {"direction": "passiva", "from": "2026-01-01"}),
    ("quanta IVA c'è nelle fatture emesse a ottobre?", "vat", {"direction": "attiva", "from": "2026-10-01"}),
    ("iva a credito del 2025", "vat", {"direction": "passiva", "to": "2025-12-31"}),
    ("quanta iva ho fatturato?", "vat", {"direction": "attiva"}),
    ("totale iva sugli acquisti", "vat", {"direction": "passiva"}),
    ("qual è la fattura più alta che ho fatto?", "top_invoice", {"order": "largest", "direction": "attiva"}),
    ("la fattura ricevuta più cara", "top_invoice", {"order": "largest", "direction": "passiva"}),
    ("qual è la fattura scaduta più vecchia?", "top_invoice", {"order": "oldest", "state": "scadute"}),
    ("qual è l'ultima fattura che ho emesso a Rossi?", "top_invoice", {"order": "newest", "contact": "Rossi"}),
    ("qual è la fattura più piccola del 2025?", "top_invoice", {"order": "smallest", "from": "2025-01-01"}),
    ("qual è la trattativa più grossa che ho aperta?", "top_deal", {"order": "largest", "state": "aperte"}),
    ("la trattativa persa più importante", "top_deal", {"order": "largest", "state": "perse"}),
    ("qual è l'ultimo pagamento ricevuto?", "top_invoice", {"order": "newest", "state": "pagate", "by": "paid"}),
    ("quando ho fatturato di più?", "months", {"order": "largest", "direction": "attiva"}),
    ("in che mese ho fatturato di meno nel 2026?", "months", {"order": "smallest", "from": "2026-01-01"}),
    ("qual è stato il mio mese migliore?", "months", {"order": "largest"}),
    ("fatturato mese per mese", "months", {"direction": "attiva"}),
    ("com'è l'andamento delle spese?", "months", {"direction": "passiva"}),
    ("ho fatturato più a ottobre o a settembre?", "compare", {"from": "2026-10-01", "other_from": "2026-09-01"}),
    ("quanto ho speso di telefono quest'anno?", "spent_on", {"thing": "telefono", "from": "2026-01-01"}),
    ("quanto ho speso in trasporti?", "spent_on", {"thing": "trasporti"}),
    ("quanto abbiamo pagato per la benzina a ottobre?", "spent_on", {"thing": "benzina", "from": "2026-10-01"}),
    ("quanto ho speso in tutto di luce?", "spent_on", {"thing": "luce"}),
    ("quanto ho già speso per gli ombrelli?", "spent_on", {"thing": "ombrelli"}),
    ("attività ad alta priorità", "tasks", {"priority": 3}),
    ("quali sono le cose più urgenti", "tasks", {"priority": 3}),
    ("cosa devo fare per il progetto della spa?", "projects", {"project": "spa"}),
    ("cosa manca al progetto Sito?", "projects", {"project": "sito"}),
    ("cosa ho fatto la settimana scorsa?", "cannot", {"what": "fatto"}),
    ("chi lavora da Officine Romagnole?", "contacts_of", {"company": "officine romagnole"}),
    ("quali trattative si chiudono a dicembre?", "deals_closing", {"from": "2026-12-01", "to": "2026-12-31"}),
    ("quanto è probabile che chiuda la trattativa della cantina?", "one_deal", {"query": "cantina"}),
    ("ho posta da gestire?", "mail_waiting", {}),
    ("quali mail aspettano risposta?", "mail_waiting", {}),
    ("ci sono nuove e-mail?", "mail_waiting", {}),
    ("a chi devo rispondere?", "mail_waiting", {}),
    ("mostrami le email a cui devo rispondere", "mail_waiting", {}),
    ("mostrami le ultime mail di Rossi", "mail_waiting", {"contact": "rossi"}),
    ("le mail con lo Studio Verdi", "mail_waiting", {"contact": "lo studio verdi"}),
    ("cerca nella posta il preventivo della cucina", "search_mails", {"query": "preventivo della cucina"}),
    ("trova la mail che parla di planimetrie", "search_mails", {"query": "planimetrie"}),
    ("in quale e-mail si parla del cantiere?", "search_mails", {"query": "cantiere"}),
    ("cerca «acconto» nelle mail", "search_mails", {"query": "acconto"}),
    ("cerca su WhatsApp il preventivo", "search_whatsapp", {"query": "preventivo"}),
    ("trova il messaggio WhatsApp che parla di planimetrie", "search_whatsapp", {"query": "planimetrie"}),
    ("in quale messaggio WhatsApp si parla del cantiere?", "search_whatsapp", {"query": "cantiere"}),
    ("cerca «acconto» nei messaggi WhatsApp", "search_whatsapp", {"query": "acconto"}),
    ("che cosa fanno gli agenti?", "agents", {"agent": None, "waits": None, "stops": None}),
    ("a che punto sono i miei obiettivi?", "agents", {"agent": None}),
    ("a che punto è il recupero crediti?", "agents", {"agent": "recupero_crediti"}),
    ("cosa devo approvare?", "agents", {"waits": True}),
    ("ci sono proposte da approvare?", "agents", {"waits": True}),
    ("ferma tutti gli agenti", "agents", {"stops": True}),
    ("metti in pausa la pulizia dei contatti", "agents", {"stops": True, "agent": "pulizia_contatti"}),
    ("attiva il recupero crediti", "start_agent", {"agent": "recupero_crediti"}),
    ("crea un obiettivo", "start_agent", {"agent": None}),
    ("crea un obiettivo: recupera le fatture scadute", "start_agent", {"agent": "recupero_crediti"}),
    ("nuovo obiettivo: seguire i preventivi", "start_agent", {"agent": "segui_preventivi"}),
    ("crea un obiettivo per farmi pagare", "start_agent", {"agent": "recupero_crediti"}),
    ("seguimi i preventivi", "start_agent", {"agent": "segui_preventivi"}),
    ("pensa tu ai solleciti", "start_agent", {"agent": "recupero_crediti"}),
    ("fammi pagare le fatture scadute", "start_agent", {"agent": "recupero_crediti"}),
    ("prepara il pacchetto per il commercialista", "month_packet", {"month": None, "too_long": None}),
    ("preparami il pacchetto di ottobre per il commercialista", "month_packet", {"month": "2026-10"}),
    ("manda le fatture di settembre al commercialista", "month_packet", {"month": "2026-09"}),
    ("cosa manca per chiudere il mese scorso?", "month_packet", {"month": "2026-10"}),
    ("prepara il pacchetto del terzo trimestre", "month_packet", {"too_long": True}),
    ("che tempo fa domani?", "unknown", {}),
    ("Bianchi ha pagato ieri la fattura 39/2026", "mark_invoice_paid", {"number": "39/2026", "paid_on": "2026-11-22"}),
]
UNDONE = [
    "annulla quello che hai appena fatto",
    "annulla l'ultima azione",
    "no aspetta, annulla l'ultima cosa per favore",
    "ho sbagliato, torna indietro",
    "rimettila com'era",
    "puoi annullare la modifica che hai fatto?",
    "elimina quello che hai creato",
]
NOT_UNDONE = [
    "annulla",
    "annulla l'appuntamento con Rossi",
    "elimina l'ultima attività",
    "cancella l'ultima fattura",
    "torna indietro il pacco di Rossi?",
    "cosa hai fatto?",
]
NOT_READ = [
    ("nel contratto della cucina quanto dura la garanzia?", "paper_ends"),
    ("quanto preavviso serve per la disdetta del contratto?", "paper_total"),
    ("quali preventivi ho in giro?", "find_papers"),
    ("crea un preventivo per Rossi", "find_papers"),
    ("a chi ho fatturato di meno nel 2025?", "sold_to"),
    ("a chi ho fatturato nel 2025?", "sold_to"),
    ("clienti da ricontattare", "contacts_of"),
    ("chi è da un po' che non sento?", "contacts_of"),
    ("dammi i contatti di Neri", "contacts_of"),
    ("quanta iva devo versare per il trimestre?", "vat"),
    ("qual è il cliente con la fattura più alta?", "top_invoice"),
    ("quanto ho pagato di iva?", "spent_on"),
    ("quanto ho speso a ottobre?", "spent_on"),
    ("in che mese mi pagano di più?", "months"),
    ("qual è la mail di Rossi?", "mail_waiting"),
    ("dammi la mail di Rossi", "search_mails"),
    ("scrivi una mail a Rossi", "mail_waiting"),
    ("ho scritto a Rossi su WhatsApp", "search_whatsapp"),
    ("rispondi alla mail di Rossi", "mail_waiting"),
    ("le mail da mandare", "mail_waiting"),
    ("Bianchi ha pagato ieri la fattura 39/2026?", "mark_invoice_paid"),
    ("Bianchi quando ha pagato la fattura 39/2026?", "when_paid"),
    ("qual è il mio obiettivo?", "agents"),
    ("quali preventivi devo approvare?", "agents"),
    ("crea attività: obiettivo vendite", "start_agent"),
    ("fammi pagare il meno possibile di tasse", "start_agent"),
    ("seguimi domani alla riunione", "start_agent"),
    ("scrivi al commercialista che le fatture sono pronte", "month_packet"),
    ("attività: mandare le fatture al commercialista venerdì", "month_packet"),
    ("cosa manca per chiudere la trattativa con Rossi?", "month_packet"),
    ("voglio il pacchetto di crediti", "month_packet"),
    ("prepara il pacchetto per Rossi", "month_packet"),
    ("manda i documenti al commercialista di Rossi", "month_packet"),
]
TONES = [
    ("più gentile", "gentile"),
    ("un po' più cordiale, per favore", "gentile"),
    ("falla più breve per favore", "breve"),
    ("accorciala", "breve"),
    ("più decisa", "diretta"),
    ("scrivila più formale", "lei"),
    ("dandogli del tu", "tu"),
    ("dalle del tu", "tu"),
]


def read(*questions: str) -> Said:
    return conversation.read([conversation.Asked(each) for each in questions], NOW)


@pytest.mark.parametrize(("question", "intent", "slots"), READ, ids=[each[0] for each in READ])
def test_a_question_is_read(question: str, intent: str, slots: dict[str, Any]) -> None:
    said = read(question)
    assert (said.intent, {name: said.slots.get(name) for name in slots}) == (intent, slots)


@pytest.mark.parametrize(("question", "intent"), NOT_READ, ids=[each[0] for each in NOT_READ])
def test_what_only_looks_like_it_is_not(question: str, intent: str) -> None:
    assert read(question).intent != intent


@pytest.mark.parametrize("words", UNDONE)
def test_the_last_action_is_to_be_taken_back(words: str) -> None:
    assert read("sposta la riunione a venerdì", words).intent == "undo"


@pytest.mark.parametrize("words", NOT_UNDONE)
def test_what_names_a_record_takes_no_action_back(words: str) -> None:
    assert read(words).intent != "undo"


@pytest.mark.parametrize(("change", "tone"), TONES, ids=[each[0] for each in TONES])
def test_a_letter_is_asked_for_in_another_tone(change: str, tone: str) -> None:
    said = read("scrivi un sollecito a Rossi per la fattura 12", change)
    assert (said.intent, said.slots["tone"], said.slots["purpose"]) == ("draft_email", tone, "sollecito")
    assert said.slots["asked"] == "scrivi un sollecito a Rossi per la fattura 12"
    assert read(change).intent != "draft_email"


TEMPLATES = [
    ("scrivi a Rossi con il modello Sollecito gentile", "rossi", "sollecito gentile"),
    ("scrivi una mail a Studio Verdi usando il modello «Auguri»", "studio verdi", "auguri"),
    ("Manda a Rossi la mail “Auguri”", "rossi", "auguri"),
    (
        "puoi preparare un'email per l'Asilo La Coccinella con il mio modello Benvenuto?",
        "l'asilo la coccinella",
        "benvenuto",
    ),
    ("usa il modello Auguri per scrivere a Marco Neri", "marco neri", "auguri"),
    ("invia il modello «Offerta base» alla Cantina Belvedere", "cantina belvedere", "offerta base"),
    ("scrivi a Rossi una mail con il modello «2° sollecito»", "rossi", "2° sollecito"),
    ("scrivi una mail con il modello Auguri", None, "auguri"),
]
NO_TEMPLATES = [
    "manda a Rossi il modello F24",
    "scrivi a Rossi con il modello F24 in allegato",
    "scrivi a Rossi su WhatsApp con il modello Auguri",
    "scrivi un sollecito a Rossi per la fattura 12",
    "scrivi a Rossi: il modello è pronto",
    "che modello usi?",
]


@pytest.mark.parametrize(("words", "contact", "template"), TEMPLATES, ids=[each[0] for each in TEMPLATES])
def test_a_mail_begins_with_a_template_by_its_name(words: str, contact: str | None, template: str) -> None:
    said = read(words)
    assert (said.intent, said.slots.get("contact"), said.slots["template"]) == ("draft_email", contact, template)


@pytest.mark.parametrize("words", NO_TEMPLATES)
def test_other_letters_and_forms_name_no_template(words: str) -> None:
    assert "template" not in read(words).slots


def test_a_template_is_for_whom_was_spoken_of() -> None:
    said = read("riassumi Rossi", "scrivigli con il modello Auguri")
    assert (said.intent, said.slots["template"], said.slots["contact"].lower()) == ("draft_email", "auguri", "rossi")


def test_another_paper_is_asked_about_in_the_same_way() -> None:
    said = read("quando scade il contratto del coworking?", "e quello con il Miramonti?")
    assert (said.intent, said.slots["query"]) == ("paper_ends", "miramonti")
