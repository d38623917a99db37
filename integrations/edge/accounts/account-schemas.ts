import {
  answer,
  field,
  flag,
  input,
  instant,
  integer,
  map,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";

const LONGEST_NAME = 255;
const LONGEST_ACCOUNT_ID = 64;
/** Bounds of a scoped token, wider than the provider's. */
const SHORTEST_TOKEN = 20;
const LONGEST_TOKEN = 512;
/** Only characters allowed in a header. */
const TOKEN = `^[\\u0021-\\u007e]{${SHORTEST_TOKEN},${LONGEST_TOKEN}}$`;

const ACCOUNT = {
  name: "The organisation's own name for the account; unique, case ignored",
  api_token:
    "A scoped API token; never shown again. In a change, absent, null and empty keep the stored one; a new token clears the verification",
  edge_account_id:
    "The provider's id of the account; null while it is not known. Verifying and syncing fill it where the token sees one account only; empty text clears it",
  edge_account_name: "The provider's name of that account; null while it is not known",
  provider_id: "The entry of the provider catalogue that it belongs to; null without one",
  provider_name: "That entry's name; null without one",
  active: "Whether it is used and synced",
  status: "`active`, or `error` while the provider refuses the token",
  capabilities:
    "What the token may do, as last verified, by `token_valid`, `accounts_read`, `zones_read`, `pages_read`, `registrar_read`, `dns_read` and `redirect_read`. The last two are absent while no zone is known",
  capability_errors: "The provider's message for each capability that is false",
  last_verified_at: "When it was last verified, UTC; null if never, and after the token was replaced",
  last_synced_at: "When it was last synced, UTC; null if never",
  last_error: "The provider's message when a call last failed, at most 500 characters; null after a success",
  token_configured: "Whether a token is stored",
  zone_count: "Known zones of the account, gone ones included",
};

export const EdgeAccountRead = answer(
  "EdgeAccountRead",
  {
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
  },
  ACCOUNT,
);

export const EdgeAccountOption = answer("EdgeAccountOption", {
  id: uuid(),
  name: Type.String({ description: "The organisation's own name for the account" }),
  active: field(flag(), "Whether it can be used"),
});

export const EdgeAccountCreate = input(
  "EdgeAccountCreate",
  {
    name: nonEmpty(LONGEST_NAME),
    api_token: Type.String({ pattern: TOKEN, minLength: SHORTEST_TOKEN, maxLength: LONGEST_TOKEN, writeOnly: true }),
    edge_account_id: optional(nullable(text(LONGEST_ACCOUNT_ID))),
    provider_id: optional(nullable(uuid())),
    active: optional(flag(true)),
  },
  ACCOUNT,
);

export const EdgeAccountUpdate = input(
  "EdgeAccountUpdate",
  {
    name: optional(neverNull(nullable(nonEmpty(LONGEST_NAME)))),
    // Absent, null and "" all keep the stored token.
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
  },
  ACCOUNT,
);
