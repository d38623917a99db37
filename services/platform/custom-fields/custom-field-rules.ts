import { isPattern } from "../../../core/custom-fields/pattern.ts";
import type { Values } from "../../../core/database/write.ts";
import { invalid } from "../../../core/declare/errors.ts";

const KEY = /^[a-z][a-z0-9_]*$/;
const isBound = (value: unknown): boolean => value === undefined || value === null || typeof value === "number";
const isRegex = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "string" && isPattern(value));

/**
 * What a definition stores (platform chapter §4): a cleared object or list is an empty one.
 * @param sent the validated body of a create or update; only its keys appear in the result
 * @throws 422 on a key that is no key, and on a configuration by which no value could be checked
 */
export function definitionValues(sent: Values): Values {
  const values = { ...sent };
  for (const field of ["label_i18n", "config_json"]) if (values[field] === null) values[field] = {};
  if (values["options_json"] === null) values["options_json"] = [];
  const refused: Record<string, string> = {};
  if (typeof values["key"] === "string" && !KEY.test(values["key"])) refused["key"] = "errors.validation";
  const { min, max, regex } = (values["config_json"] ?? {}) as Values;
  if (!isBound(min) || !isBound(max) || !isRegex(regex)) refused["config_json"] = "errors.validation";
  if (Object.keys(refused).length > 0) throw invalid(refused);
  return values;
}
