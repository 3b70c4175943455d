"""Pages of the admin's lists: what was asked for, and the headers that lead to the others (RFC 8288)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request

from backend.auth import errors

PER_PAGE = 50
MOST_PER_PAGE = 1000
# Far beyond any list, and small enough for an offset in Postgres.
LAST_PAGE = 10**9


@dataclass(frozen=True)
class Page:
    """A page of a list; the first one is 1."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        return (self.number - 1) * self.size


def read(request: Request) -> Page:
    """The page of `page` and `per_page`; '' counts as absent, as the official clients send it."""
    return Page(whole_number(request, "page", 1, LAST_PAGE), whole_number(request, "per_page", PER_PAGE, MOST_PER_PAGE))


def whole_number(request: Request, name: str, default: int, most: int) -> int:
    """A number of the query, cut to `most`. Raises AuthError validation_failed."""
    given = request.query_params.get(name, "")
    if not given:
        return default
    if not given.isascii() or not given.isdigit() or len(given) > 18 or int(given) < 1:
        raise errors.invalid(f"Bad Pagination Parameters: {name} must be a positive number")
    return min(int(given), most)


def headers(request: Request, page: Page, total: int) -> dict[str, str]:
    """X-Total-Count, and Link with `next` (if there is one) and `last`."""
    last = -(-total // page.size)
    links = [(page.number + 1, "next")] if last > page.number else []
    links.append((last, "last"))
    return {"X-Total-Count": str(total), "Link": ", ".join(_link(request, number, rel) for number, rel in links)}


def _link(request: Request, number: int, rel: str) -> str:
    """`page` comes first in the query: auth-js reads what follows the first equals sign."""
    others = [(name, value) for name, value in request.query_params.multi_items() if name != "page"]
    return f'<{request.url.path}?{urlencode([("page", number), *others])}>; rel="{rel}"'
