import {
  answer,
  choice,
  field,
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
} from "../../../core/schema/schema.ts";

const LONGEST = { type: 16, name: 253, content: 2048, comment: 100 };
const MOST_SECONDS = 86_400;

export const DnsRecordRead = answer("DnsRecordRead", {
  id: Type.String({ description: "The provider's id of the record" }),
  type: Type.String({ description: "Type of the record, such as `A`, `MX` or `TXT`" }),
  name: Type.String({ description: "Host name of the record, in full" }),
  content: Type.String({ description: "The value in its zone-file form" }),
  ttl: field(integer(), "Seconds that answers can be cached; 1 is automatic"),
  proxied: field(flag(), "Whether traffic goes through the provider; only for `A`, `AAAA` and `CNAME`"),
  priority: field(nullable(integer()), "Priority of the record; null for types without one"),
  comment: nullable(Type.String({ description: "Remark at the provider; null without one" })),
});

export const ZoneRecords = answer("ZoneRecords", {
  zone_id: field(uuid(), "The zone"),
  zone_name: Type.String({ description: "Its apex, in ASCII" }),
  records: field(list(DnsRecordRead), "All its records, as the provider has them now"),
});

const record = {
  type: field(
    text(LONGEST.type, { minLength: 1, pattern: "^[A-Za-z0-9]+$" }),
    "Type of the record, such as `A`, `MX` or `TXT`; stored in upper case",
  ),
  name: field(text(LONGEST.name, { minLength: 1 }), "Host name of the record, in full"),
  content: text(LONGEST.content, {
    minLength: 1,
    description: "The value in its zone-file form; CAA, SRV, TLSA, HTTPS and other types of several fields are read from it.",
  }),
  priority: field(optional(nullable(integer(0, 65_535))), "Priority of the record; null for types without one"),
  comment: field(
    optional(nullable(text(LONGEST.comment))),
    "Remark at the provider; null without one, and null or empty text clears it",
  ),
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
  ttl: field(optional(integer(1, MOST_SECONDS, { default: 1 })), "Seconds that answers can be cached; 1 is automatic"),
  proxied: field(optional(flag(false)), "Whether traffic goes through the provider; only for `A`, `AAAA` and `CNAME`"),
});

/** A change has no defaults: omitted fields stay as they are at the provider (assets §7, "DNS"). */
export const DnsRecordChange = input("DnsRecordChange", {
  ...record,
  ttl: field(
    optional(integer(1, MOST_SECONDS)),
    "Seconds that answers can be cached; 1 is automatic. Omitted fields stay unchanged",
  ),
  proxied: field(
    optional(flag()),
    "Whether traffic goes through the provider; only for `A`, `AAAA` and `CNAME`. Omitted fields stay unchanged",
  ),
});

export const DnsExport = answer("DnsExport", {
  filename: Type.String({ description: "Name to save it under" }),
  content_type: Type.String({ description: "Media type of `content`" }),
  content: Type.String({ description: "The records as a zone file or as CSV" }),
});

export const EXPORT_FORMATS = ["bind", "csv"] as const;
export const exportFormat = () => optional(choice(EXPORT_FORMATS, { default: "bind" }));

/** The provider's id of a record. */
export const recordId = () => Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });
