import { column, type RowOf, tenantModel } from "../../../../core/database/model.ts";
import type { Collection, Planned } from "../requests/operation.ts";

const { instant, integer, json, text, uuid } = column;

/** The outcome of one operation. */
export interface OperationResult {
  /** Index of the operation's subject in the caller's request. */
  index: number;
  ok: boolean;
  resource_name: string | null;
  /** The provider's `group.VALUE`; null without one. */
  error_code: string | null;
  /** The provider's message, scrubbed; null without one. */
  message: string | null;
}

/** A write to the provider, stored before it is sent (marketing-ads §3.10). */
export const AdsIntent = tenantModel("ads_intents", {
  account_id: uuid(),
  operation: text(),
  collection: text<Collection>(),
  digest: text(),
  state: text<"pending" | "applied" | "refused" | "unknown" | "superseded">().withDefault(),
  work_id: uuid().orNull(),
  activity: text(),
  resource: text(),
  requested: integer(),
  skipped: integer(),
  planned: json<Planned[]>(),
  outcome: json<OperationResult[]>().orNull(),
  error_code: text().orNull(),
  settled_at: instant().orNull(),
  actor_account_id: uuid().orNull(),
  actor_service_account_id: uuid().orNull(),
  actor_name: text().orNull(),
  impersonator_name: text().orNull(),
});
export type AdsIntentRow = RowOf<typeof AdsIntent>;
