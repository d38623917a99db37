import { answer, field, flag, IN_HEADER, input, nullable, optional, Type, text } from "../../../core/schema/schema.ts";

export const AdsSettingsRead = answer("AdsSettingsRead", {
  developer_token_configured: field(
    flag(),
    "Whether a developer token of this organisation is stored that can be decrypted. No answer contains it",
  ),
  env_token_configured: field(flag(), "Whether this installation has a developer token for organisations without one"),
  default_login_customer_id: nullable(
    Type.String({
      description: "Default manager account for calls, digits only; null without one",
    }),
  ),
  writes_enabled: field(flag(true), "False refuses every change at the provider; reads go on"),
});

export const AdsSettingsWrite = input("AdsSettingsWrite", {
  developer_token: optional(
    nullable(
      field(
        text(1024, { pattern: IN_HEADER, writeOnly: true }),
        "The organisation's developer token; absent or blank keeps the stored one, null removes it",
      ),
    ),
  ),
  default_login_customer_id: optional(
    nullable(field(text(32), "The manager's customer id in any spelling; null or blank removes it, absent keeps it")),
  ),
  writes_enabled: optional(
    nullable(field(flag(), "Whether changes at the provider are allowed; absent or null keeps the stored value")),
  ),
});
