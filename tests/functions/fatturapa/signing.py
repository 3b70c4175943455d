"""A certification authority of the tests, and envelopes in the forms that are met: DER, BER, attached and detached."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from asn1crypto import cms, core  # type: ignore[import-untyped]
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import NameOID

NOW = datetime(2026, 11, 10, tzinfo=UTC)


class Signer:
    """A person with a certificate that an authority of its own gave out."""

    def __init__(self, name: str = "Anna Verdi", *, curve: bool = False) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1()) if curve else rsa.generate_private_key(65537, 2048)
        authority = rsa.generate_private_key(65537, 2048)
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Autorità di prova")]))
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - timedelta(days=365))
            .not_valid_after(NOW + timedelta(days=3650))
            .sign(authority, hashes.SHA256())
        )

    def signed(self, content: bytes, *options: pkcs7.PKCS7Options, pss: bool = False) -> bytes:
        """The content in an envelope, DER."""
        kind = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH) if pss else None
        builder = pkcs7.PKCS7SignatureBuilder().set_data(content)
        builder = builder.add_signer(self.certificate, self.key, hashes.SHA256(), rsa_padding=kind)
        return builder.sign(serialization.Encoding.DER, [pkcs7.PKCS7Options.Binary, *options])


def indefinite(der: bytes, chunk: int = 1000) -> bytes:
    """The same envelope as BER, as programs stream it: no lengths on the way to the content, which comes in chunks."""
    signed = cms.ContentInfo.load(der)["content"]
    content = bytes(signed["encap_content_info"]["content"])
    chunks = b"".join(core.OctetString(content[at : at + chunk]).dump() for at in range(0, len(content), chunk))
    kind = signed["encap_content_info"]["content_type"].dump()
    inside = _open(0x30, kind, _open(0xA0, _open(0x24, chunks)))
    before = [signed[name].dump() for name in ("version", "digest_algorithms")]
    after = [signed[name].dump() for name in ("certificates", "signer_infos")]
    return _open(0x30, cms.ContentType("signed_data").dump(), _open(0xA0, _open(0x30, *before, inside, *after)))


def _open(tag: int, *parts: bytes) -> bytes:
    return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"
