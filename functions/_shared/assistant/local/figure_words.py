"""The words in which people ask for counts, rankings, averages and comparisons; matched against folded lines."""

from __future__ import annotations

import re

CLIENT = r"(?:client[ei]|committent[ei]|acquirent[ei]|debitor[ei])"
SUPPLIER = r"(?:fornitor[ei]|fornitric[ei]|creditor[ei])"
PARTY = rf"(?:{CLIENT}|{SUPPLIER})"
COUNTS = re.compile(
    rf"\bquant[ie] (?:\w+ ){{0,2}}?{PARTY}\b|\b(?:numero|conteggio) (?:totale )?(?:de[il]|dei miei) {PARTY}\b"
    rf"|\bconta(?:mi)? (?:i |tutti i )?(?:miei )?{PARTY}\b|\bquanti sono i (?:miei )?{PARTY}\b"
)
# What follows makes the count one of something else.
OF_WHOM = re.compile(r"\b(?:dev\w+|paga\w*|ritardo|scadut\w+|sent\w+|chiam\w+|richiam\w+)\b")
BEST = re.compile(
    rf"\b(?:miglior\w?|maggior\w?|principal[ei]|peggior\w?|primi|top|numero uno|classifica"
    rf"|graduatoria) (?:\w+ ){{0,4}}?{PARTY}\b"
    rf"|\b{PARTY} (?:\w+ ){{0,3}}?(?:miglior\w?|maggior\w?|principal[ei]|peggior\w?|top|numero uno)\b"
    rf"|\b{PARTY}\b.*\bdi piu\b|\b{PARTY}\b.*\b(?:piu|meno) (?:\w+ )?(?:important\w|gross\w|fort\w|redditizi\w"
    rf"|soldi|fattur\w+"
    rf"|lent\w|puntual\w|veloc\w|ritardatari\w?|indebitat\w|espost\w)\b"
    rf"|\b{PARTY}\b.*\bmi (?:dev\w+|rend\w+|fa\w*|port\w+|fattur\w+|compr\w+|cost\w+|dà|da) (?:\w+ ){{0,2}}?piu\b"
    rf"|\b(?:chi|da chi|a chi|con chi)\b.*\b(?:di piu|di meno|piu (?:soldi|di tutti|tardi|lent\w+|in fretta"
    rf"|puntual\w+))\b"
    rf"|\b(?:quale|che) {PARTY}\b.*\bpiu\b"
    r"|\b(?:miglior|peggior)\w? pagator[ei]\b|\bchi e (?:il )?(?:mio )?(?:miglior|peggior|maggior|principale|piu)\b"
)
MONEY = re.compile(
    r"\b(?:dev\w+|debit\w+|credit\w+|fattur\w+|compr\w+|spend\w*|spes[oaie]|acquist\w+|pag\w+|incass\w+|rend\w+|soldi"
    r"|guadagn\w+|port\w+|client\w|fornitor\w|pagator\w)\b"
)
PAYS_LATE = re.compile(
    r"\b(?:chi|quale cliente)\b(?: \w+){0,4} paga\w*\b(?: \w+){0,3} (?:in ritardo|tardi"
    r"|ultimo|lent\w+|puntual\w+"
    r"|veloce\w*|in fretta|subito|prima|in tempo|in anticipo)\b"
)
DELAY = re.compile(r"\b(?:ritard\w+|tardi|puntual\w+|in tempo|peggior\w? pagator\w|miglior\w? pagator\w)\b")
SPEED = re.compile(r"\b(?:lent\w+|veloc\w+|in fretta|subito|rapid\w+|prima)\b")
LEAST = re.compile(
    r"\b(?:di meno|meno|peggior\w? client\w|puntual\w+|veloc\w+|in fretta|subito|in tempo|in anticipo|rapid\w+|prima"
    r"|miglior\w? pagator\w)\b"
)
LATE = re.compile(r"\b(?:scadut\w+|arretrat\w+|in ritardo)\b")
OWES = re.compile(
    r"\b(?:dev\w+|debitor\w|creditor\w|debit\w|credit\w|espost\w|indebitat\w|da incassare|da pagare|avanz\w+)\b"
)
BUYS = re.compile(
    rf"\b{SUPPLIER}\b|\bda chi (?:\w+ )?(?:compr\w+|acquist\w+|spend\w+|ricev\w+)\b|\b(?:spendo|compro|acquisto"
    rf"|speso|comprato"
    r"|acquistato)\b|\ba chi devo\b|\bdevo\b.*\bpiu\b|\bpago di piu\b|\bmi cost\w+ di piu\b"
)
AVERAGE = re.compile(r"\b(?:media|medio|medi|medie|mediamente|di solito|solitamente|normalmente|in genere)\b")
HOW_SOON = re.compile(
    r"\b(?:in|dopo|entro) quant[oi]\b(?: \w+){0,6} (?:pag\w+|incass\w+|sald\w+)|\bquant[oi] (?:\w+ ){0,4}?(?:ci )?"
    r"(?:mett\w+|impieg\w+|aspett\w+|passa|pass\w+)\b.*\b(?:pag\w+|incass\w+|sald\w+)"
    r"|\bdopo quanto\b.*\bpag\w+|\bpag\w+\b.*\b(?:in|dopo) quant[oi]\b"
    r"|\b(?:temp[oi]|giorni|tempistic\w+)\b(?: \w+){0,3} (?:di |d')?(?:pagament\w|incass\w)\b"
)
AVERAGE_DAYS = re.compile(r"\b(?:pag\w+|incass\w+|sald\w+)\b")
DAYS = re.compile(r"\b(?:giorni|tempo|tempi|quanto|dopo|ritardo)\b")
AVERAGE_INVOICE = re.compile(
    r"\b(?:fattur[ae]|scontrino|ticket|import[oi]|valor[ei]|ordine)\b(?: \w+){0,4} (?:medi[oae]|in media|mediamente)\b"
    r"|\bmedi[ao] (?:\w+ )?(?:(?:delle|per|di) (?:\w+ )?fattur\w|import\w)|\bin media\b.*\bfattura\b"
    r"|\bfattura\b.*\bin media\b"
)
BY_MONTH = re.compile(r"\b(?:al mese|ogni mese|mensile|mensili|mensilmente|per mese|a mese)\b")
TURNOVER = re.compile(
    r"\b(?:fattur\w+|incass\w+|spes[oaie]|spend\w+|guadagn\w+|entrat[ae]|uscit[ae]|andand\w+|vado|va|andat\w"
    r"|giro d'affari"
    r"|vendit[ae]|vendut\w|costi|acquist\w+|compr\w+)\b"
)
COMPARES = re.compile(
    r"\b(?:piu|meno)\b(?: \w+)? (?:a|ad|in|nel|nell'|quest'|questo|l')(?: |\b)(?:\w+ ){1,2}(?:o|oppure) "
    r"(?:a|ad|in|nel|l|il)\b|"
    r"\b(?:rispetto|(?<!nei )confront\w+|paragon\w+|raffront\w+|contro|versus|vs|differenza (?:tra|fra)|a confronto)\b"
    r"|\b(?<!da )(?:piu|meno|meglio|peggio) (?:o (?:meno|peggio|piu) )?(?:de[lg]?l?l?['aeio]*|che|di|dello|rispetto)"
    r" (?:\w+ )?"
    r"(?:anno|mese|trimestre|semestre|scors\w|precedent\w|passat\w|gennaio|febbraio|marzo|aprile|maggio|giugno"
    r"|luglio|agosto"
    r"|settembre|ottobre|novembre|dicembre|20\d\d|nel|in|a|l'anno|'?anno)"
    r"|\b(?:piu|meno|meglio|peggio)\b.*\b(?:scors\w|precedent\w|passat\w|prima|20\d\d)\b"
    r"|\b(?:cresc\w+|cresciut\w|aumentat\w|calat\w|sces\w|salit\w|diminuit\w|in crescita|in calo|variazione"
    r"|andamento)\b"
    r"|\bmeglio o peggio\b|\bpiu o meno\b.*\b(?:anno|mese)\b"
)
SAME_BEFORE = re.compile(
    r"(?<![^ ])(?:(?:del|nel|lo|allo|dello|al|rispetto al) )?stesso (?:periodo|mese|trimestre)"
    r"(?: (?:del |dell' ?)?(?:anno |l'anno )?(?:scorso|precedente|passato|prima))? "
    r"|(?<![^ ])(?:del |dell' |l' |all' |nel |nell' )?anno (?:scorso|precedente|passato|prima) "
)
SPENT = re.compile(r"\b(?:spes[oaie]|spend\w+|uscit[ae]|costi|acquist\w+|compr\w+|fornitor\w|pagato)\b")
CASHED = re.compile(r"\b(?:incass\w+|entrat[aei])\b")
NEW = re.compile(r"\bnuov[ie]\b|\bnuovi\b|\bacquisit\w+\b")
# «Chi ha comprato di più?» speaks of clients.
THEY_BUY = re.compile(
    rf"^(?:chi|(?:quale|che|quali) {CLIENT})\b(?: (?:e|sono|che|mi|ci))* (?:ha|hanno) (?:compr|acquist|spes)\w+"
)
# «Chi ci mette di più a pagare?», «chi mi fa aspettare?»
WAITS = re.compile(
    r"\b(?:chi|client[ei])\b.*\b(?:mett\w+|impieg\w+)\b.*\b(?:pag\w+|sald\w+)\b|\b(?:chi|"
    r"client[ei])\b.*\bfa\w* aspettare\b"
    r"|\b(?:chi|client[ei])\b.*\bpaga\w*\b.*\b(?:lentamente|velocemente|in fretta)\b"
)
# Who is late now, and not who usually is.
IS_LATE = re.compile(
    r"\b(?:sta|stanno) pagando\b|\b(?:e|sono|risulta\w*) (?:\w+ )?in ritardo\b|\bin ritardo (?:con|coi|nel|"
    r"nei|sul|sui|a) |\b(?:adesso|ora|al momento)\b"
)
# «Più a Bianchi o all'Hotel Miramonti?»
_TO = r"(?:all['’]|dall['’]|(?:alla|allo|alle|agli|ai|al|ad|a|con|dalla|dallo|dal|da|per|di|in) )"
ONE_OF_TWO = re.compile(
    rf"\b(?:più|piu|meno)(?: soldi)? {_TO}([^?,]+?) (?:o|oppure) {_TO}?([^?,]+?)\s*\??$", re.IGNORECASE
)
# «Chi vale di più, Bianchi o Rossi?», «tra Bianchi e Rossi chi …», «Bianchi e Rossi: chi …»
_NAME = r"((?:il |la |lo |l['’])?[A-ZÀ-Ý][^?,:]*?)"
X_OR_Y = re.compile(
    rf"(?:\bpiù\b|\bpiu\b|\bmeglio\b|\bchi\b)[^?]*?[ ,]{_NAME} (?:o|oppure) {_NAME}(?: come \w+)?\s*\??$"
    rf"|(?:^|[Tt]ra |[Ff]ra ){_NAME} e {_NAME}[:,]? (?:chi|quale|qual)\b"
)
# «Tra Bianchi e Rossi», «…, Bianchi o Rossi?»
AMONG = re.compile(r"(?:\b(?:tra|fra)|,|:) ([^,]+?) (?:e|o|oppure) ([^,]+?)\s*\??$")
