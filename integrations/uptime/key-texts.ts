import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const uptimeFieldTexts = {
  "errors.uptime_unreachable": [
    "No connection to the uptime server was possible, or it did not answer in time.",
    "Check the address, and that the server runs.",
  ],
  "errors.uptime_not_server": [
    "The address does not belong to an Uptime Kuma server.",
    "Send the address at which its own pages open.",
  ],
  "errors.uptime_gateway_refused": [
    "A proxy in front of the uptime server requires more than it was sent.",
    "Send the headers that the proxy requires, or let the service through.",
  ],
  "errors.uptime_version_unsupported": ["The version of the uptime server is not supported.", "Upgrade the server."],
  "errors.uptime_rate_limited": [
    "The uptime server accepts no more sign-ins for now, or the service's own limit is reached.",
    "Wait a minute, then try again.",
  ],
  "errors.uptime_credentials_rejected": [
    "The uptime server rejected the user name or the password.",
    "Send the credentials of an account of that server.",
  ],
  "errors.uptime_totp_required": ["The account of the uptime server has a second factor.", "Send the current code as well."],
  "errors.uptime_totp_rejected": ["The uptime server rejected the code of the second factor.", "Send a fresh code."],
} satisfies ErrorTexts;
