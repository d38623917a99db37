import { answer, field, input, instant, list, nullable, optional, Type, text, uuid } from "../../../core/declare/schema.ts";

export const PagesProjectRead = answer("PagesProjectRead", {
  id: uuid(),
  account_id: field(uuid(), "The edge account it is in"),
  account_name: nullable(Type.String({ description: "That account's name; null where it is not shown" })),
  name: Type.String({ description: "The provider's name of the project" }),
  subdomain: nullable(Type.String({ description: "Host name that the provider serves it at; null where it has none" })),
  production_branch: nullable(Type.String({ description: "Branch that is published; null where it is not reported" })),
  hostnames: field(list(Type.String()), "Host names of the caller's clients that it serves"),
});

export const PagesLinkRead = answer("PagesLinkRead", {
  id: uuid(),
  project_id: field(uuid(), "The static project"),
  project_name: nullable(Type.String({ description: "That project's name; null where it is not shown" })),
  domain_id: field(uuid(), "The domain that the host name belongs to"),
  hostname: Type.String({ description: "Host name that the project serves, in ASCII" }),
  status: nullable(
    Type.String({ description: "The provider's word, such as `pending` or `active`; null where it reports none" }),
  ),
  last_error: nullable(Type.String({ description: "The provider's words when a step last failed; null otherwise" })),
  discovered_at: field(nullable(instant()), "When a sync found it at the provider, UTC; null where it was made here"),
  missing_at: field(nullable(instant()), "When it was first found to be gone at the provider, UTC; null while it is there"),
  last_checked_at: field(nullable(instant()), "When it was last read at the provider, UTC; null when never"),
});

export const PagesLinkCreate = input("PagesLinkCreate", {
  project_id: field(uuid(), "The static project that is to serve the host name"),
  hostname: field(optional(nullable(text(253))), "The domain itself or a name under it; absent or null is the domain itself"),
});
