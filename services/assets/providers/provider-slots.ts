import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { refusal } from "../../../core/declare/errors.ts";
import { request } from "../../../core/request/context.ts";
import type { ProviderKind } from "./provider-schemas.ts";

const UNFIT = statement(`select 1 from unnest($2::uuid[], $3::text[]) s(id, kind)
  where not exists (select 1 from providers p where p.organisation_id = $1 and p.id = s.id and p.kind = s.kind) limit 1`);

/**
 * What a write puts into slots for providers is there and of the slot's kind; one that is not active is accepted. One statement for all
 * slots, none where nothing is put in.
 * @param slots ids by kind; null and undefined put nothing in
 * @throws 400 `invalid_provider` (assets §1), the same for another organisation's id
 */
export async function requireProviders(slots: { readonly [Kind in ProviderKind]?: string | null | undefined }): Promise<void> {
  const filled = Object.entries(slots).filter(([, id]) => id !== null && id !== undefined);
  if (filled.length === 0) return;
  const asked = [filled.map(([, id]) => id), filled.map(([kind]) => kind)];
  if ((await query(UNFIT, [request().organisation.id, ...asked])).length > 0) throw refusal("invalid_provider");
}
