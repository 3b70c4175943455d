"""What an account goes through, with everything logged that can be: no password, token, code or hash among it."""

from __future__ import annotations

from uuid import UUID

import pytest

from backend.core import db
from backend.core.log import JsonFormatter
from backend.core.resources import Resources
from tests.backend.auth.authenticators import totp
from tests.backend.auth.conftest import PASSWORD, Api, Person
from tests.backend.auth.test_factors_totp import protect
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"
# Loggers of the test's own client.
THEIRS = ("httpx", "httpcore", "hypothesis")


async def test_no_secret_of_a_whole_life_is_logged(
    api: Api, person: Person, resources: Resources, now: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    secrets = {PASSWORD, "Sbagliata-1", "Diversa-5678"}
    with caplog.at_level("DEBUG"):
        session = await person(EMAIL)
        assert (await api.sign_in(EMAIL, "Sbagliata-1")).status_code == 400
        renewed = (await api.refresh(session["refresh_token"])).json()
        # What is no token is refused in other ways.
        assert (await api.refresh("a-token-of-nobody")).status_code == 400
        assert (await api.get("/user", "not.a.token")).status_code == 403
        now.advance(seconds=61)
        assert (await api.post("/recover", {"email": EMAIL})).status_code == 200
        link = await api.last_link(EMAIL)
        recovered = await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})
        assert recovered.status_code == 200
        # Used twice, and as what it is not.
        assert (await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})).status_code == 403
        token = recovered.json()["access_token"]
        assert (await api.put("/user", {"password": "Diversa-5678"}, token)).status_code == 200
        factor, raised = await protect(api, now, recovered.json())
        codes = (await api.post("/factors/recovery-codes", {}, raised["access_token"])).json()
        challenge = (await api.post(f"/factors/{factor['id']}/challenge", {}, raised["access_token"])).json()
        code = totp(factor["totp"]["secret"], now())
        wrong = {"challenge_id": challenge["id"], "code": f"{(int(code) + 1) % 10**6:06}"}
        assert (await api.post(f"/factors/{factor['id']}/verify", wrong, raised["access_token"])).status_code == 422
        assert (await api.post("/logout?scope=global", token=raised["access_token"])).status_code == 204
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval(
            "select encrypted_password from auth.users where id = $1", UUID(session["user"]["id"])
        )
    secrets |= {link.token_hash, "a-token-of-nobody", factor["totp"]["secret"], stored, *codes["codes"]}
    for each in (session, renewed, recovered.json(), raised):
        secrets |= {each["access_token"], each["refresh_token"]}
    written = [record for record in caplog.records if not record.name.startswith(THEIRS)]
    logged = "\n".join(map(JsonFormatter().format, written))
    assert "request" in logged
    assert [secret for secret in secrets if secret in logged] == []
