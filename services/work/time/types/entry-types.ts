import { newId } from "../../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../../core/database/query.ts";
import { invalid } from "../../../../core/errors/errors.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";

/** The initial types of an organisation (work chapter §4.1). */
export const SEEDED_TYPES = [
  { key: "work", label_i18n: { nl: "Werk", en: "Work" }, position: 10 },
  { key: "email", label_i18n: { nl: "E-mail", en: "E-mail" }, position: 20 },
] as const;

/** Select-list column: whether organisation `$1` has been seeded. */
export const SEEDED = "exists (select 1 from time_entry_types_seeded where organisation_id = $1) as seeded";

const LOOK = statement(
  `select ${SEEDED}, (select active from time_entry_types where organisation_id = $1 and key = $2) as active`,
);
/** Of two concurrent first uses, the second waits for the first, then finds the mark. */
const SEED = statement(`with first as (
    insert into time_entry_types_seeded (organisation_id) values ($1) on conflict do nothing returning 1)
  insert into time_entry_types (id, organisation_id, key, label_i18n, position)
  select t.id, $1, t.key, t.label_i18n, t.position
  from jsonb_to_recordset($2::jsonb) t (id uuid, key text, label_i18n jsonb, position int) where exists (select 1 from first)`);

/** Seeds an organisation's initial types unless it was seeded before; sent with the next read. */
export function seedEntryTypes(): void {
  enqueue(SEED, [request().organisation.id, JSON.stringify(SEEDED_TYPES.map((type) => ({ id: newId(), ...type })))]);
}

/**
 * Requires that an entry's type exists and is active; no type is always fine. The first use seeds the organisation's types.
 * @param keptKey the entry's current type, which it may keep even if retired
 * @throws 422 `entry_type_key: errors.time_entry_type_unknown` (work chapter §4.1)
 */
export async function requireEntryType(key: string | null | undefined, keptKey: string | null = null): Promise<void> {
  if (key === null || key === undefined || key === keptKey) return;
  const values = [request().organisation.id, key];
  let found = await queryOne<{ seeded: boolean; active: boolean | null }>(LOOK, values);
  if (!found?.seeded) {
    seedEntryTypes();
    found = await queryOne<{ seeded: boolean; active: boolean | null }>(LOOK, values);
  }
  if (!found?.active) throw invalid({ entry_type_key: "errors.time_entry_type_unknown" });
}
