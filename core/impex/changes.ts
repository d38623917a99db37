import { isDeepStrictEqual } from "node:util";
import { type CustomDefinition, type CustomValues, INACTIVE, readCustomValues } from "../custom-fields/values.ts";
import type { Values } from "../database/write.ts";
import { isCut } from "./files/cell.ts";

/**
 * The values of a row that differ from its record. Excludes texts that an export has cut off. An unchanged value needs no validation, so it
 * can stay even if it is invalid today.
 */
export const newValues = (before: Values, given: Values): Values =>
  Object.fromEntries(Object.entries(given).filter(([field, value]) => !isCut(value) && before[field] !== value));

/**
 * The complete set of custom values for an update that stores the file's values and keeps the others; undefined if the file changes
 * nothing. Values without an active field have no column, so the file keeps them too (platform §4: deactivating a field rewrites no value).
 */
export function mergedCustom(
  stored: CustomValues,
  given: CustomValues | undefined,
  definitions: readonly CustomDefinition[],
): CustomValues | undefined {
  if (given === undefined) return undefined;
  const whole = Object.fromEntries(Object.entries(given).filter(([, value]) => !isCut(value)));
  const asked = definitions.filter(({ key }) => Object.hasOwn(whole, key));
  const { values, refused } = readCustomValues(whole, asked);
  const isNew = asked.some(({ key }) => Object.hasOwn(refused, key) || !isDeepStrictEqual(values[key], stored[key]));
  if (!isNew) return undefined;
  const active = new Set(definitions.map(({ key }) => key));
  const storedWhere = (isActive: boolean) =>
    Object.fromEntries(Object.entries(stored).filter(([key]) => active.has(key) === isActive));
  return { ...storedWhere(true), ...whole, [INACTIVE]: storedWhere(false) };
}
