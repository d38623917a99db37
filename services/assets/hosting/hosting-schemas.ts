import {
  answer,
  input,
  instant,
  json,
  neverNull,
  nonEmpty,
  nullable,
  optional,
  type TProperties,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { partyRead, partySent } from "../parties/party-schemas.ts";

const HOSTING = {
  name: "Name of the hosting",
  company_id: "The client that it is for; null for one shared by several",
  company_name: "That client's name; null without one and in lists with `meta=false`",
  provider_id: "Its operator, a provider of kind `hosting`; null if not noted",
  provider_name: "That provider's name; null without one and in lists with `meta=false`",
  ip_address: "Its addresses, as free text: one, several or a range; null if not noted",
  contact: "The party to contact about it; null without one and in lists with `meta=false`",
};

const details = {
  company_id: optional(nullable(uuid())),
  provider_id: optional(nullable(uuid())),
  // Free text: a range, or several addresses.
  ip_address: optional(nullable(text(45))),
  contact: partySent(),
} satisfies TProperties;

export const HostingCreate = input(
  "HostingCreate",
  {
    name: nonEmpty(255),
    ...details,
    custom: optional(json({ default: {} })),
  },
  HOSTING,
);

export const HostingUpdate = input(
  "HostingUpdate",
  {
    name: optional(neverNull(nullable(nonEmpty(255)))),
    ...details,
    custom: optional(nullable(json())),
  },
  HOSTING,
);

export const HostingRead = answer(
  "HostingRead",
  {
    id: uuid(),
    org_id: uuid(),
    name: nonEmpty(255),
    company_id: nullable(uuid()),
    company_name: nullable(Type.String()),
    provider_id: nullable(uuid()),
    provider_name: nullable(Type.String()),
    ip_address: nullable(text(45)),
    contact: partyRead(),
    custom: json(),
    created_at: instant(),
    updated_at: instant(),
  },
  HOSTING,
);
