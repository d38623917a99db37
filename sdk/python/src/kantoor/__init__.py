"""The typed client of the Kantoor API."""

from . import webhooks
from .answers import ServerEvent, Upload, etag_of, headers_of
from .api_async import AsyncKantoor
from .api_sync import Kantoor
from .changes import Change, Deleted, Page, Restarted, Saved
from .client_async import AsyncChanges, AsyncDownload, AsyncListing
from .client_sync import Changes, Download, Listing
from .errors import (
    ApiError,
    ChangedError,
    ConflictError,
    ConnectionFailed,
    ForbiddenError,
    KantoorError,
    LicenceError,
    NotFoundError,
    RateLimitError,
    ServiceError,
    SyncTooOldError,
    TimedOut,
    UnauthorizedError,
    ValidationError,
    WebhookError,
)

__all__ = [
    "ApiError",
    "AsyncChanges",
    "AsyncDownload",
    "AsyncKantoor",
    "AsyncListing",
    "Change",
    "ChangedError",
    "Changes",
    "ConflictError",
    "ConnectionFailed",
    "Deleted",
    "Download",
    "ForbiddenError",
    "Kantoor",
    "KantoorError",
    "LicenceError",
    "Listing",
    "NotFoundError",
    "Page",
    "RateLimitError",
    "Restarted",
    "Saved",
    "ServerEvent",
    "ServiceError",
    "SyncTooOldError",
    "TimedOut",
    "UnauthorizedError",
    "Upload",
    "ValidationError",
    "WebhookError",
    "etag_of",
    "headers_of",
    "webhooks",
]
