import type { CustomDefinition } from "../../../core/custom-fields/values.ts";
import { column, tenantModel } from "../../../core/database/model.ts";
import { conflict } from "../../../core/errors/errors.ts";

/** A custom field of a record kind. The trail records the settings that affect values; it omits labels and configuration. */
export const Definition = tenantModel("custom_field_definitions", {
  entity_type: column.text(),
  key: column.text(),
  data_type: column.text<CustomDefinition["data_type"]>().withDefault().tracked(),
  label_i18n: column.json<Record<string, string>>().withDefault(),
  required: column.boolean().withDefault().tracked(),
  options_json: column.json<{ value: string; label_i18n?: Record<string, string> | undefined }[]>().withDefault(),
  config_json: column.json().withDefault(),
  position: column.integer().withDefault().tracked(),
  active: column.boolean().withDefault().tracked(),
}).whenViolated({
  custom_field_definitions_key: () => conflict("errors.conflict", "key"),
});
