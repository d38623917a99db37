import { column, tenantModel } from "../../core/database/model.ts";

const { instant, json, text, uuid } = column;

/** The reference of a document at an accounting provider. */
export const ExternalRef = tenantModel("external_refs", {
  provider: text(),
  local_type: text(),
  local_id: uuid(),
  external_id: text(),
  payload: json().withDefault(),
  synced_at: instant().orNull(),
});
