import { type ApiError, invalid } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import type { EdgeZoneRow } from "../models.ts";
import { callEdge, callEdgeForText, type EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { listEdge, RECORDS_OF_ZONE } from "../provider/listing.ts";
import { flagIn, hostIn, partIn, textIn } from "../provider/reading.ts";
import { identicalIn } from "./identical.ts";
import { AUTOMATIC_TTL, recordBody, type WrittenRecord } from "./record-body.ts";
import { omitsPriority } from "./record-data.ts";
import type { DnsRecordRead } from "./record-schemas.ts";

/** The wrapper of a validation error; since 2024 the provider may omit it and return the error of its chain instead. */
const VALIDATION = 1004;
/** Further codes of record validation: too many tags, or text records of one name that are too long together. */
const OTHERS = new Set([9300, 83011]);
const isOfValidation = (code: number | null): boolean =>
  code !== null && (code === VALIDATION || (code >= 9000 && code <= 9199) || OTHERS.has(code));

/** The provider refused a record's value as invalid; the caller must correct it (assets §9.2). */
class RecordRefused extends EdgeFailure {
  override refusal(): ApiError {
    return Object.assign(invalid({ content: "errors.edge_record_invalid" }), { cause: this });
  }
}

/** Whether a failure concerns the written value, not the token or an existing record. */
const isAboutValue = (failure: EdgeFailure): boolean =>
  failure.status === 400 &&
  failure.errorCode === "edge_request_failed" &&
  failure.errors.some(({ code }) => isOfValidation(code));

/** Maps failures of a record write. @throws EdgeFailure, as 422 on `content` for a value that the provider refused */
const refusingValues = <T>(written: Promise<T>): Promise<T> =>
  written.catch((error: unknown) => {
    if (error instanceof EdgeFailure && isAboutValue(error)) throw new RecordRefused(error.message, error);
    throw error;
  });

export type DnsRecord = Static<typeof DnsRecordRead>;

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
    // The listed content of SRV omits its priority; that of HTTPS and others includes it.
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

/** All current records of a zone. @param zone the provider's id @throws EdgeFailure */
export async function listRecords(access: EdgeAccess, zone: string): Promise<DnsRecord[]> {
  return (await listed(access, zone)).map(recordIn);
}

/**
 * Adds a record, with defaults for an omitted TTL or proxy setting. If an earlier attempt of the request may have added it and lost the
 * response, an identical record in the zone counts as its result.
 * @throws EdgeFailure, 422 for content that does not fit the type
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

/** A record to write, with the priority that the provider has stored where neither its content, its data nor `priority` names one. */
async function withStoredPriority(access: EdgeAccess, zone: string, id: string, written: WrittenRecord): Promise<WrittenRecord> {
  const { type, content, data, priority } = written;
  const isNamed = [data, priority].some((value) => value !== null && value !== undefined);
  if (isNamed || !omitsPriority(type.toUpperCase(), content)) return written;
  const { result } = await callEdge(access, { operation: "records.get", path: recordOf(zone, id) });
  return { ...written, priority: answered(result).priority };
}

/**
 * Changes a record; fields omitted from the body stay as they are at the provider.
 * @throws EdgeFailure, 422 for content that does not fit the type
 */
export async function changeRecord(access: EdgeAccess, zone: string, id: string, written: WrittenRecord): Promise<DnsRecord> {
  const body = recordBody(await withStoredPriority(access, zone, id, written));
  const call = { operation: "records.update", method: "PATCH", path: recordOf(zone, id), body } as const;
  return answered((await refusingValues(callEdge(access, call))).result);
}

/** @throws EdgeFailure */
export async function deleteRecord(access: EdgeAccess, zone: string, id: string): Promise<void> {
  await callEdge(access, { operation: "records.delete", method: "DELETE", path: recordOf(zone, id) });
}

/** The zone as a BIND file, generated by the provider. @throws EdgeFailure */
export const exportRecords = (access: EdgeAccess, zone: string): Promise<string> =>
  callEdgeForText(access, { operation: "records.export", path: `${recordsOf(zone)}/export` });
