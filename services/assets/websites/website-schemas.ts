import {
  answer,
  field,
  flag,
  input,
  instant,
  json,
  neverNull,
  nullable,
  optional,
  type TProperties,
  Type,
  uuid,
} from "../../../core/schema/schema.ts";
import { partyRead, partySent } from "../parties/party-schemas.ts";

const WEBSITE = {
  domain_id: "The domain it is on, fixed once it exists; a domain has one website at most",
  domain_name: "That domain's name; empty in lists with `meta=false`",
  company_id: "The domain's client",
  company_name: "That client's name; null in lists with `meta=false`",
  root: "True for the bare domain, false for `www`",
  technical_owner: "The party that looks after its technology; null if none is recorded and in lists with `meta=false`",
  hosting_id: "The hosting account it is on; null if not noted",
  hosting_name: "That hosting account's name; null without one and in lists with `meta=false`",
  uptime_enabled: "Whether it is to be monitored; `uptime_status` has what its monitors report",
};

const details = {
  technical_owner: partySent(),
  hosting_id: optional(nullable(uuid())),
} satisfies TProperties;

export const WebsiteCreate = input(
  "WebsiteCreate",
  {
    domain_id: uuid(),
    root: optional(flag(true)),
    ...details,
    uptime_enabled: optional(flag(false)),
    custom: optional(json({ default: {} })),
  },
  WEBSITE,
);

/** A website keeps its domain (assets §4). */
export const WebsiteUpdate = input(
  "WebsiteUpdate",
  {
    root: optional(neverNull(nullable(flag()))),
    ...details,
    uptime_enabled: optional(neverNull(nullable(flag()))),
    custom: optional(nullable(json())),
  },
  WEBSITE,
);

export const WebsiteRead = answer(
  "WebsiteRead",
  {
    id: uuid(),
    org_id: uuid(),
    domain_id: uuid(),
    domain_name: Type.String({ default: "" }),
    company_id: nullable(uuid()),
    company_name: nullable(Type.String()),
    root: flag(),
    technical_owner: partyRead(),
    hosting_id: nullable(uuid()),
    hosting_name: nullable(Type.String()),
    uptime_enabled: flag(false),
    uptime_status: nullable(
      Type.String({
        description:
          "The worst of the last statuses of its active monitors: `down`, `pending`, `maintenance` or `up`; null before any report and in lists with `meta=false`",
      }),
    ),
    custom: json(),
    created_at: instant(),
    updated_at: instant(),
  },
  WEBSITE,
);

export const AvailableDomain = answer("AvailableDomain", {
  id: uuid(),
  name: Type.String({ description: "The domain's name" }),
  company_id: field(uuid(), "Its client"),
});
