import { isIPv4, isIPv6 } from "node:net";
import { domainToASCII } from "node:url";
import type { RecordResponse } from "cloudflare/resources/dns/records";
import type { Reply } from "../simulator.ts";
import { bodyOf, type EdgeRequest, envelope, notFoundReply, refusedChain } from "./envelope.ts";
import type { Listed } from "./paging.ts";
import { type EdgeState, NO_ONE_KNOWS, type SimulatedRecord, type SimulatedZone } from "./state.ts";

const PROXIABLE = new Set<string>(["A", "AAAA", "CNAME"]);
type Data = Readonly<Record<string, string | number>>;
type Values = Omit<SimulatedRecord, "id" | "zone">;

/** The data fields of each type, in the order of its content. */
const CONTENT: Readonly<Record<string, readonly string[]>> = {
  CAA: ["flags", "tag", "value"],
  CERT: ["type", "key_tag", "algorithm", "certificate"],
  DNSKEY: ["flags", "protocol", "algorithm", "public_key"],
  DS: ["key_tag", "algorithm", "digest_type", "digest"],
  HTTPS: ["priority", "target", "value"],
  LOC: [
    ...["lat_degrees", "lat_minutes", "lat_seconds", "lat_direction"],
    ...["long_degrees", "long_minutes", "long_seconds", "long_direction"],
    ...["altitude", "size", "precision_horz", "precision_vert"],
  ],
  NAPTR: ["order", "preference", "flags", "service", "regex", "replacement"],
  SMIMEA: ["usage", "selector", "matching_type", "certificate"],
  SRV: ["weight", "port", "target"],
  SSHFP: ["algorithm", "type", "fingerprint"],
  SVCB: ["priority", "target", "value"],
  TLSA: ["usage", "selector", "matching_type", "certificate"],
  URI: ["weight", "target"],
};
/** Data fields that content quotes. */
const QUOTED: Readonly<Record<string, readonly string[]>> = {
  CAA: ["value"],
  NAPTR: ["flags", "service", "regex"],
  URI: ["target"],
};

/** The content that the provider derives from data. */
const formatted = (type: string, data: Data): string =>
  (CONTENT[type] ?? [])
    .map((name) => (QUOTED[type]?.includes(name) ? `"${String(data[name]).replaceAll(/["\\]/g, "\\$&")}"` : String(data[name])))
    .filter((part) => part !== "")
    .join(" ");

const shown = ({ zone: _, comment, ...record }: SimulatedRecord) => ({
  ...record,
  ...(comment !== null && { comment }),
  proxiable: PROXIABLE.has(record.type),
  created_on: NO_ONE_KNOWS,
  modified_on: NO_ONE_KNOWS,
  meta: {},
  settings: {},
  tags: [],
});

/** A refusal of a value: the outer error is generic, its chain names the fault. */
const invalid = (code: number, message: string): Reply => refusedChain(400, 1004, "DNS Validation Error", [{ code, message }]);

/** The refusal of an invalid record; null if it is valid. */
function refusalOf({ type, name, content, ttl, priority, data }: Values): Reply | null {
  if (!/^[!-~]{1,253}$/.test(name)) return invalid(9000, "DNS name is invalid.");
  if (ttl !== 1 && (ttl < 60 || ttl > 86_400)) return invalid(9021, "Invalid TTL. Must be between 60 and 86400 seconds, or 1.");
  if (type === "A" && !isIPv4(content)) return invalid(9005, "Content for A record must be a valid IPv4 address.");
  if (type === "AAAA" && !isIPv6(content)) return invalid(9006, "Content for AAAA record must be a valid IPv6 address.");
  if ((type === "MX" || type === "URI") && priority === undefined) return invalid(9100, "priority is a required data field.");
  const missing = CONTENT[type]?.find((field) => data?.[field] === undefined);
  return missing === undefined ? null : invalid(9101, `${missing} is a required data field.`);
}

/** Merges a body into the existing record. */
function recordOf(zone: SimulatedZone, body: Record<string, unknown>, before: Values | null): Values {
  const apex = domainToASCII(zone.name) || zone.name;
  const merged = { ...(before ?? { ttl: 1, proxied: false, comment: null, content: "" }), ...body } as unknown as Values;
  const type = merged.type as RecordResponse["type"];
  const short = merged.name === "@" ? apex : merged.name;
  const name = short === apex || short.endsWith(`.${apex}`) ? short : `${short}.${apex}`;
  const content = CONTENT[type] ? formatted(type, merged.data ?? {}) : merged.content;
  const proxied = merged.proxied === true && PROXIABLE.has(type);
  // For proxied names the provider chooses the TTL.
  return { ...merged, name, content, proxied, ttl: proxied ? 1 : merged.ttl, comment: merged.comment || null };
}

/** The provider's records of zones. */
export const recordPart =
  (state: EdgeState, listed: Listed) =>
  (zone: SimulatedZone, request: EdgeRequest): Reply | null => {
    const { method, parts } = request;
    const [, , , id] = parts;
    const own = state.records.filter((record) => record.zone === zone.id);

    /** The refusal of a record that conflicts with existing ones. */
    function clash(record: Values): Reply | null {
      const others = own.filter((one) => one.name === record.name && one.id !== id);
      if (others.some(({ type, content }) => type === record.type && content === record.content))
        return refusedChain(400, 81058, "An identical record already exists.", []);
      const isCname = record.type === "CNAME" && others.some(({ type }) => PROXIABLE.has(type));
      if (isCname || (PROXIABLE.has(record.type) && others.some(({ type }) => type === "CNAME")))
        return refusedChain(400, 81053, "An A, AAAA, or CNAME record with that host already exists.", []);
      return null;
    }

    if (id === "export" && method === "GET")
      return {
        status: 200,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
        body: `;; Domain: ${zone.name}.\n${own.map(({ type, name, content, ttl }) => `${name}.\t${ttl}\tIN\t${type}\t${content}`).join("\n")}\n`,
      };
    if (id === undefined && method === "GET") return listed(request, own.map(shown));
    if (id === undefined && method === "POST") {
      const record = recordOf(zone, bodyOf(request), null);
      return refusalOf(record) ?? clash(record) ?? envelope(shown(state.record(zone.id, record)));
    }
    const record = own.find((one) => one.id === id);
    if (!record) return notFoundReply(81044, "Record does not exist.");
    if (method === "GET") return envelope(shown(record));
    if (method === "PATCH") {
      const changed = recordOf(zone, bodyOf(request), record);
      const refusal = refusalOf(changed) ?? clash(changed);
      if (!refusal) Object.assign(record, changed);
      return refusal ?? envelope(shown(record));
    }
    if (method !== "DELETE") return null;
    state.records.splice(state.records.indexOf(record), 1);
    return envelope({ id });
  };
