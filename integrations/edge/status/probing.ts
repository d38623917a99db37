import { isApiError } from "../../../core/errors/errors.ts";
import { shortened } from "../../../core/values/stored-text.ts";
import type { EdgeAccountRow } from "../models.ts";
import { accessOf, noteTrouble } from "../provider/account-access.ts";
import { callEdge, type EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { listEdge } from "../provider/listing.ts";
import { hostIn, type ListedZone, partIn, textIn, zoneIn } from "../provider/reading.ts";
import { listRecords } from "../records/record-calls.ts";
import type { DomainAtEdge } from "../redirects/domain-at-edge.ts";
import { type Ruleset, readPageRules, readRuleset } from "../redirects/provider-rules.ts";
import type { OriginRecord } from "../redirects/routing.ts";
import type { HeldPageRule } from "../redirects/rules/conflicts.ts";

/** The probes of a check, in the order of calls and reporting (assets §8.3). */
export const PROBES = ["zone", "redirect_rules", "page_rules", "dns", "pages"] as const;
export type Probe = (typeof PROBES)[number];

/** A static site with hostnames of the domain, and its account. */
export interface LinkedProject {
  id: string;
  name: string;
  account: EdgeAccountRow;
}

/** A hostname of a static site as the provider reports it. */
export interface ServedHost {
  hostname: string;
  status: string | null;
  error: string | null;
}

/** The results of a check; unread parts are undefined. */
export interface Probed {
  zone?: ListedZone;
  /** Null: the zone never had a redirect rule. */
  ruleset?: Ruleset | null;
  pageRules?: HeldPageRule[];
  records?: OriginRecord[];
  /** Hostnames by the id of the project. */
  projects: Map<string, ServedHost[]>;
  unavailable: Probe[];
}

/** The provider's error for a hostname. */
function errorOf(row: Readonly<Record<string, unknown>>): string | null {
  const said = [partIn(row, "verification_data"), partIn(row, "validation_data")].map((part) => textIn(part, "error_message"));
  const error = said.find((text) => text !== null);
  return error ? shortened(error, 500) : null;
}

async function servedBy({ name, account }: LinkedProject, access: EdgeAccess): Promise<ServedHost[]> {
  const { edge_account_id: id } = account;
  if (id === null) throw new EdgeFailure("the account has no id at the provider", { status: null, wasReached: true });
  const path = `/accounts/${encodeURIComponent(id)}/pages/projects/${encodeURIComponent(name)}/domains`;
  const rows = await listEdge(access, { operation: "pages.hostnames", path });
  return rows.flatMap((row) => {
    const hostname = hostIn(row, "name");
    return hostname === null ? [] : [{ hostname, status: textIn(row, "status"), error: errorOf(row) }];
  });
}

async function readZone(access: EdgeAccess, id: string): Promise<ListedZone> {
  const { result } = await callEdge(access, { operation: "zones.get", path: `/zones/${encodeURIComponent(id)}` });
  const zone = zoneIn((result ?? {}) as Readonly<Record<string, unknown>>);
  if (!zone) throw new EdgeFailure("the answer is not a zone", { status: 200, wasReached: true });
  return zone;
}

/**
 * Asks the provider about a domain, each question separately: a failure is listed and stops nothing (assets §8.3). Stores only the
 * provider's failures, on its account.
 */
export async function probe({ connected }: DomainAtEdge, projects: readonly LinkedProject[]): Promise<Probed> {
  const probed: Probed = { projects: new Map(), unavailable: [] };
  const failed = new Set<Probe>();
  const ask = async (probe: Probe, account: EdgeAccountRow, work: (access: EdgeAccess) => Promise<void>) => {
    try {
      await work(accessOf(account));
    } catch (error) {
      // An unreadable token fails every probe of its account.
      if (!(error instanceof EdgeFailure) && !isApiError(error)) throw error;
      failed.add(probe);
      if (error instanceof EdgeFailure) await noteTrouble(account, error).catch(() => {});
    }
  };
  if (connected) {
    const { zone, account } = connected;
    const at = (access: EdgeAccess) => ({ access, edgeZoneId: zone.edge_zone_id });
    await Promise.all([
      ask("zone", account, async (access) => void (probed.zone = await readZone(access, zone.edge_zone_id))),
      ask("redirect_rules", account, async (access) => void (probed.ruleset = await readRuleset(at(access)))),
      ask("page_rules", account, async (access) => void (probed.pageRules = await readPageRules(at(access)))),
      ask("dns", account, async (access) => void (probed.records = await listRecords(access, zone.edge_zone_id))),
    ]);
  }
  // Sequential, because a domain may be on many sites.
  for (const project of projects)
    await ask("pages", project.account, async (access) => {
      probed.projects.set(project.id, await servedBy(project, access));
    });
  probed.unavailable = PROBES.filter((one) => failed.has(one));
  return probed;
}
