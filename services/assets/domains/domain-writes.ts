import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import { newId, type UpdateOf } from "../../../core/database/model.ts";
import { query, queryOne } from "../../../core/database/query.ts";
import { differences, lock, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../core/trail/trail.ts";
import { requireCompany } from "../company-reference.ts";
import { requireParties, shownFields } from "../parties/parties.ts";
import { requireProviders } from "../providers/provider-slots.ts";
import { FIRST_LOOK, queueFirstLook } from "./dns-looks.ts";
import type { DomainCreate, DomainUpdate } from "./domain-schemas.ts";
import { domainValues } from "./domain-values.ts";
import { Domain, type DomainRow } from "./models.ts";
import { changedRenewal, createdRenewal, defaultRenewal, isBillable } from "./renewal-dates.ts";

const EXPIRY = statement("select expires_on from registers_of($1, $2, $3)");

type Slot = "company_id" | "registrar_provider_id" | "dns_provider_id" | "email_provider_id";
type BodyReferences = { readonly [One in Slot]?: string | null | undefined };

/**
 * Requires that the references of a body exist: a client visible to the caller, and providers of their slot's kind. Without any, no query.
 * @throws 404 for the client, 400 `invalid_provider`
 */
async function requireReferences(asked: BodyReferences): Promise<void> {
  await requireCompany(asked.company_id);
  await requireProviders({ registrar: asked.registrar_provider_id, dns: asked.dns_provider_id, email: asked.email_provider_id });
}

/** The expiry date a register last reported for a domain; null if none lists it. @param name in ASCII */
async function registerExpiry(id: string, name: string): Promise<string | null> {
  const found = await queryOne<{ expires_on: string | null }>(EXPIRY, [request().organisation.id, id, name]);
  return found?.expires_on ?? null;
}

const GOING = statement(`select d.id, w.id as website_id from domains d
    left join websites w on w.organisation_id = d.organisation_id and w.domain_id = d.id
  where d.organisation_id = $1 and (d.id = $2 or d.company_id = $3) order by d.id`);

/** Reports the deletion of one domain, or of all of a client, and of their websites to outgoing webhooks. */
export async function reportGone({
  domain_id = null,
  company_id = null,
}: Partial<Record<"domain_id" | "company_id", string | null>>) {
  const place = [request().organisation.id, domain_id, company_id];
  const going = await query<{ id: string; website_id: string | null }>(GOING, place);
  const ids = going.map(({ id }) => id);
  await reportLostReferences(Domain, ids);
  reportChange(
    "website",
    going.flatMap(({ website_id }) => website_id ?? []),
    "deleted",
  );
  reportChange("domain", ids, "deleted");
}

/** Reports a deleted client's domains, which are deleted with it. */
export const domainsGone: Hook<"company.deleting"> = ({ company_id }) => reportGone({ company_id });

const PARTIES = ["registry_contact", "email_contact"] as const;

/** The default renewal date (assets §2.2). */
const defaultOf = async ({ id, name, start_date }: Pick<DomainRow, "id" | "name" | "start_date">) =>
  defaultRenewal({ start_date, expires_on: await registerExpiry(id, name), today: organisationToday() });

/**
 * Creates a domain from a validated body, with its trail. All domains are created here.
 * @param ownId the id to use; a new one by default
 * @returns the new id
 * @throws 404 for a client hidden from the caller, 400 of providers and parties, 409 for a taken name, 422 of the rules
 */
export async function createDomain(body: Static<typeof DomainCreate>, ownId?: string): Promise<string> {
  const sent = domainValues(body, null, await activeDefinitions("domain"));
  await requireReferences(sent);
  await requireParties(PARTIES, sent);
  const { company_id = "", name = "", label = "", status = "active", start_date = organisationToday(), ...own } = sent;
  const id = ownId ?? newId();
  const renewal = createdRenewal(body.next_invoice_date, status);
  const next_invoice_date = renewal === "default" ? await defaultOf({ id, name, start_date }) : renewal;
  queueInsert(Domain, { ...own, id, company_id, name, label, status, start_date, next_invoice_date }, FIRST_LOOK);
  trail("domain", id, "created");
  queueFirstLook();
  return id;
}

/** Emits `domain.status_changed` if the status differs. Every write that changes a status calls it. */
export function emitStatusChange(
  before: Pick<DomainRow, "status">,
  after: Pick<DomainRow, "id" | "company_id" | "label" | "status">,
): void {
  const { id, company_id, label: name, status: to } = after;
  if (to !== before.status)
    emit("domain.status_changed", "domain", id, { domain_id: id, company_id, name, from: before.status, to });
}

/** The display name as one field; it has two columns. */
const shownName = ({ label, ...others }: UpdateOf<typeof Domain>): object =>
  label === undefined ? others : { ...others, name: label };

/** The values for the trail, with the display name as `name`. */
const readable = <V extends UpdateOf<typeof Domain>>(values: V) =>
  values.label === undefined ? values : { ...values, name: values.label };

/**
 * Updates a domain that the caller has locked. Fields not sent stay; a write without changes leaves no trace.
 * @param before the stored row
 * @returns whether anything changed
 * @throws 404 for a client hidden from the caller, 400 of providers and parties, 409 for a taken name, 422 of the rules
 */
export async function changeDomain(before: DomainRow, body: Static<typeof DomainUpdate>): Promise<boolean> {
  const { id } = before;
  const definitions = body.custom === undefined ? [] : await activeDefinitions("domain");
  const sent: UpdateOf<typeof Domain> = differences(before, domainValues(body, before, definitions)) ?? {};
  await requireReferences(sent);
  await requireParties(PARTIES, sent, before);
  const after = { ...before, ...sent } as DomainRow;
  const renewal = changedRenewal(body.next_invoice_date, before.next_invoice_date, after.status);
  const next_invoice_date = renewal === "default" ? await defaultOf(after) : renewal;
  const changed = differences(before, { ...sent, next_invoice_date });
  if (!changed) return false;
  queueUpdate(Domain, id, changed);
  const changes = changesOf(["name", ...Domain.tracked], readable(before), readable(changed));
  trailChanges("domain", id, changes, shownFields(PARTIES, shownName(changed)));
  emitStatusChange(before, { ...after, ...changed });
  return true;
}

/** Deletes a locked domain and its dependants (assets §2.1 "Trail"); the trail gets no line. */
export async function removeDomain(id: string): Promise<void> {
  await reportGone({ domain_id: id });
  queueRemove(Domain, id);
}

/** Updates a domain's record to its state at the edge (assets §8.2, §8.3); one that begins to be billed gets its renewal date (§2.2). */
export const followEdge: Hook<"edge.domain_follows"> = async ({ domain_id, status, redirect_url, only_from }) => {
  const domain = await lock(Domain, domain_id);
  if (!domain) return;
  if (only_from && (domain.status !== only_from.status || domain.redirect_url !== only_from.redirect_url)) return;
  const renewal = isBillable(domain.status) ? undefined : changedRenewal(undefined, domain.next_invoice_date, status);
  const next_invoice_date = renewal === "default" ? await defaultOf(domain) : renewal;
  const changed = differences(domain, { status, redirect_url, next_invoice_date });
  if (!changed) return;
  queueUpdate(Domain, domain_id, changed);
  trail("domain", domain_id, "updated", { changes: changesOf(Domain.tracked, domain, changed) });
  emitStatusChange(domain, { ...domain, ...changed });
};
