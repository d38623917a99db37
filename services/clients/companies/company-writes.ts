import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import type { RowOf } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import { type Assignee, nextRoster, primaryOf, sameRoster } from "../../../core/rules/roster.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../core/trail/trail.ts";
import { grantedRoster, type ResolvedRoster } from "../../../mixins/assignees.ts";
import { Company } from "../models.ts";
import { nextNumber } from "./company-numbers.ts";
import type { CompanyCreate, CompanyUpdate } from "./company-schemas.ts";
import { companyValues } from "./company-values.ts";

/** A group lists its companies' ids, so deleting a company changes the group. */
const TOUCH_GROUPS =
  statement(`update company_groups set version = version + 1, updated_at = statement_timestamp() where organisation_id = $1
  and id in (select group_id from company_group_companies where organisation_id = $1 and company_id = $2)`);
const ROSTER = statement(`select account_id as user_id, is_primary from company_assignees
  where organisation_id = $1 and company_id = $2 order by is_primary desc, created_at, position`);
const REMOVE = statement(
  "delete from company_assignees where organisation_id = $1 and company_id = $2 and not account_id = any($3::uuid[])",
);
const UNSTAR = statement(
  "update company_assignees set is_primary = false where organisation_id = $1 and company_id = $2 and is_primary",
);
const PUT = statement(`insert into company_assignees (organisation_id, company_id, account_id, is_primary)
  select $1, $2, p.account_id, p.is_primary from unnest($3::uuid[], $4::boolean[]) with ordinality p(account_id, is_primary, n) order by p.n
  on conflict (organisation_id, company_id, account_id) do update set is_primary = excluded.is_primary`);

/** The field of a body that names the roster. */
const rosterField = ({ assignees }: Pick<Static<typeof CompanyUpdate>, "assignees">): string =>
  assignees === undefined ? "responsible_user_id" : "assignees";

/** The stored roster of a client: the starred person first, then by age of the assignment. */
export const companyRoster = (companyId: string) => query<Assignee & Row>(ROSTER, [request().organisation.id, companyId]);

function storeRoster(companyId: string, roster: ResolvedRoster): void {
  const place = [request().organisation.id, companyId];
  const people = roster.map(({ user_id: id }) => id);
  enqueue(REMOVE, [...place, people]);
  enqueue(UNSTAR, place);
  enqueue(PUT, [...place, people, roster.map(({ is_primary: primary }) => primary)]);
}

/**
 * Creates a company from a validated body: number, roster, trail and event in one transaction. Every path that creates one calls this.
 * @param numbered returns the number of the company from the one that was sent, null without one
 * @param ownId its id; a new one by default
 * @returns the new id
 * @throws 403 for a restricted caller, who could not see the row; 400, 409, 422 for broken rules
 */
export async function createCompany(
  body: Static<typeof CompanyCreate>,
  numbered: (named: string | null) => Promise<string | null> | string | null = (named) => named ?? nextNumber(),
  ownId?: string,
): Promise<string> {
  const { organisation, principal } = request();
  if (principal?.selection) throw forbidden();
  const values = companyValues(body, null, organisation.country, await activeDefinitions("company"));
  const roster = await grantedRoster([], nextRoster([], body) ?? [], rosterField(body), "members");
  const { name: title = body.name } = values;
  const { status = "active" } = body;
  const client_number = await numbered(values.client_number ?? null);
  const id = queueInsert(Company, { ...values, name: title, client_number, ...(ownId !== undefined && { id: ownId }) });
  if (roster.length > 0) storeRoster(id, roster);
  trail("company", id, "created");
  const recipients = roster.map((person) => person.user_id);
  emit("company.created", "company", id, { company_id: id, status, title, recipients });
  await runHooks("company.status_entered", { company_id: id, status });
  return id;
}

/**
 * Updates a company that the caller has locked. Fields that are not sent stay unchanged; a write without changes leaves no trace.
 * @param before the stored row
 * @returns whether anything changed
 */
export async function changeCompany(before: RowOf<typeof Company>, body: Static<typeof CompanyUpdate>): Promise<boolean> {
  const { organisation } = request();
  const { id } = before;
  const touchesRoster = body.assignees !== undefined || body.responsible_user_id !== undefined;
  const oldRoster = touchesRoster || body.status !== undefined ? await companyRoster(id) : [];
  const wanted = nextRoster(oldRoster, body);
  const replacement = wanted && !sameRoster(oldRoster, wanted) ? wanted : null;
  const definitions = body.custom === undefined ? [] : await activeDefinitions("company");
  const differs = differences(before, companyValues(body, before, organisation.country, definitions));
  if (!differs && !replacement) return false;
  const changed = differs ?? {};

  const roster = replacement && (await grantedRoster(oldRoster, replacement, rosterField(body), "members"));
  const present = new Set(oldRoster.map(({ user_id: person }) => person));
  const added = (roster ?? []).map(({ user_id: person }) => person).filter((person) => !present.has(person));

  const people = (roster ?? oldRoster).map(({ user_id: person }) => person);
  const title = changed.name ?? before.name;
  const [from, to] = [before.status, changed.status];
  const stars = roster ? { responsible_user_id: primaryOf(roster) } : {};
  const changes = changesOf(
    [...Company.tracked, "responsible_user_id"],
    { ...before, ...(roster && { responsible_user_id: primaryOf(oldRoster) }) },
    { ...changed, ...stars },
  );
  queueUpdate(Company, id, changed);
  if (roster) storeRoster(id, roster);
  trailChanges("company", id, changes, [...Object.keys(changed), ...(roster ? ["assignees"] : [])]);
  if (to !== undefined) {
    const payload = { company_id: id, status: to, previous_status: from, from, to, title, recipients: people };
    emit("company.status_changed", "company", id, payload);
  }
  if (added.length > 0) emit("company.assigned", "company", id, { company_id: id, title, recipients: added });
  if (to !== undefined) await runHooks("company.status_entered", { company_id: id, status: to });
  return true;
}

/**
 * Deletes a company that the caller has locked, with its links, roster and group memberships; the trail remains. Every path that deletes
 * one calls this.
 * @throws 409 of the modules whose records prevent it (`company.deleting`)
 */
export async function deleteCompany(id: string): Promise<void> {
  await runHooks("company.deleting", { company_id: id });
  await reportLostReferences(Company, [id]);
  enqueue(TOUCH_GROUPS, [request().organisation.id, id]);
  queueRemove(Company, id);
  reportChange("company", [id], "deleted");
}
