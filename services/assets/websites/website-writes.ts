import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import { type CustomDefinition, readCustomValues } from "../../../core/custom-fields/values.ts";
import type { UpdateOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { conflict, invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { changesOf, trail, trailChanges } from "../../../core/trail/trail.ts";
import { visibleHosting } from "../hosting/hosting.list.ts";
import { partyValues, requireParties, shownFields } from "../parties/parties.ts";
import { Website, type WebsiteRow } from "./models.ts";
import { websites } from "./website.list.ts";
import type { WebsiteCreate, WebsiteUpdate } from "./website-schemas.ts";

const PARTIES = ["technical_owner"] as const;
const LOOK = statement(`select
    $2::uuid is null or exists (select 1 from domains d where d.organisation_id = $1 and d.id = $2
      and ($4::uuid[] is null or d.company_id in (select selected_companies($4::uuid[])))) as has_domain,
    exists (select 1 from websites w where w.organisation_id = $1 and w.domain_id = $2) as is_taken,
    $3::uuid is null or exists (select 1 from hostings h where h.organisation_id = $1 and h.id = $3
      and ($4::uuid[] is null or ${visibleHosting("$4::uuid[]", "h")})) as has_hosting`);

interface BodyReferences {
  domain_id?: string | undefined;
  hosting_id?: string | null | undefined;
}

/**
 * Requires that the references of a body exist for the caller. Queries nothing without references.
 * @throws 404 for the domain, 409 if it already has a website, 400 `invalid_hosting`
 */
async function requireReferences({ domain_id = undefined, hosting_id = null }: BodyReferences): Promise<void> {
  if (domain_id === undefined && hosting_id === null) return;
  const { organisation, principal } = request();
  const values = [organisation.id, domain_id ?? null, hosting_id, principal?.selection ?? null];
  const found = await queryOne<{ has_domain: boolean; is_taken: boolean; has_hosting: boolean }>(LOOK, values);
  if (!found?.has_domain) throw notFound();
  if (!found.has_hosting) throw refusal("invalid_hosting");
  if (found.is_taken) throw conflict();
}

/**
 * The columns a create or update of a website stores, except its domain.
 * @param sent the validated body; only its keys appear in the result
 * @param isNew a new website is checked against the custom fields even without values
 * @throws 422 naming every invalid custom field
 */
function websiteValues(
  { root, hosting_id, uptime_enabled, technical_owner, custom }: Static<typeof WebsiteUpdate>,
  isNew: boolean,
  definitions: readonly CustomDefinition[],
): UpdateOf<typeof Website> {
  const read = isNew || custom !== undefined ? readCustomValues(custom ?? {}, definitions) : null;
  if (read && Object.keys(read.refused).length > 0) throw invalid(read.refused);
  return {
    root,
    uptime_enabled,
    hosting_id: hosting_id === undefined ? undefined : (hosting_id?.toLowerCase() ?? null),
    ...partyValues("technical_owner", technical_owner),
    ...(read && custom !== undefined && { custom: read.values }),
  };
}

/**
 * Creates the website of a domain from a validated body, with its trail. All websites are created here.
 * @param ownId the id to use; a new one by default
 * @returns the new id
 * @throws 404 for the domain, 409 if it already has a website, 400 `invalid_hosting` and `invalid_party`, 422 of the rules
 */
export async function createWebsite({ domain_id, ...body }: Static<typeof WebsiteCreate>, ownId?: string): Promise<string> {
  const values = websiteValues(body, true, await activeDefinitions("website"));
  await Promise.all([requireReferences({ domain_id, hosting_id: values.hosting_id }), requireParties(PARTIES, values)]);
  const id = queueInsert(Website, { ...values, domain_id, ...(ownId !== undefined && { id: ownId }) });
  trail("website", id, "created");
  return id;
}

/**
 * Updates a website that the caller has locked, with its trail and events. Fields not sent stay; a write without changes leaves no trace.
 * @returns whether anything changed
 * @throws 400 `invalid_hosting` and `invalid_party`, 422 of the rules
 */
export async function changeWebsite(before: WebsiteRow, body: Static<typeof WebsiteUpdate>): Promise<boolean> {
  const { id } = before;
  const definitions = body.custom === undefined ? [] : await activeDefinitions("website");
  const changed = differences(before, websiteValues(body, false, definitions));
  if (!changed) return false;
  await Promise.all([requireReferences({ hosting_id: changed.hosting_id }), requireParties(PARTIES, changed, before)]);
  queueUpdate(Website, id, changed);
  trailChanges("website", id, changesOf(Website.tracked, before, changed), shownFields(PARTIES, changed));
  if (changed.uptime_enabled !== undefined)
    emit("website.uptime_toggled", "website", id, { website_id: id, uptime: changed.uptime_enabled });
  return true;
}

/** Deletes a website; its domain stays. @throws 404, 412 */
export async function removeWebsite(id: string): Promise<void> {
  await websites.forWrite(id);
  queueRemove(Website, id);
  reportChange("website", [id], "deleted");
}
