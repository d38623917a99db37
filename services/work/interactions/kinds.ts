import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** The kind of messages; every organisation has it. */
export const EMAIL = "email";

/** The initial kinds of an organisation (contact moments §3). */
export const SEEDED_KINDS = [
  { key: EMAIL, label_i18n: { nl: "E-mail", en: "E-mail" }, position: 10, is_protected: true },
  { key: "online_meeting", label_i18n: { nl: "Online overleg", en: "Online meeting" }, position: 20, is_protected: false },
  {
    key: "physical_meeting",
    label_i18n: { nl: "Overleg op locatie", en: "Meeting in person" },
    position: 30,
    is_protected: false,
  },
  { key: "call", label_i18n: { nl: "Telefoongesprek", en: "Call" }, position: 40, is_protected: false },
  { key: "note", label_i18n: { nl: "Notitie", en: "Note" }, position: 50, is_protected: false },
] as const;

// The protected kind is never deleted, so an organisation without it is not seeded. Of two concurrent seeds, the second finds the first's.
const SEED = statement(`insert into interaction_kinds (id, organisation_id, key, label_i18n, position, is_protected)
  select k.id, $1, k.key, k.label_i18n, k.position, k.is_protected from jsonb_populate_recordset(null::interaction_kinds, $2::jsonb) k
  where not exists (select 1 from interaction_kinds where organisation_id = $1 and is_protected)
  on conflict on constraint interaction_kinds_key_key do nothing`);
const KIND = statement("select active from interaction_kinds where organisation_id = $1 and key = $2");

/** Seeds an organisation's initial kinds if it has none. Needs an action that writes. */
export function seedKinds(): void {
  const rows = SEEDED_KINDS.map((kind) => ({ id: newId(), ...kind }));
  enqueue(SEED, [request().organisation.id, JSON.stringify(rows)]);
}

/**
 * Requires an active kind that is allowed for a manual moment.
 * @param kept the row's current kind, allowed even if inactive
 * @throws 422 on `kind` if it does not exist or is inactive, and for `email`, which only messages have
 */
export async function requireKind(key: string, kept: string | null = null): Promise<void> {
  if (key === kept) return;
  if (key === EMAIL) throw invalid({ kind: "errors.interactions_kind_not_manual" });
  seedKinds();
  const found = await queryOne<{ active: boolean }>(KIND, [request().organisation.id, key]);
  if (!found?.active) throw invalid({ kind: "errors.validation" });
}
