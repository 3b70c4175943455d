"""The header of a file: who sells, who buys, who sends."""

from __future__ import annotations

from functions._shared.fatturapa import model
from functions._shared.fatturapa.xml import Node


def transmission(node: Node | None) -> model.Transmission:
    """DatiTrasmissione."""
    if node is None:
        return model.Transmission(None, None, None, None, None, None, None)
    sender = "".join(filter(None, (node.text("IdTrasmittente/IdPaese"), node.text("IdTrasmittente/IdCodice"))))
    return model.Transmission(
        sender=sender or None,
        progressive=node.text("ProgressivoInvio"),
        format=node.text("FormatoTrasmissione"),
        recipient_code=node.text("CodiceDestinatario"),
        recipient_pec=node.text("PECDestinatario"),
        phone=node.text("ContattiTrasmittente/Telefono"),
        email=node.text("ContattiTrasmittente/Email"),
    )


def party(node: Node | None) -> model.Party | None:
    """A party of an ordinary invoice; None when the file names none."""
    if node is None:
        return None
    return _party(node, identity=node.child("DatiAnagrafici") or node, names="Anagrafica")


def simplified_supplier(node: Node | None) -> model.Party | None:
    """CedentePrestatore of FSM10, where everything lies on one level."""
    return None if node is None else _party(node, identity=node)


def simplified_customer(node: Node | None) -> model.Party | None:
    """CessionarioCommittente of FSM10: identifiers and names lie apart."""
    if node is None:
        return None
    details = node.child("AltriDatiIdentificativi")
    ids = node.child("IdentificativiFiscali") or node
    return _party(details or node, identity=details or node, ids=ids)


def _party(node: Node, *, identity: Node, ids: Node | None = None, names: str = "") -> model.Party:
    ids, named = ids or identity, (identity.child(names) if names else None) or identity
    first, last = named.text("Nome"), named.text("Cognome")
    representative = node.child("RappresentanteFiscale")
    return model.Party(
        name=named.text("Denominazione") or " ".join(filter(None, (first, last))) or None,
        vat_country=ids.text("IdFiscaleIVA/IdPaese"),
        vat_number=ids.text("IdFiscaleIVA/IdCodice"),
        tax_code=ids.text("CodiceFiscale"),
        first_name=first,
        last_name=last,
        title=named.text("Titolo"),
        eori=named.text("CodEORI"),
        regime=identity.text("RegimeFiscale"),
        professional=_professional(identity),
        address=address(node.child("Sede")),
        branch=address(node.child("StabileOrganizzazione")),
        registration=_registration(node.child("IscrizioneREA")),
        phone=node.text("Contatti/Telefono"),
        fax=node.text("Contatti/Fax"),
        email=node.text("Contatti/Email"),
        admin_reference=node.text("RiferimentoAmministrazione"),
        representative=party(representative),
    )


def address(node: Node | None) -> model.Address | None:
    """An address."""
    if node is None:
        return None
    return model.Address(
        street=node.text("Indirizzo"),
        number=node.text("NumeroCivico"),
        postal_code=node.text("CAP"),
        city=node.text("Comune"),
        province=node.text("Provincia"),
        country=node.text("Nazione"),
    )


def _professional(identity: Node) -> model.Professional | None:
    found = model.Professional(
        register=identity.text("AlboProfessionale"),
        province=identity.text("ProvinciaAlbo"),
        number=identity.text("NumeroIscrizioneAlbo"),
        since=identity.day("DataIscrizioneAlbo"),
    )
    return None if found == model.Professional(None, None, None, None) else found


def _registration(node: Node | None) -> model.Registration | None:
    if node is None:
        return None
    return model.Registration(
        office=node.text("Ufficio"),
        number=node.text("NumeroREA"),
        capital_cents=node.cents("CapitaleSociale"),
        sole_partner=node.text("SocioUnico"),
        liquidation=node.text("StatoLiquidazione"),
    )
