"""What a call sends, and when it is repeated; the same for threads and for asyncio."""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Callable, Mapping, Sequence
from urllib.parse import quote, urlencode, urlsplit

import httpx

from .answers import etag_of, files_of
from .errors import ApiError, ConnectionFailed, KantoorError, TimedOut

_RETRIED = (429, 502, 503, 504)
_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 8.0


@dataclass(frozen=True)
class Operation:
    """One operation of the API, as the client calls it."""

    method: str
    path: str
    #: `json`, `multipart`, `form`, or nothing.
    body: str = ""
    #: Those of `limit` and `count` that a list takes.
    walks: Sequence[str] = ()
    takes_key: bool = False


@dataclass(frozen=True)
class Call:
    """One call: its operation with everything that the caller gave."""

    operation: Operation
    path: Sequence[str] = ()
    body: object = None
    query: Mapping[str, object] = field(default_factory=dict)
    idempotency_key: str | None = None
    if_match: object = None
    last_event_id: str | None = None


@dataclass(frozen=True)
class Settings:
    """How a client reaches the service."""

    api: str
    headers: Mapping[str, str]
    max_retries: int
    longest_wait: float


def api_of(base_url: str) -> str:
    """`https://agency.example` with `/api/v1`; an address that has a path already keeps it."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise KantoorError(f"base_url is not an address of the web: {base_url!r}.")
    path = parts.path.rstrip("/") or "/api/v1"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one) for one in value)
    return str(value)


def query_of(query: Mapping[str, object]) -> str:
    """The parameters of a query: lists with commas; None is left out."""
    pairs = [(key, _text(value)) for key, value in query.items() if value is not None]
    return f"?{urlencode(pairs)}" if pairs else ""


def _url(settings: Settings, call: Call) -> str:
    given = iter(call.path)

    def fill(match: re.Match[str]) -> str:
        value = next(given, "")
        # An empty segment would name another operation: the list instead of one row.
        if value == "":
            raise KantoorError(f"{call.operation.path} needs {match.group(1)}.")
        return quote(value, safe="")

    return settings.api + re.sub(r"\{([^}]+)\}", fill, call.operation.path) + query_of(call.query)


def request_of(settings: Settings, call: Call, build: Callable[..., httpx.Request]) -> httpx.Request:
    """
    The request of a call. Every attempt sends this one, so that all have the same `Idempotency-Key`.

    `build` is the `build_request` of the HTTP client, which adds its timeout.
    """
    operation = call.operation
    headers = {"Accept": "application/json, */*", **settings.headers}
    if operation.takes_key:
        headers["Idempotency-Key"] = call.idempotency_key or str(uuid.uuid4())
    if call.if_match is not None:
        headers["If-Match"] = etag_of(call.if_match)
    if call.last_event_id is not None:
        headers["Last-Event-ID"] = call.last_event_id
    url = _url(settings, call)
    if call.body is None or operation.body == "":
        return build(operation.method, url, headers=headers)
    if operation.body == "json":
        headers["Content-Type"] = "application/json"
        return build(operation.method, url, headers=headers, content=json.dumps(call.body).encode())
    if not isinstance(call.body, Mapping):
        raise KantoorError(f"{operation.path} takes a mapping.")
    if operation.body == "multipart":
        texts, files = files_of(call.body)
        request = build(operation.method, url, headers=headers, data=texts, files=files)
        # The parts are bytes in memory: read once, they can be sent again.
        request.read()
        return request
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    return build(operation.method, url, headers=headers, content=query_of(call.body)[1:].encode())


def retry_after(headers: httpx.Headers, now: float) -> float | None:
    """Seconds that an answer asks to wait, by seconds or by date; None without a `Retry-After`."""
    value = headers.get("retry-after")
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError):
        return None


def _backoff(attempt: int) -> float:
    """0.5, 1, 2 … 8 s, each shortened by up to a half so that callers that failed together do not return together."""
    return float(min(_LONGEST_BACKOFF, _FIRST_WAIT * 2**attempt)) * (1 - random.random() / 2)


def wait_after(settings: Settings, operation: Operation, attempt: int, error: KantoorError) -> float:
    """
    Seconds until the next attempt; raises the error if there is none.

    Reads, and writes with an `Idempotency-Key`, are repeated when the connection fails and on 429, 502, 503 and 504. Other writes are
    repeated on 429 alone, which says that nothing was done.
    """
    if attempt >= settings.max_retries:
        raise error
    repeatable = operation.takes_key or operation.method == "GET"
    if isinstance(error, ApiError):
        wait = retry_after(error.headers, time.time())
        wait = _backoff(attempt) if wait is None else wait
        if error.status in _RETRIED:
            again = repeatable or error.status == 429
        else:
            again = error.code == "idempotency_in_progress"
        if again and wait <= settings.longest_wait:
            return wait
        raise error
    if not repeatable:
        raise error
    return _backoff(attempt)


def failed(request: httpx.Request, error: httpx.TransportError) -> ConnectionFailed:
    """The error of a request without an answer."""
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(f"{request.method} {request.url} was not answered in time")
    return ConnectionFailed(f"{request.method} {request.url} could not be sent")
