"""Compare every number that the product promises with the catalogue, or with the code that keeps it (SITE-27).

web/e2e/claims.spec.ts finds the catalogue's words on the pages; test_catalogue.py recomputes the arithmetic.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from scripts.paths import ROOT
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

# id: price in euro, credits a month, badge, and what must be among the features.
PLANS = {
    "free": (0, 100, None, "100 richieste/ora"),
    "starter": (9.99, 500, "Più Popolare", "500 richieste/ora"),
    "pro": (29.99, 2000, None, "Richieste illimitate"),
    "business": (99.99, 10000, "Enterprise", "SLA 99,9%"),
}
# id: credits, bonus, price in euro, name on /pricing, button of the store, popular, badge.
PACKS = {
    "starter": (100, 0, 9.99, "Starter", "Recupera il Tuo Primo Cliente", False, None),
    "pro": (500, 50, 39.99, "Pro", "Automatizza la Tua Settimana", True, None),
    "enterprise": (1000, 150, 69.99, "Enterprise", "Blocca il Tuo Mese", False, "BEST VALUE"),
}
CLAIMS: dict[str, float] = {
    # Packs and store.
    "discount.pro": 20,
    "discount.enterprise": 30,
    "total.pro": 550,
    "total.enterprise": 1150,
    "time.minutes_per_credit": 15,
    "time.hours_saved": 40,
    "savings.plans": 40,
    "validity.packs": 12,
    # Early bird and marketing.
    "early_bird.seats": 100,
    "early_bird.countdown": 47,
    "early_bird.seats_at_start": 37,
    "early_bird.seats_added": 63,
    "early_bird.price": 9.99,
    "early_bird.price_year": 119.88,
    "early_bird.extra_credits": 500,
    "standard.price": 19.99,
    "standard.price_after_offer": 29.99,
    "savings.tools": 660,
    "savings.table": 780,
    "savings.early_bird": 120,
    "competitors.chat": 20,
    "competitors.notes": 10,
    "competitors.crm": 45,
    "competitors.chat_year": 240,
    "competitors.notes_year": 120,
    "competitors.crm_year": 540,
    "bonus.credits": 500,
    "bonus.value": 15,
    "bonus.stack_value": 89,
    "welcome.credits": 100,
    "guarantee.days": 30,
    "support.reply_hours": 2,
    "setup.seconds": 30,
    "beta.users": 100,
    "faq.on_landing": 4,
    "faq.all": 8,
    "faq.extra_pack": 10,
    # Terms of service.
    "terms.free_credits": 50,
    "terms.starter_price": 9.99,
    "terms.starter_credits": 500,
    "terms.pro_price": 24.99,
    "terms.pro_credits": 2000,
    "terms.business_price": 49.99,
    "terms.business_credits": 5000,
    "terms.action_min": 5,
    "terms.action_max": 10,
    "terms.refund_days": 14,
    "terms.notice_days": 30,
    "terms.inactivity": 12,
    "terms.deletion_days": 30,
    "terms.minimum_age": 16,
    # Retention.
    "retention.account": 30,
    "retention.memory": 30,
    "retention.goals": 90,
    "retention.ethics": 12,
    "retention.insights": 30,
    "retention.billing": 10,
    "retention.analytics": 24,
    "retention.backups": 90,
    # Cookies.
    "cookies.access": 1,
    "cookies.refresh": 30,
    "cookies.product_session": 365,
    "cookies.consent": 365,
    "cookies.analytics": 2,
    # Polling and display.
    "display.poll_seconds": 30,
    "display.notifications_limit": 50,
    "display.popover": 10,
    "display.badge_cap": 9,
    "display.tour_delay": 1.5,
    "display.cookie_banner_delay": 1000,
    "display.tour_layer": 10000,
    "display.low_credits": 5,
}
# Claims in words.
WORDS = {
    "discount.pro": "20% di sconto",
    "discount.enterprise": "30% di sconto",
    "mobile.date": "App mobile Q1 2026",
    "setup.no_card": "Nessuna carta richiesta",
    "retention.chat": "fino alla richiesta di cancellazione",
    "terms.enterprise": "crediti illimitati",
    "terms.pack_expiry": "non scadono",
    "terms.subscription_expiry": "scadono alla fine del periodo",
}
# Figures that the catalogue adds to those above, most of them reckoned from these.
OURS = {
    "competitors.total_year",
    "savings.pack_max",
    "savings.plans_max",
    "savings.plans_min",
    "standard.price_year",
    "terms.bulk_recipients",
    "terms.precedence",
    "time.hours_by_credit",
}


async def _catalog(connection: Connection) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await connection.fetchval("select public.catalog()"))
    return found


async def test_the_plans_are_those_of_the_specification(connection: Connection) -> None:
    plans = {plan["id"]: plan for plan in (await _catalog(connection))["plans"]}
    found = {
        name: (plan["price_cents"] / 100, plan["credits"], plan["badge"], plan["features"][0])
        for name, plan in plans.items()
    }
    assert found == PLANS
    assert {name: plan["period"] for name, plan in plans.items()} == {
        "free": "forever",
        "starter": "month",
        "pro": "month",
        "business": "month",
    }


async def test_the_packs_are_those_of_the_specification(connection: Connection) -> None:
    found = {
        pack["id"]: (
            pack["credits"],
            pack["bonus"],
            pack["price_cents"] / 100,
            *(pack[name] for name in ("name", "store_name", "popular", "badge")),
        )
        for pack in (await _catalog(connection))["packs"]
    }
    assert found == PACKS


async def test_the_claims_are_those_of_the_specification(connection: Connection) -> None:
    claims = (await _catalog(connection))["claims"]
    assert {key: claims[key]["value"] for key in CLAIMS} == CLAIMS
    assert {key: claims[key]["text"] for key in WORDS} == WORDS
    assert set(claims) == {*CLAIMS, *WORDS, *OURS}


async def test_a_claim_s_words_name_its_value(connection: Connection) -> None:
    """So that the text on the page and the value that is reckoned with can never differ."""
    claims = (await _catalog(connection))["claims"]
    wrong = {}
    for key, claim in claims.items():
        numbers = {float(found.replace(",", ".")) for found in re.findall(r"\d+(?:,\d+)?", claim["text"])}
        if claim["value"] is not None and claim["value"] not in numbers:
            wrong[key] = claim["text"]
    assert wrong == {}


async def test_what_an_autonomous_action_costs_is_the_range_of_the_terms(connection: Connection) -> None:
    prices = {row["action"]: row for row in (await _catalog(connection))["credit_prices"]}
    step = prices["autonomous_step"]
    assert (step["min_credits"], step["max_credits"]) == (5, 10)


async def test_welcome_credits_and_early_bird_bonus_are_what_the_pages_promise(connection: Connection) -> None:
    claims = (await _catalog(connection))["claims"]
    assert await connection.fetchval("select private.welcome_credits()") == claims["welcome.credits"]["value"]
    bonus = await connection.fetchval("select private.early_bird_credits()")
    assert {claims[key]["value"] for key in ("bonus.credits", "early_bird.extra_credits")} == {bonus}


# Constants of the client: the claim, where it is kept, how it is written there, and its unit there.
CODE = [
    ("display.poll_seconds", "data/postgrest.ts", r": ([\d_]+)$", 1000),
    ("display.notifications_limit", "data/notifications.ts", r"LIMIT = (\d+)", 1),
    ("display.popover", "features/layout/notification-bell.tsx", r"SHOWN = (\d+)", 1),
    ("display.badge_cap", "strings/numbers.ts", r"unread > (\d+)", 1),
    ("display.tour_delay", "features/layout/guided-tour.tsx", r"DELAY_MS = (\d+)", 1000),
    ("display.tour_layer", "features/layout/tour-steps.tsx", r"zIndex: ([\d_]+)", 1),
    ("display.cookie_banner_delay", "components/cookie-banner.tsx", r"DELAY_MS = ([\d_]+)", 1),
    ("early_bird.countdown", "lib/early-bird.ts", r"TOTAL_HOURS = (\d+)", 1),
    ("early_bird.seats", "lib/early-bird.ts", r"TOTAL_SEATS = (\d+)", 1),
    ("early_bird.seats_at_start", "lib/early-bird.ts", r"SEATS_AT_START = (\d+)", 1),
]


@pytest.mark.parametrize(("key", "path", "pattern", "unit"), CODE, ids=[row[0] for row in CODE])
async def test_a_constant_of_the_client_is_the_claim(
    key: str, path: str, pattern: str, unit: int, connection: Connection
) -> None:
    claims = (await _catalog(connection))["claims"]
    found = re.search(pattern, (ROOT / "web" / "src" / path).read_text(), re.MULTILINE)
    assert found, f"{pattern} is not in {path}"
    assert int(found[1].replace("_", "")) / unit == claims[key]["value"]


async def test_the_low_credit_dialog_starts_where_the_claim_says(connection: Connection) -> None:
    claims = (await _catalog(connection))["claims"]
    default = await connection.fetchval(
        """
        select column_default from information_schema.columns
        where table_name = 'credit_settings' and column_name = 'low_threshold'
        """
    )
    assert int(default) == claims["display.low_credits"]["value"]
