import { MAIL_PROVIDERS, MAIL_SECURITY } from "./mail-choices.ts";
import { type Setting, secretSetting, setting } from "./setting.ts";
import { addresses, mailbox, nameServers, oneOf, service, text, whole } from "./values.ts";

/** Outbound calls in general, and mail of organisations without a transport of their own. */
export const outboundSettings = {
  addressApiUrl: setting(
    "SERVICE_ADDRESS_API_URL",
    "https://api.pdok.nl/bzk/locatieserver/search/v3_1",
    service,
    "Search service of Dutch addresses (PDOK Locatieserver) behind `addresslookup`",
  ),
  outboundAllowedRanges: setting(
    "SERVICE_OUTBOUND_ALLOWED_RANGES",
    undefined,
    addresses,
    "Internal addresses or CIDR ranges that webhooks, channels, SMTP relays, websites, uptime servers and single sign-on can reach",
  ),
  outboundNameServers: setting(
    "SERVICE_OUTBOUND_NAME_SERVERS",
    undefined,
    nameServers,
    "Name servers for outside names, as `address:port`; unset: the system's",
  ),
  mailProvider: setting(
    "SERVICE_MAIL_PROVIDER",
    undefined,
    oneOf(...MAIL_PROVIDERS),
    "Transport for mail of organisations without their own; unset: none",
  ),
  mailFromAddress: setting(
    "SERVICE_MAIL_FROM_ADDRESS",
    undefined,
    mailbox,
    "Sender of that mail; needed with `SERVICE_MAIL_PROVIDER`",
  ),
  mailFromName: setting("SERVICE_MAIL_FROM_NAME", undefined, text, "Name of that sender; unset: the organisation's brand name"),
  mailHost: setting("SERVICE_MAIL_HOST", undefined, text, "Relay of the provider `smtp`; can be on an internal network"),
  mailPort: setting("SERVICE_MAIL_PORT", undefined, whole(1, 65535), "Port of the relay; unset: the usual one of its security"),
  mailSecurity: setting("SERVICE_MAIL_SECURITY", "starttls", oneOf(...MAIL_SECURITY), "How the way to the relay is protected"),
  mailUsername: setting("SERVICE_MAIL_USERNAME", undefined, text, "User name at the relay; unset: no sign-in"),
  mailSecret: secretSetting("SERVICE_MAIL_SECRET", text, "Password at the relay, or key of another provider"),
  mailBrevoApiUrl: setting("SERVICE_MAIL_BREVO_API_URL", "https://api.brevo.com/v3", service, "API of the mail provider Brevo"),
  mailSendgridApiUrl: setting(
    "SERVICE_MAIL_SENDGRID_API_URL",
    "https://api.sendgrid.com/v3",
    service,
    "API of the mail provider SendGrid",
  ),
  mailSmtp2goApiUrl: setting(
    "SERVICE_MAIL_SMTP2GO_API_URL",
    "https://api.smtp2go.com/v3",
    service,
    "API of the mail provider SMTP2GO",
  ),
} as const satisfies Record<string, Setting<unknown>>;
