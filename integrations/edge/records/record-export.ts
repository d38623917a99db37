import { stringify } from "csv-stringify/sync";
import { guarded } from "../../../core/impex/files/cell.ts";
import type { Static } from "../../../core/schema/schema.ts";
import type { EdgeAccess } from "../provider/client.ts";
import { type DnsRecord, exportRecords, listRecords } from "./record-calls.ts";
import type { DnsExport, EXPORT_FORMATS } from "./record-schemas.ts";

const COLUMNS = ["type", "name", "content", "ttl", "proxied", "priority", "comment"] as const;

/** Guards texts, as in every export: a spreadsheet would run a TXT record's `=…` as a formula (conventions §22). */
const cellOf = (value: string | number | boolean | null): string =>
  typeof value === "string" ? guarded(value) : String(value ?? "");

/** Records as a CSV file: unset values are empty, `proxied` is true or false. */
export const recordsAsCsv = (records: readonly DnsRecord[]): string =>
  stringify([[...COLUMNS], ...records.map((record) => COLUMNS.map((column) => cellOf(record[column])))]);

/** Exports the records of a zone (assets §7, "Export"). @throws EdgeFailure */
export async function exported(
  access: EdgeAccess,
  zone: { edge_zone_id: string; name: string },
  format: (typeof EXPORT_FORMATS)[number],
): Promise<Static<typeof DnsExport>> {
  if (format === "csv") {
    const content = recordsAsCsv(await listRecords(access, zone.edge_zone_id));
    return { filename: `${zone.name}-dns.csv`, content_type: "text/csv", content };
  }
  const content = await exportRecords(access, zone.edge_zone_id);
  return { filename: `${zone.name}.zone`, content_type: "text/plain", content };
}
