"""Webhooks: verified messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Mapping, cast

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from .errors import WebhookError

if TYPE_CHECKING:
    from .models import WebhookMessage


def verify(body: str | bytes, headers: Mapping[str, str], secret: str) -> WebhookMessage:
    """
    The message of a webhook, once its signature is verified.

    `body` is exactly what arrived, before anything parses it; `secret` is what `webhooks.endpoints.create` returned: `whsec_…`.
    Raises WebhookError.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        return cast("WebhookMessage", Webhook(secret).verify(body, given))
    except (WebhookVerificationError, ValueError) as error:
        raise WebhookError(str(error)) from error
