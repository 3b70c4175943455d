"""The owner of the made-up business and her sixty contacts."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Comuni as the tax code spells them, with their province and postal code.
CITIES = {
    "Bologna": ("BO", "40121", "A944"),
    "Forlì": ("FC", "47121", "D704"),
    "Cesena": ("FC", "47521", "C573"),
    "Imola": ("BO", "40026", "E289"),
    "Faenza": ("RA", "48018", "D458"),
    "Ravenna": ("RA", "48121", "H199"),
    "Rimini": ("RN", "47921", "H294"),
    "Modena": ("MO", "41121", "F257"),
    "Ferrara": ("FE", "44121", "D548"),
    "Milano": ("MI", "20121", "F205"),
}
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


@dataclass(frozen=True)
class Contact:
    """A company (`business`) or a person; `short` are the names under which the owner speaks of them."""

    key: str
    business: str | None
    first: str | None
    last: str | None
    city: str
    roles: tuple[str, ...]
    company: str | None = None
    job: str | None = None
    phone: str | None = None
    email: str | None = None
    vat_number: str | None = None
    tax_code: str | None = None
    short: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the name as the product shows it."""
        return self.business or f"{self.first} {self.last}"

    @property
    def names(self) -> tuple[str, ...]:
        """Return every name that means this contact, the full one first."""
        return (self.name, *self.short)


def vat_number(serial: int) -> str:
    """Return a valid VAT number, issued by the office of Bologna."""
    digits = f"{serial:07}037"
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(digits)]
    total = sum(value - 9 if value > 9 else value for value in doubled)
    return f"{digits}{-total % 10}"


def tax_code(first: str, last: str, born: tuple[int, int, int], city: str, is_woman: bool) -> str:
    """Return the tax code of a person born on (year, month, day)."""
    year, month, day = born
    code = f"{_letters(last)}{_letters(first, is_first=True)}{year % 100:02}{'ABCDEHLMPRST'[month - 1]}"
    code += f"{day + 40 * is_woman:02}{CITIES[city][2]}"
    values = [int(each) if each.isdigit() else ord(each) - ord("A") for each in code]
    total = sum(value if place % 2 else _ODD[value] for place, value in enumerate(values))
    return code + chr(ord("A") + total % 26)


def _letters(name: str, *, is_first: bool = False) -> str:
    plain = unicodedata.normalize("NFD", name.upper())
    plain = "".join(each for each in plain if "A" <= each <= "Z")
    consonants = re.sub("[AEIOU]", "", plain)
    if is_first and len(consonants) > 3:
        consonants = consonants[0] + consonants[2:]
    return (consonants + re.sub("[^AEIOU]", "", plain) + "XXX")[:3]


OWNER_NAME = "Giulia Ferri"
OWNER_BUSINESS = "Giulia Ferri, grafica freelance"
OWNER_VAT = vat_number(3_412_876)
OWNER_TAX_CODE = tax_code("Giulia", "Ferri", (1988, 4, 17), "Bologna", is_woman=True)

# key | name | city | roles | short names | phone | e-mail
_COMPANIES = """
bianchi | Bianchi Costruzioni S.r.l. | Bologna | Cliente | Bianchi | 051 5550101 | info@bianchicostruzioni.example
rossi_arr | Rossi Arredamenti SRL | Forlì | Cliente | Rossi Arredamenti | 0543 555102 | ordini@rossiarredamenti.example
luce | Luce S.r.l. | Bologna | Cliente | Luce | 051 5550103 | studio@luce.example
daloisio | Trattoria D'Aloisio S.n.c. | Bologna | Cliente | D'Aloisio; D’Aloisio; Trattoria D’Aloisio | 051 5550104 |
caffe | Caffè Però S.r.l. | Cesena | Cliente | Caffè Però; Caffe Pero | 0547 555105 | amministrazione@caffepero.example
verdi | Verdi & Figli S.n.c. | Imola | Cliente | Verdi; Verdi e Figli | 0542 555106 | verdi@verdiefigli.example
officine | Officine Romagnole S.p.A. | Cesena | Cliente | Officine Romagnole | 0547 555107 | acquisti@officineromagnole.example
cantina | Cantina Belvedere | Imola | Cliente | Belvedere | 0542 555108 | cantina@belvedere.example
studio_conti | Studio Conti e Associati | Bologna | Cliente | Studio Conti | 051 5550109 | segreteria@studioconti.example
libreria | Libreria Il Gomitolo | Bologna | Cliente | Gomitolo; Il Gomitolo | 051 5550110 | ciao@ilgomitolo.example
palestra | Palestra Olimpia SSD a r.l. | Modena | Cliente | Palestra Olimpia; Olimpia | 059 555111 | info@olimpia.example
farmacia | Farmacia San Petronio S.n.c. | Bologna | Cliente | San Petronio | 051 5550112 | farmacia@sanpetronio.example
hotel | Hotel Miramonti S.p.A. | Rimini | Cliente | Hotel Miramonti; Miramonti | 0541 555113 | direzione@miramonti.example
asilo | Asilo Nido La Coccinella | Faenza | Cliente | La Coccinella; Coccinella | 0546 555114 |
edilizia | Nuova Edilizia S.r.l. | Ravenna | Cliente | Nuova Edilizia | 0544 555115 | info@nuovaedilizia.example
proloco | Pro Loco Castel San Pietro | Bologna | | Pro Loco | 051 5550116 | proloco@castelsanpietro.example
zucchero | Pasticceria Zucchero | Forlì | Cliente | Zucchero | 0543 555117 | dolci@zucchero.example
meccanica | Meccanica Fabbri S.r.l. | Forlì | Cliente | Meccanica Fabbri | 0543 555118 | ufficio@meccanicafabbri.example
legnami | Fabbri Legnami S.r.l. | Cesena | Cliente | Fabbri Legnami | 0547 555119 | info@fabbrilegnami.example
carossa | Agriturismo Ca' Rossa | Imola | Cliente | Ca' Rossa; Ca’ Rossa | 0542 555120 | prenota@carossa.example
teatro | Teatro del Navile | Bologna | Cliente | Navile | 051 5550121 | biglietteria@navile.example
salvia | Erboristeria Salvia | Bologna | | Salvia | | salvia@erboristeria.example
tipografia | Tipografia Moderna S.r.l. | Bologna | Fornitore | Tipografia Moderna | 051 5550123 | stampa@tipomoderna.example
energia | Energia Emilia S.p.A. | Bologna | Fornitore | Energia Emilia | 051 5550124 | clienti@energiaemilia.example
linea | Linea Veloce S.p.A. | Milano | Fornitore | Linea Veloce | 02 5550125 | assistenza@lineaveloce.example
pixelsoft | Pixelsoft Italia S.r.l. | Milano | Fornitore | Pixelsoft | 02 5550126 | billing@pixelsoft.example
zanetti_st | Studio Zanetti Commercialisti | Bologna | Fornitore | Studio Zanetti | 051 5550127 | studio@zanetti.example
corriere | Corriere Lampo S.r.l. | Bologna | Fornitore | Corriere Lampo; Lampo | 051 5550128 | ritiri@corrierelampo.example
spazio | Spazio Condiviso S.r.l. | Bologna | Fornitore | Spazio Condiviso | 051 5550129 | hello@spaziocondiviso.example
cartiera | Cartiera Reno S.p.A. | Bologna | Fornitore | Cartiera Reno | 051 5550130 | vendite@cartierareno.example
portici | Assicurazioni Portici S.p.A. | Bologna | Fornitore | Assicurazioni Portici; Portici | 051 5550131 |
"""  # noqa: E501
# key | first name | last name | sex | city | roles | company | job | phone | e-mail
_PERSONS = """
luca | Luca | Marchetti | m | Bologna | | bianchi | Titolare | 333 5550132 | luca.marchetti@bianchicostruzioni.example
anna | Anna | Bassi | f | Forlì | | rossi_arr | Responsabile marketing | 333 5550133 | anna@rossiarredamenti.example
elena_f | Elena | Ferrari | f | Cesena | | caffe | Titolare | 333 5550134 | elena.ferrari@caffepero.example
davide_f | Davide | Ferrari | m | Cesena | | officine | Ufficio acquisti | 333 5550135 | d.ferrari@officineromagnole.example
paolo_c | Paolo | Conti | m | Bologna | | studio_conti | Socio | 333 5550136 | paolo@studioconti.example
giorgia | Giorgia | Montanari | f | Imola | | verdi | Amministrazione | 333 5550137 | giorgia@verdiefigli.example
nicolo | Nicolò | Fabbri | m | Forlì | | meccanica | Titolare | 333 5550138 | nicolo@meccanicafabbri.example
francesca | Francesca | Testa | f | Rimini | | hotel | Direttrice | 333 5550139 | francesca.testa@miramonti.example
marco_g | Marco | Gatti | m | Imola | | cantina | Enologo | 333 5550140 |
silvia | Silvia | Landi | f | Modena | | palestra | Segreteria | 333 5550141 | silvia@olimpia.example
irene | Irene | Sarti | f | Bologna | | libreria | Libraia | 333 5550142 | irene@ilgomitolo.example
tommaso | Tommaso | Zanetti | m | Bologna | | zanetti_st | Commercialista | 333 5550143 | tommaso@zanetti.example
chiara | Chiara | Benassi | f | Bologna | | tipografia | Prestampa | 333 5550144 | chiara@tipomoderna.example
roberto | Roberto | Golinelli | m | Bologna | | farmacia | Farmacista | | roberto@sanpetronio.example
beatrice | Beatrice | D'Angelo | f | Bologna | | teatro | Ufficio stampa | 333 5550146 | beatrice@navile.example
omar | Omar | Haddad | m | Bologna | | spazio | Community manager | 333 5550147 | omar@spaziocondiviso.example
mario_r | Mario | Rossi | m | Bologna | Cliente | | | 333 5550148 | mario.rossi@posta.example
marco_n | Marco | Neri | m | Forlì | Cliente | | | 333 5550149 | marco.neri@posta.example
valentina | Valentina | Orsi | f | Forlì | Cliente | | | 333 5550150 | vale.orsi@posta.example
giuseppe | Giuseppe | Dall'Olio | m | Imola | Cliente | | | 333 5550151 |
martina | Martina | Zoli | f | Cesena | Cliente | | | 333 5550152 | martina.zoli@posta.example
andrea | Andrea | Cevenini | m | Bologna | | | | 333 5550153 | andrea@cevenini.example
paola_r | Paola | Rossi | f | Ferrara | | | | 333 5550154 | paola.rossi@posta.example
stefano | Stefano | Poli | m | Bologna | | | | | stefano.poli@posta.example
noemi | Noemi | Cattani | f | Imola | | | | 333 5550156 | noemi@cattani.example
pietro | Pietro | Lelli | m | Bologna | | | | 333 5550157 | pietro.lelli@posta.example
sofia | Sofia | Grandi | f | Ravenna | | | | 333 5550158 | sofia.grandi@posta.example
renato | Renato | Pazzi | m | Forlì | | | | 333 5550159 |
alice | Alice | Fontana | f | Bologna | | | Illustratrice | 333 5550160 | alice@fontana.example
"""  # noqa: E501


def _rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.split("|")] for row in table.strip().splitlines()]


def _company(place: int, row: list[str]) -> Contact:
    key, name, city, roles, short, phone, email = row
    return Contact(
        key=key,
        business=name,
        first=None,
        last=None,
        city=city,
        roles=tuple(roles.split()),
        phone=phone or None,
        email=email or None,
        vat_number=vat_number(2_100_000 + place * 137),
        short=tuple(each.strip() for each in short.split(";")),
    )


def _person(place: int, row: list[str]) -> Contact:
    key, first, last, sex, city, roles, company, job, phone, email = row
    born = (1965 + place, 1 + place % 12, 1 + place % 28)
    return Contact(
        key=key,
        business=None,
        first=first,
        last=last,
        city=city,
        roles=tuple(roles.split()),
        company=company or None,
        job=job or None,
        phone=phone or None,
        email=email or None,
        tax_code=tax_code(first, last, born, city, sex == "f"),
    )


CONTACTS = {
    each.key: each
    for each in (
        *(_company(place, row) for place, row in enumerate(_rows(_COMPANIES))),
        *(_person(place, row) for place, row in enumerate(_rows(_PERSONS))),
    )
}
