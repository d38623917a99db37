import {
  answer,
  decimal,
  field,
  flag,
  input,
  instant,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  type Static,
  Type,
  text,
  uuid,
  writeOnly,
} from "../../../core/schema/schema.ts";

const LONGEST_NAME = 255;
const LONGEST_PASSWORD = 512;

const ACCOUNT = {
  name: "The organisation's own name for the account; unique, case ignored",
  adapter: "The registrar it is at",
  api_user: "User name at the registrar's API",
  api_password:
    "Password at the registrar's API; never shown again. In a change, absent, null and empty keep the stored one; a new password clears the verification",
  provider_id: "The entry of the provider catalogue that it belongs to; null without one",
  provider_name: "That entry's name; null without one",
  active: "Whether it is used and synced",
  status: "`active`, or `error` after a failed verification or sync",
  tld_count: "Extensions that the registrar offers it, as last verified",
  funds_available: "Balance at the registrar, with 2 decimals, as last verified; null while it is not known",
  last_verified_at: "When it was last verified, UTC; null if never, and after the password was replaced",
  last_synced_at: "When its register was last read in full, UTC; null if never",
  last_error: "The registrar's message when a call last failed; null after a success",
  password_configured: "Whether a password is stored",
  domain_count: "Domains of its register, gone ones included",
};

export const RegistrarAccountRead = answer(
  "RegistrarAccountRead",
  {
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
  },
  ACCOUNT,
);
export type RegistrarAccountAnswer = Static<typeof RegistrarAccountRead>;

export const RegistrarAccountCreate = input(
  "RegistrarAccountCreate",
  {
    name: nonEmpty(LONGEST_NAME),
    adapter: optional(text(40, { default: "oxxa", description: "The registrar the account is at" })),
    api_user: nonEmpty(LONGEST_NAME),
    api_password: Type.Unsafe<string>({ type: "string", minLength: 1, maxLength: LONGEST_PASSWORD, writeOnly: true }),
    provider_id: optional(nullable(uuid())),
    active: optional(flag(true)),
  },
  ACCOUNT,
);

export const RegistrarAccountUpdate = input(
  "RegistrarAccountUpdate",
  {
    name: optional(neverNull(nullable(nonEmpty(LONGEST_NAME)))),
    api_user: optional(neverNull(nullable(nonEmpty(LONGEST_NAME)))),
    api_password: writeOnly(LONGEST_PASSWORD),
    provider_id: optional(nullable(uuid())),
    active: optional(neverNull(nullable(flag()))),
  },
  ACCOUNT,
);

export const RegistrarAccountVerifyResult = answer("RegistrarAccountVerifyResult", {
  ok: field(flag(), "Whether the registrar accepted user name and password"),
  funds_available: nullable(decimal({ description: "Balance at the registrar, with 2 decimals; null if not reported" })),
  tld_count: Type.Integer({ description: "Extensions that the registrar offers" }),
  error: nullable(Type.String({ description: "The registrar's message on failure; null on success" })),
});
export type VerifyResult = Static<typeof RegistrarAccountVerifyResult>;

export const RegistrarAccountSyncResult = answer("RegistrarAccountSyncResult", {
  ok: field(flag(), "Whether the register was read in full; otherwise the sync changes nothing and every count is 0"),
  found: Type.Integer({ description: "Domains that the registrar listed" }),
  matched: Type.Integer({ description: "Those linked to a domain here" }),
  unmatched: Type.Integer({ description: "Those not linked to a domain here" }),
  drifted: Type.Integer({ description: "Domains whose name servers differ from those last sent" }),
  error: nullable(Type.String({ description: "The registrar's message on failure; null on success" })),
});
export type SyncResult = Static<typeof RegistrarAccountSyncResult>;

export const RegistrarAccountOption = answer("RegistrarAccountOption", {
  id: uuid(),
  name: Type.String({ description: "The organisation's own name for the account" }),
  active: field(flag(), "Whether it can be used"),
});
