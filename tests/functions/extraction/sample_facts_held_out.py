"""Whom and what the held-out papers speak of: vendors, clients, towns and goods that no other sample has."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.functions.extraction import sample_facts as facts
from tests.functions.extraction.sample_facts import Invoice, Item, Party

VENDORS = (
    "Autofficina F.lli Rinaldi s.n.c.", "Studio Associato Lombardo & Greco", "MEDIATECH ITALIA S.R.L.",
    "Sara Pellegrini Fotografia", "Vivai del Garda S.r.l.", "Birrificio Al Ponte di Gatti Sergio", "Nuova Elettra SpA",
    "Idraulica Martinelli Fabio", "Ottica Vedo Chiaro S.a.s. di Orsini M. & C.", "Arredi d'Interni Zanetti srl",
)  # fmt: skip
CLIENTS = (
    "Pasticceria Duca d'Aosta S.r.l.", "Hotel Miramonti SpA", "Dott.ssa Federica Amato", "Cantine Monteforte s.a.s.",
    "Condominio Via Petrarca 14", "Scuola dell'Infanzia Arcobaleno", "Bruno Santoro", "Ceramiche Del Duca S.n.c.",
)  # fmt: skip
UTILITIES = ("Lumen Energia S.p.A.", "Gas Adriatico S.r.l.", "Telemediterranea S.p.A.", "Acque del Sannio S.p.A.")
STREETS = (
    "Via Petrarca, 14",
    "Largo Augusto, 3",
    "Strada Statale 9, km 12",
    "Contrada Fontanelle snc",
    "Via G. Verdi, 27/b",
)
TOWNS = ("16121 Genova (GE)", "95131 Catania (CT)", "38122 Trento (TN)", "70121 Bari (BA)", "06121 Perugia (PG)")
GOODS = (
    "Tagliando completo con filtri", "Lampada a sospensione mod. Aria", "Servizio fotografico mezza giornata",
    "Posa di pavimento in gres", "Licenza annuale gestionale", "Siepe di lauroceraso", "Tinteggiatura pareti interne",
    "Lente progressiva 1,6", "Riparazione perdita bagno", "Cucina su misura, acconto lavori",
)  # fmt: skip


def vendor(rng: Random, names: tuple[str, ...] = VENDORS) -> Party:
    """Draw a party of the held-out half."""
    return replace(facts.company(rng), name=rng.choice(names), street=rng.choice(STREETS), town=rng.choice(TOWNS))


def invoice(rng: Random, names: tuple[str, ...] = VENDORS, rates: tuple[int, ...] = (22,), most: int = 4) -> Invoice:
    """Draw an invoice of the held-out half; its items are its own."""
    drawn = facts.invoice(rng, vendor(rng, names), rates, most)
    texts = rng.sample(GOODS, k=len(drawn.items))
    items = tuple(Item(text, it.quantity, it.price_cents, it.rate) for text, it in zip(texts, drawn.items, strict=True))
    return replace(drawn, customer=vendor(rng, CLIENTS), items=items)


def truth(it: Invoice, *keys: str) -> dict[str, str]:
    """Return these fields of an invoice; the customer and the supplier are always among them."""
    every = it.truth()
    return {key: every[key] for key in ("supplier", "customer", *keys)}
