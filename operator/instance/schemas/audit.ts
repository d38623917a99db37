import { answer, field, instant, integer, json, list, nullable, optional, Type, uuid } from "../../../core/schema/schema.ts";

export const AuditLine = answer(
  "InstanceAuditLine",
  {
    id: uuid(),
    created_at: instant(),
    action: Type.String(),
    actor: Type.String(),
    administrator_id: nullable(uuid()),
    key_id: nullable(uuid()),
    organisation_id: nullable(uuid()),
    organisation_slug: nullable(Type.String()),
    address: nullable(Type.String()),
    request_id: nullable(Type.String()),
    detail: json(),
  },
  {
    id: "Id of the line",
    created_at: "When it happened",
    action: "Name of the act",
    actor:
      "E-mail address of the administrator, or of the superuser who acted on an organisation's host; else `command line`, `schedule` for a purge whose day has come, or `operator` for service access",
    administrator_id: "Id of the administrator; null for the other actors",
    key_id: "Id of the key that was presented; null if none was",
    organisation_id: "Id of the organisation that it was about, which may be gone; null if it was about none",
    organisation_slug: "Slug that the organisation had then; null if it was about none",
    address: "Network address of the caller; null without a request",
    request_id: "Value of `X-Request-Id`; null without a request",
    detail: "Facts of the act",
  },
);

export const AuditPage = answer(
  "InstanceAuditPage",
  { items: list(AuditLine), limit: integer(), next_cursor: nullable(Type.String()) },
  {
    items: "The lines of this page, the newest first",
    limit: "Largest number on a page, as requested",
    next_cursor: "Value of `cursor` for older lines; null on the last page",
  },
);

export const AuditQuery = {
  organisation_id: optional(field(uuid(), "Only lines about this organisation")),
  limit: optional(field(integer(1, 200, { default: 50 }), "Largest number of lines on a page")),
  cursor: optional(field(uuid(), "`next_cursor` of the page before; all other parameters must be the same")),
};
