import type { Static } from "../../../core/declare/schema.ts";
import { request } from "../../../core/request/context.ts";
import type { EdgeZoneRow } from "../models.ts";
import { callEdge, callEdgeForText, type EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { listEdge, RECORDS_OF_ZONE } from "../provider/listing.ts";
import { flagIn, hostIn, partIn, textIn } from "../provider/reading.ts";
import { identicalIn } from "./identical.ts";
import { recordBody, type WrittenRecord } from "./record-body.ts";
import { refusingValues } from "./record-refused.ts";
import type { DnsRecordRead } from "./record-schemas.ts";

export type DnsRecord = Static<typeof DnsRecordRead>;
/** The provider chooses how long an answer may be kept. */
export const AUTOMATIC_TTL = 1;

const recordsOf = (zone: string) => `/zones/${encodeURIComponent(zone)}/dns_records`;
const recordOf = (zone: string, id: string) => `${recordsOf(zone)}/${encodeURIComponent(id)}`;

const numberIn = (row: Record<string, unknown>, name: string): number | null =>
  Number.isInteger(row[name]) ? (row[name] as number) : null;

function recordIn(row: Record<string, unknown>): DnsRecord {
  return {
    id: textIn(row, "id") ?? "",
    type: textIn(row, "type") ?? "",
    name: hostIn(row, "name") ?? "",
    content: textIn(row, "content") ?? "",
    ttl: numberIn(row, "ttl") ?? AUTOMATIC_TTL,
    proxied: flagIn(row, "proxied") ?? false,
    // The content of SRV is listed without it; that of HTTPS and others begins with it.
    priority: numberIn(row, "priority") ?? (row["type"] === "SRV" ? numberIn(partIn(row, "data"), "priority") : null),
    comment: textIn(row, "comment"),
  };
}

function answered(result: unknown): DnsRecord {
  const record = recordIn((result ?? {}) as Record<string, unknown>);
  if (record.id === "") throw new EdgeFailure("the record of the answer has no id", { status: 200, wasReached: true });
  return record;
}

const listed = (access: EdgeAccess, zone: string) =>
  listEdge(access, { operation: "records.list", path: recordsOf(zone) }, RECORDS_OF_ZONE);

/** All records of a zone, as they are now. @param zone the provider's id @throws EdgeFailure */
export async function listRecords(access: EdgeAccess, zone: string): Promise<DnsRecord[]> {
  return (await listed(access, zone)).map(recordIn);
}

/**
 * Adds a record, with the defaults of one that says nothing of its TTL or proxy. Where an earlier run of the request may have added it
 * before its answer was lost, the identical record of the zone is that one.
 * @throws EdgeFailure, 422 for content that is not of its type
 */
export async function createRecord(
  access: EdgeAccess,
  { edge_zone_id: zone, name: zoneName }: Pick<EdgeZoneRow, "edge_zone_id" | "name">,
  written: WrittenRecord,
): Promise<DnsRecord> {
  const { comment, ...record } = written;
  const body = recordBody({ ttl: AUTOMATIC_TTL, proxied: false, ...record, ...(comment && { comment }) });
  const call = { operation: "records.create", method: "POST", path: recordsOf(zone), body } as const;
  try {
    return answered((await refusingValues(callEdge(access, call))).result);
  } catch (error) {
    const isThere = error instanceof EdgeFailure && error.errorCode === "edge_record_exists";
    if (!isThere || !request().mayHaveActed) throw error;
    const own = identicalIn(await listed(access, zone), body, zoneName);
    if (!own) throw error;
    return recordIn(own);
  }
}

/**
 * Changes a record: what the body leaves out stays as the provider has it.
 * @throws EdgeFailure, 422 for content that is not of its type
 */
export async function changeRecord(access: EdgeAccess, zone: string, id: string, written: WrittenRecord): Promise<DnsRecord> {
  const call = { operation: "records.update", method: "PATCH", path: recordOf(zone, id), body: recordBody(written) } as const;
  return answered((await refusingValues(callEdge(access, call))).result);
}

/** @throws EdgeFailure */
export async function deleteRecord(access: EdgeAccess, zone: string, id: string): Promise<void> {
  await callEdge(access, { operation: "records.delete", method: "DELETE", path: recordOf(zone, id) });
}

/** The zone as a BIND file, in the provider's words. @throws EdgeFailure */
export const exportRecords = (access: EdgeAccess, zone: string): Promise<string> =>
  callEdgeForText(access, { operation: "records.export", path: `${recordsOf(zone)}/export` });
