import { columns } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { scheduleBackfill } from "../jobs/link-jobs.ts";
import { MarketingLink, type MarketingLinkRow } from "../models.ts";
import { sources } from "../sources/registry.ts";
import type { MarketingSource } from "../sources/source.ts";

const COMPANY = statement(`select 1 from companies t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.id in (select selected_companies($3::uuid[]))) for key share`);
const WEBSITE = statement(`select w.id, d.label as name,
    exists (select from marketing_website_credentials k where k.organisation_id = w.organisation_id and k.website_id = w.id) as has_credential
  from websites w join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
  where w.organisation_id = $1 and w.id = $2 and w.company_id = $3`);
const OF_SOURCE = statement(`select ${columns(MarketingLink)} from marketing_links
  where organisation_id = $1 and company_id = $2 and source = $3 order by id for update`);
/** The other client that has an advertising account; it cannot lose the account before the running transaction ends. */
const OTHER_CLIENT =
  statement(`select ($4::uuid[] is null or held.company_id in (select selected_companies($4::uuid[]))) as is_visible
  from ads_accounts held where held.organisation_id = $1 and held.customer_id = $2 and held.active and held.company_id <> $3
  for share of held`);

/** The values of a new link. */
export interface LinkValues {
  company_id: string;
  source: string;
  external_id: string;
  display_name: string;
  website_id?: string | null | undefined;
  config?: Record<string, unknown> | undefined;
}

/** @throws 404 if the client does not exist or is not visible */
export async function requireClient(id: string): Promise<void> {
  const { organisation, principal } = request();
  if (!(await queryOne(COMPANY, [organisation.id, id, principal?.selection ?? null]))) throw notFound();
}

/** The refusal of a source that needs a credential per website. */
export const websiteRequired = (key: "website_required" | "not_connected") =>
  refusal("validation", `errors.marketing_rankmath_${key}`, { fields: { website_id: "errors.required" } });

/**
 * The website of a new link.
 * @throws 404 if it is not the client's, 422 if the source needs a website or its credential and there is none
 */
export async function requireWebsite(values: LinkValues): Promise<{ id: string; name: string } | null> {
  const needsCredential = sources.get(values.source)?.credential.kind === "website";
  if (!values.website_id) {
    if (needsCredential) throw websiteRequired("website_required");
    return null;
  }
  const asked = [request().organisation.id, values.website_id, values.company_id];
  const website = await queryOne<{ id: string; name: string; has_credential: boolean }>(WEBSITE, asked);
  if (!website) throw notFound();
  if (needsCredential && !website.has_credential) throw websiteRequired("not_connected");
  return website;
}

/** An account in its one spelling; a text that names none as it is. */
export const spelled = ({ spelling }: Pick<MarketingSource, "spelling">, externalId: string): string =>
  spelling?.(externalId.trim()) ?? externalId;

/** @throws 422 for a text that names no account of the source (marketing-ads §2.2) */
function requireAccount({ source, external_id }: LinkValues): string {
  const { spelling = (typed: string) => typed || null } = sources.get(source) as MarketingSource;
  const account = spelling(external_id.trim());
  if (account === null) throw invalid({ external_id: "errors.marketing_external_id_invalid" });
  return account;
}

/** @throws 422 for an advertising account that is attached to another client, 404 if the caller cannot see that client */
async function requireUnattached({ company_id, source }: LinkValues, account: string): Promise<void> {
  if (source !== "gads") return;
  const { organisation, principal } = request();
  const asked = [organisation.id, account, company_id, principal?.selection ?? null];
  const other = await queryOne<{ is_visible: boolean }>(OTHER_CLIENT, asked);
  if (other && !other.is_visible) throw notFound();
  if (other) throw invalid({ external_id: "errors.marketing_account_of_another_client" });
}

/** The client's link to an account, locked: an exact match of the spelling, else another spelling of the same account. */
export async function linkTo(companyId: string, source: string, externalId: string): Promise<MarketingLinkRow | undefined> {
  const links = await query<MarketingLinkRow>(OF_SOURCE, [request().organisation.id, companyId, source]);
  const declared = sources.get(source) as MarketingSource;
  const exact = links.find(({ external_id }) => external_id === externalId);
  return exact ?? links.find(({ external_id }) => spelled(declared, external_id) === spelled(declared, externalId));
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Reports a link to advertising. Links that advertising created are not reported back. */
function report(id: string, { company_id, source, external_id, display_name, config }: LinkValues, connectionId: string | null) {
  emit("marketing.link.attached", "marketing_link", id, {
    ...{ link_id: id, company_id, source, external_id, display_name, connection_id: connectionId },
    currency: textOf(config?.["currency"]),
    manager_id: textOf(config?.["manager_id"]),
  });
}

/**
 * Links a client to an account in the running transaction, or updates the existing link to it (marketing-ads §2.2).
 * @param connectionId the connection to read it with
 * @returns the link's id
 * @throws 404, 422
 */
export async function attachLink(values: LinkValues, connectionId: string | null): Promise<string> {
  const { company_id, source, display_name, config = {} } = values;
  const external_id = requireAccount(values);
  // Of two concurrent requests for the same link, the later one is retried and finds the earlier one's row.
  request().retryableConstraints.add("marketing_links_one");
  await requireClient(company_id);
  const website = await requireWebsite(values);
  await requireUnattached(values, external_id);
  const written = { display_name, config, website_id: website?.id ?? null, connection_id: connectionId };
  const existing = await linkTo(company_id, source, external_id);
  const changed = existing ? differences(existing, { ...written, active: true }) : null;
  if (existing && !changed) return existing.id;
  // Linking it again clears the last error: the caller has fixed the cause or changed the link.
  if (existing) queueUpdate(MarketingLink, existing.id, { ...written, active: true, last_error: null });
  const id = existing?.id ?? queueInsert(MarketingLink, { company_id, source, external_id, ...written });
  if (!existing?.active)
    trail("company", company_id, "marketing.linked", { source, name: display_name, ...(website && { website: website.name }) });
  if (!existing) scheduleBackfill({ id, source, external_id, connection_id: connectionId, website_id: written.website_id });
  report(id, { ...values, external_id: existing?.external_id ?? external_id }, connectionId);
  return id;
}

/** Deactivates a locked link in the running transaction and keeps its stored figures. */
export function detachLink({ id, active, company_id, source, display_name }: MarketingLinkRow): void {
  if (!active) return;
  queueUpdate(MarketingLink, id, { active: false, held_by: null, held_until: null });
  trail("company", company_id, "marketing.unlinked", { source, name: display_name });
}
