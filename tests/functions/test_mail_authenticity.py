"""Mails to a person's addresses are of the domain that their From names, or say that they are not: DKIM and DMARC."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from backend.core import db
from functions._shared import mail_domain
from functions._shared.received_mail import authenticity, dkim, spf
from tests.db import channels
from tests.fakes import dkim as signer
from tests.fakes import dns
from tests.functions import test_inbound_mail, test_mail_forwarding, test_shared_sender
from tests.functions.test_inbound_mail import PDF, Post
from tests.functions.test_shared_sender import Business

pytestmark = pytest.mark.anyio
post, business = test_inbound_mail.post, test_shared_sender.business
CLIENT, OWN, STRANGER = "cliente.it", "studio.it", "truffa.it"
ANNA, ME = f"anna@{CLIENT}", f"io@{OWN}"
UNKNOWN = authenticity.Envelope()
NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "dkim.json").read_text(encoding="utf-8"))
REJECTS: Mapping[str, Sequence[str]] = {
    **{f"s1._domainkey.{each}": [signer.published()] for each in (CLIENT, f"post.{CLIENT}", STRANGER, OWN)},
    f"_dmarc.{CLIENT}": ["v=DMARC1; p=reject"],
    f"_dmarc.{STRANGER}": ["v=DMARC1; p=reject"],
    f"_dmarc.{OWN}": ["v=DMARC1; p=none; rua=mailto:io@studio.it"],
}
WARNING = [{"kind": "dmarc", "value": CLIENT, "known": ""}]


def letter(sender: str = ANNA, to: str = ME, text: str = "Confermo.", **headers: str) -> bytes:
    made = test_mail_forwarding.mail(sender, to, text, **{"Message_ID": "<1@cliente.it>", **headers})
    return made.as_bytes().replace(b"\n", b"\r\n")


def signed(domain: str = CLIENT, content: bytes | None = None, **more: Any) -> bytes:
    return signer.signed(letter() if content is None else content, domain, **more)


def zone(monkeypatch: pytest.MonkeyPatch, resolver: Any, asked: list[str] | None = None) -> None:
    """Have this resolver asked; `asked` collects the names."""
    real = mail_domain.texts

    async def texts(name: str) -> list[str] | None:
        if asked is not None:
            asked.append(name)
        return await real(name)

    monkeypatch.setattr(mail_domain, "resolver", lambda: resolver)
    monkeypatch.setattr(mail_domain, "texts", texts)


async def verdict(
    monkeypatch: pytest.MonkeyPatch, content: bytes, records: Mapping[str, Sequence[str]], refuses: Sequence[str] = ()
) -> authenticity.Verdict:
    async with dns.serving(records, refuses) as resolver:
        zone(monkeypatch, resolver)
        return await authenticity.verify(content, UNKNOWN, NOW)


@pytest.mark.parametrize("sample", VECTORS["mails"], ids=[each["name"] for each in VECTORS["mails"]])
@pytest.mark.parametrize("end", ["\r\n", "\n"], ids=["CRLF", "LF"])
def test_what_dkimpy_signed_verifies_until_it_is_changed(sample: Mapping[str, str], end: str) -> None:
    raw = sample["raw"].replace("\r\n", end).encode()

    def is_right(content: bytes) -> bool:
        mail = dkim.split(content)
        assert mail is not None
        [signature] = dkim.signatures(mail, NOW)
        return dkim.verifies(mail, signature, [VECTORS["keys"][signature.key_name]])

    assert is_right(raw)
    assert not is_right(raw + b"E paga qui.")
    assert not is_right(raw.replace(b"anna@", b"anne@"))
    assert not is_right(raw.replace(b"Preventivo", b"Bonifico"))


def test_the_example_of_rfc_8463_verifies() -> None:
    mail = dkim.split(VECTORS["rfc8463"]["raw"].encode())
    assert mail is not None
    [signature] = dkim.signatures(mail, NOW)
    assert dkim.verifies(mail, signature, [VECTORS["rfc8463"]["key"]])


@pytest.mark.parametrize(
    ("records", "is_right"),
    [
        ([signer.published()], True),
        ([signer.published(start="k=rsa; n=una nota; h=sha1:sha256; s=*; t=y")], True),
        ([signer.published(start="v=DKIM1; k=rsa; t=s")], True),
        (["un testo qualunque", signer.published()], True),
        ([signer.published(signer.OTHER_KEY)], False),
        ([signer.published(), signer.published(signer.OTHER_KEY)], False),
        ([signer.published(start="v=DKIM2; k=rsa")], False),
        ([signer.published(start="v=DKIM1; k=ed25519")], False),
        ([signer.published(start="v=DKIM1; h=sha1")], False),
        ([signer.published(start="v=DKIM1; s=tlsrpt")], False),
        ([signer.published(rsa.generate_private_key(65537, 1024))], False),
        (["v=DKIM1; k=rsa; p="], False),
        (["v=DKIM1; k=rsa; p=AAAA"], False),
        (["v=DKIM1; k=rsa; p=ààà"], False),
        ([], False),
    ],
)
def test_only_the_key_that_is_published_for_mail_counts(records: Sequence[str], is_right: bool) -> None:
    mail = dkim.split(signed())
    assert mail is not None
    assert dkim.verifies(mail, dkim.signatures(mail, NOW)[0], records) is is_right


@pytest.mark.parametrize(
    "more",
    [
        {"tags": f" x={int(NOW.timestamp())};"},
        {"tags": " x=domani;"},
        {"tags": " i=@altro.it;"},
        {"tags": " d=altro.it;"},
        {"tags": " q=http;"},
        {"mode": "strano"},
        {"names": ("to", "subject")},
        {"selector": "x" * 64},
        {"selector": ".".join("x" * 60 for _ in range(4))},
    ],
    ids=str,
)
def test_malformed_and_expired_signatures_are_none(more: Mapping[str, Any]) -> None:
    mail = dkim.split(signed(**more))
    assert mail is not None
    assert dkim.signatures(mail, NOW) == []


def test_a_short_key_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    short = VECTORS["short"]
    mail = dkim.split(short["raw"].encode())
    assert mail is not None
    [signature] = dkim.signatures(mail, NOW)
    assert not dkim.verifies(mail, signature, [short["key"]])
    monkeypatch.setattr(dkim, "MIN_RSA_BITS", 768)
    assert dkim.verifies(mail, signature, [short["key"]])


@pytest.mark.parametrize(
    "body",
    [
        (b"x" + b" " * 90_000 + b"y\r\n") * 100,
        b" " * 10_000_000 + b"x",
        b"\r\n" * 5_000_000 + b"x",
        b"a b " * 2_500_000,
    ],
    ids=["spaces in lines", "one line of spaces", "empty lines", "one line of words"],
)
def test_a_hostile_body_costs_little(body: bytes) -> None:
    mail = dkim.split(signed()[:-2] + body)
    assert mail is not None
    began = time.process_time()
    assert not dkim.verifies(mail, dkim.signatures(mail, NOW)[0], [signer.published()])
    assert time.process_time() - began < 5


APPENDED = signed(tags=f" l={len('Confermo.') + 2};") + b"Anzi, paga qui.\r\n"


@pytest.mark.parametrize(
    ("content", "records", "refuses", "dmarc"),
    [
        pytest.param(signed(), {}, [], "pass", id="signed by its domain"),
        pytest.param(signed(f"post.{CLIENT}"), {}, [], "pass", id="signed by a part of its domain"),
        pytest.param(signed(), {f"_dmarc.{CLIENT}": []}, [], "pass", id="signed, without a policy"),
        pytest.param(
            signed(f"post.{CLIENT}"), {f"_dmarc.{CLIENT}": ["v=DMARC1; p=reject; adkim=s"]}, [], "fail", id="strict"
        ),
        pytest.param(signed(f"post.{CLIENT}"), {f"_dmarc.{CLIENT}": []}, [], None, id="a part of it, without a policy"),
        pytest.param(signed().replace(b"Confermo", b"Disdico"), {}, [], "fail", id="another body"),
        pytest.param(signed(key=signer.OTHER_KEY), {}, [], "fail", id="another key"),
        pytest.param(signed(tags=" x=1795000000;"), {}, [], "fail", id="expired"),
        pytest.param(signed(tags=" x=1999999999;"), {}, [], "pass", id="not yet expired"),
        pytest.param(APPENDED, {}, [], "fail", id="text appended behind what was signed"),
        pytest.param(signed(STRANGER), {}, [], "fail", id="signed by a stranger's domain"),
        pytest.param(signed(f"{CLIENT}.{STRANGER}"), {}, [], "fail", id="signed by a domain that contains its name"),
        pytest.param(signed("it"), {}, [], "fail", id="signed by a registry"),
        pytest.param(letter(), {}, [], "fail", id="unsigned, and others are to be rejected"),
        pytest.param(
            letter(), {f"_dmarc.{CLIENT}": ["v=DMARC1; p=quarantine"]}, [], "fail", id="unsigned, to be put apart"
        ),
        pytest.param(letter(), {f"_dmarc.{CLIENT}": ["v=DMARC1; p=none"]}, [], None, id="unsigned, only watched"),
        pytest.param(letter(), {f"_dmarc.{CLIENT}": ["v=DMARC1; p=reject; t=y"]}, [], None, id="unsigned, on trial"),
        pytest.param(letter(), {f"_dmarc.{CLIENT}": []}, [], None, id="unsigned, without a policy"),
        pytest.param(
            letter(), {f"_dmarc.{CLIENT}": ["v=DMARC1; p=reject", "v=DMARC1; p=none"]}, [], None, id="two policies"
        ),
        pytest.param(
            letter("a@gmail.com"), {"_dmarc.gmail.com": ["v=DMARC1; p=none"]}, [], "fail", id="Gmail signs everything"
        ),
        pytest.param(letter(f"a@post.{CLIENT}"), {}, [], "fail", id="unsigned, of a part of the domain"),
        pytest.param(
            letter(f"a@post.{CLIENT}"),
            {f"_dmarc.{CLIENT}": ["v=DMARC1; p=none; sp=reject"]},
            [],
            "fail",
            id="parts of the domain are to be rejected",
        ),
        pytest.param(
            letter(f"a@post.{CLIENT}"),
            {f"_dmarc.{CLIENT}": ["v=DMARC1; p=reject; sp=none"]},
            [],
            None,
            id="parts of the domain are not",
        ),
        pytest.param(
            signed("altro.comune.it", letter("a@uno.comune.it")),
            {
                "s1._domainkey.altro.comune.it": [signer.published()],
                "_dmarc.comune.it": ["v=DMARC1; p=reject; psd=y"],
            },
            [],
            "fail",
            id="neighbours below a registry",
        ),
        pytest.param(
            signed("sede.uno.comune.it", letter("a@uno.comune.it")),
            {
                "s1._domainkey.sede.uno.comune.it": [signer.published()],
                "_dmarc.comune.it": ["v=DMARC1; p=reject; psd=y"],
            },
            [],
            "pass",
            id="one domain below a registry",
        ),
        pytest.param(letter(), {}, [f"_dmarc.{CLIENT}"], None, id="the DNS does not answer for the policy"),
        pytest.param(signed(), {}, [f"s1._domainkey.{CLIENT}"], None, id="the DNS does not answer for the key"),
        pytest.param(b"From: a@example.com\r\n\r\nCiao", {}, [], None, id="nobody's domain"),
        pytest.param(b"Subject: Ciao\r\n\r\nCiao", {}, [], None, id="nobody"),
    ],
)
async def test_a_sender_is_verified_by_signature_and_policy(
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    records: Mapping[str, Sequence[str]],
    refuses: Sequence[str],
    dmarc: str | None,
) -> None:
    texts = {name: each for name, each in {**REJECTS, **records}.items() if each}
    assert (await verdict(monkeypatch, content, texts, refuses)).dmarc(is_own=False) == dmarc


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: b"From: Anna <anna@cliente.it>\r\n" + raw,
        lambda raw: b"X: y\rFrom: Anna <anna@cliente.it>\r\n" + raw,
        lambda raw: b"from : Anna <anna@cliente.it>\r\n" + raw,
        lambda raw: raw.replace(b"DKIM-Signature", b"Subject: Altro\r\nDKIM-Signature"),
        lambda raw: b"Content-Type: text/html\r\nContent-Type: text/plain\r\n" + raw,
        lambda raw: b"X: " + b"y" * (600 * 1024) + b"\r\n" + raw,
        lambda raw: b"X: y\r\n" * 2_000 + raw,
    ],
    ids=[
        "a second From",
        "From behind a CR",
        "From with a space",
        "two subjects",
        "two types",
        "a long head",
        "many fields",
    ],
)
async def test_what_programs_read_differently_is_not_verified(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[bytes], bytes]
) -> None:
    assert (await verdict(monkeypatch, signed(), REJECTS)).result == "pass"
    changed = await verdict(monkeypatch, change(signed()), REJECTS)
    assert changed.result in ("fail", "none")


async def test_fifty_signatures_cost_ten_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    content = signed()
    for number in range(49):
        content = signed(content=content, selector=f"x{number}")
    asked: list[str] = []
    async with dns.serving(REJECTS) as resolver:
        zone(monkeypatch, resolver, asked)
        assert (await authenticity.verify(content, UNKNOWN, NOW)).result == "fail"
        assert len(asked) == dkim.MAX_SIGNATURES + 1
        # Those of others are not even asked for.
        asked.clear()
        others = signed()
        for number in range(9):
            others = signed(f"x{number}.altrove.it", others)
        assert (await authenticity.verify(others, UNKNOWN, NOW)).result == "pass"
    assert asked == [f"_dmarc.{CLIENT}", f"s1._domainkey.{CLIENT}"]


async def test_a_dns_that_is_silent_delays_a_mail_and_loses_none(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(_name: str) -> list[str] | None:
        await asyncio.sleep(60)
        return None

    monkeypatch.setattr(mail_domain, "texts", silent)
    monkeypatch.setattr(authenticity, "DEADLINE_S", 0.2)
    assert (await post.send(signed()))[0] == 250
    [kept] = await post.mails()
    assert (kept["dmarc"], kept["warnings"], kept["folder"]) == (None, [], "ricevuti")


SERVER, OTHER = "93.184.216.34", "2a00:1450:4001:830::200e"
SENDS: Mapping[str, Sequence[str]] = {
    "net.cliente.it": [f"v=spf1 ip4:{SERVER}/31 ip6:2a00:1450::/32 -all"],
    "loop.cliente.it": ["v=spf1 include:loop.cliente.it -all"],
    "two.cliente.it": ["v=spf1 +all", "v=spf1 -all"],
    "due.cliente.it": ["v=spf1 include:net.cliente.it -all"],
}
HOSTS: Mapping[tuple[str, str], Sequence[str]] = {
    ("mx.cliente.it", "A"): [SERVER],
    ("mx.cliente.it", "AAAA"): [OTHER],
    (CLIENT, "MX"): ["10 mx.cliente.it."],
    ("vicino.cliente.it", "A"): ["93.184.216.1"],
}


@pytest.mark.parametrize("peer", [SERVER, OTHER])
@pytest.mark.parametrize(
    ("record", "is_right"),
    [
        ("v=spf1 include:net.cliente.it -all", True),
        ("v=spf1 include:due.cliente.it -all", True),
        ("v=spf1 mx -all", True),
        ("v=spf1 mx:cliente.it ~all", True),
        ("v=spf1 a:mx.cliente.it -all", True),
        ("V=SPF1 +A:MX.cliente.it/24//64 -all", True),
        ("v=spf1 exists:vicino.cliente.it -all", True),
        ("v=spf1 exp=spiega.cliente.it redirect=net.cliente.it", True),
        ("v=spf1 +all", True),
        ("v=spf1 -all", False),
        ("v=spf1 ~all", False),
        ("v=spf1 ?include:net.cliente.it", False),
        ("v=spf1 -mx +all", False),
        ("v=spf1 a ip4:192.0.2.0/24 ip6:2001:db8::/32", False),
        ("v=spf1 a:vicino.cliente.it", False),
        ("v=spf1 include:niente.cliente.it +all", False),
        ("v=spf1 include:two.cliente.it +all", False),
        ("v=spf1 include:loop.cliente.it +all", False),
        ("v=spf1 a:x1.cliente.it a:x2.cliente.it a:x3.cliente.it +all", False),
        ("v=spf1 " + "a:vicino.cliente.it " * 11 + "+all", False),
        ("v=spf1 exists:%{i}.cliente.it ptr -all", False),
        ("v=spf1 ip4:qualcosa +all", False),
        ("v=spf1 strano +all", False),
        ("v=spf10 +all", False),
    ],
)
async def test_a_server_may_send_if_the_domain_says_so(
    monkeypatch: pytest.MonkeyPatch, peer: str, record: str, is_right: bool
) -> None:
    client = spf.address_of(peer)
    assert client is not None
    async with dns.serving({**SENDS, CLIENT: [record]}, (), HOSTS) as resolver:
        zone(monkeypatch, resolver)
        assert await spf.passes(client, CLIENT) is is_right


@pytest.mark.parametrize(
    ("sender", "peer", "records", "refuses", "result"),
    [
        pytest.param(ANNA, SERVER, {}, [], "pass", id="sent by its server"),
        pytest.param(ANNA, f"::ffff:{SERVER}", {}, [], "pass", id="in the form of IPv6"),
        pytest.param("rimbalzi@net.cliente.it", SERVER, {}, [], "pass", id="from a part of the domain"),
        pytest.param(
            "rimbalzi@net.cliente.it",
            SERVER,
            {f"_dmarc.{CLIENT}": ["v=DMARC1; p=reject; aspf=s"]},
            [],
            "fail",
            id="from a part of the domain, which is strict",
        ),
        pytest.param(ANNA, "93.184.216.99", {}, [], "fail", id="sent by another server"),
        pytest.param(f"a@{STRANGER}", SERVER, {STRANGER: ["v=spf1 +all"]}, [], "fail", id="a stranger's envelope"),
        pytest.param("", SERVER, {}, [], "fail", id="without a sender"),
        pytest.param(ANNA, "10.0.0.7", {CLIENT: ["v=spf1 +all"]}, [], "fail", id="handed on by a server of ours"),
        pytest.param(ANNA, SERVER, {f"_dmarc.{CLIENT}": []}, [], "pass", id="sent by its server, without a policy"),
        pytest.param(ANNA, SERVER, {}, ["net.cliente.it"], "unknown", id="the DNS does not answer"),
    ],
)
async def test_an_unsigned_mail_may_be_proved_by_its_server(
    monkeypatch: pytest.MonkeyPatch,
    sender: str,
    peer: str,
    records: Mapping[str, Sequence[str]],
    refuses: Sequence[str],
    result: str,
) -> None:
    texts = {**REJECTS, **SENDS, CLIENT: ["v=spf1 include:net.cliente.it -all"], **records}
    async with dns.serving({name: each for name, each in texts.items() if each}, refuses, HOSTS) as resolver:
        zone(monkeypatch, resolver)
        assert (await authenticity.verify(letter(), authenticity.Envelope(sender, peer), NOW)).result == result
        # Two senders in one mail are none, whoever brought it.
        twice = b"From: Anna <anna@cliente.it>\r\n" + letter()
        assert (await authenticity.verify(twice, authenticity.Envelope(sender, peer), NOW)).result != "pass"


@pytest.fixture
async def studio(post: Post, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield a person who writes from a domain with DMARC and has Anna as a contact."""
    await post.rows("update auth.users set email = $2, email_confirmed_at = now() where id = $1", post.desk.user_id, ME)
    await post.contact(ANNA)
    async with dns.serving(REJECTS) as resolver:
        zone(monkeypatch, resolver)
        yield post


async def test_a_client_s_mail_says_whether_the_client_sent_it(studio: Post) -> None:
    made = test_mail_forwarding.mail(ANNA, ME, "Confermo.", Message_ID="<2@cliente.it>", Subject="Ordine")
    made.add_attachment(PDF, maintype="application", subtype="pdf", filename="ordine.pdf")
    content = made.as_bytes().replace(b"\n", b"\r\n")
    forged = {
        "Received": f"from elsewhere by mx.{test_inbound_mail.DOMAIN}; Fri, 27 Nov 2026 09:15:00 +0000",
        "Authentication-Results": f"{test_inbound_mail.DOMAIN}; dkim=pass; spf=pass; dmarc=pass header.from={CLIENT}",
        "ARC-Authentication-Results": f"i=1; {test_inbound_mail.DOMAIN}; dmarc=pass",
        "Received-SPF": "pass",
    }
    lies = "".join(f"{name}: {value}\r\n" for name, value in forged.items()).encode()
    assert (await studio.send(lies + content.replace(b"Ordine", b"Falso").replace(b"<2@", b"<3@")))[0] == 250
    [false] = await studio.mails()
    assert (false["dmarc"], false["warnings"], false["folder"]) == ("fail", WARNING, "ricevuti")
    assert await studio.rows("select 1 from public.documents") == []
    [thread] = await studio.rows("select has_warnings from public.mail_threads")
    assert thread["has_warnings"]

    assert (await studio.send(signer.signed(content, CLIENT)))[0] == 250
    _, true = await studio.mails()
    assert (true["subject"], true["dmarc"], true["warnings"]) == ("Ordine", "pass", [])
    assert [each["filename"] for each in await studio.rows("select filename from public.documents")] == ["ordine.pdf"]


async def test_a_delivery_by_webhook_is_verified_too(studio: Post) -> None:
    for content in (signed(), letter(Message_ID="<9@cliente.it>", Authentication_Results="x; dmarc=pass")):
        told = {"OriginalRecipient": studio.address, "RawEmail": content.decode().replace("\r\n", "\n")}
        assert (await test_inbound_mail.hand_in(studio, told)).status_code == 200
    kept = {each["message_id"]: each["dmarc"] for each in await studio.mails()}
    assert kept == {"<1@cliente.it>": "pass", "<9@cliente.it>": "fail"}


COPY = letter(ME, ANNA, "Ecco il preventivo.", Message_ID="<c@studio.it>")
FORWARD_TEXT = test_mail_forwarding.SHAPES["gmail, Italian"].replace("anna@example.it", ANNA)


@pytest.mark.parametrize(
    ("content", "records", "refuses", "folder", "dmarc"),
    [
        pytest.param(signed(OWN, COPY), {}, [], "inviati", "pass", id="signed"),
        pytest.param(COPY, {}, [], "ricevuti", "fail", id="unsigned"),
        pytest.param(signed(STRANGER, COPY), {}, [], "ricevuti", "fail", id="signed by a stranger"),
        pytest.param(signed(OWN, COPY, key=signer.OTHER_KEY), {}, [], "ricevuti", "fail", id="with another key"),
        pytest.param(COPY, {f"_dmarc.{OWN}": []}, [], "inviati", None, id="the domain publishes nothing"),
        pytest.param(COPY, {}, [f"_dmarc.{OWN}"], "inviati", None, id="the DNS does not answer"),
        pytest.param(
            signed(OWN, COPY), {}, [f"s1._domainkey.{OWN}"], "ricevuti", None, id="the DNS does not answer for the key"
        ),
    ],
)
async def test_only_the_person_plants_a_sent_mail(
    studio: Post,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    records: Mapping[str, Sequence[str]],
    refuses: Sequence[str],
    folder: str,
    dmarc: str | None,
) -> None:
    texts = {name: each for name, each in {**REJECTS, **records}.items() if each}
    async with dns.serving(texts, refuses) as resolver:
        monkeypatch.setattr(mail_domain, "resolver", lambda: resolver)
        assert (await studio.send(content, sender=ME))[0] == 250
    [kept] = await studio.mails()
    assert (kept["folder"], kept["dmarc"], kept["sender"]) == (folder, dmarc, ME)
    assert kept["warnings"] == ([{"kind": "dmarc", "value": OWN, "known": ""}] if dmarc == "fail" else [])
    past = [each["direction"] for each in await studio.rows("select direction::text from public.interactions")]
    assert past == (["uscita"] if folder == "inviati" else [])


async def test_the_person_s_server_proves_an_unsigned_copy(studio: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    async with dns.serving({**REJECTS, OWN: [f"v=spf1 ip4:{SERVER} -all"]}) as resolver:
        monkeypatch.setattr(mail_domain, "resolver", lambda: resolver)
        assert (await studio.send(COPY, sender=ME))[0] == 250
        real = spf.address_of
        monkeypatch.setattr(spf, "address_of", lambda peer: real(SERVER if peer == "127.0.0.1" else peer))
        assert (await studio.send(COPY.replace(b"<c@", b"<d@"), sender=ME))[0] == 250
    kept = {each["message_id"]: (each["folder"], each["dmarc"]) for each in await studio.mails()}
    assert kept == {"<c@studio.it>": ("ricevuti", "fail"), "<d@studio.it>": ("inviati", "pass")}


async def test_only_the_person_forwards(studio: Post) -> None:
    forward = letter(ME, studio.address, FORWARD_TEXT, Message_ID="<f@studio.it>")
    assert (await studio.send(forward, sender=ME))[0] == 250
    [false] = await studio.mails()
    assert (false["sender"], false["is_forwarded"], false["dmarc"]) == (ME, False, "fail")
    assert await studio.rows("select 1 from public.interactions") == []
    assert (await studio.send(signed(OWN, forward), sender=ME))[0] == 250
    [true] = [each for each in await studio.mails() if each["is_forwarded"]]
    # The signature is the person's, not that of whose mail it was.
    assert (true["sender"], true["dmarc"], true["contact_id"] is not None) == (ANNA, None, True)


async def test_a_false_copy_of_a_mail_of_ours_is_shown(studio: Post) -> None:
    [contact] = await studio.rows("select id from public.contacts")
    async with db.transaction(studio.desk.resources.pool) as connection:
        await channels.connect(connection, studio.desk.user_id)
    claims = {"role": "authenticated", "sub": str(studio.desk.user_id)}
    async with db.as_claims(studio.desk.resources.pool, claims) as connection:
        message_id = (await channels.queue(connection, contact["id"], recipient=ANNA))["message_id"]
    false = letter(ME, ANNA, "Paga qui.", Message_ID=message_id)
    assert (await studio.send(false, sender=ME))[0] == 250
    [kept] = await studio.mails()
    assert (kept["folder"], kept["dmarc"]) == ("ricevuti", "fail")


async def test_an_answer_to_the_shared_sender_is_verified(business: Business, monkeypatch: pytest.MonkeyPatch) -> None:
    await business.rows("update auth.users set email = $2 where id = $1", business.desk.user_id, ME)
    mail, _ = await business.leave()
    to = business.to("r", mail)
    async with dns.serving(REJECTS) as resolver:
        zone(monkeypatch, resolver)
        false = letter(Message_ID="<2@cliente.it>"), letter(ME, Message_ID="<3@cliente.it>")
        for content in (signed(), *false):
            assert (await business.send(content, to))[0] == 250
    kept = {each["message_id"]: each["dmarc"] for each in await business.mails()}
    assert kept == {"<1@cliente.it>": "pass", "<2@cliente.it>": "fail", "<3@cliente.it>": "fail"}
    assert {each["folder"] for each in await business.mails()} == {"ricevuti"}
