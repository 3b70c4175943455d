"""core.jwt: only tokens of ours, only while they are valid, whatever a token says about itself (ATTACK-04)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import stat
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt as pyjwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from backend.core import jwt
from backend.core.config import ROOT

NOW = datetime.now(UTC)
ISSUER = "https://socio.example/auth/v1"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def keys(home: Path) -> jwt.KeyRing:
    return jwt.load(home)


def claims(**changes: Any) -> dict[str, Any]:
    moment = int(NOW.timestamp())
    valid = {"sub": "u", "role": "authenticated", "aud": "authenticated", "iss": ISSUER, "iat": moment}
    return {**valid, "exp": moment + 3600, **changes}


def part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def public_pem(keys: jwt.KeyRing) -> bytes:
    key = RSAAlgorithm.from_jwk(keys.public_jwks()["keys"][0])
    assert isinstance(key, rsa.RSAPublicKey)
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def hmac_token(header: dict[str, Any], secret: bytes, **changes: Any) -> str:
    """An HS256 token made by hand: PyJWT refuses to sign with a public key, an attacker does not."""
    body = f"{part(header)}.{part(claims(**changes))}"
    signature = hmac.new(secret, body.encode(), hashlib.sha256).digest()
    return f"{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def refuse(keys: jwt.KeyRing, token: str) -> None:
    with pytest.raises(jwt.TokenError):
        keys.verify(token, now=NOW)


def test_a_token_of_ours_is_believed_and_names_its_key(keys: jwt.KeyRing) -> None:
    token = keys.sign(claims())
    assert keys.verify(token, now=NOW, issuer=ISSUER, audience="authenticated")["sub"] == "u"
    header = pyjwt.get_unverified_header(token)
    assert (header["alg"], header["kid"]) == ("RS256", keys.public_jwks()["keys"][0]["kid"])


def test_the_legacy_keys_are_believed(keys: jwt.KeyRing) -> None:
    assert keys.verify(keys.anon_key)["role"] == "anon"
    assert keys.verify(keys.service_role_key)["role"] == "service_role"


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", ""])
def test_an_unsigned_token_is_refused(keys: jwt.KeyRing, algorithm: str) -> None:
    kid = keys.public_jwks()["keys"][0]["kid"]
    for header in ({"alg": algorithm}, {"alg": algorithm, "kid": kid}):
        refuse(keys, f"{part(header)}.{part(claims())}.")


def test_the_public_key_is_no_hmac_secret(keys: jwt.KeyRing) -> None:
    key = keys.public_jwks()["keys"][0]
    for secret in (public_pem(keys), public_pem(keys).strip(), json.dumps(key).encode(), key["n"].encode()):
        for header in ({"alg": "HS256", "kid": key["kid"]}, {"alg": "HS256"}, {"alg": "HS512", "kid": key["kid"]}):
            refuse(keys, hmac_token(header, secret))


@pytest.mark.parametrize(
    "kid",
    ["../../../../dev/null", "' or '1'='1", "unknown", "", 7, None, ["a"], {"a": 1}, "\x00", "a" * 5000],
)
def test_a_key_id_is_a_name_and_nothing_else(keys: jwt.KeyRing, kid: object) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    header = f"{part({'alg': 'RS256', 'kid': kid})}.{part(claims())}"
    signature = pyjwt.encode(claims(), stranger, algorithm="RS256").rpartition(".")[2]
    refuse(keys, f"{header}.{signature}")
    refuse(keys, hmac_token({"alg": "HS256", "kid": kid}, b""))


@pytest.mark.parametrize("header", ["jku", "jwk", "x5u", "x5c"])
def test_keys_that_a_token_brings_along_are_not_looked_at(keys: jwt.KeyRing, header: str) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    brought = {"jwk": RSAAlgorithm.to_jwk(stranger.public_key(), as_dict=True), "x5c": ["MII"]}
    extra = {header: brought.get(header, "https://evil.example/jwks.json")}
    for kid in ({}, {"kid": keys.public_jwks()["keys"][0]["kid"]}):
        refuse(keys, pyjwt.encode(claims(), stranger, algorithm="RS256", headers={**extra, **kid}))


def test_a_changed_token_is_refused(keys: jwt.KeyRing) -> None:
    header, _, signature = keys.sign(claims()).split(".")
    refuse(keys, f"{header}.{part(claims(role='service_role'))}.{signature}")


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": int(NOW.timestamp()) - jwt.LEEWAY_S},
        {"exp": None},
        {"exp": "9999999999"},
        {"exp": True},
        {"nbf": int(NOW.timestamp()) + 300},
        {"iat": int(NOW.timestamp()) + 300},
        {"role": ["service_role"]},
        {"sub": 7},
    ],
    ids=["expired", "no end", "end as text", "end as bool", "not before", "issued later", "roles", "number"],
)
def test_claims_out_of_time_or_of_the_wrong_type_are_refused(
    keys: jwt.KeyRing, home: Path, changes: dict[str, Any]
) -> None:
    secret = json.loads((home / jwt.KEYS_FILE).read_text())["jwt_secret"].encode()
    assert keys.verify(hmac_token({"alg": "HS256"}, secret), now=NOW)
    refuse(keys, hmac_token({"alg": "HS256"}, secret, **changes))


def test_a_token_without_an_end_is_refused(keys: jwt.KeyRing) -> None:
    endless = claims()
    del endless["exp"]
    refuse(keys, keys.sign(endless))


def test_keys_of_the_legacy_secret_may_last_for_ever_and_tokens_of_users_may_not(keys: jwt.KeyRing, home: Path) -> None:
    secret = json.loads((home / jwt.KEYS_FILE).read_text())["jwt_secret"]

    def signed(**said: Any) -> str:
        return pyjwt.encode(said, secret, algorithm="HS256")

    assert keys.verify(signed(role="service_role"), now=NOW)["role"] == "service_role"
    assert keys.verify(signed(role="anon", sub="1234567890"), now=NOW)["role"] == "anon"
    for endless in (signed(role="authenticated", sub="u"), signed(sub="u"), keys.sign({"role": "service_role"})):
        with pytest.raises(jwt.TokenError, match="never expires"):
            keys.verify(endless, now=NOW)


def test_an_expired_token_says_so(keys: jwt.KeyRing) -> None:
    token = keys.sign(claims())
    with pytest.raises(jwt.TokenExpired):
        keys.verify(token, now=NOW + timedelta(hours=2))


def test_clocks_may_differ_by_half_a_minute(keys: jwt.KeyRing) -> None:
    token = keys.sign(claims(iat=int(NOW.timestamp()) + 25, nbf=int(NOW.timestamp()) + 25))
    assert keys.verify(token, now=NOW)


def test_issuer_and_audience_are_compared(keys: jwt.KeyRing) -> None:
    token = keys.sign(claims())
    for wrong in ({"issuer": "https://evil.example"}, {"audience": "other"}):
        with pytest.raises(jwt.TokenError):
            keys.verify(token, now=NOW, **wrong)
    with pytest.raises(jwt.TokenError):
        keys.verify(keys.sign(claims(aud=["authenticated", "other"])), now=NOW, audience="authenticated")


@pytest.mark.parametrize(
    "token", ["", ".", "..", "a.b.c", "é.é.é", "a" * 20_000, f"{part([])}.{part(1)}.x", "\x00.\x00.\x00"]
)
def test_rubbish_is_refused_without_a_crash(keys: jwt.KeyRing, token: str) -> None:
    refuse(keys, token)


def test_opaque_keys_stand_for_their_roles(keys: jwt.KeyRing) -> None:
    assert keys.role_of_key(keys.publishable_key) == "anon"
    assert keys.role_of_key(keys.secret_key) == "service_role"
    for other in ("", "sb_secret_", keys.anon_key, keys.secret_key + "x", "sb_secret_è"):
        assert keys.role_of_key(other) is None


def test_nothing_private_is_published(keys: jwt.KeyRing) -> None:
    published = keys.public_jwks()["keys"]
    assert [set(key) for key in published] == [{"kty", "kid", "alg", "use", "n", "e", "key_ops"}]
    assert [key["kty"] for key in keys.postgrest_jwks()["keys"]] == ["RSA", "oct"]


def test_the_keys_are_readable_by_us_alone_and_stay(home: Path, keys: jwt.KeyRing) -> None:
    assert stat.S_IMODE((home / jwt.KEYS_FILE).stat().st_mode) == 0o600
    assert jwt.load(home).secret_key == keys.secret_key


def test_the_file_keeps_its_owner_when_root_rotates_and_is_on_the_disk_before_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jwt.load(tmp_path)
    calls: list[Any] = []
    status = (tmp_path / jwt.KEYS_FILE).stat()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", lambda _, uid, gid: calls.append((uid, gid)))
    monkeypatch.setattr(os, "fsync", lambda descriptor: calls.append(stat.S_ISDIR(os.fstat(descriptor).st_mode)))
    monkeypatch.setattr(Path, "replace", lambda *_: calls.append("replaced"))
    jwt.rotate(tmp_path)
    assert calls == [(status.st_uid, status.st_gid), False, "replaced", True]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / jwt.KEYS_FILE).write_text("{")
    with pytest.raises(jwt.KeysError, match=r"keys\.json is damaged"):
        jwt.load(tmp_path)


def test_the_fingerprint_is_that_of_the_keys_whichever_signs(tmp_path: Path) -> None:
    before = jwt.load(tmp_path).fingerprint
    jwt.rotate(tmp_path)
    assert jwt.load(tmp_path).fingerprint == before != jwt.load(tmp_path / "other").fingerprint


def test_processes_that_start_at_once_agree_on_one_set_of_keys(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(jwt.load(tmp_path).anon_key)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [jwt.KEYS_FILE]


def test_a_new_signing_key_takes_over_while_tokens_of_the_old_one_live_on(tmp_path: Path) -> None:
    old = jwt.load(tmp_path)
    token = old.sign(claims())
    kid = jwt.rotate(tmp_path)
    fresh = jwt.load(tmp_path)
    assert pyjwt.get_unverified_header(fresh.sign(claims()))["kid"] == kid
    assert fresh.verify(token, now=NOW)
    assert old.verify(fresh.sign(claims()), now=NOW), "a running process learns the new key from its first token"
    assert jwt.retire(tmp_path) == 1
    refuse(jwt.load(tmp_path), token)


def test_unknown_keys_make_us_read_the_file_once_a_minute_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = jwt.load(tmp_path)
    reads: list[int] = []
    monkeypatch.setattr(ring, "_read", lambda: reads.append(1))
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for number in range(50):
        refuse(ring, pyjwt.encode(claims(), stranger, algorithm="RS256", headers={"kid": f"unknown-{number}"}))
    assert len(reads) == 1


def test_a_signature_found_right_is_remembered_and_its_time_checked_anew(home: Path) -> None:
    keys = jwt.load(home)
    moment = datetime.now(UTC)
    token = keys.sign({"sub": "x", "exp": int(moment.timestamp()) + 60})
    claims = keys.verify(token, now=moment)
    claims["sub"] = "somebody else"
    assert keys.verify(token, now=moment)["sub"] == "x"
    assert len(keys._verified) == 1
    with pytest.raises(jwt.TokenExpired):
        keys.verify(token, now=moment + timedelta(minutes=5))


def test_of_remembered_signatures_the_one_not_used_for_longest_goes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = jwt.load(home)
    monkeypatch.setattr(jwt, "MAX_VERIFIED", 2)
    expires = int(datetime.now(UTC).timestamp()) + 60
    first, second, third = (keys.sign({"sub": sub, "exp": expires}) for sub in "abc")
    for token in (first, second, first, third):
        keys.verify(token)
    assert [claims["sub"] for claims, _algorithm in keys._verified.values()] == ["a", "c"]


def test_wrong_signatures_are_not_remembered(home: Path) -> None:
    keys = jwt.load(home)
    token = keys.sign({"exp": int(datetime.now(UTC).timestamp()) + 60})
    with pytest.raises(jwt.TokenError):
        keys.verify(token[:-8] + "AAAAAAAA")
    assert not keys._verified


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_keys_of_the_supabase_cli_sign_and_verify(tmp_path: Path, algorithm: str) -> None:
    cli = ROOT / "node_modules" / ".bin" / "supabase"
    made = subprocess.run(
        [str(cli), "gen", "signing-key", "--algorithm", algorithm, "--workdir", str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    key = json.loads(made.stdout[made.stdout.index("{") : made.stdout.rindex("}") + 1])
    # Other tools leave these out.
    del key["use"], key["key_ops"], key["alg"]
    file = tmp_path / "signing_keys.json"
    file.write_text(json.dumps([key]))
    ring = jwt.load(tmp_path, jwt.Own(jwt_secret="x" * 32, signing_keys=jwt.read_signing_keys(file)))
    token = ring.sign(claims())
    assert pyjwt.get_unverified_header(token) == {"alg": algorithm, "kid": key["kid"], "typ": "JWT"}
    assert ring.verify(token, now=NOW)
    [public] = ring.public_jwks()["keys"]
    assert (public["alg"], public["use"], "d" in public) == (algorithm, "sig", False)
    assert pyjwt.decode(token, pyjwt.PyJWK(public).key, algorithms=[algorithm], options=jwt.SIGNATURE_ONLY)
    assert pyjwt.decode(ring.anon_key, "x" * 32, algorithms=["HS256"])["role"] == "anon"
    with pytest.raises(jwt.KeysError, match="signing_keys_path"):
        jwt.rotate(tmp_path, jwt.Own(signing_keys=jwt.read_signing_keys(file)))


def test_what_signs_sessions_is_a_setting_and_older_tokens_live_on(tmp_path: Path) -> None:
    old = jwt.load(tmp_path).sign(claims())
    with pytest.raises(jwt.KeysError, match="no signing key is for ES256: run 'keys rotate'"):
        jwt.load(tmp_path, jwt.Own(algorithm="ES256"))
    kid = jwt.rotate(tmp_path, jwt.Own(algorithm="ES256"))
    es256 = jwt.load(tmp_path, jwt.Own(algorithm="ES256"))
    assert pyjwt.get_unverified_header(es256.sign(claims())) == {"alg": "ES256", "kid": kid, "typ": "JWT"}
    hs256 = jwt.load(tmp_path, jwt.Own(algorithm="HS256"))
    token = hs256.sign(claims())
    assert pyjwt.get_unverified_header(token) == {"alg": "HS256", "typ": "JWT"}
    for ring in (es256, hs256):
        for each in (old, es256.sign(claims()), token):
            assert ring.verify(each, now=NOW)


def test_the_algorithm_of_a_key_is_the_only_one_it_is_used_with(tmp_path: Path) -> None:
    own = jwt.Own(algorithm="ES256")
    ring = jwt.load(tmp_path, own)
    [public] = ring.public_jwks()["keys"]
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    refuse(ring, pyjwt.encode(claims(), stranger, algorithm="RS256", headers={"kid": public["kid"]}))
    refuse(ring, pyjwt.encode(claims(), public["x"], algorithm="HS256", headers={"kid": public["kid"]}))
