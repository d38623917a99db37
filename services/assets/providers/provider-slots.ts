import { query } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { ProviderKind } from "./provider-schemas.ts";

const UNFIT = statement(`select 1 from unnest($2::uuid[], $3::text[]) s(id, kind)
  where not exists (select 1 from providers p where p.organisation_id = $1 and p.id = s.id and p.kind = s.kind) limit 1`);

/**
 * Requires that the providers in a write exist and have the kind of their slot; inactive ones are accepted. One statement for all slots,
 * none if all are empty.
 * @param slots ids by kind; null and undefined are empty
 * @throws 400 `invalid_provider` (assets §1), the same for another organisation's id
 */
export async function requireProviders(slots: { readonly [Kind in ProviderKind]?: string | null | undefined }): Promise<void> {
  const filled = Object.entries(slots).filter(([, id]) => id !== null && id !== undefined);
  if (filled.length === 0) return;
  const asked = [filled.map(([, id]) => id), filled.map(([kind]) => kind)];
  if ((await query(UNFIT, [request().organisation.id, ...asked])).length > 0) throw refusal("invalid_provider");
}
