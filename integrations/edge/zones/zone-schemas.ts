import { answer, flag, input, instant, list, nullable, optional, page, Type, uuid } from "../../../core/declare/schema.ts";

export const ZoneRead = answer("ZoneRead", {
  id: uuid(),
  account_id: uuid(),
  account_name: nullable(Type.String()),
  edge_zone_id: Type.String(),
  name: Type.String(),
  status: Type.String(),
  plan: nullable(Type.String()),
  paused: flag(),
  name_servers: list(Type.String()),
  original_name_servers: list(Type.String()),
  domain_id: nullable(uuid()),
  domain_name: nullable(Type.String()),
  last_synced_at: nullable(instant()),
});
export const ZonePage = page(ZoneRead);

export const ZoneLink = input("ZoneLink", { domain_id: uuid() });

export const ConnectRequest = input("ConnectRequest", {
  account_id: optional(nullable(uuid())),
  create_if_missing: optional(flag(true)),
});
