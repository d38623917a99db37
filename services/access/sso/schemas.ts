import { answer, flag, input, label, line, list, map, nullable, optional, Type, text } from "../../../core/declare/schema.ts";

export const SsoSettingsRead = answer("SsoSettingsRead", {
  enabled: flag(),
  enforced: flag(),
  name: Type.String(),
  discovery_url: nullable(Type.String()),
  client_id: nullable(Type.String()),
  secret_configured: flag(),
  default_role: Type.String(),
  role_options: list(answer("RoleOption", { key: Type.String(), name_i18n: map(Type.String()) })),
  auto_provision: flag(),
  tested: Type.Boolean({ description: "Whether address, client and secret as they are stored have been found to work" }),
  callback_url: Type.String({ description: "The redirect URI to register at the provider" }),
  weak_encryption_key: Type.Boolean({ description: "Never true: the service does not start with a weak key" }),
});

export const SsoSettingsWrite = input("SsoSettingsWrite", {
  enabled: flag(),
  enforced: flag(),
  name: label(64),
  discovery_url: optional(nullable(text(1024))),
  client_id: optional(nullable(text(512))),
  client_secret: optional(nullable(line({ maxLength: 1024, writeOnly: true }))),
  default_role: text(64, { minLength: 1 }),
  auto_provision: optional(flag(true)),
});

export const SsoTestResult = answer("SsoTestResult", {
  ok: flag(),
  issuer: nullable(Type.String()),
  error: nullable(Type.String()),
});
