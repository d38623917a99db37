import { answer, field, flag, input, instant, list, nullable, optional, page, Type, uuid } from "../../../core/schema/schema.ts";

export const ZoneRead = answer("ZoneRead", {
  id: uuid(),
  account_id: field(uuid(), "The edge account it is in"),
  account_name: nullable(Type.String({ description: "That account's name; null if not shown" })),
  edge_zone_id: Type.String({ description: "The provider's id of the zone" }),
  name: Type.String({ description: "Its apex, in ASCII" }),
  status: Type.String({
    description: "The provider's status, such as `active` or `pending`, or `gone` if it is no longer listed",
  }),
  plan: nullable(Type.String({ description: "The provider's plan; null if not reported" })),
  paused: field(flag(), "Whether the provider passes traffic through untouched"),
  name_servers: field(list(Type.String()), "Name servers that the provider assigned to it"),
  original_name_servers: field(list(Type.String()), "Name servers it had before"),
  domain_id: field(nullable(uuid()), "The domain it is linked to; null without one"),
  domain_name: nullable(Type.String({ description: "That domain's name; null without one" })),
  last_synced_at: field(nullable(instant()), "When it was last read at the provider, UTC; null if never"),
});
export const ZonePage = page(ZoneRead);

export const ZoneLink = input("ZoneLink", {
  domain_id: field(uuid(), "The domain to link it to; the names may differ, and a domain has one zone"),
});

export const ConnectRequest = input("ConnectRequest", {
  account_id: field(
    optional(nullable(uuid())),
    "The edge account to use; null uses the one with the zone, else the only active one",
  ),
  create_if_missing: field(optional(flag(true)), "Whether to create the zone at the provider if it has none"),
});
