"""
The client for asyncio.

`client_sync.py`, for threads, is written from this file: without `async` and `await`.
"""

from __future__ import annotations

from asyncio import sleep
from types import TracebackType
from typing import AsyncIterator, Awaitable, Callable, Generic, Mapping, TypeVar, cast

import httpx

from .answers import EventReader, ServerEvent, filename_of, parsed
from .changes import (
    BEGINNING,
    DELETED,
    Change,
    Deleted,
    Item,
    Restarted,
    Saved,
    deleted_of,
    next_of,
    rows_of,
    until_of,
)
from .errors import KantoorError, SyncTooOldError, refusal_of
from .plan import Call, Operation, Settings, api_of, failed, request_of, wait_after

Body = TypeVar("Body")
#: Reads one page, with parameters in addition to those of the list.
ReadAsyncPage = Callable[[Mapping[str, object]], Awaitable[object]]


class AsyncDownload:
    """A file of an answer. Its body can be read once, whole or in pieces."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.content_type: str = response.headers.get("content-type", "application/octet-stream")
        #: Name that the service proposes.
        self.filename: str | None = filename_of(response.headers.get("content-disposition", ""))
        self.headers: httpx.Headers = response.headers

    async def read(self) -> bytes:
        """All of it."""
        try:
            return await self._response.aread()
        finally:
            await self._response.aclose()

    async def pieces(self) -> AsyncIterator[bytes]:
        """It in pieces, as they arrive."""
        try:
            async for piece in self._response.aiter_bytes():
                yield piece
        finally:
            await self._response.aclose()


class AsyncListing(Generic[Item, Body]):
    """
    A list: `page()` is one page, and walking it gives all rows.

    A walk reads pages of 200 rows unless the call has a `limit`, and follows their cursor: a row that stays as it is comes exactly once,
    however others change meanwhile.
    """

    def __init__(self, read: ReadAsyncPage, read_deleted: ReadAsyncPage, walk: Mapping[str, object]) -> None:
        self._read = read
        self._read_deleted = read_deleted
        self._walk = walk

    async def page(self) -> Body:
        """One page, as the call asks for it; all rows of a list without pages."""
        return cast(Body, await self._read({}))

    async def pages(self) -> AsyncIterator[Body]:
        """All pages, from that of the call to the last."""
        page = await self._read(self._walk)
        while True:
            yield cast(Body, page)
            cursor = next_of(page)
            if cursor is None:
                return
            page = await self._read({**self._walk, "offset": None, "cursor": cursor})

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for row in rows_of(page):
                yield cast(Item, row)

    def changes(self, since: str | None = None, deleted: str | None = None) -> AsyncChanges[Item]:
        """
        What has changed since an instant, for a copy of the list: all rows in the first round, then what was saved, what was deleted, and
        what the caller no longer sees.

        Store the rows, then `until`, which is the `since` of the next round. `deleted` is the kind of the rows in `GET /deleted`, such as
        `company`; without it the round has no deleted rows.
        """
        return AsyncChanges(self._read, self._read_deleted, self._walk, since or BEGINNING, deleted)


class AsyncChanges(Generic[Item]):
    """One round of a copy. Walk it once; then `until` is set."""

    def __init__(
        self, read: ReadAsyncPage, read_deleted: ReadAsyncPage, walk: Mapping[str, object], since: str, deleted: str | None
    ) -> None:
        self._read = read
        self._read_deleted = read_deleted
        self._walk = {**walk, "sort": None, "offset": None}
        self._since = since
        self._kind = deleted
        self._until: str | None = None

    @property
    def until(self) -> str:
        """The instant for `since` of the next round. Raises KantoorError before the round was walked to its end."""
        if self._until is None:
            raise KantoorError("`until` is known once all changes of the round were read.")
        return self._until

    async def _saved(self, since: str) -> AsyncIterator[Saved[Item]]:
        query: Mapping[str, object] = {**self._walk, "updated_since": since}
        while True:
            page = await self._read(query)
            for row in rows_of(page):
                yield Saved(cast(Item, row))
            cursor = next_of(page)
            if cursor is None:
                self._reached = until_of(page)
                return
            query = {**query, "cursor": cursor}

    async def _deleted(self, kind: str, since: str) -> AsyncIterator[Deleted]:
        query: Mapping[str, object] = {"entity_type": kind, "since": since, "limit": 200}
        while True:
            page = await self._read_deleted(query)
            for one in deleted_of(page):
                yield one
            cursor = next_of(page)
            if cursor is None:
                return
            query = {**query, "cursor": cursor}

    async def _round(self, since: str) -> AsyncIterator[Change[Item]]:
        async for saved in self._saved(since):
            yield saved
        # The first copy has none of the deleted rows.
        if self._kind is not None and since != BEGINNING:
            async for gone in self._deleted(self._kind, since):
                yield gone
        self._until = self._reached

    async def __aiter__(self) -> AsyncIterator[Change[Item]]:
        self._until = None
        try:
            async for change in self._round(self._since):
                yield change
        except SyncTooOldError:
            if self._since == BEGINNING:
                raise
            yield Restarted()
            async for change in self._round(BEGINNING):
                yield change


class AsyncClient:
    """Makes calls of operations, and their answers into what the operation answers with."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        access_token: str | None = None,
        max_retries: int = 2,
        timeout: float = 60.0,
        longest_wait: float = 60.0,
        headers: Mapping[str, str] | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """
        `base_url` is the address of the organisation, such as `https://agency.example`; `/api/v1` is added. `api_key` is a key (`kt_…`),
        `access_token` a token of OAuth. Times are seconds: `timeout` is that of an attempt, and a `Retry-After` beyond `longest_wait` is
        raised as RateLimitError. `http` is the client to call with, for proxies and certificates of your own.
        """
        credential = {"X-API-Key": api_key} if api_key else {"Authorization": f"Bearer {access_token}"} if access_token else {}
        self._settings = Settings(api_of(base_url), {**(headers or {}), **credential}, max_retries, longest_wait)
        self._http = http or httpx.AsyncClient(timeout=timeout)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _send(self, call: Call) -> httpx.Response:
        """The answer of 2xx to a call, its body not read yet."""
        request = request_of(self._settings, call, self._http.build_request)
        attempt = 0
        while True:
            error: KantoorError
            try:
                response = await self._http.send(request, stream=True)
                if response.is_success:
                    return response
                await response.aread()
                await response.aclose()
                error = refusal_of(response)
            except httpx.TransportError as reason:
                error = failed(request, reason)
                error.__cause__ = reason
            await sleep(wait_after(self._settings, call.operation, attempt, error))
            attempt += 1

    async def json(self, call: Call) -> object:
        """The JSON of an answer; None if it has no body."""
        response = await self._send(call)
        try:
            await response.aread()
        except httpx.TransportError as reason:
            raise failed(response.request, reason) from reason
        finally:
            await response.aclose()
        return parsed(response)

    async def none(self, call: Call) -> None:
        """Makes a call whose answer has no body."""
        await (await self._send(call)).aclose()

    async def file(self, call: Call) -> AsyncDownload:
        """The file of an answer."""
        return AsyncDownload(await self._send(call))

    def _reader(self, call: Call) -> ReadAsyncPage:
        async def read(more: Mapping[str, object]) -> object:
            return await self.json(Call(call.operation, call.path, query={**call.query, **more}))

        return read

    def listing(self, call: Call) -> AsyncListing[object, object]:
        """The list of a call."""
        largest: Mapping[str, object] = {"limit": 200, "count": False}
        walk = {name: largest[name] for name in call.operation.walks if call.query.get(name) is None}
        return AsyncListing(self._reader(call), self._reader(Call(DELETED)), walk)

    async def events(self, call: Call) -> AsyncIterator[ServerEvent]:
        """
        The events of a stream; leaving the loop closes the connection.

        A stream that can be continued (its operation is a read) is opened again after the last event when the connection breaks; the
        answer of a model is not, for that would ask it again.
        """
        continues = call.operation.method == "GET"
        reader = EventReader()
        while True:
            response = await self._send(Call(call.operation, call.path, call.body, call.query, last_event_id=reader.last_id))
            try:
                async for line in response.aiter_lines():
                    for event in reader.feed(line):
                        yield event
            except httpx.TransportError as reason:
                if not continues:
                    raise failed(response.request, reason) from reason
            finally:
                await response.aclose()
            if not continues:
                return
            await sleep(reader.wait)

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, object] | None = None,
        idempotency_key: str | None = None,
        if_match: object = None,
    ) -> object:
        """Calls any path of the API, such as one that a module of your own adds; the result is what JSON the answer has."""
        operation = Operation(method.upper(), path, "json", takes_key=idempotency_key is not None)
        return await self.json(Call(operation, (), body, query or {}, idempotency_key, if_match))
