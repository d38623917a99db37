import {
  answer,
  choice,
  flag,
  input,
  integer,
  json,
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

const record = {
  type: text(LONGEST.type, { minLength: 1, pattern: "^[A-Za-z0-9]+$" }),
  name: text(LONGEST.name, { minLength: 1 }),
  content: text(LONGEST.content, {
    minLength: 1,
    description: "The value in its zone-file form; CAA, SRV, TLSA, HTTPS and other types of several fields are read from it.",
  }),
  priority: optional(nullable(integer(0, 65_535))),
  comment: optional(nullable(text(LONGEST.comment))),
  data: optional(
    nullable(
      json({
        description:
          "The fields of a record of several, by the provider's names, such as `flags`, `tag` and `value` of CAA. It counts instead of `content`; null or absent: `content` counts.",
      }),
    ),
  ),
};

export const DnsRecordWrite = input("DnsRecordWrite", {
  ...record,
  ttl: optional(integer(1, MOST_SECONDS, { default: 1 })),
  proxied: optional(flag(false)),
});

/** A change has no defaults: what the body leaves out stays as the provider has it (assets §7, "DNS"). */
export const DnsRecordChange = input("DnsRecordChange", {
  ...record,
  ttl: optional(integer(1, MOST_SECONDS)),
  proxied: optional(flag()),
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
