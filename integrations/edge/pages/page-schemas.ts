import { answer, field, input, instant, list, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

export const PagesProjectRead = answer("PagesProjectRead", {
  id: uuid(),
  account_id: field(uuid(), "The edge account it is in"),
  account_name: nullable(Type.String({ description: "That account's name; null if not shown" })),
  name: Type.String({ description: "The provider's name of the project" }),
  subdomain: nullable(Type.String({ description: "Host name under which the provider serves the project; null without one" })),
  production_branch: nullable(Type.String({ description: "Branch that is published; null if not reported" })),
  hostnames: field(list(Type.String()), "Host names of the caller's clients that it serves"),
});

export const PagesLinkRead = answer("PagesLinkRead", {
  id: uuid(),
  project_id: field(uuid(), "The static project"),
  project_name: nullable(Type.String({ description: "That project's name; null if not shown" })),
  domain_id: field(uuid(), "The domain that the host name belongs to"),
  hostname: Type.String({ description: "Host name that the project serves, in ASCII" }),
  status: nullable(Type.String({ description: "The provider's status, such as `pending` or `active`; null if it reports none" })),
  last_error: nullable(Type.String({ description: "The provider's message when a step last failed; null otherwise" })),
  discovered_at: field(nullable(instant()), "When a sync found it at the provider, UTC; null if it was made here"),
  missing_at: field(nullable(instant()), "When it was first missing at the provider, UTC; null while it exists"),
  last_checked_at: field(nullable(instant()), "When it was last read at the provider, UTC; null if never"),
});

export const PagesLinkCreate = input("PagesLinkCreate", {
  project_id: field(uuid(), "The static project that will serve the host name"),
  hostname: field(optional(nullable(text(253))), "The domain itself or a name under it; absent or null is the domain itself"),
});
