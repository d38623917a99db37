"""What a round of a copy reports, and the requests that it makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, List, Mapping, Sequence, TypeVar, Union

from typing_extensions import TypedDict

from .answers import headers_of
from .errors import KantoorError
from .plan import Operation

Item = TypeVar("Item")

BEGINNING = "1970-01-01T00:00:00Z"
DELETED = Operation("GET", "/deleted")


class Page(TypedDict, Generic[Item]):
    """One page of a list."""

    items: List[Item]
    #: Number of rows on all pages; with `count=False` the number on this page.
    total: int
    limit: int
    offset: int
    #: The `cursor` of the next page; None on the last.
    next_cursor: Union[str, None]


@dataclass(frozen=True)
class Saved(Generic[Item]):
    """The row is new, or has changed."""

    row: Item


@dataclass(frozen=True)
class Deleted:
    """The row is gone (`deleted`), or the caller no longer sees it (`left_view`)."""

    id: str
    reason: str


@dataclass(frozen=True)
class Restarted:
    """The service cannot tell what has changed since: empty the copy; all rows follow."""


Change = Union[Saved[Item], Deleted, Restarted]


def rows_of(body: object) -> Sequence[object]:
    """The rows of a page, or of a list without pages."""
    rows = body.get("items") if isinstance(body, Mapping) else body
    return rows if isinstance(rows, list) else []


def next_of(body: object) -> str | None:
    """The cursor of the next page."""
    cursor = body.get("next_cursor") if isinstance(body, Mapping) else None
    return cursor if isinstance(cursor, str) else None


def until_of(body: object) -> str:
    """`Updated-Until` of the last page."""
    until: str | None = headers_of(body).get("updated-until")
    if until is None:
        raise KantoorError("The service did not say until when the changes were read (`Updated-Until`).")
    return until


def deleted_of(body: object) -> list[Deleted]:
    """The rows of a page of `GET /deleted`."""
    return [Deleted(str(one["id"]), str(one["reason"])) for one in rows_of(body) if isinstance(one, Mapping)]
