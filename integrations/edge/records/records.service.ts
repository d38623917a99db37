import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { prepared } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { trail } from "../../../core/trail/trail.ts";
import { service } from "../../../mixins/resource.ts";
import type { EdgeZoneRow } from "../models.ts";
import { asAccount } from "../provider/account-access.ts";
import type { EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { liveZone } from "../zones/zone-rows.ts";
import { changeRecord, createRecord, type DnsRecord, deleteRecord, listRecords } from "./record-calls.ts";
import { exported } from "./record-export.ts";
import {
  DnsExport,
  DnsRecordChange,
  DnsRecordRead,
  DnsRecordWrite,
  exportFormat,
  recordId,
  ZoneRecords,
} from "./record-schemas.ts";

const REFUSALS = [
  "edge_not_connected",
  "edge_request_failed",
  "edge_scope_missing",
  "edge_token_ip_blocked",
  "edge_token_rejected",
  "edge_token_unreadable",
  "edge_unreachable",
];

/** A zone, and the provider's response about it. */
interface Called<T> {
  zone: EdgeZoneRow;
  answer: T;
}

/**
 * Calls the provider about a zone visible to the caller. Records have no version: `If-Match` refers to their zone and is checked first.
 * @throws 404, 409, 412, 502
 */
async function atZone<T>(zoneId: string, work: (access: EdgeAccess, zone: EdgeZoneRow) => Promise<T>): Promise<Called<T>> {
  const { zone, account } = await liveZone(zoneId);
  requireMatch(zone.version);
  return { zone, answer: await asAccount(account, (access) => work(access, zone)) };
}

/** Records a change to a DNS record in the trail of the zone's domain. */
function note({ domain_id, name }: EdgeZoneRow, what: "created" | "updated" | "deleted", payload: Record<string, string>): void {
  if (domain_id !== null) trail("domain", domain_id, `edge.dns_record_${what}`, { zone: name, ...payload });
}

/** Deletes a record; true if it existed. @throws EdgeFailure */
const removeRecord = (access: EdgeAccess, zone: string, id: string): Promise<boolean> =>
  deleteRecord(access, zone, id).then(
    () => true,
    (error: unknown) => {
      // Deleted earlier, or by a call whose response was lost.
      if (error instanceof EdgeFailure && error.isMissing) return false;
      throw error;
    },
  );

/** The live records of a zone; none of them are stored (assets §7, "DNS"). */
export default service("edge.records", {
  actions: {
    list: action({
      rest: "GET /edge/zones/:zone_id/dns",
      verb: "list",
      summary: "Read the records of a zone from the provider",
      description: "Up to 10,000. A zone of more is refused with 502 and their number in `details.rows`.",
      permission: "edge.dns.read",
      returns: ZoneRecords,
      errors: REFUSALS,
      prepare: (ctx) => atZone(ctx.params.zone_id, (access, zone) => listRecords(access, zone.edge_zone_id)),
      async handler() {
        const { zone, answer } = prepared<Called<DnsRecord[]>>();
        return { zone_id: zone.id, zone_name: zone.name, records: answer };
      },
    }),

    create: action({
      rest: "POST /edge/zones/:zone_id/dns",
      summary: "Add a record to a zone",
      description:
        "`proxied` counts for A, AAAA and CNAME; a `ttl` of 1 leaves it to the provider. Repeated under its " +
        "`Idempotency-Key` after a lost answer, it returns the existing identical record.",
      permission: "edge.zone.manage",
      body: DnsRecordWrite,
      example: { type: "MX", name: "bakkerij-de-korenaar.nl", content: "mail.example.com", priority: 10, ttl: 3600 },
      returns: DnsRecordRead,
      errors: [...REFUSALS, "edge_record_exists"],
      acts: "outside",
      prepare: (ctx) => atZone(ctx.params.zone_id, (access, zone) => createRecord(access, zone, ctx.params.body)),
      async handler() {
        const { zone, answer } = prepared<Called<DnsRecord>>();
        note(zone, "created", { type: answer.type, name: answer.name });
        return answer;
      },
    }),

    update: action({
      rest: "PATCH /edge/zones/:zone_id/dns/:record_id",
      summary: "Change a record of a zone",
      permission: "edge.zone.manage",
      description:
        "Omitted fields stay unchanged, also the priority of an SRV or URI record whose `content` names none. `comment` null or empty removes the comment; `proxied` applies to A, AAAA and CNAME.",
      path: { record_id: recordId() },
      body: DnsRecordChange,
      example: { type: "A", name: "www.bakkerij-de-korenaar.nl", content: "203.0.113.18" },
      returns: DnsRecordRead,
      errors: [...REFUSALS, "edge_record_exists"],
      acts: "outside",
      prepare: (ctx) =>
        atZone(ctx.params.zone_id, (access, zone) =>
          changeRecord(access, zone.edge_zone_id, ctx.params.record_id, ctx.params.body),
        ),
      async handler() {
        const { zone, answer } = prepared<Called<DnsRecord>>();
        note(zone, "updated", { type: answer.type, name: answer.name });
        return answer;
      },
    }),

    remove: action({
      rest: "DELETE /edge/zones/:zone_id/dns/:record_id",
      summary: "Delete a record of a zone",
      permission: "edge.zone.manage",
      path: { record_id: recordId() },
      errors: REFUSALS,
      acts: "outside",
      prepare: (ctx) =>
        atZone(ctx.params.zone_id, (access, zone) => removeRecord(access, zone.edge_zone_id, ctx.params.record_id)),
      async handler(ctx) {
        const { zone, answer } = prepared<Called<boolean>>();
        if (answer) note(zone, "deleted", { record_id: ctx.params.record_id });
      },
    }),

    export: action({
      rest: "GET /edge/zones/:zone_id/dns/export",
      verb: "export",
      summary: "Export the records of a zone",
      description: "`bind` is the provider's own zone file, `csv` is made here.",
      permission: "edge.dns.read",
      query: { format: exportFormat() },
      returns: DnsExport,
      errors: REFUSALS,
      prepare: (ctx) => atZone(ctx.params.zone_id, (access, zone) => exported(access, zone, ctx.params.format ?? "bind")),
      handler: async () => prepared<Called<Static<typeof DnsExport>>>().answer,
    }),
  },
});
