import {
  answer,
  date,
  field,
  flag,
  input,
  instant,
  json,
  label,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { sources } from "../sources/registry.ts";
import { sourceKey } from "../sources/source-schema.ts";

export const SOURCE_KEYS = [...sources.keys()];

export const ConnectionOwner = answer("ConnectionOwner", {
  user_id: { ...uuid(), description: "The colleague whose grant it is" },
  name: Type.String({ description: "Full name of the colleague, else the address they sign in with" }),
  email: Type.String({ description: "Address of the connected account at the provider" }),
  is_me: field(flag(), "Whether it is the caller"),
});

const CONFIG =
  "Details from the source: `currency` and `propertyType` (ga4), `siteType` and `permissionLevel` (gsc), `currency` and `manager_id` (gads), `url` and `keyword_count` (seranking), `url` and `locale` (rankmath)";

export const MarketingLinkRead = answer(
  "MarketingLinkRead",
  {
    id: { ...uuid(), description: "The link" },
    company_id: field(uuid(), "The client"),
    website_id: nullable(field(uuid(), "The website of the client that the account measures; null without one")),
    website_name: nullable(Type.String({ description: "Its name; null without one" })),
    source: sourceKey("The metric source"),
    external_id: Type.String({ description: "The account at the source, in its one spelling" }),
    display_name: Type.String({ description: "Name of the account" }),
    config: json({ description: CONFIG }),
    active: field(
      flag(),
      "False once the link is removed, or its advertising account is attached to another client; stored figures stay, and no reader shows them",
    ),
    last_synced_at: nullable(field(instant(), "When days were last stored, UTC; null before the first time")),
    last_error: nullable(Type.String({ description: "Key of the last run's failure; null after a success" })),
    backfill_done: field(
      flag(false),
      "Whether the past days are stored: 800 before today, 480 of Search Console, 7 of Rank Math, which reports the present alone",
    ),
    data_from: nullable(field(date(), "The first stored day; null before the first synchronisation")),
    connection_ok: field(
      flag(true),
      "Whether the connection that it is read with works; true for sources that are read with a key",
    ),
    // Null without a connection, for sources with a key, and for client logins.
    connection_owner: nullable(ConnectionOwner),
  },
  {
    connection_owner:
      "The colleague whose grant it is read with; null without one, for sources that are read with a key, and for client logins",
  },
);

export const MarketingLinkCreate = input("MarketingLinkCreate", {
  company_id: field(uuid(), "The client"),
  source: sourceKey("The metric source"),
  external_id: text(512, {
    minLength: 1,
    description:
      "The account at the source: `properties/1` or `1` (ga4), `sc-domain:shop.example` or an address (gsc), ten digits (gads), the id of the project (seranking) or of the brand (rankmath)",
  }),
  display_name: field(label(512), "Name of the account"),
  website_id: optional(nullable(field(uuid(), "A website of the client; required for a source whose credential is per website"))),
  config: optional(json({ default: {}, description: CONFIG })),
});

export const AvailableAccount = answer("AvailableAccount", {
  external_id: Type.String({ description: "The account at the source" }),
  display_name: Type.String({ description: "Its name" }),
  account_hint: nullable(Type.String({ description: "What it belongs to at the source; null if the source names nothing" })),
  config: json({ default: {}, description: CONFIG }),
  already_linked: field(
    flag(false),
    "Whether a client that the caller sees is linked to it, or has it as its advertising account",
  ),
});

export const AccountsResponse = answer("AccountsResponse", {
  source: sourceKey("The metric source"),
  connected: field(flag(false), "Whether the caller has a connection; true for sources that are read with a key"),
  has_scope: field(flag(false), "Whether that connection works for the source"),
  configured: field(flag(true), "Whether the key or token that the source needs is set"),
  accounts: field(list(AvailableAccount), "Accounts that can be linked"),
  error: nullable(Type.String({ description: "Key of why the accounts could not be listed; null without a failure" })),
  connect_flag: Type.String({
    description: "Parameter of `GET /workspace/oauth/connect` that adds the scope; empty for sources that are read with a key",
  }),
  connected_via: field(
    list(ConnectionOwner),
    "Colleagues with a connection that works for the source, if the caller's own does not",
  ),
});
