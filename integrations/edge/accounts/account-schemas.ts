import {
  answer,
  flag,
  input,
  instant,
  integer,
  label,
  list,
  map,
  neverNull,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";

const LONGEST_NAME = 255;
const LONGEST_ACCOUNT_ID = 64;
/** Of a scoped token; the limits of the other side leave room. */
const SHORTEST_TOKEN = 20;
const LONGEST_TOKEN = 512;
/** It travels in a header. */
const TOKEN = `^[\\u0021-\\u007e]{${SHORTEST_TOKEN},${LONGEST_TOKEN}}$`;

export const EdgeAccountRead = answer("EdgeAccountRead", {
  id: uuid(),
  name: Type.String(),
  edge_account_id: nullable(Type.String()),
  edge_account_name: nullable(Type.String()),
  provider_id: nullable(uuid()),
  provider_name: nullable(Type.String()),
  active: flag(),
  status: Type.String(),
  capabilities: map(Type.Boolean()),
  capability_errors: map(Type.String()),
  last_verified_at: nullable(instant()),
  last_synced_at: nullable(instant()),
  last_error: nullable(Type.String()),
  token_configured: flag(),
  zone_count: integer(),
});

export const EdgeAccountOption = answer("EdgeAccountOption", { id: uuid(), name: Type.String(), active: flag() });

export const EdgeAccountCreate = input("EdgeAccountCreate", {
  name: label(LONGEST_NAME),
  api_token: Type.String({ pattern: TOKEN, minLength: SHORTEST_TOKEN, maxLength: LONGEST_TOKEN, writeOnly: true }),
  edge_account_id: optional(nullable(text(LONGEST_ACCOUNT_ID))),
  provider_id: optional(nullable(uuid())),
  active: optional(flag(true)),
});

export const EdgeAccountUpdate = input("EdgeAccountUpdate", {
  name: optional(neverNull(nullable(label(LONGEST_NAME)))),
  // Absent, null and "" all keep the stored one.
  api_token: optional(
    Type.Unsafe<string | null>({
      type: ["string", "null"],
      pattern: `^$|${TOKEN}`,
      maxLength: LONGEST_TOKEN,
      writeOnly: true,
    }),
  ),
  edge_account_id: optional(nullable(text(LONGEST_ACCOUNT_ID))),
  provider_id: optional(nullable(uuid())),
  active: optional(neverNull(nullable(flag()))),
});

export const EdgeAccountVerifyResult = answer("EdgeAccountVerifyResult", {
  ok: flag(),
  capabilities: map(Type.Boolean()),
  capability_errors: map(Type.String()),
  edge_account_id: nullable(Type.String()),
  edge_account_name: nullable(Type.String()),
  account_choices: list(map(Type.String())),
  error: nullable(Type.String()),
});

export const EdgeAccountSyncResult = answer("EdgeAccountSyncResult", {
  ok: flag(),
  error: nullable(Type.String()),
  zones_synced: integer(),
  zones_matched: integer(),
  pages_projects_synced: integer(),
  pages_domains_synced: integer(),
  pages_links_matched: integer(),
  pages_links_adopted: integer(),
  pages_links_missing: integer(),
  registrar_read: flag(),
  registrar_domains_synced: integer(),
  registrar_domains_at_edge: integer(),
  registrar_domains_matched: integer(),
  warnings: list(Type.String()),
});
