"""What can go wrong with a call, as classes."""

from __future__ import annotations

import json
from typing import Mapping

import httpx


class KantoorError(Exception):
    """Any failure of a call: refused by the service (`ApiError`), or never answered (`ConnectionFailed`)."""


class ConnectionFailed(KantoorError):
    """The service could not be reached, or the connection broke, at every attempt. The reason is in `__cause__`."""


class TimedOut(ConnectionFailed):
    """The service did not answer within the `timeout` of the client."""


class WebhookError(KantoorError):
    """The request is not a webhook of this endpoint: unsigned, signed with another secret, changed, or older than five minutes."""


class ApiError(KantoorError):
    """The service refused the call."""

    def __init__(self, response: httpx.Response) -> None:
        refusal = _refusal(response.text)
        code = refusal.get("code")
        message = refusal.get("message")
        self.status: int = response.status_code
        self.code: str = code if isinstance(code, str) else f"http_{self.status}"
        self.fields: Mapping[str, str] = {key: str(value) for key, value in _members(refusal.get("fields")).items()}
        self.details: Mapping[str, object] = _members(refusal.get("details"))
        self.request_id: str | None = response.headers.get("x-request-id")
        self.headers: httpx.Headers = response.headers
        super().__init__(message if isinstance(message, str) else f"The answer was {self.status} {response.reason_phrase}")


class UnauthorizedError(ApiError):
    """401: no credential, or not a valid one."""


class LicenceError(ApiError):
    """402: the module is not licensed."""


class ForbiddenError(ApiError):
    """403: the caller lacks the permission."""


class NotFoundError(ApiError):
    """404: the row does not exist, or the caller cannot see it."""


class ConflictError(ApiError):
    """409: the state of the row does not allow the call."""


class SyncTooOldError(ApiError):
    """410 `sync_too_old`: the copy has to begin again, from an empty one."""


class ChangedError(ApiError):
    """412: the row has changed since it was read."""


class ValidationError(ApiError):
    """422: `fields` names what is invalid."""


class RateLimitError(ApiError):
    """429: too many calls, also after the retries."""


class ServiceError(ApiError):
    """500 and up: the service, or a provider behind it, is away or failed."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    401: UnauthorizedError,
    402: LicenceError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    412: ChangedError,
    422: ValidationError,
    429: RateLimitError,
}


def _members(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _refusal(text: str) -> dict[str, object]:
    """The members of `{"error": {…}}`; a proxy in between answers without them."""
    try:
        return _members(_members(json.loads(text)).get("error"))
    except ValueError:
        return {}


def refusal_of(response: httpx.Response) -> ApiError:
    """The error of an answer that is not 2xx, whose body was read."""
    refused = ApiError(response)
    if refused.code == "sync_too_old":
        return SyncTooOldError(response)
    kind = _BY_STATUS.get(response.status_code, ServiceError if response.status_code >= 500 else ApiError)
    return kind(response)
