"""The day in the past that ends a line («… ieri», «… venerdì», «… il 15 novembre»), read by periods.json."""

from datetime import date, timedelta

from functions._shared.quick_add import rules
from functions._shared.quick_add.days import make, number
from functions._shared.quick_add.match import Line
from functions._shared.quick_add.rules import Values
from functions._shared.quick_add.tokens import tokens_of

# Between two 29 February there are up to eight years.
_LONGEST_BACK = 9


def read(text: str, today: date) -> tuple[int, date | None] | None:
    """Return where the day at the end of a text begins, and the day; None for a day that does not exist."""
    line = Line(text, tokens_of(text))
    found = (line.match(rule, place) for place in range(len(line.tokens)) for rule in rules.PAST_DAYS)
    match = next((each for each in found if each), None)
    return (line.tokens[match.first].start, _day(match.values, today)) if match else None


def _day(values: Values, today: date) -> date | None:
    """Return the last such day that has been."""
    if "ago" in values:
        return today + timedelta(days=number(values, "ago"))
    if "wd" in values:
        return today - timedelta(days=(today.weekday() - number(values, "wd")) % 7 or 7)
    month, day = number(values, "month", today.month), number(values, "day")
    if not 1 <= month <= 12:
        return None
    if "year" in values:
        return make(number(values, "year"), month, day)
    # «il 28» on the 23rd was last month's, «il 31» that of the last month which has one; «il 3 dicembre» last year's.
    step = 12 if "month" in values else 1
    been = (make(today.year, month - back, day) for back in range(0, _LONGEST_BACK * step, step))
    return next((each for each in been if each and each <= today), None)
