import { domainToUnicode } from "node:url";
import { columns, newId } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { chosenAccount } from "../accounts/account-choice.ts";
import { EdgeAccount, type EdgeAccountRow, GONE } from "../models.ts";
import { asAccount, clearTrouble } from "../provider/account-access.ts";
import { callEdge, type EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { type ListedZone, partIn, textIn, zoneIn } from "../provider/reading.ts";
import { labelled, linkZones } from "../sync/zones.ts";
import type { VisibleDomain } from "../visible-domain.ts";
import { zoneOfDomain } from "./zone-rows.ts";
import type { ConnectRequest } from "./zone-schemas.ts";

const ACCOUNTS = statement(
  `select ${columns(EdgeAccount)} from edge_accounts where organisation_id = $1 order by name collate kantoor_text, id`,
);
const CANDIDATES = statement(`select account_id, edge_zone_id from edge_zones
  where organisation_id = $1 and name = $2 and status <> '${GONE}' order by id`);
const STORE =
  statement(`insert into edge_zones as z (id, organisation_id, account_id, edge_zone_id, name, label, status, plan, paused,
    name_servers, original_name_servers, last_synced_at)
  select $3, $1, $2, r.edge_zone_id, r.name, r.label, r.status, r.plan, r.paused, r.name_servers, r.original_name_servers, statement_timestamp()
    from jsonb_to_record($4::jsonb) r (edge_zone_id text, name text, label text, status text, plan text, paused boolean, name_servers text[],
      original_name_servers text[])
  on conflict on constraint edge_zones_key do update set account_id = excluded.account_id, name = excluded.name,
    label = excluded.label, status = excluded.status, plan = excluded.plan, paused = excluded.paused, name_servers = excluded.name_servers,
    original_name_servers = excluded.original_name_servers, last_synced_at = excluded.last_synced_at, version = z.version + 1,
    updated_at = statement_timestamp()
  returning id, domain_id`);
const LINKED = statement(
  "select id, status, edge_zone_id from edge_zones where organisation_id = $1 and domain_id = $2 for update",
);
const THERE = statement("select name from edge_accounts where organisation_id = $1 and id = $2");

/** The zone to connect a domain to, found before any write. */
export type Connection =
  | { linked: string }
  | { account: Pick<EdgeAccountRow, "id" | "name" | "api_token">; zone: ListedZone; isCreated: boolean };

/**
 * Looks up a zone by name at the provider, in the account if its id is known. The provider finds an international zone only by its Unicode
 * form (cloudflare/cloudflare-go#347), so that form is tried if the ASCII form finds nothing.
 * @param name in ASCII
 * @throws EdgeFailure
 */
async function lookUp(
  access: EdgeAccess,
  name: string,
  account: EdgeAccountRow,
  known: readonly string[],
): Promise<ListedZone | null> {
  for (const spelling of new Set([name, domainToUnicode(name) || name])) {
    const found = await lookUpAs(access, spelling, name, account, known);
    if (found) return found;
  }
  return null;
}

async function lookUpAs(
  access: EdgeAccess,
  spelling: string,
  name: string,
  { edge_account_id }: EdgeAccountRow,
  known: readonly string[],
): Promise<ListedZone | null> {
  const query = { name: spelling, per_page: 50 };
  const { result } = await callEdge(access, { operation: "zones.find", path: "/zones", query });
  const rows = (Array.isArray(result) ? result : []) as Record<string, unknown>[];
  const found = rows.flatMap((row) => {
    const zone = zoneIn(row);
    return zone?.name === name ? [{ zone, accountId: textIn(partIn(row, "account"), "id") }] : [];
  });
  const rank = ({ zone, accountId }: (typeof found)[number]) =>
    (known.includes(zone.edge_zone_id) ? 0 : 2) + (edge_account_id !== null && accountId === edge_account_id ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b))[0]?.zone ?? null;
}

/** Creates a zone. @throws EdgeFailure */
async function create(access: EdgeAccess, name: string, edgeAccountId: string): Promise<ListedZone> {
  const body = { name, account: { id: edgeAccountId }, type: "full", jump_start: false };
  const { result } = await callEdge(access, { operation: "zones.create", method: "POST", path: "/zones", body });
  const zone = zoneIn((result ?? {}) as Record<string, unknown>);
  if (!zone) throw new EdgeFailure("the created zone has no id", { status: 200, wasReached: true });
  return zone;
}

/**
 * Finds a domain's zone, or creates it if missing (assets §7, "Connect"). The lookup comes first, so it finds a zone whose creation
 * response was lost. Must run outside a transaction.
 * @throws 404, 409, 502
 */
export async function findConnection(
  { id, name }: VisibleDomain,
  { account_id, create_if_missing = true }: Static<typeof ConnectRequest>,
): Promise<Connection> {
  const linked = await zoneOfDomain(id);
  if (linked) return { linked: linked.id };
  const { organisation } = request();
  const accounts = await query<EdgeAccountRow>(ACCOUNTS, [organisation.id]);
  const candidates = await query<{ account_id: string; edge_zone_id: string }>(CANDIDATES, [organisation.id, name]);
  if (candidates.length > 1 && !account_id)
    throw refusal("edge_zone_ambiguous", undefined, { fields: { account_id: "errors.required" } });
  const account = chosenAccount(accounts, account_id ?? candidates[0]?.account_id);
  const known = candidates.filter((one) => one.account_id === account.id).map(({ edge_zone_id }) => edge_zone_id);
  return asAccount(account, async (access) => {
    const found = await lookUp(access, name, account, known);
    if (found) return { account, zone: found, isCreated: false };
    if (!create_if_missing) throw refusal("edge_zone_not_found");
    if (account.edge_account_id === null) throw refusal("edge_cannot_create_zone");
    return { account, zone: await create(access, name, account.edge_account_id), isCreated: true };
  });
}

/**
 * Stores the found or created zone, linked to the domain; the link of a gone zone moves to it. In a write.
 * @returns the id of the zone
 * @throws 404 if the account was deleted meanwhile, 409 edge_domain_already_linked
 */
export async function connect(domain: VisibleDomain, found: Connection): Promise<string> {
  if ("linked" in found) return found.linked;
  const { account, zone, isCreated } = found;
  const { organisation, retryableConstraints } = request();
  retryableConstraints.add("edge_zones_account_fkey");
  if (!(await queryOne(THERE, [organisation.id, account.id]))) throw notFound();
  const stored = await queryOne<{ id: string; domain_id: string | null }>(STORE, [
    organisation.id,
    account.id,
    newId(),
    JSON.stringify(labelled(zone)),
  ]);
  const { id: zoneId, domain_id: served } = stored as { id: string; domain_id: string | null };
  const before = await queryOne<{ id: string; status: string }>(LINKED, [organisation.id, domain.id]);
  const isTaken = before !== undefined && before.id !== zoneId && before.status !== GONE;
  if (isTaken || (served !== null && served !== domain.id)) throw refusal("edge_domain_already_linked");
  clearTrouble(account);
  if (served === domain.id) return zoneId;
  linkZones([{ zone_id: zoneId, name: zone.name, domain_id: domain.id, gone_id: before?.id ?? null }]);
  trail("domain", domain.id, isCreated ? "edge.zone_created" : "edge.zone_connected", {
    zone: zone.name,
    account: account.name,
    nameservers: zone.name_servers ?? [],
  });
  return zoneId;
}
