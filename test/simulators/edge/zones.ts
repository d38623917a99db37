import type { RecordResponse } from "cloudflare/resources/dns/records";
import type { Zone } from "cloudflare/resources/zones/zones";
import { Misunderstood, type Reply } from "../simulator.ts";
import { told } from "./documented.ts";
import { bodyOf, type EdgePart, type EdgeRequest, envelope, notFoundReply, refused } from "./envelope.ts";
import type { Listed } from "./paging.ts";
import { type EdgeState, newEdgeId, type SimulatedRecord, type SimulatedZone } from "./state.ts";

const PROXIABLE = new Set(["A", "AAAA", "CNAME"]);
const TYPES = ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "SRV", "CAA", "PTR"] as const satisfies readonly RecordResponse["type"][];
const typeOf = (value: unknown) => TYPES.find((type) => type === value);

const shownZone = ({ account, plan, ...zone }: SimulatedZone, state: EdgeState) =>
  told<Zone>()({
    ...zone,
    type: "full",
    account: state.accounts.find(({ id }) => id === account) ?? null,
    plan: { id: newEdgeId(), name: plan },
  });
const shownRecord = ({ zone: _, ...record }: SimulatedRecord) =>
  told<RecordResponse>()({
    ...record,
    proxiable: PROXIABLE.has(record.type),
    created_on: "2026-01-01T00:00:00Z",
  });

/** The fields of a body, none unknown. @throws Misunderstood */
function only(request: EdgeRequest, ...names: string[]): Record<string, unknown> {
  const body = bodyOf(request);
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Misunderstood(`unknown field '${unknown}'`);
  return body;
}

/** Zones and their records as the provider has them. */
export function zoneParts(state: EdgeState, listed: Listed): EdgePart {
  function createZone(request: EdgeRequest): Reply {
    const { name, account, type, jump_start } = only(request, "name", "account", "type", "jump_start");
    const accountId = (account as { id?: string } | undefined)?.id;
    if (typeof name !== "string" || !/^[a-z0-9.-]+\.[a-z0-9-]+$/.test(name)) throw new Misunderstood(`the name is '${name}'`);
    if (type !== "full" || jump_start !== false) throw new Misunderstood("a zone is full and without jump start");
    if (!state.accounts.some(({ id }) => id === accountId)) return refused(403, 10000, "Authentication error");
    if (state.zones.some((zone) => zone.name === name)) return refused(400, 1061, `${name} already exists`);
    return envelope(shownZone(state.zone(accountId as string, name, { status: "pending" }), state));
  }

  function recordOf(zone: SimulatedZone, request: EdgeRequest): Omit<SimulatedRecord, "id"> {
    const body = only(request, "type", "name", "content", "ttl", "proxied", "priority", "comment");
    const { name, content, ttl, proxied, priority, comment } = body;
    const type = typeOf(body["type"]);
    if (!type) throw new Misunderstood(`the type is '${body["type"]}'`);
    if (typeof name !== "string" || typeof content !== "string") throw new Misunderstood("a record has name and content");
    if (!Number.isInteger(ttl)) throw new Misunderstood(`the ttl is '${ttl}'`);
    if (proxied !== undefined && !PROXIABLE.has(type)) throw new Misunderstood(`'${type}' cannot be proxied`);
    if (type === "MX" && !Number.isInteger(priority)) throw new Misunderstood("MX has a priority");
    const short = name === "@" ? zone.name : name;
    const full = short === zone.name || short.endsWith(`.${zone.name}`) ? short : `${short}.${zone.name}`;
    return {
      zone: zone.id,
      type,
      name: full,
      content,
      ttl: ttl as number,
      proxied: proxied === true,
      comment: (comment as string | undefined) ?? null,
      ...(Number.isInteger(priority) && { priority: priority as number }),
    };
  }

  /** What forbids a record beside those that are there. */
  function clash(record: Omit<SimulatedRecord, "id">, but?: string): Reply | null {
    const others = state.records.filter(({ id, zone, name }) => zone === record.zone && name === record.name && id !== but);
    const same = others.some(({ type, content }) => type === record.type && content === record.content);
    if (same) return refused(400, 81057, "An identical record already exists.");
    const isCname = record.type === "CNAME" && others.some(({ type }) => PROXIABLE.has(type));
    if (isCname || (PROXIABLE.has(record.type) && others.some(({ type }) => type === "CNAME")))
      return refused(400, 81053, "An A, AAAA, or CNAME record with that host already exists.");
    return null;
  }

  function records(zone: SimulatedZone, request: EdgeRequest): Reply | null {
    const { method, parts } = request;
    const [, , , id] = parts;
    const own = state.records.filter((record) => record.zone === zone.id);
    if (id === "export" && method === "GET")
      return {
        status: 200,
        headers: { "Content-Type": "text/plain; charset=utf-8" },
        body: `;; Domain: ${zone.name}.\n${own.map(({ type, name, content, ttl }) => `${name}.\t${ttl}\tIN\t${type}\t${content}`).join("\n")}\n`,
      };
    if (id === undefined && method === "GET") return listed(request, own.map(shownRecord));
    if (id === undefined && method === "POST") {
      const record = recordOf(zone, request);
      return clash(record) ?? envelope(shownRecord(state.record(zone.id, record)));
    }
    const record = own.find((one) => one.id === id);
    if (!record) return notFoundReply(81044, "Record does not exist.");
    if (method === "PATCH") {
      const changed = recordOf(zone, request);
      const refusal = clash(changed, id);
      if (!refusal) Object.assign(record, changed);
      return refusal ?? envelope(shownRecord(record));
    }
    if (method !== "DELETE") return null;
    state.records.splice(state.records.indexOf(record), 1);
    return envelope({ id });
  }

  return (request) => {
    const { method, parts, query } = request;
    const [first, id, what] = parts;
    if (first !== "zones") return null;
    if (id === undefined && method === "POST") return createZone(request);
    if (id === undefined && method === "GET") {
      const [name, account] = [query.get("name"), query.get("account.id")];
      const wanted = state.zones.filter(
        (zone) => (name === null || zone.name === name) && (account === null || zone.account === account),
      );
      return listed(
        request,
        wanted.map((zone) => shownZone(zone, state)),
        ["name", "account.id"],
      );
    }
    const zone = state.zones.find((one) => one.id === id);
    if (!zone) return refused(400, 7003, `Could not route to /zones/${id}, perhaps your object identifier is invalid?`);
    if (what === undefined && method === "GET") return envelope(shownZone(zone, state));
    return what === "dns_records" ? records(zone, request) : null;
  };
}
