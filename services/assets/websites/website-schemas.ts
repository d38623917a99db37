import {
  answer,
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
} from "../../../core/declare/schema.ts";
import { partyRead, partySent } from "../parties/party-schemas.ts";

const details = {
  technical_owner: partySent(),
  hosting_id: optional(nullable(uuid())),
} satisfies TProperties;

export const WebsiteCreate = input("WebsiteCreate", {
  domain_id: uuid(),
  root: optional(flag(true)),
  ...details,
  uptime_enabled: optional(flag(false)),
  custom: optional(json({ default: {} })),
});

/** A website stays with its domain (assets §4). */
export const WebsiteUpdate = input("WebsiteUpdate", {
  root: optional(neverNull(nullable(flag()))),
  ...details,
  uptime_enabled: optional(neverNull(nullable(flag()))),
  custom: optional(nullable(json())),
});

export const WebsiteRead = answer("WebsiteRead", {
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
        "The worst that its active monitors last reported: `down`, `pending`, `maintenance` or `up`; null where none has reported anything",
    }),
  ),
  custom: json(),
  created_at: instant(),
  updated_at: instant(),
});

export const AvailableDomain = answer("AvailableDomain", { id: uuid(), name: Type.String(), company_id: uuid() });
