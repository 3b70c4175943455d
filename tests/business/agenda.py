"""What the owner of the made-up business does: deals, projects, tasks, and whom she heard from when."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Deal:
    """A deal in a stage; `since` is how many days ago it got there, `closes` in how many days it should close."""

    title: str
    contact: str
    cents: int
    stage: str
    since: int
    closes: int | None = None
    reason: str | None = None


# In percent; the product makes these stages for everybody.
PROBABILITIES = {"Contatto": 10, "Qualificato": 25, "Preventivo": 50, "Trattativa": 75, "Vinta": 100, "Persa": 0}
DEALS = (
    Deal("Segnaletica hotel", "hotel", 245_000, "Preventivo", 9, 21),
    Deal("Etichette tisane", "salvia", 77_000, "Preventivo", 15, 15),
    Deal("Logo e biglietti Grandi", "sofia", 68_000, "Preventivo", 6, 24),
    Deal("Manifesti nuova stagione", "teatro", 196_000, "Trattativa", 38, 10),
    Deal("Sito per la cantina", "cantina", 320_000, "Trattativa", 12, 18),
    Deal("Guida della Pro Loco", "proloco", 110_000, "Qualificato", 5, 45),
    Deal("Insegna officina Pazzi", "renato", 42_000, "Contatto", 3),
    Deal("Libro illustrato", "pietro", 150_000, "Contatto", 31, 60),
    Deal("Sito nuova sezione spa", "hotel", 187_000, "Vinta", 50),
    Deal("Brochure Bianchi", "bianchi", 145_000, "Vinta", 70),
    Deal("Portfolio Luce", "luce", 132_000, "Vinta", 210),
    Deal("Campagna social palestra", "palestra", 98_000, "Persa", 80, None, "Prezzo"),
    Deal("App della farmacia", "farmacia", 500_000, "Persa", 150, None, "Ha scelto un altro"),
)


@dataclass(frozen=True)
class Project:
    """A project; `due_in` days from today."""

    name: str
    contact: str
    status: str
    due_in: int
    budget_cents: int


PROJECTS = (
    Project("Nuova spa Miramonti", "hotel", "attivo", 20, 187_000),
    Project("Sito Cantina Belvedere", "cantina", "attivo", 55, 320_000),
    Project("Stand fiera Cesena", "officine", "attivo", 8, 213_000),
    Project("Mostra Luce", "luce", "in_pausa", 40, 56_000),
    Project("Catalogo ricambi", "officine", "chiuso", -90, 264_000),
)


@dataclass(frozen=True)
class Task:
    """A task due in some days (None: without a date)."""

    title: str
    due_in: int | None
    contact: str | None = None
    project: str | None = None
    state: str = "da_fare"
    priority: int = 0


TASKS = (
    Task("Spedire le bozze alla spa", 0, "hotel", "Nuova spa Miramonti", priority=3),
    Task("Scegliere la carta per gli inviti", 0),
    Task("Telefonare al corriere per i pannelli", 1, "corriere", "Stand fiera Cesena"),
    Task("Consegnare i pannelli", 8, "officine", "Stand fiera Cesena", priority=2),
    Task("Preparare la mappa del sito", 12, "cantina", "Sito Cantina Belvedere"),
    Task("Rinnovare il dominio", 20),
    Task("Mandare le ricevute al commercialista", -3, "zanetti_st"),
    Task("Correggere il listino cucine", -10, "rossi_arr", priority=1),
    Task("Ritirare le prove colore", -1, "tipografia"),
    Task("Riordinare l'archivio", None),
    Task("Inviare il preventivo a Salvia", -15, "salvia", state="fatto"),
    Task("Fotografare le etichette", -40, "cantina", state="fatto"),
)


@dataclass(frozen=True)
class Talk:
    """An interaction with a contact, some days ago."""

    contact: str
    age: int
    kind: str
    summary: str


TALKS = (
    Talk("luca", 6, "chiamata", "Vuole anticipare la consegna dei volantini"),
    Talk("luca", 41, "incontro", "Sopralluogo al cantiere"),
    Talk("anna", 2, "chiamata", "Dice che il bonifico parte la prossima settimana"),
    Talk("elena_f", 23, "email", "Mandate le prove della vetrina"),
    Talk("davide_f", 14, "chiamata", "Conferma le misure dei pannelli"),
    Talk("paolo_c", 62, "email", "Ringrazia per la carta intestata"),
    Talk("giorgia", 118, "chiamata", "Chiede la nota di credito"),
    Talk("nicolo", 95, "incontro", "Consegnato il manuale"),
    Talk("francesca", 12, "incontro", "Riunione sulla segnaletica"),
    Talk("marco_g", 11, "whatsapp", "Foto della vigna"),
    Talk("silvia", 130, "email", "Chiusura della campagna"),
    Talk("irene", 200, "chiamata", "Ci risentiamo in primavera"),
    Talk("tommaso", 33, "chiamata", "Scadenze del trimestre"),
    Talk("chiara", 4, "email", "Prove colore pronte"),
    Talk("beatrice", 38, "chiamata", "Il teatro decide a fine mese"),
    Talk("mario_r", 255, "whatsapp", "Ringrazia per le partecipazioni"),
    Talk("valentina", 160, "chiamata", "Contenta del logo"),
    Talk("sofia", 5, "email", "Aspetta il preventivo"),
    Talk("pietro", 31, "incontro", "Idea del libro"),
    Talk("renato", 3, "chiamata", "Chiede una insegna"),
)
# What the owner noted about a contact.
NOTES = (
    ("bianchi", "Preferisce essere chiamato il lunedì mattina."),
    ("hotel", "Vuole le fatture divise per reparto."),
    ("rossi_arr", "Paga sempre in ritardo: chiedere un acconto."),
    ("valentina", "È allergica ai gatti, incontrarla fuori dallo studio."),
    ("cantina", "Il colore dell'etichetta è il bordeaux Pantone 7421."),
)
