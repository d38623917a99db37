import { domainToASCII, domainToUnicode } from "node:url";
import type { Zone } from "cloudflare/resources/zones/zones";
import { Misunderstood, type Reply } from "../simulator.ts";
import { reported } from "./documented.ts";
import { bodyOf, type EdgePart, type EdgeRequest, envelope, refused } from "./envelope.ts";
import type { Listed } from "./paging.ts";
import { recordPart } from "./records.ts";
import { type EdgeState, NO_ONE_KNOWS, newEdgeId, type SimulatedZone } from "./state.ts";

/** The provider shows international names in Unicode; the list's filter finds no other spelling (cloudflare/cloudflare-go#347). */
const spelt = (name: string): string => domainToUnicode(name) || name;
const isSame = (one: string, other: string): boolean => (domainToASCII(one) || one) === (domainToASCII(other) || other);

const shownZone = ({ account, plan, name, ...zone }: SimulatedZone, state: EdgeState) =>
  reported<Zone>()({
    ...zone,
    name: spelt(name),
    type: "full",
    account: state.accounts.find(({ id }) => id === account) ?? {},
    plan: { id: newEdgeId(), name: plan },
    activated_on: NO_ONE_KNOWS,
    created_on: NO_ONE_KNOWS,
    modified_on: NO_ONE_KNOWS,
    development_mode: 0,
    meta: {},
    original_dnshost: null,
    original_registrar: null,
    owner: {},
  });

/** The body's fields. @throws Misunderstood for an unknown one */
function only(request: EdgeRequest, ...names: string[]): Record<string, unknown> {
  const body = bodyOf(request);
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Misunderstood(`unknown field '${unknown}'`);
  return body;
}

/** The provider's zones and their records. */
export function zoneParts(state: EdgeState, listed: Listed): EdgePart {
  function createZone(request: EdgeRequest): Reply {
    const { name, account, type, jump_start } = only(request, "name", "account", "type", "jump_start");
    const accountId = (account as { id?: string } | undefined)?.id;
    if (typeof name !== "string" || !/^[a-z0-9.-]+\.[a-z0-9-]+$/.test(domainToASCII(name)))
      throw new Misunderstood(`the name is '${name}'`);
    if (type !== "full" || jump_start !== false) throw new Misunderstood("a zone is full and without jump start");
    if (!state.accounts.some(({ id }) => id === accountId)) return refused(403, 10000, "Authentication error");
    if (state.zones.some((zone) => isSame(zone.name, name))) return refused(400, 1061, `${name} already exists`);
    return envelope(shownZone(state.zone(accountId as string, name, { status: "pending" }), state));
  }

  const records = recordPart(state, listed);

  return (request) => {
    const { method, parts, query } = request;
    const [first, id, what] = parts;
    if (first !== "zones") return null;
    if (id === undefined && method === "POST") return createZone(request);
    if (id === undefined && method === "GET") {
      const [name, account] = [query.get("name"), query.get("account.id")];
      const wanted = state.zones.filter(
        (zone) => (name === null || spelt(zone.name) === name) && (account === null || zone.account === account),
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
