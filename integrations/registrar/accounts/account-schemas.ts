import {
  answer,
  decimal,
  flag,
  input,
  instant,
  label,
  neverNull,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
  writeOnly,
} from "../../../core/declare/schema.ts";

const LONGEST_NAME = 255;
const LONGEST_PASSWORD = 512;

export const RegistrarAccountRead = answer("RegistrarAccountRead", {
  id: uuid(),
  name: Type.String(),
  adapter: Type.String(),
  api_user: Type.String(),
  provider_id: nullable(uuid()),
  provider_name: nullable(Type.String()),
  active: flag(),
  status: Type.String(),
  tld_count: Type.Integer(),
  funds_available: nullable(decimal()),
  last_verified_at: nullable(instant()),
  last_synced_at: nullable(instant()),
  last_error: nullable(Type.String()),
  password_configured: flag(),
  domain_count: Type.Integer(),
});
export type RegistrarAccountAnswer = Static<typeof RegistrarAccountRead>;

export const RegistrarAccountCreate = input("RegistrarAccountCreate", {
  name: label(LONGEST_NAME),
  adapter: optional(text(40, { default: "oxxa", description: "The registrar the account is at" })),
  api_user: label(LONGEST_NAME),
  api_password: Type.Unsafe<string>({ type: "string", minLength: 1, maxLength: LONGEST_PASSWORD, writeOnly: true }),
  provider_id: optional(nullable(uuid())),
  active: optional(flag(true)),
});

export const RegistrarAccountUpdate = input("RegistrarAccountUpdate", {
  name: optional(neverNull(nullable(label(LONGEST_NAME)))),
  api_user: optional(neverNull(nullable(label(LONGEST_NAME)))),
  api_password: writeOnly(LONGEST_PASSWORD),
  provider_id: optional(nullable(uuid())),
  active: optional(neverNull(nullable(flag()))),
});

export const RegistrarAccountVerifyResult = answer("RegistrarAccountVerifyResult", {
  ok: flag(),
  funds_available: nullable(decimal()),
  tld_count: Type.Integer(),
  error: nullable(Type.String()),
});
export type VerifyResult = Static<typeof RegistrarAccountVerifyResult>;

export const RegistrarAccountSyncResult = answer("RegistrarAccountSyncResult", {
  ok: flag(),
  found: Type.Integer(),
  matched: Type.Integer(),
  unmatched: Type.Integer(),
  drifted: Type.Integer(),
  error: nullable(Type.String()),
});
export type SyncResult = Static<typeof RegistrarAccountSyncResult>;

export const RegistrarAccountOption = answer("RegistrarAccountOption", {
  id: uuid(),
  name: Type.String(),
  active: flag(),
});
