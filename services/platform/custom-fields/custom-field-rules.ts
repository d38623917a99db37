import { isPattern } from "../../../core/custom-fields/pattern.ts";
import type { UpdateOf } from "../../../core/database/model.ts";
import { invalid } from "../../../core/errors/errors.ts";
import type { Static } from "../../../core/schema/schema.ts";
import type { Definition } from "./custom-field-model.ts";
import type { CustomFieldDefinitionCreate, CustomFieldDefinitionUpdate } from "./custom-field-schemas.ts";

const KEY = /^[a-z][a-z0-9_]*$/;
const isBound = (value: unknown): boolean => value === undefined || value === null || typeof value === "number";
const isRegex = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && isPattern(value));

/**
 * The columns a definition stores (platform chapter §4): a cleared object or list becomes empty.
 * @param sent the validated body of a create or update; only its keys appear in the result
 * @throws 422 on an invalid key, and on a configuration that could not validate any value
 */
export function definitionValues(
  sent: Partial<Static<typeof CustomFieldDefinitionCreate>> | Static<typeof CustomFieldDefinitionUpdate>,
): UpdateOf<typeof Definition> {
  const { label_i18n: labels, options_json: options, config_json: config, ...plain } = sent;
  const values: UpdateOf<typeof Definition> = { ...plain };
  if (labels !== undefined) values.label_i18n = labels ?? {};
  if (options !== undefined) values.options_json = options ?? [];
  if (config !== undefined) values.config_json = config ?? {};
  const refused: Record<string, string> = {};
  if (values.key !== undefined && !KEY.test(values.key)) refused["key"] = "errors.validation";
  const { min, max, regex } = values.config_json ?? {};
  if (!isBound(min) || !isBound(max) || !isRegex(regex)) refused["config_json"] = "errors.validation";
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
