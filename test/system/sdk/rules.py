"""Rules of the Python client, against answers by a script; each for threads and for asyncio."""

import asyncio
import unittest
from typing import Any, Callable

import httpx
from kantoor import AsyncKantoor, ConnectionFailed, Deleted, Kantoor, KantoorError, Restarted, Saved
from kantoor import RateLimitError, ServiceError, SyncTooOldError, TimedOut, ValidationError, etag_of

Answer = httpx.Response | type[Exception]
SOON = {"retry-after": "0"}
UNTIL = {"updated-until": "2026-03-02T09:30:00Z"}


def refusal(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    return httpx.Response(status, headers=headers, json={"error": {"code": code, "message": f"errors.{code}", **more}})


def page(ids: list[str], cursor: str | None, headers: dict[str, str] | None = None) -> httpx.Response:
    rows = [{"id": one, "reason": "deleted"} for one in ids]
    return httpx.Response(200, headers=headers, json={"items": rows, "next_cursor": cursor})


class Script:
    """Answers one request after another, and refuses more than it has."""

    def __init__(self, *answers: Answer) -> None:
        self.left = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.left.pop(0)
        if isinstance(answer, httpx.Response):
            return answer
        raise answer("by the script", request=request)  # type: ignore[call-arg]

    def client(self, **options: Any) -> Kantoor:
        return Kantoor("http://service", api_key="kt_1", http=httpx.Client(transport=httpx.MockTransport(self)), **options)

    def async_client(self, **options: Any) -> AsyncKantoor:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self))
        return AsyncKantoor("http://service", api_key="kt_1", http=http, **options)

    def paths(self) -> list[str]:
        return [str(one.url).removeprefix("http://service/api/v1") for one in self.requests]


class Rules(unittest.TestCase):
    def both(self, answers: Callable[[], list[Answer]], call: Callable[[Any], Any], check: Callable[[Script, Any], None], **options: Any) -> None:
        """Makes a call in both forms of the client, and checks what it returned or raised."""
        for form in ("threads", "asyncio"):
            with self.subTest(form):
                script = Script(*answers())
                try:
                    result = call(script.client(**options)) if form == "threads" else asyncio.run(self.awaited(script, call, options))
                except KantoorError as error:
                    result = error
                check(script, result)
                self.assertEqual(script.left, [])

    async def awaited(self, script: Script, call: Callable[[Any], Any], options: dict[str, Any]) -> Any:
        result = call(script.async_client(**options))
        if hasattr(result, "__aiter__"):
            return [one async for one in result]
        return await result

    def test_repeats_a_write_under_the_same_key(self) -> None:
        def check(script: Script, result: Any) -> None:
            self.assertEqual(result["id"], "1")
            keys = [one.headers["idempotency-key"] for one in script.requests]
            self.assertEqual((len(keys), len(set(keys))), (7, 1))
            self.assertEqual({one.content for one in script.requests}, {b'{"name": "a"}'})

        self.both(
            lambda: [
                httpx.ConnectError,
                *(refusal(status, "away", SOON) for status in (429, 502, 503, 504)),
                refusal(409, "idempotency_in_progress", SOON),
                httpx.Response(201, json={"id": "1"}),
            ],
            lambda client: client.companies.create({"name": "a"}),
            check,
            max_retries=6,
        )

    def test_repeats_no_write_without_a_key_but_after_429(self) -> None:
        self.both(
            lambda: [refusal(429, "rate_limited", SOON), refusal(503, "away", SOON)],
            lambda client: client.auth.login({"username": "a", "password": "b"}),
            lambda script, result: self.assertIsInstance(result, ServiceError),
        )

    def test_does_not_wait_too_long_nor_repeat_too_often(self) -> None:
        read = lambda client: client.companies.get("1")  # noqa: E731
        kinds: list[tuple[Callable[[], list[Answer]], type[KantoorError], int]] = [
            (lambda: [refusal(429, "rate_limited", {"retry-after": "3600"})], RateLimitError, 2),
            (lambda: [refusal(503, "away", SOON), refusal(503, "away", SOON)], ServiceError, 1),
            (lambda: [httpx.ReadTimeout], TimedOut, 0),
            (lambda: [httpx.ConnectError], ConnectionFailed, 0),
        ]
        for answers, kind, retries in kinds:
            self.both(answers, read, lambda _, result: self.assertIsInstance(result, kind), max_retries=retries)

    def test_reports_what_is_invalid(self) -> None:
        def check(_: Script, result: Any) -> None:
            self.assertIsInstance(result, ValidationError)
            self.assertEqual((result.status, result.code, result.fields), (422, "validation", {"name": "errors.required"}))

        answer = lambda: [refusal(422, "validation", fields={"name": "errors.required"})]  # noqa: E731
        self.both(answer, lambda client: client.companies.create({}), check)
        proxy = lambda: [httpx.Response(502, html="<h1>Bad gateway</h1>")]  # noqa: E731
        self.both(proxy, lambda client: client.companies.get("1"), lambda _, error: self.assertEqual(error.code, "http_502"), max_retries=0)

    def test_sends_the_tag_of_the_row_that_was_read(self) -> None:
        script = Script(httpx.Response(200, json={"id": "1"}, headers={"etag": '"7"'}), httpx.Response(200, json={}))
        client = script.client()
        row = client.companies.get("1")
        client.companies.update("1", {}, if_match=row)
        self.assertEqual(script.requests[1].headers["if-match"], '"7"')
        self.assertIn("timeout", script.requests[1].extensions)
        self.assertRaises(KantoorError, etag_of, {"id": "1"})

    def test_sends_no_empty_id_and_no_blank_path(self) -> None:
        script = Script()
        self.assertRaises(KantoorError, script.client().companies.remove, "")
        self.assertRaises(KantoorError, Kantoor, "agency.example")

    def test_walks_a_list_by_its_cursor(self) -> None:
        def check(script: Script, result: Any) -> None:
            self.assertEqual([row["id"] for row in result], ["1", "2", "3"])
            walk = "limit=200&q=a%2Fb&count=false"
            self.assertEqual(sorted(script.paths()[1].split("?")[1].split("&")), sorted([*walk.split("&"), "cursor=c1"]))

        pages = lambda: [page(["1", "2"], "c1"), page([], "c2"), page(["3"], None)]  # noqa: E731

        def call(client: Any) -> Any:
            rows = client.companies.list(q="a/b")
            return list(rows) if isinstance(client, Kantoor) else rows

        self.both(pages, call, check)

    def test_follows_a_list(self) -> None:
        def call(**options: Any) -> Callable[[Any], Any]:
            def follow(client: Any) -> Any:
                changes = client.companies.list(sort="name").changes(**options)
                return list(changes) if isinstance(client, Kantoor) else changes

            return follow

        since = "2026-03-01T00:00:00Z"
        row = lambda one: Saved({"id": one, "reason": "deleted"})  # noqa: E731
        self.both(
            lambda: [page(["1"], "c"), page(["2"], None, UNTIL)],
            call(deleted="company"),
            lambda _, result: self.assertEqual(result, [row("1"), row("2")]),
        )
        self.both(
            lambda: [page(["1"], None, UNTIL), page(["2"], "d"), page(["3"], None)],
            call(since=since, deleted="company"),
            lambda script, result: (
                self.assertEqual(result, [row("1"), Deleted("2", "deleted"), Deleted("3", "deleted")]),
                self.assertNotIn("sort", script.paths()[0]),
            )[0],
        )
        self.both(
            lambda: [refusal(410, "sync_too_old"), page(["1"], None, UNTIL)],
            call(since=since, deleted="company"),
            lambda _, result: self.assertEqual(result, [Restarted(), row("1")]),
        )
        self.both(lambda: [refusal(410, "sync_too_old")], call(), lambda _, result: self.assertIsInstance(result, SyncTooOldError))

    def test_continues_a_stream_after_its_last_event(self) -> None:
        stream = {"content-type": "text/event-stream"}
        script = Script(
            httpx.Response(200, headers=stream, text='retry: 1\n: here\nid: 5\ndata: {"a":\ndata: 1}\n\n'),
            httpx.Response(200, headers=stream, text="event: b\ndata: two\n\n"),
        )
        found = []
        for event in script.client().notifications.stream():
            found.append((event.event, event.data))
            if len(found) == 2:
                break
        self.assertEqual(found, [("message", {"a": 1}), ("b", "two")])
        self.assertEqual(script.requests[1].headers["last-event-id"], "5")


if __name__ == "__main__":
    unittest.main()
