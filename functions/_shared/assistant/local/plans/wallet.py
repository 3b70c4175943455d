"""Credits of the wallet."""

from __future__ import annotations

from functions._shared.assistant.local.italian import count, day
from functions._shared.assistant.local.steps import Plan, Scene, answer, suggest, use


def left(scene: Scene) -> Plan:
    """Balance, use and how long it lasts."""
    result = yield from use(scene, "credits")
    balance = result.get("balance", 0)
    parts = [
        f"Hai **{count(balance, 'credito', 'crediti')}** [[{result['ref']}]]."
        if "ref" in result
        else f"Hai **{count(balance, 'credito', 'crediti')}**."
    ]
    if result.get("held"):
        held = count(result["held"], "credito è impegnato", "crediti sono impegnati")
        parts.append(f"{held} in lavori in corso.")
    used = result.get("used_30d")
    if used:
        parts.append(f"Negli ultimi trenta giorni ne hai usati {used:,}.".replace(",", "."))
    if result.get("lasts_until"):
        parts.append(f"A questo ritmo bastano fino a {day(str(result['lasts_until'])[:10], scene.today)}.")
    elif not used:
        parts.append("Negli ultimi trenta giorni non ne hai usati: non c’è un ritmo da cui prevedere quanto durano.")
    else:
        parts.append("A questo ritmo bastano per più di un anno.")
    if result.get("next_expiry") and result.get("next_expiry_credits"):
        number = result["next_expiry_credits"]
        parts.append(
            f"{count(number, 'credito scade', 'crediti scadono')} {day(str(result['next_expiry'])[:10], scene.today)}."
        )
    return answer(
        " ".join(parts), "In modalità locale le risposte costano 0 crediti.", suggestions=suggest("cosa sai fare?")
    )
