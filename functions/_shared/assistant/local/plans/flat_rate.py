"""What to set aside of this year's takings in the regime forfettario, or why it is not known."""

from __future__ import annotations

from functions._shared.assistant.local.italian import count, shown
from functions._shared.assistant.local.steps import Plan, Result, Scene, answer, suggest, use

_CARD = "[Home](/home#forfettario)"
_SUGGESTED = ("quanto ho incassato quest'anno?", "quanto devo incassare?")
_NO_REGIME = (
    "Non so ancora che regime fiscale hai: sceglilo in [Attività](/settings/business). "
    "Se è il forfettario, su " + _CARD + " stimo quanto mettere da parte."
)
_OTHER_REGIME = (
    "Quanto mettere da parte lo so stimare solo nel regime forfettario, e da [Attività](/settings/business) risulta "
    "che ne hai un altro: lì dipende da costi, IVA e deduzioni che le fatture non dicono. Chiedilo al commercialista."
)
_NO_FIGURES = "La soglia del forfettario di quest’anno qui non c’è ancora: senza, preferisco non stimare niente."
_WITHOUT = {"unknown": _NO_REGIME, "forfettario": _NO_FIGURES}


def set_aside(scene: Scene) -> Plan:
    """Say what to set aside, contributions and tax apart, and what the estimate rests on."""
    result = yield from use(scene, "flat_rate")
    if "cash" not in result:
        return answer(_WITHOUT.get(result["regime"], _OTHER_REGIME), suggestions=suggest(*_SUGGESTED))
    cash = f"Nel {result['year']} hai incassato **{result['cash']}**"
    if "set_aside" not in result:
        return answer(
            f"{cash}. Per stimare quanto mettere da parte mi mancano due risposte, che attività fai e come paghi "
            f"l’INPS: dammele su {_CARD}, con «Calcola quanto mettere da parte».",
            _threshold(result),
            suggestions=suggest(*_SUGGESTED),
        )
    return answer(
        f"{cash}: metti da parte **{result['set_aside']}**, cioè {result['contribution']} di contributi e "
        f"{result['tax']} di imposta sostitutiva.",
        _basis(result),
        _threshold(result),
        f"È una stima, non sostituisce il commercialista. Le fonti delle cifre, e «e se incassi ancora…», sono su "
        f"{_CARD}.",
        suggestions=suggest(*_SUGGESTED),
    )


def _basis(result: Result) -> str:
    """Name the figures that the estimate rests on."""
    rates = result["rates"]
    steps = [f"reddito {result['income']}, il {rates['coefficient']['value']} % degli incassi"]
    if "contribution" in rates:
        steps.append(f"contributi il {rates['contribution']['value']} % del reddito (gestione separata INPS)")
    else:
        steps.append("contributi quelli che hai indicato per l’anno")
    steps.append(f"imposta il {rates['tax']['value']} % di quel che resta")
    return f"Come ci arrivo: {', '.join(steps)}. Contano le fatture segnate come pagate quest’anno, per intero."


def _threshold(result: Result) -> str:
    text = f"Alla soglia di {result['threshold']} mancano {result['left']}."
    if "over_on" in result:
        text = f"Hai superato la soglia di {result['threshold']}."
    if others := result.get("other_currencies"):
        text += f" Fuori dal conto: {count(others, 'incasso', 'incassi')} in un’altra valuta."
    return shown(text, 300)
