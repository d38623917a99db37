import { column, type RowOf, tenantModel } from "../../../core/database/model.ts";
import type { DecisionWord, SubjectType } from "./words.ts";

const { boolean, date, instant, json, text, uuid } = column;

/** A decision about a search term, a keyword or another object of an account (marketing-ads §3.9). */
export const AdsDecision = tenantModel("ads_decisions", {
  account_id: uuid(),
  intent_id: uuid().orNull(),
  subject_type: text<SubjectType>(),
  subject: text(),
  subject_key: text(),
  scope: text(),
  decision: text<DecisionWord>(),
  reason: text().withDefault(),
  applied: boolean().withDefault(),
  source: text<"manual" | "write">(),
  payload: json().withDefault(),
  actor_account_id: uuid().orNull(),
  actor_service_account_id: uuid().orNull(),
  actor_name: text().orNull(),
  impersonator_name: text().orNull(),
  expires_on: date().orNull(),
  withdrawn_at: instant().orNull(),
  withdrawn_by_account_id: uuid().orNull(),
  withdrawn_by_service_account_id: uuid().orNull(),
  withdrawn_by_name: text().orNull(),
});
export type AdsDecisionRow = RowOf<typeof AdsDecision>;
