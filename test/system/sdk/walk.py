"""Runs against a service with the installed package, after the README's example, whose names it imports."""

import asyncio
import os
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Callable

import readme
from kantoor import (
    AsyncKantoor,
    Kantoor,
    KantoorError,
    NotFoundError,
    Saved,
    UnauthorizedError,
    ValidationError,
    WebhookError,
    headers_of,
)
from readme import company, copy, follow, kantoor, paid, pdf, receive

URL = os.environ["KANTOOR_URL"]
KEY = os.environ["KANTOOR_KEY"]
ROWS = int(os.environ["SDK_ROWS"])


def refused(call: Callable[[], object]) -> KantoorError:
    """The error of a call that has to be refused."""
    try:
        call()
    except KantoorError as error:
        return error
    raise AssertionError("The call was not refused.")


# The README's road.
follow()
assert paid["status"] == "paid" and pdf.startswith(b"%PDF-")
assert copy[company["id"]]["city"] == "Utrecht"
assert asyncio.run(readme.first_event()) in ("unread", "notification")
print("README")

# A file comes back as it was sent, in pieces, with the name it was sent under.
stored = list(kantoor.files.list(entity_type="company", entity_id=company["id"]))
file = kantoor.files.get(stored[0]["id"])
assert file.filename == "invoice.pdf" and b"".join(file.pieces()) == pdf
print("file")

# Refusals have classes, codes and fields.
invalid = refused(lambda: kantoor.companies.create({"name": ""}))
assert isinstance(invalid, ValidationError) and "name" in invalid.fields and invalid.request_id
assert isinstance(refused(lambda: kantoor.companies.get(str(uuid.uuid4()))), NotFoundError)
assert isinstance(refused(lambda: Kantoor(URL, api_key="kt_wrong").companies.list().page()), UnauthorizedError)
print("refusals")

# A write under one key is done once, and says so.
key = str(uuid.uuid4())
once = kantoor.companies.create({"name": "Touwslagerij Kabel"}, idempotency_key=key)
twice = kantoor.companies.create({"name": "Touwslagerij Kabel"}, idempotency_key=key)
assert once["id"] == twice["id"] and headers_of(twice)["idempotent-replayed"] == "true"
print("once")

# Many rows come in by one file, and a copy follows them; with asyncio as well.
csv = "\n".join(["name,city", *(f"Walvisboot {index},Kollum" for index in range(ROWS))]).encode()
started = kantoor.impex.company.import_({"file": ("companies.csv", csv, "text/csv")}, dry_run=False)
if "job_id" in started:
    while (status := kantoor.impex.jobs.get(started["job_id"])["status"]) != "done":
        assert status != "failed"
        time.sleep(0.25)
follow()
assert sum(row["city"] == "Kollum" for row in copy.values()) == ROWS
first, second, *_ = list(kantoor.companies.list(q="walvisboot"))
kantoor.companies.remove(first["id"])
kantoor.companies.update(second["id"], {"city": "Gouda"})
follow()
assert first["id"] not in copy and copy[second["id"]]["city"] == "Gouda"


async def follow_again() -> int:
    async with AsyncKantoor(URL, api_key=KEY) as client:
        changes = client.companies.list().changes(deleted="company")
        rows = [change.row["city"] async for change in changes if isinstance(change, Saved)]
        assert changes.until
        return rows.count("Kollum")


# One was removed, and one moved.
assert asyncio.run(follow_again()) == ROWS - 2
print(f"{ROWS} rows followed")

# A webhook arrives, is verified, and is refused when it was changed on the way.
received = threading.Event()
secret = ""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = dict(self.headers.items())
        receive(body, headers, secret)
        changed = body.replace(b"company", b"compane")
        assert isinstance(refused(lambda: receive(changed, headers, secret)), WebhookError)
        self.send_response(204)
        self.end_headers()
        received.set()


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"
secret = kantoor.webhooks.endpoints.create({"name": "Receiver", "url": url, "events": ["company.created"]})["secret"]
kantoor.companies.create({"name": "Zeilmakerij Storm"})
assert received.wait(120)
print("webhook")
