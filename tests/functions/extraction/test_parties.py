"""Who a document is from and for: names are found, and what a page is built of is never taken for one."""

from __future__ import annotations

import pytest

from functions._shared import extraction
from functions._shared.extraction import Page
from functions._shared.names import words
from tests.functions.extraction.test_extraction import typed

HEADINGS = (
    "Q.tà Importo", "Descrizione Prezzo", "Descrizione", "Q.TA' PREZZO IMPORTO", "Quantità Prezzo unitario Totale",
    "Cod. Articolo Descrizione U.M.", "Aliquota Imponibile Imposta", "Riepilogo IVA", "Data Descrizione Dare Avere",
    "Art. 1", "Art. 1 - Oggetto", "ARTICOLO 3 – Durata e recesso", "Artt. 4 e 5", "2) Corrispettivo",
    "3.1 Foro competente", "IV. Riservatezza", "a) Termini di pagamento", "Premessa", "Premesso che", "PREMESSE",
    "Oggetto", "Oggetto:", "Oggetto del contratto", "Condizioni generali", "Condizioni di fornitura", "Allegato A",
    "Clausole", "Norme generali", "Spett.le", "Spett. Ditta", "Cliente", "Cliente:", "Destinatario merce",
    "Fornitore", "Ragione sociale", "Codice cliente", "Partita IVA", "Gentile cliente", "Alla cortese attenzione",
    "Sede legale", "Timbro e firma", "Luogo di destinazione", "Modalità di pagamento", "Pagamento elettronico",
    "Bonifico bancario", "Rimessa diretta", "CONTANTI", "Resto", "Carta di credito", "Coordinate bancarie",
    "RiBa 30 giorni", "Totale complessivo", "di cui IVA", "Pagina 1 di 2", "Pag. 1", "Foglio n. 2", "1/2",
    "COPIA CLIENTE", "Originale", "Copia conforme", "La qualità che non ti aspetti", "Dal 1960 al vostro servizio",
    "Grazie e arrivederci", "GRAZIE PER LA VISITA!", "La tua energia, sempre", "Soluzioni per il tuo futuro",
    "Siamo sempre con te", "Benvenuto nel mondo della luce", "il partner ideale per ogni lavoro di casa",
    "Documento commerciale", "di vendita o prestazione",
)  # fmt: skip
NAMES = (
    "Rossi S.r.l.", "Studio Verdi", "Luce e Gas S.p.A.", "Mario Bianchi", "BAR CENTRALE", "Farmacia Dott. Neri",
    "Banca di Prova S.p.A.", "Ferramenta Da Piero di Piero Sala", "Trattoria La Quercia", "Prezzo Impianti snc",
    "Avv. Lucia Conti", "Associazione Il Melograno", "Comune di Lodi", "Autofficina F.lli Riva",
)  # fmt: skip


def parties(pages: list[Page], kind: str) -> dict[str, str]:
    keys = ("supplier", "customer")
    return {field.key: field.value for field in extraction.fields(pages, kind) if field.key in keys}


@pytest.mark.parametrize("kind", ["fattura", "contratto"])
@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_is_never_a_party(heading: str, kind: str) -> None:
    """At the head of a page, below the customer's label and beside it."""
    alone = typed(heading, "", "P.IVA 01234560157", "Totale 122,00")
    below = typed("Bianchi S.r.l.", "P.IVA 01234560157", "", "Spett.le", heading, "", "Totale 122,00")
    beside = typed("Bianchi S.r.l.", "P.IVA 01234560157", "", f"Cliente   {heading}", "Totale 122,00")
    found = [value for pages in (alone, below, beside) for value in parties(pages, kind).values()]
    assert {words(value) for value in found} <= {"bianchi srl"}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_party_beside_headings(name: str) -> None:
    told = parties(
        typed(
            name, "Via Roma 1", "P.IVA 01234560157", "", "Spett.le", "Impianti Verdi SRL", "", "Fattura n. 3",
            "Descrizione    Q.tà    Importo", "Lavori    1    122,00", "Totale 122,00",
        ),
        "fattura",
    )  # fmt: skip
    assert told == {"supplier": name, "customer": "Impianti Verdi SRL"}


@pytest.mark.parametrize(
    "heads", ["Cliente    Descrizione    Q.tà    Importo", "Descrizione  Committente  Prezzo  IVA"]
)
def test_a_column_of_a_table_names_no_customer(heads: str) -> None:
    pages = typed("Bianchi S.r.l.", "P.IVA 01234560157", "", heads, "Sedie    Legno    2    100,00", "Totale 122,00")
    assert parties(pages, "fattura") == {"supplier": "Bianchi S.r.l."}
