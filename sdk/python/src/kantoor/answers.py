"""Answers with what their headers say, files to send, and server-sent events."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import BinaryIO, Dict, Iterator, List, Mapping, Tuple, Union
from urllib.parse import unquote

import httpx

from .errors import KantoorError

#: A file to send: bytes or an open binary file, alone or with its name, or with its name and media type.
Content = Union[bytes, BinaryIO]
Upload = Union[Content, Tuple[str, Content], Tuple[str, Content, str]]


class Row(Dict[str, object]):
    """An object of an answer, with the headers that it came with."""

    headers: httpx.Headers


class Rows(List[object]):
    """A list of an answer, with the headers that it came with."""

    headers: httpx.Headers


def headers_of(answer: object) -> httpx.Headers:
    """The headers that an object or a list came with, such as `X-Request-Id`. Raises KantoorError for a part of an answer."""
    if isinstance(answer, (Row, Rows)):
        return answer.headers
    raise KantoorError("Only what a call returned has headers, not a part of it.")


def etag_of(row: object) -> str:
    """The entity tag that a row was read with. Raises KantoorError for a row that no `get` returned."""
    tag = row if isinstance(row, str) else row.headers.get("etag") if isinstance(row, Row) else None
    if tag is None:
        raise KantoorError("if_match takes an entity tag or a row that `get` returned; rows of lists have no entity tag.")
    return tag


def parsed(response: httpx.Response) -> object:
    """The JSON of an answer whose body was read; None if it is empty."""
    if response.content == b"":
        return None
    try:
        value = response.json()
    except ValueError as error:
        raise KantoorError(f"{response.url} answered with something other than JSON") from error
    if isinstance(value, dict):
        row = Row(value)
        row.headers = response.headers
        return row
    if isinstance(value, list):
        rows = Rows(value)
        rows.headers = response.headers
        return rows
    return value


def files_of(body: Mapping[str, object]) -> tuple[dict[str, object], list[tuple[str, tuple[str, bytes, str]]]]:
    """The texts and the files of a form. Open files are read here, for a retry has to send them again."""
    texts: dict[str, object] = {}
    files: list[tuple[str, tuple[str, bytes, str]]] = []
    for key, value in body.items():
        if value is None:
            continue
        if isinstance(value, (str, int, float, bool)):
            texts[key] = json.dumps(value) if isinstance(value, bool) else str(value)
        elif isinstance(value, bytes) or hasattr(value, "read"):
            files.append((key, (_name(value), _bytes(value), "application/octet-stream")))
        elif isinstance(value, tuple):
            name, content, *kind = value
            files.append((key, (str(name), _bytes(content), str(kind[0]) if kind else "application/octet-stream")))
        else:
            texts[key] = json.dumps(value)
    return texts, files


def _name(value: object) -> str:
    path = getattr(value, "name", None)
    return re.split(r"[/\\]", path)[-1] if isinstance(path, str) else "file"


def _bytes(value: object) -> bytes:
    content = value.read() if hasattr(value, "read") else value
    if not isinstance(content, bytes):
        raise KantoorError("A file to send is bytes or a file that was opened in binary mode.")
    return content


def filename_of(disposition: str) -> str | None:
    """`filename` of a `Content-Disposition`; the extended form of RFC 6266 counts more."""
    extended = re.search(r"filename\*=UTF-8''([^;]+)", disposition, re.IGNORECASE)
    if extended:
        return unquote(extended.group(1))
    plain = re.search(r'filename="((?:[^"\\]|\\.)*)"', disposition, re.IGNORECASE)
    return re.sub(r"\\(.)", r"\1", plain.group(1)) if plain else None


@dataclass(frozen=True)
class ServerEvent:
    """One server-sent event, its data parsed. `id` is what the stream continues after."""

    event: str
    data: object
    id: str | None = None


class EventReader:
    """Makes events of lines, as HTML describes the format. Comments, which keep the connection open, are skipped."""

    def __init__(self) -> None:
        self._event = ""
        self._data: list[str] = []
        self.last_id: str | None = None
        #: Seconds until the stream is opened again.
        self.wait = 1.0

    def feed(self, line: str) -> Iterator[ServerEvent]:
        """The event that a line ends, if it does."""
        if line == "":
            if self._data:
                yield ServerEvent(self._event or "message", _value("\n".join(self._data)), self.last_id)
            self._event, self._data = "", []
            return
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            self._event = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self.last_id = value
        elif field == "retry" and value.isdigit():
            self.wait = int(value) / 1000


def _value(text: str) -> object:
    try:
        value: object = json.loads(text)
        return value
    except ValueError:
        return text
