import {
  answer,
  choice,
  flag,
  input,
  integer,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../../core/declare/schema.ts";

const LONGEST = { type: 16, name: 253, content: 2048, comment: 100 };
const MOST_SECONDS = 86_400;

export const DnsRecordRead = answer("DnsRecordRead", {
  id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  content: Type.String(),
  ttl: integer(),
  proxied: flag(),
  priority: nullable(integer()),
  comment: nullable(Type.String()),
});

export const ZoneRecords = answer("ZoneRecords", { zone_id: uuid(), zone_name: Type.String(), records: list(DnsRecordRead) });

export const DnsRecordWrite = input("DnsRecordWrite", {
  type: text(LONGEST.type, { minLength: 1, pattern: "^[A-Za-z0-9]+$" }),
  name: text(LONGEST.name, { minLength: 1 }),
  content: text(LONGEST.content, { minLength: 1 }),
  ttl: optional(integer(1, MOST_SECONDS, { default: 1 })),
  proxied: optional(flag(false)),
  priority: optional(nullable(integer(0, 65_535))),
  comment: optional(nullable(text(LONGEST.comment))),
});

export const DnsExport = answer("DnsExport", {
  filename: Type.String(),
  content_type: Type.String(),
  content: Type.String(),
});

export const EXPORT_FORMATS = ["bind", "csv"] as const;
export const exportFormat = () => optional(choice(EXPORT_FORMATS, { default: "bind" }));

/** The provider's id of a record. */
export const recordId = () => Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });
