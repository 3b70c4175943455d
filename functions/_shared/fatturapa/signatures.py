"""One signature of a CMS envelope (RFC 5652): whose it is, and whether the signed bytes are the ones that are there.

«Verified» means arithmetic: the digest fits the content and the signature fits the certificate in the envelope. Who
issued that certificate, and whether it was revoked, is not looked up, and `note` says so.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any

from asn1crypto import cms, core, x509  # type: ignore[import-untyped]
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

from functions._shared.fatturapa.model import Signature

# What asn1crypto raises for bytes that are no ASN.1 of that kind.
MALFORMED = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, binascii.Error)
_HASHES: dict[str, hashes.HashAlgorithm] = {
    "sha1": hashes.SHA1(),  # noqa: S303  # old files were signed so; they are only checked
    "sha224": hashes.SHA224(),
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
_NOT_TRUST = "Chi ha rilasciato il certificato e la sua revoca non sono stati controllati."


class _Unknown(Exception):
    """An algorithm, or a certificate, that cannot be checked here."""


def checked(info: cms.SignerInfo, signed: cms.SignedData, content: bytes) -> Signature:
    """What is known about one signer of this content. Raises one of MALFORMED."""
    certificate = _certificate(info, signed)
    moment = _signing_time(info)
    if certificate is None:
        return Signature(
            None, None, None, None, moment, None, "Firma non verificata: nella busta manca il certificato."
        )
    verdict: bool | None
    try:
        verdict = _fits(info, certificate, content)
    except (_Unknown, UnsupportedAlgorithm, *MALFORMED):
        verdict = None
    return _told(certificate, moment, verdict)


def unchecked(der: bytes) -> Signature | None:
    """A signature of which only the certificate is looked at; None when that is none."""
    try:
        return _told(x509.Certificate.load(der), None, None)
    except (*MALFORMED, RecursionError):
        return None


def _told(certificate: x509.Certificate, moment: datetime | None, verdict: bool | None) -> Signature:
    starts, ends = certificate.not_valid_before, certificate.not_valid_after
    signer = _name(certificate.subject.native)
    who = f"Firma di {signer}" if signer else "Firma"
    words = {
        True: f"{who}: il file è integro e la firma corrisponde al certificato contenuto. {_NOT_TRUST}",
        False: f"{who}: non corrisponde al contenuto, il file è stato cambiato dopo la firma o è rovinato.",
        None: f"{who} non verificata.",
    }[verdict]
    at = moment or None
    if at and not starts <= at <= ends:
        words += f" Alla firma, il {at:%d/%m/%Y}, il certificato non era valido."
    words += f" Certificato valido dal {starts:%d/%m/%Y} al {ends:%d/%m/%Y}."
    return Signature(signer, _name(certificate.issuer.native), starts, ends, moment, verdict, words)


def _name(native: dict[str, Any]) -> str | None:
    person = " ".join(str(native[key]) for key in ("given_name", "surname") if native.get(key))
    name = native.get("common_name") or person or native.get("organization_name")
    return str(name)[:200] if name else None


def _certificate(info: cms.SignerInfo, signed: cms.SignedData) -> x509.Certificate | None:
    sid = info["sid"].chosen
    candidates = [each.chosen for each in signed["certificates"] or () if each.name == "certificate"]
    for each in candidates:
        if isinstance(sid, core.OctetString):
            if each.key_identifier == sid.native:
                return each
        elif each.serial_number == sid["serial_number"].native and each.issuer == sid["issuer"]:
            return each
    return None


def _signing_time(info: cms.SignerInfo) -> datetime | None:
    value = _attribute(info, "signing_time")
    moment = value.native if value is not None else None
    return moment.astimezone(UTC) if isinstance(moment, datetime) and moment.tzinfo else None


def _attribute(info: cms.SignerInfo, name: str) -> Any:
    for each in info["signed_attrs"] or ():
        if each["type"].native == name:
            return each["values"][0]
    return None


def _fits(info: cms.SignerInfo, certificate: x509.Certificate, content: bytes) -> bool:
    digest_name = info["digest_algorithm"]["algorithm"].native
    if digest_name not in _HASHES:
        raise _Unknown(digest_name)
    if not info["signed_attrs"]:
        return _signed_by(info, certificate, digest_name, content)
    stated = _attribute(info, "message_digest")
    digest = hashlib.new(digest_name, content).digest()
    if stated is None or not hmac.compare_digest(bytes(stated.native), digest):
        return False
    attributes = info["signed_attrs"].dump()
    # They are signed as a SET, not under the tag they have in the envelope (RFC 5652, 5.4).
    return _signed_by(info, certificate, digest_name, b"\x31" + attributes[1:])


def _signed_by(info: cms.SignerInfo, certificate: x509.Certificate, digest_name: str, message: bytes) -> bool:
    algorithm = info["signature_algorithm"]
    key = serialization.load_der_public_key(certificate.public_key.dump())
    try:
        _verify(key, algorithm, digest_name, bytes(info["signature"].native), message)
    except InvalidSignature:
        return False
    return True


def _verify(
    key: PublicKeyTypes,
    algorithm: cms.SignedDigestAlgorithm,
    digest_name: str,
    signature: bytes,
    message: bytes,
) -> None:
    kind = algorithm.signature_algo
    if isinstance(key, rsa.RSAPublicKey) and kind == "rsassa_pkcs1v15":
        # «rsaEncryption» names no digest; then it is that of the signer.
        named = _HASHES[digest_name] if algorithm["algorithm"].native == kind else _HASHES[algorithm.hash_algo]
        key.verify(signature, message, padding.PKCS1v15(), named)
    elif isinstance(key, rsa.RSAPublicKey) and kind == "rsassa_pss":
        chosen = _HASHES[algorithm.hash_algo]
        salt = algorithm["parameters"]["salt_length"].native
        key.verify(signature, message, padding.PSS(padding.MGF1(chosen), salt), chosen)
    elif isinstance(key, ec.EllipticCurvePublicKey) and kind == "ecdsa":
        named_in = algorithm["algorithm"].native
        chosen = _HASHES[digest_name if named_in in ("ecdsa", "ec") else algorithm.hash_algo]
        key.verify(signature, message, ec.ECDSA(chosen))
    else:
        raise _Unknown(kind)
