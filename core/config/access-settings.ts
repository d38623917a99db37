import { type Setting, secretSetting, setting } from "./setting.ts";
import { encryptionKey, flag, oneOf, prefix, secret, secrets, whole } from "./values.ts";

/** Secrets, sign-in and its limits, and who can read the API reference. */
export const accessSettings = {
  keyPrefix: setting("SERVICE_KEY_PREFIX", "kt", prefix, "First part of issued API keys"),
  secret: secretSetting("SERVICE_SECRET", secret, "Main secret; embedded: made at first start, else required"),
  encryptionKey: secretSetting(
    "SERVICE_ENCRYPTION_KEY",
    encryptionKey,
    "Key of secrets at rest; unset: derived from the main secret",
  ),
  encryptionOtherKeys: secretSetting(
    "SERVICE_ENCRYPTION_OTHER_KEYS",
    secrets,
    "Further keys or main secrets that decrypt stored secrets, separated by commas: earlier ones, or the next one; the main secret always decrypts them",
  ),
  rateLimitPerKey: setting(
    "SERVICE_RATE_LIMIT_PER_KEY",
    "600",
    whole(0, 100_000_000),
    "API calls a minute per key; 0 switches it off",
  ),
  rateLimitSignIn: setting(
    "SERVICE_RATE_LIMIT_SIGN_IN",
    "10",
    whole(0, 1_000_000),
    "Sign-in attempts a minute per address and host; 0 switches it off",
  ),
  rateLimitAccount: setting(
    "SERVICE_RATE_LIMIT_ACCOUNT",
    "5",
    whole(0, 1_000_000),
    "Calls a minute per address and host to register, verify or reset, together; 0 switches it off",
  ),
  rateLimitClientRegistration: setting(
    "SERVICE_RATE_LIMIT_CLIENT_REGISTRATION",
    "10",
    whole(0, 1_000_000),
    "OAuth client registrations allowed per minute, per address and host; 0 switches the limit off",
  ),
  impersonationMinutes: setting(
    "SERVICE_IMPERSONATION_MINUTES",
    "60",
    whole(1, 1440),
    "Longest duration of acting in a client's login, in minutes",
  ),
  registration: setting(
    "SERVICE_REGISTRATION",
    "open",
    oneOf("open", "quiet", "off"),
    "Whether the public may register accounts; `quiet` does not reveal whether an address has one",
  ),
  forceLocalLogin: setting(
    "SERVICE_FORCE_LOCAL_LOGIN",
    "false",
    flag,
    "Take passwords also where an organisation enforces single sign-on: the way back in when its provider fails",
  ),
  apiDocsEnabled: setting(
    "SERVICE_API_DOCS_ENABLED",
    "true",
    flag,
    "Serve `/api/guide`, `/api/reference`, `/api/docs`, its pages of errors, `/api/redoc` and `/api/openapi.json`",
  ),
  apiDocsAccess: setting("SERVICE_API_DOCS_ACCESS", "public", oneOf("public", "staff"), "Who can read the API reference"),
  demo: setting("SERVICE_DEMO", undefined, flag, "Create the demo organisation in an empty database; embedded: true, else false"),
} as const satisfies Record<string, Setting<unknown>>;
