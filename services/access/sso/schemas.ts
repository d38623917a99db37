import {
  answer,
  flag,
  input,
  label,
  line,
  list,
  map,
  nonEmpty,
  nullable,
  optional,
  Type,
  text,
} from "../../../core/schema/schema.ts";

const SSO = {
  enabled: "Whether members may sign in with the provider; needs address, client and secret",
  enforced: "Whether sign-in with a password is refused; needs a connection that was tested",
  name: "Name of the provider on the sign-in page",
  discovery_url: "Address of the provider's discovery document, http or https; null if none",
  client_id: "Id of this service at the provider; null if none",
  client_secret:
    "Secret of this service at the provider. Null, blank or absent keeps the stored one, except for a `discovery_url` with another scheme, host or port, which needs it again",
  secret_configured: "Whether a secret is stored",
  default_role: "Key of the system role that provisioned members get",
  role_options: "System roles allowed as `default_role`",
  auto_provision: "Whether a person without a membership becomes a member at the first sign-in",
};

export const SsoSettingsRead = answer(
  "SsoSettingsRead",
  {
    enabled: flag(),
    enforced: flag(),
    name: Type.String(),
    discovery_url: nullable(Type.String()),
    client_id: nullable(Type.String()),
    secret_configured: flag(),
    default_role: Type.String(),
    role_options: list(answer("RoleOption", { key: Type.String(), name_i18n: map(Type.String()) }, { key: "Key of the role" })),
    auto_provision: flag(),
    tested: Type.Boolean({ description: "Whether address, client and secret as they are stored have been found to work" }),
    callback_url: Type.String({ description: "The redirect URI to register at the provider" }),
    weak_encryption_key: Type.Boolean({ description: "Never true: the service does not start with a weak key" }),
  },
  SSO,
);

export const SsoSettingsWrite = input(
  "SsoSettingsWrite",
  {
    enabled: flag(),
    enforced: flag(),
    name: label(64),
    discovery_url: optional(nullable(text(1024))),
    client_id: optional(nullable(text(512))),
    client_secret: optional(nullable(line({ maxLength: 1024, writeOnly: true }))),
    default_role: nonEmpty(64),
    auto_provision: optional(flag(true)),
  },
  SSO,
);

export const SsoTestResult = answer(
  "SsoTestResult",
  {
    ok: flag(),
    issuer: nullable(Type.String()),
    error: nullable(Type.String()),
  },
  {
    ok: "Whether the discovery document was fetched and has what sign-in needs",
    issuer: "Issuer in the document; null on failure",
    error: "Why it failed; null on success",
  },
);
