"""Web push: the example of RFC 8291, and what a browser and its push service make of our messages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from backend.core import jwt
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared import web_push
from tests.conftest import Clock
from tests.fakes import push

pytestmark = pytest.mark.anyio
# RFC 8291 section 5 and appendix A.
PLAIN = b"When I grow up, I want to be a watermelon"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
SUBSCRIBED = web_push.Browser(
    "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "BTBZMqHH6r4Tts7J_aSIgg",
)
WIRE = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
    "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
    "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def private(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(push.read(text), "big"), push.CURVE)


def context(resources: Resources) -> Context:
    return Context("push_message", {}, "", resources)


def test_the_example_of_the_rfc_comes_out_byte_for_byte() -> None:
    wire = web_push.encrypted(PLAIN, SUBSCRIBED, ours=private(SENDER), salt=push.read(SALT))
    assert push.written(wire) == WIRE


def test_the_fake_browser_reads_the_example_of_the_rfc() -> None:
    browser = push.Browser(SUBSCRIBED.endpoint, private(RECEIVER), push.read(SUBSCRIBED.auth))
    assert browser.subscription()["keys"]["p256dh"] == SUBSCRIBED.p256dh
    assert browser.read(push.read(WIRE)) == PLAIN


def test_each_message_has_a_key_and_a_salt_of_its_own() -> None:
    one, two = (web_push.encrypted(PLAIN, SUBSCRIBED) for _ in range(2))
    assert one[:16] != two[:16]
    assert one[21:86] != two[21:86]


@pytest.mark.parametrize(
    ("p256dh", "auth"),
    [
        (push.written(b"\x04" + b"\x01" * 64), SUBSCRIBED.auth),
        (SUBSCRIBED.p256dh[:-1], SUBSCRIBED.auth),
        ("", SUBSCRIBED.auth),
        (SUBSCRIBED.p256dh, "AAAA"),
        (SUBSCRIBED.p256dh, "è" * 22),
    ],
)
def test_keys_that_are_none_are_refused(p256dh: str, auth: str) -> None:
    with pytest.raises(web_push.BadKeys):
        web_push.encrypted(PLAIN, replace(SUBSCRIBED, p256dh=p256dh, auth=auth))


async def test_a_push_service_knows_us_by_a_signature_for_it_alone(resources: Resources, now: Clock) -> None:
    header = web_push.authorization(context(resources), "https://push.example.net:8443/push/x?y")
    claims, signer = push.verified(header)
    assert claims["aud"] == "https://push.example.net:8443"
    assert claims["sub"] == resources.settings.auth.site_url
    assert 0 < claims["exp"] - now.moment.timestamp() <= 24 * 3600
    assert signer == web_push.public_key(context(resources))


async def test_rotating_the_signing_keys_keeps_the_subscriptions(resources: Resources, settings: Settings) -> None:
    before = web_push.public_key(context(resources))
    jwt.rotate(settings.home)
    renewed = replace(resources, keys=jwt.load(settings.home))
    assert web_push.public_key(context(renewed)) == before
