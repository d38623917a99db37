import { answer, input, instant, list, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

export const PagesProjectRead = answer("PagesProjectRead", {
  id: uuid(),
  account_id: uuid(),
  account_name: nullable(Type.String()),
  name: Type.String(),
  subdomain: nullable(Type.String()),
  production_branch: nullable(Type.String()),
  hostnames: list(Type.String()),
});

export const PagesLinkRead = answer("PagesLinkRead", {
  id: uuid(),
  project_id: uuid(),
  project_name: nullable(Type.String()),
  domain_id: uuid(),
  hostname: Type.String(),
  status: nullable(Type.String()),
  last_error: nullable(Type.String()),
  discovered_at: nullable(instant()),
  missing_at: nullable(instant()),
  last_checked_at: nullable(instant()),
});

export const PagesLinkCreate = input("PagesLinkCreate", {
  project_id: uuid(),
  hostname: optional(nullable(text(253))),
});
