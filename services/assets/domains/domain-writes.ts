import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import { newId, type UpdateOf } from "../../../core/database/model.ts";
import { changesOf, trail, trailChanges } from "../../../core/database/trail.ts";
import { differing, insert, remove, update } from "../../../core/database/write.ts";
import type { Static } from "../../../core/declare/schema.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { organisationToday } from "../../../core/request/today.ts";
import { changedRenewal, createdRenewal, defaultRenewal } from "../billing/renewal-dates.ts";
import { requireParties, shownFields } from "../parties/parties.ts";
import { queueDnsLook } from "./dns-queue.ts";
import type { DomainCreate, DomainUpdate } from "./domain-schemas.ts";
import { domainValues } from "./domain-values.ts";
import { reportGone } from "./gone.ts";
import { Domain, type DomainRow } from "./models.ts";
import { registerExpiry, requireReferences } from "./references.ts";

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
  insert(Domain, { ...own, id, company_id, name, label, status, start_date, next_invoice_date });
  trail("domain", id, "created");
  queueDnsLook(id);
  return id;
}

/** Emits `domain.status_changed` if the status differs. Every write that changes a status calls it. */
export function tellStatus(
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
  const sent: UpdateOf<typeof Domain> = differing(before, domainValues(body, before, definitions)) ?? {};
  await requireReferences(sent);
  await requireParties(PARTIES, sent, before);
  const after = { ...before, ...sent } as DomainRow;
  const renewal = changedRenewal(body.next_invoice_date, before.next_invoice_date, after.status);
  const next_invoice_date = renewal === "default" ? await defaultOf(after) : renewal;
  const changed = differing(before, { ...sent, next_invoice_date });
  if (!changed) return false;
  update(Domain, id, changed);
  const changes = changesOf(["name", ...Domain.tracked], readable(before), readable(changed));
  trailChanges("domain", id, changes, shownFields(PARTIES, shownName(changed)));
  tellStatus(before, { ...after, ...changed });
  return true;
}

/** Deletes a locked domain and its dependants (assets §2.1 "Trail"); the trail gets no line. */
export async function removeDomain(id: string): Promise<void> {
  await reportGone({ domain_id: id });
  remove(Domain, id);
}
