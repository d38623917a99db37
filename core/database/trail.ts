import { request } from "../request/context.ts";
import { column, model } from "./model.ts";
import { insert, type Values } from "./write.ts";

/** The trail: lines that are written once and never changed, so they have no version. */
export const Activity = model("activity", {
  id: column.uuid().withDefault(),
  organisation_id: column.uuid().byPlatform(),
  entity_type: column.text(),
  entity_id: column.uuid(),
  action: column.text(),
  payload: column.json().withDefault(),
  actor_account_id: column.uuid().orNull(),
  actor_service_account_id: column.uuid().orNull(),
  actor_name: column.text().orNull(),
  impersonator_name: column.text().orNull(),
  created_at: column.instant().withDefault(),
});

/** A tracked field before and after. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** Writes one line of the trail (conventions §12) in the running transaction. The actor's name is kept for the day the account is gone. */
export function trail(entityType: string, entityId: string, action: string, payload: Record<string, unknown> = {}): void {
  const { principal } = request();
  insert(Activity, {
    entity_type: entityType,
    entity_id: entityId,
    action,
    payload,
    actor_account_id: principal?.accountId ?? null,
    actor_service_account_id: principal?.serviceAccountId ?? null,
    actor_name: principal?.name ?? null,
  });
}

/** The tracked fields that really differ between two states of a row. */
export function changesOf(tracked: readonly string[], before: object, after: object): Changes {
  const changes: Changes = {};
  const [stored, written] = [before, after] as [Values, Values];
  for (const field of tracked) {
    const from = stored[field] ?? null;
    const to = field in written ? (written[field] ?? null) : from;
    if (from !== to) changes[field] = { from, to };
  }
  return changes;
}
