"""Why a document could not be read: the closed list behind documents.error_code, and what a person is told."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """The value of documents.error_code."""

    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    TRUNCATED = "truncated"
    UNSUPPORTED = "unsupported"
    MISLABELLED = "mislabelled"
    TOO_LARGE = "too_large"
    TOO_MANY_PAGES = "too_many_pages"
    TOO_MANY_PIXELS = "too_many_pixels"
    BOMB = "bomb"
    NOT_AN_INVOICE = "not_an_invoice"
    INCOMPLETE_INVOICE = "incomplete_invoice"
    BAD_SIGNATURE_CONTAINER = "bad_signature_container"
    NO_TEXT = "no_text"
    OCR_UNAVAILABLE = "ocr_unavailable"
    TOOK_TOO_LONG = "took_too_long"
    MISSING_FILE = "missing_file"
    GAVE_UP = "gave_up"
    NO_SPACE = "no_space"


SENTENCES = {
    Code.EMPTY: "Il file è vuoto.",
    Code.ENCRYPTED: "Il file è protetto da una password. Toglila e caricalo di nuovo.",
    Code.TRUNCATED: "Il file è incompleto o rovinato. Prova a scaricarlo o scansionarlo di nuovo.",
    Code.UNSUPPORTED: "Questo tipo di file non si legge. Vanno bene PDF, immagini, XML, P7M, ZIP, EML, DOCX e TXT.",
    Code.MISLABELLED: "Il contenuto non è quello che il nome del file promette.",
    Code.TOO_LARGE: "Il file supera i 50 MB.",
    Code.TOO_MANY_PAGES: "Il documento supera le 1.000 pagine. Dividilo in parti.",
    Code.TOO_MANY_PIXELS: "L’immagine supera i 50 milioni di pixel. Riducila e caricala di nuovo.",
    Code.BOMB: "Il file si espande oltre misura: contiene troppi dati, o archivi dentro altri archivi.",
    Code.NOT_AN_INVOICE: "Questo XML non è una fattura elettronica.",
    Code.INCOMPLETE_INVOICE: "Questa fattura non è nel registro: numero, data o totale mancano o non si leggono. "
    "Completali tra i campi e registrala.",
    Code.BAD_SIGNATURE_CONTAINER: "La busta firmata (P7M) è rovinata o non contiene un documento leggibile.",
    Code.NO_TEXT: "Non c’è testo da leggere: le pagine sono vuote o illeggibili.",
    Code.OCR_UNAVAILABLE: "La lettura delle scansioni non è disponibile in questo momento. Riprova più tardi.",
    Code.TOOK_TOO_LONG: "La lettura richiede troppo tempo. Prova con un file più leggero.",
    Code.MISSING_FILE: "Il file non c’è più. Caricalo di nuovo.",
    Code.GAVE_UP: "La lettura non è riuscita, anche dopo diversi tentativi. L’originale è al sicuro: puoi riprovare.",
    Code.NO_SPACE: "Lo spazio del tuo account è pieno. Elimina i file che non ti servono e riprova.",
}

# How the decoder says it to who started it: the exit status of its process.
STATUSES = {code: number for number, code in enumerate(Code, start=10)}
# Nobody's fault: what is read is tried again.
DISK_FULL = 9
CODES = {number: code for code, number in STATUSES.items()}


class Unreadable(Exception):
    """A document, or a page of it, cannot be read; `sentence` is for its owner."""

    def __init__(self, code: Code, sentence: str = "") -> None:
        self.code = code
        self.sentence = sentence or SENTENCES[code]
        super().__init__(self.sentence)
