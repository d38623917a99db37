import { activeDefinitions } from "../../../core/custom-fields/definitions.ts";
import { type CustomDefinition, readCustomValues } from "../../../core/custom-fields/values.ts";
import type { InsertOf, UpdateOf } from "../../../core/database/model.ts";
import { differences, queueInsert, queueRemove, queueUpdate, withoutBlanks } from "../../../core/database/write.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { requireCompany } from "../company-reference.ts";
import { partyValues, requireParties, shownFields } from "../parties/parties.ts";
import { requireProviders } from "../providers/provider-slots.ts";
import type { HostingCreate, HostingUpdate } from "./hosting-schemas.ts";
import { Hosting, type HostingRow } from "./models.ts";

const PARTIES = ["contact"] as const;

/**
 * The columns a create or update of hosting stores.
 * @param sent the validated body; only its keys appear in the result
 * @param isNew new hosting is checked against the custom fields even without values
 * @throws 422 naming every invalid field
 */
function hostingValues(
  sent: Partial<Static<typeof HostingCreate>> | Static<typeof HostingUpdate>,
  isNew: boolean,
  definitions: readonly CustomDefinition[],
): UpdateOf<typeof Hosting> {
  const { name, company_id, provider_id, ip_address, contact, custom } = sent;
  const refused: Record<string, string> = name?.trim() === "" ? { name: "errors.validation" } : {};
  const read = isNew || custom !== undefined ? readCustomValues(custom ?? {}, definitions) : null;
  Object.assign(refused, read?.refused);
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return withoutBlanks(Hosting, {
    ...(name !== undefined && { name: name.trim() }),
    ...(company_id !== undefined && { company_id: company_id?.toLowerCase() ?? null }),
    ...(provider_id !== undefined && { provider_id: provider_id?.toLowerCase() ?? null }),
    ...(ip_address !== undefined && { ip_address }),
    ...partyValues("contact", contact),
    ...(read && custom !== undefined && { custom: read.values }),
  });
}

/** @throws 404 for the client, 400 `invalid_provider`, 400 `invalid_party` */
async function requireReferences(values: UpdateOf<typeof Hosting>, before?: HostingRow): Promise<void> {
  await Promise.all([
    requireCompany(values.company_id),
    requireProviders({ hosting: values.provider_id }),
    requireParties(PARTIES, values, before),
  ]);
}

/**
 * Creates hosting from a validated body. All hosting is created here.
 * @param ownId the id to use; a new one by default
 * @returns the new id
 * @throws 400, 404 for its references, 422 of the rules
 */
export async function createHosting(body: Static<typeof HostingCreate>, ownId?: string): Promise<string> {
  const values = hostingValues(body, true, await activeDefinitions("hosting"));
  await requireReferences(values);
  const id = queueInsert(Hosting, { ...(values as InsertOf<typeof Hosting>), ...(ownId !== undefined && { id: ownId }) });
  reportChange("hosting", [id], "created");
  return id;
}

/**
 * Updates hosting that the caller has locked. Fields not sent stay.
 * @returns whether anything changed
 * @throws 400, 404 for changed references, 422 of the rules
 */
export async function changeHosting(before: HostingRow, body: Static<typeof HostingUpdate>): Promise<boolean> {
  const definitions = body.custom === undefined ? [] : await activeDefinitions("hosting");
  const changed = differences(before, hostingValues(body, false, definitions));
  if (!changed) return false;
  await requireReferences(changed, before);
  queueUpdate(Hosting, before.id, changed);
  reportChange("hosting", [before.id], "updated", shownFields(PARTIES, changed));
  return true;
}

/** Deletes hosting that the caller has locked; its websites stay without hosting. */
export async function removeHosting(id: string): Promise<void> {
  await reportLostReferences(Hosting, [id]);
  queueRemove(Hosting, id);
  reportChange("hosting", [id], "deleted");
}
