import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { invalid, isApiError, notFound, refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { asciiName } from "../../../core/values/host-name.ts";
import { EdgePageLink, type EdgePageLinkRow, EdgeProject, type EdgeProjectRow } from "../models.ts";
import { accessOf, asAccount, storedAccount } from "../provider/account-access.ts";
import { callEdge, type EdgeAccess } from "../provider/client.ts";
import { EdgeFailure } from "../provider/failure.ts";
import { textIn } from "../provider/reading.ts";
import { outsideZone } from "../records/in-zone.ts";
import { AUTOMATIC_TTL } from "../records/record-body.ts";
import { createRecord, listRecords } from "../records/record-calls.ts";
import { type VisibleDomain, visibleDomain } from "../visible-domain.ts";
import { zoneOfDomain } from "../zones/zone-rows.ts";

const PROJECT = statement(
  `select ${columns(EdgeProject)} from edge_projects where organisation_id = $1 and id = $2 and not gone`,
);
const LINK = statement(`select ${columns(EdgePageLink)} from edge_page_links
  where organisation_id = $1 and project_id = $2 and hostname = $3`);
/** The provider's code for a hostname already on a project. */
const HAS_IT = 8000018;

/** The stored project, unless it is gone. @throws 404 */
async function storedProject(id: string): Promise<EdgeProjectRow> {
  const found = await queryOne<EdgeProjectRow>(PROJECT, [request().organisation.id, id]);
  if (!found) throw notFound();
  return found;
}

const linkOf = (projectId: string, hostname: string): Promise<EdgePageLinkRow | undefined> =>
  queryOne<EdgePageLinkRow>(LINK, [request().organisation.id, projectId, hostname]);

/** The stored link of a hostname. @throws 404 if it belongs to a domain hidden from the caller, from which the call would take it */
async function visibleLinkOf(projectId: string, hostname: string, domainId: string): Promise<EdgePageLinkRow | undefined> {
  const stored = await linkOf(projectId, hostname);
  if (stored && stored.domain_id !== domainId) await visibleDomain(stored.domain_id);
  return stored;
}

/**
 * The hostname to serve, in ASCII; the domain itself by default.
 * @throws 422 on `hostname` outside the domain
 */
export function hostnameIn({ name }: Pick<VisibleDomain, "name">, asked: string | null | undefined): string {
  const hostname = asciiName(asked ?? "");
  if (hostname === "") return name;
  const isWhole =
    hostname.length <= 253 && hostname.split(".").every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  if (!isWhole || (hostname !== name && !hostname.endsWith(`.${name}`)))
    throw invalid({ hostname: "errors.edge_hostname_not_in_domain" });
  return hostname;
}

/** A hostname registered at the provider but not stored yet. */
export interface Served {
  domain: VisibleDomain;
  project: EdgeProjectRow;
  hostname: string;
  /** Null if a stored link made registration unnecessary: its status stays. */
  status: string | null;
  isNew: boolean;
  /** Why DNS was not updated. */
  dnsError: string | null;
}

const domainsOf = (accountId: string, project: string) =>
  `/accounts/${encodeURIComponent(accountId)}/pages/projects/${encodeURIComponent(project)}/domains`;

/** Registers a hostname; one already on the project counts as success. @returns its status @throws EdgeFailure */
async function register(access: EdgeAccess, path: string, hostname: string): Promise<string> {
  try {
    const call = { operation: "projects.add_domain", method: "POST", path, body: { name: hostname } } as const;
    const { result } = await callEdge(access, call);
    return textIn((result ?? {}) as Record<string, unknown>, "status") ?? "pending";
  } catch (error) {
    const hasIt =
      error instanceof EdgeFailure && (error.has(HAS_IT) || /already (been )?added|already exists/i.test(error.message));
    if (!hasIt) throw error;
    return "pending";
  }
}

/**
 * Adds a DNS record for a project, if the domain's zone is connected and no record has the hostname.
 * @returns why the zone cannot have the record, or null
 * @throws EdgeFailure
 */
async function pointDns(domain: VisibleDomain, hostname: string, { subdomain }: EdgeProjectRow): Promise<string | null> {
  const zone = subdomain === null ? undefined : await zoneOfDomain(domain.id);
  if (subdomain === null || !zone) return null;
  const outside = outsideZone(hostname, zone.name);
  if (outside !== null) return outside;
  const access = accessOf(await storedAccount(zone.account_id));
  const records = await listRecords(access, zone.edge_zone_id);
  if (records.some(({ name }) => name === hostname)) return null;
  const record = { type: "CNAME", name: hostname, content: subdomain, proxied: true, ttl: AUTOMATIC_TTL };
  try {
    await createRecord(access, zone, record);
  } catch (error) {
    // Added since the list was read, by the same call twice at a time for instance.
    if (!(error instanceof EdgeFailure && error.errorCode === "edge_record_exists")) throw error;
  }
  return null;
}

/**
 * Makes a static site serve a hostname and points DNS at it (assets §7, "Pages link"). A retry repeats the call. Not inside a transaction.
 * @throws 404, 409, 422, 502
 */
export async function serve(domain: VisibleDomain, projectId: string, asked: string | null | undefined): Promise<Served> {
  const project = await storedProject(projectId);
  const hostname = hostnameIn(domain, asked);
  const account = await storedAccount(project.account_id);
  const { edge_account_id } = account;
  if (edge_account_id === null) throw refusal("edge_pages_unavailable");
  const stored = await visibleLinkOf(projectId, hostname, domain.id);
  const stands = stored !== undefined && stored.missing_at === null && stored.domain_id === domain.id;
  const path = domainsOf(edge_account_id, project.name);
  const status = stands ? null : await asAccount(account, (access) => register(access, path, hostname));
  let dnsError: string | null = null;
  try {
    dnsError = await pointDns(domain, hostname, project);
  } catch (error) {
    // The hostname is registered; the link stores the DNS error.
    if (!(error instanceof EdgeFailure) && !isApiError(error)) throw error;
    dnsError = error.message;
  }
  return { domain, project, hostname, status, isNew: !stands, dnsError };
}

/** Stores a served hostname, in a write. @returns the id of its link */
export async function keepServed({ domain, project, hostname, status, isNew, dnsError }: Served): Promise<string> {
  const last_checked_at = new Date().toISOString();
  const values = { domain_id: domain.id, missing_at: null, last_error: dnsError, last_checked_at };
  request().retryableConstraints.add("edge_page_links_key");
  const stored = await visibleLinkOf(project.id, hostname, domain.id);
  const id =
    stored?.id ?? queueInsert(EdgePageLink, { project_id: project.id, hostname, status: status ?? "pending", ...values });
  if (stored) queueUpdate(EdgePageLink, id, { ...values, ...(status !== null && { status }) });
  if (isNew) trail("domain", domain.id, "edge.pages_linked", { project: project.name, hostname });
  return id;
}

/** A hostname removed from a static site at the provider. */
export interface Unserved {
  link: EdgePageLinkRow;
  project: string;
}

const PROJECT_OF = statement(`select ${columns(EdgeProject)} from edge_projects where organisation_id = $1 and id = $2`);

/** Removes a hostname from a static site; leaves DNS unchanged. Must run outside a transaction. @throws 409, 502 */
export async function unserve(link: EdgePageLinkRow): Promise<Unserved> {
  const project = await queryOne<EdgeProjectRow>(PROJECT_OF, [request().organisation.id, link.project_id]);
  if (!project) throw notFound();
  const account = await storedAccount(project.account_id);
  if (account.edge_account_id === null) throw refusal("edge_pages_unavailable");
  const path = `${domainsOf(account.edge_account_id, project.name)}/${encodeURIComponent(link.hostname)}`;
  await asAccount(account, (access) =>
    callEdge(access, { operation: "projects.remove_domain", method: "DELETE", path }).catch((error: unknown) => {
      if (!(error instanceof EdgeFailure && error.isMissing)) throw error;
    }),
  );
  return { link, project: project.name };
}
